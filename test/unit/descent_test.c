/*
 * descent_test.c
 *	  Do the lines of a descent say what the rows say, and does a pass only ever
 *	  come closer?
 */
#include "core/graph/descent.h"

#include <math.h>
#include <string.h>

#define STREAM_SALT [6] = 7
#include "fixture.h"
#include "unit.h"

#define COLUMNS 5
#define ROWS 700
#define TABLES 3

static const pegs_zeros none;
static const uint32_t levels[COLUMNS] = {3, 20, 1, 5, 400};
static const uint32_t table_of[TABLES][2] = {{0, 1}, {1, 3}, {3, 4}};

static pegs_descent d;
static uint16_t *codes[COLUMNS];
static double *share[COLUMNS];
static double *measured[TABLES];
static uint16_t *class_of[TABLES][2];
static uint32_t k[TABLES][2];
static double *expected[COLUMNS][COLUMNS];
static const uint32_t triple[3] = {0, 1, 3};
static double *of_triple;		/* [levels of 0][of 1][of 3] */

static double *
some_shares(size_t n)
{
	double	   *p = env.alloc(env.context, sizeof(double) * n);
	double		sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += p[i] = pegs_rng_double(&rng);
	for (size_t i = 0; i < n; i++)
		p[i] /= sum;
	return p;
}

/* From here on all pairs count, too: they are off by what the rows are, as they are now. */
static void
compare_all_pairs(void)
{
	pegs_descent_all_pairs(&d);
	for (uint32_t a = 0; a < COLUMNS; a++)
		for (uint32_t b = a + 1; b < COLUMNS; b++)
		{
			size_t		cells = (size_t) d.column[a].places * d.column[b].places;
			uint32_t   *count = env.alloc(env.context, sizeof(uint32_t) * pegs_descent_count_room(cells));
			double	   *excess = env.alloc(env.context, sizeof(double) * cells);

			expected[a][b] = some_shares(cells);
			for (uint32_t r = 0; r < ROWS; r++)
				excess[(size_t) d.column[a].place_of[codes[a][r]] * d.column[b].places + d.column[b].place_of[codes[b][r]]] += 1;
			pegs_descent_count(&d, a, b, count);
			for (size_t i = 0; i < cells; i++)
			{
				CHECK(count[i] == excess[i]);
				excess[i] -= ROWS * expected[a][b][i];
			}
			if (d.column[a].places > 1 && d.column[b].places > 1)
				pegs_descent_pair(&d, a, b, excess);
		}
}

/* Random rows, and tables that they do not follow. coarse: the last column has a place for ten levels. */
static void
make(const pegs_zeros *zeros, bool coarse, bool lines)
{
	bool		cut[400];

	for (uint32_t i = 0; i < COLUMNS; i++)
	{
		codes[i] = env.alloc(env.context, sizeof(uint16_t) * ROWS);
		for (uint32_t r = 0; r < ROWS; r++)
			codes[i][r] = (uint16_t) pegs_rng_below(&rng, levels[i]);
	}
	pegs_descent_init(&env, &d, zeros, COLUMNS, levels, &rng, ROWS, codes, TABLES, 1);
	for (uint32_t l = 0; l < 400; l++)
		cut[l] = l % 10 == 0;
	if (coarse)
		pegs_descent_places(&d, 4, cut);
	for (uint32_t i = 0; i < COLUMNS; i++)
		pegs_descent_oneway(&d, i, share[i] = some_shares(levels[i]));
	if (lines)
		pegs_descent_lines(&d);
	for (uint32_t q = 0; q < TABLES; q++)
	{
		for (int x = 0; x < 2; x++)
		{
			/* the first on its levels, the second on pairs of them, the third on many: not merged */
			uint32_t	wide = (uint32_t[]) {1, 2, 40}[q];
			uint32_t	n = levels[table_of[q][x]];

			class_of[q][x] = env.alloc(env.context, sizeof(uint16_t) * n);
			for (uint32_t l = 0; l < n; l++)
				class_of[q][x][l] = (uint16_t) (l / wide);
			k[q][x] = (n - 1) / wide + 1;
		}
		measured[q] = some_shares((size_t) k[q][0] * k[q][1]);
		pegs_descent_table(&d, table_of[q], k[q], class_of[q], 1.0 / (1 + q), measured[q]);
	}
	of_triple = some_shares(3 * 20 * 5);
	pegs_descent_triple(&d, triple, 0.5, of_triple);
}

/* What the rows are off of table q, cell by cell, weighted. */
static double *
off_table(uint32_t q)
{
	size_t		cells = (size_t) k[q][0] * k[q][1];
	double	   *off = env.alloc(env.context, sizeof(double) * cells);

	for (uint32_t r = 0; r < ROWS; r++)
		off[(size_t) class_of[q][0][codes[table_of[q][0]][r]] * k[q][1] + class_of[q][1][codes[table_of[q][1]][r]]] += 1;
	for (size_t i = 0; i < cells; i++)
		off[i] = (off[i] - ROWS * measured[q][i]) / (1 + q);
	return off;
}

static double *
off_pair(uint32_t a, uint32_t b)
{
	uint32_t	kb = d.column[b].places;
	size_t		cells = (size_t) d.column[a].places * kb;
	double	   *off = env.alloc(env.context, sizeof(double) * cells);

	for (uint32_t r = 0; r < ROWS; r++)
		off[(size_t) d.column[a].place_of[codes[a][r]] * kb + d.column[b].place_of[codes[b][r]]] += 1;
	for (size_t i = 0; i < cells; i++)
		off[i] -= ROWS * expected[a][b][i];
	return off;
}

static double *
off_triple(void)
{
	double	   *off = env.alloc(env.context, sizeof(double) * 3 * 20 * 5);

	for (uint32_t r = 0; r < ROWS; r++)
		off[(codes[0][r] * 20 + codes[1][r]) * 5 + codes[3][r]] += 1;
	for (size_t i = 0; i < 3 * 20 * 5; i++)
		off[i] = (off[i] - ROWS * of_triple[i]) / 2;
	return off;
}

static double
objective(bool all_pairs)
{
	double	   *off_three = off_triple();
	double		sum = 0;

	for (size_t i = 0; i < 3 * 20 * 5; i++)
		sum += off_three[i] * off_three[i] * 2;

	for (uint32_t i = 0; i < COLUMNS; i++)
	{
		double		off[400] = {0};

		for (uint32_t r = 0; r < ROWS; r++)
			off[codes[i][r]] += 1;
		for (uint32_t l = 0; l < levels[i]; l++)
			sum += pow(off[l] - ROWS * share[i][l], 2);
	}
	for (uint32_t q = 0; q < TABLES; q++)
	{
		double	   *off = off_table(q);

		for (size_t i = 0; i < (size_t) k[q][0] * k[q][1]; i++)
			sum += off[i] * off[i] * (1 + q);
	}
	for (uint32_t a = 0; all_pairs && a < COLUMNS; a++)
		for (uint32_t b = a + 1; b < COLUMNS; b++)
		{
			double	   *off = off_pair(a, b);

			for (size_t i = 0; d.column[a].places > 1 && d.column[b].places > 1 && i < (size_t) d.column[a].places * d.column[b].places; i++)
				sum += off[i] * off[i];
		}
	return sum;
}

/* Both lines of a cell, as the rows are now: the tables that are part of it, and its pair where all pairs count. */
static void
check_lines(bool all_pairs)
{
	double		most = 0;

	for (uint32_t a = 0; a < COLUMNS; a++)
		for (uint32_t b = a + 1; b < COLUMNS; b++)
		{
			const pegs_descent_column *ca = &d.column[a];
			const pegs_descent_column *cb = &d.column[b];
			double	   *off = all_pairs ? off_pair(a, b) : env.alloc(env.context, sizeof(double) * ca->places * cb->places);

			if (ca->places == 1 || cb->places == 1)
				continue;
			for (uint32_t q = 0; q < TABLES; q++)
			{
				double	   *of_table = off_table(q);

				for (uint32_t i = 0; d.table[q].merged && table_of[q][0] == a && table_of[q][1] == b && i < ca->places; i++)
					for (uint32_t j = 0; j < cb->places; j++)
						off[(size_t) i * cb->places + j] += of_table[(size_t) class_of[q][0][ca->first[i]] * k[q][1] + class_of[q][1][cb->first[j]]];
			}
			for (uint32_t i = 0; i < ca->places; i++)
				for (uint32_t j = 0; j < cb->places; j++)
				{
					double		is = off[(size_t) i * cb->places + j];

					most = fmax(most, fabs(ca->lines[(size_t) (cb->before - ca->places + ca->own_lines + j) * ca->stride + i] - is));
					most = fmax(most, fabs(cb->lines[(size_t) (ca->before + i) * cb->stride + j] - is));
				}
		}
	CHECK(most < 1e-3);
}

/* All three lines of a cell of three columns. */
static void
check_triple(void)
{
	double	   *off = off_triple();
	double		most = 0;

	for (uint32_t x = 0; x < 3; x++)
		for (uint32_t i = 0; i < 3; i++)
			for (uint32_t j = 0; j < 20; j++)
				for (uint32_t l = 0; l < 5; l++)
				{
					const uint32_t at[3] = {i, j, l};
					const uint32_t room = d.column[triple[x]].room;
					const uint32_t before = x == 0 ? j * 5 + l : x == 1 ? i * 5 + l : i * 20 + j;

					most = fmax(most, fabs(d.column[triple[x]].seen3[0].line[x][before * room + at[x]] - off[(i * 20 + j) * 5 + l]));
				}
	CHECK(most < 1e-3);
}

/* The least excess of each place's levels, where a place is of several. */
static void
check_least(void)
{
	for (uint32_t i = 0; i < COLUMNS; i++)
	{
		const pegs_descent_column *c = &d.column[i];

		CHECK((c->least != NULL) == (c->places < c->levels));
		for (uint32_t p = 0; c->least && p < c->places; p++)
		{
			float		least = INFINITY;

			for (uint32_t l = c->first[p]; l < c->first[p + 1]; l++)
				least = fminf(least, c->excess[l]);
			CHECK(c->least[p] == least);
		}
	}
}

/* Passes by tables that have lines of their own, then by such that are part of the pairs' lines, then with all pairs. */
static void
test_passes(void)
{
	for (uint8_t kind = 0; kind < 3; kind++)
	{
		bool		lines = kind > 0;
		double		before;

		start(kind);
		make(&none, kind == 2, lines);
		CHECK(!lines || (d.table[0].merged && d.table[1].merged && !d.table[2].merged));
		CHECK(!lines || (d.table[0].of_places && !d.table[1].of_places));
		CHECK_INT(d.column[4].places, kind == 2 ? 40 : 400);
		before = objective(false);
		for (int pass = 0; pass < (lines ? 8 : 4); pass++)
		{
			bool		all_pairs = pass >= 4;
			double		now;

			if (pass == 4)
			{
				compare_all_pairs();
				before = objective(true);
			}
			pegs_descent_pass(&d, d.n);
			now = objective(all_pairs);
			CHECK(pass % 4 == 0 ? now < before * 0.8 : now <= before);
			before = now;
			if (lines)
				check_lines(all_pairs);
			check_least();
			check_triple();
		}
		for (uint32_t i = 0; i < COLUMNS; i++)
			for (uint32_t r = 0; r < ROWS; r++)
				CHECK(codes[i][r] < levels[i]);
		arena_free(&memory);
	}
}

/* What a row's lines add up to in a narrow column is right when it is visited, whatever changed before. */
static void
test_sums(void)
{
	uint32_t	moved = 0;
	double		most = 0;

	start(30);
	make(&none, false, true);
	compare_all_pairs();
	for (uint32_t r = 0; r < ROWS; r++)
	{
		const pegs_descent_column *c = &d.column[3];
		uint16_t	was[COLUMNS];

		for (uint32_t i = 0; i < COLUMNS; i++)
			was[i] = codes[i][r];
		d.order[0] = r;
		pegs_descent_pass(&d, 1);
		if (codes[3][r] != was[3])
			continue;			/* its own change is not in it */
		moved += codes[0][r] != was[0] || codes[1][r] != was[1];
		for (uint32_t p = 0; p < c->places; p++)
		{
			double		sum = 0;

			for (uint32_t i = 0; i < COLUMNS; i++)
				sum += c->lines[(size_t) (d.column[i].before + d.column[i].place_of[codes[i][r]]) * c->stride + p];
			most = fmax(most, fabs(sum - d.sum[c->offset + p]));
		}
	}
	CHECK(moved > 50);
	CHECK(most < 1e-2);
	arena_free(&memory);
}

/* Two columns of two levels that shall be equal: half of the rows of each, one after the other, are not. */
static void
test_two(void)
{
	const uint32_t two[2] = {2, 2};
	const uint32_t which[2] = {0, 1};
	double		half[2] = {0.5, 0.5};
	double		equal[4] = {0.5, 0, 0, 0.5};
	uint16_t	same[2] = {0, 1};
	uint16_t   *both[2] = {same, same};
	uint16_t	x[100];
	uint16_t	y[100];
	uint16_t   *rows[2] = {x, y};
	uint32_t	apart = 0;

	start(10);
	for (int r = 0; r < 100; r++)
	{
		x[r] = r % 2;
		y[r] = r / 2 % 2;
	}
	pegs_descent_init(&env, &d, &none, 2, two, &rng, 100, rows, 1, 0);
	for (uint32_t i = 0; i < 2; i++)
		pegs_descent_oneway(&d, i, half);
	pegs_descent_table(&d, which, two, both, 1, equal);
	pegs_descent_pass(&d, d.n);
	pegs_descent_pass(&d, d.n);
	for (int r = 0; r < 100; r++)
		apart += x[r] != y[r];
	CHECK(apart <= 2);
	arena_free(&memory);
}

/* A table on two classes that all rows agree with: inside them it has no say, however much it weighs. */
static void
test_inside_classes(void)
{
	const uint32_t four[2] = {4, 2};
	const uint32_t two[2] = {2, 2};
	const uint32_t which[2] = {0, 1};
	double		quarters[4] = {0.25, 0.25, 0.25, 0.25};
	double		half[2] = {0.5, 0.5};
	uint16_t	halves[4] = {0, 0, 1, 1};
	uint16_t	same[2] = {0, 1};
	uint16_t   *of[2] = {halves, same};
	uint16_t	x[400];
	uint16_t	y[400];
	uint16_t   *rows[2] = {x, y};
	bool		cut[4] = {true, false, true, false};

	for (int coarse = 0; coarse < 2; coarse++)
	{
		int			count[4] = {0};

		start(11);
		for (int r = 0; r < 400; r++)
		{
			x[r] = r % 2 * 2;
			y[r] = r / 2 % 2;
		}
		pegs_descent_init(&env, &d, &none, 2, four, &rng, 400, rows, 1, 0);
		if (coarse)
			pegs_descent_places(&d, 0, cut);
		pegs_descent_oneway(&d, 0, quarters);
		pegs_descent_oneway(&d, 1, half);
		pegs_descent_table(&d, which, two, of, 60, quarters);
		pegs_descent_pass(&d, d.n);
		for (int r = 0; r < 400; r++)
			count[x[r]]++;
		for (int l = 0; l < 4; l++)
			CHECK(abs(count[l] - 100) <= 1);
		arena_free(&memory);
	}
}

/* What is forbidden is not made, whatever the tables want. */
static void
test_zeros(void)
{
	bool		first[3] = {false, true, true};
	bool		second[20] = {true, true, true, true, true, true, true};
	pegs_zero	zero = {.n = 2, .column = {0, 1}, .level = {first, second}};
	pegs_zeros	zeros = {1, &zero};

	for (uint8_t kind = 0; kind < 2; kind++)
	{
		start(20 + kind);
		make(&zeros, false, kind);
		/* as many as there are */
		for (uint32_t r = 0; r < ROWS; r++)
			d.codes[0][r] = first[d.codes[0][r]] && second[d.codes[1][r]] ? 0 : d.codes[0][r];
		if (kind)
			compare_all_pairs();
		pegs_descent_pass(&d, d.n);
		for (uint32_t r = 0; r < ROWS; r++)
			CHECK(!(first[codes[0][r]] && second[codes[1][r]]));
		arena_free(&memory);
	}
}

/* Two columns, of the first two places that have more levels than a run: rows are all of its first levels. */
static void
make_wide(const pegs_zeros *zeros, uint16_t **rows)
{
	const uint32_t wide[2] = {1000, 2};
	double	   *alike = env.alloc(env.context, sizeof(double) * 1000);
	double		half[2] = {0.5, 0.5};
	bool		cut[1000] = {[0] = true, [300] = true};

	for (int i = 0; i < 2; i++)
		rows[i] = env.alloc(env.context, sizeof(uint16_t) * 2000);
	for (int r = 0; r < 2000; r++)
	{
		rows[0][r] = (uint16_t) (r % 10);
		rows[1][r] = (uint16_t) (r % 2);
	}
	for (int l = 0; l < 1000; l++)
		alike[l] = 0.001;
	pegs_descent_init(&env, &d, zeros, 2, wide, &rng, 2000, rows, 0, 0);
	pegs_descent_places(&d, 0, cut);
	pegs_descent_oneway(&d, 0, alike);
	pegs_descent_oneway(&d, 1, half);
}

/* A place of many levels is looked at by runs of them: the best level is found all the same. */
static void
test_runs(void)
{
	const pegs_descent_column *c;
	uint16_t   *rows[2];
	int			count[1000] = {0};

	start(40);
	make_wide(&none, rows);
	c = &d.column[0];
	for (int pass = 0; pass < 3; pass++)
	{
		pegs_descent_pass(&d, d.n);
		for (uint32_t l = 0; l < 1000; l += PEGS_DESCENT_RUN)
		{
			float		least = INFINITY;

			for (uint32_t i = l; i < l + PEGS_DESCENT_RUN && i < 1000; i++)
				least = fminf(least, c->excess[i]);
			CHECK(l + PEGS_DESCENT_RUN > 1000 || c->least_run[l / PEGS_DESCENT_RUN] == least);
		}
		for (uint32_t p = 0; p < 2; p++)
		{
			float		least = INFINITY;

			for (uint32_t l = c->first[p]; l < c->first[p + 1]; l++)
				least = fminf(least, c->excess[l]);
			CHECK(c->least[p] == least);
		}
	}
	for (int r = 0; r < 2000; r++)
		count[rows[0][r]]++;
	for (int l = 0; l < 1000; l++)
		CHECK(count[l] == 2);
	arena_free(&memory);
}

/* Somebody may want to stop, however many zeros each of many levels is in. */
static void
test_stop(void)
{
	static bool nothing[1000];
	static bool second_half[1000];
	static pegs_zero zero[500];
	pegs_zeros	zeros = {500, zero};
	uint16_t   *rows[2];
	size_t		before;

	for (int z = 0; z < 500; z++)
		zero[z] = (pegs_zero) {.n = 1, .column = {0}, .level = {z == 499 ? second_half : nothing}};
	for (int l = 500; l < 1000; l++)
		second_half[l] = true;
	start(41);
	make_wide(&zeros, rows);
	before = memory.checks;
	pegs_descent_pass(&d, d.n);
	/* nearly every row looks at 500 levels that may not be, in 500 zeros each */
	CHECK(memory.checks - before > 4000);
	for (int r = 0; r < 2000; r++)
		CHECK(rows[0][r] < 500);
	arena_free(&memory);
}

int
main(void)
{
	test_passes();
	test_sums();
	test_two();
	test_inside_classes();
	test_zeros();
	test_runs();
	test_stop();
	return unit_done("descent_test");
}
