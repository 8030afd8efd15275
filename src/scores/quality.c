/*
 * quality.c
 *	  How good a score is on a table of the caller's.
 *
 * Exact numbers of exact rows: not private, and nobody's but the curator's. It
 * reads the table with the caller's rights, as pegs_utility does.
 */
#include "scores/scores.h"
#include "read/read.h"
#include "source/source.h"

#include <math.h>

#include "funcapi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#define MAX_BINS 1000

typedef struct Quality
{
	const PegsScored *scored;
	PegsSaid   *row;
	uint64		n;
	uint64		unknown;
} Quality;

static int
by_probability(const void *a, const void *b)
{
	double		x = ((const PegsSaid *) a)->p;
	double		y = ((const PegsSaid *) b)->p;

	CHECK_FOR_INTERRUPTS();
	return x < y ? -1 : x > y;
}

PegsSaid *
pegs_said(uint64 nrows)
{
	return MemoryContextAllocHuge(CurrentMemoryContext, sizeof(PegsSaid) * (nrows + 1));
}

uint64
pegs_sort_said(PegsSaid *row, uint64 n)
{
	uint64		positive = 0;

	pg_qsort(row, n, sizeof(PegsSaid), by_probability);
	for (uint64 i = 0; i < n; i++)
		positive += row[i].positive;
	return positive;
}

double
pegs_auc(const PegsSaid *row, uint64 n, uint64 positive)
{
	uint64		negative = 0;
	double		won = 0;

	for (uint64 i = 0; i < n;)
	{
		uint64		kind[2] = {0, 0};
		double		p = row[i].p;

		for (; i < n && row[i].p == p; i++)
			kind[row[i].positive]++;
		won += (double) kind[1] * ((double) negative + (double) kind[0] / 2);
		negative += kind[0];
	}
	return positive > 0 && negative > 0 ? won / ((double) positive * (double) negative) : NAN;
}

static Quality
score_all(const PegsScored *scored, const pegs_coded *table)
{
	Quality		quality = {.scored = scored};

	quality.row = pegs_said(table->nrows);
	for (uint64 r = 0; r < table->nrows; r++)
	{
		int32		truth = table->code[scored->target][r];

		if (r % PEGS_CHUNK == 0)
			CHECK_FOR_INTERRUPTS();
		/* what is not declared has a code of its own, behind all levels */
		for (uint32 c = 0; c < table->ncols; c++)
			scored->codes[c] = table->code[c][r] < table->levels[c] && (int) c != scored->target ? table->code[c][r] : -1;
		if (truth >= (int32) table->levels[scored->target])
			quality.unknown++;
		else
			quality.row[quality.n++] = (PegsSaid) {
				pegs_score_probability_of(scored, scored->scorer->points(scored->body, scored->codes)), scored->positive[truth]
			};
	}
	return quality;
}

static void
add_measure(ReturnSetInfo *result, const char *measure, double value)
{
	Datum		values[3] = {CStringGetTextDatum(measure), Float8GetDatum(value), CStringGetTextDatum("none")};
	bool		nulls[3] = {false, isnan(value), false};

	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}

static void
put_sums(ReturnSetInfo *result, const Quality *quality, uint64 positive)
{
	double		brier = 0;
	double		log_loss = 0;

	for (uint64 i = 0; i < quality->n; i++)
	{
		double		p = quality->row[i].p;
		double		off = p - quality->row[i].positive;

		brier += off * off;
		log_loss -= log(quality->row[i].positive ? p : 1 - p);
	}
	add_measure(result, "rows", (double) quality->n);
	add_measure(result, "rows whose target is not declared", (double) quality->unknown);
	add_measure(result, "positive rows", (double) positive);
	add_measure(result, "AUC", pegs_auc(quality->row, quality->n, positive));
	add_measure(result, "Brier score", brier / (double) quality->n);
	add_measure(result, "log loss", log_loss / (double) quality->n);
}

/* Equal parts of the sorted rows, but that rows of one probability stay together, in the part where the first of them is. */
static void
put_calibration(ReturnSetInfo *result, const Quality *quality, int bins)
{
	uint64		i = 0;

	for (int bin = 1; bin <= bins && i < quality->n; bin++)
	{
		uint64		first = i;
		double		said = 0;
		uint64		positive = 0;

		for (; i < quality->n && (i * bins < quality->n * bin || quality->row[i].p == quality->row[i - 1].p); i++)
		{
			said += quality->row[i].p;
			positive += quality->row[i].positive;
		}
		if (i == first)
			continue;
		add_measure(result, psprintf("part %d of %d: rows", bin, bins), (double) (i - first));
		add_measure(result, psprintf("part %d of %d: predicted", bin, bins), said / (double) (i - first));
		add_measure(result, psprintf("part %d of %d: observed", bin, bins), (double) positive / (double) (i - first));
	}
}

/* pegs_score_quality(model text, relation regclass, bins int) → (measure, value, guarantee) */
PG_FUNCTION_INFO_V1(pegs_score_quality);
Datum
pegs_score_quality(PG_FUNCTION_ARGS)
{
	PegsScored *scored = pegs_scored_by(fcinfo);
	Oid			relid = pegs_arg_oid(fcinfo, 1, "relation");
	int			bins = PG_ARGISNULL(2) ? 0 : PG_GETARG_INT32(2);
	ReturnSetInfo *result = pegs_materialize(fcinfo, false);
	Quality		quality;

	pegs_require_points(scored);
	if (bins < 2 || bins > MAX_BINS)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("bins must be from 2 to %d", MAX_BINS),
				 errhint("bins => 10")));
	quality = score_all(scored, pegs_coded_relation(relid, scored->domain, NULL));
	put_sums(result, &quality, pegs_sort_said(quality.row, quality.n));
	put_calibration(result, &quality, bins);
	return (Datum) 0;
}
