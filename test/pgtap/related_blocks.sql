-- Rows of related tables that come in three blocks of roots (src/core/schema/blocks.c: of 32,768 roots at most): keys go on from block to
-- block in all tables, parts are the whole, and no block is another's copy, neither in its codes nor inside its bins. Claim P36.
SET client_min_messages = warning;
CREATE EXTENSION pegs;
SELECT plan(17);

CREATE TABLE person (id int PRIMARY KEY, sex text NOT NULL CHECK (sex IN ('F', 'M')), age float8 NOT NULL);
CREATE TABLE stay (id int PRIMARY KEY, person int NOT NULL REFERENCES person, cost float8 NOT NULL);
CREATE TABLE drug (stay int NOT NULL REFERENCES stay, line int NOT NULL, dose float8 NOT NULL, PRIMARY KEY (stay, line));
INSERT INTO person SELECT p, CASE WHEN p % 2 = 0 THEN 'F' ELSE 'M' END, p * 7 % 100 FROM generate_series(1, 3000) AS p;
INSERT INTO stay SELECT 2 * p + s, p, p * 11 % 100 FROM generate_series(1, 3000) AS p, generate_series(1, p % 3) AS s;
INSERT INTO drug SELECT id, l, id * 13 % 100 FROM stay, generate_series(1, id % 3) AS l;
SELECT pegs_set_bins('person', 'age', 0, 100, 4), pegs_set_bins('stay', 'cost', 0, 100, 4), pegs_set_bins('drug', 'dose', 0, 100, 4);
SELECT pegs_set_parent('stay', 'person', children => '{0, 1, 2}', at_most => 2);
SELECT pegs_set_parent('drug', 'stay', children => '{0, 1, 2}', at_most => 2);
SELECT pegs_set_budget('person', 10);
SELECT pegs_fit_schema('m', 'person', epsilon => 10);

-- a row more than two blocks have: three, of 21,846, 21,846 and 21,845 roots
CREATE SCHEMA s;
CREATE TABLE s.person AS SELECT * FROM pegs_sample_as(NULL::person, 'm', 65537, options => '{"table": "person"}');
CREATE TABLE s.stay AS SELECT * FROM pegs_sample_as(NULL::stay, 'm', 65537, options => '{"table": "stay"}');
CREATE TABLE s.drug AS SELECT * FROM pegs_sample_as(NULL::drug, 'm', 65537, options => '{"table": "drug"}');
CREATE SCHEMA p;
CREATE TABLE p.person AS SELECT i AS part, r.* FROM generate_series(1, 3) AS i, pegs_sample_as(NULL::person, 'm', 65537, options => jsonb_build_object('table', 'person', 'part', i, 'parts', 3)) AS r;
CREATE TABLE p.stay AS SELECT i AS part, r.* FROM generate_series(1, 3) AS i, pegs_sample_as(NULL::stay, 'm', 65537, options => jsonb_build_object('table', 'stay', 'part', i, 'parts', 3)) AS r;
CREATE TABLE p.drug AS SELECT i AS part, r.* FROM generate_series(1, 3) AS i, pegs_sample_as(NULL::drug, 'm', 65537, options => jsonb_build_object('table', 'drug', 'part', i, 'parts', 3)) AS r;
SELECT is((SELECT array_agg(n ORDER BY part) FROM (SELECT part, count(*) AS n FROM p.person GROUP BY part) AS c), '{21846,21846,21845}'::bigint[], 'three blocks of roots');

---- keys: unique, each row has its parent, and nobody gets the rows of another block's parent
SELECT lives_ok('ALTER TABLE s.person ADD PRIMARY KEY (id)', 'persons have keys of their own');
SELECT lives_ok('ALTER TABLE s.stay ADD PRIMARY KEY (id), ADD FOREIGN KEY (person) REFERENCES s.person', 'so have stays, each of a person');
SELECT lives_ok('ALTER TABLE s.drug ADD PRIMARY KEY (stay, line), ADD FOREIGN KEY (stay) REFERENCES s.stay', 'so have drugs, each of a stay');
SELECT is((SELECT max(id) FROM s.person), 65537, 'persons are numbered through');
SELECT is((SELECT max(id) FROM s.stay), (SELECT count(*)::int FROM s.stay), 'so are stays');
SELECT is_empty('SELECT FROM s.stay GROUP BY person HAVING count(*) > 2', 'nobody has more stays than at_most');
SELECT is_empty('SELECT FROM s.drug GROUP BY stay HAVING count(*) > 2', 'no stay has more drugs');
SELECT is_empty('SELECT FROM p.stay AS c JOIN p.person AS u ON u.id = c.person WHERE u.part <> c.part', 'a stay is in the block of its person');
SELECT is_empty('SELECT FROM p.drug AS c JOIN p.stay AS u ON u.id = c.stay WHERE u.part <> c.part', 'a drug in that of its stay');

---- parts are the whole
CREATE FUNCTION differ(of text, columns text) RETURNS SETOF text LANGUAGE plpgsql AS $$ BEGIN RETURN QUERY EXECUTE
	format('(SELECT r::text FROM (SELECT %2$s FROM p.%1$I) AS r EXCEPT ALL SELECT r::text FROM s.%1$I AS r) UNION ALL (SELECT r::text FROM s.%1$I AS r EXCEPT ALL SELECT r::text FROM (SELECT %2$s FROM p.%1$I) AS r)', of, columns); END $$;
SELECT is((SELECT count(*) FROM differ(of, columns)), 0::bigint, 'three parts are the table: ' || of) FROM (VALUES ('person', 'id, sex, age'), ('stay', 'id, person, cost'), ('drug', 'stay, line, dose')) AS t(of, columns);

---- rows of one block beside those of the next, as they come: in a bin no value comes again, and bins are not the same
CREATE TABLE beside AS SELECT *, row_number() OVER (PARTITION BY of, part ORDER BY a, b) AS row FROM (SELECT 'age' AS of, part, id AS a, 0 AS b, age AS x FROM p.person
	UNION ALL SELECT 'cost', part, id, 0, cost FROM p.stay UNION ALL SELECT 'dose', part, stay, line, dose FROM p.drug) AS t;
SELECT is((SELECT count(*) FROM beside AS one JOIN beside AS two USING (of, row, x) WHERE one.part < two.part), 0::bigint, 'no value inside a bin is that of another block');
SELECT ok(alike < 0.5, 'rows are not those of another block: ' || of) FROM (SELECT of, avg((width_bucket(one.x, 0, 100, 4) = width_bucket(two.x, 0, 100, 4))::int) AS alike
	FROM beside AS one JOIN beside AS two USING (of, row) WHERE one.part < two.part GROUP BY of) AS t;
SELECT * FROM finish();
