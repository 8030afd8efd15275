-- Related tables beside other declarations: forbidden combinations, lookups, functions, a root in parts, a root that has a unit.
SET client_min_messages = warning;
CREATE EXTENSION pegs;
SELECT * FROM no_plan();
CREATE FUNCTION said(statement text) RETURNS text LANGUAGE plpgsql AS
$$ DECLARE m text; h text; BEGIN EXECUTE statement; RETURN 'ok'; EXCEPTION WHEN OTHERS THEN GET STACKED DIAGNOSTICS m = MESSAGE_TEXT, h = PG_EXCEPTION_HINT; RETURN concat_ws(' | ', SQLSTATE, m, nullif(h, '')); END $$;
CREATE FUNCTION fits(name text, more text DEFAULT '') RETURNS text LANGUAGE sql AS
$$ SELECT said(format('SELECT pegs_fit_schema(%L, ''patient'', epsilon => 50, delta => 1e-9%s)', name, more)) $$;

CREATE TABLE patient (id int PRIMARY KEY, sex text NOT NULL CHECK (sex IN ('F', 'M'))) PARTITION BY RANGE (id);
CREATE TABLE patient_1 PARTITION OF patient FOR VALUES FROM (0) TO (1001);
CREATE TABLE patient_2 PARTITION OF patient FOR VALUES FROM (1001) TO (2001);
CREATE TABLE code (c text PRIMARY KEY);
CREATE TABLE stay (id int PRIMARY KEY, patient int NOT NULL REFERENCES patient, ward text NOT NULL CHECK (ward IN ('A', 'B')), floor int NOT NULL, code text NOT NULL REFERENCES code);
INSERT INTO code VALUES ('p'), ('q'), ('r');
INSERT INTO patient SELECT i, CASE WHEN i <= 1000 THEN 'F' ELSE 'M' END FROM generate_series(1, 2000) AS i;
INSERT INTO stay SELECT i, i, CASE WHEN i <= 1000 THEN 'A' ELSE 'B' END, CASE WHEN i <= 1000 THEN 1 ELSE 2 END, CASE WHEN i <= 1000 THEN 'p' ELSE 'q' END FROM generate_series(1, 2000) AS i;
SELECT pegs_set_levels('stay', 'floor', '{1, 2}'), pegs_set_lookup('stay', 'code', 'code', 'c'), pegs_set_parent('stay', 'patient', children => '{0, 1, 2}', at_most => 2);
SELECT pegs_set_budget('patient', epsilon => 1e5, delta => 1e-3, accounting => 'sum');
CREATE FUNCTION spent() RETURNS numeric LANGUAGE sql AS $$ SELECT spent FROM pegs_budgets WHERE source = 'patient'::regclass $$;

---- forbidden combinations
SELECT pegs_forbid('stay', '{"ward": "A", "floor": "2"}');
SELECT is(fits('m'), $$0A000 | table "stay" has forbidden combinations, which a model of several tables does not keep | Leave one of their columns out: columns => '{"stay": [...]}'. Or forget them: SELECT pegs_forbid('public.stay', NULL);$$, 'of a table below the root');
SELECT is(spent(), 0::numeric, 'nothing is charged');
SELECT is(fits('without', $$, columns => '{"stay": ["ward", "code"]}'$$), 'ok', 'they are none of the columns that are named');
SELECT pegs_forbid('stay', NULL);
SELECT is(fits('m'), 'ok', 'nor when they are forgotten');

---- a root in parts; a lookup's keys are levels
CREATE FUNCTION right_of(model text) RETURNS numeric LANGUAGE sql AS $$ SELECT avg(((sex = 'F') = (code = 'p'))::int) FROM pegs_sample_as(NULL::patient, model, 1000, options => '{"table": "patient"}') AS p JOIN pegs_sample_as(NULL::stay, model, 1000, options => '{"table": "stay"}') AS s ON s.patient = p.id $$;
SELECT cmp_ok(right_of('m'), '>', 0.95, 'rows of both parts, each with its own');
SELECT is((SELECT count(*) FROM pegs_sample_as(NULL::stay, 'm', 1000, options => '{"table": "stay"}') AS s LEFT JOIN code ON c = s.code WHERE c IS NULL), 0::bigint, 'a key of the lookup in each row');
SELECT is(pegs_describe('m') -> 'not_covered', NULL, 'which is public: nobody is left unprotected');

---- a part that is taken off: rows that are left are fitted, and nobody else's
DELETE FROM stay WHERE patient > 1000;
ALTER TABLE patient DETACH PARTITION patient_2 CONCURRENTLY;
SELECT is(fits('half'), 'ok', 'without a part');
SELECT cmp_ok((SELECT count(*) FROM pegs_sample_as(NULL::patient, 'half', 1000, options => '{"table": "patient"}') WHERE sex = 'M'), '<', 50::bigint, 'its rows are not read');
SELECT ok((pegs_describe('half') ->> 'rows')::numeric BETWEEN 950 AND 1050, 'nor counted');
SELECT cmp_ok(right_of('m'), '>', 0.95, 'a model of before has the rows that it had');

---- a value that is not declared comes later in the lookup
INSERT INTO code VALUES ('s');
SELECT is(said($$SELECT pegs_refit('m')$$) LIKE '55000 | a declaration, a key or a table has changed since model "m" was fitted%', true, 'a key more is a level more');

---- altered and dropped after the fit
ALTER TABLE stay ADD COLUMN more int, DROP COLUMN floor;
SELECT cmp_ok(right_of('m'), '>', 0.95, 'a column less in the table: the model still has rows');
SELECT matches(fits('altered'), '^22023 \| column "more" cannot be used: no declared domain', 'a column more has to be declared');
SELECT pegs_leave_out('stay', 'more');
SELECT is(fits('altered'), 'ok', 'or left out: the table is fitted as it is');
CREATE TABLE before AS SELECT spent();
DROP TABLE stay;
SELECT is(regexp_replace(said($$SELECT pegs_refit('altered')$$), ' \| [A-Z].*', ''), '42P01 | model "altered" is of a table "stay", which is not bound to "patient" any more', 'no refit of a table that is gone');
SELECT matches(fits('gone'), '^55000 \| no table is bound to public\.patient', 'nor a fit');
SELECT ok((SELECT count(*) > 100 FROM pegs_sample('altered', 1000, options => '{"table": "stay"}') AS t(id int)), 'the model is as private as it was, and answers on');
SELECT is(spent(), before.spent, 'what was spent stays spent') FROM before;
---- files that nobody's fit has written: a table's place among the others, its number of rows, a key of its parent
\ir lib/crafted.sql
CREATE TABLE written AS SELECT pegs_export('altered') AS b;
SELECT is(crafted(b, '"parent": 0', '"parent": 0'), b, 'the sum is that of the file') FROM written;
SELECT matches(said(format('SELECT pegs_import(''crafted'', %L)', crafted(b, these, others))), '^(22023|22P03) ', these || ' becomes ' || others)
FROM written, (VALUES ('"parent": 0', '"parent": 1'), ('"parent": 0', '"parent": 9'), ('"children": [0, 1, 2]', '"children": [0, 2, 1]'), ('"at_most": 2', '"at_most": 1'),
	('"is": "parent", "of": 0', '"is": "parent", "of": 7'), ('"related"', '"relatee"')) AS v (these, others);
SELECT * FROM finish();
