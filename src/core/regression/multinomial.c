/*
 * multinomial.c
 *	  A multinomial logistic regression with an elastic net, from tables of counts.
 *
 * Rows with the same levels in the parents are one: the cost is that of the
 * cells, whatever the number of rows. The second derivative is nowhere more
 * than half of the matrix of all 1- and 2-way tables of the features (Böhning
 * 1992). So each pass over the cells gives a quadratic above the objective,
 * which is minimised, penalty and all, by coordinate descent in that matrix,
 * without another look at the cells. Passes have momentum, which begins anew
 * where it leads away (Nesterov 1983; O'Donoghue and Candès 2015).
 *
 * All of it is floating point, and exact counts: what it finds is as secret as
 * the rows. No guarantee stands on it (claim P26, docs/privacy.md).
 */
#include "core/regression/multinomial.h"

#include <math.h>
#include <string.h>

#include "core/regression/gradient.h"

static const int SWEEPS = 10;	/* of coordinate descent, at most, a pass ... */
static const double ENOUGH = 0.1;	/* ... or until the longest step of one is such a part of the first one's */
static const double STILL = 1e-7;	/* no coefficient moved by more: there is no other pass */
static const uint64_t LOOKS_AT_ONCE = 65536;	/* between two questions whether to stop */

/* ---- what is counted ---- */

uint64_t
pegs_regression_features(const uint32_t *levels, const uint32_t *parent_start, const uint16_t *parents, uint32_t column)
{
	uint64_t	n = 1;

	for (uint32_t p = parent_start[column]; p < parent_start[column + 1]; p++)
		n += levels[parents[p]];
	return n;
}

static void
levels_of_key(const pegs_multinomial *data, uint64_t key, uint16_t *x)
{
	key >>= data->tail_bits;
	for (uint32_t p = data->nparents; p-- > 0; key /= data->width[p])
		x[p] = (uint16_t) (key % data->width[p]);
}

/* The combinations that rows have, and how many rows there are. */
static double
find_combinations(const pegs_env *env, const uint64_t *cells, uint64_t keys, pegs_multinomial *data, double *rows_of_key)
{
	double		rows = 0;

	for (uint64_t key = 0; key < keys; key++)
	{
		uint64_t	sum = 0;

		if (key % PEGS_CHUNK == 0)
			env->check(env->context);
		for (uint32_t j = 0; j < data->levels; j++)
			sum += *cells++;
		rows_of_key[key] = (double) sum;
		data->n += sum > 0;
		rows += (double) sum;
	}
	return rows;
}

/* What a combination of that share adds to the 1- and 2-way tables of the features. */
void
pegs_multinomial_add(pegs_multinomial *data, const uint16_t *x, double share)
{
	data->mass[0] += share;
	for (uint32_t p = 0; p < data->nparents; p++)
	{
		data->mass[data->first[p] + x[p]] += share;
		for (uint32_t q = p + 1; q < data->nparents; q++)
			data->both[p * data->nparents + q][(size_t) x[p] * data->width[q] + x[q]] += share;
	}
}

/* Shares of the rows with each feature and each level of the column. */
static void
count_responses(const pegs_env *env, const uint64_t *cells, uint64_t keys, double rows, pegs_multinomial *data, uint16_t *x)
{
	for (uint64_t key = 0; key < keys; key++)
	{
		if (key % PEGS_CHUNK == 0)
			env->check(env->context);
		levels_of_key(data, key, x);
		for (uint32_t j = 0; j < data->levels; j++)
		{
			double		share = (double) *cells++ / rows;

			if (share == 0)
				continue;
			data->xy[j] += share;
			for (uint32_t p = 0; p < data->nparents; p++)
				data->xy[(data->first[p] + x[p]) * data->levels + j] += share;
		}
	}
}

/* Where features lie. */
static void
place_features(const pegs_env *env, const pegs_layout *layout, uint32_t column, pegs_multinomial *data)
{
	const uint16_t *parents = layout->parents + layout->parent_start[column];

	memset(data, 0, sizeof(*data));
	data->levels = layout->levels[column];
	data->tail_bits = layout->tail_bits;
	data->nparents = layout->parent_start[column + 1] - layout->parent_start[column];
	data->nfeatures = pegs_regression_features(layout->levels, layout->parent_start, layout->parents, column);
	data->width = env->alloc(env->context, sizeof(uint32_t) * (data->nparents + 1));
	data->first = env->alloc(env->context, sizeof(uint64_t) * (data->nparents + 1));
	data->first[0] = 1;
	for (uint32_t p = 0; p < data->nparents; p++)
	{
		data->width[p] = layout->levels[parents[p]];
		data->first[p + 1] = data->first[p] + data->width[p];
	}
}

void
pegs_multinomial_tables(const pegs_env *env, pegs_multinomial *data)
{
	data->xy = env->alloc(env->context, sizeof(double) * data->nfeatures * data->levels);
	data->mass = env->alloc(env->context, sizeof(double) * data->nfeatures);
	data->both = env->alloc(env->context, sizeof(double *) * ((size_t) data->nparents * data->nparents + 1));
	for (uint32_t p = 0; p < data->nparents; p++)
		for (uint32_t q = p + 1; q < data->nparents; q++)
			data->both[p * data->nparents + q] = env->alloc(env->context, sizeof(double) * data->width[p] * data->width[q]);
}

void
pegs_multinomial_of(const pegs_env *env, const pegs_layout *layout, const uint64_t *cells, uint32_t column, pegs_multinomial *data)
{
	double	   *rows_of_key = env->alloc(env->context, sizeof(double) * layout->keys[column]);
	double		rows;
	uint16_t   *x;

	place_features(env, layout, column, data);
	pegs_multinomial_tables(env, data);
	rows = find_combinations(env, cells, layout->keys[column], data, rows_of_key);
	x = data->x = env->alloc(env->context, sizeof(uint16_t) * (data->n + 1) * (data->nparents + 1));
	data->share = env->alloc(env->context, sizeof(double) * (data->n + 1));
	data->n = 0;
	for (uint64_t key = 0; key < layout->keys[column]; key++)
	{
		if (key % PEGS_CHUNK == 0)
			env->check(env->context);
		if (rows_of_key[key] == 0)
			continue;
		levels_of_key(data, key, x);
		data->share[data->n] = rows_of_key[key] / rows;
		pegs_multinomial_add(data, x, data->share[data->n++]);
		x += data->nparents;
	}
	if (data->n > 0)
		count_responses(env, cells, layout->keys[column], rows, data, x);
	pegs_env_free(env, rows_of_key);
}

void
pegs_multinomial_free(const pegs_env *env, pegs_multinomial *data)
{
	for (uint32_t p = 0; data->kept == NULL && p < data->nparents; p++)
		for (uint32_t q = p + 1; q < data->nparents; q++)
			pegs_env_free(env, data->both[p * data->nparents + q]);
	pegs_env_free(env, data->both);
	pegs_env_free(env, data->mass);
	pegs_env_free(env, data->xy);
	if (data->column)
		pegs_env_free(env, data->column);
	if (data->x)
	{
		pegs_env_free(env, data->share);
		pegs_env_free(env, data->x);
	}
	pegs_env_free(env, data->first);
	pegs_env_free(env, data->width);
}

/* ---- shares ---- */

/*
 * x <= 0, and -690 where it is below, without a jump, which a compiler makes of a
 * comparison of doubles: the larger of two magnitudes is the larger of two whole
 * numbers.
 */
static double
bounded_below(double x)
{
	static const double bound = 690;
	uint64_t	magnitude;
	uint64_t	most;
	uint64_t	beyond;

	memcpy(&magnitude, &x, sizeof(x));
	memcpy(&most, &bound, sizeof(bound));
	magnitude &= UINT64_MAX >> 1;
	beyond = -((most - magnitude) >> 63);	/* all bits, or none */
	magnitude ^= (magnitude ^ most) & beyond;
	magnitude |= UINT64_C(1) << 63;
	memcpy(&x, &magnitude, sizeof(x));
	return x;
}

/*
 * e^x for x <= 0, to 2^-52 of it, in as many steps whatever x is: exp of the C
 * library answers some numbers sooner, and rows are drawn by these, so that the
 * time of a sample would tell of the coefficients. Below e^-690 it is that: a
 * share of it is no subnormal number, which would take longer.
 */
double
pegs_exp_below(double x)
{
	static const double magic = 0x1.8p52;	/* what is added to it is rounded to a whole number, in its last bits */
	static const double taylor[] = {1.0 / 6227020800, 1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320, 1.0 / 5040, 1.0 / 720, 1.0 / 120, 1.0 / 24, 1.0 / 6, 0.5, 1, 1};
	double		bounded = bounded_below(x);
	double		shifted = bounded * 0x1.71547652b82fep0 + magic;
	double		whole = shifted - magic;
	double		rest = (bounded - whole * 0x1.62e42fee00000p-1) - whole * 0x1.a39ef35793c76p-33;
	double		sum = taylor[0];
	uint64_t	bits;
	double		power;

	for (int i = 1; i < 14; i++)
		sum = sum * rest + taylor[i];
	bits = (uint64_t) ((int64_t) whole + 1023) << 52;
	memcpy(&power, &bits, sizeof(power));
	return sum * power;
}

bool
pegs_multinomial_shares(uint32_t levels, uint32_t nparents, const uint64_t *first, const uint16_t *x, const double *coef, double *share)
{
	double		most = -INFINITY;
	double		sum = 0;

	memcpy(share, coef, sizeof(double) * levels);
	for (uint32_t p = 0; p < nparents; p++)
	{
		const double *own = coef + (first[p] + x[p]) * levels;

		for (uint32_t j = 0; j < levels; j++)
			share[j] += own[j];
	}
	for (uint32_t j = 0; j < levels; j++)
	{
		if (!isfinite(share[j]))
			return false;
		most = share[j] > most ? share[j] : most;
	}
	for (uint32_t j = 0; j < levels; j++)
		sum += share[j] = pegs_exp_below(share[j] - most);
	sum = 1 / sum;				/* once: how long a division takes depends on its numbers */
	for (uint32_t j = 0; j < levels; j++)
		share[j] *= sum;
	return true;
}

/* ---- a fit ---- */

typedef struct fitting
{
	const pegs_env *env;
	const pegs_multinomial *data;
	double		l1;
	double		l2;
	uint64_t	since;			/* looks since the last question whether to stop */
	double	   *step;			/* [levels] scratch */
	double	   *gradient;		/* [nfeatures][levels] */
	double	   *bend;			/* [nfeatures][levels] of the quadratic: half of the matrix times how far we are from where it was made */
} fitting;

static void
looked(fitting *f, uint64_t looks)
{
	f->since += looks;
	if (f->since < LOOKS_AT_ONCE)
		return;
	f->since = 0;
	f->env->check(f->env->context);
}

static void
add_scaled(double *to, double scale, const double *from, uint32_t n)
{
	for (uint32_t j = 0; j < n; j++)
		to[j] += scale * from[j];
}

/* A level of parent p has moved by f->step: what becomes of the gradient of the quadratic at all other features. */
static void
bend_level(fitting *f, uint32_t p, uint32_t level)
{
	const pegs_multinomial *data = f->data;
	uint32_t	levels = data->levels;
	uint64_t	feature = data->first[p] + level;

	add_scaled(f->bend, 0.5 * data->mass[feature], f->step, levels);
	add_scaled(f->bend + feature * levels, 0.5 * data->mass[feature], f->step, levels);
	for (uint32_t q = 0; q < data->nparents; q++)
	{
		const double *both = q == p ? NULL : p < q ? data->both[p * data->nparents + q] + (size_t) level * data->width[q]
			: data->both[q * data->nparents + p] + level;
		size_t		stride = p < q ? 1 : data->width[p];

		if (both == NULL)
			continue;
		looked(f, (uint64_t) levels * data->width[q]);
		for (uint32_t y = 0; y < data->width[q]; y++)
			if (both[y * stride] > 0)
				add_scaled(f->bend + (data->first[q] + y) * levels, 0.5 * both[y * stride], f->step, levels);
	}
}

/* The constant has. */
static void
bend_constant(fitting *f)
{
	const pegs_multinomial *data = f->data;

	looked(f, data->nfeatures * data->levels);
	for (uint64_t feature = 0; feature < data->nfeatures; feature++)
		add_scaled(f->bend + feature * data->levels, 0.5 * data->mass[feature], f->step, data->levels);
}

/* One feature of `to` to where quadratic and penalty are least: the longest step of a coefficient; 0: all stay. */
static double
move_feature(fitting *f, uint64_t feature, double *to)
{
	double		curve = 0.5 * f->data->mass[feature];
	double		l1 = feature == 0 ? 0 : f->l1;
	double		l2 = feature == 0 ? 0 : f->l2;
	double		longest = 0;

	for (uint32_t j = 0; j < f->data->levels; j++)
	{
		uint64_t	i = feature * f->data->levels + j;
		double		z = curve * to[i] - f->gradient[i] - f->bend[i];
		double		value = (z > l1 ? z - l1 : z < -l1 ? z + l1 : 0) / (curve + l2);

		f->step[j] = value - to[i];
		longest = fmax(longest, fabs(f->step[j]));
		to[i] = value;
	}
	return longest;
}

/* All of them, once: the longest step. */
static double
sweep(fitting *f, double *to)
{
	const pegs_multinomial *data = f->data;
	double		longest = move_feature(f, 0, to);

	if (longest > 0)
		bend_constant(f);
	for (uint32_t p = 0; p < data->nparents; p++)
		for (uint32_t level = 0; level < data->width[p]; level++)
		{
			double		step;

			looked(f, data->levels);
			/* no row has it, or all have: the constant says it */
			if (data->width[p] == 1 || data->mass[data->first[p] + level] == 0)
				continue;
			step = move_feature(f, data->first[p] + level, to);
			if (step > 0)
				bend_level(f, p, level);
			longest = fmax(longest, step);
		}
	return longest;
}

/* From where the gradient is taken, `to`, to the least of the quadratic and the penalty. */
static void
descend(fitting *f, double *to)
{
	double		first;

	memset(f->bend, 0, sizeof(double) * f->data->nfeatures * f->data->levels);
	first = sweep(f, to);
	for (int i = 1; i < SWEEPS && first > 0; i++)
		if (!(sweep(f, to) > ENOUGH * first))
			break;
}

/* From `from` beyond `to`, as far as the momentum says, which begins anew if the last step went back. How far the step was. */
static double
go_on(const fitting *f, double *from, double *before, const double *to, double *momentum)
{
	uint64_t	n = f->data->nfeatures * f->data->levels;
	double		next = (1 + sqrt(1 + 4 * *momentum * *momentum)) / 2;
	double		back = 0;
	double		moved = 0;

	for (uint64_t i = 0; i < n; i++)
	{
		back += (from[i] - to[i]) * (to[i] - before[i]);
		moved = fmax(moved, fabs(to[i] - before[i]));
	}
	for (uint64_t i = 0; i < n; i++)
	{
		from[i] = to[i] + (back > 0 ? 0 : (*momentum - 1) / next * (to[i] - before[i]));
		before[i] = to[i];
	}
	*momentum = back > 0 ? 1 : next;
	return moved;
}

void
pegs_multinomial_fit(const pegs_env *env, const pegs_multinomial *data, double lambda, double l1_ratio, double *coef)
{
	uint64_t	n = data->nfeatures * data->levels;
	size_t		bytes = sizeof(double) * n;
	fitting		f = {.env = env, .data = data, .l1 = lambda * l1_ratio, .l2 = lambda * (1 - l1_ratio)};
	double	   *from = env->alloc(env->context, bytes);
	double	   *to = env->alloc(env->context, bytes);
	pegs_gradient *gradient = pegs_gradient_new(env, data);
	uint32_t	passes = data->passes > 0 ? data->passes : PEGS_REGRESSION_PASSES;
	double		momentum = 1;
	bool		finite = true;

	f.step = env->alloc(env->context, sizeof(double) * data->levels);
	f.gradient = env->alloc(env->context, bytes);
	f.bend = env->alloc(env->context, bytes);
	memcpy(from, coef, bytes);
	for (uint32_t pass = 0; data->n > 0 && pass < passes; pass++)
	{
		double		moved;

		if (!pegs_gradient_at(gradient, from, f.gradient))
		{
			finite = false;
			break;
		}
		memcpy(to, from, bytes);
		descend(&f, to);
		moved = go_on(&f, from, coef, to, &momentum);
		if (data->passes == 0 && moved < STILL)
			break;
	}
	for (uint64_t i = 0; i < n; i++)
		finite = finite && isfinite(coef[i]);
	if (data->n == 0 || !finite)
		memset(coef, 0, bytes);
	pegs_env_free(env, f.bend);
	pegs_env_free(env, f.gradient);
	pegs_env_free(env, f.step);
	pegs_env_free(env, to);
	pegs_env_free(env, from);
	pegs_gradient_free(gradient);
}

/* ---- how good it is ---- */

double
pegs_multinomial_loss_of_row(const pegs_multinomial *data, const uint16_t *x, uint32_t level, const double *coef, double *share)
{
	bool		known = pegs_multinomial_shares(data->levels, data->nparents, data->first, x, coef, share);

	return -log(known ? fmax(share[level], 1e-300) : 1.0 / data->levels);
}

double
pegs_multinomial_loss(const pegs_env *env, const pegs_layout *layout, const uint64_t *cells, uint32_t column, const double *coef)
{
	double		rows = 0;
	double		loss = 0;
	pegs_multinomial data;
	double	   *share;
	uint16_t   *x;

	place_features(env, layout, column, &data);
	share = env->alloc(env->context, sizeof(double) * data.levels);
	x = env->alloc(env->context, sizeof(uint16_t) * (data.nparents + 1));
	for (uint64_t key = 0; key < layout->keys[column]; key++)
	{
		bool		known = false;

		if (key % PEGS_CHUNK == 0)
			env->check(env->context);
		for (uint32_t j = 0; j < data.levels; j++)
		{
			double		n = (double) *cells++;

			if (n == 0)
				continue;
			if (!known)
			{
				levels_of_key(&data, key, x);
				if (!pegs_multinomial_shares(data.levels, data.nparents, data.first, x, coef, share))
					for (uint32_t k = 0; k < data.levels; k++)
						share[k] = 1.0 / data.levels;
				known = true;
			}
			rows += n;
			loss -= n * log(fmax(share[j], 1e-300));
		}
	}
	pegs_env_free(env, x);
	pegs_env_free(env, share);
	pegs_env_free(env, data.first);
	pegs_env_free(env, data.width);
	return rows > 0 ? loss / rows : 0;
}
