/*
 * diverse_test.c
 *	  l-diverse perturbation: small tables by hand, the
 *	  smallest alpha that will do, and the property itself in a sampler.
 */
#include "core/pegs/diverse.h"
#include "core/pegs/gibbs.h"
#include "core/pegs/weights.h"

#include <math.h>

#include "fixture.h"
#include "unit.h"

static double
entropy_at(const uint64_t *count, uint32_t levels, uint64_t alpha)
{
	double		total = 0;
	double		h = 0;

	for (uint32_t j = 0; j < levels; j++)
		total += (double) count[j] + (double) alpha / 65536;
	for (uint32_t j = 0; j < levels; j++)
	{
		double		p = ((double) count[j] + (double) alpha / 65536) / total;

		h -= p > 0 ? p * log(p) : 0;
	}
	return h;
}

/* The alpha of the fixture, to its six digits and our unit of 2^-16; no smaller one has the entropy. */
static void
fixture(const uint64_t *count, uint32_t levels, double l, double wanted)
{
	uint64_t	alpha;

	CHECK(pegs_alpha_diverse(count, levels, l, &alpha) == PEGS_OK);
	CHECK((double) alpha / 65536 >= wanted - 5e-7);
	CHECK((double) alpha / 65536 <= wanted + 5e-7 + 1.0 / 65536);
	CHECK(entropy_at(count, levels, alpha) >= log(l));
	if (alpha > 0)
		CHECK(entropy_at(count, levels, alpha - 1) < log(l));
}

static void
test_fixtures(void)
{
	fixture((uint64_t[]) {9, 1}, 2, 1.5, 0.559826);
	fixture((uint64_t[]) {8, 1, 1}, 3, 2, 0.205443);
	fixture((uint64_t[]) {10, 0}, 2, 1.2, 0.489775);
	fixture((uint64_t[]) {5, 5}, 2, 1.9, 0);
}

static void
test_edges(void)
{
	uint64_t	alpha;

	/* l = C is the uniform distribution: no alpha is enough, unless the counts are equal already */
	CHECK(pegs_alpha_diverse((uint64_t[]) {7, 1}, 2, 2, &alpha) == PEGS_OK && alpha == PEGS_ALPHA_UNIFORM);
	CHECK(pegs_alpha_diverse((uint64_t[]) {0, 0, 0}, 3, 1.5, &alpha) == PEGS_OK && alpha == PEGS_ALPHA_UNIFORM);
	CHECK(pegs_alpha_diverse((uint64_t[]) {5}, 1, 1, &alpha) == PEGS_OK && alpha == 0);
	CHECK(pegs_alpha_diverse((uint64_t[]) {5, 1}, 2, 2.1, &alpha) == PEGS_ERR_ARGUMENT);
	CHECK(pegs_alpha_diverse((uint64_t[]) {5, 1}, 2, 0.9, &alpha) == PEGS_ERR_ARGUMENT);
	CHECK(pegs_alpha_diverse((uint64_t[]) {5, 1}, 2, NAN, &alpha) == PEGS_ERR_ARGUMENT);
	/* a huge table: weights stay far below 64 bits */
	CHECK(pegs_alpha_diverse((uint64_t[]) {PEGS_MAX_ROWS, 0}, 2, 1.2, &alpha) == PEGS_OK);
	CHECK(alpha == PEGS_ALPHA_UNIFORM || alpha < (UINT64_C(1) << 46));
}

/* Every conditional distribution that a sweep can use has entropy >= log l; a visited one is uniform. */
static void
test_sampler(void)
{
	pegs_layout layout;
	double		room;
	uint64_t   *cells;
	uint64_t   *alpha;
	uint64_t	weight[3];
	const double l = 1.7;
	pegs_gibbs	gibbs = {0};

	CHECK(pegs_layout_conditional(&env, 3, (uint32_t[]) {2, 3, 2}, (uint32_t[]) {0, 0, 1, 3}, (uint16_t[]) {0, 0, 1}, 0,
								  &layout, &room) == PEGS_OK);
	cells = env.alloc(env.context, sizeof(uint64_t) * layout.ncells);
	for (uint64_t i = 0; i < layout.ncells; i++)
		cells[i] = i % 4 == 0 ? 0 : i * i % 23;
	CHECK(pegs_alphas_diverse(&env, &layout, cells, l, &alpha) == PEGS_OK);
	gibbs.layout = &layout;
	gibbs.cells = cells;
	gibbs.alpha = 0;
	gibbs.block = 1;
	gibbs.given = (int32_t[]) {-1, -1, -1};
	gibbs.alpha_of_key = alpha;
	pegs_gibbs_init(&env, &gibbs);
	for (uint32_t i = 0; i < layout.ncols; i++)
		for (uint64_t key = 0; key < layout.keys[i]; key++)
		{
			uint64_t	sum = pegs_gibbs_weights(&gibbs, i, key, weight);
			double		h = 0;

			for (uint32_t j = 0; j < layout.levels[i]; j++)
				h -= weight[j] > 0 ? (double) weight[j] / (double) sum * log((double) weight[j] / (double) sum) : 0;
			CHECK(h >= log(l) - 1e-12);
			pegs_gibbs_visit(&gibbs, i, key);
			sum = pegs_gibbs_weights(&gibbs, i, key, weight);
			for (uint32_t j = 0; j < layout.levels[i]; j++)
				CHECK(weight[j] * layout.levels[i] == sum && sum > 0);
		}
	arena_free(&memory);
}

int
main(void)
{
	test_fixtures();
	test_edges();
	test_sampler();
	return unit_done("diverse_test");
}
