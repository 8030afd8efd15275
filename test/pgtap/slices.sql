-- slices: paid for once, each fitted once, of rows that stay where they were inserted. What is refused charges nothing and
-- uses nothing up.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS pegs;
CREATE SCHEMA slices;
CREATE ROLE sl_curator;
CREATE ROLE sl_analyst;
CREATE ROLE sl_other;
GRANT USAGE, CREATE ON SCHEMA slices TO sl_curator;
GRANT USAGE ON SCHEMA slices TO sl_analyst, sl_other;
SELECT pegs_allow('sl_curator'), pegs_allow('sl_other');
SET search_path = slices, public;
SET timezone = 'UTC';
SELECT * FROM no_plan();
SET ROLE sl_curator;

CREATE TABLE event (at timestamptz NOT NULL, kind text NOT NULL CHECK (kind IN ('a', 'b', 'c')), n int NOT NULL CHECK (n IN (0, 1)));
-- whole months of the past, from the first of a month on; some days of the current month may be complete
CREATE TABLE begins AS SELECT (date_trunc('month', now() AT TIME ZONE 'UTC') - interval '2 months')::timestamp AS origin;
SELECT pegs_set_budget('event', 10000, 1e-6, 'sum');
CREATE FUNCTION spent() RETURNS numeric LANGUAGE sql AS $$SELECT spent FROM pegs_budgets WHERE source = 'slices.event'::regclass$$;
-- where the marks are, as the pages of the sequences say: nothing that is refused moves one
CREATE FUNCTION said(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	before numeric := slices.spent();
	hint text;
	said text;
BEGIN
	BEGIN
		EXECUTE statement;
		RETURN 'nothing was refused';
	EXCEPTION WHEN OTHERS THEN
		GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT;
		said := SQLSTATE || ' ' || SQLERRM || CASE WHEN hint = '' THEN ' (no hint)' ELSE '' END;
	END;
	RETURN said || CASE WHEN before IS DISTINCT FROM slices.spent() THEN ' (charged)' ELSE '' END;
END
$$;
CREATE FUNCTION hint_of(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	hint text;
BEGIN
	EXECUTE statement;
	RETURN NULL;
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT;
	RETURN hint;
END
$$;
CREATE FUNCTION day_by(width text) RETURNS text LANGUAGE sql AS
$$SELECT format('SELECT pegs_set_slices(%L, %L, %L, %L, 900)', 'slices.event', 'at', width, (SELECT origin FROM slices.begins))$$;

---- a row stays in its slice
SELECT is(said(day_by('1 day')), '55000 rows of slices.event could move from slice to slice: column "at" can be updated', 'without a guard');
SELECT hint_of(day_by('1 day')) AS guard \gset
SELECT lives_ok(:'guard', 'the HINT, pasted');
SELECT lives_ok(day_by('1 day'), 'with it slices can be set');
SELECT is(spent(), 900::numeric, 'for one charge');
SELECT is(action || ' ' || object || ' ' || epsilon_from || ' ' || epsilon_to, 'slices at by 1 day 0 900', 'of which the ledger has a line') FROM pegs_ledger WHERE source = 'event'::regclass AND action = 'slices';
-- rows at each edge, and on both sides of it; others anywhere. No slice is empty: a model stands for one row at least
INSERT INTO event SELECT b.origin AT TIME ZONE 'UTC' + i * interval '1 day' + e * interval '1 microsecond', substr('abc', 1 + abs(e) + 0, 1), i % 2
	FROM begins AS b, generate_series(0, 100) AS i, generate_series(-1, 1) AS e;
INSERT INTO event SELECT b.origin AT TIME ZONE 'UTC' + i * interval '37 minutes', substr('abc', 1 + i % 3, 1), i % 2 FROM begins AS b, generate_series(0, 2000) AS i;
SELECT throws_ok($$UPDATE event SET at = at + interval '1 microsecond' WHERE n = 1$$, '23514', 'column "at" of table "event" cannot be updated', 'an update of the column');
SELECT lives_ok($$UPDATE event SET kind = 'b', at = at WHERE kind = 'a' AND n = 0$$, 'of another one');

---- each slice is fitted once, and is of its own rows
SELECT is(pegs_fit_slices('m', 'event', ARRAY['kind', 'n'], most => 3), 3::bigint, 'three of them');
SELECT is(count(*)::int, 3, 'are shown') FROM pegs_slices WHERE model = 'm';
SELECT is(fit, 3, 'under one name') FROM pegs_models;
SELECT ok(pegs_fit_slices('m', 'event') >= 56, 'and the others');
SELECT is(pegs_fit_slices('m', 'event'), 0::bigint, 'each once');
SELECT is(spent(), 900::numeric, 'which costs nothing more');
SELECT is((SELECT min(lower)::timestamptz FROM pegs_slices), (SELECT origin AT TIME ZONE 'UTC' FROM begins), 'from the origin on');
SELECT ok(max(upper::timestamptz) <= now() AND max(upper::timestamptz) > now() - interval '1 day', 'to the last day that is complete') FROM pegs_slices;
SELECT is_empty($$SELECT FROM (SELECT lower, lag(upper) OVER (ORDER BY lower) AS upper FROM pegs_slices) AS s WHERE lower <> upper$$, 'one behind the other');
CREATE TABLE of_slices AS SELECT s.lower, s.upper, s.width, d.kind, count(d.kind) AS drawn
	FROM pegs_slices AS s LEFT JOIN LATERAL pegs_sample_slices('m', s.lower, s.upper) AS d(kind text, n int, at timestamptz) ON true GROUP BY 1, 2, 3, 4;
CREATE FUNCTION off_by() RETURNS bigint LANGUAGE sql AS $$
SELECT coalesce(max(abs(coalesce(o.drawn, 0) - coalesce(e.rows, 0))), 0) FROM (SELECT * FROM slices.of_slices WHERE kind IS NOT NULL) AS o
	FULL JOIN (SELECT s.lower, s.upper, e.kind, count(*) AS rows FROM pegs_slices AS s JOIN slices.event AS e ON e.at >= s.lower::timestamptz AND e.at < s.upper::timestamptz
		GROUP BY 1, 2, 3) AS e USING (lower, upper, kind)
$$;
SELECT is(off_by(), 0::bigint, 'at so large an epsilon: as many rows of each kind as there are, edges included');
SELECT ok(bool_and(d.at >= s.lower::timestamptz AND d.at < s.upper::timestamptz), 'drawn rows lie in their slice')
	FROM pegs_slices AS s, LATERAL pegs_sample_slices('m', s.lower, s.upper) AS d(at timestamptz);
SELECT ok(count(DISTINCT at) > 2000, 'anywhere in it') FROM pegs_sample_slices('m') AS d(at timestamptz);
-- late rows
INSERT INTO event SELECT b.origin AT TIME ZONE 'UTC' + interval '3 hours', 'c', 1 FROM begins AS b, generate_series(1, 500);
SELECT is(pegs_fit_slices('m', 'event'), 0::bigint, 'late rows are never counted');
DELETE FROM event WHERE ctid IN (SELECT e.ctid FROM event AS e, begins AS b WHERE at = b.origin AT TIME ZONE 'UTC' + interval '3 hours' AND kind = 'c' LIMIT 500);

---- a second level
SELECT is(said(day_by('1 day')), '42710 slices.event has slices of 1 day already', 'not the same again');
SELECT is(said(day_by('24 hours')), '42710 slices.event has slices of 1 day already', 'by another word');
SELECT is(said(format('SELECT pegs_set_slices(%L, %L, %L, %L, 1)', 'event', 'at', '1 month', (SELECT origin + interval '1 day' FROM begins))),
	'22023 slices of 1 mon and of 1 day would overlap', 'not from another origin');
SELECT is(said(format('SELECT pegs_set_slices(%L, %L, %L, %L, 1, zone => %L)', 'event', 'at', '1 month', (SELECT origin FROM begins), 'Europe/Berlin')),
	'22023 slices of 1 mon and of 1 day would overlap', 'nor in another time zone');
SELECT is(said(day_by('36 hours')), '22023 slices of 36:00:00 and of 1 day would overlap', 'not a day and a half');
SELECT lives_ok(day_by('1 month'), 'months are whole days');
SELECT is(said(day_by('7 days')), '22023 slices of 7 days and of 1 mon would overlap', 'but not whole weeks');
SELECT is(spent(), 1800::numeric, 'each level is charged');
SELECT is(pegs_fit_slices('m', 'event'), 2::bigint, 'the months that are complete');
INSERT INTO of_slices SELECT s.lower, s.upper, s.width, d.kind, count(*) FROM pegs_slices AS s, LATERAL pegs_sample_slices('m', s.lower, s.upper) AS d(kind text)
	WHERE s.width = '1 mon' GROUP BY 1, 2, 3, 4;
SELECT is(off_by(), 0::bigint, 'of their rows');
SELECT is(drawn.n, (SELECT count(*) FROM event WHERE at < (SELECT max(upper)::timestamptz FROM pegs_slices) AND at >= (SELECT origin AT TIME ZONE 'UTC' FROM begins)),
	'all together: no row twice, whole months and the days behind them') FROM (SELECT count(*) AS n FROM pegs_sample_slices('m') AS d(kind text)) AS drawn;
SELECT is(drawn.n, (SELECT count(*) FROM event, begins WHERE at >= origin AT TIME ZONE 'UTC' + interval '20 days' AND at < (origin + interval '1 month') AT TIME ZONE 'UTC'),
	'of a part of a month its days') FROM (SELECT count(*) AS n FROM begins, LATERAL pegs_sample_slices('m', (origin + interval '20 days')::text, (origin + interval '1 month')::text) AS d(kind text)) AS drawn;
SELECT is_empty($$SELECT * FROM pegs_sample_slices('m', '1990-01-01', '1991-01-01') AS d(kind text)$$, 'of no slice no row');
SELECT results_eq($$SELECT * FROM pegs_sample_slices('m') AS d(at timestamptz, n int)$$, $$SELECT * FROM pegs_sample_slices('m') AS d(at timestamptz, n int)$$, 'the same rows again');
SELECT is(count(*), (SELECT count(*) FROM pegs_sample_slices('m') AS d(kind text)), 'by a row type') FROM pegs_sample_slices_as(NULL::event, 'm');
SELECT is_empty($$SELECT FROM pegs_sample_slices_as(NULL::event, 'm') WHERE at IS NULL OR kind IS NULL OR n IS NULL$$, 'all columns of the table');

---- what is said of it
SELECT is(pegs_certificate('m') ->> 'unit', 'one row, as it was first inserted', 'the unit');
SELECT is((pegs_certificate('m') -> 'slice') - 'from' - 'to', jsonb '{"column": "at", "type": "timestamp with time zone", "width": "1 mon"}', 'which slice the name is of: the last one');
SELECT matches(pegs_certificate_text('m'), E'\nslice:       at from 20', 'as text, too');
SELECT is(c ->> 'epsilon' || ' ' || (c ->> 'slices_epsilon') || ' ' || (c ->> 'slices_delta'), '900 1800 0', 'what all slices tell of a row: both levels') FROM pegs_certificate('m') AS c;
SELECT matches(pegs_certificate_text('m'), E'\nslices:      epsilon 1800 and delta 0 for all slices together', 'as text');
SELECT ok(pegs_certificate_text('m') !~ 'each was charged', 'they were not charged one by one');
SELECT matches(pegs_summary('m'), 'e to the power of epsilon, here 1800[.]', 'in the summary');
SELECT matches(string_agg(s, E'\n'), 'VIEW seen_by IS ''''''synthetic, epsilon 1800 in all slices so far, see|VIEW seen_by IS ''synthetic, epsilon 1800 in all slices so far, see', 'beside the rows') FROM pegs_view_sql('m', 'seen_by') AS s;
SELECT is(pegs_row_type('m'), 'kind text, n integer, at timestamp with time zone', 'the columns of a row');
SELECT is(count(*), 1::bigint, 'rows of the last slice alone') FROM (SELECT DISTINCT date_trunc('month', at AT TIME ZONE 'UTC') FROM pegs_sample('m') AS d(at timestamptz)) AS months;
SELECT pegs_view_sql('m', 'shown', 'sl_analyst', 'view') \gexec
SET ROLE sl_analyst;
SELECT ok(count(*) > 2000 AND count(DISTINCT at) > 2000, 'a view for an analyst') FROM shown;
SELECT is(count(*)::int, (SELECT fit FROM pegs_models WHERE name = 'm'), 'who sees which slices there are') FROM pegs_slices;
SELECT throws_ok($$SELECT pegs_fit_slices('m', 'event')$$, '42501', NULL, 'and fits none');
SET ROLE sl_other;
SELECT is_empty('SELECT FROM pegs_slices', 'nobody else does');
SELECT throws_ok($$SELECT * FROM pegs_sample_slices('m') AS d(kind text)$$, '42704', NULL, 'nor has rows');
SELECT throws_ok($$SELECT pegs_fit_slices('m', 'event')$$, '42501', NULL, 'a curator of other tables');
SELECT throws_ok(format('SELECT pegs_set_slices(%L, %L, %L, %L, 1)', 'event', 'at', '6 hours', '2026-01-01'), '42501', NULL, 'sets none');
SELECT throws_ok($$SELECT pegs_unset_slices('event')$$, '42501', NULL, 'nor takes them back');
SET ROLE sl_curator;

---- the guard is asked for at each fit
SELECT is(said(change || '; SELECT pegs_fit_slices(''m'', ''event'')'), '55000 rows of slices.event could move from slice to slice: column "at" can be updated', change)
FROM unnest(ARRAY['ALTER TABLE event DISABLE TRIGGER zz_keep_slices', 'ALTER TABLE event ENABLE TRIGGER zz_keep_slices', 'DROP TRIGGER zz_keep_slices ON event',
	'CREATE OR REPLACE TRIGGER zz_keep_slices BEFORE UPDATE OF at ON event FOR EACH ROW EXECUTE FUNCTION pegs_keep_slices(''at''); ALTER TABLE event ENABLE ALWAYS TRIGGER zz_keep_slices',
	'CREATE OR REPLACE TRIGGER zz_keep_slices BEFORE UPDATE ON event FOR EACH ROW WHEN (OLD.n = 1) EXECUTE FUNCTION pegs_keep_slices(''at''); ALTER TABLE event ENABLE ALWAYS TRIGGER zz_keep_slices',
	'CREATE OR REPLACE TRIGGER zz_keep_slices BEFORE UPDATE ON event FOR EACH ROW EXECUTE FUNCTION pegs_keep_slices(''n''); ALTER TABLE event ENABLE ALWAYS TRIGGER zz_keep_slices',
	'CREATE OR REPLACE TRIGGER zz_keep_slices BEFORE UPDATE ON event FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger(); ALTER TABLE event ENABLE ALWAYS TRIGGER zz_keep_slices',
	'CREATE TRIGGER zzz BEFORE UPDATE ON event FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger()']) AS change;
SELECT is(said('CREATE TRIGGER a BEFORE UPDATE ON event FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger(); SELECT pegs_fit_slices(''m'', ''event'')'), 'nothing was refused', 'another one before it');
DROP TRIGGER a ON event;
CREATE FUNCTION pegs_keep_slices() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
SELECT is(said('CREATE OR REPLACE TRIGGER zz_keep_slices BEFORE UPDATE ON event FOR EACH ROW EXECUTE FUNCTION slices.pegs_keep_slices(''at''); ALTER TABLE event ENABLE ALWAYS TRIGGER zz_keep_slices;
	SELECT pegs_fit_slices(''m'', ''event'')'), '55000 rows of slices.event could move from slice to slice: column "at" can be updated', 'a function of that name');
DROP FUNCTION pegs_keep_slices() CASCADE;
SELECT throws_ok('CREATE TABLE plain (at date); CREATE TRIGGER t AFTER UPDATE ON plain FOR EACH ROW EXECUTE FUNCTION public.pegs_keep_slices(''at''); INSERT INTO plain VALUES (NULL); UPDATE plain SET at = at',
	'39P01', 'pegs_keep_slices is for a trigger BEFORE UPDATE, FOR EACH ROW, with the name of a column', 'of no other kind');
RESET ROLE;
ALTER TABLE event DISABLE TRIGGER zz_keep_slices;
SELECT is(count(*)::int, 1, 'pegs_health says that rows can move') FROM pegs_health() WHERE item = 'slices of slices.event' AND NOT ok;
ALTER TABLE event ENABLE ALWAYS TRIGGER zz_keep_slices;
SELECT is_empty($$SELECT FROM pegs_health() WHERE item = 'slices of slices.event'$$, 'or not');
-- whatever a fit refuses, before it does
CREATE FUNCTION health(change text, of text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	said text;
BEGIN
	BEGIN
		EXECUTE change;
		SELECT h.state || '|' || h.remedy INTO said FROM pegs_health() AS h WHERE h.item = 'slices of ' || of AND NOT h.ok;
		RAISE EXCEPTION USING ERRCODE = 'TE001', MESSAGE = coalesce(said, 'nothing');
	EXCEPTION WHEN SQLSTATE 'TE001' THEN
		RETURN SQLERRM;
	END;
END
$$;
SELECT is(health(change, 'slices.event'), said, 'pegs_health: ' || change) FROM (VALUES
	('SELECT 1', 'nothing'),
	('ALTER TABLE event ENABLE TRIGGER zz_keep_slices', 'rows of slices.event could move from slice to slice: column "at" can be updated|CREATE OR REPLACE TRIGGER zz_keep_slices BEFORE UPDATE ON slices.event FOR EACH ROW EXECUTE FUNCTION public.pegs_keep_slices(''at''); ALTER TABLE slices.event ENABLE ALWAYS TRIGGER zz_keep_slices;'),
	('CREATE TRIGGER zzz BEFORE UPDATE ON event FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger()', 'rows of slices.event could move from slice to slice: column "at" can be updated|Give it a name that comes before in the alphabet: ALTER TRIGGER ... RENAME TO ...;'),
	('CREATE TABLE child () INHERITS (event)', 'rows of slices.child could move from slice to slice: column "at" can be updated|CREATE OR REPLACE TRIGGER zz_keep_slices BEFORE UPDATE ON slices.child FOR EACH ROW EXECUTE FUNCTION public.pegs_keep_slices(''at''); ALTER TABLE slices.child ENABLE ALWAYS TRIGGER zz_keep_slices;'),
	('ALTER TABLE event ALTER at TYPE timestamptz(0)', 'column "at" of slices.event is not the one that the slices were set for|Put it back; or set them anew, for another charge: SELECT pegs_unset_slices(''slices.event'');')) AS v (change, said);
SELECT is((SELECT count(*)::int FROM pg_locks WHERE pid = pg_backend_pid() AND relation = 'event'::regclass), 0, 'and keeps no lock');
SET ROLE sl_other;
SELECT is_empty($$SELECT FROM pegs_health() WHERE item LIKE 'slices of %'$$, 'it tells nobody of tables of others');
SET ROLE sl_curator;

---- what else is refused
SELECT is(said('ALTER TABLE event RENAME at TO old; ALTER TABLE event ADD at timestamptz; SELECT pegs_fit_slices(''m'', ''event'')'),
	'55000 column "at" of slices.event is not the one that the slices were set for', 'another column by its name');
SELECT is(said('ALTER TABLE event ALTER at TYPE timestamptz(0); SELECT pegs_fit_slices(''m'', ''event'')'),
	'55000 column "at" of slices.event is not the one that the slices were set for', 'another type');
SELECT is(said($$SELECT pegs_refit('m')$$), '42809 model "m" is of slices: each is fitted once', 'fitted anew');
SELECT is(said($$SELECT pegs_fit_slices('m2', 'event')$$), '42710 the slices of slices.event are those of model "m"', 'a second model');
SELECT is(said($$SELECT pegs_fit_slices('m', 'event', ARRAY['kind'])$$), '22023 model "m" has other columns', 'of other columns');
SELECT is(said($$SELECT pegs_fit_slices('m', 'event', ARRAY['n', 'kind'])$$), 'nothing was refused', 'the same ones');
SELECT is(said($$SELECT pegs_fit_slices('m', 'event', ARRAY['at'])$$), '22023 column "at" is that of the slices: a model of one does not have it', 'its own');
SELECT is(said($$SELECT pegs_utility_of('m')$$), '42809 "m" is of a slice: the rows of the whole table are not its original', 'compared with all rows');
SELECT is(said($$SELECT pegs_fit('whole', 'event', ARRAY['kind'], epsilon => 1); SELECT pegs_fit_slices('whole', 'event')$$), '42809 model "whole" is not of slices (charged)', 'a model of the whole');
SELECT is(said($$SELECT * FROM pegs_sample_slices('whole') AS t(kind text)$$), '42704 there is no model or release "whole", or it is not granted to you', 'which was rolled back');
CREATE VIEW seen AS SELECT at, kind, n FROM event;
SELECT is(said($$SELECT pegs_set_slices('seen', 'at', '1 hour', '2026-01-01', 1)$$), '42809 slices are of a table, and slices.seen is a view or a part of one', 'a view');
SELECT is(said($$SELECT pegs_fit_slices('m', 'seen')$$), '42704 slices.seen has no slices', 'likewise');
CREATE TABLE persons (person int NOT NULL, at date NOT NULL, kind text NOT NULL CHECK (kind IN ('a', 'b')), born date GENERATED ALWAYS AS (at) STORED);
CREATE TRIGGER keep BEFORE UPDATE ON persons FOR EACH ROW EXECUTE FUNCTION pegs_keep_slices('at');
ALTER TABLE persons ENABLE ALWAYS TRIGGER keep;
SELECT pegs_set_budget('persons', 10, 1e-6, 'sum'), pegs_set_unit('persons', 'person', 3);
SELECT is(said($$SELECT pegs_set_slices('persons', 'at', '1 day', '2026-01-01', 1)$$), '0A000 slices.persons has a privacy unit: a person may have rows in many slices', 'a privacy unit');
SELECT pegs_set_unit('persons', NULL);
SELECT is(said($$SELECT pegs_set_slices('persons', $$ || args || ')'), error, args) FROM (VALUES
	($$'born', '1 day', '2026-01-01', 1$$, '42809 slices cannot be of column "born": it is generated'),
	($$'kind', '1 day', '2026-01-01', 1$$, '42809 slices cannot be of column "kind": it is of type text'),
	($$'no', '1 day', '2026-01-01', 1$$, '42703 column "no" of slices.persons does not exist'),
	($$'at', '1 hour', '2026-01-01', 1$$, '22023 slices cannot be so wide: a column of type date has no hours'),
	($$'at', '1 month 1 day', '2026-01-01', 1$$, '22023 slices cannot be so wide: a width is whole months, whole days or a time, one of them, and above zero'),
	($$'at', '-1 day', '2026-01-01', 1$$, '22023 slices cannot be so wide: a width is whole months, whole days or a time, one of them, and above zero'),
	($$'at', '0', '2026-01-01', 1$$, '22023 slices cannot be so wide: a width is whole months, whole days or a time, one of them, and above zero'),
	($$'at', '10000 years', '2026-01-01', 1$$, '22023 slices cannot be so wide: a slice has at most a hundred years'),
	($$'at', '1 month', '2026-01-31', 1$$, '22023 slices of months cannot begin at day 31 of a month'),
	($$'at', '1 day', '2026-01-01 12:00', 1$$, '22023 slices of a column of type date begin at midnight'),
	($$'at', '1 day', 'infinity', 1$$, '22023 slices cannot begin there'),
	($$'at', '1 day', '1000-01-01', 1$$, '22023 slices cannot begin there'),
	($$'at', '1 day', '2026-01-01', 11$$, '53400 the privacy budget is exhausted'),
	($$'at', '1 day', '2026-01-01', 1, 1e-5$$, '53400 the privacy budget is exhausted'),
	($$'at', '1 day', '2026-01-01', 1, zone => 'Nowhere'$$, '22023 time zone "Nowhere" is not known here')) AS v(args, error);
SELECT is(spent, 0::numeric, 'nothing was charged') FROM pegs_budgets WHERE source = 'persons'::regclass;
SELECT lives_ok($$SELECT pegs_set_slices('persons', 'at', '1 day', '2026-01-01', 1)$$, 'set');
SELECT pegs_set_unit('persons', 'person', 3);
SELECT is(said($$SELECT pegs_fit_slices('p', 'persons')$$), '0A000 slices.persons has a privacy unit: a person may have rows in many slices', 'a unit that is declared later');
SELECT pegs_set_unit('persons', NULL);

---- an undeclared value costs no slice
CREATE TABLE loose (at timestamp, kind text NOT NULL);
CREATE TRIGGER keep BEFORE UPDATE ON loose FOR EACH ROW EXECUTE FUNCTION pegs_keep_slices('at');
ALTER TABLE loose ENABLE ALWAYS TRIGGER keep;
INSERT INTO loose SELECT timestamp '2026-01-01' + i * interval '1 hour', CASE i WHEN 400 THEN 'new' ELSE 'a' END FROM generate_series(0, 480) AS i;
INSERT INTO loose VALUES (NULL, 'a'), (NULL, 'a'), ('2025-12-31', 'a'), ('-infinity', 'a'), ('infinity', 'a');
SELECT pegs_set_levels('loose', 'kind', ARRAY['a', 'b']), pegs_set_budget('loose', 1000, 1e-6, 'sum');
SELECT pegs_set_slices('loose', 'at', '1 day', '2026-01-01', 500);
SELECT throws_ok($$SELECT pegs_fit_slices('l', 'loose', most => 20)$$, '23514', NULL, 'a value that is not declared');
UPDATE loose SET kind = 'b' WHERE kind = 'new';
SELECT is(pegs_fit_slices('l', 'loose', most => 20), 20::bigint, 'has used nothing up');
SELECT is(count(*)::int, 480, 'rows without a time, or before the origin, are in no slice') FROM pegs_sample_slices('l') AS t(kind text);
SELECT is(count(*)::int, 24, 'a day, of a timestamp') FROM pegs_sample_slices('l', '2026-01-05', '2026-01-06') AS t(at timestamp) WHERE at >= '2026-01-05' AND at < '2026-01-06';

---- dropped, set anew
SELECT pegs_release('kept', 'm', 20);
SELECT lives_ok($$SELECT pegs_drop('m')$$, 'dropped');
SELECT is(count(*)::int, 0, 'its slices are gone') FROM pegs_slices WHERE source = 'event'::regclass AND model IS NOT NULL;
SELECT is((SELECT count(*)::int FROM pegs_rows('kept') AS t(kind text)), 20, 'a release stays');
SELECT is(pegs_fit_slices('m', 'event', ARRAY['kind']), 0::bigint, 'what was fitted once is not fitted again, whatever the name');
SELECT lives_ok($$SELECT pegs_unset_slices('event')$$, 'given up');
SELECT is(said($$SELECT pegs_unset_slices('event')$$), '42704 slices.event has no slices', 'there are none');
SELECT is(said($$SELECT pegs_fit_slices('m', 'event')$$), '42704 slices.event has no slices', 'to be fitted');
SELECT is(spent(), 1801::numeric, 'nothing comes back');
SELECT lives_ok(day_by('1 month'), 'set anew');
SELECT is(spent(), 2701::numeric, 'for another charge');
SELECT is(pegs_fit_slices('m', 'event', ARRAY['kind']), 2::bigint, 'fitted again');

---- parts, and clocks
CREATE TABLE parted (at timestamptz NOT NULL, kind text NOT NULL CHECK (kind IN ('a', 'b'))) PARTITION BY RANGE (at);
CREATE TABLE parted_1 PARTITION OF parted FOR VALUES FROM ('2026-03-01 00:00+01') TO ('2026-04-01 00:00+02');
CREATE TABLE parted_2 PARTITION OF parted DEFAULT;
CREATE TRIGGER keep BEFORE UPDATE ON parted FOR EACH ROW EXECUTE FUNCTION pegs_keep_slices('at');
SELECT pegs_set_budget('parted', 10000);
SELECT matches(said($$SELECT pegs_set_slices('parted', 'at', '1 day', '2026-03-20', 900, zone => 'Europe/Berlin')$$), '^55000 rows of slices.parted', 'parts are asked, too');
ALTER TABLE parted ENABLE ALWAYS TRIGGER keep;
SELECT lives_ok($$SELECT pegs_set_slices('parted', 'at', '1 day', '2026-03-20', 900, zone => 'Europe/Berlin')$$, 'with a guard on all of them');
INSERT INTO parted SELECT timestamptz '2026-03-20 00:00+01' + i * interval '30 minutes', 'a' FROM generate_series(0, 1000) AS i;
SELECT is(said('ALTER TABLE parted_1 ENABLE TRIGGER keep; SELECT pegs_fit_slices(''parted'', ''parted'')'), '55000 rows of slices.parted_1 could move from slice to slice: column "at" can be updated', 'one part without');
SELECT is(said('CREATE TABLE child () INHERITS (event); SELECT pegs_fit_slices(''m'', ''event'')'), '55000 rows of slices.child could move from slice to slice: column "at" can be updated', 'nor a table that inherits');
SELECT throws_ok($$UPDATE parted SET at = at + interval '20 days'$$, '23514', NULL, 'from part to part');
CREATE TABLE parted_3 PARTITION OF parted FOR VALUES FROM ('2027-01-01') TO ('2027-02-01');
SELECT is(pegs_fit_slices('parted', 'parted', most => 14), 14::bigint, 'a part that comes later has it, too');
SELECT is(array_agg(n ORDER BY lower), '{48,48,48,48,48,48,48,48,48,46,48,48,48,48}', 'the day that has 23 hours')
	FROM (SELECT s.lower, count(*) AS n FROM pegs_slices AS s, LATERAL pegs_sample_slices('parted', s.lower, s.upper) AS t(kind text) WHERE s.model = 'parted' GROUP BY 1) AS days;

---- what comes behind the trigger: a row that is moved is inserted again; a child's generated column
CREATE FUNCTION stamp() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN NEW.at := now(); RETURN NEW; END';
SELECT lives_ok('CREATE TRIGGER aa BEFORE INSERT ON parted FOR EACH ROW EXECUTE FUNCTION stamp(); SELECT pegs_fit_slices(''parted'', ''parted'', most => 1); DROP TRIGGER aa ON parted',
	'parts by the column itself: no row is moved');
CREATE TABLE placed (at date NOT NULL, kind text NOT NULL CHECK (kind IN ('a', 'b'))) PARTITION BY LIST (kind);
CREATE TABLE placed_a PARTITION OF placed FOR VALUES IN ('a') PARTITION BY RANGE (at, (lower(kind)));
CREATE TABLE placed_a1 PARTITION OF placed_a DEFAULT;
CREATE TABLE placed_b PARTITION OF placed FOR VALUES IN ('b');
CREATE TRIGGER keep BEFORE UPDATE ON placed FOR EACH ROW EXECUTE FUNCTION pegs_keep_slices('at');
ALTER TABLE placed ENABLE ALWAYS TRIGGER keep;
SELECT pegs_set_budget('placed', 10000);
SELECT is(said(format('CREATE TRIGGER aa BEFORE INSERT ON %s FOR EACH ROW EXECUTE FUNCTION stamp(); SELECT pegs_set_slices(''placed'', ''at'', ''1 day'', ''2026-01-01'', 900)', part)),
	format('55000 rows of slices.%s could move from slice to slice: trigger "aa" could change column "at"', part), 'a trigger of an insert, on ' || part) FROM unnest(ARRAY['placed', 'placed_b', 'placed_a1']) AS part;
SELECT lives_ok($$SELECT pegs_set_slices('placed', 'at', '1 day', '2026-01-01', 900)$$, 'without it');
RESET ROLE;
SELECT is(health(format('CREATE TRIGGER aa BEFORE INSERT ON %s FOR EACH ROW EXECUTE FUNCTION stamp()', part), 'slices.placed'),
	format('rows of slices.%s could move from slice to slice: trigger "aa" could change column "at"|DROP TRIGGER aa ON slices.%s; a DEFAULT of the column is not computed again.', part, part),
	'pegs_health: a trigger of an insert, on ' || part) FROM unnest(ARRAY['placed', 'placed_b', 'placed_a1']) AS part;
SET ROLE sl_curator;
INSERT INTO placed SELECT '2026-01-01', 'a' FROM generate_series(1, 50);
SELECT is(pegs_fit_slices('placed', 'placed', most => 1), 1::bigint, 'fitted');
SELECT is(said('CREATE TRIGGER aa BEFORE INSERT ON placed FOR EACH ROW EXECUTE FUNCTION stamp(); SELECT pegs_fit_slices(''placed'', ''placed'')'),
	'55000 rows of slices.placed could move from slice to slice: trigger "aa" could change column "at"', 'asked at each fit');
SELECT is(said('CREATE TRIGGER aa BEFORE INSERT ON placed FOR EACH ROW EXECUTE FUNCTION stamp(); ALTER TABLE placed DISABLE TRIGGER aa; SELECT pegs_fit_slices(''placed'', ''placed'', most => 1)'), 'nothing was refused', 'one that is disabled');
SELECT lives_ok($$UPDATE placed SET kind = 'b'$$, 'a row may change its part');
SELECT is(array_agg(DISTINCT at)::text, '{2026-01-01}', 'and stays in its slice') FROM placed;
-- from 16 on PostgreSQL refuses such a child itself
SELECT current_setting('server_version_num')::int < 160000 AS child_may_be_generated \gset
\if :child_may_be_generated
CREATE TABLE plainly (at date, born date, kind text NOT NULL CHECK (kind IN ('a', 'b')));
CREATE TABLE computed (at date GENERATED ALWAYS AS (born + 1) STORED) INHERITS (plainly);
CREATE TRIGGER keep BEFORE UPDATE ON plainly FOR EACH ROW EXECUTE FUNCTION pegs_keep_slices('at');
CREATE TRIGGER keep BEFORE UPDATE ON computed FOR EACH ROW EXECUTE FUNCTION pegs_keep_slices('at');
ALTER TABLE plainly ENABLE ALWAYS TRIGGER keep;
ALTER TABLE computed ENABLE ALWAYS TRIGGER keep;
SELECT pegs_set_budget('plainly', 10000);
SELECT is(said($$SELECT pegs_set_slices('plainly', 'at', '1 day', '2026-01-01', 900)$$), '42809 slices cannot be of column "at": it is generated in slices.computed', 'generated in a child');
SELECT lives_ok('ALTER TABLE computed NO INHERIT plainly; ALTER TABLE slices.computed ALTER COLUMN at DROP EXPRESSION; ALTER TABLE computed INHERIT plainly', 'the HINT');
SELECT lives_ok($$SELECT pegs_set_slices('plainly', 'at', '1 day', '2026-01-01', 900)$$, 'makes it a column like others');
SELECT is(said('CREATE TABLE later (at date GENERATED ALWAYS AS (born) STORED) INHERITS (plainly); CREATE TRIGGER keep BEFORE UPDATE ON later FOR EACH ROW EXECUTE FUNCTION pegs_keep_slices(''at'');
	ALTER TABLE later ENABLE ALWAYS TRIGGER keep; SELECT pegs_fit_slices(''plainly'', ''plainly'', ARRAY[''kind''])'), '42809 slices cannot be of column "at": it is generated in slices.later', 'in one that comes later');
RESET ROLE;
SELECT matches(health('CREATE TABLE later (at date GENERATED ALWAYS AS (born) STORED) INHERITS (plainly); CREATE TRIGGER keep BEFORE UPDATE ON later FOR EACH ROW EXECUTE FUNCTION pegs_keep_slices(''at'');
	ALTER TABLE later ENABLE ALWAYS TRIGGER keep', 'slices.plainly'), '^slices cannot be of column "at": it is generated in slices.later[|]', 'pegs_health says so');
SET ROLE sl_curator;
\else
SELECT skip('PostgreSQL refuses it', 5);
\endif

---- what time it is where the rows are
CREATE TABLE local (at timestamp NOT NULL, kind text NOT NULL CHECK (kind IN ('a', 'b')));
CREATE TRIGGER keep BEFORE UPDATE ON local FOR EACH ROW EXECUTE FUNCTION pegs_keep_slices('at');
ALTER TABLE local ENABLE ALWAYS TRIGGER keep;
SELECT pegs_set_budget('local', 10000);
SELECT pegs_set_slices('local', 'at', '1 hour', date_trunc('hour', now() AT TIME ZONE 'Etc/GMT+12') - interval '3 hours', 900, zone => 'Etc/GMT+12');
SELECT ok(pegs_fit_slices('local', 'local') >= 3, 'slices are complete by the clock of their zone');
SELECT ok(max(upper)::timestamp <= now() AT TIME ZONE 'Etc/GMT+12', 'and by no other') FROM pegs_slices WHERE model = 'local';
SELECT * FROM finish();
