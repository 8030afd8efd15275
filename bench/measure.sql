-- measure.sql: for a script of this folder that says what statements cost, \ir measure.sql. On-CPU seconds of this backend (the
-- scheduler's own account) go to the table result, each beside the number of the line that it is compared with. `wanted` is the ratio to that
-- line, and `most` the seconds, that there may be at most. The script ends with CALL pg_temp.verdict(), which fails where there are more.
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
\ir backend.sql
CREATE TEMP TABLE result (n serial, label text, seconds float8, reference int, wanted float8, most float8);
CREATE PROCEDURE pg_temp.measure(label text, statement text, reference int DEFAULT NULL, wanted float8 DEFAULT NULL) LANGUAGE plpgsql AS $$
DECLARE
	before float8 := pg_temp.cpu_s();
BEGIN
	EXECUTE statement;
	INSERT INTO result (label, seconds, reference, wanted) VALUES (label, pg_temp.cpu_s() - before, reference, wanted);
END $$;
CREATE VIEW pg_temp.results AS SELECT r.n, r.label, r.seconds, r.seconds / f.seconds AS ratio, r.wanted, r.most, r.seconds / f.seconds <= r.wanted IS NOT FALSE AND r.seconds <= r.most IS NOT FALSE AS met
FROM result AS r LEFT JOIN result AS f ON f.n = r.reference;
CREATE PROCEDURE pg_temp.verdict(bounds int) LANGUAGE plpgsql AS $$
DECLARE
	missed text;
BEGIN
	IF (SELECT count(wanted) + count(most) <> bounds FROM result) THEN
		RAISE EXCEPTION 'there are % bounds, and not %', (SELECT count(wanted) + count(most) FROM result), bounds;
	END IF;
	SELECT string_agg(format('%s: %s s, ratio %s', label, round(seconds::numeric, 2), round(ratio::numeric, 2)), '; ' ORDER BY n) INTO missed FROM pg_temp.results WHERE NOT met;
	IF missed IS NOT NULL THEN
		RAISE EXCEPTION 'bounds that were missed: %', missed;
	END IF;
END $$;
