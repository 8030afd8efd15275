/*
 * clock.c
 *	  A normal variable as a clock: how long it is until it rings.
 *
 * Of clocks that run p times as fast each, the first to ring is that of a level with
 * probability p / sum p. Rows are made of them, and must be the same to the bit everywhere: + - * /, square
 * roots, and taking a number apart into fraction and exponent, as in normal.c. The slope alone takes what
 * the machine's library says: fits need not be the same everywhere.
 *
 * Post-processing: it never sees a count.
 */
#include "core/copula/clock.h"

#include <math.h>

#include "core/copula/normal.h"

#define TERMS 30				/* of the series about 0: enough up to MIDDLE */
#define MIDDLE 2.5
#define STEPS 60				/* of the fraction beyond it */
#define SMALL 1e-3				/* below it six terms of a power series are a double */
#define LATEST 690				/* e^-690 is a double */

static const double of_density = 0.39894228040143267794;	/* 1 / sqrt(2 pi) */
static const double ln_of_density = -0.91893853320467274178;

/* e^-x of 0 <= x <= 700: 2^-k e^-r, |r| < 0.35. */
static double
exp_of_minus(double x)
{
	double		k = floor(x * 1.44269504088896340736 + 0.5);
	double		r = (x - k * 0.693147180369123816490) - k * 1.90821492927058770002e-10;
	double		sum = 1;

	for (int i = 16; i >= 1; i--)
		sum = 1 - sum * r / i;
	return ldexp(sum, -(int) k);
}

/* Phi(-t)/phi(t) of t >= MIDDLE: Laplace's continued fraction. */
static double
mills(double t)
{
	double		below = t;

	for (int i = STEPS; i >= 1; i--)
		below = t + i / below;
	return 1 / below;
}

/* Phi(-t) of 0 <= t <= 37. */
static double
tail(double t)
{
	double		density = of_density * exp_of_minus(t * t / 2);
	double		sum = 1;

	if (t >= MIDDLE)
		return density * mills(t);
	for (int i = TERMS; i >= 1; i--)
		sum = 1 + sum * t * t / (2 * i + 1);
	return 0.5 - density * t * sum;
}

double
pegs_clock_of_normal(double z)
{
	double		p;

	if (z <= -MIDDLE)
		return z * z / 2 - ln_of_density - pegs_natural_log(mills(-z));
	if (z < 0)
		return -pegs_natural_log(tail(-z));
	p = z > 37 ? 0 : tail(z);
	if (p >= SMALL)
		return -pegs_natural_log(1 - p);
	return p * (1 + p * (1 / 2.0 + p * (1 / 3.0 + p * (1 / 4.0 + p * (1 / 5.0 + p / 6)))));
}

double
pegs_normal_of_clock(double time)
{
	double		x = time > LATEST ? LATEST : time < 0x1p-900 ? 0x1p-900 : time;

	if (x >= 0.5)
		return pegs_normal_quantile(exp_of_minus(x));
	if (x >= SMALL)
		return -pegs_normal_quantile(1 - exp_of_minus(x));
	return -pegs_normal_quantile(x * (1 - x * (1 / 2.0 - x * (1 / 6.0 - x * (1 / 24.0 - x * (1 / 120.0 - x / 720))))));
}

/* With u = Phi(z) for e^-pT: the integral of Phi(z)^(1/p - 2) phi(z)^2 / p. */
double
pegs_clock_slope(double p)
{
	double		sum = 0;

	for (int i = -180; i <= 180; i++)
	{
		double		z = i * 0.05;
		double		density = of_density * exp(-z * z / 2);

		sum += 0.05 * exp((2 - 1 / p) * pegs_clock_of_normal(z)) * density * density;
	}
	return sum / p;
}
