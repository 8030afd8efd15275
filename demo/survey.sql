-- demo/survey.sql: a wide table for demo/demo.sql: 20,000 invented answers to 80 questions, 1 to 5 or none. The questions are in
-- eight blocks of ten; within a block answers follow one opinion, three times out of five.
SELECT format('CREATE TABLE survey (%s)', string_agg(format('q%s smallint CHECK (q%1$s BETWEEN 1 AND 5)', i), ', ' ORDER BY i))
FROM generate_series(1, 80) AS i \gexec
SELECT format('INSERT INTO survey SELECT %s FROM generate_series(1, 20000) AS r', string_agg(format(
	'CASE WHEN hashint8extended(r, %1$s) & 1023 < 50 THEN NULL WHEN hashint8extended(r, 100 + %1$s) & 1023 < 614 '
	'THEN 1 + (hashint8extended(r, 200 + %2$s) & 65535) %% 5 ELSE 1 + (hashint8extended(r, 300 + %1$s) & 65535) %% 5 END', i, (i - 1) / 10), ', ' ORDER BY i))
FROM generate_series(1, 80) AS i \gexec
