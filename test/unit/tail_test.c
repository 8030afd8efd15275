/*
 * tail_test.c
 *	  Is the tail of a sum of noise the one it has?
 *
 * The distribution of the sum is made by adding draws up, one after the other,
 * from the probabilities of one draw: pegs_sum_tail must give the least t that
 * has not more than the chance beyond it.
 */
#include "core/tail.h"

#include <math.h>
#include <string.h>

#include "fixture.h"
#include "unit.h"

#define FAR 6000
#define SPAN (2 * FAR + 1)

static double one[SPAN];
static double sum[SPAN];
static double longer[SPAN];

/* Of one draw, from -FAR to FAR. */
static void
make_one(const pegs_noise *noise)
{
	double		e = ldexp((double) noise->units, -PEGS_COST_BITS);
	double		variance = ldexp((double) noise->sigma2.num, -(int) noise->sigma2.shift);
	double		all = 0;

	for (int x = -FAR; x <= FAR; x++)
		all += one[x + FAR] = noise->pure ? exp(-e * abs(x)) : exp(-x * (double) x / (2 * variance));
	for (int i = 0; i < SPAN; i++)
		one[i] /= all;
}

/* Another draw: what is rarer than 1e-30 on either side is left out. */
static void
add_one(void)
{
	memset(longer, 0, sizeof(longer));
	for (int i = 0; i < SPAN; i++)
		for (int j = 0; j < SPAN && sum[i] > 1e-30; j++)
			if (one[j] > 1e-30 && i + j >= FAR && i + j < FAR + SPAN)
				longer[i + j - FAR] += sum[i] * one[j];
	memcpy(sum, longer, sizeof(sum));
}

static double
chance_beyond(int64_t t)
{
	double		all = 0;

	for (int i = SPAN - 1; i > t + FAR; i--)
		all += sum[i];
	return all;
}

static void
check_noise(const pegs_noise *noise, bool exact)
{
	static const double chance[] = {0.3, 0.02, 1e-3, 1e-6, 1e-9};

	make_one(noise);
	memset(sum, 0, sizeof(sum));
	sum[FAR] = 1;
	for (uint32_t k = 1; k <= 16; k++)
	{
		add_one();
		for (size_t c = 0; c < sizeof(chance) / sizeof(chance[0]); c++)
		{
			int64_t		t = pegs_sum_tail(noise, k, chance[c]);

			CHECK(t >= 0 && t < FAR);
			CHECK(chance_beyond(t) <= chance[c] * (1 + 1e-6));
			CHECK(!exact || t == 0 || chance_beyond(t - 1) > chance[c] * (1 - 1e-6));
		}
	}
}

static void
test_sums(void)
{
	static const double epsilons[] = {3, 1, 0.2, 0.07};

	for (size_t i = 0; i < sizeof(epsilons) / sizeof(epsilons[0]); i++)
		check_noise(&(pegs_noise) {.pure = true, .units = (uint64_t) ldexp(epsilons[i], PEGS_COST_BITS)}, true);
	check_noise(&(pegs_noise) {.sigma2 = {400, 0}}, true);
	check_noise(&(pegs_noise) {.sigma2 = {9, 0}}, false);
	check_noise(&(pegs_noise) {.sigma2 = {1, 3}}, false);
}

/* Of many draws the tail is nearly the normal one, a little longer; of little epsilon it is found as well. */
static void
test_many(void)
{
	for (uint32_t k = 64; k <= PEGS_MOST_DRAWS; k *= 2)
		for (int e = 1; e <= 1 << 20; e *= 32)
		{
			pegs_noise	noise = {.pure = true, .units = (UINT64_C(1) << PEGS_COST_BITS) / 4 / (uint64_t) e};
			double		sd = sqrt(2.0 * k) * 4 * e;

			double		t = (double) pegs_sum_tail(&noise, k, 1e-5);

			CHECK(t > 4.2 * sd && t < 4.7 * sd);
			t = (double) pegs_sum_tail(&noise, k, 0.02);
			CHECK(t > 2.0 * sd && t < 2.15 * sd);
		}
}

int
main(void)
{
	test_sums();
	test_many();
	return unit_done("tail_test");
}
