/*
 * normal.c
 *	  Quantiles of the normal distribution, the same to the bit on every machine.
 *
 * Rows are made of them, and a model that was exported must give the same rows
 * everywhere. So there is nothing here but what IEEE 754 says to the last bit:
 * + - * / and square roots, and taking a number apart into fraction and
 * exponent. Wichura's algorithm AS 241 (1988, PPND16), with a logarithm of our own.
 *
 * Post-processing: it never sees a count.
 */
#include "core/copula/normal.h"

#include <math.h>

/* Coefficients of numerator and denominator, lowest power first. */
typedef struct ratio
{
	double		above[8];
	double		below[8];
} ratio;

static const ratio middle = {
	{3.3871328727963666080e0, 1.3314166789178437745e+2, 1.9715909503065514427e+3, 1.3731693765509461125e+4,
	4.5921953931549871457e+4, 6.7265770927008700853e+4, 3.3430575583588128105e+4, 2.5090809287301226727e+3},
	{1, 4.2313330701600911252e+1, 6.8718700749205790830e+2, 5.3941960214247511077e+3,
	2.1213794301586595867e+4, 3.9307895800092710610e+4, 2.8729085735721942674e+4, 5.2264952788528545610e+3}
};
static const ratio near = {
	{1.42343711074968357734e0, 4.63033784615654529590e0, 5.76949722146069140550e0, 3.64784832476320460504e0,
	1.27045825245236838258e0, 2.41780725177450611770e-1, 2.27238449892691845833e-2, 7.74545014278341407640e-4},
	{1, 2.05319162663775882187e0, 1.67638483018380384940e0, 6.89767334985100004550e-1,
	1.48103976427480074590e-1, 1.51986665636164571966e-2, 5.47593808499534494600e-4, 1.05075007164441684324e-9}
};
static const ratio far = {
	{6.65790464350110377720e0, 5.46378491116411436990e0, 1.78482653991729133580e0, 2.96560571828504891230e-1,
	2.65321895265761230930e-2, 1.24266094738807843860e-3, 2.71155556874348757815e-5, 2.01033439929228813265e-7},
	{1, 5.99832206555887937690e-1, 1.36929880922735805310e-1, 1.48753612908506148525e-2,
	7.86869131145613259100e-4, 1.84631831751005468180e-5, 1.42151175831644588870e-7, 2.04426310338993978564e-15}
};

static double
ratio_at(const ratio *r, double x)
{
	double		above = r->above[7];
	double		below = r->below[7];

	for (int i = 6; i >= 0; i--)
	{
		above = above * x + r->above[i];
		below = below * x + r->below[i];
	}
	return above / below;
}

/* ln x of 0 < x: 2 artanh((m - 1)/(m + 1)) of the fraction m, which is between 0.7 and 1.42. */
double
pegs_natural_log(double x)
{
	int			exponent;
	double		m = frexp(x, &exponent);	/* exact */
	double		s;
	double		square;
	double		sum = 0;

	if (m < 0.70710678118654752440)
	{
		m *= 2;
		exponent--;
	}
	s = (m - 1) / (m + 1);
	square = s * s;
	for (int i = 25; i >= 1; i -= 2)
		sum = sum * square + 1.0 / i;
	return 2 * s * sum + exponent * 0.69314718055994530942;
}

double
pegs_normal_quantile(double p)
{
	double		q = p - 0.5;
	double		r;

	if (q >= -0.425 && q <= 0.425)
		return q * ratio_at(&middle, 0.180625 - q * q);
	r = sqrt(-pegs_natural_log(q < 0 ? p : 1 - p));
	r = r <= 5 ? ratio_at(&near, r - 1.6) : ratio_at(&far, r - 5);
	return q < 0 ? -r : r;
}

double
pegs_normal_draw(pegs_rng *rng)
{
	uint64_t	bits = pegs_rng_u64(rng);
	double		tail = ((double) (bits >> 11) + 0.5) * 0x1p-54;	/* below a half, and exact */

	return bits & 1 ? pegs_normal_quantile(tail) : -pegs_normal_quantile(tail);
}
