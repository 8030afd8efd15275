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
