/*
 * running.c
 *	  A running number as a value of its column's type.
 *
 * Different numbers are different values, in every type that takes them. That
 * the type holds all of them, and a domain allows them, is known before a
 * charge. Law L2.
 */
#include "codes/allowed.h"
#include "codes/codes.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "port/pg_bswap.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/numeric.h"
#include "utils/timestamp.h"
#include "utils/uuid.h"

struct PegsRunning
{
	Oid			type;			/* base type */
	int32		typmod;
	Oid			domain;			/* over it, or InvalidOid; */
	const char *name;			/* as the caller would write it */
	int64		tried;			/* up to this one the domain takes them */
	void	   *extra;			/* what it keeps of its constraints, in */
	MemoryContext context;
};

/* The largest number of so many digits. */
static int64
of_digits(int digits)
{
	int64		largest = 0;

	if (digits >= 19)
		return PG_INT64_MAX;
	for (int i = 0; i < digits; i++)
		largest = largest * 10 + 9;
	return largest;
}

/* How far numbers of this type run; 0: it takes none. */
static int64
largest_number(Oid type, int32 typmod)
{
	int			scale;

	switch (type)
	{
		case INT2OID:
			return PG_INT16_MAX;
		case INT4OID:
			return PG_INT32_MAX;
		case INT8OID:
		case UUIDOID:
			return PG_INT64_MAX;
		case FLOAT4OID:
			return INT64CONST(1) << 24;
		case FLOAT8OID:
			return INT64CONST(1) << 53;
		case NUMERICOID:
			if (typmod < (int32) VARHDRSZ)
				return PG_INT64_MAX;
			scale = pegs_scale_of(typmod);
			return scale < 0 ? 0 : of_digits(pegs_digits_of(typmod) - scale);
		case TEXTOID:
		case NAMEOID:
			return PG_INT64_MAX;
		case VARCHAROID:
		case BPCHAROID:
			return typmod < (int32) VARHDRSZ ? PG_INT64_MAX : of_digits(typmod - VARHDRSZ);
		case DATEOID:
			return DATE_END_JULIAN - UNIX_EPOCH_JDATE - 1;
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
			return END_TIMESTAMP / USECS_PER_SEC - 1;	/* the epoch is before 2000 */
		default:
			return 0;
	}
}

/* An int64 as the last part of a uuid of version 8, whose bits are whatever one likes (RFC 9562). */
static Datum
number_uuid(int64 place)
{
	pg_uuid_t  *uuid = palloc0(sizeof(pg_uuid_t));
	uint64		bytes = pg_hton64((uint64) place);

	memcpy(uuid->data + 4, &bytes, 2);
	uuid->data[6] = 0x80;
	uuid->data[8] = 0x80;
	memcpy(uuid->data + 10, (char *) &bytes + 2, 6);
	return UUIDPGetDatum(uuid);
}

/* Of a date a day, of a timestamp a second, from 1970 on. */
Datum
pegs_running_value(const PegsRunning *number, int64 place)
{
	Datum		value;
	char		text[32];

	switch (number->type)
	{
		case INT2OID:
			return Int16GetDatum((int16) place);
		case INT4OID:
			return Int32GetDatum((int32) place);
		case INT8OID:
			return Int64GetDatum(place);
		case FLOAT4OID:
			return Float4GetDatum((float4) place);
		case FLOAT8OID:
			return Float8GetDatum((float8) place);
		case NUMERICOID:
			value = NumericGetDatum(int64_to_numeric(place));
			return number->typmod < 0 ? value : DirectFunctionCall2(numeric, value, Int32GetDatum(number->typmod));
		case UUIDOID:
			return number_uuid(place);
		case DATEOID:
			return DateADTGetDatum((DateADT) (place - (POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE)));
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
			return TimestampGetDatum(SetEpochTimestamp() + place * USECS_PER_SEC);
	}
	snprintf(text, sizeof(text), INT64_FORMAT, place);
	switch (number->type)
	{
		case NAMEOID:
			return DirectFunctionCall1(namein, CStringGetDatum(text));
		case BPCHAROID:
			return DirectFunctionCall3(bpcharin, CStringGetDatum(text), ObjectIdGetDatum(InvalidOid), Int32GetDatum(number->typmod));
		default:
			return CStringGetTextDatum(text);
	}
}

/* Up to n. */
bool
pegs_takes_numbers(Form_pg_attribute att, int64 n)
{
	int32		typmod = att->atttypmod;
	Oid			type = getBaseTypeAndTypmod(att->atttypid, &typmod);

	return largest_number(type, typmod) >= n;
}

/* A domain's constraint may allow some numbers and not others. */
static void
try_number(PegsRunning *number, const char *column, int64 place)
{
	MemoryContext context = CurrentMemoryContext;

	PG_TRY();
	{
		domain_check(pegs_running_value(number, place), false, number->domain, &number->extra, number->context);
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(context);
		pegs_domain_refuses(context, psprintf("column \"%s\" is a key, and its domain type %s refuses the running number %s", column,
											  number->name, pegs_units_text(place, 0)),
							format_type_with_typemod(number->type, number->typmod));
	}
	PG_END_TRY();
}

/* Each is tried, as none can be refused later. */
static void
try_numbers(PegsRunning *number, const char *column, int64 n)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "pegs numbers", ALLOCSET_DEFAULT_SIZES);

	for (int64 place = 1; place <= n; place++)
	{
		MemoryContext old = MemoryContextSwitchTo(context);

		try_number(number, column, place);
		MemoryContextSwitchTo(old);
		if (place % 1024 == 0)
		{
			MemoryContextReset(context);
			CHECK_FOR_INTERRUPTS();
		}
	}
	MemoryContextDelete(context);
	number->tried = n;
}

/* An error if the column's type cannot hold the numbers up to n. The constraint of a domain, which is somebody's code, is not asked. */
void
pegs_require_running(Form_pg_attribute att, int64 n)
{
	int32		typmod = att->atttypmod;
	Oid			type = getBaseTypeAndTypmod(att->atttypid, &typmod);
	int64		largest = largest_number(type, typmod);

	if (largest == 0)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("column \"%s\" is a key, and its type %s takes no running number", NameStr(att->attname),
						format_type_with_typemod(att->atttypid, att->atttypmod)),
				 errhint("Name it as bigint, text or uuid.")));
	if (n > largest)
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("column \"%s\" cannot number %s rows", NameStr(att->attname), pegs_units_text(n, 0)),
				 errdetail("Its type is %s: numbers in it end at %s.", format_type_with_typemod(att->atttypid, att->atttypmod),
						   pegs_units_text(largest, 0)),
				 errhint("Ask for fewer rows: n => %s", pegs_units_text(largest, 0))));
}

/* Of a table of several, whose rows are more or fewer than n: its own number. */
void
pegs_require_place(PegsRunning *number, Form_pg_attribute att, int64 place)
{
	if (!pegs_takes_numbers(att, place))
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("column \"%s\" cannot number so many rows", NameStr(att->attname)),
				 errdetail("Its type is %s.", format_type_with_typemod(att->atttypid, att->atttypmod)),
				 errhint("Name it as bigint, in a column list or a table of its own. Or ask for fewer rows of the root: n => ...")));
	if (OidIsValid(number->domain) && place > number->tried)
		try_number(number, NameStr(att->attname), place);
}

/* From 1 to n, in a column of the caller's own row type or column list: a domain in it is the caller's choice. */
PegsRunning *
pegs_running(Form_pg_attribute att, int64 n)
{
	PegsRunning *number = palloc0(sizeof(PegsRunning));

	pegs_require_running(att, n);
	number->typmod = att->atttypmod;
	number->type = getBaseTypeAndTypmod(att->atttypid, &number->typmod);
	number->context = CurrentMemoryContext;
	if (get_typtype(att->atttypid) == TYPTYPE_DOMAIN)
	{
		number->domain = att->atttypid;
		number->name = format_type_be(number->domain);
		try_numbers(number, NameStr(att->attname), n);
	}
	return number;
}
