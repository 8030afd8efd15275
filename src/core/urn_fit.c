/*
 * urn_fit.c
 *	  Draws from urns in place of added noise: rows are drawn from the counts,
 *	  each put back double, and how often each cell came is the model.
 *
 * The number of rows is told, and public. Nothing here sees a count: the door
 * is pegs_draw_urns (accountant.h). Claim P32.
 */
#include "core/urn_fit.h"

#include <math.h>
#include <stdio.h>

#include "core/prior.h"
#include "core/record.h"
#include "core/urn.h"

const char *const pegs_urn_noises[] = {"added", "dirichlet", NULL};

const pegs_option pegs_urn_options[] = {
	[PEGS_URN_NOISE] = PEGS_OPTION_NOISE,
	[PEGS_URN_ROWS] = PEGS_OPTION_ROWS,
	[PEGS_URN_PRIOR] = PEGS_OPTION_PRIOR_OF(false),
	{.name = NULL}
};

bool
pegs_fits_by_urns(const pegs_setting *settings)
{
	return settings && settings[PEGS_URN_NOISE].number == 1;
}

pegs_refusal
pegs_refuse_urn_settings(const pegs_layout *layout)
{
	bool		urns = pegs_fits_by_urns(layout->settings);
	bool		rows = layout->settings && layout->settings[PEGS_URN_ROWS].given;

	if (!urns && layout->settings && layout->settings[PEGS_URN_PRIOR].given)
		return (pegs_refusal) {
			.why = "option \"prior\" goes with \"noise\": \"dirichlet\" alone",
			.hint = "Add to options: \"noise\": \"dirichlet\", \"rows\": 1000; or leave \"prior\" out."
		};
	if (urns == rows)
		return PEGS_NOT_REFUSED;
	return (pegs_refusal) {
		.why = urns ? "option \"noise\": \"dirichlet\" needs the option \"rows\", how many are drawn" : "option \"rows\" goes with \"noise\": \"dirichlet\" alone",
		.hint = "options => '{\"noise\": \"dirichlet\", \"rows\": 50000}'",
		.wrong = urns ? PEGS_WRONG_MISSING : PEGS_WRONG_VALUE
	};
}

bool
pegs_delta_helps_urns(const pegs_layout *layout, int64_t epsilon, int64_t delta)
{
	uint64_t	alpha;

	/* of one cell: what there is room for is another question */
	pegs_urn_price(layout->tables == PEGS_JOINT ? 1 : layout->ncols, (uint64_t) layout->settings[PEGS_URN_ROWS].number, 1, 1, epsilon, &delta, &alpha);
	return delta > 0;
}

bool
pegs_urns_have_room(const pegs_layout *layout, uint32_t rows_per_unit, int64_t epsilon, int64_t delta)
{
	bool		joint = layout->tables == PEGS_JOINT;
	const bool *within = joint ? layout->settings[PEGS_URN_WITHIN].columns : NULL;
	uint32_t	widest = 1;
	uint64_t	alpha;

	for (uint32_t i = 0; i < layout->ncols; i++)
	{
		if (joint)
			widest *= within && within[i] ? 1 : layout->levels[i];	/* fits: there are as many cells */
		else if (layout->levels[i] > widest)
			widest = layout->levels[i];
	}
	return pegs_urn_price(joint ? 1 : layout->ncols, (uint64_t) layout->settings[PEGS_URN_ROWS].number, widest, rows_per_unit, epsilon, &delta, &alpha) == PEGS_OK;
}

bool
pegs_fit_urns(const pegs_env *env, pegs_rng *rng, pegs_accountant *accountant, const pegs_layout *layout, uint32_t tables,
			  const uint32_t *levels, bool apart, const uint32_t *cell, const int64_t *exact, double *drawn, double *rows)
{
	pegs_urn_look look = {.draws = (uint64_t) layout->settings[PEGS_URN_ROWS].number, .tables = tables, .levels = levels, .apart = apart};
	double		each = layout->settings[PEGS_URN_ROWS].number;
	size_t		n = 0;

	for (uint32_t t = 0; t < tables; t++)
		n += levels[t];
	look.prior = pegs_prior_weights(env, &layout->settings[PEGS_URN_PRIOR], (uint32_t) pegs_accountant_scale(accountant), cell, n);
	n = 0;
	*rows = each * (apart ? tables : 1);
	if (pegs_draw_urns(accountant, rng, env, &look, exact, drawn))
		return true;
	for (uint32_t t = 0; t < tables; n += levels[t++])
		for (uint32_t j = 0; j < levels[t]; j++)
			drawn[n + j] = each / levels[t];
	return false;
}

bool
pegs_is_drawn(const pegs_accountant *accountant)
{
	return accountant->record[PEGS_FOR_URNS - 1].uses > 0;
}

/* Draws are all that their fit pays for; where nothing could be bought it has as many rows. */
bool
pegs_is_drawn_as_told(const pegs_accountant *accountant, const pegs_layout *layout, double rows, uint32_t urns)
{
	const pegs_cost_record *record = &accountant->record[PEGS_FOR_URNS - 1];

	if (!pegs_fits_by_urns(layout->settings))
		return record->uses == 0;
	return rows == layout->settings[PEGS_URN_ROWS].number * urns && record->uses == (record->cost > 0 ? urns : 0) && record->cost == accountant->spent;
}

/* What a fit of its kind never spends on is left out. */
void
pegs_urn_record_words(const pegs_writer *writer, const pegs_accountant *accountant, double rows, const pegs_purpose *purpose, uint32_t n)
{
	if (pegs_is_drawn(accountant))
		pegs_record_words(writer, accountant, rows, purpose + n - 1, 1);
	else
		pegs_record_words(writer, accountant, rows, purpose, n - 1);
}

void
pegs_urn_words(const pegs_writer *writer, const pegs_accountant *accountant, uint32_t tables, uint32_t levels, double rows)
{
	int64_t		delta = accountant->delta;
	uint64_t	alpha = 0;
	char		words[100];

	if (rows > PEGS_MOST_DRAWN
		|| pegs_urn_price(tables, (uint64_t) rows, levels, accountant->rows_per_unit, accountant->epsilon, &delta, &alpha) != PEGS_OK)
		return;					/* of a file that no fit has made */
	snprintf(words, sizeof(words), ", \"alpha\": %.6g", ldexp((double) alpha, -PEGS_ALPHA_BITS) / pegs_accountant_scale(accountant));
	writer->words(writer->to, words);
}
