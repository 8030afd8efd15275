-- Levels that are declared to belong together: they stand beside each other, and are put together first. Laws L1, L10.
SET client_min_messages = warning;
CREATE EXTENSION pegs;
SELECT * FROM no_plan();
CREATE FUNCTION refusal(statement text) RETURNS text LANGUAGE plpgsql AS
$$ BEGIN EXECUTE statement; RETURN 'ok'; EXCEPTION WHEN OTHERS THEN RETURN sqlstate || ' ' || sqlerrm; END $$;
CREATE FUNCTION told(statement text) RETURNS text LANGUAGE plpgsql AS
$$ DECLARE c text; h text; BEGIN EXECUTE statement; RETURN 'ok'; EXCEPTION WHEN OTHERS THEN GET STACKED DIAGNOSTICS c = PG_EXCEPTION_CONTEXT, h = PG_EXCEPTION_HINT; RETURN split_part(c, E'\n', 1) || ' | ' || h; END $$;

CREATE TABLE t (code text NOT NULL, side text NOT NULL CHECK (side IN ('even', 'odd')), n int CHECK (n IN (1, 2, 3, 4)), x int);
INSERT INTO t SELECT i % 60, CASE WHEN i % 2 = 0 THEN 'even' ELSE 'odd' END, 1 + i % 4 FROM generate_series(1, 1200) AS i;
SELECT pegs_set_budget('t', 1000, 1e-3), pegs_set_levels('t', 'code', ARRAY(SELECT i FROM generate_series(0, 59) AS i)), pegs_set_bins('t', 'x', '{0, 10}');
CREATE FUNCTION levels(column_name name) RETURNS text LANGUAGE sql AS $$ SELECT string_agg(l, ' ') FROM pegs_levels('t', $1) AS l $$;

---- what is kept
SELECT pegs_set_groups('t', 'n', '{"1": "a", "3": "a", "2": "b"}');
SELECT is(levels('n'), '1 3 2 4', 'of the catalog''s levels: a group where its first level stands, one without a group by itself');
SELECT is((SELECT origin FROM pegs_domain('t') WHERE column_name = 'n'), 'CHECK constraint, in 3 groups', 'pegs_domain says so');
SELECT is(pegs_facts('t') -> 'columns' -> 'n', '{"groups": {"1": "a", "2": "b", "3": "a"}}', 'pegs_facts prints it');
SELECT pegs_set_groups('t', 'n', '{"2": "b", "3": null, "4": "b"}');
SELECT is(levels('n'), '1 2 4 3', 'declared again; null is no group');
CREATE TABLE nulls AS SELECT pegs_facts('t') AS f;
SELECT pegs_declare('t', (SELECT f FROM nulls));
SELECT is(pegs_facts('t'), (SELECT f FROM nulls), 'and pegs_declare takes what is printed of it');
SELECT pegs_set_groups('t', 'n', NULL);
SELECT is(levels('n'), '1 2 3 4', 'NULL forgets it');
SELECT is((SELECT origin FROM pegs_domain('t') WHERE column_name = 'n'), 'CHECK constraint', 'and pegs_domain says so');
SELECT pegs_set_groups('t', 'code', (SELECT jsonb_object_agg(i, i % 2) FROM generate_series(0, 59) AS i));
SELECT alike(levels('code'), '0 2 4 6 8 %58 1 3 5 %57 59', 'of declared levels');
SELECT is(pegs_facts('t') -> 'columns' -> 'code' -> 'levels' ->> 1, '1', 'which are kept as they were declared');
CREATE TABLE facts AS SELECT pegs_facts('t') AS f;
SELECT pegs_set_levels('t', 'code', ARRAY(SELECT i FROM generate_series(0, 59) AS i), other => '7');
SELECT is(pegs_facts('t') -> 'columns' -> 'code' -> 'groups', NULL, 'levels that are declared again have none');
SELECT pegs_set_groups('t', 'code', (SELECT jsonb_object_agg(i, i % 2) FROM generate_series(0, 59) AS i));
INSERT INTO t VALUES ('other', 'odd', 1, NULL);
SELECT pegs_fit('other', 't', ARRAY['code', 'side'], epsilon => 100);
SELECT is((pegs_describe('other') ->> 'spec')::jsonb -> 'groups', '["code"]', 'its certificate says of which column it knew groups');
SELECT alike(pegs_describe('other') ->> 'public', '%groups of levels%', 'and that they are public');
SELECT is((SELECT other FROM pegs_columns('other') WHERE column_name = 'code'), '7', 'the level that takes others is the same');
DELETE FROM t WHERE code = 'other';
SELECT pegs_declare('t', (SELECT f FROM facts));
SELECT is(pegs_facts('t'), (SELECT f FROM facts), 'pegs_declare takes what pegs_facts prints');
SELECT pegs_declare('t', '{"columns": {"n": {"groups": {"1": "a", "3": "a"}}}}');
SELECT is(levels('n'), '1 3 2 4', 'groups alone');
SELECT pegs_unset('t', 'n');
SELECT is(levels('n'), '1 2 3 4', 'pegs_unset forgets it');

---- what is refused
SELECT is(refusal(format('SELECT pegs_set_groups(%L, %L, %L)', r, c, g)), expected, expected) FROM (VALUES
	('t', 'nothing', '{"1": "a"}', '42703 column "nothing" of public.t does not exist'),
	('t', 'x', '{"1": "a"}', '55000 column "x" has bins, and groups are of levels'),
	('t', 'n', '{}', '22023 groups of column "n" names no level of column "n"'),
	('t', 'n', '{"1": null}', '22023 groups of column "n" put no level into a group'),
	('t', 'n', '{"one": "a"}', '22P02 invalid input syntax for type integer: "one"'),
	('t', 'n', '{"1": ["a"]}', '22023 groups of column "n" must have one value for each level of column "n"'),
	('t', 'n', '{"7": "a"}', '22023 "7" is not a level of column "n"'),
	('t', 'n', '{"1": "a", "01": "a"}', '22023 level "1" of column "n" is declared twice')) AS v (r, c, g, expected);
SELECT is(told($$SELECT pegs_set_groups('t', 'n', '{"one": "a"}')$$), '"one" for column "n", in groups of column "n" | In its place put a value that column "n" of type integer can have.', 'what the type refuses: of which column, and which level');
SELECT is(refusal(format('SELECT pegs_declare(%L, %L)', 't', jsonb_build_object('columns', jsonb_build_object('x', d::jsonb)))), '22023 facts of public.t are wrong: nothing was declared', d) FROM (VALUES
	('{"groups": ["1"]}'), ('{"groups": {"1": "a"}, "bins": [0, 1]}'), ('{"groups": {"1": "a"}, "leave_out": true}'), ('{"levels": ["1", "2"], "groups": {"7": "a"}}')) AS r (d);
SELECT pegs_set_function('t', 'side', 'n', '{"1": "even", "2": "odd", "3": "even", "4": "odd"}', 'even'), pegs_set_groups('t', 'side', '{"odd": "a", "even": "a"}');
CREATE TABLE functions AS SELECT pegs_facts('t') AS f;
SELECT is(refusal($$SELECT pegs_declare('t', (SELECT f FROM functions))$$), 'ok', 'groups of what is a function of another are taken as they are printed');
SELECT is(pegs_facts('t'), (SELECT f FROM functions), 'and are the same');
SELECT pegs_unset('t', 'side');
CREATE VIEW v AS SELECT code AS the_code, side FROM t;
SELECT alike((SELECT string_agg(l, ' ') FROM pegs_levels('v', 'the_code') AS l), '0 2 4 %57 59', 'a view has those of its table');
SELECT is(refusal($$SELECT pegs_set_groups('v', 'the_code', '{"1": "a"}')$$), '55000 the levels of column "the_code" are not declared of public.v', 'groups are where the levels are');
SELECT is(refusal($$SELECT pegs_set_groups('v', 'the_code', NULL)$$), '55000 the groups of column "the_code" are not declared of public.v', 'and are forgotten there');
SELECT is(told($$SELECT pegs_set_groups('v', 'the_code', NULL)$$) ~ $$ \| SELECT pegs_set_groups\('public.t', 'code', NULL\);$$, true, 'by its name there');
SELECT is(refusal($$SELECT pegs_set_groups('v', 'side', NULL)$$), 'ok', 'where there are none nothing is wrong');

---- what is done with it: levels beside each other, of two sides, would be one class, and tell nothing of the side
SELECT pegs_fit('grouped', 't', ARRAY['code', 'side'], epsilon => 1, delta => 1e-6);
SELECT cmp_ok((SELECT count(*) FROM pegs_sample('grouped', 4000) AS t(code text, side text) WHERE (code::int % 2 = 0) <> (side = 'even')), '<', 1000::bigint, 'sides of groups');
-- a fit knows groups, and not their order alone: the rarest level would be joined to its rarest neighbour, which is of the next group and of the other side
CREATE TABLE pairs (code int NOT NULL, side text NOT NULL CHECK (side IN ('even', 'odd')));
INSERT INTO pairs SELECT code, CASE code / 2 % 2 WHEN 0 THEN 'even' ELSE 'odd' END FROM generate_series(0, 11) AS code, generate_series(1, CASE WHEN code % 4 IN (1, 2) THEN 40 ELSE 900 END);
SELECT pegs_set_levels('pairs', 'code', ARRAY(SELECT generate_series(0, 11))), pegs_set_budget('pairs', 1, 1e-6);
SELECT pegs_set_groups('pairs', 'code', (SELECT jsonb_object_agg(code::text, 'group ' || code / 2) FROM generate_series(0, 11) AS code));
SELECT pegs_fit('rare ' || i, 'pairs', epsilon => 0.1, delta => 1e-7) FROM generate_series(1, 4) AS i;
SELECT cmp_ok((SELECT avg(((code / 2 % 2 = 0) <> (side = 'even'))::int) FROM generate_series(1, 4) AS i, LATERAL pegs_sample('rare ' || i, 100000) AS t(code int, side text) WHERE code % 4 IN (1, 2)), '<', 0.2, 'rare levels go with their groups');
-- an audit's fits have them, too (test/t/024_broken.pl: what is wrong with groups alone is seen), as they are declared now; else it says so
SELECT results_eq($$SELECT holds, reason FROM pegs_audit('rare 1', 200)$$, $$VALUES (true, NULL::text)$$, 'audited');
SELECT results_eq($$SELECT holds, reason FROM pegs_audit('grouped', 100)$$, $$VALUES (true, NULL::text)$$, 'and where levels are in another order');
SELECT is((SELECT array_agg(l) FROM pegs_levels('t', 'code') AS l), (SELECT array_agg(l) FROM (SELECT jsonb_array_elements_text(pegs_describe('grouped') -> 'spec' -> 'columns' -> 0 -> 'levels') AS l) AS s), 'a model has the levels in that order');
SELECT pegs_import('copy', pegs_export('grouped'));
SELECT is((SELECT count(*) FROM pegs_sample('copy', 100) AS t(code text)), 100::bigint, 'a model needs no groups to draw');
SELECT is(refusal($$SELECT pegs_refit('grouped')$$), 'ok', 'fitted anew');
SELECT pegs_set_groups('t', 'code', '{"0": "a", "59": "a"}');
SELECT alike(refusal($$SELECT pegs_refit('grouped')$$), '55000 model "grouped" cannot be fitted anew: changed since it was fitted: %', 'not with others, whose levels have another order');

---- levels that are others since
CREATE TYPE mood AS ENUM ('good', 'fair', 'bad');
CREATE TABLE moods (m mood, n int NOT NULL CHECK (n IN (1, 2, 3)));
INSERT INTO moods SELECT (ARRAY['good', 'fair', 'bad'])[1 + i % 3]::mood, 1 + i % 3 FROM generate_series(1, 300) AS i;
SELECT pegs_set_budget('moods', 100), pegs_set_groups('moods', 'm', '{"good": "a", "bad": "a"}'), pegs_set_groups('moods', 'n', '{"1": "a", "3": "a", "2": null}');
ALTER TYPE mood ADD VALUE 'none';
SELECT is((SELECT problem FROM pegs_domain('moods') WHERE column_name = 'm'), NULL, 'a level more is one without a group');
ALTER TYPE mood RENAME VALUE 'bad' TO 'poor';
SELECT results_eq($$SELECT problem, remedy FROM pegs_domain('moods') WHERE column_name = 'm'$$,
	$$VALUES ('its groups have level "bad", which it has not', $r$SELECT pegs_set_groups('public.moods', 'm', NULL); and declare them again.$r$)$$, 'a label that was renamed');
SELECT is(refusal($$SELECT pegs_fit('moods', 'moods', epsilon => 1)$$), '22023 column "m" cannot be used: its groups have level "bad", which it has not', 'no fit');
CREATE VIEW their_moods AS SELECT m AS theirs FROM moods;
SELECT is((SELECT remedy FROM pegs_domain('their_moods') WHERE column_name = 'theirs'), $$SELECT pegs_set_groups('public.moods', 'm', NULL); and declare them again.$$, 'of a view: where they are declared');
SELECT pegs_set_groups('moods', 'm', NULL);
SELECT is(refusal($$SELECT pegs_fit('moods', 'moods', epsilon => 1)$$), 'ok', 'until they are declared again');
TRUNCATE moods;
ALTER TABLE moods DROP CONSTRAINT moods_n_check, ADD CHECK (n IN (1, 3));
SELECT is((SELECT problem FROM pegs_domain('moods') WHERE column_name = 'n'), NULL, 'null is no group');
ALTER TABLE moods DROP CONSTRAINT moods_n_check, ADD CHECK (n IN (1, 2, 4));
SELECT is((SELECT problem FROM pegs_domain('moods') WHERE column_name = 'n'), 'its groups have level "3", which it has not', 'a CHECK that was replaced');
ALTER TABLE moods DROP CONSTRAINT moods_n_check, ADD CHECK (n BETWEEN 1 AND 1000);
SELECT is((SELECT problem FROM pegs_domain('moods') WHERE column_name = 'n'), 'its groups are of levels, and it has bins', 'by a range');

---- facts are of columns, not of names
ALTER TABLE t DROP COLUMN n;
ALTER TABLE t ADD COLUMN n int CHECK (n IN (1, 2, 3));
SELECT is(levels('n'), '1 2 3', 'a dropped one''s are gone');
SELECT pegs_set_groups('t', 'n', '{"1": "a", "3": "a"}');
ALTER TABLE t RENAME n TO m;
ALTER TABLE t ADD COLUMN n int CHECK (n IN (1, 2, 3));
SELECT is(levels('n'), '1 2 3', 'not of what has its name now');
SELECT results_eq($$SELECT problem, remedy FROM pegs_domain('t') WHERE column_name = 'm'$$,
	$$VALUES ('what is declared of it is kept under the name that it had: "n"', $r$SELECT pegs_unset('public.t', 'n'); forgets it.$r$)$$, 'which is said of the column that was renamed');
SELECT is((SELECT problem FROM pegs_domain('t') WHERE column_name = 'n'), NULL, 'not of the other');
SELECT pegs_set_groups('t', 'n', '{"1": "a", "3": "a"}');
SELECT is(levels('n'), '1 3 2', 'which may have its own');
SELECT is((SELECT problem FROM pegs_domain('t') WHERE column_name = 'm'), NULL, 'and takes the place of what was kept');
ALTER TABLE t RENAME n TO k;
SELECT is((SELECT remedy FROM pegs_domain('t') WHERE column_name = 'k'), 'ALTER TABLE public.t RENAME COLUMN k TO n; gives it that name again. Or SELECT pegs_unset(''public.t'', ''n''); forgets it.', 'a column whose name nobody has');
CREATE VIEW w AS SELECT k AS l FROM t;
SELECT results_eq($$SELECT problem, remedy FROM pegs_domain('w')$$, $$VALUES ('what is declared of it is kept under the name that it had: "n"', $r$SELECT * FROM pegs_domain('public.t');$r$)$$, 'nor has a view');
SELECT pegs_unset('t', 'n');
SELECT is((SELECT problem FROM pegs_domain('t') WHERE column_name = 'k'), NULL, 'forgotten');

---- what is asked of the wrong column, or the wrong way round
CREATE TABLE asked (d date NOT NULL, s text NOT NULL CHECK (s IN ('a', 'b', 'c')));
SELECT pegs_set_bins('asked', 'd', '{2024-01-01, 2024-06-01, 2025-01-01}');
CREATE FUNCTION answer(statement text) RETURNS text LANGUAGE plpgsql AS
$$ DECLARE m text; h text; BEGIN EXECUTE statement; RETURN 'ok'; EXCEPTION WHEN OTHERS THEN GET STACKED DIAGNOSTICS m = MESSAGE_TEXT, h = PG_EXCEPTION_HINT; RETURN m || ' | ' || h; END $$;
SELECT is(answer($$SELECT pegs_set_groups('asked', 'd', '{"2024-01-01": "x"}')$$),
	$$column "d" has bins, and groups are of levels | Leave groups out; or declare levels first: SELECT pegs_set_levels('public.asked', 'd', ARRAY['...']);$$, 'of bins');
SELECT is(answer($$SELECT pegs_set_groups('asked', 's', '{"x": ["a", "b"]}')$$),
	$$groups of column "s" must have one value for each level of column "s" | Levels are the members, also where several have the same: '{"a": "x", "b": "x", "c": null}'$$, 'levels of a group in a list');
SELECT * FROM finish();
