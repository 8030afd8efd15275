-- A table that is bound to none and fitted alone, the root of others or not: its certificate names the rows that its modelled columns refer to and that it does not protect.
SET client_min_messages = error;
CREATE EXTENSION pegs;
SELECT * FROM no_plan();
\ir lib/said.sql
CREATE FUNCTION beside(model text) RETURNS jsonb LANGUAGE sql AS $$ SELECT pegs_describe(model) -> 'not_covered' $$;
CREATE TABLE doc (id int PRIMARY KEY, old boolean NOT NULL);
CREATE TABLE town (t text PRIMARY KEY);
CREATE TABLE patient (id int PRIMARY KEY, sex text NOT NULL CHECK (sex IN ('F', 'M')), mentor int REFERENCES patient, gp int REFERENCES doc, t text REFERENCES town);
CREATE TABLE adm (id int PRIMARY KEY, patient int NOT NULL REFERENCES patient, ward text NOT NULL CHECK (ward IN ('A', 'B')));
INSERT INTO doc SELECT i, false FROM generate_series(1, 50) AS i;
INSERT INTO town VALUES ('x'), ('y');
INSERT INTO patient SELECT i, 'F', NULL, 1 + i % 50, 'x' FROM generate_series(1, 100) AS i;
SELECT pegs_set_budget('doc', epsilon => 100, delta => 1e-3), pegs_set_budget('patient', epsilon => 1000, delta => 1e-3);
SELECT pegs_set_levels('patient', 'gp', ARRAY(SELECT i::text FROM generate_series(1, 50) AS i)), pegs_set_levels('patient', 'mentor', ARRAY(SELECT i::text FROM generate_series(1, 100) AS i)),
	pegs_set_lookup('patient', 't', 'town', 't');

---- of no schema at all: what is modelled
SELECT pegs_fit('single', 'patient', ARRAY['gp', 'mentor', 'sex', 't'], epsilon => 1, delta => 1e-9);
SELECT is(beside('single'), '["a row of public.doc in the rows of patient that refer to it by gp", "a row of public.patient in the rows of patient that refer to it by mentor"]', 'rows of an account, and of itself; of a public list it is nobody');
SELECT alike(pegs_certificate('single') ->> 'not_protected', '%; a row of public.doc in the rows of patient that refer to it by gp; a row of public.patient in %', 'the certificate says so');
SELECT alike(pegs_certificate_text('single'), '%not covered: %a row of public.doc in the rows of patient that refer to it by gp%', 'also as text');
SELECT pegs_fit('few', 'patient', ARRAY['mentor', 'sex'], epsilon => 1, delta => 1e-9);
SELECT is(beside('few'), '["a row of public.patient in the rows of patient that refer to it by mentor"]', 'what is not modelled refers to nobody');
SELECT pegs_fit('none', 'patient', ARRAY['sex', 't'], epsilon => 1, delta => 1e-9);
SELECT is(beside('none'), NULL, 'nor does a public list');
CREATE VIEW seen AS SELECT sex AS s, gp AS doctor FROM patient;
SELECT pegs_fit('view', 'seen', epsilon => 1, delta => 1e-9);
SELECT is(beside('view'), '["a row of public.doc in the rows of patient that refer to it by gp"]', 'a view calls the column otherwise');
SELECT pegs_fit('sealed', 'patient', ARRAY['gp', 'sex'], parents => '{}');
SELECT is(beside('sealed'), '["a row of public.doc in the rows of patient that refer to it by gp"]', 'a sealed model');
SELECT pegs_release('kept', 'single', 10);
SELECT alike(pegs_certificate('kept') ->> 'not_protected', '%that refer to it by gp; %', 'a release');

---- a table of persons' rows: the column that says whose they are is its unit
CREATE TABLE visit (id int PRIMARY KEY, who int NOT NULL REFERENCES patient, seen_by int REFERENCES doc, n int NOT NULL CHECK (n IN (1, 2)));
INSERT INTO visit SELECT i, i, 1, 1 FROM generate_series(1, 100) AS i;
SELECT pegs_set_unit('visit', 'who', weighting => 'person'), pegs_set_budget('visit', epsilon => 100, delta => 1e-3);
SELECT pegs_set_levels('visit', 'seen_by', ARRAY(SELECT i::text FROM generate_series(1, 50) AS i)), pegs_set_levels('visit', 'who', ARRAY(SELECT i::text FROM generate_series(1, 100) AS i));
SELECT pegs_fit('visits', 'visit', ARRAY['who', 'seen_by', 'n'], epsilon => 1, delta => 1e-9);
SELECT is(beside('visits'), '["a row of public.doc in the rows of visit that refer to it by seen_by"]', 'all but the unit');

-- a key that has it among others may lead to rows of another person, too
CREATE TABLE friend (a int, b int, PRIMARY KEY (a, b)); INSERT INTO friend VALUES (1, 2); SELECT pegs_set_budget('friend', 1);
CREATE TABLE message (sender int NOT NULL, receiver int, n int NOT NULL CHECK (n IN (1, 2)), FOREIGN KEY (sender, receiver) REFERENCES friend);
INSERT INTO message VALUES (1, 2, 1);
SELECT pegs_set_unit('message', 'sender', weighting => 'person'), pegs_set_budget('message', epsilon => 100, delta => 1e-3), pegs_set_levels('message', 'receiver', '{1, 2}');
SELECT pegs_fit('messages', 'message', ARRAY['receiver', 'n'], epsilon => 1, delta => 1e-9);
SELECT is(beside('messages'), '["a row of public.friend in the rows of message that refer to it by sender, receiver"]', 'of sender and receiver the receiver');

---- the root of a schema: what a model of all of it says of the same rows
SELECT pegs_drop(name) FROM pegs_models WHERE name = 'sealed';
SELECT pegs_set_parent('adm', 'patient', children => '{0, 1, 2}', at_most => 3);
SELECT pegs_fit('root', 'patient', ARRAY['gp', 'sex'], epsilon => 1, delta => 1e-9), pegs_fit_schema('all', 'patient', columns => '{"patient": ["gp", "sex"]}', epsilon => 1, delta => 1e-9);
SELECT is(beside('root'), '["a row of public.doc in the rows of patient that refer to it by gp", "a row of public.patient in the rows of patient that refer to it by mentor"]', 'a root alone');
SELECT is(beside('root'), beside('all'), 'as with all that hangs on it');
SELECT alike(pegs_certificate('root') ->> 'not_protected', '%that refer to it by gp; %that refer to it by mentor%', 'in its certificate');

---- fitted anew: those tables are known by what they are, not by their names
CREATE FUNCTION spent() RETURNS numeric LANGUAGE sql AS $$ SELECT sum(spent) FROM pegs_budgets $$;
CREATE FUNCTION not_the_same(model text) RETURNS text LANGUAGE sql AS $$ SELECT substring(said(format('SELECT pegs_refit(%L)', model)) FROM '(?:what is not protected \(|What is not protected is another: )(.*?)(?:\)?[.] Rows of|\) \|)') $$;
ALTER TABLE doc RENAME TO physician;
SELECT is(said(format('SELECT pegs_refit(%L)', model)), 'ok', model || ': a table that it does not protect has another name') FROM unnest('{single, visits, root, all}'::text[]) AS model;
SELECT is(beside('root'), '["a row of public.physician in the rows of patient that refer to it by gp", "a row of public.patient in the rows of patient that refer to it by mentor"]', 'which is said from then on');
SELECT is(beside('root'), beside('all'), 'of several tables, too');
CREATE SCHEMA elsewhere; ALTER TABLE physician SET SCHEMA elsewhere;
SELECT is(said(format('SELECT pegs_refit(%L)', model)), 'ok', model || ': or another schema') FROM unnest('{single, root, all}'::text[]) AS model;
ALTER TABLE visit RENAME TO stay;
SELECT is(said($$SELECT pegs_refit('visits')$$), 'ok', 'a table alone has another name itself');
-- another table has the name of the old one
CREATE TABLE before AS SELECT spent();
CREATE TABLE elsewhere.doc (id int PRIMARY KEY); INSERT INTO elsewhere.doc SELECT id FROM elsewhere.physician; SELECT pegs_set_budget('elsewhere.doc', 1);
ALTER TABLE elsewhere.physician RENAME TO old; ALTER TABLE elsewhere.doc RENAME TO physician;
ALTER TABLE patient DROP CONSTRAINT patient_gp_fkey, ADD CONSTRAINT patient_gp_fkey FOREIGN KEY (gp) REFERENCES elsewhere.physician;
SELECT is(not_the_same(model), 'a row of elsewhere.physician in the rows of patient that refer to it by gp', model || ': another table of that name') FROM unnest('{single, root, all}'::text[]) AS model;
ALTER TABLE patient DROP CONSTRAINT patient_gp_fkey, ADD CONSTRAINT patient_gp_fkey FOREIGN KEY (gp) REFERENCES elsewhere.old;
-- one more, one less, by another column
ALTER TABLE patient ADD CONSTRAINT more FOREIGN KEY (gp) REFERENCES elsewhere.physician;
SELECT is(not_the_same(model), 'a row of elsewhere.physician in the rows of patient that refer to it by gp', model || ': one more') FROM unnest('{single, root, all}'::text[]) AS model;
ALTER TABLE patient DROP CONSTRAINT more, DROP CONSTRAINT patient_mentor_fkey;
SELECT is(not_the_same(model), 'a row of public.patient in the rows of patient that refer to it by mentor', model || ': one less') FROM unnest('{single, root, all}'::text[]) AS model;
ALTER TABLE patient ADD CONSTRAINT patient_mentor_fkey FOREIGN KEY (gp) REFERENCES patient NOT VALID;
SELECT is(not_the_same(model), 'a row of public.patient in the rows of patient that refer to it by gp; a row of public.patient in the rows of patient that refer to it by mentor', model || ': by another column') FROM unnest('{single, root, all}'::text[]) AS model;
ALTER TABLE patient DROP CONSTRAINT patient_mentor_fkey, ADD CONSTRAINT patient_mentor_fkey FOREIGN KEY (mentor) REFERENCES patient;
SELECT is(spent(), b.spent, 'nothing of that is charged') FROM before AS b;
SELECT is(said(format('SELECT pegs_refit(%L)', model)), 'ok', model || ': as it was, in another order') FROM unnest('{single, root, all}'::text[]) AS model;
-- where their numbers are others, as in a dump that was restored, or are not kept: by their names
CREATE TABLE kept AS SELECT id, beside_of FROM pegs_internal.model;
UPDATE pegs_internal.model SET beside_of = ARRAY[1]::oid[] || beside_of[2:];
SELECT is(said(format('SELECT pegs_refit(%L)', model)), 'ok', model || ': restored') FROM unnest('{single, root, all}'::text[]) AS model;
UPDATE pegs_internal.model SET beside_of = CASE name WHEN 'single' THEN NULL ELSE ARRAY[1]::oid[] || beside_of[2:] END;
ALTER TABLE elsewhere.old RENAME TO older;
SELECT is(not_the_same(model), 'a row of elsewhere.older in the rows of patient that refer to it by gp; a row of elsewhere.old in the rows of patient that refer to it by gp', model || ': and has another name') FROM unnest('{single, root, all}'::text[]) AS model;
SELECT * FROM finish();
