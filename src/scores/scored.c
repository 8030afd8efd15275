/*
 * scored.c
 *	  A score by its name, and a row of the caller's as the codes that it looks at.
 *
 * Columns are found by name; others are ignored. What is absent, not declared,
 * or NULL where NULL is no level, has no code: the score adds nothing for it.
 */
#include "scores/scores.h"

#include "access/htup_details.h"
#include "access/xact.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"
#include "utils/typcache.h"

/* The target, and which of its levels are positive: as the fit was told. */
static void
find_target(PegsScored *scored)
{
	const pegs_option *option = scored->model->method->options;
	const pegs_setting *setting = scored->model->spec->settings;

	while (option->kind != PEGS_OPTION_LEVELS)
	{
		option++;
		setting++;
	}
	/* a file may say anything */
	if (scored->model->spec->settings == NULL || setting->columns == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("score \"%s\" does not say of what it is one", scored->name),
				 errhint("Drop it and make it again: SELECT pegs_drop(%s);", quote_literal_cstr(scored->name))));
	for (scored->target = 0; !setting->columns[scored->target];)
		scored->target++;
	scored->positive = setting->levels[scored->target];
}

/* Points, and lines of a card: of a score that was paid for. */
void
pegs_require_points(const PegsScored *scored)
{
	if (scored->scorer->exact)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("score \"%s\" has no guarantee: it is exact counts", scored->name),
				 errdetail("As it was published, noise is added whenever it is asked, by the epsilon of the call."),
				 errhint("SELECT pegs_score_published(%s, t, epsilon => 1) FROM my_table AS t;", quote_literal_cstr(scored->name))));
}

/* Of the call of fmgr, not of its expression: a call by the fastpath has none. */
static bool
takes_object(Oid function)
{
	Oid		   *type;
	int			n;

	get_func_signature(function, &type, &n);
	return n > 1 && type[1] == JSONBOID;
}

static PegsScored *
read_score(char *name, MemoryContext context)
{
	MemoryContext old = MemoryContextSwitchTo(context);
	PegsScored *scored = palloc0(sizeof(PegsScored));
	pegs_env	env = pegs_env_in(context);
	pegs_wire	wire;

	scored->name = pstrdup(name);
	scored->model = pegs_model(name);
	scored->scorer = scored->model->method->scorer;
	if (scored->scorer == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("model \"%s\" is no score", name),
				 errhint("Of a perturbed model one can be made for free: SELECT pegs_score_fit_of('score', %s, target => ..., positive => ARRAY[...]);",
						 quote_literal_cstr(name))));
	pegs_require_tables(&env, scored->model, &wire);
	scored->body = wire.model;
	scored->domain = scored->model->spec->domain;
	find_target(scored);
	scored->physical = pegs_physical(scored->domain);
	scored->parts = pegs_parts(scored->domain);
	scored->encoder = palloc0(sizeof(PegsEncoder *) * scored->domain->ncols);
	for (int i = 0; i < scored->domain->ncols; i++)
	{
		if (!OidIsValid(scored->domain->column[i].type))
			pegs_type_is_gone(scored->domain->column[i].name, "A score looks at all of its columns. Make it again without this one: features => ARRAY[...]");
		scored->encoder[i] = pegs_domain_encoder(scored->domain, i);
	}
	scored->codes = palloc(sizeof(int32) * scored->domain->ncols);
	scored->values = palloc0(sizeof(Datum) * scored->physical->ncols);
	scored->nulls = palloc0(sizeof(bool) * scored->physical->ncols);
	scored->told = palloc0(sizeof(bool) * scored->physical->ncols);
	scored->attribute = palloc(sizeof(int) * scored->physical->ncols);
	scored->scratch = AllocSetContextCreate(context, "pegs score", ALLOCSET_SMALL_SIZES);
	scored->row_context = AllocSetContextCreate(context, "pegs score: row type", ALLOCSET_SMALL_SIZES);
	scored->context = context;
	MemoryContextSwitchTo(old);
	return scored;
}

/*
 * Who asks, and what he sees. It is the same for all rows of a query. PL/pgSQL
 * keeps what it calls until its transaction ends, whoever asks again by then.
 */
static PegsScoredSight
sight_of_now(void)
{
	Snapshot	snapshot = GetActiveSnapshot();

	return (PegsScoredSight) {GetUserId(), GetCurrentSubTransactionId(), snapshot->curcid,
		snapshot->xmin, snapshot->xmax, snapshot->xcnt, snapshot->subxcnt, GetCurrentStatementStartTimestamp()};
}

static bool
same_sight(const PegsScoredSight *a, const PegsScoredSight *b)
{
	return a->user == b->user && a->sub == b->sub && a->command == b->command
		&& a->xmin == b->xmin && a->xmax == b->xmax && a->xcnt == b->xcnt && a->subxcnt == b->subxcnt
		&& a->statement == b->statement;
}

PegsScored *
pegs_scored_by(FunctionCallInfo fcinfo)
{
	PegsScored *scored = fcinfo->flinfo->fn_extra;
	text	   *name = PG_ARGISNULL(0) ? NULL : PG_GETARG_TEXT_PP(0);
	PegsScoredSight sight = sight_of_now();
	MemoryContext context;

	if (name && scored && same_sight(&scored->sight, &sight) && strlen(scored->name) == VARSIZE_ANY_EXHDR(name)
		&& memcmp(scored->name, VARDATA_ANY(name), VARSIZE_ANY_EXHDR(name)) == 0)
		return scored;
	fcinfo->flinfo->fn_extra = NULL;
	if (scored)
		MemoryContextDelete(scored->context);
	/* kept once it is read: an error that is caught leaves nothing */
	context = AllocSetContextCreate(CurrentMemoryContext, "pegs score: model", ALLOCSET_SMALL_SIZES);
	scored = read_score(pegs_arg_text(fcinfo, 0, "model"), context);
	MemoryContextSetParent(context, fcinfo->flinfo->fn_mcxt);
	scored->of_object = takes_object(fcinfo->flinfo->fn_oid);
	scored->sight = sight;
	fcinfo->flinfo->fn_extra = scored;
	return scored;
}

/* ---- a row ---- */

/* Was all told that a column of the model is made of? */
static bool
is_told(const PegsScored *scored, int number)
{
	const PegsColumn *column = &scored->domain->column[number];
	const PegsPart *part = column->part;

	if (part == NULL)
		return scored->told[pegs_domain_find(scored->physical, column->name)];
	return scored->told[pegs_domain_find(scored->physical, part->column)]
		&& (part->earlier == NULL || scored->told[pegs_domain_find(scored->physical, part->earlier)]);
}

/* values, nulls and told to codes. */
static void
encode(PegsScored *scored)
{
	MemoryContext old = MemoryContextSwitchTo(scored->scratch);
	Datum	   *values = scored->values;
	bool	   *nulls = scored->nulls;

	if (scored->parts)
		pegs_take_parts(scored->parts, &values, &nulls);
	for (int i = 0; i < scored->domain->ncols; i++)
		scored->codes[i] = (scored->parts ? is_told(scored, i) : scored->told[i])
			? pegs_encode_or_none(scored->encoder[i], values[i], nulls[i]) : -1;
	scored->codes[scored->target] = -1;	/* it must not tell itself */
	MemoryContextSwitchTo(old);
}

/* Are values of one type values of the other, byte by byte? */
static bool
same_values(Oid type, Oid of_model)
{
	return type == of_model || ((type == TEXTOID || type == VARCHAROID) && (of_model == TEXTOID || of_model == VARCHAROID));
}

/* Of a named row type: it is another one when the type was altered. */
static uint64
version_of(Oid type, int32 typmod)
{
	return type == RECORDOID ? 0 : assign_record_type_identifier(type, typmod);
}

/* Where the columns of a row type are. */
static void
find_columns(PegsScored *scored, Oid type, int32 typmod)
{
	MemoryContext old;
	TupleDesc	desc;

	scored->desc = NULL;
	MemoryContextReset(scored->row_context);
	old = MemoryContextSwitchTo(scored->row_context);
	desc = lookup_rowtype_tupdesc_copy(type, typmod);
	for (int i = 0; i < scored->physical->ncols; i++)
	{
		const PegsColumn *column = &scored->physical->column[i];

		scored->attribute[i] = -1;
		for (int a = 0; a < desc->natts; a++)
		{
			Form_pg_attribute att = TupleDescAttr(desc, a);

			if (att->attisdropped || strcmp(NameStr(att->attname), column->name) != 0)
				continue;
			if (!same_values(getBaseType(att->atttypid), column->type))
				ereport(ERROR,
						(errcode(ERRCODE_DATATYPE_MISMATCH),
						 errmsg("column \"%s\" is of type %s, and score \"%s\" was made of %s", column->name,
								format_type_be(att->atttypid), scored->name, format_type_be(column->type)),
						 errhint("Cast it: %s::%s; or give a JSON object: SELECT pegs_score(%s, to_jsonb(t)) FROM my_table AS t;", quote_identifier(column->name),
								 pegs_type_words(column->type, column->typmod), quote_literal_cstr(scored->name))));
			if (scored->attribute[i] >= 0)
				ereport(ERROR,
						(errcode(ERRCODE_AMBIGUOUS_COLUMN),
						 errmsg("the row has two columns \"%s\", and score \"%s\" looks at one", column->name, scored->name),
						 errhint("Give one of them another name: SELECT pegs_score(%s, r) FROM (SELECT a.%s, b.%s AS other FROM ...) AS r;",
								 quote_literal_cstr(scored->name), quote_identifier(column->name), quote_identifier(column->name))));
			scored->attribute[i] = a;
		}
	}
	scored->desc = desc;
	scored->attributes = palloc(sizeof(Datum) * desc->natts);
	scored->attribute_nulls = palloc(sizeof(bool) * desc->natts);
	scored->row_type = type;
	scored->row_typmod = typmod;
	scored->row_version = version_of(type, typmod);
	MemoryContextSwitchTo(old);
}

/* The features, for a hint. */
static char *
feature_list(const PegsScored *scored)
{
	StringInfoData list;

	initStringInfo(&list);
	for (int i = 0; i < scored->physical->ncols; i++)
		if (strcmp(scored->physical->column[i].name, scored->domain->column[scored->target].name) != 0)
			appendStringInfo(&list, "%s%s", list.len > 0 ? ", " : "", quote_identifier(scored->physical->column[i].name));
	return list.data;
}

/* Something was told, and nothing of it is a feature: its names are not those that were meant. */
static void
require_a_feature(const PegsScored *scored)
{
	for (int i = 0; i < scored->physical->ncols; i++)
		if (scored->told[i] && strcmp(scored->physical->column[i].name, scored->domain->column[scored->target].name) != 0)
			return;
	ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_COLUMN),
			 errmsg("nothing in features is a feature of score \"%s\"", scored->name),
			 errhint("Its features are: %s.", feature_list(scored))));
}

static void
row_to_codes(PegsScored *scored, HeapTupleHeader row)
{
	HeapTupleData tuple = {.t_len = HeapTupleHeaderGetDatumLength(row), .t_data = row};
	Oid			type = HeapTupleHeaderGetTypeId(row);
	int32		typmod = HeapTupleHeaderGetTypMod(row);

	if (scored->desc == NULL || type != scored->row_type || typmod != scored->row_typmod || version_of(type, typmod) != scored->row_version)
		find_columns(scored, type, typmod);
	MemoryContextReset(scored->scratch);
	heap_deform_tuple(&tuple, scored->desc, scored->attributes, scored->attribute_nulls);
	for (int i = 0; i < scored->physical->ncols; i++)
	{
		int			a = scored->attribute[i];

		scored->told[i] = a >= 0;
		scored->nulls[i] = a < 0 || scored->attribute_nulls[a];
		scored->values[i] = a < 0 ? (Datum) 0 : scored->attributes[a];
	}
	if (scored->desc->natts > 0)
		require_a_feature(scored);
	encode(scored);
}

/*
 * Of the type, and of any length or scale, as a row's value may be: one that is
 * longer than the column's was is not declared, and a number is not rounded.
 */
static Datum
value_told(const PegsColumn *column, char *text)
{
	PegsTold	told = {.column = column, .text = text, .what = "features"};
	Datum		value;

	pegs_tell(&told);
	value = pegs_input(column->type, -1, text);
	pegs_untell(&told);
	return value;
}

static void
object_to_codes(PegsScored *scored, Jsonb *object)
{
	PegsMembers members;
	MemoryContext old;

	if (!JB_ROOT_IS_OBJECT(object))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("features must be a row, or a JSON object of columns and values"),
				 errhint("pegs_score(%s, '{\"column\": value}'::jsonb)", quote_literal_cstr(scored->name))));
	MemoryContextReset(scored->scratch);
	old = MemoryContextSwitchTo(scored->scratch);
	memset(scored->told, 0, sizeof(bool) * scored->physical->ncols);
	memset(scored->nulls, 1, sizeof(bool) * scored->physical->ncols);
	members = pegs_members(&object->root);
	while (pegs_next_member(&members))
	{
		int			i = pegs_domain_find(scored->physical, members.name);
		const PegsColumn *column = i < 0 ? NULL : &scored->physical->column[i];
		char	   *text;

		if (i < 0)
			continue;
		if (members.value.type == jbvBinary)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("the value of column \"%s\" must be a string, a number, true, false or null", column->name),
					 errhint("pegs_score(%s, '{\"column\": value}'::jsonb)", quote_literal_cstr(scored->name))));
		text = pegs_json_scalar(&members.value);
		scored->told[i] = true;
		scored->nulls[i] = text == NULL;
		if (text)
			scored->values[i] = value_told(column, text);
	}
	MemoryContextSwitchTo(old);
	if (JB_ROOT_COUNT(object) > 0)
		require_a_feature(scored);
	encode(scored);
}

bool
pegs_scored_codes(FunctionCallInfo fcinfo, PegsScored *scored)
{
	if (PG_ARGISNULL(1))
		return false;
	if (scored->of_object)
		object_to_codes(scored, PG_GETARG_JSONB_P(1));
	else
		row_to_codes(scored, PG_GETARG_HEAPTUPLEHEADER(1));
	return true;
}

static uint32_t
voters_of(const PegsScored *scored)
{
	return scored->scorer->voters ? scored->scorer->voters(scored->body) : 1;
}

double
pegs_score_divisor(const PegsScored *scored)
{
	return (double) PEGS_POINTS_PER_LOGIT * voters_of(scored);
}

/* As pegs_score_sql writes it: the same to the last digit. */
double
pegs_score_probability_of(const PegsScored *scored, int64_t points)
{
	return pegs_probability_of_points(points, voters_of(scored));
}
