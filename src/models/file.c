/*
 * file.c
 *	  What a file must be to be an exported model: one that a fit could have made.
 *
 * A superuser vouches for a file's guarantee (export.c). What it says of itself must agree all the same: its account with
 * itself, its options with its tables, its facts with what a table here may be. So a certificate does not
 * contradict itself, and no use of the model is an error that nobody can mend.
 */
#include "models/file.h"
#include "codes/codes.h"
#include "read/read.h"

#include "catalog/namespace.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/varlena.h"

#include "core/possible.h"
#include "core/record.h"

/* ---- what cannot be read here ---- */

/* What the file itself is wrong by is said in one way, whatever has found it; out of memory and a cancel pass by. */
static void
refuse_cause(MemoryContext context)
{
	ErrorData  *cause;
	int			category;

	MemoryContextSwitchTo(context);
	cause = CopyErrorData();
	category = ERRCODE_TO_CATEGORY(cause->sqlerrcode);
	if (category != ERRCODE_DATA_EXCEPTION && category != ERRCODE_SYNTAX_ERROR_OR_ACCESS_RULE_VIOLATION && category != ERRCODE_INVALID_SCHEMA_NAME)
		PG_RE_THROW();
	FlushErrorState();
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
			 errmsg("this is not an exported model, or its facts cannot be read here"),
			 cause->detail ? errdetail("%s: %s", cause->message, cause->detail) : errdetail("%s.", cause->message),
			 cause->hint && cause->sqlerrcode != ERRCODE_INVALID_PARAMETER_VALUE ? errhint("%s", cause->hint)
			 : errhint("Import what pegs_export gave, into a database that has the types of its columns.")));
}

/* Labels must be values of their types here, and what may not run here is an error now. */
static void
require_values(const PegsDomain *domain)
{
	for (int i = 0; i < domain->ncols; i++)
		(void) pegs_decoder(&domain->column[i]);
	for (int i = 0; i < domain->nderived; i++)
		(void) pegs_expression(&domain->derived[i], domain);
}

/* The name of a table, maybe with its schema's. */
static void
require_table_name(const char *name)
{
	RangeVar   *table = makeRangeVarFromNameList(textToQualifiedNameList(cstring_to_text(name)));

	if (table->catalogname)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_NAME),
				 errmsg("the name of a table has more than two parts"),
				 errhint("It is \"schema.table\".")));
}

PegsSpec *
pegs_spec_of_file(const pegs_wire *wire, PegsFileWords *words)
{
	MemoryContext context = CurrentMemoryContext;
	char	   *text = pegs_text_of_bytes(wire);
	PegsSpec   *volatile spec = NULL;
	ListCell   *cell;

	PG_TRY();
	{
		spec = pegs_spec_parse(text);
		require_values(spec->domain);
		for (int t = 0; spec->related && t < spec->related->n; t++)
		{
			require_table_name(spec->related->member[t].table);
			require_values(spec->related->member[t].spec->domain);
		}
		pegs_read_file_words(text, spec, words);
		foreach(cell, words->lookups)
			require_table_name(lfirst(cell));
	}
	PG_CATCH();
	{
		refuse_cause(context);
	}
	PG_END_TRY();
	return spec;
}

/* ---- what no fit makes ---- */

/* Two texts of one value? */
static bool
has_value_twice(const PegsColumn *column)
{
	char	  **texts = palloc(sizeof(char *) * (column->nlabels + 1));
	Datum	   *values = column->nlabels > 0 ? pegs_values(column->type, column->typmod, column->labels, column->nlabels) : NULL;

	for (int i = 0; i < column->nlabels; i++)
	{
		CHECK_FOR_INTERRUPTS();
		texts[i] = pegs_output(column->type, values[i]);
	}
	return pegs_twice(texts, column->nlabels) != NULL;
}

static const char *
problem_of_domain(const PegsDomain *domain)
{
	pegs_env	env = pegs_env_in(CurrentMemoryContext);
	pegs_zeros	zeros = {domain->nzeros, domain->zeros};
	uint32_t   *levels = palloc(sizeof(uint32_t) * domain->ncols);

	for (int i = 0; i < domain->ncols; i++)
	{
		const PegsColumn *column = &domain->column[i];

		levels[i] = (uint32_t) pegs_column_levels(column);
		if (column->name[0] == '\0')
			return "a column has no name";
		if (has_value_twice(column))
			return "two levels of a column are one value";
		if (column->nedges > 0 && !(pegs_is_finite(column->edges[0]) && pegs_is_finite(column->edges[column->nedges - 1])))
			return "a bin has no end";
	}
	for (int i = 0; i < domain->nderived; i++)
		if (domain->derived[i].name[0] == '\0')
			return "a column has no name";
	if (zeros.n > 0 && !pegs_some_row_is_possible(&env, (uint32_t) domain->ncols, levels, &zeros, NULL))
		return "nearly every row is forbidden";
	return NULL;
}

/* Path rows have ranks, and nothing else has. */
static bool
is_of_tables(const pegs_wire *wire)
{
	return wire->method == pegs_method_of_old(false, 0) && ((const pegs_fitted *) wire->model)->rank != NULL;
}

/* Of several tables: can rows of all of them be made of it, for the unit that it says? */
static bool
holds_tables(const PegsRelated *related, const pegs_wire *wire)
{
	pegs_env	env = pegs_env_in(CurrentMemoryContext);
	pegs_blocks *blocks;

	if (!is_of_tables(wire) || wire->method->accountant(wire->model)->rows_per_unit != PEGS_PATHS || wire->method->accountant(wire->model)->rows_each != PEGS_PATHS)
		return false;
	return pegs_blocks_open(&env, &related->relations, wire->model, 1, NULL, &blocks) == PEGS_OK;
}

/* Are they counted by these facts, as far as numbers of columns and levels say? */
static bool
is_counted_by(const PegsSpec *spec, const pegs_wire *wire)
{
	if (spec->tables != wire->method->tables || spec->domain->ncols != (int) wire->ncols || (spec->sloped && wire->method->shares == NULL))
		return false;
	for (int i = 0; i < spec->domain->ncols; i++)
		if (pegs_column_levels(&spec->domain->column[i]) != (int) wire->levels[i])
			return false;
	return spec->related ? holds_tables(spec->related, wire) : !is_of_tables(wire);
}

/* A key is made, and a computed column is not. */
static bool
computes_a_key(const PegsMember *member)
{
	for (int k = 0; k < member->nkeys; k++)
		if (pegs_derived_find(member->spec->domain, member->key[k].column))
			return true;
	return false;
}

/* What it says that it was told, beside what it is. */
static const char *
problem_of_options(PegsSpec *spec, const pegs_wire *wire)
{
	const pegs_method *method = wire->method;
	pegs_env	env = pegs_env_in(CurrentMemoryContext);
	pegs_layout layout;

	if (!pegs_settle_stored_options(spec, method))
		return "its options are none of its method";
	if (spec->target && !method->aims)
		return "it has a target, and its method has none";
	if (spec->tables == PEGS_CONDITIONAL && !pegs_has_parents(method) && (spec->tail_bits > 0 || spec->parent_start[spec->domain->ncols] > 0))
		return "its columns have parents, and its method has none";
	if (method->refuse == NULL && method->is_of == NULL)
		return NULL;
	pegs_spec_layout(spec, &env, &layout);
	if (method->refuse && method->refuse(&layout).why)
		return "no fit takes its options";
	if (method->is_of && !method->is_of(&env, wire->model, &layout))
		return "no fit with its options makes its tables";
	return NULL;
}

const char *
pegs_file_problem(PegsSpec *spec, const pegs_wire *wire)
{
	const char *problem = problem_of_domain(spec->domain);

	if (!is_counted_by(spec, wire))
		return "its facts do not fit its tables";
	for (int t = 0; spec->related && t < spec->related->n && problem == NULL; t++)
		problem = computes_a_key(&spec->related->member[t]) ? "a column is a key, and computed" : problem_of_domain(spec->related->member[t].spec->domain);
	if (problem == NULL && !pegs_accountant_agrees(wire->method->accountant(wire->model), wire->method->of_a_model))
		problem = "its account does not agree with itself";
	if (problem == NULL && spec->related == NULL)
		problem = problem_of_options(spec, wire);
	return problem;
}
