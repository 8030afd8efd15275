/*
 * scale.c
 *	  Levels of a column as places on a scale: for methods that take them so.
 *
 * Bins, numbers, dates and times have an order of their own, enums and
 * booleans that of their type's declaration; of texts nothing is known. NULL
 * is nowhere on it, and has the last place here.
 */
#include "facts/facts.h"
#include "codes/codes.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

bool
pegs_is_on_scale(const PegsColumn *column)
{
	return pegs_type_has_bins(column->type) || column->type == BOOLOID || (OidIsValid(column->type) && get_typtype(column->type) == TYPTYPE_ENUM);
}

typedef struct Place
{
	const PegsColumn *column;
	const char *from;			/* a bin's lower edge, or the value */
	bool		is_bin;
	uint16		level;
} Place;

/* A value on a bin's lower edge is before what is left of the bin. */
static int
compare_places(const void *a, const void *b)
{
	const Place *x = a;
	const Place *y = b;
	int			order;

	CHECK_FOR_INTERRUPTS();
	order = pegs_compare(x->column->type, x->column->typmod, x->from, y->from);
	return order != 0 ? order : (int) x->is_bin - (int) y->is_bin;
}

/* [levels] the place of each; NULL: the declared order is that of the scale, or all that there is. */
uint16 *
pegs_places(const PegsColumn *column, const pegs_env *env)
{
	int			bins = Max(column->nedges - 1, 0);
	int			n = pegs_column_levels(column) - column->nullable;
	uint16	   *places;
	Place	   *place;

	if (!pegs_type_has_bins(column->type) || (bins > 0 && column->npoints == 0))
		return NULL;
	place = palloc(sizeof(Place) * (n + 1));
	for (int i = 0; i < n; i++)
		place[i] = (Place) {column, bins == 0 ? column->labels[i] : i < bins ? column->edges[i] : column->points[i - bins], i < bins, (uint16) i};
	qsort(place, n, sizeof(Place), compare_places);
	places = env->alloc(env->context, sizeof(uint16) * (n + 1));
	for (int i = 0; i < n; i++)
		places[place[i].level] = (uint16) i;
	places[n] = (uint16) n;
	pfree(place);
	return places;
}

/* NaN and infinity are none. */
static double
number_of(const PegsColumn *column, const char *text)
{
	if (column->type != DATEOID && column->type != TIMESTAMPOID && column->type != TIMESTAMPTZOID && strpbrk(text, "nN"))
		return NAN;
	return DatumGetFloat8(DirectFunctionCall1(numeric_float8_no_overflow, pegs_edge_number(column, text)));
}

/* [levels] the number that each is, of a bin its middle; NaN: it is none. NULL: a column of no numbers. */
double *
pegs_level_numbers(const PegsColumn *column, const pegs_env *env)
{
	int			bins = Max(column->nedges - 1, 0);
	int			n = pegs_column_levels(column);
	double	   *numbers;

	if (!pegs_type_has_bins(column->type))
		return NULL;
	numbers = env->alloc(env->context, sizeof(double) * n);
	for (int i = 0; i < n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (i == n - 1 && column->nullable)
			numbers[i] = NAN;
		else if (i < bins)
			numbers[i] = number_of(column, column->edges[i]) / 2 + number_of(column, column->edges[i + 1]) / 2;
		else
			numbers[i] = number_of(column, bins == 0 ? column->labels[i] : column->points[i - bins]);
	}
	return numbers;
}
