-- Method 'copula', from SQL: normals behind the columns.
SET client_min_messages = warning;
CREATE EXTENSION pegs;
SELECT plan(110);

CREATE FUNCTION hint_of(statement text) RETURNS text LANGUAGE plpgsql AS $$ DECLARE hint text; BEGIN EXECUTE statement; EXCEPTION WHEN OTHERS THEN GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT; RETURN hint; END $$;
-- b goes with a, and is NULL more often where a is large; the levels of c are declared out of order
CREATE TABLE facts ("A ""first""" int NOT NULL CHECK ("A ""first""" BETWEEN 0 AND 99), b numeric(6,2), c int NOT NULL, d boolean NOT NULL, e text NOT NULL CHECK (e IN ('x', 'y', 'z')));
INSERT INTO facts SELECT i % 100, CASE WHEN i % 100 < 50 OR i % 7 > 2 THEN ((i % 100) + (i / 100 * 7) % 23) * 4.5 END, (ARRAY[1, 5, 10, 20])[1 + (i % 100 + (i / 100 * 3) % 30) / 33], i / 100 % 2 = 0,
	(ARRAY['x', 'y', 'z'])[1 + (i / 200) % 3] FROM generate_series(0, 9999) AS i;
SELECT pegs_set_bins('facts', 'b', low => '0', high => '600', bins => 30), pegs_set_levels('facts', 'c', '{10, 1, 20, 5}');
SELECT pegs_set_budget('facts', 10000, delta => 1e-3, accounting => 'sum');
SELECT lives_ok($$SELECT pegs_fit('cop', 'facts', epsilon => 100, method => 'copula')$$);
SELECT is((SELECT method FROM pegs_internal.model WHERE name = 'cop'), 'copula', 'stored as such');
SELECT is((SELECT spent FROM pegs_budgets), 100::numeric, 'and charged');

---- as good as no noise: correlations, margins and NULLs of the table
CREATE FUNCTION told(rows text) RETURNS float8[] LANGUAGE plpgsql AS $$ DECLARE t float8[]; BEGIN EXECUTE format('SELECT ARRAY[corr(a, b), corr(a, c), corr(b, c), corr(a, (b IS NULL)::int), avg(a) / 100, avg(b) / 600, avg(c) / 20,
	avg((b IS NULL)::int), avg(d::int), corr(a, d::int)] FROM (%s) AS s(a, b, c, d, e)', rows) INTO t; RETURN t; END $$;
CREATE FUNCTION far(x float8[], y float8[]) RETURNS float8 LANGUAGE sql AS $$ SELECT max(abs(p - q)) FROM unnest(x, y) AS u (p, q) $$;
SELECT cmp_ok(far(told('TABLE facts'), told($$SELECT * FROM pegs_sample('cop', 20000) AS s("A ""first""" int, b numeric(6,2), c int, d boolean, e text)$$)), '<', 0.15::float8, 'rows are like those of the table');
SELECT cmp_ok(abs(corr("A ""first""", b)), '>', 0.8::float8, 'numbers keep their correlation') FROM pegs_sample('cop', 20000) AS s("A ""first""" int, b numeric(6,2), c int, d boolean, e text);
SELECT is((SELECT count(*) FROM pegs_sample_as(NULL::facts, 'cop', 300) AS s WHERE s."A ""first""" BETWEEN 0 AND 99), 300::bigint, 'names that need quotes');
SELECT is(pegs_describe('cop') - 'spec' - 'record' - 'public', '{"kind": "perturbed", "method": "copula", "name": "cop", "rows": 10000, "unit": "one row", "delta": 0, "spent": 100, "budget": 100, "counts": "read by pegs_fit", "read": "by an aggregate", "object": "model", "scores": "grades",
	"epsilon": 100, "normals": 6, "guarantee": "(epsilon, delta)-differentially private at fit; rows are post-processing", "accounting": "pure epsilon, discrete Laplace", "neighbours": "add or remove one row",
	"mechanism": "noise in every 1-way table and in what is looked at of each two columns; normals behind them", "sigma_of_a_sum": 0.329983}', 'what is said of it');
SELECT is((SELECT string_agg(r ->> 'what' || ' ' || (r ->> 'uses') || ' ' || (r ->> 'share'), ', ') FROM jsonb_array_elements(pegs_describe('cop') -> 'record') AS r), '1-way tables 5 0.4000, sums of scores 14 0.6000', 'and what was spent on what');
SELECT is(pegs_certificate('cop') ->> 'mechanism', pegs_describe('cop') ->> 'mechanism', 'a certificate');
SELECT is((SELECT holds FROM pegs_audit('cop', 200)), true, 'audited');
SELECT is((SELECT count(*) FROM pegs_pairs('cop')), 0::bigint, 'no table of a pair was measured');

---- what is given: one column
SELECT is((SELECT array_agg(DISTINCT c) FROM pegs_sample('cop', 500, given => '{"c": 20}') AS s("A ""first""" int, b numeric(6,2), c int, d boolean, e text)), '{20}', 'a level');
SELECT cmp_ok((SELECT avg("A ""first""") FROM pegs_sample('cop', 2000, given => '{"c": 20}') AS s("A ""first""" int, b numeric(6,2), c int, d boolean, e text)), '>', 75::numeric, 'and what goes with it');
SELECT is((SELECT count(b) FROM pegs_sample('cop', 500, given => '{"b": null}') AS s("A ""first""" int, b numeric(6,2), c int, d boolean, e text)), 0::bigint, 'a NULL');
SELECT cmp_ok((SELECT avg("A ""first""") FROM pegs_sample('cop', 2000, given => '{"b": null}') AS s("A ""first""" int, b numeric(6,2), c int, d boolean, e text)), '>', 62::numeric, 'and what goes with it');
SELECT throws_ok($$SELECT * FROM pegs_sample('cop', 1, given => '{"b": null, "c": 1}') AS s("A ""first""" int, b numeric(6,2), c int, d boolean, e text)$$, '0A000', 'given names 2 columns, and method "copula" takes at most 1');
SELECT throws_ok($$SELECT * FROM pegs_sample('cop', 1, options => '{"draw": "apportioned"}') AS s("A ""first""" int, b numeric(6,2), c int, d boolean, e text)$$, '22023', 'option "draw" must be "independent", or left out, with method "copula"');

---- releases, grants, files
SELECT lives_ok($$SELECT pegs_release('cop release', 'cop', 200)$$);
SELECT is(pegs_describe('cop release') ->> 'draw', 'independent', 'its rows are independent, and it says so');
SELECT bag_eq($$SELECT * FROM pegs_rows('cop release') AS s("A ""first""" int, b numeric(6,2), c int, d boolean, e text)$$, $$SELECT * FROM pegs_rows('cop release') AS s("A ""first""" int, b numeric(6,2), c int, d boolean, e text)$$, 'the same rows each time');
CREATE ROLE copula_reader;
SELECT lives_ok($$SELECT pegs_grant('cop', 'copula_reader')$$);
SET ROLE copula_reader;
SELECT is((SELECT count(*) FROM pegs_sample('cop', 50) AS s("A ""first""" int, b numeric(6,2), c int, d boolean, e text)), 50::bigint, 'rows are free');
RESET ROLE;
SELECT pegs_revoke('cop', 'copula_reader');
DROP ROLE copula_reader;
SELECT is((SELECT spent FROM pegs_budgets), 100::numeric, 'nothing but the fit was charged');
SELECT lives_ok($$SELECT pegs_import('again', pegs_export('cop'))$$);
SELECT is(pegs_export('again'), pegs_export('cop'), 'a file');
SELECT cmp_ok((SELECT tv FROM (SELECT avg(value) AS tv FROM pegs_utility_of('cop', 2, ARRAY['tables']) WHERE measure = 'tv1') AS u), '<', 0.05::float8, 'columns are as they are');

---- fitted anew, of a state, of a person
SELECT lives_ok($$SELECT pegs_fit('noisy', 'facts', epsilon => 0.5, delta => 1e-9, options => '{"nearest": "higham"}', method => 'copula')$$);
SELECT is(pegs_describe('noisy') ->> 'accounting', 'zCDP (rho), discrete Gaussian', 'with delta');
SELECT lives_ok($$SELECT pegs_refit('noisy', 100)$$);
SELECT cmp_ok(far(told('TABLE facts'), told($$SELECT * FROM pegs_sample('noisy', 20000) AS s("A ""first""" int, b numeric(6,2), c int, d boolean, e text)$$)), '<', 0.15::float8, 'fitted anew, by the same method');
SELECT is(pegs_describe('noisy') -> 'spec' -> 'options', '{"nearest": "higham"}', 'and with the same option');
SELECT lives_ok($$SELECT pegs_fit_state('of a state', 'facts', (SELECT pegs_agg((SELECT pegs_spec('facts', method => 'copula')), "A ""first""", b, c, d, e) FROM facts), epsilon => 100, method => 'copula')$$);
SELECT cmp_ok(far(told('TABLE facts'), told($$SELECT * FROM pegs_sample('of a state', 20000) AS s("A ""first""" int, b numeric(6,2), c int, d boolean, e text)$$)), '<', 0.15::float8, 'of a state');

---- zeros
SELECT pegs_forbid('facts', '{"d": true, "e": ["x", "y"]}');
DELETE FROM facts WHERE d AND e IN ('x', 'y');
SELECT lives_ok($$SELECT pegs_fit('zeros', 'facts', epsilon => 100, method => 'copula')$$);
SELECT is((SELECT count(*) FROM pegs_sample('zeros', 2000) AS s("A ""first""" int, b numeric(6,2), c int, d boolean, e text) WHERE d AND e <> 'z'), 0::bigint, 'what is forbidden does not come');
SELECT cmp_ok((SELECT count(*) FROM pegs_sample('zeros', 2000, given => '{"d": true}') AS s("A ""first""" int, b numeric(6,2), c int, d boolean, e text) WHERE e = 'z'), '=', 2000::bigint, 'nor where something is given');

---- what it does not take
SELECT throws_ok($$SELECT pegs_fit('m', 'facts', method => 'copula')$$, '22004', 'epsilon must not be null: a model of method "copula" is paid for when it is fitted');
SELECT throws_ok($$SELECT pegs_fit('m', 'facts', epsilon => 1, options => '{"nearest": "other"}', method => 'copula')$$, '22023', 'option "nearest" must be "lifted" or "higham"');
SELECT is(hint_of($$SELECT pegs_fit('m', 'facts', epsilon => 1, options => '{"nearst": "higham"}', method => 'copula')$$), 'Did you mean "nearest"? Method "copula" knows: nearest, coding, by, correlation, rows.', 'an option that it does not know');
SELECT throws_ok($$SELECT pegs_fit('m', 'facts', epsilon => 1, parents => '{}', method => 'copula')$$, '22023', 'parents cannot be given with epsilon');
DO $$ BEGIN EXECUTE (SELECT 'CREATE TABLE many (' || string_agg('c' || i || ' boolean', ', ') || ')' FROM generate_series(1, 1001) AS i); END $$;
SELECT pegs_set_budget('many', 10);
SELECT throws_ok($$SELECT pegs_fit('m', 'many', epsilon => 1, method => 'copula')$$, '54000', 'method "copula" cannot fit this: a copula has at most 2,000 normal variables');

---- an empty table
CREATE TABLE none (LIKE facts INCLUDING CONSTRAINTS);
SELECT pegs_set_bins('none', 'b', low => '0', high => '600', bins => 30), pegs_set_levels('none', 'c', '{10, 1, 20, 5}'), pegs_set_budget('none', 10);
SELECT lives_ok($$SELECT pegs_fit('none', 'none', epsilon => 1, method => 'copula')$$);
SELECT is((SELECT count(*) FROM pegs_sample('none', 100) AS s("A ""first""" int, b numeric(6,2), c int, d boolean, e text)), 100::bigint, 'of an empty table');

---- a normal for each level
CREATE TABLE words (a text NOT NULL CHECK (a IN ('k', 'l', 'm', 'n')), b text CHECK (b IN ('p', 'q', 'r')), c boolean NOT NULL);
INSERT INTO words SELECT (ARRAY['k', 'l', 'm', 'n'])[1 + i % 4], CASE WHEN i % 4 = 3 THEN NULL ELSE (ARRAY['p', 'q', 'r'])[1 + (CASE WHEN i % 5 = 0 THEN i / 4 ELSE 2 * i END) % 4 % 3] END, i / 20 % 2 = 0 FROM generate_series(0, 9999) AS i;
SELECT pegs_set_budget('words', 1000);
CREATE FUNCTION apart(x text, y text) RETURNS float8 LANGUAGE plpgsql AS $$ DECLARE d float8; BEGIN EXECUTE format('SELECT sum(abs(coalesce(p, 0) - coalesce(q, 0))) / 2 FROM (SELECT a::text || coalesce(b, ''-'') AS k,
	count(*)::float8 / sum(count(*)) OVER () AS p FROM (%s) AS s(a, b, c) GROUP BY 1) AS x FULL JOIN (SELECT a::text || coalesce(b, ''-'') AS k, count(*)::float8 / sum(count(*)) OVER () AS q FROM (%s) AS s(a, b, c) GROUP BY 1) AS y USING (k)', x, y) INTO d; RETURN d; END $$;
SELECT lives_ok($$SELECT pegs_fit('levels', 'words', epsilon => 50, options => '{"coding": "dummy"}', method => 'copula')$$);
SELECT cmp_ok(apart('TABLE words', $$SELECT * FROM pegs_sample('levels', 20000) AS s(a text, b text, c boolean)$$), '<', 0.2::float8, 'levels without an order keep what goes with what, NULLs too');
SELECT is(pegs_describe('levels') - 'spec' - 'record' - 'public' - 'mechanism' - 'guarantee' - 'neighbours' - 'sigma_of_a_pair', '{"kind": "perturbed", "method": "copula", "name": "levels", "rows": 10000, "unit": "one row", "delta": 0, "spent": 50, "budget": 50, "counts": "read by pegs_fit", "read": "by an aggregate",
	"object": "model", "options": {"coding": "dummy"}, "epsilon": 50, "normals": 10, "accounting": "pure epsilon, discrete Laplace"}', 'what is said of it');
SELECT is((SELECT string_agg(r ->> 'what' || ' ' || (r ->> 'uses') || ' ' || (r ->> 'share'), ', ') FROM jsonb_array_elements(pegs_describe('levels') -> 'record') AS r), '1-way tables 3 0.4000, pair and triple tables 3 0.6000', 'and what was spent on what');
SELECT is((SELECT holds FROM pegs_audit('levels', 100)), true, 'audited');
SELECT is((SELECT array_agg(DISTINCT b) FROM pegs_sample('levels', 300, given => '{"b": "q"}') AS s(a text, b text, c boolean)), '{q}', 'a level that is given');
SELECT lives_ok($$SELECT pegs_refit('levels', 50)$$);
SELECT is(pegs_describe('levels') -> 'options', '{"coding": "dummy"}', 'fitted anew, likewise');

---- of exact counts
SELECT throws_ok($$SELECT pegs_fit('m', 'words', method => 'copula published')$$, '22023', 'method "copula published" has no guarantee');
SELECT lives_ok($$SELECT pegs_fit('exact', 'words', options => '{"guarantee": "none"}', method => 'copula')$$);
SELECT lives_ok($$SELECT pegs_fit('alone', 'words', options => '{"guarantee": "none", "form": "cop-ID"}', method => 'copula')$$);
SELECT lives_ok($$SELECT pegs_fit('one', 'words', options => '{"guarantee": "none", "form": "cop-1"}', method => 'copula')$$);
SELECT is((SELECT string_agg(concat_ws(' ', m.name, i.method, m.guarantee), ', ' ORDER BY m.name) FROM pegs_models AS m JOIN pegs_internal.model AS i USING (name) WHERE name IN ('exact', 'one')), 'exact copula published none, one copula published none', 'what they are');
SELECT cmp_ok(apart('TABLE words', $$SELECT * FROM pegs_sample('exact', 20000) AS s(a text, b text, c boolean)$$), '<', 0.2::float8, 'cop');
SELECT cmp_ok(apart('TABLE words', $$SELECT * FROM pegs_sample('alone', 20000) AS s(a text, b text, c boolean)$$), '>', 0.4::float8, 'cop-ID: columns are independent');
SELECT is((SELECT array_agg(DISTINCT concat_ws(' ', a, c)) FROM pegs_sample('one', 2000) AS s(a text, b text, c boolean)), '{"k f","l f","m t","n t"}', 'cop-1: one normal for all');
SELECT throws_ok($$SELECT pegs_fit('m', 'words', options => '{"guarantee": "none", "form": "cop-2"}', method => 'copula')$$, '22023', 'option "form" must be "cop", "cop-ID" or "cop-1"');
SELECT throws_ok($$SELECT pegs_fit('m', 'words', epsilon => 1, options => '{"form": "cop"}', method => 'copula')$$, '22023', 'unknown option "form"');
SELECT throws_ok($$SELECT pegs_fit('m', 'many', epsilon => 1, options => '{"coding": "dummy"}', method => 'copula')$$, '54000', 'method "copula" cannot fit this: with a normal variable for each level a copula has at most 2,000 levels, of all columns together');
---- by Kendall's tau
SELECT lives_ok($$SELECT pegs_fit('tau', 'facts', epsilon => 300, options => '{"correlation": "kendall"}', method => 'copula')$$);
SELECT cmp_ok(far(told('TABLE facts'), told($$SELECT * FROM pegs_sample('tau', 20000) AS s("A ""first""" int, b numeric(6,2), c int, d boolean, e text)$$)), '<', 0.15::float8, 'what goes together does');
SELECT ok(pegs_describe('tau') ?& '{tau_of_rows, sigma_of_a_tau, normals}' AND NOT pegs_describe('tau') ? 'scores', 'what is said of it');
SELECT is((SELECT string_agg(r ->> 'what' || ' ' || (r ->> 'uses') || ' ' || (r ->> 'share'), ', ') FROM jsonb_array_elements(pegs_describe('tau') -> 'record') AS r), '1-way tables 5 0.4000, concordant minus discordant pairs of rows 14 0.6000', 'what was spent on what');
SELECT is(pegs_certificate('tau') ->> 'mechanism', 'noise in every 1-way table and in concordant minus discordant pairs of rows of each two columns; normals behind them', 'the certificate says what was looked at');
SELECT is((SELECT holds FROM pegs_audit('tau', 100)), true, 'audited');
SELECT lives_ok($$SELECT pegs_refit('tau', 300)$$);
SELECT lives_ok($$SELECT pegs_fit('tau of some', 'facts', epsilon => 300, options => '{"correlation": "kendall", "rows": 500}', method => 'copula')$$);
SELECT is(pegs_describe('tau of some') ->> 'tau_of_rows', '500', 'of some rows');
SELECT is((SELECT holds FROM pegs_audit('tau of some', 100)), true, 'audited');
SELECT lives_ok($$SELECT pegs_import('tau again', pegs_export('tau of some'))$$);
SELECT is(pegs_export('tau again'), pegs_export('tau of some'), 'a file');
SELECT is(pegs_certificate('tau again') ->> 'mechanism', pegs_certificate('tau of some') ->> 'mechanism', 'whose certificate says the same');
SELECT throws_ok($$SELECT pegs_fit('m', 'facts', epsilon => 1, options => '{"correlation": "kendall", "by": ["c"]}', method => 'copula')$$, '22023', 'method "copula" cannot fit this: correlation "kendall" and "by" cannot be given together');
SELECT throws_ok($$SELECT pegs_fit('m', 'facts', epsilon => 1, options => '{"correlation": "kendall", "coding": "dummy"}', method => 'copula')$$, '22023', 'method "copula" cannot fit this: correlation "kendall" and coding "dummy" cannot be given together');
SELECT throws_ok($$SELECT pegs_fit('m', 'facts', epsilon => 1, options => '{"rows": 100}', method => 'copula')$$, '22023', 'method "copula" cannot fit this: "rows" are those of "correlation": "kendall"');
SELECT throws_ok($$SELECT pegs_fit_state('m', 'facts', (SELECT pegs_agg((SELECT pegs_spec('facts', method => 'copula')), "A ""first""", b, c, d, e) FROM facts), epsilon => 1, options => '{"correlation": "kendall"}', method => 'copula')$$,
	'0A000', 'method "copula" reads the rows more than once here: a state has none');

SELECT throws_ok(format($$SELECT pegs_fit('m', 'facts', epsilon => 1, options => '{"correlation": "kendall", "rows": %s}', method => 'copula')$$, n), '22023', 'option "rows" must be a whole number from 2 to 16777216') FROM unnest('{1, 16777217}'::int[]) AS n;

---- one column alone; one that has one level
CREATE TABLE alone (a int NOT NULL CHECK (a BETWEEN 1 AND 3), b int NOT NULL CHECK (b = 7));
SELECT pegs_set_budget('alone', 10);
SELECT lives_ok($$SELECT pegs_fit('alone a', 'alone', '{a}', epsilon => 1, method => 'copula'), pegs_fit('alone b', 'alone', epsilon => 1, method => 'copula')$$);
SELECT is((SELECT count(*) FROM pegs_sample('alone a', 50) AS s(a int) WHERE a BETWEEN 1 AND 3), 50::bigint, 'one column');
SELECT is((SELECT count(*) FROM pegs_sample('alone b', 50) AS s(a int, b int) WHERE b = 7), 50::bigint, 'one level');

---- by groups: correlations differ by g, which has no order; nobody is in d
CREATE TABLE grouped (x int NOT NULL CHECK (x BETWEEN 0 AND 19), g text NOT NULL CHECK (g IN ('a', 'b', 'c', 'd')), y int CHECK (y BETWEEN 0 AND 9), p int);
INSERT INTO grouped SELECT i % 20, g, CASE WHEN g = 'b' THEN 9 - i % 20 / 2 WHEN g = 'a' THEN i % 20 / 2 WHEN i % 3 > 0 THEN i / 20 % 10 END, i FROM generate_series(0, 5999) AS i, LATERAL (SELECT substr('abc', 1 + i / 7 % 3, 1)) AS s (g);
SELECT pegs_set_budget('grouped', 100000, delta => 1e-3, accounting => 'sum');
SELECT lives_ok($$SELECT pegs_fit('by', 'grouped', '{x, g, y}', epsilon => 100, options => '{"by": ["g"]}', method => 'copula')$$);
CREATE VIEW made AS SELECT * FROM pegs_sample('by', 6000) AS s(x int, g text, y int);
CREATE VIEW each AS SELECT g, round(corr(x, y)::numeric) AS r, round(avg((y IS NULL)::int), 1) AS nulls, round(count(*)::numeric, -3) AS n FROM made GROUP BY g;
SELECT is((SELECT string_agg(g || ' ' || r, ', ' ORDER BY g) FROM each), 'a 1, b -1, c 0', 'each group has its own correlation');
SELECT is((SELECT string_agg(g || ' ' || nulls || ' ' || n, ', ' ORDER BY g) FROM each), 'a 0.0 2000, b 0.0 2000, c 0.3 2000', 'its own NULLs, and as many rows');
SELECT is((SELECT string_agg(r ->> 'what' || ' ' || (r ->> 'uses') || ' ' || (r ->> 'share'), ', ') FROM jsonb_array_elements(pegs_describe('by') -> 'record') AS r), '1-way tables 2 0.3200, sums of scores 2 0.4800, table of groups 1 0.2000', 'what was spent on what');
SELECT is((SELECT string_agg(key || ' ' || value, ', ' ORDER BY key) FROM jsonb_each(pegs_describe('by')) WHERE key ~ '^(by|cells|cells_with_rows|normals|scores|sigma_of_a_cell)$'),
	'by ["g"], cells 4, cells_with_rows 3, normals 3, scores "by group", sigma_of_a_cell 0.0707107', 'what is said of it');
SELECT is((pegs_describe('by') ->> 'cells_with_pooled_correlations')::int, 0, 'each has correlations of its own');
SELECT is(pegs_certificate('by') -> 'by', '["g"]', 'the certificate says by what');
SELECT is((SELECT string_agg(DISTINCT g, '') FROM pegs_sample('by', 300, given => '{"g": "b"}') AS s(x int, g text, y int)), 'b', 'a group may be given');
SELECT is((SELECT string_agg(DISTINCT g, '') FROM pegs_sample('by', 300, given => '{"y": null}') AS s(x int, g text, y int)), 'c', 'or what one group alone has');
SELECT throws_ok($$SELECT * FROM pegs_sample('by', 300, given => '{"g": "d"}') AS s(x int, g text, y int)$$, '22023', NULL, 'not one without rows');
SELECT is((SELECT holds FROM pegs_audit('by', 200)), true, 'audited');
SELECT lives_ok($$SELECT pegs_refit('by', 100)$$);
SELECT cmp_ok((SELECT corr(x, y) FROM pegs_sample('by', 6000) AS s(x int, g text, y int) WHERE g = 'b'), '<', -0.9::float8, 'fitted anew, by the same column');
SELECT throws_ok($$SELECT pegs_fit_state('m', 'facts', (SELECT pegs_agg((SELECT pegs_spec('facts', method => 'copula')), "A ""first""", b, c, d, e) FROM facts), epsilon => 1, options => '{"by": ["c"]}', method => 'copula')$$,
	'0A000', 'method "copula" reads the rows more than once here: a state has none');
SELECT throws_ok($$SELECT pegs_fit('m', 'grouped', '{x, g}', epsilon => 1, options => '{"by": ["x", "g"]}', method => 'copula')$$, '22023', 'method "copula" cannot fit this: option "by" names all columns');
SELECT throws_ok($$SELECT pegs_fit('m', 'facts', epsilon => 1, options => '{"by": ["A \"first\"", "c", "e"]}', method => 'copula')$$, '22023', 'method "copula" cannot fit this: the columns of "by" have more than 1,024 cells');
SELECT throws_ok($$SELECT pegs_fit('m', 'grouped', '{x, g}', epsilon => 1, options => '{"by": ["g"], "coding": "dummy"}', method => 'copula')$$, '22023', 'method "copula" cannot fit this: coding "dummy" and "by" cannot be given together');
SELECT throws_ok($$SELECT pegs_fit('m', 'grouped', '{x, g}', epsilon => 1, options => '{"by": ["y"]}', method => 'copula')$$, '42703', '"by" names "y", which is not a column of the model');
SELECT lives_ok($$SELECT pegs_fit('one other', 'grouped', '{g, y}', epsilon => 100, delta => 1e-9, options => '{"by": ["g"]}', method => 'copula')$$);
SELECT is((SELECT string_agg(DISTINCT g, '') FROM pegs_sample('one other', 300, given => '{"y": null}') AS s(g text, y int)), 'c', 'one other column: its table in each group');
SELECT lives_ok($$SELECT pegs_import('copy', pegs_export('by'))$$);
SELECT is((SELECT string_agg(DISTINCT g, '' ORDER BY g) FROM pegs_sample('copy', 500) AS s(x int, g text, y int)), 'abc', 'a file is read');
SELECT pegs_set_unit('grouped', 'p', 3);
SELECT lives_ok($$SELECT pegs_fit('persons', 'grouped', '{x, g, y}', epsilon => 300, options => '{"by": ["g"]}', method => 'copula')$$);
SELECT cmp_ok((SELECT corr(x, y) FROM pegs_sample('persons', 6000) AS s(x int, g text, y int) WHERE g = 'b'), '<', -0.9::float8, 'of persons');
TRUNCATE grouped;
SELECT lives_ok($$SELECT pegs_fit('nobody', 'grouped', '{x, g, y}', epsilon => 1, options => '{"by": ["g"]}', method => 'copula')$$);
SELECT is((SELECT count(*) FROM pegs_sample('nobody', 100) AS s(x int, g text, y int)), 100::bigint, 'of an empty table, by groups');

SELECT * FROM finish();
