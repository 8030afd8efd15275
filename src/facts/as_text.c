/*
 * as_text.c
 *	  Statements that make texts of a key whose type takes no running number,
 *	  and of what refers to it; or why there are none that are safe.
 *
 * They alter tables that others use, so they keep each foreign key as it is
 * declared, say that they are for good, and are printed as a comment where
 * something hangs on the type. By the catalog alone: law L1.
 */
#include "facts/facts.h"
#include "facts/links.h"
#include "budget/bound.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/dependency.h"
#include "catalog/indexing.h"
#include "catalog/objectaddress.h"
#include "catalog/partition.h"
#include "catalog/pg_am.h"
#include "catalog/pg_attrdef.h"
#include "catalog/pg_constraint.h"
#include "catalog/pg_depend.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_statistic_ext.h"
#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "nodes/bitmapset.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/ruleutils.h"
#include "utils/syscache.h"

typedef struct AsText
{
	StringInfoData drop;
	StringInfoData alter;
	StringInfoData add;
	List	   *keys;			/* oids of foreign keys that are made again */
	List	   *tables;			/* and the columns that become texts, in parallel */
	List	   *attnums;
} AsText;

/* ---- what they are ---- */

/* As it is declared: ON DELETE, DEFERRABLE, and whether rows were checked. */
static char *
definition_of(Oid constraint)
{
	int			level = pegs_pin_search_path();
	char	   *definition = pstrdup(pg_get_constraintdef_command(constraint));

	AtEOXact_GUC(false, level);
	return definition;
}

static void
put_as_text(AsText *as, Oid table, AttrNumber attnum)
{
	const char *name = pstrdup(quote_identifier(get_attname(table, attnum, false)));
	ListCell   *cell;

	check_stack_depth();
	as->tables = lappend_oid(as->tables, table);
	as->attnums = lappend_int(as->attnums, attnum);
	appendStringInfo(&as->alter, "ALTER TABLE %s ALTER COLUMN %s TYPE text USING %s::text; ", pegs_relation_words(table), name, name);
	foreach(cell, pegs_children_of(table))
	{
		Oid			child = lfirst_oid(cell);
		const PegsForeignKey *key = pegs_own_key(child);

		for (int i = 0; key && i < key->n; i++)
			if (key->refers_to == table && key->referred[i] == attnum)
			{
				Oid			constraint = get_relation_constraint_oid(child, key->name, false);

				if (!list_member_oid(as->keys, constraint))
				{
					appendStringInfo(&as->drop, "ALTER TABLE %s DROP CONSTRAINT %s; ", pegs_relation_words(child), quote_identifier(key->name));
					appendStringInfo(&as->add, "%s; ", definition_of(constraint));
					as->keys = lappend_oid(as->keys, constraint);
				}
				put_as_text(as, child, key->attnum[i]);
			}
	}
}

/* ---- what stands in their way ---- */

/* Are values that are equal one text, and others another? */
static bool
has_one_text(Oid type, int32 typmod, Oid collation)
{
	switch (type)
	{
		case TEXTOID:
		case VARCHAROID:
		case BPCHAROID:
			return get_collation_isdeterministic(collation);
		case BYTEAOID:
		case BOOLOID:
		case UUIDOID:
		case INETOID:
		case CIDROID:
		case MACADDROID:
		case MACADDR8OID:
		case DATEOID:
		case TIMEOID:
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
		case BITOID:
		case VARBITOID:
		case OIDOID:
		case CHAROID:
		case CASHOID:
		case INT4RANGEOID:
		case INT8RANGEOID:
		case DATERANGEOID:
		case INT2OID:
		case INT4OID:
		case INT8OID:
			return true;
		case NUMERICOID:
			return typmod >= 0;	/* else 1 is 1.00; those that refer to it have the same: is_alike */
	}
	/* or by somebody's cast, of an array, too */
	if (SearchSysCacheExists2(CASTSOURCETARGET, ObjectIdGetDatum(type), ObjectIdGetDatum(TEXTOID)))
		return false;
	return type_is_enum(type) || (OidIsValid(get_element_type(type)) && has_one_text(get_element_type(type), typmod, collation));
}

/* An index that is made again by itself: of the whole column, by the type's own order. */
static bool
is_plain_index(Oid relid)
{
	char		kind = get_rel_relkind(relid);
	Relation	index;
	bool		plain;

	if (kind != RELKIND_INDEX && kind != RELKIND_PARTITIONED_INDEX)
		return false;
	index = index_open(relid, AccessShareLock);
	plain = index->rd_rel->relam == BTREE_AM_OID && heap_attisnull(index->rd_indextuple, Anum_pg_index_indpred, NULL)
		&& heap_attisnull(index->rd_indextuple, Anum_pg_index_indexprs, NULL);
	index_close(index, AccessShareLock);
	return plain;
}

/* A key of the table, which is made again by itself; or a foreign key that is made again, or is a part of one. */
static bool
is_kept_constraint(const AsText *as, Oid constraint)
{
	HeapTuple	tuple = SearchSysCache1(CONSTROID, ObjectIdGetDatum(constraint));
	Form_pg_constraint form = (Form_pg_constraint) GETSTRUCT(tuple);
	bool		kept = form->contype == CONSTRAINT_PRIMARY || form->contype == CONSTRAINT_UNIQUE || form->contype == 'n'	/* NOT NULL, since 18 */
		|| (form->contype == CONSTRAINT_FOREIGN && (list_member_oid(as->keys, constraint) || OidIsValid(form->conparentid)));

	ReleaseSysCache(tuple);
	return kept;
}

/* Its own default goes with it; what is computed from it does not. */
static bool
is_own_default(Oid attrdef, Oid table, AttrNumber attnum)
{
	Relation	defaults = table_open(AttrDefaultRelationId, AccessShareLock);
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple	tuple;
	bool		own;

	ScanKeyInit(&key, Anum_pg_attrdef_oid, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(attrdef));
	scan = systable_beginscan(defaults, AttrDefaultOidIndexId, true, NULL, 1, &key);
	tuple = systable_getnext(scan);
	own = HeapTupleIsValid(tuple) && ((Form_pg_attrdef) GETSTRUCT(tuple))->adrelid == table && ((Form_pg_attrdef) GETSTRUCT(tuple))->adnum == attnum;
	systable_endscan(scan);
	table_close(defaults, AccessShareLock);
	return own;
}

/* What hangs on its type: "view v"; NULL: nothing that would not follow. */
static char *
dependent(const AsText *as, Oid table, AttrNumber attnum)
{
	Relation	depend = table_open(DependRelationId, AccessShareLock);
	ScanKeyData key[3];
	SysScanDesc scan;
	HeapTuple	tuple;
	char	   *found = NULL;

	ScanKeyInit(&key[0], Anum_pg_depend_refclassid, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(RelationRelationId));
	ScanKeyInit(&key[1], Anum_pg_depend_refobjid, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(table));
	ScanKeyInit(&key[2], Anum_pg_depend_refobjsubid, BTEqualStrategyNumber, F_INT4EQ, Int32GetDatum(attnum));
	scan = systable_beginscan(depend, DependReferenceIndexId, true, NULL, 3, key);
	while (found == NULL && HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		Form_pg_depend on = (Form_pg_depend) GETSTRUCT(tuple);
		ObjectAddress object = {on->classid, on->objid, on->objsubid};
		bool		follows = false;

		CHECK_FOR_INTERRUPTS();
		if (on->classid == RelationRelationId)
			follows = on->objsubid == 0 && is_plain_index(on->objid);
		else if (on->classid == ConstraintRelationId)
			follows = is_kept_constraint(as, on->objid);
		else if (on->classid == AttrDefaultRelationId)
			follows = is_own_default(on->objid, table, attnum);
		else if (on->classid == StatisticExtRelationId)
			follows = true;
		if (!follows)
			found = getObjectDescription(&object, false);
	}
	systable_endscan(scan);
	table_close(depend, AccessShareLock);
	return found;
}

static char *
why_not_column(const AsText *as, Oid table, AttrNumber attnum)
{
	const char *name = get_attname(table, attnum, false);
	Oid			collation;
	Oid			type;
	int32		typmod;
	Relation	rel = table_open(table, AccessShareLock);
	const char *whose;
	bool		partitions = has_partition_attrs(rel, bms_make_singleton(attnum - FirstLowInvalidHeapAttributeNumber), NULL);
	ListCell   *cell;

	table_close(rel, NoLock);
	get_atttypetypmodcoll(table, attnum, &type, &typmod, &collation);
	if (get_typtype(type) == TYPTYPE_DOMAIN)
		return psprintf("column \"%s\" of table \"%s\" has a domain, and a text would not", name, get_rel_name(table));
	whose = pegs_owned_by_others(type);
	if (whose)
		return psprintf("column \"%s\" of table \"%s\" is of %s, who may have a cast of it to text run as whoever runs the statement", name, get_rel_name(table), whose);
	if (!has_one_text(type, typmod, collation))
		return psprintf("equal values of column \"%s\" of table \"%s\" may be different texts", name, get_rel_name(table));
	if (get_attgenerated(table, attnum) != '\0')
		return psprintf("column \"%s\" of table \"%s\" is generated", name, get_rel_name(table));
	if (partitions)
		return psprintf("column \"%s\" of table \"%s\" says in which partition its rows are", name, get_rel_name(table));
	foreach(cell, find_all_inheritors(table, AccessShareLock, NULL))
	{
		AttrNumber	there = get_attnum(lfirst_oid(cell), name);
		char	   *on = there > 0 ? dependent(as, lfirst_oid(cell), there) : NULL;

		if (on)
			return psprintf("%s depends on column \"%s\" of table \"%s\"", on, name, get_rel_name(lfirst_oid(cell)));
	}
	return NULL;
}

/* Of one type, and of numeric as many digits behind the point: 0.10 is another text than 0.1. */
static bool
is_alike(Oid table, AttrNumber attnum, Oid other, AttrNumber there)
{
	Oid			type[2];
	int32		typmod[2];
	Oid			collation;
	Oid			of;

	get_atttypetypmodcoll(table, attnum, &type[0], &typmod[0], &collation);
	get_atttypetypmodcoll(other, there, &type[1], &typmod[1], &collation);
	of = OidIsValid(get_element_type(type[0])) ? get_element_type(type[0]) : type[0];
	return type[0] == type[1] && (of != NUMERICOID || typmod[0] == typmod[1]);
}

/* NULL: nothing does. */
static char *
why_not(const AsText *as)
{
	char	   *why = NULL;
	ListCell   *table;
	ListCell   *attnum;

	forboth(table, as->tables, attnum, as->attnums)
	{
		if (why == NULL && !is_alike(linitial_oid(as->tables), (AttrNumber) linitial_int(as->attnums), lfirst_oid(table), (AttrNumber) lfirst_int(attnum)))
			why = psprintf("columns \"%s\" of table \"%s\" and \"%s\" of table \"%s\" have different types",
						   get_attname(linitial_oid(as->tables), (AttrNumber) linitial_int(as->attnums), false), get_rel_name(linitial_oid(as->tables)),
						   get_attname(lfirst_oid(table), (AttrNumber) lfirst_int(attnum), false), get_rel_name(lfirst_oid(table)));
		if (why == NULL)
			why = why_not_column(as, lfirst_oid(table), (AttrNumber) lfirst_int(attnum));
	}
	return why;
}

/* Statements and a comment, or a comment alone. */
char *
pegs_as_text(Oid table, AttrNumber attnum)
{
	AsText		as = {0};
	char	   *why;

	initStringInfo(&as.drop);
	initStringInfo(&as.alter);
	initStringInfo(&as.add);
	put_as_text(&as, table, attnum);
	why = why_not(&as);
	if (why)
		return pegs_comment("no statement makes a text of it that is safe: %s. Convert it by hand, with all that refers to it; or give the table another key, of numbers or texts, to which the tables below refer.", why);
	/* one transaction: without its key a table below has no rows in models */
	return psprintf("%s%s%s%s%s%s", as.keys != NIL ? "BEGIN; " : "", as.drop.data, as.alter.data, as.add.data, as.keys != NIL ? "COMMIT; " : "",
					pegs_comment("for good: whoever reads or writes these columns has texts in place of %s", format_type_be(get_atttype(table, attnum))));
}
