-- plan: what pegs_plan says before a fit is what fits are, and it says it from public facts alone.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS pegs;
CREATE SCHEMA plan;
CREATE ROLE pl_curator;
CREATE ROLE pl_stranger;
GRANT USAGE, CREATE ON SCHEMA plan TO pl_curator;
GRANT USAGE ON SCHEMA plan TO pl_stranger;
SELECT pegs_allow('pl_curator'), pegs_allow('pl_stranger');
SET search_path = plan, public;
SELECT * FROM no_plan();
SET ROLE pl_curator;

CREATE TABLE visit (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, person int NOT NULL, ward int NOT NULL, age int NOT NULL, pay numeric(10, 2) NOT NULL, day date NOT NULL, code int NOT NULL, flag boolean NOT NULL);
INSERT INTO visit (person, ward, age, pay, day, code, flag)
SELECT i, i * i % 7, (i * 7919) % 90, (i * 104729) % 1000, date '2026-01-01' + (i * 31) % 100, CASE WHEN i % 3 = 0 THEN i % 7 ELSE i * 13 % 17 END, i % 5 = 0 FROM generate_series(1, 3000) AS i;
SELECT pegs_set_levels('visit', 'ward', '{0, 1, 2, 3, 4, 5, 6}'), pegs_set_bins('visit', 'age', 0, 90, 9), pegs_set_bins('visit', 'pay', '{0, 100, 200, 400, 1000}'),
	pegs_set_bins('visit', 'day', '2026-01-01'::date, '2026-04-11'::date, 10), pegs_set_levels('visit', 'code', ARRAY(SELECT generate_series(0, 16)));
SELECT pegs_set_unit('visit', 'person');
CREATE TABLE none (LIKE visit INCLUDING ALL);
SELECT pegs_set_unit('none', 'person');
SELECT pegs_set_levels('none', 'ward', '{0, 1, 2, 3, 4, 5, 6}'), pegs_set_bins('none', 'age', 0, 90, 9), pegs_set_bins('none', 'pay', '{0, 100, 200, 400, 1000}'),
	pegs_set_bins('none', 'day', '2026-01-01'::date, '2026-04-11'::date, 10), pegs_set_levels('none', 'code', ARRAY(SELECT generate_series(0, 16)));

---- which epsilons, in order, each once
SELECT is(ARRAY(SELECT epsilon FROM pegs_plan('visit', 3000)), '{0.5, 1, 3}', 'three epsilons');
SELECT is(ARRAY(SELECT epsilon FROM pegs_plan('visit', 3000, e)), wanted, format('and %s', e))
FROM (VALUES (0.1, '{0.1, 0.5, 1, 3}'::float8[]), (0.5, '{0.5, 1, 3}'), (0.7, '{0.5, 0.7, 1, 3}'), (1, '{0.5, 1, 3}'), (2, '{0.5, 1, 2, 3}'), (3, '{0.5, 1, 3}'), (8, '{0.5, 1, 3, 8}')) AS v (e, wanted);
SELECT is(array_agg(DISTINCT delta), '{1e-9}', 'the delta that was given') FROM pegs_plan('visit', 3000, 2, 1e-9);

---- what it says is what fits are
SELECT pegs_set_budget('visit', 100, 1e-6, 'sum');
CREATE FUNCTION of_fits(e float8, d float8, fits int) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
	one float8;
	squares float8 := 0;
BEGIN
	FOR i IN 1 .. fits LOOP
		PERFORM pegs_fit('planned', 'visit', epsilon => e, delta => d);
		SELECT avg(s) INTO one FROM (SELECT avg((m.synthetic / m.n_synthetic - m.original / m.n_original) ^ 2) AS s
			FROM (SELECT l.*, sum(l.synthetic) OVER w AS n_synthetic, sum(l.original) OVER w AS n_original, max(l.place) OVER w AS last FROM pegs_marginals_of('planned') AS l WINDOW w AS (PARTITION BY l.column_name)) AS m
			WHERE m.place < m.last GROUP BY m.column_name) AS c;
		squares := squares + one / fits;
		PERFORM pegs_drop('planned');
	END LOOP;
	RETURN sqrt(squares);
END $$;
-- 30 fits of 49 levels: the mean square is known to a tenth, so that neither bound is passed by chance
SELECT ok(o.seen BETWEEN o.oneway_sd / 1.5 AND o.oneway_sd * 1.5, format('epsilon %s, delta %s: the errors of shares are as planned', o.epsilon, o.delta))
FROM (SELECT p.epsilon, p.delta, p.oneway_sd, of_fits(p.epsilon, p.delta, 30) AS seen FROM (VALUES (0.5, 0), (1, 1e-9)) AS v (e, d), pegs_plan('visit', 3000, v.e, v.d) AS p WHERE p.epsilon = v.e OFFSET 0) AS o;
SELECT ok(share_points = 200 * oneway_sd AND pair_sd > 0 AND in_words LIKE format('a share of 10 %% is known to within %s points; between two groups of half the rows a difference below %s points is not likely to be seen; the budget has enough left for 18 such fits', '%', '%'),
	in_words) FROM pegs_plan('visit', 3000, 3, 1e-9) WHERE epsilon = 3;

---- by public facts alone
SELECT results_eq('SELECT epsilon, delta, oneway_sd, pair_sd, share_points, difference_points, bins, regexp_replace(in_words, ''; the budget.*'', '''') FROM pegs_plan(''visit'', 3000, 2, 1e-9)', 'SELECT * FROM pegs_plan(''none'', 3000, 2, 1e-9)', 'a table without rows has the same plan, and needs no budget');
SELECT is(spent, 45::numeric, 'nothing is charged but the fits') FROM pegs_budgets WHERE source = 'visit'::regclass;
-- a person of ten rows and ten times the rows; persons that weigh the same; both as one row a person
CREATE TABLE plain AS SELECT * FROM pegs_plan('none', 3000, 2, 1e-9);
SELECT pegs_set_unit('none', 'person', 10);
SELECT results_eq('SELECT round(oneway_sd::numeric, 9), round(difference_points::numeric, 6), bins, in_words FROM pegs_plan(''none'', 30000, 2, 1e-9)', 'SELECT round(oneway_sd::numeric, 9), round(difference_points::numeric, 6), bins, in_words FROM plain',
	'ten rows of a person, ten times the rows');
SELECT pegs_set_unit('none', 'person', weighting => 'person');
SELECT results_eq('SELECT round(oneway_sd::numeric, 9), round(difference_points::numeric, 6), bins, in_words FROM pegs_plan(''none'', 3000, 2, 1e-9)', 'SELECT round(oneway_sd::numeric, 9), round(difference_points::numeric, 6), bins, in_words FROM plain',
	'rows are persons where persons weigh the same');
SELECT ok(bool_and(p.oneway_sd > a.oneway_sd), 'fewer rows, more noise') FROM pegs_plan('none', 300, 2, 1e-9) AS p JOIN plain AS a USING (epsilon);

---- bins
SELECT is((SELECT array_agg(split_part(b, ':', 1) ORDER BY n) FROM pegs_plan('none', 3000) AS p, unnest(p.bins) WITH ORDINALITY AS u (b, n) WHERE p.epsilon = 1), '{age,pay,day}', 'a sentence for each binned column');
SELECT matches((SELECT bins[2] FROM pegs_plan('none', 3000) WHERE epsilon = 3), '^pay: 4 bins, and up to about \d+ would do$', 'few enough; a last bin that is three times as wide is not wide');
SELECT pegs_set_bins('none', 'pay', '{0, 100, 200, 1000}'), pegs_set_bins('none', 'age', '{0, 90}'), pegs_set_bins('none', 'day', ARRAY(SELECT d::date FROM generate_series('2020-01-01', '2026-01-01', interval '1 day') AS d));
SELECT matches((SELECT bins[2] FROM pegs_plan('none', 3000) WHERE epsilon = 3), '^pay: 3 bins, and up to about \d+ would do; its last bin \[200.00, 1000.00\] is 8 times as wide as the one before: say where the tail ends, or give it more bins$', 'a wide last bin is named');
SELECT is((SELECT bins[1] FROM pegs_plan('none', 3000) WHERE epsilon = 3), 'age: one bin says nothing', 'one bin');
SELECT pegs_set_bins('none', 'age', '{0, 1, 2, 3}');
SELECT is((SELECT bins[1] FROM pegs_plan('none', 30000) WHERE epsilon = 3), 'age: 3 bins, of one value each and the last of two', 'no bin can be made of less than a value');
SELECT pegs_set_bins('none', 'age', '{0, 1, 2, 4}');
SELECT matches((SELECT bins[1] FROM pegs_plan('none', 30000) WHERE epsilon = 3), '^age: 3 bins, and up to about \d+ would do', 'but of two');
SELECT is((SELECT bins[1] FROM pegs_plan('none', 30000) WHERE epsilon = 3), 'age: 3 bins, and up to about 4 would do', 'no more are said to do than there can be');
SELECT pegs_set_bins('none', 'age', '{0, 90}');
SELECT matches((SELECT bins[3] FROM pegs_plan('none', 3000) WHERE epsilon = 1), '^day: 2192 bins are too many for this noise, about \d+ would do$', 'too many');
SELECT is((SELECT in_words FROM pegs_plan('none', 10) WHERE epsilon = 0.5), 'a share of 10 % is lost in the noise; no difference between two groups of half the rows is likely to be seen', 'ten rows');
SELECT is((SELECT array_agg(b) FROM pegs_plan('none', 10) AS p, unnest(p.bins) AS b WHERE epsilon = 0.5), '{"age: one bin says nothing","pay: too much noise for any bins; its last bin [200.00, 1000.00] is 8 times as wide as the one before: say where the tail ends, or give it more bins","day: too much noise for any bins"}', 'bear no bins');
-- the number that it says is about the one that it says when that is declared
CREATE TABLE advice AS SELECT substring(bins[2] FROM 'about (\d+)')::int AS n FROM pegs_plan('none', 3000, 1, 1e-9) WHERE epsilon = 1;
SELECT pegs_set_bins('none', 'pay', 0, 1000, n) FROM advice;
SELECT ok(substring(bins[2] FROM 'about (\d+)')::int BETWEEN n - 1 AND n + 1, format('%s bins: %s', n, bins[2])) FROM advice, pegs_plan('none', 3000, 1, 1e-9) WHERE epsilon = 1;
ALTER TABLE none ALTER pay DROP NOT NULL;
SELECT is(substring(bins[2] FROM 'about (\d+)')::int, n - 1, 'NULL is a level, and no bin') FROM advice, pegs_plan('none', 3000, 1, 1e-9) WHERE epsilon = 1;
-- one column has no pair
CREATE TABLE alone (b boolean NOT NULL);
SELECT results_eq('SELECT pair_sd, difference_points, round(oneway_sd::numeric, 9), bins FROM pegs_plan(''alone'', 1000) WHERE epsilon = 1', 'SELECT NULL::float8, NULL::float8, round((sqrt(2 * 0.5) / 1000)::numeric, 9), ''{}''::text[]', 'one column: all of epsilon on it, and no pair');

---- by which method
SELECT results_eq('SELECT * FROM pegs_plan(''none'', 3000, method => ''graph'')', 'SELECT * FROM pegs_plan(''none'', 3000)', 'graph is what a fit with epsilon is');
CREATE FUNCTION refused(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	hint text;
BEGIN
	EXECUTE statement;
	RETURN 'not refused';
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT;
	RETURN concat_ws(' ', SQLSTATE, SQLERRM, hint);
END $$;
SELECT matches(refused($$SELECT * FROM pegs_plan('none', 10, method => 'no')$$), '^22023 there is no method "no" method is one of ''graph''', 'no such method');
SELECT matches(refused($$SELECT * FROM pegs_plan('none', 10, method => 'pegs')$$), '^0A000 what a fit of method "pegs" is good for cannot be said before it method is one of ''graph''',
	'one that cannot say it; those that can are named');

---- who may
RESET ROLE;
SET ROLE pl_stranger;
SELECT throws_ok('SELECT * FROM pegs_plan(''visit'', 10)', '42501', NULL, 'curators alone');
RESET ROLE;
SELECT * FROM finish();
