/*
 * sample_slices.c
 *	  Rows of all slices of a model: pegs_sample_slices, pegs_sample_slices_as.
 *
 * Of each moment one slice: the widest that there is; of each value of a list
 * the one that was fitted last. The rows of a slice are those that everyone gets
 * of it, so a view gives the same rows until another slice is fitted. All of it
 * was paid for and released: nothing is charged. The caller's right to the
 * model is asked once, at the call.
 */
#include "slices/slices.h"
#include "codes/codes.h"
#include "rows/rows.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "utils/array.h"
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

/* No list has more, so nobody has as many sorted and compared. */
static void
refuse_too_many(ArrayType *array)
{
	int			n = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));

	if (n >= PEGS_MAX_LEVELS)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("slices must name at most %d values, not %d", PEGS_MAX_LEVELS - 1, n),
				 errhint("Leave slices out, for all of them.")));
}

/* Values that somebody named, as the session writes them: as a slice keeps them. */
static PegsArg
named_values(FunctionCallInfo fcinfo, int n, const PegsSlice *of, int *count)
{
	PegsColumn	column = {.name = of->column, .type = of->type, .typmod = of->typmod};
	char	  **texts;
	Datum	   *items;

	*count = 0;
	if (PG_ARGISNULL(n))
		return (PegsArg) {TEXTARRAYOID, 0, true};
	if (!OidIsValid(of->type))
		pegs_type_is_gone(of->column, NULL);
	refuse_too_many(PG_GETARG_ARRAYTYPE_P(n));
	texts = pegs_arg_texts(fcinfo, n, "slices", count);
	items = palloc(sizeof(Datum) * (*count + 1));
	for (int i = 0; i < *count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		texts[i] = pegs_canonical_told(&column, texts[i], "slices");
	}
	pegs_refuse_twice(&column, texts, *count, "slice");
	for (int i = 0; i < *count; i++)
		items[i] = CStringGetTextDatum(texts[i]);
	return (PegsArg) {TEXTARRAYOID, PointerGetDatum(construct_array(items, *count, TEXTOID, -1, false, TYPALIGN_INT)), false};
}

/* Of each value the slice that was fitted last, in the order in which they were fitted. */
static Part *
read_values(FunctionCallInfo fcinfo, int arg, const PegsModel *model, int *n)
{
	MemoryContext context = CurrentMemoryContext;
	int			named;
	PegsArg		args[2] = {{INT8OID, Int64GetDatum(model->object), false}, named_values(fcinfo, arg, model->slice, &named)};
	Part	   *parts;
	PegsAs		saved;

	pegs_begin_as_extension(&saved);
	pegs_spi("SELECT max(id) FROM pegs_internal.model WHERE coalesce(first_fit, id) = $1 AND grid IS NOT NULL AND ($2 IS NULL OR slice ->> 'value' = ANY ($2))"
			 " GROUP BY slice ->> 'value' ORDER BY 1", SPI_OK_SELECT, 2, args);
	*n = (int) SPI_processed;
	parts = MemoryContextAllocHuge(context, sizeof(Part) * (*n + 1));
	for (int i = 0; i < *n; i++)
	{
		bool		isnull;

		parts[i] = (Part) {.model = DatumGetInt64(SPI_getbinval(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, 1, &isnull))};
	}
	pegs_end_as(&saved);
	if (*n < named)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("model \"%s\" has not all of these slices", model->name),
				 errdetail("It has %d of the %d that are named.", *n, named),
				 errhint("SELECT value FROM pegs_slices WHERE model = %s;", quote_literal_cstr(model->name))));
	return parts;
}

/* Times are not asked of a list, nor values of a clock. */
static void
refuse_other_arguments(FunctionCallInfo fcinfo, int first, const PegsModel *model)
{
	if (model->slice->value && (!PG_ARGISNULL(first + 1) || !PG_ARGISNULL(first + 2)))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("model \"%s\" has slices by values, not by times", model->name),
				 errhint("Name some: slices => ARRAY[%s]", quote_literal_cstr(model->slice->value))));
	if (model->slice->value == NULL && !PG_ARGISNULL(first + 3))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("model \"%s\" has slices by times, not by values", model->name),
				 errhint("since => %s, until => %s", quote_literal_cstr(model->slice->lower), quote_literal_cstr(model->slice->upper))));
}

/* A moment as the session writes it; NULL: `otherwise`. */
static int64
moment_argument(FunctionCallInfo fcinfo, int n, const char *name, const PegsSlice *of, int64 otherwise)
{
	PegsColumn	column = {.name = of->column, .type = of->type, .typmod = of->typmod};

	if (PG_ARGISNULL(n))
		return otherwise;
	return moment_of(of, pegs_canonical_told(&column, pegs_arg_text(fcinfo, n, name), name));
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
	pegs_draw_rows(&request, model->key, pegs_rows_turn, pegs_rows_put, rows);
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

	pegs_refuse_related(model);
	if (model->slice == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("model \"%s\" is not of slices", name),
				 errhint("SELECT * FROM pegs_sample(%s) AS t(%s);", quote_literal_cstr(name), pegs_column_list(model->spec->domain))));
	refuse_other_arguments(fcinfo, first, model);
	if (model->slice->value)
		parts = read_values(fcinfo, first + 3, model, &n);
	else
	{
		parts = read_parts(model, moment_argument(fcinfo, first + 1, "since", model->slice, PG_INT64_MIN),
						   moment_argument(fcinfo, first + 2, "until", model->slice, PG_INT64_MAX), &n);
		n = choose_parts(parts, n);
		if (n == 0)
			ereport(NOTICE,
					(errmsg("no slice of model \"%s\" lies between these times", name),
					 errhint("SELECT width, lower, upper FROM pegs_slices WHERE model = %s;", quote_literal_cstr(name))));
	}
	rows = pegs_rows_begin(fcinfo, pegs_sliced_domain(model, pegs_drawn_domain(model)), name, by_type, NULL);
	for (int i = 0; i < n; i++)
		give_rows(rows, fcinfo, by_type, &parts[i], name);
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
}

/* pegs_sample_slices(model text, since text, until text, slices text[]) → SETOF record */
PG_FUNCTION_INFO_V1(pegs_sample_slices);
Datum
pegs_sample_slices(PG_FUNCTION_ARGS)
{
	sample_slices(fcinfo, false);
	return (Datum) 0;
}

/* pegs_sample_slices_as(row_type anyelement, model text, since text, until text, slices text[]) → SETOF anyelement */
PG_FUNCTION_INFO_V1(pegs_sample_slices_as);
Datum
pegs_sample_slices_as(PG_FUNCTION_ARGS)
{
	sample_slices(fcinfo, true);
	return (Datum) 0;
}
