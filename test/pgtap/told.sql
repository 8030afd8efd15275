-- What a person says of a column and its type refuses: the error says of which column and argument it was, and what to put there. What is wrong
-- whatever there is to spend is said before that too little is left; and a certificate counts points among the levels of a column.
SET client_min_messages = warning;
SET datestyle = 'ISO, DMY';
CREATE EXTENSION pegs;
SELECT * FROM no_plan();

CREATE FUNCTION told(call text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE h text; c text;
BEGIN
	EXECUTE call;
	RETURN 'no error';
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS h = PG_EXCEPTION_HINT, c = PG_EXCEPTION_CONTEXT;
	RETURN concat_ws(' | ', SQLSTATE || ' ' || SQLERRM, h, substring(c FROM '^"[^\n]*'));
END $$;
CREATE TYPE mood AS ENUM ('calm', 'glad');
CREATE TABLE t (n int NOT NULL, s smallint, d date NOT NULL, later date NOT NULL, at timestamp, m mood, b boolean, p numeric(4, 2), v varchar(3), r text NOT NULL CHECK (r IN ('x', 'y')));
SELECT pegs_set_bins('t', 'n', ARRAY[0, 10, 20]), pegs_set_bins('t', 'd', '01-01-2026', '01-01-2027', 12), pegs_set_bins('t', 'later', '01-01-2026', '01-01-2027', 12), pegs_set_levels('t', 's', ARRAY[1, 2]);
SELECT is(told(call), said, call) FROM (VALUES
	($$SELECT pegs_set_levels('t', 's', ARRAY['1', 'two'])$$, '22P02 invalid input syntax for type smallint: "two" | In its place put a value that column "s" of type smallint can have. | "two" for column "s", in levels'),
	($$SELECT pegs_set_levels('t', 's', ARRAY[1, 70000])$$, '22003 value "70000" is out of range for type smallint | In its place put a value that column "s" of type smallint can have. | "70000" for column "s", in levels'),
	($$SELECT pegs_set_levels('t', 's', ARRAY[1, 2], other => 'none')$$, '22P02 invalid input syntax for type smallint: "none" | In its place put a value that column "s" of type smallint can have. | "none" for column "s", in other'),
	($$SELECT pegs_set_levels('t', 'm', '{angry}')$$, '22P02 invalid input value for enum mood: "angry" | In its place put a value that column "m" of type mood can have. | "angry" for column "m", in levels'),
	($$SELECT pegs_set_levels('t', 'b', '{maybe}')$$, '22P02 invalid input syntax for type boolean: "maybe" | In its place put a value that column "b" of type boolean can have. | "maybe" for column "b", in levels'),
	($$SELECT pegs_set_levels('t', 'p', '{123.45}')$$, '22003 numeric field overflow | In its place put a value that column "p" of type numeric(4,2) can have. | "123.45" for column "p", in levels'),
	($$SELECT pegs_set_levels('t', 'v', '{long}')$$, '22001 value too long for type character varying(3) | In its place put a value that column "v" of type character varying(3) can have. | "long" for column "v", in levels'),
	($$SELECT pegs_set_bins('t', 'n', ARRAY['...', '...'])$$, '22P02 invalid input syntax for type integer: "..." | In its place put a value that column "n" of type integer can have. | "..." for column "n", in edges'),
	($$SELECT pegs_set_bins('t', 'd', '{01-01-2026, 29-02-2026}')$$, '22008 date/time field value out of range: "29-02-2026" | In its place put a value that column "d" of type date can have. | "29-02-2026" for column "d", in edges'),
	($$SELECT pegs_set_bins('t', 'n', low => '...', high => '9', bins => 20)$$, '22P02 invalid input syntax for type integer: "..." | In its place put a value that column "n" of type integer can have. | "..." for column "n", in low'),
	($$SELECT pegs_set_bins('t', 'n', low => '0', high => '9e', bins => 20)$$, '22P02 invalid input syntax for type integer: "9e" | In its place put a value that column "n" of type integer can have. | "9e" for column "n", in high'),
	($$SELECT pegs_set_bins('t', 'n', ARRAY[0, 9], points => '{zero}')$$, '22P02 invalid input syntax for type integer: "zero" | In its place put a value that column "n" of type integer can have. | "zero" for column "n", in points'),
	($$SELECT pegs_set_bins('t', 'n', ARRAY[0, 9], step => 'ten')$$, '22P02 invalid input syntax for type numeric: "ten" | step => ''10'' | "ten" for column "n", in step'),
	($$SELECT pegs_set_bins('t', 'at', '{01-01-2026, 02-01-2026}', step => 'soon')$$, '22007 invalid input syntax for type interval: "soon" | step => ''1 minute'' | "soon" for column "at", in step'),
	($$SELECT pegs_order('t', 'd', 'later', longest => 'soon')$$, '22007 invalid input syntax for type interval: "soon" | longest => ''30 days'' | "soon" for column "later", in longest'),
	($$SELECT pegs_forbid('t', '{"s": "one", "r": "x"}')$$, '22P02 invalid input syntax for type smallint: "one" | In its place put a value that column "s" of type smallint can have. | "one" for column "s", in combination'),
	($$SELECT pegs_set_hierarchy('t', 'n', '[{"edges": [0, "ten", 20]}]')$$, '22P02 invalid input syntax for type integer: "ten" | In its place put a value that column "n" of type integer can have. | "ten" for column "n", in step 1 of its hierarchy'),
	($$SELECT pegs_set_function('t', 's', of => 'r', mapping => '{"x": "one"}')$$, '22P02 invalid input syntax for type smallint: "one" | In its place put a value that column "s" of type smallint can have. | "one" for column "s", in the mapping of column "s"')) AS v(call, said);
-- nothing of it is left in what comes after
SELECT is(told($$SELECT 'x'::int$$), '22P02 invalid input syntax for type integer: "x" | ', 'another error, in the words of the server');

-- what is wrong whatever there is to spend
CREATE TABLE poor (a text NOT NULL CHECK (a IN ('x', 'y')), b int NOT NULL CHECK (b BETWEEN 0 AND 9), c int);
INSERT INTO poor SELECT 'x', i % 10, i FROM generate_series(1, 50) AS i;
CREATE TABLE home (id int PRIMARY KEY, a text NOT NULL CHECK (a IN ('x', 'y')));
CREATE TABLE guest (home int NOT NULL REFERENCES home, g text NOT NULL CHECK (g IN ('x', 'y')), c int);
SELECT pegs_set_parent('guest', 'home', children => '{0, 1}', at_most => 1), pegs_set_budget('poor', 0.001), pegs_set_budget('home', 0.001);
SELECT format('CREATE TABLE broad (%s)', string_agg(format('c%s boolean NOT NULL', i), ', ')) FROM generate_series(1, 27) AS i \gexec
SELECT pegs_set_budget('broad', 0.001);
SELECT is(split_part(told(call), ' | ', 1), said, call) FROM (VALUES
	($$SELECT pegs_fit('m', 'broad', epsilon => 1)$$, '53400 this costs more than is left of the privacy budget'),
	($$SELECT pegs_fit('m', 'broad', epsilon => 1, method => 'table')$$, '54000 the declared domain is too large to count'),
	($$SELECT pegs_fit('m', 'broad', epsilon => 1, method => 'pmse')$$, '54000 method "pmse" cannot fit this: it takes at most 6 columns'),
	($$SELECT pegs_fit('m', 'poor', '{a, b}', epsilon => 1, method => 'table', options => '{"rows": 5}')$$, '22023 method "table" cannot fit this: option "rows" goes with "noise": "dirichlet" alone'),
	($$SELECT pegs_fit_state('m', 'poor', NULL, '{a, b}', epsilon => 1, method => 'table', options => '{"rows": 5}')$$, '22023 method "table" cannot fit this: option "rows" goes with "noise": "dirichlet" alone'),
	($$SELECT pegs_fit('m', 'poor', '{a, b}', epsilon => 1)$$, '53400 this costs more than is left of the privacy budget'),
	($$SELECT pegs_fit('m', 'poor', '{a, b}', epsilon => 1, options => '{"target": "no"}')$$, '42703 target "no" is not a column of the model'),
	($$SELECT pegs_fit('m', 'poor', '{a, b}', epsilon => 1, options => '{"target": 1}')$$, '22023 target must be the name of a column, or a list of such names'),
	($$SELECT pegs_fit('m', 'poor', '{a, no}', epsilon => 1)$$, '42703 column "no" of public.poor does not exist'),
	($$SELECT pegs_fit('m', 'poor', epsilon => 1)$$, '22023 column "c" cannot be used: no declared domain'),
	($$SELECT pegs_fit('m', 'poor', '{a, b}', epsilon => 1, method => 'copula', options => '{"by": ["no"]}')$$, '42703 "by" names "no", which is not a column of the model'),
	($$SELECT pegs_fit('m', 'poor', '{a, b}', structure_epsilon => 1)$$, '53400 this costs more than is left of the privacy budget'),
	($$SELECT pegs_fit('m', 'poor', '{a, no}', structure_epsilon => 1)$$, '42703 column "no" of public.poor does not exist'),
	($$SELECT pegs_fit_state('m', 'poor', NULL, '{a, b}', epsilon => 1)$$, '53400 this costs more than is left of the privacy budget'),
	($$SELECT pegs_fit_state('m', 'poor', NULL, '{a, b}', epsilon => 1, options => '{"target": "no"}')$$, '42703 target "no" is not a column of the model'),
	($$SELECT pegs_fit_schema('m', 'home', columns => '{"guest": ["g"]}', epsilon => 1)$$, '53400 this costs more than is left of the privacy budget'),
	($$SELECT pegs_fit_schema('m', 'home', epsilon => 1)$$, '22023 column "c" cannot be used: no declared domain')) AS v(call, said);
SELECT is((SELECT spent FROM pegs_budgets WHERE source = 'poor'::regclass), 0.0, 'and nothing was charged');

-- bins, points and NULL are levels, in a certificate as in pegs_domain
SELECT pegs_set_bins('poor', 'c', ARRAY[0, 10, 100], points => '{0, 7, 50}'), pegs_set_budget('poor', 10);
SELECT pegs_fit('m', 'poor', epsilon => 1);
SELECT is((SELECT jsonb_object_agg(e ->> 'column', e -> 'levels') FROM jsonb_array_elements(pegs_certificate('m') -> 'columns') AS e), (SELECT jsonb_object_agg(column_name, n) FROM pegs_domain('poor')), 'as many levels');
SELECT ok(pegs_certificate_text('m') LIKE '%c (6)%', 'bins, points and NULL');

SELECT * FROM finish();
