-- A model of several tables is measured when a fit of them would be refused: what it was fitted to is read, in words of a measure.
SET client_min_messages = error;
CREATE EXTENSION pegs;
SELECT * FROM no_plan();
\ir lib/said.sql
CREATE TABLE household (id int PRIMARY KEY);
CREATE TABLE code (k text PRIMARY KEY);
CREATE TABLE pat (id int PRIMARY KEY, old boolean NOT NULL);
CREATE TABLE visit (pat int NOT NULL REFERENCES pat, hh int NOT NULL REFERENCES household, k text REFERENCES code, s int NOT NULL CHECK (s IN (1, 2)));
INSERT INTO household VALUES (1);
INSERT INTO code VALUES ('a'), ('b');
INSERT INTO pat SELECT i, i % 2 = 0 FROM generate_series(1, 200) AS i;
INSERT INTO visit SELECT i, 1, 'a', 1 + i % 2 FROM generate_series(1, 200) AS i;
SELECT pegs_set_parent('visit', 'pat', children => '{0, 1, 2}', at_most => 2), pegs_set_budget('pat', epsilon => 1000, delta => 1e-3, accounting => 'sum'), pegs_set_lookup('visit', 'k', 'code', 'k');
SELECT pegs_fit_schema('m', 'pat', epsilon => 100, delta => 1e-9);
SELECT ok((SELECT count(*) > 3 FROM pegs_utility_schema_of('m')), 'measured');
---- a table that a row must refer to has an account since
SELECT pegs_set_budget('household', 1);
SELECT alike(said($$SELECT pegs_refit('m')$$), '0A000 | column "hh" of table "visit" refers to "household", too, and cannot be NULL%', 'no fit has that');
SELECT ok((SELECT count(*) > 3 FROM pegs_utility_schema_of('m')), 'measured, as it was fitted');
---- a lookup table has one: it is not read any more
SELECT pegs_set_budget('code', 1);
SELECT is(said($$SELECT * FROM pegs_utility_schema_of('m')$$),
	$$22023 | the original of model "m" cannot be read as it was: column "k" cannot be used: its lookup table has a privacy budget: its rows are private | Rows of the model can still be drawn and read. | For another model, which is charged: declare its levels by what is public, in the place of '...': SELECT pegs_set_levels('public.visit', 'k', ARRAY['...']);$$, 'words of a measure');
SELECT is((SELECT count(*) FROM pegs_sample_as(NULL::pat, 'm', 10, options => '{"table": "pat"}')), 10::bigint, 'rows are drawn');
-- what is none of it is what it was
CREATE ROLE rl_other;
SELECT pegs_allow('rl_other');
GRANT EXECUTE ON FUNCTION pegs_utility_schema_of TO rl_other;
SET ROLE rl_other;
SELECT alike(said($$SELECT * FROM pegs_utility_schema_of('m')$$), '42%', 'rights');
RESET ROLE;
SELECT pegs_disallow('rl_other');
DROP OWNED BY rl_other;
DROP ROLE rl_other;
SELECT * FROM finish();
