/*
 * read_rows.c
 *	  Rows of a source as codes of its keys, and beside them their other columns:
 *	  one query, one snapshot.
 */
#include "generalize/generalize.h"
#include "codes/codes.h"

#include "access/detoast.h"
#include "access/table.h"
#include "access/tupdesc.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/tuplestore.h"

typedef struct Taker
{
	DestReceiver pub;
	PegsTaken  *taken;
	PegsEncoder **encoder;
	uint64		room;
	uint64		seen;
	Datum	   *values;
	MemoryContext scratch;
} Taker;

static void
make_room(Taker *taker)
{
	pegs_coded *table = &taker->taken->table;
	uint64		room = taker->room > 0 ? taker->room * 2 : PEGS_CHUNK;

	for (uint32 c = 0; c < table->ncols; c++)
		table->code[c] = taker->room == 0 ? palloc(sizeof(uint16) * room) : repalloc_huge(table->code[c], sizeof(uint16) * room);
	taker->room = room;
}

static bool
receive(TupleTableSlot *slot, DestReceiver *self)
{
	Taker	   *taker = (Taker *) self;
	PegsTaken  *taken = taker->taken;
	pegs_coded *table = &taken->table;
	bool		left_out = false;
	MemoryContext old;

	if (table->nrows == taker->room)
		make_room(taker);
	old = MemoryContextSwitchTo(taker->scratch);
	slot_getallattrs(slot);
	for (uint32 c = 0; c < table->ncols; c++)
	{
		int			code = pegs_encode(taker->encoder[c], slot->tts_values[c], slot->tts_isnull[c]);

		left_out |= code < 0;
		table->code[c][table->nrows] = (uint16) code;
	}
	/* a long value lies elsewhere, where it may be gone when the row is shown */
	for (uint32 i = 0; taken->store && !left_out && i < taken->nothers; i++)
	{
		Datum		value = slot->tts_values[table->ncols + i];

		if (TupleDescAttr(taken->desc, i)->attlen == -1 && !slot->tts_isnull[table->ncols + i]
			&& VARATT_IS_EXTERNAL(DatumGetPointer(value)))
			value = PointerGetDatum(detoast_external_attr((struct varlena *) DatumGetPointer(value)));
		taker->values[i] = value;
	}
	MemoryContextSwitchTo(old);
	if (taken->store && !left_out)
		tuplestore_putvalues(taken->store, taken->desc, taker->values, slot->tts_isnull + table->ncols);
	table->nrows += !left_out;
	pegs_let_go(taker->scratch);
	if (++taker->seen % PEGS_CHUNK == 0)
	{
		MemoryContextReset(taker->scratch);
		CHECK_FOR_INTERRUPTS();
	}
	return true;
}

static void
startup(DestReceiver *self, int operation, TupleDesc desc)
{
	const PegsTaken *taken = ((Taker *) self)->taken;

	if (desc->natts != (int) (taken->table.ncols + taken->nothers))
		elog(ERROR, "the table has changed");
	for (uint32 i = 0; i < taken->nothers; i++)
		if (TupleDescAttr(desc, (int) (taken->table.ncols + i))->atttypid != TupleDescAttr(taken->desc, (int) i)->atttypid)
			elog(ERROR, "the table has changed");
}

static void
nothing_to_end(DestReceiver *self)
{
}

/* The others' types, and their part of the query. */
static TupleDesc
name_others(StringInfo query, Oid relid, List *others)
{
	TupleDesc	desc = CreateTemplateTupleDesc(list_length(others));
	Relation	rel = table_open(relid, NoLock);
	ListCell   *cell;
	AttrNumber	to = 0;

	foreach(cell, others)
	{
		Form_pg_attribute att = TupleDescAttr(RelationGetDescr(rel), lfirst_int(cell) - 1);

		TupleDescCopyEntry(desc, ++to, RelationGetDescr(rel), (AttrNumber) lfirst_int(cell));
		appendStringInfo(query, ", %s", quote_identifier(NameStr(att->attname)));
	}
	table_close(rel, NoLock);
	return desc;
}

PegsTaken *
pegs_take_rows(const PegsGeneral *general, List *others)
{
	PegsDomain *domain = general->domain;
	PegsTaken  *taken = palloc0(sizeof(PegsTaken));
	PegsReading *reading = pegs_reading_source(general->source, domain);
	uint32	   *levels = palloc(sizeof(uint32) * domain->ncols);
	Taker		taker = {
		.pub = {receive, startup, nothing_to_end, nothing_to_end, DestTuplestore},
		.taken = taken,
		.encoder = palloc(sizeof(PegsEncoder *) * domain->ncols)
	};
	StringInfoData query;

	initStringInfo(&query);
	taken->table.ncols = (uint32) domain->ncols;
	taken->table.levels = levels;
	taken->table.code = palloc0(sizeof(uint16 *) * domain->ncols);
	for (int c = 0; c < domain->ncols; c++)
	{
		levels[c] = (uint32) pegs_column_levels(&domain->column[c]);
		taker.encoder[c] = pegs_encoder(&domain->column[c]);
		appendStringInfo(&query, "%s%s", c == 0 ? "SELECT " : ", ", quote_identifier(domain->column[c].name));
	}
	taken->nothers = (uint32) list_length(others);
	if (others != NIL)
	{
		taken->desc = name_others(&query, general->source->relid, others);
		taken->store = tuplestore_begin_heap(false, false, work_mem);
		taker.values = palloc(sizeof(Datum) * taken->nothers);
	}
	appendStringInfo(&query, " FROM %s", reading->name);
	make_room(&taker);
	taker.scratch = AllocSetContextCreate(CurrentMemoryContext, "pegs generalize", ALLOCSET_DEFAULT_SIZES);
	pegs_read(reading, query.data, domain, (DestReceiver *) &taker);
	MemoryContextDelete(taker.scratch);
	return taken;
}
