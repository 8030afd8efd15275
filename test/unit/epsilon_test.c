/*
 * epsilon_test.c
 *	  Does a budget ever buy more than it should?
 *
 * The fixtures of the papers to their printed digits, then inequalities: what
 * pegs_alpha, pegs_rho, pegs_laplace_tail and the two costs return is put back into the bound it
 * comes from, in integers or in long double, and must not pass the budget; one
 * unit less must, so that nothing is wasted either.
 */
#include "core/epsilon.h"

#include <stdlib.h>
#include <string.h>

#include "fixture.h"
#include "unit.h"

/* ---------- decimals ---------- */

static void
check_decimal(const char *text, int digits, pegs_status status, int64_t units)
{
	int64_t		seen = -1;
	pegs_status answer = pegs_units_from_decimal(text, digits, &seen);

	if (!CHECK(answer == status && seen == (status == PEGS_OK ? units : -1)))
		printf("  \"%s\", %d digits: status %d, %" PRId64 "\n", text, digits, answer, seen);
}

static void
test_decimals(void)
{
	static const char *const bad[] = {
		"", " ", "-", "+", ".", "e", "e5", ".e5", "1e", "1e+", "1e-", "1 ", " 1", "1.2.3",
		"nan", "NaN", "-nan", "inf", "Infinity", "-inf", "-Infinity", "1x", "0x10", "1e5.0",
		"1,5", "--1", "1e--5", "-1", "-0.1", "-1e-400", "-1e400", "-.5", "one"
	};
	static const char *const large[] = {
		"1e300", "1e10", "9223372037", "9223372036.8547758071", "9223372036.854775808",
		"1e999999999999999999999999", "100000000000000000000000000000"
	};
	char		text[64];
	size_t		i;
	int			j;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		check_decimal(bad[i], 9, PEGS_ERR_ARGUMENT, 0);
	for (i = 0; i < sizeof(large) / sizeof(large[0]); i++)
		check_decimal(large[i], 9, PEGS_ERR_RANGE, 0);

	check_decimal("0.1", 9, PEGS_OK, 100000000);
	check_decimal("1", 9, PEGS_OK, 1000000000);
	check_decimal("+1", 9, PEGS_OK, 1000000000);
	check_decimal("1.", 9, PEGS_OK, 1000000000);
	check_decimal(".5", 9, PEGS_OK, 500000000);
	check_decimal("1e-9", 9, PEGS_OK, 1);
	check_decimal("1e-09", 9, PEGS_OK, 1);
	check_decimal("1E-9", 9, PEGS_OK, 1);
	check_decimal("2.5E3", 9, PEGS_OK, INT64_C(2500000000000));
	check_decimal("1e+3", 9, PEGS_OK, INT64_C(1000000000000));
	check_decimal("000123.4560000000000", 9, PEGS_OK, INT64_C(123456000000));
	check_decimal("0.000000001", 9, PEGS_OK, 1);
	check_decimal("0.1", 0, PEGS_OK, 1);
	check_decimal("12345e-2", 1, PEGS_OK, 1235);
	check_decimal("1e-9", 18, PEGS_OK, 1000000000);
	check_decimal("1e-18", 18, PEGS_OK, 1);
	check_decimal("0.001e3", 9, PEGS_OK, 1000000000);

	/* Rounded up, however little is left over. */
	check_decimal("1.0000000001", 9, PEGS_OK, 1000000001);
	check_decimal("1.0000000000", 9, PEGS_OK, 1000000000);
	check_decimal("1.00000000000000000000000000000000001", 9, PEGS_OK, 1000000001);
	check_decimal("0.30000000000000004", 9, PEGS_OK, 300000001);
	check_decimal("5e-324", 9, PEGS_OK, 1);
	check_decimal("1e-99999999999999999999999999", 9, PEGS_OK, 1);
	check_decimal("1e-10", 9, PEGS_OK, 1);

	/* Zero is a number, and so is minus zero. */
	check_decimal("0", 9, PEGS_OK, 0);
	check_decimal("-0", 9, PEGS_OK, 0);
	check_decimal("0.000", 9, PEGS_OK, 0);
	check_decimal("-0.0e10", 9, PEGS_OK, 0);
	check_decimal("0e99999999999999999999999", 9, PEGS_OK, 0);

	/* The largest. */
	check_decimal("9223372036.854775807", 9, PEGS_OK, INT64_MAX);
	check_decimal("9223372036.8547758061", 9, PEGS_OK, INT64_MAX);
	check_decimal("9223372036.8547758070", 9, PEGS_OK, INT64_MAX);
	check_decimal("9.223372036854775807", 18, PEGS_OK, INT64_MAX);
	check_decimal("9.223372036854775808", 18, PEGS_ERR_RANGE, 0);
	check_decimal("9223372036854775807", 0, PEGS_OK, INT64_MAX);

	/* Every number of units comes back from its decimal, and from its exponent form. */
	start(1);
	for (j = 0; j < 10000; j++)
	{
		int64_t		units = (int64_t) any_size(INT64_MAX);

		snprintf(text, sizeof(text), "%" PRId64 ".%09" PRId64,
				 units / PEGS_EPSILON_UNIT, units % PEGS_EPSILON_UNIT);
		check_decimal(text, 9, PEGS_OK, units);
		snprintf(text, sizeof(text), "%" PRId64 "e-18", units);
		check_decimal(text, 18, PEGS_OK, units);
		snprintf(text, sizeof(text), "%" PRId64 "e-19", units);
		check_decimal(text, 18, PEGS_OK, units / 10 + (units % 10 != 0));
	}
}

/* ---------- alpha ---------- */

/*
 * 1/expm1(epsilon/13) and, for PeGS.rs with blocks of 10, 1/expm1(10 epsilon/13),
 * before the ceiling: the settings published in Park's thesis, here to 17 digits
 * by mpmath.
 */
static void
test_published_alphas(void)
{
	static const double published[][3] = {
		{0.1, 129.50064102500885, 12.506409624324119},
		{0.5, 25.503205049186013, 2.1319725374517805},
		{1, 12.506409624324119, 0.86347916548727604},
		{5, 2.1319725374517805, 0.021828023724516032},
		{10, 0.86347916548727604, 4.5653222714766405e-4},
		{50, 0.021828023724516032, 1.9786367933060518e-17},
		{100, 4.5653222714766405e-4, 3.9150035598244550e-34}
	};
	int			i;

	for (i = 0; i < 7; i++)
	{
		CHECK_NEAR(pegs_alpha_double(published[i][0], 13), published[i][1], 1e-14);
		CHECK_NEAR(pegs_alpha_double(10 * published[i][0], 13), published[i][2], 1e-13);
	}

	/* McClure and Reiter's binary unit: epsilon 1, epsilon ln 3. */
	CHECK_NEAR(pegs_alpha_double(1, 1), 0.581977, 1e-6);
	CHECK_NEAR(pegs_alpha_double(1, 1), 0.58197670686932642439, 1e-15);
	CHECK_NEAR(pegs_alpha_double(log(3), 1), 0.5, 1e-15);
}

/* What `visits` draws of weight at least a cost, in epsilon: visits ln(1 + 2^16/a). */
static long double
epsilon_of_alpha(uint64_t a, uint64_t visits)
{
	return (long double) visits * log1pl(65536.0L / (long double) a);
}

static long double
real_epsilon(int64_t epsilon)
{
	return (long double) epsilon / 1e9L;
}

static void
test_alpha_ceilings(void)
{
	static const uint64_t visits[] = {1, 2, 13, 1300, 13000, 1300000};
	static const int64_t epsilons[] = {
		1000, 10000000, 100000000, 1000000000, 5000000000, 10000000000
	};
	uint64_t	a;
	size_t		i;
	size_t		j;

	/* of the first prototype, in Python */
	CHECK(pegs_alpha(PEGS_EPSILON_UNIT, 13, 25, &a) == PEGS_OK);
	CHECK_INT(a, 819621);

	/* section 2: 13,000 and 1,300 virtual rows a cell for 1,000 rows at epsilon 1 and 10 */
	CHECK(pegs_alpha(PEGS_EPSILON_UNIT, 13000, 25, &a) == PEGS_OK);
	CHECK_NEAR((double) a / 65536, 12999.5, 1e-6);
	CHECK(pegs_alpha(10 * PEGS_EPSILON_UNIT, 13000, 25, &a) == PEGS_OK);
	CHECK_NEAR((double) a / 65536, 1299.5, 1e-6);

	/* The least integer a with (a + 2^16)^M <= a^M e^epsilon, neither more nor less. */
	for (i = 0; i < sizeof(visits) / sizeof(visits[0]); i++)
	{
		for (j = 0; j < sizeof(epsilons) / sizeof(epsilons[0]); j++)
		{
			CHECK(pegs_alpha(epsilons[j], visits[i], 2, &a) == PEGS_OK);
			CHECK(epsilon_of_alpha(a, visits[i]) <= real_epsilon(epsilons[j]));
			if (a > 1 && a < UINT64_C(1) << 36)
				CHECK(epsilon_of_alpha(a - 1, visits[i]) > real_epsilon(epsilons[j]));
		}
	}
}

static void
test_alpha_everywhere(void)
{
	uint64_t	a;
	uint64_t	previous;
	int64_t		epsilon;
	int			fits = 0;
	int			i;

	start(2);
	for (i = 0; i < 50000; i++)
	{
		uint64_t	visits = any_size(UINT64_C(1) << 50);
		uint32_t	levels = (uint32_t) any_size(PEGS_MAX_LEVELS);
		pegs_status status;

		epsilon = (int64_t) any_size(INT64_MAX);
		a = 0;
		status = pegs_alpha(epsilon, visits, levels, &a);
		if (status == PEGS_OK)
		{
			fits++;
			CHECK(a >= 1);
			CHECK((pegs_u128) a * levels <= (pegs_u128) 1 << 62);
			CHECK(epsilon_of_alpha(a, visits) <= real_epsilon(epsilon));
		}
		else
		{
			/* Refused only when the honest alpha does not fit, to within the margin. */
			long double alpha = 65536.0L / expm1l(real_epsilon(epsilon) / (long double) visits);

			CHECK(status == PEGS_ERR_RANGE);
			CHECK(alpha * levels > ldexpl(1, 62) * (1 - ldexpl(1, -38)) - levels);
		}
	}
	CHECK(fits > 10000);

	/* More epsilon, less alpha; more visits, more alpha. */
	previous = UINT64_MAX;
	for (epsilon = 1000; epsilon < INT64_C(1000000000000); epsilon += epsilon / 50)
	{
		CHECK(pegs_alpha(epsilon, 13, 2, &a) == PEGS_OK);
		CHECK(a <= previous);
		previous = a;
	}
	CHECK_INT(previous, 1);
	previous = 0;
	for (i = 1; i < 100000; i += 1 + i / 50)
	{
		CHECK(pegs_alpha(PEGS_EPSILON_UNIT, (uint64_t) i, 2, &a) == PEGS_OK);
		CHECK(a > previous);
		previous = a;
	}

	/* Without bound, and never zero. */
	CHECK(pegs_alpha(INT64_MAX, 1, 2, &a) == PEGS_OK);
	CHECK_INT(a, 1);

	CHECK(pegs_alpha(0, 1, 2, &a) == PEGS_ERR_ARGUMENT);
	CHECK(pegs_alpha(-1, 1, 2, &a) == PEGS_ERR_ARGUMENT);
	CHECK(pegs_alpha(1, 0, 2, &a) == PEGS_ERR_ARGUMENT);
	CHECK(pegs_alpha(1, 1, 0, &a) == PEGS_ERR_ARGUMENT);
	CHECK(pegs_alpha(1, UINT64_MAX, 2, &a) == PEGS_ERR_RANGE);
	CHECK(pegs_alpha(1, 70000, 2, &a) == PEGS_ERR_RANGE);
	CHECK(pegs_alpha(1, 1, PEGS_MAX_LEVELS, &a) == PEGS_OK);
}

/* ---------- rho ---------- */

/* ln of the delta that rho-zCDP gives at epsilon by order 1 + e^t (CKS, Proposition 12). */
static long double
ln_delta_of_order(long double rho, long double epsilon, long double t)
{
	long double b = expl(t);

	return b * ((1 + b) * rho - epsilon) - (1 + b) * log1pl(1 / b) - t;
}

/* The least of them: a scan, then ternary search around its best. */
static long double
ln_delta_of(long double rho, long double epsilon)
{
	long double best = -30;
	long double low;
	long double high;
	int			i;

	for (i = -120; i < 160; i++)
	{
		if (ln_delta_of_order(rho, epsilon, i / 4.0L) < ln_delta_of_order(rho, epsilon, best))
			best = i / 4.0L;
	}
	low = best - 0.25L;
	high = best + 0.25L;
	for (i = 0; i < 100; i++)
	{
		long double third = (high - low) / 3;

		if (ln_delta_of_order(rho, epsilon, low + third) <
			ln_delta_of_order(rho, epsilon, high - third))
			high -= third;
		else
			low += third;
	}
	return ln_delta_of_order(rho, epsilon, (low + high) / 2);
}

static void
test_rho_values(void)
{
	static const struct
	{
		int64_t		epsilon;
		int64_t		delta;
		double		rho;		/* by mpmath, 40 digits */
		double		units;
	}			known[] =
	{
		{100000000, 1000000000, 1.7713844718502086479e-4, 199440161183},
		{1000000000, 1000000000, 0.01497305767358852576, 16858164239842},
		{10000000000, 1000000000, 1.0907857043970156206, 1228115522965865},
		{1000000000, INT64_C(1000000000000), 0.024355970359538372894, 27422384758865},
		{1000000, 1000000, 1.5404642624343460025e-8, 17344085},
		{100000000000, 1, 30.349974374655050984, 34171033321100148},
		{1000000000, INT64_C(500000000000000000), 1.0163643420378748759, 1144324518018608},
		{10000, INT64_C(1000000000000000), 1.3756400568514416902e-6, 1548833011}
	};
	size_t		i;

	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
	{
		uint64_t	units = pegs_rho(known[i].epsilon, known[i].delta);

		/* Less than the best there is, by no more than a part in 2^36 and two units. */
		CHECK((double) units <= known[i].units);
		CHECK((double) units >= known[i].units * (1 - 0x1p-36) - 2);
		CHECK_NEAR((double) units, known[i].rho * 0x1p50, 1e-6);
	}

	/* of the first prototype, as printed */
	CHECK(fabs((double) pegs_rho(100000000, 1000000000) * 0x1p-50 - 1.771e-4) < 0.5e-7);
	CHECK(fabs((double) pegs_rho(1000000000, 1000000000) * 0x1p-50 - 0.014973) < 0.5e-6);
	CHECK(fabs((double) pegs_rho(10000000000, 1000000000) * 0x1p-50 - 1.0908) < 0.5e-4);
}

static void
test_rho_everywhere(void)
{
	uint64_t	previous;
	int64_t		epsilon;
	int64_t		delta;
	int			i;

	start(3);
	for (i = 0; i < 1000; i++)
	{
		uint64_t	units;
		long double rho;

		epsilon = (int64_t) any_size(INT64_C(1) << 44);
		delta = (int64_t) any_size(PEGS_DELTA_UNIT - 1);
		units = pegs_rho(epsilon, delta);
		rho = ldexpl((long double) units, -PEGS_COST_BITS);

		/* Never overspent: some order proves it. */
		if (units > 0)
			CHECK(ln_delta_of(rho, real_epsilon(epsilon)) <= logl((long double) delta / 1e18L));

		/* Nor wasted: a part in 2^30 more, and no order does. */
		rho = ldexpl((long double) units * (1 + 0x1p-30L) + 2, -PEGS_COST_BITS);
		if (units < PEGS_MAX_COST)
			CHECK(ln_delta_of(rho, real_epsilon(epsilon)) > logl((long double) delta / 1e18L));
	}

	/* More epsilon or more delta, more rho; always less than epsilon itself. */
	previous = 0;
	for (epsilon = 1000; epsilon < INT64_C(100000000000000); epsilon += epsilon / 20)
	{
		uint64_t	units = pegs_rho(epsilon, 1000000000);

		CHECK(units >= previous);
		CHECK(units <= pegs_pure_cost(epsilon));
		previous = units;
	}
	CHECK(previous == PEGS_MAX_COST);
	previous = 0;
	for (delta = 1000; delta < PEGS_DELTA_UNIT; delta += delta / 10)
	{
		uint64_t	units = pegs_rho(PEGS_EPSILON_UNIT, delta);

		CHECK(units > previous);
		previous = units;
	}

	CHECK_INT(pegs_rho(0, 1), 0);
	CHECK_INT(pegs_rho(-1, 1), 0);
	CHECK_INT(pegs_rho(1, 0), 0);
	CHECK_INT(pegs_rho(1, -1), 0);
	CHECK_INT(pegs_rho(1, PEGS_DELTA_UNIT), 0);
	CHECK_INT(pegs_rho(1, INT64_MAX), 0);
	CHECK_INT(pegs_rho(1, 1), 0);	/* too little for one unit */
	CHECK(pegs_rho(INT64_MAX, PEGS_DELTA_UNIT - 1) == PEGS_MAX_COST);
}

static void
test_pure_cost(void)
{
	int			i;

	CHECK_INT(pegs_pure_cost(PEGS_EPSILON_UNIT), INT64_C(1) << 50);
	CHECK_INT(pegs_pure_cost(PEGS_EPSILON_UNIT / 2), INT64_C(1) << 49);
	CHECK_INT(pegs_pure_cost(1), 1125899);
	CHECK_INT(pegs_pure_cost(0), 0);
	CHECK_INT(pegs_pure_cost(-5), 0);
	CHECK(pegs_pure_cost(INT64_MAX) == PEGS_MAX_COST);

	start(4);
	for (i = 0; i < 10000; i++)
	{
		int64_t		epsilon = (int64_t) any_size(INT64_C(4096000000000));
		pegs_u128	cost = pegs_pure_cost(epsilon);

		CHECK(cost * 1000000000 <= (pegs_u128) epsilon << 50);
		CHECK((cost + 1) * 1000000000 > (pegs_u128) epsilon << 50);
	}
}

/* ---------- sigma and e ---------- */

static void
check_variance(uint64_t cost)
{
	pegs_variance sigma2 = pegs_variance_of_cost(cost);
	pegs_u128	one = (pegs_u128) 1 << (49 + sigma2.shift);

	/* 1/(2 sigma^2) <= cost/2^50, and not for the next smaller num. */
	CHECK((pegs_u128) sigma2.num * cost >= one);
	CHECK((pegs_u128) (sigma2.num - 1) * cost < one);

	/* Legal for the sampler, and 30 bits or an integer. */
	CHECK(sigma2.num > 0 && sigma2.num < UINT64_C(1) << 62 && sigma2.shift <= 60);
	CHECK(sigma2.num >> sigma2.shift < UINT64_C(1) << 56);
	CHECK(sigma2.num >= UINT64_C(1) << 29);
	CHECK(sigma2.shift == 0 || sigma2.num <= UINT64_C(1) << 30);
}

static void
check_selection(uint64_t cost)
{
	uint64_t	num;
	uint64_t	den;

	/* (2 num/den)^2 / 8 <= cost/2^50, that is num^2 2^49 <= cost den^2, den = 2^55. */
	pegs_selection_of_cost(false, cost, &num, &den);
	CHECK(den == UINT64_C(1) << 55);
	CHECK((pegs_u128) num * num <= (pegs_u128) cost << 61);
	CHECK(((pegs_u128) num + 1) * ((pegs_u128) num + 1) > (pegs_u128) cost << 61);

	pegs_selection_of_cost(true, cost, &num, &den);
	CHECK(num == cost && den == UINT64_C(1) << 51);
}

static void
test_costs(void)
{
	pegs_variance sigma2;
	uint64_t	num;
	uint64_t	den;
	int			i;

	start(5);
	for (i = 0; i < 20000; i++)
	{
		uint64_t	cost = any_size(UINT64_MAX);

		check_variance(cost);
		check_selection(cost);
	}
	for (i = 0; i < 64; i++)
	{
		check_variance(UINT64_C(1) << i);
		check_variance((UINT64_C(1) << i) + 1);
		check_selection(UINT64_C(1) << i);
		check_selection((UINT64_C(2) << i) - 1);
	}
	check_variance(UINT64_MAX);
	check_variance(PEGS_MAX_COST);

	/* rho = 1/2 is sigma^2 = 1; rho = 1/8 is e = 1, a factor of 1/2. */
	sigma2 = pegs_variance_of_cost(UINT64_C(1) << 49);
	CHECK(sigma2.num == UINT64_C(1) << sigma2.shift);
	pegs_selection_of_cost(false, UINT64_C(1) << 47, &num, &den);
	CHECK(num * 2 == den);
	pegs_selection_of_cost(true, UINT64_C(1) << 50, &num, &den);
	CHECK(num * 2 == den);

	/* Nothing to spend: as much noise as there is, and a uniform choice. */
	sigma2 = pegs_variance_of_cost(0);
	CHECK(sigma2.num == UINT64_C(1) << 55 && sigma2.shift == 0);
	pegs_selection_of_cost(false, 0, &num, &den);
	CHECK(num == 0 && den > 0);
	pegs_selection_of_cost(true, 0, &num, &den);
	CHECK(num == 0 && den > 0);

	/* The sampler agrees: a variance bought with 1/200 of rho is about 100. */
	sigma2 = pegs_variance_of_cost((UINT64_C(1) << 50) / 200);
	{
		double		sum = 0;

		for (i = 0; i < 100000; i++)
		{
			double		x = (double) pegs_discrete_gaussian(&rng, sigma2);

			sum += x * x;
		}
		CHECK_NEAR(sum / 100000, 100, 5 * sqrt(2.0 / 100000));
	}
}

/* ---------- the tail of the noise ---------- */

/* ln P[X > t] of the discrete Laplace, in long double. */
static long double
log_tail(uint64_t units, int64_t t)
{
	long double e = ldexpl((long double) units, -PEGS_COST_BITS);

	return -e * ((long double) t + 1) - log1pl(expl(-e));
}

/* Of the discrete Gaussian ln P[X > t] itself, summed, and the bound that t is put back into. */
static void
check_gaussian_tail(uint64_t num, uint32_t shift, int64_t delta, uint32_t rows)
{
	int64_t		t = pegs_gaussian_tail((pegs_variance) {num, shift}, delta, rows);
	long double variance = ldexpl((long double) num, -(int) shift);
	long double wanted = logl((long double) delta / PEGS_DELTA_UNIT / rows);
	long double steps = (long double) t + 1;

	CHECK(t >= 0 && -steps * steps / (2 * variance) <= wanted);
	CHECK(t == 0 || -(steps - 1) * (steps - 1) / (2 * variance) > wanted * (1 + 1e-9L) - 1e-9L);
	if (variance < 1000)
	{
		long double sum = 0;
		long double above = 0;

		for (int64_t x = -400 - t; x <= 400 + t; x++)
		{
			sum += expl(-(long double) x * x / (2 * variance));
			above += x > t ? expl(-(long double) x * x / (2 * variance)) : 0;
		}
		CHECK(above / sum <= expl(wanted));
	}
}

static void
test_gaussian_tail(void)
{
	/* by hand: sqrt(2 ln 10^9) = 6.44; ten times as much */
	CHECK_INT(pegs_gaussian_tail((pegs_variance) {1, 0}, 1000000000, 1), 6);
	CHECK_INT(pegs_gaussian_tail((pegs_variance) {100, 0}, 1000000000, 1), 64);
	CHECK_INT(pegs_gaussian_tail((pegs_variance) {1, 30}, 1000000000, 1), 0);
	start(78);
	for (int i = 0; i < 3000; i++)
		check_gaussian_tail(any_size(UINT64_C(1) << 40), (uint32_t) any_size(30), (int64_t) any_size(PEGS_DELTA_UNIT - 1), (uint32_t) any_size(1000));
	for (int i = 0; i < 300; i++)
		check_gaussian_tail(any_size(100), 0, (int64_t) any_size(PEGS_DELTA_UNIT - 1), (uint32_t) any_size(64));
}

/* Never above delta/rows; one step less is, but for what the margin gives away. */
static void
check_tail(uint64_t units, int64_t delta, uint32_t rows)
{
	int64_t		t = pegs_laplace_tail(units, delta, rows);
	long double wanted = logl((long double) delta / PEGS_DELTA_UNIT / rows);

	if (!CHECK(t >= 0 && log_tail(units, t) <= wanted))
		printf("  units %" PRIu64 ", delta %" PRId64 ", rows %" PRIu32 ": t = %" PRId64 "\n", units, delta, rows, t);
	if (!CHECK(t == 0 || log_tail(units, t - 1 - t / 100000000) > wanted - 1e-9L))
		printf("  wasted: units %" PRIu64 ", delta %" PRId64 ", rows %" PRIu32 ": t = %" PRId64 "\n", units, delta, rows, t);
}

static void
test_tail(void)
{
	const uint64_t one = UINT64_C(1) << PEGS_COST_BITS;

	/* p^(t + 1)/(1 + p) by hand: ln(10^9) = 20.72, ln(1 + 1/e) = 0.313 */
	CHECK_INT(pegs_laplace_tail(one, 1000000000, 1), 20);
	CHECK_INT(pegs_laplace_tail(one, 1000000000, 2), 21);
	CHECK_INT(pegs_laplace_tail(one / 10, 1000000000, 1), 200);
	CHECK_INT(pegs_laplace_tail(1000 * one, 1000000000, 1), 0);
	CHECK_INT(pegs_laplace_tail(one, PEGS_DELTA_UNIT - 1, 1), 0);
	start(77);
	for (int i = 0; i < 100000; i++)
		check_tail(any_size(PEGS_MAX_COST), (int64_t) any_size(PEGS_DELTA_UNIT - 1), (uint32_t) any_size(1000));
	/* exactly on a step: delta is the tail itself, a little less and a little more */
	for (int64_t t = 0; t < 60; t++)
	{
		uint64_t	units = any_size(one);
		int64_t		delta = (int64_t) (expl(log_tail(units, t)) * PEGS_DELTA_UNIT);

		for (int64_t d = -2; d <= 2; d++)
			if (delta + d > 0)
				check_tail(units, delta + d, 1);
	}
}

/* ---------- alpha by rho ---------- */

/* What `visits` draws tell apart in rho, of rows of which so many are one person's: visits (rows ln(1 + 2^16/a))^2 / 8. */
static long double
rho_of_alpha(uint64_t a, uint64_t visits, uint32_t rows)
{
	long double range = rows * log1pl(65536.0L / (long double) a);

	return (long double) visits * range * range / 8;
}

/* Claim P17: no more than rho, and the next smaller alpha would be. */
static void
test_alpha_of_rho(void)
{
	/* the review's table: columns, rows, block, alpha at (1, 1e-9) */
	static const double printed[][4] = {
		{4, 100, 1, 57.3}, {4, 1000, 1, 182}, {4, 10000, 1, 577}, {13, 1000, 1, 329}, {13, 1000, 100, 32.5}, {13, 1000, 1000, 9.9}, {4, 1000, 1000, 5.29}
	};
	int			fits = 0;
	uint64_t	a;
	uint64_t	previous;

	for (size_t i = 0; i < sizeof(printed) / sizeof(printed[0]); i++)
	{
		uint64_t	visits = (uint64_t) (printed[i][0] * ceil(printed[i][1] / printed[i][2]));

		CHECK(pegs_alpha_of_rho(pegs_rho(PEGS_EPSILON_UNIT, PEGS_DELTA_UNIT / 1000000000), visits, 1, 25, &a) == PEGS_OK);
		if (!CHECK(fabs((double) a / 65536 / printed[i][3] - 1) < 0.005))
			printf("  %g columns, %g rows: %g\n", printed[i][0], printed[i][1], (double) a / 65536);
	}
	start(9);
	for (int i = 0; i < 50000; i++)
	{
		uint64_t	rho = any_size(PEGS_MAX_COST);
		uint64_t	visits = any_size(UINT64_C(1) << 50);
		uint32_t	rows = (uint32_t) any_size(1000);
		uint32_t	levels = (uint32_t) any_size(PEGS_MAX_LEVELS);
		long double real = ldexpl((long double) rho, -PEGS_COST_BITS);

		if (pegs_alpha_of_rho(rho, visits, rows, levels, &a) != PEGS_OK)
		{
			/* refused only where the honest alpha does not fit, to within the margin, or eta is below a unit of it */
			long double eta = sqrtl(8 * real / (long double) visits) / rows;

			CHECK(65536.0L / expm1l(eta) * levels > ldexpl(1, 62) * (1 - ldexpl(1, -38)) - levels || eta < 0x1p-40L);
			continue;
		}
		fits++;
		CHECK(a >= 1 && (pegs_u128) a * levels <= (pegs_u128) 1 << 62);
		CHECK(rho_of_alpha(a, visits, rows) <= real);
		if (a > 1 && a < UINT64_C(1) << 32)
			CHECK(rho_of_alpha(a - 1, visits, rows) > real * (1 - 0x1p-24L));
	}
	CHECK(fits > 10000);
	/* more visits, or rows of a person, more alpha: a person of 10 rows as much as 100 times the visits */
	previous = 0;
	for (uint64_t visits = 1; visits < 1000000; visits += 1 + visits / 50)
	{
		uint64_t	tenfold;
		uint64_t	person;

		CHECK(pegs_alpha_of_rho(UINT64_C(1) << 44, visits, 1, 2, &a) == PEGS_OK && a > previous);
		CHECK(pegs_alpha_of_rho(UINT64_C(1) << 44, 100 * visits, 1, 2, &tenfold) == PEGS_OK && tenfold > a);
		CHECK(pegs_alpha_of_rho(UINT64_C(1) << 44, visits, 10, 2, &person) == PEGS_OK && person == tenfold);
		previous = a;
	}
	CHECK(pegs_alpha_of_rho(PEGS_MAX_COST, 1, 1, 2, &a) == PEGS_OK && a == 1);
	CHECK(pegs_alpha_of_rho(PEGS_MAX_COST + 1, 1, 1, 2, &a) == PEGS_ERR_ARGUMENT);
	CHECK(pegs_alpha_of_rho(1, 0, 1, 2, &a) == PEGS_ERR_ARGUMENT);
	CHECK(pegs_alpha_of_rho(1, 1, 0, 2, &a) == PEGS_ERR_ARGUMENT);
	CHECK(pegs_alpha_of_rho(1, 1, 1, 0, &a) == PEGS_ERR_ARGUMENT);
	CHECK(pegs_alpha_of_rho(0, 1, 1, 2, &a) == PEGS_ERR_RANGE);
	CHECK(pegs_alpha_of_rho(UINT64_C(1) << 44, UINT64_MAX, UINT32_MAX, 2, &a) == PEGS_ERR_RANGE);
	CHECK(pegs_alpha_of_rho(PEGS_MAX_COST, UINT64_MAX, 1, 2, &a) == PEGS_OK);
	CHECK(pegs_alpha_of_rho(UINT64_C(1) << 20, UINT64_C(1) << 50, 1, PEGS_MAX_LEVELS, &a) == PEGS_ERR_RANGE);
}

int
main(void)
{
	test_decimals();
	test_published_alphas();
	test_alpha_ceilings();
	test_alpha_everywhere();
	test_rho_values();
	test_rho_everywhere();
	test_pure_cost();
	test_costs();
	test_tail();
	test_gaussian_tail();
	test_alpha_of_rho();
	return unit_done("epsilon_test");
}
