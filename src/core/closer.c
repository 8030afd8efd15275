/*
 * closer.c
 *	  A second look at a column, as far as the first one says where.
 *
 * The first look's cells are powers of two: years from 2005 to 2009 are found
 * as 1024 to 2047, grades from 1 to 4 as 1 to 7. So those with rows are looked
 * at in pieces of one width, that of single values where they are few or where
 * they have two digits after the point, as prices have; all others as they
 * were, so that two answers tell of them. The pieces are a function of the first
 * answer alone, and what is said of both is a function of both. Claim P16.
 */
#include "core/closer.h"

#include <math.h>

#define MAX_PIECES 64			/* of more than one value each */
#define MAX_VALUES 256			/* single values */
#define MAX_PRICES 4096		/* and hundredths, which are heavy or nothing */
#define STRONG 16.0				/* rows, in standard deviations: heavy hundredths would be seen */
#define PRICE_PLACES 2
#define LOST 0.05				/* of the rows, by one standard deviation of the noise: may lie outside of what is kept */
#define HEAVY_SHARE 0.02		/* of the rows */
#define HEAVIER 3.0				/* than the values beside it */
#define MAX_HEAVY 32
#define CLOSE 1e-9

/* 1, 2 or 5 times a power of ten, the least that is not below the width. */
static pegs_edge
round_up(double width)
{
	int			power = (int) floor(log10(width) + CLOSE);
	double		digit = width / pow(10, power) * (1 - CLOSE);

	if (digit > 5)
		return (pegs_edge) {1, power + 1};
	return (pegs_edge) {digit > 2 ? 5 : digit > 1 ? 2 : 1, power};
}

/* Into what pieces: of width zero, none. */
static pegs_edge
piece_of(const pegs_grid *grid, const bool *kept, double rows, double sd, bool *single)
{
	int			places = grid->places < PRICE_PLACES ? grid->places : PRICE_PLACES;
	double		unit = pow(10, -places);
	double		length = 0;
	double		strength = rows / sd;
	double		most = floor(strength * strength / 4);	/* all of them together are known to one half */

	for (uint32_t i = 0; i < grid->cells; i++)
		if (kept[i] && i != grid->zero)
			length += grid->edge[i + 1] - grid->edge[i];
	*single = length / unit <= fmin(most, MAX_VALUES) || (places > 0 && strength >= STRONG && length / unit <= MAX_PRICES);
	if (*single)
		return (pegs_edge) {1, -places};
	return most < 2 ? (pegs_edge) {0, 0} : round_up(fmax(length / fmin(most, MAX_PIECES), unit));
}

void
pegs_closer_grid(const pegs_env *env, const pegs_grid *grid, const bool *kept, double rows, double sd, pegs_closer *closer)
{
	bool		single;
	const pegs_edge step = piece_of(grid, kept, rows, sd, &single);
	double		width = (double) step.number * pow(10, step.power);
	uint32_t	room = grid->cells + 1;
	uint32_t	n = 0;
	double	   *edge;
	int32_t    *own;
	pegs_edge  *between;
	uint32_t   *first = env->alloc(env->context, sizeof(uint32_t) * (grid->cells + 1));

	for (uint32_t i = 0; i < grid->cells && width > 0; i++)
		if (kept[i] && i != grid->zero)
			room += (uint32_t) ceil((grid->edge[i + 1] - grid->edge[i]) / width) + 1;
	edge = env->alloc(env->context, sizeof(double) * room);
	own = env->alloc(env->context, sizeof(int32_t) * room);
	between = env->alloc(env->context, sizeof(pegs_edge) * room);
	for (uint32_t i = 0; i <= grid->cells; i++)
	{
		first[i] = n;
		edge[n] = grid->edge[i];
		own[n++] = (int32_t) i;
		if (i == grid->cells || i == grid->zero || !kept[i] || width == 0)
			continue;
		for (double m = floor(grid->edge[i] / width + CLOSE) + 1; m * width < grid->edge[i + 1] - CLOSE * width; m++)
		{
			edge[n] = m * width;
			between[n] = (pegs_edge) {(int64_t) m * step.number, step.power};
			own[n++] = -1;
		}
	}
	*closer = (pegs_closer) {.grid = *grid, .first = first, .unit = single ? width : 0};
	closer->grid.cells = n - 1;
	closer->grid.edge = edge;
	closer->grid.zero = grid->zero < grid->cells ? first[grid->zero] : n - 1;
	closer->grid.own = own;
	closer->grid.between = between;
}

/* The rest outside has so few rows that they may count in the nearest bin. */
static bool
may_go(const pegs_cells *pieces, uint32_t from, uint32_t to, double rows, double sd)
{
	double		sum = sd * sqrt(to - from);

	for (uint32_t i = from; i < to; i++)
		sum += pieces->noisy[i];
	return sum <= LOST * rows;
}

void
pegs_closer_ends(const pegs_closer *closer, const pegs_cells *pieces, uint32_t from, uint32_t last, double rows, double sd,
				 double *low, double *high)
{
	uint32_t	begin = closer->first[from];
	uint32_t	end = closer->first[last + 1];
	uint32_t	first;
	uint32_t	final;

	*low = closer->grid.edge[begin];
	*high = closer->grid.edge[end];
	if (!pegs_cells_find(pieces, begin, end, &first, &final))
		return;
	pegs_cells_go_on(pieces, begin, end, &first, &final);
	if (may_go(pieces, begin, first, rows, sd))
		*low = closer->grid.edge[first];
	if (may_go(pieces, final + 1, end, rows, sd))
		*high = closer->grid.edge[final + 1];
}

/* The single value of a piece; false: it has more than one. */
static bool
value_of(const pegs_closer *closer, uint32_t piece, pegs_edge *value)
{
	const pegs_grid *grid = &closer->grid;
	double		multiple = grid->edge[piece] / closer->unit;

	if (fabs(multiple - nearbyint(multiple)) > CLOSE || fabs(grid->edge[piece + 1] - grid->edge[piece] - closer->unit) > CLOSE * closer->unit)
		return false;
	*value = (pegs_edge) {(int64_t) nearbyint(multiple), (int) lround(log10(closer->unit))};
	return value->number != 0;
}

void
pegs_closer_heavy(const pegs_env *env, const pegs_cells *pieces, const bool *kept, double rows, pegs_closer *closer)
{
	const double *noisy = pieces->noisy;

	closer->heavy = env->alloc(env->context, sizeof(pegs_heavy) * MAX_HEAVY);
	for (uint32_t c = 0; closer->unit > 0 && closer->first[c] < closer->grid.cells; c++)
		for (uint32_t i = closer->first[c]; kept[c] && i < closer->first[c + 1] && closer->nheavy < MAX_HEAVY; i++)
		{
			double		beside = fmax(i > 0 ? noisy[i - 1] : 0, i + 1 < closer->grid.cells ? noisy[i + 1] : 0);
			pegs_heavy *heavy = &closer->heavy[closer->nheavy];

			if (!pegs_stands_out(pieces, i) || noisy[i] < HEAVY_SHARE * rows || noisy[i] < HEAVIER * beside || !value_of(closer, i, &heavy->edge))
				continue;
			heavy->value = closer->grid.edge[i];
			heavy->rows = noisy[i];
			closer->nheavy++;
		}
}
