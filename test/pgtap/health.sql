-- pegs_health, of what a catalog alone says: row security on other servers.
SET client_min_messages = warning;
CREATE EXTENSION pegs;
CREATE EXTENSION postgres_fdw;
SELECT * FROM no_plan();
CREATE SERVER told FOREIGN DATA WRAPPER postgres_fdw OPTIONS (options '-c row_security=off');
CREATE SERVER "not Told" FOREIGN DATA WRAPPER postgres_fdw;
CREATE SERVER other FOREIGN DATA WRAPPER postgres_fdw OPTIONS (options '-c work_mem=1MB');
CREATE TABLE visits (region int, age int) PARTITION BY LIST (region);
CREATE FOREIGN TABLE visits1 PARTITION OF visits FOR VALUES IN (1) SERVER told;
CREATE FOREIGN TABLE visits2 PARTITION OF visits FOR VALUES IN (2) SERVER "not Told";
CREATE FOREIGN TABLE lone (age int) SERVER other;
CREATE FOREIGN TABLE without_account (age int) SERVER other;
CREATE VIEW said AS SELECT item, state, ok, remedy FROM pegs_health() WHERE item LIKE 'row security of server%';
SELECT is_empty('SELECT * FROM said', 'no account');
SELECT pegs_set_budget('visits', 1), pegs_set_budget('lone', 1);
SELECT results_eq('SELECT item, state, ok FROM said ORDER BY item', $$VALUES
	('row security of server not Told', 'a policy there may hide rows of public.visits from the role that asks: a smaller count, and no error', false),
	('row security of server other', 'a policy there may hide rows of public.lone from the role that asks: a smaller count, and no error', false)$$, 'servers that are not told that hidden rows are an error');
DO $$ DECLARE statement text; BEGIN FOR statement IN SELECT remedy FROM said LOOP EXECUTE statement; END LOOP; END $$;
SELECT is_empty('SELECT * FROM said', 'the remedies mend it');
SELECT is((SELECT srvoptions FROM pg_foreign_server WHERE srvname = 'other'), ARRAY['options=-c work_mem=1MB -c row_security=off'], 'and leave what else was told');
-- its plan is large and its rows are few: compiled, it took a hundred times as long
SELECT ok('jit=off' = ANY (proconfig), 'it is not compiled') FROM pg_proc WHERE proname = 'pegs_health';
SELECT * FROM finish();
