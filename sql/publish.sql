-- publish: the statements that make a view of a release or perturbed model; what an analyst is told of its columns and pairs.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS pegs;
CREATE SCHEMA regress_publish;
SET search_path = regress_publish, public;
CREATE ROLE "regress publish's ""Reader""";
CREATE ROLE regress_publish_other;
GRANT USAGE ON SCHEMA regress_publish TO PUBLIC;
CREATE TABLE t (a text NOT NULL CHECK (a IN ('x', 'y', 'z')), "b's" boolean, n numeric(6,2));
INSERT INTO t SELECT (ARRAY['x', 'y', 'z'])[1 + i % 3], i % 2 = 0, i FROM generate_series(1, 300) AS i;
SELECT pegs_set_bins('t', 'n', ARRAY['0', '100', '1000']);
SELECT pegs_set_budget('t', 100, delta => 1e-6);
SELECT pegs_fit('gauss''s', 't', epsilon => 2, delta => 1e-9), pegs_fit('sealed', 't', parents => '{}');
SELECT pegs_release('few', 'gauss''s', 20000), pegs_release('many', 'gauss''s', 20001), pegs_release('paid', 'sealed', 10, epsilon => 0.5, block => 10);

---- what they are: a statement a row, so that \gexec runs them
SELECT pegs_view_sql('few', 'v');
-- what was charged for a sealed release, of which delta is none
SELECT * FROM pegs_view_sql('paid', 'v') AS s WHERE s ~ '^COMMENT ON VIEW';
SELECT count(*), count(*) FILTER (WHERE s ~ '\n') AS of_several_lines, count(*) FILTER (WHERE s !~ '^[^;]*;$') AS not_one_statement FROM unnest(ARRAY['few', 'many', 'paid', 'gauss''s']) AS name, pegs_view_sql(name, 'v') AS s;
-- above 20,000 rows a plain view would draw them all at each read
SELECT name, kind, s FROM unnest(ARRAY['few', 'many', 'paid']) AS name, unnest(ARRAY[NULL, 'view', 'MATERIALIZED view']) AS kind, pegs_view_sql(name, 'v', kind => kind) AS s WHERE s ~ '^CREATE' ORDER BY 1, 2;
SELECT name, count(*) FROM unnest(ARRAY['gauss''s', 'few']) AS name, pegs_view_sql(name, 'v', kind => 'materialized view') AS s WHERE s ~ 'REFRESH' GROUP BY name ORDER BY name;

---- run: a role that must be quoted, alone
SELECT pegs_view_sql('many', 'regress_publish."Many Rows"', role => 'regress publish''s "Reader"') \gexec
SELECT obj_description(oid, 'pg_class') FROM pg_class WHERE relname = 'Many Rows';
SELECT attname, col_description(attrelid, attnum) FROM pg_attribute WHERE attrelid = '"Many Rows"'::regclass AND attnum > 0 ORDER BY attnum;
SET ROLE "regress publish's ""Reader""";
SELECT count(*) FROM "Many Rows";
-- the certificate that the comment speaks of, as it is printed there
SELECT pegs_certificate('many') ->> 'name' AS name;
SET ROLE regress_publish_other;
SELECT count(*) FROM "Many Rows";
SELECT pegs_certificate('many');
RESET ROLE;
CREATE TABLE before AS SELECT md5(string_agg(v::text, ',')) AS rows FROM "Many Rows" AS v;
REFRESH MATERIALIZED VIEW "Many Rows";
SELECT rows = (SELECT md5(string_agg(v::text, ',')) FROM "Many Rows" AS v) AS the_same_rows FROM before;
SELECT string_agg(s, ' ') AS statements FROM pegs_view_sql('gauss''s', 'of the model', kind => 'materialized view') AS s \gset
:statements
TRUNCATE before;
INSERT INTO before SELECT md5(string_agg(v::text, ',')) AS rows FROM "of the model" AS v;
REFRESH MATERIALIZED VIEW "of the model";
SELECT rows = (SELECT md5(string_agg(v::text, ',')) FROM "of the model" AS v) AS the_same_rows FROM before;
SET ROLE regress_publish_other;
SELECT count(*) > 0 AS everybody FROM "of the model";
RESET ROLE;
-- a table that grows: the view is of the last fit, and has its number of rows
CREATE TABLE growing (a text NOT NULL CHECK (a IN ('x', 'y', 'z')));
INSERT INTO growing SELECT (ARRAY['x', 'y', 'z'])[1 + i % 3] FROM generate_series(1, 300) AS i;
SELECT pegs_set_budget('growing', 100);
SELECT pegs_fit('growing', 'growing', epsilon => 10);
SELECT pegs_view_sql('growing', 'grown') \gexec
SELECT count(*) BETWEEN 200 AND 400 AS of_the_first FROM grown;
INSERT INTO growing SELECT 'x' FROM generate_series(1, 700) AS i;
SELECT pegs_refit('growing');
SELECT count(*) BETWEEN 900 AND 1100 AS of_the_second, count(*) = (pegs_describe('growing') ->> 'rows')::bigint AS as_many FROM grown;
-- what has the name already is not granted, be it the table itself
SELECT pegs_view_sql('growing', 'growing');
SELECT pegs_view_sql('growing', 'regress_publish.growing');
SELECT pegs_view_sql('growing', 'grown');
SELECT pegs_view_sql('growing', 'of the model');
-- where no view is made nothing is granted
SELECT pegs_fit('unseen', 'growing', epsilon => 1);
CREATE TYPE regress_publish.unmade AS ENUM ();
SELECT pegs_view_sql('unseen', 'regress_publish.unmade') \gexec
DROP TYPE regress_publish.unmade;
SET ROLE regress_publish_other;
SELECT count(*) FROM pegs_sample('unseen') AS s(a text);
RESET ROLE;

---- columns: as many levels as one wants to see
SELECT pegs_set_levels('t', 'a', levels => ARRAY['z', 'y', 'x', 'w', 'v', 'u'], other => 'u');
SELECT pegs_fit('columns', 't', epsilon => 2);
SELECT * FROM pegs_columns('columns');
SELECT column_name, levels, first_levels FROM pegs_columns('columns', 1);
SELECT column_name, cardinality(first_levels) + nullable::int = levels AS all_of_them, first_levels FROM pegs_columns('columns', first => NULL);
-- of a sealed model and of releases: declared facts, no more. A release has the domain of its own model
SELECT name, column_name, type, domain, levels, nullable, other FROM unnest(ARRAY['sealed', 'paid', 'few']) AS name, pegs_columns(name) WHERE column_name <> 'n' ORDER BY 1, 2;
SELECT string_agg(format('%I %s', column_name, type), ', ') = pegs_row_type('columns') AS as_the_row_type FROM pegs_columns('columns');
-- the hint says where the levels are
SELECT * FROM pegs_sample('columns', 3, given => '{"a": "not declared"}') AS t(n numeric);

---- pairs: what pegs_describe has, as a table. (Columns that are so alike are measured together at any luck)
CREATE TABLE alike (a text NOT NULL CHECK (a IN ('x', 'y', 'z')), b boolean NOT NULL, c text NOT NULL CHECK (c IN ('xt', 'xf', 'yt', 'yf', 'zt', 'zf')));
INSERT INTO alike SELECT a, b, a || left(b::text, 1) FROM (SELECT (ARRAY['x', 'y', 'z'])[1 + i % 3] AS a, i % 2 = 0 AS b FROM generate_series(1, 3000) AS i) AS s;
SELECT pegs_set_budget('alike', 100, delta => 1e-6);
SELECT pegs_fit('alike', 'alike', epsilon => 20, delta => 1e-9);
SELECT pegs_release('alike rows', 'alike', 7);
SELECT pg_typeof(columns) AS columns, pg_typeof(classes) AS classes, noise > 0 AS noise, in_tree IS NOT NULL AS in_tree FROM pegs_pairs('alike') GROUP BY 1, 2, 3, 4;
SELECT (SELECT jsonb_agg(jsonb_build_object('columns', columns, 'classes', classes, 'sigma', noise, 'in_tree', in_tree)) FROM pegs_pairs('alike'))
	= (SELECT jsonb_agg(p - 'cells' - 'measured') FROM jsonb_array_elements(pegs_describe('alike') -> 'pairs') AS p) AS as_described;
SELECT count(*) = (SELECT count(*) FROM pegs_pairs('alike')) AS of_a_release FROM pegs_pairs('alike rows');
-- a sealed model has measured none, and nothing else is told of it
SELECT name, count(p) FROM unnest(ARRAY['sealed', 'paid']) AS name LEFT JOIN pegs_pairs(name) AS p ON true GROUP BY name ORDER BY name;
-- only by whom it is granted
SET ROLE regress_publish_other;
SELECT count(*) FROM pegs_columns('alike');
SELECT count(*) FROM pegs_pairs('alike');
RESET ROLE;
SELECT pegs_grant('alike', 'regress_publish_other');
SET ROLE regress_publish_other;
SELECT count(*) FROM pegs_columns('alike');
SELECT count(*) > 1 AS pairs FROM pegs_pairs('alike');
RESET ROLE;

---- a column whose type is dropped cannot be shown; the others can
CREATE TYPE mood AS ENUM ('good', 'bad');
CREATE TABLE moody (m mood NOT NULL, b boolean NOT NULL);
INSERT INTO moody SELECT 'good', true FROM generate_series(1, 50);
SELECT pegs_set_budget('moody', 100);
SELECT pegs_fit('moody', 'moody', epsilon => 1);
SELECT pegs_release('moody rows', 'moody', 5);
DROP TYPE mood CASCADE;
SELECT pegs_view_sql('moody rows', 'v');
SELECT column_name, type, first_levels FROM pegs_columns('moody rows');

---- (what is refused alone: test/pgtap/arguments.sql)
SELECT * FROM pegs_view_sql('few', 'v', role => 'regress nobody');

SELECT count(pegs_drop(name)) FROM pegs_releases;
SELECT count(pegs_drop(name)) FROM pegs_models;
DROP SCHEMA regress_publish CASCADE;
DROP ROLE "regress publish's ""Reader""", regress_publish_other;
