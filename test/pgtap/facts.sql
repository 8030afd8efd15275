-- Facts are of columns, not of names; a view's are told by its own names; what is not known is refused; long texts are cut in messages.
SET client_min_messages = warning;
CREATE EXTENSION pegs;
SELECT plan(75);
CREATE FUNCTION domain_of(relation regclass, wanted name) RETURNS text LANGUAGE sql AS $$ SELECT concat_ws('; ', origin, n, levels[1], levels[2], problem) FROM pegs_domain(relation) WHERE column_name = wanted $$;
CREATE FUNCTION hint_of(statement text) RETURNS text LANGUAGE plpgsql AS $$ DECLARE m text; d text; h text; BEGIN EXECUTE statement; RETURN 'no error'; EXCEPTION WHEN OTHERS THEN GET STACKED DIAGNOSTICS m = MESSAGE_TEXT, d = PG_EXCEPTION_DETAIL, h = PG_EXCEPTION_HINT; RETURN concat_ws('|', m, nullif(d, ''), h); END $$;

---- a name that is given to another column: nothing is declared of that one
CREATE TABLE r (a int, b text, c int);
SELECT pegs_set_budget('r', 1000, 1e-3);
SELECT pegs_set_levels('r', 'a', ARRAY[1, 2]), pegs_set_levels('r', 'b', ARRAY['x']), pegs_set_bins('r', 'c', ARRAY[0, 10, 20]);
ALTER TABLE r RENAME a TO old;
ALTER TABLE r RENAME b TO a;
SELECT is(domain_of('r', c), 'no declared domain', 'of none: ' || c) FROM unnest('{old, a}'::name[]) AS c;
SELECT is(domain_of('r', 'c'), 'declared bins; 3; [0, 10); [10, 20]', 'of the others they stay');
SELECT is(pegs_facts('r')::text, '{"columns": {"c": {"bins": ["0", "10", "20"]}}}', 'nor are they printed');
SELECT throws_ok($$ SELECT pegs_fit('m', 'r', ARRAY['a'], epsilon => 1) $$, '22023', 'column "a" cannot be used: no declared domain', 'nor fitted');
SELECT pegs_set_levels('r', 'a', ARRAY['y', 'z']);
SELECT is(domain_of('r', 'a'), 'declared levels; 3; y; z', 'declared again');
ALTER TABLE r RENAME a TO b;
ALTER TABLE r RENAME old TO a;
SELECT is(domain_of('r', 'a'), 'no declared domain', 'the first one has its name again, and what was declared of it is gone');
ALTER TABLE r DROP c, ADD c int;
SELECT is(domain_of('r', 'c'), 'no declared domain', 'a column that was dropped and made again');
SELECT lives_ok($$ SELECT pegs_unset('r', 'c') $$, 'which can be forgotten');
-- its name back, by what is said, pasted: also where columns have each other's
CREATE TABLE swapped (k text CHECK (k IN ('a', 'b')), a date, b date, c date);
SELECT pegs_set_bins('swapped', 'a', date '2026-01-01', date '2026-12-31', 4), pegs_order('swapped', 'a', 'b', '30'), pegs_order('swapped', 'b', 'c', '40');
SELECT pegs_set_budget('swapped', 10);
CREATE TABLE facts_before AS SELECT pegs_facts('swapped');
ALTER TABLE swapped RENAME a TO x;
ALTER TABLE swapped RENAME b TO a;
ALTER TABLE swapped RENAME c TO b;
ALTER TABLE swapped RENAME x TO c;
SELECT is(domain_of('swapped', c), 'no declared domain', 'three in a circle: ' || c) FROM unnest('{a, b, c}'::name[]) AS c;
SELECT matches(hint_of($$ SELECT pegs_fit('m', 'swapped', ARRAY['b'], epsilon => 1) $$), E'\\|ALTER TABLE public\\.swapped RENAME COLUMN c TO "column 2"; ALTER TABLE public\\.swapped RENAME COLUMN b TO c; gives it', 'the HINT has it');
SELECT is(count(*), 3::bigint, 'and so has pegs_propose') FROM pegs_propose('swapped') AS p WHERE p ~ '^-- .: ALTER TABLE .* declare it anew: SELECT pegs_set_bins';
DO $$
BEGIN
	FOR i IN 1 .. 3 LOOP
		EXECUTE (SELECT substring(remedy FROM '^(.*;) gives it') FROM pegs_domain('swapped') WHERE remedy ~ '^ALTER' LIMIT 1);
	END LOOP;
EXCEPTION WHEN null_value_not_allowed THEN
END
$$;
SELECT is(pegs_facts('swapped'), pegs_facts, 'each has its own again') FROM facts_before;
-- the column of a view
CREATE VIEW rv AS SELECT a, b AS "B" FROM r;
SELECT pegs_set_levels('rv', 'a', ARRAY[5]);
ALTER VIEW rv RENAME COLUMN a TO q;
ALTER VIEW rv RENAME COLUMN "B" TO a;
SELECT is(domain_of('rv', 'a'), 'declared levels; 2; x', 'of a view: what its table declares');
-- learnt: takes the place of what was declared of another column
ALTER TABLE r RENAME b TO z;
ALTER TABLE r ADD b text;
INSERT INTO r (b) SELECT 'k' FROM generate_series(1, 2000);
SELECT pegs_set_levels('r', 'z', ARRAY['z']);
SELECT pegs_learn_levels('r', 'b', epsilon => 10, delta => 1e-6);
SELECT is(domain_of('r', 'b'), 'learnt levels; 3; k; (other)', 'what is learnt is of the column of now');
-- what an older version, or a dump, knows by name alone
UPDATE pegs_internal.fact SET attnum = NULL WHERE source = 'r'::regclass AND column_name = 'z';
ALTER TABLE r RENAME z TO y;
ALTER TABLE r ADD z text;
SELECT is(domain_of('r', 'z'), 'declared levels; 2; z', 'known by name alone');
UPDATE pegs_internal.fact SET attnum = 77, relation = 1 WHERE source = 'r'::regclass AND column_name = 'z';
SELECT is(domain_of('r', 'z'), 'declared levels; 2; z', 'numbers of another relation are none');

---- a forbidden combination is of columns, too: it follows them
CREATE TABLE f (sex text NOT NULL CHECK (sex IN ('F', 'M')), ward text NOT NULL CHECK (ward IN ('birth', 'other')), age int CHECK (age IN (1, 2)));
INSERT INTO f SELECT 'M', 'birth', 1 FROM generate_series(1, 500);
SELECT pegs_set_budget('f', 1000);
SELECT pegs_forbid('f', '{"sex": "M", "ward": "birth"}');
ALTER TABLE f RENAME sex TO gender;
SELECT pegs_fit('f1', 'f', epsilon => 50);
SELECT is((SELECT count(*) FROM pegs_sample('f1', 1000) AS t(gender text, ward text) WHERE gender = 'M' AND ward = 'birth'), 0::bigint, 'renamed: still forbidden');
SELECT is(pegs_facts('f')::text, '{"columns": {}, "forbidden": [{"ward": "birth", "gender": "M"}]}', 'and printed as it is called now');
CREATE VIEW fv AS SELECT gender AS g, ward AS w FROM f;
SELECT is(pegs_facts('fv')::text, '{"columns": {}, "forbidden": [{"g": "M", "w": "birth"}]}', 'by a view, as that calls them');
ALTER TABLE f ADD sex text CHECK (sex IN ('M', 'K'));
SELECT is(hint_of($$ SELECT pegs_fit('f2', 'f', epsilon => 1) $$), 'a forbidden combination of table "f" names "sex", which is another column now|The column that it was declared of was renamed or dropped.|'
	|| $$SELECT pegs_forbid('public.f', '{"sex": "M", "ward": "birth"}'); says that it is about the column of now. SELECT pegs_forbid('public.f', NULL); forgets all of them.$$, 'the name is given to another: said');
SELECT throws_ok($$ SELECT pegs_facts('f') $$, '55000', NULL, 'and so by pegs_facts');
SELECT throws_ok($$ SELECT pegs_fit('f2', 'f', ARRAY['gender', 'ward'], epsilon => 1) $$, '55000', NULL, 'with the one that was meant');
SELECT throws_ok($$ SELECT pegs_fit('f2', 'f', ARRAY['sex', 'ward'], epsilon => 1) $$, '55000', NULL, 'or the one that has its name');
SELECT lives_ok($$ SELECT pegs_fit('f2', 'f', ARRAY['ward'], epsilon => 1) $$, 'but not where it is not asked for');
SELECT pegs_forbid('f', '{"sex": "M", "ward": "birth"}');
SELECT is(pegs_facts('f')::text, '{"columns": {}, "forbidden": [{"sex": "M", "ward": "birth"}]}', 'declared again: of the column of now');
ALTER TABLE f DROP sex CASCADE;
SELECT lives_ok($$ SELECT pegs_fit('f3', 'f', epsilon => 1) $$, 'a column that is gone: nothing to forbid');
SELECT is(pegs_facts('f')::text, '{"columns": {}}', 'nor to print');
UPDATE pegs_internal.forbidden SET relation = 1 WHERE source = 'f'::regclass;
ALTER TABLE f ADD sex text CHECK (sex IN ('M', 'K'));
SELECT is(pegs_facts('f')::text, '{"columns": {}, "forbidden": [{"sex": "M", "ward": "birth"}]}', 'known by names alone, as in older versions');

---- facts of a view that renames, printed and declared again
CREATE TABLE p (pid int NOT NULL, s text, w text, o int);
SELECT pegs_set_levels('p', 's', ARRAY['M', 'F']), pegs_set_levels('p', 'w', ARRAY['a', 'b']), pegs_set_unit('p', 'pid', weighting => 'person');
SELECT pegs_forbid('p', '{"s": "M", "w": ["a", "b"]}');
CREATE VIEW pv AS SELECT pid AS whose, s AS sex, w AS s, o + 1 AS more FROM p;
SELECT pegs_set_levels('pv', 'sex', ARRAY['M', 'F']), pegs_set_levels('pv', 's', ARRAY['a', 'b'], other => 'a');
SELECT is(pegs_facts('pv')::text, '{"unit": {"column": "whose", "max_rows": 1, "weighting": "person"}, "columns": {"s": {"other": "a", "levels": ["a", "b"]}, "sex": {"levels": ["M", "F"]}}, "forbidden": [{"s": ["a", "b"], "sex": "M"}]}', 'by its names');
CREATE TABLE kept AS SELECT pegs_facts('pv') AS of_view, pegs_facts('p') AS of_table;
SELECT pegs_unset('pv', 'sex'), pegs_unset('pv', 's'), pegs_forbid('p', NULL), pegs_set_unit('p', NULL);
SELECT lives_ok($$ SELECT pegs_declare('pv', of_view) FROM kept $$, 'declared again');
SELECT is(pegs_facts('pv'), of_view, 'are the same') FROM kept;
SELECT is(pegs_facts('p'), of_table, 'of the table, too') FROM kept;
CREATE VIEW few AS SELECT s FROM p;
SELECT is(pegs_facts('few')::text, '{"columns": {}}', 'a view without these columns has none of it to tell');
SELECT throws_ok(format($$ SELECT pegs_declare('pv', '{"unit": {"column": "%s"}}') $$, c), '42703', format('"%s" is no column of public.pv that is one of its table "p"', c), 'no unit: ' || c) FROM unnest('{pid, more}'::text[]) AS c;

---- a lookup table with a privacy budget is not public: neither when it is declared, nor later
CREATE TABLE persons (name text PRIMARY KEY, ward text);
CREATE TABLE persons_of_now () INHERITS (persons);
CREATE TABLE visits (who text REFERENCES persons (name), w text, y int);
INSERT INTO persons VALUES ('Ann', 'b'), ('Bob', 'c');
SELECT matches(remedy, '^SELECT pegs_set_lookup', 'what is referred to may be public') FROM pegs_domain('visits') WHERE column_name = 'who';
SELECT pegs_set_levels('visits', 'y', '{1}'), pegs_set_lookup('visits', 'w', 'persons', 'ward'), pegs_set_budget('visits', 10);
SELECT is(domain_of('visits', 'w'), 'lookup table; 3; b; c', 'without a budget it is as somebody says');
SELECT pegs_set_budget('persons_of_now', 1);
SELECT is(domain_of('visits', 'w'), 'lookup table; 1; its lookup table has a privacy budget: its rows are private', 'a part of it has a budget');
SELECT pegs_set_budget('persons', 1);
SELECT is(domain_of('visits', 'w'), 'lookup table; 1; its lookup table has a privacy budget: its rows are private', 'now it has one');
SELECT is(hint_of($$SELECT pegs_fit('visits', 'visits', epsilon => 1)$$), 'column "w" cannot be used: its lookup table has a privacy budget: its rows are private|SELECT pegs_leave_out(''public.visits'', ''w'');  -- or declare its levels by what is public, in the place of ''...'': SELECT pegs_set_levels(''public.visits'', ''w'', ARRAY[''...'']);
Or name the columns to use: columns => ARRAY[...].', 'no fit reads it');
SELECT is(hint_of($$SELECT pegs_set_lookup('visits', 'w', 'persons', 'ward')$$), 'table "persons" has a privacy budget, and cannot be a lookup table|Levels must be public; its rows are private.|Make a table of the codes that are published anyway.', 'nor is it declared');
SELECT is(hint_of($$SELECT pegs_set_lookup('visits', 'w', 'persons_of_now', 'ward')$$), 'table "persons_of_now" has a privacy budget, and cannot be a lookup table|Levels must be public; its rows are private.|Make a table of the codes that are published anyway.', 'nor a part of it');
SELECT is(remedy, 'SELECT pegs_set_parent(''public.visits'', ''public.persons'');  -- says whose rows they are; the column is left out', 'and nobody says that it should be') FROM pegs_domain('visits') WHERE column_name = 'who';
SELECT ok(NOT EXISTS (SELECT FROM pegs_propose('visits') AS p WHERE p ~ 'set_lookup'), 'nor proposes it');

---- a lookup table that is gone is not printed as a number
CREATE TABLE codes (code text);
INSERT INTO codes VALUES ('a'), ('b');
CREATE TABLE q (x text, y int);
SELECT pegs_set_lookup('q', 'x', 'codes', 'code'), pegs_set_levels('q', 'y', ARRAY[1]);
ALTER TABLE codes RENAME code TO key;
SELECT is(pegs_facts('q')::text, '{"columns": {"y": {"levels": ["1"]}}}', 'its column has another name');
ALTER TABLE codes RENAME key TO code;
SELECT is(pegs_facts('q') #>> '{columns, x, lookup}', 'public.codes', 'and its name again');
ALTER EVENT TRIGGER pegs_table_dropped DISABLE;
DROP TABLE codes;
SELECT is(pegs_facts('q')::text, '{"columns": {"y": {"levels": ["1"]}}}', 'it was dropped, and nobody noticed');
SELECT lives_ok($$ SELECT pegs_declare('q', pegs_facts('q')) $$, 'what is printed may be declared');
ALTER EVENT TRIGGER pegs_table_dropped ENABLE ALWAYS;

---- what is not known is refused, and what there is named
SELECT is(hint_of($$ SELECT pegs_declare('p', '{"unit": {"column": "pid", "weigthing": "person"}}') $$), 'a unit has no member "weigthing"|Known are: column, max_rows, weighting.', 'of a unit');
SELECT is(hint_of($$ SELECT pegs_declare('p', '{"forbidden": [{"s": "M", "nope": 1}]}') $$), 'combination names "nope", which is not a column|SELECT column_name FROM pegs_domain(''public.p'');', 'of a combination');
SELECT is(hint_of($$ SELECT pegs_declare('p', '{"columns": {"s": {"level": ["M"]}}}') $$), 'facts of public.p are wrong: nothing was declared|"s": "level" must be a part of a declaration that is known.|Known are: levels, other, bins, low, high, points, step, lookup, lookup_column, via, weight, undeclared, nullable, leave_out, derived, of, values, null_value, groups, hierarchy, parts, zone, after.', 'of a column');
SELECT is(hint_of($$ SELECT pegs_declare('p', '{"colums": {}}') $$), 'facts have no part "colums"|As pegs_facts(source) prints them: columns, forbidden, unit, parent.', 'of all');
SELECT throws_ok($$ SELECT pegs_declare('p', '{"forbidden": [{"s": []}]}') $$, '22023', 'combination must give a value or a list of values for each column', 'a list without values forbids nothing');
SELECT throws_ok(format($$ SELECT pegs_declare('p', '{"unit": {"column": "pid", "max_rows": %s}}') $$, n), '22023', '"max_rows" must be a whole number below a billion', 'not so many: ' || n) FROM unnest('{1.5, 1e12}'::text[]) AS n;

---- no message shows all of a long text
CREATE TABLE l (n numeric, t text);
SELECT cmp_ok(length(hint_of(statement)), '<', 1500, 'short: ' || what) FROM (VALUES
	('digits', $$ SELECT pegs_set_bins('l', 'n', ARRAY[0, 1e100000]) $$),
	('edges', $$ SELECT pegs_set_bins('l', 'n', ARRAY[1e100000, 0]) $$),
	('low', $$ SELECT pegs_set_bins('l', 'n', 1e100000, 0, 5) $$),
	('level', $$ SELECT pegs_set_levels('l', 't', ARRAY[repeat('x', 100000), repeat('x', 100000)]) $$),
	('column', $$ SELECT pegs_forbid('l', jsonb_build_object(repeat('x', 100000), 1)) $$),
	('unit', $$ SELECT pegs_declare('l', jsonb_build_object('unit', jsonb_build_object('column', repeat('x', 100000)))) $$),
	('value', $$ SELECT pegs_declare('l', jsonb_build_object('columns', jsonb_build_object('n', jsonb_build_array(repeat('x', 100000))))) $$),
	('parent', $$ SELECT pegs_spec('f', ARRAY['gender', 'ward'], parents => jsonb_build_object('ward', jsonb_build_array(repeat('x', 100000)))) $$),
	('child', $$ SELECT pegs_spec('f', ARRAY['gender', 'ward'], parents => jsonb_build_object(repeat('x', 100000), '[]'::jsonb)) $$)) AS s (what, statement);

---- the session's notation is nothing of a fact, nor of a spec
CREATE TABLE s (d date, at timestamp, tz timestamptz, f float8, r real, n numeric(8, 3), b bigint, t text);
SELECT pegs_set_bins('s', 'd', '{2020-01-01, 2020-07-01, 2021-01-01}', step => '7', points => '{2020-03-05}'),
	pegs_set_bins('s', 'at', '2020-03-05'::timestamp, '2020-03-07'::timestamp, 4, step => '1 minute', points => '{2020-03-05 12:00}'),
	pegs_set_bins('s', 'tz', '{2020-03-05 00:00+00, 2020-03-07 00:00+00}', step => '90 s', points => '{2020-03-05 12:00+00}', undeclared => 'drop', nullable => false),
	pegs_set_bins('s', 'f', '{0, 0.1, 10}', points => '{0.3}', step => '0.1'), pegs_set_bins('s', 'r', '{0, 0.1, 10}', points => '{0.3}'),
	pegs_set_bins('s', 'n', '{0, 0.1, 10}', points => '{0.3, 0}', step => '0.001'), pegs_set_levels('s', 't', '{a, b}', other => 'c'), pegs_leave_out('s', 'b');
CREATE TABLE said AS SELECT pegs_facts('s') AS facts, pegs_spec('s')::text AS spec;
CREATE FUNCTION same_in(style text, date_style text, digits text, zone text, quoted text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	PERFORM set_config('intervalstyle', style, true), set_config('datestyle', date_style, true), set_config('extra_float_digits', digits, true),
		set_config('timezone', zone, true), set_config('quote_all_identifiers', quoted, true);
	PERFORM pegs_declare('s', facts) FROM said;
	RETURN (SELECT format('%s %s', pegs_facts('s') = facts, pegs_spec('s')::text = spec) FROM said);
END $$;
SELECT is(same_in('sql_standard', 'SQL, DMY', '-15', 'Asia/Kolkata', 'off'), 't t', 'dates and digits');
SELECT is(same_in('iso_8601', 'German', '3', 'America/St_Johns', 'off'), 't t', 'others');
SELECT is(same_in('postgres', 'ISO', '1', 'UTC', 'on'), 't t', 'names quoted');

---- a view without columns cannot be published
CREATE TYPE mood AS ENUM ('glad', 'sad');
CREATE TABLE moods (m mood NOT NULL);
SELECT pegs_set_budget('moods', 10);
SELECT pegs_fit('moods', 'moods', epsilon => 1);
ALTER TABLE moods ALTER m TYPE text;
DROP TYPE mood;
SELECT throws_ok($$ SELECT pegs_view_sql('moods', 'v') $$, NULL, 'the type of column "m" is not there any more');
---- as many levels as there may be, and one more
CREATE TABLE most (t text);
SELECT pegs_set_levels('most', 't', ARRAY(SELECT i::text FROM generate_series(1, 65534) AS i));
SELECT is((SELECT n FROM pegs_domain('most')), 65535, 'as many levels as there may be, with NULL');
SELECT pegs_set_levels('most', 't', ARRAY(SELECT i::text FROM generate_series(1, 65534) AS i), other => 'x');
SELECT is((SELECT concat_ws(' ', n, problem) FROM pegs_domain('most')), '65536 65536 levels are more than 65535', 'one more is said');

---- a word too much, or one that is wrong: an error that is alone says what to do
CREATE TABLE typo (a text, b text);
SELECT pegs_set_levels('typo', 'b', '{x}');
SELECT alike(hint_of($$ SELECT pegs_declare('typo', '{"columns": {"a": {"level": ["x"]}}}') $$), '%"level" must be a part of a declaration that is known.|Known are: levels, %', 'what members there are');
SELECT alike(hint_of($$ SELECT pegs_declare('typo', '{"columns": {"a": {"level": ["x"]}, "b": 1}}') $$), '%|SELECT * FROM pegs_domain(''public.typo''); shows columns and types.', 'of two errors the hint is neither''s');
SELECT * FROM finish();
