/*
 * rights.sql
 *	  Who may call what: the end of the install script.
 *
 * Not of the upgrade script from the version before: there a DBA may have granted and revoked since.
 */

REVOKE ALL ON FUNCTION
	pegs_domain(regclass),
	pegs_set_levels(regclass, name, text[], text),
	pegs_set_levels(regclass, name, text[], name),
	pegs_set_levels(regclass, name, regclass, name),
	pegs_set_lookup(regclass, name, regclass, name),
	pegs_set_lookup(regclass, name, regclass, name, text),
	pegs_allow(name),
	pegs_disallow(name),
	pegs_set_bins(regclass, name, text[]),
	pegs_set_bins(regclass, name, text[], text),
	pegs_unset(regclass, name),
	pegs_forbid(regclass, jsonb),
	pegs_set_unit(regclass, name, int),
	pegs_set_unit(regclass, name, text),
	pegs_set_unit(regclass, name, int, text),
	pegs_unit_cost(double precision, double precision),
	pegs_set_budget(regclass, double precision, double precision),
	pegs_adopt(regclass, double precision, text, double precision),
	pegs_verify_ledger(regclass),
	pegs_health(),
	pegs_spec(regclass, name[], jsonb, int),
	pegs_fit(text, regclass, name[], double precision, double precision, jsonb, int, double precision, int, jsonb),
	pegs_fit_state(text, regclass, pegs_state, name[], double precision, double precision, jsonb, int, double precision, int, jsonb),
	pegs_export(text),
	pegs_import(text, bytea),
	pegs_drop(text),
	pegs_grant(text, name, double precision),
	pegs_limit(text, name, bigint, bigint),
	pegs_revoke(text, name),
	pegs_withdraw(text, name),
	pegs_view_sql(text, text),
	pegs_trace(text, double precision),
	pegs_utility(regclass, regclass, int, name[], text[]),
	pegs_regression(regclass, regclass, text, text, name[], name[]),
	pegs_disclosure(regclass, regclass, name[], name, name[]),
	pegs_k_anonymity(regclass, name[], name),
	pegs_combine(double precision[], double precision[]),
	pegs_utility_of(text, int, text[]),
	pegs_disclosure_of(text, name[], name),
	pegs_marginals_of(text),
	pegs_verify(text, double precision, bigint),
	pegs_audit(text, int, double precision, bigint, bigint, jsonb),
	pegs_ru_map(regclass, double precision[], bigint, bigint, int, name[], jsonb, double precision, name[], name, text[], int),
	pegs_report(text, name[], name, jsonb)
FROM PUBLIC;
-- what everyone may call: the reviewed list (docs/reference.md says of each who may), the state's I/O, and the readers behind the views
GRANT EXECUTE ON FUNCTION
	pegs_combine(double precision[], double precision[]),
	pegs_drop(text),	-- the maker of a release
	pegs_internal.state_in(cstring), pegs_internal.state_out(pegs_state),
	pegs_internal.state_recv(internal), pegs_internal.state_send(pegs_state),
	pegs_internal.spent(regclass, boolean), pegs_internal.may_use(bigint, regclass), pegs_internal.leftovers(),
	pegs_internal.elsewhere(numeric, bigint, oid, regclass, oid, text, bigint)
TO PUBLIC;
GRANT SELECT ON pegs_budgets, pegs_ledger, pegs_leftovers, pegs_models, pegs_releases TO PUBLIC;

-- default privileges have reached what was made here, too
SELECT pegs_internal.strip_rights();
