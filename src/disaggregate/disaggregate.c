/*
 * disaggregate.c
 *	  Values of single rows guessed from averages of groups: pegs_disaggregate; what can be said of it beforehand.
 *
 * No guarantee, neither of the truth nor of privacy: what comes out is as
 * private as what went in. All is read with the caller's rights; nothing is
 * stored or charged.
 */
#include "disaggregate/disaggregate.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/tuplestore.h"

#include "core/disaggregate/er.h"

static List *
names_needed(const PegsIndividuals *all)
{
	List	   *names = list_copy(all->columns);

	return all->id ? lappend(names, all->id) : names;
}

static Jsonb *
aggregates_argument(FunctionCallInfo fcinfo, int n)
{
	if (PG_ARGISNULL(n))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("aggregates must not be null"),
				 errhint("aggregates => '{\"from\": \"cost_by_county\", \"on\": [\"county\"], \"value\": \"average\"}'")));
	return PG_GETARG_JSONB_P(n);
}

static void
read_all(PegsIndividuals *all, Oid relid, const Jsonb *aggregates)
{
	all->reading = pegs_reading_as_caller(relid, names_needed(all));
	pegs_read_averages(all, aggregates, relid);
	pegs_read_individuals(all);
}

/*
 * By how much estimates differ within the groups of the first table, and the
 * averages between them. The press is about the averages alone: where rows are
 * spread further, it has tried nothing that is as far out as they are.
 */
typedef struct Spreads
{
	double		between;
	double		within;
	double		middle;			/* mean of all, for what is no difference but rounding */
} Spreads;

static Spreads
spreads_of(const PegsIndividuals *all, const double *y)
{
	const pegs_averages *level = &all->all.level[0];
	pegs_env	env = pegs_env_in(CurrentMemoryContext);
	double	   *mean = palloc_extended(sizeof(double) * (level->n + 1), MCXT_ALLOC_HUGE);
	double		n = (double) all->all.rows;
	double		middle = 0;
	double		between = 0;
	double		within = 0;

	pegs_group_means(&env, &all->all, level, y, mean);
	for (uint32 g = 0; g < level->n; g++)
		middle += level->size[g] / n * level->average[g];
	for (uint32 g = 0; g < level->n; g++)
		between += level->size[g] / n * (level->average[g] - middle) * (level->average[g] - middle);
	for (uint64 i = 0; i < all->all.rows; i++)
	{
		double		off = y[i] - mean[level->of[i]];

		if (i % 1024 == 0)
			CHECK_FOR_INTERRUPTS();
		within += off * off / n;
	}
	pfree(mean);
	return (Spreads) {sqrt(between), sqrt(within), middle};
}

/* Estimates that go further than anything that averages could have tried. */
static void
say_untried(const PegsIndividuals *all, const PegsGuess *guess, const double *y)
{
	Spreads		spreads;

	if (strcmp(guess->method, "mean") == 0)
		return;
	spreads = spreads_of(all, y);
	if (spreads.within > spreads.between + 1e-9 * fmax(1, fabs(spreads.middle)))
		ereport(NOTICE,
				(errmsg("estimates by method %s differ more within the groups than the averages differ between them", guess->method),
				 errdetail("They go further than anything that the averages could have tried, and may be worse than the average of the group for everybody."),
				 errhint("What columns say of groups need not hold within them: pegs_disaggregate_check. method => 'mean' invents no differences.")));
}

/*
 * pegs_disaggregate(individuals regclass, id name, aggregates jsonb, columns name[], method text, factors name[], calibrate boolean,
 * options jsonb) → (id text, estimate float8)
 */
PG_FUNCTION_INFO_V1(pegs_disaggregate);
Datum
pegs_disaggregate(PG_FUNCTION_ARGS)
{
	Oid			relid = pegs_arg_oid(fcinfo, 0, "individuals");
	PegsIndividuals all = {.id = pegs_arg_column(fcinfo, 1, "id", "id")};
	Jsonb	   *aggregates = aggregates_argument(fcinfo, 2);
	const char *method;
	PegsGuess	guess;
	ReturnSetInfo *result;
	double	   *y = NULL;
	uint64		row = 0;
	Oid			output;
	bool		varlena;
	Oid			type;
	int32		typmod;
	Oid			collation;
	MemoryContext scratch;

	all.columns = pegs_arg_names(fcinfo, 3, "columns");
	method = pegs_guess_method(pegs_arg_choice(fcinfo, 4, "method"), "method => 'er'");
	all.factors = pegs_arg_names(fcinfo, 5, "factors");
	guess = pegs_guess_options(pegs_arg_object(fcinfo, 7, "options"), &all.skip);
	guess.method = method;
	guess.strict = guess.calibrate = PG_ARGISNULL(6) || PG_GETARG_BOOL(6);
	result = pegs_materialize(fcinfo, false);
	read_all(&all, relid, aggregates);
	if (all.all.rows > 0)
	{
		y = pegs_guess(&all, &guess);
		say_untried(&all, &guess, y);
	}
	get_atttypetypmodcoll(relid, get_attnum(relid, all.id), &type, &typmod, &collation);
	getTypeOutputInfo(type, &output, &varlena);
	scratch = AllocSetContextCreate(CurrentMemoryContext, "pegs estimates", ALLOCSET_DEFAULT_SIZES);
	for (uint64 i = 0; i < all.seen; i++)
	{
		MemoryContext old = MemoryContextSwitchTo(scratch);
		Datum		values[2];
		bool		nulls[2] = {false, all.left_out[i]};

		values[0] = CStringGetTextDatum(OidOutputFunctionCall(output, pegs_distinct_value(all.ids, (uint32) i)));
		values[1] = Float8GetDatum(all.left_out[i] || y == NULL ? 0 : y[row++]);
		tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
		MemoryContextSwitchTo(old);
		pegs_let_go(scratch);
		if (i % 1024 == 0)
			CHECK_FOR_INTERRUPTS();
	}
	PG_RETURN_NULL();
}

static void
put_measure(ReturnSetInfo *result, const char *method, const char *measure, double value)
{
	Datum		values[3] = {(Datum) 0, CStringGetTextDatum(measure), Float8GetDatum(value)};
	bool		nulls[3] = {method == NULL, false, isnan(value)};

	if (method)
		values[0] = CStringGetTextDatum(method);
	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}

/* pegs_disaggregate_check(individuals regclass, aggregates jsonb, columns name[], factors name[], options jsonb) → (method, measure, value) */
PG_FUNCTION_INFO_V1(pegs_disaggregate_check);
Datum
pegs_disaggregate_check(PG_FUNCTION_ARGS)
{
	Oid			relid = pegs_arg_oid(fcinfo, 0, "individuals");
	Jsonb	   *aggregates = aggregates_argument(fcinfo, 1);
	PegsIndividuals all = {.columns = pegs_arg_names(fcinfo, 2, "columns"), .factors = pegs_arg_names(fcinfo, 3, "factors")};
	PegsGuess	guess = pegs_guess_options(pegs_arg_object(fcinfo, 4, "options"), &all.skip);
	ReturnSetInfo *result = pegs_materialize(fcinfo, false);
	double		groups = 0;
	double		empty = 0;
	double		smallest = NAN;
	double		largest = NAN;

	/* how many have no average is what it tells */
	all.skip = true;
	guess.calibrate = false;
	read_all(&all, relid, aggregates);
	for (int l = 0; l < all.nlevels; l++)
	{
		groups += all.all.level[l].n + all.level[l].empty;
		empty += all.level[l].empty;
		for (uint32 g = 0; g < all.all.level[l].n && all.all.rows > 0; g++)
		{
			smallest = fmin(smallest, all.all.level[l].size[g]);
			largest = fmax(largest, all.all.level[l].size[g]);
		}
	}
	put_measure(result, NULL, "individuals", (double) all.seen);
	put_measure(result, NULL, "individuals without an average", (double) all.missing);
	put_measure(result, NULL, "groups", groups);
	put_measure(result, NULL, "groups without individuals", empty);
	put_measure(result, NULL, "smallest group", smallest);
	put_measure(result, NULL, "largest group", largest);
	if (all.all.rows > 0)
	{
		double	   *y = pegs_guess(&all, &guess);
		Spreads		spreads;

		put_measure(result, NULL, "terms", all.all.m);
		put_measure(result, NULL, "rank of the group means", guess.rank);
		put_measure(result, "mean", "press", pegs_press_of_mean(&all.all));
		put_measure(result, "er", "press", guess.press);
		spreads = spreads_of(&all, y);
		put_measure(result, "mean", "spread between groups", spreads.between);
		put_measure(result, "er", "spread within groups", spreads.within);
	}
	PG_RETURN_NULL();
}
