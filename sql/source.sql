-- source: tables and views of every kind and shape. The same counts however the rows are kept, and one account a base table; or a clean error.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS pegs;
CREATE SCHEMA regress_source;
SET search_path = regress_source, public;

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

---- dropped and generated columns
CREATE TABLE reshaped (gone text, a text CHECK (a IN ('x', 'y')), gone_too int, e int CHECK (e IN (1, 2)), d int GENERATED ALWAYS AS (length(a)) STORED);
INSERT INTO reshaped (gone, a, gone_too, e) VALUES ('secret', 'x', 1, 2), ('secret', 'y', 2, 1), (NULL, NULL, NULL, 1);
ALTER TABLE reshaped DROP COLUMN gone, DROP COLUMN gone_too;
SELECT pegs_set_levels('reshaped', 'd', ARRAY['1']);
SELECT column_name, type, origin, levels, problem FROM pegs_domain('reshaped');
CREATE TABLE shaped (a text CHECK (a IN ('x', 'y')), e int CHECK (e IN (1, 2)), d int GENERATED ALWAYS AS (length(a)) STORED);
INSERT INTO shaped (a, e) SELECT a, e FROM reshaped;
SELECT pegs_fit('shaped', 'shaped', parents => '{}');
SELECT fits_like('shaped', 'reshaped') AS right_counts;
SELECT pegs_set_levels('reshaped', 'gone', ARRAY['secret']);
SELECT pegs_fit('x', 'reshaped', columns => ARRAY['gone'], parents => '{}');
SELECT pegs_fit('x', 'reshaped', columns => ARRAY['........pg.dropped.1........'], parents => '{}');
-- and a row type with dropped columns as the target
SELECT pegs_set_budget('reshaped', 10);
SELECT pegs_fit('reshaped', 'reshaped', epsilon => 1);
SELECT count(*), bool_and(coalesce(d, 1) = 1) AS d_ok, bool_and(coalesce(a, 'x') IN ('x', 'y')) AS a_ok FROM pegs_sample_as(NULL::reshaped, 'reshaped', 30);

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
	(29, 'operator of a user', 'SELECT a FROM base WHERE b OPERATOR(regress_source.====) 3'),
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
	EXECUTE 'CREATE VIEW regress_source.odd AS ' || definition;
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

SET client_min_messages = warning;
SELECT count(pegs_drop(name)) > 0 FROM pegs_models;
DROP EXTENSION IF EXISTS file_fdw CASCADE;
DROP SCHEMA regress_source CASCADE;
