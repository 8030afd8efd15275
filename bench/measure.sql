-- measure.sql: for a script of this folder that says what statements cost, \ir measure.sql. On-CPU seconds of this backend (the
-- scheduler's own account) go to the table result, each beside the number of the line that it is compared with.
\set QUIET on
\pset footer off
\if :{?rows}
\else
	\set rows 1000000
\endif
SET client_min_messages = warning;
SET jit = off;
SET max_parallel_workers_per_gather = 0;
CREATE EXTENSION pegs;
CREATE FUNCTION pg_temp.cpu() RETURNS float8 LANGUAGE sql VOLATILE
AS $$ SELECT split_part(pg_read_file('/proc/self/schedstat'), ' ', 1)::float8 / 1e9 $$;
CREATE TEMP TABLE result (n serial, label text, seconds float8, reference int, wanted text);
CREATE PROCEDURE pg_temp.measure(label text, statement text, reference int DEFAULT NULL, wanted text DEFAULT '') LANGUAGE plpgsql AS $$
DECLARE
	before float8 := pg_temp.cpu();
BEGIN
	EXECUTE statement;
	INSERT INTO result (label, seconds, reference, wanted) VALUES (label, pg_temp.cpu() - before, reference, wanted);
END $$;
