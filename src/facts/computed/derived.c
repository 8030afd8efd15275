/*
 * derived.c
 *	  Columns that are declared to be computed from others of their row.
 */
#include "facts/facts.h"

#include "access/table.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

bool
pegs_has_name(List *names, const char *name)
{
	ListCell   *cell;

	foreach(cell, names)
		if (strcmp(lfirst(cell), name) == 0)
			return true;
	return false;
}

/* ---- declaring ---- */

/* Is there a combination with it that no row may have? By the names of the base table. */
bool
pegs_is_in_zeros(const PegsSource *source, const char *column)
{
	PegsAs		saved;
	AttrNumber	at;
	NameData	name;
	PegsArg		args[2] = {{REGCLASSOID, ObjectIdGetDatum(source->account), false}, {NAMEOID, 0, false}};
	bool		found;

	if (!pegs_base_column(source, get_attnum(source->relid, column), &at))
		return false;
	namestrcpy(&name, get_attname(source->account, at, false));
	args[1].value = NameGetDatum(&name);
	pegs_begin_as_extension(&saved);
	pegs_spi_now("SELECT FROM pegs_internal.forbidden WHERE source = $1 AND combination ? $2::text LIMIT 1", SPI_OK_SELECT, 2, args);
	found = SPI_processed > 0;
	pegs_end_as(&saved);
	return found;
}

void
pegs_require_computable(const PegsSource *source, const PegsColumn *column)
{
	if (get_typtype(get_atttype(source->relid, get_attnum(source->relid, column->name))) == TYPTYPE_DOMAIN)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("column \"%s\" of a domain type cannot be derived", column->name),
				 errdetail("Its constraint could refuse what is computed, when it is too late."),
				 errhint("Leave it out and compute it in the published view: SELECT pegs_leave_out(%s, %s);",
						 quote_literal_cstr(source->name), quote_literal_cstr(column->name))));
	if (pegs_is_in_zeros(source, column->name))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("column \"%s\" is in a forbidden combination, and cannot be derived", column->name),
				 errdetail("What is forbidden is kept out of what is modelled."),
				 errhint("Forbid combinations of the columns that it is computed from; SELECT pegs_forbid(%s, NULL); forgets what was declared.",
						 quote_literal_cstr(source->name))));
}

/* As pegs_set_derived keeps it, or an error. */
char *
pegs_checked_expression(const PegsSource *source, const PegsColumn *column, const char *text)
{
	PegsDerived derived = {.name = column->name, .type = column->type, .typmod = column->typmod};
	char	   *expression;

	pegs_require_computable(source, column);
	expression = pegs_canonical_expression(source->relid, &derived, text);
	if (pegs_has_name(pegs_expression_columns(column->name, expression), column->name))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the expression of column \"%s\" names the column itself", column->name),
				 errhint("Name the columns that it is computed from.")));
	return expression;
}

/* ---- what was declared, for a column of the source ---- */

/* Of a declaration on what a view reads, an expression or an order: do its names mean the same columns here? */
void
pegs_derived_in_view(PegsColumn *column, Oid relid, Oid base)
{
	Relation	rel = table_open(relid, AccessShareLock);
	TupleDesc	desc = RelationGetDescr(rel);
	List	   *names = column->derived ? pegs_expression_columns(column->name, column->derived) : list_make1(column->earlier);

	for (int i = 0; i < desc->natts && column->problem == NULL && rel->rd_rel->relkind != RELKIND_RELATION; i++)
	{
		Form_pg_attribute att = TupleDescAttr(desc, i);
		Oid			below;
		AttrNumber	attnum;

		if (att->attisdropped || !pegs_has_name(names, NameStr(att->attname)))
			continue;
		if (!pegs_source_column(relid, att->attnum, &below, &attnum) || below != base
			|| strcmp(get_attname(base, attnum, false), NameStr(att->attname)) != 0)
		{
			if (column->earlier)
			{
				column->nedges = 0;	/* of the difference */
				column->origin = NULL;
			}
			column->derived = column->earlier = NULL;
			column->problem = psprintf("it is computed from columns of \"%s\" that are called otherwise here", get_rel_name(base));
		}
	}
	table_close(rel, NoLock);
}

/* It was declared when its columns were there. */
void
pegs_look_at_derived(PegsColumn *column, Oid relid)
{
	ListCell   *cell;

	if (column->derived == NULL)
		return;
	foreach(cell, pegs_expression_columns(column->name, column->derived))
		if (get_attnum(relid, lfirst(cell)) < 1)
		{
			column->problem = psprintf("it is computed from column \"%s\", which does not exist", (char *) lfirst(cell));
			column->derived = NULL;
			return;
		}
	column->left_out = pstrdup("computed from other columns");
}
