/*
 * ludia_test.c
 *	  LUDIA: the closed forms are the solution of the equations as they are published, and the objective never rises.
 */
#include "core/disaggregate/ludia.h"

#define STREAM_SALT [1] = 92
#include "fixture.h"
#include "unit.h"
#include "disaggregate.h"

/* a x = b, in place, with pivots; b is [n][k] */
static void
solve(size_t n, size_t k, double *a, double *b)
{
	for (size_t c = 0; c < n; c++)
	{
		size_t		pivot = c;

		for (size_t i = c; i < n; i++)
			if (fabs(a[i * n + c]) > fabs(a[pivot * n + c]))
				pivot = i;
		for (size_t j = 0; j < n; j++)
		{
			double		t = a[c * n + j];

			a[c * n + j] = a[pivot * n + j];
			a[pivot * n + j] = t;
		}
		for (size_t j = 0; j < k; j++)
		{
			double		t = b[c * k + j];

			b[c * k + j] = b[pivot * k + j];
			b[pivot * k + j] = t;
		}
		for (size_t i = 0; i < n; i++)
		{
			double		f = a[i * n + c] / a[c * n + c];

			if (i == c || f == 0)
				continue;
			for (size_t j = c; j < n; j++)
				a[i * n + j] -= f * a[c * n + j];
			for (size_t j = 0; j < k; j++)
				b[i * k + j] -= f * b[c * k + j];
		}
	}
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < k; j++)
			b[i * k + j] /= a[i * n + i];
}

/* out[a][b] = sum over i of x[i][a] y[i][b] */
static void
cross(size_t n, size_t a, size_t b, const double *x, const double *y, double *out)
{
	for (size_t p = 0; p < a; p++)
		for (size_t q = 0; q < b; q++)
		{
			out[p * b + q] = 0;
			for (size_t i = 0; i < n; i++)
				out[p * b + q] += x[i * a + p] * y[i * b + q];
		}
}

/* The averaging matrices of all levels, one below the other; W is the number of individuals. */
typedef struct plain
{
	size_t		n, k, r, p;
	double	   *a;				/* [p][n] */
	double	   *x;				/* [n][k] */
	double	   *s;				/* [p] */
	double	   *w;				/* [p] */
} plain;

static plain
plain_of(const pegs_individuals *all)
{
	plain		d = {.n = all->rows, .k = all->m + 1, .r = all->m + 1};
	size_t		at = 0;

	for (uint32_t l = 0; l < all->nlevels; l++)
		d.p += all->level[l].n;
	d.a = some(d.p * d.n);
	d.x = some(d.n * d.k);
	d.s = some(d.p);
	d.w = some(d.p);
	for (uint32_t l = 0; l < all->nlevels; l++)
		for (uint32_t g = 0; g < all->level[l].n; g++, at++)
		{
			d.s[at] = all->level[l].average[g];
			d.w[at] = all->level[l].size[g];
			for (size_t i = 0; i < d.n; i++)
				d.a[at * d.n + i] = all->level[l].of[i] == g ? 1 / d.w[at] : 0;
		}
	for (size_t i = 0; i < d.n; i++)
	{
		d.x[i * d.k] = 1;
		for (uint32_t j = 0; j < all->m; j++)
			d.x[i * d.k + j + 1] = all->x[i * all->m + j];
	}
	return d;
}

/*
 * The published equations with their Kronecker products: [B (x) I + I (x) A'A] vec U = vec(X Vx + A'P), [vy vy' (x) W + I] vec P = vec(W s vy' + A U).
 * From the truncated singular values of [X y0] that the other one begins with: u0 and v0 by power iterations on the Gram matrix.
 */
static void
by_kronecker(const plain *d, const double *y0, uint32_t rounds, double *y)
{
	size_t		n = d->n, k = d->k, r = d->r, p = d->p, q = k + 1;
	double	   *m = some(n * q);
	double	   *gram = some(q * q);
	double	   *u = some(n * r);
	double	   *vx = some(k * r);
	double	   *vy = some(r);
	double	   *pi = some(p * r);

	for (size_t i = 0; i < n; i++)
	{
		memcpy(m + i * q, d->x + i * k, sizeof(double) * k);
		m[i * q + k] = y0[i];
	}
	cross(n, q, q, m, m, gram);
	for (size_t c = 0; c < r; c++)
	{
		double	   *v = some(q);
		double		value = 0;

		for (size_t j = 0; j < q; j++)
			v[j] = any_normal();
		for (int step = 0; step < 200000; step++)
		{
			double	   next[16] = {0};
			double		off = 0;

			value = 0;
			for (size_t a = 0; a < q; a++)
				for (size_t b = 0; b < q; b++)
					next[a] += gram[a * q + b] * v[b];
			for (size_t a = 0; a < q; a++)
				value += next[a] * next[a];
			value = sqrt(value);
			for (size_t a = 0; a < q; a++)
			{
				off = fmax(off, fabs(v[a] - next[a] / value));
				v[a] = next[a] / value;
			}
			if (off < 1e-16)
				break;
		}
		for (size_t a = 0; a < q; a++)
			for (size_t b = 0; b < q; b++)
				gram[a * q + b] -= value * v[a] * v[b];
		for (size_t a = 0; a < k; a++)
			vx[a * r + c] = v[a] * sqrt(sqrt(value));
		vy[c] = v[k] * sqrt(sqrt(value));
		for (size_t i = 0; i < n; i++)
			for (size_t a = 0; a < q; a++)
				u[i * r + c] += m[i * q + a] * v[a] / sqrt(sqrt(value));
	}
	for (size_t g = 0; g < p; g++)
		for (size_t i = 0; i < n; i++)
			for (size_t c = 0; c < r; c++)
				pi[g * r + c] += d->a[g * n + i] * u[i * r + c];
	while (rounds-- > 0)
	{
		double	   *big = some(n * r * n * r);
		double	   *b = some(r * r);
		double	   *small = some(p * r * p * r);
		double	   *wp = some(p * r);
		double	   *ws = some(p);

		cross(k, r, r, vx, vx, b);
		for (size_t i = 0; i < n; i++)
			for (size_t c = 0; c < r; c++)
			{
				u[i * r + c] = 0;
				for (size_t j = 0; j < k; j++)
					u[i * r + c] += d->x[i * k + j] * vx[j * r + c];
				for (size_t g = 0; g < p; g++)
					u[i * r + c] += d->a[g * n + i] * pi[g * r + c];
				for (size_t e = 0; e < r; e++)
					big[(i * r + c) * n * r + i * r + e] += b[c * r + e];
				for (size_t h = 0; h < n; h++)
					for (size_t g = 0; g < p; g++)
						big[(i * r + c) * n * r + h * r + c] += d->a[g * n + i] * d->a[g * n + h];
			}
		solve(n * r, 1, big, u);
		for (size_t g = 0; g < p; g++)
			for (size_t c = 0; c < r; c++)
			{
				pi[g * r + c] = d->w[g] * d->s[g] * vy[c];
				for (size_t i = 0; i < n; i++)
					pi[g * r + c] += d->a[g * n + i] * u[i * r + c];
				for (size_t e = 0; e < r; e++)
					small[(g * r + c) * p * r + g * r + e] = d->w[g] * vy[c] * vy[e] + (c == e);
			}
		solve(p * r, 1, small, pi);
		cross(n, r, r, u, u, b);
		for (size_t j = 0; j < k; j++)
		{
			double	   *copy = some(r * r);

			memcpy(copy, b, sizeof(double) * r * r);
			for (size_t c = 0; c < r; c++)
			{
				vx[j * r + c] = 0;
				for (size_t i = 0; i < n; i++)
					vx[j * r + c] += u[i * r + c] * d->x[i * k + j];
			}
			solve(r, 1, copy, vx + j * r);
		}
		for (size_t g = 0; g < p; g++)
		{
			ws[g] = d->s[g];
			for (size_t c = 0; c < r; c++)
				wp[g * r + c] = d->w[g] * pi[g * r + c];
		}
		cross(p, r, r, wp, pi, b);
		cross(p, r, 1, wp, ws, vy);
		solve(r, 1, b, vy);
	}
	for (size_t i = 0; i < n; i++)
	{
		y[i] = 0;
		for (size_t c = 0; c < r; c++)
			y[i] += u[i * r + c] * vy[c];
	}
}

static void
make(pegs_individuals *all, pegs_averages *level, uint32_t rows, uint32_t m, uint32_t levels, double *truth)
{
	*all = (pegs_individuals) {.rows = rows, .m = m, .x = some((size_t) rows * m), .nlevels = levels, .level = level};
	for (uint32_t i = 0; i < rows; i++)
	{
		truth[i] = 3 + any_normal() / 10;
		for (uint32_t j = 0; j < m; j++)
			truth[i] += (j + 1) * (all->x[i * m + j] = any_normal());
	}
	for (uint32_t l = 0; l < levels; l++)
	{
		uint32_t	n = l == 0 ? 6 : 4;
		uint32_t   *of = groups_of(rows, n, 2 * l);

		/* not of one size: some of the first are in the last */
		for (uint32_t i = n * 4; i < rows; i += 3)
			of[i] = n - 1;
		level[l] = averages_of(rows, of, n, truth);
	}
	CHECK(pegs_individuals_prepare(&env, all) == PEGS_OK);
}

static void
test_published(void)
{
	for (uint32_t levels = 1; levels <= 2; levels++)
		for (uint8_t seed = 0; seed < 3; seed++)
		{
			pegs_averages level[2];
			pegs_individuals all;
			pegs_ludia	ludia = {.rounds = 3};
			double		truth[36];
			double		y[36];
			double		y0[36];
			double		other[36];
			double		most = 0;
			plain		d;

			start_stream(levels, seed);
			make(&all, level, 36, 2, levels, truth);
			d = plain_of(&all);
			CHECK(pegs_spread_average(&env, &all, y0) <= PEGS_CALIBRATED);
			CHECK(pegs_spread_ludia(&env, &all, &ludia, y) == PEGS_OK);
			CHECK(ludia.rank == 3 && ludia.rounds == 3);
			by_kronecker(&d, y0, 3, other);
			for (int i = 0; i < 36; i++)
				most = fmax(most, fabs(y[i] - other[i]));
			CHECK(most < (levels == 1 ? 1e-10 : 1e-7));
			arena_free(&memory);
		}
}

static void
test_never_rises(void)
{
	for (uint8_t seed = 0; seed < 20; seed++)
	{
		pegs_averages level[2];
		pegs_individuals all;
		double		objective[300];
		pegs_ludia	ludia = {.rounds = 300, .tolerance = -1, .objective = objective};
		double		truth[500];
		double		y[500];

		start_stream(9, seed);
		make(&all, level, 500, 1 + seed % 4, 1 + seed % 2, truth);
		CHECK(pegs_spread_ludia(&env, &all, &ludia, y) == PEGS_OK);
		CHECK(ludia.rounds > 1);
		for (uint32_t i = 1; i < ludia.rounds; i++)
			CHECK(objective[i] <= objective[i - 1] + 1e-9 * (1 + objective[i - 1]));
		CHECK(pegs_calibrate(&env, &all, y) <= PEGS_CALIBRATED);
		CHECK(missed(&all, y) <= 1e-12);
		arena_free(&memory);
	}
}

/* One group; groups of one; a constant column: no error, the averages are met, and values are values. */
static void
test_ends(void)
{
	for (int end = 0; end < 3; end++)
	{
		double		x[40];
		double		truth[20];
		double		y[20];
		pegs_ludia	ludia = {.tolerance = 1e-8};
		pegs_averages level;
		pegs_individuals all = {.rows = 20, .m = 2, .x = x, .nlevels = 1, .level = &level};

		start((uint8_t) (60 + end));
		for (int i = 0; i < 20; i++)
		{
			x[2 * i] = any_normal();
			x[2 * i + 1] = end == 2 ? 5 : any_normal();
			truth[i] = x[2 * i] + any_normal() + 10;
		}
		level = averages_of(20, groups_of(20, end == 0 ? 1 : end == 1 ? 20 : 4, 0), end == 0 ? 1 : end == 1 ? 20 : 4, truth);
		CHECK(pegs_individuals_prepare(&env, &all) == PEGS_OK);
		CHECK(pegs_spread_ludia(&env, &all, &ludia, y) == PEGS_OK);
		CHECK(ludia.rank == (end == 2 ? 2 : 3));
		CHECK(pegs_calibrate(&env, &all, y) <= PEGS_CALIBRATED);
		for (int i = 0; i < 20; i++)
			CHECK(isfinite(y[i]) && (end != 1 || fabs(y[i] - truth[i]) < 1e-11));
		arena_free(&memory);
	}
}

int
main(void)
{
	test_published();
	test_never_rises();
	test_ends();
	return unit_done("ludia_test");
}
