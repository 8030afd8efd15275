/*
 * order.c
 *	  Two columns in order: may the one be after the other.
 *
 * The later one is modelled by how much it is after the earlier, and computed
 * from that (split.c), so that no row has it before.
 */
#include "facts/facts.h"
#include "codes/codes.h"

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

/* Does `column` come, by what is declared, before `name`, through any number of others? */
static bool
is_before(const PegsSource *source, const char *column, char *name)
{
	for (int i = 0; i < MaxTupleAttributeNumber; i++)
	{
		AttrNumber	attnum = get_attnum(source->relid, name);
		PegsColumn	declared = {.name = name, .other = -1};

		if (strcmp(name, column) == 0)
			return true;
		if (attnum < 1 || !pegs_load_declared(source->relid, attnum, &declared, source) || declared.earlier == NULL)
			return false;
		name = declared.earlier;
	}
	return true;
}

/* Their difference, without bins; or an error. */
PegsColumn
pegs_difference_of(const PegsSource *source, const PegsColumn *column, const char *name)
{
	PegsColumn	earlier;
	PegsColumn	difference = {.name = column->name, .other = -1};
	const char *unit = pegs_unit_column(source);

	pegs_find_column(source, name, false, &earlier);
	difference.type = pegs_difference_type(column->type, column->typmod, &difference.typmod);
	if (!OidIsValid(difference.type) || column->type != earlier.type || column->typmod != earlier.typmod)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("columns \"%s\" of type %s and \"%s\" of type %s have no order", earlier.name,
						format_type_with_typemod(earlier.type, earlier.typmod), column->name, format_type_with_typemod(column->type, column->typmod)),
				 errdetail("Both must be dates, timestamps, timestamps with time zone, or numbers of one type."),
				 errhint("Use a view that casts one of them.")));
	if (is_before(source, column->name, earlier.name))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("column \"%s\" cannot be after \"%s\", which is after it, or the column itself", column->name, earlier.name),
				 errhint("SELECT pegs_unset(%s, %s); forgets that one's order.", quote_literal_cstr(source->name), quote_literal_cstr(earlier.name))));
	if (unit && strcmp(unit, earlier.name) == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("column \"%s\" is the privacy unit, and nothing can be computed from it", earlier.name),
				 errdetail("No model has it."),
				 errhint("Declare bins of the other one: SELECT pegs_set_bins(%s, %s, ARRAY['...', '...']);", quote_literal_cstr(source->name),
						 quote_literal_cstr(column->name))));
	pegs_require_splittable(source, column);
	difference.earlier = earlier.name;
	return difference;
}

/* Of bins of their difference, which are checked, into the column. */
void
pegs_declare_order(const PegsSource *source, PegsColumn *column, const PegsDeclaration *declared)
{
	PegsColumn	difference = pegs_difference_of(source, column, declared->earlier);

	column->earlier = difference.earlier;
	pegs_declare_bins(&difference, declared);
	column->nedges = difference.nedges;
	column->edges = difference.edges;
	if (declared->drop || declared->nearest || declared->step || declared->npoints > 0 || declared->nparts > 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("bins of an order have no step, points, parts or undeclared"),
				 errdetail("A row where \"%s\" is before \"%s\", or later than the last bin, counts in the nearest bin.", column->name, column->earlier),
				 errhint("Leave these out.")));
	if (pegs_compare(difference.type, difference.typmod, column->edges[0], "0") != 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("bins of an order must begin with 0, not %s", pegs_clipped(column->edges[0])),
				 errhint("SELECT pegs_order(%s, %s, %s, longest => '...');", quote_literal_cstr(source->name),
						 quote_literal_cstr(column->earlier), quote_literal_cstr(column->name))));
	pegs_check_hidden(source, column);
}
