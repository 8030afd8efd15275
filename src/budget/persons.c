/*
 * persons.c
 *	  Tables whose rows are about persons, though no account is theirs: by a chain
 *	  of foreign keys they refer to rows of a table that has an account, or that is
 *	  bound to one.
 *
 * What is taken as public must be no such table: which of its rows there are is
 * told by those whose they are. By the catalog and the declarations alone, law
 * L1. Tables on the way are neither opened nor locked (law L9), and each is
 * looked at once, so circles end.
 */
#include "budget/budget.h"
#include "budget/bound.h"
#include "source/source.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/indexing.h"
#include "catalog/pg_constraint.h"
#include "catalog/pg_inherits.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/hsearch.h"
#include "utils/lsyscache.h"

/* ---- the way ---- */

typedef bool (*Wanted) (Oid whole, const Oid *of);

typedef struct Walk
{
	Relation	constraints;
	HTAB	   *seen;
	List	   *tables;			/* in the order in which they are looked at: the nearest first */
} Walk;

/* It and its parts, whose foreign keys say of its rows whose they are. */
static void
add_table(Walk *walk, Oid relid)
{
	ListCell   *cell;

	foreach(cell, find_all_inheritors(relid, NoLock, NULL))
	{
		bool		found;

		(void) hash_search(walk->seen, &lfirst_oid(cell), HASH_ENTER, &found);
		if (!found)
			walk->tables = lappend_oid(walk->tables, lfirst_oid(cell));
	}
}

/* It and all of which it is a part, also where these are several (pegs_topmost is for sources, which may not be so). */
static List *
wholes_of(Oid relid)
{
	Relation	inherits = table_open(InheritsRelationId, AccessShareLock);
	List	   *wholes = list_make1_oid(relid);

	for (int i = 0; i < list_length(wholes); i++)
	{
		ScanKeyData key;
		SysScanDesc scan;
		HeapTuple	row;

		ScanKeyInit(&key, Anum_pg_inherits_inhrelid, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(list_nth_oid(wholes, i)));
		scan = systable_beginscan(inherits, InheritsRelidSeqnoIndexId, true, NULL, 1, &key);
		while (HeapTupleIsValid(row = systable_getnext(scan)))
			wholes = list_append_unique_oid(wholes, ((Form_pg_inherits) GETSTRUCT(row))->inhparent);
		systable_endscan(scan);
	}
	table_close(inherits, AccessShareLock);
	return wholes;
}

static Oid
first_wanted(List *wholes, Wanted wanted, const Oid *of)
{
	ListCell   *cell;

	foreach(cell, wholes)
		if (wanted(lfirst_oid(cell), of))
			return lfirst_oid(cell);
	return InvalidOid;
}

/* The whole that is wanted to which a foreign key of this table refers; tables that it refers to are looked at later. */
static Oid
look_at(Walk *walk, Oid relid, Wanted wanted, const Oid *of)
{
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple	row;
	Oid			found = InvalidOid;

	ScanKeyInit(&key, Anum_pg_constraint_conrelid, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(relid));
	scan = systable_beginscan(walk->constraints, ConstraintRelidTypidNameIndexId, true, NULL, 1, &key);
	while (!OidIsValid(found) && HeapTupleIsValid(row = systable_getnext(scan)))
	{
		Form_pg_constraint form = (Form_pg_constraint) GETSTRUCT(row);

		if (form->contype != CONSTRAINT_FOREIGN || hash_search(walk->seen, &form->confrelid, HASH_FIND, NULL))
			continue;
		found = first_wanted(wholes_of(form->confrelid), wanted, of);
		if (!OidIsValid(found))
			add_table(walk, form->confrelid);
	}
	systable_endscan(scan);
	return found;
}

/* The nearest table that is wanted on the ways that lead from this one by foreign keys; not itself. InvalidOid: there is none. */
static Oid
first_on_the_way(Oid table, Wanted wanted, const Oid *of)
{
	HASHCTL		control = {.keysize = sizeof(Oid), .entrysize = sizeof(Oid), .hcxt = CurrentMemoryContext};
	Walk		walk = {table_open(ConstraintRelationId, AccessShareLock),
		hash_create("tables on the way", 64, &control, HASH_ELEM | HASH_BLOBS | HASH_CONTEXT), NIL};
	Oid			found = InvalidOid;

	add_table(&walk, table);
	for (int i = 0; i < list_length(walk.tables) && !OidIsValid(found); i++)
	{
		CHECK_FOR_INTERRUPTS();
		found = look_at(&walk, list_nth_oid(walk.tables, i), wanted, of);
	}
	hash_destroy(walk.seen);
	table_close(walk.constraints, AccessShareLock);
	return found;
}

/* ---- private tables ---- */

/* of: whose rows are private, whether it has an account yet or not, and its root */
static bool
is_private(Oid whole, const Oid *of)
{
	return whole == of[0] || whole == of[1] || pegs_has_account(whole, whole);
}

/* The private table to which rows of this one lead, for models of that account; InvalidOid: to none, and it is not asked whether it is private itself. */
Oid
pegs_leads_to_persons(Oid table, Oid account)
{
	Oid			of[2] = {account, pegs_payer(account)};

	return first_on_the_way(table, is_private, of);
}

static bool
is_this(Oid whole, const Oid *of)
{
	return whole == of[0];
}

/* Are rows of a table those of this one, or refer they to such, by whatever way? */
bool
pegs_is_or_leads_to(Oid table, Oid to)
{
	return list_member_oid(wholes_of(table), to) || pegs_leads_to(table, to);
}

/* Do they refer to such? */
bool
pegs_leads_to(Oid table, Oid to)
{
	return OidIsValid(first_on_the_way(table, is_this, &to));
}

/* What there is to say of it to the caller, who may not know that a table of somebody else has an account. */
char *
pegs_private_words(Oid table)
{
	return pegs_is_curator(table) ? psprintf("\"%s\"", get_rel_name(table)) : pstrdup("a table of another role");
}
