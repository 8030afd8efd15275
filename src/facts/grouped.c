/*
 * grouped.c
 *	  The levels of a column in the groups that they are declared to be of.
 *
 * Where noise is too much for single levels, the engine puts neighbours together
 * (core/column/merge.c): of one group first. So levels of a group are put beside
 * each other here, where the first of them stands. Of declared facts alone:
 * Law L1.
 */
#include "facts/facts.h"

#include "miscadmin.h"

static int
by_name(const void *a, const void *b)
{
	return strcmp((*(char **const *) a)[0], (*(char **const *) b)[0]);
}

/* The group that a level is declared to be of; NULL: none. pair: sorted by level. */
static char *
group_of(char ***pair, int n, char *label)
{
	char	  **key = &label;
	char	 ***found = bsearch(&key, pair, n, sizeof(char **), by_name);

	return found ? (*found)[1] : NULL;
}

typedef struct Member
{
	const char *group;
	int			level;
} Member;

static int
by_group(const void *a, const void *b)
{
	const Member *x = a;
	const Member *y = b;
	int			order = strcmp(x->group, y->group);

	return order != 0 ? order : (x->level > y->level) - (x->level < y->level);
}

/* Which level is the first of its group, for each; a level without one is alone. */
static int *
firsts(const PegsColumn *column)
{
	const PegsFunction *grouped = column->grouped;
	char	 ***pair = palloc(sizeof(char **) * (grouped->n + 1));
	Member	   *member = palloc(sizeof(Member) * (column->nlabels + 1));
	int		   *place = palloc(sizeof(int) * (column->nlabels + 1));
	int			n = 0;

	for (int i = 0; i < grouped->n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		pair[i] = palloc(sizeof(char *) * 2);
		pair[i][0] = grouped->from[i];
		pair[i][1] = grouped->to[i];
	}
	qsort(pair, grouped->n, sizeof(char **), by_name);
	for (int i = 0; i < column->nlabels; i++)
	{
		char	   *group = group_of(pair, grouped->n, column->labels[i]);

		CHECK_FOR_INTERRUPTS();
		place[i] = i;
		if (group)
			member[n++] = (Member) {group, i};
	}
	qsort(member, n, sizeof(Member), by_group);
	for (int i = 1; i < n; i++)
		if (strcmp(member[i].group, member[i - 1].group) == 0)
			place[member[i].level] = place[member[i - 1].level];
	return place;
}

typedef struct Placed
{
	int			first;			/* level of its group, as declared */
	int			level;
} Placed;

static int
by_place(const void *a, const void *b)
{
	const Placed *x = a;
	const Placed *y = b;

	return x->first != y->first ? (x->first < y->first ? -1 : 1) : (x->level > y->level) - (x->level < y->level);
}

/* In the order of the groups' first levels, and in each as declared. NULL is a group of its own, the last. */
void
pegs_group_levels(PegsColumn *column)
{
	int		   *first;
	Placed	   *placed;
	char	  **labels;
	int			other = column->other;
	int			group = 0;

	if (column->grouped == NULL || column->nlabels == 0 || column->nedges > 0)
		return;
	first = firsts(column);
	placed = palloc(sizeof(Placed) * (column->nlabels + 1));
	labels = palloc(sizeof(char *) * (column->nlabels + 1));
	column->group = palloc(sizeof(uint16) * (column->nlabels + 1));
	for (int i = 0; i < column->nlabels; i++)
		placed[i] = (Placed) {first[i], i};
	qsort(placed, column->nlabels, sizeof(Placed), by_place);
	for (int i = 0; i < column->nlabels; i++)
	{
		group += i > 0 && placed[i].first != placed[i - 1].first;
		column->group[i] = (uint16) group;
		labels[i] = column->labels[placed[i].level];
		if (placed[i].level == other)
			column->other = i;
	}
	column->group[column->nlabels] = (uint16) (group + 1);
	column->labels = labels;
	column->origin = psprintf(group > 0 ? "%s, in %d groups" : "%s, in %d group", column->origin, group + 1);
}

/* ---- are they of the levels that there are? ---- */

static int
by_label(const void *a, const void *b)
{
	return strcmp(*(char *const *) a, *(char *const *) b);
}

/* The first level that groups name and the column does not have; NULL: it has them all. */
const char *
pegs_unknown_level(const PegsColumn *column, const PegsFunction *groups, bool in_a_group)
{
	char	  **sorted = palloc(sizeof(char *) * (column->nlabels + 1));
	const char *unknown = NULL;

	if (column->nlabels > 0)
		memcpy(sorted, column->labels, sizeof(char *) * column->nlabels);
	qsort(sorted, column->nlabels, sizeof(char *), by_label);
	for (int i = 0; i < groups->n && unknown == NULL; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if ((groups->to[i] || !in_a_group) && bsearch(&groups->from[i], sorted, column->nlabels, sizeof(char *), by_label) == NULL)
			unknown = groups->from[i];
	}
	pfree(sorted);
	return unknown;
}

/* A label may have been renamed since, a CHECK or a row of a lookup table replaced. */
char *
pegs_groups_problem(const PegsColumn *column)
{
	const char *unknown;

	if (column->grouped == NULL)
		return NULL;
	if (column->nedges > 0)
		return pstrdup("its groups are of levels, and it has bins");
	unknown = pegs_unknown_level(column, column->grouped, true);
	return unknown ? psprintf("its groups have level \"%s\", which it has not", pegs_clipped(unknown)) : NULL;
}
