/*
 * structure.c
 *	  What the noise and the choices of a fit are drawn for, and the choice of parents.
 *
 * Of pegs_fit, and of pegs_audit, which weighs it against the charge.
 */
#include "models/models.h"

#include "core/pegs/parents.h"

void
pegs_fit_accountant(pegs_accountant *accountant, int64 epsilon, int64 delta, uint32 rows_per_unit, uint32 rows_each)
{
	pegs_accountant_init(accountant, epsilon, delta, rows_per_unit);
	accountant->rows_each = rows_each;
}

void
pegs_structure_accountant(pegs_accountant *accountant, int64 structure_epsilon, uint32 rows_per_unit)
{
	pegs_accountant_init(accountant, structure_epsilon, 0, PEGS_PARENT_SENSITIVITY * rows_per_unit);
}

#define MAX_KEYS 1024			/* of a column whose parents are chosen; public */

/* Parents by all pairs; keys so few that the tables can be counted whatever is chosen: nothing may fail after the charge. */
void
pegs_choose_structure(const pegs_env *env, pegs_rng *rng, pegs_accountant *accountant, const pegs_layout *pairs, const uint64_t *cells,
					  int max_parents, int tail_bits, uint32_t *parent_start, uint16_t *parents)
{
	uint64_t	levels = 0;

	for (uint32_t i = 0; i < pairs->ncols; i++)
		levels += pairs->levels[i];
	pegs_choose_parents(env, rng, accountant, pairs, cells, Min((uint32_t) max_parents, pairs->ncols),
						(uint32_t) Max(1, Min(MAX_KEYS, PEGS_MAX_CELLS / (levels << tail_bits))), parent_start, parents);
}
