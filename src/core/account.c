/*
 * account.c
 *	  The privacy cost of one fit.
 *
 * Costs are planned in double and spent in integers, rounded down before the
 * noise is derived from them, so the sum of the record never passes the total.
 * Claim P6, docs/privacy.md.
 */
#include "account.h"

#include "witness.h"

#include <math.h>
#include <string.h>

#define DRAWS_AT_ONCE 4096		/* between two questions whether to stop */

static const double UNIT = 0x1p-50;

void
pegs_account_init(pegs_account *account, int64_t epsilon, int64_t delta, uint32_t rows_per_unit)
{
	memset(account, 0, sizeof(*account));
	account->epsilon = epsilon;
	account->delta = delta;
	account->rows_per_unit = rows_per_unit;
	account->pure = delta == 0;
	account->total = account->pure ? pegs_pure_cost(epsilon) : pegs_rho(epsilon, delta);
	for (uint32_t i = 0; i < 3; i++)
		account->record[i].purpose = i + 1;
}

double
pegs_account_left(const pegs_account *account)
{
	return (double) (account->total - account->spent) * UNIT;
}

bool
pegs_buys_noise(const pegs_account *account, double cost)
{
	double		k = account->rows_per_unit;

	return cost / UNIT >= 2 * (account->pure ? k : k * k);
}

double
pegs_noise_sd(const pegs_account *account, double cost)
{
	return account->rows_per_unit * (account->pure ? sqrt(2) / cost : sqrt(0.5 / cost));
}

double
pegs_noise_abs(const pegs_account *account, double cost)
{
	return pegs_noise_sd(account, cost) * (account->pure ? sqrt(0.5) : sqrt(2 / M_PI));
}

double
pegs_cost_of_sd(const pegs_account *account, double sd)
{
	sd /= account->rows_per_unit;
	return account->pure ? sqrt(2) / sd : 0.5 / (sd * sd);
}

/* Spend; 0 if a unit is not left. The caller derives its noise from the answer. */
static uint64_t
spend(pegs_account *account, pegs_purpose purpose, double cost)
{
	uint64_t	left = account->total - account->spent;
	uint64_t	units = cost > 0 ? (cost / UNIT >= (double) left ? left : (uint64_t) (cost / UNIT)) : 0;

	account->spent += units;
	account->record[purpose - 1].uses += units > 0;
	account->record[purpose - 1].cost += units;
	return units;
}

/* The noise that so many units buy. */
static pegs_noise
noise_of(const pegs_account *account, uint64_t units)
{
	pegs_noise	noise = {.pure = account->pure, .units = units};

	if (!account->pure)
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

double
pegs_measure(pegs_account *account, pegs_rng *rng, pegs_purpose purpose, double cost,
			 const int64_t *exact, double *noisy, size_t n)
{
	uint64_t	before = account->spent;
	uint64_t	units = spend(account, purpose, cost);
	uint64_t	k = account->rows_per_unit;
	bool		answered = account->witness && account->witness->again;
	pegs_noise	noise;

	if (units == 0)
		return -1;
	/* sensitivity k: the noise of k times less epsilon, of k^2 times less rho */
	units /= account->pure ? k : k * k;
	if (units == 0)
		return -1;
	noise = noise_of(account, units);
	for (size_t i = 0; i < n && !answered; i++)
	{
		if (account->env && i % DRAWS_AT_ONCE == 0)
			account->env->check(account->env->context);
		noisy[i] = (double) (exact[i] + draw_noise(rng, &noise));
	}
	if (account->witness)
		pegs_witness_look(account->witness, account, purpose, &noise, account->spent - before, exact, noisy, n);
	return variance_of(&noise);
}

double
pegs_choice_factor(const pegs_account *account, double cost)
{
	return (account->pure ? cost / 2 : sqrt(2 * cost)) / account->rows_per_unit;
}

size_t
pegs_choose(pegs_account *account, pegs_rng *rng, double cost, const int64_t *score, size_t n)
{
	uint64_t	before = account->spent;
	uint64_t	units = spend(account, PEGS_FOR_CHOICE, cost);
	uint64_t	num = 0;
	uint64_t	den = 1;
	size_t		pick;

	if (units == 0)				/* nothing bought: nothing looked at */
		pick = (size_t) pegs_rng_below(rng, n);
	else
	{
		pegs_selection_of_cost(account->pure, units, &num, &den);
		num /= account->rows_per_unit;
		pick = pegs_exponential_mechanism(rng, score, n, num, den);
	}
	if (account->witness)
		return pegs_witness_choice(account->witness, account, num, den, account->spent - before, score, n, pick);
	return pick;
}
