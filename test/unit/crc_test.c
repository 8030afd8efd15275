/*
 * crc_test.c
 *	  CRC-32C sliced by eight, against the division bit by bit.
 *
 * Every length around the places where the method changes, at every alignment,
 * in memory of exactly its length, under ASan.
 */
#include "core/crc.h"

#include <stdlib.h>
#include <string.h>

#include "bitwise.h"
#include "unit.h"

static uint64_t asked;			/* whether to stop */

static void
check(void *context)
{
	(void) context;
	asked++;
}

static const pegs_env env = {.check = check};

/* Vectors of RFC 3720, B.4. */
static void
test_vectors(void)
{
	uint8_t		bytes[32];

	CHECK_INT(pegs_crc32c(&env, (const uint8_t *) "123456789", 9), 0xe3069283);
	CHECK_INT(pegs_crc32c(NULL, bytes, 0), 0);
	memset(bytes, 0, sizeof(bytes));
	CHECK_INT(pegs_crc32c(NULL, bytes, 32), 0x8a9136aa);
	memset(bytes, 0xff, sizeof(bytes));
	CHECK_INT(pegs_crc32c(NULL, bytes, 32), 0x62a8ab43);
	for (int i = 0; i < 32; i++)
		bytes[i] = (uint8_t) i;
	CHECK_INT(pegs_crc32c(NULL, bytes, 32), 0x46dd794e);
}

static void
compare(size_t n, size_t offset)
{
	uint8_t    *memory = malloc(offset + n + (offset + n == 0));
	uint64_t	x = n * 8 + offset;

	for (size_t i = 0; i < offset + n; i++)
	{
		x = x * UINT64_C(6364136223846793005) + 1442695040888963407;
		memory[i] = (uint8_t) (x >> 56);
	}
	CHECK_INT(pegs_crc32c(&env, memory + offset, n), bit_by_bit(memory + offset, n));
	free(memory);
}

static void
test_lengths(void)
{
	for (size_t n = 0; n < 40; n++)
		compare(n, 0);
	for (size_t n = 4080; n < 4120; n++)
		for (size_t offset = 0; offset < 8; offset++)
			compare(n, offset);
	for (size_t n = (1 << 20) - 9; n < (1 << 20) + 18; n++)
		compare(n, n % 8);
}

/* Once a megabyte. */
static void
test_stopping(void)
{
	uint8_t    *bytes = calloc(5 << 20, 1);

	asked = 0;
	(void) pegs_crc32c(&env, bytes, 5 << 20);
	CHECK(asked >= 5);
	free(bytes);
}

int
main(void)
{
	test_vectors();
	test_lengths();
	test_stopping();
	return unit_done("crc_test");
}
