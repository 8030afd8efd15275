-- A key's column that was dropped, and made again under its name: said, and mended. And: what reads is never compiled.
SET client_min_messages = warning;
CREATE EXTENSION pegs;
SELECT * FROM no_plan();
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
-- an enum that was dropped: what does not need it goes on, what does says that it is gone; as of one table (dropped.sql)
CREATE TYPE mood AS ENUM ('sad', 'ok');
CREATE TABLE q (id int PRIMARY KEY, m mood NOT NULL, sex text NOT NULL CHECK (sex IN ('F', 'M')));
CREATE TABLE d (qid int NOT NULL REFERENCES q, m mood, w text NOT NULL CHECK (w IN ('A', 'B')));
INSERT INTO q SELECT i, 'sad', 'F' FROM generate_series(1, 100) AS i; INSERT INTO d SELECT i, 'ok', 'A' FROM generate_series(1, 100) AS i;
SELECT pegs_set_parent('d', 'q', children => '{0, 1}', at_most => 1), pegs_set_budget('q', 100);
SELECT pegs_fit_schema('moods', 'q', epsilon => 10);
SELECT pegs_release('kept', 'moods', 20);
CREATE TABLE has (like q); CREATE TABLE call AS SELECT format(f, m) AS what FROM unnest(ARRAY['moods', 'kept']) AS m, unnest(ARRAY['SELECT pegs_describe(%L)', 'SELECT pegs_summary(%L)', 'SELECT pegs_certificate_text(%L)', 'SELECT * FROM pegs_columns(%L, 2)',
	'SELECT pegs_row_type(%L, ''q'')', 'SELECT pegs_view_sql(%L, ''seen'')', 'SELECT pegs_copy_sql(%L, ''copied'')', 'SELECT pegs_drop(%L)']) AS f
UNION ALL SELECT unnest(ARRAY['SELECT * FROM pegs_sample(''moods'', options => ''{"table": "q"}'') AS t(id int, sex text)', 'SELECT * FROM pegs_sample_as(NULL::has, ''moods'', options => ''{"table": "q"}'')', 'SELECT * FROM pegs_sample(''moods'', options => ''{"table": "d"}'') AS t(m text, w text)',
	'SELECT * FROM pegs_rows(''kept'', ''d'') AS t(qid int, w text)', 'SELECT * FROM pegs_rows(''kept'', ''d'') AS t(m text)', 'SELECT pegs_export(''moods'')', 'SELECT pegs_import(''new'', pegs_export(''moods''))', 'SELECT pegs_refit(''moods'')', 'SELECT * FROM pegs_models', 'SELECT * FROM pegs_releases', 'SELECT * FROM pegs_audit(''moods'', 100)',
	'SELECT * FROM pegs_utility_schema_of(''kept'')', 'SELECT pegs_release(''more'', ''moods'', 10)', 'SELECT * FROM pegs_cost(''moods'', 10)', 'SELECT pegs_grant(''moods'', current_user)']);
CREATE FUNCTION said_after(change text, what text) RETURNS text LANGUAGE plpgsql AS
$$ DECLARE s text; BEGIN EXECUTE change; s := said(what); RAISE EXCEPTION USING MESSAGE = s, ERRCODE = 'ZZ000'; EXCEPTION WHEN SQLSTATE 'ZZ000' THEN RETURN SQLERRM; END $$;
CREATE TABLE answer AS SELECT change, what, said_after(change, what) AS said FROM call, unnest(ARRAY['', 'DROP TYPE mood CASCADE', 'DROP TYPE mood CASCADE; CREATE TYPE mood AS ENUM (''sad'', ''ok''); ALTER TABLE q ADD m mood DEFAULT ''ok''; ALTER TABLE d ADD m mood; ALTER TABLE has ADD m mood']) AS change;
UPDATE answer SET change = CASE change WHEN '' THEN 'none' WHEN 'DROP TYPE mood CASCADE' THEN 'dropped' ELSE 'another' END;
SELECT is_empty($$SELECT change, what, said FROM answer WHERE said ~ '^XX' OR (change = 'none' AND said <> 'ok')$$, 'a type that was dropped is no error of ours');
SELECT results_eq($$SELECT what, said FROM answer WHERE change = 'dropped' AND said <> 'ok' AND what !~ '_import|_refit' ORDER BY what COLLATE "C"$$, $$VALUES
	('SELECT * FROM pegs_audit(''moods'', 100)', '42703 | model "moods" has column "m" of table "q", which is not there any more | Put it back; or make a model of the columns that there are, under another name: SELECT pegs_fit_schema(''moods, as it is now'', ''public.q'', epsilon => 10, delta => 0);'),
	('SELECT * FROM pegs_rows(''kept'', ''d'') AS t(m text)', '42704 | the type of column "m" is not there any more | The other columns can still be read: w text.'),
	('SELECT * FROM pegs_sample(''moods'', options => ''{"table": "d"}'') AS t(m text, w text)', '42704 | the type of column "m" is not there any more | The other columns can still be read: w text.'),
	('SELECT * FROM pegs_utility_schema_of(''kept'')', '42703 | model "moods" has column "m" of table "q", which is not there any more | Put it back; or make a model of the columns that there are, under another name: SELECT pegs_fit_schema(''moods, as it is now'', ''public.q'', epsilon => 10, delta => 0);'),
	('SELECT pegs_copy_sql(''kept'', ''copied'')', '42704 | the type that column "m" of table public.q had is not there any more | Fit the model to the tables of now. Views have the other columns: SELECT pegs_view_sql(''kept'', ''...'');'),
	('SELECT pegs_copy_sql(''moods'', ''copied'')', '42704 | the type that column "m" of table public.q had is not there any more | Fit the model to the tables of now. Views have the other columns: SELECT pegs_view_sql(''moods'', ''...'');')$$,
	'what does not read the column goes on, and the rest says that it is gone');
SELECT results_eq($$SELECT DISTINCT split_part(said, ' | ', 1), split_part(said, ' | ', 2), count(*) FROM answer WHERE change = 'another' AND said <> 'ok' GROUP BY 1, 2 ORDER BY 1, 2$$, $$VALUES
	('42704', 'model "moods" has column "m" of table "q", and the type that it had was dropped', 3::bigint), ('42704', 'the type of column "m" is not there any more', 3), ('42704', 'the type that column "m" of table public.q had is not there any more', 2)$$, 'also where another type has its name');
SELECT * FROM finish();
