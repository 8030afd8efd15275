/*
 * orthant.c
 *	  How often two normals of correlation r are both above a cut, and at which r they are.
 *
 * The derivative of P[z > a, z' > b] by r is the density of both at (a, b) (Plackett 1954), so with r = sin t
 * the probability is p q plus an integral over t of a function that is smooth up to the ends; and
 * a step of Newton's costs no more than the density.
 *
 * Post-processing: it reads released numbers only.
 */
#include "core/copula/orthant.h"

#include <math.h>

#include "core/copula/normal.h"

#define MAX_STEPS 60

/* Gauss's 24 points on [-1, 1], by twos, and their weights. */
static const double point[12] = {
	0.0640568928626056, 0.1911188674736163, 0.3150426796961634, 0.4337935076260451, 0.5454214713888396, 0.6480936519369755,
	0.7401241915785544, 0.8200019859739029, 0.8864155270044011, 0.9382745520027328, 0.9747285559713095, 0.9951872199970213
};
static const double weight[12] = {
	0.1279381953467522, 0.1258374563468283, 0.1216704729278034, 0.1155056680537256, 0.1074442701159656, 0.0976186521041139,
	0.0861901615319533, 0.0733464814110803, 0.0592985849154368, 0.0442774388174198, 0.0285313886289337, 0.0123412297999872
};

/* What is integrated, at r = sin t. */
static double
density(double a, double b, double t)
{
	double		s = sin(t);
	double		square = 1 - s * s;

	return exp(-(a * a - 2 * a * b * s + b * b) / (2 * square)) / (2 * M_PI);
}

static double
integral(double a, double b, double t)
{
	double		sum = 0;

	for (int i = 0; i < 12; i++)
		sum += weight[i] * (density(a, b, t / 2 * (1 - point[i])) + density(a, b, t / 2 * (1 + point[i])));
	return sum * t / 2;
}

double
pegs_orthant(double p, double q, double r)
{
	return p * q + integral(-pegs_normal_quantile(p), -pegs_normal_quantile(q), asin(r));
}

double
pegs_orthant_solve(double p, double q, double both)
{
	double		a = -pegs_normal_quantile(p);
	double		b = -pegs_normal_quantile(q);
	double		most = asin(PEGS_ORTHANT_MOST);
	double		wanted = both - p * q;
	double		low = -most;
	double		high = most;
	double		t = 0;

	if (wanted <= integral(a, b, low))
		return -PEGS_ORTHANT_MOST;
	if (wanted >= integral(a, b, high))
		return PEGS_ORTHANT_MOST;
	for (int i = 0; i < MAX_STEPS && high - low > 1e-12; i++)
	{
		double		off = integral(a, b, t) - wanted;
		double		slope = density(a, b, t);
		double		next;

		if (off < 0)
			low = t;
		else
			high = t;
		next = slope > 0 ? t - off / slope : low - 1;
		if (!(next > low && next < high))
			next = (low + high) / 2;
		if (fabs(next - t) < 1e-13)
			break;
		t = next;
	}
	return sin(t);
}
