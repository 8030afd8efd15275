/*
 * encode.c
 *	  Datums to codes: the place of a value in its column's declared domain.
 *
 * Labels in declared order, or bins and points, then NULL where the column may
 * be null. A value that equals a point is that point, wherever it lies.
 * It must never put a value of the data into a message: an undeclared one is
 * reported by the name of its column alone. Law L5.
 */
#include "codes/codes.h"

#include "common/hashfn.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"

/* ---- encoders ---- */

typedef struct TextSlot
{
	uint64		head;			/* first 8 bytes, or all of a shorter one */
	uint64		tail;			/* last 8 bytes */
	uint32		length;
	int32		code;			/* -1: empty */
	const char *bytes;
} TextSlot;

struct PegsEncoder
{
	int			(*encode) (const PegsEncoder *encoder, Datum value);	/* of a value that is not NULL and no point */
	Oid			base;
	const PegsColumn *column;
	int			null_code;		/* -1: NULL is not declared */
	int			n;
	int64	   *key;			/* sorted, or edges */
	int32	   *code;			/* of key, or by key - low */
	int64		low;
	Numeric    *number;			/* sorted, or edges */
	int			places;			/* of pegs_numeric_key */
	TextSlot   *slot;
	uint64		multiplier;
	int			shift;
	uint32		mask;
	PegsEncoder *points;		/* of a binned column: their encoder; or NULL */
	PegsOutside outside;
};

#define DIRECT_RANGE 65536

static inline void
text_ends(const char *p, uint32 n, uint64 *head, uint64 *tail)
{
	if (n >= 8)
	{
		memcpy(head, p, 8);
		memcpy(tail, p + n - 8, 8);
	}
	else if (n >= 4)
	{
		uint32		a;
		uint32		b;

		memcpy(&a, p, 4);
		memcpy(&b, p + n - 4, 4);
		*head = a | (uint64) b << 32;
		*tail = 0;
	}
	else
	{
		*head = n == 0 ? 0 : (unsigned char) p[0] | (unsigned char) p[n / 2] << 8
			| (uint64) (unsigned char) p[n - 1] << 16;
		*tail = 0;
	}
}

static inline uint32
text_hash(const PegsEncoder *encoder, const char *p, uint64 head, uint64 tail, uint32 n)
{
	uint64		h;

	/* long labels often begin and end alike: what tells them apart is between */
	if (n > 16)
		head ^= hash_bytes_extended((const unsigned char *) p + 8, n - 16, 0);
	h = (head ^ (tail * UINT64CONST(0xff51afd7ed558ccd)) ^ ((uint64) n << 56)) * encoder->multiplier;
	return (uint32) (h >> encoder->shift) & encoder->mask;
}

/* ---- from a value to its code; -1: not declared ---- */

static int
encode_nothing(const PegsEncoder *encoder, Datum value)
{
	return -1;
}

/* Hash of up to 16 bytes, then the rest. */
static int
encode_text(const PegsEncoder *encoder, Datum value)
{
	struct varlena *v = PG_DETOAST_DATUM_PACKED(value);
	const char *p = VARDATA_ANY(v);
	uint32		n = VARSIZE_ANY_EXHDR(v);
	uint64		head;
	uint64		tail;
	uint32		at;

	if (encoder->base == BPCHAROID)
		while (n > 0 && p[n - 1] == ' ')
			n--;
	text_ends(p, n, &head, &tail);
	for (at = text_hash(encoder, p, head, tail, n); encoder->slot[at].code >= 0; at = (at + 1) & encoder->mask)
	{
		const TextSlot *slot = &encoder->slot[at];

		if (slot->head == head && slot->tail == tail && slot->length == n
			&& (n <= 16 || memcmp(slot->bytes, p, n) == 0))
			return slot->code;
	}
	return -1;
}

/* Number of sorted keys that are <= key; without branches, n >= 1. */
static inline int
keys_up_to(const int64 *sorted, int n, int64 key)
{
	const int64 *base = sorted;

	while (n > 1)
	{
		int			half = n / 2;

		base += (base[half] <= key) ? half : 0;
		n -= half;
	}
	return (int) (base - sorted) + (*base <= key);
}

/* From a key to a code: equal to a level, or inside a bin. */
static inline int
code_of_key(const PegsEncoder *encoder, int64 key, bool exact)
{
	int			low = keys_up_to(encoder->key, encoder->n, key);

	if (low == 0)
		return -1;
	if (encoder->column->nedges == 0)
		return exact && encoder->key[low - 1] == key ? encoder->code[low - 1] : -1;
	if (low == encoder->n)
		return exact && encoder->key[low - 1] == key ? low - 2 : -1;
	return low - 1;
}

/* key - low is an index: levels or bins of a short range. */
static int
encode_direct(const PegsEncoder *encoder, Datum value)
{
	int64		key;

	if (!pegs_key_of(encoder->base, value, &key))
		return -1;
	return (uint64) key - (uint64) encoder->low < (uint64) encoder->n ? encoder->code[key - encoder->low] : -1;
}

static int
encode_sorted(const PegsEncoder *encoder, Datum value)
{
	int64		key;

	return pegs_key_of(encoder->base, value, &key) ? code_of_key(encoder, key, true) : -1;
}

static int
encode_numeric_key(const PegsEncoder *encoder, Datum value)
{
	struct varlena *v = PG_DETOAST_DATUM_PACKED(value);
	int64		key;
	bool		exact;

	return pegs_numeric_key(VARDATA_ANY(v), VARSIZE_ANY_EXHDR(v), encoder->places, &key, &exact) ? code_of_key(encoder, key, exact) : -1;
}

/* By numeric_cmp. */
static int
encode_number(const PegsEncoder *encoder, Datum value)
{
	int			low = 0;
	int			n = encoder->n;
	bool		equal = false;

	if (numeric_is_nan(DatumGetNumeric(value)))
		return -1;
	while (n > 0)
	{
		int			half = n / 2;
		int			order = DatumGetInt32(DirectFunctionCall2(numeric_cmp, NumericGetDatum(encoder->number[low + half]), value));

		if (order <= 0)
		{
			equal = order == 0;
			low += half + 1;
			n -= half + 1;
		}
		else
			n = half;
	}
	/* number[low - 1] <= value, equal to it if the last step that went up said so */
	if (low == 0)
		return -1;
	if (encoder->column->nedges == 0)
		return equal ? encoder->code[low - 1] : -1;
	if (low == encoder->n)
		return equal ? encoder->n - 2 : -1;
	return low - 1;
}

/* ---- making them ---- */

/* A table at most a quarter full; multipliers are tried until no two levels collide. */
static void
build_text(PegsEncoder *encoder)
{
	const PegsColumn *column = encoder->column;
	int			bits = 3;

	while ((1 << bits) < 4 * column->nlabels)
		bits++;
	encoder->encode = encode_text;
	encoder->shift = 64 - bits;
	encoder->mask = (1U << bits) - 1;
	encoder->slot = palloc(sizeof(TextSlot) << bits);
	encoder->multiplier = UINT64CONST(0x9E3779B97F4A7C15);
	for (int attempt = 0;; attempt++)
	{
		bool		collided = false;

		for (uint32 i = 0; i <= encoder->mask; i++)
			encoder->slot[i].code = -1;
		for (int i = 0; i < column->nlabels; i++)
		{
			TextSlot	new = {.bytes = column->labels[i], .length = strlen(column->labels[i]), .code = i};
			uint32		at;

			/* texts that were chosen to collide make this loop quadratic */
			if (i % 64 == 0)
				CHECK_FOR_INTERRUPTS();
			text_ends(new.bytes, new.length, &new.head, &new.tail);
			at = text_hash(encoder, new.bytes, new.head, new.tail, new.length);
			while (encoder->slot[at].code >= 0)
			{
				collided = true;
				at = (at + 1) & encoder->mask;
			}
			encoder->slot[at] = new;
		}
		if (!collided || attempt == 100 || column->nlabels > 64)
			break;
		encoder->multiplier = encoder->multiplier * UINT64CONST(6364136223846793005) + 2;
	}
}

static int
compare_pairs(const void *a, const void *b)
{
	int64		x = *(const int64 *) a;
	int64		y = *(const int64 *) b;

	return x < y ? -1 : x > y;
}

static void
build_keys(PegsEncoder *encoder)
{
	const PegsColumn *column = encoder->column;
	bool		bins = column->nedges > 0;
	int			n = bins ? column->nedges : column->nlabels;
	Datum	   *value = bins ? pegs_edge_values(column) : pegs_values(column->type, column->typmod, column->labels, n);
	int64	   *pair = palloc(sizeof(int64) * 2 * n);	/* key, code */
	bool		floating = encoder->base == FLOAT4OID || encoder->base == FLOAT8OID;

	for (int i = 0; i < n; i++)
	{
		if (!pegs_key_of(encoder->base, value[i], &pair[2 * i]))
			pair[2 * i] = PG_INT64_MIN; /* NaN is never met */
		pair[2 * i + 1] = i;
	}
	if (!bins)
		qsort(pair, n, 2 * sizeof(int64), compare_pairs);
	encoder->n = n;
	encoder->key = palloc(sizeof(int64) * n);
	encoder->code = palloc(sizeof(int32) * n);
	for (int i = 0; i < n; i++)
	{
		encoder->key[i] = pair[2 * i];
		encoder->code[i] = (int32) pair[2 * i + 1];
	}
	encoder->encode = encode_sorted;
	encoder->low = encoder->key[0];
	if (!floating && (uint64) encoder->key[n - 1] - (uint64) encoder->low < DIRECT_RANGE)
	{
		int			range = (int) (encoder->key[n - 1] - encoder->low) + 1;
		int32	   *direct = palloc(sizeof(int32) * range);

		for (int i = 0; i < range; i++)
			direct[i] = -1;
		for (int i = 0; i + bins < n; i++)
			for (int64 k = encoder->key[i]; k == encoder->key[i] || (bins && k < encoder->key[i + 1]); k++)
				direct[k - encoder->low] = encoder->code[i];
		if (bins)
			direct[range - 1] = n - 2;
		encoder->encode = encode_direct;
		encoder->n = range;
		encoder->code = direct;
	}
}

static int
compare_numbers(const void *a, const void *b)
{
	return DatumGetInt32(DirectFunctionCall2(numeric_cmp, NumericGetDatum(((const Numeric *) a)[0]),
											 NumericGetDatum(((const Numeric *) b)[0])));
}

/* Keys of the sorted numbers, if they all fit, rise strictly and agree with numeric_int8. */
static bool
numeric_keys_work(PegsEncoder *encoder)
{
	encoder->key = palloc(sizeof(int64) * encoder->n);
	for (encoder->places = 0; encoder->places <= 4; encoder->places++)
	{
		bool		all_exact = true;

		for (int i = 0; i < encoder->n; i++)
		{
			struct varlena *v = (struct varlena *) encoder->number[i];
			bool		exact;

			if (!pegs_numeric_key(VARDATA_ANY(v), VARSIZE_ANY_EXHDR(v), encoder->places, &encoder->key[i], &exact))
				return false;
			all_exact &= exact;
		}
		if (all_exact)
			break;
	}
	if (encoder->places > 4)
		return false;
	for (int i = 0; i < encoder->n; i++)
	{
		char	   *text;
		Datum		scaled;

		if (i % 256 == 0)
			CHECK_FOR_INTERRUPTS();
		text = DatumGetCString(DirectFunctionCall1(numeric_out, NumericGetDatum(encoder->number[i])));
		scaled = DirectFunctionCall3(numeric_in, CStringGetDatum(psprintf("%se%d", text, 4 * encoder->places)),
									 ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1));
		if ((i > 0 && encoder->key[i] <= encoder->key[i - 1])
			|| DatumGetInt64(DirectFunctionCall1(numeric_int8, scaled)) != encoder->key[i])
			return false;
	}
	return true;
}

static void
build_numbers(PegsEncoder *encoder)
{
	const PegsColumn *column = encoder->column;
	bool		bins = column->nedges > 0;
	int			n = bins ? column->nedges : column->nlabels;
	Datum	   *value = bins ? pegs_edge_values(column) : pegs_values(NUMERICOID, column->typmod, column->labels, n);
	struct
	{
		Numeric		number;
		int64		code;
	}		   *pair = palloc(sizeof(*pair) * n);

	for (int i = 0; i < n; i++)
	{
		pair[i].number = DatumGetNumeric(value[i]);
		pair[i].code = i;
	}
	if (!bins)
		qsort(pair, n, sizeof(*pair), compare_numbers);
	encoder->encode = encode_number;
	encoder->n = n;
	encoder->number = palloc(sizeof(Numeric) * n);
	encoder->code = palloc(sizeof(int32) * n);
	for (int i = 0; i < n; i++)
	{
		encoder->number[i] = pair[i].number;
		encoder->code[i] = (int32) pair[i].code;
	}
	if (numeric_keys_work(encoder))
		encoder->encode = encode_numeric_key;
}

PegsEncoder *
pegs_encoder(const PegsColumn *column)
{
	PegsEncoder *encoder = palloc0(sizeof(PegsEncoder));

	if (!OidIsValid(column->type))
		pegs_type_is_gone(column->name, NULL);
	encoder->base = column->type;
	encoder->column = column;
	encoder->null_code = column->nullable ? pegs_column_levels(column) - 1 : -1;
	if (column->npoints > 0)
	{
		PegsColumn *points = palloc0(sizeof(PegsColumn));

		*points = (PegsColumn) {column->name, column->type, column->typmod, .nlabels = column->npoints, .labels = column->points};
		encoder->points = pegs_encoder(points);
	}
	if (column->nedges == 0 && column->nlabels == 0)
		encoder->encode = encode_nothing;	/* NULL alone */
	else if (pegs_is_text(column->type))
		build_text(encoder);
	else if (column->type == NUMERICOID)
		build_numbers(encoder);
	else
		build_keys(encoder);
	encoder->outside.column = column;
	if (column->nearest)
	{
		Datum	   *edge = pegs_edge_values(column);

		encoder->outside.first = edge[0];
		encoder->outside.below = pegs_encode_strict(encoder, edge[0], false);
		encoder->outside.above = pegs_encode_strict(encoder, edge[column->nedges - 1], false);
	}
	return encoder;
}

int
pegs_encode_strict(const PegsEncoder *encoder, Datum value, bool isnull)
{
	int			point;

	if (isnull)
		return encoder->null_code;
	if (encoder->points && (point = pegs_encode_strict(encoder->points, value, false)) >= 0)
		return encoder->column->nedges - 1 + point;
	return encoder->encode(encoder, value);
}

const PegsOutside *
pegs_encoder_outside(const PegsEncoder *encoder)
{
	return &encoder->outside;
}
