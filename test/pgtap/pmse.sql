-- pmse: the law that is chosen by how alike its tables are. Fit, rows, grants, releases, files, words, refits, costs, what is refused.
SET client_min_messages = warning;
CREATE EXTENSION pegs;
SELECT * FROM no_plan();

CREATE FUNCTION pg_temp.said(call text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	detail text;
	hint text;
BEGIN
	EXECUTE call;
	RETURN 'nothing';
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
	RETURN concat_ws(' | ', SQLSTATE, SQLERRM, nullif(detail, ''), nullif(hint, ''));
END $$;

-- y lies near a half of x; z is listed out of order, may be NULL, and falls with x
CREATE TABLE "odd ""one" (x double precision NOT NULL, "Y y" int NOT NULL, z int CHECK (z IN (3, 1, 2, 0)));
INSERT INTO "odd ""one" SELECT x, round(x / 2 + (i * 7 % 11 - 5)), CASE WHEN i % 10 = 0 THEN NULL ELSE least(3, greatest(0, 3 - floor(x / 25)::int)) END
FROM (SELECT i, 50 + 40 * sin(i) * cos(i * i) AS x FROM generate_series(1, 5000) AS i) AS g;
SELECT pegs_set_budget('"odd ""one"', 1000, delta => 1e-6, accounting => 'sum'), pegs_set_bins('"odd ""one"', 'x', 0, 100, 10), pegs_set_bins('"odd ""one"', 'Y y', -10, 60, 14);

---- a fit, and what it found
SELECT lives_ok($$SELECT pegs_fit('m', '"odd ""one"', epsilon => 20, method => 'pmse')$$);
SELECT is((SELECT spent FROM pegs_budgets), 20::numeric, 'charged');
SELECT is((SELECT concat_ws(' ', guarantee, kind) FROM pegs_models WHERE name = 'm'), 'differential privacy perturbed', 'with a guarantee');
SELECT cmp_ok(abs((pegs_describe('m') ->> 'rows')::numeric - 5000), '<', 100::numeric, 'its rows were counted, with noise');
SELECT is((SELECT count(*) FROM pegs_sample('m', 3000) AS s(x double precision, "Y y" int, z int)), 3000::bigint, 'rows');
SELECT cmp_ok((SELECT regr_slope("Y y", x) FROM pegs_sample('m', 5000) AS s(x double precision, "Y y" int)), '>', 0.3::float8, 'one column by another');
SELECT cmp_ok((SELECT regr_slope("Y y", x) FROM pegs_sample('m', 5000) AS s(x double precision, "Y y" int)), '<', 0.7::float8, 'and not more than there is');
SELECT cmp_ok((SELECT corr(z, x) FROM pegs_sample('m', 5000) AS s(x double precision, z int)), '<', -0.3::float8, 'of levels that are listed out of order their scale counts');
SELECT cmp_ok((SELECT abs(count(*) FILTER (WHERE z IS NULL) / 5000.0 - 0.1) FROM pegs_sample('m', 5000) AS s(z int)), '<', 0.05, 'NULL as often as there');
SELECT is((SELECT count(*) FROM pegs_sample('m', 500, options => '{"draw": "independent"}') AS s(z int)), 500::bigint, 'independent rows');
SELECT is((SELECT array_agg(DISTINCT z) FROM pegs_sample('m', 500, given => '{"z": 1}') AS s(z int)), '{1}', 'what is given');
SELECT cmp_ok((SELECT avg(x) FROM pegs_sample('m', 500, given => '{"z": 3}') AS s(x double precision)), '<', (SELECT avg(x) FROM pegs_sample('m', 500, given => '{"z": 0}') AS s(x double precision)), 'tells of others');
SELECT is((SELECT count(*) FROM pegs_sample('m', 100, given => '{"z": null, "Y y": 12}') AS s(z int, "Y y" int) WHERE z IS NULL AND "Y y" BETWEEN 10 AND 14), 100::bigint, 'several, and NULL');

---- what is said of it
SELECT is(pegs_describe('m') - 'spec' - 'record' - 'public' - 'rows' - 'parameters' - 'fit' - 'fitted', '{"kind": "perturbed", "method": "pmse", "name": "m", "unit": "one row", "delta": 0, "spent": 20, "budget": 20, "counts": "read by pegs_fit", "read": "by an aggregate", "object": "model",
	"epsilon": 20, "family": "gaussian", "rounds": 20, "guarantee": "(epsilon, delta)-differentially private at fit; rows are post-processing", "neighbours": "add or remove one row", "accounting": "pure epsilon, discrete Laplace and exponential mechanism",
	"mechanism": "parameters of a normal law, chosen by the exponential mechanism so that its tables of two columns are like the counts"}', 'words');
SELECT is((SELECT string_agg(concat_ws(' ', p ->> 'column', jsonb_array_length(p -> 'slopes')), ', ') FROM jsonb_array_elements(pegs_describe('m') -> 'parameters') AS p), 'x 0, Y y 1, z 2', 'parameters');
SELECT is((SELECT string_agg(concat_ws(' ', r ->> 'uses', r ->> 'what', r ->> 'share'), ', ') FROM jsonb_array_elements(pegs_describe('m') -> 'record') AS r), '20 choices of parameters 0.9500, 1 number of rows 0.0500', 'and what epsilon was for');
SELECT matches(pegs_certificate('m') ->> 'mechanism', '^parameters of a normal law', 'the certificate has it');
SELECT is((SELECT count(*) FROM pegs_pairs('m')), 0::bigint, 'no pairs were measured');

---- options: kept, said, repeated
SELECT lives_ok($$SELECT pegs_fit('told', '"odd ""one"', epsilon => 5, delta => 1e-9, method => 'pmse', options => '{"rounds": 8, "candidates": 16, "parts": 4, "rows": 4000}')$$);
SELECT is((SELECT concat_ws(' ', d ->> 'rounds', d ->> 'rows', d ->> 'accounting', d -> 'record' -> 0 ->> 'uses', d -> 'record' -> 1 ->> 'uses') FROM pegs_describe('told') AS d), '8 4000 zCDP (rho), exponential mechanism 8 0', 'rows that are said are not measured');
SELECT is((SELECT (spent, delta_spent)::text FROM pegs_budgets), '(25,0.000000001)', 'with delta');
SELECT is((SELECT holds FROM pegs_audit('told', 100)), true, 'audited');
SELECT lives_ok($$SELECT pegs_refit('told', 6, 1e-9)$$);
SELECT is((SELECT concat_ws(' ', d ->> 'rounds', d ->> 'rows', d ->> 'epsilon') FROM pegs_describe('told') AS d), '8 4000 6', 'fitted anew as it was');

---- a grant, a release, a file
CREATE ROLE pmse_analyst;
GRANT SELECT ON "odd ""one" TO pmse_analyst;
SELECT pegs_grant('m', 'pmse_analyst');
SET ROLE pmse_analyst;
SELECT is((SELECT count(*) FROM pegs_sample('m', 10) AS s(x double precision)), 10::bigint, 'its rows are free for whom it is granted to');
SELECT is(pg_temp.said('SELECT pegs_fit(''n'', ''"odd ""one"'', epsilon => 1, method => ''pmse'')') LIKE '42501%', true, 'who may not fit it nobody else');
RESET ROLE;
SELECT lives_ok($$SELECT pegs_release('r', 'm', 700)$$);
SELECT is((SELECT count(*) FROM pegs_rows('r') AS s(x double precision, "Y y" int, z int)), 700::bigint, 'a release');
SELECT lives_ok($$SELECT pegs_import('from a file', pegs_export('m'))$$);
SELECT is(pegs_describe('from a file') -> 'parameters', pegs_describe('m') -> 'parameters', 'a file');
SELECT is((SELECT count(*) FROM pegs_sample('from a file', 700) AS s(x double precision, "Y y" int, z int)), 700::bigint, 'and its rows');
SELECT ok(pegs_cost('m', 100)::text LIKE '%perturbed: epsilon 20 was spent when it was fitted%', 'what rows cost');

---- what is forbidden; nothing; one column; a state
SELECT pegs_forbid('"odd ""one"', '{"z": 0, "Y y": [5, 10]}');
SELECT lives_ok($$SELECT pegs_fit('forbidden', '"odd ""one"', ARRAY['Y y', 'z'], epsilon => 1, method => 'pmse', options => '{"rounds": 3, "candidates": 4}')$$);
SELECT is((SELECT count(*) FROM pegs_sample('forbidden', 2000) AS s("Y y" int, z int) WHERE z = 0 AND "Y y" BETWEEN 5 AND 9), 0::bigint, 'what is forbidden does not come');
CREATE TABLE none (a int NOT NULL CHECK (a IN (1, 2, 3)), t text NOT NULL CHECK (t IN ('p', 'q')));
SELECT pegs_set_budget('none', 100);
SELECT lives_ok($$SELECT pegs_fit('of nothing', 'none', epsilon => 1, method => 'pmse'), pegs_fit('of one column', 'none', ARRAY['a'], epsilon => 1, method => 'pmse')$$);
SELECT is((SELECT count(*) FROM pegs_sample('of nothing', 50) AS s(a int, t text)), 50::bigint, 'an empty table is a table');
SELECT is((SELECT count(*) FROM pegs_sample('of one column', 50) AS s(a int)), 50::bigint, 'of one column');
SELECT lives_ok($$SELECT pegs_fit_state('of a state', 'none', (SELECT pegs_agg((SELECT pegs_spec('none')), a, t) FROM none), epsilon => 1, method => 'pmse')$$);

---- what is refused, before anything is charged
CREATE TABLE wide (a int NOT NULL, b int NOT NULL, c int NOT NULL, d int NOT NULL, e int NOT NULL, f int NOT NULL, g int NOT NULL);
SELECT pegs_set_budget('wide', 10), pegs_set_bins('wide', x, 0, 120, 12) FROM unnest(ARRAY['a', 'b', 'c', 'd', 'e', 'f', 'g']::name[]) AS x;
SELECT is(pg_temp.said(call), said, call) FROM (VALUES
	('SELECT pegs_fit(''n'', ''none'', method => ''pmse'')', '22004 | epsilon must not be null: a model of method "pmse" is paid for when it is fitted | epsilon => 1'),
	('SELECT pegs_fit(''n'', ''none'', epsilon => 1, parents => ''{}'', method => ''pmse'')', '22023 | parents cannot be given with epsilon | With epsilon the model is perturbed: what it has of structure is chosen inside epsilon. | Leave it out; or leave epsilon out for a sealed model, of method => ''pegs''.'),
	('SELECT pegs_fit(''n'', ''none'', options => ''{"guarantee": "none"}'', method => ''pmse'')', '22023 | method "pmse" has no form without a guarantee | Leave the option "guarantee" out. Such a form is one of ''regression'', ''copula'', ''table'', ''marginals''.'),
	('SELECT pegs_fit(''n'', ''wide'', epsilon => 1, method => ''pmse'')', '54000 | method "pmse" cannot fit this: it takes at most 6 columns | Name 2 to 6 columns of numbers or times; for more, method => ''graph''.'),
	('SELECT pegs_fit(''n'', ''wide'', ARRAY[''a'', ''b'', ''c'', ''d'', ''e'', ''f''], epsilon => 1, method => ''pmse'')', '54000 | method "pmse" cannot fit this: the table of all columns has more than 1,048,576 cells | Take fewer columns, or wider bins.'),
	('SELECT pegs_fit(''n'', ''none'', epsilon => 1, method => ''pmse'', options => ''{"rounds": 1000, "candidates": 1001}'')', '22023 | method "pmse" cannot fit this: rounds times candidates are more than 1,000,000 | options => ''{"rounds": 20, "candidates": 64}'''),
	('SELECT pegs_fit(''n'', ''none'', epsilon => 1, method => ''pmse'', options => ''{"rounds": 0}'')', '22023 | option "rounds" must be a whole number from 1 to 1000 | options => ''{"rounds": 20}'''),
	('SELECT pegs_fit(''n'', ''none'', epsilon => 1, method => ''pmse'', options => ''{"candidates": 1}'')', '22023 | option "candidates" must be a whole number from 2 to 10000 | options => ''{"candidates": 64}'''),
	('SELECT pegs_fit(''n'', ''none'', epsilon => 1, method => ''pmse'', options => ''{"cells": "tree 1"}'')', '22023 | unknown option "cells" | Method "pmse" knows: rounds, candidates, parts, rows.')) AS r (call, said);
SELECT is((SELECT spent FROM pegs_budgets WHERE source = 'wide'::regclass), 0::numeric, 'nothing was charged');
SELECT is((SELECT count(*) FROM pegs_models WHERE name = 'n'), 0::bigint, 'nor made');
SELECT * FROM finish();
