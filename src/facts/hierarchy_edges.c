/*
 * hierarchy_edges.c
 *	  Steps of a hierarchy that are made of edges: declared ones, and bins that are
 *	  joined with their neighbours.
 *
 * A bin is never cut: edges of a step are some of those of the step before. Of
 * declared facts alone, never of rows: Law L1.
 */
#include "facts/facts.h"
#include "facts/hierarchy_steps.h"
#include "codes/codes.h"

#include "miscadmin.h"

static int
compare(const PegsMaking *m, const char *a, const char *b)
{
	return pegs_compare(m->column->type, m->column->typmod, a, b);
}

/* The edge of the step before that is the same value, as that step has it: what is the same is then the same pointer. */
static char *
edge_before(const PegsMaking *m, const char *edge)
{
	int			low = 0;
	int			high = m->nedges;

	while (low < high)
	{
		int			middle = (low + high) / 2;
		int			order = compare(m, edge, m->edges[middle]);

		if (order == 0)
			return m->edges[middle];
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("edge \"%s\" of step %d of the hierarchy of column \"%s\" is no edge of the step before", pegs_clipped(edge), m->number, m->column->name),
			 low > 0 && low < m->nedges
			 ? errhint("Take some of these edges: %s, ..., %s. The nearest are %s and %s.", m->edges[0], m->edges[m->nedges - 1], m->edges[low - 1], m->edges[low])
			 : errhint("Take some of these edges: %s, ..., %s.", m->edges[0], m->edges[m->nedges - 1])));
	return NULL;
}

/* The bin of a value, the last one closed; -1: outside. */
static int
bin_of(const PegsMaking *m, char *const *edges, int n, const char *value)
{
	int			low = 0;
	int			high = n - 1;

	if (compare(m, value, edges[0]) < 0 || compare(m, value, edges[n - 1]) > 0)
		return -1;
	while (high - low > 1)
	{
		int			middle = (low + high) / 2;

		if (compare(m, value, edges[middle]) < 0)
			high = middle;
		else
			low = middle;
	}
	return low;
}

/*
 * Labels, with these texts, of bins that are made of `edges`; a point that is in none stays itself. Where the column has bins, its
 * edges and these, which are some of them, are gone through together: to compare two values is slow.
 */
static char **
labels_of_edges(const PegsMaking *m, char *const *edges, char *const *text, int n)
{
	const PegsColumn *column = m->column;
	char	  **bin = palloc(sizeof(char *) * n);
	char	  **label = palloc(sizeof(char *) * (m->n + 1));
	int			at = 0;

	for (int i = 0; i + 1 < n; i++)
		bin[i] = psprintf("[%s, %s%c", text[i], text[i + 1], i == n - 2 ? ']' : ')');
	for (int i = 0; i < m->n; i++)
	{
		bool		is_bin = i < column->nedges - 1;
		int			b;

		CHECK_FOR_INTERRUPTS();
		label[i] = m->level[i];
		if (label[i] == NULL)
			continue;
		if (is_bin && at + 2 < n && edges[at + 1] == column->edges[i])
			at++;
		b = is_bin ? at : bin_of(m, edges, n, label[i]);
		if (b >= 0)
			label[i] = bin[b];
		else if (column->nedges == 0)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("level \"%s\" of column \"%s\" is outside the edges of step %d of its hierarchy", pegs_clipped(label[i]), column->name, m->number),
					 errhint("Begin with an edge that is not above the lowest level, and end with one that is not below the highest.")));
	}
	return label;
}

char **
pegs_edges_step(PegsMaking *m, const JsonbValue *value)
{
	const PegsColumn *column = m->column;
	const char *example = "{\"edges\": [\"0\", \"20\", \"40\", \"60\"]}";
	char	  **edges;
	char	  **before;
	char	  **label;
	char	   *what;
	int			n;

	if (!pegs_type_has_bins(column->type))
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("edges need an order, and the type of column \"%s\" has none", column->name),
				 errhint("Put its levels into groups: {\"groups\": {\"one\": [\"a\", \"b\"]}, \"others\": \"another\"}")));
	if (value->type != jbvBinary || !JsonContainerIsArray(value->val.binary.data) || JsonContainerSize(value->val.binary.data) < 2)
		pegs_refuse_step(m, "must have a list of two edges or more", example);
	n = JsonContainerSize(value->val.binary.data);
	what = psprintf("step %d of its hierarchy", m->number);
	edges = palloc(sizeof(char *) * n);
	before = palloc(sizeof(char *) * n);
	for (int i = 0; i < n; i++)
	{
		JsonbValue *item = getIthJsonbValueFromContainer(value->val.binary.data, i);
		char	   *text = item->type == jbvBinary ? NULL : pegs_json_scalar(item);

		CHECK_FOR_INTERRUPTS();
		if (text == NULL)
			pegs_refuse_step(m, "has an edge that is no value", example);
		edges[i] = pegs_canonical_told(column, text, what);
		if (!pegs_is_finite(edges[i]))
			pegs_refuse_step(m, "has an edge that is not finite", example);
		if (i > 0 && compare(m, edges[i - 1], edges[i]) >= 0)
			pegs_refuse_step(m, "has edges that do not rise", example);
		before[i] = m->edges ? edge_before(m, edges[i]) : edges[i];
	}
	if (m->edges && (compare(m, edges[0], m->edges[0]) != 0 || compare(m, edges[n - 1], m->edges[m->nedges - 1]) != 0))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("step %d of the hierarchy of column \"%s\" must begin with edge \"%s\" and end with \"%s\", as the step before", m->number, column->name,
						m->edges[0], m->edges[m->nedges - 1]),
				 errhint("Leave out edges between these two alone.")));
	label = labels_of_edges(m, before, edges, n);
	m->edges = before;
	m->nedges = n;
	return label;
}

/* Neighbouring bins are joined by 2, 4, 8, ... from the left, until there is one. A point that is in none stays itself. */
void
pegs_joined_bins(PegsMaking *m, PegsHierarchy *hierarchy)
{
	const PegsColumn *column = m->column;
	char	  **edges = column->edges;
	int			n = column->nedges;

	while (n > 3)
	{
		char	  **fewer = palloc(sizeof(char *) * (n / 2 + 2));
		int			k = 0;

		for (int i = 0; i < n - 1; i += 2)
			fewer[k++] = edges[i];
		fewer[k++] = edges[n - 1];
		pegs_put_labels(&hierarchy->steps[hierarchy->nsteps++], labels_of_edges(m, fewer, fewer, k), m->n);
		edges = fewer;
		n = k;
	}
}
