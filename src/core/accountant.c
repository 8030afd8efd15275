/*
 * accountant.c
 *	  The privacy cost of one fit.
 *
 * Costs are planned in double and spent in integers, rounded down before the
 * noise is derived from them, so the sum of the record never passes the total.
 * Claim P6, docs/privacy.md.
 */
#include "core/accountant.h"

#include "core/urn.h"
#include "core/witness.h"

#include <math.h>
#include <string.h>

#define DRAWS_AT_ONCE 4096		/* between two questions whether to stop */
#define SUMS_AT_ONCE 1024		/* that are looked at in one part */
#define UNITS_OF_SUM 4096		/* a cost that is left for a step of a sum: rounding takes away a part in so many */

static const double UNIT = 0x1p-50;

void
pegs_accountant_init(pegs_accountant *accountant, int64_t epsilon, int64_t delta, uint32_t rows_per_unit)
{
	memset(accountant, 0, sizeof(*accountant));
	accountant->epsilon = epsilon;
	accountant->delta = delta;
	accountant->rows_per_unit = rows_per_unit;
	accountant->pure = delta == 0;
	accountant->total = accountant->pure ? pegs_pure_cost(epsilon) : pegs_rho(epsilon, delta);
	for (uint32_t i = 0; i < PEGS_PURPOSES; i++)
		accountant->record[i].purpose = i + 1;
}

double
pegs_accountant_left(const pegs_accountant *accountant)
{
	return (double) (accountant->total - accountant->spent) * UNIT;
}

bool
pegs_buys_noise(const pegs_accountant *accountant, double cost)
{
	double		k = accountant->rows_per_unit;

	return cost / UNIT >= 2 * (accountant->pure ? k : k * k);
}

double
pegs_noise_sd(const pegs_accountant *accountant, double cost)
{
	return accountant->rows_per_unit * (accountant->pure ? sqrt(2) / cost : sqrt(0.5 / cost));
}

double
pegs_noise_abs(const pegs_accountant *accountant, double cost)
{
	return pegs_noise_sd(accountant, cost) * (accountant->pure ? sqrt(0.5) : sqrt(2 / M_PI));
}

double
pegs_cost_of_sd(const pegs_accountant *accountant, double sd)
{
	sd /= accountant->rows_per_unit;
	return accountant->pure ? sqrt(2) / sd : 0.5 / (sd * sd);
}

/* Spend; 0 if a unit is not left. The caller derives its noise from the answer. */
static uint64_t
spend(pegs_accountant *accountant, pegs_purpose purpose, double cost)
{
	uint64_t	left = accountant->total - accountant->spent;
	uint64_t	units = cost > 0 ? (cost / UNIT >= (double) left ? left : (uint64_t) (cost / UNIT)) : 0;

	accountant->spent += units;
	accountant->record[purpose - 1].uses += units > 0;
	accountant->record[purpose - 1].cost += units;
	return units;
}

/* The noise that so many units buy. */
static pegs_noise
noise_of(const pegs_accountant *accountant, uint64_t units)
{
	pegs_noise	noise = {.pure = accountant->pure, .units = units};

	if (!accountant->pure)
		noise.sigma2 = pegs_variance_of_cost(units);
	return noise;
}

static double
variance_of(const pegs_noise *noise)
{
	double		e = (double) noise->units * UNIT;

	if (!noise->pure)
		return ldexp((double) noise->sigma2.num, -(int) noise->sigma2.shift);
	return fmax(2 * exp(-e) / (expm1(-e) * expm1(-e)), 0x1p-60);	/* it is divided by */
}

static int64_t
draw_noise(pegs_rng *rng, const pegs_noise *noise)
{
	if (noise->pure)
		return pegs_discrete_laplace(rng, noise->units, UINT64_C(1) << PEGS_COST_BITS);
	return pegs_discrete_gaussian(rng, noise->sigma2);
}

bool
pegs_look_open(pegs_accountant *accountant, pegs_purpose purpose, double cost, pegs_look *look)
{
	uint64_t	before = accountant->spent;
	uint64_t	units = spend(accountant, purpose, cost);
	uint64_t	k = accountant->rows_per_unit;
	pegs_noise	noise;

	if (units == 0)
		return false;
	/* sensitivity k: the noise of k times less epsilon, of k^2 times less rho */
	units /= accountant->pure ? k : k * k;
	if (units == 0)
		return false;
	noise = noise_of(accountant, units);
	*look = (pegs_look) {.purpose = purpose, .spent = accountant->spent - before, .most = k, .noise = noise};
	return true;
}

void
pegs_look_at(const pegs_accountant *accountant, pegs_rng *rng, const pegs_look *look, const int64_t *exact, double *noisy, size_t n)
{
	bool		answered = accountant->witness && accountant->witness->again;
	const pegs_noise noise = look->noise;

	if (accountant->witness)
		pegs_witness_rng(accountant->witness, rng);
	for (size_t i = 0; i < n && !answered; i++)
	{
		if (accountant->env && i % DRAWS_AT_ONCE == 0)
			accountant->env->check(accountant->env->context);
		noisy[i] = (double) pegs_noisy(exact[i], draw_noise(rng, &noise));
	}
	if (accountant->witness)
	{
		pegs_witness_rng(accountant->witness, rng);
		pegs_witness_look(accountant->witness, look->purpose, look->most, &noise, look->spent, exact, noisy, n);
	}
}

int64_t
pegs_noise_tail(const pegs_noise *noise, int64_t delta, uint32_t rows)
{
	return noise->pure ? pegs_laplace_tail(noise->units, delta, rows) : pegs_gaussian_tail(noise->sigma2, delta, rows);
}

double
pegs_measure(pegs_accountant *accountant, pegs_rng *rng, pegs_purpose purpose, double cost,
			 const int64_t *exact, double *noisy, size_t n)
{
	pegs_look	look;

	if (!pegs_look_open(accountant, purpose, cost, &look))
		return -1;
	pegs_look_at(accountant, rng, &look, exact, noisy, n);
	return variance_of(&look.noise);
}

/* The noise of steps of which a unit moves `most`, which cannot be less than `cells`; false: not a unit is left for it. */
static bool
noise_of_steps(const pegs_accountant *accountant, uint64_t units, pegs_u128 most, uint64_t cells, pegs_noise *noise)
{
	pegs_u128	left = accountant->pure ? units / most : units / most / most;

	*noise = noise_of(accountant, (uint64_t) left);
	return left >= UNITS_OF_SUM || (most <= cells && left > 0);
}

/*
 * Steps of 2^shift, rounded down, that a unit moves in all sums together: where it moves one by d > 0, at
 * most (d + 2^shift - 1) / 2^shift, and it moves no more sums than it has rows.
 */
static pegs_u128
most_steps(pegs_u128 most, uint64_t cells, uint32_t shift)
{
	return (most + cells * (((pegs_u128) 1 << shift) - 1)) >> shift;
}

/* The look at sums that so many units buy, in steps of 2^*shift; false: none. */
static bool
open_sums(const pegs_accountant *accountant, uint64_t units, uint64_t bound, size_t n, pegs_look *look, uint32_t *shift)
{
	pegs_u128	most = (pegs_u128) accountant->rows_per_unit * bound;
	uint64_t	cells = n < accountant->rows_per_unit ? n : accountant->rows_per_unit;

	if (units == 0)
		return false;
	*shift = 0;
	while (!noise_of_steps(accountant, units, most_steps(most, cells, *shift), cells, &look->noise))
	{
		if (most_steps(most, cells, *shift) <= cells)
			return false;
		++*shift;
	}
	look->most = (uint64_t) most_steps(most, cells, *shift);
	return true;
}

double
pegs_measure_sums(pegs_accountant *accountant, pegs_rng *rng, pegs_purpose purpose, double cost, const int64_t *exact, uint64_t bound,
				  double *noisy, size_t n)
{
	uint64_t	units = spend(accountant, purpose, cost);
	pegs_look	look = {.purpose = purpose, .spent = units};
	int64_t		steps[SUMS_AT_ONCE];
	uint32_t	shift;
	double		step;

	if (!open_sums(accountant, units, bound, n, &look, &shift))
		return -1;
	step = ldexp(1, (int) shift);
	for (size_t at = 0; at < n; at += SUMS_AT_ONCE)
	{
		size_t		part = n - at < SUMS_AT_ONCE ? n - at : SUMS_AT_ONCE;

		for (size_t i = 0; i < part; i++)
			steps[i] = exact[at + i] >= 0 ? exact[at + i] >> shift : -((-exact[at + i] + (INT64_C(1) << shift) - 1) >> shift);
		pegs_look_at(accountant, rng, &look, steps, noisy + at, part);
		for (size_t i = 0; i < part; i++)
			noisy[at + i] = noisy[at + i] * step + (step - 1) / 2;
	}
	return variance_of(&look.noise) * step * step;
}

double
pegs_measure_sum(pegs_accountant *accountant, pegs_rng *rng, pegs_purpose purpose, double cost, int64_t exact, uint64_t bound, double *noisy)
{
	return pegs_measure_sums(accountant, rng, purpose, cost, &exact, bound, noisy, 1);
}

double
pegs_choice_factor(const pegs_accountant *accountant, double cost)
{
	return (accountant->pure ? cost / 2 : sqrt(2 * cost)) / accountant->rows_per_unit;
}

/* halves: of e, in the factor of a score. */
static size_t
choose(pegs_accountant *accountant, pegs_rng *rng, double cost, const int64_t *score, size_t n, uint64_t halves)
{
	uint64_t	before = accountant->spent;
	uint64_t	units = spend(accountant, PEGS_FOR_CHOICE, cost);
	uint64_t	num = 0;
	uint64_t	den = 1;
	size_t		pick;

	if (accountant->witness)
		pegs_witness_rng(accountant->witness, rng);
	if (units == 0)				/* nothing bought: nothing looked at */
		pick = (size_t) pegs_rng_below(rng, n);
	else
	{
		pegs_selection_of_cost(accountant->pure, units, &num, &den);
		num /= accountant->rows_per_unit;
		den /= halves;			/* a power of two */
		pick = pegs_exponential_mechanism(accountant->env, rng, score, n, num, den);
	}
	if (accountant->witness == NULL)
		return pick;
	pegs_witness_rng(accountant->witness, rng);
	return pegs_witness_choice(accountant->witness, accountant, num, den, accountant->spent - before, score, n, pick);
}

size_t
pegs_choose(pegs_accountant *accountant, pegs_rng *rng, double cost, const int64_t *score, size_t n)
{
	return choose(accountant, rng, cost, score, n, 1);
}

size_t
pegs_choose_monotone(pegs_accountant *accountant, pegs_rng *rng, double cost, const int64_t *score, size_t n)
{
	return choose(accountant, rng, cost, score, n, 2);
}

/* One table: filled, drawn from, and each draw put back. */
static void
draw_table(const pegs_accountant *accountant, pegs_rng *rng, const pegs_env *env, const pegs_urn_look *look, uint32_t table,
		   size_t first, const int64_t *exact, double *drawn)
{
	const uint64_t *count = (const uint64_t *) exact + first;
	pegs_urn	urn;

	pegs_urn_init(env, &urn, look->levels[table]);
	urn.prior = look->prior ? look->prior + first : NULL;
	pegs_urn_fill(env, &urn, count, look->alpha, NULL);
	for (uint64_t i = 0; i < look->draws; i++)
	{
		uint32_t	level;

		if (i % DRAWS_AT_ONCE == 0)
			env->check(env->context);
		level = pegs_urn_draw(&urn, rng);
		pegs_urn_put_back(&urn, level);
		drawn[first + level]++;
	}
	if (accountant->witness)
		pegs_witness_emptied(accountant->witness, look, &urn, drawn + first);
	pegs_env_free(env, urn.sum);
}

bool
pegs_draw_urns(pegs_accountant *accountant, pegs_rng *rng, const pegs_env *env, pegs_urn_look *look, const int64_t *exact, double *drawn)
{
	bool		answered = accountant->witness && accountant->witness->again;
	uint32_t	widest = 1;
	size_t		n = 0;

	for (uint32_t t = 0; t < look->tables; t++)
		widest = look->levels[t] > widest ? look->levels[t] : widest;
	look->delta = accountant->delta;
	if (accountant->spent > 0
		|| pegs_urn_price(look->apart ? 1 : look->tables, look->draws, widest, accountant->rows_per_unit, accountant->epsilon, &look->delta, &look->alpha) != PEGS_OK
		|| spend(accountant, PEGS_FOR_URNS, pegs_accountant_left(accountant)) == 0)
		return false;
	if (look->apart)
		accountant->record[PEGS_FOR_URNS - 1].uses = look->tables;
	if (accountant->witness)
		pegs_witness_rng(accountant->witness, rng);
	for (uint32_t t = 0; t < look->tables; n += look->levels[t++])
	{
		memset(drawn + n, 0, sizeof(double) * look->levels[t]);
		if (!answered)
			draw_table(accountant, rng, env, look, t, n, exact, drawn);
	}
	if (accountant->witness)
	{
		pegs_witness_rng(accountant->witness, rng);
		pegs_witness_urns(accountant->witness, accountant, look, exact, drawn, n);
	}
	return true;
}
