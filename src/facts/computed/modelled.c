/*
 * modelled.c
 *	  The columns of a model: those that it draws, and those that are computed from them.
 *
 * A model leaves out what is computed, declared so or generated, and keeps its
 * expression: it is computed again in each row that is drawn. What follows from
 * the others costs no noise, and is never at odds with them. So it does with the
 * hidden columns of a column (split.c), which come and go with that.
 */
#include "facts/facts.h"

#include "utils/builtins.h"

/* Which columns a model that names these (NIL: none) would draw, if those that are computed are left out. */
static bool
is_drawn(const PegsColumn *column, const bool *computed, const PegsDomain *all, List *names)
{
	if (computed[column - all->column])
		return false;
	if (column->part)
		return computed[pegs_domain_find(all, column->part->column)];
	return names != NIL ? pegs_has_name(names, column->name) : column->left_out == NULL || column->origin != NULL;
}

/* The first column that the expression needs and the model does not draw; or NULL. */
static const char *
first_missing(const PegsColumn *column, const bool *computed, const PegsDomain *all, List *names)
{
	ListCell   *cell;

	foreach(cell, pegs_expression_columns(column->name, column->derived))
	{
		int			i = pegs_domain_find(all, lfirst(cell));

		if (i < 0 || !is_drawn(&all->column[i], computed, all, names))
			return i >= 0 && all->column[i].part ? all->column[i].part->column : lfirst(cell);
	}
	return NULL;
}

/* No model has a column that is computed from one that is computed itself, in a chain or a circle: that one, or NULL. */
char *
pegs_computed_itself(const PegsColumn *column, const PegsDomain *all)
{
	ListCell   *cell;

	if (column->derived == NULL || column->origin)
		return NULL;
	foreach(cell, pegs_expression_columns(column->name, column->derived))
	{
		int			i = pegs_domain_find(all, lfirst(cell));

		if (i >= 0 && all->column[i].derived && all->column[i].origin == NULL)
			return lfirst(cell);
	}
	return NULL;
}

char *
pegs_remedy_for_chain(const PegsColumn *column, const char *of, const PegsDomain *all, const PegsSource *source)
{
	char	   *there;
	const char *table = pegs_relation_literal(pegs_declared_where(source->relid, column->name, &there));
	const char *name = quote_literal_cstr(there);

	if (pegs_has_name(pegs_expression_columns(of, all->column[pegs_domain_find(all, of)].derived), column->name))
		return psprintf("SELECT pegs_unset(%s, %s); and declare what values it has: \"%s\" is computed from it.", table, name, of);
	return psprintf("SELECT pegs_set_derived(%s, %s, '...'); with what column \"%s\" is computed from in the place of that.", table, name, of);
}

/* Its own levels stand in for it, in rows that the function does not hold for: somebody may think that it does. */
static void
say_modelled(const PegsColumn *column, const char *missing, const bool *computed, const PegsDomain *all, const PegsSource *source)
{
	int			of = pegs_domain_find(all, missing);

	if (column->function && of >= 0 && computed[of])
		ereport(NOTICE,
				(errmsg("column \"%s\" is a function of column \"%s\", which is computed itself: it is modelled, and may be otherwise in rows", column->name, missing),
				 errhint("Declare it of a column that is drawn: SELECT * FROM pegs_domain(%s);", quote_literal_cstr(source->name))));
}

/* The same of one that the model would compute, but for a combination that names it. */
static void
say_forbidden(const PegsColumn *column, const bool *computed, const PegsDomain *all, const PegsSource *source, List *names)
{
	const char *name = column->function ? linitial(pegs_expression_columns(column->name, column->derived)) : NULL;
	int			of = name ? pegs_domain_find(all, name) : -1;

	if (of >= 0 && (computed[of] || is_drawn(&all->column[of], computed, all, names)))
		ereport(NOTICE,
				(errmsg("column \"%s\" is a function of column \"%s\", and in a forbidden combination: it is modelled, and may be otherwise in rows", column->name, name),
				 errhint("Forbid values of column \"%s\" in place of its own; SELECT pegs_forbid(%s, NULL); forgets what was declared.", name,
						 quote_literal_cstr(source->name))));
}

/* Which columns are computed: wanted, and from columns that are drawn. One with levels of its own is drawn where that cannot be. */
static bool *
computed_columns(const PegsDomain *all, const PegsSource *source, List *names)
{
	bool	   *computed = palloc0(sizeof(bool) * (all->ncols + 1));
	bool	   *forbidden = palloc0(sizeof(bool) * (all->ncols + 1));
	bool	   *keep = palloc0(sizeof(bool) * (all->ncols + 1));

	for (int i = 0; i < all->ncols; i++)
	{
		bool		wanted = all->column[i].derived && (names == NIL || pegs_has_name(names, all->column[i].name));

		forbidden[i] = wanted && all->column[i].origin && pegs_is_in_zeros(source, all->column[i].name);
		computed[i] = wanted && !forbidden[i];
	}
	for (int i = 0; i < all->ncols; i++)
	{
		const PegsColumn *column = &all->column[i];
		const char *missing = computed[i] ? first_missing(column, computed, all, names) : NULL;
		int			of = missing ? pegs_domain_find(all, missing) : -1;
		bool		itself = of >= 0 && computed[of];

		keep[i] = computed[i] && missing == NULL;
		if (forbidden[i])
			say_forbidden(column, computed, all, source, names);
		if (missing)
			say_modelled(column, missing, computed, all, source);
		if (missing == NULL || column->origin)
			continue;
		if (names != NIL)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("column \"%s\" is computed from column \"%s\", which %s", column->name, missing, itself ? "is computed itself" : "the model does not draw"),
					 itself ? errhint("%s", pegs_remedy_for_chain(column, missing, all, source)) : source->chosen_by ? errhint("SELECT * FROM pegs_domain(%s);", quote_literal_cstr(source->name))
					 : errhint("Name that column, too, or leave both out: columns => ARRAY[%s, ...].", quote_literal_cstr(missing))));
		ereport(NOTICE,
				(errmsg("column \"%s\" is computed from column \"%s\", which %s, and is left out", column->name, missing, itself ? "is computed itself" : "the model does not draw"),
				 itself ? errhint("%s", pegs_remedy_for_chain(column, missing, all, source)) : errhint("SELECT * FROM pegs_domain(%s);", quote_literal_cstr(source->name))));
	}
	return keep;
}

/* Hidden columns of a column of the table are drawn with it, and named by its name. */
static List *
with_hidden(List *drawn, char *name, const bool *computed, const PegsDomain *all)
{
	int			i = pegs_domain_find(all, name);

	if (i >= 0 && all->column[i].part)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("column \"%s\" is hidden: a model has it with column \"%s\"", name, all->column[i].part->column),
				 errhint("Name that one: columns => ARRAY[%s, ...]", quote_literal_cstr(all->column[i].part->column))));
	if (i < 0 || !computed[i])
		return lappend(drawn, name);
	for (int h = 0; h < all->ncols; h++)
		if (all->column[h].part && strcmp(all->column[h].part->column, name) == 0)
			drawn = lappend(drawn, all->column[h].name);
	return drawn;
}

/* How many columns of the domain have this name, or are hidden ones of it? */
static int
drawn_of(const PegsDomain *drawn, const char *name)
{
	int			n = 0;

	for (int i = 0; i < drawn->ncols; i++)
		n += strcmp(drawn->column[i].part ? drawn->column[i].part->column : drawn->column[i].name, name) == 0;
	return n;
}

/* How many of the drawn columns stand before it, so that rows have the order of the table, or that of the names. */
static int
place_of(const PegsColumn *column, const PegsDomain *drawn, const PegsDomain *all, List *names)
{
	int			place = 0;
	ListCell   *cell;

	foreach(cell, names)
	{
		if (strcmp(lfirst(cell), column->name) == 0)
			return place;
		place += drawn_of(drawn, lfirst(cell));
	}
	for (const PegsColumn *before = all->column; before < column; before++)
		place += pegs_domain_find(drawn, before->name) >= 0;
	return place;
}

/* Before those that stand behind it. */
static void
add_derived(PegsDomain *domain, const PegsDerived *derived)
{
	int			at = domain->nderived++;

	for (; at > 0 && domain->derived[at - 1].place > derived->place; at--)
		domain->derived[at] = domain->derived[at - 1];
	domain->derived[at] = *derived;
}

/* Of what the model may draw; a hidden one, if what it is a part of is computed. */
static bool
is_left(const PegsColumn *column, const bool *computed, const PegsDomain *all, List *names)
{
	if (column->part)
		return computed[pegs_domain_find(all, column->part->column)];
	return !computed[column - all->column] && !(names == NIL && column->derived && column->origin == NULL);
}

/* The columns of a model, drawn and computed. */
PegsDomain *
pegs_domain_model(const PegsDomain *all, const PegsSource *source, List *names)
{
	bool	   *computed = computed_columns(all, source, names);
	PegsDomain	rest = *all;
	List	   *drawn = NIL;
	ListCell   *cell;
	PegsDomain *domain;

	rest.ncols = 0;
	rest.column = palloc(sizeof(PegsColumn) * (all->ncols + 1));
	for (int i = 0; i < all->ncols; i++)
		if (is_left(&all->column[i], computed, all, names))
			rest.column[rest.ncols++] = all->column[i];
	foreach(cell, names)
		drawn = with_hidden(drawn, lfirst(cell), computed, all);
	domain = pegs_domain_choose(&rest, source, drawn);
	domain->derived = palloc(sizeof(PegsDerived) * (all->ncols + 1));
	for (int i = 0; i < all->ncols; i++)
		if (computed[i])
		{
			const PegsColumn *column = &all->column[i];
			PegsDerived derived = {column->name, column->type, column->typmod, place_of(column, domain, all, names), column->derived, column->function};

			add_derived(domain, &derived);
			(void) pegs_expression(&derived, domain);	/* what cannot be computed is an error now */
		}
	return domain;
}
