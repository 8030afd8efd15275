/*
 * allowed.c
 *	  Does a domain type take what a column of it will be given?
 *
 * Asked before a charge, and before a statement is printed: its constraint
 * names neither the column nor a way out. Of bins the edges are tried, and
 * points (docs/limits.md). Its CHECK is somebody's code, and the domain is the
 * caller's choice, or that of who owns the table and copies it. Laws L2, L10.
 */
#include "codes/allowed.h"
#include "codes/codes.h"

#include "miscadmin.h"
#include "utils/builtins.h"

/* After an error of a domain's constraint, back in this context; any other is thrown on. */
void
pegs_domain_refuses(MemoryContext context, const char *message, const char *base)
{
	int			code = geterrcode();

	if (code != ERRCODE_CHECK_VIOLATION && code != ERRCODE_NOT_NULL_VIOLATION)
		PG_RE_THROW();
	MemoryContextSwitchTo(context);
	FlushErrorState();
	ereport(ERROR,
			(errcode(code),
			 errmsg("%s", message),
			 errhint("Name it as %s, in a column list or a table of its own.", base)));
}

void
pegs_require_allowed(Oid type, const PegsColumn *column)
{
	bool		bins = column->nedges > 0;
	volatile int n = bins ? column->nedges : column->nlabels;	/* gcc takes it for changed in between */
	Datum	   *value = bins ? pegs_edge_values(column) : pegs_values(column->type, column->typmod, column->labels, n);
	Datum	   *point = pegs_values(column->type, column->typmod, column->points, column->npoints);
	int			all = n + column->npoints;
	MemoryContext context = CurrentMemoryContext;
	void	   *extra = NULL;
	volatile int i = 0;

	PG_TRY();
	{
		for (; i < all; i++)
		{
			if (i % 256 == 0)
				CHECK_FOR_INTERRUPTS();
			domain_check(i < n ? value[i] : point[i - n], false, type, &extra, context);
		}
		if (column->nullable)
			domain_check((Datum) 0, true, type, &extra, context);
	}
	PG_CATCH();
	{
		const char *text = i == all ? "NULL" : i >= n ? column->points[i - n] : bins ? column->edges[i] : column->labels[i];

		MemoryContextSwitchTo(context);
		pegs_domain_refuses(context, psprintf("column \"%s\" is of the domain type %s, which refuses what the model has: %s", column->name,
											  format_type_be(type), i == all ? text : quote_literal_cstr(pegs_clipped(text))),
							format_type_with_typemod(column->type, column->typmod));
	}
	PG_END_TRY();
}
