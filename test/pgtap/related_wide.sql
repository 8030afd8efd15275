-- Models of several tables that are wide, or hold a unit of very many rows: they are fitted, their rows belong together.
SET client_min_messages = warning;
CREATE EXTENSION pegs;
SELECT * FROM no_plan();

---- eight child tables, two hundred columns
DO $$
BEGIN
	EXECUTE (SELECT format('CREATE TABLE person (id int PRIMARY KEY, %s)', string_agg(format('c%s boolean NOT NULL', i), ', ')) FROM generate_series(1, 40) AS i);
	EXECUTE (SELECT format('INSERT INTO person SELECT p, %s FROM generate_series(1, 200) AS p', string_agg(format('(p * %s) %% 7 < 3', i), ', ')) FROM generate_series(1, 40) AS i);
	FOR t IN 1 .. 8 LOOP
		EXECUTE (SELECT format('CREATE TABLE child_%s (id int PRIMARY KEY, person int NOT NULL REFERENCES person, %s)', t, string_agg(format('d%s boolean NOT NULL', i), ', ')) FROM generate_series(1, 20) AS i);
		EXECUTE (SELECT format('INSERT INTO child_%1$s SELECT 10 * p + k, p, %2$s FROM generate_series(1, 200) AS p, generate_series(1, (p + %1$s) %% 4) AS k',
			t, string_agg(format('(p + %s * k) %% 5 < 2', i), ', ')) FROM generate_series(1, 20) AS i);
		PERFORM pegs_set_parent(format('child_%s', t)::regclass, 'person', children => '{0, 1, 2, 3}', at_most => 3);
	END LOOP;
END $$;
SELECT pegs_set_budget('person', epsilon => 1e4, delta => 1e-3, accounting => 'sum');
SELECT pegs_fit_schema('wide', 'person', epsilon => 10, delta => 1e-9);
SELECT is((SELECT count(*) FROM pegs_sample_as(NULL::person, 'wide', 100, options => '{"table": "person"}')), 100::bigint, 'two hundred columns');
CREATE FUNCTION orphans(n int) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE r bigint; s bigint := 0;
BEGIN
	FOR t IN 1 .. 8 LOOP
		EXECUTE format($q$SELECT count(*) FROM pegs_sample_as(NULL::child_%1$s, 'wide', $1, options => '{"table": "child_%1$s"}') AS c
			LEFT JOIN pegs_sample_as(NULL::person, 'wide', $1, options => '{"table": "person"}') AS p ON p.id = c.person WHERE p.id IS NULL$q$, t) INTO r USING n;
		s := s + r;
	END LOOP;
	RETURN s;
END $$;
SELECT is(orphans(100), 0::bigint, 'of eight child tables: no orphans');
SELECT ok((SELECT abs(count(*) / 200.0 - 1.5) < 0.5 FROM pegs_sample_as(NULL::child_1, 'wide', 200, options => '{"table": "child_1"}')), 'as many rows as there are');
SELECT is((SELECT count(DISTINCT table_name) FROM pegs_utility_schema_of('wide')), 9::bigint, 'and all are measured');

---- a unit of a million rows, among small ones
CREATE TABLE holder (id int PRIMARY KEY, kind text NOT NULL CHECK (kind IN ('a', 'b')));
CREATE TABLE entry (holder int NOT NULL, v text NOT NULL CHECK (v IN ('x', 'y')));
INSERT INTO holder SELECT i, 'a' FROM generate_series(1, 1000) AS i;
INSERT INTO entry SELECT i, 'x' FROM generate_series(2, 1000) AS i;
INSERT INTO entry SELECT 1, 'y' FROM generate_series(1, 1000000);
ALTER TABLE entry ADD FOREIGN KEY (holder) REFERENCES holder;
SELECT pegs_set_parent('entry', 'holder', children => '{0, 1, 2, 3}', at_most => 5), pegs_set_budget('holder', epsilon => 1e4, delta => 1e-3, accounting => 'sum');
SELECT pegs_fit_schema('large', 'holder', epsilon => 10, delta => 1e-9);
SELECT ok((SELECT count(*) BETWEEN 950 AND 1100 AND count(*) FILTER (WHERE v = 'y') < 50 FROM pegs_sample_as(NULL::entry, 'large', 1000, options => '{"table": "entry"}')), 'a unit of a million rows weighs as any other');
SELECT ok((SELECT value > 0.99 FROM pegs_utility_schema_of('large') WHERE measure = 'tv1' AND table_name = 'entry'), 'a join of the original counts each of its rows, and the measure says so');
---- tables below each other: of a unit no more is kept than is said, before a charge
CREATE TABLE deep_0 (id int PRIMARY KEY, v boolean NOT NULL);
DO $$
BEGIN
	INSERT INTO deep_0 VALUES (0, true);
	FOR t IN 1 .. 4 LOOP
		EXECUTE format('CREATE TABLE deep_%s (id int PRIMARY KEY, p int NOT NULL, v boolean NOT NULL)', t);
		EXECUTE format('INSERT INTO deep_%s SELECT i, i / 64, true FROM generate_series(0, %s) AS i', t, least(64 ^ t, 800000) - 1);
		EXECUTE format('ALTER TABLE deep_%s ADD FOREIGN KEY (p) REFERENCES deep_%s NOT VALID', t, t - 1);
		PERFORM pegs_set_parent(format('deep_%s', t)::regclass, format('deep_%s', t - 1)::regclass, children => '{0, 1}', at_most => 2);
	END LOOP;
END $$;
SELECT pegs_set_budget('deep_0', epsilon => 1e4, delta => 1e-3, accounting => 'sum');
SELECT throws_ok($$SELECT pegs_fit_schema('deep', 'deep_0', epsilon => 10, delta => 1e-9)$$, '55000', 'a unit of these tables has more rows than can be kept', 'a unit of more rows than are kept');
SELECT is((SELECT spent FROM pegs_budgets WHERE source = 'deep_0'::regclass), 0::numeric, 'nothing was charged');
SELECT lives_ok($$SELECT pegs_fit_schema('deep', 'deep_0', tables => '{deep_1, deep_2, deep_3}', epsilon => 10, delta => 1e-9)$$, 'without the deepest table it is fitted');
---- nor beside each other: four generations, of which the last has four tables
\ir lib/said.sql
DO $$
BEGIN
	FOR t IN 1 .. 4 LOOP
		EXECUTE format('CREATE TABLE broad_%s (id int PRIMARY KEY, p int NOT NULL, v boolean NOT NULL)', t);
		EXECUTE format('INSERT INTO broad_%s SELECT i, i / 64, true FROM generate_series(0, 262143) AS i', t);
		EXECUTE format('ALTER TABLE broad_%s ADD FOREIGN KEY (p) REFERENCES deep_2 NOT VALID', t);
		PERFORM pegs_set_parent(format('broad_%s', t)::regclass, 'deep_2', children => '{0, 1}', at_most => 2);
	END LOOP;
END $$;
SELECT is(said($$SELECT pegs_fit_schema('broad', 'deep_0', tables => '{deep_1, deep_2, broad_1, broad_2, broad_3, broad_4}', epsilon => 10, delta => 1e-9)$$),
	'55000 | a unit of these tables has more rows than can be kept | Up to 64 rows of each row above are kept, and 1048576 of a unit in all: tables below each other multiply, and those beside each other add up.'
	' | Leave out the deepest tables, or some of those beside each other that have most rows: tables => ''{...}''. Or bind a table nearer to the root.', 'four tables beside each other');
SELECT lives_ok($$SELECT pegs_fit_schema('less broad', 'deep_0', tables => '{deep_1, deep_2, broad_1, broad_2, broad_3}', epsilon => 10, delta => 1e-9)$$, 'three are fitted');
SELECT * FROM finish();
