/*
 * types.c
 *	  The types that pegs takes, and their values as canonical text.
 *
 * Labels and edges are kept as text in one notation (ISO dates, UTC, shortest
 * floats, no padding), so they mean the same in every session.
 */
#include "codes/codes.h"

#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

bool
pegs_type_has_bins(Oid base)
{
	switch (base)
	{
		case INT2OID:
		case INT4OID:
		case INT8OID:
		case NUMERICOID:
		case FLOAT4OID:
		case FLOAT8OID:
		case DATEOID:
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
			return true;
		default:
			return false;
	}
}

bool
pegs_type_supported(Oid base)
{
	switch (base)
	{
		case TEXTOID:
		case VARCHAROID:
		case BPCHAROID:
		case BOOLOID:
			return true;
		default:
			return pegs_type_has_bins(base) || get_typtype(base) == TYPTYPE_ENUM;
	}
}

/* ---- canonical text ---- */

int
pegs_pin_notation(void)
{
	int			level = NewGUCNestLevel();

	(void) set_config_option("datestyle", "ISO, YMD", PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
	(void) set_config_option("timezone", "UTC", PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
	(void) set_config_option("extra_float_digits", "1", PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
	return level;
}

Datum
pegs_input(Oid base, int32 typmod, const char *text)
{
	Oid			function;
	Oid			param;

	getTypeInputInfo(base, &function, &param);
	return OidInputFunctionCall(function, (char *) text, param, typmod);
}

/* What is kept of an enum are its labels, and one may have been renamed since. */
static void
require_label(Oid type, const char *label)
{
	const char *name = format_type_be_qualified(type);

	if (!SearchSysCacheExists2(ENUMTYPOIDNAME, ObjectIdGetDatum(type), CStringGetDatum(label)))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
				 errmsg("invalid input value for enum %s: \"%s\"", format_type_be(type), label),
				 errhint("SELECT enum_range(NULL::%s); has its values. If one was renamed: ALTER TYPE %s RENAME VALUE '...' TO %s;", name, name, quote_literal_cstr(label))));
}

Datum
pegs_from_canonical(Oid base, int32 typmod, const char *text)
{
	int			level = pegs_pin_notation();
	Datum		value;

	if (get_typtype(base) == TYPTYPE_ENUM)
		require_label(base, text);
	value = pegs_input(base, typmod, text);
	AtEOXact_GUC(false, level);
	return value;
}

/*
 * Canonical texts to values. A column may have 65,535 of them, and anybody may
 * hand one in (pegs_agg): what is the same for all is done once, and the loop
 * can be cancelled.
 */
Datum *
pegs_values(Oid base, int32 typmod, char *const *texts, int n)
{
	Datum	   *values = palloc(sizeof(Datum) * (n + 1));
	bool		by_notation = base == DATEOID || base == TIMESTAMPOID || base == TIMESTAMPTZOID;
	int			level = 0;
	FmgrInfo	input;
	Oid			function;
	Oid			param;

	getTypeInputInfo(base, &function, &param);
	fmgr_info(function, &input);
	if (by_notation)
		level = pegs_pin_notation();
	for (int i = 0; i < n; i++)
	{
		if (i % 256 == 0)
			CHECK_FOR_INTERRUPTS();
		if (get_typtype(base) == TYPTYPE_ENUM)
			require_label(base, texts[i]);
		values[i] = InputFunctionCall(&input, texts[i], param, typmod);
	}
	if (by_notation)
		AtEOXact_GUC(false, level);
	return values;
}

Datum *
pegs_edge_values(const PegsColumn *column)
{
	return column->edge_value ? column->edge_value : pegs_values(column->type, column->typmod, column->edges, column->nedges);
}

char *
pegs_output(Oid base, Datum value)
{
	int			level = pegs_pin_notation();
	Oid			function;
	bool		varlena;
	char	   *text;

	getTypeOutputInfo(base, &function, &varlena);
	text = OidOutputFunctionCall(function, value);
	AtEOXact_GUC(false, level);
	return text;
}

static char *
to_canonical(Oid base, Datum value)
{
	char	   *text = pegs_output(base, value);

	if (base == BPCHAROID)
		for (int n = strlen(text); n > 0 && text[n - 1] == ' '; n--)
			text[n - 1] = '\0';
	return text;
}

char *
pegs_canonical(Oid base, int32 typmod, const char *text)
{
	Datum		value = pegs_input(base, typmod, text);

	/* one text for one value */
	if (base == NUMERICOID && typmod < 0)
		value = DirectFunctionCall1(numeric_trim_scale, value);
	text = to_canonical(base, value);
	return (base == FLOAT4OID || base == FLOAT8OID) && strcmp(text, "-0") == 0 ? pstrdup("0") : (char *) text;
}

void
pegs_forgive_data_error(MemoryContext context)
{
	ErrorData  *error;

	MemoryContextSwitchTo(context);
	error = CopyErrorData();
	if (ERRCODE_TO_CATEGORY(error->sqlerrcode) != ERRCODE_DATA_EXCEPTION)
		PG_RE_THROW();
	FlushErrorState();
}

/* NULL if the text is no value of the type; an input function that fails leaves nothing to clean. */
char *
pegs_try_canonical(Oid base, int32 typmod, const char *text)
{
	MemoryContext context = CurrentMemoryContext;
	char	   *volatile canonical = NULL;

	PG_TRY();
	{
		canonical = pegs_canonical(base, typmod, text);
	}
	PG_CATCH();
	{
		pegs_forgive_data_error(context);
	}
	PG_END_TRY();
	return canonical;
}

bool
pegs_is_number(Oid base)
{
	return base == INT2OID || base == INT4OID || base == INT8OID || base == NUMERICOID || base == FLOAT4OID || base == FLOAT8OID;
}

int
pegs_digits_of(int32 typmod)
{
	return ((typmod - VARHDRSZ) >> 16) & 0xffff;
}

int
pegs_scale_of(int32 typmod)
{
	return (((typmod - VARHDRSZ) & 0x7ff) ^ 1024) - 1024;
}

char *
pegs_largest_numeric(int digits, int scale)
{
	StringInfoData text;

	initStringInfo(&text);
	for (int place = Max(digits - scale, 1); place > Min(-scale, 0); place--)
	{
		if (place == 0)
			appendStringInfoChar(&text, '.');
		appendStringInfoChar(&text, place > digits - scale || place <= -scale ? '0' : '9');
	}
	return text.data;
}

#define MAX_PLACES 18			/* edges of bins have so many digits */

const char *
pegs_beyond_bins(const PegsColumn *column)
{
	int			scale = column->type == NUMERICOID && column->typmod >= (int32) VARHDRSZ ? pegs_scale_of(column->typmod) : 0;

	return scale > MAX_PLACES ? psprintf("%d digits after the point", scale)
		: scale <= -MAX_PLACES ? psprintf("%d zeros before the point", -scale) : NULL;
}

bool
pegs_is_finite(const char *canonical)
{
	return pg_strcasecmp(canonical, "infinity") != 0 && pg_strcasecmp(canonical, "-infinity") != 0 && pg_strcasecmp(canonical, "nan") != 0;
}

int
pegs_compare(Oid base, int32 typmod, const char *a, const char *b)
{
	Datum		x;
	Datum		y;
	int64		kx;
	int64		ky;

	if (pegs_is_text(base))
		return strcmp(a, b);
	x = pegs_from_canonical(base, typmod, a);
	y = pegs_from_canonical(base, typmod, b);
	if (base == NUMERICOID)
		return DatumGetInt32(DirectFunctionCall2(numeric_cmp, x, y));
	if (!pegs_key_of(base, x, &kx) || !pegs_key_of(base, y, &ky))
		return 0;
	return kx < ky ? -1 : kx > ky;
}

void
pegs_type_is_gone(const char *column, const char *hint)
{
	ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_OBJECT),
			 errmsg("the type of column \"%s\" is not there any more", column),
			 errdetail("It was dropped after the model was fitted."),
			 hint ? errhint("%s", hint)
			 : errhint("The other columns can still be read: leave this one out.")));
}
