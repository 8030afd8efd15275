/*
 * score.c
 *	  What a score says of a row: its probability, and why.
 */
#include "scores/scores.h"

#include <math.h>

#include "funcapi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

/*
 * pegs_score(model text, features record) → float8
 * pegs_score(model text, features jsonb) → float8
 */
PG_FUNCTION_INFO_V1(pegs_score_row);
Datum
pegs_score_row(PG_FUNCTION_ARGS)
{
	PegsScored *scored = pegs_scored_by(fcinfo);

	pegs_require_points(scored);
	if (!pegs_scored_codes(fcinfo, scored))
		PG_RETURN_NULL();
	PG_RETURN_FLOAT8(pegs_score_probability_of(scored, scored->scorer->points(scored->body, scored->codes)));
}

/* ---- lines ---- */

typedef struct Lines
{
	PegsScored *scored;
	ReturnSetInfo *result;
	bool		explain;		/* of the row: the first that holds, of each part */
	uint32_t	done;			/* parts of which it was found, + 1 */
	MemoryContext scratch;		/* of a line: a forest has a million of them */
} Lines;

static bool
holds(const PegsScored *scored, uint32_t n, const pegs_condition *condition)
{
	for (uint32_t i = 0; i < n; i++)
	{
		int32		code = scored->codes[condition[i].column];

		if (code < 0 || !condition[i].levels[code])
			return false;
	}
	return true;
}

static void
add_line(const Lines *lines, const char *column, char *level, int32_t points, double noise)
{
	double		divisor = pegs_score_divisor(lines->scored);
	Datum		values[4] = {column ? DirectFunctionCall1(namein, CStringGetDatum(column)) : 0, level ? CStringGetTextDatum(level) : 0,
	Float8GetDatum((double) points / divisor), Float8GetDatum(noise / divisor)};
	bool		nulls[4] = {column == NULL, level == NULL, false, isnan(noise)};

	tuplestore_putvalues(lines->result->setResult, lines->result->setDesc, values, nulls);
}

/* A line of several conditions: its rule in words. */
static char *
rule_words(const PegsDomain *domain, uint32_t n, const pegs_condition *condition)
{
	StringInfoData words;

	initStringInfo(&words);
	for (uint32_t i = 0; i < n; i++)
		appendStringInfo(&words, "%s%s", i > 0 ? " and " : "", pegs_condition_words(domain, &condition[i]));
	return words.data;
}

static void
put_conditions(Lines *lines, uint32_t part, uint32_t n, const pegs_condition *condition, int32_t points, double noise)
{
	const PegsDomain *domain = lines->scored->domain;
	const PegsColumn *column = n == 1 ? &domain->column[condition->column] : NULL;

	if (lines->explain)
	{
		if (lines->done == part + 1 || !holds(lines->scored, n, condition))
			return;
		lines->done = part + 1;
		if (column)
			add_line(lines, column->name, pegs_level_text(column, lines->scored->codes[condition->column]), points, noise);
		else
			add_line(lines, NULL, n == 0 ? NULL : rule_words(domain, n, condition), points, noise);
	}
	else if (column)
		for (int level = 0; level < pegs_column_levels(column); level++)
		{
			if (condition->levels[level])
				add_line(lines, column->name, pegs_level_text(column, level), points, noise);
		}
	else
		add_line(lines, NULL, n == 0 ? NULL : rule_words(domain, n, condition), points, noise);
}

static void
put_line(void *to, uint32_t part, uint32_t n, const pegs_condition *condition, int32_t points, double noise)
{
	Lines	   *lines = to;
	MemoryContext old = MemoryContextSwitchTo(lines->scratch);

	CHECK_FOR_INTERRUPTS();
	put_conditions(lines, part, n, condition, points, noise);
	MemoryContextSwitchTo(old);
	pegs_let_go(lines->scratch);
}

static void
put_lines(Lines *lines)
{
	pegs_env	env = pegs_env_in(CurrentMemoryContext);
	pegs_card	card = {.to = lines, .line = put_line};

	lines->scratch = AllocSetContextCreate(CurrentMemoryContext, "pegs card", ALLOCSET_DEFAULT_SIZES);
	lines->scored->scorer->card(&env, lines->scored->body, &card);
	MemoryContextDelete(lines->scratch);
}

/* pegs_score_card(model text) → (column_name, level, points, noise) */
PG_FUNCTION_INFO_V1(pegs_score_card);
Datum
pegs_score_card(PG_FUNCTION_ARGS)
{
	Lines		lines = {.scored = pegs_scored_by(fcinfo)};

	pegs_require_points(lines.scored);
	lines.result = pegs_materialize(fcinfo, false);
	put_lines(&lines);
	return (Datum) 0;
}

/* pegs_score_explain(model text, features record or jsonb) → (column_name, level, points, noise) */
PG_FUNCTION_INFO_V1(pegs_score_explain);
Datum
pegs_score_explain(PG_FUNCTION_ARGS)
{
	Lines		lines = {.scored = pegs_scored_by(fcinfo), .explain = true};

	pegs_require_points(lines.scored);
	lines.result = pegs_materialize(fcinfo, false);
	if (pegs_scored_codes(fcinfo, lines.scored))
		put_lines(&lines);
	return (Datum) 0;
}
