/*
 * words.c
 *	  Names, types and lists in statements that are printed for a person to run.
 *
 * Whoever runs them has a search_path of his own, and names hold what their
 * owners like: a quote or a backslash, too. So no other code writes a list of
 * names in braces, and none the type of a statement (test/house/printed).
 */
#include "server/server.h"

#include "access/htup_details.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_namespace.h"
#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

/* "'{a, "b c"}'" of names (of char *), as a literal: what quote_identifier doubles, an array escapes. */
char *
pegs_array_literal(const List *names)
{
	StringInfoData list;
	ListCell   *cell;

	initStringInfo(&list);
	foreach(cell, names)
	{
		const char *name = lfirst(cell);

		appendStringInfoString(&list, list.len > 0 ? ", " : "{");
		if (quote_identifier(name) == name)
		{
			appendStringInfoString(&list, name);
			continue;
		}
		appendStringInfoChar(&list, '"');
		for (const char *p = name; *p; p++)
		{
			if (*p == '"' || *p == '\\')
				appendStringInfoChar(&list, '\\');
			appendStringInfoChar(&list, *p);
		}
		appendStringInfoChar(&list, '"');
	}
	appendStringInfoString(&list, list.len > 0 ? "}" : "{}");
	return quote_literal_cstr(list.data);
}

/* With its schema, unless it is one of the server's own. */
char *
pegs_type_words(Oid type, int32 typmod)
{
	Oid			element = get_element_type(type);
	HeapTuple	tuple = SearchSysCache1(TYPEOID, ObjectIdGetDatum(OidIsValid(element) ? element : type));
	bool		own = HeapTupleIsValid(tuple) && ((Form_pg_type) GETSTRUCT(tuple))->typnamespace == PG_CATALOG_NAMESPACE;

	if (HeapTupleIsValid(tuple))
		ReleaseSysCache(tuple);
	return format_type_extended(type, typmod, own ? FORMAT_TYPE_TYPEMOD_GIVEN : FORMAT_TYPE_TYPEMOD_GIVEN | FORMAT_TYPE_FORCE_QUALIFY);
}

/* " COLLATE a.b"; "": it is that of the type, or none. */
char *
pegs_collate_words(Oid collation, Oid type)
{
	HeapTuple	tuple;
	char	   *words;

	if (!OidIsValid(collation) || collation == get_typcollation(type))
		return pstrdup("");
	tuple = SearchSysCache1(COLLOID, ObjectIdGetDatum(collation));
	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for collation %u", collation);
	words = quote_qualified_identifier(((Form_pg_collation) GETSTRUCT(tuple))->collnamespace == PG_CATALOG_NAMESPACE ? NULL
									   : get_namespace_name(((Form_pg_collation) GETSTRUCT(tuple))->collnamespace), NameStr(((Form_pg_collation) GETSTRUCT(tuple))->collname));
	ReleaseSysCache(tuple);
	return psprintf(" COLLATE %s", words);
}
