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

/* ---- related tables ---- */

#define MAX_RELATED 64			/* tables */

static PegsSpec *parse(const char *text, int ncols, int ntypes, const Oid *types);

static int
member_number(JsonbContainer *object, const char *name)
{
	JsonbValue	value = pegs_member(object, name, true);

	if (value.type != jbvNumeric)
		pegs_bad_spec(psprintf("\"%s\" must be a number", name));
	return pg_strtoint32(pegs_json_scalar(&value));
}

static JsonbContainer *
member_list(JsonbContainer *object, const char *name)
{
	JsonbValue	value = pegs_member(object, name, true);

	if (value.type != jbvBinary || !JsonContainerIsArray(value.val.binary.data) || JsonContainerSize(value.val.binary.data) > PEGS_MAX_COLUMNS)
		pegs_bad_spec(psprintf("\"%s\" must be a list", name));
	return value.val.binary.data;
}

static JsonbContainer *
object_in(JsonbContainer *list, uint32 i)
{
	JsonbValue *item = getIthJsonbValueFromContainer(list, i);

	if (item->type != jbvBinary || !JsonContainerIsObject(item->val.binary.data))
		pegs_bad_spec("a list has what is no object");
	return item->val.binary.data;
}

static void
read_made_keys(PegsMember *member, const PegsMember *parent, JsonbContainer *list)
{
	member->nkeys = (int) JsonContainerSize(list);
	member->key = palloc0(sizeof(PegsMadeKey) * (member->nkeys + 1));
	for (int k = 0; k < member->nkeys; k++)
	{
		JsonbContainer *object = object_in(list, k);
		char	   *is = pegs_member_text(object, "is", true);
		PegsMadeKey *key = &member->key[k];

		key->column = pegs_member_text(object, "column", true);
		key->kind = strcmp(is, "parent") == 0 ? PEGS_KEY_PARENT : strcmp(is, "line") == 0 ? PEGS_KEY_LINE : PEGS_KEY_NUMBER;
		if (key->kind == PEGS_KEY_NUMBER && strcmp(is, "number") != 0)
			pegs_bad_spec("a key is \"number\", \"line\" or \"parent\"");
		if (key->kind == PEGS_KEY_PARENT)
			key->of = member_number(object, "of");
		if (strlen(key->column) >= NAMEDATALEN || pegs_domain_find(member->spec->domain, key->column) >= 0
			|| (key->kind != PEGS_KEY_NUMBER && parent == NULL)
			|| (key->kind == PEGS_KEY_PARENT && (key->of < 0 || key->of >= parent->nkeys)))
			pegs_bad_spec("a key is of no row, or a column of the model");
		for (int j = 0; j < k; j++)
			if (strcmp(member->key[j].column, key->column) == 0)
				pegs_bad_spec("a key is named twice");
	}
}

/* types: of all columns of path rows, those that count rows among them; *at: the first of this table's */
static void
read_related_table(PegsRelated *related, int t, JsonbContainer *object, int ntypes, const Oid *types, int at)
{
	PegsMember *member = &related->member[t];
	JsonbValue	spec = pegs_member(object, "spec", true);

	CHECK_FOR_INTERRUPTS();
	member->name = pegs_member_text(object, "name", true);
	member->table = pegs_member_text(object, "table", true);
	member->parent = t > 0 ? member_number(object, "parent") : -1;
	if (strlen(member->name) >= NAMEDATALEN || pegs_related_find(related, member->name) >= 0 || member->parent >= t || (t > 0 && member->parent < 0))
		pegs_bad_spec("related tables are no tree, or are named twice");
	if (spec.type != jbvBinary || !JsonContainerIsObject(spec.val.binary.data)
		|| pegs_member(spec.val.binary.data, "related", false).type != jbvNull)
		pegs_bad_spec("a related table has no spec of its own");
	if (t > 0)
	{
		JsonbContainer *children = member_list(object, "children");

		member->nclasses = (int) JsonContainerSize(children);
		member->first = palloc0(sizeof(uint32_t) * (member->nclasses + 1));
		for (int k = 0; k < member->nclasses; k++)
		{
			JsonbValue *value = getIthJsonbValueFromContainer(children, k);

			if (value->type != jbvNumeric)
				pegs_bad_spec("\"children\" must be numbers");
			member->first[k] = (uint32_t) pg_strtoint32(pegs_json_scalar(value));
		}
		member->most = (uint32_t) member_number(object, "at_most");
	}
	if (types)
	{
		JsonbContainer *columns = member_list(spec.val.binary.data, "columns");

		if ((int) JsonContainerSize(columns) > ntypes - at)
			pegs_bad_spec("related tables have more columns than types");
		member->spec = parse(JsonbToCString(NULL, spec.val.binary.data, -1), 0, (int) JsonContainerSize(columns), types + at);
	}
	else
		member->spec = parse(JsonbToCString(NULL, spec.val.binary.data, -1), 0, 0, NULL);
	if (member->spec->tables != PEGS_PAIRS || member->spec->triples || member->spec->target || member->spec->own)
		pegs_bad_spec("a related table is of other tables");
	member->spec->text = pegs_spec_text(member->spec);
	member->beside = pegs_member_texts(object, "beside", &member->nbeside);
	member->repeat = pegs_member_texts(object, "may_repeat", &member->nrepeat);
	member->distinct = pegs_member_texts(object, "distinct", &member->ndistinct);
	read_made_keys(member, t > 0 ? &related->member[member->parent] : NULL, member_list(object, "keys"));
}

/* How many tables hang on this one itself: so many columns stand behind its own. */
static int
children_in(JsonbContainer *list, int t)
{
	int			n = 0;

	for (uint32 i = 1; i < JsonContainerSize(list); i++)
		n += member_number(object_in(list, i), "parent") == t;
	return n;
}

/* A spec of several tables: its own columns follow from theirs. */
static PegsSpec *
parse_related(const JsonbValue *value, int ncols, int ntypes, const Oid *types)
{
	PegsRelated *related = palloc0(sizeof(PegsRelated));
	JsonbContainer *list;
	PegsSpec   *spec;
	pegs_status status;
	int			at = 0;

	if (ncols > 0)
		pegs_bad_spec("it is of several tables, and rows of one are counted");
	if (value->type != jbvBinary || !JsonContainerIsArray(value->val.binary.data) || JsonContainerSize(value->val.binary.data) < 1
		|| JsonContainerSize(value->val.binary.data) > MAX_RELATED)
		pegs_bad_spec("\"related\" must be a list of tables");
	list = value->val.binary.data;
	related->member = palloc0(sizeof(PegsMember) * JsonContainerSize(list));
	for (; related->n < (int) JsonContainerSize(list); related->n++)
	{
		int			t = related->n;

		read_related_table(related, t, object_in(list, t), ntypes, types, at);
		at += related->member[t].spec->domain->ncols + children_in(list, t);
	}
	spec = pegs_spec_of_related(related, &status);
	if (spec == NULL)
		pegs_bad_spec("related tables are too many or too large, or numbers of their rows do not rise");
	if (types && ntypes != spec->domain->ncols)
		pegs_bad_spec("related tables have other columns than types");
	return spec;
}

/* ---- the whole ---- */

/* ncols: how many columns there must be, or 0; types: of the columns of a stored model, or NULL */
static PegsSpec *
parse(const char *text, int ncols, int ntypes, const Oid *types)
{
	JsonbValue	several;
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
	several = pegs_member(&json->root, "related", false);
	if (several.type != jbvNull)
	{
		JsonbValue	siblings = pegs_member(&json->root, "siblings", false);

		if (siblings.type != jbvNull && siblings.type != jbvBool)
			pegs_bad_spec("\"siblings\" must be true or false");
		spec = parse_related(&several, ncols, ntypes, types);
		spec->related->siblings = siblings.type == jbvNull || siblings.val.boolean;
		return spec;
	}
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
