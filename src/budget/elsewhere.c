/*
 * elsewhere.c
 *	  Have rows that a new account would pay for been paid for by another one here?
 *
 * A foreign table is a name for rows of another server, and there may be a second
 * one for the same. What another account has spent on them the new one would spend
 * again, and no total would say so. What the catalog of this server tells is asked
 * (source/same_rows.c), and nothing of another server. Not of a table whose rows
 * are its own: a foreign table that leads back to it may have spent. Law L3.
 */
#include "budget/account.h"
#include "budget/budget.h"
#include "source/source.h"

#include "catalog/pg_inherits.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "utils/lsyscache.h"

/* Tables that have an account, but this one; in the caller's memory. */
static List *
other_accounts(Oid source)
{
	MemoryContext outer = CurrentMemoryContext;
	PegsArg		args[1] = {{REGCLASSOID, ObjectIdGetDatum(source), false}};
	List	   *others = NIL;
	PegsAs		saved;

	pegs_begin_as_extension(&saved);
	pegs_spi("SELECT source FROM pegs_internal.budget WHERE source <> $1 ORDER BY source", SPI_OK_SELECT, 1, args);
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		bool		isnull;
		Oid			other = DatumGetObjectId(SPI_getbinval(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, 1, &isnull));
		MemoryContext inner = MemoryContextSwitchTo(outer);

		others = lappend_oid(others, other);
		MemoryContextSwitchTo(inner);
	}
	pegs_end_as(&saved);
	return others;
}

void
pegs_require_unpaid(Oid source)
{
	List	   *parts = find_all_inheritors(source, NoLock, NULL);
	ListCell   *cell;

	if (!pegs_has_foreign(parts))
		return;
	foreach(cell, other_accounts(source))
	{
		Oid			other = lfirst_oid(cell);
		PegsAccount account;
		PegsBought	spent;
		bool		curated;

		/* of a table that was dropped nobody knows where its rows were */
		if (get_rel_relkind(other) == '\0' || !pegs_same_rows_as(parts, find_all_inheritors(other, NoLock, NULL)) || !pegs_read_budget(other, &account)
			|| !pegs_read_spent(&account, AccessShareLock, true, &spent)
			|| (spent.from.epsilon == 0 && spent.from.delta == 0 && spent.from.rho == 0))
			continue;
		/* whose account it is, is told to those who see it */
		curated = pegs_is_curator(other);
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 curated ? errmsg("the account of \"%s\" has spent on rows of \"%s\"", get_rel_name(other), get_rel_name(source))
				 : errmsg("another account of this database has spent on rows of \"%s\"", get_rel_name(source)),
				 errdetail("They stand for the same rows elsewhere. An account of its own would spend on them again, and no total would say so."),
				 !curated ? errhint("Ask a superuser which that is: SELECT item, state FROM pegs_health() WHERE item LIKE 'rows of%%';")
				 : errhint("Fit the other table: its account pays. SELECT * FROM pegs_ledger WHERE source = %s::regclass; names what it has paid for.",
						 pegs_relation_literal(other))));
	}
}
