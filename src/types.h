/*
 * types.h
 *	  What encode.c and decode.c need of a value's type.
 */
#ifndef PEGS_TYPES_H
#define PEGS_TYPES_H

#include "pegs.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/date.h"
#include "utils/timestamp.h"

/* Through the type's input function: in the session's notation, or in the canonical one. */
extern char *pegs_output(Oid base, Datum value);	/* in our notation */
extern int	pegs_pin_notation(void);	/* undo: AtEOXact_GUC(false, level) */
extern Datum pegs_input(Oid base, int32 typmod, const char *text);
extern Datum pegs_from_canonical(Oid base, int32 typmod, const char *text);
extern Datum *pegs_values(Oid base, int32 typmod, char *const *texts, int n);	/* all of them at once: the notation is pinned once */
extern Datum *pegs_edge_values(const PegsColumn *column);
extern bool pegs_numeric_key(const char *p, uint32 n, int places, int64 *key, bool *exact);

static inline bool
pegs_is_text(Oid base)
{
	return base == TEXTOID || base == VARCHAROID || base == BPCHAROID;
}

/*
 * A value as an ordered 64-bit key: integers, dates, times, booleans, enum
 * OIDs, and floats in their own order. False for NaN.
 */
static inline bool
pegs_key_of(Oid base, Datum value, int64 *key)
{
	switch (base)
	{
		case BOOLOID:
			*key = DatumGetBool(value);
			return true;
		case INT2OID:
			*key = DatumGetInt16(value);
			return true;
		case INT4OID:
			*key = DatumGetInt32(value);
			return true;
		case DATEOID:
			*key = DatumGetDateADT(value);
			return true;
		case INT8OID:
			*key = DatumGetInt64(value);
			return true;
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
			*key = DatumGetTimestamp(value);
			return true;
		case FLOAT4OID:
		case FLOAT8OID:
			{
				float8		x = base == FLOAT4OID ? (float8) DatumGetFloat4(value) : DatumGetFloat8(value);
				int64		bits;

				if (isnan(x))
					return false;
				x += 0.0;		/* -0 and 0 are one value */
				memcpy(&bits, &x, sizeof(bits));
				*key = bits < 0 ? bits ^ PG_INT64_MAX : bits;
				return true;
			}
		default:
			*key = (int64) DatumGetObjectId(value); /* enum */
			return true;
	}
}

#endif							/* PEGS_TYPES_H */
