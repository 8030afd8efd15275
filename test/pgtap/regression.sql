-- Method regression, from SQL: multiple imputation, perturbed and as it was published. What every method must do: test/t/046_every_method.pl.
SET client_min_messages = warning;
CREATE EXTENSION pegs;
CREATE SCHEMA regression;
SET search_path = regression, public;
SELECT * FROM no_plan();
CREATE FUNCTION hint_of_verify() RETURNS text LANGUAGE plpgsql AS $$ DECLARE hint text; BEGIN PERFORM pegs_verify('r', 1, 1); EXCEPTION WHEN feature_not_supported THEN GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT; RETURN hint; END $$;

CREATE TABLE t ("A b" text NOT NULL CHECK ("A b" IN ('x', 'y', 'z')), "c""d" boolean, n int NOT NULL CHECK (n IN (1, 2, 3, 4)), CHECK (NOT ("A b" = 'z' AND n = 4)));
INSERT INTO t SELECT (ARRAY['x', 'y', 'z'])[1 + i % 3], nullif(i % 4, 0) > (CASE WHEN i % 3 = 0 THEN 2 ELSE 1 END), CASE WHEN i % 3 = 2 THEN 1 + i % 2 ELSE 1 + i % 4 END FROM generate_series(1, 1200) AS i;
SELECT pegs_set_budget('t', 1000, delta => 1e-3, accounting => 'sum');
SELECT pegs_forbid('t', '{"A b": "z", "n": 4}');
CREATE FUNCTION lines() RETURNS text LANGUAGE sql AS $$ SELECT string_agg(action, ', ' ORDER BY at) FROM pegs_ledger WHERE action <> 'budget' $$;
CREATE FUNCTION hint(call text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	hint text;
BEGIN
	EXECUTE call;
	RETURN 'no error';
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT;
	RETURN hint;
END
$$;
CREATE FUNCTION ways() RETURNS jsonb LANGUAGE sql AS $$ SELECT '{"c\"d": ["A b"], "n": ["A b", "c\"d"]}'::jsonb $$;

---- the perturbed form: fitted for nothing, every sample pays
SELECT lives_ok($$SELECT pegs_fit('r', 't', parents => ways(), method => 'regression')$$);
SELECT is(lines(), NULL, 'a fit costs nothing');
SELECT alike(pegs_certificate('r') ->> 'public', '%, parents', 'parents, and no hash');
SELECT is(pegs_describe('r') - 'spec' - 'public', '{"name": "r", "object": "model", "kind": "sealed", "method": "regression", "mechanism": "perturbed multiple imputation: regressions, each level with at least a weight",
	"guarantee": "each sample or release is (epsilon, delta)-differentially private at what it is charged", "neighbours": "add or remove one row", "unit": "one row", "counts": "read by pegs_fit", "read": "by an aggregate"}', 'what is said of it');
SELECT is((SELECT guarantee FROM pegs_models WHERE name = 'r'), 'each sample pays');
SELECT is((SELECT count(*) FROM pegs_sample('r', 500, epsilon => 10) AS s("A b" text, "c""d" boolean, n int)), 500::bigint, 'rows');
SELECT is(lines(), 'sample', 'and its line');
SELECT is((SELECT spent FROM pegs_budgets WHERE source = 't'::regclass), 10::numeric, 'and what it costs');
SELECT is((SELECT count(*) FROM pegs_sample('r', 3000, epsilon => 10) AS s("A b" text, "c""d" boolean, n int) WHERE "A b" = 'z' AND n = 4), 0::bigint, 'what is forbidden does not come');
SELECT is((SELECT count(*) FROM pegs_sample('r', 300, epsilon => 10, given => '{"A b": "z", "c\"d": null}') AS s("A b" text, "c""d" boolean, n int) WHERE "A b" = 'z' AND "c""d" IS NULL AND n < 4), 300::bigint, 'what is given');
-- with an epsilon as large as nobody would take, rows say what the table says
SELECT cmp_ok((SELECT count(*) FROM pegs_sample('r', 1, epsilon => 200) AS s("A b" text, "c""d" boolean, n int)), '=', 1::bigint, 'one row');
SELECT lives_ok($$SELECT pegs_release('rel', 'r', 100, epsilon => 5)$$);
SELECT is(pegs_describe('rel') ? 'block', false, 'which has no blocks');
SELECT is((SELECT count(*) FROM pegs_rows('rel') AS s("A b" text, "c""d" boolean, n int)), 100::bigint, 'a release');
SELECT bag_eq($$SELECT * FROM pegs_rows('rel') AS s("A b" text, "c""d" boolean, n int)$$, $$SELECT * FROM pegs_rows('rel') AS s("A b" text, "c""d" boolean, n int)$$, 'whose rows stay');
SELECT alike(pegs_certificate_text('rel'), '%perturbed multiple imputation%', 'and its certificate');

---- what a call buys
SELECT is((SELECT round(alpha::numeric, 1) || ' ' || coalesce(blocks::text, '-') || ' ' || coalesce(real_rows::text, '-') || ' ' || charged FROM pegs_cost('r', 1000, 1)), '2999.5 - - 1', 'alpha is 1/expm1(1/3000), and no row outweighs it');
SELECT alike((SELECT in_words FROM pegs_cost('r', 1000, 1)), 'epsilon 1 for 1000 rows: of each draw the model decides 0.01 %, and the rest is uniform%', 'which is said');
SELECT is((SELECT alpha FROM pegs_cost('r', 1000, 1)), (SELECT alpha FROM pegs_cost('r', 1000, 1, delta => 1e-9)), 'delta buys nothing');
SELECT lives_ok($$SELECT * FROM pegs_sample('r', 1, epsilon => 1, delta => 1e-9) AS s("A b" text, "c""d" boolean, n int)$$);
SELECT is((SELECT delta_spent FROM pegs_budgets WHERE source = 't'::regclass), 0::numeric, 'and is not charged');

---- grants
CREATE ROLE regression_reader;
GRANT USAGE ON SCHEMA regression TO regression_reader;
SELECT lives_ok($$SELECT pegs_grant('r', 'regression_reader', 1)$$);
SET ROLE regression_reader;
SELECT is((SELECT count(*) FROM pegs_sample('r', 5, epsilon => 1) AS s("A b" text, "c""d" boolean, n int)), 5::bigint, 'by a grant');
SELECT throws_ok($$SELECT * FROM pegs_sample('r', 5, epsilon => 1) AS s("A b" text, "c""d" boolean, n int)$$, '53400', NULL, 'until it is used up');
RESET ROLE;

---- options
SELECT lives_ok($$SELECT pegs_fit('told', 't', parents => ways(), method => 'regression', options => '{"lambda": 0.01, "l1_ratio": 1, "sweeps": 3}')$$);
SELECT is(pegs_describe('told') -> 'options', '{"lambda": 0.01, "sweeps": 3, "l1_ratio": 1}', 'options are kept');
SELECT lives_ok($$SELECT pegs_fit('by folds', 't', parents => ways(), method => 'regression', options => '{"folds": 3}')$$);
SELECT is((SELECT count(*) FROM pegs_sample('by folds', 5, epsilon => 1) AS s("A b" text, "c""d" boolean, n int)), 5::bigint);
SELECT throws_ok(format($$SELECT pegs_fit('m', 't', parents => ways(), method => 'regression', options => %L)$$, options), '22023', message)
	FROM (VALUES ('{"l1_ratio": 1.5}', 'option "l1_ratio" must be a number from 0 to 1'),
		('{"lambda": -1}', 'option "lambda" must be a number from 0 to 1000'),
		('{"lambda": "cv"}', 'option "lambda" must be a number from 0 to 1000'),
		('{"sweeps": 0}', 'option "sweeps" must be a whole number from 1 to 1000'),
		('{"penalty": 1}', 'unknown option "penalty"'),
		('{"lambda": 0, "l1_ratio": 0.5}', 'method "regression" cannot fit this: with lambda 0 there is no penalty, and no l1_ratio'),
		('{"lambda": 0.1, "folds": 5}', 'method "regression" cannot fit this: lambda and folds cannot be given together'),
		('{"folds": 1}', 'method "regression" cannot fit this: one fold leaves no rows to fit')) AS x(options, message);
SELECT throws_ok($$SELECT pegs_fit('m', 't', parents => ways(), tail_bits => 1, method => 'regression')$$, '22023', 'method "regression" cannot fit this: a regression has no tail bits');
-- whose hints run
SELECT lives_ok($$SELECT pegs_fit('hinted', 't', parents => ways(), method => 'regression', $$ || hint($$SELECT pegs_fit('m', 't', parents => ways(), method => 'regression', options => '{"folds": 1}')$$) || ')');

---- what it does not take
SELECT throws_ok($$SELECT pegs_fit('m', 't', epsilon => 1, parents => ways(), method => 'regression')$$, '22023', 'epsilon cannot be given with method "regression"');
SELECT throws_ok($$SELECT * FROM pegs_sample('r', 10, epsilon => 1, block => 5) AS s("A b" text, "c""d" boolean, n int)$$, '22023', 'rows of method "regression" have no blocks');
SELECT throws_ok($$SELECT * FROM pegs_sample('r', 10) AS s("A b" text, "c""d" boolean, n int)$$, '22004', 'model "r" is sealed: every sample pays');
SELECT throws_ok($$SELECT * FROM pegs_sample('r', 10, epsilon => 1, options => '{"draw": "urn"}') AS s("A b" text, "c""d" boolean, n int)$$, '22023', NULL, 'no urns');
SELECT throws_ok($$SELECT * FROM pegs_sample('r', 10, epsilon => 1, options => '{"draw": "apportioned"}') AS s("A b" text, "c""d" boolean, n int)$$, '22023', NULL, 'nor apportioned rows');
SELECT throws_ok($$SELECT pegs_export('r')$$, '42809', NULL, 'no file: it is as secret as the rows');
SELECT is((SELECT (holds, reason, exact_epsilon BETWEEN 1e-9 AND 1, delta, statistic)::text FROM pegs_audit('r', 100, 1, n => 5) AS a, LATERAL (SELECT 0 AS delta) AS d), '(t,,t,0,"log likelihood ratio of all draws of a sample")', 'audited, with what is forbidden');
SELECT is(hint_of_verify(), 'Fit columns of which no combination is forbidden.', 'what is forbidden hangs on what was drawn: not looked at');
SELECT pegs_fit('two', 't', ARRAY['A b', 'c"d'], parents => '{"A b": ["c\"d"]}', method => 'regression');
SELECT is((SELECT concat_ws(' ', neighbours IS NULL, worst < bound, round(bound::numeric, 3), holds, guarantee) FROM pegs_verify('two', 1, 3)), 't t 1.000 t none', 'every weight is looked at: floors and sums');
SELECT throws_ok($$SELECT * FROM pegs_trace('r', 1)$$, '22023', 'rows of method "regression" cannot be traced');

---- without parents, each column is on all others
SELECT lives_ok($$SELECT pegs_fit('others', 't', method => 'regression', options => '{"passes": 10}')$$);
SELECT is(pegs_describe('others') -> 'options', '{"passes": 10}');
SELECT unalike(pegs_certificate('others') ->> 'public', '%parents%', 'of which nothing was declared');
SELECT is((pegs_describe('others') ->> 'spec')::jsonb ->> 'tables', 'pairs', 'all pairs are counted');
SELECT is((SELECT count(*) FROM pegs_sample('others', 3000, epsilon => 10) AS s("A b" text, "c""d" boolean, n int) WHERE "A b" = 'z' AND n = 4), 0::bigint, 'what is forbidden does not come');
SELECT is((SELECT count(*) FROM pegs_sample('others', 300, epsilon => 10, given => '{"A b": "z", "c\"d": null}') AS s("A b" text, "c""d" boolean, n int) WHERE "A b" = 'z' AND "c""d" IS NULL AND n < 4), 300::bigint, 'what is given');
SELECT is((SELECT alpha FROM pegs_cost('others', 1000, 1)), (SELECT alpha FROM pegs_cost('r', 1000, 1)), 'and costs the same');
SELECT lives_ok($$SELECT pegs_fit('others by folds', 't', method => 'regression', options => '{"folds": 3, "passes": 5}')$$);
SELECT throws_ok($$SELECT pegs_fit('m', 't', parents => ways(), method => 'regression', options => '{"passes": 5}')$$, '22023', 'method "regression" cannot fit this: with parents there are no passes over the rows');
SELECT throws_ok($$SELECT pegs_fit('m', 't', tail_bits => 1, method => 'regression')$$, '22023', 'tail_bits cannot be given with method "regression"');
SELECT throws_ok($$SELECT pegs_fit('m', 't', max_parents => 1, method => 'regression')$$, '22023', 'max_parents cannot be given with method "regression"');
SELECT throws_ok($$SELECT pegs_fit('m', 't', structure_epsilon => 1, method => 'regression')$$, '22023', 'structure_epsilon cannot be given with method "regression"');
SELECT throws_ok($$SELECT pegs_spec('t', method => 'regression')$$, '22004', 'parents must not be null with method "regression"');
SELECT throws_ok($$SELECT pegs_fit_state('m', 't', NULL, method => 'regression')$$, '0A000', 'method "regression" reads the rows more than once here: a state has none');
SELECT alike(hint($$SELECT pegs_fit_state('m', 't', NULL, method => 'regression')$$), '%or declare parents: parents => ''{}'' for none.');
-- too many coefficients: before anything is charged
CREATE TABLE wide AS SELECT 0 AS a, 0 AS b WHERE false;
SELECT pegs_set_budget('wide', 1), pegs_set_levels('wide', 'a', ARRAY(SELECT i::text FROM generate_series(1, 8191) AS i)), pegs_set_levels('wide', 'b', ARRAY(SELECT i::text FROM generate_series(1, 4096) AS i));
SELECT throws_ok($$SELECT pegs_fit('m', 'wide', method => 'regression')$$, '54000', 'method "regression" cannot fit this: regressions of every column on all others have more than 67108864 coefficients');
-- rows of persons, each as often as it counts
CREATE TABLE visit (who int NOT NULL, a text NOT NULL CHECK (a IN ('x', 'y')), b text NOT NULL CHECK (b IN ('u', 'v', 'w')));
INSERT INTO visit SELECT i / 3, substr('xy', 1 + i % 2, 1), substr('uvw', 1 + i % 2, 1) FROM generate_series(1, 900) AS i;
SELECT pegs_set_unit('visit', 'who', 2), pegs_set_budget('visit', 10000, accounting => 'sum');
SELECT lives_ok($$SELECT pegs_fit('visits', 'visit', '{a,b}', method => 'regression')$$);
SELECT cmp_ok((SELECT count(*) FROM pegs_sample('visits', 200, epsilon => 5000) AS s(a text, b text) WHERE (a, b) IN (('x', 'u'), ('y', 'v'))), '>', 190::bigint, 'and with an epsilon as large as nobody would take they are the table''s');
-- as it was published
SELECT lives_ok($$SELECT pegs_fit('mi others', 't', '{A b,"c\"d"}', method => 'regression', options => '{"guarantee": "none", "lambda": 0, "passes": 200}')$$);
CREATE TABLE drawn_others AS SELECT * FROM pegs_sample('mi others', 20000) AS s("A b" text, "c""d" boolean);
SELECT is((SELECT count(*) FROM (SELECT "A b", "c""d", count(*) / 1200.0 AS p FROM t GROUP BY 1, 2) AS o LEFT JOIN (SELECT "A b", "c""d", count(*) / 20000.0 AS q FROM drawn_others GROUP BY 1, 2) AS s
	ON (o."A b", o."c""d") IS NOT DISTINCT FROM (s."A b", s."c""d") WHERE abs(p - coalesce(q, 0)) > 6 * sqrt(p / 20000)), 0::bigint, 'the table''s own shares');

---- or on those that are declared
SELECT lives_ok($$SELECT pegs_fit('alone', 't', method => 'regression', parents => '{}')$$, 'none, for all');
-- no rows, one column; states
CREATE TABLE none (LIKE t INCLUDING ALL);
SELECT pegs_set_budget('none', 1000), pegs_forbid('none', '{"A b": "z", "n": 4}');
SELECT lives_ok($$SELECT pegs_fit('none', 'none', parents => ways(), method => 'regression')$$);
SELECT is((SELECT count(*) FROM pegs_sample('none', 100, epsilon => 1) AS s("A b" text, "c""d" boolean, n int)), 100::bigint, 'of an empty table');
SELECT is((SELECT octet_length(body) FROM pegs_internal.body WHERE model = a.id), (SELECT octet_length(body) FROM pegs_internal.body WHERE model = b.id), 'as long as that of any')
	FROM (SELECT id FROM pegs_internal.model WHERE name = 'r') AS a, (SELECT id FROM pegs_internal.model WHERE name = 'none') AS b;
SELECT lives_ok($$SELECT pegs_fit('none others', 'none', method => 'regression', options => '{"passes": 10}')$$);
SELECT is((SELECT octet_length(body) FROM pegs_internal.body WHERE model = a.id), (SELECT octet_length(body) FROM pegs_internal.body WHERE model = b.id), 'without parents, too')
	FROM (SELECT id FROM pegs_internal.model WHERE name = 'others') AS a, (SELECT id FROM pegs_internal.model WHERE name = 'none others') AS b;
SELECT lives_ok($$SELECT pegs_fit('one other', 't', ARRAY['n'], method => 'regression')$$);
SELECT lives_ok($$SELECT pegs_fit('one', 't', ARRAY['n'], parents => '{}', method => 'regression')$$);
SELECT is((SELECT count(DISTINCT n) FROM pegs_sample('one', 100, epsilon => 1) AS s(n int)), 4::bigint, 'of one column');
SELECT lives_ok($$SELECT pegs_fit_state('of a state', 't', (SELECT pegs_agg((SELECT pegs_spec('t', parents => ways(), method => 'regression')), "A b", "c""d", n) FROM t), parents => ways(), method => 'regression')$$);
SELECT is((SELECT count(*) FROM pegs_sample('of a state', 10, epsilon => 1) AS s("A b" text, "c""d" boolean, n int)), 10::bigint);

---- as it was published: no guarantee, the owner alone
SELECT throws_ok($$SELECT pegs_fit('mi', 't', '{A b,"c\"d"}', parents => '{"c\"d": ["A b"], "A b": ["c\"d"]}', method => 'regression published')$$, '22023', 'method "regression published" has no guarantee');
SELECT lives_ok($$SELECT pegs_fit('mi', 't', '{A b,"c\"d"}', parents => '{"c\"d": ["A b"], "A b": ["c\"d"]}', method => 'regression', options => '{"guarantee": "none", "lambda": 0}')$$);
SELECT is((SELECT action FROM pegs_ledger ORDER BY at DESC LIMIT 1), 'uncovered fit');
SELECT is(pegs_describe('mi') ->> 'guarantee', 'none');
-- nothing is protected, so nobody is a neighbour
SELECT is((SELECT count(*) FROM pegs_models AS m, LATERAL pegs_certificate(m.name) AS c WHERE m.guarantee LIKE 'none%' AND (c ?| ARRAY['neighbours', 'unit'] OR m.unit IS NOT NULL)), 0::bigint, 'no unit of what has no guarantee');
SELECT is((SELECT count(*) FROM pegs_models AS m, LATERAL pegs_certificate(m.name) AS c WHERE m.guarantee NOT LIKE 'none%' AND NOT (c ?& ARRAY['neighbours', 'unit'] AND m.unit IS NOT NULL)), 0::bigint, 'one of all others');
SELECT throws_ok($$SELECT pegs_refit('mi')$$, '42809', 'model "mi" has no guarantee: there is nothing that a fit anew would keep', 'not fitted anew, and no word of grants');
SELECT is(hint($$SELECT pegs_refit('mi')$$), $$SELECT pegs_drop('mi'); and fit it again: that costs nothing.$$);
SELECT throws_ok($$SELECT pegs_export('r')$$, '42809', 'model "r" is sealed and cannot be exported: it holds coefficients of exact regressions', 'what it keeps is no counts');
SELECT is(hint($$SELECT pegs_spec('t', '{n,A b}', method => 'regression')$$), $$parents => '{"A b": ["n"]}', '{}' for none.$$, 'an example is of the columns that there are');
SELECT is(hint($$SELECT pegs_fit('x', 't', method => 'regression', parents => '{"n": ["q"]}')$$), $$parents => E'{"c\\"d": ["A b"]}' names columns of the model.$$, 'with their names quoted');
SELECT lives_ok($$SELECT pegs_spec('t', method => 'regression', parents => '{"c\"d": ["A b"]}')$$, 'and runs');
-- rows are read after the mark is committed, of every published form
SELECT throws_ok(format($$DO 'BEGIN PERFORM pegs_fit(''now'', ''t'', ''{A b,"c\"d"}'', %smethod => ''%s'', options => ''{"guarantee": "none"}''); PERFORM pegs_sample(''now'', 10); END'$$,
	CASE WHEN m = 'regression' THEN $$parents => ''{"A b": ["c\"d"]}'', $$ ELSE '' END, m), '55000', 'model "now" has no guarantee and was made in this transaction', m)
FROM unnest(ARRAY['regression', 'table', 'marginals']) AS m;
CREATE TABLE drawn AS SELECT * FROM pegs_sample('mi', 20000) AS s("A b" text, "c""d" boolean);
SELECT is((SELECT action FROM pegs_ledger ORDER BY at DESC LIMIT 1), 'uncovered sample');
-- a saturated regression on one parent is the table: within 6 standard deviations
SELECT is((SELECT count(*) FROM (SELECT "A b", "c""d", count(*) / 1200.0 AS p FROM t GROUP BY 1, 2) AS o LEFT JOIN (SELECT "A b", "c""d", count(*) / 20000.0 AS q FROM drawn GROUP BY 1, 2) AS s
	ON (o."A b", o."c""d") IS NOT DISTINCT FROM (s."A b", s."c""d") WHERE abs(p - coalesce(q, 0)) > 6 * sqrt(p / 20000)), 0::bigint, 'the table''s own shares');
SELECT throws_ok($$SELECT * FROM pegs_sample('mi', 10, epsilon => 1) AS s("A b" text, "c""d" boolean)$$, '22023', 'model "mi" has no guarantee: it takes no epsilon');
SELECT throws_ok($$SELECT pegs_release('mi release', 'mi', 10)$$, '42809', NULL, 'no release');
SELECT throws_ok($$SELECT pegs_grant('mi', 'regression_reader')$$, '42809', NULL, 'no grant');
SELECT throws_ok($$SELECT pegs_export('mi')$$, '42809', NULL, 'no file');
BEGIN READ ONLY;
SELECT hint($$SELECT * FROM pegs_sample('mi', 1) AS s("A b" text, "c""d" boolean)$$) AS hint \gset
COMMIT;
SELECT is(:'hint'::text, 'Do it in a read-write transaction.', 'no release can be made instead');
SET ROLE regression_reader;
SELECT throws_ok($$SELECT * FROM pegs_sample('mi', 1) AS s("A b" text, "c""d" boolean)$$, '42704', NULL, 'nobody else');
RESET ROLE;

SELECT * FROM finish();
