/*
 * derived.c
 *	  Columns that are declared to be computed from others of their row.
 */
#include "facts/facts.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

/* ---- declaring ---- */

/* Is there a combination with it that no row may have? By the number of the base table's column, where that is known. */
bool
pegs_is_in_zeros(const PegsSource *source, const char *column)
{
	PegsAs		saved;
	AttrNumber	at;
	NameData	name;
	PegsArg		args[3] = {{REGCLASSOID, ObjectIdGetDatum(source->account), false}, {NAMEOID, 0, false}};
	bool		found;

	if (!pegs_base_column(source, get_attnum(source->relid, column), &at))
		return false;
	namestrcpy(&name, get_attname(source->account, at, false));
	args[1].value = NameGetDatum(&name);
	args[2] = (PegsArg) {INT2OID, Int16GetDatum(at), false};
	pegs_begin_as_extension(&saved);
	pegs_spi_now(pegs_keeps("forbidden", "attnums")
				 ? "SELECT FROM pegs_internal.forbidden WHERE source = $1"
				 " AND CASE WHEN relation = source::pg_catalog.oid THEN $3 = ANY (attnums) ELSE combination ? $2::text END LIMIT 1"
				 : "SELECT FROM pegs_internal.forbidden WHERE source = $1 AND combination ? $2::text LIMIT 1", SPI_OK_SELECT, 3, args);
	found = SPI_processed > 0;
	pegs_end_as(&saved);
	return found;
}

void
pegs_require_computable(const PegsSource *source, const PegsColumn *column, bool again)
{
	if (get_typtype(get_atttype(source->relid, get_attnum(source->relid, column->name))) == TYPTYPE_DOMAIN)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("column \"%s\" of a domain type cannot be derived", column->name),
				 errdetail("Its constraint could refuse what is computed, when it is too late."),
				 errhint("Leave it out and compute it in the published view: SELECT pegs_leave_out(%s, %s);",
						 quote_literal_cstr(source->name), quote_literal_cstr(column->name))));
	if (!again && pegs_is_in_zeros(source, column->name))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("column \"%s\" is in a forbidden combination, and cannot be derived", column->name),
				 errdetail("What is forbidden is kept out of what is modelled."),
				 errhint("Forbid combinations of the columns that it is computed from; SELECT pegs_forbid(%s, NULL); forgets what was declared.",
						 quote_literal_cstr(source->name))));
}

/* As pegs_set_derived keeps it, or an error. */
char *
pegs_checked_expression(const PegsSource *source, const PegsColumn *column, const char *text, bool again)
{
	PegsDerived derived = {.name = column->name, .type = column->type, .typmod = column->typmod, .function = column->function};
	char	   *expression;

	pegs_require_computable(source, column, again);
	expression = pegs_canonical_expression(source->relid, &derived, text);
	if (pegs_has_name(pegs_expression_columns(column->name, expression), column->name))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the expression of column \"%s\" names the column itself", column->name),
				 errhint("Name the columns that it is computed from.")));
	return expression;
}

/* ---- what was declared, for a column of the source ---- */

/* As pegs_require_computable refuses it; NULL: its type is none. */
char *
pegs_domain_type_problem(const PegsColumn *column, Oid relid)
{
	Oid			type = get_atttype(relid, get_attnum(relid, column->name));

	return get_typtype(type) == TYPTYPE_DOMAIN ? psprintf("it is computed, and of the domain type %s", format_type_be(type)) : NULL;
}

/* Types may have been altered since; NULL: it can be computed. */
static char *
problem_of(const PegsColumn *column, Oid relid)
{
	char	   *problem = pegs_domain_type_problem(column, relid);
	ListCell   *cell;

	if (problem)
		return problem;
	if (!pegs_is_expression_type(column->type))
		return psprintf("it is computed, and its type %s is not one " PEGS_THAT_EVERY_SERVER_HAS, format_type_be(column->type));
	foreach(cell, pegs_expression_columns(column->name, column->derived))
	{
		AttrNumber	attnum = get_attnum(relid, lfirst(cell));
		Oid			type = attnum > 0 ? getBaseType(get_atttype(relid, attnum)) : InvalidOid;

		if (attnum < 1)
			return psprintf("it is computed from column \"%s\", which does not exist", (char *) lfirst(cell));
		if (!pegs_is_expression_type(type))
			return psprintf("it is computed from column \"%s\", whose type %s is not one " PEGS_THAT_EVERY_SERVER_HAS, (char *) lfirst(cell), format_type_be(type));
	}
	return NULL;
}

/* It was declared when its columns were there. */
void
pegs_look_at_derived(PegsColumn *column, Oid relid)
{
	if (column->derived == NULL)
		return;
	column->problem = problem_of(column, relid);
	if (column->problem)
	{
		column->derived = NULL;
		return;
	}
	column->left_out = pstrdup("computed from other columns");
}
