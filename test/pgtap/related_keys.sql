-- References of related tables beside that by which they are bound: never numbered, never another row; and copies that destroy nothing.
SET client_min_messages = warning;
CREATE EXTENSION pegs;
SELECT * FROM no_plan();
\ir lib/said.sql
-- what stands in a hint is run as it stands
CREATE FUNCTION hinted(statement text, part text) RETURNS SETOF text LANGUAGE sql AS $$ SELECT regexp_split_to_table(rtrim(substring(said(statement) FROM part), ';'), '; ') $$;

---- a reference that is a uuid, or unique, is no number of a row
CREATE TABLE shop (id uuid PRIMARY KEY);
CREATE TABLE city (id int PRIMARY KEY);
CREATE TABLE client (id uuid PRIMARY KEY, referred_by uuid REFERENCES client, best uuid UNIQUE REFERENCES client, shop uuid REFERENCES shop, city int REFERENCES city, sex text NOT NULL CHECK (sex IN ('F', 'M')));
CREATE TABLE purchase (id uuid PRIMARY KEY, client uuid NOT NULL REFERENCES client, gift_to uuid REFERENCES client, tag uuid, kind text NOT NULL CHECK (kind IN ('x', 'y')));
INSERT INTO client SELECT gen_random_uuid(), NULL, NULL, NULL, NULL, 'F' FROM generate_series(1, 100);
INSERT INTO purchase SELECT gen_random_uuid(), id, id, gen_random_uuid(), 'x' FROM client;
SELECT pegs_set_parent('purchase', 'client', '{client}', children => '{0, 1, 2}', at_most => 3);
SELECT pegs_set_budget('client', epsilon => 1e5, delta => 1e-3, accounting => 'sum');
SELECT pegs_fit_schema('uuids', 'client', epsilon => 50, delta => 1e-9);
SELECT is((SELECT count(*) FILTER (WHERE id IS NOT NULL) || ', ' || count(referred_by) + count(best) + count(shop) FROM pegs_sample_as(NULL::client, 'uuids', 50, options => '{"table": "client"}')), '50, 0', 'a uuid that is a reference has no number');
SELECT is((SELECT count(gift_to) || ', ' || (count(*) = count(tag) AND count(*) = count(client) AND count(*) > 20) FROM pegs_sample_as(NULL::purchase, 'uuids', 50, options => '{"table": "purchase"}')), '0, true', 'nor has a second one; what is no reference has');
SELECT is((SELECT remedy FROM pegs_domain('client') WHERE column_name = 'shop'), 'Leave the column out: keys of type uuid are no levels, so no model has them.', 'it is a reference before it is a key, of a type that no lookup takes');
SELECT ok((SELECT bool_or(p = '-- shop refers to table "shop", and is left out: keys of type uuid are no levels, so no model has them.') FROM pegs_propose('client') AS p), 'pegs_propose says so');
SELECT is(said($$SELECT pegs_set_lookup('client', 'shop', 'shop', 'id')$$), '0A000 | column "shop" cannot be used: type uuid is not supported | Supported are text, varchar, char, boolean, integers, numeric, float, date, timestamp and enum types. | What a view can make of it: SELECT remedy FROM pegs_domain(''public.client'') WHERE column_name = ''shop'';', 'nor does any');
CREATE TABLE lone (id int PRIMARY KEY, shop uuid REFERENCES shop, v text NOT NULL CHECK (v IN ('x', 'y')));
SELECT pegs_set_budget('lone', epsilon => 10); SELECT pegs_fit('lone', 'lone', '{v}', epsilon => 1);
SELECT is((SELECT count(id) || ', ' || count(shop) FROM pegs_sample_as(NULL::lone, 'lone', 5, options => '{"keys": "number"}')), '5, 0', 'of one table, too');
CREATE VIEW seen_lone AS SELECT shop, v FROM lone;
SELECT is((SELECT problem FROM pegs_domain('seen_lone') WHERE column_name = 'shop'), 'it is a reference to table "shop"', 'through a view');

---- a lookup that is declared after the fit, of a column that it does not have
SELECT pegs_set_lookup('client', 'city', 'city', 'id');
SELECT is(said($$SELECT * FROM pegs_utility_schema_of('uuids')$$), 'ok', 'what was counted is compared');
SELECT alike(said($$SELECT pegs_refit('uuids')$$), '55000 | a declaration, a key or a table has changed since model "uuids" was fitted | What is not protected is another: a row of public.city in the rows of client that refer to it by city. Rows of the model can still be drawn. | Put it back; or fit another, which is charged: SELECT pegs_fit_schema(''...'', ''public.client'', epsilon => 50, delta => 0.000000001);', 'anew it would say something else of the reference');
SELECT pegs_unset('client', 'city');
ALTER TABLE client DROP CONSTRAINT client_sex_check, ADD CHECK (sex IN ('F', 'M', 'X'));
SELECT alike(said($$SELECT * FROM pegs_utility_schema_of('uuids')$$), '55000 | % | Columns, levels or bins are others in "client". Rows %', 'which table is another');

---- a reference that cannot be NULL
CREATE TABLE customer (customer_id int PRIMARY KEY, sex text NOT NULL CHECK (sex IN ('F', 'M')));
CREATE TABLE rental (rental_id int PRIMARY KEY, customer_id int NOT NULL REFERENCES customer, at text NOT NULL CHECK (at IN ('am', 'pm')), UNIQUE (customer_id, at));
CREATE TABLE payment (payment_id int PRIMARY KEY, rental_id int NOT NULL REFERENCES rental, customer_id int NOT NULL REFERENCES customer, much boolean NOT NULL);
INSERT INTO customer SELECT i, 'F' FROM generate_series(1, 100) AS i;
INSERT INTO rental SELECT i, i, 'am' FROM generate_series(1, 100) AS i;
INSERT INTO payment SELECT i, i, i, true FROM generate_series(1, 100) AS i;
SELECT pegs_set_budget('customer', epsilon => 1e5, delta => 1e-3, accounting => 'sum');
SELECT pegs_set_parent('rental', 'customer', children => '{0, 1, 2}', at_most => 3), pegs_set_parent('payment', 'rental', children => '{0, 1, 2}', at_most => 2);
CREATE FUNCTION fits(name text) RETURNS text LANGUAGE sql AS $$ SELECT said(format('SELECT pegs_fit_schema(%L, ''customer'', epsilon => 50, delta => 1e-9)', name)) $$;
SELECT is(fits('dvd'), '0A000 | column "customer_id" of table "payment" refers to "customer", too, and cannot be NULL | It is not modelled: every row would have the same plain value there, which is no row of "customer".'
	' | If it is always the row of "customer" that its own belongs to, before anything is charged: ALTER TABLE public.rental ADD UNIQUE (rental_id, customer_id); ALTER TABLE public.payment ADD FOREIGN KEY (rental_id, customer_id) REFERENCES public.rental (rental_id, customer_id) NOT VALID;'
	' SELECT pegs_set_parent(''public.payment'', NULL); SELECT pegs_set_parent(''public.payment'', ''public.rental'', ''{rental_id, customer_id}'', children => ''{0, 1, 2}'', at_most => 2); Or it comes out NULL: ALTER TABLE public.payment ALTER COLUMN customer_id DROP NOT NULL;', 'refused, with what repairs it');
SELECT is((SELECT spent FROM pegs_budgets WHERE source = 'customer'::regclass), 0::numeric, 'before a charge');
SELECT is((SELECT problem || (remedy LIKE '-- if it is always the row of "customer"%ADD UNIQUE%') FROM pegs_schema('customer') WHERE source = 'payment'::regclass), 'it refers to "customer", too, by "customer_id", which cannot be NULL: no model has ittrue', 'pegs_schema says so');
SELECT hinted($$SELECT pegs_fit_schema('dvd', 'customer', epsilon => 50, delta => 1e-9)$$, 'charged: (.*) Or it comes') \gexec
SELECT is(fits('dvd'), 'ok', 'after these statements it is fitted');
SELECT is((SELECT count(*) || ', ' || count(r.rental_id) FROM pegs_sample_as(NULL::payment, 'dvd', 100, options => '{"table": "payment"}') AS p
	LEFT JOIN pegs_sample_as(NULL::rental, 'dvd', 100, options => '{"table": "rental"}') AS r USING (rental_id, customer_id)), (SELECT count(*) || ', ' || count(*) FROM pegs_sample_as(NULL::payment, 'dvd', 100, options => '{"table": "payment"}')), 'a payment is of the customer of its rental');
SELECT is((SELECT string_agg(problem, '; ') FROM pegs_schema('customer')), NULL, 'the same row by another key is none that is not protected');
SELECT is(pegs_describe('dvd') -> 'not_covered', NULL, 'nor in the certificate');
SELECT is(pegs_describe('dvd') ->> 'may_repeat', '["rows of rental may repeat (customer_id, at), which the original has unique"]', 'what may repeat, in words');
CREATE TABLE gift (id int PRIMARY KEY, c int NOT NULL REFERENCES customer, to_c int NOT NULL REFERENCES customer, v text NOT NULL CHECK (v IN ('x', 'y')));
SELECT pegs_set_parent('gift', 'customer', '{c}', children => '{0, 1, 2}', at_most => 3);
SELECT is(fits('gifts'), '0A000 | column "to_c" of table "gift" refers to "customer", too, and cannot be NULL | It is not modelled: every row would have the same plain value there, which is no row of "customer". | ALTER TABLE public.gift ALTER COLUMN to_c DROP NOT NULL; it comes out NULL then.', 'to another customer');
ALTER TABLE gift ALTER COLUMN to_c DROP NOT NULL;
SELECT is(fits('gifts'), 'ok', 'it comes out NULL');
SELECT is(pegs_describe('gifts') ->> 'not_covered', '["a row of public.customer in the rows of gift that refer to it by to_c"]', 'and is not protected');
SELECT is((SELECT problem FROM pegs_schema('customer') WHERE source = 'gift'::regclass), 'it refers to "customer", too: that row is not protected in its rows', 'as pegs_schema says');

---- keys of two columns and more
CREATE TABLE house (a int, b int, in_a int NOT NULL, in_b int NOT NULL, sex text NOT NULL CHECK (sex IN ('F', 'M')), PRIMARY KEY (a, b), FOREIGN KEY (in_a, in_b) REFERENCES house);
CREATE TABLE room (a int, b int, bed int, row_ int, x_a int NOT NULL, x_b int NOT NULL, v text NOT NULL CHECK (v IN ('x', 'y')), PRIMARY KEY (a, b, bed, row_), UNIQUE (a, b, bed, row_, v), UNIQUE (bed, row_), FOREIGN KEY (a, b) REFERENCES house, FOREIGN KEY (x_a, x_b) REFERENCES house);
CREATE TABLE door (id int PRIMARY KEY, a int NOT NULL, b int NOT NULL, bed int NOT NULL, row_ int NOT NULL, to_ int NOT NULL, w text NOT NULL CHECK (w IN ('x', 'y')),
	FOREIGN KEY (a, b, bed, row_) REFERENCES room, FOREIGN KEY (a, b, bed, to_) REFERENCES room, FOREIGN KEY (a, b) REFERENCES house);
INSERT INTO house SELECT i, 1, i, 1, 'F' FROM generate_series(1, 100) AS i;
INSERT INTO room SELECT i, 1, i, 1, i, 1, 'x' FROM generate_series(1, 100) AS i;
INSERT INTO door SELECT i, i, 1, i, 1, 1, 'x' FROM generate_series(1, 100) AS i;
SELECT pegs_set_parent('room', 'house', '{a, b}', children => '{0, 1, 2}', at_most => 3), pegs_set_parent('door', 'room', '{a, b, bed, row_}', children => '{0, 1, 2}', at_most => 2);
SELECT pegs_set_budget('house', epsilon => 1e5, delta => 1e-3, accounting => 'sum');
SELECT pegs_leave_out('house', c) FROM unnest('{in_a, in_b}'::name[]) AS c; SELECT pegs_leave_out('room', c) FROM unnest('{x_a, x_b}'::name[]) AS c; SELECT pegs_leave_out('door', 'to_');
CREATE FUNCTION houses() RETURNS text LANGUAGE sql AS $$ SELECT said('SELECT pegs_fit_schema(''houses'', ''house'', epsilon => 50, delta => 1e-9)') $$;
SELECT matches(houses(), '^0A000 \| table "house" refers to itself \| .*"in_a" cannot be NULL', 'to itself by two columns');
ALTER TABLE house ALTER in_b DROP NOT NULL;
SELECT matches(houses(), '^0A000 \| column "x_b" of table "room" refers to "house", too, and cannot be NULL', 'one that may be NULL is enough; a second reference by two');
ALTER TABLE room ALTER x_a DROP NOT NULL;
SELECT matches(houses(), '^0A000 \| column "to_" of table "door" refers to "room", too, and cannot be NULL', 'there, too; one of which a part alone is the same row');
ALTER TABLE door ALTER to_ DROP NOT NULL;
SELECT is(houses(), 'ok', 'what may be NULL is');
SELECT is(pegs_describe('houses') -> 'not_covered', '["a row of public.house in the rows of house that refer to it by in_a, in_b", "a row of public.house in the rows of room that refer to it by x_a, x_b", "a row of public.room in the rows of door that refer to it by a, b, bed, to_"]', 'each with all its columns; what is the same row is none of them');
SELECT is(pegs_certificate('houses') ->> 'not_protected' LIKE '%; a row of public.room in the rows of door that refer to it by a, b, bed, to\_', true, 'the certificate says so');
SELECT is(pegs_describe('houses') -> 'may_repeat', '["rows of room may repeat (bed, row_), which the original has unique"]', 'lines repeat among parents alone');
ALTER TABLE door ADD CONSTRAINT by_line FOREIGN KEY (bed, row_) REFERENCES room (bed, row_);
SELECT pegs_copy_sql('houses', 'built') \gexec
SELECT is((SELECT array_agg(pg_get_constraintdef(oid) ORDER BY cardinality(conkey)) FROM pg_constraint WHERE conrelid = 'built.door'::regclass AND contype = 'f'),
	'{"FOREIGN KEY (a, b) REFERENCES built.house(a, b)","FOREIGN KEY (a, b, bed, row_) REFERENCES built.room(a, b, bed, row_)"}', 'references to the same row, too; none to another, nor by what may repeat');
SELECT is((SELECT array_agg(d ORDER BY d) FROM pg_constraint CROSS JOIN LATERAL pg_get_constraintdef(oid) AS c(d) WHERE conrelid = 'built.room'::regclass AND contype IN ('p', 'u', 'f')),
	'{"FOREIGN KEY (a, b) REFERENCES built.house(a, b)","PRIMARY KEY (a, b, bed, row_)","UNIQUE (a, b, bed, row_, v)"}', 'a copy has all others');
SELECT ok((SELECT count(*) > 50 AND bool_and(to_ IS NULL) FROM built.door JOIN built.room USING (a, b, bed, row_) JOIN built.house USING (a, b)), 'and they join');

---- tables that link rows of two others
CREATE TABLE film (id int PRIMARY KEY, v text NOT NULL CHECK (v IN ('x', 'y')));
CREATE TABLE category (id int PRIMARY KEY);
CREATE TABLE film_category (film int REFERENCES film, category int REFERENCES category, main boolean NOT NULL, PRIMARY KEY (film, category));
INSERT INTO film SELECT i, 'x' FROM generate_series(1, 100) AS i; INSERT INTO category VALUES (1), (2);
INSERT INTO film_category SELECT i, 2, true FROM generate_series(1, 100) AS i;
SELECT pegs_set_parent('film_category', 'film', children => '{0, 1, 2}', at_most => 3);
SELECT pegs_set_budget('film', epsilon => 1e5, delta => 1e-3, accounting => 'sum');
CREATE FUNCTION films() RETURNS text LANGUAGE sql AS $$ SELECT said('SELECT pegs_fit_schema(''films'', ''film'', epsilon => 50, delta => 1e-9)') $$;
SELECT matches(films(), '^0A000 \| column "category" of table "film_category" is a part of its key, and a reference to table "category" \|', 'a link to what is not declared public is refused');
SELECT pegs_set_lookup('film_category', 'category', 'category', 'id');
SELECT is(films(), '55000 | rows of one parent could agree in the key of table "film_category" | A parent may have 3 rows, and "category" has 2 values. | SELECT pegs_set_parent(''public.film_category'', ''public.film'', children => ''{0, 1, 2}'', at_most => 2);', 'and one with more rows than there are values: related_links.sql');
ALTER TABLE film_category DROP CONSTRAINT film_category_pkey, ADD COLUMN id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, ADD UNIQUE (film, category);
SELECT is(films(), 'ok', 'with a key of its own it is fitted');
SELECT ok((SELECT count(*) FILTER (WHERE category = 2) > 0.9 * count(*) FROM pegs_sample_as(NULL::film_category, 'films', 100, options => '{"table": "film_category"}')), 'and the link is what it was');

---- a copy destroys nothing
SELECT pegs_release('r1', 'dvd', 50);
SELECT is(said(format('SELECT %s(''r1'', ''public'')', f)), '42P07 | relation "customer" already exists in schema "public" | CREATE would fail, and the statements behind it would be of what is there. | Name another schema: it is made, if there is none. What is there was not made by such statements.', f || ' into the schema of the originals') FROM unnest('{pegs_copy_sql, pegs_view_sql}'::text[]) AS f;
SELECT is(said(format('SELECT pegs_copy_sql(''r1'', %L)', s)), format('42939 | schema "%s" is the system''s own | Name another schema: it is made, if there is none.', s), s) FROM unnest('{pg_catalog, information_schema, pegs_internal, pg_temp}'::text[]) AS s;
SELECT pegs_copy_sql('r1', 'copied') \gexec
SELECT is(obj_description('copied.rental'::regclass), 'synthetic, epsilon 50, delta 0.000000001, see pegs_certificate(''r1'')', 'what a copy says of itself');
CREATE TABLE copied.of_somebody (id int); INSERT INTO copied.of_somebody VALUES (1);
SELECT is(said($$SELECT pegs_copy_sql('r1', 'copied')$$), '42P07 | relation "customer" already exists in schema "copied" | CREATE would fail, and the statements behind it would be of what is there. | Name another schema. Or, if these are older ones of the same: DROP TABLE copied.customer, copied.rental, copied.payment;', 'an older copy: its tables alone');
SELECT hinted($$SELECT pegs_copy_sql('r1', 'copied')$$, 'same: (.*)$') \gexec
SELECT is((SELECT count(*) FROM copied.of_somebody), 1::bigint, 'what else is there stays');
SELECT pegs_copy_sql('r1', 'copied') \gexec
SELECT ok((SELECT count(*) > 20 FROM copied.payment JOIN copied.rental USING (rental_id, customer_id)), 'and it is made again');
SELECT is((SELECT array_agg(pg_get_constraintdef(oid) ORDER BY conkey) FROM pg_constraint WHERE conrelid = 'copied.payment'::regclass AND contype = 'f'),
	'{"FOREIGN KEY (rental_id) REFERENCES copied.rental(rental_id)","FOREIGN KEY (rental_id, customer_id) REFERENCES copied.rental(rental_id, customer_id)","FOREIGN KEY (customer_id) REFERENCES copied.customer(customer_id)"}', 'with all three references of a payment');

---- a key of two columns that is gone
ALTER TABLE payment DROP CONSTRAINT payment_rental_id_customer_id_fkey;
SELECT is((SELECT problem || ': ' || remedy FROM pegs_schema('customer') WHERE source = 'payment'::regclass), 'its foreign key is gone: ALTER TABLE public.payment ADD FOREIGN KEY (rental_id, customer_id) REFERENCES public.rental (rental_id, customer_id) NOT VALID;', 'what it referred to is no primary key');
SELECT remedy FROM pegs_schema('customer') WHERE source = 'payment'::regclass \gexec
SELECT is((SELECT string_agg(problem, '; ') FROM pegs_schema('customer') WHERE source = 'payment'::regclass), NULL, 'the remedy repairs it');
CREATE TABLE tip (rental_id int, customer_id int, at text);
SELECT is(said($$SELECT pegs_set_parent('tip', 'rental', '{rental_id, customer_id}')$$), '55000 | no foreign key of table "tip" on (rental_id, customer_id) refers to "rental" | Whose rows they are is read from the catalog.'
	' | ALTER TABLE public.tip ADD FOREIGN KEY (rental_id, customer_id) REFERENCES public.rental (rental_id, customer_id) NOT VALID; is enough: rows that are there are not checked.', 'where there was none');
SELECT alike(said($$SELECT pegs_set_parent('tip', 'rental', '{rental_id, at}')$$), '%| ALTER TABLE public.rental ADD UNIQUE (rental_id, at); ALTER TABLE public.tip ADD FOREIGN KEY (rental_id, at) REFERENCES public.rental (rental_id, at) NOT VALID; is enough: %', 'and no key has such columns');
COMMENT ON TABLE copied.rental IS 'synthetic, epsilon 1, by hand';
SELECT alike(said($$SELECT pegs_copy_sql('r1', 'copied')$$), '%| Name another schema: it is made, if there is none.%', 'a comment that begins as one of them is none');
COMMENT ON TABLE copied.rental IS NULL;
SELECT alike(said($$SELECT pegs_copy_sql('r1', 'copied')$$), '%| Name another schema: it is made, if there is none.%', 'no DROP, where one of them is of somebody else');
SELECT ok((SELECT bool_or(s LIKE 'COMMENT ON TABLE%(of the fit when this table was made)%') FROM pegs_copy_sql('dvd', 'other') AS s), 'a table is no view');
SELECT is(said($$SELECT pegs_export('r1')$$), '42809 | "r1" is a release, which has no file: export its model | A release is made of its model and n on any server. | SELECT pegs_export(''dvd'');', 'a release has no file');

---- a value of a domain that is left out
CREATE DOMAIN email AS text CHECK (VALUE LIKE '%@%');
CREATE DOMAIN flag AS text CHECK (VALUE IN ('on', 'off'));
ALTER TABLE customer ADD COLUMN mail email DEFAULT 'a@b' NOT NULL, ADD COLUMN f flag DEFAULT 'on' NOT NULL, ADD COLUMN level text DEFAULT 'low' NOT NULL, ADD CHECK (level <> '');
SELECT pegs_leave_out('customer', c) FROM unnest('{mail, f, level}'::name[]) AS c;
ALTER TABLE customer ALTER COLUMN mail DROP DEFAULT;
CREATE TABLE mail_words AS SELECT '23514 | column "mail" of table "customer" is NOT NULL and not in the model, and the plain value of its type is refused by domain email'
	' | Its DEFAULT is taken, if that is a constant; else the first value that a CHECK lists, or a plain one. | ALTER TABLE public.customer ALTER COLUMN mail SET DEFAULT ''...''; a value that the domain takes.' AS words;
SELECT is(said($$SELECT * FROM pegs_sample_as(NULL::customer, 'dvd', 3, options => '{"table": "customer"}')$$), words, 'a domain that refuses what is plain: the column is named') FROM mail_words;
SELECT is(said($$SELECT pegs_copy_sql('r1', 'mails')$$), words, 'before a copy begins') FROM mail_words;
ALTER TABLE customer ALTER COLUMN mail SET DEFAULT 'nobody@nowhere';
SELECT pegs_copy_sql('r1', 'mails') \gexec
SELECT is((SELECT array_agg(DISTINCT ROW(mail, f, level)::text) FROM mails.customer), '{"(nobody@nowhere,on,low)"}', 'a DEFAULT is taken, in a copy, too, and its constraints hold');
SELECT * FROM finish();
