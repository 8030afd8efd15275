/*
 * example.c
 *	  What hints show: columns of the table that the caller has at hand, so that what is pasted runs.
 */
#include "facts/facts.h"

#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/json.h"

/* Names of the first n columns that a statement may name, of `among` (NIL: of all): fewer, if there are no more. */
static List *
first_columns(const PegsDomain *domain, List *among, int n)
{
	List	   *names = NIL;

	for (int i = 0; i < domain->ncols && list_length(names) < n; i++)
	{
		const PegsColumn *column = &domain->column[i];

		if (!column->problem && !column->left_out && !column->part && (among == NIL || pegs_has_name(among, column->name)))
			names = lappend(names, column->name);
	}
	return names;
}

char *
pegs_parents_example(const PegsDomain *domain, List *among)
{
	List	   *names = first_columns(domain, among, 2);
	StringInfoData object;

	if (list_length(names) < 2)
		return "parents => '{}'";
	initStringInfo(&object);
	appendStringInfoChar(&object, '{');
	escape_json(&object, lsecond(names));
	appendStringInfoString(&object, ": [");
	escape_json(&object, linitial(names));
	appendStringInfoString(&object, "]}");
	return psprintf("parents => %s", quote_literal_cstr(object.data));
}

/* As an argument: ARRAY['...', '...']. A table without columns of use has none to show. */
char *
pegs_columns_example(const PegsDomain *domain, int n)
{
	StringInfoData list;
	ListCell   *cell;

	initStringInfo(&list);
	foreach(cell, first_columns(domain, NIL, n))
		appendStringInfo(&list, "%s%s", list.len > 0 ? ", " : "ARRAY[", quote_literal_cstr(lfirst(cell)));
	return list.len > 0 ? psprintf("%s]", list.data) : "ARRAY['...']";
}

/* A literal of an object of one member: its name, or its value if that is a text, may have quotes of both kinds. */
char *
pegs_object_example(const char *name, const char *value)
{
	StringInfoData object;

	initStringInfo(&object);
	appendStringInfoChar(&object, '{');
	escape_json(&object, name);
	appendStringInfo(&object, ": %s}", value);
	return quote_literal_cstr(object.data);
}

char *
pegs_text_example(const char *text)
{
	StringInfoData value;

	initStringInfo(&value);
	escape_json(&value, text);
	return value.data;
}
