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
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "core/possible.h"

/* One combination on a domain; false if a column of it is not there. A value that is not declared is an error or left out. */
static bool
read_zero(pegs_zero *zero, const PegsDomain *domain, Jsonb *combination, bool strict)
{
	JsonbIterator *it = JsonbIteratorInit(&combination->root);
	JsonbValue	item;
	JsonbIteratorToken token;
	uint32_t	column = 0;
	int			depth = 0;

	memset(zero, 0, sizeof(*zero));
	while ((token = JsonbIteratorNext(&it, &item, false)) != WJB_DONE)
	{
		int			found;

		depth += (token == WJB_BEGIN_ARRAY || token == WJB_BEGIN_OBJECT) - (token == WJB_END_ARRAY || token == WJB_END_OBJECT);
		if (depth > 2 || (token == WJB_BEGIN_OBJECT && depth > 1))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("combination must give a value or a list of values for each column"),
					 errhint("For example: '{\"sex\": \"M\", \"mdc\": [\"14\"]}'")));
		if (token == WJB_KEY)
		{
			char	   *name = pnstrdup(item.val.string.val, item.val.string.len);

			found = pegs_domain_find(domain, name);
			if (found < 0 && strict)
				ereport(ERROR,
						(errcode(ERRCODE_UNDEFINED_COLUMN),
						 errmsg("combination names \"%s\", which is not a column", name),
						 errhint("For example: '{\"sex\": \"M\", \"mdc\": [\"14\"]}'")));
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
						 errhint("%s", domain->column[found].remedy ? domain->column[found].remedy : "Declare its levels or bins.")));
			column = found;
			zero->column[zero->n] = column;
			zero->level[zero->n++] = palloc0(sizeof(bool) * pegs_column_levels(&domain->column[column]));
		}
		else if (token == WJB_VALUE || (token == WJB_ELEM && depth == 2))
		{
			found = pegs_code_of(&domain->column[column], NULL, &item);
			if (found < 0 && strict)
				ereport(ERROR,
						(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						 errmsg("a value given for column \"%s\" is not in its declared domain", domain->column[column].name),
						 errhint("SELECT levels FROM pegs_domain(...) WHERE column_name = %s;", quote_literal_cstr(domain->column[column].name))));
			if (found >= 0)
				zero->level[zero->n - 1][found] = true;
		}
	}
	return zero->n > 0;
}

/* The same columns by the names that the base table has for them; "" for one that a view computes. */
static PegsDomain *
domain_of_base(const PegsDomain *domain, const PegsSource *source)
{
	PegsDomain *base = palloc(sizeof(PegsDomain));

	*base = *domain;
	base->column = palloc(sizeof(PegsColumn) * (domain->ncols + 1));
	for (int i = 0; i < domain->ncols; i++)
	{
		AttrNumber	at;

		base->column[i] = domain->column[i];
		base->column[i].name = pegs_base_column(source, get_attnum(source->relid, domain->column[i].name), &at)
			? get_attname(source->account, at, false) : "";
	}
	return base;
}

/* The combination with the names of `from` replaced by those of `to`. */
static Jsonb *
rename_keys(Jsonb *combination, const PegsDomain *from, const PegsDomain *to)
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
			char	   *name = pnstrdup(item.val.string.val, item.val.string.len);
			char	   *base = to->column[pegs_domain_find(from, name)].name;

			if (base[0] == '\0')
				ereport(ERROR,
						(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
						 errmsg("column \"%s\" is computed by a view: structural zeros belong to the table", name),
						 errhint("Name columns of the table.")));
			item.val.string.val = base;
			item.val.string.len = strlen(base);
		}
		result = pushJsonbValue(&state, token, token < WJB_BEGIN_ARRAY ? &item : NULL);
	}
	return JsonbValueToJsonb(result);
}

/* The zeros of the source's table whose columns are all in the domain. */
void
pegs_load_zeros(PegsDomain *domain, const PegsSource *source)
{
	PegsAs		saved;
	PegsArg		arg = {REGCLASSOID, ObjectIdGetDatum(source->account), false};
	MemoryContext context = CurrentMemoryContext;
	PegsDomain *base;
	Jsonb	  **combinations;
	int			n;

	pegs_begin_as_extension(&saved);
	pegs_spi_now("SELECT combination FROM pegs_internal.forbidden WHERE source = $1 ORDER BY combination::text COLLATE \"C\"",
			 SPI_OK_SELECT, 1, &arg);
	n = SPI_processed;
	combinations = MemoryContextAlloc(context, sizeof(Jsonb *) * (n + 1));
	for (int i = 0; i < n; i++)
	{
		bool		isnull;
		Datum		value = SPI_getbinval(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, 1, &isnull);
		MemoryContext old = MemoryContextSwitchTo(context);

		combinations[i] = DatumGetJsonbPCopy(value);
		MemoryContextSwitchTo(old);
	}
	pegs_end_as(&saved);
	base = domain_of_base(domain, source);
	domain->zeros = palloc0(sizeof(pegs_zero) * (n + 1));
	domain->nzeros = 0;
	for (int i = 0; i < n; i++)
		domain->nzeros += read_zero(&domain->zeros[domain->nzeros], base, combinations[i], false);
}

void
pegs_add_zero(const PegsSource *source, Jsonb *combination)
{
	PegsDomain *domain = pegs_domain_of(source);
	PegsAs		saved;
	PegsArg		args[2] = {{REGCLASSOID, ObjectIdGetDatum(source->account), false}, {JSONBOID, 0, false}};
	pegs_zero	zero;

	if (!read_zero(&zero, domain, combination, true))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("combination must name a column"),
				 errhint("For example: '{\"sex\": \"M\", \"mdc\": [\"14\"]}'")));
	args[1].value = JsonbPGetDatum(rename_keys(combination, domain, domain_of_base(domain, source)));
	pegs_begin_as_extension(&saved);
	pegs_spi_now("INSERT INTO pegs_internal.forbidden (source, combination) VALUES ($1, $2) ON CONFLICT DO NOTHING",
			 SPI_OK_INSERT, 2, args);
	pegs_end_as(&saved);
}

/* pegs_forbid(source regclass, combination jsonb): NULL forgets all of them */
PG_FUNCTION_INFO_V1(pegs_forbid);
Datum
pegs_forbid(PG_FUNCTION_ARGS)
{
	PegsSource *source = pegs_curated_source(pegs_arg_oid(fcinfo, 0, "source"), "declare its structural zeros");
	Jsonb	   *combination = pegs_arg_object(fcinfo, 1, "combination");
	PegsAs		saved;
	PegsArg		arg = {REGCLASSOID, ObjectIdGetDatum(source->account), false};

	if (combination)
	{
		pegs_add_zero(source, combination);
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
