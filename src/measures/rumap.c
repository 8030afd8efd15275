/*
 * rumap.c
 *	  The R-U map: risk (epsilon) against utility for PeGS, PeGS.rs and every
 *	  other method, on the table at hand. PeGS paper section 4.3.
 *
 * The mechanisms run as they would for a release, but every result is compared
 * with the original and thrown away: not private, for the curator alone,
 * nothing is charged and nothing is stored. To choose an epsilon by looking at
 * this map is itself a selection on the data (docs/limits.md).
 */
#include "measures/measures.h"
#include "codes/codes.h"
#include "read/read.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#include "core/compare/risk.h"

#define MAX_ROWS (INT64CONST(1) << 31) /* as many as the measures compare */
#define ROWS_AT_ONCE 65536		/* between two questions whether to stop */

typedef struct Map
{
	struct ReturnSetInfo *result;
	const PegsDomain *domain;
	pegs_coded *original;
	bool	   *numbers;		/* [columns] is it a target that is a number? */
	uint32_t	target;
	uint32_t   *keys;
	uint32_t	nkeys;
	int64		n;
	PegsTried  *tried;			/* the methods */
	int			ntried;
	float8	   *epsilons;
	int			nepsilons;
	int			replicates;
	bool		distances;		/* of tables, and nothing else is measured */
} Map;

static void
compare_rows(const Map *map, const PegsTrial *trial, const pegs_coded *synthetic)
{
	const PegsDomain *domain = map->domain;
	pegs_env	env = pegs_env_in(CurrentMemoryContext);
	pegs_risk	risk;

	pegs_compare_tables(map->result, trial, domain, map->original, synthetic);
	if (map->nkeys == 0)
		return;
	if (pegs_risk_of(&env, map->original, synthetic, map->keys, map->nkeys, map->target, &risk) != PEGS_OK)
		elog(ERROR, "the risk cannot be measured");
	pegs_put_comparison(map->result, trial, domain, "UiO", NULL, 0, risk.on_keys.original);
	pegs_put_comparison(map->result, trial, domain, "UiS", NULL, 0, risk.on_keys.synthetic);
	pegs_put_comparison(map->result, trial, domain, "repU", NULL, 0, risk.on_keys.replicated);
	if (map->target == PEGS_NO_COLUMN)
		return;
	pegs_put_comparison(map->result, trial, domain, "DiSCO", NULL, 0, risk.disco);
	pegs_put_comparison(map->result, trial, domain, "misclassified", NULL, 0, risk.misclassified);
	pegs_put_comparison(map->result, trial, domain, "misclassified_own", NULL, 0, risk.misclassified_own);
	pegs_put_comparison(map->result, trial, domain, "error", NULL, 0, risk.error);
	pegs_put_comparison(map->result, trial, domain, "error_own", NULL, 0, risk.error_own);
}

/* The columns by number; without a target PEGS_NO_COLUMN. */
static void
read_keys_and_target(Map *map, const PegsDomain *domain, List *keys, const char *target)
{
	ListCell   *cell;

	map->numbers = palloc0(sizeof(bool) * domain->ncols);
	map->keys = palloc(sizeof(uint32_t) * (list_length(keys) + 1));
	map->target = PEGS_NO_COLUMN;
	foreach(cell, keys)
	{
		int			c = pegs_domain_find(domain, lfirst(cell));

		bool		is_target = c >= 0 && target && strcmp(lfirst(cell), target) == 0;

		if (c < 0 || is_target)
			ereport(ERROR,
					(errcode(is_target ? ERRCODE_INVALID_PARAMETER_VALUE : ERRCODE_UNDEFINED_COLUMN),
					 is_target ? errmsg("keys: \"%s\" is the target", (char *) lfirst(cell)) : errmsg("keys: \"%s\" is not a column of the map", (char *) lfirst(cell)),
					 errhint("An intruder knows the keys and wants the target.")));
		map->keys[map->nkeys++] = c;
	}
	if (target)
	{
		int			c = pegs_domain_find(domain, target);

		if (c < 0 || keys == NIL)
			ereport(ERROR,
					(errcode(c < 0 ? ERRCODE_UNDEFINED_COLUMN : ERRCODE_INVALID_PARAMETER_VALUE),
					 c < 0 ? errmsg("target: \"%s\" is not a column of the map", target) : errmsg("target: there are no keys beside it"),
					 errhint("An intruder knows the keys and wants the target, one of the others: keys => %s", pegs_columns_example(domain, 2))));
		map->target = c;
		map->numbers[c] = pegs_is_number(domain->column[c].type);
	}
}

/* epsilon of each trial, in units of 1e-9. */
static float8 *
epsilons(FunctionCallInfo fcinfo, int argument, int *n)
{
	Datum	   *items;
	bool	   *nulls;
	float8	   *result;

	if (PG_ARGISNULL(argument))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("epsilons must not be null"),
				 errhint("epsilons => ARRAY[0.1, 1, 10]")));
	pegs_require_flat(PG_GETARG_ARRAYTYPE_P(argument), "epsilons");
	deconstruct_array(PG_GETARG_ARRAYTYPE_P(argument), FLOAT8OID, sizeof(float8), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE,
					  &items, &nulls, n);
	if (*n == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("epsilons must hold at least one"),
				 errhint("epsilons => ARRAY[0.1, 1, 10]")));
	result = palloc(sizeof(float8) * (*n + 1));
	for (int i = 0; i < *n; i++)
	{
		result[i] = nulls[i] ? 0 : DatumGetFloat8(items[i]);
		if (!(result[i] >= 1e-9 && result[i] <= 1e9))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("every epsilon must be at least 1e-9 and at most 1e9"),
					 errhint("epsilons => ARRAY[0.1, 1, 10]")));
	}
	return result;
}

/* Their codes and numbers are held in memory; the product is taken in 64 bits on every machine. */
static void
refuse_too_many_rows(int64 n)
{
	if (n > (int64) (MaxAllocHugeSize / sizeof(double)) || n > MAX_ROWS)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("n is too large"),
				 errdetail("At most " INT64_FORMAT " rows are compared.", Min(MAX_ROWS, (int64) (MaxAllocHugeSize / sizeof(double)))),
				 errhint("A map needs no more rows than the table has: n => 100000")));
}

static void
refuse_replicates(int replicates)
{
	if (replicates < 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("replicates must be at least 1"),
				 errhint("replicates => 1")));
}

static void
refuse_undeclared(const pegs_coded *table, const PegsDomain *domain)
{
	for (uint32 c = 0; c < table->ncols; c++)
		for (uint64 r = 0; r < table->nrows; r++)
		{
			if (r % ROWS_AT_ONCE == 0)
				CHECK_FOR_INTERRUPTS();
			if (table->code[c][r] >= table->levels[c])
				ereport(ERROR,
						(errcode(ERRCODE_CHECK_VIOLATION),
						 errmsg("column \"%s\" holds a value outside its declared domain", domain->column[c].name),
						 errhint("Declare the level, or another that takes such values: pegs_set_levels(..., other => '...').")));
		}
}

/* The table as codes, once for all trials. */
static void
read_original(Map *map, const PegsSource *source)
{
	map->original = pegs_coded_original(source, map->domain, map->numbers, true);
	refuse_undeclared(map->original, map->domain);
	pegs_read_tried(map->tried, map->ntried, source, map->original);
}

/* One trial, in memory that goes with it. */
static void
run_trial(const Map *map, PegsTried *tried, double epsilon, int replicate)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "pegs trial", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	PegsTrial	trial = {tried->name, epsilon, replicate, map->distances};
	pegs_coded *rows = pegs_tried_rows(tried, map->n, epsilon, map->numbers);

	compare_rows(map, &trial, rows);
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
}

/* Has it trials at the first epsilon alone? Without a guarantee there is none that its rows could differ by. */
static bool
has_no_epsilon(const PegsTried *tried)
{
	return tried->method->payment == PEGS_NOT_PRIVATE;
}

/* A line of the map that has no point at some epsilon is not left out in silence. */
static void
say_why_not(const PegsTried *tried, double epsilon, const char *why)
{
	ereport(NOTICE,
			(errmsg("R-U map: no rows of method \"%s\" at epsilon %s", tried->name, pegs_units_text((int64) rint(epsilon * PEGS_EPSILON_UNIT), 9)),
			 errdetail("%s", why)));
}

/* Of each method at each epsilon: has it rows? How many trials there are. By public facts. */
static int64
plan_trials(const Map *map, bool *has_rows)
{
	int64		trials = 0;

	for (int e = 0; e < map->nepsilons; e++)
		for (int m = 0; m < map->ntried; m++)
		{
			bool		none = has_no_epsilon(&map->tried[m]);
			const char *why = none ? NULL : pegs_tried_why_not(&map->tried[m], map->n, map->epsilons[e]);

			if (why && !map->distances)
				say_why_not(&map->tried[m], map->epsilons[e], why);
			has_rows[e * map->ntried + m] = why == NULL && !(none && e > 0);
			trials += has_rows[e * map->ntried + m] ? map->replicates : 0;
		}
	return trials;
}

/* Every method at every epsilon, as often as asked. */
static void
all_trials(const Map *map, const bool *has_rows, int64 trials)
{
	int64		done = 0;

	for (int e = 0; e < map->nepsilons; e++)
		for (int m = 0; m < map->ntried; m++)
			for (int replicate = 1; has_rows[e * map->ntried + m] && replicate <= map->replicates; replicate++)
			{
				run_trial(map, &map->tried[m], has_no_epsilon(&map->tried[m]) ? NAN : map->epsilons[e], replicate);
				if (++done % 10 == 0 && done < trials)
					ereport(NOTICE, (errmsg("R-U map: " INT64_FORMAT " of " INT64_FORMAT " trials are done", done, trials)));
			}
}

/*
 * pegs_ru_map(source regclass, epsilons float8[], n bigint, block bigint, replicates int, columns name[], parents jsonb,
 *			   delta float8, keys name[], target name, methods text[], tail_bits int)
 * pegs_internal.report_trials(the same, distances boolean)
 * → (method, epsilon, replicate, measure, of, value, guarantee)
 *
 * epsilon is the total of n rows, as in pegs_sample; of the fit, as in pegs_fit (not above 1000); NULL for a method without a guarantee.
 */
PG_FUNCTION_INFO_V1(pegs_ru_map);
Datum
pegs_ru_map(PG_FUNCTION_ARGS)
{
	PegsSource *source = pegs_curated_source(pegs_arg_oid(fcinfo, 0, "source"), "compare releases of it");
	Map			map = {0};
	Jsonb	   *parents;
	List	   *keys;
	char	   *target;
	char	  **methods;
	int64		block;
	int64		delta;
	int			tail_bits;
	PegsDomain *domain;
	PegsSpec   *spec;
	bool	   *has_rows;
	int64		trials;

	map.epsilons = epsilons(fcinfo, 1, &map.nepsilons);
	map.n = pegs_arg_count(fcinfo, 2, "n");
	block = pegs_arg_count(fcinfo, 3, "block");
	map.replicates = PG_ARGISNULL(4) ? 0 : PG_GETARG_INT32(4);
	parents = pegs_arg_object(fcinfo, 6, "parents");
	keys = pegs_arg_names(fcinfo, 8, "keys");
	target = PG_ARGISNULL(9) ? NULL : NameStr(*PG_GETARG_NAME(9));
	methods = pegs_arg_texts(fcinfo, 10, "methods", &map.ntried);
	if (map.ntried == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("methods must name at least one"),
				 errhint("methods => ARRAY['PeGS', 'table']")));
	refuse_too_many_rows(map.n);
	delta = pegs_arg_delta(fcinfo, 7, "delta");
	map.result = pegs_materialize(fcinfo, false);
	refuse_replicates(map.replicates);
	tail_bits = pegs_arg_tail_bits(fcinfo, 11);
	map.tried = palloc(sizeof(PegsTried) * (map.ntried + 1));
	for (int i = 0; i < map.ntried; i++)
		map.tried[i] = pegs_tried(methods[i], block, delta);
	map.distances = PG_NARGS() > 12 && !PG_ARGISNULL(12) && PG_GETARG_BOOL(12);
	pegs_load_unit(source);
	domain = pegs_domain_choose(pegs_domain_of(source), source, pegs_arg_names(fcinfo, 5, "columns"));
	pegs_load_zeros(domain, source);
	read_keys_and_target(&map, domain, keys, target);
	spec = pegs_spec_make(domain, parents ? parents : DatumGetJsonbP(DirectFunctionCall1(jsonb_in, CStringGetDatum("{}"))), tail_bits);
	for (int m = 0; m < map.ntried; m++)
		pegs_prepare_tried(&map.tried[m], source, spec);
	map.domain = spec->domain;
	has_rows = palloc(sizeof(bool) * ((Size) map.ntried * map.nepsilons + 1));
	trials = plan_trials(&map, has_rows);
	read_original(&map, source);
	all_trials(&map, has_rows, trials);
	PG_RETURN_NULL();
}
