/*
 * noise.c
 *	  Exact samplers: Bernoulli(exp(-x)), discrete Laplace, discrete Gaussian,
 *	  exponential mechanism.
 *
 * All of them are rejection samplers built on one coin, Bernoulli(exp(-x)) of
 * a rational x, which itself needs only coins of rational probability
 * (Canonne, Kamath, Steinke 2020, "The Discrete Gaussian for Differential
 * Privacy", Algorithms 1-3; CKS below).
 *
 * It must never contain a floating-point number, round a rational, or drop a
 * product's high bits.
 *
 * Law: for every argument that noise.h allows the distribution is the stated
 * one, except that an acceptance probability below e^-(2^63) is taken as zero
 * (in one place, marked), and that draws are clamped to PEGS_NOISE_MAX,
 * which pegs_noisy hides.
 * The time a draw takes depends on the draw: callers may not publish it.
 */
#include "core/noise.h"

/* Uniform on [0, bound), bound >= 1, by rejecting numbers of as many bits. */
static pegs_u128
below_128(pegs_rng *rng, pegs_u128 bound)
{
	pegs_u128	mask = ~(pegs_u128) 0;
	pegs_u128	value;

	if (bound <= UINT64_MAX)
		return pegs_rng_below(rng, (uint64_t) bound);

	while (mask >> 1 >= bound - 1)
		mask >>= 1;
	do
	{
		value = (pegs_u128) pegs_rng_u64(rng) << 64;
		value = (value | pegs_rng_u64(rng)) & mask;
	} while (value >= bound);
	return value;
}

#define FACTORIAL_20 UINT64_C(2432902008176640000)
#define STOPS_ODD UINT64_C(895014631192902120)

/*
 * exp(-1): the loop below with num = den, whose coins of turns 2 to 20 are one
 * number below 20!. The coin of turn 1 always shows heads. It stops at turn k
 * with probability 1/(k-1)! - 1/k!: of the 20! numbers STOPS_ODD are for odd k,
 * one is for k > 20, and the others are for even k.
 */
static inline bool
bernoulli_exp_one(pegs_rng *rng)
{
	uint64_t	coins = pegs_rng_below(rng, FACTORIAL_20);
	uint64_t	turn = 21;

	if (coins < FACTORIAL_20 - 1)
		return coins < STOPS_ODD;
	while (pegs_rng_below(rng, turn) == 0)
		turn++;
	return turn & 1;
}

#define TURNS_OF_WORDS 16
#define DENOMINATOR_OF_WORDS (UINT64_C(1) << 56)	/* times the turns: below 2^64 */

/*
 * exp(-num/den) for num < den, CKS Algorithm 1: count the turns until a coin
 * of probability num/(den turn) shows tails; the count is odd with probability
 * 1 - x + x^2/2! - x^3/3! ... = exp(-x). Where den turn may not fit into a word the
 * coin is two coins, num/den and 1/turn.
 */
static inline bool
bernoulli_exp_fraction(pegs_rng *rng, pegs_u128 num, pegs_u128 den)
{
	uint64_t	turn = 1;

	if (den <= DENOMINATOR_OF_WORDS)
		for (; turn <= TURNS_OF_WORDS; turn++)
			if (pegs_rng_below(rng, (uint64_t) den * turn) >= (uint64_t) num)
				return turn & 1;
	while (below_128(rng, den) < num &&
		   (turn == 1 || pegs_rng_below(rng, turn) == 0))
		turn++;
	return turn & 1;
}

/*
 * exp(-num/den) = exp(-1) ... exp(-1) exp(-(the fraction)). The first tails
 * ends it, so the loop takes 1.6 turns on average however large num/den is:
 * subtraction is faster than division.
 */
bool
pegs_bernoulli_exp(pegs_rng *rng, pegs_u128 num, pegs_u128 den)
{
	while (num >= den)
	{
		if (!bernoulli_exp_one(rng))
			return false;
		num -= den;
	}
	return bernoulli_exp_fraction(rng, num, den);
}

/*
 * CKS Algorithm 2: U + den V is geometric with ratio exp(-1/den), divided by
 * num it is geometric with ratio exp(-num/den); a sign, and only one zero.
 *
 * Where den is a power of 2 the highest bits of a word are U, and its lowest one
 * is the sign.
 */
int64_t
pegs_discrete_laplace(pegs_rng *rng, uint64_t num, uint64_t den)
{
	int			bits = (den & (den - 1)) == 0 ? __builtin_ctzll(den) : 0;

	for (;;)
	{
		uint64_t	word = bits > 0 ? pegs_rng_u64(rng) : 0;
		uint64_t	remainder = bits > 0 ? word >> (64 - bits) : pegs_rng_below(rng, den);
		uint64_t	quotient = 0;
		pegs_u128	magnitude;
		bool		negative;

		if (!bernoulli_exp_fraction(rng, remainder, den))
			continue;
		while (bernoulli_exp_one(rng))
			quotient++;

		magnitude = (pegs_u128) den * quotient + remainder;
		if (num > 1)
		{
			if (magnitude <= UINT64_MAX)
				magnitude = (uint64_t) magnitude / num;
			else
				magnitude /= num;
		}

		negative = bits > 0 ? word & 1 : pegs_rng_u64(rng) >> 63;
		if (negative && magnitude == 0)
			continue;
		if (magnitude > (pegs_u128) PEGS_NOISE_MAX)
			magnitude = (pegs_u128) PEGS_NOISE_MAX;
		return negative ? -(int64_t) magnitude : (int64_t) magnitude;
	}
}

/* The largest root with root^2 <= value, by Newton's method from above. */
static uint64_t
floor_sqrt(uint64_t value)
{
	uint64_t	root;
	uint64_t	next;

	if (value < 2)
		return value;
	next = UINT64_C(1) << ((65 - __builtin_clzll(value)) / 2);
	do
	{
		root = next;
		next = (root + value / root) / 2;
	} while (next < root);
	return root;
}

/*
 * The discrete Gaussian accepts a Laplace draw y of scale t with probability
 * exp(-(|y| - c)^2 / (2 sigma^2)), c = sigma^2/t. As one fraction that is
 * (|y| t 2^shift - s)^2 / (2^(shift+1) t^2 s) for sigma^2 = s/2^shift, whose
 * numerator may need 300 bits. So the distance is cut into its integer and the
 * rest, ||y| - c| = whole + part/unit with unit = t 2^shift, part < unit, and
 * the coin into three:
 *
 *		whole^2 / (2 sigma^2)				= whole^2 2^shift / (2 s)
 *		whole (part/unit) / sigma^2			= whole part / (t s)
 *		(part/unit)^2 / (2 sigma^2)			= part^2 / (2 unit t s)
 *
 * Bits: with t = floor(sigma) + 1 either sigma < 1, t = 1 and s < 2^shift, or
 * t^2 <= 4 s/2^shift. Given s < 2^62, shift <= 60 and whole^2 2^shift < 2^127:
 *
 *		part^2 < unit^2						<= max(2^(2 shift), 2^(shift+2) s) < 2^124
 *		2 unit t s							<= max(2^(2 shift+1), 8 s^2) < 2^127
 *		whole part < whole 2^(shift/2) (unit 2^-(shift/2))	< 2^63.5 2^32 < 2^96
 *		t s									< 2^28 2^62
 *
 * so no product is ever cut off.
 */
typedef struct gaussian
{
	uint64_t	s;				/* sigma^2 = s / 2^shift */
	uint32_t	shift;
	uint64_t	t;				/* floor(sigma) + 1 */
	pegs_u128	unit;			/* t 2^shift */
	uint64_t	centre;			/* c = centre + centre_part/unit */
	pegs_u128	centre_part;
} gaussian;

static inline bool
gaussian_accept(pegs_rng *rng, const gaussian *g, uint64_t magnitude)
{
	uint64_t	whole;
	pegs_u128	part;
	pegs_u128	square;

	if (magnitude <= g->centre)
	{
		whole = g->centre - magnitude;
		part = g->centre_part;
	}
	else if (g->centre_part == 0)
	{
		whole = magnitude - g->centre;
		part = 0;
	}
	else
	{
		whole = magnitude - g->centre - 1;
		part = g->unit - g->centre_part;
	}

	/*
	 * The one probability that is taken as zero: whole^2 2^shift >= 2^127
	 * means an exponent of at least 2^127/(2 s) > 2^64.
	 */
	square = (pegs_u128) whole * whole;
	if (square >> (127 - g->shift) != 0)
		return false;

	return pegs_bernoulli_exp(rng, square << g->shift, 2 * g->s) &&
		pegs_bernoulli_exp(rng, whole * part, (pegs_u128) g->t * g->s) &&
		pegs_bernoulli_exp(rng, part * part, 2 * g->unit * g->t * g->s);
}

/* CKS Algorithm 3. */
int64_t
pegs_discrete_gaussian(pegs_rng *rng, pegs_variance sigma2)
{
	gaussian	g;

	g.s = sigma2.num;
	g.shift = sigma2.shift;
	g.t = floor_sqrt(g.s >> g.shift) + 1;
	g.unit = (pegs_u128) g.t << g.shift;
	if (g.unit > g.s)
	{
		g.centre = 0;
		g.centre_part = g.s;
	}
	else
	{
		g.centre = g.s / (uint64_t) g.unit;
		g.centre_part = g.s % (uint64_t) g.unit;
	}

	for (;;)
	{
		int64_t		draw = pegs_discrete_laplace(rng, 1, g.t);
		uint64_t	magnitude = draw < 0 ? -(uint64_t) draw : (uint64_t) draw;

		if (gaussian_accept(rng, &g, magnitude))
			return draw;
	}
}

int64_t
pegs_noisy(int64_t exact, int64_t noise)
{
	if (exact > PEGS_EXACT_MAX)
		exact = PEGS_EXACT_MAX;
	if (exact < -PEGS_EXACT_MAX)
		exact = -PEGS_EXACT_MAX;
	if (noise > PEGS_ANSWER_MAX - exact)
		return PEGS_ANSWER_MAX;
	if (noise < -PEGS_ANSWER_MAX - exact)
		return -PEGS_ANSWER_MAX;
	return exact + noise;
}

/*
 * A uniform candidate, accepted with probability exp(-(best - score) num/den):
 * the first accepted one has the softmax distribution exactly.
 */
size_t
pegs_exponential_mechanism(const pegs_env *env, pegs_rng *rng, const int64_t *score, size_t n,
						   uint64_t num, uint64_t den)
{
	int64_t		best = score[0];
	size_t		i;

	for (i = 1; i < n; i++)
	{
		pegs_env_turn(env, i);
		if (score[i] > best)
			best = score[i];
	}

	for (size_t turn = 0;; turn++)
	{
		pegs_env_turn(env, turn);
		i = (size_t) pegs_rng_below(rng, n);
		if (pegs_bernoulli_exp(rng, (pegs_u128) (best - score[i]) * num, den))
			return i;
	}
}
