-- small.sql: what a sample of one row costs, cold and warm. On-CPU milliseconds of this backend for one call (the scheduler's
-- own account), the mean of many calls.
--
-- Warm: the session has read the model before. Cold: 20 models in turn, more than a session keeps, so every call reads its
-- model; the server's own caches are warm.
\set QUIET on
\pset footer off
SET client_min_messages = warning;
SET jit = off;
CREATE EXTENSION pegs;
\ir ../demo/discharge.sql
SELECT make_discharges(20000) \g /dev/null
\o /dev/null
\ir ../demo/facts.sql
\o
\ir backend.sql
CREATE TEMP TABLE result (n serial, label text, calls int, ms float8, wanted text);
-- $1 of the statement is the number of the call.
CREATE PROCEDURE pg_temp.measure(label text, statement text, calls int, wanted text DEFAULT '') LANGUAGE plpgsql AS $$
DECLARE
	before float8;
BEGIN
	FOR i IN 0 .. 39 LOOP EXECUTE format(statement, i % 20); END LOOP;
	before := pg_temp.cpu_s();
	FOR i IN 1 .. calls LOOP EXECUTE format(statement, i % 20); END LOOP;
	INSERT INTO result (label, calls, ms, wanted) VALUES (label, calls, (pg_temp.cpu_s() - before) * 1000 / calls, wanted);
END $$;

CREATE TABLE few (a int NOT NULL);
CREATE TABLE many (a int NOT NULL);
INSERT INTO few SELECT i % 10000 FROM generate_series(1, 20000) AS i;
INSERT INTO many SELECT i % 10000 FROM generate_series(1, 20000) AS i;
SELECT pegs_set_bins('few', 'a', (SELECT array_agg((i * 1000)::text ORDER BY i) FROM generate_series(0, 10) AS i)) \g /dev/null
SELECT pegs_set_bins('many', 'a', (SELECT array_agg(i::text ORDER BY i) FROM generate_series(0, 10000) AS i)) \g /dev/null
SELECT pegs_set_budget(t, 1e6, 1e-6) FROM unnest(ARRAY['discharges', 'few', 'many']::regclass[]) AS t \g /dev/null
SELECT pegs_fit('discharges', 'discharges', epsilon => 100, delta => 1e-9), pegs_fit('few', 'few', epsilon => 1), pegs_fit('many', 'many', epsilon => 1),
	pegs_fit('sealed', 'discharges', parents => '{}') \g /dev/null
SELECT pegs_import('m' || i, pegs_export('discharges')), pegs_import('few' || i, pegs_export('few')), pegs_import('many' || i, pegs_export('many'))
FROM generate_series(0, 19) AS i \g /dev/null
SELECT pegs_release('rows', 'discharges', 1) \g /dev/null
SELECT count(*) AS columns, (SELECT pg_size_pretty(length(pegs_export('discharges'))::numeric)) AS model FROM jsonb_array_elements(pegs_describe('discharges') -> 'spec' -> 'columns');

CALL pg_temp.measure('a statement that does nothing', 'SELECT count(*) FROM generate_series(1, 1)', 1000);
CALL pg_temp.measure('1 row of 13 columns, warm', 'SELECT count(*) FROM pegs_sample_as(NULL::discharges, ''discharges'', 1)', 1000, 'at most 0.5');
CALL pg_temp.measure('1 row of 13 columns, cold', 'SELECT count(*) FROM pegs_sample_as(NULL::discharges, ''m%s'', 1)', 100, 'at most 5');
CALL pg_temp.measure('100 rows, warm', 'SELECT count(*) FROM pegs_sample_as(NULL::discharges, ''discharges'', 100)', 500);
CALL pg_temp.measure('1 row, something given, warm', 'SELECT count(*) FROM pegs_sample_as(NULL::discharges, ''discharges'', 1, given => ''{"sex": "F"}'')', 100);
CALL pg_temp.measure('1 row of a release, warm', 'SELECT count(*) FROM pegs_rows_as(NULL::discharges, ''rows'')', 500);
CALL pg_temp.measure('pegs_row_type, warm', 'SELECT pegs_row_type(''discharges'')', 500);
CALL pg_temp.measure('1 row of 10 bins, warm', 'SELECT count(*) FROM pegs_sample_as(NULL::few, ''few'', 1)', 1000);
CALL pg_temp.measure('1 row of 10,000 bins, warm', 'SELECT count(*) FROM pegs_sample_as(NULL::many, ''many'', 1)', 500, 'as 10 bins');
CALL pg_temp.measure('1 row of 10 bins, cold', 'SELECT count(*) FROM pegs_sample_as(NULL::few, ''few%s'', 1)', 300);
CALL pg_temp.measure('1 row of 10,000 bins, cold', 'SELECT count(*) FROM pegs_sample_as(NULL::many, ''many%s'', 1)', 100);
SELECT label, round(ms::numeric, 3) AS "CPU ms a call", wanted FROM result ORDER BY n;
SELECT round((SELECT ms FROM result WHERE label LIKE '1 row of 13%cold') / ms) AS "cold / warm" FROM result WHERE label LIKE '1 row of 13%warm';
