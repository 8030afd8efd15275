-- fit: sealed and perturbed models, what is refused, and states made by hand.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS pegs;
CREATE SCHEMA regress_fit;
SET search_path = regress_fit, public;

CREATE TABLE t (a text NOT NULL CHECK (a IN ('x', 'y', 'z')), b boolean, c int NOT NULL, d date);
INSERT INTO t SELECT (ARRAY['x', 'y', 'z'])[1 + i % 3], i % 2 = 0, i % 10, '2024-01-01'::date + i % 30 FROM generate_series(1, 5000) AS i;
INSERT INTO t VALUES ('x', NULL, 0, NULL);
SELECT pegs_set_bins('t', 'c', ARRAY['0', '5', '10']);
SELECT pegs_set_bins('t', 'd', ARRAY['2024-01-01', '2024-01-11', '2024-01-21', '2024-01-31']);
SELECT pegs_set_budget('t', 20, 1e-6, 'sum');
-- exact counts, which only the superuser of this test can read
CREATE FUNCTION unmasked(bytea) RETURNS bytea LANGUAGE c STRICT AS '$libdir/pegs', 'pegs_unmasked';
CREATE FUNCTION body(name text) RETURNS bytea LANGUAGE sql AS
$$ SELECT unmasked(b.body) FROM pegs_internal.body b JOIN pegs_internal.model m ON m.id = b.model WHERE m.name = $1 $$;

---- sealed: nothing is spent
SELECT pegs_fit('sealed', 't', parents => '{}');
SELECT pegs_fit('sealed with parents', 't', parents => '{"a": ["b", "c"], "d": []}');
SELECT pegs_fit('sealed with a tail', 't', parents => '{"a": ["b"]}', tail_bits => 1);
SELECT pegs_fit('sealed, some columns', 't', columns => ARRAY['d', 'a'], parents => '{"d": ["a"]}');
---- perturbed: spent at once, exactly
SELECT pegs_fit('perturbed', 't', epsilon => 1);
SELECT pegs_fit('perturbed with delta', 't', epsilon => 0.5, delta => 1e-9);
SELECT pegs_fit('perturbed, some columns', 't', columns => ARRAY['d', 'a'], epsilon => 0.25, delta => 0);
SELECT spent, delta_spent FROM pegs_budgets WHERE source = 't'::regclass;
SELECT name, source, kind, epsilon, delta, counts FROM pegs_models ORDER BY name;
SELECT pegs_row_type('sealed'), pegs_row_type('perturbed, some columns');
-- what may be said: of a sealed model declared facts only
SELECT string_agg(key, ', ' ORDER BY key) AS keys FROM jsonb_object_keys(pegs_describe('sealed')) AS key;
SELECT pegs_describe('perturbed') ?& ARRAY['mechanism', 'guarantee', 'epsilon', 'delta', 'neighbours', 'unit', 'public', 'rows', 'accounting', 'spent', 'record', 'spec'] AS whole_record;
SELECT pegs_describe('perturbed with delta') @> '{"kind": "perturbed", "epsilon": 0.5, "delta": 1e-9, "neighbours": "add or remove one row", "unit": "one row"}' AS says_so;
SELECT pegs_describe('sealed')->'spec' = pegs_spec('t', parents => '{}')::jsonb AS declared_facts;
CREATE TABLE none (LIKE t INCLUDING ALL);
SELECT pegs_set_bins('none', 'c', ARRAY['0', '5', '10']), pegs_set_bins('none', 'd', ARRAY['2024-01-01', '2024-01-11', '2024-01-21', '2024-01-31']);
SELECT pegs_fit('of an empty table', 'none', parents => '{}');
SELECT pegs_describe('sealed') - 'name' - 'source' = pegs_describe('of an empty table') - 'name' - 'source' AS same_as_of_an_empty_table;

---- arguments (those that are refused alone: test/pgtap/arguments.sql)
SELECT pegs_fit('m', 't', parents => '{}', options => NULL);
SELECT pegs_drop('m');
SELECT pegs_fit('m', 't', epsilon => 1e-9);
SELECT pegs_drop('m');
SELECT spent FROM pegs_budgets WHERE source = 't'::regclass;

---- a value that is not declared: the error names the column and never the value
CREATE TABLE marked (a text, i int, n numeric, f float8, d date, ts timestamp, v varchar(30), c char(20), b bigint);
SELECT pegs_set_levels('marked', 'a', ARRAY['x']), pegs_set_levels('marked', 'i', ARRAY['1']), pegs_set_bins('marked', 'n', ARRAY['0', '1']), pegs_set_bins('marked', 'f', ARRAY['0', '1']),
	pegs_set_bins('marked', 'd', ARRAY['2000-01-01', '2001-01-01']), pegs_set_bins('marked', 'ts', ARRAY['2000-01-01', '2001-01-01']), pegs_set_levels('marked', 'v', ARRAY['x']),
	pegs_set_levels('marked', 'c', ARRAY['x']), pegs_set_bins('marked', 'b', ARRAY['0', '1']);
SELECT pegs_set_budget('marked', 100);
CREATE FUNCTION everything_said(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	m text; d text; h text; x text; k text; c text;
BEGIN
	EXECUTE statement;
	RETURN 'nothing';
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS m = MESSAGE_TEXT, d = PG_EXCEPTION_DETAIL, h = PG_EXCEPTION_HINT, x = PG_EXCEPTION_CONTEXT, k = CONSTRAINT_NAME, c = COLUMN_NAME;
	RETURN concat_ws(E'\n', SQLSTATE, m, d, h, x, k, c);
END $$;
-- NaN, infinities, just outside, and plain
CREATE TABLE markers (col name, value text);
INSERT INTO markers VALUES ('a', 'MARKER-4711'), ('a', ''), ('a', 'X'), ('a', 'x '), ('i', '4711'), ('i', '-2147483648'), ('n', '4711.4711'), ('n', 'NaN'), ('n', '1.0000000001'), ('n', '-0.0000000001'), ('n', 'Infinity'),
	('f', '4711.4711'), ('f', 'NaN'), ('f', '-Infinity'), ('f', '1.0000000000000002'), ('d', '4711-04-07'), ('d', '2001-01-02'), ('d', 'infinity'), ('ts', '4711-04-07 04:07:11'), ('ts', '2001-01-01 00:00:00.000001'), ('ts', '-infinity'),
	('v', 'MARKER-4711'), ('c', 'MARKER-4711'), ('b', '9223372036854774711'), ('b', '-1');
DO $$
DECLARE
	m record;
	said text;
BEGIN
	FOR m IN SELECT * FROM markers LOOP
		TRUNCATE marked;
		EXECUTE format('INSERT INTO marked (%I) VALUES (%L)', m.col, m.value);
		FOR said IN SELECT everything_said(s) FROM unnest(ARRAY[$s$SELECT pegs_fit('m', 'marked', parents => '{}')$s$, $s$SELECT pegs_fit('m', 'marked', epsilon => 1)$s$,
			$s$SELECT pegs_agg(pegs_spec('marked'), a, i, n, f, d, ts, v, c, b) FROM marked$s$]) AS s LOOP
			IF said NOT LIKE '23514%column "' || m.col || '" holds a value that is not in its declared domain%' THEN
				RAISE WARNING 'value % of column %: %', m.value, m.col, said;
			END IF;
			IF said ~ '4711|MARKER|NaN|2001-01-02|00\.000001|1\.00|infinity' THEN
				RAISE WARNING 'leak: %', said;
			END IF;
		END LOOP;
	END LOOP;
END $$;
TRUNCATE marked;
INSERT INTO marked (a) VALUES ('x'), ('MARKER-4711');
SELECT pegs_fit('m', 'marked', columns => ARRAY['a'], parents => '{}');
TRUNCATE marked;
INSERT INTO marked (n) VALUES (47.11);
SELECT pegs_fit('m', 'marked', columns => ARRAY['n'], parents => '{}');
SELECT spent FROM pegs_budgets WHERE source = 'marked'::regclass;
-- edges themselves are inside
TRUNCATE marked;
INSERT INTO marked (n, f, d, ts, b) VALUES (0, 0, '2000-01-01', '2000-01-01', 0), (1, 1, '2001-01-01', '2001-01-01', 1), (0.00, '-0', '2000-06-01', '2000-06-01', NULL);
SELECT pegs_fit('m', 'marked', parents => '{}');
SELECT pegs_drop('m');
-- other takes them; a view that fails to read says no value either
SELECT pegs_set_levels('marked', 'a', ARRAY['x'], other => 'rest');
TRUNCATE marked;
INSERT INTO marked (a) VALUES ('x'), ('MARKER-4711'), ('rest'), (NULL);
CREATE TABLE tidy (a text CHECK (a IN ('x', 'rest')));
INSERT INTO tidy VALUES ('x'), ('rest'), ('rest'), (NULL);
SELECT pegs_set_levels('tidy', 'a', ARRAY['x', 'rest'], other => 'rest');
SELECT pegs_fit('other', 'marked', columns => ARRAY['a'], parents => '{}'), pegs_fit('tidy', 'tidy', parents => '{}');
SELECT body('other') = body('tidy') AS right_counts;
CREATE VIEW failing AS SELECT a::int AS i FROM marked;
SELECT pegs_set_levels('failing', 'i', ARRAY['1']);
SELECT everything_said($$SELECT pegs_fit('m', 'failing', parents => '{}')$$) ~ 'MARKER|4711' AS leaks;
SELECT everything_said($$SELECT pegs_fit('m', 'failing', epsilon => 1)$$) ~ 'MARKER|4711' AS leaks;
CREATE VIEW failing_too AS SELECT (i + 2147483647) AS i FROM marked WHERE 1 / (length(a) - 4) < 5;
SELECT pegs_set_levels('failing_too', 'i', ARRAY['1']);
SELECT everything_said($$SELECT pegs_fit('m', 'failing_too', parents => '{}')$$) ~ 'MARKER|4711' AS leaks;
SELECT spent FROM pegs_budgets WHERE source = 'marked'::regclass;

---- the spec: canonical text of public facts
\pset format unaligned
SELECT pegs_spec('t');
SELECT pegs_spec('t', ARRAY['d', 'a'], parents => '{"a": ["d"]}', tail_bits => 1);
SELECT pegs_spec('marked', ARRAY['a', 'v', 'c']);
\pset format aligned
SELECT pegs_spec('t', columns => ARRAY['a'], parents => '{"b": []}');
SELECT pegs_spec('t', tail_bits => 3);
SELECT pegs_spec(NULL);
-- the order of the keys and of the session's notation do not matter
SELECT pegs_spec('t', parents => '{"a": ["b"], "c": ["a"]}') = pegs_spec('t', parents => '{"c": ["a"], "b": [], "a": ["b"]}') AS same;
SET datestyle = 'SQL, DMY';
SELECT pegs_spec('t') = (SELECT pegs_spec('t') FROM set_config('datestyle', 'German', false)) AS same;
RESET datestyle;

---- states
SELECT pegs_spec('t') AS pairs, pegs_spec('t', parents => '{"a": ["b"], "c": ["a", "d"]}', tail_bits => 1) AS conditional \gset
SELECT pg_typeof(pegs_agg(:'pairs', a, b, c, d)), pg_typeof(pegs_merge(NULL)) FROM t;
-- merge(agg(x), agg(y)) = agg(x and y), byte for byte, however the rows are cut and ordered
CREATE TABLE wholes AS SELECT 'pairs' AS kind, pegs_agg(:'pairs', a, b, c, d) AS state FROM t UNION ALL SELECT 'conditional', pegs_agg(:'conditional', a, b, c, d) FROM t;
CREATE FUNCTION is_whole(kind text, state pegs_state) RETURNS boolean LANGUAGE sql AS $$ SELECT w.state::text = $2::text FROM regress_fit.wholes AS w WHERE w.kind = $1 $$;
SELECT is_whole('pairs', pegs_merge(s)), is_whole('conditional', pegs_merge(s2)) FROM (SELECT pegs_agg(:'pairs', a, b, c, d) AS s, pegs_agg(:'conditional', a, b, c, d) AS s2 FROM t GROUP BY c) AS parts;
SELECT is_whole('pairs', pegs_merge(s)) FROM (SELECT pegs_agg(:'pairs', a, b, c, d) AS s FROM t GROUP BY a, b, c, d ORDER BY d DESC, c) AS parts;
SELECT is_whole('conditional', pegs_agg(:'conditional', a, b, c, d ORDER BY d, a DESC)) FROM t;
SELECT is_whole('pairs', pegs_merge(s)) FROM (SELECT pegs_merge(s) AS s FROM (SELECT pegs_agg(:'pairs', a, b, c, d) AS s, c % 3 AS g FROM t GROUP BY c) AS parts GROUP BY g) AS halves;
-- no row is NULL, which is the empty table
SELECT pegs_agg(:'pairs', a, b, c, d) IS NULL AS agg_of_nothing, pegs_merge(NULL) IS NULL AS merge_of_null FROM t WHERE false;
SELECT is_whole('pairs', pegs_merge(s)) FROM (SELECT state AS s FROM wholes WHERE kind = 'pairs' UNION ALL SELECT NULL UNION ALL SELECT pegs_agg(:'pairs', a, b, c, d) FROM t WHERE false) AS parts;
-- FILTER, DISTINCT, GROUP BY, a window frame
SELECT is_whole('pairs', pegs_merge(s)) FROM (SELECT unnest(ARRAY[pegs_agg(:'pairs', a, b, c, d) FILTER (WHERE b), pegs_agg(:'pairs', a, b, c, d) FILTER (WHERE b IS NOT TRUE)]) AS s FROM t) AS parts;
SELECT pegs_agg(DISTINCT :'pairs', a, b, c, d)::text = (SELECT pegs_agg(:'pairs', a, b, c, d)::text FROM (SELECT DISTINCT * FROM t) AS x) AS distinct_rows FROM t;
SELECT bool_and(s::text = (SELECT pegs_agg(:'pairs', a, b, c, d)::text FROM t AS u WHERE u.c = x.c)) AS groups, count(*) FROM (SELECT c, pegs_agg(:'pairs', a, b, c, d) AS s FROM t GROUP BY c) AS x;
SELECT is_whole('pairs', max(s)::pegs_state) FROM (SELECT pegs_agg(:'pairs', a, b, c, d) OVER ()::text AS s FROM t LIMIT 3) AS w;
SELECT bool_and(s = (SELECT pegs_agg(:'pairs', a, b, c, d)::text FROM t AS u WHERE u.ctid <= w.id)) AS running FROM
	(SELECT ctid AS id, pegs_agg(:'pairs', a, b, c, d) OVER (ORDER BY ctid)::text AS s FROM t WHERE ctid < '(0,20)') AS w;
SELECT bool_and(s = (SELECT pegs_agg(:'pairs', a, b, c, d)::text FROM t AS u WHERE u.ctid BETWEEN w.before AND w.id)) AS moving FROM
	(SELECT ctid AS id, coalesce(lag(ctid) OVER (ORDER BY ctid), ctid) AS before, pegs_agg(:'pairs', a, b, c, d) OVER (ORDER BY ctid ROWS 1 PRECEDING)::text AS s FROM t WHERE ctid < '(0,20)') AS w;
SELECT count(*), count(DISTINCT s::text) FROM (SELECT i, pegs_agg(:'pairs', 'x'::text, true, 1, NULL::date) AS s FROM generate_series(1, 3000) AS i GROUP BY i) AS many_groups;
SELECT count(s) FROM (SELECT a, c, pegs_agg(:'pairs', a, b, c, d) AS s FROM t GROUP BY GROUPING SETS ((a), (c), ())) AS x;
-- in parallel: the same bytes, and it is a parallel plan
CREATE FUNCTION plan_has(statement text, what text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
	line text;
	found boolean := false;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || statement LOOP found := found OR line LIKE '%' || what || '%'; END LOOP;
	RETURN found;
END $$;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 2;
ALTER TABLE t SET (parallel_workers = 2);
SELECT plan_has(format('SELECT pegs_agg(%L, a, b, c, d) FROM t', :'pairs'), 'Partial Aggregate') AS is_parallel;
SELECT is_whole('pairs', pegs_agg(:'pairs', a, b, c, d)), is_whole('conditional', pegs_agg(:'conditional', a, b, c, d)) FROM t;
-- with the spec made once, in a sub-select
SELECT plan_has($$SELECT pegs_agg((SELECT pegs_spec('t')), a, b, c, d) FROM t$$, 'Partial Aggregate') AS is_parallel;
SELECT is_whole('pairs', pegs_agg((SELECT pegs_spec('t')), a, b, c, d)) FROM t;
CREATE TABLE parallel_state AS SELECT pegs_agg((SELECT pegs_spec('t')), a, b, c, d) AS s FROM t;
SET parallel_leader_participation = off;
SELECT is_whole('pairs', pegs_agg(:'pairs', a, b, c, d)), is_whole('conditional', pegs_agg(:'conditional', a, b, c, d)) FROM t;
RESET parallel_leader_participation;
CREATE TABLE parts AS SELECT pegs_agg(:'pairs', a, b, c, d) AS s FROM t GROUP BY c, d;
ALTER TABLE parts SET (parallel_workers = 2);
SELECT plan_has('SELECT pegs_merge(s) FROM parts', 'Partial Aggregate') AS is_parallel;
SELECT is_whole('pairs', pegs_merge(s)) FROM parts;
-- the scan of a fit may be parallel too
SELECT pegs_fit('parallel', 't', parents => '{}');
SELECT body('parallel') = body('sealed') AS same;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;
RESET max_parallel_workers_per_gather;
-- a state is stored, sent and read back
CREATE TABLE sent AS SELECT state::text AS hex, state FROM wholes;
SELECT bool_and(hex::pegs_state::text = hex), bool_and(state::text = hex), bool_and(hex LIKE '\\x%') FROM sent;
COPY sent (state) TO '/dev/null' (FORMAT binary);

---- fitting a state
SELECT pegs_fit_state('from state', 't', (SELECT pegs_agg((SELECT pegs_spec('t', parents => '{}')), a, b, c, d) FROM t), parents => '{}');
SELECT body('from state') = body('sealed') AS same_as_a_fit;
SELECT pegs_fit_state('from parts', 't', (SELECT pegs_merge(s) FROM parts), epsilon => 1);
SELECT pegs_fit_state('from nothing', 't', NULL, parents => '{}');
SELECT body('from nothing') = body('of an empty table') AS same_as_an_empty_table;
SELECT name, kind, epsilon, counts FROM pegs_models WHERE name LIKE 'from %' ORDER BY name;
SELECT count(*) FROM pegs_sample('from parts', 10) AS x(a text, b boolean, c int, d date);
-- of another spec: other tables, other columns, another order, other facts
SELECT pegs_fit_state('m', 't', (SELECT pegs_merge(s) FROM parts), parents => '{}');
SELECT pegs_fit_state('m', 't', (SELECT pegs_agg((SELECT pegs_spec('t', parents => '{}')), a, b, c, d) FROM t), epsilon => 1);
SELECT pegs_fit_state('m', 't', (SELECT pegs_agg((SELECT pegs_spec('t', parents => '{}')), a, b, c, d) FROM t), parents => '{"a": ["b"]}');
SELECT pegs_fit_state('m', 't', (SELECT pegs_agg((SELECT pegs_spec('t', parents => '{}')), a, b, c, d) FROM t), parents => '{}', tail_bits => 1);
SELECT pegs_fit_state('m', 't', (SELECT pegs_agg((SELECT pegs_spec('t', ARRAY['a', 'b'], parents => '{}')), a, b) FROM t), parents => '{}');
SELECT pegs_fit_state('m', 't', (SELECT pegs_agg((SELECT pegs_spec('t', ARRAY['b', 'a'], parents => '{}')), b, a) FROM t), columns => ARRAY['a', 'b'], parents => '{}');
SELECT pegs_fit_state('m', 'marked', (SELECT pegs_merge(s) FROM parts), columns => ARRAY['a'], parents => '{}');
SELECT pegs_merge(state) FROM wholes;
SELECT pegs_fit_state('m', 't', NULL);
SELECT pegs_fit_state('m', 't', NULL, epsilon => 1, parents => '{}');
SELECT pegs_fit_state(NULL, 't', NULL, parents => '{}');

---- calling the aggregate wrongly
SELECT pegs_agg(:'pairs', a, b, c) FROM t;
SELECT pegs_agg(:'pairs', a, b, c, d, a) FROM t;
SELECT pegs_agg(:'pairs') FROM t;
SELECT pegs_agg(:'pairs', b, a, c, d) FROM t;
SELECT pegs_agg(:'pairs', a, b, c::bigint, d) FROM t;
SELECT pegs_agg(:'pairs', a, b, c, d::timestamp) FROM t;
SELECT pegs_agg(:'pairs', 'x', b, c, d) FROM t;
SELECT pegs_agg(:'pairs', t) FROM t;
SELECT pegs_agg(:'pairs', VARIADIC ARRAY[a]) FROM t;
SELECT pegs_agg(NULL, a, b, c, d) FROM t;
SELECT pegs_agg(CASE WHEN i = 2 THEN replace(:'pairs', '"x"', '"w"') ELSE :'pairs' END, a, b, c, d) FROM (SELECT *, row_number() OVER () AS i FROM t) AS u;
SELECT pegs_agg(CASE WHEN i < 3 THEN :'pairs' END::json, a, b, c, d) FROM (SELECT *, row_number() OVER () AS i FROM t) AS u;
SELECT pegs_agg('', a) FROM t;
SELECT pegs_agg('{}', a) FROM t;
SELECT pegs_agg('[]', a) FROM t;
SELECT pegs_agg('{"pegs": 1, "tables": "pairs", "columns": []}', a) FROM t;
SELECT pegs_agg('{"pegs": 1, "tables": "quads", "columns": [{"name": "a", "type": "text", "levels": ["x"], "null": false}]}', a) FROM t;
SELECT pegs_agg('{"pegs": 1, "tables": "pairs", "columns": [{"name": "a", "type": "no_such_type", "levels": ["x"], "null": false}]}', a) FROM t;
SELECT pegs_agg('{"pegs": 1, "tables": "pairs", "columns": [{"name": "a", "type": "json", "levels": ["x"], "null": false}]}', a) FROM t;
SELECT pegs_agg('{"pegs": 1, "tables": "pairs", "columns": [{"name": "a", "type": "text", "levels": [], "null": false}]}', a) FROM t;
SELECT pegs_agg('{"pegs": 1, "tables": "pairs", "columns": [{"name": "a", "type": "text", "levels": ["x", 1], "null": false}]}', a) FROM t;
SELECT pegs_agg('{"pegs": 1, "tables": "pairs", "columns": [{"name": "a", "type": "text", "levels": ["x"]}]}', a) FROM t;
SELECT pegs_agg('{"pegs": 1, "tables": "pairs", "columns": [{"name": "a", "type": "text", "levels": ["x"], "null": 3}]}', a) FROM t;
SELECT pegs_agg('{"pegs": 1, "tables": "pairs", "columns": [{"name": "a", "type": "text", "levels": ["x"], "other": "y", "null": false}]}', a) FROM t;
SELECT pegs_agg('{"pegs": 1, "tables": "pairs", "columns": [{"name": "c", "type": "integer", "edges": ["5", "1"], "null": false}]}', c) FROM t;
SELECT pegs_agg('{"pegs": 1, "tables": "pairs", "columns": [{"name": "c", "type": "integer", "edges": ["a", "b"], "null": false}]}', c) FROM t;
SELECT pegs_agg('{"pegs": 1, "tables": "pairs", "columns": [{"name": "c", "type": "integer", "edges": ["1"], "null": false}]}', c) FROM t;
SELECT pegs_agg('{"pegs": 1, "tables": "pairs", "columns": [{"name": "a", "type": "text", "edges": ["a", "b"], "null": false}]}', a) FROM t;
SELECT pegs_agg('{"pegs": 1, "tables": "conditional", "tail_bits": 7, "columns": [{"name": "a", "type": "text", "levels": ["x"], "null": false, "parents": []}]}', a) FROM t;
SELECT pegs_agg('{"pegs": 1, "tables": "conditional", "tail_bits": 0, "columns": [{"name": "a", "type": "text", "levels": ["x"], "null": false, "parents": ["a"]}]}', a) FROM t;
SELECT pegs_agg('{"pegs": 1, "tables": "conditional", "tail_bits": 0, "columns": [{"name": "a", "type": "text", "levels": ["x"], "null": false}]}', a) FROM t;
SELECT pegs_agg('{"pegs": 1, "tables": "pairs", "columns": [{"name": "a", "type": "text", "levels": ["x"], "null": false}, {"name": "a", "type": "text", "levels": ["x"], "null": false}]}', a, a) FROM t;
-- a spec that changes from row to row counts by the first; a value outside is still an error
SELECT pegs_agg(:'pairs', a, b, c + 100, d) FROM t;

---- bytes that are not a state
SELECT ''::pegs_state;
SELECT '\x'::pegs_state;
SELECT '\x00'::pegs_state;
SELECT 'nonsense'::pegs_state;
SELECT '\xzz'::pegs_state;
SELECT repeat('\xff', 1)::pegs_state;
SELECT ('\x' || repeat('ff', 1000))::pegs_state;
SELECT ('\x' || repeat('00', 1000))::pegs_state;
-- every truncation and one more byte; flipped bits never crash, and what still reads is the right length
CREATE FUNCTION reads(bytes bytea) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	RETURN length(bytes::text::pegs_state::text);
EXCEPTION WHEN invalid_binary_representation OR feature_not_supported OR data_exception THEN
	RETURN SQLSTATE;
END $$;
CREATE TABLE small AS SELECT pegs_agg((SELECT pegs_spec('t', ARRAY['a', 'b'], parents => '{"a": ["b"]}')), a, b)::text::bytea AS bytes FROM t;
SELECT reads(bytes) = length(bytes::text)::text AS whole FROM small;
SELECT reads(substr(bytes, 1, i)) AS outcome, count(*) = (SELECT length(bytes) FROM small) AS every_truncation FROM small, generate_series(0, length(bytes) - 1) AS i GROUP BY 1;
SELECT reads(bytes || '\x00') FROM small;
SELECT count(*) > 0 AS ran, bool_and(o IN ('22P03', '0A000', length(bytes::text)::text)) AS error_or_same_length
FROM (SELECT bytes, reads(set_bit(bytes, i::bigint, 1 - get_bit(bytes, i::bigint))) AS o FROM small, generate_series(0, 8 * length(bytes) - 1, 3) AS i) AS x;
-- a model's bytes are not a state
SELECT body('perturbed')::text::pegs_state;
-- neither is a state of another server's later version
SELECT reads(set_byte(bytes, 4, 255)) IN ('22P03', '0A000') AS refused FROM small;

---- parts of the aggregates cannot be called by themselves; minor releases of the server differ in the words
CREATE AGGREGATE broken (bytea) (SFUNC = byteacat, STYPE = bytea);
CREATE FUNCTION refused(call text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE 'SELECT pegs_internal.' || call;
	RETURN false;
EXCEPTION WHEN undefined_function OR feature_not_supported THEN
	RETURN true;
END $$;
SELECT call, refused(call) FROM unnest(ARRAY[
	'agg_transition(NULL, ''spec'', ''x''::text)', 'agg_final(NULL)', 'agg_combine(NULL, NULL)', 'merge_transition(NULL, NULL)',
	'agg_serialize(NULL)', 'agg_deserialize(''\x00'', NULL)', 'state_recv(NULL)',
	-- nor by an aggregate of one's own in which they mean something else
	'agg_deserialize(broken(''\x00''), NULL)']) AS call;

---- what the caller may not have meant is said, once, and not where it was meant
CREATE TABLE meant (b boolean NOT NULL);
SELECT pegs_set_budget('meant', 100, 2e-9, 'sum');
SET client_min_messages = notice;
SELECT pegs_fit('meant 1', 'meant');
-- what is proposed is of the same family, and runs: one table takes no delta in a budget of sums
SELECT pegs_fit('meant 1, by table', 'meant', method => 'table');
SELECT pegs_fit('meant 1, by columns', 'meant', method => 'marginals');
SELECT pegs_fit('meant 1, by regressions', 'meant', parents => '{}', method => 'regression');
-- nothing is said of what is refused
SELECT pegs_fit('meant 1, refused', 'meant', parents => '{}', method => 'regression', options => '{"folds": 3, "lambda": 1}');
SELECT pegs_fit('meant 2', 'meant', epsilon => 1);
-- delta: where many tables are measured, and not where few are
CREATE TABLE wide (a boolean NOT NULL, b boolean NOT NULL, c boolean NOT NULL, d boolean NOT NULL, e boolean NOT NULL, f boolean NOT NULL, g boolean NOT NULL);
SELECT pegs_set_budget('wide', 100, 2e-9, 'sum');
SELECT pegs_fit('meant 2, many tables', 'wide', epsilon => 1);
SELECT pegs_fit('meant 2, few tables', 'wide', '{a,b,c}', epsilon => 1);
SELECT pegs_fit('meant 2, single columns', 'wide', epsilon => 1, method => 'marginals');
SELECT pegs_fit('meant 2, many choices', 'wide', '{a,b}', epsilon => 1, method => 'pmse');
SELECT pegs_fit('meant 2, few choices', 'wide', '{a,b}', epsilon => 1, method => 'pmse', options => '{"rounds": 5}');
SELECT pegs_fit('meant 2, with delta', 'wide', epsilon => 1, delta => 2e-9);
SELECT pegs_fit('meant 2, when none is left', 'wide', epsilon => 1);
-- what is forbidden is in no row, and in some models
SELECT pegs_forbid('wide', '{"a": true, "b": true}');
SELECT pegs_fit('meant 2, forbidden', 'wide', '{a,b}', epsilon => 1, method => 'marginals');
SELECT pegs_fit('meant 2, forbidden, other columns', 'wide', '{b,c}', epsilon => 1, method => 'marginals');
SELECT pegs_fit('meant 2, forbidden, by graph', 'wide', '{a,b}', epsilon => 1);
SELECT pegs_fit('meant 3', 'meant', epsilon => 1, delta => 2e-9);
-- no delta is left: nothing to say
SELECT pegs_fit('meant 4', 'meant', epsilon => 1);
-- refused: nothing is said but why
SELECT pegs_fit('meant 4', 'meant', parents => '{}');
SELECT pegs_fit('meant 5', 'meant', epsilon => 1000);
SET client_min_messages = warning;

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

---- a domain that is too large to count
CREATE TABLE large (a int NOT NULL, b int NOT NULL, c boolean NOT NULL);
SELECT pegs_set_levels('large', col, ARRAY(SELECT i::text FROM generate_series(1, 9000) AS i)) FROM unnest(ARRAY['a', 'b']::name[]) AS col;
SELECT pegs_set_budget('large', 10);
SELECT pegs_fit('large', 'large', parents => '{"a": ["b"]}');
SELECT length(pegs_spec('large')) > 0;
SELECT spent FROM pegs_budgets WHERE source = 'large'::regclass;
SELECT pegs_fit('large', 'large', parents => '{"c": ["b"]}');
SET client_min_messages = notice;
SELECT pegs_fit('rows wanted', 'large', ARRAY['b', 'c'], epsilon => 1, method => 'table');
SET client_min_messages = warning;

SELECT count(pegs_drop(name)) > 0 FROM pegs_releases;
SELECT count(pegs_drop(name)) > 0 FROM pegs_models;
DROP SCHEMA regress_fit CASCADE;
