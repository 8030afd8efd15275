/*
 * column.c
 *	  From noisy 1-way tables to one consistent distribution.
 */
#include "core/column/column.h"

#include <math.h>
#include <string.h>

static void
haar(const pegs_env *env, double *a, uint32_t n, uint32_t scale, uint32_t scales, double variance)
{
	uint32_t	step = UINT32_C(1) << scale;
	double	   *smooth;
	double	   *detail;
	double		noise = 1.5 * 1.5 * variance / (double) (UINT64_C(2) << scale);

	if (scale == scales)
		return;
	smooth = env->alloc(env->context, sizeof(double) * n);
	detail = env->alloc(env->context, sizeof(double) * n);
	for (uint32_t i = 0; i < n; i++)
	{
		double		b = a[(i + step) % n];
		double		d = (a[i] - b) / 2;

		smooth[i] = (a[i] + b) / 2;
		detail[i] = d * fmax(0, 1 - noise / fmax(d * d, 1e-9));
	}
	haar(env, smooth, n, scale + 1, scales, variance);
	for (uint32_t i = 0; i < n; i++)
	{
		uint32_t	before = (i + n - step % n) % n;

		a[i] = 0.5 * (smooth[i] + detail[i] + smooth[before] - detail[before]);
	}
	pegs_env_free(env, smooth);
	pegs_env_free(env, detail);
}

void
pegs_haar_garrote(const pegs_env *env, double *y, uint32_t n, double variance)
{
	uint32_t	scales = 0;

	if (n < 10)
		return;
	while ((UINT32_C(2) << scales) <= n)
		scales++;
	haar(env, y, n, 0, scales, variance);
}

/* One layer of the tree of classes: estimates from below, then final ones. */
typedef struct layer
{
	uint32_t	k;
	double	   *z;
	double	   *variance;
	uint32_t   *parent;			/* class of the next layer */
} layer;

void
pegs_nested_least_squares(const pegs_env *env, double *y, uint32_t n, double variance,
						  const pegs_class_sums *sums, uint32_t nsums)
{
	layer	   *tree = env->alloc(env->context, sizeof(layer) * (nsums + 1));
	uint16_t   *below = env->alloc(env->context, sizeof(uint16_t) * n);

	tree[0].k = n;
	tree[0].z = y;
	tree[0].variance = env->alloc(env->context, sizeof(double) * n);
	for (uint32_t i = 0; i < n; i++)
	{
		tree[0].variance[i] = variance;
		below[i] = (uint16_t) i;
	}
	for (uint32_t s = 0; s < nsums; s++)
	{
		layer	   *child = &tree[s];
		layer	   *up = &tree[s + 1];

		env->check(env->context);	/* as many layers as looks at the column */
		up->k = sums[s].k;
		up->z = env->alloc(env->context, sizeof(double) * up->k);
		up->variance = env->alloc(env->context, sizeof(double) * up->k);
		child->parent = env->alloc(env->context, sizeof(uint32_t) * child->k);
		for (uint32_t i = 0; i < n; i++)
			child->parent[below[i]] = sums[s].class_of[i];
		for (uint32_t c = 0; c < child->k; c++)
		{
			up->z[child->parent[c]] += child->z[c];
			up->variance[child->parent[c]] += child->variance[c];
		}
		for (uint32_t c = 0; c < up->k; c++)
		{
			double		v = up->variance[c];
			double		m = sums[s].variance;

			up->z[c] = (up->z[c] * m + sums[s].value[c] * v) / (v + m);
			up->variance[c] = v * m / (v + m);
		}
		memcpy(below, sums[s].class_of, sizeof(uint16_t) * n);
	}
	for (uint32_t s = nsums; s-- > 0;)
	{
		layer	   *child = &tree[s];
		layer	   *up = &tree[s + 1];
		double	   *sum = env->alloc(env->context, sizeof(double) * up->k);
		double	   *weight = env->alloc(env->context, sizeof(double) * up->k);

		for (uint32_t c = 0; c < child->k; c++)
		{
			sum[child->parent[c]] += child->z[c];
			weight[child->parent[c]] += child->variance[c];
		}
		for (uint32_t c = 0; c < child->k; c++)
		{
			uint32_t	p = child->parent[c];

			child->z[c] += (up->z[p] - sum[p]) * child->variance[c] / weight[p];
		}
	}
}

double
pegs_probe(uint32_t i, uint32_t probe)
{
	uint64_t	z = (i + UINT64_C(1)) * UINT64_C(0x9E3779B97F4A7C15) + probe * UINT64_C(0xD1B54A32D192ED03);

	z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
	return (z >> 40) & 1 ? 1 : -1;
}
