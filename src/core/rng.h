/*
 * rng.h
 *	  ChaCha20 (RFC 8439) as a stream of unbiased integers.
 *
 * The one cipher of pegs. The key comes from the server's entropy
 * (pg_strong_random); fixed keys exist in tests of the core only.
 */
#ifndef PEGS_RNG_H
#define PEGS_RNG_H

#include "core/core.h"

#define PEGS_KEY_BYTES 32
#define PEGS_RNG_BLOCKS 16		/* blocks made at once, 1 kB */

typedef struct pegs_rng
{
	uint32_t	key[8];
	uint32_t	counter;		/* of the next block; the nonce moves on when it wraps */
	uint32_t	nonce[3];
	uint32_t	next;			/* next unread word of buffer */
	uint64_t	buffer[PEGS_RNG_BLOCKS * 8];
} pegs_rng;

/* RFC 8439 section 2.3: one 64-byte block. */
extern void pegs_chacha20_block(const uint8_t key[32], uint32_t counter,
								const uint8_t nonce[12], uint8_t out[64]);

/* Start stream number `stream` of a key; equal arguments give equal streams on every platform. */
extern void pegs_rng_init(pegs_rng *rng, const uint8_t key[PEGS_KEY_BYTES], uint64_t stream);

/* To the start of another stream of the same key. */
extern void pegs_rng_move(pegs_rng *rng, uint64_t stream);

/* The next PEGS_RNG_BLOCKS blocks, by eight lanes where the machine has them if wide: the same words. */
extern void pegs_rng_blocks(const pegs_rng *rng, bool wide, uint64_t *out);

/* Make PEGS_RNG_BLOCKS blocks; called by pegs_rng_u64 when the buffer is used up. */
extern void pegs_rng_refill(pegs_rng *rng);

/* How many words of its stream have been read. */
static inline uint64_t
pegs_rng_position(const pegs_rng *rng)
{
	return ((uint64_t) rng->nonce[0] << 32 | rng->counter) * 8 - (PEGS_RNG_BLOCKS * 8 - rng->next);
}

/* Overwrite key and buffer in a way the compiler may not remove. */
extern void pegs_rng_wipe(pegs_rng *rng);

/* 64 random bits: eight bytes of the stream, little-endian. */
static inline uint64_t
pegs_rng_u64(pegs_rng *rng)
{
	if (rng->next == PEGS_RNG_BLOCKS * 8)
		pegs_rng_refill(rng);
	return rng->buffer[rng->next++];
}

/*
 * Exactly uniform on [0, bound), bound >= 1: multiply, and reject the few
 * products that would favour some values (Lemire 2019, Algorithm 5).
 */
static inline uint64_t
pegs_rng_below(pegs_rng *rng, uint64_t bound)
{
	pegs_u128	product = (pegs_u128) pegs_rng_u64(rng) * bound;

	if ((uint64_t) product < bound)
	{
		uint64_t	threshold = -bound % bound;

		while ((uint64_t) product < threshold)
			product = (pegs_u128) pegs_rng_u64(rng) * bound;
	}
	return (uint64_t) (product >> 64);
}

/* Uniform on [0, 1), 53 bits. For post-processing only: never before the noise. */
static inline double
pegs_rng_double(pegs_rng *rng)
{
	return (double) (pegs_rng_u64(rng) >> 11) * 0x1p-53;
}

#endif							/* PEGS_RNG_H */
