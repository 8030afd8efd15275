/*
 * condition.c
 *	  A condition of a score's line: for people, and in SQL.
 *
 * Operators are named with their schema: whoever runs it has a search_path of his
 * own, where somebody else may have made one that fits better.
 *
 * In SQL it says of a value what the encoder says (src/codes): a point before
 * its bin, the last bin closed, another level or the nearest bin for what is
 * not declared, and of everything else, NULL and NaN among them, false.
 */
#include "scores/scores.h"
#include "models/publish.h"

#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"

/* ---- for people ---- */

/* "[5, 10)" and "[10, 20]" next to each other: "[5, 20]". */
static char *
run_words(const PegsColumn *column, int first, int last)
{
	return psprintf("[%s, %s%c", column->edges[first], column->edges[last + 1], last == column->nedges - 2 ? ']' : ')');
}

char *
pegs_condition_words(const PegsDomain *domain, const pegs_condition *condition)
{
	const PegsColumn *column = &domain->column[condition->column];
	StringInfoData words;
	int			n = 0;

	initStringInfo(&words);
	for (int level = 0; level < pegs_column_levels(column); level++)
	{
		int			first = level;
		char	   *text;

		if (!condition->levels[level])
			continue;
		while (level + 1 < column->nedges - 1 && condition->levels[level + 1])
			level++;
		text = level > first ? run_words(column, first, level) : pegs_level_text(column, level);
		appendStringInfo(&words, "%s%s", n++ > 0 ? ", " : "", text ? text : "NULL");
	}
	return psprintf("%s in (%s)", quote_identifier(column->name), words.data);
}

/* ---- in SQL ---- */

/* Of any length: "character" and "bit" alone are of length 1. A text for an enum in whose place another role may put a domain, whose CHECK would run as the caller. */
char *
pegs_type_sql(Oid type)
{
	if (pegs_type_named_of_others(type))
		type = TEXTOID;
	return format_type_extended(type, -1, FORMAT_TYPE_TYPEMOD_GIVEN | FORMAT_TYPE_FORCE_QUALIFY);
}

typedef struct Condition
{
	const PegsColumn *column;
	const bool *levels;
	const char *parameter;
	char	   *type;			/* NULL: no statement may name it, and a literal has none */
	StringInfoData sql;
	int			terms;
} Condition;

static void
begin_term(Condition *c)
{
	appendStringInfoString(&c->sql, c->terms++ > 0 ? " OR " : "");
}

static char *
literal(const Condition *c, const char *text)
{
	return c->type ? psprintf("%s::%s", quote_literal_cstr(text), c->type) : quote_literal_cstr(text);
}

/* ", "-separated literals of those of n texts that are wanted, or not, and how many; NULL: there are none. */
static char *
list_of(const Condition *c, char *const *texts, int n, const bool *levels, bool wanted, int *listed)
{
	StringInfoData list;

	*listed = 0;
	initStringInfo(&list);
	for (int i = 0; i < n; i++)
		if (levels[i] == wanted)
			appendStringInfo(&list, "%s%s", (*listed)++ > 0 ? ", " : "", literal(c, texts[i]));
	return list.len > 0 ? list.data : NULL;
}

/* IN and NOT IN, whose operator cannot be named. */
static void
add_in(Condition *c, const char *list, int n)
{
	appendStringInfo(&c->sql, n == 1 ? "%s OPERATOR(pg_catalog.=) %s" : "%s OPERATOR(pg_catalog.=) ANY (ARRAY[%s])", c->parameter, list);
}

static void
add_not_in(Condition *c, const char *list, int n)
{
	appendStringInfo(&c->sql, n == 1 ? "%s OPERATOR(pg_catalog.<>) %s" : "%s OPERATOR(pg_catalog.<>) ALL (ARRAY[%s])", c->parameter, list);
}

/* The same of literals that take the type of what they are compared with, as no array of them does. */
static void
add_each(Condition *c, bool wanted, const char *operator, const char *and)
{
	int			n = 0;

	for (int i = 0; i < c->column->nlabels; i++)
		if (c->levels[i] == wanted)
			appendStringInfo(&c->sql, "%s%s OPERATOR(pg_catalog.%s) %s", n++ > 0 ? and : "(", c->parameter, operator, quote_literal_cstr(c->column->labels[i]));
	appendStringInfoChar(&c->sql, ')');
}

static void
add_labels(Condition *c)
{
	const PegsColumn *column = c->column;
	bool		with_other = column->other >= 0 && c->levels[column->other];
	int			n;
	char	   *list = list_of(c, column->labels, column->nlabels, c->levels, !with_other, &n);

	if (with_other)
	{
		begin_term(c);
		if (list && c->type == NULL)
			add_each(c, false, "<>", " AND ");
		else if (list)
			add_not_in(c, list, n);
		else
			appendStringInfo(&c->sql, "%s IS NOT NULL", c->parameter);
	}
	else if (list)
	{
		begin_term(c);
		if (c->type)
			add_in(c, list, n);
		else
			add_each(c, true, "=", " OR ");
	}
}

/* NaN is above all numbers, and in no bin. */
static bool
has_nan(Oid type)
{
	return type == FLOAT4OID || type == FLOAT8OID || type == NUMERICOID;
}

/* A value that equals a point is that point. */
static void
not_a_point(Condition *c)
{
	for (int i = 0; i < c->column->npoints; i++)
		appendStringInfo(&c->sql, " AND %s OPERATOR(pg_catalog.<>) %s", c->parameter, literal(c, c->column->points[i]));
	appendStringInfoChar(&c->sql, ')');
}

/* Bins from the first to the last of neighbours. */
static void
add_range(Condition *c, int first, int last)
{
	const PegsColumn *column = c->column;

	begin_term(c);
	appendStringInfo(&c->sql, "(%s OPERATOR(pg_catalog.>=) %s AND %s OPERATOR(pg_catalog.%s) %s", c->parameter, literal(c, column->edges[first]),
					 c->parameter, last == column->nedges - 2 ? "<=" : "<", literal(c, column->edges[last + 1]));
	not_a_point(c);
}

/* The level of an edge: a point, or this bin. */
static int
level_of_edge(const PegsColumn *column, int edge, int bin)
{
	for (int i = 0; i < column->npoints; i++)
		if (pegs_compare(column->type, column->typmod, column->points[i], column->edges[edge]) == 0)
			return column->nedges - 1 + i;
	return bin;
}

/* What lies outside all bins has the level of the edge that is nearest. */
static void
add_outside(Condition *c)
{
	const PegsColumn *column = c->column;
	int			last = column->nedges - 1;

	if (c->levels[level_of_edge(column, 0, 0)])
	{
		begin_term(c);
		appendStringInfo(&c->sql, "(%s OPERATOR(pg_catalog.<) %s", c->parameter, literal(c, column->edges[0]));
		not_a_point(c);
	}
	if (c->levels[level_of_edge(column, last, last - 1)])
	{
		begin_term(c);
		appendStringInfo(&c->sql, "(%s OPERATOR(pg_catalog.>) %s", c->parameter, literal(c, column->edges[last]));
		if (has_nan(column->type))
			appendStringInfo(&c->sql, " AND %s OPERATOR(pg_catalog.<>) %s", c->parameter, literal(c, "NaN"));
		not_a_point(c);
	}
}

static void
add_bins(Condition *c)
{
	const PegsColumn *column = c->column;
	int			nbins = column->nedges - 1;
	int			npoints;
	char	   *points = list_of(c, column->points, column->npoints, c->levels + nbins, true, &npoints);

	for (int first = 0; first < nbins; first++)
		if (c->levels[first])
		{
			int			last = first;

			while (last + 1 < nbins && c->levels[last + 1])
				last++;
			add_range(c, first, last);
			first = last;
		}
	if (column->nearest)
		add_outside(c);
	if (points)
	{
		begin_term(c);
		add_in(c, points, npoints);
	}
}

char *
pegs_condition_sql(const PegsDomain *domain, const pegs_condition *condition, const char *parameter)
{
	const PegsColumn *column = &domain->column[condition->column];
	Condition	c = {.column = column, .levels = condition->levels, .parameter = parameter,
	.type = pegs_type_named_of_others(column->type) ? NULL : pegs_type_sql(column->type)};

	initStringInfo(&c.sql);
	if (column->nedges > 0)
		add_bins(&c);
	else
		add_labels(&c);
	if (column->nullable && condition->levels[pegs_column_levels(column) - 1])
	{
		begin_term(&c);
		appendStringInfo(&c.sql, "%s IS NULL", parameter);
	}
	if (c.terms == 0)
		return "false";
	return c.terms > 1 ? psprintf("(%s)", c.sql.data) : c.sql.data;
}
