/*
 * absent.c
 *	  Columns that are absent where another one, a count, says so: what is known
 *	  of them without a look.
 *
 * It is public that both say the same (layout->absence). So their shares are
 * made to agree, the tree holds each such pair from the start, with nothing on
 * what cannot be, and no choice is wasted on finding it out. Post-processing of
 * released numbers: claim P8.
 */
#include "core/graph/state.h"

#include <string.h>

static const pegs_absence *
absence_of(const pegs_graph_fit *f, uint32_t column)
{
	return f->layout->absence && f->layout->absence[column].level >= 0 ? &f->layout->absence[column] : NULL;
}

static bool
says_absent(const pegs_absence *a, uint32_t level)
{
	return level < 1 || level >= a->limit;
}

/* Does this column say it of another? */
static bool
says(const pegs_graph_fit *f, uint32_t column)
{
	for (uint32_t i = 0; f->layout->absence && i < f->layout->ncols; i++)
		if (f->layout->absence[i].level >= 0 && f->layout->absence[i].says == column)
			return true;
	return false;
}

/* Masses by which levels are merged: what is absent, and what says so, is never merged with anything else. */
const double *
pegs_absent_masses(const pegs_graph_fit *f, uint32_t column)
{
	const double *share = f->model->share[column];
	bool		counts = says(f, column);
	double	   *mass;

	if (!counts && !absence_of(f, column))
		return share;
	mass = pegs_fit_alloc(f, f->layout->levels[column], sizeof(double));
	memcpy(mass, share, sizeof(double) * f->layout->levels[column]);
	if (counts)
		mass[0] = 2;
	if (absence_of(f, column))
		mass[absence_of(f, column)->level] = 2;
	return mass;
}

/* As few classes as can tell them apart. */
static uint32_t
least_classes(const pegs_graph_fit *f, uint32_t column)
{
	return 1 + (says(f, column) ? 1 : 0) + (absence_of(f, column) ? 1 : 0);
}

static double
share_absent(const pegs_graph_fit *f, const pegs_absence *a)
{
	double		sum = 0;

	for (uint32_t l = 0; l < f->layout->levels[a->says]; l++)
		if (says_absent(a, l))
			sum += f->model->share[a->says][l];
	return sum;
}

/* Scales the levels that are `in` to a sum; where there are none of any share, evenly. */
static void
scale(double *share, uint32_t levels, const bool *in, double to)
{
	double		sum = 0;
	uint32_t	n = 0;

	for (uint32_t l = 0; l < levels; l++)
	{
		sum += in[l] ? share[l] : 0;
		n += in[l];
	}
	for (uint32_t l = 0; l < levels; l++)
		if (in[l])
			share[l] = sum > 0 ? share[l] * to / sum : to / n;
}

static void
agree(const pegs_graph_fit *f, uint32_t column, const pegs_absence *a, bool of_count, double absent)
{
	uint32_t	levels = f->layout->levels[column];
	bool	   *in = pegs_fit_alloc(f, levels, sizeof(bool));

	for (int turn = 0; turn < 2; turn++)
	{
		for (uint32_t l = 0; l < levels; l++)
			in[l] = (of_count ? says_absent(a, l) : (int32_t) l == a->level) == (turn == 0);
		scale(f->model->share[column], levels, in, turn == 0 ? absent : 1 - absent);
	}
	pegs_env_free(f->env, in);
}

/* A count, and all columns of which it speaks, have one share of what is absent: their mean. Counts of low ranks first. */
void
pegs_absent_agree(const pegs_graph_fit *f)
{
	uint32_t	m = f->layout->ncols;
	const uint32_t *rank = f->layout->rank;

	for (uint32_t depth = 0; f->layout->absence && depth < m; depth++)
		for (uint32_t count = 0; count < m; count++)
		{
			const pegs_absence *any = NULL;
			double		sum = 0;
			uint32_t	n = 0;

			if (rank[count] != depth || !says(f, count))
				continue;
			for (uint32_t i = 0; i < m; i++)
				if (absence_of(f, i) && absence_of(f, i)->says == count)
				{
					any = absence_of(f, i);
					sum += f->model->share[i][any->level];
					n++;
				}
			if (any == NULL)
				continue;
			sum = (sum + share_absent(f, any)) / (n + 1);
			/* no less than where the count itself is absent */
			if (absence_of(f, count) && sum < f->model->share[count][absence_of(f, count)->level])
				sum = f->model->share[count][absence_of(f, count)->level];
			if (absence_of(f, count))
			{
				/* its last level stays as it is: it has that of its own count */
				double		above = f->model->share[count][absence_of(f, count)->level];
				uint32_t	levels = f->layout->levels[count];
				bool	   *in = pegs_fit_alloc(f, levels, sizeof(bool));

				f->model->share[count][0] = sum - above;
				for (uint32_t l = 1; l < any->limit; l++)
					in[l] = true;
				scale(f->model->share[count], levels, in, 1 - sum);
				pegs_env_free(f->env, in);
			}
			else
				agree(f, count, any, true, sum);
			for (uint32_t i = 0; i < m; i++)
				if (absence_of(f, i) && absence_of(f, i)->says == count)
					agree(f, i, absence_of(f, i), false, sum);
		}
}

/* Their edges, and the classes that they need. */
void
pegs_absent_join(const pegs_graph_fit *f, pegs_graph *graph, uint32_t *classes)
{
	for (uint32_t i = 0; f->layout->absence && i < f->layout->ncols; i++)
	{
		uint32_t	least = least_classes(f, i);

		if (least > classes[i])
			classes[i] = least;
		if (absence_of(f, i))
			pegs_graph_join(graph, i, absence_of(f, i)->says);
	}
}

/* What the tree shall agree with: there or not, twice the same. Gives how many. */
uint32_t
pegs_absent_targets(const pegs_graph_fit *f, const uint32_t *classes, pegs_target *target)
{
	const pegs_fitted *model = f->model;
	uint32_t	n = 0;

	for (uint32_t i = 0; f->layout->absence && i < f->layout->ncols; i++)
	{
		const pegs_absence *a = absence_of(f, i);
		uint16_t   *coarse[2];
		double	   *share;

		if (!a)
			continue;
		coarse[0] = pegs_fit_alloc(f, classes[i], sizeof(uint16_t));
		coarse[1] = pegs_fit_alloc(f, classes[a->says], sizeof(uint16_t));
		for (uint32_t l = 0; l < model->levels[i]; l++)
			coarse[0][model->class_of[i][l]] = (int32_t) l == a->level;
		for (uint32_t l = 0; l < model->levels[a->says]; l++)
			coarse[1][model->class_of[a->says][l]] = says_absent(a, l);
		share = pegs_fit_alloc(f, 4, sizeof(double));
		share[3] = model->share[i][a->level];
		share[0] = 1 - share[3];
		target[n++] = (pegs_target) {.n = 2, .column = {i, a->says}, .k = {2, 2}, .coarse = {coarse[0], coarse[1]}, .share = share};
	}
	return n;
}
