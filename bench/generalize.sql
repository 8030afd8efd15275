-- generalize.sql: what generalisation and guesses from averages cost in a server. On-CPU seconds of this backend (the scheduler's own
-- account), and the ratio to plain SQL over the same rows in the same run: one GROUP BY of the nine keys, or of the groups.
--
-- Fails where a search takes more than twice the CPU of the prototype that it was designed with (1.4, 1.7 and 1.2 s, for a million rows), besides reading and
-- joining equal rows, or Mondrian more than 3 s besides them.
--
-- Nine keys with levels and steps as Adult's, 12,960 combinations of steps, k = 5; and ten columns in 1,000 groups. -v rows=1000000
\ir measure.sql
SET work_mem = '512MB';
SELECT setseed(.5) \g /dev/null
-- as bench/generalize.c makes them: columns that hang together; few combinations are frequent
CREATE TABLE t AS SELECT floor(2 * l ^ 2 * (.5 + .5 * l))::int AS sex, floor(74 * random() ^ 2 * (.4 + .6 * l))::int AS age, floor(5 * random() ^ 12 * (.5 + .5 * l))::int AS race,
	floor(7 * random() ^ 12 * (.5 + .5 * l))::int AS marital, floor(16 * random() ^ 12 * (.5 + .5 * l))::int AS education, floor(41 * random() ^ 12 * (.5 + .5 * l))::int AS country,
	floor(7 * random() ^ 12 * (.5 + .5 * l))::int AS workclass, floor(14 * random() ^ 12 * (.5 + .5 * l))::int AS occupation, floor(2 * random() ^ 12 * (.5 + .5 * l))::int AS salary
FROM (SELECT random() AS l FROM generate_series(1, :rows)) AS x;
SELECT pegs_set_bins('t', c::name, low => 0, high => h, bins => h) FROM (VALUES ('sex', 2), ('age', 74), ('race', 5), ('marital', 7), ('education', 16), ('country', 41), ('workclass', 7), ('occupation', 14),
	('salary', 2)) AS v (c, h) \g /dev/null
SELECT pegs_set_hierarchy('t', c::name, h::jsonb) FROM (VALUES ('sex', '[]'), ('race', '[]'), ('salary', '[]'), ('age', '[{"edges": [0, 4, 9, 14, 19, 24, 34, 44, 54, 64, 74]}, {"edges": [0, 9, 19, 34, 54, 74]}, {"edges": [0, 19, 54, 74]}]'),
	('marital', '[{"edges": [0, 3, 7]}]'), ('education', '[{"edges": [0, 4, 8, 12, 16]}, {"edges": [0, 8, 16]}]'), ('country', '[{"edges": [0, 1, 11, 21, 41]}]'),
	('workclass', '[{"edges": [0, 1, 4, 7]}]'), ('occupation', '[{"edges": [0, 5, 10, 14]}]')) AS v (c, h) \g /dev/null
VACUUM ANALYZE t;
\set keys 'ARRAY[''sex'', ''age'', ''race'', ''marital'', ''education'', ''country'', ''workclass'', ''occupation'', ''salary'']'
CALL pg_temp.measure('GROUP BY of nine keys', 'SELECT count(*) FROM (SELECT count(*) FROM t GROUP BY sex, age, race, marital, education, country, workclass, occupation, salary) AS x');
CALL pg_temp.measure('pegs_equivalence_classes', format('SELECT * FROM pegs_equivalence_classes(''t'', %s)', :'keys'), 1);
CREATE TEMP TABLE plan (suppress float8, method text, plan jsonb);
CALL pg_temp.measure('pegs_generalize, nothing suppressed', format('INSERT INTO plan SELECT 0, ''global'', pegs_generalize(''t'', %s, 5, 0)', :'keys'), 1);
CALL pg_temp.measure('pegs_generalize, at most 1 %', format('INSERT INTO plan SELECT .01, ''global'', pegs_generalize(''t'', %s, 5, .01)', :'keys'), 1);
CALL pg_temp.measure('pegs_generalize, at most 5 %', format('INSERT INTO plan SELECT .05, ''global'', pegs_generalize(''t'', %s, 5, .05)', :'keys'), 1);
CALL pg_temp.measure('pegs_generalize, local', format('INSERT INTO plan SELECT 0, ''local'', pegs_generalize(''t'', %s, 5, method => ''local'')', :'keys'), 1);
CALL pg_temp.measure('pegs_generalized, global', 'SELECT count(*) FROM plan, LATERAL pegs_generalized(''t'', plan) AS s(age text) WHERE suppress = .05', 1);
CALL pg_temp.measure('pegs_generalized, local', 'SELECT count(*) FROM plan, LATERAL pegs_generalized(''t'', plan) AS s(age text) WHERE method = ''local''', 1);
CREATE TABLE stay AS SELECT i AS id, i * 7919::bigint % 1000 AS g, c AS c1, c * c AS c2, random() AS c3, random() AS c4, random() AS c5, random() AS c6, random() AS c7, random() AS c8, random() AS c9, random() AS c10
FROM (SELECT i, random() AS c FROM generate_series(1, :rows) AS i) AS x;
CREATE TABLE average AS SELECT g, avg(3 * c1 + c2 - c3) AS y FROM stay GROUP BY g;
VACUUM ANALYZE stay;
CALL pg_temp.measure('GROUP BY of groups, ten averages', 'SELECT g, avg(c1), avg(c2), avg(c3), avg(c4), avg(c5), avg(c6), avg(c7), avg(c8), avg(c9), avg(c10) FROM stay GROUP BY g');
\set guess 'SELECT count(*) FROM pegs_disaggregate(''stay'', ''id'', ''{"from": "average", "on": ["g"], "value": "y"}'', ARRAY[''c1'', ''c2'', ''c3'', ''c4'', ''c5'', ''c6'', ''c7'', ''c8'', ''c9'', ''c10''], %L)'
CALL pg_temp.measure('pegs_disaggregate, mean', format(:'guess', 'mean'), 9);
CALL pg_temp.measure('pegs_disaggregate, er', format(:'guess', 'er'), 9);
CALL pg_temp.measure('pegs_disaggregate, ludia', format(:'guess', 'ludia'), 9);
-- besides line 2, which reads and joins
UPDATE result AS r SET most = b.most * :rows / 1e6 + c.seconds
FROM (VALUES ('pegs_generalize, nothing suppressed', 2 * 1.4), ('pegs_generalize, at most 1 %', 2 * 1.7), ('pegs_generalize, at most 5 %', 2 * 1.2), ('pegs_generalize, local', 3.0)) AS b (label, most), result AS c
WHERE b.label = r.label AND c.n = 2;
SELECT label, round(seconds::numeric, 2) AS cpu_seconds, round(ratio::numeric, 2) AS ratio, round(most::numeric, 2) AS "seconds, at most", met FROM pg_temp.results ORDER BY n;
SELECT count(*) AS "different rows" FROM (SELECT DISTINCT * FROM t) AS x;
SELECT suppress, method, plan ->> 'nodes' AS nodes, plan ->> 'searched' AS searched, round((plan ->> 'loss')::numeric, 3) AS loss, plan ->> 'classes' AS classes FROM plan;
CALL pg_temp.verdict(4);
