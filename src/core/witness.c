/*
 * witness.c
 *	  What a fit or a sealed sample tells apart, step by step.
 *
 * Floating point, after the fact: nothing here decides what is drawn.
 */
#include "core/witness.h"

#include "core/pegs/weights.h"
#include <math.h>
#include <string.h>

static const double ERRS = 1 + 1e-9;	/* doubles add up to far less than this */

static void
blame(pegs_fault *fault, pegs_fault found)
{
	if (*fault == PEGS_SOUND)
		*fault = found;
}

/* ---------- surprise ---------- */

/* Y = x^2 / (2 sigma^2) of the discrete Gaussian: E[Y] and E[Y^2]. */
static void
gaussian_moments(double sigma2, double *one, double *two)
{
	double		sum = 1;

	*one = 0.5;
	*two = 0.75;
	/* from here on the sums differ from the integrals by less than 1e-13 */
	if (sigma2 >= 2)
		return;
	*one = *two = 0;
	for (int x = 1; x < 60; x++)
	{
		double		y = x * x / (2 * sigma2);
		double		p = 2 * exp(-y);

		sum += p;
		*one += p * y;
		*two += p * y * y;
	}
	*one /= sum;
	*two /= sum;
}

/* Y = e |x| of the discrete Laplace. */
static void
laplace_moments(double e, double *one, double *two)
{
	double		q = exp(-e);

	*one = e * 2 * q / -expm1(-2 * e);
	*two = e * e * 2 * q / (expm1(-e) * expm1(-e));
}

/* The bound of the supermartingale for t = 2^-60 ... 2^60, each with its part of the chance. */
bool
pegs_too_likely(const pegs_surprise *surprise, double log_chance)
{
	for (int i = -60; i <= 60; i++)
	{
		double		t = exp2(i);

		if (surprise->less > t * surprise->square / 2 + (log_chance + log(121)) / t)
			return true;
	}
	return false;
}

/* ---------- a fit ---------- */

void
pegs_witness_begin(pegs_witness *witness, const pegs_env *env)
{
	witness->env = env;
	witness->again = false;
	witness->replay = witness->draws = false;
	witness->step = NULL;
	witness->nsteps = witness->room = witness->at = 0;
	witness->ratio = witness->cost = witness->urn_epsilon = 0;
	witness->urns = 0;
}

void
pegs_witness_again(pegs_witness *witness)
{
	witness->again = true;
}

void
pegs_witness_replay(pegs_witness *witness)
{
	witness->again = witness->replay = true;
	witness->at = 0;
}

/* The next step: a new one, or in the second run the one that it must be; NULL if it is another. */
static pegs_testimony *
next_step(pegs_witness *w, pegs_purpose purpose, uint64_t spent, const int64_t *shown, size_t n)
{
	pegs_testimony *s;

	if (w->again)
	{
		s = w->at < w->nsteps ? &w->step[w->at++] : NULL;
		if (s == NULL || s->purpose != purpose || s->spent != spent || s->n != n)
		{
			blame(&w->fault, PEGS_FAULT_BESIDE);
			w->at = w->nsteps;	/* nothing can be compared from here on */
			return NULL;
		}
		return s;
	}
	if (w->nsteps == w->room)
	{
		size_t		room = w->room ? 2 * w->room : 64;
		pegs_testimony *grown = w->env->alloc(w->env->context, room * sizeof(pegs_testimony));

		if (w->nsteps > 0)
			memcpy(grown, w->step, w->nsteps * sizeof(pegs_testimony));
		w->step = grown;
		w->room = room;
	}
	s = &w->step[w->nsteps++];
	*s = (pegs_testimony) {.purpose = purpose, .spent = spent, .n = n};
	s->shown = w->env->alloc(w->env->context, n * sizeof(int64_t));
	memcpy(s->shown, shown, n * sizeof(int64_t));
	return s;
}

/* What a step told of this pair of tables, and is it paid for? */
static void
add_cost(pegs_witness *w, const pegs_testimony *s, double cost)
{
	w->cost += cost;
	if (!(cost <= (double) s->spent * 0x1p-50 * ERRS))
		blame(&w->fault, PEGS_FAULT_COST);
}

/* The noise that was drawn, against what it is said to be. */
static void
watch_noise(pegs_surprise *surprise, const pegs_noise *noise, const int64_t *exact, const double *noisy, size_t n)
{
	double		e = (double) noise->units * 0x1p-50;
	double		sigma2 = ldexp((double) noise->sigma2.num, -(int) noise->sigma2.shift);
	double		sum = 0;
	double		one;
	double		two;

	for (size_t i = 0; i < n; i++)
	{
		double		x = noisy[i] - (double) exact[i];

		sum += noise->pure ? e * fabs(x) : x * x / (2 * sigma2);
	}
	if (noise->pure)
		laplace_moments(e, &one, &two);
	else
		gaussian_moments(sigma2, &one, &two);
	surprise->less += one * (double) n - sum;
	surprise->square += two * (double) n;
}

/*
 * Noise x of second moment m2 and fourth m4, symmetric, and a, which was drawn
 * before: given a, (x - a)^2 and (x + a)^2 have the mean m2 + a^2 and the mean
 * square m4 + 6 m2 a^2 + a^4. Noise that repeats makes one of them small,
 * whatever its size. Y: that over its mean.
 */
static void
watch_echo(pegs_surprise *difference, pegs_surprise *total, double m2, double m4, double x, double a)
{
	double		mean = m2 + a * a;
	double		square = (m4 + 6 * m2 * a * a + a * a * a * a) / (mean * mean);

	if (!(mean > 0 && square < INFINITY))	/* as good as no noise: nothing to be learned */
		return;
	difference->less += 1 - (x - a) * (x - a) / mean;
	difference->square += square;
	total->less += 1 - (x + a) * (x + a) / mean;
	total->square += square;
}

/* Is the noise of each cell its own? Against the cell before, and against the same cell of the look before. */
static void
watch_echoes(pegs_witness *w, const pegs_testimony *s)
{
	double		sigma2 = ldexp((double) s->noise.sigma2.num, -(int) s->noise.sigma2.shift);
	const pegs_testimony *before = NULL;
	double		m2;
	double		m4;

	for (size_t i = (size_t) (s - w->step); before == NULL && i-- > 0;)
		if (w->step[i].purpose != PEGS_FOR_CHOICE)
			before = &w->step[i];
	if (s->noise.pure)
	{
		double		e = (double) s->noise.units * 0x1p-50;
		double		q = exp(-e);
		double		p = -expm1(-e);

		m2 = 2 * q / (p * p);
		m4 = 2 * q * (1 + 10 * q + q * q) / (p * p * p * p);
	}
	else
	{
		gaussian_moments(sigma2, &m2, &m4);
		m2 *= 2 * sigma2;
		m4 *= 4 * sigma2 * sigma2;
	}
	for (size_t i = 0; i < s->n; i++)
	{
		double		x = s->noisy[i] - (double) s->shown[i];

		if (i > 0)
			watch_echo(&w->echo[0], &w->echo[1], m2, m4, x, s->noisy[i - 1] - (double) s->shown[i - 1]);
		if (before && i < before->n)
			watch_echo(&w->echo[2], &w->echo[3], m2, m4, x, before->noisy[i] - (double) before->shown[i]);
	}
}

void
pegs_witness_rng(pegs_witness *w, const pegs_rng *rng)
{
	uint64_t	position = pegs_rng_position(rng);

	if (w->again)				/* nothing is drawn that anybody sees */
		return;
	if (w->draws && (memcmp(w->key, rng->key, sizeof(w->key)) != 0 || memcmp(w->stream, rng->nonce + 1, sizeof(w->stream)) != 0 || position < w->drawn))
		blame(&w->fault, PEGS_FAULT_NOISE);
	memcpy(w->key, rng->key, sizeof(w->key));
	memcpy(w->stream, rng->nonce + 1, sizeof(w->stream));
	w->drawn = position;
	w->draws = true;
}

static void
compare_tables(pegs_witness *w, double k, const pegs_testimony *s, const int64_t *exact)
{
	double		e = (double) s->noise.units * 0x1p-50;
	double		sigma2 = ldexp((double) s->noise.sigma2.num, -(int) s->noise.sigma2.shift);
	double		l1 = 0;
	double		l2 = 0;			/* squared */
	double		ratio = 0;

	for (size_t i = 0; i < s->n; i++)
	{
		double		d = (double) (exact[i] - s->shown[i]);
		double		x = s->noisy[i] - (double) s->shown[i];

		if (d == 0)
			continue;
		l1 += fabs(d);
		l2 += d * d;
		/* between -|d| and |d|, whatever a double makes of an x above 2^53 */
		ratio += s->noise.pure ? e * fmin(fmax(fabs(x - d) - fabs(x), -fabs(d)), fabs(d)) : (d * d - 2 * x * d) / (2 * sigma2);
	}
	w->ratio += ratio;
	if (l1 > k || l2 > k * k)
		blame(&w->fault, PEGS_FAULT_TABLE);
	add_cost(w, s, s->noise.pure ? e * l1 : l2 / (2 * sigma2));
}

void
pegs_witness_look(pegs_witness *w, pegs_purpose purpose, uint64_t most, const pegs_noise *noise, uint64_t spent,
				  const int64_t *exact, double *noisy, size_t n)
{
	pegs_testimony *s = next_step(w, purpose, spent, exact, n);

	if (w->again)
	{
		for (size_t i = 0; i < n; i++)
			noisy[i] = s ? s->noisy[i] : 0;
		if (s == NULL)
			return;
		/* the size of the noise would tell of the table */
		if (s->noise.pure != noise->pure || s->noise.units != noise->units
			|| s->noise.sigma2.num != noise->sigma2.num || s->noise.sigma2.shift != noise->sigma2.shift)
			blame(&w->fault, PEGS_FAULT_BESIDE);
		if (!w->replay)
			compare_tables(w, (double) most, s, exact);
		return;
	}
	s->noise = *noise;
	s->noisy = w->env->alloc(w->env->context, n * sizeof(double));
	memcpy(s->noisy, noisy, n * sizeof(double));
	watch_noise(&w->noise, noise, exact, noisy, n);
	watch_echoes(w, s);
	w->looks++;
}

/* -ln of the probability of candidate i. */
static double
improbability(const int64_t *score, size_t n, double factor, size_t i)
{
	int64_t		best = score[0];
	double		sum = 0;

	for (size_t j = 1; j < n; j++)
		if (score[j] > best)
			best = score[j];
	for (size_t j = 0; j < n; j++)
		sum += exp(factor * (double) (score[j] - best));
	return log(sum) - factor * (double) (score[i] - best);
}

/* The candidate that was drawn, against its probability; Y: how far below the best, in e/2. */
static void
watch_choice(const pegs_env *env, pegs_surprise *surprise, const int64_t *score, size_t n, double factor, size_t pick)
{
	double		z = improbability(score, n, factor, pick);
	size_t		best = 0;

	for (size_t i = 1; i < n; i++)
		if (score[i] > score[best])
			best = i;
	for (size_t i = 0; i < n; i++)
	{
		double		p = exp(factor * (double) (score[i] - score[pick]) - z);
		double		y = factor * (double) (score[best] - score[i]);

		pegs_env_turn(env, i);
		surprise->less += p > 0 ? p * y : 0;
		surprise->square += p > 0 ? p * y * y : 0;
	}
	surprise->less -= factor * (double) (score[best] - score[pick]);
}

static void
compare_scores(pegs_witness *w, const pegs_accountant *accountant, const pegs_testimony *s, const int64_t *score)
{
	int64_t		most = accountant->rows_per_unit;
	int64_t		low = INT64_MAX;
	int64_t		high = INT64_MIN;
	double		sum = 0;
	double		range;

	for (size_t i = 0; i < s->n; i++)
	{
		int64_t		d = score[i] - s->shown[i];

		low = d < low ? d : low;
		high = d > high ? d : high;
	}
	range = s->factor * (double) (high - low);
	/* ln of Z'/Z: near 1 from the differences alone, so that nothing cancels */
	if (range < 1)
	{
		double		z = improbability(s->shown, s->n, s->factor, s->pick);

		for (size_t i = 0; i < s->n; i++)
			sum += exp(s->factor * (double) (s->shown[i] - s->shown[s->pick]) - z)
				* expm1(s->factor * (double) (score[i] - s->shown[i] - low));
		w->ratio += log1p(sum) - s->factor * (double) (score[s->pick] - s->shown[s->pick] - low);
	}
	else
		w->ratio += improbability(score, s->n, s->factor, s->pick) - improbability(s->shown, s->n, s->factor, s->pick);
	if (low < -most || high > most)
		blame(&w->fault, PEGS_FAULT_SCORE);
	add_cost(w, s, accountant->pure ? range : range * range / 8);
}

size_t
pegs_witness_choice(pegs_witness *w, const pegs_accountant *accountant, uint64_t num, uint64_t den, uint64_t spent,
					const int64_t *score, size_t n, size_t pick)
{
	pegs_testimony *s = next_step(w, PEGS_FOR_CHOICE, spent, score, n);

	if (w->again)
	{
		if (s == NULL)
			return n - 1;		/* of no weight: the path is lost already */
		if (s->factor != (double) num / (double) den)
			blame(&w->fault, PEGS_FAULT_BESIDE);
		if (!w->replay)
			compare_scores(w, accountant, s, score);
		return s->pick;
	}
	s->factor = (double) num / (double) den;
	s->pick = pick;
	watch_choice(w->env, &w->choice, score, n, s->factor, pick);
	w->choices++;
	return pick;
}

/* What a level weighs besides: a public fact. */
static uint64_t
prior_of(const pegs_urn *urn, uint32_t level)
{
	return urn->prior ? urn->prior[level] : 0;
}

/* ln of (a + draws)(a + 1 + draws) ... over a (a + 1) ..., `more` factors: what so many rows more make of so many draws. */
static double
rising(double a, uint64_t more, double draws)
{
	double		sum = 0;

	for (uint64_t i = 0; i < more; i++)
		sum += log1p(draws / (a + (double) i));
	return sum;
}

/* One urn, of this table and of the other. */
static void
compare_urn(pegs_witness *w, uint64_t rows, const pegs_testimony *s, size_t first, uint32_t levels, const int64_t *exact)
{
	double		alpha = ldexp((double) s->alpha, -PEGS_ALPHA_BITS);
	double		total[2] = {levels * alpha, levels * alpha};
	double		least = INFINITY;
	uint64_t	moved = 0;

	for (size_t j = first; j < first + levels; j++)
	{
		int64_t		d = exact[j] - s->shown[j];
		uint64_t	size = d < 0 ? -(uint64_t) d : (uint64_t) d;
		double		prior = s->prior ? ldexp((double) s->prior[j], -PEGS_ALPHA_BITS) : 0;
		double		a = (double) (d < 0 ? exact[j] : s->shown[j]) + alpha + prior;

		total[0] += (double) s->shown[j] + prior;
		total[1] += (double) exact[j] + prior;
		moved += size;
		if (size == 0 || size > rows)
			continue;
		least = fmin(least, a);
		w->ratio -= (d < 0 ? -1 : 1) * rising(a, size, s->noisy[j]);
		w->urn_epsilon += rising(a, size, (double) s->draws);
	}
	if (moved > rows)
		blame(&w->fault, PEGS_FAULT_TABLE);
	if (moved == 0 || moved > rows)
		return;
	w->ratio += (total[1] < total[0] ? -1 : 1) * rising(fmin(total[0], total[1]), (uint64_t) fabs(total[1] - total[0]), (double) s->draws);
	w->urn_weight[w->urns] = least;
	w->urn_total[w->urns++] = fmin(total[0], total[1]);
}

void
pegs_witness_urns(pegs_witness *w, const pegs_accountant *accountant, const pegs_urn_look *look, const int64_t *exact, double *drawn, size_t n)
{
	size_t		size = sizeof(uint64_t) * n;
	pegs_testimony *s = next_step(w, PEGS_FOR_URNS, accountant->spent, exact, n);
	double		epsilon = (double) accountant->epsilon / (double) PEGS_EPSILON_UNIT;
	size_t		first = 0;

	if (!w->again && s)			/* which it is */
	{
		s->alpha = look->alpha;
		s->draws = look->draws;
		s->noisy = w->env->alloc(w->env->context, n * sizeof(double));
		memcpy(s->noisy, drawn, n * sizeof(double));
		if (look->prior)
			s->prior = memcpy(w->env->alloc(w->env->context, size), look->prior, size);
		w->looks++;
		return;
	}
	for (size_t i = 0; i < n; i++)
		drawn[i] = s ? s->noisy[i] : 1;
	if (s == NULL)
		return;
	/* what is public is the same of both tables */
	if (s->alpha != look->alpha || s->draws != look->draws || (s->prior != NULL) != (look->prior != NULL)
		|| (s->prior && memcmp(s->prior, look->prior, size) != 0))
		blame(&w->fault, PEGS_FAULT_BESIDE);
	if (w->replay)
		return;
	w->urn_weight = w->env->alloc(w->env->context, look->tables * sizeof(double));
	w->urn_total = w->env->alloc(w->env->context, look->tables * sizeof(double));
	for (uint32_t t = 0; t < look->tables; first += look->levels[t++])
		compare_urn(w, accountant->rows_per_unit, s, first, look->levels[t], exact);
	/* with delta it is alpha that holds, or does not: for all tables */
	if (look->delta == 0 ? !(w->urn_epsilon <= epsilon * ERRS) : !pegs_urn_holds(accountant->epsilon, look->delta, look->apart ? 1 : look->tables, s->alpha))
		blame(&w->fault, PEGS_FAULT_COST);
}

void
pegs_witness_emptied(pegs_witness *w, const pegs_urn_look *look, const pegs_urn *urn, const double *drawn)
{
	double		alpha = (double) look->alpha;
	double		all = 0;
	uint64_t	total = 0;
	uint32_t	heavy = 0;
	double		variance;
	double		size;
	double		p;

	for (uint32_t j = 0; j < urn->k; j++)
	{
		uint64_t	filled = (urn->count[j] << PEGS_ALPHA_BITS) + look->alpha + prior_of(urn, j);

		total += filled;
		heavy = urn->count[j] > urn->count[heavy] ? j : heavy;
		all += drawn[j];
		if (pegs_urn_weight(urn, j) != filled + ((uint64_t) drawn[j] << PEGS_ALPHA_BITS))
			blame(&w->fault, PEGS_FAULT_URN);
	}
	if (all != (double) look->draws || urn->total != total + (look->draws << PEGS_ALPHA_BITS))
		blame(&w->fault, PEGS_FAULT_URN);
	/* Y: how many draws are of the fullest cell, and how many are not, as of an urn of two colours */
	p = (alpha + ldexp((double) urn->count[heavy], PEGS_ALPHA_BITS) + (double) prior_of(urn, heavy)) / (double) total;
	size = ldexp((double) total, -PEGS_ALPHA_BITS);
	variance = all * p * (1 - p) * (size + all) / (size + 1);
	w->choice.less += (1 - p) * all - (all - drawn[heavy]);
	w->choice.square += (1 - p) * (1 - p) * all * all + variance;
	w->noise.less += p * all - drawn[heavy];
	w->noise.square += p * p * all * all + variance;
}

void
pegs_witness_end(pegs_witness *w, const pegs_accountant *accountant, bool same)
{
	double		total = accountant->pure ? (double) accountant->epsilon / (double) PEGS_EPSILON_UNIT : (double) accountant->total * 0x1p-50;

	if (w->at != w->nsteps || !same)
		blame(&w->fault, PEGS_FAULT_BESIDE);
	if (!(w->cost <= total * ERRS))
		blame(&w->fault, PEGS_FAULT_TOTAL);
	if (accountant->pure && !(fabs(w->ratio) <= total * ERRS))
		blame(&w->fault, PEGS_FAULT_RATIO);
}

/* ---------- a sealed sample ---------- */

void
pegs_visits_init(const pegs_env *env, const pegs_gibbs *gibbs, pegs_visit_witness *w)
{
	uint32_t	widest = 0;

	for (uint32_t i = 0; i < gibbs->layout->ncols; i++)
		if (gibbs->layout->levels[i] > widest)
			widest = gibbs->layout->levels[i];
	w->weight = env->alloc(env->context, sizeof(uint64_t) * widest);
	w->used = env->alloc(env->context, sizeof(uint32_t) * gibbs->nvisited);
	w->drawn = gibbs->urn ? env->alloc(env->context, sizeof(uint64_t) * gibbs->layout->ncells) : NULL;
	w->stamp = 0;
	w->fault = PEGS_SOUND;
	w->level = (pegs_surprise) {0, 0};
}

static void
new_block(const pegs_gibbs *gibbs, pegs_visit_witness *w)
{
	w->rows = 0;
	if (++w->stamp == 0)
	{
		memset(w->used, 0, sizeof(uint32_t) * gibbs->nvisited);
		w->stamp = 1;
	}
}

void
pegs_visits_begin(const pegs_gibbs *gibbs, pegs_visit_witness *w)
{
	new_block(gibbs, w);
	w->last = gibbs->layout->ncols;
	w->ratio = w->cost = 0;
	if (w->drawn)
		memset(w->drawn, 0, sizeof(uint64_t) * gibbs->layout->ncells);
}

/* Is the least and the largest ratio of a visit paid for: by its share of epsilon, or of rho by how far they are apart? */
static void
weigh_visit(pegs_visit_witness *w, double least, double most)
{
	double		apart = most - least;

	if (w->range > 0 ? !(apart <= w->range * ERRS) : !(fmax(most, -least) <= w->share * ERRS))
		blame(&w->fault, PEGS_FAULT_VISIT);
	w->cost += w->range > 0 ? apart * apart / 8 : 0;
}

/*
 * The weights of an urn on the neighbour: the draws from it are the same, so
 * that the tables' counts make all of the difference. Does this one hold its
 * table and what was drawn? No draw has a share of its own.
 */
static uint64_t
weigh_urn(pegs_visit_witness *w, const pegs_gibbs *gibbs, uint32_t column, uint64_t key, uint32_t code)
{
	uint64_t	first = gibbs->layout->offset[column] + key * gibbs->layout->levels[column];
	uint64_t	sum = 0;

	for (uint32_t j = 0; j < gibbs->layout->levels[column]; j++)
	{
		if (gibbs->weight[j] != ((gibbs->cells[first + j] + w->drawn[first + j]) << 16) + gibbs->alpha)
			blame(&w->fault, PEGS_FAULT_URN);
		w->weight[j] = gibbs->weight[j] + ((w->neighbour[first + j] - gibbs->cells[first + j]) << 16);
		sum += w->weight[j];
	}
	w->drawn[first + code]++;
	return sum;
}

void
pegs_witness_visit(pegs_visit_witness *w, const pegs_gibbs *gibbs, uint32_t column, uint64_t key, uint64_t total, uint32_t code)
{
	uint32_t	levels = gibbs->layout->levels[column];
	const uint64_t *weight = gibbs->weight;
	uint32_t   *used = &w->used[gibbs->visited_start[column] + key];
	pegs_gibbs	other = *gibbs;
	uint64_t	there;			/* sum of the neighbour's weights */
	uint64_t	most = 0;
	uint64_t	least = UINT64_MAX;
	double		low = INFINITY;
	double		high = -INFINITY;

	/* a row begins where the columns begin again */
	if (column <= w->last && ++w->rows > w->block)
	{
		new_block(gibbs, w);
		w->rows = 1;
	}
	w->last = column;
	other.cells = w->neighbour;
	there = gibbs->urn ? weigh_urn(w, gibbs, column, key, code) : pegs_gibbs_weights(&other, column, key, w->weight);
	for (uint32_t j = 0; j < levels; j++)
	{
		if (weight[j] == 0)		/* forbidden, on both tables */
		{
			there -= w->weight[j];
			w->weight[j] = 0;
			continue;
		}
		most = weight[j] > most ? weight[j] : most;
		least = weight[j] < least ? weight[j] : least;
	}
	if (gibbs->urn == NULL && *used == w->stamp && least != most)
		blame(&w->fault, PEGS_FAULT_RESET);
	*used = w->stamp;
	if (weight[code] == 0)
	{
		blame(&w->fault, PEGS_FAULT_CHOICE);	/* a level that cannot be */
		return;
	}
	w->level.less -= log((double) most / (double) weight[code]);
	for (uint32_t j = 0; j < levels; j++)
		if (weight[j] > 0)
		{
			double		ratio = log((double) weight[j] / (double) w->weight[j]) - log((double) total / (double) there);
			double		p = (double) weight[j] / (double) total;
			double		y = log((double) most / (double) weight[j]);

			w->level.less += p * y;
			w->level.square += p * y * y;
			low = fmin(low, ratio);
			high = fmax(high, ratio);
			if (j == code)
				w->ratio += ratio;
		}
	if (gibbs->urn == NULL)
		weigh_visit(w, low, high);
}

/* ---------- an urn ---------- */

void
pegs_urn_watch(const pegs_env *env, pegs_urn *urn, pegs_urn_witness *w)
{
	if (w->drawn == NULL)
		w->drawn = env->alloc(env->context, sizeof(uint64_t) * urn->k);
	memset(w->drawn, 0, sizeof(uint64_t) * urn->k);
	w->total = urn->total;
	w->ratio = 0;
	urn->witness = w;
}

/*
 * Does it hold its table and what was drawn? Then the draw is weighed in both
 * urns. What is no level in one of them must be none in the other: else the
 * ratio has no end.
 */
void
pegs_witness_draw(pegs_urn_witness *w, const pegs_urn *urn, uint32_t level)
{
	uint64_t	weight = pegs_urn_weight(urn, level);
	uint64_t	most = 0;

	if (weight == 0)
	{
		blame(&w->fault, PEGS_FAULT_CHOICE);	/* a level that cannot be */
		return;
	}
	/* its prior is public: that of the other table is the same */
	if (weight != ((urn->count[level] + w->drawn[level]) << PEGS_ALPHA_BITS) + w->alpha + prior_of(urn, level) || urn->total != w->total
		|| prior_of(urn, level) != prior_of(w->other, level))
		blame(&w->fault, PEGS_FAULT_URN);
	w->ratio += log((double) weight / (double) pegs_urn_weight(w->other, level)) - log((double) urn->total / (double) w->other->total);
	for (uint32_t j = 0; j < urn->k; j++)
	{
		uint64_t	other = pegs_urn_weight(urn, j);

		most = other > most ? other : most;
	}
	w->level.less -= log((double) most / (double) weight);
	for (uint32_t j = 0; j < urn->k; j++)
	{
		double		other = (double) pegs_urn_weight(urn, j);
		double		p = other / (double) urn->total;
		double		y = other > 0 ? log((double) most / other) : 0;

		w->level.less += p * y;
		w->level.square += p * y * y;
	}
	w->drawn[level]++;
	w->total += PEGS_URN_ONE;
}

/* ---------- levels that each have at least a weight ---------- */

void
pegs_witness_floor(pegs_floor_witness *w, const uint64_t *weight, uint64_t total, uint64_t there, uint32_t levels, uint32_t code)
{
	uint64_t	most = 0;
	uint64_t	least = UINT64_MAX;
	uint32_t	possible = 0;

	for (uint32_t j = 0; j < levels; j++)
	{
		if ((weight[j] == 0) != (w->weight[j] == 0))
			blame(&w->fault, PEGS_FAULT_RATIO);
		if (weight[j] == 0)
			continue;
		possible++;
		most = weight[j] > most ? weight[j] : most;
		least = weight[j] < least ? weight[j] : least;
	}
	if (weight[code] == 0)
	{
		blame(&w->fault, PEGS_FAULT_CHOICE);	/* a level that cannot be */
		return;
	}
	/* a model may give all that is above the floors to one level, and one of another table nothing to it */
	if (!(log1p((double) (total - possible * least) / (double) least) <= w->share * ERRS))
		blame(&w->fault, PEGS_FAULT_VISIT);
	w->level.less -= log((double) most / (double) weight[code]);
	for (uint32_t j = 0; j < levels; j++)
		if (weight[j] > 0)
		{
			double		ratio = log((double) weight[j] / (double) w->weight[j]) - log((double) total / (double) there);
			double		p = (double) weight[j] / (double) total;
			double		y = log((double) most / (double) weight[j]);

			w->level.less += p * y;
			w->level.square += p * y * y;
			if (!(fabs(ratio) <= w->share * ERRS))
				blame(&w->fault, PEGS_FAULT_VISIT);
			if (j == code)
				w->ratio += ratio;
		}
}
