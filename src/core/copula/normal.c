/*
 * normal.c
 *	  Quantiles of the normal distribution, the same to the bit on every machine.
 *
 * Rows are made of them, and a model that was exported must give the same rows
 * everywhere. So there is nothing here but what IEEE 754 says to the last bit:
 * + - * / and square roots, and taking a number apart into fraction and
 * exponent. Wichura's algorithm AS 241 (1988, PPND16), with a logarithm of our own;
 * and, where many are drawn, a table of them.
 *
 * Post-processing: it never sees a count.
 */
#include "core/copula/normal.h"

#include <math.h>
#include <string.h>

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

/* At most a half, which is what the last one in 2^53 is rounded to. */
static double
tail_of(uint64_t bits)
{
	return ((double) (bits >> 11) + 0.5) * 0x1p-54;
}

double
pegs_normal_draw(pegs_rng *rng)
{
	uint64_t	bits = pegs_rng_u64(rng);
	double		x = pegs_normal_quantile(tail_of(bits));

	return bits & 1 ? x : -x;
}

/*
 * The cells of a double, as its bits have them: exponent and the first bits of
 * the fraction are its number, the other bits where in it.
 */
#define CELL_SHIFT 47			/* 52 less the bits of PEGS_NORMAL_CELLS */
#define FIRST_CELL ((UINT64_C(1023) - 1 - PEGS_NORMAL_OCTAVES) * PEGS_NORMAL_CELLS)	/* 2^-10, as a number of cells */

static double
start_of_cell(uint64_t cell)
{
	uint64_t	bits = cell << CELL_SHIFT;
	double		start;

	memcpy(&start, &bits, sizeof(start));
	return start;
}

/* Through four points of each cell at equal distances. */
void
pegs_normal_table_make(pegs_normal_table *table)
{
	for (uint64_t i = 0; i < PEGS_NORMAL_OCTAVES * PEGS_NORMAL_CELLS; i++)
	{
		double		start = start_of_cell(FIRST_CELL + i);
		double		third = (start_of_cell(FIRST_CELL + i + 1) - start) / 3;
		double		at[4];
		double		once;
		double		twice;
		double		thrice;

		for (int k = 0; k < 4; k++)
			at[k] = pegs_normal_quantile(start + k * third);
		once = at[1] - at[0];
		twice = at[2] - at[1] - once;
		thrice = at[3] - at[2] - (at[2] - at[1]) - twice;
		table->power[i][0] = at[0];
		table->power[i][1] = (once - twice / 2 + thrice / 3) / third;
		table->power[i][2] = (twice - thrice) / 2 / (third * third);
		table->power[i][3] = thrice / 6 / (third * third * third);
	}
}

double
pegs_normal_of_table(const pegs_normal_table *table, pegs_rng *rng)
{
	uint64_t	bits = pegs_rng_u64(rng);
	double		tail = tail_of(bits);
	uint64_t	cell;
	double		x;

	memcpy(&cell, &tail, sizeof(cell));
	cell >>= CELL_SHIFT;
	if (cell < FIRST_CELL || tail >= 0.5)
		x = pegs_normal_quantile(tail);
	else
	{
		const double *power = table->power[cell - FIRST_CELL];
		double		in = tail - start_of_cell(cell);

		x = (power[0] + in * power[1]) + in * in * (power[2] + in * power[3]);
	}
	return bits & 1 ? x : -x;
}
