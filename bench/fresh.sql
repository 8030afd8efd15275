-- fresh.sql: a model that is fitted anew every night. :nights nights of :rows discharges each, one table that grows, epsilon 1
-- and delta 1e-9 for all of it; after the last night the error of the model of the whole table: mean and greatest total
-- variation of its 1-way and 2-way tables (pegs_utility_of). Each line is the mean of :fits fits of the last night.
\set QUIET on
\pset footer off
SET client_min_messages = warning;
SET jit = off;
CREATE EXTENSION pegs;
\ir ../demo/discharge.sql
\o /dev/null
SELECT make_discharges(:rows * :nights);
CREATE TABLE pool AS SELECT (row_number() OVER () - 1) / :rows + 1 AS night, d FROM discharges AS d;
TRUNCATE discharges;
INSERT INTO discharges SELECT (d).* FROM pool WHERE night = 1;
\ir ../demo/facts.sql
-- the error does not depend on what else is spent: the account is large, and what each line stands for is said
SELECT pegs_set_budget('discharges', 1000, 1e-6);
CREATE TABLE error (n int GENERATED ALWAYS AS IDENTITY, refreshes text, each numeric, tv1 float8, tv2 float8, worst float8);
CREATE PROCEDURE measure(refreshes text, each float8, delta float8, fits int) LANGUAGE plpgsql AS $$
BEGIN
	FOR i IN 1 .. fits LOOP
		PERFORM pegs_refit('m', each, delta);
		INSERT INTO error (refreshes, each, tv1, tv2, worst)
		SELECT $1, $2, max(value) FILTER (WHERE measure = 'tv1_mean'), max(value) FILTER (WHERE measure = 'tv2_mean'), max(value) FILTER (WHERE measure = 'tv2_max')
		FROM pegs_utility_of('m', 2, '{tables}');
	END LOOP;
END $$;

-- the nights themselves, at what an account that adds up allows
CREATE TABLE night (seconds float8);
SELECT pegs_fit('m', 'discharges', epsilon => 1.0 / :nights, delta => 1e-9 / :nights);
SELECT format('INSERT INTO discharges SELECT (d).* FROM pool WHERE night = %s; INSERT INTO night SELECT -extract(epoch FROM clock_timestamp()); SELECT pegs_refit(''m''); UPDATE night SET seconds = seconds + extract(epoch FROM clock_timestamp()) WHERE seconds < 0', n)
FROM generate_series(2, :nights) AS n \gexec
\o
SELECT fit AS fits, round(epsilon * fit, 6) AS epsilon_spent, (SELECT count(*) FROM discharges) AS rows, (SELECT round(max(seconds)::numeric, 1) FROM night) AS longest_s FROM pegs_models;
CALL measure('none: one fit behind the last night', 1, 1e-9, :fits);
-- in an account in rho of (1, 1e-9) four fits of (0.484, 1e-9) have room, or thirty of (0.17, 1e-9)
CALL measure('every week, in rho', 0.484, 1e-9, :fits);
CALL measure('every night, in rho', 0.17, 1e-9, :fits);
CALL measure('every week, as a sum', 0.25, 2.5e-10, :fits);
CALL measure('every night, as a sum', 1.0 / :nights, 1e-9 / :nights, :fits);
-- the same nights as slices, each night fitted once at all of it: the newest, the last seven, all of them
CREATE TABLE arrived (LIKE discharges INCLUDING ALL);
ALTER TABLE arrived ADD arrived_on date NOT NULL DEFAULT '2026-01-01';
SELECT format('INSERT INTO arrived SELECT (d).*, date %L + %s FROM pool WHERE night = %s', '2026-01-01', n - 1, n) FROM generate_series(1, :nights) AS n \gexec
SELECT pegs_declare('arrived', pegs_facts('discharges')) \g /dev/null
CREATE TRIGGER zz_keep_slices BEFORE UPDATE ON arrived FOR EACH ROW EXECUTE FUNCTION pegs_keep_slices('arrived_on');
ALTER TABLE arrived ENABLE ALWAYS TRIGGER zz_keep_slices;
SELECT pegs_set_budget('arrived', 1000, 1e-6) \g /dev/null
SELECT pegs_set_slices('arrived', 'arrived_on', '1 day', '2026-01-01', 1, 1e-9) \g /dev/null
SELECT pegs_fit_slices('days', 'arrived', most => :nights) \g /dev/null
CREATE PROCEDURE measure_slices(what text, first date) LANGUAGE plpgsql AS $$
DECLARE
	names name[] := ARRAY(SELECT c.column_name::name FROM pegs_columns('days') AS c WHERE c.column_name <> 'arrived_on');
BEGIN
	EXECUTE format('CREATE VIEW original AS SELECT * FROM arrived WHERE arrived_on >= %L::date', first);
	CREATE TABLE synthetic AS SELECT * FROM pegs_sample_slices_as(NULL::arrived, 'days', first::text);
	INSERT INTO error (refreshes, each, tv1, tv2, worst)
	SELECT what, 1, max(value) FILTER (WHERE measure = 'tv1_mean'), max(value) FILTER (WHERE measure = 'tv2_mean'), max(value) FILTER (WHERE measure = 'tv2_max')
	FROM pegs_utility('original', 'synthetic', 2, names, '{tables}');
	DROP VIEW original;
	DROP TABLE synthetic;
END $$;
CALL measure_slices('slices: all of them', '2026-01-01');
CALL measure_slices('slices: the last seven', (date '2026-01-01' + :nights - 7)::date);
CALL measure_slices('slices: the newest alone', (date '2026-01-01' + :nights - 1)::date);
SELECT refreshes, round(each, 3) AS each, round(avg(tv1)::numeric, 4) AS tv1, round(avg(tv2)::numeric, 4) AS tv2, round(avg(worst)::numeric, 3) AS worst_pair
FROM error GROUP BY refreshes, each ORDER BY min(n);
