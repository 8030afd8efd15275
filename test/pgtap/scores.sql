-- Scores: fitted, made of a model, asked of rows and of objects, as a card, as plain SQL, measured, given away, refused.
SET client_min_messages = warning;
CREATE EXTENSION pegs;
SELECT plan(296);

CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');
CREATE TABLE "odd t" AS SELECT i % 90 AS age, (ARRAY['a', 'b', 'it''s', NULL])[1 + i % 4] AS "odd ""name", (ARRAY['sad', 'ok', 'happy'])[1 + i / 5 % 3]::mood AS m,
	'2024-01-01'::date + i % 300 AS d, i % 1000 / 100.0 AS x, i % 90 + i % 4 * 10 + i * 31 % 50 > 75 AS back FROM generate_series(1, 4000) AS i;
SELECT pegs_set_bins('"odd t"', 'age', low => 0, high => 80, bins => 8, undeclared => 'nearest');
SELECT pegs_set_bins('"odd t"', 'x', ARRAY[0, 2, 4, 10], points => '{3, 0}');
SELECT pegs_set_bins('"odd t"', 'd', low => '2024-01-01', high => '2024-12-31', bins => 4);
SELECT pegs_set_levels('"odd t"', 'odd "name', ARRAY['a', 'it''s', 'rest'], other => 'rest');
SELECT pegs_set_budget('"odd t"', 2000, delta => 1e-6, accounting => 'sum');
CREATE FUNCTION spent() RETURNS numeric LANGUAGE sql AS $$ SELECT spent FROM pegs_budgets WHERE source = '"odd t"'::regclass $$;
CREATE FUNCTION hint_of(statement text) RETURNS text LANGUAGE plpgsql AS $$ DECLARE hint text; BEGIN EXECUTE statement; EXCEPTION WHEN OTHERS THEN GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT; RETURN hint; END $$;
CREATE ROLE scores_reader;

---- fitted
SELECT lives_ok($$SELECT pegs_score_fit('s', '"odd t"', 'back', ARRAY['true'], epsilon => 1, delta => 1e-9)$$);
SELECT is(spent(), 1::numeric, 'paid for');
SELECT is((SELECT concat_ws(' ', kind, guarantee, epsilon, delta) FROM pegs_models WHERE name = 's'), 'score differential privacy 1 0.000000001', 'it is a score');
SELECT is(pegs_describe('s') ->> 'kind', 'score', 'and says so');
SELECT is(pegs_describe('s') #>> '{spec,options,positive,back,0}', 'true', 'and of what');
SELECT alike(pegs_certificate_text('s'), '%what is left to explain%', 'its certificate');
SELECT alike(pegs_certificate_text('s'), '%; scores are post-processing%', 'which speaks of scores');
SELECT alike(pegs_certificate_text('s'), '%options:     {"positive": {"back": ["true"]}}%', 'and says of what it is one');
SELECT alike(pegs_summary('s'), '%<dt>options</dt><dd>%positive%back%true%', 'as its summary does');
SELECT alike((SELECT in_words FROM pegs_cost('s')), '%any number of scores is free.%', 'and so does what it costs');
SELECT alike(pegs_summary('s'), '%Summary of a score model</p>%What are the scores for%', 'and its summary');
SELECT is((SELECT holds FROM pegs_audit('s', 100)), true, 'audited');
SELECT ok((SELECT value > 0.9 FROM pegs_score_quality('s', '"odd t"') WHERE measure = 'AUC'), 'it is good');
SELECT lives_ok($$SELECT pegs_score_fit('pure', '"odd t"', 'back', ARRAY['false'], epsilon => 2, features => ARRAY['age', 'odd "name'])$$);
SELECT is((SELECT holds FROM pegs_audit('pure', 100)), true, 'audited, without delta');
SELECT is((SELECT array_agg(DISTINCT column_name ORDER BY column_name) FROM pegs_score_card('pure')), ARRAY['age', 'odd "name', NULL]::name[], 'of these features');
SELECT ok(abs(corr(pegs_score('s', t), pegs_score('pure', t)) + 1) < 0.3, 'what is positive is not, and the other way round') FROM "odd t" AS t;

---- of a model
SELECT lives_ok($$SELECT pegs_fit('p', '"odd t"', epsilon => 1, delta => 1e-9)$$);
CREATE TABLE before AS SELECT spent();
SELECT lives_ok($$SELECT pegs_score_fit_of('of p', 'p', 'back', ARRAY['true'])$$);
SELECT is(spent(), (SELECT * FROM before), 'for free');
SELECT is((SELECT concat_ws(' ', kind, epsilon, delta, counts) FROM pegs_models WHERE name = 'of p'), $$score 1 0.000000001 rows of model 'p'$$, 'with the guarantee of the model');
SELECT is(pegs_describe('of p') ->> 'spent', '0', 'it has spent nothing itself');
SELECT ok((SELECT value > 0.85 FROM pegs_score_quality('of p', '"odd t"') WHERE measure = 'AUC'), 'it is good, too');
SELECT throws_ok($$SELECT pegs_refit('of p')$$, '42809', $$score "of p" was made of rows of model 'p': there is nothing to be fitted anew$$);
SELECT throws_ok($$SELECT * FROM pegs_audit('of p', 100)$$, '42809', $$score "of p" was made of rows of model 'p': nothing was spent on it$$);
SELECT throws_ok($$SELECT pegs_score_fit_of('x', 's', 'back', ARRAY['true'])$$, '42809', 'model "s" is a score: it has no rows');
SELECT throws_ok($$SELECT pegs_score_fit_of('p', 'p', 'back', ARRAY['true'])$$, '42710', 'model or release "p" already exists');
SELECT throws_ok($$SELECT pegs_score_fit_of('x', 'p', 'gone', ARRAY['true'])$$, '42703');
SELECT throws_ok($$SELECT pegs_score_fit_of('x', 'p', 'gone', ARRAY['true'], features => ARRAY['age'])$$, '22023', 'column "gone" is not in model "p"');
SELECT pegs_fit('sealed', '"odd t"', ARRAY['age', 'back'], parents => '{}');
SELECT throws_ok($$SELECT pegs_score_fit_of('x', 'sealed', 'back', ARRAY['true'])$$, '42809', 'model "sealed" is sealed: a score of it would have to be paid for');
SELECT lives_ok($$SELECT pegs_score_fit_of('one', 'p', 'm', ARRAY['happy', 'ok'], features => ARRAY['age'])$$);
SELECT is((SELECT array_agg(DISTINCT column_name) FROM pegs_score_card('one')), ARRAY['age', NULL]::name[], 'of one feature, and a target that has an order');

---- what was charged before it, and what cannot be said of it
CREATE TABLE lt AS SELECT i % 9 AS a, 'w' || i % 3 AS w, i % 9 > 4 AS back FROM generate_series(1, 3000) AS i;
SELECT pegs_set_bins('lt', 'a', low => 0, high => 9, bins => 3);
SELECT pegs_set_budget('lt', 100, delta => 1e-3, accounting => 'sum');
SELECT pegs_learn_levels('lt', 'w', epsilon => 1, delta => 1e-6);
SELECT pegs_fit('lp', 'lt', epsilon => 1, delta => 1e-9);
SELECT pegs_fit('lq', 'lt', epsilon => 1, delta => 1e-9);
SELECT pegs_score_fit_of('of lp', 'lp', 'back', ARRAY['true'], features => ARRAY['a']);
SELECT is(pegs_describe('of lp') - 'spec' @> '{"domain_epsilon": 1, "domain_delta": 0.000001}', true, 'what was learnt for the model is told, whichever columns the score has');
SELECT is(pegs_describe('of lp') ->> 'public', pegs_describe('lp') ->> 'public' || ', options', 'and that levels were');
SELECT pegs_best('lt', ARRAY['lp', 'lq'], 0.5);
SELECT is(pegs_describe('of lp') - 'spec' @> '{"choice_epsilon": 0.5, "domain_epsilon": 1}', true, 'a choice of the model that comes after the score');
SELECT alike(pegs_certificate_text('of lp'), '%epsilon 0.5, charged besides, for comparing the model that it was made of with the rows, among 2 by pegs_best%', 'its certificate says so');
SELECT alike(pegs_describe('lp') ->> 'choice', '%for comparing it with the rows, among 2 by%', 'as that of the model does');
SELECT pegs_score_fit_of('of chosen', 'lp', 'back', ARRAY['true']);
SELECT is(pegs_describe('of chosen') ? 'choice', false, 'a choice before it is told once');
SELECT is((pegs_describe('of chosen') ->> 'domain_epsilon')::numeric, 1.5, 'so is the choice of the model');
SELECT alike(pegs_describe('of chosen') ->> 'domain', '%for choosing the model that it was made of%', 'in words');
SELECT pegs_refit('lp');
SELECT pegs_score_fit_of('of another fit', 'lp', 'back', ARRAY['true']);
SELECT pegs_best('lt', ARRAY['lp', 'lq'], 0.25);
SELECT is((SELECT string_agg(coalesce(pegs_describe(n) ->> 'choice_epsilon', 'none'), ' ' ORDER BY n) FROM unnest(ARRAY['of another fit', 'of chosen', 'of lp']) AS n), '0.25 none 0.5', 'of the fit that it was made of');
SELECT pegs_drop('lp');
SELECT is(pegs_describe('of lp') ->> 'choice_epsilon', '0.5', 'though the model is gone');
SELECT pegs_fit('lu', 'lt', epsilon => 1, delta => 1e-9, method => 'table', options => '{"noise": "dirichlet", "rows": 1000}');
SELECT pegs_score_fit_of('of urns', 'lu', 'back', ARRAY['true']);
SELECT is((SELECT count(*) FROM unnest(ARRAY['lu', 'of urns', 'of lp']) AS n WHERE pegs_describe(n) ? 'rho'), 0::bigint, 'urns with delta have no rho, nor has what is made of a model one of its own');
SELECT unalike(pegs_describe('of urns') ->> 'accounting', '%zCDP%', 'and none is told');

---- a row
SELECT is(pegs_score('s', t), pegs_score('s', to_jsonb(t)), 'a row and an object say the same') FROM "odd t" AS t LIMIT 5;
SELECT is(pegs_score('s', t), pegs_score('s', ROW(t.*)::"odd t"), 'columns are found by name') FROM "odd t" AS t LIMIT 1;
SELECT is(pegs_score('s', x), pegs_score('s', '{"age": 30, "m": "ok"}'::jsonb), 'others are ignored, some are not there') FROM (SELECT 'z'::text AS other, 30 AS age, 'ok'::mood AS m) AS x;
SELECT is(pegs_score('s', '{"age": 30, "M": "ok", "name": "z"}'::jsonb), pegs_score('s', '{"age": 30}'::jsonb), 'so are they in an object, misspelt ones among them');
SELECT is((SELECT string_agg(column_name, ',') FROM pegs_score_explain('s', '{"age": 30, "M": "ok"}'::jsonb)), 'age', 'which names counted is told');
SELECT is(pegs_score('s', '{"age": 3000}'::jsonb), pegs_score('s', '{"age": 80}'::jsonb), 'the nearest bin');
SELECT is(pegs_score('s', '{"odd \"name": "what"}'::jsonb), pegs_score('s', '{"odd \"name": "rest"}'::jsonb), 'the level for others');
SELECT is(pegs_score('s', '{"x": 11}'::jsonb), pegs_score('s', '{}'::jsonb), 'what is not declared adds nothing');
SELECT is(pegs_score('s', '{"x": "NaN", "age": null, "back": true}'::jsonb) - pegs_score('s', '{"age": null}'::jsonb), 0::double precision, 'nor does NaN, nor the target');
SELECT ok(pegs_score('s', NULL::jsonb) IS NULL, 'NULL of nothing');
SELECT ok(pegs_score('s', NULL::"odd t") IS NULL, 'NULL of no row');
SELECT throws_ok($$SELECT pegs_score(NULL, '{}'::jsonb)$$, '22004', 'model must not be null');
SELECT throws_ok($$SELECT pegs_score('gone', '{}'::jsonb)$$, '42704', 'there is no model or release "gone", or it is not granted to you');
SELECT throws_ok($$SELECT pegs_score('p', '{}'::jsonb)$$, '42809', 'model "p" is no score');
SELECT throws_ok($$SELECT pegs_score('s', '[1]'::jsonb)$$, '22023', 'features must be a row, or a JSON object of columns and values');
SELECT throws_ok($$SELECT pegs_score('s', '{"age": [1]}'::jsonb)$$, '22023', 'the value of column "age" must be a string, a number, true, false or null');
SELECT throws_ok($$SELECT pegs_score('s', '{"age": "old"}'::jsonb)$$, '22P02');
SELECT throws_ok($$SELECT pegs_score('s', x) FROM (SELECT 3::bigint AS age) AS x$$, '42804', 'column "age" is of type bigint, and score "s" was made of integer');
SELECT throws_ok($$SELECT pegs_score('s', 5)$$, '42883');
SELECT throws_ok($$SELECT pegs_score('s', '{"age": 30}')$$, '42725', NULL, 'a literal needs its cast, as the reference and the COMMENT say');
SELECT is((SELECT count(DISTINCT s) FROM (SELECT pegs_score(n, '{"age": 30}'::jsonb) AS s FROM unnest(ARRAY['s', 'of p', 's']) AS n) AS q), 2::bigint, 'another score in the same query');
-- the average of rows is that of the table
SELECT ok(abs(avg(pegs_score('s', t)) - avg(back::int)) < 0.05, 'calibrated on the whole') FROM "odd t" AS t;

---- the card
SELECT is((SELECT count(*) FROM pegs_score_card('s')), 1 + 9 + 4 + 6 + 5 + 4::bigint, 'a line each level, and one for the intercept');
SELECT is((SELECT column_name FROM pegs_score_card('s') LIMIT 1), NULL, 'the intercept first');
SELECT ok((SELECT bool_and(noise >= 0 AND noise < 3) FROM pegs_score_card('s')), 'with what noise there is');
SELECT ok((SELECT bool_and(noise = 0) FROM pegs_score_card('of p')), 'none of its own, where it was made of a model');
SELECT is(1 / (1 + exp(-sum(points))), pegs_score('s', '{"age": 30, "m": "ok", "x": 3, "d": "2024-05-01", "odd \"name": null}'::jsonb), 'a score is what its lines are together')
FROM pegs_score_explain('s', '{"age": 30, "m": "ok", "x": 3, "d": "2024-05-01", "odd \"name": null}'::jsonb);
SELECT is((SELECT string_agg(concat_ws(' ', column_name, level), ', ') FROM pegs_score_explain('s', '{"age": 30, "m": "ok", "x": 3, "odd \"name": "?"}'::jsonb)), ', age [30, 40), odd "name rest, m ok, x 3', 'what a row is told of');
SELECT is((SELECT count(*) FROM "odd t" AS t, pegs_score_explain('s', t)), 4000 * 6::bigint, 'of rows');
SELECT is_empty($$SELECT * FROM pegs_score_explain('s', NULL::jsonb)$$);

---- of trees: neighbouring bins are said as one
SELECT pegs_score_fit('f', '"odd t"', 'back', ARRAY['true'], features => ARRAY['age', 'x'], epsilon => 100, delta => 1e-9, method => 'forest', options => '{"trees": 4, "depth": 2}');
UPDATE before SET spent = spent();
SELECT ok((SELECT count(*) FROM pegs_score_card('f') WHERE level LIKE '% and %') >= 16, 'a rule a line');
SELECT is_empty($$SELECT level FROM pegs_score_card('f') WHERE level ~ '(\d+)\), \[\1,'$$);
SELECT is((SELECT count(*) FROM pegs_score_card('f') WHERE level ~ 'age in \(\[0, \d+\)\)'), (SELECT count(*) FROM pegs_score_card('f') WHERE level ~ 'age in \(\[0, '), 'from the first edge to the last');

---- plain SQL
DO $$ BEGIN EXECUTE pegs_score_sql('s', 'My "score"'); EXECUTE pegs_score_sql('of p', 'plain'); END $$;
CREATE TABLE wild AS SELECT CASE WHEN i % 7 > 0 THEN age * 3 - 100 END AS age, "odd ""name" || CASE i % 5 WHEN 0 THEN 'z' ELSE '' END AS "odd ""name", nullif(m, 'sad') AS m, d + i % 100 AS d,
	CASE WHEN i % 11 = 0 THEN 'NaN' WHEN i % 13 = 0 THEN 'Infinity' WHEN i % 3 = 0 THEN (i % 5)::numeric ELSE x * 2 - 3 END AS x FROM (SELECT *, (row_number() OVER ())::int AS i FROM "odd t") AS t;
SELECT is((SELECT count(*) FROM wild AS w WHERE pegs_score('s', w) = "My ""score"""(age, "odd ""name", m, d, x)), 4000::bigint, 'the same to the last digit');
SELECT is((SELECT count(*) FROM wild AS w WHERE pegs_score('of p', w) = plain(x => x, d => d, age => age, m => m, "odd ""name" => "odd ""name")), 4000::bigint, 'by names, too');
SELECT is("My ""score"""(), pegs_score('s', '{"age": null, "odd \"name": null, "m": null, "d": null, "x": null}'::jsonb), 'what is left out is NULL');
SELECT is((SELECT concat_ws(' ', provolatile, proparallel) FROM pg_proc WHERE proname = 'plain'), 'i s', 'immutable and parallel safe');
SELECT is((SELECT count(*) FROM pg_depend WHERE objid = 'plain'::regproc AND refclassid = 'pg_proc'::regclass), 0::bigint, 'it needs no pegs');
SELECT alike(pegs_score_sql('s', 'public.f'), 'CREATE FUNCTION public.f(%', 'in a schema');
SELECT throws_ok($$SELECT pegs_score_sql('s', NULL)$$, '22004', 'function_name must not be null');
-- parts of times are no columns of a row: refused, and what the hint says helps
CREATE TABLE clock AS SELECT '2026-01-01'::timestamp + i * interval '7 hours' AS t, i % 3 = 0 AS a, i % 24 > 12 AS y FROM generate_series(1, 1000) AS i;
SELECT pegs_set_bins('clock', 't', low => '2026-01-01', high => '2026-12-31', bins => 4, parts => '{date, hour}'), pegs_set_budget('clock', 10);
SELECT pegs_score_fit('clock', 'clock', 'y', ARRAY['true'], epsilon => 1), pegs_score_fit('no clock', 'clock', 'y', ARRAY['true'], features => ARRAY['a'], epsilon => 1);
SELECT is((SELECT count(*) FROM clock AS x WHERE pegs_score('clock', x) BETWEEN 0 AND 1), 1000::bigint, 'parts of times: pegs_score takes them');
SELECT throws_ok($$SELECT pegs_score_sql('clock', 'f')$$, '0A000', 'score "clock" looks at parts of times, which plain SQL is not written for');
SELECT is(hint_of($$SELECT pegs_score_sql('clock', 'f')$$), 'Use pegs_score; or make a score without these columns: features => ARRAY[...].');
DO $$ BEGIN EXECUTE pegs_score_sql('no clock', 'no_clock'); END $$;
SELECT is((SELECT count(*) FROM clock AS x WHERE pegs_score('no clock', x) = no_clock(a)), 1000::bigint, 'without them it is written');
SELECT throws_ok($$SELECT pegs_score_fit('of time', 'clock', 'y', ARRAY['true'], features => ARRAY['rented'], epsilon => 1)$$, '42703', NULL, 'no feature that is not there');

-- a number that is counted in the nearest bin; NaN is in none
CREATE TABLE near AS SELECT (i % 10)::float8 AS f, i % 10 > 4 AS y FROM generate_series(1, 1000) AS i;
SELECT pegs_set_bins('near', 'f', low => 2, high => 8, bins => 3, undeclared => 'nearest'), pegs_set_budget('near', 10);
SELECT pegs_score_fit('near', 'near', 'y', ARRAY['true'], epsilon => 10);
DO $$ BEGIN EXECUTE pegs_score_sql('near', 'near_score'); END $$;
SELECT is(near_score(f), pegs_score('near', x), format('%s: the same', f)) FROM (SELECT unnest('{NaN, Infinity, -Infinity, -0, 2, 8, 8.5, NULL}'::float8[]) AS f) AS x;
SELECT is(near_score('NaN') = near_score('Infinity'), false, 'and NaN has no bin');

-- what is outside all bins has the level of the nearest edge, which may be a point; a point may be outside
CREATE TABLE far AS SELECT (i % 10)::float8 AS f, (ARRAY['ab', 'c'])[1 + i % 2]::char(3) AS c, i % 10 > 4 AS y FROM generate_series(1, 1000) AS i;
SELECT pegs_set_bins('far', 'f', ARRAY[1, 4, 8], undeclared => 'nearest', points => '{1, 8, 9}');
SELECT pegs_set_levels('far', 'c', ARRAY['ab', 'c']);
SELECT pegs_set_budget('far', 10);
SELECT pegs_score_fit('far', 'far', 'y', ARRAY['true'], epsilon => 10);
DO $$ BEGIN EXECUTE pegs_score_sql('far', 'far_score'); END $$;
SELECT is(far_score(f), pegs_score('far', x), format('%s: the same', f)) FROM (SELECT unnest('{NaN, Infinity, -Infinity, 0, 1, 2, 7, 8, 8.5, 9, NULL}'::float8[]) AS f, NULL::char(3) AS c) AS x;
SELECT is(far_score(c => c), pegs_score('far', x), format('%s: the same', c)) FROM (SELECT NULL::float8 AS f, unnest('{ab,c,a,abc}'::char(3)[]) AS c) AS x;

-- values wider than the column's: a row, an object, plain SQL and the measures take them as they are
CREATE TABLE narrow AS SELECT (i % 100 / 10.0)::numeric(4, 1) AS n, (ARRAY['ab', 'cd'])[1 + i % 2]::varchar(2) AS v, ('2026-01-01'::timestamp + i * interval '1 hour')::timestamp(0) AS t, i % 100 > 50 AS y FROM generate_series(1, 1000) AS i;
SELECT pegs_set_bins('narrow', 'n', ARRAY[0, 5, 10]), pegs_set_levels('narrow', 'v', ARRAY['ab', 'cd']), pegs_set_bins('narrow', 't', low => '2026-01-01', high => '2026-03-01', bins => 2), pegs_set_budget('narrow', 10);
SELECT pegs_score_fit('narrow', 'narrow', 'y', ARRAY['true'], epsilon => 10);
DO $$ BEGIN EXECUTE pegs_score_sql('narrow', 'narrow_score'); END $$;
CREATE TABLE wider AS SELECT * FROM (VALUES (1, 4.96, 'ab', '2026-01-30 11:59:59.7'::timestamp, true), (2, 4.94, 'abc', NULL, false), (3, 123456, 'cdx', '2026-01-30 12:00:00.2', true)) AS v (id, n, v, t, y);
SELECT is(pegs_score('narrow', to_jsonb(w)), pegs_score('narrow', w), format('%s: a row and an object say the same of what is wider', id)) FROM wider AS w ORDER BY id;
SELECT is(narrow_score(n, v, t), pegs_score('narrow', w), format('%s: and so does plain SQL', id)) FROM wider AS w ORDER BY id;
SELECT is((SELECT value FROM pegs_score_quality('narrow', 'wider') WHERE measure = 'Brier score')::numeric(12, 9), avg((pegs_score('narrow', w) - y::int) ^ 2)::numeric(12, 9), 'and the measures: nothing is cut or rounded') FROM wider AS w;
SELECT throws_ok($$SELECT pegs_score('narrow', r) FROM (SELECT 1.0 AS n, 9.0 AS n) AS r$$, '42702', 'the row has two columns "n", and score "narrow" looks at one');
SELECT lives_ok($$SELECT pegs_score('narrow', r) FROM (SELECT 1.0 AS n, 9.0 AS other, 9.0 AS other) AS r$$, 'two that it does not look at are nobody''s');
SELECT is(hint_of($$SELECT pegs_score('s', '{"age": "old"}'::jsonb)$$), 'In its place put a value that column "age" of type integer can have.', 'what a type refuses has a HINT');

---- measured
SELECT is((SELECT string_agg(measure || ' ' || value, ', ') FROM (SELECT * FROM pegs_score_quality('s', '"odd t"') LIMIT 3) AS q), format('rows 4000, rows whose target is not declared 0, positive rows %s', (SELECT count(*) FROM "odd t" WHERE back)), 'how many rows');
SELECT ok((SELECT abs(q.value - x.auc) < 1e-9 FROM pegs_score_quality('s', '"odd t"') AS q, (
	SELECT avg(CASE WHEN a.p > b.p THEN 1 WHEN a.p = b.p THEN 0.5 ELSE 0 END)::double precision AS auc
	FROM (SELECT pegs_score('s', t) AS p, back FROM "odd t" AS t) AS a, (SELECT pegs_score('s', t) AS p, back FROM "odd t" AS t) AS b WHERE a.back AND NOT b.back) AS x WHERE measure = 'AUC'), 'AUC as it is defined');
SELECT ok((SELECT abs(q.value - (SELECT avg((pegs_score('s', t) - back::int) ^ 2) FROM "odd t" AS t)) < 1e-9 FROM pegs_score_quality('s', '"odd t"') AS q WHERE measure = 'Brier score'), 'and Brier');
SELECT ok((SELECT abs(q.value + (SELECT avg(ln(CASE WHEN back THEN pegs_score('s', t) ELSE 1 - pegs_score('s', t) END)) FROM "odd t" AS t)) < 1e-9 FROM pegs_score_quality('s', '"odd t"') AS q WHERE measure = 'log loss'), 'and the log loss');
SELECT is((SELECT sum(value) FROM pegs_score_quality('s', '"odd t"', 7) WHERE measure LIKE 'part%: rows'), 4000::double precision, 'parts are of all rows');
SELECT ok((SELECT bool_and(guarantee = 'none') FROM pegs_score_quality('s', '"odd t"')), 'nothing of it is private');
CREATE TABLE others AS SELECT * FROM "odd t" LIMIT 0;
INSERT INTO others (age, back) VALUES (3, true), (4, NULL), (5, true);
SELECT results_eq($$SELECT value FROM pegs_score_quality('s', 'others') WHERE measure IN ('rows', 'positive rows', 'AUC')$$, $$VALUES (3::double precision), (2), (0.5)$$, 'NULL is a level of the target here');
SELECT throws_ok($$SELECT * FROM pegs_score_quality('s', '"odd t"', 1)$$, '22023', 'bins must be from 2 to 1000');
SELECT throws_ok($$SELECT * FROM pegs_score_quality('s', NULL)$$, '22004', 'relation must not be null');
SELECT throws_ok($$SELECT * FROM pegs_score_quality('s', 'wild')$$, '42703');

---- kept, given away, made again
SELECT lives_ok($$SELECT pegs_import('again', pegs_export('s')); SELECT pegs_import('of p again', pegs_export('of p'))$$);
SELECT is((SELECT count(*) FROM "odd t" AS t WHERE pegs_score('again', t) = pegs_score('s', t) AND pegs_score('of p again', t) = pegs_score('of p', t)), 4000::bigint, 'a file says the same');
SELECT lives_ok($$SELECT pegs_refit('s')$$);
SELECT is(spent(), (SELECT spent + 1 FROM before), 'fitted anew, and paid for');
SELECT pegs_grant('s', 'scores_reader');
SET ROLE scores_reader;
SELECT lives_ok($$SELECT pegs_score('s', '{"age": 30}'::jsonb), * FROM pegs_score_card('s')$$, 'by a grant');
SELECT throws_ok($$SELECT pegs_score('of p', '{}'::jsonb)$$, '42704');
SELECT throws_ok($$SELECT pegs_score_fit_of('x', 'p', 'back', ARRAY['true'])$$, '42501');
SELECT throws_ok($$SELECT * FROM pegs_score_quality('s', 'others')$$, '42501');
RESET ROLE;
-- PL/pgSQL keeps its expressions for a transaction: rights and models are those of now
CREATE FUNCTION kept_score() RETURNS double precision LANGUAGE plpgsql AS $$ DECLARE p double precision; BEGIN p := pegs_score('of p', '{}'::jsonb); RETURN p; END $$;
BEGIN;
SELECT ok(kept_score() > 0, 'asked once');
SET LOCAL ROLE scores_reader;
SELECT throws_ok('SELECT kept_score()', '42704');
COMMIT;

---- trees
SELECT lives_ok($$SELECT pegs_score_fit('one tree', '"odd t"', 'back', ARRAY['true'], epsilon => 50, delta => 1e-9, method => 'tree', options => '{"depth": 3, "alpha": 0.5}')$$);
SELECT lives_ok($$SELECT pegs_score_fit('trees', '"odd t"', 'back', ARRAY['true'], epsilon => 50, method => 'forest', options => '{"trees": 5, "depth": 3, "classes": "declared"}')$$);
SELECT is((SELECT string_agg(kind, ' ') FROM pegs_models WHERE name IN ('one tree', 'trees')), 'score score', 'scores, too');
SELECT is(concat_ws(' ', pegs_describe('trees') ->> 'trees', pegs_describe('one tree') ->> 'trees', pegs_describe('trees') #>> '{options,depth}'), '5 1 3', 'what is said of them');
SELECT is((SELECT string_agg(r ->> 'what', ', ') FROM jsonb_array_elements(pegs_describe('one tree') -> 'record') AS r), '1-way tables, tables of nodes', 'and of what was paid for');
SELECT is((SELECT bool_and(holds) FROM unnest(ARRAY['one tree', 'trees']) AS n, pegs_audit(n, 100)), true, 'audited');
SELECT ok((SELECT bool_and(value > 0.8) FROM unnest(ARRAY['one tree', 'trees']) AS n, pegs_score_quality(n, '"odd t"') WHERE measure = 'AUC'), 'they are good');
SELECT alike((SELECT level FROM pegs_score_card('one tree') LIMIT 1), '%age in (%', 'a leaf has its rule');
SELECT is((SELECT count(*) FROM pegs_score_explain('trees', '{"age": 30}'::jsonb)), 5::bigint, 'a line each tree');
SELECT is((SELECT round((1 / (1 + exp(-sum(points))))::numeric, 12) FROM pegs_score_explain('trees', t)), round(pegs_score('trees', t)::numeric, 12), 'which are the score together') FROM "odd t" AS t LIMIT 3;
DO $$ BEGIN EXECUTE pegs_score_sql('one tree', 'plain_tree'); EXECUTE pegs_score_sql('trees', 'plain_trees'); END $$;
SELECT is((SELECT count(*) FROM wild AS w WHERE pegs_score('one tree', w) = plain_tree(age, "odd ""name", m, d, x) AND pegs_score('trees', w) = plain_trees(age, "odd ""name", m, d, x)), 4000::bigint, 'the same in SQL, to the last digit');
SELECT lives_ok($$SELECT pegs_import('trees again', pegs_export('trees'))$$);
SELECT is((SELECT count(*) FROM "odd t" AS t WHERE pegs_score('trees again', t) = pegs_score('trees', t)), 4000::bigint, 'a file says the same');
SELECT lives_ok($$SELECT pegs_refit('one tree', 1)$$);
SELECT throws_ok($$SELECT pegs_score_fit('x', '"odd t"', 'back', ARRAY['true'], epsilon => 1, method => 'forest', options => '{"trees": 1000, "depth": 16}')$$, '22023', 'method "forest" cannot fit this: so many trees of such a depth have more than 2^20 nodes');
SELECT throws_ok($$SELECT pegs_score_fit('x', '"odd t"', 'back', ARRAY['true'], epsilon => 1, method => 'tree', options => '{"depth": 17}')$$, '22023', 'option "depth" must be a whole number from 1 to 16');

---- several alphas: a tree each, of rows of its own
SELECT lives_ok($$SELECT pegs_score_fit('four', '"odd t"', 'back', ARRAY['true'], epsilon => 50, delta => 1e-9, method => 'tree', options => '{"depth": 3, "alpha": [0, 0.5, 1, 2]}')$$);
SELECT is(concat_ws(' ', pegs_describe('four') ->> 'trees', pegs_describe('four') #>> '{options,alpha}'), '4 [0, 0.5, 1, 2]', 'four trees, and which');
SELECT alike(pegs_certificate_text('four'), '%"alpha": [0, 0.5, 1, 2]%', 'as the certificate says');
SELECT is((SELECT holds FROM pegs_audit('four', 100)), true, 'audited');
SELECT ok((SELECT value > 0.8 FROM pegs_score_quality('four', '"odd t"') WHERE measure = 'AUC'), 'it is good');
SELECT lives_ok($$SELECT pegs_refit('four')$$);
SELECT is(pegs_describe('four') #>> '{options,alpha}', '[0, 0.5, 1, 2]', 'fitted anew with all of them');
DO $$ BEGIN EXECUTE pegs_score_sql('four', 'plain_four'); END $$;
SELECT is((SELECT count(*) FROM wild AS w WHERE pegs_score('four', w) = plain_four(age, "odd ""name", m, d, x)), 4000::bigint, 'the same in SQL');
SELECT throws_ok(format($$SELECT pegs_score_fit('x', '"odd t"', 'back', ARRAY['true'], epsilon => 1, method => 'tree', options => '{"alpha": %s}')$$, a), '22023', 'option "alpha" must be a number from -10 to 10, or a list of at most 16 of them', 'alpha ' || a)
FROM unnest(ARRAY['[]', '[1, "2"]', '[1, null]', '[[1]]', '"NaN"', '1e400', '[1, -1e400]', '11', '[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]', '{"a": 1}']) AS a;
SELECT throws_ok(format($$SELECT pegs_score_fit('x', '"odd t"', 'back', ARRAY['true'], epsilon => 1, method => %L, options => '{"depth": %s}')$$, m, d), '22023', 'option "depth" must be a whole number from 1 to 16', m || ', depth ' || d)
FROM unnest(ARRAY['tree', 'forest']) AS m, unnest(ARRAY['0', '17', '1.5']) AS d;

---- trees as they were published: no guarantee
CREATE TABLE pima (glucose int, bmi numeric, same boolean, sick boolean);
INSERT INTO pima SELECT g, b, i % 2 = 0, y FROM (VALUES (0, 26.0, 2, 40), (120, 0, 2, 50), (139, 26, 3, 61), (120, 30, 62, 143), (139, 27, 60, 138), (0, 67.1, 4, 6), (140, 30, 22, 20), (157, 26, 22, 21), (158, 30, 46, 10), (199, 26, 45, 11)) AS v (g, b, positive, negative),
	LATERAL (SELECT true, generate_series(1, positive) UNION ALL SELECT false, generate_series(1, negative)) AS r (y, i);
SELECT pegs_set_levels('pima', 'glucose', ARRAY['0', '120', '139', '140', '157', '158', '199']), pegs_set_levels('pima', 'bmi', ARRAY['0', '26', '27', '30', '40', '67.1']);
SELECT pegs_set_budget('pima', 10);
SELECT lives_ok($$SELECT pegs_score_fit('dpat', 'pima', 'sick', ARRAY['true'], method => 'tree', options => '{"published": true, "alpha": [1], "cuts": 10, "depth": 2}')$$);
SELECT lives_ok($$SELECT pegs_score_fit('edpat', 'pima', 'sick', ARRAY['true'], method => 'tree', options => '{"published": true, "alpha": [0, 0.5, 1, 2]}')$$);
SELECT is((SELECT string_agg(concat_ws(' ', m.kind, m.guarantee, i.method, m.epsilon), ', ') FROM pegs_models AS m JOIN pegs_internal.model AS i USING (name) WHERE name IN ('dpat', 'edpat')), 'score none tree published, score none tree published', 'what they are');
SELECT is((SELECT string_agg(action || ' ' || object, ', ' ORDER BY at) FROM pegs_ledger WHERE source = 'pima'::regclass), 'uncovered fit dpat, uncovered fit edpat', 'the ledger says so');
SELECT is((SELECT concat_ws(' ', spent, uncovered) FROM pegs_budgets WHERE source = 'pima'::regclass), '0 t', 'nothing was charged, and the account is marked');
-- what Figures 5.3 to 5.5 print, asked with so much epsilon that the noise is below a millionth
CREATE FUNCTION asked(model text, glucose int, bmi numeric) RETURNS numeric LANGUAGE sql AS $$ SELECT round(pegs_score_published(model, jsonb_build_object('glucose', glucose, 'bmi', bmi), epsilon => 1000)::numeric, 3) $$;
SELECT ok(abs(asked('dpat', 120, 26) - 7 / 158.0) < .002, 'glucose up to 139.30, bmi up to 26.84: 7 of 158');
SELECT ok(abs(asked('dpat', 139, 27) - 126 / 413.0) < .002, 'glucose up to 139.30, bmi above 26.84: 126 of 413');
SELECT ok(abs(asked('dpat', 140, 27) - 44 / 85.0) < .002 AND abs(asked('dpat', 157, 0) - 44 / 85.0) < .002, 'glucose above 139.30, up to 157.70: 44 of 85');
SELECT ok(abs(asked('dpat', 158, 26) - 91 / 112.0) < .002, 'glucose above 157.70: 91 of 112');
SELECT ok(abs(asked('dpat', NULL, 26) - 7 / 158.0) < .002, 'NULL is above nothing');
SELECT ok(abs(pegs_score_published('dpat', '{"bmi": 26}'::jsonb, 1000) - 268 / 768.0) < .002, 'not told: all rows');
CREATE TABLE far_off AS SELECT (ARRAY[0, 1, 100])[1 + i % 3] AS v, i % 3 > 0 AS y FROM generate_series(1, 900) AS i;
SELECT pegs_set_levels('far_off', 'v', ARRAY['0', '1', '100']), pegs_set_budget('far_off', 1);
SELECT pegs_score_fit('far off', 'far_off', 'y', ARRAY['true'], method => 'tree', options => '{"published": true, "depth": 1}');
SELECT is(string_agg(round(pegs_score_published('far off', jsonb_build_object('v', v), 1000)::numeric, 1)::text, ' '), '0.5 0.5 1.0', 'by the numbers, and not by their places') FROM unnest(ARRAY[0, 1, 100]) AS v;
-- neighbours whose structures differ, so that no noise in the leaves makes it private: with a row more a column is asked for, without it none is
CREATE TABLE close (a boolean, b boolean, y boolean);
INSERT INTO close SELECT a, b, y FROM (VALUES (true, true, true, 30), (false, false, false, 30), (true, false, true, 7), (false, true, true, 5), (true, false, false, 3), (false, true, false, 3)) AS v (a, b, y, n), generate_series(1, n);
SELECT pegs_set_budget('close', 1);
SELECT pegs_score_fit('one less', 'close', 'y', ARRAY['true'], method => 'tree', options => '{"published": true, "depth": 1}');
INSERT INTO close VALUES (true, false, true);
SELECT pegs_score_fit('one more', 'close', 'y', ARRAY['true'], method => 'tree', options => '{"published": true, "depth": 1}');
SELECT is((SELECT string_agg(round(abs(pegs_score_published(m, '{"a": true}'::jsonb, 1000) - pegs_score_published(m, '{"a": false}'::jsonb, 1000))::numeric, 1)::text, ' ' ORDER BY m) FROM unnest(ARRAY['one less', 'one more']) AS m), '0.0 0.8', 'neighbours whose structures differ');
-- noise at every row, a line at every statement
CREATE TABLE lines AS SELECT count(*) AS n FROM pegs_ledger WHERE action = 'uncovered sample';
SELECT ok((SELECT count(DISTINCT p) = 768 AND stddev(p) > 0.01 AND avg(p) BETWEEN 0.2 AND 0.5 FROM (SELECT pegs_score_published('edpat', x, 0.1) AS p FROM pima AS x) AS q), 'another score for each row, by the noise');
SELECT is((SELECT count(*) - (SELECT n FROM lines) FROM pegs_ledger WHERE action = 'uncovered sample'), 1::bigint, 'one line a statement');
SELECT ok((SELECT sum(abs(pegs_score_published('dpat', '{"glucose": 158}'::jsonb, 0.01) - 91 / 112.0)) / 4000 BETWEEN 0.5 * d AND 1.5 * d FROM generate_series(1, 4000), (SELECT 100 * (92 / 112.0 - 90 / 111.0)) AS x (d) GROUP BY d), 'Laplace noise of Delta / epsilon');
SELECT throws_ok($$SELECT pegs_score('dpat', '{"bmi": 27}'::jsonb)$$, '42809', 'score "dpat" has no guarantee: it is exact counts');
SELECT is(hint_of($$SELECT pegs_score('dpat', '{"bmi": 27}'::jsonb)$$), $$SELECT pegs_score_published('dpat', t, epsilon => 1) FROM my_table AS t;$$);
SELECT throws_ok(s, '42809', 'score "dpat" has no guarantee: it is exact counts', s) FROM unnest(ARRAY[$$SELECT * FROM pegs_score_card('dpat')$$, $$SELECT * FROM pegs_score_explain('dpat', '{}'::jsonb)$$, $$SELECT pegs_score_sql('dpat', 'f')$$, $$SELECT * FROM pegs_score_quality('dpat', 'pima')$$]) AS s;
SELECT throws_ok($$SELECT pegs_score_published('s', '{"age": 27}'::jsonb, 1)$$, '42809', 'score "s" was paid for when it was made: it needs no noise, and no epsilon');
SELECT throws_ok($$SELECT pegs_score_published('dpat', '{"bmi": 27}'::jsonb, NULL)$$, '22004', 'epsilon must not be null: the noise of a published score is by it');
SELECT throws_ok($$SELECT pegs_score_published('dpat', '{"bmi": 27}'::jsonb, 0)$$, '22023', 'epsilon must be at least 1e-9');
SELECT throws_ok($$SELECT pegs_grant('dpat', 'scores_reader')$$, '42809', 'model "dpat" has no guarantee and cannot be granted');
SELECT throws_ok($$SELECT pegs_export('dpat')$$, '42809');
SELECT throws_ok($$SELECT * FROM pegs_audit('dpat', 100)$$, NULL, 'model "dpat" has no guarantee: there is nothing to test');
SELECT throws_ok($$SELECT pegs_refit('dpat')$$, '42809', 'model "dpat" has no guarantee: there is nothing that a fit anew would keep');
SELECT throws_ok($$SELECT pegs_score_fit_of('x', 'dpat', 'sick', ARRAY['true'])$$, '42809');
SELECT is(pegs_describe('dpat') ->> 'guarantee', 'none', 'none, it says');
SELECT alike(pegs_certificate_text('dpat'), '%guarantee:   none%', 'as its certificate does');
SELECT unalike(pegs_certificate_text('dpat'), '%157%', 'which has no cut');
SELECT ok(position('none' IN pegs_summary('dpat')) > 0, 'and its summary');
SELECT unalike(pegs_summary('dpat'), '%<dd></dd>%', 'which has no line without words');
SELECT alike((SELECT in_words FROM pegs_cost('dpat')), '%no guarantee, nothing is charged, and only the owner of the table may ask it.', 'and what it costs');
BEGIN READ ONLY;
SELECT throws_ok($$SELECT pegs_score_published('dpat', '{"bmi": 27}'::jsonb, 1)$$, '25006');
ROLLBACK;
BEGIN;
SELECT pegs_score_fit('fresh', 'pima', 'sick', ARRAY['true'], method => 'tree', options => '{"published": true}');
SELECT throws_ok($$SELECT pegs_score_published('fresh', '{"bmi": 27}'::jsonb, 1)$$, '55000', 'model "fresh" has no guarantee and was made in this transaction');
ROLLBACK;
GRANT EXECUTE ON FUNCTION pegs_score_published(text, jsonb, double precision), hint_of TO scores_reader;
SET ROLE scores_reader;
SELECT throws_ok($$SELECT pegs_score_published('dpat', '{"bmi": 27}'::jsonb, 1)$$, '42704');
SELECT throws_ok($$SELECT pegs_score('dpat', '{"bmi": 27}'::jsonb)$$, '42704');
RESET ROLE;
SELECT throws_ok(format($$SELECT pegs_score_fit('x', 'pima', 'sick', ARRAY['true'], method => %L, options => %L%s)$$, m, o, e), '22023', why, why) FROM (VALUES
	('tree', '{"published": 1}', '', 'option "published" must be true'),
	('forest', '{"published": true}', '', 'method "forest" has no form that was published without a guarantee'),
	('tree', '{"published": true}', ', epsilon => 1', 'option "published" cannot be given with epsilon'),
	('tree', '{"published": true, "cuts": 1}', '', 'option "cuts" must be a whole number from 2 to 100'),
	('tree', '{"published": true, "depth": 16, "alpha": [1, 1, 1, 1, 1, 1, 1, 1, 1]}', '', 'method "tree published" cannot fit this: so many trees of such a depth have more than 2^20 nodes'),
	('tree published', '{}', '', 'method "tree published" has no guarantee')) AS v (m, o, e, why);
SELECT throws_ok($$SELECT pegs_score_fit('x', 'pima', 'sick', ARRAY['true'], method => 'tree')$$, '22004', 'epsilon must not be null: a score is paid for when it is made');
SELECT lives_ok($$SELECT pegs_drop('edpat')$$);

---- what is refused, with what helps
SELECT throws_ok($$SELECT pegs_score('s', '{"Age": 30}'::jsonb)$$, '42703', 'nothing in features is a feature of score "s"');
SELECT is(hint_of($$SELECT pegs_score('s', '{"Age": 30}'::jsonb)$$), 'Its features are: age, "odd ""name", m, d, x.');
SELECT throws_ok($$SELECT pegs_score('s', x) FROM (SELECT 1 AS ages, true AS back) AS x$$, '42703', 'nothing in features is a feature of score "s"');
SELECT throws_ok($$SELECT * FROM pegs_score_explain('s', '{"back": true}'::jsonb)$$, '42703', 'nothing in features is a feature of score "s"');
SELECT throws_ok($$SELECT pegs_score_fit('x', '"odd t"', 'back', ARRAY['yes?'], epsilon => 1)$$, '22P02');
SELECT is(hint_of($$SELECT pegs_score_fit('x', '"odd t"', 'back', ARRAY['yes?'], epsilon => 1)$$), $$Levels of column "back" are named 'f', 't'.$$);
SELECT is(hint_of($$SELECT pegs_score_fit('x', '"odd t"', 'odd "name', ARRAY['what'], epsilon => 1)$$), 'Levels of column "odd "name" are named ''a'', ''it''''s'', ''rest''.');
SELECT is(hint_of($$SELECT pegs_score_fit('x', '"odd t"', 'x', ARRAY['-7'], epsilon => 1)$$), $$Bins, by a value inside, of column "x" are named '0', '2', '4', '3', '0'.$$);
SELECT throws_ok($$SELECT pegs_score_fit('x', '"odd t"', 'back', ARRAY['true'], epsilon => 1, options => '{"positive": {"m": ["ok"]}}')$$, '22023', '"positive" is an argument, and no option');

---- looked up anew where PL/pgSQL keeps what it calls: another user, another fit, no right any more, another row type
CREATE FUNCTION kept(x anyelement) RETURNS double precision LANGUAGE plpgsql AS $$ BEGIN RETURN pegs_score('s', x); END $$;
CREATE FUNCTION kept(j jsonb) RETURNS double precision LANGUAGE plpgsql AS $$ BEGIN RETURN pegs_score('s', j); END $$;
BEGIN;
SELECT ok(kept('{"age": 30}'::jsonb) > 0, 'kept until the transaction ends');
CREATE TABLE said AS SELECT kept('{"age": 30}'::jsonb);
SELECT pegs_refit('s');
SELECT isnt(kept('{"age": 30}'::jsonb), (SELECT kept FROM said), 'and yet the new fit');
SET LOCAL ROLE scores_reader;
SELECT is(kept('{"age": 30}'::jsonb), pegs_score('s', '{"age": 30}'::jsonb), 'who may');
RESET ROLE;
SELECT pegs_revoke('s', 'scores_reader');
SET LOCAL ROLE scores_reader;
SELECT throws_ok($$SELECT kept('{"age": 30}'::jsonb)$$, '42704', NULL, 'may no longer');
RESET ROLE;
SELECT is(kept('{"age": 30}'::jsonb), pegs_score('s', '{"age": 30}'::jsonb), 'who may');
SET LOCAL ROLE scores_reader;
SELECT throws_ok($$SELECT kept('{"age": 30}'::jsonb)$$, '42704', NULL, 'lends it to nobody');
RESET ROLE;
CREATE TABLE altered (age int, m mood);
INSERT INTO altered VALUES (30, 'ok');
SELECT kept(a) FROM altered AS a;
ALTER TABLE altered ALTER m TYPE text, ALTER age TYPE text;
SELECT throws_ok($$SELECT kept(a) FROM altered AS a$$, '42804', NULL, 'a row type that was altered');
COMMIT;

---- it has no rows
SELECT throws_ok($$SELECT * FROM pegs_sample('s', 5) AS t(age int)$$, '42809', 'model "s" is a score: it has no rows');
SELECT throws_ok($$SELECT * FROM pegs_sample('s', 5) AS t(nothing int)$$, '42809', 'model "s" is a score: it has no rows', 'whatever columns are asked for');
SELECT throws_ok($$SELECT pegs_view_sql('s', 'v')$$, '42809', 'model "s" is a score: it has no rows');
SELECT throws_ok($$SELECT pegs_release('r', 's', 5)$$, '42809', 'model "s" is a score: it has no rows');
SELECT throws_ok($$SELECT * FROM pegs_utility_of('s')$$, '42809', 'model "s" is a score: it has no rows');
SELECT throws_ok($$SELECT pegs_best('"odd t"', ARRAY['p', 's'], 0.1)$$, '42809', 'model "s" is a score: it has no rows');
SELECT throws_ok($$SELECT * FROM pegs_ru_map('"odd t"', '{1}', 100, columns => '{age, back}', methods => '{additive}')$$, '22023', 'the map cannot try method "additive": it has no rows');

---- refused, and nothing is charged
UPDATE before SET spent = spent();
SELECT throws_ok($$SELECT pegs_score_fit('x', '"odd t"', 'back', ARRAY[]::text[], epsilon => 1)$$, '22023', '"positive" names no level of column "back"');
SELECT throws_ok($$SELECT pegs_score_fit('x', '"odd t"', 'back', ARRAY['true', 'false', NULL], epsilon => 1)$$, '22023', '"positive" names all levels of column "back"');
SELECT throws_ok($$SELECT pegs_score_fit('x', '"odd t"', 'odd "name', ARRAY['what'], epsilon => 1)$$, '22023', 'a level that "positive" names for column "odd "name" is not in its declared domain');
SELECT throws_ok($$SELECT pegs_score_fit('x', '"odd t"', 'back', ARRAY['true'], features => ARRAY['back', 'age'], epsilon => 1)$$, '22023', 'column "back" is the target, and cannot be a feature');
SELECT throws_ok($$SELECT pegs_score_fit('x', '"odd t"', 'back', ARRAY['true'])$$, '22004', 'epsilon must not be null: a score is paid for when it is made');
SELECT throws_ok($$SELECT pegs_score_fit('x', '"odd t"', 'back', ARRAY['true'], epsilon => 1, method => 'table')$$, '22023', 'there is no method of scores "table"');
SELECT throws_ok($$SELECT pegs_score_fit('x', '"odd t"', 'back', NULL, epsilon => 1)$$, '22004', 'positive must not be null');
SELECT throws_ok(format($$SELECT pegs_score_fit('x', '"odd t"', 'back', ARRAY['true'], epsilon => 1, method => %L, options => '{"dept": 2}')$$, m), '22023', 'unknown option "dept"', m || ', an option that is not known') FROM unnest(ARRAY['additive', 'forest']) AS m;
SELECT throws_ok($$SELECT pegs_fit('x', '"odd t"', method => 'additive of a model', epsilon => 1)$$, '22023', 'there is no method "additive of a model"');
SELECT throws_ok($$SELECT pegs_fit('x', '"odd t"', method => 'additive', epsilon => 1)$$, '22004', 'method "additive" cannot fit this: it must be told which levels of one column are positive');
SELECT pegs_leave_out('"odd t"', 'd');
SELECT is(hint_of($$SELECT pegs_score_fit('x', '"odd t"', 'back', ARRAY['true'], features => ARRAY['d'], epsilon => 1)$$), 'Name the columns to use: features => ARRAY[...].', 'the argument that a score has');
SELECT throws_ok($$SELECT pegs_score_fit('x', '"odd t"', 'gone', ARRAY['true'], epsilon => 1)$$, '42703', 'target "gone" is not a column of public."odd t"');
SELECT is(spent(), (SELECT * FROM before), 'nothing was charged');
-- what a fit refuses, whatever it makes
CREATE TABLE small AS SELECT i % 7 AS a, i % 3 > 0 AS back FROM generate_series(1, 100) AS i;
SELECT pegs_set_levels('small', 'a', ARRAY['0', '1', '2', '3', '4', '5', '6']);
CREATE FUNCTION small(more text) RETURNS text LANGUAGE sql AS $$ SELECT format('SELECT pegs_score_fit(''small'', ''small'', ''back'', ARRAY[''true''], %s)', more) $$;
SELECT throws_ok(small('epsilon => 1'), '55000', 'table "small" has no privacy budget');
SELECT pegs_set_budget('small', 5);
SELECT throws_ok(small('epsilon => 1001'), '22023', 'epsilon must be at most 1000');
SELECT throws_ok(small('epsilon => 6'), '53400', 'this costs more than is left of the privacy budget');
SELECT throws_ok(small('epsilon => 1, features => ARRAY[''gone'']'), '42703', 'column "gone" of public.small does not exist');
SELECT throws_ok(small('epsilon => 1, features => ARRAY[]::name[]'), '22023', 'features must name at least one column');
INSERT INTO small VALUES (9, true);
SELECT throws_ok(small('epsilon => 1'), '23514', 'column "a" holds a value that is not in its declared domain');
DELETE FROM small WHERE a = 9;
SELECT pegs_score_fit('small', 'small', 'back', ARRAY['true'], epsilon => 1);
SELECT throws_ok(small('epsilon => 1'), '42710', 'model or release "small" already exists');
SELECT is((SELECT spent FROM pegs_budgets WHERE source = 'small'::regclass), 1::numeric, 'charged once, for the one that was made');

---- whose word it was stays, though the file's model goes
SELECT pegs_import('p in a file', pegs_export('p'));
SELECT pegs_score_fit_of('of a file', 'p in a file', 'back', ARRAY['true']), pegs_drop('p in a file');
SELECT is(pegs_certificate('of a file') ->> 'counts', $$rows of model 'p in a file', whose counts are as stated by an imported file$$, 'made of what a file said');
SELECT is(pegs_summary(n) LIKE '%This server has not read them from the rows%', n = 'of a file', format('summary of "%s": did this server read its rows?', n)) FROM unnest(ARRAY['p', 'of p', 'of a file']) AS n;

---- a type that is gone
CREATE TYPE fading AS ENUM ('u', 'v');
CREATE TABLE fading_t AS SELECT (ARRAY['u', 'v'])[1 + i % 2]::fading AS e, i % 3 = 0 AS a, i % 5 = 0 AS back FROM generate_series(1, 500) AS i;
SELECT pegs_set_budget('fading_t', 10);
SELECT pegs_fit('fading', 'fading_t', epsilon => 1);
SELECT pegs_score_fit_of('fading score', 'fading', 'back', ARRAY['true']);
DROP TABLE fading_t;
DROP TYPE fading;
SELECT throws_ok($$SELECT pegs_score_fit_of('x', 'fading', 'back', ARRAY['true'])$$, '42704', 'the type of column "e" is not there any more');
SELECT lives_ok($$SELECT pegs_score_fit_of('faded', 'fading', 'back', ARRAY['true'], features => ARRAY['a'])$$, 'but the others');
SELECT throws_ok($$SELECT pegs_score('fading score', '{"a": true}'::jsonb)$$, '42704', 'the type of column "e" is not there any more');
SELECT is(hint_of($$SELECT pegs_score('fading score', '{"a": true}'::jsonb)$$), 'A score looks at all of its columns. Make it again without this one: features => ARRAY[...]', 'which cannot be left out of a call');

---- plain SQL calls no operator of whoever may make one in a schema of the search_path, and has an end
CREATE SCHEMA evil;
CREATE FUNCTION evil.same(varchar, varchar) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'evil'; END $$;
CREATE FUNCTION evil.divided(int, double precision) RETURNS double precision LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'evil'; END $$;
CREATE OPERATOR evil.= (LEFTARG = varchar, RIGHTARG = varchar, FUNCTION = evil.same);
CREATE OPERATOR evil./ (LEFTARG = int, RIGHTARG = double precision, FUNCTION = evil.divided);
CREATE OPERATOR evil.+ (LEFTARG = int, RIGHTARG = double precision, FUNCTION = evil.divided);
CREATE TABLE kinds AS SELECT (ARRAY['a', 'b', 'c'])[1 + i % 3]::varchar AS v, i % 2 = 0 AS back FROM generate_series(1, 500) AS i;
SELECT pegs_set_levels('kinds', 'v', ARRAY['a', 'b', 'c']), pegs_set_budget('kinds', 10);
SELECT pegs_score_fit('kinds', 'kinds', 'back', ARRAY['true'], epsilon => 1);
SET search_path = "$user", public, evil;
SELECT throws_ok($$SELECT 1 FROM kinds WHERE v = 'a'::varchar$$, 'P0001', 'evil');
SELECT lives_ok(pegs_score_sql('kinds', 'public.kinds_score'));
SELECT is((SELECT count(*) FROM kinds AS k WHERE pegs_score('kinds', k) = kinds_score(v)), 500::bigint, 'operators of pg_catalog alone');
RESET search_path;
SELECT pegs_score_fit('wood', '"odd t"', 'back', ARRAY['true'], epsilon => 1000, method => 'forest', options => '{"trees": 1000, "depth": 6}');
SELECT throws_ok($$SELECT pegs_score_sql('wood', 'f')$$, '54000', 'score "wood" would be more than 4194304 bytes of SQL');

---- in a parallel plan, by who was granted it
SELECT pegs_grant('kinds', 'scores_reader');
GRANT SELECT ON kinds TO scores_reader;
ALTER TABLE kinds SET (parallel_workers = 2);
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET ROLE scores_reader;
SELECT count(pegs_score('kinds', k)) AS scored FROM kinds AS k \gset
RESET ROLE;
CREATE FUNCTION planned(statement text) RETURNS text LANGUAGE plpgsql AS $$ DECLARE plan json; BEGIN EXECUTE 'EXPLAIN (FORMAT JSON) ' || statement INTO plan; RETURN plan; END $$;
SELECT alike(planned($$SELECT count(pegs_score('kinds', k)) FROM kinds AS k$$), '%Gather%', 'a parallel plan');
SELECT is(:scored, 500, 'of a role that is no curator');
SELECT * FROM finish();
