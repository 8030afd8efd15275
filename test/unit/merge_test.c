/*
 * merge_test.c
 *	  Are the classes of a column nested, contiguous, and as heavy as they say?
 *
 * Every cut of random columns against the rule of merge.h, and the grids of
 * pairs of them: heavy enough, small enough, and no coarser than they must be.
 */
#include "core/graph/engine.h"
#include "core/column/merge.h"

#include <string.h>

#include "fixture.h"
#include "grouped.h"
#include "unit.h"

static void
check_cuts(const pegs_merge *m, const double *mass)
{
	uint32_t	n = m->levels;
	uint16_t   *fine = env.alloc(env.context, sizeof(uint16_t) * n);
	uint16_t   *class_of = env.alloc(env.context, sizeof(uint16_t) * n);
	double	   *fine_sum = NULL;
	bool		sound = true;

	for (uint32_t k = n; k >= 1; k--)
	{
		double	   *sum = env.alloc(env.context, sizeof(double) * n);
		double		lightest = INFINITY;

		pegs_merge_cut(m, k, class_of);
		sound = sound && class_of[0] == 0 && class_of[n - 1] == k - 1;
		for (uint32_t i = 0; i < n; i++)
		{
			/* contiguous; and what was together stays together */
			sound = sound && (i == 0 || class_of[i] == class_of[i - 1] || class_of[i] == class_of[i - 1] + 1);
			sound = sound && (i == 0 || k == n || fine[i] != fine[i - 1] || class_of[i] == class_of[i - 1]);
			sum[class_of[i]] += mass[i];
		}
		for (uint32_t c = 0; c < k; c++)
			lightest = fmin(lightest, sum[c]);
		sound = sound && fabs(m->lightest[k] - lightest) <= 1e-12;
		sound = sound && (k == n || m->lightest[k] >= m->lightest[k + 1] - 1e-12);
		/* what has joined is the lightest class and its lighter neighbour */
		for (uint32_t i = 1; i < n && k < n; i++)
			if (fine[i] != fine[i - 1] && class_of[i] == class_of[i - 1])
			{
				uint32_t	left = fine[i - 1];
				uint32_t	right = fine[i];
				double		before = left > 0 ? fine_sum[left - 1] : INFINITY;
				double		after = right < k ? fine_sum[right + 1] : INFINITY;
				bool		left_joins = fine_sum[left] <= m->lightest[k + 1] + 1e-12 && fine_sum[right] <= before + 1e-12;
				bool		right_joins = fine_sum[right] <= m->lightest[k + 1] + 1e-12 && fine_sum[left] <= after + 1e-12;

				sound = sound && (left_joins || right_joins);
			}
		memcpy(fine, class_of, sizeof(uint16_t) * n);
		fine_sum = sum;
	}
	CHECK(sound);
}

static void
test_merge(void)
{
	start(4);
	for (int turn = 0; turn < 300; turn++)
	{
		double		mass[2][60];
		pegs_merge	m[2];
		uint32_t	ka = 0;
		uint32_t	kb = 0;
		double		least = pegs_rng_double(&rng) * pegs_rng_double(&rng) / 4;
		double		cells = exp(8 * pegs_rng_double(&rng));
		bool		found;

		for (int s = 0; s < 2; s++)
		{
			uint32_t	n = 1 + (uint32_t) pegs_rng_below(&rng, turn % 4 == 0 ? 60 : 8);
			double		sum = 0;

			for (uint32_t i = 0; i < n; i++)
				sum += mass[s][i] = turn % 7 == 0 ? pegs_rng_below(&rng, 2) + 1e-9 : pegs_rng_below(&rng, 4) == 0 ? 0 : pegs_rng_double(&rng);
			for (uint32_t i = 0; i < n; i++)
				mass[s][i] = sum > 0 ? mass[s][i] / sum : 1.0 / n;
			pegs_merge_build(&env, &m[s], n, mass[s], NULL);
			check_cuts(&m[s], mass[s]);
		}
		found = pegs_merge_grid(&m[0], &m[1], least, cells, &ka, &kb);
		CHECK(ka >= 1 && ka <= m[0].levels && kb >= 1 && kb <= m[1].levels);
		CHECK(found == (ka > 1 && kb > 1));
		/* each class is heavy enough, and the grid small enough: never below 2 x 2, though */
		CHECK(ka == 1 || m[0].lightest[ka] >= least);
		CHECK(kb == 1 || m[1].lightest[kb] >= least);
		CHECK(!found || (double) ka * kb <= fmax(4, cells));
		/* with all the room there is, no finer side would do */
		found = pegs_merge_grid(&m[0], &m[1], least, INFINITY, &ka, &kb);
		CHECK(ka == m[0].levels || m[0].lightest[ka + 1] < least);
		CHECK(kb == m[1].levels || m[1].lightest[kb + 1] < least);
		arena_free(&memory);
	}
}

/* Cuts stay contiguous and nested, and their lightest class no lighter; groups are whole before they join others. */
static void
test_groups(void)
{
	start(5);
	for (int turn = 0; turn < 300; turn++)
	{
		uint32_t	n = 2 + (uint32_t) pegs_rng_below(&rng, 40);
		double		mass[42];
		uint16_t	group[42];
		uint16_t	class_of[42];
		uint16_t	fine[42];
		pegs_merge	m;

		for (uint32_t i = 0; i < n; i++)
		{
			mass[i] = pegs_rng_below(&rng, 4) == 0 ? 0 : pegs_rng_double(&rng);
			group[i] = i == 0 ? 0 : (uint16_t) (group[i - 1] + (pegs_rng_below(&rng, 4) == 0));
		}
		pegs_merge_build(&env, &m, n, mass, group);
		for (uint32_t k = n; k >= 1; k--)
		{
			pegs_merge_cut(&m, k, class_of);
			CHECK(class_of[0] == 0 && class_of[n - 1] == k - 1);
			CHECK(k == n || m.lightest[k] >= m.lightest[k + 1] - 1e-12);
			for (uint32_t i = 1; i < n; i++)
			{
				CHECK(class_of[i] == class_of[i - 1] || class_of[i] == class_of[i - 1] + 1);
				CHECK(k == n || fine[i] != fine[i - 1] || class_of[i] == class_of[i - 1]);
			}
			CHECK(groups_are_whole(class_of, group, n));
			memcpy(fine, class_of, sizeof(fine));
		}
		arena_free(&memory);
	}
	/* two groups, and between them the two lightest levels: they stay apart until their groups are whole */
	{
		pegs_merge	m;
		uint16_t	class_of[4];

		pegs_merge_build(&env, &m, 4, (double[]) {.4, .1, .1, .4}, (uint16_t[]) {0, 0, 1, 1});
		pegs_merge_cut(&m, 2, class_of);
		CHECK(class_of[1] == 0 && class_of[2] == 1);
		pegs_merge_build(&env, &m, 4, (double[]) {.4, .1, .1, .4}, NULL);
		pegs_merge_cut(&m, 3, class_of);
		CHECK(class_of[1] == 1 && class_of[2] == 1);
		/* a light group of one level joins, and does not hold the others back */
		pegs_merge_build(&env, &m, 4, (double[]) {.3, .3, .4, 0}, (uint16_t[]) {0, 0, 1, 2});
		pegs_merge_cut(&m, 3, class_of);
		CHECK(class_of[1] == 1 && class_of[2] == 2 && class_of[3] == 2 && m.lightest[3] > .2);
		arena_free(&memory);
	}
}

/* A fit has them from the layout: nothing else says so in a model than its classes. */
static void
test_fit(void)
{
	uint32_t	mixed = 0;

	for (int turn = 0; turn < 20; turn++)
	{
		uint16_t	group[60];
		const uint16_t *groups[3] = {group, NULL, NULL};
		pegs_layout layout;
		uint64_t   *cells;
		pegs_accountant accountant;
		pegs_fitted f;

		for (uint32_t l = 0; l < 60; l++)
			group[l] = (uint16_t) (l / 4);
		start((uint8_t) (10 + turn / 2));
		CHECK(pegs_layout_pairs(&env, 3, (uint32_t[]) {60, 4, 3}, &layout, NULL) == PEGS_OK && layout.groups == NULL);
		layout.groups = turn % 2 == 0 ? groups : NULL;
		cells = env.alloc(env.context, sizeof(uint64_t) * layout.ncells);
		for (int r = 0; r < 600; r++)
		{
			uint16_t	code[3] = {(uint16_t) pegs_rng_below(&rng, 60), 0, (uint16_t) pegs_rng_below(&rng, 3)};
			uint16_t   *codes[3] = {&code[0], &code[1], &code[2]};

			code[1] = (uint16_t) (group[code[0]] / 4);
			pegs_count_chunk(&layout, cells, codes, 1);
		}
		pegs_accountant_init(&accountant, PEGS_EPSILON_UNIT, PEGS_DELTA_UNIT / 1000000, 1);
		pegs_engine_fit(&env, &rng, &accountant, &layout, cells, &f);
		for (uint32_t p = 0; p < f.npairs; p++)
			if (f.pair[p].column[0] == 0)
			{
				CHECK(layout.groups == NULL || groups_are_whole(f.pair[p].class_of[0], group, 60));
				mixed += layout.groups == NULL && !groups_are_whole(f.pair[p].class_of[0], group, 60);
			}
		arena_free(&memory);
	}
	CHECK(mixed > 0);			/* without groups it is otherwise */
}

int
main(void)
{
	test_merge();
	test_groups();
	test_fit();
	return unit_done("merge_test");
}
