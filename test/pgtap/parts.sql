-- Times by calendar parts (pegs_set_bins, parts), and a column that is never before another (pegs_order): what is kept, what is
-- refused, which row gives which codes, and that what is drawn keeps it. Laws L1, L5, L9.
SET client_min_messages = warning;
SET timezone = 'Europe/Berlin';
CREATE EXTENSION pegs;
SELECT * FROM no_plan();
CREATE FUNCTION refusal(statement text) RETURNS text LANGUAGE plpgsql AS
$$ BEGIN EXECUTE statement; RETURN 'ok'; EXCEPTION WHEN OTHERS THEN RETURN sqlstate || ' ' || sqlerrm; END $$;
CREATE DOMAIN moment AS timestamp CHECK (value > '1900-01-01');
CREATE TABLE r (id int PRIMARY KEY, person int, rented timestamp NOT NULL, returned timestamp, seen timestamptz, from_day date, to_day date, last_day date,
	low numeric(6, 2), high numeric(6, 2), n2 smallint, m2 smallint, x float8, y float8, dom moment, gen timestamp GENERATED ALWAYS AS (rented) STORED, price int CHECK (price BETWEEN 1 AND 5), done timestamp(0));
INSERT INTO r (id, person, rented, returned, seen, from_day, to_day, last_day, low, high, n2, m2, x, y, dom, price, done) SELECT i, i % 90, t.at, CASE WHEN i % 10 > 0 THEN t.at + (i * 37 % 200) * interval '1 hour 7 minutes 3.25 seconds' END, t.at AT TIME ZONE 'UTC',
	t.at::date, t.at::date + i % 14, t.at::date + i % 14 + i % 5, i % 50 + 0.25, i % 50 + 0.25 + i % 7, i % 30, i % 30 + i % 9, i % 10, i % 10 + i % 3 * 0.5, t.at, 1 + i % 5, t.at
FROM generate_series(1, 3000) AS i CROSS JOIN LATERAL (SELECT '2024-01-01'::timestamp + i % 360 * interval '1 day' + (CASE WHEN i % 3 = 0 THEN 8 ELSE 18 END) * interval '1 hour' + i % 3600 * interval '1 second' AS at) AS t;
SELECT pegs_set_budget('r', 1000);
SELECT pegs_leave_out('r', c) FROM unnest('{person, low, high, n2, m2, x, y, dom, gen, done, from_day, to_day, last_day, seen}'::name[]) AS c;

---- what is kept: first moments of days or weeks, once each
CREATE VIEW kept AS SELECT column_name AS c, edges, parts, zone, earlier FROM pegs_internal.fact WHERE source = 'r'::regclass;
SELECT pegs_set_bins('r', 'rented', '{2024-01-01, 2024-03-31 12:00, 2024-03-31 13:00, 2024-12-31 18:00}', parts => '{date, hour}');
SELECT results_eq($$SELECT edges, parts, zone FROM kept WHERE c = 'rented'$$,
	$$VALUES ('{"2024-01-01 00:00:00","2024-03-31 00:00:00","2024-12-31 00:00:00"}'::text[], '{date,hour}'::text[], NULL::text)$$, 'edges of days');
SELECT results_eq($$SELECT column_name, type, origin, n, problem FROM pegs_domain('r') WHERE column_name LIKE 'rented%'$$, $$VALUES
	('rented'::name, 'timestamp without time zone', 'computed: ("rented.date" + "rented.hour" * ''00:00:01''::interval)', NULL::int, NULL),
	('rented.date', 'date', 'declared bins: the day of "rented"', 2, NULL), ('rented.hour', 'integer', 'declared bins: the time of day, in seconds, of "rented"', 24, NULL)$$, 'pegs_domain shows what is hidden');
SELECT is((SELECT array_agg(l) FROM pegs_levels('r', 'rented.hour') WITH ORDINALITY AS v (l, i) WHERE i IN (1, 24)), '{"[0, 3600)","[82800, 86399]"}', 'hours; the last has no second more');
SELECT pegs_set_bins('r', 'rented', '{2024-01-01 05:00, 2024-01-01 09:00}'::timestamp[], parts => '{date}');
SELECT is(edges, '{"2024-01-01 00:00:00","2024-01-02 00:00:00"}', 'one day alone: its last edge is the next') FROM kept WHERE c = 'rented';
SELECT pegs_set_bins('r', 'rented', low => '2024-01-03'::timestamp, high => '2024-12-31'::timestamp, bins => 12, parts => '{week, weekday, hour}', step => '1 minute');
SELECT ok(edges[1] = '2024-01-01 00:00:00' AND edges[cardinality(edges)] = '2024-12-30 00:00:00' AND (SELECT bool_and(extract(isodow FROM e::date) = 1) FROM unnest(edges) AS e), 'edges of weeks are Mondays') FROM kept WHERE c = 'rented';
SELECT is((SELECT array_agg(column_name) FROM pegs_domain('r') WHERE column_name LIKE 'rented.%'), '{rented.week,rented.weekday,rented.hour}'::name[], 'three parts');
SELECT pegs_set_bins('r', 'seen', '{2024-01-01, 2024-04-01, 2025-01-01}', parts => '{date, hour}', undeclared => 'drop');
SELECT results_eq($$SELECT edges, zone FROM kept WHERE c = 'seen'$$, $$VALUES ('{"2023-12-31 23:00:00+00","2024-03-31 22:00:00+00","2024-12-31 23:00:00+00"}'::text[], 'Europe/Berlin')$$,
	'of a timestamptz the session''s zone is a part of it');
-- a system may do without the old names
SELECT EXISTS (SELECT FROM pg_timezone_names WHERE name = 'CET') AS has_cet \gset
\if :has_cet
SET timezone = 'CET';
SELECT throws_ok($$SELECT pegs_set_bins('r', 'seen', '2024-01-01'::timestamptz, '2024-12-31'::timestamptz, 3, parts => '{date, hour}')$$, '22023',
	'time zone "CET" is also an abbreviation, which has no summer time');
SET timezone = 'Europe/Berlin';
\else
SELECT skip('no zone CET here');
\endif
SELECT is(origin, 'declared bins, other rows are left out: the day of "seen" in time zone Europe/Berlin', 'and shown') FROM pegs_domain('r') WHERE column_name = 'seen.date';
SELECT pegs_order('r', 'rented', 'returned', longest => '10 days', bins => 40);
SELECT results_eq($$SELECT edges[1], edges[2], edges[41], parts, earlier FROM kept WHERE c = 'returned'$$, $$VALUES ('0', '21600', '864000', NULL::text[], 'rented'::name)$$, 'an order: seconds');

---- what is refused
SELECT is(refusal(statement), expected, statement) FROM (VALUES
	($$SELECT pegs_set_bins('r', 'rented', '{2024-01-01, 2025-01-01}', parts => '{hour}')$$, '22023 parts must be {date}, {date, hour}, {week, weekday} or {week, weekday, hour}'),
	($$SELECT pegs_set_bins('r', 'rented', '{2024-01-01, 2025-01-01}', parts => '{week, hour}')$$, '22023 parts must be {date}, {date, hour}, {week, weekday} or {week, weekday, hour}'),
	($$SELECT pegs_set_bins('r', 'rented', '{2024-01-01, 2025-01-01}', parts => '{date, weekday}')$$, '22023 parts must be {date}, {date, hour}, {week, weekday} or {week, weekday, hour}'),
	($$SELECT pegs_set_bins('r', 'rented', '{2024-01-01, 2025-01-01}', parts => '{}')$$, '22023 parts must be {date}, {date, hour}, {week, weekday} or {week, weekday, hour}'),
	($$SELECT pegs_set_bins('r', 'rented', '{2024-01-01, 2025-01-01}', parts => '{date, hour, hour}')$$, '22023 parts must be {date}, {date, hour}, {week, weekday} or {week, weekday, hour}'),
	($$SELECT pegs_set_bins('r', 'from_day', '{2024-01-01, 2025-01-01}', parts => '{date, hour}')$$, '42809 column "from_day" of type date has no parts'),
	($$SELECT pegs_set_bins('r', 'rented', '{2024-01-01, 2025-01-01}', parts => '{date, hour}', points => '{2024-02-02}')$$, '22023 points and parts exclude each other'),
	($$SELECT pegs_set_bins('r', 'rented', '{2024-01-01, 2025-01-01}', parts => '{date}', step => '1 minute')$$, '22023 step must be whole seconds up to an hour, of a column with the part hour'),
	($$SELECT pegs_set_bins('r', 'rented', '{2024-01-01, 2025-01-01}', parts => '{date, hour}', step => '1 day')$$, '22023 step must be whole seconds up to an hour, of a column with the part hour'),
	($$SELECT pegs_set_bins('r', 'dom', '{2024-01-01, 2025-01-01}', parts => '{date, hour}')$$, '0A000 column "dom" of a domain type cannot be derived'),
	($$SELECT pegs_set_bins('r', 'gen', '{2024-01-01, 2025-01-01}', parts => '{date, hour}')$$, '22023 column "gen" is generated from other columns, and cannot be computed from others'),
	($$SELECT pegs_order('r', 'price', 'id', '100')$$, '22023 column "id" is a key, and cannot be computed from others'),
	($$SELECT pegs_order('r', 'rented', 'rented', '1 day')$$, '22023 column "rented" cannot be after "rented", which is after it, or the column itself'),
	($$SELECT pegs_order('r', 'returned', 'rented', '1 day')$$, '22023 column "rented" cannot be after "returned", which is after it, or the column itself'),
	($$SELECT pegs_order('r', 'rented', 'to_day', '1 day')$$, '42804 columns "rented" of type timestamp without time zone and "to_day" of type date have no order'),
	($$SELECT pegs_order('r', 'rented', 'seen', '1 day')$$, '42804 columns "rented" of type timestamp without time zone and "seen" of type timestamp with time zone have no order'),
	($$SELECT pegs_order('r', 'rented', 'done', '1 day')$$, '42804 columns "rented" of type timestamp without time zone and "done" of type timestamp(0) without time zone have no order'),
	($$SELECT pegs_order('r', 'no_such', 'to_day', '1 day')$$, '42703 column "no_such" of public.r does not exist'),
	($$SELECT pegs_order('r', 'from_day', 'to_day')$$, '22023 nothing says how far column "to_day" can be after "from_day"'),
	($$SELECT pegs_order('r', 'from_day', 'to_day', '1 month')$$, '22023 longest must be an interval above 0 and below 10000000 days, without months'),
	($$SELECT pegs_order('r', 'from_day', 'to_day', '-1 day')$$, '22023 longest must be an interval above 0 and below 10000000 days, without months'),
	($$SELECT pegs_order('r', 'from_day', 'to_day', '1 hour')$$, '22023 longest must be an interval above 0 and below 10000000 days, without months'),
	($$SELECT pegs_order('r', 'low', 'high', '-1')$$, '22023 low must be below high: 0.00 is not below -1.00'),
	($$SELECT pegs_declare('r', '{"columns": {"to_day": {"after": "from_day", "bins": [1, 2]}}}')$$, '22023 facts of public.r are wrong: nothing was declared'),
	($$SELECT pegs_declare('r', '{"columns": {"to_day": {"after": "from_day", "bins": [0, 2], "undeclared": "drop"}}}')$$, '22023 facts of public.r are wrong: nothing was declared'),
	($$SELECT pegs_declare('r', '{"columns": {"rented": {"bins": ["2024-01-01", "2025-01-01"], "parts": ["date"], "zone": "UTC"}}}')$$, '22023 facts of public.r are wrong: nothing was declared'),
	($$SELECT pegs_declare('r', '{"columns": {"seen": {"bins": ["2024-01-01", "2025-01-01"], "parts": ["date"], "zone": "Middle/Earth"}}}')$$, '22023 facts of public.r are wrong: nothing was declared'),
	($$SELECT pegs_forbid('r', '{"rented.weekday": 1}')$$, '42703 combination names "rented.weekday", which is not a column'),
	($$SELECT pegs_forbid('r', '{"rented": "2024-01-01"}')$$, '22023 column "rented" cannot be used: it is computed from other columns'),
	($$SELECT pegs_fit('no', 'r', ARRAY['rented.hour', 'price'], epsilon => 1)$$, '22023 column "rented.hour" is hidden: a model has it with column "rented"'),
	($$SELECT pegs_fit('no', 'r', ARRAY['returned', 'price'], epsilon => 1)$$, '22023 column "returned" is computed from column "rented", which the model does not draw')) AS v (statement, expected);
CREATE TABLE n (a timestamp, "a.hour" int, bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb timestamp);
SELECT is(refusal($$SELECT pegs_set_bins('n', 'a', '{2024-01-01, 2025-01-01}', parts => '{date, hour}')$$), '22023 column "a" cannot be computed from others: the table has a column "a.hour" already', 'a name that is taken');
SELECT is(refusal($$SELECT pegs_order('n', 'a', 'bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb', '1 day')$$) ~ '63 bytes', false, 'a name that fits');
SELECT is(refusal($$SELECT pegs_set_bins('n', 'bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb', '{2024-01-01, 2025-01-01}', parts => '{date, hour}')$$),
	'22023 column "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb" cannot be computed from others: its hidden column "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb.date" would have a name of more than 63 bytes', 'a name that is too long');
CREATE TABLE z (a timestamp, b timestamp, u int);
SELECT pegs_set_bins('z', 'a', '{2024-01-01, 2025-01-01}'), pegs_set_bins('z', 'b', '{2024-01-01, 2025-01-01}'), pegs_forbid('z', '{"a": "2024-02-02"}');
SELECT matches(refusal($$SELECT pegs_set_bins('z', 'a', '{2024-01-01, 2025-01-01}', parts => '{date}')$$), '^55000 column "a" is in a forbidden combination', 'what is forbidden is drawn');
SELECT matches(refusal($$SELECT pegs_order('z', 'b', 'a', '1 day')$$), '^55000 column "a" is in a forbidden combination', 'an order, too');
SELECT pegs_forbid('z', NULL), pegs_set_unit('z', 'a');
SELECT is(refusal($$SELECT pegs_set_bins('z', 'a', '{2024-01-01, 2025-01-01}', parts => '{date}')$$), '22023 column "a" is the privacy unit, and cannot be computed from others', 'nor can the unit');
SELECT is(refusal($$SELECT pegs_order('z', 'a', 'b', '1 day')$$), '22023 column "a" is the privacy unit, and nothing can be computed from it', 'nor what others are after');
SELECT pegs_set_unit('z', NULL), pegs_order('z', 'a', 'b', '1 day'), pegs_set_unit('z', 'a');
SELECT is((SELECT problem FROM pegs_domain('z') WHERE column_name = 'b'), 'it is computed from column "a", which is the privacy unit', 'what becomes it: its order says why it is none');
SELECT pegs_set_unit('z', NULL), pegs_unset('z', 'b'), pegs_set_bins('z', 'b', '{2024-01-01, 2025-01-01}'), pegs_set_unit('z', 'a');

SELECT pegs_unset('z', 'a'), pegs_set_unit('z', NULL), pegs_set_bins('z', 'a', '{2024-01-01, 2025-01-01}', parts => '{date}'), pegs_set_unit('z', 'a');
SELECT results_eq($$SELECT column_name, problem FROM pegs_domain('z') WHERE column_name LIKE 'a%'$$, $$VALUES ('a'::name, 'it is the privacy unit')$$, 'what becomes the unit has no parts any more');

---- without a word about how long: doubled up to what the bins of both allow
SELECT pegs_set_bins('r', 'from_day', '{2024-01-01, 2024-04-10}'::date[], undeclared => 'nearest');
SELECT pegs_order('r', 'from_day', 'to_day');
SELECT is(edges, '{0,1,2,4,8,16,32,64,100}', 'days, by the bins of one') FROM kept WHERE c = 'to_day';
SELECT pegs_order('r', 'from_day', 'to_day');
SELECT is(edges, '{0,1,2,4,8,16,32,64,100}', 'declared again it is as it was') FROM kept WHERE c = 'to_day';
SELECT pegs_order('r', 'to_day', 'last_day', bins => 4);
SELECT is(edges, '{0,32,64,128,200}', 'a chain: by both of these; so many bins') FROM kept WHERE c = 'last_day';
SELECT is(refusal($$SELECT pegs_order('r', 'last_day', 'from_day', '3')$$), '22023 column "from_day" cannot be after "last_day", which is after it, or the column itself', 'no circle, however long');
SELECT pegs_set_bins('r', 'done', '{2024-01-01, 2025-01-01}'), pegs_set_bins('r', 'n2', '{0, 30}'), pegs_set_bins('r', 'm2', '{0, 40}'), pegs_set_bins('r', 'low', '{0, 51}'), pegs_set_bins('r', 'high', '{0, 64}'), pegs_set_bins('r', 'x', '{0, 10}'), pegs_set_bins('r', 'y', '{0, 4}');
SELECT pegs_order('r', 'n2', 'm2'), pegs_order('r', 'low', 'high'), pegs_order('r', 'x', 'y', bins => 3);
SELECT is(edges, '{0,1,2,4,8,16,32,40}', 'whole numbers') FROM kept WHERE c = 'm2';
SELECT is(edges, '{0.00,0.13,0.25,0.50,1.00,2.00,4.00,8.00,16.00,32.00,64.00}', 'numbers with digits: halved') FROM kept WHERE c = 'high';
SELECT is(edges, '{0,1,2,4}', 'floats') FROM kept WHERE c = 'y';
SELECT pegs_set_levels('z', 'u', '{1, 2}'), pegs_set_unit('z', NULL), pegs_set_budget('z', 10);
INSERT INTO z SELECT '2024-02-02'::timestamp + i * interval '7 minutes', '2024-02-03', 1 FROM generate_series(1, 500) AS i;
SELECT pegs_learn_range('z', 'a', 1);
SELECT is(refusal($$SELECT pegs_order('z', 'a', 'b')$$), '22023 longest must be given: the bins of column "a" were learnt', 'what was learnt does not become a fact for nothing');
SELECT pegs_set_bins('z', 'a', (SELECT edges FROM pegs_internal.fact WHERE source = 'z'::regclass AND column_name = 'a'), parts => '{week, weekday, hour}');
SELECT is((SELECT learnt_charge IS NOT NULL FROM pegs_internal.fact WHERE source = 'z'::regclass AND column_name = 'a'), true, 'days of learnt bins are learnt');

---- out of a row: each code by the row alone, and no value is an error
CREATE FUNCTION codes(statement text, OUT code text) RETURNS SETOF text LANGUAGE plpgsql AS $$ BEGIN RETURN QUERY EXECUTE statement; END $$;
CREATE TABLE e (i int CHECK (i IN (0, 1)), at timestamp, z timestamptz, d date, f date, t timestamp, u timestamptz, v timestamptz, n numeric, m numeric, g float8, h float8, k bigint, l bigint);
SELECT pegs_set_bins('e', 'at', '{2024-01-01, 2024-02-01}', parts => '{date, hour}', undeclared => 'nearest'), pegs_set_bins('e', 'z', '{2024-03-25, 2024-04-08}', parts => '{week, weekday, hour}', undeclared => 'nearest'),
	pegs_set_bins('e', 'd', '{2024-01-01, 2024-02-01}', undeclared => 'nearest'), pegs_set_bins('e', 'u', '{2024-01-01, 2024-02-01}', undeclared => 'nearest'), pegs_set_bins('e', 'n', '{0, 1}', undeclared => 'nearest'), pegs_set_bins('e', 'g', '{0, 1}', undeclared => 'nearest'),
	pegs_set_bins('e', 'k', '{0, 1}', undeclared => 'nearest'), pegs_order('e', 'd', 'f', '7', 7), pegs_order('e', 'at', 't', '2 hours', 2), pegs_order('e', 'u', 'v', '2 days', 2), pegs_order('e', 'n', 'm', '2', 2),
	pegs_order('e', 'g', 'h', '2', 2), pegs_order('e', 'k', 'l', '2', 2), pegs_set_budget('e', 1000);
-- the exact counts of one row, by the names of its columns
CREATE FUNCTION counted(at text, z text DEFAULT NULL, d text DEFAULT NULL, f text DEFAULT NULL, t text DEFAULT NULL, u text DEFAULT NULL, v text DEFAULT NULL, n text DEFAULT NULL, m text DEFAULT NULL, g text DEFAULT NULL, h text DEFAULT NULL, k text DEFAULT NULL, l text DEFAULT NULL) RETURNS text LANGUAGE plpgsql AS $$
DECLARE r text;
BEGIN
	TRUNCATE e;
	INSERT INTO e VALUES (1, at::timestamp, z::timestamptz, d::date, f::date, t::timestamp, u::timestamptz, v::timestamptz, n::numeric, m::numeric, g::float8, h::float8, k::bigint, l::bigint);
	PERFORM pegs_fit('e', 'e', epsilon => 0.001);
	SELECT string_agg(format('%s=%s', m.column_name, m.level), ' ' ORDER BY m.column_name) INTO r FROM pegs_marginals_of('e') AS m WHERE m.original > 0 AND m.level IS NOT NULL AND m.column_name <> 'i';
	PERFORM pegs_drop('e');
	RETURN coalesce(r, 'nothing');
END $$;
SELECT is(counted('2024-01-15 17:59:59.999999', t => '2024-01-15 19:00'), 'at.date=[2024-01-01, 2024-02-01] at.hour=[61200, 64800) t - at=[3600, 7200]', 'the hour, and what is between: whole seconds');
SELECT is(counted('2024-01-15 17:00', t => '2024-01-15 16:00'), 'at.date=[2024-01-01, 2024-02-01] at.hour=[61200, 64800) t - at=[0, 3600)', 'before it: counts as 0');
SELECT is(counted('2024-01-15 17:00', t => '2025-01-15 16:00'), 'at.date=[2024-01-01, 2024-02-01] at.hour=[61200, 64800) t - at=[3600, 7200]', 'beyond the last: in that');
SELECT is(counted('infinity', t => '2024-01-01'), 'at.date=[2024-01-01, 2024-02-01] at.hour=[0, 3600) t - at=[0, 3600)', 'an infinite time');
SELECT is(counted('-infinity', t => 'infinity'), 'at.date=[2024-01-01, 2024-02-01] at.hour=[0, 3600) t - at=[3600, 7200]', 'two of them');
SELECT is(counted('4713-11-24 00:00:00 BC', t => '294276-12-31'), 'at.date=[2024-01-01, 2024-02-01] at.hour=[0, 3600) t - at=[3600, 7200]', 'as far apart as it goes');
SELECT is(counted(NULL, t => '2024-01-01'), 'nothing', 'NULL where the earlier one is');
SELECT is(counted('2024-01-02', t => NULL), 'at.date=[2024-01-01, 2024-02-01] at.hour=[0, 3600)', 'and where it is itself');
SELECT is(counted(NULL, z => '2024-03-31 01:30'), 'z.hour=[3600, 7200) z.week=[2024-03-25, 2024-04-08] z.weekday=7', 'before the clock goes forward');
SELECT is(counted(NULL, z => '2024-03-31 01:00+00'), 'z.hour=[10800, 14400) z.week=[2024-03-25, 2024-04-08] z.weekday=7', 'after it, in the declared zone');
SET timezone = 'America/New_York';
SELECT is(counted(NULL, z => '2024-03-31 01:00+00'), 'z.hour=[10800, 14400) z.week=[2024-03-25, 2024-04-08] z.weekday=7', 'whatever the session''s zone is');
SET timezone = 'Europe/Berlin';
SELECT is(counted(NULL, d => '2024-01-05', f => '2024-01-07'), 'd=[2024-01-01, 2024-02-01] f - d=[2, 3)', 'days');
SELECT is(counted(NULL, d => 'infinity', f => '2024-01-07'), 'd=[2024-01-01, 2024-02-01] f - d=[0, 1)', 'of an infinite one');
SELECT alike(counted(NULL, u => '2024-03-30 12:00', v => '2024-03-31 12:00'), '%v - u=[0, 86400)', 'of timestamptz by the seconds between: 23 hours');
SELECT alike(counted(NULL, n => '0.5', m => '1.5'), '%m - n=[1, 2]%', 'numerics');
SELECT alike(counted(NULL, n => '-' || repeat('9', 131072), m => repeat('9', 131072)), '%m - n=[1, 2]%', 'more than a numeric holds');
SELECT alike(counted(NULL, n => 'Infinity', m => '3'), '%m - n=[0, 1)%', 'an infinite one');
SELECT is(counted(NULL, n => 'NaN', m => '3'), 'nothing', 'no number: the row is left out, as with any bins');
SELECT alike(counted(NULL, g => '-1e308', h => '1e308'), '%h - g=[1, 2]', 'floats beyond all');
SELECT alike(counted(NULL, k => '-9223372036854775808', l => '9223372036854775807'), '%l - k=[1, 2]', 'bigints beyond all');

---- what is drawn
SELECT pegs_fit('m', 'r', ARRAY['rented', 'returned', 'price'], epsilon => 100);
SELECT is(pegs_row_type('m'), 'rented timestamp without time zone, returned timestamp without time zone, price integer', 'nothing hidden is a column of its rows');
SELECT set_eq($$SELECT column_name FROM pegs_columns('m')$$, '{rented.week,rented.weekday,rented.hour,rented,"returned - rented",returned,price}'::name[], 'but its parts have names');
CREATE TABLE s AS SELECT * FROM pegs_sample_as(NULL::r, 'm', 3000);
SELECT is(count(*) FILTER (WHERE returned < rented), 0::bigint, 'no row comes back before it went') FROM s;
SELECT is(count(*) FILTER (WHERE rented IS NULL), 0::bigint, 'NOT NULL stays so') FROM s;
SELECT cmp_ok(abs(avg((returned IS NULL)::int) - 0.1), '<', 0.02::numeric, 'NULLs have their share') FROM s;
SELECT cmp_ok(abs(avg((extract(hour FROM rented) = 8)::int) - 1 / 3.0), '<', 0.02::numeric, 'the hour of the day survives') FROM s;
SELECT is(count(*) FILTER (WHERE extract(second FROM rented) <> 0), 0::bigint, 'in steps of a minute') FROM s;
SELECT ok(min(rented) >= '2024-01-01' AND max(rented) < '2025-01-06' AND max(returned - rented) <= '10 days', 'inside the bins') FROM s;
SELECT is(refusal($$SELECT * FROM pegs_sample('m', 3) AS t ("rented.hour" int)$$), '42703 "m" has no column "rented.hour"', 'nobody gets what is hidden');
SELECT is(refusal($$SELECT * FROM pegs_sample('m', 3, given => '{"rented": "2024-01-01"}') AS t (price int)$$), '0A000 given names "rented", which is computed from other columns', 'what is computed is not given');
SELECT ok(bool_and(extract(isodow FROM rented) = 6), 'a part may be') FROM pegs_sample('m', 50, given => '{"rented.weekday": 6}') AS t (rented timestamp, price int);
SELECT is(count(*), 7::bigint, 'a view, its rights and a comment on each column that it has') FROM pegs_view_sql('m', 'mv') AS s;
SELECT lives_ok($$SELECT * FROM pegs_utility('r', 's', 2, ARRAY['rented.hour', 'rented.weekday', 'returned - rented', 'price'])$$, 'the parts are compared');
SELECT cmp_ok(max(value), '<', 0.1::float8, 'and near') FROM pegs_utility('r', 's', 1, ARRAY['rented.hour', 'returned - rented'], ARRAY['tables']) WHERE measure = 'tv1';
SELECT lives_ok($$SELECT * FROM pegs_utility_of('m')$$, 'a model, too');
SELECT matches(pegs_report('m', options => '{"epsilons": [1]}'), '<section id="map">', 'the report, too, with its map');
SELECT pegs_fit('p', 'r', ARRAY['returned', 'price', 'rented'], parents => '{"price": ["rented.hour"], "returned - rented": ["rented.hour"]}');
SELECT is(pegs_row_type('p'), 'returned timestamp without time zone, price integer, rented timestamp without time zone', 'in the order of the names; parts may be parents');

---- pegs_agg takes the columns of the table: the same counts
SELECT pegs_fit_state('a', 'r', (SELECT pegs_agg((SELECT pegs_spec('r', ARRAY['rented', 'returned', 'price'], '{"price": ["rented.hour"]}')), rented, returned, price) FROM r), ARRAY['rented', 'returned', 'price'], parents => '{"price": ["rented.hour"]}');
SELECT pegs_fit('b', 'r', ARRAY['rented', 'returned', 'price'], parents => '{"price": ["rented.hour"]}');
SELECT is((SELECT pegs_internal.unmasked(body) FROM pegs_internal.body JOIN pegs_internal.model ON id = model WHERE name = 'a'), (SELECT pegs_internal.unmasked(body) FROM pegs_internal.body JOIN pegs_internal.model ON id = model WHERE name = 'b'), 'a state of them is what a fit counts');
SELECT is(refusal($$SELECT pegs_agg(pegs_spec('r', ARRAY['rented', 'returned', 'price']), rented, price) FROM r$$), '42804 spec has 3 columns, pegs_agg got 2', 'so many');
SELECT is(refusal($$SELECT pegs_agg(pegs_spec('r', ARRAY['rented', 'price']), rented::date, price) FROM r$$), '42804 column "rented" of the spec is of type timestamp without time zone, the argument is of type date', 'of these types');
SELECT is(refusal(format('SELECT pegs_agg(%L, rented, price) FROM r', replace(pegs_spec('r', ARRAY['rented', 'price']), a, b))), '22023 spec is not valid: ' || why, why || ': ' || b) FROM (VALUES
	('"kind": "hour"', '"kind": "minute"', 'a part is of a kind that is not known'),
	('"kind": "hour"', '"kind": "week"', 'a part has not the type that it must have'),
	('"kind": "hour"', '"kind": "hour", "earlier": "price"', 'a difference is of two columns, another part of one'),
	('"kind": "hour", "column": "rented"', '"kind": "hour", "column": "price"', 'a column has two types'),
	('"column": "rented"', '"column": "rented", "zone": "UTC"', 'a part of a timestamptz has a time zone, and no other has'),
	('"column": "rented"', '"column": "rented", "zone": "Middle/Earth"', 'a name is too long, or a time zone is not known here'),
	('"part": {', '"part": [], "x": {', 'a "part" must be an object')) AS v (a, b, why);

---- persons: the rows of a person are chosen as they stand in the table
SELECT pegs_drop(n) FROM unnest('{m, p, a, b}'::text[]) AS n;
CREATE TABLE w (LIKE r INCLUDING CONSTRAINTS);
INSERT INTO w SELECT * FROM r;
SELECT pegs_declare('w', pegs_facts('r')), pegs_set_budget('w', 1000), pegs_set_unit('w', 'person', weighting => 'person');
SELECT is(pegs_facts('w') -> 'columns', pegs_facts('r') -> 'columns', 'facts are printed and taken');
SET timezone = 'Asia/Tokyo';
SELECT pegs_declare('w', pegs_facts('r'));
SELECT is(pegs_facts('w') -> 'columns', pegs_facts('r') -> 'columns', 'in a session with another zone, too');
SET timezone = 'Europe/Berlin';
SELECT pegs_fit('wm', 'w', ARRAY['rented', 'returned', 'seen', 'price'], epsilon => 500);
SELECT is(count(*) FILTER (WHERE returned < rented), 0::bigint, 'in order, of persons') FROM pegs_sample_as(NULL::w, 'wm', 1000);
SELECT cmp_ok(abs(avg((extract(hour FROM seen AT TIME ZONE 'Europe/Berlin') IN (9, 10))::int) - 1 / 3.0), '<', 0.1::numeric, 'hours of a timestamptz') FROM pegs_sample_as(NULL::w, 'wm', 1000);

---- all columns of it; views
SELECT pegs_unset('r', 'seen'), pegs_set_bins('r', 'seen', '{2024-01-01, 2025-01-01}', parts => '{date, hour}');
SELECT pegs_fit('all', 'r', epsilon => 10);
SELECT is(count(*) FILTER (WHERE returned < rented OR to_day < from_day OR last_day < to_day OR m2 < n2 OR high < low OR y < x), 0::bigint, 'all that is in order') FROM pegs_sample_as(NULL::r, 'all', 2000);
CREATE VIEW same AS SELECT rented, returned, price FROM r WHERE price > 1;
SELECT pegs_fit('v', 'same', epsilon => 10);
SELECT is(count(*) FILTER (WHERE returned < rented), 0::bigint, 'a view of it') FROM pegs_sample_as(NULL::same, 'v', 500);
CREATE VIEW called AS SELECT rented AS r1, returned, price FROM r;
SELECT results_eq($$SELECT column_name, problem FROM pegs_domain('called') WHERE column_name ~ 'returned'$$, $$VALUES ('returned'::name, NULL::text), ('returned - r1', NULL)$$, 'a view that calls one otherwise');
SELECT pegs_fit('c', 'called', epsilon => 10);
SELECT is(count(*) FILTER (WHERE returned < r1), 0::bigint, 'in order, by its names') FROM pegs_sample_as(NULL::called, 'c', 500);
SELECT ok(EXISTS (SELECT FROM pegs_domain('called') WHERE column_name = 'r1.hour'), 'parts are called as the view calls their column');
CREATE VIEW other AS SELECT returned AS rented, returned FROM r;
SELECT results_eq($$SELECT column_name, problem FROM pegs_domain('other') WHERE column_name = 'returned'$$, $$VALUES ('returned'::name, 'it is computed from column "rented" of "r", which is not here')$$, 'or calls another one so');

-- a part of a table, whose columns have other numbers
CREATE TABLE whole (id int, rented timestamp NOT NULL, returned timestamp, price int CHECK (price BETWEEN 1 AND 5)) PARTITION BY RANGE (rented);
CREATE TABLE piece (price int, returned timestamp, rented timestamp NOT NULL, id int, CONSTRAINT whole_price_check CHECK (price BETWEEN 1 AND 5));
ALTER TABLE whole ATTACH PARTITION piece FOR VALUES FROM ('2024-01-01') TO ('2025-01-01');
INSERT INTO whole SELECT id, rented, returned, price FROM r WHERE rented < '2025-01-01';
SELECT pegs_set_bins('whole', 'rented', '{2024-01-01, 2024-07-01, 2025-01-01}', parts => '{date, hour}', undeclared => 'nearest'), pegs_order('whole', 'rented', 'returned', '10 days'), pegs_set_budget('whole', 100);
SELECT pegs_fit('of_piece', 'piece', ARRAY['rented', 'returned'], epsilon => 10);
SELECT is(count(*) FILTER (WHERE returned < rented), 0::bigint, 'a partition has what its table declares') FROM pegs_sample_as(NULL::whole, 'of_piece', 500);
SELECT pegs_forbid('piece', '{"price": 2}');
SELECT pegs_fit('of_whole', 'whole', ARRAY['rented', 'price'], epsilon => 10);
SELECT is(count(*) FILTER (WHERE price = 2), 0::bigint, 'and says what is forbidden by its own names') FROM pegs_sample_as(NULL::piece, 'of_whole', 500);

---- what became of it
ALTER TABLE r ADD COLUMN "seen.hour" int;
SELECT is(problem, 'it is computed from hidden columns, but the table has a column "seen.hour" already', 'a name that was taken since') FROM pegs_domain('r') WHERE column_name = 'seen';
ALTER TABLE r DROP COLUMN "seen.hour", ALTER COLUMN from_day TYPE timestamp;
SELECT is(problem, 'it is computed from column "from_day", which is of another type', 'a type that was altered since') FROM pegs_domain('r') WHERE column_name = 'to_day';
SELECT pegs_leave_out('r', 'from_day');
SELECT is(refusal($$SELECT pegs_fit('no', 'r', epsilon => 1)$$), '22023 column "to_day" cannot be used: it is computed from column "from_day", which is of another type', 'and a fit says so');
ALTER TABLE r RENAME COLUMN rented TO went;
SELECT is(origin, 'computed: ("went" + "returned - went" * ''00:00:01''::interval)', 'a name that was given since') FROM pegs_domain('r') WHERE column_name = 'returned';
SELECT is(count(*) FILTER (WHERE returned < rented), 0::bigint, 'models that were fitted before have the names of then') FROM pegs_sample('all', 100) AS t (rented timestamp, returned timestamp);
ALTER TABLE r RENAME COLUMN went TO rented;
UPDATE pegs_internal.fact SET zone = 'Middle/Earth' WHERE source = 'r'::regclass AND column_name = 'seen';
SELECT is(problem, 'it is computed from parts in time zone "Middle/Earth", which is not known here', 'a zone that this server does not have') FROM pegs_domain('r') WHERE column_name = 'seen';
SELECT pegs_leave_out('r', 'rented');
SELECT is_empty($$SELECT FROM pegs_domain('r') WHERE column_name LIKE 'rented.%'$$, 'left out with its parts');
SELECT pegs_unset('r', 'returned');
SELECT is_empty($$SELECT FROM pegs_domain('r') WHERE column_name = 'returned - rented'$$, 'pegs_unset forgets it');

---- the earlier column is a column, not a name; the names of differences
CREATE TABLE o (a date, b date, c date, at timestamp, "a - b" date, "b - c" date, later date, "q""" date, e date);
SELECT pegs_order('o', 'a', 'c', '3'), pegs_order('o', 'b', 'later', '3');
ALTER TABLE o RENAME a TO x;
ALTER TABLE o RENAME b TO a;
ALTER TABLE o RENAME x TO b;
SELECT set_eq($$SELECT column_name FROM pegs_domain('o') WHERE type = 'integer'$$, '{c - b,later - a}'::name[], 'three renames in a circle');
SELECT is(pegs_facts('o') #>> '{columns,c,after}' || (pegs_facts('o') #>> '{columns,later,after}'), 'ba', 'printed so');
SELECT pegs_declare('o', pegs_facts('o'));
SELECT set_eq($$SELECT column_name, input_names, inputs FROM pegs_internal.fact WHERE source = 'o'::regclass AND earlier IS NOT NULL$$, $$VALUES ('c'::name, '{b}'::text[], '{1}'::smallint[]), ('later', '{a}', '{2}')$$, 'and declared again');
-- an order after what is computed as another type: a date of a timestamp
SELECT pegs_set_bins('o', 'at', '{2024-01-01, 2024-02-01}'), pegs_set_derived('o', 'a', 'at + ''2 hours''::interval'), pegs_set_budget('o', 100);
INSERT INTO o (at, a, later) SELECT '2024-01-01'::timestamp + i * interval '5 hours', ('2024-01-01'::timestamp + i * interval '5 hours' + interval '2 hours')::date, ('2024-01-01'::timestamp + i * interval '5 hours' + interval '2 hours')::date + i % 3 FROM generate_series(0, 140) AS i;
SELECT pegs_fit('o', 'o', '{at, a, later}', epsilon => 50);
SELECT is(count(*) FILTER (WHERE later < a OR a <> (at + '2 hours')::date OR later IS NULL AND a IS NOT NULL AND at IS NULL), 0::bigint, 'in order after a derived date') FROM pegs_sample_as(NULL::o, 'o', 300);
SELECT cmp_ok(count(later), '>', 200::bigint, 'and there') FROM pegs_sample_as(NULL::o, 'o', 300);
SELECT pegs_drop('o'), pegs_unset('o', 'later'), pegs_unset('o', 'a'), pegs_unset('o', 'c');
SELECT pegs_order('o', 'c', 'a - b', '3'), pegs_order('o', 'b - c', 'a', '3'), pegs_order('o', 'e', 'q"', '3'), pegs_set_bins('o', c, '{2024-01-01, 2024-02-01}'::date[]) FROM unnest('{c, b - c, e}'::name[]) AS c;
SELECT set_eq($$SELECT column_name FROM pegs_domain('o') WHERE type = 'integer'$$, ARRAY['"a - b" - c', 'a - "b - c"', '"q""" - e']::name[], 'no two hidden columns have one name');
SELECT lives_ok($$SELECT pegs_fit('o', 'o', ARRAY['a', 'a - b', 'c', 'b - c', 'q"', 'e'], epsilon => 1)$$, 'so that a model has both');
-- doubled: no end is beyond the type, and there are so many bins
CREATE TABLE wide (k bigint, l bigint, i int, j int, t timestamp, u timestamp);
SELECT pegs_set_bins('wide', 'k', '{-9223372036854775808, 9223372036854775807}'), pegs_set_bins('wide', 'i', '{0, 1}'), pegs_set_bins('wide', 't', '{2024-01-01, 2024-01-01 00:01:30}');
CREATE FUNCTION doubled(earlier name, later name, bins int) RETURNS text LANGUAGE plpgsql AS $$ BEGIN PERFORM pegs_order('wide', earlier, later, bins => bins); RETURN (SELECT cardinality(edges) || ' ' || edges[2] || ' ' || edges[cardinality(edges)] FROM pegs_internal.fact WHERE source = 'wide'::regclass AND column_name = later); END $$;
SELECT is(doubled('k', 'l', b), e, 'doubled: ' || b) FROM (VALUES (30, '31 17179869184 9223372036854775807'), (1, '2 9223372036854775807 9223372036854775807'), (2, '3 4611686018427387904 9223372036854775807'), (64, '65 1 9223372036854775807'), (100, '65 1 9223372036854775807')) AS v (b, e);
SELECT is(doubled('i', 'j', 30), '2 1 1', 'one: no bin but that');
SELECT is(doubled('t', 'u', 30), '3 60 90', 'seconds: from a minute on');

-- a row at the end of the type has the last value that it holds: none is lost, and none is an error
CREATE TABLE ends (a smallint NOT NULL, b smallint NOT NULL, c smallint NOT NULL, i int NOT NULL, j int NOT NULL, k bigint NOT NULL, l bigint NOT NULL, n numeric(4, 2) NOT NULL, m numeric(4, 2) NOT NULL, x real NOT NULL, y real NOT NULL, d date NOT NULL, e date NOT NULL);
INSERT INTO ends SELECT 32000 + i % 767, 32000 + i % 767, 32767, 2147483000 + i % 600, 2147483647, 9223372036854775000 + i % 800, 9223372036854775807, 90 + i % 9, 90 + i % 9 + i % 100 / 100.0, 3.3e38, 3.4e38, '5874890-01-01'::date + i % 300, '5874897-12-01'
FROM generate_series(1, 1500) AS i;
SELECT pegs_set_budget('ends', 1000), pegs_set_bins('ends', 'a', '{0, 20000, 32767}'), pegs_set_bins('ends', 'i', '{0, 2147483000, 2147483647}'), pegs_set_bins('ends', 'k', '{0, 9223372036854775000, 9223372036854775807}'), pegs_set_bins('ends', 'n', '{0, 99.99}'),
	pegs_set_bins('ends', 'x', '{0, 3.4e38}'), pegs_set_bins('ends', 'd', '{5874880-01-01, 5874897-12-31}');
SELECT pegs_order('ends', 'a', 'b'), pegs_order('ends', 'b', 'c'), pegs_order('ends', 'i', 'j'), pegs_order('ends', 'k', 'l'), pegs_order('ends', 'n', 'm'), pegs_order('ends', 'x', 'y'), pegs_order('ends', 'd', 'e', '30000');
SELECT pegs_fit('ends', 'ends', epsilon => 10);
CREATE TABLE of_ends AS SELECT * FROM pegs_sample_as(NULL::ends, 'ends', 3000);
SELECT is(ARRAY[count(b), count(c), count(j), count(l), count(m), count(y), count(e)], array_fill(3000::bigint, ARRAY[7]), 'no value is beyond the type') FROM of_ends;
SELECT is(count(*) FILTER (WHERE b < a OR c < b OR j < i OR l < k OR m < n OR y < x OR e < d), 0::bigint, 'and none is before the earlier') FROM of_ends;
SELECT is(ARRAY[max(c), max(j), max(l), max(m)]::text[], '{32767,2147483647,9223372036854775807,99.99}', 'the last that there is is one of them') FROM of_ends;

---- pegs_propose
CREATE TABLE trips (id int PRIMARY KEY, "from" date, "to" date, booked timestamptz);
SELECT is((SELECT array_agg(p) FROM pegs_propose('trips') AS p WHERE p ~ 'order'), ARRAY['-- if "to" is never before "from": SELECT pegs_order(''public.trips'', ''from'', ''to'', longest => ''...'');'], 'a choice, as a comment');
CREATE FUNCTION order_of(epsilon float8 DEFAULT NULL) RETURNS text LANGUAGE sql AS $$ SELECT p FROM pegs_propose('trips', epsilon, 1e-9) AS p WHERE p ~ 'pegs_order' $$;
CREATE FUNCTION hint_of(sql text) RETURNS text LANGUAGE plpgsql AS $$ DECLARE h text; BEGIN EXECUTE sql; RETURN 'ok'; EXCEPTION WHEN OTHERS THEN GET STACKED DIAGNOSTICS h = PG_EXCEPTION_HINT; RETURN h; END $$;
SELECT matches(order_of(1), '[(]say it first: ', 'before the later one is learnt');
SELECT is((SELECT array_agg(p ~ 'pegs_order' ORDER BY n) FROM pegs_propose('trips', 1, 1e-9) WITH ORDINALITY AS t(p, n) WHERE p ~ 'pegs_(order|learn)'), '{t,f}', 'and ahead of it');
SELECT is(hint_of($$SELECT pegs_order('trips', 'from', 'to')$$), $$SELECT pegs_order('public.trips', 'from', 'to', longest => '30 days');$$, 'a statement');
SELECT pegs_set_bins('trips', 'from', date '2024-01-01', date '2024-12-31', 12);
SELECT is(order_of(), '-- if "to" is never before "from": SELECT pegs_order(''public.trips'', ''from'', ''to'');', 'what is declared says how far');
SELECT is(hint_of(substring(order_of() FROM ': (.*);$')), 'ok', 'as it is printed');
SELECT is(order_of(), NULL, 'and it is said');
SELECT pegs_set_bins('trips', 'from', date '2024-06-01', date '2024-12-31', 12), pegs_set_bins('trips', 'to', date '2024-01-01', date '2024-05-01', 12);
SELECT matches(order_of(), 'longest => ''[.]{3}''', 'of bins that end before the others begin nothing comes');
SELECT pegs_unset('trips', 'to'), pegs_unset('trips', 'from'), pegs_set_budget('trips', 100, 1e-6);
INSERT INTO trips SELECT i, date '2024-01-01' + i % 300, date '2024-01-05' + i % 300 FROM generate_series(1, 1000) AS i;
SELECT pegs_learn('trips', 10, 1e-9, ARRAY['from', 'to']);
SELECT matches(order_of(), 'before "from": .*longest => ''[.]{3}''', 'nor of bins that were learnt');
SELECT is(hint_of($$SELECT pegs_order('trips', 'from', 'to')$$), $$SELECT pegs_order('public.trips', 'from', 'to', longest => '30 days');$$, 'a statement, too');
SELECT is(hint_of(hint_of($$SELECT pegs_order('trips', 'from', 'to')$$)), 'ok', 'that runs');
SELECT * FROM finish();
