/*
 * plan.c
 *	  Plans as jsonb: what was asked, what was found, and what it is worth.
 *
 * A plan comes back from anywhere. Nothing in it is believed: names are looked
 * up, numbers are compared with what the hierarchies have now, and the rows are
 * measured anew (generalized.c).
 */
#include "generalize/generalize.h"

#include <math.h>

#include "access/table.h"
#include "catalog/pg_type.h"
#include "common/shortest_dec.h"
#include "utils/builtins.h"
#include "utils/float.h"
#include "utils/fmgrprotos.h"
#include "utils/json.h"
#include "utils/rel.h"

#define VERSION "pegs 1"

/* ---- written ---- */

static void
put_name(StringInfo to, const char *name)
{
	appendStringInfo(to, ", \"%s\": ", name);
}

static void
put_text(StringInfo to, const char *name, const char *value)
{
	put_name(to, name);
	if (value)
		escape_json(to, value);
	else
		appendStringInfoString(to, "null");
}

/* As short as reads back the same, whatever extra_float_digits says: it is a criterion of the rows. */
static void
put_number(StringInfo to, const char *name, double value)
{
	char		decimal[DOUBLE_SHORTEST_DECIMAL_LEN];

	put_name(to, name);
	if (!isnan(value))
		double_to_shortest_decimal_buf(value, decimal);
	appendStringInfoString(to, isnan(value) ? "null" : decimal);
}

static void
put_count(StringInfo to, const char *name, uint64 value)
{
	put_name(to, name);
	appendStringInfo(to, UINT64_FORMAT, value);
}

/* The keys as text, then the other columns with their types. */
static char *
row_type(const PegsGeneral *general)
{
	Relation	rel = table_open(general->source->relid, NoLock);
	TupleDesc	desc = RelationGetDescr(rel);
	StringInfoData list;

	initStringInfo(&list);
	for (uint32 j = 0; j < general->nkeys; j++)
		appendStringInfo(&list, "%s%s text", j == 0 ? "" : ", ", quote_identifier(general->domain->column[j].name));
	for (int i = 0; i < desc->natts; i++)
	{
		Form_pg_attribute att = TupleDescAttr(desc, i);

		if (pegs_general_shows(general, att))
			appendStringInfo(&list, ", %s %s", quote_identifier(NameStr(att->attname)),
							 pegs_type_words(att->atttypid, att->atttypmod));
	}
	table_close(rel, NoLock);
	return list.data;
}

static void
put_keys(StringInfo to, const PegsGeneral *general, const PegsFound *found)
{
	put_name(to, "keys");
	for (uint32 j = 0; j < general->nkeys; j++)
	{
		const pegs_key *key = &general->key[j];

		appendStringInfoString(to, j == 0 ? "[{\"column\": " : ", {\"column\": ");
		escape_json(to, general->domain->column[j].name);
		if (!general->local)
		{
			put_count(to, "step", general->step[j]);
			put_count(to, "groups", key->step[general->step[j]].ngroups);
		}
		put_count(to, "of", key->nsteps - 1);
		put_number(to, "weight", key->weight);
		put_number(to, "loss", found->by_key[j]);
		put_text(to, "hierarchy", psprintf("%08x", pegs_general_mark(general, j)));
		appendStringInfoChar(to, '}');
	}
	appendStringInfoChar(to, ']');
}

Datum
pegs_general_json(const PegsGeneral *general, const PegsFound *found)
{
	const pegs_criteria *criteria = &general->criteria;
	const pegs_loss *loss = &found->loss;
	double		kept = (double) (found->rows - loss->suppressed);
	double		steps = 0;
	StringInfoData to;

	initStringInfo(&to);
	appendStringInfoString(&to, "{\"plan\": \"" VERSION "\"");
	put_text(&to, "method", general->local ? "local" : "global");
	put_count(&to, "k", criteria->k);
	put_number(&to, "suppress", general->suppress);
	put_number(&to, "l", criteria->l > 1 ? criteria->l : NAN);
	put_number(&to, "t", criteria->t < 1 ? criteria->t : NAN);
	put_text(&to, "sensitive", general->sensitive == PEGS_NO_LEVEL ? NULL : general->domain->column[general->sensitive].name);
	put_keys(&to, general, found);
	put_count(&to, "rows", found->rows);
	put_count(&to, "suppressed", loss->suppressed);
	put_count(&to, "classes", loss->classes);
	put_number(&to, "loss", loss->loss);
	for (uint32 j = 0; j < general->nkeys; j++)
		if (general->key[j].nsteps > 1)
			steps += (double) general->step[j] / (general->key[j].nsteps - 1.0);
	put_number(&to, "precision", general->local ? NAN : 1 - steps / general->nkeys);
	put_number(&to, "entropy_loss", loss->entropy);
	put_number(&to, "discernibility", loss->discernibility);
	put_number(&to, "average_class", loss->classes > 0 ? kept / loss->classes / (double) criteria->k : NAN);
	if (!general->local)
	{
		put_count(&to, "searched", found->searched);
		put_count(&to, "nodes", found->nodes);
	}
	put_text(&to, "row_type", row_type(general));
	put_text(&to, "guarantee", "none");
	appendStringInfoChar(&to, '}');
	return DirectFunctionCall1(jsonb_in, CStringGetDatum(to.data));
}

/* ---- read ---- */

bool
pegs_json_number(const JsonbValue *value, double *number)
{
	if (value == NULL || value->type != jbvNumeric)
		return false;
	*number = DatumGetFloat8(DirectFunctionCall1(numeric_float8_no_overflow, NumericGetDatum(value->val.numeric)));
	return isfinite(*number);
}

static void
refuse_plan(const PegsSource *source, const char *detail)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("plan is none that pegs_generalize has made"),
			 errdetail("%s", detail),
			 errhint("SELECT pegs_generalize(%s, keys => %s);", quote_literal_cstr(source->name),
					 pegs_columns_example(pegs_domain_of(source), 2))));
}

static JsonbValue *
member(JsonbContainer *object, const char *name)
{
	return getKeyJsonValueFromContainer(object, name, (int) strlen(name), NULL);
}

/* Its text; NULL: it is none, or too long for a name. */
static char *
text_of(JsonbContainer *object, const char *name)
{
	JsonbValue *value = member(object, name);

	if (value == NULL || value->type != jbvString || value->val.string.len >= NAMEDATALEN)
		return NULL;
	return pnstrdup(value->val.string.val, value->val.string.len);
}

/* A number from low to high; `missing` if it is null. */
static double
number_of(const PegsSource *source, JsonbContainer *object, const char *name, double low, double high, double missing)
{
	JsonbValue *value = member(object, name);
	double		number = missing;

	if (value == NULL || (value->type == jbvNull && isnan(missing)))
		refuse_plan(source, psprintf("It has no \"%s\".", name));
	if (value->type == jbvNull)
		return missing;
	if (!pegs_json_number(value, &number) || number < low || number > high)
		refuse_plan(source, psprintf("\"%s\" is no number from %g to %g.", name, low, high));
	return number;
}

static double
whole_of(const PegsSource *source, JsonbContainer *object, const char *name, double low, double high)
{
	double		number = number_of(source, object, name, low, high, NAN);

	if (number != floor(number))
		refuse_plan(source, psprintf("\"%s\" is no whole number.", name));
	return number;
}

static bool
read_method(const PegsSource *source, JsonbContainer *plan)
{
	const char *version = text_of(plan, "plan");
	const char *method = text_of(plan, "method");

	if (version == NULL || strcmp(version, VERSION) != 0)
		refuse_plan(source, "\"plan\" is not \"" VERSION "\".");
	if (method == NULL || (strcmp(method, "global") != 0 && strcmp(method, "local") != 0))
		refuse_plan(source, "\"method\" is neither \"global\" nor \"local\".");
	return strcmp(method, "local") == 0;
}

/* The containers of the keys, and the names of their columns. */
static List *
read_names(const PegsSource *source, JsonbContainer *plan, List **containers)
{
	JsonbValue *keys = member(plan, "keys");
	List	   *names = NIL;
	JsonbContainer *array;

	if (keys == NULL || keys->type != jbvBinary || !JsonContainerIsArray(keys->val.binary.data)
		|| JsonContainerSize(keys->val.binary.data) == 0 || JsonContainerSize(keys->val.binary.data) > PEGS_MAX_COLUMNS)
		refuse_plan(source, "It has no \"keys\".");
	array = keys->val.binary.data;
	for (uint32 j = 0; j < JsonContainerSize(array); j++)
	{
		JsonbValue *key = getIthJsonbValueFromContainer(array, j);
		char	   *name = key->type == jbvBinary && JsonContainerIsObject(key->val.binary.data) ? text_of(key->val.binary.data, "column") : NULL;

		if (name == NULL)
			refuse_plan(source, "A key has no \"column\".");
		names = lappend(names, name);
		*containers = lappend(*containers, key->val.binary.data);
	}
	return names;
}

static void
read_key(PegsGeneral *general, uint32 j, JsonbContainer *object)
{
	pegs_key   *key = &general->key[j];
	const char *mark = text_of(object, "hierarchy");

	if (mark == NULL)
		refuse_plan(general->source, "A key has no \"hierarchy\".");
	if (strcmp(mark, psprintf("%08x", pegs_general_mark(general, j))) != 0)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("the levels or the hierarchy of column \"%s\" have changed since the plan was made", general->domain->column[j].name),
				 errhint("Make the plan anew: SELECT pegs_generalize(%s, keys => %s);", quote_literal_cstr(general->source->name),
						 pegs_columns_example(general->domain, (int) general->nkeys))));
	key->weight = number_of(general->source, object, "weight", 0, 1e9, NAN);
	if (general->local)
		return;
	general->step[j] = (uint32) whole_of(general->source, object, "step", 0, key->nsteps - 1.0);
}

Jsonb *
pegs_arg_plan(FunctionCallInfo fcinfo, int n, PegsSource *source)
{
	Jsonb	   *plan = pegs_arg_object(fcinfo, n, "plan");

	if (plan == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("plan must not be null"),
				 errhint("SELECT pegs_generalize(%s, keys => %s);", quote_literal_cstr(source->name),
						 pegs_columns_example(pegs_domain_of(source), 2))));
	return plan;
}

PegsGeneral *
pegs_general_planned(PegsSource *source, Jsonb *plan)
{
	bool		local = read_method(source, &plan->root);
	List	   *containers = NIL;
	List	   *names = read_names(source, &plan->root, &containers);
	JsonbValue *sensitive = member(&plan->root, "sensitive");
	char	   *name = text_of(&plan->root, "sensitive");
	PegsGeneral *general;

	if (name == NULL && (sensitive == NULL || sensitive->type != jbvNull))
		refuse_plan(source, "\"sensitive\" is neither a column nor null.");
	source->chosen_by = "";		/* the plan has chosen */
	general = pegs_general(source, names, name);
	general->local = local;
	general->criteria.k = (uint64) whole_of(source, &plan->root, "k", 1, PG_INT32_MAX);
	general->criteria.l = number_of(source, &plan->root, "l", 1, PEGS_MAX_LEVELS, 1);
	general->criteria.t = number_of(source, &plan->root, "t", 0, 1, 1);
	if (name == NULL && pegs_asks_diversity(&general->criteria))
		refuse_plan(source, "\"l\" and \"t\" need \"sensitive\".");
	for (uint32 j = 0; j < general->nkeys; j++)
		read_key(general, j, list_nth(containers, (int) j));
	return general;
}
