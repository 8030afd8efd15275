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
SELECT is((SELECT srvoptions FROM pg_foreign_server WHERE srvname = 'other'), ARRAY['options=-c work_mem=1MB -c row_security=off -c client_min_messages=error'], 'and leave what else was told');
-- its plan is large and its rows are few: compiled, it took a hundred times as long
SELECT ok('jit=off' = ANY (proconfig), 'it is not compiled') FROM pg_proc WHERE proname = 'pegs_health';
-- how much is asked, by the server's own counts: of twice as many accounts, and twice as many parts, twice as much
CREATE SERVER of_many FOREIGN DATA WRAPPER postgres_fdw;
CREATE TABLE wide (i int, age int) PARTITION BY LIST (i);
CREATE FUNCTION grow(low int, high int) RETURNS void LANGUAGE plpgsql AS $$ BEGIN
	FOR i IN low .. high LOOP
		EXECUTE format('CREATE FOREIGN TABLE many%s (age int) SERVER of_many', i);
		EXECUTE format('SELECT pegs_set_budget(%L, 1)', 'many' || i);
		EXECUTE format('CREATE FOREIGN TABLE far%s PARTITION OF wide FOR VALUES IN (%s) SERVER of_many', i, i);
		EXECUTE format('CREATE TABLE near%s PARTITION OF wide FOR VALUES IN (%s)', i, -i);
	END LOOP;
END $$;
-- a run behind another: what a session looks up once is not counted
CREATE FUNCTION asked(OUT calls bigint, OUT scans bigint, OUT rows bigint) LANGUAGE plpgsql AS $$ BEGIN
	FOR i IN 0 .. 1 LOOP
		calls := -coalesce(pg_stat_get_xact_function_calls('pegs_internal.spent(regclass, boolean)'::regprocedure), 0);
		scans := -pg_stat_get_xact_numscans('pg_inherits'::regclass);
		rows := -pg_stat_get_xact_tuples_returned('pg_inherits'::regclass) - pg_stat_get_xact_tuples_returned('pg_foreign_table'::regclass);
		PERFORM count(*) FROM pegs_health();
	END LOOP;
	calls := calls + pg_stat_get_xact_function_calls('pegs_internal.spent(regclass, boolean)'::regprocedure);
	scans := scans + pg_stat_get_xact_numscans('pg_inherits'::regclass);
	rows := rows + pg_stat_get_xact_tuples_returned('pg_inherits'::regclass) + pg_stat_get_xact_tuples_returned('pg_foreign_table'::regclass);
END $$;
SET track_functions = 'all';
SELECT grow(1, 25);
SELECT pegs_set_budget('wide', 1);
CREATE TABLE few AS SELECT * FROM asked();
SELECT grow(26, 50);
CREATE TABLE twice AS SELECT * FROM asked();
SELECT cmp_ok(twice.calls, '<=', 2 * few.calls, 'accounts are read so often, however many there are') FROM few, twice;
SELECT cmp_ok(twice.scans, '<=', 3 * few.scans, 'inheritance is looked through for each part once') FROM few, twice;
SELECT cmp_ok(twice.rows, '<=', 3 * few.rows, 'and so are foreign tables') FROM few, twice;
SELECT * FROM finish();
