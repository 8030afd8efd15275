/*
 * bound.c
 *	  Whose account pays for a table that is a part of another table's rows.
 *
 * A table can be bound to its parent: a row of it belongs to the row of the
 * parent that it refers to (facts/parent.c). What is spent on it is spent on
 * the account of the topmost parent, the root, whoever asks and through
 * whatever view; its own account cannot be spent. Law L3.
 *
 * Bindings are read as they are now, like totals. One that this transaction has
 * made or changed could be rolled back, and a charge could not: nothing is
 * charged before it is committed (bind.c says what a commit asks for).
 */
#include "budget/account.h"
#include "budget/bound.h"
#include "source/source.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

/* the order of the columns of pegs_internal.parent */
#define Anum_parent_source		1
#define Anum_parent_parent		2
#define Anum_parent_attnums		3
#define Anum_parent_relation	4
#define Anum_parent_columns		5
#define Anum_parent_root		6
#define Anum_parent_epsilon		7
#define Anum_parent_delta		8
#define Anum_parent_rho			9

/* Numbers of the columns now: as they were declared, or, in a restored dump, by their names. 0: there is none. */
static void
read_columns(PegsBound *bound, HeapTuple row, TupleDesc desc)
{
	bool		isnull;
	bool		here = DatumGetObjectId(heap_getattr(row, Anum_parent_relation, desc, &isnull)) == bound->child;
	Datum	   *names;
	Datum	   *numbers;
	int			n;

	deconstruct_array(DatumGetArrayTypeP(heap_getattr(row, Anum_parent_columns, desc, &isnull)), NAMEOID, NAMEDATALEN, false, TYPALIGN_CHAR,
					  &names, NULL, &bound->n);
	deconstruct_array(DatumGetArrayTypeP(heap_getattr(row, Anum_parent_attnums, desc, &isnull)), INT2OID, sizeof(int16), true, TYPALIGN_SHORT,
					  &numbers, NULL, &n);
	bound->restored = !here;
	if (n != bound->n || n > INDEX_MAX_KEYS)
		elog(ERROR, "unexpected columns of a binding");
	for (int i = 0; i < n; i++)
	{
		AttrNumber	attnum = here ? DatumGetInt16(numbers[i]) : get_attnum(bound->child, NameStr(*DatumGetName(names[i])));

		bound->column[i] = pstrdup(NameStr(*DatumGetName(names[i])));
		bound->attnum[i] = attnum > 0 && pegs_name_of_column(bound->child, attnum) ? attnum : InvalidAttrNumber;
	}
}

/* The row of a table, whatever the snapshot of the transaction: also of one that was bound and is no more. False: there is none. */
bool
pegs_read_bound(Oid child, PegsBound *bound)
{
	Relation	rel;
	TupleDesc	desc;
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple	row;

	memset(bound, 0, sizeof(*bound));
	bound->child = child;
	if (!OidIsValid(child) || !pegs_keeps("parent", NULL))
		return false;
	rel = table_open(pegs_internal_relation("parent"), AccessShareLock);
	desc = RelationGetDescr(rel);
	ScanKeyInit(&key, Anum_parent_source, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(child));
	scan = systable_beginscan(rel, pegs_internal_relation("parent_pkey"), true, NULL, 1, &key);
	row = systable_getnext(scan);
	if (HeapTupleIsValid(row))
	{
		bool		isnull;
		Datum		parent = heap_getattr(row, Anum_parent_parent, desc, &isnull);
		Oid			owner;

		bound->found = true;
		bound->is = !isnull;
		bound->parent = isnull ? InvalidOid : DatumGetObjectId(parent);
		if (pegs_is_dead(bound->parent, &owner))
			bound->parent = InvalidOid;
		bound->made = HeapTupleHeaderGetRawXmin(row->t_data);
		bound->changed_here = TransactionIdIsCurrentTransactionId(HeapTupleHeaderGetXmin(row->t_data));
		bound->root = DatumGetObjectId(heap_getattr(row, Anum_parent_root, desc, &isnull));
		bound->then.epsilon = DatumGetInt64(heap_getattr(row, Anum_parent_epsilon, desc, &isnull));
		bound->then.delta = DatumGetInt64(heap_getattr(row, Anum_parent_delta, desc, &isnull));
		bound->then.rho = DatumGetInt64(heap_getattr(row, Anum_parent_rho, desc, &isnull));
		read_columns(bound, row, desc);
	}
	systable_endscan(scan);
	table_close(rel, AccessShareLock);
	return bound->found;
}

bool
pegs_is_bound(Oid table)
{
	PegsBound	bound;

	return pegs_read_bound(table, &bound) && bound.is;
}

/* Tables that are bound to this one itself. */
List *
pegs_children_of(Oid parent)
{
	List	   *children = NIL;
	Relation	rel;
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple	row;

	if (!OidIsValid(parent) || !pegs_keeps("parent", NULL))
		return NIL;
	rel = table_open(pegs_internal_relation("parent"), AccessShareLock);
	ScanKeyInit(&key, Anum_parent_parent, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(parent));
	scan = systable_beginscan(rel, InvalidOid, false, NULL, 1, &key);
	while (HeapTupleIsValid(row = systable_getnext(scan)))
	{
		bool		isnull;
		Oid			owner;
		Oid			child = DatumGetObjectId(heap_getattr(row, Anum_parent_source, RelationGetDescr(rel), &isnull));

		if (!pegs_is_dead(child, &owner))
			children = lappend_oid(children, child);
	}
	systable_endscan(scan);
	table_close(rel, AccessShareLock);
	return children;
}

/* A parent that became a part of another table: that one's account is asked for its rows, and this one's for those of its children. */
static void
refuse_attached(Oid parent)
{
	Oid			whole = pegs_source_parent(parent);

	if (OidIsValid(whole))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("table \"%s\", to whose account others are bound, became a part of \"%s\"", get_rel_name(parent), get_rel_name(whole)),
				 errdetail("Its rows have two accounts."),
				 errhint("Detach it.")));
}

static void
refuse_declared_here(Oid table)
{
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("the parent of table \"%s\" was declared in this transaction", get_rel_name(table)),
			 errdetail("It says which account pays. It could be rolled back, and the charge could not."),
			 errhint("COMMIT; and spend in the next transaction.")));
}

/* Of a table that is above itself: another session has committed, and this transaction, which has bound one the other way round, sees it. */
static void
refuse_closed(Oid table)
{
	PegsBound	bound;

	for (int steps = 0; pegs_read_bound(table, &bound) && bound.changed_here && steps < PEGS_MAX_GENERATIONS; steps++)
		table = bound.parent;
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("table \"%s\" was bound to \"%s\" meanwhile: they would go round in a circle", get_rel_name(table), get_rel_name(bound.parent)),
			 errdetail("A unit would hang on another."),
			 errhint("ROLLBACK; and, if it is the other that belongs to \"%s\": SELECT pegs_set_parent(%s, NULL);", get_rel_name(table), pegs_relation_literal(table))));
}

/* Walks up to the root. settled: an error where this transaction has made or changed a binding on the way. */
static Oid
walk(Oid table, bool settled)
{
	PegsBound	bound;
	int			steps = 0;

	while (pegs_read_bound(table, &bound) && (bound.is || bound.changed_here))
	{
		if (settled && bound.changed_here)
			refuse_declared_here(table);
		if (!bound.is)
			break;
		if (++steps > PEGS_MAX_GENERATIONS)
			refuse_closed(table);
		if (settled && OidIsValid(bound.parent))
			refuse_attached(bound.parent);
		table = bound.parent;
	}
	return table;
}

/* The table whose account pays: itself, if it is bound to none; InvalidOid: that table was dropped. */
Oid
pegs_payer(Oid account)
{
	return walk(account, false);
}

/* A part of the table, attached to it later, that is bound to another account, or to which others are bound. */
static void
refuse_bound_parts(Oid account)
{
	ListCell   *cell;

	if (get_rel_relkind(account) == '\0' || !pegs_keeps("parent", NULL))
		return;
	foreach(cell, find_all_inheritors(account, NoLock, NULL))
	{
		Oid			part = lfirst_oid(cell);

		if (part != account && pegs_is_bound(part))
			ereport(ERROR,
					(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
					 errmsg("table \"%s\", a part of \"%s\", is bound to another table's account", get_rel_name(part), get_rel_name(account)),
					 errdetail("It was bound before it became a part: its rows belong to rows of that table."),
					 errhint("Detach it: its rows cannot be in both.")));
		if (part != account && pegs_children_of(part) != NIL)
			refuse_attached(part);
	}
}

/* A model of a table alone counts its rows by those of its parent: since that was bound itself, the account protects more than that. */
static void
refuse_other_root(Oid account, Oid payer)
{
	PegsBound	bound;

	if (pegs_read_bound(account, &bound) && bound.is && bound.parent != payer)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("what would be charged protects rows of \"%s\", and they belong to rows of another table", get_rel_name(bound.parent)),
				 errdetail("The account is that of the other table, and protects its rows with all that belongs to them."),
				 errhint("Drop the model. SELECT * FROM pegs_schema(%s); says whose rows they are: pegs_fit_schema models all of them.", pegs_relation_literal(account))));
}

/* For a charge: the table that pays, and that what is charged protects its rows, where the bill is of a table bound to it. */
Oid
pegs_payer_of(const PegsBill *bill)
{
	Oid			payer = walk(bill->account, true);
	ListCell   *cell;

	refuse_bound_parts(bill->account);
	foreach(cell, bill->counted)
		refuse_bound_parts(((const PegsBound *) lfirst(cell))->child);
	/* whoever counts rows of a bound table one by one has not asked whose they are (facts/unit.c); or it is a model of before */
	if (payer != bill->account && (bill->unit == NULL || strcmp(bill->unit, "row") == 0))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("what would be charged protects single rows of table \"%s\", and they belong to rows of another", get_rel_name(bill->account)),
				 errdetail("The account is that of the other table, and protects its rows with all that belongs to them."),
				 errhint("Fit the model anew.")));
	if (OidIsValid(payer))
		refuse_other_root(bill->account, payer);
	return payer;
}

char *
pegs_unit_of_bound(Oid root, const char *others)
{
	return psprintf("a row of %s with every row of %s that refers to it, however many", get_rel_name(root), others);
}

/* ---- what was counted is what is paid for ---- */

List *
pegs_note_counted(List *counted, Oid table)
{
	PegsBound  *bound = palloc(sizeof(PegsBound));

	(void) pegs_read_bound(table, bound);
	return lappend(counted, bound);
}

static bool
is_bound_so(const PegsBound *now, const PegsBound *then)
{
	return now->is == then->is && now->parent == then->parent && now->n == then->n
		&& memcmp(now->attnum, then->attnum, sizeof(AttrNumber) * now->n) == 0;
}

/*
 * A table that was let go since its rows were counted, while nothing was spent,
 * has an account of its own: what is charged now would not be known there.
 * Behind the lock of the account that has paid for it nobody lets it go.
 */
void
pegs_require_counted(const PegsBill *bill)
{
	ListCell   *cell;

	foreach(cell, bill->counted)
	{
		const PegsBound *then = lfirst(cell);
		PegsBound	now;

		(void) pegs_read_bound(then->child, &now);
		if (now.changed_here)
			refuse_declared_here(then->child);
		if (!is_bound_so(&now, then))
			ereport(ERROR,
					(errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
					 errmsg("table \"%s\" is bound otherwise than when its rows were counted", get_rel_name(then->child)),
					 errdetail("Another account pays for them. Nothing was charged."),
					 errhint("Try again.")));
	}
}
