/*
 * classes.c
 *	  How many classes of which size a table has: pegs_equivalence_classes.
 *
 * Exact counts, for the curator.
 */
#include "generalize/generalize.h"
#include "read/read.h"

#include "funcapi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/tuplestore.h"

static int
rising(const void *a, const void *b)
{
	uint64		x = *(const uint64 *) a;
	uint64		y = *(const uint64 *) b;

	CHECK_FOR_INTERRUPTS();
	return (x > y) - (x < y);
}

/* pegs_equivalence_classes(relation regclass, keys name[]) → (size, classes, rows, guarantee) */
PG_FUNCTION_INFO_V1(pegs_equivalence_classes);
Datum
pegs_equivalence_classes(PG_FUNCTION_ARGS)
{
	PegsSource *source = pegs_curated_source(pegs_arg_oid(fcinfo, 0, "relation"), "count its classes");
	List	   *keys = pegs_arg_names(fcinfo, 1, "keys");
	ReturnSetInfo *result = pegs_materialize(fcinfo, false);
	pegs_env	env = pegs_env_in(CurrentMemoryContext);
	PegsDomain *domain;
	pegs_coded *table;
	pegs_tuples tuples;
	uint32	   *columns;
	uint64	   *size;

	if (keys == NIL)
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("keys must not be null"),
				 errhint("Name the columns that an intruder may know: keys => %s", pegs_columns_example(pegs_domain_of(source), 2))));
	source->chosen_by = "keys";
	domain = pegs_domain_choose(pegs_domain_of(source), source, keys);
	pegs_general_say_rows(source);
	table = pegs_coded_original(source, domain, NULL, false);
	columns = palloc(sizeof(uint32) * domain->ncols);
	for (int c = 0; c < domain->ncols; c++)
		columns[c] = (uint32) c;
	if (pegs_tuples_of(&env, table, columns, (uint32) domain->ncols, PEGS_NO_LEVEL, &tuples) != PEGS_OK)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("the table has too many rows to be measured"),
				 errhint("Measure a part of it: a view with a WHERE is a source, too.")));
	size = env.alloc(env.context, sizeof(uint64) * (tuples.n + 1));
	for (uint32 i = 0; i < tuples.n; i++)
		size[i] = tuples.times[i];
	qsort(size, tuples.n, sizeof(uint64), rising);
	for (uint32 i = 0; i < tuples.n;)
	{
		uint32		first = i;
		Datum		values[4];
		bool		nulls[4] = {false};

		while (i < tuples.n && size[i] == size[first])
			i++;
		values[0] = Int64GetDatum((int64) size[first]);
		values[1] = Int64GetDatum((int64) (i - first));
		values[2] = Int64GetDatum((int64) size[first] * (int64) (i - first));
		values[3] = CStringGetTextDatum("none");
		tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
	}
	return (Datum) 0;
}
