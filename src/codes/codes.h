/*
 * codes.h
 *	  Values to codes and back: the place of a value in its column's declared domain.
 */
#ifndef PEGS_CODES_H
#define PEGS_CODES_H

#include "server/server.h"
#include "codes/column.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/date.h"
#include "utils/timestamp.h"

#include "core/rng.h"

/* ---- types.c ---- */

extern void pegs_type_is_gone(const char *column, const char *hint) __attribute__((noreturn));

/* ---- types.c, encode.c, decode.c: Datums to codes and back ---- */

typedef struct PegsEncoder PegsEncoder;
typedef struct PegsDecoder PegsDecoder;

extern bool pegs_type_supported(Oid base);
extern bool pegs_type_has_bins(Oid base);
extern char *pegs_canonical(Oid base, int32 typmod, const char *text);	/* session's notation to ours */
extern char *pegs_try_canonical(Oid base, int32 typmod, const char *text);	/* NULL: no value of the type */
extern int	pegs_compare(Oid base, int32 typmod, const char *a, const char *b);	/* canonical texts */
extern PegsEncoder *pegs_encoder(const PegsColumn *column);
extern int	pegs_encode_strict(const PegsEncoder *encoder, Datum value, bool isnull);	/* -1: not declared */
extern int	pegs_encode_other(const PegsEncoder *encoder);	/* or an error that names the column */
extern PegsDecoder *pegs_decoder(const PegsColumn *column);
extern Datum pegs_decode(const PegsDecoder *decoder, uint16 code, pegs_rng *values, bool *isnull);
extern char *pegs_level_text(const PegsColumn *column, int code);	/* NULL for NULL */
extern int	pegs_code_of(const PegsColumn *column, const PegsEncoder *encoder, const JsonbValue *value);	/* -1: not declared; encoder NULL: made for it */
extern PegsEncoder *pegs_domain_encoder(const PegsDomain *domain, int column);
extern PegsDecoder *pegs_domain_decoder(const PegsDomain *domain, int column);

#define PEGS_LEFT_OUT (-1)		/* the row is, by this value alone */

static inline int
pegs_encode(const PegsEncoder *encoder, Datum value, bool isnull)
{
	int			code = pegs_encode_strict(encoder, value, isnull);

	return code >= 0 ? code : pegs_encode_other(encoder);
}

/* ---- values of a type ---- */

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

#endif							/* PEGS_CODES_H */
