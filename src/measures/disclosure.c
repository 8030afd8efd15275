/*
 * disclosure.c
 *	  What a synthetic table gives away of its original: pegs_disclosure.
 *
 * Not private: computed from the confidential rows. Curators only.
 */
#include "measures/measures.h"
#include "codes/codes.h"
#include "read/read.h"

#include <math.h>

#include "funcapi.h"
#include "utils/builtins.h"
#include "utils/tuplestore.h"

#include "core/compare/risk.h"

void
pegs_put_value(ReturnSetInfo *result, const char *measure, double value)
{
	Datum		values[3] = {CStringGetTextDatum(measure), Float8GetDatum(value), CStringGetTextDatum("none")};
	bool		nulls[3] = {false, isnan(value), false};

	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}

/* It is not among the columns that are compared: it is computed, or is not in the model or the table at all. */
static void
refuse_key(const PegsDomain *domain, const char *name, const char *what)
{
	for (int i = 0; i < domain->nderived; i++)
		if (strcmp(domain->derived[i].name, name) == 0)
			ereport(ERROR,
					(errcode(ERRCODE_UNDEFINED_COLUMN),
					 errmsg("%s: column \"%s\" is computed from others, and is not compared", what, name),
					 errhint("Name those that it is computed from, of %s", pegs_columns_example(domain, domain->ncols))));
	ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_COLUMN),
			 errmsg("%s: there is no column \"%s\"", what, name),
			 errhint("Columns that are compared: %s", pegs_columns_example(domain, domain->ncols))));
}

/* Columns by name; `what` says of which argument. */
uint32_t *
pegs_numbers_of(const PegsDomain *domain, List *names, const char *what, uint32_t *n)
{
	uint32_t   *columns = palloc(sizeof(uint32_t) * (list_length(names) + 1));
	bool	   *named = palloc0(sizeof(bool) * domain->ncols);
	ListCell   *cell;

	*n = 0;
	foreach(cell, names)
	{
		int			c = pegs_domain_find(domain, lfirst(cell));

		if (c < 0)
			refuse_key(domain, lfirst(cell), what);
		if (named[c])
			ereport(ERROR,
					(errcode(ERRCODE_DUPLICATE_COLUMN),
					 errmsg("column \"%s\" is named twice", domain->column[c].name),
					 errhint("Name every column once.")));
		named[c] = true;
		columns[(*n)++] = c;
	}
	return columns;
}

static void
put_risk(ReturnSetInfo *result, const pegs_risk *risk)
{
	pegs_put_value(result, "UiO", risk->on_keys.original);
	pegs_put_value(result, "UiS", risk->on_keys.synthetic);
	pegs_put_value(result, "repU", risk->on_keys.replicated);
	pegs_put_value(result, "full_UiO", risk->on_all.original);
	pegs_put_value(result, "full_UiS", risk->on_all.synthetic);
	pegs_put_value(result, "full_repU", risk->on_all.replicated);
	pegs_put_value(result, "exact_match", risk->exact_match);
	pegs_put_value(result, "unique_matched", risk->unique_matched);
	pegs_put_value(result, "Dorig", risk->d_orig);
	pegs_put_value(result, "Dsyn", risk->d_syn);
	pegs_put_value(result, "iS", risk->i_s);
	pegs_put_value(result, "DiS", risk->di_s);
	pegs_put_value(result, "DiSCO", risk->disco);
	pegs_put_value(result, "DiSDiO", risk->disdio);
	pegs_put_value(result, "misclassified", risk->misclassified);
	pegs_put_value(result, "matched", risk->matched);
	pegs_put_value(result, "misclassified_matched", risk->misclassified_matched);
	pegs_put_value(result, "misclassified_own", risk->misclassified_own);
	pegs_put_value(result, "misclassified_mode", risk->misclassified_mode);
	pegs_put_value(result, "cap", risk->cap);
	pegs_put_value(result, "error", risk->error);
	pegs_put_value(result, "error_matched", risk->error_matched);
	pegs_put_value(result, "error_own", risk->error_own);
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
	uint32_t   *columns = pegs_numbers_of(domain, keys, "keys", &nkeys);
	uint32_t	wanted = PEGS_NO_COLUMN;
	uint32_t	one;
	pegs_coded *original;
	pegs_risk	risk;

	if (target != NULL)
	{
		wanted = *pegs_numbers_of(domain, list_make1(unconstify(char *, target)), "target", &one);
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

	pegs_require_columns_of(synthetic, domain);
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
	PegsSource *source = pegs_original_as_fitted(model, "compare it with a synthetic table");
	List	   *keys = pegs_arg_names(fcinfo, 1, "keys");
	char	   *target = PG_ARGISNULL(2) ? NULL : NameStr(*PG_GETARG_NAME(2));

	disclosure(fcinfo, source, model->spec->domain, InvalidOid, name, keys_or_all(model->spec->domain, keys, target), target);
	PG_RETURN_NULL();
}
