-- Values in a primary key, as the year in (person, year): they are modelled, and rows of one parent have different ones; where they cannot be, it is said before a charge.
SET client_min_messages = warning;
CREATE EXTENSION pegs;
SELECT * FROM no_plan();
\ir lib/said.sql
\setenv PGDATABASE :DBNAME
CREATE TABLE person (id int PRIMARY KEY, sex text NOT NULL CHECK (sex IN ('F', 'M')));
CREATE FUNCTION spent() RETURNS numeric LANGUAGE sql AS $$ SELECT spent FROM pegs_budgets WHERE source = 'person'::regclass $$;
CREATE FUNCTION problems() RETURNS text LANGUAGE sql AS $$ SELECT string_agg(concat_ws(' | ', source, problem, remedy), E'\n' ORDER BY source::text) FROM pegs_schema('person') WHERE problem IS NOT NULL $$;

CREATE TYPE eye AS ENUM ('left', 'right');
CREATE DOMAIN side AS text CHECK (VALUE IN ('L', 'R'));
CREATE TABLE salary (person int REFERENCES person, year int CHECK (year IN (2020, 2021, 2022, 2023, 2024, 2025)), band text NOT NULL CHECK (band IN ('low', 'high')), PRIMARY KEY (person, year));
CREATE TABLE exam (eye eye, person int REFERENCES person, good boolean NOT NULL, PRIMARY KEY (eye, person));
CREATE TABLE pressure (person int REFERENCES person, arm side, high boolean NOT NULL, PRIMARY KEY (person, arm));
CREATE TABLE ticked (person int REFERENCES person, yes boolean, v boolean NOT NULL, PRIMARY KEY (person, yes));
-- of two values beside a number, and of a range, which may be a line
CREATE TABLE visit (person int REFERENCES person, arm side, day date, v boolean NOT NULL, PRIMARY KEY (person, arm, day));
CREATE TABLE line (person int REFERENCES person, n int CHECK (n BETWEEN 1 AND 100), v boolean NOT NULL, PRIMARY KEY (person, n));
INSERT INTO person SELECT i, CASE i % 2 WHEN 0 THEN 'F' ELSE 'M' END FROM generate_series(1, 300) AS i;
-- the years of a person end in 2025, and pay is low before 2023
INSERT INTO salary SELECT id, y, CASE WHEN y < 2023 THEN 'low' ELSE 'high' END FROM person, generate_series(2020 + id % 6, 2025) AS y;
INSERT INTO exam SELECT e, id, e = 'left' FROM person, unnest(enum_range(NULL::eye)) AS e WHERE id % 3 < 2 OR e = 'left';
INSERT INTO pressure SELECT id, a, a = 'L' FROM person, unnest('{L,R}'::text[]) AS a WHERE id % 3 > 0; INSERT INTO ticked SELECT id, true, true FROM person;
INSERT INTO visit SELECT id, 'L', '2024-01-01', true FROM person; INSERT INTO line SELECT id, 7, true FROM person;
SELECT pegs_set_parent(t, 'person', children => '{0, 1, 2}', at_most => 2) FROM unnest('{exam,pressure,ticked,visit,line}'::regclass[]) AS t;
SELECT pegs_set_parent('salary', 'person', children => '{0, 1, 2, 3, 4, 5, 6}', at_most => 6), pegs_set_budget('person', 1e5);
SELECT is(problems(), NULL, 'nothing stands in the way');
SELECT is((SELECT string_agg(origin, ', ' ORDER BY c) FROM unnest('{salary,exam,pressure,ticked}'::text[]) AS c, LATERAL pegs_domain(c::regclass) AS d WHERE d.column_name IN ('year', 'eye', 'arm', 'yes') AND d.problem IS NULL),
	'enum type, domain type, CHECK constraint, boolean type', 'pegs_domain knows it');
SELECT is((SELECT problem FROM pegs_domain('line') WHERE column_name = 'n'), 'it is a number in its key', 'a range is a line''s');
\set told `psql -XqAt -c "SET client_min_messages = notice" -c "SELECT pegs_fit_schema('m', 'person', epsilon => 1000)" 2>&1 | grep -v ^m`
SELECT is(:'told'::text, '', 'and the fit has nothing to say of keys');
SELECT is((SELECT c -> 'may_repeat' FROM pegs_certificate('m') AS c), NULL, 'no key repeats');
SELECT pegs_copy_sql('m', 'pub') \gexec
SELECT is((SELECT array_agg(d ORDER BY d COLLATE "C") FROM (SELECT conrelid::regclass || ' ' || pg_get_constraintdef(oid) AS d FROM pg_constraint WHERE connamespace = 'pub'::regnamespace AND contype = 'p') AS t),
	'{"pub.exam PRIMARY KEY (eye, person)","pub.line PRIMARY KEY (person, n)","pub.person PRIMARY KEY (id)","pub.pressure PRIMARY KEY (person, arm)","pub.salary PRIMARY KEY (person, year)","pub.ticked PRIMARY KEY (person, yes)","pub.visit PRIMARY KEY (person, arm, day)"}'::text[], 'a copy has the keys');
SELECT is((SELECT count(*) FROM pg_constraint WHERE connamespace = 'pub'::regnamespace AND contype = 'c' AND convalidated), 4::bigint, 'and the CHECKs of the values');
SELECT ok((SELECT count(*) > 700 AND count(DISTINCT year) = 6 AND avg(((year < 2023) = (band = 'low'))::int) > .75 FROM pub.salary), 'years are values, and tell of the pay');
SELECT ok((SELECT avg((good = (eye = 'left'))::int) > .75 AND count(*) > 300 AND count(DISTINCT eye) = 2 FROM pub.exam), 'so do eyes');
SELECT ok((SELECT avg((high = (arm = 'L'))::int) > .75 AND count(*) > 200 AND count(DISTINCT arm) = 2 FROM pub.pressure), 'and arms');
SELECT ok((SELECT count(*) > 200 AND bool_and(arm IN ('L', 'R')) FROM pub.visit), 'an arm beside a day is a value, and the day a number');
SELECT ok((SELECT count(*) > 200 AND max(n) <= 2 FROM pub.line), 'a line is a number among the rows of a parent');

---- where they could agree, before a charge
CREATE TABLE before AS SELECT spent();
SELECT is(said($$SELECT pegs_fit_schema('n', 'person', columns => '{"salary": ["band"]}', epsilon => 1)$$), '55000 | rows of one parent could agree in the key of table "salary" | "year" is not in the model. | Name it among the columns of "salary": columns => ''{"salary": ["year", "band"]}'' '
	'Or have it numbered: SELECT pegs_leave_out(''public.salary'', ''year'');', 'not in the model');
SELECT pegs_set_parent('salary', 'person', children => '{0, 1, 2, 3, 4, 5, 6}', at_most => 9);
SELECT is(said($$SELECT pegs_fit_schema('n', 'person', epsilon => 1)$$), '55000 | rows of one parent could agree in the key of table "salary" | A parent may have 9 rows, and "year" has 6 values. | '
	'SELECT pegs_set_parent(''public.salary'', ''public.person'', children => ''{0, 1, 2, 3, 4, 5, 6}'', at_most => 6); Or have it numbered: SELECT pegs_leave_out(''public.salary'', ''year'');', 'more rows than values');
SELECT is(problems(), 'salary | rows of one parent could agree in its key: a parent may have 9 rows, and "year" has 6 values | '
	'SELECT pegs_set_parent(''public.salary'', ''public.person'', children => ''{0, 1, 2, 3, 4, 5, 6}'', at_most => 6);  -- or have it numbered: SELECT pegs_leave_out(''public.salary'', ''year'');', 'pegs_schema knows');
SELECT is(spent(), before.spent, 'nothing was charged') FROM before;
SELECT pegs_leave_out('salary', 'year');
SELECT is(problems(), NULL, 'left out it is numbered, as was asked');
\set told `psql -XqAt -c "SET client_min_messages = notice" -c "SELECT pegs_fit_schema('left', 'person', epsilon => 50)" 2>&1 | grep -c 'is a key'`
SELECT is(:'told'::text, '0', 'and nobody says it again');
SELECT ok((SELECT max(year) <= 9 AND count(*) > 300 FROM pegs_sample_as(NULL::salary, 'left', 300, options => '{"table": "salary"}')), 'a number among the rows of its parent');
SELECT pegs_unset('salary', 'year'), pegs_set_parent('salary', 'person', children => '{0, 1, 2, 3, 4, 5, 6}', at_most => 6);

-- what else is declared of it does not hide what the catalog lists
SELECT pegs_set_groups('exam', 'eye', '{"left": "any", "right": "any"}'), pegs_set_groups('salary', 'year', '{"2020": "old", "2021": "old"}');
SELECT is(problems(), NULL, 'groups of values leave them values');
SELECT pegs_fit_schema('grouped', 'person', epsilon => 500);
SELECT ok((SELECT count(*) > 300 AND count(DISTINCT eye) = 2 FROM pegs_sample_as(NULL::exam, 'grouped', 300, options => '{"table": "exam"}')), 'and they are modelled');
SELECT pegs_set_groups('exam', 'eye', NULL), pegs_set_groups('salary', 'year', NULL);

---- a table below refers to it, or it is a part of the root's: a number, and that is said first
CREATE TABLE bonus (person int, year int, big boolean NOT NULL, FOREIGN KEY (person, year) REFERENCES salary);
SELECT pegs_set_parent('bonus', 'salary', children => '{0, 1}', at_most => 1);
SELECT is(problems(), 'salary | its column "year" is a key: what the catalog says of its values is not used, it is a running number | SELECT pegs_leave_out(''public.salary'', ''year'');', 'referred to');
\set told `psql -XqAt -c "SET client_min_messages = notice" -c "BEGIN; SELECT pegs_fit_schema('below', 'person', epsilon => 1); ROLLBACK" 2>&1 | sed -n 's/^NOTICE:  \(column .*\)/\1/p; s/^HINT: *\(To .*\)/\1/p'`
SELECT is(:'told'::text, E'column "year" of table "salary" is a key: what the catalog says of its values is not used, it is a running number\nTo have it said no more: SELECT pegs_leave_out(''public.salary'', ''year'');', 'and by the fit');
DROP TABLE bonus;
CREATE TABLE place (id int, region text CHECK (region IN ('a', 'b')), v boolean NOT NULL, PRIMARY KEY (id, region), UNIQUE (id)); CREATE TABLE shop (place int REFERENCES place (id), v boolean NOT NULL);
INSERT INTO place SELECT i, CASE i % 2 WHEN 0 THEN 'a' ELSE 'b' END, i % 2 = 0 FROM generate_series(1, 200) AS i;
SELECT pegs_set_parent('shop', 'place', children => '{0, 1}', at_most => 1), pegs_set_budget('place', 1e5);
SELECT pegs_fit_schema('places', 'place', epsilon => 500);
SELECT ok((SELECT count(*) = 200 AND count(DISTINCT id) = 200 AND avg((v = (region = 'a'))::int) > .75 FROM pegs_sample_as(NULL::place, 'places', 200, options => '{"table": "place"}')), 'a region in the root''s key is modelled, beside a number');
CREATE TABLE land (id int, region text CHECK (region IN ('a', 'b')), v boolean NOT NULL, PRIMARY KEY (id, region)) PARTITION BY LIST (region); CREATE TABLE town (land int, region text, v boolean NOT NULL, FOREIGN KEY (land, region) REFERENCES land);
SELECT pegs_set_parent('town', 'land', children => '{0, 1}', at_most => 1);
SELECT is((SELECT problem FROM pegs_schema('land') WHERE source = 'land'::regclass), 'its column "region" is a key: what the catalog says of its values is not used, it is a running number', 'of partitions it is a number, and that is said');
SELECT * FROM finish();
