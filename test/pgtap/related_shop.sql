-- What a new user met on a shop's tables: tables that are not bound, references to public ones, what is charged before that is decided, and remedies that run.
SET client_min_messages = warning;
CREATE EXTENSION pegs;
SELECT * FROM no_plan();
\ir lib/said.sql
CREATE TYPE rating AS ENUM ('G', 'PG');
CREATE TABLE address (address_id int PRIMARY KEY, town text);
CREATE TABLE film (film_id int PRIMARY KEY, title text NOT NULL, last_update timestamp NOT NULL, address text, length int, rating rating, code text UNIQUE, kind char(1), price numeric(4, 2));
CREATE TABLE customer (customer_id int PRIMARY KEY, address_id int NOT NULL REFERENCES address, active boolean NOT NULL);
CREATE TABLE rental (rental_id int PRIMARY KEY, customer_id int NOT NULL REFERENCES customer, film_id int REFERENCES film, staff_id int NOT NULL);
CREATE TABLE item (rental_id int NOT NULL REFERENCES rental, line smallint, weight int NOT NULL, PRIMARY KEY (rental_id, line));
CREATE TABLE payment (payment_id int PRIMARY KEY, rental_id int NOT NULL REFERENCES rental, customer_id int NOT NULL REFERENCES customer, amount numeric(5, 2) NOT NULL);
CREATE TABLE visit (visit_id int PRIMARY KEY, customer_id int NOT NULL REFERENCES customer, film_id int REFERENCES film, days int NOT NULL);
INSERT INTO address SELECT i, 'A' FROM generate_series(1, 20) AS i;
INSERT INTO customer SELECT i, 1 + i % 20, i % 2 = 0 FROM generate_series(1, 200) AS i;
INSERT INTO rental SELECT i, 1 + i % 200, NULL, 1 + i % 2 FROM generate_series(1, 400) AS i;
INSERT INTO payment SELECT i, i, 1 + i % 200, i % 5 FROM generate_series(1, 400) AS i;
CREATE FUNCTION schema_of(t regclass) RETURNS text LANGUAGE sql AS $$ SELECT string_agg(concat_ws(' | ', source, depth, problem, remedy), E'\n' ORDER BY n) FROM pegs_schema(t) WITH ORDINALITY AS s(source, depth, parent, columns, children, at_most, problem, remedy, n) WHERE problem IS NOT NULL $$;

---- what would be charged alone, before it is decided whose rows they are
SELECT is((SELECT array_agg(p) FROM pegs_propose('visit', epsilon => 1, delta => 1e-7) AS p WHERE p ~ 'pegs_learn'), ARRAY[
	$$-- if rows of "visit" belong to no row of "customer" or "film" (it can never be bound to a table once it was charged alone): SELECT public.pegs_learn('public.visit'::regclass, epsilon => 1::double precision, delta => 0.0000001::double precision, columns => ARRAY['days']::name[], bins => 32);$$],
	'what is charged is a comment, until it is decided whose rows they are');
SELECT pegs_set_lookup('visit', 'film_id', 'film', 'film_id');
SELECT matches((SELECT p FROM pegs_propose('visit', epsilon => 1, delta => 1e-7) AS p WHERE p ~ 'pegs_learn'), '^-- if rows of "visit" belong to no row of "customer" \(', 'a lookup table has none of its rows');
SELECT is((SELECT count(*) FROM pegs_propose('visit') AS p WHERE p ~ 'pegs_set_parent.*public.film'), 0::bigint, 'nor is it proposed any more as what they belong to');
SELECT pegs_leave_out('visit', 'customer_id');
SELECT matches((SELECT p FROM pegs_propose('visit', epsilon => 1, delta => 1e-7) AS p WHERE p ~ 'pegs_learn'), '^SELECT public\.pegs_learn\(', 'with a reference that is left out it is decided, and a statement');
SELECT pegs_unset('visit', 'customer_id'), pegs_set_parent('visit', 'customer', children => '{0, 1}', at_most => 2);
SELECT matches((SELECT p FROM pegs_propose('visit', epsilon => 1, delta => 1e-7) AS p WHERE p ~ 'pegs_learn'), '^SELECT public\.pegs_learn\(', 'so it is, bound to its parent');

---- which columns of a lookup table are proposed
SELECT is((SELECT substring(p FROM 'a column of few values: (.*)$') FROM pegs_propose('rental') AS p WHERE p LIKE '-- film_id%'), $$via => '{rating}', or '{length}', or '{kind}'$$,
	'by which column its keys may be modelled: one that lists its values first, and none that tells of the single film');

---- tables that are bound to none; a reference that a row must have
SELECT pegs_set_parent('rental', 'customer', children => '{0, 1, 2}', at_most => 4), pegs_set_lookup('rental', 'film_id', 'film', 'film_id');
SELECT is(schema_of('customer'), $$customer | 0 | it refers to "address" by "address_id", which cannot be NULL and has no declared values: every row has one plain value there | -- if that table is public: SELECT pegs_set_lookup('public.customer', 'address_id', 'public.address', 'address_id');
-- or it comes out NULL: ALTER TABLE public.customer ALTER COLUMN address_id DROP NOT NULL;
-- if rows of "customer" belong to rows of "address": SELECT pegs_set_parent('public.customer', 'public.address', '{address_id}', children => '{0, 1, 2, ...}', at_most => '...');  -- children: where classes of how many rows of "customer" a row of "address" has begin; at_most: the end of the last, none gets more
-- or as it is, with one plain value in all rows: SELECT pegs_leave_out('public.customer', 'address_id');
item | it refers to "rental", and is not bound: no model has its rows | -- if rows of "item" belong to rows of "rental": SELECT pegs_set_parent('public.item', 'public.rental', '{rental_id}', children => '{0, 1, 2, ...}', at_most => '...');  -- children: where classes of how many rows of "item" a row of "rental" has begin; at_most: the end of the last, none gets more
payment | it refers to "customer" and "rental", and is not bound: no model has its rows | -- if rows of "payment" belong to rows of "customer": SELECT pegs_set_parent('public.payment', 'public.customer', '{customer_id}', children => '{0, 1, 2, ...}', at_most => '...');  -- children: where classes of how many rows of "payment" a row of "customer" has begin; at_most: the end of the last, none gets more
-- if rows of "payment" belong to rows of "rental": SELECT pegs_set_parent('public.payment', 'public.rental', '{rental_id}', children => '{0, 1, 2, ...}', at_most => '...');  -- children: where classes of how many rows of "payment" a row of "rental" has begin; at_most: the end of the last, none gets more$$,
	'pegs_schema names what a model would lack, before it is charged');
SELECT pegs_leave_out('payment', 'customer_id'), pegs_leave_out('customer', 'address_id');
SELECT matches(schema_of('customer'), '^item [^\n]*\npayment \| it refers to "rental", and is not bound', 'what is decided is not said again');
SELECT pegs_unset('payment', 'customer_id'), pegs_set_parent('payment', 'rental', '{rental_id}', children => '{0, 1}', at_most => 1), pegs_set_parent('item', 'rental', children => '{0, 1}', at_most => 1);

---- a remedy runs
SELECT is((SELECT remedy FROM pegs_schema('customer') WHERE source = 'payment'::regclass), $$-- if it is always the row of "customer" that its own belongs to, before anything is charged:
BEGIN; ALTER TABLE public.rental ADD UNIQUE (rental_id, customer_id); ALTER TABLE public.payment ADD FOREIGN KEY (rental_id, customer_id) REFERENCES public.rental (rental_id, customer_id) NOT VALID; SELECT pegs_set_parent('public.payment', NULL); COMMIT; SELECT pegs_set_parent('public.payment', 'public.rental', '{rental_id, customer_id}', children => '{0, 1}', at_most => 1);
-- or it comes out NULL: ALTER TABLE public.payment ALTER COLUMN customer_id DROP NOT NULL;$$, 'words are comments');
SELECT remedy FROM pegs_schema('customer') WHERE source = 'payment'::regclass \gexec
SELECT is(schema_of('customer'), NULL, 'and it repairs');

---- a number in a key
SELECT is((SELECT array_agg(p) FROM pegs_propose('item', epsilon => 1, delta => 1e-7) AS p WHERE p ~ '\mline\M'), ARRAY['-- line is a number in its key, and is left out'], 'a part of a key that is numbered anew needs no declaration');
SELECT is((SELECT array_agg(p) FROM pegs_propose('payment') AS p WHERE p ~ 'pegs_set_bins'), ARRAY[$$-- SELECT pegs_set_bins('public.payment', 'amount', low => '...', high => '...', bins => 20);$$], 'other columns do');

---- a name that a declared column had
SELECT pegs_set_levels('visit', 'days', '{1, 2}'), pegs_set_levels('rental', 'staff_id', '{1, 2}'), pegs_leave_out('customer', 'address_id'), pegs_set_budget('customer', epsilon => 100, delta => 1e-6);
ALTER TABLE visit RENAME days TO nights;
SELECT is(said($$SELECT pegs_fit_schema('m', 'customer', tables => ARRAY['customer', 'visit'], columns => '{"visit": ["days"]}', epsilon => 1, delta => 1e-9)$$),
	'42703 | column "days" of public.visit does not exist | ALTER TABLE public.visit RENAME COLUMN nights TO days; gives it that name again.', 'a column that was renamed: its name back');
ALTER TABLE public.visit RENAME COLUMN nights TO days;

---- copies: numbers go on; tables that are not here; what no key passes, and a transaction that would end, are told (t/073_related.pl)
CREATE TABLE client (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, sex text NOT NULL CHECK (sex IN ('F', 'M')));
CREATE TABLE card (id serial PRIMARY KEY, client int NOT NULL REFERENCES client, kind text NOT NULL CHECK (kind IN ('x', 'y')));
INSERT INTO client (sex) SELECT 'F' FROM generate_series(1, 100);
INSERT INTO card (client, kind) SELECT i, 'x' FROM generate_series(1, 100) AS i;
SELECT pegs_set_budget('client', 100), pegs_set_parent('card', 'client', children => '{0, 1, 2}', at_most => 2);
SELECT pegs_fit_schema('cards', 'client', epsilon => 20), pegs_release('held', 'cards', 50);
SELECT pegs_copy_sql('held', 'copied') \gexec
INSERT INTO copied.client (sex) VALUES ('M') RETURNING id \gset first_
INSERT INTO copied.card (client, kind) VALUES (1, 'y') RETURNING id \gset last_
SELECT is((:first_id, :last_id), (SELECT (51, count(*)::int) FROM copied.card), 'a copy goes on to number its rows, as the original does');
SELECT is((SELECT array_agg(format('%s.%s %s', attrelid::regclass, attname, attidentity) ORDER BY attrelid) FROM pg_attribute WHERE attrelid IN ('copied.client'::regclass, 'copied.card'::regclass) AND attidentity <> ''),
	'{"copied.client.id d","copied.card.id d"}', 'by identities');
SELECT pegs_import('imported', pegs_export('cards'));
ALTER TABLE client RENAME TO clients; ALTER TABLE card RENAME TO "Card";
SELECT is(said($$SELECT pegs_copy_sql('imported', 'other')$$), '42P01 | there is no table public.client, of which "imported" has rows | A copy has its columns and constraints.'
	' | Make the tables as they were where the model was fitted, without rows: pg_dump --schema-only -t ''public.client'' -t ''public.card''. Or views, which need no table: SELECT pegs_view_sql(''imported'', ''...'');', 'on another server: all of them at once');
SELECT is(said($$SELECT pegs_copy_sql('held', 'other')$$), '42P01 | there is no table public.client, of which "held" has rows | A copy has its columns and constraints.'
	' | It is public.clients now: ALTER TABLE public.clients RENAME TO client; Or views, which need no table: SELECT pegs_view_sql(''held'', ''...'');', 'where it was fitted that is here');
SELECT * FROM finish();
