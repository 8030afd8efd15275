/*
 * elsewhere.c
 *	  Have rows that an account pays for been paid for by another one here?
 *
 * A foreign table is a name for rows of another server, and there may be a second
 * one for the same. What one account has spent on them the other spends again,
 * and no total says so. What the catalog of this server tells is asked
 * (source/same_rows.c), and nothing of another server. Law L3.
 *
 * It is asked at each charge, whoever calls: a foreign table can be pointed at
 * other rows when it has a budget. An account that has spent nothing is refused
 * where another one of the same owner has spent: that one pays. All else is a
 * warning: of two that have spent both would be locked out for ever, and whoever
 * may use the server could lock out somebody else by a foreign table of his own.
 */
#include "budget/account.h"
#include "budget/budget.h"
#include "source/source.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/pg_class.h"
#include "catalog/pg_foreign_table.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"
#include "utils/tuplestore.h"

/* Without any no two tables stand for the same rows. */
static bool
any_is_foreign(void)
{
	Relation	rel = table_open(ForeignTableRelationId, AccessShareLock);
	SysScanDesc scan = systable_beginscan(rel, InvalidOid, false, NULL, 0, NULL);
	bool		any = HeapTupleIsValid(systable_getnext(scan));

	systable_endscan(scan);
	table_close(rel, AccessShareLock);
	return any;
}

/* Where rows of other servers are that an account pays for. */
static List *
places_of(Oid account)
{
	return pegs_rows_at(pegs_paid_parts(account), InvalidOid);
}

/* The other accounts, whatever they have spent. */
static List *
find_alike(Oid account)
{
	List	   *found = NIL;
	List	   *places;
	ListCell   *cell;

	if (!any_is_foreign() || (places = places_of(account)) == NIL)
		return NIL;
	foreach(cell, pegs_all_accounts())
		if (lfirst_oid(cell) != account && pegs_rows_meet(places, places_of(lfirst_oid(cell))))
			found = lappend_oid(found, lfirst_oid(cell));
	return found;
}

static bool
has_paid(Oid source)
{
	PegsAccount account;
	PegsBought	spent;

	return pegs_read_budget(source, &account) && pegs_read_spent(&account, AccessShareLock, true, &spent)
		&& (spent.from.epsilon > 0 || spent.from.delta > 0 || spent.from.rho > 0);
}

/* Or rows of it were read without a guarantee: no total says what that cost. */
static bool
has_spent(Oid source)
{
	return pegs_is_uncovered(source) || has_paid(source);
}

/*
 * Who may see the accounts is told which the other is; a grantee may not. What was read without a guarantee counts against the
 * other account, and is no charge of one's own: it costs nothing. Of two that were both read so, each says it of the same rows.
 */
static void
refuse_paid(Oid account, const List *alike)
{
	ListCell   *cell;
	bool		uncovered;

	if (alike == NIL || has_paid(account))
		return;
	uncovered = pegs_is_uncovered(account);
	foreach(cell, alike)
	{
		Oid			other = lfirst_oid(cell);
		bool		tell = pegs_is_curator(other);

		if (pegs_owner_of(other) == pegs_owner_of(account) && (uncovered ? has_paid(other) : has_spent(other)))
			ereport(ERROR,
					(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
					 tell ? errmsg("the account of \"%s\" has spent on rows of \"%s\"", get_rel_name(other), get_rel_name(account))
					 : errmsg("another account has spent on rows of \"%s\"", get_rel_name(account)),
					 errdetail("They stand for the same rows. An account of its own would spend on them again, and no total would say so."),
					 tell ? errhint("Fit the other table: its account pays. SELECT * FROM pegs_ledger WHERE source = %s::regclass; names what it has paid for.", pegs_relation_literal(other))
					 : errhint("Ask the owner of the table, to whom pegs_health() names the other.")));
	}
}

/* Of two for the same rows, that charge for the first time at once, the later one must see it: they go one by one. Advisory in our own table. */
static void
lock_alike(bool lock)
{
	Oid			table = pegs_internal_relation("budget");

	if (lock)
		LockDatabaseObject(table, InvalidOid, 1, ExclusiveLock);
	else
		UnlockDatabaseObject(table, InvalidOid, 1, ExclusiveLock);
}

/* Behind the chargers' lock. What is asked for is looked at behind another. True: others wait for pegs_let_go_alike. */
bool
pegs_hold_alike(Oid account)
{
	pegs_require_there(account);
	if (!any_is_foreign() || !pegs_has_foreign(pegs_paid_parts(account)))
		return false;
	lock_alike(true);
	refuse_paid(account, find_alike(account));
	/* last: where a server is may have changed while one waited, and was compared as it is now */
	pegs_require_read_there(account);
	return true;
}

void
pegs_let_go_alike(void)
{
	lock_alike(false);
}

/* The one that is told: an account of the curator's own, which has spent, else somebody else's. InvalidOid: there is nothing to tell. */
static Oid
worst_of(const List *alike)
{
	Oid			others = InvalidOid;
	ListCell   *cell;

	foreach(cell, alike)
		if (!pegs_is_curator(lfirst_oid(cell)))
			others = lfirst_oid(cell);
		else if (has_spent(lfirst_oid(cell)))
			return lfirst_oid(cell);
	return others;
}

/*
 * One warning, whatever the number of accounts. Who is no curator is told nothing: what is spent on a table is not his to know. Of another owner's
 * account it is told that there is one, and not whether it has spent.
 */
static void
warn_of(Oid account, const List *alike)
{
	Oid			other;
	bool		tell;

	if (!pegs_is_curator(account) || !OidIsValid(other = worst_of(alike)))
		return;
	tell = pegs_is_curator(other);
	ereport(WARNING,
			(tell ? errmsg("the account of \"%s\" has spent on rows of \"%s\", too", get_rel_name(other), get_rel_name(account))
			 : errmsg("another account of this database is for the rows of \"%s\", too", get_rel_name(account)),
			 errdetail("They stand for the same rows, which cost both: what was spent there, and what is spent here. No certificate adds them up."),
			 tell ? errhint("Fit one of the two tables, and leave as much unspent here: SELECT source, spent, delta_spent FROM pegs_budgets; pegs_health() names all such tables.")
			 : errhint("Ask a superuser which that is: SELECT item, state FROM pegs_health() WHERE item LIKE 'rows of%%';")));
}

void
pegs_warn_of_alike(Oid source)
{
	Oid			account = pegs_payer(source);

	warn_of(account, find_alike(account));
}

void
pegs_require_unpaid(Oid account)
{
	List	   *alike = find_alike(account);

	refuse_paid(account, alike);
	warn_of(account, alike);
}

/* Of the same owner: where it is said that rows of a table were read that has no account itself. */
List *
pegs_accounts_alike(Oid table)
{
	List	   *of_owner = NIL;
	ListCell   *cell;

	foreach(cell, find_alike(table))
		if (pegs_owner_of(lfirst_oid(cell)) == pegs_owner_of(table))
			of_owner = lappend_oid(of_owner, lfirst_oid(cell));
	pegs_require_there(table);	/* last, as above */
	return of_owner;
}

/* An account, or this table, that is for rows of a table that is taken as public. Other owners' are not asked: they could be made to hinder. InvalidOid: none is known. */
Oid
pegs_private_alike(Oid public, Oid table)
{
	List	   *places;
	ListCell   *cell;

	if (!any_is_foreign() || (places = places_of(public)) == NIL)
		return InvalidOid;
	foreach(cell, list_append_unique_oid(pegs_all_accounts(), pegs_payer(table)))
		if ((lfirst_oid(cell) == pegs_payer(table) || pegs_owner_of(lfirst_oid(cell)) == pegs_owner_of(public) || pegs_owner_of(lfirst_oid(cell)) == pegs_owner_of(table))
			&& pegs_rows_meet(places, places_of(lfirst_oid(cell))))
			return lfirst_oid(cell);
	return InvalidOid;
}

/* pegs_internal.same_rows(accounts regclass[], OUT source regclass, OUT other regclass) → set of pairs of these, both the caller's */
PG_FUNCTION_INFO_V1(pegs_same_rows_sql);
Datum
pegs_same_rows_sql(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = pegs_materialize(fcinfo, false);
	Datum	   *account;
	bool	   *unknown;
	List	  **places;
	int			n;

	if (PG_ARGISNULL(0) || !any_is_foreign())
		return (Datum) 0;
	deconstruct_array(PG_GETARG_ARRAYTYPE_P(0), REGCLASSOID, sizeof(Oid), true, TYPALIGN_INT, &account, &unknown, &n);
	places = palloc0(sizeof(List *) * Max(n, 1));
	for (int i = 0; i < n; i++)
		if (!unknown[i] && get_rel_relkind(DatumGetObjectId(account[i])) != '\0' && pegs_is_curator(DatumGetObjectId(account[i])))
			places[i] = places_of(DatumGetObjectId(account[i]));
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++)
		{
			Datum		values[2] = {account[i], account[j]};
			bool		nulls[2] = {false};

			CHECK_FOR_INTERRUPTS();
			if (i != j && pegs_rows_meet(places[i], places[j]))
				tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
		}
	return (Datum) 0;
}

/* pegs_internal.served_by(accounts regclass[], OUT source regclass, OUT server oid) → servers of the foreign tables whose rows these pay for, of a curator's */
PG_FUNCTION_INFO_V1(pegs_served_by_sql);
Datum
pegs_served_by_sql(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = pegs_materialize(fcinfo, false);
	Datum	   *account;
	bool	   *unknown;
	ListCell   *cell;
	int			n;

	if (PG_ARGISNULL(0) || !any_is_foreign())
		return (Datum) 0;
	deconstruct_array(PG_GETARG_ARRAYTYPE_P(0), REGCLASSOID, sizeof(Oid), true, TYPALIGN_INT, &account, &unknown, &n);
	for (int i = 0; i < n; i++)
		if (!unknown[i] && get_rel_relkind(DatumGetObjectId(account[i])) != '\0' && pegs_is_curator(DatumGetObjectId(account[i])))
			foreach(cell, pegs_servers_of(pegs_paid_parts(DatumGetObjectId(account[i]))))
			{
				Datum		values[2] = {account[i], ObjectIdGetDatum(lfirst_oid(cell))};
				bool		nulls[2] = {false};

				CHECK_FOR_INTERRUPTS();
				tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
			}
	return (Datum) 0;
}

/* What a relation here shows rows of, by whatever view; the wholes of these; what they are bound to. */
static List *
relations_behind(Oid relid)
{
	MemoryContext outer = CurrentMemoryContext;
	List	   *all = list_make1_oid(relid);
	PegsAs		saved;

	pegs_begin_as_extension(&saved);
	for (int i = 0; i < list_length(all); i++)
	{
		PegsArg		arg = {OIDOID, ObjectIdGetDatum(list_nth_oid(all, i)), false};

		CHECK_FOR_INTERRUPTS();
		pegs_spi_now("SELECT d.refobjid FROM pg_rewrite AS r JOIN pg_depend AS d ON d.classid = 'pg_rewrite'::regclass AND d.objid = r.oid AND d.refclassid = 'pg_class'::regclass WHERE r.ev_class = $1"
					 " UNION ALL SELECT inhparent FROM pg_inherits WHERE inhrelid = $1"
					 " UNION ALL SELECT parent::oid FROM pegs_internal.parent WHERE source = $1 AND parent IS NOT NULL", SPI_OK_SELECT, 1, &arg);
		all = pegs_take_relations(all, outer);
	}
	pegs_end_as(&saved);
	return all;
}

/* Of one foreign table that stands for `here`: a line for the curator of its account, and one for each account of those rows, for its own. */
static void
put_back(ReturnSetInfo *result, const List *accounts, Oid source, Oid part, Oid here)
{
	bool		tell = pegs_is_curator(source);
	Datum		values[5] = {0, ObjectIdGetDatum(source), ObjectIdGetDatum(part), ObjectIdGetDatum(here), BoolGetDatum(tell && has_spent(source))};
	/* of another owner's account it is told that there is one, and not whether it has spent */
	bool		nulls[5] = {true, !tell, !tell, !tell, !tell};
	ListCell   *cell;

	if (tell)
		tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
	nulls[0] = false;
	foreach(cell, relations_behind(here))
		if (lfirst_oid(cell) != source && list_member_oid(accounts, lfirst_oid(cell)) && pegs_is_curator(lfirst_oid(cell)))
		{
			values[0] = ObjectIdGetDatum(lfirst_oid(cell));
			tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
		}
}

/*
 * pegs_internal.led_back(OUT account regclass, OUT source regclass, OUT part regclass, OUT here regclass, OUT spent boolean) → foreign tables that lead back
 * here and are, or are parts of, a source with an account: what was spent there was spent before they did. account: whose rows those are; null: of none.
 */
PG_FUNCTION_INFO_V1(pegs_led_back_sql);
Datum
pegs_led_back_sql(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = pegs_materialize(fcinfo, false);
	List	   *accounts;
	ListCell   *cell;
	ListCell   *part;

	if (!any_is_foreign())
		return (Datum) 0;
	accounts = pegs_all_accounts();
	foreach(cell, accounts)
		foreach(part, pegs_paid_parts(lfirst_oid(cell)))
		{
			Oid			here = pegs_leads_back(lfirst_oid(part), InvalidOid);

			CHECK_FOR_INTERRUPTS();
			if (OidIsValid(here))
				put_back(result, accounts, lfirst_oid(cell), lfirst_oid(part), here);
		}
	return (Datum) 0;
}
