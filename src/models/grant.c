/*
 * grant.c
 *	  Who may use a model or release.
 *
 * A grant is a row of pegs_internal.access, read as it is now, whatever the
 * snapshot of the transaction that asks: what was taken back is gone. No
 * transaction of a grantee locks such a row, so pegs_grant and pegs_revoke
 * wait for curators only. The sequence of a cap may still be open in a
 * grantee's transaction: it is left behind, and dropped by a later call that
 * can have it without waiting. Laws L5, L9.
 */
#include "models/models.h"
#include "budget/budget.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"

/* ---- SQL ---- */

static const char *
role_argument(FunctionCallInfo fcinfo)
{
	if (PG_ARGISNULL(1))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("role must not be null"),
				 errhint("Name a role: role => 'analyst'")));
	return NameStr(*PG_GETARG_NAME(1));
}

/* InvalidOid for 'public'. A role that was dropped has its number only. */
static Oid
role_of(const char *role, bool dropped_may)
{
	Oid			oid;

	if (strcmp(role, "public") == 0)
		return InvalidOid;
	oid = get_role_oid(role, dropped_may && strspn(role, "0123456789") == strlen(role));
	if (OidIsValid(oid))
		return oid;
	oid = (Oid) strtoul(role, NULL, 10);
	if (!OidIsValid(oid) || SearchSysCacheExists1(AUTHOID, ObjectIdGetDatum(oid)))
		(void) get_role_oid(role, false);	/* an error */
	return oid;
}

static void
refuse_not_granted(const char *name, const char *role)
{
	ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_OBJECT),
			 errmsg("\"%s\" is not granted to role \"%s\"", name, role),
			 errhint("Nothing was changed.")));
}

/* pegs_grant(name text, role name, epsilon double precision DEFAULT NULL) */
PG_FUNCTION_INFO_V1(pegs_grant);
Datum
pegs_grant(PG_FUNCTION_ARGS)
{
	char	   *name = pegs_arg_text(fcinfo, 0, "name");
	Oid			role = role_of(role_argument(fcinfo), false);
	int64		cap = pegs_arg_epsilon(fcinfo, 2, "epsilon");
	PegsObject	object = pegs_own_object(name, "grant its models and releases", false);
	PegsModel  *model = object.sealed ? pegs_model(name) : NULL;
	PegsAs		saved;
	PegsArg		args[5];
	int64		id;
	Oid			sequence = InvalidOid;

	if (model && !pegs_is_private(model))
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("model \"%s\" has no guarantee and cannot be granted", name),
				 errdetail("Only the owner of the table may %s: %s.", model->method->scorer ? "ask such a score" : "read such rows", model->method->no_guarantee),
				 model->method->scorer ? errhint("Fit the score with epsilon, which has a guarantee: pegs_score_fit takes it, and no option \"published\".")
				 : get_rel_name(model->source) == NULL ? errhint("Fit one with epsilon, which has a guarantee.")
				 : errhint("Fit one with epsilon, which has a guarantee: %s", pegs_fit_with_guarantee(model))));
	if (object.sealed && !OidIsValid(role))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("a sealed model cannot be granted to public"),
				 errhint("Grant it to a role, or publish a perturbed model or a release.")));
	if (object.sealed && cap == 0)
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("model \"%s\" is sealed: a grant needs the epsilon that may be spent by it", name),
				 errhint("SELECT pegs_grant(%s, %s, epsilon => 0.5);", quote_literal_cstr(name),
						 quote_literal_cstr(role_argument(fcinfo)))));
	if (!object.sealed && cap != 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("\"%s\" costs nothing to read: a grant of it takes no epsilon", name),
				 errhint("Leave epsilon out.")));
	pegs_begin_as_extension(&saved);
	pegs_sweep_caps();
	pegs_hold_object(&object, name);
	args[0] = (PegsArg) {INT8OID, Int64GetDatum(object.id), false};
	args[1] = (PegsArg) {OIDOID, ObjectIdGetDatum(role), false};
	args[2] = (PegsArg) {INT8OID, Int64GetDatum(cap), cap == 0};
	(void) pegs_delete_grants("object = $1 AND grantee <> 0 AND NOT EXISTS (SELECT FROM pg_catalog.pg_roles AS a WHERE a.oid = grantee)",
							  1, args);
	/* a second grant to the same role moves its cap; what was spent stays spent */
	pegs_spi_now("UPDATE pegs_internal.access SET cap = $3 WHERE object = $1 AND grantee = $2", SPI_OK_UPDATE, 3, args);
	if (SPI_processed == 0)
	{
		id = pegs_next_id();
		if (cap != 0)
			sequence = pegs_new_cap(id);
		args[3] = (PegsArg) {REGCLASSOID, ObjectIdGetDatum(sequence), cap == 0};
		args[4] = (PegsArg) {INT8OID, Int64GetDatum(id), false};
		pegs_spi("INSERT INTO pegs_internal.access (object, grantee, cap, cap_spent, id) VALUES ($1, $2::regrole, $3, $4, $5)",
				 SPI_OK_INSERT, 5, args);
	}
	pegs_end_as(&saved);
	PG_RETURN_VOID();
}

/* pegs_revoke(name text, role name) */
PG_FUNCTION_INFO_V1(pegs_revoke);
Datum
pegs_revoke(PG_FUNCTION_ARGS)
{
	char	   *name = pegs_arg_text(fcinfo, 0, "name");
	const char *role_name = role_argument(fcinfo);
	Oid			role = role_of(role_name, true);
	PegsObject	object = pegs_own_object(name, "revoke grants of its models and releases", false);
	PegsAs		saved;
	PegsArg		args[2] = {
		{INT8OID, Int64GetDatum(object.id), false},
		{OIDOID, ObjectIdGetDatum(role), false}
	};
	uint64		gone;

	pegs_begin_as_extension(&saved);
	pegs_sweep_caps();
	gone = pegs_delete_grants("object = $1 AND grantee = $2", 2, args);
	pegs_end_as(&saved);
	if (gone == 0)
		refuse_not_granted(name, role_name);
	if (!object.is_release)
		pegs_tell_releases(&object, name, &role);
	PG_RETURN_VOID();
}

/* NULL: no limit. */
static PegsArg
limit_argument(FunctionCallInfo fcinfo, int n, const char *name)
{
	bool		given = PG_NARGS() > n && !PG_ARGISNULL(n);

	if (given && PG_GETARG_INT64(n) < 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s must not be negative", name),
				 errhint("Give how many may be stored by this grant, or NULL for any number.")));
	return (PegsArg) {INT8OID, given ? Int64GetDatum(PG_GETARG_INT64(n)) : 0, !given};
}

/* pegs_limit(model text, role name, max_rows bigint DEFAULT 1000000, max_releases bigint DEFAULT 100) */
PG_FUNCTION_INFO_V1(pegs_limit);
Datum
pegs_limit(PG_FUNCTION_ARGS)
{
	char	   *name = pegs_arg_text(fcinfo, 0, "model");
	const char *role_name = role_argument(fcinfo);
	Oid			role = role_of(role_name, false);
	PegsArg		args[4];
	PegsObject	object;
	PegsAs		saved;

	args[2] = limit_argument(fcinfo, 2, "max_rows");
	args[3] = limit_argument(fcinfo, 3, "max_releases");
	object = pegs_own_object(name, "limit grants of its models", false);
	if (object.is_release)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("\"%s\" is a release: nothing can be released from it", name),
				 errhint("Limit the grant of its model.")));
	args[0] = (PegsArg) {INT8OID, Int64GetDatum(object.id), false};
	args[1] = (PegsArg) {OIDOID, ObjectIdGetDatum(role), false};
	pegs_begin_as_extension(&saved);
	pegs_hold_object(&object, name);
	pegs_spi_now("UPDATE pegs_internal.access SET max_rows = $3, max_releases = $4 WHERE object = $1 AND grantee = $2", SPI_OK_UPDATE, 4, args);
	if (SPI_processed == 0)
		refuse_not_granted(name, role_name);
	pegs_end_as(&saved);
	PG_RETURN_VOID();
}

/* pegs_withdraw(model text, role name DEFAULT NULL) → bigint */
PG_FUNCTION_INFO_V1(pegs_withdraw);
Datum
pegs_withdraw(PG_FUNCTION_ARGS)
{
	char	   *name = pegs_arg_text(fcinfo, 0, "model");
	bool		all = PG_ARGISNULL(1);
	Oid			role = all ? InvalidOid : role_of(role_argument(fcinfo), true);
	PegsObject	object = pegs_own_object(name, "withdraw releases of its models", false);

	if (object.is_release)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("\"%s\" is a release itself", name),
				 errhint("SELECT pegs_drop(%s);", quote_literal_cstr(name))));
	PG_RETURN_INT64((int64) pegs_take_releases(&object, name, all ? NULL : &role));
}

/* pegs_may_use(object bigint, account regclass) → boolean: what the views show */
PG_FUNCTION_INFO_V1(pegs_may_use);
Datum
pegs_may_use(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(!PG_ARGISNULL(0) && !PG_ARGISNULL(1)
				   && pegs_usable_grant(PG_GETARG_INT64(0), PG_GETARG_OID(1)) >= 0);
}
