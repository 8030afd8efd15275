/*
 * kendall.h
 *	  Kendall's tau in place of sums of scores: of how many pairs of rows two
 *	  columns say the same, less of how many the contrary.
 */
#ifndef PEGS_KENDALL_H
#define PEGS_KENDALL_H

#include "core/copula/copula.h"
#include "core/copula/latent.h"

#define PEGS_KENDALL_ROWS (1 << 24) /* at most */

/* Is that what these settings ask for? It goes over the rows more than once. */
extern bool pegs_is_kendall(const pegs_layout *layout);

/* Why not, and what would help; NULL: it can be, or is not asked for. */
extern pegs_refusal pegs_kendall_refuse(const pegs_layout *layout);

/* Of how many rows, as they are counted: as was said, or of so many as there seem to be. Released numbers. */
extern uint64_t pegs_kendall_of(const pegs_layout *layout, double rows, double scale);
extern bool pegs_kendall_may_be_of(uint64_t rows);

/* What one row moves the sum by, at most. Claim P33. */
extern uint64_t pegs_kendall_bound(uint64_t rows);

/*
 * Tables as `cells` of those `rows` rows that come first, by an order that a row's own values make: nothing is
 * drawn, and where the rows are stored does not matter. All of them: cells. Claim P33.
 */
extern const uint64_t *pegs_kendall_rows(const pegs_env *env, const pegs_layout *layout, const uint64_t *cells, uint64_t rows);

/* Concordant pairs of rows less discordant ones; one that does not show a column, or ties in it, is neither. */
extern int64_t pegs_kendall_sum(const pegs_env *env, const pegs_layout *layout, const uint64_t *cells, const pegs_cuts *cuts,
								const pegs_latent *a, const pegs_latent *b);

/* Which of two normals is in the higher level, as numbers; of two columns: tau as a power series in the correlation. */
extern double *pegs_kendall_order(const pegs_env *env, const pegs_cuts *cuts, bool of_null);
extern void pegs_kendall_series(const double *a, const double *b, double *series);	/* [PEGS_HERMITE_TERMS + 1] */

#endif							/* PEGS_KENDALL_H */
