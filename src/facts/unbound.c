/*
 * unbound.c
 *	  Tables that refer to related ones and are bound to none, for pegs_schema:
 *	  no model has their rows, and a reader of it would not know that they are.
 *
 * Whether their rows belong to those of a person, a person knows: the remedy is
 * a comment. By declarations and the catalog alone (law L1).
 */
#include "facts/facts.h"
#include "budget/budget.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/pg_constraint.h"
#include "funcapi.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/tuplestore.h"

/* The root and all that is bound to it. */
static void
add_bound(List **tables, Oid table)
{
	ListCell   *cell;

	check_stack_depth();
	*tables = list_append_unique_oid(*tables, table);
	foreach(cell, pegs_children_of(table))
		add_bound(tables, lfirst_oid(cell));
}

/* Tables with a foreign key to one of these, in the order in which they were made. */
static List *
referring_to(const List *tables)
{
	Relation	constraints = table_open(ConstraintRelationId, AccessShareLock);
	SysScanDesc scan = systable_beginscan(constraints, InvalidOid, false, NULL, 0, NULL);
	List	   *referring = NIL;
	HeapTuple	tuple;

	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		Form_pg_constraint form = (Form_pg_constraint) GETSTRUCT(tuple);

		CHECK_FOR_INTERRUPTS();
		if (form->contype == CONSTRAINT_FOREIGN && list_member_oid(tables, pegs_topmost(form->confrelid)))
			referring = list_append_unique_oid(referring, form->conrelid);
	}
	systable_endscan(scan);
	table_close(constraints, AccessShareLock);
	list_sort(referring, list_oid_cmp);
	return referring;
}

/* Whose rows a table may have, by keys of which nothing is decided: "a" and "b", and a comment for each. False: there is none. */
static bool
may_belong(Oid table, const List *tables, StringInfo names, StringInfo remedy)
{
	ListCell   *cell;

	foreach(cell, pegs_undecided_keys(table))
	{
		const PegsForeignKey *key = lfirst(cell);
		char	   *name = psprintf("\"%s\"", get_rel_name(key->parent));

		if (!list_member_oid(tables, key->parent))
			continue;
		if (strstr(names->data, name) == NULL)
			appendStringInfo(names, "%s%s", names->len > 0 ? " and " : "", name);
		appendStringInfo(remedy, "%s%s", remedy->len > 0 ? "\n" : "", pegs_parent_proposal(table, key));
	}
	return names->len > 0;
}

void
pegs_put_unbound(ReturnSetInfo *result, Oid root)
{
	List	   *tables = NIL;
	ListCell   *cell;

	add_bound(&tables, root);
	foreach(cell, referring_to(tables))
	{
		Oid			table = lfirst_oid(cell);
		Datum		values[8] = {0};
		bool		nulls[8] = {false, true, true, true, true, true, false, false};
		StringInfoData names;
		StringInfoData remedy;

		initStringInfo(&names);
		initStringInfo(&remedy);
		if (pegs_topmost(table) != table || list_member_oid(tables, table) || !may_belong(table, tables, &names, &remedy))
			continue;
		values[0] = ObjectIdGetDatum(table);
		values[6] = CStringGetTextDatum(psprintf("it refers to %s, and is not bound: no model has its rows", names.data));
		values[7] = CStringGetTextDatum(remedy.data);
		tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
	}
}
