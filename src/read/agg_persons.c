/*
 * agg_persons.c
 *	  The aggregates pegs_agg_persons and pegs_internal.counted_persons: rows of a
 *	  table, or of a part in which the rows of each person are together, counted
 *	  person by person.
 *
 * Which rows count is as in a fit that reads them (persons.c): the same bytes.
 * Two states add up where no person has rows in both: whoever asks for them sees
 * to it (together.c). Claim P10.
 */
#include "read/read.h"

#include "catalog/pg_collation.h"
#include "core/accountant.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

/* Arguments, after the aggregate's own state. TYPE is a number: an oid in a query is taken for a relation that it reads. */
enum
{
	WHAT = 1, ROWS, ALIKE, TYPE, HERE, PERSON, FIRST_COLUMN
};

typedef struct Counting
{
	PegsCounter *counter;
	PegsPersons *persons;
} Counting;

/* ---- the call ---- */

/* The column has one type wherever its rows are counted: what is one person here may be written in two ways there. */
static void
require_type(FunctionCallInfo fcinfo)
{
	Oid			type = getBaseType(get_fn_expr_argtype(fcinfo->flinfo, PERSON));

	if (PG_ARGISNULL(TYPE) || type != (Oid) PG_GETARG_INT32(TYPE) || !pegs_tells_persons(type))
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("the column of the person is of type %s, and not of the type that was said", format_type_be(type)),
				 errhint("Whole numbers, uuid, text and varchar tell persons: type => 'bigint'::regtype::oid::int")));
}

static uint32
rows_of_call(FunctionCallInfo fcinfo)
{
	int32		rows = PG_ARGISNULL(ROWS) ? 0 : PG_GETARG_INT32(ROWS);

	if (rows < 1 || rows > PEGS_MOST_ROWS_PER_UNIT || PG_ARGISNULL(ALIKE))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("rows must be between 1 and %d, and alike true or false", PEGS_MOST_ROWS_PER_UNIT),
				 errhint("The most rows of a person that count; alike: each person counts so often.")));
	return (uint32) rows;
}

static PegsSpec *
spec_of_call(FunctionCallInfo fcinfo)
{
	int			ncols = PG_NARGS() - FIRST_COLUMN;
	PegsSpec   *spec;

	if (PG_ARGISNULL(WHAT))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("spec must not be null"),
				 errhint("Make it with pegs_spec(source, columns).")));
	if (get_fn_expr_argtype(fcinfo->flinfo, WHAT) != BYTEAOID)
		return pegs_spec_given((text *) DatumGetPointer(PG_GETARG_DATUM(WHAT)), ncols);
	spec = pegs_spec_of_handed_on(PG_GETARG_BYTEA_PP(WHAT));
	if (pegs_physical(spec->domain)->ncols != ncols)
		elog(ERROR, "the source has changed");
	return spec;
}

static void
close_sort(Datum persons)
{
	pegs_persons_close((PegsPersons *) DatumGetPointer(persons));
}

/* What is said to hold for all rows is said once: with literals or parameters. */
static void
require_constants(FunctionCallInfo fcinfo)
{
	Aggref	   *call = AggGetAggref(fcinfo);

	for (int i = WHAT; i <= TYPE; i++)
	{
		Expr	   *argument = call ? list_nth_node(TargetEntry, call->args, i - 1)->expr : NULL;

		if (argument == NULL || !(IsA(argument, Const) || (IsA(argument, Param) && ((Param *) argument)->paramkind == PARAM_EXTERN)))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("spec, rows, alike and type must be literals or parameters"),
					 errhint("In psql: SELECT pegs_spec(...) AS spec \\gset, then :'spec'.")));
	}
}

static Counting *
first_row(FunctionCallInfo fcinfo, MemoryContext aggcontext)
{
	MemoryContext context = AllocSetContextCreate(aggcontext, "pegs persons", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	Counting   *counting = palloc0(sizeof(Counting));
	uint32		rows = rows_of_call(fcinfo);
	PegsSpec   *spec;

	require_constants(fcinfo);
	require_type(fcinfo);
	spec = spec_of_call(fcinfo);
	pegs_check_arguments(fcinfo, spec, FIRST_COLUMN);
	counting->counter = pegs_counter(spec, context, true);
	/* by the bytes of a text, whatever its collation here: together.c has asked for one in which these say who is who */
	counting->persons = pegs_persons(counting->counter, rows, PG_GETARG_BOOL(ALIKE), (Oid) PG_GETARG_INT32(TYPE), C_COLLATION_OID, context);
	AggRegisterCallback(fcinfo, close_sort, PointerGetDatum(counting->persons));
	MemoryContextSwitchTo(old);
	return counting;
}

/* ---- rows ---- */

static void
take_row(Counting *counting, FunctionCallInfo fcinfo)
{
	Datum		values[FUNC_MAX_ARGS];
	bool		nulls[FUNC_MAX_ARGS];

	if (PG_ARGISNULL(PERSON))
		return;					/* nobody's */
	if (PG_ARGISNULL(HERE) || !PG_GETARG_BOOL(HERE))
		ereport(ERROR,
				(errcode(ERRCODE_CHECK_VIOLATION),
				 errmsg("a row is of another part than the one where it is"),
				 errdetail("The rows of a person must be together. Nobody sees to it on another server."),
				 errhint("CHECK there what the partition here is for (for a hash of texts: are the encodings the same?).")));
	for (int i = FIRST_COLUMN; i < PG_NARGS(); i++)
	{
		values[i - FIRST_COLUMN] = PG_GETARG_DATUM(i);
		nulls[i - FIRST_COLUMN] = PG_ARGISNULL(i);
	}
	if (pegs_counter_encode(counting->counter, values, nulls))
		pegs_persons_add(counting->persons, PG_GETARG_DATUM(PERSON));
}

PG_FUNCTION_INFO_V1(pegs_persons_transition);
Datum
pegs_persons_transition(PG_FUNCTION_ARGS)
{
	MemoryContext context = pegs_aggregate_context(fcinfo);
	ErrorContextCallback callback = {.callback = pegs_own_words, .previous = error_context_stack};
	Counting   *counting;

	error_context_stack = &callback;
	counting = PG_ARGISNULL(0) ? first_row(fcinfo, context) : (Counting *) PG_GETARG_POINTER(0);
	take_row(counting, fcinfo);
	error_context_stack = callback.previous;
	PG_RETURN_POINTER(counting);
}

/* The state, for the server's executor: as that of pegs_agg. */
PG_FUNCTION_INFO_V1(pegs_persons_final);
Datum
pegs_persons_final(PG_FUNCTION_ARGS)
{
	ErrorContextCallback callback = {.callback = pegs_own_words, .previous = error_context_stack};
	pegs_env	env = pegs_wiped_env_in(CurrentMemoryContext);
	Counting   *counting;
	bytea	   *bytes;

	(void) pegs_aggregate_context(fcinfo);
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	counting = (Counting *) PG_GETARG_POINTER(0);
	error_context_stack = &callback;
	pegs_persons_end(counting->persons);
	bytes = pegs_counter_bytes(&env, counting->counter);
	error_context_stack = callback.previous;
	PG_RETURN_BYTEA_P(bytes);
}
