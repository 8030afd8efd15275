/*
 * cells.c
 *	  Which cells of a noisy table have rows.
 *
 * What few rows there are has the tail of a sum of noise to pass (tail.c), so
 * that an empty table gives nothing, but for one in a thousand. Fewer rows than
 * that are not lost: they count in the nearest bin. Claim P16.
 */
#include "core/cells.h"

#define FALSE_CELLS 0.0005		/* empty cells that stand out of the noise by chance, in all, on the average */
#define FALSE_RUNS 0.0005		/* and runs of two and more */
#define MAYBE 0.02				/* beside what stands out cells are kept if noise alone has less in 49 of 50 cases, whatever their number */

/* 1, 2, 4, ... up to `longest`, and to n */
static uint32_t
lengths(uint32_t longest, uint32_t n)
{
	uint32_t	i = 0;

	while (i < PEGS_RUNS && UINT32_C(1) << i <= longest && UINT32_C(1) << i <= n)
		i++;
	return i;
}

void
pegs_cells_open(const double *noisy, uint32_t n, const pegs_noise *noise, uint32_t draws, uint32_t run, uint32_t tail, pegs_cells *cells)
{
	*cells = (pegs_cells) {.noisy = noisy, .runs = lengths(run, n), .tails = lengths(tail, n)};
	for (uint32_t i = 0; i < cells->runs; i++)
		cells->least[i] = (double) pegs_sum_tail(noise, draws << i, i == 0 ? FALSE_CELLS / n : FALSE_RUNS / n / (cells->runs - 1)) / draws;
	for (uint32_t i = 0; i < cells->tails; i++)
		cells->maybe[i] = (double) pegs_sum_tail(noise, draws << i, MAYBE / cells->tails) / draws;
	cells->perhaps = (double) pegs_sum_tail(noise, draws, MAYBE) / draws;
}

/* From the first cell of [from, to) that stands out to the last. */
static bool
find_cells(const pegs_cells *cells, uint32_t from, uint32_t to, uint32_t *first, uint32_t *last)
{
	for (*first = from; *first < to && !pegs_stands_out(cells, *first); (*first)++)
		;
	if (*first == to)
		return false;
	for (*last = to - 1; !pegs_stands_out(cells, *last); (*last)--)
		;
	return true;
}

/*
 * Where none does: the shortest run that stands out, of such the one with the
 * most rows. What is spread out over many cells is thin in each.
 */
static bool
find_run(const pegs_cells *cells, uint32_t from, uint32_t to, uint32_t *first, uint32_t *last)
{
	bool		found = false;

	*first = *last = from;
	for (uint32_t i = 1; i < cells->runs && !found; i++)
	{
		uint32_t	k = UINT32_C(1) << i;
		double		most = cells->least[i];
		double		sum = 0;

		for (uint32_t at = from; at < to; at++)
		{
			sum += cells->noisy[at];
			if (at - from >= k)
				sum -= cells->noisy[at - k];
			if (at - from + 1 < k || !(sum > most))
				continue;
			most = sum;
			found = true;
			*first = at + 1 - k;
			*last = at;
		}
	}
	while (*first < *last && cells->noisy[*first] <= 0)
		(*first)++;
	while (*first < *last && cells->noisy[*last] <= 0)
		(*last)--;
	return found;
}

/*
 * How many cells further, from the edge `at` up or down to the edge `end`, may
 * have rows: few of them, that have more together than noise alone would. A
 * tail is thin in each of its cells.
 */
static uint32_t
may_have_rows(const pegs_cells *cells, uint32_t at, uint32_t end, int step)
{
	double		sum = 0;
	uint32_t	i = 0;

	for (uint32_t k = 1; i < cells->tails && at != end; k++)
	{
		sum += cells->noisy[step > 0 ? at : at - 1];
		at = step > 0 ? at + 1 : at - 1;
		if (k == UINT32_C(1) << i && sum > cells->maybe[i++])
			return k;
	}
	return 0;
}

bool
pegs_cells_find(const pegs_cells *cells, uint32_t from, uint32_t to, uint32_t *first, uint32_t *last)
{
	return find_cells(cells, from, to, first, last) || find_run(cells, from, to, first, last);
}

void
pegs_cells_go_on(const pegs_cells *cells, uint32_t from, uint32_t to, uint32_t *first, uint32_t *last)
{
	uint32_t	more;

	while ((more = may_have_rows(cells, *first, from, -1)) > 0)
		*first -= more;
	while ((more = may_have_rows(cells, *last + 1, to, 1)) > 0)
		*last += more;
}
