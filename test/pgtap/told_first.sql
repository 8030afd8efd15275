-- What cannot be mended is told before what can; what a charge makes final is told before it, and not offered after it. Small schemas, one for each case.
SET client_min_messages = warning;
CREATE EXTENSION pegs;
SELECT * FROM no_plan();
\ir lib/said.sql
CREATE FUNCTION remedy(root regclass, t regclass) RETURNS text LANGUAGE sql AS $$ SELECT remedy FROM pegs_schema(root) WHERE source = t $$;

---- a table that has spent is never bound: no model is dropped for it
CREATE TABLE town (id int PRIMARY KEY, a int NOT NULL CHECK (a IN (1, 2)));
CREATE TABLE person (id int PRIMARY KEY, town int NOT NULL REFERENCES town, v boolean NOT NULL);
CREATE TABLE visit (id int PRIMARY KEY, person int NOT NULL REFERENCES person, v boolean NOT NULL);
INSERT INTO town SELECT i, 1 FROM generate_series(1, 9) AS i; INSERT INTO person SELECT i, 1 + i % 9, true FROM generate_series(1, 90) AS i; INSERT INTO visit SELECT i, i, true FROM generate_series(1, 90) AS i;
SELECT pegs_set_budget('person', 10, 1e-6), pegs_set_parent('visit', 'person', children => '{0, 1}', at_most => 1);
SELECT matches(remedy('person', 'person'), 'if rows of "person" belong to rows of "town": SELECT pegs_set_parent', 'it may be bound, while nothing is spent');
SELECT pegs_fit('sealed', 'visit', '{v}', parents => '{}');
SELECT matches(said($$SELECT pegs_set_parent('person', 'town', children => '{0, 1}', at_most => 20)$$), 'has a model of its own, "sealed".*pegs_drop', 'a model that cost nothing stands in the way: it is named');
SELECT pegs_fit('paid', 'person', '{v}', epsilon => 1);
SELECT matches(said($$SELECT pegs_set_parent('person', 'town', children => '{0, 1}', at_most => 20)$$), 'table "person" has spent on an account of its own', 'one that was paid: it is told that nothing helps');
SELECT matches(said($$SELECT pegs_set_parent('person', 'town', '{v}')$$), 'table "person" has spent on an account of its own', 'nor a foreign key made');
SELECT doesnt_match(remedy('person', 'person'), 'pegs_set_parent', 'pegs_schema offers it no more');
SELECT is((SELECT count(*) FROM pegs_propose('person') AS s WHERE s ~ 'pegs_set_parent'), 0::bigint, 'nor does pegs_propose');
CREATE TABLE call (id int PRIMARY KEY, person int REFERENCES person, v boolean NOT NULL);
SELECT pegs_set_budget('call', 10, 1e-6);
SELECT matches(remedy('person', 'call'), 'SELECT pegs_set_parent', 'another table with an account');
SELECT pegs_fit('calls', 'call', '{v}', epsilon => 1);
SELECT is(remedy('person', 'call'), '-- rows of "call" stay by themselves: it has spent on an account of its own, and is bound to no other', 'that has spent');

---- what a charge makes final
CREATE TABLE client (id int PRIMARY KEY, v boolean NOT NULL);
CREATE TABLE loan (id int PRIMARY KEY, client int NOT NULL REFERENCES client, v boolean NOT NULL);
CREATE TABLE pay (id int PRIMARY KEY, client int NOT NULL REFERENCES client, loan int NOT NULL REFERENCES loan, v boolean NOT NULL);
INSERT INTO client SELECT i, true FROM generate_series(1, 90) AS i; INSERT INTO loan SELECT i, i, true FROM generate_series(1, 90) AS i; INSERT INTO pay SELECT i, i, i, true FROM generate_series(1, 90) AS i;
SELECT pegs_set_budget('client', 20, 1e-6), pegs_set_parent('loan', 'client', children => '{0, 1}', at_most => 1), pegs_set_parent('pay', 'loan', children => '{0, 1}', at_most => 1);
SELECT is(said($$SELECT pegs_set_parent('pay', 'client', children => '{0, 1}', at_most => 1)$$), '55000 | "pay" hangs on two private tables | Its rows belong to rows of "loan" already. | '
	'Leave one out. Or SELECT pegs_set_parent(''public.pay'', NULL); lets it go: nothing was spent since.', 'it could be let go');
SELECT matches(remedy('client', 'pay'), 'SELECT pegs_set_parent\(''public.pay'', NULL\)', 'one key for both');
SELECT pegs_fit('c1', 'client', '{v}', epsilon => 1);
SELECT is(remedy('client', 'pay'), 'ALTER TABLE public.pay ALTER COLUMN client DROP NOT NULL;  -- it comes out NULL then', 'what would be refused is offered no more');
SELECT doesnt_match(said($$SELECT pegs_fit_schema('c3', 'client', epsilon => 1)$$), 'pegs_set_parent', 'nor by the error of a fit');
SELECT matches(said($$SELECT pegs_set_parent('pay', 'client', children => '{0, 1}', at_most => 1)$$), 'It stays bound: what was spent since protects its rows', 'nor by that of another parent');

---- a table that could hang lower
CREATE TABLE host (id int PRIMARY KEY, v boolean NOT NULL);
CREATE TABLE flat (id int PRIMARY KEY, host int NOT NULL REFERENCES host, v boolean NOT NULL);
CREATE TABLE night (id int PRIMARY KEY, host int NOT NULL REFERENCES host, flat int NOT NULL REFERENCES flat, v boolean NOT NULL);
INSERT INTO host SELECT i, true FROM generate_series(1, 90) AS i; INSERT INTO flat SELECT i, i, true FROM generate_series(1, 90) AS i; INSERT INTO night SELECT i, i, i, true FROM generate_series(1, 90) AS i;
SELECT pegs_set_budget('host', 20, 1e-6), pegs_set_parent('night', 'host', children => '{0, 1}', at_most => 1);
SELECT doesnt_match(remedy('host', 'night'), 'pegs_set_parent', 'not below one that is bound to none');
SELECT pegs_set_parent('flat', 'host', children => '{0, 1}', at_most => 1);
SELECT is(remedy('host', 'night'), '-- if its rows belong to rows of "flat", before anything is charged, in a transaction of its own: SELECT pegs_set_parent(''public.night'', NULL);' || E'\n'
	'-- if rows of "night" belong to rows of "flat": SELECT pegs_set_parent(''public.night'', ''public.flat'', ''{flat}'', children => ''{0, 1, 2, ...}'', at_most => ''...'');  '
	'-- children: where classes of how many rows of "night" a row of "flat" has begin; at_most: the end of the last, none gets more' || E'\n'
	'ALTER TABLE public.night ALTER COLUMN flat DROP NOT NULL;  -- it comes out NULL then', 'it may hang on the table between');
SELECT matches(said($$SELECT pegs_fit_schema('h', 'host', epsilon => 1)$$), 'If its rows belong to rows of "flat", before anything is charged: SELECT pegs_set_parent\(''public.night'', NULL\); and, in the next transaction, SELECT pegs_set_parent\(''public.night'', ''public.flat'', children', 'an error says so, too');
CREATE TABLE porter (id int PRIMARY KEY, host int NOT NULL REFERENCES host, v boolean NOT NULL);
CREATE TABLE tidy (id int PRIMARY KEY, flat int NOT NULL REFERENCES flat, porter int NOT NULL REFERENCES porter, v boolean NOT NULL);
SELECT pegs_set_parent('porter', 'host', children => '{0, 1}', at_most => 1), pegs_set_parent('tidy', 'flat', children => '{0, 1}', at_most => 1);
SELECT is(remedy('host', 'tidy'), 'ALTER TABLE public.tidy ALTER COLUMN porter DROP NOT NULL;  -- it comes out NULL then', 'not on one that is beside it');
SELECT pegs_set_parent('night', NULL);
SELECT is(said($$SELECT pegs_set_parent('night', 'flat', '{flat}', children => '{0, 1}', at_most => 1)$$), 'ok', 'it is bound there');
SELECT matches(remedy('host', 'night'), 'ADD FOREIGN KEY \(flat, host\) REFERENCES public.flat \(id, host\)', 'and then one key says both');
SELECT pegs_set_parent('night', NULL); SELECT pegs_set_parent('night', 'host', children => '{0, 1}', at_most => 1);
SELECT pegs_fit('h', 'host', '{v}', epsilon => 1);
SELECT is(remedy('host', 'night'), 'ALTER TABLE public.night ALTER COLUMN flat DROP NOT NULL;  -- it comes out NULL then', 'not after a charge');

---- a unit that was renamed
CREATE TABLE stay (pid int, "order" int, v boolean NOT NULL);
INSERT INTO stay SELECT i, 1, true FROM generate_series(1, 90) AS i;
SELECT pegs_set_budget('stay', 10, 1e-6), pegs_set_unit('stay', 'pid', 2);
SELECT pegs_fit('stays', 'stay', '{v}', epsilon => 1);
ALTER TABLE stay RENAME pid TO "the person";
SELECT matches(said($$SELECT pegs_refit('stays')$$), '\| ALTER TABLE public.stay RENAME COLUMN "the person" TO pid; gives it that name again, and all is as it was. Or SELECT pegs_set_unit\(''public.stay'', ''the person'', 2\); what was charged before is of another unit then.$', 'the old name comes first');
ALTER TABLE stay RENAME "order" TO pid;
SELECT matches(said($$SELECT pegs_refit('stays')$$), '\| ALTER TABLE public.stay RENAME COLUMN pid TO "column 2"; ALTER TABLE public.stay RENAME COLUMN "the person" TO pid; gives', 'another column has it');
SELECT pegs_set_unit('stay', 'the person', 2);
SELECT matches(said($$SELECT pegs_refit('stays')$$), 'the unit that is protected \("pid" then, "the person" now\)', 'which unit it was');
ALTER TABLE stay RENAME pid TO "column 2"; ALTER TABLE stay RENAME "the person" TO pid;
SELECT pegs_set_unit('stay', 'pid', 2);
SELECT is(said($$SELECT pegs_refit('stays')$$), 'ok', 'and it is again');

---- another column of a lookup table
CREATE TABLE film (id int PRIMARY KEY, genre text);
CREATE TABLE copy (id int PRIMARY KEY, film int REFERENCES film, genre text, w int);
INSERT INTO film SELECT i, 'a' FROM generate_series(1, 9) AS i; INSERT INTO copy SELECT i, 1 + i % 9, CASE WHEN i > 9 THEN 'a' ELSE 'b' END, 1 FROM generate_series(1, 20) AS i;
CREATE TABLE rent (id int, copy int REFERENCES copy, v boolean NOT NULL); CREATE VIEW rents AS SELECT copy AS c, v FROM rent;
SELECT pegs_set_budget('rent', 10, 1e-6);
SELECT is(said($$SELECT pegs_set_lookup('rent', 'copy', 'copy', 'film', via => '{genre}', weight => 'w')$$), '22023 | column "copy" refers to "id" of table "copy", not to "film" | By its foreign key: the values of the other column are those of something else. | '
	'SELECT pegs_set_lookup(''public.rent'', ''copy'', ''public.copy'', ''id'', via => ''{genre}'', weight => ''w'');', 'the foreign key says which column has its values');
SELECT matches(said($$SELECT pegs_set_lookup('rents', 'c', 'copy', 'film', via => '{id, genre}')$$), 'SELECT pegs_set_lookup\(''public.rents'', ''c'', ''public.copy'', ''id'', via => ''\{genre\}''\);$', 'of a view, too');
SELECT matches(said($$SELECT pegs_set_levels('rent', 'copy', lookup => 'copy', lookup_column => 'film')$$), 'refers to "id"', 'without via');
SELECT is(said($$SELECT pegs_set_lookup('rents', 'c', 'copy', 'id', via => '{genre}')$$), 'ok', 'that one it is');
SELECT is(said($$SELECT pegs_set_lookup('copy', 'film', 'film', 'id')$$), 'ok', 'of a table of its own');
SELECT pegs_unset('copy', 'film');
ALTER TABLE rent DROP CONSTRAINT rent_copy_fkey;
SELECT is(said($$SELECT pegs_set_lookup('rent', 'copy', 'copy', 'film', via => '{genre}')$$), 'ok', 'no foreign key: a person knows');
ALTER TABLE rent ADD FOREIGN KEY (copy) REFERENCES copy;
SELECT is((SELECT remedy FROM pegs_domain('rent') WHERE column_name = 'copy'), 'SELECT pegs_set_lookup(''public.rent'', ''copy'', ''public.copy'', ''id'', via => ''{genre}''); -- its foreign key refers to that column', 'a key that came later: it is the remedy, and no copy of the table');

---- words of arguments
SELECT is(said($$SELECT pegs_set_parent('call', 'person', at_most => 20)$$) ~ 'has spent', true, 'what is spent comes first');
CREATE TABLE tip (id int PRIMARY KEY, client int NOT NULL REFERENCES client, loan int UNIQUE REFERENCES loan, v boolean NOT NULL);
SELECT matches(said($$SELECT pegs_set_parent('tip', 'client', at_most => 20)$$), '^22023 \| children must be given with at_most \| at_most is the end of the last class; children says where classes begin. \| SELECT pegs_set_parent\(''public.tip'', ''public.client'', children => ''\{0, 1, 2, ...\}'', at_most => 20\);', 'at_most alone');
SELECT is(said($$SELECT pegs_set_parent('tip', 'loan', '{client}', children => '{0, 1}', at_most => 1)$$), '55000 | no foreign key of table "tip" on (client) refers to "loan" | Whose rows they are is read from the catalog. | It refers to "client": '
	'SELECT pegs_set_parent(''public.tip'', ''public.client'', children => ''{0, 1}'', at_most => 1); Or, by its key to "loan": SELECT pegs_set_parent(''public.tip'', ''public.loan'');', 'columns of another key');
SELECT matches(said($$SELECT pegs_set_parent('visit', 'client', '{person}')$$), 'ADD FOREIGN KEY|It refers to "person"', 'a key to another table');
SELECT is(said($$SELECT pegs_set_parent('tip', 'loan', '{id}')$$), '55000 | no foreign key of table "tip" on (id) refers to "loan" | Whose rows they are is read from the catalog. | '
	'ALTER TABLE public.tip ADD FOREIGN KEY (id) REFERENCES public.loan (id) NOT VALID; is enough: rows that are there are not checked.', 'columns of none');

---- names that were folded
CREATE TABLE called (EmployeeNumber int, PatientId int, CaseNo text, HomeAddress text, FullName text, UserUuid text, Src_CustomerKey int,
	paid int, covid int, monkey text, casino int, context text, number int, numbers int, surprise text, "valid" int, rename int);
SELECT is((SELECT array_agg(substring(s from $$, '(.*?)'$$) ORDER BY n) FROM pegs_propose('called') WITH ORDINALITY AS p (s, n) WHERE s ~ 'leave_out'),
	'{employeenumber,patientid,caseno,homeaddress,fullname,useruuid,src_customerkey}', 'two words in one, as an unquoted name has them');
SELECT * FROM finish();
