/*
 * names_of_others.c
 *	  Who may put something else under a name, or beside it, before the
 *	  statements run that were printed with it.
 *
 * Who owns an object may drop or rename it, and who owns its schema may, too,
 * whoever the object belongs to; who may create in that may put one beside it
 * that fits a call better. Of the caller's own roles, and of superusers,
 * nothing is said: they need no such way. Law L9.
 */
#include "server/server.h"

#include "access/htup_details.h"
#include "catalog/pg_authid.h"
#include "catalog/pg_database.h"
#include "catalog/pg_namespace.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/syscache.h"

/* Schema public is of whoever owns the database. */
static Oid
owning_role(Oid owner)
{
	HeapTuple	tuple;

	if (owner != ROLE_PG_DATABASE_OWNER)
		return owner;
	tuple = SearchSysCache1(DATABASEOID, ObjectIdGetDatum(MyDatabaseId));
	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for database %u", MyDatabaseId);
	owner = ((Form_pg_database) GETSTRUCT(tuple))->datdba;
	ReleaseSysCache(tuple);
	return owner;
}

bool
pegs_is_others(Oid owner)
{
	owner = owning_role(owner);
	return owner != GetUserId() && !superuser_arg(owner);
}

static Oid
owner_of_schema(Oid namespace)
{
	HeapTuple	tuple = SearchSysCache1(NAMESPACEOID, ObjectIdGetDatum(namespace));
	Oid			owner;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for schema %u", namespace);
	owner = ((Form_pg_namespace) GETSTRUCT(tuple))->nspowner;
	ReleaseSysCache(tuple);
	return owning_role(owner);
}

bool
pegs_is_in_schema_of_others(Oid namespace)
{
	return pegs_is_others(owner_of_schema(namespace));
}

/* What is printed has a name, and runs what has it then: its owner, or that of its schema, may have dropped or renamed this. NULL: nobody else may. */
const char *
pegs_replaced_by_others(const char *what, Oid owner, Oid namespace)
{
	if (!pegs_is_others(owner))
		owner = owner_of_schema(namespace);
	return pegs_is_others(owner) ? psprintf("%s, in whose place role \"%s\" may put code", what, GetUserNameFromId(owner, true)) : NULL;
}

/* Who may put something beside it in its schema, which fits a call better that names no type of its own; NULL: nobody else. */
const char *
pegs_added_to_by_others(Oid namespace)
{
	HeapTuple	tuple = SearchSysCache1(NAMESPACEOID, ObjectIdGetDatum(namespace));
	const char *who = NULL;
	bool		isnull;
	Datum		value;
	Acl		   *acl;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for schema %u", namespace);
	value = SysCacheGetAttr(NAMESPACEOID, tuple, Anum_pg_namespace_nspacl, &isnull);
	acl = isnull ? NULL : DatumGetAclPCopy(value);
	for (int i = 0; acl && who == NULL && i < ACL_NUM(acl); i++)
	{
		AclItem    *item = &ACL_DAT(acl)[i];

		if ((ACLITEM_GET_PRIVS(*item) & ACL_CREATE) && (item->ai_grantee == ACL_ID_PUBLIC || pegs_is_others(item->ai_grantee)))
			who = item->ai_grantee == ACL_ID_PUBLIC ? "every role" : psprintf("role \"%s\"", GetUserNameFromId(item->ai_grantee, true));
	}
	ReleaseSysCache(tuple);
	return who;
}
