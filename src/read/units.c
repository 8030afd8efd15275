/*
 * units.c
 *	  Rows of related tables, read unit by unit and counted as path rows.
 *
 * One query for all tables, under one snapshot: a leg of a UNION ALL for each
 * table, joined up to the root, in the order of the root's key. So a unit's
 * rows come together, its root first, a parent's table before its child's, and
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
	uint32		number;			/* of pegs_paths */
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
	pegs_paths *paths;
	pegs_tally *tally;
	HTAB	   *places;
	bool		inside;			/* a unit, which is not left out */
	uint64		seen;
	int			begun;			/* units, up to two */
	struct Receiver *without;	/* to which the first unit never was; or NULL */
	MemoryContext scratch;
	const pegs_env *env;
} Receiver;

/* ---- the query ---- */

/*
 * All that rows which hang on this table refer to it by, not the columns of one
 * key alone: that may be NULL where another is not. Of rows that agree in all
 * of it at most one is referred to.
 */
static void
put_columns(StringInfo query, const PegsRelatives *r, int t)
{
	Bitmapset  *columns = pegs_referred_columns(r, t);
	int			attnum = -1;

	for (int n = 0; (attnum = bms_next_member(columns, attnum)) >= 0; n++)
		appendStringInfo(query, "%sa%d.%s", n > 0 ? ", " : "", t, quote_identifier(get_attname(r->source[t]->relid, (AttrNumber) attnum, false)));
}

/* What a row of a table is told apart by; NULL: nothing refers to it. */
static void
put_row(StringInfo query, const PegsRelatives *r, int t)
{
	if (bms_is_empty(pegs_referred_columns(r, t)))
	{
		appendStringInfoString(query, "NULL::pg_catalog.text");
		return;
	}
	appendStringInfoString(query, "ROW(");
	put_columns(query, r, t);
	appendStringInfoString(query, ")::pg_catalog.text");
}

static void
put_join(StringInfo query, const PegsRelatives *r, const PegsReading *reading, int t, int up)
{
	const PegsForeignKey *key = r->key[t];

	appendStringInfo(query, " JOIN %s AS a%d ON ", reading->name, up);
	for (int i = 0; i < key->n; i++)
		appendStringInfo(query, "%sa%d.%s = a%d.%s", i > 0 ? " AND " : "", t, quote_identifier(get_attname(r->source[t]->relid, key->attnum[i], false)),
						 up, quote_identifier(get_attname(r->source[up]->relid, key->referred[i], false)));
}

/* FROM the table, those above it, and all others with no row, for the types of their columns. */
static List *
put_from(StringInfo query, const PegsRelatives *r, PegsReading *const *reading, int t)
{
	List	   *named = list_make1_oid(r->source[t]->relid);
	bool	   *above = palloc0(sizeof(bool) * r->related->n);
	const char *relation = reading[t]->name;

	appendStringInfo(query, " FROM %s AS a%d", relation, t);
	above[t] = true;
	for (int up = r->related->member[t].parent, below = t; up >= 0; below = up, up = r->related->member[up].parent)
	{
		put_join(query, r, reading[up], below, up);
		named = lappend_oid(named, r->source[up]->relid);
		above[up] = true;
	}
	for (int o = 0; o < r->related->n; o++)
		if (!above[o])
		{
			relation = reading[o]->name;
			appendStringInfo(query, " LEFT JOIN %s AS a%d ON false", relation, o);
			named = lappend_oid(named, r->source[o]->relid);
		}
	return named;
}

/* What the root's row is told apart by, which table, the row's own, its parent's, and all columns of all tables. */
static List *
put_leg(StringInfo query, const PegsRelatives *r, PegsReading *const *reading, const Leg *legs, int t)
{
	int			up = r->related->member[t].parent;

	appendStringInfo(query, "%sSELECT ", t > 0 ? " UNION ALL " : "");
	put_columns(query, r, 0);
	appendStringInfo(query, "%s%d, ", r->related->n > 1 ? ", " : "", t);
	put_row(query, r, t);
	appendStringInfoString(query, ", ");
	if (up > 0)
		put_row(query, r, up);
	else
		appendStringInfoString(query, "NULL::pg_catalog.text");
	for (int o = 0; o < r->related->n; o++)
		for (int i = 0; i < legs[o].read->ncols; i++)
			appendStringInfo(query, ", a%d.%s", o, quote_identifier(legs[o].read->column[i].name));
	return put_from(query, r, reading, t);
}

/* ---- by what right ---- */

/* All tables by the right of one owner: a query has one. */
static PegsReading *
reading_of_all(const PegsRelatives *r, const Leg *legs, PegsReading **reading)
{
	PegsReading *all;

	for (int t = 0; t < r->related->n; t++)
	{
		reading[t] = pegs_reading_source(r->source[t], legs[t].read);
		if (reading[t]->role != reading[0]->role)
			ereport(ERROR,
					(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
					 errmsg("tables \"%s\" and \"%s\" have different owners", r->related->member[0].name, r->related->member[t].name),
					 errdetail("Rows of both are read by one query, as their owner."),
					 errhint("ALTER TABLE %s OWNER TO %s;", reading[t]->name, quote_identifier(GetUserNameFromId(reading[0]->role, false)))));
	}
	all = palloc(sizeof(PegsReading));
	*all = *reading[0];
	all->chain = NIL;
	for (int t = 0; t < r->related->n; t++)
	{
		all->chain = list_concat_unique_oid(all->chain, reading[t]->chain);
		all->guest |= reading[t]->guest;
	}
	return all;
}

/* ---- the receiver ---- */

static Place
place_of(Datum text, int table)
{
	const struct varlena *value = PG_DETOAST_DATUM_PACKED(text);
	const unsigned char *bytes = (const unsigned char *) VARDATA_ANY(value);
	int			length = (int) VARSIZE_ANY_EXHDR(value);

	return (Place) {{hash_bytes_extended(bytes, length, 1), hash_bytes_extended(bytes, length, 2)}, (uint64) table};
}

/* False: the row is left out. */
static bool
encode(Leg *leg, Datum *values, bool *nulls)
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
		int			code = pegs_encode(leg->encoder[i], own[i], own_nulls[i]);

		left_out |= code == PEGS_LEFT_OUT;
		leg->codes[i] = (uint16_t) code;
	}
	if (leg->agree && !left_out)
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
		pegs_tally_unit(receiver->tally, receiver->paths);
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
	if (receiver->tally->units >= PEGS_MAX_ROWS / PEGS_PATHS)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("more than 2^40 units cannot be counted"),
				 errhint("Fit a part of the table.")));
	receiver->inside = encode(leg, values, nulls);
	if (!nulls[receiver->keys + 1])
		place = place_of(values[receiver->keys + 1], 0);
	if (receiver->inside)
		pegs_paths_begin(receiver->paths, leg->codes, place.hash[0]);
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
	if (!encode(leg, values, nulls))
		return;
	/* rows without a key that agree in all columns are one as another */
	if (leg->has_children)
		place = place_of(values[receiver->keys + 1], t);
	number = pegs_paths_add(receiver->paths, (uint32_t) t, parent, leg->codes, place.hash[0]);
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
	leg->agree = leg->read == counted ? NULL : pegs_agree(domain, leg->read);
	leg->codes = palloc0(sizeof(uint16_t) * (domain->ncols + 1));
	leg->parent = member->parent;
	leg->has_children = !bms_is_empty(pegs_referred_columns(r, t));
	return first + leg->read->ncols;
}

static void
begin(Receiver *receiver, const PegsRelatives *r, const pegs_env *env, pegs_tally *tally)
{
	HASHCTL		how = {.keysize = sizeof(Place), .entrysize = sizeof(PlaceRow), .hcxt = CurrentMemoryContext};

	*receiver = (Receiver) {
		.pub = {receive, startup, receiver_nothing, receiver_nothing, DestTuplestore},
		.n = r->related->n,
		.leg = palloc0(sizeof(Leg) * r->related->n),
		.keys = bms_num_members(pegs_referred_columns(r, 0)),
		.tally = tally,
		.env = env
	};
	receiver->natts = receiver->keys + 3;
	for (int t = 0; t < receiver->n; t++)
		receiver->natts = look_at(r, t, receiver->natts, &receiver->leg[t]);
	receiver->paths = pegs_paths_new(env, tally->relations);
	receiver->places = hash_create("pegs rows of a unit", 256, &how, HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
}

static void
end(Receiver *receiver)
{
	end_unit(receiver);
	pegs_tally_end(receiver->tally);
	for (int t = 0; t < receiver->n; t++)
		explicit_bzero(receiver->leg[t].codes, sizeof(uint16_t) * receiver->leg[t].domain->ncols);
	hash_destroy(receiver->places);
}

/*
 * All units into the tally. without: as if the first unit, by the root's key,
 * had never been, for an audit; or NULL. env: of memory that nobody sees; it is
 * told that rows are read.
 */
void
pegs_count_units(const PegsRelatives *r, const pegs_env *env, pegs_tally *tally, pegs_tally *without)
{
	PegsReading **reading = palloc0(sizeof(PegsReading *) * r->related->n);
	Receiver	receiver;
	Receiver	other;
	PegsReading *all;
	StringInfoData query;

	begin(&receiver, r, env, tally);
	if (without)
	{
		begin(&other, r, env, without);
		receiver.without = &other;
	}
	all = reading_of_all(r, receiver.leg, reading);
	initStringInfo(&query);
	for (int t = 0; t < receiver.n; t++)
		all->named = list_concat(all->named, put_leg(&query, r, reading, receiver.leg, t));
	if (receiver.n > 1)
	{
		appendStringInfoString(&query, " ORDER BY ");
		for (int i = 1; i <= receiver.keys + 1; i++)
			appendStringInfo(&query, "%s%d", i > 1 ? ", " : "", i);
	}
	receiver.scratch = AllocSetContextCreate(CurrentMemoryContext, "pegs scan", ALLOCSET_DEFAULT_SIZES);
	pegs_read(all, query.data, NULL, (DestReceiver *) &receiver);
	end(&receiver);
	if (without)
		end(&other);
	MemoryContextDelete(receiver.scratch);
}
