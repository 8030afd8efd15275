/*
 * args.c
 *	  Arguments of the SQL functions, checked one by one.
 *
 * Nothing is STRICT: a NULL where a value is needed is an error, not an empty
 * answer. epsilon and delta arrive as double precision and become integers by
 * their shortest decimal, rounded up; nothing else sees the double.
 */
#include "server/server.h"

#include <math.h>

#include "access/detoast.h"
#include "catalog/pg_type.h"
#include "common/shortest_dec.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/float.h"
#include "utils/fmgroids.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"

#include "core/epsilon.h"

static void
require(FunctionCallInfo fcinfo, int n, const char *name)
{
	if (PG_ARGISNULL(n))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("%s must not be null", name),
				 errhint("Give a value: %s => ...", name)));
}

#define MAX_TEXT_BYTES 8192	/* a name; an index could not hold a longer one */

char *
pegs_arg_choice(FunctionCallInfo fcinfo, int n, const char *name)
{
	require(fcinfo, n, name);
	/* known before the value is fetched and unpacked */
	if (toast_raw_datum_size(PG_GETARG_DATUM(n)) > MAX_TEXT_BYTES)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s is too long", name),
				 errdetail("At most %d bytes are read.", MAX_TEXT_BYTES),
				 errhint("Give a shorter one.")));
	return text_to_cstring(PG_GETARG_TEXT_PP(n));
}

char *
pegs_arg_text(FunctionCallInfo fcinfo, int n, const char *name)
{
	char	   *value = pegs_arg_choice(fcinfo, n, name);

	if (*value == '\0')
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s must not be empty", name),
				 errhint("Give a value: %s => ...", name)));
	return value;
}

Oid
pegs_arg_oid(FunctionCallInfo fcinfo, int n, const char *name)
{
	require(fcinfo, n, name);
	return PG_GETARG_OID(n);
}

/* The name of a column; the example is one, for the hint. */
char *
pegs_arg_column(FunctionCallInfo fcinfo, int n, const char *name, const char *example)
{
	if (PG_ARGISNULL(n))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("%s must not be null", name),
				 errhint("Name a column: %s => '%s'", name, example)));
	return NameStr(*PG_GETARG_NAME(n));
}

int64
pegs_arg_count(FunctionCallInfo fcinfo, int n, const char *name)
{
	int64		value;

	require(fcinfo, n, name);
	value = PG_GETARG_INT64(n);
	if (value < 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s must be at least 1, not " INT64_FORMAT, name, value),
				 errhint("Give a positive whole number: %s => 1000", name)));
	return value;
}

/* The argument in units of 10^-digits, rounded up. */
static int64
units(float8 value, int digits, const char *name, const char *example)
{
	char		decimal[DOUBLE_SHORTEST_DECIMAL_LEN];
	int64_t		result;

	if (isnan(value) || isinf(value) || value < 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s must be a positive finite number", name),
				 errhint("For example: %s => %s", name, example)));
	double_to_shortest_decimal_buf(value, decimal);
	if (pegs_units_from_decimal(decimal, digits, &result) != PEGS_OK)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s is too large: %s", name, decimal),
				 errhint("For example: %s => %s", name, example)));
	return result;
}

int64
pegs_arg_epsilon(FunctionCallInfo fcinfo, int n, const char *name)
{
	float8		value;

	if (PG_ARGISNULL(n))
		return 0;
	value = PG_GETARG_FLOAT8(n);
	if (value < 1e-9)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s must be at least 1e-9", name),
				 errdetail("Budgets are kept in units of 1e-9."),
				 errhint("For example: %s => 1", name)));
	return units(value, 9, name, "1");
}

/* What may still be spent, in units of 10^-digits: rounded down, and may be 0. */
int64
pegs_arg_remaining(FunctionCallInfo fcinfo, int n, const char *name, int digits)
{
	int64		result;

	require(fcinfo, n, name);
	result = units(PG_GETARG_FLOAT8(n), digits, name, digits == 9 ? "0.5" : "1e-9");
	return strtod(pegs_units_text(result, digits), NULL) > PG_GETARG_FLOAT8(n) ? result - 1 : result;
}

int64
pegs_arg_delta(FunctionCallInfo fcinfo, int n, const char *name)
{
	float8		value;

	require(fcinfo, n, name);
	value = PG_GETARG_FLOAT8(n);
	if (value >= 1 || (value > 0 && value < 1e-18))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s must be 0, or at least 1e-18 and below 1", name),
				 errhint("Well below one over the number of rows, for example: %s => 1e-9", name)));
	return units(value, 18, name, "1e-9");
}

/* Above 1e-5 delta is no small print any more. */
void
pegs_say_large_delta(int64 delta)
{
	if (delta > PEGS_DELTA_UNIT / 100000)
		ereport(NOTICE,
				(errmsg("delta %s is large: above 1e-5 it would allow a few rows to be published as they are", pegs_units_text(delta, 18)),
				 errhint("Well below one over the number of rows, for example: delta => 1e-9")));
}

int
pegs_arg_tail_bits(FunctionCallInfo fcinfo, int n)
{
	int			tail_bits = PG_ARGISNULL(n) ? -1 : PG_GETARG_INT32(n);

	if (tail_bits != 0 && tail_bits != 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("tail_bits must be 0 or 1"),
				 errhint("0: the parents alone. 1: and one bit of a hash of all other columns.")));
	return tail_bits;
}

/* An object of that name which is right but for its words: an empty one, where that says nothing, is an error itself. */
static const char *
example_of_object(const char *name)
{
	if (strcmp(name, "mapping") == 0 || strcmp(name, "groups") == 0)
		return "{\"a\": \"x\", \"b\": \"x\"}";
	if (strcmp(name, "combination") == 0)
		return "{\"a\": \"x\", \"b\": [\"y\", \"z\"]}";
	return "{}";
}

Jsonb *
pegs_arg_object(FunctionCallInfo fcinfo, int n, const char *name)
{
	Jsonb	   *json;

	if (PG_ARGISNULL(n))
		return NULL;
	json = PG_GETARG_JSONB_P(n);
	if (!JB_ROOT_IS_OBJECT(json))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s must be a JSON object", name),
				 errhint("For example: %s => '%s'", name, example_of_object(name))));
	return json;
}

/* One list, and not a list of lists. */
void
pegs_require_flat(const ArrayType *array, const char *name)
{
	if (ARR_NDIM(array) > 1)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("%s must be one list, of one dimension", name),
				 errhint("%s => '{...}', without braces inside.", name)));
}

List *
pegs_arg_names(FunctionCallInfo fcinfo, int n, const char *name)
{
	List	   *names = NIL;
	Datum	   *items;
	bool	   *nulls;
	int			count;

	if (PG_ARGISNULL(n))
		return NIL;
	pegs_require_flat(PG_GETARG_ARRAYTYPE_P(n), name);
	deconstruct_array(PG_GETARG_ARRAYTYPE_P(n), NAMEOID, NAMEDATALEN, false, 'c', &items, &nulls, &count);
	if (count == 0 && strcmp(name, "tables") == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("tables must name at least one table"),
				 errhint("Leave tables out, or name some: tables => '{...}'")));
	if (count == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s must name at least one column", name),
				 strcmp(name, "columns") == 0 ? errhint("Leave columns out, or name some: columns => ARRAY['age', 'sex']")
				 : errhint("Name columns: %s => ARRAY['age', 'sex']", name)));
	for (int i = 0; i < count; i++)
	{
		if (nulls[i])
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("%s must not hold a null", name),
					 strcmp(name, "tables") == 0 ? errhint("Name tables: tables => '{...}'") : errhint("Name columns: %s => ARRAY['age', 'sex']", name)));
		names = lappend(names, pstrdup(NameStr(*DatumGetName(items[i]))));
	}
	return names;
}

char **
pegs_arg_texts(FunctionCallInfo fcinfo, int n, const char *name, int *count)
{
	Datum	   *items;
	bool	   *nulls;
	char	  **texts;

	require(fcinfo, n, name);
	pegs_require_flat(PG_GETARG_ARRAYTYPE_P(n), name);
	deconstruct_array(PG_GETARG_ARRAYTYPE_P(n), TEXTOID, -1, false, 'i', &items, &nulls, count);
	texts = palloc(sizeof(char *) * (*count + 1));
	for (int i = 0; i < *count; i++)
	{
		if (nulls[i])
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("%s must not hold a null", name),
					 errhint("Leave the null out. (NULL is a level by itself where a column may be null.)")));
		texts[i] = TextDatumGetCString(items[i]);
	}
	return texts;
}

/*
 * Values are written so that the session, which reads them next, reads the same
 * values: its own notation may lose digits, or name a time zone by an abbreviation
 * that is another's, too (CST). The zone itself stays: the day of a timestamptz
 * is the session's.
 */
static int
pin_literals(void)
{
	int			level = NewGUCNestLevel();

	(void) set_config_option("datestyle", "ISO, YMD", PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
	(void) set_config_option("extra_float_digits", "1", PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
	return level;
}

/* Values of any type as texts, each with its output function. */
static void
write_literals(Oid type, const Datum *values, int n, char **texts)
{
	int			level = pin_literals();
	FmgrInfo	function;
	Oid			output;
	bool		is_varlena;

	getTypeOutputInfo(type, &output, &is_varlena);
	fmgr_info(output, &function);
	for (int i = 0; i < n; i++)
	{
		if (i % 1000 == 0)
			CHECK_FOR_INTERRUPTS();
		texts[i] = OutputFunctionCall(&function, values[i]);
	}
	AtEOXact_GUC(false, level);
}

static char *
literal_of(Oid type, Datum value)
{
	char	   *text;

	if (type == UNKNOWNOID)
		return pstrdup(DatumGetCString(value));
	write_literals(type, &value, 1, &text);
	return text;
}

char *
pegs_arg_literal(FunctionCallInfo fcinfo, int n, const char *name)
{
	Oid			type = get_fn_expr_argtype(fcinfo->flinfo, n);

	require(fcinfo, n, name);
	return literal_of(OidIsValid(type) ? type : TEXTOID, PG_GETARG_DATUM(n));
}

static void
say_list(void *arg)
{
	if (ERRCODE_TO_CATEGORY(geterrcode()) == ERRCODE_DATA_EXCEPTION)
		errhint("A list is in braces, its values apart by commas, in double quotes if a comma, a quote, a brace or space is in them: %s => '{0, \"one, two\", 10}'",
				(const char *) arg);
}

/* The server's reader of arrays says what is wrong, not how to write one. */
static Datum
list_of(char *literal, const char *name)
{
	ErrorContextCallback said = {.callback = say_list, .arg = unconstify(char *, name), .previous = error_context_stack};
	Datum		array;

	error_context_stack = &said;
	array = OidInputFunctionCall(F_ARRAY_IN, literal, TEXTOID, -1);
	error_context_stack = said.previous;
	return array;
}

char **
pegs_arg_literals(FunctionCallInfo fcinfo, int n, const char *name, int *count)
{
	Oid			type = get_fn_expr_argtype(fcinfo->flinfo, n);
	Oid			element = OidIsValid(type) ? get_base_element_type(type) : TEXTOID;
	Datum		array;
	int16		length;
	bool		byval;
	char		align;
	Datum	   *items;
	bool	   *nulls;
	char	  **texts;

	require(fcinfo, n, name);
	if (OidIsValid(element))
		array = PG_GETARG_DATUM(n);
	else
	{
		char	   *literal = literal_of(type, PG_GETARG_DATUM(n));

		if (literal[strspn(literal, " \t\n")] != '{')
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
					 errmsg("%s must be a list", name),
					 type == TEXTOID ? errhint("A list is in braces, also one of one: %s => '{...}'", name)
					 : errhint("For example: ARRAY[0, 10, 20] or '{0, 10, 20}'; the values of a public table: pegs_set_lookup.")));
		element = TEXTOID;
		array = list_of(literal, name);
	}
	pegs_require_flat(DatumGetArrayTypeP(array), name);
	get_typlenbyvalalign(element, &length, &byval, &align);
	deconstruct_array(DatumGetArrayTypeP(array), element, length, byval, align, &items, &nulls, count);
	texts = palloc(sizeof(char *) * (*count + 1));
	for (int i = 0; i < *count; i++)
		if (nulls[i])
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("%s must not hold a null", name),
					 errhint("Leave the null out. (NULL is a level by itself where a column may be null.)")));
	write_literals(element, items, *count, texts);
	return texts;
}

char *
pegs_units_text(int64 value, int digits)
{
	uint64		unit = 1;
	char	   *text;
	char	   *end;

	for (int i = 0; i < digits; i++)
		unit *= 10;
	text = psprintf("%llu.%0*llu", (unsigned long long) ((uint64) value / unit), digits,
					(unsigned long long) ((uint64) value % unit));
	end = text + strlen(text);
	while (end[-1] == '0')
		*--end = '\0';
	if (end[-1] == '.')
		*--end = '\0';
	return text;
}

Datum
pegs_units_numeric(int64 value, int digits)
{
	return DirectFunctionCall3(numeric_in, CStringGetDatum(pegs_units_text(value, digits)),
							   ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1));
}

#define SHOWN_BYTES 200

/* What a caller gave, for a message: its beginning, if it is long. */
const char *
pegs_clipped(const char *text)
{
	int			length = (int) strlen(text);

	return length <= SHOWN_BYTES ? text : psprintf("%.*s...", pg_mbcliplen(text, length, SHOWN_BYTES), text);
}
