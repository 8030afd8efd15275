/*
 * urn_fit.h
 *	  Draws from urns in place of added noise: what a fit of counts may be told
 *	  of it, for every method that keeps a table.
 */
#ifndef PEGS_URN_FIT_H
#define PEGS_URN_FIT_H

#include "core/method.h"

#define PEGS_MOST_DRAWN 100000000	/* rows of one fit: ten seconds or more of each table, and it asks whether to stop */

/* The first options of such a method, and the whole list of one that has no others: what is standard is added noise. */
enum
{
	PEGS_URN_NOISE, PEGS_URN_ROWS, PEGS_URN_PRIOR, PEGS_URN_OPTIONS,
	PEGS_URN_WITHIN = PEGS_URN_OPTIONS	/* of the table of all columns alone: columns of whose combinations each is an urn */
};
#define PEGS_OPTION_NOISE {.name = "noise", .kind = PEGS_OPTION_WORD, .words = pegs_urn_noises, .example = "\"dirichlet\", \"rows\": 50000"}
#define PEGS_OPTION_ROWS {.name = "rows", .kind = PEGS_OPTION_WHOLE, .least = 1, .most = PEGS_MOST_DRAWN, .example = "50000, \"noise\": \"dirichlet\""}
#define PEGS_OPTION_PRIOR_OF(cells_are_joint) {.name = "prior", .kind = PEGS_OPTION_PRIOR, .joint = cells_are_joint, .example = "\"public.census\", \"noise\": \"dirichlet\", \"rows\": 50000"}
extern const char *const pegs_urn_noises[];
extern const pegs_option pegs_urn_options[];

/* Are these settings of such a method draws from urns? NULL: no. */
extern bool pegs_fits_by_urns(const pegs_setting *settings);

/* Of pegs_method's `refuse`: the number of rows goes with draws, and they with it. */
extern pegs_refusal pegs_refuse_urn_settings(const pegs_layout *layout);

/*
 * Is delta good for anything to draws with these settings, of all columns or of
 * each? Without it few draws need no more alpha: then it would buy nothing.
 */
extern bool pegs_delta_helps_urns(const pegs_layout *layout, int64_t epsilon, int64_t delta);

/*
 * Is there room for the alpha of draws with these settings? Forbidden cells are
 * taken for cells, so that a fit at the very end of 64 bits is refused a little early.
 */
extern bool pegs_urns_have_room(const pegs_layout *layout, uint32_t rows_per_unit, int64_t epsilon, int64_t delta);

/*
 * The draws of a fit: of tables one after the other, as pegs_draw_urns has
 * them. False: nothing could be bought, and drawn is the same in all cells. The
 * rows that were drawn: *rows, of the model, which stands for as many. `apart`: a row
 * is in one table alone, and as many are drawn from each. `cell`: which cells of all these are; NULL: the first ones.
 */
extern bool pegs_fit_urns(const pegs_env *env, pegs_rng *rng, pegs_accountant *accountant, const pegs_layout *layout,
						  uint32_t tables, const uint32_t *levels, bool apart, const uint32_t *cell, const int64_t *exact,
						  double *drawn, double *rows);

/*
 * Is a model of so many rows drawn, or not, as the settings say? From so many urns, of which a row is in one; 1: they are one use.
 */
extern bool pegs_is_drawn_as_told(const pegs_accountant *accountant, const pegs_layout *layout, double rows, uint32_t urns);

/* Was a model drawn? And in words, for pegs_describe: its record, of whose purposes the last is urns; what each cell of so many had besides. */
extern bool pegs_is_drawn(const pegs_accountant *accountant);
extern void pegs_urn_record_words(const pegs_writer *writer, const pegs_accountant *accountant, double rows, const pegs_purpose *purpose,
								  uint32_t n);
extern void pegs_urn_words(const pegs_writer *writer, const pegs_accountant *accountant, uint32_t tables, uint32_t levels, double rows);

#endif							/* PEGS_URN_FIT_H */
