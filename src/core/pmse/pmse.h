/*
 * pmse.h
 *	  A law of a few parameters, chosen privately by how alike its tables are.
 */
#ifndef PEGS_PMSE_H
#define PEGS_PMSE_H

#include "core/method.h"
#include "core/pmse/law.h"

/* The options of a fit, in their order. */
typedef enum pegs_pmse_option
{
	PEGS_PMSE_ROUNDS,
	PEGS_PMSE_CANDIDATES,
	PEGS_PMSE_PARTS,
	PEGS_PMSE_ROWS,
	PEGS_PMSE_OPTIONS
} pegs_pmse_option;

extern const pegs_option pegs_pmse_options[PEGS_PMSE_OPTIONS + 1];

/* Of a layout's settings: what was given, else what is standard. `rows`: 0, they are measured. */
extern double pegs_pmse_setting(const pegs_layout *layout, pegs_pmse_option option);

/* A chosen law: released numbers. */
typedef struct pegs_pmse
{
	pegs_law law;
	pegs_accountant accountant;
	double		rows;			/* public, or with noise; >= 1 */
	uint32_t	rounds;
	uint16_t  **order;			/* [ncols][levels] codes as they come on the scale, NULL last */
	double	  **share;			/* [ncols][levels] of the codes of single columns, sums to 1 */
} pegs_pmse;

/* Of a layout of pairs, of at most PEGS_LAW_COLUMNS columns. Spends the whole account. Claim P27. */
extern void pegs_pmse_fit(const pegs_env *env, pegs_rng *rng, const pegs_accountant *accountant, const pegs_layout *layout,
						  const uint64_t *cells, pegs_pmse *model);

/* Has it as many rounds, and rows, as its options say? */
extern bool pegs_pmse_is_of(const pegs_pmse *model, const pegs_layout *layout);

/* What its choices are blurred by: to compare accounts by. */
extern double pegs_pmse_noise(const pegs_env *env, const pegs_accountant *accountant, const pegs_layout *layout);

/* Columns and levels are known; on reading everything else is checked and allocated. */
extern void pegs_pmse_walk(pegs_cursor *c, pegs_pmse *model);

#endif							/* PEGS_PMSE_H */
