/*
 * lookup.c
 *	  The levels of a public lookup table, and which value it has for which.
 */
#include "facts/facts.h"
#include "codes/codes.h"
#include "budget/budget.h"

#include "access/genam.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#define MOVED "where its lookup table's rows are was changed in this transaction"

/* ---- declared ---- */

Oid
pegs_lookup_named(const char *name)
{
	return pegs_relation_named(name, "\"lookup\" names a table", "{\"lookup\": \"my_schema.\\\"Zip Codes\\\"\", ...}");
}

/* What else makes a table of these persons a part of a model: it is bound to a table of the same root. NULL: it refers to none itself. */
static char *
bind_it(const PegsSource *source, Oid lookup, Oid persons)
{
	Oid			root = pegs_payer(source->account);
	ListCell   *cell;

	if (pegs_payer(persons) != root || lookup != pegs_topmost(lookup) || pegs_is_bound(lookup) || !pegs_is_curator(lookup) || !OidIsValid(root))
		return NULL;
	foreach(cell, pegs_foreign_keys(lookup))
	{
		const PegsForeignKey *key = lfirst(cell);

		if (key->parent != lookup && key->parent != source->account && pegs_payer(key->parent) == root && pegs_is_curator(root))
			return key->unique ? psprintf("SELECT pegs_set_parent(%s, %s%s);", pegs_relation_literal(lookup), pegs_relation_literal(key->parent), pegs_which_key(lookup, key))
				: psprintf("%s " PEGS_CHILDREN, pegs_classes_statement(lookup, key, NULL, 0, 0));
	}
	return NULL;
}

/* Rows about persons are not public, whoever says so. column: whose levels they were to be; NULL: steps of its hierarchy. */
static void
refuse_persons(const PegsSource *source, Oid lookup, const char *column)
{
	Oid			persons = pegs_leads_to_persons(lookup, source->account);
	char	   *bind;

	if (!OidIsValid(persons))
		return;
	bind = bind_it(source, lookup, persons);
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("rows of table \"%s\" are about persons: it cannot be a lookup table", get_rel_name(lookup)),
			 errdetail("By foreign keys they refer to rows of %s, which are private. Taken as public they would be in models exactly, and no account would pay.",
					   pegs_private_words(persons)),
			 column == NULL ? errhint("Put the levels into groups of the step itself, by what is public: {\"groups\": {\"one\": [\"a\", \"b\"]}, \"others\": \"another\"}")
			 : errhint("Leave the column out. Or %s%s%s", pegs_by_what_is_public(quote_literal_cstr(source->name), quote_literal_cstr(column)), bind ? " Or let the table be a part of models itself: " : "", bind ? bind : "")));
}

/* Nor are rows of another server that an account pays for under another name. */
static void
refuse_private_rows(const PegsSource *source, Oid lookup)
{
	Oid			private = pegs_private_alike(lookup, source->account);

	if (!OidIsValid(private))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("table \"%s\" has rows that are private: it cannot be a lookup table", get_rel_name(lookup)),
			 errdetail("On another server they are rows of %s.", pegs_is_curator(private) ? pegs_relation_words(private) : "a table with an account"),
			 errhint("Make a table of the codes that are published anyway.")));
}

void
pegs_check_lookup(const PegsSource *source, const char *column, Oid lookup, char *name, const char *argument)
{
	char		relkind = get_rel_relkind(lookup);
	PegsSource *codes;
	AttrNumber	attnum;

	if (relkind != RELKIND_RELATION && relkind != RELKIND_PARTITIONED_TABLE)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("lookup must be a table"),
				 errhint("Name a table whose content is public.")));
	attnum = get_attnum(lookup, name);
	if (attnum < 1)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_COLUMN),
				 errmsg("column \"%s\" of table \"%s\" does not exist", pegs_clipped(name), get_rel_name(lookup)),
				 errhint(strcmp(argument, "via") == 0 ? "Name columns that say something of its keys: %s => '{chapter, chronic}'"
						 : strcmp(argument, "weight") == 0 ? "Name a column of numbers: %s => 'patients'" : "Name the column that holds the levels: %s => 'code'", argument)));
	if (!pegs_type_supported(getBaseType(get_atttype(lookup, attnum))))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("column \"%s\" of table \"%s\" has an unsupported type", name, get_rel_name(lookup)),
				 errhint("Use a column of type text, number, date or enum.")));
	(void) pegs_reading_relation(lookup, list_make1(name));	/* the right is asked again at every use */
	codes = pegs_source(lookup);
	if (codes->account == source->account)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("a table cannot be its own lookup table"),
				 errdetail("Levels must be public; taken from the rows they are not."),
				 errhint("Make a table of the codes that are published anyway.")));
	if (pegs_has_account(codes->account, lookup))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("table \"%s\" has a privacy budget, and cannot be a lookup table", get_rel_name(lookup)),
				 errdetail("Levels must be public; its rows are private."),
				 errhint("Make a table of the codes that are published anyway.")));
	refuse_private_rows(source, lookup);
	refuse_persons(source, lookup, column);
}

/* ---- which of its columns has the values ---- */

/* By a foreign key of this column to that table: the column that has its values, where it is not the one of that name; NULL: none says so. */
char *
pegs_referred_instead(Oid table, AttrNumber attnum, Oid lookup, const char *name)
{
	char	   *instead = NULL;
	ListCell   *cell;

	if (get_rel_relkind(table) == '\0' || attnum < 1)
		return NULL;
	foreach(cell, pegs_foreign_keys(table))
	{
		const PegsForeignKey *key = lfirst(cell);
		int			i = pegs_key_place(key, attnum);
		char	   *referred = i < 0 || key->parent != pegs_topmost(lookup) ? NULL : get_attname(key->refers_to, key->referred[i], false);

		if (referred && strcmp(referred, name) == 0)
			return NULL;
		if (referred && instead == NULL && get_attnum(lookup, referred) > 0)
			instead = referred;
	}
	return instead;
}

/* Another column of it has the values of something else: what a row refers to would be taken for what it does not. */
void
pegs_refuse_another_key(const PegsSource *source, const char *column, const PegsDeclaration *declared)
{
	AttrNumber	attnum = get_attnum(source->relid, column);
	AttrNumber	base;
	char	   *instead = NULL;
	List	   *via = NIL;
	ListCell   *cell;

	if (attnum > 0 && pegs_base_column(source, attnum, &base))
		instead = pegs_referred_instead(source->account, base, declared->lookup, declared->lookup_column);
	if (instead == NULL)
		return;
	foreach(cell, declared->via)
		if (strcmp(lfirst(cell), instead) != 0)
			via = lappend(via, lfirst(cell));
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("column \"%s\" refers to \"%s\" of table \"%s\", not to \"%s\"", column, instead, get_rel_name(declared->lookup), declared->lookup_column),
			 errdetail("By its foreign key: the values of the other column are those of something else."),
			 errhint("SELECT pegs_set_lookup(%s, %s, %s, %s%s%s);", quote_literal_cstr(source->name), quote_literal_cstr(column),
					 pegs_relation_literal(declared->lookup), quote_literal_cstr(instead),
					 via ? psprintf(", via => %s", pegs_array_literal(via)) : "", via && declared->weight && strcmp(declared->weight, instead) != 0
					 ? psprintf(", weight => %s", quote_literal_cstr(declared->weight)) : "")));
}

/* For pegs_schema: a column of the table whose lookup table has become one of persons, so that a fit will refuse it; NULL: there is none. */
char *
pegs_lookups_problem(Oid table, Oid root, char **remedy)
{
	PegsArg		arg = {REGCLASSOID, ObjectIdGetDatum(table), false};
	MemoryContext context = CurrentMemoryContext;
	List	   *columns = NIL;
	List	   *lookups = NIL;
	PegsAs		saved;
	MemoryContext old;
	ListCell   *column;
	ListCell   *lookup;

	pegs_begin_as_extension(&saved);
	pegs_spi_now("SELECT column_name, lookup::pg_catalog.oid FROM pegs_internal.fact WHERE source = $1 AND lookup IS NOT NULL ORDER BY 1", SPI_OK_SELECT, 1, &arg);
	old = MemoryContextSwitchTo(context);
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		bool		isnull;

		columns = lappend(columns, SPI_getvalue(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, 1));
		lookups = lappend_oid(lookups, DatumGetObjectId(SPI_getbinval(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, 2, &isnull)));
	}
	MemoryContextSwitchTo(old);
	pegs_end_as(&saved);
	forboth(column, columns, lookup, lookups)
		/* of a column that is there: what was declared of one that was dropped stays */
		if (get_rel_name(lfirst_oid(lookup)) && get_attnum(table, lfirst(column)) > 0 && pegs_has_levels(table, get_attnum(table, lfirst(column)))
			&& pegs_is_about_persons(lfirst_oid(lookup), root))
		{
			*remedy = pegs_without_private(pegs_relation_literal(table), quote_literal_cstr(lfirst(column)), "");
			return psprintf("column \"%s\" has lookup table \"%s\", whose rows are about persons: what was fitted before has them exactly, and no new model is made", (char *) lfirst(column), get_rel_name(lfirst_oid(lookup)));
		}
	return NULL;
}

/* ---- its levels ---- */

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
 * a table with such a column, and public: not one of the account whose levels it
 * states (by INHERIT or ATTACH PARTITION it may have become one), without an
 * account of its own, and with no foreign key that leads to rows of an account,
 * nor of another server's rows that an account pays for?
 * It and its parts are asked, which are locked. Law L1.
 */
const char *
pegs_lookup_problem(Oid lookup, const char *column, Oid account, Oid *type, List **parts)
{
	char		relkind = get_rel_relkind(lookup);
	PegsSource *source;
	AttrNumber	attnum;

	*parts = NIL;
	if (relkind != RELKIND_RELATION && relkind != RELKIND_PARTITIONED_TABLE)
		return PEGS_LOOKUP_IS_GONE;
	source = pegs_source(lookup);
	*parts = source->parts;
	if (source->account == account)
		return PEGS_LOOKUP_IS_ITSELF;
	if (pegs_has_account(source->account, lookup))
		return PEGS_LOOKUP_IS_PRIVATE;
	if (OidIsValid(pegs_leads_to_persons(lookup, account)))
		return PEGS_LOOKUP_OF_PERSONS;
	if (OidIsValid(pegs_private_alike(lookup, account)))
		return "its lookup table stands for rows of a table with a privacy budget: they are private";
	/* from now on it is locked */
	attnum = get_attnum(lookup, column);
	if (attnum == InvalidAttrNumber)
		return PEGS_LOOKUP_IS_GONE;
	*type = getBaseType(get_atttype(lookup, attnum));
	return pegs_type_supported(*type) ? NULL : PEGS_LOOKUP_HAS_NO_LEVELS;
}

static bool
owner_selects(Oid lookup, const List *names)
{
	Oid			owner = pegs_owner_of(lookup);
	const ListCell *cell;

	if (pg_class_aclcheck(lookup, owner, ACL_SELECT) == ACLCHECK_OK)
		return true;
	foreach(cell, names)
		if (pg_attribute_aclcheck(lookup, get_attnum(lookup, lfirst(cell)), owner, ACL_SELECT) != ACLCHECK_OK)
			return false;
	return true;
}

/* A problem, in words; NULL: it is read. */
static char *
unread(Oid lookup, const List *parts, List *names, char **remedy)
{
	char	   *why = pegs_unreadable(lookup, parts, names, remedy);

	/* it is read as its owner, whom row security may bind too, or who has lost a right */
	if (why == NULL)
		why = pegs_unread_by_owner(lookup, owner_selects(lookup, names), remedy);
	return why ? psprintf(PEGS_UNREADABLE "%s", why) : NULL;
}

/* One lookup table that cannot be read is a problem of its column, and of no other. */
bool
pegs_may_read_lookup(PegsColumn *column, Oid lookup, const List *parts, List *names)
{
	char	   *problem = unread(lookup, parts, names, &column->remedy);

	if (problem)
		column->problem = problem;
	return problem == NULL;
}

/* Distinct values of a public lookup table's column, in their own order, by the rights that the caller has now. */
void
pegs_load_lookup(PegsColumn *column, Oid lookup, const char *lookup_column, const PegsSource *source)
{
	Oid			type;
	List	   *parts;
	const char *problem = pegs_lookup_problem(lookup, lookup_column, source->account, &type, &parts);
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
	if (!pegs_may_read_lookup(column, lookup, parts, list_make1(pstrdup(lookup_column))))
		return;
	if (pegs_public_is_moved(parts))
	{
		column->problem = MOVED;
		return;
	}
	reading = pegs_reading_relation(lookup, list_make1(pstrdup(lookup_column)));
	reading->only = parts;
	column->lookup = pegs_relation_words(lookup);
	column->nlabels = 0;
	column->labels = palloc(sizeof(char *) * receiver.room);
	pegs_read(reading,
			  psprintf("SELECT s.v::pg_catalog.text FROM (SELECT DISTINCT %s AS v FROM %s WHERE %s IS NOT NULL) s ORDER BY s.v%s",
					   quoted, reading->name, quoted,
					   type == TEXTOID || type == VARCHAROID || type == BPCHAROID ? " COLLATE \"C\"" : ""),
			  NULL, (DestReceiver *) &receiver);
	pegs_require_public_there(lookup, parts);
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

/* ---- a value for each key ---- */

typedef struct Mapping
{
	DestReceiver pub;
	char	  **from;
	char	  **to;
	int			n;
	int			room;
	MemoryContext context;
} Mapping;

static bool
receive_pair(TupleTableSlot *slot, DestReceiver *self)
{
	Mapping    *mapping = (Mapping *) self;
	MemoryContext old = MemoryContextSwitchTo(mapping->context);

	slot_getallattrs(slot);
	if (mapping->n == mapping->room)
	{
		mapping->room *= 2;
		mapping->from = repalloc_huge(mapping->from, sizeof(char *) * mapping->room);
		mapping->to = repalloc_huge(mapping->to, sizeof(char *) * mapping->room);
	}
	mapping->from[mapping->n] = TextDatumGetCString(slot->tts_values[0]);
	mapping->to[mapping->n++] = TextDatumGetCString(slot->tts_values[1]);
	MemoryContextSwitchTo(old);
	return true;
}

/* Why it has no value for any key; NULL: it has. *remedy: of what cannot be read, else NULL. By the catalog alone. */
char *
pegs_mapping_problem(Oid lookup, const char *key, const char *value, const PegsSource *source, List **parts, char **remedy)
{
	Oid			type;
	const char *problem = pegs_lookup_problem(lookup, key, source->account, &type, parts);

	*remedy = NULL;
	if (problem == NULL)
		problem = pegs_lookup_problem(lookup, value, source->account, &type, parts);
	if (problem == NULL && pegs_public_is_moved(*parts))
		problem = MOVED;
	return problem ? pstrdup(problem) : unread(lookup, *parts, list_make2(pstrdup(key), pstrdup(value)), remedy);
}

/* Its two columns, as texts, by the rights that the caller has now. */
int
pegs_load_mapping(const PegsColumn *column, Oid lookup, const char *key, const char *value, const PegsSource *source, char ***from, char ***to)
{
	List	   *parts;
	char	   *remedy;
	const char *problem = pegs_mapping_problem(lookup, key, value, source, &parts, &remedy);
	Mapping		receiver = {
		.pub = {receive_pair, lookup_startup, lookup_nothing, lookup_nothing, DestTuplestore},
		.room = 64,
		.context = CurrentMemoryContext
	};
	PegsReading *reading;

	if (problem)
		ereport(ERROR,
				(errcode(remedy ? ERRCODE_INSUFFICIENT_PRIVILEGE : ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("the hierarchy of column \"%s\" cannot be used: %s", column->name, problem),
				 remedy ? errhint("%s", remedy) : errhint("Declare it anew, or forget it: %s", pegs_forget_hierarchy_call(source, column->name))));
	reading = pegs_reading_relation(lookup, list_make2(pstrdup(key), pstrdup(value)));
	reading->only = parts;
	receiver.from = palloc(sizeof(char *) * receiver.room);
	receiver.to = palloc(sizeof(char *) * receiver.room);
	pegs_read(reading,
			  psprintf("SELECT DISTINCT %s::pg_catalog.text, %s::pg_catalog.text FROM %s WHERE %s IS NOT NULL AND %s IS NOT NULL",
					   quote_identifier(key), quote_identifier(value), reading->name, quote_identifier(key), quote_identifier(value)),
			  NULL, (DestReceiver *) &receiver);
	pegs_require_public_there(lookup, parts);
	*from = receiver.from;
	*to = receiver.to;
	return receiver.n;
}
