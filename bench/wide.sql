-- wide.sql: wide tables and wide columns. On-CPU seconds and peak memory of this backend.
\set QUIET on
\pset footer off
SET client_min_messages = warning;
SET jit = off;
CREATE EXTENSION pegs;
\ir backend.sql
CREATE TEMP TABLE result (n serial, label text, seconds numeric, "peak MB" int, wanted text);
CREATE PROCEDURE pg_temp.measure(what text, statement text, wish text DEFAULT '') LANGUAGE plpgsql AS $$
DECLARE
	before float8 := pg_temp.cpu_s();
BEGIN
	EXECUTE statement;
	INSERT INTO result (label, seconds, "peak MB", wanted) VALUES (what, round((pg_temp.cpu_s() - before)::numeric, 2), pg_temp.peak_mb(), wish);
END $$;

-- 400 columns, and 1,600, whose pairs are too many to be counted at once
CREATE PROCEDURE pg_temp.columns(m int, wish text) LANGUAGE plpgsql AS $$
DECLARE
	tb text := format('columns_%s', m);
BEGIN
	EXECUTE (SELECT format('CREATE TABLE %s (%s)', tb, string_agg(format('c%s smallint NOT NULL CHECK (c%1$s IN (0,1,2,3,4,5,6,7,8,9))', i), ', ')) FROM generate_series(0, m - 1) AS i);
	FOR part IN 0..19 LOOP
		EXECUTE (SELECT format('INSERT INTO %s SELECT %s FROM generate_series(%s, %s) r', tb, string_agg(format(
			'CASE WHEN (hashint8extended(r, %1$s) & 1023) < 600 THEN ((hashint8extended(r, 10000 + %1$s / 10) & 65535) + %1$s) %% 10 ELSE (hashint8extended(r, 20000 + %1$s) & 65535) %% 10 END', i), ', ' ORDER BY i),
			1000 * part + 1, 1000 * part + 1000) FROM generate_series(0, m - 1) AS i);
	END LOOP;
	EXECUTE format('SELECT pegs_set_budget(%L, 100, 1e-6)', tb);
	COMMIT;
	CALL pg_temp.measure(format('fit %s columns x 10 levels x 20,000 rows', m), format('SELECT pegs_fit(%L, %1$L, epsilon => 1, delta => 1e-9)', tb), wish);
	CALL pg_temp.measure('20,000 rows of it', format('SELECT count(*) FROM (SELECT pegs_sample_as(NULL::%s, %1$L, 20000)) AS s', tb));
END $$;
CALL pg_temp.columns(400, 'under 10 s, 1,000 MB');
CALL pg_temp.columns(1600, 'fits');

-- 200 columns of 10 levels, 100,000 rows: twenty groups of ten columns that hang together
SELECT format('CREATE TABLE wide (%s)', string_agg(format('c%s smallint NOT NULL CHECK (c%1$s IN (0,1,2,3,4,5,6,7,8,9))', i), ', '))
FROM generate_series(0, 199) i \gexec
SELECT format('INSERT INTO wide SELECT %s FROM generate_series(1, 100000) r', string_agg(format(
	'CASE WHEN (hashint8extended(r, %1$s) & 1023) < 600 THEN ((hashint8extended(r, 1000 + %1$s %% 20) & 65535) + %1$s) %% 10 ELSE (hashint8extended(r, 2000 + %1$s) & 65535) %% 10 END', i), ', ' ORDER BY i))
FROM generate_series(0, 199) i \gexec
SELECT pegs_set_budget('wide', 100, 1e-6) \g /dev/null
CALL pg_temp.measure('fit 200 columns x 10 levels x 100,000 rows', $$SELECT pegs_fit('wide', 'wide', epsilon => 1, delta => 1e-9)$$, 'under 120 s, 2,000 MB');
CALL pg_temp.measure('100,000 rows of it', $$SELECT count(*) FROM pegs_sample_as(NULL::wide, 'wide', 100000)$$);

-- 1,600 columns, 20 of them used
SELECT format('CREATE TABLE broad (%s, %s)', (SELECT string_agg(format('k%s int', i), ', ') FROM generate_series(1, 1580) i),
	(SELECT string_agg(format('u%s text NOT NULL DEFAULT ''x'' CHECK (u%1$s IN (''x'', ''y''))', i), ', ') FROM generate_series(1, 20) i)) \gexec
INSERT INTO broad (u1, u2) SELECT CASE WHEN i % 3 = 0 THEN 'x' ELSE 'y' END, CASE WHEN i % 3 = 0 THEN 'y' ELSE 'x' END FROM generate_series(1, 20000) i;
SELECT pegs_set_budget('broad', 100) \g /dev/null
CALL pg_temp.measure('fit 20 of 1,600 columns, 20,000 rows', $$SELECT pegs_fit('broad', 'broad', (SELECT array_agg(('u' || i)::name) FROM generate_series(1, 20) i), epsilon => 1)$$);

-- columns of 1,000 levels
CREATE TABLE deep AS SELECT ((hashint8extended(i, 1) & 65535) * (hashint8extended(i, 2) & 65535) * 1000 >> 32)::int AS a, ((hashint8extended(i, 3) & 1048575) * 1000 >> 20)::int AS b, (i % 2 = 0) AS c FROM generate_series(1, 100000) i;
SELECT pegs_set_levels('deep', c, (SELECT array_agg(i::text) FROM generate_series(0, 999) i)) FROM unnest('{a,b}'::name[]) c \g /dev/null
SELECT pegs_set_budget('deep', 100, 1e-6) \g /dev/null
CALL pg_temp.measure('fit 2 columns of 1,000 levels, 100,000 rows, epsilon 10', $$SELECT pegs_fit('deep', 'deep', epsilon => 10, delta => 1e-9)$$);

-- one wide column beside a narrow one: rows of 65,534 levels may cost 3 times those of 8,000
CREATE PROCEDURE pg_temp.levels(k int) LANGUAGE plpgsql AS $$
DECLARE
	tb text := format('levels_%s', k);
BEGIN
	EXECUTE format('CREATE TABLE %s AS SELECT (power((hashint8extended(i, 1) & 1048575) / 1048576.0, 2) * %s)::int %% %s AS a, ((hashint8extended(i, 3) & 1048575) * 10 >> 20)::int AS b
		FROM generate_series(1, 100000) i', tb, k, k);
	EXECUTE format('SELECT pegs_set_levels(%L, c, (SELECT array_agg(i::text) FROM generate_series(0, n - 1) i)) FROM (VALUES (name ''a'', %s), (''b'', 10)) AS v(c, n)', tb, k);
	EXECUTE format('SELECT pegs_set_budget(%L, 100, 1e-6)', tb);
	COMMIT;
	CALL pg_temp.measure(format('fit %s x 10 levels, 100,000 rows', k), format('SELECT pegs_fit(%L, %1$L, epsilon => 1, delta => 1e-9)', tb));
	CALL pg_temp.measure('100,000 rows of it', format('SELECT count(*) FROM pegs_sample_as(NULL::%s, %1$L, 100000)', tb), CASE WHEN k > 8000 THEN 'under 6 s' ELSE '' END);
END $$;
CALL pg_temp.levels(8000);
CALL pg_temp.levels(65534);

SELECT label, seconds AS "CPU s", "peak MB", wanted FROM result ORDER BY n;
