/*
 * spec_read.c
 *	  Reading a spec: the domain and the tables of a model out of its text.
 *
 * A text may come from anywhere: what is not a spec that spec_text.c would
 * write is an error, before anything is allocated by its word.
 */
#include "facts/spec_read.h"
#include "codes/codes.h"

#include "access/detoast.h"
#include "miscadmin.h"
#include "utils/builtins.h"

/* Columns, each once, in their order. NULL: it is not there. */
static bool *
read_some(const PegsSpec *spec, Jsonb *json, const char *name)
{
	JsonbValue	value = pegs_member(&json->root, name, false);
	bool	   *some;
	JsonbContainer *list;
	int			last = -1;

	if (value.type == jbvNull)
		return NULL;
	if (value.type != jbvBinary || !JsonContainerIsArray(value.val.binary.data)
		|| JsonContainerSize(value.val.binary.data) < 1)
		pegs_bad_spec(psprintf("\"%s\" must be a list of columns", name));
	list = value.val.binary.data;
	some = palloc0(sizeof(bool) * spec->domain->ncols);
	for (uint32 i = 0; i < JsonContainerSize(list); i++)
	{
		JsonbValue *item = getIthJsonbValueFromContainer(list, i);
		int			column = item->type == jbvString ? pegs_domain_find(spec->domain, pegs_json_scalar(item)) : -1;

		CHECK_FOR_INTERRUPTS();
		if (column <= last)
			pegs_bad_spec(psprintf("\"%s\" has what is no column, or not in order", name));
		some[column] = true;
		last = column;
	}
	return some;
}

#define MAX_HIDDEN 4			/* hidden columns for one that is read: three parts of it, and how much it is after another */
#define MAX_READ 2				/* columns that are read for a hidden one */

static void
refuse_number(int has, int given)
{
	ereport(ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
			 errmsg("spec has %d columns, pegs_agg got %d", has, given),
			 errhint("Give the columns of pegs_spec in the same order.")));
}

/* Which columns are whose parents, and the tail. */
static void
read_conditional(PegsSpec *spec, Jsonb *json, JsonbContainer *list)
{
	JsonbValue	tail = pegs_member(&json->root, "tail_bits", true);
	char	   *bits = tail.type == jbvNumeric ? pegs_json_scalar(&tail) : "";

	if (strcmp(bits, "0") != 0 && strcmp(bits, "1") != 0)
		pegs_bad_spec("\"tail_bits\" must be 0 or 1");
	spec->tables = PEGS_CONDITIONAL;
	spec->tail_bits = bits[0] == '1';
	spec->parent_start = palloc0(sizeof(uint32_t) * (spec->domain->ncols + 1));
	spec->parents = palloc(sizeof(uint16_t) * (spec->domain->ncols * spec->domain->ncols + 1));
	for (int i = 0; i < spec->domain->ncols; i++)
	{
		JsonbValue	value = pegs_member(getIthJsonbValueFromContainer(list, i)->val.binary.data, "parents", true);

		if (value.type != jbvBinary || !JsonContainerIsArray(value.val.binary.data))
			pegs_refuse_parents(spec->domain, spec->domain->column[i].name);
		pegs_add_parents(spec, i, value.val.binary.data);
	}
}

/* What the method was told: checked once it is known (models/settings.c). */
static void
read_own(PegsSpec *spec, const JsonbValue *own)
{
	if (own->type == jbvNull)
		return;
	if (own->type != jbvBinary || !JsonContainerIsObject(own->val.binary.data))
		pegs_bad_spec("\"options\" must be an object");
	spec->own = JsonbToCString(NULL, own->val.binary.data, -1);
}

/* ncols: how many columns there must be, or 0; types: of the columns of a stored model, or NULL */
static PegsSpec *
parse(const char *text, int ncols, int ntypes, const Oid *types)
{
	JsonbValue	forbidden;
	JsonbValue	derived;
	JsonbValue	own;
	Jsonb	   *json = DatumGetJsonbP(DirectFunctionCall1(jsonb_in, CStringGetDatum(text)));
	PegsSpec   *spec = palloc0(sizeof(PegsSpec));
	PegsDomain *domain = palloc0(sizeof(PegsDomain));
	char	   *tables;
	char	   *inside;
	JsonbValue	columns;
	JsonbContainer *list;

	if (!JB_ROOT_IS_OBJECT(json))
		pegs_bad_spec("not an object");
	tables = pegs_member_text(&json->root, "tables", true);
	columns = pegs_member(&json->root, "columns", true);
	if (columns.type != jbvBinary || !JsonContainerIsArray(columns.val.binary.data))
		pegs_bad_spec("\"columns\" must be a list");
	list = columns.val.binary.data;
	domain->ncols = JsonContainerSize(list);
	if (domain->ncols < 1 || domain->ncols > PEGS_MAX_COLUMNS)
		pegs_bad_spec("too few or too many columns");
	/* before a column is looked at */
	if (ncols > 0 && (ncols > MAX_READ * domain->ncols || domain->ncols > MAX_HIDDEN * ncols))
		refuse_number(domain->ncols, ncols);
	if (types && ntypes != domain->ncols)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("a model has %d columns and %d types", domain->ncols, ntypes),
				 errdetail("pegs_internal.model was changed."),
				 errhint("Restore a backup, or drop the model and fit it again.")));
	pegs_spec_columns(domain, list, types);
	if (pegs_part_problem(domain))
		pegs_bad_spec(pegs_part_problem(domain));
	if (ncols > 0 && pegs_physical(domain)->ncols != ncols)
		refuse_number(pegs_physical(domain)->ncols, ncols);
	forbidden = pegs_member(&json->root, "forbidden", false);
	pegs_spec_zeros(domain, &forbidden);
	derived = pegs_member(&json->root, "derived", false);
	pegs_spec_derived(domain, &derived);
	inside = pegs_member_text(&json->root, "inside", false);
	if (inside && strcmp(inside, "sloped") != 0)
		pegs_bad_spec("\"inside\" is not \"sloped\"");
	spec->sloped = inside != NULL;
	spec->domain = domain;
	if (strcmp(tables, "pairs") == 0)
		spec->tables = PEGS_PAIRS;
	else if (strcmp(tables, "triples") == 0)
	{
		spec->tables = PEGS_PAIRS;
		spec->triples = true;
	}
	else if (strcmp(tables, "joint") == 0)
		spec->tables = PEGS_JOINT;
	else if (strcmp(tables, "conditional") == 0)
		read_conditional(spec, json, list);
	else
		pegs_bad_spec("\"tables\" must be \"pairs\", \"triples\", \"conditional\" or \"joint\"");
	spec->target = read_some(spec, json, "target");
	if (spec->target && spec->tables != PEGS_PAIRS)
		pegs_bad_spec("\"target\" is of a model of pairs");
	spec->grouped = read_some(spec, json, "groups");
	own = pegs_member(&json->root, "options", false);
	read_own(spec, &own);
	return spec;
}

/* Triples are counted for a fit, and are in no model. */
static void
refuse_triples(const PegsSpec *spec)
{
	if (spec->triples)
		pegs_bad_spec("triples are of a state, not of a model");
}

PegsSpec *
pegs_spec_parse(const char *text)
{
	PegsSpec   *spec = parse(text, 0, 0, NULL);

	refuse_triples(spec);
	spec->text = pegs_spec_text(spec);
	return spec;
}

/* Anybody may give any text: what it can cost is bounded, and can be cancelled. */
PegsSpec *
pegs_spec_given(text *given, int ncols)
{
	PegsSpec   *spec;

	/* the size is known before the value is fetched and unpacked */
	if (toast_raw_datum_size(PointerGetDatum(given)) > PEGS_MAX_GIVEN_BYTES)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("spec is too long"),
				 errdetail("At most %d bytes are read.", PEGS_MAX_GIVEN_BYTES),
				 errhint("Declare fewer levels or wider bins.")));
	spec = parse(text_to_cstring(given), ncols, 0, NULL);
	spec->sloped = false;		/* of a model, from pegs_describe: what is counted by it is the same */
	spec->target = spec->grouped = NULL;	/* likewise */
	spec->own = NULL;			/* likewise */
	spec->text = pegs_spec_text(spec);
	return spec;
}

/*
 * The spec of a stored model. Its text stays as it is, byte for byte: it is
 * what its tables were counted by. types NULL: not kept before ALTER EXTENSION
 * UPDATE from 0.2.0, then they are looked up by name.
 */
PegsSpec *
pegs_spec_stored(char *text, int ntypes, const Oid *types)
{
	PegsSpec   *spec = parse(text, 0, ntypes, types);

	refuse_triples(spec);
	spec->text = text;
	return spec;
}

/*
 * What a fit counts, for another process of this server: its text as it is,
 * and the types by their numbers, so that no right on a type's schema is needed.
 */
PegsSpec *
pegs_spec_handed_on(char *text, int ntypes, const Oid *types)
{
	PegsSpec   *spec = parse(text, 0, ntypes, types);

	spec->text = text;
	return spec;
}
