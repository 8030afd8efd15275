-- Tables that are bound: who may hang another on them, what a root that became a part of another table pays, and whose a row below many siblings is.
SET client_min_messages = error;
CREATE EXTENSION pegs;
SELECT * FROM no_plan();
\ir lib/said.sql
---- a third table on a middle one, whose owner is not the root's
CREATE ROLE bc_top;
CREATE ROLE bc_middle;
SELECT pegs_allow('bc_top'), pegs_allow('bc_middle');
CREATE TABLE top (id int PRIMARY KEY);
CREATE TABLE middle (id int PRIMARY KEY, top int NOT NULL REFERENCES top);
CREATE TABLE below (id int PRIMARY KEY, middle int NOT NULL REFERENCES middle);
ALTER TABLE top OWNER TO bc_top;
ALTER TABLE middle OWNER TO bc_middle;
ALTER TABLE below OWNER TO bc_middle;
SELECT pegs_set_parent('middle', 'top', children => '{0, 1, 2}', at_most => 2);
SET ROLE bc_middle;
SELECT matches(said($$SELECT pegs_set_parent('below', 'middle', children => '{0, 1, 2}', at_most => 2)$$), '^42501 \| ', 'the account is the root''s: so is who binds');
RESET ROLE;
SELECT is((SELECT count(*) FROM pegs_internal.parent WHERE source = 'below'::regclass), 0::bigint, 'nothing is bound');
GRANT bc_top TO bc_middle;
SET ROLE bc_middle;
SELECT is(said($$SELECT pegs_set_parent('below', 'middle', children => '{0, 1, 2}', at_most => 2)$$), 'ok', 'a member of both');
RESET ROLE;

---- a root that became a part, after a sealed model of a child was made: whoever draws from it, pays
CREATE TABLE whole (id int);
CREATE TABLE root (id int PRIMARY KEY);
CREATE TABLE child (id int PRIMARY KEY, root int NOT NULL REFERENCES root, s int NOT NULL CHECK (s IN (1, 2)));
INSERT INTO root SELECT i FROM generate_series(1, 100) AS i;
INSERT INTO child SELECT i, i, 1 FROM generate_series(1, 100) AS i;
SELECT pegs_set_parent('child', 'root', children => '{0, 1, 2}', at_most => 2), pegs_set_budget('root', epsilon => 100);
SELECT pegs_fit('sealed', 'child', ARRAY['s'], parents => '{}');
SELECT is(said($$SELECT FROM pegs_sample('sealed', 1, epsilon => 1) AS t(s int)$$), 'ok', 'a sealed model of a child');
ALTER TABLE root INHERIT whole;
SELECT matches(said($$SELECT FROM pegs_sample('sealed', 1, epsilon => 1) AS t(s int)$$), '^55000 \| table "root", to whose account others are bound, became a part of "whole" \| Its rows have two accounts', 'its root has two accounts now');
SELECT is((SELECT spent FROM pegs_budgets WHERE source = 'root'::regclass), 1::numeric, 'nothing is charged');
ALTER TABLE root NO INHERIT whole;
SELECT is(said($$SELECT FROM pegs_sample('sealed', 1, epsilon => 1) AS t(s int)$$), 'ok', 'nor has it when it is none any more');

---- more siblings than are looked at: what hangs on a row that gave up its place hangs on no other
CREATE TABLE person (id int PRIMARY KEY, v int NOT NULL CHECK (v IN (1, 2)));
CREATE TABLE many (id int PRIMARY KEY, person int NOT NULL REFERENCES person, x int NOT NULL CHECK (x IN (1, 2)));
CREATE TABLE one (id int PRIMARY KEY, many int NOT NULL REFERENCES many, y int NOT NULL CHECK (y IN (1, 2)));
INSERT INTO person SELECT i, 1 FROM generate_series(1, 40) AS i;
INSERT INTO many SELECT i, 1 + i % 40, 1 + (i / 40) % 2 FROM generate_series(0, 7999) AS i;
INSERT INTO one SELECT id, id, x FROM many;
SELECT pegs_set_parent('many', 'person', children => '{0, 1, 150}', at_most => 250), pegs_set_parent('one', 'many', children => '{0, 1, 2}', at_most => 4),
	pegs_set_budget('person', epsilon => 1e6, delta => 1e-3, accounting => 'sum');
SELECT pegs_fit_schema('deep', 'person', epsilon => 1000, delta => 1e-9, siblings => false);
SELECT cmp_ok(avg((x = y)::int), '>', 0.9, 'a row is like the row that it belongs to')
FROM pegs_sample_as(NULL::many, 'deep', 40, options => '{"table": "many"}') AS m JOIN pegs_sample_as(NULL::one, 'deep', 40, options => '{"table": "one"}') AS o ON o.many = m.id;
SELECT cmp_ok(avg(n), '<', 1.1, 'of which each has one') FROM (SELECT count(*) AS n FROM pegs_sample_as(NULL::one, 'deep', 40, options => '{"table": "one"}') AS o GROUP BY many) AS c;
SELECT * FROM finish();
