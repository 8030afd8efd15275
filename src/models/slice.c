/*
 * slice.c
 *	  A model of a slice of a table: of the rows whose time lies between two edges.
 *
 * What it says of its slice is public: a column, and edges that nobody's row
 * moves. All its rows lie in the slice, so the model leaves that column out,
 * and drawn rows have it uniform between the edges. Claim P21.
 */
#include "models/models.h"
#include "codes/codes.h"

#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/fmgrprotos.h"
#include "utils/json.h"
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
	add_text(&out, "type", format_type_with_typemod(slice->type, slice->typmod));
	add_text(&out, "width", slice->width);
	add_text(&out, "from", slice->lower);
	add_text(&out, "to", slice->upper);
	appendStringInfoChar(&out, '}');
	return DatumGetJsonbP(DirectFunctionCall1(jsonb_in, CStringGetDatum(out.data)));
}

/* One of three types, as format_type writes it. */
static void
read_type(const char *text, PegsSlice *slice)
{
	const char *digits = strchr(text, '(');

	slice->type = strcmp(text, "date") == 0 ? DATEOID : strstr(text, "with time zone") ? TIMESTAMPTZOID : TIMESTAMPOID;
	slice->typmod = digits ? atoi(digits + 1) : -1;
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
	members = pegs_members(&DatumGetJsonbP(pegs_needed_column(lookup, "slice"))->root);
	while (pegs_next_member(&members))
	{
		char	   *text = pegs_json_scalar(&members.value);

		if (strcmp(members.name, "column") == 0)
			slice->column = text;
		else if (strcmp(members.name, "type") == 0)
			read_type(text, slice);
		else if (strcmp(members.name, "width") == 0)
			slice->width = text;
		else if (strcmp(members.name, "from") == 0)
			slice->lower = text;
		else if (strcmp(members.name, "to") == 0)
			slice->upper = text;
	}
	if (!slice->column || !OidIsValid(slice->type) || !slice->width || !slice->lower || !slice->upper)
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

/* A single bin. Whoever draws gives it code 0. */
static PegsColumn
column_of(const PegsSlice *slice)
{
	PegsColumn	column = {.name = slice->column, .type = slice->type, .typmod = slice->typmod, .other = -1, .nedges = 2};

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
