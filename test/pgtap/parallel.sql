-- Functions that are PARALLEL RESTRICTED are called in queries that have workers: by the session itself, in a parallel operation. Each of
-- them runs there, and gives what it gives alone. test/pgtap/rights.sql says which they are, and why no other is one.
SET client_min_messages = warning;
CREATE EXTENSION pegs;
SELECT * FROM no_plan();
CREATE TABLE looked (v text PRIMARY KEY);
INSERT INTO looked VALUES ('x'), ('y'), ('z');
CREATE TABLE t (a text NOT NULL, b boolean NOT NULL, at timestamp NOT NULL, p int NOT NULL);
INSERT INTO t SELECT (ARRAY['x', 'y', 'z'])[1 + i % 3], i % 2 = 0, timestamp '2024-01-01' + i * interval '1 hour', i % 100 FROM generate_series(1, 1000) AS i;
SELECT pegs_set_levels('t', 'a', 'looked'::regclass, 'v'), pegs_set_bins('t', 'at', low => '2024-01-01', high => '2024-12-31', bins => 12, parts => '{date, hour}'), pegs_set_unit('t', 'p', 10);
SELECT pegs_set_budget('t', 100, delta => 1e-6);
SELECT pegs_fit('perturbed', 't', '{a,b,at}', epsilon => 1), pegs_fit('sealed', 't', '{a,b}', parents => '{}');
SELECT pegs_release('released', 'perturbed', 150000), pegs_release('stored', 'sealed', 5, 1);
CREATE TABLE root (id int PRIMARY KEY, k boolean NOT NULL);
CREATE TABLE kid (id int PRIMARY KEY, root int NOT NULL REFERENCES root, c boolean NOT NULL);
INSERT INTO root SELECT i, i % 2 = 0 FROM generate_series(1, 200) AS i;
INSERT INTO kid SELECT i, 1 + i % 200, i % 3 = 0 FROM generate_series(1, 400) AS i;
SELECT pegs_set_budget('root', 100, 1e-6), pegs_set_parent('kid', 'root', children => '{0, 1, 2}', at_most => 3);
SELECT pegs_fit_schema('several', 'root', epsilon => 1), pegs_fit('kids', 'kid', '{c}', epsilon => 1);
SELECT pegs_release('all', 'several', 200);

CREATE TABLE big AS SELECT i FROM generate_series(1, 30000) AS i;
ALTER TABLE big SET (parallel_workers = 2);
ANALYZE big;
GRANT SELECT ON big TO PUBLIC;
CREATE ROLE pl_analyst;
SELECT pegs_grant(name, 'pl_analyst') FROM unnest(ARRAY['released', 'all']) AS name;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
-- what the call gives, beside a count by workers
CREATE FUNCTION beside(call text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	query text := 'SELECT (SELECT count(*) FROM big) || '' '' || md5(string_agg(r::text, '' '')) FROM ' || call || ' AS r';
	line text;
	workers boolean := false;
	given text;
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP workers := workers OR line LIKE '%Gather%'; END LOOP;
	EXECUTE query INTO given;
	RETURN CASE WHEN workers THEN 'workers, ' ELSE 'alone, ' END || given;
END $$;
CREATE FUNCTION alone(call text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE given text;
BEGIN
	EXECUTE 'SELECT md5(string_agg(r::text, '' '')) FROM ' || call || ' AS r' INTO given;
	RETURN given;
END $$;
CREATE TEMP TABLE tried (call text, function regprocedure);
INSERT INTO tried VALUES
	($$(SELECT column_name, levels, problem FROM pegs_domain('t'))$$, 'pegs_domain(regclass)'), ($$(SELECT pegs_spec('t'))$$, 'pegs_spec(regclass,name[],jsonb,integer,text)'),
	($$(SELECT pegs_describe(name) FROM unnest(ARRAY['perturbed', 'sealed', 'released', 'stored', 'several', 'kids']) AS name)$$, 'pegs_describe(text)'),
	($$(SELECT pegs_row_type('perturbed'))$$, 'pegs_row_type(text)'), ($$(SELECT pegs_row_type('several', 'kid'))$$, 'pegs_row_type(text,text)'), ($$pegs_columns('perturbed')$$, 'pegs_columns(text,bigint)'),
	($$(SELECT * FROM pegs_rows('released') AS s(a text, b boolean, at timestamp))$$, 'pegs_rows(text)'), ($$(SELECT * FROM pegs_rows('stored') AS s(a text, b boolean))$$, 'pegs_rows(text)'),
	($$(SELECT * FROM pegs_rows('all', 'root') AS s(id int, k boolean))$$, 'pegs_rows(text,text)'),
	($$pegs_rows_as(NULL::t, 'released')$$, 'pegs_rows_as(anyelement,text)'), ($$(SELECT pegs_rows_as(NULL::t, 'stored'))$$, 'pegs_rows_as(anyelement,text)'),
	($$pegs_rows_as(NULL::kid, 'all', 'kid')$$, 'pegs_rows_as(anyelement,text,text)'), ($$(SELECT pegs_rows_as(NULL::kid, 'all', 'kid'))$$, 'pegs_rows_as(anyelement,text,text)');
SELECT set_eq($$SELECT function::oid FROM tried$$, $$SELECT p.oid FROM pg_proc AS p JOIN pg_depend AS d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
	JOIN pg_extension AS e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid AND e.extname = 'pegs' WHERE p.proparallel = 'r'$$, 'each of them is called here');
SELECT is(beside(call), 'workers, 30000 ' || alone(call), call) FROM tried;
-- as who may read no more than a release
SET ROLE pl_analyst;
SELECT is(beside(call), 'workers, 30000 ' || alone(call), 'by an analyst: ' || call) FROM unnest(ARRAY[$$(SELECT * FROM pegs_rows('released') AS s(a text, b boolean, at timestamp))$$, $$(SELECT pegs_describe('released'))$$, $$(SELECT * FROM pegs_rows('all', 'root') AS s(id int, k boolean))$$]) AS call;
SELECT throws_ok($$SELECT beside('(SELECT * FROM pegs_rows(''stored'') AS s(a text, b boolean))')$$, '42704', NULL, 'by an analyst: what was not granted');
RESET ROLE;
CREATE FUNCTION plan_of(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	line text;
	plan text := '';
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (COSTS OFF) ' || query LOOP plan := plan || line || E'\n'; END LOOP;
	RETURN plan;
END $$;
SELECT matches(plan_of($$SELECT count(*) FROM big JOIN pegs_rows_as(NULL::t, 'stored') AS r ON r.b = (big.i % 2 = 0)$$), 'Gather.*Parallel Seq Scan on big', 'joined with rows of a release: workers read the other table');
SELECT * FROM finish();
