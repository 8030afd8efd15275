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

#include "miscadmin.h"
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
