-- Values inside bins: points, steps, slopes; and models of before.
SET client_min_messages = warning;
SET timezone = 'UTC';
CREATE EXTENSION pegs;
SELECT plan(88);

---- every type: points in bins and outside, steps
CREATE TABLE v (f float8, r real, n numeric, n2 numeric(8,2), i int, b bigint, s smallint, d date, t timestamp, z timestamptz(0), p timestamptz);
INSERT INTO v SELECT CASE WHEN i % 10 = 0 THEN i WHEN i % 10 = 1 THEN 4.99 WHEN i % 10 = 2 THEN -8 ELSE 0 END, i % 7, i % 50 + .25, CASE WHEN i % 2 = 0 THEN 4.99 ELSE i / 100.0 END,
	CASE WHEN i % 4 = 0 THEN -8 ELSE i % 100 END, i * 1000000000::bigint, i % 20, CASE WHEN i % 3 = 0 THEN '1900-01-01' ELSE '2024-01-01'::date + i % 365 END,
	'2024-01-01'::timestamp + i * '77 minutes'::interval, '2024-01-01'::timestamptz + i * '77 minutes'::interval, CASE WHEN i % 5 = 0 THEN '1970-01-01' ELSE '2024-01-01'::timestamptz + i * '1 hour'::interval END
	FROM generate_series(1, 2000) AS i;
INSERT INTO v VALUES ('-0', '-0');
CREATE FUNCTION declare(t regclass) RETURNS void LANGUAGE sql AS $$
	SELECT pegs_set_bins(t, 'f', '{0, 500, 1000, 2001}', points => '{0, -8, 4.99}', step => '0.1'), pegs_set_bins(t, 'r', '{0, 3, 7}', points => '{0, 5}', undeclared => 'drop'),
		pegs_set_bins(t, 'n', '{0, 10, 60}', points => '{0.25, 0.333, 1e24}', step => '0.25'), pegs_set_bins(t, 'n2', '{0, 5, 99}', points => '{4.99, 0}'),
		pegs_set_bins(t, 'i', '{0, 10, 50, 120}', points => '{0, 99, -8}', step => '5'), pegs_set_bins(t, 'b', '{0, 1000000000000, 4000000000000}', step => '1000', points => '{3000000000, 3000000001}'),
		pegs_set_bins(t, 's', '{0, 5, 20}', points => '{3, 0, 1, 2}'), pegs_set_bins(t, 'd', '{2024-01-01, 2024-07-01, 2025-01-01}', points => '{1900-01-01, 2024-01-08}', step => '7'),
		pegs_set_bins(t, 't', '{2024-01-01, 2024-03-01, 2024-07-01}', step => '1 minute'), pegs_set_bins(t, 'z', '{2024-01-01, 2024-03-01, 2024-07-01}', step => '1 hour', points => '{2024-01-01 02:34}'),
		pegs_set_bins(t, 'p', '{2024-01-01, 2024-03-01, 2024-07-01}', step => '7 days', points => '{1970-01-01}') $$;
SELECT declare('v'), pegs_set_budget('v', 100000);
SELECT results_eq($$ SELECT levels::text FROM pegs_domain('v') WHERE column_name IN ('f', 'n2', 's', 'd') $$,
	$$ VALUES ('{"[0, 500)","[500, 1000)","[1000, 2001]",0,-8,4.99,NULL}'), ('{"[0.00, 5.00)","[5.00, 99.00]",4.99,0.00,NULL}'),
	('{"[0, 5)","[5, 20]",3,0,1,2,NULL}'), ('{"[2024-01-01, 2024-07-01)","[2024-07-01, 2025-01-01]",1900-01-01,2024-01-08,NULL}') $$, 'levels: bins, then points as they were declared, then NULL');
SELECT lives_ok($$ SELECT pegs_fit('m', 'v', epsilon => 1000) $$, 'a fit');
SELECT is((SELECT count(*) FROM pegs_columns('m', first => NULL) AS c WHERE c.first_levels IS DISTINCT FROM (SELECT array_agg(l) FROM pegs_levels('v', c.column_name) AS l WHERE l IS NOT NULL)),
	0::bigint, 'pegs_columns has the points after the bins, as pegs_levels has');
-- what is counted, by plain SQL
CREATE FUNCTION counts(t text) RETURNS TABLE (c name, place int, n bigint) LANGUAGE plpgsql AS $$
DECLARE k record;
BEGIN
	FOR k IN SELECT column_name, format_type(atttypid, atttypmod) AS type, edges, cardinality(edges) - 1 AS bins, coalesce(points, '{}') AS points
		FROM pegs_internal.fact JOIN pg_attribute ON attrelid = source AND attname = column_name WHERE source = t::regclass LOOP
		RETURN QUERY EXECUTE format('SELECT %1$L::name, coalesce(%2$s + array_position(%3$L::%4$s[], x) - 1, CASE WHEN x = %6$L::%4$s THEN %2$s ELSE width_bucket(x, %5$L::%4$s[]) END - 1), count(*)
			FROM (SELECT %1$I AS x FROM %7$s) AS x WHERE x IS NOT NULL GROUP BY 2', k.column_name, k.bins, k.points, k.type, k.edges, k.edges[k.bins + 1], t);
	END LOOP;
END $$;
SELECT set_eq($$ SELECT column_name, place, original FROM pegs_marginals_of('m') WHERE original > 0 AND level IS NOT NULL $$, $$ SELECT * FROM counts('v') $$, 'encoded: a point is its level wherever it lies, else the bin');
-- what is drawn
CREATE TABLE made (LIKE v);
SELECT declare('made');
INSERT INTO made SELECT * FROM pegs_sample_as(NULL::v, 'm', 2001);
SELECT set_eq($$ SELECT column_name, place, synthetic FROM pegs_marginals_of('m') WHERE synthetic > 0 AND level IS NOT NULL $$, $$ SELECT * FROM counts('made') $$, 'decoded: each value is of its own bin or point');
SELECT ok(abs((SELECT avg((f = 0)::int) FROM made) - (SELECT avg((f = 0)::int) FROM v)) < 0.01, 'zeros stay zeros');
SELECT is((SELECT count(*) FROM made WHERE NOT (f IN (0, 4.99, -8) OR f BETWEEN 0 AND 2001 AND f::text ~ '^\d+(\.\d)?$')), 0::bigint, 'float8: multiples, printed short');
SELECT is((SELECT count(*) FROM made WHERE NOT (n IN (0.333, 1e24) OR n % 0.25 = 0 AND scale(n) <= 2)), 0::bigint, 'numeric: multiples, with the digits of the step');
SELECT is((SELECT count(*) FROM made WHERE i NOT IN (0, 99, -8) AND i % 5 <> 0 OR b NOT IN (3000000000, 3000000001) AND b % 1000 <> 0), 0::bigint, 'integers: multiples');
SELECT is((SELECT array_agg(DISTINCT s ORDER BY s) FROM made WHERE s IS NOT NULL)::text, (SELECT array_agg(i ORDER BY i) FROM generate_series(0, 20) AS i)::text, 'smallint: all values of small bins; 4 alone is left of the first');
SELECT is((SELECT count(*) FROM made WHERE NOT (d IN ('1900-01-01', '2024-01-08') OR extract(isodow FROM d) = 1)), 0::bigint, 'date: 7 days are Mondays');
SELECT is((SELECT count(*) FROM made WHERE t <> date_trunc('minute', t)), 0::bigint, 'timestamp: as date_trunc, minutes');
SELECT is((SELECT count(*) FROM made WHERE z <> date_trunc('hour', z) AND z <> '2024-01-01 02:34'), 0::bigint, 'timestamptz: hours');
SELECT is((SELECT count(*) FROM made WHERE p <> date_trunc('week', p) AND p <> '1970-01-01'), 0::bigint, 'timestamptz: 7 days are weeks');
-- a point is never drawn as a value of its bin: of many rows of one bin, none
SELECT is((SELECT count(*) FROM pegs_sample('m', 20000, given => '{"s": 4, "r": 4}') AS t(s smallint, r real) WHERE s <> 4 OR r = 5), 0::bigint, 'no point is drawn inside a bin');
SELECT is((SELECT count(DISTINCT n2) || ' ' || count(*) FILTER (WHERE n2 IN (4.99, 0)) FROM pegs_sample('m', 20000, given => '{"n2": 1.5}') AS t(n2 numeric(8,2))), '498 0', 'and all other values are');
SELECT results_eq($$ SELECT DISTINCT f, d FROM pegs_sample('m', 50, given => '{"f": 4.99, "d": "1900-01-01"}') AS t(f float8, d date) $$, $$ VALUES (4.99::float8, '1900-01-01'::date) $$, 'given: a point');
SELECT is((SELECT bool_and(f > 0 AND f < 500 AND f <> 4.99) FROM pegs_sample('m', 5000, given => '{"f": 3}') AS t(f float8)), true, 'given: a value of its bin');
SELECT throws_ok($$ SELECT * FROM pegs_sample('m', 5, given => '{"i": -7}') AS t(i int) $$, '22023', NULL, 'given: near a point is not the point');
-- the smallest bins that have a value
CREATE TABLE small (i int NOT NULL, b bigint NOT NULL, f float8 NOT NULL, r real NOT NULL, n numeric NOT NULL);
INSERT INTO small SELECT 0, 5, 5e-324, 1e-45, 0.01 FROM generate_series(1, 500);
SELECT pegs_set_bins('small', 'i', '{-1, 1, 2}', points => '{-1}'), pegs_set_bins('small', 'b', '{-9223372036854775808, 9223372036854775807}', points => '{9223372036854775807, -9223372036854775808, 0}'),
	pegs_set_bins('small', 'f', '{0, 1e-323}', points => '{0}'), pegs_set_bins('small', 'r', '{0, 3e-45}', points => '{0}'), pegs_set_bins('small', 'n', '{0, 0.02}', points => '{0, 0.02}');
SELECT pegs_set_budget('small', 1000);
SELECT pegs_fit('small', 'small', epsilon => 100);
SELECT is((SELECT count(*) FROM pegs_sample('small', 3000, given => '{"i": 0, "b": 5, "f": 5e-324, "r": 1e-45, "n": 0.005}') AS t(i int, b bigint, f float8, r real, n numeric) WHERE i <> 0 OR b IN (9223372036854775807, -9223372036854775808, 0) OR f <> 5e-324 OR r <> '1e-45' OR n <> 0.01), 0::bigint, 'one value left in a bin');
-- a sealed model: uniform as before
SELECT pegs_fit('sealed', 'v', ARRAY['f', 's'], parents => '{}');
SELECT ok(NOT pegs_describe('sealed') -> 'spec' ? 'inside', 'a sealed model is not sloped');
SELECT is((SELECT count(*) FROM pegs_sample('sealed', 500, epsilon => 100) AS t(f float8, s smallint) WHERE NOT (f IN (0, 4.99, -8) OR f::text ~ '^\d+(\.\d)?$' AND f < 2001.05)), 0::bigint, 'a sealed model: points and steps');

---- refused
CREATE FUNCTION bins(c name, edges text, points text DEFAULT NULL, step text DEFAULT NULL) RETURNS void LANGUAGE sql AS $$ SELECT pegs_set_bins('v', c, edges, points => points, step => step) $$;
SELECT throws_ok($$ SELECT bins('i', '{0, 1, 10}', '{0}') $$, '22023', 'bin [0, 1) of column "i" holds nothing but points', 'a bin of one value that is a point');
SELECT throws_ok($$ SELECT bins('i', '{0, 10, 20}', '{0, 5}', '5') $$, '22023', 'bin [0, 10) of column "i" holds nothing but points', 'of two multiples');
SELECT throws_ok($$ SELECT bins('f', '{0, 5e-324}', '{0}') $$, '22023', 'bin [0, 5e-324] of column "f" holds nothing but points', 'of one double');
SELECT throws_ok($$ SELECT bins('r', '{0, 3e-45}', '{0, 1e-45}') $$, '22023', 'bin [0, 3e-45] of column "r" holds nothing but points', 'of two floats');
SELECT throws_ok($$ SELECT bins('i', '{1, 3, 10}', NULL, '3') $$, '22023', 'bin [1, 3) of column "i" holds no multiple of 3', 'no multiple: integer');
SELECT throws_ok($$ SELECT bins('d', '{2024-01-02, 2024-01-08}', NULL, '100') $$, '22023', 'bin [2024-01-02, 2024-01-08] of column "d" holds no multiple of 100', 'no multiple: date');
SELECT throws_ok($$ SELECT bins('f', '{0.1, 0.2, 1}', NULL, '0.3') $$, '22023', 'bin [0.1, 0.2) of column "f" holds no multiple of 0.3', 'no multiple: float8');
SELECT throws_ok($$ SELECT bins('t', '{2024-01-01 00:01, 2024-01-01 00:59}', NULL, '1 hour') $$, '22023', NULL, 'no multiple: timestamp');
SELECT lives_ok($$ SELECT bins('i', '{1, 3}', NULL, '3') $$, 'the last bin is closed');
SELECT lives_ok($$ SELECT bins('f', '{0.25, 0.3}', NULL, '0.1') $$, 'the last bin is closed: float8');
SELECT throws_ok($$ SELECT bins('n2', '{0, 1}', NULL, '0.005') $$, '22023', 'multiples of step 0.005 of column "n2" have more digits than type numeric(8,2) holds', 'finer than numeric(8,2)');
SELECT throws_ok($$ SELECT bins('z', '{2024-01-01, 2024-07-01}', NULL, '500 ms') $$, '22023', 'multiples of step 500000 us of column "z" have more digits than type timestamp(0) with time zone holds', 'finer than timestamptz(0)');
SELECT throws_ok($$ SELECT bins('f', '{0, 1e15}', NULL, '0.001') $$, '22023', 'multiples of step 0.001 of column "f" have more digits than type double precision holds', 'finer than a double');
SELECT throws_ok($$ SELECT bins('f', '{-1e15, 0}', NULL, '0.001') $$, '22023', NULL, 'finer than a double, below zero');
SELECT throws_ok($$ SELECT bins('r', '{0, 1e6}', NULL, '0.01') $$, '22023', 'multiples of step 0.01 of column "r" have more digits than type real holds', 'finer than a float');
SELECT throws_ok($$ SELECT bins('n', '{0, 1e10}', NULL, '0.0000000001') $$, '22003', NULL, 'numeric: more than 18 digits');
SELECT throws_ok($$ SELECT bins('f', '{0, 1}', '{0, -0.0}') $$, '22023', 'point "0" of column "f" is declared twice', 'a point twice');
SELECT throws_ok($$ SELECT bins('f', '{0, 1}', '{NaN}') $$, '22023', 'points must be finite', 'not a number');
SELECT throws_ok($$ SELECT bins('d', '{2024-01-01, 2025-01-01}', '{infinity}') $$, '22023', 'points must be finite', 'infinity');
SELECT throws_ok($$ SELECT bins('i', '{0, 1}', '{0.5}') $$, '22P02', NULL, 'no value of the type');
SELECT declare('v');

---- a numeric with zeros before the point: its values are multiples of a power of ten
SELECT current_setting('server_version_num')::int >= 150000 AS has_negative_scales \gset
\if :has_negative_scales
CREATE TABLE zeros (h numeric(5, -2) NOT NULL, far numeric(5, -18));
INSERT INTO zeros SELECT i % 40 * 100 FROM generate_series(1, 2000) AS i;
CREATE FUNCTION of_zeros(edges text, points text DEFAULT NULL, step text DEFAULT NULL) RETURNS void LANGUAGE sql AS $$ SELECT pegs_set_bins('zeros', 'h', edges, points => points, step => step) $$;
SELECT pegs_set_budget('zeros', 10000);
SELECT of_zeros('{0, 1000, 3900}', '{700}'), pegs_fit('zeros', 'zeros', '{h}', epsilon => 1000);
SELECT results_eq($$ SELECT count(*) FILTER (WHERE h % 100 <> 0), count(DISTINCT h), min(h), max(h), count(*) FILTER (WHERE h = 700) BETWEEN 80 AND 120 FROM pegs_sample('zeros', 4000) AS t(h numeric(5, -2)) $$,
	$$ VALUES (0::bigint, 40::bigint, 0::numeric, 3900::numeric, true) $$, 'hundreds');
SELECT of_zeros('{0, 1000, 3900}', NULL, '300'), pegs_drop('zeros'), pegs_fit('zeros', 'zeros', '{h}', epsilon => 1000);
SELECT results_eq($$ SELECT count(*) FILTER (WHERE h % 300 <> 0), count(DISTINCT h) FROM pegs_sample('zeros', 1000) AS t(h numeric(5, -2)) $$, $$ VALUES (0::bigint, 14::bigint) $$, 'in steps of three');
SELECT throws_ok($$ SELECT of_zeros('{0, 1000}', NULL, '250') $$, '22023', 'multiples of step 250 of column "h" have more digits than type numeric(5,-2) holds', 'a step between');
SELECT throws_ok($$ SELECT of_zeros('{0, 1000}', NULL, '0.5') $$, '22023', 'multiples of step 0.5 of column "h" have more digits than type numeric(5,-2) holds', 'a fraction');
SELECT throws_ok($$ SELECT of_zeros('{0, 100, 200}', '{0}') $$, '22023', 'bin [0, 100) of column "h" holds nothing but points', 'one value a hundred');
SELECT throws_ok($$ SELECT pegs_set_bins('zeros', 'far', '{0, 1e18}') $$, '22003', 'bins of column "far" need more than 18 digits', 'too many zeros');
\else
SELECT skip('no negative scales here', 6);
\endif

---- where levels are named
SELECT pegs_forbid('v', '{"f": 0, "s": 3}'), pegs_fit('forbidden', 'v', ARRAY['f', 's'], epsilon => 100);
SELECT is((SELECT count(*) FILTER (WHERE f = 0 AND s = 3) || ' ' || (count(*) FILTER (WHERE f = 0 AND s = 4) > 50) || ' ' || (count(*) FILTER (WHERE f > 0 AND s = 3) > 0) FROM pegs_sample('forbidden', 4000) AS t(f float8, s smallint)), '0 true true', 'pegs_forbid: a point');
SELECT results_eq($$ SELECT term FROM pegs_regression('v', 'made', 'logistic', 'i = 0', ARRAY['f'], ARRAY['f']) WHERE term LIKE 'f%' $$,
	$$ VALUES ('f=[500, 1000)'), ('f=[1000, 2001]'), ('f=0'), ('f=-8'), ('f=4.99'), ('f is null') $$, 'pegs_regression: names of levels');
SELECT ok(count(*) > 3, 'pegs_disclosure_of') FROM pegs_disclosure_of('m', ARRAY['s'], 'f');
CREATE DOMAIN no_five AS int CHECK (VALUE <> 5);
CREATE TABLE holes (i no_five NOT NULL);
SELECT pegs_set_bins('holes', 'i', '{0, 10}', points => '{5}'), pegs_set_budget('holes', 100);
SELECT pegs_fit('holes', 'holes', epsilon => 1);
SELECT throws_ok($$ SELECT * FROM pegs_sample_as(NULL::holes, 'holes', 1) $$, '23514', NULL, 'a point must be of the domain type');

---- states: their text says nothing of slopes
SELECT pegs_spec('v', ARRAY['f', 's']) AS spec \gset
SELECT is(:'spec'::jsonb -> 'columns' -> 0, '{"name": "f", "type": "double precision", "edges": ["0", "500", "1000", "2001"], "points": ["0", "-8", "4.99"], "step": "0.1", "null": true}'::jsonb, 'pegs_spec: points and step');
SELECT unalike(:'spec'::text, '%inside%', 'pegs_spec: not a word on slopes');
SELECT is((SELECT pegs_agg(pegs_describe('m2') ->> 'spec', f, s)::text FROM v), (SELECT pegs_agg(:'spec', f, s)::text FROM v), 'the spec of a model counts the same')
	FROM (SELECT pegs_fit_state('m2', 'v', (SELECT pegs_agg(:'spec', f, s) FROM v), ARRAY['f', 's'], epsilon => 100)) AS x;
SELECT is(pegs_describe('m2') -> 'spec' ->> 'inside', 'sloped', 'a model of a state is sloped');
SELECT pegs_import('file', pegs_export('m2'));
SELECT is(pegs_describe('file') ->> 'spec', pegs_describe('m2') ->> 'spec', 'so is its file');
UPDATE pegs_internal.model SET key = (SELECT key FROM pegs_internal.model WHERE name = 'm2') WHERE name = 'file';
SELECT results_eq($$ SELECT * FROM pegs_sample('file', 500) AS t(f float8, s smallint) $$, $$ SELECT * FROM pegs_sample('m2', 500) AS t(f float8, s smallint) $$, 'and gives the same rows');
SELECT throws_ok(format($$ SELECT pegs_agg(%L, 1::float8, 2::smallint) $$, replace(:'spec', part, instead)), '22023', 'spec is not valid: ' || why, 'a given spec: ' || instead)
	FROM (VALUES ('"4.99"', '"4.990"', 'a point is not canonical'), ('"4.99"', '"Infinity"', 'a point is not canonical'), ('"4.99"', '"nan"', 'a point is not canonical'), ('"4.99"', '"-8"', 'a point is there twice'),
		('"4.99"', '"-0"', 'a point is not canonical'), ('"step": "0.1"', '"step": "0.10"', 'a step is not canonical'), ('"step": "0.1"', '"step": ".1"', 'a step is not canonical'), ('"step": "0.1"', '"step": "0"', 'a step is not canonical'),
		('"step": "0.1"', '"step": "-1"', 'a step is not canonical'), ('"step": "0.1"', '"step": "1e3"', 'a step is not canonical'), ('"step": "0.1"', '"step": "60 us"', 'a step is not canonical'), ('"step": "0.1"', '"step": "01"', 'a step is not canonical'),
		('"step": "0.1"', '"step": "1234567890123456789"', 'a step is not canonical'), ('"step": "0.1"', '"step": ""', 'a step is not canonical'), ('"step": "0.1"', '"step": 1', '"step" must be text'),
		('"points": ["0", ', '"points": [0, ', '"points" must hold texts'), ('"edges": ["0", "500", "1000", "2001"]', '"levels": ["7"]', 'a column has points or a step, and no bins'),
		('"tables": "pairs"', '"tables": "pairs", "inside": "flat"', '"inside" is not "sloped"')) AS x (part, instead, why);
SELECT throws_ok(format($$ SELECT pegs_agg(%L, 1::float8, 2::smallint) $$, replace(:'spec', '"4.99"', '"x"')), '22P02', NULL, 'a given spec: no number');

---- the type of a column is altered
CREATE TABLE altered (a int NOT NULL, b numeric NOT NULL, c int NOT NULL);
SELECT pegs_set_bins('altered', 'a', '{0, 10}', points => '{5}'), pegs_set_bins('altered', 'b', '{0, 10}', step => '0.5'), pegs_set_bins('altered', 'c', '{0, 100}', points => '{10}', step => '10');
ALTER TABLE altered ALTER a TYPE date USING '2024-01-01', ALTER b TYPE int, ALTER c TYPE bigint;
SELECT results_eq($$ SELECT problem FROM pegs_domain('altered') $$, $$ VALUES ('its declared bins are not of type date'), ('its declared bins are not of type integer'), (NULL) $$, 'points and steps of another type are a problem');

---- slopes
CREATE TABLE pay (x numeric NOT NULL, i int NOT NULL);
INSERT INTO pay SELECT v, 20000 - v FROM (SELECT round((-1000 * ln(1 - (k - 0.5) / 10000))::numeric, 2) AS v FROM generate_series(1, 10000) AS k) AS s;
SELECT pegs_set_bins('pay', 'x', '{0, 200, 500, 1000, 2000, 20000}'), pegs_set_bins('pay', 'i', '{0, 18000, 19000, 19500, 19800, 20000}'), pegs_set_budget('pay', 1000000);
SELECT pegs_fit('pay', 'pay', epsilon => 100), pegs_fit('flat', 'pay', parents => '{}');
SELECT ok(abs(avg(x) / 1000 - 1) < 0.05 AND abs((20000 - avg(i)) / 1000 - 1) < 0.05, 'means of a sloped model: ' || round(avg(x)) || ', ' || round(avg(i))) FROM pegs_sample('pay', 20000) AS t(x numeric, i int);
SELECT ok(avg(x) > 1900, 'of a sealed one: ' || round(avg(x))) FROM pegs_sample('flat', 5000, epsilon => 100000) AS t(x numeric, i int);
SELECT ok(avg((x > 8000)::int) < 0.01 AND avg((i < 12000)::int) < 0.01 AND bool_and(x < 20000 AND i >= 0), 'wide first and last bins decay') FROM pegs_sample('pay', 20000) AS t(x numeric, i int);
SELECT pegs_release('pay release', 'pay', 5000);
CREATE TABLE kept AS SELECT * FROM pegs_rows('pay release') AS t(x numeric, i int);
SELECT ok(abs(avg(x) / 1000 - 1) < 0.1, 'a release is sloped') FROM kept;
SELECT pegs_drop('pay');
-- each time its first use
SELECT results_eq($$ SELECT d::text FROM pegs_disclosure_of('pay release', ARRAY['i'], 'x') AS d $$, $$ SELECT d::text FROM pegs_disclosure('pay', 'kept', ARRAY['i'], 'x', ARRAY['x', 'i']) AS d $$, 'measures draw the same numbers');
UPDATE pegs_internal.model SET counts = counts;	-- the session forgets what it kept
SELECT results_eq('SELECT * FROM pegs_rows(''pay release'') AS t(x numeric, i int)', 'TABLE kept', 'and keeps its rows when the model is dropped');

---- a model of 0.2.0 gives the rows that it gave
CREATE TABLE b (s smallint, i int, b bigint, n numeric, n2 numeric(6,2), r real, f float8, d date, t timestamp, z timestamptz(0));
SELECT pegs_import('old', decode($$
UEVHUwEAAwAAAAAACgAAAAAAAAAsBAAAAAAAAAAAAAACAAAAAwAAAAIAAAADAAAAAgAAAAIAAAACAAAAAgAAAAIAAAACAAAAeyJwZWdzIjogMSwgInRhYmxlcyI6ICJwYWlycyIsICJjb2x1bW5zIj
ogW3sibmFtZSI6ICJzIiwgInR5cGUiOiAic21hbGxpbnQiLCAiZWRnZXMiOiBbIjAiLCAiMiIsICI5Il0sICJudWxsIjogZmFsc2V9LCB7Im5hbWUiOiAiaSIsICJ0eXBlIjogImludGVnZXIiLCAi
ZWRnZXMiOiBbIjAiLCAiMSIsICI3Il0sICJudWxsIjogdHJ1ZX0sIHsibmFtZSI6ICJiIiwgInR5cGUiOiAiYmlnaW50IiwgImVkZ2VzIjogWyItOTIyMzM3MjAzNjg1NDc3NTgwOCIsICIwIiwgIj
kyMjMzNzIwMzY4NTQ3NzU4MDciXSwgIm51bGwiOiBmYWxzZX0sIHsibmFtZSI6ICJuIiwgInR5cGUiOiAibnVtZXJpYyIsICJlZGdlcyI6IFsiMCIsICIxMCIsICIxMi41IiwgIjEwMCJdLCAibnVs
bCI6IGZhbHNlfSwgeyJuYW1lIjogIm4yIiwgInR5cGUiOiAibnVtZXJpYyg2LDIpIiwgImVkZ2VzIjogWyIwLjAwIiwgIjEwLjUwIiwgIjk5OTkuOTkiXSwgIm51bGwiOiBmYWxzZX0sIHsibmFtZS
I6ICJyIiwgInR5cGUiOiAicmVhbCIsICJlZGdlcyI6IFsiMCIsICIxLjUiLCAiMjAiXSwgIm51bGwiOiBmYWxzZX0sIHsibmFtZSI6ICJmIiwgInR5cGUiOiAiZG91YmxlIHByZWNpc2lvbiIsICJl
ZGdlcyI6IFsiMCIsICIwLjAwMSIsICI1MDAwMCJdLCAibnVsbCI6IGZhbHNlfSwgeyJuYW1lIjogImQiLCAidHlwZSI6ICJwZ19jYXRhbG9nLmRhdGUiLCAiZWRnZXMiOiBbIjIwMjQtMDEtMDEiLC
AiMjAyNC0wMi0wMSIsICIyMDI1LTAxLTAxIl0sICJudWxsIjogZmFsc2V9LCB7Im5hbWUiOiAidCIsICJ0eXBlIjogInRpbWVzdGFtcCB3aXRob3V0IHRpbWUgem9uZSIsICJlZGdlcyI6IFsiMjAy
NC0wMS0wMSAwMDowMDowMCIsICIyMDI0LTAyLTAxIDAwOjAwOjAwIiwgIjIwMjUtMDEtMDEgMDA6MDA6MDAiXSwgIm51bGwiOiBmYWxzZX0sIHsibmFtZSI6ICJ6IiwgInR5cGUiOiAidGltZXN0YW
1wKDApIHdpdGggdGltZSB6b25lIiwgImVkZ2VzIjogWyIyMDI0LTAxLTAxIDAwOjAwOjAwKzAwIiwgIjIwMjQtMDItMDEgMDA6MDA6MDArMDAiLCAiMjAyNS0wMS0wMSAwMDowMDowMCswMCJdLCAi
bnVsbCI6IGZhbHNlfV19AAAAAEkAAAAAIGlAAQAAAA8AAAAAAAAAAAAQDgAAAAAAABAOACgujNEAAAAAAAAAAAAAAAEAAAAAAAAAAQAAAB4AAADI6pjgwTwnBAIAAAAWAAAAfmq8dJMYMAEDAAAAHw
AAALqqqqqqqrgI0Vpx7yRLzT9MqSPENq3oPwIAAAAAAAAAAAABAAAAAABrxDatuHfCP8mdZKkjxOY/a8Q2rbh3wj8DAAAAAAAAAAAAAQACAAAAimAUcGg+9zzT///////vPwEAAAAAAAAAAAAAAAAA
AADmcnYLvxrDP1bR9cfLYKQ/MQajgEPz6T8DAAAAAAAAAAAAAQACAAAAJDg0n+uP1z/v42UwCjjkPwIAAAAAAAAAAAABAAAAAADOLXWE2Ka1P0Zace8kS+0/AgAAAAAAAAAAAAEAAAAAAJ/m9cfLYH
Q/NRRwaD7X7z8CAAAAAAAAAAAAAQAAAAAAoCG2acW9wz+Yd5KljhDrPwIAAAAAAAAAAAABAAAAAADCHrZpxb3DP094kqWOEOs/AgAAAAAAAAAAAAEAAAAAAJshtmnFvcM/mXeSpY4Q6z8CAAAAAAAA
AAAAAQAAAAAABwAAAAAAAAABAAAAAAAAAAIAAAAAAAAAAAAAAAAA8D8CAAAAAQAAAAcAAAAJAAAAOUD7UMS9wz/Lt62e9YGBPgofuZ31gYE+AIOxX44Q6z8DAAAAAgAAAAEAAAAIAAAACQAAAAAAAA
D1OrpSJnmZP8VumnPWmlc+DBlI/HbUUj6rYYZfJJG+P6HiTWkNBbw/xIonwSebdz5Fo20c4Bp6PqZWlt2BQ+M/Dizoj8ZglD8X/TiuOQhWPtlOPYS2z1A+Z/hSsT/Xvz8DAAAAAwAAAAEAAAADAAAA
CAAAAAAAAAAjaqI+QMuYP99Ps89r+VY+K1B/mc28RT8R06KNV+dzP1sdn9iTD1I+KmEY1q5SvT+EplxN8xW7PyByphtq0XY+BAYTnEDjbT+gBjC7X+GYP6AK0v8xDHk+csJP5nZ84j8PLvR04rKTP1
QFqRL5S1U+CAQiWY+8RT9KUP3cuzh3P3Y5G4zoClA+KBmS4bNjvj8EAAAABAAAAAEAAAADAAAABAAAAAYAAADEAnAql2B0P+VlOfwas5M/iPjh9Jn+DT6LA1txjgxLPic/2O/1HAQ+s8UpJfCedj+Y
MXeAxAGdPGvrnWHhbS4+wyFnma1PJD7oBr38KZeZPxO05SKlgCM+ckU/i+Tstj+JQylsK2cuPpwqbX7zFbs/uhUmfbefxjy1u9F7KM1yPufV2Hc9nLs8BMBUl8adnD9/QXwsViFUO1rz127adVM+WC
r2QjaN2zxJ+VxhNf2/P0qIaw5qv9o8Wg552KD53D83voOboakIPmmq5wPjspM/81bRYIsdnzz4GUp86C5HPq5eXggc6ps8Zlzg2EzweT8Nq9qzvkAxO8HyRn4m6C0+4CdIyoyuvDyrr/8DPtudPxpg
mFDamrc8N8+9oOTstj8EAAAABQAAAAAAAAADAAAABAAAAAYAAAB5o0ZHl2B0P1XbYPk81KE/KN3rFJr+DT4fPNz7cQZYPgOLqCH2HAQ+XUv6tuNghD+g9vS8xAGdPETGAcqtyzo+m6xKo61PJD6MGM
nXPmGkP1T5NiSlgCM+cnv0urLUwT8tc17eX3swPgwBxYFUBbw/HkKTn8qCyDxhUI/a+hJzPiN3DP+6XLw84SJa+yORnj8F/hiJqalUO5MdVPivTVQ+F1CCDTS+4DxWzdP6l9TBP/1kXv37PeA8zxX+
xbmF3z8EAAAABgAAAAAAAAADAAAABQAAAAYAAADyjJ1Ll2B0P50azmtKkY4/NZiKVyXTCz4YyUE91l+UP18FBbSfh+Y9KvvozAI9AD5GplXdHPb8Pd+2Gn3kYIQ/SOd8Zo6JFj5bX+F+bopCPkYyQ5
SLiyw+E1NcXgLtxj+ISgP4X3swPjKhvHykjrA/xUVl471gtzwCG3BsYu2mP1WZ6lxHSqg85LUT/7xyJz6b0D2jlzewPGaoTxElkZ4/k5krLSN93DyWqYtyontvPkroSnSeveI8yVs4wgI45D8IAAAA
CQAAAAIAAAACAAAAAAAAAAIAAAAWRr/1eIhMPQAAAQAAAAAAAAABAAAAAACixpZRxL3DP3ZGppj1gYE+DwKQr/WBgT43oYpfjhDrPwcAAAAJAAAAAgAAAAIAAAAAAAAAAgAAABZGv/V4iEw9AAABAA
AAAAAAAAEAAAAAALfHllHEvcM/zpCUnvWBgT6eDUOe9YGBPh+hil+OEOs/AwAAAAgAAAADAAAAAgAAAAAAAAACAAAAFka/9XiITD0AAAEAAgAAAAAAAQAAAAAA4Fxg/L0awz8XH0laYfGAPtVK5xfM
YHQ//+f4RLLUoT9dosN4aMmAPmdkfT1D8+k/AwAAAAQAAAADAAAAAgAAAAAAAAACAAAAFka/9XiITD0AAAEAAgAAAAAAAQAAAAAA4f/xQL4awz8UQHVgjlB5PqYR8e/KYKQ/e6rU9ZcAWz76K3pB5u
zGPzN7RPAJOOQ/AwAAAAUAAAADAAAAAgAAAAAAAAACAAAAFka/9XiITD0AAAEAAgAAAAAAAQAAAAAACF1rT9emtT/CiIHHpo6wP6b0xT536iw+F1oLq8tgpD/Hi2RSSWlyPoxz0FtD8+k/AAAAAAQA
AAACAAAAAgAAAAAAAAACAAAAFka/9XiITD0AAAEAAAAAAAAAAQAAAAAAEos0KuXstj9JFVdastTBP14Vp1Sy1NE/Oz2gM7uF3z8FAAAABgAAAAIAAAACAAAAAAAAAAIAAAAWRr/1eIhMPQAAAQAAAA
AAAAABAAAAAACsF/2OymB0P1RchdvLYLQ/twoj74yPMz6oaP/sJEvtPwEAAAAJAAAAAwAAAAIAAAAAAAAAAgAAABZGv/V4iEw9AAABAAIAAAAAAAEAAAAAAGsj4Iz+eJk//X81tzGRvj/WWh00GAW8
P2/y4KKAQ+M/C35b8MtglD9VqVZePte/PwEAAAAGAAAAAwAAAAIAAAAAAAAAAgAAAHmKmwbddjE/AAABAAIAAAAAAAEAAAAAAHlYZqPKYHQ/qJEbWLLUwT+qPS95eWcuPjImfqcjxOY/Kfu3LeGpCD
5ZJqyruHfCPwQAAAAGAAAAAgAAAAIAAAAAAAAAAgAAAHmKmwbddjE/AAABAAAAAAAAAAEAAAAAAE8c8e/KYHQ/sXN0c2g+1z8dj/FJmQArPlratS4KOOQ/AAAAAAMAAAACAAAAAwAAAAAAAAADAAAA
EDVvLK9WUz0AAAEAAAAAAAAAAQACAAAA3s17l8tgpD8MXQury2CEP4qx4U7l7MY/3v4uSxgFvD8m9GW6MZGeP9CZ6iwKOOQ/AQAAAAQAAAADAAAAAgAAAAAAAAACAAAAjEopLK9WYz0AAAEAAgAAAA
AAAQAAAAAAJA0gJRgFrD9Fgt1H5ey2P9k07JWljtA/ugbdvKH53D8kDSAlGAWsP0WC3Ufl7LY/AAAAAAYAAAACAAAAAgAAAAAAAAACAAAAjEopLK9WYz0AAAEAAAAAAAAAAQAAAAAAA9JQwMpgdD8/
1G6ZHqjMP3IlqUlRejA+I18Uwjat6D8AAAAABQAAAAIAAAACAAAAAAAAAAIAAACMSiksr1ZjPQAAAQAAAAAAAAABAAAAAABF6Jq+y2CUP8j9nXcLv8o/vHPOlKWOsD/U2okRYpvmPwEAAAAIAAAAAw
AAAAIAAAAAAAAAAgAAAIxKKSyvVmM9AAABAAIAAAAAAAEAAAAAAM4b4Iz+eJk/5IE1tzGRvj/1WB00GAW8P63y4KKAQ+M/cnZb8MtglD88q1ZePte/P6jnwR8=
$$, 'base64'));
UPDATE pegs_internal.model SET key = decode(repeat('5a', 32), 'hex') WHERE name = 'old';
SELECT ok(NOT pegs_describe('old') -> 'spec' ? 'inside', 'its values are uniform');
SELECT is((SELECT md5(string_agg(x::text, E'\n')) FROM pegs_sample_as(NULL::b, 'old', 2000) AS x), '14afac8ae9ecbab47a87c2b28bb583de', 'its rows, byte for byte');

---- a tail of nobody: 5,000 rows in the first 64 of 4,096 bins. Down a tree of halves (docs/engine.md) the upper half has none but
---- once in 40 fits, and among them in all of eight once in 10^12; without, it never has none
CREATE TABLE tail AS SELECT i % 64 AS x FROM generate_series(1, 5000) AS i;
SELECT pegs_set_bins('tail', 'x', low => 0, high => 4096, bins => 4096, nullable => false), pegs_set_budget('tail', 10);
CREATE FUNCTION upper_half(fit text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE n bigint;
BEGIN
	EXECUTE 'SELECT ' || fit;
	SELECT count(*) INTO n FROM pegs_sample_as(NULL::tail, 'tail', 5000) WHERE x >= 2048;
	PERFORM pegs_drop('tail');
	RETURN n;
END $$;
SELECT is(min(upper_half($$ pegs_fit('tail', 'tail', epsilon => 0.2, delta => 0) $$)), 0::bigint, 'a fit: bins are told of') FROM generate_series(1, 8);
SELECT is(min(upper_half($$ pegs_fit_state('tail', 'tail', (SELECT pegs_agg((SELECT pegs_spec('tail')), x) FROM tail), epsilon => 0.2, delta => 0) $$)), 0::bigint,
	'a fit of a state: likewise') FROM generate_series(1, 8);
SELECT * FROM finish();
