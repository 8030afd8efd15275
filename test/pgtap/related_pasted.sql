-- What is printed of related tables is pasted by somebody who may be a superuser: no code of another role runs as he does, names
-- with quotes in them and types of other schemas are whole, and what is no statement is a comment.
SET client_min_messages = warning;
CREATE EXTENSION pegs;
SELECT * FROM no_plan();
\ir lib/said.sql
CREATE ROLE pasted_mal; CREATE SCHEMA mal AUTHORIZATION pasted_mal; GRANT USAGE ON SCHEMA mal TO PUBLIC;
CREATE FUNCTION told(root regclass, t regclass) RETURNS text LANGUAGE sql AS $$ SELECT concat_ws(' | ', problem, remedy) FROM pegs_schema(root) WHERE source = t $$;
CREATE FUNCTION remedy_of(t regclass, name text) RETURNS text LANGUAGE sql AS $$ SELECT concat_ws(' | ', problem, remedy) FROM pegs_domain(t) WHERE column_name = name $$;
CREATE FUNCTION bind(child regclass, parent regclass, columns name[] DEFAULT NULL) RETURNS void LANGUAGE sql AS $$ SELECT pegs_set_parent(child, parent, columns, children => '{0, 1}', at_most => 1) $$;
CREATE FUNCTION fitted(root text) RETURNS text LANGUAGE sql AS $$ SELECT said(format('SELECT pegs_fit_schema(%L, %L, epsilon => 0.5, delta => 1e-7)', 'm ' || root, root)) $$;
-- without its words: what of it would run
CREATE FUNCTION runs(printed text) RETURNS text LANGUAGE sql AS $$ SELECT trim(regexp_replace(printed, '--[^\n]*', '', 'g')) $$;

---- code of another role: a type's casts, a domain's CHECK, a lookup table's policy
SET ROLE pasted_mal;
CREATE TYPE mal.e AS ENUM ('a', 'b');
CREATE FUNCTION mal.ran(anyelement) RETURNS boolean IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN RAISE 'it ran as %', current_user; END $$;
CREATE DOMAIN mal.d AS text COLLATE "C" CHECK (mal.ran(VALUE));
CREATE TABLE mal.codes (code mal.e NOT NULL, kind text NOT NULL CHECK (kind IN ('x', 'y')), w float8);
CREATE TABLE mal.plain (code text NOT NULL, kind text NOT NULL CHECK (kind IN ('x', 'y')));
INSERT INTO mal.codes VALUES ('a', 'x', 1), ('b', 'y', 1); INSERT INTO mal.plain VALUES ('a', 'x'), ('b', 'y');
GRANT SELECT ON mal.codes, mal.plain TO PUBLIC;
RESET ROLE;
CREATE TABLE listed (id mal.e[] PRIMARY KEY, v boolean NOT NULL); CREATE TABLE listed_c (id int PRIMARY KEY, pid mal.e[] REFERENCES listed, w boolean NOT NULL);
SELECT bind('listed_c', 'listed');
SELECT is(told('listed', 'listed'), 'its column "id" is a key, and type mal.e[] takes no running number | -- no statement makes a text of it that is safe: column "id" of table "listed" is of type mal.e of role "pasted_mal", who may have a cast of it to text run as whoever runs the statement. '
	'Convert it by hand, with all that refers to it; or give the table another key, of numbers or texts, to which the tables below refer.', 'an array of its enum');
CREATE TABLE coded (id int PRIMARY KEY, code text NOT NULL, plain text NOT NULL, v boolean NOT NULL); INSERT INTO coded SELECT i, 'a', 'a', true FROM generate_series(1, 50) AS i;
SELECT pegs_set_lookup('coded', 'code', 'mal.codes', 'code', via => '{kind}'), pegs_set_lookup('coded', 'plain', 'mal.plain', 'code', via => '{kind}');
INSERT INTO mal.codes VALUES ('a', 'y', 1); INSERT INTO mal.plain VALUES ('a', 'y');
SELECT is(runs(remedy_of('coded', 'code')), 'its lookup table says two things of one key | SELECT pegs_leave_out(''public.coded'', ''code'');', 'a lookup table of his: its enum has casts');
SELECT is(remedy_of('coded', 'plain'), 'its lookup table says two things of one key | SELECT pegs_leave_out(''public.coded'', ''plain''); -- or have each key once in mal.plain; what copies it may run code of role "pasted_mal"', 'and a policy');
CREATE TABLE weighed (code mal.e NOT NULL, kind text NOT NULL CHECK (kind IN ('x', 'y')), w float8); INSERT INTO weighed VALUES ('a', 'x', 1), ('b', 'y', 1), ('a', 'y', 1);
CREATE TABLE coded_2 (id int PRIMARY KEY, code text NOT NULL, v boolean NOT NULL); SELECT pegs_set_lookup('coded_2', 'code', 'weighed', 'code', via => '{kind}');
SELECT is(runs(remedy_of('coded_2', 'code')), 'its lookup table says two things of one key | SELECT pegs_leave_out(''public.coded_2'', ''code'');', 'a table of one''s own with his enum');
CREATE TABLE domained (id text COLLATE "C" PRIMARY KEY, v boolean NOT NULL); CREATE TABLE domained_c (id int PRIMARY KEY, pid text COLLATE "C" REFERENCES domained, w boolean NOT NULL);
INSERT INTO domained VALUES ('a', true); INSERT INTO domained_c VALUES (1, 'a', true); SELECT bind('domained_c', 'domained');
ALTER TABLE domained_c DROP CONSTRAINT domained_c_pid_fkey, ALTER pid TYPE char(5);
CREATE TABLE held (id mal.d PRIMARY KEY, v boolean NOT NULL); CREATE TABLE held_c (id int PRIMARY KEY, pid char(5) REFERENCES held, w boolean NOT NULL); SELECT bind('held_c', 'held');
SELECT is(told('held', 'held_c'), 'its column "pid" tells values apart in another way than "held" does | -- it may run code of type mal.d of role "pasted_mal", as whoever runs it: ALTER TABLE public.held_c ALTER COLUMN pid TYPE mal.d;', 'the domain of its parent''s column');
ALTER TABLE held_c DROP COLUMN pid;
SELECT is(told('held', 'held_c'), 'the column "pid" of its foreign key is gone | ALTER TABLE public.held_c ADD COLUMN pid text COLLATE "C" REFERENCES public.held; SELECT pegs_set_parent(''public.held_c'', ''public.held'', ''{pid}'', children => ''{0, 1}'', at_most => 1);', 'a new column is without it');
SELECT remedy FROM pegs_schema('held') WHERE problem IS NOT NULL AND depth = 1 \gset
:remedy
SELECT is(told('held', 'held_c'), '', 'and it runs, and repairs');
-- what an error says of values that are not declared
CREATE TABLE enumed (id int PRIMARY KEY, k mal.e NOT NULL);
INSERT INTO enumed SELECT i, 'a' FROM generate_series(1, 50) AS i; SELECT pegs_set_levels('enumed', 'k', '{b}'), pegs_set_budget('enumed', 10);
SELECT ok(said($$SELECT pegs_fit('m', 'enumed', columns => '{k}', epsilon => 1)$$) ~ '\m22023|22P02|23514|[0-9]{5}\M.* \| ' AND said($$SELECT pegs_fit('m', 'enumed', columns => '{k}', epsilon => 1)$$) !~ 'level::', 'no cast to his enum is printed');

---- names in a list: quotes and backslashes
CREATE TABLE odd ("a""b" int, "c\d" int, v boolean NOT NULL, PRIMARY KEY ("a""b", "c\d"));
CREATE TABLE odd_c (id int PRIMARY KEY, "x""y" int, "z\z" int, "{n}" int, w boolean NOT NULL, FOREIGN KEY ("x""y", "z\z") REFERENCES odd, FOREIGN KEY ("x""y", "{n}") REFERENCES odd);
SELECT is((SELECT string_agg(substring(p FROM 'public.odd'', (.*), children =>'), ' ' ORDER BY p COLLATE "C") FROM pegs_propose('odd_c') AS p WHERE p ~ 'pegs_set_parent'), $$E'{"x\\"y", "z\\\\z"}' E'{"x\\"y", "{n}"}'$$, 'pegs_propose');
SELECT substring(said($$SELECT pegs_set_parent('odd_c', 'odd', children => '{0, 1}', at_most => 1)$$) FROM 'Say whose row it is, (.*) or ') AS columns \gset
SELECT lives_ok(format('SELECT pegs_set_parent(''odd_c'', ''odd'', %s, children => ''{0, 1}'', at_most => 1)', :'columns'), 'and an error print lists that are read back');
SELECT is((SELECT columns FROM pegs_schema('odd') WHERE depth = 1), ARRAY['x"y', 'z\z']::name[], 'as they are called');
CREATE TABLE shop (id int PRIMARY KEY, "k""\i" text NOT NULL CHECK ("k""\i" IN ('x', 'y'))); INSERT INTO shop VALUES (1, 'x'), (2, 'y');
CREATE TABLE buy (id int PRIMARY KEY, shop int NOT NULL);
SELECT pegs_set_lookup('buy', 'shop', 'shop', 'id', via => ARRAY['k"\i']);
ALTER TABLE shop DROP CONSTRAINT shop_pkey; INSERT INTO shop VALUES (1, 'y');
SELECT remedy FROM pegs_domain('buy') WHERE column_name = 'shop' \gset
:remedy
SELECT is(remedy_of('buy', 'shop'), '', 'a list of columns of a lookup table, too: it runs, and repairs');

---- types of a schema that is not in the reader's search_path
CREATE SCHEMA far; CREATE TYPE far.mood AS ENUM ('sad', 'ok'); CREATE COLLATION far.c (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
SET search_path = far, public;
CREATE TABLE felt (id int PRIMARY KEY, m mood NOT NULL); CREATE TABLE felt_c (id int PRIMARY KEY, pid int REFERENCES felt, m2 mood NOT NULL);
SELECT bind('felt_c', 'felt'), pegs_set_budget('felt', 100, 1e-3);
INSERT INTO felt SELECT i, 'sad' FROM generate_series(1, 50) AS i; INSERT INTO felt_c SELECT i, i, 'ok' FROM generate_series(1, 50) AS i;
SELECT is(fitted('felt'), 'ok', 'fitted');
SELECT string_agg(s, ' ') AS views FROM pegs_view_sql('m felt', 'felt_views') AS s \gset
SELECT pegs_row_type('m felt', 'felt') AS row_type \gset
RESET search_path;
SELECT is(:'row_type'::text, 'id integer, m far.mood', 'pegs_row_type');
:views
SELECT ok((SELECT count(*) > 20 AND bool_and(m2 IN ('sad', 'ok')) FROM felt_views.felt_c), 'and views');

---- a row that is meant by what is handed down: what a fit refuses is said, and no statement that does not mend it
CREATE TABLE latest (id int PRIMARY KEY, latest int NOT NULL, v boolean NOT NULL);
CREATE TABLE latest_c (person int REFERENCES latest, no int, w boolean NOT NULL, PRIMARY KEY (person, no));
ALTER TABLE latest ADD FOREIGN KEY (id, latest) REFERENCES latest_c DEFERRABLE INITIALLY DEFERRED;
BEGIN; INSERT INTO latest SELECT i, 1, true FROM generate_series(1, 50) AS i; INSERT INTO latest_c SELECT i, 1, true FROM generate_series(1, 50) AS i; COMMIT;
SELECT bind('latest_c', 'latest'), pegs_set_budget('latest', 100, 1e-3);
SELECT is(told('latest', 'latest'), 'it refers to "latest_c", too, by "latest", which cannot be NULL: no model has it | ALTER TABLE public.latest ALTER COLUMN latest DROP NOT NULL;  -- it comes out NULL then', 'the latest row, which must be there');
SELECT pegs_leave_out('latest', 'latest');
SELECT is(told('latest', 'latest') LIKE 'it refers to "latest_c", too, %', fitted('latest') LIKE '0A000 | column "latest" of table "latest" refers to "latest_c", too, and cannot be NULL | %', 'left out it is said still, as a fit says it');
ALTER TABLE public.latest ALTER COLUMN latest DROP NOT NULL;
SELECT is(told('latest', 'latest') || fitted('latest'), 'ok', 'NULL it is fitted');

---- a key to a part, whose columns have other numbers: which of them is handed down goes by their names
CREATE TABLE whole (id int PRIMARY KEY, x int, v boolean NOT NULL);
CREATE TABLE whole_c (person int REFERENCES whole, no int NOT NULL, w boolean NOT NULL) PARTITION BY LIST (w);
CREATE TABLE whole_1 (no int NOT NULL, person int, w boolean NOT NULL, UNIQUE (no, person)); ALTER TABLE whole_c ATTACH PARTITION whole_1 FOR VALUES IN (true);
ALTER TABLE whole ADD CONSTRAINT others FOREIGN KEY (id, x) REFERENCES whole_1 (no, person);
SELECT bind('whole_c', 'whole'), pegs_set_budget('whole', 100, 1e-3), pegs_leave_out('whole', 'x');
SELECT is(told('whole', 'whole'), 'its key refers to "whole_1" by "id": tables that link two private rows are not modelled', 'x is of another person');
ALTER TABLE whole DROP CONSTRAINT others, ADD FOREIGN KEY (id, x) REFERENCES whole_1 (person, no);
SELECT is(told('whole', 'whole'), '', 'and here a row of one''s own');

---- another primary key is proposed where nothing needs this one
CREATE TABLE line (id int PRIMARY KEY, v boolean NOT NULL); CREATE TABLE line_c (pid int REFERENCES line, no int NOT NULL, w boolean NOT NULL, CONSTRAINT k PRIMARY KEY (pid, no), UNIQUE (no));
SELECT bind('line_c', 'line'), pegs_set_levels('line_c', 'no', '{1, 2, 3}');
SELECT is(told('line', 'line_c'), 'its column "no" is a key: what is declared for it is not used, it is a running number | -- with another primary key, which changes the table: '
	'ALTER TABLE public.line_c ADD COLUMN line_c_number bigserial, DROP CONSTRAINT k, ADD PRIMARY KEY (line_c_number), ADD UNIQUE (pid, no);', 'another primary key');
CREATE FUNCTION needed(more text) RETURNS text LANGUAGE plpgsql AS $$ DECLARE r text; BEGIN EXECUTE more; r := told('line', 'line_c'); RAISE EXCEPTION USING MESSAGE = r; EXCEPTION WHEN raise_exception THEN RETURN split_part(SQLERRM, ' | ', 2); END $$;
SELECT is(needed('CREATE TABLE line_free (a int, b int, FOREIGN KEY (a, b) REFERENCES line_c)'), $$SELECT pegs_unset('public.line_c', 'no');$$, 'a table that is bound to nothing refers to it');
SELECT is(needed('CREATE VIEW line_view AS SELECT pid, no, w FROM line_c GROUP BY pid, no'), $$SELECT pegs_unset('public.line_c', 'no');$$, 'a view is grouped by it');
SELECT is(needed('CREATE TABLE line_free (a int REFERENCES line_c (no))') LIKE '-- with another primary key%', true, 'by another key it may');

---- a copy of tables that were altered since
CREATE TABLE old (id int PRIMARY KEY, ward text CHECK (ward IN ('x', 'y')), at timestamp); CREATE TABLE old_c (id int PRIMARY KEY, pid int REFERENCES old, w boolean NOT NULL);
INSERT INTO old SELECT i, NULL, '2020-01-01' FROM generate_series(1, 50) AS i; INSERT INTO old_c SELECT i, i, true FROM generate_series(1, 50) AS i;
SELECT bind('old_c', 'old'), pegs_set_budget('old', 100, 1e-3), pegs_set_bins('old', 'at', ARRAY['2019-12-31', '2020-01-02'], parts => '{date, hour}');
SELECT is(fitted('old'), 'ok', 'fitted');
CREATE FUNCTION copied(change text) RETURNS text LANGUAGE plpgsql AS $$ DECLARE r text; BEGIN EXECUTE change; r := said($q$SELECT count(*) FROM pegs_copy_sql('m old', 'old_copy')$q$); RAISE EXCEPTION USING MESSAGE = r; EXCEPTION WHEN raise_exception THEN RETURN SQLERRM; END $$;
SELECT is(copied('SELECT'), 'ok', 'a copy');
SELECT is(copied('ALTER TABLE old DROP CONSTRAINT old_pkey CASCADE'), '42830 | table public.old has no key (id) any more, to which rows of public.old_c refer | It was dropped after the fit. The copy would not have it either. | '
	'Give it its key again: ALTER TABLE public.old ADD PRIMARY KEY (id); Views need none: SELECT pegs_view_sql(''m old'', ''...'');', 'a key that went');
SELECT is(copied('ALTER TABLE old DROP CONSTRAINT old_pkey CASCADE; ALTER TABLE public.old ADD PRIMARY KEY (id)'), 'ok', 'and came again');
SELECT is(copied('DELETE FROM old_c; DELETE FROM old; ALTER TABLE old ALTER ward SET NOT NULL'), '23502 | column "ward" of table public.old is NOT NULL now, and of "m old" it may be NULL | It was altered after the fit. | '
	'Fit the model to the tables of now. Views have it as it was: SELECT pegs_view_sql(''m old'', ''...'');', 'a column that cannot be NULL any more');
SELECT is(copied('DELETE FROM old_c; DELETE FROM old; ALTER TABLE old ALTER at SET NOT NULL') LIKE '23502 | column "at" of %', true, 'nor one that is modelled by its parts');
SELECT is(copied('ALTER TABLE old_c ALTER w DROP NOT NULL'), 'ok', 'one that may be is no matter');

---- a domain of another role below one that refuses NULL: its CHECK would run for each row; and a CHECK by his operator
SET ROLE pasted_mal;
CREATE FUNCTION mal.f(int) RETURNS boolean IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN RAISE 'it ran as %', current_user; END $$;
CREATE OPERATOR mal.=== (FUNCTION = pg_catalog.int4eq, LEFTARG = int, RIGHTARG = int);
CREATE DOMAIN mal.inside AS int;
CREATE DOMAIN mal.outside AS mal.inside NOT NULL CHECK (VALUE > -5) CONSTRAINT his CHECK (NOT VALUE OPERATOR(mal.===) -1);
RESET ROLE;
CREATE TABLE boss (id int PRIMARY KEY, boss mal.outside REFERENCES boss, v boolean NOT NULL); CREATE TABLE boss_c (id int PRIMARY KEY, pid int REFERENCES boss, w boolean NOT NULL);
INSERT INTO boss SELECT i, i, true FROM generate_series(1, 9) AS i; INSERT INTO boss_c SELECT i, i, true FROM generate_series(1, 9) AS i;
SET ROLE pasted_mal; ALTER DOMAIN mal.inside ADD CHECK (mal.f(VALUE)) NOT VALID; RESET ROLE;
SELECT bind('boss_c', 'boss'), pegs_set_budget('boss', 10, 1e-6);
SELECT is(runs(told('boss', 'boss')), 'it refers to itself by "boss", which cannot be NULL: no model has it | ALTER TABLE public.boss ALTER COLUMN boss TYPE integer, ADD CHECK (((boss)::integer > ''-5''::integer));', 'a domain of another role: the type below it');
SELECT matches(told('boss', 'boss'), 'whose other CHECKs stay.*CHECK "his" of mal.outside goes.*CHECK "inside_check" of mal.inside goes', 'and what goes is named');
SELECT is(fitted('boss') ~ 'it ran', false, 'nothing of it has run');

---- CHECKs that refuse running numbers are left out by their table, too
CREATE TABLE checked (id text CONSTRAINT ck CHECK (id ~ '^[A-Z]') PRIMARY KEY, v boolean NOT NULL); CREATE TABLE checked_c (id int PRIMARY KEY, pid text REFERENCES checked, w text NOT NULL CONSTRAINT ck CHECK (w IN ('a', 'b')));
INSERT INTO checked SELECT 'A' || i, true FROM generate_series(1, 50) AS i; INSERT INTO checked_c SELECT i, 'A' || i, 'a' FROM generate_series(1, 50) AS i;
SELECT bind('checked_c', 'checked'), pegs_set_budget('checked', 100, 1e-3);
SELECT is(fitted('checked'), 'ok', 'fitted');
\setenv PGDATABASE :DBNAME
\set hint `psql -XqAt -c "SET client_min_messages = notice" -c "SELECT count(*) FROM pegs_copy_sql('m checked', 'checked_copy')" 2>&1 | sed -n 's/^HINT: *Leave their statements out: \(.*\) .gexec$/\1/p'`
SELECT is(:'hint'::text, $$SELECT s FROM pegs_copy_sql('m checked', 'checked_copy') AS s WHERE strpos(s, 'ALTER TABLE checked_copy.checked ADD CONSTRAINT ck ') <> 1$$, 'the hint');
:hint
\gexec
SELECT is((SELECT array_agg(conrelid::regclass::text) FROM pg_constraint WHERE conname = 'ck' AND connamespace = 'checked_copy'::regnamespace), '{checked_copy.checked_c}', 'the other table has its own, of the same name');
SELECT * FROM finish();
