/*
 * record_test.c
 *	  What a fit was drawn for, as bytes: all of it comes back, and what nobody
 *	  has been charged for does not.
 */
#include "core/record.h"

#include <string.h>

#include "fixture.h"
#include "unit.h"

static const pegs_purpose purposes[2] = {PEGS_FOR_ONEWAY, PEGS_FOR_TABLE};

typedef struct written
{
	pegs_accountant accountant;
	double		rows;
	uint32_t	own;
} written;

static pegs_status
read_back(written *w, written *read, uint8_t *bytes)
{
	pegs_cursor c = {.pass = PEGS_WRITE, .out = bytes};
	size_t		size;

	pegs_record_walk(&c, &w->accountant, &w->rows, &w->own, purposes, 2);
	size = c.at;
	memset(read, 0, sizeof(*read));
	c = (pegs_cursor) {.pass = PEGS_READ, .env = &env, .in = bytes, .length = size};
	pegs_record_walk(&c, &read->accountant, &read->rows, &read->own, purposes, 2);
	CHECK(c.status != PEGS_OK || c.at == size);
	return c.status;
}

static char said[2000];

static void
put(void *to, const char *words)
{
	(void) to;
	strcat(said, words);
}

/* Is that how an account of noise and choices, each used so often, is spoken of? */
static bool
is_called(bool pure, uint32_t noise, uint32_t choices, const char *words)
{
	static const pegs_purpose all[2] = {PEGS_FOR_CHOICE, PEGS_FOR_ROWS};
	pegs_accountant a;
	pegs_writer writer = {NULL, put, NULL};

	pegs_accountant_init(&a, PEGS_EPSILON_UNIT, pure ? 0 : INT64_C(1000000000), 1);
	a.record[PEGS_FOR_ROWS - 1].uses = noise;
	a.record[PEGS_FOR_CHOICE - 1].uses = choices;
	a.record[PEGS_FOR_TABLE - 1].uses = 1;	/* of no fit of this method */
	said[0] = '\0';
	pegs_record_words(&writer, &a, 5, all, 2);
	return strstr(said, words) == said;
}

static void
test_words(void)
{
#define BEGIN ", \"rows\": 5, \"accounting\": \""
	CHECK(is_called(true, 1, 0, BEGIN "pure epsilon, discrete Laplace\", "));
	CHECK(is_called(false, 1, 0, BEGIN "zCDP (rho), discrete Gaussian\", "));
	CHECK(is_called(true, 0, 7, BEGIN "pure epsilon, exponential mechanism\", "));
	CHECK(is_called(false, 0, 7, BEGIN "zCDP (rho), exponential mechanism\", "));
	CHECK(is_called(false, 1, 7, BEGIN "zCDP (rho), discrete Gaussian and exponential mechanism\", "));
	CHECK(is_called(true, 0, 0, BEGIN "pure epsilon\", "));
}

/* What has no total of its own, as a score of a model whose account is none of noise: no share of it is no number. */
static void
test_no_total(void)
{
	pegs_accountant a;
	pegs_writer writer = {NULL, put, NULL};

	pegs_accountant_init(&a, PEGS_EPSILON_UNIT, INT64_C(1000000000), 1);
	a.total = 0;
	said[0] = '\0';
	pegs_record_words(&writer, &a, 5, purposes, 2);
	CHECK(strstr(said, "\"accounting\": \"that of the model that it was made of\"") != NULL);
	CHECK(strstr(said, "zCDP") == NULL && strstr(said, "nan") == NULL);
}

/* Of what a fit would have made, and of what it would not. */
static void
test_agrees(void)
{
	pegs_accountant a;

	for (int pure = 0; pure < 2; pure++)
	{
		pegs_accountant_init(&a, 3 * PEGS_EPSILON_UNIT, pure ? 0 : INT64_C(1000000000), 2);
		CHECK(pegs_accountant_agrees(&a, false) && pegs_accountant_agrees(&a, true));
		a.record[1] = (pegs_cost_record) {.purpose = 2, .uses = 7, .cost = 1000};
		CHECK(!pegs_accountant_agrees(&a, false));
		a.spent = 1000;
		CHECK(pegs_accountant_agrees(&a, false) && !pegs_accountant_agrees(&a, true));
		a.total += pure;		/* another machine's logarithms */
		CHECK(pegs_accountant_agrees(&a, false) == !pure);
		a.total -= pure;
		a.total += pure ? 0 : a.total >> 30;
		CHECK(pegs_accountant_agrees(&a, false));
		a.total += a.total >> 19;
		CHECK(!pegs_accountant_agrees(&a, false));
		a.total = 0;
		CHECK(!pegs_accountant_agrees(&a, false));
	}
	/* a sum that a word of 64 bits does not hold */
	pegs_accountant_init(&a, 3 * PEGS_EPSILON_UNIT, 0, 1);
	a.record[0] = (pegs_cost_record) {.purpose = 1, .uses = 1, .cost = UINT64_MAX};
	a.record[2] = (pegs_cost_record) {.purpose = 3, .uses = 1, .cost = 1001};
	a.spent = 1000;
	CHECK(!pegs_accountant_agrees(&a, false));
	pegs_accountant_init(&a, 3 * PEGS_EPSILON_UNIT, 0, PEGS_MOST_ROWS_PER_UNIT);
	CHECK(pegs_accountant_agrees(&a, false));
	a.rows_per_unit++;
	CHECK(!pegs_accountant_agrees(&a, false));
	pegs_accountant_init(&a, PEGS_EPSILON_UNIT, INT64_C(1000000000), 1);
	a.total = 0;				/* of a model from urns, of which no rho is told */
	CHECK(pegs_accountant_agrees(&a, true));
}

int
main(void)
{
	uint8_t		bytes[200] = {0};
	written		w = {.rows = 12.5, .own = 7};
	written		read;
	pegs_accountant *a = &w.accountant;

	pegs_accountant_init(a, 2 * PEGS_EPSILON_UNIT, INT64_C(1000000000), 3);
	a->spent = 100;
	for (int i = 0; i < PEGS_PURPOSES; i++)
		a->record[i] = (pegs_cost_record) {.purpose = (uint32_t) i + 1, .uses = 10 + (uint32_t) i, .cost = 20 + (uint64_t) i};
	CHECK(read_back(&w, &read, bytes) == PEGS_OK);
	CHECK(read.rows == 12.5 && read.own == 7 && pegs_same_account(&read.accountant, a));
	CHECK(!read.accountant.pure && read.accountant.total == a->total && read.accountant.spent == 100);
	for (int i = 0; i < PEGS_PURPOSES; i++)
	{
		bool		kept = i == PEGS_FOR_ONEWAY - 1 || i == PEGS_FOR_TABLE - 1;

		CHECK_INT(read.accountant.record[i].purpose, i + 1);
		CHECK_INT(read.accountant.record[i].uses, kept ? 10 + i : 0);
		CHECK_INT(read.accountant.record[i].cost, kept ? 20 + i : 0);
	}
	/* where each number lies: files of 0.2.0 have it so */
	CHECK(bytes[8] == 0 && bytes[12] == 7 && bytes[24] == 100 && bytes[48] == 3 && bytes[52] == 0 && bytes[56] == 1 && bytes[60] == 10 && bytes[64] == 20
		  && bytes[72] == 5 && bytes[76] == 14 && bytes[80] == 24);

#define REFUSED(lie, truth) do { lie; CHECK(read_back(&w, &read, bytes) == PEGS_ERR_FORMAT); truth; } while (0)
	REFUSED(w.rows = 0.9, w.rows = 12.5);
	REFUSED(a->spent = a->total + 1, a->spent = 100);
	REFUSED(a->rows_per_unit = 0, a->rows_per_unit = 3);
	REFUSED(a->rows_each = 2, a->rows_each = 3);
	REFUSED(a->epsilon = 0, a->epsilon = 1);
	REFUSED(a->epsilon = -1, a->epsilon = 1);
	REFUSED(a->delta = PEGS_DELTA_UNIT, a->delta = 1);
	REFUSED(a->pure = true, a->pure = false);
	REFUSED(a->delta = 0, a->delta = 1);
	REFUSED(a->record[4].purpose = 4, a->record[4].purpose = 5);
	CHECK(read_back(&w, &read, bytes) == PEGS_OK);
	test_words();
	test_no_total();
	test_agrees();
	return unit_done("record_test");
}
