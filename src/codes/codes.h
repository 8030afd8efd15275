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

typedef struct PegsEncoder PegsEncoder;
typedef struct PegsDecoder PegsDecoder;
typedef struct PegsInside PegsInside;

/* ---- types.c: the types that pegs takes, and their values as canonical text ---- */

extern bool pegs_type_supported(Oid base);
extern bool pegs_type_has_bins(Oid base);
extern bool pegs_is_number(Oid base);
extern int	pegs_digits_of(int32 typmod);	/* of a numeric's */
extern int	pegs_scale_of(int32 typmod);	/* so many of them after the point; below 0: zeros before it */
extern char *pegs_largest_numeric(int digits, int scale);	/* that a type of so many digits holds */
extern const char *pegs_beyond_bins(const PegsColumn *column);	/* what its values have too many of to be in bins; NULL: nothing */
extern void pegs_type_is_gone(const char *column, const char *hint) __attribute__((noreturn));	/* dropped since */
extern char *pegs_canonical(Oid base, int32 typmod, const char *text);	/* session's notation to ours */
extern char *pegs_try_canonical(Oid base, int32 typmod, const char *text);	/* NULL: no value of the type */
extern void pegs_forgive_data_error(MemoryContext context);	/* in PG_CATCH: back to this context, or thrown on if it is another error */
extern bool pegs_is_finite(const char *canonical);	/* no infinity, no NaN */
extern int	pegs_compare(Oid base, int32 typmod, const char *a, const char *b);	/* canonical texts */
extern int	pegs_pin_notation(void);	/* undo: AtEOXact_GUC(false, level) */
extern char *pegs_output(Oid base, Datum value);	/* in our notation */

/* Through the type's input function: in the session's notation, or in the canonical one. */
extern Datum pegs_input(Oid base, int32 typmod, const char *text);
extern Datum pegs_from_canonical(Oid base, int32 typmod, const char *text);
extern Datum *pegs_values(Oid base, int32 typmod, char *const *texts, int n);	/* the notation is pinned once */
extern Datum *pegs_edge_values(const PegsColumn *column);	/* [nedges] */

/* ---- told.c: what a person said of a column, in the words of the error if its type refuses it ---- */

typedef struct PegsTold
{
	const PegsColumn *column;
	const char *text;
	const char *what;			/* the argument that it is in */
	const char *hint;			/* NULL: any value of the column's type */
	ErrorContextCallback context;
} PegsTold;

extern void pegs_tell(PegsTold *told);	/* until pegs_untell */
extern void pegs_untell(const PegsTold *told);
extern char *pegs_canonical_told(const PegsColumn *column, const char *text, const char *what);
extern int	pegs_code_of_told(const PegsColumn *column, PegsEncoder **encoder, const JsonbValue *value, const char *what);	/* pegs_code_of */

/* ---- encode.c: Datums to codes ---- */

extern PegsEncoder *pegs_encoder(const PegsColumn *column);
extern int	pegs_encode_strict(const PegsEncoder *encoder, Datum value, bool isnull);	/* -1: not declared */

/* What becomes of a value that is not declared. */
typedef struct PegsOutside
{
	const PegsColumn *column;
	Datum		first;			/* undeclared => 'nearest': the first edge, */
	int			below;			/* its code, and that of the last */
	int			above;
} PegsOutside;

extern const PegsOutside *pegs_encoder_outside(const PegsEncoder *encoder);

#define PEGS_LEFT_OUT (-1)		/* the row is, by this value alone */

/* ---- other.c: what is not declared ---- */

extern int	pegs_encode_other(const PegsEncoder *encoder, Datum value, bool isnull);	/* or an error that names the column */
extern int	pegs_encode_or_none(const PegsEncoder *encoder, Datum value, bool isnull);	/* below 0: its row would be left out, or an error */

static inline int
pegs_encode(const PegsEncoder *encoder, Datum value, bool isnull)
{
	int			code = pegs_encode_strict(encoder, value, isnull);

	return code >= 0 ? code : pegs_encode_other(encoder, value, isnull);
}

/* ---- decode.c: codes to Datums ---- */

extern PegsDecoder *pegs_decoder(const PegsColumn *column);
extern PegsDecoder *pegs_domain_decoder(const PegsDomain *domain, int column);	/* kept where the domain is */
extern Datum pegs_decode(const PegsDecoder *decoder, uint16 code, pegs_rng *values, bool *isnull);
extern Datum pegs_decode_chosen(const PegsDecoder *decoder, uint16 code, uint32 chosen, bool *isnull);

/* ---- part.c: hidden columns, out of those of the table ---- */

typedef struct PegsParts PegsParts;

extern const PegsDomain *pegs_physical(const PegsDomain *domain);	/* the columns of the table that it reads, each once; itself, if none is hidden */
extern PegsParts *pegs_parts(const PegsDomain *domain);	/* NULL: none is hidden */
extern void pegs_take_parts(PegsParts *parts, Datum **values, bool **nulls);	/* of the table's columns, then of the domain's */
extern Datum pegs_time_part(PegsPartKind kind, pg_tz *zone, Datum value);	/* zone NULL: a timestamp without one */
extern pg_tz *pegs_zone(const char *name);	/* or an error */
extern Oid	pegs_difference_type(Oid type, int32 typmod, int32 *difference_typmod);	/* InvalidOid: it has none */
extern const char *pegs_part_name(PegsPartKind kind);
extern bool pegs_part_kind(const char *name, PegsPartKind *kind);	/* false: there is no such part */
extern char *pegs_part_words(const PegsPart *part);
extern bool pegs_same_part(const PegsPart *a, const PegsPart *b);	/* either may be NULL: no part */
extern const char *pegs_part_problem(const PegsDomain *domain);	/* of a domain that somebody gave; NULL: none */

/* ---- via.c: keys by what a lookup table says of them ---- */

#define PEGS_MAX_KEYS 100000	/* of a lookup table */

typedef struct PegsViaTaker PegsViaTaker;

extern PegsViaTaker *pegs_via_taker(const PegsColumn *hidden);
extern Datum pegs_take_via(const PegsViaTaker *taker, Datum key);	/* its level, as text; of a key that is not known a text that is none */
extern Datum *pegs_via_keys(const PegsColumn *hidden, int **first);	/* as texts; of level i those from first[i] to before first[i + 1] */
extern uint32 *pegs_via_sums(const PegsColumn *hidden);	/* what the keys of a level up to each of them weigh; NULL: each is as likely */
extern int	pegs_via_key(const uint32 *sum, int first, int next, pegs_rng *values);	/* one of those from first to before next, drawn */
extern bool pegs_same_via(const PegsVia *a, const PegsVia *b);	/* either may be NULL */

/* ---- level.c: a level in words ---- */

extern char *pegs_level_text(const PegsColumn *column, int code);	/* NULL for NULL */

/* ---- inside.c: values inside bins ---- */

extern PegsInside *pegs_inside(const PegsColumn *column, const Datum *points);	/* an error where a bin has none */
extern Datum pegs_draw_inside(const PegsInside *inside, int bin, pegs_rng *values);

/* ---- step.c ---- */

extern bool pegs_is_step(const PegsColumn *column);	/* is its step canonical? */

/* ---- given.c: a level as a caller writes it in JSON ---- */

/* -1: not declared. The encoder is made for the first value, and kept for those that follow: it is as large as the domain */
extern int	pegs_code_of(const PegsColumn *column, PegsEncoder **encoder, const JsonbValue *value);
extern int	pegs_code_of_kept(const PegsDomain *domain, int column, PegsEncoder **encoder, const JsonbValue *value);	/* of pegs_kept_values */
extern Jsonb *pegs_kept_values(const PegsDomain *domain, Jsonb *object);	/* that mean the same in every session */
extern PegsEncoder *pegs_domain_encoder(const PegsDomain *domain, int column);	/* kept where the domain is */

/* ---- numeric_key.c ---- */


/* A numeric's digits as floor(value * 10000^places); *exact: nothing was cut off. False for NaN and infinities. */
extern bool pegs_numeric_key(const char *p, uint32 n, int places, int64 *key, bool *exact);

/* ---- here, because it is called for every value ---- */

static inline bool
pegs_is_text(Oid base)
{
	return base == TEXTOID || base == VARCHAROID || base == BPCHAROID;
}

/* Types of keys of a lookup table that a text turns into, the same in every session. */
static inline bool
pegs_has_via(Oid base)
{
	return pegs_is_text(base) || base == INT2OID || base == INT4OID || base == INT8OID || base == NUMERICOID;
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
