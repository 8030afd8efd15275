/*
 * persons.c
 *	  Rows that come person by person, into a counter: which of them count, and
 *	  how often (core/turns.c).
 *
 * The person's value itself is not kept: only its hash, the seed of the turns.
 * Claim P10.
 */
#include "read/read.h"

#include "miscadmin.h"
#include "utils/memutils.h"

struct PegsPersons
{
	PegsCounter *counter;
	pegs_env	env;			/* of memory that nobody sees */
	pegs_turns *turns;
	uint16_t   *row;			/* [columns] the codes of one row */
};

/* most: rows of a person that count, at most; alike: each counts `most` times, its own rows in turn. */
PegsPersons *
pegs_persons(PegsCounter *counter, uint32 most, bool alike, MemoryContext context)
{
	MemoryContext old = MemoryContextSwitchTo(context);
	PegsPersons *persons = palloc0(sizeof(PegsPersons));

	persons->counter = counter;
	persons->env = pegs_wiped_env_in(context);
	persons->row = persons->env.alloc(context, sizeof(uint16_t) * counter->layout.ncols);
	persons->turns = pegs_turns_new(&persons->env, counter->layout.ncols, most, alike, (uint64) maintenance_work_mem * 1024);
	if (alike)
		counter->times = palloc0(sizeof(uint32_t) * PEGS_CHUNK);
	MemoryContextSwitchTo(old);
	return persons;
}

/* All rows of the person who was begun are there. */
void
pegs_persons_end(PegsPersons *persons)
{
	PegsCounter *counter = persons->counter;
	uint32_t	n = pegs_turns_end(persons->turns);

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
	pegs_turns_begin(persons->turns, 0);
}

/* Another person, whose rows come now. */
void
pegs_persons_begin(PegsPersons *persons, uint64 seed)
{
	pegs_persons_end(persons);
	pegs_turns_begin(persons->turns, seed);
}

/* A row of the person, in the counter's codes. What is left out takes no turn: it is as if the person had no such row. */
void
pegs_persons_add(PegsPersons *persons)
{
	PegsCounter *counter = persons->counter;

	for (uint32_t i = 0; i < counter->layout.ncols; i++)
		persons->row[i] = counter->codes[i][counter->fill];
	if (pegs_turns_add(persons->turns, persons->row) != PEGS_OK)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("the rows of a person do not fit into maintenance_work_mem"),
				 errdetail("All rows of a person are looked at together: the different ones are kept in memory, 2 bytes for each value and 24 for the row."),
				 errhint("SET maintenance_work_mem = '1GB'; Or is that person nobody, as 0 or 'unknown'? A row that is nobody's has NULL there, and is left out.")));
}
