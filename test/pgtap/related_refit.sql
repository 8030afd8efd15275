-- Models of several tables, fitted anew under their names: pegs_refit.
SET client_min_messages = warning;
CREATE EXTENSION pegs;
SELECT * FROM no_plan();

CREATE TABLE patients (id int PRIMARY KEY, sex text NOT NULL CHECK (sex IN ('F', 'M')));
CREATE TABLE admissions (id bigint PRIMARY KEY, patient int NOT NULL REFERENCES patients, ward text NOT NULL CHECK (ward IN ('A', 'B')), plan text NOT NULL CHECK (plan IN ('x', 'y')));
INSERT INTO patients SELECT p, CASE WHEN p % 2 = 0 THEN 'F' ELSE 'M' END FROM generate_series(1, 2000) AS p;
INSERT INTO admissions SELECT p, p, 'A', 'x' FROM generate_series(1, 2000) AS p;
\ir lib/said.sql
CREATE FUNCTION in_a(model text) RETURNS numeric LANGUAGE sql AS $$ SELECT avg((ward = 'A')::int) FROM pegs_sample(model, 1000, options => '{"table": "admissions"}') AS t(ward text) $$;
CREATE FUNCTION of_release() RETURNS text LANGUAGE sql AS $$ SELECT md5(string_agg(t::text, ',')) FROM pegs_rows('kept', 'admissions') AS t(id int, patient int, ward text) $$;
SELECT pegs_set_parent('admissions', 'patients', children => '{0, 1, 2}', at_most => 2), pegs_set_budget('patients', epsilon => 40, delta => 1e-6, accounting => 'sum');
SELECT pegs_fit_schema('h', 'patients', columns => '{"admissions": ["ward"]}', epsilon => 10, delta => 1e-9, siblings => false);
CREATE ROLE pegs_reader;
GRANT EXECUTE ON FUNCTION in_a, of_release TO pegs_reader;
SELECT pegs_grant('h', 'pegs_reader'); SELECT pegs_release('kept', 'h', 500);
CREATE TABLE before AS SELECT of_release() AS rows, pegs_describe('h') -> 'spec' AS spec;
SELECT ok(in_a('h') > 0.95, 'all in A');

UPDATE admissions SET ward = 'B';
SELECT is(said($$SELECT pegs_refit('h')$$), 'ok', 'fitted anew');
SELECT is((SELECT (spent, mixed_units)::text FROM pegs_budgets), '(20,f)', 'charged as the first time');
SELECT is((SELECT array_agg((action, object, epsilon_to - epsilon_from)::text) FROM pegs_ledger WHERE action = 'fit'), '{"(fit,h,10)","(fit,h,10)"}', 'a line each');
SELECT ok(in_a('h') < 0.05, 'to the rows as they are');
SELECT is(of_release(), rows, 'a release keeps the rows that it had') FROM before;
SELECT is(pegs_describe('h') -> 'spec', spec, 'what is modelled is what it was: columns, siblings') FROM before;
SELECT is((SELECT (name, fit, unit)::text FROM pegs_models), '(h,2,"one row with all that refers to it")', 'the second fit');
SELECT is(pegs_describe('h') ->> 'counts', 'read by pegs_fit_schema', 'counted as the first one');
SET ROLE pegs_reader;
SELECT ok(in_a('h') < 0.05, 'who might read it may');
RESET ROLE;
SELECT is(said($$SELECT pegs_refit('h', epsilon => 5, delta => 0)$$), 'ok', 'for another epsilon');
SELECT is((SELECT spent FROM pegs_budgets), 25::numeric, 'which is charged');
SELECT is(pegs_certificate('h') ->> 'epsilon', '5', 'and said');

---- what it could not keep; nothing is charged
CREATE FUNCTION changed(statement text, back text, what text) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE statement;
	RETURN NEXT is(said('SELECT pegs_refit(''h'')') LIKE '55000 | a declaration, a key or a table has changed since model "h" was fitted%', true, what);
	EXECUTE back;
END $$;
SELECT changed($$SELECT pegs_set_parent('admissions', 'patients', children => '{0, 1, 2, 3}', at_most => 3)$$, $$SELECT pegs_set_parent('admissions', 'patients', children => '{0, 1, 2}', at_most => 2)$$, 'other classes');
SELECT changed($$ALTER TABLE patients DROP CONSTRAINT patients_sex_check, ADD CHECK (sex IN ('F', 'M', 'X'))$$, $$ALTER TABLE patients DROP CONSTRAINT patients_sex_check, ADD CONSTRAINT patients_sex_check CHECK (sex IN ('F', 'M'))$$, 'another level');
SELECT changed('ALTER TABLE patients ALTER sex DROP NOT NULL', 'ALTER TABLE patients ALTER sex SET NOT NULL', 'NULL is a level');
ALTER TABLE admissions RENAME ward TO unit;
SELECT matches(said($$SELECT pegs_refit('h')$$), '^42703 ', 'a column that is gone');
ALTER TABLE admissions RENAME unit TO ward;
SELECT is(said($$SELECT pegs_refit('h', epsilon => 30)$$) LIKE '53400 | this costs more than is left of the privacy budget%', true, 'too much');
SELECT pegs_import('in', pegs_export('h'));
SELECT matches(said($$SELECT pegs_refit('in')$$), '^55000 \| model "in" came in as a file', 'a file');
SELECT matches(said($$SELECT pegs_refit('kept')$$), '^42809 ', 'a release');
SET ROLE pegs_reader;
SELECT matches(said($$SELECT pegs_refit('h')$$), '^42501 ', 'who may read it only');
RESET ROLE;
SELECT is((SELECT spent FROM pegs_budgets), 25::numeric, 'nothing was charged');
SELECT is(said($$SELECT pegs_refit('h')$$), 'ok', 'once all is what it was');
SELECT is(of_release(), rows, 'and the release still has its rows') FROM before;
---- rolled back, and cancelled: what was charged stays charged, the rows are those of before
SELECT pegs_set_budget('patients', epsilon => (SELECT spent + 21 FROM pegs_budgets WHERE source = 'patients'::regclass)::float8, delta => 1e-6);
CREATE FUNCTION rows_now() RETURNS text LANGUAGE sql AS $$ SELECT md5(string_agg(t::text, ',')) || (SELECT fit FROM pegs_models WHERE name = 'h') FROM pegs_sample('h', 500, options => '{"table": "admissions"}') AS t(id int, patient int, ward text) $$;
CREATE TABLE at_first AS SELECT rows_now() AS rows, spent FROM pegs_budgets WHERE source = 'patients'::regclass;
CREATE FUNCTION more() RETURNS numeric LANGUAGE sql AS $$ SELECT b.spent - a.spent FROM pegs_budgets AS b, at_first AS a WHERE b.source = 'patients'::regclass $$;
UPDATE admissions SET ward = CASE WHEN id % 2 = 0 THEN 'A' ELSE 'B' END;
BEGIN; SELECT pegs_refit('h'); ROLLBACK;
SELECT is(more(), 5::numeric, 'ROLLBACK: charged');
SELECT is(rows_now(), rows, 'the fit of before, its rows') FROM at_first;
DO $$ BEGIN PERFORM pegs_refit('h'); RAISE division_by_zero; EXCEPTION WHEN division_by_zero THEN NULL; END $$;
SELECT is(more(), 10::numeric, 'an exception block: charged');
SELECT is(rows_now(), rows, 'the same rows') FROM at_first;
BEGIN; SAVEPOINT s; SELECT pegs_refit('h'); SELECT isnt(rows_now(), rows, 'in its transaction it has rows of its own') FROM at_first; ROLLBACK TO s;
SELECT is(more(), 15::numeric, 'ROLLBACK TO: charged, and seen at once');
SELECT is(rows_now(), rows, 'the same rows at once') FROM at_first;
SELECT is(said($$SELECT pegs_refit('h')$$), 'ok', 'and it may be fitted again there');
ROLLBACK;
SELECT is(more(), 20::numeric, 'two charges');
SELECT is(rows_now(), rows, 'the rows of before, afterwards, too') FROM at_first;
CREATE FUNCTION stopped() RETURNS text LANGUAGE plpgsql AS $$ BEGIN PERFORM pegs_refit('h', epsilon => 1); RETURN 'ended'; EXCEPTION WHEN query_canceled THEN RETURN SQLSTATE; END $$;
SET statement_timeout = '1ms';
SELECT is(stopped(), '57014', 'cancelled');
SET statement_timeout = 0;
SELECT is(more(), 20::numeric, 'before its charge: nothing');
SELECT is(rows_now(), rows, 'and the same rows') FROM at_first;
SELECT is(said($$SELECT pegs_refit('h', epsilon => 1)$$), 'ok', 'the name is free for a fit that ends');
SELECT isnt(rows_now(), rows, 'which has rows of its own') FROM at_first;

---- a column that was given another name: by what was declared of it, a CHECK, an enum; both ways out are pasted, and undone
CREATE TYPE mood AS ENUM ('up', 'down');
CREATE TABLE old (id int PRIMARY KEY, m mood, c text CHECK (c IN ('a', 'b')), b boolean NOT NULL, l text);
CREATE TABLE young (id int PRIMARY KEY, old int REFERENCES old, c text NOT NULL CHECK (c IN ('a', 'b')));
INSERT INTO old SELECT i, 'up', 'a', true, 'x' FROM generate_series(1, 100) AS i; INSERT INTO young SELECT i, i, 'b' FROM generate_series(1, 100) AS i;
SELECT pegs_set_levels('old', 'l', '{x, y}'), pegs_set_parent('young', 'old', children => '{0, 1}', at_most => 2), pegs_set_budget('old', 1e5);
SELECT pegs_fit('one', 'old', ARRAY['m', 'c', 'b', 'l'], epsilon => 1, options => '{"target": ["c"]}'), pegs_fit_schema('two', 'old', epsilon => 1, siblings => false);
CREATE TABLE pair (id int PRIMARY KEY, a text NOT NULL CHECK (a IN ('p', 'q')), b text NOT NULL CHECK (b IN ('p', 'q')), c boolean NOT NULL, d text NOT NULL); INSERT INTO pair SELECT i, 'p', 'q', true, 'p' FROM generate_series(1, 100) AS i;
SELECT pegs_set_levels('pair', 'd', '{p, q}'), pegs_set_budget('pair', 1e5); SELECT pegs_fit('like', 'pair', ARRAY['a', 'b', 'c', 'd'], epsilon => 1);
CREATE FUNCTION renamed(change text, model text) RETURNS text LANGUAGE plpgsql AS $$ DECLARE r text; hint text; a text; b text; refit text := format('SELECT pegs_refit(%L)', model);
BEGIN
	EXECUTE change;
	r := said(refit);
	hint := split_part(r, 'Nothing was charged. | ', 2);
	IF hint LIKE '% gives it that name again%' THEN
		BEGIN a := said(split_part(hint, ' gives it that name again', 1)); IF a = 'ok' THEN a := said(refit); END IF; RAISE SQLSTATE 'P9999'; EXCEPTION WHEN SQLSTATE 'P9999' THEN NULL; END;
	END IF;
	IF hint LIKE '%grant it again: %' THEN b := said(replace(replace(split_part(hint, 'grant it again: ', 2), 'BEGIN; ', ''), ' COMMIT;', '')); END IF;
	RAISE EXCEPTION USING ERRCODE = 'P9999', MESSAGE = concat_ws(E'\n', hint, coalesce(split_part(a, ' ', 1), 'none') || ', ' || coalesce(split_part(b, ' ', 1), 'none'));
EXCEPTION WHEN SQLSTATE 'P9999' THEN RETURN SQLERRM; END $$;
SELECT is(renamed(change, model), hint || E'\n' || pasted, model || ': ' || change) FROM (VALUES
	('one', 'ALTER TABLE old RENAME m TO "Mood"', 'ALTER TABLE public.old RENAME COLUMN "Mood" TO m; gives it that name again. Or make another model of the columns that there are, and grant it again: BEGIN; SELECT pegs_drop(''one''); SELECT pegs_fit(''one'', ''public.old'', ARRAY[''Mood'', ''c'', ''b'', ''l''], epsilon => 1, delta => 0, options => ''{"target": ["c"]}''); COMMIT;', 'ok, ok'),
	('one', 'ALTER TABLE old RENAME c TO cc', 'ALTER TABLE public.old RENAME COLUMN cc TO c; gives it that name again. Or make another model of the columns that there are, and grant it again: BEGIN; SELECT pegs_drop(''one''); SELECT pegs_fit(''one'', ''public.old'', ARRAY[''m'', ''cc'', ''b'', ''l''], epsilon => 1, delta => 0); COMMIT;', 'ok, ok'),
	('one', 'ALTER TABLE old RENAME l TO ll', 'ALTER TABLE public.old RENAME COLUMN ll TO l; gives it that name again. Or make another model of the columns that there are, and grant it again: BEGIN; SELECT pegs_drop(''one''); SELECT pegs_fit(''one'', ''public.old'', ARRAY[''m'', ''c'', ''b''], epsilon => 1, delta => 0, options => ''{"target": ["c"]}''); COMMIT;', 'ok, ok'),
	('one', 'ALTER TABLE old RENAME c TO c2; ALTER TABLE old RENAME b TO b2', 'ALTER TABLE public.old RENAME COLUMN c2 TO c; ALTER TABLE public.old RENAME COLUMN b2 TO b; gives it that name again. Or make another model of the columns that there are, and grant it again: BEGIN; SELECT pegs_drop(''one''); SELECT pegs_fit(''one'', ''public.old'', ARRAY[''m'', ''c2'', ''b2'', ''l''], epsilon => 1, delta => 0); COMMIT;', 'ok, ok'),
	('one', 'ALTER TABLE old DROP m', 'Put it back; or make another model of the columns that there are, and grant it again: BEGIN; SELECT pegs_drop(''one''); SELECT pegs_fit(''one'', ''public.old'', ARRAY[''c'', ''b'', ''l''], epsilon => 1, delta => 0, options => ''{"target": ["c"]}''); COMMIT;', 'none, ok'),
	('one', 'ALTER TABLE old RENAME c TO c2; ALTER TABLE old ADD c3 text CHECK (c3 IN (''a'', ''b''))', 'Put it back; or make another model of the columns that there are, and grant it again: BEGIN; SELECT pegs_drop(''one''); SELECT pegs_fit(''one'', ''public.old'', ARRAY[''m'', ''b'', ''l''], epsilon => 1, delta => 0); COMMIT;', 'none, ok'),
	('like', 'ALTER TABLE pair RENAME a TO z; ALTER TABLE pair DROP b', 'Column "z" may be what "a" or "b" was: give it the name of the one that it was, and put back the rest. Or make another model of the columns that there are, and grant it again: BEGIN; SELECT pegs_drop(''like''); SELECT pegs_fit(''like'', ''public.pair'', ARRAY[''z'', ''c'', ''d''], epsilon => 1, delta => 0); COMMIT;', 'none, ok'),
	('like', 'ALTER TABLE pair RENAME a TO z; ALTER TABLE pair DROP b; ALTER TABLE pair RENAME c TO y', 'ALTER TABLE public.pair RENAME COLUMN y TO c; gives it that name again. Column "z" may be what "a" or "b" was: give it the name of the one that it was, and put back the rest. Or make another model of the columns that there are, and grant it again: BEGIN; SELECT pegs_drop(''like''); SELECT pegs_fit(''like'', ''public.pair'', ARRAY[''z'', ''y'', ''d''], epsilon => 1, delta => 0); COMMIT;', '42703, ok'),
	('like', 'ALTER TABLE pair RENAME d TO z; ALTER TABLE pair DROP a; ALTER TABLE pair ADD CHECK (z IN (''p'', ''q''))', 'ALTER TABLE public.pair RENAME COLUMN z TO d; gives it that name again. Or make another model of the columns that there are, and grant it again: BEGIN; SELECT pegs_drop(''like''); SELECT pegs_fit(''like'', ''public.pair'', ARRAY[''b'', ''c''], epsilon => 1, delta => 0); COMMIT;', '42703, ok'),
	('like', 'ALTER TABLE pair RENAME d TO z; ALTER TABLE pair ADD x text NOT NULL DEFAULT ''p'' CHECK (x IN (''p'', ''q''))', 'ALTER TABLE public.pair RENAME COLUMN z TO d; gives it that name again. Or make another model of the columns that there are, and grant it again: BEGIN; SELECT pegs_drop(''like''); SELECT pegs_fit(''like'', ''public.pair'', ARRAY[''a'', ''b'', ''c''], epsilon => 1, delta => 0); COMMIT;', 'ok, ok'),
	('like', 'ALTER TABLE pair RENAME a TO y; ALTER TABLE pair RENAME b TO z', 'Put it back; or make another model of the columns that there are, and grant it again: BEGIN; SELECT pegs_drop(''like''); SELECT pegs_fit(''like'', ''public.pair'', ARRAY[''c'', ''d''], epsilon => 1, delta => 0); COMMIT;', 'none, ok'),
	('one', 'ALTER TABLE old DROP m, DROP c, DROP b, DROP l, ADD z boolean', 'Put it back; or make a model of other columns, under another name.', 'none, none'),
	('two', 'ALTER TABLE young RENAME c TO cc', 'ALTER TABLE public.young RENAME COLUMN cc TO c; gives it that name again. Or make another model of the columns that there are, and grant it again: BEGIN; SELECT pegs_drop(''two''); SELECT pegs_fit_schema(''two'', ''public.old'', ARRAY[''old'', ''young''], ''{"old": ["m", "c", "b", "l"], "young": ["cc"]}'', epsilon => 1, delta => 0, siblings => false); COMMIT;', 'ok, ok'),
	('two', 'ALTER TABLE old RENAME l TO ll', 'ALTER TABLE public.old RENAME COLUMN ll TO l; gives it that name again. Or make another model of the columns that there are, and grant it again: BEGIN; SELECT pegs_drop(''two''); SELECT pegs_fit_schema(''two'', ''public.old'', ARRAY[''old'', ''young''], ''{"old": ["m", "c", "b"], "young": ["c"]}'', epsilon => 1, delta => 0, siblings => false); COMMIT;', 'ok, ok'),
	('two', 'ALTER TABLE young DROP c, ADD z boolean', 'Put it back; or make a model of other columns, under another name.', 'none, none')) AS v (model, change, hint, pasted);

---- what is gone
DROP TABLE admissions;
SELECT matches(said($$SELECT pegs_refit('h')$$), '^(42P01|55000) ', 'a table that is gone');
---- a child alone: a key that came, or went, is what its certificate says
CREATE TABLE stays (id int PRIMARY KEY, patient int NOT NULL REFERENCES patients, mate int REFERENCES patients, ward text NOT NULL CHECK (ward IN ('A', 'B')));
INSERT INTO stays SELECT i, i, NULL, 'A' FROM generate_series(1, 100) AS i;
SELECT pegs_set_parent('stays', 'patients', '{patient}', children => '{0, 1, 2}', at_most => 2);
SELECT pegs_set_budget('patients', epsilon => 60, delta => 1e-6, accounting => 'sum');
SELECT pegs_fit('alone', 'stays', ARRAY['ward'], epsilon => 0.1, delta => 1e-9);
CREATE TABLE alone AS SELECT sum(spent) AS spent FROM pegs_budgets;
SELECT is(said($$SELECT pegs_refit('alone')$$), 'ok', 'a child alone, as it was');
ALTER TABLE stays ADD pal int REFERENCES patients;
SELECT matches(said($$SELECT pegs_refit('alone')$$), '^55000 \| model "alone" cannot be fitted anew: changed since it was fitted: what is not protected \(a row of public.patients in the rows of stays that refer to it by pal\) .*pegs_drop\(''alone''\)', 'a key that came');
ALTER TABLE stays DROP pal;
SELECT is(said($$SELECT pegs_refit('alone')$$), 'ok', 'and is gone again');
ALTER TABLE stays DROP CONSTRAINT stays_mate_fkey;
SELECT alike(said($$SELECT pegs_refit('alone')$$), '55000 | model "alone" cannot be %what is not protected (a row of public.patients in the rows of stays that refer to it by mate)%', 'a key that went');
SELECT is((SELECT sum(b.spent) FROM pegs_budgets AS b) - a.spent, 0.2, 'what is refused is not charged') FROM alone AS a;
-- a version that did not say it: nothing has changed
ALTER TABLE stays ADD pal int REFERENCES patients;
UPDATE pegs_internal.model SET beside = NULL WHERE name = 'alone';
SELECT is(said($$SELECT pegs_refit('alone')$$), 'ok', 'of a version that did not say it');
SELECT is(pegs_describe('alone') -> 'not_covered', '["a row of public.patients in the rows of stays that refer to it by pal"]', 'it says it now');
SELECT * FROM finish();
