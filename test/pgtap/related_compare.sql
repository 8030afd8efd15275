-- Keys of related tables that compare in a way of their own: refused before a row is read, as rows would lose each other. Claim P35.
SET client_min_messages = warning;
CREATE EXTENSION pegs;
SELECT plan(10);
CREATE FUNCTION said(statement text) RETURNS text LANGUAGE plpgsql AS
$$ DECLARE m text; h text; BEGIN EXECUTE statement; RETURN 'ok'; EXCEPTION WHEN OTHERS THEN GET STACKED DIAGNOSTICS m = MESSAGE_TEXT, h = PG_EXCEPTION_HINT; RETURN concat_ws(' | ', SQLSTATE, m, h); END $$;
CREATE FUNCTION fits(root text) RETURNS text LANGUAGE sql AS
$$ SELECT said(format('SELECT pegs_fit_schema(%L, %L, epsilon => 50, delta => 1e-9)', 'of ' || root, root)) $$;
CREATE FUNCTION bind(child regclass, root regclass) RETURNS void LANGUAGE sql AS
$$ SELECT pegs_set_budget(root, epsilon => 1e5, delta => 1e-3, accounting => 'sum'); SELECT pegs_set_parent(child, root, children => '{0, 1, 2}', at_most => 2) $$;
CREATE FUNCTION refused(child text, col text, key text) RETURNS text LANGUAGE sql RETURN
	format('0A000 | foreign key "%s" of table "%s" compares column "%s" in a way of its own | Give it and what it refers to one type that compares as PostgreSQL does, such as text, and one collation, that of the key''s index, too. Or name the other tables: tables => ''{...}''', key, child, col);
CREATE FUNCTION spent_on(root regclass) RETURNS numeric LANGUAGE sql RETURN (SELECT spent FROM pegs_budgets WHERE source = root);

---- a type with an = of its own
SELECT EXISTS (SELECT FROM pg_available_extensions WHERE name = 'citext') AS citext \gset
\if :citext
CREATE EXTENSION citext;
CREATE TABLE folded (id citext PRIMARY KEY, sex text NOT NULL CHECK (sex IN ('F', 'M')));
CREATE TABLE of_folded (p citext NOT NULL REFERENCES folded, w text NOT NULL CHECK (w IN ('A', 'B')));
INSERT INTO folded SELECT 'K' || i, 'F' FROM generate_series(1, 100) AS i;
INSERT INTO of_folded SELECT 'k' || i, 'A' FROM generate_series(1, 100) AS i;
SELECT bind('of_folded', 'folded');
SELECT is(fits('folded'), refused('of_folded', 'p', 'of_folded_p_fkey'), 'citext');
SELECT is(spent_on('folded'), 0::numeric, 'and nothing is charged');
\else
SELECT skip('no citext here', 2);
\endif

---- collations: of the two columns, and of the index that tells roots apart
CREATE COLLATION any_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
SELECT current_setting('server_version_num')::int < 180000 AS loose \gset
CREATE TABLE cased (id text COLLATE any_case PRIMARY KEY, sex text NOT NULL CHECK (sex IN ('F', 'M')));
\if :loose
-- PostgreSQL 18 refuses such a key itself
CREATE TABLE of_cased (p text NOT NULL REFERENCES cased, w text NOT NULL CHECK (w IN ('A', 'B')));
INSERT INTO cased SELECT 'K' || i, 'F' FROM generate_series(1, 100) AS i;
INSERT INTO of_cased SELECT 'k' || i, 'A' FROM generate_series(1, 100) AS i;
SELECT bind('of_cased', 'cased');
SELECT is(fits('cased'), refused('of_cased', 'p', 'of_cased_p_fkey'), 'two collations');
SELECT is(spent_on('cased'), 0::numeric, 'and nothing is charged');
\else
SELECT skip('no such key', 2);
\endif
CREATE TABLE twice (id text COLLATE any_case NOT NULL, sex text NOT NULL CHECK (sex IN ('F', 'M')));
CREATE UNIQUE INDEX twice_id ON twice (id COLLATE "C");
CREATE TABLE of_twice (p text COLLATE any_case NOT NULL REFERENCES twice (id), w text NOT NULL CHECK (w IN ('A', 'B')));
INSERT INTO twice VALUES ('k', 'F'), ('K', 'M');
INSERT INTO of_twice VALUES ('k', 'A');
SELECT bind('of_twice', 'twice');
SELECT is(fits('twice'), refused('of_twice', 'p', 'of_twice_p_fkey'), 'an index that takes two roots for two, which the column takes for one');
SELECT is(spent_on('twice'), 0::numeric, 'and nothing is charged');

---- what compares as the join does
CREATE TYPE kind AS ENUM ('a', 'b', 'c');
CREATE DOMAIN number AS int;
CREATE TABLE plain (i8 int8 UNIQUE, v varchar(9) UNIQUE, e kind UNIQUE, n number UNIQUE, c text COLLATE any_case UNIQUE, t text UNIQUE, sex text NOT NULL CHECK (sex IN ('F', 'M')));
CREATE UNIQUE INDEX plain_bytes ON plain (t text_pattern_ops);
CREATE TABLE of_i8 (p int REFERENCES plain (i8), w boolean NOT NULL);
CREATE TABLE of_v (p text REFERENCES plain (v), w boolean NOT NULL);
CREATE TABLE of_e (p kind REFERENCES plain (e), w boolean NOT NULL);
CREATE TABLE of_n (p int REFERENCES plain (n), w boolean NOT NULL);
CREATE TABLE of_c (p text COLLATE any_case REFERENCES plain (c), w boolean NOT NULL);
CREATE TABLE of_t (p text REFERENCES plain (t), w boolean NOT NULL);
INSERT INTO plain SELECT i, 'v' || i, ('{a, b, c}'::kind[])[i], i, 'C' || i, 't' || i, 'F' FROM generate_series(1, 3) AS i;
INSERT INTO of_c SELECT 'c' || i, true FROM generate_series(1, 3) AS i;
SELECT bind(c, 'plain') FROM unnest('{of_i8, of_v, of_e, of_n, of_c, of_t}'::regclass[]) AS c;
SELECT is(fits('plain'), 'ok', 'numbers, words, enums, domains, one collation throughout');
SELECT ok(spent_on('plain') > 0, 'charged');
CREATE TABLE bytes (id text COLLATE "C" PRIMARY KEY, sex text NOT NULL CHECK (sex IN ('F', 'M')));
CREATE TABLE of_bytes (p text NOT NULL REFERENCES bytes, w text NOT NULL CHECK (w IN ('A', 'B')));
INSERT INTO bytes VALUES ('k', 'F');
INSERT INTO of_bytes VALUES ('k', 'A');
SELECT bind('of_bytes', 'bytes');
SELECT is(fits('bytes'), 'ok', 'two collations that take the same for equal');
SELECT is(said($$SELECT pegs_fit_schema('none', 'plain', epsilon => 1, tables => '{}')$$), '22023 | tables must name at least one table | Leave tables out, or name some: tables => ''{...}''', 'tables are no columns');
SELECT * FROM finish();
