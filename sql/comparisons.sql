-- measures: how close a synthetic table is and what it gives away. Every number below is worked out by hand in a comment.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS pegs;
CREATE SCHEMA regress_measures;
SET search_path = regress_measures, public;
-- the last digit of a sum may differ between machines
CREATE FUNCTION r(double precision) RETURNS numeric LANGUAGE sql IMMUTABLE AS $$ SELECT trim_scale(round($1::numeric, 6)) $$;

---- pegs_utility: two columns, four rows each
CREATE TABLE o (a text NOT NULL CHECK (a IN ('x', 'y')), b text NOT NULL CHECK (b IN ('p', 'q', 'r')));
CREATE TABLE s (b text, a text);	-- columns are found by name
INSERT INTO o (a, b) VALUES ('x', 'p'), ('x', 'p'), ('x', 'q'), ('y', 'q');
INSERT INTO s (a, b) VALUES ('x', 'p'), ('y', 'p'), ('y', 'q'), ('y', 'r');
-- a: shares 3/4 1/4 and 1/4 3/4: tv (1/2 + 1/2) / 2 = .5, squares .25 + .25, over 2 levels .25 and .5; the order turns round: -1
-- b: 1/2 1/2 0 and 1/2 1/4 1/4: tv .25, squares .125, over 3 levels .041667 and .166667; of 3 pairs one is concordant, two are
--    ties: tau 1/3; ranks 2.5 2.5 1 and 3 1.5 1.5: rho .75 / 1.5
-- errors of counts of 4 rows: 2 2, 0 1 1. Of 5, the smallest 95 % are 4: 0 1 1 2; all: 6 / 5
-- pairs: 2 1 0 | 0 1 0 and 1 0 0 | 1 1 1: four cells differ by one: tv 4 / 4 / 2, errors 0 0 1 1 1 | 1
-- given a: x: 2/3 1/3 0 and 1 0 0: squares 2/9, absolute 2/3, tau 2/3, rho sqrt(3)/2; y: 0 1 0 and 1/3 1/3 1/3: 6/9, 4/3, 0, none.
--    distance 8/9, mse (2/27 + 6/27) / 2, mae (2/9 + 4/9) / 2, tau 1/3
-- given b: p: 1 0 and 1/2 1/2; q: 1/2 1/2 and 0 1; the original has no r: distance 1, mse .25, mae .5, tau 0, no rho
SELECT measure, of, r(value), guarantee FROM pegs_utility('o', 's', measures => ARRAY['tables']);
-- columns of which the synthetic rows have nothing, as pegs_sample_as fills them, are told
CREATE TABLE no_b AS SELECT a, NULL::text AS b FROM s;
CREATE TABLE no_row AS SELECT * FROM s LIMIT 0;
SET client_min_messages = notice;
SELECT r(value) FROM pegs_utility('o', 'no_b', measures => ARRAY['distances']) WHERE measure = 'tv1' AND of = '{b}';
SELECT r(value) FROM pegs_utility('o', 'no_b', columns => ARRAY['a'], measures => ARRAY['distances']) WHERE measure = 'tv1';
SELECT r(value) FROM pegs_utility('o', 'no_b', columns => ARRAY['b'], measures => ARRAY['distances']) WHERE measure = 'tv1';
CREATE TABLE o_b (a text NOT NULL CHECK (a IN ('x', 'y')), b text CHECK (b IN ('p', 'q')));
INSERT INTO o_b VALUES ('x', 'p'), ('y', NULL);
SELECT r(value) AS "of four all are NULL, and of two one" FROM pegs_utility('o_b', 'no_b', measures => ARRAY['distances']) WHERE measure = 'tv1' AND of = '{b}';
SELECT count(*) > 0 AS of_no_row_nothing FROM pegs_utility('o', 'no_row', measures => ARRAY['distances']);
SET client_min_messages = warning;
-- the cells: 2+1 1+0 1+1 0+1 0+1; (3 (1/6)^2 + 3 (1/2)^2) / 8 = .104167; over (5 - 1) (1/2)^2 (1/2) / 8 = .0625
SELECT measure, of, r(value), guarantee FROM pegs_utility('o', 's', measures => ARRAY['propensity']) WHERE measure LIKE 'pmse_cells%';
-- 3 1 and 1 3: every row is (1/4)^2 from 1/2: pMSE .0625, over (2 - 1) / 8 / 8: 4. The logistic model of one binary column is the same
CREATE TABLE o1 (c boolean NOT NULL);
CREATE TABLE s1 (c boolean);
INSERT INTO o1 VALUES (true), (true), (true), (false);
INSERT INTO s1 VALUES (true), (false), (false), (false);
-- but for its ridge
SELECT measure, of, round(value::numeric, 2) AS value, round(value::numeric, 4) = 0.0625 AS fixture FROM pegs_utility('o1', 's1', measures => ARRAY['propensity']);
-- a table and itself
SELECT measure, of, r(value) FROM pegs_utility('o', 'o', columns => ARRAY['b', 'a']) WHERE measure ~ '^(rows|tv|kmarg|error2_greatest_100|pmse_cells|not_declared|kendall_tau$|conditional_distance_mean|queries)' OR (measure = 'pmse_logit' AND r(value) = 0);
-- ways: 1, 2 and 3 of three columns; names of the tables of three
CREATE TABLE o3 (a boolean NOT NULL, b boolean NOT NULL, c boolean NOT NULL);
INSERT INTO o3 SELECT i & 1 = 1, i & 2 = 2, i & 4 = 4 FROM generate_series(0, 7) AS i;
CREATE TABLE s3 AS SELECT a, b, a AS c FROM o3;	-- the pair a, c is wrong, and the table of all three
SELECT w AS ways, measure, of, r(value) FROM generate_series(1, 3) AS w, pegs_utility('o3', 's3', ways => w) WHERE measure ~ '^(tv|kmarg|queries)' ORDER BY w, measure COLLATE "C", of;
SELECT measure, of FROM pegs_utility('o3', 's3') WHERE measure = 'pmse_cells' ORDER BY of;
SELECT count(*) FROM pegs_utility('o3', 's3', measures => '{}');

---- numbers: means, medians, spreads, zeros. NULL is no value; dates are days since 1970 and have no zero
CREATE TABLE on1 (x int, d date NOT NULL, z numeric NOT NULL, b boolean NOT NULL);
CREATE TABLE sn1 (LIKE on1);
INSERT INTO on1 VALUES (3, '1970-01-02', 0, true), (0, '1970-01-02', 0, true), (NULL, '1970-01-03', 0, true), (4, '1970-01-04', 0, true), (1, '1970-01-05', 0, true), (2, '1970-01-05', 0, true);
INSERT INTO sn1 VALUES (10, '1970-01-02', 0, true), (0, '1970-01-02', 0, true), (2, '1970-01-04', 0, true), (0, '1970-01-06', 1, true);
SELECT pegs_set_bins('on1', 'x', '{0, 2, 4, 10}'), pegs_set_bins('on1', 'd', '{1970-01-01, 1970-01-03, 1970-01-10}'), pegs_set_bins('on1', 'z', '{0, 1, 2}');
-- x: 0 1 2 3 4 and 0 0 2 10: mean 2, 3, error 1 / 2; squares 10, 68: sd sqrt(2.5), sqrt(68/3). Inside bins .5 (0 - .5) + .25 (2 - 2.5) + .25 (10 - 4)
--    = 1.125, most of it in bin 2; by shares .1 (.5 - 2) - .15 (2.5 - 2) + .05 (4 - 2) = -.125
-- d: 1 1 2 3 4 4 and 1 1 3 5: mean 2.5, 2.5. Bins 1 1 | 2 3 4 4: shares 1/3 2/3 against 1/2 1/2 (1 1 | 3 5): inside .5 (4 - 3.25) = .375
-- z: nothing but zeros, of which the synthetic table has 3/4: the mean is off altogether
SELECT measure, of, r(value), guarantee FROM pegs_utility('on1', 'sn1', measures => ARRAY['numbers']);
SELECT measure, of, r(value) FROM pegs_utility('on1', 'on1') WHERE measure ~ '^(mean|median|sd|zeros)_(difference|error|inside|shares|error_max)$';
-- times are parts of days; what is infinite is left out; no rows have no mean
CREATE TABLE on2 (t timestamp NOT NULL, tz timestamptz NOT NULL, f float8 NOT NULL, g real NOT NULL);
INSERT INTO on2 VALUES ('1970-01-02 12:00', '1969-12-31 18:00 UTC', 'Infinity', 0.5), ('infinity', '-infinity', 2, 1.5);
SELECT pegs_set_levels('on2', 't', ARRAY['1970-01-02 12:00']), pegs_set_levels('on2', 'tz', ARRAY['1970-01-01 00:00 UTC']), pegs_set_bins('on2', 'f', '{0, 3}'), pegs_set_bins('on2', 'g', '{0, 3}');
SELECT measure, of, r(value) FROM pegs_utility('on2', 'on2', measures => ARRAY['numbers']) WHERE measure ~ '^(mean|sd)_original|mean_error';
-- a tail that was lost: 99 zeros and 1000 against 1; means 10 and .01, spreads 100 and .1. 9.99 of the original's spread would be a tenth
CREATE TABLE on4 (x int NOT NULL);
CREATE TABLE sn4 (LIKE on4);
INSERT INTO on4 SELECT CASE i WHEN 1 THEN 1000 ELSE 0 END FROM generate_series(1, 100) AS i;
INSERT INTO sn4 SELECT CASE i WHEN 1 THEN 1 ELSE 0 END FROM generate_series(1, 100) AS i;
SELECT pegs_set_bins('on4', 'x', '{0, 1, 1000}');
SELECT measure, of, r(value) FROM pegs_utility('on4', 'sn4', measures => ARRAY['numbers']) WHERE measure ~ '^sd_(o|s)|mean_error';
DELETE FROM on2;
SELECT count(*), count(value) FROM pegs_utility('on2', 'on2', measures => ARRAY['numbers']) WHERE of IS NOT NULL;
-- a table without numbers
SELECT measure, value FROM pegs_utility('o', 's', measures => ARRAY['numbers']);

---- views, other types, missing columns, values that are not declared
CREATE VIEW ov AS SELECT b, a FROM o;
CREATE VIEW sv AS SELECT a::varchar(10), b::char(5), 1 AS more FROM s;	-- char(5) is padded; a cast to text takes that away
SELECT pegs_set_levels('ov', 'a', ARRAY['x', 'y']), pegs_set_levels('ov', 'b', ARRAY['p', 'q', 'r']);
SELECT (SELECT array_agg((measure, of, r(value)) ORDER BY measure, of) FROM pegs_utility('ov', 'sv', columns => ARRAY['a', 'b']))
	= (SELECT array_agg((measure, of, r(value)) ORDER BY measure, of) FROM pegs_utility('o', 's')) AS as_tables;
CREATE TABLE s_less (a text);
SELECT pegs_utility('o', 's_less');
SELECT count(*) > 0 AS answers FROM pegs_utility('o', 's_less', columns => ARRAY['a']);
CREATE TABLE s_int (a text, b int);
INSERT INTO s_int VALUES ('x', 1);
SELECT measure, of, r(value) FROM pegs_utility('o', 's_int') WHERE measure IN ('not_declared', 'tv1', 'tv2');	-- an integer is a text, and none of these
CREATE TABLE n (i int NOT NULL CHECK (i IN (1, 2)));
INSERT INTO n VALUES (1), (2);
CREATE TABLE n_text (i text);
INSERT INTO n_text VALUES ('1'), ('MARKER-4711');
-- a cast that fails, or a view: no error says a value
CREATE FUNCTION everything_said(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	m text; d text; h text; x text;
BEGIN
	EXECUTE statement;
	RETURN 'nothing';
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS m = MESSAGE_TEXT, d = PG_EXCEPTION_DETAIL, h = PG_EXCEPTION_HINT, x = PG_EXCEPTION_CONTEXT;
	RETURN concat_ws(E'\n', SQLSTATE, m, d, h, x);
END $$;
CREATE VIEW failing AS SELECT i::int AS i, true AS b FROM n_text;
SELECT pegs_set_levels('failing', 'i', ARRAY['1', '2']);
SELECT statement, left(everything_said(statement), 5) AS state, everything_said(statement) ~ 'MARKER|4711' AS leaks FROM unnest(ARRAY[
	$$SELECT pegs_utility('n', 'n_text')$$, $$SELECT pegs_utility('n', 'failing')$$, $$SELECT pegs_utility('failing', 'failing')$$, $$SELECT pegs_disclosure('failing', 'failing')$$,
	$$SELECT pegs_k_anonymity('failing', ARRAY['i'])$$, $$SELECT pegs_regression('failing', 'failing', 'linear', 'i', ARRAY['b'])$$,
	$$SELECT pegs_ru_map('failing', ARRAY[1])$$]) AS statement;
DELETE FROM n_text WHERE i <> '1';
SELECT measure, r(value) FROM pegs_utility('n', 'n_text') WHERE measure = 'tv1';
-- undeclared values and NULLs are counted; two of four: |1/2 - 1/4| + |1/2 - 1/4| + 1/2, halved. What other takes is declared
CREATE TABLE n_other (i bigint);
INSERT INTO n_other VALUES (1), (2), (99), (NULL);
SELECT measure, of, r(value) FROM pegs_utility('n', 'n_other') WHERE measure IN ('not_declared', 'tv1', 'rows_synthetic');
CREATE TABLE k (t text);
INSERT INTO k VALUES ('x'), ('rest');
SELECT pegs_set_levels('k', 't', ARRAY['x', 'rest'], other => 'rest');
CREATE TABLE k_s (t text);
INSERT INTO k_s VALUES ('x'), ('anything'), (NULL), ('x');
SELECT measure, of, r(value) FROM pegs_utility('k', 'k_s') WHERE measure IN ('not_declared', 'tv1');

---- nothing to compare
CREATE TABLE o_empty (LIKE o INCLUDING ALL);
CREATE TABLE s_empty (LIKE s);
SELECT original, synthetic, sum(value) FILTER (WHERE measure LIKE 'rows%') AS rows, count(*) FILTER (WHERE measure LIKE 'tv%') AS tvs, count(*) FILTER (WHERE measure LIKE 'pmse%') AS pmses,
	count(*) FILTER (WHERE value = 'NaN' OR abs(value) = 'Infinity') AS odd
FROM (VALUES ('o'::regclass, 's_empty'::regclass), ('o_empty', 's'), ('o_empty', 's_empty')) AS v (original, synthetic), pegs_utility(original, synthetic, 3) GROUP BY 1, 2 ORDER BY 1, 2;
SELECT measure, of, r(value) FROM pegs_utility('o', 's_empty') WHERE measure LIKE 'tv%' ORDER BY 1, 2;
SELECT measure, r(value) FROM pegs_disclosure('o', 's_empty', ARRAY['a'], 'b') WHERE value IS NOT NULL;
SELECT measure, r(value) FROM pegs_disclosure('o_empty', 's', ARRAY['a'], 'b') WHERE value IS NOT NULL;
SELECT measure, r(value) FROM pegs_k_anonymity('o_empty', ARRAY['a'], 'b');
SELECT count(*) FROM pegs_regression('o_empty', 's_empty', 'logistic', 'a = x', ARRAY['b']) WHERE abs(original) = 'Infinity' OR original = 'NaN';

---- odd names, partitions
CREATE TABLE "Odd ""T"" 'n" ("A, ""b"" 'c'" boolean NOT NULL, "select" boolean NOT NULL, "ü" boolean NOT NULL);
INSERT INTO "Odd ""T"" 'n" SELECT a, b, c FROM o3;
SELECT measure, of, r(value) FROM pegs_utility('"Odd ""T"" ''n"', '"Odd ""T"" ''n"', 3) WHERE measure ~ '^tv[123]$';
SELECT measure, r(value) FROM pegs_disclosure('"Odd ""T"" ''n"', '"Odd ""T"" ''n"', ARRAY['A, "b" ''c''', 'select'], 'ü') WHERE measure IN ('UiO', 'iS', 'cap', 'exact_match');
SELECT measure, r(value) FROM pegs_k_anonymity('"Odd ""T"" ''n"', ARRAY['A, "b" ''c''', 'select'], 'ü') WHERE measure IN ('k', 'l_distinct', 'l_entropy', 't_closeness');
SELECT term, r(original) FROM pegs_regression('"Odd ""T"" ''n"', '"Odd ""T"" ''n"', 'logistic', 'A, "b" ''c''', ARRAY['select', 'ü']);
CREATE TABLE parted (a text NOT NULL CHECK (a IN ('x', 'y')), b text NOT NULL CHECK (b IN ('p', 'q', 'r'))) PARTITION BY LIST (a);
CREATE TABLE parted_x PARTITION OF parted FOR VALUES IN ('x');
CREATE TABLE parted_y PARTITION OF parted FOR VALUES IN ('y');
INSERT INTO parted SELECT * FROM o;
SELECT (SELECT array_agg((measure, of, r(value)) ORDER BY measure, of) FROM pegs_utility('parted', 's'))
	= (SELECT array_agg((measure, of, r(value)) ORDER BY measure, of) FROM pegs_utility('o', 's')) AS as_one_table;
SELECT (SELECT array_agg((measure, r(value))) FROM pegs_disclosure('o', 'parted', ARRAY['a'], 'b')) = (SELECT array_agg((measure, r(value))) FROM pegs_disclosure('o', 'o', ARRAY['a'], 'b')) AS as_one_table;

---- arguments of pegs_utility (those that are refused alone: test/pgtap/arguments.sql)
SELECT split_part(everything_said($$SELECT pegs_utility('o', 's', measures => ARRAY['tables', NULL])$$), E'\n', 2) AS said;
SELECT pegs_utility('s', 'o');	-- nobody declared what s may hold
SELECT split_part(everything_said($$SELECT pegs_utility('o', 4711::oid::regclass)$$), E'\n', 2) AS said;
SELECT pegs_utility(4711::oid::regclass, 's');

---- pegs_regression, linear: x = 0 1 2 3, y = 1 3 2 5 and 2 2 4 4
-- original: slope 5.5 / 5, intercept 2.75 - 1.65, RSS .01 + .64 + 1.69 + .36 = 2.7, variance 1.35: errors sqrt(1.35 / 5), sqrt(1.35 * .7)
-- synthetic: slope 4 / 5, intercept 3 - 1.2, RSS .8, variance .4: errors sqrt(.4 / 5), sqrt(.4 * .7)
-- distances .7 / 1.1 and .3 / 1.1, their median is in the middle; exp(-(.49 + .09)). A short interval inside a long one:
-- (1 + .282843 / .519615) / 2
CREATE TABLE l (x int CHECK (x IN (0, 1, 2, 3)), y numeric, g text CHECK (g IN ('n', 'y')), hit boolean);
SELECT pegs_set_bins('l', 'y', ARRAY['0', '2', '4', '6']);
CREATE TABLE ls (x int, y float8, g text, hit boolean);
INSERT INTO l (x, y) VALUES (0, 1), (1, 3), (2, 2), (3, 5);
INSERT INTO ls (x, y) VALUES (0, 2), (1, 2), (2, 4), (3, 4);
SELECT term, round(original::numeric, 4) AS original, round(original_error::numeric, 4) AS error, round(synthetic::numeric, 4) AS synthetic, round(synthetic_error::numeric, 4) AS error,
	round(distance::numeric, 4) AS distance, round(overlap::numeric, 4) AS overlap, guarantee
FROM pegs_regression('l', 'ls', 'linear', 'y', ARRAY['x']);
-- rows where a number is not there are left out and counted: no coefficient changes
INSERT INTO l (x, y) VALUES (NULL, 1), (1, NULL);
INSERT INTO ls (x, y) VALUES (1, 'NaN'), (NULL, NULL), (NULL, 3);
SELECT term, round(original::numeric, 4) AS original, round(synthetic::numeric, 4) AS synthetic FROM pegs_regression('l', 'ls', 'linear', 'y', ARRAY['x']) WHERE original IS NOT NULL;
-- a number as a factor: the means are 1 3 2 5 and 2 2 4 4, the first is the reference
SELECT term, round(original::numeric, 4) AS original, round(synthetic::numeric, 4) AS synthetic FROM pegs_regression('l', 'ls', 'linear', 'y', ARRAY['x'], factors => ARRAY['x']) WHERE term ~ '^x|interc|rows';
-- a number outside the declared domain is a number all the same; as a factor it is not declared, and its row is left out
INSERT INTO ls (x, y) VALUES (9, 1);
SELECT factors, term, round(synthetic::numeric, 4) AS synthetic FROM (VALUES (NULL::name[]), ('{x}')) AS f (factors), pegs_regression('l', 'ls', 'linear', 'y', ARRAY['x'], factors) WHERE term ~ '^.rows';
---- logistic, of a 2 x 2 table: log odds
-- n: 3 of 4, ln 3; y: 1 of 4, ln (1/3) - ln 3 = -ln 9; errors sqrt(1/3 + 1), sqrt(2 (1/3 + 1)); synthetic: 2 of 4 in both
TRUNCATE l, ls;
INSERT INTO l (g, hit) VALUES ('n', true), ('n', true), ('n', true), ('n', false), ('y', true), ('y', false), ('y', false), ('y', false);
INSERT INTO ls (g, hit) SELECT g, i = 1 FROM unnest(ARRAY['n', 'y']) AS g, generate_series(0, 1) AS i, generate_series(1, 2);
SELECT term, round(original::numeric, 4) AS original, round(original_error::numeric, 4) AS error, round(synthetic::numeric, 4) + 0.0 AS synthetic, round(synthetic_error::numeric, 4) AS error,
	round(distance::numeric, 4) AS distance
FROM pegs_regression('l', 'ls', 'logistic', 'hit', ARRAY['g']);
SELECT r(ln(3)), r(-ln(9)), r(sqrt(4 / 3.0)), r(sqrt(8 / 3.0));
-- the same of a text target, of its other level (signs turn), and of all levels
SELECT target, term, round(original::numeric, 4) AS original FROM unnest(ARRAY['hit = true', 'hit=false', ' hit  =  false ']) AS target, pegs_regression('l', 'ls', 'logistic', target, ARRAY['g']) WHERE term ~ '^g|inter';
SELECT term, round(original::numeric, 4) AS original FROM pegs_regression('l', 'ls', 'logistic', 'g = y', ARRAY['hit']) WHERE term ~ '^hit|inter';
SELECT term, original > 5 AS large, original_error FROM pegs_regression('l', 'ls', 'logistic', 'g = y | n', ARRAY['hit']) WHERE term ~ 'inter';

---- arguments of pegs_regression (those that are refused alone: test/pgtap/arguments.sql)
SELECT split_part(everything_said($$SELECT pegs_regression('l', 'ls', 'linear', 'y', '{}')$$), E'\n', 2) AS said;
SELECT pegs_regression('l', 'ls', 'linear', 'y = 1', ARRAY['x']);

---- pegs_disclosure: 1aa 2ab 3b and 1aa 2b 3a
-- unique: key 3 of 5 rows; keys 2, 3 of 4; key 3 in both. Of all columns: 2a 2b 3b; 2b 3a; 2b. Three of 4 synthetic rows are
-- rows of the original; one of its three unique ones is there. One target: 1 and 3 (3 of 5 rows); all 4; all keys are known;
-- right for 1a 1a 2b; there and in the original: 1a 1a. Wrong: 2a 3b; own guess for 2 is a: 2b is wrong; the mode a is wrong twice.
CREATE TABLE d (k int NOT NULL CHECK (k IN (1, 2, 3)), t text NOT NULL CHECK (t IN ('a', 'b')));
CREATE TABLE ds (k int, t text);
INSERT INTO d VALUES (1, 'a'), (1, 'a'), (2, 'a'), (2, 'b'), (3, 'b');
INSERT INTO ds VALUES (1, 'a'), (1, 'a'), (2, 'b'), (3, 'a');
SELECT measure, r(value), guarantee FROM pegs_disclosure('d', 'ds', ARRAY['k'], 't');
-- keys are all other columns when they are not named; without a target there is uniqueness alone
SELECT (SELECT array_agg((measure, r(value))) FROM pegs_disclosure('d', 'ds', target => 't')) = (SELECT array_agg((measure, r(value))) FROM pegs_disclosure('d', 'ds', ARRAY['k'], 't')) AS the_same;
SELECT string_agg(measure || ' ' || r(value), ', ') FROM pegs_disclosure('d', 'ds') WHERE value IS NOT NULL;
-- a number is guessed by a mean: 1: 10 for 10 and 20; 2 is not known: (10 + 30) / 2 for 40. Errors 0 10 20; with the original 5 5 0
CREATE TABLE e (k int NOT NULL CHECK (k IN (1, 2, 3)), t int NOT NULL CHECK (t IN (10, 20, 30, 40)));
CREATE TABLE es (k int, t int);
INSERT INTO e VALUES (1, 10), (1, 20), (2, 40);
INSERT INTO es VALUES (1, 10), (3, 30);
SELECT measure, r(value) FROM pegs_disclosure('e', 'es', ARRAY['k'], 't') WHERE measure LIKE 'error%' OR measure IN ('matched', 'iS');
SELECT pegs_disclosure(NULL, 'ds');
SELECT pegs_disclosure('d', NULL);
SELECT pegs_disclosure('d', 'ds', ARRAY['z']);
SELECT pegs_disclosure('d', 'ds', ARRAY['k'], 'z');
SELECT pegs_disclosure('d', 'ds', ARRAY['k', 't'], 't');
SELECT pegs_disclosure('d', 'ds', ARRAY['k', NULL]);
SELECT pegs_disclosure('d', 'ds', '{}');
SELECT pegs_disclosure('d', 'ds', ARRAY['k'], 't', columns => ARRAY['k']);
SELECT pegs_disclosure('d', 's');

---- pegs_k_anonymity, of the same rows: classes of 2 2 1
-- in class 3 one level: distinct 1, e^0. Overall .6 .4; class 1 is .4 away, class 2 .1, class 3 .6
SELECT measure, r(value), guarantee FROM pegs_k_anonymity('d', ARRAY['k'], 't');
-- 2 a, 1 b, 1 c in one class: entropy (ln 2) / 2 + (ln 4) / 2 = 1.5 ln 2, its power of e is 2^1.5
CREATE TABLE h (k boolean NOT NULL, t text NOT NULL CHECK (t IN ('a', 'b', 'c')));
INSERT INTO h VALUES (true, 'a'), (true, 'a'), (true, 'b'), (true, 'c');
SELECT measure, r(value) FROM pegs_k_anonymity('h', ARRAY['k'], 't') WHERE measure IN ('k', 'l_distinct', 'l_entropy', 't_closeness');
SELECT string_agg(measure, ', ') FROM pegs_k_anonymity('h', ARRAY['k']);
SELECT pegs_k_anonymity(NULL, ARRAY['k']);
SELECT pegs_k_anonymity('d', NULL);
SELECT split_part(everything_said($$SELECT pegs_k_anonymity('d', '{}')$$), E'\n', 2) AS said;
SELECT pegs_k_anonymity('d', ARRAY['z']);
SELECT pegs_k_anonymity('d', ARRAY['k'], 'z');
SELECT pegs_k_anonymity('d', ARRAY['k', 'k']);
SELECT pegs_k_anonymity('d', ARRAY['k'], 'k');
SELECT pegs_k_anonymity('ds', ARRAY['k']);

---- pegs_combine: q-bar 2, between 1, within .5, T = (1 + 1/3) 1 - .5 = .833333
SELECT r(estimate), r("between"), r(within), r(variance), warning FROM pegs_combine(ARRAY[1, 2, 3], ARRAY[0.4, 0.5, 0.6]);
-- below 0: said, not hidden
SELECT r(estimate), r("between"), r(within), r(variance), warning FROM pegs_combine(ARRAY[1, 1, 1], ARRAY[0.4, 0.5, 0.6]);
SELECT pegs_combine(NULL, ARRAY[1, 2]);
SELECT pegs_combine(ARRAY[1, 2], NULL);
SELECT pegs_combine(ARRAY[1], ARRAY[1]);
SELECT pegs_combine('{}', '{}');
SELECT pegs_combine(ARRAY[1, 2], ARRAY[1, 2, 3]);
SELECT split_part(everything_said($$SELECT pegs_combine(ARRAY[1, NULL], ARRAY[1, 2])$$), E'\n', 2) AS said;
SELECT split_part(everything_said($$SELECT pegs_combine(ARRAY[1, 2], ARRAY[1, 'NaN'::float8])$$), E'\n', 2) AS said;
SELECT split_part(everything_said($$SELECT pegs_combine(ARRAY[1, 'Infinity'::float8], ARRAY[1, 2])$$), E'\n', 2) AS said;
SELECT pegs_combine(ARRAY[1, 2], ARRAY[1, -1]);

---- of a release or perturbed model: what pegs_rows and pegs_sample give is what is measured
SELECT pegs_set_budget('o', 100);
SELECT pegs_fit('regress measures', 'o', epsilon => 10);
SELECT pegs_fit('regress measures, sealed', 'o', columns => ARRAY['b', 'a'], parents => '{}');
SELECT pegs_release('regress measures, rows', 'regress measures, sealed', 20, 10, 20);
SELECT pegs_release('regress measures, noisy rows', 'regress measures', 7);
CREATE VIEW ledger AS SELECT * FROM pegs_ledger WHERE source = 'o'::regclass;
SELECT count(*) AS lines, sum(epsilon_to - epsilon_from) AS spent FROM ledger;
CREATE TABLE of_release AS SELECT * FROM pegs_rows('regress measures, rows') AS t(b text, a text);
CREATE TABLE of_noisy AS SELECT * FROM pegs_rows('regress measures, noisy rows') AS t(a text, b text);
SELECT (SELECT array_agg((measure, of, r(value)) ORDER BY measure, of) FROM pegs_utility_of('regress measures, rows', 2))
	= (SELECT array_agg((measure, of, r(value)) ORDER BY measure, of) FROM pegs_utility('o', 'of_release', 2, ARRAY['b', 'a'])) AS of_the_release,
	(SELECT array_agg((measure, of, r(value)) ORDER BY measure, of) FROM pegs_utility_of('regress measures, noisy rows'))
	= (SELECT array_agg((measure, of, r(value)) ORDER BY measure, of) FROM pegs_utility('o', 'of_noisy')) AS of_noisy_rows;
SELECT (SELECT array_agg((measure, r(value))) FROM pegs_disclosure_of('regress measures, rows', ARRAY['a'], 'b')) = (SELECT array_agg((measure, r(value))) FROM pegs_disclosure('o', 'of_release', ARRAY['a'], 'b')) AS of_the_release;
SELECT column_name, place, level, original FROM pegs_marginals_of('regress measures, rows');
SELECT bool_and(m.synthetic = (SELECT count(*) FROM of_release AS r WHERE to_jsonb(r) ->> m.column_name = m.level)) AS of_the_release, sum(synthetic) AS two_columns_of_20
FROM pegs_marginals_of('regress measures, rows') AS m WHERE level IS NOT NULL;
-- of a view
SELECT pegs_fit('regress measures, view', 'ov', epsilon => 5);
SELECT column_name, place, level, original FROM pegs_marginals_of('regress measures, view');
SELECT count(*) > 0 AS answers FROM pegs_utility_of('regress measures, view'), pegs_disclosure_of('regress measures, view', ARRAY['b'], 'a');
-- a perturbed model stands for some rows: as many are drawn
SELECT (SELECT value FROM pegs_utility_of('regress measures') WHERE measure = 'rows_synthetic') = greatest(round((pegs_describe('regress measures') ->> 'rows')::numeric), 0) AS as_many_rows;
SELECT count(*) FROM pegs_disclosure_of('regress measures');
SELECT pegs_marginals_of('regress measures, sealed');
SELECT pegs_utility_of('regress measures, sealed');
SELECT pegs_disclosure_of('regress measures, sealed');
SELECT pegs_utility_of('no such thing');
SELECT pegs_utility_of(NULL);
SELECT pegs_utility_of('regress measures', NULL);
SELECT pegs_utility_of('regress measures', 5);
SELECT pegs_utility_of('regress measures', measures => NULL);
SELECT pegs_disclosure_of(NULL);
SELECT pegs_disclosure_of('no such thing');
SELECT pegs_disclosure_of('regress measures', ARRAY['z']);
SELECT pegs_marginals_of(NULL);
SELECT pegs_marginals_of('no such thing');
-- NULL is a level of its own, and says NULL; "not declared" comes last
CREATE TABLE nullable (b boolean);
INSERT INTO nullable VALUES (true), (NULL), (NULL);
SELECT pegs_set_budget('nullable', 1000);
SELECT pegs_fit('regress measures, nullable', 'nullable', epsilon => 500);
SELECT * FROM pegs_marginals_of('regress measures, nullable');
-- a value came after the fit that is not in the fit's domain: it is counted as such
ALTER TABLE o DROP CONSTRAINT o_b_check;
INSERT INTO o VALUES ('x', 'new');
SELECT column_name, place, level, original FROM pegs_marginals_of('regress measures, rows') WHERE column_name = 'b';
DELETE FROM o WHERE b = 'new';
ALTER TABLE o ADD CHECK (b IN ('p', 'q', 'r'));

---- pegs_certificate: what is published with it
SELECT name, (SELECT string_agg(key, ', ' ORDER BY key COLLATE "C") FROM jsonb_object_keys(pegs_certificate(name)) AS key) AS keys
FROM unnest(ARRAY['regress measures, sealed', 'regress measures', 'regress measures, rows', 'regress measures, noisy rows']) AS name;
SELECT pegs_certificate('regress measures') -> 'columns' AS columns, pegs_certificate('regress measures, nullable') -> 'columns' AS columns;
-- as many levels as pegs_domain shows, NULL among them
CREATE TABLE wide (b boolean, t text NOT NULL CHECK (t IN ('x', 'y', 'z')), i int, f float8 NOT NULL, d date);
SELECT pegs_set_bins('wide', 'i', ARRAY['0', '5', '10']), pegs_set_bins('wide', 'f', ARRAY['0', '1', '2', '3']), pegs_set_bins('wide', 'd', ARRAY['2020-01-01', '2021-01-01']);
SELECT pegs_set_budget('wide', 10);
SELECT pegs_fit('regress measures, wide', 'wide', parents => '{}');
SELECT p.column_name, p.levels, c -> 'levels' AS certified
FROM pegs_domain('wide') AS p JOIN jsonb_array_elements(pegs_certificate('regress measures, wide') -> 'columns') AS c ON c ->> 'column' = p.column_name::text;
SELECT pegs_certificate('regress measures') -> 'epsilon' AS epsilon, pegs_certificate('regress measures, rows') -> 'charged' AS charged, pegs_certificate('regress measures, rows') -> 'n' AS n,
	pegs_certificate('regress measures, sealed') ? 'epsilon' AS priced, pegs_certificate('regress measures') -> 'versions' ->> 'pegs' = (SELECT extversion FROM pg_extension WHERE extname = 'pegs') AS version;
SELECT regexp_replace(pegs_certificate_text(name), 'made with pegs \S+ on PostgreSQL .*', 'made with ...') FROM unnest(ARRAY['regress measures, sealed', 'regress measures', 'regress measures, rows', 'regress measures, noisy rows']) AS name;
-- of a file that came in
SELECT pegs_import('regress measures, imported', pegs_export('regress measures'));
SELECT i.key, i.value AS imported, f.value AS fitted FROM jsonb_each(pegs_certificate('regress measures, imported')) AS i FULL JOIN jsonb_each(pegs_certificate('regress measures')) AS f USING (key) WHERE i.value IS DISTINCT FROM f.value ORDER BY key COLLATE "C";
SELECT pegs_certificate_text('regress measures, imported') LIKE 'Model "regress measures, imported"%' AS named;
SELECT statement, split_part(everything_said(statement), E'\n', 1) <> 'nothing' AS refused, everything_said(statement) ~ 'OID' AS murmurs FROM unnest(ARRAY[
	$$SELECT pegs_utility_of('regress measures, imported')$$, $$SELECT pegs_marginals_of('regress measures, imported')$$, $$SELECT pegs_disclosure_of('regress measures, imported')$$,
	$$SELECT pegs_audit('regress measures, imported')$$]) AS statement;
\set VERBOSITY terse
SELECT pegs_certificate('no such thing');
SELECT pegs_certificate(NULL);
SELECT pegs_certificate_text(NULL);
\set VERBOSITY default
-- no count and no noisy number of the original
SELECT pegs_certificate('regress measures')::text ~ 'sigma|pairs|cliques|"rows"' AS measured;

---- nothing was charged or noted by all of this, and nothing is left behind
SELECT count(*) AS lines, sum(epsilon_to - epsilon_from) AS spent FROM ledger;	-- one fit more: the view's
SELECT count(*) FROM pg_class WHERE relpersistence = 't' AND relnamespace = pg_my_temp_schema();

---- a cancel: an error, and nothing else
CREATE TABLE long (a int NOT NULL CHECK (a IN (0, 1, 2)), b int NOT NULL CHECK (b IN (0, 1, 2)));
INSERT INTO long SELECT i % 3, i % 2 FROM generate_series(1, 1000) AS i;
CREATE VIEW slow AS SELECT a, b FROM long WHERE pg_sleep(0.01) IS NOT NULL;
\set VERBOSITY terse
SET statement_timeout = '100ms';
SELECT pegs_utility('long', 'slow');
SELECT pegs_disclosure('long', 'slow');
SELECT pegs_regression('long', 'slow', 'linear', 'a', ARRAY['b']);
RESET statement_timeout;
\set VERBOSITY default
SELECT current_user = session_user AS still_who_one_was, current_setting('search_path') AS search_path;

SELECT count(pegs_drop(name)) FROM pegs_releases WHERE name LIKE 'regress measures%';
SELECT count(pegs_drop(name)) FROM pegs_models WHERE name LIKE 'regress measures%';
DROP SCHEMA regress_measures CASCADE;
