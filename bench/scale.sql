-- scale.sql: rows counted where they are. CPU of all processes, and wall time: the latter is worth something on a quiet machine alone.
--
-- :rows rows of 13 columns on this server; two "shards" of half of them each are databases of the same server, reached by postgres_fdw, whose
-- sessions count without workers. CPU of a session is the scheduler's own account of it; of workers, which have ended, what the
-- postmaster was told of them (in hundredths of a second).
\set QUIET on
\pset footer off
SET client_min_messages = warning;
SET jit = off;
-- its workers would be counted, too
ALTER SYSTEM SET autovacuum = off;
SELECT pg_reload_conf() \g /dev/null
CREATE EXTENSION pegs;
CREATE EXTENSION postgres_fdw;
\ir ../demo/discharge.sql
SELECT make_discharges(:rows) \g /dev/null
\o /dev/null
\ir ../demo/facts.sql
\o
VACUUM (FREEZE, ANALYZE) discharges;

-- two shards, of columns of types that every server has
CREATE DATABASE pegs_scale1;
CREATE DATABASE pegs_scale2;
ALTER DATABASE pegs_scale1 SET max_parallel_workers_per_gather = 0;
ALTER DATABASE pegs_scale2 SET max_parallel_workers_per_gather = 0;
SELECT current_setting('unix_socket_directories') AS host, current_setting('port') AS port, current_database() AS hub \gset
\set shipped 'age,sex,ethncty,race,los,disp,pay,charge,mdc,sev,cat,yr'
SELECT string_agg(format('%I %s', a.attname, format_type(a.atttypid, a.atttypmod)), ', ' ORDER BY a.attnum) AS shard_columns
FROM pg_attribute AS a WHERE a.attrelid = 'discharges'::regclass AND a.attnum > 0 AND a.attname = ANY (string_to_array(:'shipped', ',')) \gset
\c pegs_scale1
SET client_min_messages = warning;
CREATE EXTENSION pegs; CREATE EXTENSION postgres_fdw;
CREATE SERVER hub FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host :'host', port :'port', dbname :'hub', fetch_size '10000');
CREATE USER MAPPING FOR CURRENT_USER SERVER hub;
CREATE FOREIGN TABLE from_hub (:shard_columns) SERVER hub OPTIONS (table_name 'discharges');
SELECT format('CREATE TABLE dis AS SELECT *, 1::smallint AS yr FROM from_hub LIMIT %s', :rows / 2) \gexec
VACUUM (FREEZE, ANALYZE) dis;
\c pegs_scale2
SET client_min_messages = warning;
CREATE EXTENSION pegs; CREATE EXTENSION postgres_fdw;
CREATE SERVER hub FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host :'host', port :'port', dbname :'hub', fetch_size '10000');
CREATE USER MAPPING FOR CURRENT_USER SERVER hub;
CREATE FOREIGN TABLE from_hub (:shard_columns) SERVER hub OPTIONS (table_name 'discharges');
SELECT format('CREATE TABLE dis AS SELECT *, 2::smallint AS yr FROM from_hub OFFSET %s', :rows / 2) \gexec
VACUUM (FREEZE, ANALYZE) dis;

\c :hub
SET client_min_messages = warning;
SET jit = off;
CREATE SERVER shard1 FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host :'host', port :'port', dbname 'pegs_scale1', fetch_size '10000', async_capable 'true', extensions 'pegs');
CREATE SERVER shard2 FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host :'host', port :'port', dbname 'pegs_scale2', fetch_size '10000', async_capable 'true', extensions 'pegs');
CREATE USER MAPPING FOR CURRENT_USER SERVER shard1;
CREATE USER MAPPING FOR CURRENT_USER SERVER shard2;
SELECT format('CREATE TABLE dis (%s, yr smallint NOT NULL CHECK (yr IN (1, 2))) PARTITION BY LIST (yr)', :'shard_columns') \gexec
CREATE FOREIGN TABLE dis1 PARTITION OF dis FOR VALUES IN (1) SERVER shard1 OPTIONS (table_name 'dis');
CREATE FOREIGN TABLE dis2 PARTITION OF dis FOR VALUES IN (2) SERVER shard2 OPTIONS (table_name 'dis');
\set source dis
\o /dev/null
SELECT pegs_set_bins('dis', 'age', '{0,5,10,15,20,25,30,35,40,45,50,55,60,65,70,75,80,120}'), pegs_set_bins('dis', 'los', '{0,1,2,3,4,5,6,7,8,9,10,30,50,70,90,366}'),
	pegs_set_bins('dis', 'charge', '{0,2000,4000,6000,8000,10000,12000,15000,17500,20000,22500,25000,30000,35000,40000,45000,50000,55000,60000,65000,70000,75000,80000,90000,100000,1000000}'),
	pegs_set_levels('dis', 'disp', lookup => 'dispositions', lookup_column => 'code'), pegs_set_levels('dis', 'mdc', (SELECT array_agg(i::text) FROM generate_series(1, 25) AS i));
SELECT pegs_set_levels('dis', c, (SELECT array_remove(levels, NULL) FROM pegs_domain('discharges') WHERE column_name = c), undeclared => 'drop') FROM unnest('{sex,ethncty,race,pay,sev,cat}'::name[]) AS c;
SELECT pegs_set_budget('dis', 1000, 1e-3);
\o
SELECT pegs_spec('dis', string_to_array(:'shipped', ',')::name[]) AS shard_spec \gset

CREATE FUNCTION pg_temp.own_s() RETURNS float8 LANGUAGE sql VOLATILE
AS $$ SELECT split_part(pg_read_file('/proc/self/schedstat'), ' ', 1)::float8 / 1e9 $$;
CREATE FUNCTION pg_temp.ended_s() RETURNS float8 LANGUAGE sql VOLATILE
AS $$ SELECT (f[14]::float8 + f[15]::float8) / 100 FROM regexp_split_to_array(regexp_replace(pg_read_file('/proc/' || split_part(pg_read_file('postmaster.pid'), E'\n', 1) || '/stat'), '^.*\) ', ''), ' ') AS f $$;
CREATE FUNCTION pg_temp.shards_s() RETURNS float8 LANGUAGE sql VOLATILE
AS $$ SELECT coalesce(sum(split_part(pg_read_file('/proc/' || pid || '/schedstat'), ' ', 1)::float8) / 1e9, 0) FROM pg_stat_activity WHERE datname LIKE 'pegs_scale_' AND backend_type = 'client backend' $$;

CREATE TEMP TABLE result (n serial, label text, own float8, others float8, wall float8);
CREATE PROCEDURE pg_temp.measure(what text, statement text, reps int DEFAULT 3) LANGUAGE plpgsql AS $$
DECLARE
	own float8; others float8; began timestamptz; best result;
BEGIN
	FOR i IN 1..reps LOOP
		PERFORM pg_stat_clear_snapshot();
		own := pg_temp.own_s(); others := pg_temp.ended_s() + pg_temp.shards_s(); began := clock_timestamp();
		EXECUTE statement;
		PERFORM pg_sleep(.1);	-- for the postmaster to be told
		PERFORM pg_stat_clear_snapshot();
		best.own := pg_temp.own_s() - own; best.others := pg_temp.ended_s() + pg_temp.shards_s() - others; best.wall := extract(epoch FROM clock_timestamp() - began) - .1;
		INSERT INTO result (label, own, others, wall) VALUES (what, best.own, best.others, best.wall);
	END LOOP;
END $$;

SELECT string_agg(attname, ', ' ORDER BY attnum) AS columns, string_agg('count(' || attname || ')', ', ' ORDER BY attnum) AS counts FROM pg_attribute WHERE attrelid = 'discharges'::regclass AND attnum > 0 \gset
SELECT pegs_spec('discharges') AS spec \gset
SELECT pegs_set_budget('discharges', 1000, 1e-3) \g /dev/null
CREATE FUNCTION pg_temp.fit(source regclass, columns name[] DEFAULT NULL) RETURNS void LANGUAGE plpgsql AS $$ BEGIN PERFORM pegs_fit('m', source, columns, epsilon => 1, delta => 1e-9); PERFORM pegs_drop('m'); END $$;

SET max_parallel_workers_per_gather = 0;
SELECT count(*) FROM discharges \g /dev/null
CALL pg_temp.measure('13 x count(col), one process', format('SELECT %s FROM discharges', :'counts'));
CALL pg_temp.measure('pegs_agg, 78 pairs, one process', format('SELECT pegs_agg(%L, %s) FROM discharges', :'spec', :'columns'));
-- twice, in turns: a machine is not the same all the time
CALL pg_temp.measure('pegs_fit, one process', 'SELECT pg_temp.fit(''discharges'')', 2);
SET max_parallel_workers_per_gather = 2;
CALL pg_temp.measure('pegs_fit, two workers', 'SELECT pg_temp.fit(''discharges'')', 2);
SET max_parallel_workers_per_gather = 0;
CALL pg_temp.measure('pegs_fit, one process', 'SELECT pg_temp.fit(''discharges'')', 2);
SET max_parallel_workers_per_gather = 2;
CALL pg_temp.measure('pegs_fit, two workers', 'SELECT pg_temp.fit(''discharges'')', 2);
SET max_parallel_workers_per_gather = 0;


CALL pg_temp.measure('shard 1: its own aggregate', format('SELECT pegs_agg(%L::json, %s) FROM dis1', :'shard_spec', :'shipped'));
CALL pg_temp.measure('shard 2: its own aggregate', format('SELECT pegs_agg(%L::json, %s) FROM dis2', :'shard_spec', :'shipped'));
SELECT pegs_agg(:'shard_spec'::json, :shipped) AS state FROM dis1 \gset
CREATE FUNCTION pg_temp.engine(state pegs_state) RETURNS void LANGUAGE plpgsql AS $$ BEGIN PERFORM pegs_fit_state('m', 'dis', state, '{age,sex,ethncty,race,los,disp,pay,charge,mdc,sev,cat,yr}', epsilon => 1, delta => 1e-9); PERFORM pegs_drop('m'); END $$;
CALL pg_temp.measure('the engine, by a state', format('SELECT pg_temp.engine(%L)', :'state'));
CALL pg_temp.measure('pegs_fit, two shards', 'SELECT pg_temp.fit(''dis'', ''{age,sex,ethncty,race,los,disp,pay,charge,mdc,sev,cat,yr}'')');
ALTER SERVER shard1 OPTIONS (DROP extensions);
ALTER SERVER shard2 OPTIONS (DROP extensions);
CALL pg_temp.measure('pegs_fit, two shards, rows come here', 'SELECT pg_temp.fit(''dis'', ''{age,sex,ethncty,race,los,disp,pay,charge,mdc,sev,cat,yr}'')', 1);

-- persons of five rows each: in one table, and in four partitions by the person, each counted by itself
SET max_parallel_workers_per_gather = 0;
CREATE TABLE one_part AS SELECT (hashint8(i) & 2147483647) % (:rows / 5) AS who, d.* FROM (SELECT row_number() OVER () AS i, :shipped FROM (SELECT *, 1::smallint AS yr FROM discharges) AS a) AS d;
CREATE TABLE four_parts (LIKE one_part) PARTITION BY HASH (who);
SELECT format('CREATE TABLE four_parts%s PARTITION OF four_parts FOR VALUES WITH (MODULUS 4, REMAINDER %s)', i, i) FROM generate_series(0, 3) AS i \gexec
INSERT INTO four_parts TABLE one_part;
VACUUM (FREEZE, ANALYZE) one_part;
VACUUM (FREEZE, ANALYZE) four_parts;
\o /dev/null
SELECT pegs_set_levels(t, c, (SELECT array_remove(levels, NULL) FROM pegs_domain('discharges') WHERE column_name = c), undeclared => 'drop') FROM unnest('{one_part,four_parts}'::regclass[]) AS t, unnest('{sex,ethncty,race,pay,sev,cat}'::name[]) AS c;
SELECT pegs_set_bins(t, 'age', '{0,5,10,15,20,25,30,35,40,45,50,55,60,65,70,75,80,120}'), pegs_set_bins(t, 'los', '{0,1,2,3,4,5,6,7,8,9,10,30,50,70,90,366}'), pegs_set_budget(t, 1000, 1e-3), pegs_set_unit(t, 'who', 3)
FROM unnest('{one_part,four_parts}'::regclass[]) AS t;
\o
CALL pg_temp.measure('persons, one part', 'SELECT pg_temp.fit(''one_part'', ''{age,sex,ethncty,race,los,pay,sev,cat}'')', 2);
CALL pg_temp.measure('persons, four parts, one process', 'SELECT pg_temp.fit(''four_parts'', ''{age,sex,ethncty,race,los,pay,sev,cat}'')', 2);
SET max_parallel_workers_per_gather = 2;
CALL pg_temp.measure('persons, four parts, two workers', 'SELECT pg_temp.fit(''four_parts'', ''{age,sex,ethncty,race,los,pay,sev,cat}'')', 2);
SET max_parallel_workers_per_gather = 0;

CREATE FUNCTION pg_temp.least(what text, which text) RETURNS float8 LANGUAGE sql AS $$ SELECT min(CASE which WHEN 'wall' THEN wall WHEN 'own' THEN own ELSE own + others END) FROM result WHERE label = what $$;
\echo
\echo seconds, least of the runs, :rows rows
SELECT label, round(min(own)::numeric, 2) AS "CPU of the session", round(min(own + others)::numeric, 2) AS "CPU of all processes", round(min(wall)::numeric, 2) AS wall FROM result GROUP BY label ORDER BY min(n);
\echo ratios; of wall times on a quiet machine
SELECT what, round(ratio::numeric, 2) AS ratio, 'at most ' || wanted AS wanted, CASE WHEN ratio <= wanted THEN 'met' ELSE 'NOT MET' END AS verdict FROM (VALUES
	(1, 'pegs_fit, two workers / one process: wall', pg_temp.least('pegs_fit, two workers', 'wall') / pg_temp.least('pegs_fit, one process', 'wall'), .65),
	(2, 'pegs_fit, two workers / one process: CPU of all', pg_temp.least('pegs_fit, two workers', 'all') / pg_temp.least('pegs_fit, one process', 'all'), 1.15),
	(3, 'pegs_agg, 78 pairs / 13 x count(col): CPU', pg_temp.least('pegs_agg, 78 pairs, one process', 'all') / pg_temp.least('13 x count(col), one process', 'all'), 1.8),
	(4, 'pegs_fit, two shards / slower shard + engine: wall', pg_temp.least('pegs_fit, two shards', 'wall')
		/ (greatest(pg_temp.least('shard 1: its own aggregate', 'wall'), pg_temp.least('shard 2: its own aggregate', 'wall')) + pg_temp.least('the engine, by a state', 'wall')), 1.5),
	(5, 'pegs_fit, two shards / both shards + engine: CPU of all', pg_temp.least('pegs_fit, two shards', 'all')
		/ (pg_temp.least('shard 1: its own aggregate', 'all') + pg_temp.least('shard 2: its own aggregate', 'all') + pg_temp.least('the engine, by a state', 'all')), 1.5),
	(6, 'persons, four parts, two workers / one part: wall', pg_temp.least('persons, four parts, two workers', 'wall') / pg_temp.least('persons, one part', 'wall'), .75),
	(7, 'persons, four parts / one part, one process: CPU', pg_temp.least('persons, four parts, one process', 'all') / pg_temp.least('persons, one part', 'all'), 1.15)) AS r (n, what, ratio, wanted) ORDER BY n;
