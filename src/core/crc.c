/*
 * crc.c
 *	  CRC-32C, sliced by eight.
 *
 * The polynomial division takes eight bytes a step: table k says what a byte
 * becomes that has k more bytes after it. The tables are made in each call
 * (2,048 steps of a few instructions), so nothing is kept and nothing has to be
 * set up; short inputs go bit by bit through half bytes and need none. Bytes
 * are taken one by one, so the machine's byte order does not matter.
 */
#include "core/crc.h"

#define SHORT 4096				/* bytes for which making the tables would cost more */
#define STEP (1 << 20)			/* bytes between two questions whether to stop */

/* What half a byte becomes. */
static const uint32_t nibble[16] = {
	0x00000000, 0x105ec76f, 0x20bd8ede, 0x30e349b1, 0x417b1dbc, 0x5125dad3, 0x61c69362, 0x7198540d,
	0x82f63b78, 0x92a8fc17, 0xa24bb5a6, 0xb21572c9, 0xc38d26c4, 0xd3d3e1ab, 0xe330a81a, 0xf36e6f75
};

static inline uint32_t
one_byte(uint32_t crc, uint8_t byte)
{
	crc ^= byte;
	crc = (crc >> 4) ^ nibble[crc & 15];
	return (crc >> 4) ^ nibble[crc & 15];
}

static void
make_tables(uint32_t table[8][256])
{
	for (uint32_t i = 0; i < 256; i++)
		table[0][i] = one_byte(0, (uint8_t) i);
	for (int k = 1; k < 8; k++)
		for (uint32_t i = 0; i < 256; i++)
			table[k][i] = (table[k - 1][i] >> 8) ^ table[0][table[k - 1][i] & 255];
}

/* n is a multiple of eight */
static uint32_t
by_eight(uint32_t crc, uint32_t table[8][256], const uint8_t *bytes, size_t n)
{
	for (const uint8_t *end = bytes + n; bytes < end; bytes += 8)
	{
		crc ^= bytes[0] | (uint32_t) bytes[1] << 8 | (uint32_t) bytes[2] << 16 | (uint32_t) bytes[3] << 24;
		crc = table[7][crc & 255] ^ table[6][(crc >> 8) & 255] ^ table[5][(crc >> 16) & 255] ^ table[4][crc >> 24]
			^ table[3][bytes[4]] ^ table[2][bytes[5]] ^ table[1][bytes[6]] ^ table[0][bytes[7]];
	}
	return crc;
}

uint32_t
pegs_crc32c(const pegs_env *env, const uint8_t *bytes, size_t n)
{
	uint32_t	crc = ~UINT32_C(0);

	if (n >= SHORT)
	{
		uint32_t	table[8][256];

		make_tables(table);
		while (n >= 8)
		{
			size_t		some = n > STEP ? STEP : n & ~(size_t) 7;

			if (env)
				env->check(env->context);
			crc = by_eight(crc, table, bytes, some);
			bytes += some;
			n -= some;
		}
	}
	while (n-- > 0)
		crc = one_byte(crc, *bytes++);
	return ~crc;
}
