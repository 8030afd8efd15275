/*
 * gradient_test.c
 *	  Is a pass the gradient by its definition, however parents are taken together and wherever rows come from?
 */
#include "core/regression/gradient.h"

#include <string.h>

#include "fixture.h"
#include "unit.h"

#define PARENTS 4
#define ROWS 2500				/* three blocks */

static uint16_t code[PARENTS][ROWS];

/* Rows of parents with so many levels, each of a share; kept: the same in memory, each as often as it counts. */
static pegs_multinomial
rows_of(const uint32_t *width, uint32_t levels, bool kept, bool times)
{
	pegs_multinomial data = {.levels = levels, .nparents = PARENTS, .n = ROWS};
	uint32_t	often[PEGS_CHUNK];
	pegs_kept  *rows = kept ? pegs_kept_new(&env, PARENTS, width) : NULL;

	data.width = env.alloc(env.context, sizeof(uint32_t) * PARENTS);
	data.first = env.alloc(env.context, sizeof(uint64_t) * (PARENTS + 1));
	data.column = env.alloc(env.context, sizeof(uint16_t) * PARENTS);
	data.x = env.alloc(env.context, sizeof(uint16_t) * ROWS * PARENTS);
	data.share = env.alloc(env.context, sizeof(double) * ROWS);
	data.first[0] = 1;
	start(1);
	for (uint32_t p = 0; p < PARENTS; p++)
	{
		/* the first parent is the last column */
		data.column[p] = (uint16_t) (PARENTS - 1 - p);
		data.width[p] = width[data.column[p]];
		data.first[p + 1] = data.first[p] + data.width[p];
		for (uint32_t r = 0; r < ROWS; r++)
			code[data.column[p]][r] = data.x[r * PARENTS + p] = (uint16_t) pegs_rng_below(&rng, data.width[p]);
	}
	data.nfeatures = data.first[PARENTS];
	data.xy = env.alloc(env.context, sizeof(double) * data.nfeatures * levels);
	for (uint64_t i = 0; i < data.nfeatures * levels; i++)
		data.xy[i] = (double) pegs_rng_below(&rng, 1000) / 1e5;
	for (uint32_t r = 0; r < ROWS; r++)
		data.rows += times ? 1 + r % 3 : 1;
	for (uint32_t r = 0; r < ROWS; r++)
		data.share[r] = (times ? 1 + r % 3 : 1) / data.rows;
	for (uint32_t r = 0; kept && r < ROWS; r += PEGS_CHUNK)
	{
		uint16_t   *at[PARENTS];
		uint32_t	n = ROWS - r < PEGS_CHUNK ? ROWS - r : PEGS_CHUNK;

		for (uint32_t i = 0; i < PARENTS; i++)
			at[i] = code[i] + r;
		for (uint32_t i = 0; i < n; i++)
			often[i] = 1 + (r + i) % 3;
		pegs_kept_add(rows, at, times ? often : NULL, n);
	}
	data.kept = rows;
	return data;
}

static void
by_definition(const pegs_multinomial *data, const double *coef, double *gradient)
{
	double		share[300];

	for (uint64_t i = 0; i < data->nfeatures * data->levels; i++)
		gradient[i] = -data->xy[i];
	for (uint64_t h = 0; h < data->n; h++)
	{
		const uint16_t *x = data->x + h * data->nparents;

		CHECK(pegs_multinomial_shares(data->levels, data->nparents, data->first, x, coef, share));
		for (uint32_t j = 0; j < data->levels; j++)
		{
			gradient[j] += data->share[h] * share[j];
			for (uint32_t p = 0; p < data->nparents; p++)
				gradient[(data->first[p] + x[p]) * data->levels + j] += data->share[h] * share[j];
		}
	}
}

/* All parents together, in pairs, each alone; levels that are odd and even; twice, since what a pass leaves behind is not the next one's. */
static void
test_gradient(void)
{
	static const uint32_t width[3][PARENTS] = {{2, 3, 4, 5}, {30, 60, 1, 50}, {300, 200, 40, 7}};
	static const uint32_t levels[] = {1, 2, 5, 300};

	for (int t = 0; t < 3 * 4 * 3; t++)
	{
		pegs_multinomial data = rows_of(width[t % 3], levels[t / 3 % 4], t / 12 > 0, t / 12 == 2);
		uint64_t	n = data.nfeatures * data.levels;
		double	   *coef = env.alloc(env.context, sizeof(double) * n);
		double	   *gradient = env.alloc(env.context, sizeof(double) * n);
		double	   *wanted = env.alloc(env.context, sizeof(double) * n);
		pegs_gradient *g = pegs_gradient_new(&env, &data);

		for (int turn = 0; turn < 2; turn++)
		{
			double		worst = 0;

			for (uint64_t i = 0; i < n; i++)
				coef[i] = (double) pegs_rng_below(&rng, 4000) / 1000 - 2;
			CHECK(pegs_gradient_at(g, coef, gradient));
			by_definition(&data, coef, wanted);
			for (uint64_t i = 0; i < n; i++)
				worst = fmax(worst, fabs(gradient[i] - wanted[i]));
			CHECK(worst < 1e-12);
		}
		arena_free(&memory);
	}
}

/* A coefficient so large that there are no shares. */
static void
test_no_number(void)
{
	static const uint32_t width[PARENTS] = {2, 3, 4, 5};
	pegs_multinomial data = rows_of(width, 3, true, false);
	double	   *coef = env.alloc(env.context, sizeof(double) * data.nfeatures * 3);
	double	   *gradient = env.alloc(env.context, sizeof(double) * data.nfeatures * 3);
	pegs_gradient *g = pegs_gradient_new(&env, &data);

	coef[1] = coef[3 * data.first[1] + 1] = 1.7e308;
	CHECK(!pegs_gradient_at(g, coef, gradient));
	coef[1] = NAN;
	CHECK(!pegs_gradient_at(g, coef, gradient));
	/* as large as that goes */
	coef[1] = 1e300;
	coef[3 * data.first[1] + 1] = 0;
	CHECK(pegs_gradient_at(g, coef, gradient));
	for (uint64_t i = 0; i < data.nfeatures * 3; i++)
		CHECK(isfinite(gradient[i]));
	arena_free(&memory);
}

static void
test_memory(void)
{
	static const uint32_t width[PARENTS] = {300, 200, 40, 7};
	pegs_env	saved = env;
	pegs_multinomial data = rows_of(width, 300, false, false);
	double	   *coef = env.alloc(env.context, sizeof(double) * data.nfeatures * 300);
	double	   *gradient = env.alloc(env.context, sizeof(double) * data.nfeatures * 300);
	size_t		live = memory.live;
	size_t		checks = memory.checks;
	pegs_gradient *g;

	env = arena_env_freeing(&memory);
	g = pegs_gradient_new(&env, &data);
	CHECK(pegs_gradient_at(g, coef, gradient));
	pegs_gradient_free(g);
	CHECK_INT(memory.live, live);
	/* two million or more looks at numbers in less than a question each would take too long */
	CHECK(memory.checks >= checks + 5);
	env = saved;
	arena_free(&memory);
}

int
main(void)
{
	test_gradient();
	test_no_number();
	test_memory();
	return unit_done("gradient_test");
}
