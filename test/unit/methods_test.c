/*
 * methods_test.c
 *	  Does every method of the table keep its contract: from counts to a model,
 *	  to bytes and back, to rows that are possible, the same for the same key?
 *
 * Runs over the table, so a new method is asked all of it. The tables are of
 * one column, of one level, without rows, of one row, and of a few columns.
 */
#include "core/method.h"

#include <string.h>

#include "core/wire.h"
#include "fixture.h"
#include "unit.h"

#define COLUMNS 4
#define ROWS 300

typedef struct table
{
	uint32_t	ncols;
	uint32_t	levels[COLUMNS];
	uint32_t	rows;
} table;

static const table tables[] = {
	{1, {3}, 40}, {1, {1}, 5}, {2, {2, 3}, 0}, {2, {2, 3}, 1}, {COLUMNS, {3, 5, 1, 4}, 200}
};

static void
forget(void *context)
{
	(void) context;				/* the arena is freed with the test */
}

/* The table's counts, as the method wants them: made-up rows that hang together. */
static pegs_wire
counted(const pegs_method *method, const table *t)
{
	pegs_wire	wire = {.kind = method->tables, .ncols = t->ncols, .spec = "", .rows = t->rows};
	uint32_t	start_of[COLUMNS + 1] = {0};
	uint16_t	none[1] = {0};
	uint16_t	codes[COLUMNS][ROWS];
	uint16_t   *column[COLUMNS];

	if (method->tables == PEGS_PAIRS)
		CHECK(pegs_layout_pairs(&env, t->ncols, t->levels, &wire.layout, NULL) == PEGS_OK);
	else
		CHECK(pegs_layout_conditional(&env, t->ncols, t->levels, start_of, none, 0, &wire.layout, NULL) == PEGS_OK);
	wire.cells = env.alloc(env.context, sizeof(uint64_t) * wire.layout.ncells);
	for (uint32_t c = 0; c < t->ncols; c++)
	{
		column[c] = codes[c];
		for (uint32_t r = 0; r < t->rows; r++)
			codes[c][r] = (uint16_t) ((r * (c + 1) + r / 7) % t->levels[c]);
	}
	if (t->rows > 0)
		pegs_count_chunk(&wire.layout, wire.cells, column, t->rows);
	return wire;
}

/* Its model, as it is stored. */
static pegs_wire
model_of(const pegs_method *method, const pegs_wire *counts)
{
	pegs_accountant accountant = {0};
	void	   *model;

	if (method->fit == NULL)
		return *counts;
	if (method->payment == PEGS_PAID_AT_FIT)
		pegs_accountant_init(&accountant, 5 * PEGS_EPSILON_UNIT, 0, 1);
	model = method->fit(&env, &rng, &accountant, &counts->layout, counts->cells);
	return (pegs_wire) {.kind = method->kind, .method = method, .ncols = counts->ncols, .levels = counts->layout.levels, .spec = "", .model = model};
}

static uint8_t *
written(const pegs_wire *wire, size_t *size)
{
	uint8_t    *bytes;

	*size = pegs_wire_size(wire);
	bytes = env.alloc(env.context, *size);
	pegs_wire_write(&env, wire, bytes);
	return bytes;
}

static pegs_ask
ask_for(uint64_t n, bool one_by_one)
{
	return (pegs_ask) {.n = n, .one_by_one = one_by_one, .alpha = 1 << 16, .block = 10, .batch = env, .forget = forget};
}

/* n rows under a key, into rows[n][ncols]; false if the method ended before. */
static bool
draw(const pegs_method *method, const pegs_wire *wire, const void *prepared, const pegs_ask *ask, uint8_t key, uint16_t *rows)
{
	pegs_draws *draws;
	pegs_rng   *own = env.alloc(env.context, sizeof(pegs_rng));
	uint8_t		bytes[PEGS_KEY_BYTES] = {key};

	pegs_rng_init(own, bytes, 1);
	if (!CHECK(method->open(&env, wire, prepared, ask, &draws) == PEGS_OK))
		return false;
	method->start(draws, own);
	for (uint64_t r = 0; r < ask->n; r++)
		if (!CHECK(method->next(draws, rows + r * wire->ncols) == PEGS_OK))
			return false;
	return true;
}

/* ---- the table ---- */

static void
test_table(void)
{
	for (int i = 0; pegs_methods[i]; i++)
	{
		const pegs_method *m = pegs_methods[i];

		CHECK(m->name && m->mechanism && m->open && m->start && m->next);
		CHECK(pegs_method_named(m->name) == m);
		/* what is paid at the fit is released numbers: they can be kept, exported and described by what they cost */
		CHECK(m->payment != PEGS_PAID_AT_FIT || (m->fit && m->walk && m->accountant && m->rows));
		/* no fit: the counts are the model, and its bytes are a state's */
		CHECK((m->fit == NULL) == (m->walk == NULL));
		CHECK(m->fit ? m->kind > PEGS_CONDITIONAL : m->kind == (uint32_t) m->tables);
		CHECK(m->walk == NULL || pegs_method_of_kind(m->kind) == m);
		for (int j = 0; j < i; j++)
			CHECK(strcmp(m->name, pegs_methods[j]->name) != 0 && (m->walk == NULL || m->kind != pegs_methods[j]->kind));
	}
	CHECK(pegs_method_named("nothing") == NULL && pegs_method_of_kind(PEGS_PAIRS) == NULL && pegs_method_of_kind(0xffff) == NULL);
}

/* ---- bytes ---- */

static void
test_bytes(const pegs_method *method, const table *t)
{
	pegs_wire	counts = counted(method, t);
	pegs_wire	wire = model_of(method, &counts);
	pegs_wire	read;
	size_t		size;
	size_t		again_size;
	uint8_t    *bytes = written(&wire, &size);
	uint8_t    *again;

	CHECK(pegs_wire_read(&env, bytes, size, &read) == PEGS_OK);
	CHECK_INT(read.kind, method->kind);
	CHECK(read.method == (method->walk ? method : NULL));
	again = written(&read, &again_size);
	CHECK(size == again_size && memcmp(bytes, again, size) == 0);
	/* cut anywhere, it is no model; and a model is not merged */
	for (size_t cut = 0; cut < size; cut += 1 + size / 50)
		CHECK(pegs_wire_read(&env, bytes, cut, &read) != PEGS_OK);
	CHECK(method->walk == NULL || pegs_wire_merge(&env, &wire, &wire) == PEGS_ERR_MISMATCH);
	if (method->accountant)
		CHECK_INT(method->accountant(wire.model)->epsilon, 5 * PEGS_EPSILON_UNIT);
	if (method->rows)
		CHECK(method->rows(wire.model) >= 1);
	arena_free(&memory);
}

/* ---- rows ---- */

static void
test_rows(const pegs_method *method, const table *t, bool one_by_one)
{
	static uint16_t rows[3][ROWS * COLUMNS];
	pegs_wire	counts = counted(method, t);
	pegs_wire	wire = model_of(method, &counts);
	pegs_ask	ask = ask_for(ROWS, one_by_one);
	void	   *prepared = method->prepare ? method->prepare(&env, wire.model) : NULL;
	size_t		bytes = sizeof(uint16_t) * ROWS * t->ncols;
	bool		inside = true;

	/* the same for the same key, prepared or not; other rows for another */
	if (draw(method, &wire, NULL, &ask, 1, rows[0]) && draw(method, &wire, prepared, &ask, 1, rows[1]) && draw(method, &wire, NULL, &ask, 2, rows[2]))
	{
		CHECK(memcmp(rows[0], rows[1], bytes) == 0);
		CHECK(t->ncols == 1 || memcmp(rows[0], rows[2], bytes) != 0);
		for (uint32_t i = 0; i < ROWS * t->ncols; i++)
			inside = inside && rows[0][i] < t->levels[i % t->ncols];
		CHECK(inside);
	}
	arena_free(&memory);
}

/* What is given is there, and no row is a structural zero; where all are, it is said before the first row. */
static void
test_given_and_zeros(const pegs_method *method)
{
	static uint16_t rows[ROWS * COLUMNS];
	const table *t = &tables[4];
	pegs_wire	counts = counted(method, t);
	pegs_wire	wire = model_of(method, &counts);
	int32_t		given[COLUMNS] = {-1, 2, -1, -1};
	bool		first[3] = {true, false, true};
	bool		all[3] = {true, true, true};
	bool		any[5] = {true, true, true, true, true};
	pegs_zero	zero = {.n = 2, .column = {0, 1}, .level = {first, any}};
	pegs_zero	everything = {.n = 1, .column = {0}, .level = {all}};
	pegs_ask	ask = ask_for(ROWS, true);
	pegs_draws *draws;

	ask.given = given;
	if (draw(method, &wire, NULL, &ask, 1, rows))
		for (uint32_t r = 0; r < ROWS; r++)
			CHECK_INT(rows[r * COLUMNS + 1], 2);
	for (int one_by_one = 0; one_by_one < 2; one_by_one++)
	{
		ask = ask_for(ROWS, one_by_one);
		ask.zeros = (pegs_zeros) {1, &zero};
		if (draw(method, &wire, NULL, &ask, 1, rows))
			for (uint32_t r = 0; r < ROWS; r++)
				CHECK_INT(rows[r * COLUMNS], 1);
	}
	ask.zeros = (pegs_zeros) {1, &everything};
	CHECK(method->open(&env, &wire, NULL, &ask, &draws) == PEGS_ERR_NOTHING);
	arena_free(&memory);
}

/* ---- words ---- */

typedef struct words
{
	char		text[20000];
	size_t		n;
} words;

static void
put_words(void *to, const char *text)
{
	words	   *w = to;

	if (CHECK(w->n + strlen(text) < sizeof(w->text)))
	{
		strcpy(w->text + w->n, text);
		w->n += strlen(text);
	}
}

static void
put_column(void *to, uint32_t column)
{
	char		name[20];

	snprintf(name, sizeof(name), "\"c%u\"", column);
	put_words(to, name);
}

static void
test_words(const pegs_method *method)
{
	static words w;
	pegs_writer writer = {&w, put_words, put_column};
	pegs_wire	counts = counted(method, &tables[4]);
	pegs_wire	wire = model_of(method, &counts);
	int			depth = 0;
	bool		quoted = false;

	w.n = 0;
	if (method->describe)
	{
		method->describe(wire.model, &writer);
		CHECK(strncmp(w.text, ", \"", 3) == 0);
		for (size_t i = 0; i < w.n; i++)
		{
			quoted ^= w.text[i] == '"';
			if (!quoted)
				depth += (w.text[i] == '[' || w.text[i] == '{') - (w.text[i] == ']' || w.text[i] == '}');
		}
		CHECK(depth == 0 && !quoted);
	}
	arena_free(&memory);
}

int
main(void)
{
	test_table();
	for (int i = 0; pegs_methods[i]; i++)
	{
		start((uint8_t) (1 + i));
		for (size_t t = 0; t < sizeof(tables) / sizeof(tables[0]); t++)
		{
			test_bytes(pegs_methods[i], &tables[t]);
			test_rows(pegs_methods[i], &tables[t], false);
			test_rows(pegs_methods[i], &tables[t], true);
		}
		test_given_and_zeros(pegs_methods[i]);
		test_words(pegs_methods[i]);
	}
	return unit_done("methods_test");
}
