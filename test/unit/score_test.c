/*
 * score_test.c
 *	  A score model: what it says of a row, its bytes, which nobody believes, and
 *	  its words.
 */
#include "core/score/score.h"

#include <stdlib.h>

#define STREAM_SALT [1] = 72
#include "fixture.h"
#include "scored.h"
#include "unit.h"

#define COLUMNS 4

static const uint32_t levels[COLUMNS] = {5, 3, 2, 1};

static pegs_score_model *
some_model(bool paid)
{
	pegs_kept  *kept = pegs_kept_new(&env, COLUMNS, levels);
	static const bool positive[3] = {true, false, true};
	pegs_accountant accountant;
	pegs_score_model *model;

	start(1);
	pegs_accountant_init(&accountant, 5 * PEGS_EPSILON_UNIT, 1000000000, 1);
	for (uint32_t r = 0; r < 900; r++)
	{
		uint16_t	x = (uint16_t) pegs_rng_below(&rng, 5);

		add_row(kept, COLUMNS, (uint16_t[COLUMNS]) {x, (uint16_t) pegs_rng_below(&rng, x > 2 ? 2 : 3), (uint16_t) (r % 2), 0}, 1);
	}
	model = fit_score(COLUMNS, levels, 1, positive, kept, paid ? &accountant : NULL);
	if (!paid)
		model->accountant = accountant;	/* of the model that it was made of */
	return model;
}

/* ---- of a row ---- */

/* Points are added; of what is not known, of no level, and of the target, none. */
static void
test_sum(void)
{
	pegs_score_model *model = some_model(true);
	const pegs_feature *f = model->feature;

	CHECK(f[0].classes > 1 && f[2].classes == 2 && f[3].classes == 1 && f[1].classes == 0);
	for (int32_t a = -1; a < 5; a++)
		for (int32_t b = -1; b < 2; b++)
			CHECK_INT(pegs_score_sum(model, (int32_t[COLUMNS]) {a, 2, b, 0}),
					  model->intercept + (a < 0 ? 0 : f[0].points[f[0].class_of[a]]) + (b < 0 ? 0 : f[2].points[b]));
	CHECK_INT(pegs_score_sum(model, (int32_t[COLUMNS]) {5, -1, INT32_MAX, 7}), model->intercept);
	CHECK_INT(pegs_score_sum(model, (int32_t[COLUMNS]) {-1, 1, INT32_MIN, -2}), model->intercept);
	/* on the average, of the rows as they were released, a column says nothing */
	for (uint32_t c = 0; c < COLUMNS; c++)
	{
		double		sum = 0;
		double		rows = 0;

		for (uint32_t k = 0; k < f[c].classes && f[c].points; k++)
		{
			sum += f[c].points[k] * f[c].rows[k];
			rows += f[c].rows[k];
		}
		CHECK(fabs(sum) <= rows / 2);
	}
	arena_free(&memory);
}

/* As the SQL in score.h has it; rising; and of sums beyond everything, without an error that exp() would be. */
static void
test_probability(void)
{
	double		before = 0;

	CHECK(pegs_probability_of_points(0, 1) == 0.5);
	for (int64_t sum = -65536; sum <= 65536; sum += 61)
	{
		double		p = pegs_probability_of_points(sum, 1);

		CHECK(p == 1 / (1 + exp((double) sum / -2048)));
		CHECK(p > 0 && p < 1 && (p > before || sum > 60000));
		before = p;
	}
	CHECK(pegs_probability_of_points(65537, 1) == pegs_probability_of_points(65536, 1) && pegs_probability_of_points(INT64_MAX, 1) == pegs_probability_of_points(65536, 1));
	CHECK(pegs_probability_of_points(INT64_MIN, 1) == pegs_probability_of_points(-65536, 1));
	CHECK_NEAR(pegs_probability_of_points(2048, 1), 0.7310585786300049, 1e-15);
}

/* ---- bytes ---- */

static pegs_status
read_score(const uint8_t *bytes, size_t size, pegs_score_model **model)
{
	pegs_cursor c = {.pass = PEGS_READ, .env = &env, .in = bytes, .length = size};
	void	   *read = NULL;

	pegs_score_walk(&c, COLUMNS, (uint32_t *) levels, &read);
	*model = read;
	return c.status != PEGS_OK ? c.status : c.at == size ? PEGS_OK : PEGS_ERR_FORMAT;
}

static void
test_bytes(void)
{
	for (int paid = 0; paid < 2; paid++)
	{
		pegs_score_model *model = some_model(paid);
		pegs_score_model *read;
		size_t		size[2];
		const uint8_t *bytes = score_bytes(model, &size[0]);

		CHECK(read_score(bytes, size[0], &read) == PEGS_OK);
		CHECK(memcmp(bytes, score_bytes(read, &size[1]), size[0]) == 0 && size[0] == size[1]);
		CHECK(read->target == 1 && read->npositive == 2 && read->positive[1] == 2 && read->rows == model->rows);
		CHECK(pegs_same_account(&read->accountant, &model->accountant));
		CHECK_INT(read->sweeps, paid ? 4 : 6);
		for (int32_t a = 0; a < 5; a++)
			CHECK(pegs_score_of(read, (int32_t[COLUMNS]) {a, -1, 1, 0}) == pegs_score_of(model, (int32_t[COLUMNS]) {a, -1, 1, 0}));
		/* no byte may be missing */
		for (size_t n = 0; n < size[0]; n++)
			CHECK(read_score(bytes, n, &read) != PEGS_OK);
		arena_free(&memory);
	}
}

/* A lie that is told when it is written: refused when it is read. */
#define REFUSED(lie, truth) \
	do { \
		lie; \
		bytes = score_bytes(m, &size); \
		CHECK(read_score(bytes, size, &read) == PEGS_ERR_FORMAT); \
		truth; \
	} while (0)

static void
test_lies(void)
{
	pegs_score_model *m = some_model(true);
	pegs_feature *f = &m->feature[0];
	pegs_score_model *read;
	uint8_t    *bytes;
	size_t		size;
	uint16_t	last = f->class_of[4];

	/* what the walk itself refuses while it writes would end it: of those that it checks on reading alone */
	REFUSED(f->class_of[4] = 40000, f->class_of[4] = last);
	REFUSED(f->class_of[4] = last - 1, f->class_of[4] = last);
	REFUSED(f->class_of[0] = 1, f->class_of[0] = 0);
	REFUSED(f->rows[1] = 0.5, f->rows[1] = 100);
	REFUSED(f->sd[1] = -1, f->sd[1] = 0);
	REFUSED(f->points[1] = PEGS_MAX_POINTS + 1, f->points[1] = 0);
	REFUSED(f->points[1] = -PEGS_MAX_POINTS - 1, f->points[1] = 0);
	REFUSED(m->intercept = INT32_MIN, m->intercept = 0);
	REFUSED(m->target = 0, m->target = 1);
	REFUSED(m->target = COLUMNS, m->target = 1);
	REFUSED(m->npositive = 0, m->npositive = 2);
	REFUSED(m->npositive = 3, m->npositive = 2);
	REFUSED(m->positive[1] = 0, m->positive[1] = 2);
	REFUSED(m->positive[1] = 3, m->positive[1] = 2);
	REFUSED(m->rows = 0, m->rows = 900);
	REFUSED(m->accountant.spent = m->accountant.total + 1, m->accountant.spent = 1);
	REFUSED(m->feature[3].classes = 2, m->feature[3].classes = 1);
	REFUSED(m->rows = 0.5, m->rows = 900);
	bytes = score_bytes(m, &size);
	CHECK(read_score(bytes, size, &read) == PEGS_OK);
	arena_free(&memory);
}

/* Any byte changed, some, or any bytes at all: an answer, of a sum that fits, and not much memory. */
static void
test_hostile(void)
{
	size_t		size;
	const uint8_t *bytes = score_bytes(some_model(true), &size);
	uint8_t    *sound = malloc(size);
	uint8_t    *changed = malloc(size);
	int			read_well = 0;

	memcpy(sound, bytes, size);
	arena_free(&memory);
	start(9);
	for (int i = 0; i < 40000; i++)
	{
		pegs_score_model *read = NULL;
		uint32_t	changes = i % 20 == 0 ? (uint32_t) size : 1 + (uint32_t) pegs_rng_below(&rng, 4);

		memcpy(changed, sound, size);
		for (uint32_t k = 0; k < changes; k++)
			changed[changes == size ? k : pegs_rng_below(&rng, size)] = (uint8_t) (pegs_rng_below(&rng, 2) ? pegs_rng_below(&rng, 256) : pegs_rng_below(&rng, 3));
		if (read_score(changed, size, &read) == PEGS_OK)
		{
			double		p = pegs_score_of(read, (int32_t[COLUMNS]) {(int32_t) pegs_rng_below(&rng, 6) - 1, 0, 1, 0});

			CHECK(p > 0 && p < 1);
			read_well++;
		}
		CHECK(memory.bytes <= sizeof(pegs_score_model) + 32 * size);
		arena_free(&memory);
	}
	CHECK(read_well > 1000);
	free(sound);
	free(changed);
}

/* ---- words ---- */

static char said[4000];

static void
put_words(void *to, const char *words)
{
	(void) to;
	strcat(said, words);
}

static void
put_column(void *to, uint32_t column)
{
	(void) to;
	sprintf(said + strlen(said), "\"c%u\"", column);
}

static void
test_words(void)
{
	const pegs_writer writer = {.words = put_words, .column = put_column};

	for (int paid = 0; paid < 2; paid++)
	{
		pegs_score_model *model = some_model(paid);

		said[0] = '\0';
		model->feature[0].classes = 5;
		model->intercept = -1024;
		model->rows = 900;
		pegs_score_describe(model, &writer);
		CHECK(strstr(said, ", \"rows\": 900") == said);
		CHECK((strstr(said, "{\"what\": \"sums of residuals\", \"uses\": 8, ") != NULL) == paid);
		CHECK(strstr(said, paid ? ", \"sweeps\": 4, \"intercept\": -0.5, \"features\": [{\"column\": \"c0\", \"classes\": 5}, "
					 "{\"column\": \"c2\", \"classes\": 2}, {\"column\": \"c3\", \"classes\": 1}]" : "\"sweeps\": 6") != NULL);
		arena_free(&memory);
	}
}

int
main(void)
{
	test_sum();
	test_probability();
	test_bytes();
	test_lies();
	test_hostile();
	test_words();
	return unit_done("score_test");
}
