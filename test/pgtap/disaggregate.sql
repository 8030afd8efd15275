-- Values of single rows from averages of groups: fixtures, properties, refusals, whose rights count; what averages would give away.
SET client_min_messages = warning;
CREATE EXTENSION pegs;
SELECT plan(110);

CREATE TABLE five AS SELECT i AS id, i AS y, CASE WHEN i < 3 THEN 'a' ELSE 'b' END AS g, 7 AS same, NULL::text AS none FROM generate_series(1, 5) AS i;
CREATE TABLE five_averages AS SELECT g, avg(y) AS average FROM five GROUP BY g;
CREATE FUNCTION spread(method text, calibrate boolean DEFAULT true) RETURNS text LANGUAGE sql AS $$
	SELECT string_agg(trim_scale(round(estimate::numeric, 9))::text, ' ' ORDER BY id::int)
	FROM pegs_disaggregate('five', 'id', '{"from": "five_averages", "on": ["g"], "value": "average"}', ARRAY['same'], method, calibrate => $2, options => '{"classes": 2}') $$;
SELECT is(spread(m), '1.5 1.5 4 4 4', 'everybody gets the average: ' || m) FROM unnest(ARRAY['mean', 'er', 'ludia', 'cudia']) AS m;
SELECT is(spread('er', false), '3 3 3 3 3', 'a constant explains nothing');

---- y = X b without noise: er is exact
CREATE TABLE "odd t" AS SELECT i AS "the ""id", i * 37 % 101 AS x1, (i * i % 97)::numeric AS x2, (ARRAY['u', 'v', 'w', NULL])[1 + i * i % 7 % 4] AS f, i % 8 AS "g ""1", i % 8 / 4 AS top,
	i * 11 % 13 AS other, 3 + 2 * (i * 37 % 101) - 0.5 * (i * i % 97) AS y FROM generate_series(1, 400) AS i;
CREATE TABLE averages AS SELECT "g ""1"::bigint AS "g ""1", avg(y)::float8 AS "the ""mean" FROM "odd t" GROUP BY 1;
CREATE TABLE top_averages AS SELECT top, avg(y) AS average FROM "odd t" GROUP BY 1;
CREATE TABLE other_averages AS SELECT other, avg(y) AS average FROM "odd t" GROUP BY 1;
\set one '{"from": "averages", "on": ["g \\"1"], "value": "the \\"mean"}'
CREATE VIEW one AS SELECT :'one'::jsonb AS level;
CREATE VIEW three AS SELECT jsonb_build_array(level, '{"from": "top_averages", "on": ["top"], "value": "average"}'::jsonb, '{"from": "other_averages", "on": ["other"], "value": "average"}'::jsonb) AS levels FROM one;
SELECT ok((SELECT max(abs(estimate - y)) < 1e-9 FROM pegs_disaggregate('"odd t"', 'the "id', (TABLE one), ARRAY['x1', 'x2'], options => '{"ridge": 0}') AS d JOIN "odd t" AS t ON d.id = t."the ""id"::text), 'er is exact without noise');
SELECT ok((SELECT max(abs(estimate - y)) < 1e-9 FROM pegs_disaggregate('"odd t"', 'the "id', (TABLE one), ARRAY['x1', 'x2'], calibrate => false) AS d JOIN "odd t" AS t ON d.id = t."the ""id"::text), 'and with a ridge by press');
SELECT is((SELECT count(*) FROM pegs_disaggregate('"odd t"', 'the "id', (TABLE one), ARRAY['x1'])), 400::bigint, 'a row for each');

---- averages are met to 1e-12, by all methods, of one level and of three
CREATE FUNCTION missed(method text, levels jsonb) RETURNS float8 LANGUAGE sql AS $$
	WITH d AS (SELECT t.*, estimate FROM pegs_disaggregate('"odd t"', 'the "id', levels, ARRAY['x1', 'x2', 'f'], method, factors => ARRAY['f'], options => '{"classes": 3, "effects": ["x1"]}') AS d JOIN "odd t" AS t ON d.id = t."the ""id"::text),
	m AS (SELECT max(abs(a - s)) AS off, max(abs(s)) AS largest FROM (
		SELECT avg(estimate) AS a, avg(y)::float8 AS s FROM d GROUP BY "g ""1"
		UNION ALL SELECT avg(estimate), avg(y)::float8 FROM d WHERE jsonb_typeof(levels) = 'array' GROUP BY top
		UNION ALL SELECT avg(estimate), avg(y)::float8 FROM d WHERE jsonb_typeof(levels) = 'array' GROUP BY other) AS x)
	SELECT off / largest FROM m $$;
SELECT ok(missed(m, (TABLE one)) <= 1e-12, 'met: ' || m) FROM unnest(ARRAY['mean', 'er', 'ludia', 'cudia']) AS m;
SELECT ok(missed(m, (TABLE three)) <= 2e-12, 'met, three levels: ' || m) FROM unnest(ARRAY['mean', 'er', 'ludia', 'cudia']) AS m;
SELECT set_eq($$SELECT * FROM pegs_disaggregate('"odd t"', 'the "id', (TABLE one), ARRAY['x1'], 'ludia')$$, $$SELECT * FROM pegs_disaggregate('"odd t"', 'the "id', (TABLE one), ARRAY['x1'], 'ludia')$$, 'the same again');

---- one group; a group of one; nobody
CREATE TABLE whole AS SELECT 1 AS k, 10.0 AS average;
CREATE VIEW whole_five AS SELECT *, 1 AS k FROM five;
SELECT is((SELECT array_agg(DISTINCT round(estimate::numeric, 9)) FROM pegs_disaggregate('whole_five', 'id', '{"from": "whole", "on": ["k"], "value": "average"}', ARRAY['y'], m)), '{10.000000000}', 'one group: ' || m) FROM unnest(ARRAY['mean', 'er', 'ludia']) AS m;
CREATE TABLE each AS SELECT id, y * 2.5 AS average FROM five;
SELECT is((SELECT count(*) FROM pegs_disaggregate('five', 'id', '{"from": "each", "on": ["id"], "value": "average"}', ARRAY['y'], m, options => '{"classes": 3}') AS d WHERE abs(estimate - d.id::int * 2.5) > 1e-11), 0::bigint, 'groups of one: ' || m) FROM unnest(ARRAY['mean', 'er', 'ludia', 'cudia']) AS m;
CREATE TABLE nobody AS SELECT * FROM five WHERE false;
SELECT is_empty($$SELECT * FROM pegs_disaggregate('nobody', 'id', '{"from": "five_averages", "on": ["g"], "value": "average"}', ARRAY['y'])$$, 'nobody');
SELECT ok((SELECT count(*) > 3 FROM pegs_disaggregate_check('nobody', '{"from": "five_averages", "on": ["g"], "value": "average"}', ARRAY['y'])), 'and that is said');

---- NULL is a group and a level; a number that is NULL is the mean; a type with its own equality
CREATE TABLE people AS SELECT i AS id, (ARRAY['x', 'y', NULL])[1 + i % 3] AS g, CASE WHEN i % 5 > 0 THEN i::float8 END AS x, (i % 4 = 0) AS b, i % 3 + 0.0 AS n FROM generate_series(1, 60) AS i;
CREATE TABLE of_people (g varchar(9), s int8); INSERT INTO of_people VALUES ('x', 10), ('y', 20), (NULL, 30);
SELECT is((SELECT array_agg(round(estimate::numeric, 6) ORDER BY id::int) FROM pegs_disaggregate('people', 'id', '{"from": "of_people", "on": ["g"], "value": "s"}', ARRAY['x', 'b'], 'mean', ARRAY['b']) WHERE id::int < 4), '{20.000000,30.000000,10.000000}', 'NULL has its average');
SELECT lives_ok(format($$SELECT * FROM pegs_disaggregate('people', 'id', '{"from": "of_people", "on": ["g"], "value": "s"}', ARRAY['x', 'b'], %L, ARRAY['b'], options => '{"classes": 2}')$$, m)) FROM unnest(ARRAY['er', 'ludia', 'cudia']) AS m;
CREATE TABLE of_numbers (n numeric, s real); INSERT INTO of_numbers VALUES (0, 1), (1.00, 2), (2.000, 3);
SELECT is((SELECT count(estimate) FROM pegs_disaggregate('people', 'id', '{"from": "of_numbers", "on": ["n"], "value": "s"}', ARRAY['x'])), 60::bigint, '1.0 and 1.00 are one group');

---- what is refused
CREATE TABLE twice AS SELECT 1 AS id, 'a'::text AS g, 1 AS x UNION ALL SELECT 1, 'b', 2;
CREATE TABLE twice_averages AS SELECT 'a'::text AS g, 1 AS average UNION ALL SELECT 'a', 2;
CREATE TABLE dated AS SELECT 1 AS id, 'a'::text AS g, '2024-01-01'::date AS d, 'NaN'::float8 AS nan, '{}'::json AS j;
CREATE TABLE contradicting AS SELECT 'all'::text AS k, 99 AS average;
CREATE VIEW of_all AS SELECT *, 'all'::text AS k FROM five;
CREATE TABLE wrong_averages (g text, nul int, nan float8, inf numeric); INSERT INTO wrong_averages VALUES ('a', NULL, 'NaN', 'Infinity'), ('b', 1, 1, 1);
CREATE VIEW a_alone AS SELECT * FROM five_averages WHERE g = 'a';
CREATE SEQUENCE no_rows;
\set fa '{"from": "five_averages", "on": ["g"], "value": "average"}'
CREATE TABLE refused (state text, message text, statement text);
INSERT INTO refused VALUES
	('22023', 'column "id" of public.twice is not unique, or null somewhere', $$SELECT * FROM pegs_disaggregate('twice', 'id', '%1$s', ARRAY['x'])$$),
	('22023', 'some individuals are in groups without an average', $$SELECT * FROM pegs_disaggregate('five', 'id', '{"from": "a_alone", "on": ["g"], "value": "average"}', ARRAY['y'])$$),
	('22023', '"twice_averages" has two averages for one group', $$SELECT * FROM pegs_disaggregate('five', 'id', '{"from": "twice_averages", "on": ["g"], "value": "average"}', ARRAY['y'])$$),
	('22023', 'an average in column "nul" of "wrong_averages" is null, not a number, or infinite', $$SELECT * FROM pegs_disaggregate('five', 'id', '{"from": "wrong_averages", "on": ["g"], "value": "nul"}', ARRAY['y'])$$),
	('22023', 'an average in column "nan" of "wrong_averages" is null, not a number, or infinite', $$SELECT * FROM pegs_disaggregate('five', 'id', '{"from": "wrong_averages", "on": ["g"], "value": "nan"}', ARRAY['y'])$$),
	('22023', 'an average in column "inf" of "wrong_averages" is null, not a number, or infinite', $$SELECT * FROM pegs_disaggregate('five', 'id', '{"from": "wrong_averages", "on": ["g"], "value": "inf"}', ARRAY['y'])$$),
	('22023', 'the tables of averages contradict each other', $$SELECT * FROM pegs_disaggregate('of_all', 'id', '[%1$s, {"from": "contradicting", "on": ["k"], "value": "average"}]', ARRAY['y'])$$),
	('22023', 'method must be mean, er, ludia or cudia, not "guess"', $$SELECT * FROM pegs_disaggregate('five', 'id', '%1$s', ARRAY['y'], 'guess')$$),
	('22023', 'options: "colour" is not known, or has another value than it can have', $$SELECT * FROM pegs_disaggregate('five', 'id', '%1$s', ARRAY['y'], options => '{"colour": 1}')$$),
	('22023', 'options: ridge must be a number from 0 to 1e+12', $$SELECT * FROM pegs_disaggregate('five', 'id', '%1$s', ARRAY['y'], options => '{"ridge": -1}')$$),
	('22023', 'options: effects: "id" is not among the columns, or twice', $$SELECT * FROM pegs_disaggregate('five', 'id', '%1$s', ARRAY['y'], options => '{"effects": ["id"]}')$$),
	('22023', 'options: classes must be a whole number from 2 to 64', $$SELECT * FROM pegs_disaggregate('five', 'id', '%1$s', ARRAY['y'], 'cudia', options => '{"classes": 2.5}')$$),
	('22023', 'method cudia has 6 classes, and there are fewer groups', $$SELECT * FROM pegs_disaggregate('five', 'id', '%1$s', ARRAY['y'], 'cudia')$$),
	('22023', 'the columns have a rank above 64, which is too much for method ludia', $$SELECT * FROM pegs_disaggregate('"odd t"', 'the "id', (TABLE one), ARRAY['x1', 'x2'], 'ludia', ARRAY['x1'])$$),
	('22023', 'a number in a column of public.dated is infinite, or not a number', $$SELECT * FROM pegs_disaggregate('dated', 'id', '%1$s', ARRAY['nan'])$$),
	('22023', 'aggregates: there are none', $$SELECT * FROM pegs_disaggregate('five', 'id', '[]', ARRAY['y'])$$),
	('22023', 'aggregates: each needs "from", a relation; "on", its columns that make the groups; "value", the column of averages', $$SELECT * FROM pegs_disaggregate('five', 'id', '{"from": "five_averages"}', ARRAY['y'])$$),
	('22023', 'aggregates: there is no "of", or its value is of another kind', $$SELECT * FROM pegs_disaggregate('five', 'id', '{"of": 1}', ARRAY['y'])$$),
	('22004', 'aggregates must not be null', $$SELECT * FROM pegs_disaggregate('five', 'id', NULL, ARRAY['y'])$$),
	('22004', 'id must not be null', $$SELECT * FROM pegs_disaggregate('five', NULL, '%1$s', ARRAY['y'])$$),
	('22004', 'individuals must not be null', $$SELECT * FROM pegs_disaggregate(NULL, 'id', '%1$s', ARRAY['y'])$$),
	('42P01', 'relation "not there" does not exist', $$SELECT * FROM pegs_disaggregate('five', 'id', '{"from": "\"not there\"", "on": ["g"], "value": "average"}', ARRAY['y'])$$),
	('42703', 'relation "five" has no column "z"', $$SELECT * FROM pegs_disaggregate('five', 'id', '%1$s', ARRAY['z'])$$),
	('42703', 'relation "five" has no column "z"', $$SELECT * FROM pegs_disaggregate('five', 'id', '{"from": "five_averages", "on": ["z"], "value": "average"}', ARRAY['y'])$$),
	('42703', '"g" is among the factors, but not among the columns', $$SELECT * FROM pegs_disaggregate('five', 'id', '%1$s', ARRAY['y'], factors => ARRAY['g'])$$),
	('42701', 'column "y" is named twice', $$SELECT * FROM pegs_disaggregate('five', 'id', '%1$s', ARRAY['y', 'y'])$$),
	('42804', 'column "d" of relation "dated" is of type date, not a number', $$SELECT * FROM pegs_disaggregate('dated', 'id', '%1$s', ARRAY['d'])$$),
	('42804', 'column "g" of relation "five" is of type text, not a number', $$SELECT * FROM pegs_disaggregate('five', 'id', '%1$s', ARRAY['g'])$$),
	('42804', 'column "g" of relation "five_averages" is of type text, not a number', $$SELECT * FROM pegs_disaggregate('five', 'id', '{"from": "five_averages", "on": ["average"], "value": "g"}'::jsonb || '{"on": ["g"]}', ARRAY['y'])$$),
	('42804', 'column "id" is of type integer in one relation and of type text in the other', $$SELECT * FROM pegs_disaggregate('five', 'id', '{"from": "text_ids", "on": ["id"], "value": "average"}', ARRAY['y'])$$),
	('42804', 'values of type json cannot be told apart', $$SELECT * FROM pegs_disaggregate('dated', 'j', '%1$s', ARRAY['id'])$$),
	('42809', '"no_rows" has no rows to read', $$SELECT * FROM pegs_disaggregate('no_rows', 'id', '%1$s', ARRAY['y'])$$),
	('54000', 'the columns have more than 4096 terms', $$SELECT * FROM pegs_disaggregate('many', 'id', '{"from": "whole", "on": ["k"], "value": "average"}', ARRAY['id'], factors => ARRAY['id'])$$);
CREATE TABLE text_ids AS SELECT 'a'::text AS id, 1 AS average;
CREATE TABLE many AS SELECT i AS id, 1 AS k FROM generate_series(1, 4097) AS i;
SELECT throws_ok(format(statement, :'fa'), state, message) FROM refused;
SELECT is((SELECT count(*) - count(estimate) FROM pegs_disaggregate('five', 'id', '{"from": "a_alone", "on": ["g"], "value": "average"}', ARRAY['y'], options => '{"missing": "skip"}')), 3::bigint, 'skipped: no estimate');
SELECT lives_ok(format($$SELECT * FROM pegs_disaggregate('of_all', 'id', '[%s, {"from": "contradicting", "on": ["k"], "value": "average"}]', ARRAY['y'], calibrate => false)$$, :'fa'), 'contradictions are borne without calibration');

---- what can be said beforehand
SELECT results_eq($$SELECT method, measure, round(value::numeric, 6) FROM pegs_disaggregate_check('five', '{"from": "five_averages", "on": ["g"], "value": "average"}', ARRAY['same'])$$,
	$$VALUES (NULL, 'individuals', 5.0), (NULL, 'individuals without an average', 0), (NULL, 'groups', 2), (NULL, 'groups without individuals', 0), (NULL, 'smallest group', 2), (NULL, 'largest group', 3),
	(NULL, 'terms', 1), (NULL, 'rank of the group means', 0), ('mean', 'press', 2.5), ('er', 'press', 2.5),
	('mean', 'spread between groups', 1.224745), ('er', 'spread within groups', 0)$$, 'by hand');
SELECT is((SELECT round(value::numeric, 6) FROM pegs_disaggregate_check('five', '{"from": "five_averages", "on": ["g"], "value": "average"}', ARRAY['y'], options => '{"ridge": 0}') WHERE measure = 'spread within groups'), 0.707107, 'the values themselves, without their groups'' means');
SELECT ok((SELECT value < 1e-6 FROM pegs_disaggregate_check('"odd t"', (TABLE one), ARRAY['x1', 'x2']) WHERE method = 'er' AND measure = 'press'), 'what is exact is foretold');

-- each value of a column that is no number is a term: of 600 dates it is said at once, of 100 ludia alone is not asked
CREATE TABLE days AS SELECT '2024-01-01'::date + i % 600 AS day, '2024-01-01'::date + i % 100 AS few, i % 7 AS g, i % 11 AS y FROM generate_series(1, 1200) AS i;
SELECT throws_ok($$SELECT * FROM pegs_reconstruct('days', 'y', '["g"]', ARRAY['day'])$$, '54000', NULL, 'too many terms to be tried');
CREATE TABLE crowd AS SELECT i AS id, i % 4096 AS kind, 1 AS k, 1 AS y FROM generate_series(1, 65537) AS i;
SELECT throws_ok($$SELECT * FROM pegs_disaggregate_check('crowd', '{"from": "whole", "on": ["k"], "value": "average"}', ARRAY['kind'], ARRAY['kind'])$$, '54000', 'there are too many individuals for so many terms');
SELECT is((SELECT string_agg(method || ' ' || (value IS NULL), ', ' ORDER BY method) FROM pegs_reconstruct('days', 'y', '["g"]', ARRAY['few']) WHERE measure = 'r2'), 'er false, ludia true, mean false', 'ludia has too many terms: NULL');

---- rights: the caller's, and no others; row security as he sees it; nothing is charged or kept
CREATE ROLE guesser; GRANT USAGE ON SCHEMA public TO guesser;
CREATE FUNCTION as_guesser(statement text) RETURNS text LANGUAGE plpgsql AS $$ DECLARE n bigint; state text;
	BEGIN SET LOCAL ROLE guesser; EXECUTE 'SELECT count(*) FROM (' || statement || ') AS x' INTO n; RESET ROLE; RETURN n; EXCEPTION WHEN OTHERS THEN GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE; RESET ROLE; RETURN state; END $$;
\set ask 'SELECT * FROM public.pegs_disaggregate(''public.five'', ''id'', ''{"from": "public.five_averages", "on": ["g"], "value": "average"}'', ARRAY[''y''], ''mean'')'
SELECT is(as_guesser(:'ask'), '42501', 'neither table');
GRANT SELECT ON five TO guesser;
SELECT is(as_guesser(:'ask'), '42501', 'one of the two');
GRANT SELECT ON five_averages TO guesser;
SELECT is(as_guesser(:'ask'), '5', 'SELECT is enough');
REVOKE SELECT ON five FROM guesser; GRANT SELECT (id, g, y) ON five TO guesser;
SELECT is(as_guesser(:'ask'), '5', 'SELECT on its columns, too');
CREATE VIEW seen AS SELECT * FROM five; REVOKE ALL ON five FROM guesser; GRANT SELECT ON seen TO guesser;
SELECT is(as_guesser(replace(:'ask', 'public.five''', 'public.seen''')), '5', 'a view of somebody else''s');
GRANT SELECT ON five TO guesser; ALTER TABLE five ENABLE ROW LEVEL SECURITY; CREATE POLICY few ON five FOR SELECT TO guesser USING (id <> 2);
SELECT is(as_guesser(:'ask'), '4', 'row security is his');
ALTER TABLE five DISABLE ROW LEVEL SECURITY;
SELECT is(as_guesser('SELECT * FROM public.pegs_reconstruct(''public.five'', ''y'', ''["g"]'')'), '42501', 'no curator');
GRANT EXECUTE ON FUNCTION pegs_reconstruct(regclass, name, jsonb, name[], text[]) TO guesser;
SELECT is(as_guesser('SELECT * FROM public.pegs_reconstruct(''public.five'', ''y'', ''["g"]'')'), '42501', 'nor by EXECUTE');

---- what averages would give away
SELECT results_eq($$SELECT method, measure, round(value::numeric, 6), guarantee FROM pegs_reconstruct('five', 'y', '["g"]', ARRAY['same'], ARRAY['mean'])$$,
	$$VALUES (NULL, 'rows', 5.0, 'none'), (NULL, 'exact', 0, 'none'), (NULL, 'smallest_group', 2, 'none'), ('mean', 'mae', 0.6, 'none'), ('mean', 'mse', 0.5, 'none'), ('mean', 'r2', 0.75, 'none'), ('mean', 'within_10', 0.2, 'none')$$, 'by hand');
SELECT is((SELECT array_agg(value ORDER BY method) FROM pegs_reconstruct('five', 'y', '["id"]', ARRAY['same']) WHERE measure IN ('exact', 'r2')), '{1,1,1,5}', 'groups of one are exact, whatever the method');
SELECT is((SELECT value FROM pegs_reconstruct('five', 'y', '[["g"], ["id"]]', ARRAY['same']) WHERE measure = 'exact'), 5::float8, 'in any of the tables');
SELECT is((SELECT value FROM pegs_reconstruct('five', 'y', '[["g"], ["id"]]', ARRAY['same']) WHERE measure = 'smallest_group'), 1::float8, 'the smallest group of all of them');
CREATE TABLE debts AS SELECT unnest('{-100, -109}'::int[]) AS y, 1 AS g, 7 AS same;
SELECT is((SELECT value FROM pegs_reconstruct('debts', 'y', '["g"]', ARRAY['same'], ARRAY['mean']) WHERE measure = 'within_10'), 1::float8, 'within a tenth of the value, which may be below zero');
SELECT ok((SELECT value IS NULL FROM pegs_reconstruct('debts', 'same', '["g"]', ARRAY['y'], ARRAY['mean']) WHERE measure = 'r2'), 'of values that are all the same there is nothing to explain');
SELECT ok((SELECT value > 1 - 1e-9 FROM pegs_reconstruct('"odd t"', 'y', '["g \"1"]', ARRAY['x1', 'x2']) WHERE measure = 'r2' AND method = 'er'), 'columns that explain everything give everything');
SELECT is((SELECT count(*) FROM pegs_reconstruct('"odd t"', 'y', '[["g \"1"], ["top"], ["other"]]', ARRAY['x1', 'f'], ARRAY['mean', 'er', 'ludia', 'cudia'])), 19::bigint, 'what is no number is a factor');
SELECT is((SELECT value FROM pegs_reconstruct('people', 'x', '["g"]') WHERE measure = 'rows'), 48::float8, 'no value, no row');
SELECT is((SELECT count(*) FROM pegs_reconstruct('nobody', 'y', '["g"]')), 3::bigint, 'nobody');
SELECT throws_ok(format($$SELECT * FROM pegs_reconstruct('five', 'y', %L)$$, g), '22023', 'groups must be an array of columns, or an array of such arrays, at most 16') FROM unnest(ARRAY['[]', '{}', '"g"', '[1]', '[[]]', '["g", ["id"]]', '[["g"], "id"]', '[[["g"]]]']) AS g;
SELECT throws_ok($$SELECT * FROM pegs_reconstruct('five', 'y', '["z"]')$$, '42703', 'public.five has no column "z"');
SELECT throws_ok($$SELECT * FROM pegs_reconstruct('five', 'g', '["g"]')$$, '42804');
SELECT throws_ok($$SELECT * FROM pegs_reconstruct('five', NULL, '["g"]')$$, '22004', 'value must not be null');
SELECT throws_ok($$SELECT * FROM pegs_reconstruct('five', 'y', NULL)$$, '22004', 'groups must not be null');
SELECT throws_ok($$SELECT * FROM pegs_reconstruct('five', 'y', '["g"]', methods => ARRAY['x'])$$, '22023');
---- names that are too long: said in whole characters, and not a megabyte of them
SELECT throws_ok(format($$SELECT * FROM pegs_reconstruct('five', 'y', %L)$$, jsonb_build_array('x' || repeat('é', 40))), '42703', 'public.five has no column "x' || repeat('é', 40) || '"');
SELECT throws_ok(format($$SELECT * FROM pegs_disaggregate('five', 'id', %L)$$, '{"from": "five_averages", "on": ["x' || repeat('é', 40) || '"], "value": "average"}'), '42703', 'relation "five" has no column "x' || repeat('é', 40) || '"');
SELECT throws_ok(format($$SELECT * FROM pegs_disaggregate('five', 'id', %L)$$, '{"from": "five_averages", "on": ["g"], "value": "x' || repeat('é', 9000) || '"}'), '42703', 'relation "five_averages" has no column "x' || repeat('é', 63) || '"');
SELECT throws_ok(format($$SELECT * FROM pegs_disaggregate('five', 'id', '{"from": "five_averages", "on": ["g"], "value": "average"}', ARRAY['same'], options => %L)$$, '{"effects": ["x' || repeat('é', 40) || '"]}'), '22023', 'options: effects: "x' || repeat('é', 40) || '" is not among the columns, or twice');
SELECT is((SELECT count(*) FROM pegs_ledger), 0::bigint, 'nothing is charged');
SELECT pegs_set_budget('five', 1), pegs_set_budget('five_averages', 1);
SELECT count(*) FROM pegs_reconstruct('five', 'y', '["g"]', ARRAY['same'], ARRAY['mean', 'er', 'ludia']), pegs_disaggregate_check('five', '{"from": "five_averages", "on": ["g"], "value": "average"}', ARRAY['same']),
	pegs_disaggregate('five', 'id', '{"from": "five_averages", "on": ["g"], "value": "average"}', ARRAY['same']) \g /dev/null
SELECT results_eq('SELECT spent, uncovered FROM pegs_budgets', 'VALUES (0::numeric, false), (0, false)', 'nor where there is a budget, nor is the account marked');
SELECT is((SELECT count(*) FROM pegs_ledger), 2::bigint, 'the ledger has the two budgets alone');
SELECT * FROM finish();
