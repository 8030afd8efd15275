/*
 * tally_test.c
 *	  What a unit more changes of all that is counted (claims P35 and P37): of a
 *	  tiny schema every unit by itself, and beside every other; and large units,
 *	  of any numbers of rows, ties among them, by lot.
 */
#include "core/schema/schema.h"

#include <string.h>

#define STREAM_SALT [5] = 37
#include "fixture.h"
#include "schemas.h"
#include "unit.h"

#define UNITS 200

static unit all[UNITS];
static uint32_t nall;

static pegs_relations
tiny(void)
{
	return made(3, (pegs_relation[]) {
		{.parent = -1, .ncols = 1, .levels = (uint32_t[]) {2}},
		{.parent = 0, .ncols = 1, .levels = (uint32_t[]) {2}, .nclasses = 3, .first = (uint32_t[]) {0, 1, 2}, .most = 2},
		{.parent = 1, .ncols = 1, .levels = (uint32_t[]) {2}, .nclasses = 2, .first = (uint32_t[]) {0, 1}, .most = 1}});
}

static void
put_child(unit *u, uint32_t kind)
{
	uint32_t	at = put_row(u, 1, 0, 0, (uint16_t[]) {(uint16_t) (kind % 2)}, 1);

	if (kind / 2 > 0)
		(void) put_row(u, 2, at, 0, (uint16_t[]) {(uint16_t) (kind / 2 - 1)}, 1);
}

/* Up to three children of six kinds: three are more than are declared. */
static void
list_units(void)
{
	for (uint16_t root = 0; root < 2; root++)
		for (uint32_t a = 0; a < 7; a++)
			for (uint32_t b = 0; b <= a; b++)
				for (uint32_t c = 0; c <= b; c++)
				{
					unit	   *u = &all[nall++];

					*u = (unit) {0};
					(void) put_row(u, 0, 0, 0, &root, 1);
					for (int i = 0; i < 3; i++)
						if ((i == 0 ? a : i == 1 ? b : c) > 0)
							put_child(u, (i == 0 ? a : i == 1 ? b : c) - 1);
				}
}

static pegs_tally
tally_of(const pegs_relations *r, pegs_paths *paths, uint32_t n, const unit *const *u, bool shuffled)
{
	pegs_tally	tally;
	double		cells;

	CHECK_INT(pegs_tally_init(&env, r, &tally, &cells), PEGS_OK);
	for (uint32_t i = 0; i < n; i++)
	{
		feed(paths, r, u[i], shuffled);
		pegs_tally_unit(&tally, paths);
	}
	pegs_tally_end(&tally);
	return tally;
}

/* Adds PEGS_PATHS to each table of path rows, at most that to each of siblings, and nothing is taken away. */
static void
test_one(const pegs_relations *r, const pegs_tally *t, uint32_t children)
{
	uint32_t	m = r->ncols;

	for (uint32_t a = 0; a < m; a++)
		for (uint32_t b = a; b < m; b++)
		{
			uint64_t	at = t->sibling_at[(size_t) a * m + b];
			uint64_t	sum = 0;
			uint64_t	cells = a == b ? r->levels[a] : (uint64_t) r->levels[a] * r->levels[b];

			for (uint64_t i = 0; i < cells; i++)
				sum += t->cells[(a == b ? t->layout.offset[a] : t->layout.pair_offset[a * m + b]) + i];
			CHECK_INT(sum, PEGS_PATHS);
			sum = 0;
			for (uint64_t i = 0; at > 0 && i < (uint64_t) (r->levels[a] - 1) * (r->levels[b] - 1); i++)
				sum += t->siblings[at - 1 + i];
			CHECK_INT(sum, at > 0 && children > 1 ? PEGS_PATHS : 0);
		}
}

/* Two units are their sum, in either order and however their rows come: no unit has a say in another's. */
static void
test_two(void)
{
	pegs_relations r = tiny();
	pegs_paths *paths = pegs_paths_new(&env, &r);
	pegs_tally *one;
	uint64_t	siblings = 3;	/* cells of (a, a), a 2 x 2 table */
	uint32_t	different = 0;

	list_units();
	one = env.alloc(env.context, sizeof(pegs_tally) * nall);
	for (uint32_t i = 0; i < nall; i++)
	{
		uint32_t	children = 0;

		for (uint32_t k = 0; k < all[i].n; k++)
			children += all[i].row[k].table == 1;
		one[i] = tally_of(&r, paths, 1, (const unit *[]) {&all[i]}, false);
		test_one(&r, &one[i], children);
	}
	start(1);
	for (uint32_t i = 0; i < nall; i++)
		for (uint32_t j = 0; j < nall; j++)
		{
			arena		own = {0};
			pegs_env	keep = env;
			pegs_tally	both;

			env = arena_env(&own);
			both = tally_of(&r, paths, 2, (const unit *[]) {&all[i], &all[j]}, true);
			for (uint64_t c = 0; c < both.layout.ncells; c++)
				different += both.cells[c] != one[i].cells[c] + one[j].cells[c];
			for (uint64_t c = 0; c <= siblings; c++)
				different += both.siblings[c] != one[i].siblings[c] + one[j].siblings[c];
			CHECK_INT(both.units, 2);
			env = keep;
			arena_free(&own);
		}
	CHECK_INT(different, 0);
	arena_free(&memory);
}

/*
 * Units of several rows below each child, of more than PEGS_PATHS children, and of
 * children that are alike: a third that comes to two gives what it gives alone.
 */
static void
test_large(void)
{
	uint32_t	different = 0;

	start(3);
	for (int turn = 0; turn < 60; turn++)
	{
		pegs_relations r = two_levels();
		pegs_paths *paths = pegs_paths_new(&env, &r);
		unit		u[3];
		pegs_tally	t[3];		/* two, all, the third */
		uint64_t	siblings = 0;

		for (int i = 0; i < 3; i++)
			u[i] = random_unit(&r, turn % 3 == 0 ? 2 * PEGS_PATHS : 4, turn % 2 == 0);
		t[0] = tally_of(&r, paths, 2, (const unit *[]) {&u[0], &u[1]}, true);
		t[1] = tally_of(&r, paths, 3, (const unit *[]) {&u[0], &u[2], &u[1]}, true);
		t[2] = tally_of(&r, paths, 1, (const unit *[]) {&u[2]}, true);
		for (uint64_t c = 0; c < t[0].layout.ncells; c++)
			different += t[1].cells[c] != t[0].cells[c] + t[2].cells[c];
		for (uint32_t a = 0; a < r.ncols; a++)
			for (uint32_t b = a; b < r.ncols; b++)
			{
				uint64_t	at = t[0].sibling_at[a * r.ncols + b];
				uint64_t	sum = 0;
				uint64_t	cells = 0;

				for (uint32_t l = 0; l < r.levels[a]; l++)
					cells += a == b ? t[2].cells[t[2].layout.offset[a] + l] : 0;
				CHECK(a != b || cells == PEGS_PATHS);
				for (uint64_t c = 0; at > 0 && c < (uint64_t) (r.levels[a] - 1) * (r.levels[b] - 1); c++)
				{
					different += t[1].siblings[at - 1 + c] != t[0].siblings[at - 1 + c] + t[2].siblings[at - 1 + c];
					sum += t[2].siblings[at - 1 + c];
				}
				CHECK(sum <= PEGS_PATHS);
				siblings += sum;
			}
		CHECK(turn % 3 > 0 || siblings > 0);
		arena_free(&memory);
	}
	CHECK_INT(different, 0);
}

/* Which pairs are counted, and how many of each: those of random units, one by one. */
static void
test_siblings(void)
{
	pegs_relations r = two_levels();
	pegs_paths *paths = pegs_paths_new(&env, &r);
	uint32_t	m = r.ncols;
	pegs_tally	t;
	uint64_t	two = 0;
	uint64_t	sum = 0;
	double		cells;

	CHECK_INT(pegs_tally_init(&env, &r, &t, &cells), PEGS_OK);
	/* two columns of table 1; one of table 2; table 3 has one row at most; two of table 4 */
	for (uint32_t a = 0; a < m; a++)
		for (uint32_t b = 0; b < m; b++)
			CHECK((t.sibling_at[a * m + b] > 0) == (a <= b && r.column[a].own >= 0 && r.column[b].own >= 0 && r.column[a].table == r.column[b].table
													&& (r.column[a].table == 1 || r.column[a].table == 2 || r.column[a].table == 4)));
	start(2);
	for (int turn = 0; turn < 100; turn++)
	{
		unit		u = random_unit(&r, 4, true);
		uint32_t	children = 0;

		for (uint32_t i = 0; i < u.n; i++)
			children += u.row[i].table == 1;
		two += children > 1;
		feed(paths, &r, &u, false);
		pegs_tally_unit(&t, paths);
	}
	pegs_tally_end(&t);
	for (uint32_t x = 0; x < 3; x++)
		for (uint32_t y = 0; y < 3; y++)
		{
			uint64_t	n = t.siblings[t.sibling_at[4 * m + 4] - 1 + x * 3 + y];

			CHECK(y >= x || n == 0);	/* of one column the smaller level first */
			sum += n;
		}
	CHECK_INT(sum, two * PEGS_PATHS);
	arena_free(&memory);
}

int
main(void)
{
	env = arena_env_freeing(&memory);
	test_two();
	test_large();
	test_siblings();
	return unit_done("tally_test");
}
