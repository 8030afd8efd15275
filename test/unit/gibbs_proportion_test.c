/*
 * gibbs_proportion_test.c
 *	  a level is drawn exactly in proportion to its weight, and a row
 *	  takes eight bytes of the stream for each column it draws.
 *
 * The random words are not drawn here but given: for small totals W every
 * number below W is put in, once, and each level must come out as often as it
 * weighs, to the unit. How a word becomes a number below W is shown by
 * rng_test.c (test_below_exactly), with the chi-square on the weights
 * {1, 2, 3, 1000003}; that the weights are the counts' by gibbs_test.c.
 */
#include "core/pegs/gibbs.h"
#include "core/pegs/weights.h"

#include <string.h>

#include "fixture.h"
#include "unit.h"

#define MAX_LEVELS 8

typedef struct sampler
{
	pegs_layout layout;
	uint64_t   *cells;
	int32_t		given[3];
	pegs_gibbs	gibbs;
} sampler;

/* Columns of `levels` levels, each with the one before it as its parent if `chained`. */
static void
make(sampler *s, uint32_t ncols, uint32_t levels, bool chained, uint64_t alpha)
{
	uint32_t	all[3] = {levels, levels, levels};
	uint32_t	begin[4] = {0, 0, chained ? 1 : 0, chained ? 2 : 0};
	uint16_t	parents[2] = {0, 1};

	memset(s, 0, sizeof(*s));
	CHECK(pegs_layout_conditional(&env, ncols, all, begin, parents, 0, &s->layout, NULL) == PEGS_OK);
	s->cells = env.alloc(env.context, sizeof(uint64_t) * s->layout.ncells);
	memset(s->given, -1, sizeof(s->given));
	s->gibbs.layout = &s->layout;
	s->gibbs.cells = s->cells;
	s->gibbs.alpha = alpha;
	s->gibbs.block = 1;
	s->gibbs.given = s->given;
	pegs_gibbs_init(&env, &s->gibbs);
}

/* The first word that pegs_rng_below takes for `value`, and does not reject. */
static uint64_t
word_of(uint64_t value, uint64_t bound)
{
	pegs_u128	whole = (pegs_u128) 1 << 64;

	return (uint64_t) ((((pegs_u128) value << 64) + whole % bound + bound - 1) / bound);
}

/* Puts in every number below the total; counts what comes out. */
static void
enumerate(const uint64_t *counts, uint32_t levels, uint64_t alpha)
{
	sampler		s;
	uint64_t	weight[MAX_LEVELS];
	uint64_t	seen[MAX_LEVELS] = {0};
	uint64_t	total;
	bool		one_word = true;
	bool		inside = true;
	uint64_t	u;
	uint32_t	j;

	make(&s, 1, levels, false, alpha);
	memcpy(s.cells, counts, sizeof(uint64_t) * levels);
	total = pegs_gibbs_weights(&s.gibbs, 0, 0, weight);
	memset(&rng, 0, sizeof(rng));
	for (u = 0; u < total; u++)
	{
		rng.next = PEGS_RNG_BLOCKS * 8 - 2;
		rng.buffer[rng.next] = word_of(u, total);
		pegs_gibbs_next(&s.gibbs, &rng);
		one_word = one_word && rng.next == PEGS_RNG_BLOCKS * 8 - 1;
		inside = inside && s.gibbs.row[0] < levels;
		seen[s.gibbs.row[0] % levels]++;
	}
	CHECK(one_word);
	CHECK(inside);
	for (j = 0; j < levels; j++)
	{
		CHECK_INT(seen[j], weight[j]);
		CHECK_INT(weight[j], counts[j] * 65536 + alpha);
	}
	arena_free(&memory);
}

/* Eight bytes for each column that is drawn, none for one that is given. */
static void
test_consumption(void)
{
	int			fixed;

	for (fixed = 0; fixed <= 2; fixed++)
	{
		sampler		s;
		bool		exact = true;
		int			i;

		make(&s, 3, 5, true, 777);
		for (i = 0; (uint64_t) i < s.layout.ncells; i++)
			s.cells[i] = (uint64_t) i * 31 % 17;
		for (i = 0; i < fixed; i++)
			s.given[i] = i;
		start_stream(35, (uint64_t) fixed);
		CHECK(pegs_gibbs_seed(&s.gibbs, &rng, 1));
		for (i = 0; i < 1000; i++)
		{
			uint32_t	before = rng.next == PEGS_RNG_BLOCKS * 8 ? 0 : rng.next;
			uint32_t	took;

			pegs_gibbs_next(&s.gibbs, &rng);
			took = (rng.next + PEGS_RNG_BLOCKS * 8 - before) % (PEGS_RNG_BLOCKS * 8);
			exact = exact && took == (uint32_t) (3 - fixed);
		}
		CHECK(exact);
		arena_free(&memory);
	}
}

int
main(void)
{
	static const uint64_t none[MAX_LEVELS] = {0};
	static const uint64_t skewed[4] = {1, 2, 0, 3};
	static const uint64_t one[3] = {0, 5, 0};
	static const uint64_t two[2] = {1, 0};

	/* nothing but alpha: as a cell that was visited */
	enumerate(none, 1, 1);
	enumerate(none, 3, 1);
	enumerate(none, 7, 3);
	enumerate(none, 8, 65536);
	/* counts beside an alpha of 2^-16, of 1 and of more than any count */
	enumerate(skewed, 4, 1);
	enumerate(skewed, 4, 65536);
	enumerate(skewed, 4, 300001);
	enumerate(one, 3, 2);
	enumerate(two, 2, 1);
	test_consumption();
	return unit_done("gibbs_proportion_test");
}
