/*
 * prior_types.c
 *	  Of which types the columns of a prior may be: what is cast is never rounded.
 *
 * Types are public: nothing of a row is looked at, nor said.
 */
#include "models/models.h"

#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
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

/* A statement that makes a prior with all columns of the model, of their types, and the weight. */
static char *
prior_command(const char *table, const char *weight, const PegsDomain *domain)
{
	StringInfoData command;
	const char *whose = NULL;

	initStringInfo(&command);
	appendStringInfoString(&command, "CREATE TABLE my_prior AS SELECT ");
	for (int c = 0; c < domain->ncols; c++)
	{
		const PegsColumn *column = &domain->column[c];
		const char *name = quote_identifier(column->name);

		appendStringInfo(&command, "%s%s::%s AS %s", c > 0 ? ", " : "", name,
						 pegs_type_words(column->type, column->typmod), name);
		whose = whose ? whose : pegs_owned_by_others(column->type);
	}
	if (weight)
		appendStringInfo(&command, ", %s", quote_identifier(weight));
	appendStringInfo(&command, " FROM %s;", table);
	/* who owns a type makes its casts (law L9) */
	return whose ? pegs_comment("it may run code of %s, as whoever runs it: %s", whose, command.data) : command.data;
}

void
pegs_require_prior_types(Oid relid, const char *table, const char *weight, const PegsDomain *domain)
{
	for (int c = 0; c < domain->ncols; c++)
	{
		const PegsColumn *column = &domain->column[c];
		AttrNumber	attnum = get_attnum(relid, column->name);
		Oid			type = attnum == InvalidAttrNumber ? column->type : get_atttype(relid, attnum);	/* that it is not there is said when it is read */

		if (!is_kept(getBaseType(type), getBaseType(column->type)))
			ereport(ERROR,
					(errcode(ERRCODE_DATATYPE_MISMATCH),
					 errmsg("column \"%s\" of %s is of type %s, and that of the source of type %s", column->name, table, format_type_be(type), format_type_be(column->type)),
					 errdetail("Values of another type could be rounded, or none of it."),
					 errhint("Make a prior of the types of the source: %s", prior_command(table, weight, domain))));
	}
}
