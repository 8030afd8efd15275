-- learn: levels and bins that are learnt from rows. Claims P15, P16.
--
-- With epsilon 1000 for each row of a unit there is no noise to speak of (it is not 0 with a chance below e^-1000), and the
-- threshold of levels is what one unit can have: exactly which rows count can be asked. What noise does is the core's, test/unit.
SET client_min_messages = warning;
CREATE EXTENSION pegs;
SELECT * FROM no_plan();
CREATE FUNCTION fact(source regclass, name name) RETURNS text LANGUAGE sql AS
$$ SELECT concat_ws(' ', levels, other, edges[1] || ' to ' || edges[cardinality(edges)], CASE WHEN drop_undeclared THEN 'drop' WHEN nearest THEN 'nearest' END, points) FROM pegs_internal.fact WHERE fact.source = $1 AND column_name = $2 $$;
CREATE FUNCTION learnt(source regclass, name name, epsilon float8 DEFAULT 1000) RETURNS text LANGUAGE plpgsql AS
$$ BEGIN PERFORM pegs_learn_levels(source, name, epsilon, 1e-9); RETURN fact(source, name); END $$;

---- levels: values with more rows than one unit has
CREATE TABLE t (a text, v varchar(3), c char(5), n int, d date, f float8, x numeric, y numeric(6, 2), at timestamptz, nothing text, own text);
INSERT INTO t (a, v, c, n, d, f, x, y, at, own)
SELECT (ARRAY['b', 'a', 'B', 'b '])[1 + i % 4], (ARRAY['x', 'y'])[1 + i % 2], (ARRAY['p', 'q'])[1 + i % 2], (ARRAY[10, -3, 2])[1 + i % 3], '2024-02-01'::date - i % 2,
	(ARRAY['NaN', '-0', '0', '2.5'])[1 + i % 4]::float8, (ARRAY['1.0', '1.00', '20', '3', 'NaN'])[1 + i % 5]::numeric, i % 2 + 0.5, '2024-01-01 12:00+00'::timestamptz + i % 2 * interval '1 hour', 'own ' || i
FROM generate_series(1, 120) AS i;
INSERT INTO t (a, n) VALUES ('once', 99);
SELECT pegs_set_budget('t', 1000000, 1e-3, 'sum');
SELECT is(learnt('t', 'a'), '{B,a,b,"b "} (other)', 'texts by their bytes, in their order; a value of one row is none, nor is NULL');
SELECT is(learnt('t', 'v'), '{x,y} drop', '"other" does not fit: rows are left out');
SELECT is(learnt('t', 'c'), '{p,q} other', 'char(n): without its blanks; "(other)" does not fit');
SELECT is(learnt('t', 'n'), '{-3,2,10} drop', 'numbers by value');
SELECT is(learnt('t', 'd'), '{2024-01-31,2024-02-01} drop', 'dates');
SELECT is(learnt('t', 'f'), '{0,2.5} drop', 'NaN is none, -0 is 0');
SELECT is(learnt('t', 'x'), '{1,3,20} drop', 'a number is one level, however it is written');
SELECT is(learnt('t', 'y'), '{0.50,1.50} drop', 'with the digits of its type');
SELECT is(learnt('t', 'at'), '{"2024-01-01 12:00:00+00","2024-01-01 13:00:00+00"} drop', 'times, in UTC');
SELECT is(learnt('t', 'own'), NULL, 'each value once: nothing is learnt');
SELECT is(learnt('t', 'nothing'), NULL, 'no value: nothing is learnt');
SELECT is((SELECT count(*) FROM pegs_internal.fact WHERE source = 't'::regclass), 9::bigint, 'and no empty fact is left');
SELECT pegs_set_levels('t', 'own', ARRAY['own 1']);
SELECT is(learnt('t', 'own'), '{"own 1"}', 'what was declared before stays, where nothing is learnt');
SELECT is((SELECT spent FROM pegs_budgets), 12000::numeric, 'all of it was charged');
SELECT is((SELECT delta_spent FROM pegs_budgets), 12e-9, 'and delta');
SELECT results_eq($$ SELECT DISTINCT action, unit, epsilon_to - epsilon_from, delta_to - delta_from FROM pegs_ledger WHERE epsilon_to > epsilon_from $$, $$ VALUES ('learn', 'row', 1000::numeric, 1e-9) $$, 'lines of the ledger');
SELECT is((SELECT object FROM pegs_ledger ORDER BY epsilon_to DESC LIMIT 1), 'public.t.own', 'each with its column');
SELECT pegs_set_bins('t', 'f', ARRAY[0, 1]);
SELECT lives_ok($$ SELECT pegs_fit('of levels', 't', ARRAY['a', 'v', 'n', 'x'], epsilon => 1000) $$, 'a fit of them');
SELECT is((SELECT string_agg(DISTINCT a, ',' ORDER BY a) FROM pegs_sample('of levels', 500) AS t(a text)), 'B,a,b,b ', 'has these levels: rows of others are "other", or left out');

---- texts that their collation takes for equal: what one row wrote may not stand for the others (without ICU: bytes anyhow)
DO $$ BEGIN
	IF EXISTS (SELECT FROM pg_collation WHERE collprovider = 'i') THEN
		CREATE COLLATION folded (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
	ELSE
		CREATE COLLATION folded FROM "C";
	END IF;
END $$;
CREATE TABLE cased (who int, a text COLLATE folded, b varchar(8) COLLATE folded);
INSERT INTO cased SELECT i, w, w FROM generate_series(1, 6) AS i, LATERAL (SELECT CASE WHEN i % 2 = 0 THEN 'Rome' ELSE 'rome' END AS w) AS v;
INSERT INTO cased VALUES (7, 'ROME', 'ROME');
SELECT pegs_set_budget('cased', 100000, 1e-6, 'sum');
SELECT is(learnt('cased', c), '{Rome,rome} (other)', 'bytes, of a collation that folds case: ' || c) FROM unnest(ARRAY['a', 'b']::name[]) AS c;
SELECT pegs_set_unit('cased', 'who', 1);
SELECT is(learnt('cased', 'a'), '{Rome,rome} (other)', 'of persons, too');

---- the level of others has a name of its own
CREATE TABLE named (a text, b varchar(6), c varchar(6));
INSERT INTO named SELECT v.* FROM (VALUES ('(other)', 'other', 'other'), ('(other)_', 'z', 'other_'), ('z', 'z', 'z')) AS v, generate_series(1, 2);
SELECT pegs_set_budget('named', 100000, 1e-6, 'sum');
SELECT is(learnt('named', 'a'), '{(other),(other)_,z} (other)__', '(other) and (other)_ were learnt');
SELECT is(learnt('named', 'b'), '{other,z} other_', 'other was learnt');
SELECT is(learnt('named', 'c'), '{other,other_,z} drop', 'and no other name fits');

---- more values than levels: those with the most rows
CREATE TABLE wide (a int);
INSERT INTO wide SELECT i FROM generate_series(1, 65600) AS i, generate_series(1, 2);
INSERT INTO wide SELECT i FROM generate_series(20, 65600) AS i;
SELECT pegs_set_budget('wide', 10000, 1e-6, 'sum');
SELECT pegs_learn_levels('wide', 'a', 1000, 1e-9);
SELECT is(cardinality(levels), 65533, 'as many levels as there may be, but for "other" and NULL') FROM pegs_internal.fact WHERE source = 'wide'::regclass;
SELECT is((SELECT count(*) FROM pegs_internal.fact, unnest(levels) AS l WHERE source = 'wide'::regclass AND l::int < 20), 0::bigint, 'without those that have fewer rows');
SELECT ok(string_agg(l, ',' ORDER BY l::int) = string_agg(l, ',' ORDER BY o), 'in the order of their values')
FROM pegs_internal.fact, unnest(levels) WITH ORDINALITY AS u(l, o) WHERE source = 'wide'::regclass;

---- which rows count: units
CREATE TABLE visit (who int, a text, k int NOT NULL DEFAULT 1);
-- of 'one person' ten rows of one person, of 'two persons' one row each, of 'nobody' rows without a person
INSERT INTO visit (who, a) SELECT 1, 'one person' FROM generate_series(1, 10);
INSERT INTO visit (who, a) VALUES (2, 'two persons'), (3, 'two persons');
INSERT INTO visit (who, a) SELECT NULL, 'nobody' FROM generate_series(1, 500);
SELECT pegs_set_budget('visit', 10000000, 1e-3, 'sum'), pegs_set_unit('visit', 'who', 1);
SELECT is(learnt('visit', 'a'), '{"two persons"} (other)', 'one row of each person: a value of one person alone is none');
SELECT pegs_set_unit('visit', 'who', 3);
INSERT INTO visit (who, a) SELECT p, 'four rows' FROM (VALUES (4), (4), (5), (5)) AS v(p);
INSERT INTO visit (who, a) SELECT p, 'three rows' FROM (VALUES (6), (6), (7)) AS v(p);
SELECT is(learnt('visit', 'a', 3000), '{"four rows"} (other)', 'three rows of each person: above three rows, of which one person has at most three');
SELECT is((SELECT unit FROM pegs_ledger WHERE source = 'visit'::regclass ORDER BY epsilon_to DESC LIMIT 1), 'person: who', 'the ledger says whose');
-- persons that weigh the same: each counts 64 times, however many rows it has; a value needs more than one person
CREATE TABLE equal (who int, a text);
INSERT INTO equal SELECT r, 'alone ' || r FROM (VALUES (1), (2), (3), (5), (7), (63), (64), (65), (100)) AS v(r), generate_series(1, v.r);
INSERT INTO equal SELECT 1000, 'one more' FROM generate_series(1, 3);
INSERT INTO equal SELECT 1001, CASE WHEN i = 1 THEN 'one more' ELSE 'rest ' || i END FROM generate_series(1, 64) AS i;
SELECT pegs_set_budget('equal', 10000000, 1e-3, 'sum'), pegs_set_unit('equal', 'who', weighting => 'person');
SELECT is(learnt('equal', 'a', 64000), '{"one more"} (other)', 'person: 64 times exactly, and one row of 64 of another person is one more');
-- a NULL takes its place among a person's rows, whatever was declared
CREATE TABLE places (who int, a text, b text);
INSERT INTO places SELECT p, CASE WHEN i = 1 THEN 'x' END, 'x' FROM generate_series(1, 20) AS p, generate_series(1, 400) AS i;
SELECT pegs_set_budget('places', 10000000, 1e-3, 'sum'), pegs_set_unit('places', 'who', 1), pegs_set_levels('places', 'a', ARRAY['as it was'], undeclared => 'drop', nullable => false);
-- of 20 persons 0.05 have their one x chosen, on the average (hashes decide: it is the same in every run)
SELECT is(learnt('places', 'a'), '{"as it was"} drop', 'of 400 rows that take their places the one x is not chosen');
CREATE TABLE counted AS SELECT who, coalesce(a, 'y') AS a FROM places;
SELECT pegs_set_budget('counted', 10000000, 1e-3, 'sum'), pegs_set_unit('counted', 'who', 1);
SELECT is(learnt('counted', 'a'), '{y} (other)', 'as where it is a value like others');

---- declared facts are not looked at: what others leave out, and what was declared before
CREATE TABLE facts (a text, b text);
INSERT INTO facts SELECT CASE WHEN i <= 5 THEN 'p' ELSE 'q' END, CASE WHEN i <= 5 THEN 'gone' ELSE 'kept' END FROM generate_series(1, 10) AS i;
SELECT pegs_set_budget('facts', 100000, 1e-6, 'sum'), pegs_set_levels('facts', 'b', ARRAY['kept'], undeclared => 'drop'), pegs_set_levels('facts', 'a', ARRAY['q'], undeclared => 'drop');
SELECT is(learnt('facts', 'a'), '{p,q} (other)', 'all rows count');

---- a view: its own facts, its table's account
CREATE VIEW uppers AS SELECT upper(a) AS u FROM t WHERE n > 0;
SELECT is(learnt('uppers', 'u'), '{A,B,"B "} (other)', 'a view');
SELECT is((SELECT object FROM pegs_ledger WHERE source = 't'::regclass ORDER BY epsilon_to DESC LIMIT 1), 'public.uppers.u', 'is charged to its table');
CREATE DOMAIN word AS text CHECK (VALUE <> '');
CREATE TABLE words (w word);
INSERT INTO words VALUES ('a'), ('a');
SELECT pegs_set_budget('words', 10000, 1e-6, 'sum');
SELECT is(learnt('words', 'w'), '{a} (other)', 'a domain over text');

---- ranges
CREATE FUNCTION range(source regclass, name name, epsilon float8 DEFAULT 1000, bins int DEFAULT 32) RETURNS text LANGUAGE plpgsql AS
$$ BEGIN PERFORM pegs_learn_range(source, name, epsilon, bins); RETURN fact(source, name); END $$;
CREATE TABLE r (age int, small smallint, big bigint, money numeric(10, 2), tight numeric(4, 2), share float8, real float4, plain numeric, below int, signs float8, born date, at timestamp, tz timestamptz, zero int, nothing int, top int, cents numeric(3, 3));
INSERT INTO r SELECT 18 + i % 70, 32767 - i % 7, 9223372036854775807 - i, CASE WHEN i % 3 = 0 THEN 0 ELSE 100 + i % 40000 END, 40 + i % 59.99, 0.3 + i / 100000.0, i % 10, i * 0.37, -100 - i % 50, i - 5000,
	'1940-01-01'::date + i * 3 % 25000, '2024-01-01'::timestamp + i * interval '1 hour', '2024-01-01 00:00+00'::timestamptz + i * interval '1 hour', 0, NULL, CASE WHEN i % 2 = 0 THEN 2147483647 ELSE -2147483648 END, i % 999 / 1000.0
FROM generate_series(1, 10000) AS i;
SELECT pegs_set_budget('r', 100000);
SELECT is(range('r', 'age'), '18 to 87 nearest', 'ages: those that there are');
SELECT ok(range('r', 'small') LIKE '% to 32767 nearest', 'smallint ends where it ends');
SELECT ok(range('r', 'big') LIKE '% to 9223372036854775807 nearest', 'bigint, too');
SELECT ok(range('r', 'top') LIKE '-2147483648 to 2147483647 nearest', 'integer, at both ends');
SELECT ok(range('r', 'money') ~ '^\d+\.00 to \d+\.00 nearest \{0.00\}$', 'money: 0 is a level of its own');
SELECT ok(edges[1]::numeric > 0 AND edges[cardinality(edges)]::numeric >= 10100, 'and its bins lie above') FROM pegs_internal.fact WHERE source = 'r'::regclass AND column_name = 'money';
SELECT ok(range('r', 'tight') LIKE '% to 99.99 nearest', 'numeric(4, 2): nothing that it cannot hold');
SELECT ok(range('r', 'cents') LIKE '% to 0.999 nearest', 'numeric(3, 3), too');
SELECT ok(range('r', 'share') ~ ' nearest$', 'floats');
SELECT ok(range('r', 'real') ~ ' nearest \{0[,}]', 'real');
SELECT ok(range('r', 'plain') ~ ' nearest$', 'numeric without digits');
SELECT ok(range('r', 'below') ~ '^-\d+ to -\d+ nearest( \{-\d+\})?$', 'below zero alone');
SELECT ok(range('r', 'signs') ~ '^-\d+ to \d+ nearest$', 'both signs');
SELECT is(range('r', 'zero'), '0 to 1 nearest {1}', 'nothing but zeros: 1 is a point, since the last bin is closed');
CREATE TABLE zeros (m numeric(10, 2), f float8, s numeric(3, 3), whole numeric(5, 0));
INSERT INTO zeros SELECT 0, 0, 0, 0 FROM generate_series(1, 1000);
INSERT INTO zeros VALUES (700, 700, 0.7, 700), (-1, -1, -0.7, -1);
SELECT pegs_set_budget('zeros', 100000);
SELECT is(range('zeros', 'm', 1), '0.00 to 0.01 nearest {0.00}', 'nothing but zeros, with digits: a point, and one bin for all others');
SELECT is(range('zeros', 'f', 1), '0 to 1e-06 nearest {0}', 'of floats');
SELECT is(range('zeros', 's', 1), '0.000 to 0.001 nearest {0.000}', 'of few digits');
SELECT is(range('zeros', 'whole', 1), '0 to 1 nearest {0}', 'of a numeric without');
SELECT lives_ok($$ SELECT pegs_fit('of zeros', 'zeros', epsilon => 100) $$, 'a fit of them');
SELECT ok(bool_and(n BETWEEN 0.99 AND 1), 'zeros come back as 0, not as what is beside it')
	FROM (SELECT unnest(ARRAY[avg((m = 0)::int), avg((f = 0)::int), avg((s = 0)::int), avg((whole = 0)::int)]) AS n FROM pegs_sample('of zeros', 5000) AS t(m numeric(10, 2), f float8, s numeric(3, 3), whole numeric(5, 0))) AS q;
SELECT is(range('r', 'born'), '1940-01-01 to 2009-01-01 nearest', 'dates: whole years');
SELECT is(range('r', 'at'), '2024-01-01 00:00:00 to 2026-01-01 00:00:00 nearest', 'times');
SELECT is(range('r', 'tz'), '2024-01-01 00:00:00+00 to 2026-01-01 00:00:00+00 nearest', 'times of a zone');
SELECT is(range('r', 'nothing'), NULL, 'nothing is learnt of NULLs');
SELECT is((SELECT count(*) FROM pegs_internal.fact WHERE source = 'r'::regclass), 16::bigint, 'and no empty fact is left');
SELECT is((SELECT spent FROM pegs_budgets WHERE source = 'r'::regclass), 17000::numeric, 'each was charged, once');
SELECT is((SELECT delta_spent FROM pegs_budgets WHERE source = 'r'::regclass), 0::numeric, 'without delta');
SELECT ok(min(cardinality(edges)) >= 2 AND max(cardinality(edges)) <= 90, 'about as many edges as bins') FROM pegs_internal.fact WHERE source = 'r'::regclass;
SELECT ok(bool_and(e::numeric < f::numeric), 'edges rise') FROM pegs_internal.fact, unnest(edges[:cardinality(edges) - 1], edges[2:]) AS u(e, f) WHERE source = 'r'::regclass AND column_name IN ('age', 'small', 'big', 'money', 'tight', 'share', 'plain', 'below', 'signs');
SELECT ok((SELECT cardinality(edges) FROM pegs_internal.fact WHERE source = 'r'::regclass AND column_name = 'age') BETWEEN 20 AND 70, 'the default is 32 bins');
SELECT range('r', 'age', 1000, 4), range('r', 'share', 1000, 300);
SELECT ok((SELECT cardinality(edges) FROM pegs_internal.fact WHERE source = 'r'::regclass AND column_name = 'age') < 15, 'fewer bins');
SELECT ok((SELECT cardinality(edges) FROM pegs_internal.fact WHERE source = 'r'::regclass AND column_name = 'share') > 200, 'more bins');
SELECT lives_ok($$ SELECT pegs_fit('of bins', 'r', ARRAY['age', 'share', 'below', 'born', 'tz'], epsilon => 100) $$, 'a fit of them');
SELECT ok(avg(age) BETWEEN 50 AND 56 AND avg(below) BETWEEN -127 AND -122, 'has about the means of the rows') FROM pegs_sample('of bins', 5000) AS t(age int, below int);

---- ranges: which rows count
CREATE TABLE rp (who int, n int);
-- a person with a hundred thousand rows far away, a thousand with one row each
INSERT INTO rp SELECT 0, 1000000 FROM generate_series(1, 20000);
INSERT INTO rp SELECT p, 50 FROM generate_series(1, 1000) AS p;
SELECT pegs_set_budget('rp', 10000), pegs_set_unit('rp', 'who', 1);
CREATE FUNCTION far() RETURNS bigint LANGUAGE plpgsql AS $$ BEGIN PERFORM range('rp', 'n'); RETURN (SELECT count(*) FROM pegs_internal.fact, unnest(edges) AS e WHERE source = 'rp'::regclass AND e::bigint > 1000); END $$;
SELECT cmp_ok(far(), '<', 24::bigint, 'one person''s rows have no more bins than one row');
SELECT pegs_set_unit('rp', 'who', weighting => 'person');
SELECT cmp_ok(far(), '<', 24::bigint, 'nor where all of them count');
SELECT pegs_set_unit('rp', NULL);
SELECT cmp_ok(far(), '>', 26::bigint, 'unless rows are protected, not persons');

-- what is in no cell, and NULL, takes no place among a person's rows
CREATE TABLE outside (who int, d date, e date);
INSERT INTO outside SELECT p, CASE WHEN i = 1 THEN '2000-06-01'::date ELSE '1700-01-01' END, CASE WHEN i = 1 THEN '2000-06-01'::date END FROM generate_series(1, 20) AS p, generate_series(1, 400) AS i;
SELECT pegs_set_budget('outside', 100000), pegs_set_unit('outside', 'who', 1);
SELECT is(range('outside', c), '2000-01-01 to 2001-01-01 nearest', words) FROM (VALUES ('d'::name, 'what is outside is left out before one row of each person is chosen'), ('e', 'and so is NULL')) AS v (c, words);

---- tables of nothing, of one row: the same way
CREATE TABLE empty (a text, n int);
SELECT pegs_set_budget('empty', 10000, 1e-6, 'sum');
SELECT is(learnt('empty', 'a', 1), NULL, 'levels of an empty table');
SELECT is(range('empty', 'n'), NULL, 'the range of an empty table');
INSERT INTO empty VALUES ('x', 1);
SELECT is(learnt('empty', 'a', 1), NULL, 'levels of one row');
SELECT is(range('empty', 'n'), '{1} drop', 'one row: its value is a level');
SELECT is((SELECT spent FROM pegs_budgets WHERE source = 'empty'::regclass), 2002::numeric, 'are charged like others');

---- whatever was drawn can be declared, or nothing is: an error before the charge would say something of the rows for nothing
CREATE TABLE small AS SELECT CASE WHEN i % 10 < 4 THEN 0 WHEN i % 10 < 8 THEN 1 WHEN i % 10 < 9 THEN 2 ELSE 3 END AS n, (i % 3)::numeric(4, 2) AS share, (i % 2)::smallint AS flag FROM generate_series(1, 2000) AS i;
SELECT pegs_set_budget('small', 1000);
SELECT lives_ok(format('SELECT pegs_learn_range(%L, %L, epsilon => 0.05)', 'small', c), c) FROM unnest(ARRAY['n', 'share', 'flag']) AS c, generate_series(1, 10);
SELECT lives_ok(format('SELECT pegs_learn_range(%L, %L, epsilon => 1, bins => %s)', 'small', c, b), c || ', bins ' || b) FROM unnest(ARRAY['n', 'share', 'flag']) AS c, unnest(ARRAY[1, 2, 7, 100]) AS b;
SELECT is((SELECT spent FROM pegs_budgets WHERE source = 'small'::regclass), 13.5, 'each was charged');

---- what lies outside counts in the first bin or the last, and no row is lost
CREATE TABLE beyond (n int, k int NOT NULL);
INSERT INTO beyond SELECT CASE WHEN i <= 1000 THEN 10 + i % 20 WHEN i <= 1010 THEN -5 WHEN i <= 1030 THEN 1000000 END, 1 FROM generate_series(1, 1040) AS i;
SELECT pegs_set_budget('beyond', 10000, 1e-6, 'sum'), pegs_set_bins('beyond', 'n', '{10,15,20,30}', undeclared => 'nearest'), pegs_set_levels('beyond', 'k', '{1}');
SELECT pegs_fit('of outside', 'beyond', epsilon => 1000);
SELECT results_eq($$ SELECT count(*) FILTER (WHERE n < 15), count(*) FILTER (WHERE n >= 20), count(*) FILTER (WHERE n IS NULL), min(n) >= 10, max(n) <= 30 FROM pegs_sample('of outside', 1040) AS t(n int, k int) $$,
	$$ VALUES (260::bigint, 520::bigint, 10::bigint, true, true) $$, 'in the first bin, in the last, and NULL is NULL');
SELECT is((SELECT count(*) FROM pegs_utility_of('of outside') WHERE measure = 'tv1' AND value < 0.01), 2::bigint, 'measures count them there, too');
SELECT is(pegs_facts('beyond') #>> '{columns,n,undeclared}', 'nearest', 'pegs_facts says so');
SELECT is((SELECT origin FROM pegs_domain('beyond') WHERE column_name = 'n'), 'declared bins, other values count in the nearest', 'and pegs_domain');
SELECT throws_ok($$ SELECT pegs_set_levels('beyond', 'n', '{1}', undeclared => 'nearest') $$, '22023', 'undeclared => ''nearest'' is for bins');
SELECT throws_ok($$ SELECT pegs_set_bins('beyond', 'n', '{1,2}', undeclared => 'far') $$, '22023', 'undeclared must be ''error'', ''drop'' or ''nearest''');

-- of a person: a NaN is left out before its row is chosen, a number outside takes its place like others
CREATE TABLE chosen (who int, nan float8, out float8);
INSERT INTO chosen SELECT p, CASE WHEN i = 1 THEN 2 ELSE 'NaN'::float8 END, CASE WHEN i = 1 THEN 2 ELSE 1e9 END FROM generate_series(1, 20) AS p, generate_series(1, 400) AS i;
SELECT pegs_set_budget('chosen', 10000, 1e-6, 'sum'), pegs_set_unit('chosen', 'who', 1);
SELECT pegs_set_bins('chosen', c, '{0,5,10}', undeclared => 'nearest', nullable => false), pegs_fit('of ' || c, 'chosen', ARRAY[c], epsilon => 1000) FROM unnest('{nan,out}'::name[]) AS c;
SELECT is((SELECT count(*) FROM pegs_sample('of nan', 1000) AS t(nan float8) WHERE nan < 5), 1000::bigint, 'NaN takes no place among the rows of its person');
SELECT cmp_ok((SELECT count(*) FROM pegs_sample('of out', 1000) AS t(out float8) WHERE out < 5), '<', 300::bigint, 'a number outside does');

---- a second look
CREATE TABLE closer AS SELECT 1 + i % 4 AS grade, (ARRAY[0.99, 2.99, 4.99])[1 + i % 3] AS price, CASE WHEN i % 2 = 0 THEN 140 ELSE i % 200 END AS heavy FROM generate_series(1, 3000) AS i;
SELECT pegs_set_budget('closer', 10000, 1e-6, 'sum');
SELECT is(range('closer', 'grade'), '1 to 4 nearest {4}', 'grades: no other than there are');
SELECT ok(range('closer', 'price') ~ ' nearest \{0.99,2.99,4.99\}$', 'prices are points');
SELECT ok(range('closer', 'heavy') ~ ' nearest \{140\}$', 'so is a heavy value among others');

---- numerics of every scale: the largest value of the type; zeros before the point; more digits than edges have
SELECT current_setting('server_version_num')::int >= 150000 AS has_negative_scales \gset
\if :has_negative_scales
CREATE TABLE scales (top numeric(6, 2), hundreds numeric(5, -2), fine numeric(38, 20), n int);
\else
CREATE TABLE scales (top numeric(6, 2), hundreds numeric(7, 0), fine numeric(38, 20), n int);
\endif
INSERT INTO scales SELECT 9999.99, CASE WHEN i % 50 = 0 THEN 9999900 ELSE i % 50 * 100 + 1000 END, i / 3.0, i % 10 FROM generate_series(1, 2000) AS i;
SELECT pegs_set_budget('scales', 1000000, 1e-3);
SELECT ok(range('scales', 'top') ~ '^9\d\d\d.00 to 9999.99 nearest', 'all that is there is the largest value that there can be');
SELECT pegs_unset('scales', 'top');
SELECT throws_ok($$ SELECT pegs_learn_range('scales', 'fine', 1) $$, '0A000', 'column "fine" cannot have bins: 20 digits after the point');
CREATE FUNCTION told(statement text) RETURNS text LANGUAGE plpgsql AS $$ BEGIN EXECUTE statement; RETURN 'no error'; EXCEPTION WHEN OTHERS THEN RETURN sqlerrm; END $$;
SELECT is(told($$ SELECT pegs_learn('scales', 1000) $$), 'no error', 'one column that cannot be learnt is no error of all');
SELECT results_eq($$ SELECT column_name, origin, problem FROM pegs_domain('scales') $$, $$ VALUES ('top'::name, 'learnt bins, other values count in the nearest', NULL), ('hundreds', 'learnt bins, other values count in the nearest', NULL),
	('fine', NULL, 'no declared domain'), ('n', 'learnt bins, other values count in the nearest', NULL) $$, 'the others are');
SELECT ok(fact('scales', 'hundreds') ~ '^1000 to 9999900 nearest', 'hundreds: to the last that there are');
\if :has_negative_scales
SELECT is((SELECT count(*) FROM unnest((SELECT edges FROM pegs_internal.fact WHERE source = 'scales'::regclass AND column_name = 'hundreds')) AS e WHERE e !~ '00$'), 0::bigint, 'edges are hundreds');
\else
SELECT skip('no negative scales here');
\endif
SELECT throws_ok($$ SELECT pegs_learn('scales', 1, columns => '{fine}') $$, '0A000', 'column "fine" cannot have bins: 20 digits after the point');
SELECT is((SELECT array_agg(p) FROM pegs_propose('scales') AS p), '{"-- fine has values with 20 digits after the point: use a view that rounds them"}', 'pegs_propose says so');
SELECT is((SELECT array_agg(p) FROM pegs_propose('scales', 1) AS p), '{"-- fine has values with 20 digits after the point: use a view that rounds them"}', 'and does not have it learnt');

---- many columns in one go
CREATE TABLE many AS SELECT (ARRAY['x', 'y'])[1 + i % 2] AS a, i % 50 AS n, (i % 7)::numeric AS z, 'own ' || i AS own, 'text ' || i AS more, i % 3 AS d, i % 4 AS e, i % 5 AS f, i % 6 AS g, i AS h FROM generate_series(1, 2000) AS i;
ALTER TABLE many ADD PRIMARY KEY (h);
SELECT pegs_set_budget('many', 10000, 1e-6, 'sum'), pegs_set_levels('many', 'more', ARRAY['as it was'], other => 'rest');
SELECT pegs_learn('many', 1000, 1e-9);
SELECT is(fact('many', c), what, 'many: ' || c) FROM (VALUES ('a', '{x,y} (other)'), ('d', '0 to 2 nearest {2}'), ('own', ''), ('more', '{"as it was"} rest')) AS w (c, what);
SELECT results_eq($$ SELECT problem, remedy FROM pegs_domain('many') WHERE column_name = 'own' $$,
	$$ VALUES ('it is left out: nothing was learnt of it', 'SELECT pegs_set_levels(''public.many'', ''own'', ARRAY[''...'']);') $$, 'what nothing is learnt of is left out, and is not said to be declared');
SELECT results_eq($$ SELECT object, epsilon_to - epsilon_from, delta_to - delta_from FROM pegs_ledger WHERE source = 'many'::regclass AND action = 'learn' $$, $$ VALUES ('public.many (8 columns)', 1000::numeric, 1e-9) $$, 'one charge');
SELECT pegs_learn('many', 1000, 1e-9, ARRAY['more', 'n']);
SELECT is(fact('many', 'more'), '{"as it was"} rest', 'what was declared before stays');
SELECT throws_ok($$ SELECT pegs_learn('many', 1, 1e-9, ARRAY['n', 'n']) $$, '42701', 'column "n" is named twice');
SELECT throws_ok($$ SELECT pegs_learn('many', 1, 0, ARRAY['a']) $$, '22023', 'levels cannot be learnt without delta');
SELECT lives_ok($$ SELECT pegs_learn('many', 1, 0, ARRAY['n', 'd']) $$, 'ranges can');
SELECT throws_ok($$ SELECT pegs_learn('many', 1e-9, 1e-9, ARRAY['n', 'a']) $$, '22023', 'epsilon and delta are too small for 2 columns');
SELECT throws_ok($$ SELECT pegs_learn('many', 1, 1e-9) $$, '22023', 'public.many has no column of which nothing is known');
SELECT throws_ok($$ SELECT pegs_learn_levels('many', 'h', 1, 1e-9) $$, '42809', 'column "h" is a key: each of its values has one row, and no level is to be learnt');
SELECT lives_ok($$ SELECT pegs_fit('of many', 'many', epsilon => 10) $$, 'and a fit does not stop');

---- noise is each column's own, and each call's: of 540 values with about as many rows as a level needs (42, epsilon 0.5) the same are
---- found twice with a chance below 1e-16
CREATE TABLE echo AS SELECT v AS a, v AS b FROM generate_series(1, 540) AS v, LATERAL generate_series(1, 38 + v % 9);
SELECT pegs_set_budget('echo', 100, 1e-6, 'sum');
CREATE FUNCTION found(name name) RETURNS text LANGUAGE plpgsql AS $$ BEGIN PERFORM pegs_learn_levels('echo', name, 0.5, 5e-10); RETURN fact('echo', name); END $$;
SELECT isnt(found('a'), found('a'), 'another call, another noise');
SELECT isnt(found('a'), found('b'), 'of columns that are alike');
CREATE TABLE echoes AS SELECT 'v' || a AS a, 'v' || a AS b FROM echo;
SELECT pegs_set_budget('echoes', 100, 1e-6, 'sum');
SELECT pegs_learn('echoes', 1, 1e-9);
SELECT cmp_ok(cardinality(levels), '>', 60, 'many in one go: some are found, of ' || column_name) FROM pegs_internal.fact WHERE source = 'echoes'::regclass;
SELECT isnt(fact('echoes', 'a'), fact('echoes', 'b'), 'many in one go: columns that are alike have noise of their own');

---- a call that has no room is told what has: pasted it is charged, and a tenth more would not be
CREATE FUNCTION hint_of(statement text) RETURNS text LANGUAGE plpgsql AS $$ DECLARE h text; BEGIN EXECUTE statement; RETURN 'ok'; EXCEPTION WHEN OTHERS THEN GET STACKED DIAGNOSTICS h = PG_EXCEPTION_HINT; RETURN h; END $$;
CREATE TABLE calls (t text, call text);
INSERT INTO calls VALUES ('one', $$pegs_learn_range('one', 'n', %s)$$), ('two', $$pegs_learn_levels('two', 't', %s, 1e-9)$$), ('three', $$pegs_learn('three', %s, 1e-7)$$), ('four', $$pegs_learn('four', %s, 0, '{n, m}')$$);
SELECT format('CREATE TABLE %s AS SELECT i %% 100 AS n, i %% 7 AS m, ''x'' || i %% 3 AS t FROM generate_series(1, 1000) AS i', t), format('SELECT pegs_set_budget(%L, 3, 1e-6, ''zcdp'')', t) FROM calls \gexec
CREATE TABLE room AS SELECT call, substring(hint_of('SELECT ' || format(call, 1000)) FROM '^Ask for less: epsilon => ([0-9.]+) at most[.] Nothing')::numeric AS e FROM calls;
SELECT is(hint_of('SELECT ' || format(call, 1.1 * e)), 'Ask for less: epsilon => ' || e || ' at most. Nothing that was spent comes back; the owner of the table can raise the total.', 'more has none: ' || call) FROM room;
SELECT is(hint_of('SELECT ' || format(call, e)), 'ok', 'that has: ' || call) FROM room;
CREATE TABLE hinted (t text); SELECT pegs_set_budget('hinted', 3, 1e-8, 'sum');
SELECT is(hint_of($$SELECT pegs_learn('hinted', 1)$$), $$SELECT pegs_learn('public.hinted', epsilon => 1, delta => 0.00000001);$$, 'no more delta than there is');
SELECT is(hint_of(hint_of($$SELECT pegs_learn('hinted', 1)$$)), 'ok', 'that runs');
SELECT * FROM finish();
