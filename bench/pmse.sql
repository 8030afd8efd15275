-- pmse.sql: Figure 4 of Snoke and Slavkovic (2018) in small: how far the slope of a synthetic table is from that of the original.
--
-- 5,000 rows of two columns, 32 bins each. Medians of :runs fits of |slope - slope of the original|: method 'pmse', whose tables are cut
-- into 32, 8 and 2 parts of each column; method 'table'; and five moments with noise, which need no model at all. Fails if the slope of 32
-- parts does not come closer with epsilon, or if moments are not closer.
\set QUIET on
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS pegs;
\o /dev/null
SELECT setseed(0.5);
CREATE TABLE points (x float8 NOT NULL, y float8 NOT NULL);
-- a normal x, and y by it: what 0 and 1 cut off is laid on them
INSERT INTO points SELECT least(0.999999, greatest(0, x)), least(0.999999, greatest(0, 0.2 + 0.6 * x + 0.1 * sqrt(-2 * ln(1 - random())) * cos(2 * pi() * random())))
FROM (SELECT 0.45 + 0.15 * sqrt(-2 * ln(1 - random())) * cos(2 * pi() * random()) AS x FROM generate_series(1, 5000)) AS g;
SELECT pegs_set_budget('points', epsilon => 1000000, delta => 1e-6, accounting => 'sum');
SELECT pegs_set_bins('points', c, 0.0::float8, 1.0::float8, 32) FROM unnest(ARRAY['x', 'y']::name[]) AS c;
CREATE TABLE slope (what text, epsilon float8, off float8);
CREATE FUNCTION slope_of(model text) RETURNS float8 LANGUAGE sql AS $$ SELECT regr_slope(y, x) FROM pegs_sample(model, 50000) AS s(x float8, y float8) $$;
CREATE FUNCTION laplace(scale float8) RETURNS float8 LANGUAGE sql AS $$ SELECT scale * (ln(1 - random()) - ln(1 - random())) $$;
CREATE PROCEDURE measure(runs int) LANGUAGE plpgsql AS $$
DECLARE
	original CONSTANT float8 := (SELECT regr_slope(y, x) FROM points);
	e float8;
	parts int;
BEGIN
	FOREACH e IN ARRAY ARRAY[0.1, 0.5, 1, 5, 1000] LOOP
		FOR run IN 1 .. runs LOOP
			FOREACH parts IN ARRAY ARRAY[32, 8, 2] LOOP
				PERFORM pegs_fit('p', 'points', epsilon => e, method => 'pmse', options => jsonb_build_object('parts', parts, 'rows', 5000));
				INSERT INTO slope VALUES (format('`pmse`, %s x %1$s', parts), e, abs(slope_of('p') - original));
				PERFORM pegs_drop('p');
			END LOOP;
			PERFORM pegs_fit('p', 'points', epsilon => e, method => 'table');
			INSERT INTO slope VALUES ('`table` (1,024 cells)', e, abs(slope_of('p') - original));
			PERFORM pegs_drop('p');
			-- of what is at most a half from the middle: a row moves the five sums by 1, 1/2, 1/2, 1/4 and 1/4 at most
			INSERT INTO slope SELECT 'five noisy moments', e, abs((n * xy - x * y) / nullif(n * xx - x * x, 0) - original)
			FROM (SELECT count(*) + laplace(5 / e) AS n, sum(p.x - 0.5) + laplace(2.5 / e) AS x, sum(p.y - 0.5) + laplace(2.5 / e) AS y, sum((p.x - 0.5) ^ 2) + laplace(1.25 / e) AS xx,
				sum((p.x - 0.5) * (p.y - 0.5)) + laplace(1.25 / e) AS xy FROM points AS p) AS s;
		END LOOP;
	END LOOP;
END $$;
CALL measure(:runs);
CREATE TABLE shown AS SELECT what, epsilon, percentile_cont(0.5) WITHIN GROUP (ORDER BY off) AS off FROM slope GROUP BY 1, 2;
\o
\pset format unaligned
\pset tuples_only on
SELECT '| tables | 0.1 | 0.5 | 1 | 5 | 1000 |' UNION ALL SELECT '|---|---|---|---|---|---|';
SELECT '| ' || what || ' | ' || string_agg(round(off::numeric, 3)::text, ' | ' ORDER BY epsilon) || ' |'
FROM shown GROUP BY what ORDER BY array_position(ARRAY['`pmse`, 32 x 32', '`pmse`, 8 x 8', '`pmse`, 2 x 2', '`table` (1,024 cells)'], what) NULLS LAST;
CREATE TABLE trend AS SELECT
	(SELECT off FROM shown WHERE what LIKE '%32 x 32' AND epsilon = 0.1) > 2 * (SELECT off FROM shown WHERE what LIKE '%32 x 32' AND epsilon = 5) AS falls,
	(SELECT bool_and(m.off < p.off) FROM shown AS m JOIN shown AS p USING (epsilon) WHERE m.what LIKE 'five%' AND p.what LIKE '%32 x 32' AND epsilon IN (0.5, 1)) AS moments;
SELECT 1 / (falls AND moments)::int IS NULL FROM trend \g /dev/null
