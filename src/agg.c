/*
 * agg.c
 *	  The type pegs_state and the aggregates pegs_agg and pegs_merge.
 *
 * A state is a set of contingency tables over a declared domain: exact counts,
 * as secret as the rows. Law: pegs_merge(pegs_agg(a), pegs_agg(b)) ==
 * pegs_agg(a ++ b), byte for byte. The transition state lives in the
 * aggregate's context; the text form is hex.
 */
#include "pegs.h"

#include "catalog/pg_type.h"
#include "libpq/pqformat.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

void
pegs_read_bytes(const pegs_env *env, const bytea *bytes, pegs_wire *wire)
{
	pegs_status status = pegs_wire_read(env, (const uint8_t *) VARDATA_ANY(bytes), VARSIZE_ANY_EXHDR(bytes), wire);

	if (status == PEGS_ERR_VERSION)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("these bytes were written by a later version of pegs"),
				 errhint("ALTER EXTENSION pegs UPDATE;")));
	if (status != PEGS_OK)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
				 errmsg("these bytes are not a state or model of pegs"),
				 errhint("States come from pegs_agg and pegs_merge.")));
}

static void
read_state(const pegs_env *env, const bytea *bytes, pegs_wire *wire)
{
	pegs_read_bytes(env, bytes, wire);
	if (wire->kind == PEGS_WIRE_MODEL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
				 errmsg("these bytes are a model, not a state"),
				 errhint("States come from pegs_agg and pegs_merge.")));
}

/* Bytes that are a state: checked whole, then handed on unchanged. */
static bytea *
checked_state(bytea *bytes)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "pegs state check", ALLOCSET_DEFAULT_SIZES);
	pegs_env	env = pegs_env_in(context);
	pegs_wire	wire;

	read_state(&env, bytes, &wire);
	MemoryContextDelete(context);
	return bytes;
}

/* ---- the type ---- */

PG_FUNCTION_INFO_V1(pegs_state_in);
Datum
pegs_state_in(PG_FUNCTION_ARGS)
{
	PG_RETURN_BYTEA_P(checked_state(DatumGetByteaP(DirectFunctionCall1(byteain, PG_GETARG_DATUM(0)))));
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
	text[2 + hex_encode(VARDATA_ANY(bytes), n, text + 2)] = '\0';
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
static PegsCounter *
first_row(FunctionCallInfo fcinfo, MemoryContext aggcontext)
{
	MemoryContext context;
	MemoryContext old;
	PegsSpec   *spec;
	int			ncols = PG_NARGS() - 2;
	PegsCounter *counter;

	if (PG_ARGISNULL(1))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("spec must not be null"),
				 errhint("Make it with pegs_spec(source, columns).")));
	context = AllocSetContextCreate(aggcontext, "pegs_agg", ALLOCSET_DEFAULT_SIZES);
	old = MemoryContextSwitchTo(context);
	spec = pegs_spec_parse(text_to_cstring(PG_GETARG_TEXT_PP(1)));
	if (spec->domain->ncols != ncols)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("spec has %d columns, pegs_agg got %d", spec->domain->ncols, ncols),
				 errhint("Give the columns of pegs_spec in the same order.")));
	for (int i = 0; i < ncols; i++)
	{
		Oid			type = getBaseType(get_fn_expr_argtype(fcinfo->flinfo, i + 2));

		if (type != spec->domain->column[i].type)
			ereport(ERROR,
					(errcode(ERRCODE_DATATYPE_MISMATCH),
					 errmsg("column \"%s\" of the spec is of type %s, the argument is of type %s",
							spec->domain->column[i].name, format_type_be(spec->domain->column[i].type),
							format_type_be(type)),
					 errhint("Give the columns of pegs_spec in the same order, or cast.")));
	}
	counter = pegs_counter(spec, context, true);
	MemoryContextSwitchTo(old);
	return counter;
}

PG_FUNCTION_INFO_V1(pegs_agg_transition);
Datum
pegs_agg_transition(PG_FUNCTION_ARGS)
{
	MemoryContext context = aggregate_context(fcinfo);
	PegsCounter *counter;
	int			ncols;

	if (PG_ARGISNULL(0))
		counter = first_row(fcinfo, context);
	else
		counter = (PegsCounter *) PG_GETARG_POINTER(0);
	ncols = counter->layout.ncols;
	for (int i = 0; i < ncols; i++)
		counter->codes[i][counter->fill] = pegs_encode(counter->encoder[i], PG_GETARG_DATUM(i + 2), PG_ARGISNULL(i + 2));
	if (++counter->fill == PEGS_CHUNK)
		pegs_counter_flush(counter);
	PG_RETURN_POINTER(counter);
}

PG_FUNCTION_INFO_V1(pegs_agg_final);
Datum
pegs_agg_final(PG_FUNCTION_ARGS)
{
	(void) aggregate_context(fcinfo);
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	PG_RETURN_BYTEA_P(pegs_counter_bytes((PegsCounter *) PG_GETARG_POINTER(0)));
}

/* Adds the tables of `bytes` to a counter of the same spec. */
static void
add_bytes(PegsCounter *counter, const bytea *bytes)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "pegs merge", ALLOCSET_DEFAULT_SIZES);
	pegs_env	env = pegs_env_in(context);
	pegs_wire	from;
	pegs_wire	into;
	pegs_status status;

	read_state(&env, bytes, &from);
	into = pegs_counter_wire(counter);
	status = pegs_wire_merge(&into, &from);
	if (status != PEGS_OK)
		ereport(ERROR,
				(errcode(status == PEGS_ERR_RANGE ? ERRCODE_PROGRAM_LIMIT_EXCEEDED : ERRCODE_DATATYPE_MISMATCH),
				 status == PEGS_ERR_RANGE ? errmsg("more than 2^46 rows cannot be counted")
				 : errmsg("states of different specs cannot be merged"),
				 errhint("Merge states that were made with one and the same pegs_spec.")));
	counter->rows = into.rows;
	MemoryContextDelete(context);
}

/* A counter that holds what `bytes` says. */
static PegsCounter *
counter_of_bytes(const bytea *bytes, MemoryContext aggcontext)
{
	MemoryContext context = AllocSetContextCreate(aggcontext, "pegs_merge", ALLOCSET_DEFAULT_SIZES);
	pegs_env	env = pegs_env_in(context);
	MemoryContext old = MemoryContextSwitchTo(context);
	pegs_wire	wire;
	PegsCounter *counter = palloc0(sizeof(PegsCounter));
	PegsSpec   *spec = palloc0(sizeof(PegsSpec));

	read_state(&env, bytes, &wire);
	/* what merging needs of a spec: its kind and its text */
	spec->kind = wire.kind;
	spec->text = pnstrdup(wire.spec, wire.spec_len);
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
	bytea	   *bytes;

	if (PG_ARGISNULL(1))
	{
		if (PG_ARGISNULL(0))
			PG_RETURN_NULL();
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));
	}
	bytes = pegs_counter_bytes((PegsCounter *) PG_GETARG_POINTER(1));
	if (PG_ARGISNULL(0))
		PG_RETURN_POINTER(counter_of_bytes(bytes, context));
	add_bytes((PegsCounter *) PG_GETARG_POINTER(0), bytes);
	pfree(bytes);
	PG_RETURN_DATUM(PG_GETARG_DATUM(0));
}

PG_FUNCTION_INFO_V1(pegs_agg_serialize);
Datum
pegs_agg_serialize(PG_FUNCTION_ARGS)
{
	(void) aggregate_context(fcinfo);
	PG_RETURN_BYTEA_P(pegs_counter_bytes((PegsCounter *) PG_GETARG_POINTER(0)));
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
