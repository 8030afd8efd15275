/*
 * curators.c
 *	  pegs_allow and pegs_disallow: EXECUTE on all curators' functions at once.
 *
 * Which functions those are is read from the catalog: members of the extension
 * in its schema that PUBLIC may not execute. Not among them: what checks for a
 * superuser itself, and these two. Who was allowed is remembered, so that a new
 * version's functions are theirs, too. EXECUTE alone gives no right to any
 * table: that is asked at every call (rights.c).
 */
#include "models/models.h"

#include "access/xact.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

/* As text that GRANT can read. The names are compared with the catalog's: no function of ours is called. */
#define CURATORS_FUNCTIONS \
	"FROM pg_proc AS p JOIN pg_depend AS d ON (d.classid, d.objid, d.deptype) = ('pg_proc'::regclass, p.oid, 'e')" \
	" JOIN pg_extension AS e ON (d.refclassid, d.refobjid) = ('pg_extension'::regclass, e.oid)" \
	" WHERE e.extname = 'pegs' AND p.pronamespace = e.extnamespace" \
	" AND p.proname NOT IN ('pegs_adopt', 'pegs_adopt_slices', 'pegs_import', 'pegs_allow', 'pegs_disallow')" \
	" AND p.prorettype NOT IN ('event_trigger'::regtype, 'trigger'::regtype)" \
	" AND NOT EXISTS (SELECT FROM aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) AS a" \
	" WHERE a.grantee = 0 AND a.privilege_type = 'EXECUTE')"

static void
require_owner(void)
{
	if (!has_privs_of_role(GetUserId(), pegs_extension_owner()))
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("only the owner of the extension says who may be a curator"),
				 errhint("Ask a superuser: SELECT pegs_allow('...');")));
}

static Oid
role_argument(FunctionCallInfo fcinfo, const char *function)
{
	const char *name;
	Oid			role;

	if (PG_ARGISNULL(0))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("role must not be null"),
				 errhint("SELECT %s('...');", function)));
	name = NameStr(*PG_GETARG_NAME(0));
	if (strcmp(name, "public") == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("\"public\" cannot be a curator"),
				 errdetail("Curators declare, fit and grant: each is a role that owns tables, or is a member of one that does."),
				 errhint("Name the role: SELECT %s('...');", function)));
	role = get_role_oid(name, true);
	if (!OidIsValid(role))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("role \"%s\" does not exist", name),
				 errhint("CREATE ROLE %s; or look at pg_roles.", quote_identifier(name))));
	return role;
}

/* One at a time: GRANT in two sessions at once fails. A dropped role leaves its line behind. */
static void
forget_dropped(void)
{
	pegs_spi_now("LOCK TABLE pegs_internal.curator IN SHARE ROW EXCLUSIVE MODE", SPI_OK_UTILITY, 0, NULL);
	pegs_spi_now("DELETE FROM pegs_internal.curator WHERE role NOT IN (SELECT oid FROM pg_roles)", SPI_OK_DELETE, 0, NULL);
}

/* One statement a function. As the extension's owner. */
static void
grant_all(Oid role, bool grant)
{
	char	   *name = GetUserNameFromId(role, false);
	uint64		n;
	char	  **function;

	pegs_spi_now("SELECT p.oid::regprocedure::text, p.oid " CURATORS_FUNCTIONS " ORDER BY 1", SPI_OK_SELECT, 0, NULL);
	n = SPI_processed;
	function = palloc(sizeof(char *) * (n + 1));
	for (uint64 i = 0; i < n; i++)
		function[i] = SPI_getvalue(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, 1);
	for (uint64 i = 0; i < n; i++)
		pegs_spi_now(psprintf("%s EXECUTE ON ROUTINE %s %s %s", grant ? "GRANT" : "REVOKE", function[i], grant ? "TO" : "FROM",
						  quote_identifier(name)), SPI_OK_UTILITY, 0, NULL);
}

/* GRANT and REVOKE only warn where they do nothing: look. */
static void
require_all(Oid role, bool grant)
{
	PegsArg		arg = {OIDOID, ObjectIdGetDatum(role), false};

	CommandCounterIncrement();
	pegs_spi_now(grant ? "SELECT " CURATORS_FUNCTIONS " AND NOT has_function_privilege($1, p.oid, 'EXECUTE')"
			 : "SELECT " CURATORS_FUNCTIONS " AND EXISTS (SELECT FROM aclexplode(p.proacl) AS a WHERE a.grantee = $1)",
			 SPI_OK_SELECT, 1, &arg);
	if (SPI_processed > 0)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("the rights on some functions of pegs could not be changed"),
				 errdetail("Another role owns them, or has granted them."),
				 errhint("As a superuser, look at their rights: \\df+ pegs_*")));
}

/* EXECUTE alone calls nothing: names are found in a schema that one may use. Rights on schemas are not ours to give. */
static void
say_schema(Oid role, Oid schema)
{
	if (!pegs_may_use_schema(schema, role))
		ereport(NOTICE,
				(errmsg("role \"%s\" has no USAGE on schema \"%s\", where the functions are", GetUserNameFromId(role, false),
						get_namespace_name(schema)),
				 errhint("GRANT USAGE ON SCHEMA %s TO %s;", quote_identifier(get_namespace_name(schema)),
						 quote_identifier(GetUserNameFromId(role, false)))));
}

static void
set_curator(FunctionCallInfo fcinfo, const char *function, bool allowed)
{
	Oid			role = role_argument(fcinfo, function);
	PegsArg		arg = {OIDOID, ObjectIdGetDatum(role), false};
	PegsAs		saved;

	require_owner();
	/* what is not remembered would be lost with the next version */
	pegs_require_kept("curator", NULL);
	pegs_begin_as_extension(&saved);
	forget_dropped();
	if (allowed)
		pegs_spi_now("INSERT INTO pegs_internal.curator (role) VALUES ($1::oid::regrole) ON CONFLICT DO NOTHING", SPI_OK_INSERT, 1, &arg);
	else
		pegs_spi_now("DELETE FROM pegs_internal.curator WHERE role = $1::oid::regrole", SPI_OK_DELETE, 1, &arg);
	grant_all(role, allowed);
	require_all(role, allowed);
	pegs_end_as(&saved);
	if (allowed)
		say_schema(role, get_func_namespace(fcinfo->flinfo->fn_oid));
}

/* pegs_allow(role name) */
PG_FUNCTION_INFO_V1(pegs_allow);
Datum
pegs_allow(PG_FUNCTION_ARGS)
{
	set_curator(fcinfo, "pegs_allow", true);
	PG_RETURN_VOID();
}

/* pegs_disallow(role name) */
PG_FUNCTION_INFO_V1(pegs_disallow);
Datum
pegs_disallow(PG_FUNCTION_ARGS)
{
	set_curator(fcinfo, "pegs_disallow", false);
	PG_RETURN_VOID();
}

/*
 * pegs_internal.allow_again(): at the end of every install and upgrade script,
 * the roles allowed before get what is new. Only those that still have pegs_fit
 * by a grant: what was taken away by hand, or with DROP OWNED, does not come back.
 */
PG_FUNCTION_INFO_V1(pegs_allow_again);
Datum
pegs_allow_again(PG_FUNCTION_ARGS)
{
	PegsAs		saved;
	Oid		   *role;
	uint64		n;

	require_owner();
	pegs_begin_as_extension(&saved);
	pegs_spi_now("SELECT c.role::oid FROM pegs_internal.curator AS c WHERE c.role IN (SELECT oid FROM pg_roles) AND EXISTS"
			 " (SELECT " CURATORS_FUNCTIONS " AND p.proname = 'pegs_fit' AND EXISTS"
			 " (SELECT FROM aclexplode(p.proacl) AS a WHERE a.grantee = c.role AND a.privilege_type = 'EXECUTE'))", SPI_OK_SELECT, 0, NULL);
	n = SPI_processed;
	role = palloc(sizeof(Oid) * (n + 1));
	for (uint64 i = 0; i < n; i++)
	{
		bool		isnull;

		role[i] = DatumGetObjectId(SPI_getbinval(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, 1, &isnull));
	}
	for (uint64 i = 0; i < n; i++)
		grant_all(role[i], true);
	pegs_end_as(&saved);
	PG_RETURN_VOID();
}
