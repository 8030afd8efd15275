/*
 * lattice_test.c
 *	  Is the node that the search finds the best of all?
 *
 * The births table, by hand; the pruned search against one that looks at every
 * node, on 1,000 random lattices with all criteria; and that one against a loss
 * that is added up row by row.
 */
#include "core/compare/lattice.h"

#include <string.h>

#include "fixture.h"
#include "unit.h"
#include "steps.h"

static pegs_node
search(const pegs_tuples *tuples, const pegs_key *keys, pegs_criteria criteria, double suppress, bool unpruned, uint32_t *step)
{
	pegs_lattice lattice = {.tuples = tuples, .keys = keys, .criteria = criteria, .suppress = suppress, .unpruned = unpruned};
	pegs_node	node;

	CHECK_INT(pegs_search(&env, &lattice, step, &node), PEGS_OK);
	return node;
}

static void
test_births(void)
{
	static const struct
	{
		uint64_t	k;
		double		suppress;
		uint32_t	step[3];
		uint64_t	suppressed;
		double		loss;
	}			expected[] = {
		{2, 0, {2, 0, 1}, 0, 2.0 / 3},
		{2, 0.25, {0, 0, 0}, 2, 0.25},
		{2, 1, {0, 0, 0}, 2, 0.25},
		{3, 0, {2, 0, 1}, 0, 2.0 / 3},
		{3, 0.25, {1, 0, 1}, 1, 0.5625},
		{3, 1, {1, 0, 1}, 1, 0.5625},
	};
	pegs_key	keys[3];
	pegs_coded	t = births(keys);
	pegs_tuples tuples = tuples_of(&t, 3, PEGS_NO_LEVEL);
	uint32_t	step[3];
	pegs_node	node;

	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++)
	{
		node = search(&tuples, keys, (pegs_criteria) {expected[i].k, 1, 1}, expected[i].suppress, false, step);
		CHECK(node.found);
		CHECK_INT(node.nodes, 12);
		CHECK_INT(node.suppressed, expected[i].suppressed);
		CHECK_NEAR(node.loss, expected[i].loss, 1e-15);
		for (int j = 0; j < 3; j++)
			CHECK_INT(step[j], expected[i].step[j]);
	}
	/* more rows than there are: at the last steps all of them would have to go */
	node = search(&tuples, keys, (pegs_criteria) {9, 1, 1}, 0.5, false, step);
	CHECK(!node.found);
	CHECK_INT(node.suppressed, 8);
	arena_free(&memory);
}

/* ---------- slowly: row by row ---------- */

static bool
alike(const pegs_coded *t, const pegs_key *keys, uint32_t nkeys, const uint32_t *step, uint64_t a, uint64_t b)
{
	for (uint32_t j = 0; j < nkeys; j++)
		if (keys[j].step[step[j]].group[t->code[j][a]] != keys[j].step[step[j]].group[t->code[j][b]])
			return false;
	return true;
}

/* Of the class of row r: does it meet the criteria? */
static bool
row_meets(const pegs_coded *t, const pegs_key *keys, uint32_t nkeys, const uint32_t *step, pegs_criteria criteria, uint64_t r)
{
	uint64_t	in[16] = {0};
	uint64_t	all[16] = {0};
	uint64_t	rows = 0;
	double		entropy = 0;
	double		distance = 0;

	for (uint64_t s = 0; s < t->nrows; s++)
	{
		bool		same = alike(t, keys, nkeys, step, r, s);

		rows += same;
		in[t->code[nkeys][s]] += same;
		all[t->code[nkeys][s]]++;
	}
	for (int v = 0; v < 16; v++)
	{
		double		p = (double) in[v] / (double) rows;

		entropy -= in[v] > 0 ? p * log(p) : 0;
		distance += fabs(p - (double) all[v] / (double) t->nrows) / 2;
	}
	return rows >= criteria.k && exp(entropy) >= criteria.l - 1e-7 && distance <= criteria.t + 1e-7;
}

static double
slow_loss(const pegs_coded *t, const pegs_key *keys, uint32_t nkeys, const uint32_t *step, pegs_criteria criteria, uint64_t *suppressed)
{
	double		loss = 0;
	double		weight = 0;

	*suppressed = 0;
	for (uint32_t j = 0; j < nkeys; j++)
		weight += keys[j].weight;
	for (uint64_t r = 0; r < t->nrows; r++)
	{
		bool		meets = row_meets(t, keys, nkeys, step, criteria, r);

		*suppressed += !meets;
		for (uint32_t j = 0; j < nkeys; j++)
		{
			const pegs_key_step *at = &keys[j].step[step[j]];
			double		g = at->size[at->group[t->code[j][r]]];

			loss += keys[j].weight / weight * (!meets ? 1 : keys[j].levels > 1 ? (g - 1) / (keys[j].levels - 1.0) : 0);
		}
	}
	return t->nrows > 0 ? loss / (double) t->nrows : 0;
}

/* The least loss of all nodes, by counting through them. */
static double
slow_best(const pegs_coded *t, const pegs_key *keys, uint32_t nkeys, pegs_criteria criteria, double suppress)
{
	double		best = INFINITY;
	uint32_t	step[8];
	uint32_t	j;

	for (j = 0; j < nkeys; j++)
		step[j] = keys[j].first;
	do
	{
		uint64_t	suppressed;
		double		loss = slow_loss(t, keys, nkeys, step, criteria, &suppressed);

		if ((double) suppressed <= suppress * (double) t->nrows + 1e-9 && loss < best)
			best = loss;
		for (j = 0; j < nkeys && step[j] == keys[j].last; j++)
			step[j] = keys[j].first;
		if (j < nkeys)
			step[j]++;
	} while (j < nkeys);
	return best;
}

static void
test_random_lattices(void)
{
	static const double limits[] = {0, 0.01, 0.05, 0.1, 0.25, 1};
	uint64_t	looked_at[2] = {0, 0};

	for (int turn = 0; turn < 1000; turn++)
	{
		uint32_t	nkeys = 1 + (uint32_t) pegs_rng_below(&rng, 4);
		uint32_t	levels[5];
		pegs_coded	t = any_table(nkeys, levels, 8, pegs_rng_below(&rng, 60));
		bool		diverse = turn % 2 == 1;
		pegs_tuples tuples = tuples_of(&t, nkeys, diverse ? nkeys : PEGS_NO_LEVEL);
		pegs_criteria criteria = {1 + pegs_rng_below(&rng, 6), 1, 1};
		double		suppress = limits[pegs_rng_below(&rng, 6)];
		pegs_key	keys[4];
		uint32_t	step[2][4];
		pegs_node	node[2];
		uint64_t	suppressed;

		if (diverse && pegs_rng_below(&rng, 3) > 0)
			criteria.l = 1 + (double) pegs_rng_below(&rng, 20) / 8;
		if (diverse && pegs_rng_below(&rng, 3) > 0)
			criteria.t = (double) pegs_rng_below(&rng, 9) / 8;
		for (uint32_t j = 0; j < nkeys; j++)
		{
			keys[j] = any_key(levels[j], 1 + (uint32_t) pegs_rng_below(&rng, 4));
			keys[j].weight = j == 0 ? 1 : (double) pegs_rng_below(&rng, 4);
			if (pegs_rng_below(&rng, 5) == 0)
				keys[j].first = keys[j].last = (uint32_t) pegs_rng_below(&rng, keys[j].nsteps);
		}
		for (int i = 0; i < 2; i++)
		{
			node[i] = search(&tuples, keys, criteria, suppress, i == 1, step[i]);
			looked_at[i] += node[i].looked_at;
		}
		CHECK_INT(node[0].found, node[1].found);
		if (!node[1].found)
			CHECK(slow_best(&t, keys, nkeys, criteria, suppress) == INFINITY);
		else
		{
			CHECK_INT(memcmp(step[0], step[1], sizeof(uint32_t) * nkeys), 0);
			CHECK(node[0].loss == node[1].loss);
			CHECK_INT(node[0].suppressed, node[1].suppressed);
			CHECK_NEAR(slow_loss(&t, keys, nkeys, step[0], criteria, &suppressed), node[0].loss, 1e-12);
			CHECK_INT(suppressed, node[0].suppressed);
			if (turn % 4 < 2)
				CHECK_NEAR(slow_best(&t, keys, nkeys, criteria, suppress), node[0].loss, 1e-12);
		}
		arena_free(&memory);
	}
	CHECK(looked_at[0] * 2 < looked_at[1]);
}

/*
 * With l and t, and some rows that may be suppressed, a node that fails says nothing of finer ones: two classes that meet the criteria and
 * one that does not may be one that does not. Few lattices show it.
 */
static void
test_marks(void)
{
	for (int turn = 0; turn < 8000; turn++)
	{
		uint32_t	nkeys = 2 + (uint32_t) pegs_rng_below(&rng, 2);
		uint32_t	levels[4];
		pegs_coded	t = any_table(nkeys, levels, 6, 10 + pegs_rng_below(&rng, 30));
		pegs_tuples tuples = tuples_of(&t, nkeys, nkeys);
		pegs_criteria criteria = {1 + pegs_rng_below(&rng, 3), 1 + (double) pegs_rng_below(&rng, 12) / 8, (double) (1 + pegs_rng_below(&rng, 8)) / 8};
		double		suppress = (double) (1 + pegs_rng_below(&rng, 8)) / 16;
		pegs_key	keys[3];
		uint32_t	step[2][3];
		pegs_node	node[2];

		for (uint32_t j = 0; j < nkeys; j++)
			keys[j] = any_key(levels[j], 2 + (uint32_t) pegs_rng_below(&rng, 2));
		for (int i = 0; i < 2; i++)
			node[i] = search(&tuples, keys, criteria, suppress, i == 1, step[i]);
		CHECK_INT(node[0].found, node[1].found);
		CHECK(!node[1].found || (node[0].loss == node[1].loss && memcmp(step[0], step[1], sizeof(uint32_t) * nkeys) == 0));
		arena_free(&memory);
	}
}

/* Values that pass 64 bits: 8 keys of 1,000 levels, each row but two alone. */
static void
test_many_levels(void)
{
	uint32_t	levels[8];
	uint16_t	group[2000];
	uint32_t	step[8] = {0};
	uint32_t	of[500];
	pegs_key	keys[8];
	pegs_coded	t;
	pegs_tuples tuples;

	for (uint32_t i = 0; i < 1000; i++)
	{
		group[i] = (uint16_t) i;
		group[1000 + i] = 0;
	}
	for (uint32_t j = 0; j < 8; j++)
	{
		levels[j] = 1000;
		keys[j] = key_of(1000, 2, group);
	}
	t = table(8, levels, 500);
	for (uint32_t r = 0; r < 500; r++)
		for (uint32_t j = 0; j < 8; j++)
			t.code[j][r] = (uint16_t) (j == r % 8 ? r : 999);
	tuples = tuples_of(&t, 8, PEGS_NO_LEVEL);
	CHECK_INT(tuples.n, 500);
	CHECK_INT(pegs_classes_at(&env, &tuples, keys, step, of), 500);
	for (uint32_t i = 0; i < 500; i++)
		CHECK_INT(of[i], i);
	CHECK_INT(search(&tuples, keys, (pegs_criteria) {2, 1, 1}, 0, false, step).nodes, 256);
	for (uint32_t j = 0; j < 8; j++)
		CHECK_INT(step[j], 1);
	arena_free(&memory);
}

static uint64_t told;

static void
tell(void *context, uint64_t looked_at, uint64_t nodes)
{
	CHECK(context == &told && looked_at % 1000 == 0 && looked_at <= nodes);
	told++;
}

static void
test_refused(void)
{
	pegs_key	keys[3];
	pegs_coded	t = births(keys);
	pegs_tuples tuples = tuples_of(&t, 3, PEGS_NO_LEVEL);
	pegs_lattice lattice = {.tuples = &tuples, .keys = keys, .criteria = {2, 1, 1}};
	pegs_key	many[25];
	uint32_t	step[25];
	pegs_node	node;

	/* l without a sensitive column; weights of nothing; a share below 0 */
	lattice.criteria.l = 2;
	CHECK_INT(pegs_search(&env, &lattice, step, &node), PEGS_ERR_ARGUMENT);
	lattice.criteria.l = 1;
	lattice.suppress = -0.1;
	CHECK_INT(pegs_search(&env, &lattice, step, &node), PEGS_ERR_ARGUMENT);
	lattice.suppress = 0;
	for (int j = 0; j < 3; j++)
		keys[j].weight = 0;
	CHECK_INT(pegs_search(&env, &lattice, step, &node), PEGS_ERR_ARGUMENT);
	for (int j = 0; j < 25; j++)
	{
		many[j] = keys[1];
		many[j].weight = 1;
	}
	CHECK_INT(pegs_lattice_nodes(many, 24), PEGS_MAX_NODES);
	CHECK_INT(pegs_lattice_nodes(many, 25), 0);
	arena_free(&memory);
}

/* All is given back; it asks to be stopped, and tells how far it is. */
static void
test_memory(void)
{
	pegs_env	kept = env;
	pegs_lattice lattice = {.criteria = {3, 1.5, 0.4}, .suppress = 0.1, .unpruned = true, .progress = tell, .context = &told};
	uint32_t	levels[7];
	uint32_t	step[6];
	pegs_key	keys[6];
	pegs_tuples tuples;
	pegs_coded	t;
	pegs_node	node;
	size_t		blocks;
	size_t		checks;

	env = arena_env_freeing(&memory);
	t = any_table(6, levels, 6, 200);
	for (int j = 0; j < 6; j++)
		keys[j] = any_key(levels[j], 4);
	blocks = memory.blocks;
	tuples = tuples_of(&t, 6, 6);
	checks = memory.checks;
	lattice.tuples = &tuples;
	lattice.keys = keys;
	CHECK_INT(pegs_search(&env, &lattice, step, &node), PEGS_OK);
	CHECK_INT(node.looked_at, 4096);
	CHECK_INT(told, 4);
	CHECK(memory.checks > checks + 4096);
	pegs_free_tuples(&env, &tuples);
	CHECK_INT(memory.blocks, blocks);
	arena_free(&memory);
	env = kept;
}

int
main(void)
{
	start(61);
	test_births();
	test_random_lattices();
	test_marks();
	test_many_levels();
	test_refused();
	test_memory();
	return unit_done("lattice_test");
}
