/*
 * record.c
 *	  What a fit was drawn for, as bytes and as words.
 *
 * Released numbers and public facts only. Law L6.
 */
#include "core/record.h"

#include <math.h>
#include <stdio.h>

static const char *const words_of[PEGS_PURPOSES + 1] = {
	[PEGS_FOR_ONEWAY] = "1-way tables",
	[PEGS_FOR_CHOICE] = "choice of pairs",
	[PEGS_FOR_PAIR] = "pair and triple tables",
	[PEGS_FOR_ROWS] = "number of rows",
	[PEGS_FOR_TABLE] = "table of all columns",
	[PEGS_FOR_SUM] = "sums of scores",
	[PEGS_FOR_RESIDUALS] = "sums of residuals",
	[PEGS_FOR_CELLS] = "table of groups",
	[PEGS_FOR_URNS] = "draws from urns",
	[PEGS_FOR_NODES] = "tables of nodes"
};

void
pegs_record_walk(pegs_cursor *c, pegs_accountant *accountant, double *rows, uint32_t *own, const pegs_purpose *purpose, uint32_t n)
{
	uint32_t	pure = accountant->pure;
	uint64_t	epsilon = (uint64_t) accountant->epsilon;
	uint64_t	delta = (uint64_t) accountant->delta;

	pegs_f64(c, rows);
	pegs_u32(c, &pure);
	pegs_u32(c, own);
	pegs_number(c, &accountant->total, 8);
	pegs_number(c, &accountant->spent, 8);
	pegs_number(c, &epsilon, 8);
	pegs_number(c, &delta, 8);
	pegs_u32(c, &accountant->rows_per_unit);
	pegs_u32(c, &accountant->rows_each);
	for (uint32_t i = 0; i < PEGS_PURPOSES && c->pass == PEGS_READ; i++)
		accountant->record[i].purpose = i + 1;
	for (uint32_t i = 0; i < n; i++)
	{
		pegs_cost_record *record = &accountant->record[purpose[i] - 1];

		pegs_u32(c, &record->purpose);
		pegs_u32(c, &record->uses);
		pegs_number(c, &record->cost, 8);
		if (c->status == PEGS_OK && record->purpose != (uint32_t) purpose[i])
			pegs_bad(c, PEGS_ERR_FORMAT);
	}
	if (c->status != PEGS_OK)
		return;
	if (!(*rows >= 1) || pure > 1 || accountant->spent > accountant->total || accountant->rows_per_unit < 1
		|| (accountant->rows_each != 0 && accountant->rows_each != accountant->rows_per_unit)
		|| epsilon < 1 || epsilon > INT64_MAX || delta >= (uint64_t) PEGS_DELTA_UNIT || pure != (delta == 0))
	{
		pegs_bad(c, PEGS_ERR_FORMAT);
		return;
	}
	accountant->pure = pure == 1;
	accountant->epsilon = (int64_t) epsilon;
	accountant->delta = (int64_t) delta;
}

/*
 * A total in rho comes of logarithms, whose last digits another machine may have otherwise: a part in 2^20 is
 * far more than that, and nothing that a reader could see.
 */
static bool
is_bought(const pegs_accountant *accountant)
{
	pegs_accountant here;
	uint64_t	off;

	pegs_accountant_init(&here, accountant->epsilon, accountant->delta, accountant->rows_per_unit);
	off = here.total > accountant->total ? here.total - accountant->total : accountant->total - here.total;
	return accountant->pure ? off == 0 : off <= (here.total >> 20) + 1;
}

bool
pegs_accountant_agrees(const pegs_accountant *accountant, bool of_a_model)
{
	pegs_u128	costs = 0;

	for (uint32_t i = 0; i < PEGS_PURPOSES; i++)
	{
		const pegs_cost_record *record = &accountant->record[i];

		if ((record->uses > 0) != (record->cost > 0))
			return false;
		costs += record->cost;
	}
	return costs == accountant->spent && (!of_a_model || accountant->spent == 0)
		&& accountant->rows_per_unit <= PEGS_MOST_ROWS_PER_UNIT
		&& ((of_a_model && accountant->total == 0) || is_bought(accountant));
}

void
pegs_record_words(const pegs_writer *writer, const pegs_accountant *accountant, double rows, const pegs_purpose *purpose, uint32_t n)
{
	pegs_record_words_of(writer, accountant, rows, purpose, n, PEGS_FOR_CHOICE, words_of[PEGS_FOR_CHOICE]);
}

/* In what it is added up, and what was drawn for it: noise, choices, or both. */
static void
add_accounting(char *words, size_t size, const pegs_accountant *accountant, const pegs_purpose *purpose, uint32_t n)
{
	bool		noise = false;
	bool		choices = false;

	for (uint32_t i = 0; i < n; i++)
	{
		bool		used = accountant->record[purpose[i] - 1].uses > 0;

		noise |= used && purpose[i] != PEGS_FOR_CHOICE;
		choices |= used && purpose[i] == PEGS_FOR_CHOICE;
	}
	snprintf(words, size, "%s%s%s%s%s", accountant->pure ? "pure epsilon" : "zCDP (rho)", noise ? ", discrete " : "",
			 !noise ? "" : accountant->pure ? "Laplace" : "Gaussian", !choices ? "" : noise ? " and " : ", ", choices ? "exponential mechanism" : "");
}

void
pegs_record_words_of(const pegs_writer *writer, const pegs_accountant *accountant, double rows, const pegs_purpose *purpose, uint32_t n,
					 pegs_purpose other, const char *called)
{
	double		unit = ldexp(1, -PEGS_COST_BITS);
	char		accounting[100];
	char		words[600];		/* a file may say that it has 10^308 rows */
	bool		urns = accountant->record[PEGS_FOR_URNS - 1].uses > 0;
	bool		costs = accountant->pure || !urns;	/* with delta urns are not paid in rho: no number of it is theirs, claim P32 */

	if (accountant->total == 0)
		snprintf(accounting, sizeof(accounting), "that of the model that it was made of");
	else
		add_accounting(accounting, sizeof(accounting), accountant, purpose, n);
	snprintf(words, sizeof(words), ", \"rows\": %.0f, \"accounting\": \"%s\"", rows, urns ? "urns, whatever the cells hold" : accounting);
	writer->words(writer->to, words);
	if (costs)
	{
		snprintf(words, sizeof(words), ", \"budget\": %.12g, \"spent\": %.12g", (double) accountant->total * unit, (double) accountant->spent * unit);
		writer->words(writer->to, words);
	}
	writer->words(writer->to, ", \"record\": [");
	for (uint32_t i = 0; i < n; i++)
	{
		const pegs_cost_record *record = &accountant->record[purpose[i] - 1];

		snprintf(words, sizeof(words), "%s{\"what\": \"%s\", \"uses\": %u", i > 0 ? ", " : "", purpose[i] == other ? called : words_of[purpose[i]], record->uses);
		writer->words(writer->to, words);
		if (costs)
		{
			snprintf(words, sizeof(words), ", \"cost\": %.12g", (double) record->cost * unit);
			writer->words(writer->to, words);
		}
		snprintf(words, sizeof(words), ", \"share\": %.4f}", accountant->total > 0 ? (double) record->cost / (double) accountant->total : 0);
		writer->words(writer->to, words);
	}
	writer->words(writer->to, "]");
}
