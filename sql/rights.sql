-- rights: the messages. The whole table of roles and actions is test/pgtap/rights.sql.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS pegs;
CREATE SCHEMA regress_rights;
SET search_path = regress_rights, public;
CREATE ROLE regress_rights_owner;
CREATE ROLE regress_rights_curator IN ROLE regress_rights_owner;
CREATE ROLE regress_rights_analyst;
CREATE ROLE regress_rights_other;
GRANT ALL ON SCHEMA regress_rights TO PUBLIC;

SET ROLE regress_rights_owner;
CREATE TABLE t (a text NOT NULL CHECK (a IN ('x', 'y')), b boolean NOT NULL);
INSERT INTO t VALUES ('x', true), ('y', false);
GRANT SELECT ON t TO regress_rights_analyst;

---- a curator is not a superuser, but needs EXECUTE, which is the DBA's to give
SET ROLE regress_rights_curator;
SELECT pegs_set_budget('t', 10);
SELECT pegs_fit('m', 't', epsilon => 1);
SELECT * FROM pegs_domain('t');
RESET ROLE;
GRANT EXECUTE ON FUNCTION pegs_domain, pegs_set_bins(regclass, name, text[]), pegs_unset, pegs_set_budget, pegs_fit, pegs_fit_state, pegs_spec, pegs_drop, pegs_grant, pegs_revoke, pegs_view_sql,
	pegs_set_levels(regclass, name, text[], text), pegs_set_levels(regclass, name, regclass, name) TO regress_rights_curator, regress_rights_analyst;
SET ROLE regress_rights_curator;
SELECT pegs_set_budget('t', 10);
SELECT column_name, levels FROM pegs_domain('t');
SELECT pegs_fit('perturbed', 't', epsilon => 1);
SELECT pegs_fit('sealed', 't', parents => '{}');
SELECT pegs_release('kept', 'sealed', 5, epsilon => 1);

---- EXECUTE and SELECT do not make a curator
SET ROLE regress_rights_analyst;
SELECT pegs_domain('t');
SELECT pegs_set_levels('t', 'a', ARRAY['x']);
SELECT pegs_set_levels('t', 'a', lookup => 't', lookup_column => 'a');
SELECT pegs_set_bins('t', 'a', ARRAY['x']);
SELECT pegs_unset('t', 'a');
SELECT pegs_set_budget('t', 1000);
SELECT pegs_spec('t');
SELECT pegs_fit('m', 't', epsilon => 1);
SELECT pegs_fit_state('m', 't', NULL, parents => '{}');
CREATE VIEW own_view AS SELECT a FROM t;
SELECT pegs_fit('m', 'own_view', epsilon => 1);
-- nor can one tell what is there
SELECT count(*) FROM pegs_sample('sealed', 1, epsilon => 1) AS x(a text);
SELECT count(*) FROM pegs_sample('nowhere', 1, epsilon => 1) AS x(a text);
SELECT count(*) FROM pegs_rows('kept') AS x(a text);
SELECT count(*) FROM pegs_rows('nowhere') AS x(a text);
SELECT pegs_describe('kept');
SELECT pegs_describe('nowhere');
SELECT pegs_drop('kept');
SELECT pegs_drop('nowhere');
SELECT pegs_grant('sealed', 'regress_rights_analyst', epsilon => 1);
SELECT pegs_view_sql('perturbed', 'v');
SELECT count(*) FROM pegs_models;
SELECT count(*) FROM pegs_releases;
SELECT count(*) FROM pegs_budgets;
SELECT count(*) FROM pegs_ledger;
RESET ROLE;

---- a table of one's own, a curator of it
SET ROLE regress_rights_analyst;
CREATE TABLE own (a boolean NOT NULL);
SELECT pegs_set_budget('own', 1);
SELECT pegs_fit('own', 'own', epsilon => 1);
SELECT name, source FROM pegs_models;
SELECT source, spent FROM pegs_budgets;
SELECT action, role FROM pegs_ledger ORDER BY at;
SET ROLE regress_rights_curator;
SELECT pegs_drop('own');
SELECT name FROM pegs_models ORDER BY name;

---- granting
SELECT pegs_grant('sealed', 'regress_rights_analyst');
SELECT pegs_grant('sealed', 'public', epsilon => 1);
SELECT pegs_grant('sealed', 'regress_rights_nobody', epsilon => 1);
SELECT pegs_grant('sealed', 'regress_rights_analyst', epsilon => 0);
SELECT pegs_grant('sealed', NULL, epsilon => 1);
SELECT pegs_grant(NULL, 'regress_rights_analyst', epsilon => 1);
SELECT pegs_grant('perturbed', 'regress_rights_analyst', epsilon => 1);
SELECT pegs_grant('nowhere', 'regress_rights_analyst');
SELECT pegs_revoke('sealed', 'regress_rights_analyst');
SELECT pegs_grant('sealed', 'regress_rights_analyst', epsilon => 0.5);
SELECT pegs_grant('perturbed', 'regress_rights_analyst'), pegs_grant('kept', 'public');
-- granting again moves the cap; what was spent stays spent
SET ROLE regress_rights_analyst;
SELECT count(*) FROM pegs_sample('sealed', 1, epsilon => 0.5) AS x(a text);
SELECT count(*) FROM pegs_sample('sealed', 1, epsilon => 0.5) AS x(a text);
SET ROLE regress_rights_curator;
SELECT pegs_grant('sealed', 'regress_rights_analyst', epsilon => 0.75);
SET ROLE regress_rights_analyst;
SELECT count(*) FROM pegs_sample('sealed', 1, epsilon => 0.5) AS x(a text);
SELECT count(*) FROM pegs_sample('sealed', 1, epsilon => 0.25) AS x(a text);
SELECT count(*) FROM pegs_sample('perturbed', 1) AS x(a text);
SELECT count(*) FROM pegs_rows('kept') AS x(a text);
SELECT name, kind FROM pegs_models ORDER BY name;
SELECT pegs_drop('sealed');
SELECT pegs_grant('sealed', 'regress_rights_other', epsilon => 0.1);
SELECT pegs_revoke('sealed', 'regress_rights_analyst');
SELECT pegs_view_sql('perturbed', 'v');
-- a release of one's own, out of one's own share: the curator may read it, others may not
SET ROLE regress_rights_curator;
SELECT pegs_grant('sealed', 'regress_rights_analyst', epsilon => 1);
SET ROLE regress_rights_analyst;
SELECT pegs_release('mine', 'sealed', 3, epsilon => 0.25);
SELECT count(*) FROM pegs_rows('mine') AS x(a text);
SET ROLE regress_rights_curator;
SELECT count(*) FROM pegs_rows('mine') AS x(a text);
SET ROLE regress_rights_other;
SELECT count(*) FROM pegs_rows('mine') AS x(a text);
SELECT count(*) FROM pegs_rows('kept') AS x(a text);
SET ROLE regress_rights_curator;
SELECT pegs_revoke('sealed', 'regress_rights_analyst'), pegs_revoke('perturbed', 'regress_rights_analyst'), pegs_revoke('kept', 'public');
SELECT pegs_revoke('kept', 'public');
SET ROLE regress_rights_analyst;
SELECT count(*) FROM pegs_sample('sealed', 1, epsilon => 0.25) AS x(a text);
SELECT count(*) FROM pegs_sample('perturbed', 1) AS x(a text);
SELECT count(*) FROM pegs_rows('kept') AS x(a text);
RESET ROLE;
SELECT role, action, object, epsilon_to - epsilon_from AS epsilon FROM pegs_ledger WHERE source = 't'::regclass ORDER BY epsilon_from, epsilon_to, at;

---- whoever is allowed the functions must find them
SET client_min_messages = notice;
REVOKE USAGE ON SCHEMA public FROM PUBLIC;
SELECT pegs_allow('regress_rights_other');
GRANT USAGE ON SCHEMA public TO regress_rights_other;
SELECT pegs_allow('regress_rights_other');
SELECT pegs_disallow('regress_rights_other');
REVOKE USAGE ON SCHEMA public FROM regress_rights_other;
GRANT USAGE ON SCHEMA public TO PUBLIC;
SELECT pegs_allow('regress_rights_other');
SELECT pegs_disallow('regress_rights_other');
SET client_min_messages = warning;

---- the state is nobody's to see
SET ROLE regress_rights_analyst;
SELECT * FROM pegs_internal.body;
SELECT * FROM pegs_internal.budget;
SELECT pegs_internal.spent('t', false);
SET ROLE regress_rights_curator;
SELECT * FROM pegs_internal.body;
RESET ROLE;

---- no settings by our name
SET pegs.seed = 42;
SET pegs.anything = 'at all';
SHOW pegs.seed;

---- another schema for the extension
CREATE DATABASE regress_pegs_elsewhere;
\c regress_pegs_elsewhere
SET client_min_messages = warning;
CREATE SCHEMA "Other Schema";
CREATE EXTENSION pegs SCHEMA "Other Schema";
CREATE TABLE t (a boolean NOT NULL);
SELECT "Other Schema".pegs_set_budget('t', 1);
SELECT "Other Schema".pegs_fit('m', 't', epsilon => 1);
SELECT count(a) FROM "Other Schema".pegs_sample('m', 3) AS t(a boolean);
SELECT count(a) FROM "Other Schema".pegs_sample_as(NULL::t, 'm', 3);
SELECT string_agg(s, ' ') AS sql FROM "Other Schema".pegs_view_sql('m', 'v') AS s \gset
:sql
SELECT count(*) >= 0 FROM v;
ALTER EXTENSION pegs SET SCHEMA public;
-- a schema by the name of ours is not adopted
DROP EXTENSION pegs CASCADE;
DROP SCHEMA IF EXISTS pegs_internal CASCADE;
CREATE SCHEMA pegs_internal;
-- PostgreSQL 18 says where in the script, older ones do not
\set SHOW_CONTEXT never
CREATE EXTENSION pegs;
\set SHOW_CONTEXT errors
\c contrib_regression
DROP DATABASE regress_pegs_elsewhere;
SET client_min_messages = warning;

SELECT count(pegs_drop(name)) > 0 FROM pegs_releases;
SELECT count(pegs_drop(name)) > 0 FROM pegs_models;
DROP SCHEMA regress_rights CASCADE;
DROP OWNED BY regress_rights_owner, regress_rights_curator, regress_rights_analyst, regress_rights_other;
DROP ROLE regress_rights_owner, regress_rights_curator, regress_rights_analyst, regress_rights_other;
