/*
 * guess.c
 *	  The ways to guess, by their names: options, estimates.
 */
#include "disaggregate/disaggregate.h"

#include <math.h>

#include "utils/builtins.h"
#include "utils/memutils.h"

#include "core/disaggregate/cudia.h"
#include "core/disaggregate/er.h"
#include "core/disaggregate/ludia.h"

#define EFFECTS_RIDGE 1.0
#define CLASSES 6
#define LUDIA_TOLERANCE 1e-8

static void
wrong_option(const char *what)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("options: %s", what),
			 errhint("options => '{\"missing\": \"skip\", \"weights\": \"none\", \"ridge\": 0, \"classes\": 3, \"effects\": [\"age\"]}'")));
}

static double
number_of(const JsonbValue *value, const char *name, double least, double most)
{
	double		number = value->type == jbvNumeric ? DatumGetFloat8(DirectFunctionCall1(numeric_float8_no_overflow, NumericGetDatum(value->val.numeric))) : NAN;

	if (!(number >= least && number <= most))
		wrong_option(psprintf("%s must be a number from %g to %g", name, least, most));
	return number;
}

/* A number that is cut would be another wish. */
static uint32
whole_number_of(const JsonbValue *value, const char *name, uint32 least, uint32 most)
{
	double		number = number_of(value, name, least, most);

	if (number != floor(number))
		wrong_option(psprintf("%s must be a whole number from %u to %u", name, least, most));
	return (uint32) number;
}

static bool
is_word(const JsonbValue *value, const char *word)
{
	return value->type == jbvString && value->val.string.len == (int) strlen(word) && memcmp(value->val.string.val, word, strlen(word)) == 0;
}

static List *
effects_of(const JsonbValue *value)
{
	List	   *names = NIL;

	if (value->type == jbvBinary && JsonContainerIsArray(value->val.binary.data))
	{
		JsonbIterator *it = JsonbIteratorInit(value->val.binary.data);
		JsonbValue	item;
		JsonbIteratorToken token;

		while ((token = JsonbIteratorNext(&it, &item, true)) != WJB_DONE)
			if (token == WJB_ELEM && item.type == jbvString)
				names = lappend(names, pegs_json_key(&item));
			else if (token == WJB_ELEM)
				wrong_option("effects must be an array of names");
	}
	if (names == NIL)
		wrong_option("effects must be an array of names");
	return names;
}

PegsGuess
pegs_guess_options(Jsonb *options, bool *skip)
{
	PegsGuess	guess = {.method = "er", .calibrate = true, .weighted = true, .ridge = NAN, .classes = CLASSES};
	PegsMembers members;

	*skip = false;
	if (options == NULL)
		return guess;
	members = pegs_members(&options->root);
	while (pegs_next_member(&members))
	{
		const JsonbValue *value = &members.value;

		if (strcmp(members.name, "missing") == 0 && (is_word(value, "skip") || is_word(value, "error")))
			*skip = is_word(value, "skip");
		else if (strcmp(members.name, "weights") == 0 && (is_word(value, "size") || is_word(value, "none")))
			guess.weighted = is_word(value, "size");
		else if (strcmp(members.name, "ridge") == 0)
			guess.ridge = number_of(value, "ridge", 0, 1e12);
		else if (strcmp(members.name, "classes") == 0)
			guess.classes = whole_number_of(value, "classes", 2, PEGS_CUDIA_CLASSES);
		else if (strcmp(members.name, "effects") == 0)
			guess.effects = effects_of(value);
		else
			wrong_option(psprintf("\"%s\" is not known, or has another value than it can have", pegs_clipped(members.name)));
	}
	return guess;
}

const char *
pegs_guess_method(const char *name, const char *hint)
{
	static const char *const methods[] = {"mean", "er", "ludia", "cudia"};

	for (int i = 0; i < (int) lengthof(methods); i++)
		if (strcmp(name, methods[i]) == 0)
			return methods[i];
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("method must be mean, er, ludia or cudia, not \"%s\"", pegs_clipped(name)),
			 errhint("%s", hint)));
}

/* The terms of the columns that have an effect by group. */
static void
add_effects(const PegsIndividuals *all, const PegsGuess *guess, const pegs_env *env, double *y)
{
	uint32	   *term = palloc(sizeof(uint32) * (all->all.m + 1));
	uint32		n = 0;
	ListCell   *effect;
	ListCell   *cell;

	foreach(effect, guess->effects)
	{
		uint32		before = n;

		foreach(cell, all->term_of)
			if (strcmp(lfirst(cell), lfirst(effect)) == 0)
				term[n++] = foreach_current_index(cell);
		if (n == before || n > all->all.m)
			wrong_option(psprintf("effects: \"%s\" is not among the columns, or twice", pegs_clipped(lfirst(effect))));
	}
	if (n > 0)
		pegs_spread_effects(env, &all->all, n, term, EFFECTS_RIDGE, y);
}

static void
check_status(pegs_status status)
{
	if (status == PEGS_ERR_TOO_LARGE)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the columns have a rank above %d, which is too much for method ludia", PEGS_LUDIA_RANK),
				 errhint("Take fewer columns, or method => 'er'.")));
	if (status != PEGS_OK)
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("the equations have no solution in double precision"),
				 errhint("Take fewer columns, or method => 'mean'.")));
}

static void
check_agreement(double lacks)
{
	if (lacks > PEGS_CALIBRATED)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the tables of averages contradict each other"),
				 errdetail("After 1000 rounds a group still misses its average by %.3g of the largest average.", lacks),
				 errdetail_log("By how much is told to the client alone."),
				 errhint("Averages that were rounded do: calibrate => false")));
}

double *
pegs_guess(const PegsIndividuals *all, PegsGuess *guess)
{
	pegs_env	env = pegs_env_in(CurrentMemoryContext);
	double	   *y = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(double) * (all->all.rows + 1));
	double		lacks = 0;

	if (strcmp(guess->method, "cudia") == 0 && all->all.level[0].n < guess->classes)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("method cudia has %u classes, and there are fewer groups", guess->classes),
				 errhint("options => '{\"classes\": 2}', or method => 'er'")));
	if (strcmp(guess->method, "mean") == 0)
		lacks = pegs_spread_average(&env, &all->all, y);
	else if (strcmp(guess->method, "er") == 0)
	{
		pegs_ridge	ridge = {.lambda = guess->ridge};

		check_status(pegs_spread_er(&env, &all->all, guess->weighted, &ridge, y));
		guess->press = ridge.press;
		guess->rank = ridge.rank;
	}
	else if (strcmp(guess->method, "ludia") == 0)
	{
		pegs_ludia	ludia = {.tolerance = LUDIA_TOLERANCE};

		check_status(pegs_spread_ludia(&env, &all->all, &ludia, y));
	}
	else
		check_status(pegs_spread_cudia(&env, &all->all, guess->classes, y));
	add_effects(all, guess, &env, y);
	if (guess->calibrate)
		lacks = pegs_calibrate(&env, &all->all, y);
	if (guess->calibrate && guess->strict)
		check_agreement(lacks);
	for (uint64 i = 0; i < all->all.rows; i++)
		if (!isfinite(y[i]))
			ereport(ERROR,
					(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
					 errmsg("the numbers are too large or too small for double precision"),
					 errhint("Make a view that has them in another unit, and name that.")));
	return y;
}
