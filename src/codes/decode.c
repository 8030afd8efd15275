/*
 * decode.c
 *	  Codes to Datums: a label's value, or one drawn uniformly inside a bin.
 *
 * Post-processing of codes that are already released. A value has the column's
 * own type and typmod. Everything that can fail is in pegs_decoder, before any
 * charge.
 */
#include "codes/codes.h"

#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/memutils.h"

typedef struct Bin
{
	int64		low;			/* first value, in units */
	uint64		count;			/* values; 0 means 2^64 */
	float8		from;			/* floats: [from, to) */
	float8		to;
} Bin;

struct PegsDecoder
{
	const PegsColumn *column;
	Datum	   *level;			/* labels */
	Bin		   *bin;
	int64		unit;			/* microseconds of a timestamp(p) */
	int			scale;			/* digits of a numeric after the point */
};

/* Digits after the point: the column's own, or those of the edges, at least two. */
static int
digits_of_numeric(const PegsColumn *column)
{
	int			scale = 2;

	if (column->typmod >= (int32) VARHDRSZ)
		return (((column->typmod - VARHDRSZ) & 0x7ff) ^ 1024) - 1024;
	for (int i = 0; i < column->nedges; i++)
	{
		const char *point = strchr(column->edges[i], '.');

		if (point && (int) strlen(point + 1) > scale)
			scale = strlen(point + 1);
	}
	return scale;
}

/* edge * 10^scale, which is whole: edges went through the column's type */
static int64
scaled(const PegsColumn *column, const char *edge, int scale)
{
	int			whole = 0;		/* digits before the point */

	for (const char *p = edge; *p && *p != '.'; p++)
		whole += *p >= '0' && *p <= '9';
	if (scale < 0 || whole + scale > 18)
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("bins of column \"%s\" need more than 18 digits", column->name),
				 errdetail("Edge %s with %d digits after the point.", edge, scale),
				 errhint("Use edges closer to zero, or a type with fewer digits.")));
	return DatumGetInt64(DirectFunctionCall1(numeric_int8,
											 DirectFunctionCall3(numeric_in, CStringGetDatum(psprintf("%se%d", edge, scale)),
																 ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1))));
}

static int64
floor_div(int64 a, int64 b)
{
	return a / b - (a % b < 0);
}

static void
build_bins(PegsDecoder *decoder)
{
	const PegsColumn *column = decoder->column;
	int			n = column->nedges - 1;
	Datum	   *value = column->type == NUMERICOID ? NULL : pegs_edge_values(column);
	int64		next = 0;

	decoder->bin = palloc0(sizeof(Bin) * n);
	decoder->unit = 1;
	if ((column->type == TIMESTAMPOID || column->type == TIMESTAMPTZOID)
		&& column->typmod >= 0)
		for (int digits = column->typmod; digits < 6; digits++)
			decoder->unit *= 10;
	if (column->type == NUMERICOID)
	{
		decoder->scale = digits_of_numeric(column);
		next = scaled(column, column->edges[0], decoder->scale);
	}
	for (int i = 0; i < n; i++)
	{
		Bin		   *bin = &decoder->bin[i];
		bool		last = i == n - 1;
		int64		to = 0;

		if (i % 256 == 0)
			CHECK_FOR_INTERRUPTS();
		if (column->type == NUMERICOID)
		{
			bin->low = next;
			next = scaled(column, column->edges[i + 1], decoder->scale);
			to = next - !last;
		}
		else
		{
			Datum		a = value[i];
			Datum		b = value[i + 1];

			if (column->type == FLOAT4OID || column->type == FLOAT8OID)
			{
				bin->from = column->type == FLOAT4OID ? (float8) DatumGetFloat4(a) : DatumGetFloat8(a);
				bin->to = column->type == FLOAT4OID ? (float8) DatumGetFloat4(b) : DatumGetFloat8(b);
				continue;
			}
			(void) pegs_key_of(column->type, a, &bin->low);
			(void) pegs_key_of(column->type, b, &to);
			bin->low = -floor_div(-bin->low, decoder->unit);
			to = floor_div(to - !last, decoder->unit);
		}
		bin->count = (uint64) to - (uint64) bin->low + 1;
	}
}

PegsDecoder *
pegs_decoder(const PegsColumn *column)
{
	PegsDecoder *decoder = palloc0(sizeof(PegsDecoder));

	if (!OidIsValid(column->type))
		pegs_type_is_gone(column->name, NULL);
	decoder->column = column;
	if (column->nedges > 0)
	{
		build_bins(decoder);
		return decoder;
	}
	decoder->level = pegs_values(column->type, column->typmod, column->labels, column->nlabels);
	return decoder;
}

/* The decoder of a column: kept where the domain is kept. */
PegsDecoder *
pegs_domain_decoder(const PegsDomain *domain, int number)
{
	PegsKeptColumn *kept = domain->kept ? &domain->kept[number] : NULL;
	MemoryContext context;
	MemoryContext old;
	PegsDecoder *decoder;

	if (kept == NULL)
		return pegs_decoder(&domain->column[number]);
	if (kept->decoder)
		return kept->decoder;
	context = AllocSetContextCreate(CurrentMemoryContext, "pegs decoder", ALLOCSET_SMALL_SIZES);
	old = MemoryContextSwitchTo(context);
	decoder = pegs_decoder(&domain->column[number]);
	MemoryContextSwitchTo(old);
	MemoryContextSetParent(context, domain->context);
	return kept->decoder = decoder;
}

/* Uniform inside a bin, of the column's own type: post-processing of the code. */
static Datum
decode_bin(const PegsDecoder *decoder, const Bin *bin, pegs_rng *values)
{
	int64		x;

	if (decoder->column->type == FLOAT8OID || decoder->column->type == FLOAT4OID)
	{
		float8		u = pegs_rng_double(values);
		float8		v = bin->from * (1 - u) + bin->to * u;

		if (decoder->column->type == FLOAT4OID)
			v = (float4) v;
		if (v < bin->from || v >= bin->to)
			v = bin->from;
		return decoder->column->type == FLOAT4OID ? Float4GetDatum((float4) v) : Float8GetDatum(v);
	}
	x = (int64) ((uint64) bin->low
				 + (bin->count ? pegs_rng_below(values, bin->count) : pegs_rng_u64(values)));
	switch (decoder->column->type)
	{
		case INT2OID:
			return Int16GetDatum((int16) x);
		case INT4OID:
			return Int32GetDatum((int32) x);
		case INT8OID:
			return Int64GetDatum(x);
		case DATEOID:
			return DateADTGetDatum((DateADT) x);
		case NUMERICOID:
			return NumericGetDatum(int64_div_fast_to_numeric(x, decoder->scale));
		default:
			return TimestampGetDatum(x * decoder->unit);
	}
}

Datum
pegs_decode(const PegsDecoder *decoder, uint16 code, pegs_rng *values, bool *isnull)
{
	const PegsColumn *column = decoder->column;
	int			n = column->nedges > 0 ? column->nedges - 1 : column->nlabels;

	*isnull = code >= n;
	if (*isnull)
		return (Datum) 0;
	return decoder->bin ? decode_bin(decoder, &decoder->bin[code], values) : decoder->level[code];
}

/* A level in words: a bin as "[a, b)", the last one closed; NULL for NULL. */
char *
pegs_level_text(const PegsColumn *column, int code)
{
	if (column->nullable && code == pegs_column_levels(column) - 1)
		return NULL;
	if (column->nedges > 0)
		return psprintf("[%s, %s%c", column->edges[code], column->edges[code + 1], code == column->nedges - 2 ? ']' : ')');
	return column->labels[code];
}
