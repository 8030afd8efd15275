-- What a new user of several tables is told: hints that lose no rows, problems before a fit, errors that name the table; numbers that a key cannot hold; which columns are far.
SET client_min_messages = warning;
CREATE EXTENSION pegs;
SELECT * FROM no_plan();
\ir lib/said.sql
CREATE TABLE region (id int PRIMARY KEY);
CREATE TABLE customer (id smallint PRIMARY KEY, region int REFERENCES region, kind text NOT NULL CHECK (kind IN ('shop', 'person')));
CREATE TABLE orders (id bigint PRIMARY KEY, customer smallint NOT NULL REFERENCES customer, payer smallint REFERENCES customer, status text NOT NULL CHECK (status IN ('open', 'sent')));
CREATE TABLE tag (orders bigint NOT NULL REFERENCES orders, tag text);
CREATE TABLE line (id smallint PRIMARY KEY, orders bigint NOT NULL REFERENCES orders, customer smallint NOT NULL REFERENCES customer, product text NOT NULL, qty int NOT NULL);
INSERT INTO region VALUES (1), (2);
INSERT INTO customer SELECT i, 1 + i % 2, CASE WHEN i % 3 = 0 THEN 'shop' ELSE 'person' END FROM generate_series(1, 300) AS i;
INSERT INTO orders SELECT i, 1 + i % 250, NULL, CASE WHEN i % 2 = 0 THEN 'open' ELSE 'sent' END FROM generate_series(1, 900) AS i;
INSERT INTO line SELECT i, 1 + i % 800, 1 + (1 + i % 800) % 250, chr(65 + i % 5), i % 7 FROM generate_series(1, 2400) AS i;

---- which of two keys
SELECT is(said($$SELECT pegs_set_parent('orders', 'customer', children => '{0, 1, 2}', at_most => 9)$$), '22023 | several foreign keys of table "orders" refer to "customer" | A row belongs to one unit. In a row of these models the others are not protected. | '
	'Say whose row it is, ''{customer}'' or ''{payer}'': SELECT pegs_set_parent(''public.orders'', ''public.customer'', columns => ''{...}'', children => ''{0, 1, 2}'', at_most => 9);', 'all of them are named, none is proposed, and what was given is kept');
SELECT is((SELECT array_agg(substring(p FROM '''{(\w+)}''')) FROM pegs_propose('orders') AS p WHERE p LIKE '-- if rows%'), '{customer,payer}', 'pegs_propose has a comment for each');
SELECT is((SELECT count(*) FROM pegs_propose('orders') AS p WHERE p LIKE '-- if rows%children => ''{0, 1, 2, ...}'', at_most => ''...'');%'), 2::bigint, 'with classes to be filled in');
SELECT pegs_set_budget('customer', epsilon => 1000, delta => 1e-6, accounting => 'sum');
SELECT is((SELECT array_agg(remedy ORDER BY column_name) FROM pegs_domain('orders') WHERE column_name IN ('customer', 'payer')), ARRAY['SELECT pegs_set_parent(''public.orders'', ''public.customer'', ''{customer}'');  -- says whose rows they are; the column is left out',
	'SELECT pegs_set_parent(''public.orders'', ''public.customer'', ''{payer}'');  -- says whose rows they are; the column is left out'], 'pegs_domain has each its own');

---- a table two below
SELECT pegs_set_parent('orders', 'customer', '{customer}');
SELECT matches(said($$SELECT pegs_set_parent('tag', 'customer')$$), '^55000 \| no foreign key of table "tag" refers to "customer" .*\| It refers to "orders", whose rows belong to that account: SELECT pegs_set_parent\(''public.tag'', ''public.orders'', children => ', 'the root in place of the table between');
SELECT pegs_set_parent('line', 'orders');
SELECT is((SELECT array_agg(p) FROM pegs_propose('line', epsilon => 1, delta => 1e-9) AS p WHERE p ~ 'pegs_learn|alone'), ARRAY['-- nothing is learnt of "line" alone, epsilon is not used: A row says whose row of "orders" it is, and not whose of "customer".'], 'nothing that would fail is proposed');
SELECT is((SELECT count(*) FROM pegs_propose('line', epsilon => 1, delta => 1e-9) AS p WHERE p ~ '^-- SELECT pegs_set_(levels|bins)'), 2::bigint, 'but what declares its columns');
SELECT is(said($$SELECT pegs_propose('line', epsilon => 1)$$), 'ok', 'nor is a delta asked for');
SELECT matches(said($$SELECT pegs_learn('line', epsilon => 1, delta => 1e-9)$$), '^55000 .*One model of all of them counts its rows: SELECT pegs_fit_schema\(''...'', ''public.customer''.* Domains of its columns are declared, not learnt: SELECT \* FROM pegs_propose\(''public.line''\);$', 'and the error says what goes');
SELECT is((SELECT spent FROM pegs_budgets), 0::numeric, 'nothing was charged');
SELECT is((SELECT problem FROM pegs_schema('customer') WHERE source = 'line'::regclass), 'it is not declared how many rows of "line" a row of its parent has; it refers to "customer", too, by "customer", which cannot be NULL: no model has it', 'both problems');
SELECT matches((SELECT remedy FROM pegs_schema('customer') WHERE source = 'line'::regclass), '^SELECT pegs_set_parent\(''public.line'', ''public.orders'', children => ''\{0, 1, 2, \.\.\.\}'', at_most => ''...''\);  -- children: where [^\n]*\n-- if it is always the row of "customer"[^\n]*\nBEGIN; ALTER[^\n]*\n-- or it comes out NULL: [^\n]* DROP NOT NULL;$', 'and both remedies');
SELECT matches((SELECT remedy FROM pegs_schema('customer') WHERE source = 'orders'::regclass), '^SELECT pegs_set_parent\(''public.orders'', ''public.customer'', ''\{customer\}'', children', 'by the key that it is bound by');
SELECT is(said($$SELECT pegs_set_unit('line', 'orders')$$), '55000 | rows of public.line belong to rows of "orders", which belong to others: a unit would have no effect | Nothing is counted of it alone. The unit is a row of the topmost table. | SELECT * FROM pegs_schema(''public.line''); says which that is. Fit the model to that one: pegs_fit_schema.', 'a unit of it');
SELECT is(said($$SELECT pegs_set_unit('orders', 'customer', weighting => 'person')$$), 'ok', 'of one below the root it is as it was');
SELECT pegs_set_unit('orders', NULL);

---- a value that is not declared
ALTER TABLE line ALTER COLUMN customer DROP NOT NULL;
SELECT pegs_set_parent('orders', 'customer', '{customer}', children => '{0, 1, 2, 3, 5}', at_most => 8), pegs_set_parent('line', 'orders', children => '{0, 1, 2, 3}', at_most => 4);
SELECT is((SELECT count(*) FROM pegs_schema('customer') WHERE problem ~ 'declared'), 0::bigint, 'classes are declared');
SELECT pegs_set_levels('line', 'product', '{A, B, C}'), pegs_set_bins('line', 'qty', '{0, 3, 9}');
CREATE FUNCTION fits() RETURNS text LANGUAGE sql AS $$ SELECT said('SELECT pegs_fit_schema(''m'', ''customer'', epsilon => 50, delta => 1e-9)') $$;
SELECT is(fits(), '23514 | column "product" of public.line holds a value that is not in its declared domain | Declare every level, or one that takes the others: SELECT pegs_set_levels(''public.line'', ''product'', ARRAY[...], other => ''...''); or leave such rows out: SELECT pegs_set_levels(''public.line'', ''product'', ARRAY(SELECT level FROM pegs_levels(''public.line'', ''product'') AS level WHERE level IS NOT NULL), nullable => false, undeclared => ''drop'');'
	' Which they are: SELECT DISTINCT product FROM public.line WHERE product NOT IN (SELECT level::text FROM pegs_levels(''public.line'', ''product'') AS level WHERE level IS NOT NULL) OR product IS NULL;', 'its table is named, in the statements, too');
SELECT is((SELECT count(*) FROM (SELECT DISTINCT product FROM public.line WHERE product NOT IN (SELECT level::text FROM pegs_levels('public.line', 'product') AS level WHERE level IS NOT NULL)) AS d), 2::bigint, 'which run');
SELECT pegs_set_levels('line', 'product', '{A, B, C, D, E}'), pegs_set_bins('line', 'qty', '{0, 3, 5}');
SELECT matches(fits(), '^23514 \| column "qty" of public.line holds .*pegs_set_bins\(''public.line'', ''qty'', ARRAY\[...\]\);.* FROM public.line WHERE \(qty < ''0'' OR qty > ''5''\) OR qty IS NULL;$', 'outside its bins');
SELECT pegs_set_bins('line', 'qty', '{0, 3, 9}'), pegs_set_levels('line', 'product', '{A, B, C, D, E}');
ALTER TABLE line ADD COLUMN sort text; UPDATE line SET sort = CASE WHEN product IN ('A', 'B') THEN 'x' ELSE 'y' END;
SELECT pegs_set_function('line', 'sort', 'product', '{"A": "x", "B": "x", "C": "x", "D": "y", "E": "y"}');
SELECT is(fits(), '23514 | column "sort" of public.line is not what is declared: a function of column "product" | There is a row with another value. Nothing was charged. | SELECT pegs_unset(''public.line'', ''sort''); and declare it as it is. Which values occur together: SELECT DISTINCT product, sort FROM public.line;', 'no such function');
ALTER TABLE line DROP COLUMN sort;
SELECT is((SELECT spent FROM pegs_budgets), 0::numeric, 'and nothing was charged');
SELECT is(fits(), 'ok', 'fitted');

---- numbers that a key cannot hold
SELECT is(said($$SELECT pegs_release('r', 'm', 40000)$$), '22003 | column "id" cannot number 40000 rows | Its type is smallint: numbers in it end at 32767. | Ask for fewer rows: n => 32767', 'a release of more than its root can number');
SELECT is((SELECT count(*) FROM pegs_releases), 0::bigint, 'is none');
SELECT is(said($$SELECT pegs_release('r', 'm', 9223372036854775807)$$) LIKE '22003 | column "id" cannot number 9223372036854775807 rows%', true, 'nor one of all rows that a number can say');
SELECT is(said($$SELECT FROM pegs_sample('m', 9223372036854775807, options => '{"table": "customer"}') AS t(id smallint)$$) LIKE '22003 | column "id" cannot number 9223372036854775807 rows%', true, 'a sample, before its first row');
SELECT is(said($$SELECT FROM pegs_sample('m', 9223372036854775807, options => '{"table": "orders"}') AS t(customer smallint)$$) LIKE '22003 | column "customer" cannot number 9223372036854775807 rows%', true, 'nor its number in another table');
SELECT is((SELECT max(id) FROM pegs_sample('m', 40000, options => '{"table": "customer"}') AS t(id int)), 40000, 'in a column that holds them they come');
SELECT is(said($$SELECT pegs_release('r', 'm', 32767)$$), 'ok', 'as many as there are numbers');
SELECT is(said($$SELECT FROM pegs_rows_as(NULL::public.line, 'r', 'line')$$), '22003 | column "id" cannot number so many rows | Its type is smallint. | Name it as bigint, in a column list or a table of its own. Or ask for fewer rows of the root: n => ...', 'rows of a child are as many as they are');
ALTER TABLE orders ALTER COLUMN customer TYPE int;
ALTER TABLE customer ALTER COLUMN id TYPE int;
SELECT is(said($$SELECT pegs_release('s', 'm', 40000)$$), 'ok', 'by the columns as they are now');

---- options
SELECT is(said($$SELECT FROM pegs_sample('m', 3, options => '{"tabel": "line"}') AS t(id int)$$), '22023 | unknown option "tabel" | Known are: table, part, parts; of a release: fresh.', 'options of several tables');
SELECT is(said($$SELECT FROM pegs_sample('m', 3, given => '{"kind": "firm"}', options => '{"table": "line"}') AS t(id int)$$), '22023 | the value given for column "kind" is not in its declared domain | SELECT first_levels FROM pegs_columns(''m'', first => NULL) WHERE column_name = ''customer.kind''; shows the declared levels.', 'what is given');

---- which columns are far
CREATE TABLE far AS SELECT * FROM pegs_utility_schema_of('m');
SELECT results_eq('SELECT measure, farthest FROM far WHERE table_name = ''line'' AND farthest IS NOT NULL AND measure <> ''sibling_tv2'' AND measure !~ ''tv1|below|count'' ORDER BY 1', $$VALUES ('children_tv', 'number of line'), ('tv2', 'line.qty, line.product')$$, 'of a table: a number, a pair');
SELECT ok((SELECT bool_and(farthest ~ CASE measure WHEN 'tv1' THEN '^\w+\.\w+$' WHEN 'sibling_tv2' THEN '^\w+\.\w+$' WHEN 'children_tv' THEN '^number of \w+$' WHEN 'count_child_tv2' THEN '^number of \w+, \w+\.\w+$' WHEN 'cross_tv2' THEN '^customer\.kind, orders\.\w+$' WHEN 'below_tv2' THEN '^orders\.status, line\.\w+$' ELSE ', ' END) FROM far WHERE measure ~ 'tv'), 'each says whose columns');
SELECT is((SELECT count(farthest) FROM far WHERE measure !~ 'tv'), 0::bigint, 'what is no distance has none');
DELETE FROM line WHERE product <> 'A';
SELECT is((SELECT array_agg(farthest) FROM pegs_utility_schema_of('m') WHERE measure = 'tv1' AND (table_name IS NULL OR table_name = 'line')), '{line.product,line.product}', 'the one that is');
SELECT matches(pegs_report('m'), 'shares of single columns: [0-9.]+, another sample [0-9.]+, farthest: <bdi>line\.product</bdi>', 'the report says so where it is far');
SELECT * FROM finish();
