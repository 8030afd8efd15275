/*
 * common_test.c
 *	  What pairs have in common: columns that follow one thing say of each other
 *	  what it is; where they follow nothing, nothing is lost, and a pair that
 *	  stands out stays.
 */
#include "core/graph/state.h"

#include <math.h>

#define STREAM_SALT [4] = 68
#include "fixture.h"
#include "unit.h"

#define M 16
#define SD 10.0

static uint32_t levels[M];
static pegs_pair pair[M * (M - 1) / 2];
static int32_t pair_of[M * M];
static pegs_fitted model;
static double alike[300];
static double *share[M];

/* Its sums over each line are 0, as those of a difference from independence are. */
static void
centre(double *z, uint32_t ka, uint32_t kb)
{
	for (uint32_t x = 0; x < ka; x++)
	{
		double		sum = 0;

		for (uint32_t y = 0; y < kb; y++)
			sum += z[x * kb + y];
		for (uint32_t y = 0; y < kb; y++)
			z[x * kb + y] -= sum / kb;
	}
	for (uint32_t y = 0; y < kb; y++)
	{
		double		sum = 0;

		for (uint32_t x = 0; x < ka; x++)
			sum += z[x * kb + y];
		for (uint32_t x = 0; x < ka; x++)
			z[x * kb + y] -= sum / ka;
	}
}

/*
 * Columns of two to four levels, wide: of 300 in all; `factors` things of this
 * size that all of them follow, and one pair that differs by 200 in each cell of
 * its corner besides. Mean square error of what is made of it, by that of what
 * was seen; *stands: of that pair.
 */
static double
made(uint32_t wide, uint32_t factors, double size, double apart, double *stands)
{
	pegs_graph_fit f = {.env = &env, .model = &model, .pair_of = pair_of, .covered = true};
	static double loading[M][300][3];
	double	   *truth[M * (M - 1) / 2];
	double	   *z[M * (M - 1) / 2];
	double		off = 0;
	double		seen = 0;
	uint32_t	p = 0;

	for (uint32_t i = 0; i < M; i++)
	{
		levels[i] = i == 0 && wide ? wide : 2 + i % 3;
		share[i] = alike;
		for (uint32_t l = 0; l < levels[i]; l++)
			for (uint32_t r = 0; r < 3; r++)
				loading[i][l][r] = any_normal() * sqrt(size);
	}
	model = (pegs_fitted) {.rows = 1000, .share = share, .ncols = M, .levels = levels, .npairs = M * (M - 1) / 2, .pair = pair};
	for (uint32_t i = 0; i < M; i++)
		for (uint32_t j = i + 1; j < M; j++, p++)
		{
			uint32_t	n = levels[i] * levels[j];
			double	   *noise = env.alloc(env.context, sizeof(double) * n);

			pair_of[i * M + j] = (int32_t) p;
			pair[p] = (pegs_pair) {.column = {i, j}, .k = {levels[i], levels[j]}, .variance = SD * SD * (p % 2 ? 1 : 2)};
			truth[p] = env.alloc(env.context, sizeof(double) * n);
			z[p] = env.alloc(env.context, sizeof(double) * n);
			for (uint32_t c = 0; c < n; c++)
			{
				truth[p][c] = 0;
				for (uint32_t r = 0; r < factors; r++)
					truth[p][c] += loading[i][c / levels[j]][r] * loading[j][c % levels[j]][r];
				noise[c] = any_normal() * sqrt(pair[p].variance);
			}
			if (i == 3 && j == 7)
				truth[p][0] += apart * 4;
			centre(truth[p], levels[i], levels[j]);
			centre(noise, levels[i], levels[j]);
			for (uint32_t c = 0; c < n; c++)
				z[p][c] = truth[p][c] + noise[c];
		}
	for (p = 0; p < model.npairs; p++)
		for (uint32_t c = 0; c < pair[p].k[0] * pair[p].k[1]; c++)
			seen += pow(z[p][c] - truth[p][c], 2);
	pegs_keep_common(&f, z);
	for (p = 0; p < model.npairs; p++)
		for (uint32_t c = 0; c < pair[p].k[0] * pair[p].k[1]; c++)
			off += pow(z[p][c] - truth[p][c], 2);
	p = (uint32_t) pair_of[3 * M + 7];
	*stands = z[p][0] / truth[p][0];
	arena_free(&memory);
	return off / seen;
}

static void
test_common(void)
{
	double		stands;

	/* nothing: noise goes */
	CHECK(made(0, 0, 0, 0, &stands) < 0.05);
	/* one, two, three things: 29 numbers each, of 404 */
	for (uint32_t n = 1; n <= 3; n++)
		CHECK(made(0, n, 100, 0, &stands) < 0.12 + 0.08 * n);
	/* a pair that has more than that keeps it */
	CHECK(made(0, 1, 100, 200, &stands) < 0.3);
	CHECK(stands > 0.85 && stands < 1.15);
	/* more things than numbers of a column: not more than was seen */
	CHECK(made(0, 3, 10000, 0, &stands) < 1);
	/* many levels: by themselves */
	CHECK(made(300, 1, 100, 0, &stands) < 1);
}

/* Two columns, three of two levels: too few to have something in common. Nothing to divide by. */
static void
test_few(void)
{
	uint32_t	two[3] = {2, 2, 2};
	double		z[3][4] = {{50, -50, -50, 50}, {50, -50, -50, 50}, {0, 0, 0, 0}};
	double	   *d[3] = {z[0], z[1], z[2]};
	pegs_pair	three[3] = {{.column = {0, 1}, .k = {2, 2}, .variance = 1}, {.column = {0, 2}, .k = {2, 2}, .variance = 1}, {.column = {1, 2}, .k = {2, 2}, .variance = 1e30}};
	int32_t		number[9] = {-1, 0, 1, 0, -1, 2, 1, 2, -1};
	pegs_graph_fit f = {.env = &env, .model = &model, .pair_of = number, .covered = true};

	model = (pegs_fitted) {.rows = 1000, .share = share, .ncols = 3, .levels = two, .npairs = 3, .pair = three};
	pegs_keep_common(&f, d);
	CHECK(z[0][0] > 49 && z[0][0] <= 50 && z[1][1] < -49 && z[2][0] == 0);
	arena_free(&memory);
}

int
main(void)
{
	start(1);
	for (int i = 0; i < 300; i++)
		alike[i] = 0.3;
	test_common();
	test_few();
	return unit_done("common_test");
}
