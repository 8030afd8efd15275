-- One model of several tables: pegs_fit_schema, and rows that belong together. What is refused, with its words.
SET client_min_messages = warning;
CREATE EXTENSION pegs;
SELECT * FROM no_plan();

CREATE TABLE patients (id int PRIMARY KEY, sex text NOT NULL CHECK (sex IN ('F', 'M')), age int CHECK (age BETWEEN 0 AND 100));
CREATE TABLE admissions (id bigint PRIMARY KEY, patient int NOT NULL REFERENCES patients ON DELETE CASCADE, ward text NOT NULL CHECK (ward IN ('A', 'B', 'C')), long boolean);
CREATE TABLE diagnoses (admission bigint NOT NULL REFERENCES admissions, line int NOT NULL, chapter text NOT NULL CHECK (chapter IN ('x', 'y')), PRIMARY KEY (admission, line));
CREATE TABLE cards (patient int PRIMARY KEY REFERENCES patients, kind text NOT NULL CHECK (kind IN ('gold', 'plain')));
INSERT INTO patients SELECT p, CASE WHEN p % 2 = 0 THEN 'F' ELSE 'M' END, p % 100 FROM generate_series(1, 3000) AS p;
-- women have one admission, in A; men three, in B or C: both of each man's first two in one ward
INSERT INTO admissions SELECT 10 * p + r, p, CASE WHEN p % 2 = 0 THEN 'A' WHEN p % 4 = 1 THEN 'B' ELSE 'C' END, r % 2 = 0 FROM generate_series(1, 3000) AS p, generate_series(1, CASE WHEN p % 10 = 0 THEN 0 WHEN p % 2 = 0 THEN 1 ELSE 3 END) AS r;
INSERT INTO diagnoses SELECT id, l, CASE WHEN ward = 'A' THEN 'x' ELSE 'y' END FROM admissions, generate_series(1, 2) AS l;
INSERT INTO cards SELECT id, CASE WHEN sex = 'F' THEN 'gold' ELSE 'plain' END FROM patients WHERE id % 3 = 0;
\ir lib/said.sql

SELECT pegs_set_bins('patients', 'age', 0, 100, 5);
SELECT is(said($$SELECT pegs_fit_schema('h', 'patients', epsilon => 1)$$), '55000 | no table is bound to public.patients | Say whose rows are whose: SELECT pegs_set_parent(''...'', ''public.patients'', children => ''{0, 1, 2, ...}'', at_most => ''...''); children: where classes of that number begin, each at most half above the one before (..., 8, 12, 18, 27): inside one, numbers are equally likely. at_most: the largest there may be; a parent with more rows gets no more than so many in rows of the model.', 'nothing is bound');
SELECT pegs_set_parent('admissions', 'patients');
SELECT pegs_set_parent('diagnoses', 'admissions', children => '{0, 1, 2, 3}', at_most => 4);
SELECT pegs_set_parent('cards', 'patients');

---- what is refused
SELECT is(said($$SELECT pegs_fit_schema('h', 'patients')$$), '22004 | epsilon must be given: a model of several tables is perturbed | A sealed one would charge every sample, and tables of two samples do not belong together. | epsilon => 1', 'no epsilon');
SELECT is(said($$SELECT pegs_fit_schema('h', 'admissions', epsilon => 1)$$), '22023 | table "admissions" is bound to another: it is not the root | The root is public.patients.', 'not the root');
SELECT is(said($$SELECT pegs_fit_schema('h', 'patients', epsilon => 1)$$), '55000 | it is not declared how many rows of "admissions" a row of its parent has | Their number is modelled in classes, which are public. | SELECT pegs_set_parent(''public.admissions'', ''public.patients'', children => ''{0, 1, 2, ...}'', at_most => ''...''); children: where classes of that number begin, each at most half above the one before (..., 8, 12, 18, 27): inside one, numbers are equally likely. at_most: the largest there may be; a parent with more rows gets no more than so many in rows of the model.', 'no classes');
SELECT is((SELECT problem || ' | ' || remedy FROM pegs_schema('patients') WHERE source = 'admissions'::regclass), 'it is not declared how many rows of "admissions" a row of its parent has | SELECT pegs_set_parent(''public.admissions'', ''public.patients'', children => ''{0, 1, 2, ...}'', at_most => ''...'');  -- children: where classes of that number begin, each at most half above the one before (..., 8, 12, 18, 27): inside one, numbers are equally likely. at_most: the largest there may be; a parent with more rows gets no more than so many in rows of the model.', 'nor does pegs_schema hide it');
SELECT is((SELECT count(problem) FROM pegs_schema('patients') WHERE source <> 'admissions'::regclass), 0::bigint, 'classes, or a unique key: nothing is missing');
SELECT matches(said(substring(remedy FROM '^SELECT [^;]+')), '^22P02 ', 'pasted as it is printed it fails: no class is proposed that could cut rows') FROM pegs_schema('patients') WHERE source = 'admissions'::regclass;
SELECT is(said($$SELECT pegs_set_parent('admissions', 'patients', children => '{0, 1, 2, 5}')$$), '22004 | at_most must be given with children | Without it the last class would have no end. | SELECT pegs_set_parent(''public.admissions'', ''public.patients'', children => ''{0, 1, 2, 5}'', at_most => ''...''); children: where classes of that number begin, each at most half above the one before (..., 8, 12, 18, 27): inside one, numbers are equally likely. at_most: the largest there may be; a parent with more rows gets no more than so many in rows of the model.', 'no end of the last class: rows would be cut without a word');
SELECT is(said($$SELECT pegs_declare('admissions', '{"parent": {"table": "patients", "children": [0, 1, 2, 5]}}')$$) LIKE '22004 | at_most must be given with children | %', true, 'nor by pegs_declare');
SELECT pegs_set_parent('admissions', 'patients', children => '{0, 1, 2, 3, 4}', at_most => 5);
SELECT is(said($$SELECT pegs_fit_schema('h', 'patients', epsilon => 1)$$), '55000 | table "patients" has no privacy budget | Its owner can set one: SELECT pegs_set_budget(''public.patients'', epsilon => 1);', 'no budget');
SELECT pegs_set_budget('patients', epsilon => 100, delta => 1e-6, accounting => 'sum');
SELECT is(said($$SELECT pegs_fit_schema('h', 'patients', '{diagnoses}', epsilon => 1)$$), '42P01 | no table "diagnoses" is bound to public.patients, or to one that is named | SELECT source, parent FROM pegs_schema(''public.patients''); A table comes with its parent.', 'a table without its parent');
SELECT is(said($$SELECT pegs_fit_schema('h', 'patients', columns => '{"wards": ["a"]}', epsilon => 1)$$), '42P01 | columns are given of "wards", which is none of the tables | The tables are: patients, admissions, diagnoses, cards.', 'columns of no table');
SELECT is(said($$SELECT pegs_fit_schema('h', 'patients', columns => '{"admissions": "ward"}', epsilon => 1)$$), '22023 | columns of table "admissions" must be a list of names | columns => ''{"admissions": ["...", "..."]}''', 'no list');
SELECT is(said($$SELECT pegs_fit_schema('h', 'patients', columns => '{"admissions": ["id"]}', epsilon => 1)$$), '22023 | column "id" of table "admissions" is a part of a key | Its values are made anew, so that rows of the tables belong together; they are not modelled. | Leave it out of columns.', 'a key');
SELECT is(said($$SELECT pegs_fit_schema('h', 'patients', columns => '{"admissions": ["no"]}', epsilon => 1)$$), '42703 | column "no" of public.admissions does not exist | SELECT column_name FROM pegs_domain(''public.admissions'');', 'no column');
CREATE VIEW women AS SELECT * FROM patients WHERE sex = 'F';
SELECT is(said($$SELECT pegs_fit_schema('h', 'women', epsilon => 1)$$), '42809 | public.women is a view: the root must be a table | Name the table, and the columns that are wanted: columns => ''{"patients": [...]}''', 'a view');
CREATE TABLE halves (id int PRIMARY KEY) PARTITION BY LIST (id);
CREATE TABLE half PARTITION OF halves FOR VALUES IN (1);
SELECT is(said($$SELECT pegs_fit_schema('h', 'half', epsilon => 1)$$), '42809 | public.half is a part of another table: the root must be all of it | Name the whole: public.halves.', 'a part');
SELECT is(said($$SELECT pegs_fit_schema('h', 'patients', epsilon => 1000)$$) LIKE '53400 | this costs more than is left of the privacy budget%', true, 'its total is held');
CREATE ROLE pegs_other;
ALTER TABLE cards OWNER TO pegs_other;
SELECT is(said($$SELECT pegs_fit_schema('h', 'patients', epsilon => 1)$$) LIKE '55000 | tables "patients" and "cards" have different owners%', true, 'two owners');
ALTER TABLE cards OWNER TO CURRENT_USER;
INSERT INTO cards SELECT 1, 'gold';
SELECT is((SELECT spent FROM pegs_budgets), 0::numeric, 'nothing was charged for it');

---- one charge, one unit
SELECT is(said($$SELECT pegs_fit_schema('h', 'patients', epsilon => 10, delta => 1e-9)$$), 'ok', 'fitted');
SELECT is((SELECT array_agg((source, spent, mixed_units)::text) FROM pegs_budgets), '{"(patients,10,f)"}', 'charged once, to the root');
SELECT is((SELECT array_agg(DISTINCT unit) FROM pegs_ledger WHERE unit IS NOT NULL), ARRAY[substring(pegs_certificate('h') ->> 'unit' FROM '^(.*, however many) \(')], 'the ledger says what the certificate does');
SELECT matches((SELECT unit FROM pegs_ledger WHERE action = 'fit'), '^a row of patients with every row of .*admissions', 'whose row, and with which others');
SELECT is(pegs_certificate('h') ->> 'unit', 'a row of patients with every row of admissions, diagnoses and cards that refers to it, however many (each counts 64 path rows)', 'the unit in words');
SELECT is(pegs_certificate('h') ->> 'neighbours', 'add or remove a row of patients with every row of admissions, diagnoses and cards that refers to it, however many', 'neighbours');
SELECT is((SELECT unit FROM pegs_models), 'one row with all that refers to it', 'pegs_models');
SELECT is((SELECT array_agg(column_name::text) FROM pegs_columns('h')), '{patients.sex,patients.age,"number of admissions","number of cards",admissions.ward,admissions.long,"number of diagnoses",diagnoses.chapter,cards.kind}', 'its columns');
SELECT ok((pegs_describe('h') ->> 'rows')::int BETWEEN 2900 AND 3100, 'a noisy number of patients');

---- rows that belong together, and load with all constraints
CREATE SCHEMA synthetic;
CREATE TABLE synthetic.patients (LIKE patients INCLUDING ALL);
CREATE TABLE synthetic.admissions (LIKE admissions INCLUDING ALL, FOREIGN KEY (patient) REFERENCES synthetic.patients);
CREATE TABLE synthetic.diagnoses (LIKE diagnoses INCLUDING ALL, FOREIGN KEY (admission) REFERENCES synthetic.admissions);
CREATE TABLE synthetic.cards (LIKE cards INCLUDING ALL, FOREIGN KEY (patient) REFERENCES synthetic.patients);
INSERT INTO synthetic.patients SELECT * FROM pegs_sample_as(NULL::patients, 'h', 3000, options => '{"table": "patients"}');
INSERT INTO synthetic.admissions SELECT * FROM pegs_sample_as(NULL::admissions, 'h', 3000, options => '{"table": "admissions"}');
INSERT INTO synthetic.diagnoses SELECT (pegs_sample_as(NULL::diagnoses, 'h', 3000, options => '{"table": "diagnoses"}')).*;
INSERT INTO synthetic.cards SELECT * FROM pegs_sample('h', 3000, options => '{"table": "cards"}') AS t(patient int, kind text);
SELECT is((SELECT count(*) FROM synthetic.patients), 3000::bigint, 'n is of the root');
SELECT ok((SELECT count(*) FROM synthetic.admissions) BETWEEN 5200 AND 6200, 'admissions: about 5,700');
SELECT ok((SELECT count(*) FROM synthetic.diagnoses) BETWEEN 10000 AND 13000, 'diagnoses: about 11,400');
SELECT ok((SELECT count(*) FROM synthetic.cards) BETWEEN 900 AND 1100, 'cards: about 1,000');
SELECT ok((SELECT avg((ward = 'A')::int) FROM synthetic.patients AS p JOIN synthetic.admissions AS a ON a.patient = p.id WHERE sex = 'F') > 0.95, 'a join across a key comes out right');
SELECT ok((SELECT avg((chapter = 'x')::int) FROM synthetic.admissions AS a JOIN synthetic.diagnoses AS d ON d.admission = a.id WHERE ward = 'A') > 0.95, 'and one below it');
SELECT ok((SELECT avg((kind = 'gold')::int) FROM synthetic.patients AS p JOIN synthetic.cards AS c ON c.patient = p.id WHERE sex = 'F') > 0.95, 'of a table of at most one row');
SELECT ok((SELECT avg((a.ward = b.ward)::int) FROM synthetic.admissions AS a JOIN synthetic.admissions AS b ON a.patient = b.patient AND a.id < b.id) > 0.8, 'siblings are alike');
SELECT is_empty('SELECT FROM synthetic.diagnoses GROUP BY admission HAVING min(line) <> 1 OR max(line) <> count(*)', 'lines are numbered among the rows of one parent');
CREATE TABLE parts AS SELECT * FROM synthetic.admissions LIMIT 0;
INSERT INTO parts SELECT s.* FROM pegs_sample_as(NULL::admissions, 'h', 3000, options => '{"table": "admissions", "part": 2, "parts": 2}') AS s;
INSERT INTO parts SELECT s.* FROM pegs_sample_as(NULL::admissions, 'h', 3000, options => '{"table": "admissions", "part": 1, "parts": 2}') AS s;
SELECT is_empty('(TABLE parts EXCEPT TABLE synthetic.admissions) UNION ALL (TABLE synthetic.admissions EXCEPT TABLE parts)', 'parts are the table, in any order');
CREATE FUNCTION refused(statement text, what text) RETURNS text LANGUAGE sql AS $$ SELECT is(said(statement), '0A000 | model "h" is of several tables: patients, admissions, diagnoses, cards | Rows are of one of them. | SELECT * FROM pegs_sample_as(NULL::public.patients, ''h'', options => ''{"table": "patients"}'');', what) $$;
SELECT is(said($$SELECT * FROM pegs_sample('h', 3) AS t(sex text)$$), '0A000 | model "h" is of several tables: patients, admissions, diagnoses, cards | Rows are of one of them. | SELECT * FROM pegs_sample_as(NULL::public.patients, ''h'', 3, options => ''{"table": "patients"}'');', 'no table');
SELECT is(said($$SELECT pegs_row_type('h')$$), '0A000 | "h" is of several tables: patients, admissions, diagnoses, cards | Rows are of one of them. | SELECT pegs_row_type(''h'', ''patients'');', 'no row type of all of them');
SELECT is(said($$SELECT pegs_row_type('h', 'wards')$$), '42P01 | "h" has no table "wards" | Its tables are: patients, admissions, diagnoses, cards.', 'nor of none of them');
SELECT is((SELECT array_agg(pegs_row_type('h', t::text)) FROM unnest('{patients, admissions, diagnoses, cards}'::text[]) AS t), '{"id integer, sex text, age integer","id bigint, patient integer, ward text, long boolean","admission bigint, line integer, chapter text","patient integer, kind text"}', 'of each of them, its keys first');
SELECT is(said($$SELECT * FROM pegs_sample('h', 3, options => '{"table": "wards"}') AS t(sex text)$$), '42P01 | model "h" has no table "wards" | Its tables are: patients, admissions, diagnoses, cards.', 'no such table');
SELECT is(said($$SELECT * FROM pegs_sample('h', 3, given => '{"patients.sex": "F"}', options => '{"table": "patients"}') AS t(sex text)$$), '42703 | given names "patients.sex", which is not a modelled column of "patients" | Of several tables, columns of the root are given; all else is drawn by it. | Its columns are: sex text, age integer.', 'columns of the root are given by their own names');
SELECT is(said($$SELECT * FROM pegs_sample('h', 3, options => '{"table": "patients", "fresh": true}') AS t(sex text)$$), '0A000 | rows of several tables take no options but "table", "part" and "parts" | Rows of one table belong to those of the others, which are drawn by the same call. | options => ''{"table": "patients"}''', 'not fresh');
SELECT is(said($$SELECT * FROM pegs_sample('h', 40000, options => '{"table": "patients"}') AS t(id smallint, sex text)$$) LIKE '22003 | column "id" cannot number%', true, 'a type that is too small');

---- releases: all tables, the same for ever
CREATE FUNCTION read(release text, of regclass) RETURNS text LANGUAGE plpgsql AS
$$ DECLARE s text; BEGIN EXECUTE format('SELECT md5(string_agg(t::text, '','')) FROM pegs_rows_as(NULL::%s, %L, %L) AS t', of, release, of) INTO s; RETURN s; END $$;
SELECT pegs_release('spring', 'h', 3000), pegs_release('anew', 'h', 500, options => '{"fresh": true}'), pegs_release('noisy', 'h');
CREATE TABLE first_read AS SELECT t, read('spring', t) AS rows FROM unnest('{patients, admissions, diagnoses, cards}'::regclass[]) AS t;
SELECT is(rows, (SELECT md5(string_agg(s::text, ',' ORDER BY id)) FROM synthetic.admissions AS s), 'a release has rows of the model') FROM first_read WHERE t = 'admissions'::regclass;
SELECT is((SELECT count(*) FROM (SELECT (pegs_rows_as(NULL::diagnoses, 'spring', 'diagnoses')).* EXCEPT TABLE synthetic.diagnoses) AS e), 0::bigint, 'in the select list, too');
SELECT is((SELECT count(*) FROM pegs_rows('anew', 'patients') AS t(id int)), 500::bigint, 'n rows of the root');
SELECT is((SELECT n FROM pegs_releases WHERE name = 'noisy'), (pegs_describe('h') ->> 'rows')::numeric::bigint, 'without n as many as the model has');
SELECT is((SELECT count(*) FROM pegs_rows('anew', 'diagnoses') AS d(admission bigint, line int, chapter text) LEFT JOIN pegs_rows('anew', 'admissions') AS a(id bigint, patient int) ON a.id = d.admission
	LEFT JOIN pegs_rows('anew', 'patients') AS p(id int) ON p.id = a.patient WHERE p.id IS NULL), 0::bigint, 'no row without its parent');
SELECT isnt(read('anew', 'admissions'), (SELECT md5(string_agg(t::text, ',')) FROM pegs_sample_as(NULL::admissions, 'h', 500, options => '{"table": "admissions"}') AS t), 'fresh rows are others');
SELECT is(said($$SELECT * FROM pegs_rows('spring') AS t(id int)$$), '0A000 | release "spring" is of several tables: patients, admissions, diagnoses, cards | Rows are of one of them. | SELECT * FROM pegs_rows_as(NULL::public.patients, ''spring'', ''patients'');', 'a release without a table');
SELECT is(said($$SELECT * FROM pegs_rows('spring', 'wards') AS t(id int)$$), '42P01 | release "spring" has no table "wards" | Its tables are: patients, admissions, diagnoses, cards.', 'no such table of it');
SELECT is(said($$SELECT * FROM pegs_rows('spring', NULL) AS t(id int)$$), '22004 | table_name must not be null | Give a value: table_name => ...', 'a table that is NULL');
SELECT is(said($$SELECT pegs_release('r', 'h', 3, options => '{"table": "patients"}')$$), '22023 | a release has all tables of its model, not one | Leave option "table" out: pegs_rows is told which.', 'a release of one table');
SELECT matches(said($$SELECT pegs_release('r', 'h', 3, given => '{"ward": "A"}')$$), '^42703 \| given names "ward"', 'nor of what is given of a child');
SELECT matches(said($$SELECT pegs_release('r', 'h', 3, options => '{"keys": "number"}')$$), '^0A000 \| rows of several tables take no options', 'its keys are made anyway');
SELECT pegs_fit('one', 'patients', '{sex}', epsilon => 1); SELECT pegs_release('of one', 'one', 3);
SELECT is(said($$SELECT * FROM pegs_rows('of one', 'patients') AS t(sex text)$$), '42P01 | release "of one" is of one table, whose name is not asked for | SELECT * FROM pegs_rows(''of one'') AS t(sex text);', 'a table of a release of one');
SELECT is(said($$SELECT * FROM pegs_utility_of('spring')$$), '0A000 | model "h" is of several tables, and has no original of one | SELECT * FROM pegs_utility_schema_of(''h''); compares all of them. Or compare a table of its rows with the table: pegs_utility(original, synthetic).', 'how close it is');
CREATE TABLE spent AS SELECT spent FROM pegs_budgets;
SELECT is(said($$SELECT * FROM pegs_best('patients', '{spring, anew}', epsilon => 1)$$), '0A000 | "spring" is of several tables: patients, admissions, diagnoses, cards | A choice compares rows of one table, and a unit of these is rows of all of them. | Name models and releases of public.patients alone.', 'nor is it compared with others');
SELECT is((SELECT spent FROM pegs_budgets), (SELECT spent FROM spent), 'and nothing is charged for that');
SELECT is(pegs_certificate('spring') ->> 'unit', pegs_certificate('h') ->> 'unit', 'its certificate is of the same unit');
GRANT EXECUTE ON FUNCTION read TO PUBLIC; GRANT SELECT ON first_read TO PUBLIC;
SET ROLE pegs_other;
SELECT matches(said($$SELECT * FROM pegs_rows('spring', 'cards') AS t(kind text)$$), '^42704 ', 'who was not granted it');
RESET ROLE;
SELECT pegs_grant('spring', 'pegs_other'); SELECT pegs_drop('h');
SET ROLE pegs_other;
SELECT results_eq('SELECT t::text, read(''spring'', t) FROM first_read ORDER BY t', 'SELECT t::text, rows FROM first_read ORDER BY t', 'the same for who was, without the model');
RESET ROLE;
SELECT pegs_drop('spring');
SELECT matches(said($$SELECT * FROM pegs_rows('spring', 'cards') AS t(kind text)$$), '^42704 ', 'and gone');

---- views, and copies with all constraints
SELECT pegs_view_sql('anew', 'seen', 'pegs_other', 'view') \gexec
SET ROLE pegs_other;
SELECT ok((SELECT count(*) FROM seen.patients JOIN seen.admissions AS a ON a.patient = patients.id JOIN seen.diagnoses AS d ON d.admission = a.id) = (SELECT count(*) FROM seen.diagnoses), 'views that join');
SELECT is((SELECT array_agg(format('%s %s', attname, format_type(atttypid, atttypmod)) ORDER BY attnum) FROM pg_attribute WHERE attrelid = 'seen.diagnoses'::regclass), '{"admission bigint","line integer","chapter text"}', 'their keys have the types of the tables');
RESET ROLE;
SELECT matches(obj_description('seen.cards'::regclass), '^synthetic, epsilon 10, delta 0.000000001, see pegs_certificate\(''anew''\)$', 'and say what they are');
SELECT is(said($$SELECT pegs_view_sql('anew', 'seen')$$), '42P07 | relation "patients" already exists in schema "seen" | CREATE would fail, and the statements behind it would be of what is there. | Name another schema. Or, if these are older ones of the same: DROP VIEW seen.patients, seen.admissions, seen.diagnoses, seen.cards;', 'not over what is there');
SELECT pegs_copy_sql('anew', 'copied') \gexec
SELECT is((SELECT array_agg(format('copied.%s: %s', conrelid::regclass, replace(replace(pg_get_constraintdef(oid), ' ON DELETE CASCADE', ''), 'REFERENCES ', 'REFERENCES copied.')) ORDER BY conrelid::regclass::text, conname) FROM pg_constraint WHERE conrelid IN (SELECT t FROM first_read)),
	(SELECT array_agg(format('%s: %s', conrelid::regclass, pg_get_constraintdef(oid)) ORDER BY conrelid::regclass::text, conname) FROM pg_constraint WHERE connamespace = 'copied'::regnamespace), 'a copy has all constraints, and they hold');
SELECT is((SELECT count(*) FROM (TABLE seen.admissions EXCEPT SELECT id, patient, ward, long FROM copied.admissions) AS e) + (SELECT count(*) FROM (TABLE copied.diagnoses EXCEPT TABLE seen.diagnoses) AS e), 0::bigint, 'and the same rows');
ALTER TABLE admissions ADD CONSTRAINT refused CHECK (id > 10);
\set ON_ERROR_STOP off
SELECT pegs_copy_sql('anew', 'refused') \gexec
\set ON_ERROR_STOP on
SELECT is(to_regnamespace('refused'), NULL, 'a constraint that is refused undoes the copy as a whole');
ALTER TABLE admissions DROP CONSTRAINT refused;
SELECT pegs_fit_schema('h', 'patients', '{patients, cards}', epsilon => 5);
SELECT pegs_copy_sql('h', 'of model') \gexec
SELECT ok((SELECT count(*) FROM "of model".patients) BETWEEN 2900 AND 3100, 'of a model, too');
SELECT is(said($$SELECT pegs_copy_sql('of one', 'c')$$), '42809 | "of one" is of one table: only several are copied with their references | CREATE TABLE ... AS SELECT * FROM ...; or a view: SELECT pegs_view_sql(''of one'', ''...'');', 'of one table');

---- small ones
TRUNCATE patients, admissions, diagnoses, cards;
SELECT is(said($$SELECT pegs_fit_schema('none', 'patients', epsilon => 10, delta => 1e-9)$$), 'ok', 'no roots');
SELECT is((SELECT count(*) FROM pegs_sample('none', 10, options => '{"table": "patients"}') AS t(id int, sex text)), 10::bigint, 'as any empty table');
INSERT INTO patients SELECT p, 'F', 5 FROM generate_series(1, 3000) AS p;
SELECT is(said($$SELECT pegs_fit_schema('childless', 'patients', epsilon => 10, delta => 1e-9)$$), 'ok', 'roots without children');
SELECT ok((SELECT count(*) FROM pegs_sample('childless', 1000, options => '{"table": "admissions"}') AS t(id int, patient int, ward text)) < 60, 'have none');
SELECT * FROM finish();
