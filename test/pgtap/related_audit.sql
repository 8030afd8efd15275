-- A fit of several tables, audited: the neighbour is without the first unit, whose row of the root goes with all that refers to it.
SET client_min_messages = warning;
CREATE EXTENSION pegs;
SELECT plan(14);
CREATE TABLE patient (id int PRIMARY KEY, sex text NOT NULL CHECK (sex IN ('F', 'M')));
CREATE TABLE stay (id int PRIMARY KEY, patient int REFERENCES patient, ward text NOT NULL CHECK (ward IN ('A', 'B', 'C')));
CREATE TABLE done (stay int REFERENCES stay, what text NOT NULL CHECK (what IN ('x', 'y')));
SELECT pegs_set_parent('stay', 'patient', children => '{0, 1, 2, 3, 5}', at_most => 8);
SELECT pegs_set_parent('done', 'stay', children => '{0, 1, 2, 3, 5}', at_most => 8);
SELECT pegs_set_budget('patient', epsilon => 1e5, delta => 1e-3, accounting => 'sum');
-- of two stays of a patient both are in one ward
INSERT INTO patient SELECT i, 'F' FROM generate_series(1, 100) AS i;
INSERT INTO stay SELECT i, 1 + i % 100, substr('ABC', 1 + i % 3, 1) FROM generate_series(1, 200) AS i;
INSERT INTO done SELECT 1 + i % 200, 'x' FROM generate_series(1, 100) AS i;

CREATE TABLE told (model text, holds boolean, reason text, exact double precision);
CREATE FUNCTION ask(model text) RETURNS void LANGUAGE sql AS $$ INSERT INTO told SELECT model, holds, reason, exact_epsilon FROM pegs_audit(model, runs => 100) $$;
CREATE FUNCTION told(m text) RETURNS text LANGUAGE sql AS $$ SELECT concat_ws(' ', CASE WHEN holds THEN 'holds' END, reason) FROM told WHERE model = m $$;
CREATE FUNCTION exact(m text) RETURNS double precision LANGUAGE sql AS $$ SELECT exact FROM told WHERE model = m $$;
CREATE FUNCTION fit(name text, epsilon double precision, delta double precision) RETURNS void LANGUAGE sql AS $$ SELECT pegs_fit_schema(name, 'patient', epsilon => epsilon, delta => delta) $$;

---- one row of the root alone, or one with thousands of rows below it
SELECT fit('before', 20, 1e-9);
SELECT ask('before');
SELECT is(told('before'), 'holds', 'a unit of few rows');
SELECT ok(exact('before') BETWEEN 1 AND 20.0001, 'it is told apart, by epsilon at most');
SELECT ok((SELECT jsonb_array_length(pegs_describe('before') -> 'siblings') > 0), 'siblings are measured, too');
INSERT INTO patient VALUES (0, 'M');
INSERT INTO stay SELECT 10000 + i, 0, 'C' FROM generate_series(1, 2000) AS i;
INSERT INTO done SELECT 10001 + i % 2000, 'y' FROM generate_series(1, 4000) AS i;
SELECT fit('many', 20, 1e-9), fit('pure', 20, 0);
SELECT ask('many');
SELECT is(told('many'), 'holds', 'a unit of thousands of rows costs what one of few costs');
SELECT ok(exact('many') BETWEEN 1 AND 20.0001, 'no more');
SELECT ask('pure');
SELECT is(told('pure'), 'holds', 'without delta');
SELECT ok(exact('pure') BETWEEN 0.1 AND 20.0001, 'the same');
TRUNCATE patient, stay, done;
-- units whose rows differ: no other unit has a say in which of them are met together
INSERT INTO patient SELECT i, substr('FM', 1 + i % 2, 1) FROM generate_series(1, 300) AS i;
INSERT INTO stay SELECT i, 1 + i % 300, substr('ABC', 1 + (i * 7919 % 10007) % 3, 1) FROM generate_series(1, 1000) AS i;
INSERT INTO done SELECT 1 + i % 1000, substr('xy', 1 + (i * 7919 % 10009) % 2, 1) FROM generate_series(1, 3000) AS i;
SELECT fit('all kinds', 20, 1e-9);
SELECT ask('all kinds');
SELECT is(told('all kinds'), 'holds', 'each unit gives what its own rows say');
SELECT ok(exact('all kinds') BETWEEN 1 AND 20.0001, 'and one of them costs what it does');
TRUNCATE patient, stay, done;
SELECT fit('none', 20, 1e-9);
SELECT ask('none');
SELECT is(told('none'), 'holds', 'of no units');

---- of the tables as they were fitted, by the right of now
CREATE FUNCTION said(statement text) RETURNS text LANGUAGE plpgsql AS $$ DECLARE m text; BEGIN EXECUTE statement; RETURN 'ok'; EXCEPTION WHEN OTHERS THEN GET STACKED DIAGNOSTICS m = MESSAGE_TEXT; RETURN concat_ws(' | ', SQLSTATE, m); END $$;
SELECT pegs_set_parent('done', 'stay', children => '{0, 1, 2, 4}', at_most => 8);
SELECT is(said($$SELECT pegs_audit('none')$$), '55000 | a declaration, a key or a table has changed since model "none" was fitted', 'other classes');
SELECT pegs_set_parent('done', 'stay', children => '{0, 1, 2, 3, 5}', at_most => 8);
SELECT is(said($$SELECT pegs_audit('none', runs => 100)$$), 'ok', 'and the old ones again');
DROP TABLE done;
SELECT is(said($$SELECT pegs_audit('none')$$), '42P01 | model "none" is of a table "done", which is not bound to "stay" any more', 'a table is gone');
DROP TABLE stay, patient;
SELECT is(said($$SELECT pegs_audit('none')$$), '42P01 | the original of "none" was dropped', 'all are');
SELECT * FROM finish();
