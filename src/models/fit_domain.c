/*
 * fit_domain.c
 *	  The columns that a fit counts: their domain, and the structural zeros
 *	  among them. Public facts alone: Law L1.
 */
#include "models/fit.h"
#include "budget/bound.h"
#include "budget/budget.h"

#include "utils/builtins.h"
#include "utils/lsyscache.h"

/* By which rows may be somebody's, where nothing says whose they are: not one to the table itself, by which some row is nobody's. */
static const PegsColumn *
first_reference(const PegsDomain *domain, const PegsSource *source)
{
	for (int i = 0; pegs_unit_column(source) == NULL && i < domain->ncols; i++)
	{
		const PegsColumn *column = &domain->column[i];

		if (column->reference && pegs_topmost(column->reference->relid) != source->account && column->origin == NULL && column->via == NULL)
			return column;
	}
	return NULL;
}

/* A foreign key may tell persons apart: rows are protected one by one all the same. */
static void
say_whose_rows(const PegsDomain *all, const PegsSource *source)
{
	const PegsColumn *column = first_reference(all, source);

	/* whose rows are bound to it is a root: its unit is a row; that of a bound one is its root's */
	if (column && !pegs_is_bound(source->account) && pegs_children_of(source->account) == NIL)
		ereport(NOTICE,
				(errmsg("rows of %s are protected one by one, not all rows of one \"%s\"", source->name, get_rel_name(column->reference->relid)),
				 errhint("If that is whose rows they are: SELECT pegs_set_unit(%s, %s, weighting => 'person'); before the first charge.",
						 pegs_relation_literal(source->relid), quote_literal_cstr(column->name))));
}

/* The rows of a model lie in one slice: the column of the slices says no more of them. */
static void
leave_out(PegsDomain *all, const char *sliced)
{
	PegsColumn *column = &all->column[pegs_domain_find(all, sliced)];

	column->origin = column->problem = column->remedy = column->derived = column->earlier = NULL;
	column->via = NULL;
	column->nlabels = column->nedges = column->npoints = column->nparts = 0;
	column->left_out = pstrdup("the column of the slices");
}

/* The columns of a model, their domain and the structural zeros among them. call: one that may be asked for each row, and says whose they are once; or NULL. */
PegsDomain *
pegs_domain_to_fit(const PegsSource *source, List *columns, const char *sliced, FmgrInfo *call)
{
	PegsDomain *all = pegs_domain_of(source);
	PegsDomain *domain;

	if (sliced)
		leave_out(all, sliced);
	domain = pegs_domain_model(all, source, columns);

	if (sliced)
		pegs_add_charges_of(domain, all, sliced);
	if (call == NULL || call->fn_extra == NULL)
		say_whose_rows(all, source);
	if (call)
		call->fn_extra = call;
	pegs_load_zeros(domain, source);
	return domain;
}
