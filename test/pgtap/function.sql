-- Columns that are declared to be functions of another: not modelled, always as declared in what is drawn, and asked of every row
-- that a fit reads. Laws L1, L2, L5, L10.
SET client_min_messages = warning;
CREATE EXTENSION pegs;
SELECT * FROM no_plan();
CREATE FUNCTION refusal(statement text) RETURNS text LANGUAGE plpgsql AS
$$ BEGIN EXECUTE statement; RETURN 'ok'; EXCEPTION WHEN OTHERS THEN RETURN sqlstate || ' ' || sqlerrm; END $$;
CREATE FUNCTION hint(statement text) RETURNS text LANGUAGE plpgsql AS
$$ DECLARE h text; BEGIN EXECUTE statement; RETURN 'ok'; EXCEPTION WHEN OTHERS THEN GET STACKED DIAGNOSTICS h = PG_EXCEPTION_HINT; RETURN h; END $$;
CREATE FUNCTION told(statement text) RETURNS text LANGUAGE plpgsql AS
$$ DECLARE c text; h text; BEGIN EXECUTE statement; RETURN 'ok'; EXCEPTION WHEN OTHERS THEN GET STACKED DIAGNOSTICS c = PG_EXCEPTION_CONTEXT, h = PG_EXCEPTION_HINT; RETURN split_part(c, E'\n', 1) || ' | ' || h; END $$;

CREATE TYPE mood AS ENUM ('good', 'bad');
CREATE TABLE codes (code text PRIMARY KEY, chapter int);
INSERT INTO codes VALUES ('a"1', 1), ('a,2', 1), ('b''\1', 2), ('c', NULL);
CREATE TABLE visit (code text, chapter int, los int NOT NULL CHECK (los BETWEEN 0 AND 9), m mood, known text);
INSERT INTO visit SELECT c, CASE left(c, 1) WHEN 'a' THEN 1 WHEN 'b' THEN 2 END, i % 10, NULL, CASE WHEN c IS NULL THEN 'no' ELSE 'yes' END
FROM (SELECT i, (ARRAY['a"1', 'a,2', 'b''\1', 'c', NULL])[1 + i % 5] AS c FROM generate_series(0, 1999) AS i) AS s;
SELECT pegs_set_budget('visit', 1000, 1e-3), pegs_set_levels('visit', 'code', ARRAY['a"1', 'a,2', 'b''\1', 'c']),
	pegs_set_function('visit', 'chapter', of => 'code', mapping => (SELECT jsonb_object_agg(code, chapter) FROM codes)),
	pegs_set_function('visit', 'known', of => 'code', mapping => (SELECT jsonb_object_agg(code, 'yes') FROM codes), null_value => 'no');

---- what is kept
SELECT results_eq($$SELECT column_name, origin, levels, problem, n FROM pegs_domain('visit') WHERE column_name IN ('chapter', 'known')$$,
	$$VALUES ('chapter'::name, 'a function of "code"', ARRAY['1', '2', NULL], NULL, 3), ('known', 'a function of "code"', ARRAY['no', 'yes', NULL], NULL, 3)$$, 'pegs_domain shows it, and its values as levels');
SELECT is(pegs_facts('visit') -> 'columns' -> 'chapter', $$ {"of": "code", "values": {"c": null, "a\"1": "1", "a,2": "1", "b'\\1": "2"}} $$::jsonb, 'pegs_facts prints it');
SELECT is(pegs_facts('visit') -> 'columns' -> 'known' ->> 'null_value', 'no', 'what NULL has, too');
CREATE TABLE facts AS SELECT pegs_facts('visit') AS f;
SELECT is_empty($$SELECT p FROM pegs_propose('visit') AS p WHERE p ~ 'chapter|known'$$, 'nothing is proposed for it');
SELECT pegs_unset('visit', 'chapter'), pegs_unset('visit', 'known');
SELECT is(pegs_facts('visit') -> 'columns' -> 'chapter', NULL, 'pegs_unset forgets it');
SELECT pegs_declare('visit', (SELECT f FROM facts));
SELECT is(pegs_facts('visit'), (SELECT f FROM facts), 'pegs_declare takes what pegs_facts prints');
SELECT pegs_set_levels('visit', 'known', ARRAY['yes', 'no']);
SELECT is(pegs_facts('visit') -> 'columns' -> 'known', '{"levels": ["yes", "no"]}', 'levels take its place');
SELECT pegs_declare('visit', (SELECT f FROM facts));

---- what is refused
SELECT is(refusal(format('SELECT pegs_set_function(%L, %L, %L, %L)', 'visit', c, o, f)), expected, expected) FROM (VALUES
	('chapter', 'chapter', '{"1": 1}', '22023 column "chapter" cannot be a function of itself'),
	('chapter', 'nothing', '{"1": 1}', '42703 column "nothing" of public.visit does not exist'),
	('nothing', 'code', '{"1": 1}', '42703 column "nothing" of public.visit does not exist'),
	('chapter', 'code', '{}', '22023 the mapping of column "chapter" names no level of column "code"'),
	('chapter', 'code', '{"c": [1]}', '22023 the mapping of column "chapter" must have one value for each level of column "code"'),
	('chapter', 'code', '{"c": {"a": 1}}', '22023 the mapping of column "chapter" must have one value for each level of column "code"'),
	('chapter', 'code', '{"c": "x"}', '22P02 invalid input syntax for type integer: "x"'),
	('chapter', 'los', '{"1": 1, "01": 1}', '22023 level "1" of column "los" is declared twice'),
	('known', 'm', '{"good": "yes"}', '0A000 column "known" cannot be a function of column "m": type mood is not one that every server has'),
	('m', 'code', '{"c": "good"}', '0A000 column "m" cannot be a function of column "code": type mood is not one that every server has')) AS r (c, o, f, expected);
SELECT is(told(format('SELECT pegs_set_function(%L, %L, %L, %L, %L)', 'visit', c, o, f, nothing)), expected, expected) FROM (VALUES
	('chapter', 'code', '{"c": "x"}', NULL, '"x" for column "chapter", in the mapping of column "chapter" | In its place put a value that column "chapter" of type integer can have.'),
	('chapter', 'los', '{"y": 1}', NULL, '"y" for column "los", in the mapping of column "chapter" | In its place put a value that column "los" of type integer can have.'),
	('chapter', 'code', '{"c": 1}', 'z', '"z" for column "chapter", in null_value | In its place put a value that column "chapter" of type integer can have.')) AS r (c, o, f, nothing, expected);
SELECT is(hint($$SELECT pegs_set_function('visit', 'los', 'code', '{"c": "NaN"}')$$), 'In its place put a value that column "los" of type integer can have.', 'an integer is none');
CREATE TABLE weights (code text CHECK (code IN ('a', 'b')), weight float8 CHECK (weight IN (1, 2)), x text);
SELECT is(hint($$SELECT pegs_set_function('weights', 'weight', 'code', '{"a": "NaN", "b": 1}')$$), 'In its place put a number, or null where the column may be NULL.', 'a value of a level that there is cannot be left out');
SELECT is(hint($$SELECT pegs_set_function('weights', 'x', 'weight', '{"NaN": "a", "1": "b", "2": "c"}')$$), 'Leave it out: no level is NaN.', 'a level can');
DROP TABLE weights;
CREATE TABLE half (code text CHECK (code IN ('a', 'b')), chapter text NOT NULL, its_code text CHECK (its_code IN ('a', 'b')));
CREATE VIEW half_too AS SELECT code, chapter FROM half;
SELECT is(refusal(format('SELECT pegs_set_function(%L, %L, %L, %L)', f, 'chapter', 'code', '{"a": "A", "b": "B"}')), '22023 column "chapter" is NOT NULL, and its mapping says nothing of NULL, which column "code" may be', f) FROM unnest('{half,half_too}'::text[]) AS f;
SELECT is(refusal($$SELECT pegs_set_function('half', 'chapter', 'code', '{"a": "A", "b": "B"}', 'B')$$), 'ok', 'a value for it');
SELECT is(refusal($$SELECT pegs_declare('half', '{"columns": {"its_code": {"levels": ["a", "b"], "nullable": false}, "chapter": {"of": "its_code", "values": {"a": "A", "b": "B"}}}}')$$), 'ok', 'or it is never NULL, whatever stands first');
SELECT is((SELECT problem FROM pegs_domain('half') WHERE column_name = 'chapter'), NULL, 'never');
SELECT pegs_unset('half', 'its_code');
SELECT is((SELECT problem FROM pegs_domain('half') WHERE column_name = 'chapter'), 'its function says nothing of NULL, which column "its_code" may be, and it is NOT NULL', 'but may be since');
ALTER TABLE half ALTER chapter DROP NOT NULL;
SELECT is(refusal($$SELECT pegs_set_function('half', 'chapter', 'code', '{"a": "A", "b": null}')$$), 'ok', 'of a column that may be NULL');
ALTER TABLE half ALTER chapter SET NOT NULL;
SELECT is((SELECT problem FROM pegs_domain('half') WHERE column_name = 'chapter'), 'its function has null for a level, and the column is NOT NULL', 'and may not be, since');
SELECT pegs_unset('half', 'chapter'), pegs_set_function('half', 'chapter', 'code', '{"a": "A", "b": "B"}', 'B');
ALTER TABLE half DROP CONSTRAINT half_code_check, ADD CHECK (code IN ('a', 'c'));
SELECT is((SELECT problem FROM pegs_domain('half') WHERE column_name = 'chapter'), 'its function says nothing of level "c" of column "code"', 'a CHECK that was replaced');
DROP TABLE half CASCADE;
CREATE TABLE filled (code text NOT NULL, chapter int NOT NULL);
CREATE VIEW filled_too AS SELECT code, chapter FROM filled;
SELECT is(refusal(format('SELECT pegs_set_function(%L, %L, %L, %L)', f, 'chapter', 'code', '{"a": 1, "b''": null}')), '22023 column "chapter" is NOT NULL, and its mapping has null for level ''b'''''' of column "code"', f) FROM unnest('{filled,filled_too}'::text[]) AS f;
SELECT alike(refusal(format('SELECT pegs_set_function(%L, %L, %L, %L)', 'visit', 'known', 'code', (SELECT jsonb_object_agg('code ' || i, i) FROM generate_series(1, 2000) AS i))),
	'0A000 the mapping of column "known" has % bytes, more than 16384', 'a list that is too long');
SELECT is(hint(format('SELECT pegs_set_function(%L, %L, %L, %L)', 'visit', 'known', 'code', (SELECT jsonb_object_agg('code ' || i, i) FROM generate_series(1, 2000) AS i))),
	'Leave the column out, and take its values from a table of the list in the published view (JOIN): SELECT pegs_leave_out(''public.visit'', ''known'');', 'and what can be done');
SELECT is(refusal(format('SELECT pegs_declare(%L, %L)', 'visit', jsonb_build_object('columns', jsonb_build_object('known', d::jsonb)))), '22023 facts of public.visit are wrong: nothing was declared', d) FROM (VALUES
	('{"of": "code"}'), ('{"values": {"c": "x"}}'), ('{"levels": ["no"], "null_value": "no"}'), ('{"of": "code", "values": ["c"]}'), ('{"of": "code", "values": {"c": "x"}, "levels": ["x"]}')) AS r (d);
SELECT pegs_forbid('visit', '{"known": "no", "los": [0]}');
SELECT is(refusal($$SELECT pegs_set_function('visit', 'known', 'code', '{"c": "x"}')$$), '55000 column "known" is in a forbidden combination, and cannot be derived', 'what is forbidden is modelled');
SELECT pegs_forbid('visit', NULL), pegs_forbid('visit', '{"chapter": "2", "los": [0]}'), pegs_leave_out('visit', 'm'), pegs_fit('zero', 'visit', epsilon => 5), pegs_unset('visit', 'm');
SELECT is((SELECT levels FROM pegs_columns('zero') WHERE column_name = 'chapter'), 3, 'forbidden since: it is modelled');
SELECT is_empty($$SELECT 1 FROM pegs_sample('zero', 2000) AS t(chapter int, los int) WHERE chapter = 2 AND los = 0$$, 'and kept out of it');
CREATE TABLE forbidden AS SELECT pegs_facts('visit') AS f;
SELECT is(refusal($$SELECT pegs_declare('visit', (SELECT f FROM forbidden))$$), 'ok', 'pegs_declare takes what pegs_facts prints of it');
SELECT is(pegs_facts('visit'), (SELECT f FROM forbidden), 'and it is the same');
SELECT is(refusal($$SELECT pegs_set_function('visit', 'chapter', 'code', '{"c": 7}')$$), '55000 column "chapter" is in a forbidden combination, and cannot be derived', 'another function is refused');
SELECT is(refusal($$SELECT pegs_set_function('visit', 'chapter', 'known', '{"a\"1": "1", "a,2": "1", "b''\\1": "2", "c": null}')$$), '55000 column "chapter" is in a forbidden combination, and cannot be derived', 'and one of another column');
SELECT pegs_drop('zero'), pegs_forbid('visit', NULL);

---- it is not modelled, and is as declared in every row
SELECT pegs_leave_out('visit', 'm');
SELECT pegs_fit('f', 'visit', epsilon => 1);
SELECT is(pegs_row_type('f'), 'code text, chapter integer, los integer, known text', 'rows have it');
SELECT results_eq($$SELECT column_name, levels FROM pegs_columns('f')$$, $$VALUES ('code'::name, 5), ('chapter', NULL), ('los', 10), ('known', NULL)$$, 'computed, not modelled');
SELECT is((SELECT count(*) FROM pegs_pairs('f') WHERE columns && '{chapter, known}'), 0::bigint, 'nothing was measured of it');
SELECT results_eq($$SELECT DISTINCT code, chapter, known FROM pegs_sample('f', 5000) AS t(code text, chapter int, los int, known text) ORDER BY code$$,
	$$VALUES ('a"1', 1, 'yes'), ('a,2', 1, 'yes'), ('b''\1', 2, 'yes'), ('c', NULL, 'yes'), (NULL, NULL, 'no')$$, 'as declared, also of NULL');
SELECT pegs_release('r', 'f', 100);
SELECT is((SELECT count(*) FROM pegs_rows_as(NULL::visit, 'r') WHERE known <> CASE WHEN code IS NULL THEN 'no' ELSE 'yes' END), 0::bigint, 'of a release, too');
SELECT is(refusal($$SELECT pegs_import('copy', pegs_export('f'))$$), 'ok', 'a model is whole elsewhere');
SELECT is((SELECT count(*) FROM pegs_sample('copy', 500) AS t(code text, known text) WHERE known IS DISTINCT FROM CASE WHEN code IS NULL THEN 'no' ELSE 'yes' END), 0::bigint, 'and knows the function');
SELECT pegs_fit('tables', 'visit', ARRAY['code', 'los', 'chapter'], parents => '{"los": ["code"]}');
SELECT is((SELECT count(*) FROM pegs_sample('tables', 20, 0.1) AS t(code text, chapter int) WHERE chapter IS DISTINCT FROM CASE left(code, 1) WHEN 'a' THEN 1 WHEN 'b' THEN 2 END), 0::bigint, 'of every method');

---- where the other column is not drawn, it is one like others
SELECT pegs_fit('alone', 'visit', ARRAY['chapter', 'los'], epsilon => 1);
SELECT is((SELECT count(*) FROM pegs_pairs('alone') WHERE columns && '{chapter}'), 1::bigint, 'modelled');
SELECT is_empty($$SELECT 1 FROM pegs_sample('alone', 500) AS t(chapter int) WHERE chapter NOT IN (1, 2)$$, 'by the values of the list');
SELECT pegs_leave_out('visit', 'code'), pegs_fit('out', 'visit', epsilon => 1);
SELECT is(pegs_row_type('out'), 'chapter integer, los integer, known text', 'that is left out');
SELECT pegs_set_levels('visit', 'code', ARRAY['a"1', 'a,2', 'b''\1', 'c']);

---- a row that is otherwise ends the fit, by the names of the columns alone, and nothing is charged
CREATE FUNCTION of_rows(rows text) RETURNS text LANGUAGE plpgsql AS
$$ DECLARE before numeric; result text; BEGIN
	SELECT spent INTO before FROM pegs_budgets WHERE source = 'visit'::regclass;
	EXECUTE 'INSERT INTO visit (code, chapter, los, known) VALUES ' || rows;
	result := refusal($f$SELECT pegs_fit('odd', 'visit', epsilon => 1)$f$);
	IF result = 'ok' THEN PERFORM pegs_drop('odd'); ELSIF before <> (SELECT spent FROM pegs_budgets WHERE source = 'visit'::regclass) THEN result := 'charged'; END IF;
	EXECUTE 'DELETE FROM visit WHERE los = 7 AND ctid IN (SELECT ctid FROM visit ORDER BY ctid DESC LIMIT 1)';
	RETURN result;
END $$;
SELECT is(of_rows(r), e, r) FROM (VALUES
	($$('a"1', 1, 7, 'yes')$$, 'ok'),
	($$('a"1', 2, 7, 'yes')$$, '23514 column "chapter" is not what is declared: a function of column "code"'),
	($$('a"1', 77, 7, 'yes')$$, '23514 column "chapter" is not what is declared: a function of column "code"'),
	($$('a"1', NULL, 7, 'yes')$$, '23514 column "chapter" is not what is declared: a function of column "code"'),
	($$('c', NULL, 7, 'yes')$$, 'ok'),
	($$('c', 1, 7, 'yes')$$, '23514 column "chapter" is not what is declared: a function of column "code"'),
	($$(NULL, NULL, 7, 'no')$$, 'ok'),
	($$(NULL, 1, 7, 'no')$$, '23514 column "chapter" is not what is declared: a function of column "code"'),
	($$(NULL, NULL, 7, 'yes')$$, '23514 column "known" is not what is declared: a function of column "code"'),
	($$(NULL, NULL, 7, NULL)$$, '23514 column "known" is not what is declared: a function of column "code"'),
	($$('d', NULL, 7, 'yes')$$, '23514 column "code" holds a value that is not in its declared domain')) AS v (r, e);
-- no part of the message has a value, nor says how many
CREATE FUNCTION all_said(statement text) RETURNS text LANGUAGE plpgsql AS
$$ DECLARE d text; h text; c text; n text; t text; BEGIN EXECUTE statement; RETURN 'ok'; EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS d = PG_EXCEPTION_DETAIL, h = PG_EXCEPTION_HINT, c = PG_EXCEPTION_CONTEXT, n = COLUMN_NAME, t = CONSTRAINT_NAME;
	RETURN concat_ws(' | ', sqlerrm, d, h, n, t, replace(c, statement, '')); END $$;
INSERT INTO visit VALUES ('c', 7654, 7, NULL, 'yes'), ('a"1', 7654, 7, NULL, 'yes');
SELECT matches(all_said($$SELECT pegs_fit('odd', 'visit', epsilon => 1)$$), 'There is a row with another value\. Nothing was charged\.', 'the error, all of it');
SELECT unalike(all_said($$SELECT pegs_fit('odd', 'visit', epsilon => 1)$$), '%7654%', 'has no value');
CREATE TABLE once AS SELECT all_said($$SELECT pegs_fit('odd', 'visit', epsilon => 1)$$) AS said;
INSERT INTO visit SELECT 'b''\1', 7000 + i, 7, NULL, 'yes' FROM generate_series(1, 300) AS i;
SELECT is(all_said($$SELECT pegs_fit('odd', 'visit', epsilon => 1)$$), (SELECT said FROM once), 'and is the same where there are more of them');
DELETE FROM visit WHERE chapter > 7000;
INSERT INTO visit VALUES ('c', 2, 7, NULL, 'yes');
SELECT is(refusal($$SELECT pegs_refit('f')$$), '23514 column "chapter" is not what is declared: a function of column "code"', 'a model fitted anew reads the same');
SELECT is(refusal($$SELECT pegs_fit('sealed', 'visit', parents => '{}')$$), '23514 column "chapter" is not what is declared: a function of column "code"', 'also one that keeps the counts');
SELECT alike(hint($$SELECT pegs_fit('odd', 'visit', epsilon => 1)$$), 'SELECT pegs_unset(''public.visit'', ''chapter''); and declare it as it is. Which values occur together: SELECT DISTINCT code, chapter FROM public.visit;', 'the hint asks the table, and has no value');
SELECT isnt_empty(substring(hint($$SELECT pegs_fit('odd', 'visit', epsilon => 1)$$) FROM 'SELECT DISTINCT.*'), 'and can be pasted');
SELECT unalike(hint($$SELECT pegs_fit('odd', 'visit', epsilon => 1)$$), '%2%', 'none');
SELECT is(refusal($$SELECT pegs_fit('alone2', 'visit', ARRAY['chapter', 'los'], epsilon => 1)$$), 'ok', 'nothing is asked where it is modelled');
DELETE FROM visit WHERE code = 'c' AND chapter = 2;

---- rows that do not count are not asked
INSERT INTO visit VALUES ('c', 99, 9, NULL, 'yes');
SELECT pegs_set_levels('visit', 'los', '{0, 1, 2, 3, 4, 5, 6, 7, 8}', undeclared => 'drop');
SELECT is(refusal($$SELECT pegs_fit('nine', 'visit', epsilon => 1)$$), 'ok', 'a row that another column leaves out');
SELECT pegs_unset('visit', 'los');
DELETE FROM visit WHERE chapter = 99;
INSERT INTO visit VALUES ('zz', 99, 1, NULL, 'maybe');
SELECT pegs_set_levels('visit', 'code', ARRAY['a"1', 'a,2', 'b''\1', 'c'], undeclared => 'drop');
SELECT is(refusal($$SELECT pegs_fit('dropped', 'visit', epsilon => 1)$$), 'ok', 'a row that is left out');
SELECT pegs_set_levels('visit', 'code', ARRAY['a"1', 'a,2', 'b''\1', 'c'], other => 'c');
SELECT is(refusal($$SELECT pegs_fit('taken', 'visit', epsilon => 1)$$), 'ok', 'a value that another level takes has the value of that');
DELETE FROM visit WHERE code = 'zz';
SELECT pegs_set_levels('visit', 'code', ARRAY['a"1', 'a,2', 'b''\1', 'c']);

---- levels without a value, bins, other types: found before rows are read
SELECT pegs_set_levels('visit', 'code', ARRAY['a"1', 'a,2', 'b''\1', 'c', 'd']);
SELECT results_eq($$SELECT origin, problem, remedy FROM pegs_domain('visit') WHERE column_name = 'chapter'$$,
	$$VALUES (NULL, 'its function says nothing of level "d" of column "code"', $r$SELECT pegs_unset('public.visit', 'chapter'); and declare it again.$r$)$$, 'a level that the list does not have');
SELECT is(refusal($$SELECT pegs_fit('more', 'visit', epsilon => 1)$$), '22023 column "chapter" cannot be used: its function says nothing of level "d" of column "code"', 'no fit');
SELECT pegs_set_levels('visit', 'code', ARRAY['a"1', 'a,2', 'c'], other => 'b''\1');
SELECT is((SELECT problem FROM pegs_domain('visit') WHERE column_name = 'chapter'), NULL, 'fewer are enough, and the level that takes others is one');
SELECT pegs_set_levels('visit', 'code', ARRAY['a"1', 'a,2', 'b''\1', 'c']);
CREATE TABLE types (b boolean, i int, n numeric(6, 2), d date, v varchar(4), c char(3), at timestamp, f float8, s smallint, t text);
INSERT INTO types SELECT i % 2 = 0, i % 3, (i % 3)::numeric / 4, '2024-01-01'::date + i % 3, 'v' || i % 3, 'c' || i % 3, '2024-01-01 10:00'::timestamp + (i % 3) * interval '1 day', (i % 3) / 4.0, i % 3, 't' || i % 3
	FROM generate_series(0, 599) AS i;
SELECT pegs_set_budget('types', 1000, 1e-3), pegs_set_levels('types', 'i', '{0, 1, 2}');
SET datestyle = 'German';
CREATE FUNCTION list(a text, b text) RETURNS jsonb LANGUAGE plpgsql AS $$ DECLARE r jsonb; BEGIN EXECUTE format('SELECT jsonb_object_agg(%I::text, %I) FROM types', a, b) INTO r; RETURN r; END $$;
SELECT pegs_set_function('types', c, 'i', list('i', c)) FROM unnest('{n, v, c, d, at, f, s, t}'::name[]) AS c;
SELECT pegs_fit('types', 'types', ARRAY['i', 'n', 'v', 'c', 'd', 'at', 'f', 's', 't'], epsilon => 1);
RESET datestyle;
SELECT is_empty($$SELECT * FROM pegs_sample_as(NULL::types, 'types', 300) AS s WHERE i IS NOT NULL AND NOT EXISTS (SELECT FROM types AS t WHERE (t.i, t.n, t.v, t.c, t.d, t.at, t.f, t.s, t.t) = (s.i, s.n, s.v, s.c, s.d, s.at, s.f, s.s, s.t))$$,
	'values of every type, whatever the session''s notation');
SELECT pegs_unset('types', c) FROM unnest('{n, v, c, d, at, f, s, t}'::name[]) AS c;
SELECT is(refusal(format($$SELECT pegs_unset('types', 'i') WHERE EXISTS (SELECT FROM pegs_facts('types') AS f WHERE f -> 'columns' ? 'i'); SELECT pegs_set_levels('types', %1$L, ARRAY(SELECT DISTINCT %1$I::text FROM types ORDER BY 1));
	SELECT pegs_set_function('types', 'i', %1$L, %2$L); SELECT pegs_fit('of ' || %1$L, 'types', ARRAY[%1$L, 'i'], epsilon => 1); SELECT pegs_unset('types', %1$L)$$, c, list(c, 'i'))), 'ok', 'of ' || c)
	FROM unnest('{n, v, c, d, at, f, s, t}'::name[]) AS c;
SELECT is_empty(format($$SELECT s.* FROM pegs_sample(%L, 300) AS s(%I %s, i int) WHERE i IS NOT NULL AND NOT EXISTS (SELECT FROM types AS t WHERE (t.i, t.%I) = (s.i, s.%I))$$, 'of ' || c, c, format_type(atttypid, atttypmod), c, c), 'of a value of ' || c)
	FROM unnest('{n, v, c, d, at, f, s, t}'::name[]) AS c JOIN pg_attribute ON attrelid = 'types'::regclass AND attname = c;
SELECT pegs_set_bins('types', 'n', '{0, 1}'), pegs_set_function('types', 'v', 'n', '{"0": "v0"}');
SELECT is((SELECT problem FROM pegs_domain('types') WHERE column_name = 'v'), 'it is a function of column "n", which has bins', 'bins have no values');
SELECT is((SELECT remedy FROM pegs_domain('types') WHERE column_name = 'v'),
	$r$SELECT pegs_set_derived('public.types', 'v', 'CASE WHEN n < ... THEN ... WHEN n < ... THEN ... ELSE ... END'); with values in the place of the dots.$r$, 'an expression says it of all values');
SELECT is(refusal(replace(replace((SELECT split_part(remedy, ';', 1) FROM pegs_domain('types') WHERE column_name = 'v'), 'n < ...', 'n < 0.5'), '...', $$''v0''$$)), 'ok', 'and can be pasted, with values');
SELECT is((SELECT problem FROM pegs_domain('types') WHERE column_name = 'v'), NULL, 'and repairs it');
SELECT alike((SELECT hint($$SELECT pegs_set_function('types', 'v', 's', '{"v0": ["0", "1"]}')$$)), 'In its place put a value%', 'the wrong way round, of another type');
SELECT is((SELECT hint($$SELECT pegs_set_function('types', 'v', 'c', '{"v0": ["c0", "c1"]}')$$)), $$Levels are the members, also where several have the same: '{"a": "x", "b": "x", "c": null}'$$, 'the wrong way round');
SELECT pegs_set_levels('types', 's', '{0, 1, 2}'), pegs_set_function('types', 'v', 's', '{"0": "v0", "1": "v1", "2": "v2"}');
ALTER TABLE types ALTER v TYPE int USING 1;
SELECT is((SELECT problem FROM pegs_domain('types') WHERE column_name = 'v'), 'its function has a value that is not of type integer', 'a type that was altered');
CREATE TYPE tone AS ENUM ('t0', 't1', 't2');
SELECT pegs_unset('types', 'v'), pegs_set_function('types', 't', 's', '{"0": "t0", "1": "t1", "2": "t2"}');
ALTER TABLE types ALTER t TYPE tone USING t::tone;
SELECT results_eq($$SELECT problem, remedy FROM pegs_domain('types') WHERE column_name = 't'$$,
	$$VALUES ('it is computed, and its type tone is not one that every server has', $r$SELECT pegs_unset('public.types', 't'); it is then modelled by levels of its own.$r$)$$, 'to an enum');
SELECT is(refusal($$SELECT pegs_fit('tones', 'types', ARRAY['s', 't'], epsilon => 1)$$), '22023 column "t" cannot be used: it is computed, and its type tone is not one that every server has', 'to an enum');
SELECT pegs_unset('types', 't');
SELECT is((SELECT problem FROM pegs_domain('types') WHERE column_name = 't'), NULL, 'which has levels');
SELECT pegs_set_levels('types', 'c', '{c0, c1, c2}'), pegs_set_function('types', 'd', 'c', '{"c0": "2024-01-01", "c1": "2024-01-02", "c2": "2024-01-03"}'), pegs_set_derived('types', 'b', 'c < ''c1'' ');
CREATE TYPE shade AS ENUM ('c0', 'c1', 'c2');
ALTER TABLE types ALTER c TYPE shade USING c::text::shade;
SELECT results_eq($$SELECT problem, remedy FROM pegs_domain('types') WHERE column_name IN ('b', 'd')$$,
	$$SELECT 'it is computed from column "c", whose type shade is not one that every server has', format('SELECT pegs_unset(''public.types'', %L); and declare what values it has, or declare it again of a view that makes a text of that column.', c) FROM unnest('{b,d}'::text[]) AS c$$, 'what it is computed from, to an enum');

---- one that has another name now is not as declared, nor as the catalog says without a word
CREATE TABLE named (code text NOT NULL CHECK (code IN ('a', 'b')), chapter text CHECK (chapter IN ('A', 'B')));
SELECT pegs_set_function('named', 'chapter', 'code', '{"a": "A", "b": "B"}');
ALTER TABLE named RENAME chapter TO part;
SELECT results_eq($$SELECT problem, remedy FROM pegs_domain('named') WHERE column_name = 'part'$$,
	$$VALUES ('what is declared of it is kept under the name that it had: "chapter"', $r$ALTER TABLE public.named RENAME COLUMN part TO chapter; gives it that name again. Or SELECT pegs_unset('public.named', 'chapter'); forgets it.$r$)$$, 'renamed');
ALTER TABLE named RENAME part TO chapter;
SELECT is((SELECT origin FROM pegs_domain('named') WHERE column_name = 'chapter'), 'a function of "code"', 'and named as before');

---- facts are of columns, not of names; a view has those of its table
ALTER TABLE visit RENAME code TO "the code";
SELECT pegs_set_levels('visit', 'the code', ARRAY['a"1', 'a,2', 'b''\1', 'c']);
SELECT is(pegs_facts('visit') -> 'columns' -> 'chapter' ->> 'of', 'the code', 'renamed');
SELECT is((SELECT origin FROM pegs_domain('visit') WHERE column_name = 'chapter'), 'a function of "the code"', 'renamed');
SELECT is(refusal($$SELECT pegs_fit('renamed', 'visit', epsilon => 1)$$), 'ok', 'renamed');
CREATE VIEW seen AS SELECT known AS is_known, "the code" AS which, los FROM visit;
SELECT is((SELECT origin FROM pegs_domain('seen') WHERE column_name = 'is_known'), 'a function of "which"', 'in a view');
SELECT pegs_fit('seen', 'seen', epsilon => 1);
SELECT is_empty($$SELECT 1 FROM pegs_sample('seen', 500) AS t(is_known text, which text) WHERE is_known <> CASE WHEN which IS NULL THEN 'no' ELSE 'yes' END$$, 'of a view');
INSERT INTO visit VALUES ('c', NULL, 7, NULL, 'no');
SELECT is(refusal($$SELECT pegs_fit('seen2', 'seen', epsilon => 1)$$), '23514 column "is_known" is not what is declared: a function of column "which"', 'of a view');
SELECT is(hint($$SELECT pegs_fit('seen2', 'seen', epsilon => 1)$$), 'Declare it as it is, where it is declared: of what the view or the part reads. Which values occur together: SELECT DISTINCT which, is_known FROM public.seen;', 'whose hint is of the view');
DELETE FROM visit WHERE "the code" = 'c' AND known = 'no';
CREATE VIEW blind AS SELECT known, los FROM visit;
SELECT is((SELECT problem FROM pegs_domain('blind') WHERE column_name = 'known'), 'it is computed from column "the code" of "visit", which is not here', 'of a view without the other column');
SELECT is((SELECT remedy FROM pegs_domain('blind') WHERE column_name = 'known'), $$SELECT pegs_set_levels('public.blind', 'known', ARRAY['...']);$$, 'which has levels of its own, then: nothing is declared of it that could be unset');
DROP VIEW seen, blind;
ALTER TABLE visit DROP "the code";
SELECT is((SELECT problem FROM pegs_domain('visit') WHERE column_name = 'known'), 'it is computed from column "code", which was dropped', 'dropped');
SELECT is(pegs_facts('visit') -> 'columns' -> 'known', NULL, 'and printed no more');
SELECT matches(refusal($$SELECT pegs_fit('gone', 'visit', epsilon => 1)$$), '^22023 column "(chapter|known)" cannot be used: it is computed from column "code", which was dropped', 'until it is declared again');
SELECT pegs_unset('visit', 'known'), pegs_unset('visit', 'chapter');

---- a person's rows
CREATE TABLE bought (person int, item text, shelf text);
INSERT INTO bought SELECT i % 100, (ARRAY['x', 'y'])[1 + i % 2], (ARRAY['X', 'Y'])[1 + i % 2] FROM generate_series(0, 999) AS i;
SELECT pegs_set_budget('bought', 1000, 1e-3), pegs_set_unit('bought', 'person', 2), pegs_set_levels('bought', 'item', '{x, y}'), pegs_set_function('bought', 'shelf', 'item', '{"x": "X", "y": "Y"}');
SELECT is(refusal($$SELECT pegs_fit('bought', 'bought', epsilon => 1)$$), 'ok', 'rows of persons');
-- all rows of a person are asked, also one that does not count: of two rows, of which one is otherwise, either may be the one that counts
CREATE TABLE one (person int, item text, shelf text);
SELECT pegs_set_budget('one', 1000, 1e-3), pegs_set_unit('one', 'person', 1), pegs_set_levels('one', 'item', '{x, y}'), pegs_set_function('one', 'shelf', 'item', '{"x": "X", "y": "Y"}');
CREATE FUNCTION of_person(i int) RETURNS text LANGUAGE plpgsql AS
$$ BEGIN DELETE FROM one; INSERT INTO one VALUES (i, 'x', 'X'), (i, 'y', 'Z'); RETURN refusal(format($f$SELECT pegs_fit(%L, 'one', epsilon => 1)$f$, 'one ' || i)); END $$;
SELECT results_eq($$SELECT said FROM (SELECT of_person(i) AS said FROM generate_series(1, 20) AS i) AS s GROUP BY said HAVING count(*) = 20$$,
	$$VALUES ('23514 column "shelf" is not what is declared: a function of column "item"')$$, 'whichever of them counts');
UPDATE bought SET shelf = 'Z';
SELECT is(refusal($$SELECT pegs_fit('bought2', 'bought', epsilon => 1)$$), '23514 column "shelf" is not what is declared: a function of column "item"', 'each of those that count');
SELECT * FROM finish();
