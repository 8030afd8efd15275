/*
 * coefficients_test.c
 *	  Claim P26, by enumeration, between any two models: does the sampler's own
 *	  arithmetic keep the bound, whatever the coefficients are?
 *
 * The weights of a column add up to the same number for every model and every
 * row, so a probability of a path is a product of weights over a constant, and
 * that of an output is a sum of such products: integers. All outputs of one
 * and two rows of all pairs of models, fitted to tables that have nothing in
 * common and made up to be as far apart as doubles can be, are held against
 *
 *		numerator <= (1 + 1/alpha)^(rows * free columns) * the other's numerator
 *
 * without rounding. Floors of zero must break it.
 */
#include "core/regression/coefficients.h"

#include <string.h>

#include "core/counts.h"
#include "core/regression/multinomial.h"
#include "fixture.h"
#include "unit.h"

/* ---- integers of 1,024 bits ---- */

#define LIMBS 16

typedef struct natural
{
	uint64_t	limb[LIMBS];
} natural;

static natural
times(natural x, uint64_t factor)
{
	uint64_t	carry = 0;

	for (int i = 0; i < LIMBS; i++)
	{
		pegs_u128	product = (pegs_u128) x.limb[i] * factor + carry;

		x.limb[i] = (uint64_t) product;
		carry = (uint64_t) (product >> 64);
	}
	CHECK(carry == 0);
	return x;
}

static void
add(natural *to, const natural *x)
{
	uint64_t	carry = 0;

	for (int i = 0; i < LIMBS; i++)
	{
		pegs_u128	sum = (pegs_u128) to->limb[i] + x->limb[i] + carry;

		to->limb[i] = (uint64_t) sum;
		carry = (uint64_t) (sum >> 64);
	}
	CHECK(carry == 0);
}

static bool
is_at_most(const natural *a, const natural *b)
{
	for (int i = LIMBS; i-- > 0;)
		if (a->limb[i] != b->limb[i])
			return a->limb[i] < b->limb[i];
	return true;
}

/* ---- models ---- */

#define COLUMNS 2
#define CELLS 6
#define MODELS 12

static uint32_t levels[COLUMNS] = {2, 3};
static uint32_t parent_start[COLUMNS + 1] = {0, 1, 2};
static uint16_t parents[COLUMNS] = {1, 0};
static pegs_coefficients models[MODELS];

/* Of a table of the two columns, or of coefficients that no fit finds. */
static void
make_model(pegs_coefficients *model, const uint64_t *table, double from_somewhere)
{
	pegs_layout layout;
	uint64_t	own[COLUMNS][CELLS];

	*model = (pegs_coefficients) {.ncols = COLUMNS, .levels = levels, .parent_start = parent_start, .parents = parents};
	pegs_coefficients_place(&env, model);
	model->coef = env.alloc(env.context, sizeof(double) * model->start[COLUMNS]);
	for (uint64_t i = 0; table == NULL && i < model->start[COLUMNS]; i++)
		model->coef[i] = i % 3 == 0 ? from_somewhere : i % 3 == 1 ? -from_somewhere : from_somewhere * 1e-3 * (double) i;
	if (table == NULL)
		return;
	CHECK(pegs_layout_conditional(&env, COLUMNS, levels, parent_start, parents, 0, &layout, NULL) == PEGS_OK);
	for (uint32_t a = 0; a < 2; a++)
		for (uint32_t b = 0; b < 3; b++)
			own[0][b * 2 + a] = own[1][a * 3 + b] = table[a * 3 + b];
	for (uint32_t i = 0; i < COLUMNS; i++)
	{
		pegs_multinomial data;

		pegs_multinomial_of(&env, &layout, own[i], i, &data);
		pegs_multinomial_fit(&env, &data, from_somewhere, 0.5, model->coef + model->start[i]);
	}
}

static void
make_models(void)
{
	static const uint64_t table[8][CELLS] = {
		{0}, {1}, {0, 0, 0, 0, 0, 1}, {0, 0, 3}, {1, 1, 1, 1, 1, 1},
		{UINT64_C(1) << 40}, {0, 0, 0, 0, 0, UINT64_C(1) << 40}, {0, 1000, 0, 1, 0, 500}
	};

	for (int i = 0; i < 8; i++)
		make_model(&models[i], table[i], i % 2 ? 0 : 2e-4);
	make_model(&models[8], NULL, 1e4);
	make_model(&models[9], NULL, -1e4);
	make_model(&models[10], NULL, 1.7e308);	/* inf - inf */
	make_model(&models[11], NULL, 1e-300);
}

/* ---- all paths ---- */

static const int bits = 32;
static uint64_t lowest = UINT64_MAX;	/* weight that was seen: of the floor */

static void
weights_of(const pegs_coefficients *model, uint32_t column, const uint16_t *row, uint64_t least, uint64_t *weight)
{
	uint16_t	x[1];
	double		scratch[3];
	uint64_t	sum = 0;

	pegs_coefficients_weights(model, column, row, bits, least, x, scratch, weight);
	for (uint32_t j = 0; j < levels[column]; j++)
	{
		sum += weight[j];
		CHECK(weight[j] >= least && weight[j] <= least + (UINT64_C(1) << bits));
		lowest = weight[j] < lowest ? weight[j] : lowest;
	}
	CHECK(sum == (UINT64_C(1) << bits) + levels[column] * least);
}

/* In state[row] how often it is where we are; one sweep from there. given: the code of the second column, or -1. */
static void
sweep(const pegs_coefficients *model, uint64_t least, int32_t given, natural *state)
{
	for (uint32_t column = 0; column < COLUMNS; column++)
	{
		natural		after[CELLS] = {0};

		if (column == 1 && given >= 0)
			continue;
		for (uint16_t r = 0; r < CELLS; r++)
		{
			uint16_t	row[COLUMNS] = {r / 3, r % 3};
			uint64_t	weight[3];

			weights_of(model, column, row, least, weight);
			for (uint16_t j = 0; j < levels[column]; j++)
			{
				natural		path = times(state[r], weight[j]);

				add(&after[column == 0 ? j * 3 + row[1] : row[0] * 3 + j], &path);
			}
		}
		memcpy(state, after, sizeof(after));
	}
}

/* How often each output of one row, or of two, comes: all seeds, all hidden states. */
static void
outputs_of(const pegs_coefficients *model, uint64_t least, int rows, int sweeps, int32_t given, natural output[CELLS * CELLS])
{
	natural		state[CELLS] = {0};

	for (uint16_t r = 0; r < CELLS; r++)
		state[r].limb[0] = given < 0 || r % 3 == given;
	for (int s = 0; s < sweeps; s++)
		sweep(model, least, given, state);
	for (uint16_t first = 0; first < CELLS; first++)
	{
		natural		second[CELLS] = {0};

		second[first] = state[first];
		for (int s = 0; rows == 2 && s < sweeps; s++)
			sweep(model, least, given, second);
		memcpy(output + first * CELLS, second, sizeof(second));
	}
}

/* The worst that is seen: how many pairs of models and outputs break the bound. */
static int
broken(uint64_t floor, uint64_t claimed, int rows, int sweeps, int32_t given)
{
	static natural output[MODELS][CELLS * CELLS];
	int			draws = rows * (given < 0 ? 2 : 1);
	int			n = 0;

	for (int m = 0; m < MODELS; m++)
		outputs_of(&models[m], floor, rows, sweeps, given, output[m]);
	for (int a = 0; a < MODELS; a++)
		for (int b = 0; b < MODELS; b++)
			for (int o = 0; o < CELLS * CELLS; o++)
			{
				natural		left = output[a][o];
				natural		right = output[b][o];

				for (int d = 0; d < draws; d++)
				{
					left = times(left, claimed);
					right = times(right, claimed + (UINT64_C(1) << bits));
				}
				n += !is_at_most(&left, &right);
			}
	return n;
}

static void
test_claim(void)
{
	/* alpha of epsilon 10, 1 and 0.1 for a column, in units of 2^-32 */
	static const uint64_t alpha[] = {195000, UINT64_C(2499581999), UINT64_C(40837500000)};

	make_models();
	for (size_t i = 0; i < 3; i++)
		for (int sweeps = 1; sweeps <= 3; sweeps++)
			for (int32_t given = -1; given < 3; given += 3)
			{
				CHECK_INT(broken(alpha[i], alpha[i], 1, sweeps, given), 0);
				CHECK_INT(broken(alpha[i], alpha[i], 2, sweeps, given), 0);
			}
	/* all that a column may say is said: an alpha that is a tenth larger is claimed in vain */
	CHECK(broken(alpha[1], alpha[1] / 10 * 11, 1, 1, -1) > 0);
	CHECK(broken(alpha[1], alpha[1] / 10 * 11, 1, 1, 2) > 0);
	/* and floors that are not there */
	CHECK(broken(0, alpha[0], 1, 1, -1) > 0);
	CHECK(lowest == 0);
	arena_free(&memory);
}

/* 2^bits is shared out as the shares say, to less than a unit a level; what is over goes to the largest. */
static void
test_parts(void)
{
	static uint32_t one[1] = {5};
	static uint32_t nobody[2] = {0, 0};
	double		coef[5] = {log(0.5), log(0.25), log(0.125), log(0.125), -800};
	pegs_coefficients model = {.ncols = 1, .levels = one, .parent_start = nobody, .coef = coef};
	double		scratch[5];
	uint64_t	weight[5];

	pegs_coefficients_place(&env, &model);
	for (int b = 16; b <= 32; b += 8)
	{
		pegs_coefficients_weights(&model, 0, NULL, b, 7, NULL, scratch, weight);
		CHECK(fabs((double) weight[0] - ldexp(0.5, b) - 7) <= 4);
		CHECK(fabs((double) weight[1] - ldexp(0.25, b) - 7) <= 1);
		CHECK(fabs((double) weight[3] - ldexp(0.125, b) - 7) <= 1);
		CHECK_INT(weight[4], 7);
	}
	/* one level alone; no number at all: the same for each */
	for (int j = 0; j < 5; j++)
		coef[j] = j == 3 ? 1e300 : 0;
	pegs_coefficients_weights(&model, 0, NULL, 32, 0, NULL, scratch, weight);
	CHECK_INT(weight[3], INT64_C(1) << 32);
	coef[2] = NAN;
	pegs_coefficients_weights(&model, 0, NULL, 32, 0, NULL, scratch, weight);
	for (int j = 0; j < 5; j++)
		CHECK(weight[j] >= (UINT64_C(1) << 32) / 5 && weight[j] <= (UINT64_C(1) << 32) / 5 + 5);
	arena_free(&memory);
}

int
main(void)
{
	test_claim();
	test_parts();
	return unit_done("coefficients_test");
}
