/*
 * learnt.c
 *	  What it cost to learn the domain of a model: the sum over its columns.
 *
 * What was learnt is part of the rows of every model on it, so what it cost
 * stands beside them. It is a sum over declarations (pegs_internal.fact), which
 * say what was charged for them (learn/learn.c), and never below that. Laws L6,
 * L10.
 */
#include "facts/facts.h"

#include "common/int.h"

/* More than there may be of any budget is said as the most that there may be. */
static int64
sum(int64 a, int64 b)
{
	int64		c;

	return pg_add_s64_overflow(a, b, &c) ? PG_INT64_MAX : c;
}

static bool
is_same(const PegsLearnt *a, const PegsLearnt *b)
{
	return a->relid == b->relid && strcmp(a->name, b->name) == 0;
}

/* One declaration counts once, however many columns of the domain have it. The unit of the source is loaded. */
PegsLearntCost
pegs_learnt_cost(const PegsDomain *domain, const PegsSource *source)
{
	PegsLearntCost cost = {0};

	for (int i = 0; i < domain->ncols; i++)
	{
		const PegsLearnt *learnt = domain->column[i].learnt;
		bool		counted = learnt == NULL;

		for (int j = 0; j < i && !counted; j++)
			counted = domain->column[j].learnt && is_same(domain->column[j].learnt, learnt);
		if (counted)
			continue;
		cost.epsilon = sum(cost.epsilon, learnt->epsilon);
		cost.delta = sum(cost.delta, learnt->delta);
		cost.other_unit |= strcmp(learnt->unit, pegs_charged_unit(source->unit_column != NULL, source->unit_column)) != 0;
	}
	return cost;
}

char *
pegs_learnt_words(const PegsLearntCost *cost)
{
	const char *epsilon = pegs_units_text(cost->epsilon, 9);

	if (cost->epsilon == 0)
		return NULL;
	return cost->delta == 0 ? psprintf("epsilon %s", epsilon) : psprintf("epsilon %s and delta %s", epsilon, pegs_units_text(cost->delta, 18));
}
