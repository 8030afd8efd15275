/*
 * points.c
 *	  Apportioned draws: points at equal distances on a line of shares.
 *
 * Post-processing: reads released numbers only. Claim P8, docs/privacy.md.
 */
#include "core/points.h"

#include "core/method.h"
#include "core/shares.h"

void
pegs_points_start(pegs_points *points, uint64_t n, pegs_rng *rng)
{
	points->n = n;
	points->first = pegs_rng_double(rng) * (double) n;
	points->batches = pegs_batches(n);
	points->batch = 0;
}

uint32_t
pegs_points_left(const pegs_points *points)
{
	return pegs_batch_rows(points->n, points->batch);
}

/*
 * Points rise, but for the one time that they begin again at the other end of the line: so a part is looked for from
 * the last one on.
 */
void
pegs_points_pick(pegs_points *points, const pegs_env *env, pegs_rng *rng, const double *line, uint32_t parts, uint32_t *picked)
{
	uint32_t	rows = pegs_points_left(points);
	double		n = (double) points->n;
	double		length = line[parts] / n;	/* of the line, for each of the n */
	bool		again = false;
	uint32_t	part = 0;

	for (uint32_t r = 0; r < rows; r++)
	{
		double		point = (double) (points->batch + r * points->batches) + points->first;
		uint32_t	other = (uint32_t) pegs_rng_below(rng, (uint64_t) r + 1);

		if (r % PEGS_CHUNK == 0)
			env->check(env->context);
		if (point >= n && !again)
		{
			again = true;
			part = 0;
		}
		part = pegs_share_from(line, parts, part, (again ? point - n : point) * length);
		picked[r] = picked[other];
		picked[other] = part;
	}
	points->batch++;
}
