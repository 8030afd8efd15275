/*
 * stays.c
 *	  What was charged is said when its transaction fails at its end.
 *
 * Until what was paid for is stored every error says what was charged (ledger.c).
 * At COMMIT others have a say: another server, whose transaction is ended then, a
 * constraint, a cancel. Their errors do not know of the charge, which stays when its
 * transaction is gone, so it is said behind them. Who calls ROLLBACK, or goes on
 * after the charge into an error of his own, is told no more than before. Nor is it
 * said where a deferred constraint or trigger of here fails COMMIT, which is before
 * its end begins for us; where postgres_fdw was first used after the charge, whose
 * callback is the newer one; or where a subtransaction fails at its end. Law L10.
 */
#include "budget/account.h"
#include "budget/budget.h"

#include "access/xact.h"
#include "nodes/pg_list.h"
#include "storage/lock.h"
#include "utils/memutils.h"

#define MANY_CHARGES 10			/* of a transaction: of more it is said that there are others */

typedef struct Charge
{
	bool		made;
	char	   *words;
} Charge;

static List *charges = NIL;		/* of that transaction, in its memory */
static LocalTransactionId charged_in = InvalidLocalTransactionId;
static bool others = false;
static bool ends = false;

static void
say_all(void)
{
	ListCell   *cell;

	foreach(cell, charges)
	{
		const Charge *charge = lfirst(cell);

		if (charge->made)
			ereport(WARNING,
					(errmsg("%s", charge->words),
					 errdetail("The charge stays. What it bought is gone: the transaction failed when it was to be committed."),
					 errhint("Each try is charged: find out first why it failed.")));
	}
	if (others)
		ereport(WARNING, (errmsg("there are more charges of this transaction, and they stay, too")));
}

static void
at_end(XactEvent event, void *arg)
{
	switch (event)
	{
		case XACT_EVENT_PRE_COMMIT:
		case XACT_EVENT_PRE_PREPARE:
			ends = true;
			break;
		case XACT_EVENT_ABORT:
			if (ends)
				say_all();
			/* FALLTHROUGH */
		case XACT_EVENT_COMMIT:
		case XACT_EVENT_PREPARE:
			charges = NIL;		/* its memory goes with the transaction */
			others = ends = false;
			break;
		default:
			break;
	}
}

/* That of a try that was refused is free again. NULL: all are taken. */
static Charge *
free_place(void)
{
	ListCell   *cell;
	Charge	   *charge;

	foreach(cell, charges)
		if (!((Charge *) lfirst(cell))->made)
			return lfirst(cell);
	if (list_length(charges) == MANY_CHARGES)
		return NULL;
	charge = palloc0(sizeof(Charge));
	charges = lappend(charges, charge);
	return charge;
}

/*
 * Before a charge, in its words; set to true when it was made. The newest callback is called first: it must see the end
 * begin before one can fail that was there before.
 */
bool *
pegs_will_stay(const char *words)
{
	MemoryContext old = MemoryContextSwitchTo(TopTransactionContext);
	Charge	   *charge;

	/* without memory to register it an earlier transaction has ended unseen, and its memory with it */
	if (charged_in != pegs_transaction())
	{
		charges = NIL;
		others = ends = false;
		charged_in = pegs_transaction();
	}
	charge = free_place();
	UnregisterXactCallback(at_end, NULL);
	RegisterXactCallback(at_end, NULL);
	if (charge && charge->words)
		pfree(charge->words);
	if (charge)
		charge->words = pstrdup(words);
	MemoryContextSwitchTo(old);
	return charge ? &charge->made : &others;
}
