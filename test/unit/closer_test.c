/*
 * closer_test.c
 *	  The pieces of a second look, and what is said of them.
 */
#include "core/closer.h"

#include <string.h>

#include "fixture.h"
#include "unit.h"

static double whole_edge[80];
static pegs_grid whole;			/* of integers: 0, and powers of two of both signs */
static bool kept[80];

static void
make_grid(void)
{
	int			n = 0;

	for (int k = 20; k >= 0; k--)
		whole_edge[n++] = -ldexp(1, k);
	whole.zero = n;
	whole_edge[n++] = 0;
	for (int k = 0; k <= 20; k++)
		whole_edge[n++] = ldexp(1, k);
	whole.cells = n - 1;
	whole.edge = whole_edge;
}

/* The cells that begin in [low, high) are kept. */
static pegs_closer
closer_of(const pegs_grid *grid, double low, double high, double rows, double sd)
{
	pegs_closer closer;
	bool		rising = true;
	bool		own = true;

	for (uint32_t i = 0; i < grid->cells; i++)
		kept[i] = grid->edge[i] >= low && grid->edge[i] < high;
	pegs_closer_grid(&env, grid, kept, rows, sd, &closer);
	for (uint32_t p = 0; p < closer.grid.cells; p++)
		rising &= closer.grid.edge[p + 1] > closer.grid.edge[p];
	for (uint32_t p = 0; p <= closer.grid.cells; p++)
	{
		int32_t		i = closer.grid.own[p];

		own &= i >= 0 ? closer.grid.edge[p] == grid->edge[i]
			: fabs(closer.grid.edge[p] - (double) closer.grid.between[p].number * pow(10, closer.grid.between[p].power)) < 1e-9;
	}
	CHECK(rising);
	CHECK(own);
	/* the cells are those of the first look, each in pieces of its own */
	for (uint32_t i = 0; i <= grid->cells; i++)
		own &= closer.grid.edge[closer.first[i]] == grid->edge[i];
	CHECK(own);
	for (uint32_t i = 0; i < grid->cells; i++)
		if (!kept[i] || i == grid->zero)
			CHECK_INT(closer.first[i + 1] - closer.first[i], 1);
	CHECK(closer.grid.edge[closer.grid.zero] == 0 && closer.grid.cells == closer.first[grid->cells]);
	return closer;
}

/* Pieces of all cells that are kept. */
static uint32_t
pieces_of(const pegs_closer *closer)
{
	uint32_t	n = 0;

	for (uint32_t i = 0; i < whole.cells; i++)
		n += kept[i] && i != whole.zero ? closer->first[i + 1] - closer->first[i] : 0;
	return n;
}

static void
test_pieces(void)
{
	pegs_grid	price = whole;
	pegs_closer c = closer_of(&whole, 1, 8, 1000, 20);

	/* few values: each */
	CHECK(c.unit == 1 && pieces_of(&c) == 7);
	c = closer_of(&whole, -8, 8, 1000, 20);
	CHECK(c.unit == 1 && pieces_of(&c) == 15);
	/* years: of 1024 twenties, or with more rows the same; but single ones of fewer */
	c = closer_of(&whole, 1024, 1025, 1000, 20);
	CHECK(c.unit == 0 && pieces_of(&c) == 52);
	c = closer_of(&whole, 1024, 1025, 1e9, 20);
	CHECK(c.unit == 0 && pieces_of(&c) == 52);
	c = closer_of(&whole, 128, 255, 1e9, 20);
	CHECK(c.unit == 1 && pieces_of(&c) == 128);
	/* few rows: longer ones, then none */
	c = closer_of(&whole, 1024, 1025, 100, 10);
	CHECK(c.unit == 0 && pieces_of(&c) > 8 && pieces_of(&c) <= 26);
	c = closer_of(&whole, 1024, 1025, 20, 10);
	CHECK(c.grid.cells == whole.cells && c.unit == 0);
	/* prices: hundredths, if so heavy ones would be seen; then of no more than 4096 */
	price.places = 15;
	c = closer_of(&price, 1, 8, 1000, 20);
	CHECK(fabs(c.unit - 0.01) < 1e-12 && pieces_of(&c) == 700);
	c = closer_of(&price, 1, 8, 300, 20);
	CHECK(c.unit == 0 && pieces_of(&c) <= 64);
	c = closer_of(&price, 64, 65, 1e9, 20);
	CHECK(c.unit == 0 && pieces_of(&c) == 64);
	/* one digit after the point is all that there is */
	price.places = 1;
	c = closer_of(&price, 1, 8, 1000, 20);
	CHECK(fabs(c.unit - 0.1) < 1e-12 && pieces_of(&c) == 70);
	arena_free(&memory);
}

#define SD 10.0
static const pegs_noise noise = {.sigma2 = {100, 0}};
static double noisy[5000];

static void
put_rows(const pegs_closer *c, double value, double rows)
{
	for (uint32_t p = 0; p < c->grid.cells; p++)
		if (value >= c->grid.edge[p] && value < c->grid.edge[p + 1])
			noisy[p] += rows;
}

static void
check_ends(const pegs_closer *c, double rows, double low, double high)
{
	pegs_cells	pieces;
	uint32_t	first = 0;
	uint32_t	last = whole.cells - 1;
	double		from;
	double		to;

	while (!kept[first])
		first++;
	while (!kept[last])
		last--;
	pegs_cells_open(noisy, c->grid.cells, &noise, 1, 64, 64, &pieces);
	pegs_closer_ends(c, &pieces, first, last, rows, SD, &from, &to);
	if (!CHECK(from == low && to == high))
		printf(" %g %g\n", from, to);
	memset(noisy, 0, sizeof(noisy));
}

static void
test_ends(void)
{
	/* grades */
	pegs_closer c = closer_of(&whole, 1, 8, 1000, SD);

	for (int v = 1; v <= 4; v++)
		put_rows(&c, v, 250);
	check_ends(&c, 1000, 1, 5);
	/* where noise may hide a twentieth of the rows, nothing is cut; nor where there are more */
	for (int v = 1; v <= 4; v++)
		put_rows(&c, v, 60);
	check_ends(&c, 240, 1, 8);
	for (int v = 1; v <= 4; v++)
		put_rows(&c, v, 240);
	for (int v = 5; v <= 7; v++)
		put_rows(&c, v, 11);
	check_ends(&c, 1000, 1, 8);
	/* a year: as close as the pieces are */
	c = closer_of(&whole, 1024, 1025, 10000, SD);
	put_rows(&c, 2006, 10000);
	check_ends(&c, 10000, 2000, 2020);
	/* nothing at all: as it was */
	check_ends(&c, 10000, 1024, 2048);
	arena_free(&memory);
}

static void
test_heavy(void)
{
	pegs_grid	price = whole;
	pegs_cells	pieces;
	pegs_closer c;

	price.places = 15;
	c = closer_of(&price, 1, 8, 1000, SD);
	put_rows(&c, 2.994, 300);
	put_rows(&c, 4.99, 300);
	put_rows(&c, 5.00, 15);		/* of noise's size */
	put_rows(&c, 6.015, 120);	/* one in a crowd */
	put_rows(&c, 6.025, 100);
	put_rows(&c, 30, 300);		/* not kept */
	pegs_cells_open(noisy, c.grid.cells, &noise, 1, 64, 64, &pieces);
	pegs_closer_heavy(&env, &pieces, kept, 1000, &c);
	CHECK_INT(c.nheavy, 2);
	CHECK(c.heavy[0].edge.number == 299 && c.heavy[0].edge.power == -2 && c.heavy[0].rows == 300);
	CHECK(c.heavy[1].edge.number == 499 && c.heavy[1].edge.power == -2 && fabs(c.heavy[1].value - 4.99) < 1e-9);
	/* not of less than a fiftieth */
	c.nheavy = 0;
	pegs_closer_heavy(&env, &pieces, kept, 16000, &c);
	CHECK_INT(c.nheavy, 0);
	/* longer pieces are no values */
	memset(noisy, 0, sizeof(noisy));
	c = closer_of(&whole, 1024, 1025, 1000, SD);
	put_rows(&c, 2006, 1000);
	pegs_cells_open(noisy, c.grid.cells, &noise, 1, 64, 64, &pieces);
	pegs_closer_heavy(&env, &pieces, kept, 1000, &c);
	CHECK_INT(c.nheavy, 0);
	memset(noisy, 0, sizeof(noisy));
	arena_free(&memory);
}

int
main(void)
{
	make_grid();
	test_pieces();
	test_ends();
	test_heavy();
	return unit_done("closer_test");
}
