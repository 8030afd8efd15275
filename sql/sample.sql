-- sample: typed rows by name, as a row type, given some columns; what a call would cost.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS pegs;
CREATE SCHEMA regress_sample;
SET search_path = regress_sample, public;

CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');
CREATE DOMAIN zip AS char(5) CHECK (VALUE IN ('90001', '90002'));
CREATE TABLE t (a text NOT NULL CHECK (a IN ('x', 'y', 'z')), b boolean, m mood NOT NULL, z zip, v varchar(7) CHECK (v IN ('one', 'two')), i2 smallint CHECK (i2 IN (1, 2)));
INSERT INTO t SELECT (ARRAY['x', 'y', 'z'])[1 + i % 3], i % 2 = 0, (ARRAY['sad', 'ok', 'happy']::mood[])[1 + i % 3], '90001', 'one', 1 FROM generate_series(1, 300) AS i;
SELECT pegs_set_budget('t', 1000);
SELECT pegs_fit('perturbed', 't', epsilon => 100);
SELECT pegs_fit('sealed', 't', parents => '{"a": ["b", "m"]}', tail_bits => 1);

---- by name: any columns of the model, in any order, with their types
SELECT pegs_row_type('sealed');
SELECT count(*), count(a), bool_and(a IN ('x', 'y', 'z') AND m IS NOT NULL AND coalesce(z IN ('90001', '90002'), true) AND coalesce(v IN ('one', 'two'), true) AND coalesce(i2 IN (1, 2), true)) AS declared
FROM pegs_sample('sealed', 50, epsilon => 10) AS t(a text, b boolean, m mood, z char(5), v varchar(7), i2 smallint);
SELECT count(*), count(a), bool_and(a IN ('x', 'y', 'z')) AS declared FROM pegs_sample('perturbed', 50) AS t(i2 smallint, a text);
SELECT pg_typeof(z), pg_typeof(v), pg_typeof(m), pg_typeof(i2), length(z) FROM pegs_sample('perturbed', 1, given => '{"z": "90001"}') AS t(z char(5), v varchar, m mood, i2 smallint);
-- a type modifier may be left out, a domain over the type may be named: its constraints hold
SELECT count(*) FROM pegs_sample('perturbed', 5) AS t(v varchar, z bpchar);
SELECT count(*) FROM pegs_sample('perturbed', 5) AS t(z zip);
CREATE DOMAIN filled_zip AS char(5) NOT NULL;
SELECT count(*) FROM pegs_sample('perturbed', 5) AS t(z filled_zip);
CREATE DOMAIN west AS text CHECK (VALUE <> 'z');
SELECT count(*) FROM pegs_sample('perturbed', 5) AS t(a west);
-- next to other functions and tables
SELECT count(*), count(o) FROM ROWS FROM (pegs_sample('perturbed', 5) AS (a text), generate_series(1, 7)) WITH ORDINALITY AS x(a, g, o);
SELECT count(*) FROM pegs_sample('perturbed', 5) AS t(a text) JOIN (VALUES ('x'), ('y'), ('z')) AS v(a) USING (a);
SELECT count(*) FROM generate_series(1, 3) AS i, LATERAL pegs_sample('perturbed', i) AS t(a text);
-- wrong
SELECT * FROM pegs_sample('perturbed', 5) AS t(nothing text);
SELECT * FROM pegs_sample('perturbed', 5) AS t(a text, "A" text);
SELECT * FROM pegs_sample('perturbed', 5) AS t(a varchar);
SELECT * FROM pegs_sample('perturbed', 5) AS t(a int);
SELECT * FROM pegs_sample('perturbed', 5) AS t(v varchar(8));
SELECT * FROM pegs_sample('perturbed', 5) AS t(z char(6));
SELECT * FROM pegs_sample('perturbed', 5) AS t(z text);
SELECT * FROM pegs_sample('perturbed', 5) AS t(i2 int);
SELECT * FROM pegs_sample('perturbed', 5) AS t(m varchar);
SELECT * FROM pegs_sample('perturbed', 5) AS t(a text, a text);
SELECT * FROM pegs_sample('perturbed', 5);
SELECT * FROM pegs_sample('perturbed', 5) AS t;
SELECT pegs_sample('perturbed', 5);
SELECT (pegs_sample('perturbed', 5)).a;

---- as a row type: columns that the model lacks come out NULL
SELECT count(*), count(a), bool_and(a IN ('x', 'y', 'z')) AS declared FROM pegs_sample_as(NULL::t, 'perturbed', 50);
SELECT pg_typeof(t) FROM pegs_sample_as(NULL::t, 'sealed', 1, epsilon => 1) AS t;
CREATE TABLE target (gone int, extra int DEFAULT 7, b boolean, gone_too text, a text, more jsonb, g int GENERATED ALWAYS AS (1) STORED);
ALTER TABLE target DROP COLUMN gone, DROP COLUMN gone_too;
SELECT count(*), count(a), count(extra), count(more), count(g) FROM pegs_sample_as(NULL::target, 'perturbed', 50);
INSERT INTO target (a, b) SELECT a, b FROM pegs_sample_as(NULL::target, 'sealed', 20, epsilon => 1);
SELECT count(*), count(a), count(extra) FROM target;
CREATE TYPE pair AS (m mood, a text);
SELECT count(*), count(m), count(a) FROM pegs_sample_as(NULL::pair, 'perturbed', 5);
SELECT count(*) FROM pegs_sample_as(ROW('sad', 'x')::pair, 'perturbed', 5);
CREATE DOMAIN no_x AS pair CHECK ((VALUE).a <> 'x');
SELECT count(*) FROM pegs_sample_as(NULL::no_x, 'perturbed', 50);
SELECT * FROM pegs_sample_as(NULL::int, 'perturbed', 5);
SELECT * FROM pegs_sample_as(NULL::record, 'perturbed', 5);
SELECT * FROM pegs_sample_as(NULL, 'perturbed', 5);
SELECT * FROM pegs_sample_as(NULL::int[], 'perturbed', 5);
CREATE TABLE strange (a int);
SELECT * FROM pegs_sample_as(NULL::strange, 'perturbed', 5);
CREATE TABLE stranger (q int);
SELECT * FROM pegs_sample_as(NULL::stranger, 'perturbed', 5);
SELECT pegs_sample_as(NULL::t, 'perturbed', 5, options => '{"fresh": true}');
SELECT pegs_sample_as(NULL::t, 'sealed', 5, epsilon => 1);
SELECT (pegs_sample_as(NULL::t, 'sealed', 5, epsilon => 1)).*;
SELECT pegs_sample_as(NULL::stranger, 'perturbed', 5);
SELECT pegs_sample_as(NULL::int, 'perturbed', 5);

---- given: columns that are fixed
SELECT bool_and(a = 'y'), count(*) FROM pegs_sample('sealed', 20, epsilon => 1, given => '{"a": "y"}') AS t(a text, b boolean);
SELECT bool_and(a = 'y'), count(*) FROM pegs_sample('perturbed', 20, given => '{"a": "y"}') AS t(a text, b boolean);
SELECT bool_and(i2 = 2 AND b IS NULL AND m = 'sad'), count(*) FROM pegs_sample('sealed', 20, epsilon => 1, given => '{"i2": 2, "b": null, "m": "sad"}') AS t(b boolean, m mood, i2 smallint);
SELECT bool_and(i2 = 1 AND b AND z = '90001'), count(*) FROM pegs_sample('perturbed', 20, given => '{"i2": "1", "b": true, "z": "90001"}') AS t(b boolean, i2 smallint, z char(5));
SELECT bool_and(b), count(*) FROM pegs_sample('perturbed', 20, given => '{"b": "yes"}') AS t(b boolean);
SELECT bool_and(a = 'y' AND b), count(*) FROM pegs_sample('perturbed', 20, given => '{"a": "y", "b": true, "m": "ok", "z": "90001", "v": "one", "i2": 1}') AS t(a text, b boolean);
SELECT count(*) FROM pegs_sample('perturbed', 20, given => '{}') AS t(b boolean);
SELECT count(*) FROM pegs_sample('perturbed', 1, given => '{"A": "x"}') AS t(b boolean);
SELECT count(*) FROM pegs_sample('perturbed', 1, given => '{"a": "w"}') AS t(b boolean);
SELECT count(*) FROM pegs_sample('perturbed', 1, given => '{"a": null}') AS t(b boolean);
SELECT count(*) FROM pegs_sample('perturbed', 1, given => '{"m": "angry"}') AS t(b boolean);
SELECT count(*) FROM pegs_sample('perturbed', 1, given => '{"i2": 3}') AS t(b boolean);
SELECT count(*) FROM pegs_sample('perturbed', 1, given => '{"i2": 1.5}') AS t(b boolean);
SELECT count(*) FROM pegs_sample('perturbed', 1, given => '{"i2": [1]}') AS t(b boolean);
SELECT count(*) FROM pegs_sample('perturbed', 1, given => '{"i2": {"a": 1}}') AS t(b boolean);
SELECT count(*) FROM pegs_sample('perturbed', 1, given => '"a"') AS t(b boolean);
SELECT count(*) FROM pegs_sample('sealed', 1, epsilon => 1, given => '{"a": "y", "b": true, "m": "ok", "z": null, "v": "one", "i2": 1}') AS t(b boolean);

---- options, and the same rows again
SELECT (SELECT array_agg(t::text) FROM pegs_sample('perturbed', 50) AS t(a text, b boolean, m mood, z char(5))) = (SELECT array_agg(t::text) FROM pegs_sample('perturbed', 50) AS t(a text, b boolean, m mood, z char(5))) AS same;
SELECT (SELECT array_agg(t::text) FROM pegs_sample('perturbed', 500) AS t(a text, b boolean, m mood, z char(5))) = (SELECT array_agg(t::text) FROM pegs_sample('perturbed', 500, options => '{"fresh": true}') AS t(a text, b boolean, m mood, z char(5))) AS same;
SELECT (SELECT array_agg(t::text) FROM pegs_sample('perturbed', 500, options => '{"draw": "independent"}') AS t(a text, b boolean)) = (SELECT array_agg(t::text) FROM pegs_sample('perturbed', 500, options => '{"fresh": true, "draw": "independent"}') AS t(a text, b boolean)) AS same;
SELECT (SELECT array_agg(t::text) FROM pegs_sample('perturbed', 50, options => '{"fresh": false}') AS t(a text)) = (SELECT array_agg(t::text) FROM pegs_sample('perturbed', 50) AS t(a text)) AS same;
SELECT (SELECT array_agg(t::text) FROM pegs_sample('sealed', 500, epsilon => 1) AS t(a text, b boolean, m mood, z char(5))) = (SELECT array_agg(t::text) FROM pegs_sample('sealed', 500, epsilon => 1) AS t(a text, b boolean, m mood, z char(5))) AS same;
SELECT count(*) FROM pegs_sample('perturbed', 5, options => '{"what": true}') AS t(a text);
SELECT count(*) FROM pegs_sample('perturbed', 5, options => '{"fresh": "yes"}') AS t(a text);
SELECT count(*) FROM pegs_sample('perturbed', 5, options => '{"draw": "dependent"}') AS t(a text);
SELECT count(*) FROM pegs_sample('perturbed', 5, options => '{"draw": null}') AS t(a text);
SELECT count(*) FROM pegs_sample('perturbed', 5, options => '[]') AS t(a text);
SELECT count(*) FROM pegs_sample('perturbed', 5, options => NULL) AS t(a text);
-- a perturbed model charges nothing, and says so to one who offers
SET client_min_messages = notice;
SELECT count(*) FROM pegs_sample('perturbed', 5, epsilon => 0.5) AS t(a text);
SET client_min_messages = warning;
SELECT spent FROM pegs_budgets WHERE source = 't'::regclass;
BEGIN READ ONLY;
SELECT count(*) FROM pegs_sample('perturbed', 5) AS t(a text);
COMMIT;
SELECT * FROM pegs_sample('perturbed', 0) AS t(a text);
SELECT * FROM pegs_sample('perturbed', -1) AS t(a text);
SELECT * FROM pegs_sample('sealed', NULL, epsilon => 1) AS t(a text);
SELECT * FROM pegs_sample('perturbed', 5, block => NULL) AS t(a text);
-- many rows, more than one batch
SELECT count(*), count(DISTINCT a) FROM pegs_sample('perturbed', 300000) AS t(a text);
SELECT count(*) FROM pegs_sample('sealed', 70000, epsilon => 1, block => 1000) AS t(a text, b boolean);

---- utility, roughly: one row of a model with so much epsilon follows the data
SELECT avg((a = 'x')::int) BETWEEN 0.25 AND 0.42 AS a_third, avg((z = '90001')::int) > 0.9 AS always FROM pegs_sample('perturbed', 1000) AS t(a text, z char(5));

---- bins: values inside, of the column's type and modifier
CREATE TABLE bins (i2 smallint NOT NULL, i4 int NOT NULL, i8 bigint NOT NULL, n numeric NOT NULL, n2 numeric(6,2) NOT NULL, n_big numeric(18,0) NOT NULL, f4 real NOT NULL, f8 double precision NOT NULL,
	d date NOT NULL, ts timestamp NOT NULL, ts0 timestamp(0) NOT NULL, ts3 timestamp(3) NOT NULL, tz timestamptz NOT NULL, tz0 timestamptz(0) NOT NULL, one int NOT NULL, nullable int);
SELECT pegs_set_bins('bins', column_name, edges) FROM (VALUES
	('i2', '{-32768, -5, 0, 5, 32767}'::text[]), ('i4', '{-2147483648, -3, -1, 0, 2147483647}'), ('i8', '{-9223372036854775808, -1, 9223372036854775807}'),
	('n', '{-1.5, -0.125, 0, 1000}'), ('n2', '{-9999.99, -0.01, 0, 0.01, 9999.99}'), ('n_big', '{-9999999999999999, 0, 7}'), ('f4', '{-3.5, -1e-30, 0, 1e30}'), ('f8', '{-1e308, -1e-300, 0, 1e308}'),
	('d', '{1900-01-01, 1999-12-31, 2000-01-01, 2100-01-01}'), ('ts', '{1900-01-01 00:00:00.5, 2000-01-01, 2000-01-01 00:00:00.000001, 2001-01-01}'), ('ts0', '{1999-12-31 23:59:58, 1999-12-31 23:59:59, 2000-01-01 00:00:02}'),
	('ts3', '{1999-12-31 23:59:59.998, 1999-12-31 23:59:59.999, 2000-01-01 00:00:00.001}'), ('tz', '{1900-01-01 00:00+00, 2000-01-01 00:00+00}'), ('tz0', '{1999-12-31 00:00+00, 2000-01-01 00:00:01+00}'),
	('one', '{5, 6}'), ('nullable', '{0, 10}')) AS b(column_name, edges);
-- 18 digits fit, wherever the point is
CREATE TABLE digits (whole numeric(18,0) NOT NULL, cents numeric(18,2) NOT NULL);
SELECT pegs_set_bins('digits', 'whole', ARRAY['-999999999999999999', '999999999999999999']);
SELECT pegs_set_bins('digits', 'cents', ARRAY['-9999999999999999.99', '9999999999999999.99']);
SELECT pegs_set_budget('bins', 100);
SELECT pegs_fit('bins', 'bins', epsilon => 1);
SELECT pegs_fit('bins sealed', 'bins', parents => '{}');
SELECT pegs_row_type('bins');
CREATE FUNCTION inside(bins) RETURNS boolean LANGUAGE sql AS $$ SELECT
	$1.i2 BETWEEN -32768 AND 32767 AND $1.i4 BETWEEN -2147483648 AND 2147483647 AND $1.i8 IS NOT NULL AND $1.n BETWEEN -1.5 AND 1000 AND scale($1.n) <= 3 AND $1.n2 BETWEEN -9999.99 AND 9999.99 AND scale($1.n2) = 2
	AND $1.n_big BETWEEN -9999999999999999 AND 7 AND scale($1.n_big) = 0 AND $1.f4 >= -3.5 AND $1.f4 < 1e30 AND $1.f8 >= -1e308 AND $1.f8 < 1e308
	AND $1.d BETWEEN '1900-01-01' AND '2100-01-01' AND $1.ts BETWEEN '1900-01-01 00:00:00.5' AND '2001-01-01' AND $1.ts0 BETWEEN '1999-12-31 23:59:58' AND '2000-01-01 00:00:02' AND $1.ts0 = date_trunc('second', $1.ts0)
	AND $1.ts3 BETWEEN '1999-12-31 23:59:59.998' AND '2000-01-01 00:00:00.001' AND $1.ts3 = date_trunc('milliseconds', $1.ts3) AND $1.tz BETWEEN '1900-01-01 00:00+00' AND '2000-01-01 00:00+00'
	AND $1.tz0 BETWEEN '1999-12-31 00:00+00' AND '2000-01-01 00:00:01+00' AND $1.tz0 = date_trunc('second', $1.tz0) AND $1.one IN (5, 6) AND coalesce($1.nullable BETWEEN 0 AND 10, true) $$;
SELECT count(*), bool_and(inside(b)) AS inside FROM pegs_sample_as(NULL::bins, 'bins', 3000) AS b;
SELECT count(*), bool_and(inside(b)) AS inside FROM pegs_sample_as(NULL::bins, 'bins sealed', 3000, epsilon => 1) AS b;
INSERT INTO bins SELECT * FROM pegs_sample_as(NULL::bins, 'bins', 100);
SELECT count(*) FROM bins;
-- rows that are given lie in the same bins when they are counted: a model of them can be fitted
SELECT pegs_fit('bins again', 'bins', epsilon => 1);
-- a column's values do not depend on which other columns are asked for
SELECT (SELECT array_agg(n2) FROM pegs_sample('bins', 50) AS t(n2 numeric)) = (SELECT array_agg(n2) FROM pegs_sample('bins', 50) AS t(ts timestamp, f8 float8, n2 numeric)) AS same;
SELECT (SELECT array_agg(n2) FROM pegs_sample('bins', 50) AS t(n2 numeric)) = (SELECT array_agg(n2) FROM pegs_sample_as(NULL::bins, 'bins', 50)) AS same;
-- the bin of a value that is given, half-open, the last one closed
CREATE FUNCTION drawn(given jsonb, OUT low text, OUT high text) LANGUAGE plpgsql AS $$
DECLARE
	col text := (SELECT k FROM jsonb_object_keys(given) AS k);
BEGIN
	EXECUTE format('SELECT min(x.%1$I)::text, max(x.%1$I)::text FROM pegs_sample_as(NULL::bins, ''bins sealed'', 400, epsilon => 0.01, given => $1) AS x', col) INTO low, high USING given;
END $$;
SELECT bool_and(low::numeric = -0.01 AND high::numeric = -0.01) FROM drawn('{"n2": -0.01}');
SELECT bool_and(low::numeric = 0 AND high::numeric = 0) FROM drawn('{"n2": 0.00}');
SELECT bool_and(low::numeric >= 0.01 AND high::numeric <= 9999.99) FROM drawn('{"n2": 9999.99}');
SELECT bool_and(low = '-3' AND high = '-2') FROM drawn('{"i4": -2}');
SELECT bool_and(low = '-1' AND high = '-1') FROM drawn('{"i4": "-1"}');
SELECT bool_and(low::bigint >= 0) FROM drawn('{"i4": 2147483647}');
SELECT bool_and(low::bigint >= -1 AND high::bigint > 1000000000000) FROM drawn('{"i8": -1}');
SELECT bool_and(low = '5' AND high = '6') FROM drawn('{"one": 6}');
SELECT bool_and(low::float8 >= -1e-30 AND high::float8 < 0) FROM drawn('{"f4": -1e-31}');
SELECT bool_and(low::float8 >= 0 AND high::float8 < 1e308) FROM drawn('{"f8": 1e308}');
SET datestyle = 'ISO, YMD';
SELECT bool_and(low = '1999-12-31' AND high = '1999-12-31') FROM drawn('{"d": "1999-12-31"}');
SELECT bool_and(low = '1999-12-31 23:59:58' AND high = '1999-12-31 23:59:58') FROM drawn('{"ts0": "1999-12-31 23:59:58"}');
SELECT bool_and(low = '1999-12-31 23:59:59' AND high = '2000-01-01 00:00:02') FROM drawn('{"ts0": "2000-01-01 00:00:02"}');
SELECT bool_and(low = '2000-01-01 00:00:00' AND high = '2000-01-01 00:00:00') FROM drawn('{"ts": "2000-01-01"}');
RESET datestyle;
SELECT drawn('{"i4": 10000000000}');
SELECT drawn('{"d": "2100-01-02"}');
SELECT drawn('{"n2": 0.005}') IS NOT NULL AS rounded_like_the_column;

---- what it would cost
SELECT alpha > 0 AS alpha, blocks, real_rows > alpha AS real_rows, charged FROM pegs_cost('sealed', 1, 1);
SELECT blocks, charged FROM pegs_cost('sealed', 1000, 0.5, block => 300);
SELECT a.alpha < b.alpha AS more_rows_more_noise, b.alpha = c.alpha AS blocks_count, a.alpha = d.alpha AS not_the_rows
FROM pegs_cost('sealed', 1, 1) AS a, pegs_cost('sealed', 100, 1) AS b, pegs_cost('sealed', 1000, 1, 10) AS c, pegs_cost('sealed', 1000, 1, 1000) AS d;
-- 1 / expm1(epsilon / (K M)), rounded up to a multiple of 2^-16
SELECT alpha >= 1 / (exp(1.0 / 60) - 1) AS not_less, alpha - 1 / (exp(1.0 / 60) - 1) < 2 * 2.0 ^ -16 AS not_much_more, alpha * 65536 = trunc(alpha * 65536) AS whole FROM pegs_cost('sealed', 10, 1);
SELECT in_words FROM pegs_cost('sealed', 1000, 1, 1000);
SELECT in_words LIKE '%; a block uses each cell once, and from then on it is uniform; the budget%' AS no_more_than_cells FROM pegs_cost('sealed', 2, 1, 1000);
SELECT in_words NOT LIKE '%block uses%' AS one_row FROM pegs_cost('sealed', 1, 1, 1000);
SELECT * FROM pegs_cost('perturbed', 1000);
SELECT charged FROM pegs_cost('perturbed', 1000, 1);
SELECT * FROM pegs_cost('sealed', 1000);
SELECT * FROM pegs_cost('sealed', 0, 1);
SELECT * FROM pegs_cost('sealed', 1, 0);
SELECT * FROM pegs_cost('sealed', 1, 1, 0);
-- delta: it is charged where it buys less noise
SELECT n, a.alpha < b.alpha AS less_noise, a.in_words LIKE 'epsilon 1 and delta%' AS charged, a.in_words LIKE '%No delta is charged%' AS not_charged
FROM unnest(ARRAY[1, 10000]) AS n, pegs_cost('sealed', n, 1, delta => 1e-9) AS a, pegs_cost('sealed', n, 1) AS b;
SELECT * FROM pegs_cost('sealed', 9223372036854775807, 1e-9);
SELECT * FROM pegs_cost(NULL, 1, 1);
SELECT * FROM pegs_cost('no such model', 1, 1);
SELECT spent FROM pegs_budgets WHERE source = 'bins'::regclass;

---- the planner learns n
CREATE FUNCTION estimate(statement text) RETURNS numeric LANGUAGE plpgsql AS $$
DECLARE
	plan jsonb;
BEGIN
	EXECUTE 'EXPLAIN (FORMAT JSON) ' || statement INTO plan;
	RETURN plan->0->'Plan'->>'Plan Rows';
END $$;
SELECT estimate($$SELECT * FROM pegs_sample('perturbed', 123456) AS t(a text)$$);
SELECT estimate($$SELECT * FROM pegs_sample('sealed', 7, epsilon => 1) AS t(a text)$$);
SELECT estimate($$SELECT * FROM pegs_sample(n => 777, options => '{}', model => 'perturbed') AS t(a text)$$);
SELECT estimate($$SELECT * FROM pegs_sample('perturbed', 10 * 10 + 1) AS t(a text)$$);
SELECT estimate($$SELECT * FROM pegs_sample_as(NULL::t, 'perturbed', 4321)$$);
SELECT estimate($$SELECT * FROM pegs_sample_as(model => 'perturbed', n => 4322, row_type => NULL::t)$$);
-- without n, too, if one may know it
SELECT estimate(format('SELECT * FROM %s', f)) = (pegs_describe('perturbed') ->> 'rows')::numeric AS as_many
FROM unnest(ARRAY['pegs_sample(''perturbed'') AS t(a text)', 'pegs_sample(''perturbed'', NULL) AS t(a text)', 'pegs_sample_as(NULL::t, ''perturbed'')', 'pegs_sample_as(NULL::t, model => ''pertur'' || ''bed'')']) AS f;
SELECT estimate(format('SELECT * FROM pegs_sample(%s) AS t(a text)', f)) FROM unnest(ARRAY['''sealed'', epsilon => 1', '''no such model''', 'NULL', 'repeat(''x'', 100000)']) AS f;
CREATE ROLE regress_sample_stranger;
GRANT USAGE ON SCHEMA regress_sample TO regress_sample_stranger;
SET ROLE regress_sample_stranger;
SELECT estimate($$SELECT * FROM pegs_sample('perturbed') AS t(a text)$$);
RESET ROLE;
REVOKE ALL ON SCHEMA regress_sample FROM regress_sample_stranger;
DROP ROLE regress_sample_stranger;

---- n left out: as many rows as the model stands for, noise included
SELECT count(*) = (pegs_describe('perturbed') ->> 'rows')::bigint AS as_many FROM pegs_sample('perturbed') AS t(a text);
SELECT count(*) = (pegs_describe('perturbed') ->> 'rows')::bigint AS as_many FROM pegs_sample_as(NULL::t, 'perturbed');
SELECT count(*) = (pegs_describe('perturbed') ->> 'rows')::bigint AS as_many, bool_and(a = 'x') AS given FROM pegs_sample('perturbed', given => '{"a": "x"}') AS t(a text);
SELECT (SELECT md5(string_agg(t::text, ',')) FROM pegs_sample_as(NULL::t, 'perturbed') AS t) = (SELECT md5(string_agg(t::text, ',')) FROM pegs_sample_as(NULL::t, 'perturbed', (pegs_describe('perturbed') ->> 'rows')::bigint) AS t) AS the_same_rows;
SELECT pegs_release('as many', 'perturbed');
SELECT n = (pegs_describe('perturbed') ->> 'rows')::bigint AS as_many FROM pegs_releases WHERE name = 'as many';
SELECT charged, in_words LIKE '%free, and without n there are ' || (pegs_describe('perturbed') ->> 'rows') || '. To fit it anew%' AS in_words FROM pegs_cost('perturbed');
-- a sealed model does not tell its number, nor charges
SELECT spent FROM pegs_budgets WHERE source = 't'::regclass;
SELECT count(*) FROM pegs_sample('sealed', epsilon => 1) AS t(a text);
SELECT count(*) FROM pegs_sample_as(NULL::t, 'sealed', epsilon => 1);
SELECT pegs_release('how many', 'sealed', epsilon => 1);
SELECT * FROM pegs_cost('sealed', epsilon => 1);
SELECT spent FROM pegs_budgets WHERE source = 't'::regclass;
SELECT estimate($$SELECT * FROM pegs_sample('perturbed', (random() * 10)::bigint) AS t(a text)$$) > 0 AS some;
SELECT estimate($$SELECT * FROM pegs_sample('perturbed', -5) AS t(a text)$$) > 0 AS some;

SELECT pegs_row_type(NULL);
SELECT pegs_row_type('no such model');
---- names that need quotes
\encoding UTF8
CREATE TABLE "Große Tabelle's" ("Große Spalte" text CHECK ("Große Spalte" IN ('ä', 'ß''', '"', '\')), "it's" boolean, "say ""hi""" boolean,
	model boolean, "select" boolean, "a b" boolean, n int CHECK (n IN (1, 2)));
INSERT INTO "Große Tabelle's" VALUES ('ä', true, true, true, true, true, 1), ('ß''', NULL, NULL, NULL, NULL, NULL, NULL);
SELECT column_name, origin, levels FROM pegs_domain('"Große Tabelle''s"');
SELECT pegs_fit('Modell "ß''', '"Große Tabelle''s"', parents => '{"Große Spalte": ["it''s", "say \"hi\""], "model": ["select"]}');
SELECT pegs_row_type('Modell "ß''') AS row_type \gset
SELECT :'row_type';
-- the HINT is a command that can be copied
SELECT count(*) FROM pegs_sample('Modell "ß''', 5, epsilon => 1) AS t(:row_type);
SELECT pegs_set_budget('regress_sample."Große Tabelle''s"', epsilon => 3);
SELECT count(*) FROM pegs_sample('Modell "ß''', 5, epsilon => 1) AS t(:row_type);
SELECT count("Große Spalte") FROM pegs_sample('Modell "ß''', 5, epsilon => 1, given => '{"Große Spalte": "ß''", "say \"hi\"": true, "model": null}') AS t("Große Spalte" text);
SELECT pegs_release('R "ß''', 'Modell "ß''', 2, epsilon => 1);
SELECT pegs_view_sql('R "ß''', 'Sicht "ß''') \gexec
SELECT count(*) FROM "Sicht ""ß'";
DROP VIEW "Sicht ""ß'";
SELECT pegs_set_levels('"Große Tabelle''s"', 'große spalte', ARRAY['x']);
SELECT pegs_set_bins('"Große Tabelle''s"', 'n', ARRAY['2', '1']);
SELECT pegs_describe('Modell "ß''')->'spec'->'columns'->0->>'name' AS first_column;

SELECT count(pegs_drop(name)) > 0 FROM pegs_releases;
SELECT count(pegs_drop(name)) > 0 FROM pegs_models;
DROP SCHEMA regress_sample CASCADE;
