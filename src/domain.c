/*
 * domain.c
 *	  The declared domain of every column of a source.
 *
 * It comes from a declaration (facts.c), or from the catalog: enum labels,
 * boolean, CHECK lists (checks.c), domain types. It never comes from the rows.
 * Law L1.
 */
#include "types.h"
#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/indexing.h"
#include "catalog/pg_class.h"
#include "catalog/pg_enum.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "funcapi.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/relcache.h"
#include "utils/syscache.h"

/* ---- reading what was declared ---- */

static char **
texts_of(Datum array, int *n)
{
	Datum	   *items;
	bool	   *nulls;
	char	  **texts;

	deconstruct_array(DatumGetArrayTypeP(array), TEXTOID, -1, false, 'i', &items, &nulls, n);
	texts = palloc(sizeof(char *) * (*n + 1));
	for (int i = 0; i < *n; i++)
		texts[i] = TextDatumGetCString(items[i]);
	return texts;
}

/* ---- a public lookup table ---- */

typedef struct Lookup
{
	DestReceiver pub;
	PegsColumn *column;
	int			room;
	MemoryContext context;
} Lookup;

static bool
receive_label(TupleTableSlot *slot, DestReceiver *self)
{
	Lookup	   *lookup = (Lookup *) self;
	PegsColumn *column = lookup->column;
	MemoryContext old = MemoryContextSwitchTo(lookup->context);

	slot_getallattrs(slot);
	if (column->nlabels == lookup->room)
		column->labels = repalloc_huge(column->labels, sizeof(char *) * (lookup->room *= 2));
	column->labels[column->nlabels++] = TextDatumGetCString(slot->tts_values[0]);
	MemoryContextSwitchTo(old);
	return true;
}

static void
lookup_startup(DestReceiver *self, int operation, TupleDesc desc)
{
}

static void
lookup_nothing(DestReceiver *self)
{
}

/*
 * What was asked when the lookup was declared is asked again now: is it still
 * a table with such a column, and not one of the account whose levels it
 * states? (By INHERIT or ATTACH PARTITION it may have become one.) Law L1.
 */
static const char *
lookup_problem(Oid lookup, const char *column, Oid account, Oid *type)
{
	char		relkind = get_rel_relkind(lookup);
	AttrNumber	attnum;

	if (relkind != RELKIND_RELATION && relkind != RELKIND_PARTITIONED_TABLE)
		return "its lookup table or column is gone";
	if (pegs_source(lookup)->account == account)
		return "its lookup table has become a part of the table itself";
	/* from now on it is locked */
	attnum = get_attnum(lookup, column);
	if (attnum == InvalidAttrNumber)
		return "its lookup table or column is gone";
	*type = getBaseType(get_atttype(lookup, attnum));
	return pegs_type_supported(*type) ? NULL : "its lookup table's column has an unsupported type";
}

/* Distinct values of a public lookup table's column, in their own order, by the rights that the caller has now. */
static void
load_lookup(PegsColumn *column, Oid lookup, const char *lookup_column, const PegsSource *source)
{
	Oid			type;
	const char *problem = lookup_problem(lookup, lookup_column, source->account, &type);
	const char *quoted = quote_identifier(lookup_column);
	Lookup		receiver = {
		.pub = {receive_label, lookup_startup, lookup_nothing, lookup_nothing, DestTuplestore},
		.column = column,
		.room = 64,
		.context = CurrentMemoryContext
	};
	PegsReading *reading;

	if (problem)
	{
		column->problem = pstrdup(problem);
		return;
	}
	reading = pegs_reading_relation(lookup, list_make1(pstrdup(lookup_column)));
	column->nlabels = 0;
	column->labels = palloc(sizeof(char *) * receiver.room);
	pegs_read(reading,
			  psprintf("SELECT s.v::pg_catalog.text FROM (SELECT DISTINCT %s AS v FROM %s WHERE %s IS NOT NULL) s ORDER BY s.v%s",
					   quoted, reading->name, quoted,
					   type == TEXTOID || type == VARCHAROID || type == BPCHAROID ? " COLLATE \"C\"" : ""),
			  NULL, (DestReceiver *) &receiver);
	for (int i = 0; i < column->nlabels && column->problem == NULL; i++)
	{
		column->labels[i] = pegs_try_canonical(column->type, column->typmod, column->labels[i]);
		if (column->labels[i] == NULL)
		{
			column->problem = psprintf("its lookup table has a value that is not of type %s",
									   format_type_with_typemod(column->type, column->typmod));
			column->nlabels = 0;
		}
	}
}

static void
place_other(PegsColumn *column, char *other)
{
	if (other == NULL)
		return;
	for (int i = 0; i < column->nlabels; i++)
		if (strcmp(column->labels[i], other) == 0)
			column->other = i;
	if (column->other < 0)
	{
		column->labels = repalloc(column->labels, sizeof(char *) * (column->nlabels + 1));
		column->other = column->nlabels;
		column->labels[column->nlabels++] = other;
	}
}

/* What was declared for (relid, name), if anything. */
static bool
load_declared(Oid relid, PegsColumn *column, const PegsSource *source)
{
	PegsAs		saved;
	MemoryContext context = CurrentMemoryContext;
	PegsArg		args[2] = {{REGCLASSOID, ObjectIdGetDatum(relid), false}, {NAMEOID, 0, false}};
	NameData	name;
	bool		found;
	char	   *other = NULL;
	Oid			lookup = InvalidOid;
	char	   *lookup_column = NULL;

	namestrcpy(&name, column->name);
	args[1].value = NameGetDatum(&name);
	pegs_begin_as_extension(&saved);
	pegs_spi_now(pegs_keeps("fact", "drop_undeclared")
			 ? "SELECT levels, other, lookup, lookup_column, edges, drop_undeclared FROM pegs_internal.fact WHERE source = $1 AND column_name = $2"
			 : "SELECT levels, other, lookup, lookup_column, edges, false FROM pegs_internal.fact WHERE source = $1 AND column_name = $2",
			 SPI_OK_SELECT, 2, args);
	found = SPI_processed == 1;
	if (found)
	{
		HeapTuple	row = SPI_tuptable->vals[0];
		TupleDesc	desc = SPI_tuptable->tupdesc;
		bool		isnull;
		Datum		value;
		MemoryContext old = MemoryContextSwitchTo(context);

		value = SPI_getbinval(row, desc, 1, &isnull);
		if (!isnull)
			column->labels = texts_of(value, &column->nlabels);
		value = SPI_getbinval(row, desc, 2, &isnull);
		if (!isnull)
			other = TextDatumGetCString(value);
		value = SPI_getbinval(row, desc, 3, &isnull);
		if (!isnull)
			lookup = DatumGetObjectId(value);
		value = SPI_getbinval(row, desc, 4, &isnull);
		if (!isnull)
			lookup_column = pstrdup(NameStr(*DatumGetName(value)));
		value = SPI_getbinval(row, desc, 5, &isnull);
		if (!isnull)
			column->edges = texts_of(value, &column->nedges);
		value = SPI_getbinval(row, desc, 6, &isnull);
		column->drop = !isnull && DatumGetBool(value);
		MemoryContextSwitchTo(old);
	}
	pegs_end_as(&saved);
	if (!found)
		return false;
	column->origin = column->nedges > 0 ? "declared bins" : "declared levels";
	if (lookup_column)
	{
		column->origin = "lookup table";
		load_lookup(column, lookup, lookup_column, source);
	}
	if (column->drop)
		column->origin = psprintf("%s, other rows are left out", column->origin);
	if (column->problem == NULL)
		place_other(column, other);
	return true;
}

static void
load_enum(PegsColumn *column)
{
	Relation	enums = table_open(EnumRelationId, AccessShareLock);
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple	tuple;
	int			room = 16;

	column->labels = palloc(sizeof(char *) * room);
	ScanKeyInit(&key, Anum_pg_enum_enumtypid, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(column->type));
	scan = systable_beginscan_ordered(enums, index_open(EnumTypIdSortOrderIndexId, AccessShareLock), NULL, 1, &key);
	while (HeapTupleIsValid(tuple = systable_getnext_ordered(scan, ForwardScanDirection)))
	{
		if (column->nlabels == room)
			column->labels = repalloc(column->labels, sizeof(char *) * (room *= 2));
		column->labels[column->nlabels++] = pstrdup(NameStr(((Form_pg_enum) GETSTRUCT(tuple))->enumlabel));
	}
	{
		Relation	index = scan->irel;

		systable_endscan_ordered(scan);
		index_close(index, AccessShareLock);
	}
	table_close(enums, AccessShareLock);
	column->origin = "enum type";
}

static void
load_list(PegsColumn *column, List *levels, const char *origin)
{
	ListCell   *cell;

	column->labels = palloc(sizeof(char *) * (list_length(levels) + 1));
	foreach(cell, levels)
	{
		char	   *label = pegs_try_canonical(column->type, column->typmod, (char *) lfirst(cell));
		bool		known = false;

		if (label == NULL)
		{
			column->problem = psprintf("its %s has a value that is not of type %s", origin,
									   format_type_with_typemod(column->type, column->typmod));
			column->nlabels = 0;
			break;
		}
		for (int i = 0; i < column->nlabels; i++)
			known |= strcmp(column->labels[i], label) == 0;
		if (!known)
			column->labels[column->nlabels++] = label;
	}
	column->origin = origin;
}

/* A declaration on the source, else on the table or ancestor it reads. */
static bool
load_declared_anywhere(Oid relid, AttrNumber attnum, PegsColumn *column, const PegsSource *source)
{
	Oid			base;
	AttrNumber	base_attnum;
	char	   *name = column->name;
	bool		found = load_declared(relid, column, source);

	if (!found && pegs_source_column(relid, attnum, &base, &base_attnum))
	{
		column->name = get_attname(base, base_attnum, false);
		found = load_declared_anywhere(base, base_attnum, column, source);
		column->name = name;
	}
	return found;
}

static List *
check_levels_anywhere(Oid relid, AttrNumber attnum)
{
	Oid			base;
	AttrNumber	base_attnum;
	List	   *levels = pegs_check_levels(relid, attnum);

	if (levels == NIL && pegs_source_column(relid, attnum, &base, &base_attnum))
		levels = check_levels_anywhere(base, base_attnum);
	return levels;
}

/* May the column hold NULL? Down a view to the table it reads. */
static bool
may_be_null(Oid relid, AttrNumber attnum)
{
	HeapTuple	tuple = SearchSysCache2(ATTNUM, ObjectIdGetDatum(relid), Int16GetDatum(attnum));
	Form_pg_attribute att = (Form_pg_attribute) GETSTRUCT(tuple);
	Oid			type = att->atttypid;
	bool		notnull = att->attnotnull;
	char		relkind = get_rel_relkind(relid);
	Oid			base;
	AttrNumber	base_attnum;

	ReleaseSysCache(tuple);
	while (!notnull && get_typtype(type) == TYPTYPE_DOMAIN)
	{
		HeapTuple	typetuple = SearchSysCache1(TYPEOID, ObjectIdGetDatum(type));

		notnull = ((Form_pg_type) GETSTRUCT(typetuple))->typnotnull;
		type = ((Form_pg_type) GETSTRUCT(typetuple))->typbasetype;
		ReleaseSysCache(typetuple);
	}
	if (!notnull && (relkind == RELKIND_VIEW || relkind == RELKIND_MATVIEW)
		&& pegs_source_column(relid, attnum, &base, &base_attnum))
		return may_be_null(base, base_attnum);
	return !notnull;
}

/* Unique by itself, identity, a sequence default, or a uuid: left out unless named. */
static bool
is_key(Relation rel, Form_pg_attribute att)
{
	ListCell   *cell;
	bool		key = att->attidentity != '\0' || att->atttypid == UUIDOID;

	foreach(cell, RelationGetIndexList(rel))
	{
		HeapTuple	tuple = SearchSysCache1(INDEXRELID, ObjectIdGetDatum(lfirst_oid(cell)));
		Form_pg_index index = (Form_pg_index) GETSTRUCT(tuple);

		key |= index->indisunique && index->indnkeyatts == 1 && index->indkey.values[0] == att->attnum;
		ReleaseSysCache(tuple);
	}
	return key;
}

/* Are the declared levels or bins still values of the column's type, as it is now? */
static bool
declared_for_another_type(const PegsColumn *column)
{
	int			n = column->nedges > 0 ? column->nedges : column->nlabels;

	if (strncmp(column->origin, "declared", 8) != 0)
		return false;
	if (column->nedges > 0 && !pegs_type_has_bins(column->type))
		return true;
	for (int i = 0; i < n; i++)
	{
		const char *text = column->nedges > 0 ? column->edges[i] : column->labels[i];
		const char *now = pegs_try_canonical(column->type, column->typmod, text);

		if (now == NULL || strcmp(now, text) != 0)
			return true;
	}
	return false;
}

/* What can be said of a column whose type is not supported, by an expression that a view may have. */
static char *
remedy_for_type(const PegsColumn *column)
{
	const char *name = quote_identifier(column->name);
	char	   *expression = NULL;

	if (column->type == CASHOID)
		expression = psprintf("(%s / '1'::money)::numeric", name);
	else if (column->type == INTERVALOID)
		expression = psprintf("extract(epoch from %s)::int", name);
	else if (column->type == TIMEOID)
		expression = psprintf("extract(hour from %s)::int", name);
	else if (OidIsValid(get_element_type(column->type)))
		expression = psprintf("cardinality(%s)", name);
	else if (type_is_range(column->type))
		expression = psprintf("lower(%s)", name);
	if (expression == NULL)
		return pstrdup("Leave the column out, or use a view that makes a text, a number or a date of it with immutable built-in functions.");
	return psprintf("Leave the column out, or use a view: CREATE VIEW ... AS SELECT ..., %s AS %s FROM ...", expression, name);
}

static void
describe_problem(PegsColumn *column, const PegsSource *source, Oid declared_type)
{
	const char *table = quote_literal_cstr(source->name);
	const char *name = quote_literal_cstr(column->name);

	if (column->problem)
	{
		column->remedy = psprintf("SELECT pegs_set_levels(%s, %s, ARRAY['...']);", table, name);
		return;
	}
	if (column->is_unit && column->origin == NULL)
	{
		column->problem = pstrdup("it is the privacy unit");
		return;
	}
	if (!pegs_type_supported(column->type))
	{
		column->problem = psprintf("type %s is not supported", format_type_be(declared_type));
		column->remedy = remedy_for_type(column);
		return;
	}
	if (column->origin == NULL)
	{
		column->problem = pstrdup("no declared domain");
		column->remedy = pegs_type_has_bins(column->type)
			? psprintf("SELECT pegs_set_bins(%s, %s, ARRAY['...', '...']);", table, name)
			: psprintf("SELECT pegs_set_levels(%s, %s, ARRAY['...']);", table, name);
		return;
	}
	if (declared_for_another_type(column))
	{
		column->problem = psprintf("its %s are not of type %s", column->origin, format_type_with_typemod(column->type, column->typmod));
		column->remedy = pegs_type_has_bins(column->type)
			? psprintf("SELECT pegs_set_bins(%s, %s, ARRAY['...', '...']);", table, name)
			: psprintf("SELECT pegs_set_levels(%s, %s, ARRAY['...']);", table, name);
		return;
	}
	if (pegs_column_levels(column) < 1)
	{
		column->problem = pstrdup("no level");
		column->remedy = psprintf("SELECT pegs_set_levels(%s, %s, ARRAY['...']);", table, name);
	}
	else if (pegs_column_levels(column) > PEGS_MAX_LEVELS)
	{
		column->problem = psprintf("%d levels are more than %d", pegs_column_levels(column), PEGS_MAX_LEVELS);
		column->remedy = psprintf("SELECT pegs_set_bins(%s, %s, ARRAY['...', '...']); or fewer levels", table, name);
	}
}

/* Every column of a source, with its domain or the reason why it has none. */
PegsDomain *
pegs_domain_of(const PegsSource *source)
{
	PegsDomain *domain = palloc0(sizeof(PegsDomain));
	Relation	rel = table_open(source->relid, AccessShareLock);
	TupleDesc	desc = RelationGetDescr(rel);
	char	   *unit = pegs_unit_column(source);

	domain->column = palloc0(sizeof(PegsColumn) * (desc->natts + 1));
	for (int i = 0; i < desc->natts; i++)
	{
		Form_pg_attribute att = TupleDescAttr(desc, i);
		PegsColumn *column = &domain->column[domain->ncols];
		List	   *levels;

		if (att->attisdropped)
			continue;
		domain->ncols++;
		column->name = pstrdup(NameStr(att->attname));
		column->typmod = att->atttypmod;
		column->type = getBaseTypeAndTypmod(att->atttypid, &column->typmod);
		column->other = -1;
		column->nullable = may_be_null(source->relid, att->attnum);
		column->is_key = is_key(rel, att);
		column->is_unit = unit && strcmp(column->name, unit) == 0;
		if (pegs_type_supported(column->type) && !load_declared_anywhere(source->relid, att->attnum, column, source))
		{
			if (get_typtype(column->type) == TYPTYPE_ENUM)
				load_enum(column);
			else if (column->type == BOOLOID)
				load_list(column, list_make2("false", "true"), "boolean type");
			else if ((levels = check_levels_anywhere(source->relid, att->attnum)) != NIL)
				load_list(column, levels, "CHECK constraint");
			else if ((levels = pegs_domain_check_levels(att->atttypid)) != NIL)
				load_list(column, levels, "domain type");
		}
		describe_problem(column, source, att->atttypid);
	}
	table_close(rel, NoLock);
	return domain;
}

/* The columns of a model: those named, else all that have a domain; keys and the privacy unit are left out. */
PegsDomain *
pegs_domain_choose(const PegsDomain *all, const PegsSource *source, List *names)
{
	PegsDomain *chosen = palloc0(sizeof(PegsDomain));
	ListCell   *cell;

	chosen->column = palloc0(sizeof(PegsColumn) * (Max(all->ncols, list_length(names)) + 1));
	foreach(cell, names)
	{
		char	   *name = (char *) lfirst(cell);
		int			i = pegs_domain_find(all, name);

		if (i < 0)
			ereport(ERROR,
					(errcode(ERRCODE_UNDEFINED_COLUMN),
					 errmsg("column \"%s\" of %s does not exist", name, source->name),
					 errhint("SELECT column_name FROM pegs_domain(%s);", quote_literal_cstr(source->name))));
		if (pegs_domain_find(chosen, name) >= 0)
			ereport(ERROR,
					(errcode(ERRCODE_DUPLICATE_COLUMN),
					 errmsg("column \"%s\" is named twice", name),
					 errhint("Name every column once.")));
		chosen->column[chosen->ncols++] = all->column[i];
	}
	for (int i = 0; names == NIL && i < all->ncols; i++)
	{
		if (all->column[i].is_unit && all->column[i].problem)
			ereport(NOTICE,
					(errmsg("column \"%s\" is the privacy unit and is left out of the model", all->column[i].name)));
		else if (all->column[i].is_key && all->column[i].problem)
			ereport(NOTICE,
					(errmsg("column \"%s\" is a key and is left out of the model", all->column[i].name)));
		else
			chosen->column[chosen->ncols++] = all->column[i];
	}
	if (chosen->ncols == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s has no column to model", source->name),
				 errhint("SELECT * FROM pegs_domain(%s);", quote_literal_cstr(source->name))));
	for (int i = 0; i < chosen->ncols; i++)
		if (chosen->column[i].problem)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("column \"%s\" cannot be used: %s", chosen->column[i].name, chosen->column[i].problem),
					 chosen->column[i].remedy
					 ? errhint("%s Or name the columns to use: columns => ARRAY[...].", chosen->column[i].remedy)
					 : errhint("Name the columns to use: columns => ARRAY[...].")));
	return chosen;
}

/* ---- SQL: pegs_domain(source regclass) ---- */

static Datum
levels_array(const PegsColumn *column)
{
	int			n = pegs_column_levels(column);
	Datum	   *items = palloc0(sizeof(Datum) * n);
	bool	   *nulls = palloc0(sizeof(bool) * n);
	int			lower = 1;

	for (int i = 0; i < n; i++)
	{
		if (column->nullable && i == n - 1)
			nulls[i] = true;
		else if (column->nedges > 0)
			items[i] = CStringGetTextDatum(psprintf("[%s, %s%c", column->edges[i], column->edges[i + 1],
													i == column->nedges - 2 ? ']' : ')'));
		else
			items[i] = CStringGetTextDatum(column->labels[i]);
	}
	return PointerGetDatum(construct_md_array(items, nulls, 1, &n, &lower, TEXTOID, -1, false, 'i'));
}

PG_FUNCTION_INFO_V1(pegs_domain);
Datum
pegs_domain(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result;
	PegsSource *source = pegs_curated_source(pegs_arg_oid(fcinfo, 0, "source"), "see its declared domain");
	PegsDomain *domain = pegs_domain_of(source);

	result = pegs_materialize(fcinfo, false);
	for (int i = 0; i < domain->ncols; i++)
	{
		const PegsColumn *column = &domain->column[i];
		NameData	name;
		Datum		values[6];
		bool		nulls[6] = {false};

		namestrcpy(&name, column->name);
		values[0] = NameGetDatum(&name);
		values[1] = CStringGetTextDatum(format_type_with_typemod(column->type, column->typmod));
		nulls[2] = column->origin == NULL;
		values[2] = nulls[2] ? 0 : CStringGetTextDatum(column->origin);
		nulls[3] = column->origin == NULL;
		values[3] = nulls[3] ? 0 : levels_array(column);
		nulls[4] = column->problem == NULL;
		values[4] = nulls[4] ? 0 : CStringGetTextDatum(column->problem);
		nulls[5] = column->remedy == NULL;
		values[5] = nulls[5] ? 0 : CStringGetTextDatum(column->remedy);
		tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
	}
	return (Datum) 0;
}
