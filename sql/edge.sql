-- edge: odd tables, odd names, odd sources. Right counts or a clean error, never anything else.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS pegs;
CREATE SCHEMA regress_edge;
SET search_path = regress_edge, public;
\encoding UTF8

-- exact counts, which only the superuser of this test can read: two fits of the same rows are the same bytes
CREATE FUNCTION unmasked(bytea) RETURNS bytea LANGUAGE c STRICT AS '$libdir/pegs', 'pegs_unmasked';
CREATE FUNCTION body(name text) RETURNS bytea LANGUAGE sql AS
$$ SELECT unmasked(b.body) FROM pegs_internal.body b JOIN pegs_internal.model m ON m.id = b.model WHERE m.name = $1 $$;
-- fits a sealed model without parents and says whether its tables are those of model "reference"
CREATE FUNCTION fits_like(reference text, source regclass, columns name[] DEFAULT NULL) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
	same boolean;
BEGIN
	PERFORM pegs_fit('like', source, columns, parents => '{}');
	same := body('like') = body(reference);
	PERFORM pegs_drop('like');
	RETURN same;
END $$;

---- sizes: empty, one row, no column, many columns
CREATE TABLE empty (a text NOT NULL CHECK (a IN ('x', 'y')), b boolean);
SELECT pegs_fit('empty', 'empty', parents => '{}');
SELECT pegs_set_budget('empty', 10);
SELECT count(*), count(a), bool_and(a IN ('x', 'y')) FROM pegs_sample('empty', 20, epsilon => 1) AS t(a text, b boolean);
SELECT pegs_fit('empty perturbed', 'empty', epsilon => 1);
SELECT count(*), count(a), bool_and(a IN ('x', 'y')) FROM pegs_sample('empty perturbed', 20) AS t(a text, b boolean);
SELECT pegs_release('empty release', 'empty', 5, epsilon => 1);
SELECT count(*) FROM pegs_rows('empty release') AS t(b boolean);
-- the tables of an empty source have the size of any other's
CREATE TABLE one_row (LIKE empty INCLUDING ALL);
INSERT INTO one_row VALUES ('x', NULL);
SELECT pegs_fit('one row', 'one_row', parents => '{}');
SELECT length(body('empty')) = length(body('one row')) AS same_size, body('empty') = body('one row') AS same_counts;
CREATE TABLE one_column (a boolean NOT NULL);
INSERT INTO one_column VALUES (true);
SELECT pegs_set_budget('one_column', 3);
SELECT pegs_fit('one column', 'one_column', epsilon => 1);
SELECT count(a) FROM pegs_sample('one column', 3) AS t(a boolean);
SELECT pegs_fit('one column, sealed', 'one_column', parents => '{}', tail_bits => 1);
SELECT count(a) FROM pegs_sample('one column, sealed', 3, epsilon => 1) AS t(a boolean);
-- one level: nothing to choose, but rows all the same
CREATE TABLE one_level (a text NOT NULL CHECK (a = 'x'), b boolean NOT NULL CHECK (b));
INSERT INTO one_level VALUES ('x', true);
SELECT pegs_set_budget('one_level', 3);
SELECT pegs_fit('one level', 'one_level', columns => ARRAY['a'], epsilon => 1);
SELECT DISTINCT a FROM pegs_sample('one level', 4) AS t(a text);
SELECT pegs_fit('one level, sealed', 'one_level', columns => ARRAY['a'], parents => '{}');
SELECT DISTINCT a FROM pegs_sample('one level, sealed', 4, epsilon => 1) AS t(a text);
CREATE TABLE no_column ();
SELECT pegs_fit('no column', 'no_column', parents => '{}');
SELECT count(*) FROM pegs_domain('no_column');
-- more columns than pegs_agg could take as arguments
SELECT format('CREATE TABLE many (%s)', string_agg(format('c%s boolean', i), ', ')) FROM generate_series(1, 110) AS i \gexec
INSERT INTO many DEFAULT VALUES;
SELECT pegs_fit('many', 'many', parents => '{"c1": ["c110"]}', tail_bits => 1);
SELECT pegs_set_budget('many', 2);
SELECT pegs_fit('many perturbed', 'many', epsilon => 1);
SELECT count(*), count(DISTINCT c1) <= 2 AS as_declared FROM pegs_sample('many perturbed', 7) AS t(c1 boolean, c110 boolean);
SELECT count(*) FROM pegs_sample_as(NULL::many, 'many perturbed', 7);
-- 65 columns through the aggregate
SELECT string_agg('c' || i, ', ' ORDER BY i) AS c65, format('{%s}', string_agg('c' || i, ', ' ORDER BY i)) AS names65 FROM generate_series(1, 65) AS i \gset
SELECT pegs_agg(pegs_spec('many', :'names65'), :c65) IS NOT NULL AS counted FROM many;

---- dropped and generated columns
CREATE TABLE reshaped (gone text, a text CHECK (a IN ('x', 'y')), gone_too int, d int GENERATED ALWAYS AS (length(a)) STORED);
INSERT INTO reshaped (gone, a, gone_too) VALUES ('secret', 'x', 1), ('secret', 'y', 2), (NULL, NULL, NULL);
ALTER TABLE reshaped DROP COLUMN gone, DROP COLUMN gone_too;
SELECT pegs_set_levels('reshaped', 'd', ARRAY['1']);
SELECT column_name, type, origin, levels, problem FROM pegs_domain('reshaped');
CREATE TABLE shaped (a text CHECK (a IN ('x', 'y')), d int CHECK (d = 1));
INSERT INTO shaped SELECT * FROM reshaped;
SELECT pegs_fit('shaped', 'shaped', parents => '{}');
SELECT fits_like('shaped', 'reshaped') AS right_counts;
SELECT pegs_set_levels('reshaped', 'gone', ARRAY['secret']);
SELECT pegs_fit('x', 'reshaped', columns => ARRAY['gone'], parents => '{}');
SELECT pegs_fit('x', 'reshaped', columns => ARRAY['........pg.dropped.1........'], parents => '{}');
-- and a row type with dropped columns as the target
SELECT pegs_set_budget('reshaped', 10);
SELECT pegs_fit('reshaped', 'reshaped', epsilon => 1);
SELECT count(*), bool_and(coalesce(d, 1) = 1) AS d_ok, bool_and(coalesce(a, 'x') IN ('x', 'y')) AS a_ok FROM pegs_sample_as(NULL::reshaped, 'reshaped', 30);

---- names that need quotes
CREATE TABLE "Große Tabelle's" ("Große Spalte" text CHECK ("Große Spalte" IN ('ä', 'ß''', '"', '\')), "it's" boolean, "say ""hi""" boolean,
	model boolean, "select" boolean, "a b" boolean, n int CHECK (n IN (1, 2)));
INSERT INTO "Große Tabelle's" VALUES ('ä', true, true, true, true, true, 1), ('ß''', NULL, NULL, NULL, NULL, NULL, NULL);
SELECT column_name, origin, levels FROM pegs_domain('"Große Tabelle''s"');
SELECT pegs_fit('Modell "ß''', '"Große Tabelle''s"', parents => '{"Große Spalte": ["it''s", "say \"hi\""], "model": ["select"]}');
SELECT pegs_row_type('Modell "ß''') AS row_type \gset
SELECT :'row_type';
-- the HINT is a command that can be copied
SELECT count(*) FROM pegs_sample('Modell "ß''', 5, epsilon => 1) AS t(:row_type);
SELECT pegs_set_budget('regress_edge."Große Tabelle''s"', epsilon => 3);
SELECT count(*) FROM pegs_sample('Modell "ß''', 5, epsilon => 1) AS t(:row_type);
SELECT count("Große Spalte") FROM pegs_sample('Modell "ß''', 5, epsilon => 1, given => '{"Große Spalte": "ß''", "say \"hi\"": true, "model": null}') AS t("Große Spalte" text);
SELECT pegs_release('R "ß''', 'Modell "ß''', 2, epsilon => 1);
SELECT pegs_view_sql('R "ß''', 'Sicht "ß''') \gexec
SELECT count(*) FROM "Sicht ""ß'";
DROP VIEW "Sicht ""ß'";
SELECT pegs_set_levels('"Große Tabelle''s"', 'große spalte', ARRAY['x']);
SELECT pegs_set_bins('"Große Tabelle''s"', 'n', ARRAY['2', '1']);
SELECT pegs_describe('Modell "ß''')->'spec'->'columns'->0->>'name' AS first_column;

---- NULL everywhere
CREATE TABLE nulls (a text CHECK (a IN ('x', 'y')), b int);
INSERT INTO nulls SELECT NULL, NULL FROM generate_series(1, 3);
SELECT pegs_set_bins('nulls', 'b', ARRAY['0', '10']);
SELECT pegs_fit('nulls', 'nulls', parents => '{"b": ["a"]}');
SELECT pegs_set_budget('nulls', 1000);
-- with so much epsilon the row is NULL, NULL up to one chance in 50,000
SELECT a IS NULL AND b IS NULL AS all_null FROM pegs_sample('nulls', 1, epsilon => 500) AS t(a text, b int);
-- a NULL in a column that is NOT NULL in the declaration cannot be: the catalog says so
CREATE TABLE not_null (a text NOT NULL CHECK (a IN ('x', 'y')));
SELECT levels FROM pegs_domain('not_null');
CREATE DOMAIN filled AS text NOT NULL CHECK (VALUE IN ('x', 'y'));
CREATE TABLE not_null_domain (a filled);
SELECT levels FROM pegs_domain('not_null_domain');

---- 500 levels, long labels that differ in the middle only, labels that look like others
CREATE TABLE wide (x int NOT NULL, long text NOT NULL);
INSERT INTO wide SELECT i, 'the same beginning' || i % 3 || 'the same end' FROM generate_series(1, 500) AS i;
SELECT pegs_set_levels('wide', 'x', ARRAY(SELECT i::text FROM generate_series(1, 500) AS i));
SELECT pegs_set_levels('wide', 'long', ARRAY['the same beginning0the same end', 'the same beginning1the same end', 'the same beginning2the same end', '', 'the', ' ']);
SELECT cardinality(levels) FROM pegs_domain('wide');
SELECT pegs_fit('wide', 'wide', parents => '{"x": ["long"]}');
SELECT pegs_set_budget('wide', 1000);
SELECT count(*), bool_and(x BETWEEN 1 AND 500) FROM pegs_sample('wide', 100, epsilon => 100) AS t(x int);
SELECT sum((x % 3 = substr(long, 19, 1)::int)::int) >= 15 AS together FROM pegs_sample('wide', 20, epsilon => 500, given => '{"long": "the same beginning1the same end"}') AS t(x int, long text);

---- padding of char(n)
CREATE TABLE padded (c char(5) NOT NULL CHECK (c IN ('ab', 'b')), v varchar(4) NOT NULL);
INSERT INTO padded VALUES ('ab', 'x '), ('ab   ', 'x'), ('b', 'x');
SELECT pegs_set_levels('padded', 'v', ARRAY['x', 'x ']);
SELECT column_name, type, levels FROM pegs_domain('padded');
SELECT pegs_fit('padded', 'padded', parents => '{}');
SELECT pegs_set_budget('padded', 100);
SELECT bool_and(octet_length(c) = 5 AND c IN ('ab', 'b')) AS char5, bool_and(octet_length(v) <= 2) FROM pegs_sample('padded', 20, epsilon => 10) AS t(c char(5), v varchar(4));
SELECT pegs_set_levels('padded', 'c', ARRAY['ab', 'ab   ']);
SELECT count(*) FROM pegs_sample('padded', 1, epsilon => 1, given => '{"c": "ab "}') AS t(c char(5));

---- long values, stored out of line
CREATE TABLE toasted (t text NOT NULL, u text NOT NULL);
ALTER TABLE toasted ALTER COLUMN t SET STORAGE EXTERNAL;
INSERT INTO toasted VALUES (repeat('x', 1000000), repeat('y', 1000000)), ('short', 'short'), (repeat('z', 2000), repeat('z', 2000));
SELECT pegs_set_levels('toasted', 't', ARRAY['short'], other => 'long');
SELECT pegs_set_levels('toasted', 'u', ARRAY['short'], other => 'long');
CREATE TABLE untoasted (t text NOT NULL CHECK (t IN ('short', 'long')), u text NOT NULL CHECK (u IN ('short', 'long')));
INSERT INTO untoasted VALUES ('long', 'long'), ('long', 'long'), ('short', 'short');
SELECT pegs_set_levels('untoasted', 't', ARRAY['short', 'long'], other => 'long');
SELECT pegs_set_levels('untoasted', 'u', ARRAY['short', 'long'], other => 'long');
SELECT pegs_fit('untoasted', 'untoasted', parents => '{}');
SELECT fits_like('untoasted', 'toasted') AS right_counts;

---- a nondeterministic collation: levels are bytes
DO $$ BEGIN
	IF EXISTS (SELECT FROM pg_collation WHERE collprovider = 'i') THEN
		CREATE COLLATION folded (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
	ELSE
		CREATE COLLATION folded FROM "C";
	END IF;
END $$;
CREATE TABLE collated (a text COLLATE folded NOT NULL);
INSERT INTO collated VALUES ('a'), ('A');
SELECT pegs_set_levels('collated', 'a', ARRAY['a']);
SELECT pegs_fit('x', 'collated', parents => '{}');
SELECT pegs_set_levels('collated', 'a', ARRAY['a', 'A']);
SELECT pegs_fit('collated', 'collated', parents => '{}');

---- partitions: one account, at the top
CREATE TABLE parted (a text NOT NULL CHECK (a IN ('x', 'y')), b boolean NOT NULL) PARTITION BY LIST (a);
CREATE TABLE parted_x PARTITION OF parted FOR VALUES IN ('x');
CREATE TABLE parted_y (b boolean NOT NULL, dropped int, a text NOT NULL);
ALTER TABLE parted_y DROP COLUMN dropped;
ALTER TABLE parted_y ADD CONSTRAINT parted_a_check CHECK (a IN ('x', 'y'));
ALTER TABLE parted ATTACH PARTITION parted_y FOR VALUES IN ('y');
INSERT INTO parted VALUES ('x', true), ('x', false), ('y', true);
CREATE TABLE unparted (LIKE parted INCLUDING ALL);
INSERT INTO unparted SELECT * FROM parted;
SELECT pegs_fit('unparted', 'unparted', parents => '{}');
SELECT fits_like('unparted', 'parted') AS right_counts;
SELECT column_name, origin, levels FROM pegs_domain('parted_y');
SELECT pegs_set_budget('parted_x', 1);
SELECT source, epsilon, spent FROM pegs_budgets WHERE source IN ('parted'::regclass, 'parted_x'::regclass);
SELECT pegs_fit('of a partition', 'parted_y', parents => '{}');
SELECT count(*) FROM pegs_sample('of a partition', 1, epsilon => 0.25) AS t(b boolean);
SELECT pegs_fit('of all', 'parted', epsilon => 0.5);
SELECT source, epsilon, spent FROM pegs_budgets WHERE source IN ('parted'::regclass, 'parted_y'::regclass);
SELECT pegs_fit('too much', 'parted_x', epsilon => 0.5);

---- inheritance: the parent's account; several parents are refused
CREATE TABLE parent (a boolean NOT NULL);
CREATE TABLE child (b boolean) INHERITS (parent);
CREATE TABLE grandchild () INHERITS (child);
INSERT INTO parent VALUES (true);
INSERT INTO child VALUES (true, NULL), (false, true);
INSERT INTO grandchild VALUES (true, true);
SELECT pegs_set_budget('grandchild', 1);
SELECT source FROM pegs_budgets WHERE source IN ('parent'::regclass, 'child'::regclass, 'grandchild'::regclass);
CREATE TABLE orphan (a boolean NOT NULL);
INSERT INTO orphan SELECT a FROM parent;
SELECT pegs_fit('orphan', 'orphan', parents => '{}');
SELECT fits_like('orphan', 'parent') AS right_counts;
CREATE TABLE other_parent (c boolean);
CREATE TABLE two_parents () INHERITS (parent, other_parent);
SELECT pegs_fit('x', 'two_parents', parents => '{}');
SELECT pegs_set_budget('two_parents', 1);
-- nor can its parents be read: its rows would belong to two accounts
SELECT pegs_fit('x', 'parent', parents => '{}');
SELECT pegs_fit('x', 'grandchild', parents => '{}');

---- simple views: the account of the table below
CREATE TABLE base (id int PRIMARY KEY, a text NOT NULL CHECK (a IN ('x', 'y')), b int, "when" date);
INSERT INTO base SELECT i, CASE WHEN i % 2 = 0 THEN 'x' ELSE 'y' END, i, '2020-01-01'::date + i FROM generate_series(1, 9) AS i;
SELECT pegs_set_bins('base', 'b', ARRAY['0', '5', '10']);
CREATE VIEW simple AS SELECT b, a AS renamed, upper(a) || '!' AS computed, (b > 5)::boolean AS above FROM base WHERE id <> 7 AND "when" > '2020-01-02';
CREATE VIEW of_a_view AS SELECT renamed AS again, b FROM simple WHERE above;
CREATE MATERIALIZED VIEW stored AS SELECT a, b FROM base WHERE b > 2;
CREATE VIEW of_a_matview AS SELECT a FROM stored ORDER BY a;
CREATE VIEW guarded WITH (security_barrier) AS SELECT a FROM base WHERE b > 2 WITH CHECK OPTION;
CREATE VIEW of_a_partition AS SELECT b FROM parted_x;
SELECT column_name, type, origin, levels, problem FROM pegs_domain('simple');
SELECT pegs_set_levels('simple', 'computed', ARRAY['X!', 'Y!']);
SELECT column_name, origin, levels FROM pegs_domain('of_a_view');
SELECT column_name, origin, levels FROM pegs_domain('of_a_matview');
CREATE TABLE simple_rows (b int CHECK (b IN (1)), renamed text NOT NULL CHECK (renamed IN ('x', 'y')), computed text CHECK (computed IN ('X!', 'Y!')), above boolean);
SELECT pegs_set_bins('simple_rows', 'b', ARRAY['0', '5', '10']);
ALTER TABLE simple_rows DROP CONSTRAINT simple_rows_b_check;
INSERT INTO simple_rows SELECT * FROM simple;
SELECT pegs_fit('simple rows', 'simple_rows', parents => '{}');
SELECT fits_like('simple rows', 'simple') AS right_counts;
SELECT pegs_set_budget('of_a_matview', 4);
SELECT source, epsilon, spent FROM pegs_budgets WHERE source::text ~ '^(base|simple|stored|of_|guarded)';
SELECT pegs_fit('view', 'simple', epsilon => 0.5);
SELECT pegs_fit('view of view', 'of_a_view', epsilon => 0.5);
SELECT pegs_fit('matview', 'stored', epsilon => 0.5);
SELECT pegs_fit('guarded', 'guarded', epsilon => 0.5);
SELECT pegs_fit('table', 'base', columns => ARRAY['a', 'b'], epsilon => 0.5);
SELECT source, epsilon, spent FROM pegs_budgets WHERE source::text ~ '^(base|simple|stored|of_|guarded)';
SELECT pegs_fit('view of a partition', 'of_a_partition', parents => '{}');
SELECT source FROM pegs_models WHERE name = 'view of a partition';
SELECT count(*) FROM pegs_sample('view of a partition', 1, epsilon => 0.25) AS t(b boolean);
SELECT source, spent FROM pegs_budgets WHERE source = 'parted'::regclass;

---- views that are not simple: the message names the construct
CREATE FUNCTION mine(int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT $1 + 1';
CREATE FUNCTION equals(int, int) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN $1 = $2; END';
CREATE OPERATOR ==== (LEFTARG = int, RIGHTARG = int, FUNCTION = equals);
CREATE AGGREGATE own_sum (int) (SFUNC = int4pl, STYPE = int);
CREATE DOMAIN small AS int CHECK (mine(VALUE) < 100);
CREATE TABLE refused (number int, construct text, definition text);
INSERT INTO refused VALUES
	(1, 'join', 'SELECT x.a FROM base x JOIN base y USING (id)'),
	(2, 'join by comma', 'SELECT x.a FROM base x, base y'),
	(3, 'outer join', 'SELECT x.a FROM base x LEFT JOIN parent y ON x.b > 0'),
	(4, 'UNION ALL', 'SELECT a FROM base UNION ALL SELECT a FROM base'),
	(5, 'EXCEPT', 'SELECT a FROM base EXCEPT SELECT a FROM base'),
	(6, 'DISTINCT', 'SELECT DISTINCT a FROM base'),
	(7, 'DISTINCT ON', 'SELECT DISTINCT ON (a) a, b FROM base ORDER BY a, b'),
	(8, 'GROUP BY', 'SELECT a FROM base GROUP BY a'),
	(9, 'aggregate', 'SELECT max(a) AS a FROM base'),
	(10, 'HAVING', 'SELECT 1 AS a FROM base HAVING true'),
	(11, 'LIMIT', 'SELECT a FROM base LIMIT 5'),
	(12, 'OFFSET', 'SELECT a FROM base OFFSET 5'),
	(13, 'window', 'SELECT row_number() OVER () AS a FROM base'),
	(14, 'SRF in the select list', 'SELECT generate_series(1, b) AS a FROM base'),
	(15, 'SRF in FROM', 'SELECT a FROM generate_series(1, 10) AS a'),
	(16, 'SRF next to the table', 'SELECT a FROM base, generate_series(1, b)'),
	(17, 'subquery in WHERE', 'SELECT a FROM base WHERE b = (SELECT max(b) FROM base)'),
	(18, 'EXISTS', 'SELECT a FROM base WHERE EXISTS (SELECT FROM parent)'),
	(19, 'subquery in the select list', 'SELECT (SELECT count(*) FROM base) AS a FROM base'),
	(20, 'subquery in FROM', 'SELECT a FROM (SELECT a FROM base) AS s'),
	(21, 'WITH', 'WITH w AS (SELECT a FROM base) SELECT a FROM w'),
	(22, 'VALUES', 'SELECT a FROM (VALUES (1)) AS v(a)'),
	(23, 'no table', 'SELECT 1 AS a'),
	(24, 'TABLESAMPLE', 'SELECT a FROM base TABLESAMPLE SYSTEM (50)'),
	(25, 'FOR UPDATE', 'SELECT a FROM base FOR UPDATE'),
	(26, 'volatile function', 'SELECT a FROM base WHERE random() < 0.5'),
	(27, 'stable function', 'SELECT a FROM base WHERE "when" < now()'),
	(28, 'function of a user', 'SELECT mine(b) AS a FROM base'),
	(29, 'operator of a user', 'SELECT a FROM base WHERE b OPERATOR(regress_edge.====) 3'),
	(30, 'aggregate of a user', 'SELECT own_sum(b) AS a FROM base'),
	(31, 'cast to a domain', 'SELECT b::small AS a FROM base'),
	(32, 'system table', 'SELECT relname::text AS a FROM pg_class'),
	(33, 'GROUPING SETS', 'SELECT a FROM base GROUP BY GROUPING SETS ((a), ())'),
	(34, 'LATERAL', 'SELECT x.a FROM base x, LATERAL (SELECT x.b) AS y'),
	(35, 'current_user', 'SELECT a FROM base WHERE a = current_user'),
	(36, 'time zone of the session', 'SELECT a FROM base WHERE "when"::timestamptz > ''2020-01-01 00:00 UTC''');
CREATE FUNCTION refusal(definition text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	message text;
	hint text;
BEGIN
	EXECUTE 'CREATE VIEW regress_edge.odd AS ' || definition;
	PERFORM pegs_fit('x', 'odd', parents => '{}');
	RETURN 'ACCEPTED';
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS message = MESSAGE_TEXT, hint = PG_EXCEPTION_HINT;
	RETURN SQLSTATE || ' ' || message || CASE WHEN hint = '' THEN ' (no hint)' ELSE '' END;
END $$;
SELECT number, construct, refusal(definition) FROM refused ORDER BY number;
CREATE VIEW odd AS SELECT a FROM base LIMIT 1;
SELECT pegs_fit('x', 'odd', parents => '{}');
CREATE VIEW of_an_odd_view AS SELECT a FROM odd;
SELECT pegs_fit('x', 'of_an_odd_view', parents => '{}');
SELECT pegs_set_budget('odd', 1);
SELECT * FROM pegs_domain('odd');

---- things that are not tables
CREATE TEMP TABLE temporary (a boolean);
SELECT pegs_fit('x', 'temporary', parents => '{}');
CREATE TEMP VIEW temporary_view AS SELECT a FROM base;
SELECT pegs_fit('x', 'temporary_view', parents => '{}');
SELECT pegs_fit('x', 'pg_class', parents => '{}');
SELECT pegs_fit('x', 'pg_catalog.pg_tables', parents => '{}');
SELECT pegs_fit('x', 'information_schema.tables', parents => '{}');
SELECT pegs_fit('x', 'base_pkey', parents => '{}');
CREATE SEQUENCE seq;
SELECT pegs_fit('x', 'seq', parents => '{}');
CREATE TYPE pair AS (a int, b int);
SELECT pegs_fit('x', 'pair', parents => '{}');
SELECT pegs_fit('x', 'no_such_table', parents => '{}');
SELECT pegs_fit('x', 0, parents => '{}');
CREATE UNLOGGED TABLE unlogged (a boolean NOT NULL);
INSERT INTO unlogged SELECT a FROM parent;
SELECT fits_like('orphan', 'unlogged') AS right_counts;

---- a foreign table is its own account
DO $$ BEGIN
	IF EXISTS (SELECT FROM pg_available_extensions WHERE name = 'file_fdw') THEN
		CREATE EXTENSION file_fdw;
		CREATE SERVER files FOREIGN DATA WRAPPER file_fdw;
		CREATE FOREIGN TABLE foreign_rows (a text NOT NULL CHECK (a IN ('x', 'y')), b boolean NOT NULL) SERVER files
			OPTIONS (program 'printf ''x,t\nx,f\ny,t\n''', format 'csv');
	ELSE
		CREATE TABLE foreign_rows (a text NOT NULL CHECK (a IN ('x', 'y')), b boolean NOT NULL);
		INSERT INTO foreign_rows VALUES ('x', true), ('x', false), ('y', true);
	END IF;
END $$;
SELECT column_name, origin, levels FROM pegs_domain('foreign_rows');
SELECT fits_like('unparted', 'foreign_rows') AS right_counts;
SELECT pegs_set_budget('foreign_rows', 1);
SELECT source FROM pegs_budgets WHERE source = 'foreign_rows'::regclass;

---- ALTER TABLE after the fit: sampling does not change, a new fit sees the new shape
CREATE TABLE alters (a text NOT NULL CHECK (a IN ('x', 'y')), b boolean NOT NULL, c smallint NOT NULL CHECK (c IN (1, 2)));
SELECT pegs_set_budget('alters', 10);
SELECT pegs_fit('before', 'alters', epsilon => 1);
SELECT pegs_fit('before, sealed', 'alters', parents => '{"a": ["b"]}');
ALTER TABLE alters DROP COLUMN b, ADD COLUMN d boolean;
ALTER TABLE alters ALTER COLUMN c TYPE int;
ALTER TABLE alters RENAME COLUMN a TO a2;
SELECT pegs_row_type('before');
SELECT count(b) FROM pegs_sample('before', 5) AS t(a text, b boolean, c smallint);
SELECT count(b) FROM pegs_sample('before, sealed', 5, epsilon => 1) AS t(a text, b boolean, c smallint);
SELECT pegs_sample_as.* FROM pegs_sample_as(NULL::alters, 'before', 1);
ALTER TABLE alters DROP COLUMN c;
SELECT pegs_sample_as.* FROM pegs_sample_as(NULL::alters, 'before', 1);
SELECT pegs_fit('after', 'alters', epsilon => 1);
SELECT pegs_row_type('after');
-- an enum that got one more label, a declaration that changed: models keep theirs
CREATE TYPE mood AS ENUM ('sad', 'ok');
CREATE TABLE moods (m mood NOT NULL);
SELECT pegs_set_budget('moods', 10);
SELECT pegs_fit('moods', 'moods', epsilon => 1);
ALTER TYPE mood ADD VALUE 'happy' BEFORE 'ok';
SELECT count(*), bool_and(m IN ('sad', 'ok')) FROM pegs_sample('moods', 20) AS t(m mood);
SELECT levels FROM pegs_domain('moods');

---- the account stays with the table, whatever it is called
CREATE TABLE moving (a boolean NOT NULL);
SELECT pegs_set_budget('moving', 10);
SELECT pegs_fit('moving', 'moving', parents => '{}');
SELECT count(*) FROM pegs_sample('moving', 1, epsilon => 1) AS t(a boolean);
CREATE SCHEMA regress_edge_2;
ALTER TABLE moving RENAME TO moved;
ALTER TABLE moved SET SCHEMA regress_edge_2;
SELECT count(*) FROM pegs_sample('moving', 1, epsilon => 1) AS t(a boolean);
SELECT pegs_fit('moved', 'regress_edge_2.moved', epsilon => 1);
SELECT source, spent FROM pegs_budgets WHERE source = 'regress_edge_2.moved'::regclass;
-- dropped: the model is the superuser's, a perturbed one still gives rows, a charge says which table is meant
CREATE TABLE doomed (a boolean NOT NULL);
SELECT pegs_fit('doomed', 'doomed', parents => '{}');
DROP TABLE doomed;
SELECT count(*) FROM pegs_sample('doomed', 1, epsilon => 1) AS t(a boolean);
DROP TABLE regress_edge_2.moved;
SELECT count(*) FROM pegs_sample('moved', 1) AS t(a boolean);
SELECT name FROM pegs_models WHERE name IN ('moved', 'doomed') ORDER BY name;
SELECT pegs_drop(name) FROM pegs_models WHERE name IN ('moved', 'doomed', 'moving') ORDER BY name;

---- a domain that is too large to count
CREATE TABLE large (a int NOT NULL, b int NOT NULL, c boolean NOT NULL);
SELECT pegs_set_levels('large', col, ARRAY(SELECT i::text FROM generate_series(1, 9000) AS i)) FROM unnest(ARRAY['a', 'b']::name[]) AS col;
SELECT pegs_set_budget('large', 10);
SELECT pegs_fit('large', 'large', epsilon => 1);
SELECT pegs_fit('large', 'large', parents => '{"a": ["b"]}');
SELECT length(pegs_spec('large')) > 0;
SELECT spent FROM pegs_budgets WHERE source = 'large'::regclass;
SELECT pegs_fit('large', 'large', parents => '{"c": ["b"]}');

---- another schema for the extension
CREATE DATABASE regress_pegs_elsewhere;
\c regress_pegs_elsewhere
SET client_min_messages = warning;
CREATE SCHEMA "Other Schema";
CREATE EXTENSION pegs SCHEMA "Other Schema";
CREATE TABLE t (a boolean NOT NULL);
SELECT "Other Schema".pegs_set_budget('t', 1);
SELECT "Other Schema".pegs_fit('m', 't', epsilon => 1);
SELECT count(a) FROM "Other Schema".pegs_sample('m', 3) AS t(a boolean);
SELECT count(a) FROM "Other Schema".pegs_sample_as(NULL::t, 'm', 3);
SELECT "Other Schema".pegs_view_sql('m', 'v') AS sql \gset
:sql
SELECT count(*) >= 0 FROM v;
ALTER EXTENSION pegs SET SCHEMA public;
-- a schema by the name of ours is not adopted
DROP EXTENSION pegs CASCADE;
DROP SCHEMA IF EXISTS pegs_internal CASCADE;
CREATE SCHEMA pegs_internal;
-- PostgreSQL 18 says where in the script, older ones do not
\set SHOW_CONTEXT never
CREATE EXTENSION pegs;
\set SHOW_CONTEXT errors
\c contrib_regression
DROP DATABASE regress_pegs_elsewhere;

SET client_min_messages = warning;
SELECT count(pegs_drop(name)) > 0 FROM pegs_models;
SELECT count(pegs_drop(name)) > 0 FROM pegs_releases;
DROP EXTENSION IF EXISTS file_fdw CASCADE;
DROP SCHEMA regress_edge, regress_edge_2 CASCADE;
