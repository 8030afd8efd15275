-- budget: every refusal charges nothing and gives no row; every charge is exact and stays.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS pegs;
CREATE SCHEMA regress_budget;
SET search_path = regress_budget, public;
CREATE ROLE regress_budget_analyst;
GRANT USAGE ON SCHEMA regress_budget TO regress_budget_analyst;

CREATE TABLE t (a text NOT NULL CHECK (a IN ('x', 'y', 'z')), b boolean NOT NULL);
INSERT INTO t VALUES ('x', true), ('x', true), ('y', false);
CREATE TABLE no_budget (a boolean NOT NULL);
SELECT pegs_fit('sealed', 't', parents => '{"a": ["b"]}');
SELECT pegs_fit('no budget', 'no_budget', parents => '{}');

-- what is spent, in units of 1e-9 and 1e-18, behind all views: only the superuser of this test can read it
CREATE FUNCTION spent(source regclass DEFAULT 't', OUT epsilon bigint, OUT delta bigint) LANGUAGE plpgsql AS $$
DECLARE
	b record;
BEGIN
	SELECT * INTO STRICT b FROM pegs_internal.budget WHERE budget.source = $1;
	epsilon := coalesce(pg_sequence_last_value(b.epsilon_spent), 0);
	delta := coalesce(pg_sequence_last_value(b.delta_spent), 0);
END $$;
-- runs a statement that must fail: SQLSTATE, message, whether there is a HINT, what it spent
CREATE FUNCTION refusal(statement text, OUT state text, OUT message text, OUT hint boolean, OUT charged bigint) LANGUAGE plpgsql AS $$
DECLARE
	before bigint := (SELECT epsilon + delta FROM spent());
	n bigint;
	h text;
BEGIN
	BEGIN
		EXECUTE statement;
		GET DIAGNOSTICS n = ROW_COUNT;
		state := '-----';
		message := format('ACCEPTED, %s rows', n);
	EXCEPTION WHEN OTHERS THEN
		GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT, h = PG_EXCEPTION_HINT;
		hint := h <> '';
	END;
	charged := (SELECT epsilon + delta FROM spent()) - before;
END $$;

---- setting a budget
SELECT pegs_set_budget(NULL, 1);
SELECT pegs_set_budget('t', NULL);
SELECT pegs_set_budget('t', 0);
SELECT pegs_set_budget('t', -1);
SELECT pegs_set_budget('t', 'NaN');
SELECT pegs_set_budget('t', 'Infinity');
SELECT pegs_set_budget('t', 1e-10);
SELECT pegs_set_budget('t', 1e10);
SELECT pegs_set_budget('t', 1, delta => NULL);
SELECT pegs_set_budget('t', 1, delta => -1e-9);
SELECT pegs_set_budget('t', 1, delta => 1);
SELECT pegs_set_budget('t', 1, delta => 1e-19);
SELECT pegs_set_budget('t', 1, delta => 'NaN');
SELECT * FROM pegs_budgets WHERE source = 't'::regclass;
-- literals, numerics, floats and integers all resolve; the shortest decimal counts
SELECT pegs_set_budget('t', 1.1::numeric, delta => 1e-6::float8, accounting => 'sum');
SELECT source, epsilon, spent, remaining, delta, delta_spent FROM pegs_budgets WHERE source = 't'::regclass;
SELECT pegs_set_budget('t', 2);
SELECT pegs_set_budget('t', 2.3::float4);
SELECT epsilon, delta FROM pegs_budgets WHERE source = 't'::regclass;
SELECT pegs_set_budget('t', 10, delta => 1e-6);

---- a budget that is not committed cannot be spent
BEGIN;
CREATE TABLE fresh (a boolean NOT NULL);
SELECT pegs_fit('fresh', 'fresh', parents => '{}');
SELECT pegs_set_budget('fresh', 1);
SAVEPOINT s;
SELECT count(*) FROM pegs_sample('fresh', 1, epsilon => 1) AS t(a boolean);
ROLLBACK TO s;
SELECT pegs_fit('fresh 2', 'fresh', epsilon => 1);
ROLLBACK TO s;
COMMIT;
SELECT spent FROM pegs_budgets WHERE source = 'fresh'::regclass;
SELECT count(*) FROM pegs_sample('fresh', 1, epsilon => 1) AS t(a boolean);
SELECT spent FROM pegs_budgets WHERE source = 'fresh'::regclass;
-- nor one that is raised
BEGIN;
SELECT pegs_set_budget('fresh', 2);
SELECT count(*) FROM pegs_sample('fresh', 1, epsilon => 1) AS t(a boolean);
ROLLBACK;
SELECT epsilon, spent FROM pegs_budgets WHERE source = 'fresh'::regclass;
SELECT count(*) FROM pegs_sample('fresh', 1, epsilon => 1) AS t(a boolean);
SELECT pegs_set_budget('fresh', 2);
SELECT count(*) FROM pegs_sample('fresh', 1, epsilon => 1) AS t(a boolean);

---- calls that must charge nothing
CREATE TABLE bad (number int GENERATED ALWAYS AS IDENTITY, statement text);
INSERT INTO bad (statement) SELECT format($$SELECT * FROM pegs_sample(%s) AS t(a text)$$, args) FROM unnest(ARRAY[
	$$'sealed', 0, 0.1$$,
	$$'sealed', -1, 0.1$$,
	$$'sealed', NULL, 0.1$$,
	$$'sealed', 9223372036854775807, 0.1$$,
	$$'sealed', 1000000000000000, 0.1$$,
	$$'sealed', 1$$,
	$$'sealed', 1, NULL$$,
	$$'sealed', 1, 0$$,
	$$'sealed', 1, -1$$,
	$$'sealed', 1, 'NaN'$$,
	$$'sealed', 1, 'Infinity'$$,
	$$'sealed', 1, '-Infinity'$$,
	$$'sealed', 1, 1e-10$$,
	$$'sealed', 1, 1e-30$$,
	$$'sealed', 1, 9e-10$$,
	$$'sealed', 1, 1e30$$,
	$$'sealed', 1, 1e308$$,
	$$'sealed', 1, 10.000000001$$,
	$$'sealed', 1, 100$$,
	$$'sealed', 1, 0.1, 0$$,
	$$'sealed', 1, 0.1, -5$$,
	$$'sealed', 1, 0.1, NULL$$,
	$$'sealed', 1, 0.1, 1, -1$$,
	$$'sealed', 1, 0.1, 1, NULL$$,
	$$'sealed', 1, 0.1, 1, 1$$,
	$$'sealed', 1, 0.1, 1, 'NaN'$$,
	$$'sealed', 1000, 0.1, 1, 1e-5$$,
	$$'sealed', 1, 0.1, given => '[]'$$,
	$$'sealed', 1, 0.1, given => '{"c": "x"}'$$,
	$$'sealed', 1, 0.1, given => '{"a": "w"}'$$,
	$$'sealed', 1, 0.1, given => '{"a": null}'$$,
	$$'sealed', 1, 0.1, given => '{"a": ["x"]}'$$,
	$$'sealed', 1, 0.1, given => '{"b": "perhaps"}'$$,
	$$'sealed', 1, 0.1, given => '{"a": "x", "b": true}'$$,
	$$'sealed', 1, 0.1, options => '{"seed": 42}'$$,
	$$'sealed', 1, 0.1, options => '{"key": "00"}'$$,
	$$'sealed', 1, 0.1, options => '{"draw": "independent"}'$$,
	$$'sealed', 1, 0.1, options => '{"fresh": 1}'$$,
	$$'sealed', 1, 0.1, options => '"fresh"'$$,
	$$NULL, 1, 0.1$$,
	$$'', 1, 0.1$$,
	$$'no such model', 1, 0.1$$,
	$$'no budget', 1, 0.1$$]) WITH ORDINALITY AS u(args, i) ORDER BY i;
-- model "no budget" has a column a of another type: let the column list be right
UPDATE bad SET statement = replace(statement, 'a text', 'a boolean') WHERE statement LIKE '%no budget%';
INSERT INTO bad (statement) SELECT s FROM unnest(ARRAY[
	-- the column list
	$$SELECT * FROM pegs_sample('sealed', 1, 0.1) AS t(c text)$$,
	$$SELECT * FROM pegs_sample('sealed', 1, 0.1) AS t(a varchar)$$,
	$$SELECT * FROM pegs_sample('sealed', 1, 0.1)$$,
	$$SELECT * FROM pegs_sample_as(NULL::int, 'sealed', 1, 0.1)$$,
	$$SELECT * FROM pegs_sample_as(NULL::fresh, 'sealed', 1, 0.1)$$,
	-- a charge for each outer row is never meant
	$$SELECT pegs_sample('sealed', 1, 0.1)$$,
	$$SELECT (pegs_sample_as(NULL::t, 'sealed', 1, 0.1)).*$$,
	-- other calls that charge
	$$SELECT pegs_release(NULL, 'sealed', 1, 0.1)$$,
	$$SELECT pegs_release('', 'sealed', 1, 0.1)$$,
	$$SELECT pegs_release('sealed', 'sealed', 1, 0.1)$$,
	$$SELECT pegs_release('r', 'sealed', 0, 0.1)$$,
	$$SELECT pegs_release('r', 'sealed', 1, 10.000000001)$$,
	$$SELECT pegs_release('r', 'no such model', 1, 0.1)$$,
	$$SELECT pegs_fit('f', 't', epsilon => 0)$$,
	$$SELECT pegs_fit('f', 't', epsilon => 'NaN')$$,
	$$SELECT pegs_fit('f', 't', epsilon => 1e-30)$$,
	$$SELECT pegs_fit('f', 't', epsilon => 1001)$$,
	$$SELECT pegs_fit('f', 't', epsilon => 10.000000001)$$,
	$$SELECT pegs_fit('f', 't', epsilon => 1, delta => 1.000001e-6)$$,
	$$SELECT pegs_fit('f', 't', epsilon => 1, delta => NULL)$$,
	$$SELECT pegs_fit('sealed', 't', epsilon => 1)$$,
	$$SELECT pegs_fit('f', 't', columns => ARRAY['c'], epsilon => 1)$$,
	$$SELECT pegs_fit('f', 'no_budget', epsilon => 1)$$,
	$$SELECT pegs_fit_state('f', 't', NULL, epsilon => 11)$$]) WITH ORDINALITY AS u(s, i) ORDER BY i;
\pset format unaligned
\t on
SELECT statement || E'\n    ' || concat_ws(', ', r.state, r.message, CASE WHEN r.hint THEN 'with a hint' ELSE 'no hint' END, 'charged ' || r.charged) FROM bad, refusal(statement) AS r ORDER BY number;
\t off
\pset format aligned
-- a table whose rows do not fit its domain is noticed before the charge
CREATE TABLE late (a text NOT NULL);
INSERT INTO late VALUES ('undeclared');
SELECT pegs_set_levels('late', 'a', ARRAY['x']);
SELECT pegs_set_budget('late', 1);
SELECT pegs_fit('late', 'late', epsilon => 1);
SELECT spent FROM pegs_budgets WHERE source = 'late'::regclass;
-- read-only transactions
BEGIN READ ONLY;
SELECT count(*) FROM pegs_sample('sealed', 1, epsilon => 0.1) AS t(a text);
ROLLBACK;
BEGIN READ ONLY;
SELECT pegs_fit('f', 't', epsilon => 0.1);
ROLLBACK;
BEGIN READ ONLY;
SELECT pegs_set_budget('t', 20);
ROLLBACK;
-- plain EXPLAIN and PREPARE charge nothing; EXPLAIN ANALYZE does
CREATE FUNCTION explains(statement text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
	line text;
BEGIN
	FOR line IN EXECUTE statement LOOP NULL; END LOOP;
	RETURN true;
END $$;
SELECT explains($$EXPLAIN SELECT * FROM pegs_sample('sealed', 1, epsilon => 0.1) AS t(a text)$$);
PREPARE p AS SELECT count(*) FROM pegs_sample('sealed', 1, epsilon => 0.1) AS t(a text);
SELECT * FROM spent();
SELECT explains($$EXPLAIN ANALYZE SELECT * FROM pegs_sample('sealed', 1, epsilon => 0.1) AS t(a text)$$);
SELECT * FROM spent();
EXECUTE p;
SELECT * FROM spent();
DEALLOCATE p;
SELECT spent FROM pegs_budgets WHERE source = 't'::regclass;

---- charges are exact, and stay
SELECT count(*) FROM pegs_sample('sealed', 1000, epsilon => 0.3, block => 1000) AS t(a text);
SELECT * FROM spent();
-- rounded up to a unit of 1e-9
SELECT count(*) FROM pegs_sample('sealed', 1, epsilon => 0.0000000011, block => 1000) AS t(a text);
SELECT * FROM spent();
-- ROLLBACK, savepoint, exception block, cursor closed early, late error
BEGIN;
SELECT count(*) FROM pegs_sample('sealed', 5, epsilon => 0.01) AS t(a text);
ROLLBACK;
SELECT * FROM spent();
BEGIN;
SAVEPOINT a;
SELECT count(*) FROM pegs_sample('sealed', 5, epsilon => 0.01) AS t(a text);
ROLLBACK TO a;
COMMIT;
SELECT * FROM spent();
DO $$
BEGIN
	PERFORM * FROM pegs_sample('sealed', 5, epsilon => 0.01) AS t(a text);
	RAISE EXCEPTION 'no';
EXCEPTION WHEN raise_exception THEN
	NULL;
END $$;
SELECT * FROM spent();
BEGIN;
DECLARE c CURSOR FOR SELECT 1 FROM pegs_sample('sealed', 5, epsilon => 0.01) AS t(a text);
FETCH 1 FROM c;
CLOSE c;
ROLLBACK;
SELECT * FROM spent();
SELECT 1 / (5 - row_number() OVER ()) > 0 AS late FROM pegs_sample('sealed', 5, epsilon => 0.01) AS t(a text);
SELECT * FROM spent();
BEGIN;
SELECT pegs_release('gone', 'sealed', 5, epsilon => 0.01);
ROLLBACK;
SELECT count(*) FROM pegs_rows('gone') AS t(a text);
BEGIN;
SELECT pegs_fit('gone', 't', epsilon => 0.01, delta => 1e-7);
ROLLBACK;
SELECT count(*) FROM pegs_sample('gone', 5) AS t(a text);
SELECT * FROM spent();
-- once for each time the function is called, whatever the row count
SELECT count(*) FROM pegs_sample('sealed', 1, epsilon => 0.01) AS t(a text), pegs_sample('sealed', 1, epsilon => 0.01) AS u(a text);
SELECT * FROM spent();
SELECT count(*) FROM generate_series(1, 3) AS i, LATERAL pegs_sample('sealed', i, epsilon => 0.01) AS t(a text);
SELECT * FROM spent();
SELECT count(*) FROM pegs_sample('sealed', 1, epsilon => 0.01) AS t(a text) WHERE false;
SELECT * FROM spent();

---- 1,000 calls of the smallest legal epsilon are 1,000 units
CREATE TABLE tiny (a boolean NOT NULL);
SELECT pegs_set_budget('tiny', 1e-6);
SELECT pegs_fit('tiny', 'tiny', parents => '{}');
DO $$
BEGIN
	FOR i IN 1 .. 1000 LOOP
		PERFORM * FROM pegs_sample('tiny', 1, epsilon => 1e-9) AS t(a boolean);
	END LOOP;
END $$;
SELECT * FROM spent('tiny');
SELECT spent, remaining FROM pegs_budgets WHERE source = 'tiny'::regclass;
SELECT count(*) FROM pegs_sample('tiny', 1, epsilon => 1e-9) AS t(a boolean);
SELECT count(*), sum(epsilon_to - epsilon_from), max(epsilon_to), min(remaining) FROM pegs_ledger WHERE source = 'tiny'::regclass AND action = 'sample';
SELECT pegs_set_budget('tiny', 2e-6);
SELECT count(*) FROM pegs_sample('tiny', 1, epsilon => 1e-6) AS t(a boolean);
SELECT spent, remaining FROM pegs_budgets WHERE source = 'tiny'::regclass;

---- never below what is spent
SELECT pegs_set_budget('tiny', 1e-6);
SELECT pegs_set_budget('tiny', 1.999e-6);
SELECT pegs_set_budget('t', 10, delta => 1e-8);
SELECT pegs_set_budget('tiny', 2e-6);
SELECT count(*) FROM pegs_sample('tiny', 1, epsilon => 1e-9) AS t(a boolean);

---- the account is the table's: refit, another name, another role
CREATE TABLE shared (a text NOT NULL CHECK (a IN ('x', 'y')));
SELECT pegs_set_budget('shared', 1, 1e-6, 'sum');
SELECT pegs_fit('one', 'shared', epsilon => 0.25, delta => 4e-7);
SELECT pegs_drop('one');
SELECT pegs_fit('one', 'shared', epsilon => 0.25, delta => 4e-7);
SELECT pegs_fit('two', 'shared', epsilon => 0.25, delta => 4e-7);
SELECT pegs_fit('two', 'shared', parents => '{}');
SELECT pegs_grant('two', 'regress_budget_analyst', epsilon => 0.4);
SET ROLE regress_budget_analyst;
SELECT count(*) FROM pegs_sample('two', 1, epsilon => 0.25) AS t(a text);
SELECT count(*) FROM pegs_sample('two', 1, epsilon => 0.25) AS t(a text);
SELECT count(*) FROM pegs_sample('sealed', 1, epsilon => 0.25) AS t(a text);
SELECT count(*) FROM pegs_budgets;
SELECT count(*) FROM pegs_ledger;
SELECT count(*) FROM pegs_sample('one', 5) AS t(a text);
RESET ROLE;
SELECT spent, remaining, delta_spent FROM pegs_budgets WHERE source = 'shared'::regclass;
-- the cap is as durable as the budget, and a smaller remainder of the two counts
SELECT pegs_set_budget('shared', 0.8, delta => 1e-6);
SET ROLE regress_budget_analyst;
SELECT count(*) FROM pegs_sample('two', 1, epsilon => 0.06) AS t(a text);
BEGIN;
SELECT count(*) FROM pegs_sample('two', 1, epsilon => 0.04) AS t(a text);
ROLLBACK;
SELECT count(*) FROM pegs_sample('two', 1, epsilon => 0.04) AS t(a text);
RESET ROLE;
SELECT pegs_set_budget('shared', 2, delta => 1e-6);
SET ROLE regress_budget_analyst;
SELECT count(*) FROM pegs_sample('two', 1, epsilon => 0.11) AS t(a text);
SELECT count(*) FROM pegs_sample('two', 1, epsilon => 0.110000001) AS t(a text);
SELECT count(*) FROM pegs_sample('two', 1, epsilon => 0.11) AS t(a text);
RESET ROLE;

---- the ledger: a line a charge; a charge that was rolled back is a gap
CREATE TABLE ledgered (a text NOT NULL CHECK (a IN ('x', 'y')));
SELECT pegs_set_budget('ledgered', 1, 1e-6, 'sum');
SELECT pegs_fit('l perturbed', 'ledgered', epsilon => 0.1, delta => 1e-7);
SELECT pegs_fit('l sealed', 'ledgered', parents => '{}');
SELECT count(*) FROM pegs_sample('l sealed', 1, epsilon => 0.1) AS t(a text);
BEGIN;
SELECT count(*) FROM pegs_sample('l sealed', 1, epsilon => 0.05) AS t(a text);
SELECT pegs_fit('l gone', 'ledgered', epsilon => 0.1, delta => 1e-7);
ROLLBACK;
SELECT pegs_release('l release', 'l sealed', 1, epsilon => 0.1);
SELECT pegs_grant('l sealed', 'regress_budget_analyst', epsilon => 0.2);
SET ROLE regress_budget_analyst;
SELECT count(*) FROM pegs_sample('l sealed', 1, epsilon => 0.2) AS t(a text);
RESET ROLE;
BEGIN;
SELECT count(*) FROM pegs_sample('l sealed', 1, epsilon => 0.05) AS t(a text);
ROLLBACK;
SELECT pegs_set_budget('ledgered', 3, delta => 1e-6);
SELECT replace(role, current_user, 'the curator') AS role, action, object, epsilon_from, epsilon_to, delta_from, delta_to, remaining, at IS NOT NULL AS dated
FROM pegs_ledger WHERE source = 'ledgered'::regclass ORDER BY epsilon_from, epsilon_to, at;
SELECT spent, delta_spent FROM pegs_budgets WHERE source = 'ledgered'::regclass;
-- lines cover what is spent without holes or overlaps
SELECT source, sum(epsilon_to - epsilon_from) AS lines FROM pegs_ledger
WHERE source IN ('t'::regclass, 'ledgered'::regclass, 'tiny'::regclass, 'shared'::regclass) GROUP BY source
EXCEPT SELECT source, spent FROM pegs_budgets;
-- nobody writes in it
\set VERBOSITY terse
INSERT INTO pegs_ledger (source) VALUES ('t');
DELETE FROM pegs_ledger;
UPDATE pegs_budgets SET spent = 0;
\set VERBOSITY default

---- what a hint says, repairs: the statement of each is run here as it was printed
SET client_min_messages = notice;
CREATE TABLE hinted (a text NOT NULL CHECK (a IN ('x', 'y')));
SELECT pegs_fit('h', 'hinted', epsilon => 2, delta => 1e-7);
SELECT pegs_set_budget('regress_budget.hinted', epsilon => 2, delta => 0.0000001);
SELECT pegs_fit('h', 'hinted', epsilon => 2, delta => 1e-7);
-- both totals are set: who raises one and forgets the other reads it, spent or not
SELECT pegs_set_budget('hinted', epsilon => 5);
SELECT pegs_set_budget('regress_budget.hinted', epsilon => 5, delta => 0.0000001);
CREATE TABLE hinted_too (a text NOT NULL CHECK (a IN ('x', 'y')));
SELECT pegs_set_budget('hinted_too', epsilon => 1, delta => 1e-6, accounting => 'sum');
SELECT pegs_set_budget('hinted_too', epsilon => 2);
SELECT pegs_set_budget('hinted_too', epsilon => 3);
-- no delta at all, and a fit that asks for some
SELECT pegs_fit('h too', 'hinted_too', epsilon => 1, delta => 1e-9);
SELECT pegs_set_budget('regress_budget.hinted_too', epsilon => 3, delta => 0.000000001);
SELECT pegs_fit('h too', 'hinted_too', epsilon => 1, delta => 1e-9);
SELECT pegs_fit('h again', 'hinted_too', epsilon => 1, delta => 1e-9);
-- a grant: the role that was meant, and public before epsilon
SELECT pegs_fit('h sealed', 'hinted_too', parents => '{}');
SELECT pegs_grant('h sealed', 'public');
SELECT pegs_grant('h sealed', 'regress_budget_analyst');
SELECT pegs_grant('h sealed', 'regress_budget_analyst', epsilon => 0.5);
SET ROLE regress_budget_analyst;
SELECT pegs_release('h release', 'h sealed', 1, epsilon => 0.1);
RESET ROLE;
SELECT pegs_revoke('h sealed', 'regress_budget_analyst');
SELECT pegs_withdraw('h sealed', 'regress_budget_analyst');
-- an original that was dropped
DROP TABLE hinted;
SELECT count(*) FROM pegs_utility_of('h');
SELECT count(*) FROM pegs_disclosure_of('h');
SELECT count(*) FROM pegs_marginals_of('h');
SELECT item, remedy FROM pegs_leftovers WHERE item = 'model h';
SET client_min_messages = warning;

---- a delta that is large is said so, where it is declared and where it is spent: above 1e-5, not at it
CREATE TABLE large (a boolean NOT NULL);
SET client_min_messages = notice;
SELECT pegs_set_budget('large', 1, delta => 1e-5);
SELECT pegs_fit('large 0', 'large', epsilon => 0.1, delta => 1e-6);
SELECT pegs_set_budget('large', 1, delta => 1.0000000000001e-5);
SELECT pegs_set_budget('large', 1, delta => 0.1);
SELECT pegs_fit('large 1', 'large', epsilon => 0.1, delta => 1e-5);
SELECT pegs_fit('large 2', 'large', epsilon => 0.1, delta => 1.0000000000001e-5);
-- and that a plan is without, where one costs less
SELECT count(*) FROM pegs_plan('large', 100);
SELECT count(*) FROM pegs_plan('large', 100, delta => 1e-9);
SET client_min_messages = warning;

---- the account stays with the table, whatever it is called
CREATE TABLE moving (a boolean NOT NULL);
SELECT pegs_set_budget('moving', 10);
SELECT pegs_fit('moving', 'moving', parents => '{}');
SELECT count(*) FROM pegs_sample('moving', 1, epsilon => 1) AS t(a boolean);
CREATE SCHEMA regress_budget_2;
ALTER TABLE moving RENAME TO moved;
ALTER TABLE moved SET SCHEMA regress_budget_2;
SELECT count(*) FROM pegs_sample('moving', 1, epsilon => 1) AS t(a boolean);
SELECT pegs_fit('moved', 'regress_budget_2.moved', epsilon => 1);
SELECT source, spent FROM pegs_budgets WHERE source = 'regress_budget_2.moved'::regclass;
-- dropped: the model is the superuser's, a perturbed one still gives rows, a charge says which table is meant
CREATE TABLE doomed (a boolean NOT NULL);
SELECT pegs_fit('doomed', 'doomed', parents => '{}');
DROP TABLE doomed;
SELECT count(*) FROM pegs_sample('doomed', 1, epsilon => 1) AS t(a boolean);
DROP TABLE regress_budget_2.moved;
SELECT count(*) FROM pegs_sample('moved', 1) AS t(a boolean);
SELECT name FROM pegs_models WHERE name IN ('moved', 'doomed') ORDER BY name;
SELECT pegs_drop(name) FROM pegs_models WHERE name IN ('moved', 'doomed', 'moving') ORDER BY name;

SELECT count(pegs_drop(name)) > 0 FROM pegs_releases;
SELECT count(pegs_drop(name)) > 0 FROM pegs_models;
DROP SCHEMA regress_budget, regress_budget_2 CASCADE;
DROP ROLE regress_budget_analyst;
