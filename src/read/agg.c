/*
 * agg.c
 *	  The aggregates pegs_agg and pegs_merge.
 *
 * Law: pegs_merge(pegs_agg(a), pegs_agg(b)) == pegs_agg(a ++ b), byte for byte.
 * The transition state lives in the aggregate's context.
 */
#include "read/read.h"

#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

/* ---- pegs_agg(spec text, VARIADIC "any") ---- */

MemoryContext
pegs_aggregate_context(FunctionCallInfo fcinfo)
{
	MemoryContext context;

	if (!AggCheckCallContext(fcinfo, &context))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("this function is a part of an aggregate and cannot be called by itself"),
				 errhint("SELECT pegs_agg(spec, ...) FROM ...")));
	return context;
}

/* The spec must fit the arguments, of which the columns are those from `first` on. */
void
pegs_check_arguments(FunctionCallInfo fcinfo, const PegsSpec *spec, int first)
{
	const PegsDomain *physical = pegs_physical(spec->domain);

	for (int i = 0; i < PG_NARGS() - first; i++)
	{
		Oid			type = getBaseType(get_fn_expr_argtype(fcinfo->flinfo, i + first));

		if (type != physical->column[i].type)
			ereport(ERROR,
					(errcode(ERRCODE_DATATYPE_MISMATCH),
					 errmsg("column \"%s\" of the spec is of type %s, the argument is of type %s",
							physical->column[i].name, format_type_be(physical->column[i].type),
							format_type_be(type)),
					 errhint("Give the columns of pegs_spec in the same order, or cast.")));
	}
}

/* Do the rows of this call have one spec, as its text says? */
static bool
spec_is_constant(FunctionCallInfo fcinfo)
{
	Aggref	   *call = AggGetAggref(fcinfo);
	Expr	   *first = call ? linitial_node(TargetEntry, call->args)->expr : NULL;

	return first && (IsA(first, Const) || (IsA(first, Param) && ((Param *) first)->paramkind == PARAM_EXTERN));
}

static PegsCounter *
first_row(FunctionCallInfo fcinfo, MemoryContext aggcontext)
{
	MemoryContext context;
	MemoryContext old;
	PegsSpec   *spec;
	PegsCounter *counter;

	if (PG_ARGISNULL(1))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("spec must not be null"),
				 errhint("Make it with pegs_spec(source, columns).")));
	context = AllocSetContextCreate(aggcontext, "pegs_agg", ALLOCSET_DEFAULT_SIZES);
	old = MemoryContextSwitchTo(context);
	spec = pegs_spec_given((text *) DatumGetPointer(PG_GETARG_DATUM(1)), PG_NARGS() - 2);
	pegs_check_arguments(fcinfo, spec, 2);
	counter = pegs_counter(spec, context, true);
	if (!spec_is_constant(fcinfo))
		counter->given = PG_GETARG_TEXT_P_COPY(1);
	MemoryContextSwitchTo(old);
	return counter;
}

/* Rows that are counted together have one spec: this one must have that of the first. */
static pg_noinline void
require_same_spec(const PegsCounter *counter, FunctionCallInfo fcinfo)
{
	text	   *given = PG_ARGISNULL(1) ? NULL : PG_GETARG_TEXT_PP(1);

	if (given == NULL || VARSIZE_ANY_EXHDR(given) != VARSIZE_ANY_EXHDR(counter->given)
		|| memcmp(VARDATA_ANY(given), VARDATA_ANY(counter->given), VARSIZE_ANY_EXHDR(given)) != 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("rows that are counted together have different specs"),
				 errhint("Give one spec, made with pegs_spec(source, columns), or GROUP BY it.")));
	if (given != (text *) PG_GETARG_POINTER(1))
		pfree(given);
}

/* The code of one value that is not declared, or PEGS_LEFT_OUT. */
static pg_noinline int
code_of_other(const PegsEncoder *encoder, Datum value, bool isnull)
{
	ErrorContextCallback callback = {.callback = pegs_own_words, .previous = error_context_stack};
	int			code;

	error_context_stack = &callback;
	code = pegs_encode_other(encoder, value, isnull);
	error_context_stack = callback.previous;
	return code;
}

static pg_noinline void
count_chunk(PegsCounter *counter)
{
	ErrorContextCallback callback = {.callback = pegs_own_words, .previous = error_context_stack};

	error_context_stack = &callback;
	pegs_counter_flush(counter);
	error_context_stack = callback.previous;
}

/* Arguments into the values of the domain's columns, some of which are made of them. */
static pg_noinline void
take_parts(PegsParts *parts, FunctionCallInfo fcinfo, Datum **values, bool **nulls)
{
	Datum		argument[FUNC_MAX_ARGS];
	bool		isnull[FUNC_MAX_ARGS];

	for (int i = 0; i < PG_NARGS() - 2; i++)
	{
		argument[i] = PG_GETARG_DATUM(i + 2);
		isnull[i] = PG_ARGISNULL(i + 2);
	}
	*values = argument;
	*nulls = isnull;
	pegs_take_parts(parts, values, nulls);
}

/* Every row passes here: what is rare has functions of its own, and what does not change is read once. */
static void
take_row(PegsCounter *counter, FunctionCallInfo fcinfo)
{
	PegsEncoder *const *encoder = counter->encoder;
	uint16_t   *const *codes = counter->codes;
	const NullableDatum *argument = fcinfo->args + 2;
	Datum	   *values = NULL;
	bool	   *nulls = NULL;
	uint32_t	ncols = counter->layout.ncols;
	uint32_t	fill = counter->fill;
	bool		left_out = false;

	if (counter->parts)
		take_parts(counter->parts, fcinfo, &values, &nulls);
	for (uint32_t i = 0; i < ncols; i++)
	{
		Datum		value = values ? values[i] : argument[i].value;
		bool		null = values ? nulls[i] : argument[i].isnull;
		int			code = pegs_encode_strict(encoder[i], value, null);

		if (code < 0)
		{
			code = code_of_other(encoder[i], value, null);
			left_out |= code == PEGS_LEFT_OUT;
		}
		codes[i][fill] = (uint16) code;
	}
	counter->fill = fill + !left_out;
	if (counter->fill == PEGS_CHUNK)
		count_chunk(counter);
}

PG_FUNCTION_INFO_V1(pegs_agg_transition);
Datum
pegs_agg_transition(PG_FUNCTION_ARGS)
{
	MemoryContext context = pegs_aggregate_context(fcinfo);
	PegsCounter *counter = PG_ARGISNULL(0) ? first_row(fcinfo, context) : (PegsCounter *) PG_GETARG_POINTER(0);

	if (counter->given)
		require_same_spec(counter, fcinfo);
	take_row(counter, fcinfo);
	PG_RETURN_POINTER(counter);
}

/* ---- pegs_internal.counted(what bytea, VARIADIC "any"): what a fit makes of its own query (where.c) ---- */

static PegsCounter *
first_counted(FunctionCallInfo fcinfo, MemoryContext aggcontext)
{
	MemoryContext context = AllocSetContextCreate(aggcontext, "pegs counted", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	PegsSpec   *spec;
	PegsCounter *counter;

	if (PG_ARGISNULL(1))
		elog(ERROR, "what is to be counted is missing");
	spec = pegs_spec_of_handed_on(PG_GETARG_BYTEA_PP(1));
	if (pegs_physical(spec->domain)->ncols != PG_NARGS() - 2)
		elog(ERROR, "the source has changed");
	pegs_check_arguments(fcinfo, spec, 2);
	counter = pegs_counter_of_method(spec, NULL, context);
	MemoryContextSwitchTo(old);
	return counter;
}

/* A part of pegs_internal.counted: as pegs_agg_transition, of what the fit hands on to other processes of this server. */
PG_FUNCTION_INFO_V1(pegs_counted_transition);
Datum
pegs_counted_transition(PG_FUNCTION_ARGS)
{
	MemoryContext context = pegs_aggregate_context(fcinfo);
	PegsCounter *counter = PG_ARGISNULL(0) ? first_counted(fcinfo, context) : (PegsCounter *) PG_GETARG_POINTER(0);

	take_row(counter, fcinfo);
	PG_RETURN_POINTER(counter);
}

/* What the counter has counted, in memory of env. */
static bytea *
state_of(const pegs_env *env, PegsCounter *counter)
{
	ErrorContextCallback callback = {.callback = pegs_own_words, .previous = error_context_stack};
	bytea	   *bytes;

	error_context_stack = &callback;
	bytes = pegs_counter_bytes(env, counter);
	error_context_stack = callback.previous;
	return bytes;
}

/* For the server's executor, which has it until it takes the next row, copies what lasts longer, and frees nothing before. */
static Datum
state_for_server(FunctionCallInfo fcinfo)
{
	pegs_env	env = pegs_wiped_env_in(CurrentMemoryContext);

	PG_RETURN_BYTEA_P(state_of(&env, (PegsCounter *) PG_GETARG_POINTER(0)));
}

PG_FUNCTION_INFO_V1(pegs_agg_final);
Datum
pegs_agg_final(PG_FUNCTION_ARGS)
{
	(void) pegs_aggregate_context(fcinfo);
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	return state_for_server(fcinfo);
}

/* Adds the tables of `bytes` to a counter of the same spec. What it holds of them is wiped, after an error, too. */
static void
add_bytes(PegsCounter *counter, const bytea *bytes)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "pegs merge", ALLOCSET_DEFAULT_SIZES);
	ErrorContextCallback callback = {.callback = pegs_own_words, .previous = error_context_stack};
	pegs_env	env = pegs_wiped_env_in(context);
	pegs_wire	from;
	pegs_wire	into;
	pegs_status status;

	error_context_stack = &callback;
	pegs_read_state(&env, bytes, &from);
	into = pegs_counter_wire(counter);
	status = pegs_wire_merge(&env, &into, &from);
	if (status == PEGS_ERR_RANGE)
		pegs_too_many_rows();
	if (status != PEGS_OK)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("states of different specs cannot be merged"),
				 errhint("Merge states that were made with one and the same pegs_spec.")));
	counter->rows = into.rows;
	error_context_stack = callback.previous;
	MemoryContextDelete(context);
}

/* A counter that holds what `bytes` says. */
static PegsCounter *
counter_of_bytes(const bytea *bytes, MemoryContext aggcontext)
{
	MemoryContext context = AllocSetContextCreate(aggcontext, "pegs_merge", ALLOCSET_DEFAULT_SIZES);
	pegs_env	env = pegs_wiped_env_in(context);
	MemoryContext old = MemoryContextSwitchTo(context);
	pegs_wire	wire;
	PegsCounter *counter = palloc0(sizeof(PegsCounter));
	PegsSpec   *spec = palloc0(sizeof(PegsSpec));

	pegs_read_state(&env, bytes, &wire);
	/* what merging needs of a spec: its kind and its text */
	spec->triples = wire.kind == PEGS_WITH_TRIPLES;
	spec->tables = spec->triples ? PEGS_PAIRS : wire.kind;
	spec->text = pegs_text_of_bytes(&wire);
	counter->spec = spec;
	counter->layout = wire.layout;
	counter->cells = wire.cells;
	counter->rows = wire.rows;
	MemoryContextSwitchTo(old);
	return counter;
}

PG_FUNCTION_INFO_V1(pegs_agg_combine);
Datum
pegs_agg_combine(PG_FUNCTION_ARGS)
{
	MemoryContext context = pegs_aggregate_context(fcinfo);
	PegsCounter *counter = PG_ARGISNULL(0) ? NULL : (PegsCounter *) PG_GETARG_POINTER(0);
	MemoryContext between;
	pegs_env	env;
	bytea	   *bytes;

	if (PG_ARGISNULL(1))
	{
		if (counter == NULL)
			PG_RETURN_NULL();
		PG_RETURN_POINTER(counter);
	}
	between = AllocSetContextCreate(CurrentMemoryContext, "pegs combine", ALLOCSET_DEFAULT_SIZES);
	env = pegs_wiped_env_in(between);
	bytes = state_of(&env, (PegsCounter *) PG_GETARG_POINTER(1));
	if (counter)
		add_bytes(counter, bytes);
	else
		counter = counter_of_bytes(bytes, context);
	MemoryContextDelete(between);
	PG_RETURN_POINTER(counter);
}

PG_FUNCTION_INFO_V1(pegs_agg_serialize);
Datum
pegs_agg_serialize(PG_FUNCTION_ARGS)
{
	(void) pegs_aggregate_context(fcinfo);
	return state_for_server(fcinfo);
}

PG_FUNCTION_INFO_V1(pegs_agg_deserialize);
Datum
pegs_agg_deserialize(PG_FUNCTION_ARGS)
{
	(void) pegs_aggregate_context(fcinfo);
	PG_RETURN_POINTER(counter_of_bytes(PG_GETARG_BYTEA_PP(0), CurrentMemoryContext));
}

/* ---- pegs_merge(pegs_state) ---- */

PG_FUNCTION_INFO_V1(pegs_merge_transition);
Datum
pegs_merge_transition(PG_FUNCTION_ARGS)
{
	MemoryContext context = pegs_aggregate_context(fcinfo);

	if (PG_ARGISNULL(1))
	{
		if (PG_ARGISNULL(0))
			PG_RETURN_NULL();
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));
	}
	if (PG_ARGISNULL(0))
		PG_RETURN_POINTER(counter_of_bytes(PG_GETARG_BYTEA_PP(1), context));
	add_bytes((PegsCounter *) PG_GETARG_POINTER(0), PG_GETARG_BYTEA_PP(1));
	PG_RETURN_DATUM(PG_GETARG_DATUM(0));
}
