/*
 * refused.c
 *	  Whose slices cannot be fitted, and why: for pegs_health, before the night's job says so.
 *
 * It asks what a fit asks (pegs_require_fittable), by which this cannot fall
 * behind, and undoes it. Nothing of a row is read; a table is told of to its
 * curators alone. Law L10.
 */
#include "slices/slices.h"
#include "source/source.h"

#include "access/xact.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/resowner.h"
#include "utils/syscache.h"
#include "utils/tuplestore.h"

/* Tables with slices. */
static void
find_accounts(void *to)
{
	MemoryContext context = CurrentMemoryContext;
	PegsAs		saved;

	pegs_begin_as_extension(&saved);
	pegs_spi_now("SELECT b.source::pg_catalog.oid FROM pegs_internal.budget AS b"
				 " WHERE EXISTS (SELECT FROM pegs_internal.grid AS g WHERE g.budget = b.id) ORDER BY b.id", SPI_OK_SELECT, 0, NULL);
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		bool		isnull;
		Oid			account = DatumGetObjectId(SPI_getbinval(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, 1, &isnull));
		MemoryContext old = MemoryContextSwitchTo(context);

		*(List **) to = lappend_oid(*(List **) to, account);
		MemoryContextSwitchTo(old);
	}
	pegs_end_as(&saved);
}

static void
ask_for_fit(void *account)
{
	int			n;
	PegsGrid   *grids = pegs_grids_of(*(Oid *) account, false, &n);

	if (n > 0)
		pegs_require_fittable(pegs_source(*(Oid *) account), grids, n);
}

/* What is wrong with a table, and not with this call: that another holds a lock is not. */
static bool
is_of_table(int sqlerrcode)
{
	int			category = ERRCODE_TO_CATEGORY(sqlerrcode);

	if (sqlerrcode == ERRCODE_LOCK_NOT_AVAILABLE)
		return false;
	return category == ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE || category == ERRCODE_FEATURE_NOT_SUPPORTED
		|| category == ERRCODE_SYNTAX_ERROR_OR_ACCESS_RULE_VIOLATION;
}

/* Locks are given back, whatever comes of it. NULL: nothing is wrong. */
static ErrorData *
refusal_of(void (*work) (void *arg), void *arg)
{
	MemoryContext context = CurrentMemoryContext;
	ResourceOwner owner = CurrentResourceOwner;
	ErrorData  *volatile error = NULL;

	BeginInternalSubTransaction(NULL);
	MemoryContextSwitchTo(context);
	PG_TRY();
	{
		work(arg);
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(context);
		error = CopyErrorData();
		FlushErrorState();
	}
	PG_END_TRY();
	RollbackAndReleaseCurrentSubTransaction();
	MemoryContextSwitchTo(context);
	CurrentResourceOwner = owner;
	if (error && !is_of_table(error->sqlerrcode))
		ReThrowError(error);
	return error;
}

/* pegs_internal.slices_refused(OUT source regclass, OUT why text, OUT remedy text) → set of those */
PG_FUNCTION_INFO_V1(pegs_slices_refused);
Datum
pegs_slices_refused(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = pegs_materialize(fcinfo, false);
	List	   *accounts = NIL;
	ListCell   *cell;

	/* where pegs_internal is not ours, another line of pegs_health says so */
	if (refusal_of(find_accounts, &accounts) != NULL)
		return (Datum) 0;
	foreach(cell, accounts)
	{
		Oid			account = lfirst_oid(cell);
		ErrorData  *error;
		Datum		values[3];
		bool		nulls[3] = {false};

		CHECK_FOR_INTERRUPTS();
		if (!SearchSysCacheExists1(RELOID, ObjectIdGetDatum(account)) || !pegs_is_curator(account))
			continue;
		error = refusal_of(ask_for_fit, &account);
		if (error == NULL)
			continue;
		values[0] = ObjectIdGetDatum(account);
		values[1] = CStringGetTextDatum(error->message);
		nulls[2] = error->hint == NULL;
		values[2] = nulls[2] ? (Datum) 0 : CStringGetTextDatum(error->hint);
		tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
	}
	return (Datum) 0;
}
