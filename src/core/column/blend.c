/*
 * blend.c
 *	  The rows of each level of a wide column, from its noisy table: a blend of
 *	  four estimates, none of which is best for every column.
 *
 * Nobody says whether the levels of a column are in an order that means
 * something, whether its rows are in a few of them, or in steps. Each estimate
 * takes one of that for granted. What a blend is off by, in squares, can be
 * estimated from the noisy table without bias (Stein 1981): the weights are those with
 * the least. Steps of neighbours, as they were before there was a choice, have a
 * small advantage.
 *
 * Not for bins: their order is declared, a mean is made of them, and a tail is
 * better lost than made up (halves.c).
 *
 * Post-processing: reads released numbers only. Claim P8, docs/privacy.md.
 */
#include "core/column/column.h"
#include "core/simplex.h"

#include <math.h>
#include <string.h>

#define ESTIMATES 4				/* steps, levels in no order, curves of order 2 and 3 */
#define PROBES 4
#define EXCHANGES 60

static const double MOVED = 0.1;	/* sds by which a number is moved to see what moves with it */
static const double HANDICAP = 1;	/* degrees of freedom added to all estimates but the first */
static const double PULL = 0.15;	/* of the squared distance from the first, added to what a blend is off by */

/* In steps of neighbours, and the degrees of freedom of that: by how much each number follows itself. */
static double
steps(const pegs_env *env, double *y, uint32_t n, double variance, double total)
{
	double	   *memory = env->alloc(env->context, 2 * sizeof(double) * n);
	double	   *noisy = memory;
	double	   *moved = memory + n;
	double		move = MOVED * sqrt(variance);
	double		freedom = 0;

	memcpy(noisy, y, sizeof(double) * n);
	pegs_haar_garrote(env, y, n, variance);
	pegs_project_simplex(env, y, n, total);
	for (uint32_t probe = 0; probe < PROBES; probe++)
	{
		for (uint32_t i = 0; i < n; i++)
			moved[i] = noisy[i] + move * pegs_probe(i, probe);
		pegs_haar_garrote(env, moved, n, variance);
		pegs_project_simplex(env, moved, n, total);
		for (uint32_t i = 0; i < n; i++)
			freedom += pegs_probe(i, probe) * (moved[i] - y[i]) / (move * PROBES);
	}
	pegs_env_free(env, memory);
	return freedom;
}

/*
 * Weights >= 0 with the sum 1 for which least is
 *
 *		w' error w + w' linear + PULL * (squared distance from the first estimate)
 *
 * two at a time, each pair of them exactly.
 */
static void
weigh(const double error[ESTIMATES][ESTIMATES], const double *linear, double *w)
{
	double		q[ESTIMATES][ESTIMATES];

	for (int a = 0; a < ESTIMATES; a++)
		for (int b = 0; b < ESTIMATES; b++)
			q[a][b] = error[a][b] + PULL * (error[a][b] - error[a][0] - error[0][b] + error[0][0]);
	for (int a = 0; a < ESTIMATES; a++)
		w[a] = a == 0;
	for (int turn = 0; turn < EXCHANGES; turn++)
		for (int a = 0; a < ESTIMATES; a++)
			for (int b = a + 1; b < ESTIMATES; b++)
			{
				double		square = q[a][a] - 2 * q[a][b] + q[b][b];
				double		slope = linear[b] - linear[a];
				double		x;

				for (int c = 0; c < ESTIMATES; c++)
					slope += 2 * w[c] * (q[c][b] - q[c][a]);
				if (square > 1e-12)
					x = -slope / (2 * square);
				else
					x = slope < 0 ? 1 : slope > 0 ? -1 : 0;
				x = fmin(w[a], fmax(-w[b], x));
				w[a] -= x;
				w[b] += x;
			}
}

void
pegs_blend_levels(const pegs_env *env, double *y, uint32_t n, double variance, double total)
{
	double	   *memory = env->alloc(env->context, sizeof(double) * n * ESTIMATES);
	double	   *estimate[ESTIMATES];
	double		error[ESTIMATES][ESTIMATES] = {{0}};
	double		linear[ESTIMATES];
	double		w[ESTIMATES];

	for (int a = 0; a < ESTIMATES; a++)
	{
		estimate[a] = memory + (size_t) a * n;
		memcpy(estimate[a], y, sizeof(double) * n);
	}
	linear[0] = 2 * steps(env, estimate[0], n, variance, total);
	linear[1] = 2 * (pegs_shrink_levels(env, estimate[1], n, variance) + HANDICAP);
	for (uint32_t order = 2; order <= 3; order++)
		linear[order] = 2 * (pegs_fit_curve(env, estimate[order], n, variance, total, order) + HANDICAP);
	for (int a = 1; a < ESTIMATES; a++)
		pegs_project_simplex(env, estimate[a], n, total);
	for (int a = 0; a < ESTIMATES; a++)
		for (int b = 0; b < ESTIMATES; b++)
			for (uint32_t i = 0; i < n; i++)
				error[a][b] += (estimate[a][i] - y[i]) * (estimate[b][i] - y[i]) / variance;
	weigh(error, linear, w);
	for (uint32_t i = 0; i < n; i++)
	{
		y[i] = 0;
		for (int a = 0; a < ESTIMATES; a++)
			y[i] += w[a] * estimate[a][i];
	}
	pegs_env_free(env, memory);
}
