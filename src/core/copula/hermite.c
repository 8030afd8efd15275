/*
 * hermite.c
 *	  How two columns of levels go together when there are normals behind them.
 *
 * Of normals of correlation r the normalised Hermite polynomials h_s, h_t have
 * E[h_s(z) h_t(z')] = r^t if s = t, else 0 (Mehler). So the covariance of two
 * scores is the sum of c_t d_t r^t over t >= 1, and rises with r where both scores do. Ties and bins are
 * in the cuts: nothing is as if it were continuous.
 *
 * Post-processing: it reads released numbers only.
 */
#include "core/copula/hermite.h"

#include <math.h>

/* phi(x) h_{t-1}(x) / sqrt(t), of all t > 0: what the part of z above x adds to the coefficients of a score of 1. */
void
pegs_hermite_tail(double x, double *tail)
{
	double		density = fabs(x) > 38 ? 0 : exp(-x * x / 2) * 0.39894228040143267794;
	double		before = 0;
	double		h = 1;

	tail[0] = erfc(x * M_SQRT1_2) / 2;
	for (int t = 1; t <= PEGS_HERMITE_TERMS; t++)
	{
		double		next = density > 0 ? (x * h - sqrt(t - 1) * before) / sqrt(t) : 0;

		tail[t] = density * h / sqrt(t);
		before = h;
		h = next;
	}
}

void
pegs_hermite_of_scores(uint32_t n, const double *cut, const int32_t *score, double *c)
{
	double		tail[PEGS_HERMITE_TERMS + 1];

	for (int t = 0; t <= PEGS_HERMITE_TERMS; t++)
		c[t] = 0;
	if (n == 0)
		return;
	/* the score is its first level's, and a step at each cut */
	c[0] = score[0];
	for (uint32_t l = 1; l < n; l++)
	{
		double		step = score[l] - score[l - 1];

		if (step == 0)
			continue;
		pegs_hermite_tail(cut[l - 1], tail);
		for (int t = 0; t <= PEGS_HERMITE_TERMS; t++)
			c[t] += step * tail[t];
	}
}

double
pegs_hermite_covariance(const double *c, const double *d, double r)
{
	double		sum = 0;

	for (int t = PEGS_HERMITE_TERMS; t >= 1; t--)
		sum = (sum + c[t] * d[t]) * r;
	return sum;
}

double
pegs_hermite_solve(const double *c, const double *d, double covariance)
{
	double		low = -PEGS_HERMITE_MOST;
	double		high = PEGS_HERMITE_MOST;

	if (covariance <= pegs_hermite_covariance(c, d, low))
		return low;
	if (covariance >= pegs_hermite_covariance(c, d, high))
		return high;
	for (int i = 0; i < 50; i++)
	{
		double		middle = (low + high) / 2;

		if (pegs_hermite_covariance(c, d, middle) < covariance)
			low = middle;
		else
			high = middle;
	}
	return (low + high) / 2;
}
