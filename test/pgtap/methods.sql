-- The table of methods, from SQL: what a method is paid for decides everything else, and what is left out means what it always meant.
SET client_min_messages = warning;
CREATE EXTENSION pegs;
SELECT plan(89);

CREATE TABLE t (a text NOT NULL CHECK (a IN ('x', 'y', 'z')), b boolean NOT NULL);
INSERT INTO t SELECT (ARRAY['x', 'y', 'z'])[1 + i % 3], i % 2 = 0 FROM generate_series(1, 600) AS i;
SELECT pegs_set_budget('t', 100, delta => 1e-6);
CREATE FUNCTION stored(name text) RETURNS text LANGUAGE sql AS $$ SELECT concat_ws(' ', method, sealed, l_diversity) FROM pegs_internal.model WHERE name = $1 $$;
CREATE FUNCTION detail_of(call text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	detail text;
BEGIN
	EXECUTE call;
	RETURN 'no error';
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
	RETURN detail;
END
$$;
CREATE FUNCTION lines() RETURNS text LANGUAGE sql AS $$ SELECT string_agg(action, ', ' ORDER BY at) FROM pegs_ledger WHERE action <> 'budget' $$;

---- what is left out
SELECT lives_ok($$SELECT pegs_fit('graph', 't', epsilon => 1)$$);
SELECT is(stored('graph'), 'graph f', 'with epsilon: graph');
SELECT lives_ok($$SELECT pegs_fit('pegs', 't', parents => '{}')$$);
SELECT is(stored('pegs'), 'pegs t', 'without: pegs');
SELECT lives_ok($$SELECT pegs_fit('diverse', 't', parents => '{}', options => '{"l_diversity": 1.5}')$$);
SELECT is(stored('diverse'), 'pegs l-diverse t 1.5', 'with l_diversity: its form without a guarantee');
SELECT is(lines(), 'fit, uncovered fit', 'lines of the ledger follow from how it is paid for');

---- the same by name
SELECT lives_ok($$SELECT pegs_fit('graph by name', 't', epsilon => 1, method => 'graph')$$);
SELECT lives_ok($$SELECT pegs_fit('pegs by name', 't', parents => '{}', method => 'pegs')$$);
SELECT throws_ok($$SELECT * FROM pegs_sample('pegs by name', 10, epsilon => 1, block => 2, options => '{"draw": "urn"}') AS s(a text, b boolean)$$, '22023', 'urns have no blocks');
SELECT lives_ok($$SELECT pegs_fit('diverse by name', 't', parents => '{}', options => '{"l_diversity": 1.5}', method => 'pegs')$$);
SELECT lives_ok($$SELECT pegs_fit('diverse by both names', 't', parents => '{}', options => '{"l_diversity": 1.5}', method => 'pegs l-diverse')$$);
SELECT is((SELECT string_agg(stored(name), ', ' ORDER BY name) FROM pegs_models WHERE name LIKE '% name%'), 'pegs l-diverse t 1.5, pegs l-diverse t 1.5, graph f, pegs t', 'stored as such');
SELECT lives_ok($$SELECT pegs_fit_state('graph of a state', 't', (SELECT pegs_agg((SELECT pegs_spec('t')), a, b) FROM t), epsilon => 1, method => 'graph')$$);
SELECT is(stored('graph of a state'), 'graph f', 'of a state, too');
SELECT is((SELECT count(*) FROM pegs_ledger WHERE action = 'fit'), 3::bigint, 'each is charged, of a state as of rows');
SELECT is((SELECT count(*) FROM pegs_sample('graph by name', 600) AS s(a text, b boolean)), 600::bigint, 'rows');
SELECT is((SELECT count(*) FROM pegs_sample('pegs by name', 10, epsilon => 1) AS s(a text, b boolean)), 10::bigint, 'rows');

---- what does not go together is refused, and costs nothing
CREATE TABLE spent AS SELECT spent, delta_spent, (SELECT count(*) FROM pegs_models) AS models FROM pegs_budgets;
SELECT throws_ok($$SELECT pegs_fit('m', 't', method => 'nothing')$$, '22023', 'there is no method "nothing"');
SELECT throws_ok($$SELECT pegs_fit('m', 't', epsilon => 1, method => '')$$, '22023', 'there is no method ""');
SELECT throws_ok($$SELECT pegs_fit('m', 't', method => 'graph')$$, '22004', 'epsilon must not be null: a model of method "graph" is paid for when it is fitted');
SELECT throws_ok($$SELECT pegs_fit('m', 't', epsilon => 1, method => 'pegs')$$, '22023', 'epsilon cannot be given with method "pegs"');
SELECT throws_ok($$SELECT pegs_fit('m', 't', epsilon => 1, method => 'pegs l-diverse')$$, '22023', 'epsilon cannot be given with method "pegs l-diverse"');
SELECT throws_ok($$SELECT pegs_fit('m', 't', parents => '{}', method => 'pegs l-diverse')$$, '22023', 'method "pegs l-diverse" needs the option l_diversity');
SELECT throws_ok($$SELECT pegs_fit('m', 't', epsilon => 1, parents => '{}', method => 'graph')$$, '22023', 'parents cannot be given with epsilon');
SELECT throws_ok($$SELECT pegs_fit('m', 't', options => '{"l_diversity": 1.5}', parents => '{}', method => 'graph')$$, '22004', 'epsilon must not be null: a model of method "graph" is paid for when it is fitted');
SELECT ok((SELECT (b.spent, b.delta_spent, (SELECT count(*) FROM pegs_models)) = (s.spent, s.delta_spent, s.models) FROM pegs_budgets AS b, spent AS s), 'nothing charged, nothing made');
CREATE FUNCTION hint_of(statement text) RETURNS text LANGUAGE plpgsql AS $$ DECLARE hint text; BEGIN EXECUTE statement; EXCEPTION WHEN OTHERS THEN GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT; RETURN hint; END $$;
-- a method that is added has its name there, too; forms of a family are called by the family
SELECT is(hint_of($$SELECT pegs_fit('m', 't', method => 'nothing')$$) ~ 'sealed|published', false, 'what a caller may say, and no name that only models have');
SELECT ok(string_to_array(substring(hint_of($$SELECT pegs_fit('m', 't', method => 'nothing')$$) FROM $re$^method is one of (.*); left out: 'graph' with epsilon, 'pegs' without\.$re$), ', ')
	@> ARRAY[$$'graph'$$, $$'pegs'$$, $$'pegs l-diverse'$$], 'which there are');

---- models of a version that wrote no method down, and of one that has others
CREATE TABLE seen AS SELECT (SELECT string_agg(s::text, ' ') FROM pegs_sample('graph', 50) AS s(a text, b boolean)) AS rows, pegs_describe('graph') - 'created' AS described, pegs_describe('diverse') AS diverse;
UPDATE pegs_internal.model SET method = NULL;
SELECT is((SELECT string_agg(s::text, ' ') FROM pegs_sample('graph', 50) AS s(a text, b boolean)), (SELECT rows FROM seen), 'graph: the same rows');
SELECT is(pegs_describe('graph') - 'created', (SELECT described FROM seen), 'and the same words');
SELECT is(pegs_describe('diverse'), (SELECT diverse FROM seen), 'l-diverse: the same words');
SELECT is(pegs_describe('pegs') ->> 'mechanism', 'PeGS, Block PeGS with Reset at the visit', 'pegs: known by sealed');
UPDATE pegs_internal.model SET method = 'a later one' WHERE name = 'pegs';
SELECT throws_ok($$SELECT pegs_describe('pegs')$$, '0A000', 'model "pegs" is of method "a later one", which this version does not have');
SELECT throws_ok($$SELECT * FROM pegs_sample('pegs', 1, epsilon => 1) AS s(a text, b boolean)$$, '0A000', 'model "pegs" is of method "a later one", which this version does not have');
-- to who may not use it, it is a name like any other
CREATE ROLE methods_stranger;
SET ROLE methods_stranger;
SELECT throws_ok($$SELECT pegs_describe('pegs')$$, '42704', 'there is no model or release "pegs", or it is not granted to you');
RESET ROLE;
DROP ROLE methods_stranger;
SELECT lives_ok($$SELECT pegs_drop('pegs')$$, 'it can be dropped');
-- a superuser has changed what it is: nothing is drawn, and no other bytes leave under its name
UPDATE pegs_internal.model SET method = 'graph' WHERE name = 'diverse';
SELECT throws_ok($$SELECT pegs_export('diverse')$$, 'XX001', 'the method of model "diverse" is not its own');
SELECT throws_ok($$SELECT * FROM pegs_sample('diverse', 1) AS s(a text, b boolean)$$, 'XX001', 'the method of model "diverse" is not its own');
UPDATE pegs_internal.body SET body = (SELECT b.body FROM pegs_internal.body AS b JOIN pegs_internal.model AS m ON m.id = b.model WHERE m.name = 'pegs by name')
FROM pegs_internal.model AS m WHERE m.id = model AND m.name = 'graph by name';
SELECT throws_ok($$SELECT pegs_export('graph by name')$$, 'XX001', 'the tables of model "graph by name" are not its own');
-- l-diverse counts as those of a method with a guarantee, and the other way round; another price than was paid
UPDATE pegs_internal.model SET method = 'pegs' WHERE name = 'diverse by name';
SELECT throws_ok($$SELECT pegs_release('r', 'diverse by name', 1, 1)$$, 'XX001', 'the method of model "diverse by name" is not its own');
UPDATE pegs_internal.model SET method = 'pegs l-diverse' WHERE name = 'pegs by name';
SELECT throws_ok($$SELECT * FROM pegs_sample('pegs by name', 1) AS s(a text, b boolean)$$, 'XX001', 'the method of model "pegs by name" is not its own');
UPDATE pegs_internal.model SET epsilon = 10000000 WHERE name = 'graph of a state';
SELECT throws_ok($$SELECT pegs_describe('graph of a state')$$, 'XX001', 'the tables of model "graph of a state" are not its own');
UPDATE pegs_internal.model SET epsilon = 1000000000 WHERE name = 'graph of a state';
-- what a method is paid by, whoever wrote the model
SELECT is((SELECT string_agg(name || ': ' || coalesce(guarantee, '?'), ', ' ORDER BY name COLLATE "C") FROM pegs_models), 'diverse: differential privacy, diverse by both names: none (l-diverse), diverse by name: each sample pays, graph: differential privacy, graph by name: differential privacy, graph of a state: differential privacy, pegs by name: none', 'guarantees follow from the method');
SELECT is((SELECT string_agg(name || ': ' || coalesce(method, '?'), ', ' ORDER BY name COLLATE "C") FROM pegs_models), 'diverse: graph, diverse by both names: pegs l-diverse, diverse by name: pegs, graph: graph, graph by name: graph, graph of a state: graph, pegs by name: pegs l-diverse', 'and what pegs_fit calls it');
UPDATE pegs_internal.model SET method = 'a later one' WHERE name = 'pegs by name';
SELECT is((SELECT concat(guarantee, method) FROM pegs_models WHERE name = 'pegs by name'), '', 'nothing is known of a later one');
SELECT is(pegs_certificate('graph') ->> 'guarantee', pegs_certificate('graph of a state') ->> 'guarantee', 'a certificate does not go by the name');
---- method 'table'
CREATE TABLE kinds (a text NOT NULL CHECK (a IN ('x', 'y', 'z')), b boolean NOT NULL, c int CHECK (c IN (1, 2, 3)), CHECK (NOT (a = 'z' AND b)));
INSERT INTO kinds SELECT (ARRAY['x', 'y'])[1 + i % 2], i % 3 = 0, nullif(1 + i % 4, 4) FROM generate_series(1, 600) AS i UNION ALL SELECT 'z', false, 2 FROM generate_series(1, 600);
SELECT pegs_set_budget('kinds', 10000, delta => 1e-3, accounting => 'sum');
SELECT pegs_forbid('kinds', '{"a": "z", "b": true}');
SELECT lives_ok($$SELECT pegs_fit('table', 'kinds', epsilon => 1000, method => 'table')$$);
SELECT is(stored('table'), 'table f', 'stored as such');
SELECT is((SELECT spent FROM pegs_budgets WHERE source = 'kinds'::regclass), 1000::numeric, 'and charged');
-- as good as no noise: as many rows as there are, in each cell
SELECT bag_eq($$SELECT * FROM pegs_sample('table', 1200) AS s(a text, b boolean, c int)$$, 'TABLE kinds', 'its rows are those of the table');
SELECT bag_eq($$SELECT * FROM pegs_sample('table', 600, given => '{"a": "z"}') AS s(a text, b boolean, c int)$$, $$SELECT 'z', false AS b, 2 AS c FROM generate_series(1, 600)$$, 'what is given');
SELECT throws_ok($$SELECT * FROM pegs_sample('table', 1, given => '{"a": "z", "c": 1}') AS s(a text, b boolean, c int)$$, '22023', NULL, 'which has nothing');
SELECT is(pegs_describe('table') - 'spec' - 'record' - 'public' - 'sigma', '{"kind": "perturbed", "method": "table", "name": "table", "rows": 1200, "unit": "one row", "cells": 24, "delta": 0, "spent": 1000, "budget": 1000,
	"counts": "read by pegs_fit", "read": "by an aggregate", "object": "model", "epsilon": 1000, "guarantee": "(epsilon, delta)-differentially private at fit; rows are post-processing", "mechanism": "noise in every cell of the table of all columns",
	"accounting": "pure epsilon, discrete Laplace", "neighbours": "add or remove one row", "cells_with_rows": 9}', 'what is said of it');
SELECT is((SELECT holds FROM pegs_audit('table', 200)), true, 'audited');
SELECT lives_ok($$SELECT pegs_fit('noisy', 'kinds', epsilon => 0.01, method => 'table')$$);
SELECT is((SELECT count(*) FROM pegs_sample('noisy', 5000) AS s(a text, b boolean, c int) WHERE a = 'z' AND b), 0::bigint, 'what is forbidden does not come');
SELECT lives_ok($$SELECT pegs_refit('noisy', 1000)$$);
SELECT bag_eq($$SELECT * FROM pegs_sample('noisy', 1200) AS s(a text, b boolean, c int)$$, 'TABLE kinds', 'fitted anew, by the same method');
SELECT lives_ok($$SELECT pegs_release('kinds release', 'table', 1200)$$);
SELECT bag_eq($$SELECT * FROM pegs_rows('kinds release') AS s(a text, b boolean, c int)$$, 'TABLE kinds', 'a release');
SELECT lives_ok($$SELECT pegs_import('again', pegs_export('table'))$$);
SELECT bag_eq($$SELECT * FROM pegs_sample('again', 1200) AS s(a text, b boolean, c int)$$, 'TABLE kinds', 'a file');
SELECT is((SELECT count(*) FROM pegs_pairs('table')), 0::bigint, 'no pairs were measured');
-- states
SELECT is(pegs_spec('kinds', method => 'table')::jsonb ->> 'tables', 'joint', 'pegs_spec of a method');
SELECT is(pegs_spec('kinds', method => 'graph'), pegs_spec('kinds'), 'pairs');
SELECT is(pegs_spec('kinds', parents => '{"b": ["a"]}', method => 'pegs'), pegs_spec('kinds', parents => '{"b": ["a"]}'), 'parents');
SELECT throws_ok($$SELECT pegs_spec('kinds', method => 'pegs')$$, '22004', 'parents must not be null with method "pegs"');
SELECT throws_ok($$SELECT pegs_spec('kinds', parents => '{}', method => 'table')$$, '22023', 'parents cannot be given with method "table"');
SELECT throws_ok($$SELECT pegs_spec('kinds', tail_bits => 1, method => 'graph')$$, '22023', 'tail_bits cannot be given with method "graph"');
SELECT throws_ok($$SELECT pegs_spec('kinds', method => 'nothing')$$, '22023', 'there is no method "nothing"');
SELECT lives_ok($$SELECT pegs_fit_state('of a state', 'kinds', (SELECT pegs_merge(s) FROM (SELECT pegs_agg((SELECT pegs_spec('kinds', method => 'table')), a, b, c) AS s FROM kinds GROUP BY a) AS p), epsilon => 1000, method => 'table')$$);
SELECT bag_eq($$SELECT * FROM pegs_sample('of a state', 1200) AS s(a text, b boolean, c int)$$, 'TABLE kinds', 'of a state');
SELECT throws_ok($$SELECT pegs_fit_state('m', 'kinds', (SELECT pegs_agg((SELECT pegs_spec('kinds')), a, b, c) FROM kinds), epsilon => 1, method => 'table')$$, '42804', 'the state was not made for this source, these columns and these tables', 'of pairs');
-- what a hint makes is of the same method
SELECT pegs_set_levels('kinds', 'c', '{1, 2, 3, 4}');
SELECT alike(hint_of($$SELECT pegs_refit('noisy')$$), $$%, delta => 0, method => 'table');$$, 'another model, where it is not fitted anew');
ALTER TABLE kinds RENAME c TO d;
SELECT alike(hint_of($$SELECT pegs_audit('noisy', 200)$$), $$%, delta => 0, method => 'table');$$, 'of the columns that there are');
ALTER TABLE kinds RENAME d TO c;
SELECT pegs_unset('kinds', 'c');
-- what it does not take
SELECT throws_ok($$SELECT pegs_fit('m', 'kinds', epsilon => 1, delta => 1e-9, method => 'table')$$, '22023', 'a model of method "table" needs no delta');
SELECT throws_ok($$SELECT pegs_refit('table', delta => 1e-9)$$, '22023', 'a model of method "table" needs no delta');
SELECT throws_ok($$SELECT pegs_fit('m', 'kinds', epsilon => 1, parents => '{}', method => 'table')$$, '22023', 'parents cannot be given with epsilon');
SELECT throws_ok($$SELECT pegs_fit('m', 'kinds', method => 'table published')$$, '22023', 'method "table published" has no guarantee');
SELECT throws_ok($$SELECT pegs_fit('m', 'kinds', method => 'table', options => '{"guarantee": "some"}')$$, '22023', 'option "guarantee" must be "none"');
SELECT throws_ok($$SELECT pegs_fit('m', 'kinds', method => 'table', options => '{"guarantee": true}')$$, '22023', 'option "guarantee" must be "none"');
SELECT throws_ok($$SELECT pegs_fit('m', 'kinds', epsilon => 1, method => 'table', options => '{"guarantee": "none"}')$$, '22023', 'option "guarantee" cannot be given with epsilon');
SELECT throws_ok($$SELECT pegs_fit('m', 'kinds', max_parents => 1, method => 'table')$$, '22023', 'max_parents cannot be given with method "table sealed"');
CREATE TABLE wide (a int NOT NULL, b int NOT NULL, c int NOT NULL);
SELECT pegs_set_budget('wide', 10, delta => 1e-3), pegs_set_bins('wide', x, low => '0', high => '4000', bins => 1000) FROM unnest(ARRAY['a', 'b', 'c']::name[]) AS x;
SELECT throws_ok($$SELECT pegs_fit('m', 'wide', epsilon => 1, method => 'table')$$, '54000', 'the declared domain is too large to count');
SELECT is(detail_of($$SELECT pegs_fit('m', 'wide', epsilon => 1, method => 'table')$$), 'The table of all columns, a (1000) x b (1000) x c (1000), has 1000000000 cells; at most 67108864 are kept.', 'with the arithmetic');
SELECT format('CREATE TABLE widest (%s)', string_agg(format('c%s boolean', i), ', ')) FROM generate_series(1, 700) AS i \gexec
SELECT pegs_set_budget('widest', 1);
SELECT alike(detail_of($$SELECT pegs_fit('m', 'widest', epsilon => 1, method => 'table')$$), '% x 680 more, has more than 1e308 cells; at most 67108864 are kept.');
-- a person's rows, which move by as much; where costs are added up in rho delta buys something
SELECT lives_ok($$SELECT pegs_fit('with delta', 'wide', ARRAY['a', 'b'], epsilon => 1, delta => 1e-9, method => 'table')$$);
SELECT is((SELECT count(*) FROM pegs_sample('with delta', 1000) AS s(a int, b int)), 1000::bigint, 'of an empty table');

SELECT * FROM finish();
