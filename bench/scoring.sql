-- scoring.sql: what scores cost beside what they are made of. On-CPU seconds of this backend (the scheduler's own account), and the
-- ratio to a reference of the same run.
--
-- A fit of 13 columns against the scan of pegs_fit by graph, of the same columns, which counts all pairs: at most 2.5 of it. A score of each row against the same score as a function in plain
-- SQL (pegs_score_sql): at most 3. Fails where it is more. -v rows=1000000
\ir measure.sql
CREATE TABLE t AS SELECT i * 7919::bigint % 97 AS c1, i % 13 AS c2, i % 7 AS c3, i * 31::bigint % 50 AS c4, i % 11 AS c5, i % 5 AS c6, i * 17::bigint % 23 AS c7, i % 3 AS c8, i % 19 AS c9,
	i % 29 AS c10, i % 2 AS c11, i % 9 AS c12, i * 7919::bigint % 97 + i * 31::bigint % 50 > 75 AS y FROM generate_series(1, :rows) AS i;
SELECT pegs_set_bins('t', ('c' || i)::name, low => 0, high => 100, bins => 20) FROM generate_series(1, 12) AS i \g /dev/null
SELECT pegs_set_budget('t', 1000, 1e-6) \g /dev/null
VACUUM ANALYZE t;
CALL pg_temp.measure('pegs_fit, graph', $$SELECT pegs_fit('m', 't', epsilon => 1, delta => 1e-9)$$);
CREATE VIEW hardly_any AS SELECT * FROM t WHERE c1 = 3 AND c4 = 5;
CALL pg_temp.measure('the same of hardly any rows', $$SELECT pegs_fit('few', 'hardly_any', epsilon => 1, delta => 1e-9)$$, 1);
-- reading and counting, without what is done with the answers
INSERT INTO result (label, seconds, reference) SELECT 'the scan of pegs_fit', a.seconds - b.seconds, 1 FROM result AS a, result AS b WHERE a.n = 1 AND b.n = 2;
CALL pg_temp.measure('pegs_score_fit, additive', $$SELECT pegs_score_fit('s', 't', 'y', ARRAY['true'], epsilon => 1, delta => 1e-9)$$, 3, 2.5);
CALL pg_temp.measure('pegs_score_fit, forest', $$SELECT pegs_score_fit('forest', 't', 'y', ARRAY['true'], epsilon => 1, delta => 1e-9, method => 'forest')$$, 3);
CALL pg_temp.measure('pegs_score_fit, tree', $$SELECT pegs_score_fit('tree', 't', 'y', ARRAY['true'], epsilon => 1, delta => 1e-9, method => 'tree')$$, 3);
CALL pg_temp.measure('pegs_score_fit_of', $$SELECT pegs_score_fit_of('of m', 'm', 'y', ARRAY['true'])$$, 3);
DO $$ BEGIN EXECUTE pegs_score_sql('s', 'plain'); END $$;
CALL pg_temp.measure('plain SQL, all rows', 'SELECT sum(plain(c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11, c12)) FROM t');
CALL pg_temp.measure('pegs_score, all rows', $$SELECT sum(pegs_score('s', t)) FROM t$$, 8, 3);
SELECT label, round(seconds::numeric, 2) AS cpu_seconds, round(ratio::numeric, 2) AS ratio, wanted AS "wanted, at most", met FROM pg_temp.results ORDER BY n;
CALL pg_temp.verdict(2);
