/*
 * streamed.c
 *	  Rows in the select list, which are never all there at once.
 *
 * What stands in FROM the executor puts into a tuplestore, whatever its
 * function does, and beyond work_mem into a temporary file. What stands in the
 * select list is asked for one row after the other: so as many rows as anybody
 * wants go into a table through the memory of one batch, and a LIMIT makes no
 * more batches than it has to.
 *
 * It is for what writes nothing and gives the same rows to the same call, as
 * (f(...)).* is a call for every column, and a join one for every row: what
 * charges, and rows with a fresh key, are refused there. What a caller may
 * change between two rows is looked at before each.
 */
#include "rows/rows.h"

#include "funcapi.h"
#include "miscadmin.h"
#include "utils/memutils.h"
#include "utils/typcache.h"

typedef struct PegsStreamed
{
	PegsRows   *rows;
	PegsNextRow next;
	void	   *from;
	uint16_t   *room;			/* for the codes of a row */
	HeapTupleHeader *few;		/* made, and not given yet */
	int			nfew;
	int			given;			/* of them */
	MemoryContext context;
	uint64		type;			/* identifies the row type as it was */
} PegsStreamed;

bool
pegs_in_select_list(FunctionCallInfo fcinfo)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;

	return result != NULL && IsA(result, ReturnSetInfo) && (result->allowedModes & SFRM_ValuePerCall)
		&& !(result->allowedModes & SFRM_Materialize_Preferred);
}

static uint64
type_as_it_is(FunctionCallInfo fcinfo)
{
	return assign_record_type_identifier(get_fn_expr_rettype(fcinfo->flinfo), -1);
}

/* In the memory of the first call. */
void
pegs_streamed(FunctionCallInfo fcinfo, PegsRows *rows, PegsNextRow next, void *from, uint16_t *room)
{
	FuncCallContext *call = fcinfo->flinfo->fn_extra;
	PegsStreamed *streamed = palloc0(sizeof(PegsStreamed));

	streamed->rows = rows;
	streamed->next = next;
	streamed->from = from;
	streamed->room = room;
	streamed->context = CurrentMemoryContext;
	streamed->type = type_as_it_is(fcinfo);
	call->user_fctx = streamed;
}

/* PEGS_CHUNK rows more, or what is left. */
static void
make_few(PegsStreamed *streamed)
{
	MemoryContext old = MemoryContextSwitchTo(streamed->context);

	pegs_rows_go_on(streamed->rows);
	for (int i = 0; i < PEGS_CHUNK && streamed->next(streamed->from, streamed->rows, streamed->room); i++)
		pegs_rows_put(streamed->rows, streamed->room);
	pegs_rows_end(streamed->rows);
	streamed->few = pegs_rows_few(streamed->rows, &streamed->nfew);
	streamed->given = 0;
	MemoryContextSwitchTo(old);
}

/* What the function returns, at every call. */
Datum
pegs_streamed_row(FunctionCallInfo fcinfo)
{
	FuncCallContext *call = SRF_PERCALL_SETUP();
	PegsStreamed *streamed = call->user_fctx;

	if (streamed->type != type_as_it_is(fcinfo))
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("the row type has changed since the query was planned"),
				 errhint("Run the query again.")));
	if (streamed->given == streamed->nfew)
		make_few(streamed);
	if (streamed->nfew == 0)
		SRF_RETURN_DONE(call);
	SRF_RETURN_NEXT(call, HeapTupleHeaderGetDatum(streamed->few[streamed->given++]));
}
