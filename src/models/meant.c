/*
 * meant.c
 *	  What a fit says that its caller may not have meant: NOTICEs, of public
 *	  facts alone. Nothing is refused here, and nothing of it is of the rows.
 */
#include "models/fit.h"
#include "budget/budget.h"

#include "lib/stringinfo.h"
#include "utils/builtins.h"

#include "core/urn_fit.h"

#define HINTED_DELTA INT64CONST(1000000000) /* 1e-9: what the hints print */
#define HINTED_EPSILON PEGS_EPSILON_UNIT

/* ---- delta ---- */

static double
noise_with(const PegsFit *fit, const pegs_method *method, const pegs_layout *layout, int64 epsilon, int64 delta)
{
	pegs_env	env = pegs_env_in(CurrentMemoryContext);
	pegs_accountant accountant;

	pegs_fit_accountant(&accountant, epsilon, delta, fit->source->rows_per_unit, fit->source->rows_each);
	return method->noise(&env, &accountant, layout);
}

/* Has the account a delta, and is a fit of these columns better for it? In rho epsilon alone is the dearer one. */
static bool
delta_helps(const PegsFit *fit, const pegs_method *method, const pegs_layout *layout, int64 epsilon)
{
	Oid			account = fit->source->account;

	if (!pegs_has_delta(account, HINTED_DELTA))
		return false;
	if (pegs_is_in_rho(account) || method->noise == NULL)
		return true;
	return noise_with(fit, method, layout, epsilon, HINTED_DELTA) < noise_with(fit, method, layout, epsilon, 0);
}

/* Draws from urns take one of rows alone, and not in rho; then it is worth the more the more rows are drawn. */
static bool
delta_helps_urns(const PegsFit *fit)
{
	Oid			account = fit->source->account;

	return pegs_has_delta(account, HINTED_DELTA) && !pegs_is_in_rho(account) && fit->source->rows_per_unit == 1
		&& pegs_delta_helps_urns(&fit->counter->layout, fit->args->epsilon, HINTED_DELTA);
}

static void
say_delta(const PegsFit *fit)
{
	const PegsFitArguments *args = fit->args;

	if (args->epsilon > 0 && args->delta == 0 && (pegs_fit_draws_urns(args->method, args->own) ? delta_helps_urns(fit)
												  : delta_helps(fit, args->method, &fit->counter->layout, args->epsilon)))
		ereport(NOTICE,
				(errmsg("delta was not given, and the budget has some: model \"%s\" is fitted with delta 0", fit->name),
				 pegs_is_in_rho(fit->source->account) ? errhint("In this account a fit with a tiny delta costs less: delta => 1e-9.")
				 : errhint("A tiny delta makes the noise of this fit smaller: delta => 1e-9.")));
}

/* ---- sealed, where it was not asked for ---- */

/* What else a call says, after epsilon, that makes of the same family, or by graph, what is paid for when it is fitted. */
static char *
perturbed_instead(const PegsFit *fit)
{
	const pegs_method *method = fit->args->method;
	const pegs_method *named = method->family ? pegs_method_named(method->family) : NULL;
	const pegs_method *perturbed = named && named->payment == PEGS_PAID_AT_FIT ? named : pegs_method_of_old(false, 0);
	pegs_layout layout = fit->counter->layout;

	layout.settings = NULL;		/* they are the other one's */
	return psprintf("%s%s", delta_helps(fit, perturbed, &layout, HINTED_EPSILON) ? ", delta => 1e-9" : "", pegs_method_argument(perturbed));
}

static void
say_sealed(const PegsFit *fit, bool columns_named)
{
	char	   *name = quote_literal_cstr(fit->name);
	StringInfoData call;
	int			n = 0;

	initStringInfo(&call);
	appendStringInfo(&call, "SELECT pegs_drop(%s); SELECT pegs_fit(%s, %s", name, name, pegs_relation_literal(fit->source->relid));
	for (int i = 0; columns_named && i < fit->domain->ncols + fit->domain->nderived; i++)
	{
		const PegsColumn *column = i < fit->domain->ncols ? &fit->domain->column[i] : NULL;

		if (column == NULL || column->part == NULL)
			appendStringInfo(&call, "%s%s", n++ == 0 ? ", ARRAY[" : ", ",
							 quote_literal_cstr(column ? column->name : fit->domain->derived[i - fit->domain->ncols].name));
	}
	appendStringInfo(&call, "%s, epsilon => 1%s);", columns_named ? "]" : "", perturbed_instead(fit));
	ereport(NOTICE,
			(errmsg("epsilon was not given: model \"%s\" will be sealed, and every sample of it is charged", fit->name),
			 errdetail("It keeps %s. A perturbed model is paid for once, and its rows are free for ever.", pegs_kept_words(fit->args->method)),
			 errhint("For a perturbed model: %s", call.data)));
}

/* ---- what the method does not take in ---- */

/* Of these columns: which there are is no secret, how many rows a model would put there is not looked at. */
static void
say_late_zeros(const PegsFit *fit)
{
	const pegs_method *method = fit->args->method;

	if (method->late_zeros && fit->domain->nzeros > 0)
		ereport(NOTICE,
				(errmsg("method \"%s\" fits its model as if nothing were forbidden", method->name),
				 errdetail("Forbidden combinations are left out of its rows afterwards: the columns in them are off by as much as the model has of those."),
				 errhint("Leave one of those columns out; or method => 'graph'.")));
}

void
pegs_say_what_it_means(const PegsFit *fit, bool columns_named)
{
	const pegs_method *method = fit->args->method;

	if (fit->spec)
		pegs_require_fit_of(method, &fit->counter->layout);
	pegs_say_rows_wanted(method, &fit->counter->layout, fit->args->epsilon);
	say_late_zeros(fit);
	if (method->payment == PEGS_PAID_BY_SAMPLE)
		say_sealed(fit, columns_named);
	if (method->payment == PEGS_NOT_PRIVATE)
		ereport(NOTICE,
				(errmsg("%s: this model has no guarantee", method->no_guarantee),
				 errdetail("Only the owner of the table may read its rows; the account is marked as uncovered.")));
	say_delta(fit);
}
