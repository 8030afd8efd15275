/*
 * generalize.c
 *	  The plan that loses least: pegs_generalize.
 *
 * It gives no rows and charges nothing, but its numbers are exact: for curators.
 */
#include "generalize/generalize.h"

#include <math.h>

#include "funcapi.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

#include "core/compare/lattice.h"

/* ---- arguments ---- */

/* missing NAN: it must not be null. */
static double
arg_number(FunctionCallInfo fcinfo, int n, const char *name, double low, double high, double missing, const char *hint)
{
	double		value;

	if (PG_ARGISNULL(n) && isnan(missing))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("%s must not be null", name),
				 errhint("%s", hint)));
	if (PG_ARGISNULL(n))
		return missing;
	value = PG_GETARG_FLOAT8(n);
	if (isnan(value) || value < low || value > high)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 isinf(high) ? errmsg("%s must be at least %g, not %g", name, low, value)
				 : errmsg("%s must be from %g to %g, not %g", name, low, high, value),
				 errhint("%s", hint)));
	return value;
}

static double
arg_k(FunctionCallInfo fcinfo, int n)
{
	int			k = PG_ARGISNULL(n) ? 0 : PG_GETARG_INT32(n);

	if (k < 1)
		ereport(ERROR,
				(errcode(PG_ARGISNULL(n) ? ERRCODE_NULL_VALUE_NOT_ALLOWED : ERRCODE_INVALID_PARAMETER_VALUE),
				 PG_ARGISNULL(n) ? errmsg("k must not be null") : errmsg("k must be at least 1, not %d", k),
				 errhint("k => 5")));
	return k;
}

static bool
arg_method(FunctionCallInfo fcinfo, int n)
{
	char	   *method = pegs_arg_choice(fcinfo, n, "method");

	if (strcmp(method, "global") != 0 && strcmp(method, "local") != 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("method \"%s\" is not known", pegs_clipped(method)),
				 errhint("method => 'global', one step for each key; or method => 'local', as fine as the rows allow")));
	return strcmp(method, "local") == 0;
}

/* The key that a member of weights or fixed is of. */
static uint32
key_named(const PegsGeneral *general, const char *name, const char *what)
{
	int			j = pegs_domain_find(general->domain, name);

	if (j < 0 || j >= (int) general->nkeys)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_COLUMN),
				 errmsg("%s names \"%s\", which is no key", what, name),
				 errhint("%s => %s", what, pegs_object_example(general->domain->column[0].name, "1"))));
	return (uint32) j;
}

static void
read_weights(PegsGeneral *general, Jsonb *weights)
{
	PegsMembers members;

	if (weights == NULL)
		return;
	members = pegs_members(&weights->root);
	while (pegs_next_member(&members))
	{
		uint32		j = key_named(general, members.name, "weights");

		if (!pegs_json_number(&members.value, &general->key[j].weight) || general->key[j].weight < 0 || general->key[j].weight > 1e9)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("the weight of \"%s\" must be a number from 0 to 1000000000", members.name),
					 errhint("weights => %s", pegs_object_example(members.name, "2"))));
	}
	if (!(pegs_weight_of(general->key, general->nkeys) > 0))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the weights of the keys must not all be 0"),
				 errhint("weights => %s", pegs_object_example(general->domain->column[0].name, "2"))));
}

static void
read_fixed(PegsGeneral *general, Jsonb *fixed)
{
	PegsMembers members;

	if (fixed == NULL)
		return;
	members = pegs_members(&fixed->root);
	while (pegs_next_member(&members))
	{
		uint32		j = key_named(general, members.name, "fixed");
		double		step = -1;

		if (general->local)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("fixed needs method 'global': method 'local' has no step for a whole column"),
					 errhint("Leave fixed out.")));
		if (!pegs_json_number(&members.value, &step) || step < 0 || step >= general->key[j].nsteps || step != floor(step))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("the fixed step of \"%s\" must be a whole number from 0 to %u", members.name, general->key[j].nsteps - 1),
					 errhint("fixed => %s", pegs_object_example(members.name, psprintf("%u", general->key[j].nsteps - 1)))));
		general->key[j].first = general->key[j].last = (uint32) step;
	}
}

static PegsGeneral *
read_arguments(FunctionCallInfo fcinfo)
{
	PegsSource *source = pegs_curated_source(pegs_arg_oid(fcinfo, 0, "source"), "generalise it");
	List	   *keys = pegs_arg_names(fcinfo, 1, "keys");
	double		k = arg_k(fcinfo, 2);
	double		suppress = arg_number(fcinfo, 3, "suppress", 0, 1, NAN, "suppress => 0.05, the most; or suppress => 0, none");
	bool		local = arg_method(fcinfo, 4);
	char	   *sensitive = PG_ARGISNULL(5) ? NULL : NameStr(*PG_GETARG_NAME(5));
	double		l = arg_number(fcinfo, 6, "l", 1, INFINITY, 1, "l => 2");
	double		t = arg_number(fcinfo, 7, "t", 0, 1, 1, "t => 0.2");
	Jsonb	   *weights = pegs_arg_object(fcinfo, 8, "weights");
	Jsonb	   *fixed = pegs_arg_object(fcinfo, 9, "fixed");
	PegsGeneral *general;
	ListCell   *cell;

	if (keys == NIL)
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("keys must not be null"),
				 errhint("Name the columns that an intruder may know: keys => %s", pegs_columns_example(pegs_domain_of(source), 2))));
	if (sensitive == NULL && !(PG_ARGISNULL(6) && PG_ARGISNULL(7)))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("l and t need a sensitive column"),
				 errhint("Name the column that nobody may learn: sensitive => '...'")));
	if (sensitive && PG_ARGISNULL(6) && PG_ARGISNULL(7))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("a sensitive column needs l or t: neither is given, so nothing would be asked of it"),
				 errhint("l => 2, or t => 0.3; or leave sensitive out.")));
	foreach(cell, keys)
		if (sensitive && strcmp(sensitive, lfirst(cell)) == 0)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("column \"%s\" cannot be a key and the sensitive column", sensitive),
					 errhint("Leave it out of keys, or sensitive out.")));
	general = pegs_general(source, keys, sensitive);
	general->criteria = (pegs_criteria) {(uint64) k, l, t};
	general->suppress = suppress;
	general->local = local;
	if (sensitive && l > pegs_column_levels(&general->domain->column[general->sensitive]))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("l must be at most %d, not %g", pegs_column_levels(&general->domain->column[general->sensitive]), l),
				 errdetail("Column \"%s\" has no more levels.", sensitive),
				 errhint("l => 2")));
	read_weights(general, weights);
	read_fixed(general, fixed);
	return general;
}

/* ---- the search ---- */

static void
refuse_nodes(const PegsGeneral *general)
{
	StringInfoData product;

	initStringInfo(&product);
	for (uint32 j = 0; j < general->nkeys; j++)
		appendStringInfo(&product, "%s%u", j == 0 ? "" : " * ", general->key[j].last - general->key[j].first + 1);
	ereport(ERROR,
			(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
			 errmsg("there are more than " UINT64_FORMAT " combinations of steps to search", (uint64) PEGS_MAX_NODES),
			 errdetail("The keys have %s.", product.data),
			 errhint("Give a step that need not be searched, fixed => %s; or method => 'local'.",
					 pegs_object_example(general->domain->column[0].name, "0"))));
}

/* What there is to ask less of: the whole table as one class has k rows and no distance, but its own l. */
static char *
ask_less(const PegsGeneral *general)
{
	double		l = general->criteria.l;
	bool		fixed = false;

	for (uint32 j = 0; j < general->nkeys; j++)
		fixed |= general->key[j].last + 1 < general->key[j].nsteps;
	if (l > 1)
		return psprintf("Ask for less, l => %.6g%s: no class is more varied than the whole table.", l > 2 ? l / 2 : (1 + l) / 2,
						fixed ? ", or leave fixed out" : "");
	return psprintf("Ask for less, k => 2, or let more be suppressed, suppress => 1, method => 'global'%s.", fixed ? "; or leave fixed out" : "");
}

/* The share is for who asks, and may read the rows: the server's log is for others, too. Law L5. */
static void
refuse_none(uint64 suppressed, uint64 rows, const PegsGeneral *general)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("no generalisation meets the criteria"),
			 errdetail("At the coarsest steps a share of %.4f of the rows would have to be suppressed, and %g may be.",
					   rows > 0 ? (double) suppressed / (double) rows : 1.0, general->local ? 0.0 : general->suppress),
			 errdetail_log("The share of the rows is told to the client alone."),
			 errhint("%s", ask_less(general))));
}

static void
progress(void *context, uint64_t looked_at, uint64_t nodes)
{
	TimestampTz *said = context;
	TimestampTz now = GetCurrentTimestamp();

	if (TimestampDifferenceExceeds(*said, now, 1000))
	{
		*said = now;
		ereport(NOTICE, (errmsg(UINT64_FORMAT " of at most " UINT64_FORMAT " combinations of steps were tried",
								(uint64) looked_at, (uint64) nodes)));
	}
}

/* Boxes of the best node, or Mondrian's; the plan's steps. */
static void
search(PegsGeneral *general, const pegs_env *env, const pegs_tuples *tuples, pegs_boxes *boxes, PegsFound *found)
{
	TimestampTz said = GetCurrentTimestamp();
	pegs_lattice lattice = {
		.tuples = tuples, .keys = general->key, .criteria = general->criteria, .suppress = general->suppress,
		.progress = progress, .context = &said
	};
	pegs_node	node;
	bool		met;

	if (general->local)
	{
		pegs_general_refuse_fault(pegs_mondrian(env, tuples, general->key, &general->criteria, boxes, &met));
		if (!met)
			refuse_none(tuples->rows, tuples->rows, general);
		return;
	}
	if (pegs_search(env, &lattice, general->step, &node) != PEGS_OK)
		elog(ERROR, "the lattice cannot be searched");
	if (!node.found)
		refuse_none(node.suppressed, tuples->rows, general);
	found->searched = node.looked_at;
	found->nodes = node.nodes;
	pegs_boxes_at(env, tuples, general->key, general->step, boxes);
}

/* Which classes meet the criteria, left out or not: what the search counted. */
static bool *
classes_kept(const PegsGeneral *general, const pegs_env *env, const pegs_tuples *tuples, const pegs_boxes *boxes)
{
	pegs_criteria alone = general->criteria;
	bool	   *keep = palloc0(boxes->n + 1);
	uint64	   *rows = env->alloc(env->context, sizeof(uint64) * (boxes->n + 1));
	pegs_diversity *diversity;
	pegs_level_at *scratch;
	double	   *share;

	pegs_class_rows(tuples, boxes->of, rows);
	for (uint32 c = 0; c < boxes->n; c++)
		keep[c] = rows[c] >= alone.k;
	if (!pegs_asks_diversity(&alone))
		return keep;
	diversity = env->alloc(env->context, sizeof(pegs_diversity) * (boxes->n + 1));
	scratch = env->alloc(env->context, sizeof(pegs_level_at) * (boxes->n + 1));
	share = env->alloc(env->context, sizeof(double) * (tuples->nlevels + 1));
	pegs_level_shares(tuples, NULL, NULL, share);
	pegs_diversity_of(env, tuples, boxes->of, boxes->n, rows, share, scratch, diversity);
	for (uint32 c = 0; c < boxes->n; c++)
		keep[c] = keep[c] && pegs_is_diverse(&alone, &diversity[c]);
	return keep;
}

/*
 * pegs_generalize(source regclass, keys name[], k int, suppress double precision, method text, sensitive name,
 * l double precision, t double precision, weights jsonb, fixed jsonb) → jsonb
 */
PG_FUNCTION_INFO_V1(pegs_generalize);
Datum
pegs_generalize(PG_FUNCTION_ARGS)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "pegs generalize", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	PegsGeneral *general = read_arguments(fcinfo);
	pegs_env	env = pegs_env_in(context);
	PegsFound	found = {.by_key = palloc0(sizeof(double) * (general->nkeys + 1))};
	pegs_tuples *tuples;
	pegs_boxes	boxes;
	Datum		plan;

	if (!general->local && pegs_lattice_nodes(general->key, general->nkeys) == 0)
		refuse_nodes(general);
	pegs_general_say_rows(general->source);
	tuples = pegs_general_tuples(general, &env, &pegs_take_rows(general, NIL)->table);
	found.rows = tuples->rows;
	search(general, &env, tuples, &boxes, &found);
	pegs_measure_loss(&env, tuples, general->key, &boxes, classes_kept(general, &env, tuples, &boxes), found.by_key, &found.loss);
	plan = pegs_general_json(general, &found);
	MemoryContextSwitchTo(old);
	plan = datumCopy(plan, false, -1);
	MemoryContextDelete(context);
	PG_RETURN_DATUM(plan);
}
