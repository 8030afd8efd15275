-- One model of several tables: pegs_fit_schema, and rows that belong together. What is refused, with its words.
SET client_min_messages = warning;
CREATE EXTENSION pegs;
SELECT * FROM no_plan();

CREATE TABLE patients (id int PRIMARY KEY, sex text NOT NULL CHECK (sex IN ('F', 'M')), age int CHECK (age BETWEEN 0 AND 99));
CREATE TABLE admissions (id bigint PRIMARY KEY, patient int NOT NULL REFERENCES patients ON DELETE CASCADE, ward text NOT NULL CHECK (ward IN ('A', 'B', 'C')), long boolean);
CREATE TABLE diagnoses (admission bigint NOT NULL REFERENCES admissions, line int NOT NULL, chapter text NOT NULL CHECK (chapter IN ('x', 'y')), PRIMARY KEY (admission, line));
CREATE TABLE cards (patient int PRIMARY KEY REFERENCES patients, kind text NOT NULL CHECK (kind IN ('gold', 'plain')));
INSERT INTO patients SELECT p, CASE WHEN p % 2 = 0 THEN 'F' ELSE 'M' END, p % 100 FROM generate_series(1, 3000) AS p;
-- women have one admission, in A; men three, in B or C: both of each man's first two in one ward
INSERT INTO admissions SELECT 10 * p + r, p, CASE WHEN p % 2 = 0 THEN 'A' WHEN p % 4 = 1 THEN 'B' ELSE 'C' END, r % 2 = 0 FROM generate_series(1, 3000) AS p, generate_series(1, CASE WHEN p % 10 = 0 THEN 0 WHEN p % 2 = 0 THEN 1 ELSE 3 END) AS r;
INSERT INTO diagnoses SELECT id, l, CASE WHEN ward = 'A' THEN 'x' ELSE 'y' END FROM admissions, generate_series(1, 2) AS l;
INSERT INTO cards SELECT id, CASE WHEN sex = 'F' THEN 'gold' ELSE 'plain' END FROM patients WHERE id % 3 = 0;
CREATE FUNCTION said(statement text) RETURNS text LANGUAGE plpgsql AS
$$ DECLARE m text; d text; h text; BEGIN EXECUTE statement; RETURN 'ok';
EXCEPTION WHEN OTHERS THEN GET STACKED DIAGNOSTICS m = MESSAGE_TEXT, d = PG_EXCEPTION_DETAIL, h = PG_EXCEPTION_HINT; RETURN concat_ws(' | ', SQLSTATE, m, nullif(d, ''), nullif(h, '')); END $$;

SELECT pegs_set_bins('patients', 'age', 0, 100, 5);
SELECT is(said($$SELECT pegs_fit_schema('h', 'patients', epsilon => 1)$$), '', 'nothing is bound');
SELECT pegs_set_parent('admissions', 'patients', children => '{0, 1, 2, 3, 5}', at_most => 8);
SELECT pegs_set_parent('diagnoses', 'admissions', children => '{0, 1, 2, 3}', at_most => 4);
SELECT pegs_set_parent('cards', 'patients');
SELECT pegs_set_budget('patients', epsilon => 100, delta => 1e-6, accounting => 'sum');
SELECT is(said($$SELECT pegs_fit_schema('h', 'patients', epsilon => 10, delta => 1e-9)$$), 'ok', 'fitted');
SELECT is((SELECT spent FROM pegs_budgets WHERE source = 'patients'::regclass), 10::numeric, 'charged once');
SELECT diag(pegs_certificate_text('h'));
SELECT diag(pegs_describe('h')::text);
SELECT diag(pegs_columns::text) FROM pegs_columns('h');
SELECT diag(pegs_models::text) FROM pegs_models;
SELECT * FROM finish();
