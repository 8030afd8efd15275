-- A column of keys that is modelled by what its lookup table says of them: pegs_set_lookup(..., via => ...).
SET client_min_messages = warning;
CREATE EXTENSION pegs;
SELECT * FROM no_plan();
CREATE FUNCTION said(statement text) RETURNS text LANGUAGE plpgsql AS
$$ DECLARE m text; d text; h text; BEGIN EXECUTE statement; RETURN 'ok';
EXCEPTION WHEN OTHERS THEN GET STACKED DIAGNOSTICS m = MESSAGE_TEXT, d = PG_EXCEPTION_DETAIL, h = PG_EXCEPTION_HINT; RETURN concat_ws(' | ', SQLSTATE, m, nullif(d, ''), nullif(h, '')); END $$;

-- 900 movies; no comedy of 1970; of some the genre is not known. Women rate dramas, with five stars, men wars, with two.
CREATE TABLE movie (id int PRIMARY KEY, title text NOT NULL UNIQUE, genre text, decade int NOT NULL);
INSERT INTO movie SELECT i, 'movie ' || i, (ARRAY['drama', 'comedy', 'war', NULL])[1 + i % 4], 1950 + 10 * (i / 4 % 3) FROM generate_series(1, 1000) AS i WHERE NOT (i % 4 = 1 AND i / 4 % 3 = 2);
CREATE TABLE person (id int PRIMARY KEY, sex text NOT NULL CHECK (sex IN ('F', 'M')));
CREATE TABLE rating (id int PRIMARY KEY, person int NOT NULL REFERENCES person, movie int REFERENCES movie, stars int NOT NULL CHECK (stars BETWEEN 1 AND 5));
INSERT INTO person SELECT i, CASE WHEN i % 2 = 0 THEN 'F' ELSE 'M' END FROM generate_series(1, 3000) AS i;
INSERT INTO rating SELECT p.id * 4 + k, p.id, CASE WHEN (p.id + k) % 10 = 0 THEN NULL WHEN p.sex = 'F' THEN 4 * (1 + (p.id * 7 + k) % 200) ELSE 2 + 4 * ((p.id * 7 + k) % 200) END,
	CASE WHEN sex = 'F' THEN 5 ELSE 2 END FROM person AS p, generate_series(0, 2) AS k WHERE k < p.id % 4;

---- declared, shown, printed
SELECT is((SELECT p FROM pegs_propose('rating') AS p WHERE p LIKE '-- movie%'), $$-- movie refers to table "movie", and is left out; if that table is public: SELECT pegs_set_lookup('public.rating', 'movie', 'public.movie', 'id');  -- or, of many keys, by what it says of them: via => '{genre, decade}'$$, 'pegs_propose, from the foreign key and the catalog: no title, which is unique');
SELECT pegs_set_lookup('rating', 'movie', 'movie', 'id', via => '{genre, decade}');
SELECT is((SELECT string_agg(column_name || ': ' || origin || ', ' || coalesce(n::text, ''), E'\n') FROM pegs_domain('rating') WHERE column_name LIKE 'movie%'), E'movie: computed: ("movie.via")::integer, \nmovie.via: lookup table: {genre, decade} of "movie", 12', 'pegs_domain: eleven combinations, and NULL');
SELECT is((SELECT array_agg(l) FROM pegs_levels('rating', 'movie.via') AS l), '{"{NULL,1950}","{NULL,1960}","{NULL,1970}","{comedy,1950}","{comedy,1960}","{drama,1950}","{drama,1960}","{drama,1970}","{war,1950}","{war,1960}","{war,1970}",NULL}'::text[], 'those that the table has, and no other');
SELECT is(pegs_facts('rating') -> 'columns', '{"movie": {"via": ["genre", "decade"], "lookup": "public.movie", "lookup_column": "id"}}', 'pegs_facts prints it');
CREATE TABLE twin (LIKE rating);
SELECT pegs_declare('twin', jsonb_build_object('columns', pegs_facts('rating') -> 'columns'));
SELECT is(pegs_facts('twin'), jsonb_build_object('columns', pegs_facts('rating') -> 'columns'), 'pegs_declare takes it');
SELECT pegs_unset('twin', 'movie');
SELECT is(pegs_facts('twin'), '{"columns": {}}', 'and it is forgotten');

---- rows of several tables
SELECT pegs_set_parent('rating', 'person', children => '{0, 1, 2, 3}', at_most => 3);
SELECT pegs_set_budget('person', epsilon => 1e5, delta => 1e-3, accounting => 'sum');
SELECT pegs_fit_schema('m', 'person', epsilon => 50, delta => 1e-9);
CREATE VIEW persons AS SELECT * FROM pegs_sample_as(NULL::person, 'm', 3000, options => '{"table": "person"}');
CREATE VIEW ratings AS SELECT * FROM pegs_sample_as(NULL::rating, 'm', 3000, options => '{"table": "rating"}');
SELECT is((SELECT count(*) FROM ratings AS r LEFT JOIN movie AS m ON m.id = r.movie WHERE r.movie IS NOT NULL AND m.id IS NULL), 0::bigint, 'every key is one of the table');
SELECT is((SELECT array_agg(DISTINCT genre || ' ' || stars ORDER BY genre || ' ' || stars) FROM (SELECT m.genre, stars FROM ratings AS r JOIN movie AS m ON m.id = r.movie WHERE genre IN ('drama', 'war') GROUP BY 1, 2 HAVING count(*) > 20) AS s), '{drama 5,war 2}'::text[], 'a join with it is right');
SELECT is((SELECT array_agg(DISTINCT sex || ' ' || genre ORDER BY sex || ' ' || genre) FROM (SELECT sex, genre FROM ratings AS r JOIN movie AS m ON m.id = r.movie JOIN persons AS p ON p.id = r.person GROUP BY 1, 2 HAVING count(*) > 20) AS s), '{F drama,M war}'::text[], 'and one with the parent, too');
SELECT ok((SELECT abs(avg((movie IS NULL)::int) - (SELECT avg((movie IS NULL)::int) FROM rating)) < 0.02 FROM ratings), 'NULL is a level');
SELECT ok((SELECT count(DISTINCT movie) > 350 AND max(n) < 40 FROM (SELECT movie, count(*) AS n FROM ratings GROUP BY movie) AS s WHERE movie IS NOT NULL), 'keys of a level are equally likely: those that no row has, too');
SELECT results_eq('SELECT * FROM ratings', 'SELECT * FROM ratings', 'a sample is the same each time');
SELECT is(pegs_certificate('m') ->> 'public', 'columns, declared levels and bins, tables, classes of numbers of rows, lookup tables and their keys', 'the certificate says that they are public');
SELECT is(pegs_describe('m') ->> 'not_covered', NULL, 'and nobody is left unprotected');
SELECT is(pegs_certificate('m') -> 'columns' @> '[{"column": "rating.movie.via", "levels": 13}]', true, 'of what it is');
SELECT ok((SELECT bool_and(value < 0.05) FROM pegs_utility_schema_of('m') WHERE measure IN ('tv1', 'cross_tv2') AND table_name = 'rating'), 'and it is measured');
SELECT pegs_release('kept', 'm', 200);
CREATE TABLE rows_then AS SELECT * FROM pegs_rows_as(NULL::rating, 'kept', 'rating');
SELECT pegs_copy_sql('kept', 'copied') \gexec
SELECT results_eq('SELECT movie FROM copied.rating ORDER BY id', 'SELECT movie FROM rows_then ORDER BY id', 'a copy has them');

---- files
SELECT pegs_import('file', pegs_export('m'));
SELECT is((SELECT count(*) - count(m.id) FROM pegs_sample_as(NULL::rating, 'file', 500, options => '{"table": "rating"}') AS r LEFT JOIN movie AS m ON m.id = r.movie WHERE r.movie IS NOT NULL), 0::bigint, 'a file has the keys');
CREATE FUNCTION sum_of(b bytea) RETURNS bytea LANGUAGE plpgsql AS $$
DECLARE crc bigint := 4294967295; t bigint[] := ARRAY[]::bigint[]; c bigint; BEGIN
	FOR i IN 0 .. 255 LOOP c := i; FOR k IN 1 .. 8 LOOP c := CASE WHEN c & 1 = 1 THEN (c >> 1) # 2197175160 ELSE c >> 1 END; END LOOP; t := t || c; END LOOP;
	FOR i IN 0 .. length(b) - 1 LOOP crc := (crc >> 8) # t[((crc # get_byte(b, i)) & 255) + 1]; END LOOP;
	crc := crc # 4294967295;
	RETURN set_byte(set_byte(set_byte(set_byte('\x00000000'::bytea, 0, (crc & 255)::int), 1, (crc >> 8 & 255)::int), 2, (crc >> 16 & 255)::int), 3, (crc >> 24 & 255)::int);
END $$;
-- words of the file in place of as many others, and the sum made right
CREATE FUNCTION crafted(b bytea, these text, others text) RETURNS bytea LANGUAGE plpgsql AS $$
DECLARE at int := position(these::bytea IN b); c bytea; BEGIN
	IF at = 0 OR length(these) <> length(others) THEN RAISE 'not there: %', these; END IF;
	c := substr(overlay(b PLACING others::bytea FROM at), 1, length(b) - 4);
	RETURN c || sum_of(c);
END $$;
CREATE TABLE place (code char(4) PRIMARY KEY, land text NOT NULL);
INSERT INTO place VALUES ('aaaa', 'x'), ('bb', 'x'), ('cccc', 'y');
CREATE TABLE visit (place char(4) NOT NULL REFERENCES place, at numeric(5, 1) NOT NULL, v text NOT NULL CHECK (v IN ('f', 'm')));
CREATE TABLE clock (at numeric PRIMARY KEY, part text NOT NULL);
INSERT INTO clock VALUES (0.5, 'early'), (1, 'early'), (20, 'late');
INSERT INTO visit SELECT (ARRAY['aaaa', 'bb', 'cccc'])[1 + i % 3], (ARRAY[1, 0.5, 20])[1 + i % 3], (ARRAY['f', 'f', 'm'])[1 + i % 3] FROM generate_series(1, 3000) AS i;
SELECT pegs_set_lookup('visit', 'place', 'place', 'code', via => '{land}'), pegs_set_lookup('visit', 'at', 'clock', 'at', via => '{part}');
-- columns of two collations
CREATE TABLE named (code text PRIMARY KEY, a text COLLATE "C" NOT NULL, b text COLLATE "POSIX" NOT NULL);
CREATE TABLE naming (k text NOT NULL REFERENCES named);
INSERT INTO named VALUES ('1', 'x', 'y'), ('2', 'x', 'z');
SELECT pegs_set_lookup('naming', 'k', 'named', 'code', via => '{a, b}');
SELECT is((SELECT string_agg(concat_ws(' ', column_name, problem, n), ', ') FROM pegs_domain('naming')), 'k, k.via 2', 'via columns of two collations');
SELECT pegs_set_budget('visit', epsilon => 1e5, delta => 1e-3, accounting => 'sum');
SELECT pegs_fit('v', 'visit', epsilon => 20, delta => 1e-9);
SELECT is((SELECT string_agg(place || at || v, ' ' ORDER BY place, at) FROM (SELECT place, at, v FROM pegs_sample_as(NULL::visit, 'v', 3000) GROUP BY 1, 2, 3 HAVING count(*) > 100) AS s),
	'aaaa0.5f aaaa1.0f bb0.5f bb1.0f cccc20.0m', 'of one table; keys are texts and numbers of the column''s own type');
SELECT is((SELECT array_agg(DISTINCT place::text) FROM pegs_sample_as(NULL::visit, 'v', 100, given => '{"place.via": "{y}"}')), '{cccc}'::text[], 'a level is given by its name');
SELECT is(said($$SELECT * FROM pegs_sample_as(NULL::visit, 'v', 100, given => '{"place": "cccc"}')$$), '0A000 | given names "place", which is computed from other columns | Give those: SELECT column_name, domain FROM pegs_columns(''v'');', 'a key is not');
SELECT is(pegs_certificate('v') ->> 'public', 'columns, declared levels and bins, lookup tables and their keys, expressions of computed columns', 'its certificate');
SELECT matches(said($$SELECT * FROM pegs_utility_of('v')$$), '^ok$', 'it is measured');
SELECT pegs_fit('sealed', 'visit', '{place, v}', parents => '{"v": ["place.via"]}');
SELECT is((SELECT array_agg(DISTINCT place::text) FROM pegs_sample_as(NULL::visit, 'sealed', 20, epsilon => 50)) <@ '{aaaa,bb,cccc}'::text[], true, 'a sealed one draws keys as well');
SELECT pegs_fit('u', 'visit', '{place, v}', epsilon => 20, delta => 1e-9);
UPDATE place SET land = 'y' WHERE code = 'bb';
SELECT pegs_fit('w', 'visit', '{place, v}', epsilon => 20, delta => 1e-9);
SELECT matches(said($$SELECT pegs_best('visit', '{u, w}', 1)$$), '^22023 .*"place.via" \("u"\)', 'of the same levels, but keys of others: no two forms of one model');
CREATE TABLE written AS SELECT pegs_export('v') AS b;
SELECT is(crafted(b, '"kind": "via"', '"kind": "via"'), b, 'the sum is that of the file') FROM written;
SELECT matches(said(format('SELECT pegs_import(''crafted'', %L)', crafted(b, these, others))), '^22P03 .*' || words, these || ' becomes ' || others)
FROM written, (VALUES ('"kind": "via"', '"kind": "day"', 'kind'), ('"aaaa", "bb"', '"aaaa", "b "', 'key is not a value'), ('["aaaa", "bb"], ["cccc"]', '["aaaa", "bb"], ["aaaa"]', 'twice'), ('["aaaa", "bb"], ["cccc"]', '["aaaa", "bb",   "cccc"]', 'one list of keys for each level'),
	('["aaaa", "bb"], ["cccc"]', '["aaaa", "bb"], [      ]', 'no key'), ('"1"], ["20"]', '"x"], ["20"]', 'key is not a value'), ('"keys": [["aaaa"', '"kexs": [["aaaa"', 'keys')) AS v (these, others, words);

---- an update of the lookup, and of what it says
CREATE TABLE before AS SELECT spent FROM pegs_budgets WHERE source = 'person'::regclass;
INSERT INTO movie VALUES (2000, 'later', 'drama', 1950);
SELECT matches(said($$SELECT pegs_refit('m')$$), '^55000 \| a declaration, a key or a table has changed since model "m" was fitted', 'a key more: what was declared is another thing');
DELETE FROM movie WHERE id = 2000;
SELECT is(said($$SELECT pegs_refit('m')$$), 'ok', 'and put back');
SELECT pegs_fit_schema('n', 'person', epsilon => 50, delta => 1e-9);
ALTER TABLE movie RENAME decade TO years;
SELECT is((SELECT problem FROM pegs_domain('rating') WHERE column_name = 'movie'), 'its lookup table or column is gone', 'a column that it is modelled by has another name');
SELECT matches(said($$SELECT pegs_fit_schema('o', 'person', '{person, rating}', '{"rating": ["movie"]}', epsilon => 50, delta => 1e-9)$$), 'its lookup table or column is gone', 'so nothing is fitted');
ALTER TABLE movie RENAME years TO decade;
ALTER TABLE rating DROP CONSTRAINT rating_movie_fkey;
UPDATE rating SET movie = 4001 WHERE id = 9;
SELECT is(said($$SELECT pegs_fit_schema('o', 'person', epsilon => 50, delta => 1e-9)$$), '23514 | column "movie" of public.rating holds a value that is not in its declared domain | Its lookup table must have every key. Or leave such rows out: undeclared => ''drop'' of pegs_set_lookup.', 'a key that it has not: an error that does not name it');
SELECT pegs_set_lookup('rating', 'movie', 'movie', 'id', undeclared => 'drop', via => '{genre, decade}');
SELECT is(said($$SELECT pegs_fit_schema('o', 'person', epsilon => 50, delta => 1e-9)$$), 'ok', 'or its row is left out');
SELECT is(pegs_certificate('o') ->> 'left_out', 'rows with a value that is not declared of "rating.movie"', 'which the certificate says');
ALTER TABLE movie DROP CONSTRAINT movie_pkey;
INSERT INTO movie VALUES (4, 'again', 'war', 1950);
SELECT is((SELECT problem FROM pegs_domain('rating') WHERE column_name = 'movie'), 'its lookup table says two things of one key', 'two things of one key');
SELECT pegs_set_budget('movie', 1);
SELECT is((SELECT problem FROM pegs_domain('rating') WHERE column_name = 'movie'), 'its lookup table has a privacy budget: its rows are private', 'it is private now');
DROP TABLE movie CASCADE;
SELECT results_eq('SELECT * FROM pegs_rows_as(NULL::rating, ''kept'', ''rating'')', 'SELECT * FROM rows_then', 'dropped: rows are what they were');

---- refused
CREATE TABLE codes (k int PRIMARY KEY, d date, g text, j jsonb, x text);
INSERT INTO codes VALUES (1, '2020-01-01', 'a', '{}', 'b');
CREATE TABLE src (id int PRIMARY KEY, d date, k int, c text, u int, "k.via" int, v text NOT NULL CHECK (v IN ('a', 'b')));
CREATE DOMAIN small AS int; CREATE TABLE src2 (k small, l int CHECK (l IN (1, 2)), m int, v text CHECK (v IN ('a', 'b')));
SELECT pegs_set_unit('src', 'u', 3);
SELECT is(said(format('SELECT pegs_set_lookup(%s)', arguments)), words, arguments) FROM (VALUES
	($$'src', 'c', 'codes', 'x', via => '{}'$$, '22023 | via must name at least one column | Name columns: via => ARRAY[''age'', ''sex'']'),
	($$'src', 'c', 'codes', 'x', via => '{g, NULL}'$$, '22004 | via must not hold a null | Name columns: via => ARRAY[''age'', ''sex'']'),
	($$'src', 'c', 'codes', 'x', via => '{g, x}'$$, '22023 | via must name other columns than "x", each once | They say of each key what the model has in its place. | Without via each key is a level of its own.'),
	($$'src', 'c', 'codes', 'x', via => '{g, g}'$$, '22023 | via must name other columns than "x", each once | They say of each key what the model has in its place. | Without via each key is a level of its own.'),
	($$'src', 'c', 'codes', 'x', via => '{what}'$$, '42703 | column "what" of table "codes" does not exist | Name columns that say something of its keys: via => ''{chapter, chronic}'''),
	($$'src', 'c', 'codes', 'x', via => '{j}'$$, '0A000 | column "j" of table "codes" has an unsupported type | Use a column of type text, number, date or enum.'),
	($$'src', 'd', 'codes', 'd', via => '{g}'$$, '42804 | column "d" of type date cannot be modelled via its lookup table | Its keys must be numbers or texts. | Leave via out: each key is a level of its own then.'),
	($$'src', 'id', 'codes', 'k', via => '{g}'$$, '22023 | column "id" is a key, and cannot be computed from others | Leave it out: SELECT pegs_leave_out(''public.src'', ''id'');'),
	($$'src', 'u', 'codes', 'k', via => '{g}'$$, '22023 | column "u" is the privacy unit, and cannot be computed from others | Leave it out: SELECT pegs_leave_out(''public.src'', ''u'');'),
	($$'src', 'k', 'codes', 'k', via => '{g}'$$, '22023 | column "k" cannot be computed from others: the table has a column "k.via" already | Use a view that calls its columns otherwise.'),
	($$'src', 'c', 'person', 'sex', via => '{id}'$$, '22023 | table "person" has a privacy budget, and cannot be a lookup table | Levels must be public; its rows are private. | Make a table of the codes that are published anyway.')) AS v (arguments, words);
SELECT matches(said($$SELECT pegs_set_lookup('src2', 'k', 'codes', 'k', via => '{g}')$$), '^0A000 \| column "k" of a domain type cannot be derived', 'a domain could refuse what is drawn');
SELECT pegs_forbid('src2', '{"l": "1", "v": "a"}');
SELECT matches(said($$SELECT pegs_set_lookup('src2', 'l', 'codes', 'k', via => '{g}')$$), '^55000 \| column "l" is in a forbidden combination', 'nor is it in a forbidden combination');
SELECT pegs_set_lookup('src2', 'm', 'codes', 'k', via => '{g}');
SELECT matches(said($$SELECT pegs_forbid('src2', '{"m": "1", "v": "a"}')$$), '^22023 \| column "m" cannot be used: it is computed from other columns \| Leave it out of the combination: hidden columns are in none\.', 'a key is not forbidden');
SELECT matches(said($$SELECT pegs_forbid('src2', '{"m.via": "{a}", "v": "a"}')$$), '^42703 ', 'nor is a level');
SELECT matches(said($$SELECT pegs_set_groups('src2', 'm', '{"1": "a"}')$$), '^55000 \| column "m" has no levels to put into groups', 'no groups');
SELECT is(said($$SELECT pegs_hierarchy('src2', 'm')$$), '55000 | column "m" of public.src2 has no hierarchy: it is modelled by what a lookup table says of it | Its own values are in no levels and no bins. | Declare its levels, or the lookup table without via: SELECT pegs_set_lookup(''public.src2'', ''m'', ...);', 'no hierarchy');
SELECT matches(said($$SELECT pegs_declare('src2', '{"columns": {"m": {"via": ["g"]}}}')$$), 'of a lookup, without groups and other, if it has via', 'pegs_declare: via is of a lookup');
SELECT matches(said($$SELECT pegs_declare('src2', '{"columns": {"m": {"lookup": "codes", "lookup_column": "k", "via": []}}}')$$), '"via" must be a list of columns', 'and names some');
DELETE FROM codes;
SELECT is((SELECT problem FROM pegs_domain('src2') WHERE column_name = 'm'), 'its lookup table has no key', 'no key at all');
INSERT INTO codes SELECT i, NULL, 'g' || i % 3 FROM generate_series(1, 100001) AS i;
SELECT is((SELECT problem FROM pegs_domain('src2') WHERE column_name = 'm'), 'its lookup table has more than 100000 keys, or 65534 levels of them', 'too many');
DELETE FROM codes WHERE k = 1;
SELECT is((SELECT problem FROM pegs_domain('src2') WHERE column_name = 'm'), NULL, 'as many as there may be');
SELECT * FROM finish();
