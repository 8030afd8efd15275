/*
 * signal.c
 *	  The part of many estimates that is more than noise.
 *
 * Each alone would be kept by 1 - noise / squares (James and Stein); of a number
 * or four that is a coin. All of them say how large they are, too: their true
 * values come from a mixture of normal distributions of mean 0, whose weights
 * fit what was seen of all best (EM); each is kept by what is expected of it
 * then. One that stands out stays as it is. Source: Stephens, "False discovery
 * rates: a new deal", Biostatistics 18 (2017). Reads released numbers only.
 */
#include "core/graph/state.h"

#include <math.h>

#define WIDTHS 24				/* of the mixture: 0, and others from a hundredth of the least noise on */
#define STEPS 60				/* of EM */

static const double NARROWEST = 0.01;

/* Variances of the true values that are thought possible, in what is usual. */
static void
set_widths(uint32_t n, const pegs_estimate *estimate, double *width)
{
	double		least = INFINITY;
	double		most = 0;

	for (uint32_t i = 0; i < n; i++)
	{
		if (estimate[i].free < 1)
			continue;
		least = fmin(least, estimate[i].variance / estimate[i].scale);
		most = fmax(most, estimate[i].squares / estimate[i].free / estimate[i].scale);
	}
	least = fmin(fmax(least, 1e-100), 1e100) * NARROWEST;
	most = fmax(most, 2 * least);
	width[0] = 0;
	for (int w = 1; w < WIDTHS; w++)
		width[w] = least * pow(most / least, (w - 1) / (WIDTHS - 2.0));
}

/* like[WIDTHS]: how likely each width makes what was seen, against the best of them. */
static void
set_likelihoods(const pegs_estimate *e, const double *width, double *like)
{
	double		best = -INFINITY;

	for (int w = 0; w < WIDTHS; w++)
	{
		double		v = e->variance + e->scale * width[w];

		like[w] = -0.5 * (e->free * log(v) + e->squares / v);
		best = fmax(best, like[w]);
	}
	for (int w = 0; w < WIDTHS; w++)
		like[w] = exp(like[w] - best);
}

/* part[WIDTHS]: of each width, given what was seen. */
static void
set_parts(const double *weight, const double *like, double *part)
{
	double		total = 0;

	for (int w = 0; w < WIDTHS; w++)
		total += part[w] = weight[w] * like[w];
	for (int w = 0; w < WIDTHS; w++)
		part[w] /= total;
}

void
pegs_keep_signal(const pegs_env *env, uint32_t n, pegs_estimate *estimate)
{
	double	   *like = env->alloc(env->context, sizeof(double) * WIDTHS * ((size_t) n + 1));
	double		width[WIDTHS];
	double		weight[WIDTHS];
	double		part[WIDTHS];
	uint32_t	n_free = 0;		/* that say anything */

	set_widths(n, estimate, width);
	for (int w = 0; w < WIDTHS; w++)
		weight[w] = 1.0 / WIDTHS;
	for (uint32_t i = 0; i < n; i++)
	{
		pegs_env_turn(env, i);
		n_free += estimate[i].free >= 1;
		if (estimate[i].free >= 1)
			set_likelihoods(&estimate[i], width, like + (size_t) i * WIDTHS);
	}
	for (int step = 0; step < STEPS; step++)
	{
		double		sum[WIDTHS] = {0};

		for (uint32_t i = 0; i < n; i++)
		{
			pegs_env_turn(env, i);
			if (estimate[i].free < 1)
				continue;
			set_parts(weight, like + (size_t) i * WIDTHS, part);
			for (int w = 0; w < WIDTHS; w++)
				sum[w] += part[w];
		}
		for (int w = 0; w < WIDTHS && n_free > 0; w++)
			weight[w] = sum[w] / n_free;
	}
	for (uint32_t i = 0; i < n; i++)
	{
		estimate[i].keep = 0;
		if (estimate[i].free < 1)
			continue;
		set_parts(weight, like + (size_t) i * WIDTHS, part);
		for (int w = 0; w < WIDTHS; w++)
			estimate[i].keep += part[w] * width[w] / (width[w] + estimate[i].variance / estimate[i].scale);
	}
	pegs_env_free(env, like);
}
