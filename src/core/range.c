/*
 * range.c
 *	  Edges of bins from one noisy table.
 *
 * The exact table is seen by pegs_look_at alone. From its answer: the cells
 * that stand out of the noise, around the heaviest one; then steps that share
 * them out evenly; then multiples of those steps. All of this is
 * post-processing, so it may be as crude as it likes. Claim P16.
 */
#include "core/range.h"

#include <math.h>
#include <string.h>

#define POINT_SHARE 0.01		/* of the rows: zero is a level of its own from here on */
#define FALSE_CELLS (PEGS_DELTA_UNIT / 1000)	/* empty cells that stand out of the noise by chance, in all, on the average: 0.001 */
#define MAYBE (PEGS_DELTA_UNIT / 50)	/* beside what stands out a cell is kept if noise alone has less in 49 of 50 cases */
#define TAIL_CELLS 3			/* are looked at together */
#define LONGEST_STEP (10.0 * PEGS_YEAR)
#define CLOSE 1e-9				/* edges that differ by less than so much of a step are one */

/* What is found on the way. */
typedef struct finding
{
	const pegs_grid *grid;
	const double *noisy;
	int64_t		least;			/* a cell with more stands out */
	int64_t		maybe;			/* one with more may have rows */
	double		total;			/* of the cells that are to be shared out */
	double		finest;			/* step */
	uint32_t	bins;
	bool	   *kept;
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

static bool
stands_out(const finding *f, uint32_t cell)
{
	return f->noisy[cell] > (double) f->least;
}

/*
 * How many cells further, from the edge `at` up or down to the edge `end`, may
 * have rows: few of them, that have more together than noise alone would. A
 * tail is thin in each of its cells.
 */
static uint32_t
may_have_rows(const finding *f, uint32_t at, uint32_t end, int step)
{
	double		sum = 0;

	for (uint32_t k = 1; k <= TAIL_CELLS && at != end; k++)
	{
		sum += f->noisy[step > 0 ? at : at - 1];
		at = step > 0 ? at + 1 : at - 1;
		if (sum > (double) f->maybe * sqrt(k))
			return k;
	}
	return 0;
}

/*
 * From the first cell of [from, to) that stands out to the last, and on over
 * cells that may have rows; fewer rows than that are not lost, they count in
 * the nearest bin. False: none stands out.
 */
static bool
keep_around(finding *f, uint32_t from, uint32_t to)
{
	uint32_t	first = from;
	uint32_t	last = to;
	uint32_t	more;

	while (first < to && !stands_out(f, first))
		first++;
	if (first == to)
		return false;
	while (!stands_out(f, --last))
		;
	while ((more = may_have_rows(f, first, from, -1)) > 0)
		first -= more;
	while ((more = may_have_rows(f, last + 1, to, 1)) > 0)
		last += more;
	for (uint32_t i = first; i <= last; i++)
		f->kept[i] = true;
	return true;
}

/* Each sign for itself, since what is small on both sides of zero is many cells wide; then zero. */
static void
keep_cells(finding *f)
{
	uint32_t	n = f->grid->cells;
	uint32_t	zero = f->grid->zero;
	bool		below = keep_around(f, 0, zero);
	bool		above = zero < n && keep_around(f, zero + 1, n);
	/* beside other numbers nothing is lost by a zero that is none */
	bool		there = zero < n && (stands_out(f, zero) || ((below || above) && f->noisy[zero] > (double) f->maybe));

	for (uint32_t i = 0; i < n; i++)
		if (f->kept[i])
			f->total += fmax(f->noisy[i], 0);
	if (there)
		f->total += f->noisy[zero];
	f->range->zero_is_point = there && (below || above) && f->noisy[zero] >= POINT_SHARE * f->total;
	if (f->range->zero_is_point)
		f->total -= f->noisy[zero];
	f->range->found = below || above || there;
	f->range->zero_alone = there && !below && !above;
	if (zero == n)
		return;
	/* an edge there: between the signs, at the end of either, or where zeros are rows like others */
	f->kept[zero] = (below && above) || (there && !f->range->zero_is_point)
		|| (!f->range->zero_is_point && f->noisy[zero] > (double) f->maybe && ((zero > 0 && f->kept[zero - 1]) || (zero + 1 < n && f->kept[zero + 1])));
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
	double		width = f->grid->edge[cell + 1] - f->grid->edge[cell];
	double		parts = f->total > 0 ? f->bins * fmax(f->noisy[cell], 0) / f->total : 0;

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
			largest = fmax(largest, fmax(fabs(f->grid->edge[i]), fabs(f->grid->edge[i + 1])));
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
	const double *edge = f->grid->edge;
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
		add_end(f, &end, edge[cell], true);
	n = add_multiples(f, &s, edge[cell], edge[cell + 1], count);
	if (!count && (cell + 1 == f->grid->cells || !f->kept[cell + 1] || is_coarser(f, cell + 1, &s)))
		add_end(f, &end, edge[cell + 1], false);
	return n + 2;
}

void
pegs_range_find(const pegs_env *env, const pegs_grid *grid, const double *noisy, const pegs_noise *noise, uint32_t bins,
				pegs_range *range)
{
	finding		f = {.grid = grid, .noisy = noisy, .bins = bins, .range = range};
	uint32_t	room = 0;

	memset(range, 0, sizeof(*range));
	f.least = pegs_noise_tail(noise, FALSE_CELLS, grid->cells);
	f.maybe = pegs_noise_tail(noise, MAYBE, 1);
	f.kept = env->alloc(env->context, sizeof(bool) * grid->cells);
	keep_cells(&f);
	if (!range->found)
		return;
	f.finest = finest_step(&f);
	for (uint32_t i = 0; i < grid->cells; i++)
		room += f.kept[i] ? add_cell(&f, i, true) : 0;
	range->edge = env->alloc(env->context, sizeof(pegs_edge) * room);
	for (uint32_t i = 0; i < grid->cells; i++)
		if (f.kept[i])
			(void) add_cell(&f, i, false);
	pegs_env_free(env, f.kept);
}

bool
pegs_range_learn(const pegs_env *env, pegs_accountant *accountant, pegs_rng *rng, double cost, const pegs_grid *grid,
				 const int64_t *exact, uint32_t bins, pegs_range *range)
{
	double	   *noisy = env->alloc(env->context, sizeof(double) * grid->cells);
	pegs_look	look;

	if (!pegs_look_open(accountant, PEGS_FOR_ONEWAY, cost, &look))
		return false;
	pegs_look_at(accountant, rng, &look, exact, noisy, grid->cells);
	pegs_range_find(env, grid, noisy, &look.noise, bins, range);
	pegs_env_free(env, noisy);
	return true;
}
