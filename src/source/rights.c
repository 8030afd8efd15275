/*
 * rights.c
 *	  Who may do what, checked in C against the current user.
 *
 * A curator is a member of the role that owns the base table; superuser is
 * not needed. "No such model" and "not granted" are one error (object.c).
 */
#include "source/source.h"

#include "access/htup_details.h"
#include "access/relation.h"
#include "access/sysattr.h"
#include "catalog/objectaddress.h"
#include "catalog/pg_class.h"
#include "catalog/pg_namespace.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"

static bool
owns(Oid account, bool *dead)
{
	Oid			owner;

	/* an old snapshot shows what a dropped table left: his it must have been, too, beside what holds now */
	if (pegs_was_another(account, &owner) && !superuser() && !(OidIsValid(owner) && has_privs_of_role(GetUserId(), owner)))
	{
		*dead = true;
		return false;
	}
	/* the table is gone: what it left belongs to the role that owned it, whoever has its number now */
	*dead = pegs_is_dead(account, &owner);
	if (*dead)
		return superuser() || (OidIsValid(owner) && has_privs_of_role(GetUserId(), owner));
	owner = pegs_owner_of(account);
	if (!OidIsValid(owner))
		return superuser();
	return has_privs_of_role(GetUserId(), owner);
}

bool
pegs_is_curator(Oid account)
{
	bool		dead;

	return owns(account, &dead);
}

void
pegs_require_curator(Oid account, const char *action)
{
	bool		dead;
	char	   *name;

	if (owns(account, &dead))
		return;
	name = dead ? NULL : get_rel_name(account);
	ereport(ERROR,
			(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
			 errmsg("must be a member of the role that owns table \"%s\" to %s",
					name ? name : "(dropped)", action),
			 errhint("Ask the owner of the table, or have the owner's role granted to you.")));
}

static PegsSource *
curated(PegsSource *source, const char *action)
{
	pegs_settle_first(source->account);
	pegs_require_curator(source->account, action);
	return source;
}

PegsSource *
pegs_curated_source(Oid relid, const char *action)
{
	return curated(pegs_source(relid), action);
}

PegsSource *
pegs_curated_unread(Oid relid, const char *action)
{
	return curated(pegs_source_unread(relid), action);
}

/*
 * Whoever has SELECT on some columns alone has these read and no others, whatever
 * the query needs them for. It runs as the owner, who may read all, so it is asked
 * here, of the query as it was analysed. Columns: offset as selectedCols has them;
 * the row itself is all.
 */
void
pegs_require_named_columns(Oid relid, Oid caller, const Bitmapset *columns)
{
	int			column = -1;

	if (pg_class_aclcheck(relid, caller, ACL_SELECT) == ACLCHECK_OK)
		return;
	while ((column = bms_next_member(columns, column)) >= 0)
	{
		AttrNumber	attnum = (AttrNumber) (column + FirstLowInvalidHeapAttributeNumber);

		if (attnum == InvalidAttrNumber ? pg_attribute_aclcheck_all(relid, caller, ACL_SELECT, ACLMASK_ALL) != ACLCHECK_OK
			: pg_attribute_aclcheck(relid, attnum, caller, ACL_SELECT) != ACLCHECK_OK)
			aclcheck_error(ACLCHECK_NO_PRIV, get_relkind_objtype(get_rel_relkind(relid)), get_rel_name(relid));
	}
}

/* ---- views above rows of another server ---- */

bool
pegs_may_use_schema(Oid schema, Oid role)
{
#if PG_VERSION_NUM >= 160000
	return object_aclcheck(NamespaceRelationId, schema, role, ACL_USAGE) == ACLCHECK_OK;
#else
	return pg_namespace_aclcheck(schema, role, ACL_USAGE) == ACLCHECK_OK;
#endif
}

/* As in a query that names it: SELECT on it, or all that its owner may. */
static bool
may_ask_view(Relation view, Oid role, bool named)
{
	return has_privs_of_role(role, view->rd_rel->relowner)
		|| (pg_class_aclcheck(RelationGetRelid(view), role, ACL_SELECT) == ACLCHECK_OK
			&& (!named || pegs_may_use_schema(RelationGetNamespace(view), role)));
}

/*
 * Another server is asked as the owner of the view above the foreign table, by
 * the user mapping of that role, which may be shown other rows there than the
 * table's own owner. So each view is asked for, by whoever reads it: the caller,
 * and below a view its owner. What is stored here needs none of this.
 */
void
pegs_require_views(const PegsSource *source)
{
	Oid			role = GetUserId();
	ListCell   *cell;

	if (!pegs_has_foreign(source->parts))
		return;
	foreach(cell, source->chain)
	{
		Relation	view = relation_open(lfirst_oid(cell), NoLock);
		bool		named = lfirst_oid(cell) == source->relid;

		if (view->rd_rel->relkind != RELKIND_VIEW)
		{
			relation_close(view, NoLock);
			continue;
		}
		if (!may_ask_view(view, role, named))
			ereport(ERROR,
					(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
					 errmsg("permission denied for view \"%s\": rows of another server are read through it", RelationGetRelationName(view)),
					 errdetail("That server would be asked as role \"%s\", by its user mapping, for role \"%s\".",
							   GetUserNameFromId(view->rd_rel->relowner, false), GetUserNameFromId(role, false)),
					 errhint("Make a view of your own, or have its owner say: %sGRANT SELECT ON %s TO %s;",
							 named && !pegs_may_use_schema(RelationGetNamespace(view), role)
							 ? psprintf("GRANT USAGE ON SCHEMA %s TO %s; ", quote_identifier(get_namespace_name(RelationGetNamespace(view))), quote_identifier(GetUserNameFromId(role, false))) : "",
							 pegs_relation_name(view), quote_identifier(GetUserNameFromId(role, false)))));
		if (!pegs_is_invoker(view))
			role = view->rd_rel->relowner;
		relation_close(view, NoLock);
	}
}
