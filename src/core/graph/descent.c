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
#define FEW_CELLS 1024			/* of a table, that are counted in four turns */
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
	d->triple = env->alloc(env->context, sizeof(pegs_excess3) * (most_triples + 1));
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

static void
find_least(pegs_descent_column *c, uint32_t place)
{
	float		least = INFINITY;

	for (uint32_t l = c->first[place]; l < c->first[place + 1]; l++)
		least = fminf(least, c->excess[l]);
	c->least[place] = least;
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
	if (c->places == c->levels)
		return;
	c->least = env->alloc(env->context, sizeof(float) * c->places);
	for (uint32_t p = 0; p < c->places; p++)
		find_least(c, p);
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

/* Rows of each cell; of few cells in four turns, as a number that was just written is waited for. */
static uint32_t *
count_classes(const pegs_descent *d, const uint32_t *column, const uint32_t *k, uint16_t *const *class_of)
{
	size_t		cells = (size_t) k[0] * k[1];
	size_t		apart = cells <= FEW_CELLS ? cells : 0;
	const uint16_t *x = d->codes[column[0]];
	const uint16_t *y = d->codes[column[1]];
	uint32_t   *count = d->env->alloc(d->env->context, sizeof(uint32_t) * (cells + 3 * apart));
	uint32_t	r = 0;

	for (; r + 4 <= d->n; r += 4)
		for (uint32_t turn = 0; turn < 4; turn++)
			count[turn * apart + (size_t) class_of[0][x[r + turn]] * k[1] + class_of[1][y[r + turn]]]++;
	for (; r < d->n; r++)
		count[(size_t) class_of[0][x[r]] * k[1] + class_of[1][y[r]]]++;
	for (size_t i = 0; i < apart; i++)
		count[i] += count[apart + i] + count[2 * apart + i] + count[3 * apart + i];
	return count;
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
		t->line[x] = env->alloc(env->context, sizeof(float) * c->room * k[1 - x]);
		for (uint32_t j = 0; j < k[1 - x]; j++)
			for (uint32_t i = 0; i < k[x]; i++)
			{
				size_t		cell = x == 0 ? (size_t) i * k[1] + j : (size_t) j * k[1] + i;
				float		excess = (float) (weight * (count[cell] - d->n * share[cell]));

				for (uint32_t p = t->start[x][i]; p < t->start[x][i + 1]; p++)
					t->line[x][(size_t) j * c->room + p] = excess;
			}
		c->table[c->ntables++] = d->ntables;
		c->weight += t->weight;
	}
	d->ntables++;
	for (int x = 0; x < 2; x++)
		see(d, column[x]);
	pegs_env_free(env, count);
}

/* ---- tables of three columns ---- */

void
pegs_descent_triple(pegs_descent *d, const uint32_t *column, double weight, const double *share)
{
	const pegs_env *env = d->env;
	pegs_excess3 *t = &d->triple[d->ntriples];
	uint32_t	k[3] = {d->column[column[0]].levels, d->column[column[1]].levels, d->column[column[2]].levels};
	uint32_t   *count = env->alloc(env->context, sizeof(uint32_t) * k[0] * k[1] * k[2]);

	env->check(env->context);
	for (uint32_t r = 0; r < d->n; r++)
		count[(d->codes[column[0]][r] * k[1] + d->codes[column[1]][r]) * k[2] + d->codes[column[2]][r]]++;
	t->weight = (float) weight;
	for (uint32_t x = 0; x < 3; x++)
	{
		pegs_descent_column *c = &d->column[column[x]];
		uint32_t	u = x == 0;
		uint32_t	v = x == 2 ? 1 : 2;
		uint32_t	at[3];

		t->column[x] = column[x];
		t->k[x] = k[x];
		t->line[x] = env->alloc(env->context, sizeof(float) * c->room * k[u] * k[v]);
		for (at[0] = 0; at[0] < k[0]; at[0]++)
			for (at[1] = 0; at[1] < k[1]; at[1]++)
				for (at[2] = 0; at[2] < k[2]; at[2]++)
				{
					size_t		cell = (at[0] * k[1] + at[1]) * (size_t) k[2] + at[2];

					t->line[x][(size_t) (at[u] * k[v] + at[v]) * c->room + at[x]] = (float) (weight * (count[cell] - d->n * share[cell]));
				}
		if (c->seen3 == NULL)
			c->seen3 = env->alloc(env->context, sizeof(pegs_seen3) * d->most_triples);
		c->seen3[c->nseen3++] = (pegs_seen3) {.line = t->line[x], .other = {column[u], column[v]}, .k = k[v], .number = d->ntriples, .side = x};
		c->weight += t->weight;
	}
	d->ntriples++;
	pegs_env_free(env, count);
}

/* The line that the row at hand has in such a table. */
static inline const float *
line_of_three(const pegs_descent *d, const pegs_seen3 *v, uint32_t room)
{
	return v->line + (size_t) (d->row[v->other[0]] * v->k + d->row[v->other[1]]) * room;
}

/* The row at hand goes from one level of a column to another. */
static void
move_in_triple(const pegs_descent *d, const pegs_seen3 *seen, uint32_t was, uint32_t is)
{
	const pegs_excess3 *t = &d->triple[seen->number];
	uint32_t	at[3] = {d->row[t->column[0]], d->row[t->column[1]], d->row[t->column[2]]};

	for (int way = 0; way < 2; way++)
	{
		at[seen->side] = way == 0 ? was : is;
		for (uint32_t x = 0; x < 3; x++)
		{
			uint32_t	u = x == 0;
			uint32_t	v = x == 2 ? 1 : 2;

			t->line[x][(size_t) (at[u] * t->k[v] + at[v]) * d->column[t->column[x]].room + at[x]] += way == 0 ? -t->weight : t->weight;
		}
	}
}

/* ---- all pairs, at all places ---- */

/* What a row's value would cost in such columns is added up for all of them at once. */
static bool
is_narrow(const pegs_descent_column *c)
{
	return c->places > 1 && c->room <= NARROW;
}

void
pegs_descent_all_pairs(pegs_descent *d)
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
		c->pairs = d->ncols - 1;
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
		for (uint32_t j = 0; j < d->ncols; j++)
			if (j != i && c->places > 1 && d->column[j].places > 1)
				c->weight += 1;
	}
}

/* The line of a column's places where the other has this one. */
static inline float *
line_of(const pegs_descent *d, uint32_t column, uint32_t other, uint32_t place)
{
	const pegs_descent_column *c = &d->column[column];

	return c->lines + (size_t) (d->column[other].before + place - (other > column ? c->places - c->own_lines : 0)) * c->stride;
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

			line_of(d, a, b, j)[i] = e;
			line_of(d, b, a, i)[j] = e;
		}
}

void
pegs_descent_merge(pegs_descent *d)
{
	for (uint32_t q = 0; q < d->ntables; q++)
	{
		pegs_excess *t = &d->table[q];
		const pegs_descent_column *c[2] = {&d->column[t->column[0]], &d->column[t->column[1]]};

		if (c[0]->places == 1 || c[1]->places == 1 || (uint64_t) c[0]->places * c[1]->places > BLOCK_MOST * (uint64_t) t->k[0] * t->k[1])
			continue;
		d->env->check(d->env->context);
		t->merged = true;
		for (int x = 0; x < 2; x++)
			for (uint32_t j = 0; j < c[1 - x]->places; j++)
			{
				float	   *to = line_of(d, t->column[x], t->column[1 - x], j);
				const float *from = t->line[x] + (size_t) t->class_of[1 - x][c[1 - x]->first[j]] * c[x]->room;

				for (uint32_t i = 0; i < c[x]->places; i++)
					to[i] += from[i];
			}
		for (int x = 0; x < 2; x++)
			pegs_env_free(d->env, t->line[x]);
	}
	for (uint32_t i = 0; i < d->ncols; i++)
		see(d, i);
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

static inline void
change_places(float *line, const uint32_t *start, uint32_t class, float what)
{
	for (uint32_t p = start[class]; p < start[class + 1]; p++)
		line[p] += what;
}

/* A row goes from one class of a table's side x to another, and has class `at` of the other side. */
static void
move_in_table(const pegs_descent *d, const pegs_excess *t, int x, uint32_t was, uint32_t is, uint32_t at)
{
	uint32_t	own = t->column[x];
	uint32_t	other = t->column[1 - x];
	float		w = t->weight;

	if (!t->merged)
	{
		float	   *line = t->line[x] + (size_t) at * d->column[own].room;

		change_places(line, t->start[x], was, -w);
		change_places(line, t->start[x], is, w);
		change_places(t->line[1 - x] + (size_t) was * d->column[other].room, t->start[1 - x], at, -w);
		change_places(t->line[1 - x] + (size_t) is * d->column[other].room, t->start[1 - x], at, w);
		return;
	}
	for (uint32_t p = t->start[1 - x][at]; p < t->start[1 - x][at + 1]; p++)
	{
		float	   *line = line_of(d, own, other, p);

		change_places(line, t->start[x], was, -w);
		change_places(line, t->start[x], is, w);
	}
	for (uint32_t p = t->start[x][was]; p < t->start[x][was + 1]; p++)
		change_places(line_of(d, other, own, p), t->start[1 - x], at, -w);
	for (uint32_t p = t->start[x][is]; p < t->start[x][is + 1]; p++)
		change_places(line_of(d, other, own, p), t->start[1 - x], at, w);
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
	{
		c->least[from] = fminf(c->least[from], c->excess[old]);
		if (before <= c->least[to])
			find_least(c, to);
	}
	if (d->narrow)
		change_sum(d, number, from, -1);
	for (uint32_t q = 0; q < c->ntables; q++)
	{
		const pegs_excess *t = &d->table[c->table[q]];
		int			x = t->column[0] == number ? 0 : 1;
		uint32_t	was = t->class_of[x][old];
		uint32_t	is = t->class_of[x][new];

		if (was != is)
			move_in_table(d, t, x, was, is, t->class_of[1 - x][d->row[t->column[1 - x]]]);
	}
	for (uint32_t j = 0; c->lines && from != to && j < d->ncols; j++)
		if (j != number && d->column[j].places > 1)
		{
			uint32_t	place = d->at[j] - d->column[j].before;
			float	   *line = line_of(d, number, j, place);

			line[from] -= 1;
			line[to] += 1;
			line_of(d, j, number, from)[place] -= 1;
			line_of(d, j, number, to)[place] += 1;
		}
	for (uint32_t q = 0; q < c->nseen3; q++)
		move_in_triple(d, &c->seen3[q], old, new);
	if (d->narrow)
		change_sum(d, number, to, 1);
	d->row[number] = (uint16_t) new;
	d->at[number] = c->before + to;
}

/* ---- what a value would cost ---- */

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
		line[level] -= d->triple[c->seen3[q].number].weight;
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
		even += one_line(line, &at, line_of_three(d, &c->seen3[q], c->room), place);
		if (q + 1 < c->nseen3)
			odd += one_line(line, &at, line_of_three(d, &c->seen3[q + 1], c->room), place);
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
		sum += *(const lanes *) line_of_three(d, &c->seen3[q], LANES);
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

/* The best of some levels that costs less than `least`, or what was best before them. */
static uint32_t
best_level(const pegs_descent *d, uint32_t number, uint32_t from, uint32_t to, uint32_t best, float *least)
{
	const pegs_descent_column *c = &d->column[number];
	uint32_t	old = d->row[number];

	for (uint32_t y = from; y < to; y++)
	{
		float		x = c->own ? d->cost[y] : d->cost[c->place_of[y]] + c->excess[y];

		if (x < *least && y != old && !pegs_would_be_zero(d->zeros, d->row, number, y))
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

			/* a value may weigh 65,535 levels in many tables, and as many zeros */
			if (d->since >= LOOKS_AT_ONCE)
			{
				d->env->check(d->env->context);
				d->since = 0;
			}
			d->since += (uint64_t) column->room * (column->nseen + column->nseen3 + column->pairs + 1) + d->zeros->n;
			if (column->levels > 1 && improve(d, c))
				d->codes[c][d->order[i]] = d->row[c];
		}
	}
}
