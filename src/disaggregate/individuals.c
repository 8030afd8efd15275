/*
 * individuals.c
 *	  Individuals out of a relation: their groups, and their columns as numbers and dummies.
 *
 * Nothing is said while rows are read: what is amiss is remembered, and said
 * afterwards without a value or a count, which the server's log would have, too
 * (law L5). NULL is a group, and a level of a factor; a
 * number that is NULL is the mean of its column, with a dummy of its own.
 */
#include "disaggregate/disaggregate.h"
#include "codes/codes.h"
#include "read/read.h"

#include <math.h>

#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#define MAX_TERMS 4096
#define MAX_TRIED 512			/* terms of pegs_reconstruct, which tries several methods */
#define MAX_NUMBERS (UINT64CONST(1) << 28)	/* of all individuals: 2 GB */
#define SCRATCH_ROWS 1024

/* ---- individuals ---- */

typedef struct Column
{
	char	   *name;
	Oid			type;
	PegsDistinct *levels;		/* of a factor; NULL: a number */
	double	   *number;			/* [rows] NaN: NULL */
	uint32	   *code;			/* [rows] */
	bool		has_null;
} Column;

typedef struct People
{
	PegsIndividuals *all;
	Column	   *column;
	int			ncolumns;
	Oid			value_type;
	uint64		n;
	uint64		room;
	uint64		seen_room;
	bool		id_null;
	bool		id_twice;
	bool		no_number;
	MemoryContext context;
} People;

static void *
more(People *people, void *old, size_t bytes)
{
	return old ? repalloc_huge(old, bytes) : MemoryContextAllocHuge(people->context, bytes);
}

static void
make_room(People *people)
{
	PegsIndividuals *all = people->all;

	if (all->seen == people->seen_room)
	{
		people->seen_room = people->seen_room == 0 ? 1024 : people->seen_room * 2;
		all->left_out = more(people, all->left_out, people->seen_room);
	}
	if (people->n < people->room)
		return;
	people->room = people->room == 0 ? 1024 : people->room * 2;
	for (int l = 0; l < all->nlevels; l++)
		all->level[l].of = more(people, all->level[l].of, sizeof(uint32) * people->room);
	if (all->value)
		all->truth = more(people, all->truth, sizeof(double) * people->room);
	for (int c = 0; c < people->ncolumns; c++)
		if (people->column[c].levels)
			people->column[c].code = more(people, people->column[c].code, sizeof(uint32) * people->room);
		else
			people->column[c].number = more(people, people->column[c].number, sizeof(double) * people->room);
}

static void
take_id(People *people, Datum value, bool isnull)
{
	people->id_null |= isnull;
	if (!people->id_null)
		people->id_twice |= pegs_distinct_number(people->all->ids, &value, &isnull, true) < (int64) people->all->seen;
}

static void
take_person(void *arg, const Datum *values, const bool *nulls)
{
	People	   *people = arg;
	PegsIndividuals *all = people->all;
	bool		missing = false;

	make_room(people);
	if (people->n == (uint64) INT32_MAX)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("there are more than %d individuals", INT32_MAX),
				 errhint("Take a view with a part of the groups, and their averages.")));
	if (all->id)
	{
		take_id(people, values[0], nulls[0]);
		values++, nulls++;
	}
	for (int l = 0; l < all->nlevels; l++)
	{
		PegsGrouping *level = &all->level[l];
		int64		group = pegs_distinct_number(level->groups, values, nulls, !OidIsValid(level->from));

		missing |= group < 0;
		level->of[people->n] = (uint32) group;
		values += list_length(level->on);
		nulls += list_length(level->on);
	}
	if (all->value)
	{
		double		value = pegs_number_of(people->value_type, *values, *nulls);

		/* an average has nothing of it */
		missing |= *nulls;
		people->no_number |= !*nulls && !isfinite(value);
		all->truth[people->n] = value;
		values++, nulls++;
	}
	for (int c = 0; c < people->ncolumns; c++)
	{
		Column	   *column = &people->column[c];

		if (column->levels)
			column->code[people->n] = (uint32) pegs_distinct_number(column->levels, &values[c], &nulls[c], true);
		else
		{
			column->number[people->n] = pegs_number_of(column->type, values[c], nulls[c]);
			people->no_number |= !nulls[c] && !isfinite(column->number[people->n]);
			column->has_null |= nulls[c] && !missing;
		}
	}
	all->left_out[all->seen++] = missing;
	all->missing += missing;
	people->n += !missing;
}

static bool
is_among(const char *name, List *names)
{
	ListCell   *cell;

	foreach(cell, names)
		if (strcmp(lfirst(cell), name) == 0)
			return true;
	return false;
}

static void
find_columns(People *people, Oid relid)
{
	PegsIndividuals *all = people->all;
	ListCell   *cell;
	ListCell   *before;

	people->ncolumns = list_length(all->columns);
	people->column = palloc0(sizeof(Column) * (people->ncolumns + 1));
	foreach(cell, all->factors)
		if (!is_among(lfirst(cell), all->columns))
			ereport(ERROR,
					(errcode(ERRCODE_UNDEFINED_COLUMN),
					 errmsg("\"%s\" is among the factors, but not among the columns", (char *) lfirst(cell)),
					 errhint("Name it in both: columns => ..., factors => ...")));
	foreach(cell, all->columns)
	{
		Column	   *column = &people->column[foreach_current_index(cell)];
		Oid			collation;

		foreach(before, all->columns)
			if (before != cell && strcmp(lfirst(before), lfirst(cell)) == 0)
				ereport(ERROR,
						(errcode(ERRCODE_DUPLICATE_COLUMN),
						 errmsg("column \"%s\" is named twice", (char *) lfirst(cell)),
						 errhint("Name every column once.")));
		column->name = lfirst(cell);
		column->type = pegs_type_of(relid, column->name, &collation);
		if (is_among(column->name, all->factors) || (all->any_factor && !pegs_is_plain_number(column->type)))
			column->levels = pegs_distinct(1, &column->type, &collation);
		else
			pegs_require_number(relid, column->name, true);
	}
}

static void
say_what_is_amiss(const People *people)
{
	const PegsIndividuals *all = people->all;

	if (people->id_null || people->id_twice)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("column \"%s\" of %s is not unique, or null somewhere", all->id, all->reading->name),
				 errhint("Name a column that tells all rows apart, such as the primary key.")));
	if (people->no_number)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("a number in a column of %s is infinite, or not a number", all->reading->name),
				 errhint("Make a view that has NULL there, and name that.")));
	if (all->missing > 0 && !all->value && !all->skip)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("some individuals are in groups without an average"),
				 errdetail("How many they are is in what pegs_disaggregate_check gives."),
				 errhint("options => '{\"missing\": \"skip\"}' gives them no estimate.")));
}

/* Groups without individuals go: they say nothing of anybody here. */
static void
drop_empty(PegsIndividuals *all, pegs_averages *level, PegsGrouping *from, uint64 n)
{
	uint32		groups = pegs_distinct_count(from->groups);
	uint32	   *number = MemoryContextAllocExtended(CurrentMemoryContext, sizeof(uint32) * ((size_t) groups + 1), MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	double	   *average = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(double) * ((size_t) groups + 1));

	for (uint64 i = 0; i < n; i++)
	{
		if (number[from->of[i]] == 0)
		{
			average[level->n] = from->average ? from->average[from->of[i]] : 0;
			number[from->of[i]] = ++level->n;
		}
		from->of[i] = number[from->of[i]] - 1;
		if (i % SCRATCH_ROWS == 0)
			CHECK_FOR_INTERRUPTS();
	}
	from->empty = groups - level->n;
	if (!OidIsValid(from->from))
	{
		double	   *size = MemoryContextAllocExtended(CurrentMemoryContext, sizeof(double) * ((size_t) level->n + 1), MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);

		for (uint64 i = 0; i < n; i++)
			size[from->of[i]]++;
		/* the mean of as many parts: no sum of large numbers */
		for (uint64 i = 0; i < n; i++)
			average[from->of[i]] += all->truth[i] / size[from->of[i]];
	}
	level->of = from->of;
	level->average = average;
}

/* Numbers and dummies, row by row. */
static void
make_terms(People *people)
{
	PegsIndividuals *all = people->all;
	pegs_individuals *core = &all->all;
	pegs_dummies *factor = palloc(sizeof(pegs_dummies) * (people->ncolumns + 1));
	uint64		terms = 0;

	for (int c = 0; c < people->ncolumns; c++)
		terms += people->column[c].levels ? pegs_distinct_count(people->column[c].levels) : people->column[c].has_null ? 2U : 1U;
	if (terms > MAX_TERMS)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("the columns have more than %d terms", MAX_TERMS),
				 errhint("Take fewer columns, or factors with fewer levels.")));
	/* a try of each day of a date as a level took minutes */
	if (all->any_factor && terms > MAX_TRIED)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("the columns have more than %d terms, too many to be tried", MAX_TRIED),
				 errdetail("A column that is no number has a term for each of its values."),
				 errhint("Take fewer columns, or a view that has fewer values in them.")));
	if (people->n * terms > MAX_NUMBERS)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("there are too many individuals for so many terms"),
				 errdetail("Individuals times terms are more than " UINT64_FORMAT " numbers.", MAX_NUMBERS),
				 errhint("Take fewer columns, or factors with fewer levels; or a view of a part of the individuals, with averages of its own.")));
	core->m = (uint32) terms;
	core->factor = factor;
	core->x = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(double) * (people->n * terms + 1));
	for (uint64 i = 0; i < people->n; i++)
	{
		memset(core->x + i * terms, 0, sizeof(double) * terms);
		if (i % SCRATCH_ROWS == 0)
			CHECK_FOR_INTERRUPTS();
	}
	terms = 0;
	for (int c = 0; c < people->ncolumns; c++)
	{
		const Column *column = &people->column[c];
		double	   *x = core->x + terms;
		uint32		n = column->levels ? pegs_distinct_count(column->levels) : column->has_null ? 2U : 1U;
		double		mean = 0;
		double		known = 0;

		for (uint32 t = 0; t < n; t++)
			all->term_of = lappend(all->term_of, column->name);
		if (column->levels && n > 0)
			factor[core->nfactors++] = (pegs_dummies) {(uint32) terms, n};
		else if (column->has_null)
			factor[core->nfactors++] = (pegs_dummies) {(uint32) terms + 1, 1};
		terms += n;
		for (uint64 i = 0; i < people->n && column->has_null; i++)
			if (!isnan(column->number[i]))
				mean += (column->number[i] - mean) / ++known;
		for (uint64 i = 0; i < people->n; i++, x += core->m)
		{
			if (i % SCRATCH_ROWS == 0)
				CHECK_FOR_INTERRUPTS();
			if (column->levels)
				x[column->code[i]] = 1;
			else if (isnan(column->number[i]))
			{
				x[0] = mean;
				x[1] = 1;
			}
			else
				x[0] = column->number[i];
		}
	}
}

void
pegs_read_individuals(PegsIndividuals *all)
{
	Oid			relid = all->reading->relid;
	People		people = {.all = all, .context = CurrentMemoryContext};
	pegs_averages *level = palloc0(sizeof(pegs_averages) * all->nlevels);
	pegs_env	env = pegs_env_in(CurrentMemoryContext);
	StringInfoData query;
	ListCell   *cell;
	Oid			type;
	Oid			collation;

	initStringInfo(&query);
	find_columns(&people, relid);
	if (all->id)
	{
		type = pegs_type_of(relid, all->id, &collation);
		all->ids = pegs_distinct(1, &type, &collation);
		pegs_query_column(&query, all->id, InvalidOid);
	}
	for (int l = 0; l < all->nlevels; l++)
	{
		Oid		   *types = palloc(sizeof(Oid) * list_length(all->level[l].on));
		Oid		   *collations = palloc(sizeof(Oid) * list_length(all->level[l].on));

		foreach(cell, all->level[l].on)
		{
			int			k = foreach_current_index(cell);
			Oid			here = types[k] = pegs_type_of(relid, lfirst(cell), &collations[k]);
			Oid			there = OidIsValid(all->level[l].from) ? pegs_type_of(all->level[l].from, lfirst(cell), &collation) : here;

			pegs_query_column(&query, lfirst(cell), here == there ? InvalidOid : pegs_common_type(here, there, lfirst(cell)));
		}
		if (!OidIsValid(all->level[l].from))
			all->level[l].groups = pegs_distinct(list_length(all->level[l].on), types, collations);
	}
	if (all->value)
	{
		pegs_require_number(relid, all->value, false);
		people.value_type = pegs_type_of(relid, all->value, &collation);
		pegs_query_column(&query, all->value, InvalidOid);
	}
	foreach(cell, all->columns)
		pegs_query_column(&query, lfirst(cell), InvalidOid);
	pegs_each_row(all->reading, &query, take_person, &people);
	say_what_is_amiss(&people);
	all->all.rows = people.n;
	all->all.nlevels = (uint32) all->nlevels;
	all->all.level = level;
	for (int l = 0; l < all->nlevels; l++)
		drop_empty(all, &level[l], &all->level[l], people.n);
	make_terms(&people);
	if (people.n > 0 && pegs_individuals_prepare(&env, &all->all) != PEGS_OK)
		elog(ERROR, "the individuals cannot be prepared");
}
