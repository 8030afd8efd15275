/*
 * computed.c
 *	  Columns of a model that are computed from those that it draws, row by row.
 *
 * The expression was looked at when it was declared, and is again here, before
 * a charge: it runs in the session of whoever asked for the rows (law L9), but
 * with our settings, so that it gives every session the same. What it refuses
 * of a row that was drawn (a division by zero, a text that is too long) is found
 * after the charge, and makes NULL of the value: nothing fails then (law L2).
 * No subtransaction is needed for that: a built-in function holds nothing when
 * it refuses its arguments, and those in SQL are not run.
 */
#include "rows/rows.h"
#include "codes/codes.h"
#include "facts/facts.h"

#include "access/tupdesc.h"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/datum.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"

struct PegsComputed
{
	ExprState  *state;
	ExprContext *context;
	int16		length;			/* of its type */
	bool		byval;
	bool	   *reads;			/* [columns of the model] */
};

struct PegsRow
{
	const PegsDomain *domain;
	EState	   *estate;
	TupleTableSlot *slot;		/* the columns that are drawn */
};

int
pegs_row_column(const PegsDomain *domain, Form_pg_attribute att)
{
	int			column = pegs_domain_find(domain, NameStr(att->attname));

	if (att->attisdropped || (column >= 0 && domain->column[column].part))
		return -1;				/* what is hidden is nobody's column */
	return pegs_derived_find(domain, NameStr(att->attname)) ? domain->ncols : column;
}

/* Columns whose type is gone are never read: their place is kept. */
PegsRow *
pegs_row(const PegsDomain *domain)
{
	PegsRow    *row = palloc0(sizeof(PegsRow));
	TupleDesc	desc = CreateTemplateTupleDesc(domain->ncols);

	for (int i = 0; i < domain->ncols; i++)
		TupleDescInitEntry(desc, i + 1, NULL, OidIsValid(domain->column[i].type) ? domain->column[i].type : BOOLOID,
						   domain->column[i].typmod, 0);
	row->domain = domain;
	row->estate = CreateExecutorState();
	row->slot = MakeSingleTupleTableSlot(desc, &TTSOpsVirtual);
	for (int i = 0; i < domain->ncols; i++)
		row->slot->tts_isnull[i] = true;
	ExecStoreVirtualTuple(row->slot);
	return row;
}

static bool
note_column(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, Var))
		((bool *) context)[((Var *) node)->varattno - 1] = true;
	return expression_tree_walker(node, note_column, context);
}

/* An error if it cannot be computed any more. */
PegsComputed *
pegs_computed(PegsRow *row, const PegsDerived *derived)
{
	PegsComputed *computed = palloc0(sizeof(PegsComputed));
	int			level = pegs_pin_expression();
	Node	   *expression = pegs_expression(derived, row->domain);

	computed->reads = palloc0(sizeof(bool) * (row->domain->ncols + 1));
	(void) note_column(expression, computed->reads);
	get_typlenbyval(derived->type, &computed->length, &computed->byval);
	computed->context = CreateExprContext(row->estate);
	computed->context->ecxt_scantuple = row->slot;
	computed->state = ExecPrepareExpr((Expr *) expression, row->estate);
	AtEOXact_GUC(false, level);
	return computed;
}

bool
pegs_computed_reads(const PegsComputed *computed, int column)
{
	return computed->reads[column];
}

/* Where the values that were drawn are put. */
Datum *
pegs_row_values(PegsRow *row, bool **nulls)
{
	*nulls = row->slot->tts_isnull;
	return row->slot->tts_values;
}

/* Not a word about the row: somebody ends the command, or the server cannot go on. */
static bool
is_of_the_server(int sqlerrcode)
{
	switch (ERRCODE_TO_CATEGORY(sqlerrcode))
	{
		case ERRCODE_OPERATOR_INTERVENTION:
		case ERRCODE_INSUFFICIENT_RESOURCES:
		case ERRCODE_TRANSACTION_ROLLBACK:
		case ERRCODE_SYSTEM_ERROR:
			return true;
		case ERRCODE_INTERNAL_ERROR:	/* also what two texts are together, if that is too long */
			return sqlerrcode != ERRCODE_INTERNAL_ERROR;
		default:
			return false;
	}
}

/*
 * In this memory, between pegs_pin_expression and its end. What it cannot be of
 * this row is NULL, whichever class its error has: chr(0) is a limit, a unit
 * that date_part does not know is a feature. What it needed on its way is free
 * again.
 */
Datum
pegs_compute(PegsComputed *computed, MemoryContext memory, bool *isnull)
{
	volatile Datum value = 0;

	PG_TRY();
	{
		value = ExecEvalExprSwitchContext(computed->state, computed->context, isnull);
		if (!*isnull)
			value = datumCopy(value, computed->byval, computed->length);
	}
	PG_CATCH();
	{
		if (is_of_the_server(geterrcode()))
			PG_RE_THROW();
		MemoryContextSwitchTo(memory);
		FlushErrorState();
		*isnull = true;
	}
	PG_END_TRY();
	ResetExprContext(computed->context);
	return value;
}
