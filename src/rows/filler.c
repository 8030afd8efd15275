/*
 * filler.c
 *	  A plain value where a row type's table is NOT NULL and the model has no column.
 *
 * It is the same in every row and says nothing: the column's DEFAULT if that
 * is a constant, else the first value that a CHECK lists, the low end of a
 * range that one states, or the plain value of the type: 0, '', false, 1970.
 * All of it stands in the catalog, no row is read, and a NOTICE says which
 * columns these are. Laws L1, L10. No function of the table's owner runs, but
 * for the CHECK of a domain in the row type that the caller names, as in an INSERT.
 */
#include "rows/rows.h"
#include "codes/codes.h"

#include "access/htup_details.h"
#include "access/relation.h"
#include "access/table.h"
#include "catalog/indexing.h"
#include "catalog/pg_class.h"
#include "catalog/pg_enum.h"
#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

/* The column's DEFAULT, if it is a constant: what now() gives is no fact of the table. */
static bool
default_value(TupleDesc table, Form_pg_attribute att, Oid base, Datum *value)
{
	for (int i = 0; table->constr && i < table->constr->num_defval; i++)
	{
		Node	   *node;
		Const	   *constant;

		if (table->constr->defval[i].adnum != att->attnum)
			continue;
		node = stringToNode(table->constr->defval[i].adbin);
		while (IsA(node, CoerceToDomain))	/* checked below */
			node = (Node *) ((CoerceToDomain *) node)->arg;
		constant = pegs_constant_of(node);
		if (constant == NULL || constant->constisnull || getBaseType(constant->consttype) != base)
			return false;
		*value = datumCopy(constant->constvalue, constant->constbyval, constant->constlen);
		return true;
	}
	return false;
}

/* The first value that a CHECK lists, or the low end of its range. */
static bool
checked_value(Oid relid, Form_pg_attribute att, Oid base, int32 typmod, Datum *value)
{
	PegsColumn	column = {.name = NameStr(att->attname), .type = base, .typmod = typmod};
	List	   *levels;
	char	   *low;
	char	   *high;

	if (!pegs_type_supported(base))
		return false;
	levels = pegs_check_levels(relid, att->attnum);
	if (levels == NIL)
		levels = pegs_domain_check_levels(att->atttypid);
	if (levels != NIL)
		low = pegs_try_canonical(base, typmod, linitial(levels));
	else if (!pegs_type_has_bins(base) || !pegs_check_range(relid, att->attnum, att->atttypid, &column, &low, &high))
		return false;
	if (low == NULL)
		return false;
	*value = pegs_from_canonical(base, typmod, low);
	return true;
}

static char *
first_label(Oid type)
{
	Relation	enums = table_open(EnumRelationId, AccessShareLock);
	Relation	index = index_open(EnumTypIdSortOrderIndexId, AccessShareLock);
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple	tuple;
	char	   *label;

	ScanKeyInit(&key, Anum_pg_enum_enumtypid, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(type));
	scan = systable_beginscan_ordered(enums, index, NULL, 1, &key);
	tuple = systable_getnext_ordered(scan, ForwardScanDirection);
	label = HeapTupleIsValid(tuple) ? pstrdup(NameStr(((Form_pg_enum) GETSTRUCT(tuple))->enumlabel)) : NULL;
	systable_endscan_ordered(scan);
	index_close(index, AccessShareLock);
	table_close(enums, AccessShareLock);
	return label;
}

/* The plain value of a type, as its input function reads it; NULL: there is none. */
static const char *
plain_text(Oid type, int32 typmod)
{
	char		category;
	bool		preferred;

	switch (type)
	{
		case TIMEOID:
		case TIMETZOID:
			return "00:00";
		case JSONOID:
		case JSONBOID:
			return "{}";
		case BYTEAOID:
		case TSVECTOROID:
		case TSQUERYOID:
		case XMLOID:
		case VARBITOID:
			return "";
		case BITOID:
			return psprintf("%0*d", Max(typmod, 1), 0);
		case UUIDOID:
			return "00000000-0000-0000-0000-000000000000";
		case CIDROID:
			return "0.0.0.0/0";
		case MACADDROID:
			return "00:00:00:00:00:00";
		case MACADDR8OID:
			return "00:00:00:00:00:00:00:00";
		case PG_LSNOID:
			return "0/0";
		case POINTOID:
			return "(0,0)";
	}
	if (get_typtype(type) == TYPTYPE_ENUM)
		return first_label(type);
	if (get_typtype(type) == TYPTYPE_RANGE)
		return "empty";
	if (get_typtype(type) == TYPTYPE_MULTIRANGE)
		return "{}";
	get_type_category_preferred(type, &category, &preferred);
	switch (category)
	{
		case TYPCATEGORY_NUMERIC:
		case TYPCATEGORY_TIMESPAN:
			return "0";
		case TYPCATEGORY_STRING:
			return "";
		case TYPCATEGORY_BOOLEAN:
			return "false";
		case TYPCATEGORY_DATETIME:
			return "epoch";
		case TYPCATEGORY_NETWORK:
			return "0.0.0.0";
		case TYPCATEGORY_ARRAY:
			return "{}";
		default:
			return NULL;
	}
}

static Datum
filler(Relation rel, Form_pg_attribute att)
{
	int32		typmod = att->atttypmod;
	Oid			base = getBaseTypeAndTypmod(att->atttypid, &typmod);
	const char *text;
	Oid			input;
	Oid			param;
	void	   *extra = NULL;
	Datum		value;

	if (!default_value(RelationGetDescr(rel), att, base, &value)
		&& !checked_value(RelationGetRelid(rel), att, base, typmod, &value))
	{
		text = plain_text(base, typmod);
		if (text == NULL)
			ereport(ERROR,
					(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					 errmsg("column \"%s\" of table \"%s\" is NOT NULL, and no value of type %s is a plain one", NameStr(att->attname),
							RelationGetRelationName(rel), format_type_with_typemod(att->atttypid, att->atttypmod)),
					 errhint("CREATE TABLE synthetic (LIKE %s INCLUDING ALL); ALTER TABLE synthetic ALTER %s DROP NOT NULL; its row type is NULL::synthetic.",
							 pegs_relation_name(rel), quote_identifier(NameStr(att->attname)))));
		getTypeInputInfo(base, &input, &param);
		value = OidInputFunctionCall(input, pstrdup(text), param, typmod);
	}
	if (get_typtype(att->atttypid) == TYPTYPE_DOMAIN)
		domain_check(value, false, att->atttypid, &extra, CurrentMemoryContext);
	return value;
}

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
		values[i] = filler(rel, att);
		nulls[i] = false;
		appendStringInfo(&names, "%s\"%s\"", names.len ? ", " : "", NameStr(att->attname));
	}
	if (names.len)
		ereport(NOTICE,
				(errmsg("columns of table \"%s\" that are not in the model are filled: %s", RelationGetRelationName(rel), names.data),
				 errdetail("They are NOT NULL: every row has the same plain value, which says nothing.")));
	relation_close(rel, AccessShareLock);
}
