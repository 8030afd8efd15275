/*
 * anonymity.c
 *	  How well a table hides its rows among each other: pegs_k_anonymity.
 */
#include "measures/measures.h"
#include "read/read.h"

#include <math.h>

#include "funcapi.h"

#include "core/compare/anonymity.h"
#include "core/compare/group.h"

/* Distinct and entropy l-diversity, t-closeness: of the sensitive column in each class. */
static void
put_diversity(ReturnSetInfo *result, const pegs_env *env, const pegs_coded *table, const pegs_groups *classes,
			  const uint32_t *keys, uint32_t nkeys, uint32_t sensitive)
{
	pegs_level_at *scratch = env->alloc(env->context, sizeof(pegs_level_at) * (classes->n + 1));
	pegs_diversity *diversity = env->alloc(env->context, sizeof(pegs_diversity) * (classes->n + 1));
	double	   *share = env->alloc(env->context, sizeof(double) * pegs_coded_size(table, sensitive));
	double		least_distinct = NAN;
	double		least_entropy = NAN;
	double		furthest = NAN;
	pegs_tuples tuples;
	uint32_t   *of;

	if (pegs_tuples_of(env, table, keys, nkeys, sensitive, &tuples) != PEGS_OK)
		elog(ERROR, "the rows cannot be grouped");
	of = env->alloc(env->context, sizeof(uint32_t) * (tuples.n + 1));
	for (uint64_t r = 0; r < table->nrows; r++)
		of[tuples.of[r]] = classes->of[r];
	pegs_level_shares(&tuples, of, NULL, share);
	pegs_diversity_of(env, &tuples, of, classes->n, classes->original, share, scratch, diversity);
	for (uint32_t c = 0; c < classes->n; c++)
	{
		double		l = exp(diversity[c].entropy);
		double		t = diversity[c].distance / 2;

		least_distinct = c == 0 ? diversity[c].distinct : Min(least_distinct, diversity[c].distinct);
		least_entropy = c == 0 ? l : Min(least_entropy, l);
		furthest = c == 0 ? t : Max(furthest, t);
	}
	pegs_put_value(result, "l_distinct", least_distinct);
	pegs_put_value(result, "l_entropy", least_entropy);
	pegs_put_value(result, "t_closeness", furthest);
}

/* pegs_k_anonymity(relation regclass, keys name[], sensitive name) → (measure, value, guarantee) */
PG_FUNCTION_INFO_V1(pegs_k_anonymity);
Datum
pegs_k_anonymity(PG_FUNCTION_ARGS)
{
	PegsSource *source = pegs_curated_source(pegs_arg_oid(fcinfo, 0, "relation"), "measure its anonymity");
	List	   *keys = pegs_arg_names(fcinfo, 1, "keys");
	char	   *sensitive = PG_ARGISNULL(2) ? NULL : NameStr(*PG_GETARG_NAME(2));
	ReturnSetInfo *result = pegs_materialize(fcinfo, false);
	pegs_env	env = pegs_env_in(CurrentMemoryContext);
	List	   *names = keys;
	PegsDomain *domain;
	pegs_coded *table;
	pegs_coded	nothing;
	uint32_t	nkeys;
	uint32_t	one;
	uint32_t   *columns;
	pegs_groups classes;
	uint64		least = 0;
	static const uint64 bound[] = {1, 2, 5, 10, 100, PG_UINT64_MAX};
	uint64		rows_up_to[lengthof(bound)] = {0};

	if (keys == NIL)
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("keys must not be null"),
				 errhint("Name the columns that an intruder may know: keys => %s", pegs_columns_example(pegs_domain_of(source), 2))));
	if (sensitive)
		names = lappend(list_copy(keys), sensitive);
	source->chosen_by = "keys";
	source->apart = sensitive;
	domain = pegs_domain_choose(pegs_domain_of(source), source, names);
	columns = pegs_numbers_of(domain, keys, "keys", &nkeys);
	table = pegs_coded_original(source, domain, NULL, false);
	nothing = *table;
	nothing.nrows = 0;
	if (pegs_group_rows(&env, table, &nothing, columns, nkeys, &classes) != PEGS_OK)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("the table has too many rows to be measured"),
				 errhint("Take a view with fewer rows.")));
	for (uint32_t g = 0; g < classes.n; g++)
	{
		least = g == 0 ? classes.original[g] : Min(least, classes.original[g]);
		for (int i = 0; i < (int) lengthof(bound); i++)
			if (classes.original[g] <= bound[i])
				rows_up_to[i] += classes.original[g];
	}
	pegs_put_value(result, "rows", (double) table->nrows);
	pegs_put_value(result, "classes", classes.n);
	pegs_put_value(result, "k", (double) least);
	for (int i = 0; i < (int) lengthof(bound) - 1; i++)
		pegs_put_value(result, psprintf("rows_in_classes_up_to_" UINT64_FORMAT, bound[i]), (double) rows_up_to[i]);
	if (sensitive)
		put_diversity(result, &env, table, &classes, columns, nkeys,
					  *pegs_numbers_of(domain, list_make1(sensitive), "sensitive", &one));
	PG_RETURN_NULL();
}
