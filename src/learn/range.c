/*
 * range.c
 *	  Bins of a column that are learnt: where its values lie, by two noisy tables,
 *	  the first over cells that are the same for every column of the type.
 *
 * The cells are declared to the reader as bins, so that rows are read, and a
 * person's rows chosen, as in a fit: what is in no cell, and NULL, is left out
 * by its own value alone. Claim P16, docs/privacy.md.
 */
#include "learn/learn.h"

#include "utils/builtins.h"
#include "utils/guc.h"

#include "core/range.h"

#define MAX_BINS 10000
#define FIRST_YEAR 1800
#define LAST_YEAR 2200

/* Numbers with a fraction: powers of two of a millionth, up to 1.2e18; what is closer to zero than TINY is zero. */
#define MILLIONTH_POWERS 80
#define TINY "1e-30"

#define MAX_EDGES 512
StaticAssertDecl(LAST_YEAR - FIRST_YEAR + 1 <= MAX_EDGES && 2 * MILLIONTH_POWERS + 5 <= MAX_EDGES, "room for every grid");

/* The cells twice: as texts for the reader, as numbers for what is made of them. */
typedef struct Cells
{
	pegs_grid	grid;
	double		edge[MAX_EDGES];
	char	   *text[MAX_EDGES];
	int			nedges;
	double		limit;			/* edges that are learnt beyond this, or minus this, are ... */
	const char *high;			/* ... the type's own; NULL: there are none */
	const char *low;
} Cells;

static void
add_edge(Cells *cells, double value, char *text)
{
	cells->edge[cells->nedges] = value;
	cells->text[cells->nedges++] = text;
}

/* ---- cells ---- */

/* 0, and [2^k, 2^(k+1)) of both signs, up to the ends of the type. */
static void
whole_cells(Cells *cells, int bits, const char *low, const char *high)
{
	cells->limit = ldexp(1, bits);
	cells->low = low;
	cells->high = high;
	add_edge(cells, -cells->limit, pstrdup(low));
	for (int k = bits - 1; k >= 0; k--)
		add_edge(cells, -ldexp(1, k), psprintf("-" INT64_FORMAT, INT64CONST(1) << k));
	cells->grid.zero = cells->nedges;
	add_edge(cells, 0, pstrdup("0"));
	for (int k = 0; k < bits; k++)
		add_edge(cells, ldexp(1, k), psprintf(INT64_FORMAT, INT64CONST(1) << k));
	add_edge(cells, cells->limit, pstrdup(high));
}

/* 2^k millionths, all digits. */
static char *
millionths(int k, bool negative)
{
	pegs_u128	n = (pegs_u128) 1 << k;
	char		digits[48];
	char	   *p = digits + sizeof(digits);

	*--p = '\0';
	for (int i = 0; i < 7 || n > 0; i++)
	{
		if (i == 6)
			*--p = '.';
		*--p = '0' + (int) (n % 10);
		n /= 10;
	}
	return psprintf("%s%s", negative ? "-" : "", p);
}

static void
fraction_cells(Cells *cells)
{
	for (int k = MILLIONTH_POWERS; k >= 0; k--)
		add_edge(cells, -ldexp(1e-6, k), millionths(k, true));
	cells->grid.zero = cells->nedges;
	add_edge(cells, 0, pstrdup("0"));
	add_edge(cells, 1e-30, pstrdup(TINY));
	for (int k = 0; k <= MILLIONTH_POWERS; k++)
		add_edge(cells, ldexp(1e-6, k), millionths(k, false));
	cells->grid.places = 15;
}

/* Bins of a numeric have at most 18 digits (decode.c): those of its type, or at least two after the point. */
static void
numeric_cells(Cells *cells, const PegsColumn *column)
{
	int			precision = 18;
	int			scale = 2;

	fraction_cells(cells);
	cells->grid.digits = 18;
	if (column->typmod >= (int32) VARHDRSZ)
	{
		precision = pegs_digits_of(column->typmod);
		scale = pegs_scale_of(column->typmod);
		if (pegs_beyond_bins(column))
			ereport(ERROR,
					(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					 errmsg("column \"%s\" cannot have bins: %s", column->name, pegs_beyond_bins(column)),
					 errdetail("Edges of bins have at most 18 digits."),
					 errhint("Use a view that rounds it: round(%s, 2)::numeric(18, 2).", quote_identifier(column->name))));
		cells->grid.places = scale;
		cells->grid.digits = 0;
	}
	precision = Min(precision, 18 + Min(scale, 0));
	cells->high = pegs_largest_numeric(precision, scale);
	cells->low = psprintf("-%s", cells->high);
	cells->limit = strtod(cells->high, NULL);
}

/* Years; the time zone of timestamps is UTC, as in all that is declared. */
static void
year_cells(Cells *cells)
{
	for (int year = FIRST_YEAR; year <= LAST_YEAR; year++)
		add_edge(cells, year * PEGS_YEAR, psprintf("%d-01-01", year));
	cells->grid.zero = cells->nedges - 1;
	cells->grid.calendar = true;
}

static void
make_cells(Cells *cells, const PegsColumn *column)
{
	switch (column->type)
	{
		case INT2OID:
			whole_cells(cells, 15, "-32768", "32767");
			break;
		case INT4OID:
			whole_cells(cells, 31, "-2147483648", "2147483647");
			break;
		case INT8OID:
			whole_cells(cells, 63, "-9223372036854775808", "9223372036854775807");
			break;
		case NUMERICOID:
			numeric_cells(cells, column);
			break;
		case FLOAT4OID:
		case FLOAT8OID:
			fraction_cells(cells);
			break;
		default:
			year_cells(cells);
			break;
	}
	cells->grid.cells = cells->nedges - 1;
	cells->grid.edge = cells->edge;
}

/* ---- from rows to numbers ---- */

static char *
edge_text(const Cells *cells, const pegs_edge *edge)
{
	if (cells->grid.calendar)
		return psprintf("%d-%02d-%02d", (int) (edge->number / PEGS_YEAR), (int) (edge->number % PEGS_YEAR / 3) + 1,
						(int) (edge->number % 3) * 10 + 1);
	return DatumGetCString(DirectFunctionCall1(numeric_out, DirectFunctionCall3(numeric_in,
						   CStringGetDatum(psprintf(INT64_FORMAT "e%d", (int64) edge->number, edge->power)),
						   ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1))));
}

/* As the column can have it. */
static char *
last_text(const Cells *cells, const pegs_edge *edge)
{
	double		value = (double) edge->number * pow(10, edge->power);

	if (cells->high && value >= cells->limit)
		return pstrdup(cells->high);
	if (cells->low && value <= -cells->limit)
		return pstrdup(cells->low);
	return edge_text(cells, edge);
}

/* The first look has the type's own edges; a second one others between them, also beyond what the column can have: they rise. */
static char *
edge_of_grid(const Cells *cells, const pegs_grid *grid, int i)
{
	if (grid->own == NULL)
		return cells->text[i];
	return grid->own[i] >= 0 ? cells->text[grid->own[i]] : edge_text(cells, &grid->between[i]);
}

typedef struct Counting
{
	PegsLearning *learning;
	const PegsLearnt *learnt;
	const Cells *cells;
} Counting;

/* The rows in each cell, as a fit counts them: the cells are its bins, all else is left out. */
static void
count_cells(void *context, const pegs_grid *grid, int64_t *exact)
{
	const Counting *counting = context;
	PegsLearning *learning = counting->learning;
	const Cells *cells = counting->cells;
	PegsDomain *domain = palloc0(sizeof(PegsDomain));
	PegsColumn *column = palloc0(sizeof(PegsColumn));
	PegsCounter *counter;

	*column = counting->learnt->column;
	column->typmod = -1;		/* edges finer than the column's values do no harm */
	column->nullable = false;
	column->drop = true;
	column->nedges = (int) grid->cells + 1;
	column->edges = palloc(sizeof(char *) * column->nedges);
	for (int i = 0; i < column->nedges; i++)
		column->edges[i] = pegs_canonical(column->type, -1, edge_of_grid(cells, grid, i));
	domain->ncols = 1;
	domain->column = column;
	counter = pegs_counter(pegs_spec_make(domain, NULL, 0), pegs_uncharged_context(learning->uncharged), true);
	counter->by_row = "cells of a range are counted";
	counter->progress = &learning->env;
	learning->reading = true;
	pegs_counter_scan(counter, learning->source);
	learning->reading = false;
	for (uint32_t i = 0; i < grid->cells; i++)
		exact[i] = (int64_t) counter->cells[i];
	explicit_bzero(counter->cells, sizeof(uint64_t) * grid->cells);
}

/* ---- from numbers to edges ---- */

/* One whole number, and points beside it: levels. Another is so rare that its row may be left out. */
static void
take_one_value(PegsDeclaration *declared)
{
	declared->levels = palloc(sizeof(char *) * (declared->npoints + 1));
	memcpy(declared->levels, declared->points, sizeof(char *) * declared->npoints);
	declared->nlevels = declared->npoints;
	declared->levels[declared->nlevels++] = declared->edges[0];
	declared->nedges = 0;
	declared->npoints = 0;
	declared->nearest = false;
	declared->drop = true;
}

/*
 * The last bin is closed, but of whole numbers the last edge is the first one
 * that is not meant: it goes, or is told apart from those that are.
 */
static void
end_before_last_edge(PegsDeclaration *declared, const char *high)
{
	int			n = declared->nedges;
	int64		last;

	if (n < 2 || strcmp(declared->edges[n - 1], high) == 0)	/* there is none above the type's own end */
		return;
	last = pegs_whole_edge(declared->edges[n - 1]);
	if (last - 1 > pegs_whole_edge(declared->edges[n - 2]))
		declared->edges[n - 1] = psprintf(INT64_FORMAT, last - 1);
	else if (n == 2)
		take_one_value(declared);
	else
	{
		declared->nedges = --n;
		declared->points[declared->npoints++] = declared->edges[n - 1];
	}
}

/* As the column's type has them, rising; it may have rounded two to one. */
static void
take_edges(PegsLearnt *learnt, const Cells *cells, const pegs_range *range)
{
	const PegsColumn *column = &learnt->column;
	PegsDeclaration *declared = &learnt->declared;

	declared->edges = palloc(sizeof(char *) * (range->nedges + 1));
	for (uint32_t i = 0; i < range->nedges; i++)
	{
		char	   *edge = pegs_try_canonical(column->type, column->typmod, last_text(cells, &range->edge[i]));

		if (edge && (declared->nedges == 0 || pegs_compare(column->type, column->typmod, declared->edges[declared->nedges - 1], edge) < 0))
			declared->edges[declared->nedges++] = edge;
	}
	declared->points = palloc(sizeof(char *) * (range->npoints + 2));
	if (range->zero_is_point)
		declared->points[declared->npoints++] = pstrdup("0");
	for (uint32_t i = 0; i < range->npoints; i++)
	{
		char	   *point = pegs_try_canonical(column->type, column->typmod, last_text(cells, &range->point[i]));

		if (point)
			declared->points[declared->npoints++] = point;
	}
	declared->nearest = true;
	if (cells->high && column->type != NUMERICOID)
		end_before_last_edge(declared, cells->high);
	learnt->found = declared->nedges >= 2 || declared->nlevels > 0;
	learnt->zero_alone = range->zero_alone;
}

void
pegs_learn_range_of(PegsLearning *learning, PegsLearnt *learnt)
{
	Cells	   *cells = palloc0(sizeof(Cells));
	pegs_range	range;
	Counting	counting = {learning, learnt, cells};
	int			notation;

	notation = pegs_pin_notation();
	make_cells(cells, &learnt->column);
	if (!pegs_range_learn(&learning->env, &learning->accountant, learning->rng, learnt->cost, &cells->grid, count_cells, &counting,
						  (uint32_t) learning->bins, &range))
		elog(ERROR, "epsilon buys no noise");
	if (range.found)
		take_edges(learnt, cells, &range);
	AtEOXact_GUC(false, notation);
}

/* ---- from SQL ---- */

int
pegs_learning_bins(FunctionCallInfo fcinfo, int n)
{
	int			bins = PG_ARGISNULL(n) ? 0 : PG_GETARG_INT32(n);

	if (bins < 1 || bins > MAX_BINS)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("bins must be between 1 and %d", MAX_BINS),
				 errhint("About so many bins are made: bins => 32")));
	return bins;
}

/* A type that has no cells is an error now. */
void
pegs_learning_cells(const PegsColumn *column)
{
	make_cells(palloc0(sizeof(Cells)), column);
}

static void
say_range(const PegsLearning *learning)
{
	const PegsColumn *column = &learning->learnt[0].column;
	const PegsDeclaration *declared = &learning->learnt[0].declared;
	bool		one = declared->nedges == 0;	/* value, and perhaps some points beside it */
	int			bins = declared->nedges - 1;
	bool		zero = declared->npoints > 0 && strcmp(declared->points[0], "0") == 0;

	ereport(NOTICE,
			(one ? errmsg("column \"%s\" has %d value%s: %s", column->name, declared->nlevels, declared->nlevels == 1 ? "" : "s",
						  pegs_charged_words(learning))
			 : errmsg("column \"%s\" lies between %s and %s: %s", column->name, declared->edges[0], declared->edges[bins], pegs_charged_words(learning)),
			 one ? errdetail("Rows with other values, if there are any, are left out of fits.")
			 : errdetail("It has %d bin%s%s. Values outside, if there are any, count in the first or the last.", bins, bins == 1 ? "" : "s",
						 zero ? ", and 0 is a level of its own" : ""),
			 errhint("SELECT * FROM pegs_domain(%s);", quote_literal_cstr(learning->source->name))));
}

/* pegs_learn_range(source regclass, column_name name, epsilon float8, bins int) → void */
PG_FUNCTION_INFO_V1(pegs_learn_range);
Datum
pegs_learn_range(PG_FUNCTION_ARGS)
{
	PegsLearning *learning = pegs_learning(fcinfo, pegs_learn_range_of, false);
	const PegsLearnt *learnt = &learning->learnt[0];
	const PegsColumn *column = &learnt->column;

	if (!pegs_type_has_bins(column->type))
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("column \"%s\" of type %s has no range", column->name, format_type_be(column->type)),
				 errhint("A range is of numbers, dates and timestamps. SELECT pegs_learn_levels(%s, %s, epsilon => 0.1, delta => 1e-9);",
						 quote_literal_cstr(learning->source->name), quote_literal_cstr(column->name))));
	learning->bins = pegs_learning_bins(fcinfo, 3);
	pegs_learning_cells(column);
	pegs_learn_columns(learning);
	if (!learnt->found)
		pegs_say_nothing_learnt(learning, "No part of its range stood out of the noise.");
	else
		say_range(learning);
	pegs_say_zero_alone(learning);
	pegs_uncharged_done(learning->uncharged);
	PG_RETURN_VOID();
}
