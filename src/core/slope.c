/*
 * slope.c
 *	  The density inside the bins of one column, from their shares alone.
 *
 * A value that is uniform inside a wide bin of a tail is too large on the
 * average. So the density inside a bin is an exponential, and how steep it is
 * says its neighbourhood: the height of a bin is its share by its size; the
 * logarithm of the height is a straight line from the middle of one bin to the
 * middle of the next; a bin between two others goes from the height at its
 * left edge to that at its right edge. The first and the last bin go on from
 * the height at their inner edge, and fall or rise as much as their own share
 * says. Where nothing is known the density is flat.
 *
 * Post-processing of released shares (Claim P8): it must never see a count.
 * What it gives is part of the rows of every model whose spec says "inside":
 * "sloped", so it may not change, nor depend on the machine: the logarithm
 * and the exponential are made of additions, products and quotients here.
 */
#include "core/slope.h"

#include <math.h>

#define STEEPEST 10.0			/* between two neighbours */
#define STEEPEST_TAIL 1000.0	/* of the first and last bin, outwards down */
#define FLAT 1e-9				/* less is flat */
#define WIDEST 1e300			/* a wider bin is flat, and tells nothing of its neighbours */

#define LN2_HIGH 0x1.62e42fee00000p-1	/* 32 bits, so that products with small integers are exact */
#define LN2_LOW 0x1.a39ef35793c76p-33

/* e^x - 1, of |x| < 0.4 */
static double
small_expm1(double x)
{
	double		sum = 0;

	for (int i = 16; i >= 1; i--)
		sum = (sum + 1) * x / i;
	return sum;
}

/* e^x - 1, of x in [-STEEPEST_TAIL, 0] */
static double
expm1_of(double x)
{
	double		k;

	if (x > -0.375)
		return small_expm1(x);
	k = floor(x / (LN2_HIGH + LN2_LOW) + 0.5);
	return ldexp(1 + small_expm1(x - k * LN2_HIGH - k * LN2_LOW), (int) k) - 1;
}

/*
 * 2 atanh(z) = ln((1 + z) / (1 - z)), of |z| < 0.2: the power series up to z^25, in pairs, as it is called for every value
 * and a sum each of whose terms waits for the one before is slow.
 */
static double
twice_atanh(double z)
{
	double		z2 = z * z;
	double		z4 = z2 * z2;
	double		z8 = z4 * z4;
	double		low = ((2.0 + 2.0 / 3 * z2) + (2.0 / 5 + 2.0 / 7 * z2) * z4) + ((2.0 / 9 + 2.0 / 11 * z2) + (2.0 / 13 + 2.0 / 15 * z2) * z4) * z8;
	double		high = ((2.0 / 17 + 2.0 / 19 * z2) + (2.0 / 21 + 2.0 / 23 * z2) * z4) + 2.0 / 25 * z8;

	return z * (low + high * (z8 * z8));
}

/* ln x, x > 0 */
static double
ln(double x)
{
	int			exponent;
	double		m = frexp(x, &exponent);

	if (m < 0.70710678118654757)
	{
		m *= 2;
		exponent--;
	}
	return twice_atanh((m - 1) / (m + 1)) + exponent * LN2_LOW + exponent * LN2_HIGH;
}

/* ln(1 + y), y in (-1, 0] */
static double
log1p_of(double y)
{
	return y > -0.3 ? twice_atanh(y / (2 + y)) : ln(1 + y);
}

static double
between(double least, double x, double most)
{
	return x < least ? least : x > most ? most : x;
}

/* ln of the mean height of a bin that begins at height 1. */
static double
ln_mean(double steepness)
{
	double		down = -fabs(steepness);

	return (down > -FLAT ? down / 2 : ln(expm1_of(down) / down)) + fmax(steepness, 0);
}

/* The steepness of a bin of which that is known: ln_mean rises with it. */
static double
steepness_of(double mean)
{
	double		low = -STEEPEST_TAIL;
	double		high = STEEPEST;

	for (int i = 0; i < 70; i++)
	{
		double		middle = (low + high) / 2;

		if (ln_mean(middle) < mean)
			low = middle;
		else
			high = middle;
	}
	return low;
}

static bool
has_height(const pegs_slope_bin *bin)
{
	return bin->share > 0 && bin->size > 0 && bin->width > 0 && bin->width <= WIDEST;
}

/* ln of the height of bin b over that of bin a. */
static double
rise(const pegs_slope_bin *a, const pegs_slope_bin *b)
{
	return ln(b->share) - ln(b->size) - ln(a->share) + ln(a->size);
}

/* From the middle of a bin to its edge with the next one. */
static double
rise_to_edge(const pegs_slope_bin *bin, const pegs_slope_bin *next)
{
	return rise(bin, next) * (bin->width / (bin->width + next->width));
}

/* Beside one empty bin it goes on as from the other side, but not up. */
static double
of_inner_bin(const pegs_slope_bin *bin)
{
	bool		left = has_height(bin - 1);
	bool		right = has_height(bin + 1);
	double		from_left = left ? -rise_to_edge(bin, bin - 1) : 0;
	double		to_right = right ? rise_to_edge(bin, bin + 1) : 0;

	if (left && right)
		return between(-STEEPEST, from_left + to_right, STEEPEST);
	return between(-STEEPEST, fmin(2 * from_left, 0) + fmax(2 * to_right, 0), STEEPEST);
}

/*
 * The first or last bin, outwards: `inner` is beside it, `second` behind that
 * or NULL. It rises only where those do, and no more. Beside an empty bin
 * nothing is known but the edges, which somebody chose: it falls by the factor
 * by which it is wider than its neighbour.
 */
static double
of_outer_bin(const pegs_slope_bin *bin, const pegs_slope_bin *inner, const pegs_slope_bin *second)
{
	double		wider = fmin(bin->width / inner->width, WIDEST);
	double		trend = 0;		/* over the width of `inner` */
	double		steepness;

	if (!has_height(inner))
		return fmin(-ln(wider), 0);
	if (second == NULL)
	{
		trend = 2 * rise_to_edge(inner, bin);
		steepness = trend * wider;
	}
	else
	{
		if (has_height(second))
			trend = -2 * rise_to_edge(inner, second);
		steepness = steepness_of(rise(inner, bin) - trend / 2);
	}
	return between(-STEEPEST_TAIL, steepness, between(0, trend, STEEPEST) * fmin(wider, 1));
}

pegs_slope
pegs_slope_of(double steepness)
{
	if (fabs(steepness) < FLAT)
		return (pegs_slope) {0, 0};
	return (pegs_slope) {steepness, expm1_of(-fabs(steepness))};
}

void
pegs_slopes(uint32_t n, const pegs_slope_bin *bin, pegs_slope *slope)
{
	for (uint32_t i = 0; i < n; i++)
	{
		double		s;

		if (n == 1 || !has_height(&bin[i]))
			s = 0;
		else if (i == 0)
			s = -of_outer_bin(&bin[0], &bin[1], n > 2 ? &bin[2] : NULL);
		else if (i == n - 1)
			s = of_outer_bin(&bin[i], &bin[i - 1], n > 2 ? &bin[i - 2] : NULL);
		else
			s = of_inner_bin(&bin[i]);
		slope[i] = pegs_slope_of(s);
	}
}

double
pegs_slope_part(const pegs_slope *slope, double u)
{
	double		steepness = slope->steepness;
	double		part;

	if (steepness == 0)
		return u;
	/* one that rises is one that falls, from the other side */
	part = log1p_of((steepness < 0 ? u : 1 - u) * slope->expm1) / -fabs(steepness);
	return between(0, steepness < 0 ? part : 1 - part, 1 - 0x1p-53);
}
