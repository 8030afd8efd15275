/*
 * learnt.c
 *	  What it cost to learn the domain of a model: the sum of the charges for its columns,
 *	  and for those that it leaves out because nothing of them was learnt.
 *
 * What was learnt is part of the rows of every model on it, so what it cost
 * stands beside them; also where nothing was found, and so what a person had
 * declared stands, or the column is left out. Declarations (pegs_internal.fact) say for which charges they
 * were learnt (learn/learn.c). Laws L6, L10.
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

/* A charge of which nothing came has the negative number. */
static int64
number_of(const PegsLearntCharge *charge)
{
	return charge->id < 0 ? -charge->id : charge->id;
}

static int
compare_charges(const void *a, const void *b)
{
	int64		x = number_of(*(PegsLearntCharge *const *) a);
	int64		y = number_of(*(PegsLearntCharge *const *) b);

	return (x > y) - (x < y);
}

/* A charge counts once, however many columns were learnt for it. The unit of the source is loaded. */
PegsLearntCost
pegs_learnt_cost(const PegsDomain *domain, const PegsSource *source)
{
	PegsLearntCost cost = {0};
	const char *unit = pegs_charged_unit(source->unit_column != NULL, source->unit_column);
	PegsLearntCharge **charges;
	int			n = 0;

	for (int i = 0; i < domain->ncols; i++)
		n += domain->column[i].nlearnt;
	charges = palloc(sizeof(PegsLearntCharge *) * (n + domain->nlearnt + 1));
	n = 0;
	for (int i = 0; i < domain->nlearnt; i++)
		charges[n++] = &domain->learnt[i];
	for (int i = 0; i < domain->ncols; i++)
		for (int j = 0; j < domain->column[i].nlearnt; j++)
			charges[n++] = &domain->column[i].learnt[j];
	qsort(charges, n, sizeof(PegsLearntCharge *), compare_charges);
	for (int i = 0; i < n; i++)
	{
		if (i > 0 && number_of(charges[i]) == number_of(charges[i - 1]))
			continue;
		cost.epsilon = sum(cost.epsilon, charges[i]->epsilon);
		cost.delta = sum(cost.delta, charges[i]->delta);
		cost.other_unit |= strcmp(charges[i]->unit, unit) != 0;
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
