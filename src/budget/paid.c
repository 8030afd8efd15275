/*
 * paid.c
 *	  Which tables have an account, and for whose rows does one pay?
 *
 * Asked of tables that nobody has locked: of one that is dropped meanwhile nothing is said. Law L3.
 */
#include "budget/account.h"
#include "budget/budget.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/pg_inherits.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

/* What SQL of ours has given, appended in that memory: each once. */
List *
pegs_take_relations(List *all, MemoryContext context)
{
	MemoryContext inner = MemoryContextSwitchTo(context);

	for (uint64 i = 0; i < SPI_processed; i++)
	{
		bool		isnull;

		all = list_append_unique_oid(all, DatumGetObjectId(SPI_getbinval(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, 1, &isnull)));
	}
	MemoryContextSwitchTo(inner);
	return all;
}

/* Tables that have an account and were not dropped: of those nobody knows where their rows were. In the caller's memory. */
List *
pegs_all_accounts(void)
{
	MemoryContext outer = CurrentMemoryContext;
	List	   *all;
	ListCell   *cell;
	PegsAs		saved;

	pegs_begin_as_extension(&saved);
	pegs_spi_now("SELECT source::pg_catalog.oid FROM pegs_internal.budget ORDER BY source", SPI_OK_SELECT, 0, NULL);
	all = pegs_take_relations(NIL, outer);
	pegs_end_as(&saved);
	foreach(cell, all)
		if (get_rel_relkind(lfirst_oid(cell)) == '\0')
			all = foreach_delete_current(all, cell);
	return all;
}

/* All whose rows an account pays for: its parts, tables that are bound to it, and parts of those, which may be foreign ones. */
List *
pegs_paid_parts(Oid account)
{
	Relation	rel = table_open(InheritsRelationId, AccessShareLock);
	List	   *parts = list_make1_oid(account);

	/* not by find_all_inheritors: nobody has locked them, and one that is dropped now is an error there */
	for (int i = 0; i < list_length(parts); i++)
	{
		ScanKeyData key;
		SysScanDesc scan;
		HeapTuple	tuple;

		CHECK_FOR_INTERRUPTS();
		ScanKeyInit(&key, Anum_pg_inherits_inhparent, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(list_nth_oid(parts, i)));
		scan = systable_beginscan(rel, InheritsParentIndexId, true, NULL, 1, &key);
		while (HeapTupleIsValid(tuple = systable_getnext(scan)))
			parts = list_append_unique_oid(parts, ((Form_pg_inherits) GETSTRUCT(tuple))->inhrelid);
		systable_endscan(scan);
		parts = list_concat_unique_oid(parts, pegs_children_of(list_nth_oid(parts, i)));
	}
	table_close(rel, AccessShareLock);
	return parts;
}
