/*
 * show.c
 *	  A domain for a person to read: pegs_domain, and the column list of AS t(...).
 */
#include "facts/facts.h"
#include "codes/codes.h"

#include "catalog/pg_type.h"
#include "funcapi.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/tuplestore.h"

#define SHOWN 20				/* levels in a line of pegs_domain */

/* The first ones; of more than SHOWN the last item says so. */
static Datum
levels_array(const PegsColumn *column)
{
	int			all = pegs_column_levels(column);
	int			n = Min(all, SHOWN + 1);
	Datum	   *items = palloc0(sizeof(Datum) * n);
	bool	   *nulls = palloc0(sizeof(bool) * n);
	int			lower = 1;

	for (int i = 0; i < n; i++)
	{
		char	   *text = i == SHOWN && all > n ? "..." : pegs_level_text(column, i);

		nulls[i] = text == NULL;
		items[i] = text ? CStringGetTextDatum(text) : 0;
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
		const char *problem = column->problem;
		char	   *remedy = column->remedy;
		const char *chain = pegs_computed_itself(column, domain);
		Datum		values[7];
		bool		nulls[7] = {false};

		namestrcpy(&name, column->name);
		values[0] = NameGetDatum(&name);
		values[1] = CStringGetTextDatum(format_type_with_typemod(column->type, column->typmod));
		nulls[2] = column->origin == NULL && column->derived == NULL;
		values[2] = nulls[2] ? 0 : CStringGetTextDatum(column->function ? psprintf("a function of \"%s\"", column->function->of)
													   : column->derived ? psprintf("computed: %s", column->derived) : column->origin);
		nulls[3] = column->origin == NULL;
		values[3] = nulls[3] ? 0 : levels_array(column);
		if (column->derived)
			problem = problem == NULL && column->remedy && column->origin ? psprintf("it is computed: its %s are used only where that cannot be", column->origin) : NULL;
		if (chain)
		{
			problem = psprintf("it is computed from column \"%s\", which is computed itself", chain);
			remedy = pegs_remedy_for_chain(column, chain, domain, source);
		}
		if (problem == NULL && column->origin)
			problem = pegs_hierarchy_problem(source, column, &remedy);
		nulls[4] = problem == NULL;
		values[4] = nulls[4] ? 0 : CStringGetTextDatum(problem);
		nulls[5] = remedy == NULL || nulls[4];
		values[5] = nulls[5] ? 0 : CStringGetTextDatum(remedy);
		nulls[6] = column->origin == NULL;
		values[6] = Int32GetDatum(nulls[6] ? 0 : pegs_column_levels(column));
		tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
	}
	return (Datum) 0;
}

/* pegs_levels(source regclass, column_name name) → setof text: all of them, in order */
PG_FUNCTION_INFO_V1(pegs_levels);
Datum
pegs_levels(PG_FUNCTION_ARGS)
{
	PegsSource *source = pegs_curated_source(pegs_arg_oid(fcinfo, 0, "source"), "see its declared domain");
	PegsDomain *domain = pegs_domain_of(source);
	ReturnSetInfo *result;
	int			c = PG_ARGISNULL(1) ? -1 : pegs_domain_find(domain, NameStr(*PG_GETARG_NAME(1)));

	if (c < 0)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_COLUMN),
				 errmsg("column \"%s\" of %s does not exist", PG_ARGISNULL(1) ? "" : NameStr(*PG_GETARG_NAME(1)), source->name),
				 errhint("SELECT column_name FROM pegs_domain(%s);", quote_literal_cstr(source->name))));
	if (domain->column[c].problem && strncmp(domain->column[c].problem, PEGS_UNREADABLE, strlen(PEGS_UNREADABLE)) == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("column \"%s\" cannot be used: %s", domain->column[c].name, domain->column[c].problem),
				 errhint("%s", domain->column[c].remedy)));
	result = pegs_materialize(fcinfo, false);
	for (int i = 0; domain->column[c].origin && i < pegs_column_levels(&domain->column[c]); i++)
	{
		char	   *text = pegs_level_text(&domain->column[c], i);
		Datum		value = text ? CStringGetTextDatum(text) : 0;
		bool		isnull = text == NULL;

		tuplestore_putvalues(result->setResult, result->setDesc, &value, &isnull);
	}
	return (Datum) 0;
}

static void
put_column(StringInfo list, const char *name, Oid type, int32 typmod)
{
	if (OidIsValid(type))		/* else it was dropped, and cannot be asked for */
		appendStringInfo(list, "%s%s %s", list->len > 0 ? ", " : "", quote_identifier(name),
						 pegs_type_words(type, typmod));
}

/* "name type, ..." for AS t(...): what is computed has the place that it has in the table, what is hidden has none */
char *
pegs_column_list(const PegsDomain *domain)
{
	StringInfoData list;
	int			d = 0;

	initStringInfo(&list);
	for (int i = 0; i <= domain->ncols; i++)
	{
		for (; d < domain->nderived && domain->derived[d].place <= i; d++)
			put_column(&list, domain->derived[d].name, domain->derived[d].type, domain->derived[d].typmod);
		if (i < domain->ncols && domain->column[i].part == NULL)
			put_column(&list, domain->column[i].name, domain->column[i].type, domain->column[i].typmod);
	}
	return list.data;
}
