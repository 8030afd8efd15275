-- Tables that link a private row to a public one, as (person, movie) of ratings: the reference is modelled, and no two rows of one parent have the
-- same. So is any other column by which a unique key tells rows of one parent apart: src/facts/distinct.c, src/core/schema/distinct.h.
SET client_min_messages = warning;
CREATE EXTENSION pegs;
SELECT * FROM no_plan();
\ir lib/said.sql

-- 240 movies; women rate the first 60 of them, with five stars, men the first 120, with two
CREATE TABLE movie (id int PRIMARY KEY, genre text NOT NULL, decade int NOT NULL);
INSERT INTO movie SELECT i, (ARRAY['drama', 'comedy', 'war'])[1 + i % 3], 1950 + 10 * (i / 3 % 4) FROM generate_series(1, 240) AS i;
CREATE TABLE person (id int PRIMARY KEY, sex text NOT NULL CHECK (sex IN ('F', 'M')));
INSERT INTO person SELECT i, CASE WHEN i % 2 = 0 THEN 'F' ELSE 'M' END FROM generate_series(1, 3000) AS i;
CREATE TABLE rating (person int REFERENCES person, movie int REFERENCES movie, stars int NOT NULL CHECK (stars BETWEEN 1 AND 5), PRIMARY KEY (movie, person));
INSERT INTO rating SELECT p.id, m, CASE WHEN sex = 'F' THEN 5 ELSE 2 END FROM person AS p,
	LATERAL (SELECT DISTINCT 1 + (p.id * 7 + k * k * 11) % (CASE WHEN sex = 'F' THEN 60 ELSE 120 END) AS m FROM generate_series(1, p.id % 20) AS k) AS s;
SELECT pegs_set_parent('rating', 'person', children => '{0, 1, 2, 3, 5, 8, 12, 17}', at_most => 20);
SELECT pegs_set_budget('person', epsilon => 1e5, delta => 1e-3, accounting => 'sum');
CREATE FUNCTION fit(model text, columns jsonb DEFAULT NULL) RETURNS text LANGUAGE sql AS
	$$ SELECT said(format('SELECT pegs_fit_schema(%L, ''person'', columns => %L, epsilon => 50, delta => 1e-9)', model, columns)) $$;

---- not declared: said before anything is charged, with what mends it
SELECT is(fit('m'), '0A000 | column "movie" of table "rating" is a part of its key, and a reference to table "movie" | Keys are made anew as running numbers, and a number there would be another row.'
	' | If that table is public: SELECT pegs_set_lookup(''public.rating'', ''movie'', ''public.movie'', ''id''); Rows of one parent have different ones of it then.', 'no lookup');
SELECT is((SELECT concat_ws(' | ', problem, remedy) FROM pegs_schema('person') WHERE depth = 1),
	'its key refers to "movie" by "movie", which is no declared lookup | -- if that table is public: SELECT pegs_set_lookup(''public.rating'', ''movie'', ''public.movie'', ''id'');', 'pegs_schema says so: a comment, which declares nothing when it is run');
SELECT pegs_set_lookup('rating', 'movie', 'movie', 'id');
SELECT is((SELECT problem FROM pegs_schema('person') WHERE depth = 1), NULL, 'and then no more');
SELECT is(fit('m', '{"rating": ["stars"]}'), '55000 | rows of one parent could agree in the key of table "rating" | "movie" is not in the model. | Name it among the columns of "rating": columns => ''{"rating": ["movie", "stars"]}''', 'left out of the columns');
SELECT pegs_set_parent('rating', 'person', children => '{0, 1, 2, 3, 5, 8, 12, 17, 25, 37, 55, 82, 120, 180}', at_most => 241);
SELECT is(fit('m'), '55000 | rows of one parent could agree in the key of table "rating" | A parent may have 241 rows, and "movie" has 240 values.'
	' | SELECT pegs_set_parent(''public.rating'', ''public.person'', children => ''{0, 1, 2, 3, 5, 8, 12, 17, 25, 37, 55, 82, 120, 180}'', at_most => 240);', 'more rows than values');
SELECT pegs_set_parent('rating', 'person', children => '{0,1,2,3,5,8,12,17,25,37,55,82,120,180}', at_most => 240);
SELECT is(fit('largest'), 'ok', 'the hint repairs it');
SELECT pegs_set_parent('rating', 'person', children => '{0, 1, 2, 3, 5, 8, 12, 17}', at_most => 20);
SELECT is((SELECT count(*) FROM pegs_ledger), 2::bigint, 'the budget, and one charge, for the one model');

---- keys are levels
SELECT is(fit('m'), 'ok', 'fitted');
SELECT pegs_release('r', 'm', n => 3000);
CREATE SCHEMA s;
CREATE TABLE s.person AS SELECT * FROM pegs_rows_as(NULL::person, 'r', 'person');
CREATE TABLE s.rating AS SELECT * FROM pegs_rows_as(NULL::rating, 'r', 'rating');
SELECT lives_ok('ALTER TABLE s.rating ADD PRIMARY KEY (person, movie), ADD FOREIGN KEY (movie) REFERENCES movie', 'the key holds, and each movie is there');
SELECT ok((SELECT count(*) BETWEEN 21000 AND 26000 FROM s.rating), 'as many rows as there are: none is left out');
SELECT is((SELECT array_agg(DISTINCT sex || stars ORDER BY sex || stars) FROM (SELECT sex, stars FROM s.rating AS r JOIN s.person AS p ON p.id = r.person GROUP BY 1, 2 HAVING count(*) > 200) AS t), '{F5,M2}'::text[], 'a join with persons comes out right');
SELECT ok((SELECT avg((movie <= 60)::int) FILTER (WHERE sex = 'F') > 0.95 AND abs(avg((movie <= 60)::int) FILTER (WHERE sex = 'M') - 0.5) < 0.05 FROM s.rating AS r JOIN s.person AS p ON p.id = r.person), 'and who rates what');
SELECT ok((SELECT sum(abs(coalesce(a, 0) - coalesce(b, 0))) / 2 < 0.1 FROM (SELECT movie, count(*) / sum(count(*)) OVER () AS a FROM rating GROUP BY 1) AS x FULL JOIN (SELECT movie, count(*) / sum(count(*)) OVER () AS b FROM s.rating GROUP BY 1) AS y USING (movie)), 'shares of movies');
SELECT results_eq('SELECT * FROM pegs_rows_as(NULL::rating, ''r'', ''rating'')', 'TABLE s.rating', 'the same at each reading');
SELECT results_eq('SELECT r.* FROM generate_series(1, 2) AS i, pegs_sample_as(NULL::rating, ''m'', 16000, options => jsonb_build_object(''table'', ''rating'', ''part'', i, ''parts'', 2)) AS r WHERE person % 1000 = 0 ORDER BY 1, 2',
	'SELECT * FROM pegs_sample_as(NULL::rating, ''m'', 16000, options => ''{"table": "rating"}'') WHERE person % 1000 = 0 ORDER BY 1, 2', 'parts are the whole');
SELECT is((SELECT count(*) - count(DISTINCT (person, movie)) FROM pegs_sample_as(NULL::rating, 'm', 2000, given => '{"sex": "F"}', options => '{"table": "rating"}')), 0::bigint, 'where columns of the root are given, too');
SELECT is((SELECT count(*) FROM pegs_certificate_text('m') AS t WHERE t LIKE '%may repeat%'), 0::bigint, 'nothing may repeat, says the certificate');
SELECT pegs_copy_sql('r', 'copied') \gexec
SELECT is((SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = 'copied.rating'::regclass AND contype = 'p'), 'PRIMARY KEY (movie, person)', 'a copy has the key');
SELECT results_eq('SELECT * FROM copied.rating ORDER BY 1, 2', 'SELECT * FROM s.rating ORDER BY 1, 2', 'and the rows');
SELECT pegs_import('again', pegs_export('m'));
SELECT is((SELECT count(*) - count(DISTINCT (person, movie)) FROM pegs_sample_as(NULL::rating, 'again', 2000, options => '{"table": "rating"}')), 0::bigint, 'an imported model knows it');

---- keys are drawn among those of a level: 12 of 20 each, of which no row of a person has one twice
SELECT pegs_set_lookup('rating', 'movie', 'movie', 'id', via => '{genre, decade}');
SELECT is(fit('v'), 'ok', 'via what the table says of them');
CREATE TABLE s.via AS SELECT * FROM pegs_sample_as(NULL::rating, 'v', 3000, options => '{"table": "rating"}');
SELECT lives_ok('ALTER TABLE s.via ADD PRIMARY KEY (person, movie), ADD FOREIGN KEY (movie) REFERENCES movie', 'the key holds');
SELECT ok((SELECT max(n) > 3 FROM (SELECT count(*) AS n FROM s.via JOIN movie AS m ON m.id = movie GROUP BY person, genre, decade) AS t), 'of a level several');
SELECT ok((SELECT count(*) = 240 AND min(n) > 50 AND max(n) < 150 FROM (SELECT movie, count(*) AS n FROM s.via GROUP BY 1) AS t), 'each key of a level is as likely');
SELECT ok((SELECT count(*) > 1500 AND count(DISTINCT m) > 0.9 * count(*) FROM (SELECT string_agg(movie::text, ' ' ORDER BY movie) FROM s.via GROUP BY person HAVING count(*) > 2) AS t (m)), 'each parent has others');
SELECT ok((SELECT sum(abs(a - b)) / 2 < 0.05 FROM (SELECT genre, decade, count(*) / sum(count(*)) OVER () AS a FROM rating JOIN movie AS m ON m.id = movie GROUP BY 1, 2) AS x JOIN (SELECT genre, decade, count(*) / sum(count(*)) OVER () AS b FROM s.via JOIN movie AS m ON m.id = movie GROUP BY 1, 2) AS y USING (genre, decade)), 'shares of levels');
SELECT is((SELECT count(*) - count(DISTINCT (person, movie)) FROM pegs_sample_as(NULL::rating, 'v', 16000, options => '{"table": "rating"}')), 0::bigint, 'and in two blocks');

---- and by weight: the later of a level's 20 keys the more likely, the last two never
ALTER TABLE movie ADD sold numeric;
UPDATE movie AS m SET sold = CASE WHEN n > 18 THEN 0 ELSE n * n / 4.0 END FROM (SELECT id, row_number() OVER (PARTITION BY genre, decade ORDER BY id) AS n FROM movie) AS s WHERE s.id = m.id;
SELECT pegs_set_lookup('rating', 'movie', 'movie', 'id', via => '{genre, decade}', weight => 'sold');
SELECT pegs_set_parent('rating', 'person', children => '{0, 1, 2, 3, 5, 8, 12, 17, 25, 37, 55, 82, 120, 180}', at_most => 217);
SELECT is(fit('weighed'), '55000 | rows of one parent could agree in the key of table "rating" | A parent may have 217 rows, and "movie" has 216 values.'
	' | SELECT pegs_set_parent(''public.rating'', ''public.person'', children => ''{0, 1, 2, 3, 5, 8, 12, 17, 25, 37, 55, 82, 120, 180}'', at_most => 216);', 'keys of weight 0 are none that a row could have');
SELECT pegs_set_parent('rating', 'person', children => '{0, 1, 2, 3, 5, 8, 12, 17}', at_most => 20);
SELECT is(fit('weighed'), 'ok', 'by weight');
CREATE TABLE s.weighed AS SELECT * FROM pegs_sample_as(NULL::rating, 'weighed', 3000, options => '{"table": "rating"}');
SELECT lives_ok('ALTER TABLE s.weighed ADD PRIMARY KEY (person, movie), ADD FOREIGN KEY (movie) REFERENCES movie', 'the key holds');
SELECT is((SELECT count(*) FROM s.weighed JOIN movie AS m ON m.id = movie WHERE sold = 0), 0::bigint, 'those of weight 0 never');
-- what a person has one row of in a level: exactly by weight; five standard deviations
WITH alone AS (SELECT min(movie) AS movie FROM s.weighed JOIN movie AS m ON m.id = movie GROUP BY person, genre, decade HAVING count(*) = 1), of AS (SELECT movie, count(*) AS c FROM alone GROUP BY movie)
SELECT ok((SELECT count(*) = 18 AND sum(c) > 2000 AND bool_and(abs(c - total * share) < 5 * sqrt(total * share)) FROM (SELECT n, sum(c) AS c, sum(sum(c)) OVER () AS total, n * n / 2109.0 AS share FROM (
	SELECT row_number() OVER (PARTITION BY genre, decade ORDER BY id) AS n, coalesce(c, 0) AS c FROM movie AS m LEFT JOIN of ON of.movie = m.id WHERE sold > 0) AS k GROUP BY n) AS t), 'one key of a level by weight')
	;
SELECT results_eq('SELECT * FROM pegs_sample_as(NULL::rating, ''weighed'', 3000, options => ''{"table": "rating"}'')', 'TABLE s.weighed', 'the same at each reading');
SELECT pegs_import('weighed again', pegs_export('weighed'));
SELECT is((SELECT count(*) - count(DISTINCT (person, movie)) + count(*) FILTER (WHERE sold = 0) FROM pegs_sample_as(NULL::rating, 'weighed again', 2000, options => '{"table": "rating"}') JOIN movie AS m ON m.id = movie), 0::bigint, 'an imported model knows it');

---- levels that are no single values
SELECT pegs_unset('rating', 'movie'), pegs_set_bins('rating', 'movie', 1, 241, 24);
SELECT is(fit('bins'), '55000 | rows of one parent could agree in the key of table "rating" | Levels of "movie" are not single values.'
	' | Its levels must be single values: SELECT pegs_set_lookup(''public.rating'', ''movie'', ''public.movie'', ''id'');', 'bins');
SELECT pegs_set_levels('rating', 'movie', ARRAY(SELECT i::text FROM generate_series(1, 239) AS i) || '0'::text, other => '0');
SELECT matches(fit('other'), '^55000 \| rows of one parent could agree in the key', 'a level of what is not declared');
SELECT pegs_set_levels('rating', 'movie', ARRAY(SELECT i::text FROM generate_series(1, 240) AS i));
SELECT is(fit('list'), 'ok', 'a declared list of them is public, too');
SELECT is((SELECT count(*) - count(DISTINCT (person, movie)) FROM pegs_sample_as(NULL::rating, 'list', 2000, options => '{"table": "rating"}')), 0::bigint, 'and they are told apart');

---- two private sides, and tables below
CREATE TABLE doctor (id int PRIMARY KEY);
INSERT INTO doctor VALUES (1), (2);
CREATE TABLE treats (person int REFERENCES person, doctor int REFERENCES doctor, v boolean NOT NULL, PRIMARY KEY (person, doctor));
SELECT pegs_set_budget('doctor', 1);
SELECT pegs_set_parent('treats', 'person', children => '{0, 1}', at_most => 1);
SELECT is(fit('two'), '0A000 | column "doctor" of table "treats" is a part of its key, and a reference to table "doctor" | Keys are made anew as running numbers, and a number there would be another row.'
	' | Leave it out: name the other tables, tables => ARRAY[''person'', ''rating'']. Or give "treats" a primary key of its own, which refers to nothing, in place of this one.', 'both are private');
SELECT is((SELECT concat_ws(' | ', problem, remedy) FROM pegs_schema('person') WHERE source = 'treats'::regclass), 'its key refers to "doctor" by "doctor": tables that link two private rows are not modelled', 'pegs_schema, with nothing to paste');
SELECT pegs_set_levels('treats', 'doctor', '{1, 2}');
SELECT matches(fit('two'), '^0A000 \| column "doctor" of table "treats" is a part of its key, .* Leave it out', 'and a declared list of its keys makes none public');
DROP TABLE treats;
CREATE TABLE tag (person int, movie int, v boolean NOT NULL, FOREIGN KEY (person, movie) REFERENCES rating (person, movie));
SELECT is(fit('below'), 'ok', 'a table that refers to it, and is not bound');
SELECT pegs_set_parent('tag', 'rating', children => '{0, 1}', at_most => 1);
SELECT is(fit('below2'), '0A000 | column "movie" of table "rating" is a part of its key, and a reference to table "movie" | Tables below refer to it. Keys are made anew as running numbers, and a number there would be another row.'
	' | Leave it out: name the other tables, tables => ARRAY[''person'']. Or give "rating" a primary key of its own, which refers to nothing, in place of this one.', 'a table below refers by it');
DROP TABLE tag;

---- tables that tell of persons themselves: nothing proposes to call them public
CREATE TABLE blog (id int PRIMARY KEY, author int NOT NULL REFERENCES person);
CREATE TABLE page (id int PRIMARY KEY, blog int REFERENCES blog);
CREATE TABLE likes (person int REFERENCES person, page int REFERENCES page, v boolean NOT NULL, PRIMARY KEY (person, page));
SELECT pegs_set_parent('likes', 'person', children => '{0, 1}', at_most => 1);
SELECT is((SELECT concat_ws(' | ', problem, remedy) FROM pegs_schema('person') WHERE source = 'likes'::regclass), 'its key refers to "page" by "page": no model has it', 'a table whose rows lead to persons: pegs_schema');
SELECT matches(fit('likes'), '^0A000 \| column "page" of table "likes" is a part of its key, .* \| Leave it out', 'and a fit');
DROP TABLE likes;

---- one column, two keys: each is looked at, in whatever order
CREATE TABLE held (person int REFERENCES person, doc int, v boolean NOT NULL, PRIMARY KEY (person, doc), CONSTRAINT a1 FOREIGN KEY (doc) REFERENCES movie, CONSTRAINT z1 FOREIGN KEY (doc) REFERENCES doctor);
SELECT pegs_set_parent('held', 'person', children => '{0, 1}', at_most => 1), pegs_set_lookup('held', 'doc', 'movie', 'id');
SELECT matches(fit('held'), '^0A000 \| column "doc" of table "held" is a part of its key, and a reference to table "doctor"', 'a public table and a private one');
ALTER TABLE held RENAME CONSTRAINT a1 TO zz;
SELECT matches(fit('held'), '^0A000 \| column "doc" of table "held" is a part of its key, and a reference to table "doctor"', 'and the other way round');
DROP TABLE held;

---- what cannot be told apart, or is left out: a key of its own
CREATE TABLE country (code char(2) PRIMARY KEY); INSERT INTO country VALUES ('aa'), ('bb');
CREATE TABLE visit (person int REFERENCES person, country char(2) REFERENCES country, v boolean NOT NULL, PRIMARY KEY (person, country));
SELECT pegs_set_parent('visit', 'person', children => '{0, 1, 2}', at_most => 2);
SELECT is((SELECT concat_ws(' | ', problem, remedy) FROM pegs_schema('person') WHERE source = 'visit'::regclass), 'its key refers to "country" by "country", of which no lookup can be: it has several columns, or a type whose values are not told apart one by one', 'char(n): pegs_schema');
SELECT matches(fit('visit'), '^0A000 .* \| Leave it out: name the other tables', 'and a fit');
SELECT pegs_set_lookup('visit', 'country', 'country', 'code');
SELECT is(fit('visit'), '55000 | rows of one parent could agree in the key of table "visit" | The key has more columns that are modelled than "country", or its type or collation takes several texts for one value.'
	' | Leave it out: name the other tables, tables => ARRAY[''person'', ''rating'']. Or give "visit" a primary key of its own, which refers to nothing, in place of this one.', 'declared, too');
DROP TABLE visit;
CREATE TABLE seen (person int REFERENCES person, movie int REFERENCES movie, again int REFERENCES movie, PRIMARY KEY (person, movie, again));
SELECT pegs_set_parent('seen', 'person', children => '{0, 1, 2}', at_most => 2), pegs_set_lookup('seen', 'movie', 'movie', 'id'), pegs_set_lookup('seen', 'again', 'movie', 'id');
SELECT matches(fit('seen'), '^55000 \| rows of one parent could agree in the key of table "seen" \| The key has more columns', 'two references to public tables');
SELECT pegs_leave_out('seen', 'again');
SELECT matches(fit('seen'), '^0A000 \| column "again" of table "seen" is a part of its key', 'left out: that is no list of values');
DROP TABLE seen;
CREATE TABLE pair (a int, b int, PRIMARY KEY (a, b));
CREATE TABLE two_of (person int REFERENCES person, a int, b int, PRIMARY KEY (person, a, b), FOREIGN KEY (a, b) REFERENCES pair);
SELECT pegs_set_parent('two_of', 'person', children => '{0, 1}', at_most => 1), pegs_set_levels('two_of', 'a', '{1, 2}'), pegs_set_levels('two_of', 'b', '{1, 2}');
SELECT is((SELECT concat_ws(' | ', problem, remedy) FROM pegs_schema('person') WHERE source = 'two_of'::regclass), 'its key refers to "pair" by "a", of which no lookup can be: it has several columns, or a type whose values are not told apart one by one', 'a reference of two columns');
DROP TABLE two_of;

---- a key that is deferrable, with more columns INCLUDEd; hidden parts beside it
CREATE TABLE watched (person int REFERENCES person, movie int REFERENCES movie, at timestamp NOT NULL, PRIMARY KEY (person, movie) INCLUDE (at) DEFERRABLE);
INSERT INTO watched SELECT p, m, timestamp '2024-01-01 12:00' + m * interval '1 day' FROM generate_series(1, 900) AS p, generate_series(1, p % 4) AS m;
SELECT pegs_set_parent('watched', 'person', children => '{0, 1, 2, 3}', at_most => 3), pegs_set_lookup('watched', 'movie', 'movie', 'id'), pegs_set_bins('watched', 'at', '2024-01-01', '2024-02-01', 31, parts => '{date, hour}');
SELECT is(fit('without', '{"watched": ["at"], "rating": ["movie"]}'), '55000 | rows of one parent could agree in the key of table "watched" | "movie" is not in the model. | Name it among the columns of "watched": columns => ''{"watched": ["movie", "at"]}''', 'a column in parts is named once');
SELECT is(fit('watched', '{"rating": ["movie", "stars"]}'), 'ok', 'deferrable');
SELECT is((SELECT count(*) - count(DISTINCT (person, movie)) FROM pegs_sample_as(NULL::watched, 'watched', 3000, options => '{"table": "watched"}')), 0::bigint, 'and it holds');
DROP TABLE watched;

---- tables below, by pegs_schema; a root's own key
CREATE TABLE tag (person int, movie int, v boolean NOT NULL, FOREIGN KEY (person, movie) REFERENCES rating (person, movie));
SELECT pegs_set_parent('tag', 'rating', children => '{0, 1}', at_most => 1);
SELECT is((SELECT problem FROM pegs_schema('person') WHERE source = 'rating'::regclass), 'its key refers to "movie" by "movie", and tables below refer to it: no model has it', 'tables below, by pegs_schema');
DROP TABLE tag;
CREATE TABLE region (id int PRIMARY KEY REFERENCES movie, v boolean NOT NULL);
CREATE TABLE town (id int PRIMARY KEY, region int REFERENCES region, v boolean NOT NULL);
SELECT pegs_set_lookup('region', 'id', 'movie', 'id'), pegs_set_parent('town', 'region', children => '{0, 1}', at_most => 1), pegs_set_budget('region', 10);
SELECT matches(said('SELECT pegs_fit_schema(''region'', ''region'', epsilon => 1)'), '^0A000 \| column "id" of table "region" is a part of its key', 'a root has no parent whose rows would differ');

---- other unique keys: whatever else tells rows of one parent apart level by level
CREATE COLLATION nocase (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE TYPE mood AS ENUM ('a', 'b', 'c', 'd');
CREATE TABLE account (id int PRIMARY KEY, v text NOT NULL CHECK (v IN ('x', 'y')), code text UNIQUE);
CREATE TABLE orders (id int PRIMARY KEY, account int NOT NULL REFERENCES account, kind text CHECK (kind IN ('rent', 'loan', 'fee')), day date NOT NULL, amount numeric, word text COLLATE nocase, bin int, part int, once text CHECK (once IN ('a', 'b', 'c', 'd')), mood mood, flag boolean, small smallint, big bigint, short varchar(3), invalid int, w2 text COLLATE nocase);
INSERT INTO account SELECT i, 'x' FROM generate_series(1, 900) AS i;
INSERT INTO orders SELECT i * 4 + k, i, (ARRAY['rent', 'loan', 'fee', NULL])[k], date '2020-01-01' + k, k, chr(96 + k), k, k, chr(96 + k), chr(96 + k)::mood, (ARRAY[true, false, NULL, NULL])[k], k, k, chr(96 + k), k, chr(96 + k) FROM generate_series(1, 900) AS i, generate_series(1, 4) AS k WHERE k <= i % 5;
CREATE UNIQUE INDEX ON orders (account, kind);
CREATE UNIQUE INDEX ON orders (kind, account);
CREATE UNIQUE INDEX ON orders (account, once) NULLS NOT DISTINCT;
CREATE UNIQUE INDEX ON orders (day, account);
CREATE UNIQUE INDEX ON orders (account, amount);
CREATE UNIQUE INDEX ON orders (account, word);
CREATE UNIQUE INDEX ON orders (account, bin);
CREATE UNIQUE INDEX ON orders (account, part) WHERE part > 1;
CREATE UNIQUE INDEX ON orders (account, mood);
CREATE UNIQUE INDEX ON orders (account, flag);
CREATE UNIQUE INDEX ON orders (account, small);
CREATE UNIQUE INDEX ON orders (account, big);
CREATE UNIQUE INDEX ON orders (account, short);
CREATE UNIQUE INDEX inval ON orders (account, invalid);
UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'inval'::regclass;
CREATE UNIQUE INDEX ON orders (account, w2 COLLATE "C");
CREATE UNIQUE INDEX ON orders (account, kind, part) NULLS NOT DISTINCT;
SELECT pegs_set_levels('orders', 'day', '{2020-01-02, 2020-01-03, 2020-01-04, 2020-01-05}'), pegs_set_levels('orders', 'amount', '{1, 2, 3, 4}'), pegs_set_levels('orders', 'word', '{a, b, c, d}'),
	pegs_set_bins('orders', 'bin', 1, 5, 2), pegs_set_levels('orders', 'part', '{1, 2, 3, 4}'),
	pegs_set_levels('orders', 'small', '{1, 2, 3, 4}'), pegs_set_levels('orders', 'big', '{1, 2, 3, 4}'), pegs_set_levels('orders', 'short', '{a, b, c, d}'), pegs_set_levels('orders', 'invalid', '{1, 2, 3, 4}'), pegs_set_levels('orders', 'w2', '{a, b, c, d, A}'), pegs_set_levels('account', 'code', '{a, b}');
SELECT pegs_set_parent('orders', 'account', children => '{0, 1, 2, 3}', at_most => 4);
SELECT pegs_set_budget('account', epsilon => 1e5, delta => 1e-3, accounting => 'sum');
SELECT pegs_fit_schema('bank', 'account', epsilon => 50, delta => 1e-9);
SELECT is((SELECT array_agg(r ORDER BY r) FROM pegs_certificate('bank') AS c, jsonb_array_elements_text(c -> 'may_repeat') AS r),
	'{"rows of orders may repeat (account, amount), which the original has unique","rows of orders may repeat (account, bin), which the original has unique","rows of orders may repeat (account, invalid), which the original has unique","rows of orders may repeat (account, kind, part), which the original has unique","rows of orders may repeat (account, once), which the original has unique","rows of orders may repeat (account, part), which the original has unique","rows of orders may repeat (account, w2), which the original has unique","rows of orders may repeat (account, word), which the original has unique"}'::text[],
	'numbers with a scale, bins, a collation that takes a for A, several columns, one NULL, and a key with a condition may repeat');
SELECT pegs_copy_sql('bank', 'bank2') \gexec
SELECT is((SELECT array_agg(pg_get_constraintdef(oid) ORDER BY pg_get_constraintdef(oid)) FROM pg_constraint WHERE conrelid = 'bank2.orders'::regclass AND contype = 'u'), '{"UNIQUE (account, big)","UNIQUE (account, flag)","UNIQUE (account, kind)","UNIQUE (account, mood)","UNIQUE (account, short)","UNIQUE (account, small)","UNIQUE (day, account)","UNIQUE (kind, account)"}', 'a list of texts and of days does not');
SELECT ok((SELECT count(*) > 1000 AND max(n) > 1 FROM (SELECT count(*) OVER (PARTITION BY account) AS n FROM bank2.orders WHERE kind IS NULL OR true) AS t), 'several rows of one account');
SELECT ok((SELECT sum((n > 1)::int) > 5 FROM (SELECT count(*) AS n FROM bank2.orders WHERE part = 2 GROUP BY account) AS t), 'and what may repeat does');
SELECT pegs_set_parent('orders', 'account', children => '{0, 1, 2, 3, 4}', at_most => 5);
SELECT pegs_fit_schema('five', 'account', epsilon => 50, delta => 1e-9);
SELECT is((SELECT array_agg(r ORDER BY r) FROM pegs_certificate('five') AS c, jsonb_array_elements_text(c -> 'may_repeat') AS r WHERE r LIKE '%day%' OR r LIKE '%kind)%'), '{"rows of orders may repeat (day, account), which the original has unique"}'::text[],
	'five rows, and four days; of kinds there is NULL, as often as one likes');

---- an index that compares in a way of somebody's own: texts that differ may be one value to it
CREATE FUNCTION alike(text, text) RETURNS int IMMUTABLE LANGUAGE sql AS 'SELECT btnametextcmp(lower($1)::name, lower($2))';
CREATE OPERATOR FAMILY alike_family USING btree;
CREATE FUNCTION is_alike(text, text) RETURNS boolean IMMUTABLE LANGUAGE sql AS 'SELECT alike($1, $2) = 0'; CREATE OPERATOR === (FUNCTION = is_alike, LEFTARG = text, RIGHTARG = text);
CREATE OPERATOR CLASS alike_ops FOR TYPE text USING btree FAMILY alike_family AS OPERATOR 3 ===, FUNCTION 1 alike(text, text);
CREATE TABLE works (id int PRIMARY KEY, v boolean NOT NULL);
CREATE TABLE parts (id int PRIMARY KEY, work int REFERENCES works, a text NOT NULL CHECK (a IN ('x', 'X', 'y')), b text NOT NULL CHECK (b IN ('x', 'X', 'y')));
CREATE UNIQUE INDEX ON parts (work, a alike_ops);
CREATE UNIQUE INDEX ON parts (work, b);
INSERT INTO works SELECT i, true FROM generate_series(1, 100) AS i;
INSERT INTO parts SELECT i, i, 'X', 'x' FROM generate_series(1, 100) AS i;
SELECT pegs_set_parent('parts', 'works', children => '{0, 1, 2, 3}', at_most => 3), pegs_set_budget('works', 1e4);
SELECT pegs_fit_schema('alike', 'works', epsilon => 50);
SELECT is(pegs_certificate('alike') -> 'may_repeat', '["rows of parts may repeat (work, a), which the original has unique"]', 'an operator class of somebody''s own');

---- a file that says what cannot be is no model
\ir lib/crafted.sql
SELECT is(said(format('SELECT pegs_import(%L, %L)', others, crafted(pegs_export('m'), '"distinct": ["movie"]', others))), words, others) FROM (VALUES
	('"distinct": ["stars"]', '22P03 | this is not an exported model, or its facts cannot be read here | spec is not valid: related tables are too many or too large, or numbers of their rows do not rise, or are more than a key has values. | Import what pegs_export gave, into a database that has the types of its columns.'),
	('"distinct": ["sexes"]', '22P03 | this is not an exported model, or its facts cannot be read here | spec is not valid: "distinct" names a column that tells no rows of one parent apart. | Import what pegs_export gave, into a database that has the types of its columns.'),
	('"distinct":   "movie"', '22P03 | this is not an exported model, or its facts cannot be read here | spec is not valid: "distinct" must be a list. | Import what pegs_export gave, into a database that has the types of its columns.')) AS v (others, words);
SELECT * FROM finish();
