/*
 * epsilon_account_test.c
 *	  Is what an account in rho adds up as private as its conversion says?
 *
 * What a call costs, against its formula, in integers; the way back to epsilon,
 * against pegs_rho; then calls of every kind together, whose privacy loss is
 * enumerated: the delta at which they are (epsilon, delta)-DP must not pass the
 * one of the account. Costs that are a fifth too small must pass it. Claim P20.
 */
#include "core/epsilon.h"

#include "fixture.h"
#include "unit.h"

typedef long double real;

/* ---------- what a call costs ---------- */

static void
test_costs(void)
{
	const pegs_u128 unit = (pegs_u128) PEGS_EPSILON_UNIT;

	CHECK_INT(pegs_rho_of_pure(PEGS_EPSILON_UNIT), INT64_C(1) << 49);
	CHECK_INT(pegs_rho_of_pure(2 * PEGS_EPSILON_UNIT), INT64_C(1) << 51);
	CHECK_INT(pegs_rho_of_pure(3 * PEGS_EPSILON_UNIT), INT64_C(3) << 50);
	CHECK_INT(pegs_rho_of_range(PEGS_EPSILON_UNIT, 1), INT64_C(1) << 47);
	CHECK_INT(pegs_rho_of_range(PEGS_EPSILON_UNIT, 4000), (INT64_C(1) << 47) / 4000 + 1);
	CHECK_INT(pegs_rho_of_range(80 * PEGS_EPSILON_UNIT, 1), INT64_C(80) << 50);
	/* never for nothing, never out of range */
	CHECK_INT(pegs_rho_of_pure(1), 1);
	CHECK_INT(pegs_rho_of_range(1, UINT64_MAX), 1);
	CHECK_INT(pegs_rho_of_pure(0), 0);
	CHECK_INT(pegs_rho_of_range(-1, 1), 0);
	CHECK(pegs_rho_of_range(1, 0) == INT64_MAX);
	CHECK(pegs_rho_of_pure(INT64_MAX) == INT64_MAX);
	CHECK(pegs_rho_of_range(INT64_MAX, UINT64_MAX) == INT64_MAX);
	CHECK(pegs_rho_of_alpha(0, 1, 1) == INT64_MAX);
	CHECK(pegs_rho_of_alpha(1, 0, 1) == INT64_MAX);
	CHECK(pegs_rho_of_alpha(1, 1, 0) == INT64_MAX);
	CHECK(pegs_rho_of_alpha(1, UINT64_MAX, UINT32_MAX) == INT64_MAX);
	CHECK_INT(pegs_rho_of_alpha(UINT64_C(1) << 62, 1, 1), 1);

	start(1);
	for (int i = 0; i < 20000; i++)
	{
		int64_t		e = (int64_t) any_size(INT64_C(1) << 39);
		uint64_t	v = any_size(1 << 20);
		pegs_u128	pure = (pegs_u128) pegs_rho_of_pure(e);
		pegs_u128	range = (pegs_u128) pegs_rho_of_range(e, v);
		bool		linear = pure * unit >= (pegs_u128) e << 50;
		bool		all = range * unit >= (pegs_u128) e << 50;

		/* at least one of the two that are proved, and not two units above both */
		CHECK(linear || (e < 4 * PEGS_EPSILON_UNIT && pure * 2 * unit * unit >= ((pegs_u128) e * (pegs_u128) e) << 50));
		CHECK((pure - 1) * unit < (pegs_u128) e << 50);
		CHECK(e >= 4 * PEGS_EPSILON_UNIT || (pure - 1) * 2 * unit * unit < ((pegs_u128) e * (pegs_u128) e) << 50);
		CHECK(all || (real) range * 8 * (real) v * 1e18L >= (real) e * (real) e * 0x1p50L * (1 - 1e-15L));
		CHECK((range - 1) * unit < (pegs_u128) e << 50);
		CHECK((real) range < ((real) e * (real) e * 0x1p47L / (real) v) / 1e18L * (1 + 1e-15L) + 1.001L);
	}
}

/* Of an alpha: its formula, never less of it, and next to never more than what the alpha was bought by. */
static void
test_alphas(void)
{
	start(4);
	for (int i = 0; i < 20000; i++)
	{
		uint64_t	v = any_size(1 << 20);
		uint32_t	k = (uint32_t) any_size(200);
		uint64_t	bought = any_size(UINT64_C(1) << 56);
		uint64_t	alpha = any_size(UINT64_C(1) << 60);
		real		eta = log1pl(0x1p16L / (real) alpha);
		real		formula = (real) v * k * k * eta * eta / 8 * 0x1p50L;
		int64_t		rho = pegs_rho_of_alpha(alpha, v, k);

		CHECK(formula > 0x1p62L || ((real) rho >= formula && (real) rho <= formula * (1 + 0x1p-39L) + 1));
		if (pegs_alpha_of_rho(bought, v, k, 2, &alpha) == PEGS_OK)
			CHECK((real) pegs_rho_of_alpha(alpha, v, k) <= (real) bought * (1 + 0x1p-39L) + 1);
	}
}

static void
test_back(void)
{
	start(2);
	for (int i = 0; i < 300; i++)
	{
		int64_t		rho = (int64_t) any_size(INT64_C(1) << 60);
		int64_t		delta = (int64_t) any_size(PEGS_DELTA_UNIT - 1);
		int64_t		epsilon = pegs_rho_as_epsilon(rho, delta);

		CHECK(pegs_rho(epsilon, delta) >= (uint64_t) rho);
		CHECK(pegs_rho(epsilon - 1, delta) < (uint64_t) rho);
	}
	CHECK_INT(pegs_rho_as_epsilon(0, 1000000000), 0);
	CHECK_INT(pegs_rho_as_epsilon(-1, 1000000000), 0);
	CHECK(pegs_rho_as_epsilon(1, 0) == INT64_MAX);
	CHECK(pegs_rho_as_epsilon(INT64_MAX, 1000000000) == INT64_MAX);
	/* what a fit of (1, 1e-9) costs is 1 at 1e-9, and ten of them are 3.15 at 1e-8 */
	CHECK_INT(pegs_rho_as_epsilon((int64_t) pegs_rho(PEGS_EPSILON_UNIT, 1000000000), 1000000000), PEGS_EPSILON_UNIT);
	CHECK_NEAR((double) pegs_rho_as_epsilon(10 * (int64_t) pegs_rho(PEGS_EPSILON_UNIT, 1000000000), INT64_C(10000000000)) * 1e-9, 3.15, 0.002);
}

/* ---------- calls of every kind together ---------- */

/*
 * n randomized responses of epsilon (no pure mechanism tells more), V visits
 * to an empty cell of two levels at the alpha that `range`, or `bought`, buys
 * for all of them, and Gaussian noise of rho: the losses of all are known exactly.
 */
typedef struct mix
{
	int64_t		pure;			/* epsilon of each response */
	int			responses;
	int64_t		range;			/* epsilon of the visits together, or */
	uint64_t	bought;			/* rho that their alpha is bought by: a call with delta */
	int			visits;
	int			rows;			/* of one person, more in that cell; 0: one */
	int64_t		gaussian;		/* rho, units of 2^-50 */
	int64_t		delta;			/* of the account */
} mix;

static real
binomial(int n, int k, real p)
{
	return expl(lgammal(n + 1.0L) - lgammal(k + 1.0L) - lgammal(n - k + 1.0L) + k * logl(p) + (n - k) * log1pl(-p));
}

static real
normal(real x)
{
	return erfcl(-x / sqrtl(2)) / 2;
}

/* E max(0, 1 - e^(epsilon - L - G)), G the loss of Gaussian noise. */
static real
excess(real epsilon, real loss, real rho)
{
	real		sd = sqrtl(2 * rho);

	if (rho == 0)
		return loss > epsilon ? -expm1l(epsilon - loss) : 0;
	return fmaxl(0, normal((rho + loss - epsilon) / sd) - expl(epsilon - loss) * normal((loss - epsilon - rho) / sd));
}

static uint32_t
rows_of(const mix *m)
{
	return m->rows > 0 ? (uint32_t) m->rows : 1;
}

static uint64_t
alpha_of(const mix *m)
{
	uint64_t	units = 0;

	if (m->bought > 0)
		CHECK(pegs_alpha_of_rho(m->bought, (uint64_t) m->visits, rows_of(m), 2, &units) == PEGS_OK);
	else
		CHECK(pegs_alpha(m->range, (uint64_t) m->visits * rows_of(m), 2, &units) == PEGS_OK);
	return units;
}

/* The delta of all calls at epsilon: rows more, or rows less (the visits are not symmetric). */
static real
delta_of(const mix *m, real epsilon, bool more)
{
	real		e = (real) m->pure * 1e-9L;
	real		p = 1 / (1 + expl(-e));
	real		sum = 0;
	real		alpha = m->visits > 0 ? ldexpl((real) alpha_of(m), -PEGS_ALPHA_BITS) : 1;
	real		with = (alpha + rows_of(m)) / (2 * alpha + rows_of(m));	/* of the level that the rows have: one half without them */

	for (int k = 0; k <= m->responses; k++)
		for (int j = 0; j <= m->visits; j++)
		{
			real		loss = j * logl(2 * with) + (m->visits - j) * logl(2 * (1 - with));

			sum += binomial(m->responses, k, p) * binomial(m->visits, j, more ? with : 0.5L)
				* excess(epsilon, (2 * k - m->responses) * e + (more ? loss : -loss), ldexpl((real) m->gaussian, -PEGS_COST_BITS));
		}
	return sum;
}

/* Does the account's conversion of `part` of what is charged hold? */
static bool
holds(const mix *m, double part)
{
	int64_t		rho = m->responses * pegs_rho_of_pure(m->pure) + m->gaussian;
	real		epsilon;
	real		delta = (real) m->delta * 1e-18L * (1 + 1e-9L);

	if (m->visits > 0)
		rho += m->bought > 0 ? pegs_rho_of_alpha(alpha_of(m), (uint64_t) m->visits, rows_of(m)) : pegs_rho_of_range(m->range, (uint64_t) m->visits);
	epsilon = (real) pegs_rho_as_epsilon((int64_t) ((double) rho * part), m->delta) * 1e-9L;
	return delta_of(m, epsilon, true) <= delta && delta_of(m, epsilon, false) <= delta;
}

static void
test_together(void)
{
	static const mix known[] = {
		{.pure = 10000000, .responses = 2000, .delta = INT64_C(1000000000000)},	/* pure calls alone: 2,000 of 0.01 */
		{.pure = 100000000, .responses = 100, .delta = INT64_C(1000000000)},
		{.pure = 1000000000, .responses = 6, .delta = INT64_C(1000000000000000)},
		{.pure = INT64_C(3000000000), .responses = 2, .delta = INT64_C(1000000000000)},
		{.range = INT64_C(20000000000), .visits = 1000, .delta = INT64_C(1000000000)},	/* sealed calls alone */
		{.range = INT64_C(5000000000), .visits = 40, .delta = INT64_C(1000000000000000)},
		{.range = 1000000000, .visits = 1, .delta = INT64_C(1000000000000000)},
		{.pure = 100000000, .responses = 30, .range = INT64_C(8000000000), .visits = 60, .gaussian = INT64_C(1) << 47, .delta = INT64_C(1000000000)},	/* a third of each */
		{.gaussian = INT64_C(1) << 48, .delta = INT64_C(1000000000)},
		{.bought = (INT64_C(1) << 50) / 20, .visits = 1000, .delta = INT64_C(1000000000)},	/* sealed calls with delta */
		{.bought = INT64_C(1) << 48, .visits = 40, .delta = INT64_C(1000000000000)},
		{.bought = (INT64_C(1) << 50) / 20, .visits = 1000, .rows = 3, .delta = INT64_C(1000000000)},	/* of a person of three rows */
		{.range = INT64_C(20000000000), .visits = 1000, .rows = 3, .delta = INT64_C(1000000000)}
	};
	int			broken = 0;

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		CHECK(holds(&known[i], 1));
	start(3);
	for (int i = 0; i < 60; i++)
	{
		mix			m = {
			.pure = (int64_t) any_size(INT64_C(1500000000)), .responses = (int) pegs_rng_below(&rng, 40),
			.range = (int64_t) any_size(INT64_C(10000000000)), .visits = (int) pegs_rng_below(&rng, 40),
			.rows = (int) pegs_rng_below(&rng, 4), .bought = i % 2 == 0 ? 0 : any_size(UINT64_C(1) << 49),
			.gaussian = (int64_t) any_size(INT64_C(1) << 49), .delta = (int64_t) any_size(PEGS_DELTA_UNIT / 100)
		};

		CHECK(holds(&m, 1));
	}
	/* of each kind alone, a part of what it costs is not enough: the check above can fail */
	CHECK(!holds(&known[0], 0.8));
	CHECK(!holds(&known[4], 0.8));
	CHECK(!holds(&known[8], 0.8));
	CHECK(!holds(&known[9], 0.8));
	CHECK(!holds(&known[11], 0.8));
	CHECK(!holds(&known[11], 1.0 / 3));	/* V k for V k^2 */
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		broken += !holds(&known[i], 0.25);
	CHECK(broken >= 7);
}

int
main(void)
{
	test_costs();
	test_alphas();
	test_back();
	test_together();
	return unit_done("epsilon_account_test");
}
