/*
 * prior_types.c
 *	  Of which types the columns of a prior may be: what is cast is never rounded.
 *
 * Types are public: nothing of a row is looked at, nor said.
 */
#include "models/models.h"

#include "catalog/pg_type.h"
#include "parser/parse_coerce.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

/* PostgreSQL takes a number with decimals for a float by itself, and rounds it. */
static bool
is_kept(Oid from, Oid to)
{
	Oid			function;

	if (from == to)
		return true;
	if (to == FLOAT4OID || (to == FLOAT8OID && from != FLOAT4OID && from != INT2OID && from != INT4OID))
		return false;
	return find_coercion_pathway(to, from, COERCION_IMPLICIT, &function) != COERCION_PATH_NONE;
}

void
pegs_require_prior_types(Oid relid, const char *table, const PegsDomain *domain)
{
	for (int c = 0; c < domain->ncols; c++)
	{
		const PegsColumn *column = &domain->column[c];
		AttrNumber	attnum = get_attnum(relid, column->name);
		Oid			type = attnum == InvalidAttrNumber ? column->type : get_atttype(relid, attnum);	/* that it is not there is said when it is read */
		const char *name = quote_identifier(column->name);
		const char *wanted = format_type_be_qualified(column->type);

		if (!is_kept(getBaseType(type), getBaseType(column->type)))
			ereport(ERROR,
					(errcode(ERRCODE_DATATYPE_MISMATCH),
					 errmsg("column \"%s\" of %s is of type %s, and that of the source of type %s", column->name, table, format_type_be(type), format_type_be(column->type)),
					 errdetail("Values of another type could be rounded, or none of it."),
					 errhint("Make a prior of that type: CREATE TABLE my_prior AS SELECT %s::%s AS %s FROM %s; and likewise its other columns.", name, wanted, name, table)));
	}
}
