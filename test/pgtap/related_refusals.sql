-- Related tables: what is refused, or left out, that no other file asks for. A list of all of it: test/ACCEPTANCE.md, "What a schema is refused for".
SET client_min_messages = warning;
CREATE EXTENSION pegs;
SELECT * FROM no_plan();
\ir lib/said.sql
CREATE FUNCTION fits(name text, root text DEFAULT 'owner') RETURNS text LANGUAGE sql AS $$ SELECT said(format('SELECT pegs_fit_schema(%L, %L, epsilon => 50, delta => 1e-9)', name, root)) $$;
CREATE FUNCTION spent(root text DEFAULT 'owner') RETURNS numeric LANGUAGE sql AS $$ SELECT spent FROM pegs_budgets WHERE source = root::regclass $$;

CREATE TABLE shop (id int PRIMARY KEY);
INSERT INTO shop VALUES (1), (2);
CREATE TABLE owner (id int PRIMARY KEY, sex text NOT NULL CHECK (sex IN ('F', 'M')));
CREATE TABLE pet (id int PRIMARY KEY, owner int REFERENCES owner ON DELETE CASCADE, shop int REFERENCES shop, kind text NOT NULL CHECK (kind IN ('cat', 'dog')));
CREATE TABLE toy (id int PRIMARY KEY, pet int REFERENCES pet ON DELETE CASCADE, v text NOT NULL CHECK (v IN ('x', 'y')));
INSERT INTO owner SELECT i, CASE WHEN i % 2 = 0 THEN 'F' ELSE 'M' END FROM generate_series(1, 1000) AS i;
INSERT INTO pet SELECT i, 1 + i % 500, CASE WHEN i % 4 = 0 THEN NULL ELSE 1 + i % 2 END, CASE WHEN i % 2 = 0 THEN 'cat' ELSE 'dog' END FROM generate_series(1, 1000) AS i;
INSERT INTO toy SELECT i, i, 'x' FROM generate_series(1, 500) AS i;
SELECT pegs_set_parent('pet', 'owner', children => '{0, 1, 2, 3}', at_most => 4), pegs_set_parent('toy', 'pet', children => '{0, 1}', at_most => 1);
SELECT pegs_set_budget('owner', epsilon => 1e5, delta => 1e-3, accounting => 'sum');
SELECT pegs_set_lookup('pet', 'shop', 'shop', 'id');

---- a foreign key that is NOT VALID is enough, and rows without their parent's are left out
ALTER TABLE pet DROP CONSTRAINT pet_owner_fkey;
INSERT INTO pet SELECT i, i, 1, 'cat' FROM generate_series(5001, 9000) AS i;
ALTER TABLE pet ADD FOREIGN KEY (owner) REFERENCES owner ON DELETE CASCADE NOT VALID;
SELECT is(fits('orphans'), 'ok', 'NOT VALID');
CREATE FUNCTION pets(model text) RETURNS TABLE (id int, owner int, shop int, kind text) LANGUAGE plpgsql AS $$ BEGIN RETURN QUERY SELECT * FROM pegs_sample_as(NULL::public.pet, model, 1000, options => '{"table": "pet"}'); END $$;
SELECT ok((SELECT count(*) BETWEEN 900 AND 1100 FROM pets('orphans')), 'rows without a parent are left out');
SELECT ok((SELECT abs(avg((shop IS NULL)::int) - 0.25) < 0.04 FROM pets('orphans')), 'a key of a lookup that is NULL is a level');
DELETE FROM pet WHERE id > 5000;

---- more rows than were declared count as the largest number, without a word
INSERT INTO pet SELECT 10000 + i, 1 + i % 1000, 1, 'dog' FROM generate_series(1, 9000) AS i;
CREATE TABLE before AS SELECT spent();
SELECT is(fits('many'), 'ok', 'ten or so of each owner, where four is the most');
SELECT ok((SELECT count(*) FILTER (WHERE n < 3) < 20 AND max(n) = 4 AND count(*) > 950 FROM (SELECT count(*) AS n FROM pets('many') GROUP BY owner) AS s), 'they are of the last class: three, or four');
DELETE FROM pet WHERE id > 10000;

---- a row that goes after the fit, with all that refers to it: the model had been independent of it already
CREATE TABLE drawn AS SELECT * FROM pets('many');
DELETE FROM owner WHERE id < 400;
SELECT is((SELECT count(*) FROM pet WHERE owner < 400), 0::bigint, 'a cascade deletes what a unit is');
SELECT results_eq('SELECT * FROM drawn', $$SELECT * FROM pets('many')$$, 'rows of the model are what they were');

---- tables that others inherit from
CREATE TABLE pet_more () INHERITS (pet);
CREATE TABLE spent_then AS SELECT spent();
SELECT is(fits('i'), '42809 | other tables inherit from public.pet: their rows have no keys that hold here | Use a partitioned table.', 'a table that another inherits from');
SELECT is((SELECT problem FROM pegs_schema('owner') WHERE source = 'pet'::regclass), 'other tables inherit from it: their rows have no keys that hold here', 'pegs_schema says so');
SELECT remedy FROM pegs_schema('owner') WHERE source = 'pet'::regclass \gexec
SELECT is_empty($$SELECT problem FROM pegs_schema('owner') WHERE problem IS NOT NULL$$, 'what it says is enough');
DROP TABLE pet_more;
CREATE TABLE owner_more () INHERITS (owner);
SELECT is(fits('i'), '42809 | other tables inherit from public.owner: their rows have no keys that hold here | Use a partitioned table.', 'a root that another inherits from');
SELECT is((SELECT problem FROM pegs_schema('pet') WHERE depth = 0), 'other tables inherit from it: their rows have no keys that hold here', 'of the root, too');
DROP TABLE owner_more;

---- names; how many tables
CREATE SCHEMA other;
CREATE TABLE other.pet (id int PRIMARY KEY, owner int REFERENCES owner, v text NOT NULL CHECK (v IN ('x', 'y')));
SELECT pegs_set_parent('other.pet', 'owner', children => '{0, 1, 2}', at_most => 3);
SELECT matches(fits('i'), '^42P07 \| two related tables are called "pet" \| By their names they are told apart, and left out\. \| Rename one: ALTER TABLE (other|public)\.pet RENAME TO pet_of_\1;$', 'two tables of one name');
ALTER TABLE other.pet RENAME TO bird;
SELECT is(fits('birds'), 'ok', 'renamed');
CREATE TABLE big (id int PRIMARY KEY, v boolean NOT NULL);
INSERT INTO big VALUES (1, true);
SELECT pegs_set_budget('big', epsilon => 1e5, delta => 1e-3, accounting => 'sum');
DO $$ BEGIN FOR i IN 1 .. 64 LOOP EXECUTE format('CREATE TABLE t_%s (p int REFERENCES big, v boolean NOT NULL)', i); PERFORM pegs_set_parent(('t_' || i)::regclass, 'big', children => '{0, 1, 2}', at_most => 3); END LOOP; END $$;
SELECT is(fits('i', 'big'), '54000 | more than 64 related tables | Name those that are wanted: tables => ''{...}''', 'more tables than there may be');
SELECT is(said($$SELECT pegs_fit_schema('some', 'big', '{big, t_1, t_2}', epsilon => 50, delta => 1e-9)$$), 'ok', 'some of them');

---- references to two bound tables beside that by which it is bound, and to the root: each row is named that is not protected
CREATE TABLE visit (id int PRIMARY KEY, pet int REFERENCES pet, bird int REFERENCES other.bird, toy int REFERENCES toy, payer int REFERENCES owner, v boolean NOT NULL);
SELECT pegs_set_parent('visit', 'pet', children => '{0, 1, 2}', at_most => 3);
SELECT is(fits('visits'), 'ok', 'four references');
SELECT is(pegs_describe('visits') -> 'not_covered', '["a row of other.bird in the rows of visit that refer to it by bird", "a row of public.owner in the rows of visit that refer to it by payer", "a row of public.toy in the rows of visit that refer to it by toy"]', 'all but its own');
SELECT matches(pegs_certificate('visits') ->> 'not_protected', 'a row of other\.bird in the rows of visit that refer to it by bird; a row of public\.owner in the rows of visit that refer to it by payer; a row of public\.toy in the rows of visit that refer to it by toy$', 'the certificate has them');
SELECT matches(pegs_certificate_text('visits'), 'other\.bird .*public\.owner .*public\.toy ', 'and that in words');
SELECT is((SELECT count(bird) + count(toy) + count(payer) FROM pegs_sample_as(NULL::visit, 'visits', 500, options => '{"table": "visit"}')), 0::bigint, 'they come out NULL');
SELECT is((SELECT array_agg(t::text ORDER BY t::text) FROM pegs_budgets, unnest(pays_for) AS t WHERE source = 'owner'::regclass), '{other.bird,pet,toy,visit}'::text[], 'the root pays for all of them');

---- sizes
CREATE TABLE wide (id int PRIMARY KEY, a int NOT NULL, b int NOT NULL, c int NOT NULL);
CREATE TABLE below (w int REFERENCES wide, d int NOT NULL, e int NOT NULL);
INSERT INTO wide VALUES (1, 1, 1, 1);
SELECT pegs_set_bins('wide', c, low => 0, high => 60000, bins => 60000) FROM unnest('{a, b, c}'::name[]) AS c;
SELECT pegs_set_bins('below', c, low => 0, high => 60000, bins => 60000) FROM unnest('{d, e}'::name[]) AS c;
SELECT pegs_set_budget('wide', epsilon => 1e5, delta => 1e-3, accounting => 'sum');
SELECT pegs_set_parent('below', 'wide', children => '{0, 1}', at_most => 1);
SELECT is(fits('i', 'wide'), '54000 | the declared domains of the tables are too large to count together | All single columns and pairs of all tables, and of rows of one parent, have 36001380009 cells; at most 67108864 are kept. | Declare fewer levels or wider bins, or name fewer columns: columns => ''{"...": ["..."]}''', 'too many cells');
SELECT pegs_set_parent('below', NULL);
SELECT pegs_set_parent('below', 'wide', children => '{0, 1, 65536}', at_most => 65536);
ALTER TABLE below ADD COLUMN id int PRIMARY KEY;
CREATE TABLE deeper (b int REFERENCES below, f boolean NOT NULL);
SELECT pegs_set_parent('deeper', 'below', children => '{0, 1, 65536}', at_most => 65536);
SELECT is(fits('i', 'wide'), '54000 | the tables have too many columns, or too many rows could hang on one row of "wide" | At most 1600 columns, those that count rows among them; and at_most of all tables on a way down, multiplied, may be 1048576. | Name fewer columns, or declare a smaller at_most: pegs_set_parent.', 'too many rows');
SELECT is(spent('wide'), 0::numeric, 'nothing was charged');

---- a table that is bound becomes a part of another
CREATE TABLE of_all (id int NOT NULL, owner int, v text NOT NULL) PARTITION BY LIST (v);
CREATE TABLE part_x (id int NOT NULL, owner int REFERENCES owner, v text NOT NULL);
SELECT pegs_set_levels('of_all', 'v', '{x, y}');
SELECT pegs_set_budget('of_all', epsilon => 10);
SELECT pegs_set_parent('part_x', 'owner', children => '{0, 1, 2}', at_most => 3);
ALTER TABLE of_all ATTACH PARTITION part_x FOR VALUES IN ('x');
SELECT is(said($$SELECT pegs_fit('i', 'of_all', '{v}', epsilon => 1)$$), '55000 | table "part_x", a part of "of_all", is bound to another table''s account | It was bound before it became a part: its rows belong to rows of that table. | Detach it: its rows cannot be in both.', 'whose rows they are would be two things');
SELECT is(spent('of_all'), 0::numeric, 'nothing was charged');
SELECT is((SELECT problem || ' ' || remedy FROM pegs_schema('owner') WHERE source = 'part_x'::regclass), 'it is a part of another table, "of_all": a related table must be all of it ALTER TABLE public.of_all DETACH PARTITION public.part_x;', 'pegs_schema of what became a part');
ALTER TABLE of_all DETACH PARTITION part_x;

---- a model of several tables is perturbed: there is nothing that would make it sealed, l-diverse, or of a state
SELECT matches(said(format('SELECT pegs_fit_schema(''i'', ''owner'', epsilon => 1, %s)', a)), '^42883 ', a) FROM unnest(ARRAY['parents => ''{}''', 'max_parents => 2', 'options => ''{}''', 'method => ''table''']) AS a;
SELECT is(spent(), (SELECT spent FROM spent_then) + 100, 'of all that is refused nothing was charged');
---- files that no fit has written: how many tables, and sizes beyond what a number holds
\ir lib/crafted.sql
CREATE FUNCTION imported(b bytea) RETURNS text LANGUAGE sql AS $$ SELECT said(format('SELECT pegs_import(''forged'', %L)', b)) $$;
CREATE TABLE written AS SELECT pegs_export('orphans') AS b;
SELECT is(with_spec(b, spec_of(b)), b, 'a file with its own spec is itself') FROM written;
CREATE FUNCTION table_of(i int) RETURNS text LANGUAGE sql AS $$ SELECT format('{"name": "x%s", "table": "x%s", "parent": 0, "children": [0, 1], "at_most": 1, "keys": [], "spec": {"pegs": 1, "tables": "pairs", "columns": [{"name": "v", "type": "pg_catalog.bool", "levels": ["t"], "null": false}]}}', i, i) $$;
SELECT matches(imported(with_spec(b, replaced)), words, these || ' becomes ' || left(others, 60)) FROM written, (VALUES
	('"related": [', '"related": [' || (SELECT string_agg(table_of(i), ', ') FROM generate_series(1, 62) AS i) || ', ', '"related" must be a list of tables'),
	('"related": [', '"related": [' || (SELECT string_agg(table_of(i), ', ') FROM generate_series(1, 5000) AS i) || ', ', '"related" must be a list of tables'),
	('"related": [', '"related": [], "more": [', '"related" must be a list of tables'),
	('"related": [', '"related": {}, "more": [', '"related" must be a list of tables'),
	('"at_most": 4', '"at_most": 2147483648', '^22P03 .*out of range'), ('"at_most": 4', '"at_most": 4294967300', '^22P03 .*out of range'), ('"at_most": 4', '"at_most": -1', 'too many or too large'),
	('"at_most": 4', '"at_most": 65537', 'too many or too large'), ('"at_most": 4', '"at_most": 1.5', '^22P03 .*integer: "1\.5"'), ('"at_most": 4', '"at_most": "4"', '"at_most" must be a number'),
	('"children": [0, 1, 2, 3]', '"children": [0, 1, 2, 4294967299]', '^22P03 .*out of range'), ('"children": [0, 1, 2, 3]', '"children": [0, 1, 2, -3]', 'too many or too large'), ('"children": [0, 1, 2, 3]', '"children": [0]', 'too many or too large|other'),
	('"levels": ["F", "M"]', '"levels": ["F", "F"]', '^22P03 .*two levels of a column are one value'),
	('"parent": 1', '"parent": 4294967297', '^22P03 .*out of range'), ('"parent": 1', '"parent": 2', 'no tree'), ('"parent": 1', '"parent": -1', 'no tree'),
	('"table": "public', '"table": "a..public', '^22P03 .*invalid name syntax'), ('"table": "public', '"table": "a.b.c.public', '^22P03 .*too many dotted names'), ('"table": "public', '"table": "a.public', '^22P03 .*more than two parts'),
	('"is": "parent", "of": 0', '"is": "parent", "of": 4294967296', '^22P03 .*out of range'), ('"is": "parent", "of": 0', '"is": "parent", "of": -1', 'a key is of no row')) AS v (these, others, words),
	LATERAL (SELECT replace(spec_of(b), these, others) AS replaced) AS r;
SELECT matches(imported(with_spec(b, replace(replace(spec_of(b), '"at_most": 4', '"at_most": 65536'), '"at_most": 1,', '"at_most": 65536,'))), 'too many or too large', 'at most so many of so many') FROM written;
SELECT matches(imported(summed(int_at(b, at, v, bytes))), '^22P03 ', format('byte %s is %s', at, v)) FROM written, (VALUES (12, 4294967295, 4), (12, 0, 4), (12, 1601, 4), (20, 4294967295, 4), (20, 2147483647, 4), (24, -1, 8), (24, 9223372036854775807, 8), (32, 4294967295, 4), (32, 0, 4)) AS v (at, v, bytes);
SELECT * FROM finish();
