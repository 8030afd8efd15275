/*
 * levels.c
 *	  Averages of groups out of relations, as jsonb names them.
 */
#include "disaggregate/disaggregate.h"
#include "codes/codes.h"
#include "read/read.h"

#include <math.h>

#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#define MAX_LEVELS 16

/* ---- averages ---- */

typedef struct Averages
{
	PegsGrouping *level;
	Oid			type;
	MemoryContext context;
	bool		twice;
	bool		no_number;
} Averages;

static void
keep_average(PegsGrouping *level, MemoryContext context, uint32 group, double average)
{
	if (group >= level->room)
	{
		level->room = level->room == 0 ? 1024 : level->room * 2;
		level->average = level->average ? repalloc_huge(level->average, sizeof(double) * level->room)
			: MemoryContextAlloc(context, sizeof(double) * level->room);
	}
	level->average[group] = average;
}

static void
take_average(void *arg, const Datum *values, const bool *nulls)
{
	Averages   *averages = arg;
	PegsGrouping *level = averages->level;
	int			nkeys = list_length(level->on);
	uint32		before = pegs_distinct_count(level->groups);
	int64		group = pegs_distinct_number(level->groups, values, nulls, true);
	double		average = pegs_number_of(averages->type, values[nkeys], nulls[nkeys]);

	averages->twice |= group < before;
	averages->no_number |= !isfinite(average);
	keep_average(level, averages->context, (uint32) group, average);
}

static void
read_level(PegsGrouping *level, Oid individuals)
{
	const PegsReading *reading = pegs_reading_as_caller(level->from, lappend(list_copy(level->on), level->value));
	Averages	averages = {.level = level, .context = CurrentMemoryContext};
	int			n = list_length(level->on);
	Oid		   *type = palloc(sizeof(Oid) * n);
	Oid		   *collation = palloc(sizeof(Oid) * n);
	StringInfoData query;
	ListCell   *cell;
	Oid			any;

	pegs_require_number(level->from, level->value, false);
	initStringInfo(&query);
	foreach(cell, level->on)
	{
		int			k = foreach_current_index(cell);
		Oid			there = pegs_type_of(level->from, lfirst(cell), &any);
		Oid			here = pegs_type_of(individuals, lfirst(cell), &collation[k]);

		type[k] = pegs_common_type(here, there, lfirst(cell));
		pegs_query_column(&query, lfirst(cell), here == there ? InvalidOid : type[k]);
	}
	pegs_query_column(&query, level->value, InvalidOid);
	averages.type = pegs_type_of(level->from, level->value, &any);
	level->groups = pegs_distinct(n, type, collation);
	pegs_each_row(reading, &query, take_average, &averages);
	if (averages.twice)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("\"%s\" has two averages for one group", get_rel_name(level->from)),
				 errhint("Name all columns that make its groups: \"on\".")));
	if (averages.no_number)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("an average in column \"%s\" of \"%s\" is null, not a number, or infinite", level->value, get_rel_name(level->from)),
				 errhint("Make a view without such rows, and give the option {\"missing\": \"skip\"}.")));
}

/* ---- aggregates as jsonb ---- */

static const char *const aggregates_hint = "aggregates => '{\"from\": \"cost_by_county\", \"on\": [\"county\"], \"value\": \"average\"}'";

static void
wrong_aggregates(const char *why)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("aggregates: %s", why),
			 errhint("%s", aggregates_hint)));
}

static List *
names_of(const JsonbValue *value)
{
	List	   *names = NIL;
	JsonbIterator *it;
	JsonbValue	item;
	JsonbIteratorToken token;

	if (value->type != jbvBinary || !JsonContainerIsArray(value->val.binary.data))
		return NIL;
	it = JsonbIteratorInit(value->val.binary.data);
	while ((token = JsonbIteratorNext(&it, &item, true)) != WJB_DONE)
		if (token == WJB_ELEM)
		{
			char	   *name;

			if (item.type != jbvString)
				return NIL;
			name = pegs_json_key(&item);
			names = lappend(names, name);
		}
	return names;
}

static PegsGrouping
level_of(JsonbContainer *object)
{
	PegsGrouping level = {0};
	PegsMembers members = pegs_members(object);
	char	   *from = NULL;

	while (pegs_next_member(&members))
	{
		if (strcmp(members.name, "from") == 0 && members.value.type == jbvString)
			from = pegs_json_scalar(&members.value);
		else if (strcmp(members.name, "value") == 0 && members.value.type == jbvString)
			level.value = pegs_json_key(&members.value);
		else if (strcmp(members.name, "on") == 0 && members.value.type != jbvString)
			level.on = names_of(&members.value);
		else
			wrong_aggregates(psprintf("there is no \"%s\", or its value is of another kind", pegs_clipped(members.name)));
	}
	if (from == NULL || level.value == NULL || level.on == NIL)
		wrong_aggregates("each needs \"from\", a relation; \"on\", its columns that make the groups; \"value\", the column of averages");
	level.from = pegs_relation_named(from, "\"from\" names a relation", "{\"from\": \"my_schema.\\\"Cost by County\\\"\", ...}");
	return level;
}

void
pegs_read_averages(PegsIndividuals *all, const Jsonb *aggregates, Oid individuals)
{
	JsonbContainer *root = unconstify(JsonbContainer *, &aggregates->root);

	all->level = palloc0(sizeof(PegsGrouping) * MAX_LEVELS);
	if (JsonContainerIsObject(root))
		all->level[all->nlevels++] = level_of(root);
	else
	{
		JsonbIterator *it = JsonbIteratorInit(root);
		JsonbValue	item;
		JsonbIteratorToken token;

		while ((token = JsonbIteratorNext(&it, &item, true)) != WJB_DONE)
			if (token == WJB_ELEM)
			{
				if (item.type != jbvBinary || !JsonContainerIsObject(item.val.binary.data))
					wrong_aggregates("each must be a JSON object");
				if (all->nlevels == MAX_LEVELS)
					wrong_aggregates(psprintf("more than %d tables", MAX_LEVELS));
				all->level[all->nlevels++] = level_of(item.val.binary.data);
			}
	}
	if (all->nlevels == 0)
		wrong_aggregates("there are none");
	for (int l = 0; l < all->nlevels; l++)
	{
		ListCell   *cell;

		foreach(cell, all->level[l].on)
			if (get_attnum(individuals, lfirst(cell)) == InvalidAttrNumber)
				ereport(ERROR,
						(errcode(ERRCODE_UNDEFINED_COLUMN),
						 errmsg("relation \"%s\" has no column \"%s\"", get_rel_name(individuals), (char *) lfirst(cell)),
						 errhint("The columns of \"on\" are in both relations. Its columns are: %s.", pegs_columns_it_has(individuals))));
		read_level(&all->level[l], individuals);
	}
}
