/*
 * inside.c
 *	  A value inside a bin, drawn uniformly, or by the slope of a model that is
 *	  sloped.
 *
 * Which values there are says numbered.c; how steep a bin is, core/slope.h, by
 * released shares alone: Claim P8. Everything that can fail is in
 * pegs_inside. A release keeps nothing of its values but a key: what is drawn
 * here for a given model may not change.
 */
#include "codes/inside.h"


/* ---- slopes ---- */

static void
find_slopes(PegsInside *inside)
{
	int			n = inside->column->nedges - 1;
	pegs_slope_bin *shape = palloc(sizeof(pegs_slope_bin) * n);
	pegs_slope *slope = palloc(sizeof(pegs_slope) * n);

	for (int i = 0; i < n; i++)
	{
		const PegsBin *bin = &inside->bin[i];

		shape[i].share = inside->column->shares[i];
		if (inside->dense)
			shape[i].width = shape[i].size = bin->to - bin->from;
		else
		{
			shape[i].size = bin->count == 0 ? 0x1p64 : (double) bin->count;
			shape[i].width = shape[i].size + bin->npoints;
		}
	}
	pegs_slopes(n, shape, slope);
	for (int i = 0; i < n; i++)
		inside->bin[i].slope = slope[i];
	pfree(shape);
	pfree(slope);
}

PegsInside *
pegs_inside(const PegsColumn *column, const Datum *points)
{
	PegsInside *inside = palloc0(sizeof(PegsInside));
	PegsStep		step;

	if (column->step && !pegs_read_step(column, &step))
		elog(ERROR, "the step of column \"%s\" is none", column->name);
	inside->column = column;
	inside->bin = palloc0(sizeof(PegsBin) * (column->nedges - 1));
	inside->dense = pegs_is_float(column->type) && column->step == NULL;
	pegs_number_values(inside, column->step ? &step : NULL, points);
	if (column->shares)
		find_slopes(inside);
	return inside;
}

/* ---- drawing ---- */

static float8
draw_float(const PegsInside *inside, const PegsBin *bin, pegs_rng *values)
{
	float8		u = pegs_slope_part(&bin->slope, pegs_rng_double(values));
	float8		x = bin->from * (1 - u) + bin->to * u;

	if (inside->column->type == FLOAT4OID)
		x = (float4) x;
	if (x < bin->from || x >= bin->to)
		x = bin->from;
	while (pegs_is_gap(inside, bin, x))
	{
		x = pegs_float_after(inside, x);
		if (x >= bin->to)
			x = bin->from;
	}
	return x;
}

static int64
draw_number(const PegsInside *inside, const PegsBin *bin, pegs_rng *values)
{
	uint64		place;			/* among the values that are no points */
	int			low = 0;
	int			high = bin->npoints;

	if (bin->slope.steepness == 0)
		place = bin->count ? pegs_rng_below(values, bin->count) : pegs_rng_u64(values);
	else
	{
		/* below 2^64: a part is at most 1 - 2^-53 */
		place = (uint64) (pegs_slope_part(&bin->slope, pegs_rng_double(values)) * (bin->count ? (double) bin->count : 0x1p64));
		if (bin->count && place >= bin->count)
			place = bin->count - 1;
	}
	/* points that are passed over: those with no more values before them */
	while (low < high)
	{
		int			middle = (low + high) / 2;

		if ((uint64) inside->point[bin->first_point + middle] - (uint64) bin->low - middle <= place)
			low = middle + 1;
		else
			high = middle;
	}
	return (int64) ((uint64) bin->low + place + low);
}

Datum
pegs_draw_inside(const PegsInside *inside, int number, pegs_rng *values)
{
	const PegsBin *bin = &inside->bin[number];
	Oid			type = inside->column->type;
	int64		x;

	if (pegs_is_float(type))
	{
		float8		f = inside->dense ? draw_float(inside, bin, values) : pegs_float_of(inside, draw_number(inside, bin, values));

		return type == FLOAT4OID ? Float4GetDatum((float4) f) : Float8GetDatum(f);
	}
	x = inside->origin + draw_number(inside, bin, values) * inside->unit;
	switch (type)
	{
		case INT2OID:
			return Int16GetDatum((int16) x);
		case INT4OID:
			return Int32GetDatum((int32) x);
		case INT8OID:
			return Int64GetDatum(x);
		case DATEOID:
			return DateADTGetDatum((DateADT) x);
		case NUMERICOID:
			return NumericGetDatum(int64_div_fast_to_numeric(x, inside->scale));
		default:
			return TimestampGetDatum(x);
	}
}
