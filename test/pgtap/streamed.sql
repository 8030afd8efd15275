-- Rows in the select list: the same as in FROM, one after the other, and never all there.
SET client_min_messages = warning;
CREATE EXTENSION pegs;
SELECT plan(36);

CREATE TABLE t (id serial PRIMARY KEY, a text NOT NULL CHECK (a IN ('x', 'y', 'z')), b boolean, c int NOT NULL, d date NOT NULL, twice int GENERATED ALWAYS AS (c * 2) STORED);
INSERT INTO t (a, b, c, d) SELECT (ARRAY['x', 'y', 'z'])[1 + i % 3], nullif(i % 5, 0) > 2, i % 40, date '2024-01-01' + i % 300 FROM generate_series(1, 3000) AS i;
SELECT pegs_set_bins('t', 'c', low => 0, high => 40, bins => 8), pegs_set_bins('t', 'd', ARRAY['2024-01-01', '2024-04-01', '2024-12-31']), pegs_set_budget('t', 100, delta => 1e-6);
SELECT lives_ok($$SELECT pegs_fit('m', 't', epsilon => 1)$$);
SELECT lives_ok($$SELECT pegs_fit('sealed', 't', '{a,b}', parents => '{}')$$);
SELECT lives_ok($$SELECT pegs_fit('bootstrap', 't', '{a,b}', method => 'table', options => '{"guarantee": "none"}')$$);
SELECT lives_ok($$SELECT pegs_fit('marginals', 't', epsilon => 1, method => 'marginals')$$);
SELECT lives_ok($$SELECT pegs_release('of m', 'm', 200000), pegs_release('of given', 'm', 3000, given => '{"a": "y"}'), pegs_release('keys', 'm', 3000, options => '{"keys": "number"}'), pegs_release('none', 'm', 1)$$);
-- more than a chunk of stored rows
SELECT lives_ok($$SELECT pegs_release('of sealed', 'sealed', 70000, 1, delta => 1e-7)$$);

CREATE FUNCTION same(call text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
	way text;
	was text;
	found text[];
BEGIN
	FOREACH way IN ARRAY ARRAY['SELECT r::text FROM %s AS r', 'SELECT r::text FROM (SELECT %s AS r) AS s', 'SELECT s::text FROM (SELECT (%s).*) AS s', 'SELECT s::text FROM (SELECT (r).* FROM (SELECT %s AS r) AS s) AS s'] LOOP
		EXECUTE format('SELECT concat(count(*), '' '', md5(string_agg(r, '' ''))) FROM (' || way || ') AS x(r)', call) INTO was;
		found := found || was;
	END LOOP;
	RETURN found[1] NOT LIKE '0 %' AND found[1] = ALL (found);
END $$;
SELECT is(same(format('pegs_sample_as(NULL::t, %s)', call)), true, call) FROM unnest(ARRAY['''m'', 1', '''m'', 1024', '''m'', 1025', '''m'', 300001', '''m'', 300001, options => ''{"part": 3, "parts": 3, "keys": "number"}''',
	'''m'', 5000, given => ''{"a": "x"}''', '''m'', 5000, options => ''{"draw": "independent"}''', '''marginals'', 140000']) AS call;
SELECT is(same(format('pegs_rows_as(NULL::t, %L)', name)), true, 'release ' || name) FROM unnest(ARRAY['of m', 'of given', 'keys', 'none', 'of sealed']) AS name;
SELECT is((SELECT array_agg(n ORDER BY g) FROM (SELECT g, count(*) AS n FROM (SELECT g, pegs_sample_as(NULL::t, 'm', 2000 + g) FROM generate_series(1, 3) AS g) AS s GROUP BY g) AS n), ARRAY[2001, 2002, 2003]::bigint[], 'a call for every outer row');
SELECT is((SELECT count(*) FROM (SELECT pegs_sample_as(NULL::t, 'm', 1000), pegs_rows_as(NULL::t, 'keys')) AS s WHERE false), 0::bigint, 'two of them side by side');

-- as many rows as would never end
SELECT is((SELECT count(*) FROM (SELECT pegs_sample_as(NULL::t, 'm', 1000000000000000) LIMIT 3) AS s), 3::bigint, 'a LIMIT ends them');
-- what rows are computed with is not what the others are
SET datestyle = 'SQL, DMY';
SELECT is((SELECT array_agg(DISTINCT concat(right(d::text, 4), ' ', current_setting('datestyle'), ' ', (r).twice = (r).c * 2)) FROM (SELECT r, (r).d AS d FROM (SELECT pegs_sample_as(NULL::t, 'm', 3000) AS r) AS s) AS s),
	ARRAY['2024 SQL, DMY t'], 'settings of the session hold between two rows');
RESET datestyle;

-- between two rows
CREATE FUNCTION rest(cursor refcursor) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	r text;
	n bigint := 0;
	all_rows text := '';
BEGIN
	LOOP
		FETCH cursor INTO r;
		EXIT WHEN NOT FOUND;
		n := n + 1;
		all_rows := md5(all_rows || r);
	END LOOP;
	RETURN n || ' ' || all_rows;
END $$;
BEGIN;
DECLARE whole CURSOR FOR SELECT r::text FROM pegs_sample_as(NULL::t, 'm', 133000) AS r OFFSET 1;
CREATE TEMP TABLE expected AS SELECT rest('whole');
COMMIT;
DO $$ BEGIN FOR i IN 1..20 LOOP PERFORM pegs_import('other ' || i, pegs_export('m')); END LOOP; END $$;
BEGIN;
DECLARE c CURSOR FOR SELECT pegs_sample_as(NULL::t, 'm', 133000)::text;
MOVE 1 FROM c;
SELECT sum((SELECT count(*) FROM pegs_sample_as(NULL::t, 'other ' || i, 10))) FROM generate_series(1, 20) AS i;
SELECT pegs_drop('m');
SELECT is(rest('c'), (SELECT rest FROM expected), 'the model is forgotten by the session, and dropped');
ROLLBACK;
BEGIN;
DECLARE c CURSOR FOR SELECT pegs_sample_as(NULL::t, 'm', 133000)::text;
MOVE 1 FROM c;
SAVEPOINT s;
SELECT throws_ok('SELECT 1 / 0', '22012');
ROLLBACK TO s;
SELECT is(rest('c'), (SELECT rest FROM expected), 'an error between two rows');
ROLLBACK;
CREATE TABLE u (LIKE t);
BEGIN;
DECLARE c CURSOR FOR SELECT pegs_sample_as(NULL::u, 'm', 3000);
MOVE 1 FROM c;
ALTER TABLE u ALTER c TYPE text;
SELECT throws_ok('FETCH c', '42804', 'the row type has changed since the query was planned');
ROLLBACK;

-- what is refused
SELECT throws_ok($$SELECT pegs_sample_as(NULL::t, 'sealed', 10, 1)$$, '0A000', 'pegs_sample_as must be called in FROM');
SELECT throws_ok($$SELECT pegs_sample_as(NULL::t, 'bootstrap', 10)$$, '0A000', 'pegs_sample_as must be called in FROM');
SELECT throws_ok($$SELECT pegs_sample_as(NULL::t, 'm', 10, options => '{"fresh": true}')$$, '0A000', 'rows with a fresh key must be asked for in FROM');
SELECT throws_ok($$SELECT pegs_sample('m', 10)$$, '0A000', 'pegs_sample must be called in FROM');
SELECT throws_ok($$SELECT pegs_rows('of m')$$, '0A000', 'pegs_rows must be called in FROM');
CREATE ROLE pegs_streamed_reader;
GRANT pegs_streamed_reader TO CURRENT_USER;
SET ROLE pegs_streamed_reader;
SELECT throws_ok($$SELECT pegs_sample_as(NULL::t, 'm', 10)$$, '42704', NULL, 'not granted');
RESET ROLE;
SELECT lives_ok($$SELECT pegs_grant('m', 'pegs_streamed_reader')$$);
SET ROLE pegs_streamed_reader;
SELECT lives_ok($$SELECT pegs_sample_as(NULL::t, 'm', 10)$$, 'granted');
RESET ROLE;
BEGIN;
DECLARE c CURSOR FOR SELECT pegs_rows_as(NULL::t, 'of sealed');
FETCH 1 FROM c;
SELECT pegs_drop('of sealed');
SELECT throws_ok($$SELECT rest('c')$$, '55000', 'release "of sealed" was dropped while its rows were read', 'dropped in the middle: nobody says that it is damaged');
COMMIT;
DROP OWNED BY pegs_streamed_reader;
SELECT * FROM finish();
