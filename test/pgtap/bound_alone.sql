-- A table that is bound to another and fitted alone: its certificate says by which column a row is whose, and which rows it does not protect.
SET client_min_messages = error;
CREATE EXTENSION pegs;
SELECT * FROM no_plan();
CREATE TABLE grade (g text PRIMARY KEY);
INSERT INTO grade VALUES ('a'), ('b');
CREATE TABLE town (id int PRIMARY KEY);
CREATE TABLE emp (id int PRIMARY KEY, boss int REFERENCES emp, g text REFERENCES grade, old boolean NOT NULL);
CREATE TABLE rev (id int PRIMARY KEY, emp int NOT NULL REFERENCES emp, by int REFERENCES emp, town int REFERENCES town, g text REFERENCES grade, again int REFERENCES rev, s int NOT NULL CHECK (s IN (1, 2)));
INSERT INTO emp SELECT i, NULL, 'a', i % 2 = 0 FROM generate_series(1, 100) AS i;
INSERT INTO rev SELECT i, 1 + i % 100, 1 + i % 7, NULL, 'b', NULL, 1 + i % 2 FROM generate_series(1, 200) AS i;
SELECT pegs_set_parent('rev', 'emp', '{emp}', children => '{0, 1, 2}', at_most => 2), pegs_set_budget('emp', epsilon => 1000, delta => 1e-3, accounting => 'sum');
SELECT pegs_set_levels('rev', 'by', ARRAY(SELECT i::text FROM generate_series(1, 100) AS i)), pegs_set_lookup('rev', 'g', 'grade', 'g');
SELECT pegs_fit('revm', 'rev', ARRAY['s', 'by'], epsilon => 1, delta => 1e-9);
SELECT is(pegs_certificate('revm') ->> 'unit', 'a row of emp with every row of rev that refers to it by emp, however many (all weigh the same: each is counted 64 times, its rows in turn)', 'the unit');
SELECT is(pegs_certificate('revm') ->> 'neighbours', 'add or remove a row of emp with every row of rev that refers to it by emp, however many', 'its neighbours');
SELECT is(pegs_describe('revm') -> 'not_covered', '["a row of public.rev in the rows of rev that refer to it by again", "a row of public.emp in the rows of rev that refer to it by by", "a row of public.town in the rows of rev that refer to it by town"]'::jsonb,
	'who is not protected; of a public list it is nobody, in the model or not');
SELECT alike(pegs_certificate('revm') ->> 'not_protected', '%; a row of public.emp in the rows of rev that refer to it by by; %', 'the certificate says so');
SELECT alike(pegs_certificate_text('revm'), '%not covered: %a row of public.emp in the rows of rev that refer to it by by%', 'also as text');
-- what a model of all of them says of the same rows
SELECT pegs_fit_schema('all', 'emp', columns => '{"rev": ["s"]}', epsilon => 1, delta => 1e-9);
SELECT is(pegs_describe('all') -> 'not_covered' @> (pegs_describe('revm') -> 'not_covered'), true, 'one of both tables says it, too');
SELECT is(pegs_certificate('all') ->> 'neighbours', 'add or remove a row of emp with every row of rev that refers to it, however many', 'which tables, in words');
-- as it was fitted, whatever becomes of the table
ALTER TABLE rev DROP COLUMN by;
SELECT alike(pegs_certificate('revm') ->> 'not_protected', '%that refer to it by by%', 'a column that is gone');
ALTER TABLE rev RENAME emp TO of;
SELECT pegs_fit('later', 'rev', ARRAY['s'], epsilon => 1, delta => 1e-9);
SELECT alike(pegs_certificate('later') ->> 'unit', 'a row of emp with every row of rev that refers to it by of, however many%', 'a new name');
-- a release, and a model that needs none of it
SELECT pegs_release('kept', 'revm', 10);
SELECT alike(pegs_certificate('kept') ->> 'not_protected', '%that refer to it by by%', 'a release');
SELECT * FROM finish();
