/*
 * hands.c
 *	  Nobody but the extension's owner has a hand on an account.
 *
 * setval takes a sequence by its number, without a right on its schema: one
 * UPDATE right on it refunds. PostgreSQL gives new relations whatever ALTER
 * DEFAULT PRIVILEGES says; we take it back when they are made. What somebody
 * gave afterwards, by hand, is not ours to take: nothing is charged until he
 * has taken it back. Law L2, claim P5.
 */
#include "budget/budget.h"
#include "budget/account.h"

#include "access/htup_details.h"
#include "catalog/pg_attribute.h"
#include "catalog/pg_class.h"
#include "catalog/pg_namespace.h"
#include "executor/spi.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

/* What changes a table, or lets code of another run when it is changed. Reading is no danger for an account. */
#define CHANGES (ACL_INSERT | ACL_UPDATE | ACL_DELETE | ACL_TRUNCATE | ACL_REFERENCES | ACL_TRIGGER)

static void
add_others(StringInfo names, Datum acl, Oid owner, AclMode mode)
{
	Acl		   *list = DatumGetAclP(acl);
	AclItem    *items = ACL_DAT(list);

	for (int i = 0; i < ACL_NUM(list); i++)
	{
		Oid			role = items[i].ai_grantee;
		char	   *name;

		if (role == owner || (ACLITEM_GET_PRIVS(items[i]) & mode) == 0)
			continue;
		name = role == ACL_ID_PUBLIC ? "PUBLIC" : GetUserNameFromId(role, true);
		if (name != NULL)		/* NULL: of a role that is gone */
			appendStringInfo(names, "%s%s", names->len > 0 ? ", " : "", role == ACL_ID_PUBLIC ? name : quote_identifier(name));
	}
}

/* Of the relation, or of a column of it. */
static char *
others_with(Oid relid, Oid *owner, AclMode mode)
{
	StringInfoData names;
	HeapTuple	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relid));
	Form_pg_class form;
	int			natts;
	bool		isnull;
	Datum		acl;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for relation %u", relid);
	form = (Form_pg_class) GETSTRUCT(tuple);
	initStringInfo(&names);
	*owner = form->relowner;
	natts = form->relkind == RELKIND_SEQUENCE ? 0 : form->relnatts;
	acl = SysCacheGetAttr(RELOID, tuple, Anum_pg_class_relacl, &isnull);
	if (!isnull)
		add_others(&names, acl, *owner, mode);
	ReleaseSysCache(tuple);
	for (int i = 1; i <= natts; i++)
	{
		tuple = SearchSysCache2(ATTNUM, ObjectIdGetDatum(relid), Int16GetDatum(i));
		if (!HeapTupleIsValid(tuple))
			continue;
		acl = SysCacheGetAttr(ATTNUM, tuple, Anum_pg_attribute_attacl, &isnull);
		if (!isnull)
			add_others(&names, acl, *owner, mode);
		ReleaseSysCache(tuple);
	}
	return names.data;
}

char *
pegs_others_with(Oid relid, AclMode mode)
{
	Oid			owner;

	return others_with(relid, &owner, mode);
}

static void
refuse_others(Oid relid, AclMode mode)
{
	const char *kind = get_rel_relkind(relid) == RELKIND_SEQUENCE ? "SEQUENCE" : "TABLE";
	char	   *name = pegs_internal_name(relid);
	Oid			owner;
	char	   *others = others_with(relid, &owner, mode);

	if (owner != pegs_extension_owner())
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("%s does not belong to the owner of the extension", name),
				 errdetail("Its owner could take charges back."),
				 errhint("A superuser can give it back: ALTER %s %s OWNER TO %s;", kind, name,
						 quote_identifier(GetUserNameFromId(pegs_extension_owner(), false)))));
	if (others[0] != '\0')
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("others have rights on %s", name),
				 errdetail("Who can change it can take charges back."),
				 errhint("A superuser can take these rights away: REVOKE ALL ON %s %s FROM %s CASCADE;", kind, name, others)));
}

void
pegs_refuse_hands(Oid sequence)
{
	refuse_others(sequence, ~(AclMode) 0);
}

/*
 * All of them: an account is also lost with what its table is known by
 * (origin), with what is to be dropped (revoked), with whose rows are counted
 * (unit, fact), with the account that pays for them (parent). And the numbers of
 * all objects.
 */
void
pegs_refuse_hands_on_tables(void)
{
	static const char *const tables[] = {"budget", "access", "ledger", "model", "body", "origin", "revoked", "unit", "fact", "forbidden",
	"release", "release_rows", "name", "maker", "curator", "grid", "parent"};

	for (int i = 0; i < (int) lengthof(tables); i++)
		if (pegs_keeps(tables[i], NULL))
			refuse_others(pegs_internal_relation(tables[i]), CHANGES);
	refuse_others(pegs_internal_relation("object_id"), ACL_UPDATE | ACL_USAGE);
}

/* Whatever a new relation got by default privileges. As the extension's owner, in SPI. */
void
pegs_strip_rights(Oid relid)
{
	const char *kind = get_rel_relkind(relid) == RELKIND_SEQUENCE ? "SEQUENCE" : "TABLE";
	Oid			owner;
	char	   *others = others_with(relid, &owner, ~(AclMode) 0);

	if (others[0] != '\0')
		pegs_spi(psprintf("REVOKE ALL ON %s pegs_internal.%s FROM %s CASCADE", kind, quote_identifier(get_rel_name(relid)), others),
				 SPI_OK_UTILITY, 0, NULL);
}

/* pegs_internal.strip_rights() → void: of the schema and all that is in it, at the end of the install script */
PG_FUNCTION_INFO_V1(pegs_strip_rights_sql);
Datum
pegs_strip_rights_sql(PG_FUNCTION_ARGS)
{
	PegsAs		saved;
	PegsArg		schema = {OIDOID, ObjectIdGetDatum(pegs_internal_schema()), false};
	HeapTuple	tuple;
	StringInfoData names;
	Datum		acl;
	bool		isnull;
	uint64		n;
	Oid		   *relids;

	pegs_begin_as_extension(&saved);
	tuple = SearchSysCache1(NAMESPACEOID, schema.value);
	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for the extension's schema");
	initStringInfo(&names);
	acl = SysCacheGetAttr(NAMESPACEOID, tuple, Anum_pg_namespace_nspacl, &isnull);
	if (!isnull)
		add_others(&names, acl, ((Form_pg_namespace) GETSTRUCT(tuple))->nspowner, ~(AclMode) 0);
	ReleaseSysCache(tuple);
	if (names.len > 0)
		pegs_spi(psprintf("REVOKE ALL ON SCHEMA pegs_internal FROM %s CASCADE", names.data), SPI_OK_UTILITY, 0, NULL);
	pegs_spi("SELECT oid FROM pg_catalog.pg_class WHERE relnamespace = $1 AND relkind IN ('r', 'S')", SPI_OK_SELECT, 1, &schema);
	n = SPI_processed;
	relids = palloc(sizeof(Oid) * (n + 1));
	for (uint64 i = 0; i < n; i++)
		relids[i] = DatumGetObjectId(SPI_getbinval(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, 1, &isnull));
	for (uint64 i = 0; i < n; i++)
		pegs_strip_rights(relids[i]);
	pegs_end_as(&saved);
	PG_RETURN_VOID();
}
