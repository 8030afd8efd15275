-- What CHECK constraints say, at the ends: of types, of what fails, of what is long; and of what is declared at once.
SET client_min_messages = warning;
SET timezone = 'UTC';
CREATE EXTENSION pegs;
SELECT plan(15);

CREATE FUNCTION domain_of(t regclass) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	RETURN (SELECT string_agg(format('%s: %s %s', column_name, origin, levels), '; ') FROM pegs_domain(t));
EXCEPTION WHEN OTHERS THEN RETURN SQLERRM;
END $$;

---- constants that the column's type rounds out of its range
CREATE TABLE rounded (t timestamp(0) CHECK (t >= '2000-01-01' AND t <= '294276-12-31 23:59:59.999999'), x int CHECK (x IN (1, 2)));
SELECT is(domain_of('rounded'), 't:  ; x: CHECK constraint {1,2,NULL}', 'the bound says nothing, and no other column suffers');
CREATE TABLE rounded_level (t timestamp(0) CHECK (t IN ('2000-01-01', '294276-12-31 23:59:59.999999')), x int CHECK (x IN (1, 2)));
SELECT is(domain_of('rounded_level'), 't:  ; x: CHECK constraint {1,2,NULL}', 'nor does a level');
CREATE TABLE tiny (f float8 CHECK (f >= 0 AND f <= 5e-324), x int CHECK (x IN (1, 2)));
SELECT ok(domain_of('tiny') LIKE 'f: CHECK range %; x: CHECK constraint {1,2,NULL}', 'the least range that there is');

---- bounds of another type
CREATE TABLE days (d date CHECK (d >= '2019-12-30' AND d < timestamp '2020-01-01 12:00'), e date CHECK (e > timestamp '2019-12-30 12:00' AND e < timestamp '2020-01-02'));
SELECT is(domain_of('days'), 'd: CHECK range {"[2019-12-30, 2019-12-31)","[2019-12-31, 2020-01-01]",NULL}; e: CHECK range {"[2019-12-31, 2020-01-01]",NULL}',
	'a day before noon is allowed');
CREATE TABLE zoned (z timestamptz CHECK (z >= date '2020-01-01' AND z < date '2020-02-01'), y timestamptz CHECK (y >= '2020-01-01 00:00+00' AND y <= '2020-01-02 00:00+00'));
SELECT ok((SELECT origin IS NULL FROM pegs_domain('zoned') WHERE column_name = 'z'), 'what is another time in each session says nothing');
SELECT is((SELECT n FROM pegs_domain('zoned') WHERE column_name = 'y'), 41, 'a time with its zone does');

---- a constant that fails leaves nothing behind
CREATE TABLE failing (f numeric CHECK (f >= 0 AND f <= log((-1)::numeric)), g float8 CHECK (g <= 1 / (random() * 0)), h numeric CHECK (h >= 1 AND h <= 2 / 0.0), x int CHECK (x IN (1, 2)));
SELECT is(domain_of('failing'), 'f:  ; g:  ; h:  ; x: CHECK constraint {1,2,NULL}', 'constants that fail say nothing');

---- a long list: memory for one level at a time
DO $$ BEGIN EXECUTE format('CREATE TABLE long (x int CHECK (x IN (%s)))', (SELECT string_agg(i::text, ',') FROM generate_series(1, 3000) AS i)); END $$;
CREATE FUNCTION peak() RETURNS int LANGUAGE sql AS $$ SELECT substring(pg_read_file('/proc/self/status') FROM 'VmHWM:\s+(\d+)')::int $$;
SELECT peak() AS before \gset
SELECT is((SELECT n FROM pegs_domain('long')), 3001, 'a list of 3,000 levels');
SELECT cmp_ok(peak() - :before, '<', 200000, 'is no matter of hundreds of megabytes');

---- long numbers
CREATE TABLE wide (n numeric, m numeric);
SELECT throws_ok($$ SELECT pegs_set_bins('wide', 'n', low => '0', high => '1e50000', bins => 50) $$, '22003', 'bins of column "n" need more than 18 digits', 'told before anything is divided');
SELECT is((SELECT count(*) FROM pegs_domain('wide') WHERE origin IS NOT NULL), 0::bigint, 'nothing is declared');

---- declared at once: only what is about a declaration is gathered
SELECT throws_ok($$ SELECT pegs_declare('wide', '{"columns": {"n": ["x"], "o": [1]}}') $$, '22023', 'facts of public.wide are wrong: nothing was declared', 'all that is wrong');
BEGIN READ ONLY;
SELECT throws_ok($$ SELECT pegs_declare('wide', '{"columns": {"n": [1], "m": [1]}}') $$, '25006', NULL, 'a transaction that may not write says so itself');
ROLLBACK;
SELECT throws_ok($$ SELECT pegs_declare('wide', '{"columns": {"n": {"bins": -5, "nullable": false}}}') $$, '22023', NULL, 'bins are more than none');

---- learnt years begin in UTC
CREATE TABLE times (z timestamptz);
INSERT INTO times SELECT '2020-01-01 02:00+00' FROM generate_series(1, 1000);
SELECT pegs_set_budget('times', 1000);
SELECT pegs_learn_range('times', 'z', epsilon => 100, bins => 1);
SELECT pegs_facts('times') AS here \gset
SET timezone = 'America/New_York';
SELECT pegs_learn_range('times', 'z', epsilon => 100, bins => 1);
SELECT is(pegs_facts('times')::text, :'here', 'whatever the time zone of the session');
SELECT * FROM finish();
