/*
 * card_test.c
 *	  The card of a score: a line for the intercept and one for each level of
 *	  each feature, which together say what the score of any row is.
 */
#include "core/score/score.h"

#define STREAM_SALT [1] = 73
#include "fixture.h"
#include "scored.h"
#include "unit.h"

#define COLUMNS 4
#define MAX_LINES 20

static const uint32_t levels[COLUMNS] = {2, 6, 3, 4};

static pegs_card_line card[MAX_LINES];
static uint64_t ncard;

static void
take_line(void *to, const pegs_card_line *line)
{
	CHECK(to == card && ncard < MAX_LINES);
	card[ncard++] = *line;
}

int
main(void)
{
	pegs_kept  *kept = pegs_kept_new(&env, COLUMNS, levels);
	pegs_accountant accountant;
	pegs_score_model *model;
	double		variance = 0;

	start(1);
	pegs_accountant_init(&accountant, 3 * PEGS_EPSILON_UNIT, 1000000000, 1);
	for (uint16_t r = 0; r < 2000; r++)
		add_row(kept, COLUMNS, (uint16_t[COLUMNS]) {r % 7 < r % 6, r % 6, 1, r % 4}, 1);
	model = fit_score(COLUMNS, levels, 0, second_level, kept, &accountant);
	CHECK(model->feature[1].classes >= 2 && model->feature[2].classes == 1 && model->feature[3].classes >= 2);
	CHECK_INT(pegs_card_lines(model), 1 + 6 + 3 + 4);
	pegs_card_each(&env, model, card, take_line);
	CHECK_INT(ncard, 1 + 6 + 3 + 4);
	CHECK(card[0].column == -1 && card[0].points == model->intercept && card[0].logit == model->intercept / 2048.0 && card[0].rows == model->rows);
	for (uint64_t i = 1; i < ncard; i++)
	{
		const pegs_card_line *line = &card[i];
		const pegs_feature *f = &model->feature[line->column];
		int32_t		code[COLUMNS] = {-1, -1, -1, -1};

		CHECK(line->column == (i < 7 ? 1 : i < 10 ? 2 : 3) && line->level == (i < 7 ? i - 1 : i < 10 ? i - 7 : i - 10));
		code[line->column] = (int32_t) line->level;
		CHECK_INT(card[0].points + line->points, pegs_score_sum(model, code));
		CHECK(line->logit == line->points / 2048.0);
		if (line->column == 2)
			CHECK(line->points == 0 && line->sd == 0 && line->rows == model->rows);
		else
			CHECK(line->class == f->class_of[line->level] && line->sd == f->sd[line->class] && line->sd > 0 && line->rows == f->rows[line->class]);
	}
	/* the intercept is the average of all columns, whose noise is independent */
	for (uint32_t c = 1; c < COLUMNS; c += 2)
		for (uint32_t k = 0; k < model->feature[c].classes; k++)
			variance += pow(model->feature[c].rows[k] / 2000 * model->feature[c].sd[k], 2);
	CHECK_NEAR(card[0].sd, sqrt(variance), 0.1);
	arena_free(&memory);
	return unit_done("card_test");
}
