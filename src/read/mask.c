/*
 * mask.c
 *	  Exact counts as bytes that nothing can compress.
 *
 * PostgreSQL compresses pages in its log (wal_compression), tools compress
 * files, and how long the result is shows to everybody (pg_stat_wal): all rows
 * in one cell compress well, rows that are spread do not. So the body of a
 * sealed model is stored as
 *
 *	"PEGM"  key[32]  body XOR the ChaCha20 stream of the key
 *
 * with a new key each time: as good as noise, and as long as the body is.
 *
 * It hides nothing from whoever may read pegs_internal.body: the key is beside
 * it. A body without "PEGM" is one of 0.2.0, or of a perturbed model, which is
 * released: it is taken as it is.
 */
#include "read/read.h"

#include "miscadmin.h"
#include "port/pg_bswap.h"

#define BYTES_AT_ONCE 65536		/* between two questions whether to stop: whole words */
#define MASK_BYTES 4
#define HEAD_BYTES (MASK_BYTES + PEGS_KEY_BYTES)

static const uint8_t mask_magic[MASK_BYTES] = {'P', 'E', 'G', 'M'};

/* A word of the stream as bytes, the lowest first. */
static inline uint64
stream_word(pegs_rng *rng)
{
	uint64		word = pegs_rng_u64(rng);

#ifdef WORDS_BIGENDIAN
	word = pg_bswap64(word);
#endif
	return word;
}

/* to = from XOR the stream; `to` may be the same place, or before it. What is left when it is stopped lasts no longer than the body. */
static void
mask(const uint8_t *key, const uint8_t *from, uint8_t *to, Size length)
{
	pegs_rng	rng;

	pegs_rng_init(&rng, key, 0);
	for (Size i = 0; i < length; i += sizeof(uint64))
	{
		Size		n = Min(length - i, sizeof(uint64));
		uint64		word = 0;

		if (i % BYTES_AT_ONCE == 0)
			CHECK_FOR_INTERRUPTS();
		if (n == sizeof(uint64))
			memcpy(&word, from + i, sizeof(uint64));
		else
			memcpy(&word, from + i, n);
		word ^= stream_word(&rng);
		if (n == sizeof(uint64))
			memcpy(to + i, &word, sizeof(uint64));
		else
			memcpy(to + i, &word, n);
	}
	pegs_rng_wipe(&rng);
}

bytea *
pegs_masked(const bytea *body)
{
	Size		length = VARSIZE_ANY_EXHDR(body);
	bytea	   *masked = palloc(VARHDRSZ + HEAD_BYTES + length);
	uint8_t    *to = (uint8_t *) VARDATA(masked);

	SET_VARSIZE(masked, VARHDRSZ + HEAD_BYTES + length);
	memcpy(to, mask_magic, MASK_BYTES);
	pegs_new_key(to + MASK_BYTES);
	mask(to + MASK_BYTES, (const uint8_t *) VARDATA_ANY(body), to + HEAD_BYTES, length);
	return masked;
}

/* In place: a copy of the stored value. What was spoiled is found by the checksum of what is inside. */
void
pegs_unmask(bytea *body)
{
	uint8_t    *bytes = (uint8_t *) VARDATA(body);
	Size		length = VARSIZE(body) - VARHDRSZ;
	uint8_t		key[PEGS_KEY_BYTES];

	if (length < HEAD_BYTES || memcmp(bytes, mask_magic, MASK_BYTES) != 0)
		return;
	memcpy(key, bytes + MASK_BYTES, PEGS_KEY_BYTES);
	mask(key, bytes + HEAD_BYTES, bytes, length - HEAD_BYTES);
	SET_VARSIZE(body, VARHDRSZ + length - HEAD_BYTES);
}

/* pegs_internal.unmasked(body bytea) → bytea: for whoever may read bodies and looks for a fault */
PG_FUNCTION_INFO_V1(pegs_unmasked);
Datum
pegs_unmasked(PG_FUNCTION_ARGS)
{
	bytea	   *body = PG_GETARG_BYTEA_P_COPY(0);

	pegs_unmask(body);
	PG_RETURN_BYTEA_P(body);
}
