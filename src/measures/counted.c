/*
 * counted.c
 *	  Rows of a model or release as tables of counts, for pegs_best.
 *
 * Rows that were paid for: nothing here looks at those of the original.
 */
#include "measures/measures.h"

typedef struct Counted
{
	pegs_env	env;
	const pegs_layout *layout;
	const int  *column;
	uint64_t   *cells;
	uint16_t  **codes;			/* [columns][PEGS_CHUNK] */
	uint32		fill;
} Counted;

static void
put_counted(void *arg, const uint16_t *codes)
{
	Counted    *counted = arg;

	for (uint32 c = 0; c < counted->layout->ncols; c++)
		counted->codes[c][counted->fill] = codes[counted->column[c]];
	if (++counted->fill < PEGS_CHUNK)
		return;
	pegs_count_weighted(&counted->env, counted->layout, counted->cells, counted->codes, NULL, counted->fill);
	counted->fill = 0;
}

/*
 * The rows that everybody gets who reads it: of a release all, of a model `rows`. column: the number that each of the layout's
 * has in the model. What is in the cells before is forgotten.
 */
void
pegs_count_object(PegsModel *model, const PegsRelease *release, int64 rows, const int *column, const pegs_layout *layout, uint64_t *cells)
{
	Counted		counted = {.env = pegs_env_in(CurrentMemoryContext), .layout = layout, .column = column, .cells = cells};

	counted.codes = palloc(sizeof(uint16_t *) * layout->ncols);
	for (uint32 c = 0; c < layout->ncols; c++)
		counted.codes[c] = palloc(sizeof(uint16_t) * PEGS_CHUNK);
	memset(cells, 0, sizeof(uint64_t) * layout->ncells);
	if (release)
		pegs_release_rows(release, model, NULL, put_counted, &counted);
	else
	{
		PegsRequest request = {.model = model, .n = rows};

		pegs_draw_rows(&request, model->key, NULL, put_counted, &counted);
	}
	pegs_count_weighted(&counted.env, layout, cells, counted.codes, NULL, counted.fill);
}
