/*
 * original.c
 *	  The table that a model was fitted to: is it here, and what it was.
 *
 * It is found by its OID, and its columns by their names. Who wants to read it
 * as it was read for the model is told what has become of it, before the query
 * on it would fail in words that say nothing of a model. By the catalog alone.
 */
#include "models/beside.h"
#include "models/fit.h"
#include "models/publish.h"
#include "budget/bound.h"
#include "read/read.h"

#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/json.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

void
pegs_refuse_slice(const PegsModel *model, const char *name)
{
	if (model->slice)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("\"%s\" is of a slice: the rows of the whole table are not its original", name),
				 errhint("Make a table of the rows %s, and compare with that: pegs_utility(original, synthetic).", pegs_slice_words(model->slice))));
}

/* What cannot be done with a model of several tables, whose rows are of one. */
void
pegs_refuse_related(const PegsModel *model)
{
	const char *name = model->name ? model->name : "(dropped)";

	if (model->spec->related == NULL)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("model \"%s\" is of several tables: %s", name, pegs_related_names(model->spec->related)),
			 errdetail("Rows are of one of them."),
			 errhint("SELECT * FROM pegs_sample_as(NULL::%s, %s, options => %s);", model->spec->related->member[0].table,
					 quote_literal_cstr(name), pegs_object_example("table", pegs_text_example(model->spec->related->member[0].name)))));
}

/* An imported model has no original here. */
static void
require_original(const PegsModel *model, const char *action)
{
	pegs_require_curator(model->account, action);
	if (!OidIsValid(model->source))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("model \"%s\" came in as a file: its original is not here", model->name ? model->name : "(dropped)"),
				 errhint("Measure it where it was fitted.")));
	if (!SearchSysCacheExists1(RELOID, ObjectIdGetDatum(model->source)))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("the original of \"%s\" was dropped", model->name ? model->name : "(dropped)"),
				 errdetail("Its rows can still be read, and compared with nothing."),
				 errhint("SELECT * FROM pegs_leftovers; shows what is left of it.")));
}

PegsSource *
pegs_curated_original(const PegsModel *model, const char *action)
{
	require_original(model, action);
	pegs_refuse_slice(model, model->name ? model->name : "(dropped)");
	if (model->spec->related)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("model \"%s\" is of several tables, and has no original of one", model->name ? model->name : "(dropped)"),
				 errhint("SELECT * FROM pegs_utility_schema_of(%s); compares all of them. Or compare a table of its rows with the table: pegs_utility(original, synthetic).",
						 quote_literal_cstr(model->name ? model->name : "..."))));
	return pegs_curated_source(model->source, action);
}

/* The columns of a model as somebody would name them: drawn and computed, in the order of its rows. */
List *
pegs_columns_named(const PegsDomain *domain)
{
	List	   *names = NIL;
	int			d = 0;

	for (int i = 0; i <= domain->ncols; i++)
	{
		for (; d < domain->nderived && domain->derived[d].place <= i; d++)
			names = lappend(names, domain->derived[d].name);
		if (i < domain->ncols && domain->column[i].part == NULL)	/* else it comes with the column that is computed from it */
			names = lappend(names, domain->column[i].name);
	}
	return names;
}

char *
pegs_columns_argument(const List *names)
{
	StringInfoData argument;
	const char *separator = ", ARRAY[";
	ListCell   *cell;

	initStringInfo(&argument);
	foreach(cell, names)
	{
		appendStringInfo(&argument, "%s%s", separator, quote_literal_cstr(lfirst(cell)));
		separator = ", ";
	}
	if (names)
		appendStringInfoChar(&argument, ']');
	return argument.data;
}

/* What has become of a column since, in words; NULL: nothing. */
static const char *
change_of(const PegsSource *source, const PegsColumn *column)
{
	AttrNumber	attnum = get_attnum(source->relid, column->name);
	Oid			type = attnum > 0 ? getBaseType(get_atttype(source->relid, attnum)) : InvalidOid;

	if (!OidIsValid(column->type))
		return psprintf("the type that column \"%s\" had was dropped", column->name);
	if (!OidIsValid(type))
		return psprintf("it has no column \"%s\" any more", column->name);
	if (type != column->type)
		return psprintf("column \"%s\" is of type %s, and no longer of type %s", column->name, format_type_be(type), format_type_be(column->type));
	return NULL;
}

/* The statement that fits another model, of those columns that there are. */
static char *
fit_what_there_is(const PegsModel *model, const PegsSource *source)
{
	StringInfoData call;
	List	   *there = NIL;
	ListCell   *cell;

	initStringInfo(&call);
	appendStringInfo(&call, "SELECT pegs_fit(%s, %s", quote_literal_cstr(psprintf("%s, as it is now", model->name ? model->name : "model")),
					 pegs_relation_literal(source->relid));
	foreach(cell, pegs_columns_named(model->spec->domain))
		if (get_attnum(source->relid, lfirst(cell)) > 0)
			there = lappend(there, lfirst(cell));
	appendStringInfoString(&call, pegs_columns_argument(there));
	if (model->epsilon > 0)
		appendStringInfo(&call, ", epsilon => %s, delta => %s%s", pegs_units_text(model->epsilon, 9), pegs_units_text(model->delta, 18),
						 pegs_method_argument(model->method));
	appendStringInfo(&call, "%s);", there ? pegs_options_argument(model->spec, there) : "");
	return call.data;
}

char *
pegs_fit_with_guarantee(const PegsModel *model)
{
	return psprintf("SELECT pegs_fit(%s, %s%s, epsilon => 1%s);", quote_literal_cstr(psprintf("%s, with a guarantee", model->name)),
					pegs_relation_literal(model->source), pegs_columns_argument(pegs_columns_named(model->spec->domain)),
					pegs_method_argument(pegs_perturbed_instead(model->method)));
}

/* The same, to read what was read for the model. */
PegsSource *
pegs_original_as_fitted(const PegsModel *model, const char *action)
{
	PegsSource *source = pegs_curated_original(model, action);
	const PegsDomain *read = pegs_physical(model->spec->domain);

	for (int i = 0; i < read->ncols; i++)
	{
		const char *change = change_of(source, &read->column[i]);

		if (change)
			ereport(ERROR,
					(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
					 errmsg("%s is not what model \"%s\" was fitted to: %s", source->name, model->name ? model->name : "(dropped)", change),
					 errdetail("Rows of the model and its releases can still be drawn and read."),
					 errhint("Put it back; or fit another model of the columns that there are, which is charged: %s", fit_what_there_is(model, source))));
	}
	return source;
}

/* ---- of several tables ---- */

/* {"patients": ["sex"]}: what pegs_fit_schema would have been told, to fit these columns. */
static Jsonb *
columns_of(const PegsRelated *related)
{
	StringInfoData text;

	initStringInfo(&text);
	for (int t = 0; t < related->n; t++)
	{
		ListCell   *cell;

		appendStringInfoString(&text, t == 0 ? "{" : "], ");
		escape_json(&text, related->member[t].name);
		foreach(cell, pegs_columns_named(related->member[t].spec->domain))
		{
			appendStringInfoString(&text, foreach_current_index(cell) == 0 ? ": [" : ", ");
			escape_json(&text, lfirst(cell));
		}
	}
	appendStringInfoString(&text, "]}");
	return DatumGetJsonbP(DirectFunctionCall1(jsonb_in, CStringGetDatum(text.data)));
}

/* What would be counted of a table, as text. Groups of levels are a hint to the fit: they may be others. */
static char *
counted_of(const PegsSpec *spec)
{
	PegsSpec	counted = *spec;

	counted.grouped = NULL;
	return pegs_spec_text(&counted);
}

static int
by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *) a, *(char *const *) b);
}

/* They follow the numbers of indexes, which are others in a restored dump. */
static char **
sorted(char *const *words, int n)
{
	char	  **copy = palloc(sizeof(char *) * (n + 1));

	for (int i = 0; i < n; i++)
		copy[i] = words[i];
	qsort(copy, n, sizeof(char *), by_text);
	return copy;
}

/* The same of all of them; and what their certificate says of keys that are not modelled. Of references: beside.c. */
static char *
counted_words(const PegsSpec *spec, bool repeats)
{
	PegsSpec	counted = *spec;
	PegsRelated related = *spec->related;

	related.member = palloc(sizeof(PegsMember) * related.n);
	memcpy(related.member, spec->related->member, sizeof(PegsMember) * related.n);
	for (int t = 0; t < related.n; t++)
	{
		PegsSpec   *own = palloc(sizeof(PegsSpec));

		*own = *related.member[t].spec;
		own->grouped = NULL;
		own->text = counted_of(own);
		related.member[t].spec = own;
		related.member[t].nbeside = 0;
		if (!repeats)
			related.member[t].nrepeat = 0;
		related.member[t].repeat = sorted(related.member[t].repeat, related.member[t].nrepeat);
		related.member[t].distinct = sorted(related.member[t].distinct, related.member[t].ndistinct);
	}
	counted.related = &related;
	return pegs_spec_text(&counted);
}

/* Of which tables columns are not what they were, as a sentence; "": of none, but keys, classes or what is said of them. */
static char *
others_of(const PegsRelated *was, const PegsRelated *now)
{
	StringInfoData names;

	initStringInfo(&names);
	for (int t = 0; t < was->n; t++)
		if (strcmp(counted_of(was->member[t].spec), counted_of(now->member[t].spec)) != 0)
			appendStringInfo(&names, "%s\"%s\"", names.len > 0 ? ", " : "", was->member[t].name);
	return names.len > 0 ? psprintf("Columns, levels or bins are others in %s. ", names.data) : "";
}

/* Where they cannot be fitted any more: not the words of a fit, and what mends it is for another one. */
static void
refuse_to_read(const PegsModel *model, const ErrorData *error)
{
	ereport(ERROR,
			(errcode(error->sqlerrcode),
			 errmsg("the original of model \"%s\" cannot be read as it was: %s", model->name ? model->name : "(dropped)", error->message),
			 errdetail("Rows of the model can still be drawn and read.%s%s", error->detail ? " " : "", error->detail ? error->detail : ""),
			 error->hint ? errhint("For another model, which is charged: %s", error->hint) : 0));
}

/* What it was fitted to, for who reads it anew and fits nothing. */
static PegsRelatives *
relatives_to_read(const PegsModel *model, PegsSource *source, List *tables, Jsonb *columns)
{
	MemoryContext context = CurrentMemoryContext;
	PegsRelatives *volatile now = NULL;

	PG_TRY();
	{
		now = pegs_relatives(source, tables, true, columns, true);
	}
	PG_CATCH();
	{
		ErrorData  *error;

		MemoryContextSwitchTo(context);
		error = CopyErrorData();
		if (error->sqlerrcode != ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE && error->sqlerrcode != ERRCODE_INVALID_PARAMETER_VALUE
			&& error->sqlerrcode != ERRCODE_FEATURE_NOT_SUPPORTED)
			PG_RE_THROW();
		FlushErrorState();
		refuse_to_read(model, error);
	}
	PG_END_TRY();
	return now;
}

/* Which table is this one of the model now: bound where it was, by its name; of the root whatever name it has. */
Oid
pegs_member_now(const PegsModel *model, int t)
{
	const PegsMember *member = &model->spec->related->member[t];
	Oid			parent;
	ListCell   *cell;

	if (t == 0)
		return get_rel_name(model->source) ? model->source : InvalidOid;
	parent = pegs_member_now(model, member->parent);
	if (!OidIsValid(parent))
		return InvalidOid;
	foreach(cell, pegs_children_of(parent))
		if (get_rel_name(lfirst_oid(cell)) && strcmp(get_rel_name(lfirst_oid(cell)), member->name) == 0)
			return lfirst_oid(cell);
	return InvalidOid;
}

/* One that is bound there and that the model does not know: it may be that which is missed, by another name. */
static Oid
other_name(const PegsModel *model, Oid parent)
{
	ListCell   *cell;

	foreach(cell, pegs_children_of(parent))
		if (get_rel_name(lfirst_oid(cell)) && pegs_related_find(model->spec->related, get_rel_name(lfirst_oid(cell))) < 0)
			return lfirst_oid(cell);
	return InvalidOid;
}

static char *
another_schema(const PegsModel *model)
{
	return psprintf("SELECT pegs_fit_schema(%s, %s, epsilon => %s, delta => %s);", quote_literal_cstr(psprintf("%s, as it is now", model->name ? model->name : "model")),
					pegs_relation_literal(model->source), pegs_units_text(model->epsilon, 9), pegs_units_text(model->delta, 18));
}

/* Before they are looked for by these names: what is gone was dropped, renamed or let go since. */
static void
require_tables(const PegsModel *model)
{
	const PegsRelated *related = model->spec->related;

	for (int t = 0; t < related->n; t++)
	{
		const PegsMember *member = &related->member[t];
		Oid			table = pegs_member_now(model, t);
		Oid			parent = t == 0 ? InvalidOid : pegs_member_now(model, member->parent);
		Oid			other = OidIsValid(table) ? InvalidOid : other_name(model, parent);
		ListCell   *cell;

		if (!OidIsValid(table))
			ereport(ERROR,
					(errcode(ERRCODE_UNDEFINED_TABLE),
					 errmsg("model \"%s\" is of a table \"%s\", which is not bound to \"%s\" any more", model->name ? model->name : "(dropped)", member->name, get_rel_name(parent)),
					 errdetail("It was renamed, dropped or let go after the fit. Nothing was charged."),
					 OidIsValid(other) ? errhint("If it is \"%s\" now, give it its name again: ALTER TABLE %s RENAME TO %s; Or make a model of the tables that there are: %s", get_rel_name(other),
												 pegs_relation_words(other), quote_identifier(member->name), another_schema(model))
					 : errhint("Make a model of the tables that there are: %s", another_schema(model))));
		foreach(cell, pegs_columns_named(member->spec->domain))
			if (get_attnum(table, lfirst(cell)) <= 0)
				ereport(ERROR,
						(errcode(ERRCODE_UNDEFINED_COLUMN),
						 errmsg("model \"%s\" has column \"%s\" of table \"%s\", which is not there any more", model->name ? model->name : "(dropped)", (char *) lfirst(cell), member->name),
						 errdetail("It was dropped or renamed after the fit. Nothing was charged."),
						 errhint("Put it back; or make a model of the columns that there are, under another name: %s", another_schema(model))));
		for (int i = 0; i < member->spec->domain->ncols; i++)
			if (!OidIsValid(member->spec->domain->column[i].type))
				ereport(ERROR,
						(errcode(ERRCODE_UNDEFINED_OBJECT),
						 errmsg("model \"%s\" has column \"%s\" of table \"%s\", and the type that it had was dropped", model->name ? model->name : "(dropped)",
								member->spec->domain->column[i].name, member->name),
						 errdetail("A type of the same name is another one. Nothing was charged."),
						 errhint("Make a model of the types that there are, under another name: %s", another_schema(model))));
	}
}

PegsRelatives *
pegs_relatives_as_fitted(const PegsModel *model, const char *action, bool anew)
{
	const PegsRelated *related = model->spec->related;
	List	   *tables = NIL;
	PegsSource *source;
	PegsRelatives *now;
	char	   *beside;
	char	   *words;

	require_original(model, action);
	for (int t = 0; t < related->n; t++)
		tables = lappend(tables, related->member[t].name);
	source = pegs_curated_source(model->source, action);
	require_tables(model);
	now = anew ? pegs_relatives(source, tables, true, columns_of(related), false) : relatives_to_read(model, source, tables, columns_of(related));
	now->related->siblings = related->siblings;
	words = counted_words(pegs_spec_of_relatives(now, model->method), anew);	/* which is how its tables are fitted: others_of */
	beside = anew ? pegs_related_beside_changed(model, now->related) : "";
	if (*beside || strcmp(words, counted_words(model->spec, anew)) != 0)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("a declaration, a key or a table has changed since model \"%s\" was fitted", model->name ? model->name : "(dropped)"),
				 errdetail("%s%sRows of the model can still be drawn.", others_of(related, now->related), *beside ? psprintf("What is not protected is another: %s. ", beside) : ""),
				 errhint("Put it back; or fit another, which is charged: SELECT pegs_fit_schema('...', %s, epsilon => %s, delta => %s);",
						 pegs_relation_literal(model->source), pegs_units_text(model->epsilon, 9), pegs_units_text(model->delta, 18))));
	return now;
}
