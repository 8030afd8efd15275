-- Tables whose rows belong to rows of another: one unit, one account. What is refused, with its words.
SET client_min_messages = warning;
CREATE EXTENSION pegs;
SELECT * FROM no_plan();

CREATE TABLE patients (id int PRIMARY KEY, sex text NOT NULL CHECK (sex IN ('F', 'M')), clinic int);
CREATE TABLE admissions (id int PRIMARY KEY, patient int NOT NULL REFERENCES patients ON DELETE CASCADE, ward text NOT NULL CHECK (ward IN ('A', 'B')),
	long boolean NOT NULL);
CREATE TABLE diagnoses (admission int NOT NULL REFERENCES admissions, line int NOT NULL, chapter text NOT NULL CHECK (chapter IN ('x', 'y')), PRIMARY KEY (admission, line));
INSERT INTO patients SELECT p, CASE WHEN p % 2 = 0 THEN 'F' ELSE 'M' END, p % 5 FROM generate_series(1, 2000) AS p;
-- women have one admission, in A; men nine, in B: of rows a tenth are in A, of patients the half
INSERT INTO admissions SELECT 10 * p + r, p, CASE WHEN p % 2 = 0 THEN 'A' ELSE 'B' END, r % 2 = 0 FROM generate_series(1, 2000) AS p, generate_series(1, CASE WHEN p % 2 = 0 THEN 1 ELSE 9 END) AS r;
INSERT INTO diagnoses SELECT id, l, 'x' FROM admissions, generate_series(1, 2) AS l;
\ir lib/said.sql

---- declared, shown, printed
SELECT is(said($$SELECT pegs_set_parent('admissions', 'patients', children => '{0, 1, 2, 5}', at_most => 9)$$), 'ok', 'bound by its only foreign key');
SELECT is(said($$SELECT pegs_set_parent('diagnoses', 'admissions')$$), 'ok', 'and one below it');
SELECT results_eq($$SELECT source::text, depth, parent::text, columns, children, at_most, problem, remedy FROM pegs_schema('patients')$$,
	$$VALUES ('patients', 0, NULL, NULL::name[], NULL::int[], NULL::int, NULL, NULL), ('admissions', 1, 'patients', '{patient}', '{0,1,2,5}', 9, NULL, NULL),
	('diagnoses', 2, 'admissions', '{admission}', NULL, NULL, 'it is not declared how many rows of "diagnoses" a row of its parent has', 'SELECT pegs_set_parent(''public.diagnoses'', ''public.admissions'', children => ''{0, 1, 2, ...}'', at_most => ''...'');  -- children: where classes of that number begin, each at most half above the one before (..., 8, 12, 18, 27): inside one, numbers are equally likely. at_most: the largest there may be; a parent with more rows gets no more than so many in rows of the model.')$$, 'pegs_schema: one below the other');
SELECT is((SELECT count(*) FROM pegs_schema('diagnoses')), 3::bigint, 'of any table of it');
SELECT is(pegs_facts('admissions') -> 'parent', '{"table": "public.patients", "columns": ["patient"], "children": [0, 1, 2, 5], "at_most": 9}', 'pegs_facts prints it');
SELECT is(said($$SELECT pegs_declare('admissions', pegs_facts('admissions'))$$), 'ok', 'and pegs_declare takes it');
SELECT is(said($$SELECT pegs_declare('admissions', '{"parent": {"table": "public.patients", "kids": 1}}')$$), '22023 | a parent has no member "kids" | Known are: table, columns, children, at_most.', 'nothing else in it');
SELECT is(said($$SELECT pegs_declare('admissions', '{"parent": {"columns": ["patient"]}}')$$) LIKE '22023 | "parent" must be an object with a "table"%', true, 'the table must be there');

---- one account, of the root, whoever asks
SELECT is(said($$SELECT pegs_set_budget('admissions', 1)$$), '55000 | rows of table "admissions" belong to rows of another table, whose account pays | SELECT pegs_set_budget(''public.patients'', epsilon => 1);', 'a bound table has no budget of its own');
SELECT is(said($$SELECT pegs_fit('a', 'admissions', epsilon => 1)$$), '55000 | table "patients" has no privacy budget | Its owner can set one: SELECT pegs_set_budget(''public.patients'', epsilon => 1);', 'it is the root that has none');
SELECT pegs_set_budget('patients', epsilon => 100, delta => 1e-6, accounting => 'sum');
SELECT pegs_fit('a', 'admissions', ARRAY['ward', 'long'], epsilon => 10, delta => 1e-9);
SELECT is((SELECT spent FROM pegs_budgets WHERE source = 'patients'::regclass), 10::numeric, 'a fit of it is charged to the root');
SELECT is((SELECT count(*) FROM pegs_budgets), 1::bigint, 'there is one account');
SELECT is((SELECT pays_for FROM pegs_budgets), '{admissions,diagnoses}'::regclass[], 'which says for which tables it pays');
CREATE VIEW long_ones AS SELECT patient AS who, ward FROM admissions WHERE long;
SELECT pegs_fit('v', 'long_ones', ARRAY['ward'], epsilon => 1, delta => 1e-9);
SELECT is((SELECT spent FROM pegs_budgets WHERE source = 'patients'::regclass), 11::numeric, 'through a view, too');
SELECT pegs_fit('p', 'patients', ARRAY['sex'], epsilon => 1, delta => 1e-9);
SELECT is((SELECT (spent, mixed_units)::text FROM pegs_budgets), '(12,f)', 'and the root itself: they protect one unit');
SELECT is((SELECT array_agg(DISTINCT unit ORDER BY unit) FROM pegs_ledger WHERE unit IS NOT NULL), '{"a row of patients with every row of admissions that refers to it, however many",row}', 'the ledger says: a row of it, with what refers to it');
SELECT ok((SELECT count(*) FROM pegs_sample('a', 10000) AS t(ward text, long boolean) WHERE ward = 'A') BETWEEN 4700 AND 5300, 'patients weigh the same, however many admissions they have');
SELECT is(pegs_describe('a') ->> 'unit', 'a row of patients with every row of admissions that refers to it by patient, however many (all weigh the same: each is counted 64 times, its rows in turn)', 'the unit in words');
SELECT is(pegs_certificate('a') ->> 'neighbours', 'add or remove a row of patients with every row of admissions that refers to it by patient, however many', 'and its neighbours');
SELECT is(pegs_describe('a') ->> 'stands_for', 'a random row of a random row of patients; as many rows as there are of those with any', 'what a row stands for');
SELECT is(said($$SELECT pegs_fit('b', 'admissions', ARRAY['ward'], epsilon => 1000)$$) LIKE '53400 | this costs more than is left of the privacy budget%', true, 'its total is held');
CREATE VIEW nobodys AS SELECT ward FROM admissions;
SELECT is(said($$SELECT pegs_fit('b', 'nobodys', epsilon => 1)$$), '42703 | public.nobodys has no column for the privacy unit "patient" of table "admissions" | Add the column to the view.', 'a view must say whose rows they are');
SELECT is(said($$SELECT pegs_fit('b', 'diagnoses', ARRAY['chapter'], epsilon => 1)$$), '55000 | rows of public.diagnoses belong to rows of another table: they cannot be counted by those | A row says whose row of "admissions" it is, and not whose of "patients". | SELECT * FROM pegs_schema(''public.diagnoses''); says what is declared. One model of all of them counts its rows: SELECT pegs_fit_schema(''...'', ''public.patients'', epsilon => 1, delta => 1e-9); Domains of its columns are declared, not learnt: SELECT * FROM pegs_propose(''public.diagnoses'');', 'not two tables away');
SELECT is(said($$SELECT pegs_set_unit('admissions', 'id')$$), '55000 | rows of public.admissions belong to rows of "patients": that is the privacy unit | Name the column of the foreign key, or leave the unit out.', 'no other unit');
SELECT is(said($$SELECT pegs_set_unit('admissions', 'patient', 2)$$), 'ok', 'how many rows of it may be said');
SELECT pegs_fit('two', 'admissions', ARRAY['ward'], epsilon => 5, delta => 1e-9);
SELECT is(pegs_describe('two') ->> 'unit', 'a row of patients with every row of admissions that refers to it by patient, however many (at most 2 are read)', 'at most two');
SELECT is((SELECT mixed_units FROM pegs_budgets), false, 'the unit is the same');
SELECT pegs_set_unit('admissions', NULL);
SELECT is((SELECT mixed_units FROM pegs_budgets), false, 'nor is it another without that');
SELECT is(said($$SELECT pegs_set_unit('admissions', NULL)$$), '55000 | public.admissions is bound to another table: a row of that one is the privacy unit, whatever is declared here | SELECT pegs_set_parent(''public.admissions'', NULL); lets it go, while nothing is spent.', 'its rows are not the unit');
SELECT is((SELECT mixed_units FROM pegs_budgets), false, 'and nothing changes');
SELECT is(said($$SELECT pegs_set_unit('patients', 'clinic')$$), '55000 | other tables are bound to public.patients: its unit is a row | Their rows are counted by its rows. | Bind it to the table of persons: pegs_set_parent.', 'nor one of the root');
SELECT is(said($$SELECT pegs_set_slices('admissions', 'id', 10, epsilon => 1)$$) LIKE '% | public.admissions has a privacy unit%' OR said($$SELECT pegs_set_slices('admissions', 'ward', 1, 0, ARRAY['A', 'B'])$$) LIKE '%has a privacy unit%', true, 'no slices of it');
SELECT matches(said($$SELECT pegs_set_slices('admissions', 'ward', 1, 0, ARRAY['A', 'B'])$$), '\| To protect rows of the table that it is bound to: pegs_refit, for a charge each time.$', 'and a way that there is');
SELECT is(said($$SELECT pegs_fit_state('s', 'admissions', pegs_agg(pegs_spec('admissions', '{ward}'), ward), '{ward}', epsilon => 1) FROM admissions$$), '0A000 | public.admissions has a privacy unit: a state does not say whose rows it counts | Use pegs_fit.', 'no state of it');
SELECT is(said($$SELECT pegs_fit('s', 'admissions', ARRAY['ward', 'long'], parents => '{"long": ["ward"]}')$$), 'ok', 'a sealed model');
CREATE TEMP TABLE before AS SELECT spent FROM pegs_budgets;
SELECT count(*) FROM pegs_sample('s', 3, epsilon => 1) AS t(ward text, long boolean);
SELECT is((SELECT b.spent - before.spent FROM pegs_budgets AS b, before), 1::numeric, 'its samples are charged to the root');
SELECT is(said($$SELECT pegs_learn_levels('admissions', 'ward', 1, 1e-9)$$), 'ok', 'learning');
SELECT is((SELECT b.spent - before.spent FROM pegs_budgets AS b, before), 2::numeric, 'as well');
SELECT pegs_unset('admissions', 'ward');

---- let go, if nothing was spent
SELECT is(said($$SELECT pegs_set_parent('admissions', NULL)$$), '55000 | the account of "patients" has spent since "admissions" was bound to it | What was spent there protects rows of both. With an account of its own the table could spend it again. | SELECT * FROM pegs_ledger WHERE source = ''public.patients''::regclass;', 'not one that was paid for, nor that on which it hangs');
SELECT is(said($$SELECT pegs_set_parent('diagnoses', NULL)$$), '55000 | the account of "patients" has spent since "diagnoses" was bound to it | What was spent there protects rows of both. With an account of its own the table could spend it again. | SELECT * FROM pegs_ledger WHERE source = ''public.patients''::regclass;', 'nor the lowest, after a charge');
SELECT is(said($$SELECT pegs_set_parent('patients', NULL)$$), '55000 | table "patients" has no declared parent | SELECT pegs_set_parent(''public.patients'', ''...'');', 'the root has none');
CREATE TABLE visits (patient int REFERENCES patients, other int REFERENCES patients, clinic text CHECK (clinic IN ('a')));
SELECT is(said($$SELECT pegs_set_parent('visits', 'patients')$$), '22023 | several foreign keys of table "visits" refer to "patients" | A row belongs to one unit. In a row of these models the others are not protected. | Say whose row it is, ''{other}'' or ''{patient}'': SELECT pegs_set_parent(''public.visits'', ''public.patients'', columns => ''{...}'');', 'two keys to one table');
SELECT is(said($$SELECT pegs_set_parent('visits', 'patients', '{other}')$$), 'ok', 'one of them is named');
SELECT is((SELECT problem FROM pegs_schema('patients') WHERE source = 'visits'::regclass), 'it is not declared how many rows of "visits" a row of its parent has; it refers to "patients", too: that row is not protected in its rows', 'the other is not protected') ;
SELECT is(said($$SELECT pegs_set_parent('visits', 'patients', '{patient}')$$), '55000 | rows of "visits" belong to rows of "patients" by another foreign key already | SELECT pegs_set_parent(''public.visits'', NULL); lets it go: nothing was spent since.', 'and stays');
SELECT is(said($$SELECT pegs_set_parent('visits', NULL)$$), 'ok', 'let go');
SELECT is(said($$SELECT pegs_set_budget('visits', 1)$$), 'ok', 'then it has a budget of its own');
SELECT pegs_set_unit('visits', 'patient');
SELECT is(said($$SELECT pegs_fit('b', 'visits', ARRAY['clinic'], epsilon => 0.5)$$), 'ok', 'and spends that');
SELECT pegs_drop('b');
SELECT is(said($$SELECT pegs_set_parent('visits', 'patients', '{patient}')$$), '55000 | table "visits" has spent on an account of its own | Its rows have cost that, and would cost what the other account spends: no total would say so. | SELECT * FROM pegs_ledger WHERE source = ''public.visits''::regclass; names its fits. Bind a table before its first charge.', 'never bound again');

---- refused
CREATE TABLE employees (id int PRIMARY KEY, manager int REFERENCES employees, site int);
SELECT is(said($$SELECT pegs_set_parent('employees', 'employees')$$), '22023 | table "employees" refers to itself | A unit would hang on another. | Leave the column out of models: SELECT pegs_leave_out(''public.employees'', ''manager'');', 'a table that refers to itself');
ALTER TABLE patients ADD COLUMN first int REFERENCES admissions;
SELECT is(said($$SELECT pegs_set_parent('patients', 'admissions')$$), '22023 | table "patients" is above "admissions" already: they would go round in a circle | A unit would hang on another. | If it is "patients" that belongs to "admissions", let that one go before: SELECT pegs_set_parent(''public.admissions'', NULL);', 'a circle');
ALTER TABLE patients DROP COLUMN first;
CREATE TABLE clients (id int PRIMARY KEY);
CREATE TABLE accounts (id int PRIMARY KEY);
CREATE TABLE dispositions (client int REFERENCES clients, account int REFERENCES accounts);
SELECT pegs_set_parent('dispositions', 'accounts');
SELECT is(said($$SELECT pegs_set_parent('dispositions', 'clients')$$), '55000 | "dispositions" hangs on two private tables | Its rows belong to rows of "accounts" already. | Leave one out. Or SELECT pegs_set_parent(''public.dispositions'', NULL); lets it go: nothing was spent since.', 'two private parents');
CREATE TABLE free (id int PRIMARY KEY, patient int, a text CHECK (a IN ('x')));
SELECT is(said($$SELECT pegs_set_parent('free', 'patients')$$), '55000 | no foreign key of table "free" refers to "patients" | Whose rows they are is read from the catalog. | ALTER TABLE public.free ADD FOREIGN KEY (...) REFERENCES public.patients NOT VALID; is enough: rows that are there are not checked.', 'no foreign key');
SELECT is(said($$SELECT pegs_set_parent('free', 'patients', '{patient}')$$) LIKE '55000 | no foreign key of table "free" on (patient) refers to "patients" | %FOREIGN KEY (patient)%', true, 'none on these columns');
SELECT is(said($$SELECT pegs_set_parent('free', 'patients', '{nope}')$$), '42703 | column "nope" of table "free" does not exist | Name the columns of the foreign key.', 'no such column');
INSERT INTO free VALUES (1, -1, 'x');
ALTER TABLE free ADD FOREIGN KEY (patient) REFERENCES patients NOT VALID;
SELECT pegs_set_unit('free', 'id');
SELECT is(said($$SELECT pegs_set_parent('free', 'patients')$$), '55000 | table "free" has another privacy unit | SELECT pegs_set_unit(''public.free'', NULL);', 'a unit of its own');
SELECT pegs_set_unit('free', NULL);
SELECT pegs_fit('f', 'free', ARRAY['a'], parents => '{}');
SELECT is(said($$SELECT pegs_set_parent('free', 'patients')$$), '55000 | table "free" has a model of its own, "f" | What it protects is not a row of the parent with all that refers to it. | SELECT pegs_drop(''f''); and fit it anew afterwards.', 'a sealed model, that has charged nothing');
SELECT pegs_drop('f');
SELECT is(said($$SELECT pegs_set_parent('free', 'patients')$$), 'ok', 'NOT VALID is enough');
CREATE TABLE upper (id int PRIMARY KEY);
CREATE TABLE middle (id int PRIMARY KEY, upper int NOT NULL REFERENCES upper);
CREATE TABLE lower (middle int NOT NULL REFERENCES middle, a text CHECK (a IN ('x')));
SELECT pegs_set_parent('lower', 'middle'), pegs_fit('of lower', 'lower', ARRAY['a'], parents => '{}');
SELECT is(said($$SELECT pegs_set_parent('middle', 'upper')$$), '55000 | table "lower" has a model of its own, "of lower" | What it protects is not a row of the parent with all that refers to it. | SELECT pegs_drop(''of lower''); and fit it anew afterwards.', 'nor may a table below it have one');
SELECT pegs_drop('of lower');
SELECT is(said($$SELECT pegs_set_parent('middle', 'upper')$$), 'ok', 'once it is dropped');
CREATE TABLE clinics (id int PRIMARY KEY, owner int);
CREATE TABLE rooms (clinic int REFERENCES clinics);
SELECT pegs_set_unit('clinics', 'owner');
SELECT is(said($$SELECT pegs_set_parent('rooms', 'clinics')$$), '55000 | table "clinics" has a privacy unit itself: its rows belong to persons | The unit of related tables is a row of the topmost one. | Use the table of persons as root. Or: SELECT pegs_set_unit(''public.clinics'', NULL);', 'a root that has a unit');
SELECT is(said($$SELECT pegs_set_lookup('rooms', 'clinic', 'patients', 'id')$$) LIKE '%private%' OR said($$SELECT pegs_set_lookup('rooms', 'clinic', 'patients', 'id')$$) LIKE '%account%', true, 'a table with an account is no lookup');
SELECT is(said($$SELECT pegs_set_lookup('rooms', 'clinic', 'diagnoses', 'line')$$) <> 'ok', true, 'nor one that is bound');
CREATE VIEW joined AS SELECT a.* FROM admissions AS a JOIN patients AS p ON p.id = a.patient;
SELECT is(said($$SELECT pegs_set_parent('joined', 'patients')$$) LIKE '0A000 | view "joined" cannot be a source: it uses a join%', true, 'a join');
SELECT is(said(format('SELECT pegs_set_parent(%L, %L%s)', 'free', 'patients', c.args)), c.words, c.args)
FROM (VALUES (', children => ''{1, 2}''', '22023 | children must be 0, 1 and numbers that rise up to 65536, at most 100 of them | Each begins a class of the number of rows that refer to one row of the parent. | SELECT pegs_set_parent(''public.free'', ''public.patients'', children => ''{0, 1, 2, ...}'', at_most => ''...'');'),
	(', children => ''{0, 2, 2}''', '22023 | children must be 0, 1 and numbers that rise up to 65536, at most 100 of them | Each begins a class of the number of rows that refer to one row of the parent. | SELECT pegs_set_parent(''public.free'', ''public.patients'', children => ''{0, 1, 2, ...}'', at_most => ''...'');'),
	(', children => ''{0, NULL}''', '22023 | children must be 0, 1 and numbers that rise up to 65536, at most 100 of them | Each begins a class of the number of rows that refer to one row of the parent. | SELECT pegs_set_parent(''public.free'', ''public.patients'', children => ''{0, 1, 2, ...}'', at_most => ''...'');'),
	(', children => ''{0, 1, 5}'', at_most => 4', '22023 | at_most must be the end of the last class of children | The last class goes from its beginning to at_most, which is at most 65536; more rows than that count as so many. | SELECT pegs_set_parent(''public.free'', ''public.patients'', children => ''{0, 1, 5}'', at_most => ''...''); children: where classes of that number begin, each at most half above the one before (..., 8, 12, 18, 27): inside one, numbers are equally likely. at_most: the largest there may be; a parent with more rows gets no more than so many in rows of the model.'),
	(', children => ''{0}''', '22023 | children must be 0, 1 and numbers that rise up to 65536, at most 100 of them | Each begins a class of the number of rows that refer to one row of the parent. | SELECT pegs_set_parent(''public.free'', ''public.patients'', children => ''{0, 1, 2, ...}'', at_most => ''...'');'),
	(', at_most => 0', '22023 | at_most must be the end of the last class of children | The last class goes from its beginning to at_most, which is at most 65536; more rows than that count as so many. | SELECT pegs_set_parent(''public.free'', ''public.patients'', children => ''{0, 1, 2, ...}'', at_most => ''...''); children: where classes of that number begin, each at most half above the one before (..., 8, 12, 18, 27): inside one, numbers are equally likely. at_most: the largest there may be; a parent with more rows gets no more than so many in rows of the model.'),
	(', children => ''{0, 1, 2, 5}'', at_most => 9', 'ok')) AS c (args, words);
CREATE TABLE cards (client int PRIMARY KEY REFERENCES clients);
SELECT is(said($$SELECT pegs_set_parent('cards', 'clients', children => '{0, 1, 2}')$$), '22023 | a row of the parent has at most one row here: foreign key "cards_client_fkey" is unique | Leave children out.', 'one at most, by the catalog');
SELECT is(said($$SELECT pegs_set_parent('cards', 'clients')$$), 'ok', 'and needs no classes');

---- in one transaction: nothing that could be rolled back pays
CREATE TABLE notes (patient int REFERENCES patients, a text CHECK (a IN ('x', 'y')));
BEGIN;
SELECT pegs_set_parent('notes', 'patients');
SELECT is(said($$SELECT pegs_fit('n', 'notes', epsilon => 0.1)$$), '55000 | the parent of table "notes" was declared in this transaction | It says which account pays. It could be rolled back, and the charge could not. | COMMIT; and spend in the next transaction.', 'a binding that is not committed pays nothing');
ROLLBACK;
SELECT is((SELECT concat_ws(' | ', depth, parent, problem) FROM pegs_schema('patients') WHERE source = 'notes'::regclass), 'it refers to "patients", and is not bound: no model has its rows', 'rolled back');
SELECT pegs_set_parent('notes', 'patients');
BEGIN;
SELECT pegs_set_parent('notes', NULL);
SELECT is(said($$SELECT pegs_fit('n', 'notes', ARRAY['a'], epsilon => 0.1)$$) LIKE '55000 | the parent of table "notes" was declared in this transaction%', true, 'nor the account of one that is let go');
SELECT is(said($$SELECT pegs_set_parent('notes', 'patients')$$), '55000 | table "notes" was let go in this transaction | Whether anything was spent on it is asked when that is committed. | COMMIT; and declare its parent in the next transaction.', 'nor is it bound again');
ROLLBACK;
SELECT is((SELECT count(*) FROM pegs_schema('patients') WHERE source = 'notes'::regclass), 1::bigint, 'it is still bound');

---- ALTER and DROP
ALTER TABLE notes RENAME patient TO whose;
SELECT is((SELECT columns::text FROM pegs_schema('patients') WHERE source = 'notes'::regclass), '{whose}', 'a new name');
SELECT is(said($$SELECT pegs_fit('n', 'notes', ARRAY['a'], epsilon => 0.1)$$), 'ok', 'does not matter');
ALTER TABLE notes DROP CONSTRAINT notes_patient_fkey;
SELECT is((SELECT problem || ': ' || remedy FROM pegs_schema('patients') WHERE source = 'notes'::regclass), 'its foreign key is gone: ALTER TABLE public.notes ADD FOREIGN KEY (whose) REFERENCES public.patients NOT VALID;', 'its key is gone');
SELECT is(said($$SELECT pegs_fit('m', 'notes', ARRAY['a'], epsilon => 0.1)$$) LIKE '55000 | rows of public.notes belong to rows of another table: they cannot be counted by those | The foreign key is gone.%', true, 'nothing is fitted');
ALTER TABLE public.notes ADD FOREIGN KEY (whose) REFERENCES public.patients NOT VALID;
SELECT is(said($$SELECT pegs_fit('m', 'notes', ARRAY['a'], epsilon => 0.1)$$), 'ok', 'as the remedy says');
CREATE TABLE everybody (id int NOT NULL, sex text NOT NULL, clinic int);
ALTER TABLE patients INHERIT everybody;
SELECT is(said($$SELECT pegs_fit('o', 'notes', ARRAY['a'], epsilon => 0.1)$$) LIKE '55000 | % | "patients" became a part of "everybody": its rows have two accounts.%', true, 'a root that became a part');
SELECT pegs_set_budget('everybody', 1);
SELECT is(said($$SELECT pegs_fit('o', 'everybody', ARRAY['sex'], parents => '{}', structure_epsilon => 0)$$) IS NOT NULL, true, 'whatever it says of sealed ones');
SELECT pegs_set_levels('everybody', 'sex', '{F, M}');
SELECT is(said($$SELECT pegs_fit('q', 'everybody', ARRAY['sex'], epsilon => 0.1)$$) LIKE '55000 | table "patients", to whose account others are bound, became a part of "everybody"%', true, 'nor of the whole');
ALTER TABLE patients NO INHERIT everybody;
SELECT is((SELECT array_agg(s) FROM pegs_propose('rooms') AS s WHERE s ~ 'belong'), ARRAY[$$-- if rows of "rooms" belong to rows of "clinics": SELECT pegs_set_parent('public.rooms', 'public.clinics', '{clinic}', children => '{0, 1, 2, ...}', at_most => '...');  -- children: where classes of how many rows of "rooms" a row of "clinics" has begin; at_most: the end of the last, none gets more$$], 'proposed, as a comment');
SELECT is((SELECT remedy FROM pegs_domain('dispositions') WHERE column_name = 'client'), NULL, 'a key of a bound table needs nothing');
CREATE TABLE letters (patient int REFERENCES patients, a text CHECK (a IN ('x')));
SELECT is((SELECT remedy FROM pegs_domain('letters') WHERE column_name = 'patient'), 'SELECT pegs_set_parent(''public.letters'', ''public.patients'');  -- says whose rows they are; the column is left out', 'not bins');
---- two keys of the same columns: by one a row is another's than by the other
CREATE TABLE houses (id int PRIMARY KEY, no int UNIQUE, a text CHECK (a IN ('x')));
CREATE TABLE keepers (id int PRIMARY KEY, house int, a text CHECK (a IN ('x')), CONSTRAINT by_id FOREIGN KEY (house) REFERENCES houses (id), CONSTRAINT by_no FOREIGN KEY (house) REFERENCES houses (no));
SELECT is(said($$SELECT pegs_set_parent('keepers', 'houses', '{house}')$$), '55000 | two foreign keys of table "keepers" on (house) refer to "houses" | By "by_id" a row belongs to another row than by "by_no". | Drop the one that does not say whose row it is: ALTER TABLE public.keepers DROP CONSTRAINT by_no; or the other.', 'which row of the parent is not known');
ALTER TABLE keepers DROP CONSTRAINT by_no;
ALTER TABLE keepers ADD CONSTRAINT again FOREIGN KEY (house) REFERENCES houses (id);
SELECT is(said($$SELECT pegs_set_parent('keepers', 'houses', '{house}', '{0, 1, 2}', 3)$$), 'ok', 'the same one twice is one');
ALTER TABLE keepers ADD CONSTRAINT by_no FOREIGN KEY (house) REFERENCES houses (no);
SELECT is((SELECT problem || ' | ' || remedy FROM pegs_schema('houses') WHERE source = 'keepers'::regclass), 'two foreign keys, "again" and "by_no", have the same columns: by one a row belongs to another row than by the other | ALTER TABLE public.keepers DROP CONSTRAINT by_no;', 'one that came later is shown');
SELECT pegs_set_budget('houses', 1);
SELECT is(said($$SELECT pegs_fit('k', 'keepers', ARRAY['a'], epsilon => 0.1)$$) LIKE '55000 | two foreign keys of table "keepers" on (house)%', true, 'nothing is counted of the table alone');
SELECT is(said($$SELECT pegs_fit_schema('k', 'houses', epsilon => 0.1)$$) LIKE '55000 | two foreign keys of table "keepers" on (house)%', true, 'nor with its parent');
---- a sealed model that was made before its parent was bound itself (in another session; here it has no name while that is bound): it protects rows of that one, and no more
CREATE TABLE streets (id int PRIMARY KEY, a text CHECK (a IN ('x')));
CREATE TABLE lots (id int PRIMARY KEY, street int REFERENCES streets, a text CHECK (a IN ('x')));
CREATE TABLE trees (id int PRIMARY KEY, lot int REFERENCES lots, a text CHECK (a IN ('x')));
INSERT INTO streets VALUES (1, 'x');
INSERT INTO lots SELECT i, 1, 'x' FROM generate_series(1, 9) AS i;
INSERT INTO trees TABLE lots;
UPDATE trees SET lot = id;
SELECT pegs_set_parent('trees', 'lots', children => '{0, 1, 2}', at_most => 3);
SELECT pegs_fit('sealed', 'trees', ARRAY['a'], parents => '{}');
UPDATE pegs_internal.model SET name = NULL WHERE name = 'sealed';
SELECT pegs_set_parent('lots', 'streets', children => '{0, 1, 2}', at_most => 9), pegs_set_budget('streets', 1);
UPDATE pegs_internal.model SET name = 'sealed' WHERE name IS NULL AND source = 'trees'::regclass;
SELECT is(said($$SELECT count(*) FROM pegs_sample('sealed', 2, epsilon => 0.1) AS t(a text)$$),
	'55000 | what would be charged protects rows of "lots", and they belong to rows of another table | The account is that of the other table, and protects its rows with all that belongs to them. | Drop the model. SELECT * FROM pegs_schema(''public.trees''); says whose rows they are: pegs_fit_schema models all of them.', 'a street has nine lots: they would have cost as one');
SELECT is(said($$SELECT pegs_release('r', 'sealed', 2, epsilon => 0.1)$$) LIKE '55000 | what would be charged protects rows of "lots"%', true, 'nor a release');
SELECT is((SELECT spent FROM pegs_budgets WHERE source = 'streets'::regclass), 0::numeric, 'nothing was charged');

---- what was read without a guarantee stays with its account
CREATE TABLE roots (id int PRIMARY KEY, tree int REFERENCES streets, a text CHECK (a IN ('x')), b text CHECK (b IN ('y')));
CREATE TABLE leaves (LIKE roots INCLUDING ALL);
ALTER TABLE leaves ADD FOREIGN KEY (tree) REFERENCES streets;
SELECT pegs_set_budget('leaves', 1);
SELECT pegs_fit('none', 'leaves', ARRAY['a', 'b'], options => '{"guarantee": "none"}', method => 'table published');
SELECT pegs_drop('none');
SELECT is(said($$SELECT pegs_set_parent('leaves', 'streets')$$), '55000 | rows that the account of "leaves" pays for were read without a guarantee | That stands there. No other account would say it of them. | SELECT * FROM pegs_ledger WHERE source = ''public.leaves''::regclass AND action ~ ''uncovered''; names what was read. Fit without a guarantee after all tables are bound.', 'a table whose rows were read so is not bound');
SELECT is(said($$SELECT pegs_set_parent('roots', 'streets')$$), 'ok', 'one of which nothing was read');
SELECT pegs_fit('none', 'roots', ARRAY['a', 'b'], options => '{"guarantee": "none"}', method => 'table published');
SELECT is((SELECT uncovered FROM pegs_budgets WHERE source = 'streets'::regclass), true, 'the account that pays says it');
SELECT is(said($$SELECT pegs_set_parent('roots', NULL)$$) LIKE '55000 | rows that the account of "streets" pays for were read without a guarantee%', true, 'and keeps it');

---- a reference to a table that has an account of its own: not protected in these rows, whatever is declared of the column
CREATE TABLE doctors (id int PRIMARY KEY, a text CHECK (a IN ('x')));
CREATE TABLE nests (id int PRIMARY KEY, street int REFERENCES streets, doctor int REFERENCES doctors, a text CHECK (a IN ('x')));
SELECT pegs_set_budget('doctors', 1), pegs_set_levels('nests', 'doctor', '{1, 2}'), pegs_set_parent('nests', 'streets', children => '{0, 1, 2}', at_most => 9);
SELECT is((SELECT problem FROM pegs_schema('streets') WHERE source = 'nests'::regclass), 'it refers to "doctors", too: that row is not protected in its rows', 'pegs_schema says it');
SELECT pegs_fit_schema('nested', 'streets', '{nests}', '{"streets": ["a"], "nests": ["a", "doctor"]}', epsilon => 0.1);
SELECT is(pegs_describe('nested') -> 'not_covered', '["a row of public.doctors in the rows of nests that refer to it by doctor"]', 'and the certificate');

---- parts that came later, of a table below the root: as of one that is fitted alone
CREATE TABLE persons (id int PRIMARY KEY, a text CHECK (a IN ('x')));
INSERT INTO persons VALUES (1, 'x');
CREATE TABLE gardens (id int PRIMARY KEY, person int REFERENCES persons, lot int REFERENCES lots, street int, a text CONSTRAINT x CHECK (a IN ('x')));
CREATE TABLE greens (id int NOT NULL, person int REFERENCES persons, lot int, street int, a text CONSTRAINT x CHECK (a IN ('x'))) PARTITION BY RANGE (id);
SELECT pegs_set_parent('gardens', 'lots', children => '{0, 1, 2}', at_most => 3), pegs_set_parent('greens', 'persons', children => '{0, 1, 2}', at_most => 3), pegs_set_budget('persons', 10);
ALTER TABLE greens ATTACH PARTITION gardens FOR VALUES FROM (0) TO (100);
SELECT is(said($$SELECT pegs_fit('g', 'greens', ARRAY['a'], epsilon => 1)$$) LIKE '55000 | table "gardens", a part of "greens", is bound to another table''s account%', true, 'the table alone');
SELECT is(said($$SELECT pegs_fit_schema('g', 'persons', columns => '{"persons": ["a"], "greens": ["a"]}', epsilon => 1)$$) LIKE '55000 | table "gardens", a part of "greens", is bound to another table''s account%', true, 'nor with its root');
ALTER TABLE greens DETACH PARTITION gardens;
SELECT is(said($$SELECT pegs_fit_schema('g', 'persons', columns => '{"persons": ["a"], "greens": ["a"]}', epsilon => 1)$$), 'ok', 'without it');
CREATE TABLE spent (LIKE greens INCLUDING ALL);
SELECT pegs_set_budget('spent', 1);
SELECT pegs_fit('spent before', 'spent', ARRAY['a'], epsilon => 1);
ALTER TABLE greens ATTACH PARTITION spent FOR VALUES FROM (100) TO (200);
SELECT is((SELECT state FROM pegs_health() WHERE item = 'part public.spent'), 'has spent under an account of its own, and is a part of public.greens', 'one that has spent: pegs_health names it, though the whole has no budget of its own');

DROP TABLE diagnoses;
SELECT is((SELECT count(*) FROM pegs_internal.parent WHERE source::text = 'diagnoses' OR source NOT IN (SELECT oid FROM pg_class)), 0::bigint, 'a table takes its binding with it');
DROP TABLE patients CASCADE;
SELECT is(said($$SELECT pegs_fit('o', 'notes', ARRAY['a'], epsilon => 0.1)$$) LIKE '55000 | rows of public.notes belong to rows of another table: they cannot be counted by those | That table was dropped.%', true, 'nobody pays for a table whose root was dropped');
SELECT is(said($$SELECT pegs_set_budget('notes', 1)$$), '55000 | rows of table "notes" belong to rows of another table, whose account pays | That table was dropped: what was spent on these rows is not known any more.', 'it has no budget of its own either');
SELECT is(said($$SELECT pegs_set_parent('notes', NULL)$$), '55000 | the table whose account paid for "notes" was dropped | What was spent on its rows is not known any more. | Copy the rows that are still needed into a new table, and leave as much unspent there.', 'and is not let go');
SELECT is((SELECT array_agg(source || ' | ' || problem || ' | ' || remedy) FROM pegs_schema('notes')), ARRAY['notes | a table that it was bound to, or one above that, was dropped: what was spent on its rows is not known any more | -- Copy the rows that are still needed into a new table, and leave as much unspent there.'], 'pegs_schema says so');
SELECT matches(said($$SELECT pegs_fit('o', 'notes', ARRAY['a'], epsilon => 0.1)$$), '\| Copy the rows that are still needed into a new table, and leave as much unspent there\.$', 'and the hint says what there is to do');

SELECT * FROM finish();
