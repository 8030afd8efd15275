/*
 * hierarchy_labels.c
 *	  The labels of a step as groups: levels of one label are one group.
 *
 * A label is all that comes out of a generalised row, so two groups never have
 * the same one.
 */
#include "facts/facts.h"
#include "facts/hierarchy_steps.h"

#include "miscadmin.h"

/* NULL is after all texts. */
int
pegs_compare_labels(const char *a, const char *b)
{
	return a == NULL || b == NULL ? (a == NULL) - (b == NULL) : strcmp(a, b);
}

static int
by_label(const void *a, const void *b, void *labels)
{
	int			x = *(const int *) a;
	int			y = *(const int *) b;
	int			order = pegs_compare_labels(((char **) labels)[x], ((char **) labels)[y]);

	CHECK_FOR_INTERRUPTS();
	return order != 0 ? order : (x > y) - (x < y);
}

/* Groups are numbered in the order of their first levels. */
void
pegs_put_labels(PegsStep *step, char **label, int n)
{
	int		   *order = palloc(sizeof(int) * (n + 1));
	int		   *first = palloc(sizeof(int) * (n + 1));

	memset(step, 0, sizeof(*step));
	step->group = palloc(sizeof(uint16) * (n + 1));
	step->labels = palloc(sizeof(char *) * (n + 1));
	step->size = palloc0(sizeof(int) * (n + 1));
	for (int i = 0; i < n; i++)
		order[i] = i;
	qsort_arg(order, n, sizeof(int), by_label, label);
	for (int i = 0; i < n; i++)
		first[order[i]] = i > 0 && pegs_compare_labels(label[order[i]], label[order[i - 1]]) == 0 ? first[order[i - 1]] : order[i];
	for (int i = 0; i < n; i++)
	{
		if (first[i] == i)
			step->labels[step->ngroups++] = label[i];
		step->group[i] = first[i] == i ? (uint16) (step->ngroups - 1) : step->group[first[i]];
		step->size[step->group[i]]++;
	}
	pfree(order);
	pfree(first);
}

void
pegs_refuse_step(const PegsMaking *m, const char *what, const char *example)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("step %d of the hierarchy of column \"%s\" %s", m->number, m->column->name, what),
			 errhint("For example: %s", example)));
}
