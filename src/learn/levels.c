/*
 * levels.c
 *	  Levels of a column that are learnt: values with many rows, by noisy counts
 *	  above a threshold.
 *
 * What is not among them becomes the level '(other)' of a text column; of other
 * types, and where no such name fits, its rows are left out of fits. NULL is
 * no level by this: whether a column has it is the catalog's to say. No message
 * has a value, but for what was declared. Claim P15, docs/privacy.md.
 */
#include "learn/learn.h"

#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"

#include "core/levels.h"

/* Room for 'other', and for NULL. */
#define MAX_LEARNT (PEGS_MAX_LEVELS - 2)

typedef struct Meeting
{
	PegsLearning *learning;
	const PegsColumn *column;
	pegs_levels levels;
	FmgrInfo	output;
} Meeting;

/* NaN is no level of anything that can have bins (declare.c). */
static bool
is_nan(Oid type, Datum value)
{
	switch (type)
	{
		case FLOAT4OID:
			return isnan(DatumGetFloat4(value));
		case FLOAT8OID:
			return isnan(DatumGetFloat8(value));
		case NUMERICOID:
			return numeric_is_nan(DatumGetNumeric(value));
		default:
			return false;
	}
}

/* The notation is the canonical one while rows are read (reader.c). */
static void
meet(void *to, Datum value, int64 rows)
{
	Meeting    *meeting = to;
	const PegsLearning *learning = meeting->learning;
	void	  **place;
	char	   *text;
	size_t		size;

	if (is_nan(meeting->column->type, value))
		return;
	place = pegs_levels_meet(&meeting->levels, rows);
	if (place == NULL)
		return;
	text = OutputFunctionCall(&meeting->output, value);
	size = strlen(text) + 1;
	*place = memcpy(learning->env.alloc(learning->env.context, size), text, size);
}

static int
compare_texts(const void *a, const void *b)
{
	return strcmp(**(char ***) a, **(char ***) b);
}

/* Canonical texts, in the order of the values. What does not read back, or as another one does, is none. */
static void
take_labels(PegsLearning *learning, PegsLearnt *learnt, const pegs_levels *levels)
{
	const PegsColumn *column = &learnt->column;
	PegsDeclaration *declared = &learnt->declared;
	char	  **texts = palloc0(sizeof(char *) * (levels->n + 1));
	char	 ***sorted = palloc(sizeof(char **) * (levels->n + 1));
	int			n = 0;

	for (uint32_t i = 0; i < levels->n; i++)
	{
		if (i % 256 == 0)
			learning->env.check(learning->env.context);
		texts[n] = pegs_try_canonical(column->type, column->typmod, levels->level[i].value);
		sorted[n] = &texts[n];
		n += texts[n] != NULL;
	}
	qsort(sorted, n, sizeof(char **), compare_texts);
	for (int i = 1; i < n; i++)
		if (strcmp(*sorted[i - 1], *sorted[i]) == 0)
			*sorted[i - 1] = NULL;
	declared->levels = palloc(sizeof(char *) * (n + 1));
	for (int i = 0; i < n; i++)
		if (texts[i])
			declared->levels[declared->nlevels++] = texts[i];
}

static bool
is_level(const PegsDeclaration *declared, const char *text)
{
	for (int i = 0; i < declared->nlevels; i++)
		if (strcmp(declared->levels[i], text) == 0)
			return true;
	return false;
}

/* Such a name that was not learnt, or with '_' behind it, and so on; NULL: it does not fit into the column. */
static char *
free_name(const PegsLearnt *learnt, const char *base)
{
	StringInfoData name;

	initStringInfo(&name);
	appendStringInfoString(&name, base);
	for (;;)
	{
		char	   *text = pegs_try_canonical(learnt->column.type, learnt->column.typmod, name.data);

		if (text == NULL || strcmp(text, name.data) != 0)
			return NULL;
		if (!is_level(&learnt->declared, text))
			return text;
		appendStringInfoChar(&name, '_');
	}
}

/* In parentheses, where there is room: no reader takes it for a value of the rows. NULL: none, or the column is no text. */
static char *
name_of_other(const PegsLearnt *learnt)
{
	char	   *name = pegs_is_text(learnt->column.type) ? free_name(learnt, "(other)") : NULL;

	return name || !pegs_is_text(learnt->column.type) ? name : free_name(learnt, "other");
}

void
pegs_learn_levels_of(PegsLearning *learning, PegsLearnt *learnt)
{
	Meeting		meeting = {.learning = learning, .column = &learnt->column};
	PegsDomain	domain = {.ncols = 1, .column = &learnt->column};
	int			notation;
	Oid			function;
	bool		varlena;

	getTypeOutputInfo(learnt->column.type, &function, &varlena);
	fmgr_info(function, &meeting.output);
	if (!pegs_levels_open(&learning->env, &learning->accountant, learning->rng, learnt->cost, learnt->delta, MAX_LEARNT, &meeting.levels))
		elog(ERROR, "epsilon buys no noise");
	learning->reading = true;
	pegs_meet_values(learning->source, &domain, meet, &meeting);
	learning->reading = false;
	pegs_levels_close(&meeting.levels);
	learnt->threshold = meeting.levels.threshold;
	learnt->spent_delta = meeting.levels.delta;
	notation = pegs_pin_notation();
	take_labels(learning, learnt, &meeting.levels);
	AtEOXact_GUC(false, notation);
	learnt->found = learnt->declared.nlevels > 0;
	learnt->declared.other = name_of_other(learnt);
	learnt->declared.drop = learnt->declared.other == NULL;
}

/* ---- from SQL ---- */

/* Rows above which a value was taken, or persons where they weigh the same: public. */
static char *
threshold_words(const PegsLearning *learning)
{
	int64		each = Max(learning->source->rows_each, 1);

	return psprintf("A value needed more than about " INT64_FORMAT " %s (public: of epsilon, delta and the privacy unit).",
					learning->learnt[0].threshold / each, learning->source->rows_each > 0 ? "persons" : "rows");
}

/* pegs_learn_levels(source regclass, column_name name, epsilon float8, delta float8) → void */
PG_FUNCTION_INFO_V1(pegs_learn_levels);
Datum
pegs_learn_levels(PG_FUNCTION_ARGS)
{
	PegsLearning *learning = pegs_learning(fcinfo, pegs_learn_levels_of, true);
	const PegsLearnt *learnt = &learning->learnt[0];

	learning->delta = pegs_arg_delta(fcinfo, 3, "delta");
	if (learning->delta == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("delta must be above 0: it is the chance that a value of one row alone shows"),
				 errhint("Well below one over the number of rows: delta => 1e-9")));
	pegs_say_large_delta(learning->delta);
	pegs_learn_columns(learning);
	if (!learnt->found)
		pegs_say_nothing_learnt(learning, threshold_words(learning));
	else
		ereport(NOTICE,
				(errmsg("%d levels of column \"%s\" were learnt: %s", learnt->declared.nlevels, learnt->column.name, pegs_charged_words(learning)),
				 errdetail("%s %s", threshold_words(learning), learnt->declared.other
						   ? psprintf("Other values become \"%s\".", learnt->declared.other) : "Rows with other values are left out of fits."),
				 errhint("SELECT * FROM pegs_domain(%s);", quote_literal_cstr(learning->source->name))));
	pegs_uncharged_done(learning->uncharged);
	PG_RETURN_VOID();
}
