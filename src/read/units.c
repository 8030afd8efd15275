/*
 * units.c
 *	  Rows of related tables, read unit by unit, and counted as path rows.
 *
 * One query for all tables (units_query.c), under one snapshot, in the order of
 * the root's key. So a unit's rows come together, its root first, a parent's table before its child's, and
 * no more of them are kept than path rows need. What is counted of a unit is a
 * function of its rows alone. Claim P35. Laws L5, L9.
 */
#include "read/read.h"

#include "common/hashfn.h"
#include "executor/executor.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "nodes/bitmapset.h"
#include "utils/builtins.h"
#include "utils/hsearch.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

/* A row that others refer to, by its key: two hashes of the text, of which no two rows will agree. */
typedef struct Place
{
	uint64		hash[2];
	uint64		table;
} Place;

typedef struct PlaceRow
{
	Place		place;
	uint32		number;			/* that it was given */
} PlaceRow;

/* A table that is read. */
typedef struct Leg
{
	const PegsDomain *domain;	/* of its model */
	const PegsDomain *read;		/* its columns that are read */
	int			first;			/* of them in a row of the query */
	PegsEncoder **encoder;
	PegsParts  *parts;			/* hidden columns of a row; or NULL */
	PegsAgree  *agree;			/* what rows must be like besides; or NULL */
	uint16_t   *codes;
	int			parent;
	bool		has_children;
	Place	   *key;			/* [room] of the rows that are kept, by number */
	uint32		nkeys;
	uint32		room;
} Leg;

typedef struct Receiver
{
	DestReceiver pub;
	int			n;
	Leg		   *leg;
	int			keys;			/* columns before the number of the table */
	int			natts;
	const PegsUnits *to;
	HTAB	   *places;
	bool		inside;			/* a unit, which is not left out */
	uint64		units;
	uint64		seen;
	int			begun;			/* units, up to two */
	struct Receiver *without;	/* to which the first unit never was; or NULL */
	MemoryContext scratch;
	const pegs_env *env;
} Receiver;

/* ---- the receiver ---- */

static Place
place_of(Datum text, int table)
{
	const struct varlena *value = PG_DETOAST_DATUM_PACKED(text);
	const unsigned char *bytes = (const unsigned char *) VARDATA_ANY(value);
	int			length = (int) VARSIZE_ANY_EXHDR(value);

	return (Place) {{hash_bytes_extended(bytes, length, 1), hash_bytes_extended(bytes, length, 2)}, (uint64) table};
}

/* For a measure: what is not declared has a level of its own. */
static int
code_as_it_is(const Leg *leg, int i, Datum value, bool isnull)
{
	const PegsColumn *column = &leg->domain->column[i];
	int			code = pegs_encode_strict(leg->encoder[i], value, isnull);

	if (code < 0 && column->nearest)
		code = pegs_encode_other(leg->encoder[i], value, isnull);
	if (code >= 0)
		return code;
	if (column->drop || column->nearest)
		return PEGS_LEFT_OUT;
	return column->other >= 0 ? column->other : (int) pegs_column_levels(column);
}

/* False: the row is left out. */
static bool
encode(const Receiver *receiver, Leg *leg, Datum *values, bool *nulls)
{
	Datum	   *read = values + leg->first;
	bool	   *read_nulls = nulls + leg->first;
	Datum	   *own = read;
	bool	   *own_nulls = read_nulls;
	bool		left_out = false;

	if (leg->parts)
		pegs_take_parts(leg->parts, &own, &own_nulls);
	for (int i = 0; i < leg->domain->ncols; i++)
	{
		int			code = receiver->to->undeclared ? code_as_it_is(leg, i, own[i], own_nulls[i]) : pegs_encode(leg->encoder[i], own[i], own_nulls[i]);

		left_out |= code == PEGS_LEFT_OUT;
		leg->codes[i] = (uint16_t) code;
	}
	if (leg->agree && !left_out && !receiver->to->undeclared)
		pegs_require_agreement(leg->agree, read, read_nulls);
	return !left_out;
}

/* The row that others refer to has this number now, in place of another. */
static void
put_place(Receiver *receiver, Leg *leg, const Place *place, uint32 number)
{
	PlaceRow   *row;
	bool		found;

	if (number < leg->nkeys)
		(void) hash_search(receiver->places, &leg->key[number], HASH_REMOVE, NULL);
	if (number >= leg->room)
	{
		leg->room = Max(64, 2 * number);
		leg->key = leg->key ? repalloc(leg->key, sizeof(Place) * leg->room) : MemoryContextAlloc(GetMemoryChunkContext(leg->codes), sizeof(Place) * leg->room);
	}
	leg->key[number] = *place;
	leg->nkeys = Max(leg->nkeys, number + 1);
	row = hash_search(receiver->places, place, HASH_ENTER, &found);
	row->number = number;
}

static void
end_unit(Receiver *receiver)
{
	if (receiver->inside)
		receiver->to->end(receiver->to->arg);
	receiver->inside = false;
	for (int t = 0; t < receiver->n; t++)
	{
		for (uint32 i = 0; i < receiver->leg[t].nkeys; i++)
			(void) hash_search(receiver->places, &receiver->leg[t].key[i], HASH_REMOVE, NULL);
		receiver->leg[t].nkeys = 0;
	}
}

static void
begin_unit(Receiver *receiver, Datum *values, bool *nulls)
{
	Leg		   *leg = &receiver->leg[0];
	Place		place = {.table = 0};

	end_unit(receiver);
	if (receiver->units >= PEGS_MAX_ROWS / PEGS_PATHS)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("more than 2^40 units cannot be counted"),
				 errhint("Fit a part of the table.")));
	receiver->inside = encode(receiver, leg, values, nulls);
	if (!nulls[receiver->keys + 1])
		place = place_of(values[receiver->keys + 1], 0);
	if (receiver->inside)
	{
		receiver->to->begin(receiver->to->arg, leg->codes, place.hash[0]);
		receiver->units++;
	}
}

static void
add_row(Receiver *receiver, int t, Datum *values, bool *nulls)
{
	Leg		   *leg = &receiver->leg[t];
	Place		place = {.table = 0};
	uint32		parent = 0;
	uint32		number;

	if (!receiver->inside)
		return;
	if (leg->parent > 0)
	{
		Place		up = place_of(values[receiver->keys + 2], leg->parent);
		PlaceRow   *row = hash_search(receiver->places, &up, HASH_FIND, NULL);

		if (row == NULL)
			return;				/* left out, or not kept */
		parent = row->number;
	}
	if (!encode(receiver, leg, values, nulls))
		return;
	/* rows without a key that agree in all columns are one as another */
	if (leg->has_children)
		place = place_of(values[receiver->keys + 1], t);
	number = receiver->to->add(receiver->to->arg, t, parent, leg->codes, place.hash[0]);
	if (number != PEGS_NOT_KEPT && leg->has_children)
		put_place(receiver, leg, &place, number);
}

static void
sort_in(Receiver *receiver, TupleTableSlot *slot)
{
	int			t = DatumGetInt32(slot->tts_values[receiver->keys]);

	if (t == 0)
		begin_unit(receiver, slot->tts_values, slot->tts_isnull);
	else
		add_row(receiver, t, slot->tts_values, slot->tts_isnull);
}

static bool
receive(TupleTableSlot *slot, DestReceiver *self)
{
	Receiver   *receiver = (Receiver *) self;
	MemoryContext old = MemoryContextSwitchTo(receiver->scratch);

	slot_getallattrs(slot);
	if (receiver->without)
	{
		receiver->begun += DatumGetInt32(slot->tts_values[receiver->keys]) == 0 && receiver->begun < 2;
		if (receiver->begun == 2)
			sort_in(receiver->without, slot);
	}
	sort_in(receiver, slot);
	MemoryContextSwitchTo(old);
	if (++receiver->seen % PEGS_CHUNK == 0)
	{
		MemoryContextReset(receiver->scratch);
		CHECK_FOR_INTERRUPTS();
		pegs_env_step(receiver->env, PEGS_STEP_READ);
	}
	return true;
}

/* The types are those of the domains. */
static void
startup(DestReceiver *self, int operation, TupleDesc desc)
{
	Receiver   *receiver = (Receiver *) self;

	if (desc->natts != receiver->natts)
		elog(ERROR, "the source has changed");
	for (int t = 0; t < receiver->n; t++)
		for (int i = 0; i < receiver->leg[t].read->ncols; i++)
			if (getBaseType(TupleDescAttr(desc, receiver->leg[t].first + i)->atttypid) != receiver->leg[t].read->column[i].type)
				elog(ERROR, "the source has changed");
}

static void
receiver_nothing(DestReceiver *self)
{
}

/* ---- all of it ---- */

static int
look_at(const PegsRelatives *r, int t, int first, Leg *leg)
{
	const PegsMember *member = &r->related->member[t];
	const PegsDomain *domain = member->spec->domain;
	const PegsDomain *counted = pegs_physical(domain);

	leg->domain = domain;
	leg->read = pegs_agreeing(domain, counted);
	leg->first = first;
	leg->encoder = palloc(sizeof(PegsEncoder *) * (domain->ncols + 1));
	for (int i = 0; i < domain->ncols; i++)
		leg->encoder[i] = pegs_encoder(&domain->column[i]);
	leg->parts = pegs_parts(domain);
	leg->agree = leg->read == counted ? NULL : pegs_agree(domain, leg->read, r->source[t]);
	leg->codes = palloc0(sizeof(uint16_t) * (domain->ncols + 1));
	leg->parent = member->parent;
	leg->has_children = !bms_is_empty(pegs_referred_columns(r, t));
	return first + leg->read->ncols;
}

static void
begin(Receiver *receiver, const PegsRelatives *r, const pegs_env *env, const PegsUnits *to)
{
	HASHCTL		how = {.keysize = sizeof(Place), .entrysize = sizeof(PlaceRow), .hcxt = CurrentMemoryContext};

	*receiver = (Receiver) {
		.pub = {receive, startup, receiver_nothing, receiver_nothing, DestTuplestore},
		.n = r->related->n,
		.leg = palloc0(sizeof(Leg) * r->related->n),
		.keys = bms_num_members(pegs_referred_columns(r, 0)),
		.to = to,
		.env = env
	};
	receiver->natts = receiver->keys + 3;
	for (int t = 0; t < receiver->n; t++)
		receiver->natts = look_at(r, t, receiver->natts, &receiver->leg[t]);
	receiver->places = hash_create("pegs rows of a unit", 256, &how, HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
}

static void
end(Receiver *receiver)
{
	end_unit(receiver);
	for (int t = 0; t < receiver->n; t++)
		explicit_bzero(receiver->leg[t].codes, sizeof(uint16_t) * receiver->leg[t].domain->ncols);
	hash_destroy(receiver->places);
}

/*
 * All units. without: as if the first unit, by the root's key, had never been,
 * for an audit; or NULL. env: is told that rows are read.
 */
void
pegs_read_units(const PegsRelatives *r, const pegs_env *env, const PegsUnits *to, const PegsUnits *without)
{
	const PegsDomain **read = palloc(sizeof(PegsDomain *) * r->related->n);
	Receiver	receiver;
	Receiver	other;
	PegsReading *reading;
	StringInfoData query;

	begin(&receiver, r, env, to);
	if (without)
	{
		begin(&other, r, env, without);
		receiver.without = &other;
	}
	for (int t = 0; t < receiver.n; t++)
		read[t] = receiver.leg[t].read;
	reading = pegs_units_query(r, read, receiver.keys, &query);
	receiver.scratch = AllocSetContextCreate(CurrentMemoryContext, "pegs scan", ALLOCSET_DEFAULT_SIZES);
	pegs_read(reading, query.data, NULL, (DestReceiver *) &receiver);
	end(&receiver);
	if (without)
		end(&other);
	MemoryContextDelete(receiver.scratch);
}

/* ---- counted as path rows ---- */

typedef struct Counting
{
	pegs_paths *paths;
	pegs_tally *tally;
} Counting;

static void
count_begin(void *arg, const uint16_t *codes, uint64 tie)
{
	pegs_paths_begin(((Counting *) arg)->paths, codes, tie);
}

static uint32
count_add(void *arg, int table, uint32 parent, const uint16_t *codes, uint64 tie)
{
	uint32		number = pegs_paths_add(((Counting *) arg)->paths, (uint32_t) table, parent, codes, tie);

	/* its class is one whose words are shown before a charge: they are the same for whatever unit */
	if (number == PEGS_TOO_MANY)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("a unit of these tables has more rows than can be kept"),
				 errdetail("Up to %d rows of each row above are kept, and %d of a unit in all: tables below each other multiply, and those beside each other add up.", PEGS_PATHS, PEGS_MOST_KEPT),
				 errhint("Leave out the deepest tables, or some of those beside each other that have most rows: tables => '{...}'. Or bind a table nearer to the root.")));
	return number;
}

static void
count_end(void *arg)
{
	pegs_tally_unit(((Counting *) arg)->tally, ((Counting *) arg)->paths);
}

/* All units into the tally. env: of memory that nobody sees. */
void
pegs_count_units(const PegsRelatives *r, const pegs_env *env, pegs_tally *tally, pegs_tally *without)
{
	Counting	counting[2] = {{pegs_paths_new(env, tally->relations), tally}};
	PegsUnits	to[2] = {{&counting[0], count_begin, count_add, count_end, false}, {&counting[1], count_begin, count_add, count_end, false}};

	if (without)
		counting[1] = (Counting) {pegs_paths_new(env, without->relations), without};
	pegs_read_units(r, env, &to[0], without ? &to[1] : NULL);
	pegs_tally_end(tally);
	if (without)
		pegs_tally_end(without);
}
