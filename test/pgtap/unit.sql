-- The privacy unit: whose rows count and how often (F1 and G4 of the review of 0.2.0).
SET client_min_messages = warning;
CREATE EXTENSION pegs;
SELECT plan(70);

---- weighting 'row': no level comes first for everybody
-- every person has every ward once: one row a person must be a ward as likely as another
CREATE TABLE visits (pid int NOT NULL, ward text NOT NULL CHECK (ward IN ('A', 'B', 'C', 'D')));
INSERT INTO visits SELECT p, (ARRAY['A', 'B', 'C', 'D'])[w] FROM generate_series(1, 10000) AS p, generate_series(1, 4) AS w;
SELECT pegs_set_budget('visits', epsilon => 1000, delta => 1e-6), pegs_set_unit('visits', 'pid', 1);
SELECT pegs_fit('v1', 'visits', ARRAY['ward'], epsilon => 10);
CREATE FUNCTION shares(model text) RETURNS TABLE (ward text, share numeric) LANGUAGE sql AS
$$ SELECT ward, count(*) / 10000.0 FROM pegs_sample(model, 10000) AS t(ward text) GROUP BY ward $$;
SELECT is((SELECT count(*) FROM shares('v1') WHERE share BETWEEN 0.23 AND 0.27), 4::bigint, 'one row of each person: every ward a quarter');
SELECT pegs_set_unit('visits', 'pid', 2);
SELECT pegs_fit('v2', 'visits', ARRAY['ward'], epsilon => 10);
SELECT is((SELECT count(*) FROM shares('v2') WHERE share BETWEEN 0.23 AND 0.27), 4::bigint, 'two rows of each person: every ward a quarter');
-- a level that a person has three times of four is three times as likely, though these rows are equal
CREATE TABLE again (pid uuid NOT NULL, ward text NOT NULL CHECK (ward IN ('A', 'B')));
INSERT INTO again SELECT md5(p::text)::uuid, ward FROM generate_series(1, 10000) AS p, unnest(ARRAY['A', 'A', 'A', 'B']) AS ward;
SELECT pegs_set_budget('again', epsilon => 1000, delta => 1e-6), pegs_set_unit('again', 'pid', 1);
SELECT pegs_fit('a1', 'again', epsilon => 10, columns => ARRAY['ward']);
SELECT ok((SELECT share FROM shares('a1') WHERE ward = 'A') BETWEEN 0.73 AND 0.77, 'rows that are equal count as rows: three quarters');
SELECT pegs_set_unit('again', 'pid', 2);
SELECT pegs_fit('a2', 'again', epsilon => 10, columns => ARRAY['ward']);
SELECT ok((SELECT share FROM shares('a2') WHERE ward = 'A') BETWEEN 0.73 AND 0.77, 'and two of four');

---- weighting 'person': a random row of a random person
-- person i has 1 + i % 100 rows; half of the persons, those with many rows, are all in ward B; one in a hundred is in C and D by turns
CREATE TABLE stays (pid text NOT NULL, ward text NOT NULL CHECK (ward IN ('A', 'B', 'C', 'D')), day int NOT NULL CHECK (day IN (0, 1, 2)));
INSERT INTO stays SELECT 'p' || p, CASE WHEN p % 100 = 99 THEN CASE WHEN r % 4 = 0 THEN 'D' ELSE 'C' END WHEN p % 100 >= 50 THEN 'B' ELSE 'A' END, r % 3
FROM generate_series(1, 4000) AS p, generate_series(1, 1 + p % 100) AS r;
SELECT pegs_set_budget('stays', epsilon => 10000, delta => 1e-6), pegs_set_unit('stays', 'pid', weighting => 'person');
SELECT pegs_fit('persons', 'stays', ARRAY['ward', 'day'], epsilon => 20, delta => 1e-9);
CREATE FUNCTION wards(model text) RETURNS TABLE (ward text, share numeric) LANGUAGE sql AS
$$ SELECT ward, count(*) / 20000.0 FROM pegs_sample(model, 20000) AS t(ward text, day int) GROUP BY ward $$;
SELECT ok((SELECT share FROM wards('persons') WHERE ward = 'A') BETWEEN 0.48 AND 0.52, 'person: persons are counted, not rows (A)');
SELECT ok((SELECT share FROM wards('persons') WHERE ward = 'B') BETWEEN 0.47 AND 0.51, 'person: persons are counted, not rows (B)');
SELECT ok((SELECT share FROM wards('persons') WHERE ward = 'C') BETWEEN 0.003 AND 0.012, 'person: their rows share one person (C)');
SELECT ok((pegs_describe('persons') ->> 'rows')::numeric BETWEEN 3960 AND 4040, 'person: the model stands for as many rows as there are persons');
SELECT is(pegs_describe('persons') ->> 'unit', 'a person, whatever the number of rows (all weigh the same: each is counted 64 times, its own rows in turn)', 'person: the unit in words');
SELECT is(pegs_describe('persons') ->> 'stands_for', 'a random row of a random person; as many rows as there are persons', 'person: what a row stands for');
SELECT is(pegs_certificate('persons') ->> 'stands_for', pegs_describe('persons') ->> 'stands_for', 'person: the certificate says so');
SELECT alike(pegs_certificate_text('persons'), '%stands for:  a random row of a random person%', 'person: and as text');
SELECT is((SELECT unit FROM pegs_models WHERE name = 'persons'), 'pid, all weigh the same', 'person: in pegs_models');
-- each person is counted 64 times, whatever its rows: exact counts of a sealed model
SELECT pegs_fit('sealed persons', 'stays', ARRAY['ward', 'day'], parents => '{"day": ["ward"]}');
CREATE FUNCTION unmasked(bytea) RETURNS bytea LANGUAGE c STRICT AS '$libdir/pegs', 'pegs_unmasked';
CREATE FUNCTION state(name text) RETURNS pegs_state LANGUAGE sql AS
$$ SELECT unmasked(b.body)::text::pegs_state FROM pegs_internal.body b JOIN pegs_internal.model m ON m.id = b.model WHERE m.name = $1 $$;
CREATE TABLE evenly (LIKE stays INCLUDING ALL);
INSERT INTO evenly SELECT s.* FROM stays AS s JOIN (SELECT pid FROM stays GROUP BY pid HAVING 64 % count(*) = 0) AS p USING (pid);
SELECT pegs_set_budget('evenly', epsilon => 10), pegs_set_unit('evenly', 'pid', weighting => 'person');
SELECT pegs_fit('sealed evenly', 'evenly', ARRAY['ward', 'day'], parents => '{"day": ["ward"]}');
SELECT is(state('sealed evenly')::text, (
	-- the same by hand, where 64 is divided by the rows of a person: each as often as another
	SELECT pegs_agg((SELECT pegs_spec('stays', ARRAY['ward', 'day'], parents => '{"day": ["ward"]}')), ward, day)::text
	FROM (SELECT *, count(*) OVER (PARTITION BY pid) AS own FROM evenly) AS a, generate_series(1, 64 / own)), 'person: 64 rows of each person, its own in turn');
SELECT is((SELECT count(*) FROM stays GROUP BY pid ORDER BY 1 DESC LIMIT 1), 100::bigint, 'person: some have more than 64 rows');
-- a sealed call pays for 64 rows of a person on counts that are 64 times as large
SELECT pegs_set_unit('stays', 'pid', 1);
SELECT pegs_fit('sealed row', 'stays', ARRAY['ward', 'day'], parents => '{"day": ["ward"]}');
SELECT pegs_set_unit('stays', 'pid', 3);
SELECT pegs_fit('sealed three', 'stays', ARRAY['ward', 'day'], parents => '{"day": ["ward"]}');
SELECT ok(abs(a.alpha / b.alpha - 1) < 0.01 AND abs(a.real_rows / b.real_rows - 1) < 0.01, 'person, sealed: alpha against persons is that of one row against rows')
FROM pegs_cost('sealed persons', 100, 1) AS a, pegs_cost('sealed row', 100, 1) AS b;
SELECT ok(bool_and(abs(c.alpha * counted / (1 / (exp(1 / (ceil(n::float8 / block) * 2 * k)) - 1)) - 1) < 1e-4), 'alpha is of all blocks begun, both columns, and all rows of a person')
FROM (VALUES ('sealed persons', 64, 64), ('sealed row', 1, 1), ('sealed three', 3, 1)) AS m (model, k, counted),
	(VALUES (1, 1), (100, 1), (6, 3), (7, 3), (8, 3), (5, 10), (1999, 1000)) AS v (n, block), pegs_cost(model, n, 1, block) AS c;
SELECT matches(in_words, ' gets \d{4,} made-up persons; a cell needs about \d{5,} real persons to outweigh them', 'in digits: ' || n) FROM (VALUES (100000), (100000000)) AS v (n), pegs_cost('sealed persons', n, 1);
SELECT matches(in_words, 'made-up persons; .* real persons to outweigh them', 'and in words') FROM pegs_cost('sealed persons', 100, 1);

---- the noise is that of one row
CREATE FUNCTION sigma(model text) RETURNS numeric LANGUAGE sql AS
$$ SELECT (pegs_describe(model) -> 'pairs' -> 0 ->> 'sigma')::numeric $$;
SELECT pegs_set_unit('stays', 'pid', 1);
SELECT pegs_fit('one of each', 'stays', ARRAY['ward', 'day'], epsilon => 20, delta => 1e-9);
SELECT pegs_set_unit('stays', 'pid', 20);
SELECT pegs_fit('twenty of each', 'stays', ARRAY['ward', 'day'], epsilon => 20, delta => 1e-9);
SELECT ok(sigma('persons') BETWEEN 0.5 * sigma('one of each') AND 2 * sigma('one of each'), 'person: the noise of one row');
SELECT ok(sigma('twenty of each') > 5 * sigma('persons'), 'row: max_rows times the noise');

---- the review's example: 5,000 persons with 1 to 10 rows, epsilon 1; bench/unit measures it, here with a wide margin
CREATE TABLE enc (pid int NOT NULL, age int NOT NULL CHECK (age IN (0,1,2,3,4,5,6,7,8,9)), ward int NOT NULL CHECK (ward IN (0,1,2,3,4,5)),
	pay int NOT NULL CHECK (pay IN (0,1,2,3,4,5,6)), sev int NOT NULL CHECK (sev IN (0,1,2,3,4)));
SELECT setseed(0.3);
INSERT INTO enc SELECT p, age, ward, (age / 3 + ward + (random() < .3)::int) % 7, (ward + (random() * 2.2)::int) % 5
FROM (SELECT p, (g * g) % 10 AS age, floor(random() * 6)::int AS ward
	FROM (SELECT p, floor(10 * random() ^ 1.5)::int AS g, 1 + p % 10 AS r FROM generate_series(1, 5000) AS p) AS x, generate_series(1, r)) AS y;
SELECT pegs_set_budget('enc', epsilon => 1000, delta => 1e-5), pegs_set_unit('enc', 'pid', weighting => 'person');
-- total variation of three pairs from the truth in which all persons weigh the same
CREATE FUNCTION distance(model text) RETURNS numeric LANGUAGE sql AS $$
WITH s AS MATERIALIZED (SELECT *, 1.0 / 20000 AS w FROM pegs_sample(model, 20000) AS t(age int, ward int, pay int, sev int)),
	r AS MATERIALIZED (SELECT *, 1.0 / count(*) OVER (PARTITION BY pid) / 5000 AS w FROM enc),
	both_of AS (SELECT age, ward, pay, sev, w FROM s UNION ALL SELECT age, ward, pay, sev, -w FROM r)
SELECT ((SELECT sum(abs(d)) FROM (SELECT sum(w) AS d FROM both_of GROUP BY age, ward) AS x)
	+ (SELECT sum(abs(d)) FROM (SELECT sum(w) AS d FROM both_of GROUP BY ward, sev) AS x)
	+ (SELECT sum(abs(d)) FROM (SELECT sum(w) AS d FROM both_of GROUP BY ward, pay) AS x)) / 6
$$;
SELECT pegs_fit('e' || i, 'enc', ARRAY['age', 'ward', 'pay', 'sev'], epsilon => 1, delta => 1e-9) FROM generate_series(1, 5) AS i;
SELECT ok((SELECT avg(distance('e' || i)) FROM generate_series(1, 5) AS i) < 0.06, 'person: mean total variation of three pairs at epsilon 1');

---- what a certificate calls public is what nothing was paid for: not parents that were chosen by the rows
SELECT pegs_fit('chosen', 'enc', ARRAY['age', 'ward']), pegs_fit('declared', 'enc', ARRAY['age', 'ward'], parents => '{"ward": ["age"]}');
SELECT results_eq($$ SELECT pegs_certificate(m) ->> 'public', pegs_certificate(m) -> 'structure_epsilon' FROM unnest(ARRAY['chosen', 'declared']) AS m $$,
	$$ VALUES ('columns, declared levels and bins, hash', '0.1'::jsonb), ('columns, declared levels and bins, parents, hash', NULL) $$, 'chosen parents are not public facts');

---- a file takes it along
SELECT pegs_import('from a file', pegs_export('persons'));
SELECT is(pegs_describe('from a file') -> k, pegs_describe('persons') -> k, 'export and import: ' || k) FROM unnest(ARRAY['unit', 'stands_for', 'rows', 'neighbours']) AS k;
-- also of a person of whom one row is read: its noise is that of one row, its guarantee is not
SELECT pegs_import('one of each, from a file', pegs_export('one of each'));
SELECT is(pegs_describe('one of each, from a file') -> k, pegs_describe('one of each') -> k, 'one row of each person, export and import: ' || k)
FROM unnest(ARRAY['unit', 'stands_for', 'rows', 'neighbours', 'record']) AS k;
SELECT is(unit, 'a person, at most 1 rows', 'and in pegs_models') FROM pegs_models WHERE name = 'one of each, from a file';
SELECT is(pegs_export('one of each, from a file'), pegs_export('one of each'), 'and from there into a file again');

---- a table has its equal in the tiny: nobody, one person
CREATE TABLE few (who int, a boolean NOT NULL);
SELECT pegs_set_unit('few', 'who', weighting => 'person'), pegs_set_budget('few', 100);
SELECT pegs_fit('nobody', 'few', ARRAY['a'], epsilon => 1);
SELECT is((SELECT count(*) FROM pegs_sample('nobody', 10) AS t(a boolean)), 10::bigint, 'person: the empty table');
INSERT INTO few VALUES (1, true), (1, true), (1, false), (NULL, true);
SELECT pegs_fit('one person', 'few', ARRAY['a'], parents => '{}');
SELECT is(state('one person')::text, (SELECT pegs_agg((SELECT pegs_spec('few', ARRAY['a'], parents => '{}')), a)::text
	FROM (SELECT true AS a FROM generate_series(1, 42 + (t = 43)::int) UNION ALL SELECT false FROM generate_series(1, 22 - (t = 43)::int)) AS x), 'person: two rows and one of 64')
FROM (SELECT CASE WHEN state('one person')::text = (SELECT pegs_agg((SELECT pegs_spec('few', ARRAY['a'], parents => '{}')), a)::text
	FROM (SELECT true AS a FROM generate_series(1, 43) UNION ALL SELECT false FROM generate_series(1, 21)) AS x) THEN 43 ELSE 42 END AS t) AS t;

---- arguments
SELECT lives_ok($$ SELECT pegs_set_unit('few', 'who', 10, weighting => 'person') $$, 'max_rows has no effect with person');
SELECT is((SELECT rows_each FROM pegs_internal.unit WHERE source = 'few'::regclass), 64, 'persons weigh the same then, too');
SELECT throws_ok($$ SELECT pegs_set_unit('few', 'who', 0, 'row') $$, '22023', 'max_rows must be between 1 and 1000', 'max_rows and weighting');
SELECT throws_ok($$ SELECT pegs_set_unit('few', 'who', weighting => 'persons') $$, '22023', 'weighting must be ''row'' or ''person''', 'another word');
SELECT throws_ok($$ SELECT pegs_set_unit('few', 'who', weighting => NULL) $$, '22023', 'weighting must be ''row'' or ''person''', 'NULL');
SELECT lives_ok($$ SELECT pegs_set_unit('few', NULL, weighting => 'person') $$, 'a NULL column goes back to rows');
SELECT is((SELECT count(*) FROM pegs_internal.unit WHERE source = 'few'::regclass), 0::bigint, 'and nothing is declared');

---- what max_rows costs: arithmetic, no table
SELECT results_eq($$ SELECT weighting, max_rows, round(noise::numeric, 3) FROM pegs_unit_cost(1) WHERE max_rows IS NULL OR max_rows IN (1, 10) $$,
	$$ VALUES ('person', NULL, 1.414), ('row', 1, 1.414), ('row', 10, 14.142) $$, 'pegs_unit_cost: pure');
SELECT ok(b.noise / a.noise BETWEEN 9.999 AND 10.001, 'pegs_unit_cost: delta') FROM pegs_unit_cost(1, 1e-9) AS a, pegs_unit_cost(1, 1e-9) AS b WHERE a.max_rows = 1 AND b.max_rows = 10;
SELECT throws_ok($$ SELECT * FROM pegs_unit_cost(NULL) $$, '22004', 'epsilon must not be null', 'pegs_unit_cost: NULL');

---- accounts that mix units
CREATE FUNCTION mixed(source regclass) RETURNS boolean LANGUAGE sql AS $$ SELECT mixed_units FROM pegs_budgets AS b WHERE b.source = $1 $$;
CREATE TABLE m1 (who int NOT NULL, a boolean NOT NULL);
SELECT pegs_set_budget('m1', 100);
SELECT pegs_fit('m1', 'm1', ARRAY['a'], epsilon => 1);
SELECT is(mixed('m1'), false, 'one unit: not mixed');
SELECT pegs_set_unit('m1', 'who');
SELECT is(mixed('m1'), true, 'declared after a charge: mixed');
SELECT pegs_drop('m1');
SELECT pegs_set_unit('m1', NULL);
SELECT is(mixed('m1'), true, 'and stays so when the model is gone');
SELECT is((SELECT string_agg(coalesce(unit, action), ', ' ORDER BY at) FROM pegs_ledger WHERE source = 'm1'::regclass), 'budget, row, unit, unit', 'the ledger: the unit of each charge');
-- a sealed model keeps the unit it was fitted with: its samples mix, whatever is declared now
CREATE TABLE m2 (who int NOT NULL, a boolean NOT NULL);
SELECT pegs_set_budget('m2', 100);
SELECT pegs_fit('of rows', 'm2', ARRAY['a'], parents => '{}');
SELECT pegs_set_unit('m2', 'who', weighting => 'person');
SELECT pegs_fit('of persons', 'm2', ARRAY['a'], parents => '{}');
SELECT count(*) FROM pegs_sample('of persons', 1, 1) AS t(a boolean);
SELECT is(mixed('m2'), false, 'a person''s sample: one unit');
SELECT count(*) FROM pegs_sample('of rows', 1, 1) AS t(a boolean);
SELECT is(mixed('m2'), true, 'and a row''s sample: mixed');
-- two kinds of person are two units, whatever was declared when
CREATE TABLE m4 (pid int NOT NULL, wid int NOT NULL, a boolean NOT NULL);
SELECT pegs_set_budget('m4', 100), pegs_set_unit('m4', 'pid');
SELECT pegs_fit('of pid', 'm4', ARRAY['a'], parents => '{}');
SELECT pegs_set_unit('m4', 'wid');
SELECT pegs_fit('of wid', 'm4', ARRAY['a'], epsilon => 1);
SELECT is(mixed('m4'), false, 'one kind of person was charged');
SELECT count(*) FROM pegs_sample('of pid', 1, 1) AS t(a boolean);
SELECT is(mixed('m4'), true, 'two kinds of person: mixed');
SELECT is((SELECT string_agg(unit, ', ' ORDER BY at) FROM pegs_ledger WHERE source = 'm4'::regclass), 'person: wid, person: pid', 'the ledger: by which column');

---- the unit is a column, not a name
CREATE TABLE renamed (pid int NOT NULL, a boolean NOT NULL, wid int);
INSERT INTO renamed SELECT i / 3, i % 2 = 0, i FROM generate_series(1, 30) AS i;
SELECT pegs_set_budget('renamed', 100), pegs_set_unit('renamed', 'pid', weighting => 'person');
SELECT pegs_fit('r1', 'renamed', ARRAY['a'], epsilon => 1);
ALTER TABLE renamed RENAME pid TO was;
SELECT throws_ok($$ SELECT pegs_fit('r2', 'renamed', ARRAY['a'], epsilon => 1) $$, '55000', 'the privacy unit of table "renamed" is no longer its column "pid"', 'renamed');
ALTER TABLE renamed RENAME a TO pid;
SELECT throws_ok($$ SELECT pegs_fit('r2', 'renamed', ARRAY['pid'], epsilon => 1) $$, '55000', 'the privacy unit of table "renamed" is no longer its column "pid"', 'another column has its name');
CREATE VIEW renamed_view AS SELECT pid, was FROM renamed;
SELECT throws_ok($$ SELECT pegs_fit('r2', 'renamed_view', ARRAY['pid'], epsilon => 1) $$, '55000', NULL, 'by a view, too');
SELECT lives_ok($$ SELECT * FROM pegs_domain('renamed') $$, 'pegs_domain can be asked');
SELECT is((SELECT spent FROM pegs_budgets WHERE source = 'renamed'::regclass), 1::numeric, 'nothing was charged');
SELECT pegs_set_unit('renamed', 'was', weighting => 'person');
SELECT lives_ok($$ SELECT pegs_fit('r2', 'renamed', ARRAY['pid'], epsilon => 1) $$, 'declared again');
ALTER TABLE renamed DROP COLUMN was CASCADE;
SELECT throws_ok($$ SELECT pegs_fit('r3', 'renamed', ARRAY['pid'], epsilon => 1) $$, '55000', NULL, 'dropped');
ALTER TABLE renamed ADD COLUMN was int;
SELECT throws_ok($$ SELECT pegs_fit('r3', 'renamed', ARRAY['pid'], epsilon => 1) $$, '55000', 'the privacy unit of table "renamed" is no longer its column "was"', 'dropped and made again');

---- the person's column is left out of a model by itself
CREATE TABLE fresh (pid int NOT NULL, a boolean NOT NULL);
SELECT pegs_set_budget('fresh', 100), pegs_set_unit('fresh', 'pid');
SELECT is(problem, 'it is the privacy unit', 'pegs_domain says so') FROM pegs_domain('fresh') WHERE column_name = 'pid';
SELECT is(remedy, NULL, 'and no remedy is needed') FROM pegs_domain('fresh') WHERE column_name = 'pid';
SELECT lives_ok($$ SELECT pegs_fit('all others', 'fresh', epsilon => 1) $$, 'a fit without columns');
SELECT is(pegs_row_type('all others'), 'a boolean', 'leaves it out');
SELECT throws_ok($$ SELECT pegs_fit('named', 'fresh', ARRAY['pid', 'a'], epsilon => 1) $$, '22023', 'column "pid" cannot be used: it is the privacy unit', 'named: an error');
-- a charge that was rolled back has no line: it may have been of any unit
CREATE TABLE m3 (who int NOT NULL, a boolean NOT NULL);
SELECT pegs_set_budget('m3', 100);
BEGIN;
SELECT pegs_set_unit('m3', 'who');
SELECT pegs_fit('gone', 'm3', ARRAY['a'], epsilon => 1);
ROLLBACK;
SELECT is(mixed('m3'), NULL, 'rolled back: not known');
SELECT * FROM finish();
