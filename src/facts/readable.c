/*
 * readable.c
 *	  What would stop a fit of related tables when it reads their rows: all are
 *	  read by one query, as their owner (read/units_query.c).
 *
 * For pegs_schema, which says it in the words of the error, with a statement
 * that mends it. By the catalog and declarations alone: law L1.
 */
#include "facts/facts.h"
#include "facts/links.h"
#include "budget/budget.h"

#include "access/table.h"
#include "nodes/bitmapset.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/rls.h"

/* What a fit reads of it where nobody names columns: what it models, the key to its parent, and what tables below refer to. */
static Bitmapset *
columns_read(Oid table)
{
	const PegsDomain *domain = pegs_domain_of(pegs_source(table));
	const PegsForeignKey *own = pegs_own_key(table);
	Relation	rel = table_open(table, AccessShareLock);
	Bitmapset  *made = pegs_primary_columns(rel);
	Bitmapset  *columns = pegs_referred_by_children(table);

	table_close(rel, NoLock);
	for (int i = 0; own && i < own->n; i++)
		columns = bms_add_member(columns, own->attnum[i]);
	for (int i = 0; i < domain->ncols; i++)
	{
		const PegsColumn *column = &domain->column[i];
		AttrNumber	attnum = get_attnum(table, column->part ? column->part->column : column->name);

		/* a key that is made is not read, but for a reference */
		if (attnum > 0 && (column->left_out == NULL || column->origin)
			&& (!bms_is_member(attnum, made) || pegs_is_referring(table, attnum) || pegs_is_value_in_key(table, attnum)))
			columns = bms_add_member(columns, attnum);
	}
	return columns;
}

static bool
may_select(Oid table, Oid owner)
{
	Bitmapset  *columns;
	int			attnum = -1;

	if (pg_class_aclcheck(table, owner, ACL_SELECT) == ACLCHECK_OK)
		return true;
	columns = columns_read(table);
	while ((attnum = bms_next_member(columns, attnum)) >= 0)
		if (pg_attribute_aclcheck(table, (AttrNumber) attnum, owner, ACL_SELECT) != ACLCHECK_OK)
			return false;
	return true;
}

/* Why its rows could not be read with those of its root; NULL: they can. */
char *
pegs_unread_problem(Oid table, Oid root, char **remedy)
{
	Oid			owner = pegs_owner_of(table);
	Oid			schema = get_rel_namespace(table);
	const char *role = quote_identifier(GetUserNameFromId(pegs_owner_of(root), false));
	const char *words = pegs_relation_words(table);

	if (owner != pegs_owner_of(root))
	{
		*remedy = psprintf("ALTER TABLE %s OWNER TO %s;", words, role);
		return psprintf("tables \"%s\" and \"%s\" have different owners", get_rel_name(root), get_rel_name(table));
	}
	if (!pegs_may_use_schema(schema, owner))
	{
		*remedy = psprintf("GRANT USAGE ON SCHEMA %s TO %s;", quote_identifier(get_namespace_name(schema)), role);
		return psprintf("permission denied for schema %s", get_namespace_name(schema));
	}
	if (!may_select(table, owner))
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
