/*
 * cursor_test.c
 *	  Are numbers and arrays read as they were written, and is nothing trusted
 *	  that is not there?
 */
#include "core/cursor.h"

#include <string.h>

#include "fixture.h"
#include "unit.h"

/* One walk over a number of each kind; the same for measuring, writing and reading. */
static void
walk(pegs_cursor *c, uint64_t *three_bytes, uint32_t *u, double *f, uint16_t **a, uint32_t **b, uint64_t **d, double **e)
{
	pegs_number(c, three_bytes, 3);
	pegs_u32(c, u);
	pegs_pad(c);
	pegs_f64(c, f);
	pegs_u16s(c, a, 3);
	pegs_u32s(c, b, 1);
	pegs_u64s(c, d, 2);
	pegs_f64s(c, e, 2);
}

static const uint8_t expected[] = {
	3, 2, 1, 0xef, 0xbe, 0xad, 0xde, 0,
	0, 0, 0, 0, 0, 0, 0xf8, 0x3f,
	1, 0, 2, 0, 0xff, 0xff, 0, 0,
	7, 0, 0, 0, 0, 0, 0, 0,
	8, 7, 6, 5, 4, 3, 2, 1, 0, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0, 0, 0, 0x80, 0, 0, 0, 0, 0, 0, 0, 0x40
};

static void
test_walk(void)
{
	uint64_t	three_bytes = 0x010203;
	uint32_t	u = 0xdeadbeef;
	double		f = 1.5;
	uint16_t	shorts[3] = {1, 2, 0xffff};
	uint32_t	ints[1] = {7};
	uint64_t	longs[2] = {UINT64_C(0x0102030405060708), 0};
	double		doubles[2] = {-0.0, 2};
	uint16_t   *a = shorts;
	uint32_t   *b = ints;
	uint64_t   *d = longs;
	double	   *e = doubles;
	uint8_t		bytes[sizeof(expected)];
	pegs_cursor c = {.pass = PEGS_SIZE};

	walk(&c, &three_bytes, &u, &f, &a, &b, &d, &e);
	CHECK_INT(c.at, sizeof(expected));
	c = (pegs_cursor) {.pass = PEGS_WRITE, .out = bytes};
	walk(&c, &three_bytes, &u, &f, &a, &b, &d, &e);
	CHECK_INT(c.at, sizeof(expected));
	CHECK(memcmp(bytes, expected, sizeof(expected)) == 0);

	/* all of them, and every part that is cut off */
	for (size_t length = 0; length <= sizeof(expected); length++)
	{
		uint64_t	read_three = 0;
		uint32_t	read_u = 0;
		double		read_f = 0;

		c = (pegs_cursor) {.pass = PEGS_READ, .env = &env, .in = expected, .length = length};
		a = NULL;
		b = NULL;
		d = NULL;
		e = NULL;
		walk(&c, &read_three, &read_u, &read_f, &a, &b, &d, &e);
		CHECK_INT(c.status, length == sizeof(expected) ? PEGS_OK : PEGS_ERR_FORMAT);
		CHECK(c.at <= length);
		if (c.status == PEGS_OK)
		{
			CHECK_INT(read_three, three_bytes);
			CHECK_INT(read_u, u);
			CHECK(read_f == f && memcmp(a, shorts, sizeof(shorts)) == 0 && memcmp(b, ints, sizeof(ints)) == 0);
			CHECK(memcmp(d, longs, sizeof(longs)) == 0 && memcmp(e, doubles, sizeof(doubles)) == 0);
		}
		arena_free(&memory);
	}
}

/* What a reader must refuse: padding that is not zero, numbers that are none, and a length that no bytes stand behind. */
static void
test_lies(void)
{
	uint8_t		padding[8] = {1, 0, 0, 0, 0, 0, 0, 9};
	uint8_t		infinite[8] = {0, 0, 0, 0, 0, 0, 0xf0, 0x7f};
	uint32_t	u;
	double		f;
	double	   *array = NULL;
	pegs_cursor c = {.pass = PEGS_READ, .env = &env, .in = padding, .length = 8};

	pegs_u32(&c, &u);
	pegs_pad(&c);
	CHECK_INT(c.status, PEGS_ERR_FORMAT);
	c = (pegs_cursor) {.pass = PEGS_READ, .env = &env, .in = infinite, .length = 8};
	pegs_f64(&c, &f);
	CHECK_INT(c.status, PEGS_ERR_FORMAT);
	c = (pegs_cursor) {.pass = PEGS_READ, .env = &env, .in = infinite, .length = 8};
	pegs_f64s(&c, &array, UINT64_MAX / 4);
	CHECK(c.status == PEGS_ERR_FORMAT && array == NULL && memory.bytes == 0);
	/* 2^61 times 8 bytes are none, in 64 bits */
	c.status = PEGS_OK;
	CHECK(!pegs_has_bytes(&c, UINT64_C(1) << 61, 8) && c.status == PEGS_ERR_FORMAT);
	/* the first reason counts, and nothing moves any more */
	CHECK(!pegs_bad(&c, PEGS_ERR_TOO_LARGE) && c.status == PEGS_ERR_FORMAT && !pegs_has_bytes(&c, 0, 1));
	pegs_u32(&c, &u);
	CHECK_INT(c.at, 0);
	arena_free(&memory);
}

int
main(void)
{
	start(1);
	test_walk();
	test_lies();
	return unit_done("cursor_test");
}
