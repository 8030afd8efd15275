/*
 * normals.c
 *	  Normals that go together, of several rows at once.
 *
 * A row of M normals takes M^2 / 2 products. Of one row each waits for the sum
 * before it; of several that lie side by side none does, with vectors that
 * every gcc and clang knows without being told the machine, and with twice as
 * wide ones where a processor of the x86-64 line says that it has AVX2. The
 * order of every sum is that of a row by itself, so rows are the same to the
 * bit however many are made at once.
 *
 * Post-processing: it reads released numbers only.
 */
#include "core/copula/normals.h"

#include <string.h>

#include "core/copula/correlation.h"

#define ROWS PEGS_NORMALS_AT_ONCE

#if defined(__x86_64__) && defined(__GNUC__)
#define HAS_WIDE
#endif

/* Of two rows, and of four; wherever a double may lie. */
typedef double pair __attribute__((vector_size(16), aligned(8), may_alias));
typedef double quad __attribute__((vector_size(32), aligned(8), may_alias));

/* Which normals go with others. */
static bool *
find_together(const pegs_env *env, uint32_t normals, const double *factor)
{
	bool	   *is_together = env->alloc(env->context, sizeof(bool) * normals);

	for (uint32_t i = 0; i < normals; i++)
	{
		env->check(env->context);
		for (uint32_t k = 0; k < i; k++, factor++)
			if (*factor != 0)
				is_together[i] = is_together[k] = true;
		factor++;
	}
	return is_together;
}

/* The factor of those that go with others: what lies between is 0, and would be read for every row. */
static const double *
factor_together(const pegs_env *env, uint32_t normals, const double *factor, uint32_t n, const uint32_t *normal)
{
	double	   *own;
	double	   *to;

	if (n == normals)
		return factor;
	own = to = env->alloc(env->context, sizeof(double) * (pegs_packed(n, 0) + 1));
	for (uint32_t p = 0; p < n; p++)
	{
		env->check(env->context);
		for (uint32_t k = 0; k <= p; k++)
			*to++ = factor[pegs_packed(normal[p], normal[k])];
	}
	return own;
}

void
pegs_normals_open(const pegs_env *env, uint32_t normals, const double *factor, const pegs_normal_table *table,
				  const bool *is_needed, pegs_normals *made)
{
	bool	   *is_together = find_together(env, normals, factor);

	if (table == NULL)
	{
		pegs_normal_table *new_one = env->alloc(env->context, sizeof(pegs_normal_table));

		pegs_normal_table_make(new_one);
		table = new_one;
	}
	memset(made, 0, sizeof(*made));
	made->table = table;
	made->normal = env->alloc(env->context, sizeof(uint32_t) * normals);
	made->place = env->alloc(env->context, sizeof(uint32_t) * normals);
	for (uint32_t i = 0; i < normals; i++)
		if (is_together[i])
			made->normal[made->n++] = i;
	made->together = made->n;
	made->factor = factor_together(env, normals, factor, made->together, made->normal);
	for (uint32_t i = 0; i < normals; i++)
		if (!is_together[i] && (is_needed == NULL || is_needed[i]))
			made->normal[made->n++] = i;
	for (uint32_t i = 0; i < normals; i++)
		made->place[i] = made->n;
	for (uint32_t p = 0; p < made->n; p++)
		made->place[made->normal[p]] = p;
	made->independent = env->alloc(env->context, sizeof(double) * ROWS * made->n);
	made->mixed = env->alloc(env->context, sizeof(double) * ROWS * made->n);
	pegs_env_free(env, is_together);
}

void
pegs_normals_draw(pegs_normals *normals, pegs_rng *rng, uint32_t row)
{
	for (uint32_t p = 0; p < normals->n; p++)
		normals->independent[p * ROWS + row] = pegs_normal_of_table(normals->table, rng);
}

static const double *
factor_of(const pegs_normals *normals, uint32_t place)
{
	return &normals->factor[pegs_packed(place, 0)];
}

/* What has that place, of one row. */
static double
mixed_of(const pegs_normals *normals, uint32_t row, uint32_t place)
{
	const double *factor = factor_of(normals, place);
	double		sum = 0;

	for (uint32_t k = 0; k <= place; k++)
		sum += factor[k] * normals->independent[k * ROWS + row];
	return sum;
}

void
pegs_normals_hold(pegs_normals *normals, uint32_t row, uint32_t i, double z)
{
	uint32_t	place = normals->place[i];
	const double *factor;
	double		apart;

	if (place >= normals->together)
	{
		if (place < normals->n)
			normals->independent[place * ROWS + row] = z;
		return;
	}
	factor = factor_of(normals, place);
	apart = z - mixed_of(normals, row, place);
	for (uint32_t k = 0; k <= place; k++)
		normals->independent[k * ROWS + row] += factor[k] * apart;
}

/*
 * What has places p and p + 1, of the rows of two vectors from e on, to z: two
 * places, as what is loaded serves both. A macro, as a vector must be seen
 * first where its instructions may be used.
 */
#define MIX_TWO(vector) \
	const double *factor = factor_of(normals, p); \
	const double *next = factor_of(normals, p + 1); \
	double		last = next[p + 1]; \
	vector		a = {0}; \
	vector		b = {0}; \
	vector		a_next = {0}; \
	vector		b_next = {0}; \
	\
	for (uint32_t k = 0; k <= p; k++, e += ROWS) \
	{ \
		double		l = factor[k]; \
		double		l_next = next[k]; \
		\
		a += l * ((const vector *) e)[0]; \
		b += l * ((const vector *) e)[1]; \
		a_next += l_next * ((const vector *) e)[0]; \
		b_next += l_next * ((const vector *) e)[1]; \
	} \
	((vector *) z)[0] = a; \
	((vector *) z)[1] = b; \
	((vector *) (z + ROWS))[0] = a_next + last * ((const vector *) e)[0]; \
	((vector *) (z + ROWS))[1] = b_next + last * ((const vector *) e)[1]

static void
mix_four_rows(const pegs_normals *normals, uint32_t p, const double *e, double *z)
{
	MIX_TWO(pair);
}

#ifdef HAS_WIDE
__attribute__((target("avx2")))
static void
mix_eight_rows(const pegs_normals *normals, uint32_t p, const double *e, double *z)
{
	MIX_TWO(quad);
}
#endif

static void
mix_two(const pegs_normals *normals, bool wide, uint32_t p)
{
	const double *e = normals->independent;
	double	   *z = &normals->mixed[(size_t) p * ROWS];

#ifdef HAS_WIDE
	if (wide && __builtin_cpu_supports("avx2"))
	{
		mix_eight_rows(normals, p, e, z);
		return;
	}
#endif
	(void) wide;
	mix_four_rows(normals, p, e, z);
	mix_four_rows(normals, p, e + ROWS / 2, z + ROWS / 2);
}

void
pegs_normals_mix(pegs_normals *normals, bool wide)
{
	uint32_t	p = 0;

	for (; p + 1 < normals->together; p += 2)
		mix_two(normals, wide, p);
	for (uint32_t r = 0; p < normals->together && r < ROWS; r++)
		normals->mixed[p * ROWS + r] = mixed_of(normals, r, p);
	memcpy(&normals->mixed[(size_t) normals->together * ROWS], &normals->independent[(size_t) normals->together * ROWS],
		   sizeof(double) * ROWS * (normals->n - normals->together));
}
