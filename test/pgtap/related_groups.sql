-- Declared groups of levels in a model of several tables: its fit has them as that of one table has. Laws L1, L10.
SET client_min_messages = warning;
CREATE EXTENSION pegs;
SELECT * FROM no_plan();
CREATE FUNCTION said(statement text) RETURNS text LANGUAGE plpgsql AS
$$ BEGIN EXECUTE statement; RETURN 'ok'; EXCEPTION WHEN OTHERS THEN RETURN sqlstate || ' ' || sqlerrm; END $$;

-- a code of 60 levels is as even or odd as its parent; and so is what the parent has itself
CREATE TABLE parent (id int PRIMARY KEY, side text NOT NULL CHECK (side IN ('even', 'odd')), own int NOT NULL);
CREATE TABLE child (id int PRIMARY KEY, parent int NOT NULL REFERENCES parent, code int NOT NULL);
INSERT INTO parent SELECT i, CASE WHEN i % 2 = 0 THEN 'even' ELSE 'odd' END, i % 60 FROM generate_series(1, 1200) AS i;
INSERT INTO child SELECT i, i, (i * 7) % 60 FROM generate_series(1, 1200) AS i;
SELECT pegs_set_levels('parent', 'own', ARRAY(SELECT i FROM generate_series(0, 59) AS i)), pegs_set_levels('child', 'code', ARRAY(SELECT i FROM generate_series(0, 59) AS i));
SELECT pegs_set_parent('child', 'parent', children => '{0, 1}', at_most => 1), pegs_set_budget('parent', 1000, 1e-3, accounting => 'sum');
CREATE VIEW sides AS SELECT jsonb_object_agg(i, CASE WHEN i % 2 = 0 THEN 'e' ELSE 'o' END) AS groups FROM generate_series(0, 59) AS i;
-- rows whose numbers and side disagree: of the parent's own, and of its child's
CREATE FUNCTION wrong(model text) RETURNS numeric[] LANGUAGE sql AS
$$ SELECT ARRAY[avg(((own % 2 = 0) <> (side = 'even'))::int), avg(((code % 2 = 0) <> (side = 'even'))::int)]
FROM pegs_sample(model, 3000, options => '{"table": "parent"}') AS p(id int, side text, own int) JOIN pegs_sample(model, 3000, options => '{"table": "child"}') AS c(id int, parent int, code int) ON c.parent = p.id $$;

SELECT pegs_fit_schema('plain', 'parent', epsilon => 1, delta => 1e-6);
SELECT cmp_ok(least(w[1], w[2]), '>', 0.15, 'without groups: classes of neighbours, which are of both sides') FROM wrong('plain') AS w;
SELECT unalike(pegs_describe('plain') ->> 'public', '%groups%', 'nor does its certificate speak of any');
SELECT pegs_set_groups('parent', 'own', groups), pegs_set_groups('child', 'code', groups) FROM sides;
SELECT is(said($$SELECT pegs_refit('plain')$$), '55000 a declaration, a key or a table has changed since model "plain" was fitted', 'levels of another order are other levels');
SELECT pegs_fit_schema('grouped', 'parent', epsilon => 1, delta => 1e-6);
SELECT cmp_ok(w[1], '<', 0.25, 'of the root: a pair knows the groups') FROM wrong('grouped') AS w;
SELECT cmp_ok(w[2], '<', 0.25, 'of a table below it') FROM wrong('grouped') AS w;
SELECT is((SELECT array_agg(m -> 'spec' -> 'groups') FROM jsonb_array_elements(pegs_describe('grouped') -> 'spec' -> 'related') AS m), '{"[\"own\"]","[\"code\"]"}', 'its spec says of which columns it knew groups');
SELECT alike(pegs_describe('grouped') ->> 'public', '%, groups of levels%', 'its certificate that they are public');

---- the fit has them, not their order alone: of two groups {heavy, light}, {light, heavy} the light ones, neighbours, would be one class
CREATE TABLE root (id int PRIMARY KEY, side text NOT NULL CHECK (side IN ('even', 'odd')), own int NOT NULL CHECK (own BETWEEN 0 AND 35));
CREATE TABLE leaf (id int PRIMARY KEY, root int NOT NULL REFERENCES root, code int NOT NULL CHECK (code BETWEEN 0 AND 35));
CREATE TABLE levels AS SELECT l, l / 2 AS of, l % 4 IN (1, 2) AS light FROM generate_series(0, 35) AS l;
INSERT INTO root SELECT row_number() OVER (), CASE WHEN of % 2 = 0 THEN 'even' ELSE 'odd' END, l FROM levels, generate_series(1, CASE WHEN light THEN 6 ELSE 60 END);
INSERT INTO leaf SELECT id, id, own FROM root;
SELECT pegs_set_levels('root', 'own', ARRAY(SELECT l FROM levels ORDER BY l)), pegs_set_levels('leaf', 'code', ARRAY(SELECT l FROM levels ORDER BY l));
SELECT pegs_set_parent('leaf', 'root', children => '{0, 1}', at_most => 1), pegs_set_budget('root', 1000, 1e-3, accounting => 'sum');
SELECT pegs_set_groups('root', 'own', g), pegs_set_groups('leaf', 'code', g) FROM (SELECT jsonb_object_agg(l, 'g' || of) AS g FROM levels) AS v;
CREATE TABLE light AS SELECT NULL::numeric AS own, NULL::numeric AS code WHERE false;
DO $$ BEGIN FOR i IN 1 .. 8 LOOP
	PERFORM pegs_fit_schema('light' || i, 'root', epsilon => 1, delta => 1e-6);
	INSERT INTO light SELECT avg(((own / 2 % 2 = 0) <> (side = 'even'))::int) FILTER (WHERE own % 4 IN (1, 2)), avg(((code / 2 % 2 = 0) <> (side = 'even'))::int) FILTER (WHERE code % 4 IN (1, 2))
	FROM pegs_sample('light' || i, 5000, options => '{"table": "root"}') AS p(id int, side text, own int) JOIN pegs_sample('light' || i, 5000, options => '{"table": "leaf"}') AS c(id int, root int, code int) ON c.root = p.id;
END LOOP; END $$;
SELECT cmp_ok(avg(own), '<', 0.25, 'of the root') FROM light;
SELECT cmp_ok(avg(code), '<', 0.25, 'and of what hangs on it') FROM light;

---- they are a hint: what is counted is the same without them, or with others that leave the order as it is
SELECT pegs_set_groups('child', 'code', groups - '59') FROM sides;
SELECT is((SELECT array_agg(l) FROM pegs_levels('child', 'code') AS l), ARRAY(SELECT format('%s', n) FROM generate_series(0, 59) AS n ORDER BY n % 2, n), 'the same order');
SELECT is(said($$SELECT pegs_refit('grouped')$$), 'ok', 'fitted anew');
SELECT pegs_set_groups('child', 'code', groups) FROM sides;
SELECT pegs_set_groups('leaf', 'code', NULL);
SELECT is(said($$SELECT pegs_refit('light1')$$), 'ok', 'and without any');
SELECT is((SELECT array_agg(m -> 'spec' -> 'groups') FROM jsonb_array_elements(pegs_describe('light1') -> 'spec' -> 'related') AS m), '{"[\"own\"]",NULL}', 'which its spec says');
SELECT lives_ok($$SELECT count(*) FROM pegs_utility_schema_of('grouped')$$, 'and measured');
SELECT pegs_import('copy', pegs_export('grouped'));
SELECT cmp_ok(w[2], '<', 0.25, 'a model needs no groups to draw') FROM wrong('copy') AS w;

---- absent, and NULL, are groups of their own
ALTER TABLE child ALTER code DROP NOT NULL;
UPDATE child SET code = NULL WHERE id % 5 = 0;
DELETE FROM child WHERE id % 7 = 0;
SELECT is(said($$SELECT pegs_fit_schema('nulls', 'parent', epsilon => 10, delta => 1e-6)$$), 'ok', 'NULL is a level');
SELECT ok(count(*) BETWEEN 2300 AND 2850 AND avg((code IS NULL)::int) BETWEEN 0.13 AND 0.27, 'a fifth of six sevenths') FROM pegs_sample('nulls', 3000, options => '{"table": "child"}') AS t(id int, parent int, code int);
SELECT * FROM finish();
