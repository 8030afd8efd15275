-- What pegs_copy_sql prints runs: unique keys of what the copy generates, CHECKs of several columns, backslashes; and who may ask for a list of columns.
SET client_min_messages = warning;
CREATE EXTENSION pegs;
SELECT * FROM no_plan();
CREATE FUNCTION constraints_of(t regclass) RETURNS SETOF text LANGUAGE sql AS $$ SELECT pg_get_constraintdef(oid) COLLATE "C" AS d FROM pg_constraint WHERE conrelid = t AND contype NOT IN ('f', 'n') ORDER BY 1 $$;
CREATE SCHEMA priv;
CREATE TABLE priv.r (id int PRIMARY KEY, sex text NOT NULL CHECK (sex IN ('F', 'M')), prostate boolean NOT NULL, word text NOT NULL DEFAULT 'a\b''' CHECK (word <> 'a\b\'), same text NOT NULL DEFAULT 'x',
	CONSTRAINT impossible CHECK (sex || same <> E'\\\n;'), CONSTRAINT whole CHECK (r IS NOT NULL));
CREATE TABLE priv.c (id int PRIMARY KEY, pid smallint NOT NULL REFERENCES priv.r, t text NOT NULL CHECK (t IN ('x', 'y')), o text,
	g1 text GENERATED ALWAYS AS (upper(t) || 'x') STORED, g2 text GENERATED ALWAYS AS (o || 'x') STORED, UNIQUE (pid, g1), UNIQUE (pid, g2), UNIQUE (pid, o));
INSERT INTO priv.r SELECT i, CASE i % 2 WHEN 0 THEN 'F' ELSE 'M' END, i % 3 = 1 FROM generate_series(1, 100) AS i; ALTER TABLE priv.r ADD CONSTRAINT possible CHECK (NOT prostate OR sex = 'M') NOT VALID;
INSERT INTO priv.c SELECT i, i, 'x' FROM generate_series(1, 100) AS i; INSERT INTO priv.c SELECT 100 + i, i, 'y' FROM generate_series(1, 100) AS i;
SELECT pegs_set_parent('priv.c', 'priv.r', children => '{0, 1, 2, 3, 4}', at_most => 5), pegs_set_budget('priv.r', 1e5);
SELECT pegs_fit_schema('m', 'priv.r', columns => '{"c": ["t"], "r": ["sex", "prostate"]}', epsilon => 1);
SELECT is((SELECT c -> 'may_repeat' FROM pegs_certificate('m') AS c), '["rows of c may repeat (pid, g1), which the original has unique"]'::jsonb, 'what a copy generates from what is modelled may repeat; of what is NULL it is NULL');

---- printed where strings have escapes, and run where they have none; and the other way
\setenv PGDATABASE :DBNAME
\set told `psql -XqAt -c "SET client_min_messages = notice" -c "SELECT count(*) FROM pegs_copy_sql('m', 'copied')" 2>&1 | sed -n 's/^NOTICE: *//p; s/^HINT: *//p'`
SELECT is(:'told'::text, $$rows of the copy may break CHECK constraint "impossible" of table "r": it is of several columns
It is printed NOT VALID, behind the rows. Of the copy: ALTER TABLE copied.r VALIDATE CONSTRAINT impossible; says whether they keep it.
rows of the copy may break CHECK constraint "possible" of table "r": it is of several columns
It is printed NOT VALID, behind the rows. Of the copy: ALTER TABLE copied.r VALIDATE CONSTRAINT possible; says whether they keep it.
rows of the copy may break CHECK constraint "whole" of table "r": it is of several columns
It is printed NOT VALID, behind the rows. Of the copy: ALTER TABLE copied.r VALIDATE CONSTRAINT whole; says whether they keep it.$$, 'it is said which CHECKs rows may break');
CREATE TABLE s (n int GENERATED ALWAYS AS IDENTITY, off boolean, s text);
SET standard_conforming_strings = on;
INSERT INTO s (off, s) SELECT false, s FROM pegs_copy_sql('m', 'copied') AS s;
SET standard_conforming_strings = off; SET escape_string_warning = off;
INSERT INTO s (off, s) SELECT true, s FROM pegs_copy_sql('m', 'copied') AS s;
SELECT is((SELECT array_agg(s ORDER BY n) FROM s WHERE off), (SELECT array_agg(s ORDER BY n) FROM s WHERE NOT off), 'the text is the same in every session');
SELECT is((SELECT count(*) FROM s WHERE s LIKE '%NOT VALID NOT VALID%'), 0::bigint, 'and says each thing once');
SELECT s FROM s WHERE off ORDER BY n \gexec
SELECT results_eq($$SELECT constraints_of('copied.r')$$, $$SELECT CASE WHEN d ~ '^CHECK' AND d ~ 'same|r[.]' THEN d || ' NOT VALID' ELSE d END FROM constraints_of('priv.r') AS d$$, 'run where a backslash is an escape');
SET standard_conforming_strings = on;
SELECT ok((SELECT count(*) > 50 AND count(*) FILTER (WHERE prostate AND sex = 'F') > 3 AND bool_and(word = 'a\b''') FROM copied.r), 'rows that break one of several columns are there');
SELECT set_eq($$SELECT constraints_of('copied.c')$$, ARRAY['CHECK ((t = ANY (ARRAY[''x''::text, ''y''::text])))', 'PRIMARY KEY (id)', 'UNIQUE (pid, g2)', 'UNIQUE (pid, o)'], 'no key that what is generated would break');

---- the list of columns, for who may not look into the schema of the originals
CREATE ROLE reader; GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA public TO reader;
SELECT pegs_release('rel', 'm', 10); SELECT pegs_grant('m', 'reader'), pegs_grant('rel', 'reader');
SET ROLE reader;
SELECT is(pegs_row_type('m', 'c'), 'id integer, pid smallint, t text', 'a reader has it');
SELECT is(pegs_row_type('rel', 'r'), 'id integer, sex text, prostate boolean', 'of a release, too');
RESET ROLE;
ALTER SCHEMA priv RENAME TO other;
SELECT is(pegs_row_type('m', 'c'), 'id bigint, pid bigint, t text', 'where the schema is gone, keys are numbers');
---- dates, intervals and floats: the same, whatever the session's notation
SET standard_conforming_strings = on;
CREATE TABLE dated (id int PRIMARY KEY, k text NOT NULL CHECK (k IN ('a')), born date NOT NULL DEFAULT '2020-02-01' CHECK (born >= '2020-02-01' AND born <= '2020-05-02'), i interval CHECK (i <> '-1 days +02:00:00'), f float8 CHECK (f <> '0.1234567890123456'::float8));
CREATE TABLE dated_c (id int PRIMARY KEY, pid int NOT NULL REFERENCES dated, k text CHECK (k IN ('a')));
INSERT INTO dated (id, k) SELECT i, 'a' FROM generate_series(1, 20) AS i; INSERT INTO dated_c SELECT i, i, 'a' FROM generate_series(1, 20) AS i;
SELECT pegs_set_parent('dated_c', 'dated', children => '{0, 1}', at_most => 1), pegs_leave_out('dated', c), pegs_set_budget('dated', 1e5) FROM unnest('{born, i, f}'::name[]) AS c;
SELECT pegs_fit_schema('dates', 'dated', epsilon => 1);
SET datestyle = 'SQL, DMY'; SET intervalstyle = 'sql_standard'; SET extra_float_digits = -10;
CREATE TABLE as_printed AS SELECT s FROM pegs_copy_sql('dates', 'dates') AS s;
SELECT is(current_setting('datestyle') || current_setting('intervalstyle'), 'SQL, DMYsql_standard', 'which stays as it was');
SET datestyle = 'ISO, MDY'; SET intervalstyle = 'iso_8601';
SELECT s FROM as_printed \gexec
RESET extra_float_digits;
SELECT results_eq($$SELECT constraints_of('dates.dated')$$, $$SELECT constraints_of('dated')$$, 'CHECKs of the copy are those of the original');
SELECT is((SELECT min(born) FROM dates.dated), '2020-02-01', 'and so is a DEFAULT');
RESET datestyle; RESET intervalstyle;

---- fitted anew, in another session, while it is copied: all rows are of the fit before
CREATE TABLE before AS SELECT d::text AS r FROM pegs_sample_as(NULL::dated, 'dates', NULL, options => '{"table": "dated"}') AS d UNION ALL SELECT c::text FROM pegs_sample_as(NULL::dated_c, 'dates', NULL, options => '{"table": "dated_c"}') AS c;
CREATE TABLE statement AS SELECT * FROM pegs_copy_sql('dates', 'anew') WITH ORDINALITY AS s (s, n); ALTER TABLE statement ALTER n TYPE numeric;
INSERT INTO statement SELECT format('COPY (SELECT 1) TO PROGRAM %L', format('psql -X -h %s -p %s -U postgres -d %s -c "SELECT pegs_refit(''dates'')" 2>&1 >/dev/null', current_setting('unix_socket_directories'), current_setting('port'), current_database())), min(n) + 0.5 FROM statement WHERE s ~ '^INSERT';
SELECT s FROM statement ORDER BY n \gexec
SELECT bag_eq('SELECT d::text FROM anew.dated AS d UNION ALL SELECT c::text FROM anew.dated_c AS c', 'SELECT * FROM before', 'one fit is copied, not two');
SELECT bag_ne($$SELECT c::text FROM pegs_sample_as(NULL::dated_c, 'dates', NULL, options => '{"table": "dated_c"}') AS c$$, 'SELECT c::text FROM anew.dated_c AS c', 'though there is another by then');
SELECT * FROM finish();
