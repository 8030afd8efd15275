/*
 * slice.c
 *	  A model of a slice of a table: of the rows whose time lies between two
 *	  edges, or that have one value of a list.
 *
 * What it says of its slice is public: a column, and edges that nobody's row
 * moves, or a value of a list that nobody's row makes. All its rows lie in the
 * slice, so the model leaves that column out, and drawn rows have it uniform
 * between the edges, or that value. Claim P21.
 *
 * A row is in one slice of each charge (pegs_internal.grid), and whoever has
 * all slices has those of all charges: days, months, and what was given up and
 * set anew. What they tell together is the sum, and never less. Laws L6, L10.
 */
#include "models/models.h"
#include "codes/codes.h"

#include "access/transam.h"
#include "catalog/pg_type.h"
#include "common/int.h"
#include "executor/spi.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/fmgrprotos.h"
#include "utils/json.h"
#include "utils/lsyscache.h"
#include "utils/timestamp.h"

static void
add_text(StringInfo out, const char *name, const char *value)
{
	appendStringInfo(out, "%s\"%s\": ", out->len > 1 ? ", " : "", name);
	escape_json(out, value);
}

Jsonb *
pegs_slice_json(const PegsSlice *slice)
{
	StringInfoData out;

	initStringInfo(&out);
	appendStringInfoChar(&out, '{');
	add_text(&out, "column", slice->column);
	add_text(&out, "type", OidIsValid(slice->type) ? format_type_with_typemod(slice->type, slice->typmod) : "-");
	if (slice->value)
		add_text(&out, "value", slice->value);
	else
	{
		add_text(&out, "width", slice->width);
		add_text(&out, "from", slice->lower);
		add_text(&out, "to", slice->upper);
	}
	appendStringInfoChar(&out, '}');
	return DatumGetJsonbP(DirectFunctionCall1(jsonb_in, CStringGetDatum(out.data)));
}

/* What every server has, or an enum: its type as it was when the slice was fitted, whatever it is called now; InvalidOid: dropped since. */
static Oid
type_of(Oid stored)
{
	return stored < FirstGenbkiObjectId || get_typtype(stored) == TYPTYPE_ENUM ? stored : InvalidOid;
}

char *
pegs_slice_words(const PegsSlice *slice)
{
	if (slice->value)
		return psprintf("whose %s is %s", slice->column, quote_literal_cstr(slice->value));
	return psprintf("from %s to %s", slice->lower, slice->upper);
}

PegsSlice *
pegs_read_slice(const PegsLookup *lookup)
{
	bool		isnull;
	Datum		value = pegs_stored_column(lookup, "grid", &isnull);
	PegsSlice  *slice;
	PegsMembers members;

	if (isnull)
		return NULL;
	slice = palloc0(sizeof(PegsSlice));
	slice->grid = DatumGetInt64(value);
	slice->used = DatumGetInt64(pegs_needed_column(lookup, "used"));
	slice->type = type_of(DatumGetObjectId(pegs_needed_column(lookup, "slice_type")));
	slice->typmod = DatumGetInt32(pegs_needed_column(lookup, "slice_typmod"));
	members = pegs_members(&DatumGetJsonbP(pegs_needed_column(lookup, "slice"))->root);
	while (pegs_next_member(&members))
	{
		char	   *text = pegs_json_scalar(&members.value);

		if (strcmp(members.name, "column") == 0)
			slice->column = text;
		else if (strcmp(members.name, "value") == 0)
			slice->value = text;
		else if (strcmp(members.name, "width") == 0)
			slice->width = text;
		else if (strcmp(members.name, "from") == 0)
			slice->lower = text;
		else if (strcmp(members.name, "to") == 0)
			slice->upper = text;
	}
	if (!slice->column || (!slice->value && (!OidIsValid(slice->type) || !slice->width || !slice->lower || !slice->upper)))
		elog(ERROR, "a slice is not whole");
	return slice;
}

/* The last value in the slice: the upper edge is the first of the next one. */
static char *
last_value(const PegsSlice *slice)
{
	Datum		upper = pegs_from_canonical(slice->type, slice->typmod, slice->upper);
	int64		unit = 1;

	for (int digits = slice->typmod; digits >= 0 && digits < 6; digits++)
		unit *= 10;
	if (slice->type == DATEOID)
		return pegs_output(DATEOID, DateADTGetDatum(DatumGetDateADT(upper) - 1));
	return pegs_output(slice->type, TimestampGetDatum(DatumGetTimestamp(upper) - unit));
}

/* A single bin, or level. Whoever draws gives it code 0. */
static PegsColumn
column_of(const PegsSlice *slice)
{
	PegsColumn	column = {.name = slice->column, .type = slice->type, .typmod = slice->typmod, .other = -1};

	if (slice->value)
	{
		column.nlabels = 1;
		column.labels = palloc(sizeof(char *));
		column.labels[0] = slice->value;
		return column;
	}
	column.nedges = 2;
	column.edges = palloc(sizeof(char *) * 2);
	column.edges[0] = slice->lower;
	column.edges[1] = last_value(slice);
	return column;
}

const PegsDomain *
pegs_sliced_domain(const PegsModel *model, const PegsDomain *domain)
{
	PegsDomain *with;

	if (model->slice == NULL || pegs_domain_find(domain, model->slice->column) >= 0)
		return domain;
	with = palloc(sizeof(PegsDomain));
	*with = *domain;
	with->column = palloc(sizeof(PegsColumn) * (domain->ncols + 1));
	memcpy(with->column, domain->column, sizeof(PegsColumn) * domain->ncols);
	with->column[with->ncols++] = column_of(model->slice);
	with->kept = NULL;			/* for as many columns as the model has */
	return with;
}

/* More than there may be of any budget is said as the most that there may be. */
static int64
sum(int64 a, int64 b)
{
	int64		c;

	return pg_add_s64_overflow(a, b, &c) ? PG_INT64_MAX : c;
}

/*
 * Those that are fitted, whether what made them is still there or was given up:
 * slices of a model stay until it is dropped (drop.c). What a charge is told by
 * is its grid, whose number no other has.
 */
PegsSlicesCost
pegs_slices_cost(const PegsModel *model)
{
	PegsSlicesCost cost = {0};
	PegsArg		object = {INT8OID, Int64GetDatum(model->object), false};
	bool		has_rho = !pegs_fit_draws_urns(model->method, model->spec->own);
	PegsAs		saved;

	pegs_begin_as_extension(&saved);
	pegs_spi("SELECT DISTINCT grid, epsilon, delta FROM pegs_internal.model WHERE coalesce(first_fit, id) = $1 AND grid IS NOT NULL",
			 SPI_OK_SELECT, 1, &object);
	cost.charges = (int) SPI_processed;
	for (int i = 0; i < cost.charges; i++)
	{
		bool		isnull;
		int64		epsilon = DatumGetInt64(SPI_getbinval(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, 2, &isnull));
		int64		delta = DatumGetInt64(SPI_getbinval(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, 3, &isnull));

		cost.epsilon = sum(cost.epsilon, epsilon);
		cost.delta = sum(cost.delta, delta);
		has_rho &= delta > 0;
		if (delta > 0)
			cost.rho += pegs_rho(epsilon, delta);
	}
	pegs_end_as(&saved);
	if (!has_rho || cost.rho > PG_UINT64_MAX)
		cost.rho = 0;
	if (cost.charges == 0)
		elog(ERROR, "a model of slices has none");
	return cost;
}
