/*
 * rho.c
 *	  What the totals of an account mean, and what is left of them.
 *
 * An account of sums holds the sums of epsilon and of delta against its totals.
 * An account in rho (zero-concentrated differential privacy) holds the sum of
 * what each charge costs in rho against one total, the rho that is (epsilon,
 * delta)-DP at its totals; a tenth of delta is kept out of that conversion, for
 * what no noise has: thresholds of levels that are learnt. One filter each, and
 * never both by turns: an account is of one kind for ever. Claims P5, P20.
 */
#include "budget/account.h"
#include "budget/budget.h"

#include <math.h>

#include "core/epsilon.h"

bool
pegs_in_rho(const PegsAccount *account)
{
	return OidIsValid(account->rho_sequence);
}

int64
pegs_sum_of_delta(const PegsAccount *account)
{
	return pegs_in_rho(account) ? account->total_delta / PEGS_PARTS_OF_DELTA : account->total_delta;
}

/* The least total of which so much may be charged to the sequence. */
int64
pegs_least_delta(const PegsAccount *account, int64 sum)
{
	return pegs_in_rho(account) ? PEGS_PARTS_OF_DELTA * sum : sum;
}

int64
pegs_rho_delta(const PegsAccount *account)
{
	return account->total_delta - pegs_sum_of_delta(account);
}

int64
pegs_total_rho(const PegsAccount *account)
{
	return (int64) pegs_rho(account->total_epsilon, pegs_rho_delta(account));
}

/* Rounded up. */
int64
pegs_epsilon_spent(const PegsAccount *account, const PegsAmounts *spent)
{
	return pegs_in_rho(account) ? pegs_rho_as_epsilon(spent->rho, pegs_rho_delta(account)) : spent->epsilon;
}

void
pegs_find_left(const PegsAccount *account, PegsBought *spent)
{
	spent->epsilon_left = account->total_epsilon - pegs_epsilon_spent(account, &spent->from);
	spent->delta_left = pegs_sum_of_delta(account) - spent->from.delta;
}

bool
pegs_is_within(const PegsAccount *account, const PegsAmounts *spent)
{
	if (spent->delta > pegs_sum_of_delta(account))
		return false;
	return pegs_in_rho(account) ? spent->rho <= pegs_total_rho(account) : spent->epsilon <= account->total_epsilon;
}

/* An account in rho adds up what was asked for, too, for its ledger; it is held against nothing. */
PegsAmounts
pegs_amounts_of(const PegsAccount *account, const PegsBill *bill)
{
	if (!pegs_in_rho(account))
		return (PegsAmounts) {bill->epsilon, bill->delta, 0};
	if (bill->rho <= 0 || bill->delta_apart < 0 || bill->delta_apart > bill->delta)
		elog(ERROR, "a charge in rho must be positive");
	return (PegsAmounts) {bill->epsilon, bill->delta_apart, bill->rho};
}

/* Gaussian noise and choices by zCDP, as pegs_accountant_init buys them; or all that is epsilon-DP. */
void
pegs_bill_noise(PegsBill *bill)
{
	bill->rho = bill->delta > 0 ? (int64) pegs_rho(bill->epsilon, bill->delta) : pegs_rho_of_pure(bill->epsilon);
}

char *
pegs_rho_text(int64 rho)
{
	return psprintf("%.6g", ldexp((double) rho, -PEGS_COST_BITS));
}
