/*
 * filler.c
 *	  A plain value where a row type's table is NOT NULL and the model has no column.
 *
 * What it is: facts/plain.c. A NOTICE says which columns these are. Laws L1, L10.
 */
#include "rows/rows.h"

#include "access/relation.h"
#include "catalog/pg_class.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

/* The columns of a named row type that its table wants, and the model has not. */
void
pegs_fill(TupleDesc desc, const int *column, const bool *number, Datum *values, bool *nulls)
{
	Oid			relid = get_typ_typrelid(desc->tdtypeid);
	Relation	rel = OidIsValid(relid) ? try_relation_open(relid, AccessShareLock) : NULL;
	StringInfoData names;

	if (rel == NULL)
		return;
	initStringInfo(&names);
	for (int i = 0; i < Min(desc->natts, RelationGetDescr(rel)->natts); i++)
	{
		Form_pg_attribute att = TupleDescAttr(RelationGetDescr(rel), i);

		if (column[i] >= 0 || number[i] || att->attisdropped || att->attgenerated != '\0' || !pegs_is_not_null(att)
			|| att->atttypid != TupleDescAttr(desc, i)->atttypid)
			continue;
		values[i] = pegs_plain_value(rel, att);
		nulls[i] = false;
		appendStringInfo(&names, "%s\"%s\"", names.len ? ", " : "", NameStr(att->attname));
	}
	if (names.len)
		ereport(NOTICE,
				(errmsg("columns of table \"%s\" that are not in the model are filled: %s", RelationGetRelationName(rel), names.data),
				 errdetail("They are NOT NULL: every row has the same plain value, which says nothing.")));
	relation_close(rel, AccessShareLock);
}
