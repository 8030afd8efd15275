/*
 * noise.c
 *	  What a draw of noise costs: CPU nanoseconds, and random words of 64 bits.
 *
 * Usage: noise DRAWS: the least of five times so many draws, of each noise. A
 * word by itself is the first line: the cipher's part of the others.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "core/epsilon.h"
#include "core/noise.h"

static pegs_rng rng;
static volatile int64_t sink;

static double
cpu(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double) t.tv_sec * 1e9 + (double) t.tv_nsec;
}

/* Words of this stream that are read. */
static double
words(void)
{
	return ((double) rng.nonce[0] * 0x1p32 + rng.counter) * 8 - (PEGS_RNG_BLOCKS * 8 - rng.next);
}

/* sigma2 0: Laplace noise of num/2^bits; num 0, too: a word. */
static int64_t
draw(uint64_t num, int bits, uint64_t sigma2)
{
	if (sigma2 > 0)
		return pegs_discrete_gaussian(&rng, (pegs_variance) {.num = sigma2 << 16, .shift = 16});
	return num > 0 ? pegs_discrete_laplace(&rng, num, UINT64_C(1) << bits) : (int64_t) pegs_rng_u64(&rng);
}

static void
line(const char *name, long draws, uint64_t num, int bits, uint64_t sigma2)
{
	double		least = 1e300;
	double		read = 0;

	for (int turn = 0; turn < 5; turn++)
	{
		double		from = cpu();
		double		first = words();

		for (long i = 0; i < draws; i++)
			sink += draw(num, bits, sigma2);
		from = (cpu() - from) / (double) draws;
		least = from < least ? from : least;
		read += (words() - first) / (double) draws / 5;
	}
	printf("%-28s %8.1f ns %8.2f words\n", name, least, read);
}

int
main(int argc, char **argv)
{
	static const uint8_t key[PEGS_KEY_BYTES] = {1};
	long		draws = argc == 2 ? atol(argv[1]) : 0;

	if (draws < 1)
	{
		fprintf(stderr, "usage: noise DRAWS\n");
		return 2;
	}
	pegs_rng_init(&rng, key, 0);
	line("a random word", draws, 0, 0, 0);
	line("Laplace, epsilon 0.1", draws, (uint64_t) (0.1 * 0x1p50), PEGS_COST_BITS, 0);
	line("Laplace, epsilon 1", draws, UINT64_C(1) << PEGS_COST_BITS, PEGS_COST_BITS, 0);
	line("Laplace, epsilon 10", draws, UINT64_C(10) << PEGS_COST_BITS, PEGS_COST_BITS, 0);
	line("Laplace, of 3/128", draws, 3, 7, 0);
	line("Gaussian, variance 4", draws, 0, 0, 4);
	line("Gaussian, variance 400", draws, 0, 0, 400);
	line("Gaussian, variance 40,000", draws, 0, 0, 40000);
	return 0;
}
