/*
 * halves.c
 *	  The simplex for bins in order: the total is handed down a tree of halves.
 *
 * Projected at once, a hundred empty bins keep the positive half of their
 * noise: a tail of nearly nobody becomes a tail of many. Here each half of the
 * bins gets its rows as a whole first, and the noise of a whole is small beside
 * that of its bins. docs/engine.md, step A.
 *
 * Post-processing: reads released numbers and the number of bins, which is
 * declared. Claim P8, docs/privacy.md.
 */
#include "core/column/column.h"

#include <math.h>

static const double UNLIKE = 1.5;	/* sds of their difference by which two halves differ before one may be empty */
static const double EMPTY = 2;	/* sds that this one must then be above to have rows */

#define ASKED 8					/* bins of the first half, at least, for that: below, halves are alike */
#define CHECKED 1024			/* bins of a half, at least, for a question whether to stop */

typedef struct halves
{
	const pegs_env *env;
	const double *below;		/* [bins + 1] sum of the bins before */
	double		variance;		/* of a bin */
} halves;

/*
 * `total` for the bins [first, first + n): least squares between the two
 * halves, the noise of each as its bins; neither below 0; and where they are
 * surely unlike, a smaller half that is within its noise has nothing.
 */
static void
split(const halves *h, double *y, uint32_t first, uint32_t n, double total)
{
	uint32_t	left = 1;
	uint32_t	right;
	double		sd;				/* of a half, where both together are known; of their difference it is twice that */
	double		rows[2];
	int			small;

	if (n == 1)
	{
		y[first] = total;
		return;
	}
	while (2 * left < n)
		left *= 2;
	right = n - left;
	if (left >= CHECKED)
		h->env->check(h->env->context);
	sd = sqrt(h->variance * left * right / n);
	rows[0] = h->below[first + left] - h->below[first];
	rows[1] = h->below[first + n] - h->below[first + left];
	rows[0] += (total - rows[0] - rows[1]) * left / n;
	rows[0] = fmin(fmax(rows[0], 0), total);
	rows[1] = total - rows[0];
	small = rows[1] < rows[0];
	if (left >= ASKED && rows[small] > 0 && rows[!small] - rows[small] > UNLIKE * 2 * sd)
	{
		rows[small] *= fmax(0, 1 - EMPTY * EMPTY * sd * sd / (rows[small] * rows[small]));
		rows[!small] = total - rows[small];
	}
	split(h, y, first, left, rows[0]);
	split(h, y, first + left, right, rows[1]);
}

void
pegs_project_halves(const pegs_env *env, double *y, uint32_t n, uint32_t bins, double variance, double total)
{
	double	   *below = env->alloc(env->context, sizeof(double) * (bins + 1));
	halves		h = {.env = env, .below = below, .variance = variance};
	double		off = total;
	double		beside = 0;

	for (uint32_t i = 0; i < n; i++)
		off -= y[i];
	for (uint32_t i = 0; i < bins; i++)
		below[i + 1] = below[i] + y[i];
	for (uint32_t i = bins; i < n; i++)
	{
		y[i] = fmax(0, y[i] + off / n);
		beside += y[i];
	}
	for (uint32_t i = bins; beside > total && i < n; i++)
		y[i] *= total / beside;
	split(&h, y, 0, bins, fmax(0, total - beside));
	pegs_env_free(env, below);
}
