/*
 * shares_test.c
 *	  Shares as bytes and as a line: what is refused, and who is at a place.
 */
#include "core/shares.h"

#include <math.h>
#include <string.h>

#include "fixture.h"
#include "unit.h"

/* Written, read, and the status of that. */
static pegs_status
read_back(double *share, uint64_t n, bool positive, double **read)
{
	pegs_cursor c = {.pass = PEGS_SIZE};
	uint8_t    *bytes;
	size_t		size;

	pegs_shares_walk(&c, &share, n, positive);
	size = c.at;
	bytes = env.alloc(env.context, size);
	c = (pegs_cursor) {.pass = PEGS_WRITE, .env = &env, .out = bytes};
	pegs_shares_walk(&c, &share, n, positive);
	c = (pegs_cursor) {.pass = PEGS_READ, .env = &env, .in = bytes, .length = size};
	pegs_shares_walk(&c, read, n, positive);
	return c.status;
}

static void
test_bytes(void)
{
	double		share[4] = {0.5, 0, 0.25, 0.25};
	double	   *read;

	CHECK(read_back(share, 4, false, &read) == PEGS_OK && memcmp(share, read, sizeof(share)) == 0);
	CHECK(read_back(share, 4, true, &read) == PEGS_ERR_FORMAT);
	share[1] = 0.01;			/* together above 1 */
	CHECK(read_back(share, 4, false, &read) == PEGS_ERR_FORMAT);
	share[1] = -0.25;
	share[2] = 0.5;
	CHECK(read_back(share, 4, false, &read) == PEGS_ERR_FORMAT);
	share[0] = share[1] = share[2] = share[3] = 0.2;
	CHECK(read_back(share, 4, false, &read) == PEGS_ERR_FORMAT);
	share[0] = NAN;
	CHECK(read_back(share, 4, false, &read) == PEGS_ERR_FORMAT);
	arena_free(&memory);
}

/* Each has its part, what has nothing none; the last one's end is the end. */
static void
test_line(void)
{
	double		share[5] = {0, 0.5, 0, 0.125, 0.375};
	double	   *line = pegs_shares_line(&env, share, 5);
	uint32_t	seen[5] = {0};

	CHECK(line[0] == 0 && line[2] == 0.5 && line[5] == 1);
	for (int i = 0; i < 1000; i++)
		seen[pegs_share_at(line, 5, i / 1000.0)]++;
	CHECK(seen[0] == 0 && seen[1] == 500 && seen[2] == 0 && seen[3] == 125 && seen[4] == 375);
	CHECK(pegs_share_at(line, 5, 0) == 1 && pegs_share_at(line, 5, 1 - 0x1p-53) == 4 && pegs_share_at(line, 1, 0.7) == 0);
	arena_free(&memory);
}

/* Nobody who has nothing, not even at the very end: rounding may make a place 1. */
static void
test_end(void)
{
	double		share[4] = {0.5, 0.5, 0, 0};
	double	   *line = pegs_shares_line(&env, share, 4);

	CHECK(pegs_share_at(line, 4, 1) == 1);
	arena_free(&memory);
}

/* Long ones can be stopped. */
static void
test_asks(void)
{
	uint32_t	n = 300000;
	double	   *share = env.alloc(env.context, sizeof(double) * n);
	double	   *read;
	size_t		before;

	for (uint32_t i = 0; i < n; i++)
		share[i] = 1.0 / n;
	before = memory.checks;
	CHECK_NEAR(pegs_shares_line(&env, share, n)[n], 1, 1e-9);
	CHECK(memory.checks >= before + 4);
	before = memory.checks;
	CHECK(read_back(share, n, true, &read) == PEGS_OK);
	CHECK(memory.checks >= before + 4);
	arena_free(&memory);
}

int
main(void)
{
	test_bytes();
	test_line();
	test_end();
	test_asks();
	return unit_done("shares_test");
}
