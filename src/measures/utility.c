/*
 * utility.c
 *	  How close a synthetic table is to its original: pegs_utility.
 *
 * Not private: every number is computed from the confidential rows, without
 * noise. Curators only; nothing is charged and nothing is stored.
 */
#include "measures/measures.h"
#include "read/read.h"

#include "funcapi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/tuplestore.h"

#define MAX_WAYS 3

static int
ways_argument(FunctionCallInfo fcinfo, int n)
{
	if (PG_ARGISNULL(n) || PG_GETARG_INT32(n) < 1 || PG_GETARG_INT32(n) > MAX_WAYS)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("ways must be 1, 2 or 3"),
				 errhint("ways => 2 compares all single columns and all pairs.")));
	return PG_GETARG_INT32(n);
}

/* Has some row of it one of the declared levels? NULL is the last one. */
static bool
has_value(const pegs_coded *table, const PegsDomain *domain, uint32 c)
{
	uint32		values = table->levels[c] - domain->column[c].nullable;

	for (uint64 r = 0; r < table->nrows; r++)
	{
		if (r % PEGS_CHUNK == 0)
			CHECK_FOR_INTERRUPTS();
		if (table->code[c][r] < values)
			return true;
	}
	return false;
}

/*
 * pegs_sample_as fills what the model does not have with NULL: such columns are
 * compared as they are, which nobody may have meant. Of the synthetic rows alone.
 */
static void
tell_of_empty_columns(const PegsUtility *u)
{
	StringInfoData empty;
	StringInfoData others;

	initStringInfo(&empty);
	initStringInfo(&others);
	for (uint32 c = 0; u->synthetic->nrows > 0 && c < u->synthetic->ncols; c++)
	{
		const char *name = u->domain->column[c].name;

		if (u->domain->column[c].part)
			continue;
		if (has_value(u->synthetic, u->domain, c))
			appendStringInfo(&others, "%s%s", others.len > 0 ? ", " : "", quote_literal_cstr(name));
		else
			appendStringInfo(&empty, "%s\"%s\"", empty.len > 0 ? ", " : "", name);
	}
	if (empty.len == 0)
		return;
	ereport(NOTICE,
			(errmsg("no synthetic row has a declared value in: %s", empty.data),
			 errdetail("They are compared all the same, alone, in pairs and in every mean."),
			 others.len == 0 ? errhint("Are the rows those of another table?")
			 : errhint("Of a model of fewer columns, leave the others out: columns => ARRAY[%s]", others.data)));
}

/* Of a model of fewer columns: which of them to compare is said before a row is read. What is no relation is refused where it is read. */
void
pegs_require_columns_of(Oid relid, const PegsDomain *domain)
{
	const char *lacks = NULL;
	StringInfoData has;
	ListCell   *cell;

	initStringInfo(&has);
	foreach(cell, pegs_column_names(pegs_physical(domain)))
	{
		if (get_attnum(relid, lfirst(cell)) != InvalidAttrNumber)
			appendStringInfo(&has, "%s%s", has.len > 0 ? ", " : "", quote_literal_cstr(lfirst(cell)));
		else if (lacks == NULL)
			lacks = lfirst(cell);
	}
	if (lacks && has.len > 0)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_COLUMN),
				 errmsg("relation \"%s\" has no column \"%s\"", get_rel_name(relid), lacks),
				 errhint("Of a model of fewer columns, leave the others out: columns => ARRAY[%s]", has.data)));
}

/*
 * pegs_utility(original regclass, synthetic regclass, ways int, columns name[], measures text[])
 * → (measure, columns, value, guarantee)
 */
PG_FUNCTION_INFO_V1(pegs_utility);
Datum
pegs_utility(PG_FUNCTION_ARGS)
{
	PegsSource *source = pegs_curated_source(pegs_arg_oid(fcinfo, 0, "original"), "compare it with a synthetic table");
	Oid			synthetic = pegs_arg_oid(fcinfo, 1, "synthetic");
	PegsUtility		u = {.result = pegs_materialize(fcinfo, false), .ways = ways_argument(fcinfo, 2)};
	int			ngroups;
	char	  **groups = pegs_arg_texts(fcinfo, 4, "measures", &ngroups);
	const bool *numbers;

	u.domain = pegs_domain_choose(pegs_domain_of(source), source, pegs_arg_names(fcinfo, 3, "columns"));
	numbers = pegs_numbers_wanted(u.domain, groups, ngroups);
	pegs_require_columns_of(synthetic, u.domain);
	u.original = pegs_coded_original(source, u.domain, numbers, true);
	u.synthetic = pegs_coded_relation(synthetic, u.domain, numbers);
	tell_of_empty_columns(&u);
	pegs_compare_groups(&u, groups, ngroups);
	PG_RETURN_NULL();
}

/* A level in words; NULL for NULL, and for what is not declared. */
static char *
level_text(const PegsColumn *column, uint32 code, uint32 levels)
{
	if (code == levels || (column->nullable && code == levels - 1))
		return NULL;
	return pegs_level_text(column, (int) code);
}

/*
 * pegs_marginals_of(name text) → (column_name, place, level, original, synthetic): the counts of every level,
 * "not declared" with the place after the last
 */
PG_FUNCTION_INFO_V1(pegs_marginals_of);
Datum
pegs_marginals_of(PG_FUNCTION_ARGS)
{
	char	   *name = pegs_arg_text(fcinfo, 0, "name");
	PegsRelease *release;
	PegsModel  *model = pegs_model_or_release(name, &release);
	PegsSource *source = pegs_original_as_fitted(model, "compare it with a synthetic table");
	const PegsDomain *domain = model->spec->domain;
	ReturnSetInfo *result = pegs_materialize(fcinfo, false);
	pegs_coded *original = pegs_coded_original(source, domain, NULL, true);
	pegs_coded *synthetic = pegs_coded_object(name, domain, NULL);

	for (uint32 c = 0; c < original->ncols; c++)
	{
		uint32		levels = original->levels[c];
		int64	   *a = palloc0(sizeof(int64) * (levels + 1));
		int64	   *b = palloc0(sizeof(int64) * (levels + 1));

		for (uint64 r = 0; r < original->nrows; r++)
			a[original->code[c][r]]++;
		for (uint64 r = 0; r < synthetic->nrows; r++)
			b[synthetic->code[c][r]]++;
		for (uint32 code = 0; code <= levels; code++)
		{
			char	   *text = level_text(&domain->column[c], code, levels);
			Datum		values[5];
			bool		nulls[5] = {false, false, text == NULL, false, false};

			values[0] = DirectFunctionCall1(namein, CStringGetDatum(domain->column[c].name));
			values[1] = Int32GetDatum((int32) code);
			values[2] = text ? CStringGetTextDatum(text) : (Datum) 0;
			values[3] = Int64GetDatum(a[code]);
			values[4] = Int64GetDatum(b[code]);
			tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
		}
		CHECK_FOR_INTERRUPTS();
	}
	PG_RETURN_NULL();
}

/* pegs_utility_of(name text, ways int, measures text[]): of a release or perturbed model, with its own columns */
PG_FUNCTION_INFO_V1(pegs_utility_of);
Datum
pegs_utility_of(PG_FUNCTION_ARGS)
{
	char	   *name = pegs_arg_text(fcinfo, 0, "name");
	PegsRelease *release;
	PegsModel  *model = pegs_model_or_release(name, &release);
	PegsSource *source = pegs_original_as_fitted(model, "compare it with a synthetic table");
	PegsUtility		u = {.result = pegs_materialize(fcinfo, false), .ways = ways_argument(fcinfo, 1), .domain = model->spec->domain};
	int			ngroups;
	char	  **groups = pegs_arg_texts(fcinfo, 2, "measures", &ngroups);
	const bool *numbers = pegs_numbers_wanted(u.domain, groups, ngroups);

	u.original = pegs_coded_original(source, u.domain, numbers, true);
	u.synthetic = pegs_coded_object(name, u.domain, numbers);
	pegs_compare_groups(&u, groups, ngroups);
	PG_RETURN_NULL();
}
