-- structure: the parents of a sealed model, chosen privately. What it costs, what it says, and what it may not do.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS pegs;
CREATE SCHEMA regress_structure;
SET search_path = regress_structure, public;

-- b follows a, d follows c and a; e is by itself
CREATE TABLE t (a int NOT NULL CHECK (a IN (0, 1, 2, 3)), b int NOT NULL CHECK (b IN (0, 1, 2, 3)), c boolean NOT NULL, d text NOT NULL CHECK (d IN ('x', 'y', 'z')), e boolean NOT NULL);
INSERT INTO t SELECT i % 4, i % 4, i / 4 % 2 = 0, CASE WHEN i / 4 % 2 = 0 THEN 'x' WHEN i % 4 < 2 THEN 'y' ELSE 'z' END, i / 8 % 2 = 0 FROM generate_series(1, 8000) AS i;
CREATE TABLE copy (LIKE t INCLUDING ALL);
SELECT pegs_set_budget('t', 1000);
CREATE FUNCTION parents(name text) RETURNS jsonb LANGUAGE sql AS
$$ SELECT jsonb_object_agg(c->>'name', c->'parents') FROM jsonb_array_elements(pegs_describe($1)->'spec'->'columns') AS c $$;
CREATE FUNCTION most(name text) RETURNS bigint LANGUAGE sql AS
$$ SELECT max(jsonb_array_length(c->'parents')) FROM jsonb_array_elements(pegs_describe($1)->'spec'->'columns') AS c $$;

---- a NOTICE says so, exactly structure_epsilon is charged
SET client_min_messages = notice;
SELECT pegs_fit('by default', 't');
SELECT pegs_fit('named', 't', structure_epsilon => 100);
-- nothing is said or charged where nothing is chosen
SELECT pegs_fit('none', 't', parents => '{}');
SELECT pegs_fit('declared', 't', parents => '{"b": ["a"]}');
SELECT pegs_fit('declared, too', 't', parents => '{"b": ["a"]}', structure_epsilon => 5, max_parents => 1);
SELECT pegs_fit('declared, NULL', 't', parents => '{"b": ["a"]}', structure_epsilon => NULL);
SET client_min_messages = warning;
SELECT spent, delta_spent FROM pegs_budgets WHERE source = 't'::regclass;
SELECT action, object, epsilon_from, epsilon_to, delta_to, remaining FROM pegs_ledger WHERE source = 't'::regclass ORDER BY epsilon_from, epsilon_to;
SELECT name, kind, epsilon, delta, structure_epsilon, counts FROM pegs_models WHERE source = 't'::regclass ORDER BY name;
SELECT pegs_describe('by default')->'kind' AS kind, pegs_describe('by default')->'spec'->'tables' AS tables;
-- a ninth digit is charged
SELECT pegs_fit('ninth digit', 't', structure_epsilon => 0.000000001);
SELECT spent FROM pegs_budgets WHERE source = 't'::regclass;
SELECT structure_epsilon FROM pegs_models WHERE name = 'ninth digit';

---- what depends is found, if epsilon is large
SELECT parents('named')->'b' ? 'a' AS b_has_a, parents('named')->'a' ? 'b' AS a_has_b, parents('named')->'d' ? 'c' AS d_has_c, parents('named')->'c' ? 'd' AS c_has_d, most('named') <= 2 AS at_most_two;
-- no column is its own parent or another's twice: the spec is one that pegs_spec takes
SELECT pegs_spec('t', parents => parents('named'))::jsonb = pegs_describe('named')->'spec' AS valid, pegs_spec('t', parents => parents('by default'))::jsonb = pegs_describe('by default')->'spec' AS valid_too;
-- it is a sealed model like any other
SELECT count(*), bool_and(a BETWEEN 0 AND 3) AS declared FROM pegs_sample_as(NULL::t, 'named', 100, epsilon => 1);
SELECT sum((a = b)::int) > 150 AS b_follows_a FROM pegs_sample('named', 200, epsilon => 400) AS t(a int, b int);
SELECT spent FROM pegs_budgets WHERE source = 't'::regclass;

---- max_parents
SELECT pegs_fit('max 0', 't', structure_epsilon => 100, max_parents => 0), pegs_fit('max 1', 't', structure_epsilon => 100, max_parents => 1), pegs_fit('max 2', 't', structure_epsilon => 100, max_parents => 2),
	pegs_fit('max 4', 't', structure_epsilon => 1, max_parents => 4), pegs_fit('max 5', 't', structure_epsilon => 1, max_parents => 5), pegs_fit('max 2147483647', 't', structure_epsilon => 1, max_parents => 2147483647);
SELECT most('max 0') AS max_0, most('max 1') AS max_1, most('max 2') <= 2 AS max_2, most('max 4') <= 4 AS max_4, most('max 5') <= 4 AS max_5, most('max 2147483647') <= 4 AS max_many;
-- without parents it is the model of parents => '{}'
SELECT pegs_describe('max 0')->'spec' = pegs_describe('none')->'spec' AS same;
SELECT parents('max 1')->'b' AS b, parents('max 1')->'a' AS a;
SELECT spent FROM pegs_budgets WHERE source = 't'::regclass;
-- one column alone has nobody to choose; some columns choose among themselves
SELECT pegs_fit('one column', 't', columns => ARRAY['d']), pegs_fit('two columns', 't', columns => ARRAY['b', 'a'], structure_epsilon => 50, tail_bits => 1);
SELECT parents('one column') AS one_column, parents('two columns') AS two_columns, pegs_describe('two columns')->'spec'->'tail_bits' AS tail_bits;
SELECT spent FROM pegs_budgets WHERE source = 't'::regclass;
-- keys of a column's table stay within a limit, whatever the epsilon
CREATE TABLE wide (a int NOT NULL, b int NOT NULL, c int NOT NULL);
SELECT pegs_set_levels('wide', 'a', ARRAY(SELECT i::text FROM generate_series(1, 600) AS i)), pegs_set_levels('wide', 'b', ARRAY(SELECT i::text FROM generate_series(1, 1500) AS i)), pegs_set_levels('wide', 'c', ARRAY(SELECT i::text FROM generate_series(1, 3) AS i)), pegs_set_budget('wide', 1000);
INSERT INTO wide SELECT 1 + i % 600, 1 + i % 600, 1 + i % 600 % 3 FROM generate_series(1, 6000) AS i;
SELECT pegs_fit('wide', 'wide', structure_epsilon => 900);
SELECT parents('wide')->'a' AS a, parents('wide')->'b' AS b, parents('wide')->'c' AS c;
-- an empty table is a table, its structure is noise
SELECT pegs_set_budget('copy', 10);
SELECT pegs_fit('empty', 'copy', structure_epsilon => 1);
SELECT spent, most('empty') <= 2 AS at_most_two FROM pegs_budgets WHERE source = 'copy'::regclass;
SELECT count(*) FROM pegs_sample_as(NULL::copy, 'empty', 10, epsilon => 1);
-- tiny epsilon: any structure
SELECT count(DISTINCT parents('tiny ' || i)) > 1 AS several FROM generate_series(1, 12) AS i, LATERAL pegs_fit('tiny ' || i, 't', structure_epsilon => 0.000001) AS fit;

---- no budget, or too little: an error, no model, no charge
CREATE TABLE unbudgeted (LIKE t INCLUDING ALL);
INSERT INTO unbudgeted SELECT * FROM t;
SELECT pegs_fit('m', 'unbudgeted');
SELECT pegs_fit('m', 'unbudgeted', structure_epsilon => 0.000000001);
SELECT pegs_fit('m', 'unbudgeted', max_parents => 0);
SELECT pegs_set_budget('unbudgeted', 0.25);
SELECT pegs_fit('m', 'unbudgeted', structure_epsilon => 0.250000001);
SELECT count(*) FROM pegs_models WHERE name = 'm';
SELECT spent FROM pegs_budgets WHERE source = 'unbudgeted'::regclass;
SELECT pegs_fit('m', 'unbudgeted', structure_epsilon => 0.25);
SELECT pegs_fit('m too', 'unbudgeted', structure_epsilon => 0.000000001);
SELECT name FROM pegs_models WHERE source = 'unbudgeted'::regclass;
SELECT spent, remaining FROM pegs_budgets WHERE source = 'unbudgeted'::regclass;
SELECT pegs_fit('m too', 'unbudgeted', parents => '{}');

---- arguments, and what else stops before the charge (those that are refused alone: test/pgtap/arguments.sql)
SELECT spent AS before FROM pegs_budgets WHERE source = 't'::regclass \gset
SELECT pegs_fit('n', 't', structure_epsilon => NULL);
-- too many cells in the pairs
CREATE TABLE huge (a int NOT NULL, b int NOT NULL);
SELECT pegs_set_levels('huge', 'a', ARRAY(SELECT i::text FROM generate_series(1, 9000) AS i)), pegs_set_levels('huge', 'b', ARRAY(SELECT i::text FROM generate_series(1, 9000) AS i)), pegs_set_budget('huge', 10);
SELECT pegs_fit('n', 'huge');
SELECT spent FROM pegs_budgets WHERE source = 'huge'::regclass;
-- a value that is not declared, found by the scan
CREATE TABLE marked (a int, b boolean NOT NULL);
INSERT INTO marked VALUES (4711, true);
SELECT pegs_set_levels('marked', 'a', ARRAY['1']), pegs_set_budget('marked', 10);
SELECT pegs_fit('n', 'marked');
SELECT spent FROM pegs_budgets WHERE source = 'marked'::regclass;
BEGIN READ ONLY;
SELECT pegs_fit('n', 't');
ROLLBACK;
SELECT count(*) FROM pegs_models WHERE name = 'n';
SELECT spent - :before AS charged FROM pegs_budgets WHERE source = 't'::regclass;

---- a fit that is rolled back has spent, and the model is gone
BEGIN;
SELECT pegs_fit('rolled back', 't', structure_epsilon => 0.5);
SELECT structure_epsilon FROM pegs_models WHERE name = 'rolled back';
ROLLBACK;
BEGIN;
SAVEPOINT s;
SELECT pegs_fit('rolled back', 't', structure_epsilon => 0.25);
ROLLBACK TO s;
COMMIT;
DO $$
BEGIN
	PERFORM pegs_fit('rolled back', 'regress_structure.t', structure_epsilon => 0.125);
	RAISE EXCEPTION 'too late';
EXCEPTION WHEN raise_exception THEN
	NULL;
END $$;
SELECT count(*) FROM pegs_models WHERE name = 'rolled back';
SELECT spent - :before AS charged FROM pegs_budgets WHERE source = 't'::regclass;
SELECT action, epsilon_to - epsilon_from AS epsilon FROM pegs_ledger WHERE source = 't'::regclass AND epsilon_from >= :before ORDER BY epsilon_from;

SELECT count(pegs_drop(name)) > 0 FROM pegs_models;
DROP SCHEMA regress_structure CASCADE;
