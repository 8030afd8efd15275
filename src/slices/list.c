/*
 * list.c
 *	  Slices by a list of values of a column: their edges are places in the list.
 *
 * The list is public, and fixed when it is paid for: no row adds to it. Its
 * values are pairwise different by the type's equality, since a canonical text
 * is one value where no collation takes different texts for the same. So a row
 * is in one slice, or in none: NULL, or a value that is not in the list. Of an
 * enum the numbers of its values are kept: a label may become another value's.
 * Claim P21.
 */
#include "slices/slices.h"
#include "codes/codes.h"
#include "source/source.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

static bool
is_enum(const PegsGrid *grid)
{
	return get_typtype(grid->type) == TYPTYPE_ENUM;
}

/* ---- which lists there may be ---- */

void
pegs_check_list(PegsGrid *grid)
{
	PegsColumn	column = {.name = grid->column, .type = grid->type, .typmod = grid->typmod};

	if (!pegs_type_supported(grid->type))
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("slices cannot be of column \"%s\": it is of type %s", grid->column, format_type_with_typemod(grid->type, grid->typmod)),
				 errhint("Name a column of text, numbers, dates, times, booleans or an enum.")));
	if (grid->nvalues < 1 || grid->nvalues >= PEGS_MAX_LEVELS)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("slices must hold between 1 and %d values, not %d", PEGS_MAX_LEVELS - 1, grid->nvalues),
				 errhint("For example: slices => ARRAY['north', 'south']")));
	for (int i = 0; i < grid->nvalues; i++)
	{
		CHECK_FOR_INTERRUPTS();
		grid->values[i] = pegs_canonical(grid->type, grid->typmod, grid->values[i]);
	}
	pegs_refuse_twice(&column, grid->values, grid->nvalues, "slice");
	(void) pegs_values(grid->type, grid->typmod, grid->values, grid->nvalues);	/* what does not read back is an error now */
	for (int i = 0; is_enum(grid) && i < grid->nvalues; i++)
		grid->values[i] = psprintf("%u", DatumGetObjectId(pegs_from_canonical(grid->type, grid->typmod, grid->values[i])));
}

/*
 * Now, and until this transaction ends: no two of its values are equal, and
 * each is what it is called. Of the column whose slices they are.
 */
void
pegs_hold_list(const PegsSource *source, const PegsGrid *grid)
{
	Oid			type;
	int32		typmod;
	Oid			collation;

	get_atttypetypmodcoll(source->relid, grid->attnum, &type, &typmod, &collation);
	if (OidIsValid(collation) && !get_collation_isdeterministic(collation))
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("slices cannot be of column \"%s\": its collation takes different texts for the same", grid->column),
				 errdetail("A row could be in two slices. Nothing was charged or used up."),
				 errhint("Name a column of another collation: ALTER TABLE %s ALTER COLUMN %s TYPE %s COLLATE \"C\";", source->name,
						 quote_identifier(grid->column), format_type_with_typemod(type, typmod))));
	if (is_enum(grid))
		LockDatabaseObject(TypeRelationId, grid->type, 0, RowShareLock);	/* who renames a label, waits */
}

/* ---- one of them ---- */

char *
pegs_list_value(const PegsGrid *grid, int64 place)
{
	const char *kept = grid->values[place];

	return is_enum(grid) ? pegs_output(grid->type, ObjectIdGetDatum(atooid(kept))) : pstrdup(kept);
}

/* By literals that are of the column's type, so that partitions are pruned when it is planned. */
char *
pegs_list_range(const PegsGrid *grid, int64 first, int64 end)
{
	StringInfoData out;

	initStringInfo(&out);
	for (int64 i = first; i < end; i++)
		appendStringInfo(&out, "%s%s OPERATOR(pg_catalog.=) %s", i > first ? " OR " : "", quote_identifier(grid->column),
						 quote_literal_cstr(pegs_list_value(grid, i)));
	return out.data;
}
