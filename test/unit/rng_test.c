/*
 * rng_test.c
 *	  Is the stream ChaCha20, and are its integers unbiased?
 *
 * Vectors of RFC 8439, then the fast path against the plain block, then the
 * law of pegs_rng_below: by the exact count of the words that give each value,
 * and by chi-square of what is drawn.
 */
#include "core/rng.h"

#include <stdlib.h>
#include <string.h>

#include "chisquare.h"
#include "unit.h"

static void
from_hex(const char *hex, uint8_t *bytes)
{
	unsigned int byte;

	for (; *hex != '\0'; hex += 2)
	{
		sscanf(hex, "%2x", &byte);
		*bytes++ = (uint8_t) byte;
	}
}

typedef struct vector
{
	const char *key;
	uint32_t	counter;
	const char *nonce;
	const char *block;
} vector;

#define ZEROS_15	"000000000000000000000000000000"
#define KEY_ZERO	ZEROS_15 ZEROS_15 "0000"
#define KEY_COUNT	"000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
#define NONCE_ZERO	"000000000000000000000000"

static const vector vectors[] = {
	/* section 2.3.2 */
	{KEY_COUNT, 1, "000000090000004a00000000",
		"10f1e7e4d13b5915500fdd1fa32071c4c7d1f4c733c068030422aa9ac3d46c4e"
	"d2826446079faa0914c2d705d98b02a2b5129cd1de164eb9cbd083e8a2503c4e"},
	/* appendix A.1, numbers 1 to 5 */
	{KEY_ZERO, 0, NONCE_ZERO,
		"76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7"
	"da41597c5157488d7724e03fb8d84a376a43b8f41518a11cc387b669b2ee6586"},
	{KEY_ZERO, 1, NONCE_ZERO,
		"9f07e7be5551387a98ba977c732d080dcb0f29a048e3656912c6533e32ee7aed"
	"29b721769ce64e43d57133b074d839d531ed1f28510afb45ace10a1f4b794d6f"},
	{ZEROS_15 ZEROS_15 "0001", 1, NONCE_ZERO,
		"3aeb5224ecf849929b9d828db1ced4dd832025e8018b8160b82284f3c949aa5a"
	"8eca00bbb4a73bdad192b5c42f73f2fd4e273644c8b36125a64addeb006c13a0"},
	{"00ff" ZEROS_15 ZEROS_15, 2, NONCE_ZERO,
		"72d54dfbf12ec44b362692df94137f328fea8da73990265ec1bbbea1ae9af0ca"
	"13b25aa26cb4a648cb9b9d1be65b2c0924a66c54d545ec1b7374f4872e99f096"},
	{KEY_ZERO, 0, "000000000000000000000002",
		"c2c64d378cd536374ae204b9ef933fcd1a8b2288b3dfa49672ab765b54ee27c7"
	"8a970e0e955c14f3a88e741b97c286f75f8fc299e8148362fa198a39531bed6d"},
	/* section 2.4.2: the two blocks of its keystream, the second one cut at 114 bytes */
	{KEY_COUNT, 1, "000000000000004a00000000",
		"224f51f3401bd9e12fde276fb8631ded8c131f823d2c06e27e4fcaec9ef3cf78"
	"8a3b0aa372600a92b57974cded2b9334794cba40c63e34cdea212c4cf07d41b7"},
	{KEY_COUNT, 2, "000000000000004a00000000",
		"69a6749f3f630f4122cafe28ec4dc47e26d4346d70b98c73f3e9c53ac40c5945"
	"398b6eda1a832c89c167eacd901d7e2bf363"}
};

static void
test_vectors(void)
{
	size_t		i;

	for (i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++)
	{
		uint8_t		key[32];
		uint8_t		nonce[12];
		uint8_t		expected[64];
		uint8_t		block[64];

		from_hex(vectors[i].key, key);
		from_hex(vectors[i].nonce, nonce);
		from_hex(vectors[i].block, expected);
		pegs_chacha20_block(key, vectors[i].counter, nonce, block);
		CHECK(memcmp(block, expected, strlen(vectors[i].block) / 2) == 0);
	}
}

static uint64_t
load64(const uint8_t *bytes)
{
	uint64_t	word = 0;
	int			i;

	for (i = 7; i >= 0; i--)
		word = word << 8 | bytes[i];
	return word;
}

/* A block of the stream, by the plain block function. */
static void
plain_block(const uint8_t *key, uint64_t stream, uint64_t position, uint8_t *block)
{
	uint8_t		nonce[12];

	for (int j = 0; j < 4; j++)
		nonce[j] = (uint8_t) (position >> (32 + 8 * j));
	for (int j = 0; j < 8; j++)
		nonce[4 + j] = (uint8_t) (stream >> (8 * j));
	pegs_chacha20_block(key, (uint32_t) position, nonce, block);
}

/* The next `blocks` blocks of the stream, held against it. */
static void
check_stream(pegs_rng *rng, const uint8_t *key, uint64_t stream, uint64_t position, int blocks)
{
	for (int i = 0; i < blocks; i++, position++)
	{
		uint8_t		block[64];
		bool		equal = true;

		plain_block(key, stream, position, block);
		for (int j = 0; j < 8; j++)
			equal = pegs_rng_u64(rng) == load64(block + 8 * j) && equal;
		CHECK(equal);
	}
}

/* By four lanes, and by as many as this machine has: around every wrap of the counter. */
static void
test_lanes(void)
{
	uint64_t	stream = UINT64_C(0xfedcba9876543210);
	uint8_t		key[32];
	pegs_rng	rng;

	from_hex(KEY_COUNT, key);
	pegs_rng_init(&rng, key, stream);
	for (int i = 0; i < 2 * PEGS_RNG_BLOCKS; i++)
	{
		rng.counter = UINT32_MAX - i;
		rng.nonce[0] = 3 + i;
		for (int wide = 0; wide < 2; wide++)
		{
			uint64_t	made[PEGS_RNG_BLOCKS * 8];

			pegs_rng_blocks(&rng, wide, made);
			for (int j = 0; j < PEGS_RNG_BLOCKS * 8; j++)
			{
				uint8_t		block[64];

				plain_block(key, stream, ((uint64_t) rng.nonce[0] << 32 | rng.counter) + j / 8, block);
				CHECK(made[j] == load64(block + 8 * (j % 8)));
			}
		}
	}
}

static void
test_stream(void)
{
	uint64_t	stream = UINT64_C(0x0123456789abcdef);
	uint8_t		key[32];
	uint8_t		expected[64];
	pegs_rng	rng;
	pegs_rng	again;
	int			i;
	bool		equal = true;

	from_hex(KEY_COUNT, key);
	pegs_rng_init(&rng, key, stream);
	check_stream(&rng, key, stream, 0, 3 * PEGS_RNG_BLOCKS);

	/* Bytes 992 to 1055 of the same stream as OpenSSL makes it, across a refill. */
	from_hex("e422e3a895ad48b52cd911247e0797f6da6518607d1294390f1afcd3fe35f0d0"
			 "01a823969860dfa2df4133d9fa925c7a8d277c0ecbe4817d1e0751f2ec9cd819", expected);
	pegs_rng_init(&rng, key, stream);
	for (i = 0; i < 124; i++)
		pegs_rng_u64(&rng);
	for (i = 0; i < 8; i++)
		CHECK(pegs_rng_u64(&rng) == load64(expected + 8 * i));

	/* The counter wraps between refills, at every place inside one, and the nonce counts on. */
	for (i = 0; i < PEGS_RNG_BLOCKS; i++)
	{
		pegs_rng_init(&rng, key, stream);
		rng.counter = UINT32_MAX - PEGS_RNG_BLOCKS + 1 + i;
		rng.nonce[0] = i;
		check_stream(&rng, key, stream, (uint64_t) i << 32 | rng.counter, 3 * PEGS_RNG_BLOCKS);
		CHECK_INT(rng.nonce[0], i + 1);
	}

	/* Equal arguments, equal streams; another stream or key shares nothing with it. */
	pegs_rng_init(&rng, key, 7);
	pegs_rng_init(&again, key, 7);
	for (i = 0; i < 1000; i++)
		equal = pegs_rng_u64(&rng) == pegs_rng_u64(&again) && equal;
	CHECK(equal);
	pegs_rng_init(&rng, key, 7);
	pegs_rng_init(&again, key, UINT64_C(7) << 32);
	for (i = 0; i < 1000; i++)
		CHECK(pegs_rng_u64(&rng) != pegs_rng_u64(&again));
	key[31] ^= 0x80;
	pegs_rng_init(&rng, key, 7);
	pegs_rng_init(&again, key, 8);
	CHECK(pegs_rng_u64(&rng) != pegs_rng_u64(&again));
}

static void
test_wipe(void)
{
	static const uint8_t zeros[sizeof(pegs_rng)];
	uint8_t		key[32];
	pegs_rng	rng;

	from_hex(KEY_COUNT, key);
	pegs_rng_init(&rng, key, 1);
	pegs_rng_u64(&rng);
	CHECK(memcmp(&rng, zeros, sizeof(rng)) != 0);
	pegs_rng_wipe(&rng);
	CHECK(memcmp(&rng, zeros, sizeof(rng)) == 0);
}

/* What below() makes of one chosen word; false if it asks for a second one. */
static bool
below_of_word(uint64_t word, uint64_t bound, uint64_t *value)
{
	static pegs_rng rng;

	rng.next = PEGS_RNG_BLOCKS * 8 - 2;
	rng.buffer[rng.next] = word;
	rng.buffer[rng.next + 1] = UINT64_MAX;	/* accepted for every bound */
	*value = pegs_rng_below(&rng, bound);
	return rng.next == PEGS_RNG_BLOCKS * 8 - 1;
}

/*
 * Exactness: the accepted words of `value` are an interval, and every value's
 * interval has floor(2^64 / bound) words. Its ends are found by arithmetic
 * and shown to be ends by the words on either side.
 */
static void
check_words_of_value(uint64_t bound, uint64_t value)
{
	pegs_u128	whole = (pegs_u128) 1 << 64;
	uint64_t	share = (uint64_t) (whole / bound);
	uint64_t	rejected = (uint64_t) (whole % bound);
	uint64_t	first = (uint64_t) ((((pegs_u128) value << 64) + rejected + bound - 1) / bound);
	uint64_t	last = (uint64_t) ((((pegs_u128) value << 64) + UINT64_MAX) / bound);
	uint64_t	seen;

	CHECK(last - first + 1 == share);
	CHECK(below_of_word(first, bound, &seen) && seen == value);
	CHECK(below_of_word(last, bound, &seen) && seen == value);
	if (first > 0)
		CHECK(!below_of_word(first - 1, bound, &seen) || seen == value - 1);
	if (last < UINT64_MAX)
		CHECK(!below_of_word(last + 1, bound, &seen) || seen == value + 1);
}

static void
test_below_exactly(void)
{
	uint64_t	half = UINT64_C(1) << 63;
	uint64_t	i;

	for (i = 0; i < 3; i++)
		check_words_of_value(3, i);
	for (i = 0; i < 5; i++)
		check_words_of_value(5, i);
	for (i = 0; i < 1000003; i += 997)
		check_words_of_value(1000003, i);
	check_words_of_value(1000003, 1000002);
	for (i = 0; i < 1000; i++)
	{
		check_words_of_value(half + 1, i * (half / 1000));
		check_words_of_value(half - 1, i * (half / 1000));
		check_words_of_value(UINT64_MAX, UINT64_MAX - 1 - i);
	}
	check_words_of_value(half + 1, half);
	check_words_of_value(half, 12345);
}

static void
check_below(pegs_rng *rng, uint64_t bound, size_t cells, uint64_t draws)
{
	uint64_t   *seen = calloc(cells, sizeof(uint64_t));
	double	   *probability = calloc(cells, sizeof(double));
	bool		inside = true;
	uint64_t	i;

	for (i = 0; i < cells; i++)
		probability[i] = 1.0 / (double) cells;
	for (i = 0; i < draws; i++)
	{
		uint64_t	value = pegs_rng_below(rng, bound);

		inside = inside && value < bound;
		seen[(size_t) ((pegs_u128) value * cells / bound)]++;
	}
	/* Cells of equal width: bound is a multiple of cells or far above it. */
	CHECK(inside);
	CHECK(chisquare_p(seen, probability, cells, draws) > CHISQUARE_P);
	free(seen);
	free(probability);
}

static void
test_below_drawn(void)
{
	static const uint64_t weight[4] = {1, 2, 3, 1000003};
	const uint64_t total = 1000009;
	const uint64_t draws = 2000000;
	uint64_t	seen[4] = {0};
	double		probability[4];
	uint8_t		key[32] = {42};
	pegs_rng	rng;
	uint64_t	i;
	int			j;

	pegs_rng_init(&rng, key, 0);
	for (i = 0; i < 1000; i++)
		CHECK(pegs_rng_below(&rng, 1) == 0);
	check_below(&rng, 3, 3, 300000);
	check_below(&rng, 5, 5, 500000);
	check_below(&rng, 1000003, 1000003, 11000000);
	check_below(&rng, (UINT64_C(1) << 63) + 1, 1000, 300000);

	/* A level drawn by weight, as a Gibbs step draws it. */
	for (j = 0; j < 4; j++)
		probability[j] = (double) weight[j] / (double) total;
	for (i = 0; i < draws; i++)
	{
		uint64_t	value = pegs_rng_below(&rng, total);

		for (j = 0; value >= weight[j]; j++)
			value -= weight[j];
		seen[j]++;
	}
	CHECK(chisquare_p(seen, probability, 4, draws) > CHISQUARE_P);

	/* The chi-square can fail: the modulo of six random bits favours the small values. */
	memset(seen, 0, sizeof(seen));
	for (j = 0; j < 3; j++)
		probability[j] = 1.0 / 3;
	for (i = 0; i < 300000; i++)
		seen[(pegs_rng_u64(&rng) & 63) % 3]++;
	CHECK(chisquare_p(seen, probability, 3, 300000) < CHISQUARE_P);
}

static void
test_double(void)
{
	uint8_t		key[32] = {43};
	pegs_rng	rng;
	double		sum = 0;
	bool		inside = true;
	int			i;

	pegs_rng_init(&rng, key, 0);
	for (i = 0; i < 100000; i++)
	{
		double		u = pegs_rng_double(&rng);

		inside = inside && u >= 0 && u < 1;
		sum += u;
	}
	CHECK(inside);
	CHECK(fabs(sum / 100000 - 0.5) < 5 * 0.2887 / sqrt(100000));
	rng.next = 0;
	rng.buffer[0] = UINT64_MAX;
	CHECK(pegs_rng_double(&rng) < 1);
}

/* The judge itself, against values of a table and of mpmath. */
static void
test_chisquare(void)
{
	CHECK_NEAR(chisquare_tail(3.841458820694124, 1), 0.05, 1e-10);
	CHECK_NEAR(chisquare_tail(100, 99), 0.452958511321, 1e-10);
	CHECK_NEAR(chisquare_tail(60, 10), 3.62430095206e-9, 1e-10);
	CHECK_NEAR(chisquare_tail(1.0, 10), 0.99982788437, 1e-10);
}

/* Another stream of the same key, from its start, whatever was drawn before. */
static void
test_move(void)
{
	uint8_t		key[PEGS_KEY_BYTES] = {9, 8, 7};
	pegs_rng	moved;
	pegs_rng	fresh;

	pegs_rng_init(&moved, key, 1);
	for (int stream = 0; stream < 3; stream++)
	{
		uint64_t	number = 5 + ((uint64_t) stream << 32);

		pegs_rng_u64(&moved);
		pegs_rng_move(&moved, number);
		pegs_rng_init(&fresh, key, number);
		for (int i = 0; i < 300; i++)
		{
			CHECK_INT(pegs_rng_position(&moved), i);
			CHECK(pegs_rng_u64(&moved) == pegs_rng_u64(&fresh));
		}
	}
}

int
main(void)
{
	test_move();
	test_vectors();
	test_stream();
	test_lanes();
	test_wipe();
	test_below_exactly();
	test_below_drawn();
	test_double();
	test_chisquare();
	return unit_done("rng_test");
}
