-- Which rows of a person count is a function of that person's rows: not of the order in which the table has them, nor of others. Claim P10.
SET client_min_messages = warning;
CREATE EXTENSION pegs;
SELECT plan(9);
CREATE FUNCTION unmasked(bytea) RETURNS bytea LANGUAGE c STRICT AS '$libdir/pegs', 'pegs_unmasked';
-- exact counts of a sealed model of all columns but the person
CREATE FUNCTION counted(source regclass, weighting text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE counts text;
BEGIN
	PERFORM pegs_set_unit(source, 'person', weighting => weighting);
	PERFORM pegs_fit('m', source, columns => '{g}');
	SELECT md5(unmasked(b.body)) INTO counts FROM pegs_internal.body AS b JOIN pegs_internal.model AS m ON m.id = b.model WHERE m.name = 'm';
	PERFORM pegs_drop('m');
	RETURN counts;
END $$;
CREATE FUNCTION budget(VARIADIC sources regclass[]) RETURNS void LANGUAGE sql AS $$ SELECT pegs_set_budget(s, 10) FROM unnest(sources) AS s $$;

---- a person whose value is written in several ways
CREATE TABLE one (person numeric NOT NULL, g text NOT NULL CHECK (g IN ('x', 'y', 'z')));
CREATE TABLE other (LIKE one INCLUDING ALL);
INSERT INTO one SELECT CASE WHEN k = 2 THEN i::numeric(10, 2) ELSE i END, ('{x, x, y}'::text[])[k] FROM generate_series(1, 2000) AS i, generate_series(1, 3) AS k ORDER BY i, k;
INSERT INTO other SELECT * FROM one ORDER BY hashtextextended(ROW(person, g)::text, 7);
SELECT budget('one', 'other');
SELECT is(counted('one', 'row'), counted('other', 'row'), '1 and 1.00: one row of each, whatever the order');
SELECT is(counted('one', 'person'), counted('other', 'person'), 'and 64 of each');
CREATE COLLATION any_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE TABLE named (person text COLLATE any_case NOT NULL, g text NOT NULL CHECK (g IN ('x', 'y', 'z')));
CREATE TABLE renamed (LIKE named INCLUDING ALL);
INSERT INTO named SELECT CASE WHEN k = 2 THEN 'K' ELSE 'k' END || i, ('{x, x, y}'::text[])[k] FROM generate_series(1, 20000) AS i, generate_series(1, 3) AS k ORDER BY i, k;
INSERT INTO renamed SELECT * FROM named ORDER BY hashtextextended(ROW(person, g)::text, 7);
SELECT budget('named', 'renamed');
SELECT is(counted('named', 'row'), counted('renamed', 'row'), 'k and K of one collation');
SELECT is(counted('named', 'person'), counted('renamed', 'person'), 'and 64 of each');

---- values that a session writes alike
CREATE TABLE near (person int NOT NULL, g float8 NOT NULL);
CREATE TABLE nearer (LIKE near INCLUDING ALL);
INSERT INTO near SELECT i, CASE k WHEN 1 THEN 1 - 1e-15 ELSE 1 END FROM generate_series(1, 2000) AS i, generate_series(1, 2) AS k ORDER BY i, k;
INSERT INTO nearer SELECT * FROM near ORDER BY hashtextextended(ROW(person, g)::text, 7);
SELECT budget('near', 'nearer'), pegs_set_bins('near', 'g', '{0, 1, 2}'), pegs_set_bins('nearer', 'g', '{0, 1, 2}');
SET extra_float_digits = -5;
SELECT is((SELECT count(DISTINCT g::text) FROM near), 1::bigint, 'two numbers, written alike');
SELECT is(counted('near', 'row'), counted('nearer', 'row'), 'are two rows, whatever the order');
SET timezone = 'XXX-1XXX';
SET datestyle = 'SQL';
CREATE TABLE hours (person int NOT NULL, g timestamptz NOT NULL);
CREATE TABLE turned (LIKE hours INCLUDING ALL);
INSERT INTO hours SELECT i, '2020-10-31 23:30Z'::timestamptz + k * interval '1 hour' FROM generate_series(1, 2000) AS i, generate_series(0, 1) AS k ORDER BY i, k;
INSERT INTO turned SELECT * FROM hours ORDER BY hashtextextended(ROW(person, extract(epoch FROM g))::text, 7);
SELECT budget('hours', 'turned'), pegs_set_bins(t, 'g', '{2020-10-31 23:00Z, 2020-11-01 00:00Z, 2020-11-01 01:00Z}') FROM unnest('{hours, turned}'::regclass[]) AS t;
SELECT is((SELECT count(DISTINCT g::text) FROM hours), 1::bigint, 'an hour and the next, written alike');
SELECT is(counted('hours', 'row'), counted('turned', 'row'), 'are two rows, whatever the order');
SELECT isnt(counted('hours', 'row'), counted('near', 'row'), 'states are compared');
SELECT * FROM finish();
