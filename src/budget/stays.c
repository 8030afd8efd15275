/*
 * stays.c
 *	  What was charged is said when its transaction fails at its end.
 *
 * Until what was paid for is stored every error says what was charged (ledger.c).
 * At COMMIT others have a say: another server, whose transaction is ended then, a
 * constraint, a cancel. Their errors do not know of the charge, which stays when its
 * transaction is gone, so it is said behind them. Who calls ROLLBACK, or goes on
 * after the charge into an error of his own, is told no more than before. Law L10.
 */
#include "budget/account.h"
#include "budget/budget.h"

#include "access/xact.h"
#include "nodes/pg_list.h"
#include "utils/memutils.h"

#define MANY_CHARGES 10			/* of a transaction: of more it is said that there are others */

typedef struct Charge
{
	bool		made;
	char	   *words;
} Charge;

static List *charges = NIL;		/* of this transaction, in its memory */
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

/*
 * Before a charge, in its words; set to true when it was made. The newest callback is called first: it must see the end
 * begin before one can fail that was there before.
 */
bool *
pegs_will_stay(const char *words)
{
	MemoryContext old;
	Charge	   *charge;

	UnregisterXactCallback(at_end, NULL);
	RegisterXactCallback(at_end, NULL);
	if (list_length(charges) == MANY_CHARGES)
		return &others;
	old = MemoryContextSwitchTo(TopTransactionContext);
	charge = palloc0(sizeof(Charge));
	charge->words = pstrdup(words);
	charges = lappend(charges, charge);
	MemoryContextSwitchTo(old);
	return &charge->made;
}
