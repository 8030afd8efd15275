/*
 * wire_test.c
 *	  Bytes there and back, and every other byte string answered with a status.
 *
 * Round trips of all three kinds; the law of merging; then an attack. The CRC
 * is made right after each mutation, so that it is the reader behind it that
 * is tried: bytes flipped one by one, every length, tens of thousands of
 * random mutations. What the reader accepts must come back byte for byte and
 * be safe to use; what it allocates must be bounded by what it was given.
 * Every input lies in memory of exactly its length, under ASan.
 */
#include "core/wire.h"

#include <stdlib.h>
#include <string.h>

#include "bitwise.h"
#include "core/graph/draw.h"
#include "core/pegs/gibbs.h"
#include "fixture.h"
#include "fitted.h"
#include "unit.h"

static arena taken;				/* what the reader allocates */
static pegs_env reader;

/* ---------- the bytes ---------- */

static void
put32(uint8_t *at, uint32_t value)
{
	for (int i = 0; i < 4; i++)
		at[i] = (uint8_t) (value >> (8 * i));
}

static void
put64(uint8_t *at, uint64_t value)
{
	put32(at, (uint32_t) value);
	put32(at + 4, (uint32_t) (value >> 32));
}

static uint64_t
get(const uint8_t *at, int size)
{
	uint64_t	value = 0;

	while (size-- > 0)
		value = value << 8 | at[size];
	return value;
}

static void
seal(uint8_t *bytes, size_t length)
{
	if (length >= 4)
		put32(bytes + length - 4, bit_by_bit(bytes, length - 4));
}

/* Bytes of their own, as long as pegs_wire_size says; written over two different grounds. */
static uint8_t *
written(const pegs_wire *wire, size_t *length)
{
	uint8_t    *bytes;
	uint8_t    *again;

	*length = pegs_wire_size(wire);
	bytes = env.alloc(env.context, *length);
	again = env.alloc(env.context, *length);
	memset(again, 0xff, *length);
	pegs_wire_write(NULL, wire, bytes);
	pegs_wire_write(NULL, wire, again);
	CHECK(memcmp(bytes, again, *length) == 0);
	return bytes;
}

/* ---------- what is written ---------- */

static uint64_t
sum_of(const uint64_t *cells, uint64_t n)
{
	uint64_t	sum = 0;

	while (n-- > 0)
		sum += cells[n];
	return sum;
}

/* Count `n` rows that hang together, so that a model of them has pairs. */
static void
add_rows(pegs_wire *wire, uint32_t n)
{
	uint16_t	codes[8][PEGS_CHUNK];
	uint16_t   *columns[8];

	wire->rows += n;
	for (uint32_t i = 0; i < wire->ncols; i++)
		columns[i] = codes[i];
	while (n > 0)
	{
		uint32_t	chunk = n < PEGS_CHUNK ? n : PEGS_CHUNK;

		for (uint32_t r = 0; r < chunk; r++)
		{
			uint32_t	common = (uint32_t) pegs_rng_below(&rng, 60);

			for (uint32_t i = 0; i < wire->ncols; i++)
				codes[i][r] = (uint16_t) (pegs_rng_below(&rng, 4) == 0 ? pegs_rng_below(&rng, wire->layout.levels[i])
										  : common % wire->layout.levels[i]);
		}
		pegs_count_chunk(&wire->layout, wire->cells, columns, chunk);
		n -= chunk;
	}
}

/* shape 0: pairs, 1: conditional, 2: conditional with the tail, 3: joint. */
static pegs_wire
state(int shape, const char *spec, uint32_t rows)
{
	static const uint32_t levels[4] = {3, 12, 1, 5};
	static const uint32_t begin[5] = {0, 2, 3, 3, 4};
	static const uint16_t parents[4] = {3, 2, 0, 1};
	pegs_wire	wire = {0};

	wire.kind = shape == 0 ? PEGS_PAIRS : shape == 3 ? PEGS_JOINT : PEGS_CONDITIONAL;
	wire.ncols = 4;
	wire.spec = spec;
	wire.spec_len = (uint32_t) strlen(spec);
	if (wire.kind != PEGS_CONDITIONAL)
		CHECK(pegs_layout_plain(&env, wire.kind, 4, levels, &wire.layout, NULL) == PEGS_OK);
	else
		CHECK(pegs_layout_conditional(&env, 4, levels, begin, parents, shape == 2, &wire.layout, NULL) == PEGS_OK);
	wire.cells = env.alloc(env.context, sizeof(uint64_t) * wire.layout.ncells);
	add_rows(&wire, rows);
	return wire;
}

static pegs_wire
model(const char *spec, int64_t epsilon, int64_t delta)
{
	pegs_wire	counted = state(0, spec, 3000);
	pegs_fitted *fitted = env.alloc(env.context, sizeof(pegs_fitted));
	pegs_accountant accountant;

	pegs_accountant_init(&accountant, epsilon, delta, delta > 0 ? 2 : 1);
	pegs_engine_fit(&env, &rng, &accountant, &counted.layout, counted.cells, fitted);
	CHECK(fitted->npairs >= 1);
	return wire_of(spec, fitted);
}

#define NSHAPES 7

/* One of each: three states and three models. The last has a clique of three columns. */
static pegs_wire
example(int shape)
{
	start((uint8_t) (10 + shape));
	switch (shape)
	{
		case 4:
			return model("{\"columns\":[1,2,3]}", 5 * PEGS_EPSILON_UNIT, 0);
		case 5:
			return model("", 5 * PEGS_EPSILON_UNIT, INT64_C(1000000000));
		case 6:
			return model("facts", 60 * PEGS_EPSILON_UNIT, 0);
		default:
			return state(shape, shape == 0 ? "facts" : "", 500);
	}
}

/* ---------- round trips ---------- */

static void
check_same_model(const pegs_fitted *a, const pegs_fitted *b)
{
	bool		same = a->ncols == b->ncols && a->rows == b->rows && a->npairs == b->npairs
		&& a->accountant.pure == b->accountant.pure && a->accountant.total == b->accountant.total
		&& a->accountant.spent == b->accountant.spent && a->accountant.epsilon == b->accountant.epsilon
		&& a->accountant.delta == b->accountant.delta && a->accountant.rows_per_unit == b->accountant.rows_per_unit
		&& a->tree.nclique == b->tree.nclique;

	CHECK(same);
	for (uint32_t i = 0; same && i < 3; i++)
		same = a->accountant.record[i].purpose == b->accountant.record[i].purpose
			&& a->accountant.record[i].uses == b->accountant.record[i].uses
			&& a->accountant.record[i].cost == b->accountant.record[i].cost;
	for (uint32_t i = 0; same && i < a->ncols; i++)
		same = a->levels[i] == b->levels[i]
			&& memcmp(a->share[i], b->share[i], sizeof(double) * a->levels[i]) == 0
			&& a->tree.classes[i] == b->tree.classes[i]
			&& memcmp(a->class_of[i], b->class_of[i], sizeof(uint16_t) * a->levels[i]) == 0;
	for (uint32_t i = 0; same && i < a->tree.nclique; i++)
	{
		const pegs_clique *x = &a->tree.clique[i];
		const pegs_clique *y = &b->tree.clique[i];

		same = x->n == y->n && x->parent == y->parent && x->cells == y->cells
			&& memcmp(x->column, y->column, sizeof(uint32_t) * x->n) == 0
			&& memcmp(x->mu, y->mu, sizeof(double) * x->cells) == 0;
	}
	for (uint32_t p = 0; same && p < a->npairs; p++)
	{
		const pegs_pair *x = &a->pair[p];
		const pegs_pair *y = &b->pair[p];

		same = x->outside == y->outside && x->n == y->n && x->variance == y->variance;
		for (int side = 0; same && side < 2; side++)
			same = x->column[side] == y->column[side] && x->k[side] == y->k[side]
				&& memcmp(x->class_of[side], y->class_of[side], sizeof(uint16_t) * a->levels[x->column[side]]) == 0;
		same = same && memcmp(x->share, y->share, sizeof(double) * x->k[0] * x->k[1]) == 0;
	}
	CHECK(same);
}

static void
test_round_trip(void)
{
	for (int shape = 0; shape < NSHAPES; shape++)
	{
		pegs_wire	wire = example(shape);
		pegs_wire	read;
		size_t		length;
		size_t		length_again;
		uint8_t    *bytes = written(&wire, &length);
		uint8_t    *again;

		/* the header, as it is printed in wire.h */
		CHECK(memcmp(bytes, "PEGS", 4) == 0);
		CHECK_INT(get(bytes + 4, 2), 1);
		CHECK_INT(get(bytes + 6, 2), wire.kind);
		CHECK_INT(get(bytes + 8, 4), 0);
		CHECK_INT(get(bytes + 12, 4), 4);
		CHECK_INT(get(bytes + 16, 4), shape == 2);
		CHECK_INT(get(bytes + 20, 4), wire.spec_len);
		CHECK_INT(get(bytes + 24, 8), wire.rows);
		CHECK_INT(get(bytes + 32, 4), 3);
		CHECK_INT(get(bytes + 36, 4), 12);
		CHECK_INT(get(bytes + length - 4, 4), bit_by_bit(bytes, length - 4));
		CHECK_INT(length % 8, 4);

		CHECK(pegs_wire_read(&reader, bytes, length, &read) == PEGS_OK);
		CHECK_INT(read.kind, wire.kind);
		CHECK_INT(read.ncols, wire.ncols);
		CHECK_INT(read.spec_len, wire.spec_len);
		CHECK(memcmp(read.spec, wire.spec, wire.spec_len) == 0);
		if (wire.kind == MODEL_KIND)
			check_same_model(fitted_of(&wire), fitted_of(&read));
		else
		{
			CHECK_INT(read.rows, wire.rows);
			CHECK_INT(read.layout.ncells, wire.layout.ncells);
			CHECK_INT(read.layout.tail_bits, wire.layout.tail_bits);
			CHECK(memcmp(read.cells, wire.cells, sizeof(uint64_t) * wire.layout.ncells) == 0);
		}
		again = written(&read, &length_again);
		CHECK(length_again == length && memcmp(again, bytes, length) == 0);
		arena_free(&taken);
		arena_free(&memory);
	}
	CHECK_INT(bit_by_bit((const uint8_t *) "123456789", 9), 0xe3069283);
}

/* Every length of spec, so every padding. */
static void
test_spec_lengths(void)
{
	static const char text[] = "0123456789abcdefghij";

	for (size_t n = 0; n <= 20; n++)
	{
		pegs_wire	wire = state(0, text + 20 - n, 10);
		pegs_wire	read;
		size_t		length;
		uint8_t    *bytes = written(&wire, &length);

		CHECK(pegs_wire_read(&reader, bytes, length, &read) == PEGS_OK);
		CHECK(read.spec_len == n && memcmp(read.spec, text + 20 - n, n) == 0);
		CHECK_INT(length % 8, 4);
		arena_free(&taken);
		arena_free(&memory);
	}
}

/* The size of a state is that of its shape: no rows and a million are as long. */
static void
test_size_says_nothing(void)
{
	for (int shape = 0; shape < 4; shape++)
	{
		pegs_wire	empty = state(shape, "facts", 0);
		pegs_wire	full = state(shape, "facts", 100000);
		pegs_wire	read;
		size_t		length;
		uint8_t    *bytes = written(&empty, &length);

		CHECK(length == pegs_wire_size(&full));
		CHECK(pegs_wire_read(&reader, bytes, length, &read) == PEGS_OK);
		CHECK(read.rows == 0 && sum_of(read.cells, read.layout.ncells) == 0);
		arena_free(&taken);
		arena_free(&memory);
	}
}

/* ---------- triples ---------- */

/* Pairs, and the triples of few cells after them: read as written, merged, never taken for pairs alone, and each holds the rows. */
static void
test_triples(void)
{
	static const uint32_t levels[4] = {2, 3, 4, 2};
	pegs_wire	wire = {.kind = PEGS_WITH_TRIPLES, .ncols = 4, .spec = "facts", .spec_len = 5};
	pegs_wire	pairs = {.kind = PEGS_PAIRS, .ncols = 4, .spec = "facts", .spec_len = 5};
	pegs_wire	read;
	pegs_wire	again;
	uint8_t    *bytes;
	size_t		length;
	uint64_t	first;

	start(5);
	CHECK(pegs_layout_pairs(&env, 4, levels, &wire.layout, NULL) == PEGS_OK);
	first = wire.layout.ncells;
	pegs_layout_add_triples(&env, &wire.layout);
	CHECK_INT(wire.layout.ncells, first + 2 * 3 * 4 + 2 * 3 * 2 + 2 * 4 * 2 + 3 * 4 * 2);
	wire.cells = env.alloc(env.context, sizeof(uint64_t) * wire.layout.ncells);
	add_rows(&wire, 3000);
	bytes = written(&wire, &length);
	CHECK(pegs_wire_read(&reader, bytes, length, &read) == PEGS_OK);
	CHECK_INT(read.kind, PEGS_WITH_TRIPLES);
	CHECK(read.layout.tables == PEGS_PAIRS && read.layout.triple_offset != NULL);
	CHECK_INT(read.layout.ncells, wire.layout.ncells);
	CHECK(memcmp(read.cells, wire.cells, sizeof(uint64_t) * wire.layout.ncells) == 0);
	CHECK(pegs_wire_read(&reader, bytes, length, &again) == PEGS_OK);
	CHECK(pegs_wire_merge(NULL, &again, &read) == PEGS_OK);
	CHECK_INT(sum_of(again.cells + first, 24), 6000);

	CHECK(pegs_layout_pairs(&env, 4, levels, &pairs.layout, NULL) == PEGS_OK);
	pairs.cells = env.alloc(env.context, sizeof(uint64_t) * pairs.layout.ncells);
	CHECK(pegs_wire_merge(NULL, &read, &pairs) == PEGS_ERR_MISMATCH);
	CHECK(pegs_wire_merge(NULL, &pairs, &read) == PEGS_ERR_MISMATCH);
	/* a kind that lies: tables of other sizes are not added up */
	pairs.kind = PEGS_WITH_TRIPLES;
	CHECK(pegs_wire_merge(NULL, &read, &pairs) == PEGS_ERR_MISMATCH);

	/* a row too many in the last triple alone */
	put32(bytes + length - 12, (uint32_t) wire.cells[wire.layout.ncells - 1] + 1);
	seal(bytes, length);
	CHECK(pegs_wire_read(&reader, bytes, length, &again) == PEGS_ERR_FORMAT);
	arena_free(&taken);
	arena_free(&memory);
}

/* ---------- merging ---------- */

static void
test_merge(void)
{
	for (int shape = 0; shape < 4; shape++)
	{
		pegs_wire	both;
		pegs_wire	a;
		pegs_wire	b;
		uint8_t    *bytes;
		uint8_t    *expected;
		size_t		length;
		size_t		length_expected;

		/* count(a ++ b) == merge(count(a), count(b)), to the byte */
		start(3);
		both = state(shape, "facts", 700);
		add_rows(&both, 1300);
		start(3);
		a = state(shape, "facts", 700);
		b = state(shape, "facts", 1300);
		CHECK(pegs_wire_merge(NULL, &a, &b) == PEGS_OK);
		bytes = written(&a, &length);
		expected = written(&both, &length_expected);
		CHECK(length == length_expected && memcmp(bytes, expected, length) == 0);

		/* an empty one changes nothing */
		b = state(shape, "facts", 0);
		CHECK(pegs_wire_merge(NULL, &a, &b) == PEGS_OK);
		CHECK(memcmp(written(&a, &length), expected, length) == 0);

		/* other facts, another shape */
		b = state(shape, "factt", 5);
		CHECK(pegs_wire_merge(NULL, &a, &b) == PEGS_ERR_MISMATCH);
		b = state(shape, "fact", 5);
		CHECK(pegs_wire_merge(NULL, &a, &b) == PEGS_ERR_MISMATCH);
		b = state((shape + 1) % 4, "facts", 5);
		CHECK(pegs_wire_merge(NULL, &a, &b) == PEGS_ERR_MISMATCH);
		b = state(shape, "facts", 5);
		b.layout.levels[1]--;
		CHECK(pegs_wire_merge(NULL, &a, &b) == PEGS_ERR_MISMATCH);
		b = state(shape, "facts", 5);
		if (shape % 3 > 0)
		{
			b.layout.parents[0] = 1;
			CHECK(pegs_wire_merge(NULL, &a, &b) == PEGS_ERR_MISMATCH);
		}

		/* too many rows together */
		b = state(shape, "facts", 5);
		b.rows = PEGS_MAX_ROWS - 1999;
		CHECK(pegs_wire_merge(NULL, &a, &b) == PEGS_ERR_RANGE);
		CHECK(memcmp(written(&a, &length), expected, length) == 0);
		b.rows--;
		CHECK(pegs_wire_merge(NULL, &a, &b) == PEGS_OK);
		CHECK_INT(a.rows, PEGS_MAX_ROWS);
		arena_free(&memory);
	}
	{
		pegs_wire	a = example(4);
		pegs_wire	b = example(4);
		pegs_wire	c = state(0, a.spec, 1);

		CHECK(pegs_wire_merge(NULL, &a, &b) == PEGS_ERR_MISMATCH);
		CHECK(pegs_wire_merge(NULL, &a, &c) == PEGS_ERR_MISMATCH);
		CHECK(pegs_wire_merge(NULL, &c, &a) == PEGS_ERR_MISMATCH);
		arena_free(&memory);
	}
}

/* ---------- the attack ---------- */

static unsigned long accepted;
static unsigned long refused;

/* What was accepted is what pegs would have written, and safe to draw from. */
static void
use(const pegs_wire *wire, const uint8_t *bytes, size_t length)
{
	size_t		length_again = pegs_wire_size(wire);
	bool		inside = true;

	if (CHECK(length_again == length))
	{
		uint8_t    *again = malloc(length);

		pegs_wire_write(NULL, wire, again);
		CHECK(memcmp(again, bytes, length) == 0);
		free(again);
	}
	if (wire->kind == MODEL_KIND)
	{
		pegs_draw	draw;
		uint16_t	row[64];
		uint16_t   *codes[64];
		const pegs_zeros no_rules = {0};

		if (wire->ncols > 64 || pegs_draw_init(&reader, fitted_of(wire), NULL, &draw) != PEGS_OK)
			return;
		for (int r = 0; r < 20; r++)
		{
			pegs_draw_row(&draw, &rng, row);
			for (uint32_t i = 0; i < wire->ncols; i++)
				inside = inside && row[i] < fitted_of(wire)->levels[i];
		}
		for (uint32_t i = 0; i < wire->ncols; i++)
			codes[i] = reader.alloc(reader.context, sizeof(uint16_t) * 30);
		pegs_draw_batch(&reader, &draw, &rng, 30, codes);
		pegs_adjust_batch(&reader, fitted_of(wire), &no_rules, &rng, 30, codes);
		for (int r = 0; r < 30; r++)
			for (uint32_t i = 0; i < wire->ncols; i++)
				inside = inside && codes[i][r] < fitted_of(wire)->levels[i];
	}
	else if (wire->kind == PEGS_CONDITIONAL)
	{
		pegs_gibbs	gibbs = {.layout = &wire->layout, .cells = wire->cells, .alpha = 1, .block = 2};
		int32_t    *given = reader.alloc(reader.context, sizeof(int32_t) * wire->ncols);

		memset(given, 0xff, sizeof(int32_t) * wire->ncols);
		gibbs.given = given;
		pegs_gibbs_init(&reader, &gibbs);
		(void) pegs_gibbs_seed(&gibbs, &rng, 1);
		for (int r = 0; r < 20; r++)
		{
			pegs_gibbs_next(&gibbs, &rng);
			for (uint32_t i = 0; i < wire->ncols; i++)
				inside = inside && gibbs.row[i] < wire->layout.levels[i];
		}
	}
	CHECK(inside);
}

/*
 * What connecting the tree of a model takes beyond its bytes: a number for
 * every cell of both ends of each edge. A clique's cells are in the bytes, but
 * a parent has its part once for each child.
 */
static size_t
tree_bytes(const pegs_wire *wire, pegs_status status)
{
	const pegs_jtree *tree;
	size_t		cells = 0;

	if (wire->kind != MODEL_KIND || status != PEGS_OK)
		return 0;
	tree = &fitted_of(wire)->tree;
	for (uint32_t i = 1; i < tree->nclique; i++)
		cells += tree->clique[i].cells + tree->clique[tree->clique[i].parent].cells;
	CHECK(cells <= PEGS_MAX_CELLS);
	return 4 * cells;
}

/* Read a copy of exactly this length. The answer is a status, the memory is bounded. */
static pegs_status
attack(const uint8_t *bytes, size_t length, bool sealed)
{
	uint8_t    *copy = malloc(length > 0 ? length : 1);
	uint8_t    *exact = length > 0 ? copy : copy + 1;
	pegs_wire	wire;
	pegs_status status;
	uint64_t	columns;

	memcpy(exact, bytes, length);
	if (sealed)
		seal(exact, length);
	columns = length >= 16 ? get(exact + 12, 4) : 0;
	status = pegs_wire_read(&reader, exact, length, &wire);

	CHECK(status == PEGS_OK || status == PEGS_ERR_FORMAT || status == PEGS_ERR_VERSION || status == PEGS_ERR_TOO_LARGE);
	/* the shape: columns whose levels are there, and columns^2 places of pairs; a tree: see tree_bytes */
	if (columns > length / 4)
		columns = length / 4;
	if (!CHECK(taken.bytes <= 32 * length + 8 * columns * columns + 1024 + tree_bytes(&wire, status)))
		printf("  %zu bytes, %" PRIu64 " columns: %zu allocated\n", length, columns, taken.bytes);
	if (status == PEGS_OK)
	{
		accepted++;
		use(&wire, exact, length);
	}
	else
		refused++;
	arena_free(&taken);
	free(copy);
	return status;
}

/* Without a new CRC a changed byte never passes. */
static void
test_crc(void)
{
	for (int shape = 0; shape < NSHAPES; shape++)
	{
		pegs_wire	wire = example(shape);
		size_t		length;
		uint8_t    *bytes = written(&wire, &length);

		for (size_t i = 0; i < length; i++)
		{
			bytes[i] ^= (uint8_t) (1 << i % 8);
			CHECK(attack(bytes, length, false) != PEGS_OK);
			bytes[i] ^= (uint8_t) (1 << i % 8);
		}
		CHECK(attack(bytes, length, false) == PEGS_OK);
		arena_free(&memory);
	}
}

static void
test_versions(void)
{
	pegs_wire	wire = example(1);
	size_t		length;
	uint8_t    *bytes = written(&wire, &length);

	bytes[4] = 2;
	CHECK(attack(bytes, length, true) == PEGS_ERR_VERSION);
	CHECK(attack(bytes, length, false) == PEGS_ERR_VERSION);
	CHECK(attack(bytes, 20, false) == PEGS_ERR_VERSION);
	bytes[4] = 0;
	CHECK(attack(bytes, length, true) == PEGS_ERR_FORMAT);
	bytes[5] = 1;
	CHECK(attack(bytes, length, true) == PEGS_ERR_VERSION);
	arena_free(&memory);
}

static void
test_flips_and_lengths(void)
{
	static const uint8_t flips[] = {1, 2, 0x80, 0xff};

	for (int shape = 0; shape < NSHAPES; shape++)
	{
		pegs_wire	wire = example(shape);
		size_t		length;
		uint8_t    *bytes = written(&wire, &length);
		uint8_t    *longer;

		for (size_t i = 0; i + 4 < length; i++)
			for (size_t f = 0; f < sizeof(flips); f++)
			{
				bytes[i] ^= flips[f];
				attack(bytes, length, true);
				bytes[i] ^= flips[f];
			}
		/* each length says how long it is: no other one is right */
		for (size_t i = 0; i < length; i++)
		{
			CHECK(attack(bytes, i, false) != PEGS_OK);
			CHECK(attack(bytes, i, true) != PEGS_OK);
		}
		longer = env.alloc(env.context, length + 40);
		memcpy(longer, bytes, length - 4);
		for (size_t i = 1; i <= 40; i++)
			CHECK(attack(longer, length + i, true) == PEGS_ERR_FORMAT);
		arena_free(&memory);
	}
}

static void
test_random_mutations(void)
{
	static const uint64_t values[] = {
		0, 1, 2, 3, 4, 5, 7, 8, 255, 256, 1599, 1600, 1601, 65535, 65536, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff,
		UINT64_C(0x3ff0000000000000), UINT64_C(0x7ff0000000000000), UINT64_C(0x7ff8000000000000),
		UINT64_C(0x8000000000000000), UINT64_C(0xbff0000000000000), UINT64_C(0x0000000000000001),
		UINT64_C(0x7fefffffffffffff), UINT64_C(1) << 46, UINT64_MAX
	};
	const size_t nvalues = sizeof(values) / sizeof(values[0]);

	for (int shape = 0; shape < NSHAPES; shape++)
	{
		pegs_wire	wire = example(shape);
		size_t		length;
		uint8_t    *bytes = written(&wire, &length);
		uint8_t    *mutant = env.alloc(env.context, 2 * length + 64);

		for (int turn = 0; turn < 8000; turn++)
		{
			size_t		n = length;
			uint64_t	edits = 1 + pegs_rng_below(&rng, 3);

			memcpy(mutant, bytes, length);
			while (edits-- > 0)
			{
				/* half of the places in the head, where lengths are */
				size_t		at = pegs_rng_below(&rng, pegs_rng_below(&rng, 2) == 0 && n > 128 ? 128 : n);
				uint64_t	value = values[pegs_rng_below(&rng, nvalues)];
				size_t		move;

				switch (pegs_rng_below(&rng, 6))
				{
					case 0:
						mutant[at] ^= (uint8_t) (1 + pegs_rng_below(&rng, 255));
						break;
					case 1:
						at &= ~(size_t) 3;
						if (at + 4 <= n)
							put32(mutant + at, (uint32_t) value);
						break;
					case 2:
						at &= ~(size_t) 7;
						if (at + 8 <= n)
							put64(mutant + at, value);
						break;
					case 3:
						at &= ~(size_t) 3;
						if (at + 4 <= n)
							put32(mutant + at, (uint32_t) get(mutant + at, 4) + (pegs_rng_below(&rng, 2) ? 1 : -1));
						break;
					case 4:		/* a piece is missing */
						move = 8 * (1 + pegs_rng_below(&rng, 3));
						if (at + move < n && n - move > 8)
						{
							memmove(mutant + at, mutant + at + move, n - at - move);
							n -= move;
						}
						break;
					case 5:		/* a piece is there twice */
						move = 8 * (1 + pegs_rng_below(&rng, 3));
						if (n + move <= 2 * length)
						{
							memmove(mutant + at + move, mutant + at, n - at);
							n += move;
						}
						break;
				}
			}
			attack(mutant, n, true);
		}
		/* pure noise behind a good head */
		for (int turn = 0; turn < 1000; turn++)
		{
			size_t		n = 8 + pegs_rng_below(&rng, 200);

			memcpy(mutant, bytes, length);
			for (size_t i = pegs_rng_below(&rng, n); i < n; i++)
				mutant[i] = (uint8_t) pegs_rng_u64(&rng);
			attack(mutant, n, true);
		}
		arena_free(&memory);
	}
	/* the attack reaches behind the checks: some mutants live */
	CHECK(accepted > 1000);
	CHECK(refused > 20000);
}

/* ---------- lies that are told in one place ---------- */

/* Little is there, much is declared: refused before anything of that size is taken. */
static void
test_declared_size(void)
{
	for (uint16_t kind = 1; kind <= 3; kind++)
	{
		uint8_t		bytes[128] = "PEGS";

		bytes[4] = 1;
		bytes[6] = (uint8_t) kind;
		for (uint64_t columns = 1; columns < UINT64_C(1) << 32; columns *= 3)
		{
			put32(bytes + 12, (uint32_t) columns);
			CHECK(attack(bytes, sizeof(bytes), true) != PEGS_OK);
		}
		/* four columns of 65,535 levels: 2^34 pairs of cells */
		put32(bytes + 12, 4);
		for (int i = 0; i < 4; i++)
			put32(bytes + 32 + 4 * i, 65535);
		CHECK(attack(bytes, sizeof(bytes), true) != PEGS_OK);
		put32(bytes + 20, UINT32_MAX);
		CHECK(attack(bytes, sizeof(bytes), true) != PEGS_OK);
	}
}

/* Counts that no rows can have. */
static void
test_false_counts(void)
{
	for (int shape = 0; shape < 4; shape++)
	{
		pegs_wire	wire = example(shape);
		size_t		length;
		uint8_t    *bytes;

		wire.rows++;
		bytes = written(&wire, &length);
		CHECK(attack(bytes, length, true) == PEGS_ERR_FORMAT);
		wire.rows -= 2;
		bytes = written(&wire, &length);
		CHECK(attack(bytes, length, true) == PEGS_ERR_FORMAT);
		wire.rows++;
		wire.cells[0] += UINT64_MAX - wire.cells[1];	/* a sum that wraps */
		bytes = written(&wire, &length);
		CHECK(attack(bytes, length, true) == PEGS_ERR_FORMAT);
		arena_free(&memory);
	}
	{
		pegs_wire	wire = example(0);
		size_t		length;
		uint8_t    *bytes;

		wire.rows = PEGS_MAX_ROWS + 1;
		memset(wire.cells, 0, sizeof(uint64_t) * wire.layout.ncells);
		for (uint32_t i = 0; i < 4; i++)
			wire.cells[wire.layout.offset[i]] = wire.rows;
		bytes = written(&wire, &length);
		CHECK(attack(bytes, length, true) == PEGS_ERR_FORMAT);
		arena_free(&memory);
	}
}

/*
 * A table of pairs holds each row once, too. Without that check cells of up to
 * 2^46 rows, as many as there may be, would pass 2^63 when a fit adds them.
 */
static void
test_false_pairs(void)
{
	pegs_wire	wire = example(0);
	size_t		length;
	uint8_t    *bytes;

	wire.cells[wire.layout.pair_offset[1]] += 1;
	bytes = written(&wire, &length);
	CHECK(attack(bytes, length, true) == PEGS_ERR_FORMAT);
	arena_free(&memory);
}

/* Where the parts of a model lie: wire.c's format, written down once more. */
typedef struct places
{
	size_t		rows;
	size_t		pure;
	size_t		npairs;
	size_t		total;
	size_t		spent;
	size_t		epsilon;
	size_t		delta;
	size_t		rows_per_unit;
	size_t		record;
	size_t		share[4];
	size_t		classes[4];
	size_t		class_of[4];
	size_t		ncliques;
	size_t		clique[4];		/* columns, parent + 1 */
	size_t		column[4];		/* of the clique */
	size_t		mu[4];
	size_t		pair;			/* a, b, ka, kb, outside, times, variance of the first pair */
	size_t		class_a;
	size_t		class_b;
	size_t		pair_share;
	size_t		next_pair;
} places;

static size_t
padded(size_t n)
{
	return (n + 7) / 8 * 8;
}

static places
places_of(const pegs_wire *wire)
{
	const pegs_fitted *f = fitted_of(wire);
	const pegs_pair *pair = &f->pair[0];
	places		at;
	size_t		next;

	at.rows = 32 + padded(4 * wire->ncols) + padded(wire->spec_len);
	at.pure = at.rows + 8;
	at.npairs = at.pure + 4;
	at.total = at.npairs + 4;
	at.spent = at.total + 8;
	at.epsilon = at.spent + 8;
	at.delta = at.epsilon + 8;
	at.rows_per_unit = at.delta + 8;
	at.record = at.rows_per_unit + 8;
	next = at.record + 3 * 16;
	for (uint32_t i = 0; i < wire->ncols; i++)
	{
		at.share[i] = next;
		at.classes[i] = next + 8 * f->levels[i];
		at.class_of[i] = at.classes[i] + 8;
		next = at.class_of[i] + padded(2 * f->levels[i]);
	}
	at.ncliques = next;
	next += 8;
	for (uint32_t i = 0; i < f->tree.nclique; i++)
	{
		at.clique[i] = next;
		at.column[i] = next + 8;
		at.mu[i] = at.column[i] + padded(4 * f->tree.clique[i].n);
		next = at.mu[i] + 8 * f->tree.clique[i].cells;
	}
	at.pair = next;
	at.class_a = at.pair + 32;
	at.class_b = at.class_a + padded(2 * f->levels[pair->column[0]]);
	at.pair_share = at.class_b + padded(2 * f->levels[pair->column[1]]);
	at.next_pair = at.pair_share + 8 * (size_t) pair->k[0] * pair->k[1];
	return at;
}

static uint64_t
bits_of(double value)
{
	uint64_t	bits;

	memcpy(&bits, &value, 8);
	return bits;
}

/* One lie of `size` bytes; then the truth again. */
static void
lie(uint8_t *bytes, size_t length, size_t at, int size, uint64_t value)
{
	uint64_t	truth = get(bytes + at, size);

	CHECK(truth != value);
	for (int i = 0; i < size; i++)
		bytes[at + i] = (uint8_t) (value >> (8 * i));
	if (!CHECK(attack(bytes, length, true) == PEGS_ERR_FORMAT))
		printf("  accepted at %zu: %" PRIx64 "\n", at, value);
	for (int i = 0; i < size; i++)
		bytes[at + i] = (uint8_t) (truth >> (8 * i));
}

/* A chain of cliques ab - bc - cd, of which the last is hung on the first: c is then torn apart. */
static void
test_running_intersection(void)
{
	uint32_t	levels[4] = {2, 2, 2, 2};
	double		half[2] = {0.5, 0.5};
	double		quarter[4] = {0.25, 0.25, 0.25, 0.25};
	uint16_t	same[2] = {0, 1};
	uint32_t	columns[3][2] = {{0, 1}, {1, 2}, {2, 3}};
	double	   *share[4] = {half, half, half, half};
	uint16_t   *class_of[4] = {same, same, same, same};
	pegs_clique clique[3] = {{0}};
	pegs_fitted model;
	pegs_wire	wire;

	for (int i = 0; i < 3; i++)
		clique[i] = (pegs_clique) {.n = 2, .column = columns[i], .cells = 4, .mu = quarter, .parent = i - 1};
	model = (pegs_fitted) {
		.ncols = 4, .levels = levels, .rows = 10, .share = share, .class_of = class_of,
		.tree = {.ncols = 4, .classes = levels, .nclique = 3, .clique = clique},
		.accountant = {.epsilon = 1, .rows_per_unit = 1, .pure = true, .record = {{1, 0, 0}, {2, 0, 0}, {3, 0, 0}}}
	};
	wire = wire_of("", &model);
	for (int torn = 0; torn < 2; torn++)
	{
		size_t		length;
		uint8_t    *bytes;

		clique[2].parent = torn ? 0 : 1;
		bytes = written(&wire, &length);
		CHECK(attack(bytes, length, true) == (torn ? PEGS_ERR_FORMAT : PEGS_OK));
	}
}

static void
test_false_model(void)
{
	static const double no_share[] = {-0.1, -1e-300, NAN, INFINITY, -INFINITY, 1.01, 1e300};
	static const double no_number[] = {NAN, INFINITY, -INFINITY};
	pegs_wire	good = example(4);
	const pegs_fitted *f = fitted_of(&good);
	const pegs_pair *pair = &f->pair[0];
	places		at = places_of(&good);
	size_t		length;
	uint8_t    *bytes = written(&good, &length);
	size_t		i;

	CHECK(get(bytes + at.rows, 8) == bits_of(f->rows));
	CHECK(get(bytes + at.share[3], 8) == bits_of(f->share[3][0]));
	CHECK(get(bytes + at.pair_share, 8) == bits_of(pair->share[0]));
	CHECK(attack(bytes, length, true) == PEGS_OK);

	lie(bytes, length, at.rows, 8, bits_of(0.99));
	lie(bytes, length, at.rows, 8, bits_of(-5));
	lie(bytes, length, at.pure, 4, 2);
	lie(bytes, length, at.npairs, 4, f->npairs - 1);
	lie(bytes, length, at.npairs, 4, 4);
	lie(bytes, length, at.npairs, 4, UINT32_MAX);
	lie(bytes, length, at.spent, 8, f->accountant.total + 1);
	lie(bytes, length, at.share[0], 8, bits_of(f->share[0][0] + 1e-5));
	lie(bytes, length, at.pair_share, 8, bits_of(pair->share[0] + 1e-5));
	for (i = 0; i < sizeof(no_share) / sizeof(no_share[0]); i++)
	{
		lie(bytes, length, at.share[1] + 8, 8, bits_of(no_share[i]));
		lie(bytes, length, at.pair_share + 8, 8, bits_of(no_share[i]));
	}
	for (i = 0; i < sizeof(no_number) / sizeof(no_number[0]); i++)
	{
		lie(bytes, length, at.rows, 8, bits_of(no_number[i]));
		lie(bytes, length, at.pair + 24, 8, bits_of(no_number[i]));
	}
	lie(bytes, length, at.epsilon, 8, 0);
	lie(bytes, length, at.epsilon, 8, UINT64_MAX);
	lie(bytes, length, at.delta, 8, 1);	/* a pure model has none */
	lie(bytes, length, at.rows_per_unit, 4, 0);
	lie(bytes, length, at.rows_per_unit + 4, 4, 2);	/* rows each: of a person that is one row */
	lie(bytes, length, at.rows_per_unit + 4, 4, 64);
	bytes[at.rows_per_unit + 4] = 1;	/* one row of each person: pegs_export says so */
	CHECK(attack(bytes, length, true) == PEGS_OK);
	bytes[at.rows_per_unit + 4] = 0;
	lie(bytes, length, at.record, 4, 2);
	lie(bytes, length, at.classes[1], 4, 0);
	lie(bytes, length, at.classes[1], 4, f->levels[1] + 1);
	lie(bytes, length, at.classes[1] + 4, 4, 1);
	lie(bytes, length, at.class_of[1], 2, 1);
	lie(bytes, length, at.ncliques, 4, 0);
	lie(bytes, length, at.ncliques, 4, 5);
	lie(bytes, length, at.ncliques, 4, UINT32_MAX);
	lie(bytes, length, at.ncliques + 4, 4, 2);	/* 1: its rows are smooth; 0: they are not */
	lie(bytes, length, at.clique[0], 4, 0);
	lie(bytes, length, at.clique[0], 4, 5);
	lie(bytes, length, at.clique[0] + 4, 4, 1);	/* the root has no parent */
	for (i = 0; i < f->tree.nclique; i++)
	{
		const pegs_clique *c = &f->tree.clique[i];

		lie(bytes, length, at.clique[i], 4, UINT32_MAX);
		lie(bytes, length, at.clique[i] + 4, 4, (uint32_t) i + 1);
		lie(bytes, length, at.clique[i] + 4, 4, UINT32_MAX);
		lie(bytes, length, at.column[i], 4, UINT32_MAX);
		for (uint32_t x = 0; x + 1 < c->n; x++)
			lie(bytes, length, at.column[i] + 4 * x, 4, c->column[x + 1]);	/* columns rise */
		if (c->n % 2 == 1)
			lie(bytes, length, at.column[i] + 4 * c->n, 4, 1);
	}
	if (f->tree.nclique > 1)
	{
		lie(bytes, length, at.clique[1] + 4, 4, 0);	/* and no other clique is one */
		lie(bytes, length, at.clique[1] + 4, 4, 2);	/* nor its own parent */
		lie(bytes, length, at.column[1], 4, 4);
	}
	lie(bytes, length, at.mu[0], 8, bits_of(f->tree.clique[0].mu[0] + 1e-5));
	lie(bytes, length, at.mu[0], 8, bits_of(-0.1));
	lie(bytes, length, at.mu[0], 8, bits_of(NAN));
	lie(bytes, length, at.pair, 4, pair->column[1]);
	lie(bytes, length, at.pair + 4, 4, pair->column[0]);
	lie(bytes, length, at.pair + 4, 4, 4);
	lie(bytes, length, at.pair + 4, 4, UINT32_MAX);
	lie(bytes, length, at.pair + 8, 4, 0);
	lie(bytes, length, at.pair + 8, 4, pair->k[0] + 1);
	lie(bytes, length, at.pair + 12, 4, pair->k[1] - 1);
	lie(bytes, length, at.pair + 12, 4, 0x80000001);
	lie(bytes, length, at.pair + 16, 4, 2);
	lie(bytes, length, at.pair + 24, 8, bits_of(0));
	lie(bytes, length, at.pair + 24, 8, bits_of(-1));
	/* classes begin at 0, take no step down or of two, and end at k - 1 */
	lie(bytes, length, at.class_a, 2, 1);
	lie(bytes, length, at.class_b, 2, UINT16_MAX);
	lie(bytes, length, at.class_b + 2 * (f->levels[pair->column[1]] - 1), 2, pair->k[1]);
	lie(bytes, length, at.class_b + 2 * (f->levels[pair->column[1]] - 1), 2, 0);
	/* padding is zero: nothing can be hidden in it */
	CHECK(f->levels[pair->column[0]] % 4 != 0);
	lie(bytes, length, at.class_a + padded(2 * f->levels[pair->column[0]]) - 1, 1, 1);

	/* a column that a clique shares with an earlier one must be in its parent: running intersection */
	test_running_intersection();
	arena_free(&memory);
	good = example(6);
	f = fitted_of(&good);
	{
		uint32_t	widest = 0;

		for (i = 0; i < f->tree.nclique; i++)
			widest = f->tree.clique[i].n > widest ? f->tree.clique[i].n : widest;
		CHECK(widest >= 3);
	}
	arena_free(&memory);
}

/*
 * One wide clique with many children: few bytes a child, an index of the
 * parent's cells each. Refused before that memory is taken.
 */
static void
test_many_children(void)
{
	for (int refused_one = 0; refused_one < 2; refused_one++)
	{
		enum
		{
			CHILDREN = 1300
		};
		const uint32_t wide = refused_one ? 260 : 20;
		pegs_fitted *f = env.alloc(env.context, sizeof(pegs_fitted));
		pegs_wire	wire = {.kind = MODEL_KIND, .method = pegs_method_of_kind(MODEL_KIND), .ncols = CHILDREN + 2, .spec = "", .model = f};
		uint16_t   *none = env.alloc(env.context, sizeof(uint16_t) * wide);
		uint16_t   *each = env.alloc(env.context, sizeof(uint16_t) * wide);
		double	   *even = env.alloc(env.context, sizeof(double) * wide);
		size_t		length;
		uint8_t    *bytes;

		f->ncols = wire.ncols;
		f->rows = 1;
		pegs_accountant_init(&f->accountant, PEGS_EPSILON_UNIT, 0, 1);
		f->levels = wire.levels = env.alloc(env.context, sizeof(uint32_t) * wire.ncols);
		f->share = env.alloc(env.context, sizeof(double *) * wire.ncols);
		f->class_of = env.alloc(env.context, sizeof(uint16_t *) * wire.ncols);
		f->tree.ncols = wire.ncols;
		f->tree.nclique = CHILDREN + 1;
		f->tree.classes = env.alloc(env.context, sizeof(uint32_t) * wire.ncols);
		f->tree.clique = env.alloc(env.context, sizeof(pegs_clique) * wire.ncols);
		for (uint32_t i = 0; i < wide; i++)
		{
			even[i] = 1.0 / wide;
			each[i] = (uint16_t) i;
		}
		for (uint32_t i = 0; i < wire.ncols; i++)
		{
			f->levels[i] = f->tree.classes[i] = i < 2 ? wide : 1;
			f->share[i] = env.alloc(env.context, sizeof(double) * wide);
			for (uint32_t j = 0; j < f->levels[i]; j++)
				f->share[i][j] = 1.0 / f->levels[i];
			f->class_of[i] = i < 2 ? each : none;
		}
		for (uint32_t i = 0; i <= CHILDREN; i++)
		{
			pegs_clique *c = &f->tree.clique[i];

			c->n = i == 0 ? 2 : 1;
			c->parent = i == 0 ? -1 : 0;
			c->column = env.alloc(env.context, sizeof(uint32_t) * 2);
			c->column[0] = i == 0 ? 0 : i + 1;
			c->column[1] = 1;
			c->cells = i == 0 ? (size_t) wide * wide : 1;
			c->mu = env.alloc(env.context, sizeof(double) * c->cells);
			for (size_t k = 0; k < c->cells; k++)
				c->mu[k] = 1.0 / (double) c->cells;
		}
		bytes = written(&wire, &length);
		CHECK_INT(attack(bytes, length, true), refused_one ? PEGS_ERR_TOO_LARGE : PEGS_OK);
		arena_free(&memory);
	}
}

/* Padding of a state, behind levels and parents. */
static void
test_padding(void)
{
	pegs_wire	wire = state(0, "abc", 9);
	size_t		length;
	uint8_t    *bytes = written(&wire, &length);

	for (int i = 3; i < 8; i++)
		lie(bytes, length, 32 + 16 + i, 1, 7);
	arena_free(&memory);
}

int
main(void)
{
	reader = arena_env(&taken);
	test_round_trip();
	test_spec_lengths();
	test_size_says_nothing();
	test_triples();
	test_merge();
	test_crc();
	test_versions();
	test_flips_and_lengths();
	test_random_mutations();
	test_declared_size();
	test_false_counts();
	test_false_pairs();
	test_false_model();
	test_many_children();
	test_padding();
	return unit_done("wire_test");
}
