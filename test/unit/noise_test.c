/*
 * noise_test.c
 *	  Do the samplers have exactly the distributions they state?
 *
 * Three kinds of evidence. By enumeration: every path of random words through
 * the coin exp(-p/q), summed, is the series of exp. By draws: frequencies under
 * fixed keys against the analytic probabilities, by chi-square. By failure:
 * samplers that are wrong in well-known ways must be rejected by the same
 * judge, or the judge is worth nothing.
 */
#include "core/noise.h"

#include <stdlib.h>
#include <string.h>

#include "chisquare.h"
#include "fixture.h"
#include "unit.h"

/* ---------- the coin, by enumeration ---------- */

#define MAX_WORDS 24

/*
 * The middle one of the words of which pegs_rng_below(bound) makes value; two
 * more, so that none is rejected where the bound is this one times a large number.
 */
static uint64_t
word_of(uint64_t value, uint64_t bound)
{
	if (bound == 1)
		return UINT64_MAX;
	return (uint64_t) ((((pegs_u128) value << 64) + (UINT64_C(1) << 63)) / bound) + 2;
}

/* Run the coin on chosen words; true if it read no other word. */
static bool
coin_of_words(const uint64_t *words, int n, uint64_t num, uint64_t den, bool *heads, int *used)
{
	int			first = PEGS_RNG_BLOCKS * 8 - MAX_WORDS;

	start(99);
	pegs_rng_u64(&rng);
	rng.next = first;
	memset(rng.buffer, 0xff, sizeof(rng.buffer));
	memcpy(rng.buffer + first, words, n * sizeof(uint64_t));
	*heads = pegs_bernoulli_exp(&rng, num, den);
	*used = (int) rng.next - first;
	return *used <= n;
}

typedef struct paths
{
	uint64_t	num;
	uint64_t	den;
	int			shift;			/* both times 2^shift: the coin is another code, and says the same */
	long double heads;			/* probability of the finished paths */
	long double tails;
	long double open;			/* of those cut off at max depth */
} paths;

#define LARGE 58				/* a shift by which den times a turn may not fit into a word */

/*
 * All paths that begin with the given words. The words are below den, 2 den,
 * 3 den, ...; of a large den below den, den, 2, den, 3, den, 4, ...: the order
 * of the loops in noise.c, which the count of words used confirms at every leaf.
 */
static void
walk(paths *p, uint64_t *words, int n, int depth, long double probability)
{
	uint64_t	bound;
	uint64_t	value;
	bool		heads;
	int			used;

	if (n > 0 && coin_of_words(words, n, p->num << p->shift, p->den << p->shift, &heads, &used))
	{
		CHECK(used == n);
		if (heads)
			p->heads += probability;
		else
			p->tails += probability;
		return;
	}
	if (n == depth)
	{
		p->open += probability;
		return;
	}

	if (p->shift == 0)
		bound = p->den * ((uint64_t) n + 1);
	else
		bound = n <= 1 || n % 2 == 1 ? p->den : (uint64_t) n / 2 + 1;
	for (value = 0; value < bound; value++)
	{
		words[n] = word_of(value, bound);
		walk(p, words, n + 1, depth, probability / bound);
	}
}

static void
test_coin_by_enumeration(void)
{
	static const uint64_t fraction[][2] = {
		{0, 1}, {0, 7}, {1, 2}, {1, 3}, {2, 3}, {1, 4}, {3, 4}, {1, 5}, {1, 8}, {2, 9}
	};
	size_t		n = sizeof(fraction) / sizeof(fraction[0]);
	size_t		i;

	for (i = 0; i < 2 * n; i++)
	{
		paths		p = {fraction[i % n][0], fraction[i % n][1], i < n ? 0 : LARGE, 0, 0, 0};
		uint64_t	words[MAX_WORDS];
		long double exact = expl(-(long double) p.num / p.den);

		walk(&p, words, 0, i < n ? 6 : p.den <= 4 ? 10 : 8, 1);
		CHECK(fabsl(p.heads + p.tails + p.open - 1) < 1e-15L);
		CHECK(p.heads <= exact + 1e-15L);
		CHECK(p.tails <= 1 - exact + 1e-15L);
		CHECK(p.open < 0.01L);

		/*
		 * The open paths hold the rest of the alternating series: after K
		 * turns x^K/K!, of which the next term goes to tails or heads.
		 */
		CHECK(exact - p.heads <= p.open + 1e-15L);
		CHECK(1 - exact - p.tails <= p.open + 1e-15L);
	}
}

/*
 * The same, without a tree: after turn K the loop goes on with probability
 * x^K/K!, so heads has the partial sums of the series, term by term.
 */
static void
test_coin_term_by_term(void)
{
	paths		p;
	uint64_t	words[MAX_WORDS];
	int			turns;

	for (turns = 1; turns <= 10; turns++)
	{
		bool		large = turns > 5;
		int			most = large ? turns - 5 : turns;
		long double x = 2.0L / 3;
		long double term = 1;
		long double heads = 0;
		long double tails = 0;
		int			k;

		memset(&p, 0, sizeof(p));
		p.num = 2;
		p.den = 3;
		p.shift = large ? LARGE : 0;
		walk(&p, words, 0, large ? 2 * most - 1 : most, 1);

		/* The loop ends in turn k with x^(k-1)/(k-1)! - x^k/k!, heads if k is odd. */
		for (k = 1; k <= most; k++)
		{
			long double next = term * x / k;

			if (k % 2 == 1)
				heads += term - next;
			else
				tails += term - next;
			term = next;
		}
		CHECK(fabsl(p.heads - heads) < 1e-15L);
		CHECK(fabsl(p.tails - tails) < 1e-15L);
		CHECK(fabsl(p.open - term) < 1e-15L);
	}
}

/* exp(-1): the 20! numbers that are 19 coins at once, by the same series in integers; and what goes on from there. */
static void
test_coin_of_one(void)
{
	const uint64_t all = UINT64_C(2432902008176640000);
	uint64_t	words[MAX_WORDS];
	uint64_t	goes_on = all;	/* of the numbers, after a turn */
	uint64_t	odd = 0;
	bool		heads;
	int			used;

	for (uint64_t turn = 2; turn <= 20; turn++)
	{
		CHECK(goes_on % turn == 0);
		if (turn % 2 == 1)
			odd += goes_on - goes_on / turn;
		goes_on /= turn;
	}
	CHECK(goes_on == 1);
	/* heads is followed by the coin of what is left: exp(-0) */
	words[1] = 0;
	words[0] = word_of(odd - 1, all);
	CHECK(coin_of_words(words, 2, 1, 1, &heads, &used) && used == 2 && heads);
	words[0] = word_of(odd, all);
	CHECK(coin_of_words(words, 2, 1, 1, &heads, &used) && used == 1 && !heads);
	words[0] = word_of(all - 2, all);
	CHECK(coin_of_words(words, 2, 1, 1, &heads, &used) && used == 1 && !heads);
	words[0] = word_of(0, all);
	CHECK(coin_of_words(words, 2, 1, 1, &heads, &used) && used == 2 && heads);
	/* the last number: turn 21 stops, or 22 does */
	words[0] = word_of(all - 1, all);
	words[1] = word_of(1, 21);
	words[2] = 0;
	CHECK(coin_of_words(words, 3, 1, 1, &heads, &used) && used == 3 && heads);
	words[1] = word_of(0, 21);
	words[2] = word_of(1, 22);
	CHECK(coin_of_words(words, 3, 1, 1, &heads, &used) && used == 3 && !heads);
}

/* A fraction goes on after sixteen words, too: two coins a turn, then. */
static void
test_coin_that_goes_on(void)
{
	uint64_t	words[MAX_WORDS];
	bool		heads;
	int			used;

	for (uint64_t turn = 1; turn <= 16; turn++)
		words[turn - 1] = word_of(1, 3 * turn);
	for (int last = 0; last < 4; last++)
	{
		/* 2/3 and 1/17, 2/3 and 1/18 */
		words[16] = word_of(last == 0 ? 2 : 1, 3);
		words[17] = word_of(last == 1 ? 1 : 0, 17);
		words[18] = word_of(last == 2 ? 2 : 1, 3);
		words[19] = word_of(1, 18);
		CHECK(coin_of_words(words, 20, 2, 3, &heads, &used) && used == 17 + last && heads == (last < 2));
	}
	/* as low as it goes on, and not one higher */
	words[15] = word_of(2, 48);
	CHECK(coin_of_words(words, 20, 2, 3, &heads, &used) && used == 16 && !heads);
}

/* ---------- the coin, by draws ---------- */

static void
check_coin(pegs_u128 num, pegs_u128 den, uint64_t draws)
{
	double		probability[2];
	uint64_t	seen[2] = {0, 0};
	uint64_t	i;

	probability[1] = exp(-(double) num / (double) den);
	probability[0] = 1 - probability[1];
	for (i = 0; i < draws; i++)
		seen[pegs_bernoulli_exp(&rng, num, den)]++;
	CHECK(chisquare_p(seen, probability, 2, draws) > CHISQUARE_P);
	if (probability[1] * (double) draws < 1e-6)
		CHECK_INT(seen[1], 0);
}

static void
test_coin_by_draws(void)
{
	const pegs_u128 big = ~(pegs_u128) 0;
	uint64_t	i;

	start(1);
	for (i = 0; i < 1000; i++)
		CHECK(pegs_bernoulli_exp(&rng, 0, 1 + i));
	check_coin(1, 3, 300000);
	check_coin(1, 1, 300000);
	check_coin(5, 2, 300000);
	check_coin(40, 1, 300000);
	check_coin(1, 1000, 300000);
	check_coin(7, 1, 300000);

	/* Denominators of 64 bits and beyond, and every numerator up to the largest. */
	check_coin(UINT64_MAX / 3, UINT64_MAX, 200000);
	check_coin(((pegs_u128) 1 << 64) / 3, (pegs_u128) 1 << 64, 200000);
	check_coin(((pegs_u128) 1 << 64) / 3, ((pegs_u128) 1 << 64) + 1, 200000);
	check_coin((pegs_u128) 5 << 100, (pegs_u128) 3 << 101, 200000);
	check_coin(big / 2, big, 200000);
	check_coin(big, big, 200000);
	check_coin(big - 1, big, 200000);
	check_coin(big / 2 + 1, (big >> 1) + 1, 200000);
	check_coin(big, 1, 1000);
	check_coin(big, UINT64_MAX, 1000);
}

/* ---------- integers from -edge to edge ---------- */

#define MAX_EDGE 4000

typedef struct histogram
{
	int64_t		edge;			/* x is counted in cell x + edge */
	uint64_t	draws;
	uint64_t	seen[2 * MAX_EDGE + 1];
	double		probability[2 * MAX_EDGE + 1];
} histogram;

static histogram h;

static void
histogram_start(int64_t edge)
{
	memset(&h, 0, sizeof(h));
	h.edge = edge;
}

static void
histogram_add(int64_t x)
{
	h.draws++;
	if (x >= -h.edge && x <= h.edge)
		h.seen[x + h.edge]++;
}

/* Probabilities from weights; `mass` is what the weights should be divided by. */
static double
histogram_p(double (*weight) (double x, double parameter), double parameter, double mass)
{
	int64_t		x;

	for (x = -h.edge; x <= h.edge; x++)
		h.probability[x + h.edge] = weight((double) x, parameter) / mass;
	return chisquare_p(h.seen, h.probability, (size_t) (2 * h.edge + 1), h.draws);
}

static double
laplace_weight(double x, double rate)
{
	return exp(-fabs(x) * rate);
}

/* The sum over all integers is (1 + q)/(1 - q), q = exp(-rate). */
static double
laplace_mass(double rate)
{
	return (1 + exp(-rate)) / -expm1(-rate);
}

static double
gaussian_weight(double x, double sigma2)
{
	return exp(-x * x / (2 * sigma2));
}

static double
gaussian_mass(double sigma2)
{
	double		mass = 1;
	double		x;

	for (x = 1; x < 40 * sqrt(sigma2) + 2; x++)
		mass += 2 * gaussian_weight(x, sigma2);
	return mass;
}

static double
laplace_p(uint64_t num, uint64_t den, int64_t edge, uint64_t draws, double claimed_rate)
{
	uint64_t	i;

	histogram_start(edge);
	for (i = 0; i < draws; i++)
		histogram_add(pegs_discrete_laplace(&rng, num, den));
	return histogram_p(laplace_weight, claimed_rate, laplace_mass(claimed_rate));
}

static double
gaussian_p(uint64_t num, uint32_t shift, int64_t edge, uint64_t draws, double claimed)
{
	pegs_variance sigma2 = {num, shift};
	uint64_t	i;

	histogram_start(edge);
	for (i = 0; i < draws; i++)
		histogram_add(pegs_discrete_gaussian(&rng, sigma2));
	return histogram_p(gaussian_weight, claimed, gaussian_mass(claimed));
}

#define CHECK_LAPLACE(num, den, edge) \
	CHECK(laplace_p((num), (den), (edge), 200000, (double) (num) / (double) (den)) > CHISQUARE_P)
#define CHECK_GAUSSIAN(num, shift, edge) \
	CHECK(gaussian_p((num), (shift), (edge), 200000, ldexp((double) (num), -(int) (shift))) \
		  > CHISQUARE_P)

static void
test_laplace(void)
{
	const uint64_t one = UINT64_C(1) << 50;

	start(2);
	CHECK_LAPLACE(1, 1, 20);
	CHECK_LAPLACE(2, 1, 12);
	CHECK_LAPLACE(1, 2, 40);
	CHECK_LAPLACE(10, 13, 30);
	CHECK_LAPLACE(13, 10, 30);
	CHECK_LAPLACE(1, 100, 1000);
	CHECK_LAPLACE(7, 1, 10);

	/* Rates as the pure engine has them: a cost over 2^50. */
	CHECK_LAPLACE(one / 13, one, 200);
	CHECK_LAPLACE(one * 3 / 2, one, 20);
	CHECK_LAPLACE(one / 10 + 1, one, 200);
	CHECK_LAPLACE((one << 12) / 1000, one, 20);

	/* The largest den, and a num beyond it. */
	CHECK_LAPLACE(((uint64_t) 1 << 56) / 3, ((uint64_t) 1 << 56) - 1, 60);
	CHECK_LAPLACE(((uint64_t) 1 << 57) / 3, ((uint64_t) 1 << 56) - 1, 60);
}

static void
test_gaussian(void)
{
	start(3);
	CHECK_GAUSSIAN(1, 2, 8);				/* 1/4 */
	CHECK_GAUSSIAN(1, 0, 10);
	CHECK_GAUSSIAN(201, 1, 100);			/* 100.5 */
	CHECK_GAUSSIAN(2, 0, 20);
	CHECK_GAUSSIAN(3, 2, 20);
	CHECK_GAUSSIAN(4, 0, 20);
	CHECK_GAUSSIAN(99, 0, 100);
	CHECK_GAUSSIAN(100, 0, 100);
	CHECK_GAUSSIAN(1000000, 0, 4000);

	/* The same variances as pegs_variance_of_cost writes them, and as it never would. */
	CHECK_GAUSSIAN(UINT64_C(1) << 28, 30, 8);
	CHECK_GAUSSIAN(UINT64_C(201) << 22, 23, 100);
	CHECK_GAUSSIAN(UINT64_C(1) << 58, 60, 8);
	CHECK_GAUSSIAN(UINT64_C(1) << 60, 60, 10);
	CHECK_GAUSSIAN((UINT64_C(1) << 62) - 1, 60, 10);
	CHECK_GAUSSIAN((UINT64_C(1) << 62) - 1, 57, 50);
	CHECK_GAUSSIAN((UINT64_C(1) << 62) - 1, 42, 4000);
	CHECK_GAUSSIAN(UINT64_C(1) << 57, 60, 8);
	CHECK_GAUSSIAN(841414139, 27, 20);		/* 6.2689... */
}

/* Variances at the ends of what is legal: cells of sigma/8 for the wide, no noise for the narrow. */
static void
test_gaussian_limits(void)
{
	static const uint64_t wide[][2] = {
		{(UINT64_C(1) << 56) - 1, 0},
		{(UINT64_C(1) << 62) - 1, 6},
		{(UINT64_C(1) << 61) + 12345, 6},
		{(UINT64_C(1) << 62) - 1, 20}
	};
	pegs_variance sigma2;
	size_t		i;
	int			j;

	start(4);
	for (i = 0; i < sizeof(wide) / sizeof(wide[0]); i++)
	{
		double		sigma;

		sigma2.num = wide[i][0];
		sigma2.shift = (uint32_t) wide[i][1];
		sigma = sqrt(ldexp((double) sigma2.num, -(int) sigma2.shift));
		histogram_start(40);
		for (j = 0; j < 100000; j++)
			histogram_add((int64_t) floor((double) pegs_discrete_gaussian(&rng, sigma2) / sigma * 8));
		for (j = -40; j <= 40; j++)
			h.probability[j + 40] = (erf((j + 1) / 8.0 / sqrt(2)) - erf(j / 8.0 / sqrt(2))) / 2;
		CHECK(chisquare_p(h.seen, h.probability, 81, h.draws) > CHISQUARE_P);
	}

	/* From 2^-60 to 2^-10: P(not 0) is below e^-500. */
	for (i = 0; i <= 50; i++)
	{
		sigma2.num = UINT64_C(1) << i;
		sigma2.shift = 60;
		for (j = 0; j < 50; j++)
			CHECK_INT(pegs_discrete_gaussian(&rng, sigma2), 0);
	}
}

/* ---------- exponential mechanism ---------- */

static double
choice_p(const int64_t *score, size_t n, uint64_t num, uint64_t den, double claimed)
{
	uint64_t	seen[64] = {0};
	double		probability[64];
	double		mass = 0;
	int64_t		best = score[0];
	const uint64_t draws = 200000;
	uint64_t	draw;
	size_t		i;

	for (i = 0; i < n; i++)
		best = score[i] > best ? score[i] : best;
	for (i = 0; i < n; i++)
		mass += probability[i] = exp((double) (score[i] - best) * claimed);
	for (i = 0; i < n; i++)
		probability[i] /= mass;
	for (draw = 0; draw < draws; draw++)
		seen[pegs_exponential_mechanism(NULL, &rng, score, n, num, den)]++;
	return chisquare_p(seen, probability, n, draws);
}

static void
test_choice(void)
{
	static const int64_t ties[6] = {5, 5, -3, 0, 5, 4};
	static const int64_t spread[8] = {0, -1, -2, -4, -8, -16, -32, -64};
	static const int64_t equal[3] = {-7, -7, -7};
	static const int64_t ends[3] = {-(INT64_C(1) << 60) + 1, (INT64_C(1) << 60) - 1, 0};
	static const int64_t alone[1] = {-12};
	const uint64_t one = UINT64_C(1) << 55;
	const uint64_t most = UINT64_C(1) << 62;
	int			i;

	start(5);
	CHECK(choice_p(ties, 6, 1, 2, 0.5) > CHISQUARE_P);
	CHECK(choice_p(ties, 6, 1, 1000, 0.001) > CHISQUARE_P);
	CHECK(choice_p(ties, 6, 5, 1, 5) > CHISQUARE_P);
	CHECK(choice_p(spread, 8, 1, 20, 0.05) > CHISQUARE_P);
	CHECK(choice_p(spread, 8, 1, 1, 1) > CHISQUARE_P);
	CHECK(choice_p(spread, 8, one / 3, one, 1 / 3.0) > CHISQUARE_P);
	CHECK(choice_p(spread, 8, most / 7, most, 1 / 7.0) > CHISQUARE_P);
	CHECK(choice_p(equal, 3, 100, 1, 100) > CHISQUARE_P);
	CHECK(choice_p(spread, 8, 0, 1, 0) > CHISQUARE_P);
	for (i = 0; i < 1000; i++)
	{
		CHECK_INT(pegs_exponential_mechanism(NULL, &rng, ends, 3, UINT64_MAX, 1), 1);
		CHECK_INT(pegs_exponential_mechanism(NULL, &rng, ends, 3, 1, UINT64_C(1) << 50), 1);
		CHECK_INT(pegs_exponential_mechanism(NULL, &rng, alone, 1, 1, 1), 0);
	}
	CHECK(choice_p(ends, 3, 1, UINT64_C(1) << 62, ldexp(1, -62)) > CHISQUARE_P);

	/* The judge rejects twice the epsilon. */
	CHECK(choice_p(ties, 6, 1, 2, 1) < CHISQUARE_P);
}

/* ---------- wrong samplers must fail ---------- */

static double
continuous_gaussian(double sigma)
{
	double		u = 1 - pegs_rng_double(&rng);
	double		angle = 2 * acos(-1) * pegs_rng_double(&rng);

	return sigma * sqrt(-2 * log(u)) * cos(angle);
}

static void
test_that_tests_fail(void)
{
	int			i;

	start(6);

	/* A rounded continuous Gaussian is not a discrete one: sigma^2 = 1/4. */
	histogram_start(8);
	for (i = 0; i < 200000; i++)
		histogram_add((int64_t) rint(continuous_gaussian(0.5)));
	CHECK(histogram_p(gaussian_weight, 0.25, gaussian_mass(0.25)) < CHISQUARE_P);

	/* Half the scale; 5 % too little variance; 2 % too little scale; a Laplace sold as a Gaussian. */
	CHECK(laplace_p(2, 1, 20, 200000, 1) < CHISQUARE_P);
	CHECK(gaussian_p(95, 0, 100, 200000, 100) < CHISQUARE_P);
	CHECK(laplace_p(1, 1, 20, 200000, 1.02) < CHISQUARE_P);
	histogram_start(20);
	for (i = 0; i < 200000; i++)
		histogram_add(pegs_discrete_laplace(&rng, 1, 1));
	CHECK(histogram_p(gaussian_weight, 2, gaussian_mass(2)) < CHISQUARE_P);

	/* A zero that is counted with both signs. */
	histogram_start(20);
	for (i = 0; i < 200000; i++)
	{
		int64_t		x = 0;

		while (pegs_bernoulli_exp(&rng, 1, 1))
			x++;
		histogram_add(pegs_rng_u64(&rng) >> 63 ? -x : x);
	}
	CHECK(histogram_p(laplace_weight, 1, laplace_mass(1)) < CHISQUARE_P);
}

__extension__ typedef __int128 wide;

static wide
clamped(wide x, int64_t most)
{
	return x > most ? most : x < -most ? -most : x;
}

/* What is answered is the clamped sum of the number and of the draw as it was: a clamped draw cannot be told. At the ends, and around them. */
static void
test_clamp(void)
{
	static const int64_t exacts[] = {-PEGS_EXACT_MAX, -PEGS_EXACT_MAX + 1, -12345, -1, 0, 1, 12345, PEGS_EXACT_MAX - 1, PEGS_EXACT_MAX};
	wide		ends[] = {0, 12345, PEGS_ANSWER_MAX, PEGS_EXACT_MAX, PEGS_NOISE_MAX - 1, PEGS_NOISE_MAX, (wide) PEGS_NOISE_MAX * 2, (wide) 1 << 100};

	for (size_t i = 0; i < sizeof(exacts) / sizeof(exacts[0]); i++)
		for (size_t j = 0; j < sizeof(ends) / sizeof(ends[0]); j++)
			for (int d = -3; d <= 3; d++)
				for (int sign = -1; sign <= 1; sign += 2)
				{
					wide		draw = sign * ends[j] + d;
					int64_t		answer = pegs_noisy(exacts[i], (int64_t) clamped(draw, PEGS_NOISE_MAX));

					CHECK(answer == clamped(exacts[i] + draw, PEGS_ANSWER_MAX));
				}
	/* more than there may be: as if it were that, and no sum passes 64 bits */
	CHECK_INT(pegs_noisy(INT64_MAX, -7), PEGS_ANSWER_MAX - 6);
	CHECK_INT(pegs_noisy(INT64_MIN, 7), -PEGS_ANSWER_MAX + 6);
	CHECK_INT(pegs_noisy(INT64_MAX, INT64_MAX), PEGS_ANSWER_MAX);
	CHECK_INT(pegs_noisy(INT64_MIN, -INT64_MAX), -PEGS_ANSWER_MAX);
}

/* Equal keys, equal noise: a release can be drawn again. */
static void
test_replay(void)
{
	pegs_variance sigma2 = {12345678, 10};
	int64_t		first[100];
	int			i;

	start(7);
	for (i = 0; i < 100; i++)
		first[i] = pegs_discrete_gaussian(&rng, sigma2);
	start(7);
	for (i = 0; i < 100; i++)
		CHECK_INT(pegs_discrete_gaussian(&rng, sigma2), first[i]);
}

int
main(void)
{
	test_coin_by_enumeration();
	test_coin_term_by_term();
	test_coin_of_one();
	test_coin_that_goes_on();
	test_coin_by_draws();
	test_laplace();
	test_gaussian();
	test_gaussian_limits();
	test_choice();
	test_that_tests_fail();
	test_clamp();
	test_replay();
	return unit_done("noise_test");
}
