-- What is kept means the same in every session: given values of releases, arrays of times and numbers that are handed in, and
-- the page of an extension that was made where backslashes escape. Laws L2, L10.
SET client_min_messages = warning;
SET standard_conforming_strings = off; SET escape_string_warning = off;
CREATE EXTENSION pegs;
RESET standard_conforming_strings; RESET escape_string_warning;
SELECT plan(31);

---- the page's own patterns
SELECT is(pegs_internal.report_number(1234567), '1,234,567', 'made where backslashes escape: thousands are told apart');
SELECT is(pegs_internal.report_escape(E'a\u0001\\u'), 'a?\u', 'and what XML cannot hold is replaced, no more');

---- a release gives the same rows to all who read it
CREATE TABLE t (d date NOT NULL, at timestamptz NOT NULL, k int NOT NULL CHECK (k IN (1, 2)));
INSERT INTO t SELECT date '2024-01-01' + i % 366, timestamptz '2024-01-01 00:30+00' + i % 366 * interval '1 day', 1 + i % 2 FROM generate_series(1, 2000) AS i;
SELECT pegs_set_bins('t', 'd', (SELECT array_agg(date '2024-01-01' + make_interval(months => i)) FROM generate_series(0, 12) AS i)::date[]),
	pegs_set_bins('t', 'at', (SELECT array_agg(timestamptz '2024-01-01 00:00+00' + make_interval(days => i)) FROM generate_series(0, 366) AS i)), pegs_set_budget('t', 1000);
SELECT pegs_fit('m', 't', epsilon => 100);
CREATE FUNCTION rows_of(release text, style text, zone text) RETURNS text LANGUAGE sql SET datestyle FROM CURRENT SET timezone FROM CURRENT AS
$$ SELECT set_config('datestyle', $2, true) IS NULL AND set_config('timezone', $3, true) IS NULL; SELECT md5(string_agg(concat_ws('|', d - date '2000-01-01', extract(epoch FROM at), k), ';')) FROM pegs_rows($1) AS r (d date, at timestamptz, k int) $$;
SET datestyle = 'SQL, DMY';
SELECT pegs_release('of_day', 'm', 60, given => '{"d": "01/02/2024"}');
SELECT is(count(DISTINCT rows_of('of_day', style, 'UTC')), 1::bigint, 'whatever the order of day and month in their sessions is') FROM unnest('{"SQL, DMY","SQL, MDY","ISO, YMD","German, DMY"}'::text[]) AS style;
SELECT is(array_agg(DISTINCT extract(month FROM d)), '{2}', 'those that its maker asked for') FROM pegs_rows('of_day') AS r (d date, at timestamptz, k int);
SELECT is(pegs_describe('of_day') #>> '{given,d}', '2024-02-01', 'which is what a certificate says');
RESET datestyle;
SET timezone = 'Asia/Tokyo';
SELECT pegs_release('of_moment', 'm', 60, given => '{"at": "2024-03-01 08:00"}');
SELECT is(count(DISTINCT rows_of('of_moment', 'ISO', zone)), 1::bigint, 'whatever their time zones are') FROM unnest('{UTC,Asia/Tokyo,America/New_York}'::text[]) AS zone;
SELECT is(array_agg(DISTINCT (at AT TIME ZONE 'UTC')::date), '{2024-02-29}', 'the moment that its maker meant') FROM pegs_rows('of_moment') AS r (d date, at timestamptz, k int);
RESET timezone;
CREATE TABLE now_and_then (d date NOT NULL, k int NOT NULL CHECK (k IN (1, 2)));
SELECT pegs_set_bins('now_and_then', 'd', ARRAY[current_date - 3, current_date, current_date + 3]), pegs_set_budget('now_and_then', 1000);
INSERT INTO now_and_then SELECT current_date - i % 3, 1 FROM generate_series(1, 900) AS i;
SELECT pegs_fit('today', 'now_and_then', epsilon => 100);
SELECT pegs_release('of_today', 'today', 5, given => '{"d": "today"}');
SELECT is(pegs_describe('of_today') #>> '{given,d}', to_char(current_date, 'YYYY-MM-DD'), 'a day that has passed tomorrow is kept as a date');
SELECT is((SELECT count(*) FROM pegs_marginals_of('of_day') WHERE column_name = 'd' AND synthetic > 0), 1::bigint, 'the measures read the same rows');
SET datestyle = 'SQL, MDY';
SELECT is((SELECT min(level) FROM pegs_marginals_of('of_day') WHERE column_name = 'd' AND synthetic > 0), '[2024-02-01, 2024-03-01)', 'in any session');
RESET datestyle;
SELECT pegs_release('of_both', 'm', 10, given => '{"k": 2, "d": "2024-05-05"}');
SELECT is(pegs_describe('of_both') -> 'given', '{"d": "2024-05-05", "k": 2}', 'other values stay as they were given');
UPDATE pegs_internal.release SET given = '{"d": "no day"}' WHERE name = 'of_day';
SELECT throws_ok($$SELECT * FROM pegs_rows('of_day') AS r (d date, at timestamptz, k int)$$, '22007', 'the value given for column "d" is not a value of type date', 'and what is none is said by its column');
SELECT is(current_setting('datestyle'), 'ISO, MDY', 'no setting stays');

-- a label that was given is the one that it was, and its type may go
CREATE TYPE season AS ENUM ('wet', 'dry');
CREATE TABLE w (s season NOT NULL, k int NOT NULL CHECK (k IN (1, 2)));
INSERT INTO w SELECT 'dry', 2 FROM generate_series(1, 500) AS i;
SELECT pegs_set_budget('w', 1000);
SELECT pegs_fit('seasons', 'w', epsilon => 100), pegs_release('of_dry', 'seasons', 9, given => '{"s": "dry"}');
ALTER TYPE season RENAME VALUE 'dry' TO 'arid';
SELECT is(array_agg(k), array_fill(2, ARRAY[9]), 'a label renamed: the other columns are read') FROM pegs_rows('of_dry') AS r (k int);
ALTER TABLE w DROP COLUMN s;
DROP TYPE season;
SELECT is(array_agg(k), array_fill(2, ARRAY[9]), 'and when its type is gone') FROM pegs_rows('of_dry') AS r (k int);

---- what is forbidden is the same for all who fit
SET datestyle = 'SQL, DMY';
SELECT pegs_forbid('t', '{"d": ["01/02/2024", "01/03/2024"], "k": 1}');
SELECT is(pegs_facts('t') -> 'forbidden', '[{"d": ["2024-02-01", "2024-03-01"], "k": 1}]', 'days are kept as dates');
SET datestyle = 'SQL, MDY';
SELECT pegs_fit('not_february', 't', '{d, k}', epsilon => 200);
SELECT is(array_agg(DISTINCT extract(month FROM d)) FILTER (WHERE k = 1), '{1,4,5,6,7,8,9,10,11,12}', 'whatever the order of day and month is where it is fitted') FROM pegs_sample('not_february', 4000) AS r (d date, k int);
RESET datestyle;
SELECT pegs_forbid('t', NULL);
SET timezone = 'Asia/Tokyo';
SELECT pegs_forbid('t', '{"at": "2024-03-01 08:00"}');
SET timezone = 'America/New_York';
SELECT pegs_fit('not_then', 't', '{at, k}', epsilon => 200);
SELECT is(count(*) FILTER (WHERE (at AT TIME ZONE 'UTC')::date = '2024-02-29'), 0::bigint, 'and the time zone') FROM pegs_sample('not_then', 4000) AS r (at timestamptz, k int);
RESET timezone;
SELECT pegs_forbid('t', NULL), pegs_forbid('now_and_then', '{"d": "today"}');
SELECT is(pegs_facts('now_and_then') #>> '{forbidden,0,d}', to_char(current_date, 'YYYY-MM-DD'), 'a day that has passed tomorrow is kept as a date');
-- as 0.2.0 kept it
UPDATE pegs_internal.forbidden SET combination = jsonb_build_object('d', to_char(current_date, 'FMMonth FMDD YYYY')) WHERE source = 'now_and_then'::regclass;
SELECT pegs_fit('not_today', 'now_and_then', epsilon => 200);
SELECT is(count(*) FILTER (WHERE d = current_date), 0::bigint, 'what was kept as it was written is read') FROM pegs_sample('not_today', 900) AS r (d date, k int);

CREATE TYPE tide AS ENUM ('low', 'high');
CREATE TABLE sea (s tide NOT NULL, k int NOT NULL CHECK (k IN (1, 2)));
SELECT pegs_set_budget('sea', 1), pegs_forbid('sea', '{"s": "low", "k": 1}');
ALTER TYPE tide RENAME VALUE 'low' TO 'ebb';
SELECT throws_ok($$SELECT pegs_fit('sea', 'sea', epsilon => 1)$$, '22P02', NULL, 'a label renamed: what it forbade is not allowed');

---- arrays and bounds that are handed in keep their values
CREATE TABLE v (at timestamptz, there timestamp, d date, x float8, y real, n numeric, name text);
SELECT pegs_set_budget('v', 1);
CREATE FUNCTION edges_of(wanted name) RETURNS text[] LANGUAGE sql AS $$ SELECT edges FROM pegs_internal.fact WHERE source = 'v'::regclass AND column_name = wanted $$;
SET timezone = 'Asia/Shanghai'; SET datestyle = 'SQL, MDY';
SELECT pegs_set_bins('v', 'at', ARRAY['2024-01-01 00:00+08', '2024-02-01 00:00+08']::timestamptz[]);
SELECT is(edges_of('at'), '{2023-12-31 16:00:00+00,2024-01-31 16:00:00+00}', 'times with a zone whose abbreviation is another''s, too');
SELECT pegs_set_bins('v', 'at', '2024-01-01 00:00+08'::timestamptz, '2024-02-01 00:00+08'::timestamptz, 1);
SELECT is(edges_of('at'), '{2023-12-31 16:00:00+00,2024-01-31 16:00:00+00}', 'and bounds');
SELECT pegs_set_bins('v', 'there', ARRAY['2024-01-01 00:00+08', '2024-02-01 00:00+08']::timestamptz[]);
SELECT is(edges_of('there'), '{2024-01-01 00:00:00,2024-02-01 00:00:00}', 'of a column without a zone they are the session''s');
SELECT pegs_set_bins('v', 'd', ARRAY['2024-03-04', '2024-05-06']::date[]);
SELECT is(edges_of('d'), '{2024-03-04,2024-05-06}', 'days');
SELECT pegs_set_levels('v', 'name', ARRAY['2024-03-04']::date[]);
SELECT is(levels, '{2024-03-04}', 'days as texts: as ISO has them') FROM pegs_internal.fact WHERE source = 'v'::regclass AND column_name = 'name';
SELECT pegs_set_bins('v', 'd', ARRAY['03/04/2024', '05/06/2024']);
SELECT is(edges_of('d'), '{2024-03-04,2024-05-06}', 'texts are what the session reads');
RESET timezone; RESET datestyle;
SET extra_float_digits = -5;
SELECT pegs_set_bins('v', 'x', ARRAY[0, 0.1::float8 + 0.2::float8, 1]);
SELECT pegs_set_bins('v', 'y', 0::real, 16777215::real, 1);
SELECT pegs_set_bins('v', 'n', ARRAY[0::float8, 1::float8 / 3]);
RESET extra_float_digits;
SELECT is(edges_of('x'), '{0,0.30000000000000004,1}', 'all digits');
SELECT is(edges_of('y'), '{0,1.6777215e+07}', 'of a bound');
SELECT is(edges_of('n'), '{0,0.3333333333333333}', 'of another type');
SELECT is(current_setting('extra_float_digits'), '1', 'no setting stays');
SELECT * FROM finish();
