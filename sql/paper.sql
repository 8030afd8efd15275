-- paper: what the papers show and do not guarantee, and proof in the server: pegs_trace, l_diversity, pegs_ru_map, pegs_verify, pegs_audit.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS pegs;
CREATE SCHEMA regress_paper;
SET search_path = regress_paper, public;
CREATE TABLE t (a text NOT NULL CHECK (a IN ('x', 'y', 'z')), b boolean NOT NULL, c text CHECK (c IN ('p', 'q')));
INSERT INTO t SELECT (ARRAY['x', 'y', 'z'])[1 + i % 3], i % 2 = 0, (ARRAY['p', 'q', NULL])[1 + i % 5 % 3] FROM generate_series(1, 300) AS i;
SELECT pegs_set_budget('t', 1e6);
SELECT pegs_fit('regress paper', 't', parents => '{"a": ["b"], "b": ["c"], "c": ["a"]}');
SELECT pegs_fit('regress paper, noisy', 't', epsilon => 1);
-- the account in its own units, and the table's ledger
CREATE FUNCTION spent() RETURNS numeric LANGUAGE sql AS $$ SELECT spent FROM public.pegs_budgets WHERE source = 'regress_paper.t'::regclass $$;
CREATE VIEW ledger AS SELECT * FROM public.pegs_ledger WHERE source = 't'::regclass;

---- pegs_trace: the seed, then the row, column by column
CREATE TEMP TABLE before AS SELECT spent() AS spent;
CREATE TEMP TABLE trace AS SELECT * FROM pegs_trace('regress paper', 0.5);
SELECT spent() - spent AS charged, (SELECT string_agg(concat_ws(' ', action, object, epsilon_to - epsilon_from), ', ') FROM ledger WHERE action = 'trace') AS ledger FROM before;
SELECT step, drawn, (SELECT string_agg(key, ' ' ORDER BY n) FROM json_object_keys(line) WITH ORDINALITY AS k (key, n)) AS columns FROM trace ORDER BY step;
-- charged exactly like a sample of one row; also when it is not read to its end; and at every call
UPDATE before SET spent = spent();
SELECT count(*) FROM pegs_sample('regress paper', 1, 0.5) AS s(a text, b boolean, c text);
SELECT spent() - spent AS of_one_row FROM before;
SELECT step FROM pegs_trace('regress paper', 0.25) LIMIT 1;
SELECT spent() - spent AS and_of_a_quarter FROM before;
-- 300 traces: line i has the columns before i from the row (the last line) and the others from the seed (the first)
CREATE TEMP TABLE traces AS SELECT i, t.* FROM generate_series(1, 300) AS i, pegs_trace('regress paper', 1 + 0 * i) AS t;	-- 0 * i: a call for each
WITH cell AS (
	SELECT i, step, key, value, array_position(ARRAY['a', 'b', 'c'], key) AS place FROM traces, json_each_text(line)
)
SELECT count(*) AS cells, bool_and(c.value IS NOT DISTINCT FROM CASE WHEN c.place <= c.step THEN last.value ELSE first.value END) AS as_it_should_be,
	bool_and(c.value IS NULL AND c.key = 'c' OR c.value = ANY (CASE c.key WHEN 'a' THEN '{x,y,z}' WHEN 'b' THEN '{f,t}' ELSE '{p,q}' END::text[])) AS declared_levels,
	count(*) FILTER (WHERE first.value IS DISTINCT FROM last.value) > 0 AS something_changes
FROM cell AS c JOIN cell AS first ON first.i = c.i AND first.key = c.key AND first.step = 0 JOIN cell AS last ON last.i = c.i AND last.key = c.key AND last.step = 3;
SELECT array_agg(DISTINCT concat_ws(' ', step, drawn) ORDER BY concat_ws(' ', step, drawn)) AS steps FROM traces;
-- the seed is uniform: no level of a is far from 100 of 300 (six deviations are 49)
SELECT bool_and(abs(n - 100) < 49) AS uniform FROM (SELECT count(*) AS n FROM traces WHERE step = 0 GROUP BY line ->> 'a') AS x;
SELECT spent() - spent AS charged FROM before;	-- .75 and 300 of one
-- nothing is refunded, and a read-only transaction cannot pay
UPDATE before SET spent = spent();
BEGIN;
SELECT count(*) FROM pegs_trace('regress paper', 2);
ROLLBACK;
SELECT spent() - spent AS charged, (SELECT count(*) FROM ledger WHERE action = 'trace') - 302 AS lines FROM before;
BEGIN READ ONLY;
SELECT count(*) FROM pegs_trace('regress paper', 2);
ROLLBACK;
-- of whom it is refused, nothing is charged
UPDATE before SET spent = spent();
SELECT pegs_trace('regress paper', NULL);
SELECT pegs_trace('regress paper', 0);
SELECT pegs_trace('regress paper', -1);
SELECT pegs_trace(NULL, 1);
SELECT pegs_trace('regress paper, noisy', 1);
SELECT pegs_trace('no such model', 1);
SELECT * FROM pegs_trace('regress paper', 1e9);
SELECT pegs_trace('regress paper', 1);
SELECT spent() - spent AS charged FROM before;
CREATE TABLE "odd, ""name""" ("a ""b"" \ 'c'" boolean NOT NULL, "ü" boolean NOT NULL);
INSERT INTO "odd, ""name""" VALUES (true, false), (false, true);
SELECT pegs_set_budget('"odd, ""name"""', 1000);
SELECT pegs_fit('regress paper, "odd" ''name''', '"odd, ""name"""', parents => '{}');
SELECT step, drawn, (SELECT string_agg(key, ' ' ORDER BY n) FROM json_object_keys(line) WITH ORDINALITY AS k (key, n)) AS columns FROM pegs_trace('regress paper, "odd" ''name''', 1);

---- l_diversity: the papers' mode, which guarantees nothing
SET client_min_messages = notice;
SELECT pegs_fit('regress paper, diverse', 't', parents => '{"a": ["b"]}', options => '{"l_diversity": 1.5}');
SET client_min_messages = warning;
SELECT name, kind, guarantee FROM pegs_models WHERE name LIKE 'regress paper%' ORDER BY name COLLATE "C";
SELECT pegs_describe('regress paper, diverse') ->> 'mechanism' AS mechanism, pegs_describe('regress paper, diverse') ->> 'guarantee' AS guarantee,
	pegs_certificate('regress paper, diverse') ->> 'guarantee' AS certified, pegs_certificate_text('regress paper, diverse') ~ E'\nguarantee:   none\n' AS in_words, pegs_certificate('regress paper, diverse') ? 'epsilon' AS epsilon;
SELECT uncovered FROM pegs_budgets WHERE source = 't'::regclass;
UPDATE before SET spent = spent();
SELECT count(*) FROM pegs_sample('regress paper, diverse', 10) AS s(a text, b boolean, c text);
SELECT count(*) FROM pegs_sample_as(NULL::t, 'regress paper, diverse', 10, block => 10);
SELECT uncovered, spent() - (SELECT spent FROM before) AS charged FROM pegs_budgets WHERE source = 't'::regclass;
SELECT action, object, epsilon_to - epsilon_from AS charged FROM ledger WHERE action LIKE 'uncovered%' ORDER BY action COLLATE "C";
SELECT account, finding, ok FROM pegs_verify_ledger('t') WHERE NOT ok;
CREATE ROLE regress_paper_reader;
SELECT pegs_grant('regress paper, diverse', 'regress_paper_reader');
SELECT pegs_grant('regress paper, diverse', 'regress_paper_reader', 10);
SELECT pegs_grant('regress paper, diverse', 'public');
SELECT pegs_release('r', 'regress paper, diverse', 10);
SELECT pegs_release('r', 'regress paper, diverse', 10, 1);
SELECT * FROM pegs_sample('regress paper, diverse', 10, epsilon => 1) AS s(a text, b boolean, c text);
SELECT * FROM pegs_sample('regress paper, diverse', 10, delta => 1e-9) AS s(a text, b boolean, c text);
SELECT pegs_trace('regress paper, diverse', 1);
SELECT pegs_verify('regress paper, diverse');
SELECT pegs_audit('regress paper, diverse');
SELECT pegs_export('regress paper, diverse');
SELECT pegs_utility_of('regress paper, diverse');
SELECT pegs_marginals_of('regress paper, diverse');
SELECT pegs_view_sql('regress paper, diverse', 'v');
SELECT pegs_cost('regress paper, diverse', 10, 1);
-- of the option
SELECT pegs_fit('m', 't', parents => '{}', options => '{"l_diversity": 1}');
SELECT pegs_fit('m', 't', parents => '{}', options => '{"l_diversity": 0}');
SELECT pegs_fit('m', 't', parents => '{}', options => '{"l_diversity": -2}');
SELECT pegs_fit('m', 't', parents => '{}', options => '{"l_diversity": "2"}');
SELECT pegs_fit('m', 't', parents => '{}', options => '{"l_diversity": null}');
SELECT pegs_fit('m', 't', parents => '{}', options => '{"l_diversity": [2]}');
SELECT pegs_fit('m', 't', parents => '{}', options => '{"l_diversity": {"l": 2}}');
SELECT pegs_fit('m', 't', parents => '{}', options => '{"l_diversity": 1e400}');
SELECT pegs_fit('m', 't', parents => '{}', options => '{"l-diversity": 2}');
SELECT pegs_fit('m', 't', parents => '{}', options => '{"l_diversity": 2.5}');	-- b has two levels
SELECT pegs_fit('m', 't', epsilon => 1, options => '{"l_diversity": 1.5}');
SELECT pegs_fit('m', 't', parents => '{}', options => '["l_diversity", 1.5]');
CREATE TABLE ruled (a boolean NOT NULL, b boolean NOT NULL);
SELECT pegs_forbid('ruled', '{"a": true, "b": true}');
SELECT pegs_fit('m', 'ruled', parents => '{}', options => '{"l_diversity": 1.5}');
SELECT name FROM pegs_models WHERE name = 'm';
-- PeGS paper: every conditional distribution has an entropy of log l, where the counts have less. b is drawn first, so that a
-- is given the b of its row. Of 97 2 1 (and of 30 0 0, where b is true) with l = 2: p = .77 .11 .11, sd of -ln p .8; of 50000
-- rows seven deviations are .0251: wrong by chance with less than 1e-10
CREATE TABLE skewed (b boolean NOT NULL, a text NOT NULL CHECK (a IN ('x', 'y', 'z')));
INSERT INTO skewed SELECT i % 1000 < 3, CASE WHEN i % 100 < 97 THEN 'x' WHEN i % 100 < 99 THEN 'y' ELSE 'z' END FROM generate_series(1, 10000) AS i;
SELECT pegs_set_budget('skewed', 1);
SELECT pegs_fit('regress paper, skewed', 'skewed', parents => '{"a": ["b"], "b": []}', options => '{"l_diversity": 2}');
CREATE TEMP TABLE drawn AS SELECT * FROM pegs_sample('regress paper, skewed', 100000) AS s(b boolean, a text);
SELECT count(*) AS distributions, bool_and(entropy > ln(2) - 0.0251) AS diverse, bool_and(entropy < ln(2) + 0.0251) AS not_more_than_it_must
FROM (SELECT -sum(p * ln(p)) AS entropy FROM (SELECT b, count(*)::float8 / sum(count(*)) OVER (PARTITION BY b) AS p FROM drawn GROUP BY b, a) AS x GROUP BY b
	UNION ALL SELECT -sum(p * ln(p)) FROM (SELECT count(*)::float8 / sum(count(*)) OVER () AS p FROM drawn GROUP BY b) AS x) AS e;

---- pegs_ru_map: risk against utility, nothing charged and nothing stored
CREATE TABLE m (k int NOT NULL CHECK (k IN (1, 2, 3)), g boolean NOT NULL, v int NOT NULL CHECK (v IN (10, 20, 30)));
INSERT INTO m SELECT 1 + i % 3, i % 2 = 0, 10 + 10 * (i % 3) FROM generate_series(1, 90) AS i;
CREATE FUNCTION census() RETURNS text LANGUAGE sql AS
$$ SELECT concat_ws(' ', (SELECT count(*) FROM pegs_internal.ledger), (SELECT count(*) FROM pegs_internal.model), (SELECT count(*) FROM pegs_internal.release), (SELECT count(*) FROM pegs_internal.body),
	(SELECT count(*) FROM pg_class), (SELECT count(*) FROM pg_depend), spent()) $$;
UPDATE before SET spent = spent();
CREATE TEMP TABLE map (method text, epsilon float8, replicate int, measure text, of name[], value float8, guarantee text);
CREATE TEMP TABLE at_first AS SELECT census() AS n;
INSERT INTO map SELECT * FROM pegs_ru_map('m', ARRAY[1, 50, 2000], n => 60, block => 5, replicates => 2, parents => '{"v": ["k"]}', keys => ARRAY['k', 'g'], target => 'v');
-- the fit takes no epsilon above 1000; no budget is needed, and none is touched
SELECT method, array_agg(DISTINCT epsilon ORDER BY epsilon) AS epsilons, count(DISTINCT replicate) AS replicates, count(*) / count(DISTINCT (epsilon, replicate)) AS rows_a_trial FROM map GROUP BY method ORDER BY method COLLATE "C";
SELECT string_agg(DISTINCT measure COLLATE "C", ', ' ORDER BY measure COLLATE "C") FROM map WHERE of IS NULL;
SELECT string_agg(DISTINCT measure || ' ' || of::text COLLATE "C", ', ' ORDER BY measure || ' ' || of::text COLLATE "C") FROM map WHERE measure IN ('tv1', 'conditional_distance');
SELECT DISTINCT guarantee FROM map;
SELECT DISTINCT method COLLATE "C" AS method, measure COLLATE "C" AS measure, value FROM map WHERE measure IN ('rows_original', 'rows_synthetic', 'UiO') ORDER BY 1, 2;
-- shares are shares
SELECT count(*) FROM map WHERE NOT (value BETWEEN 0 AND 1) AND measure ~ '^(tv|misclassified)' OR NOT (value BETWEEN 0 AND 100) AND measure ~ '^(UiO|UiS|repU|DiSCO)';
-- much noise is far away, none is near (means of two trials; n = 60 of 90 rows)
SELECT method, avg(value) FILTER (WHERE epsilon = 1) > 0.1 AS far, method = 'fit once' OR avg(value) FILTER (WHERE epsilon = 2000) < 0.3 AS near FROM map WHERE measure = 'tv2_mean' AND method <> 'fit once' GROUP BY method ORDER BY method COLLATE "C";
SELECT census() = n AS as_before FROM at_first;
-- some methods, one column, no keys; a target alone is an error
SELECT method, count(*) FROM pegs_ru_map('m', ARRAY[1], n => 10, columns => ARRAY['k'], methods => ARRAY['fit once', 'PeGS']) GROUP BY method ORDER BY method COLLATE "C";
SELECT count(*) FROM pegs_ru_map('m', ARRAY[1], methods => '{}');
SELECT count(*) FROM pegs_ru_map('m', '{}');
SELECT count(*) FROM pegs_ru_map('m', ARRAY[5000], methods => ARRAY['fit once']);
SELECT count(*) > 0 AS with_tail FROM pegs_ru_map('m', ARRAY[1], n => 10, tail_bits => 1, methods => ARRAY['PeGS']);
-- empty, partitioned, a view, NULLs
CREATE TABLE m_empty (LIKE m INCLUDING ALL);
SELECT count(DISTINCT method) AS methods, count(*) FILTER (WHERE value = 'NaN') AS nans FROM pegs_ru_map('m_empty', ARRAY[1], n => 10, keys => ARRAY['k'], target => 'v');
CREATE TABLE m_parted (k int NOT NULL CHECK (k IN (1, 2, 3)), g boolean) PARTITION BY LIST (k);
CREATE TABLE m_parted_1 PARTITION OF m_parted FOR VALUES IN (1);
CREATE TABLE m_parted_2 PARTITION OF m_parted DEFAULT;
INSERT INTO m_parted SELECT k, nullif(g, false) FROM m;
SELECT DISTINCT value FROM pegs_ru_map('m_parted', ARRAY[1], n => 10) WHERE measure = 'rows_original';
CREATE VIEW mv AS SELECT k::bigint AS k, g FROM m WHERE g;
SELECT pegs_set_levels('mv', 'k', ARRAY['1', '2', '3']);
SELECT DISTINCT value FROM pegs_ru_map('mv', ARRAY[1], n => 10) WHERE measure = 'rows_original';
-- progress
SET client_min_messages = notice;
SELECT count(*) > 0 AS answers FROM pegs_ru_map('m', ARRAY[1], n => 10, replicates => 25, methods => ARRAY['PeGS'], columns => ARRAY['g']);
SET client_min_messages = warning;
-- a standby's curator may look: nothing is written
BEGIN READ ONLY;
SELECT count(*) > 0 AS answers FROM pegs_ru_map('m', ARRAY[1], n => 10), pegs_audit('regress paper', 100), pegs_verify('regress paper');
SELECT count(*) > 0 AS answers FROM pegs_utility('m', 'm'), pegs_disclosure('m', 'm'), pegs_k_anonymity('m', ARRAY['k']), pegs_regression('m', 'm', 'linear', 'v', ARRAY['k']);
SELECT count(*) > 0 AS answers FROM pegs_utility_of('regress paper, noisy'), pegs_disclosure_of('regress paper, noisy'), pegs_marginals_of('regress paper, noisy');
ROLLBACK;
-- arguments
SELECT pegs_ru_map(NULL, ARRAY[1]);
SELECT pegs_ru_map('m', NULL);
SELECT pegs_ru_map('m', ARRAY[1, NULL]);
SELECT pegs_ru_map('m', ARRAY[0]);
SELECT pegs_ru_map('m', ARRAY[-1]);
SELECT pegs_ru_map('m', ARRAY['NaN'::float8]);
SELECT pegs_ru_map('m', ARRAY['Infinity'::float8]);
SELECT pegs_ru_map('m', ARRAY[1], n => NULL);
SELECT pegs_ru_map('m', ARRAY[1], n => 0);
SELECT pegs_ru_map('m', ARRAY[1], block => NULL);
SELECT pegs_ru_map('m', ARRAY[1], block => 0);
SELECT pegs_ru_map('m', ARRAY[1], replicates => NULL);
SELECT pegs_ru_map('m', ARRAY[1], replicates => 0);
SELECT pegs_ru_map('m', ARRAY[1], columns => ARRAY['z']);
SELECT pegs_ru_map('m', ARRAY[1], parents => '{"z": ["k"]}');
SELECT pegs_ru_map('m', ARRAY[1], parents => '[]');
SELECT pegs_ru_map('m', ARRAY[1], delta => -1);
SELECT pegs_ru_map('m', ARRAY[1], delta => 1);
SELECT pegs_ru_map('m', ARRAY[1], keys => ARRAY['z']);
SELECT pegs_ru_map('m', ARRAY[1], keys => ARRAY['k'], target => 'k');
SELECT pegs_ru_map('m', ARRAY[1], keys => ARRAY['k'], target => 'z');
SELECT pegs_ru_map('m', ARRAY[1], target => 'v');
SELECT pegs_ru_map('m', ARRAY[1], methods => ARRAY['PEGS']);
SELECT pegs_ru_map('m', ARRAY[1], methods => NULL);
SELECT pegs_ru_map('m', ARRAY[1], tail_bits => 2);
SELECT pegs_ru_map('m', ARRAY[1], tail_bits => NULL);
-- a value that is not declared has no place in the tables: the error names the column
ALTER TABLE m DROP CONSTRAINT m_k_check;
INSERT INTO m VALUES (4711, true, 10);
SELECT pegs_set_levels('m', 'k', ARRAY['1', '2', '3']);
SELECT pegs_ru_map('m', ARRAY[1]);
DELETE FROM m WHERE k = 4711;
-- a cancel leaves nothing
UPDATE at_first SET n = census();
\set VERBOSITY terse
SET statement_timeout = '200ms';
SELECT count(*) FROM pegs_ru_map('m', ARRAY[1], n => 50000000);
RESET statement_timeout;
\set VERBOSITY default
SELECT census() = n AS as_before FROM at_first;

---- pegs_verify: exact, of a small sealed model
CREATE TABLE small (a boolean NOT NULL, b boolean NOT NULL);
INSERT INTO small VALUES (true, true), (true, true), (false, true), (false, false);
SELECT pegs_set_budget('small', 100);
SELECT pegs_fit('regress paper, small', 'small', parents => '{"a": ["b"], "b": ["a"]}');
SELECT pegs_fit('regress paper, small noisy', 'small', epsilon => 1);
-- 7 neighbours: one of four rows more, or one of the three kinds of row that are there less. The bound is at most epsilon: alpha is rounded up
SELECT epsilon, block, neighbours, outputs, worst > 0 AND worst <= bound AS within, bound > epsilon_claimed * 0.999 AND bound <= epsilon_claimed AS tight, epsilon_claimed, holds, guarantee
FROM (VALUES (1::float8, 1::bigint), (0.01, 1), (10, 1), (1, 2), (2, 3)) AS v (epsilon, block), pegs_verify('regress paper, small', epsilon, block) ORDER BY 2, 1;
SELECT holds FROM pegs_verify('regress paper, small');
SELECT pegs_verify('regress paper, small', block => 30);
SELECT pegs_verify('regress paper, small', block => 1000000000000);
SELECT pegs_verify('regress paper, small', block => 0);
SELECT pegs_verify('regress paper, small', block => NULL);
SELECT pegs_verify('regress paper, small', epsilon => NULL);
SELECT pegs_verify('regress paper, small', epsilon => 0);
SELECT pegs_verify(NULL);
SELECT pegs_verify('no such model');
SELECT pegs_verify('regress paper, small noisy');
SELECT pegs_fit('regress paper, of persons', 'ruled', parents => '{}');
SELECT pegs_verify('regress paper, of persons');	-- and of forbidden combinations
SELECT pegs_fit('regress paper, wide', 't', parents => '{}');
SELECT holds FROM pegs_verify('regress paper, wide');
-- an empty table has neighbours, too
CREATE TABLE nobody (LIKE small);
SELECT pegs_set_budget('nobody', 1);
SELECT pegs_fit('regress paper, nobody', 'nobody', parents => '{}');
SELECT neighbours, holds FROM pegs_verify('regress paper, nobody');

---- pegs_audit: what it finds is random, but for holds and what a run costs. The bound may pass the claim once in 20 where the mechanism
-- spends all of it; the sample spends 1.35 of 2, nine deviations with so many runs; of the fit, which has events of 1, half of it is asked
SELECT epsilon_claimed, lower_bound >= 0 AND lower_bound <= epsilon_claimed AS below, confidence, runs_made, regexp_replace(event, '[<>=]+ .*', '...') AS event, share BETWEEN 0 AND 1 AND share_neighbour BETWEEN 0 AND 1 AS shares, holds, guarantee, reason, exact_epsilon > 0 AND exact_epsilon <= epsilon_claimed AS within, gaussian_epsilon, statistic
FROM pegs_audit('regress paper, small', 10000, 2);
SELECT epsilon_claimed, lower_bound >= 0 AND lower_bound / 2 <= epsilon_claimed AS below, confidence, runs_made, regexp_replace(event, '[<>=]+ .*', '...') AS event, share BETWEEN 0 AND 1 AND share_neighbour BETWEEN 0 AND 1 AS shares, holds, guarantee, reason, exact_epsilon > 0 AND exact_epsilon <= epsilon_claimed AS within, gaussian_epsilon, statistic
FROM pegs_audit('regress paper, small noisy', 10000);
-- a perturbed model's own epsilon counts, whatever is asked
SELECT epsilon_claimed FROM pegs_audit('regress paper, small noisy', 100, 7);
SELECT pegs_audit('regress paper, small', 99);
SELECT pegs_audit('regress paper, small', 10000001);
SELECT pegs_audit('regress paper, small', NULL);
SELECT pegs_audit('regress paper, small', 100, NULL);
SELECT pegs_audit('regress paper, small', 100, 0);
SELECT pegs_audit('regress paper, small', 100, n => 0);
SELECT pegs_audit('regress paper, small', 100, block => 0);
SELECT pegs_audit('regress paper, small', 100, block => NULL);
SELECT pegs_audit('regress paper, small', 100, given => '{"nothing": 1}');
SELECT pegs_audit('regress paper, small noisy', 100, block => 2);
SELECT pegs_audit(NULL);
SELECT pegs_audit('no such model');
CREATE TABLE persons (id int NOT NULL, a boolean NOT NULL);
SELECT pegs_set_unit('persons', 'id', 3);
SELECT pegs_fit('regress paper, persons', 'persons', columns => ARRAY['a'], parents => '{}');
INSERT INTO persons SELECT i % 5, i % 4 = 0 FROM generate_series(1, 40) AS i;
-- a person of three rows more
SELECT pegs_set_budget('persons', 10, 1e-6);
SELECT pegs_fit('regress paper, persons noisy', 'persons', columns => ARRAY['a'], epsilon => 1, delta => 1e-7);
SELECT holds, reason, round(exact_epsilon::numeric, 6) AS exact_epsilon, gaussian_epsilon IS NOT NULL AS gaussian FROM pegs_audit('regress paper, persons noisy', 200);
SELECT holds, reason, exact_epsilon > 0 AND exact_epsilon <= epsilon_claimed AS within FROM pegs_audit('regress paper, persons', 200, n => 5, block => 2);
SELECT pegs_verify('regress paper, persons');
UPDATE at_first SET n = census();
SELECT holds FROM pegs_verify('regress paper, small'), pegs_audit('regress paper, small noisy', 100) AS a (e, l, c, r, ev, s1, s2, held, g);
\set VERBOSITY terse
SET statement_timeout = '200ms';
SELECT pegs_audit('regress paper, small noisy', 10000000);
SELECT pegs_audit('regress paper, small', 10000000);
RESET statement_timeout;
\set VERBOSITY default
SELECT census() = n AS as_before FROM at_first;

SELECT count(pegs_drop(name)) FROM pegs_models WHERE name LIKE 'regress paper%';
DROP SCHEMA regress_paper CASCADE;
DROP ROLE regress_paper_reader;
