-- A table that Citus distributes is counted by one aggregate for each shard (src/read/shards.c). Citus is not in Debian: its catalog
-- tables, its extension and run_command_on_shards are doubles here, which run the command on tables of this database that are named
-- as shards are. test/citus/run asks the same of an installed Citus.
SET client_min_messages = warning;
CREATE EXTENSION pegs;
SELECT * FROM no_plan();
SET allow_system_table_mods = on;
CREATE TABLE pg_catalog.pg_dist_local_group (groupid int PRIMARY KEY);
CREATE TABLE pg_catalog.pg_dist_partition (logicalrelid regclass PRIMARY KEY, partmethod "char");
CREATE TABLE pg_catalog.pg_dist_shard (logicalrelid regclass, shardid bigint PRIMARY KEY, shardstorage "char");
INSERT INTO pg_extension (oid, extname, extowner, extnamespace, extrelocatable, extversion) VALUES (4711, 'citus', 10, 'pg_catalog'::regnamespace, false, '13.0');
CREATE TABLE pg_catalog.double (what text, shard bigint, says text);	-- how a shard fails
GRANT SELECT ON pg_catalog.pg_dist_shard, pg_catalog.double TO PUBLIC;
-- as Citus': a shard's name without its schema, if that is public; one value of one row, NULL as ''; another connection does not see what is not committed
CREATE FUNCTION pg_catalog.run_command_on_shards(table_name regclass, command text, parallel bool DEFAULT true, OUT shardid bigint, OUT success bool, OUT result text) RETURNS SETOF record LANGUAGE plpgsql AS $$
DECLARE named text; plain text; n text; bad record;
BEGIN
	SELECT nspname, relname INTO n, plain FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace WHERE pg_class.oid = table_name;
	FOR shardid IN SELECT s.shardid FROM pg_dist_shard s WHERE logicalrelid = table_name ORDER BY 1 LOOP
		named := CASE WHEN n = 'public' THEN '' ELSE quote_ident(n) || '.' END || quote_ident(plain || '_' || shardid);
		success := true;
		SELECT * INTO bad FROM pg_catalog.double d WHERE d.shard = shardid;
		CONTINUE WHEN bad.what = 'missing';
		BEGIN
			EXECUTE format(command, named) INTO result;
			result := coalesce(result, '');
		EXCEPTION WHEN OTHERS THEN
			success := false;
			result := 'ERROR: ' || SQLERRM;
		END;
		IF bad.what = 'splits' THEN INSERT INTO pg_catalog.pg_dist_shard VALUES (table_name, bad.says::bigint, 't'); END IF;
		IF bad.what = 'goes' THEN DELETE FROM pg_catalog.pg_dist_shard s WHERE s.shardid = bad.says::bigint; END IF;
		IF bad.what = 'failed' THEN success := false; END IF;
		IF bad.what IN ('failed', 'says') THEN result := bad.says; END IF;
		RETURN NEXT;
		IF bad.what = 'twice' THEN RETURN NEXT; END IF;
	END LOOP;
END $$;
INSERT INTO pg_depend VALUES ('pg_proc'::regclass, 'pg_catalog.run_command_on_shards(regclass,text,bool)'::regprocedure, 0, 'pg_extension'::regclass, 4711, 0, 'e');
RESET allow_system_table_mods;
INSERT INTO pg_catalog.pg_dist_local_group VALUES (0);

CREATE TABLE dis (age int NOT NULL CHECK (age IN (1, 2, 3)), "s%x" text NOT NULL CHECK ("s%x" IN ('M', 'F''%s', '%')), person int);
CREATE TABLE whole (LIKE dis INCLUDING ALL);
INSERT INTO whole SELECT 1 + i % 3, CASE i % 4 WHEN 0 THEN 'M' WHEN 1 THEN '%' ELSE 'F''%s' END, i / 3 FROM generate_series(1, 1000) AS i;
CREATE TABLE dis_101 AS SELECT * FROM whole WHERE person % 2 = 0;
CREATE TABLE dis_102 AS SELECT * FROM whole WHERE person % 2 = 1;
CREATE TABLE dis_103 AS SELECT * FROM whole WHERE false;		-- an empty shard
INSERT INTO pg_catalog.pg_dist_partition VALUES ('dis', 'h');
INSERT INTO pg_catalog.pg_dist_shard VALUES ('dis', 101, 't'), ('dis', 102, 't'), ('dis', 103, 't');
SELECT pegs_set_budget(t, 1000, 1e-3) FROM unnest(ARRAY['dis', 'whole']::regclass[]) AS t;

CREATE FUNCTION counted(model text) RETURNS text LANGUAGE sql AS $$SELECT md5(pegs_internal.unmasked(b.body)) FROM pegs_internal.body AS b JOIN pegs_internal.model AS m ON m.id = b.model WHERE m.name = $1$$;
SELECT pegs_fit('w', 'whole', '{age,"s%x"}', parents => '{"s%x": ["age"]}');
SELECT pegs_fit('m', 'dis', '{age,"s%x"}', parents => '{"s%x": ["age"]}');
SELECT is(pegs_describe('m') ->> 'read', 'by an aggregate for each of 3 shards of Citus', 'by shard');
SELECT is(counted('m'), counted('w'), 'the same bytes as of the whole table');

-- a failure ends the fit, names the shard and nothing that it said, and nothing is charged or stored
SELECT is((SELECT count(*) FROM pegs_internal.name), 2::bigint, 'two names');
\set ON_ERROR_STOP off
\set fit 'SELECT pegs_fit(\'x\', \'dis\', \'{age,"s%x"}\', epsilon => 1);'
INSERT INTO pg_catalog.double VALUES ('failed', 102, 'pegs ');
:fit
SELECT is(:'SQLSTATE' || ' ' || :'LAST_ERROR_MESSAGE', 'HV000 shard 102 of table "dis" was not counted', 'a shard that failed');
UPDATE pg_catalog.double SET what = 'missing';
:fit
SELECT is(:'SQLSTATE' || ' ' || :'LAST_ERROR_MESSAGE', 'HV000 shard 102 of table "dis" was not counted', 'a shard that is missing');
UPDATE pg_catalog.double SET what = 'twice';
:fit
SELECT is(:'SQLSTATE' || ' ' || :'LAST_ERROR_MESSAGE', '40001 table "dis" has other shards than a moment ago', 'a shard that answers twice');
UPDATE pg_catalog.double SET what = 'splits', says = '104';
:fit
SELECT is(:'SQLSTATE' || ' ' || :'LAST_ERROR_MESSAGE', '40001 table "dis" has other shards than a moment ago', 'a shard that has come since they were listed');
UPDATE pg_catalog.double SET what = 'goes', says = '103';
:fit
SELECT is(:'SQLSTATE' || ' ' || :'LAST_ERROR_MESSAGE', '40001 table "dis" has other shards than a moment ago', 'a shard that has gone since, though it had answered');
SELECT is((SELECT count(*) FROM pg_catalog.pg_dist_shard), 3::bigint, 'both were rolled back');
UPDATE pg_catalog.double SET what = 'says';
SELECT pegs_agg(pegs_spec('whole', '{age}')::json, age)::text AS other FROM whole \gset
UPDATE pg_catalog.double SET says = 'pegs ' || :'other';
:fit
SELECT is(:'SQLSTATE' || ' ' || :'LAST_ERROR_MESSAGE', 'HV000 what was counted of "shard 102 of dis" is not what was asked for', 'a state of another domain');
UPDATE pg_catalog.double SET says = '';
:fit
SELECT is(:'SQLSTATE' || ' ' || :'LAST_ERROR_MESSAGE', 'HV000 shard 102 of table "dis" was not counted', 'no row, which Citus gives as an empty text, is no empty shard');
UPDATE pg_catalog.double SET says = 'pegs \x';
:fit
SELECT is(:'SQLSTATE'::text, 'HV000', 'crafted: no bytes');
UPDATE pg_catalog.double SET says = 'pegs \x0';
:fit
SELECT is(:'SQLSTATE'::text, 'HV000', 'crafted: half a byte');
UPDATE pg_catalog.double SET says = (SELECT 'pegs zz' || substr(pegs_agg(pegs_spec('dis', '{age,"s%x"}')::json, age, "s%x")::text, 3) FROM whole);
:fit
SELECT is(:'SQLSTATE'::text, 'HV000', 'crafted: another mark');
UPDATE pg_catalog.double SET says = 'pegs \';
:fit
SELECT is(:'SQLSTATE'::text, 'HV000', 'crafted: shorter than its mark');
UPDATE pg_catalog.double SET says = 'pegs \xzz';
:fit
SELECT is(:'SQLSTATE'::text, 'HV000', 'crafted: no hex');
UPDATE pg_catalog.double SET says = left('pegs ' || :'other', 301);
:fit
SELECT is(:'SQLSTATE'::text, 'HV000', 'crafted: cut off');
DELETE FROM pg_catalog.double;
INSERT INTO dis_101 VALUES (99, 'M', 1);
:fit
SELECT is(:'SQLSTATE' || ' ' || :'LAST_ERROR_MESSAGE', 'HV000 shard 101 of table "dis" was not counted', 'a value that is not declared');
DELETE FROM dis_101 WHERE age = 99;
\set ON_ERROR_STOP on
SELECT is(spent, 0::numeric, 'nothing was charged') FROM pegs_budgets WHERE source = 'dis'::regclass;
SELECT is((SELECT count(*) FROM pegs_internal.name), 2::bigint, 'and no model was stored');

-- row by row, and why
\set again 'SELECT pegs_drop(\'m\'); SELECT pegs_fit(\'m\', \'dis\', \'{age,"s%x"}\', parents => \'{}\');'
\set why '(SELECT pegs_describe(\'m\') ->> \'read\')'
BEGIN;
INSERT INTO dis VALUES (1, 'M', 1);
:again
COMMIT;
SELECT is(:why, 'row by row: the table is distributed by Citus, and it is read in a transaction that may have written rows, which other connections do not see', 'an open transaction that wrote');
BEGIN;
:again
COMMIT;
SELECT matches(:why, '^row by row: .* may have written rows', 'any open transaction');
DO $$BEGIN DELETE FROM dis; PERFORM pegs_drop('m'); PERFORM pegs_fit('m', 'dis', '{age,"s%x"}', parents => '{}'); END$$;
SELECT matches(:why, '^row by row: .* may have written rows', 'one command that wrote');
SET default_transaction_isolation = 'repeatable read';
:again
RESET default_transaction_isolation;
SELECT matches(:why, '^row by row: .* has a snapshot that other connections do not have', 'a snapshot of its own');
:again
SELECT is(:why, 'by an aggregate for each of 3 shards of Citus', 'and by shard again');
ALTER TABLE dis ENABLE ROW LEVEL SECURITY;
:again
SELECT matches(:why, '^row by row: .* it has row security$', 'row security');
ALTER TABLE dis DISABLE ROW LEVEL SECURITY;
UPDATE pg_catalog.pg_dist_partition SET partmethod = 'n';
:again
SELECT matches(:why, '^row by row: .* it has no shards with rows of their own$', 'a reference table');
UPDATE pg_catalog.pg_dist_partition SET partmethod = 'h';
SET maintenance_work_mem = '1MB';
INSERT INTO pg_catalog.pg_dist_shard SELECT 'dis', s, 't' FROM generate_series(1000, 30000) AS s;
:again
SELECT matches(:why, '^row by row: .* have together more cells than maintenance_work_mem holds$', 'many shards');
DELETE FROM pg_catalog.pg_dist_shard WHERE shardid >= 1000;
RESET maintenance_work_mem;
CREATE VIEW seen AS SELECT * FROM dis WHERE age < 3;
SELECT pegs_fit('v', 'seen', '{age,"s%x"}', parents => '{}');
SELECT matches(pegs_describe('v') ->> 'read', '^row by row: .* a view stands between$', 'a view');
CREATE TYPE grade AS ENUM ('a', 'b');
ALTER TABLE dis ADD g grade NOT NULL DEFAULT 'a';
SELECT pegs_fit('g', 'dis', '{age,g}', parents => '{}');
SELECT matches(pegs_describe('g') ->> 'read', '^row by row: .* column "g" is of a type that is not the server''s own$', 'a type of one''s own');

-- a partitioned table that is distributed: its shards are, and hold all its partitions
CREATE TABLE cut (age int NOT NULL CHECK (age IN (1, 2, 3)), y int) PARTITION BY LIST (y);
CREATE TABLE cut_y1 PARTITION OF cut FOR VALUES IN (1);
CREATE TABLE cut_y2 PARTITION OF cut FOR VALUES IN (2);
CREATE TABLE cut_401 AS SELECT 1 + i % 3 AS age, 1 + i % 2 AS y FROM generate_series(1, 100) AS i;
CREATE TABLE cut_402 AS SELECT 1 + i % 2 AS age, 1 + i % 2 AS y FROM generate_series(1, 100) AS i;
CREATE TABLE cut_whole (age int NOT NULL CHECK (age IN (1, 2, 3)));
INSERT INTO cut_whole SELECT age FROM cut_401 UNION ALL SELECT age FROM cut_402;
INSERT INTO pg_catalog.pg_dist_partition VALUES ('cut', 'h'), ('cut_y1', 'h'), ('cut_y2', 'h');
INSERT INTO pg_catalog.pg_dist_shard VALUES ('cut', 401, 't'), ('cut', 402, 't'), ('cut_y1', 403, 't'), ('cut_y2', 404, 't');
SELECT pegs_set_budget(t, 10) FROM unnest(ARRAY['cut', 'cut_whole']::regclass[]) AS t;
SELECT pegs_fit('cut', 'cut', '{age}', parents => '{}'), pegs_fit('cut_whole', 'cut_whole', '{age}', parents => '{}');
SELECT is(pegs_describe('cut') ->> 'read', 'by an aggregate for each of 2 shards of Citus', 'a partitioned table: by its own shards, and not those of its partitions');
SELECT is(counted('cut'), counted('cut_whole'), 'a partitioned table: the same bytes');
ALTER TABLE cut_y2 ENABLE ROW LEVEL SECURITY;
SELECT pegs_fit('cut2', 'cut', '{age}', parents => '{}');
SELECT matches(pegs_describe('cut2') ->> 'read', '^row by row: .* it has row security$', 'row security of a partition');

-- a granted analyst reads how it was counted, and rows; he has no right to a shard
CREATE ROLE citus_analyst;
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA public TO citus_analyst;
SELECT pegs_fit('open', 'whole', '{age}', epsilon => 1), pegs_fit('open_dis', 'dis', '{age}', epsilon => 1);
SELECT pegs_grant('open_dis', 'citus_analyst');
SET ROLE citus_analyst;
SELECT is(pegs_describe('open_dis') ->> 'read', 'by an aggregate for each of 3 shards of Citus', 'an analyst reads how it was counted');
SELECT is((SELECT count(*) FROM pegs_sample('open_dis', 10) AS r (age int)), 10::bigint, 'and has rows');
SELECT throws_ok('SELECT * FROM dis_101', '42501', NULL, 'and none of a shard');
RESET ROLE;

-- a slice: its rows alone, so not by the shards of all
CREATE TABLE sliced (at date NOT NULL, age int NOT NULL CHECK (age IN (1, 2, 3)));
CREATE TABLE sliced_501 AS SELECT date '2024-01-01' + i % 2 AS at, 1 + i % 3 AS age FROM generate_series(1, 50) AS i;
INSERT INTO sliced TABLE sliced_501;		-- what Citus shows of it here
INSERT INTO pg_catalog.pg_dist_partition VALUES ('sliced', 'h');
INSERT INTO pg_catalog.pg_dist_shard VALUES ('sliced', 501, 't');
SELECT pegs_set_budget('sliced', 10);
CREATE FUNCTION guard() RETURNS text LANGUAGE plpgsql AS $$
DECLARE hint text;
BEGIN
	PERFORM pegs_set_slices('sliced', 'at', '1 day', '2024-01-01', 1);
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT;
	RETURN hint;
END $$;
SELECT guard() AS guard \gset
:guard
SELECT pegs_set_slices('sliced', 'at', '1 day', '2024-01-01', 1);
SELECT pegs_fit_slices('s', 'sliced', ARRAY['age'], most => 1);
SELECT matches(pegs_describe('s') ->> 'read', '^row by row: .* a slice of it is read$', 'a slice');

-- as the owner, whose right counts; in another schema, with odd names
CREATE ROLE citus_shards_owner;
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA public TO citus_shards_owner;
CREATE SCHEMA "o %d" AUTHORIZATION citus_shards_owner;
SET ROLE citus_shards_owner;
CREATE TABLE "o %d"."t %s" (age int NOT NULL CHECK (age IN (1, 2, 3)));
CREATE TABLE "o %d"."t %s_201" AS SELECT 1 + i % 3 AS age FROM generate_series(1, 50) AS i;
CREATE TABLE "o %d"."t %s_202" AS SELECT 1 + i % 2 AS age FROM generate_series(1, 50) AS i;
CREATE TABLE "o %d".both (LIKE "o %d"."t %s" INCLUDING ALL);
INSERT INTO "o %d".both TABLE "o %d"."t %s_201" UNION ALL TABLE "o %d"."t %s_202";
RESET ROLE;
INSERT INTO pg_catalog.pg_dist_partition VALUES ('"o %d"."t %s"', 'h');
INSERT INTO pg_catalog.pg_dist_shard VALUES ('"o %d"."t %s"', 201, 't'), ('"o %d"."t %s"', 202, 't');
SET ROLE citus_shards_owner;
SELECT pegs_set_budget(t, 10) FROM unnest(ARRAY['"o %d"."t %s"', '"o %d".both']::regclass[]) AS t;
SELECT pegs_fit('odd', '"o %d"."t %s"', parents => '{}');
SELECT pegs_fit('both', '"o %d".both', parents => '{}');
SELECT is(pegs_describe('odd') ->> 'read', 'by an aggregate for each of 2 shards of Citus', 'a table of somebody else, with odd names');
RESET ROLE;
SELECT is(counted('odd'), counted('both'), 'the same bytes as of the whole table, too');
-- the shard's own right is asked, of the owner of the table
ALTER TABLE "o %d"."t %s_202" OWNER TO CURRENT_USER;
\set ON_ERROR_STOP off
SELECT pegs_fit('x', '"o %d"."t %s"', parents => '{}');
SELECT is(:'SQLSTATE' || ' ' || :'LAST_ERROR_MESSAGE', 'HV000 shard 202 of table "t %s" was not counted', 'a shard that the owner may not read, though a superuser asks');
\set ON_ERROR_STOP on
REVOKE EXECUTE ON FUNCTION pg_catalog.run_command_on_shards FROM PUBLIC;
SELECT pegs_fit('r', '"o %d"."t %s"', parents => '{}');
SELECT matches(pegs_describe('r') ->> 'read', '^row by row: .* its owner may not call run_command_on_shards$', 'an owner without the right to the function');
GRANT EXECUTE ON FUNCTION pg_catalog.run_command_on_shards TO PUBLIC;

-- persons: row by row
SELECT pegs_set_unit('dis', 'person', 3);
:again
SELECT is(:why, 'row by row: the rows of a person are looked at together, and the table is distributed by Citus', 'persons');

-- a function of that name is Citus' by its place and its extension, not by the search_path
CREATE TABLE plain (age int NOT NULL CHECK (age IN (1, 2, 3)));
CREATE TABLE plain_301 AS SELECT 1 + i % 3 AS age FROM generate_series(1, 50) AS i;
INSERT INTO pg_catalog.pg_dist_partition VALUES ('plain', 'h');
INSERT INTO pg_catalog.pg_dist_shard VALUES ('plain', 301, 't');
SELECT pegs_set_budget('plain', 10);
CREATE SCHEMA evil;
CREATE FUNCTION evil.run_command_on_shards(regclass, text, boolean, OUT shardid bigint, OUT success bool, OUT result text) RETURNS SETOF record LANGUAGE plpgsql AS $$BEGIN RAISE EXCEPTION 'evil'; END$$;
SET search_path = evil, pg_catalog, public;
SELECT pegs_fit('p', 'plain', parents => '{}');
SELECT is(pegs_describe('p') ->> 'read', 'by an aggregate for each of 1 shards of Citus', 'not the one that is earlier in the search_path');
RESET search_path;
ALTER EXTENSION citus DROP FUNCTION pg_catalog.run_command_on_shards;
SELECT pegs_fit('q', 'plain', parents => '{}');
SELECT matches(pegs_describe('q') ->> 'read', '^row by row: .* there is no function run_command_on_shards of the extension citus$', 'nor one that is no member of the extension');

-- related tables are read at one moment: none of them may be distributed, nor a part of one
CREATE TABLE person (id int PRIMARY KEY, sex text NOT NULL CHECK (sex IN ('F', 'M')));
CREATE TABLE stay (person int NOT NULL REFERENCES person, ward text NOT NULL CHECK (ward IN ('A', 'B'))) PARTITION BY LIST (ward);
CREATE TABLE stay_a PARTITION OF stay FOR VALUES IN ('A');
SELECT pegs_set_budget('person', 10);
SELECT pegs_set_parent('stay', 'person', children => '{0, 1, 2}', at_most => 2);
CREATE FUNCTION fits(name, regclass, text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE d text; h text; said text;
BEGIN
	DELETE FROM pg_catalog.pg_dist_partition WHERE logicalrelid IN ('person'::regclass, 'stay', 'stay_a');
	INSERT INTO pg_catalog.pg_dist_partition SELECT $2, 'h' WHERE $2 IS NOT NULL;
	PERFORM pegs_fit_schema($1, 'person', epsilon => 1);
	PERFORM pegs_drop($1);
	RETURN ok($2 IS NULL, $3);
EXCEPTION WHEN feature_not_supported THEN
	GET STACKED DIAGNOSTICS d = PG_EXCEPTION_DETAIL, h = PG_EXCEPTION_HINT, said = MESSAGE_TEXT;
	RETURN is(concat_ws(' | ', said, d, h), 'table "' || $2 || '" is distributed by Citus: it cannot be one of a model of several tables | Their rows are read at one moment, so that each is counted for whom it belongs to. Shards are read each at its own. | Fit it alone, by pegs_fit. Of a table below the root: leave it out, tables => ''{...}''.', $3);
END $$;
SELECT fits('related', 'person', 'a root');
SELECT fits('related', 'stay', 'a table below it');
SELECT fits('related', 'stay_a', 'a part');
SELECT is((SELECT spent FROM pegs_budgets WHERE source = 'person'::regclass), 0::numeric, 'nothing was charged for it');
SELECT fits('related', NULL, 'where Citus has none of them it is fitted');

SELECT * FROM finish();
DROP OWNED BY citus_shards_owner, citus_analyst CASCADE;
DROP ROLE citus_analyst;
DROP ROLE citus_shards_owner;
