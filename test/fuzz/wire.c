/*
 * wire.c
 *	  Fuzz target: bytes that claim to be a state or a model.
 *
 * An input is a few choices, then the bytes. The CRC is made right before the
 * reader sees them (nearly always), so that what is tried is the reader behind
 * it. The answer must be a status, the memory bounded by the length and the
 * shape; what is taken must be written back byte for byte and be safe to use.
 * The mutator knows the format a little: it pokes whole numbers where numbers
 * lie, moves mass from one double to another, and makes valid bytes to start
 * from.
 */
#include "use.h"

#define CHOICES 64				/* bytes before those of the format */

extern size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);

/* CRC-32C bit by bit: Castagnoli's polynomial, reflected. */
static uint32_t
crc32c(const uint8_t *bytes, size_t n)
{
	uint32_t	crc = UINT32_MAX;

	for (size_t i = 0; i < n; i++)
	{
		crc ^= bytes[i];
		for (int bit = 0; bit < 8; bit++)
			crc = crc & 1 ? crc >> 1 ^ 0x82f63b78 : crc >> 1;
	}
	return ~crc;
}

static void
seal(uint8_t *bytes, size_t length)
{
	uint32_t	crc;

	if (length < 4)
		return;
	crc = crc32c(bytes, length - 4);
	for (int i = 0; i < 4; i++)
		bytes[length - 4 + i] = (uint8_t) (crc >> (8 * i));
}

/* An index for every cell on both sides of each edge of the tree: see tree_bytes in test/unit/wire_test.c. */
static size_t
tree_bytes(const pegs_wire *wire, pegs_status status)
{
	const pegs_jtree *tree = wire->kind == MODEL_KIND && status == PEGS_OK ? &fitted_of(wire)->tree : NULL;
	size_t		cells = 0;

	for (uint32_t i = 1; wire->kind == MODEL_KIND && status == PEGS_OK && i < tree->nclique; i++)
		cells += tree->clique[i].cells + tree->clique[tree->clique[i].parent].cells;
	MUST(cells <= PEGS_MAX_CELLS);
	return 4 * cells;
}

static void
check_bound(const memory *m, const uint8_t *bytes, size_t length, const pegs_wire *wire, pegs_status status)
{
	uint64_t	columns = 0;

	for (int i = 3; length >= 16 && i >= 0; i--)
		columns = columns << 8 | bytes[12 + i];
	if (columns > length / 4)
		columns = length / 4;
	MUST(m->bytes <= 32 * length + 8 * columns * columns + 1024 + tree_bytes(wire, status));
}

/* The reader, stopped at its n-th byte: it may leave half-made things, and nothing that must be given back. */
static void
read_in_little_memory(const uint8_t *bytes, size_t length, size_t limit)
{
	memory		little = {.limit = limit};
	pegs_env	env = memory_env(&little);
	pegs_wire	wire;

	if (setjmp(little.full) == 0)
		(void) pegs_wire_read(&env, bytes, length, &wire);
	memory_forget(&little);
	free(little.block);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static memory m;
	pegs_env	env = memory_env(&m);
	size_t		length = size > CHOICES ? size - CHOICES : 0;
	uint8_t    *bytes = malloc(length > 0 ? length : 1);
	uint8_t    *exact = length > 0 ? bytes : bytes + 1;
	input		in = {data, size < CHOICES ? size : CHOICES};
	uint8_t		how = take_byte(&in);
	size_t		little = take(&in, 2);
	pegs_wire	wire;
	pegs_status status;

	if (length > 0)
		memcpy(exact, data + CHOICES, length);
	if (how % 16 != 1)
		seal(exact, length);
	if (how % 4 == 2)
		read_in_little_memory(exact, length, little);
	m.limit = SIZE_MAX;			/* the bound is checked, not enforced: enforcing hides by how much it is passed */
	status = pegs_wire_read(&env, exact, length, &wire);
	MUST(status == PEGS_OK || status == PEGS_ERR_FORMAT || status == PEGS_ERR_VERSION || status == PEGS_ERR_TOO_LARGE);
	check_bound(&m, exact, length, &wire, status);
	if (status == PEGS_OK)
	{
		size_t		length_again;
		uint8_t    *again = written(&env, &wire, &length_again);

		MUST(length_again == length && memcmp(again, exact, length) == 0);
		use_wire(&env, &in, &wire);
	}
	memory_forget(&m);
	free(bytes);
	return 0;
}

/* ---- the mutator ---- */

static void
put(uint8_t *at, uint64_t value, int size)
{
	for (int i = 0; i < size; i++)
		at[i] = (uint8_t) (value >> (8 * i));
}

static uint64_t
get(const uint8_t *at, int size)
{
	uint64_t	value = 0;

	while (size-- > 0)
		value = value << 8 | at[size];
	return value;
}

/* A whole number where one lies, at a multiple of its size. */
static void
poke(uint8_t *bytes, size_t length, input *in)
{
	static const uint64_t values[] = {
		0, 1, 2, 3, 4, 5, 7, 8, 255, 256, 1599, 1600, 1601, 65535, 65536, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff,
		UINT64_C(0x3ff0000000000000), UINT64_C(0x7ff0000000000000), UINT64_C(0x7ff8000000000000),
		UINT64_C(0x8000000000000000), UINT64_C(0xbff0000000000000), UINT64_C(0x7fefffffffffffff),
		UINT64_C(1) << 45, (UINT64_C(1) << 45) + 1, UINT64_C(1) << 46, UINT64_MAX
	};
	int			size = 2 << take_byte(in) % 3;
	size_t		places = length / size;
	size_t		at = places > 0 ? take(in, 3) % places * size : 0;

	if (places == 0)
		return;
	/* half of the time in the head, where the shape is */
	if (take_byte(in) % 2)
		at = at % 64 / size * size;
	switch (take_byte(in) % 3)
	{
		case 0:
			put(bytes + at, values[take_byte(in) % (sizeof(values) / sizeof(values[0]))], size);
			break;
		case 1:
			put(bytes + at, get(bytes + at, size) + 1, size);
			break;
		default:
			put(bytes + at, get(bytes + at, size) - 1, size);
	}
}

/* Takes from one double what another gets: a distribution still adds up to one. */
static void
move_mass(uint8_t *bytes, size_t length, input *in)
{
	size_t		places = length / 8;
	size_t		a = places > 0 ? take(in, 2) % places * 8 : 0;
	size_t		b = a + 8 * (1 + take_byte(in) % 4);
	double		x;
	double		y;

	if (b + 8 > length)
		return;
	memcpy(&x, bytes + a, 8);
	memcpy(&y, bytes + b, 8);
	if (!(x >= 0 && x <= 1 && y >= 0 && y <= 1))
		return;
	y += take_byte(in) % 2 ? x : x / 2;
	x = take_byte(in) % 2 ? 0 : x / 2;
	memcpy(bytes + a, &x, 8);
	memcpy(bytes + b, &y, 8);
}

/* Other bytes, of a thing that pegs could have written. */
static size_t
fresh(uint8_t *data, size_t most, uint64_t seed)
{
	static memory m;
	pegs_env	env = memory_env(&m);
	uint8_t		choices[512];
	input		in = {choices, sizeof(choices)};
	pegs_wire	wire;
	uint8_t    *bytes;
	size_t		length;

	m.limit = SIZE_MAX;
	for (size_t i = 0; i < sizeof(choices); i++)
	{
		seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		choices[i] = (uint8_t) (seed >> 56);
	}
	make_wire(&env, &in, &wire);
	bytes = written(&env, &wire, &length);
	if (CHOICES + length <= most)
	{
		memcpy(data, choices + sizeof(choices) - CHOICES, CHOICES);
		memcpy(data + CHOICES, bytes, length);
	}
	else
		length = 0;
	memory_forget(&m);
	return CHOICES + length;
}

extern size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned int seed);

size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned int seed)
{
	uint8_t		choices[8];
	input		in = {choices, sizeof(choices)};
	uint64_t	mixed = (seed + UINT64_C(1)) * UINT64_C(0x9E3779B97F4A7C15);

	for (int i = 0; i < 8; i++)
		choices[i] = (uint8_t) (mixed >> (8 * i));
	if (most <= CHOICES)
		return LLVMFuzzerMutate(data, size, most);
	if (size <= CHOICES || seed % 64 == 0)
		return fresh(data, most, mixed);
	switch (seed % 8)
	{
		case 0:
			/* the choices alone: the bytes stay as they are */
			(void) LLVMFuzzerMutate(data, CHOICES, CHOICES);
			return size;
		case 1:
		case 2:
			move_mass(data + CHOICES, size - CHOICES, &in);
			return size;
		case 3:
		case 4:
		case 5:
			poke(data + CHOICES, size - CHOICES, &in);
			return size;
		default:
			return LLVMFuzzerMutate(data, size, most);
	}
}
