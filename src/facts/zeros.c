/*
 * zeros.c
 *	  Structural zeros, combinations that no synthetic row has: declared, read,
 *	  and whether they leave a row at all.
 *
 * They belong to the base table and are public facts: a fit takes those whose
 * columns are all in the model into its spec, and every row honours them
 * exactly. The rows of the table do not change them.
 */
#include "facts/facts.h"
#include "codes/codes.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "core/possible.h"

#define KEPT_BYTES 2700			/* of an entry of a B-tree: a third of a page */

/* One combination on a domain; false if a column of it is not there. Strict: as somebody gives it, and a value that is not declared is an error; else as it was kept, and it is left out. */
static bool
read_zero(pegs_zero *zero, const PegsDomain *domain, Jsonb *combination, const PegsSource *source, bool strict)
{
	JsonbIterator *it = JsonbIteratorInit(&combination->root);
	JsonbValue	item;
	JsonbIteratorToken token;
	uint32_t	column = 0;
	int			depth = 0;
	int			values = 0;		/* given for this column */
	PegsEncoder *encoder = NULL;	/* of this column */

	memset(zero, 0, sizeof(*zero));
	while ((token = JsonbIteratorNext(&it, &item, false)) != WJB_DONE)
	{
		int			found;

		depth += (token == WJB_BEGIN_ARRAY || token == WJB_BEGIN_OBJECT) - (token == WJB_END_ARRAY || token == WJB_END_OBJECT);
		if (depth > 2 || (token == WJB_BEGIN_OBJECT && depth > 1) || (strict && token == WJB_END_ARRAY && values == 0))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("combination must give a value or a list of values for each column"),
					 errhint("For example: '{\"sex\": \"M\", \"mdc\": [\"14\"]}'")));
		if (token == WJB_KEY)
		{
			char	   *name = pegs_json_key(&item);

			found = pegs_domain_find(domain, name);
			if (found >= 0 && domain->column[found].part)
				found = -1;		/* hidden: no column of the table */
			if (found < 0 && strict)
				ereport(ERROR,
						(errcode(ERRCODE_UNDEFINED_COLUMN),
						 errmsg("combination names \"%s\", which is not a column", name),
						 errhint("SELECT column_name FROM pegs_domain(%s);", quote_literal_cstr(source->name))));
			if (found < 0)
				return false;
			if (zero->n == PEGS_ZERO_COLUMNS)
				ereport(ERROR,
						(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						 errmsg("a combination can name at most %d columns", PEGS_ZERO_COLUMNS),
						 errhint("Forbid smaller combinations.")));
			if (domain->column[found].problem)
				ereport(ERROR,
						(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						 errmsg("column \"%s\" cannot be used: %s", name, domain->column[found].problem),
						 domain->column[found].nparts > 0 || domain->column[found].earlier ? errhint("Leave it out of the combination: hidden columns are in none.")
						 : errhint("%s", domain->column[found].remedy ? domain->column[found].remedy : "Declare its levels or bins.")));
			column = found;
			values = 0;
			encoder = NULL;
			zero->column[zero->n] = column;
			zero->level[zero->n++] = palloc0(sizeof(bool) * pegs_column_levels(&domain->column[column]));
		}
		else if (token == WJB_VALUE || (token == WJB_ELEM && depth == 2))
		{
			CHECK_FOR_INTERRUPTS();
			/* a label that was renamed since is an error, as it is to the server: what it forbade would be allowed */
			found = strict ? pegs_code_of_told(&domain->column[column], &encoder, &item, "combination")
				: get_typtype(domain->column[column].type) == TYPTYPE_ENUM ? pegs_code_of(&domain->column[column], &encoder, &item)
				: pegs_code_of_kept(domain, (int) column, &encoder, &item);
			if (found < 0 && strict)
				ereport(ERROR,
						(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						 errmsg("a value given for column \"%s\" is not in its declared domain", domain->column[column].name),
						 errhint("SELECT levels FROM pegs_domain(%s) WHERE column_name = %s;", quote_literal_cstr(source->name),
								 quote_literal_cstr(domain->column[column].name))));
			if (found >= 0)
				zero->level[zero->n - 1][found] = true;
			values++;
		}
	}
	return zero->n > 0;
}

/* ---- whose column a combination names: the table has other names than a view, and than it had ---- */

/* In the order in which the combination keeps them. */
static char **
names_of(Jsonb *combination, int *n)
{
	JsonbIterator *it = JsonbIteratorInit(&combination->root);
	char	  **names = palloc(sizeof(char *) * (JB_ROOT_COUNT(combination) + 1));
	JsonbValue	item;
	JsonbIteratorToken token;

	*n = 0;
	while ((token = JsonbIteratorNext(&it, &item, true)) != WJB_DONE)
		if (token == WJB_KEY)
			names[(*n)++] = pegs_json_key(&item);
	return names;
}

/* With other names, in the same order. */
static Jsonb *
rename_columns(Jsonb *combination, char *const *names)
{
	JsonbParseState *state = NULL;
	JsonbValue *result = NULL;
	JsonbIterator *it = JsonbIteratorInit(&combination->root);
	JsonbValue	item;
	JsonbIteratorToken token;

	while ((token = JsonbIteratorNext(&it, &item, false)) != WJB_DONE)
	{
		if (token == WJB_KEY)
		{
			item.val.string.val = *names++;
			item.val.string.len = strlen(item.val.string.val);
		}
		result = pushJsonbValue(&state, token, token < WJB_BEGIN_ARRAY ? &item : NULL);
	}
	return JsonbValueToJsonb(result);
}

/* What the table calls the columns that a combination names as the source does. */
static char **
names_in_table(const PegsSource *source, Jsonb *combination)
{
	int			n;
	char	  **names = names_of(combination, &n);

	for (int i = 0; i < n; i++)
	{
		AttrNumber	at;

		if (!pegs_base_column(source, get_attnum(source->relid, names[i]), &at))
			ereport(ERROR,
					(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					 errmsg("column \"%s\" is computed by a view: structural zeros belong to the table", names[i]),
					 errhint("Name columns of the table.")));
		names[i] = get_attname(source->account, at, false);
	}
	return names;
}

/* What the source calls the columns of its table, by their numbers: those of `columns` alone; NULL: none of these. */
static char **
names_in_source(const PegsSource *source, List *columns)
{
	char	  **names = palloc0(sizeof(char *) * (MaxAttrNumber + 1));
	ListCell   *cell;

	foreach(cell, columns)
	{
		AttrNumber	at;

		if (pegs_base_column(source, get_attnum(source->relid, lfirst(cell)), &at) && names[at] == NULL)
			names[at] = lfirst(cell);
	}
	return names;
}

/* Which column it is cannot be known: what was forbidden was forbidden of another one of that name, or before a dump. */
static void
refuse_other_column(const PegsSource *source, const char *name, Jsonb *combination)
{
	char	   *table = pegs_relation_literal(source->account);
	char	   *text = JsonbToCString(NULL, &combination->root, VARSIZE(combination));

	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("a forbidden combination of table \"%s\" names \"%s\", which is another column now", get_rel_name(source->account), name),
			 errdetail("The column that it was declared of was renamed or dropped."),
			 strlen(text) > 500 ? errhint("SELECT pegs_forbid(%s, NULL); forgets all of them.", table)
			 : errhint("SELECT pegs_forbid(%s, %s); says that it is about the column of now. SELECT pegs_forbid(%s, NULL); forgets all of them.",
					   table, quote_literal_cstr(text), table)));
}

/*
 * The combination by the names of the source, which are given by the numbers of
 * the table's columns; NULL if one of its columns is not among them. A column
 * that was renamed since is still the one that was meant.
 */
static Jsonb *
in_source(const PegsSource *source, char *const *by_number, Jsonb *combination, const AttrNumber *known)
{
	int			n;
	char	  **names = names_of(combination, &n);
	const char *other = NULL;

	for (int i = 0; i < n; i++)
	{
		AttrNumber	now = get_attnum(source->account, names[i]);

		if (known && now != known[i] && now > 0)
			other = names[i];
		if (known && (now < 1 || by_number[now] == NULL))
			now = known[i];
		if (now < 1 || by_number[now] == NULL)
			return NULL;
		if (other == NULL)
			names[i] = by_number[now];
	}
	if (other)
		refuse_other_column(source, other, combination);
	return rename_columns(combination, names);
}

/* Of the source's table, by names of the source: those that these columns can tell. */
List *
pegs_zeros_of(const PegsSource *source, List *columns)
{
	PegsAs		saved;
	PegsArg		arg = {REGCLASSOID, ObjectIdGetDatum(source->account), false};
	MemoryContext context = CurrentMemoryContext;
	SPITupleTable *rows;
	Jsonb	  **combinations;
	AttrNumber **known;
	char	  **by_number;
	List	   *zeros = NIL;
	int			n;

	pegs_begin_as_extension(&saved);
	pegs_spi_now(pegs_keeps("forbidden", "attnums")
				 ? "SELECT combination, CASE WHEN relation = source::pg_catalog.oid THEN attnums END FROM pegs_internal.forbidden"
				 " WHERE source = $1 ORDER BY combination::text COLLATE \"C\""
				 : "SELECT combination, NULL::int2[] FROM pegs_internal.forbidden WHERE source = $1 ORDER BY combination::text COLLATE \"C\"",
				 SPI_OK_SELECT, 1, &arg);
	n = SPI_processed;
	rows = SPI_tuptable;
	combinations = MemoryContextAlloc(context, sizeof(Jsonb *) * (n + 1));
	known = MemoryContextAllocZero(context, sizeof(AttrNumber *) * (n + 1));
	for (int i = 0; i < n; i++)
	{
		bool		isnull;
		MemoryContext old = MemoryContextSwitchTo(context);
		Datum		value = SPI_getbinval(rows->vals[i], rows->tupdesc, 1, &isnull);

		combinations[i] = DatumGetJsonbPCopy(value);
		value = SPI_getbinval(rows->vals[i], rows->tupdesc, 2, &isnull);
		if (!isnull)
		{
			ArrayType  *array = DatumGetArrayTypePCopy(value);

			if (ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array)) == (int) JB_ROOT_COUNT(combinations[i]) && !ARR_HASNULL(array))
				known[i] = (AttrNumber *) ARR_DATA_PTR(array);
		}
		MemoryContextSwitchTo(old);
	}
	pegs_end_as(&saved);
	by_number = names_in_source(source, columns);
	for (int i = 0; i < n; i++)
	{
		Jsonb	   *zero = in_source(source, by_number, combinations[i], known[i]);

		if (zero)
			zeros = lappend(zeros, zero);
	}
	return zeros;
}

/*
 * What is computed cannot be kept out of rows. A declaration that would allow it
 * is refused, but not each way to it: declared at the same time, on the other of a
 * view and its table, or of a generated column whose levels were forgotten.
 */
static void
refuse_computed(const PegsDomain *domain, const PegsSource *source, Jsonb *zero)
{
	int			n;
	char	  **names = names_of(zero, &n);

	for (int i = 0; i < n; i++)
		if (pegs_derived_find(domain, names[i]))
			ereport(ERROR,
					(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
					 errmsg("column \"%s\" is in a forbidden combination, and is computed from others", names[i]),
					 errdetail("Rows would have what is forbidden: it is kept out of what is modelled."),
					 errhint("Declare its levels or bins, and it is modelled: SELECT pegs_set_levels(%s, %s, ARRAY['...']); Or SELECT pegs_forbid(%s, NULL); forgets all"
							 " combinations: forbid those of the columns that it is computed from.",
							 quote_literal_cstr(source->name), quote_literal_cstr(names[i]), pegs_relation_literal(source->account))));
}

/* The zeros of the source's table whose columns are all in the domain. */
void
pegs_load_zeros(PegsDomain *domain, const PegsSource *source)
{
	List	   *columns = pegs_column_names(domain);
	List	   *zeros;
	ListCell   *cell;

	for (int i = 0; i < domain->nderived; i++)
		columns = lappend(columns, domain->derived[i].name);
	zeros = pegs_zeros_of(source, columns);
	domain->zeros = palloc0(sizeof(pegs_zero) * (list_length(zeros) + 1));
	domain->nzeros = 0;
	foreach(cell, zeros)
	{
		refuse_computed(domain, source, lfirst(cell));
		domain->nzeros += read_zero(&domain->zeros[domain->nzeros], domain, (Jsonb *) lfirst(cell), source, false);
	}
}

/* The numbers of the columns that the table's combination names. */
static PegsArg
numbers_argument(Oid account, Jsonb *combination)
{
	int			n;
	char	  **names = names_of(combination, &n);
	Datum	   *numbers = palloc(sizeof(Datum) * n);

	for (int i = 0; i < n; i++)
		numbers[i] = Int16GetDatum(get_attnum(account, names[i]));
	return (PegsArg) {INT2ARRAYOID, PointerGetDatum(construct_array(numbers, n, INT2OID, 2, true, 's')), false};
}

/* It is one entry of an index, which takes so much and no more: in parts it forbids the same. */
static void
insert_zero(const PegsArg *args)
{
	PegsAs		saved;

	pegs_begin_as_extension(&saved);
	PG_TRY();
	{
		pegs_spi_now(pegs_keeps("forbidden", "attnums")
					 ? "INSERT INTO pegs_internal.forbidden (source, combination, attnums, relation) VALUES ($1, $2, $3, $1::pg_catalog.oid)"
					 " ON CONFLICT (source, combination) DO UPDATE SET attnums = excluded.attnums, relation = excluded.relation"
					 : "INSERT INTO pegs_internal.forbidden (source, combination) VALUES ($1, $2) ON CONFLICT DO NOTHING",
					 SPI_OK_INSERT, 3, args);
	}
	PG_CATCH();
	{
		if (geterrcode() != ERRCODE_PROGRAM_LIMIT_EXCEEDED)
			PG_RE_THROW();
		FlushErrorState();
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("the combination is too large to be kept"),
				 errdetail("Compressed, one may have about %d bytes: some hundred values.", KEPT_BYTES),
				 errhint("Forbid it in parts, each with some of the values: together they forbid the same.")));
	}
	PG_END_TRY();
	pegs_end_as(&saved);
}

/* Of a source with this domain. */
void
pegs_add_zero(const PegsSource *source, const PegsDomain *domain, Jsonb *combination)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "pegs combination", ALLOCSET_SMALL_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	PegsArg		args[3] = {{REGCLASSOID, ObjectIdGetDatum(source->account), false}};
	Jsonb	   *stored;
	pegs_zero	zero;

	if (!read_zero(&zero, domain, combination, source, true))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("combination must name a column"),
				 errhint("For example: '{\"sex\": \"M\", \"mdc\": [\"14\"]}'")));
	/* what is forbidden is the same in every session */
	stored = rename_columns(pegs_kept_values(domain, combination), names_in_table(source, combination));
	args[1] = (PegsArg) {JSONBOID, JsonbPGetDatum(stored), false};
	args[2] = numbers_argument(source->account, stored);
	insert_zero(args);
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
}

/* pegs_forbid(source regclass, combination jsonb): NULL forgets all of them */
PG_FUNCTION_INFO_V1(pegs_forbid);
Datum
pegs_forbid(PG_FUNCTION_ARGS)
{
	PegsSource *source = (PG_ARGISNULL(1) ? pegs_curated_unread : pegs_curated_source) (pegs_arg_oid(fcinfo, 0, "source"), "declare its structural zeros");
	Jsonb	   *combination = pegs_arg_object(fcinfo, 1, "combination");
	PegsAs		saved;
	PegsArg		arg = {REGCLASSOID, ObjectIdGetDatum(source->account), false};

	if (combination)
	{
		pegs_add_zero(source, pegs_domain_of(source), combination);
		PG_RETURN_VOID();
	}
	pegs_begin_as_extension(&saved);
	pegs_spi_now("DELETE FROM pegs_internal.forbidden WHERE source = $1", SPI_OK_DELETE, 1, &arg);
	pegs_end_as(&saved);
	PG_RETURN_VOID();
}

/* ---- is there a row at all? ---- */

void
pegs_nothing_possible(const char *name)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("nearly every row of model \"%s\" is forbidden", name),
			 errdetail("No allowed row was found in %d tries.", PEGS_MAX_TRIES),
			 errhint("Give other values, or look at what pegs_forbid declared.")));
}

/* Is there an allowed row at all? Asked with an all-zero key, of which nothing is released, before a fit is charged. */
void
pegs_require_possible_row(const char *model, const PegsDomain *domain)
{
	pegs_env	env = pegs_env_in(CurrentMemoryContext);
	pegs_zeros	zeros = {domain->nzeros, domain->zeros};
	uint8_t		key[PEGS_KEY_BYTES] = {0};
	uint32_t   *levels = palloc(sizeof(uint32_t) * domain->ncols);

	for (int i = 0; i < domain->ncols; i++)
		levels[i] = (uint32_t) pegs_column_levels(&domain->column[i]);
	if (zeros.n > 0 && !pegs_uniform_row(&env, (uint32_t) domain->ncols, levels, &zeros, NULL, pegs_rng_in(CurrentMemoryContext, key, 0),
										 palloc(sizeof(uint16_t) * domain->ncols)))
		pegs_nothing_possible(model);
}
