/*
 * domain.c
 *	  The declared domain of every column of a source.
 *
 * It comes from a declaration (declare.c), or from the catalog: enum labels,
 * boolean, CHECK lists (checks.c), domain types. It never comes from the rows.
 * Law L1.
 */
#include "facts/facts.h"
#include "codes/codes.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/pg_class.h"
#include "catalog/pg_enum.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
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
		pegs_load_lookup(column, lookup, lookup_column, source);
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
