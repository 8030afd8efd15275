-- A column of keys that is modelled by what its lookup table says of them: pegs_set_lookup(..., via => ...).
SET client_min_messages = warning;
CREATE EXTENSION pegs;
SELECT * FROM no_plan();
\ir lib/said.sql

-- 900 movies; no comedy of 1970; of some the genre is not known. Women rate dramas, with five stars, men wars, with two.
CREATE TABLE movie (id int PRIMARY KEY, title text NOT NULL UNIQUE, genre text, decade int NOT NULL);
INSERT INTO movie SELECT i, 'movie ' || i, (ARRAY['drama', 'comedy', 'war', NULL])[1 + i % 4], 1950 + 10 * (i / 4 % 3) FROM generate_series(1, 1000) AS i WHERE NOT (i % 4 = 1 AND i / 4 % 3 = 2);
CREATE TABLE person (id int PRIMARY KEY, sex text NOT NULL CHECK (sex IN ('F', 'M')));
CREATE TABLE rating (id int PRIMARY KEY, person int NOT NULL REFERENCES person, movie int REFERENCES movie, stars int NOT NULL CHECK (stars BETWEEN 1 AND 5));
INSERT INTO person SELECT i, CASE WHEN i % 2 = 0 THEN 'F' ELSE 'M' END FROM generate_series(1, 3000) AS i;
INSERT INTO rating SELECT p.id * 4 + k, p.id, CASE WHEN (p.id + k) % 10 = 0 THEN NULL WHEN p.sex = 'F' THEN 4 * (1 + (p.id * 7 + k) % 200) ELSE 2 + 4 * ((p.id * 7 + k) % 200) END,
	CASE WHEN sex = 'F' THEN 5 ELSE 2 END FROM person AS p, generate_series(0, 2) AS k WHERE k < p.id % 4;

---- declared, shown, printed
SELECT is((SELECT p FROM pegs_propose('rating') AS p WHERE p LIKE '-- movie%'), $$-- movie refers to table "movie", and is left out; if that table is public: SELECT pegs_set_lookup('public.rating', 'movie', 'public.movie', 'id');  -- or, of many keys, by what it says of them, a column of few values: via => '{genre}', or '{decade}'$$, 'pegs_propose, from the foreign key and the catalog: no title, which is unique');
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
SELECT is(pegs_certificate('m') ->> 'public', 'columns, declared levels and bins, tables, classes of numbers of rows, the rows of the lookup table public.movie (and their keys)', 'the certificate says that they are public');
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
\ir lib/crafted.sql
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
SELECT is(pegs_certificate('v') ->> 'public', 'columns, declared levels and bins, the rows of the lookup tables public.place, public.clock (and their keys), expressions of computed columns', 'its certificate');
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

---- keys by weight
CREATE TABLE shop (id int PRIMARY KEY, kind text NOT NULL, visits numeric, name text, "no number" bool);
INSERT INTO shop VALUES (1, 'a', 1), (2, 'a', 2), (3, 'a', 3), (4, 'a', 4.0), (5, 'a', 0), (6, 'b', 0.5), (7, 'b', 0.25), (8, 'b', 0.25), (9, 'c', 1e300), (10, 'd', 1), (11, 'd', 3);
CREATE TABLE buy (shop int NOT NULL REFERENCES shop, v text NOT NULL CHECK (v IN ('f', 'm')));
INSERT INTO buy SELECT 1 + i % 11, CASE WHEN i % 11 < 5 THEN 'f' ELSE 'm' END FROM generate_series(1, 11000) AS i;
SELECT pegs_set_lookup('buy', 'shop', 'shop', 'id', via => '{kind}', weight => 'visits');
SELECT is((SELECT string_agg(concat_ws(' | ', column_name, origin, problem), ', ') FROM pegs_domain('buy') WHERE column_name = 'shop.via'), 'shop.via | lookup table: {kind} of "shop", keys by weight "visits"', 'pegs_domain says it');
SELECT is(pegs_facts('buy') -> 'columns', '{"shop": {"via": ["kind"], "lookup": "public.shop", "weight": "visits", "lookup_column": "id"}}', 'pegs_facts prints it');
CREATE TABLE buys (LIKE buy);
SELECT pegs_declare('buys', jsonb_build_object('columns', pegs_facts('buy') -> 'columns'));
SELECT is(pegs_facts('buys') -> 'columns', pegs_facts('buy') -> 'columns', 'pegs_declare takes it');
SELECT pegs_set_lookup('buys', 'shop', 'shop', 'id', via => '{kind}');
SELECT is(pegs_facts('buys') -> 'columns' -> 'shop' ->> 'weight', NULL, 'and it is forgotten');
SELECT pegs_set_budget('buy', epsilon => 1e5, delta => 1e-3, accounting => 'sum');
SELECT pegs_fit('by weight', 'buy', epsilon => 20, delta => 1e-9);
SELECT is(pegs_certificate('by weight') ->> 'public', 'columns, declared levels and bins, the rows of the lookup table public.shop (keys drawn by weight), expressions of computed columns', 'the certificate says so');
SELECT is((SELECT string_agg(domain, ', ') FROM pegs_columns('by weight') WHERE column_name = 'shop.via'), 'levels: {kind} of "shop", keys by weight "visits"', 'and pegs_columns');
-- how far off the shares of keys are: chi-square of 1 to 3 degrees of freedom, above 60 by chance with less than 1e-12
CREATE FUNCTION off(rows regclass, first int, weights float8[]) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE answer float8; BEGIN
	EXECUTE format('WITH seen AS (SELECT w / sum(w) OVER () AS share, (SELECT count(*) FROM %s WHERE shop = %s - 1 + i) AS n FROM unnest($1) WITH ORDINALITY AS u (w, i)),
		total AS (SELECT sum(n) AS n FROM seen) SELECT sum((s.n - t.n * share) ^ 2 / (t.n * share)) FROM seen AS s, total AS t', rows, first) INTO answer USING weights;
	RETURN answer; END $$;
CREATE TABLE rows_by_weight AS SELECT * FROM pegs_sample_as(NULL::buy, 'by weight', 40000);
SELECT cmp_ok(off('rows_by_weight', 1, '{1, 2, 3, 4}'), '<', 60::float8, 'keys by whole numbers');
SELECT cmp_ok(off('rows_by_weight', 6, '{0.5, 0.25, 0.25}'), '<', 60::float8, 'and by others');
SELECT cmp_ok(off('rows_by_weight', 10, '{1, 3}'), '<', 60::float8, 'each among those of its own level');
SELECT cmp_ok(off('rows_by_weight', 1, '{1, 1, 1, 1}'), '>', 1000::float8, 'not each as likely');
SELECT is((SELECT array_agg(DISTINCT shop) FROM rows_by_weight), '{1,2,3,4,6,7,8,9,10,11}', 'one of weight 0 never; one by itself, however much it weighs');
SELECT ok((SELECT bool_and(abs(n - 40000 * share / 11.0) < 1000) FROM (SELECT kind, count(*) AS n, CASE kind WHEN 'a' THEN 5 WHEN 'b' THEN 3 WHEN 'd' THEN 2 ELSE 1 END AS share FROM rows_by_weight JOIN shop ON id = shop GROUP BY kind) AS s),
	'how often a level comes is the model''s: rows with the key of weight 0 count in it');
SELECT results_eq('SELECT * FROM pegs_sample_as(NULL::buy, ''by weight'', 500)', 'SELECT * FROM pegs_sample_as(NULL::buy, ''by weight'', 500)', 'a sample is the same each time');
SELECT pegs_release('weighed', 'by weight', 3000);
CREATE TABLE weighed AS SELECT * FROM pegs_rows_as(NULL::buy, 'weighed');
SELECT results_eq('SELECT * FROM pegs_rows_as(NULL::buy, ''weighed'') LIMIT 700', 'SELECT * FROM weighed LIMIT 700', 'the first rows are the first of all');
SELECT pegs_fit('sealed by weight', 'buy', '{shop, v}', parents => '{"v": ["shop.via"]}');
SELECT is((SELECT count(*) FROM pegs_sample_as(NULL::buy, 'sealed by weight', 20, epsilon => 50) WHERE shop = 5), 0::bigint, 'a sealed one draws so as well');
-- files
CREATE TABLE written_weights AS SELECT pegs_export('by weight') AS b;
SELECT pegs_import('file by weight', b) FROM written_weights;
SELECT is(pegs_certificate('file by weight') ->> 'public', 'columns, levels and bins, the rows of the lookup table public.shop (keys drawn by weight), expressions of computed columns', 'a file says so');
CREATE TABLE rows_of_file AS SELECT * FROM pegs_sample_as(NULL::buy, 'file by weight', 40000);
SELECT cmp_ok(off('rows_of_file', 1, '{1, 2, 3, 4}'), '<', 60::float8, 'and has them');
SELECT matches(said(format('SELECT pegs_import(''crafted'', %L)', crafted(b, these, others))), '^22P03 \| .*' || words, these || ' becomes ' || others)
FROM written_weights, (VALUES ('[2147483648], [1, 3]]', '[2147483648]        ]', 'a list for each level'),
	('[1, 2, 3, 4, 0]', '[1, 2, 3, 4,-1]', 'whole number below 2\^32'), ('[1, 2, 3, 4, 0]', '[1, 2, 3, 4,""]', 'whole number below 2\^32'), ('1073741824', '1073741.24', 'whole number below 2\^32'),
	('1073741824', '4294967296', 'whole number below 2\^32'), ('[1, 2, 3, 4, 0]', '[0, 0, 0, 0, 0]', 'their sum is 0, or 2\^32 or more'), ('1073741824, 536870912', '4294967295, 536870912', 'their sum is 0, or 2\^32 or more'),
	('[1, 2, 3, 4, 0]', '[1, 2, 3, 4   ]', 'whole number below 2\^32'), ('[1073741824, 536870912, 536870912], [2147483648]', '[1073741824, 536870912, 536870912,2147483648],[]', 'not one weight for each key'),
	('[2147483648]', '2147483648  ', 'whole number below 2\^32'), ('"weights": [[1', '"weightz": [[1', 'of which column'), ('"weight": "v', '"weighs": "v', 'of which column')) AS v (these, others, words);
-- another weight is another thing
UPDATE shop SET visits = 5 WHERE id = 1;
SELECT matches(said($$SELECT pegs_refit('by weight')$$), '^55000 \| model "by weight" cannot be fitted anew: changed since it was fitted: "shop.via" ', 'another weight: what was declared is another thing');
SELECT pegs_fit('x', 'buy', epsilon => 20, delta => 1e-9);
SELECT matches(said($$SELECT pegs_best('buy', '{by weight, x}', 1)$$), '^22023 .*"shop.via" \("by weight"\)', 'keys by other weights: no two forms of one model');
SELECT pegs_set_lookup('buy', 'shop', 'shop', 'id', via => '{kind}');
SELECT pegs_fit('y', 'buy', epsilon => 20, delta => 1e-9);
SELECT matches(said($$SELECT pegs_best('buy', '{y, x}', 1)$$), '^22023 .*"shop.via" \("x"\)', 'nor are those of weights and of none');
SELECT is(pegs_certificate('y') ->> 'public', 'columns, declared levels and bins, the rows of the lookup table public.shop (and their keys), expressions of computed columns', 'without weight nothing is said of it');
SELECT pegs_set_lookup('buy', 'shop', 'shop', 'id', via => '{kind}', weight => 'visits');
SELECT matches(said($$SELECT pegs_best('buy', '{y, x}', 1)$$), '^22023 .*"shop.via" \("y"\)', 'nor those of none and of weights');
-- what cannot be drawn by
CREATE FUNCTION problem_with(change text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE p text; BEGIN EXECUTE change; SELECT problem INTO p FROM pegs_domain('buy') WHERE column_name = 'shop'; RAISE EXCEPTION USING ERRCODE = 'P9999'; EXCEPTION WHEN SQLSTATE 'P9999' THEN RETURN coalesce(p, 'none'); END $$;
-- what the remedy is, and what is said when it was run; then both are undone
CREATE FUNCTION mended(change text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE r text; p text; BEGIN EXECUTE change; SELECT remedy INTO r FROM pegs_domain('buy') WHERE column_name = 'shop'; EXECUTE r; SELECT string_agg(problem, '') INTO p FROM pegs_domain('buy');
	PERFORM pegs_fit('mended', 'buy', epsilon => 1); RAISE EXCEPTION USING ERRCODE = 'P9999', MESSAGE = concat_ws(E'\n', r, p); EXCEPTION WHEN SQLSTATE 'P9999' THEN RETURN SQLERRM; END $$;
SELECT is(mended(change), words, 'the remedy repairs: ' || change) FROM (VALUES
	('UPDATE shop SET visits = NULL WHERE id = 2', 'UPDATE public.shop SET visits = 0 WHERE visits IS NULL OR NOT (visits >= 0 AND visits < 1e308); -- or, each key of a level as likely: SELECT pegs_set_lookup(''public.buy'', ''shop'', ''public.shop'', ''id'', via => ''{kind}'');'),
	('UPDATE shop SET visits = ''NaN'' WHERE id = 2; UPDATE shop SET visits = -1 WHERE id = 3; UPDATE shop SET visits = 1e400 WHERE id = 4', 'UPDATE public.shop SET visits = 0 WHERE visits IS NULL OR NOT (visits >= 0 AND visits < 1e308); -- or, each key of a level as likely: SELECT pegs_set_lookup(''public.buy'', ''shop'', ''public.shop'', ''id'', via => ''{kind}'');'),
	('ALTER TABLE shop ALTER visits TYPE float8; UPDATE shop SET visits = ''Infinity'' WHERE id = 2', 'UPDATE public.shop SET visits = 0 WHERE visits IS NULL OR NOT (visits >= 0 AND visits < 1e308); -- or, each key of a level as likely: SELECT pegs_set_lookup(''public.buy'', ''shop'', ''public.shop'', ''id'', via => ''{kind}'');'),
	('UPDATE shop SET visits = 1; ALTER TABLE shop ALTER visits TYPE smallint; UPDATE shop SET visits = -2 WHERE id = 2', 'UPDATE public.shop SET visits = 0 WHERE visits IS NULL OR NOT (visits >= 0 AND visits < 1e308); -- or, each key of a level as likely: SELECT pegs_set_lookup(''public.buy'', ''shop'', ''public.shop'', ''id'', via => ''{kind}'');'),
	('UPDATE shop SET visits = NULL WHERE kind = ''b'' OR id = 9', 'UPDATE public.shop SET visits = 0 WHERE visits IS NULL OR NOT (visits >= 0 AND visits < 1e308); UPDATE public.shop AS s SET visits = 1 WHERE NOT EXISTS (SELECT FROM public.shop AS o WHERE o.visits > 0 AND o.id IS NOT NULL AND o.kind::text COLLATE "C" IS NOT DISTINCT FROM s.kind::text);'
		' -- or, each key of a level as likely: SELECT pegs_set_lookup(''public.buy'', ''shop'', ''public.shop'', ''id'', via => ''{kind}'');'),
	('UPDATE shop SET visits = 0 WHERE kind = ''b''', 'UPDATE public.shop AS s SET visits = 1 WHERE NOT EXISTS (SELECT FROM public.shop AS o WHERE o.visits > 0 AND o.id IS NOT NULL AND o.kind::text COLLATE "C" IS NOT DISTINCT FROM s.kind::text);'
		' -- or, each key of a level as likely: SELECT pegs_set_lookup(''public.buy'', ''shop'', ''public.shop'', ''id'', via => ''{kind}'');'),
	('ALTER TABLE shop ALTER kind DROP NOT NULL; UPDATE shop SET kind = NULL, visits = 0 WHERE id > 9; SELECT pegs_set_lookup(''buy'', ''shop'', ''shop'', ''id'', via => ''{kind, name}'', weight => ''visits'')', 'UPDATE public.shop AS s SET visits = 1 WHERE NOT EXISTS (SELECT FROM public.shop AS o WHERE o.visits > 0 AND o.id IS NOT NULL'
		' AND o.kind::text COLLATE "C" IS NOT DISTINCT FROM s.kind::text AND o.name::text COLLATE "C" IS NOT DISTINCT FROM s.name::text); -- or, each key of a level as likely: SELECT pegs_set_lookup(''public.buy'', ''shop'', ''public.shop'', ''id'', via => ''{kind, name}'');'),
	('ALTER TABLE shop ALTER visits TYPE text', 'SELECT pegs_set_lookup(''public.buy'', ''shop'', ''public.shop'', ''id'', via => ''{kind}''); -- each key of a level is as likely then; or name a column of numbers: weight => ''...'''),
	('ALTER TABLE shop RENAME visits TO "no visits"', 'SELECT pegs_set_lookup(''public.buy'', ''shop'', ''public.shop'', ''id'', via => ''{kind}''); -- each key of a level is as likely then; or name a column of numbers: weight => ''...''')) AS v (change, words);
-- the same of its keys, and of what it says of them: what is there still, or each key once, or nothing
SELECT is(mended(change), words, 'the remedy repairs: ' || change) FROM (VALUES
	('SELECT pegs_set_lookup(''buy'', ''shop'', ''shop'', ''id'', via => ''{kind, name}'', weight => ''visits'', undeclared => ''drop''); ALTER TABLE shop RENAME name TO called', 'SELECT pegs_set_lookup(''public.buy'', ''shop'', ''public.shop'', ''id'', undeclared => ''drop'', via => ''{kind}'', weight => ''visits''); -- or name its columns as they are called now'),
	('SELECT pegs_set_lookup(''buy'', ''shop'', ''shop'', ''id'', via => ''{kind, name}'', weight => ''visits''); ALTER TABLE shop ALTER name TYPE json USING NULL, ALTER visits TYPE text', 'SELECT pegs_set_lookup(''public.buy'', ''shop'', ''public.shop'', ''id'', via => ''{kind}''); -- or name its columns as they are called now'),
	('ALTER TABLE shop RENAME kind TO "Kind"', 'SELECT pegs_set_lookup(''public.buy'', ''shop'', ''public.shop'', ''id'');  -- or, of many keys, by what it says of them, a column of few values: via => ''{"no number"}'', or ''{"Kind"}'', or ''{visits}'''),
	('ALTER TABLE shop RENAME id TO number', 'SELECT pegs_set_lookup(''public.buy'', ''shop'', ''public.shop'', ''number'', via => ''{kind}'', weight => ''visits''); -- its foreign key refers to that column'),
	('ALTER TABLE shop DROP CONSTRAINT shop_pkey CASCADE, DROP id', E'SELECT pegs_leave_out(''public.buy'', ''shop''); -- or declare its levels, or another lookup table\nit is left out by declaration'),
	('ALTER TABLE shop DROP CONSTRAINT shop_pkey CASCADE; INSERT INTO shop VALUES (2, ''z'', 1)', 'CREATE TABLE public.shop_once AS SELECT DISTINCT ON (id::integer) * FROM public.shop WHERE id IS NOT NULL ORDER BY id::integer; SELECT pegs_set_lookup(''public.buy'', ''shop'', ''public.shop_once'', ''id'', via => ''{kind}'', weight => ''visits''); -- of a key that has several rows any one is kept, and later changes of public.shop are not seen'),
	('ALTER TABLE shop DROP CONSTRAINT shop_pkey CASCADE; ALTER TABLE shop ALTER id TYPE text; INSERT INTO shop VALUES (''02'', ''z'', 1); CREATE VIEW shop_once AS SELECT', 'CREATE TABLE public.shop_once_2 AS SELECT DISTINCT ON (id::integer) * FROM public.shop WHERE id IS NOT NULL ORDER BY id::integer; SELECT pegs_set_lookup(''public.buy'', ''shop'', ''public.shop_once_2'', ''id'', via => ''{kind}'', weight => ''visits''); -- of a key that has several rows any one is kept, and later changes of public.shop are not seen'),
	('ALTER TABLE buy DROP CONSTRAINT buy_shop_fkey; DELETE FROM shop', E'SELECT pegs_leave_out(''public.buy'', ''shop''); -- or fill public.shop\nit is left out by declaration'),
	('ALTER TABLE buy DROP CONSTRAINT buy_shop_fkey; ALTER TABLE shop ALTER id TYPE numeric; INSERT INTO shop VALUES (2.5, ''a'', 1)', E'SELECT pegs_leave_out(''public.buy'', ''shop''); -- or correct public.shop: each key must be a value of type integer\nit is left out by declaration'),
	('ALTER TABLE buy DROP CONSTRAINT buy_shop_fkey; ALTER TABLE buy ALTER shop TYPE date USING ''2020-01-01''::date + shop; ALTER TABLE shop ALTER id TYPE date USING ''2020-01-01''::date + id', 'SELECT pegs_set_lookup(''public.buy'', ''shop'', ''public.shop'', ''id'');'),
	('INSERT INTO shop SELECT i, ''a'', 1 FROM generate_series(12, 100001) AS i', E'SELECT pegs_leave_out(''public.buy'', ''shop'');\nit is left out by declaration'),
	('SELECT pegs_set_lookup(''buy'', ''shop'', ''shop'', ''id'', via => ''{name}''); INSERT INTO shop SELECT i, ''a'', 1, i FROM generate_series(12, 70000) AS i', E'SELECT pegs_leave_out(''public.buy'', ''shop''); -- or name another column of public.shop, of fewer values\nit is left out by declaration'),
	('SELECT pegs_set_lookup(''buy'', ''shop'', ''shop'', ''id'', via => ''{kind, name}''); INSERT INTO shop SELECT i, ''a'', 1, i FROM generate_series(12, 70000) AS i', 'SELECT pegs_set_lookup(''public.buy'', ''shop'', ''public.shop'', ''id'', via => ''{kind}''); -- or via another column of fewer values')) AS v (change, words);
CREATE VIEW buy_view AS SELECT shop AS place, v FROM buy;
UPDATE shop SET visits = -visits WHERE id = 4;
SELECT is((SELECT remedy FROM pegs_domain('buy_view') WHERE column_name = 'place') LIKE '%pegs_set_lookup(''public.buy'', ''shop'', %', true, 'of a view: where it is declared');
UPDATE shop SET visits = -visits WHERE id = 4;
SELECT is(problem_with(change), words, change) FROM (VALUES
	('UPDATE shop SET visits = NULL WHERE id = 2', 'its lookup table has a key whose weight is NULL'),
	('UPDATE shop SET visits = -0.1 WHERE id = 2', 'its lookup table has a key whose weight is negative, or no finite number'),
	('UPDATE shop SET visits = ''NaN'' WHERE id = 2', 'its lookup table has a key whose weight is negative, or no finite number'),
	('UPDATE shop SET visits = 1e400 WHERE id = 2', 'its lookup table has a key whose weight is negative, or no finite number'),
	('ALTER TABLE shop ALTER visits TYPE float8; UPDATE shop SET visits = ''Infinity'' WHERE id = 2', 'its lookup table has a key whose weight is negative, or no finite number'),
	('UPDATE shop SET visits = 0 WHERE kind = ''b''', 'its lookup table has a level whose keys all have weight 0'),
	('ALTER TABLE shop ALTER visits TYPE text', 'the weights of its lookup table are no numbers any more'),
	('ALTER TABLE shop RENAME visits TO visitors', 'its lookup table or column is gone'),
	('ALTER TABLE shop DROP CONSTRAINT shop_pkey CASCADE; INSERT INTO shop VALUES (2, ''a'', 9)', 'its lookup table says two things of one key'),
	('ALTER TABLE shop DROP CONSTRAINT shop_pkey CASCADE; INSERT INTO shop VALUES (2, ''a'', 2.00)', 'none'),
	('ALTER TABLE shop ALTER visits TYPE float4 USING 1', 'none'),
	('CREATE DOMAIN weight AS numeric CHECK (value >= 0); ALTER TABLE shop ALTER visits TYPE weight', 'none')) AS v (change, words);
SELECT is(said(format('SELECT pegs_set_lookup(%s)', arguments)), words, arguments) FROM (VALUES
	($$'buy', 'shop', 'shop', 'id', weight => 'visits'$$, '22023 | weight is for keys that are modelled via their lookup table | It says how likely each key is among those of one level; without via each key is a level, which is as likely as the model has it. | Name columns that say something of its keys: via => ''{chapter, chronic}''. Or leave weight out.'),
	($$'buy', 'shop', 'shop', 'id', via => '{kind}', weight => 'id'$$, '22023 | weight must name another column than "id" | Name a column of numbers: weight => ''patients'''),
	($$'buy', 'shop', 'shop', 'id', via => '{kind}', weight => 'visitors'$$, '42703 | column "visitors" of table "shop" does not exist | Name a column of numbers: weight => ''patients'''),
	($$'buy', 'shop', 'shop', 'id', via => '{kind}', weight => 'name'$$, '42804 | column "name" of table "shop" is no number, and cannot be a weight | Name a column of numbers: weight => ''patients'''),
	($$'buy', 'shop', 'shop', 'id', via => '{kind}', weight => 'no number'$$, '42804 | column "no number" of table "shop" is no number, and cannot be a weight | Name a column of numbers: weight => ''patients''')) AS v (arguments, words);
SELECT matches(said($$SELECT pegs_declare('buy', '{"columns": {"shop": {"lookup": "shop", "lookup_column": "id", "weight": "visits"}}}')$$), '"shop": weight is for keys that are modelled via their lookup table', 'pegs_declare, without via');
SELECT matches(said($$SELECT pegs_declare('buy', '{"columns": {"v": {"levels": ["f"], "weight": "visits"}}}')$$), '"v": weight is for keys that are modelled via their lookup table', 'and without a lookup');
-- who may not see the weights
CREATE ROLE weighing; GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA public TO weighing; GRANT SELECT (id, kind) ON shop TO weighing;
SELECT pegs_set_lookup('buys', 'shop', 'shop', 'id', via => '{kind}', weight => 'visits');
ALTER TABLE buys OWNER TO weighing;
SET ROLE weighing;
SELECT matches((SELECT problem FROM pegs_domain('buys') WHERE column_name = 'shop'), 'permission denied for table shop', 'the right to the column is asked for at each use');
SELECT matches(said($$SELECT pegs_set_lookup('buys', 'shop', 'shop', 'id', via => '{kind}', weight => 'visits')$$), '^42501 .*shop', 'and when it is declared');
SELECT is(said($$SELECT pegs_set_lookup('buys', 'shop', 'shop', 'id', via => '{kind}')$$), 'ok', 'without weight not');
SELECT is(said($$SELECT problem FROM pegs_domain('buys')$$), 'ok', 'nor then');
RESET ROLE;
GRANT SELECT, UPDATE ON shop TO weighing; UPDATE shop SET visits = NULL WHERE id = 2;
SET ROLE weighing;
SELECT pegs_set_lookup('buys', 'shop', 'shop', 'id', via => '{kind}', weight => 'visits');
SELECT is((SELECT remedy FROM pegs_domain('buys') WHERE column_name = 'shop'), 'SELECT pegs_set_lookup(''public.buys'', ''shop'', ''public.shop'', ''id'', via => ''{kind}''); -- each key of a level is as likely then', 'what is another role''s is not written by a remedy, whatever right there is: its triggers would run');
SELECT remedy FROM pegs_domain('buys') WHERE column_name = 'shop' \gexec
SELECT is((SELECT string_agg(problem, '; ') FROM pegs_domain('buys') WHERE column_name LIKE 'shop%'), NULL, 'pasted');
RESET ROLE;
DROP TABLE shop CASCADE;
SELECT results_eq('SELECT * FROM pegs_rows_as(NULL::buy, ''weighed'')', 'SELECT * FROM weighed', 'dropped: rows are what they were');
DROP OWNED BY weighing; DROP ROLE weighing;
SELECT * FROM finish();
