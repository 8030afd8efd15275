/*
 * normals.c
 *	  Normals that go together, of several rows at once.
 *
 * A row of M normals takes M^2 / 2 products. Of one row each waits for the sum
 * before it; of several that lie side by side none does, with vectors that
 * every gcc and clang knows without being told the machine. The order of every
 * sum is that of a row by itself, so rows are the same to the bit however many
 * are made at once.
 *
 * Post-processing: it reads released numbers only.
 */
#include "core/copula/normals.h"

#include <string.h>

#include "core/copula/correlation.h"

#define ROWS PEGS_NORMALS_AT_ONCE
#define PAIRS (ROWS / 2)

/* Of two rows; wherever a double may lie. */
typedef double pair __attribute__((vector_size(16), aligned(8)));

_Static_assert(PAIRS == 4, "mix_two has four of each");

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
	made->factor = factor;
	made->table = table;
	made->normal = env->alloc(env->context, sizeof(uint32_t) * normals);
	made->place = env->alloc(env->context, sizeof(uint32_t) * normals);
	for (uint32_t i = 0; i < normals; i++)
		if (is_together[i])
			made->normal[made->n++] = i;
	made->together = made->n;
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
	return &normals->factor[pegs_packed(normals->normal[place], 0)];
}

/* What has that place, of one row. */
static double
mixed_of(const pegs_normals *normals, uint32_t row, uint32_t place)
{
	const double *factor = factor_of(normals, place);
	double		sum = 0;

	for (uint32_t k = 0; k <= place; k++)
		sum += factor[normals->normal[k]] * normals->independent[k * ROWS + row];
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
		normals->independent[k * ROWS + row] += factor[normals->normal[k]] * apart;
}

/* What has places p and p + 1, of four pairs of rows: two, as what is loaded serves both. */
static void
mix_two(const pegs_normals *normals, uint32_t p, const pair *e, pair *z)
{
	const double *factor = factor_of(normals, p);
	const double *next = factor_of(normals, p + 1);
	double		last = next[normals->normal[p + 1]];
	pair		a = {0}, b = {0}, c = {0}, d = {0};
	pair		a_next = {0}, b_next = {0}, c_next = {0}, d_next = {0};

	for (uint32_t k = 0; k <= p; k++, e += PAIRS)
	{
		double		l = factor[normals->normal[k]];
		double		l_next = next[normals->normal[k]];

		a += l * e[0];
		b += l * e[1];
		c += l * e[2];
		d += l * e[3];
		a_next += l_next * e[0];
		b_next += l_next * e[1];
		c_next += l_next * e[2];
		d_next += l_next * e[3];
	}
	z[0] = a;
	z[1] = b;
	z[2] = c;
	z[3] = d;
	z[PAIRS] = a_next + last * e[0];
	z[PAIRS + 1] = b_next + last * e[1];
	z[PAIRS + 2] = c_next + last * e[2];
	z[PAIRS + 3] = d_next + last * e[3];
}

void
pegs_normals_mix(pegs_normals *normals)
{
	uint32_t	p = 0;

	for (; p + 1 < normals->together; p += 2)
		mix_two(normals, p, (const pair *) normals->independent, (pair *) &normals->mixed[(size_t) p * ROWS]);
	for (uint32_t r = 0; p < normals->together && r < ROWS; r++)
		normals->mixed[p * ROWS + r] = mixed_of(normals, r, p);
	memcpy(&normals->mixed[(size_t) normals->together * ROWS], &normals->independent[(size_t) normals->together * ROWS],
		   sizeof(double) * ROWS * (normals->n - normals->together));
}
