-- More pairs than memory holds: each is counted when it is looked at, of rows that are kept, within maintenance_work_mem.
SET client_min_messages = warning;
CREATE EXTENSION pegs;
SELECT plan(15);

-- 9,000 x 9,000 levels: 81 million cells
CREATE TABLE t AS SELECT i % 9000 AS a, i % 9000 / 3 * 3 AS b, i % 2 = 0 AS c FROM generate_series(1, 20000) AS i;
ALTER TABLE t ALTER a SET NOT NULL, ALTER b SET NOT NULL, ALTER c SET NOT NULL;
SELECT pegs_set_levels('t', c, (SELECT array_agg(i::text) FROM generate_series(0, 8999) AS i)) FROM unnest('{a,b}'::name[]) AS c;
SELECT pegs_set_budget('t', 100);
SELECT lives_ok($$SELECT pegs_fit('m', 't', epsilon => 5)$$, 'fits');
SELECT is((SELECT count(*) FROM pegs_sample_as(NULL::t, 'm', 1000)), 1000::bigint, 'and gives rows');
SELECT lives_ok($$SELECT pegs_refit('m', epsilon => 5)$$, 'is fitted anew');
SELECT lives_ok($$SELECT * FROM pegs_plan('t', rows => 20000, epsilon => 1)$$, 'is planned');
SELECT throws_ok($$SELECT pegs_fit('sealed', 't', parents => '{"b": ["a"]}')$$, '54000', 'the declared domain is too large to count');
SELECT throws_ok($$SELECT pegs_fit('m2', 't', epsilon => 1, method => 'table')$$, '54000', 'the declared domain is too large to count');
SELECT throws_ok($$SELECT pegs_agg(pegs_spec('t')::text, a, b, c) FROM t$$, '54000', 'the declared domain is too large to count', 'a state has all pairs');

-- with persons, whose rows have weights
CREATE TABLE person AS SELECT t.*, row_number() OVER () / 3 AS who FROM t;
ALTER TABLE person ALTER who SET NOT NULL, ALTER a SET NOT NULL, ALTER b SET NOT NULL;
SELECT pegs_declare('person', pegs_facts('t')), pegs_leave_out('person', 'who'), pegs_set_budget('person', 100), pegs_set_unit('person', 'who', weighting => 'person');
SELECT lives_ok($$SELECT pegs_fit('persons', 'person', '{a,b}', epsilon => 5)$$, 'persons');

-- memory: 300,000 rows of two columns, 2 bytes a value
INSERT INTO t SELECT i % 9000, i % 9000, true FROM generate_series(1, 280000) AS i;
CREATE TABLE before AS SELECT spent FROM pegs_budgets WHERE source = 't'::regclass;
SET maintenance_work_mem = '1MB';
SELECT throws_ok($$SELECT pegs_fit('m3', 't', epsilon => 1)$$, '55000', 'the rows do not fit into maintenance_work_mem');
SELECT is((SELECT spent FROM pegs_budgets WHERE source = 't'::regclass), (SELECT spent FROM before), 'nothing is charged');
SELECT lives_ok($$SELECT pegs_fit('m4', 't', '{a,c}', epsilon => 1)$$, 'pairs that can be held need no rows');
-- nor do copies of its tables, of 160,000 cells
CREATE TABLE copies (a int NOT NULL, b int NOT NULL);
SELECT pegs_set_levels('copies', 'a', l), pegs_set_levels('copies', 'b', l), pegs_set_budget('copies', 10) FROM (SELECT array_agg(i::text) AS l FROM generate_series(1, 400) AS i) AS s;
SELECT pegs_fit('by row', 'copies', epsilon => 1);
SELECT matches(pegs_describe('by row') ->> 'read', '^row by row: its tables have more cells than maintenance_work_mem holds \(1 MB\)', 'no copies of tables that are larger than maintenance_work_mem');
RESET maintenance_work_mem;
SELECT pegs_fit('by state', 'copies', epsilon => 1);
SELECT is(pegs_describe('by state') ->> 'read', 'by an aggregate', 'copies of those that are not');
SELECT lives_ok($$SELECT pegs_fit('m3', 't', epsilon => 1)$$, 'with room for them');
SELECT is((SELECT count(*) FROM (SELECT pegs_sample_as(NULL::t, 'm3', 500)) AS s), 500::bigint);
SELECT * FROM finish();
