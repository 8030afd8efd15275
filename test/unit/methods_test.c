/*
 * methods_test.c
 *	  Does every method of the table keep its contract: from counts to a model,
 *	  to bytes and back, to rows that are possible, the same for the same key; or,
 *	  of a score, to the same points of every row?
 *
 * Runs over the table, so a new method is asked all of it, each as pegs_sample
 * would ask it. The tables are of one column, of one level, without rows, of
 * one row, and of a few columns.
 *
 * Not asked: that rows look random. Rows are a function of the key, and a
 * method may be deterministic; only where a call pays must the key matter.
 */
#include "core/method.h"

#include <stdlib.h>
#include <string.h>

#include "core/crc.h"
#include "core/wire.h"
#include "core/witness.h"
#include "fixture.h"
#include "unit.h"

#define COLUMNS 4
#define ROWS 300
#define EPSILON (5 * PEGS_EPSILON_UNIT)

typedef struct table
{
	uint32_t	ncols;
	uint32_t	levels[COLUMNS];
	uint32_t	rows;
} table;

static const table tables[] = {
	{1, {3}, 40}, {1, {1}, 5}, {2, {2, 3}, 0}, {2, {2, 3}, 1}, {COLUMNS, {3, 5, 1, 4}, 200}, {COLUMNS, {3, 5, 2, 4}, 200}
};

/* The one that every method takes: no column of one level. */
#define WHOLE (&tables[5])

/* ---- as it is used ---- */

/* The one option that is a method's own: pegs_fit gives it to no other. */
static double
l_diversity_of(const pegs_method *method)
{
	return strcmp(method->name, "pegs l-diverse") == 0 ? 1.5 : 0;
}

/* Would pegs_fit take the table? Not where a column has fewer levels than l; nor is there a score of one column. */
static bool
takes(const pegs_method *method, const table *t)
{
	for (uint32_t c = 0; c < t->ncols; c++)
		if (t->levels[c] < l_diversity_of(method))
			return false;
	return method->scorer == NULL || t->ncols > 1;
}

/* Would it take structural zeros? */
static bool
takes_zeros(const pegs_method *method)
{
	uint32_t	levels[1] = {2};
	bool		forbidden[2] = {true, false};
	pegs_zero	zero = {.n = 1, .column = {0}, .level = {forbidden}};
	uint32_t	parent_start[2] = {0, 0};
	pegs_layout layout;

	CHECK((method->tables == PEGS_CONDITIONAL ? pegs_layout_conditional(&env, 1, levels, parent_start, NULL, 0, &layout, NULL)
		   : pegs_layout_plain(&env, method->tables, 1, levels, &layout, NULL)) == PEGS_OK);
	layout.zeros = (pegs_zeros) {1, &zero};
	return l_diversity_of(method) == 0 && (method->refuse == NULL || method->refuse(&layout).why == NULL);
}

/* As pegs_fit makes them: what is left out is standard. A score is of the first column, and its last level. */
static void
give_settings(const pegs_method *method, pegs_layout *layout)
{
	static const bool columns[COLUMNS] = {true};
	bool	   *last = env.alloc(env.context, sizeof(bool) * layout->levels[0]);
	const bool **levels = env.alloc(env.context, sizeof(bool *) * COLUMNS);
	pegs_setting *settings;
	int			n = 0;

	while (method->options && method->options[n].name)
		n++;
	settings = env.alloc(env.context, sizeof(pegs_setting) * (n + 1));
	levels[0] = last;
	last[layout->levels[0] - 1] = true;
	for (int i = 0; i < n; i++)
		settings[i] = strcmp(method->options[i].name, PEGS_SCORE_POSITIVE) == 0 ? (pegs_setting) {.given = true, .columns = columns, .levels = levels}
			: (pegs_setting) {.number = method->options[i].standard};
	layout->settings = settings;
}

/* A method in another form than that without options: what the door asks of it, too. */
typedef struct form
{
	const char *method;
	const char *option;
	double		number;
	const char *also;			/* NULL: no other */
	double		also_number;
	bool		columns;			/* the first one, in place of a number */
} form;

static const form forms[] = {
	{.method = "copula", .option = "coding", .number = 1}, {.method = "copula", .option = "correlation", .number = 1},
	{.method = "copula", .option = "correlation", .number = 1, .also = "rows", .also_number = 50}, {.method = "copula", .option = "by", .columns = true},
	{.method = "marginals", .option = "noise", .number = 1, .also = "rows", .also_number = 100},
	{.method = "table", .option = "noise", .number = 1, .also = "rows", .also_number = 100},
	{.method = "pmse", .option = "rows", .number = 150, .also = "parts", .also_number = 2}
};

static const form *asked;		/* NULL: no options */

static void
give_form(const pegs_method *method, pegs_layout *layout)
{
	static const bool columns[COLUMNS] = {true};
	pegs_setting *settings;
	int			n = 0;
	int			found = 0;

	while (method->options[n].name)
		n++;
	settings = env.alloc(env.context, sizeof(pegs_setting) * n);
	for (int i = 0; i < n; i++)
	{
		bool		first = strcmp(method->options[i].name, asked->option) == 0;
		bool		second = asked->also && strcmp(method->options[i].name, asked->also) == 0;

		found += first + second;
		settings[i] = (pegs_setting) {.given = first || second, .columns = first && asked->columns ? columns : NULL,
			.number = first ? asked->number : second ? asked->also_number : method->options[i].standard};
	}
	CHECK_INT(found, asked->also ? 2 : 1);
	layout->settings = settings;
}

/* So many rows more, each with these codes, in the counts and among those that are kept. */
static void
add_rows(pegs_wire *wire, uint16_t *const *column, uint32_t n)
{
	if (n == 0)
		return;
	pegs_count_chunk(&wire->layout, wire->cells, column, n);
	if (wire->layout.kept)
		pegs_kept_add((pegs_kept *) wire->layout.kept, column, NULL, n);
}

/*
 * The table's counts, as the method wants them: made-up rows that hang together; the parent of a column is the one before it, where there are any.
 * A score has the rows themselves, too, as it has them from a table or from a model.
 */
static pegs_wire
counted(const pegs_method *method, const table *t)
{
	pegs_wire	wire = {.kind = method->tables, .ncols = t->ncols, .spec = "", .rows = t->rows};
	uint32_t	parent_start[COLUMNS + 1] = {0, 0, 1, 2, 3};
	uint16_t	parents[COLUMNS - 1] = {0, 1, 2};
	uint16_t	codes[COLUMNS][ROWS];
	uint16_t   *column[COLUMNS];

	if (!pegs_has_parents(method))
		memset(parent_start, 0, sizeof(parent_start));
	if (method->tables != PEGS_CONDITIONAL)
		CHECK(pegs_layout_plain(&env, method->tables, t->ncols, t->levels, &wire.layout, NULL) == PEGS_OK);
	else
		CHECK(pegs_layout_conditional(&env, t->ncols, t->levels, parent_start, parents, 0, &wire.layout, NULL) == PEGS_OK);
	wire.cells = env.alloc(env.context, sizeof(uint64_t) * wire.layout.ncells);
	if (method->scorer)
	{
		give_settings(method, &wire.layout);
		CHECK(method->of_a_model || pegs_keeps_rows(method, &wire.layout));
		wire.layout.kept = pegs_kept_new(&env, t->ncols, t->levels);
	}
	if (asked)
	{
		give_form(method, &wire.layout);
		if (pegs_keeps_rows(method, &wire.layout))
			wire.layout.kept = pegs_kept_new(&env, t->ncols, t->levels);
	}
	for (uint32_t c = 0; c < t->ncols; c++)
	{
		column[c] = codes[c];
		for (uint32_t r = 0; r < t->rows; r++)
			codes[c][r] = (uint16_t) ((r * (c + 1) + r / 7) % t->levels[c]);
	}
	add_rows(&wire, column, t->rows);
	return wire;
}

/* Its model, as it is stored: always of the same key. There is an accountant where the fit pays, and nowhere else. */
static pegs_wire
model_of(const pegs_method *method, const pegs_wire *counts)
{
	pegs_accountant accountant;
	void	   *model;

	if (method->fit == NULL)
		return *counts;
	start(1);
	pegs_accountant_init(&accountant, EPSILON, 0, 1);
	model = method->fit(&env, method->of_a_model ? NULL : &rng, method->payment == PEGS_PAID_AT_FIT ? &accountant : NULL, &counts->layout, counts->cells);
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

/* Does the model have these bytes? */
static bool
has_bytes(const pegs_wire *wire, const uint8_t *bytes, size_t size)
{
	size_t		own_size;
	uint8_t    *own = written(wire, &own_size);

	return own_size == size && memcmp(own, bytes, size) == 0;
}

/* The memory of a batch is gone when it is forgotten. */
static void
forget(void *context)
{
	arena_free(context);
}

/* An alpha where a call pays, and nowhere else. */
static pegs_ask
ask_for(const pegs_method *method, uint64_t n, bool one_by_one)
{
	return (pegs_ask) {.n = n, .one_by_one = one_by_one, .alpha = method->payment == PEGS_PAID_BY_SAMPLE ? 1 << 16 : 0, .block = 10,
		.l_diversity = l_diversity_of(method)};
}

/* Rows on their way. */
typedef struct drawing
{
	const pegs_method *method;
	pegs_draws *draws;
	pegs_rng	rng;
	arena		batch;
} drawing;

static pegs_status
begin(drawing *d, const pegs_method *method, const pegs_wire *wire, const void *prepared, const pegs_ask *ask, uint8_t key)
{
	uint8_t		bytes[PEGS_KEY_BYTES] = {key};
	pegs_ask	own = *ask;
	pegs_status status;

	memset(d, 0, sizeof(*d));
	d->method = method;
	own.batch = arena_env(&d->batch);
	own.forget = forget;
	status = method->open(&env, wire, prepared, &own, &d->draws);
	if (status != PEGS_OK)
		return status;
	pegs_rng_init(&d->rng, bytes, 1);
	method->start(d->draws, &d->rng);
	return PEGS_OK;
}

/* n rows under a key, into rows[n][ncols]; false if the method ended before. */
static bool
draw(const pegs_method *method, const pegs_wire *wire, const void *prepared, const pegs_ask *ask, uint8_t key, uint16_t *rows)
{
	drawing		d;
	bool		good = CHECK(begin(&d, method, wire, prepared, ask, key) == PEGS_OK);

	for (uint64_t r = 0; good && r < ask->n; r++)
		good = CHECK(method->next(d.draws, rows + r * wire->ncols) == PEGS_OK);
	arena_free(&d.batch);
	return good;
}

/* The same twice, by turns: a few rows of one, a few more of the other. */
static bool
draw_by_turns(const pegs_method *method, const pegs_wire *wire, const void *prepared, const pegs_ask *ask, uint8_t key, uint16_t *rows[2])
{
	drawing		d[2];
	uint64_t	made[2] = {0, 0};
	bool		good = true;

	for (int i = 0; i < 2; i++)
		good = CHECK(begin(&d[i], method, wire, prepared, ask, key) == PEGS_OK) && good;
	for (uint64_t turn = 0; good && made[0] + made[1] < 2 * ask->n; turn++)
		for (uint64_t r = 0; good && r < 1 + turn % 7 && made[turn % 2] < ask->n; r++)
			good = CHECK(method->next(d[turn % 2].draws, rows[turn % 2] + made[turn % 2]++ * wire->ncols) == PEGS_OK);
	for (int i = 0; i < 2; i++)
		arena_free(&d[i].batch);
	return good;
}

/* ---- the table ---- */

static void
test_table(void)
{
	for (int i = 0; pegs_methods[i]; i++)
	{
		const pegs_method *m = pegs_methods[i];

		CHECK(m->name && m->mechanism);
		/* rows, or a score */
		CHECK(m->scorer ? (m->scorer->points && m->scorer->card) != (m->scorer->exact && m->payment == PEGS_NOT_PRIVATE) && !m->open && !m->start && !m->next && !m->shares : m->open && m->start && m->next);
		CHECK(!m->of_a_model || (m->scorer && m->payment == PEGS_PAID_AT_FIT));
		CHECK(pegs_method_named(m->name) == m);
		/* what people are told: of a family one title, which how it is paid for completes */
		CHECK(m->title && strlen(m->title) <= 30);
		for (int j = 0; m->title && j < i; j++)
			CHECK((m->family && (strcmp(m->family, pegs_methods[j]->name) == 0 || (pegs_methods[j]->family && strcmp(m->family, pegs_methods[j]->family) == 0)))
				  == (m->family && pegs_methods[j]->title && strcmp(m->title, pegs_methods[j]->title) == 0));
		CHECK(m->payment == PEGS_PAID_AT_FIT || m->noise == NULL);
		CHECK(m->payment != PEGS_PAID_AT_FIT || m->keeps == NULL);
		/* what is paid at the fit is released numbers: they can be kept, exported and described by what they cost */
		CHECK(m->payment != PEGS_PAID_AT_FIT || (m->fit && m->walk && m->accountant && m->rows));
		/* what a call pays has a price; what has no guarantee says why */
		CHECK((m->payment == PEGS_PAID_BY_SAMPLE) == (m->price != NULL));
		CHECK((m->payment == PEGS_NOT_PRIVATE) == (m->no_guarantee != NULL));
		/* no fit: the counts are the model, and its bytes are a state's */
		CHECK((m->fit == NULL) == (m->walk == NULL));
		CHECK(m->fit ? m->kind > PEGS_CONDITIONAL && m->kind != PEGS_JOINT && m->kind <= UINT16_MAX : m->kind == (uint32_t) m->tables);
		CHECK(m->walk == NULL || pegs_method_of_kind(m->kind) == m);
		for (int j = 0; j < i; j++)
			CHECK(strcmp(m->name, pegs_methods[j]->name) != 0 && (m->walk == NULL || m->kind != pegs_methods[j]->kind));
	}
	CHECK(pegs_method_named("nothing") == NULL && pegs_method_of_kind(PEGS_PAIRS) == NULL && pegs_method_of_kind(PEGS_JOINT) == NULL && pegs_method_of_kind(0xffff) == NULL);
}

/* ---- bytes ---- */

/* Of what a fit that pays was drawn for; what was at hand while it was is gone. What is made of a model spends nothing. */
static void
check_accountant(const pegs_method *method, const pegs_wire *wire)
{
	const pegs_accountant *accountant = method->accountant(wire->model);
	uint64_t	told = 0;

	CHECK_INT(accountant->epsilon, EPSILON);
	for (int i = 0; i < PEGS_PURPOSES; i++)
		told += accountant->record[i].cost;
	CHECK_INT(told, accountant->spent);
	CHECK((accountant->spent > 0) == !method->of_a_model && accountant->spent <= accountant->total);
	CHECK(accountant->witness == NULL && accountant->env == NULL);
	CHECK(method->rows(wire->model) >= 1);
}

/* The first n of these bytes, or zeros behind all of them, with the checksum that they then have. */
static pegs_status
read_resealed(const uint8_t *bytes, size_t size, size_t n)
{
	uint8_t    *other = env.alloc(env.context, n + 4);
	uint32_t	crc;
	pegs_wire	read;

	memcpy(other, bytes, n < size - 4 ? n : size - 4);
	crc = pegs_crc32c(&env, other, n);
	for (int i = 0; i < 4; i++)
		other[n + i] = (uint8_t) (crc >> (8 * i));
	return pegs_wire_read(&env, other, n + 4, &read);
}

static void
test_bytes(const pegs_method *method, const table *t)
{
	pegs_wire	counts = counted(method, t);
	pegs_wire	wire = model_of(method, &counts);
	pegs_wire	read;
	size_t		size;
	uint8_t    *bytes = written(&wire, &size);

	CHECK(pegs_wire_read(&env, bytes, size, &read) == PEGS_OK);
	CHECK_INT(read.kind, method->kind);
	CHECK(read.method == (method->walk ? method : NULL));
	CHECK(has_bytes(&read, bytes, size));
	if (method->payment == PEGS_PAID_AT_FIT)
		check_accountant(method, &read);
	/* cut anywhere (of a long one, at some thousand places), or longer, it is no model; and a model is not merged */
	for (size_t cut = 0; cut < size; cut += 1 + size / 2000)
		CHECK(pegs_wire_read(&env, bytes, cut, &read) != PEGS_OK);
	CHECK(read_resealed(bytes, size, size - 4) == PEGS_OK);
	for (size_t n = 0; n < size + 16; n += n < size - 20 ? 1 + size / 2000 : 1)
		CHECK(n == size - 4 || read_resealed(bytes, size, n) != PEGS_OK);
	CHECK(method->walk == NULL || pegs_wire_merge(&env, &wire, &wire) == PEGS_ERR_MISMATCH);
	arena_free(&memory);
}

/* A model is a function of the key and of the counts, in whatever memory they are. */
static void
test_fit(const pegs_method *method, const table *t)
{
	pegs_wire	counts = counted(method, t);
	pegs_wire	read;
	pegs_wire	wire;
	pegs_wire	again;
	size_t		size;
	uint8_t    *bytes = written(&counts, &size);

	CHECK(pegs_wire_read(&env, bytes, size, &read) == PEGS_OK);
	read.layout.settings = counts.layout.settings;
	read.layout.kept = counts.layout.kept ? pegs_kept_copy(counts.layout.kept) : NULL;
	wire = model_of(method, &counts);
	again = model_of(method, &read);
	CHECK(has_bytes(&counts, bytes, size));	/* no count was changed */
	bytes = written(&wire, &size);
	CHECK(has_bytes(&again, bytes, size));
	arena_free(&memory);
}

/* ---- batches that are made one by one ---- */

static void
count_levels(const uint16_t *rows, uint64_t n, const pegs_wire *wire, uint32_t (*count)[8])
{
	memset(count, 0, sizeof(uint32_t) * 8 * wire->ncols);
	for (uint64_t r = 0; r < n; r++)
		for (uint32_t c = 0; c < wire->ncols; c++)
			count[c][rows[r * wire->ncols + c] % 8]++;
}

static bool
next_rows(drawing *d, uint64_t n, uint16_t *rows, uint32_t ncols)
{
	for (uint64_t r = 0; r < n; r++)
		if (d->method->next(d->draws, rows + r * ncols) != PEGS_OK)
			return false;
	return true;
}

/* Each on a stream of its own, the last first: all together have every level as often as if one had come after the other. */
static void
test_batches(const pegs_method *method, const table *t)
{
	uint64_t	n = 2 * PEGS_ROWS_PER_BATCH + 2;
	pegs_wire	counts = counted(method, t);
	pegs_wire	wire = model_of(method, &counts);
	pegs_ask	ask = ask_for(method, n, false);
	uint16_t   *rows = env.alloc(env.context, sizeof(uint16_t) * n * wire.ncols);
	uint32_t	whole[8][8];
	uint32_t	parts[8][8];
	drawing		d;

	CHECK(wire.ncols <= 8);
	if (!CHECK(begin(&d, method, &wire, NULL, &ask, 5) == PEGS_OK) || !CHECK(next_rows(&d, n, rows, wire.ncols)))
		return;
	arena_free(&d.batch);
	count_levels(rows, n, &wire, whole);
	for (uint64_t batch = pegs_batches(n); batch-- > 0;)
	{
		uint16_t   *at = rows + pegs_batch_starts(n, batch) * wire.ncols;

		if (!CHECK(begin(&d, method, &wire, NULL, &ask, 5) == PEGS_OK))
			return;
		pegs_rng_move(&d.rng, pegs_stream_of_batch(1, batch));
		method->seek(d.draws, batch);
		CHECK(next_rows(&d, pegs_batch_rows(n, batch), at, wire.ncols));
		arena_free(&d.batch);
	}
	count_levels(rows, n, &wire, parts);
	for (uint32_t c = 0; c < wire.ncols; c++)
		for (uint32_t l = 0; l < 8; l++)
			CHECK_INT(parts[c][l], whole[c][l]);
	arena_free(&memory);
}

/* Sizes of batches: as equal as can be, and all of the rows. */
static void
test_batch_sizes(void)
{
	for (uint64_t n = 1; n < 5 * PEGS_ROWS_PER_BATCH; n += 65537)
	{
		uint64_t	before = 0;

		for (uint64_t batch = 0; batch < pegs_batches(n); batch++)
		{
			CHECK_INT(pegs_batch_starts(n, batch), before);
			CHECK(pegs_batch_rows(n, batch) - n / pegs_batches(n) <= 1 && pegs_batch_rows(n, batch) <= PEGS_ROWS_PER_BATCH);
			/* of the rows that are left, the next batch is as large */
			CHECK_INT(pegs_batch_rows(n - before, 0), pegs_batch_rows(n, batch));
			before += pegs_batch_rows(n, batch);
		}
		CHECK_INT(before, n);
	}
	CHECK_INT(pegs_batches(0), 0);
}

/* The last of parts ends where all ends, and no two batches have one stream, however many rows there are. */
static void
test_many_batches(void)
{
	uint64_t	all = pegs_batches(INT64_MAX);
	uint64_t	some[] = {0, 1, 2, 4095, UINT32_MAX, (uint64_t) UINT32_MAX + 1, (uint64_t) UINT32_MAX + 2, all / 3, all / 2, all - 1};

	CHECK(all == UINT64_C(1) << 46);
	CHECK_INT(pegs_part_ends(10, 0, 3), 0);
	CHECK_INT(pegs_part_ends(10, 1, 3), 3);
	CHECK_INT(pegs_part_ends(10, 2, 3), 6);
	CHECK_INT(pegs_part_ends(10, 3, 3), 10);
	for (uint64_t n = 1; n > 0 && n <= INT64_MAX; n *= 3)
	{
		CHECK(pegs_part_ends(pegs_batches(n), 1000000, 1000000) == pegs_batches(n));
		CHECK(pegs_part_ends(n, 1000000, 1000000) == n);
		CHECK(pegs_part_ends(n, 500000, 1000000) == n / 2);
		if (n > INT64_MAX / 3)
			break;
	}
	for (size_t a = 0; a < sizeof(some) / sizeof(some[0]); a++)
		for (size_t b = 0; b < sizeof(some) / sizeof(some[0]); b++)
			for (uint64_t stream = 1; stream < (UINT64_C(1) << 18); stream += 37449)
				CHECK((pegs_stream_of_batch(stream, some[a]) == pegs_stream_of_batch(1, some[b])) == (a == b && stream == 1));
	/* rows that were promised for ever: of the first batches the numbers are what they have always been */
	CHECK(pegs_stream_of_batch(7, 5) == (UINT64_C(5) << 32) + 7);
}

/* ---- what may be known before a charge, or without one ---- */

/* Everybody may ask how large the server's tables are, and with them a model that is secret. */
static void
test_size(const pegs_method *method)
{
	static const table empty = {COLUMNS, {3, 5, 2, 4}, 0};
	pegs_wire	counts = counted(method, WHOLE);
	pegs_wire	none = counted(method, &empty);
	pegs_wire	wire = model_of(method, &counts);
	pegs_wire	wire_of_none = model_of(method, &none);

	CHECK(method->payment == PEGS_PAID_AT_FIT || pegs_wire_size(&wire) == pegs_wire_size(&wire_of_none));
	arena_free(&memory);
}

/* Where a call pays, `open` says the same whatever the counts are: nothing was charged yet. */
static void
test_open(const pegs_method *method)
{
	static const table empty = {COLUMNS, {3, 5, 2, 4}, 0};
	pegs_wire	counts = counted(method, WHOLE);
	pegs_wire	none = counted(method, &empty);
	pegs_wire	wire = model_of(method, &counts);
	pegs_wire	wire_of_none = model_of(method, &none);
	pegs_ask	ask = ask_for(method, ROWS, true);

	for (int32_t level = 0; method->payment == PEGS_PAID_BY_SAMPLE && level < 3 * 5; level++)
	{
		int32_t		given[COLUMNS] = {level % 3, level / 3, -1, 1};
		drawing		d;

		ask.given = given;
		CHECK(begin(&d, method, &wire, NULL, &ask, 1) == PEGS_OK);
		arena_free(&d.batch);
		CHECK(begin(&d, method, &wire_of_none, NULL, &ask, 1) == PEGS_OK);
		arena_free(&d.batch);
	}
	arena_free(&memory);
}

/* Noise for every epsilon: never more for more of it, nor less for more rows, or rows of a person. */
static void
test_price(const pegs_method *method)
{
	const table *t = WHOLE;
	pegs_ask	ask = ask_for(method, 1, true);
	uint64_t	before = UINT64_MAX;
	uint64_t	alpha;
	uint64_t	more;
	int64_t		none = 0;

	for (int64_t epsilon = 1000; method->price && epsilon <= INT64_C(1000000000000000); epsilon *= 10)
	{
		ask.n = 1;
		CHECK(method->price(&ask, t->ncols, t->levels, 1, epsilon, &none, &alpha) == PEGS_OK && alpha >= 1 && alpha <= before);
		before = alpha;
		CHECK(method->price(&ask, t->ncols, t->levels, 3, epsilon, &none, &more) == PEGS_OK && more >= alpha);
		ask.n = 11;				/* two blocks */
		CHECK(method->price(&ask, t->ncols, t->levels, 1, epsilon, &none, &more) == PEGS_OK && more >= alpha && none == 0);
		/* with delta never more noise: all of the delta, or none and the same alpha */
		for (int64_t delta = 1; delta < PEGS_DELTA_UNIT; delta *= 1000)
		{
			int64_t		taken = delta;

			CHECK(method->price(&ask, t->ncols, t->levels, 1, epsilon, &taken, &alpha) == PEGS_OK);
			CHECK(taken == delta ? alpha < more : taken == 0 && alpha == more);
		}
	}
}

/* Looks of one fit whose noise is the same, cell for cell: how often, of the first ones. */
#define LOOKS 24

static void
compare_noise(const pegs_witness *w, uint32_t (*alike)[LOOKS])
{
	for (size_t j = 1; j < w->nsteps && j < LOOKS; j++)
		for (size_t i = 0; i < j; i++)
		{
			const pegs_testimony *a = &w->step[i];
			const pegs_testimony *b = &w->step[j];
			bool		same = a->noisy && b->noisy && a->n == b->n;

			for (size_t k = 0; same && k < a->n; k++)
				same = a->noisy[k] - (double) a->shown[k] == b->noisy[k] - (double) b->shown[k];
			alike[i][j] += same;
		}
}

/* The steps that were spoken of, each at most once and never after a later one: as a client would hear of them. */
static uint32_t steps;

static void
take_step(void *context, pegs_step step)
{
	(void) context;
	if (steps >> step == 0)
		steps |= UINT32_C(1) << step;
}

/*
 * The door, as pegs_audit watches it (claim P14): a fit, one of a table of a
 * row more, or of a person of three, and one of an empty table, with the same answers. No step tells
 * more than it costs, and the models are equal to the bit. Where a level is forbidden, too; and where epsilon buys little, or nothing.
 */
static void
test_door(const pegs_method *method, const table *t, int64_t epsilon, int64_t delta, uint32_t rows, const pegs_zero *zero)
{
	const table none = {t->ncols, {t->levels[0], t->levels[1], t->levels[2], t->levels[3]}, 0};
	pegs_wire	counts[3] = {counted(method, t), counted(method, t), counted(method, &none)};
	uint16_t	code[COLUMNS];
	uint16_t   *row[COLUMNS];
	pegs_witness witness = {0};
	pegs_accountant accountant;
	bool		fits_rows = method->payment == PEGS_PAID_AT_FIT && !method->of_a_model;
	uint32_t	alike[LOOKS][LOOKS] = {{0}};
	uint8_t		keys = epsilon < EPSILON ? 2 : rows == 1 && zero == NULL ? 20 : 5;
	uint32_t	of_the_first = 0;	/* whatever the rows, and whatever was answered: claim P5 */

	for (uint32_t c = 0; c < t->ncols; c++)
	{
		code[c] = (uint16_t) (t->levels[c] - 1);
		row[c] = &code[c];
	}
	for (uint32_t r = 0; r < rows; r++)
		add_rows(&counts[1], row, 1);
	for (int run = 0; zero && run < 3; run++)
		counts[run].layout.zeros = (pegs_zeros) {1, zero};
	for (uint8_t key = 1; fits_rows && key <= keys; key++)
	{
		uint8_t    *bytes = NULL;
		size_t		size = 0;

		pegs_accountant_init(&accountant, epsilon, delta, rows);
		accountant.witness = &witness;
		pegs_witness_begin(&witness, &env);
		start(key);
		for (int run = 0; run < 3; run++)
		{
			pegs_wire	wire = {.kind = method->kind, .method = method, .ncols = t->ncols, .levels = counts[run].layout.levels, .spec = ""};
			bool		same = true;

			if (run == 1)
				pegs_witness_again(&witness);
			if (run == 2)
				pegs_witness_replay(&witness);
			steps = 0;
			env.step = take_step;
			wire.model = method->fit(&env, &rng, &accountant, &counts[run].layout, counts[run].cells);
			env.step = NULL;
			of_the_first = of_the_first ? of_the_first : steps;
			CHECK_INT(steps, of_the_first);
			CHECK(pegs_same_account(method->accountant(wire.model), &accountant));
			if (run == 0)
			{
				bytes = written(&wire, &size);
				compare_noise(&witness, alike);
			}
			else
				same = has_bytes(&wire, bytes, size);
			if (run > 0)
				pegs_witness_end(&witness, &accountant, same);
		}
		CHECK_INT(witness.fault, PEGS_SOUND);
	}
	CHECK(!fits_rows || epsilon < EPSILON || witness.looks + witness.choices > 0);
	for (int i = 0; i < LOOKS * LOOKS; i++)
		CHECK(keys < 20 || alike[i / LOOKS][i % LOOKS] < keys);
	CHECK(!pegs_too_likely(&witness.noise, 30) && !pegs_too_likely(&witness.choice, 30));
	for (int i = 0; i < PEGS_ECHOES; i++)
		CHECK(!pegs_too_likely(&witness.echo[i], 30));
	arena_free(&memory);
}

/* The same of persons, and where the second level of the last column is forbidden. */
static void
test_doors(const pegs_method *method, const table *t)
{
	bool		second[] = {false, true, false, false, false};
	pegs_zero	zero = {.n = 1, .column = {t->ncols - 1}, .level = {second}};
	bool		zeros = t->levels[t->ncols - 1] > 2 && takes_zeros(method);

	for (int64_t delta = 0; delta <= INT64_C(1000000000); delta += INT64_C(1000000000))	/* 1e-9 */
	{
		test_door(method, t, EPSILON, delta, 1, NULL);
		test_door(method, t, EPSILON, delta, 3, NULL);
		if (zeros)
			test_door(method, t, EPSILON, delta, 1, &zero);
	}
}

/* A fit that takes long says at what it is: each has a step to be spoken of, whatever it is paid for. */
static void
test_steps(const pegs_method *method)
{
	pegs_wire	counts = counted(method, WHOLE);

	steps = 0;
	env.step = take_step;
	model_of(method, &counts);
	env.step = NULL;
	if (!CHECK(method->fit == NULL || steps != 0))
		fprintf(stderr, "method %s\n", method->name);
	arena_free(&memory);
}

/* And of its other forms. */
static void
test_forms(const pegs_method *method)
{
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
		if (strcmp(forms[i].method, method->name) == 0)
		{
			asked = &forms[i];
			test_steps(method);
			for (int64_t delta = 0; delta <= INT64_C(1000000000); delta += INT64_C(1000000000))
				test_door(method, WHOLE, EPSILON, delta, 1, NULL);
			asked = NULL;
		}
}

/* Whatever is left when a look is asked for: what could not be bought is not looked at. From nothing at all, by steps that some looks are between. */
static void
test_unbought(const pegs_method *method)
{
	for (int64_t delta = 0; delta <= INT64_C(1000000000); delta += INT64_C(1000000000))
		for (int64_t epsilon = 1; epsilon < EPSILON / 1000; epsilon *= 64)
			test_door(method, WHOLE, epsilon, delta, 64, NULL);
}

/* ---- rows ---- */

static bool
has_one_row(const table *t)
{
	for (uint32_t c = 0; c < t->ncols; c++)
		if (t->levels[c] > 1)
			return false;
	return true;
}

static void
test_rows(const pegs_method *method, const table *t, bool one_by_one)
{
	static uint16_t rows[6][ROWS * COLUMNS];
	uint16_t   *by_turns[2] = {rows[3], rows[4]};
	pegs_wire	counts = counted(method, t);
	pegs_wire	wire = model_of(method, &counts);
	pegs_wire	read;
	pegs_ask	ask = ask_for(method, ROWS, one_by_one);
	size_t		size;
	uint8_t    *model = written(&wire, &size);
	void	   *prepared = method->fit && method->prepare ? method->prepare(&env, wire.model) : NULL;
	size_t		bytes = sizeof(uint16_t) * ROWS * t->ncols;
	bool		inside = true;

	CHECK(pegs_wire_read(&env, model, size, &read) == PEGS_OK);
	/* the same for the same key: prepared or not, from the model's bytes, whatever else is drawn meanwhile */
	if (draw(method, &wire, NULL, &ask, 1, rows[0]) && draw(method, &wire, prepared, &ask, 1, rows[1]) && draw(method, &read, NULL, &ask, 1, rows[2])
		&& draw_by_turns(method, &wire, prepared, &ask, 1, by_turns) && draw(method, &wire, NULL, &ask, 2, rows[5]))
	{
		for (int i = 1; i < 5; i++)
			CHECK(memcmp(rows[0], rows[i], bytes) == 0);
		/* the noise of a call that pays is in its rows; of others it may not be: every row may be the most frequent one */
		CHECK(method->payment != PEGS_PAID_BY_SAMPLE || has_one_row(t) || memcmp(rows[0], rows[5], bytes) != 0);
		for (uint32_t i = 0; i < ROWS * t->ncols; i++)
			inside = inside && rows[0][i] < t->levels[i % t->ncols] && rows[5][i] < t->levels[i % t->ncols];
		CHECK(inside);
	}
	/* a session keeps the model: drawing has not changed it */
	CHECK(has_bytes(&wire, model, size));
	arena_free(&memory);
}

/* What is given is there, or it is said before the first row that it has probability zero: not of every level. */
static void
test_given(const pegs_method *method)
{
	static uint16_t rows[ROWS * COLUMNS];
	const table *t = WHOLE;
	pegs_wire	counts = counted(method, t);
	pegs_wire	wire = model_of(method, &counts);
	pegs_ask	ask = ask_for(method, ROWS, true);
	int			possible = 0;

	for (int32_t level = 0; level < (int32_t) t->levels[1]; level++)
	{
		int32_t		given[COLUMNS] = {-1, level, -1, -1};
		drawing		d;
		pegs_status status;

		ask.given = given;
		status = begin(&d, method, &wire, NULL, &ask, 1);
		arena_free(&d.batch);
		CHECK(status == PEGS_OK || status == PEGS_ERR_RANGE);
		if (status != PEGS_OK)
			continue;
		possible++;
		if (draw(method, &wire, NULL, &ask, 1, rows))
			for (uint32_t r = 0; r < ROWS; r++)
				CHECK_INT(rows[r * COLUMNS + 1], level);
	}
	CHECK(possible > 0);
	arena_free(&memory);
}

/* No row is a structural zero; where all are, it is said before the first row. */
static void
test_zeros(const pegs_method *method)
{
	static uint16_t rows[ROWS * COLUMNS];
	pegs_wire	counts = counted(method, WHOLE);
	pegs_wire	wire = model_of(method, &counts);
	int32_t		given[COLUMNS] = {2, -1, -1, -1};
	bool		first[3] = {true, false, true};
	bool		all[3] = {true, true, true};
	bool		any[5] = {true, true, true, true, true};
	pegs_zero	zero = {.n = 2, .column = {0, 1}, .level = {first, any}};
	pegs_zero	everything = {.n = 1, .column = {0}, .level = {all}};
	pegs_ask	ask;
	drawing		d;
	pegs_status status;

	for (int one_by_one = 0; one_by_one < 2; one_by_one++)
	{
		ask = ask_for(method, ROWS, one_by_one);
		ask.zeros = (pegs_zeros) {1, &zero};
		if (draw(method, &wire, NULL, &ask, 1, rows))
			for (uint32_t r = 0; r < ROWS; r++)
				CHECK_INT(rows[r * COLUMNS], 1);
	}
	/* or all that have what is given */
	ask.given = given;
	status = begin(&d, method, &wire, NULL, &ask, 1);
	CHECK(status == PEGS_ERR_NOTHING || status == PEGS_ERR_RANGE);
	arena_free(&d.batch);
	ask = ask_for(method, ROWS, false);
	ask.zeros = (pegs_zeros) {1, &everything};
	CHECK(begin(&d, method, &wire, NULL, &ask, 1) == PEGS_ERR_NOTHING);
	arena_free(&d.batch);
	arena_free(&memory);
}

/* ---- scores ---- */

/* Of every row, with columns that are not told: the same from the model's bytes, twice; points within their range, an exact share within its own. */
static void
test_scores(const pegs_method *method, const table *t)
{
	pegs_wire	counts = counted(method, t);
	pegs_wire	wire = model_of(method, &counts);
	pegs_wire	read;
	size_t		size;
	uint8_t    *bytes = written(&wire, &size);
	uint32_t	rows = 1;

	CHECK(pegs_wire_read(&env, bytes, size, &read) == PEGS_OK);
	for (uint32_t c = 0; c < t->ncols; c++)
		rows *= t->levels[c] + 1;
	for (uint32_t r = 0; r < rows; r++)
	{
		int32_t		code[COLUMNS];
		uint32_t	rest = r;

		for (uint32_t c = 0; c < t->ncols; c++)
		{
			code[c] = (int32_t) (rest % (t->levels[c] + 1)) - 1;
			rest /= t->levels[c] + 1;
		}
		if (method->scorer->exact)
		{
			double		delta[2] = {-1, -1};
			double		share = method->scorer->exact(wire.model, code, &delta[0]);

			CHECK(share >= 0 && share <= 1 && delta[0] >= 0 && delta[0] <= 1);
			CHECK(method->scorer->exact(read.model, code, &delta[1]) == share && delta[1] == delta[0]);
		}
		else
		{
			uint32_t	voters = method->scorer->voters ? method->scorer->voters(wire.model) : 1;

			CHECK(voters >= 1 && llabs(method->scorer->points(wire.model, code)) <= (int64_t) voters * PEGS_MAX_LOGIT * PEGS_POINTS_PER_LOGIT);
			CHECK_INT(method->scorer->points(read.model, code), method->scorer->points(wire.model, code));
		}
	}
	CHECK(has_bytes(&wire, bytes, size));
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
	pegs_wire	counts = counted(method, WHOLE);
	pegs_wire	wire = model_of(method, &counts);
	int			depth = 0;
	bool		quoted = false;

	w.n = 0;
	if (method->fit && method->describe)
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
	bool		sound;

	test_table();
	test_batch_sizes();
	test_many_batches();
	sound = unit_failed == 0;
	/* a false line of the table may not be run */
	for (int i = 0; sound && pegs_methods[i]; i++)
	{
		const pegs_method *method = pegs_methods[i];

		for (size_t t = 0; t < sizeof(tables) / sizeof(tables[0]); t++)
		{
			if (!takes(method, &tables[t]))
				continue;
			test_bytes(method, &tables[t]);
			test_fit(method, &tables[t]);
			if (method->seek && !method->triples && &tables[t] == WHOLE)
				test_batches(method, &tables[t]);
			for (int one_by_one = 0; method->next && one_by_one < 2; one_by_one++)
				test_rows(method, &tables[t], one_by_one);
			if (method->scorer)
				test_scores(method, &tables[t]);
			test_doors(method, &tables[t]);
		}
		test_forms(method);
		test_unbought(method);
		test_size(method);
		test_open(method);
		test_price(method);
		CHECK(takes(method, WHOLE));
		if (method->next)
			test_given(method);
		if (method->next && takes_zeros(method))
			test_zeros(method);
		test_words(method);
		test_steps(method);
	}
	return unit_done("methods_test");
}
