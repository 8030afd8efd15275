/*
 * disclosure.c
 *	  What a synthetic table gives away of its original: pegs_disclosure; and
 *	  how well a table hides its rows among each other: pegs_k_anonymity.
 *
 * Not private: computed from the confidential rows. Curators only.
 */
#include "pegs.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "funcapi.h"
#include "utils/builtins.h"
#include "utils/tuplestore.h"

#include "compare/group.h"
#include "compare/risk.h"

static void
put(ReturnSetInfo *result, const char *measure, double value)
{
	Datum		values[3] = {CStringGetTextDatum(measure), Float8GetDatum(value), CStringGetTextDatum("none")};
	bool		nulls[3] = {false, isnan(value), false};

	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}

/* Columns by name; `what` says of which argument. */
static uint32_t *
numbers_of(const PegsDomain *domain, List *names, const char *what, uint32_t *n)
{
	uint32_t   *columns = palloc(sizeof(uint32_t) * (list_length(names) + 1));
	ListCell   *cell;

	*n = 0;
	foreach(cell, names)
	{
		int			c = pegs_domain_find(domain, lfirst(cell));

		if (c < 0)
			ereport(ERROR,
					(errcode(ERRCODE_UNDEFINED_COLUMN),
					 errmsg("%s: there is no column \"%s\"", what, (char *) lfirst(cell)),
					 errhint("SELECT column_name FROM pegs_domain(...);")));
		columns[(*n)++] = c;
	}
	return columns;
}

static void
put_risk(ReturnSetInfo *result, const pegs_risk *risk)
{
	put(result, "UiO", risk->on_keys.original);
	put(result, "UiS", risk->on_keys.synthetic);
	put(result, "repU", risk->on_keys.replicated);
	put(result, "full_UiO", risk->on_all.original);
	put(result, "full_UiS", risk->on_all.synthetic);
	put(result, "full_repU", risk->on_all.replicated);
	put(result, "exact_match", risk->exact_match);
	put(result, "unique_matched", risk->unique_matched);
	put(result, "Dorig", risk->d_orig);
	put(result, "Dsyn", risk->d_syn);
	put(result, "iS", risk->i_s);
	put(result, "DiS", risk->di_s);
	put(result, "DiSCO", risk->disco);
	put(result, "DiSDiO", risk->disdio);
	put(result, "misclassified", risk->misclassified);
	put(result, "matched", risk->matched);
	put(result, "misclassified_matched", risk->misclassified_matched);
	put(result, "misclassified_own", risk->misclassified_own);
	put(result, "misclassified_mode", risk->misclassified_mode);
	put(result, "cap", risk->cap);
	put(result, "error", risk->error);
	put(result, "error_matched", risk->error_matched);
	put(result, "error_own", risk->error_own);
}

/* `synthetic`: a relation; or InvalidOid, and `object` is a release or perturbed model. */
static void
disclosure(FunctionCallInfo fcinfo, PegsSource *source, PegsDomain *domain, Oid synthetic, const char *object,
		   List *keys, const char *target)
{
	ReturnSetInfo *result = pegs_materialize(fcinfo, false);
	pegs_env	env = pegs_env_in(CurrentMemoryContext);
	bool	   *numbers = palloc0(sizeof(bool) * domain->ncols);
	uint32_t	nkeys;
	uint32_t   *columns = numbers_of(domain, keys, "keys", &nkeys);
	uint32_t	wanted = PEGS_NO_COLUMN;
	uint32_t	one;
	pegs_coded *original;
	pegs_risk	risk;

	if (target != NULL)
	{
		wanted = *numbers_of(domain, list_make1(unconstify(char *, target)), "target", &one);
		numbers[wanted] = pegs_is_number(domain->column[wanted].type);
		for (uint32_t k = 0; k < nkeys; k++)
			if (columns[k] == wanted)
				ereport(ERROR,
						(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						 errmsg("the target \"%s\" is one of the keys", target),
						 errhint("An intruder knows the keys and wants the target.")));
	}
	original = pegs_coded_original(source, domain, numbers, true);
	if (pegs_risk_of(&env, original,
					 object ? pegs_coded_object(object, domain, numbers)
					 : pegs_coded_relation(synthetic, domain, numbers),
					 columns, nkeys, wanted, &risk) != PEGS_OK)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("the tables have too many rows to be compared"),
				 errhint("Compare a part of them.")));
	put_risk(result, &risk);
}

/* keys => NULL: every column but the target. */
static List *
keys_or_all(const PegsDomain *domain, List *keys, const char *target)
{
	bool		all = keys == NIL;

	for (int c = 0; all && c < domain->ncols; c++)
		if (target == NULL || strcmp(domain->column[c].name, target) != 0)
			keys = lappend(keys, domain->column[c].name);
	return keys;
}

/* pegs_disclosure(original regclass, synthetic regclass, keys name[], target name) → (measure, value, guarantee) */
PG_FUNCTION_INFO_V1(pegs_disclosure);
Datum
pegs_disclosure(PG_FUNCTION_ARGS)
{
	PegsSource *source = pegs_curated_source(pegs_arg_oid(fcinfo, 0, "original"), "compare it with a synthetic table");
	Oid			synthetic = pegs_arg_oid(fcinfo, 1, "synthetic");
	List	   *keys = pegs_arg_names(fcinfo, 2, "keys");
	char	   *target = PG_ARGISNULL(3) ? NULL : NameStr(*PG_GETARG_NAME(3));
	PegsDomain *domain = pegs_domain_choose(pegs_domain_of(source), source, pegs_arg_names(fcinfo, 4, "columns"));

	disclosure(fcinfo, source, domain, synthetic, NULL, keys_or_all(domain, keys, target), target);
	PG_RETURN_NULL();
}

/* pegs_disclosure_of(name text, keys name[], target name): of a release or perturbed model, with its own columns */
PG_FUNCTION_INFO_V1(pegs_disclosure_of);
Datum
pegs_disclosure_of(PG_FUNCTION_ARGS)
{
	char	   *name = pegs_arg_text(fcinfo, 0, "name");
	PegsRelease *release;
	PegsModel  *model = pegs_model_or_release(name, &release);
	PegsSource *source = pegs_curated_original(model, "compare it with a synthetic table");
	List	   *keys = pegs_arg_names(fcinfo, 1, "keys");
	char	   *target = PG_ARGISNULL(2) ? NULL : NameStr(*PG_GETARG_NAME(2));

	disclosure(fcinfo, source, model->spec->domain, InvalidOid, name, keys_or_all(model->spec->domain, keys, target), target);
	PG_RETURN_NULL();
}

/* ---- k-anonymity ---- */

/*
 * Distinct and entropy l-diversity, t-closeness: of the sensitive column in
 * each class. Classes and sensitive levels together are the groups of `cells`.
 */
static void
put_diversity(ReturnSetInfo *result, const pegs_env *env, const pegs_coded *table, const pegs_groups *classes,
			  const uint32_t *keys, uint32_t nkeys, uint32_t sensitive)
{
	pegs_coded	nothing = *table;
	uint32_t   *columns = palloc(sizeof(uint32_t) * (nkeys + 1));
	pegs_groups cells;
	uint32_t   *class_of;
	uint32_t   *level_of;
	uint32_t   *distinct;
	double	   *entropy;
	double	   *distance;
	double	   *overall = palloc0(sizeof(double) * pegs_coded_size(table, sensitive));
	double		least_distinct = NAN;
	double		least_entropy = NAN;
	double		furthest = NAN;

	nothing.nrows = 0;
	memcpy(columns, keys, sizeof(uint32_t) * nkeys);
	columns[nkeys] = sensitive;
	if (pegs_group_rows(env, table, &nothing, columns, nkeys + 1, &cells) != PEGS_OK)
		elog(ERROR, "the rows cannot be grouped");
	class_of = env->alloc(env->context, sizeof(uint32_t) * (cells.n + 1));
	level_of = env->alloc(env->context, sizeof(uint32_t) * (cells.n + 1));
	distinct = env->alloc(env->context, sizeof(uint32_t) * (classes->n + 1));
	entropy = env->alloc(env->context, sizeof(double) * (classes->n + 1));
	distance = env->alloc(env->context, sizeof(double) * (classes->n + 1));
	for (uint64_t r = 0; r < table->nrows; r++)
	{
		class_of[cells.of[r]] = classes->of[r];
		level_of[cells.of[r]] = table->code[sensitive][r];
		overall[table->code[sensitive][r]] += 1.0 / (double) table->nrows;
	}
	/* total variation of a class: 1/2 (sum over its own levels |p - q| + what the others have of q) */
	for (uint32_t g = 0; g < classes->n; g++)
		distance[g] = 1;
	for (uint32_t c = 0; c < cells.n; c++)
	{
		double		p = (double) cells.original[c] / (double) classes->original[class_of[c]];
		double		q = overall[level_of[c]];

		distinct[class_of[c]]++;
		entropy[class_of[c]] -= p * log(p);
		distance[class_of[c]] += fabs(p - q) - q;
	}
	for (uint32_t g = 0; g < classes->n; g++)
	{
		least_distinct = isnan(least_distinct) ? distinct[g] : Min(least_distinct, distinct[g]);
		least_entropy = isnan(least_entropy) ? exp(entropy[g]) : Min(least_entropy, exp(entropy[g]));
		furthest = isnan(furthest) ? distance[g] / 2 : Max(furthest, distance[g] / 2);
	}
	put(result, "l_distinct", least_distinct);
	put(result, "l_entropy", least_entropy);
	put(result, "t_closeness", furthest);
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
				 errhint("Name the columns that an intruder may know: keys => ARRAY['age', 'sex']")));
	if (sensitive)
		names = lappend(list_copy(keys), sensitive);
	domain = pegs_domain_choose(pegs_domain_of(source), source, names);
	columns = numbers_of(domain, keys, "keys", &nkeys);
	table = pegs_coded_original(source, domain, NULL, false);
	nothing = *table;
	nothing.nrows = 0;
	if (pegs_group_rows(&env, table, &nothing, columns, nkeys, &classes) != PEGS_OK)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("the table has too many rows to be measured")));
	for (uint32_t g = 0; g < classes.n; g++)
	{
		least = g == 0 ? classes.original[g] : Min(least, classes.original[g]);
		for (int i = 0; i < (int) lengthof(bound); i++)
			if (classes.original[g] <= bound[i])
				rows_up_to[i] += classes.original[g];
	}
	put(result, "rows", (double) table->nrows);
	put(result, "classes", classes.n);
	put(result, "k", (double) least);
	for (int i = 0; i < (int) lengthof(bound) - 1; i++)
		put(result, psprintf("rows_in_classes_up_to_" UINT64_FORMAT, bound[i]), (double) rows_up_to[i]);
	if (sensitive)
		put_diversity(result, &env, table, &classes, columns, nkeys,
					  *numbers_of(domain, list_make1(sensitive), "sensitive", &one));
	PG_RETURN_NULL();
}
