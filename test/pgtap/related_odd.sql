-- Related tables that are not as one would draw them: keys that may be NULL, keys to parts, second references, odd names, other owners.
SET client_min_messages = warning;
CREATE EXTENSION pegs;
SELECT plan(54);
CREATE FUNCTION said(statement text) RETURNS text LANGUAGE plpgsql AS
$$ DECLARE m text; BEGIN EXECUTE statement; RETURN 'ok'; EXCEPTION WHEN OTHERS THEN GET STACKED DIAGNOSTICS m = MESSAGE_TEXT; RETURN concat_ws(' | ', SQLSTATE, m); END $$;
CREATE FUNCTION fits(name text, root text, VARIADIC more text[] DEFAULT '{}') RETURNS text LANGUAGE sql AS
$$ SELECT said(format('SELECT pegs_fit_schema(%L, %L, epsilon => 50, delta => 1e-9%s)', name, root, array_to_string(more, ''))) $$;
CREATE FUNCTION n(model text, of text, n int DEFAULT 1000) RETURNS bigint LANGUAGE plpgsql AS
$$ DECLARE k bigint; BEGIN EXECUTE format('SELECT count(*) FROM pegs_sample_as(NULL::%I, %L, %s, options => %L)', of, model, n, json_build_object('table', of)) INTO k; RETURN k; END $$;

---- a unit is told apart by all that refers to it: a key that is NULL makes no unit of several
CREATE TABLE person (ssn text UNIQUE, id int PRIMARY KEY, sex text NOT NULL CHECK (sex IN ('F', 'M')));
CREATE TABLE by_ssn (id int PRIMARY KEY, ssn text REFERENCES person (ssn), v text NOT NULL CHECK (v IN ('x', 'y')));
CREATE TABLE by_id (id int PRIMARY KEY, p int REFERENCES person, v text NOT NULL CHECK (v IN ('x', 'y')));
CREATE TABLE below (p int REFERENCES by_id, v text NOT NULL CHECK (v IN ('x', 'y')));
INSERT INTO person SELECT NULL, i, CASE WHEN i % 2 = 0 THEN 'F' ELSE 'M' END FROM generate_series(1, 1000) AS i;
INSERT INTO by_id SELECT i, i, CASE WHEN i % 2 = 0 THEN 'x' ELSE 'y' END FROM generate_series(1, 1000) AS i;
INSERT INTO by_id SELECT i, NULL, 'x' FROM generate_series(1001, 3000) AS i;
INSERT INTO below SELECT i, CASE WHEN i % 2 = 0 THEN 'x' ELSE 'y' END FROM generate_series(1, 1000) AS i, generate_series(1, 2);
SELECT pegs_set_parent(c, 'person', children => '{0, 1, 2, 3, 5}', at_most => 8) FROM unnest('{by_ssn, by_id}'::regclass[]) AS c;
SELECT pegs_set_parent('below', 'by_id', children => '{0, 1, 2, 3, 5}', at_most => 8);
SELECT pegs_set_budget('person', epsilon => 1e5, delta => 1e-3, accounting => 'sum');
SELECT is(fits('keys', 'person'), 'ok', 'a key that is NULL');
SELECT ok(n('keys', 'by_id') BETWEEN 950 AND 1050, 'each has its own rows, and those with no parent are left out');
SELECT ok(n('keys', 'below') BETWEEN 1900 AND 2100, 'and so on down');
SELECT ok(n('keys', 'by_ssn') < 50, 'of the other key there are none');
SELECT ok((SELECT count(*) > 0.95 * max(m) FROM (SELECT count(*) OVER () AS m, p.sex, c.v FROM pegs_sample_as(NULL::person, 'keys', 1000, options => '{"table": "person"}') AS p
	JOIN pegs_sample_as(NULL::by_id, 'keys', 1000, options => '{"table": "by_id"}') AS c ON c.p = p.id) AS j WHERE (sex = 'F') = (v = 'x')), 'they are those of their own parent');
SELECT is((SELECT count(*) FROM pegs_sample('keys', 10, options => '{"table": "person"}') AS t(id int)), 10::bigint, 'keys alone');

---- a key to a part of the parent: what is unique there may be there again in another part
CREATE TABLE whole (id int, part int NOT NULL, sex text NOT NULL CHECK (sex IN ('F', 'M'))) PARTITION BY LIST (part);
CREATE TABLE whole_1 PARTITION OF whole (UNIQUE (id)) FOR VALUES IN (1);
CREATE TABLE whole_2 PARTITION OF whole FOR VALUES IN (2);
CREATE TABLE of_part (p int REFERENCES whole_1 (id), v text NOT NULL CHECK (v IN ('x', 'y')));
INSERT INTO whole VALUES (1, 1, 'F'), (1, 2, 'M');
SELECT pegs_set_budget('whole', epsilon => 1e5, delta => 1e-3, accounting => 'sum');
SELECT pegs_set_parent('of_part', 'whole', children => '{0, 1, 2, 3, 5}', at_most => 8);
SELECT is(fits('part', 'whole'), '42809 | table "of_part" is bound by a foreign key to a part of "whole"', 'a key to a part');
SELECT results_eq($$SELECT problem, remedy FROM pegs_schema('whole') WHERE depth = 1$$, $$VALUES ('it is bound by a foreign key to a part of "whole"',
	'-- Give public.of_part a foreign key to all of public.whole, by columns that are a PRIMARY KEY or UNIQUE there, and bind it by that: pegs_set_parent.')$$, 'pegs_schema says so');
CREATE TABLE all8 (id int PRIMARY KEY, sex text NOT NULL CHECK (sex IN ('F', 'M'))) PARTITION BY RANGE (id); CREATE TABLE all8_a PARTITION OF all8 FOR VALUES FROM (0) TO (100);
CREATE TABLE of8 (r int CONSTRAINT r8 REFERENCES all8_a, v text NOT NULL CHECK (v IN ('x', 'y')));
SELECT pegs_set_budget('all8', epsilon => 10); SELECT pegs_set_parent('of8', 'all8', children => '{0, 1}', at_most => 1);
SELECT is((SELECT remedy FROM pegs_schema('all8') WHERE problem IS NOT NULL), 'ALTER TABLE public.of8 DROP CONSTRAINT r8, ADD FOREIGN KEY (r) REFERENCES public.all8 (id) NOT VALID;', 'to the whole instead');
SELECT remedy FROM pegs_schema('all8') WHERE problem IS NOT NULL \gset
:remedy
SELECT is_empty($$SELECT problem FROM pegs_schema('all8') WHERE problem IS NOT NULL$$, 'pasted');
ALTER TABLE whole ADD UNIQUE (id, part);
ALTER TABLE of_part ADD COLUMN part int DEFAULT 1, ADD FOREIGN KEY (p, part) REFERENCES whole (id, part);
SELECT pegs_set_parent('of_part', NULL);
SELECT pegs_set_parent('of_part', 'whole', '{p, part}', children => '{0, 1, 2, 3, 5}', at_most => 8);
SELECT is(fits('whole', 'whole'), 'ok', 'one to the whole, of two columns');
SELECT is((SELECT count(*) FROM pegs_sample_as(NULL::whole, 'whole', 50, options => '{"table": "whole"}') AS w
	RIGHT JOIN pegs_sample_as(NULL::of_part, 'whole', 50, options => '{"table": "of_part"}') AS c ON (c.p, c.part) = (w.id, w.part) WHERE w.id IS NULL), 0::bigint, 'they belong together by both');
SELECT is(pegs_describe('whole') -> 'not_covered', '["a row of public.whole in the rows of of_part that refer to it by p"]', 'that of a part may be another row');

---- what a certificate says beside the unit
CREATE TABLE code (c text PRIMARY KEY);
INSERT INTO code VALUES ('a'), ('b');
CREATE TABLE account (id int PRIMARY KEY, sex text NOT NULL CHECK (sex IN ('F', 'M')), friend int REFERENCES account);
CREATE TABLE transfer (id int PRIMARY KEY, from_id int NOT NULL REFERENCES account, to_id int REFERENCES account, code text REFERENCES code, v text NOT NULL CHECK (v IN ('x', 'y')), note text NOT NULL DEFAULT '', UNIQUE (from_id, v), UNIQUE (to_id, v), UNIQUE (from_id, note));
INSERT INTO account SELECT i, 'F', i FROM generate_series(1, 100) AS i;
INSERT INTO transfer SELECT i, i, 101 - i, 'a', 'x' FROM generate_series(1, 100) AS i;
SELECT pegs_set_levels('transfer', 'code', 'code'::regclass, 'c'), pegs_leave_out('transfer', 'note');
SELECT pegs_set_budget('account', epsilon => 1e5, delta => 1e-3, accounting => 'sum');
SELECT pegs_set_parent('transfer', 'account', '{from_id}', children => '{0, 1, 2, 3, 5}', at_most => 8);
SELECT is(fits('two', 'account'), 'ok', 'a second reference to a private table');
SELECT is(pegs_describe('two') -> 'not_covered', '["a row of public.account in the rows of account that refer to it by friend", "a row of public.account in the rows of transfer that refer to it by to_id"]', 'is named');
SELECT matches(pegs_certificate('two') ->> 'not_protected', '; a row of public.account in the rows of transfer that refer to it by to_id$', 'the certificate says that it is not protected');
SELECT matches(pegs_certificate_text('two'), E'\nmay repeat:  rows of transfer may repeat \\(from_id, v\\), which the original has unique, rows of transfer may repeat \\(from_id, note\\), which the original has unique\n', 'and what may repeat');
SELECT is((SELECT count(*) FROM pegs_sample_as(NULL::transfer, 'two', 100, options => '{"table": "transfer"}') WHERE to_id IS NOT NULL), 0::bigint, 'it comes out NULL');
SELECT is(said($$SELECT * FROM pegs_sample_as(NULL::account, 'two', 10, options => '{"table": "transfer"}')$$), '42804 | rows of table "transfer" are asked for, by the row type of table "account"', 'the row type of another of the tables');
SELECT pegs_copy_sql('two', 'copied') \gexec
SELECT is((SELECT array_agg(pg_get_constraintdef(oid) ORDER BY pg_get_constraintdef(oid)) FROM pg_constraint WHERE conrelid = 'copied.transfer'::regclass AND contype NOT IN ('c', 'n')), '{"FOREIGN KEY (from_id) REFERENCES copied.account(id)","PRIMARY KEY (id)","UNIQUE (to_id, v)"}', 'a copy has it not once');
SELECT is(pegs_certificate('two') ->> 'public', 'columns, declared levels and bins, tables, classes of numbers of rows, the rows of the lookup table public.code', 'what was public');
SELECT is(fits('named', 'account', $$, columns => '{"transfer": ["to_id"]}'$$), '22023 | column "to_id" cannot be used: it is a reference to table "account"', 'nor is it modelled');
ALTER TABLE account ALTER friend SET NOT NULL;
SELECT is(fits('self', 'account'), '0A000 | table "account" refers to itself', 'a reference to itself that cannot be NULL');
ALTER TABLE account DROP friend;

---- odd names
CREATE SCHEMA "s ""1";
CREATE TABLE "s ""1"."Root, 1" ("the id" int PRIMARY KEY, "a""b" text CHECK ("a""b" IN ('x', 'y"')));
CREATE TABLE "s ""1"."c}{" ("Whose" int REFERENCES "s ""1"."Root, 1", "v:[]" boolean);
INSERT INTO "s ""1"."Root, 1" SELECT i, 'y"' FROM generate_series(1, 100) AS i;
INSERT INTO "s ""1"."c}{" SELECT i, true FROM generate_series(1, 100) AS i;
SELECT pegs_set_budget('"s ""1"."Root, 1"', epsilon => 1e5, delta => 1e-3, accounting => 'sum');
SELECT pegs_set_parent('"s ""1"."c}{"', '"s ""1"."Root, 1"', children => '{0, 1, 2, 3, 5}', at_most => 8);
SELECT is(fits('odd', '"s ""1"."Root, 1"', $$, columns => '{"c}{": ["v:[]"]}'$$), 'ok', 'odd names');
SELECT is((SELECT count(*) FROM pegs_sample_as(NULL::"s ""1"."c}{", 'odd', 100, options => '{"table": "c}{"}')) > 80, true, 'and their rows');
SELECT ok((SELECT count(*) FROM pegs_sample_as(NULL::"s ""1"."Root, 1", 'odd', 100, options => '{"table": "Root, 1"}') WHERE "a""b" = 'y"') > 80, 'and values');

SELECT is(said($$SELECT * FROM pegs_sample_as(NULL::"s ""1"."Root, 1", 'odd', 10, options => '{"table": "c}{"}')$$), '42804 | rows of table "c}{" are asked for, by the row type of table "Root, 1"', 'of such names, too');

---- renamed and dropped after the fit
ALTER TABLE transfer RENAME TO moved;
ALTER TABLE moved RENAME v TO w;
SELECT is((SELECT count(*) FROM pegs_sample('two', 100, options => '{"table": "transfer"}') AS t(id int, v text)) > 80, true, 'a model knows a table by the name that it had');
SELECT is(fits('moved', 'account'), 'ok', 'one that is fitted later by the new one');
SELECT is(pegs_describe('moved') -> 'not_covered' ->> 0, 'a row of public.account in the rows of moved that refer to it by to_id', 'and says so');
ALTER TABLE moved DROP CONSTRAINT transfer_from_id_fkey;
SELECT is(fits('no key', 'account'), '55000 | table "moved" is bound by a foreign key that is gone', 'without its foreign key nothing is fitted');
DROP TABLE moved;
SELECT is(fits('no child', 'account'), '55000 | no table is bound to public.account', 'nor of a table that is dropped');
SELECT is(said($$SELECT pegs_copy_sql('moved', 'other')$$), '42P01 | there is no table public.moved, of which "moved" has rows', 'a copy of what is dropped');
SELECT pegs_view_sql('moved', 'seen') \gexec
SELECT ok((SELECT count(*) FROM seen.moved JOIN seen.account ON account.id = from_id) > 80, 'but a view');
SELECT is(n('moved', 'account', 10), 10::bigint, 'what was released stays');
SELECT is((SELECT count(*) FROM pegs_sample('moved', 100, options => '{"table": "moved"}') AS t(id int, w text)) > 80, true, 'of the dropped table, too');
DROP TABLE account CASCADE;
SELECT is((SELECT count(*) FROM pegs_sample('moved', 100, options => '{"table": "moved"}') AS t(id int, w text)) > 80, true, 'as any perturbed model');

---- by the right of now
CREATE ROLE pegs_odd_owner; CREATE ROLE pegs_odd_curator; CREATE ROLE pegs_odd_reader;
GRANT pegs_odd_owner TO pegs_odd_curator;
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA public TO pegs_odd_owner, pegs_odd_curator, pegs_odd_reader;
ALTER TABLE person OWNER TO pegs_odd_owner; ALTER TABLE by_ssn OWNER TO pegs_odd_owner; ALTER TABLE by_id OWNER TO pegs_odd_owner; ALTER TABLE below OWNER TO pegs_odd_owner;
GRANT SELECT ON ALL TABLES IN SCHEMA public TO pegs_odd_reader;
CREATE FUNCTION as_role(r name, statement text) RETURNS text LANGUAGE plpgsql AS $$ DECLARE s text; BEGIN EXECUTE format('SET LOCAL ROLE %I', r); s := said(statement); RESET ROLE; RETURN s; END $$;
CREATE FUNCTION fit_as(r name, name text) RETURNS text LANGUAGE sql AS $$ SELECT as_role(r, format('SELECT pegs_fit_schema(%L, ''person'', epsilon => 50, delta => 1e-9)', name)) $$;
SELECT is(fit_as('pegs_odd_curator', 'curated'), 'ok', 'who is a member of the owner');
SELECT is(fit_as('pegs_odd_reader', 'read'), '42501 | must be a member of the role that owns table "person" to fit a model to it', 'SELECT alone is not enough');
CREATE TABLE spent_before AS SELECT spent FROM pegs_budgets WHERE source = 'person'::regclass;
REVOKE SELECT ON below FROM pegs_odd_owner;
SELECT is(fit_as('pegs_odd_curator', 'no select'), '42501 | permission denied for table below', 'an owner who may not read one of the tables');
GRANT SELECT ON below TO pegs_odd_owner;
ALTER TABLE below ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
SELECT alike(fit_as('pegs_odd_curator', 'forced'), '42501 | query would be affected by row-level security%', 'a policy that holds for the owner hides no rows in silence');
ALTER TABLE below NO FORCE ROW LEVEL SECURITY;
REVOKE pegs_odd_owner FROM pegs_odd_curator;
SELECT matches(fit_as('pegs_odd_curator', 'revoked'), '^42501 ', 'who is no member any more');
GRANT pegs_odd_owner TO pegs_odd_curator;
ALTER TABLE below OWNER TO CURRENT_USER;
SELECT alike(fit_as('pegs_odd_curator', 'other owner'), '42501 | must be a member of the role that owns table "below"%', 'nor of the owner of one table');
SELECT is((SELECT spent FROM pegs_budgets WHERE source = 'person'::regclass), (SELECT spent FROM spent_before), 'nothing was charged for any of it');
SET ROLE pegs_odd_curator;
CREATE TEMP TABLE seen AS SELECT source::text, replace(problem || ' ' || remedy, session_user::text, 'me') COLLATE "default" AS p FROM pegs_schema('person');
RESET ROLE;
SELECT results_eq('SELECT source, p FROM seen WHERE p IS NOT NULL', $$VALUES ('below', 'tables "person" and "below" have different owners -- a superuser, or a member of both: ALTER TABLE public.below OWNER TO pegs_odd_owner;')$$, 'pegs_schema says the same, and not that all rights of another role are to be given');
CREATE FUNCTION reads(r name) RETURNS text LANGUAGE sql AS $$ SELECT as_role(r, 'SELECT count(*) FROM pegs_sample(''curated'', 5, options => ''{"table": "below"}'') AS t(v text)') $$;
SELECT matches(reads('pegs_odd_reader'), '^42704 ', 'rows are not for everybody');
SELECT pegs_grant('curated', 'pegs_odd_reader');
REVOKE ALL ON person, by_id, by_ssn, below FROM pegs_odd_reader;
SELECT is(reads('pegs_odd_reader'), 'ok', 'who has them granted needs no right to any table');
SELECT pegs_revoke('curated', 'pegs_odd_reader');
SELECT matches(reads('pegs_odd_reader'), '^42704 ', 'and loses them');
SELECT pegs_grant('curated', 'public');
SELECT is(reads('pegs_odd_reader'), 'ok', 'for all');

---- what a model of several tables is not
SELECT alike(said($$SELECT * FROM pegs_sample_slices('keys') AS t(sex text)$$), '0A000 | model "keys" is of several tables%', 'of slices');
SELECT alike(said($$SELECT pegs_score_fit_of('s', 'keys', 'person.sex', '{F}')$$), '0A000 | model "keys" is of several tables%', 'what a score is made of');
---- what has the name of an original now is not copied: its CHECKs would run as who copies
CREATE TABLE entire (id int PRIMARY KEY, s text NOT NULL CHECK (s IN ('x', 'y')));
CREATE TABLE piece (id int PRIMARY KEY, whole int REFERENCES entire, s text NOT NULL CHECK (s IN ('x', 'y')));
INSERT INTO entire SELECT i, 'x' FROM generate_series(1, 30) AS i;
INSERT INTO piece SELECT i, i, 'y' FROM generate_series(1, 30) AS i;
SELECT pegs_set_budget('entire', 10);
SELECT pegs_set_parent('piece', 'entire', children => '{0, 1}', at_most => 2);
SELECT pegs_fit_schema('pieces', 'entire', epsilon => 1);
CREATE FUNCTION is_short(text) RETURNS boolean LANGUAGE sql IMMUTABLE RETURN length($1) < 9;
ALTER TABLE piece ADD CONSTRAINT short CHECK (is_short(s));
SELECT is((SELECT string_agg(s, ' ') FROM pegs_copy_sql('pieces', 'elsewhere') AS s WHERE s ~ 'short'), 'ALTER TABLE elsewhere.piece ADD CONSTRAINT short CHECK (public.is_short(s));', 'a function is named with its schema');
ALTER TABLE piece RENAME TO piece_old;
CREATE TABLE piece (id int, whole int, s text CHECK (is_short(s)));
SELECT is(said($$SELECT pegs_copy_sql('pieces', 'elsewhere')$$), '55000 | table public.piece is not the one of which "pieces" has rows', 'another of its name');
CREATE ROLE rm_other_hand;
DROP TABLE piece;
ALTER TABLE piece_old RENAME TO piece;
ALTER TABLE piece OWNER TO rm_other_hand;
CREATE ROLE rm_root_hand;
SELECT pegs_allow('rm_root_hand');
ALTER TABLE entire OWNER TO rm_root_hand;
GRANT SELECT ON piece TO rm_root_hand;
SET ROLE rm_root_hand;
SELECT matches(said($$SELECT pegs_copy_sql('pieces', 'elsewhere')$$), '^42501 ', 'nor one that went to another');
RESET ROLE;

SELECT * FROM finish();
