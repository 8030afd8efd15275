/*
 * shards.c
 *	  Rows that Citus distributes, counted by one aggregate for each shard.
 *
 * What is known of Citus is in source/citus.c. The query runs as any reading
 * (source/reader.c), as the owner of the rows. A shard answers 'pegs ' and its
 * state, or 'pegs ' alone if it is empty: a shard that says anything else, says
 * it twice, fails or is missing is an error that names it by its number, and by
 * none of its words (law L5). Nothing is half counted: all or an error, before
 * anything is charged.
 */
#include "read/read.h"

#include "access/relation.h"
#include "access/transam.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_type.h"
#include "executor/tuptable.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#define MARK "pegs "			/* what each answer begins with: no row and NULL would be alike */

typedef struct Receiver
{
	DestReceiver pub;
	PegsCounter *counter;
	const PegsSpec *spec;
	const char *table;
	int64	   *number;			/* of the shards */
	bool	   *answered;
	int			nshards;
	int			nanswers;
} Receiver;

static bool
is_hex(const char *p, size_t length)
{
	return length % 2 == 0 && strspn(p, "0123456789abcdef") == length;
}

static void
failed(const Receiver *receiver, int64 shard)
{
	ereport(ERROR,
			(errcode(ERRCODE_FDW_ERROR),
			 errmsg("shard " INT64_FORMAT " of table \"%s\" was not counted", shard, receiver->table),
			 errdetail("Nothing was charged. The message of its server may hold a value of the data and is not shown."),
			 errhint("Is its node up, pegs there as here, and each value declared? Row by row instead: BEGIN ISOLATION LEVEL REPEATABLE READ; and the same call.")));
}

static int
place_of(const Receiver *receiver, int64 shard)
{
	for (int i = 0; i < receiver->nshards; i++)
		if (receiver->number[i] == shard)
			return i;
	return -1;
}

static void
have_changed(const Receiver *receiver)
{
	ereport(ERROR,
			(errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
			 errmsg("table \"%s\" has other shards than a moment ago", receiver->table),
			 errdetail("Nothing was charged."),
			 errhint("Call it again.")));
}

static bool
receive(TupleTableSlot *slot, DestReceiver *self)
{
	Receiver   *receiver = (Receiver *) self;
	int64		shard;
	int			place;
	char	   *answer;
	size_t		length;

	slot_getallattrs(slot);
	if (slot->tts_isnull[0])
		have_changed(receiver);
	shard = DatumGetInt64(slot->tts_values[0]);
	place = place_of(receiver, shard);
	if (place < 0 || receiver->answered[place])
		have_changed(receiver);
	if (slot->tts_isnull[1] || !DatumGetBool(slot->tts_values[1]) || slot->tts_isnull[2])
		failed(receiver, shard);
	answer = TextDatumGetCString(slot->tts_values[2]);
	length = strlen(answer);
	if (strncmp(answer, MARK, strlen(MARK)) != 0)
		failed(receiver, shard);
	receiver->answered[place] = true;
	receiver->nanswers++;
	if (length > strlen(MARK))
	{
		const char *hex = answer + strlen(MARK) + 2;
		bytea	   *state;

		if (strncmp(hex - 2, "\\x", 2) != 0 || !is_hex(hex, strlen(hex)))
			failed(receiver, shard);
		state = palloc(VARHDRSZ + strlen(hex) / 2);
		SET_VARSIZE(state, VARHDRSZ + hex_decode(hex, strlen(hex), VARDATA(state)));
		explicit_bzero(answer, length);
		pegs_add_state(receiver->counter, receiver->spec, state, psprintf("shard " INT64_FORMAT " of %s", shard, receiver->table), "its node");
		pfree(state);
	}
	pfree(answer);
	return true;
}

static void
receiver_startup(DestReceiver *self, int operation, TupleDesc desc)
{
	if (desc->natts != 3 || TupleDescAttr(desc, 0)->atttypid != INT8OID || TupleDescAttr(desc, 1)->atttypid != BOOLOID
		|| TupleDescAttr(desc, 2)->atttypid != TEXTOID)
		elog(ERROR, "run_command_on_shards gives other columns than are known of it");
}

static void
receiver_nothing(DestReceiver *self)
{
}

/* After all have answered: each shard has, and they are still the table's. One that has moved to another node has the same rows. */
static void
require_all(const Receiver *receiver, Oid relid)
{
	int64	   *now;

	for (int i = 0; i < receiver->nshards; i++)
		if (!receiver->answered[i])
			failed(receiver, receiver->number[i]);
	AcceptInvalidationMessages();
	if (pegs_citus_shards(relid, &now) != receiver->nshards)
		have_changed(receiver);
	for (int i = 0; i < receiver->nshards; i++)
		if (place_of(receiver, now[i]) < 0)
			have_changed(receiver);
}

/* Why the table is read as a whole, by what is known of it here. */
static const char *
why_whole(const PegsCounter *counter, const PegsSource *source, const PegsReading *reading, const PegsDomain *physical, int nshards)
{
	ListCell   *cell;

	if (source->relid != source->rows)
		return "a view stands between";
	if (source->range)
		return "a slice of it is read";
	if (reading->guest)
		return "it is read for somebody who has no more than SELECT";
	foreach(cell, source->parts)
	{
		Relation	rel = relation_open(lfirst_oid(cell), NoLock);
		bool		secured = rel->rd_rel->relrowsecurity;

		relation_close(rel, NoLock);
		if (secured)
			return "it has row security";
	}
	for (int i = 0; i < physical->ncols; i++)
	{
		AttrNumber	attnum = get_attnum(source->rows, physical->column[i].name);
		Oid			type = attnum == InvalidAttrNumber ? InvalidOid : get_atttype(source->rows, attnum);

		if (type >= FirstGenbkiObjectId || type != physical->column[i].type)
			return psprintf("column \"%s\" is of a type that is not the server's own", physical->column[i].name);
	}
	if (nshards == 0)
		return "it has no shards";
	/* the states are there all at once, as text */
	if (counter->layout.ncells > (uint64) maintenance_work_mem * 1024 / (2 * sizeof(uint64_t)) / nshards)
		return psprintf("the tables of its %d shards have together more cells than maintenance_work_mem holds", nshards);
	return NULL;
}

static char *
counting(const PegsSpec *spec, const PegsDomain *physical)
{
	StringInfoData what;

	initStringInfo(&what);
	appendStringInfo(&what, "pg_catalog.concat('" MARK "', %s.pegs_agg(%s::pg_catalog.json", quote_identifier(get_namespace_name(pegs_extension_namespace())),
					 quote_literal_cstr(spec->text));
	for (int i = 0; i < physical->ncols; i++)
		appendStringInfo(&what, ", %s", quote_identifier(physical->column[i].name));
	appendStringInfoString(&what, "))");
	return what.data;
}

/* Returns why it was not done; NULL: the rows are counted. */
const char *
pegs_count_by_shard(PegsCounter *counter, const PegsSource *source, const PegsSpec *spec)
{
	const PegsDomain *physical = pegs_physical(spec->domain);
	PegsReading *reading = pegs_reading_source(source, physical);
	Receiver	receiver = {
		.pub = {receive, receiver_startup, receiver_nothing, receiver_nothing, DestTuplestore},
		.counter = counter,
		.spec = spec,
		.table = get_rel_name(source->rows)
	};
	const char *why;

	receiver.nshards = pegs_citus_shards(source->rows, &receiver.number);
	receiver.answered = palloc0(sizeof(bool) * Max(1, receiver.nshards));
	why = why_whole(counter, source, reading, physical, receiver.nshards);
	if (why == NULL)
		why = pegs_citus_why_whole(source->rows, source->parts, reading->role);
	if (why)
		return psprintf("the table is distributed by Citus, and %s", why);
	pegs_read(reading, pegs_citus_query(source->rows, counting(spec, physical), receiver.nshards), NULL, (DestReceiver *) &receiver);
	require_all(&receiver, source->rows);
	pegs_require_listed(reading, find_all_inheritors(source->rows, NoLock, NULL));
	counter->way = psprintf("by an aggregate for each of %d shards of Citus", receiver.nshards);
	return NULL;
}
