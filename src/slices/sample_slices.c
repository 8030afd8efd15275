/*
 * sample_slices.c
 *	  Rows of all slices of a model: pegs_sample_slices, pegs_sample_slices_as.
 *
 * Of each moment one slice: the widest that there is. The rows of a slice are
 * those that everyone gets of it, so a view gives the same rows until another
 * slice is fitted. All of it was paid for and released: nothing is charged.
 * The caller's right to the model is asked once, at the call.
 */
#include "slices/slices.h"
#include "codes/codes.h"
#include "rows/rows.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

/* A slice that there is. */
typedef struct Part
{
	int64		model;
	int64		lower;
	int64		upper;
} Part;

/* In days, or microseconds. */
static int64
moment_of(const PegsSlice *of, const char *canonical)
{
	Datum		value = pegs_from_canonical(of->type, of->typmod, canonical);

	return of->type == DATEOID ? DatumGetDateADT(value) : DatumGetTimestamp(value);
}

/* The widest first; of those as wide, in order, the one that was fitted last before. */
static int
by_width(const void *a, const void *b)
{
	const Part *x = a;
	const Part *y = b;
	int64		wide_x = x->upper - x->lower;
	int64		wide_y = y->upper - y->lower;

	if (wide_x != wide_y)
		return wide_x > wide_y ? -1 : 1;
	if (x->lower != y->lower)
		return x->lower < y->lower ? -1 : 1;
	return x->model > y->model ? -1 : 1;
}

/* All slices of a model that lie between these moments. */
static Part *
read_parts(const PegsModel *model, int64 since, int64 until, int *n)
{
	MemoryContext context = CurrentMemoryContext;
	PegsArg		object = {INT8OID, Int64GetDatum(model->object), false};
	uint64		found;
	Part	   *parts;
	PegsAs		saved;

	pegs_begin_as_extension(&saved);
	pegs_spi("SELECT id, slice ->> 'from', slice ->> 'to' FROM pegs_internal.model WHERE coalesce(first_fit, id) = $1 AND grid IS NOT NULL",
			 SPI_OK_SELECT, 1, &object);
	found = SPI_processed;
	parts = MemoryContextAllocHuge(context, sizeof(Part) * (found + 1));
	*n = 0;
	for (uint64 i = 0; i < found; i++)
	{
		HeapTuple	row = SPI_tuptable->vals[i];
		TupleDesc	desc = SPI_tuptable->tupdesc;
		bool		isnull;
		Part		part = {
			.model = DatumGetInt64(SPI_getbinval(row, desc, 1, &isnull)),
			.lower = moment_of(model->slice, SPI_getvalue(row, desc, 2)),
			.upper = moment_of(model->slice, SPI_getvalue(row, desc, 3))
		};

		CHECK_FOR_INTERRUPTS();
		if (part.lower >= since && part.upper <= until)
			parts[(*n)++] = part;
	}
	pegs_end_as(&saved);
	return parts;
}

/* Those as wide as each other, in order, that overlap none of those taken nor each other: into `more`. */
static size_t
choose_as_wide(const Part *taken, size_t ntaken, const Part *parts, size_t n, Part *more)
{
	size_t		next = 0;
	size_t		nmore = 0;

	for (size_t i = 0; i < n; i++)
	{
		while (next < ntaken && taken[next].upper <= parts[i].lower)
			next++;
		if ((next == ntaken || taken[next].lower >= parts[i].upper) && (nmore == 0 || more[nmore - 1].upper <= parts[i].lower))
			more[nmore++] = parts[i];
	}
	return nmore;
}

/* Two that are in the order of time, as one; it has room. */
static void
merge(const Part *a, size_t na, const Part *b, size_t nb, Part *both)
{
	while (na + nb > 0)
		if (nb == 0 || (na > 0 && a->lower < b->lower))
		{
			*both++ = *a++;
			na--;
		}
		else
		{
			*both++ = *b++;
			nb--;
		}
}

/*
 * Of those, so that none overlaps another: in the order of time. There are few
 * widths, and thousands of slices: each width is one pass over what is taken.
 */
static int
choose_parts(Part *parts, int n)
{
	size_t		room = sizeof(Part) * ((size_t) n + 1);
	Part	   *taken = MemoryContextAllocHuge(CurrentMemoryContext, room);
	Part	   *both = MemoryContextAllocHuge(CurrentMemoryContext, room);
	size_t		chosen = 0;

	qsort(parts, n, sizeof(Part), by_width);
	for (int first = 0, end; first < n; first = end)
	{
		size_t		more;
		Part	   *swap = taken;

		CHECK_FOR_INTERRUPTS();
		for (end = first + 1; end < n && parts[end].upper - parts[end].lower == parts[first].upper - parts[first].lower;)
			end++;
		/* those that are chosen take the place of those that were looked at */
		more = choose_as_wide(taken, chosen, parts + first, end - first, parts + first);
		merge(taken, chosen, parts + first, more, both);
		chosen += more;
		taken = both;
		both = swap;
	}
	memcpy(parts, taken, sizeof(Part) * chosen);
	return (int) chosen;
}

/* A moment as the session writes it; NULL: `otherwise`. */
static int64
moment_argument(FunctionCallInfo fcinfo, int n, const char *name, const PegsSlice *of, int64 otherwise)
{
	if (PG_ARGISNULL(n))
		return otherwise;
	return moment_of(of, pegs_canonical(of->type, of->typmod, pegs_arg_text(fcinfo, n, name)));
}

static void
give_rows(PegsRows *all, FunctionCallInfo fcinfo, bool by_type, const Part *part, const char *name)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "pegs slice", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	PegsModel  *model = pegs_model_by_id(part->model);
	PegsRequest request = {.model = model, .block = 1};
	PegsRows   *rows;

	if (model == NULL || model->slice == NULL)
		pegs_gone(name);
	model->name = pstrdup(name);
	pegs_require_method(model);
	request.n = pegs_model_rows(model);
	rows = pegs_rows_more(all, fcinfo, pegs_sliced_domain(model, pegs_drawn_domain(model)), name, by_type);
	pegs_rows_start(rows, model->key);
	pegs_draw_rows(&request, model->key, pegs_rows_put, rows);
	pegs_rows_end(rows);
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
}

static void
sample_slices(FunctionCallInfo fcinfo, bool by_type)
{
	int			first = by_type ? 1 : 0;
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "pegs sample", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	char	   *name = pegs_arg_text(fcinfo, first, "model");
	PegsModel  *model = pegs_model(name);
	PegsRows   *rows;
	Part	   *parts;
	int			n;

	if (model->slice == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("model \"%s\" is not of slices", name),
				 errhint("SELECT * FROM pegs_sample(%s) AS t(%s);", quote_literal_cstr(name), pegs_column_list(model->spec->domain))));
	parts = read_parts(model, moment_argument(fcinfo, first + 1, "since", model->slice, PG_INT64_MIN),
					   moment_argument(fcinfo, first + 2, "until", model->slice, PG_INT64_MAX), &n);
	rows = pegs_rows_begin(fcinfo, pegs_sliced_domain(model, pegs_drawn_domain(model)), name, by_type, NULL);
	n = choose_parts(parts, n);
	for (int i = 0; i < n; i++)
		give_rows(rows, fcinfo, by_type, &parts[i], name);
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
}

/* pegs_sample_slices(model text, since text, until text) → SETOF record */
PG_FUNCTION_INFO_V1(pegs_sample_slices);
Datum
pegs_sample_slices(PG_FUNCTION_ARGS)
{
	sample_slices(fcinfo, false);
	return (Datum) 0;
}

/* pegs_sample_slices_as(row_type anyelement, model text, since text, until text) → SETOF anyelement */
PG_FUNCTION_INFO_V1(pegs_sample_slices_as);
Datum
pegs_sample_slices_as(PG_FUNCTION_ARGS)
{
	sample_slices(fcinfo, true);
	return (Datum) 0;
}
