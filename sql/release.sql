-- release: charged once, the same rows for ever.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS pegs;
CREATE SCHEMA regress_release;
SET search_path = regress_release, public;
CREATE ROLE regress_release_analyst;
GRANT USAGE ON SCHEMA regress_release TO regress_release_analyst;

-- what is there before, and after
CREATE FUNCTION census() RETURNS bigint[] LANGUAGE sql AS $$ SELECT ARRAY[(SELECT count(*) FROM pegs_internal.model), (SELECT count(*) FROM pegs_internal.body), (SELECT count(*) FROM pegs_internal.release),
	(SELECT count(*) FROM pegs_internal.release_rows), (SELECT count(*) FROM pegs_internal.access), (SELECT count(*) FROM pg_class WHERE relnamespace = 'pegs_internal'::regnamespace AND relname LIKE 'cap\_%')] $$;
CREATE TABLE before AS SELECT census() AS n;

CREATE TABLE t (a text NOT NULL CHECK (a IN ('x', 'y', 'z')), b boolean, n numeric(6,2), d date);
INSERT INTO t SELECT (ARRAY['x', 'y', 'z'])[1 + i % 3], i % 2 = 0, i, '2024-01-01'::date + i FROM generate_series(1, 300) AS i;
SELECT pegs_set_bins('t', 'n', ARRAY['0', '100', '1000']), pegs_set_bins('t', 'd', ARRAY['2024-01-01', '2024-07-01', '2025-01-01']);
SELECT pegs_set_budget('t', 100);
SELECT pegs_fit('sealed', 't', parents => '{"a": ["b"]}');
SELECT pegs_fit('perturbed', 't', epsilon => 10);

---- made
SELECT pegs_release('of sealed', 'sealed', 500, epsilon => 1, block => 100);
SELECT pegs_release('of perturbed', 'perturbed', 500);
SELECT pegs_release('fresh', 'perturbed', 500, options => '{"fresh": true}');
SELECT pegs_release('given', 'sealed', 50, epsilon => 1, given => '{"a": "y", "n": null}');
SELECT pegs_release('given, perturbed', 'perturbed', 50, given => '{"a": "y"}');
SELECT pegs_release('large', 'sealed', 70000, epsilon => 1, block => 70000);
SELECT name, model, source, n, kind, epsilon, block, given FROM pegs_releases ORDER BY name;
SELECT spent FROM pegs_budgets WHERE source = 't'::regclass;

---- read: the same, values inside bins too, in any order of columns, as a row type
CREATE FUNCTION rows_of(release text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	rows text := '';
	r record;
BEGIN
	FOR r IN EXECUTE format('SELECT * FROM pegs_rows(%L) AS t(a text, b boolean, n numeric(6,2), d date)', release) LOOP rows := rows || r::text; END LOOP;
	RETURN md5(rows);
END $$;
CREATE TABLE kept AS SELECT name, n, rows_of(name) AS rows FROM pegs_releases WHERE source = 't'::regclass AND n <= 500;
SELECT name, rows = rows_of(name) AS same FROM kept ORDER BY name;
SELECT spent FROM pegs_budgets WHERE source = 't'::regclass;
SELECT k.rows = l.rows AS fresh_is_the_same FROM kept AS k, kept AS l WHERE k.name = 'of perturbed' AND l.name = 'fresh';
SELECT count(*), bool_and(a = 'y' AND n IS NULL) FROM pegs_rows('given') AS t(n numeric, a text);
SELECT count(*), bool_and(a = 'y') FROM pegs_rows('given, perturbed') AS t(a text);
SELECT count(*), count(DISTINCT a), bool_and(n BETWEEN 0 AND 1000) FROM pegs_rows('large') AS t(a text, n numeric(6,2));
SELECT (SELECT array_agg(r::text) FROM pegs_rows_as(NULL::t, 'of sealed') AS r) = (SELECT array_agg(r::text) FROM pegs_rows('of sealed') AS r(a text, b boolean, n numeric(6,2), d date)) AS same_as_by_name;
SELECT (SELECT array_agg(a) FROM pegs_rows('of sealed') AS r(a text)) = (SELECT array_agg(a) FROM pegs_rows('of sealed') AS r(n numeric, d date, a text)) AS same_whatever_else_is_read;
-- a column's values inside its bins do not depend on which other columns are read, either
SELECT (SELECT array_agg(n) FROM pegs_rows('of sealed') AS r(n numeric)) = (SELECT array_agg(n) FROM pegs_rows('of sealed') AS r(d date, a text, n numeric)) AS same_whatever_else_is_read;
SELECT count(*), bool_and(coalesce(d >= '2024-01-01' AND d <= '2025-01-01', true)) FROM pegs_rows('of perturbed') AS r(d date);
SELECT count(*) FROM pegs_rows('of sealed') AS r(e text);
SELECT count(*) FROM pegs_rows('of sealed') AS r(a int);
SELECT count(*) FROM pegs_rows('of sealed');
SELECT pegs_rows('of sealed');
SELECT pegs_rows_as(NULL::t, 'nothing');
SELECT count(*) FROM pegs_rows_as(NULL::int, 'of sealed');
SELECT count(*) FROM pegs_rows(NULL) AS r(a text);
SELECT count(*) FROM pegs_rows('') AS r(a text);
SELECT count(*) FROM pegs_rows('no such release') AS r(a text);
SELECT count(*) FROM pegs_rows('sealed') AS r(a text);
SELECT count(*) FROM pegs_sample('of sealed', 1, epsilon => 1) AS r(a text);
SELECT pegs_row_type('of sealed');
SELECT pegs_describe('of sealed') @> '{"object": "release", "kind": "sealed"}' AS described, pegs_describe('of perturbed') @> '{"object": "release", "kind": "perturbed"}' AS described;

---- read-only, and by another role
BEGIN READ ONLY;
SELECT name, rows = rows_of(name) AS same FROM kept ORDER BY name;
COMMIT;
BEGIN ISOLATION LEVEL SERIALIZABLE READ ONLY;
SELECT count(*) FROM pegs_rows('of sealed') AS r(a text);
COMMIT;
SELECT pegs_grant('of sealed', 'regress_release_analyst'), pegs_grant('sealed', 'regress_release_analyst', epsilon => 1);
GRANT SELECT ON kept TO regress_release_analyst;
SET ROLE regress_release_analyst;
SELECT rows = rows_of(name) AS same FROM kept WHERE name = 'of sealed';
SELECT count(*) FROM pegs_rows('of perturbed') AS r(a text);
SELECT name FROM pegs_releases;
RESET ROLE;
-- within one's own transaction
BEGIN;
SELECT pegs_release('inside', 'sealed', 5, epsilon => 1);
SELECT count(*) FROM pegs_rows('inside') AS r(a text);
COMMIT;
SELECT count(*) FROM pegs_rows('inside') AS r(a text);

---- a release that is rolled back keeps its charge
BEGIN;
SELECT pegs_release('gone', 'sealed', 5, epsilon => 1);
ROLLBACK;
SELECT count(*) FROM pegs_rows('gone') AS r(a text);
SELECT spent FROM pegs_budgets WHERE source = 't'::regclass;
BEGIN;
SAVEPOINT s;
SELECT pegs_release('gone', 'perturbed', 5);
ROLLBACK TO s;
SELECT pegs_release('not gone', 'perturbed', 5);
COMMIT;
SELECT count(*) FROM pegs_rows('gone') AS r(a text);
SELECT count(*) FROM pegs_rows('not gone') AS r(a text);

---- arguments (those that are refused alone: test/pgtap/arguments.sql)
SELECT pegs_release('r', 'sealed', 5, epsilon => 1000);
BEGIN READ ONLY;
SELECT pegs_release('r', 'sealed', 5, epsilon => 1);
ROLLBACK;
BEGIN READ ONLY;
SELECT pegs_release('r', 'perturbed', 5);
ROLLBACK;
-- models and releases share their names
SELECT pegs_fit('of perturbed', 't', epsilon => 1);
SELECT spent FROM pegs_budgets WHERE source = 't'::regclass;

---- views
SELECT pegs_view_sql('of sealed', 'public_rows') \gexec
SELECT count(*), count(a) FROM public_rows;
SET ROLE regress_release_analyst;
SELECT count(*), count(a) FROM public_rows;
RESET ROLE;
SELECT string_agg(s, ' ') LIKE 'CREATE VIEW "as many as there are" AS%pegs_sample(''perturbed''::text, %::bigint, %GRANT SELECT%pegs_grant(''perturbed''::text, ''public''::name, %' AS of_a_model FROM pegs_view_sql('perturbed', 'as many as there are') AS s;
SELECT string_agg(s, ' ') AS statements FROM pegs_view_sql('perturbed', 'as many as there are') AS s \gset
:statements
SET ROLE regress_release_analyst;
SELECT count(*) > 0 AS rows, count(*) = count(a) AS filled FROM "as many as there are";
RESET ROLE;
SELECT (SELECT md5(array_agg(v::text)::text) FROM "as many as there are" AS v) = (SELECT md5(array_agg(v::text)::text) FROM "as many as there are" AS v) AS stable;
SELECT pegs_view_sql('sealed', 'v');
SELECT pegs_view_sql('no such model', 'v');
SELECT pegs_view_sql(NULL, 'v');
SELECT pegs_view_sql('of sealed', NULL);

---- after drop and refit, and after the source is gone
SELECT pegs_drop('sealed'), pegs_drop('perturbed');
SELECT name, rows = rows_of(name) AS same FROM kept ORDER BY name;
SELECT count(*) FROM pegs_sample('perturbed', 1) AS r(a text);
SELECT name, model, kind FROM pegs_releases ORDER BY name;
SELECT pegs_set_levels('t', 'a', ARRAY['z', 'y', 'x', 'w']);
SELECT pegs_fit('sealed', 't', columns => ARRAY['b', 'a'], parents => '{}'), pegs_fit('perturbed', 't', columns => ARRAY['b', 'a'], epsilon => 1);
SELECT name, rows = rows_of(name) AS same FROM kept ORDER BY name;
SELECT pegs_row_type('of sealed'), pegs_row_type('sealed');
SELECT pegs_describe('of perturbed')->>'kind' AS kind;
SELECT count(*) = 500 AS public_rows FROM public_rows;
DROP TABLE t;
SELECT name, rows = rows_of(name) AS same FROM kept ORDER BY name;
-- exact counts do not outlive their model; public numbers live as long as a release needs them
SELECT count(*) FROM pegs_internal.body AS b JOIN pegs_internal.model AS m ON m.id = b.model WHERE m.name IS NULL AND m.sealed;
SELECT pegs_drop('of sealed');
SELECT count(*) FROM pegs_rows('of sealed') AS r(a text);
SELECT count(*) FROM public_rows;
SELECT count(pegs_drop(name)) FROM pegs_releases WHERE source::oid NOT IN (SELECT oid FROM pg_class);
SELECT count(pegs_drop(name)) FROM pegs_models WHERE source::oid NOT IN (SELECT oid FROM pg_class);
-- nothing is left behind
SELECT n = census() AS as_before FROM before;

DROP SCHEMA regress_release CASCADE;
DROP ROLE regress_release_analyst;
