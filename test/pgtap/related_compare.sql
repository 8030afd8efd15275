-- Keys of related tables that compare in a way of their own: refused before a row is read, as rows would lose each other. Claim P35.
SET client_min_messages = warning;
CREATE EXTENSION pegs;
SELECT plan(26);
CREATE FUNCTION said(statement text) RETURNS text LANGUAGE plpgsql AS
$$ DECLARE m text; h text; BEGIN EXECUTE statement; RETURN 'ok'; EXCEPTION WHEN OTHERS THEN GET STACKED DIAGNOSTICS m = MESSAGE_TEXT, h = PG_EXCEPTION_HINT; RETURN concat_ws(' | ', SQLSTATE, m, h); END $$;
CREATE FUNCTION fits(root text) RETURNS text LANGUAGE sql AS
$$ SELECT said(format('SELECT pegs_fit_schema(%L, %L, epsilon => 50, delta => 1e-9)', 'of ' || root, root)) $$;
CREATE FUNCTION bind(child regclass, root regclass) RETURNS void LANGUAGE sql AS
$$ SELECT pegs_set_budget(root, epsilon => 1e5, delta => 1e-3, accounting => 'sum'); SELECT pegs_set_parent(child, root, children => '{0, 1, 2}', at_most => 2) $$;
CREATE FUNCTION refused(child text, col text, key text) RETURNS text LANGUAGE sql RETURN
	format('0A000 | foreign key "%s" of table "%s" compares column "%s" in a way of its own | Give it and what it refers to one type that compares as PostgreSQL does, such as text, and one collation, that of the key''s index, too. Or name the other tables: tables => ARRAY[%L]', key, child, col, replace(child, 'of_', ''));
-- a fit of the child alone counts by its own column: that must tell rows apart as the root does (P10)
CREATE FUNCTION fits_alone(child text) RETURNS text LANGUAGE sql AS
$$ SELECT said(format('SELECT pegs_fit(%L, %L, columns => ''{w}'', epsilon => 50, delta => 1e-9)', 'alone ' || child, child)) $$;
CREATE FUNCTION refused_alone(child text, remedy text) RETURNS text LANGUAGE sql RETURN
	format('55000 | rows of public.%s belong to rows of another table: they cannot be counted by those | %s', child, remedy);
CREATE FUNCTION problem_of(child regclass) RETURNS text LANGUAGE sql RETURN (SELECT problem || ' | ' || remedy FROM pegs_schema(child) WHERE source = child);
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
SELECT is(fits_alone('of_folded'), 'ok', 'the table alone: both sides tell the same apart');
\else
SELECT skip('no citext here', 3);
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
SELECT is(fits_alone('of_cased'), refused_alone('of_cased', 'ALTER TABLE public.of_cased ALTER COLUMN p TYPE text COLLATE public.any_case;'), 'nor the table alone');
SELECT is(spent_on('cased'), 0::numeric, 'and nothing is charged');
\else
SELECT skip('no such key', 3);
\endif
CREATE TABLE twice (id text COLLATE any_case NOT NULL, sex text NOT NULL CHECK (sex IN ('F', 'M')));
CREATE UNIQUE INDEX twice_id ON twice (id COLLATE "C");
CREATE TABLE of_twice (p text COLLATE any_case NOT NULL REFERENCES twice (id), w text NOT NULL CHECK (w IN ('A', 'B')));
INSERT INTO twice VALUES ('k', 'F'), ('K', 'M');
INSERT INTO of_twice VALUES ('k', 'A');
SELECT bind('of_twice', 'twice');
SELECT is(fits('twice'), refused('of_twice', 'p', 'of_twice_p_fkey'), 'an index that takes two roots for two, which the column takes for one');
SELECT is(fits_alone('of_twice'), refused_alone('of_twice', 'Give public.twice a unique index that compares as its column does, and a foreign key to that.'), 'nor the table alone');
SELECT is(spent_on('twice'), 0::numeric, 'and nothing is charged');

---- types: many values of the one are one value of the other
CREATE TABLE padded (id char(200) PRIMARY KEY, sex text NOT NULL CHECK (sex IN ('F', 'M')));
CREATE TABLE of_padded (p text NOT NULL REFERENCES padded, d text, w text NOT NULL CHECK (w IN ('A', 'B')));
INSERT INTO padded VALUES ('a', 'F'), ('b', 'M');
INSERT INTO of_padded SELECT 'a' || repeat(' ', i), 'HIV', 'A' FROM generate_series(0, 149) AS i;
SELECT bind('of_padded', 'padded');
SELECT is(fits_alone('of_padded'), refused_alone('of_padded', 'ALTER TABLE public.of_padded ALTER COLUMN p TYPE character(200);'), 'text refers to char(n)');
SELECT is(problem_of('of_padded'), 'its column "p" tells values apart in another way than "padded" does | ALTER TABLE public.of_padded ALTER COLUMN p TYPE character(200);', 'pegs_schema says so');
SELECT alike((SELECT string_agg(p, ' ') FROM pegs_propose('of_padded', 1, 1e-9) AS p), '%-- nothing is learnt of "of_padded" alone, %Column "p" tells values apart in another way%', 'and pegs_propose');
SELECT said($$SELECT pegs_learn_levels('of_padded', 'd', 1, 1e-9)$$) LIKE '55000 | rows of public.of_padded belong%' AS learns \gset
SELECT ok(:'learns' = 't', 'and nothing is learnt');
SELECT is(spent_on('padded'), 0::numeric, 'and nothing is charged');
ALTER TABLE public.of_padded ALTER COLUMN p TYPE character(200);
SELECT is(fits_alone('of_padded'), 'ok', 'one type: all rows are of one row');
SELECT ok((pegs_describe('alone of_padded') ->> 'rows')::numeric BETWEEN 0 AND 3, 'and count as that');
SELECT is(problem_of('of_padded'), NULL, 'and pegs_schema has nothing to say');
CREATE TABLE dated (id date PRIMARY KEY, sex text NOT NULL CHECK (sex IN ('F', 'M')));
CREATE TABLE of_dated (p timestamptz NOT NULL REFERENCES dated, w text NOT NULL CHECK (w IN ('A', 'B')));
INSERT INTO dated VALUES ('2020-01-01', 'F');
INSERT INTO of_dated VALUES ('2020-01-01', 'A');
SELECT bind('of_dated', 'dated');
CREATE TYPE by_bytes AS (x text COLLATE "C");
CREATE TYPE by_case AS (x text COLLATE any_case);
CREATE TABLE rowed (id by_case PRIMARY KEY, sex text NOT NULL CHECK (sex IN ('F', 'M')));
CREATE TABLE of_rowed (p by_bytes NOT NULL, w text NOT NULL CHECK (w IN ('A', 'B')));
INSERT INTO of_rowed VALUES (ROW('k'), 'A'), (ROW('K'), 'A');
ALTER TABLE of_rowed ADD FOREIGN KEY (p) REFERENCES rowed NOT VALID;
SELECT bind('of_rowed', 'rowed');
SELECT is(fits_alone('of_rowed'), refused_alone('of_rowed', 'ALTER TABLE public.of_rowed ALTER COLUMN p TYPE public.by_case;'), 'rows that are made of other columns');
SELECT is(fits_alone('of_dated'), refused_alone('of_dated', 'ALTER TABLE public.of_dated ALTER COLUMN p TYPE date;'), 'an instant is another day in each time zone');
SELECT is(fits('dated'), refused('of_dated', 'p', 'of_dated_p_fkey'), 'nor are they joined');

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
SELECT is(split_part(fits('plain'), ' | ', 2), 'column "e" of table "plain" is a key, and its type kind takes no running number', 'an enum compares well, and numbers it has none');
SELECT remedy FROM pegs_schema('plain') WHERE source = 'plain'::regclass \gset
:remedy
SELECT is(fits('plain'), 'ok', 'numbers, words, enums as texts, domains, one collation throughout');
SELECT ok(spent_on('plain') > 0, 'charged');
SELECT is((SELECT string_agg(fits_alone(c), ' ') FROM unnest('{of_i8, of_v, of_e, of_n, of_c, of_t}'::text[]) AS c), 'ok ok ok ok ok ok', 'and each table alone');
CREATE TABLE bytes (id text COLLATE "C" PRIMARY KEY, sex text NOT NULL CHECK (sex IN ('F', 'M')));
CREATE TABLE of_bytes (p text NOT NULL REFERENCES bytes, w text NOT NULL CHECK (w IN ('A', 'B')));
INSERT INTO bytes VALUES ('k', 'F');
INSERT INTO of_bytes VALUES ('k', 'A');
SELECT bind('of_bytes', 'bytes');
SELECT is(fits('bytes'), 'ok', 'two collations that take the same for equal');
SELECT is(said($$SELECT pegs_fit_schema('none', 'plain', epsilon => 1, tables => '{}')$$), '22023 | tables must name at least one table | Leave tables out, or name some: tables => ''{...}''', 'tables are no columns');
SELECT * FROM finish();
