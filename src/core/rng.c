/*
 * rng.c
 *	  ChaCha20 blocks (RFC 8439) and the stream made of them.
 *
 * Every random number of pegs is cut from this stream, so a release is as
 * unpredictable as its key. Blocks are made sixteen at a time in four rounds
 * of four parallel lanes, with vectors that every gcc and clang turns into
 * SSE2, NEON or VSX without being told the machine; where a processor of the
 * x86-64 line says that it has AVX2, in two rounds of eight.
 *
 * It must never find a key by itself (no entropy, no clock, no default), and
 * never hand out a word of the stream twice.
 *
 * Law: the buffer is the keystream of RFC 8439 in the order of its bytes, with
 * nonce = (wraps of the counter, stream low, stream high), read as
 * little-endian 64-bit words on every platform. pegs_chacha20_block is the
 * plain transcription; the tests hold the fast one against it.
 */
#include "core/rng.h"

#include <string.h>

#if defined(__x86_64__) && defined(__GNUC__)
#define HAS_WIDE
#endif

/* blocks in one vector */
typedef uint32_t four_lanes __attribute__((vector_size(16)));
typedef uint32_t eight_lanes __attribute__((vector_size(32)));

/* "expand 32-byte k", the first four words of the state */
static const uint32_t sigma[4] = {
	UINT32_C(0x61707865), UINT32_C(0x3320646e),
	UINT32_C(0x79622d32), UINT32_C(0x6b206574)
};

/* Macros, so that the same round serves a number and a vector of numbers. */
#define ROTATE(x, n) (((x) << (n)) | ((x) >> (32 - (n))))

#define QUARTER_ROUND(a, b, c, d) \
	do { \
		(a) += (b); (d) ^= (a); (d) = ROTATE(d, 16); \
		(c) += (d); (b) ^= (c); (b) = ROTATE(b, 12); \
		(a) += (b); (d) ^= (a); (d) = ROTATE(d, 8); \
		(c) += (d); (b) ^= (c); (b) = ROTATE(b, 7); \
	} while (0)

/* One column round and one diagonal round. */
#define DOUBLE_ROUND(x) \
	do { \
		QUARTER_ROUND((x)[0], (x)[4], (x)[8], (x)[12]); \
		QUARTER_ROUND((x)[1], (x)[5], (x)[9], (x)[13]); \
		QUARTER_ROUND((x)[2], (x)[6], (x)[10], (x)[14]); \
		QUARTER_ROUND((x)[3], (x)[7], (x)[11], (x)[15]); \
		QUARTER_ROUND((x)[0], (x)[5], (x)[10], (x)[15]); \
		QUARTER_ROUND((x)[1], (x)[6], (x)[11], (x)[12]); \
		QUARTER_ROUND((x)[2], (x)[7], (x)[8], (x)[13]); \
		QUARTER_ROUND((x)[3], (x)[4], (x)[9], (x)[14]); \
	} while (0)

static uint32_t
load32(const uint8_t *bytes)
{
	return (uint32_t) bytes[0] | (uint32_t) bytes[1] << 8 |
		(uint32_t) bytes[2] << 16 | (uint32_t) bytes[3] << 24;
}

static void
store32(uint8_t *bytes, uint32_t word)
{
	bytes[0] = (uint8_t) word;
	bytes[1] = (uint8_t) (word >> 8);
	bytes[2] = (uint8_t) (word >> 16);
	bytes[3] = (uint8_t) (word >> 24);
}

void
pegs_chacha20_block(const uint8_t key[32], uint32_t counter,
					const uint8_t nonce[12], uint8_t out[64])
{
	uint32_t	state[16];
	uint32_t	x[16];
	int			i;

	for (i = 0; i < 4; i++)
		state[i] = sigma[i];
	for (i = 0; i < 8; i++)
		state[4 + i] = load32(key + 4 * i);
	state[12] = counter;
	for (i = 0; i < 3; i++)
		state[13 + i] = load32(nonce + 4 * i);

	memcpy(x, state, sizeof(x));
	for (i = 0; i < 10; i++)
		DOUBLE_ROUND(x);

	for (i = 0; i < 16; i++)
		store32(out + 4 * i, x[i] + state[i]);
}

void
pegs_rng_init(pegs_rng *rng, const uint8_t key[PEGS_KEY_BYTES], uint64_t stream)
{
	int			i;

	for (i = 0; i < 8; i++)
		rng->key[i] = load32(key + 4 * i);
	pegs_rng_move(rng, stream);
}

void
pegs_rng_move(pegs_rng *rng, uint64_t stream)
{
	rng->counter = 0;
	rng->nonce[0] = 0;
	rng->nonce[1] = (uint32_t) stream;
	rng->nonce[2] = (uint32_t) (stream >> 32);
	rng->next = PEGS_RNG_BLOCKS * 8;	/* all read: the first draw refills */
	memset(rng->buffer, 0, sizeof(rng->buffer));
}

/*
 * The blocks that start at `position`, the 64-bit number whose high half is
 * nonce[0] and whose low half is the counter: as many as there are lanes. A
 * macro, as a vector must be seen first where its instructions may be used.
 */
#define MAKE_LANES(lanes, n) \
	lanes		x[16]; \
	lanes		counter = {0}; \
	lanes		wraps = {0}; \
	uint32_t	words[16][n]; \
	\
	for (int block = 0; block < (n); block++) \
	{ \
		counter[block] = (uint32_t) (position + block); \
		wraps[block] = (uint32_t) ((position + block) >> 32); \
	} \
	for (int i = 0; i < 4; i++) \
		x[i] = (lanes) {0} + sigma[i]; \
	for (int i = 0; i < 8; i++) \
		x[4 + i] = (lanes) {0} + rng->key[i]; \
	x[12] = counter; \
	x[13] = wraps; \
	x[14] = (lanes) {0} + rng->nonce[1]; \
	x[15] = (lanes) {0} + rng->nonce[2]; \
	\
	for (int i = 0; i < 10; i++) \
		DOUBLE_ROUND(x); \
	\
	for (int i = 0; i < 4; i++) \
		x[i] += sigma[i]; \
	for (int i = 0; i < 8; i++) \
		x[4 + i] += rng->key[i]; \
	x[12] += counter; \
	x[13] += wraps; \
	x[14] += rng->nonce[1]; \
	x[15] += rng->nonce[2]; \
	\
	/* From lanes to blocks, two 32-bit words to a 64-bit one. */ \
	memcpy(words, x, sizeof(words)); \
	for (int block = 0; block < (n); block++) \
		for (int i = 0; i < 8; i++) \
			out[block * 8 + i] = (uint64_t) words[2 * i + 1][block] << 32 | words[2 * i][block]

static void
make_four(const pegs_rng *rng, uint64_t position, uint64_t *out)
{
	MAKE_LANES(four_lanes, 4);
}

#ifdef HAS_WIDE
__attribute__((target("avx2")))
static void
make_eight(const pegs_rng *rng, uint64_t position, uint64_t *out)
{
	MAKE_LANES(eight_lanes, 8);
}
#endif

void
pegs_rng_blocks(const pegs_rng *rng, bool wide, uint64_t *out)
{
	uint64_t	position = (uint64_t) rng->nonce[0] << 32 | rng->counter;

#ifdef HAS_WIDE
	if (wide && __builtin_cpu_supports("avx2"))
	{
		for (int block = 0; block < PEGS_RNG_BLOCKS; block += 8)
			make_eight(rng, position + block, out + block * 8);
		return;
	}
#endif
	(void) wide;
	for (int block = 0; block < PEGS_RNG_BLOCKS; block += 4)
		make_four(rng, position + block, out + block * 8);
}

void
pegs_rng_refill(pegs_rng *rng)
{
	uint64_t	position = (uint64_t) rng->nonce[0] << 32 | rng->counter;

	pegs_rng_blocks(rng, true, rng->buffer);
	position += PEGS_RNG_BLOCKS;
	rng->counter = (uint32_t) position;
	rng->nonce[0] = (uint32_t) (position >> 32);
	rng->next = 0;
}

void
pegs_rng_wipe(pegs_rng *rng)
{
	memset(rng, 0, sizeof(*rng));

	/* The compiler must believe that somebody reads the zeros. */
	__asm__ volatile ("" : : "r" (rng) : "memory");
}
