/*
 * persons.c
 *	  Rows of persons, in any order, into a counter: put together person by
 *	  person, and then counted by their turns (core/turns.c).
 *
 * What is sorted is a person and the codes of a row, by PostgreSQL's own sort:
 * in work_mem, or on disk. Persons are the same where their type says so, here,
 * whoever has sent the rows. Claim P10.
 */
#include "read/read.h"

#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "executor/tuptable.h"
#include "miscadmin.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/tuplesort.h"
#include "utils/typcache.h"

struct PegsPersons
{
	PegsCounter *counter;
	MemoryContext context;
	pegs_env	env;			/* of memory that nobody sees */
	pegs_turns *turns;

	/* the sort: a person, and the codes of a row */
	Tuplesortstate *sort;		/* NULL: it has ended */
	TupleTableSlot *in;
	TupleTableSlot *out;
	bytea	   *codes;

	/* persons */
	Oid			collation;
	bool		byval;
	int16		length;
	FmgrInfo	equal;
	FmgrInfo	write;
	bool		begun;
	Datum		person;			/* of the rows that come now, as it was last written */
	uint64		seed;			/* the least hash of its texts: 1 and 1.00 may be one person */
};

/* ---- begin ---- */

static void
begin_sort(PegsPersons *persons, Oid type)
{
	TypeCacheEntry *cache = lookup_type_cache(type, TYPECACHE_LT_OPR | TYPECACHE_EQ_OPR_FINFO);
	TupleDesc	desc = CreateTemplateTupleDesc(2);
	AttrNumber	first = 1;
	bool		nulls_first = false;
	bool		varlena;
	Oid			write;

	TupleDescInitEntry(desc, 1, "person", type, -1, 0);
	TupleDescInitEntry(desc, 2, "codes", BYTEAOID, -1, 0);
	fmgr_info_copy(&persons->equal, &cache->eq_opr_finfo, persons->context);
	getTypeOutputInfo(type, &write, &varlena);
	fmgr_info_cxt(write, &persons->write, persons->context);
	get_typlenbyval(type, &persons->length, &persons->byval);
	persons->in = MakeSingleTupleTableSlot(desc, &TTSOpsVirtual);
	persons->out = MakeSingleTupleTableSlot(desc, &TTSOpsMinimalTuple);
	/* 0: it is read once */
	persons->sort = tuplesort_begin_heap(desc, 1, &first, &cache->lt_opr, &persons->collation, &nulls_first, work_mem, NULL, 0);
}

/* most: rows of a person that count, at most; alike: each counts `most` times, its own rows in turn. */
PegsPersons *
pegs_persons(PegsCounter *counter, uint32 most, bool alike, Oid type, Oid collation, MemoryContext context)
{
	MemoryContext old = MemoryContextSwitchTo(context);
	PegsPersons *persons = palloc0(sizeof(PegsPersons));
	size_t		bytes = VARHDRSZ + sizeof(uint16_t) * counter->layout.ncols;

	persons->counter = counter;
	persons->context = context;
	persons->env = pegs_wiped_env_in(context);
	persons->turns = pegs_turns_new(&persons->env, counter->layout.ncols, most, alike, (uint64) maintenance_work_mem * 1024);
	persons->codes = persons->env.alloc(context, bytes);
	SET_VARSIZE(persons->codes, bytes);
	persons->collation = collation;
	if (alike)
		counter->times = palloc0(sizeof(uint32_t) * PEGS_CHUNK);
	begin_sort(persons, getBaseType(type));
	MemoryContextSwitchTo(old);
	return persons;
}

/* ---- rows come ---- */

/* The row that was encoded last. What is left out is not told of: it is as if the person had no such row. */
void
pegs_persons_add(PegsPersons *persons, Datum person)
{
	PegsCounter *counter = persons->counter;
	uint16_t   *codes = (uint16_t *) VARDATA(persons->codes);

	for (uint32_t i = 0; i < counter->layout.ncols; i++)
		codes[i] = counter->codes[i][counter->fill];
	ExecClearTuple(persons->in);
	persons->in->tts_values[0] = persons->length == -1 ? PointerGetDatum(PG_DETOAST_DATUM_PACKED(person)) : person;
	persons->in->tts_values[1] = PointerGetDatum(persons->codes);
	persons->in->tts_isnull[0] = persons->in->tts_isnull[1] = false;
	ExecStoreVirtualTuple(persons->in);
	tuplesort_puttupleslot(persons->sort, persons->in);
}

/* ---- and are counted ---- */

/* All rows of the person are there. */
static void
count_person(PegsPersons *persons)
{
	PegsCounter *counter = persons->counter;
	uint32_t	n = pegs_turns_end(persons->turns, persons->seed);

	for (uint32_t r = 0; r < n; r++)
	{
		uint32_t	times;
		const uint16_t *codes = pegs_turns_row(persons->turns, r, &times);

		for (uint32_t i = 0; i < counter->layout.ncols; i++)
			counter->codes[i][counter->fill] = codes[i];
		if (counter->times)
			counter->times[counter->fill] = times;
		if (++counter->fill == PEGS_CHUNK)
			pegs_counter_flush(counter);
	}
	pegs_turns_begin(persons->turns);
}

/* Another text than that of the row before: of another person, or of the same. */
static void
meet_person(PegsPersons *persons, Datum person)
{
	bool		same = persons->begun && DatumGetBool(FunctionCall2Coll(&persons->equal, persons->collation, persons->person, person));
	char	   *text = OutputFunctionCall(&persons->write, person);
	uint64		hash = hash_bytes_extended((unsigned char *) text, (int) strlen(text), 0);
	MemoryContext old;

	pfree(text);
	if (!same)
		count_person(persons);
	persons->seed = same ? Min(persons->seed, hash) : hash;
	if (persons->begun && !persons->byval)
		pfree(DatumGetPointer(persons->person));
	old = MemoryContextSwitchTo(persons->context);
	persons->person = datumCopy(person, persons->byval, persons->length);
	MemoryContextSwitchTo(old);
	persons->begun = true;
}

static void
refuse_more(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("the rows of a person do not fit into maintenance_work_mem"),
			 errdetail("All rows of a person are looked at together: the different ones are kept in memory, 2 bytes for each value and 24 for the row."),
			 errhint("SET maintenance_work_mem = '1GB'; Or is that person nobody, as 0 or 'unknown'? A row that is nobody's has NULL there, and is left out.")));
}

/* All rows have come. */
void
pegs_persons_end(PegsPersons *persons)
{
	uint64		seen = 0;

	if (persons->sort == NULL)
		return;					/* they are: an aggregate may be asked again */
	tuplesort_performsort(persons->sort);
	while (tuplesort_gettupleslot(persons->sort, true, false, persons->out, NULL))
	{
		const uint16_t *codes;

		slot_getallattrs(persons->out);
		codes = (const uint16_t *) VARDATA_ANY(DatumGetPointer(persons->out->tts_values[1]));
		if (!persons->begun || !datumIsEqual(persons->person, persons->out->tts_values[0], persons->byval, persons->length))
			meet_person(persons, persons->out->tts_values[0]);
		memcpy(VARDATA(persons->codes), codes, sizeof(uint16_t) * persons->counter->layout.ncols);
		if (pegs_turns_add(persons->turns, (const uint16_t *) VARDATA(persons->codes)) != PEGS_OK)
			refuse_more();
		if (++seen % PEGS_CHUNK == 0)
			CHECK_FOR_INTERRUPTS();
	}
	count_person(persons);
	pegs_persons_close(persons);
}

/* The sort ends, whether its rows were counted or not. */
void
pegs_persons_close(PegsPersons *persons)
{
	if (persons->sort)
		tuplesort_end(persons->sort);
	persons->sort = NULL;
}
