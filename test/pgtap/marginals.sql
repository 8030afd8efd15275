-- Tables of single columns: noisy, paid at the fit; as urns, which every call pays for; and the bootstrap of each column, which guarantees nothing.
SET client_min_messages = warning;
CREATE EXTENSION pegs;
SELECT plan(67);

CREATE TABLE "odd t" ("a b" text NOT NULL CHECK ("a b" IN ('x', 'y', '"z''')), b boolean, c numeric NOT NULL);
INSERT INTO "odd t" SELECT (ARRAY['x', 'y', '"z'''])[1 + i % 3], nullif(i % 3, 2) = 1, i % 100 FROM generate_series(1, 900) AS i;
SELECT pegs_set_bins('"odd t"', 'c', low => '0', high => '100', bins => 20);
SELECT pegs_set_budget('"odd t"', 20000, delta => 1e-6, accounting => 'sum');
CREATE FUNCTION spent() RETURNS numeric LANGUAGE sql AS $$ SELECT spent FROM pegs_budgets WHERE source = '"odd t"'::regclass $$;
CREATE FUNCTION hint_of(statement text) RETURNS text LANGUAGE plpgsql AS $$ DECLARE hint text; BEGIN EXECUTE statement; EXCEPTION WHEN OTHERS THEN GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT; RETURN hint; END $$;
CREATE ROLE marginals_reader;
CREATE FUNCTION stored(name text) RETURNS text LANGUAGE sql AS $$ SELECT method FROM pegs_internal.model WHERE name = $1 $$;

---- with epsilon
SELECT lives_ok($$SELECT pegs_fit('m', '"odd t"', epsilon => 1000, method => 'marginals')$$);
SELECT is((SELECT concat_ws(' ', stored(name), kind, guarantee, method) FROM pegs_models WHERE name = 'm'), 'marginals perturbed differential privacy marginals', 'perturbed');
SELECT is(spent(), 1000::numeric, 'paid for');
SELECT is(pegs_describe('m') ->> 'mechanism', 'noise in every cell of the tables of single columns', 'what it is');
SELECT is((SELECT string_agg(concat_ws(' ', t ->> 'column', t ->> 'cells'), ', ') FROM jsonb_array_elements(pegs_describe('m') -> 'tables') AS t), 'a b 3, b 3, c 20', 'what was measured');
SELECT bag_eq($$SELECT "a b", count(*) FROM pegs_sample('m', 900) AS s("a b" text, b boolean, c numeric) GROUP BY 1$$, $$SELECT "a b", count(*) FROM "odd t" GROUP BY 1$$, 'each column is as it was');
SELECT bag_eq($$SELECT b, count(*) FROM pegs_sample('m', 900) AS s("a b" text, b boolean, c numeric) GROUP BY 1$$, $$SELECT b, count(*) FROM "odd t" GROUP BY 1$$, 'with its NULLs');
SELECT ok((SELECT bool_and(n BETWEEN 44 AND 46) FROM (SELECT least(floor(c / 5), 19), count(*) AS n FROM pegs_sample('m', 900) AS s("a b" text, b boolean, c numeric) GROUP BY 1) AS q), 'and its bins, the last with its edge');
-- b follows from a in the table: here all nine combinations come, each about a hundred times
SELECT ok((SELECT count(*) = 9 AND min(n) > 40 FROM (SELECT "a b", b, count(*) AS n FROM pegs_sample('m', 900) AS s("a b" text, b boolean, c numeric) GROUP BY 1, 2) AS q), 'columns are independent');
SELECT is((SELECT count(*) FROM pegs_sample('m', 100, given => '{"a b": "x", "b": false}') AS s("a b" text, b boolean, c numeric) WHERE "a b" = 'x' AND NOT b), 100::bigint, 'with what is given');
SELECT is((SELECT count(*) FROM pegs_sample('m', 100, options => '{"draw": "independent"}') AS s("a b" text, b boolean, c numeric)), 100::bigint, 'one by one');
SELECT is((SELECT count(*) FROM pegs_sample('m') AS s("a b" text, b boolean, c numeric)), 900::bigint, 'as many as there were');
SELECT is((SELECT holds FROM pegs_audit('m', 100)), true, 'audited');
SELECT lives_ok($$SELECT pegs_fit('with delta', '"odd t"', epsilon => 1, delta => 1e-9, method => 'marginals')$$);
SELECT is((SELECT holds FROM pegs_audit('with delta', 100)), true, 'audited, with delta');
SELECT is((SELECT count(*) FROM pegs_pairs('m')), 0::bigint, 'no pairs were measured');
SELECT ok((SELECT avg(value) < 0.002 FROM pegs_utility_of('m', 1, ARRAY['tables']) WHERE measure = 'tv1'), 'close in columns');
SELECT alike((SELECT in_words FROM pegs_cost('m')), 'Model "m" is perturbed: epsilon 1000 was spent when it was fitted%', 'what rows cost');
-- kept, given away, made again
SELECT lives_ok($$SELECT pegs_release('r', 'm', 900)$$);
SELECT alike(pegs_certificate_text('r'), '%noise in every cell of the tables of single columns%', 'its certificate');
SELECT lives_ok($$SELECT pegs_import('again', pegs_export('m'))$$);
SELECT is(pegs_describe('again') -> 'tables', pegs_describe('m') -> 'tables', 'a file has the same tables');
SELECT lives_ok($$SELECT pegs_refit('m', 500)$$);
SELECT is(spent(), 1501::numeric, 'fitted anew');
ALTER TABLE "odd t" RENAME b TO bb;
SELECT alike(hint_of($$SELECT pegs_audit('m', 200)$$), $$%method => 'marginals'%$$, 'what a hint makes is of the same method');
ALTER TABLE "odd t" RENAME bb TO b;
SELECT pegs_grant('m', 'marginals_reader');
SET ROLE marginals_reader;
SELECT is((SELECT count(*) FROM pegs_sample('m', 10) AS s("a b" text, b boolean, c numeric)), 10::bigint, 'by a grant');
RESET ROLE;
-- states: the tables of single columns
SELECT is(pegs_spec('"odd t"', method => 'marginals')::jsonb ->> 'tables', 'conditional', 'pegs_spec of it');
SELECT lives_ok($$SELECT pegs_fit_state('of a state', '"odd t"', (SELECT pegs_agg((SELECT pegs_spec('"odd t"', method => 'marginals')), "a b", b, c) FROM "odd t"), epsilon => 1000, method => 'marginals')$$);
SELECT bag_eq($$SELECT b, count(*) FROM pegs_sample('of a state', 900) AS s("a b" text, b boolean, c numeric) GROUP BY 1$$, $$SELECT b, count(*) FROM "odd t" GROUP BY 1$$, 'of a state');
-- what it does not take
CREATE TABLE before AS SELECT spent();
SELECT throws_ok($$SELECT pegs_fit('x', '"odd t"', epsilon => 1, parents => '{}', method => 'marginals')$$, '22023', 'parents cannot be given with epsilon');
SELECT throws_ok($$SELECT pegs_fit('x', '"odd t"', parents => '{}', method => 'marginals')$$, '22023', 'parents cannot be given with method "marginals sealed"');
SELECT throws_ok($$SELECT pegs_fit('x', '"odd t"', epsilon => 1, method => 'marginals', options => '{"rows": 10}')$$, '22023', 'method "marginals" cannot fit this: option "rows" goes with "noise": "dirichlet" alone');
SELECT throws_ok($$SELECT pegs_fit('x', '"odd t"', epsilon => 1, method => 'marginals', options => '{"target": "b"}')$$, '22023');
SELECT is(spent(), (SELECT * FROM before), 'nothing was charged');

---- forbidden combinations: drawn again; urns cannot
CREATE TABLE kinds (a text NOT NULL CHECK (a IN ('x', 'y')), b boolean NOT NULL);
INSERT INTO kinds SELECT (ARRAY['x', 'y'])[1 + i % 2], i % 4 = 1 FROM generate_series(1, 100) AS i;
SELECT pegs_set_budget('kinds', 1000);
SELECT pegs_forbid('kinds', '{"a": "x", "b": true}');
SELECT lives_ok($$SELECT pegs_fit('z', 'kinds', epsilon => 1, method => 'marginals')$$);
SELECT is((SELECT count(*) FROM pegs_sample('z', 1000) AS s(a text, b boolean) WHERE a = 'x' AND b), 0::bigint, 'no forbidden row');
SELECT throws_ok($$SELECT pegs_fit('s', 'kinds', method => 'marginals')$$, '22023', 'method "marginals sealed" cannot fit this: urns of single columns cannot honour forbidden combinations');
SELECT lives_ok($$SELECT pegs_fit('empty', 'kinds', ARRAY['a'], epsilon => 0.0001, method => 'marginals')$$);
SELECT is((SELECT count(*) FROM pegs_sample('empty', 5) AS s(a text)), 5::bigint, 'of one column, and hardly any epsilon');

---- without epsilon: sealed
SELECT lives_ok($$SELECT pegs_fit('s', '"odd t"', ARRAY['a b', 'c'], method => 'marginals')$$);
SELECT is((SELECT concat_ws(' ', stored(name), kind, guarantee, method) FROM pegs_models WHERE name = 's'), 'marginals sealed sealed each sample pays marginals', 'sealed');
SELECT is((SELECT count(*) FROM pegs_sample('s', 100, epsilon => 1) AS s("a b" text, c numeric)), 100::bigint, 'rows');
SELECT is((SELECT round(alpha::numeric, 2) FROM pegs_cost('s', 1000, epsilon => 2)), 581.98, 'two columns: half of epsilon each');
SELECT alike((SELECT in_words FROM pegs_cost('s', 1000, epsilon => 2)), 'epsilon 2 for 1000 rows from urns: every level of every cell gets 582 made-up rows%', 'in words');
SELECT is((SELECT count(*) FROM pegs_sample('s', 100, epsilon => 1, delta => 1e-9, given => '{"a b": "x"}') AS s("a b" text, c numeric) WHERE "a b" = 'x'), 100::bigint, 'with delta, and what is given');
SELECT is((SELECT concat_ws(' ', neighbours > 0, outputs > 0, worst <= bound, round(bound::numeric, 3), holds, guarantee) FROM pegs_verify('s', 1)), 't t t 1.000 t none', 'small urns are enumerated');
SELECT throws_ok($$SELECT * FROM pegs_sample('s', 10, epsilon => 1, block => 2) AS s("a b" text, c numeric)$$, '22023', 'rows of method "marginals sealed" have no blocks');
SELECT is((SELECT (holds, exact_epsilon BETWEEN 0.01 AND 1) FROM pegs_audit('s', 100, epsilon => 1, n => 20))::text, '(t,t)', 'audited');
SELECT is((SELECT (holds, exact_epsilon BETWEEN 0.01 AND 1) FROM pegs_audit('s', 100, epsilon => 1, n => 500, delta => 1e-6))::text, '(t,t)', 'audited, with delta');
SELECT lives_ok($$SELECT pegs_release('sr', 's', 50, epsilon => 1)$$);

---- the bootstrap of each column: its owner's
SELECT lives_ok($$SELECT pegs_fit('p', '"odd t"', method => 'marginals', options => '{"guarantee": "none"}')$$);
SELECT is((SELECT concat_ws(' ', stored(name), guarantee, method) FROM pegs_models WHERE name = 'p'), 'marginals published none marginals', 'published');
SELECT is((SELECT count(DISTINCT ("a b", b)) FROM pegs_sample('p', 1000) AS s("a b" text, b boolean, c numeric)), 9::bigint, 'all combinations');
SELECT is(pegs_certificate('p') ->> 'public', 'columns, declared levels and bins', 'it has no parents, and no hash');
SELECT is(pegs_certificate('s') ->> 'public', 'columns, declared levels and bins', 'nor has the sealed one');
SELECT throws_ok($$SELECT pegs_release('pr', 'p', 10)$$, '42809');
SELECT throws_ok($$SELECT * FROM pegs_audit('p', 100)$$, '22023');
SELECT alike((SELECT string_agg(action || ' ' || object, ', ' ORDER BY at, action) FROM pegs_ledger), '%uncovered fit p, uncovered sample p%', 'the account is marked');

---- noise as draws from urns
CREATE TABLE spent_before AS SELECT spent();
SELECT throws_ok($$SELECT pegs_fit('d', '"odd t"', epsilon => 2, method => 'marginals', options => '{"noise": "dirichlet"}')$$, '22004', 'method "marginals" cannot fit this: option "noise": "dirichlet" needs the option "rows", how many are drawn');
SELECT lives_ok($$SELECT pegs_fit('d', '"odd t"', epsilon => 3, method => 'marginals', options => '{"noise": "dirichlet", "rows": 1000}')$$);
SELECT is((SELECT round((pegs_describe('d') ->> 'alpha')::numeric, 2)), 581.98, 'of three tables each has a third of epsilon');
SELECT is((SELECT count(*) FROM pegs_sample('d') AS s("a b" text, b boolean, c numeric)), 1000::bigint, 'as many rows as were drawn');
SELECT is((SELECT (holds, exact_epsilon BETWEEN 0.01 AND 3) FROM pegs_audit('d', 100))::text, '(t,t)', 'audited');
SELECT lives_ok($$SELECT pegs_fit('dd', '"odd t"', epsilon => 1, delta => 1e-9, method => 'marginals', options => '{"noise": "dirichlet", "rows": 50000}')$$);
SELECT is((SELECT (holds, exact_epsilon BETWEEN 0.01 AND 1) FROM pegs_audit('dd', 100))::text, '(t,t)', 'audited, with delta');
SELECT is((SELECT round((pegs_describe('dd') ->> 'alpha')::numeric) FROM pegs_dirichlet_alpha(1, 1e-9, NULL, 3) AS a), (SELECT round(a::numeric) FROM pegs_dirichlet_alpha(1, 1e-9, NULL, 3) AS a), 'at the alpha of any number of rows');
SELECT is(spent() - (SELECT * FROM spent_before), 4::numeric, 'charged');

SELECT * FROM finish();
