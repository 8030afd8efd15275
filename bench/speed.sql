-- speed.sql: how fast pegs counts and samples, as ratios to plain SQL run beside it.
--
-- Prints on-CPU milliseconds of this backend (the scheduler's own account, so a busy machine does not matter) and ratios.
-- :rows is set by bench/run. One process: no parallel workers, no JIT.
\set QUIET on
\pset format aligned
SET client_min_messages = warning;
SET jit = off;
SET max_parallel_workers_per_gather = 0;
SET work_mem = '64MB';

CREATE EXTENSION pegs;
\ir ../demo/discharge.sql
SELECT make_discharges(:rows) \g /dev/null
VACUUM (FREEZE, ANALYZE) discharges;
\o /dev/null
\ir ../demo/facts.sql
\o

\ir backend.sql

CREATE TEMP TABLE result (n serial, label text, ms float8, rows float8 DEFAULT :rows);

-- The least of :reps runs.
CREATE PROCEDURE pg_temp.measure(label text, statement text, reps int DEFAULT 5) LANGUAGE plpgsql AS $$
DECLARE
	best float8 := 'infinity';
	before float8;
BEGIN
	FOR i IN 1..reps LOOP
		before := pg_temp.cpu_s();
		EXECUTE statement;
		best := least(best, (pg_temp.cpu_s() - before) * 1000);
	END LOOP;
	INSERT INTO result (label, ms) VALUES (label, best);
END $$;

-- The tables of one conditional model, and all pairs, as plain SQL would count them.
CREATE TEMP TABLE parents (child text, parent text);
INSERT INTO parents VALUES ('typ', 'age'), ('sex', 'age'), ('ethncty', 'race'), ('race', 'patzip'), ('los', 'sev'),
	('disp', 'age'), ('pay', 'age'), ('charge', 'los'), ('mdc', 'typ'), ('sev', 'mdc'), ('cat', 'mdc'), ('age', 'mdc'), ('patzip', 'race');
CREATE TEMP VIEW bin AS SELECT typ, width_bucket(age, '{0,5,10,15,20,25,30,35,40,45,50,55,60,65,70,75,80}') AS age, sex, ethncty, race, patzip,
	width_bucket(los, '{0,1,2,3,4,5,6,7,8,9,10,30,50,70,90}') AS los, disp, pay, charge, mdc, sev, cat FROM discharges;

SELECT string_agg(attname, ', ' ORDER BY attnum) AS columns, string_agg('count(' || attname || ')', ', ' ORDER BY attnum) AS counts
FROM pg_attribute WHERE attrelid = 'discharges'::regclass AND attnum > 0 \gset
SELECT string_agg(format('(%s, %s)', child, parent), ', ') AS conditional_sets,
	string_agg(format('SELECT count(*) FROM (SELECT 1 FROM discharges GROUP BY %s, %s) s', child, parent), ' UNION ALL ') AS conditional_groups,
	jsonb_object_agg(child, jsonb_build_array(parent)) AS parents
FROM parents \gset
SELECT string_agg(format('(%s, %s)', a.attname, b.attname), ', ') AS pair_sets,
	string_agg(format('SELECT count(*) FROM (SELECT 1 FROM discharges GROUP BY %s, %s) s', a.attname, b.attname), ' UNION ALL ') AS pair_groups
FROM pg_attribute a, pg_attribute b
WHERE a.attrelid = 'discharges'::regclass AND b.attrelid = a.attrelid AND 0 < a.attnum AND a.attnum < b.attnum \gset

SELECT pegs_spec('discharges', parents => :'parents') AS conditional_spec, pegs_spec('discharges') AS pair_spec \gset

CALL pg_temp.measure('count(*)', 'SELECT count(*) FROM discharges');
CALL pg_temp.measure('13 x count(col)', format('SELECT %s FROM discharges', :'counts'));
CALL pg_temp.measure('pegs_agg, 13 conditional tables', format('SELECT pegs_agg(%L, %s) FROM discharges', :'conditional_spec', :'columns'));
CALL pg_temp.measure('pegs_agg, 78 pairs', format('SELECT pegs_agg(%L, %s) FROM discharges', :'pair_spec', :'columns'));
CALL pg_temp.measure('SQL, 13 conditional tables, GROUP BY', :'conditional_groups', 1);
CALL pg_temp.measure('SQL, 13 conditional tables, GROUPING SETS',
	format('SELECT count(*) FROM (SELECT count(*) FROM discharges GROUP BY GROUPING SETS (%s)) s', :'conditional_sets'), 1);
CALL pg_temp.measure('SQL, 78 pairs, GROUP BY', :'pair_groups', 1);
CALL pg_temp.measure('SQL, 78 pairs, GROUPING SETS',
	format('SELECT count(*) FROM (SELECT count(*) FROM discharges GROUP BY GROUPING SETS (%s)) s', :'pair_sets'), 1);

SELECT pegs_set_budget('discharges', 1000, 1e-3) \g /dev/null
SELECT pegs_fit('sealed', 'discharges', parents => :'parents') \g /dev/null
SELECT pegs_fit('open', 'discharges', epsilon => 1, delta => 1e-9) \g /dev/null
CREATE TEMP TABLE one AS SELECT * FROM discharges LIMIT 1;
CALL pg_temp.measure('constant rows, materialised', format('WITH c AS MATERIALIZED (SELECT one.* FROM one, generate_series(1, %s)) SELECT count(*) FROM c', :rows), 3);
CALL pg_temp.measure('pegs_sample, perturbed, independent', format('SELECT count(*) FROM pegs_sample_as(NULL::discharges, ''open'', %s, options => ''{"draw": "independent"}'')', :rows), 3);
CALL pg_temp.measure('pegs_sample, perturbed, apportioned', format('SELECT count(*) FROM pegs_sample_as(NULL::discharges, ''open'', %s)', :rows), 1);
CALL pg_temp.measure('pegs_sample, sealed, block 1', format('SELECT count(*) FROM pegs_sample_as(NULL::discharges, ''sealed'', %s, 1)', :rows), 3);
CALL pg_temp.measure('pegs_sample, sealed, one block', format('SELECT count(*) FROM pegs_sample_as(NULL::discharges, ''sealed'', %s, 1, %1$s)', :rows), 3);
CREATE TABLE synthetic AS SELECT * FROM pegs_sample_as(NULL::discharges, 'open', :rows);
VACUUM (FREEZE, ANALYZE) synthetic;
CALL pg_temp.measure('pegs_agg, 78 pairs, of the synthetic rows', format('SELECT pegs_agg(%L, %s) FROM synthetic', :'pair_spec', :'columns'), 3);
CALL pg_temp.measure('pegs_utility, all tables of two columns', 'SELECT count(*) FROM pegs_utility(''discharges'', ''synthetic'', measures => ''{tables}'')', 3);
DO $$ BEGIN PERFORM pegs_drop('open'); END $$;
CALL pg_temp.measure('pegs_fit, perturbed, epsilon 1', 'SELECT pegs_fit(''open'', ''discharges'', epsilon => 1, delta => 1e-9)', 1);

-- Twenty narrow columns, 200,000 rows: what it costs to count triples beside the pairs. An epsilon that buys next to nothing leaves the scan.
SELECT format('CREATE TABLE narrow (%s)', string_agg(format('c%s int NOT NULL CHECK (c%1$s IN (%s))', i,
	CASE WHEN i <= 14 THEN '0, 1' WHEN i <= 18 THEN '0, 1, 2' ELSE '0, 1, 2, 3' END), ', ')) FROM generate_series(1, 20) AS i \gexec
SELECT format('INSERT INTO narrow SELECT %s FROM generate_series(1, 200000) AS r',
	string_agg(format('abs(hashint4(r * 32 + %s)) %% %s', i, CASE WHEN i <= 14 THEN 2 WHEN i <= 18 THEN 3 ELSE 4 END), ', ')) FROM generate_series(1, 20) AS i \gexec
VACUUM (FREEZE, ANALYZE) narrow;
SELECT pegs_set_budget('narrow', 1000, 1e-3) \g /dev/null
SELECT string_agg(attname, ', ' ORDER BY attnum) AS narrow_columns, string_agg('count(' || attname || ')', ', ' ORDER BY attnum) AS narrow_counts
FROM pg_attribute WHERE attrelid = 'narrow'::regclass AND attnum > 0 \gset
SELECT pegs_spec('narrow') AS narrow_spec \gset
CALL pg_temp.measure('20 x count(col), 200,000 rows', format('SELECT %s FROM narrow', :'narrow_counts'));
CALL pg_temp.measure('pegs_agg, 190 pairs of these', format('SELECT pegs_agg(%L, %s) FROM narrow', :'narrow_spec', :'narrow_columns'));
CREATE FUNCTION pg_temp.fit_narrow() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	PERFORM pegs_fit('narrow', 'narrow', epsilon => 0.001, delta => 1e-9);
	PERFORM pegs_drop('narrow');
END $$;
CREATE FUNCTION pg_temp.fit_narrow_state(state pegs_state) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	PERFORM pegs_fit_state('narrow', 'narrow', state, epsilon => 0.001, delta => 1e-9);
	PERFORM pegs_drop('narrow');
END $$;
CALL pg_temp.measure('fit by a state, 190 pairs of these', format('SELECT pg_temp.fit_narrow_state(pegs_agg(%L, %s)) FROM narrow', :'narrow_spec', :'narrow_columns'));
CALL pg_temp.measure('fit of these, with 1,140 triples', 'SELECT pg_temp.fit_narrow()');
UPDATE result SET rows = 200000 WHERE label LIKE '20 x%' OR label LIKE '%of these%';

CREATE FUNCTION pg_temp.ms(what text) RETURNS float8 LANGUAGE sql AS $$ SELECT min(ms) FROM result WHERE label LIKE what $$;
\pset footer off
\echo
\echo on-CPU milliseconds, :rows rows of 13 columns
SELECT label, round(ms::numeric, 1) AS ms, round((rows / ms / 1000)::numeric, 2) AS "million rows/s" FROM result ORDER BY n;
\echo ratios
SELECT what, round(ratio::numeric, 2) AS ratio, wanted, CASE WHEN met THEN 'met' ELSE 'NOT MET' END AS verdict FROM (
	SELECT 1 AS n, 'conditional tables / 13 x count(col)' AS what, pg_temp.ms('pegs_agg, 13%') / pg_temp.ms('13 x%') AS ratio, 'at most 1.6' AS wanted,
		pg_temp.ms('pegs_agg, 13%') / pg_temp.ms('13 x%') <= 1.6 AS met
	UNION ALL SELECT 2, '78 pairs / 13 x count(col)', pg_temp.ms('pegs_agg, 78%') / pg_temp.ms('13 x%'), 'at most 1.8', pg_temp.ms('pegs_agg, 78%') / pg_temp.ms('13 x%') <= 1.8
	UNION ALL SELECT 3, 'best SQL / pegs_agg, conditional tables', pg_temp.ms('SQL, 13%') / pg_temp.ms('pegs_agg, 13%'), 'at least 10', pg_temp.ms('SQL, 13%') / pg_temp.ms('pegs_agg, 13%') >= 10
	UNION ALL SELECT 4, 'best SQL / pegs_agg, 78 pairs', pg_temp.ms('SQL, 78%') / pg_temp.ms('pegs_agg, 78%'), 'at least 40', pg_temp.ms('SQL, 78%') / pg_temp.ms('pegs_agg, 78%') >= 40
	UNION ALL SELECT 5, 'pegs_sample (perturbed, independent) / constant rows', pg_temp.ms('pegs_sample, perturbed, ind%') / pg_temp.ms('constant%'), 'at most 2', pg_temp.ms('pegs_sample, perturbed, ind%') / pg_temp.ms('constant%') <= 2
	UNION ALL SELECT 6, 'pegs_sample (sealed, block 1) / constant rows', pg_temp.ms('pegs_sample, sealed, block 1') / pg_temp.ms('constant%'), 'at most 2', pg_temp.ms('pegs_sample, sealed, block 1') / pg_temp.ms('constant%') <= 2
	UNION ALL SELECT 7, 'pegs_sample (sealed, one block) / constant rows', pg_temp.ms('pegs_sample, sealed, one%') / pg_temp.ms('constant%'), 'at most 2', pg_temp.ms('pegs_sample, sealed, one%') / pg_temp.ms('constant%') <= 2
	UNION ALL SELECT 8, 'pegs_fit at epsilon 1 / pegs_agg of 78 pairs', pg_temp.ms('pegs_fit%') / pg_temp.ms('pegs_agg, 78%'), 'at most 3', pg_temp.ms('pegs_fit%') / pg_temp.ms('pegs_agg, 78%') <= 3
	UNION ALL SELECT 9, 'apportioned and adjusted, 100,000 rows/s', :rows / pg_temp.ms('pegs_sample, perturbed, app%') / 100, 'at least 1', :rows / pg_temp.ms('pegs_sample, perturbed, app%') / 100 >= 1
	UNION ALL SELECT 10, 'pegs_utility, two columns / the two aggregates of 78 pairs', pg_temp.ms('pegs_utility%') / (pg_temp.ms('pegs_agg, 78 pairs') + pg_temp.ms('pegs_agg, 78 pairs, of%')), 'at most 3',
		pg_temp.ms('pegs_utility%') / (pg_temp.ms('pegs_agg, 78 pairs') + pg_temp.ms('pegs_agg, 78 pairs, of%')) <= 3
	UNION ALL SELECT 11, '190 pairs / 20 x count(col), 200,000 rows', pg_temp.ms('pegs_agg, 190%') / pg_temp.ms('20 x%'), 'as printed', true
	UNION ALL SELECT 12, 'fit with 1,140 triples / fit with pairs alone', pg_temp.ms('fit of these%') / pg_temp.ms('fit by a state%'), 'at most 5',
		pg_temp.ms('fit of these%') / pg_temp.ms('fit by a state%') <= 5
) s ORDER BY n;
