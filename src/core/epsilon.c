/*
 * epsilon.c
 *	  From a budget to the numbers a mechanism needs: units, alpha, rho, sigma,
 *	  the tail of the noise.
 *
 * The only file of the core where a double stands before the noise, and only
 * in pegs_alpha_double, pegs_alpha and the like, pegs_urn_holds, pegs_rho (and by it
 * pegs_rho_as_epsilon), pegs_rho_of_alpha and the two tails; everything else is integers.
 *
 * It must never see data: its inputs are declared budgets and declared shapes.
 *
 * Law: whatever is returned spends at most what was given. A charge is rounded
 * up, alpha, sigma^2 and tails are rounded up, rho and e rounded down, and where a
 * double is rounded the error is paid for by a margin far above it.
 */
#include "core/epsilon.h"

#include <math.h>

/* One part in 2^40, against errors of a few parts in 2^50. */
#define MARGIN	0x1p-40

/* ---------- decimals ---------- */

typedef struct decimal
{
	bool		negative;
	const char *digits;			/* first character after the sign */
	const char *end;			/* of the digits and the point */
	int64_t		integers;		/* how many digits stand before the point */
	int64_t		exponent;		/* what follows the e */
} decimal;

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* [+-] digits [. digits] [e [+-] digits], with a digit before or after the point */
static bool
decimal_parse(const char *s, decimal *d)
{
	bool		point = false;
	bool		any = false;
	bool		negative_exponent = false;

	d->negative = *s == '-';
	d->integers = 0;
	d->exponent = 0;
	if (*s == '-' || *s == '+')
		s++;

	for (d->digits = s; is_digit(*s) || (*s == '.' && !point); s++)
	{
		if (*s == '.')
			point = true;
		else
		{
			any = true;
			if (!point)
				d->integers++;
		}
	}
	d->end = s;
	if (!any)
		return false;

	if (*s == 'e' || *s == 'E')
	{
		s++;
		negative_exponent = *s == '-';
		if (*s == '-' || *s == '+')
			s++;
		if (!is_digit(*s))
			return false;
		for (; is_digit(*s); s++)
		{
			/* Beyond this every string of digits is zero, tiny or out of range. */
			if (d->exponent < INT64_C(1) << 50)
				d->exponent = d->exponent * 10 + (*s - '0');
		}
		if (negative_exponent)
			d->exponent = -d->exponent;
	}
	return *s == '\0';
}

/* value = value * 10 + digit, unless it would pass INT64_MAX */
static bool
append_digit(int64_t *value, int digit)
{
	if (*value > (INT64_MAX - digit) / 10)
		return false;
	*value = *value * 10 + digit;
	return true;
}

pegs_status
pegs_units_from_decimal(const char *text, int digits, int64_t *units)
{
	decimal		d;
	const char *s;
	int64_t		place;			/* the next digit counts 10^place units */
	int64_t		value = 0;
	bool		remainder = false;

	if (!decimal_parse(text, &d))
		return PEGS_ERR_ARGUMENT;

	place = d.integers - 1 + d.exponent + digits;
	for (s = d.digits; s < d.end; s++)
	{
		if (*s == '.')
			continue;
		if (d.negative && *s != '0')
			return PEGS_ERR_ARGUMENT;
		if (place < 0)
			remainder = remainder || *s != '0';
		else if (!append_digit(&value, *s - '0'))
			return PEGS_ERR_RANGE;
		place--;
	}

	/* The digits that were not written: 1e3 is 1 and three zeros. */
	for (; place >= 0 && value != 0; place--)
	{
		if (!append_digit(&value, 0))
			return PEGS_ERR_RANGE;
	}

	if (remainder)
	{
		if (value == INT64_MAX)
			return PEGS_ERR_RANGE;
		value++;
	}
	*units = value;
	return PEGS_OK;
}

/* ---------- alpha ---------- */

double
pegs_alpha_double(double epsilon, double visits)
{
	return 1.0 / expm1(epsilon / visits);
}

/* Units of 2^-16, with the margin, rounded up; as long as the weights of that many levels fit in 62 bits. */
static pegs_status
alpha_in_units(double value, uint32_t levels, uint64_t *alpha)
{
	const uint64_t limit = UINT64_C(1) << 62;
	uint64_t	units;

	value = ceil(ldexp(value * (1.0 + MARGIN), PEGS_ALPHA_BITS));
	if (!(value <= (double) limit))
		return PEGS_ERR_RANGE;

	/* expm1 may be infinite; alpha may not be zero. */
	units = value < 1.0 ? 1 : (uint64_t) value;
	if (units > limit / levels)
		return PEGS_ERR_RANGE;
	*alpha = units;
	return PEGS_OK;
}

/*
 * Claim P1, docs/privacy.md. The four conversions and divisions err by one
 * part in 2^53 each, expm1 by a few; an error of epsilon/visits reaches alpha
 * multiplied by at most 1 + epsilon/visits, which is below 13 wherever alpha
 * is above one unit. MARGIN is larger than all of it.
 */
pegs_status
pegs_alpha(int64_t epsilon, uint64_t visits, uint32_t levels, uint64_t *alpha)
{
	if (epsilon <= 0 || visits == 0 || levels == 0)
		return PEGS_ERR_ARGUMENT;
	return alpha_in_units(pegs_alpha_double((double) epsilon / (double) PEGS_EPSILON_UNIT, (double) visits), levels, alpha);
}

static uint64_t
floor_sqrt_128(pegs_u128 value)
{
	uint64_t	root = 0;
	uint64_t	bit;

	for (bit = UINT64_C(1) << 63; bit != 0; bit >>= 1)
	{
		if ((pegs_u128) (root | bit) * (root | bit) <= value)
			root |= bit;
	}
	return root;
}

/*
 * Claim P17, docs/privacy.md. With eta = num 2^-54, visits rows^2 eta^2/8 <=
 * rho/2^50 is num^2 <= rho 2^61 / (visits rows^2), in integers. Then as in
 * pegs_alpha, with eta for epsilon/visits: one conversion, and expm1.
 */
pegs_status
pegs_alpha_of_rho(uint64_t rho, uint64_t visits, uint32_t rows, uint32_t levels, uint64_t *alpha)
{
	pegs_u128	squares = (pegs_u128) rows * rows;
	uint64_t	num;

	if (rho > PEGS_MAX_COST || visits == 0 || rows == 0 || levels == 0)
		return PEGS_ERR_ARGUMENT;
	/* below 2^123 by a number below 2^64, then by another: the floor is that of the product */
	num = floor_sqrt_128(((pegs_u128) rho << (2 * 54 + 3 - PEGS_COST_BITS)) / visits / squares);
	if (num == 0)
		return PEGS_ERR_RANGE;
	return alpha_in_units(pegs_alpha_double(ldexp((double) num, -54), 1), levels, alpha);
}

/* ---------- alpha of urns ---------- */

/* Claim P18, docs/privacy.md. As pegs_alpha: above one unit epsilon/columns is below 43, as draws stay below 2^46. */
pegs_status
pegs_alpha_urn(int64_t epsilon, uint64_t columns, uint64_t draws, uint32_t levels, uint64_t *alpha)
{
	const uint64_t limit = PEGS_ALPHA_ROOM;

	if (epsilon <= 0 || columns == 0 || draws == 0 || levels == 0)
		return PEGS_ERR_ARGUMENT;
	if (draws >= limit >> PEGS_ALPHA_BITS
		|| alpha_in_units((double) draws * pegs_alpha_double((double) epsilon / (double) PEGS_EPSILON_UNIT, (double) columns), levels, alpha) != PEGS_OK
		|| *alpha * levels > limit - (draws << PEGS_ALPHA_BITS))
		return PEGS_ERR_RANGE;
	return PEGS_OK;
}

/*
 * With g(i) = -ln(1 - i/alpha), the divergence of order L is at most columns/(L
 * - 1) times the sum of g(1) ... g(L - 1). g is convex, so a piece of that sum
 * is at most its length times the mean of its ends: pieces of one or two terms
 * are exact, longer ones are for large L. i/alpha stays below 255/256, so that
 * log1p errs by less than 2^-44 of itself, which MARGIN pays for.
 */
bool
pegs_urn_holds(int64_t epsilon, int64_t delta, uint64_t columns, uint64_t alpha)
{
	double		eps = (double) epsilon / (double) PEGS_EPSILON_UNIT;
	double		ln_delta = log((double) delta / (double) PEGS_DELTA_UNIT);
	double		sum = 0;
	uint64_t	last = 0;

	for (;;)
	{
		uint64_t	first = last + 1;
		uint64_t	length = 1 + last / 256;
		double		order;
		double		divergence;
		double		shrink;
		double		rarity;

		last += length;
		if (last >= UINT64_C(1) << 46 || (last << PEGS_ALPHA_BITS) > alpha - alpha / 256)
			return false;
		sum -= (double) length * (log1p(-ldexp((double) first, PEGS_ALPHA_BITS) / (double) alpha)
								  + log1p(-ldexp((double) last, PEGS_ALPHA_BITS) / (double) alpha)) / 2;
		order = (double) last + 1;
		divergence = (double) columns * sum / (double) last;
		shrink = -log1p(-1 / order);
		rarity = (ln_delta + log(order)) / (double) last;
		/* some seven thousand terms were added at most */
		if (divergence - shrink - rarity + 8 * MARGIN * (divergence + shrink + fabs(ln_delta) + log(order)) <= eps)
			return true;
		/* it grows with the order, and less than 2 is taken off */
		if (divergence > eps + 2)
			return false;
	}
}

/* From where it holds down to where it does not. */
pegs_status
pegs_alpha_urn_renyi(int64_t epsilon, int64_t delta, uint64_t columns, uint32_t levels, uint64_t *alpha)
{
	uint64_t	low = 0;
	uint64_t	high = UINT64_C(1) << PEGS_ALPHA_BITS;

	if (epsilon <= 0 || delta <= 0 || delta >= PEGS_DELTA_UNIT || columns == 0 || levels == 0)
		return PEGS_ERR_ARGUMENT;
	while (!pegs_urn_holds(epsilon, delta, columns, high))
	{
		low = high;
		high *= 2;
		if (high > (UINT64_C(1) << 62) / levels)
			return PEGS_ERR_RANGE;
	}
	while (high - low > 1)
	{
		uint64_t	middle = low + (high - low) / 2;

		if (pegs_urn_holds(epsilon, delta, columns, middle))
			high = middle;
		else
			low = middle;
	}
	*alpha = high;
	return PEGS_OK;
}

/* ---------- rho ---------- */

/*
 * The rho that order 1 + b > 1 allows: rho-zCDP implies (epsilon, delta) if
 *
 *		ln delta >= b ((1 + b) rho - epsilon) + (1 + b) ln(b/(1 + b)) - ln b
 *
 * (CKS, Proposition 12), solved for rho. The margin is a part of the sum of
 * the absolute values, so that no cancellation can eat it.
 */
static double
rho_of_order(double epsilon, double ln_delta, double b)
{
	double		ln_b = log(b);
	double		shrink = (1.0 + b) * log1p(1.0 / b);
	double		sum = epsilon + (ln_delta + ln_b + shrink) / b;
	double		size = epsilon + (fabs(ln_delta) + fabs(ln_b) + shrink) / b;

	return (sum - MARGIN * size) / (1.0 + b);
}

/*
 * Claim P6, docs/privacy.md. The best order is near 1 + sqrt(ln(1/delta)/rho):
 * a scan over b = 2^-24 ... 2^40, then ever smaller steps around the best. A
 * poor search would waste budget and nothing else.
 */
uint64_t
pegs_rho(int64_t epsilon, int64_t delta)
{
	double		eps;
	double		ln_delta;
	double		best = 0.0;
	double		centre = 0.0;
	double		step = 1.0;
	double		units;
	int			i;

	if (epsilon <= 0 || delta <= 0 || delta >= PEGS_DELTA_UNIT)
		return 0;
	eps = (double) epsilon / (double) PEGS_EPSILON_UNIT;
	ln_delta = log((double) delta / (double) PEGS_DELTA_UNIT);

	for (i = -24; i <= 40; i++)
	{
		double		rho = rho_of_order(eps, ln_delta, exp2(i));

		if (rho > best)
		{
			best = rho;
			centre = i;
		}
	}
	while (step > 0x1p-26)
	{
		double		below = rho_of_order(eps, ln_delta, exp2(centre - step));
		double		above = rho_of_order(eps, ln_delta, exp2(centre + step));

		if (below > best)
		{
			best = below;
			centre -= step;
		}
		else if (above > best)
		{
			best = above;
			centre += step;
		}
		else
			step /= 2;
	}

	units = floor(ldexp(best, PEGS_COST_BITS));
	return units < (double) PEGS_MAX_COST ? (uint64_t) units : PEGS_MAX_COST;
}

/* ---------- rho of a whole call, and back to epsilon ---------- */

#define EPSILON_UNIT_128	((pegs_u128) PEGS_EPSILON_UNIT)

static int64_t
at_most_int64(pegs_u128 value)
{
	return value < (pegs_u128) INT64_MAX ? (int64_t) value : INT64_MAX;
}

/* Renyi divergences of all orders a are at most epsilon, so at most a epsilon. */
static int64_t
rho_of_any(int64_t epsilon)
{
	return at_most_int64((((pegs_u128) epsilon << PEGS_COST_BITS) + EPSILON_UNIT_128 - 1) / EPSILON_UNIT_128);
}

/* epsilon^2 / divisor, of an epsilon below 2^40 units, so that nothing passes 128 bits: the quotient is rounded up twice. */
static int64_t
rho_of_square(int64_t epsilon, pegs_u128 divisor)
{
	const pegs_u128 unit = EPSILON_UNIT_128 * EPSILON_UNIT_128;
	pegs_u128	square = ((pegs_u128) epsilon * (pegs_u128) epsilon + divisor - 1) / divisor;

	return at_most_int64(((square << (PEGS_COST_BITS - 3)) + unit - 1) / unit);
}

int64_t
pegs_rho_of_range(int64_t epsilon, uint64_t visits)
{
	int64_t		any;
	int64_t		square;

	if (epsilon <= 0 || visits == 0)
		return epsilon <= 0 ? 0 : INT64_MAX;
	any = rho_of_any(epsilon);
	if (epsilon >= INT64_C(1) << 40)
		return any;
	square = rho_of_square(epsilon, visits);	/* e^2/(8 V): the 8 is in the three bits */
	return square < any ? square : any;
}

/*
 * Claim P20, docs/privacy.md. A quotient, log1p, and five products err by a few
 * parts in 2^52 together: MARGIN is above all of it.
 */
int64_t
pegs_rho_of_alpha(uint64_t alpha, uint64_t visits, uint32_t rows)
{
	double		eta;
	double		units;

	if (alpha == 0 || visits == 0 || rows == 0)
		return INT64_MAX;
	eta = log1p(ldexp(1.0, PEGS_ALPHA_BITS) / (double) alpha);
	units = ceil(ldexp((double) visits * rows * rows * eta * eta / 8, PEGS_COST_BITS) * (1.0 + MARGIN));
	return units < 0x1p63 ? (int64_t) units : INT64_MAX;
}

int64_t
pegs_rho_of_pure(int64_t epsilon)
{
	/* e^2/2 is above e from 2 on */
	if (epsilon <= 0)
		return 0;
	if (epsilon >= 2 * PEGS_EPSILON_UNIT)
		return rho_of_any(epsilon);
	return rho_of_square(2 * epsilon, 1);	/* (2 e)^2/8 */
}

/* By halves: what is kept as high always buys so much, whatever pegs_rho does in its last digits. */
int64_t
pegs_rho_as_epsilon(int64_t rho, int64_t delta)
{
	int64_t		low = 0;
	int64_t		high = INT64_MAX;

	if (rho <= 0)
		return 0;
	if (pegs_rho(high, delta) < (uint64_t) rho)
		return INT64_MAX;
	while (high - low > 1)
	{
		int64_t		middle = low + (high - low) / 2;

		if (pegs_rho(middle, delta) >= (uint64_t) rho)
			high = middle;
		else
			low = middle;
	}
	return high;
}

uint64_t
pegs_pure_cost(int64_t epsilon)
{
	pegs_u128	cost;

	if (epsilon <= 0)
		return 0;
	cost = ((pegs_u128) epsilon << PEGS_COST_BITS) / (pegs_u128) PEGS_EPSILON_UNIT;
	return cost < PEGS_MAX_COST ? (uint64_t) cost : PEGS_MAX_COST;
}

/* ---------- sigma and e ---------- */

/*
 * 1/(2 sigma^2) <= cost/2^50 is
 * num >= 2^(49 + shift) / cost; the quotient is rounded up, and the shift is
 * the largest that leaves it 30 bits.
 */
pegs_variance
pegs_variance_of_cost(uint64_t cost)
{
	pegs_variance sigma2 = {UINT64_C(1) << 55, 0};
	pegs_u128	one = (pegs_u128) 1 << (PEGS_COST_BITS - 1);

	if (cost == 0)
		return sigma2;

	while (sigma2.shift < 60 && (one << (sigma2.shift + 1)) / cost < (1 << 30))
		sigma2.shift++;
	sigma2.num = (uint64_t) (((one << sigma2.shift) + cost - 1) / cost);
	return sigma2;
}

/*
 * With e = 2 num/den and den = 2^55, e^2/8 <=
 * cost/2^50 is num^2 <= cost 2^61.
 */
void
pegs_selection_of_cost(bool pure, uint64_t cost, uint64_t *num, uint64_t *den)
{
	if (pure)
	{
		*num = cost;
		*den = UINT64_C(1) << (PEGS_COST_BITS + 1);
	}
	else
	{
		*num = floor_sqrt_128((pegs_u128) cost << (2 * 55 - (PEGS_COST_BITS - 1)));
		*den = UINT64_C(1) << 55;
	}
}

/* ---------- the tail of the noise ---------- */

/*
 * With p = exp(-e), P[X > t] = p^(t + 1)/(1 + p), which is at most delta/rows
 * if (t + 1) e >= ln(rows/delta) - ln(1 + p). Each term errs by a few parts in
 * 2^53, and each gets MARGIN on the side of a larger t.
 */
int64_t
pegs_laplace_tail(uint64_t units, int64_t delta, uint32_t rows)
{
	double		e = ldexp((double) units, -PEGS_COST_BITS);
	double		rarity = log((double) rows * (double) PEGS_DELTA_UNIT / (double) delta);
	double		both = log1p(exp(-e));
	double		steps = (rarity - both + MARGIN * (rarity + both)) / e;

	steps = ceil(steps * (1.0 + MARGIN)) - 1.0;
	return steps > 0 ? (int64_t) steps : 0;
}

/*
 * E exp(sX) <= exp(s^2 sigma^2 / 2), as the sum of exp(-(x - c)^2 / (2
 * sigma^2)) over all integers x is largest for c = 0 (Canonne, Kamath, Steinke
 * 2020); so P[X >= t + 1] <= exp(-(t + 1)^2 / (2 sigma^2)), at most delta/rows
 * if (t + 1)^2 >= 2 sigma^2 ln(rows/delta).
 */
int64_t
pegs_gaussian_tail(pegs_variance sigma2, int64_t delta, uint32_t rows)
{
	double		variance = ldexp((double) sigma2.num, -(int) sigma2.shift);
	double		rarity = log((double) rows * (double) PEGS_DELTA_UNIT / (double) delta);
	double		steps = sqrt(2 * variance * rarity * (1.0 + MARGIN) * (1.0 + MARGIN));

	steps = ceil(steps * (1.0 + MARGIN)) - 1.0;
	return steps > 0 ? (int64_t) steps : 0;
}
