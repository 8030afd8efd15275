/*
 * list.c
 *	  Slices by a list of values of a column: their edges are places in the list.
 *
 * The list is public, and fixed when it is paid for: no row adds to it. Its
 * values are pairwise different by the type's equality, since a canonical text
 * is one value where no collation takes different texts for the same. So a row
 * is in one slice, or in none: NULL, or a value that is not in the list. Of an
 * enum the numbers of its values are kept, too: a label may become another
 * value's, and then nothing is fitted. Claim P21.
 */
#include "slices/slices.h"
#include "codes/codes.h"
#include "source/source.h"

#include "access/htup_details.h"
#include "catalog/pg_enum.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

static bool
is_enum(const PegsGrid *grid)
{
	return get_typtype(grid->type) == TYPTYPE_ENUM;
}

/* Of an enum a value is kept as its number and its label. */
static const char *
label_of(const char *kept)
{
	return strchr(kept, ' ') + 1;
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
		grid->values[i] = pegs_canonical_told(&column, grid->values[i], "slices");
	}
	pegs_refuse_twice(&column, grid->values, grid->nvalues, "slice");
	(void) pegs_values(grid->type, grid->typmod, grid->values, grid->nvalues);	/* what does not read back is an error now */
	for (int i = 0; is_enum(grid) && i < grid->nvalues; i++)
		grid->values[i] = psprintf("%u %s", DatumGetObjectId(pegs_from_canonical(grid->type, grid->typmod, grid->values[i])), grid->values[i]);
}

/* The HINT gives it back, and takes it from whom has it now. */
static void
refuse_label(const PegsGrid *grid, const char *was, const char *now)
{
	char	   *type = format_type_be(grid->type);
	HeapTuple	other = SearchSysCache2(ENUMTYPOIDNAME, ObjectIdGetDatum(grid->type), CStringGetDatum(was));
	char	   *first = "";

	if (HeapTupleIsValid(other))
	{
		first = psprintf("ALTER TYPE %s RENAME VALUE %s TO '%u'; ", type, quote_literal_cstr(was), ((Form_pg_enum) GETSTRUCT(other))->oid);
		ReleaseSysCache(other);
	}
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("value \"%s\" of type %s is called \"%s\" now", was, type, now),
			 errdetail("Slices are of the values that had these names when the slices were set. Nothing was used up."),
			 errhint("%sALTER TYPE %s RENAME VALUE %s TO %s;", first, type, quote_literal_cstr(now), quote_literal_cstr(was))));
}

/* A dump that was restored has new numbers, and who was called what before is not known any more. */
static void
refuse_enum(const PegsGrid *grid)
{
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("type %s was made anew since the slices were set", format_type_be(grid->type)),
			 errdetail("Its values may have had other names before. Nothing was used up."),
			 errhint("Set the slices anew, for another charge: pegs_unset_slices, then pegs_set_slices.")));
}

/* Is each value called what it was called? Until this transaction ends: who renames a label, waits. */
static void
hold_labels(const PegsGrid *grid)
{
	LockDatabaseObject(TypeRelationId, grid->type, 0, RowShareLock);
	for (int i = 0; i < grid->nvalues; i++)
	{
		HeapTuple	tuple = SearchSysCache1(ENUMOID, ObjectIdGetDatum(atooid(grid->values[i])));
		NameData	now;

		CHECK_FOR_INTERRUPTS();
		if (!HeapTupleIsValid(tuple) || ((Form_pg_enum) GETSTRUCT(tuple))->enumtypid != grid->type)
			refuse_enum(grid);
		now = ((Form_pg_enum) GETSTRUCT(tuple))->enumlabel;
		ReleaseSysCache(tuple);
		if (strcmp(NameStr(now), label_of(grid->values[i])) != 0)
			refuse_label(grid, label_of(grid->values[i]), NameStr(now));
	}
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
						 quote_identifier(grid->column), pegs_type_words(type, typmod))));
	if (!is_enum(grid))
		return;
	/* such a column is compared with no literal */
	if (type != grid->type)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("slices cannot be of column \"%s\": it is of type %s, a domain over an enum", grid->column, format_type_be(type)),
				 errdetail("Nothing was charged or used up."),
				 errhint("ALTER TABLE %s ALTER COLUMN %s TYPE %s;", source->name, quote_identifier(grid->column), pegs_type_words(grid->type, -1))));
	hold_labels(grid);
}

/* ---- one of them ---- */

char *
pegs_list_value(const PegsGrid *grid, int64 place)
{
	const char *kept = grid->values[place];

	return pstrdup(is_enum(grid) ? label_of(kept) : kept);
}

/*
 * By literals that become the column's type, so that partitions are pruned when
 * it is planned. Several as one array: what the planner does with each of n
 * conditions and all others takes minutes where n is 10,000.
 */
char *
pegs_list_range(const PegsGrid *grid, int64 first, int64 end)
{
	const char *name = quote_identifier(grid->column);
	Datum	   *items;

	if (end == first + 1)
		return psprintf("%s OPERATOR(pg_catalog.=) %s", name, quote_literal_cstr(pegs_list_value(grid, first)));
	items = palloc(sizeof(Datum) * (end - first));
	for (int64 i = first; i < end; i++)
		items[i - first] = CStringGetTextDatum(pegs_list_value(grid, i));
	return psprintf("%s OPERATOR(pg_catalog.=) ANY (%s)", name,
					quote_literal_cstr(OidOutputFunctionCall(F_ARRAY_OUT, PointerGetDatum(construct_array(items, end - first, TEXTOID, -1, false, TYPALIGN_INT)))));
}
