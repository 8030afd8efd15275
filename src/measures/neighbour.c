/*
 * neighbour.c
 *	  The table that pegs_audit tells from the one that there is: with a row more
 *	  that shows most, or with as many as a person has.
 */
#include "measures/measures.h"
#include "read/read.h"

#include "utils/memutils.h"

/*
 * The row whose presence shows most: where the tables hold as little as
 * possible beside it, and with the levels that are given, or NULL. A few
 * rounds of choosing each column's rarest level. A forbidden row is taken only
 * where there is no other: nothing that is drawn need look at it.
 */
static void
rarest_row(const pegs_layout *layout, const pegs_zeros *zeros, const uint64_t *cells, const int32 *given, uint16_t *row)
{
	for (uint32_t c = 0; c < layout->ncols; c++)
		row[c] = given && given[c] >= 0 ? (uint16_t) given[c] : 0;
	for (int round = 0; round < 4; round++)
		for (uint32_t c = 0; c < layout->ncols; c++)
		{
			uint64_t	least = PG_UINT64_MAX;
			uint16_t	best = 0;

			if (given && given[c] >= 0)
				continue;
			for (uint32_t level = 0; level < layout->levels[c]; level++)
			{
				uint64_t	sum = 0;

				row[c] = (uint16_t) level;
				if (pegs_is_zero(zeros, row))
					sum = PG_UINT64_MAX - 1;	/* rather than no level at all */
				else if (layout->tables == PEGS_PAIRS)
					sum = cells[layout->offset[c] + level];
				else if (layout->tables == PEGS_JOINT)
					sum = cells[pegs_joint_cell(layout->ncols, layout->levels, row)];
				else
					for (uint32_t i = 0; i < layout->ncols; i++)
						sum += cells[layout->offset[i] + pegs_layout_key(layout, i, row) * layout->levels[i] + row[i]];
				if (sum < least)
				{
					least = sum;
					best = (uint16_t) level;
				}
			}
			row[c] = best;
		}
}

/* So many rows more: in the 1-way and pair tables, or in the conditional ones. */
static void
add_rows(const pegs_layout *layout, uint64_t *cells, const uint16_t *row, int n)
{
	pegs_env	env = pegs_env_in(CurrentMemoryContext);
	uint16_t  **codes = palloc(sizeof(uint16_t *) * layout->ncols);

	for (uint32_t c = 0; c < layout->ncols; c++)
		codes[c] = unconstify(uint16_t *, &row[c]);
	for (int i = 0; i < n; i++)
		pegs_count_weighted(&env, layout, cells, codes, NULL, 1);
}

/* Of a method that keeps rows: those, those with so many more, and none. */
static void
keep_rows(PegsAudit *audit, int n)
{
	const pegs_layout *layout = audit->layout;
	pegs_env	env = pegs_env_in(CurrentMemoryContext);
	uint16_t  **codes = palloc(sizeof(uint16_t *) * layout->ncols);

	pegs_kept  *more = pegs_kept_copy(layout->kept);

	audit->kept[0] = layout->kept;
	audit->kept[1] = more;
	audit->kept[2] = pegs_kept_new(&env, layout->ncols, layout->levels);
	for (uint32_t c = 0; c < layout->ncols; c++)
		codes[c] = &audit->target[c];
	for (int i = 0; i < n; i++)
		pegs_kept_add(more, codes, NULL, 1);
}

void
pegs_make_neighbour(PegsAudit *audit, const pegs_layout *layout, uint64_t *cells, const int32 *given, int rows)
{
	const PegsDomain *domain = audit->model->spec->domain;
	pegs_zeros	zeros = {domain->nzeros, domain->zeros};
	Size		size = sizeof(uint64_t) * layout->ncells;

	audit->layout = layout;
	audit->cells[0] = cells;
	audit->cells[1] = MemoryContextAllocHuge(CurrentMemoryContext, size);
	memcpy(audit->cells[1], cells, size);
	audit->target = palloc(sizeof(uint16_t) * layout->ncols);
	rarest_row(layout, &zeros, cells, given, audit->target);
	add_rows(layout, audit->cells[1], audit->target, rows);
	if (layout->kept)
		keep_rows(audit, rows);
}
