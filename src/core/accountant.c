/*
 * accountant.c
 *	  The privacy cost of one fit.
 *
 * Costs are planned in double and spent in integers, rounded down before the
 * noise is derived from them, so the sum of the record never passes the total.
 * Claim P6, docs/privacy.md.
 */
#include "core/accountant.h"

#include "core/witness.h"

#include <math.h>
#include <string.h>

#define DRAWS_AT_ONCE 4096		/* between two questions whether to stop */
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

	for (size_t i = 0; i < n && !answered; i++)
	{
		if (accountant->env && i % DRAWS_AT_ONCE == 0)
			accountant->env->check(accountant->env->context);
		noisy[i] = (double) (exact[i] + draw_noise(rng, &noise));
	}
	if (accountant->witness)
		pegs_witness_look(accountant->witness, look->purpose, look->most, &noise, look->spent, exact, noisy, n);
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

/* The noise of steps of which a unit moves `most`; false: too little is left for it, and larger steps may have more. */
static bool
noise_of_steps(const pegs_accountant *accountant, uint64_t units, pegs_u128 most, pegs_u128 least, pegs_noise *noise)
{
	pegs_u128	left = accountant->pure ? units / most : units / most / most;

	if (left == 0)
		return false;
	*noise = noise_of(accountant, (uint64_t) left);
	return left >= UNITS_OF_SUM || most == least;
}

/*
 * So many steps of 2^shift does a unit move all sums by, together: of one sum, what its rows make of it, rounded
 * up once; of more, of each row's, as each may be in another sum.
 */
static pegs_u128
steps_of_unit(const pegs_accountant *accountant, uint64_t bound, uint32_t shift, size_t n)
{
	pegs_u128	rows = accountant->rows_per_unit;
	pegs_u128	above = ((pegs_u128) 1 << shift) - 1;

	return n == 1 ? (rows * bound + above) >> shift : rows * ((bound + above) >> shift);
}

double
pegs_measure_sums(pegs_accountant *accountant, pegs_rng *rng, pegs_purpose purpose, double cost, int64_t *exact, uint64_t bound,
				  double *noisy, size_t n)
{
	uint64_t	units = spend(accountant, purpose, cost);
	pegs_look	look = {.purpose = purpose, .spent = units};
	pegs_u128	least = n == 1 ? 1 : accountant->rows_per_unit;
	uint32_t	shift = 0;
	double		step;

	if (units == 0)
		return -1;
	/* what is rounded down moves by no more than what is rounded up */
	while (!noise_of_steps(accountant, units, steps_of_unit(accountant, bound, shift, n), least, &look.noise))
	{
		if (steps_of_unit(accountant, bound, shift, n) == least)
			return -1;
		shift++;
	}
	look.most = (uint64_t) steps_of_unit(accountant, bound, shift, n);
	step = ldexp(1, (int) shift);
	for (size_t i = 0; i < n; i++)
		exact[i] = exact[i] >= 0 ? exact[i] >> shift : -((-exact[i] + (INT64_C(1) << shift) - 1) >> shift);
	pegs_look_at(accountant, rng, &look, exact, noisy, n);
	for (size_t i = 0; i < n; i++)
		noisy[i] = noisy[i] * step + (step - 1) / 2;
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

	if (units == 0)				/* nothing bought: nothing looked at */
		pick = (size_t) pegs_rng_below(rng, n);
	else
	{
		pegs_selection_of_cost(accountant->pure, units, &num, &den);
		num /= accountant->rows_per_unit;
		den /= halves;			/* a power of two */
		pick = pegs_exponential_mechanism(rng, score, n, num, den);
	}
	if (accountant->witness)
		return pegs_witness_choice(accountant->witness, accountant, num, den, accountant->spent - before, score, n, pick);
	return pick;
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
