/*
 * longest.c
 *	  How long one column can be after another, in bins: pegs_order.
 *
 * That is said, or comes of bins that were declared; never of rows, nor of what
 * was learnt from them. Law L1.
 */
#include "facts/facts.h"
#include "codes/codes.h"

#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"

#define MAX_DAYS 10000000
#define MAX_DOUBLINGS 10		/* of fractions, down from all of the range */

/* ---- bins up to a number that is said ---- */

/* An interval without months, in its unit; days of dates may be a number, too. */
static char *
longest_text(const PegsColumn *column, const char *longest)
{
	int64		unit = column->type == DATEOID ? USECS_PER_DAY : USECS_PER_SEC;
	PegsTold	told = {.column = column, .text = longest, .what = "longest", .hint = "longest => '30 days'"};
	Interval   *interval;
	int64		length;

	if (pegs_is_number(column->type) || (column->type == DATEOID && strspn(longest, "0123456789") == strlen(longest)))
		return pstrdup(longest);
	pegs_tell(&told);
	interval = DatumGetIntervalP(DirectFunctionCall3(interval_in, CStringGetDatum(longest), ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1)));
	pegs_untell(&told);
	length = Max(Min(interval->day, MAX_DAYS), 0) * USECS_PER_DAY + Max(Min(interval->time, MAX_DAYS * USECS_PER_DAY), 0);
	if (interval->month != 0 || interval->day < 0 || interval->time < 0 || length < unit || length >= MAX_DAYS * USECS_PER_DAY)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("longest must be an interval above 0 and below %d days, without months", MAX_DAYS),
				 errhint("longest => '30 days'")));
	return psprintf(INT64_FORMAT, length / unit + (length % unit > 0));
}

/* ---- bins up to what the bins of both allow ---- */

typedef struct Range
{
	Datum		low;			/* numeric: days, microseconds or a number */
	Datum		high;
} Range;

static Datum
number(int64 n)
{
	return NumericGetDatum(int64_to_numeric(n));
}

static Datum
times(Datum a, int64 n)
{
	return DirectFunctionCall2(numeric_mul, a, number(n));
}

static const PegsColumn *
hidden_of(const PegsDomain *domain, const char *name)
{
	for (int i = 0; i < domain->ncols; i++)
		if (domain->column[i].part && strcmp(domain->column[i].part->column, name) == 0)
			return &domain->column[i];
	return NULL;
}

/* Between which values it lies, by its bins; false: it has none, or they were learnt (of which column). */
static bool
range_of(const PegsDomain *domain, const char *name, Range *range, const char **learnt)
{
	int			i = pegs_domain_find(domain, name);
	const PegsColumn *column = i < 0 ? NULL : domain->column[i].nedges > 0 ? &domain->column[i] : hidden_of(domain, name);
	Range		more;

	if (column == NULL || column->nedges == 0)
		return false;
	if (column->nlearnt > 0)
	{
		*learnt = *learnt ? *learnt : name;
		return false;
	}
	more.low = pegs_edge_number(column, column->edges[0]);
	more.high = pegs_edge_number(column, column->edges[column->nedges - 1]);
	if (column->part == NULL)
		*range = more;
	else if (column->part->earlier)
	{
		if (!range_of(domain, column->part->earlier, range, learnt))
			return false;
		if (column->part->type == TIMESTAMPOID || column->part->type == TIMESTAMPTZOID)
			more.high = times(more.high, USECS_PER_SEC);
		range->high = DirectFunctionCall2(numeric_add, range->high, more.high);
	}
	else
	{
		/* its last day, or week, is whole; somewhere on earth */
		range->low = times(DirectFunctionCall2(numeric_sub, more.low, number(1)), USECS_PER_DAY);
		range->high = times(DirectFunctionCall2(numeric_add, more.high, number(column->part->kind == PEGS_WEEK ? 8 : 2)), USECS_PER_DAY);
		if (column->part->type == TIMESTAMPOID)
		{
			range->low = times(more.low, USECS_PER_DAY);
			range->high = times(DirectFunctionCall2(numeric_add, more.high, number(column->part->kind == PEGS_WEEK ? 7 : 1)), USECS_PER_DAY);
		}
	}
	return true;
}

/* How far they can be apart. */
typedef struct Apart
{
	bool		known;			/* one has bins, or both */
	bool		is_some;		/* and there is something between them */
	const char *learnt;			/* one whose bins were learnt; NULL: none */
	Datum		most;
} Apart;

/* From the lowest that the earlier one may have to the highest of the later; of one, where the other says nothing. */
static Apart
apart(const PegsDomain *domain, const char *earlier, const PegsColumn *later)
{
	Apart		apart = {0};
	Range		first;
	Range		last;
	const PegsColumn *now = hidden_of(domain, later->name);
	bool		time = later->type == TIMESTAMPOID || later->type == TIMESTAMPTZOID;
	bool		has_first;
	bool		has_last;

	/* declared again: as it is */
	if (now && now->part->earlier && strcmp(now->part->earlier, earlier) == 0)
	{
		apart.known = apart.is_some = true;
		apart.most = times(pegs_edge_number(now, now->edges[now->nedges - 1]), time ? USECS_PER_SEC : 1);
		return apart;
	}
	has_first = range_of(domain, earlier, &first, &apart.learnt);
	has_last = range_of(domain, later->name, &last, &apart.learnt);
	apart.known = (has_first || has_last) && apart.learnt == NULL;
	if (apart.known)
	{
		apart.most = DirectFunctionCall2(numeric_sub, has_last ? last.high : first.high, has_first ? first.low : last.low);
		apart.is_some = DatumGetInt32(DirectFunctionCall2(numeric_cmp, apart.most, number(0))) > 0;
	}
	return apart;
}

/* The statement; longest, quoted: NULL, where what is declared says how far. */
static char *
statement(const char *table, const char *earlier, const char *later, const char *longest)
{
	return psprintf("SELECT pegs_order(%s, %s, %s%s%s);", table, quote_literal_cstr(earlier), quote_literal_cstr(later), longest ? ", longest => " : "",
					longest ? longest : "");
}

/* As it runs; of what nothing that is declared says a person fills in how long. */
char *
pegs_order_statement(const PegsDomain *domain, const char *table, const char *earlier, const PegsColumn *later)
{
	return statement(table, earlier, later->name, apart(domain, earlier, later).is_some ? NULL : "'...'");
}

static Datum
most_between(const PegsSource *source, const char *earlier, const PegsColumn *later)
{
	Apart		between = apart(pegs_domain_of(source), earlier, later);
	char	   *hint = statement(quote_literal_cstr(source->name), earlier, later->name, pegs_is_number(later->type) ? "'100'" : "'30 days'");

	if (between.learnt)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("longest must be given: the bins of column \"%s\" were learnt", between.learnt),
				 errdetail("What they tell was charged for that column, and cannot become a fact about another."),
				 errhint("%s", hint)));
	if (!between.known)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("nothing says how far column \"%s\" can be after \"%s\"", later->name, earlier),
				 errdetail("Neither of the two has bins."),
				 errhint("%s", hint)));
	if (!between.is_some)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the bins of column \"%s\" end before those of \"%s\" begin", later->name, earlier),
				 errhint("Declare bins that reach every value, or say how long: %s", hint)));
	return between.most;
}

/* 0, u, 2u, 4u, ... below `most`, and `most`; no more than so many bins. */
static char **
doubled(int64 unit, int64 most, int bins, int *nedges)
{
	char	  **edges = palloc(sizeof(char *) * 70);
	int			n;

	for (;; unit *= 2)
	{
		n = 0;
		for (int64 edge = unit; edge < most && n < 65; edge = edge > PG_INT64_MAX / 2 ? PG_INT64_MAX : edge * 2)
			n++;
		if (n < bins || unit > most / 2)
			break;
	}
	n = Min(n, bins - 1);
	edges[0] = "0";
	for (int i = 0; i < n; i++)
		edges[i + 1] = psprintf(INT64_FORMAT, unit << i);
	edges[n + 1] = psprintf(INT64_FORMAT, most);
	*nedges = n + 2;
	return edges;
}

/* The most, half of it, a quarter, ... and 0. */
static char **
halved(const PegsColumn *difference, Datum most, int bins, int *nedges)
{
	const char *digits = strchr(DatumGetCString(DirectFunctionCall1(numeric_out, most)), '.');
	int			scale = difference->typmod >= (int32) VARHDRSZ ? pegs_scale_of(difference->typmod)
		: digits ? (int) strlen(digits) + 4 : 4;
	char	  **edges = palloc(sizeof(char *) * (MAX_DOUBLINGS + 1));
	int			n = Min(bins, MAX_DOUBLINGS);

	edges[0] = "0";
	*nedges = 1;
	for (int i = n - 1; i >= 0; i--)
	{
		Datum		part = i == 0 ? most : DirectFunctionCall2(numeric_div, most, number(INT64CONST(1) << i));
		char	   *edge = pegs_canonical(difference->type, difference->typmod, pegs_edge_text(difference, part, Max(scale, 0)));

		if (pegs_compare(difference->type, difference->typmod, edges[*nedges - 1], edge) < 0)
			edges[(*nedges)++] = edge;
	}
	return edges;
}

static char **
doubling_edges(const PegsColumn *later, const PegsColumn *difference, Datum most, int bins, int *nedges)
{
	bool		time = later->type == TIMESTAMPOID || later->type == TIMESTAMPTZOID;
	int64		largest = difference->type == INT2OID ? PG_INT16_MAX : difference->type == INT4OID ? PG_INT32_MAX : PG_INT64_MAX;
	int64		units;

	if (difference->type != INT2OID && difference->type != INT4OID && difference->type != INT8OID)
		return halved(difference, most, bins, nedges);
	if (DatumGetInt32(DirectFunctionCall2(numeric_cmp, most, number(PG_INT64_MAX))) > 0)
		most = number(PG_INT64_MAX);
	units = DatumGetInt64(DirectFunctionCall1(numeric_int8, most));
	if (time)
		units = units / USECS_PER_SEC + (units % USECS_PER_SEC > 0);
	return doubled(time ? SECS_PER_MINUTE : 1, Min(units, largest), bins, nedges);
}

/* pegs_order(source regclass, earlier name, later name, longest text DEFAULT NULL, bins int DEFAULT 30) */
PG_FUNCTION_INFO_V1(pegs_order);
Datum
pegs_order(PG_FUNCTION_ARGS)
{
	PegsSource *source = pegs_curated_source(pegs_arg_oid(fcinfo, 0, "source"), "declare its public facts");
	PegsDeclaration declared = {.earlier = pstrdup(pegs_arg_column(fcinfo, 1, "earlier", "admitted"))};
	char	   *name = pstrdup(pegs_arg_column(fcinfo, 2, "later", "discharged"));
	char	   *longest = PG_ARGISNULL(3) ? NULL : pegs_arg_text(fcinfo, 3, "longest");
	PegsColumn	later;
	PegsColumn	difference;

	if (PG_ARGISNULL(4) || PG_GETARG_INT32(4) < 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("bins must be at least 1"),
				 errhint("bins => 30")));
	pegs_find_column(source, name, false, &later);
	difference = pegs_difference_of(source, &later, declared.earlier);
	if (longest)
		declared.edges = pegs_equal_edges(&difference, "0", longest_text(&later, longest), PG_GETARG_INT32(4), &declared.nedges);
	else
		declared.edges = doubling_edges(&later, &difference, most_between(source, declared.earlier, &later), PG_GETARG_INT32(4), &declared.nedges);
	pegs_declare_column(source, later.name, &declared);
	PG_RETURN_VOID();
}
