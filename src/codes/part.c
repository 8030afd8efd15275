/*
 * part.c
 *	  Hidden columns: calendar parts of a time, by how much one column is after another, and what a lookup table says of a key.
 *
 * A row of the table has its own columns; the domain may have hidden ones in the
 * place of some. This is the one place where a row of the first becomes a row of
 * the second, whoever reads it: a fit, pegs_agg, the measures. A function of that
 * row alone (docs/privacy.md), defined for every value: no value is an error,
 * and what is too far off is the last that there is. Law L5.
 */
#include "codes/codes.h"

#include "common/int.h"
#include "utils/datetime.h"
#include "utils/builtins.h"
#include "utils/float.h"
#include "utils/fmgrprotos.h"
#include "utils/numeric.h"

#define A_MONDAY 2				/* 2000-01-03, in days since 2000-01-01 */

static const char *const names[] = {"date", "week", "weekday", "hour", "difference", "via"};

const char *
pegs_part_name(PegsPartKind kind)
{
	return names[kind];
}

bool
pegs_part_kind(const char *name, PegsPartKind *kind)
{
	for (size_t i = 0; i < lengthof(names); i++)
		if (strcmp(names[i], name) == 0)
		{
			*kind = (PegsPartKind) i;
			return true;
		}
	return false;
}

char *
pegs_part_words(const PegsPart *part)
{
	static const char *const words[] = {"the day of", "the Monday of the week of", "the weekday, 1 is Monday, of", "the time of day, in seconds, of"};

	if (part->kind == PEGS_DIFFERENCE)
		return psprintf("%s from \"%s\" to \"%s\"", part->type == DATEOID ? "the days" : pegs_is_number(part->type) ? "how much it is" : "the seconds",
						part->earlier, part->column);
	if (part->kind == PEGS_VIA)
		return psprintf("{%s} of \"%s\"%s", part->via->names, part->column,
						part->via->by ? psprintf(", keys by weight \"%s\"", part->via->by) : "");
	return psprintf("%s \"%s\"%s%s", words[part->kind], part->column, part->zone ? " in time zone " : "", part->zone ? part->zone : "");
}

static bool
same_name(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

/* Of no part, too. */
bool
pegs_same_part(const PegsPart *a, const PegsPart *b)
{
	if (a == NULL || b == NULL)
		return a == b;
	return a->kind == b->kind && a->type == b->type && same_name(a->column, b->column) && same_name(a->earlier, b->earlier)
		&& same_name(a->zone, b->zone) && pegs_same_via(a->via, b->via);
}

pg_tz *
pegs_zone(const char *name)
{
	pg_tz	   *zone = pg_tzset(name);

	if (zone == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("time zone \"%s\" is not known here", pegs_clipped(name)),
				 errhint("SELECT name FROM pg_timezone_names;")));
	return zone;
}

/* ---- parts of a time ---- */

/* Whole days since 2000-01-01, and seconds of the day, where the clock shows them. */
static void
local_time(Timestamp at, pg_tz *zone, int64 *day, int32 *second)
{
	struct pg_tm tm;
	fsec_t		fraction;
	int			offset;

	if (zone && timestamp2tm(at, &offset, &tm, &fraction, NULL, zone) == 0)
	{
		*day = date2j(tm.tm_year, tm.tm_mon, tm.tm_mday) - POSTGRES_EPOCH_JDATE;
		*second = (tm.tm_hour * MINS_PER_HOUR + tm.tm_min) * SECS_PER_MINUTE + tm.tm_sec;
		return;
	}
	*day = at / USECS_PER_DAY - (at % USECS_PER_DAY < 0);
	*second = (int32) ((at - *day * USECS_PER_DAY) / USECS_PER_SEC);
}

/* An infinite time has an infinite day, which is in no bin, and the first of the other parts. */
Datum
pegs_time_part(PegsPartKind kind, pg_tz *zone, Datum value)
{
	Timestamp	at = DatumGetTimestamp(value);
	int64		day = 0;
	int64		weekday;
	int32		second = 0;

	if (TIMESTAMP_NOT_FINITE(at))
	{
		if (kind == PEGS_DATE || kind == PEGS_WEEK)
			return DateADTGetDatum(TIMESTAMP_IS_NOBEGIN(at) ? DATEVAL_NOBEGIN : DATEVAL_NOEND);
		return Int32GetDatum(kind == PEGS_WEEKDAY ? 1 : 0);
	}
	local_time(at, zone, &day, &second);
	weekday = ((day - A_MONDAY) % 7 + 7) % 7;
	switch (kind)
	{
		case PEGS_WEEK:
			return DateADTGetDatum((DateADT) (day - weekday));
		case PEGS_WEEKDAY:
			return Int32GetDatum((int32) weekday + 1);
		case PEGS_HOUR:
			return Int32GetDatum(second);
		default:
			return DateADTGetDatum((DateADT) day);
	}
}

/* ---- by how much one is after another ---- */

/* One digit more before the point than its columns have; as many after it: then what is added is on their grid. */
Oid
pegs_difference_type(Oid type, int32 typmod, int32 *difference_typmod)
{
	*difference_typmod = -1;
	if (type == DATEOID)
		return INT4OID;
	if (type == TIMESTAMPOID || type == TIMESTAMPTZOID)
		return INT8OID;
	if (type == NUMERICOID && typmod >= (int32) VARHDRSZ)
		*difference_typmod = ((typmod - VARHDRSZ) >> 16) < NUMERIC_MAX_PRECISION ? typmod + (1 << 16) : typmod;
	return pegs_is_number(type) ? type : InvalidOid;
}

static int64
within(int64 value, int64 least, int64 most)
{
	return Max(least, Min(most, value));
}

static int64
minus(int64 a, int64 b)
{
	int64		c;

	if (pg_sub_s64_overflow(a, b, &c))
		return a > b ? PG_INT64_MAX : PG_INT64_MIN;
	return c;
}

/* Dates and times, of which two values are infinite. */
static int64
minus_time(int64 a, int64 b, int64 none_before, int64 none_after)
{
	if (a == b)
		return 0;
	if (a == none_after || b == none_before)
		return PG_INT64_MAX;
	if (a == none_before || b == none_after)
		return PG_INT64_MIN;
	return minus(a, b);
}

static Datum
minus_numeric(Datum a, Datum b)
{
	bool		too_large = false;
	Numeric		c = numeric_sub_opt_error(DatumGetNumeric(a), DatumGetNumeric(b), &too_large);

	if (!too_large)
		return NumericGetDatum(c);
	return DirectFunctionCall3(numeric_in, CStringGetDatum(DatumGetInt32(DirectFunctionCall2(numeric_cmp, a, b)) > 0 ? "Infinity" : "-Infinity"),
							   ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1));
}

/* Of columns of this type, in the type of their difference. Infinities as far as that goes; what is no number stays so. */
static Datum
difference(Oid type, Datum a, Datum b)
{
	int64		time;

	switch (type)
	{
		case INT2OID:
			return Int16GetDatum((int16) within((int64) DatumGetInt16(a) - DatumGetInt16(b), PG_INT16_MIN, PG_INT16_MAX));
		case INT4OID:
			return Int32GetDatum((int32) within((int64) DatumGetInt32(a) - DatumGetInt32(b), PG_INT32_MIN, PG_INT32_MAX));
		case INT8OID:
			return Int64GetDatum(minus(DatumGetInt64(a), DatumGetInt64(b)));
		case FLOAT4OID:
			return Float4GetDatum((float4) ((float8) DatumGetFloat4(a) - (float8) DatumGetFloat4(b)));
		case FLOAT8OID:
			return Float8GetDatum(DatumGetFloat8(a) - DatumGetFloat8(b));
		case NUMERICOID:
			return minus_numeric(a, b);
		case DATEOID:
			return Int32GetDatum((int32) within(minus_time(DatumGetDateADT(a), DatumGetDateADT(b), DATEVAL_NOBEGIN, DATEVAL_NOEND),
												PG_INT32_MIN, PG_INT32_MAX));
		default:
			time = minus_time(DatumGetTimestamp(a), DatumGetTimestamp(b), DT_NOBEGIN, DT_NOEND);
			return Int64GetDatum(time / USECS_PER_SEC - (time % USECS_PER_SEC < 0));
	}
}

/* ---- rows ---- */

struct PegsParts
{
	const PegsDomain *domain;
	int		   *from;			/* [ncols] which column of the table */
	int		   *earlier;		/* [ncols] of a difference; else -1 */
	pg_tz	  **zone;			/* [ncols] */
	PegsViaTaker **via;			/* [ncols] */
	Datum	   *value;			/* [ncols] of the domain */
	bool	   *isnull;
};

static bool
has_parts(const PegsDomain *domain)
{
	for (int i = 0; i < domain->ncols; i++)
		if (domain->column[i].part)
			return true;
	return false;
}

static void
add_physical(PegsDomain *physical, const PegsColumn *column)
{
	int			found = pegs_domain_find(physical, column->name);

	physical->column[found >= 0 ? found : physical->ncols++] = *column;
}

static void
add_of_part(PegsDomain *physical, char *name, Oid type)
{
	PegsColumn	column = {.name = name, .type = type, .typmod = -1, .other = -1};

	if (name && pegs_domain_find(physical, name) < 0)
		physical->column[physical->ncols++] = column;
}

/* In the order in which the domain comes to them: pegs_agg takes its arguments so. */
const PegsDomain *
pegs_physical(const PegsDomain *domain)
{
	PegsDomain *physical;

	if (!has_parts(domain))
		return domain;
	physical = palloc0(sizeof(PegsDomain));
	physical->column = palloc0(sizeof(PegsColumn) * 2 * domain->ncols);
	for (int i = 0; i < domain->ncols; i++)
	{
		const PegsPart *part = domain->column[i].part;

		if (part == NULL)
			add_physical(physical, &domain->column[i]);
		else
		{
			add_of_part(physical, part->column, part->type);
			add_of_part(physical, part->earlier, part->type);
		}
	}
	return physical;
}

PegsParts *
pegs_parts(const PegsDomain *domain)
{
	const PegsDomain *physical = pegs_physical(domain);
	PegsParts  *parts;

	if (physical == domain)
		return NULL;
	parts = palloc0(sizeof(PegsParts));
	parts->domain = domain;
	parts->from = palloc(sizeof(int) * domain->ncols);
	parts->earlier = palloc(sizeof(int) * domain->ncols);
	parts->zone = palloc0(sizeof(pg_tz *) * domain->ncols);
	parts->via = palloc0(sizeof(PegsViaTaker *) * domain->ncols);
	parts->value = palloc0(sizeof(Datum) * domain->ncols);
	parts->isnull = palloc0(sizeof(bool) * domain->ncols);
	for (int i = 0; i < domain->ncols; i++)
	{
		const PegsPart *part = domain->column[i].part;

		parts->from[i] = pegs_domain_find(physical, part ? part->column : domain->column[i].name);
		parts->earlier[i] = part && part->earlier ? pegs_domain_find(physical, part->earlier) : -1;
		parts->zone[i] = part && part->zone ? pegs_zone(part->zone) : NULL;
		parts->via[i] = part && part->via ? pegs_via_taker(&domain->column[i]) : NULL;
	}
	return parts;
}

/* NULL where what it is made of is. */
void
pegs_take_parts(PegsParts *parts, Datum **values, bool **nulls)
{
	for (int i = 0; i < parts->domain->ncols; i++)
	{
		const PegsPart *part = parts->domain->column[i].part;
		Datum		value = (*values)[parts->from[i]];
		int			earlier = parts->earlier[i];

		parts->isnull[i] = (*nulls)[parts->from[i]] || (earlier >= 0 && (*nulls)[earlier]);
		if (parts->isnull[i])
			value = 0;
		else if (earlier >= 0)
			value = difference(part->type, value, (*values)[earlier]);
		else if (parts->via[i])
			value = pegs_take_via(parts->via[i], value);
		else if (part)
			value = pegs_time_part(part->kind, parts->zone[i], value);
		parts->value[i] = value;
	}
	*values = parts->value;
	*nulls = parts->isnull;
}

/* ---- parts that somebody gave ---- */

static Oid
type_of_part(const PegsPart *part)
{
	int32		typmod;

	switch (part->kind)
	{
		case PEGS_DATE:
		case PEGS_WEEK:
			return DATEOID;
		case PEGS_WEEKDAY:
		case PEGS_HOUR:
			return INT4OID;
		case PEGS_VIA:
			return TEXTOID;
		default:
			return pegs_difference_type(part->type, -1, &typmod);
	}
}

/* Has a column of the table another type elsewhere? */
static bool
is_of_two_types(const PegsDomain *domain, const char *name, Oid type)
{
	for (int i = 0; i < domain->ncols; i++)
	{
		const PegsColumn *column = &domain->column[i];
		const PegsPart *part = column->part;

		if (part == NULL ? strcmp(column->name, name) == 0 && column->type != type
			: part->type != type && (strcmp(part->column, name) == 0 || (part->earlier && strcmp(part->earlier, name) == 0)))
			return true;
	}
	return false;
}

const char *
pegs_part_problem(const PegsDomain *domain)
{
	for (int i = 0; i < domain->ncols; i++)
	{
		const PegsPart *part = domain->column[i].part;

		if (part == NULL)
			continue;
		if (domain->column[i].type != type_of_part(part))
			return "a part has not the type that it must have";
		if ((part->kind == PEGS_DIFFERENCE) != (part->earlier != NULL))
			return "a difference is of two columns, another part of one";
		if ((part->kind == PEGS_VIA) != (part->via != NULL) || (part->via && !pegs_has_via(part->type)))
			return "keys are those of a number or a text that is modelled via a lookup table, and it has some";
		if (part->kind != PEGS_DIFFERENCE && part->kind != PEGS_VIA && part->type != TIMESTAMPOID && part->type != TIMESTAMPTZOID)
			return "a part is not one of a timestamp";
		if ((part->zone != NULL) != (part->kind != PEGS_DIFFERENCE && part->type == TIMESTAMPTZOID))
			return "a part of a timestamptz has a time zone, and no other has";
		if (is_of_two_types(domain, part->column, part->type) || (part->earlier && is_of_two_types(domain, part->earlier, part->type)))
			return "a column has two types";
	}
	return NULL;
}
