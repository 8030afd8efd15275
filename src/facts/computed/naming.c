/*
 * naming.c
 *	  The columns that an expression may name, as it names them: for hints.
 */
#include "facts/facts.h"

#include "lib/stringinfo.h"
#include "utils/builtins.h"

/* Columns of a row, without one, as an expression names them. A column that was dropped has no name there. */
char *
pegs_names_of_row(const PegsDomain *row, const char *without)
{
	StringInfoData names;

	initStringInfo(&names);
	for (int i = 0; i < row->ncols; i++)
		if (*row->column[i].name && strcmp(row->column[i].name, without) != 0)
			appendStringInfo(&names, "%s%s", names.len > 0 ? ", " : "", quote_identifier(row->column[i].name));
	return names.data;
}

/* One of them that stands in quotes there; NULL: none does. */
const char *
pegs_name_in_quotes(const PegsDomain *row, const char *without)
{
	for (int i = 0; i < row->ncols; i++)
	{
		const char *name = row->column[i].name;

		if (*name && strcmp(name, without) != 0 && quote_identifier(name) != name)
			return quote_identifier(name);
	}
	return NULL;
}
