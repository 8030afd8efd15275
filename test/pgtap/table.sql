-- The table of all columns without epsilon: sealed, an urn that every call pays for; and the bootstrap of its rows, which guarantees nothing.
SET client_min_messages = warning;
CREATE EXTENSION pegs;
SELECT plan(122);

CREATE TABLE "odd t" ("a b" text NOT NULL CHECK ("a b" IN ('x', 'y', '"z''')), b boolean, c int NOT NULL CHECK (c IN (1, 2)));
INSERT INTO "odd t" SELECT (ARRAY['x', 'y', '"z'''])[1 + i % 3], nullif(i % 3, 2) = 1, 1 + i % 2 FROM generate_series(1, 600) AS i;
SELECT pegs_set_budget('"odd t"', 1000, delta => 1e-6, accounting => 'sum');
CREATE FUNCTION spent() RETURNS numeric LANGUAGE sql AS $$ SELECT spent FROM pegs_budgets WHERE source = '"odd t"'::regclass $$;
CREATE FUNCTION lines() RETURNS text LANGUAGE sql AS $$ SELECT string_agg(action || ' ' || object, ', ' ORDER BY at, action) FROM pegs_ledger WHERE action <> 'budget' $$;
CREATE ROLE table_reader;
CREATE FUNCTION stored(name text) RETURNS text LANGUAGE sql AS $$ SELECT method FROM pegs_internal.model WHERE name = $1 $$;

---- a fit without epsilon
SELECT lives_ok($$SELECT pegs_fit('m', '"odd t"', method => 'table')$$);
SELECT is((SELECT concat_ws(' ', stored(name), kind, guarantee) FROM pegs_models WHERE name = 'm'), 'table sealed sealed each sample pays', 'sealed');
SELECT is(spent(), 0::numeric, 'nothing is spent');
SELECT is(pegs_describe('m') ->> 'mechanism', 'an urn over the table of all columns: each draw is put back double', 'what it is');
SELECT throws_ok($$SELECT pegs_sample('m', 10)$$, '22004', 'model "m" is sealed: every sample pays');

---- rows
SELECT is((SELECT count(*) FROM pegs_sample('m', 500, epsilon => 100) AS s("a b" text, b boolean, c int)), 500::bigint, 'rows');
SELECT is(spent(), 100::numeric, 'are charged');
-- with so much epsilon hardly anything else
SELECT is((SELECT count(*) FROM pegs_sample('m', 200, epsilon => 100) AS s("a b" text, b boolean, c int)
	WHERE NOT EXISTS (SELECT FROM "odd t" AS t WHERE (t."a b", t.c) = (s."a b", s.c) AND t.b IS NOT DISTINCT FROM s.b)) < 3, true, 'of the combinations that are there');
SELECT is((SELECT count(DISTINCT s::text) FROM pegs_sample('m', 800, epsilon => 0.01) AS s("a b" text, b boolean, c int)), 18::bigint, 'with little epsilon of all there could be');
SELECT is((SELECT count(*) FROM pegs_sample('m', 100, epsilon => 1, given => '{"a b": "x", "c": 1}') AS s("a b" text, b boolean, c int) WHERE "a b" = 'x' AND c = 1), 100::bigint, 'with what is given');
SELECT throws_ok($$SELECT * FROM pegs_sample('m', 10, epsilon => 1, given => '{"a b": "x", "b": true, "c": 1}') AS s("a b" text, b boolean, c int)$$, '22023', 'given fixes every column: there is nothing to draw');

---- what a call costs: n/(e^epsilon - 1), for any number of columns; with delta as much for any number of rows
SELECT is((SELECT round(alpha::numeric, 2) FROM pegs_cost('m', 1000, epsilon => 1)), 581.98, 'alpha');
SELECT is((SELECT round(alpha::numeric, 4) FROM pegs_cost('m', 1, epsilon => 1)), 0.5820, 'of one row that of McClure and Reiter');
SELECT is((SELECT round(alpha::numeric, 1) FROM pegs_cost('m', 1000, epsilon => 1, delta => 1e-9)), 45.8, 'with delta');
SELECT is((SELECT round(alpha::numeric, 1) FROM pegs_cost('m', 1000000, epsilon => 1, delta => 1e-9)), 45.8, 'of a million rows');
SELECT is((SELECT round((real_rows / alpha)::numeric) FROM pegs_cost('m', 10, epsilon => 1)), 18::numeric, 'in each of 18 cells');
SELECT ok((SELECT blocks IS NULL FROM pegs_cost('m', 10, epsilon => 1)), 'no blocks');
SELECT alike((SELECT in_words FROM pegs_cost('m', 10, epsilon => 1)), 'epsilon 1 for 10 rows from urns: every cell of the table gets 5.82 made-up rows; the table needs about 105 real rows to outweigh them%', 'in words');
SELECT alike((SELECT in_words FROM pegs_cost('m', 10000, epsilon => 1, delta => 1e-9)), '%It is as much for any number of rows.', 'with delta');
SELECT lives_ok($$SELECT count(*) FROM pegs_sample('m', 100, epsilon => 1, delta => 1e-9) AS s("a b" text, b boolean, c int)$$);
SELECT is((SELECT delta_spent FROM pegs_budgets WHERE source = '"odd t"'::regclass), 1e-9, 'delta is charged');

---- what does not go with it
CREATE TABLE before AS SELECT spent();
SELECT throws_ok($$SELECT * FROM pegs_sample('m', 10, epsilon => 1, block => 2) AS s("a b" text, b boolean, c int)$$, '22023', 'rows of method "table sealed" have no blocks');
SELECT throws_ok($$SELECT * FROM pegs_sample('m', 10, epsilon => 1, options => '{"sweeps": 3}') AS s("a b" text, b boolean, c int)$$, '22023', 'unknown option "sweeps"');
SELECT throws_ok($$SELECT * FROM pegs_sample('m', 1000000000000, epsilon => 0.000001) AS s("a b" text, b boolean, c int)$$, '22023', 'epsilon is too small for so many rows');
SELECT throws_ok($$SELECT pegs_fit('x', '"odd t"', method => 'table', parents => '{}')$$, '22023', 'parents cannot be given with method "table sealed"');
SELECT throws_ok($$SELECT pegs_fit('x', '"odd t"', method => 'table', options => '{"rows": 3}')$$, '22023', 'unknown option "rows"');
SELECT throws_ok($$SELECT * FROM pegs_trace('m', epsilon => 1)$$, '22023', 'rows of method "table sealed" cannot be traced');
SELECT is((SELECT concat_ws(' ', neighbours > 0, outputs > 0, worst <= bound, round(bound::numeric, 3), holds, guarantee) FROM pegs_verify('m', 1, 2)), 't t t 1.000 t none', 'small urns are enumerated');
SELECT throws_ok($$SELECT pegs_verify('m', 1, 40)$$, '54000', 'model "m" has too many outputs to be enumerated');
SELECT throws_ok($$SELECT pegs_export('m')$$, '42809');
SELECT throws_ok($$SELECT pegs_refit('m')$$, '42809');
SELECT is(spent(), (SELECT * FROM before), 'nothing was charged');

---- audits: what all draws tell, exactly
SELECT is((SELECT (holds, exact_epsilon BETWEEN 0.01 AND 1) FROM pegs_audit('m', 100, epsilon => 1, n => 20))::text, '(t,t)', 'audited');
SELECT is((SELECT (holds, exact_epsilon BETWEEN 0.01 AND 1) FROM pegs_audit('m', 100, epsilon => 1, n => 1000, delta => 1e-6))::text, '(t,t)', 'with delta');
SELECT is((SELECT (holds, exact_epsilon) FROM pegs_audit('m', 100, epsilon => 1, n => 10, given => '{"c": 2, "a b": "x"}'))::text LIKE '(t,%', true, 'with what is given');

---- releases and grants
SELECT lives_ok($$SELECT pegs_release('r', 'm', 100, epsilon => 2)$$);
SELECT is((SELECT string_agg(s::text, ' ') FROM pegs_rows('r') AS s("a b" text, b boolean, c int)), (SELECT string_agg(s::text, ' ') FROM pegs_rows('r') AS s("a b" text, b boolean, c int)), 'a release stays');
SELECT alike(pegs_certificate_text('r'), '%an urn over the table of all columns%', 'its certificate');
SELECT is(pegs_describe('r') ->> 'draw' || (pegs_describe('r') ? 'block')::text, 'urnfalse', 'an urn, and no blocks');
SELECT lives_ok($$SELECT pegs_release('rd', 'm', 1000, epsilon => 1, delta => 1e-9)$$);
SELECT alike(pegs_certificate_text('rd'), '%Renyi divergence of the urns%', 'and what its delta is for');
SELECT pegs_grant('m', 'table_reader', epsilon => 3), pegs_grant('r', 'table_reader');
SET ROLE table_reader;
SELECT is((SELECT count(*) FROM pegs_sample('m', 10, epsilon => 1) AS s("a b" text, b boolean, c int)), 10::bigint, 'by a grant');
SELECT throws_ok($$SELECT * FROM pegs_sample('m', 10, epsilon => 1, delta => 1e-9) AS s("a b" text, b boolean, c int)$$, '42501', 'your share of the privacy budget has no delta');
SELECT throws_ok($$SELECT * FROM pegs_sample('m', 10, epsilon => 3) AS s("a b" text, b boolean, c int)$$, '53400');
SELECT is((SELECT count(*) FROM pegs_rows('r') AS s("a b" text, b boolean, c int)), 100::bigint, 'a release');
RESET ROLE;

---- within a column: an urn for each of its levels, rows from one after the other, and paid for by the draws from one
SELECT throws_ok($$SELECT pegs_fit('w', '"odd t"', method => 'table', options => '{"within": []}')$$, '22023', 'option "within" must be a list of columns of the model, each once');
SELECT throws_ok($$SELECT pegs_fit('w', '"odd t"', method => 'table', options => '{"within": ["nobody"]}')$$, '42703', '"within" names "nobody", which is not a column of the model');
SELECT throws_ok($$SELECT pegs_fit('w', '"odd t"', method => 'table', options => '{"within": ["a b", "b", "c"]}')$$, '22023', 'method "table sealed" cannot fit this: option "within" has all columns, so that nothing would be drawn');
SELECT throws_ok($$SELECT pegs_fit('w', '"odd t"', epsilon => 1, method => 'table', options => '{"within": ["c"]}')$$, '22023', 'method "table" cannot fit this: option "within" goes with "noise": "dirichlet" alone');
SELECT throws_ok($$SELECT pegs_fit('w', '"odd t"', epsilon => 1, method => 'table', options => '{"noise": "dirichlet", "rows": 90000000, "within": ["c"]}')$$, '22023',
	'method "table" cannot fit this: option "rows" times the combinations of "within" are more than 100,000,000');
SELECT throws_ok($$SELECT pegs_fit('w', '"odd t"', method => 'table', options => '{"within": ["c"], "guarantee": "none"}')$$, '22023', 'unknown option "within"');
SELECT lives_ok($$SELECT pegs_fit('w', '"odd t"', method => 'table', options => '{"within": ["a b"]}')$$);
SELECT is((SELECT array_agg(DISTINCT rows) FROM (SELECT count(*) AS rows FROM pegs_sample('w', 100 * (SELECT count(DISTINCT "a b") FROM "odd t"), epsilon => 5) AS s("a b" text, b boolean, c int) GROUP BY "a b") AS s),
	'{100}', 'as many rows of each level');
SELECT is((SELECT round(alpha::numeric, 1) FROM pegs_cost('w', 100 * (SELECT count(DISTINCT "a b") FROM "odd t"), epsilon => 1)), 58.2, 'and the price of one');
SELECT is((SELECT array_agg(DISTINCT rows) FROM (SELECT count(*) AS rows FROM pegs_sample('w', 100, epsilon => 5, options => '{"each": true}') AS s("a b" text, b boolean, c int) GROUP BY "a b") AS s),
	'{100}', 'each: so many of each level');
SELECT is((SELECT round(alpha::numeric, 1) FROM pegs_cost('w', 100, epsilon => 1, options => '{"each": true}')), 58.2, 'each: the price of one');
SELECT is((SELECT count(*) FROM pegs_sample('w', 7, epsilon => 1, given => '{"a b": "x"}', options => '{"each": true}') AS s("a b" text, b boolean, c int)), 7::bigint, 'each: of a level that is given, that one');
SELECT pegs_release('w each', 'w', 7, epsilon => 1, options => '{"each": true}');
SELECT is((SELECT array_agg(DISTINCT rows) FROM (SELECT count(*) AS rows FROM pegs_rows('w each') AS s("a b" text, b boolean, c int) GROUP BY "a b") AS s), '{7}', 'each: a release');
SELECT throws_ok($$SELECT * FROM pegs_sample('w', 7, epsilon => 1, options => '{"each": 1}') AS s("a b" text, b boolean, c int)$$, '22023', 'option "each" must be true or false');
SELECT throws_ok($$SELECT * FROM pegs_sample('w', 9223372036854775807, epsilon => 1, options => '{"each": true}') AS s("a b" text, b boolean, c int)$$, '22023', NULL, 'each: too many in all');
SELECT throws_ok($$SELECT * FROM pegs_sample('m', 7, epsilon => 1, options => '{"each": true}') AS s("a b" text, b boolean, c int)$$, '22023', 'unknown option "each"');
SELECT is((SELECT bool_and("a b" = 'x') FROM pegs_sample('w', 10, epsilon => 1, given => '{"a b": "x"}') AS s("a b" text, b boolean, c int)), true, 'of a level that is given, from one urn');
SELECT is((SELECT holds FROM pegs_audit('w', 100, epsilon => 1, n => 20)), true, 'audited');
SELECT is((SELECT holds FROM pegs_verify('w', 1, 2)), true, 'enumerated');
SELECT throws_ok($$SELECT pegs_fit('wd', '"odd t"', epsilon => 5, delta => 1e-7, method => 'table', options => '{"noise": "dirichlet", "rows": 9}')$$, '22023', 'draws of so few rows need no delta');
SELECT lives_ok($$SELECT pegs_fit('wd', '"odd t"', epsilon => 1, delta => 1e-7, method => 'table', options => '{"noise": "dirichlet", "rows": 300, "within": ["a b"]}')$$);
SELECT is((SELECT array_agg(DISTINCT rows) FROM (SELECT count(*) AS rows FROM pegs_sample('wd') AS s("a b" text, b boolean, c int) GROUP BY "a b") AS s), '{300}', 'drawn at the fit, as many of each level');
SELECT is((SELECT holds FROM pegs_audit('wd', 100)), true, 'audited');

---- forbidden combinations are no cells; persons have a part of epsilon and no delta
CREATE TABLE kinds (a text NOT NULL CHECK (a IN ('x', 'y')), b boolean NOT NULL, who int NOT NULL);
INSERT INTO kinds SELECT (ARRAY['x', 'y'])[1 + i % 2], i % 4 = 0, i FROM generate_series(1, 100) AS i;
SELECT pegs_set_budget('kinds', 1000, delta => 1e-6);
SELECT pegs_forbid('kinds', '{"a": "x", "b": true}');
SELECT lives_ok($$SELECT pegs_fit('z', 'kinds', ARRAY['a', 'b'], method => 'table')$$);
SELECT is((SELECT count(*) FROM pegs_sample('z', 1000, epsilon => 0.01) AS s(a text, b boolean) WHERE a = 'x' AND b), 0::bigint, 'no forbidden row');
SELECT throws_ok($$SELECT * FROM pegs_sample('z', 10, epsilon => 1, given => '{"a": "x", "b": true}') AS s(a text, b boolean)$$, '22023');
SELECT throws_ok($$SELECT * FROM pegs_sample('z', 10, epsilon => 1, delta => 1e-9) AS s(a text, b boolean)$$, '0A000', 'urns take no delta where the budget is kept in rho');
SELECT pegs_set_unit('kinds', 'who', 3);
SELECT lives_ok($$SELECT pegs_fit('u', 'kinds', ARRAY['a', 'b'], method => 'table')$$);
SELECT is((SELECT round(alpha::numeric, 2) FROM pegs_cost('u', 1000, epsilon => 3)), 581.98, 'of three rows a third of epsilon');
SELECT throws_ok($$SELECT * FROM pegs_sample('u', 10, epsilon => 1, delta => 1e-9) AS s(a text, b boolean)$$, '0A000', 'urns take no delta where a person has several rows');
SELECT is((SELECT holds FROM pegs_audit('u', 100, epsilon => 1, n => 20)), true, 'audited');

---- the bootstrap of the rows: its owner's
SELECT throws_ok($$SELECT pegs_fit('p', '"odd t"', epsilon => 1, method => 'table', options => '{"guarantee": "none"}')$$, '22023');
SELECT lives_ok($$SELECT pegs_fit('p', '"odd t"', method => 'table', options => '{"guarantee": "none"}')$$);
SELECT is((SELECT concat_ws(' ', stored(name), guarantee) FROM pegs_models WHERE name = 'p'), 'table published none', 'published');
SELECT is((SELECT count(*) FROM pegs_sample('p', 1000) AS s("a b" text, b boolean, c int)
	WHERE NOT EXISTS (SELECT FROM "odd t" AS t WHERE (t."a b", t.c) = (s."a b", s.c) AND t.b IS NOT DISTINCT FROM s.b)), 0::bigint, 'rows of the table');
SELECT throws_ok($$SELECT * FROM pegs_sample('p', 10, given => '{"a b": "x", "b": true}') AS s("a b" text, b boolean, c int)$$, '22023', 'the combination given has probability zero in model "p"');
SELECT throws_ok($$SELECT * FROM pegs_sample('p', 10, options => '{"draw": "apportioned"}') AS s("a b" text, b boolean, c int)$$, '22023');
SELECT throws_ok($$SELECT pegs_release('pr', 'p', 10)$$, '42809');
SELECT throws_ok($$SELECT pegs_grant('p', 'table_reader')$$, '42809');
SELECT alike(lines(), '%uncovered fit p, uncovered sample p%', 'the account is marked');

---- with epsilon, noise as draws from an urn: what is asked for
CREATE FUNCTION hint_of(call text) RETURNS text LANGUAGE plpgsql AS $$ DECLARE h text; BEGIN EXECUTE call; RETURN NULL; EXCEPTION WHEN OTHERS THEN GET STACKED DIAGNOSTICS h = PG_EXCEPTION_HINT; RETURN h; END $$;
CREATE TABLE spent_before AS SELECT spent();
SELECT throws_ok($$SELECT pegs_fit('d', '"odd t"', epsilon => 2, method => 'table', options => '{"noise": "dirichlet"}')$$, '22004', 'method "table" cannot fit this: option "noise": "dirichlet" needs the option "rows", how many are drawn');
SELECT is(hint_of($$SELECT pegs_fit('d', '"odd t"', epsilon => 2, method => 'table', options => '{"noise": "dirichlet"}')$$), $$options => '{"noise": "dirichlet", "rows": 50000}'$$, 'and how it is said');
SELECT throws_ok($$SELECT pegs_fit('d', '"odd t"', epsilon => 2, method => 'table', options => '{"rows": 5}')$$, '22023', 'method "table" cannot fit this: option "rows" goes with "noise": "dirichlet" alone');
SELECT throws_ok($$SELECT pegs_fit('d', '"odd t"', epsilon => 2, method => 'table', options => '{"noise": "dirichlet", "rows": 0}')$$, '22023', 'option "rows" must be a whole number from 1 to 100000000');
SELECT throws_ok($$SELECT pegs_fit('d', '"odd t"', epsilon => 2, method => 'table', options => '{"noise": "gauss", "rows": 9}')$$, '22023', 'option "noise" must be "added" or "dirichlet"');
SELECT throws_ok($$SELECT pegs_fit('d', '"odd t"', epsilon => 2, delta => 1e-9, method => 'table', options => '{"noise": "added"}')$$, '22023', 'a model of method "table" needs no delta');
SELECT is(spent(), (SELECT * FROM spent_before), 'nothing was charged');

---- it is paid once, and its rows are those that were drawn
SELECT lives_ok($$SELECT pegs_fit('d', '"odd t"', epsilon => 2, method => 'table', options => '{"noise": "dirichlet", "rows": 900}')$$);
SELECT is(spent() - (SELECT * FROM spent_before), 2::numeric, 'charged');
SELECT is((SELECT count(*) FROM pegs_sample('d') AS s("a b" text, b boolean, c int)), 900::bigint, 'as many rows as were drawn');
SELECT bag_eq($$SELECT * FROM pegs_sample('d', 900) AS s("a b" text, b boolean, c int)$$, $$SELECT * FROM pegs_sample('d', 900, options => '{"fresh": true}') AS s("a b" text, b boolean, c int)$$, 'the same ones under another key');
SELECT is((SELECT round((pegs_describe('d') ->> 'alpha')::numeric, 2)), 140.87, 'n/(e^epsilon - 1)');
SELECT is(pegs_describe('d') ->> 'mechanism', 'noise in every cell of the table of all columns: rows drawn from urns, each put back double', 'what it is');
SELECT is(pegs_describe('d') ->> 'accounting', 'urns, whatever the cells hold', 'how it adds up');
SELECT is(spent() - (SELECT * FROM spent_before), 2::numeric, 'once');
SELECT is((SELECT (holds, exact_epsilon BETWEEN 0.01 AND 2) FROM pegs_audit('d', 100))::text, '(t,t)', 'audited');
SELECT lives_ok($$SELECT pegs_import('d file', pegs_export('d'))$$);
SELECT bag_eq($$SELECT * FROM pegs_sample('d file', 900) AS s("a b" text, b boolean, c int)$$, $$SELECT * FROM pegs_sample('d', 900) AS s("a b" text, b boolean, c int)$$, 'a file');

---- with delta: as close for any number of rows
SELECT lives_ok($$SELECT pegs_fit('dd', '"odd t"', epsilon => 2, delta => 1e-7, method => 'table', options => '{"noise": "dirichlet", "rows": 100000}')$$);
SELECT is((SELECT (pegs_describe('dd') ->> 'alpha')::numeric < 20 AND NOT pegs_describe('dd') ? 'rho'), true, 'alpha is small, and there is no rho');
SELECT unalike(pegs_certificate_text('dd'), '%zCDP%', 'nor in the certificate');
SELECT is((d ? 'budget', d ? 'spent', d -> 'record')::text, (false, false, '[{"what": "draws from urns", "uses": 1, "share": 1.0000}]'::jsonb)::text, 'nor under another name') FROM pegs_describe('dd') AS d;
SELECT is((d -> 'budget', d -> 'spent', d -> 'record' -> 0 -> 'cost')::text, '(2,2,2)', 'without delta they are the epsilon') FROM pegs_describe('d') AS d;
SELECT pegs_fit('in rho', '"odd t"', epsilon => 2, delta => 1e-7);
SELECT is(array_agg(DISTINCT position(left(pegs_describe('in rho') ->> 'budget', 8) IN said)), '{0}', 'nor in any words') FROM unnest(ARRAY[pegs_describe('dd')::text, pegs_certificate('dd')::text, pegs_certificate_text('dd'), pegs_summary('dd'), pegs_report('dd')]) AS said;
SELECT is((SELECT (holds, exact_epsilon BETWEEN 0.01 AND 2) FROM pegs_audit('dd', 100))::text, '(t,t)', 'audited');
SELECT lives_ok($$SELECT pegs_refit('dd', 1)$$, 'fitted anew');
SELECT is((SELECT round((pegs_describe('dd') ->> 'rows')::numeric)), 100000::numeric, 'with the same options');
SELECT throws_ok($$SELECT pegs_fit('k', 'kinds', ARRAY['a', 'b'], epsilon => 1, delta => 1e-7, method => 'table', options => '{"noise": "dirichlet", "rows": 100}')$$, '0A000', 'urns take no delta where a person has several rows');
SELECT throws_ok($$SELECT pegs_fit('k', 'kinds', ARRAY['a', 'b'], epsilon => 1, delta => 1e-7, method => 'table', options => '{"noise": "dirichlet", "rows": 100, "within": ["a"]}')$$, '0A000', 'urns take no delta where a person has several rows');
SELECT lives_ok($$SELECT pegs_fit('k', 'kinds', ARRAY['a', 'b'], epsilon => 3, method => 'table', options => '{"noise": "dirichlet", "rows": 1000}')$$);
SELECT is((SELECT round((pegs_describe('k') ->> 'alpha')::numeric, 2)), 581.98, 'of three rows a third of epsilon');
SELECT is((SELECT count(*) FROM pegs_sample('k', 1000) AS s(a text, b boolean) WHERE a = 'x' AND b), 0::bigint, 'no forbidden row');
SELECT pegs_set_unit('kinds', NULL);
SELECT throws_ok($$SELECT pegs_fit('k2', 'kinds', ARRAY['a', 'b'], epsilon => 1, delta => 1e-7, method => 'table', options => '{"noise": "dirichlet", "rows": 100}')$$, '0A000', 'urns take no delta where the budget is kept in rho');
SELECT throws_ok($$SELECT pegs_refit('k', 1, 1e-7)$$);

-- slices are fits like others
CREATE TABLE visits (region text NOT NULL CHECK (region IN ('north', 'south')), fee int NOT NULL CHECK (fee IN (1, 2)));
INSERT INTO visits SELECT CASE WHEN i % 2 = 0 THEN 'north' ELSE 'south' END, 1 + i % 2 FROM generate_series(1, 100) AS i;
CREATE TRIGGER zz_keep_slices BEFORE UPDATE ON visits FOR EACH ROW EXECUTE FUNCTION pegs_keep_slices('region');
ALTER TABLE visits ENABLE ALWAYS TRIGGER zz_keep_slices;
SELECT pegs_set_budget('visits', 10, delta => 1e-6);
SELECT pegs_set_slices('visits', 'region', slices => ARRAY['north', 'south'], epsilon => 1, delta => 1e-7);
SELECT throws_ok($$SELECT pegs_fit_slices('v', 'visits', method => 'table', options => '{"noise": "dirichlet", "rows": 100}')$$, '0A000', 'urns take no delta where the budget is kept in rho');
SELECT is(pegs_fit_slices('v', 'visits', method => 'table', options => '{}'), 2::bigint, 'added noise does');
SELECT throws_ok($$SELECT pegs_fit_slices('v', 'visits', options => '{"noise": "dirichlet", "rows": 5}')$$, '22023', 'model "v" has other options', 'options are those of its method, which need not be named');

SELECT * FROM finish();
