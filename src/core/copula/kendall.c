/*
 * kendall.c
 *	  Kendall's tau in place of sums of scores.
 *
 * A row more makes at most one pair with each other row, so tau must be of a number of
 * rows that is public or released: those that come first. Which do is said by
 * their own values alone, so that one row more pushes one out at most. Rows are added up and
 * nothing else; the look is the accountant's, in copula.c. Claim P33.
 */
#include "core/copula/kendall.h"

#include <math.h>
#include <string.h>

#include "core/copula/hermite.h"
#include "core/kept.h"

#define DIGIT 8				/* bits of a hash that a pass looks at */

static inline double
setting(const pegs_layout *layout, int option)
{
	return layout->settings ? layout->settings[option].number : 0;
}

bool
pegs_is_kendall(const pegs_layout *layout)
{
	return setting(layout, PEGS_COPULA_CORRELATION) > 0;
}

pegs_refusal
pegs_kendall_refuse(const pegs_layout *layout)
{
	if (!pegs_is_kendall(layout))
	{
		if (!layout->settings || !layout->settings[PEGS_COPULA_ROWS].given)
			return PEGS_NOT_REFUSED;
		return (pegs_refusal) {
			.why = "\"rows\" are those of \"correlation\": \"kendall\"",
			.hint = "Add \"correlation\": \"kendall\", or leave \"rows\" out."
		};
	}
	if (setting(layout, PEGS_COPULA_CODING) > 0)
		return (pegs_refusal) {
			.why = "correlation \"kendall\" and coding \"dummy\" cannot be given together",
			.hint = "Leave one of the two out."
		};
	if (layout->settings[PEGS_COPULA_BY].columns)
		return (pegs_refusal) {
			.why = "correlation \"kendall\" and \"by\" cannot be given together",
			.hint = "Leave one of the two out."
		};
	return PEGS_NOT_REFUSED;
}

/* ---- which rows ---- */

uint64_t
pegs_kendall_of(const pegs_layout *layout, double rows, double scale)
{
	double		asked = layout->settings[PEGS_COPULA_ROWS].given ? layout->settings[PEGS_COPULA_ROWS].number * scale : ceil(rows);

	return (uint64_t) fmax(2, fmin(asked, PEGS_KENDALL_ROWS * scale));
}

bool
pegs_kendall_may_be_of(uint64_t rows)
{
	return rows >= 2 && rows < UINT64_C(1) << 48;
}

uint64_t
pegs_kendall_bound(uint64_t rows)
{
	return 2 * (rows - 1);
}

/* The rows of a block, and a number for each, of its values alone. */
typedef struct block
{
	uint32_t	n;
	uint16_t  **codes;			/* [ncols][PEGS_CHUNK] */
	const uint32_t *times;
	uint64_t	hash[PEGS_CHUNK];
} block;

static uint64_t
mix(uint64_t x)
{
	x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
	return x ^ x >> 31;
}

static void
read_block(const pegs_env *env, const pegs_layout *layout, uint64_t number, block *b)
{
	env->check(env->context);
	b->n = pegs_kept_rows(layout->kept, number);
	b->times = pegs_kept_times(layout->kept, number);
	memset(b->hash, 0, sizeof(b->hash));
	for (uint32_t i = 0; i < layout->ncols; i++)
	{
		pegs_kept_column(layout->kept, number, i, b->codes[i]);
		for (uint32_t r = 0; r < b->n; r++)
			b->hash[r] = mix(b->hash[r] + UINT64_C(0x9e3779b97f4a7c15) * (b->codes[i][r] + 1u));
	}
}

static inline uint32_t
times_of(const block *b, uint32_t row)
{
	return b->times ? b->times[row] : 1;
}

/* The hash of the last row that comes first, and how many of those that have it do. False: all rows come first. */
static bool
find_last(const pegs_env *env, const pegs_layout *layout, uint64_t rows, block *b, uint64_t *last, uint64_t *left)
{
	uint64_t   *count = env->alloc(env->context, sizeof(uint64_t) << DIGIT);

	*last = 0;
	*left = rows;
	for (int shift = 64 - DIGIT; shift >= 0; shift -= DIGIT)
	{
		uint64_t	digit = 0;

		memset(count, 0, sizeof(uint64_t) << DIGIT);
		for (uint64_t number = 0; number < pegs_kept_blocks(layout->kept); number++)
		{
			read_block(env, layout, number, b);
			for (uint32_t r = 0; r < b->n; r++)
				if (shift == 64 - DIGIT || b->hash[r] >> (shift + DIGIT) == *last >> (shift + DIGIT))
					count[b->hash[r] >> shift & ((1 << DIGIT) - 1)] += times_of(b, r);
		}
		while (digit < 1 << DIGIT && count[digit] < *left)
			*left -= count[digit++];
		if (digit == 1 << DIGIT)
		{
			pegs_env_free(env, count);
			return false;
		}
		*last |= digit << shift;
	}
	pegs_env_free(env, count);
	return true;
}

static int
compare_rows(const pegs_layout *layout, uint16_t *const *codes, uint32_t row, const uint16_t *other)
{
	for (uint32_t i = 0; i < layout->ncols; i++)
		if (codes[i][row] != other[i])
			return codes[i][row] < other[i] ? -1 : 1;
	return 0;
}

/* Of the rows that have this hash so many: equal ones together, and in an order of their values. */
static void
count_last(const pegs_env *env, const pegs_layout *layout, uint64_t *cells, block *b, uint64_t last, uint64_t left)
{
	uint16_t   *row = env->alloc(env->context, sizeof(uint16_t) * layout->ncols);
	uint16_t   *before = env->alloc(env->context, sizeof(uint16_t) * layout->ncols);
	uint16_t  **codes = env->alloc(env->context, sizeof(uint16_t *) * layout->ncols);
	bool		first = true;

	for (uint32_t i = 0; i < layout->ncols; i++)
		codes[i] = &row[i];
	while (left > 0)
	{
		uint64_t	times = 0;

		for (uint64_t number = 0; number < pegs_kept_blocks(layout->kept); number++)
		{
			read_block(env, layout, number, b);
			for (uint32_t r = 0; r < b->n; r++)
			{
				int			compared = -1;

				if (b->hash[r] != last || (!first && compare_rows(layout, b->codes, r, before) <= 0)
					|| (times > 0 && (compared = compare_rows(layout, b->codes, r, row)) > 0))
					continue;
				times = (compared < 0 ? 0 : times) + times_of(b, r);
				for (uint32_t i = 0; i < layout->ncols; i++)
					row[i] = b->codes[i][r];
			}
		}
		if (times == 0)
			return;
		times = times < left ? times : left;
		left -= times;
		while (times > 0)
		{
			uint32_t	part = times < UINT32_MAX ? (uint32_t) times : UINT32_MAX;

			pegs_count_weighted(env, layout, cells, codes, &part, 1);
			times -= part;
		}
		memcpy(before, row, sizeof(uint16_t) * layout->ncols);
		first = false;
	}
}

const uint64_t *
pegs_kendall_rows(const pegs_env *env, const pegs_layout *layout, const uint64_t *cells, uint64_t rows)
{
	block	   *b = env->alloc(env->context, sizeof(block));
	uint32_t	times[PEGS_CHUNK];
	uint64_t   *chosen;
	uint64_t	last;
	uint64_t	left;

	b->codes = env->alloc(env->context, sizeof(uint16_t *) * layout->ncols);
	for (uint32_t i = 0; i < layout->ncols; i++)
		b->codes[i] = env->alloc(env->context, sizeof(uint16_t) * PEGS_CHUNK);
	if (!find_last(env, layout, rows, b, &last, &left))
		return cells;
	chosen = env->alloc(env->context, sizeof(uint64_t) * layout->ncells);
	for (uint64_t number = 0; number < pegs_kept_blocks(layout->kept); number++)
	{
		read_block(env, layout, number, b);
		for (uint32_t r = 0; r < b->n; r++)
			times[r] = b->hash[r] < last ? times_of(b, r) : 0;
		pegs_count_weighted(env, layout, chosen, b->codes, times, b->n);
	}
	count_last(env, layout, chosen, b, last, left);
	return chosen;
}

/* ---- the sum ---- */

/* Of each level its place on the scale of a normal, -1: it does not show; and the levels that do in that order. */
static uint32_t
place_levels(const pegs_cuts *cuts, bool of_null, uint32_t levels, int32_t *place, uint16_t *level_at)
{
	uint32_t	n = 0;

	for (uint32_t l = 0; l < levels; l++)
		place[l] = -1;
	for (uint32_t k = 0; k < cuts->n; k++)
	{
		place[cuts->code[k]] = of_null ? 0 : (int32_t) k;
		level_at[n++] = cuts->code[k];
	}
	if (of_null)
	{
		place[cuts->null - 1] = 1;
		level_at[n++] = (uint16_t) (cuts->null - 1);
	}
	return n;
}

/* Rows of one place of the first column against those of all places below it. Then they are among those. */
static int64_t
compare_with_lower(uint32_t n, int64_t *here, int64_t *lower)
{
	int64_t		below = 0;
	int64_t		all = 0;
	int64_t		sum = 0;

	for (uint32_t k = 0; k < n; k++)
		all += lower[k];
	for (uint32_t k = 0; k < n; k++)
	{
		sum += here[k] * (below - (all - below - lower[k]));
		below += lower[k];
		lower[k] += here[k];
		here[k] = 0;
	}
	return sum;
}

int64_t
pegs_kendall_sum(const pegs_env *env, const pegs_layout *layout, const uint64_t *cells, const pegs_cuts *cuts, const pegs_latent *a,
				 const pegs_latent *b)
{
	const uint64_t *cell = cells + layout->pair_offset[(size_t) a->column * layout->ncols + b->column];
	uint32_t	na = layout->levels[a->column];
	uint32_t	nb = layout->levels[b->column];
	uint32_t	most = na > nb ? na : nb;
	int32_t    *place = env->alloc(env->context, sizeof(int32_t) * most);
	int32_t    *place_b = env->alloc(env->context, sizeof(int32_t) * nb);
	uint16_t   *level_at = env->alloc(env->context, sizeof(uint16_t) * most);
	int64_t    *here = env->alloc(env->context, sizeof(int64_t) * nb * 2);
	int64_t    *lower = here + nb;
	int64_t		sum = 0;
	uint32_t	shown;

	place_levels(&cuts[b->column], b->of_null, nb, place_b, level_at);
	shown = place_levels(&cuts[a->column], a->of_null, na, place, level_at);
	for (uint32_t k = 0; k < shown; k++)
	{
		const uint64_t *row = cell + (size_t) level_at[k] * nb;

		env->check(env->context);
		if (k > 0 && place[level_at[k]] != place[level_at[k - 1]])
			sum += compare_with_lower(nb, here, lower);
		for (uint32_t l = 0; l < nb; l++)
			if (place_b[l] >= 0)
				here[place_b[l]] += (int64_t) row[l];
	}
	sum += compare_with_lower(nb, here, lower);
	pegs_env_free(env, here);
	pegs_env_free(env, level_at);
	pegs_env_free(env, place_b);
	pegs_env_free(env, place);
	return sum;
}

/* ---- tau of normals ---- */

/*
 * The sign of the difference of the levels of two independent normals z, z' is the sum over s, t of g[s][t] h_s(z) h_t(z'), with
 * g[t][s] = -g[s][t]. Of those with s < t and s + t <= PEGS_HERMITE_TERMS, by s + t.
 */
#define ORDER_TERMS (PEGS_HERMITE_TERMS / 2 * (PEGS_HERMITE_TERMS / 2 + 1))

double *
pegs_kendall_order(const pegs_env *env, const pegs_cuts *cuts, bool of_null)
{
	double	   *order = env->alloc(env->context, sizeof(double) * ORDER_TERMS);
	uint32_t	n = of_null ? 2 : cuts->n;
	double		lower[PEGS_HERMITE_TERMS + 1] = {0};	/* of what is 1 below this level */
	double		here[PEGS_HERMITE_TERMS + 1];
	double		tail[PEGS_HERMITE_TERMS + 1] = {0};

	for (uint32_t l = 0; l < n; l++)
	{
		double	   *to = order;

		env->check(env->context);
		if (l + 1 < n)
			pegs_hermite_tail(of_null ? cuts->null_cut : cuts->cut[l], tail);
		else
			memset(tail, 0, sizeof(tail));
		for (int t = 0; t <= PEGS_HERMITE_TERMS; t++)
			here[t] = (t == 0) - lower[t] - tail[t];
		for (int both = 1; both <= PEGS_HERMITE_TERMS; both++)
			for (int s = 0; 2 * s < both; s++)
				*to++ += here[s] * lower[both - s] - here[both - s] * lower[s];
		for (int t = 0; t <= PEGS_HERMITE_TERMS; t++)
			lower[t] += here[t];
	}
	return order;
}

void
pegs_kendall_series(const double *a, const double *b, double *series)
{
	series[0] = 0;
	for (int both = 1; both <= PEGS_HERMITE_TERMS; both++)
	{
		series[both] = 0;
		for (int s = 0; 2 * s < both; s++)
			series[both] += 2 * *a++ * *b++;
	}
}
