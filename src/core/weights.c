/*
 * weights.c
 *	  Things that are drawn by public weights.
 *
 * A weight is a share of what all weigh together. Whole numbers stay what they
 * are while their sum has room in 32 bits; others become multiples of 2^-31 of
 * the sum, rounded, of which one that weighs something at all has one at least.
 * From then on there are integers alone: a draw is exactly uniform below their
 * sum. Nothing here is secret.
 */
#include "core/weights.h"

#include <math.h>

#define SHARES 0x1p31			/* of the sum, that are given away: with one more for each there is room */

bool
pegs_whole_weights(const double *weight, uint32_t n, uint32_t *whole)
{
	double		largest = 0;
	double		sum = 0;
	bool		as_they_are = true;

	for (uint32_t i = 0; i < n; i++)
	{
		if (!isfinite(weight[i]) || weight[i] < 0)
			return false;
		largest = fmax(largest, weight[i]);
		as_they_are = as_they_are && weight[i] == floor(weight[i]) && (sum += weight[i]) <= UINT32_MAX;
	}
	if (largest == 0)
		return false;
	/* so that it has room, and what is tiny too */
	sum = 0;
	for (uint32_t i = 0; i < n; i++)
		sum += weight[i] / largest;
	for (uint32_t i = 0; i < n; i++)
	{
		double		share = floor(weight[i] / largest / sum * SHARES + 0.5);

		whole[i] = as_they_are ? (uint32_t) weight[i] : weight[i] == 0 ? 0 : (uint32_t) fmax(1, share);
	}
	return true;
}

uint32_t
pegs_draw_weighed(const uint32_t *sum, uint32_t n, pegs_rng *rng)
{
	uint64_t	at = pegs_rng_below(rng, sum[n - 1]);
	uint32_t	low = 0;
	uint32_t	high = n - 1;

	/* the first whose sum is above it */
	while (low < high)
	{
		uint32_t	middle = low + (high - low) / 2;

		if (sum[middle] > at)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/* ---- without putting back: tree[i - 1] is the sum of the things before i, as many as the lowest bit of i (Fenwick 1994) ---- */

uint32_t
pegs_weighed_begin(uint32_t *tree, const uint32_t *weight, uint32_t n)
{
	uint32_t	sum = 0;

	for (uint32_t i = 0; i < n; i++)
		tree[i] = 0;
	for (uint32_t i = 1; i <= n; i++)
	{
		uint32_t	up = i + (i & -i);

		tree[i - 1] += weight[i - 1];
		sum += weight[i - 1];
		if (up <= n)
			tree[up - 1] += tree[i - 1];
	}
	return sum;
}

uint32_t
pegs_weighed_draw(const uint32_t *tree, uint32_t n, uint32_t left, pegs_rng *rng)
{
	uint32_t	at = (uint32_t) pegs_rng_below(rng, left);
	uint32_t	thing = 0;
	uint32_t	step = 1;

	while (step <= n / 2)
		step *= 2;
	for (; step > 0; step /= 2)
		if (thing + step <= n && tree[thing + step - 1] <= at)
		{
			thing += step;
			at -= tree[thing - 1];
		}
	return thing;
}

void
pegs_weighed_put(uint32_t *tree, uint32_t n, uint32_t i, uint32_t weight)
{
	for (i++; i <= n; i += i & -i)
		tree[i - 1] += weight;
}

void
pegs_weighed_take(uint32_t *tree, uint32_t n, uint32_t i, uint32_t weight)
{
	for (i++; i <= n; i += i & -i)
		tree[i - 1] -= weight;
}
