/*
 * descent.c
 *	  Rows of a batch, brought closer to tables.
 *
 * Reads released numbers and the rows of the batch only; the original rows are
 * never seen.
 */
#include "core/graph/descent.h"

#include <math.h>
#include <string.h>

#define LOOKS_AT_ONCE 65536		/* between two questions whether to stop */
#define LANES 4
#define BLOCK_MOST 16			/* places of a cell, on average, of a table that is merged */
#define OWN_MOST ((size_t) 1 << 20)	/* numbers in all columns' own lines */
#define NARROW 16				/* places of a column whose lines lie beside those of others */
#define AT_ONCE 16				/* numbers of them that are added up together */
#define AHEAD 8					/* rows */
#define FEW_CELLS 1024			/* of a pair, that are counted in four turns */
#define TOO_LITTLE 1e-4f		/* to be better by: less may be rounding */

/* Four at once, one by one the same numbers on every machine. */
typedef float lanes __attribute__((vector_size(16), aligned(4), may_alias));
typedef int32_t lane_bits __attribute__((vector_size(16)));

/* ---- columns ---- */

void
pegs_descent_init(const pegs_env *env, pegs_descent *d, const pegs_zeros *zeros, uint32_t ncols, const uint32_t *levels,
				  pegs_rng *rng, uint32_t n, uint16_t **codes, uint32_t most, uint32_t most_triples)
{
	*d = (pegs_descent) {.env = env, .zeros = zeros, .ncols = ncols, .n = n, .codes = codes, .most_triples = most_triples};
	d->column = env->alloc(env->context, sizeof(pegs_descent_column) * ncols);
	d->table = env->alloc(env->context, sizeof(pegs_excess) * (most + 1));
	d->order = env->alloc(env->context, sizeof(uint32_t) * n);
	d->row = env->alloc(env->context, sizeof(uint16_t) * ncols);
	d->at = env->alloc(env->context, sizeof(uint32_t) * ncols);
	d->line = env->alloc(env->context, sizeof(float *) * (ncols + most + most_triples + 1));
	for (uint32_t i = 0; i < n; i++)
	{
		uint32_t	j = (uint32_t) pegs_rng_below(rng, i + 1);

		d->order[i] = d->order[j];
		d->order[j] = i;
	}
	for (uint32_t i = 0; i < ncols; i++)
	{
		pegs_descent_column *c = &d->column[i];

		env->check(env->context);
		c->levels = levels[i];
		c->place_of = env->alloc(env->context, sizeof(uint16_t) * c->levels);
		pegs_descent_places(d, i, NULL);
	}
}

void
pegs_descent_places(pegs_descent *d, uint32_t column, const bool *cut)
{
	pegs_descent_column *c = &d->column[column];

	c->places = 0;
	for (uint32_t l = 0; l < c->levels; l++)
	{
		c->places += l == 0 || cut == NULL || cut[l];
		c->place_of[l] = (uint16_t) (c->places - 1);
	}
	c->room = (c->places + LANES - 1) / LANES * LANES;
}

/* Of levels from one to before another: runs that are whole are known. */
static float
least_between(const pegs_descent_column *c, uint32_t from, uint32_t to)
{
	float		least = INFINITY;

	while (from < to)
		if (from % PEGS_DESCENT_RUN == 0 && to - from >= PEGS_DESCENT_RUN)
		{
			least = fminf(least, c->least_run[from / PEGS_DESCENT_RUN]);
			from += PEGS_DESCENT_RUN;
		}
		else
			least = fminf(least, c->excess[from++]);
	return least;
}

static void
find_least_run(pegs_descent_column *c, uint32_t run)
{
	const float *excess = c->excess + (size_t) run * PEGS_DESCENT_RUN;
	float		least = INFINITY;

	for (uint32_t l = 0; l < PEGS_DESCENT_RUN; l++)
		least = fminf(least, excess[l]);
	c->least_run[run] = least;
}

static void
find_least(pegs_descent_column *c, uint32_t place)
{
	c->least[place] = least_between(c, c->first[place], c->first[place + 1]);
}

/* A row went from one level to another, whose excess was `before`. */
static void
move_least(pegs_descent_column *c, uint32_t old, uint32_t new, float before)
{
	uint32_t	runs = c->levels / PEGS_DESCENT_RUN;
	uint32_t	from = old / PEGS_DESCENT_RUN;
	uint32_t	to = new / PEGS_DESCENT_RUN;

	if (from < runs)
		c->least_run[from] = fminf(c->least_run[from], c->excess[old]);
	if (to < runs && before <= c->least_run[to])
		find_least_run(c, to);
	from = c->place_of[old];
	to = c->place_of[new];
	c->least[from] = fminf(c->least[from], c->excess[old]);
	if (before <= c->least[to])
		find_least(c, to);
}

void
pegs_descent_oneway(pegs_descent *d, uint32_t column, const double *share)
{
	const pegs_env *env = d->env;
	pegs_descent_column *c = &d->column[column];

	env->check(env->context);
	c->first = env->alloc(env->context, sizeof(uint32_t) * (c->places + 1));
	c->excess = env->alloc(env->context, sizeof(float) * (c->levels + LANES));
	c->table = env->alloc(env->context, sizeof(uint32_t) * d->ncols);
	c->seen = env->alloc(env->context, sizeof(pegs_seen) * d->ncols);
	c->weight = 1;
	c->before = d->places;
	d->places += c->places;
	for (uint32_t r = 0; r < d->n; r++)
		c->excess[d->codes[column][r]] += 1;
	for (uint32_t l = 0; l < c->levels; l++)
	{
		c->first[c->place_of[l] + 1] = l + 1;
		c->excess[l] = (float) (c->excess[l] - d->n * share[l]);
	}
	c->place = d->codes[column];
	if (c->places == c->levels)
		return;
	c->place = env->alloc(env->context, sizeof(uint16_t) * d->n);
	for (uint32_t r = 0; r < d->n; r++)
		c->place[r] = c->place_of[d->codes[column][r]];
	c->least_run = env->alloc(env->context, sizeof(float) * (c->levels / PEGS_DESCENT_RUN + 1));
	for (uint32_t r = 0; r < c->levels / PEGS_DESCENT_RUN; r++)
		find_least_run(c, r);
	c->least = env->alloc(env->context, sizeof(float) * c->places);
	for (uint32_t p = 0; p < c->places; p++)
		find_least(c, p);
}

/* ---- lines of all pairs, at all places ---- */

/* What a row's value would cost in such columns is added up for all of them at once. */
static bool
is_narrow(const pegs_descent_column *c)
{
	return c->places > 1 && c->room <= NARROW;
}

void
pegs_descent_lines(pegs_descent *d)
{
	const pegs_env *env = d->env;

	for (uint32_t i = 0; i < d->ncols; i++)
		if (is_narrow(&d->column[i]))
		{
			d->column[i].offset = d->stride;
			d->stride += d->column[i].room;
		}
	d->stride = (d->stride + AT_ONCE - 1) / AT_ONCE * AT_ONCE;
	if (d->stride > 0)
	{
		d->narrow = env->alloc(env->context, sizeof(float) * d->stride * d->places);
		d->sum = env->alloc(env->context, sizeof(float) * d->stride);
	}
	for (uint32_t i = 0; i < d->ncols; i++)
	{
		pegs_descent_column *c = &d->column[i];

		env->check(env->context);
		c->weight_in = env->alloc(env->context, sizeof(float) * d->ncols);
		if (is_narrow(c))
		{
			c->stride = d->stride;
			c->own_lines = c->places;
			c->lines = d->narrow + c->offset;
		}
		else
		{
			c->stride = c->room;
			c->lines = env->alloc(env->context, sizeof(float) * c->room * (d->places - c->places + 1));
		}
	}
}

/* The line of a column's places where the other has this one. */
static inline float *
line_of(const pegs_descent *d, uint32_t column, uint32_t other, uint32_t place)
{
	const pegs_descent_column *c = &d->column[column];

	return c->lines + (size_t) (d->column[other].before + place - (other > column ? c->places - c->own_lines : 0)) * c->stride;
}

static inline void
change_places(float *line, const uint32_t *start, uint32_t class, float what)
{
	for (uint32_t p = start[class]; p < start[class + 1]; p++)
		line[p] += what;
}

/* ---- counts ---- */

size_t
pegs_descent_count_room(size_t cells)
{
	return cells + 3 * (cells < FEW_CELLS ? cells : FEW_CELLS);
}

/* Of few cells in four turns, as a number that was just written is waited for. */
void
pegs_descent_count(const pegs_descent *d, uint32_t a, uint32_t b, uint32_t *count)
{
	const uint16_t *x = d->column[a].place;
	const uint16_t *y = d->column[b].place;
	size_t		kb = d->column[b].places;
	size_t		cells = d->column[a].places * kb;
	size_t		apart = cells <= FEW_CELLS ? cells : 0;
	uint32_t   *c0 = count;
	uint32_t   *c1 = c0 + apart;
	uint32_t   *c2 = c1 + apart;
	uint32_t   *c3 = c2 + apart;
	uint32_t	r = 0;

	memset(c0, 0, sizeof(uint32_t) * (cells + 3 * apart));
	for (; r + 4 <= d->n; r += 4)
	{
		c0[x[r] * kb + y[r]]++;
		c1[x[r + 1] * kb + y[r + 1]]++;
		c2[x[r + 2] * kb + y[r + 2]]++;
		c3[x[r + 3] * kb + y[r + 3]]++;
	}
	for (; r < d->n; r++)
		c0[x[r] * kb + y[r]]++;
	for (size_t i = 0; i < apart; i++)
		c0[i] += c1[i] + c2[i] + c3[i];
}

/* ---- tables ---- */

static void
see(pegs_descent *d, uint32_t column)
{
	pegs_descent_column *c = &d->column[column];

	c->nseen = 0;
	for (uint32_t q = 0; q < c->ntables; q++)
	{
		const pegs_excess *t = &d->table[c->table[q]];
		int			x = t->column[0] == column ? 0 : 1;

		if (!t->merged)
			c->seen[c->nseen++] = (pegs_seen) {.line = t->line[x], .line_of = t->class_of[1 - x], .other = t->column[1 - x], .number = c->table[q]};
	}
}

/* Rows of each cell of a table: of each pair of places first, unless they are more than the rows, as then no class is looked up. */
static uint32_t *
count_classes(const pegs_descent *d, const uint32_t *column, const uint32_t *k, uint16_t *const *class_of)
{
	const pegs_env *env = d->env;
	const pegs_descent_column *a = &d->column[column[0]];
	const pegs_descent_column *b = &d->column[column[1]];
	uint32_t   *count = env->alloc(env->context, sizeof(uint32_t) * k[0] * k[1]);
	uint32_t   *of_places;

	if ((uint64_t) a->places * b->places > d->n)
	{
		for (uint32_t r = 0; r < d->n; r++)
			count[(size_t) class_of[0][d->codes[column[0]][r]] * k[1] + class_of[1][d->codes[column[1]][r]]]++;
		return count;
	}
	of_places = env->alloc(env->context, sizeof(uint32_t) * pegs_descent_count_room((size_t) a->places * b->places));
	pegs_descent_count(d, column[0], column[1], of_places);
	for (uint32_t i = 0; i < a->places; i++)
		for (uint32_t j = 0; j < b->places; j++)
			count[(size_t) class_of[0][a->first[i]] * k[1] + class_of[1][b->first[j]]] += of_places[(size_t) i * b->places + j];
	pegs_env_free(env, of_places);
	return count;
}

/* A table's excesses go into the lines of its pair's places where they are about as many; otherwise it has lines of its own. */
static bool
is_merged(const pegs_descent *d, const pegs_excess *t)
{
	const pegs_descent_column *a = &d->column[t->column[0]];
	const pegs_descent_column *b = &d->column[t->column[1]];

	return a->lines && a->places > 1 && b->places > 1 && (uint64_t) a->places * b->places <= BLOCK_MOST * (uint64_t) t->k[0] * t->k[1];
}

/* What a class of side x is off by, beside a class of the other one. */
static void
add_excess(pegs_descent *d, const pegs_excess *t, int x, uint32_t own, uint32_t other, float excess)
{
	if (!t->merged)
		change_places(t->line[x] + (size_t) other * d->column[t->column[x]].room, t->start[x], own, excess);
	for (uint32_t p = t->start[1 - x][other]; t->merged && p < t->start[1 - x][other + 1]; p++)
		change_places(line_of(d, t->column[x], t->column[1 - x], p), t->start[x], own, excess);
}

static void
list_table(pegs_descent_column *c, uint32_t other, const pegs_excess *t, uint32_t number)
{
	c->table[c->ntables++] = number;
	if (t->of_places)
	{
		c->weight_in[other] += t->weight;
		return;
	}
	c->table[c->ntables - 1] = c->table[c->nblocks];
	c->table[c->nblocks++] = number;
}

void
pegs_descent_table(pegs_descent *d, const uint32_t *column, const uint32_t *k, uint16_t *const *class_of, double weight, const double *share)
{
	const pegs_env *env = d->env;
	pegs_excess *t = &d->table[d->ntables];
	uint32_t   *count = count_classes(d, column, k, class_of);

	env->check(env->context);
	t->weight = (float) weight;
	for (int x = 0; x < 2; x++)
	{
		pegs_descent_column *c = &d->column[column[x]];

		t->column[x] = column[x];
		t->k[x] = k[x];
		t->class_of[x] = class_of[x];
		t->start[x] = env->alloc(env->context, sizeof(uint32_t) * (k[x] + 1));
		for (uint32_t l = 0; l < c->levels; l++)
			t->start[x][class_of[x][l] + 1] = c->place_of[l] + 1;
		c->weight += t->weight;
	}
	t->merged = is_merged(d, t);
	t->of_places = t->merged && k[0] == d->column[column[0]].places && k[1] == d->column[column[1]].places;
	for (int x = 0; x < 2; x++)
	{
		list_table(&d->column[column[x]], column[1 - x], t, d->ntables);
		if (!t->merged)
			t->line[x] = env->alloc(env->context, sizeof(float) * d->column[column[x]].room * k[1 - x]);
		for (uint32_t j = 0; j < k[1 - x]; j++)
			for (uint32_t i = 0; i < k[x]; i++)
			{
				size_t		cell = x == 0 ? (size_t) i * k[1] + j : (size_t) j * k[1] + i;

				add_excess(d, t, x, i, j, (float) (weight * (count[cell] - d->n * share[cell])));
			}
	}
	d->ntables++;
	for (int x = 0; x < 2; x++)
		see(d, column[x]);
	pegs_env_free(env, count);
}

/* ---- tables of three columns ---- */

/* Rows of each cell, in four turns, as a number that was just written is waited for. */
static uint32_t *
count_triple(const pegs_descent *d, const uint32_t *column, const uint32_t *k)
{
	const uint16_t *x = d->codes[column[0]];
	const uint16_t *y = d->codes[column[1]];
	const uint16_t *z = d->codes[column[2]];
	size_t		cells = (size_t) k[0] * k[1] * k[2];
	uint32_t   *count = d->env->alloc(d->env->context, sizeof(uint32_t) * 4 * cells);
	uint32_t	r = 0;

	for (; r + 4 <= d->n; r += 4)
		for (uint32_t turn = 0; turn < 4; turn++)
			count[turn * cells + (x[r + turn] * k[1] + y[r + turn]) * k[2] + z[r + turn]]++;
	for (; r < d->n; r++)
		count[(x[r] * k[1] + y[r]) * k[2] + z[r]]++;
	for (size_t i = 0; i < cells; i++)
		count[i] += count[cells + i] + count[2 * cells + i] + count[3 * cells + i];
	return count;
}

/* In the line of column x, the two others' levels one after the other, then its own. */
static void
lay_triple(const pegs_descent *d, const uint32_t *column, const uint32_t *k, pegs_seen3 *t)
{
	for (uint32_t x = 0; x < 3; x++)
	{
		uint32_t	u = x == 0;
		uint32_t	v = x == 2 ? 1 : 2;
		uint32_t	room = d->column[column[x]].room;

		t->column[x] = column[x];
		t->line[x] = d->env->alloc(d->env->context, sizeof(float) * room * k[u] * k[v]);
		t->step[x][x] = 1;
		t->step[x][v] = room;
		t->step[x][u] = room * k[v];
	}
}

void
pegs_descent_triple(pegs_descent *d, const uint32_t *column, double weight, const double *share)
{
	const pegs_env *env = d->env;
	uint32_t	k[3] = {d->column[column[0]].levels, d->column[column[1]].levels, d->column[column[2]].levels};
	uint32_t   *count = count_triple(d, column, k);
	pegs_seen3	t = {.weight = (float) weight};
	uint32_t	at[3];

	env->check(env->context);
	lay_triple(d, column, k, &t);
	for (at[0] = 0; at[0] < k[0]; at[0]++)
		for (at[1] = 0; at[1] < k[1]; at[1]++)
			for (at[2] = 0; at[2] < k[2]; at[2]++)
			{
				size_t		cell = (at[0] * k[1] + at[1]) * (size_t) k[2] + at[2];

				for (uint32_t x = 0; x < 3; x++)
					t.line[x][at[0] * t.step[x][0] + at[1] * t.step[x][1] + at[2] * t.step[x][2]] = (float) (weight * (count[cell] - d->n * share[cell]));
			}
	for (t.side = 0; t.side < 3; t.side++)
	{
		pegs_descent_column *c = &d->column[column[t.side]];

		if (c->seen3 == NULL)
			c->seen3 = env->alloc(env->context, sizeof(pegs_seen3) * d->most_triples);
		c->seen3[c->nseen3++] = t;
		c->weight += t.weight;
	}
	pegs_env_free(env, count);
}

/* The line that the row at hand has in such a table. */
static inline const float *
line_of_three(const pegs_descent *d, const pegs_seen3 *t)
{
	uint32_t	u = t->side == 0;
	uint32_t	v = t->side == 2 ? 1 : 2;

	return t->line[t->side] + (size_t) d->row[t->column[u]] * t->step[t->side][u] + (size_t) d->row[t->column[v]] * t->step[t->side][v];
}

/* The row at hand goes from one level of the column that sees it, which it has, to another. */
static inline void
move_in_triple(const pegs_descent *d, const pegs_seen3 *t, uint32_t was, uint32_t is)
{
	for (uint32_t x = 0; x < 3; x++)
	{
		const uint32_t *step = t->step[x];
		float	   *cell = t->line[x];

		cell += (size_t) d->row[t->column[0]] * step[0] + (size_t) d->row[t->column[1]] * step[1] + (size_t) d->row[t->column[2]] * step[2];
		*cell -= t->weight;
		cell += ((ptrdiff_t) is - (ptrdiff_t) was) * (ptrdiff_t) step[t->side];
		*cell += t->weight;
	}
}

/* ---- all pairs ---- */

void
pegs_descent_all_pairs(pegs_descent *d)
{
	for (uint32_t i = 0; i < d->ncols; i++)
	{
		pegs_descent_column *c = &d->column[i];

		c->pairs = d->ncols - 1;
		for (uint32_t j = 0; j < d->ncols; j++)
			if (j != i && c->places > 1 && d->column[j].places > 1)
			{
				c->weight += 1;
				c->weight_in[j] += 1;
			}
	}
}

void
pegs_descent_pair(pegs_descent *d, uint32_t a, uint32_t b, const double *excess)
{
	uint32_t	ka = d->column[a].places;
	uint32_t	kb = d->column[b].places;

	for (uint32_t i = 0; i < ka; i++)
		for (uint32_t j = 0; j < kb; j++)
		{
			float		e = (float) excess[(size_t) i * kb + j];

			line_of(d, a, b, j)[i] += e;
			line_of(d, b, a, i)[j] += e;
		}
}

/* ---- one value of one row ---- */

/* Lines of the row at hand in all narrow columns, in the order of the columns that they belong to. */
static void
sum_narrow(const pegs_descent *d)
{
	for (uint32_t p = 0; p < d->stride; p += AT_ONCE)
	{
		const float *from = d->narrow + p;
		lanes	   *to = (lanes *) (d->sum + p);
		lanes		s0 = {0};
		lanes		s1 = {0};
		lanes		s2 = {0};
		lanes		s3 = {0};

		for (uint32_t j = 0; j < d->ncols; j++)
		{
			const lanes *x = (const lanes *) (from + (size_t) d->at[j] * d->stride);

			s0 += x[0];
			s1 += x[1];
			s2 += x[2];
			s3 += x[3];
		}
		to[0] = s0;
		to[1] = s1;
		to[2] = s2;
		to[3] = s3;
	}
}

/* The line of a value, for the narrow columns that come after its own: added, or taken away. */
static void
change_sum(const pegs_descent *d, uint32_t number, uint32_t place, float what)
{
	const pegs_descent_column *c = &d->column[number];
	const float *x = d->narrow + (size_t) (c->before + place) * d->stride;

	for (uint32_t p = is_narrow(c) ? c->offset + c->room : 0; p < d->stride; p += LANES)
		*(lanes *) (d->sum + p) += what * *(const lanes *) (x + p);
}

/* A row goes from one class of a table's side x to another, and has class `at` of the other side. */
static void
move_in_table(pegs_descent *d, const pegs_excess *t, int x, uint32_t was, uint32_t is, uint32_t at)
{
	add_excess(d, t, x, was, at, -t->weight);
	add_excess(d, t, x, is, at, t->weight);
	add_excess(d, t, 1 - x, at, was, -t->weight);
	add_excess(d, t, 1 - x, at, is, t->weight);
}

/* A row goes from one place of a column to another. */
static void
move_in_places(const pegs_descent *d, uint32_t number, uint32_t from, uint32_t to)
{
	const float *weight = d->column[number].weight_in;

	for (uint32_t j = 0; j < d->ncols; j++)
		if (weight[j] > 0)
		{
			uint32_t	place = d->at[j] - d->column[j].before;
			float	   *line = line_of(d, number, j, place);

			line[from] -= weight[j];
			line[to] += weight[j];
			line_of(d, j, number, from)[place] -= weight[j];
			line_of(d, j, number, to)[place] += weight[j];
		}
}

static void
move(pegs_descent *d, uint32_t number, uint32_t old, uint32_t new)
{
	pegs_descent_column *c = &d->column[number];
	uint32_t	from = c->place_of[old];
	uint32_t	to = c->place_of[new];
	float		before = c->excess[new];

	c->excess[old] -= 1;
	c->excess[new] += 1;
	if (c->least)
		move_least(c, old, new, before);
	if (d->narrow)
		change_sum(d, number, from, -1);
	for (uint32_t q = 0; q < c->nblocks; q++)
	{
		const pegs_excess *t = &d->table[c->table[q]];
		int			x = t->column[0] == number ? 0 : 1;
		uint32_t	was = t->class_of[x][old];
		uint32_t	is = t->class_of[x][new];

		if (was != is)
			move_in_table(d, t, x, was, is, t->class_of[1 - x][d->row[t->column[1 - x]]]);
	}
	if (c->weight_in && from != to)
		move_in_places(d, number, from, to);
	for (uint32_t q = 0; q < c->nseen3; q++)
		move_in_triple(d, &c->seen3[q], old, new);
	if (d->narrow)
		change_sum(d, number, to, 1);
	d->row[number] = (uint16_t) new;
	d->at[number] = c->before + to;
}

/* ---- what a value would cost ---- */

static void
ask_whether_to_stop(pegs_descent *d)
{
	if (d->since < LOOKS_AT_ONCE)
		return;
	d->env->check(d->env->context);
	d->since = 0;
}

/* Within a class nothing changes in a table: the old row, which is gone, was counted there. */
static void
same_classes(const pegs_descent *d, uint32_t number, uint32_t level, float *line)
{
	const pegs_descent_column *c = &d->column[number];

	for (uint32_t q = 0; q < c->ntables; q++)
	{
		const pegs_excess *t = &d->table[c->table[q]];
		int			x = t->column[0] == number ? 0 : 1;

		change_places(line, t->start[x], t->class_of[x][level], -t->weight);
	}
	for (uint32_t q = 0; q < c->nseen3; q++)
		line[level] -= c->seen3[q].weight;
}

/* Before the first pass, once for each level that a row may come from: where there are not too many. */
static void
get_ready(pegs_descent *d)
{
	const pegs_env *env = d->env;
	uint32_t	widest = 1;
	size_t		room = OWN_MOST;

	for (uint32_t i = 0; i < d->ncols; i++)
	{
		pegs_descent_column *c = &d->column[i];
		size_t		size = (size_t) c->levels * c->room;

		if (c->room > widest)
			widest = c->room;
		if (c->places < c->levels || c->levels < 2 || size > room)
			continue;
		room -= size;
		c->own = env->alloc(env->context, sizeof(float) * size);
		for (uint32_t l = 0; l < c->levels; l++)
		{
			float	   *line = c->own + (size_t) l * c->room;

			env->check(env->context);
			same_classes(d, i, l, line);
			line[l] = INFINITY;
			for (uint32_t p = c->levels; p < c->room; p++)
				line[p] = INFINITY;
		}
	}
	d->cost = env->alloc(env->context, sizeof(float) * widest);
}

static inline float
one_line(const float **line, uint32_t *at, const float *x, uint32_t place)
{
	line[(*at)++] = x;
	return x[place];
}

static inline const float *
line_seen(const pegs_descent *d, const pegs_seen *v, uint32_t room)
{
	return v->line + (size_t) v->line_of[d->row[v->other]] * room;
}

/* The lines of the row at hand; what the place that it has costs in them. Two sums, as one waits for itself: in turns, and kept in registers. */
static float
find_lines(const pegs_descent *d, uint32_t number, uint32_t place, uint32_t *n)
{
	const pegs_descent_column *c = &d->column[number];
	const float **line = d->line;
	float		even = 0;
	float		odd = 0;
	uint32_t	at = 0;

	if (c->own_lines > 0)
	{
		line[at++] = d->sum + c->offset;
		even = d->sum[c->offset + place];
	}
	for (uint32_t j = 0; c->lines && c->own_lines == 0 && j < d->ncols; j += 2)
	{
		if (j != number)
			even += one_line(line, &at, c->lines + (size_t) (d->at[j] - (j > number ? c->places : 0)) * c->room, place);
		if (j + 1 < d->ncols && j + 1 != number)
			odd += one_line(line, &at, c->lines + (size_t) (d->at[j + 1] - (j + 1 > number ? c->places : 0)) * c->room, place);
	}
	for (uint32_t q = 0; q < c->nseen; q += 2)
	{
		even += one_line(line, &at, line_seen(d, &c->seen[q], c->room), place);
		if (q + 1 < c->nseen)
			odd += one_line(line, &at, line_seen(d, &c->seen[q + 1], c->room), place);
	}
	for (uint32_t q = 0; q < c->nseen3; q += 2)
	{
		even += one_line(line, &at, line_of_three(d, &c->seen3[q]), place);
		if (q + 1 < c->nseen3)
			odd += one_line(line, &at, line_of_three(d, &c->seen3[q + 1]), place);
	}
	*n = at;
	return even + odd;
}

/* What each place would cost, beginning with a line of its own or none; the least of it. */
static float
add_lines(const pegs_descent *d, uint32_t room, uint32_t n, const float *own)
{
	lanes		least = {INFINITY, INFINITY, INFINITY, INFINITY};

	for (uint32_t p = 0; p < room; p += LANES)
	{
		lanes		sum = {0};
		lane_bits	less;

		if (own)
			sum = *(const lanes *) (own + p);
		for (uint32_t q = 0; q < n; q++)
			sum += *(const lanes *) (d->line[q] + p);
		*(lanes *) (d->cost + p) = sum;
		less = sum < least;
		least = (lanes) (((lane_bits) sum & less) | ((lane_bits) least & ~less));
	}
	return fminf(fminf(least[0], least[1]), fminf(least[2], least[3]));
}

/* Both in one, where a line is not longer than a step. */
static bool
few_places(const pegs_descent *d, uint32_t number, uint32_t old, float *least)
{
	const pegs_descent_column *c = &d->column[number];
	lanes		sum = *(const lanes *) c->excess;

	if (c->own_lines > 0)
		sum += *(const lanes *) (d->sum + c->offset);
	for (uint32_t q = 0; q < c->nseen; q++)
	{
		const pegs_seen *v = &c->seen[q];

		sum += *(const lanes *) (v->line + (size_t) v->line_of[d->row[v->other]] * LANES);
	}
	for (uint32_t q = 0; q < c->nseen3; q++)
		sum += *(const lanes *) line_of_three(d, &c->seen3[q]);
	*(lanes *) d->cost = sum;
	*least = d->cost[old] - c->weight - TOO_LITTLE;
	if (d->cost[old] <= 0)
		return false;
	sum += *(const lanes *) (c->own + old * LANES);
	*(lanes *) d->cost = sum;
	return d->cost[0] < *least || d->cost[1] < *least || d->cost[2] < *least || d->cost[3] < *least;
}

/* The same for more of them. False: no level is better, at a glance. */
static bool
many_places(const pegs_descent *d, uint32_t number, uint32_t old, float *least)
{
	const pegs_descent_column *c = &d->column[number];
	uint32_t	place = c->place_of[old];
	uint32_t	n;
	float		base = find_lines(d, number, place, &n) + c->excess[old];

	*least = base - c->weight - TOO_LITTLE;
	if (base <= 0)
		return false;
	if (c->own)
	{
		d->line[n++] = c->excess;
		return add_lines(d, c->room, n, c->own + (size_t) old * c->room) < *least;
	}
	add_lines(d, c->room, n, NULL);
	same_classes(d, number, old, d->cost);
	d->cost[place] -= (float) c->pairs;
	return true;
}

/* May it be? A level may be asked in as many zeros as there are, and a row for all its levels. */
static bool
is_allowed(pegs_descent *d, uint32_t number, uint32_t level)
{
	d->since += d->zeros->n;
	ask_whether_to_stop(d);
	return !pegs_would_be_zero(d->zeros, d->row, number, level);
}

/* The best of some levels that costs less than `least`, or what was best before them. Of one place, but where each level is one. */
static uint32_t
best_level(pegs_descent *d, uint32_t number, uint32_t from, uint32_t to, uint32_t best, float *least)
{
	const pegs_descent_column *c = &d->column[number];
	uint32_t	old = d->row[number];

	for (uint32_t y = from; y < to; y++)
	{
		float		x;

		if (c->least_run && y % PEGS_DESCENT_RUN == 0 && to - y >= PEGS_DESCENT_RUN)
		{
			d->since += PEGS_DESCENT_RUN;
			if (!(d->cost[c->place_of[y]] + c->least_run[y / PEGS_DESCENT_RUN] < *least))
			{
				y += PEGS_DESCENT_RUN - 1;
				continue;
			}
		}
		x = c->own ? d->cost[y] : d->cost[c->place_of[y]] + c->excess[y];
		if (x < *least && y != old && is_allowed(d, number, y))
		{
			*least = x;
			best = y;
		}
	}
	return best;
}

/* Best level for one value of the row at hand; true if it changed. */
static bool
improve(pegs_descent *d, uint32_t number)
{
	const pegs_descent_column *c = &d->column[number];
	uint32_t	old = d->row[number];
	uint32_t	best = old;
	float		least;

	if (!(c->own && c->room == LANES ? few_places(d, number, old, &least) : many_places(d, number, old, &least)))
		return false;
	if (c->least == NULL)
		best = best_level(d, number, 0, c->levels, best, &least);
	else
		for (uint32_t p = 0; p < c->places; p++)
			if (d->cost[p] + c->least[p] < least)
				best = best_level(d, number, c->first[p], c->first[p + 1], best, &least);
	if (best == old)
		return false;
	move(d, number, old, best);
	return true;
}

/* A row to look at; one that comes soon is asked for, as its values lie far apart. */
static void
take_row(const pegs_descent *d, uint32_t i)
{
	uint32_t	r = d->order[i];
	uint32_t	soon = d->order[i + AHEAD < d->n ? i + AHEAD : i];

	for (uint32_t c = 0; c < d->ncols; c++)
	{
		__builtin_prefetch(&d->codes[c][soon], 1);
		d->row[c] = d->codes[c][r];
		d->at[c] = d->column[c].before + d->column[c].place_of[d->row[c]];
	}
}

void
pegs_descent_pass(pegs_descent *d, uint32_t rows)
{
	if (d->cost == NULL)
		get_ready(d);
	for (uint32_t i = 0; i < rows; i++)
	{
		take_row(d, i);
		if (d->narrow)
			sum_narrow(d);
		for (uint32_t c = 0; c < d->ncols; c++)
		{
			const pegs_descent_column *column = &d->column[c];
			uint32_t	r = d->order[i];

			/* a value may weigh 65,535 levels in many tables, and as many zeros */
			ask_whether_to_stop(d);
			d->since += (uint64_t) column->room * (column->nseen + column->nseen3 + column->pairs + 1) + d->zeros->n;
			if (column->levels > 1 && improve(d, c))
			{
				d->codes[c][r] = d->row[c];
				column->place[r] = (uint16_t) (d->at[c] - column->before);
			}
		}
	}
}
