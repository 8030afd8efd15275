/*
 * gibbs_privacy_test.c
 *	  Exact privacy, by enumeration: does one row ever weigh more than claimed?
 *
 * On tiny domains there are few data sets. Here are all of them up to a size,
 * all their neighbours, all seeds and all outputs; the likelihood ratio of each
 * is a product of the sampler's own integer weights, so the worst one is an
 * exact rational and is held against the claimed bound without rounding:
 *
 *		add or remove a row		(1 + 1/alpha)^(free columns x blocks)
 *		replace a row			prod over columns of (1 + 1/alpha)(1 + 1/(C_i alpha))
 *
 * Claims P1, P2 and P3, docs/privacy.md; A-36. The worst ratios are those that an
 * independent enumeration in Python's fractions found.
 *
 * A test that cannot fail shows nothing: samplers that reset too late, never
 * reset, or take their parents from the data must break the bound here.
 */
#include "core/pegs/gibbs.h"
#include "core/pegs/weights.h"

#include <stdlib.h>
#include <string.h>

#include "core/epsilon.h"
#include "sweep.h"

#define MAX_LEVELS		3
#define MAX_CELLS		27		/* of the whole domain */
#define ONE				(UINT64_C(1) << PEGS_ALPHA_BITS)

/* ---------- exact rationals ---------- */

#define LIMBS 16				/* 1,024 bits */

/* A natural number. A product that does not fit is a failed test, never a wrong one. */
typedef struct natural
{
	uint32_t	n;				/* limbs in use */
	uint64_t	limb[LIMBS];
} natural;

typedef struct rational
{
	natural		num;
	natural		den;
} rational;

static void
natural_set(natural *x, uint64_t value)
{
	x->n = 1;
	x->limb[0] = value;
}

static void
natural_copy(natural *to, const natural *from)
{
	to->n = from->n;
	memcpy(to->limb, from->limb, from->n * sizeof(uint64_t));
}

static void
natural_times(natural *x, uint64_t factor)
{
	uint64_t	carry = 0;
	uint32_t	i;

	for (i = 0; i < x->n; i++)
	{
		pegs_u128	product = (pegs_u128) x->limb[i] * factor + carry;

		x->limb[i] = (uint64_t) product;
		carry = (uint64_t) (product >> 64);
	}
	if (carry == 0)
		return;
	if (x->n == LIMBS)
	{
		CHECK(!"a natural number has become too long");
		exit(1);
	}
	x->limb[x->n++] = carry;
}

static void
natural_product(natural *x, const natural *a, const natural *b)
{
	uint32_t	i;
	uint32_t	j;

	if (a->n + b->n > LIMBS)
	{
		CHECK(!"a product has become too long");
		exit(1);
	}
	memset(x->limb, 0, (a->n + b->n) * sizeof(uint64_t));
	for (i = 0; i < a->n; i++)
	{
		uint64_t	carry = 0;

		for (j = 0; j < b->n; j++)
		{
			pegs_u128	sum = (pegs_u128) a->limb[i] * b->limb[j] + x->limb[i + j] + carry;

			x->limb[i + j] = (uint64_t) sum;
			carry = (uint64_t) (sum >> 64);
		}
		x->limb[i + b->n] = carry;
	}
	x->n = a->n + b->n;
	while (x->n > 1 && x->limb[x->n - 1] == 0)
		x->n--;
}

static int
natural_compare(const natural *a, const natural *b)
{
	uint32_t	i;

	if (a->n != b->n)
		return a->n < b->n ? -1 : 1;
	for (i = a->n; i-- > 0;)
	{
		if (a->limb[i] != b->limb[i])
			return a->limb[i] < b->limb[i] ? -1 : 1;
	}
	return 0;
}

static double
natural_double(const natural *x)
{
	double		value = 0;
	uint32_t	i;

	for (i = x->n; i-- > 0;)
		value = value * 0x1p64 + (double) x->limb[i];
	return value;
}

static void
rational_set(rational *r, uint64_t num, uint64_t den)
{
	natural_set(&r->num, num);
	natural_set(&r->den, den);
}

static void
rational_copy(rational *to, const rational *from)
{
	natural_copy(&to->num, &from->num);
	natural_copy(&to->den, &from->den);
}

static void
rational_times(rational *r, uint64_t num, uint64_t den)
{
	if (num == den)
		return;
	natural_times(&r->num, num);
	natural_times(&r->den, den);
}

static int
rational_compare(const rational *a, const rational *b)
{
	natural		left;
	natural		right;

	natural_product(&left, &a->num, &b->den);
	natural_product(&right, &b->num, &a->den);
	return natural_compare(&left, &right);
}

static double
rational_double(const rational *r)
{
	return natural_double(&r->num) / natural_double(&r->den);
}

/* (1 + 1/alpha)^power, alpha in units of 2^-16 */
static rational
claimed(uint64_t alpha, uint32_t power)
{
	rational	bound;

	rational_set(&bound, 1, 1);
	while (power-- > 0)
		rational_times(&bound, alpha + ONE, alpha);
	return bound;
}

/* The arithmetic of the judge, before it judges. */
static void
test_rationals(void)
{
	rational	a;
	rational	b;
	natural		x;
	natural		y;
	int			i;

	natural_set(&x, 1);
	for (i = 0; i < 7; i++)
		natural_times(&x, UINT64_MAX);
	natural_set(&y, 1);
	for (i = 0; i < 7; i++)
	{
		natural		before = y;
		natural		factor;

		natural_set(&factor, UINT64_MAX);
		natural_product(&y, &before, &factor);
	}
	CHECK(natural_compare(&x, &y) == 0);
	CHECK_INT(x.n, 7);
	CHECK_INT(x.limb[0], UINT64_MAX);	/* (2^64 - 1)^7 = -1 modulo 2^64 */
	CHECK_INT(x.limb[1], 6);			/* 7 2^64 - 1 modulo 2^128 */
	CHECK_NEAR(natural_double(&x), 0x1p448, 1e-15);
	x.limb[0]--;
	CHECK(natural_compare(&x, &y) < 0 && natural_compare(&y, &x) > 0);

	rational_set(&a, UINT64_C(6148914691236517205), 3);	/* against (2^64 - 1)/9 */
	rational_set(&b, UINT64_MAX, 9);
	CHECK(rational_compare(&a, &b) == 0);
	rational_times(&a, UINT64_MAX, UINT64_MAX - 1);
	CHECK(rational_compare(&a, &b) > 0);
	rational_times(&b, UINT64_MAX - 1, UINT64_MAX - 2);
	CHECK(rational_compare(&a, &b) < 0);
	a = claimed(3 * ONE / 2, 2);
	rational_set(&b, 25, 9);
	CHECK(rational_compare(&a, &b) == 0);
}

/* ---------- models and data sets ---------- */

/* A data set is how often each row of the domain is in it. */
typedef struct dataset
{
	uint32_t	times[MAX_CELLS];
} dataset;

/* As the extension counts: coded columns, a chunk at a time. */
static void
count(const model *m, const pegs_layout *layout, const dataset *data, uint64_t *cells)
{
	static uint16_t codes[MAX_COLUMNS][PEGS_CHUNK];
	uint16_t   *columns[MAX_COLUMNS] = {codes[0], codes[1], codes[2]};
	uint16_t	row[MAX_COLUMNS];
	uint32_t	n = 0;
	uint32_t	cell;
	uint32_t	t;
	uint32_t	i;

	memset(cells, 0, layout->ncells * sizeof(uint64_t));
	for (cell = 0; cell < domain(m); cell++)
	{
		row_of(m, cell, row);
		for (t = 0; t < data->times[cell]; t++)
		{
			for (i = 0; i < m->ncols; i++)
				codes[i][n] = row[i];
			if (++n == PEGS_CHUNK)
			{
				pegs_count_chunk(layout, cells, columns, n);
				n = 0;
			}
		}
	}
	pegs_count_chunk(layout, cells, columns, n);
}

/* ---------- one pair of neighbours, all outputs ---------- */

typedef enum reset
{
	AT_THE_VISIT,				/* the sampler's own */
	AFTER_THE_SAMPLE,
	NEVER
} reset;

typedef struct trial
{
	const model *model;
	pegs_gibbs	sampler[2];		/* of the two data sets; they share given, alpha, block */
	pegs_layout layout[2];		/* the same, except where parents come from data */
	uint64_t   *cells[2];
	int32_t		given[MAX_COLUMNS];
	uint32_t	free;			/* columns that are not given */
	uint32_t	block;
	uint32_t	blocks;
	reset		reset;			/* AT_THE_VISIT or NEVER */
	uint16_t	row[MAX_COLUMNS];	/* the current one */
	rational	worst;
	uint64_t	outputs;
	bool		sums;			/* did the weights always add up? */
} trial;

static void
trial_alpha(trial *t, uint64_t alpha)
{
	t->sampler[0].alpha = t->sampler[1].alpha = alpha;
	rational_set(&t->worst, 1, 1);
	t->outputs = 0;
	t->sums = true;
}

/* second: the model of the other data set, or NULL for the same. */
static void
trial_init(trial *t, const model *m, const model *second, uint64_t alpha, uint32_t block, uint32_t blocks)
{
	int			k;

	memset(t, 0, sizeof(*t));
	t->model = m;
	t->free = m->ncols;
	t->block = block;
	t->blocks = blocks;
	memset(t->given, 0xff, sizeof(t->given));
	for (k = 0; k < 2; k++)
	{
		build_layout(k == 1 && second ? second : m, &t->layout[k]);
		t->cells[k] = env.alloc(env.context, sizeof(uint64_t) * t->layout[k].ncells);
		t->sampler[k].layout = &t->layout[k];
		t->sampler[k].cells = t->cells[k];
		t->sampler[k].block = block;
		t->sampler[k].given = t->given;
		pegs_gibbs_init(&env, &t->sampler[k]);
	}
	trial_alpha(t, alpha);
}

static void
trial_given(trial *t, uint32_t column, int32_t code)
{
	t->free += (t->given[column] >= 0) - (code >= 0);
	t->given[column] = code;
}

static void
trial_data(trial *t, const dataset *first, const dataset *second)
{
	count(t->model, &t->layout[0], first, t->cells[0]);
	count(t->model, &t->layout[1], second, t->cells[1]);
}

/* Keep the larger of ratio, 1/ratio and what is there. */
static void
trial_judge(trial *t, const rational *ratio)
{
	rational	inverse;

	t->outputs++;
	if (natural_compare(&ratio->num, &ratio->den) >= 0)
	{
		if (rational_compare(ratio, &t->worst) > 0)
			rational_copy(&t->worst, ratio);
		return;
	}
	natural_copy(&inverse.num, &ratio->den);
	natural_copy(&inverse.den, &ratio->num);
	if (rational_compare(&inverse, &t->worst) > 0)
		rational_copy(&t->worst, &inverse);
}

/*
 * All ways to go on from t->row: the steps of pegs_gibbs_next with every level
 * in turn instead of a random one. ratio is that of the way so far.
 */
static void
walk(trial *t, uint32_t column, uint32_t made, const rational *ratio)
{
	const uint32_t ncols = t->model->ncols;
	uint64_t	weight[2][MAX_LEVELS];
	uint64_t	sum[2];
	uint64_t	key[2];
	uint32_t	stamp[2];
	uint16_t	before;
	uint32_t	j;
	int			k;

	while (column < ncols && t->given[column] >= 0)
		column++;
	if (column == ncols)
	{
		made++;
		if (made == t->block * t->blocks)
			trial_judge(t, ratio);
		else if (made % t->block == 0)
		{
			for (k = 0; k < 2; k++)
				pegs_gibbs_new_block(&t->sampler[k]);
			walk(t, 0, made, ratio);
			for (k = 0; k < 2; k++)
				t->sampler[k].stamp--;
		}
		else
			walk(t, 0, made, ratio);
		return;
	}

	for (k = 0; k < 2; k++)
	{
		pegs_gibbs *g = &t->sampler[k];
		uint64_t	all = 0;

		key[k] = pegs_layout_key(g->layout, column, t->row);
		sum[k] = pegs_gibbs_weights(g, column, key[k], weight[k]);
		for (j = 0; j < t->model->levels[column]; j++)
			all += weight[k][j];
		t->sums = t->sums && all == sum[k];
		stamp[k] = g->visited[g->visited_start[column] + key[k]];
		if (t->reset == AT_THE_VISIT)
			pegs_gibbs_visit(g, column, key[k]);
	}
	before = t->row[column];
	for (j = 0; j < t->model->levels[column]; j++)
	{
		rational	next;

		rational_copy(&next, ratio);
		rational_times(&next, weight[0][j], weight[1][j]);
		rational_times(&next, sum[1], sum[0]);
		t->row[column] = (uint16_t) j;
		walk(t, column + 1, made, &next);
	}
	t->row[column] = before;
	for (k = 0; k < 2; k++)
		t->sampler[k].visited[t->sampler[k].visited_start[column] + key[k]] = stamp[k];
}

/* All seeds that agree with what is given, all outputs. */
static void
all_outputs(trial *t)
{
	rational	one;
	uint32_t	seed;
	uint32_t	i;

	rational_set(&one, 1, 1);
	for (seed = 0; seed < domain(t->model); seed++)
	{
		bool		possible = true;

		row_of(t->model, seed, t->row);
		for (i = 0; i < t->model->ncols; i++)
			possible = possible && (t->given[i] < 0 || t->given[i] == t->row[i]);
		if (possible)
			walk(t, 0, 0, &one);
	}
}

/* ---------- all data sets ---------- */

typedef enum neighbours
{
	ADD_ONE,
	REPLACE_ONE
} neighbours;

static void
all_neighbours(trial *t, neighbours kind, const dataset *data)
{
	uint32_t	n = domain(t->model);
	uint32_t	x;
	uint32_t	y;

	for (x = 0; x < n; x++)
	{
		dataset		first = *data;

		first.times[x]++;
		if (kind == ADD_ONE)
		{
			trial_data(t, &first, data);
			all_outputs(t);
			continue;
		}
		for (y = 0; y < x; y++)
		{
			dataset		second = *data;

			second.times[y]++;
			trial_data(t, &first, &second);
			all_outputs(t);
		}
	}
}

/* Every data set with `rows` more rows from `cell` on, then its neighbours. */
static void
all_datasets(trial *t, neighbours kind, dataset *data, uint32_t cell, uint32_t rows)
{
	if (cell + 1 == domain(t->model) || rows == 0)
	{
		data->times[cell] += rows;
		all_neighbours(t, kind, data);
		data->times[cell] -= rows;
		return;
	}
	for (uint32_t here = 0; here <= rows; here++)
	{
		data->times[cell] += here;
		all_datasets(t, kind, data, cell + 1, rows - here);
		data->times[cell] -= here;
	}
}

/* The worst ratio among all data sets of at most `limit` rows. */
static void
exhaust(trial *t, neighbours kind, uint32_t limit)
{
	uint32_t	rows;

	for (rows = 0; rows < limit; rows++)
	{
		dataset		data = {{0}};

		all_datasets(t, kind, &data, 0, rows);
	}
	CHECK(t->sums);
	CHECK(t->outputs > 0);
}

static const char *
named(const trial *t)
{
	static char text[200];
	int			n = 0;
	uint32_t	i;

	for (i = 0; i < t->model->ncols; i++)
		n += snprintf(text + n, sizeof(text) - n, "%u<-{%s}%s ", t->model->levels[i], t->model->parents[i],
					  t->given[i] >= 0 ? " given" : "");
	snprintf(text + n, sizeof(text) - n, "tail %u, block %u, blocks %u, alpha %g", t->model->tail_bits, t->block,
			 t->blocks, (double) t->sampler[0].alpha / ONE);
	return text;
}

/* worst <= bound, as rationals */
static bool
holds(const trial *t, const rational *bound)
{
	return rational_compare(&t->worst, bound) <= 0;
}

static void
check_holds(const trial *t, const rational *bound)
{
	if (!CHECK(holds(t, bound)))
		printf("  %s: worst %.6f, bound %.6f\n", named(t), rational_double(&t->worst), rational_double(bound));
}

/* worst, as a table of four digits prints it */
static void
check_worst(const trial *t, double printed)
{
	double		worst = rational_double(&t->worst);

	if (!CHECK(fabs(worst - printed) <= 0.5001e-4))
		printf("  %s: worst %.6f, printed %.4f\n", named(t), worst, printed);
}

/* ---------- the table ---------- */

static const model two_two = {2, {2, 2}, {"1", "0"}, 0};
static const model two_three = {2, {2, 3}, {"1", "0"}, 0};
static const model three_three = {2, {3, 3}, {"1", "0"}, 0};
static const model two_two_alone = {2, {2, 2}, {"", ""}, 0};
static const model cube_one = {3, {2, 2, 2}, {"1", "0", "1"}, 0};
static const model cube_two = {3, {2, 2, 2}, {"12", "02", "01"}, 0};
static const model cube_cycle = {3, {2, 2, 2}, {"1", "2", "0"}, 0};

static void
test_table(void)
{
	static const struct
	{
		const model *model;
		uint32_t	block;
		uint32_t	limit;		/* rows */
		uint64_t	alpha;
		double		worst;
	}			line[] = {
		{&two_two, 1, 5, 3 * ONE / 2, 1.9290},
		{&two_two, 2, 4, 3 * ONE / 2, 1.8519},
		{&two_two, 3, 3, 3 * ONE / 2, 1.7778},
		{&three_three, 1, 4, ONE / 2, 5.0000},
		{&cube_one, 1, 4, 3 * ONE, 1.6457},
		{&cube_two, 1, 4, 3 * ONE, 1.5880},
		{&cube_cycle, 2, 2, 3 * ONE, 1.5880},
		{&two_two_alone, 3, 4, 3 * ONE / 2, 2.0408},
		{&two_three, 2, 3, 5 * ONE / 2, 1.5132}
	};
	size_t		i;

	for (i = 0; i < sizeof(line) / sizeof(line[0]); i++)
	{
		trial		t;
		rational	bound = claimed(line[i].alpha, line[i].model->ncols);

		trial_init(&t, line[i].model, NULL, line[i].alpha, line[i].block, 1);
		exhaust(&t, ADD_ONE, line[i].limit);
		check_holds(&t, &bound);
		check_worst(&t, line[i].worst);
		arena_free(&memory);
	}
}

/* ---------- beyond the table ---------- */

/*
 * Larger data sets and longer blocks than Python could reach, both hashes,
 * small and large alpha, and two blocks, which cost twice.
 */
static void
test_more(void)
{
	static const struct
	{
		const model *model;
		uint32_t	block;
		uint32_t	blocks;
		uint32_t	limit;
	}			line[] = {
		{&two_two, 1, 1, 9},
		{&two_two, 2, 1, 7},
		{&two_two, 4, 1, 4},
		{&two_two, 1, 2, 6},
		{&two_two, 2, 2, 3},
		{&two_two_alone, 2, 1, 6},
		{&two_two_alone, 1, 2, 5},
		{&two_three, 1, 1, 6},
		{&two_three, 2, 1, 4},
		{&two_three, 1, 2, 4},
		{&three_three, 1, 1, 5},
		{&three_three, 2, 1, 3},
		{&cube_one, 1, 1, 5},
		{&cube_one, 2, 1, 3},
		{&cube_two, 1, 1, 5},
		{&cube_two, 2, 1, 3},
		{&cube_cycle, 1, 1, 5},
		{&cube_cycle, 1, 2, 3}
	};
	static const uint64_t alphas[] = {ONE / 7, 3 * ONE, 40 * ONE + 1};
	size_t		i;
	size_t		a;
	uint32_t	tail;

	for (i = 0; i < sizeof(line) / sizeof(line[0]); i++)
		for (tail = 0; tail < 2; tail++)
			for (a = 0; a < sizeof(alphas) / sizeof(alphas[0]); a++)
			{
				model		m = *line[i].model;
				trial		t;
				rational	bound = claimed(alphas[a], m.ncols * line[i].blocks);

				/* the two ends of alpha need no more than the small data sets */
				m.tail_bits = tail;
				trial_init(&t, &m, NULL, alphas[a], line[i].block, line[i].blocks);
				exhaust(&t, ADD_ONE, a == 1 ? line[i].limit : line[i].limit - 1);
				check_holds(&t, &bound);
				arena_free(&memory);
			}
}

/* Columns that are given are not drawn, and cost nothing: M - f factors. */
static void
test_given(void)
{
	static const struct
	{
		const model *model;
		uint32_t	block;
		uint32_t	limit;
	}			line[] = {
		{&two_two, 3, 4}, {&two_two_alone, 3, 4}, {&two_three, 2, 4}, {&three_three, 2, 3},
		{&cube_one, 2, 3}, {&cube_two, 2, 3}, {&cube_cycle, 2, 3}
	};
	const uint64_t alpha = 3 * ONE / 2;
	size_t		i;
	uint32_t	tail;

	for (i = 0; i < sizeof(line) / sizeof(line[0]); i++)
		for (tail = 0; tail < 2; tail++)
		{
			model		m = *line[i].model;
			trial		t;
			uint32_t	which;

			m.tail_bits = tail;
			trial_init(&t, &m, NULL, alpha, line[i].block, 1);
			/* every set of columns except none of them, at every combination of codes */
			for (which = 1; which < 1u << m.ncols; which++)
			{
				uint32_t	cell;
				double		worst = 1;

				for (cell = 0; cell < domain(&m); cell++)
				{
					uint16_t	row[MAX_COLUMNS];
					bool		repeated = false;
					rational	bound;
					uint32_t	c;

					row_of(&m, cell, row);
					for (c = 0; c < m.ncols; c++)
					{
						/* the codes of the others do not matter: only zero */
						repeated = repeated || (!(which >> c & 1) && row[c] != 0);
						trial_given(&t, c, which >> c & 1 ? row[c] : -1);
					}
					if (repeated)
						continue;
					trial_alpha(&t, alpha);
					exhaust(&t, ADD_ONE, line[i].limit);
					bound = claimed(alpha, t.free);
					check_holds(&t, &bound);
					worst = fmax(worst, rational_double(&t.worst));
				}
				/* the bound is not empty: with a free column a row does show */
				CHECK((worst > 1) == (t.free > 0));
			}
			arena_free(&memory);
		}
}

/* N x (0,1), N x (1,0) against the same and (1,1): the bound is the limit. */
static void
tight_family(const model *m, uint32_t n, dataset *first, dataset *second)
{
	uint16_t	a[2] = {0, 1};
	uint16_t	b[2] = {1, 0};
	uint16_t	c[2] = {1, 1};

	memset(second, 0, sizeof(*second));
	second->times[cell_of(m, a)] = n;
	second->times[cell_of(m, b)] = n;
	*first = *second;
	first->times[cell_of(m, c)]++;
}

static void
test_tight(void)
{
	static const uint32_t n[] = {1, 100, 10000};
	static const double part[] = {0.56, 0.981, 0.9998};
	static const double digits[] = {0.005, 0.0005, 0.00005};
	const uint64_t alpha = 3 * ONE / 2;
	rational	bound = claimed(alpha, 2);
	size_t		i;

	for (i = 0; i < 3; i++)
	{
		trial		t;
		dataset		first;
		dataset		second;

		trial_init(&t, &two_two, NULL, alpha, 1, 1);
		tight_family(&two_two, n[i], &first, &second);
		trial_data(&t, &first, &second);
		all_outputs(&t);
		check_holds(&t, &bound);
		CHECK(fabs(log(rational_double(&t.worst)) / log(rational_double(&bound)) - part[i]) <= digits[i]);
		arena_free(&memory);
	}
}

/* ---------- replace one row ---------- */

static void
test_replace(void)
{
	static const struct
	{
		const model *model;
		uint32_t	block;
		uint32_t	limit;
		uint64_t	alpha;
		double		worst;		/* 0: not known */
	}			line[] = {
		{&two_two, 1, 4, 3 * ONE / 2, 2.3810},
		{&two_two, 2, 3, 3 * ONE / 2, 3.0864},
		{&two_two, 3, 3, 3 * ONE / 2, 0},
		{&two_three, 1, 4, 5 * ONE / 2, 0},
		{&two_three, 2, 3, 5 * ONE / 2, 0},
		{&three_three, 1, 3, ONE / 2, 0},
		{&cube_one, 1, 3, 3 * ONE, 0},
		{&cube_two, 2, 2, 3 * ONE, 0},
		{&two_two_alone, 2, 4, ONE / 3, 0}
	};
	const uint64_t alpha = 3 * ONE / 2;
	const uint16_t rows[4][2] = {{0, 1}, {1, 0}, {1, 1}, {2, 2}};
	dataset		first = {{0}};
	dataset		second;
	trial		t;
	rational	bound;
	rational	single;
	size_t		i;
	uint32_t	c;
	uint32_t	tail;

	for (i = 0; i < sizeof(line) / sizeof(line[0]); i++)
		for (tail = 0; tail < 2; tail++)
		{
			model		m = *line[i].model;

			m.tail_bits = tail;
			trial_init(&t, &m, NULL, line[i].alpha, line[i].block, 1);
			exhaust(&t, REPLACE_ONE, line[i].limit);
			bound = single = claimed(line[i].alpha, m.ncols);
			for (c = 0; c < m.ncols; c++)
				rational_times(&bound, m.levels[c] * line[i].alpha + ONE, m.levels[c] * line[i].alpha);
			check_holds(&t, &bound);
			/* one row visits one cell of each table: the old row or the new one, not both */
			if (line[i].block == 1)
				check_holds(&t, &single);
			if (line[i].worst > 0 && tail == 0)
				check_worst(&t, line[i].worst);
			/* and the cost of adding would not be enough for a block */
			if (line[i].block == 2 && line[i].model == &two_two && tail == 0)
				CHECK(!holds(&t, &single));
			arena_free(&memory);
		}

	/* A family that comes near: 400 x (0,1), 400 x (1,0), and (1,1) or (2,2). */
	trial_init(&t, &three_three, NULL, alpha, 2, 1);
	first.times[cell_of(&three_three, rows[0])] = 400;
	first.times[cell_of(&three_three, rows[1])] = 400;
	second = first;
	first.times[cell_of(&three_three, rows[2])]++;
	second.times[cell_of(&three_three, rows[3])]++;
	trial_data(&t, &first, &second);
	all_outputs(&t);
	bound = single = claimed(alpha, 2);
	for (c = 0; c < 2; c++)
		rational_times(&bound, 3 * alpha + ONE, 3 * alpha);
	check_holds(&t, &bound);
	CHECK(!holds(&t, &single));
	CHECK(fabs(rational_double(&t.worst) - 3.378) <= 0.0005);
	arena_free(&memory);
}

/* ---------- from epsilon ---------- */

/* What a caller asks for: the alpha of pegs_alpha keeps every ratio below e^epsilon. */
static void
test_end_to_end(void)
{
	/* e^epsilon, rounded down */
	static const struct
	{
		int64_t		epsilon;
		uint64_t	num;
		uint64_t	den;
	}			budget[] = {
		{PEGS_EPSILON_UNIT / 10, UINT64_C(1105170918075647624), UINT64_C(1000000000000000000)},
		{PEGS_EPSILON_UNIT, UINT64_C(2718281828459045235), UINT64_C(1000000000000000000)},
		{3 * PEGS_EPSILON_UNIT, UINT64_C(2008553692318766774), UINT64_C(100000000000000000)}
	};
	static const struct
	{
		const model *model;
		uint32_t	block;
		uint32_t	blocks;
		uint32_t	limit;
	}			line[] = {
		{&two_two, 1, 1, 5}, {&two_two, 3, 1, 3}, {&two_two, 1, 2, 3}, {&two_two_alone, 2, 1, 4},
		{&two_three, 2, 1, 3}, {&three_three, 1, 1, 4}, {&cube_one, 1, 1, 3}, {&cube_two, 1, 1, 3},
		{&cube_cycle, 1, 2, 2}
	};
	size_t		i;
	size_t		b;
	uint32_t	tail;
	uint32_t	fixed;

	for (i = 0; i < sizeof(line) / sizeof(line[0]); i++)
		for (b = 0; b < sizeof(budget) / sizeof(budget[0]); b++)
			for (tail = 0; tail < 2; tail++)
				for (fixed = 0; fixed < 2; fixed++)
				{
					model		m = *line[i].model;
					trial		t;
					rational	bound;
					uint64_t	alpha;
					dataset		first;
					dataset		second;

					m.tail_bits = tail;
					trial_init(&t, &m, NULL, 1, line[i].block, line[i].blocks);
					if (fixed)
						trial_given(&t, 0, 1);
					CHECK(pegs_alpha(budget[b].epsilon, (uint64_t) t.free * line[i].blocks, 3, &alpha) == PEGS_OK);
					trial_alpha(&t, alpha);
					exhaust(&t, ADD_ONE, line[i].limit);
					rational_set(&bound, budget[b].num, budget[b].den);
					check_holds(&t, &bound);
					bound = claimed(alpha, t.free * line[i].blocks);
					check_holds(&t, &bound);

					/* nothing is wasted, either: a large table of two columns uses 98 % of epsilon */
					if (line[i].model == &two_two && line[i].block == 1 && line[i].blocks == 1 && !fixed && !tail)
					{
						tight_family(&m, 10000, &first, &second);
						trial_data(&t, &first, &second);
						all_outputs(&t);
						rational_set(&bound, budget[b].num, budget[b].den);
						check_holds(&t, &bound);
						CHECK(log(rational_double(&t.worst)) * PEGS_EPSILON_UNIT > 0.98 * (double) budget[b].epsilon);
					}
					arena_free(&memory);
				}
}

/* ---------- pegs_gibbs_next is what was enumerated ---------- */

/* The middle one of the words of which pegs_rng_below(bound) makes value. */
static uint64_t
word_of(uint64_t value, uint64_t bound)
{
	return (uint64_t) ((((pegs_u128) value << 64) + (UINT64_C(1) << 63)) / bound);
}

/*
 * Follow every way of the walk with the sampler itself, on chosen random
 * words: the first and the last value of each level's interval must give that
 * level, at one word a free column. So the law of the sampler is the one whose
 * ratios are above, without a statistic.
 */
static bool
follow(trial *t, uint32_t row_number, uint32_t rows)
{
	const model *m = t->model;
	pegs_gibbs *g = &t->sampler[0];	/* walks */
	pegs_gibbs *next = &t->sampler[1];	/* is driven */
	uint32_t   *visited[2];
	uint16_t	before[MAX_COLUMNS];
	uint32_t	stamp = g->stamp;
	uint64_t	made = next->made;
	bool		equal = true;
	uint32_t	target;
	int			k;

	if (row_number == rows)
		return true;
	for (k = 0; k < 2; k++)
	{
		visited[k] = malloc(sizeof(uint32_t) * g->nvisited);
		memcpy(visited[k], t->sampler[k].visited, sizeof(uint32_t) * g->nvisited);
	}
	memcpy(before, g->row, sizeof(uint16_t) * m->ncols);
	for (target = 0; target < domain(m); target++)
	{
		uint16_t	wanted[MAX_COLUMNS];
		int			edge;
		bool		possible = true;
		uint32_t	i;

		row_of(m, target, wanted);
		for (i = 0; i < m->ncols; i++)
			possible = possible && (t->given[i] < 0 || t->given[i] == wanted[i]);
		if (!possible)
			continue;
		for (edge = 0; edge < 2; edge++)
		{
			static pegs_rng rng;
			uint32_t	first = PEGS_RNG_BLOCKS * 8 - MAX_COLUMNS;
			uint32_t	words = 0;

			/* the walk, from where this row starts */
			memcpy(g->row, before, sizeof(uint16_t) * m->ncols);
			memcpy(g->visited, visited[0], sizeof(uint32_t) * g->nvisited);
			g->stamp = stamp;
			if (row_number > 0 && row_number % t->block == 0)
				pegs_gibbs_new_block(g);
			for (i = 0; i < m->ncols; i++)
			{
				uint64_t	weight[MAX_LEVELS];
				uint64_t	key = pegs_layout_key(g->layout, i, g->row);
				uint64_t	sum;
				uint64_t	value = 0;
				uint32_t	j;

				if (t->given[i] >= 0)
					continue;
				sum = pegs_gibbs_weights(g, i, key, weight);
				for (j = 0; j < wanted[i]; j++)
					value += weight[j];
				/* both ends of the interval; the columns take turns */
				if ((edge + i) % 2 == 1)
					value += weight[wanted[i]] - 1;
				rng.buffer[first + words++] = word_of(value, sum);
				pegs_gibbs_visit(g, i, key);
				g->row[i] = wanted[i];
			}

			/* the sampler, from the same place */
			memcpy(next->row, before, sizeof(uint16_t) * m->ncols);
			memcpy(next->visited, visited[1], sizeof(uint32_t) * g->nvisited);
			next->stamp = stamp;
			next->made = made;
			rng.next = first;
			pegs_gibbs_next(next, &rng);
			equal = equal && rng.next == first + words
				&& memcmp(next->row, wanted, sizeof(uint16_t) * m->ncols) == 0
				&& next->stamp == g->stamp
				&& memcmp(next->visited, g->visited, sizeof(uint32_t) * g->nvisited) == 0;
			if (edge == 1)
				equal = follow(t, row_number + 1, rows) && equal;
		}
	}
	for (k = 0; k < 2; k++)
	{
		memcpy(t->sampler[k].row, before, sizeof(uint16_t) * m->ncols);
		memcpy(t->sampler[k].visited, visited[k], sizeof(uint32_t) * g->nvisited);
		t->sampler[k].stamp = stamp;
		free(visited[k]);
	}
	next->made = made;
	return equal;
}

static void
test_sampler_follows(void)
{
	static const model *const models[] = {&two_two, &two_three, &three_three, &two_two_alone, &cube_one, &cube_two, &cube_cycle};
	size_t		i;
	uint32_t	tail;
	uint32_t	fixed;
	uint32_t	block;

	for (i = 0; i < sizeof(models) / sizeof(models[0]); i++)
		for (tail = 0; tail < 2; tail++)
			for (fixed = 0; fixed < 2; fixed++)
				for (block = 1; block <= 3; block++)
				{
					model		m = *models[i];
					dataset		data = {{0}};
					trial		t;
					uint32_t	seed;

					m.tail_bits = tail;
					trial_init(&t, &m, NULL, 5 * ONE / 2 + 1, block, 1);
					if (fixed)
						trial_given(&t, 1, 1);
					for (seed = 0; seed < domain(&m); seed++)
						data.times[seed] = (7 * seed + 3) % 11;
					trial_data(&t, &data, &data);
					for (seed = 0; seed < domain(&m); seed++)
					{
						row_of(&m, seed, t.row);
						if (fixed && t.row[1] != 1)
							continue;
						memcpy(t.sampler[0].row, t.row, sizeof(uint16_t) * m.ncols);
						memcpy(t.sampler[1].row, t.row, sizeof(uint16_t) * m.ncols);
						CHECK(follow(&t, 0, domain(&m) > 6 ? 2 : 3));
					}
					arena_free(&memory);
				}
}

/* ---------- what must be caught ---------- */

/* No reset: two rows of one block cost twice. */
static void
test_no_reset(void)
{
	const uint64_t alpha = 3 * ONE / 2;
	rational	once = claimed(alpha, 2);
	rational	twice = claimed(alpha, 4);
	dataset		first;
	dataset		second;
	trial		t;

	trial_init(&t, &two_two, NULL, alpha, 2, 1);
	t.reset = NEVER;
	exhaust(&t, ADD_ONE, 4);
	CHECK(!holds(&t, &once));
	check_worst(&t, 3.4294);

	trial_alpha(&t, alpha);
	tight_family(&two_two, 1000, &first, &second);
	trial_data(&t, &first, &second);
	all_outputs(&t);
	CHECK(!holds(&t, &once));
	CHECK(holds(&t, &twice));
	CHECK(fabs(rational_double(&t.worst) - 7.685) <= 0.0005);

	/* the same, by the sampler's own rule */
	trial_alpha(&t, alpha);
	t.reset = AT_THE_VISIT;
	all_outputs(&t);
	check_holds(&t, &once);
	arena_free(&memory);
}

/*
 * P(row after `sweeps` sweeps) of one sampler, into out[cell]; only the last
 * row is released. Sums over the hidden rows, so no longer one product: in long
 * double, whose error is 10^15 times smaller than what is looked for.
 */
static void
hidden(pegs_gibbs *g, const model *m, reset when, uint32_t column, uint32_t sweeps, long double p, long double *out)
{
	uint64_t	weight[MAX_LEVELS];
	uint64_t	key;
	uint64_t	sum;
	uint32_t   *visited;
	uint32_t	stamp;
	uint16_t	before;
	uint32_t	j;

	if (column == m->ncols)
	{
		/* AFTER_THE_SAMPLE: what is pending is marked when nothing is drawn any more */
		if (sweeps == 1)
			out[cell_of(m, g->row)] += p;
		else
			hidden(g, m, when, 0, sweeps - 1, p, out);
		return;
	}
	key = pegs_layout_key(g->layout, column, g->row);
	sum = pegs_gibbs_weights(g, column, key, weight);
	visited = &g->visited[g->visited_start[column] + key];
	stamp = *visited;
	before = g->row[column];
	if (when == AT_THE_VISIT)
		pegs_gibbs_visit(g, column, key);
	for (j = 0; j < m->levels[column]; j++)
	{
		g->row[column] = (uint16_t) j;
		hidden(g, m, when, column + 1, sweeps, p * weight[j] / sum, out);
	}
	g->row[column] = before;
	*visited = stamp;
}

/* The worst ratio of one released row after `sweeps` hidden sweeps, of four families of data sets. */
static double
worst_hidden(reset when, uint32_t sweeps, uint32_t n)
{
	/* how often (0,0), (0,1), (1,0), (1,1) */
	const dataset family[4] = {{{0, n, n, 0}}, {{n, 0, 0, 0}}, {{0, n, 0, 0}}, {{n, 0, 0, 1}}};
	double		worst = 1;
	trial		t;
	int			f;
	uint32_t	r;
	uint32_t	seed;
	uint32_t	x;
	int			k;

	trial_init(&t, &two_two, NULL, 3 * ONE / 2, 1, 1);
	for (f = 0; f < 4; f++)
		for (r = 0; r < 4; r++)
		{
			dataset		first = family[f];

			first.times[r]++;
			trial_data(&t, &first, &family[f]);
			for (seed = 0; seed < 4; seed++)
			{
				long double p[2][4] = {{0}};

				for (k = 0; k < 2; k++)
				{
					row_of(&two_two, seed, t.sampler[k].row);
					hidden(&t.sampler[k], &two_two, when, 0, sweeps, 1, p[k]);
					CHECK(fabsl(p[k][0] + p[k][1] + p[k][2] + p[k][3] - 1) < 1e-15L);
				}
				for (x = 0; x < 4; x++)
					worst = fmax(worst, (double) fmaxl(p[0][x] / p[1][x], p[1][x] / p[0][x]));
			}
		}
	arena_free(&memory);
	return worst;
}

/* Reset after the sample: enough while a sample is one sweep, broken when sweeps are hidden. */
static void
test_late_reset(void)
{
	rational	bound = claimed(3 * ONE / 2, 2);

	CHECK_NEAR(worst_hidden(AFTER_THE_SAMPLE, 1, 1000), worst_hidden(AT_THE_VISIT, 1, 1000), 1e-12);
	CHECK(worst_hidden(AFTER_THE_SAMPLE, 4, 1000) > 1.5 * rational_double(&bound));
	CHECK(fabs(worst_hidden(AFTER_THE_SAMPLE, 4, 1000) - 4.767) <= 0.0005);
	CHECK(fabs(worst_hidden(AT_THE_VISIT, 4, 1000) - 1.117) <= 0.0005);
	CHECK(worst_hidden(AT_THE_VISIT, 2, 1000) <= rational_double(&bound));
}

/* Parents by exact mutual information: for each column the other one that tells most, ties to the first. */
static void
informed_parents(const dataset *data, model *m)
{
	static const char *const name[3] = {"0", "1", "2"};
	double		n = 0;
	uint32_t	cell;
	int			i;
	int			j;

	for (cell = 0; cell < 8; cell++)
		n += data->times[cell];
	for (i = 0; i < 3; i++)
	{
		double		best = -1;

		for (j = 0; j < 3; j++)
		{
			double		joint[2][2] = {{0}};
			double		information = 0;
			int			x;
			int			y;

			if (j == i)
				continue;
			for (cell = 0; cell < 8; cell++)
			{
				uint16_t	row[MAX_COLUMNS];

				row_of(m, cell, row);
				joint[row[i]][row[j]] += data->times[cell];
			}
			for (x = 0; x < 2; x++)
				for (y = 0; y < 2; y++)
					if (joint[x][y] > 0)
						information += joint[x][y] / n * log(joint[x][y] * n / ((joint[x][0] + joint[x][1])
																				* (joint[0][y] + joint[1][y])));
			if (information > best + 1e-12)
			{
				best = information;
				m->parents[i] = name[j];
			}
		}
	}
}

/* The ratio of one pair of neighbours, each sampled with the parents its own data suggest, at a claimed epsilon of 1. */
static double
worst_informed(const dataset *first, const dataset *second, bool *broken)
{
	model		m[2] = {{3, {2, 2, 2}, {"", "", ""}, 0}, {3, {2, 2, 2}, {"", "", ""}, 0}};
	trial		t;
	rational	e;
	uint64_t	alpha;
	double		worst;

	informed_parents(first, &m[0]);
	informed_parents(second, &m[1]);
	CHECK(pegs_alpha(PEGS_EPSILON_UNIT, 3, 2, &alpha) == PEGS_OK);
	trial_init(&t, &m[0], &m[1], alpha, 1, 1);
	trial_data(&t, first, second);
	all_outputs(&t);
	rational_set(&e, UINT64_C(2718281828459045236), UINT64_C(1000000000000000000));
	*broken = !holds(&t, &e);
	worst = rational_double(&t.worst);
	arena_free(&memory);
	return worst;
}

static void
test_informed_parents(void)
{
	/* of 000, 001, 010, 011, 100, ... */
	const dataset small = {{2}};
	dataset		first = small;
	dataset		second;
	bool		broken;
	uint32_t	n;

	first.times[3]++;
	CHECK(fabs(worst_informed(&first, &small, &broken) - 3.08) <= 0.005);
	CHECK(broken);

	for (n = 10; n <= 10000; n *= 10)
	{
		static const double printed[] = {5.26, 40.9, 397, 3957};
		static const double digits[] = {0.005, 0.05, 0.5, 0.5};
		int			at = n == 10 ? 0 : n == 100 ? 1 : n == 1000 ? 2 : 3;

		second = (dataset) {{n, 1, 1, 0, 0, 0, 0, n}};
		first = second;
		first.times[2]++;
		CHECK(fabs(worst_informed(&first, &second, &broken) - printed[at]) <= digits[at]);
		CHECK(broken);

		/* the same rows with parents that were there before them */
		{
			const model m = {3, {2, 2, 2}, {"1", "0", "0"}, 0};
			trial		t;
			rational	e;
			uint64_t	alpha;

			CHECK(pegs_alpha(PEGS_EPSILON_UNIT, 3, 2, &alpha) == PEGS_OK);
			trial_init(&t, &m, NULL, alpha, 1, 1);
			trial_data(&t, &first, &second);
			all_outputs(&t);
			rational_set(&e, UINT64_C(2718281828459045235), UINT64_C(1000000000000000000));
			check_holds(&t, &e);
			arena_free(&memory);
		}
	}
}

/* The number of parents by "30 rows a key" from the private number of rows: the 60th row adds a parent. */
static void
test_informed_size(void)
{
	const dataset second = {{30, 0, 0, 29}};
	const dataset first = {{30, 0, 0, 30}};
	trial		t;
	rational	e;
	uint64_t	alpha;

	CHECK(pegs_alpha(PEGS_EPSILON_UNIT, 2, 2, &alpha) == PEGS_OK);
	trial_init(&t, &two_two, &two_two_alone, alpha, 1, 1);
	trial_data(&t, &first, &second);
	all_outputs(&t);
	rational_set(&e, UINT64_C(2718281828459045236), UINT64_C(1000000000000000000));
	CHECK(!holds(&t, &e));
	CHECK(fabs(rational_double(&t.worst) - 115.1) <= 0.05);
	arena_free(&memory);
}

int
main(void)
{
	test_rationals();
	test_table();
	test_more();
	test_given();
	test_tight();
	test_replace();
	test_end_to_end();
	test_sampler_follows();
	test_no_reset();
	test_late_reset();
	test_informed_parents();
	test_informed_size();
	return unit_done("gibbs_privacy_test");
}
