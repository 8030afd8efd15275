-- Persons counted by parts in which their rows are together: the same bytes as row by row, wherever the catalog says that they are, and nowhere else. Claim P10.
SET client_min_messages = warning;
CREATE EXTENSION pegs;
SELECT plan(64);
CREATE FUNCTION unmasked(bytea) RETURNS bytea LANGUAGE c STRICT AS '$libdir/pegs', 'pegs_unmasked';
CREATE FUNCTION counted(source regclass, max_rows int, weighting text, person text DEFAULT 'pid', columns name[] DEFAULT '{ward,age,day,ok}', OUT counts text, OUT read text) LANGUAGE plpgsql AS $$
BEGIN
	PERFORM pegs_set_unit(source, person, max_rows, weighting);
	PERFORM pegs_fit('m', source, columns, method => 'marginals');
	SELECT md5(unmasked(b.body)), pegs_describe('m') ->> 'read' INTO counts, read FROM pegs_internal.body AS b JOIN pegs_internal.model AS m ON m.id = b.model WHERE m.name = 'm';
	PERFORM pegs_drop('m');
END $$;
CREATE FUNCTION declare(source regclass) RETURNS void LANGUAGE sql AS $$
	SELECT pegs_set_budget(source, 1e6, 1e-3);
	SELECT pegs_set_bins(source, 'age', '{0,18,40,65,90}', undeclared => 'drop');
	SELECT pegs_set_bins(source, 'day', '{2024-01-01,2024-06-01,2025-01-01}', undeclared => 'nearest');
$$;

---- the same rows in one table, and in partitions of every kind
CREATE TABLE whole (pid int, ward text CHECK (ward IN ('A', 'B', 'C')), age int, day date, ok boolean);
SELECT setseed(.17);
INSERT INTO whole SELECT CASE WHEN i % 40 > 0 THEN (random() ^ 3 * 900)::int END, (ARRAY['A', 'B', 'C', NULL])[1 + floor(random() * 4)::int], (random() * 100)::int, date '2023-10-01' + (random() * 500)::int, random() < .3
FROM generate_series(1, 9000) AS i;
CREATE TABLE hashed (LIKE whole INCLUDING ALL) PARTITION BY HASH (pid);
CREATE TABLE hashed_0 PARTITION OF hashed FOR VALUES WITH (MODULUS 3, REMAINDER 0);
CREATE TABLE hashed_1 PARTITION OF hashed FOR VALUES WITH (MODULUS 3, REMAINDER 1);
CREATE TABLE hashed_2 PARTITION OF hashed FOR VALUES WITH (MODULUS 3, REMAINDER 2);
CREATE TABLE ranged (LIKE whole INCLUDING ALL) PARTITION BY RANGE (pid);
CREATE TABLE ranged_low PARTITION OF ranged FOR VALUES FROM (MINVALUE) TO (100);
-- below a part other columns say where a row is: the part is one all the same
CREATE TABLE ranged_mid PARTITION OF ranged FOR VALUES FROM (100) TO (500) PARTITION BY LIST (ward);
CREATE TABLE ranged_mid_a PARTITION OF ranged_mid FOR VALUES IN ('A', NULL);
CREATE TABLE ranged_mid_b PARTITION OF ranged_mid DEFAULT;
CREATE TABLE ranged_rest PARTITION OF ranged DEFAULT;
-- or the person again
CREATE TABLE deep (day date, ok boolean, ward text CHECK (ward IN ('A', 'B', 'C')), age int, pid int) PARTITION BY LIST (pid);
CREATE TABLE deep_few PARTITION OF deep FOR VALUES IN (0, 1, 2, NULL);
CREATE TABLE deep_rest PARTITION OF deep DEFAULT PARTITION BY HASH (pid);
CREATE TABLE deep_rest_0 PARTITION OF deep_rest FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE deep_rest_1 PARTITION OF deep_rest FOR VALUES WITH (MODULUS 2, REMAINDER 1);
-- not by the person, or not by him alone
CREATE TABLE by_ward (LIKE whole INCLUDING ALL) PARTITION BY LIST (ward);
CREATE TABLE by_ward_a PARTITION OF by_ward FOR VALUES IN ('A');
CREATE TABLE by_ward_b PARTITION OF by_ward DEFAULT;
CREATE TABLE by_two (LIKE whole INCLUDING ALL) PARTITION BY HASH (pid, ward);
CREATE TABLE by_two_0 PARTITION OF by_two FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE by_two_1 PARTITION OF by_two FOR VALUES WITH (MODULUS 2, REMAINDER 1);
CREATE TABLE by_half (LIKE whole INCLUDING ALL) PARTITION BY HASH ((pid / 2));
CREATE TABLE by_half_0 PARTITION OF by_half FOR VALUES WITH (MODULUS 1, REMAINDER 0);
-- a part of another person's, below one that is by the ward
CREATE TABLE ward_first (LIKE whole INCLUDING ALL) PARTITION BY LIST (ward);
CREATE TABLE ward_first_a PARTITION OF ward_first FOR VALUES IN ('A') PARTITION BY HASH (pid);
CREATE TABLE ward_first_a0 PARTITION OF ward_first_a FOR VALUES WITH (MODULUS 1, REMAINDER 0);
CREATE TABLE ward_first_b PARTITION OF ward_first DEFAULT;
CREATE TABLE heirs (LIKE whole INCLUDING ALL);
CREATE TABLE heirs_1 () INHERITS (heirs);
CREATE VIEW seen AS SELECT * FROM hashed;
-- other orders, in which the same rows lie
INSERT INTO hashed SELECT * FROM whole ORDER BY hashtextextended(whole::text, 1);
INSERT INTO ranged SELECT * FROM whole ORDER BY hashtextextended(whole::text, 2);
INSERT INTO deep (pid, ward, age, day, ok) SELECT pid, ward, age, day, ok FROM whole ORDER BY hashtextextended(whole::text, 3);
INSERT INTO by_ward TABLE whole;
INSERT INTO by_two TABLE whole;
INSERT INTO by_half TABLE whole;
INSERT INTO ward_first TABLE whole;
INSERT INTO heirs SELECT * FROM whole WHERE ward = 'A';
INSERT INTO heirs_1 SELECT * FROM whole WHERE ward IS DISTINCT FROM 'A';
SELECT declare(t) FROM unnest('{whole,hashed,ranged,deep,by_ward,by_two,by_half,ward_first,heirs}'::regclass[]) AS t;
CREATE TEMP TABLE truth AS SELECT k, w, c.* FROM (VALUES (1, 'row'), (3, 'row'), (1, 'person')) AS v (k, w), LATERAL counted('whole', k, w) AS c;
SELECT is((SELECT count(DISTINCT counts) FROM truth), 3::bigint, 'one row of a person, three, and 64 times: other counts');
SELECT is((SELECT DISTINCT read FROM truth), 'row by row: the rows of a person are looked at together, and its table is one part', 'one table: row by row');
SELECT is(c.counts, t.counts, format('%s, %s %s: the same bytes', s, k, w)) FROM truth AS t, unnest('{hashed,ranged,deep}'::regclass[]) AS s, LATERAL counted(s, k, w) AS c;
SELECT is((counted(s, 3, 'row')).read, 'person by person, by an aggregate for each of 3 parts', s || ': by parts') FROM unnest('{hashed,ranged,deep}'::regclass[]) AS s;
SELECT is(c.counts, t.counts, format('%s, %s %s: the same bytes', s, k, w)) FROM truth AS t, unnest('{by_ward,by_two,by_half,ward_first,heirs,seen}'::regclass[]) AS s, LATERAL counted(s, k, w) AS c WHERE k = 3;
SELECT is((counted(s, 3, 'row')).read, 'row by row: the rows of a person are looked at together, and its table is not partitioned by "pid" alone', s || ': row by row') FROM unnest('{by_ward,by_two,by_half,ward_first,heirs}'::regclass[]) AS s;
SELECT is((counted('seen', 3, 'row')).read, 'row by row: the rows of a person are looked at together, and a view stands between', 'a view: row by row');
-- one part of another owner: through the parent, as any table
CREATE ROLE pegs_other_owner;
ALTER TABLE hashed_1 OWNER TO pegs_other_owner;
SELECT is((SELECT c.counts || ' ' || substr(c.read, 1, 10) FROM counted('hashed', 3, 'row') AS c), (SELECT counts || ' row by row' FROM truth WHERE k = 3), 'a part of another owner: the same bytes, row by row');
SELECT alike((counted('hashed', 3, 'row')).read, '%a part of its table may not be read by itself%', 'and why');
ALTER TABLE hashed_1 OWNER TO CURRENT_USER;
DROP ROLE pegs_other_owner;
-- the part itself, too, which pays from the whole's account
SELECT pegs_set_unit('hashed', 'pid', 3);
SELECT alike((counted('ranged_mid', 3, 'row')).read, '%its table is not partitioned by "pid" alone', 'a part that is by something else, named by itself');

---- persons of other types
CREATE FUNCTION of_type(type text, value text, how text, collation_of text DEFAULT '') RETURNS text LANGUAGE plpgsql AS $$
DECLARE one text; other text; read text;
BEGIN
	EXECUTE format('CREATE TABLE one_of (p %s %s, ward text CHECK (ward IN (''A'', ''B'', ''C'')))', type, collation_of);
	EXECUTE format('INSERT INTO one_of SELECT (%s)::%s, ward FROM whole', value, type);
	CREATE TABLE parts_of (LIKE one_of INCLUDING ALL) PARTITION BY HASH (p);
	EXECUTE format('DROP TABLE parts_of; CREATE TABLE parts_of (LIKE one_of INCLUDING ALL) PARTITION BY %s', how);
	IF how LIKE 'HASH%' THEN
		CREATE TABLE parts_of_0 PARTITION OF parts_of FOR VALUES WITH (MODULUS 2, REMAINDER 0);
		CREATE TABLE parts_of_1 PARTITION OF parts_of FOR VALUES WITH (MODULUS 2, REMAINDER 1);
	ELSE
		EXECUTE format('CREATE TABLE parts_of_0 PARTITION OF parts_of FOR VALUES FROM (MINVALUE) TO (%L)', (SELECT p FROM one_of WHERE p IS NOT NULL ORDER BY p OFFSET 3000 LIMIT 1));
		CREATE TABLE parts_of_1 PARTITION OF parts_of DEFAULT;
	END IF;
	INSERT INTO parts_of TABLE one_of ORDER BY 2, 1;
	PERFORM pegs_set_budget('one_of', 1e6), pegs_set_budget('parts_of', 1e6);
	SELECT c.counts INTO one FROM counted('one_of', 2, 'row', 'p', '{ward}') AS c;
	SELECT c.counts, c.read INTO other, read FROM counted('parts_of', 2, 'row', 'p', '{ward}') AS c;
	DROP TABLE one_of, parts_of;
	RETURN CASE WHEN one = other THEN 'same ' ELSE 'other ' END || regexp_replace(read, ', by an aggregate.*|the rows of a person are looked at together, and ', '');
END $$;
CREATE COLLATION any_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE DOMAIN badge AS bigint CHECK (VALUE >= 0);
SELECT is(of_type('smallint', 'pid', 'HASH (p)'), 'same person by person', 'smallint');
SELECT is(of_type('bigint', 'pid::bigint * 5000000000', 'RANGE (p)'), 'same person by person', 'bigint');
SELECT is(of_type('badge', 'pid', 'HASH (p)'), 'same person by person', 'a domain');
SELECT is(of_type('uuid', 'md5(pid::text)', 'HASH (p)'), 'same person by person', 'uuid');
SELECT is(of_type('text', $$'k' || pid$$, 'HASH (p)'), 'same person by person', 'text');
SELECT is(of_type('varchar(9)', $$'k' || pid$$, 'RANGE (p)', 'COLLATE "C"'), 'same person by person', 'varchar, a range of bytes');
SELECT is(of_type('varchar(9)', $$'k' || pid$$, 'HASH (p)'), 'same person by person', 'varchar');
SELECT is(of_type('text', $$'k' || pid$$, 'RANGE (p)'), 'same row by row: its table is not partitioned by "p" alone', 'a range by an order that a library says');
SELECT is(of_type('text', $$'k' || pid$$, 'HASH (p text_pattern_ops)'), 'same row by row: its table is not partitioned by "p" alone', 'by another operator class');
SELECT is(of_type('text', $$CASE WHEN ok THEN 'K' ELSE 'k' END || pid$$, 'HASH (p)', 'COLLATE any_case'), 'same row by row: texts of column "p" may be equal that are not the same', 'texts that are equal and not the same');
SELECT is(of_type('numeric', $$CASE WHEN ok THEN pid ELSE pid::numeric(9, 2) END$$, 'HASH (p)'),
	'same row by row: column "p" is of type numeric, not of one whose values are written in one way (a whole number, a uuid, a text)', '1 and 1.00');

---- the aggregate by hand
SELECT pegs_spec('whole', '{ward,ok}') AS spec \gset
SELECT is((SELECT pegs_merge(s)::text FROM (SELECT pegs_agg_persons(:'spec', 2, false, 23, true, pid, ward, ok) AS s FROM whole GROUP BY pid % 5) AS p),
	(SELECT pegs_agg_persons(:'spec', 2, false, 23, true, pid, ward, ok)::text FROM whole), 'states of different persons add up');
SELECT is((SELECT pegs_agg_persons(:'spec', 1000, false, 23, true, pid, ward, ok)::text FROM whole), (SELECT pegs_agg(:'spec'::json, ward, ok)::text FROM whole WHERE pid IS NOT NULL), 'all rows of all persons, and nobody''s');
SELECT is((SELECT pegs_agg_persons(:'spec', 1, false, 23, true, pid, ward, ok)::text FROM whole WHERE false), NULL, 'no rows: the empty state');
SELECT throws_ok(format($$SELECT pegs_agg_persons(%L, %s, pid, ward, ok) FROM whole$$, :'spec', a), c, m, w) FROM (VALUES
	('0, false, 23, true', '22023', 'rows must be between 1 and 1000, and alike true or false', 'no rows of a person'), ('1001, false, 23, true', '22023', 'rows must be between 1 and 1000, and alike true or false', 'too many'),
	('NULL, false, 23, true', '22023', 'rows must be between 1 and 1000, and alike true or false', 'rows NULL'), ('1, NULL, 23, true', '22023', 'rows must be between 1 and 1000, and alike true or false', 'alike NULL'),
	('1, false, 20, true', '42804', 'the column of the person is of type integer, and not of the type that was said', 'another type'), ('1, false, NULL, true', '42804', 'the column of the person is of type integer, and not of the type that was said', 'type NULL'),
	('pid, false, 23, true', '22023', 'spec, rows, alike and type must be literals or parameters', 'rows that are not the same in all'),
	('1, false, 23, pid < 5', '23514', 'a row is of another part than the one where it is', 'a row of another part'), ('1, false, 23, NULL', '23514', 'a row is of another part than the one where it is', 'whether it is of this part: NULL')) AS v (a, c, m, w);
SELECT throws_ok($$SELECT pegs_agg_persons(NULL, 1, false, 23, true, pid, ward, ok) FROM whole$$, '22004', 'spec must not be null', 'spec NULL');
SELECT throws_ok(format($$SELECT pegs_agg_persons(%L, 1, false, 1700, true, pid::numeric, ward, ok) FROM whole$$, :'spec'), '42804', 'the column of the person is of type numeric, and not of the type that was said', 'a type that tells no persons');
SELECT throws_like(format($$SELECT pegs_agg_persons(%L, 1, false, 23, true, pid, ward) FROM whole$$, :'spec'), '%columns%', 'a column is missing');

-- an aggregate may be asked again for what it has answered: groups that are scanned twice
CREATE TABLE few (g int, pid int, ward text);
INSERT INTO few VALUES (1, 1, 'A'), (2, 2, 'B');
SET enable_sort = off; SET enable_material = off; SET enable_hashjoin = off; SET enable_mergejoin = off;
SELECT pegs_spec('whole', '{ward}') AS ward \gset
SELECT results_eq(format($$SELECT i, count(x), count(DISTINCT x) FROM generate_series(1, 2) AS i LEFT JOIN (SELECT g, pegs_agg_persons(%L, 1, false, 23, true, pid, ward)::text AS x FROM few GROUP BY g) AS s ON true GROUP BY i ORDER BY i$$, :'ward'),
	'VALUES (1, 2::bigint, 2::bigint), (2, 2, 2)', 'groups that are scanned twice');
RESET enable_sort; RESET enable_material; RESET enable_hashjoin; RESET enable_mergejoin;
SELECT throws_ok(format($$SELECT pegs_agg_persons(%L, 1, false, 23, true, pid, ward) OVER (ORDER BY g) FROM few$$, :'ward'), '0A000', NULL, 'not as a window function');
-- what has no rows at all
CREATE TABLE hollow (pid int, w boolean) PARTITION BY HASH (pid);
SELECT pegs_set_budget('hollow', 10), pegs_set_unit('hollow', 'pid');
SELECT is((counted('hollow', 1, 'row', 'pid', '{w}')).read, 'row by row: the rows of a person are looked at together, and its table has no part that has rows', 'no partition');
CREATE TABLE hollow_0 PARTITION OF hollow FOR VALUES WITH (MODULUS 1, REMAINDER 0) PARTITION BY LIST (w);
SELECT is((counted('hollow', 1, 'row', 'pid', '{w}')).read, 'row by row: the rows of a person are looked at together, and its table has no part that has rows', 'partitions that have none');
-- a snapshot that is older than a part that was attached: its rows are as they were then
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT is((counted('hashed', 3, 'row')).read, 'row by row: the rows of a person are looked at together, and the transaction''s snapshot may be older than its parts (REPEATABLE READ or SERIALIZABLE)', 'REPEATABLE READ: row by row');
COMMIT;

---- rows of one person that are too many to be kept
CREATE TABLE crowd (pid int, a int CHECK (a BETWEEN 0 AND 9999), b int CHECK (b BETWEEN 0 AND 9999)) PARTITION BY HASH (pid);
CREATE TABLE crowd_0 PARTITION OF crowd FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE crowd_1 PARTITION OF crowd FOR VALUES WITH (MODULUS 2, REMAINDER 1);
SELECT pegs_set_levels('crowd', c, (SELECT array_agg(i::text) FROM generate_series(0, 9999) AS i)) FROM unnest('{a,b}'::text[]) AS c;
INSERT INTO crowd SELECT 0, i % 10000, i / 10000 FROM generate_series(1, 40000) AS i;
SELECT pegs_set_budget('crowd', 10, 1e-3), pegs_set_unit('crowd', 'pid');
SET maintenance_work_mem = '1MB';
SELECT throws_ok($$SELECT pegs_fit('c', 'crowd', '{a,b}', epsilon => 1, method => 'marginals')$$, '55000', 'the rows of a person do not fit into maintenance_work_mem', 'a person of 40,000 different rows');
SELECT throws_ok($$SELECT pegs_fit('c', 'crowd_0', '{a,b}', epsilon => 1, method => 'marginals')$$, '55000', 'the rows of a person do not fit into maintenance_work_mem', 'row by row, too');
SELECT is((SELECT spent FROM pegs_budgets WHERE source = 'crowd'::regclass), 0::numeric, 'nothing is charged');
RESET maintenance_work_mem;
SELECT lives_ok($$SELECT pegs_fit('c', 'crowd', '{a,b}', epsilon => 1, method => 'marginals')$$, 'with more memory it is fitted');
SELECT * FROM finish();
