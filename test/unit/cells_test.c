/*
 * cells_test.c
 *	  Which cells stand out: never of noise alone, but for one table in a
 *	  thousand, and what has rows is found, thin tails with it.
 *
 * The first by exact probabilities: all draws of the noise of an empty table.
 */
#include "core/cells.h"

#include <string.h>

#include "fixture.h"
#include "unit.h"

#define CELLS 4
#define FAR 19					/* draws of e = 1 from -FAR to FAR: what is left out is rarer than 1e-8 */
#define SPAN (2 * FAR + 1)

static const pegs_noise one = {.pure = true, .units = UINT64_C(1) << PEGS_COST_BITS};

/* Of an empty table, each cell the mean of so many draws; with and without runs. */
static double
found_by_chance(uint32_t draws, uint32_t run)
{
	const int	cells = draws == 1 ? CELLS : CELLS / 2;
	double		q = exp(-1.0);
	double		chance[SPAN];
	double		found = 0;
	long		all = 1;

	for (int i = 0; i < SPAN; i++)
		chance[i] = (1 - q) / (1 + q) * pow(q, abs(i - FAR));
	for (int c = 0; c < CELLS; c++)
		all *= SPAN;
	for (long i = 0; i < all; i++)
	{
		static pegs_cells f;
		double		noisy[CELLS];
		double		p = 1;
		uint32_t	first;
		uint32_t	last;
		long		rest = i;

		memset(noisy, 0, sizeof(noisy));
		for (int c = 0; c < CELLS; c++)
		{
			p *= chance[rest % SPAN];
			noisy[c % cells] += (double) (rest % SPAN - FAR) / draws;
			rest /= SPAN;
		}
		if (i == 0)
			pegs_cells_open(noisy, (uint32_t) cells, &one, draws, run, 1, &f);
		f.noisy = noisy;
		if (pegs_cells_find(&f, 0, (uint32_t) cells, &first, &last))
			found += p;
	}
	return found;
}

static void
test_noise_alone(void)
{
	double		single = found_by_chance(1, 1);
	double		runs = found_by_chance(1, CELLS);
	double		twice = found_by_chance(2, 1);

	CHECK(single <= 0.0005 && single > 0.0005 / 3);
	CHECK(runs <= 0.001 && runs > single);
	CHECK(twice <= 0.0005 && twice > 0.0005 / 5);
}

/* Behind a cell that stands out, four empty ones: how often some are kept, whichever length of a tail it is. */
static void
test_going_on(void)
{
	double		q = exp(-1.0);
	double		chance[SPAN];
	double		noisy[1 + CELLS] = {1000};
	double		kept = 0;
	long		all = 1;
	pegs_cells	f;

	for (int i = 0; i < SPAN; i++)
		chance[i] = (1 - q) / (1 + q) * pow(q, abs(i - FAR));
	for (int c = 0; c < CELLS; c++)
		all *= SPAN;
	pegs_cells_open(noisy, 1 + CELLS, &one, 1, 1, CELLS, &f);
	for (long i = 0; i < all; i++)
	{
		double		p = 1;
		uint32_t	first = 0;
		uint32_t	last = 0;
		long		rest = i;

		for (int c = 0; c < CELLS; c++, rest /= SPAN)
		{
			p *= chance[rest % SPAN];
			noisy[1 + c] = (double) (rest % SPAN - FAR);
		}
		pegs_cells_go_on(&f, 0, 1 + CELLS, &first, &last);
		kept += last > 0 ? p : 0;
	}
	CHECK(kept <= 0.02 && kept > 0.02 / 5);
}

/* What stands out, and what may have rows beside it. */
static bool
find(const pegs_cells *cells, uint32_t from, uint32_t to, uint32_t *first, uint32_t *last)
{
	bool		found = pegs_cells_find(cells, from, to, first, last);

	if (found)
		pegs_cells_go_on(cells, from, to, first, last);
	return found;
}

static void
test_rows(void)
{
	double		noisy[64] = {0};
	pegs_cells	f;
	uint32_t	first;
	uint32_t	last;

	/* of one cell; what is beside it with a tail of 4 thin ones, but not of one more */
	noisy[20] = 50;
	for (int i = 21; i < 25; i++)
		noisy[i] = 2;
	pegs_cells_open(noisy, 64, &one, 1, 16, 4, &f);
	CHECK(find(&f, 0, 64, &first, &last) && first == 20 && last == 24);
	CHECK(!find(&f, 21, 64, &first, &last));
	pegs_cells_open(noisy, 64, &one, 1, 16, 2, &f);
	CHECK(find(&f, 0, 64, &first, &last) && first == 20 && last == 20);
	/* downwards likewise */
	for (int i = 16; i < 20; i++)
		noisy[i] = 2;
	pegs_cells_open(noisy, 64, &one, 1, 16, 4, &f);
	CHECK(find(&f, 0, 64, &first, &last) && first == 16 && last == 24);
	CHECK(find(&f, 17, 64, &first, &last) && first == 20 && last == 24);
	/* thin everywhere: together; the empty ones at its ends are not of it */
	memset(noisy, 0, sizeof(noisy));
	for (int i = 30; i < 36; i++)
		noisy[i] = 4.2;
	noisy[29] = noisy[36] = -1;
	pegs_cells_open(noisy, 64, &one, 1, 16, 1, &f);
	CHECK(find(&f, 0, 64, &first, &last) && first == 30 && last == 35);
	pegs_cells_open(noisy, 64, &one, 1, 4, 1, &f);
	CHECK(!find(&f, 0, 64, &first, &last));
	/* thresholds are those of sums: of 4 cells above that of one, and below 4 times that */
	CHECK(f.least[2] > f.least[0] && f.least[2] < 2.5 * f.least[0]);
}

int
main(void)
{
	test_noise_alone();
	test_going_on();
	test_rows();
	return unit_done("cells_test");
}
