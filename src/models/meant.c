/*
 * meant.c
 *	  What a fit says that its caller may not have meant: NOTICEs, of public
 *	  facts alone. Nothing is refused here, and nothing of it is of the rows.
 *
 * And of a score that was made, what its card says already: that it is of no use.
 */
#include "models/fit.h"
#include "budget/budget.h"

#include "lib/stringinfo.h"
#include "utils/builtins.h"

#include "core/urn_fit.h"

#define HINTED_EPSILON PEGS_EPSILON_UNIT
static const double MANY_ROWS = 1000;

/* ---- delta ---- */

static double
noise_with(const PegsFit *fit, const pegs_method *method, const pegs_layout *layout, int64 epsilon, int64 delta)
{
	pegs_env	env = pegs_env_in(CurrentMemoryContext);
	pegs_accountant accountant;

	pegs_fit_accountant(&accountant, epsilon, delta, fit->source->rows_per_unit, fit->source->rows_each);
	return fit->relatives ? pegs_schema_noise(&env, &accountant, layout, fit->relatives->related->siblings) : method->noise(&env, &accountant, layout);
}

/* What is counted, of one table or of several. */
static const pegs_layout *
layout_of(const PegsFit *fit)
{
	return fit->relatives ? &fit->tally.layout : &fit->counter->layout;
}

/* The number that a hint prints; NULL: the account has no delta. */
char *
pegs_hinted_delta(Oid account, int64 *delta)
{
	*delta = pegs_delta_there(account, PEGS_HINTED_DELTA);
	return *delta == 0 ? NULL : *delta == PEGS_HINTED_DELTA ? pstrdup("1e-9") : pegs_units_text(*delta, 18);
}

/* Is a fit of these columns better for so much delta, of which the account has some? In rho epsilon alone is the dearer one. */
static bool
delta_helps(const PegsFit *fit, const pegs_method *method, const pegs_layout *layout, int64 epsilon, int64 delta)
{
	if (delta == 0)
		return false;
	if (pegs_is_in_rho(fit->source->account) || method->noise == NULL)
		return true;
	return noise_with(fit, method, layout, epsilon, delta) < noise_with(fit, method, layout, epsilon, 0);
}

/* In an account in rho delta makes a fit cheap; where few tables are measured it is the noise that is larger for it. */
static bool
delta_is_noisier(const PegsFit *fit, int64 delta)
{
	const pegs_method *method = fit->args->method;

	return method->noise && noise_with(fit, method, layout_of(fit), fit->args->epsilon, delta) > noise_with(fit, method, layout_of(fit), fit->args->epsilon, 0);
}

/* Draws from urns take one of rows alone, and not in rho; then it is worth the more the more rows are drawn. */
static bool
delta_helps_urns(const PegsFit *fit, int64 delta)
{
	return delta > 0 && !pegs_is_in_rho(fit->source->account) && fit->source->rows_per_unit == 1
		&& pegs_delta_helps_urns(layout_of(fit), fit->args->epsilon, delta);
}

/* Is it given, and worse than none? In rho it never is; of a method that says no noise it is not known. */
static bool
delta_hurts(const PegsFit *fit)
{
	const PegsFitArguments *args = fit->args;
	const pegs_layout *layout = layout_of(fit);

	return args->epsilon > 0 && args->delta > 0 && args->method->noise && !pegs_fit_draws_urns(args->method, args->own) && !pegs_is_in_rho(fit->source->account)
		&& noise_with(fit, args->method, layout, args->epsilon, args->delta) > noise_with(fit, args->method, layout, args->epsilon, 0);
}

/* With the number to paste. Of a fit of one table, or of several. */
void
pegs_say_delta(const PegsFit *fit)
{
	const PegsFitArguments *args = fit->args;
	int64		delta;
	char	   *number = pegs_hinted_delta(fit->source->account, &delta);

	if (args->epsilon > 0 && args->delta == 0 && (pegs_fit_draws_urns(args->method, args->own) ? delta_helps_urns(fit, delta)
												  : delta_helps(fit, args->method, layout_of(fit), args->epsilon, delta)))
		ereport(NOTICE,
				(errmsg("delta was not given, and the budget has some: model \"%s\" is fitted with delta 0", fit->name),
				 !pegs_is_in_rho(fit->source->account) ? errhint("A tiny delta makes the noise of this fit smaller: delta => %s.", number)
				 : !delta_is_noisier(fit, delta) ? errhint("In this account a fit with a tiny delta costs less: delta => %s.", number)
				 : errhint("In this account a fit with a tiny delta costs less, and its noise is larger: delta => %s.%s", number,
						   args->method->rows_wanted ? " With it compare method => 'graph'." : "")));
	if (delta_hurts(fit))
		ereport(NOTICE,
				(errmsg("with delta %s the noise of this fit is larger than without, and delta is charged", pegs_units_text(args->delta, 18)),
				 errdetail("It looks at the counts a few times alone: for that epsilon without delta has less noise."),
				 errhint("Leave delta out.")));
}

/* Delta of slices was paid before anybody said by what method they are fitted: so nothing is refused, and it is told once. */
void
pegs_say_delta_of_slices(const PegsFit *fit)
{
	const char *delta = pegs_units_text(fit->args->delta, 18);

	if (pegs_delta_is_unused(fit->args, &fit->counter->layout))
		ereport(NOTICE,
				(errmsg("draws of so few rows have no use for delta %s, which was paid for the slices", delta),
				 errdetail("From urns at epsilon %s they take no more weight in each cell without delta.", pegs_units_text(fit->args->epsilon, 9)),
				 errhint("Draw more \"rows\"; or set slices without delta.")));
	else if (delta_hurts(fit))
		ereport(NOTICE,
				(errmsg("with delta %s, which was paid for the slices, their noise is larger than without", delta),
				 errdetail("This method looks at the counts a few times alone: for that epsilon without delta has less noise."),
				 errhint("Set slices without delta; or fit them by another method.")));
}

/* ---- sealed, where it was not asked for ---- */

/* What else a call says, after epsilon, that makes of the same family, or by graph, what is paid for when it is fitted. */
static char *
perturbed_instead(const PegsFit *fit)
{
	const pegs_method *perturbed = pegs_perturbed_instead(fit->args->method);
	pegs_layout layout = fit->counter->layout;
	int64		delta;
	char	   *number = pegs_hinted_delta(fit->source->account, &delta);

	layout.settings = NULL;		/* they are the other one's */
	if (perturbed->rows_wanted && pegs_is_in_rho(fit->source->account))
		perturbed = pegs_method_of_old(false, 0);	/* of one table delta makes the noise larger, and without it it is dear */
	return psprintf("%s%s", delta_helps(fit, perturbed, &layout, HINTED_EPSILON, delta) ? psprintf(", delta => %s", number) : "", pegs_method_argument(perturbed));
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

/* ---- what the method takes rows and levels for, and what it does not take in ---- */

/* Told, where it is many; how many there are is not looked at. */
static void
say_rows_wanted(const pegs_method *method, const pegs_layout *layout, int64 epsilon)
{
	double		rows = method->rows_wanted ? method->rows_wanted(layout, (double) epsilon / PEGS_EPSILON_UNIT) : 0;

	if (rows >= MANY_ROWS)
		ereport(NOTICE,
				(errmsg("method \"%s\" is meant for a table of about %.0f rows or more here", method->name, rows),
				 errdetail("It measures all columns together, in " UINT64_FORMAT " cells, at epsilon %s.", layout->ncells, pegs_units_text(epsilon, 9)),
				 errhint("With fewer rows: fewer columns, fewer levels or wider bins; or method => 'graph'.")));
}

/* Two levels are a scale in either order. A scale that nobody meant is no error: the rows say the same whatever the order, but for how much of it. */
static void
say_scales(const pegs_method *method, const PegsDomain *domain, const pegs_layout *layout)
{
	StringInfoData names;

	if (!method->scales)
		return;
	initStringInfo(&names);
	for (int i = 0; i < domain->ncols; i++)
		if (!pegs_is_on_scale(&domain->column[i]) && pegs_column_levels(&domain->column[i]) - domain->column[i].nullable > 2
			&& (method->takes_order == NULL || method->takes_order(layout, i)))
			appendStringInfo(&names, "%s%s", names.len > 0 ? ", " : "", domain->column[i].name);
	if (names.len > 0)
		ereport(NOTICE,
				(errmsg("method \"%s\" takes the declared order of levels for a scale", method->name),
				 errdetail("Of these columns nothing says that it is one: %s.", names.data),
				 errhint("Leave them out, or declare their levels in an order that means something; or method => 'graph'.")));
}

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

/* Of a column that may be NULL: every value of it is positive, so that all that is learnt is where it is NULL. */
static void
say_one_class(const PegsFit *fit)
{
	const pegs_setting *asked = fit->counter->layout.settings;	/* what is positive: the first option of each score */
	uint32_t	target = 0;
	const bool *positive;
	const PegsColumn *column;
	int			values;

	while (!asked->columns[target])
		target++;
	positive = asked->levels[target];
	column = &fit->spec->domain->column[target];
	values = pegs_column_levels(column) - column->nullable;
	for (int level = 0; level < values; level++)
		if (!positive[level])
			return;
	if (column->nullable && !positive[values])
		ereport(NOTICE,
				(errmsg("every value of column \"%s\" is positive, and only NULL is not", column->name),
				 errdetail("Where the column is never NULL, all rows are positive, and the score tells none from another."),
				 errhint("Name fewer of its %d values in \"positive\", unless whether there is one is what is asked.", values)));
}

/* ---- a score that was made ---- */

typedef struct Parts
{
	uint32_t	part;			/* + 1, that is being read */
	int32_t		points;			/* of its first line */
	bool		differ;			/* two lines of one part */
} Parts;

static void
see_line(void *to, uint32_t part, uint32_t n, const pegs_condition *condition, int32_t points, double noise)
{
	Parts	   *parts = to;

	(void) n;
	(void) condition;
	(void) noise;
	if (parts->part != part + 1)
		parts->points = points;
	parts->part = part + 1;
	parts->differ |= points != parts->points;
}

bool
pegs_is_flat(const pegs_env *env, const pegs_method *method, const void *model)
{
	Parts		parts = {0};
	pegs_card	card = {.to = &parts, .line = see_line, .enough = &parts.differ};

	if (method->scorer == NULL || method->scorer->card == NULL)
		return false;
	method->scorer->card(env, model, &card);
	return !parts.differ;
}

/* What is released says so: post-processing. */
void
pegs_say_flat(const char *name)
{
	ereport(WARNING,
			(errmsg("score \"%s\" is the same for every row: no feature makes a difference", name),
			 errhint("It takes more epsilon, more rows, or other features, of few levels but more than one: SELECT pegs_drop(%s); and make it anew. What was charged stays spent.",
					 quote_literal_cstr(name))));
}

void
pegs_say_what_it_means(const PegsFit *fit, bool columns_named)
{
	const pegs_method *method = fit->args->method;

	say_scales(method, fit->domain, &fit->counter->layout);
	say_rows_wanted(method, &fit->counter->layout, fit->args->epsilon);
	say_late_zeros(fit);
	if (method->payment == PEGS_PAID_BY_SAMPLE)
		say_sealed(fit, columns_named);
	if (method->scorer && fit->spec)
		say_one_class(fit);
	if (method->payment == PEGS_NOT_PRIVATE)
		ereport(NOTICE,
				(errmsg("%s: this model has no guarantee", method->no_guarantee),
				 errdetail("Only the owner of the table may %s; the account is marked as uncovered.", method->scorer ? "ask it" : "read its rows")));
	pegs_say_delta(fit);
}
