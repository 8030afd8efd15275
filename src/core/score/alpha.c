/*
 * alpha.c
 *	  Alpha-gain: how far two columns are from independence.
 *
 * It has no useful global sensitivity, whatever alpha is: one row of a rare
 * class can move n times the gain by the order of n. So it must never be the
 * score of a private choice. What is private measures the table, and takes the
 * gain of the answer (P30); published.c takes that of exact counts.
 */
#include "core/score/alpha.h"

#include <math.h>

/* What a cell adds: p of the table, q of independence. Of alpha 0 and 1 to the gain, else to the sum of p^alpha q^(1 - alpha). */
static double
term(double alpha, double p, double q)
{
	if (q == 0)
		return 0;
	if (p == 0)
		return alpha <= 0 ? INFINITY : 0;
	if (alpha == 1)
		return p * log(p / q);
	if (alpha == 0)
		return q * log(q / p);
	return q * pow(p / q, alpha);
}

double
pegs_alpha_gain(double alpha, const double (*cell)[2], uint32_t n)
{
	double		of_y[2] = {0, 0};
	double		rows;
	double		sum = 0;

	for (uint32_t i = 0; i < n; i++)
	{
		of_y[0] += cell[i][0];
		of_y[1] += cell[i][1];
	}
	rows = of_y[0] + of_y[1];
	if (!(rows > 0))
		return 0;
	for (uint32_t i = 0; i < n; i++)
		for (int y = 0; y < 2; y++)
			sum += term(alpha, cell[i][y] / rows, (cell[i][0] + cell[i][1]) / rows * (of_y[y] / rows));
	if (alpha == 0 || alpha == 1)
		return sum;
	/* below 0 by rounding alone; an infinite sum is an infinite gain: alpha < 0 */
	return (1 - sum) / (alpha * (1 - alpha));
}
