-- Copies of related tables: keys and columns of domain types, NULLS NOT DISTINCT, generated columns, and originals that were altered after the fit.
SET client_min_messages = warning;
CREATE EXTENSION pegs;
SELECT * FROM no_plan();
\ir lib/said.sql
CREATE FUNCTION keys_of(t regclass) RETURNS text[] LANGUAGE sql AS $$ SELECT array_agg(d ORDER BY d) FROM pg_constraint CROSS JOIN LATERAL pg_get_constraintdef(oid) AS c(d) WHERE conrelid = t AND contype IN ('p', 'u', 'f') $$;

---- keys of domain types, down three generations
CREATE DOMAIN number AS int CHECK (VALUE > 0);
CREATE DOMAIN own_number AS number;
CREATE DOMAIN token AS uuid NOT NULL;
CREATE DOMAIN line_text AS text;
CREATE DOMAIN sex AS text CHECK (VALUE IN ('F', 'M'));
CREATE DOMAIN age AS int CHECK (VALUE BETWEEN 0 AND 99 AND VALUE <> 60);
CREATE TABLE person (id own_number PRIMARY KEY, s sex NOT NULL, a age);
CREATE TABLE visit (id token PRIMARY KEY, person number REFERENCES person, s sex);
CREATE TABLE note (visit uuid REFERENCES visit, n line_text, s sex NOT NULL, w varchar(5) CHECK (w IN ('a')), PRIMARY KEY (visit, n));
INSERT INTO person SELECT i, 'F', i % 60 FROM generate_series(1, 200) AS i;
INSERT INTO visit SELECT md5(i::text)::uuid, i, 'M' FROM generate_series(1, 200) AS i;
INSERT INTO note SELECT md5(i::text)::uuid, 'x', 'M' FROM generate_series(1, 200) AS i;
SELECT pegs_set_bins('person', 'a', '{0, 50, 99}'), pegs_set_budget('person', 1e4);
SELECT pegs_set_parent('visit', 'person', children => '{0, 1, 2}', at_most => 3), pegs_set_parent('note', 'visit', children => '{0, 1, 2}', at_most => 3);
SELECT is_empty($$SELECT problem FROM pegs_schema('person') WHERE problem IS NOT NULL$$, 'domain types are no problem');
SELECT pegs_fit_schema('persons', 'person', epsilon => 50);
SELECT pegs_release('r', 'persons', 100);
SELECT ok(pegs_summary(n) !~ 'has not read them', format('summary of "%s": this server has read the rows', n)) FROM unnest(ARRAY['persons', 'r']) AS n;
SELECT matches((SELECT in_words FROM pegs_cost('persons', 10)), 'rows is free\. To fit it anew for as much: ', 'and pegs_cost says for how many fits like this one there is room');
SELECT pegs_copy_sql('r', 'copied') \gexec
SELECT ok((SELECT count(*) > 50 FROM copied.note JOIN copied.visit ON visit.id = note.visit JOIN copied.person ON person.id = visit.person), 'copies of keys of domain types join');
SELECT is((SELECT array_agg(attname || ' ' || atttypid::regtype ORDER BY attrelid, attnum) FROM pg_attribute WHERE attrelid IN ('copied.person'::regclass, 'copied.visit'::regclass, 'copied.note'::regclass) AND attnum > 0),
	'{"id own_number","s sex","a age","id token","person number","s sex","visit uuid","n line_text","s sex","w character varying"}', 'and keep their types');
SELECT results_eq($$SELECT id::int, s::text FROM pegs_rows_as(NULL::person, 'r', 'person')$$, $$SELECT * FROM pegs_rows('r', 'person') AS t(id int, s text)$$, 'by type and by list they are the same');
SELECT results_eq($$SELECT * FROM pegs_rows('r', 'person') AS t(id own_number, s sex)$$, $$SELECT id::own_number, s::sex FROM pegs_rows('r', 'person') AS t(id int, s text)$$, 'a list may name the domain');
SELECT is((SELECT count(*) FROM (SELECT pegs_rows_as(NULL::visit, 'r', 'visit')) AS s), (SELECT count(*) FROM copied.visit), 'and so in a select list');
SELECT pegs_view_sql('r', 'seen') \gexec
SELECT ok((SELECT count(*) > 50 FROM seen.note JOIN seen.visit ON visit.id = note.visit JOIN seen.person ON person.id = visit.person), 'views have the base types');
SELECT pegs_fit('single', 'person', epsilon => 1);
SELECT is((SELECT count(*) FROM pegs_sample_as(NULL::person, 'single', 10, options => '{"keys": "number"}') WHERE id BETWEEN 1 AND 10), 10::bigint, 'of one table, too');

---- a domain that refuses what the model has, or what a key would be
ALTER DOMAIN number ADD CONSTRAINT large CHECK (VALUE > 1000) NOT VALID;
SELECT is(said($$SELECT pegs_copy_sql('r', 'other')$$), '23514 | column "id" is a key, and its domain type own_number refuses the running number 1 | Views have its base type, integer: SELECT pegs_view_sql(''r'', ''...'');', 'a copy is refused before its first statement');
SELECT is(said($$SELECT * FROM pegs_rows_as(NULL::person, 'r', 'person')$$), '23514 | column "id" is a key, and its domain type own_number refuses the running number 1 | Name it as integer, in a column list or a table of its own.', 'and rows, in the same words');
SELECT is(said($$SELECT * FROM pegs_sample_as(NULL::person, 'single', 10, options => '{"keys": "number"}')$$), '23514 | column "id" is a key, and its domain type own_number refuses the running number 1 | Name it as integer, in a column list or a table of its own.', 'of one table, too');
SELECT is(said($$SELECT * FROM pegs_rows('r', 'person') AS t(id int, s sex)$$), 'ok', 'which say the way out');
ALTER DOMAIN number DROP CONSTRAINT large;
ALTER DOMAIN token ADD CONSTRAINT few CHECK (VALUE < '00000000-0000-8000-8000-000000000020') NOT VALID;
SELECT is(said($$SELECT * FROM pegs_rows_as(NULL::visit, 'r', 'visit')$$), '23514 | column "id" is a key, and its domain type token refuses the running number 32 | Name it as uuid, in a column list or a table of its own.', 'how many rows of another table there are nobody knows before: each is looked at');
ALTER DOMAIN token DROP CONSTRAINT few;
ALTER DOMAIN age ADD CONSTRAINT young CHECK (VALUE < 99) NOT VALID;
SELECT is(said($$SELECT pegs_copy_sql('r', 'other')$$), '23514 | column "a" is of the domain type age, which refuses what the model has: ''99'' | Views have its base type, integer: SELECT pegs_view_sql(''r'', ''...'');', 'an edge of bins');
SELECT is(said($$SELECT * FROM pegs_sample_as(NULL::person, 'single', 10)$$), '23514 | column "a" is of the domain type age, which refuses what the model has: ''99'' | Name it as integer, in a column list or a table of its own.', 'of one table, too');
ALTER DOMAIN age DROP CONSTRAINT young;
UPDATE person SET a = 1; ALTER DOMAIN age SET NOT NULL;
SELECT is(said($$SELECT pegs_copy_sql('r', 'other')$$), '23502 | column "a" is of the domain type age, which refuses what the model has: NULL | Views have its base type, integer: SELECT pegs_view_sql(''r'', ''...'');', 'NULL');
ALTER DOMAIN age DROP NOT NULL;

---- altered after the fit
CREATE FUNCTION altered(what text, model text DEFAULT 'r') RETURNS text LANGUAGE plpgsql AS
$$ DECLARE s text; BEGIN EXECUTE what; s := said(format($q$SELECT pegs_copy_sql(%L, 'other')$q$, model)); RAISE EXCEPTION USING MESSAGE = s, ERRCODE = 'ZZ000'; EXCEPTION WHEN SQLSTATE 'ZZ000' THEN RETURN SQLERRM; END $$;
SELECT is(altered(a), format('42703 | table public.%s has no column "%s" any more, which is a key of "r" | It was dropped or renamed after the fit. Without it rows of the copies do not belong together.'
	' | Give it its name again, or fit the model to the tables of now. Views have it still: SELECT pegs_view_sql(''r'', ''...'');', t, k), a) FROM (VALUES
	('ALTER TABLE visit DROP COLUMN person', 'visit', 'person'), ('ALTER TABLE person DROP COLUMN id CASCADE', 'person', 'id'), ('ALTER TABLE note DROP COLUMN n', 'note', 'n'), ('ALTER TABLE visit RENAME person TO whose', 'visit', 'person')) AS v(a, t, k);
SELECT is(altered('ALTER TABLE visit ALTER s TYPE varchar(9)'), '42804 | column "s" of table public.visit is of type character varying(9) now, and of "r" it is text | It was altered after the fit.'
	' | Fit the model to the tables of now. Views have the type that it had: SELECT pegs_view_sql(''r'', ''...'');', 'another type');
SELECT is(altered('ALTER TABLE note ALTER w TYPE varchar(9)'), '42804 | column "w" of table public.note is of type character varying(9) now, and of "r" it is character varying(5) | It was altered after the fit.'
	' | Fit the model to the tables of now. Views have the type that it had: SELECT pegs_view_sql(''r'', ''...'');', 'another length');
SELECT is(altered('ALTER TABLE note ALTER w TYPE varchar'), 'ok', 'or none: it takes what the model has');
SELECT matches(altered('ALTER TABLE note ALTER n TYPE bytea USING n::bytea'), '^42804 \| column "n" is a key, and its type bytea takes no running number', 'a key of another type');
SELECT is(altered(a), format('42703 | table public.%s has no column "%s" any more, which "r" has | It was dropped or renamed after the fit. What it is called now the model does not know: a copy would lack its values.'
	' | Give it its name again, or fit the model to the tables of now. Views have it still: SELECT pegs_view_sql(''r'', ''...'');', t, c), a) FROM (VALUES
	('ALTER TABLE visit DROP COLUMN s', 'visit', 's'), ('ALTER TABLE visit RENAME s TO sex_of', 'visit', 's'), ('ALTER TABLE person RENAME a TO "of"', 'person', 'a')) AS v(a, t, c);

---- NULLS NOT DISTINCT; generated columns
CREATE FUNCTION next(int) RETURNS int IMMUTABLE LANGUAGE sql RETURN $1 + 1;
CREATE TABLE shop (id int PRIMARY KEY, code int UNIQUE NULLS NOT DISTINCT, a int NOT NULL CHECK (a IN (1, 2)), twice int NOT NULL GENERATED ALWAYS AS (a * 2) STORED CHECK (twice > a),
	label text NOT NULL GENERATED ALWAYS AS ('k' || id) STORED UNIQUE, wide text NOT NULL GENERATED ALWAYS AS (id || '.' || a) STORED CHECK (wide LIKE '%.%'), more int NOT NULL GENERATED ALWAYS AS (next(a)) STORED CHECK (more = a + 1));
CREATE TABLE sale (id int PRIMARY KEY, shop int REFERENCES shop (code), friend int REFERENCES shop, s sex NOT NULL, q int NOT NULL, r int NOT NULL GENERATED ALWAYS AS (100 / q) STORED CHECK (r > q),
	UNIQUE NULLS NOT DISTINCT (friend), UNIQUE NULLS NOT DISTINCT (friend, s), UNIQUE (friend, q));
INSERT INTO shop (id, code, a) SELECT i, i, 1 + i % 2 FROM generate_series(1, 200) AS i;
INSERT INTO sale SELECT i, i, i, 'M', 1 FROM generate_series(1, 200) AS i;
SELECT pegs_set_budget('shop', 1e4), pegs_set_parent('sale', 'shop', '{shop}', children => '{0, 1, 2}', at_most => 3), pegs_leave_out('sale', 'q');
SELECT pegs_fit_schema('shops', 'shop', epsilon => 50);
SELECT pegs_copy_sql('shops', 'sold') \gexec
SELECT is(keys_of('sold.shop'), '{"PRIMARY KEY (id)","UNIQUE (label)","UNIQUE NULLS NOT DISTINCT (code)"}', 'a copy keeps a key with NULLS NOT DISTINCT');
SELECT ok('FOREIGN KEY (shop) REFERENCES sold.shop(code)' = ANY (keys_of('sold.sale')), 'to which its rows refer');
SELECT is((SELECT count(*) FROM unnest(keys_of('sold.sale')) AS k WHERE k LIKE '%friend%' AND k LIKE '%NULLS NOT%'), 0::bigint, 'not one of what is NULL in all rows');
SELECT ok(pegs_describe('shops') -> 'may_repeat' @> '["rows of sale may repeat (friend, s), which the original has unique"]', 'the certificate says that it may repeat');
SELECT ok((SELECT count(*) > 100 AND bool_and(twice = 2 * a AND wide = id || '.' || a AND more = a + 1) FROM sold.shop), 'generated columns are generated');
SELECT is((SELECT array_agg(attname ORDER BY attnum) FROM pg_attribute WHERE attrelid = 'sold.shop'::regclass AND attgenerated = 's'), '{twice,wide,more}'::name[], 'of what the model has, and keys; one that is a key is a running number');
SELECT ok((SELECT count(*) > 100 AND count(r) = 0 FROM sold.sale), 'one of what it has not is NULL, and its CHECK holds');
CREATE DOMAIN small AS int CHECK (VALUE < 9);
SELECT is(altered(a, 'shops'), format('42804 | column "twice" of table public.shop is of type %s now, and of "shops" it is integer | It was altered after the fit. | Fit the model to the tables of now. Views have the type that it had: SELECT pegs_view_sql(''shops'', ''...'');', t), 'what is computed: ' || t)
FROM (VALUES ('ALTER TABLE shop ALTER twice TYPE bigint', 'bigint'), ('ALTER TABLE shop ALTER twice TYPE small', 'small')) AS v (a, t);
---- generated when they are read: of PostgreSQL 18 on
SELECT current_setting('server_version_num')::int >= 180000 AS has_virtual \gset
\if :has_virtual
CREATE TABLE depot (id int PRIMARY KEY, a int NOT NULL CHECK (a IN (1, 2)), twice int NOT NULL GENERATED ALWAYS AS (a * 2) VIRTUAL CHECK (twice > a), q int NOT NULL, r int NOT NULL GENERATED ALWAYS AS (100 / q) VIRTUAL CHECK (r > q),
	u uuid NOT NULL GENERATED ALWAYS AS (md5(id::text)::uuid) VIRTUAL, u2 uuid NOT NULL GENERATED ALWAYS AS (md5(q::text)::uuid) VIRTUAL, s int NOT NULL GENERATED ALWAYS AS (a * 3) STORED, z int GENERATED ALWAYS AS (q + 1) STORED);
CREATE TABLE parcel (id int PRIMARY KEY, depot int REFERENCES depot, kind text NOT NULL CHECK (kind IN ('x', 'y')), label text COLLATE "C" GENERATED ALWAYS AS (kind || depot) VIRTUAL);
INSERT INTO depot (id, a, q) SELECT i, 1 + i % 2, 2 FROM generate_series(1, 200) AS i;
INSERT INTO parcel SELECT i, i, 'x' FROM generate_series(1, 200) AS i;
SELECT pegs_set_budget('depot', 1e4), pegs_set_parent('parcel', 'depot', children => '{0, 1, 2}', at_most => 3), pegs_leave_out('depot', 'q');
SELECT pegs_fit_schema('depots', 'depot', epsilon => 50);
SELECT pegs_copy_sql('depots', 'stored') \gexec
SELECT ok((SELECT count(*) > 100 AND bool_and(twice = 2 * a AND s = 3 * a AND u = md5(id::text)::uuid) FROM stored.depot), 'virtual columns are generated, as stored ones are');
SELECT ok((SELECT count(*) > 100 AND bool_and(label = kind || depot) FROM stored.parcel), 'of a key, too');
SELECT ok((SELECT count(*) > 100 AND count(r) = 0 AND count(u2) = 0 AND count(z) = 0 FROM stored.depot), 'those of what the model has not are NULL');
SELECT is((SELECT string_agg(attname::text || attgenerated::text, ' ' ORDER BY attnum) FROM pg_attribute WHERE attrelid = 'stored.depot'::regclass AND attnum > 0), 'id a twicev q rv uv u2v ss z', 'in the order of the original, each of its kind');
SELECT is((SELECT count(*) FROM pg_constraint WHERE conrelid = 'stored.depot'::regclass AND contype = 'c'), 3::bigint, 'and CHECKs of them are kept');
\else
SELECT skip('no virtual columns before PostgreSQL 18', 5);
\endif
---- a domain of somebody else's: nothing of his runs where statements are printed for another role
CREATE ROLE mallory; GRANT CREATE ON SCHEMA public TO mallory; GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA public TO mallory;
SET ROLE mallory;
CREATE FUNCTION ran(text) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN IF current_user <> 'mallory' THEN RAISE 'it ran as %', current_user; END IF; RETURN true; END $$;
CREATE DOMAIN told AS text CHECK (ran(VALUE)); CREATE DOMAIN numbered AS int CHECK (ran(VALUE::text));
RESET ROLE;
CREATE DOMAIN over_it AS told;
SET ROLE mallory;
CREATE TABLE his (id numbered PRIMARY KEY, v told); CREATE TABLE hers (id int PRIMARY KEY, his numbered NOT NULL REFERENCES his, w over_it);
INSERT INTO his SELECT i, 'a' FROM generate_series(1, 100) AS i; INSERT INTO hers SELECT i, i, 'b' FROM generate_series(1, 100) AS i;
SELECT pegs_set_levels('his', 'v', '{a}'), pegs_set_levels('hers', 'w', '{b}'), pegs_set_parent('hers', 'his', children => '{0, 1}', at_most => 1), pegs_set_budget('his', 10);
SELECT pegs_fit_schema('theirs', 'his', epsilon => 1);
SELECT ok((SELECT count(*) > 5 FROM pegs_copy_sql('theirs', 'of_mallory')), 'his own are tried');
RESET ROLE;
SELECT ok((SELECT count(*) > 5 FROM pegs_copy_sql('theirs', 'of_postgres')), 'nothing of his runs as a superuser');

---- what no model has and cannot be NULL, of types whose plain value is not that of a category; of a type that has none
CREATE TYPE pair AS (a int, b int);
CREATE TABLE shape (id int PRIMARY KEY, k text NOT NULL CHECK (k IN ('a')), p polygon NOT NULL, b box NOT NULL, l line NOT NULL, s lseg NOT NULL, w path NOT NULL, c circle NOT NULL, q tsquery NOT NULL);
CREATE TABLE side (id int PRIMARY KEY, shape int NOT NULL REFERENCES shape, k text CHECK (k IN ('a')));
INSERT INTO shape SELECT i, 'a', '((1,1))', '(1,1),(1,1)', '{1,1,1}', '(1,1),(1,1)', '((1,1))', '<(1,1),1>', 'a' FROM generate_series(1, 20) AS i;
SELECT pegs_set_parent('side', 'shape', children => '{0, 1}', at_most => 1), pegs_leave_out('shape', c), pegs_set_budget('shape', 1e4) FROM unnest('{p, b, l, s, w, c, q}'::name[]) AS c;
SELECT pegs_fit_schema('shapes', 'shape', epsilon => 1);
\setenv PGDATABASE :DBNAME
\set told `psql -XqAt -c "SET client_min_messages = notice" -c "SELECT pegs_copy_sql('shapes', 'drawn')" -c "SELECT count(*) FROM pegs_sample_as(NULL::shape, 'shapes', 5, options => '{\"table\": \"shape\"}')" 2>&1 | grep -c lexemes`
SELECT is(:'told'::text, '0', 'PostgreSQL says nothing of a text search without words');
SELECT pegs_copy_sql('shapes', 'drawn') \gexec
SELECT results_eq('SELECT DISTINCT p::text, b::text, l::text, s::text, w::text, c::text, q::text FROM drawn.shape', $$VALUES ('((0,0))', '(0,0),(0,0)', '{0,1,0}', '[(0,0),(0,0)]', '((0,0))', '<(0,0),0>', '')$$, 'each has a plain value');
ALTER TABLE shape ADD COLUMN two pair NOT NULL DEFAULT ROW(1, 2); ALTER TABLE shape ALTER COLUMN two DROP DEFAULT;
SELECT is(said($$SELECT pegs_copy_sql('shapes', 'drawn2')$$), '0A000 | column "two" of table "shape" is NOT NULL, and no value of type pair is a plain one | ALTER TABLE public.shape ALTER COLUMN two SET DEFAULT ''...''; a constant of that type.'
	' Or, for rows alone: CREATE TABLE synthetic (LIKE public.shape INCLUDING ALL); ALTER TABLE synthetic ALTER two DROP NOT NULL; its row type is NULL::synthetic.', 'of a composite type there is none');
ALTER TABLE shape ALTER COLUMN two SET DEFAULT '(1,2)';
SELECT is(said($$SELECT pegs_copy_sql('shapes', 'drawn2')$$), 'ok', 'and the hint repairs it');
SELECT * FROM finish();
