-- refit: a perturbed model fitted anew under its name. Charged like a fit; grants, limits and views stay, releases keep
-- their rows; what cannot be the same model again is refused, and nothing is charged.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS pegs;
CREATE SCHEMA refit;
CREATE ROLE rf_curator;
CREATE ROLE rf_other;
CREATE ROLE rf_analyst;
GRANT USAGE, CREATE ON SCHEMA refit TO rf_curator, rf_other;
GRANT USAGE ON SCHEMA refit TO rf_analyst;
SELECT pegs_allow('rf_curator'), pegs_allow('rf_other');
SET search_path = refit, public;
SELECT * FROM no_plan();
SET ROLE rf_curator;

CREATE TYPE mood AS ENUM ('sad', 'ok');
CREATE TABLE visit (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, ward text NOT NULL CHECK (ward IN ('A', 'B', 'C')), age int, pay numeric(8, 2) NOT NULL,
	m mood, born date NOT NULL, old boolean GENERATED ALWAYS AS (age >= 50) STORED);
INSERT INTO visit (ward, age, pay, m, born) SELECT substr('AB', 1 + i % 2, 1), nullif(i % 100, 7), (i * 7) % 1000, 'ok', date '2000-01-01' + i % 300 FROM generate_series(1, 2000) AS i;
SELECT pegs_set_bins('visit', 'age', 0, 100, 10), pegs_set_bins('visit', 'pay', '{0, 10, 100, 1000}'), pegs_set_bins('visit', 'born', '2000-01-01'::date, '2001-01-01'::date, 12);
SELECT pegs_forbid('visit', '{"ward": "C", "age": 95}');
SELECT pegs_set_budget('visit', 100, 1e-6, 'sum');
CREATE FUNCTION spent(OUT epsilon numeric, OUT delta numeric) LANGUAGE sql AS $$SELECT spent, delta_spent FROM pegs_budgets WHERE source = 'refit.visit'::regclass$$;
-- what a refit says after a change, which is undone; what it charged, and what it leaves without a DETAIL or HINT, too
CREATE FUNCTION after(change text, refit text DEFAULT $$SELECT pegs_refit('m')$$) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	before record := refit.spent();
	hint text;
	said text;
BEGIN
	BEGIN
		EXECUTE change;
		EXECUTE refit;
		RETURN 'nothing was refused';
	EXCEPTION WHEN OTHERS THEN
		GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT;
		said := SQLSTATE || ' ' || SQLERRM || CASE WHEN hint = '' THEN ' (no hint)' ELSE '' END;
	END;
	RETURN said || CASE WHEN before IS DISTINCT FROM refit.spent() THEN ' (charged)' ELSE '' END;
END
$$;

SELECT pegs_fit('m', 'visit', ARRAY['pay', 'old', 'age', 'ward'], epsilon => 1, delta => 1e-9);
SELECT pegs_grant('m', 'rf_analyst'), pegs_limit('m', 'rf_analyst', 1000, 2);
SELECT pegs_release('kept', 'm', 500);
SELECT pegs_view_sql('m', 'shown', 'rf_analyst', 'view') \gexec
CREATE TABLE rows_kept AS SELECT * FROM pegs_rows('kept') AS t(pay numeric(8, 2), old boolean, age int, ward text);
CREATE TABLE first_rows AS SELECT ward FROM shown;
GRANT SELECT ON first_rows TO rf_analyst;
SELECT is(fit, 1, 'the first fit') FROM pegs_models WHERE name = 'm';
SELECT ok(NOT pegs_certificate('m') ? 'fit', 'of which the certificate does not speak');
SET ROLE rf_analyst;
SELECT pegs_release('mine', 'm', 10);
SET ROLE rf_curator;

---- fitted anew: other rows, of what the table is now
UPDATE visit SET ward = 'C', age = 10 WHERE ward = 'A';
CREATE TEMP TABLE before AS SELECT * FROM spent();
SELECT lives_ok($$SELECT pegs_refit('m')$$, 'fitted anew');
SELECT is(spent(), (SELECT (epsilon + 1, delta + 1e-9)::record FROM before), 'charged like the fit before');
SELECT matches(in_words, 'any number of rows is free\. To fit it anew for as much: the budget has enough left for 98 such refits\.$', 'pegs_cost says how many more') FROM pegs_cost('m', 10);
SET ROLE rf_analyst;
SELECT matches(in_words, 'any number of rows is free\.$', 'to its curators alone') FROM pegs_cost('m', 10);
SET ROLE rf_curator;
SELECT is((SELECT count(*) FROM pegs_ledger WHERE source = 'visit'::regclass AND action = 'fit' AND object = 'm'), 2::bigint, 'which the ledger says twice');
SELECT is(fit, 2, 'the second fit') FROM pegs_models WHERE name = 'm';
SELECT is((SELECT count(*) FROM pegs_models), 1::bigint, 'there is one model');
SELECT ok((SELECT count(*) FILTER (WHERE ward = 'A') > 500 FROM first_rows), 'A was many');
SELECT ok(count(*) FILTER (WHERE ward = 'A') < 300 AND count(*) FILTER (WHERE ward = 'C') > 500, 'the same view: of the rows of now') FROM shown;
SELECT is_empty($$SELECT FROM shown WHERE ward = 'C' AND age >= 90$$, 'without what is forbidden');
SELECT is_empty($$SELECT FROM shown WHERE old IS DISTINCT FROM (age >= 50)$$, 'computed again');
SELECT results_eq($$SELECT * FROM pegs_rows('kept') AS t(pay numeric(8, 2), old boolean, age int, ward text)$$, 'SELECT * FROM rows_kept', 'a release keeps its rows');
SELECT is(array_agg(name || ' of ' || model || ', ' || fit ORDER BY name), '{"kept of m, 1","mine of m, 1"}', 'and is of the first fit') FROM pegs_releases;
SELECT is(pegs_certificate('m') ->> 'fit', '2', 'the certificate says which fit it is');
SELECT is(obj_description('shown'::regclass), 'synthetic, epsilon 1, delta 0.000000001 (of the fit when this view was made), see pegs_certificate(''m'')', 'and the comment of the view of which it speaks');
SELECT is((pegs_certificate('m') ->> 'fitted')::timestamptz, created, 'and when it was made') FROM pegs_models WHERE name = 'm';
SELECT matches(pegs_certificate_text('m'), E'\nfit:         number 2 of this name, at 20', 'as text, too');
SELECT ok(NOT pegs_certificate('kept') ? 'fit', 'not that of a release of the first');

---- grants and limits stay
SET ROLE rf_analyst;
SELECT lives_ok($$SELECT count(*) FROM shown$$, 'the grantee reads the view');
SELECT is(fit, 2, 'and sees which fit it is') FROM pegs_models;
SELECT lives_ok($$SELECT pegs_release('mine too', 'm', 10)$$, 'and makes the second release that the grant allows');
SELECT throws_ok($$SELECT pegs_release('one more', 'm', 10)$$, '53400', 'the grant allows no more releases', 'the first, of the fit before, counts');
SELECT is(pegs_certificate('mine too') ->> 'fit', '2', 'it is of the second fit');
SELECT throws_ok($$SELECT pegs_refit('m')$$, '42501', 'permission denied for function pegs_refit', 'a grantee fits nothing');
SET ROLE rf_other;
SELECT throws_ok($$SELECT pegs_refit('m')$$, '42704', NULL, 'nor does the curator of another table, who learns nothing');
RESET ROLE;
GRANT EXECUTE ON FUNCTION pegs_refit(text, double precision, double precision) TO rf_analyst;
SET ROLE rf_analyst;
SELECT throws_ok($$SELECT pegs_refit('m')$$, '42501', NULL, 'not by EXECUTE alone');
RESET ROLE;
REVOKE EXECUTE ON FUNCTION pegs_refit(text, double precision, double precision) FROM rf_analyst;
SET ROLE rf_curator;
SELECT lives_ok($$SELECT pegs_refit('m', 0.5, 0)$$, 'for another epsilon and delta');
SELECT is(epsilon || ' ' || delta || ' ' || fit, '0.5 0 3', 'which the model says') FROM pegs_models WHERE name = 'm';
SELECT lives_ok($$SELECT pegs_refit('m')$$, 'and once more');
SELECT is(epsilon || ' ' || delta || ' ' || fit, '0.5 0 4', 'the same epsilon and delta as the fit before') FROM pegs_models WHERE name = 'm';
SELECT is((SELECT epsilon FROM spent()), (SELECT epsilon + 2 FROM before), 'all of it charged');
SELECT lives_ok($$SELECT pegs_revoke('m', 'rf_analyst')$$, 'a grant of the first fit is taken back');
SET ROLE rf_analyst;
SELECT throws_ok($$SELECT count(*) FROM pegs_sample('m', 1) AS t(ward text)$$, '42704', NULL, 'and is gone');
SET ROLE rf_curator;
SELECT is(pegs_withdraw('m'), 3::bigint, 'its releases are withdrawn, of whichever fit');
SELECT pegs_refit('m');
RESET ROLE;
SELECT is((SELECT count(*) FROM pegs_internal.model WHERE account = 'visit'::regclass), 2::bigint, 'fits that nobody needs are gone, but for the last');
SELECT pegs_grant('m', 'rf_analyst');
SET ROLE rf_curator;

---- in one transaction
BEGIN;
SELECT pegs_refit('m', 0.1);
SELECT pegs_refit('m', 0.2);
SELECT is(epsilon, 0.2, 'twice') FROM pegs_models WHERE name = 'm';
CREATE TEMP TABLE undone AS SELECT md5(string_agg(s::text, ',')) AS rows FROM shown AS s;
ROLLBACK;
CREATE TEMP TABLE old AS SELECT md5(string_agg(s::text, ',')) AS rows FROM shown AS s;
SELECT is(epsilon || ' ' || fit, '0.5 5', 'rolled back: the fit before') FROM pegs_models WHERE name = 'm';
SELECT is((SELECT epsilon FROM spent()), (SELECT epsilon + 2.8 FROM before), 'which has cost what it cost');

---- what is refused, for nothing
SELECT pegs_fit('sealed', 'visit', ARRAY['ward', 'age'], parents => '{}');
SELECT pegs_fit_state('by hand', 'visit', NULL, ARRAY['ward'], epsilon => 0.1);
SELECT pegs_release('row', 'm', 10);
SELECT is(after('', statement), said, statement) FROM (VALUES
	($$SELECT pegs_refit(NULL)$$, '22004 name must not be null'),
	($$SELECT pegs_refit('m', 0)$$, '22023 epsilon must be at least 1e-9'),
	($$SELECT pegs_refit('m', 'NaN')$$, '22023 epsilon must be a positive finite number'),
	($$SELECT pegs_refit('m', 1001)$$, '22023 epsilon must be at most 1000'),
	($$SELECT pegs_refit('m', delta => 1)$$, '22023 delta must be 0, or at least 1e-18 and below 1'),
	($$SELECT pegs_refit('no model')$$, '42704 there is no model or release "no model", or it is not granted to you'),
	($$SELECT pegs_refit('row')$$, '42809 "row" is a release: its rows stay the same for ever'),
	($$SELECT pegs_refit('sealed')$$, '42809 model "sealed" is sealed: it is not fitted anew under its grants'),
	($$SELECT pegs_refit('sealed', 1)$$, '42809 model "sealed" is sealed: it is not fitted anew under its grants'),
	($$SELECT pegs_refit('by hand')$$, '55000 model "by hand" was fitted to a state'),
	($$SELECT pegs_refit('m', 99)$$, '53400 this costs more than is left of the privacy budget'),
	($$SELECT pegs_refit('m', 1, 1e-6)$$, '53400 this costs more than is left of the privacy budget')) AS v(statement, said);
BEGIN READ ONLY;
SELECT throws_ok($$SELECT pegs_refit('m')$$, '25006', 'a model or release cannot be made in a read-only transaction');
ROLLBACK;
SELECT is(after(change), said, change) FROM (VALUES
	-- what is put as it was is no change
	($$SELECT pegs_unset('visit', 'age')$$, '22023 column "age" cannot be used: no declared domain'),
	($$SELECT pegs_set_bins('visit', 'age', 0, 100, 20)$$, '55000 model "m" cannot be fitted anew: changed since it was fitted: "age"'),
	($$SELECT pegs_set_bins('visit', 'age', 0, 100, 10, 'nearest')$$, '55000 model "m" cannot be fitted anew: changed since it was fitted: "age"'),
	($$SELECT pegs_set_bins('visit', 'age', 0, 100, 20), pegs_set_bins('visit', 'pay', '{0, 1000}')$$, '55000 model "m" cannot be fitted anew: changed since it was fitted: "pay", "age"'),
	($$SELECT pegs_set_levels('visit', 'ward', '{C, B, A}')$$, '55000 model "m" cannot be fitted anew: changed since it was fitted: "ward"'),
	($$ALTER TABLE visit ALTER pay TYPE numeric(9, 2)$$, '55000 model "m" cannot be fitted anew: changed since it was fitted: "pay"'),
	($$UPDATE visit SET age = 3 WHERE age IS NULL; ALTER TABLE visit ALTER age SET NOT NULL$$, '55000 model "m" cannot be fitted anew: changed since it was fitted: "age"'),
	($$ALTER TABLE visit DROP COLUMN pay$$, '42703 model "m" cannot be fitted anew: refit.visit has no column "pay" any more'),
	($$ALTER TABLE visit RENAME COLUMN pay TO paid; ALTER TABLE visit RENAME COLUMN ward TO room$$, '42703 model "m" cannot be fitted anew: refit.visit has no column "pay", "ward" any more'),
	($$ALTER TABLE visit ALTER old DROP EXPRESSION$$, '55000 model "m" cannot be fitted anew: changed since it was fitted: "old"'),
	($$SELECT pegs_forbid('visit', NULL)$$, '55000 model "m" cannot be fitted anew: changed since it was fitted: forbidden combinations'),
	($$SELECT pegs_forbid('visit', '{"ward": "B", "age": 95}')$$, '55000 model "m" cannot be fitted anew: changed since it was fitted: forbidden combinations'),
	($$SELECT pegs_set_unit('visit', 'id', 1)$$, '55000 model "m" cannot be fitted anew: changed since it was fitted: the unit that is protected'),
	($$DROP TABLE visit$$, '42P01 the original of "m" was dropped'),
	($$DROP TABLE visit; CREATE TABLE visit AS SELECT * FROM refit.first_rows$$, '42P01 the original of "m" was dropped')) AS v(change, said);

---- what is no change: names of types and tables, the order of its columns, other facts
ALTER TABLE visit RENAME TO call;
ALTER TABLE call ADD COLUMN more int;
SELECT lives_ok($$SELECT pegs_refit('m', 0.1)$$, 'a table that was renamed, with another column');
ALTER TABLE call RENAME TO visit;

---- a view that reads another table now; columns that are levels of a type with another name; a model of persons
CREATE TABLE other (LIKE visit INCLUDING ALL);
SELECT pegs_set_budget('other', 10);
CREATE VIEW v AS SELECT ward, age > 50 AS old FROM visit;
SELECT pegs_fit('of a view', 'v', epsilon => 0.1);
SELECT pegs_grant('of a view', 'rf_analyst');
SELECT lives_ok($$SELECT pegs_refit('of a view')$$, 'a view');
SELECT is(after('CREATE OR REPLACE VIEW v AS SELECT ward, age > 50 AS old FROM other', $$SELECT pegs_refit('of a view')$$),
	'55000 model "of a view" cannot be fitted anew: changed since it was fitted: the table that refit.v reads', 'it has to be of the same table: another account would pay');
CREATE TABLE typed (m mood NOT NULL, n int NOT NULL CHECK (n IN (1, 2)));
INSERT INTO typed SELECT 'ok', 1 FROM generate_series(1, 100);
SELECT pegs_set_budget('typed', 10);
SELECT pegs_fit('typed', 'typed', epsilon => 1);
ALTER TYPE mood RENAME TO temper;
SELECT lives_ok($$SELECT pegs_refit('typed')$$, 'a type by another name');
ALTER TYPE temper ADD VALUE 'fine';
SELECT is(after('', $$SELECT pegs_refit('typed')$$), '55000 model "typed" cannot be fitted anew: changed since it was fitted: "m"', 'with another label it is another domain');
CREATE TABLE person (who int NOT NULL, n int NOT NULL CHECK (n IN (1, 2)));
INSERT INTO person SELECT i / 3, 1 + i % 2 FROM generate_series(1, 300) AS i;
SELECT pegs_set_unit('person', 'who', 2);
SELECT pegs_set_budget('person', 10);
SELECT pegs_fit('persons', 'person', epsilon => 1);
SELECT lives_ok($$SELECT pegs_refit('persons')$$, 'a model of persons');
SELECT is(pegs_describe('persons') ->> 'unit', 'a person, whatever the number of rows (at most 2 are read)', 'is one again');
SELECT is(after($$SELECT pegs_set_unit('person', 'who', 3)$$, $$SELECT pegs_refit('persons')$$),
	'55000 model "persons" cannot be fitted anew: changed since it was fitted: the unit that is protected', 'of the same persons');

---- what it cost to learn that a column is left out is a part of every fit
CREATE TABLE unseen (g int NOT NULL CHECK (g IN (1, 2)), x text);
INSERT INTO unseen SELECT 1 + i % 2, md5(i::text) FROM generate_series(1, 100) AS i;
SELECT pegs_set_budget('unseen', 10, 1e-6);
SELECT pegs_learn('unseen', 0.5, 1e-7, ARRAY['x']);
SELECT pegs_fit('unseen', 'unseen', epsilon => 1);
SELECT pegs_refit('unseen');
SELECT results_eq($$SELECT fit, domain_epsilon, domain_delta FROM pegs_models WHERE name = 'unseen'$$, $$VALUES (2, 0.5, 1e-7)$$, 'what was learnt is told of the second fit, too');

---- what is modelled by hidden columns
CREATE TABLE stay (n int NOT NULL CHECK (n IN (1, 2)), arrived timestamp NOT NULL, gone timestamp NOT NULL);
INSERT INTO stay SELECT 1 + i % 2, date '2024-01-01' + i * '1 hour'::interval, date '2024-01-01' + i * '3 hours'::interval FROM generate_series(1, 200) AS i;
SELECT pegs_set_bins('stay', 'arrived', '2024-01-01'::timestamp, '2024-03-01'::timestamp, 5, parts => '{date, hour}');
SELECT pegs_order('stay', 'arrived', 'gone', longest => '30 days');
SELECT pegs_set_budget('stay', 10);
SELECT pegs_fit('stays', 'stay', epsilon => 1);
SELECT lives_ok($$SELECT pegs_refit('stays')$$, 'parts and orders are fitted anew');
SELECT is(pegs_row_type('stays'), 'n integer, arrived timestamp without time zone, gone timestamp without time zone', 'and are what they were');

---- a file
RESET ROLE;
SELECT pegs_import('file', pegs_export('m'));
SELECT throws_ok($$SELECT pegs_refit('file')$$, '55000', 'model "file" came in as a file: its original is not here');
SELECT throws_ok($$SELECT pegs_export('m'), pegs_refit('m'), pegs_import('file', 'x')$$, '42710', NULL, 'a name is not taken twice');
SET ROLE rf_curator;

---- dropped: nothing is left of any fit
SELECT pegs_drop(name) FROM pegs_releases;
SELECT pegs_drop(name) FROM pegs_models WHERE name <> 'file';
RESET ROLE;
SELECT is_empty($$SELECT FROM pegs_internal.model WHERE account <> 0$$, 'no fit is left');
SELECT is((SELECT count(*) FROM pegs_internal.body), 1::bigint, 'nor its numbers');
SELECT is_empty($$SELECT FROM pegs_internal.access WHERE object NOT IN (SELECT id FROM pegs_internal.model)$$, 'nor a grant');
SELECT is_empty($$SELECT FROM pegs_internal.maker$$, 'nor who made what');
SELECT * FROM finish();
