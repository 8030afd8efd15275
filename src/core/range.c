/*
 * range.c
 *	  Edges of bins from two noisy tables.
 *
 * The exact tables are seen by pegs_look_at alone. From the first answer: the
 * cells that stand out of the noise, around the heaviest one. Then a closer look
 * at those (closer.c); or, where only zero stood out, a coarser one at the rest;
 * or, where nothing did, a second one at the same. Then steps that share the
 * cells out evenly, and multiples of those steps. All of this is
 * post-processing, so it may be as crude as it likes. Claim P16.
 */
#include "core/range.h"

#include <math.h>
#include <string.h>

#define FIRST_LOOK 0.5			/* of the cost */
#define POINT_SHARE 0.005		/* of the rows: zero is a level of its own from here on */
#define LONGEST_RUN 16			/* cells: where none stands out, 2, 4, 8 and 16 of them together may */
#define LONGEST_TAIL 4
#define LONGEST_PIECES 64
#define MERGED 4				/* cells are one in a coarser look */
#define LONGEST_STEP (10.0 * PEGS_YEAR)
#define CLOSE 1e-9				/* edges that differ by less than so much of a step are one */

/* What is found on the way. */
typedef struct finding
{
	const pegs_env *env;
	const pegs_grid *grid;
	pegs_cells	cells;
	double	   *rows;			/* of each cell: noisy */
	bool	   *kept;
	bool	   *sure;			/* and not only because they may have rows */
	bool		below;			/* cells of that sign are kept */
	bool		above;
	bool		there;			/* zero is */
	double	   *low;			/* of each cell: what is kept of it is [low, high) */
	double	   *high;
	double		total;			/* of the cells that are to be shared out */
	double		finest;			/* step */
	bool		all_finest;		/* so few values that each has a bin */
	uint32_t	bins;
	double		last;			/* edge */
	pegs_range *range;
} finding;

/* A step between edges: digit 10^power. */
typedef struct step
{
	int64_t		digit;
	int			power;
	double		value;
} step;

/* ---------- which cells ---------- */

static void
begin(const pegs_env *env, const pegs_grid *grid, const double *noisy, const pegs_noise *noise, uint32_t draws, uint32_t bins, pegs_range *range,
	  finding *f)
{
	memset(range, 0, sizeof(*range));
	*f = (finding) {.env = env, .grid = grid, .bins = bins, .range = range};
	pegs_cells_open(noisy, grid->cells, noise, draws, LONGEST_RUN, LONGEST_TAIL, &f->cells);
	f->rows = env->alloc(env->context, sizeof(double) * grid->cells);
	memcpy(f->rows, noisy, sizeof(double) * grid->cells);
	f->kept = env->alloc(env->context, sizeof(bool) * grid->cells);
	f->sure = env->alloc(env->context, sizeof(bool) * grid->cells);
	f->low = env->alloc(env->context, sizeof(double) * grid->cells);
	f->high = env->alloc(env->context, sizeof(double) * grid->cells);
	memcpy(f->low, grid->edge, sizeof(double) * grid->cells);
	memcpy(f->high, grid->edge + 1, sizeof(double) * grid->cells);
}

static bool
keep_around(finding *f, uint32_t from, uint32_t to)
{
	uint32_t	first;
	uint32_t	last;

	if (!pegs_cells_find(&f->cells, from, to, &first, &last))
		return false;
	for (uint32_t i = first; i <= last; i++)
		f->sure[i] = true;
	pegs_cells_go_on(&f->cells, from, to, &first, &last);
	for (uint32_t i = first; i <= last; i++)
		f->kept[i] = true;
	return true;
}

/* Each sign for itself, since what is small on both sides of zero is many cells wide; then zero. */
static void
find_cells(finding *f)
{
	uint32_t	n = f->grid->cells;
	uint32_t	zero = f->grid->zero;

	f->below = keep_around(f, 0, zero);
	f->above = zero < n && keep_around(f, zero + 1, n);
	/* beside other numbers little is lost by a zero that is none */
	f->there = zero < n && (pegs_stands_out(&f->cells, zero) || ((f->below || f->above) && f->rows[zero] > f->cells.perhaps));
}

/* How many rows are to be shared out, and what becomes of zero. */
static void
settle(finding *f)
{
	uint32_t	n = f->grid->cells;
	uint32_t	zero = f->grid->zero;
	bool		others = f->below || f->above;

	for (uint32_t i = 0; i < n; i++)
		if (f->kept[i])
			f->total += fmax(f->rows[i], 0);
	if (f->there)
		f->total += f->rows[zero];
	/* alone, too: numbers with a fraction have a bin beside it, in which it would be lost; whole ones a bin for it */
	f->range->zero_is_point = f->there && (others ? f->rows[zero] >= POINT_SHARE * f->total : f->grid->edge[zero + 1] < 1);
	if (f->range->zero_is_point)
		f->total -= f->rows[zero];
	f->range->found = others || f->there;
	f->range->zero_alone = f->there && !others;
	if (zero == n)
		return;
	/* an edge there: between the signs, at the end of either, or where zeros are rows like others */
	f->kept[zero] = (f->below && f->above) || (f->there && !f->range->zero_is_point)
		|| (!f->range->zero_is_point && f->rows[zero] > f->cells.perhaps && ((zero > 0 && f->kept[zero - 1]) || (zero + 1 < n && f->kept[zero + 1])));
	if (f->range->zero_alone && zero + 1 < n)
		f->kept[zero + 1] = true;
}

/* ---------- steps ---------- */

static step
step_of(int64_t digit, int power)
{
	return (step) {digit, power, (double) digit * pow(10, power)};
}

static bool
closer(const step *a, const step *b, double width)
{
	return fabs(log(a->value / width)) < fabs(log(b->value / width));
}

/* 1, 2 or 5 times a power of ten, or a round part or number of years: the nearest to the width, not below the finest. */
static step
step_near(const finding *f, double width)
{
	static const int thirds[] = {1, 3, 6, 9, 12, 18, 1 * PEGS_YEAR, 2 * PEGS_YEAR, 5 * PEGS_YEAR, 10 * PEGS_YEAR};
	step		best = step_of(1, 0);

	if (f->grid->calendar)
	{
		for (size_t i = 1; i < sizeof(thirds) / sizeof(thirds[0]); i++)
		{
			step		other = step_of(thirds[i], 0);

			if (closer(&other, &best, width))
				best = other;
		}
		return best;
	}
	width = fmax(width, f->finest);
	best = step_of(1, (int) floor(log10(width)));
	for (int i = 0; i < 3; i++)
	{
		step		other = step_of(i == 0 ? 2 : i == 1 ? 5 : 10, best.power);

		if (closer(&other, &best, width))
			best = other;
	}
	if (best.digit == 10)
		best = step_of(1, best.power + 1);
	return best;
}

/* Steps that give this cell its part of the bins: of a number at least one, of years fewer where they are empty. */
static step
step_of_cell(const finding *f, uint32_t cell)
{
	double		width = f->high[cell] - f->low[cell];
	double		parts = f->total > 0 ? f->bins * fmax(f->rows[cell], 0) / f->total : 0;

	if (f->all_finest)
		return step_near(f, f->finest);
	if (f->grid->calendar)
		return step_near(f, parts * LONGEST_STEP > width ? width / parts : LONGEST_STEP);
	return step_near(f, width / fmax(parts, 1));
}

/* Digits that are left after the point, beside those before it of the largest edge. */
static double
finest_step(const finding *f)
{
	int			places = f->grid->places;
	double		largest = 0;

	if (f->grid->calendar)
		return 1;
	for (uint32_t i = 0; i < f->grid->cells; i++)
		if (f->kept[i])
			largest = fmax(largest, fmax(fabs(f->low[i]), fabs(f->high[i])));
	/* a step may carry it up to ten times as far */
	if (f->grid->digits > 0 && largest > 0)
		places = (int) fmin(places, f->grid->digits - 2 - fmax(floor(log10(largest)), 0));
	return pow(10, -places);
}

/* ---------- edges ---------- */

static void
add_edge(finding *f, const step *s, double multiple)
{
	double		value = multiple * s->value;
	pegs_range *r = f->range;

	if (r->nedges > 0 && !(value > f->last + CLOSE * s->value))
		return;
	r->edge[r->nedges++] = (pegs_edge) {(int64_t) multiple * s->digit, s->power};
	f->last = value;
}

/* The multiples of a step in [from, to), or their number alone. */
static uint32_t
add_multiples(finding *f, const step *s, double from, double to, bool count)
{
	double		first = ceil(from / s->value - CLOSE);
	double		end = ceil(to / s->value - CLOSE);

	for (double m = first; m < end && !count; m++)
		add_edge(f, s, m);
	return end > first ? (uint32_t) (end - first) : 0;
}

/* Where a step would end at zero: the 1, 2 or 5 times a power of ten between it and x, x != 0. */
static void
add_short_of_zero(finding *f, double x)
{
	step		s = step_near(f, fabs(x));

	if (s.value > fabs(x) * (1 + CLOSE))
		s = s.digit == 1 ? step_of(5, s.power - 1) : step_of(s.digit / 2, s.power);
	add_edge(f, &s, s.value < f->finest * (1 - CLOSE) ? 0 : x > 0 ? 1 : -1);
}

/* An end of what is kept, on the step or just outside. */
static void
add_end(finding *f, const step *s, double x, bool low)
{
	double		multiple = low ? floor(x / s->value + CLOSE) : ceil(x / s->value - CLOSE);

	if (multiple == 0 && x != 0 && (x > 0) == low)
		add_short_of_zero(f, x);
	else
		add_edge(f, s, multiple);
}

/* Are the steps of the cell beside this one longer, so that its edges do not end this one? Numbers alone: years end with a year. */
static bool
is_coarser(const finding *f, uint32_t cell, const step *s)
{
	return !f->grid->calendar && cell != f->grid->zero && step_of_cell(f, cell).value > s->value * (1 + CLOSE);
}

/* A kept cell: what it begins after a gap or longer steps, its multiples, what ends it before a gap or longer steps. */
static uint32_t
add_cell(finding *f, uint32_t cell, bool count)
{
	double		low = f->low[cell];
	double		high = f->high[cell];
	step		s = step_of_cell(f, cell);
	step		end = f->grid->calendar ? step_of(PEGS_YEAR, 0) : s;
	uint32_t	n;

	if (cell == f->grid->zero)
	{
		if (!count)
			add_edge(f, &(step) {1, 0, f->finest}, 0);
		return 1;
	}
	if (!count && (cell == 0 || !f->kept[cell - 1] || is_coarser(f, cell - 1, &s)))
		add_end(f, &end, low, true);
	n = add_multiples(f, &s, low, high, count);
	if (!count && (cell + 1 == f->grid->cells || !f->kept[cell + 1] || is_coarser(f, cell + 1, &s)))
		add_end(f, &end, high, false);
	return n + 2;
}

/* The cell of a heavy value; false: it is not kept. */
static bool
cell_of(const finding *f, const pegs_heavy *heavy, uint32_t *cell)
{
	for (*cell = 0; *cell < f->grid->cells; (*cell)++)
		if (*cell != f->grid->zero && f->kept[*cell] && heavy->value >= f->low[*cell] && heavy->value < f->high[*cell])
			return true;
	return false;
}

/* Heavy values are levels, and not shared out, and the fewer bins are for the rest; but for those that have a bin to themselves. */
static void
take_heavy(finding *f, const pegs_closer *closer)
{
	pegs_range *range = f->range;
	double		all = f->total;
	uint32_t	cell;

	range->point = f->env->alloc(f->env->context, sizeof(pegs_edge) * (closer->nheavy + 1));
	for (uint32_t h = 0; h < closer->nheavy; h++)
		if (cell_of(f, &closer->heavy[h], &cell))
			f->rows[cell] -= closer->heavy[h].rows;
	f->total = 0;
	for (uint32_t i = 0; i < f->grid->cells; i++)
		f->total += f->kept[i] ? fmax(f->rows[i], 0) : 0;
	if (f->total < all)
		f->bins = (uint32_t) fmax(f->bins * f->total / all, 1);
	for (uint32_t h = 0; h < closer->nheavy; h++)
		if (cell_of(f, &closer->heavy[h], &cell) && step_of_cell(f, cell).value > closer->unit * (1 + CLOSE))
			range->point[range->npoints++] = closer->heavy[h].edge;
}

static void
make_edges(finding *f, const pegs_closer *closer)
{
	uint32_t	room = 0;
	double		length = 0;

	settle(f);
	if (!f->range->found)
		return;
	f->finest = finest_step(f);
	for (uint32_t i = 0; i < f->grid->cells; i++)
		length += f->kept[i] && i != f->grid->zero ? f->high[i] - f->low[i] : 0;
	f->all_finest = !f->grid->calendar && !(f->range->zero_alone && f->range->zero_is_point) && length <= 2 * f->bins * f->finest;
	/* 0 and 1 are bins alike */
	if (f->all_finest && f->range->zero_is_point && f->kept[f->grid->zero + 1] && f->low[f->grid->zero + 1] <= f->finest)
	{
		f->range->zero_is_point = false;
		f->kept[f->grid->zero] = true;
	}
	if (closer && closer->nheavy > 0 && !f->all_finest)
		take_heavy(f, closer);
	for (uint32_t i = 0; i < f->grid->cells; i++)
		room += f->kept[i] ? add_cell(f, i, true) : 0;
	f->range->edge = f->env->alloc(f->env->context, sizeof(pegs_edge) * room);
	for (uint32_t i = 0; i < f->grid->cells; i++)
		if (f->kept[i])
			(void) add_cell(f, i, false);
}

void
pegs_range_find(const pegs_env *env, const pegs_grid *grid, const double *noisy, const pegs_noise *noise, uint32_t bins,
				pegs_range *range)
{
	finding		f;

	begin(env, grid, noisy, noise, 1, bins, range, &f);
	find_cells(&f);
	make_edges(&f, NULL);
}

/* ---------- looks ---------- */

typedef struct looking
{
	const pegs_env *env;
	pegs_accountant *accountant;
	pegs_rng   *rng;
	double		cost;			/* that is left of the column's */
	const pegs_grid *grid;
	int64_t    *exact;			/* of the grid */
	double	   *noisy;
	pegs_noise	noise;			/* of the last look */
} looking;

static bool
look_at(looking *l, double cost, const int64_t *exact, double *noisy, uint32_t n)
{
	pegs_look	look;

	if (!pegs_look_open(l->accountant, PEGS_FOR_ONEWAY, cost, &look))
		return false;
	l->cost -= ldexp((double) look.spent, -PEGS_COST_BITS);
	l->noise = look.noise;
	pegs_look_at(l->accountant, l->rng, &look, exact, noisy, n);
	return true;
}

/* Where zero alone did: the cells beside it, of either sign several as one from zero on. */
static bool
look_beside_zero(looking *l, uint32_t bins, finding *f)
{
	uint32_t	n = l->grid->cells;
	uint32_t	zero = l->grid->zero;
	uint32_t	below = (zero + MERGED - 1) / MERGED;
	uint32_t	above = (n - zero - 1 + MERGED - 1) / MERGED;
	uint32_t   *of = l->env->alloc(l->env->context, sizeof(uint32_t) * n);
	uint32_t   *width = l->env->alloc(l->env->context, sizeof(uint32_t) * (below + above));
	int64_t    *exact = l->env->alloc(l->env->context, sizeof(int64_t) * (below + above));
	double	   *noisy = l->env->alloc(l->env->context, sizeof(double) * (below + above));
	finding		merged;
	pegs_range	none;

	for (uint32_t i = 0; i < n; i++)
	{
		of[i] = i < zero ? below - 1 - (zero - 1 - i) / MERGED : below + (i - zero - 1) / MERGED;
		if (i == zero)
			continue;
		exact[of[i]] += l->exact[i];
		width[of[i]]++;
	}
	if (!look_at(l, l->cost, exact, noisy, below + above))
		return false;
	begin(l->env, &(pegs_grid) {.cells = below + above, .edge = l->grid->edge, .zero = below}, noisy, &l->noise, 1, bins, &none, &merged);
	f->below = keep_around(&merged, 0, below);
	f->above = keep_around(&merged, below, below + above);
	for (uint32_t i = 0; i < n; i++)
		if (i != zero && merged.kept[of[i]])
		{
			f->kept[i] = true;
			f->rows[i] = noisy[of[i]] / width[of[i]];
		}
	make_edges(f, NULL);
	return true;
}

/* Of a sign: what is kept ends where its pieces do, if it ends where the first answer said. */
static void
cut_ends(finding *f, const pegs_closer *closer, const pegs_cells *pieces, const bool *before, uint32_t from, uint32_t to, double rows, double sd)
{
	uint32_t	first = from;
	uint32_t	last = to;
	double		low;
	double		high;

	while (first < to && !f->kept[first])
		first++;
	while (last > first && !f->kept[last - 1])
		last--;
	if (first >= last)
		return;
	pegs_closer_ends(closer, pieces, first, last - 1, rows, sd, &low, &high);
	for (uint32_t i = first; i < last; i++)
	{
		f->low[i] = before[first] ? fmax(f->low[i], low) : f->low[i];
		f->high[i] = before[last - 1] ? fmin(f->high[i], high) : f->high[i];
		f->kept[i] = f->low[i] < f->high[i];
	}
}

/*
 * The same cells again, those that are sure in pieces. Not those that may have
 * rows: in pieces a second answer would say nothing of them, as a whole it
 * doubles what is known.
 */
static bool
look_closer(looking *l, pegs_count_cells count, void *context, finding *f)
{
	const pegs_env *env = l->env;
	uint32_t	n = l->grid->cells;
	uint32_t	bins = f->bins;
	pegs_range *range = f->range;
	const bool *before = f->sure;
	double		sd = pegs_noise_sd(l->accountant, l->cost);
	double		rows = 0;
	double	   *noisy;
	int64_t    *exact;
	pegs_closer closer;
	pegs_cells	pieces;

	for (uint32_t i = 0; i < n; i++)
		rows += f->kept[i] ? fmax(f->rows[i], 0) : 0;
	pegs_closer_grid(env, l->grid, before, rows, sd, &closer);
	exact = env->alloc(env->context, sizeof(int64_t) * closer.grid.cells);
	noisy = env->alloc(env->context, sizeof(double) * closer.grid.cells);
	count(context, &closer.grid, exact);
	if (!look_at(l, l->cost, exact, noisy, closer.grid.cells))
		return false;
	pegs_env_free(env, exact);
	/* of m pieces the sum has m times the variance */
	for (uint32_t i = 0; i < n; i++)
	{
		double		pieces_of_it = closer.first[i + 1] - closer.first[i];
		double		sum = 0;

		for (uint32_t p = closer.first[i]; p < closer.first[i + 1]; p++)
			sum += noisy[p];
		l->noisy[i] = (l->noisy[i] + sum / pieces_of_it) / (1 + 1 / pieces_of_it);
	}
	begin(env, l->grid, l->noisy, &l->noise, 2, bins, range, f);
	find_cells(f);
	if (closer.grid.cells > n)
	{
		pegs_cells_open(noisy, closer.grid.cells, &l->noise, 1, LONGEST_PIECES, LONGEST_PIECES, &pieces);
		cut_ends(f, &closer, &pieces, before, 0, l->grid->zero, rows, sd);
		cut_ends(f, &closer, &pieces, before, l->grid->zero + 1, n, rows, sd);
		pegs_closer_heavy(env, &pieces, before, rows, &closer);
	}
	make_edges(f, &closer);
	return true;
}

bool
pegs_range_learn(const pegs_env *env, pegs_accountant *accountant, pegs_rng *rng, double cost, const pegs_grid *grid,
				 pegs_count_cells count, void *context, uint32_t bins, pegs_range *range)
{
	looking		l = {.env = env, .accountant = accountant, .rng = rng, .cost = cost, .grid = grid};
	bool		once = grid->calendar || !pegs_buys_noise(accountant, (1 - FIRST_LOOK) * cost);
	bool		bought = true;
	finding		f;

	l.exact = env->alloc(env->context, sizeof(int64_t) * grid->cells);
	l.noisy = env->alloc(env->context, sizeof(double) * grid->cells);
	count(context, grid, l.exact);
	if (!look_at(&l, once ? cost : FIRST_LOOK * cost, l.exact, l.noisy, grid->cells))
		return false;
	begin(env, grid, l.noisy, &l.noise, 1, bins, range, &f);
	find_cells(&f);
	if (once)
		make_edges(&f, NULL);
	else if (f.there && !f.below && !f.above)
	{
		/* again, though nothing new is asked: how often rows are read is seen before the charge, and must not follow from an answer */
		memset(l.exact, 0, sizeof(int64_t) * grid->cells);	/* whoever counts may add */
		count(context, grid, l.exact);
		bought = look_beside_zero(&l, bins, &f);
	}
	else
		bought = look_closer(&l, count, context, &f);
	pegs_env_free(env, l.exact);
	return bought;
}
