/*
 * unread.c
 *	  Why a query that runs as a table's owner could not read it.
 *
 * For who shows what is declared: in the words of the error, with a statement
 * that mends it. By the catalog alone: law L1.
 */
#include "facts/facts.h"

#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rls.h"

/* NULL: it can. selects: he has the right to what is read. */
char *
pegs_unread_by_owner(Oid table, bool selects, char **remedy)
{
	Oid			owner = pegs_owner_of(table);
	Oid			schema = get_rel_namespace(table);
	const char *role = quote_identifier(GetUserNameFromId(owner, false));
	const char *words = pegs_relation_words(table);

	if (!pegs_may_use_schema(schema, owner))
	{
		*remedy = psprintf("GRANT USAGE ON SCHEMA %s TO %s;", quote_identifier(get_namespace_name(schema)), role);
		return psprintf("permission denied for schema %s", get_namespace_name(schema));
	}
	if (!selects)
	{
		*remedy = psprintf("GRANT SELECT ON %s TO %s;", words, role);
		return psprintf("permission denied for table %s", get_rel_name(table));
	}
	if (check_enable_rls(table, owner, true) == RLS_ENABLED)
	{
		*remedy = psprintf("ALTER TABLE %s NO FORCE ROW LEVEL SECURITY;", words);
		return psprintf("query would be affected by row-level security policy for table \"%s\"", get_rel_name(table));
	}
	return NULL;
}
