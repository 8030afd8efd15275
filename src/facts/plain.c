/*
 * plain.c
 *	  A plain value for a column that is NOT NULL and that no model has.
 *
 * It is the same in every row and says nothing: the column's DEFAULT if that
 * is a constant, else the first value that a CHECK lists, the low end of a
 * range that one states, or the plain value of the type: 0, '', false, 1970.
 * All of it stands in the catalog, no row is read. Law L1. No function of the
 * table's owner runs, but for the CHECK of a domain where it is asked, as in
 * an INSERT.
 */
#include "facts/facts.h"
#include "codes/codes.h"

#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/indexing.h"
#include "catalog/pg_enum.h"
#include "catalog/pg_type.h"
#include "tsearch/ts_type.h"
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
		case LINEOID:
			return "{0,1,0}";
		case LSEGOID:
		case BOXOID:
			return "(0,0),(0,0)";
		case PATHOID:
		case POLYGONOID:
			return "((0,0))";
		case CIRCLEOID:
			return "<(0,0),0>";
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

/* Of which the input function says that it has no lexemes, by a NOTICE. */
static Datum
empty_query(void)
{
	TSQuery		query = palloc0(HDRSIZETQ);

	SET_VARSIZE(query, HDRSIZETQ);
	return TSQueryGetDatum(query);
}

/* A domain's CHECK names neither the column nor a way out. */
static void
check_domain(Relation rel, Form_pg_attribute att, Datum value)
{
	MemoryContext context = CurrentMemoryContext;
	void	   *extra = NULL;

	PG_TRY();
	{
		domain_check(value, false, att->atttypid, &extra, context);
	}
	PG_CATCH();
	{
		if (geterrcode() != ERRCODE_CHECK_VIOLATION)
			PG_RE_THROW();
		MemoryContextSwitchTo(context);
		FlushErrorState();
		ereport(ERROR,
				(errcode(ERRCODE_CHECK_VIOLATION),
				 errmsg("column \"%s\" of table \"%s\" is NOT NULL and not in the model, and the plain value of its type is refused by domain %s",
						NameStr(att->attname), RelationGetRelationName(rel), format_type_be(att->atttypid)),
				 errdetail("Its DEFAULT is taken, if that is a constant; else the first value that a CHECK lists, or a plain one."),
				 errhint("ALTER TABLE %s ALTER COLUMN %s SET DEFAULT '...'; a value that the domain takes.", pegs_relation_name(rel), quote_identifier(NameStr(att->attname)))));
	}
	PG_END_TRY();
}

Datum
pegs_plain_value(Relation rel, Form_pg_attribute att, bool ask_domain)
{
	int32		typmod = att->atttypmod;
	Oid			base = getBaseTypeAndTypmod(att->atttypid, &typmod);
	const char *text;
	Oid			input;
	Oid			param;
	Datum		value;

	if (default_value(RelationGetDescr(rel), att, base, &value) || checked_value(RelationGetRelid(rel), att, base, typmod, &value))
		;
	else if (base == TSQUERYOID)
		value = empty_query();
	else
	{
		text = plain_text(base, typmod);
		if (text == NULL)
			ereport(ERROR,
					(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					 errmsg("column \"%s\" of table \"%s\" is NOT NULL, and no value of type %s is a plain one", NameStr(att->attname),
							RelationGetRelationName(rel), format_type_with_typemod(att->atttypid, att->atttypmod)),
					 errhint("ALTER TABLE %s ALTER COLUMN %s SET DEFAULT '...'; a constant of that type. Or, for rows alone: CREATE TABLE synthetic (LIKE %s INCLUDING ALL); ALTER TABLE synthetic ALTER %s DROP NOT NULL; its row type is NULL::synthetic.",
							 pegs_relation_name(rel), quote_identifier(NameStr(att->attname)), pegs_relation_name(rel), quote_identifier(NameStr(att->attname)))));
		getTypeInputInfo(base, &input, &param);
		value = OidInputFunctionCall(input, pstrdup(text), param, typmod);
	}
	if (ask_domain && get_typtype(att->atttypid) == TYPTYPE_DOMAIN)
		check_domain(rel, att, value);
	return value;
}
