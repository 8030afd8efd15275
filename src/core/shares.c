/*
 * shares.c
 *	  Shares of released numbers that a row is drawn by: as bytes, and as a line.
 *
 * Post-processing: reads released numbers only. Claim P8, docs/privacy.md.
 */
#include "core/shares.h"

#include <math.h>

void
pegs_shares_walk(pegs_cursor *c, double **share, uint64_t n, bool positive)
{
	double		sum = 0;

	pegs_f64s(c, share, n);
	if (c->pass != PEGS_READ || c->status != PEGS_OK)
		return;
	for (uint64_t i = 0; i < n; i++)
	{
		if (i % PEGS_WIRE_STEP == PEGS_WIRE_STEP - 1)
			c->env->check(c->env->context);
		/* not a number fails, too */
		if (!((*share)[i] >= 0 && (*share)[i] <= 1.001) || (positive && (*share)[i] == 0))
			pegs_bad(c, PEGS_ERR_FORMAT);
		sum += (*share)[i];
	}
	if (!(fabs(sum - 1) < 1e-6))
		pegs_bad(c, PEGS_ERR_FORMAT);
}

double *
pegs_shares_line(const pegs_env *env, const double *share, uint32_t n)
{
	double	   *line = env->alloc(env->context, sizeof(double) * ((size_t) n + 1));

	for (uint32_t i = 0; i < n; i++)
	{
		if (i % PEGS_WIRE_STEP == PEGS_WIRE_STEP - 1)
			env->check(env->context);
		line[i + 1] = line[i] + share[i];
	}
	return line;
}
