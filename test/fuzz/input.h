/*
 * input.h
 *	  The bytes of an input as a row of choices.
 *
 * A target that takes structure, not text, asks here: every byte string means
 * something, a longer one means more, and at its end every choice is 0. So
 * the fuzzer's small steps on bytes are small steps on what is tried.
 */
#ifndef PEGS_FUZZ_INPUT_H
#define PEGS_FUZZ_INPUT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct input
{
	const uint8_t *at;
	size_t		left;
} input;

static inline uint8_t
take_byte(input *in)
{
	if (in->left == 0)
		return 0;
	in->left--;
	return *in->at++;
}

static inline uint64_t
take(input *in, int bytes)
{
	uint64_t	value = 0;

	while (bytes-- > 0)
		value = value << 8 | take_byte(in);
	return value;
}

/* 0 .. n - 1 */
static inline uint32_t
below(input *in, uint32_t n)
{
	return (uint32_t) (take(in, n > 256 ? 2 : 1) % n);
}

/* A weight of a distribution; extremes more often than chance would have them. */
static inline double
take_weight(input *in)
{
	static const double extreme[8] = {0, 0, 5e-324, 1e-300, 1e-16, 1e-9, 1, 1e9};
	uint8_t		byte = take_byte(in);

	return byte < 8 ? extreme[byte] : byte;
}

#endif							/* PEGS_FUZZ_INPUT_H */
