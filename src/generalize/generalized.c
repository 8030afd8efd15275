/*
 * generalized.c
 *	  The rows of a table by a plan: pegs_generalized.
 *
 * The table is read anew and the criteria are measured anew: a class that fails
 * now is suppressed now, and the suppressed rows are left out unless they meet
 * the criteria together. So what comes out meets them, whatever has changed.
 *
 * These are rows without a guarantee. The line of the ledger that says so is
 * there before the first row, for ever, even if the transaction is rolled back.
 * How many rows were read, and left out, nobody else sees: files that hold them
 * are quiet. Laws L2, L5, L6.
 */
#include "generalize/generalize.h"
#include "budget/budget.h"

#include "access/table.h"
#include "catalog/pg_operator_d.h"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/tuplesort.h"
#include "utils/tuplestore.h"

#define INT8_LESS 412			/* < of two bigint: pg_operator */

typedef struct Shown
{
	PegsGeneral *general;
	TupleDesc	desc;			/* the caller's column list */
	int		   *key;			/* [natts] which key; -1: another column, */
	int		   *other;			/* [natts] and which of them */
	List	   *others;			/* of AttrNumber */
	pegs_tuples *tuples;
	pegs_boxes	boxes;
	bool	   *keep;
	bool		rest_too;
} Shown;

/* ---- the caller's column list ---- */

static void
refuse_type(const PegsGeneral *general, Form_pg_attribute asked, Oid type, int32 typmod)
{
	ereport(ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
			 errmsg("column \"%s\" is of type %s here, not %s", NameStr(asked->attname), format_type_with_typemod(type, typmod),
					format_type_with_typemod(asked->atttypid, asked->atttypmod)),
			 errhint("Every key is a text, every other column as it is in the table: AS t(%s %s, ...). The member row_type of the plan has all of them.",
					 quote_identifier(NameStr(asked->attname)), pegs_type_words(type, typmod))));
}

/* Is the column among those that the caller chose? */
static void
require_chosen(const PegsGeneral *general, List *columns, const char *name)
{
	ListCell   *cell;

	if (columns == NIL)
		return;
	foreach(cell, columns)
		if (strcmp(lfirst(cell), name) == 0)
			return;
	ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_COLUMN),
			 errmsg("column \"%s\" is neither a key nor one of columns", name),
			 errhint("Leave columns out to take every column of %s.", general->source->name)));
}

static Form_pg_attribute
find_attribute(TupleDesc desc, const char *name)
{
	for (int i = 0; i < desc->natts; i++)
		if (!TupleDescAttr(desc, i)->attisdropped && strcmp(NameStr(TupleDescAttr(desc, i)->attname), name) == 0)
			return TupleDescAttr(desc, i);
	return NULL;
}

static void
require_column(const PegsGeneral *general, TupleDesc desc, const char *name)
{
	if (find_attribute(desc, name) == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_COLUMN),
				 errmsg("column \"%s\" of %s does not exist", name, general->source->name),
				 errhint("SELECT column_name FROM pegs_domain(%s);", quote_literal_cstr(general->source->name))));
}

static void
match_columns(Shown *shown, List *columns)
{
	const PegsGeneral *general = shown->general;
	Relation	rel = table_open(general->source->relid, NoLock);
	TupleDesc	table = RelationGetDescr(rel);
	ListCell   *cell;

	foreach(cell, columns)
		require_column(general, table, lfirst(cell));
	shown->key = palloc(sizeof(int) * (shown->desc->natts + 1));
	shown->other = palloc(sizeof(int) * (shown->desc->natts + 1));
	for (int i = 0; i < shown->desc->natts; i++)
	{
		Form_pg_attribute asked = TupleDescAttr(shown->desc, i);
		const char *name = NameStr(asked->attname);
		int			at = pegs_domain_find(general->domain, name);
		Form_pg_attribute own;

		shown->key[i] = at >= 0 && at < (int) general->nkeys ? at : -1;
		shown->other[i] = -1;
		if (shown->key[i] >= 0)
		{
			if (asked->atttypid != TEXTOID)
				refuse_type(general, asked, TEXTOID, -1);
			continue;
		}
		require_column(general, table, name);
		require_chosen(general, columns, name);
		own = find_attribute(table, name);
		if (asked->atttypid != own->atttypid || (asked->atttypmod >= 0 && asked->atttypmod != own->atttypmod))
			refuse_type(general, asked, own->atttypid, own->atttypmod);
		shown->other[i] = list_length(shown->others);
		shown->others = lappend_int(shown->others, own->attnum);
	}
	table_close(rel, NoLock);
}

/* ---- rows ---- */

/* The class' labels: [nkeys] Datums, the same for all its rows. */
static void
put_labels(const Shown *shown, uint32 class, Datum *labels, bool *nulls)
{
	const PegsGeneral *general = shown->general;

	for (uint32 j = 0; j < general->nkeys; j++)
	{
		const pegs_side *side = &shown->boxes.side[(size_t) class * general->nkeys + j];
		char	   *label = shown->keep[class] ? pegs_general_label(general, j, side) : "*";

		nulls[j] = label == NULL;
		labels[j] = label ? CStringGetTextDatum(label) : (Datum) 0;
	}
}

/* A number to sort by, then the caller's columns. */
static TupleDesc
sorted_desc(TupleDesc desc)
{
	TupleDesc	sorted = CreateTemplateTupleDesc(desc->natts + 1);

	TupleDescInitEntry(sorted, 1, "place", INT8OID, -1, 0);
	for (int i = 0; i < desc->natts; i++)
		TupleDescCopyEntry(sorted, (AttrNumber) (i + 2), desc, (AttrNumber) (i + 1));
	return sorted;
}

/* All rows that are shown, each with a random place. */
static void
put_rows(const Shown *shown, const PegsTaken *taken, Tuplesortstate *sort, TupleDesc desc)
{
	uint32		nkeys = shown->general->nkeys;
	TupleTableSlot *in = taken->store ? MakeSingleTupleTableSlot(taken->desc, &TTSOpsMinimalTuple) : NULL;
	TupleTableSlot *out = MakeSingleTupleTableSlot(desc, &TTSOpsVirtual);
	MemoryContext scratch = AllocSetContextCreate(CurrentMemoryContext, "pegs generalized", ALLOCSET_DEFAULT_SIZES);
	Datum	   *labels = palloc(sizeof(Datum) * (nkeys + 1));
	bool	   *nulls = palloc(sizeof(bool) * (nkeys + 1));
	uint8		key[PEGS_KEY_BYTES];
	pegs_rng   *rng;

	pegs_new_key(key);
	rng = pegs_rng_in(CurrentMemoryContext, key, 0);
	explicit_bzero(key, sizeof(key));
	for (uint64 r = 0; r < taken->table.nrows; r++)
	{
		uint32		class = shown->boxes.of[shown->tuples->of[r]];
		MemoryContext old;

		CHECK_FOR_INTERRUPTS();
		if (in && !tuplestore_gettupleslot(taken->store, true, false, in))
			elog(ERROR, "a row is missing");
		if (!shown->keep[class] && !shown->rest_too)
			continue;
		old = MemoryContextSwitchTo(scratch);
		put_labels(shown, class, labels, nulls);
		MemoryContextSwitchTo(old);
		ExecClearTuple(out);
		if (in)
			slot_getallattrs(in);
		out->tts_values[0] = Int64GetDatum((int64) pegs_rng_u64(rng));
		out->tts_isnull[0] = false;
		for (int i = 0; i < shown->desc->natts; i++)
		{
			bool		is_key = shown->key[i] >= 0;

			if (!is_key && in == NULL)
				elog(ERROR, "a column was not taken");
			out->tts_values[i + 1] = is_key ? labels[shown->key[i]] : in->tts_values[shown->other[i]];
			out->tts_isnull[i + 1] = is_key ? nulls[shown->key[i]] : in->tts_isnull[shown->other[i]];
		}
		ExecStoreVirtualTuple(out);
		tuplesort_puttupleslot(sort, out);
		MemoryContextReset(scratch);
	}
	if (in)
		ExecDropSingleTupleTableSlot(in);
	ExecDropSingleTupleTableSlot(out);
}

static Tuplesortstate *
sort_rows(const Shown *shown, const PegsTaken *taken, TupleDesc desc)
{
	AttrNumber	column = 1;
	Oid			less = INT8_LESS;
	Oid			collation = InvalidOid;
	bool		nulls_first = false;
#if PG_VERSION_NUM >= 150000
	Tuplesortstate *sort = tuplesort_begin_heap(desc, 1, &column, &less, &collation, &nulls_first, work_mem, NULL, TUPLESORT_NONE);
#else
	Tuplesortstate *sort = tuplesort_begin_heap(desc, 1, &column, &less, &collation, &nulls_first, work_mem, NULL, false);
#endif

	put_rows(shown, taken, sort, desc);
	tuplesort_performsort(sort);
	return sort;
}

static void
give_rows(Tuplesortstate *sort, TupleDesc desc, ReturnSetInfo *result)
{
	TupleTableSlot *slot = MakeSingleTupleTableSlot(desc, &TTSOpsMinimalTuple);

	while (tuplesort_gettupleslot(sort, true, false, slot, NULL))
	{
		CHECK_FOR_INTERRUPTS();
		slot_getallattrs(slot);
		tuplestore_putvalues(result->setResult, result->setDesc, slot->tts_values + 1, slot->tts_isnull + 1);
	}
	ExecDropSingleTupleTableSlot(slot);
	tuplesort_end(sort);
}

/* Which class each row is in, and which of them may be shown. */
static void
find_classes(Shown *shown, const PegsTaken *taken, const pegs_env *env)
{
	PegsGeneral *general = shown->general;
	bool		found;

	shown->tuples = pegs_general_tuples(general, env, &taken->table);
	if (general->local)
		pegs_general_refuse_fault(pegs_mondrian(env, shown->tuples, general->key, &general->criteria, &shown->boxes, &found));
	else
		pegs_boxes_at(env, shown->tuples, general->key, general->step, &shown->boxes);
	shown->keep = palloc0(shown->boxes.n + 1);
	pegs_keep_classes(env, shown->tuples, shown->boxes.of, shown->boxes.n, &general->criteria, shown->keep, &shown->rest_too);
}

/* Its columns are told by the plan, and by no model. */
static void
require_from(FunctionCallInfo fcinfo)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;

	if (result && IsA(result, ReturnSetInfo) && !(result->allowedModes & SFRM_Materialize_Preferred))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("pegs_generalized must be called in FROM"),
				 errhint("SELECT * FROM pegs_generalized(...) AS t(name type, ...), with the columns that row_type in the plan names")));
	pegs_require_set(fcinfo, SFRM_Materialize | SFRM_Materialize_Preferred);
}

/* In its account; where it has none, in those that its owner has for the same rows under another name. */
static void
note_rows(const PegsSource *source)
{
	List	   *accounts = pegs_has_account(pegs_payer(source->account), source->account) ? list_make1_oid(source->account) : pegs_accounts_alike(source->account);
	ListCell   *cell;

	foreach(cell, accounts)
		pegs_note_uncovered_for_ever(lfirst_oid(cell), "uncovered rows", source->name, "k-anonymity: no guarantee");
}

/* Reads, and gives what may be shown. Claim P13. */
static void
give_generalized(FunctionCallInfo fcinfo, Shown *shown, const pegs_env *env)
{
	const PegsSource *source = shown->general->source;
	TupleDesc	desc = sorted_desc(shown->desc);
	PegsTaken  *taken;
	Tuplesortstate *sort;

	/* who has no account here has one there, and that would be marked */
	pegs_citus_require_coordinator(source->account);
	taken = pegs_take_rows(shown->general, shown->others);
	find_classes(shown, taken, env);
	sort = sort_rows(shown, taken, desc);
	if (taken->store)
		tuplestore_end(taken->store);
	/* all that can fail was done; nothing was shown */
	note_rows(source);
	give_rows(sort, desc, pegs_begin_set(fcinfo, shown->desc));
}

/* pegs_generalized(source regclass, plan jsonb, columns name[]) → SETOF record */
PG_FUNCTION_INFO_V1(pegs_generalized);
Datum
pegs_generalized(PG_FUNCTION_ARGS)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "pegs generalize", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	PegsSource *source = pegs_curated_source(pegs_arg_oid(fcinfo, 0, "source"), "read its rows");
	Jsonb	   *plan = pegs_arg_plan(fcinfo, 1, source);
	List	   *columns = pegs_arg_names(fcinfo, 2, "columns");
	pegs_env	env = pegs_env_in(context);
	Shown		shown = {0};
	PegsQuiet	quiet;

	require_from(fcinfo);
	shown.general = pegs_general_planned(source, plan);
	shown.desc = ((ReturnSetInfo *) fcinfo->resultinfo)->expectedDesc;
	if (shown.desc == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_SYNTAX_ERROR),
				 errmsg("a column definition list is required"),
				 errhint("SELECT * FROM pegs_generalized(...) AS t(%s text, ...), with the columns of the plan's \"row_type\"",
						 quote_identifier(shown.general->domain->column[0].name))));
	match_columns(&shown, columns);
	pegs_general_say_rows(source);
	pegs_warn_of_alike(source->account);
	pegs_begin_quiet(&quiet);
	PG_TRY();
	{
		give_generalized(fcinfo, &shown, &env);
	}
	PG_FINALLY();
	{
		pegs_forget_files(&quiet);
	}
	PG_END_TRY();
	pegs_end_quiet(&quiet);
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
	return (Datum) 0;
}
