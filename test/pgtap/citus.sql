-- One ledger on Citus: its nodes have one each, and only the coordinator's may pay. Citus is not in Debian: its catalog tables are
-- doubles here, of the three that src/source/citus.c reads and no more. test/citus/run asks the same of an installed Citus.
SET client_min_messages = warning;
CREATE EXTENSION pegs;
SELECT * FROM no_plan();
SET allow_system_table_mods = on;
CREATE TABLE pg_catalog.pg_dist_local_group (groupid int PRIMARY KEY);
CREATE TABLE pg_catalog.pg_dist_partition (logicalrelid regclass PRIMARY KEY, partmethod "char");
CREATE TABLE pg_catalog.pg_dist_shard (logicalrelid regclass, shardid bigint PRIMARY KEY, shardstorage "char");
RESET allow_system_table_mods;
INSERT INTO pg_catalog.pg_dist_local_group VALUES (0);

CREATE TABLE dis (b boolean NOT NULL);
CREATE TABLE dis_102008 (b boolean NOT NULL);	-- a shard
CREATE TABLE dis_7 (b boolean NOT NULL);		-- none: there is no such shard
CREATE TABLE "102008" (b boolean NOT NULL);
CREATE TABLE own (b boolean NOT NULL);
CREATE SCHEMA elsewhere;
CREATE TABLE elsewhere.dis_102008 (b boolean NOT NULL);	-- none: its table is in another schema
CREATE TABLE elsewhere.far (b boolean NOT NULL);	-- distributed, without an account here
CREATE TABLE shop (b boolean NOT NULL) PARTITION BY LIST (b);
CREATE TABLE shop_t PARTITION OF shop FOR VALUES IN (true);
INSERT INTO dis SELECT i % 2 = 0 FROM generate_series(1, 40) AS i;
SELECT pegs_set_budget(t, 10) FROM unnest(ARRAY['dis', 'shop', 'dis_102008']::regclass[]) AS t;
SELECT pegs_fit('before', 'dis_102008', parents => '{}');
SELECT pegs_fit('no guarantee', 'dis', method => 'table', options => '{"guarantee": "none"}');
SELECT pegs_fit('no guarantee, shard', 'dis_102008', method => 'table', options => '{"guarantee": "none"}');
INSERT INTO elsewhere.far TABLE dis;
CREATE TABLE plan AS SELECT pegs_generalize('dis', '{b}', k => 2) AS plan;
INSERT INTO pg_catalog.pg_dist_partition VALUES ('dis', 'h'), ('shop', 'h'), ('elsewhere.far', 'h');
INSERT INTO pg_catalog.pg_dist_shard VALUES ('dis', 102008, 't'), ('dis', 102009, 't');

CREATE FUNCTION refusal(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE hint text;
BEGIN
	EXECUTE statement;
	RETURN 'done';
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT;
	RETURN SQLSTATE || ' ' || SQLERRM || ' / ' || hint;
END $$;

---- on the coordinator
SELECT is(refusal($$SELECT pegs_set_budget('dis', 20)$$), 'done', 'coordinator: a distributed table');
SELECT is(refusal($$SELECT pegs_fit('m', 'dis', epsilon => 1)$$), 'done', 'coordinator: it pays');
SELECT is(pegs_describe('m') ->> 'read', 'row by row: the table is distributed by Citus, and there is no function run_command_on_shards of the extension citus', 'coordinator: rows come to it');
SELECT is(refusal($$SELECT pegs_set_budget('own', 20)$$), 'done', 'coordinator: a local table');
SELECT matches(refusal($$SELECT pegs_set_budget('dis_102008', 20)$$), '^55000 table "dis_102008" is a shard of table "dis", which Citus distributes / .*name the whole table: dis', 'a shard has no account');
SELECT matches(refusal($$SELECT * FROM pegs_sample('before', 5, epsilon => 1) AS t(b boolean)$$), '^55000 table "dis_102008" is a shard', 'nor does one pay that was made before');
SELECT is(refusal(format('SELECT pegs_set_budget(%L, 20)', t)), 'done', t || ': no shard') FROM unnest(ARRAY['dis_7', '"102008"', 'elsewhere.dis_102008']) AS t;
SELECT is(spent, 0::numeric, 'nothing was charged') FROM pegs_budgets WHERE source = 'dis_102008'::regclass;

-- what has no guarantee, too
SELECT matches(refusal($$SELECT pegs_fit('of a shard', 'dis_102008', method => 'table', options => '{"guarantee": "none"}')$$), '^55000 table "dis_102008" is a shard', 'a shard has no fit without a guarantee');
SELECT matches(refusal($$SELECT * FROM pegs_sample('no guarantee, shard', 5) AS t(b boolean)$$), '^55000 table "dis_102008" is a shard', 'nor rows of one');
SELECT is(refusal($$SELECT * FROM pegs_sample('no guarantee', 5) AS t(b boolean)$$), 'done', 'coordinator: rows without a guarantee');
SELECT is(refusal($$SELECT * FROM pegs_generalized('dis', (SELECT plan FROM plan)) AS t(b text)$$), 'done', 'coordinator: rows made coarser');

---- on a worker
UPDATE pg_catalog.pg_dist_local_group SET groupid = 3;
SELECT matches(refusal($$SELECT pegs_set_budget('dis', 30)$$), '^55000 table "dis" is distributed by Citus, and this node is not its coordinator / Connect to the coordinator \(SELECT', 'worker: no budget');
SELECT matches(refusal($$SELECT pegs_fit('w', 'dis', epsilon => 1)$$), '^55000 table "dis" is distributed', 'worker: no charge');
SELECT matches(refusal($$SELECT pegs_fit('w', 'shop_t', epsilon => 1)$$), '^55000 table "shop" is distributed', 'worker: nor by a part');
-- what has no guarantee is charged nothing, and marks the account: of an account that is older than the table's distribution, too
SELECT matches(refusal($$SELECT pegs_fit('of a worker', 'dis', method => 'table', options => '{"guarantee": "none"}')$$), '^55000 table "dis" is distributed', 'worker: no fit without a guarantee');
SELECT matches(refusal($$SELECT * FROM pegs_sample('no guarantee', 5) AS t(b boolean)$$), '^55000 table "dis" is distributed', 'worker: nor rows of one');
SELECT matches(refusal($$SELECT * FROM pegs_generalized('dis', (SELECT plan FROM plan)) AS t(b text)$$), '^55000 table "dis" is distributed', 'worker: nor rows made coarser');
SELECT matches(refusal($$SELECT * FROM pegs_generalized('elsewhere.far', (SELECT plan FROM plan)) AS t(b text)$$), '^55000 table "far" is distributed', 'worker: nor of a table without an account');
SELECT is((SELECT count(*) FROM pegs_ledger WHERE source IN ('dis'::regclass, 'dis_102008'::regclass) AND action LIKE 'uncovered%'), 4::bigint, 'worker: no line was written');
SELECT is(refusal($$SELECT pegs_set_budget('own', 30)$$), 'done', 'worker: a table of its own');
SELECT is(spent, 1::numeric, 'nothing more was charged') FROM pegs_budgets WHERE source = 'dis'::regclass;
SELECT is((SELECT count(*) FROM pegs_health() WHERE item = 'citus' AND ok), 1::bigint, 'pegs_health says whose account pays');

---- catalog tables of other names of columns are not believed to be Citus'
ALTER TABLE pg_catalog.pg_dist_local_group RENAME TO pg_dist_no_group;
SELECT is(refusal($$SELECT pegs_set_budget('dis', 40)$$), 'done', 'without its catalog there is no Citus');

---- nor is what is no table, which could not be read as one
SET allow_system_table_mods = on;
CREATE VIEW pg_catalog.pg_dist_local_group AS SELECT 3 AS groupid;
SELECT is(refusal($$SELECT pegs_set_budget('dis', 50)$$), 'done', 'a view of that name is not of Citus');
DROP VIEW pg_catalog.pg_dist_local_group;
CREATE SEQUENCE pg_catalog.pg_dist_local_group;
SELECT is(refusal($$SELECT pegs_set_budget('dis', 60)$$), 'done', 'nor a sequence');
DROP SEQUENCE pg_catalog.pg_dist_local_group;
CREATE TABLE pg_catalog.pg_dist_local_group (groupid int) PARTITION BY LIST (groupid);
SELECT is(refusal($$SELECT pegs_set_budget('dis', 70)$$), 'done', 'nor a table whose rows are in its parts');

---- by hand, by shard: the recipe of docs/scale.md, with a double of Citus' function. A shard that failed is no shard without rows
\set recipe `sed -n "s/:'counting'/'counting'/; s/^\(SELECT pegs_fit_state('m', 'dis', .*\);$/\1/p" docs/scale.md`
SELECT pegs_drop('m'), pegs_set_budget('dis', 80, 1e-6);
CREATE TABLE answer (shardid bigint, success boolean, result text);
CREATE FUNCTION run_command_on_shards(regclass, text) RETURNS SETOF answer LANGUAGE sql AS 'TABLE answer';
INSERT INTO answer SELECT 102008, true, pegs_agg(pegs_spec('dis')::json, b)::text FROM dis WHERE b UNION ALL SELECT 102009, true, '' UNION ALL SELECT 102010, false, word FROM (VALUES (NULL::text)) AS v(word);
SELECT is(count(*), 1::bigint, 'the recipe stands there') FROM regexp_matches(:'recipe', 'run_command_on_shards');
SELECT matches(refusal(:'recipe'), '^22P03', 'a shard that failed without a word');
UPDATE answer SET result = 'ERROR: 4711' WHERE NOT success;
SELECT doesnt_match(refusal(:'recipe'), '^done|4711', 'a shard that failed with one');
SELECT is(spent, 1::numeric, 'nothing was charged for a part') FROM pegs_budgets WHERE source = 'dis'::regclass;
UPDATE answer SET success = true, result = '';
SELECT is(refusal(:'recipe'), 'done', 'shards without rows');

SELECT * FROM finish();
