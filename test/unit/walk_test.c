/*
 * walk_test.c
 *	  A fitted model's numbers as bytes: one walk measures, writes and reads
 *	  them. What a lying file may claim is tried in wire_test.c.
 */
#include "core/graph/walk.h"

#include <string.h>

#include "fixture.h"
#include "unit.h"

static pegs_fitted
fitted(uint32_t m)
{
	uint32_t	levels[5] = {3, 2, 4, 2, 3};
	pegs_layout *layout = env.alloc(env.context, sizeof(pegs_layout));
	pegs_accountant accountant;
	uint16_t	codes[5][500];
	uint16_t   *column[5] = {codes[0], codes[1], codes[2], codes[3], codes[4]};
	pegs_fitted model;
	uint64_t   *cells;

	CHECK(pegs_layout_pairs(&env, m, levels, layout, NULL) == PEGS_OK);
	cells = env.alloc(env.context, sizeof(uint64_t) * layout->ncells);
	for (uint32_t c = 0; c < m; c++)
		for (uint32_t r = 0; r < 500; r++)
			codes[c][r] = (uint16_t) ((r + c * (r / 11)) % levels[c]);
	pegs_count_chunk(layout, cells, column, 500);
	pegs_accountant_init(&accountant, 20 * PEGS_EPSILON_UNIT, m % 2 ? 0 : 1000000000, 1);
	pegs_engine_fit(&env, &rng, &accountant, layout, cells, &model);
	return model;
}

/* A model of before: a zero where others say that rows are smooth. Nothing else may stand there. */
static void
check_smooth(pegs_fitted *model, const uint8_t *now, size_t length)
{
	pegs_cursor write = {.pass = PEGS_WRITE};
	size_t		where = 0;
	uint32_t	differ = 0;

	model->smooth = false;
	write.out = env.alloc(env.context, length);
	pegs_graph_walk(&write, model);
	CHECK_INT(write.at, length);
	for (size_t i = 0; i < length; i++)
		if (write.out[i] != now[i])
		{
			where = i;
			differ++;
		}
	CHECK(differ == 1 && now[where] == 1 && write.out[where] == 0);
	for (uint8_t says = 0; says < 4; says++)
	{
		pegs_cursor c = {.pass = PEGS_READ, .env = &env, .in = write.out, .length = length};
		pegs_fitted read = {.ncols = model->ncols, .levels = model->levels};

		write.out[where] = says;
		pegs_graph_walk(&c, &read);
		CHECK((c.status == PEGS_OK) == (says < 2));
		CHECK(c.status != PEGS_OK || read.smooth == (says == 1));
	}
}

int
main(void)
{
	for (uint32_t m = 1; m <= 5; m++)
	{
		pegs_fitted model;
		pegs_fitted read = {0};
		pegs_cursor size = {.pass = PEGS_SIZE};
		pegs_cursor write = {.pass = PEGS_WRITE};
		pegs_cursor again = {.pass = PEGS_WRITE};

		start((uint8_t) m);
		model = fitted(m);
		pegs_graph_walk(&size, &model);
		CHECK(size.status == PEGS_OK && size.at > 0 && size.at % 8 == 0);
		write.out = env.alloc(env.context, size.at);
		pegs_graph_walk(&write, &model);
		CHECK_INT(write.at, size.at);
		for (size_t length = 0; length <= size.at; length += length + 40 < size.at ? 40 : 1)
		{
			pegs_cursor c = {.pass = PEGS_READ, .env = &env, .in = write.out, .length = length};

			read = (pegs_fitted) {.ncols = m, .levels = model.levels};
			pegs_graph_walk(&c, &read);
			CHECK((c.status == PEGS_OK) == (length == size.at));
		}
		/* what was read is what was written: it writes the same */
		again.out = env.alloc(env.context, size.at);
		pegs_graph_walk(&again, &read);
		CHECK(again.at == size.at && memcmp(write.out, again.out, size.at) == 0);
		CHECK(read.npairs == model.npairs && read.tree.nclique == model.tree.nclique && read.rows == model.rows);
		CHECK(model.smooth && read.smooth);
		CHECK(read.accountant.spent == model.accountant.spent && read.accountant.epsilon == model.accountant.epsilon);
		check_smooth(&model, write.out, size.at);
		arena_free(&memory);
	}
	return unit_done("walk_test");
}
