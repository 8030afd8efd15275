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
	return unit_done("record_test");
}
