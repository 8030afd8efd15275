/*
 * hierarchy.c
 *	  Hierarchies of columns: declared, read, shown.
 *
 * What is declared is public, and never made of rows: Law L1. Levels may change
 * after it, so it is made anew, and its lookup tables are read anew, at every use,
 * by the rights that the caller has then: Law L9. How steps become groups:
 * hierarchy_steps.c; where they are kept: hierarchy_kept.c.
 */
#include "facts/facts.h"
#include "codes/codes.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/tuplestore.h"

/* ---- used ---- */

static bool
is_keyed(const PegsColumn *column)
{
	return column->via || (column->part && column->part->via);
}

static void
require_levels(const PegsSource *source, const PegsColumn *column)
{
	if (column->nparts > 0 || column->earlier || column->part)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("column \"%s\" of %s has no hierarchy: it is modelled by %s", pegs_said_name(column), source->name,
						column->earlier ? "how much it is after another" : is_keyed(column) ? "what a lookup table says of it" : "calendar parts"),
				 errdetail("Its own values are in no levels and no bins."),
				 is_keyed(column) ? errhint("Declare its levels, or the lookup table without via: SELECT pegs_set_lookup(%s, %s, ...);", quote_literal_cstr(source->name),
											quote_literal_cstr(pegs_said_name(column)))
				 : errhint("Make a view with a column of its month or year, and declare the levels of that.")));
	if (column->origin == NULL || column->problem || pegs_column_levels(column) - column->nullable < 1)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("column \"%s\" of %s has no levels, and so no hierarchy", column->name, source->name),
				 column->remedy ? errhint("Levels or bins first: %s", column->remedy) : errhint("Levels or bins first: SELECT * FROM pegs_domain(%s);", quote_literal_cstr(source->name))));
}

PegsHierarchy *
pegs_hierarchy_of(const PegsSource *source, const PegsColumn *column)
{
	PegsKeptHierarchy kept;

	require_levels(source, column);
	kept = pegs_kept_hierarchy(source->relid, get_attnum(source->relid, column->name));
	return pegs_make_hierarchy(source, column, kept.steps, kept.lookups);
}

/* ---- declared ---- */

/* The steps with a number in the place of each lookup table's name; the tables. */
static Jsonb *
resolved(const PegsSource *source, Jsonb *steps, Oid **lookups, int *nlookups)
{
	JsonbParseState *state = NULL;
	JsonbValue *result;
	int			n = JsonContainerSize(&steps->root);

	*lookups = palloc(sizeof(Oid) * (n + 1));
	*nlookups = 0;
	(void) pushJsonbValue(&state, WJB_BEGIN_ARRAY, NULL);
	for (int i = 0; i < n; i++)
	{
		JsonbValue *step = getIthJsonbValueFromContainer(&steps->root, i);
		JsonbValue	name;
		JsonbValue	key = {.type = jbvString, .val.string = {.len = 6, .val = "lookup"}};
		PegsMembers members;

		if (step->type != jbvBinary || !JsonContainerIsObject(step->val.binary.data)
			|| getKeyJsonValueFromContainer(step->val.binary.data, "lookup", 6, &name) == NULL)
		{
			(void) pushJsonbValue(&state, WJB_ELEM, step);
			continue;
		}
		if (name.type != jbvString)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("step %d of a hierarchy must name its lookup table", i + 1),
					 errhint("For example: {\"lookup\": \"zips\", \"key\": \"zip\", \"value\": \"city\"}")));
		(*lookups)[*nlookups] = pegs_lookup_named(pegs_json_scalar(&name));
		(void) pushJsonbValue(&state, WJB_BEGIN_OBJECT, NULL);
		(void) pushJsonbValue(&state, WJB_KEY, &key);
		name = (JsonbValue) {.type = jbvNumeric, .val.numeric = int64_to_numeric(++*nlookups)};
		(void) pushJsonbValue(&state, WJB_VALUE, &name);
		members = pegs_members(step->val.binary.data);
		while (pegs_next_member(&members))
		{
			key.val.string.val = members.name;
			key.val.string.len = strlen(members.name);
			if (strcmp(members.name, "lookup") != 0)
			{
				(void) pushJsonbValue(&state, WJB_KEY, &key);
				(void) pushJsonbValue(&state, WJB_VALUE, &members.value);
			}
			if (strcmp(members.name, "key") == 0 || strcmp(members.name, "value") == 0)
			{
				char	   *column = members.value.type == jbvString ? pegs_json_scalar(&members.value) : NULL;

				if (column)
					pegs_check_lookup(source, NULL, (*lookups)[*nlookups - 1], column, "lookup_column");
			}
		}
		(void) pushJsonbValue(&state, WJB_END_OBJECT, NULL);
	}
	result = pushJsonbValue(&state, WJB_END_ARRAY, NULL);
	return JsonbValueToJsonb(result);
}

/* Checked, and in place of what was declared; steps NULL: forgotten. */
void
pegs_declare_hierarchy(const PegsSource *source, const char *name, Jsonb *steps)
{
	PegsDomain *domain = pegs_domain_of(source);
	PegsColumn	column;
	Oid		   *lookups;
	int			nlookups;
	int			n;

	pegs_find_column(source, name, false, &column);
	if (steps == NULL)
	{
		(void) pegs_forget_hierarchy(source, column.name);
		return;
	}
	if (!JB_ROOT_IS_ARRAY(steps) || JB_ROOT_IS_SCALAR(steps))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("steps must be a JSON list"),
				 errhint("steps => '[{\"keep\": 3}]', finest first")));
	n = JB_ROOT_COUNT(steps);
	if (n > PEGS_MAX_STEPS)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("a hierarchy has at most %d steps, not %d", PEGS_MAX_STEPS, n),
				 errhint("Leave some out. The levels themselves and \"*\" are steps without being named.")));
	require_levels(source, &domain->column[pegs_domain_find(domain, column.name)]);
	steps = resolved(source, steps, &lookups, &nlookups);
	(void) pegs_make_hierarchy(source, &domain->column[pegs_domain_find(domain, column.name)], steps, lookups);
	pegs_keep_hierarchy(source, column.name, steps, lookups, nlookups);
}

/* pegs_set_hierarchy(source regclass, column_name name, steps jsonb): finest first; NULL forgets it */
PG_FUNCTION_INFO_V1(pegs_set_hierarchy);
Datum
pegs_set_hierarchy(PG_FUNCTION_ARGS)
{
	PegsSource *source = (PG_ARGISNULL(2) ? pegs_curated_unread : pegs_curated_source) (pegs_arg_oid(fcinfo, 0, "source"), "declare its public facts");
	const char *name = pegs_arg_column(fcinfo, 1, "column_name", "zip");

	pegs_declare_hierarchy(source, name, PG_ARGISNULL(2) ? NULL : PG_GETARG_JSONB_P(2));
	PG_RETURN_VOID();
}

/* ---- shown ---- */

static char *
member_text(JsonbContainer *step, const char *name)
{
	JsonbValue	value;

	return getKeyJsonValueFromContainer(step, name, strlen(name), &value) && value.type == jbvString ? pegs_json_scalar(&value) : NULL;
}

/*
 * Why what is declared cannot be used now: a lookup table of one of its steps.
 * A model of the column does not ask for it, so that it is told, and no fit is
 * refused. By the catalog alone.
 */
char *
pegs_hierarchy_problem(const PegsSource *source, const PegsColumn *column, char **remedy)
{
	PegsKeptHierarchy kept = pegs_kept_hierarchy(source->relid, get_attnum(source->relid, column->name));
	int			n = kept.steps ? JsonContainerSize(&kept.steps->root) : 0;
	int			nlookup = 0;

	for (int i = 0; i < n; i++)
	{
		JsonbContainer *step = getIthJsonbValueFromContainer(&kept.steps->root, i)->val.binary.data;
		char	   *key = member_text(step, "key");
		char	   *value = member_text(step, "value");
		List	   *parts;
		char	   *problem = key && value ? pegs_mapping_problem(kept.lookups[nlookup++], key, value, source, &parts, remedy) : NULL;

		if (problem && *remedy == NULL)
			*remedy = psprintf("%s  %s", pegs_forget_hierarchy_call(source, column->name), pegs_comment("or declare it anew, by what is public"));
		if (problem)
			return psprintf("its hierarchy cannot be used: %s", problem);
	}
	return NULL;
}

/* What pegs_facts prints, with the hierarchies of columns. */
Jsonb *
pegs_facts_and_hierarchies(const PegsSource *source, Jsonb *facts)
{
	MemoryContext context = CurrentMemoryContext;
	PegsArg		args[2] = {{REGCLASSOID, ObjectIdGetDatum(source->relid), false}, {JSONBOID, JsonbPGetDatum(facts), false}};
	PegsAs		saved;
	MemoryContext old;
	bool		isnull;

	if (!pegs_keeps("hierarchy", NULL))
		return facts;
	pegs_begin_as_extension(&saved);
	pegs_spi_now("SELECT $2 || jsonb_build_object('columns', ($2 -> 'columns') || coalesce((SELECT " PEGS_OBJECT("a.attname::text", "(coalesce($2 -> 'columns' -> a.attname::text, '{}')"
				 " || jsonb_build_object('hierarchy', coalesce((SELECT jsonb_agg(CASE WHEN s ? 'lookup' THEN s || jsonb_build_object('lookup', h.lookups[(s ->> 'lookup')::int]::text) ELSE s END ORDER BY n)"
				 " FROM jsonb_array_elements(h.steps) WITH ORDINALITY AS e (s, n)), '[]')))")
				 " FROM pegs_internal.hierarchy AS h JOIN pg_attribute AS a ON a.attrelid = h.source AND a.attnum > 0 AND NOT a.attisdropped"
				 " AND CASE WHEN h.relation = h.source::oid THEN a.attnum = h.attnum ELSE a.attname = h.column_name END"
				 /* pegs_declare would refuse it */
				 " WHERE h.source = $1 AND NOT EXISTS (SELECT FROM unnest(h.lookups) AS l (o) WHERE l.o NOT IN (SELECT oid FROM pg_class))), '{}'))",
				 SPI_OK_SELECT, 2, args);
	old = MemoryContextSwitchTo(context);
	facts = DatumGetJsonbPCopy(SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &isnull));
	MemoryContextSwitchTo(old);
	pegs_end_as(&saved);
	return facts;
}

/* pegs_hierarchy(source regclass, column_name name) → table(level text, steps text[]): of each level, the groups from step 1 on */
PG_FUNCTION_INFO_V1(pegs_hierarchy);
Datum
pegs_hierarchy(PG_FUNCTION_ARGS)
{
	PegsSource *source = pegs_curated_source(pegs_arg_oid(fcinfo, 0, "source"), "see its declared facts");
	const char *name = pegs_arg_column(fcinfo, 1, "column_name", "zip");
	PegsDomain *domain = pegs_domain_of(source);
	ReturnSetInfo *result;
	PegsColumn	column;
	const PegsColumn *of;
	PegsHierarchy *hierarchy;
	Datum	   *items;
	bool	   *missing;
	int			n;
	int			lower = 1;

	pegs_find_column(source, name, false, &column);
	of = &domain->column[pegs_domain_find(domain, column.name)];
	hierarchy = pegs_hierarchy_of(source, of);
	result = pegs_materialize(fcinfo, false);
	n = hierarchy->nsteps - 1;
	items = palloc0(sizeof(Datum) * n);
	missing = palloc0(sizeof(bool) * n);
	for (int i = 0; i < pegs_column_levels(of); i++)
	{
		char	   *level = pegs_level_text(of, i);
		Datum		values[2] = {level ? CStringGetTextDatum(level) : 0};
		bool		nulls[2] = {level == NULL, false};

		CHECK_FOR_INTERRUPTS();
		for (int s = 0; s < n; s++)
		{
			const PegsStep *step = &hierarchy->steps[s + 1];
			char	   *label = step->labels[step->group[i]];

			missing[s] = label == NULL;
			items[s] = label ? CStringGetTextDatum(label) : 0;
		}
		values[1] = PointerGetDatum(construct_md_array(items, missing, 1, &n, &lower, TEXTOID, -1, false, TYPALIGN_INT));
		tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
	}
	return (Datum) 0;
}
