-- Bad input of the synthesizers: each line of the design's table, with message, detail and HINT, and nothing charged; and what is never an error, because it would tell of the data.
SET client_min_messages = warning;
CREATE EXTENSION pegs;
SELECT * FROM no_plan();

CREATE FUNCTION said(call text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE d text; h text; s text; before text := (SELECT string_agg(source || spent::text || delta_spent, ' ' ORDER BY source) FROM pegs_budgets);
BEGIN
	EXECUTE call;
	RETURN 'no error';
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS d = PG_EXCEPTION_DETAIL, h = PG_EXCEPTION_HINT;
	RETURN concat_ws(' | ', SQLSTATE || ' ' || SQLERRM, nullif(d, ''), h) || CASE WHEN before IS DISTINCT FROM (SELECT string_agg(source || spent::text || delta_spent, ' ' ORDER BY source) FROM pegs_budgets) THEN ' (charged)' ELSE '' END;
END $$;
CREATE TABLE t (a text NOT NULL CHECK (a IN ('x', 'y', 'z')), b boolean NOT NULL, n int NOT NULL CHECK (n IN (1, 2, 3, 4)));
INSERT INTO t SELECT (ARRAY['x', 'y', 'z'])[1 + i % 3], i % 7 < 3, 1 + i % 4 FROM generate_series(1, 300) AS i;
SELECT pegs_set_budget('t', 1000, delta => 1e-6, accounting => 'sum');
CREATE TABLE wide (k text NOT NULL CHECK (k IN ('p', 'q')));
DO $$ BEGIN FOR i IN 1 .. 4 LOOP EXECUTE format('ALTER TABLE wide ADD c%s int NOT NULL', i); PERFORM pegs_set_bins('wide', 'c' || i, 0, 1000, 1000); END LOOP; END $$;
SELECT pegs_set_budget('wide', 100);
CREATE TABLE person (id int NOT NULL, a text NOT NULL CHECK (a IN ('x', 'y')), b boolean NOT NULL);
INSERT INTO person SELECT i / 2, (ARRAY['x', 'y'])[1 + i % 2], i % 3 = 0 FROM generate_series(1, 100) AS i;
SELECT pegs_set_budget('person', 100, delta => 1e-6, accounting => 'sum'), pegs_set_unit('person', 'id', 2);
SELECT pegs_fit('sealed', 't', parents => '{}'), pegs_fit('urn', 't', method => 'table'), pegs_fit('noisy', 't', epsilon => 1), pegs_fit('other', 't', epsilon => 1),
	pegs_fit('none', 't', method => 'table', options => '{"guarantee": "none"}'), pegs_fit('cop', 't', epsilon => 1, method => 'copula'), pegs_fit('of persons', 'person', ARRAY['a', 'b'], method => 'table'), pegs_fit('persons', 'person', ARRAY['a', 'b'], epsilon => 1);
SELECT pegs_fit('columns', 't', method => 'marginals'), pegs_fit('regressed', 't', method => 'regression'), pegs_fit('diverse', 't', parents => '{}', options => '{"l_diversity": 1.5}'),
	pegs_fit('columns of persons', 'person', ARRAY['a', 'b'], method => 'marginals'), pegs_fit('pegs of persons', 'person', ARRAY['a', 'b'], parents => '{}');
SELECT pegs_import('file', pegs_export('noisy'));
CREATE TABLE vast (x int NOT NULL, y int NOT NULL, z int NOT NULL);
SELECT pegs_set_budget('vast', 10), pegs_set_bins('vast', 'x', 0, 700, 700), pegs_set_bins('vast', 'y', 0, 800, 800), pegs_set_bins('vast', 'z', 0, 90, 90);
CREATE TABLE many (x int NOT NULL, y int NOT NULL);
SELECT pegs_set_budget('many', 10), pegs_set_bins('many', 'x', 0, 1025, 1025), pegs_set_bins('many', 'y', 0, 1000, 1000);
DO $$ BEGIN EXECUTE (SELECT 'CREATE TABLE latents (' || string_agg('c' || i || ' boolean', ', ') || ')' FROM generate_series(1, 1001) AS i); END $$;
SELECT pegs_set_budget('latents', 10);
CREATE VIEW a_view AS SELECT * FROM t; CREATE TABLE a_part () INHERITS (t); CREATE TABLE short (a text); CREATE TABLE weighed AS SELECT *, -7 AS w FROM t LIMIT 1;
CREATE TABLE dotted AS SELECT a, b, n + 0.4 AS n FROM t LIMIT 3; CREATE TABLE spent_before AS SELECT string_agg(concat_ws(' ', source, spent, delta_spent), ', ' ORDER BY source::text) AS spent FROM pegs_budgets;

SELECT is(said(call), said, line || ': ' || call) FROM (VALUES
	-- an unknown method
	(1, $$SELECT pegs_fit('m', 't', epsilon => 1, method => 'x')$$, $$22023 there is no method "x" | method is one of 'graph', 'table', 'pegs', 'pegs l-diverse', 'regression', 'copula', 'pmse', 'marginals'; left out: 'graph' with epsilon, 'pegs' without.$$),
	-- methods that are paid at the fit, without epsilon
	(2, $$SELECT pegs_fit('m', 't', method => 'graph')$$, $$22004 epsilon must not be null: a model of method "graph" is paid for when it is fitted | epsilon => 1$$),
	(2, $$SELECT pegs_fit('m', 't', method => 'copula')$$, $$22004 epsilon must not be null: a model of method "copula" is paid for when it is fitted | epsilon => 1; or, to compare with, the form without a guarantee: options => '{"guarantee": "none"}'$$),
	(2, $$SELECT pegs_fit('m', 't', method => 'pmse')$$, $$22004 epsilon must not be null: a model of method "pmse" is paid for when it is fitted | epsilon => 1$$),
	-- sealed methods, with epsilon
	(3, $$SELECT pegs_fit('m', 't', epsilon => 1, method => 'pegs')$$, $$22023 epsilon cannot be given with method "pegs" | Nothing is spent when it is fitted: every sample pays. | Leave epsilon out; or method => 'graph'.$$),
	(3, $$SELECT pegs_fit('m', 't', epsilon => 1, method => 'regression')$$, $$22023 epsilon cannot be given with method "regression" | Nothing is spent when it is fitted: every sample pays. | Leave epsilon out; or method => 'graph'.$$),
	-- delta, with one table and Laplace noise
	(4, $$SELECT pegs_fit('m', 't', epsilon => 1, delta => 1e-9, method => 'table')$$, $$22023 a model of method "table" needs no delta | It measures one table: Laplace noise of the same epsilon is smaller, and delta would be charged for nothing. | Leave delta out.$$),
	(4, $$SELECT pegs_fit('m', 't', epsilon => 1, delta => 1e-9, method => 'table', options => '{"noise": "added"}')$$, $$22023 a model of method "table" needs no delta | It measures one table: Laplace noise of the same epsilon is smaller, and delta would be charged for nothing. | Leave delta out.$$),
	-- parents, max_parents, tail_bits of a method that has none
	(5, $$SELECT pegs_fit('m', 't', epsilon => 1, parents => '{}', method => 'table')$$, $$22023 parents cannot be given with epsilon | With epsilon the model is perturbed: what it has of structure is chosen inside epsilon. | Leave it out; or leave epsilon out for a sealed model, of method => 'pegs'.$$),
	(5, $$SELECT pegs_fit('m', 't', epsilon => 1, max_parents => 1, method => 'marginals')$$, $$22023 max_parents cannot be given with epsilon | With epsilon the model is perturbed: what it has of structure is chosen inside epsilon. | Leave it out; or leave epsilon out for a sealed model, of method => 'pegs'.$$),
	(5, $$SELECT pegs_fit('m', 't', epsilon => 1, tail_bits => 1, method => 'copula')$$, $$22023 tail_bits cannot be given with epsilon | With epsilon the model is perturbed: what it has of structure is chosen inside epsilon. | Leave it out; or leave epsilon out for a sealed model, of method => 'pegs'.$$),
	(5, $$SELECT pegs_fit('m', 't', parents => '{}', method => 'table')$$, $$22023 parents cannot be given with method "table sealed" | Leave it out; or method => 'pegs'.$$),
	(5, $$SELECT pegs_fit('m', 't', max_parents => 1, method => 'marginals')$$, $$22023 max_parents cannot be given with method "marginals sealed" | Leave it out; or method => 'pegs'.$$),
	(5, $$SELECT pegs_fit('m', 't', tail_bits => 1, method => 'table')$$, $$22023 tail_bits cannot be given with method "table sealed" | Leave it out; or method => 'pegs'.$$),
	-- each of 50.4 million cells, and each of 44.8 million that are drawn, may be kept: with 12 bytes that is more than pg_dump can write
	(6, $$SELECT pegs_fit('m', 'vast', epsilon => 1, method => 'table')$$, $$54000 the model could be too large to be dumped | It could have 604826953 bytes; pg_dump can write at most 536869888. | Name fewer columns, declare fewer levels or wider bins; or method => 'graph'.$$),
	(6, $$SELECT pegs_fit('m', 'vast', epsilon => 1, method => 'table', options => '{"noise": "dirichlet", "rows": 44800000}')$$, $$54000 the model could be too large to be dumped | It could have 537626993 bytes; pg_dump can write at most 536869888. | Name fewer columns, declare fewer levels or wider bins; or method => 'graph'.$$),
	(6, $$SELECT pegs_fit('m', 'vast', epsilon => 1, method => 'table', options => '{"noise": "dirichlet", "rows": 560000, "within": ["z"]}')$$, $$54000 the model could be too large to be dumped | It could have 604827008 bytes; pg_dump can write at most 536869888. | Name fewer columns, declare fewer levels or wider bins; or method => 'graph'.$$),
	(6, $$SELECT f.* FROM pegs_ru_map('vast', '{1}', 10, methods => '{table}') AS f$$, $$54000 the model could be too large to be dumped | It could have 604826953 bytes; pg_dump can write at most 536869888. | columns => ARRAY['x', 'y'], or methods without 'table'; or declare fewer levels or wider bins.$$),
	-- more than 2^26 cells
	(6, $$SELECT pegs_fit('m', 'wide', epsilon => 1, method => 'table')$$, $$54000 the declared domain is too large to count | The table of all columns, k (2) x c1 (1000) x c2 (1000) x c3 (1000) x c4 (1000), has 2000000000000 cells; at most 67108864 are kept. | Name fewer columns, declare fewer levels or wider bins; or method => 'graph'.$$),
	(6, $$SELECT pegs_fit('m', 'wide', method => 'table')$$, $$54000 the declared domain is too large to count | The table of all columns, k (2) x c1 (1000) x c2 (1000) x c3 (1000) x c4 (1000), has 2000000000000 cells; at most 67108864 are kept. | Name fewer columns, declare fewer levels or wider bins; or method => 'graph'.$$),
	(6, $$SELECT pegs_fit('m', 'wide', method => 'table', options => '{"guarantee": "none"}')$$, $$54000 the declared domain is too large to count | The table of all columns, k (2) x c1 (1000) x c2 (1000) x c3 (1000) x c4 (1000), has 2000000000000 cells; at most 67108864 are kept. | Name fewer columns, declare fewer levels or wider bins; or method => 'graph'.$$),
	(6, $$SELECT pegs_fit('m', 'wide', epsilon => 1, method => 'table', options => '{"noise": "dirichlet", "rows": 50}')$$, $$54000 the declared domain is too large to count | The table of all columns, k (2) x c1 (1000) x c2 (1000) x c3 (1000) x c4 (1000), has 2000000000000 cells; at most 67108864 are kept. | Name fewer columns, declare fewer levels or wider bins; or method => 'graph'.$$),
	-- an unknown option, one of another method, a wrong type
	(7, $$SELECT pegs_fit('m', 't', epsilon => 1, method => 'table', options => '{"row": 5}')$$, $$22023 unknown option "row" | Did you mean "rows"? Method "table" knows: noise, rows, prior, within.$$),
	(7, $$SELECT pegs_fit('m', 't', epsilon => 1, method => 'table', options => '{"rounds": 5}')$$, $$22023 unknown option "rounds" | Method "table" knows: noise, rows, prior, within. It is an option of method 'pmse' with epsilon.$$),
	(7, $$SELECT pegs_fit('m', 't', epsilon => 1, method => 'marginals', options => '{"within": ["a"]}')$$, $$22023 unknown option "within" | Method "marginals" knows: noise, rows, prior. It is an option of method 'table' with epsilon, method 'table' without epsilon.$$),
	(7, $$SELECT * FROM pegs_sample('noisy', 3, options => '{"rows": 5}') AS s(a text)$$, $$22023 unknown option "rows" | Known are: fresh, keys, draw, part, parts. It is an option of pegs_fit.$$),
	(7, $$SELECT * FROM pegs_sample('noisy', 3, options => '{"target": "a"}') AS s(a text)$$, $$22023 unknown option "target" | Known are: fresh, keys, draw, part, parts. It is an option of pegs_fit.$$),
	(7, $$SELECT * FROM pegs_sample('urn', 3, epsilon => 1, options => '{"draw": "urn"}') AS s(a text)$$, $$22023 unknown option "draw" | Known are: fresh, keys. It is an option of samples of perturbed models, and of sealed ones of method 'pegs'.$$),
	(7, $$SELECT pegs_release('m', 'noisy', 3, options => '{"sweeps": 3}')$$, $$22023 unknown option "sweeps" | Known are: fresh, keys, draw, part, parts. It is an option of samples of sealed models of method 'pegs', and of pegs_fit.$$),
	(7, $$SELECT pegs_cost('sealed', 3, epsilon => 1, options => '{"evry": true}')$$, $$22023 unknown option "evry" | Known are: fresh, keys, draw, sweeps.$$),
	(7, $$SELECT pegs_fit('m', 't', epsilon => 1, method => 'table', options => '{"noise": 1}')$$, $$22023 option "noise" must be "added" or "dirichlet" | options => '{"noise": "dirichlet", "rows": 50000}'$$),
	(7, $$SELECT pegs_fit('m', 't', epsilon => 1, method => 'pmse', options => '{"rounds": "many"}')$$, $$22023 option "rounds" must be a whole number from 1 to 1000 | options => '{"rounds": 20}'$$),
	(7, $$SELECT pegs_fit('m', 't', epsilon => 1, method => 'table', options => '["noise"]')$$, $$22023 options must be a JSON object | For example: options => '{}'$$),
	(7, $$SELECT pegs_fit('m', 't', epsilon => 1, method => 'graph', options => '{"row": 5}')$$, $$22023 unknown option "row" | Method "graph" knows: target.$$),
	(7, $$SELECT pegs_fit('m', 't', method => 'pegs', options => '{"row": 5}')$$, $$22023 unknown option "row" | Method "pegs" knows: l_diversity.$$),
	(7, $$SELECT pegs_fit('m', 't', epsilon => 1, method => 'copula', options => '{"row": 5}')$$, $$22023 unknown option "row" | Did you mean "rows"? Method "copula" knows: nearest, coding, by, correlation, rows.$$),
	(7, $$SELECT pegs_fit('m', 't', method => 'regression', options => '{"row": 5}')$$, $$22023 unknown option "row" | Method "regression" knows: lambda, l1_ratio, folds, sweeps, passes.$$),
	(7, $$SELECT pegs_fit('m', 't', method => 'marginals', options => '{"row": 5}')$$, $$22023 unknown option "row" | Method "marginals sealed" knows: prior.$$),
	(7, $$SELECT pegs_fit('m', 't', method => 'table', options => '{"row": 5, "guarantee": "none"}')$$, $$22023 unknown option "row" | Method "table published" knows none: leave it out.$$),
	-- guarantee
	(8, $$SELECT pegs_fit('m', 't', method => 'table', options => '{"guarantee": "some"}')$$, $$22023 option "guarantee" must be "none" | A guarantee is not asked for: with epsilon there is one. | options => '{"guarantee": "none"}', for the form that was published without a guarantee; or leave it out.$$),
	(8, $$SELECT pegs_fit('m', 't', epsilon => 1, method => 'table', options => '{"guarantee": "none"}')$$, $$22023 option "guarantee" cannot be given with epsilon | With epsilon there is a guarantee. | Leave one of the two out.$$),
	(8, $$SELECT pegs_fit('m', 't', method => 'regression', options => '{"guarantee": "some"}')$$, $$22023 option "guarantee" must be "none" | A guarantee is not asked for: with epsilon there is one. | options => '{"guarantee": "none"}', for the form that was published without a guarantee; or leave it out.$$),
	(8, $$SELECT pegs_fit('m', 't', method => 'copula', options => '{"guarantee": 1}')$$, $$22023 option "guarantee" must be "none" | A guarantee is not asked for: with epsilon there is one. | options => '{"guarantee": "none"}', for the form that was published without a guarantee; or leave it out.$$),
	(8, $$SELECT pegs_fit('m', 't', epsilon => 1, method => 'marginals', options => '{"guarantee": "none"}')$$, $$22023 option "guarantee" cannot be given with epsilon | With epsilon there is a guarantee. | Leave one of the two out.$$),
	(8, $$SELECT pegs_fit('m', 't', epsilon => 1, method => 'regression', options => '{"guarantee": "none"}')$$, $$22023 option "guarantee" cannot be given with epsilon | With epsilon there is a guarantee. | Leave one of the two out.$$),
	(8, $$SELECT pegs_fit('m', 't', epsilon => 1, method => 'copula', options => '{"guarantee": "none"}')$$, $$22023 option "guarantee" cannot be given with epsilon | With epsilon there is a guarantee. | Leave one of the two out.$$),
	(8, $$SELECT pegs_fit('m', 't', epsilon => 1, method => 'graph', options => '{"guarantee": "none"}')$$, $$22023 option "guarantee" cannot be given with epsilon | With epsilon there is a guarantee. | Leave one of the two out.$$),
	(8, $$SELECT pegs_fit('m', 't', method => 'pegs', options => '{"guarantee": "none"}')$$, $$22023 method "pegs" has no form without a guarantee | Leave the option "guarantee" out. Such a form is one of 'regression', 'copula', 'table', 'marginals'; of method 'pegs' it is options => '{"l_diversity": 1.5}'.$$),
	-- rows
	(9, $$SELECT pegs_fit('m', 't', epsilon => 1, method => 'table', options => '{"noise": "dirichlet"}')$$, $$22004 method "table" cannot fit this: option "noise": "dirichlet" needs the option "rows", how many are drawn | options => '{"noise": "dirichlet", "rows": 50000}'$$),
	(9, $$SELECT pegs_fit('m', 't', epsilon => 1, method => 'table', options => '{"noise": "dirichlet", "rows": 0}')$$, $$22023 option "rows" must be a whole number from 1 to 100000000 | options => '{"rows": 50000, "noise": "dirichlet"}'$$),
	(9, $$SELECT pegs_fit('m', 't', epsilon => 1, method => 'marginals', options => '{"noise": "dirichlet", "rows": 70368744177665}')$$, $$22023 option "rows" must be a whole number from 1 to 100000000 | options => '{"rows": 50000, "noise": "dirichlet"}'$$),
	(9, $$SELECT pegs_fit('m', 't', epsilon => 1, method => 'marginals', options => '{"noise": "dirichlet", "rows": 2.5}')$$, $$22023 option "rows" must be a whole number from 1 to 100000000 | options => '{"rows": 50000, "noise": "dirichlet"}'$$),
	(9, $$SELECT pegs_fit('m', 't', epsilon => 1, method => 'marginals', options => '{"noise": "dirichlet"}')$$, $$22004 method "marginals" cannot fit this: option "noise": "dirichlet" needs the option "rows", how many are drawn | options => '{"noise": "dirichlet", "rows": 50000}'$$),
	(9, $$SELECT pegs_fit('m', 't', epsilon => 1, method => 'marginals', options => '{"noise": "dirichlet", "rows": 0}')$$, $$22023 option "rows" must be a whole number from 1 to 100000000 | options => '{"rows": 50000, "noise": "dirichlet"}'$$),
	(9, $$SELECT pegs_fit('m', 't', epsilon => 1, method => 'table', options => '{"noise": "dirichlet", "rows": 70368744177665}')$$, $$22023 option "rows" must be a whole number from 1 to 100000000 | options => '{"rows": 50000, "noise": "dirichlet"}'$$),
	-- weights beyond 64 bits
	(10, $$SELECT * FROM pegs_sample('urn', 1000000000000, epsilon => 0.000001) AS s(a text)$$, $$22023 epsilon is too small for so many rows | epsilon 0.000001 over 1000000000000 rows from urns: the noise would not fit in 64 bits. | Ask for fewer rows or more epsilon; whole tables need a perturbed model (pegs_fit with epsilon).$$),
	(10, $$SELECT pegs_release('r', 'urn', 35184372088833, epsilon => 1)$$, $$22023 epsilon is too small for so many rows | epsilon 1 over 35184372088833 rows from urns: the noise would not fit in 64 bits. | Ask for fewer rows or more epsilon; whole tables need a perturbed model (pegs_fit with epsilon).$$),
	(10, $$SELECT * FROM pegs_sample('sealed', 1000000000000, epsilon => 0.000001) AS s(a text)$$, $$22023 epsilon is too small for so many rows | epsilon 0.000001 over 1000000000000 rows in blocks of 1: the noise would not fit in 64 bits. | Ask for fewer rows, larger blocks or more epsilon; whole tables need a perturbed model (pegs_fit with epsilon).$$),
	(10, $$SELECT * FROM pegs_sample('columns', 1000000000000, epsilon => 0.000001) AS s(a text)$$, $$22023 epsilon is too small for so many rows | epsilon 0.000001 over 1000000000000 rows from urns: the noise would not fit in 64 bits. | Ask for fewer rows or more epsilon; whole tables need a perturbed model (pegs_fit with epsilon).$$),
	(10, $$SELECT * FROM pegs_sample('sealed', 1000000000000, epsilon => 0.000001, options => '{"draw": "urn"}') AS s(a text)$$, $$22023 epsilon is too small for so many rows | epsilon 0.000001 over 1000000000000 rows from urns, sweeps of each row: 1: the noise would not fit in 64 bits. | Ask for fewer rows, fewer sweeps or more epsilon; whole tables need a perturbed model (pegs_fit with epsilon).$$),
	(10, $$SELECT * FROM pegs_sample('regressed', 1000000000000, epsilon => 0.000001) AS s(a text)$$, $$22023 epsilon is too small for so many rows | epsilon 0.000001 over 1000000000000 rows: the noise would not fit in 64 bits. | Ask for fewer rows or more epsilon; whole tables need a perturbed model (pegs_fit with epsilon).$$),
	(10, $$SELECT pegs_fit('m', 'many', epsilon => 0.000000001, method => 'table', options => '{"noise": "dirichlet", "rows": 100000000}')$$, $$22023 epsilon is too small for so many rows | epsilon 0.000000001 over the "rows" that are drawn from urns: the noise of all cells would not fit in 64 bits. | Draw fewer "rows", or take more epsilon: epsilon => 1.$$),
	(10, $$SELECT pegs_fit('m', 'many', epsilon => 0.000000001, method => 'marginals', options => '{"noise": "dirichlet", "rows": 100000000}')$$, $$22023 epsilon is too small for so many rows | epsilon 0.000000001 over the "rows" that are drawn from urns: the noise of all cells would not fit in 64 bits. | Draw fewer "rows", or take more epsilon: epsilon => 1.$$),
	(10, $$SELECT pegs_fit('m', 'many', epsilon => 0.000000001, method => 'table', options => '{"noise": "dirichlet", "rows": 90000, "within": ["x"]}')$$, $$22023 epsilon is too small for so many rows | epsilon 0.000000001 over the "rows" that are drawn from urns: the noise of all cells would not fit in 64 bits. | Draw fewer "rows", or take more epsilon: epsilon => 1.$$),
	-- delta with persons of several rows; urns with blocks
	(11, $$SELECT * FROM pegs_sample('of persons', 10, epsilon => 1, delta => 1e-9) AS s(a text)$$, $$0A000 urns take no delta where a person has several rows | Model "of persons" protects a person, whatever the number of rows (at most 2 are read); the claim is proved for one row. | Leave delta out.$$),
	(11, $$SELECT pegs_fit('m', 'person', ARRAY['a', 'b'], epsilon => 1, delta => 1e-7, method => 'table', options => '{"noise": "dirichlet", "rows": 1000}')$$, $$0A000 urns take no delta where a person has several rows | The claim is proved for one row. | Leave delta out; or leave out "noise" and the options that go with it.$$),
	(11, $$SELECT * FROM pegs_sample('urn', 10, epsilon => 1, block => 2) AS s(a text)$$, $$22023 rows of method "table sealed" have no blocks | A block is of PeGS: a cell is reset once it was used. Model "urn" is drawn otherwise. | Leave block out.$$),
	(11, $$SELECT * FROM pegs_sample('sealed', 10, epsilon => 1, block => 2, options => '{"draw": "urn"}') AS s(a text)$$, $$22023 urns have no blocks | In a block a cell is reset once it was used; from an urn it is drawn again and again. | Leave block out.$$),
	(11, $$SELECT * FROM pegs_sample('columns of persons', 10, epsilon => 1, delta => 1e-9) AS s(a text)$$, $$0A000 urns take no delta where a person has several rows | Model "columns of persons" protects a person, whatever the number of rows (at most 2 are read); the claim is proved for one row. | Leave delta out.$$),
	(11, $$SELECT * FROM pegs_sample('pegs of persons', 10, epsilon => 1, delta => 1e-9, options => '{"draw": "urn"}') AS s(a text)$$, $$0A000 urns take no delta where a person has several rows | Model "pegs of persons" protects a person, whatever the number of rows (at most 2 are read); the claim is proved for one row. | Leave delta out, or the option.$$),
	(11, $$SELECT pegs_release('r', 'of persons', 10, epsilon => 1, delta => 1e-9)$$, $$0A000 urns take no delta where a person has several rows | Model "of persons" protects a person, whatever the number of rows (at most 2 are read); the claim is proved for one row. | Leave delta out.$$),
	(11, $$SELECT pegs_fit('m', 'person', ARRAY['a', 'b'], epsilon => 1, delta => 1e-7, method => 'marginals', options => '{"noise": "dirichlet", "rows": 1000}')$$, $$0A000 urns take no delta where a person has several rows | The claim is proved for one row. | Leave delta out; or leave out "noise" and the options that go with it.$$),
	(11, $$SELECT * FROM pegs_sample('columns', 10, epsilon => 1, block => 2) AS s(a text)$$, $$22023 rows of method "marginals sealed" have no blocks | A block is of PeGS: a cell is reset once it was used. Model "columns" is drawn otherwise. | Leave block out.$$),
	(11, $$SELECT * FROM pegs_sample('regressed', 10, epsilon => 1, block => 2) AS s(a text)$$, $$22023 rows of method "regression" have no blocks | A block is of PeGS: a cell is reset once it was used. Model "regressed" is drawn otherwise. | Leave block out.$$),
	-- within
	(12, $$SELECT pegs_fit('m', 't', method => 'table', options => '{"within": ["nobody"]}')$$, $$42703 "within" names "nobody", which is not a column of the model | Its columns are: a text, b boolean, n integer.$$),
	(12, $$SELECT pegs_fit('m', 't', method => 'table', options => '{"within": ["a", "n", "b"]}')$$, $$22023 method "table sealed" cannot fit this: option "within" has all columns, so that nothing would be drawn | Name fewer columns in "within", or leave it out.$$),
	(12, $$SELECT pegs_fit('m', 't', epsilon => 1, method => 'table', options => '{"noise": "dirichlet", "rows": 50, "within": ["nobody"]}')$$, $$42703 "within" names "nobody", which is not a column of the model | Its columns are: a text, b boolean, n integer.$$),
	(12, $$SELECT pegs_fit('m', 't', epsilon => 1, method => 'table', options => '{"noise": "dirichlet", "rows": 50, "within": ["a", "n", "b"]}')$$, $$22023 method "table" cannot fit this: option "within" has all columns, so that nothing would be drawn | Name fewer columns in "within", or leave it out.$$),
	-- prior: also prior.sql
	(13, $$SELECT pegs_fit('m', 't', method => 'table', options => '{"prior": "t"}')$$, $$22023 public.t cannot be a prior: it is the source, or a part of it | A prior is public: what is in it is not protected. | Name a table of figures that everybody may know, made without the rows of the source.$$),
	(13, $$SELECT pegs_fit('m', 't', method => 'table', options => '{"prior": "a_view"}')$$, $$42809 "a_view" cannot be a prior: it is not a table | What a view or a foreign table reads could be anything, the source as well. | Copy what is public in it into a table: CREATE TABLE my_prior AS SELECT ...;$$),
	(13, $$SELECT pegs_fit('m', 't', method => 'marginals', options => '{"prior": "a_part"}')$$, $$22023 public.a_part cannot be a prior: it is the source, or a part of it | A prior is public: what is in it is not protected. | Name a table of figures that everybody may know, made without the rows of the source.$$),
	(13, $$SELECT pegs_fit('m', 't', method => 'table', options => '{"prior": "short"}')$$, $$42703 relation "short" has no column "b" | Its columns are: a.$$),
	(13, $$SELECT pegs_fit('m', 't', method => 'table', options => '{"prior": {"table": "weighed", "weight": "w"}}')$$, $$22023 column "w" of public.weighed has a weight that is not a number from 0 to 1073741824 | A prior may add to a cell, and never take away: weights are numbers of rows, or parts of one.$$),
	(13, $$SELECT pegs_fit('m', 't', epsilon => 1, method => 'table', options => '{"noise": "dirichlet", "rows": 50, "prior": "t"}')$$, $$22023 public.t cannot be a prior: it is the source, or a part of it | A prior is public: what is in it is not protected. | Name a table of figures that everybody may know, made without the rows of the source.$$),
	(13, $$SELECT pegs_fit('m', 't', epsilon => 1, method => 'marginals', options => '{"noise": "dirichlet", "rows": 50, "prior": "a_view"}')$$, $$42809 "a_view" cannot be a prior: it is not a table | What a view or a foreign table reads could be anything, the source as well. | Copy what is public in it into a table: CREATE TABLE my_prior AS SELECT ...;$$),
	(13, $$SELECT pegs_fit('m', 't', epsilon => 1, method => 'marginals', options => '{"noise": "dirichlet", "rows": 50, "prior": {"table": "weighed", "weight": "w"}}')$$, $$22023 column "w" of public.weighed has a weight that is not a number from 0 to 1073741824 | A prior may add to a cell, and never take away: weights are numbers of rows, or parts of one.$$),
	-- of another type nothing is rounded
	(13, $$SELECT pegs_fit('m', 't', method => 'table', options => '{"prior": "dotted"}')$$, $$42804 column "n" of public.dotted is of type numeric, and that of the source of type integer | Values of another type could be rounded, or none of it. | Make a prior of the types of the source: CREATE TABLE my_prior AS SELECT a::text AS a, b::boolean AS b, n::integer AS n FROM public.dotted;$$),
	(13, $$SELECT pegs_fit('m', 't', method => 'table', options => '{"prior": "pg_class"}')$$, $$22023 pg_class cannot be a prior: it is a system table | A prior is public: what is in it is not protected. | Name a table of figures that everybody may know, made without the rows of the source.$$),
	-- lists
	(13, $$SELECT f.* FROM pegs_ru_map('t', '{}', 10) AS f$$, $$22023 epsilons must hold at least one | epsilons => ARRAY[0.1, 1, 10]$$),
	(13, $$SELECT f.* FROM pegs_ru_map('t', '{1}', 10, methods => '{}') AS f$$, $$22023 methods must name at least one | methods => ARRAY['PeGS', 'table']$$),
	(13, $$SELECT f.* FROM pegs_ru_map('t', '{{1}}', 10) AS f$$, $$2202E epsilons must be one list, of one dimension | epsilons => '{...}', without braces inside.$$),
	(13, $$SELECT pegs_fit('m', 't', '{{a, b}}', epsilon => 1)$$, $$2202E columns must be one list, of one dimension | columns => '{...}', without braces inside.$$),
	(13, $$SELECT pegs_set_levels('t', 'a', '{{x, y}, {z, u}}')$$, $$2202E levels must be one list, of one dimension | levels => '{...}', without braces inside.$$),
	(13, $$SELECT pegs_set_levels('t', 'a', ARRAY[ARRAY['x', 'y']])$$, $$2202E levels must be one list, of one dimension | levels => '{...}', without braces inside.$$),
	(13, $$SELECT pegs_set_parent('a_part', 't', children => '{{0, 1}}', at_most => 4)$$, $$2202E children must be one list, of one dimension | children => '{...}', without braces inside.$$),
	(13, $$SELECT * FROM pegs_combine('{{1, 2}}', '{{1, 2}}')$$, $$2202E estimates must be one list, of one dimension | estimates => '{...}', without braces inside.$$),
	(13, $$SELECT pegs_score_fit('m', 't', 'a', '{{x, y}}', epsilon => 1)$$, $$2202E positive must be one list, of one dimension | positive => '{...}', without braces inside.$$),
	(13, $$SELECT f.* FROM pegs_ru_map('t', '{1}', 10, keys => '{a}', target => 'a') AS f$$, $$22023 keys: "a" is the target | An intruder knows the keys and wants the target.$$),
	(13, $$SELECT f.* FROM pegs_ru_map('t', '{1}', 10, tail_bits => 1, methods => '{regression}') AS f$$, $$22023 method "regression" cannot fit this: a regression has no tail bits | Leave tail_bits out. Or methods without 'regression'.$$),
	-- penalties
	(14, $$SELECT pegs_fit('m', 't', method => 'regression', options => '{"l1_ratio": 1.5, "lambda": 0.1}')$$, $$22023 option "l1_ratio" must be a number from 0 to 1 | options => '{"l1_ratio": 0.5}'$$),
	(14, $$SELECT pegs_fit('m', 't', method => 'regression', options => '{"l1_ratio": -0.5, "lambda": 0.1}')$$, $$22023 option "l1_ratio" must be a number from 0 to 1 | options => '{"l1_ratio": 0.5}'$$),
	(14, $$SELECT pegs_fit('m', 't', method => 'regression', options => '{"lambda": -1}')$$, $$22023 option "lambda" must be a number from 0 to 1000 | options => '{"lambda": 0.001}'$$),
	(14, $$SELECT pegs_fit('m', 't', method => 'regression', options => '{"lambda": "NaN"}')$$, $$22023 option "lambda" must be a number from 0 to 1000 | options => '{"lambda": 0.001}'$$),
	(14, $$SELECT pegs_fit('m', 't', method => 'regression', options => '{"lambda": 0, "l1_ratio": 0.5}')$$, $$22023 method "regression" cannot fit this: with lambda 0 there is no penalty, and no l1_ratio | Leave l1_ratio out, or take a lambda above 0.$$),
	(14, $$SELECT pegs_fit('m', 't', method => 'regression', parents => '{"b": ["a"]}', options => '{"lambda": 0, "l1_ratio": 0.5}')$$, $$22023 method "regression" cannot fit this: with lambda 0 there is no penalty, and no l1_ratio | Leave l1_ratio out, or take a lambda above 0.$$),
	-- copula: by, and too many levels
	(15, $$SELECT pegs_fit('m', 't', epsilon => 1, method => 'copula', options => '{"by": ["a", "b", "n"]}')$$, $$22023 method "copula" cannot fit this: option "by" names all columns | Leave one column out of "by" at least; or method => 'table'.$$),
	(15, $$SELECT pegs_fit('m', 'many', epsilon => 1, method => 'copula', options => '{"by": ["x"]}')$$, $$22023 method "copula" cannot fit this: the columns of "by" have more than 1,024 cells | Name fewer columns in "by", or such of fewer levels.$$),
	(15, $$SELECT pegs_fit('m', 'latents', epsilon => 1, method => 'copula')$$, $$54000 method "copula" cannot fit this: a copula has at most 2,000 normal variables | Fit fewer columns. Each has a normal variable, and one more if it may be NULL.$$),
	(15, $$SELECT pegs_fit('m', 'many', epsilon => 1, method => 'copula', options => '{"coding": "dummy"}')$$, $$54000 method "copula" cannot fit this: with a normal variable for each level a copula has at most 2,000 levels, of all columns together | Fit fewer columns, or declare wider bins and fewer levels.$$),
	(15, $$SELECT pegs_fit('m', 't', epsilon => 1, method => 'copula', options => '{"by": ["nobody"]}')$$, $$42703 "by" names "nobody", which is not a column of the model | Its columns are: a text, b boolean, n integer.$$),
	-- copula: rows
	(16, $$SELECT * FROM pegs_sample('cop', 10, given => '{"a": "x", "b": true}') AS s(n int)$$, $$0A000 given names 2 columns, and method "copula" takes at most 1 | Give fewer; or fit with method => 'graph', which takes any number.$$),
	(16, $$SELECT * FROM pegs_sample('cop', 10, options => '{"draw": "apportioned"}') AS s(n int)$$, $$22023 option "draw" must be "independent", or left out, with method "copula" | Rows of model "cop" are independent of each other. | options => '{"draw": "independent"}'$$),
	(16, $$SELECT pegs_release('r', 'cop', 10, options => '{"draw": "apportioned"}')$$, $$22023 option "draw" must be "independent", or left out, with method "copula" | Rows of model "cop" are independent of each other. | options => '{"draw": "independent"}'$$),
	(16, $$SELECT * FROM pegs_sample('regressed', 10, epsilon => 1, options => '{"draw": "apportioned"}') AS s(n int)$$, $$22023 unknown option "draw" | Known are: fresh, keys. It is an option of samples of perturbed models, and of sealed ones of method 'pegs'.$$),
	-- kendall
	(17, $$SELECT pegs_fit('m', 't', epsilon => 1, method => 'copula', options => '{"correlation": "kendall", "rows": 1}')$$, $$22023 option "rows" must be a whole number from 2 to 16777216 | options => '{"rows": 10000, "correlation": "kendall"}'$$),
	(17, $$SELECT pegs_fit('m', 't', epsilon => 1, method => 'copula', options => '{"correlation": "kendall", "rows": 16777217}')$$, $$22023 option "rows" must be a whole number from 2 to 16777216 | options => '{"rows": 10000, "correlation": "kendall"}'$$),
	-- pmse
	(18, $$SELECT pegs_fit('m', 't', epsilon => 1, method => 'pmse', options => '{"candidates": 1}')$$, $$22023 option "candidates" must be a whole number from 2 to 10000 | options => '{"candidates": 64}'$$),
	(18, $$SELECT pegs_fit('m', 't', epsilon => 1, method => 'pmse', options => '{"rounds": 0}')$$, $$22023 option "rounds" must be a whole number from 1 to 1000 | options => '{"rounds": 20}'$$),
	(18, $$SELECT pegs_fit('m', 't', epsilon => 1, method => 'pmse', options => '{"rounds": 1000, "candidates": 1001}')$$, $$22023 method "pmse" cannot fit this: rounds times candidates are more than 1,000,000 | options => '{"rounds": 20, "candidates": 64}'$$),
	(18, $$SELECT pegs_fit('m', 't', epsilon => 1, method => 'pmse', options => '{"cells": "tree 3"}')$$, $$22023 unknown option "cells" | Method "pmse" knows: rounds, candidates, parts, rows.$$),
	(18, $$SELECT pegs_fit('m', 't', epsilon => 1, method => 'pmse', options => '{"parts": 0}')$$, $$22023 option "parts" must be a whole number from 2 to 65535 | options => '{"parts": 8}'$$),
	-- pegs_best
	(19, $$SELECT pegs_best('t', ARRAY['noisy'], 0.1)$$, $$22023 names must be 2 to 1000 models or releases, not 1 | SELECT name FROM pegs_models; SELECT name FROM pegs_releases;$$),
	(19, $$SELECT pegs_best('t', ARRAY['noisy', 'noisy'], 0.1)$$, $$22023 "noisy" is named twice | Name every model and release once.$$),
	(19, $$SELECT pegs_best('t', ARRAY['noisy', 'sealed'], 0.1)$$, $$22023 model "sealed" is sealed: its rows are paid for when they are drawn | Keep rows of it in a release, which is charged, and name that: SELECT pegs_release('kept', 'sealed', 1000, epsilon => 1);$$),
	(19, $$SELECT pegs_best('t', ARRAY['noisy', 'none'], 0.1)$$, $$22023 model "none" has no guarantee: what is chosen must have one | Name models that were fitted with epsilon, and releases.$$),
	(19, $$SELECT pegs_best('t', ARRAY['noisy', 'persons'], 0.1)$$, $$22023 "persons" is not made of public.t | A choice is paid by the account of the table with which all are compared. | SELECT name, source FROM pegs_models; SELECT name, source FROM pegs_releases;$$),
	(19, $$SELECT pegs_best('t', ARRAY['noisy', 'file'], 0.1)$$, $$22023 model "file" came in as a file: of which table it was made is not known here | Choose where it was fitted.$$),
	(19, $$SELECT pegs_best('t', ARRAY['noisy', 'nowhere'], 0.1)$$, $$42704 there is no model or release "nowhere", or it is not granted to you | SELECT name FROM pegs_models; SELECT name FROM pegs_releases;$$),
	(19, $$SELECT pegs_best('t', ARRAY['noisy', 'diverse'], 0.1)$$, $$22023 model "diverse" has no guarantee: what is chosen must have one | Name models that were fitted with epsilon, and releases.$$),
	-- pegs_dirichlet_*
	(20, $$SELECT pegs_dirichlet_matrix(1, 0.5, 5, 5)$$, $$22023 k must be at least 2, not 1 | Abowd's example: k => 2, alpha => 0.5, n => 5, m => 5$$),
	(20, $$SELECT pegs_dirichlet_risk(2, 0, 5, 5)$$, $$22023 alpha must be above 0 and at most 1e15 | Abowd's example: alpha => 0.5$$),
	(20, $$SELECT pegs_dirichlet_risk(2, 'Infinity', 5, 5)$$, $$22023 alpha must be above 0 and at most 1e15 | Abowd's example: alpha => 0.5$$),
	(20, $$SELECT pegs_dirichlet_validity(2, 0.5, -1, 5)$$, $$22023 n must be at least 0, not -1 | Abowd's example: k => 2, alpha => 0.5, n => 5, m => 5$$),
	(20, $$SELECT pegs_dirichlet_validity(2, 0.5, 5, 0)$$, $$22023 m must be at least 1, not 0 | Abowd's example: k => 2, alpha => 0.5, n => 5, m => 5$$),
	(20, $$SELECT pegs_dirichlet_matrix(2, 0.5, 1023, 1024)$$, $$54000 the matrix has too many cells | 1024 tables of n rows times 1025 of m: 1049600 cells of 2 categories. At most 1048576 cells, and 2097152 cells times categories. | Take a smaller k, n or m: k => 2, n => 100, m => 100$$)) AS r (line, call, said);
SELECT is((SELECT string_agg(concat_ws(' ', source, spent, delta_spent), ', ' ORDER BY source::text) FROM pegs_budgets), (SELECT * FROM spent_before), 'nothing was charged for any of it');
SELECT is((SELECT count(*) FROM pegs_models WHERE name = 'm') + (SELECT count(*) FROM pegs_releases WHERE name = 'r'), 0::bigint, 'and nothing made');

---- files that say of themselves what no fit has made, with a CRC-32C that is mended
CREATE FUNCTION altered(b bytea, old text, new text) RETURNS bytea LANGUAGE plpgsql AS $$
DECLARE crc bigint := 4294967295;
BEGIN
	IF position(convert_to(old, 'UTF8') IN b) = 0 OR length(old) <> length(new) THEN RAISE EXCEPTION 'no such words'; END IF;
	b := overlay(b PLACING convert_to(new, 'UTF8') FROM position(convert_to(old, 'UTF8') IN b));
	FOR i IN 0 .. length(b) - 5 LOOP
		crc := crc # get_byte(b, i);
		FOR bit IN 1 .. 8 LOOP crc := CASE crc & 1 WHEN 1 THEN (crc >> 1) # 2197175160 ELSE crc >> 1 END; END LOOP;
	END LOOP;
	crc := crc # 4294967295;
	FOR i IN 0 .. 3 LOOP b := set_byte(b, length(b) - 4 + i, (crc >> 8 * i & 255)::int); END LOOP;
	RETURN b;
END $$;
SELECT pegs_fit('drawn', 't', epsilon => 1, method => 'marginals', options => '{"noise": "dirichlet", "rows": 1000}'), pegs_fit('drawn of all', 't', epsilon => 1, method => 'table', options => '{"noise": "dirichlet", "rows": 1000}'),
	pegs_fit('drawn within', 't', epsilon => 1, method => 'table', options => '{"noise": "dirichlet", "rows": 1000, "within": ["b"]}'), pegs_fit('chain', 't', ARRAY['n', 'b'], epsilon => 1, method => 'pmse', options => '{"rounds": 2}');
SELECT is(said(format('SELECT pegs_import(%L, altered(pegs_export(%L), %L, %L))', 'altered ' || model || new, model, old, new)), said, format('a file of %s: %s becomes %s', model, old, new)) FROM (VALUES
	('drawn', '1000', '1000', 'no error'), ('drawn of all', '1000', '1000', 'no error'), ('drawn within', '1000', '1000', 'no error'), ('chain', '"rounds"', '"rounds"', 'no error'),
	('chain', '"rounds"', '"roundz"', '22P03 this is not an exported model: its options are none of its method | Import what pegs_export gave.'),
	('drawn', '"y", "z"', '"y", "y"', '22P03 this is not an exported model: two levels of a column are one value | Import what pegs_export gave.'),
	('drawn', '["1", "2"', '["2","02"', '22P03 this is not an exported model: two levels of a column are one value | Import what pegs_export gave.'),
	('drawn', '"dirichlet"', '"dirichlot"', '22P03 this is not an exported model: its options are none of its method | Import what pegs_export gave.'),
	('drawn', '1000', '9000', '22P03 this is not an exported model: no fit with its options makes its tables | Import what pegs_export gave.'),
	('drawn of all', '1000', '9000', '22P03 this is not an exported model: no fit with its options makes its tables | Import what pegs_export gave.'),
	('drawn within', '1000', '9000', '22P03 this is not an exported model: no fit with its options makes its tables | Import what pegs_export gave.'),
	-- an order of words, or a space, that this server would not write: its own text would be another than that of the tables
	('drawn', '": "', '" :"', '22P03 this is not an exported model: its tables are none of its facts | Import what pegs_export gave.'),
	('chain', '": "', '" :"', '22P03 this is not an exported model: its tables are none of its facts | Import what pegs_export gave.')) AS v (model, old, new, said);

-- an urn for each combination is narrower than one of all cells: it has room where that has none
SELECT matches(said($$SELECT pegs_fit('m', 'many', epsilon => 0.000001, method => 'table', options => '{"noise": "dirichlet", "rows": 1000}')$$), '^22023 epsilon is too small', 'no room in one urn');
SELECT lives_ok($$SELECT pegs_fit('narrow', 'many', epsilon => 0.000001, method => 'table', options => '{"noise": "dirichlet", "rows": 1000, "within": ["x"]}')$$, 'and in urns within a column there is');
SELECT is((pegs_describe('narrow') ->> 'spent')::numeric > 0, true, 'which are drawn for what is charged');
---- what is no bad input where the design's table says so: a table of one column is a table, a scale that nobody declared is told, kendall's rows may be all of them
SELECT lives_ok($$SELECT pegs_fit('one', 't', ARRAY['a'], epsilon => 1, method => 'copula')$$, 'a copula of one column');
SELECT lives_ok($$SELECT pegs_fit('scale', 't', epsilon => 1, method => 'pmse', options => '{"rounds": 2, "candidates": 2}')$$, 'pmse of a column whose levels have no order');
SELECT lives_ok($$SELECT pegs_fit('kendall', 't', epsilon => 1, method => 'copula', options => '{"correlation": "kendall"}')$$, 'kendall without rows');

---- not converged, no number, indefinite, an empty table: never an error after the charge. All methods, on tables that no fit likes, with next to no epsilon and a lot
CREATE TABLE shape (x int NOT NULL CHECK (x IN (0, 1, 2, 3)), y int NOT NULL CHECK (y IN (0, 1, 2, 3)), z int NOT NULL CHECK (z IN (0, 1)));
CREATE TABLE is_empty (LIKE shape INCLUDING ALL);
CREATE TABLE equals (LIKE shape INCLUDING ALL);	-- each column says all of the others: correlations of 1, regressions that never end
INSERT INTO equals SELECT i % 4, 3 - i % 4, i % 4 / 2 FROM generate_series(1, 400) AS i;
CREATE TABLE one_value (LIKE shape INCLUDING ALL);	-- no variance at all
INSERT INTO one_value SELECT 2, 2, 1 FROM generate_series(1, 400);
CREATE TABLE impossible (LIKE shape INCLUDING ALL);	-- pairs that no normal law has: x and y equal, z as half of one and not half of the other
INSERT INTO impossible SELECT i % 4, CASE WHEN i % 8 < 4 THEN i % 4 ELSE 3 - i % 4 END, (i % 4 / 2 + i % 8 / 4) % 2 FROM generate_series(1, 400) AS i;
CREATE TABLE single (x int NOT NULL CHECK (x = 0), y int NOT NULL CHECK (y = 0), z int NOT NULL CHECK (z = 0));	-- columns of one level
INSERT INTO single SELECT 0, 0, 0 FROM generate_series(1, 9);
SELECT pegs_set_budget(t, 100000, delta => 1e-6, accounting => 'sum') FROM unnest('{is_empty,equals,one_value,impossible,single}'::regclass[]) AS t;

-- a fit, and what comes of it: rows, and what was charged
CREATE FUNCTION made(t text, arguments text, epsilon text, delta text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	before numeric := (SELECT spent FROM pegs_budgets WHERE source = t::regclass);
	n bigint;
BEGIN
	BEGIN
		EXECUTE format('SELECT pegs_fit(%L, %L, %s%s)', 'made', t, arguments, CASE WHEN epsilon = '' THEN '' ELSE format(', epsilon => %s, delta => %s', epsilon, delta) END);
		IF arguments ~ 'guarantee' THEN	-- its rows are seen once it is committed: below
			n := 20;
		ELSE
			EXECUTE format('SELECT count(*) FROM pegs_sample(%L, 20%s) AS s(x int, y int, z int)', 'made', CASE WHEN epsilon <> '' THEN '' ELSE ', epsilon => 0.5' END) INTO n;
		END IF;
	EXCEPTION WHEN OTHERS THEN
		RETURN format('%s of %s at %s, %s: %s %s%s', arguments, t, epsilon, delta, SQLSTATE, SQLERRM,
			CASE WHEN before IS DISTINCT FROM (SELECT spent FROM pegs_budgets WHERE source = t::regclass) THEN ' (charged)' END);
	END;
	PERFORM pegs_drop('made');
	IF n = 20 AND (SELECT spent FROM pegs_budgets WHERE source = t::regclass) - before = (CASE WHEN arguments ~ 'guarantee' THEN 0 WHEN epsilon = '' THEN 0.5 ELSE epsilon::numeric END) THEN
		RETURN NULL;
	END IF;
	RETURN format('%s of %s at %s, %s: %s rows', arguments, t, epsilon, delta, n);
END $$;
CREATE TABLE methods (arguments text, paid bool, deltas text[]);
INSERT INTO methods VALUES
	($$method => 'graph'$$, true, '{0,1e-9}'), ($$method => 'table'$$, true, '{0}'), ($$method => 'marginals'$$, true, '{0,1e-9}'), ($$method => 'copula'$$, true, '{0,1e-9}'),
	($$method => 'copula', options => '{"nearest": "higham"}'$$, true, '{1e-9}'), ($$method => 'copula', options => '{"coding": "dummy"}'$$, true, '{0,1e-9}'), ($$method => 'copula', options => '{"by": ["z"]}'$$, true, '{0,1e-9}'),
	($$method => 'copula', options => '{"correlation": "kendall"}'$$, true, '{0,1e-9}'), ($$method => 'pmse', options => '{"rounds": 3, "candidates": 4}'$$, true, '{0,1e-9}'),
	($$method => 'table', options => '{"noise": "dirichlet", "rows": 50}'$$, true, '{0}'), ($$method => 'table', options => '{"noise": "dirichlet", "rows": 50, "within": ["z"]}'$$, true, '{0}'),
	($$method => 'marginals', options => '{"noise": "dirichlet", "rows": 50}'$$, true, '{0}'),
	($$method => 'copula', options => '{"correlation": "kendall", "rows": 50}'$$, true, '{0,1e-9}'),
	($$parents => '{"y": ["x"]}'$$, false, '{}'), ($$method => 'table'$$, false, '{}'), ($$method => 'marginals'$$, false, '{}'), ($$method => 'table', options => '{"within": ["z"]}'$$, false, '{}'),
	($$method => 'regression'$$, false, '{}'), ($$method => 'regression', parents => '{"y": ["x"]}', options => '{"folds": 3}'$$, false, '{}'), ($$method => 'regression', options => '{"lambda": 0}'$$, false, '{}'), ($$method => 'regression', options => '{"lambda": 0}', parents => '{"y": ["x"], "z": ["x", "y"]}'$$, false, '{}'),
	($$method => 'regression', options => '{"folds": 3}'$$, false, '{}'), ($$method => 'regression', options => '{"lambda": 0, "guarantee": "none"}'$$, false, '{}'),
	($$method => 'copula', options => '{"guarantee": "none"}'$$, false, '{}'), ($$method => 'copula', options => '{"guarantee": "none", "form": "cop-1"}'$$, false, '{}'),
	($$method => 'table', options => '{"guarantee": "none"}'$$, false, '{}'), ($$method => 'marginals', options => '{"guarantee": "none"}'$$, false, '{}');
SELECT is((SELECT string_agg(made(t, arguments, e, d), E'\n') FROM methods, unnest('{0.000000001,1,900}'::text[]) AS e, unnest(deltas) AS d WHERE paid AND (e::float8 > 1e-6 OR d = '0')), NULL, 'paid when they are fitted: ' || t)
FROM unnest('{is_empty,equals,one_value,impossible,single}'::text[]) AS t;
SELECT is((SELECT string_agg(made(t, arguments, '', ''), E'\n') FROM methods WHERE NOT paid), NULL, 'fitted for nothing: ' || t)
FROM unnest('{is_empty,equals,one_value,impossible,single}'::text[]) AS t;
CREATE TABLE shapes AS SELECT t, row_number() OVER () AS number, arguments FROM unnest('{is_empty,equals,one_value,impossible,single}'::text[]) AS t, methods WHERE arguments ~ 'guarantee';
SELECT format('SELECT pegs_fit(%L, %L, %s)', 'shape ' || number, t, arguments) FROM shapes \gexec
SELECT is((SELECT count(*) FROM pegs_sample('shape ' || number, 20) AS s(x int, y int, z int)), 20::bigint, arguments || ' of ' || t) FROM shapes;

SELECT * FROM finish();
