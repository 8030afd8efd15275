-- Models of several tables: rows given columns of the root; as files.
SET client_min_messages = warning;
CREATE EXTENSION pegs;
SELECT * FROM no_plan();

CREATE TYPE blood AS ENUM ('A', 'B');
CREATE TABLE patients (id int PRIMARY KEY, sex text NOT NULL CHECK (sex IN ('F', 'M')), age int, born date, b blood);
CREATE TABLE admissions (id bigint PRIMARY KEY, patient int NOT NULL REFERENCES patients, ward text NOT NULL CHECK (ward IN ('A', 'B', 'C')));
CREATE TABLE diagnoses (admission bigint NOT NULL REFERENCES admissions, line int NOT NULL, chapter text NOT NULL CHECK (chapter IN ('x', 'y')), PRIMARY KEY (admission, line));
-- one patient in twenty is M, and has three admissions in one ward of two; the others have one, in A
INSERT INTO patients SELECT p, CASE WHEN p % 20 = 0 THEN 'M' ELSE 'F' END, p % 100, date '2000-01-01' + p % 300, CASE WHEN p % 3 > 0 THEN 'B'::blood END FROM generate_series(1, 6000) AS p;
INSERT INTO admissions SELECT 10 * p + r, p, CASE WHEN p % 20 > 0 THEN 'A' WHEN p % 40 = 0 THEN 'B' ELSE 'C' END FROM generate_series(1, 6000) AS p, generate_series(1, CASE WHEN p % 20 = 0 THEN 3 ELSE 1 END) AS r;
INSERT INTO diagnoses SELECT id, l, CASE WHEN ward = 'A' THEN 'x' ELSE 'y' END FROM admissions, generate_series(1, 2) AS l;
\ir lib/said.sql
SELECT pegs_set_bins('patients', 'age', '{0, 18, 65, 120}'), pegs_set_bins('patients', 'born', '{2000-01-01, 2000-07-01, 2000-12-31}'), pegs_set_parent('admissions', 'patients', children => '{0, 1, 2, 3}', at_most => 3),
	pegs_set_parent('diagnoses', 'admissions', children => '{0, 1, 2}', at_most => 2), pegs_set_budget('patients', epsilon => 100, delta => 1e-6, accounting => 'sum');
SELECT pegs_fit_schema('h', 'patients', epsilon => 20, delta => 1e-9);

---- rows given columns of the root
CREATE FUNCTION sample_of(given jsonb, OUT p bigint, OUT a bigint, OUT d bigint, OUT orphans bigint, OUT there numeric, OUT in_a numeric, OUT alike numeric, OUT x numeric) LANGUAGE plpgsql AS $$
BEGIN
	DROP TABLE IF EXISTS sp, sa, sd;
	CREATE TEMP TABLE sp AS SELECT * FROM pegs_sample_as(NULL::patients, 'h', 2000, given => sample_of.given, options => '{"table": "patients"}');
	CREATE TEMP TABLE sd AS SELECT (pegs_sample_as(NULL::diagnoses, 'h', 2000, given => sample_of.given, options => '{"table": "diagnoses"}')).*;
	CREATE TEMP TABLE sa AS SELECT * FROM pegs_sample_as(NULL::admissions, 'h', 2000, given => sample_of.given, options => '{"table": "admissions", "part": 1, "parts": 1}');
	SELECT count(*) INTO p FROM sp; SELECT count(*) INTO a FROM sa; SELECT count(*) INTO d FROM sd;
	SELECT (SELECT count(*) FROM sa LEFT JOIN sp ON sp.id = sa.patient WHERE sp.id IS NULL) + (SELECT count(*) FROM sd LEFT JOIN sa ON sa.id = sd.admission WHERE sa.id IS NULL) INTO orphans;
	SELECT avg((to_jsonb(sp) @> sample_of.given)::int) INTO there FROM sp;
	SELECT avg((ward = 'A')::int) INTO in_a FROM sa;
	SELECT avg((one.ward = two.ward)::int) INTO alike FROM sa AS one JOIN sa AS two ON one.patient = two.patient AND one.id < two.id;
	SELECT avg((chapter = 'x')::int) INTO x FROM sd;
END $$;
CREATE TABLE men AS SELECT * FROM sample_of('{"sex": "M"}');
SELECT is((SELECT (p, orphans, there)::text FROM men), '(2000,0,1.00000000000000000000)', 'men: n of them, none else, and no orphans');
SELECT ok((SELECT a BETWEEN 5600 AND 6400 FROM men), 'three admissions each');
SELECT ok((SELECT d BETWEEN 11000 AND 13000 FROM men), 'two diagnoses of each of these');
SELECT ok((SELECT in_a < 0.1 AND x < 0.1 FROM men), 'none in A, and below it');
SELECT ok((SELECT alike > 0.8 FROM men), 'rows of one parent are alike');
CREATE TABLE women AS SELECT * FROM sample_of('{"sex": "F", "b": null}');
SELECT is((SELECT (p, orphans, there)::text FROM women), '(2000,0,1.00000000000000000000)', 'women, and a NULL');
SELECT ok((SELECT a BETWEEN 1900 AND 2100 AND in_a > 0.95 AND x > 0.95 FROM women), 'one admission each, in A');
SELECT is((SELECT count(*) FROM pegs_sample_as(NULL::patients, 'h', 500, given => '{"age": 30, "born": "2000-03-04"}', options => '{"table": "patients"}') WHERE age >= 18 AND age < 65 AND born < '2000-07-01'), 500::bigint, 'bins: any value of them says which');
SELECT is(said($$SELECT * FROM pegs_sample('h', 3, given => '{"sex": "X"}', options => '{"table": "patients"}') AS t(sex text)$$), '22023 | the value given for column "sex" is not in its declared domain | SELECT first_levels FROM pegs_columns(''h'', first => NULL) WHERE column_name = ''patients.sex''; shows the declared levels.', 'no level');
SELECT is((SELECT count(first_levels) FROM pegs_columns('h', first => NULL) WHERE column_name = 'patients.sex'), 1::bigint, 'which shows them');
SELECT matches(said($$SELECT * FROM pegs_sample('h', 3, given => '{"number of admissions": "1"}', options => '{"table": "patients"}') AS t(sex text)$$), '^42703 ', 'no number of rows');
SELECT is((SELECT md5(string_agg(t::text, ',')) FROM pegs_sample_as(NULL::admissions, 'h', 300, given => '{}', options => '{"table": "admissions"}') AS t),
	(SELECT md5(string_agg(t::text, ',')) FROM pegs_sample_as(NULL::admissions, 'h', 300, options => '{"table": "admissions"}') AS t), 'nothing given is nothing given');

---- a release keeps it, in whatever notation its readers have
SET datestyle = 'German';
SELECT pegs_release('men', 'h', 400, given => '{"sex": "M", "born": "4.3.2000"}');
SET datestyle = 'SQL, MDY';
SELECT is((SELECT (count(*), bool_and(sex = 'M' AND born < '2000-07-01'))::text FROM pegs_rows_as(NULL::patients, 'men', 'patients')), '(400,t)', 'a release of men');
SELECT is((SELECT count(*) FROM (SELECT (pegs_rows_as(NULL::admissions, 'men', 'admissions')).*) AS a LEFT JOIN pegs_rows_as(NULL::patients, 'men', 'patients') AS p ON p.id = a.patient WHERE p.id IS NULL), 0::bigint, 'no orphans');
SELECT is((SELECT count(*) FROM pegs_rows_as(NULL::admissions, 'men', 'admissions') WHERE ward = 'A') < 60, true, 'of which the other tables are');
SELECT is(pegs_describe('men') ->> 'given', '{"sex": "M", "born": "2000-03-04"}', 'it says so');
SELECT is(pegs_describe('men') ->> 'draw', 'apportioned', 'and how');
RESET datestyle;

---- the column list, of a release too
SELECT is(pegs_row_type('men', 'diagnoses'), 'admission bigint, line integer, chapter text', 'of a table of it');
SELECT is(said($$SELECT * FROM pegs_rows('men', 'diagnoses') AS t($$ || pegs_row_type('men', 'diagnoses') || ')'), 'ok', 'which can be asked for');

---- a file
CREATE TABLE file AS SELECT pegs_export('h') AS model;
CREATE TABLE before AS SELECT md5(string_agg(t::text, ',')) AS rows FROM pegs_rows_as(NULL::patients, 'men', 'patients') AS t;
SELECT pegs_import('in', model) FROM file;
SELECT is(pegs_export('in'), model, 'out again it is the same') FROM file;
SELECT is((SELECT array_agg(pegs_row_type('in', t::text)) FROM unnest('{patients, admissions}'::text[]) AS t), '{"id integer, sex text, age integer, born date, b public.blood","id bigint, patient integer, ward text"}', 'columns and keys');
SELECT is((SELECT count(*) FROM pegs_sample_as(NULL::admissions, 'in', 1000, options => '{"table": "admissions"}') AS a LEFT JOIN pegs_sample_as(NULL::patients, 'in', 1000, options => '{"table": "patients"}') AS p ON p.id = a.patient WHERE p.id IS NULL OR (sex = 'F') <> (ward = 'A')) < 60, true, 'rows that belong together');
SELECT is(pegs_certificate('in') ->> 'unit', pegs_certificate('h') ->> 'unit', 'of the same unit');
SELECT is(pegs_certificate('in') ->> 'epsilon', '20', 'epsilon');
SELECT is(pegs_describe('in') ->> 'counts', 'as stated by an imported file', 'as stated by the file');
SELECT pegs_release('from a file', 'in', 50);
SELECT is((SELECT count(*) FROM pegs_rows('from a file', 'patients') AS t(id int, sex text)), 50::bigint, 'a release of it');
DROP TABLE diagnoses, admissions, patients;
SELECT is(said($$SELECT pegs_import('alone', model) FROM file$$), 'ok', 'where its tables are not');
SELECT is(pegs_row_type('alone', 'diagnoses'), 'admission bigint, line bigint, chapter text', 'keys are numbers');
SELECT pegs_view_sql('alone', 'seen') \gexec
SELECT ok((SELECT count(*) FROM seen.diagnoses AS d JOIN seen.admissions AS a ON a.id = d.admission JOIN seen.patients AS p ON p.id = a.patient) = (SELECT count(*) FROM seen.diagnoses), 'views of it join');
SELECT matches(said($$SELECT pegs_copy_sql('alone', 'copied')$$), '^42P01 \| there is no table public.patients, of which "alone" has rows \| .*pg_dump --schema-only', 'a copy needs tables');
SELECT is((SELECT md5(string_agg(t::text, ',')) FROM pegs_rows('men', 'patients') AS t(id int, sex text, age int, born date, b blood)), rows, 'a release without its tables') FROM before;
-- a level that its type does not hold here
ALTER TYPE blood RENAME VALUE 'B' TO 'C';
SELECT matches(said($$SELECT pegs_import('of other blood', model) FROM file$$), '^22P03 .*invalid input value for enum blood: "B".*enum_range', 'values of a table must be values of its types here');
CREATE TABLE one (a text NOT NULL CHECK (a IN ('x', 'y')), c boolean NOT NULL);
SELECT pegs_set_budget('one', 10); SELECT pegs_fit('one', 'one', epsilon => 1);
SELECT matches(said(format('SELECT pegs_import(''bad'', %L)', set_byte(model, length(model) / 2, get_byte(model, length(model) / 2) # 1))), '^(22P03|22023|XX001|22000)', 'a byte of it changed') FROM file;
SELECT * FROM finish();
