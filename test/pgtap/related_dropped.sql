-- A key's column that was dropped, and made again under its name: said, and mended. And: what reads is never compiled.
SET client_min_messages = warning;
CREATE EXTENSION pegs;
SELECT plan(8);
CREATE FUNCTION said(statement text) RETURNS text LANGUAGE plpgsql AS
$$ DECLARE m text; h text; BEGIN EXECUTE statement; RETURN 'ok'; EXCEPTION WHEN OTHERS THEN GET STACKED DIAGNOSTICS m = MESSAGE_TEXT, h = PG_EXCEPTION_HINT; RETURN concat_ws(' | ', SQLSTATE, m, h); END $$;
CREATE TABLE p (id int PRIMARY KEY, sex text NOT NULL CHECK (sex IN ('F', 'M')));
CREATE TABLE c (pid int NOT NULL REFERENCES p, w text NOT NULL CHECK (w IN ('A', 'B')));
INSERT INTO p SELECT i, 'F' FROM generate_series(1, 20000) AS i;
INSERT INTO c SELECT i, 'A' FROM generate_series(1, 20000) AS i;
SELECT pegs_set_budget('p', 100, 1e-6);
SELECT is(said($$SELECT pegs_set_parent('c', 'p', children => '{{0, 1}, {2, 3}}', at_most => 3)$$), '2202E | children must be one list, of one dimension | children => ''{...}'', without braces inside.', 'children of two dimensions');
SELECT pegs_set_parent('c', 'p', children => '{0, 1, 2}', at_most => 2);
SET jit = on; ANALYZE p, c; SET jit_above_cost = 300; SET jit_inline_above_cost = 300; SET jit_optimize_above_cost = 300;
SELECT pegs_fit_schema('m', 'p', epsilon => 1, delta => 1e-9);
SELECT pegs_fit('n', 'p', '{sex}', epsilon => 1, delta => 1e-9);
SELECT is(pg_read_file('/proc/self/maps') ~ 'llvmjit', false, 'a fit compiles nothing') WHERE (SELECT count(*) FROM pg_stat_file('/proc/self/maps', true) AS s (size) WHERE size IS NOT NULL) = 1
UNION ALL SELECT pass('no /proc here') WHERE (SELECT count(*) FROM pg_stat_file('/proc/self/maps', true) AS s (size) WHERE size IS NOT NULL) = 0;
RESET jit;
ALTER TABLE c ADD pid2 int REFERENCES p; UPDATE c SET pid2 = pid; ALTER TABLE c DROP pid; ALTER TABLE c RENAME pid2 TO pid;
SELECT results_eq($$SELECT columns, problem, remedy FROM pegs_schema('p') WHERE source = 'c'::regclass$$,
	$$VALUES ('{pid}'::name[], 'the column "pid" of its foreign key is gone', 'SELECT pegs_set_parent(''public.c'', ''public.p'', ''{pid}'', children => ''{0, 1, 2}'', at_most => 2);')$$, 'the column is gone: said');
SELECT unalike(pegs_facts('c')::text, '%pg.dropped%', 'no name of nothing');
SELECT is(said($$SELECT pegs_fit('x', 'c', '{w}', epsilon => 1, delta => 1e-9)$$) ~ '^55000 .*belong to rows of another table', true, 'nothing is counted');
SELECT is(said($$SELECT pegs_set_parent('c', 'p', children => '{0, 1, 2}', at_most => 2)$$), 'ok', 'and the remedy is one');
SELECT is((SELECT problem FROM pegs_schema('p') WHERE source = 'c'::regclass), NULL, 'nothing is left to say');
SELECT is(said($$SELECT pegs_fit_schema('again', 'p', epsilon => 1, delta => 1e-9)$$), 'ok', 'and it is fitted again');
SELECT * FROM finish();
