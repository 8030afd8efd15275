/*
 * curve.c
 *	  Noisy numbers in order as a smooth curve above zero.
 *
 * Wanted are u_i with
 *
 *		sum (y_i - exp(u_i))^2 / (2 variance) + stiffness/2 * sum (difference of u, of this order)^2
 *
 * least: with stiffness without end and order 2 it is an exponential decay,
 * with order 3 a normal bell (Eilers and Marx 1996; differences of logarithms, so that a
 * tail goes to zero and never below). By Gauss and Newton with the damping of
 * Levenberg and Marquardt, on band matrices. Of a row of stiffnesses that one
 * is taken whose squared error is least, as estimated without bias (Stein 1981).
 *
 * Post-processing: reads released numbers only. Claim P8, docs/privacy.md.
 */
#include "core/column/column.h"

#include <math.h>
#include <string.h>

#define STEPS 40				/* of Gauss and Newton, for one stiffness */
#define STIFFNESSES 7			/* each a tenth of that before */
#define PROBES 3				/* directions in which the answer is asked for how it moves */

static const double STIFFEST = 100; /* for ten numbers; for more with the power 2 order - 1 of their number */
static const double FARTHEST = 2;	/* that a logarithm moves in one step */
static const double LOWEST_LOG = -20;

/* The penalty's difference, by order. */
static const double DIFFERENCE[4][4] = {{1}, {-1, 1}, {1, -2, 1}, {-1, 3, -3, 1}};

typedef struct curve
{
	const double *y;
	uint32_t	n;
	uint32_t	order;
	double		variance;
	double		stiffness;
	double	   *u;				/* [n] logarithms */
	double	   *rows;			/* [n] exp(u) */
	double	   *penalty;		/* [n][order + 1] entries from the diagonal on, for the stiffness 1 */
	double	   *band;			/* the same of a step's matrix, then of its factors */
	double	   *side;			/* [n] right side, then solution */
	double	   *next;			/* [n] u that is tried */
	double	   *next_rows;		/* [n] exp(next) */
} curve;

static double
difference(const curve *c, const double *u, uint32_t i)
{
	double		d = 0;

	for (uint32_t k = 0; k <= c->order; k++)
		d += DIFFERENCE[c->order][k] * u[i + k];
	return d;
}

/* Of u; its exp() is put into rows. */
static double
objective(const curve *c, const double *u, double *rows)
{
	double		misfit = 0;
	double		rough = 0;

	for (uint32_t i = 0; i < c->n; i++)
	{
		double		e;

		rows[i] = exp(u[i]);
		e = c->y[i] - rows[i];
		misfit += e * e;
	}
	for (uint32_t i = 0; i + c->order < c->n; i++)
	{
		double		d = difference(c, u, i);

		rough += d * d;
	}
	return misfit / (2 * c->variance) + rough * c->stiffness / 2;
}

static void
fill_penalty(curve *c)
{
	uint32_t	w = c->order + 1;
	const double *difference_of = DIFFERENCE[c->order];

	memset(c->penalty, 0, sizeof(double) * w * c->n);
	for (uint32_t i = 0; i + c->order < c->n; i++)
		for (uint32_t k = 0; k < w; k++)
			for (uint32_t j = k; j < w; j++)
				c->penalty[(size_t) (i + k) * w + j - k] += difference_of[k] * difference_of[j];
}

/*
 * The matrix of a step, exp(u)^2/variance + damping on the diagonal and the
 * penalty; then, in each row, one over the pivot and the row over the pivot.
 * The width is a constant of each of the two calls: the inner loops have two
 * or three turns.
 */
static inline __attribute__((always_inline)) void
factor_width(curve *c, double damping, uint32_t w)
{
	for (size_t i = 0; i < (size_t) c->n * w; i++)
		c->band[i] = c->stiffness * c->penalty[i];
	for (uint32_t i = 0; i < c->n; i++)
		c->band[(size_t) i * w] += c->rows[i] * c->rows[i] / c->variance + damping;
	for (uint32_t i = 0; i < c->n; i++)
	{
		double	   *row = c->band + (size_t) i * w;
		double		part[4] = {1 / row[0]};

		/* entries beyond the end are zero, and nothing is taken from there */
		for (uint32_t k = 1; k < w; k++)
			part[k] = row[k] * part[0];
		for (uint32_t k = 1; k < w && i + k < c->n; k++)
			for (uint32_t j = k; j < w; j++)
				row[k * w + j - k] -= part[k] * row[j];
		memcpy(row, part, sizeof(double) * w);
	}
}

/* matrix * x = side, x in place of side. */
static inline __attribute__((always_inline)) void
solve_width(curve *c, uint32_t w)
{
	for (uint32_t i = 0; i < c->n; i++)
	{
		const double *row = c->band + (size_t) i * w;

		for (uint32_t k = 1; k < w && i + k < c->n; k++)
			c->side[i + k] -= row[k] * c->side[i];
	}
	for (uint32_t i = c->n; i-- > 0;)
	{
		const double *row = c->band + (size_t) i * w;
		double		x = c->side[i] * row[0];

		for (uint32_t k = 1; k < w && i + k < c->n; k++)
			x -= row[k] * c->side[i + k];
		c->side[i] = x;
	}
}

static void
factor(curve *c, double damping)
{
	c->order == 2 ? factor_width(c, damping, 3) : factor_width(c, damping, 4);
}

static void
solve(curve *c)
{
	c->order == 2 ? solve_width(c, 3) : solve_width(c, 4);
}

/* u for this stiffness, from the u that there is. */
static void
descend(const pegs_env *env, curve *c)
{
	double		damping = 1e-3;
	double		now = objective(c, c->u, c->rows);

	for (int step = 0; step < STEPS; step++)
	{
		double		most = 0;
		double		then;

		env->check(env->context);
		factor(c, damping);
		for (uint32_t i = 0; i < c->n; i++)
			c->side[i] = (c->y[i] - c->rows[i]) * c->rows[i] / c->variance;
		for (uint32_t i = 0; i + c->order < c->n; i++)
		{
			double		d = c->stiffness * difference(c, c->u, i);

			for (uint32_t k = 0; k <= c->order; k++)
				c->side[i + k] -= DIFFERENCE[c->order][k] * d;
		}
		solve(c);
		for (uint32_t i = 0; i < c->n; i++)
			most = fmax(most, fabs(c->side[i]));
		for (uint32_t i = 0; i < c->n; i++)
			c->next[i] = fmax(LOWEST_LOG, c->u[i] + c->side[i] * (most > FARTHEST ? FARTHEST / most : 1));
		then = objective(c, c->next, c->next_rows);
		if (then <= now)
		{
			memcpy(c->u, c->next, sizeof(double) * c->n);
			memcpy(c->rows, c->next_rows, sizeof(double) * c->n);
			if (now - then < 1e-5 * (1 + now))
				return;
			now = then;
			damping = fmax(1e-6, damping / 4);
		}
		else
			damping *= 10;
	}
}

/* By how much exp(u) follows y, summed over all of them: its degrees of freedom. */
static double
freedom(curve *c)
{
	double		sum = 0;

	factor(c, 1e-6);
	for (uint32_t probe = 0; probe < PROBES; probe++)
	{
		for (uint32_t i = 0; i < c->n; i++)
			c->side[i] = pegs_probe(i, probe) * c->rows[i] / c->variance;
		solve(c);
		for (uint32_t i = 0; i < c->n; i++)
			sum += pegs_probe(i, probe) * c->rows[i] * c->side[i] / PROBES;
	}
	return sum;
}

double
pegs_fit_curve(const pegs_env *env, double *y, uint32_t n, double variance, double total, uint32_t order)
{
	double	   *memory = env->alloc(env->context, sizeof(double) * n * (2 * order + 8));
	double	   *best = memory;
	curve		c = {.y = y, .n = n, .order = order, .variance = variance, .u = memory + n, .side = memory + 2 * (size_t) n,
	.next = memory + 3 * (size_t) n, .rows = memory + 4 * (size_t) n, .next_rows = memory + 5 * (size_t) n,
	.band = memory + 6 * (size_t) n, .penalty = memory + (7 + (size_t) order) * n};
	double		least = INFINITY;
	double		of_best = 0;

	fill_penalty(&c);
	c.stiffness = STIFFEST * pow(n / 10.0, 2 * order - 1.0);
	for (uint32_t i = 0; i < n; i++)
		c.u[i] = log(total / n);
	for (int i = 0; i < STIFFNESSES; i++, c.stiffness /= 10)
	{
		double		df;
		double		risk;

		descend(env, &c);
		df = freedom(&c);
		risk = 2 * variance * df;
		for (uint32_t j = 0; j < n; j++)
		{
			double		e = y[j] - c.rows[j];

			risk += e * e;
		}
		if (risk < least)
		{
			least = risk;
			of_best = df;
			for (uint32_t j = 0; j < n; j++)
				best[j] = c.rows[j];
		}
	}
	memcpy(y, best, sizeof(double) * n);
	pegs_env_free(env, memory);
	return of_best;
}
