-- A table of a perturbed model, made in parts: the same rows as all at once, whoever makes them.
SET client_min_messages = warning;
CREATE EXTENSION pegs;
SELECT plan(43);

CREATE TABLE t (id serial PRIMARY KEY, a text NOT NULL CHECK (a IN ('x', 'y', 'z')), b boolean, c int NOT NULL);
INSERT INTO t (a, b, c) SELECT (ARRAY['x', 'y', 'z'])[1 + i % 3], nullif(i % 5, 0) > 2, i % 40 FROM generate_series(1, 3000) AS i;
SELECT pegs_set_bins('t', 'c', low => 0, high => 40, bins => 8);
SELECT pegs_set_budget('t', 100, delta => 1e-6);

-- 300,001 rows are three batches, of 100,001 and twice 100,000
CREATE FUNCTION whole(model text, options jsonb DEFAULT '{}') RETURNS SETOF text LANGUAGE sql AS $$
	SELECT r::text FROM pegs_sample_as(NULL::t, model, 300001, options => options || '{"keys": "number"}') AS r $$;
CREATE FUNCTION parts(model text, n int, options jsonb DEFAULT '{}') RETURNS SETOF text LANGUAGE sql AS $$
	SELECT r FROM generate_series(1, n) AS i, whole(model, options || jsonb_build_object('part', i, 'parts', n)) AS r $$;
-- in their order: what numbers them is what they were given
CREATE FUNCTION same(model text, n int, options jsonb DEFAULT '{}') RETURNS boolean LANGUAGE sql AS $$
	SELECT (SELECT md5(string_agg(w, ' ')) FROM whole(model, options) AS w) = (SELECT md5(string_agg(p, ' ')) FROM parts(model, n, options) AS p) $$;

SELECT lives_ok($$SELECT pegs_fit('graph', 't', epsilon => 1)$$);
SELECT lives_ok($$SELECT pegs_fit('table', 't', epsilon => 1, method => 'table')$$);
SELECT lives_ok($$SELECT pegs_fit('marginals', 't', epsilon => 1, method => 'marginals')$$);
SELECT lives_ok($$SELECT pegs_fit('copula', 't', epsilon => 1, method => 'copula')$$);
SELECT lives_ok($$SELECT pegs_fit('dummies', 't', epsilon => 1, method => 'copula', options => '{"coding": "dummy"}')$$);
SELECT lives_ok($$SELECT pegs_fit('groups', 't', epsilon => 1, method => 'copula', options => '{"by": ["a"]}')$$);
SELECT is(same(model, 3), true, 'three parts: ' || model) FROM unnest(ARRAY['graph', 'table', 'marginals', 'copula', 'dummies', 'groups']) AS model;
SELECT is(same('graph', 2), true, 'two parts: one batch, and two');
SELECT is(same('graph', 5), true, 'more parts than batches: some have no rows');
SELECT is(same('graph', 3, '{"draw": "independent"}'), true, 'independent rows');
SELECT is((SELECT array_agg(rows ORDER BY part) FROM (SELECT i AS part, (SELECT count(*) FROM pegs_sample_as(NULL::t, 'graph', 300001, options => jsonb_build_object('part', i, 'parts', 5))) AS rows
	FROM generate_series(1, 5) AS i) AS p), ARRAY[0, 100001, 0, 100000, 100000]::bigint[], 'whole batches');
SELECT is((SELECT array_agg(DISTINCT id) FROM pegs_sample_as(NULL::t, 'graph', 300001, options => '{"part": 3, "parts": 3, "keys": "number"}') WHERE id <= 200001), NULL, 'keys go on where the part before ended');
SELECT is((SELECT count(DISTINCT r::text) FROM (SELECT md5(string_agg(a || b || c, '')) AS r FROM generate_series(1, 3) AS i,
	LATERAL (SELECT * FROM pegs_sample_as(NULL::t, 'graph', 300001, options => jsonb_build_object('part', i, 'parts', 3)) LIMIT 1000) AS s GROUP BY i) AS d), 3::bigint, 'no two batches are the same');

-- apportioned over all parts: as in the whole table
CREATE FUNCTION counts(model text, n int) RETURNS text LANGUAGE sql AS $$
	SELECT string_agg(concat(a, ' ', rows), ', ' ORDER BY a) FROM (SELECT a, count(*) AS rows FROM generate_series(1, n) AS i,
		pegs_sample_as(NULL::t, model, 300001, options => jsonb_build_object('part', i, 'parts', n)) GROUP BY a) AS c $$;
SELECT is(counts(model, 3), counts(model, 1), 'counts of levels: ' || model) FROM unnest(ARRAY['graph', 'table', 'marginals']) AS model;

-- what is forbidden stays so, and a batch does not know what another has met
SELECT pegs_forbid('t', '{"a": ["x", "y"], "b": [true, false]}');
SELECT lives_ok($$SELECT pegs_fit('zeros', 't', epsilon => 1)$$);
SELECT lives_ok($$SELECT pegs_fit('zeros of marginals', 't', epsilon => 1, method => 'marginals')$$);
SELECT is(same(model, 3), true, 'forbidden combinations: ' || model) FROM unnest(ARRAY['zeros', 'zeros of marginals']) AS model;

-- one batch is the table that it was
SELECT is((SELECT md5(string_agg(r::text, ' ')) FROM pegs_sample_as(NULL::t, 'graph', 5000, options => '{"part": 1, "parts": 1}') AS r),
	(SELECT md5(string_agg(r::text, ' ')) FROM pegs_sample_as(NULL::t, 'graph', 5000) AS r), 'one part');

-- what is refused
CREATE FUNCTION refused(options text, model text DEFAULT 'graph') RETURNS text LANGUAGE sql AS $$ SELECT format('SELECT count(*) FROM pegs_sample_as(NULL::t, %L, 10, options => %L)', model, options) $$;
SELECT throws_ok(refused('{"part": 1}'), '22023', 'options "part" and "parts" go together');
SELECT throws_ok(refused('{"parts": 1}'), '22023', 'options "part" and "parts" go together');
SELECT throws_ok(refused('{"part": 3, "parts": 2}'), '22023', 'there is no part 3 of 2');
SELECT throws_ok(refused('{"part": 0, "parts": 2}'), '22023', 'option "part" must be a whole number from 1 to 1000000');
SELECT throws_ok(refused('{"part": 1, "parts": 1.5}'), '22023', 'option "parts" must be a whole number from 1 to 1000000');
SELECT throws_ok(refused('{"part": 1, "parts": 2, "fresh": true}'), '22023', 'rows with a fresh key have no parts');
SELECT throws_ok($$SELECT pegs_release('r', 'graph', 10, options => '{"part": 1, "parts": 2}')$$, '22023', 'a release has all rows of its table, not a part');
SELECT lives_ok($$SELECT pegs_fit('sealed', 't', parents => '{}')$$);
SELECT throws_ok($$SELECT * FROM pegs_sample_as(NULL::t, 'sealed', 10, 1, options => '{"part": 1, "parts": 2}')$$, '22023', 'unknown option "part"');
-- each batch is as smooth as the first, with delta and without: two of them hardly differ in any pair (.02 apart, if they are not)
CREATE TABLE wide AS SELECT i % 12 AS a, (i * 7 + i / 12) % 11 AS b, (i / 5) % 13 AS c, (i / 3 + i % 12) % 10 AS d FROM generate_series(1, 3000) AS i;
DO $$ BEGIN FOR i IN 1 .. 4 LOOP EXECUTE format('ALTER TABLE wide ALTER %I SET NOT NULL', substr('abcd', i, 1)); PERFORM pegs_set_levels('wide', substr('abcd', i, 1), ARRAY(SELECT generate_series(0, 12))); END LOOP; END $$;
SELECT pegs_set_budget('wide', 100, delta => 1e-6);
SELECT pegs_fit('wide', 'wide', epsilon => 1, delta => 1e-9), pegs_fit('wide, pure', 'wide', epsilon => 1);
SELECT cmp_ok((SELECT max(apart) FROM (
	SELECT sum(abs(one - two)) / 200000.0 AS apart FROM (
		SELECT k, x, y, count(*) FILTER (WHERE n BETWEEN 100001 AND 200000) AS one, count(*) FILTER (WHERE n > 200000) AS two
		FROM (SELECT row_number() OVER () AS n, r.* FROM pegs_sample(model, 300000) AS r(a int, b int, c int, d int)) AS w, LATERAL (VALUES (1, a, b), (2, a, c), (3, a, d), (4, b, c), (5, b, d), (6, c, d)) AS v(k, x, y)
		GROUP BY k, x, y) AS t GROUP BY k) AS pairs), '<', 0.005, 'batches that are smooth: ' || model) FROM unnest(ARRAY['wide', 'wide, pure']) AS model;
-- so many rows that a part's first one is beyond 2^64 when it is told in millionths, and beyond the batches that 32 bits number
CREATE TABLE far (id bigint PRIMARY KEY, a text NOT NULL CHECK (a IN ('x', 'y', 'z')), c int NOT NULL);
INSERT INTO far SELECT i, (ARRAY['x', 'y', 'z'])[1 + i % 3], i % 40 FROM generate_series(1, 3000) AS i;
SELECT pegs_set_bins('far', 'c', low => 0, high => 40, bins => 8);
SELECT pegs_set_budget('far', 100);
SELECT pegs_fit('far', 'far', '{a,c}', epsilon => 1);
-- a thousand rows of a part: the number of the first, and what the others are
CREATE FUNCTION begins(part int, OUT id bigint, OUT rest text) LANGUAGE sql AS $$
	SELECT min((r).id), md5(string_agg((r).a || (r).c, ' ' ORDER BY (r).id)) FROM (SELECT pegs_sample_as(NULL::far, 'far', 9000000000000000000, options => jsonb_build_object('part', part, 'parts', 1000000, 'keys', 'number')) AS r LIMIT 1000) AS s $$;
SELECT is((begins(1)).id, 1::bigint, 'so many rows: the first part');
SELECT cmp_ok(abs((begins(part)).id - (part - 1) * 9000000000000), '<', 131073::bigint, 'so many rows: where part ' || part || ' begins') FROM unnest(ARRAY[2, 300000, 999999, 1000000]) AS part;
SELECT is((SELECT count(DISTINCT (begins(part)).rest) FROM unnest(ARRAY[1, 2, 64, 128, 300000, 300001, 999999, 1000000]) AS part), 8::bigint, 'so many rows: no two parts are the same');
SELECT * FROM finish();
