-- what the rows of a model are for (options => '{"target": ...}'): stored, told, repeated by what is fitted anew and by slices, in a
-- file; refused where it would say nothing, and then nothing is charged
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS pegs;
CREATE SCHEMA target;
CREATE ROLE ta_curator;
GRANT USAGE, CREATE ON SCHEMA target TO ta_curator;
SELECT pegs_allow('ta_curator');
SET search_path = target, public;
SELECT * FROM no_plan();
SET ROLE ta_curator;

CREATE TABLE visit (ward text NOT NULL CHECK (ward IN ('A', 'B', 'C')), age int NOT NULL, born timestamp NOT NULL, pay int NOT NULL,
	old boolean NOT NULL, rich boolean NOT NULL);
INSERT INTO visit SELECT substr('AB', 1 + i % 2, 1), i % 100, timestamp '2000-01-01' + i % 300 * interval '7 hours', i % 90, i % 100 > 60, i % 90 > 60
	FROM generate_series(1, 400) AS i;
SELECT pegs_set_bins('visit', 'age', 0, 100, 10), pegs_set_bins('visit', 'pay', 0, 100, 10),
	pegs_set_bins('visit', 'born', '{2000-01-01, 2000-04-01}', parts => '{date, hour}'), pegs_set_derived('visit', 'old', 'age > 60');
SELECT pegs_set_budget('visit', 100, 1e-6, 'sum');
CREATE FUNCTION spent() RETURNS numeric LANGUAGE sql AS $$SELECT spent FROM pegs_budgets WHERE source = 'target.visit'::regclass$$;
-- what a statement says, which is undone, and whether it charged; what it leaves without a HINT, too
CREATE FUNCTION said(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	before numeric := target.spent();
	hint text;
	said text;
BEGIN
	BEGIN
		EXECUTE statement;
		RETURN 'nothing was refused';
	EXCEPTION WHEN OTHERS THEN
		GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT;
		said := SQLSTATE || ' ' || SQLERRM || CASE WHEN hint = '' THEN ' (no hint)' ELSE '' END;
	END;
	RETURN said || CASE WHEN before IS DISTINCT FROM target.spent() THEN ' (charged)' ELSE '' END;
END
$$;
CREATE FUNCTION told(name text) RETURNS text LANGUAGE sql AS $$
	SELECT concat_ws(' ', d ->> 'target', d -> 'spec' ->> 'target', pegs_certificate(name) ->> 'target', d ->> 'public') FROM pegs_describe(name) AS d $$;

---- told
SELECT lives_ok($$SELECT pegs_fit('m', 'visit', epsilon => 1, delta => 1e-9, options => '{"target": "rich"}')$$, 'one column, by its name');
SELECT is(told('m'), '["rich"] ["rich"] ["rich"] columns, declared levels and bins, target, expressions of computed columns', 'is told');
SELECT lives_ok($$SELECT pegs_fit('two', 'visit', epsilon => 1, delta => 1e-9, options => '{"target": ["rich", "ward"]}')$$, 'two of them');
SELECT is(told('two'), '["ward", "rich"] ["ward", "rich"] ["ward", "rich"] columns, declared levels and bins, target, expressions of computed columns', 'are told in their order');
SELECT lives_ok($$SELECT pegs_fit('none', 'visit', epsilon => 1, delta => 1e-9)$$, 'none');
SELECT is(told('none'), 'columns, declared levels and bins, expressions of computed columns', 'nothing is told');
SELECT matches(pegs_certificate_text('two'), E'\ntarget:      ward, rich\n', 'the certificate, as text');
SELECT ok(pegs_certificate_text('none') !~ 'target', 'and without');
SELECT is(pegs_certificate('none') -> 'computed', '["born", "old"]', 'columns that are computed are named, too');
SELECT matches(pegs_certificate_text('none'), E'\ncomputed:    born, old\n', 'as text');
SELECT matches(pegs_summary('none'), '<dt>computed</dt><dd>born, old</dd>', 'on the page that may be passed on');
SELECT matches(pegs_summary('two'), '<dt>target</dt><dd>ward, rich</dd>', 'the page that may be passed on');
SELECT ok(pegs_summary('none') !~ '<dt>target', 'and without');
SELECT is(spent(), 3::numeric, 'it costs nothing besides');

---- parts of a time
SELECT lives_ok($$SELECT pegs_fit('born', 'visit', epsilon => 1, options => '{"target": "born"}')$$, 'a column that is modelled by its parts');
SELECT is(told('born'), '["born"] ["born.date", "born.hour"] ["born"] columns, declared levels and bins, target, expressions of computed columns', 'all of its parts are');

---- refused
SELECT is(said(format('SELECT pegs_fit(''x'', ''visit'', epsilon => 1, options => %L)', options)), answer, options) FROM (VALUES
	('{"target": "no"}', '42703 target "no" is not a column of the model'),
	('{"target": ["rich", "no"]}', '42703 target "no" is not a column of the model'),
	('{"target": "born.hour"}', '42703 target "born.hour" is not a column of the model'),
	('{"target": "old"}', '22023 column "old" cannot be a target: it is computed from others'),
	('{"target": []}', '22023 target must be the name of a column, or a list of such names'),
	('{"target": 1}', '22023 target must be the name of a column, or a list of such names'),
	('{"target": null}', '22023 target must be the name of a column, or a list of such names'),
	('{"target": [null]}', '22023 target must be the name of a column, or a list of such names'),
	('{"target": {"rich": 1}}', '22023 target must be the name of a column, or a list of such names'),
	('{"target": [["rich"]]}', '22023 target must be the name of a column, or a list of such names'),
	('{"target": ["rich", "rich"]}', '22023 column "rich" is named twice in target'),
	('{"targets": "rich"}', '22023 unknown option "targets"')) AS v (options, answer);
SELECT is(said($$SELECT pegs_fit('x', 'visit', ARRAY['ward', 'age'], epsilon => 1, options => '{"target": "rich"}')$$), '42703 target "rich" is not a column of the model', 'it must be one of the model');
SELECT is(said($$SELECT pegs_fit('x', 'visit', parents => '{}', options => '{"target": "rich"}')$$), '22023 target cannot be given with method "pegs"', 'sealed: nothing is chosen by it');
SELECT is(said($$SELECT pegs_fit('x', 'visit', structure_epsilon => 1, options => '{"target": "rich"}')$$), '22023 target cannot be given with method "pegs"', 'nor are parents');
SELECT is(said($$SELECT pegs_fit('x', 'visit', parents => '{}', options => '{"target": "rich", "l_diversity": 1.5}')$$), '22023 target cannot be given with method "pegs l-diverse"', 'l-diverse');

---- what is said of a column that follows from another, level by level: that one's name, not the list
CREATE TABLE shop (code text NOT NULL CHECK (code IN ('a1', 'a2', 'b1')), chapter text NOT NULL);
SELECT pegs_set_function('shop', 'chapter', of => 'code', mapping => '{"a1": "a", "a2": "a", "b1": "b"}'), pegs_set_budget('shop', 1);
CREATE FUNCTION besides(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	detail text;
	hint text;
BEGIN
	EXECUTE statement;
	RETURN 'nothing was refused';
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
	RETURN detail || ' ' || hint;
END
$$;
SELECT is(besides($$SELECT pegs_fit('x', 'shop', epsilon => 1, options => '{"target": "chapter"}')$$),
	'It is a function of column "code". Name that column.', 'a function of a target that can be one');
SELECT is(besides($$SELECT pegs_fit('x', 'visit', epsilon => 1, options => '{"target": "old"}')$$),
	'It is (age > 60). Name the columns that it is computed from.', 'an expression is told');

---- before a fit
SELECT is((SELECT array_agg(p.difference_points = q.difference_points AND p.in_words <> q.in_words ORDER BY p.epsilon)
	FROM pegs_plan('visit', 1000, delta => 1e-9) AS p JOIN pegs_plan('visit', 1000, delta => 1e-9, options => '{"target": "rich"}') AS q USING (epsilon)),
	'{t,t,t}', 'pegs_plan says what is seen of it');
SELECT matches(in_words, '^a share of 10 % is known to within [0-9.]+ points; between two groups of half the rows a difference below [0-9.]+ points is not likely to be seen, in the target below [0-9.]+; the budget', 'in words')
	FROM pegs_plan('visit', 3000, delta => 1e-9, options => '{"target": ["rich", "ward"]}') WHERE epsilon = 1;
SELECT matches(in_words, '^a share of 10 % is lost in the noise; no difference between two groups of half the rows is likely to be seen, but for one of [0-9.]+ points in the target; the budget', 'and where nothing else is')
	FROM generate_series(10, 1000) AS n, pegs_plan('visit', n, delta => 1e-9, options => '{"target": "rich"}') WHERE epsilon = 1 AND in_words LIKE '%but for one%' LIMIT 1;
SELECT ok(in_words !~ 'target', 'not where all pairs are measured') FROM pegs_plan('visit', 1000000000, delta => 1e-9, options => '{"target": "rich"}') WHERE epsilon = 3;
SELECT is(said($$SELECT * FROM pegs_plan('visit', 10, options => '{"target": "no"}')$$), '42703 target "no" is not a column of the model', 'its target must be a column');
SELECT is(said($$SELECT * FROM pegs_plan('visit', 10, options => '{"l_diversity": 2}')$$), '22023 unknown option "l_diversity"', 'nothing else is an option');

---- fitted anew
SELECT lives_ok($$SELECT pegs_refit('two')$$, 'fitted anew');
SELECT is(told('two'), '["ward", "rich"] ["ward", "rich"] ["ward", "rich"] columns, declared levels and bins, target, expressions of computed columns', 'for the same target');
SELECT lives_ok($$SELECT pegs_refit('none')$$, 'and without');
SELECT is(told('none'), 'columns, declared levels and bins, expressions of computed columns', 'without');
CREATE FUNCTION hint_of(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	hint text;
BEGIN
	EXECUTE statement;
	RETURN 'nothing was refused';
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT;
	RETURN hint;
END
$$;
SELECT matches(hint_of($$ALTER TABLE target.visit DROP CONSTRAINT visit_ward_check; SELECT pegs_set_levels('target.visit', 'ward', '{A, B}'); SELECT pegs_refit('two')$$),
	'epsilon => 1, delta => 0\.000000001, options => ''{"target": \["ward", "rich"\]}''\);$', 'what it says to run instead has the target, too');
SELECT matches(hint_of($$ALTER TABLE target.visit DROP rich; SELECT * FROM pegs_audit('two', 100)$$),
	', ARRAY\[.*\], epsilon => 1, delta => 0\.000000001, options => ''{"target": \["ward"\]}''\);$', 'as far as it is there');
SELECT ok(holds, 'audited') FROM pegs_audit('m', 200);

---- it does something: of 30 fits and 30, by chance wrong less often than once in a billion (engine_target_test.c has the same with fixed keys: 103 and 37)
SELECT setseed(0.5);
CREATE TABLE chain AS SELECT a AS c1, a AS c2, a AS c3, a AS c4, a AS c5, a AS c6, a AS c7, a AS c8, a AS c9, false AS c10 FROM generate_series(0, 7) AS a WITH NO DATA;
DO $$
DECLARE
	c int[];
	x int;
BEGIN
	FOR r IN 1..4000 LOOP
		c := '{}';
		FOR i IN 1..9 LOOP
			x := CASE WHEN i > 1 AND random() < 0.667 THEN x ELSE floor(8 * random()) END;
			c := c || x;
		END LOOP;
		INSERT INTO target.chain VALUES (c[1], c[2], c[3], c[4], c[5], c[6], c[7], c[8], c[9], (SELECT sum(y) FROM unnest(c) AS y) + floor(40 * random()) > 52);
	END LOOP;
END
$$;
SELECT pegs_set_levels('chain', 'c' || i, '{0, 1, 2, 3, 4, 5, 6, 7}') FROM generate_series(1, 9) AS i;
ALTER TABLE chain ALTER c10 SET NOT NULL;
SELECT pegs_set_budget('chain', 100);
SELECT pegs_fit('chain ' || i, 'chain', epsilon => 1, options => CASE WHEN i > 30 THEN '{"target": "c10"}' ELSE '{}' END::jsonb) FROM generate_series(1, 60) AS i;
SELECT cmp_ok((SELECT count(*) FROM generate_series(31, 60) AS i, pegs_pairs('chain ' || i) AS p WHERE 'c10' = ANY (p.columns)), '>',
	(SELECT count(*) + 20 FROM generate_series(1, 30) AS i, pegs_pairs('chain ' || i) AS p WHERE 'c10' = ANY (p.columns)), 'more pairs with it are measured');

---- a state
SELECT pegs_fit_state('of a state', 'visit', (SELECT pegs_agg((SELECT pegs_spec('visit', '{ward, pay, rich}')), ward, pay, rich) FROM visit), '{ward, pay, rich}', epsilon => 1, options => '{"target": "rich"}');
SELECT is(told('of a state'), '["rich"] ["rich"] ["rich"] columns, declared levels and bins, target', 'a model of a state');
SELECT is((SELECT pegs_agg(pegs_describe('of a state') ->> 'spec', ward, pay, rich)::text FROM visit),
	(SELECT pegs_agg((SELECT pegs_spec('visit', '{ward, pay, rich}')), ward, pay, rich)::text FROM visit), 'what is counted is the same');

---- a file
SELECT pegs_export('two') AS file \gset
RESET ROLE;
SELECT pegs_import('from a file', :'file');
SELECT is(pegs_describe('from a file') ->> 'target', '["ward", "rich"]', 'a file has it');
SELECT is(pegs_describe('from a file') -> 'spec', pegs_describe('two') -> 'spec', 'in its spec');
SELECT throws_ok(format('SELECT pegs_agg(%L, ''A''::text)', replace(spec, '"forbidden"', target)), '22023', NULL, target) FROM (VALUES
	('"target": "ward"'), ('"target": []'), ('"target": ["no"]'), ('"target": [1]'), ('"target": ["ward", "ward"]'), ('"target": {}'), ('"target": 1')) AS v (target),
	(SELECT '{"pegs": 1, "tables": "pairs", "columns": [{"name": "ward", "type": "text", "levels": ["A"], "null": false}], "forbidden"}' AS spec) AS s;
SELECT throws_ok($$SELECT pegs_agg('{"pegs": 1, "tables": "conditional", "tail_bits": 0, "columns": [{"name": "ward", "type": "text", "levels": ["A"], "null": false, "parents": []}], "target": ["ward"]}', 'A'::text)$$,
	'22023', NULL, 'not of conditional tables');
SET ROLE ta_curator;

---- slices
CREATE TABLE event (at timestamptz NOT NULL, kind text NOT NULL CHECK (kind IN ('a', 'b')), good boolean NOT NULL);
INSERT INTO event SELECT timestamptz '2026-01-01 00:00Z' + i * interval '1 hour', substr('ab', 1 + i % 2, 1), i % 3 = 0 FROM generate_series(0, 200) AS i;
CREATE TRIGGER keep BEFORE UPDATE ON event FOR EACH ROW EXECUTE FUNCTION pegs_keep_slices('at');
ALTER TABLE event ENABLE ALWAYS TRIGGER keep;
SELECT pegs_set_budget('event', 10, 1e-6);
SELECT pegs_set_slices('event', 'at', width => '1 day', origin => '2026-01-01', epsilon => 1, delta => 1e-9);
SELECT is(said($$SELECT pegs_fit_slices('s', 'event', options => '{"target": "no"}')$$), '42703 target "no" is not a column of the model', 'no column');
SELECT is(said($$SELECT pegs_fit_slices('s', 'event', options => '{"target": "at"}')$$), '42703 target "at" is not a column of the model', 'the column of the slices');
SELECT is(said($$SELECT pegs_fit_slices('s', 'event', options => '{"l_diversity": 2}')$$), '22023 unknown option "l_diversity"', 'nothing else is an option');
SELECT is(pegs_fit_slices('s', 'event', most => 2, options => '{"target": "good"}'), 2::bigint, 'two slices');
SELECT is(said($$SELECT pegs_fit_slices('s', 'event', most => 1, options => '{"target": "kind"}')$$), '22023 model "s" has another target', 'not for another target');
SELECT is(pegs_fit_slices('s', 'event', most => 1), 1::bigint, 'the next one');
SELECT is(pegs_describe('s') ->> 'target', '["good"]', 'repeats it');
SELECT is(pegs_fit_slices('s', 'event', most => 1, options => '{"target": ["good"]}'), 1::bigint, 'and one for the same');
RESET ROLE;
SELECT is((SELECT string_agg(DISTINCT spec::jsonb ->> 'target', ' ') || ' ' || count(*) FROM pegs_internal.model WHERE grid IS NOT NULL AND account = 'event'::regclass), '["good"] 4', 'all of them have it');
SET ROLE ta_curator;
SELECT is(hint_of($$ALTER TABLE target.event DROP CONSTRAINT event_kind_check; SELECT pegs_set_levels('target.event', 'kind', '{a, b, c}'); SELECT pegs_fit_slices('s', 'target.event')$$),
	$$Put that back; or drop the model with all its slices, and fit those that are left: SELECT pegs_drop('s'); SELECT pegs_fit_slices('s', 'target.event', ARRAY['kind', 'good'], options => '{"target": ["good"]}');$$, 'what it says to run instead has the target, too');
SELECT pegs_drop('s');
SELECT is(pegs_fit_slices('plain', 'event', most => 1), 1::bigint, 'without');
SELECT is(said($$SELECT pegs_fit_slices('plain', 'event', most => 1, options => '{"target": "kind"}')$$), '22023 model "plain" has no target', 'not with one, then');

SELECT * FROM finish();
