/*
 * remedy.c
 *	  Why a column cannot be used, and what makes it usable: a statement, made from the catalog alone.
 */
#include "facts/facts.h"
#include "codes/codes.h"
#include "budget/bound.h"
#include "budget/budget.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

/* By a person, or learnt; not by the catalog. */
static bool
is_declared(const PegsColumn *column)
{
	return column->nlearnt > 0 || strncmp(column->origin, "declared", 8) == 0 || strncmp(column->origin, "lookup", 6) == 0;
}

/* Are the declared or learnt levels or bins still values of the column's type, as it is now? */
static bool
declared_for_another_type(const PegsColumn *column)
{
	int			n = column->nedges > 0 ? column->nedges : column->nlabels;

	if (!is_declared(column) || strncmp(column->origin, "lookup", 6) == 0)
		return false;
	if (column->nedges > 0 && !pegs_type_has_bins(column->type))
		return true;
	for (int i = 0; i < n; i++)
	{
		const char *text = column->nedges > 0 ? column->edges[i] : column->labels[i];
		const char *now = pegs_try_canonical(column->type, column->typmod, text);

		CHECK_FOR_INTERRUPTS();
		if (now == NULL || strcmp(now, text) != 0)
			return true;
	}
	return (column->npoints > 0 || column->step) && !pegs_bins_hold(column);
}

/* What can be said of a column whose type is not supported, by an expression that a view may have. */
static char *
remedy_for_type(const PegsColumn *column)
{
	const char *name = quote_identifier(column->name);
	char	   *expression = NULL;

	if (column->type == CASHOID)
		expression = psprintf("(%s / '1'::money)::numeric", name);
	else if (column->type == INTERVALOID)
		expression = psprintf("extract(epoch from %s)::int", name);
	else if (column->type == TIMEOID)
		expression = psprintf("extract(hour from %s)::int", name);
	else if (OidIsValid(get_element_type(column->type)))
		expression = psprintf("cardinality(%s)", name);
	else if (type_is_range(column->type))
		expression = psprintf("lower(%s)", name);
	if (expression == NULL)
		return pstrdup("Leave the column out, or use a view that makes a text, a number or a date of it with immutable built-in functions.");
	return psprintf("Leave the column out, or use a view: CREATE VIEW ... AS SELECT ..., %s AS %s FROM ...", expression, name);
}

/* Words for who knows what is public: where to write it. Both as literals. */
char *
pegs_by_what_is_public(const char *table, const char *name)
{
	return psprintf("declare its levels by what is public, in the place of '...': SELECT pegs_set_levels(%s, %s, ARRAY['...']);", table, name);
}

/* What would be levels is private: a statement that runs as it is, and the other way in a comment, after these words. */
char *
pegs_without_private(const char *table, const char *name, const char *why)
{
	return psprintf("SELECT pegs_leave_out(%s, %s);  %s", table, name, pegs_comment("%sor %s", why, pegs_by_what_is_public(table, name)));
}

static bool
is_private(const char *problem)
{
	return strcmp(problem, PEGS_LOOKUP_OF_PERSONS) == 0 || strcmp(problem, PEGS_LOOKUP_IS_PRIVATE) == 0 || strcmp(problem, PEGS_LOOKUP_IS_ITSELF) == 0;
}

/* A declaration whose values somebody must fill in. */
static char *
remedy_for_values(const PegsColumn *column, const PegsSource *source)
{
	const char *table = quote_literal_cstr(source->name);
	const char *name = quote_literal_cstr(column->name);

	return pegs_type_has_bins(column->type)
		? psprintf("SELECT pegs_set_bins(%s, %s, ARRAY['...', '...']);", table, name)
		: psprintf("SELECT pegs_set_levels(%s, %s, ARRAY['...']);", table, name);
}

/*
 * Levels and bins are of a column and of the name that it had. Its name back:
 * from whom has it now, who then asks for its own. Where columns have each
 * other's names these statements, one after the other, give each its own.
 */
static char *
remedy_for_undeclared(const PegsColumn *column, const PegsSource *source)
{
	char	   *anew = remedy_for_values(column, source);
	Oid			where;
	char	   *was = pegs_name_when_declared(source, column->name, &where);
	AttrNumber	other = was ? get_attnum(source->relid, was) : InvalidAttrNumber;

	if (was == NULL)
		return anew;
	if (where != source->relid)
		return psprintf("SELECT * FROM pegs_domain(%s); or declare it here: %s", pegs_relation_literal(where), anew);
	return psprintf("%sALTER TABLE %s RENAME COLUMN %s TO %s; gives it the name under which it was declared. Or declare it anew: %s",
					other == InvalidAttrNumber ? "" : psprintf("ALTER TABLE %s RENAME COLUMN %s TO \"column %d\"; ", source->name, quote_identifier(was), other),
					source->name, quote_identifier(column->name), quote_identifier(was), anew);
}

/* The same where the catalog says which values it has. A view's table says more of its own columns. */
static char *
remedy_for_renamed(const PegsColumn *column, const PegsSource *source, const char *was, Oid where)
{
	AttrNumber	other = where == source->relid ? get_attnum(where, was) : InvalidAttrNumber;

	if (where != source->relid)
		return psprintf("SELECT * FROM pegs_domain(%s);", pegs_relation_literal(where));
	return psprintf("%sSELECT pegs_unset(%s, %s); forgets it.",
					other != InvalidAttrNumber ? "" : psprintf("ALTER TABLE %s RENAME COLUMN %s TO %s; gives it that name again. Or ", source->name,
															   quote_identifier(column->name), quote_identifier(was)),
					quote_literal_cstr(source->name), quote_literal_cstr(was));
}

/* Of a column that is computed, and cannot be: what is declared goes where it is declared. A view that has not all columns has levels of its own. */
static char *
remedy_for_computed(const PegsColumn *column, const PegsSource *source)
{
	char	   *there;
	Oid			where = pegs_declared_where(source->relid, column->name, &there);
	const char *table = pegs_relation_literal(where);
	const char *name = quote_literal_cstr(there);

	if (!pegs_is_expression_type(column->type))
		return psprintf("SELECT pegs_unset(%s, %s); it is then modelled by levels of its own.", table, name);
	if (strstr(column->problem, PEGS_THAT_EVERY_SERVER_HAS))
		return psprintf("SELECT pegs_unset(%s, %s); and declare what values it has, or declare it again of a view that makes a text of that column.", table, name);
	if (where != source->relid && strstr(column->problem, PEGS_WHICH_IS_NOT_HERE))
		return remedy_for_values(column, source);
	return psprintf("SELECT pegs_unset(%s, %s); and declare it again.", table, name);
}

static char *
remedy_for_groups(const PegsColumn *column, const PegsSource *source)
{
	char	   *there;
	Oid			where = pegs_declared_where(source->relid, column->name, &there);

	return psprintf("SELECT pegs_set_groups(%s, %s, NULL); and declare them again.", pegs_relation_literal(where), quote_literal_cstr(there));
}

/* Of a column that refers to a table that others of it refer to, too. */
static char *
which_key(const PegsColumn *column, const PegsSource *source)
{
	AttrNumber	attnum = source->relid == source->account ? get_attnum(source->account, column->name) : InvalidAttrNumber;
	ListCell   *cell;

	foreach(cell, pegs_foreign_keys(source->account))
	{
		const PegsForeignKey *key = lfirst(cell);

		for (int i = 0; key->refers_to == column->reference->relid && i < key->n; i++)
			if (key->attnum[i] == attnum)
				return pegs_which_key(source->account, key);
	}
	return pstrdup("");
}

void
pegs_describe_problem(PegsColumn *column, const PegsSource *source, Oid declared_type)
{
	const char *table = quote_literal_cstr(source->name);
	const char *name = quote_literal_cstr(column->name);
	const char *was;
	Oid			root = pegs_payer(source->account);
	char	   *groups;
	Oid			where;

	if (column->problem && (strncmp(column->problem, "it is computed", 14) == 0 || strncmp(column->problem, "it is a function", 16) == 0
							|| strncmp(column->problem, "its function", 12) == 0))
		column->remedy = remedy_for_computed(column, source);
	else if (column->problem && column->remedy)
		return;					/* whoever found the problem knows */
	else if (column->problem && is_private(column->problem))
		column->remedy = pegs_without_private(table, name, "");
	else if (column->problem)
		column->remedy = psprintf("SELECT pegs_set_levels(%s, %s, ARRAY['...']);", table, name);
	else if (column->left_out && column->origin == NULL)
	{
		column->problem = psprintf("it is %s", column->left_out);
		if (column->reference && pegs_topmost(column->reference->relid) == source->account)
			column->remedy = pstrdup(PEGS_LEAVE_IT_OUT "it refers to rows of its own table, and a row of a model hangs on no other.");
		else if (column->reference && pegs_type_supported(column->type) && !pegs_is_about_persons(column->reference->relid, root))
			column->remedy = psprintf("SELECT pegs_set_lookup(%s, %s, %s, %s);", table, name,
									  pegs_relation_literal(column->reference->relid), quote_literal_cstr(column->reference->column));
		else if (column->reference && !pegs_is_bound(source->account) && pegs_may_be_bound(source->account) && !pegs_leads_to(column->reference->relid, source->account) && (pegs_type_supported(column->type) || !pegs_has_account(source->account, source->account)))
			column->remedy = psprintf("SELECT pegs_set_parent(%s, %s%s);  %s", table, pegs_relation_literal(column->reference->relid), which_key(column, source),
									  pegs_comment("says whose rows they are; the column is left out"));
		else if (column->reference && pegs_type_supported(column->type) && !pegs_is_private_table(pegs_topmost(column->reference->relid), root))
			column->remedy = pegs_without_private(table, name, "rows of that table are about persons; ");
		else if (column->reference && !pegs_type_supported(column->type))
			column->remedy = psprintf(PEGS_LEAVE_IT_OUT "keys of type %s are no levels, so no model has them.", format_type_be(column->type));
		else if (!column->reference && (column->declared_out && column->nlearnt > 0))
			column->remedy = remedy_for_values(column, source);
	}
	else if (!pegs_type_supported(column->type))
	{
		column->problem = psprintf("type %s is not supported", format_type_be(declared_type));
		column->remedy = remedy_for_type(column);
	}
	else if (column->origin == NULL)
	{
		column->problem = pstrdup("no declared domain");
		column->remedy = remedy_for_undeclared(column, source);
	}
	else if (declared_for_another_type(column))
	{
		column->problem = psprintf("its %s are not of type %s", column->origin, format_type_with_typemod(column->type, column->typmod));
		column->remedy = remedy_for_values(column, source);
	}
	else if (pegs_column_levels(column) < 1)
	{
		column->problem = pstrdup("no level");
		column->remedy = psprintf("SELECT pegs_set_levels(%s, %s, ARRAY['...']);", table, name);
	}
	else if (pegs_column_levels(column) > PEGS_MAX_LEVELS)
	{
		column->problem = psprintf("%d levels are more than %d", pegs_column_levels(column), PEGS_MAX_LEVELS);
		column->remedy = psprintf("SELECT pegs_set_bins(%s, %s, ARRAY['...', '...']); or fewer levels", table, name);
	}
	else if ((groups = pegs_groups_problem(column)) != NULL)
	{
		column->problem = groups;
		column->remedy = remedy_for_groups(column, source);
	}
	else if (!is_declared(column) && column->function == NULL && (was = pegs_name_when_declared(source, column->name, &where)) != NULL)
	{
		column->problem = psprintf("what is declared of it is kept under the name that it had: \"%s\"", was);
		column->remedy = remedy_for_renamed(column, source, was, where);
	}
	else if (column->derived && column->origin && is_declared(column))
		column->remedy = psprintf("SELECT pegs_unset(%s, %s);", table, name);	/* not needed where it can be computed */
}
