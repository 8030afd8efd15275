/*
 * agg.c
 *	  The type pegs_state and the aggregates pegs_agg and pegs_merge.
 *
 * A state is a set of contingency tables over a declared domain: exact counts,
 * as secret as the rows. Law: pegs_merge(pegs_agg(a), pegs_agg(b)) ==
 * pegs_agg(a ++ b), byte for byte. The transition state lives in the
 * aggregate's context; the text form is hex.
 */
#include "read/read.h"

#include "libpq/pqformat.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

static void
read_state(const pegs_env *env, const bytea *bytes, pegs_wire *wire)
{
	const uint8_t *p = (const uint8_t *) VARDATA_ANY(bytes);

	/* said before more is read: what is done with a model to read it may take long, and anybody can write a state */
	if (VARSIZE_ANY_EXHDR(bytes) >= 8 && memcmp(p, "PEGS", 4) == 0
		&& (p[4] | p[5] << 8) <= PEGS_WIRE_VERSION && pegs_method_of_kind((uint32) (p[6] | p[7] << 8)) != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
				 errmsg("these bytes are a model, not a state"),
				 errhint("States come from pegs_agg and pegs_merge.")));
	pegs_read_bytes(env, bytes, wire);
}

/* Bytes that are a state: checked whole, then handed on unchanged. */
static bytea *
checked_state(bytea *bytes)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "pegs state check", ALLOCSET_DEFAULT_SIZES);
	pegs_env	env = pegs_wiped_env_in(context);
	pegs_wire	wire;

	read_state(&env, bytes, &wire);
	MemoryContextDelete(context);
	return bytes;
}

/* ---- the type ---- */

#define STEP (1024 * 1024)		/* bytes between two looks for a cancel */

static int
hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if ((c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'))
		return (c | 0x20) - 'a' + 10;
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
			 errmsg("invalid hexadecimal digit in a state"),
			 errhint("States come from pegs_agg and pegs_merge.")));
}

/* What bytea's input function does of the form "\\x...", but it can be cancelled. */
static bytea *
bytes_of_hex(const char *hex)
{
	size_t		length = strlen(hex);
	const char *end = hex + length;
	bytea	   *bytes;
	char	   *out;

	if (length < 2 || hex[0] != '\\' || hex[1] != 'x')
		pegs_not_ours();
	bytes = palloc(VARHDRSZ + length / 2);
	out = VARDATA(bytes);
	for (const char *p = hex + 2; p < end;)
	{
		if (isspace((unsigned char) *p))
		{
			p++;
			continue;
		}
		*out++ = (char) (hex_digit(p[0]) << 4 | hex_digit(p[1]));	/* p[1] may be the end: no digit */
		p += 2;
		if ((out - VARDATA(bytes)) % STEP == 0)
			CHECK_FOR_INTERRUPTS();
	}
	SET_VARSIZE(bytes, out - (char *) bytes);
	return bytes;
}

PG_FUNCTION_INFO_V1(pegs_state_in);
Datum
pegs_state_in(PG_FUNCTION_ARGS)
{
	PG_RETURN_BYTEA_P(checked_state(bytes_of_hex(PG_GETARG_CSTRING(0))));
}

PG_FUNCTION_INFO_V1(pegs_state_out);
Datum
pegs_state_out(PG_FUNCTION_ARGS)
{
	bytea	   *bytes = PG_GETARG_BYTEA_PP(0);
	size_t		n = VARSIZE_ANY_EXHDR(bytes);
	char	   *text = palloc_extended(2 * n + 3, MCXT_ALLOC_HUGE);

	text[0] = '\\';
	text[1] = 'x';
	for (size_t at = 0; at < n; at += STEP)
	{
		CHECK_FOR_INTERRUPTS();
		(void) hex_encode(VARDATA_ANY(bytes) + at, Min(STEP, n - at), text + 2 + 2 * at);
	}
	text[2 + 2 * n] = '\0';
	PG_RETURN_CSTRING(text);
}

PG_FUNCTION_INFO_V1(pegs_state_recv);
Datum
pegs_state_recv(PG_FUNCTION_ARGS)
{
	PG_RETURN_BYTEA_P(checked_state(DatumGetByteaP(DirectFunctionCall1(bytearecv, PG_GETARG_DATUM(0)))));
}

PG_FUNCTION_INFO_V1(pegs_state_send);
Datum
pegs_state_send(PG_FUNCTION_ARGS)
{
	PG_RETURN_DATUM(PointerGetDatum(PG_GETARG_BYTEA_P_COPY(0)));
}

/* ---- pegs_agg(spec text, VARIADIC "any") ---- */

static MemoryContext
aggregate_context(FunctionCallInfo fcinfo)
{
	MemoryContext context;

	if (!AggCheckCallContext(fcinfo, &context))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("this function is a part of an aggregate and cannot be called by itself"),
				 errhint("SELECT pegs_agg(spec, ...) FROM ...")));
	return context;
}

/* The spec must be the same for all rows of a group, and fit the arguments. */
static void
check_arguments(FunctionCallInfo fcinfo, const PegsSpec *spec)
{
	const PegsDomain *physical = pegs_physical(spec->domain);

	for (int i = 0; i < PG_NARGS() - 2; i++)
	{
		Oid			type = getBaseType(get_fn_expr_argtype(fcinfo->flinfo, i + 2));

		if (type != physical->column[i].type)
			ereport(ERROR,
					(errcode(ERRCODE_DATATYPE_MISMATCH),
					 errmsg("column \"%s\" of the spec is of type %s, the argument is of type %s",
							physical->column[i].name, format_type_be(physical->column[i].type),
							format_type_be(type)),
					 errhint("Give the columns of pegs_spec in the same order, or cast.")));
	}
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
	check_arguments(fcinfo, spec);
	counter = pegs_counter(spec, context, true);
	MemoryContextSwitchTo(old);
	return counter;
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
	MemoryContext context = aggregate_context(fcinfo);
	PegsCounter *counter = PG_ARGISNULL(0) ? first_row(fcinfo, context) : (PegsCounter *) PG_GETARG_POINTER(0);

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
	check_arguments(fcinfo, spec);
	counter = pegs_counter_of_method(spec, NULL, context);
	MemoryContextSwitchTo(old);
	return counter;
}

/* A part of pegs_internal.counted: as pegs_agg_transition, of what the fit hands on to other processes of this server. */
PG_FUNCTION_INFO_V1(pegs_counted_transition);
Datum
pegs_counted_transition(PG_FUNCTION_ARGS)
{
	MemoryContext context = aggregate_context(fcinfo);
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
	(void) aggregate_context(fcinfo);
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
	read_state(&env, bytes, &from);
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

	read_state(&env, bytes, &wire);
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
	MemoryContext context = aggregate_context(fcinfo);
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
	(void) aggregate_context(fcinfo);
	return state_for_server(fcinfo);
}

PG_FUNCTION_INFO_V1(pegs_agg_deserialize);
Datum
pegs_agg_deserialize(PG_FUNCTION_ARGS)
{
	(void) aggregate_context(fcinfo);
	PG_RETURN_POINTER(counter_of_bytes(PG_GETARG_BYTEA_PP(0), CurrentMemoryContext));
}

/* ---- pegs_merge(pegs_state) ---- */

PG_FUNCTION_INFO_V1(pegs_merge_transition);
Datum
pegs_merge_transition(PG_FUNCTION_ARGS)
{
	MemoryContext context = aggregate_context(fcinfo);

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
