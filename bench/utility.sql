-- utility.sql: how close synthetic rows are to the generated discharges: mean total variation (1/2 sum |p - q|) of all
-- 1-way and 2-way tables on the declared levels and bins, n = N rows. :fits fits for each line, mean and standard deviation.
\set QUIET on
\pset footer off
SET client_min_messages = warning;
SET jit = off;
CREATE EXTENSION pegs;
\ir ../demo/discharge.sql
SELECT make_discharges(100000) \g /dev/null
\o /dev/null
\ir ../demo/facts.sql
SELECT pegs_set_budget('discharges', 1000000, 0.01);
\o

CREATE FUNCTION pg_temp.binned(relation regclass) RETURNS TABLE (typ text, age text, sex text, ethncty text, race text, patzip text, los text,
	disp text, pay text, charge text, mdc text, sev text, cat text) LANGUAGE plpgsql AS $$
BEGIN
	RETURN QUERY EXECUTE format('SELECT typ::text, width_bucket(age, ''{0,5,10,15,20,25,30,35,40,45,50,55,60,65,70,75,80}'')::text,
		sex::text, ethncty, race, patzip::text, width_bucket(los, ''{0,1,2,3,4,5,6,7,8,9,10,30,50,70,90}'')::text, disp::text, pay,
		width_bucket(charge, ''{0,2000,4000,6000,8000,10000,12000,15000,17500,20000,22500,25000,30000,35000,40000,45000,50000,55000,60000,65000,70000,75000,80000,90000,100000}'')::text,
		mdc::text, sev::text, cat FROM %s', relation);
END $$;

-- Every cell of every 1-way (ways = 1) or 2-way table: which table, which cell, which share.
CREATE FUNCTION pg_temp.cells(relation regclass, ways int) RETURNS TABLE (tab int, cell text, share float8) LANGUAGE plpgsql AS $$
DECLARE
	c text[] := '{typ,age,sex,ethncty,race,patzip,los,disp,pay,charge,mdc,sev,cat}';
	sets text := '';
BEGIN
	FOR i IN 1..13 LOOP
		FOR j IN CASE ways WHEN 1 THEN i ELSE i + 1 END .. CASE ways WHEN 1 THEN i ELSE 13 END LOOP
			sets := sets || format(', (%s, %s)', c[i], c[j]);
		END LOOP;
	END LOOP;
	RETURN QUERY EXECUTE format('SELECT GROUPING(%1$s), ROW(%1$s)::text, count(*) / (sum(count(*)) OVER (PARTITION BY GROUPING(%1$s)))::float8
		FROM pg_temp.binned(%2$L) GROUP BY GROUPING SETS (%3$s)', array_to_string(c, ', '), relation, substr(sets, 3));
END $$;

CREATE TEMP TABLE truth AS SELECT ways, t.* FROM generate_series(1, 2) ways, pg_temp.cells('discharges', ways) t;
CREATE FUNCTION pg_temp.tv(relation regclass, w int) RETURNS float8 LANGUAGE sql AS $$
	SELECT avg(d) FROM (SELECT tab, sum(abs(coalesce(o.share, 0) - coalesce(s.share, 0))) / 2 AS d
		FROM (SELECT * FROM truth WHERE ways = w) o FULL JOIN pg_temp.cells(relation, w) s USING (tab, cell) GROUP BY tab) x
$$;
CREATE TEMP TABLE result (epsilon float8, delta float8, tv1 float8, tv2 float8);
CREATE PROCEDURE pg_temp.try(epsilon float8, delta float8, fits int) LANGUAGE plpgsql AS $$
BEGIN
	FOR i IN 1..fits LOOP
		PERFORM pegs_fit('m', 'discharges', epsilon => epsilon, delta => delta);
		CREATE TABLE synthetic AS SELECT * FROM pegs_sample_as(NULL::discharges, 'm', 100000);
		INSERT INTO result VALUES (epsilon, delta, pg_temp.tv('synthetic', 1), pg_temp.tv('synthetic', 2));
		PERFORM pegs_drop('m');
		DROP TABLE synthetic;
		COMMIT;
	END LOOP;
END $$;
CALL pg_temp.try(0.1, 1e-9, :fits);
CALL pg_temp.try(1, 1e-9, :fits);
CALL pg_temp.try(10, 1e-9, :fits);
CALL pg_temp.try(0.1, 0, :fits);
CALL pg_temp.try(1, 0, :fits);
CALL pg_temp.try(10, 0, :fits);
\echo generated discharges, 100,000 rows, :fits fits
SELECT epsilon, delta, round(avg(tv1)::numeric, 4) AS "1-way TV", round(avg(tv2)::numeric, 4) AS "2-way TV", round(stddev(tv2)::numeric, 4) AS "sd of 2-way"
FROM result GROUP BY epsilon, delta ORDER BY delta DESC, epsilon;
