/*
 * show.c
 *	  A domain for a person to read: pegs_domain, and the column list of AS t(...).
 */
#include "facts/facts.h"

#include "catalog/pg_type.h"
#include "funcapi.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/tuplestore.h"

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

/* "name type, ..." for AS t(...) */
char *
pegs_column_list(const PegsDomain *domain)
{
	StringInfoData list;

	initStringInfo(&list);
	for (int i = 0; i < domain->ncols; i++)
		if (OidIsValid(domain->column[i].type)) /* else it was dropped, and cannot be asked for */
			appendStringInfo(&list, "%s%s %s", list.len > 0 ? ", " : "", quote_identifier(domain->column[i].name),
							 format_type_extended(domain->column[i].type, domain->column[i].typmod,
												  FORMAT_TYPE_TYPEMOD_GIVEN));
	return list.data;
}
