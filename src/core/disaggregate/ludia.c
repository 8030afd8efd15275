/*
 * ludia.c
 *	  LUDIA (Park and Ghosh 2014; Park's thesis, chapter 4): columns and values together are of low rank, and the averages are those of the values.
 *
 * Smallest |X - U Vx'|^2 + sum over levels of |s - P vy|^2 W + |A U - P|^2, in turn for U, P, Vx and vy, each in closed form;
 * W = diag(n_g), as the objective has it. X has a column of ones.
 *
 * U is never made: that of a row is x M + c, where c is the same for all in a
 * cell, and everything that a round needs of it follows from X'X and the means of X by cells.
 * So a round takes as long for a million rows as for a thousand.
 */
#include "core/disaggregate/ludia.h"

#include "core/copula/eigen.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define ROUNDS 200
#define LEAST_EIGENVALUE 1e-10	/* of the largest, where one divides */
#define SMALLEST 1e-13
#define CG_STEPS 500
#define CG_TOLERANCE 1e-10

typedef struct work
{
	const pegs_env *env;
	const pegs_individuals *all;
	uint32_t	k;				/* columns, with that of ones */
	uint32_t	r;
	double	   *gram;			/* [k][k] X'X */
	double	   *cell_x;			/* [cells][k] means */
	double	  **group_x;		/* [levels][groups][k] means */
	double	   *vx;				/* [k][r] */
	double	   *vy;				/* [r] */
	double	   *m;				/* [k][r] */
	double	   *c;				/* [cells][r] */
	double	  **p;				/* [levels][groups][r] */
	double	   *value;			/* [r] eigenvalues of Vx'Vx */
} work;

static double *
numbers(const work *w, size_t n)
{
	return w->env->alloc(w->env->context, sizeof(double) * (n + 1));
}

/* ---- small matrices ---- */

/* out[n][b] = x[n][a] y[a][b] */
static void
times(const work *w, size_t n, size_t a, size_t b, const double *x, const double *y, double *out)
{
	memset(out, 0, sizeof(double) * n * b);
	for (size_t i = 0; i < n; i++)
	{
		if (i % 256 == 0)
			w->env->check(w->env->context);
		for (size_t k = 0; k < a; k++)
			for (size_t j = 0; j < b; j++)
				out[i * b + j] += x[i * a + k] * y[k * b + j];
	}
}

/* rows of x[n][r] become x A^-1, of the symmetric a[r][r]; where A has no inverse, the shortest. a is used up. */
static pegs_status
divide(const work *w, uint32_t r, double *a, size_t n, double *x)
{
	double	   *value = numbers(w, r);
	double	   *vector = numbers(w, (size_t) r * r);
	double	   *part = numbers(w, r);
	double		largest = 0;
	pegs_status status = pegs_eigen(w->env, r, a, value, vector);

	for (uint32_t k = 0; k < r; k++)
		largest = fmax(largest, value[k]);
	for (size_t i = 0; i < n && status == PEGS_OK; i++)
	{
		double	   *row = x + i * r;

		for (uint32_t k = 0; k < r; k++)
		{
			part[k] = 0;
			for (uint32_t j = 0; j < r; j++)
				part[k] += row[j] * vector[(size_t) k * r + j];
			part[k] = value[k] > SMALLEST * largest ? part[k] / value[k] : 0;
		}
		memset(row, 0, sizeof(double) * r);
		for (uint32_t k = 0; k < r; k++)
			for (uint32_t j = 0; j < r; j++)
				row[j] += part[k] * vector[(size_t) k * r + j];
	}
	pegs_env_free(w->env, value);
	pegs_env_free(w->env, vector);
	pegs_env_free(w->env, part);
	return status;
}

/* ---- what the rounds need of the rows ---- */

static void
look_at_rows(work *w, const double *y, double *with_y)
{
	const pegs_individuals *all = w->all;
	uint32_t	m = all->m;

	w->gram = numbers(w, (size_t) w->k * w->k);
	w->cell_x = numbers(w, (size_t) all->ncells * w->k);
	for (uint64_t i = 0; i < all->rows; i++)
	{
		const double *x = all->x + i * m;
		double	   *cell = w->cell_x + (size_t) all->cell[i] * w->k;

		if (i % 1024 == 0)
			w->env->check(w->env->context);
		w->gram[0]++;
		cell[0]++;
		with_y[0] += y[i];
		with_y[w->k] += y[i] * y[i];
		for (size_t a = 0; a < m; a++)
		{
			double	   *row = w->gram + (a + 1) * w->k;

			w->gram[a + 1] += x[a];
			cell[a + 1] += x[a];
			with_y[a + 1] += x[a] * y[i];
			for (size_t b = 0; b <= a; b++)
				row[b + 1] += x[a] * x[b];
		}
	}
	for (size_t a = 0; a < w->k; a++)
		for (size_t b = a + 1; b < w->k; b++)
			if (a == 0)
				w->gram[b * w->k] = w->gram[b];
			else
				w->gram[a * w->k + b] = w->gram[b * w->k + a];
	for (size_t c = 0; c < all->ncells; c++)
		for (size_t a = 0; a < w->k; a++)
			w->cell_x[c * w->k + a] /= all->cell_size[c];
	w->group_x = w->env->alloc(w->env->context, sizeof(double *) * all->nlevels);
	for (uint32_t l = 0; l < all->nlevels; l++)
	{
		w->group_x[l] = numbers(w, (size_t) all->level[l].n * w->k);
		for (size_t g = 0; g < all->level[l].n; g++)
		{
			w->group_x[l][g * w->k] = 1;
			memcpy(w->group_x[l] + g * w->k + 1, all->level[l].x + g * m, sizeof(double) * m);
		}
	}
}

/* The rank of X; then the largest singular values of [X y], split evenly. */
static pegs_status
begin(work *w, const double *with_y, uint32_t *rank)
{
	const pegs_individuals *all = w->all;
	size_t		n = w->k + 1;
	double	   *a = numbers(w, n * n);
	double	   *value = numbers(w, n);
	double	   *vector = numbers(w, n * n);
	double		largest = 0;
	pegs_status status;

	memcpy(a, w->gram, sizeof(double) * w->k * w->k);
	status = pegs_eigen(w->env, w->k, a, value, vector);
	if (status != PEGS_OK)
		return status;
	for (uint32_t k = 0; k < w->k; k++)
		largest = fmax(largest, value[k]);
	for (uint32_t k = 0; k < w->k; k++)
		w->r += value[k] > 1e-11 * largest;
	*rank = w->r;
	if (w->r > PEGS_LUDIA_RANK)
		return PEGS_ERR_TOO_LARGE;
	for (size_t i = 0; i < w->k; i++)
	{
		memcpy(a + i * n, w->gram + i * w->k, sizeof(double) * w->k);
		a[i * n + w->k] = a[w->k * n + i] = with_y[i];
	}
	a[n * n - 1] = with_y[w->k];
	status = pegs_eigen(w->env, (uint32_t) n, a, value, vector);
	if (status != PEGS_OK)
		return status;
	w->vx = numbers(w, (size_t) w->k * w->r);
	w->vy = numbers(w, w->r);
	w->m = numbers(w, (size_t) w->k * w->r);
	w->c = numbers(w, (size_t) all->ncells * w->r);
	w->value = numbers(w, w->r);
	w->p = w->env->alloc(w->env->context, sizeof(double *) * all->nlevels);
	for (uint32_t l = 0; l < all->nlevels; l++)
		w->p[l] = numbers(w, (size_t) all->level[l].n * w->r);
	for (size_t k = 0; k < w->r; k++)
	{
		size_t		top = 0;
		double		root;

		for (size_t i = 1; i < n; i++)
			if (value[i] > value[top])
				top = i;
		root = sqrt(sqrt(fmax(value[top], DBL_MIN)));
		value[top] = -1;
		w->vy[k] = vector[top * n + w->k] * root;
		for (size_t i = 0; i < w->k; i++)
			w->vx[i * w->r + k] = vector[top * n + i] * root;
		/* U = [X y] v / root: what its means are */
		for (uint32_t l = 0; l < all->nlevels; l++)
			for (size_t g = 0; g < all->level[l].n; g++)
			{
				double		sum = all->level[l].average[g] * vector[top * n + w->k];

				for (size_t i = 0; i < w->k; i++)
					sum += w->group_x[l][g * w->k + i] * vector[top * n + i];
				w->p[l][g * w->r + k] = sum / root;
			}
	}
	pegs_env_free(w->env, a);
	pegs_env_free(w->env, value);
	pegs_env_free(w->env, vector);
	return PEGS_OK;
}

/* ---- a round ---- */

/* Everything is turned so that Vx'Vx is diagonal: what it stands for stays. */
static pegs_status
turn(work *w)
{
	uint32_t	r = w->r;
	size_t		most = w->k;
	double	   *b = numbers(w, (size_t) r * r);
	double	   *vector = numbers(w, (size_t) r * r);
	double	   *turned;
	double	   *q = numbers(w, (size_t) r * r);
	double		largest = 0;
	pegs_status status;

	for (size_t i = 0; i < w->k; i++)
		for (uint32_t a = 0; a < r; a++)
			for (uint32_t j = 0; j < r; j++)
				b[a * r + j] += w->vx[i * r + a] * w->vx[i * r + j];
	status = pegs_eigen(w->env, r, b, w->value, vector);
	for (uint32_t a = 0; a < r; a++)
		for (uint32_t j = 0; j < r; j++)
			q[j * r + a] = vector[a * r + j];
	for (uint32_t l = 0; l < w->all->nlevels; l++)
		most = w->all->level[l].n > most ? w->all->level[l].n : most;
	turned = numbers(w, most * r);
	times(w, w->k, r, r, w->vx, q, turned);
	memcpy(w->vx, turned, sizeof(double) * w->k * r);
	times(w, 1, r, r, w->vy, q, turned);
	memcpy(w->vy, turned, sizeof(double) * r);
	for (uint32_t l = 0; l < w->all->nlevels; l++)
	{
		times(w, w->all->level[l].n, r, r, w->p[l], q, turned);
		memcpy(w->p[l], turned, sizeof(double) * w->all->level[l].n * r);
	}
	for (uint32_t a = 0; a < r; a++)
		largest = fmax(largest, w->value[a]);
	for (uint32_t a = 0; a < r; a++)
		w->value[a] = fmax(w->value[a], fmax(LEAST_EIGENVALUE * largest, DBL_MIN));
	pegs_env_free(w->env, b);
	pegs_env_free(w->env, vector);
	pegs_env_free(w->env, q);
	pegs_env_free(w->env, turned);
	return status;
}

/* out = sum over levels of a cell's group's mean of z, over the group's size: A'A of it */
static void
back_and_forth(const work *w, const double *z, double *mean, double *out)
{
	const pegs_individuals *all = w->all;

	memset(out, 0, sizeof(double) * all->ncells);
	for (uint32_t l = 0; l < all->nlevels; l++)
	{
		const double *size = all->level[l].size;
		const uint32_t *group = all->group[l];

		w->env->check(w->env->context);
		memset(mean, 0, sizeof(double) * all->level[l].n);
		for (uint32_t c = 0; c < all->ncells; c++)
			mean[group[c]] += all->cell_size[c] / size[group[c]] * z[c];
		for (uint32_t c = 0; c < all->ncells; c++)
			out[c] += mean[group[c]] / size[group[c]];
	}
}

static double
dot_of_rows(const work *w, const double *x, const double *y)
{
	double		sum = 0;

	for (uint32_t c = 0; c < w->all->ncells; c++)
		sum += w->all->cell_size[c] * x[c] * y[c];
	return sum;
}

/* (value + A'A) z = t of several levels, by conjugate gradients over the cells. */
static void
solve_cells(const work *w, double value, const double *t, double *z, double *memory, double *mean)
{
	size_t		n = w->all->ncells;
	double	   *rest = memory;
	double	   *way = memory + n;
	double	   *image = memory + 2 * n;
	double		size = dot_of_rows(w, t, t);
	double		left = size;

	memset(z, 0, sizeof(double) * n);
	memcpy(rest, t, sizeof(double) * n);
	memcpy(way, t, sizeof(double) * n);
	for (int step = 0; step < CG_STEPS && left > CG_TOLERANCE * CG_TOLERANCE * size; step++)
	{
		double		length;
		double		before = left;

		back_and_forth(w, way, mean, image);
		for (size_t c = 0; c < n; c++)
			image[c] += value * way[c];
		length = left / dot_of_rows(w, way, image);
		for (size_t c = 0; c < n; c++)
		{
			z[c] += length * way[c];
			rest[c] -= length * image[c];
		}
		left = dot_of_rows(w, rest, rest);
		for (size_t c = 0; c < n; c++)
			way[c] = rest[c] + left / before * way[c];
	}
}

/* U: x M of a row's columns, and c of its cell. `lack` is room for what P has more than the means of X M. */
static void
find_u(work *w)
{
	const pegs_individuals *all = w->all;
	uint32_t	r = w->r;
	double	   *t = numbers(w, (size_t) all->ncells * 5);
	double	   *z = t + all->ncells;
	double	   *memory = z + all->ncells;
	uint32_t	most = 0;
	double	  **lack = w->env->alloc(w->env->context, sizeof(double *) * all->nlevels);
	double	   *mean;

	for (size_t i = 0; i < w->k; i++)
		for (uint32_t a = 0; a < r; a++)
			w->m[i * r + a] = w->vx[i * r + a] / w->value[a];
	for (uint32_t l = 0; l < all->nlevels; l++)
	{
		size_t		n = (size_t) all->level[l].n * r;

		most = all->level[l].n > most ? all->level[l].n : most;
		lack[l] = numbers(w, n);
		times(w, all->level[l].n, w->k, r, w->group_x[l], w->m, lack[l]);
		for (size_t i = 0; i < n; i++)
			lack[l][i] = w->p[l][i] - lack[l][i];
	}
	mean = numbers(w, most);
	for (uint32_t a = 0; a < r; a++)
	{
		memset(t, 0, sizeof(double) * all->ncells);
		w->env->check(w->env->context);
		for (uint32_t l = 0; l < all->nlevels; l++)
			for (size_t c = 0; c < all->ncells; c++)
				t[c] += lack[l][(size_t) all->group[l][c] * r + a] / all->level[l].size[all->group[l][c]];
		if (all->nlevels == 1)
			for (size_t c = 0; c < all->ncells; c++)
				z[c] = t[c] / (w->value[a] + 1 / all->cell_size[c]);
		else
			solve_cells(w, w->value[a], t, z, memory, mean);
		for (size_t c = 0; c < all->ncells; c++)
			w->c[c * r + a] = z[c];
	}
	for (uint32_t l = 0; l < all->nlevels; l++)
		pegs_env_free(w->env, lack[l]);
	pegs_env_free(w->env, lack);
	pegs_env_free(w->env, mean);
	pegs_env_free(w->env, t);
}

/* P and vy of U's means; what they leave of the objective. */
static pegs_status
find_p(work *w, double *objective)
{
	const pegs_individuals *all = w->all;
	uint32_t	r = w->r;
	double	   *normal = numbers(w, (size_t) r * r);
	double	   *right = numbers(w, r);
	double		square = 0;
	double		off = 0;
	pegs_status status;

	for (uint32_t a = 0; a < r; a++)
		square += w->vy[a] * w->vy[a];
	for (uint32_t l = 0; l < all->nlevels; l++)
	{
		const pegs_averages *level = &all->level[l];
		double	   *u = numbers(w, (size_t) level->n * r);

		times(w, level->n, w->k, r, w->group_x[l], w->m, u);
		for (size_t c = 0; c < all->ncells; c++)
			for (uint32_t a = 0; a < r; a++)
				u[(size_t) all->group[l][c] * r + a] += all->cell_size[c] / level->size[all->group[l][c]] * w->c[c * r + a];
		for (size_t g = 0; g < level->n; g++)
		{
			double	   *p = w->p[l] + g * r;
			double		n = level->size[g];
			double		along = 0;

			if (g % 256 == 0)
				w->env->check(w->env->context);
			for (uint32_t a = 0; a < r; a++)
			{
				p[a] = n * level->average[g] * w->vy[a] + u[g * r + a];
				along += p[a] * w->vy[a];
			}
			for (uint32_t a = 0; a < r; a++)
			{
				p[a] -= n * along / (1 + n * square) * w->vy[a];
				off += (u[g * r + a] - p[a]) * (u[g * r + a] - p[a]);
			}
			for (uint32_t a = 0; a < r; a++)
			{
				right[a] += n * level->average[g] * p[a];
				for (uint32_t b = 0; b < r; b++)
					normal[a * r + b] += n * p[a] * p[b];
			}
		}
		pegs_env_free(w->env, u);
	}
	status = divide(w, r, normal, 1, right);
	memcpy(w->vy, right, sizeof(double) * r);
	for (uint32_t l = 0; l < all->nlevels; l++)
		for (size_t g = 0; g < all->level[l].n; g++)
		{
			double		rest = all->level[l].average[g];

			for (uint32_t a = 0; a < r; a++)
				rest -= w->p[l][g * r + a] * w->vy[a];
			off += all->level[l].size[g] * rest * rest;
		}
	*objective += off;
	pegs_env_free(w->env, normal);
	pegs_env_free(w->env, right);
	return status;
}

/* Vx of U; |X - U Vx'|^2, as (X E - C Vx')^2 with E = I - M Vx'. */
static pegs_status
find_vx(work *w, double *objective)
{
	const pegs_individuals *all = w->all;
	uint32_t	r = w->r;
	size_t		k = w->k;
	double	   *xc = numbers(w, k * r);
	double	   *cc = numbers(w, (size_t) r * r);
	double	   *xu = numbers(w, k * r);
	double	   *uu = numbers(w, (size_t) r * r);
	double	   *e = numbers(w, k * k);
	double	   *ge = numbers(w, k * k);
	double		sum = 0;
	pegs_status status;

	for (size_t c = 0; c < all->ncells; c++)
	{
		if (c % 256 == 0)
			w->env->check(w->env->context);
		for (uint32_t a = 0; a < r; a++)
		{
			double		value = all->cell_size[c] * w->c[c * r + a];

			for (size_t i = 0; i < k; i++)
				xc[i * r + a] += w->cell_x[c * k + i] * value;
			for (uint32_t b = 0; b < r; b++)
				cc[a * r + b] += value * w->c[c * r + b];
		}
	}
	times(w, k, k, r, w->gram, w->m, xu);
	/* U'U = M'X'X M + M'X'C + its transpose + C'C */
	for (size_t i = 0; i < k; i++)
		for (uint32_t a = 0; a < r; a++)
			for (uint32_t b = 0; b < r; b++)
				uu[a * r + b] += w->m[i * r + a] * (xu[i * r + b] + xc[i * r + b]) + xc[i * r + a] * w->m[i * r + b];
	for (size_t a = 0; a < (size_t) r * r; a++)
		uu[a] += cc[a];
	for (size_t i = 0; i < k * r; i++)
		xu[i] += xc[i];
	memcpy(w->vx, xu, sizeof(double) * k * r);
	status = divide(w, r, uu, k, w->vx);
	for (size_t i = 0; i < k; i++)
		for (size_t j = 0; j < k; j++)
		{
			double		value = i == j;

			for (uint32_t a = 0; a < r; a++)
				value -= w->m[i * r + a] * w->vx[j * r + a];
			e[i * k + j] = value;
		}
	times(w, k, k, k, w->gram, e, ge);
	for (size_t i = 0; i < k * k; i++)
		sum += e[i] * ge[i];
	for (size_t i = 0; i < k; i++)
		for (size_t j = 0; j < k; j++)
			for (uint32_t a = 0; a < r; a++)
				sum -= 2 * e[i * k + j] * xc[i * r + a] * w->vx[j * r + a];
	for (size_t j = 0; j < k; j++)
		for (uint32_t a = 0; a < r; a++)
			for (uint32_t b = 0; b < r; b++)
				sum += w->vx[j * r + a] * cc[a * r + b] * w->vx[j * r + b];
	*objective += sum;
	pegs_env_free(w->env, xc);
	pegs_env_free(w->env, cc);
	pegs_env_free(w->env, xu);
	pegs_env_free(w->env, uu);
	pegs_env_free(w->env, e);
	pegs_env_free(w->env, ge);
	return status;
}

static void
values(const work *w, double *y)
{
	const pegs_individuals *all = w->all;
	double	   *slope = numbers(w, w->k);
	double	   *cell = numbers(w, all->ncells);

	times(w, w->k, w->r, 1, w->m, w->vy, slope);
	times(w, all->ncells, w->r, 1, w->c, w->vy, cell);
	for (uint64_t i = 0; i < all->rows; i++)
	{
		double		sum = slope[0] + cell[all->cell[i]];

		if (i % 1024 == 0)
			w->env->check(w->env->context);
		for (uint32_t j = 0; j < all->m; j++)
			sum += all->x[i * all->m + j] * slope[j + 1];
		y[i] = sum;
	}
}

pegs_status
pegs_spread_ludia(const pegs_env *env, const pegs_individuals *all, pegs_ludia *ludia, double *y)
{
	work		w = {.env = env, .all = all, .k = all->m + 1};
	double	   *with_y = numbers(&w, w.k + 1);
	uint32_t	rounds = ludia->rounds > 0 ? ludia->rounds : ROUNDS;
	double		last = INFINITY;
	pegs_status status;

	(void) pegs_spread_average(env, all, y);
	look_at_rows(&w, y, with_y);
	status = begin(&w, with_y, &ludia->rank);
	for (ludia->rounds = 0; ludia->rounds < rounds && status == PEGS_OK;)
	{
		double		objective = 0;

		status = turn(&w);
		if (status != PEGS_OK)
			break;
		find_u(&w);
		status = find_p(&w, &objective);
		if (status == PEGS_OK)
			status = find_vx(&w, &objective);
		if (ludia->objective)
			ludia->objective[ludia->rounds] = objective;
		ludia->rounds++;
		/* written so that NaN ends it */
		if (!(last - objective > ludia->tolerance * fmax(1, objective)))
			break;
		last = objective;
	}
	if (status == PEGS_OK)
		values(&w, y);
	return status;
}
