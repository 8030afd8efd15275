/*
 * multinomial_test.c
 *	  Is what is found the least of the objective, and what regressions are known to say?
 */
#include "core/regression/multinomial.h"

#include <string.h>

#include "fixture.h"
#include "unit.h"

#define MOST_COLUMNS 5

/* The last column on all before it. */
static pegs_layout
last_on_others(uint32_t ncols, const uint32_t *levels)
{
	uint32_t	parent_start[MOST_COLUMNS + 1] = {0};
	uint16_t	parents[MOST_COLUMNS];
	pegs_layout layout;

	for (uint16_t i = 0; i + 1u < ncols; i++)
		parents[i] = i;
	parent_start[ncols] = ncols - 1;
	CHECK(pegs_layout_conditional(&env, ncols, levels, parent_start, parents, 0, &layout, NULL) == PEGS_OK);
	return layout;
}

/* Its table. */
static uint64_t *
no_rows(const pegs_layout *layout)
{
	return env.alloc(env.context, sizeof(uint64_t) * layout->keys[layout->ncols - 1] * layout->levels[layout->ncols - 1]);
}

/* With rows; some combinations have none. */
static uint64_t *
made_up(const pegs_layout *layout, uint8_t key)
{
	uint64_t   *cell = no_rows(layout);
	uint32_t	last = layout->ncols - 1;

	start(key);
	for (uint64_t k = 0; k < layout->keys[last]; k++)
		for (uint32_t j = 0; j < layout->levels[last]; j++)
			cell[k * layout->levels[last] + j] = k % 5 == 3 ? 0 : pegs_rng_below(&rng, 30) * (1 + (k + j) % 3 * 4);
	return cell;
}

static double *
fitted(const pegs_layout *layout, const uint64_t *cells, pegs_multinomial *data, double lambda, double l1_ratio)
{
	double	   *coef;

	pegs_multinomial_of(&env, layout, cells, layout->ncols - 1, data);
	coef = env.alloc(env.context, sizeof(double) * data->nfeatures * data->levels);
	pegs_multinomial_fit(&env, data, lambda, l1_ratio, coef);
	return coef;
}

/* The gradient of the mean loss at coef, from its definition. */
static double *
gradient_of(const pegs_multinomial *data, const double *coef)
{
	double	   *gradient = env.alloc(env.context, sizeof(double) * data->nfeatures * data->levels);
	double	   *share = env.alloc(env.context, sizeof(double) * data->levels);

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
	for (uint64_t i = 0; i < data->nfeatures * data->levels; i++)
		gradient[i] -= data->xy[i];
	return gradient;
}

/*
 * What must hold at the least (Karush, Kuhn, Tucker): the gradient is 0 for the
 * constant, that of the penalty with its sign reversed where a coefficient is
 * not 0, and at most lambda a where it is.
 */
static void
test_least(void)
{
	static const uint32_t levels[] = {3, 2, 4, 5};
	static const double lambda[] = {0.05, 0.01, 1e-3, 2e-4};
	static const double l1_ratio[] = {0, 0.5, 1};

	for (int t = 0; t < 12; t++)
	{
		pegs_layout layout = last_on_others(4, levels);
		double		l1 = lambda[t % 4] * l1_ratio[t / 4];
		double		l2 = lambda[t % 4] * (1 - l1_ratio[t / 4]);
		pegs_multinomial data;
		double	   *coef = fitted(&layout, made_up(&layout, (uint8_t) t), &data, lambda[t % 4], l1_ratio[t / 4]);
		double	   *gradient = gradient_of(&data, coef);
		double		worst = 0;
		int			zeros = 0;

		CHECK_INT(data.nfeatures, 10);
		for (uint64_t i = 0; i < data.nfeatures * 5; i++)
		{
			double		off = i < 5 ? fabs(gradient[i]) : coef[i] == 0 ? fmax(0, fabs(gradient[i]) - l1)
				: fabs(gradient[i] + l1 * (coef[i] > 0 ? 1 : -1) + l2 * coef[i]);

			worst = fmax(worst, off);
			zeros += i >= 5 && coef[i] == 0;
		}
		if (!CHECK(worst < 2e-6))
			printf("  lambda %g, l1_ratio %g: off by %g\n", lambda[t % 4], l1_ratio[t / 4], worst);
		/* and a penalty on absolute values makes zeros, one on squares none */
		CHECK(l1_ratio[t / 4] > 0 || zeros == 0);
		CHECK(l1_ratio[t / 4] == 0 || lambda[t % 4] < 0.01 || zeros > 0);
		arena_free(&memory);
	}
}

/* Without a penalty and with one parent, the shares are those of the table; of two by two, a coefficient is a log odds ratio. */
static void
test_saturated(void)
{
	static const uint32_t levels[2] = {2, 2};
	static const uint32_t wide[2] = {4, 3};
	static const uint64_t two_by_two[4] = {300, 100, 50, 250};
	static const uint64_t four_by_three[12] = {10, 20, 70, 5, 5, 5, 100, 20, 1, 3, 9, 27};
	pegs_layout layout = last_on_others(2, levels);
	pegs_multinomial data;
	double	   *coef = fitted(&layout, two_by_two, &data, 0, 0);
	double		share[3];

	/* features: constant, level 0, level 1; each of two levels */
	CHECK_NEAR((coef[5] - coef[4]) - (coef[3] - coef[2]), log(300.0 * 250 / (100.0 * 50)), 1e-5);

	layout = last_on_others(2, wide);
	coef = fitted(&layout, four_by_three, &data, 0, 0);
	for (uint16_t x = 0; x < 4; x++)
	{
		const uint64_t *row = four_by_three + x * 3;

		CHECK(pegs_multinomial_shares(3, 1, data.first, &x, coef, share));
		for (int j = 0; j < 3; j++)
			CHECK_NEAR(share[j], (double) row[j] / (double) (row[0] + row[1] + row[2]), 1e-3);
	}
	arena_free(&memory);
}

/* A column without parents: its own shares, whatever lambda is. */
static void
test_alone(void)
{
	static const uint32_t levels[1] = {4};
	static const uint64_t counts[4] = {1, 0, 60, 39};
	pegs_layout layout = last_on_others(1, levels);
	pegs_multinomial data;
	double	   *coef = fitted(&layout, counts, &data, 1, 1);
	double		share[4];

	CHECK(pegs_multinomial_shares(4, 0, data.first, NULL, coef, share));
	CHECK_NEAR(share[0], 0.01, 1e-3);
	CHECK(share[1] < 2e-3);
	CHECK_NEAR(share[2], 0.6, 1e-2);
	CHECK_NEAR(share[3], 0.39, 1e-2);
	arena_free(&memory);
}

/* Counts that no regression can be right about leave finite coefficients; no rows, none at all. */
static void
test_hard(void)
{
	static const uint32_t levels[4] = {1, 2, 300, 2};
	pegs_layout layout = last_on_others(4, levels);
	uint64_t   *cells = no_rows(&layout);
	pegs_multinomial data;
	double	   *coef = fitted(&layout, cells, &data, 0.01, 0.5);
	double		share[2];
	uint16_t	x[3] = {0, 1, 299};

	CHECK_INT(data.n, 0);
	for (uint64_t i = 0; i < data.nfeatures * 2; i++)
		CHECK(coef[i] == 0);
	/* the level follows from the parents, without a penalty: coefficients would go to infinity */
	for (uint64_t key = 0; key < layout.keys[3]; key++)
		cells[key * 2 + key % 2] = (UINT64_C(1) << 46) / layout.keys[3];
	for (int l1 = 0; l1 < 2; l1++)
	{
		coef = fitted(&layout, cells, &data, 0, l1);
		for (uint64_t i = 0; i < data.nfeatures * 2; i++)
			CHECK(isfinite(coef[i]));
	}
	CHECK(pegs_multinomial_shares(2, 3, data.first, x, coef, share) && share[1] > 0.99);
	/* a coefficient from somewhere that leads to what is no number: as if there were no rows */
	coef[0] = 1.7e308;
	coef[(data.first[1] + 1) * 2] = 1.7e308;
	CHECK(!pegs_multinomial_shares(2, 3, data.first, x, coef, share));
	pegs_multinomial_fit(&env, &data, 0.01, 0.5, coef);
	for (uint64_t i = 0; i < data.nfeatures * 2; i++)
		CHECK(coef[i] == 0);
	arena_free(&memory);
}

/* The same for the same counts, in whatever memory; all that was taken is given back; asked whether to stop. */
static void
test_memory(void)
{
	static const uint32_t levels[] = {20, 12, 4, 50};
	pegs_layout layout = last_on_others(4, levels);
	uint64_t   *cells = made_up(&layout, 7);
	pegs_env	saved = env;
	pegs_multinomial data;
	double	   *first = fitted(&layout, cells, &data, 1e-3, 0.5);
	size_t		bytes = sizeof(double) * data.nfeatures * data.levels;
	double	   *coef = env.alloc(env.context, bytes);
	size_t		live = memory.live;
	size_t		checks = memory.checks;

	env = arena_env_freeing(&memory);
	pegs_multinomial_of(&env, &layout, cells, 3, &data);
	pegs_multinomial_fit(&env, &data, 1e-3, 0.5, coef);
	pegs_multinomial_free(&env, &data);
	(void) pegs_multinomial_loss(&env, &layout, cells, 3, coef);
	CHECK_INT(memory.live, live);
	CHECK(memory.checks > checks + 100);
	CHECK(memcmp(first, coef, bytes) == 0);
	env = saved;
	arena_free(&memory);
}

/* The loss, from its definition; and it is less than that of the column's own shares. */
static void
test_loss(void)
{
	static const uint32_t levels[] = {3, 4, 5};
	pegs_layout layout = last_on_others(3, levels);
	uint64_t   *cells = made_up(&layout, 9);
	pegs_multinomial data;
	double	   *coef = fitted(&layout, cells, &data, 1e-3, 0.5);
	double		loss = pegs_multinomial_loss(&env, &layout, cells, 2, coef);
	double		rows = 0;
	double		by_hand = 0;
	double		alone = 0;
	double		share[5];

	for (uint16_t key = 0; key < 12; key++)
	{
		uint16_t	x[2] = {key / 4, key % 4};

		CHECK(pegs_multinomial_shares(5, 2, data.first, x, coef, share));
		for (int j = 0; j < 5; j++)
		{
			double		n = (double) cells[key * 5 + j];

			rows += n;
			by_hand -= n * log(share[j]);
			alone -= n * log(data.xy[j]);
		}
	}
	CHECK_NEAR(loss, by_hand / rows, 1e-12);
	CHECK(loss < alone / rows - 0.01);
	memset(cells, 0, sizeof(uint64_t) * 60);
	CHECK(pegs_multinomial_loss(&env, &layout, cells, 2, coef) == 0);
	arena_free(&memory);
}

/* A key has a tail bit behind its levels: rows that differ in it alone are rows with the same levels. */
static void
test_tail_bits(void)
{
	static const uint32_t levels[2] = {3, 2};
	static const uint32_t parent_start[3] = {0, 0, 1};
	static const uint16_t parents[1] = {0};
	static const uint64_t counts[6] = {10, 20, 40, 10, 30, 25};
	static const uint64_t with_bits[12] = {10, 0, 0, 20, 4, 9, 36, 1, 30, 25, 0, 0};
	pegs_layout layout = last_on_others(2, levels);
	pegs_layout bits;
	pegs_multinomial data;
	double	   *coef = fitted(&layout, counts, &data, 0.01, 0.5);
	double	   *other;

	CHECK(pegs_layout_conditional(&env, 2, levels, parent_start, parents, 1, &bits, NULL) == PEGS_OK);
	other = fitted(&bits, with_bits, &data, 0.01, 0.5);
	for (int i = 0; i < 8; i++)
		CHECK(fabs(coef[i] - other[i]) < 1e-5);
	arena_free(&memory);
}

/* Against a longer type; what is below e^-690 is that. */
static void
test_exp_below(void)
{
	start(11);
	CHECK(pegs_exp_below(0) == 1);
	CHECK(pegs_exp_below(-0.0) == 1);
	CHECK(pegs_exp_below(-INFINITY) == pegs_exp_below(-690));
	CHECK(pegs_exp_below(-1e300) == pegs_exp_below(-690));
	for (int i = 0; i < 200000; i++)
	{
		double		x = -690 * ldexp((double) any_size(UINT64_C(1) << 40), -40) * (i % 3 == 0 ? 1 : i % 3 == 1 ? 0.01 : 1e-9);
		long double is = expl(x);

		CHECK(fabsl(pegs_exp_below(x) - is) <= is * 0x1p-52L);
	}
}

int
main(void)
{
	test_least();
	test_saturated();
	test_alone();
	test_hard();
	test_memory();
	test_loss();
	test_tail_bits();
	test_exp_below();
	return unit_done("multinomial_test");
}
