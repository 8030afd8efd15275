-- A copy makes no code of another role run, as whoever runs the statements: it is left out, and named with its owner.
SET client_min_messages = warning;
CREATE EXTENSION pegs;
SELECT * FROM no_plan();
\ir lib/said.sql
CREATE ROLE al; CREATE ROLE bo;
REVOKE CREATE ON SCHEMA public FROM PUBLIC; GRANT CREATE ON SCHEMA public TO al, bo;
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA public TO al, bo;
CREATE FUNCTION fine(text) RETURNS boolean IMMUTABLE LANGUAGE sql RETURN true;
CREATE FUNCTION admins(text) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RETURN true; END $$;
SET ROLE bo;
-- each tells, by an error, that it ran as another role than those who trust bo
CREATE FUNCTION ok(anyelement) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN IF current_user NOT IN ('bo', 'al') THEN RAISE 'it ran as %', current_user; END IF; RETURN true; END $$;
CREATE FUNCTION next(i int) RETURNS int LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN PERFORM ok(i); RETURN i + 1; END $$;
CREATE DOMAIN told AS text CHECK (ok(VALUE));
CREATE DOMAIN harmless AS int CHECK (VALUE > 0);
CREATE TYPE rating AS ENUM ('G', 'PG', 'X');
CREATE FUNCTION as_json(rating) RETURNS json LANGUAGE plpgsql AS $$ BEGIN PERFORM ok('x'::text); RETURN '1'; END $$;
CREATE CAST (rating AS json) WITH FUNCTION as_json(rating);
CREATE TYPE pair AS (a told, b int);
CREATE OPERATOR public.=== (LEFTARG = int, RIGHTARG = int, FUNCTION = int4eq);
RESET ROLE;
CREATE FUNCTION any_fine(anyelement) RETURNS boolean IMMUTABLE LANGUAGE sql AS 'SELECT true';
CREATE SCHEMA bos AUTHORIZATION bo; GRANT USAGE, CREATE ON SCHEMA bos TO al;
CREATE FUNCTION bos.fine(text) RETURNS boolean IMMUTABLE LANGUAGE sql RETURN true;
CREATE TYPE bos.level AS ENUM ('low', 'high'); CREATE DOMAIN grade AS bos.level;
CREATE DOMAIN over_it AS text CHECK (ok(VALUE));
SET ROLE al;
CREATE FUNCTION mine(text) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RETURN true; END $$;
CREATE TABLE p (id int PRIMARY KEY, sex text NOT NULL CHECK (sex IN ('M', 'F')), kind rating NOT NULL, other rating NOT NULL CHECK (other <> 'X'), given rating NOT NULL DEFAULT 'PG', lists rating[] NOT NULL, graded grade NOT NULL,
	n int NOT NULL CHECK (n IN (1, 2)), more int NOT NULL GENERATED ALWAYS AS (next(n)) STORED, folded int GENERATED ALWAYS AS (n + next(1)) STORED, twice int NOT NULL GENERATED ALWAYS AS (n * 2) STORED,
	CONSTRAINT p_ok CHECK (ok(sex)), CONSTRAINT p_json CHECK (to_json(kind) IS NOT NULL), CONSTRAINT p_told CHECK (sex::told IS NOT NULL), CONSTRAINT p_kind CHECK (kind IN ('G', 'PG')), CONSTRAINT p_const CHECK (sex <> 'x'::told),
	CONSTRAINT p_name CHECK (sex <> ('G'::rating)::text), CONSTRAINT p_operator CHECK (n === n), CONSTRAINT p_schema CHECK (bos.fine(sex)), CONSTRAINT p_any CHECK (any_fine(sex)));
CREATE TABLE c (id harmless PRIMARY KEY, pid int NOT NULL REFERENCES p, w told CHECK (w <> 'z'), v over_it NOT NULL COLLATE "C", both_of pair, many told[] NOT NULL DEFAULT '{x}', CONSTRAINT c_ok CHECK (ok(w || pid::text)));
CREATE TABLE plain (id int PRIMARY KEY, pid int NOT NULL REFERENCES p, w text CHECK (w IN ('a')), n int GENERATED ALWAYS AS (pid * 2) STORED, CONSTRAINT plain_super CHECK (admins(w)), CONSTRAINT plain_fine CHECK (fine(w)));
INSERT INTO p (id, sex, kind, other, lists, graded, n) SELECT i, 'M', 'G', 'G', '{}', 'low', 1 + i % 2 FROM generate_series(1, 100) AS i;
INSERT INTO c (id, pid, w, v) SELECT i, i, 'a', 'b' FROM generate_series(1, 100) AS i;
INSERT INTO plain (id, pid, w) SELECT i, i, 'a' FROM generate_series(1, 100) AS i;
SELECT pegs_leave_out('p', 'other'), pegs_leave_out('p', 'given'), pegs_leave_out('p', 'lists'), pegs_leave_out('p', 'graded'), pegs_leave_out('c', 'both_of'), pegs_leave_out('c', 'many'), pegs_set_levels('c', 'w', '{a}'), pegs_set_levels('c', 'v', '{b}'), pegs_set_parent('c', 'p', children => '{0, 1}', at_most => 1), pegs_set_parent('plain', 'p', children => '{0, 1}', at_most => 1), pegs_set_budget('p', 100);
SELECT pegs_fit_schema('m', 'p', epsilon => 20), pegs_fit('one', 'p', '{sex, kind}', epsilon => 1);
SELECT pegs_score_fit_of('score', 'one', 'sex', ARRAY['M'], features => ARRAY['kind']);
RESET ROLE;
\setenv PGDATABASE :DBNAME
ALTER TABLE plain ADD CONSTRAINT plain_query CHECK (query_to_xml('SELECT 1', false, false, '') IS NOT NULL);
\set told `psql -XqAt -c "SET client_min_messages = notice" -c "SELECT count(*) FROM pegs_copy_sql('m', 'copied')" 2>&1 | sed -n 's/^NOTICE: *//p; s/^DETAIL: *//p' | grep -v ^They`
SELECT is(:'told'::text, $$the copy of table "p" is without the type public.rating of column "kind": it may run code of another role
It is type public.rating, in whose place role "bo" may put code, and would run as whoever runs the statements. The column is of type text.
the copy of table "p" is without the type public.rating of column "other": it may run code of another role
It is type public.rating, in whose place role "bo" may put code, and would run as whoever runs the statements. The column is of type text.
the copy of table "p" is without the type public.rating of column "given": it may run code of another role
It is type public.rating, in whose place role "bo" may put code, and would run as whoever runs the statements. The column is of type text.
the copy of table "p" is without the type public.rating[] of column "lists": it may run code of another role
It is type public.rating, in whose place role "bo" may put code, and would run as whoever runs the statements. The column is of type text.
the copy of table "p" is without the type public.grade of column "graded": it may run code of another role
It is type bos.level, in whose place role "bo" may put code, and would run as whoever runs the statements. The column is of type text.
the copy of table "p" is without what generates column "more": it may run code of another role
It is function public.next(integer) of role "bo", and would run as whoever runs the statements. The column is NULL.
the copy of table "p" is without what generates column "folded": it may run code of another role
It is function public.next(integer) of role "bo", and would run as whoever runs the statements. The column is NULL.
the copy of table "p" is without CHECK constraint "p_any": it may run code of another role
It is function public.any_fine(pg_catalog.anyelement), beside which role "al" may put code, and would run as whoever runs the statements. Rows may break it.
the copy of table "p" is without CHECK constraint "p_const": it may run code of another role
It is type public.told of role "bo", and would run as whoever runs the statements. Rows may break it.
the copy of table "p" is without CHECK constraint "p_json": it may run code of another role
It is a call of function pg_catalog.to_json(pg_catalog.anyelement), which is not IMMUTABLE, by the table's owner, and would run as whoever runs the statements. Rows may break it.
the copy of table "p" is without CHECK constraint "p_kind": it may run code of another role
It is type public.rating, in whose place role "bo" may put code, and would run as whoever runs the statements. Rows may break it.
the copy of table "p" is without CHECK constraint "p_name": it may run code of another role
It is a call of function pg_catalog.enum_out(pg_catalog.anyenum), which is not IMMUTABLE, by the table's owner, and would run as whoever runs the statements. Rows may break it.
the copy of table "p" is without CHECK constraint "p_ok": it may run code of another role
It is function public.ok(pg_catalog.anyelement) of role "bo", and would run as whoever runs the statements. Rows may break it.
the copy of table "p" is without CHECK constraint "p_operator": it may run code of another role
It is operator public.===(integer,integer), in whose place role "bo" may put code, and would run as whoever runs the statements. Rows may break it.
the copy of table "p" is without CHECK constraint "p_other_check": it may run code of another role
It is type public.rating, in whose place role "bo" may put code, and would run as whoever runs the statements. Rows may break it.
the copy of table "p" is without CHECK constraint "p_schema": it may run code of another role
It is function bos.fine(pg_catalog.text), in whose place role "bo" may put code, and would run as whoever runs the statements. Rows may break it.
the copy of table "p" is without CHECK constraint "p_told": it may run code of another role
It is type public.told of role "bo", and would run as whoever runs the statements. Rows may break it.
the copy of table "c" is without the type public.harmless of column "id": it may run code of another role
It is type public.harmless of role "bo", and would run as whoever runs the statements. The column is of type integer.
the copy of table "c" is without the type public.told of column "w": it may run code of another role
It is type public.told of role "bo", and would run as whoever runs the statements. The column is of type text.
the copy of table "c" is without the type public.over_it of column "v": it may run code of another role
It is function public.ok(pg_catalog.anyelement) of role "bo", and would run as whoever runs the statements. The column is of type text.
the copy of table "c" is without the type public.pair of column "both_of": it may run code of another role
It is type public.told of role "bo", and would run as whoever runs the statements. The column is of type text.
the copy of table "c" is without the type public.told[] of column "many": it may run code of another role
It is type public.told of role "bo", and would run as whoever runs the statements. The column is of type text.
the copy of table "c" is without CHECK constraint "c_ok": it may run code of another role
It is function public.ok(pg_catalog.anyelement) of role "bo", and would run as whoever runs the statements. Rows may break it.
the copy of table "plain" is without CHECK constraint "plain_query": it may run code of another role
It is a call of function pg_catalog.query_to_xml(pg_catalog.text,boolean,boolean,pg_catalog.text), which is not IMMUTABLE, by the table's owner, and would run as whoever runs the statements. Rows may break it.
the copy of table "plain" is without CHECK constraint "plain_super": it may run code of another role
It is a call of function public.admins(pg_catalog.text), which is not IMMUTABLE, by the table's owner, and would run as whoever runs the statements. Rows may break it.$$, 'printed for a superuser, whatever is of another role is named');
-- for the owner of the table: what he may call asks the casts of others' types, also of one in a type of his own
SET ROLE al;
CREATE DOMAIN rated AS rating; CREATE TYPE both_rated AS (x rated, y int);
ALTER TABLE plain ADD CONSTRAINT plain_row CHECK (to_json(('(G,1)'::text)::both_rated) IS NOT NULL);
RESET ROLE;
\set told `psql -XqAt -c "SET ROLE al" -c "SET client_min_messages = notice" -c "SELECT count(*) FROM pegs_copy_sql('m', 'copied')" 2>&1 | grep -A1 'p_kind\|p_json\|p_name\|plain_row' | sed -n 's/^DETAIL: *//p'`
SELECT is(:'told' || E'\n', repeat('It is type public.rating, in whose place role "bo" may put code, and would run as whoever runs the statements. Rows may break it.' || E'\n', 4), 'printed for the owner');
ALTER TABLE plain DROP CONSTRAINT plain_row;
-- what is planted after they were printed, before they run: an operator that fits better, and what generates a column
CREATE TABLE printed AS SELECT row_number() OVER () AS i, s FROM (SELECT pegs_copy_sql('m', 'copied') UNION ALL SELECT pegs_view_sql('m', 'seen') UNION ALL SELECT pegs_view_sql('one', 'one')
	UNION ALL SELECT pegs_score_sql('score', 'score_of') UNION ALL SELECT pegs_generalize_sql('p', pegs_generalize('p', ARRAY['kind', 'sex'], 2), 'public.general')) AS p (s);
SELECT is_empty($$SELECT s FROM printed WHERE s ~ 'rating|level|===|told|harmless'$$, 'no statement names what is of others');
SELECT is((SELECT string_agg(substring(s, 'AS t\(.*\)'), ' ' ORDER BY i) FROM printed WHERE s ~ '\mp?kind'), 'AS t(id integer, sex text, kind text, n integer, twice integer) AS t(sex text, kind text)', 'views have texts');
SET ROLE bo;
CREATE FUNCTION planted(rating, rating) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RETURN public.ok(1); END $$;
CREATE OPERATOR public.= (LEFTARG = rating, RIGHTARG = rating, FUNCTION = planted);
CREATE FUNCTION any_fine(text) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RETURN public.ok(1); END $$;
-- and what is called as a type, an operator or a function was
ALTER TYPE rating RENAME TO was; CREATE DOMAIN rating AS was CHECK (ok(VALUE));
DROP TYPE bos.level CASCADE; CREATE DOMAIN bos.level AS text CHECK (ok(VALUE));
SET ROLE al;
ALTER TABLE plain ADD g int GENERATED ALWAYS AS (next(1)) STORED, ALTER w TYPE told;
RESET ROLE;
SELECT s FROM printed ORDER BY i \gexec
SELECT is((SELECT count(*) FROM (SELECT id, pid, w, v, both_of, many FROM copied.c WHERE coalesce(w, 'a') = 'a' AND v = 'b' AND both_of IS NULL AND many = '{x}') AS r), (SELECT count(*) FROM copied.c), 'and none of it ran');
SELECT ok((SELECT count(*) > 50 AND bool_and(twice = 2 * n) AND count(more) = 0 AND count(folded) = 0 FROM copied.p JOIN copied.c ON c.pid = p.id), 'rows are copied, keys and all; what others generate is NULL, the rest is generated');
SELECT is((SELECT count(*) FROM (SELECT FROM copied.p WHERE kind IN ('G', 'PG', 'X') AND other = 'G' AND given = 'PG' AND lists = '{}' AND graded = 'low') AS r), (SELECT count(*) FROM copied.p), 'of an enum there are its labels, as texts');
SELECT ok((SELECT count(*) > 50 FROM seen.p WHERE kind IN ('G', 'PG', 'X')) AND (SELECT count(*) > 50 FROM one WHERE kind IN ('G', 'PG', 'X')), 'in views, too');
SELECT is((SELECT count(*) FROM unnest(ARRAY['G', 'PG', 'X']) AS kind WHERE score_of(kind) = pegs_score('score', jsonb_build_object('kind', kind))), 3::bigint, 'nor in a score');
SELECT is((SELECT count(*) FROM general WHERE kind = 'G'), 100::bigint, 'nor in generalized rows');
SELECT is((SELECT count(DISTINCT atttypid::regtype::text) FROM pg_attribute WHERE attrelid IN ('copied.p'::regclass, 'seen.p'::regclass, 'one'::regclass) AND attname IN ('kind', 'other', 'given', 'lists', 'graded') AND atttypid <> 'text'::regtype), 0::bigint, 'and no column is of what has the name now');
SELECT is((SELECT string_agg(format('%s.%s', conrelid::regclass, conname), ' ' ORDER BY conrelid::regclass::text, conname) FROM pg_constraint WHERE contype = 'c' AND connamespace = 'copied'::regnamespace),
	'copied.c.c_w_check copied.p.p_n_check copied.p.p_sex_check copied.plain.plain_fine copied.plain.plain_w_check', 'what is built in, or of a superuser and IMMUTABLE, is there');
SELECT is((SELECT string_agg(attname || ' ' || format_type(atttypid, atttypmod) || CASE WHEN attnotnull THEN ' NOT NULL' ELSE '' END || CASE WHEN attcollation = '"C"'::regcollation THEN ' C' ELSE '' END, ', ' ORDER BY attnum) FROM pg_attribute WHERE attrelid = 'copied.c'::regclass AND attnum > 0),
	'id integer NOT NULL, pid integer NOT NULL, w text, v text NOT NULL C, both_of text, many text NOT NULL', 'columns of domains are of their base types');
-- keys: of a root and handed down, numbers and lines, of domains of another and of a superuser's that call another's functions
SET ROLE bo;
CREATE DOMAIN numbered AS int CHECK (ok(VALUE)); CREATE DOMAIN lined AS numeric(8, 0) NOT NULL CHECK (ok(VALUE));
RESET ROLE;
CREATE DOMAIN over_number AS numbered; CREATE DOMAIN over_line AS numeric(8, 0) CHECK (ok(VALUE)); CREATE DOMAIN of_nobody AS int CHECK (VALUE > 0);
SET ROLE al;
CREATE TABLE k (id over_number PRIMARY KEY, other of_nobody NOT NULL UNIQUE, made int NOT NULL UNIQUE GENERATED ALWAYS AS (next(other)) STORED, x text NOT NULL CHECK (x IN ('a', 'b')));
CREATE TABLE l (kid numbered NOT NULL REFERENCES k, line lined, x text NOT NULL CHECK (x IN ('a', 'b')), PRIMARY KEY (kid, line));
CREATE TABLE n (kid int NOT NULL, line over_line NOT NULL, nth numbered NOT NULL, x text NOT NULL CHECK (x IN ('a', 'b')), PRIMARY KEY (kid, line, nth), FOREIGN KEY (kid, line) REFERENCES l, CONSTRAINT n_key CHECK (ok(nth)));
INSERT INTO k (id, other, x) SELECT i, i, 'a' FROM generate_series(1, 100) AS i; INSERT INTO l SELECT i, 1, 'b' FROM generate_series(1, 100) AS i; INSERT INTO n SELECT i, 1, 1, 'a' FROM generate_series(1, 100) AS i;
SELECT pegs_set_parent('l', 'k', children => '{0, 1}', at_most => 2), pegs_set_parent('n', 'l', children => '{0, 1}', at_most => 2), pegs_set_budget('k', 100);
SELECT pegs_fit_schema('keys', 'k', epsilon => 20);
RESET ROLE;
\set told `psql -XqAt -c "SET client_min_messages = notice" -c "SELECT count(*) FROM pegs_copy_sql('keys', 'of_keys')" 2>&1 | sed -n 's/^NOTICE:  the copy of table //p; s/^DETAIL:  It is \(.*\), and would run.*statements/\1/p'`
SELECT is(:'told'::text, $$"k" is without the type public.over_number of column "id": it may run code of another role
type public.numbered of role "bo". The column is of type integer.
"k" is without what generates column "made": it may run code of another role
function public.next(integer) of role "bo". The column is filled.
"l" is without the type public.numbered of column "kid": it may run code of another role
type public.numbered of role "bo". The column is of type integer.
"l" is without the type public.lined of column "line": it may run code of another role
type public.lined of role "bo". The column is of type numeric(8,0).
"n" is without the type public.over_line of column "line": it may run code of another role
function public.ok(pg_catalog.anyelement) of role "bo". The column is of type numeric(8,0).
"n" is without the type public.numbered of column "nth": it may run code of another role
type public.numbered of role "bo". The column is of type integer.
"n" is without CHECK constraint "n_key": it may run code of another role
function public.ok(pg_catalog.anyelement) of role "bo". Rows may break it.$$, 'of keys, too');
SELECT s FROM pegs_copy_sql('keys', 'of_keys') AS s \gexec
SELECT is((SELECT string_agg(format('%s.%s %s', attrelid::regclass, attname, format_type(atttypid, atttypmod)), ', ' ORDER BY attrelid::regclass::text, attnum) FROM pg_attribute WHERE attrelid IN ('of_keys.k'::regclass, 'of_keys.l'::regclass, 'of_keys.n'::regclass) AND attnum > 0 AND attname <> 'x'),
	'of_keys.k.id integer, of_keys.k.other of_nobody, of_keys.k.made integer, of_keys.l.kid integer, of_keys.l.line numeric(8,0), of_keys.n.kid integer, of_keys.n.line numeric(8,0), of_keys.n.nth integer', 'their columns are of base types');
SELECT is((SELECT string_agg(format('%s: %s', conrelid::regclass, pg_get_constraintdef(oid)), ', ' ORDER BY conrelid::regclass::text, contype DESC, conname) FROM pg_constraint WHERE contype IN ('p', 'u', 'f') AND connamespace = 'of_keys'::regnamespace),
	'of_keys.k: UNIQUE (made), of_keys.k: UNIQUE (other), of_keys.k: PRIMARY KEY (id), of_keys.l: PRIMARY KEY (kid, line), of_keys.l: FOREIGN KEY (kid) REFERENCES of_keys.k(id), of_keys.n: PRIMARY KEY (kid, line, nth), of_keys.n: FOREIGN KEY (kid, line) REFERENCES of_keys.l(kid, line)', 'and are keys and references');
SELECT ok((SELECT count(*) > 20 FROM of_keys.k JOIN of_keys.l ON kid = id JOIN of_keys.n USING (kid, line)), 'of rows that belong together');
-- his own, and a superuser's, he has
SET ROLE bo;
CREATE TABLE b (id harmless PRIMARY KEY, w told CHECK (next(length(w)) > 0), n int NOT NULL CHECK (n IN (1)), more int NOT NULL GENERATED ALWAYS AS (next(n)) STORED);
CREATE TABLE d (id int PRIMARY KEY, b int NOT NULL REFERENCES b, w text CHECK (w IN ('a') AND admins(w)));
INSERT INTO b SELECT i, 'a', 1 FROM generate_series(1, 20) AS i;
SELECT pegs_set_levels('b', 'w', '{a}'), pegs_set_parent('d', 'b', children => '{0, 1}', at_most => 1), pegs_set_budget('b', 100);
SELECT pegs_fit_schema('own', 'b', epsilon => 20);
SELECT is((SELECT count(*) FROM pegs_copy_sql('own', 'of_bo') AS s WHERE s ~ '\(LIKE public\.[bd]( INCLUDING GENERATED)?\)|CHECK \(\(public.next\(length|public.admins\(w\)'), 4::bigint, 'what is one''s own or a superuser''s is copied');
-- his own table in a schema of another, who may put a table in its place
SET ROLE al;
CREATE TABLE bos.r (id int PRIMARY KEY, x text NOT NULL CHECK (x IN ('a', 'b'))); CREATE TABLE bos.s (rid int NOT NULL REFERENCES bos.r, x text NOT NULL CHECK (x IN ('a', 'b')));
INSERT INTO bos.r SELECT i, 'a' FROM generate_series(1, 20) AS i; INSERT INTO bos.s SELECT i, 'a' FROM generate_series(1, 20) AS i;
SELECT pegs_set_parent('bos.s', 'bos.r', children => '{0, 1}', at_most => 1), pegs_set_budget('bos.r', 100);
SELECT pegs_fit_schema('in_bos', 'bos.r', epsilon => 20);
SELECT is((SELECT string_agg(s, ' ') FROM pegs_copy_sql('in_bos', 'of_bos') AS s WHERE s ~ '^CREATE TABLE'), 'CREATE TABLE of_bos.r (id integer NOT NULL, x pg_catalog.text NOT NULL); CREATE TABLE of_bos.s (rid integer NOT NULL, x pg_catalog.text NOT NULL);', 'what is in a schema of another is not named');
SELECT * FROM finish();
