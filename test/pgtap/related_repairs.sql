-- Related tables: what a remedy says is pasted, and repairs; where nothing does, it says why. Options that are of another type,
-- and a lookup table that cannot be read. Errors are asked for in full: no three dots where the names are known.
SET client_min_messages = warning;
CREATE EXTENSION pegs;
SELECT * FROM no_plan();
\ir lib/said.sql
CREATE TABLE shop (id uuid PRIMARY KEY, kind text);
CREATE TABLE city (id int PRIMARY KEY, kind text);
CREATE TABLE "Owner" (id int PRIMARY KEY, boss int NOT NULL REFERENCES "Owner", sex text NOT NULL CHECK (sex IN ('F', 'M')));
CREATE TABLE pet (id int PRIMARY KEY, "Of" int REFERENCES "Owner", shop uuid NOT NULL REFERENCES shop, city int NOT NULL REFERENCES city, also int NOT NULL REFERENCES city,
	code text, code2 text, kind text NOT NULL CHECK (kind IN ('cat', 'dog')));
INSERT INTO shop VALUES ('11111111-1111-1111-1111-111111111111', 'a');
INSERT INTO city VALUES (1, 'a');
INSERT INTO "Owner" SELECT i, 1, 'F' FROM generate_series(1, 50) AS i;
INSERT INTO pet SELECT i, i, id, 1, 1, 'a', 'c', 'cat' FROM generate_series(1, 50) AS i, shop;
CREATE TABLE codes (k text PRIMARY KEY, v text); INSERT INTO codes VALUES ('a', 'x'), ('b', 'y');
CREATE TABLE more (k text PRIMARY KEY, v text); INSERT INTO more VALUES ('c', 'x'), ('d', 'y');
CREATE FUNCTION remedy_of(t regclass, c name) RETURNS text LANGUAGE sql AS $$ SELECT remedy FROM pegs_domain(t) WHERE column_name = c $$;
CREATE FUNCTION proposed(t regclass, c text) RETURNS text LANGUAGE sql AS $$ SELECT string_agg(p, ' ') FROM pegs_propose(t) AS p WHERE p LIKE '-- ' || c || ' %' $$;

SELECT pegs_leave_out('pet', 'code'), pegs_leave_out('pet', 'code2');
---- a reference that no model has
CREATE FUNCTION of_itself() RETURNS SETOF text LANGUAGE sql AS $f$
	SELECT is(proposed('"Owner"', 'boss'), '-- boss refers to table "Owner", and is left out: it refers to rows of its own table, and a row of a model hangs on no other.', 'to itself: pegs_propose says why')
	UNION ALL SELECT is(remedy_of('"Owner"', 'boss'), 'Leave the column out: it refers to rows of its own table, and a row of a model hangs on no other.', 'so does pegs_domain') $f$;
SELECT of_itself();
SELECT is(remedy_of('pet', 'shop'), 'SELECT pegs_set_parent(''public.pet'', ''public.shop'');  -- says whose rows they are; the column is left out', 'a uuid: whose rows they are may be said');
BEGIN;
SELECT pegs_set_parent('public.pet', 'public.shop');
SELECT is((SELECT parent FROM pegs_schema('shop') WHERE source = 'pet'::regclass), 'shop'::regclass, 'as the remedy says');
ROLLBACK;
SELECT pegs_set_parent('pet', '"Owner"', children => '{0, 1, 2}', at_most => 3), pegs_set_budget('"Owner"', 100, 1e-6);
SELECT of_itself();
SELECT is(remedy_of('pet', 'shop'), 'Leave the column out: keys of type uuid are no levels, so no model has them.', 'else why nothing does');
SELECT is(proposed('pet', 'shop'), '-- shop refers to table "shop", and is left out: keys of type uuid are no levels, so no model has them.', 'so does pegs_propose');
SELECT is((SELECT array_agg(p) FROM pegs_propose('pet') AS p WHERE p ~ 'pegs_set_lookup\(.*shop'), NULL, 'and nothing that is refused');

---- one that a row must have: what pegs_schema says is what the fit needs
SELECT is((SELECT problem || ' | ' || remedy FROM pegs_schema('"Owner"') WHERE depth = 0), 'it refers to itself by "boss", which cannot be NULL: no model has it | ALTER TABLE public."Owner" ALTER COLUMN boss DROP NOT NULL;', 'to itself, and NOT NULL');
SELECT is(said($$SELECT pegs_fit_schema('m', '"Owner"', epsilon => 5, delta => 1e-9)$$), '0A000 | table "Owner" refers to itself | A unit would hang on another. The column is not modelled, and "boss" cannot be NULL. | ALTER TABLE public."Owner" ALTER COLUMN boss DROP NOT NULL;', 'the fit says the same, and no other tables: the root is of all');
SELECT remedy FROM pegs_schema('"Owner"') WHERE depth = 0 \gexec
SELECT is((SELECT remedy FROM pegs_schema('"Owner"') WHERE depth = 0), NULL, 'which repairs it');
CREATE TABLE trick (id int PRIMARY KEY, pet int REFERENCES pet, before int NOT NULL REFERENCES trick, v text CHECK (v IN ('a')));
SELECT pegs_set_parent('trick', 'pet', children => '{0, 1}', at_most => 1);
SELECT is(said($$SELECT pegs_fit_schema('m', '"Owner"', columns => '{"pet": ["kind"]}', epsilon => 5, delta => 1e-9)$$), '0A000 | table "trick" refers to itself | A unit would hang on another. The column is not modelled, and "before" cannot be NULL. | ALTER TABLE public.trick ALTER COLUMN before DROP NOT NULL; Or name the other tables: tables => ARRAY[''Owner'', ''pet'']', 'of a table below: which the others are');
SELECT is(said($$SELECT pegs_fit_schema('m', '"Owner"', tables => ARRAY['Owner', 'pet'], columns => '{"pet": ["kind"]}', epsilon => 5, delta => 1e-9)$$), 'ok', 'pasted');
---- a key that is gone with what it referred to
ALTER TABLE "Owner" DROP CONSTRAINT "Owner_pkey" CASCADE;
SELECT is((SELECT problem || ': ' || remedy FROM pegs_schema('"Owner"') WHERE source = 'pet'::regclass),
	'its foreign key is gone: ALTER TABLE public."Owner" ADD PRIMARY KEY (id); ALTER TABLE public.pet ADD FOREIGN KEY ("Of") REFERENCES public."Owner" (id) NOT VALID;', 'both are made again');
SELECT remedy FROM pegs_schema('"Owner"') WHERE source = 'pet'::regclass \gexec
SELECT is((SELECT problem FROM pegs_schema('"Owner"') WHERE source = 'pet'::regclass), 'it refers to "city" by "also", to "city" by "city", to "shop" by "shop", which cannot be NULL and have no declared values: every row has one plain value there', 'which repairs it');
ALTER TABLE "Owner" ADD also int NOT NULL DEFAULT 0;
ALTER TABLE "Owner" DROP CONSTRAINT "Owner_pkey" CASCADE;
SELECT is((SELECT remedy FROM pegs_schema('"Owner"') WHERE source = 'pet'::regclass),
	'-- Give public."Owner" a PRIMARY KEY or UNIQUE constraint of the columns that ("Of") of public.pet refers to, and this table a foreign key to those.', 'where it cannot be told of which columns it was: words, as a comment');
ALTER TABLE "Owner" DROP also, ADD PRIMARY KEY (id);
ALTER TABLE pet DROP "Of";
SELECT is((SELECT problem || ': ' || remedy FROM pegs_schema('"Owner"') WHERE source = 'pet'::regclass), 'the column "Of" of its foreign key is gone: ALTER TABLE public.pet ADD COLUMN "Of" integer REFERENCES public."Owner"; SELECT pegs_set_parent(''public.pet'', ''public."Owner"'', ''{"Of"}'', children => ''{0, 1, 2}'', at_most => 3);', 'a column that is gone');
SELECT remedy FROM pegs_schema('"Owner"') WHERE source = 'pet'::regclass \gexec
SELECT is((SELECT problem FROM pegs_schema('"Owner"') WHERE source = 'pet'::regclass), 'it refers to "city" by "also", to "city" by "city", to "shop" by "shop", which cannot be NULL and have no declared values: every row has one plain value there', 'bound again');
UPDATE pet SET "Of" = id;

---- what every row must refer to is said once of each column
\setenv PGDATABASE :DBNAME
\set told `psql -XqAt -c "SET client_min_messages = notice" -c "SELECT pegs_leave_out('\"Owner\"', 'boss')" -c "SELECT pegs_fit_schema('once', '\"Owner\"', tables => ARRAY['Owner', 'pet'], epsilon => 1, delta => 1e-9)" 2>&1 | sed -n 's/^NOTICE: *//p; s/^HINT: *//p'`
SELECT is(:'told'::text, $$column "also" of table "pet" refers to table "city", is not in the model and cannot be NULL
If that table is public: SELECT pegs_set_lookup('public.pet', 'also', 'public.city', 'id'); and fit again, which is charged.
column "city" of table "pet" refers to table "city", is not in the model and cannot be NULL
If that table is public: SELECT pegs_set_lookup('public.pet', 'city', 'public.city', 'id'); and fit again, which is charged.
column "shop" of table "pet" refers to table "shop", is not in the model and cannot be NULL
ALTER TABLE public.pet ALTER COLUMN shop DROP NOT NULL; it comes out NULL then.$$, 'one NOTICE for each, and of a uuid no lookup');

---- options: another type is no table, and no error of a table that is not there
ALTER TABLE trick ALTER before DROP NOT NULL;
SELECT pegs_fit_schema('n', '"Owner"', columns => '{"pet": ["kind"]}', epsilon => 5, delta => 1e-9), pegs_release('r', 'n', 20);
SELECT is(said(format('SELECT * FROM %s', replace(call, '?', format('options => %L', format('{"table": %s}', given))))), '22023 | option "table" must be the name of a table | options => ''{"table": "Owner"}''. Its tables are: Owner, pet, trick.', call || ': ' || given)
FROM unnest(ARRAY['null', '1', 'true', '[]', '["pet"]', '{}', '{"table": "pet"}']) AS given, unnest(ARRAY['pegs_sample(''n'', 5, ?) AS t(id int)', 'pegs_sample_as(NULL::pet, ''n'', 5, ?)', 'pegs_release(''s'', ''n'', 5, ?)']) AS call;
SELECT is(said($$SELECT * FROM pegs_sample_as(NULL::pet, 'n', 5, options => '{"table": ""}')$$), '42P01 | model "n" has no table "" | Its tables are: Owner, pet, trick.', 'no name of a table');
SELECT is(said(format('SELECT * FROM pegs_sample_as(NULL::pet, ''n'', 5, options => %L)', given)) LIKE '22023 | %', true, given) FROM unnest(ARRAY['null', '[]', '"pet"', '1', '[{"table": "pet"}]', '{"table": "pet", "part": null, "parts": 2}', '{"table": "pet", "part": "1", "parts": 2}',
	'{"table": "pet", "part": [], "parts": 2}', '{"table": "pet", "part": {}, "parts": 2}', '{"table": "pet", "part": 1, "parts": null}', '{"table": "pet", "part": 1.5, "parts": 2}', '{"table": "pet", "part": 1e400, "parts": 2}', '{"": "pet"}', '{"Table": "pet"}', '{"table": "pet", "fresh": null}', '{"table": "pet", "keys": []}', '{"table": "pet", "draw": null}']) AS given;
SELECT is(said(format('SELECT pegs_fit_schema(''o'', ''"Owner"'', columns => %L, epsilon => 1)', given)) ~ '^(22023|22004) \| .*\|', true, 'columns: ' || given) FROM unnest(ARRAY['null', '[]', '"pet"', '{"pet": null}', '{"pet": "kind"}', '{"pet": []}', '{"pet": [null]}', '{"pet": [1]}', '{"pet": [["kind"]]}', '{"pet": {}}']) AS given;
SELECT is(left(said(format('SELECT pegs_fit_schema(''o'', ''"Owner"'', columns => %L, epsilon => 1)', given)), 40), words, 'columns: ' || given) FROM (VALUES ('{"pet": [""]}', '42703 | column "" of public.pet does not'), ('{"": ["kind"]}', '42P01 | columns are given of "", which i'), ('{"pet": ["kind", "kind"]}', '42701 | column "kind" is named twice | N')) AS v(given, words);

---- one lookup table that cannot be read
CREATE ROLE related_repairs_curator;
SELECT pegs_set_lookup('pet', 'code', 'codes', 'k'), pegs_set_lookup('pet', 'code2', 'more', 'k', via => '{v}');
ALTER TABLE pet OWNER TO related_repairs_curator; ALTER TABLE "Owner" OWNER TO related_repairs_curator; ALTER TABLE trick OWNER TO related_repairs_curator;
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA public TO related_repairs_curator;
GRANT SELECT ON more TO related_repairs_curator;
SET ROLE related_repairs_curator;
CREATE TEMP VIEW shown AS SELECT string_agg(concat_ws(', ', column_name, problem, remedy), ' | ') AS w FROM pegs_domain('pet') WHERE column_name IN ('code', 'code2', 'kind');
SELECT is((SELECT w FROM shown), 'code, its lookup table cannot be read: permission denied for table codes, GRANT SELECT ON public.codes TO related_repairs_curator; | code2 | kind', 'the others are shown, and why that one is not');
SELECT is((SELECT array_agg(p) FROM pegs_propose('pet') AS p WHERE p LIKE '-- code%'), '{"-- code: its lookup table cannot be read: permission denied for table codes; GRANT SELECT ON public.codes TO related_repairs_curator;"}', 'pegs_propose, too');
SELECT is((SELECT count(*) FROM pegs_levels('pet', 'kind')), 2::bigint, 'levels of another');
SELECT is(said($$SELECT pegs_levels('pet', 'code')$$), '42501 | column "code" cannot be used: its lookup table cannot be read: permission denied for table codes | GRANT SELECT ON public.codes TO related_repairs_curator;', 'not of that one');
SELECT is(said($$SELECT pegs_fit('p', 'pet', ARRAY['kind'], epsilon => 1)$$), 'ok', 'nor does a fit of others need it');
SELECT is(said($$SELECT pegs_fit('q', 'pet', ARRAY['kind', 'code'], epsilon => 1)$$), '42501 | column "code" cannot be used: its lookup table cannot be read: permission denied for table codes | GRANT SELECT ON public.codes TO related_repairs_curator; Or name the columns to use: columns => ARRAY[...].', 'one of it is refused as one without the right');
SELECT is((SELECT count(*) FROM pegs_schema('"Owner"')), 3::bigint, 'pegs_schema reads none');
SELECT is((SELECT pegs_facts('pet') -> 'columns' -> 'code' ->> 'lookup'), 'public.codes', 'nor does pegs_facts');
RESET ROLE;
REVOKE SELECT ON more FROM related_repairs_curator;
SET ROLE related_repairs_curator;
SELECT is((SELECT w FROM shown) LIKE '%| code2, its lookup table cannot be read: permission denied for table more, GRANT SELECT ON public.more TO %', true, 'via, too');
RESET ROLE;
SELECT remedy_of('pet', 'code');
GRANT SELECT ON public.codes TO related_repairs_curator; GRANT SELECT ON public.more TO related_repairs_curator;
SET ROLE related_repairs_curator;
SELECT is((SELECT w FROM shown), 'code | code2 | kind', 'as the remedy says');
RESET ROLE;
ALTER TABLE codes ENABLE ROW LEVEL SECURITY;
SET ROLE related_repairs_curator;
SELECT is((SELECT w FROM shown), 'code, its lookup table cannot be read: its row security applies to you, CREATE TABLE my_copy AS SELECT * FROM public.codes; copies the rows that you may read. Declare that table. | code2 | kind', 'row security');
RESET ROLE;
-- it is read as its owner, whom that may bind, too, or who has no right to it any more
ALTER TABLE codes FORCE ROW LEVEL SECURITY; ALTER TABLE codes OWNER TO related_repairs_curator; ALTER TABLE more OWNER TO related_repairs_curator;
ALTER TABLE more ENABLE ROW LEVEL SECURITY; ALTER TABLE more FORCE ROW LEVEL SECURITY;
SET ROLE related_repairs_curator;
CREATE FUNCTION pg_temp.pasted(which name) RETURNS text LANGUAGE plpgsql AS $$ DECLARE r text; BEGIN
	SELECT problem || ' | ' || remedy INTO STRICT r FROM pegs_domain('pet') WHERE column_name = which;
	EXECUTE split_part(r, ' | ', 2); RETURN r; END $$;
SELECT is(said($$SELECT pegs_fit('forced', 'pet', ARRAY['kind'], epsilon => 1)$$), 'ok', 'row security of the owner: a fit of other columns');
SELECT is(said($$SELECT pegs_fit('forced 2', 'pet', ARRAY['kind', 'code2'], epsilon => 1)$$), '42501 | column "code2" cannot be used: its lookup table cannot be read: query would be affected by row-level security policy for table "more" | ALTER TABLE public.more NO FORCE ROW LEVEL SECURITY; Or name the columns to use: columns => ARRAY[...].', 'and of that one');
SELECT is(pg_temp.pasted('code'), 'its lookup table cannot be read: query would be affected by row-level security policy for table "codes" | ALTER TABLE public.codes NO FORCE ROW LEVEL SECURITY;', 'levels of it');
SELECT is(pg_temp.pasted('code2'), 'its lookup table cannot be read: query would be affected by row-level security policy for table "more" | ALTER TABLE public.more NO FORCE ROW LEVEL SECURITY;', 'via');
SELECT is((SELECT w FROM shown), 'code | code2 | kind', 'pasted');
REVOKE ALL ON codes, more FROM related_repairs_curator; GRANT SELECT (k) ON codes, more TO related_repairs_curator;
SELECT is((SELECT w FROM shown), 'code | code2, its lookup table cannot be read: permission denied for table more, GRANT SELECT ON public.more TO related_repairs_curator; | kind', 'rights that its owner has taken from himself, column by column');
SELECT is(pg_temp.pasted('code2') || (SELECT w FROM shown), 'its lookup table cannot be read: permission denied for table more | GRANT SELECT ON public.more TO related_repairs_curator;code | code2 | kind', 'pasted, too');
GRANT SELECT ON codes TO related_repairs_curator;
RESET ROLE;
ALTER TABLE codes OWNER TO CURRENT_USER; GRANT SELECT ON codes TO related_repairs_curator;
ALTER TABLE codes DISABLE ROW LEVEL SECURITY; CREATE SCHEMA hidden; ALTER TABLE codes SET SCHEMA hidden;
SET ROLE related_repairs_curator;
SELECT is((SELECT w FROM shown), 'code, its lookup table cannot be read: permission denied for schema hidden, GRANT USAGE ON SCHEMA hidden TO related_repairs_curator; | code2 | kind', 'a schema');
RESET ROLE;
DROP TABLE hidden.codes;
SELECT is((SELECT problem FROM pegs_domain('pet') WHERE column_name = 'code'), 'no declared domain', 'dropped: what was declared by it went with it');
ALTER EVENT TRIGGER pegs_table_dropped DISABLE;
DROP TABLE more;
ALTER EVENT TRIGGER pegs_table_dropped ENABLE;
SELECT is((SELECT problem FROM pegs_domain('pet') WHERE column_name = 'code2'), 'its lookup table or column is gone', 'or it says so');
DROP OWNED BY related_repairs_curator CASCADE; DROP ROLE related_repairs_curator;

---- a link by a uuid: no lookup is of it
CREATE TABLE guest (id int PRIMARY KEY, a text NOT NULL CHECK (a IN ('x', 'y')));
CREATE TABLE likes (guest int REFERENCES guest, shop uuid REFERENCES shop, b boolean NOT NULL, PRIMARY KEY (guest, shop));
SELECT pegs_set_parent('likes', 'guest', children => '{0, 1}', at_most => 1), pegs_set_budget('guest', 10);
SELECT is((SELECT concat_ws(' | ', problem, remedy) FROM pegs_schema('guest') WHERE depth = 1), 'its key refers to "shop" by "shop", of which no lookup can be: it has several columns, or a type whose values are not told apart one by one', 'pegs_schema, with nothing to paste');
SELECT is(said($$SELECT pegs_fit_schema('l', 'guest', epsilon => 1)$$), '0A000 | column "shop" of table "likes" is a part of its key, and a reference to table "shop" | Keys are made anew as running numbers, and a number there would be another row.'
	' | Leave it out: name the other tables, tables => ARRAY[''guest'']. Or give "likes" a primary key of its own, which refers to nothing, in place of this one.', 'and a fit says what can be done');
SELECT is(said($$SELECT pegs_fit_schema('l', 'guest', tables => ARRAY['guest'], epsilon => 1)$$), 'ok', 'pasted');

---- the ledger names the unit of related tables in words; whoever compares units takes them for one
CREATE TABLE person (id int PRIMARY KEY, a text NOT NULL CHECK (a IN ('x', 'y')));
CREATE TABLE visit (id int PRIMARY KEY, person int REFERENCES person, b text NOT NULL CHECK (b IN ('x', 'y')), c boolean NOT NULL);
INSERT INTO person SELECT i, 'x' FROM generate_series(1, 50) AS i; INSERT INTO visit SELECT id, id, 'y', true FROM person;
SELECT pegs_set_parent('visit', 'person', children => '{0, 1}', at_most => 1), pegs_set_budget('person', 100, 1e-6);
SELECT pegs_fit('v1', 'visit', '{b, c}', epsilon => 1), pegs_fit('v2', 'visit', '{b, c}', epsilon => 2), pegs_fit('p1', 'person', '{a}', epsilon => 1);
SELECT pegs_best('visit', '{v1, v2}', 1);
SELECT pegs_fit_schema('both', 'person', epsilon => 1, delta => 1e-9);
SELECT is((SELECT string_agg(action || ': ' || unit, '; ' ORDER BY epsilon_to) FROM pegs_ledger WHERE source = 'person'::regclass), 'fit: a row of person with every row of visit that refers to it, however many; fit: a row of person with every row of visit that refers to it, however many; fit: row; '
	'choice: a row of person with every row of visit that refers to it, however many; fit: a row of person with every row of visit that refers to it, however many', 'each charge');
SELECT is((SELECT mixed_units FROM pegs_budgets WHERE source = 'person'::regclass), false, 'which is one unit');
SELECT is(pegs_describe('v1') ->> 'choice_epsilon', '1', 'a choice is told');
SELECT unalike(pegs_describe('v1') ->> 'choice', '%another unit%', 'and protects the same');
UPDATE pegs_internal.ledger SET unit = 'row' WHERE unit LIKE 'a row of %';
SELECT is((SELECT (mixed_units, count(*))::text FROM pegs_budgets CROSS JOIN pegs_ledger AS l WHERE pegs_budgets.source = 'person'::regclass AND l.source = 'person'::regclass GROUP BY mixed_units), '(f,6)', 'lines of before are read as they are');
SELECT unalike(pegs_describe('v1') ->> 'choice', '%another unit%', 'a choice of before, too');

---- a table that others are bound to, and that cannot be let go anyway: the first error says so
CREATE TABLE client (id int PRIMARY KEY, k text CHECK (k IN ('a'))); CREATE TABLE rental (id int PRIMARY KEY, client int REFERENCES client, k text CHECK (k IN ('a'))); CREATE TABLE paid (id int PRIMARY KEY, rental int REFERENCES rental, k text CHECK (k IN ('a')));
SELECT pegs_set_parent('rental', 'client', children => '{0, 1}', at_most => 1), pegs_set_parent('paid', 'rental', children => '{0, 1}', at_most => 1), pegs_set_budget('client', 10);
SELECT is(said($$SELECT pegs_set_parent('rental', NULL)$$), '55000 | table "paid" is bound to "rental" | The account that pays for both would be another, and nobody would know what was spent on the rows before.'
	' | Let it go first: SELECT pegs_set_parent(''public.paid'', NULL);', 'nothing was spent: what is below it is let go first');
SELECT pegs_fit_schema('rentals', 'client', epsilon => 1);
SELECT matches(said($$SELECT pegs_set_parent('rental', NULL)$$), '^55000 \| the account of "client" has spent since "rental" was bound to it', 'it was: nothing is proposed that is refused');
DROP TABLE client CASCADE;
SELECT unalike(said($$SELECT pegs_set_parent('rental', NULL)$$), '%Let it go first%', 'nor where the root is gone');

---- a model of tables of which one was renamed, moved, or has lost a column
CREATE TABLE visitor (id int PRIMARY KEY, k text CHECK (k IN ('a'))); CREATE TABLE night (id int PRIMARY KEY, visitor int REFERENCES visitor, k text CHECK (k IN ('a')), l boolean);
INSERT INTO visitor SELECT i, 'a' FROM generate_series(1, 20) AS i; INSERT INTO night SELECT i, i, 'a', true FROM generate_series(1, 20) AS i;
SELECT pegs_set_parent('night', 'visitor', children => '{0, 1}', at_most => 1), pegs_set_budget('visitor', 100);
SELECT pegs_fit_schema('nights', 'visitor', epsilon => 1);
ALTER TABLE night RENAME COLUMN l TO m;
SELECT is(said($$SELECT pegs_refit('nights')$$), '42703 | model "nights" cannot be fitted anew: public.night has no column "l" any more | Nothing was charged. | ALTER TABLE public.night RENAME COLUMN m TO l; gives it that name again. Or make another model of the columns that there are, and grant it again: '
	'BEGIN; SELECT pegs_drop(''nights''); SELECT pegs_fit_schema(''nights'', ''public.visitor'', ARRAY[''visitor'', ''night''], ''{"visitor": ["k"], "night": ["k", "m"]}'', epsilon => 1, delta => 0); COMMIT;', 'a column that is gone');
ALTER TABLE night RENAME COLUMN m TO l; ALTER TABLE night RENAME TO stay;
SELECT is(said($$SELECT pegs_refit('nights')$$), '42P01 | model "nights" is of a table "night", which is not bound to "visitor" any more | It was renamed, dropped or let go after the fit. Nothing was charged.'
	' | If it is "stay" now, give it its name again: ALTER TABLE public.stay RENAME TO night; Or make a model of the tables that there are: SELECT pegs_fit_schema(''nights, as it is now'', ''public.visitor'', epsilon => 1, delta => 0);', 'a table that was renamed');
ALTER TABLE stay RENAME TO night; CREATE SCHEMA elsewhere; ALTER TABLE night SET SCHEMA elsewhere;
SELECT is(said($$SELECT pegs_copy_sql('nights', 'copied')$$), '42P01 | there is no table public.night, of which "nights" has rows | A copy has its columns and constraints.'
	' | It is elsewhere.night now: ALTER TABLE elsewhere.night SET SCHEMA public; Or views, which need no table: SELECT pegs_view_sql(''nights'', ''...'');', 'one that was moved: a copy says where it is');
ALTER TABLE elsewhere.night SET SCHEMA public; ALTER TABLE visitor RENAME TO caller;
SELECT is(said($$SELECT pegs_copy_sql('nights', 'copied')$$), '42P01 | there is no table public.visitor, of which "nights" has rows | A copy has its columns and constraints.'
	' | It is public.caller now: ALTER TABLE public.caller RENAME TO visitor; Or views, which need no table: SELECT pegs_view_sql(''nights'', ''...'');', 'and the root that was renamed');
ALTER TABLE caller RENAME TO visitor;
SELECT is(said($$SELECT pegs_refit('nights')$$), 'ok', 'all of them put back');

---- rows that are asked for without a table, or of a model where a release is: the hint is of the row type that was named, and runs
SELECT is(said($$SELECT * FROM pegs_sample_as(NULL::night, 'nights', 7)$$), '0A000 | model "nights" is of several tables: visitor, night | Rows are of one of them.'
	' | SELECT * FROM pegs_sample_as(NULL::public.night, ''nights'', 7, options => ''{"table": "night"}'');', 'of a table below the root, with n');
SELECT is(said($$SELECT pegs_sample_as(NULL::night, 'nights')$$), '0A000 | model "nights" is of several tables: visitor, night | Rows are of one of them.'
	' | SELECT * FROM pegs_sample_as(NULL::public.night, ''nights'', options => ''{"table": "night"}'');', 'in the select list, without');
SELECT pegs_release('kept', 'nights', 5);
SELECT is(said($$SELECT * FROM pegs_rows_as(NULL::night, 'kept')$$), '0A000 | release "kept" is of several tables: visitor, night | Rows are of one of them. | SELECT * FROM pegs_rows_as(NULL::public.night, ''kept'', ''night'');', 'of a release');
SELECT is(said($$SELECT * FROM pegs_rows_as(NULL::night, 'nights', 'night')$$), '42809 | "nights" is a model, and a release is asked for'
	' | Its rows: SELECT * FROM pegs_sample_as(NULL::public.visitor, ''nights'', options => ''{"table": "visitor"}''); Releases of it: SELECT name FROM pegs_releases WHERE model = ''nights'';', 'a model where a release is asked for');
SELECT is(said($$SELECT * FROM pegs_sample_as(NULL::night, 'kept')$$), '42809 | "kept" is a release, and a model is asked for'
	' | Its rows: SELECT * FROM pegs_rows_as(NULL::public.visitor, ''kept'', ''visitor''); Its model: SELECT model FROM pegs_releases WHERE name = ''kept'';', 'and the other way round');
SELECT is(said(s), 'ok', s) FROM unnest(ARRAY[$$SELECT * FROM pegs_sample_as(NULL::public.night, 'nights', 7, options => '{"table": "night"}')$$, $$SELECT * FROM pegs_rows_as(NULL::public.night, 'kept', 'night')$$,
	$$SELECT * FROM pegs_sample_as(NULL::public.visitor, 'nights', options => '{"table": "visitor"}')$$, $$SELECT * FROM pegs_rows_as(NULL::public.visitor, 'kept', 'visitor')$$]) AS s;

---- a column of the model that was renamed, and is filled
UPDATE night SET k = 'a'; ALTER TABLE night ALTER k SET NOT NULL; ALTER TABLE night RENAME k TO kind;
\set told `psql -XqAt -c "SET client_min_messages = notice" -c "SELECT count(*) FROM pegs_rows_as(NULL::night, 'kept', 'night')" 2>&1 | grep -v '^[0-9]'`
SELECT is(:'told'::text, E'NOTICE:  columns of table "night" that are not in the model are filled: "kind"\nDETAIL:  They are NOT NULL: every row has the same plain value, which says nothing.'
	'\nHINT:  The model has "k", which the table has not. If one of these was renamed, give it its name again: ALTER TABLE public.night RENAME COLUMN ... TO ...;', 'a NOTICE says what the model has by another name');
ALTER TABLE night RENAME kind TO k; ALTER TABLE night ADD COLUMN more int NOT NULL DEFAULT 1;
\set told `psql -XqAt -c "SET client_min_messages = notice" -c "SELECT count(*) FROM pegs_rows_as(NULL::night, 'kept', 'night')" 2>&1 | grep -c HINT`
SELECT is(:'told'::text, '0', 'and says nothing of it where all are there');
SELECT * FROM finish();
