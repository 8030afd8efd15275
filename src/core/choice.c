/*
 * choice.c
 *	  How alike two tables of counts are, as an integer to choose by.
 *
 * The score of the pMSE mechanism (Snoke, Slavkovic 2018): with r real and a
 * synthetic rows in each cell of a partition, sum a r/(a + r). Integers only,
 * rounded down cell by cell, and the sum again. It must never look at a
 * partition that was itself found greedily in the real counts: one row then
 * moves it by 16 and more. The least over all trees is another matter: it
 * moves no more than each of them. Claim P19, docs/privacy.md.
 */
#include "core/choice.h"

#define BITS 16					/* of the fraction, until the last step */
#define WEIGHT_BITS 8			/* of the fraction of synthetic rows, once they are weighed */
#define CELLS_BETWEEN_CHECKS (1 << 16)

/* Rows of both tables in a part of them. */
typedef struct part
{
	uint64_t	real;
	uint64_t	synthetic;
} part;

static part
less(part x, part y)
{
	return (part) {x.real - y.real, x.synthetic - y.synthetic};
}

static void
count_cell(part *sum, const uint64_t *real, const pegs_synthetic *synthetic, uint64_t cell)
{
	sum->real += real[cell];
	sum->synthetic += synthetic->cells[cell];
}

/*
 * a r/(a + r) in units of 2^-16, rounded down: a row more of r adds 0 to 2^16,
 * whatever number a is. It is what the synthetic rows stand for, in units of
 * 2^-8: below 2^60, and a r below 2^106.
 */
static uint64_t
worth(const pegs_synthetic *synthetic, part p)
{
	pegs_u128	a;

	if (p.real == 0 || p.synthetic == 0)
		return 0;
	a = ((pegs_u128) p.synthetic * synthetic->as_rows << WEIGHT_BITS) / synthetic->rows;
	return (uint64_t) ((a * p.real << BITS) / (a + ((pegs_u128) p.real << WEIGHT_BITS)));
}

/* ---- all pairs ---- */

static int64_t
mean_of_pairs(const pegs_env *env, const pegs_layout *layout, const uint64_t *real, const pegs_synthetic *synthetic)
{
	pegs_u128	sum = 0;
	uint64_t	tables = 0;

	for (uint32_t x = 0; x < layout->ncols; x++)
		for (uint32_t y = x + 1; y < layout->ncols; y++)
		{
			uint64_t	from = layout->pair_offset[x * layout->ncols + y];
			uint64_t	to = from + (uint64_t) layout->levels[x] * layout->levels[y];

			for (uint64_t i = from; i < to; i++)
			{
				if (i % CELLS_BETWEEN_CHECKS == 0)
					env->check(env->context);
				sum += worth(synthetic, (part) {real[i], synthetic->cells[i]});
			}
			env->check(env->context);
			tables++;
		}
	return tables == 0 ? 0 : (int64_t) (sum / ((pegs_u128) tables << BITS));
}

/* ---- trees of one split, or of two ---- */

/* The tables, and the least sum so far. */
typedef struct trees
{
	const pegs_env *env;
	const pegs_layout *layout;
	const uint64_t *real;
	const pegs_synthetic *synthetic;
	part		all;
	uint64_t	least;
} trees;

static void
try(trees *t, uint64_t sum)
{
	if (sum < t->least)
		t->least = sum;
}

/* Rows with a code of column x below c, for c from 0 to its levels. */
static part *
below(const trees *t, uint32_t x)
{
	uint32_t	levels = t->layout->levels[x];
	part	   *sum = t->env->alloc(t->env->context, sizeof(part) * (levels + 1));

	for (uint32_t c = 0; c < levels; c++)
	{
		sum[c + 1] = sum[c];
		count_cell(&sum[c + 1], t->real, t->synthetic, t->layout->offset[x] + c);
	}
	return sum;
}

/* Splits of one column alone: one, and if asked two. */
static void
split_column(trees *t, uint32_t x, uint32_t splits)
{
	uint32_t	levels = t->layout->levels[x];
	part	   *sum = below(t, x);

	for (uint32_t c = 1; c < levels; c++)
	{
		uint64_t	first = worth(t->synthetic, sum[c]);

		t->env->check(t->env->context);
		try(t, first + worth(t->synthetic, less(t->all, sum[c])));
		for (uint32_t d = c + 1; splits > 1 && d < levels; d++)
			try(t, first + worth(t->synthetic, less(sum[d], sum[c])) + worth(t->synthetic, less(t->all, sum[d])));
	}
	pegs_env_free(t->env, sum);
}

/* One cut of each column makes four corners, of which a tree of two splits keeps one pair together. */
static void
try_corners(trees *t, part x, part y, part corner)
{
	part		over = less(t->all, x);
	part		beside = less(t->all, y);
	uint64_t	low_low = worth(t->synthetic, corner);
	uint64_t	low_high = worth(t->synthetic, less(x, corner));
	uint64_t	high_low = worth(t->synthetic, less(y, corner));
	uint64_t	high_high = worth(t->synthetic, less(over, less(y, corner)));

	try(t, low_low + low_high + worth(t->synthetic, over));
	try(t, high_low + high_high + worth(t->synthetic, x));
	try(t, low_low + high_low + worth(t->synthetic, beside));
	try(t, low_high + high_high + worth(t->synthetic, y));
}

/* A split of column x and one of column y > x, in either order. */
static void
split_pair(trees *t, uint32_t x, uint32_t y)
{
	uint32_t	levels = t->layout->levels[y];
	uint64_t	table = t->layout->pair_offset[x * t->layout->ncols + y];
	part	   *of_x = below(t, x);
	part	   *of_y = below(t, y);
	part	   *column = t->env->alloc(t->env->context, sizeof(part) * levels);	/* of codes of x below c */

	for (uint32_t c = 1; c < t->layout->levels[x]; c++)
	{
		part		corner = {0, 0};

		t->env->check(t->env->context);
		for (uint32_t d = 1; d <= levels; d++)
		{
			count_cell(&column[d - 1], t->real, t->synthetic, table + (uint64_t) (c - 1) * levels + (d - 1));
			corner.real += column[d - 1].real;
			corner.synthetic += column[d - 1].synthetic;
			if (d < levels)
				try_corners(t, of_x[c], of_y[d], corner);
		}
	}
	pegs_env_free(t->env, column);
	pegs_env_free(t->env, of_y);
	pegs_env_free(t->env, of_x);
}

static int64_t
least_of_trees(const pegs_env *env, const pegs_layout *layout, const uint64_t *real, const pegs_synthetic *synthetic, uint32_t splits)
{
	trees		t = {.env = env, .layout = layout, .real = real, .synthetic = synthetic};

	for (uint32_t c = 0; c < layout->levels[0]; c++)
		count_cell(&t.all, real, synthetic, layout->offset[0] + c);
	t.least = worth(synthetic, t.all);
	for (uint32_t x = 0; x < layout->ncols; x++)
	{
		split_column(&t, x, splits);
		for (uint32_t y = x + 1; splits > 1 && y < layout->ncols; y++)
			split_pair(&t, x, y);
	}
	return (int64_t) (t.least >> BITS);
}

int64_t
pegs_likeness(const pegs_env *env, const pegs_layout *layout, const uint64_t *real, const pegs_synthetic *synthetic, uint32_t splits)
{
	if (splits == 0)
		return mean_of_pairs(env, layout, real, synthetic);
	return least_of_trees(env, layout, real, synthetic, splits);
}
