-- The table of methods, from SQL: what a method is paid for decides everything else, and what is left out means what it always meant.
SET client_min_messages = warning;
CREATE EXTENSION pegs;
SELECT plan(43);

CREATE TABLE t (a text NOT NULL CHECK (a IN ('x', 'y', 'z')), b boolean NOT NULL);
INSERT INTO t SELECT (ARRAY['x', 'y', 'z'])[1 + i % 3], i % 2 = 0 FROM generate_series(1, 600) AS i;
SELECT pegs_set_budget('t', 100, delta => 1e-6);
CREATE FUNCTION stored(name text) RETURNS text LANGUAGE sql AS $$ SELECT concat_ws(' ', method, sealed, l_diversity) FROM pegs_internal.model WHERE name = $1 $$;
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
SELECT lives_ok($$SELECT pegs_fit('diverse by name', 't', parents => '{}', options => '{"l_diversity": 1.5}', method => 'pegs')$$);
SELECT lives_ok($$SELECT pegs_fit('diverse by both names', 't', parents => '{}', options => '{"l_diversity": 1.5}', method => 'pegs l-diverse')$$);
SELECT is((SELECT string_agg(stored(name), ', ' ORDER BY name) FROM pegs_models WHERE name LIKE '% name%'), 'pegs l-diverse t 1.5, pegs l-diverse t 1.5, graph f, pegs t', 'stored as such');
SELECT lives_ok($$SELECT pegs_fit_state('graph of a state', 't', (SELECT pegs_agg((SELECT pegs_spec('t')), a, b) FROM t), epsilon => 1, method => 'graph')$$);
SELECT is(stored('graph of a state'), 'graph f', 'of a state, too');
SELECT is((SELECT count(*) FROM pegs_sample('graph by name', 600) AS s(a text, b boolean)), 600::bigint, 'rows');
SELECT is((SELECT count(*) FROM pegs_sample('pegs by name', 10, epsilon => 1) AS s(a text, b boolean)), 10::bigint, 'rows');

---- what does not go together is refused, and costs nothing
CREATE TABLE spent AS SELECT spent, delta_spent, (SELECT count(*) FROM pegs_models) AS models FROM pegs_budgets;
SELECT throws_ok($$SELECT pegs_fit('m', 't', method => 'nothing')$$, '22023', 'there is no method "nothing"');
SELECT throws_ok($$SELECT pegs_fit('m', 't', epsilon => 1, method => '')$$, '22023', 'method must not be empty');
SELECT throws_ok($$SELECT pegs_fit('m', 't', method => 'graph')$$, '22004', 'epsilon must not be null: a model of method "graph" is paid for when it is fitted');
SELECT throws_ok($$SELECT pegs_fit('m', 't', epsilon => 1, method => 'pegs')$$, '22023', 'epsilon cannot be given with method "pegs"');
SELECT throws_ok($$SELECT pegs_fit('m', 't', epsilon => 1, method => 'pegs l-diverse')$$, '22023', 'epsilon cannot be given with method "pegs l-diverse"');
SELECT throws_ok($$SELECT pegs_fit('m', 't', parents => '{}', method => 'pegs l-diverse')$$, '22023', 'method "pegs l-diverse" needs the option l_diversity');
SELECT throws_ok($$SELECT pegs_fit('m', 't', epsilon => 1, parents => '{}', method => 'graph')$$, '22023', 'parents cannot be given with epsilon');
SELECT throws_ok($$SELECT pegs_fit('m', 't', options => '{"l_diversity": 1.5}', parents => '{}', method => 'graph')$$, '22004', 'epsilon must not be null: a model of method "graph" is paid for when it is fitted');
SELECT ok((SELECT (b.spent, b.delta_spent, (SELECT count(*) FROM pegs_models)) = (s.spent, s.delta_spent, s.models) FROM pegs_budgets AS b, spent AS s), 'nothing charged, nothing made');
CREATE FUNCTION hint_of(statement text) RETURNS text LANGUAGE plpgsql AS $$ DECLARE hint text; BEGIN EXECUTE statement; EXCEPTION WHEN OTHERS THEN GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT; RETURN hint; END $$;
-- a method that is added has its name there, too
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
UPDATE pegs_internal.model SET method = 'a later one' WHERE name = 'pegs by name';
SELECT is((SELECT guarantee FROM pegs_models WHERE name = 'pegs by name'), NULL, 'nothing is known of a later one');
SELECT is(pegs_certificate('graph') ->> 'guarantee', pegs_certificate('graph of a state') ->> 'guarantee', 'a certificate does not go by the name');
SELECT * FROM finish();
