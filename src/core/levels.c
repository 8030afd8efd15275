/*
 * levels.c
 *	  Levels of a column, learnt from how many rows its values have.
 *
 * It must never let out anything of a value whose noisy number is not above the
 * threshold, nor look at a number without the accountant. Memory: at most twice
 * as many levels as may be left, however many values there are. Claim P15.
 */
#include "core/levels.h"

#include <stdlib.h>
#include <string.h>

/* A tail of Laplace noise is longer than that of Gaussian noise of this part of its standard deviation. */
#define LONGER_TAIL 1.8

/* Of a delta that has thresholds, too, half; where rho is paid all but a tenth, as in the account. */
static int64_t
delta_of_noise(int64_t delta, uint32_t levels, bool in_rho)
{
	int64_t		part = delta / PEGS_PARTS_OF_DELTA;

	if (levels == 0)
		return delta;
	return in_rho && part >= (int64_t) levels ? delta - part : delta / 2;
}

/*
 * One column pays in pure epsilon: delta, if there is any, is for its threshold
 * alone. Of many, whose noise grows with their number or with its root, a part
 * of delta, or all where no threshold needs it, buys Gaussian noise where that
 * is better. Where rho is what is paid (in_rho), wherever it can be bought:
 * pure epsilon costs many times as much there (Claim P20).
 */
pegs_share
pegs_share_out(int64_t epsilon, int64_t delta, uint32_t rows_per_unit, uint32_t columns, uint32_t levels, bool in_rho, pegs_accountant *accountant)
{
	pegs_accountant gaussian;
	pegs_share	share;

	pegs_accountant_init(accountant, epsilon, 0, rows_per_unit);
	if ((columns > 1 || in_rho) && delta > 1)
	{
		pegs_accountant_init(&gaussian, epsilon, delta_of_noise(delta, levels, in_rho), rows_per_unit);
		share.cost = pegs_accountant_left(&gaussian) / columns;
		if (pegs_buys_noise(&gaussian, share.cost)
			&& (in_rho || pegs_noise_sd(&gaussian, share.cost) < LONGER_TAIL * pegs_noise_sd(accountant, pegs_accountant_left(accountant) / columns)))
			*accountant = gaussian;
	}
	share.cost = pegs_accountant_left(accountant) / columns;
	share.delta = levels > 0 ? (delta - accountant->delta) / levels : 0;
	return share;
}

/*
 * Gaussian looks are of the accountant's rho; pure ones of an n-th of epsilon for
 * each column, and all together of epsilon. A share is a double, of two
 * roundings: it may be above epsilon/n by epsilon/n 2^-52, and where this is the
 * smaller of the two epsilon is below 2n. So one unit more than epsilon/n rounded
 * down, which is at least 1/n of a unit of 1e-9 above it, is above all that is
 * spent of a share; two looks at a column cost no more: e1^2 + e2^2 <= (e1 + e2)^2.
 */
int64_t
pegs_rho_of_shares(const pegs_accountant *accountant, uint32_t columns)
{
	int64_t		together = pegs_rho_of_pure(accountant->epsilon);
	pegs_u128	one_by_one = (pegs_u128) columns * (pegs_u128) pegs_rho_of_pure(accountant->epsilon / columns + 1);

	if (!accountant->pure)
		return (int64_t) accountant->total;
	return one_by_one < (pegs_u128) together ? (int64_t) one_by_one : together;
}

/* Epsilons add up to epsilon however they are parted, but their rho is least where all are equal. Of rho the rounding of a double is over. */
bool
pegs_is_a_share(const pegs_accountant *accountant, uint32_t columns, uint64_t spent)
{
	if (!accountant->pure)
		return spent <= accountant->total / columns + (accountant->total >> 50) + 1;
	return (pegs_u128) spent * PEGS_EPSILON_UNIT <= (pegs_u128) (accountant->epsilon / columns + 1) << PEGS_COST_BITS;
}

bool
pegs_levels_open(const pegs_env *env, pegs_accountant *accountant, pegs_rng *rng, double cost, int64_t delta, uint32_t most, pegs_levels *levels)
{
	*levels = (pegs_levels) {.env = env, .accountant = accountant, .rng = rng, .delta = delta, .most = most};
	if (delta <= 0 || !pegs_look_open(accountant, PEGS_FOR_ONEWAY, cost, &levels->look))
		return false;
	/* a unit has at most so many values of its own, each of at most so many rows */
	levels->threshold = accountant->rows_per_unit + pegs_noise_tail(&levels->look.noise, delta, accountant->rows_per_unit);
	return true;
}

/* The largest first; of equal ones the one that was met first. */
static int
compare_numbers(const void *a, const void *b)
{
	const pegs_level *x = a;
	const pegs_level *y = b;

	if (x->noisy != y->noisy)
		return x->noisy > y->noisy ? -1 : 1;
	return x->place < y->place ? -1 : x->place > y->place;
}

static int
compare_places(const void *a, const void *b)
{
	const pegs_level *x = a;
	const pegs_level *y = b;

	return x->place < y->place ? -1 : x->place > y->place;
}

/* Those that will not be left, whatever comes. */
static void
leave_most(pegs_levels *levels)
{
	if (levels->n <= levels->most)
		return;
	qsort(levels->level, levels->n, sizeof(pegs_level), compare_numbers);
	for (uint32_t i = levels->most; i < levels->n; i++)
		if (levels->level[i].value)
			pegs_env_free(levels->env, levels->level[i].value);
	levels->n = levels->most;
}

static void
make_room(pegs_levels *levels)
{
	uint32_t	room = levels->room ? 2 * levels->room : 64;
	pegs_level *grown;

	if (levels->n == 2 * levels->most)
		leave_most(levels);
	if (levels->n < levels->room)
		return;
	grown = levels->env->alloc(levels->env->context, room * sizeof(pegs_level));
	if (levels->n > 0)
	{
		memcpy(grown, levels->level, levels->n * sizeof(pegs_level));
		pegs_env_free(levels->env, levels->level);
	}
	levels->level = grown;
	levels->room = room;
}

void **
pegs_levels_meet(pegs_levels *levels, int64_t rows)
{
	double		noisy;

	pegs_look_at(levels->accountant, levels->rng, &levels->look, &rows, &noisy, 1);
	levels->met++;
	if (!(noisy > (double) levels->threshold))
		return NULL;
	make_room(levels);
	levels->level[levels->n] = (pegs_level) {.noisy = noisy, .place = levels->met};
	return &levels->level[levels->n++].value;
}

void
pegs_levels_close(pegs_levels *levels)
{
	leave_most(levels);
	if (levels->n > 0)
		qsort(levels->level, levels->n, sizeof(pegs_level), compare_places);
}
