/*
 * split.c
 *	  The domain with its hidden columns, after each column that is computed from them.
 *
 * The column itself has no bins any more: it has an expression, as what is
 * declared to be computed has (expression.c), and every row that is drawn keeps
 * its order. What cannot be computed now says why. Law L1.
 */
#include "facts/facts.h"
#include "codes/codes.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/builtins.h"

#define SECOND "'00:00:01'::interval"

/* It is no column of the model any more, but for its expression. */
static void
compute(PegsColumn *column, char *expression)
{
	column->derived = expression;
	column->nedges = column->nlabels = column->nlearnt = 0;
	column->edges = column->labels = NULL;
	column->step = NULL;
	column->origin = NULL;
	column->left_out = pstrdup("computed from other columns");
}

static void
cannot(PegsColumn *column, const PegsSource *source, const char *problem)
{
	column->nparts = 0;
	column->earlier = NULL;
	column->via = NULL;
	compute(column, NULL);
	column->left_out = NULL;
	column->problem = pstrdup(problem);
	column->remedy = NULL;
	pegs_describe_problem(column, source, column->type);
}

static char *
quoted_part(const PegsColumn *column, PegsPartKind kind)
{
	return pegs_quoted_name(pegs_hidden_name(column, kind));
}

static char *
time_of_parts(const PegsColumn *column)
{
	bool		week = strcmp(column->parts[0], "week") == 0;
	char	   *day = week ? psprintf("(%s + (%s - 1))", quoted_part(column, PEGS_WEEK), quoted_part(column, PEGS_WEEKDAY))
		: quoted_part(column, PEGS_DATE);
	char	   *at = column->nparts > (week ? 2 : 1) ? psprintf("(%s + %s * " SECOND ")", day, quoted_part(column, PEGS_HOUR))
		: psprintf("(%s)::timestamp", day);

	return column->zone ? psprintf("(%s AT TIME ZONE %s)", at, quote_literal_cstr(column->zone)) : at;
}

/* Of the level that is drawn a key (codes/decode.c), as text. */
static char *
key_of_level(const PegsColumn *column)
{
	return psprintf("(%s)::%s", quoted_part(column, PEGS_VIA), format_type_with_typemod(column->type, column->typmod));
}

/* The value of a column, whatever it is computed from. Names are quoted: the same text in every session. */
static char *
value_of(const PegsColumn *column)
{
	if (column->derived == NULL || column->origin)
		return pegs_quoted_name(column->name);
	if (column->nparts > 0 || column->earlier)
		return psprintf("(%s)", column->derived);
	/* somebody's expression: of its column's type, as an assignment makes it */
	return psprintf("((%s)::%s)", column->derived, format_type_with_typemod(column->type, column->typmod));
}

/* What lies beyond the type would be an error, and no value: the last that it holds is there instead. */
static char *
number_after(const PegsColumn *column, const char *earlier, const char *more)
{
	if (column->type == INT2OID)
		return psprintf("LEAST(%s::bigint + %s, 32767)::smallint", earlier, more);
	if (column->type == INT4OID)
		return psprintf("LEAST(%s::bigint + %s, 2147483647)::integer", earlier, more);
	if (column->type == INT8OID)
		return psprintf("LEAST(%s::numeric + %s, 9223372036854775807)::bigint", earlier, more);
	if (column->type == FLOAT4OID)
		return psprintf("LEAST(%s::double precision + %s, 3.4028234663852886e38)::real", earlier, more);
	if (column->type == NUMERICOID && column->typmod >= (int32) VARHDRSZ)
		return psprintf("LEAST(%s + %s, %s)", earlier, more, pegs_largest_numeric(pegs_digits_of(column->typmod), pegs_scale_of(column->typmod)));
	if (column->type == DATEOID)
		return psprintf("(%s + LEAST(%s, '5874897-12-31'::date - %s))", earlier, more, earlier);
	return psprintf("(%s + %s)", earlier, more);
}

static char *
time_after(const PegsColumn *column, const PegsColumn *earlier)
{
	char	   *more = quoted_part(column, PEGS_DIFFERENCE);

	if (column->type == TIMESTAMPOID)
		return psprintf("(%s + %s * " SECOND ")", value_of(earlier), more);
	if (column->type == TIMESTAMPTZOID)	/* that an interval is added does not depend on the session, if it is added to a timestamp */
		return psprintf("(((%s AT TIME ZONE 'UTC') + %s * " SECOND ") AT TIME ZONE 'UTC')", value_of(earlier), more);
	return number_after(column, value_of(earlier), more);
}

typedef struct Split
{
	PegsDomain *domain;
	const PegsSource *source;
	List	  **hidden;			/* [ncols] of PegsColumn */
	bool	   *begun;
	bool	   *done;
} Split;

static void split(Split *s, int i);

/* NULL: it can be computed from that one, which is split already. */
static const char *
order_problem(Split *s, const PegsColumn *column, int earlier)
{
	const char *unit = pegs_unit_column(s->source);

	if (earlier < 0)
		return psprintf("it is computed from column \"%s\", which does not exist", column->earlier);
	if (unit && strcmp(unit, column->earlier) == 0)
		return psprintf("it is computed from column \"%s\", which is the privacy unit", column->earlier);
	if (s->begun[earlier] && !s->done[earlier])
		return psprintf("it is computed from column \"%s\", which is computed from it", column->earlier);
	split(s, earlier);
	if (s->domain->column[earlier].type != column->type || s->domain->column[earlier].typmod != column->typmod)
		return psprintf("it is computed from column \"%s\", which is of another type", column->earlier);
	return NULL;
}

/* Who asks for the column itself, of the measures. */
static char *
remedy_of(List *hidden)
{
	StringInfoData names;
	ListCell   *cell;

	initStringInfo(&names);
	foreach(cell, hidden)
		appendStringInfo(&names, "%s%s", names.len > 0 ? ", " : "", quote_literal_cstr(((PegsColumn *) lfirst(cell))->name));
	return psprintf("Name what it is computed from: %s.", names.data);
}

static void
split(Split *s, int i)
{
	PegsColumn *column = &s->domain->column[i];
	int			earlier = column->earlier ? pegs_domain_find(s->domain, column->earlier) : -1;
	const char *problem = NULL;
	ListCell   *cell;

	check_stack_depth();
	if (s->done[i])
		return;
	s->begun[i] = true;
	if (column->earlier)
		problem = order_problem(s, column, earlier);
	if (problem == NULL)
		problem = pegs_domain_type_problem(column, s->source->relid);
	if (column->zone && pg_tzset(column->zone) == NULL)
		problem = psprintf("it is computed from parts in time zone \"%s\", which is not known here", column->zone);
	if (problem == NULL)
		s->hidden[i] = pegs_hidden_columns(column, column->nullable || (earlier >= 0 && s->domain->column[earlier].nullable));
	foreach(cell, s->hidden[i])
		if (problem == NULL && pegs_hidden_name_problem(s->source->relid, ((PegsColumn *) lfirst(cell))->name))
			problem = psprintf("it is computed from hidden columns, but %s", pegs_hidden_name_problem(s->source->relid, ((PegsColumn *) lfirst(cell))->name));
	if (problem)
	{
		s->hidden[i] = NIL;
		cannot(column, s->source, problem);
	}
	else
	{
		compute(column, column->via ? key_of_level(column) : column->earlier ? time_after(column, &s->domain->column[earlier]) : time_of_parts(column));
		column->problem = NULL;
		pegs_describe_problem(column, s->source, column->type);
		column->remedy = remedy_of(s->hidden[i]);
	}
	s->done[i] = true;
}

/* Is there something hidden, and can it be used at all? The unit is read for whose row it is, and for nothing else. */
static bool
is_split(PegsColumn *column, const PegsSource *source)
{
	const char *unit = column->nparts > 0 || column->earlier ? pegs_unit_column(source) : NULL;

	if (unit && strcmp(unit, column->name) == 0)
	{
		cannot(column, source, "it is the privacy unit");
		column->left_out = pstrdup("the privacy unit");
	}
	return column->problem == NULL && (column->nparts > 0 || column->earlier);
}

void
pegs_domain_split(PegsDomain *domain, const PegsSource *source)
{
	Split		s = {.domain = domain, .source = source};
	PegsColumn *all;
	int			n = 0;
	int			hidden = 0;

	s.hidden = palloc0(sizeof(List *) * (domain->ncols + 1));
	s.begun = palloc0(sizeof(bool) * (domain->ncols + 1));
	s.done = palloc0(sizeof(bool) * (domain->ncols + 1));
	for (int i = 0; i < domain->ncols; i++)
		s.done[i] = !is_split(&domain->column[i], source);
	for (int i = 0; i < domain->ncols; i++)
	{
		split(&s, i);
		hidden += list_length(s.hidden[i]);
	}
	if (hidden == 0)
		return;
	all = palloc0(sizeof(PegsColumn) * (domain->ncols + hidden + 1));
	for (int i = 0; i < domain->ncols; i++)
	{
		ListCell   *cell;

		all[n++] = domain->column[i];
		foreach(cell, s.hidden[i])
			all[n++] = *(PegsColumn *) lfirst(cell);
	}
	domain->column = all;
	domain->ncols = n;
}
