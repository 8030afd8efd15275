/*
 * bind.c
 *	  Tables are bound to the account of their parent, and let go again.
 *
 * Neither may lose what was spent: a table is bound whose own account has spent
 * nothing, and let go if the account that pays for it has spent nothing since.
 * Nobody who charges waits for a transaction that binds. Until it commits,
 * charges are made as if it had not; whether anything was spent meanwhile is
 * asked when it commits, behind the lock of the chargers, which it keeps until
 * others can see it. Law L3.
 */
#include "budget/account.h"
#include "budget/bound.h"
#include "source/source.h"

#include "access/xact.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "storage/lmgr.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

/* Tables that this transaction has bound or let go; in its memory. */
static List *changed = NIL;

static bool
is_nothing(const PegsAmounts *spent)
{
	return spent->epsilon == 0 && spent->delta == 0 && spent->rho == 0;
}

/* ---- what must be true, asked at once for a friendly answer, and when it commits ---- */

/*
 * What an account has spent, if that is known here: not of a copy, whose original may have spent more, nor of one that was
 * set back. A table that is bound or let go leaves it behind, and with it what would be refused or said there.
 */
static void
read_known(Oid source, const PegsAccount *account, LOCKMODE lock, PegsBought *spent)
{
	PegsAmounts recorded = pegs_recorded(source);

	if (!pegs_read_spent(account, lock, true, spent))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("it is not known what table \"%s\" has spent: its budget was damaged", get_rel_name(source)),
				 errhint("SELECT * FROM pegs_health();")));
	pegs_refuse_copied(source, account, spent, NULL);
	pegs_refuse_set_back(source, account, &recorded, spent);
	if (pegs_is_uncovered(source))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("rows that the account of \"%s\" pays for were read without a guarantee", get_rel_name(source)),
				 errdetail("That stands there. No other account would say it of them."),
				 errhint("SELECT * FROM pegs_ledger WHERE source = %s::regclass AND action ~ 'uncovered'; names what was read. Fit without a guarantee after all tables are bound.",
						 pegs_relation_literal(source))));
}

/* Neither the table nor a part of it has spent anything on an account of its own. */
static void
require_unspent(Oid child, LOCKMODE lock)
{
	ListCell   *cell;

	foreach(cell, find_all_inheritors(child, NoLock, NULL))
	{
		Oid			part = lfirst_oid(cell);
		PegsAccount account;
		PegsBought	spent;

		if (!pegs_read_budget(part, &account))
			continue;
		read_known(part, &account, part == child ? lock : AccessShareLock, &spent);
		if (!is_nothing(&spent.from))
			ereport(ERROR,
					(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
					 errmsg("table \"%s\" has spent on an account of its own", get_rel_name(part)),
					 errdetail("Its rows have cost that, and would cost what the other account spends: no total would say so."),
					 errhint("SELECT * FROM pegs_ledger WHERE source = %s::regclass; names its fits. Bind a table before its first charge.",
							 pegs_relation_literal(part))));
	}
}

/* A friendly answer before anything else is asked for: what is spent stays spent, whatever is dropped or declared for it. */
void
pegs_require_unspent(Oid child)
{
	require_unspent(child, AccessShareLock);
}

/* The account that has paid for it since it was bound is where it was then. */
static void
require_unspent_since(const PegsBound *bound, LOCKMODE lock)
{
	PegsAccount account;
	PegsBought	spent = {0};
	Oid			owner;

	if (pegs_is_dead(bound->root, &owner))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("the table whose account paid for \"%s\" was dropped", get_rel_name(bound->child)),
				 errdetail("What was spent on its rows is not known any more."),
				 errhint(PEGS_ROOT_IS_GONE)));
	if (pegs_read_budget(bound->root, &account))
		read_known(bound->root, &account, lock, &spent);
	if (spent.from.epsilon != bound->then.epsilon || spent.from.delta != bound->then.delta || spent.from.rho != bound->then.rho)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("the account of \"%s\" has spent since \"%s\" was bound to it", get_rel_name(bound->root), get_rel_name(bound->child)),
				 errdetail("What was spent there protects rows of both. With an account of its own the table could spend it again."),
				 errhint("SELECT * FROM pegs_ledger WHERE source = %s::regclass;", pegs_relation_literal(bound->root))));
}

void
pegs_refuse_circle(Oid child, Oid parent)
{
	PegsBound	bound;
	int			steps = 1;

	for (Oid table = parent; OidIsValid(table); table = bound.is ? bound.parent : InvalidOid)
	{
		if (table == child)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("table \"%s\" is above \"%s\" already: they would go round in a circle", get_rel_name(child), get_rel_name(parent)),
					 errdetail("A unit would hang on another."),
					 errhint("If it is \"%s\" that belongs to \"%s\", let that one go before: SELECT pegs_set_parent(%s, NULL);", get_rel_name(child),
							 get_rel_name(parent), pegs_relation_literal(parent))));
		if (++steps > PEGS_MAX_GENERATIONS)
			ereport(ERROR,
					(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
					 errmsg("table \"%s\" would be more than %d tables below its root", get_rel_name(child), PEGS_MAX_GENERATIONS - 1),
					 errhint("Bring the columns that are wanted nearer to the root by a view, and leave the table out.")));
		(void) pegs_read_bound(table, &bound);
	}
}

/*
 * Since when its root has paid for it: since it was bound, or, where its parent
 * was bound to that root later, since then. What is above a table only grows while it is bound: nobody lets go
 * of a table on which others hang. Where the way up does not lead to the root, something else may have paid: false.
 */
static bool
find_since(const PegsBound *bound, Oid root, PegsBound *since)
{
	PegsBound	above;

	*since = *bound;
	while (since->root != root && OidIsValid(since->parent) && pegs_read_bound(since->parent, &above) && above.is)
		*since = above;
	since->child = bound->child;
	if (OidIsValid(root))
		return since->root == root;
	/* a table above it was dropped: its first root has paid, if that was never bound to another */
	return !since->restored && !pegs_read_bound(since->root, &above);
}

/* For remedies, without a word: could it be let go, as far as its account and the tables that hang on it are asked? */
bool
pegs_may_let_go(Oid child)
{
	PegsBound	bound;
	PegsBound	since;
	PegsAccount account;
	PegsBought	spent = {0};
	Oid			owner;

	if (!pegs_read_bound(child, &bound) || !bound.is || pegs_children_of(child) != NIL)
		return false;
	if (!find_since(&bound, pegs_payer(child), &since) || pegs_is_dead(since.root, &owner) || pegs_is_uncovered(since.root))
		return false;
	if (pegs_read_budget(since.root, &account) && !pegs_read_spent(&account, AccessShareLock, true, &spent))
		return false;
	return spent.from.epsilon == since.then.epsilon && spent.from.delta == since.then.delta && spent.from.rho == since.then.rho;
}

/* Likewise: has it, or a part of it, spent nothing on an account of its own? */
bool
pegs_may_be_bound(Oid child)
{
	ListCell   *cell;

	foreach(cell, find_all_inheritors(child, NoLock, NULL))
	{
		PegsAccount account;
		PegsBought	spent;

		if (!pegs_read_budget(lfirst_oid(cell), &account))
			continue;
		if (!pegs_read_spent(&account, AccessShareLock, true, &spent) || !is_nothing(&spent.from) || pegs_is_uncovered(lfirst_oid(cell)))
			return false;
	}
	return true;
}

/* Whose rows would then belong to those of another root than when they were paid for. */
static void
require_none_below(Oid table)
{
	List	   *children = pegs_children_of(table);

	if (children != NIL)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("table \"%s\" is bound to \"%s\"", get_rel_name(linitial_oid(children)), get_rel_name(table)),
				 errdetail("The account that pays for both would be another, and nobody would know what was spent on the rows before."),
				 errhint("Let it go first: SELECT pegs_set_parent(%s, NULL);", pegs_relation_literal(linitial_oid(children)))));
}

/* ---- at commit ---- */

static void
check_let_go(const PegsBound *bound)
{
	require_none_below(bound->child);
	if (pegs_is_bound(bound->root))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("table \"%s\" was bound to another meanwhile", get_rel_name(bound->root)),
				 errhint("Try again: SELECT pegs_set_parent(%s, NULL);", pegs_relation_literal(bound->child))));
	require_unspent_since(bound, ShareUpdateExclusiveLock);
}

static void
check_changed(Oid child)
{
	PegsBound	bound;
	PegsBound	since;

	if (!pegs_read_bound(child, &bound) || !bound.changed_here)
		return;					/* rolled back to a savepoint; or the table is gone */
	if (!bound.is)
	{
		check_let_go(&bound);
		return;
	}
	pegs_refuse_circle(child, bound.parent);
	if (!find_since(&bound, pegs_payer(child), &since))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("a table above \"%s\" was let go meanwhile", get_rel_name(child)),
				 errhint("Declare its parent again: SELECT pegs_set_parent(%s, ...);", pegs_relation_literal(child))));
	/* nobody makes an account of its own meanwhile (budget.c) */
	LockDatabaseObject(pegs_internal_relation("budget"), child, 0, ExclusiveLock);
	require_unspent(child, ShareUpdateExclusiveLock);
}

static void
at_commit(XactEvent event, void *arg)
{
	ListCell   *cell;

	switch (event)
	{
		case XACT_EVENT_PRE_COMMIT:
			if (changed == NIL || !pegs_keeps("parent", NULL))
				break;
			/* one after the other: two could close a circle together */
			LockDatabaseObject(pegs_internal_relation("parent"), 0, 0, ExclusiveLock);
			foreach(cell, changed)
				check_changed(lfirst_oid(cell));
			break;
		case XACT_EVENT_PRE_PREPARE:
			if (changed != NIL)
				ereport(ERROR,
						(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
						 errmsg("a transaction that has declared the parent of a table cannot be prepared"),
						 errdetail("Charges would wait until somebody ends it."),
						 errhint("It is rolled back. Declare it in a transaction of its own, and end that by COMMIT.")));
			break;
		case XACT_EVENT_COMMIT:
		case XACT_EVENT_ABORT:
		case XACT_EVENT_PREPARE:
			changed = NIL;
			break;
		default:
			break;
	}
}

void
pegs_watch_bindings(void)
{
	RegisterXactCallback(at_commit, NULL);
}

static void
note_changed(Oid child)
{
	MemoryContext old = MemoryContextSwitchTo(TopTransactionContext);

	changed = list_append_unique_oid(changed, child);
	MemoryContextSwitchTo(old);
}

/* ---- binding ---- */

static Datum
names_of(Oid relid, int n, const AttrNumber *attnums)
{
	Datum	   *names = palloc(sizeof(Datum) * n);

	for (int i = 0; i < n; i++)
	{
		Name		name = palloc0(NAMEDATALEN);

		namestrcpy(name, get_attname(relid, attnums[i], false));
		names[i] = NameGetDatum(name);
	}
	return PointerGetDatum(construct_array(names, n, NAMEOID, NAMEDATALEN, false, TYPALIGN_CHAR));
}

static Datum
numbers_of(int n, const AttrNumber *attnums)
{
	Datum	   *numbers = palloc(sizeof(Datum) * n);

	for (int i = 0; i < n; i++)
		numbers[i] = Int16GetDatum(attnums[i]);
	return PointerGetDatum(construct_array(numbers, n, INT2OID, sizeof(int16), true, TYPALIGN_SHORT));
}

static Datum
whole_numbers(int n, const int *numbers)
{
	Datum	   *values = palloc(sizeof(Datum) * (n + 1));

	for (int i = 0; i < n; i++)
		values[i] = Int32GetDatum(numbers[i]);
	return PointerGetDatum(construct_array(values, n, INT4OID, sizeof(int32), true, TYPALIGN_INT));
}

/* What was read of its row was all that nobody else had changed it to: else what the other has found spent would be written over. */
static void
require_one_row(Oid child)
{
	if (SPI_processed != 1)
		ereport(ERROR,
				(errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
				 errmsg("the parent of table \"%s\" was declared meanwhile", get_rel_name(child)),
				 errhint("Try again.")));
}

void
pegs_bind(const PegsBound *before, Oid parent, int n, const AttrNumber *attnums, const int *children, int nchildren, int at_most)
{
	Oid			root = pegs_payer(parent);
	Oid			child = before->child;
	bool		same = before->is && before->parent == parent;
	PegsAccount account;
	PegsBought	spent = {0};
	PegsAs		saved;
	PegsArg		args[11];

	if (!same)
		require_unspent(child, AccessShareLock);
	if (pegs_read_budget(root, &account))
		(void) pegs_read_spent(&account, AccessShareLock, true, &spent);
	args[0] = (PegsArg) {REGCLASSOID, ObjectIdGetDatum(child), false};
	args[1] = (PegsArg) {REGCLASSOID, ObjectIdGetDatum(parent), false};
	args[2] = (PegsArg) {INT2ARRAYOID, numbers_of(n, attnums), false};
	args[3] = (PegsArg) {NAMEARRAYOID, names_of(child, n, attnums), false};
	args[4] = (PegsArg) {REGCLASSOID, ObjectIdGetDatum(same ? before->root : root), false};
	args[5] = (PegsArg) {INT8OID, Int64GetDatum(same ? before->then.epsilon : spent.from.epsilon), false};
	args[6] = (PegsArg) {INT8OID, Int64GetDatum(same ? before->then.delta : spent.from.delta), false};
	args[7] = (PegsArg) {INT8OID, Int64GetDatum(same ? before->then.rho : spent.from.rho), false};
	args[8] = (PegsArg) {INT4ARRAYOID, whole_numbers(nchildren, children), nchildren == 0};
	args[9] = (PegsArg) {INT4OID, Int32GetDatum(at_most), at_most == 0};
	args[10] = (PegsArg) {XIDOID, TransactionIdGetDatum(before->made), false};
	pegs_begin_as_extension(&saved);
	pegs_spi_now("INSERT INTO pegs_internal.parent AS p (source, parent, attnums, relation, columns, root, epsilon_then, delta_then, rho_then, children, at_most)"
				 " VALUES ($1, $2, $3, $1::pg_catalog.oid, $4, $5, $6, $7, $8, $9, $10)"
				 " ON CONFLICT (source) DO UPDATE SET parent = excluded.parent, attnums = excluded.attnums, relation = excluded.relation,"
				 " columns = excluded.columns, root = excluded.root, epsilon_then = excluded.epsilon_then, delta_then = excluded.delta_then,"
				 " rho_then = excluded.rho_then, children = excluded.children, at_most = excluded.at_most"
				 " WHERE p.xmin = $11", SPI_OK_INSERT, 11, args);
	require_one_row(child);
	pegs_end_as(&saved);
	pegs_note_origin(child);
	pegs_note_origin(parent);
	pegs_note_origin(root);
	note_changed(child);
}

void
pegs_unbind(const PegsBound *bound)
{
	PegsBound	since;
	PegsAs		saved;
	PegsArg		args[6] = {{REGCLASSOID, ObjectIdGetDatum(bound->child), false}};

	/* what was spent first: those below would be let go in vain */
	if (!find_since(bound, pegs_payer(bound->child), &since))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("it is not known what has paid for \"%s\" since it was bound", get_rel_name(bound->child)),
				 errdetail("A table above it was dropped, or let go."),
				 errhint("Copy the rows that are still needed into a new table, and leave as much unspent there.")));
	require_unspent_since(&since, AccessShareLock);
	require_none_below(bound->child);
	args[1] = (PegsArg) {REGCLASSOID, ObjectIdGetDatum(since.root), false};
	args[2] = (PegsArg) {INT8OID, Int64GetDatum(since.then.epsilon), false};
	args[3] = (PegsArg) {INT8OID, Int64GetDatum(since.then.delta), false};
	args[4] = (PegsArg) {INT8OID, Int64GetDatum(since.then.rho), false};
	args[5] = (PegsArg) {XIDOID, TransactionIdGetDatum(bound->made), false};
	pegs_begin_as_extension(&saved);
	pegs_spi_now("UPDATE pegs_internal.parent SET parent = NULL, root = $2, epsilon_then = $3, delta_then = $4, rho_then = $5 WHERE source = $1 AND xmin = $6",
				 SPI_OK_UPDATE, 6, args);
	require_one_row(bound->child);
	pegs_end_as(&saved);
	note_changed(bound->child);
}
