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
SELECT is(said($$SELECT pegs_fit_slices('m', 'event', method => 'table')$$), '22023 model "m" is of method "graph"', 'by another method: a slice is fitted once');
SELECT is(said($$SELECT pegs_fit_slices('m', 'event', method => 'graph')$$), 'nothing was refused', 'by the same');
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
	($$'at', '1 day', '2026-01-01', 11$$, '53400 this costs more than is left of the privacy budget'),
	($$'at', '1 day', '2026-01-01', 1, 1e-5$$, '53400 this costs more than is left of the privacy budget'),
	($$'at', '1 day', '2026-01-01', 1, zone => 'Nowhere'$$, '22023 time zone "Nowhere" is not known here')) AS v(args, error);
SELECT is(spent, 0::numeric, 'nothing was charged') FROM pegs_budgets WHERE source = 'persons'::regclass;
SELECT lives_ok($$SELECT pegs_set_slices('persons', 'at', '1 day', '2026-01-01', 1, zone => 'Pacific/Honolulu')$$, 'set');
RESET ROLE;
-- a moment of which not every clock can say what time it was
SELECT is(said(format('SELECT pegs_adopt_slices(''persons'', %L, ''all is here'')', moment)), 'nothing was refused', 'adopted, until ' || moment)
	FROM unnest(ARRAY['4714-11-24 00:00 BC', '4713-01-01 00:00 BC', '1899-12-31 00:00', '-infinity']) AS moment;
SET ROLE sl_curator;
SELECT is(pegs_fit_slices('p', 'persons', ARRAY['kind'], most => 3), 3::bigint, 'none was used up by that');
SELECT is(min(lower)::date, '2026-01-01', 'from the first one on') FROM pegs_slices WHERE model = 'p';
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

---- by a list of values
CREATE TABLE visit (region text, at date, kind text NOT NULL CHECK (kind IN ('a', 'b'))) PARTITION BY LIST (region);
CREATE TABLE visit_north PARTITION OF visit FOR VALUES IN ('north');
CREATE TABLE visit_south PARTITION OF visit FOR VALUES IN ('south', 'it''s \ west');
CREATE TABLE visit_rest PARTITION OF visit DEFAULT;
SELECT pegs_set_budget('visit', 10000);
CREATE FUNCTION list_of(list text) RETURNS text LANGUAGE sql AS $$SELECT format('SELECT pegs_set_slices(''visit'', ''region'', slices => %s, epsilon => 900, delta => 0)', list)$$;
SELECT is(said(list_of($$ARRAY['north']$$)), '55000 rows of slices.visit could move from slice to slice: column "region" can be updated', 'a list: without a guard');
SELECT hint_of(list_of($$ARRAY['north']$$)) AS guard \gset
SELECT lives_ok(:'guard', 'the HINT, pasted');
SELECT is(said(list_of(list)), error, list) FROM (VALUES
	($$ARRAY['north', 'south', 'north']$$, '22023 slice "north" of column "region" is declared twice'),
	($$ARRAY[]::text[]$$, '22023 slices must hold between 1 and 65534 values, not 0'),
	($$ARRAY['north', NULL]$$, '22004 slices must not hold a null'),
	($$NULL::text[]$$, '22004 slices must not be null')) AS v(list, error);
SELECT is(spent, 0::numeric, 'nothing was charged') FROM pegs_budgets WHERE source = 'visit'::regclass;
SELECT lives_ok(list_of($$ARRAY['south', 'it''s \ west', 'north']$$), 'set');
SELECT is(spent, 900::numeric, 'one charge for all of them') FROM pegs_budgets WHERE source = 'visit'::regclass;
SELECT is(object, 'region by 3 values', 'of which the ledger has a line') FROM pegs_ledger WHERE source = 'visit'::regclass AND action = 'slices';
SELECT is(said(list_of($$ARRAY['east']$$)), '42710 slices.visit has slices already', 'a second list');
SELECT is(said($$SELECT pegs_set_slices('visit', 'at', '1 day', '2026-01-01', 1)$$), '42710 slices.visit has slices already', 'a clock beside a list: said before a trigger is asked for, whose hint would take the guard of the list');
SELECT is(said($$CREATE TRIGGER zzz BEFORE UPDATE ON visit FOR EACH ROW EXECUTE FUNCTION pegs_keep_slices('at'); ALTER TABLE visit ENABLE ALWAYS TRIGGER zzz;
	SELECT pegs_set_slices('visit', 'at', '1 day', '2026-01-01', 1)$$), '42710 slices.visit has slices already', 'and is not beside a list');
INSERT INTO visit SELECT r, '2026-01-01', k FROM (VALUES ('north', 'a', 40), ('north', 'b', 10), ('south', 'a', 30), ('it''s \ west', 'b', 20), ('it''s', 'a', 500), (NULL, 'a', 300)) AS v(r, k, n), generate_series(1, n);
SELECT throws_ok($$UPDATE visit SET region = 'south' WHERE region = 'north'$$, '23514', NULL, 'a row keeps its value');
SELECT is(said($$SELECT pegs_fit_slices('v', 'visit', ARRAY['region', 'kind'])$$), '22023 column "region" is that of the slices: a model of one does not have it', 'the column is none of the model');
SELECT is(pegs_fit_slices('v', 'visit', ARRAY['kind'], most => 1), 1::bigint, 'one of them');
SELECT results_eq($$SELECT value, lower, upper, width FROM pegs_slices WHERE model = 'v'$$, $$VALUES ('south', NULL::text, NULL::text, NULL::text)$$, 'the first of the list');
INSERT INTO visit SELECT 'south', NULL, 'b' FROM generate_series(1, 50);
SELECT is(pegs_fit_slices('v', 'visit'), 2::bigint, 'and the others');
SELECT is(pegs_fit_slices('v', 'visit'), 0::bigint, 'each once');
SELECT results_eq($$SELECT value FROM pegs_slices WHERE model = 'v' ORDER BY fit$$, $$VALUES ('south'), ('it''s \ west'), ('north')$$, 'in the order of the list');
CREATE FUNCTION counts(slices text[]) RETURNS TABLE (region text, kind text, n bigint) LANGUAGE sql AS
$$SELECT t.region, t.kind, count(*) FROM pegs_sample_slices('v', slices => $1) AS t(region text, kind text) GROUP BY 1, 2$$;
SELECT bag_eq('SELECT * FROM counts(NULL)', $$VALUES ('north', 'a', 40::bigint), ('north', 'b', 10), ('south', 'a', 30), ('it''s \ west', 'b', 20)$$,
	'of the rows that there were: no late one, no NULL, none that is in no slice');
SELECT bag_eq($$SELECT * FROM counts(ARRAY['south', 'north'])$$, $$VALUES ('north', 'a', 40::bigint), ('north', 'b', 10), ('south', 'a', 30)$$, 'those that are named');
SELECT is(said($$SELECT * FROM pegs_sample_slices('v', slices => $$ || list || ') AS t(kind text)'), error, list) FROM (VALUES
	($$ARRAY['south', 'east']$$, '22023 model "v" has not all of these slices'),
	($$ARRAY['south', 'south']$$, '22023 slice "south" of column "region" is declared twice')) AS v(list, error);
SELECT is(said($$SELECT * FROM pegs_sample_slices('v', '2026-01-01') AS t(kind text)$$), '22023 model "v" has slices by values, not by times', 'no times of a list');
SELECT is(said($$SELECT * FROM pegs_sample_slices('m', slices => ARRAY['a']) AS t(kind text)$$), '22023 model "m" has slices by times, not by values', 'no values of a clock');
SELECT is(pegs_row_type('v'), 'kind text, region text', 'the columns of a row');
SELECT is(count(*), 100::bigint, 'by a row type') FROM pegs_sample_slices_as(NULL::visit, 'v') AS t WHERE t.region IS NOT NULL;
SELECT is(pegs_certificate('v') -> 'slice', jsonb '{"column": "region", "type": "text", "value": "north"}', 'which slice the name is of');
SELECT matches(pegs_certificate_text('v'), E'\nslice:       region is ''north''\n', 'as text');
SELECT is(c ->> 'slices_epsilon', '900', 'what all slices tell') FROM pegs_certificate('v') AS c;
SELECT pegs_view_sql('v', 'shown_v', 'sl_analyst', 'view') \gexec
SELECT is(count(*), 100::bigint, 'a view') FROM shown_v;
SELECT lives_ok($$SELECT pegs_unset_slices('visit')$$, 'given up');
SELECT lives_ok(list_of($$ARRAY['south', 'it''s']$$), 'another list, for another charge');
SELECT is(pegs_fit_slices('v', 'visit'), 2::bigint, 'goes on in the same model');
SELECT bag_eq('SELECT * FROM counts(NULL)', $$VALUES ('north', 'a', 40::bigint), ('north', 'b', 10), ('south', 'a', 30), ('south', 'b', 50), ('it''s \ west', 'b', 20), ('it''s', 'a', 500)$$,
	'of each value the slice that was fitted last');
SELECT is(c ->> 'slices_epsilon', '1800', 'both are said') FROM pegs_certificate('v') AS c;
DROP TRIGGER zz_keep_slices ON visit;
CREATE TRIGGER zz_keep_slices BEFORE UPDATE ON visit FOR EACH ROW EXECUTE FUNCTION pegs_keep_slices('at');
ALTER TABLE visit ENABLE ALWAYS TRIGGER zz_keep_slices;
SELECT pegs_unset_slices('visit');
SELECT pegs_set_slices('visit', 'at', '1 day', '2026-01-01', 900);
SELECT is(said($$SELECT pegs_fit_slices('v', 'visit')$$), '55000 model "v" is of other slices', 'but not by a clock');

---- which values are one
CREATE TYPE mood AS ENUM ('x', 'y', 'other');
CREATE TABLE typed (i int, f float8, n numeric, c char(4), d date, z timestamptz, b boolean, m mood, u uuid, kind text NOT NULL CHECK (kind IN ('a', 'b')));
SELECT pegs_set_budget('typed', 100000);
SELECT is(said(format('SELECT pegs_set_slices(''typed'', %L, 900, 0, %s)', c, list)), error, list) FROM (VALUES
	('i', $$ARRAY['1', ' 01']$$, '22023 slice "1" of column "i" is declared twice'),
	('f', $$ARRAY[0::float8, '-0']$$, '22023 slice "0" of column "f" is declared twice'),
	('n', $$ARRAY[1.0, 1.00]$$, '22023 slice "1" of column "n" is declared twice'),
	('c', $$ARRAY['a', 'a  ']$$, '22023 slice "a" of column "c" is declared twice'),
	('z', $$ARRAY['2026-01-01 00:00Z', '2026-01-01 01:00+01']$$, '22023 slice "2026-01-01 00:00:00+00" of column "z" is declared twice'),
	('b', $$ARRAY['yes', 't']$$, '22023 slice "t" of column "b" is declared twice'),
	('i', $$ARRAY['one']$$, '22P02 invalid input syntax for type integer: "one"'),
	('m', $$ARRAY['z']$$, '22P02 invalid input value for enum mood: "z"'),
	('u', $$ARRAY[gen_random_uuid()]$$, '42809 slices cannot be of column "u": it is of type uuid')) AS v(c, list, error);
-- of each type its own rows; the model goes on with no other column, so each has its own
CREATE FUNCTION fitted(name, list text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	said text;
BEGIN
	EXECUTE format('CREATE OR REPLACE TRIGGER keep BEFORE UPDATE ON slices.typed FOR EACH ROW EXECUTE FUNCTION public.pegs_keep_slices(%L); ALTER TABLE slices.typed ENABLE ALWAYS TRIGGER keep', $1);
	EXECUTE format('SELECT pegs_set_slices(''slices.typed'', %L, 900, 0, %s)', $1, list);
	RETURN NULL;
END
$$;
INSERT INTO typed SELECT 7, 0.1, 2.50, 'ab', '2026-02-03', '2026-02-03 04:05:06.7Z', true, 'x', NULL, 'a' FROM generate_series(1, 30);
INSERT INTO typed SELECT 8, 'NaN', 3, 'cd', '2026-02-04', '2026-02-04', false, 'y', NULL, 'a' FROM generate_series(1, 70);
SELECT format('SELECT fitted(%L, %L)', c, list), format('SELECT is(pegs_fit_slices(''of %1$s'', ''typed'', ARRAY[''kind'']), 2::bigint, ''of %1$s'')', c),
	format('SELECT is(array_agg(n ORDER BY n), ''{900,4900}'', ''each its own rows'') FROM (SELECT count(*) AS n FROM pegs_sample_slices(''of %1$s'') AS t(%1$s %2$s) JOIN typed USING (%1$s) GROUP BY %1$s) AS pairs', c, type),
	'SELECT pegs_unset_slices(''typed'')' FROM (VALUES
	('i', 'int', 'ARRAY[7, 8]'), ('f', 'float8', $$ARRAY[0.1, 'NaN']$$), ('n', 'numeric', 'ARRAY[2.5, 3.0]'), ('c', 'char(4)', $$ARRAY['ab', 'cd']$$), ('d', 'date', $$ARRAY[date '2026-02-03', '2026-02-04']$$),
	('z', 'timestamptz', $$ARRAY['2026-02-03 05:05:06.7+01', '2026-02-04']$$), ('b', 'boolean', 'ARRAY[true, false]')) AS v(c, type, list) \gexec
-- a label becomes another value's: nothing is fitted until each has its name again
SELECT fitted('m', $$ARRAY['x', 'y', 'other']$$);
SELECT is(pegs_fit_slices('of m', 'typed', ARRAY['kind'], most => 1), 1::bigint, 'an enum');
ALTER TYPE mood ADD VALUE 'new' BEFORE 'x';
CREATE FUNCTION renamed(VARIADIC names text[]) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	said text;
BEGIN
	FOR i IN 1 .. array_length(names, 1) BY 2 LOOP
		EXECUTE format('ALTER TYPE slices.mood RENAME VALUE %L TO %L', names[i], names[i + 1]);
	END LOOP;
	said := slices.said('SELECT pegs_fit_slices(''of m'', ''slices.typed'')');
	-- each HINT, pasted, until the labels are not what is refused
	FOR i IN 1 .. 9 LOOP
		EXIT WHEN slices.hint_of('SELECT pegs_fit_slices(''of m'', ''slices.typed'', ARRAY[''m''])') NOT LIKE '%ALTER TYPE%';
		EXECUTE slices.hint_of('SELECT pegs_fit_slices(''of m'', ''slices.typed'', ARRAY[''m''])');
	END LOOP;
	RETURN said;
END
$$;
SELECT is(renamed('y', 'was y', 'x', 'y'), '55000 value "x" of type mood is called "y" now', 'a value has the name of another one');
SELECT is(renamed('x', 'z', 'y', 'x', 'z', 'y'), '55000 value "x" of type mood is called "y" now', 'two have each the other''s name');
SELECT is(renamed('x', '1', 'y', '2', 'other', 'x', '1', 'y', '2', 'other'), '55000 value "x" of type mood is called "y" now', 'three in a circle');
SELECT is(renamed('y', 'it''s "y"'), '55000 value "y" of type mood is called "it''s "y"" now', 'a new name');
SELECT is(array_agg(e ORDER BY e), '{new,x,y,other}', 'the HINTs, pasted, give each its own again') FROM unnest(enum_range(NULL::mood)) AS e;
SELECT is(pegs_fit_slices('of m', 'typed', most => 1), 1::bigint, 'and the next one is fitted');
SELECT bag_eq($$SELECT m, count(*) FROM pegs_sample_slices('of m') AS t(m mood) GROUP BY 1$$, $$VALUES ('x'::mood, 30::bigint), ('y', 70)$$, 'of its own rows');
SELECT is(said($$ALTER TYPE mood RENAME VALUE 'x' TO 'p'; SELECT count(*) FROM pegs_sample_slices('of m') AS t(m mood)$$), '22P02 invalid input value for enum mood: "x"', 'a name that nothing has is not read');
SELECT matches(hint_of($$ALTER TYPE mood RENAME VALUE 'x' TO 'p'; SELECT count(*) FROM pegs_sample_slices('of m') AS t(m mood)$$), E'If one was renamed: ALTER TYPE slices\\.mood RENAME VALUE ''\\.\\.\\.'' TO ''x'';$', 'and the HINT says how it is');
ALTER TABLE typed DROP COLUMN m;
SELECT is(said($$SELECT pegs_fit_slices('of m', 'typed')$$), '55000 column "m" of slices.typed is not the one that the slices were set for', 'its column is gone');
DROP TYPE mood;
SELECT is(count(*), 100::bigint, 'the other columns can be read when the type is gone') FROM pegs_sample_slices('of m') AS t(kind text);
SELECT is(said(statement || ' FROM pegs_sample_slices(''of m''' || rest), '42704 the type of column "m" is not there any more', statement || rest) FROM (VALUES
	('SELECT m', ') AS t(m text)'), ('SELECT count(*)', ', slices => ARRAY[''x'']) AS t(kind text)')) AS v(statement, rest);
SELECT matches(pegs_certificate_text('of m'), E'\nslice:       m is ''y''\n', 'what is said of it stays');
SELECT pegs_unset_slices('typed');
-- domains over all of these, and values at the edge of their types
CREATE TYPE size AS ENUM ('s', 'm');
CREATE DOMAIN d_text AS text CHECK (VALUE <> '');
CREATE DOMAIN d_char AS char(4);
CREATE DOMAIN d_d_char AS d_char;
CREATE DOMAIN d_enum AS size;
CREATE DOMAIN d_numeric AS numeric(6, 2);
CREATE TABLE domains (t d_text, v varchar(5), c d_d_char, e size, n d_numeric, f4 float4, f float8, u numeric, d date, s timestamp(0), kind text NOT NULL CHECK (kind IN ('a', 'b')));
SELECT pegs_set_budget('domains', 100000);
INSERT INTO domains SELECT 'a,"\ b', 'a ', 'ab', 's', 1, 0.1, '-0', 'NaN', '-infinity', '2026-02-03 04:05:06.7', 'a' FROM generate_series(1, 30);
INSERT INTO domains SELECT 'NULL', 'a', '{}', 'm', 1.5, 'Infinity', 'NaN', 1.50, '0044-03-15 BC', 'infinity', 'a' FROM generate_series(1, 70);
INSERT INTO domains (t, kind) VALUES ('a', 'b');
SELECT format($$CREATE OR REPLACE TRIGGER keep BEFORE UPDATE ON domains FOR EACH ROW EXECUTE FUNCTION pegs_keep_slices(%L)$$, c), 'ALTER TABLE domains ENABLE ALWAYS TRIGGER keep',
	format('SELECT pegs_set_slices(''domains'', %L, 900, 0, %s)', c, list), format('SELECT is(pegs_fit_slices(''domain %1$s'', ''domains'', ARRAY[''kind'']), 2::bigint, ''%1$s'')', c),
	format('SELECT bag_eq($$SELECT %1$s, count(*) FROM pegs_sample_slices(''domain %1$s'') AS t(%1$s %2$s) GROUP BY 1$$, $$SELECT %1$s, count(*) FROM domains WHERE kind = ''a'' GROUP BY 1$$, ''each its own rows'')', c, type),
	format('SELECT is(count(*), 30::bigint, ''one of them'') FROM pegs_sample_slices(''domain %s'', slices => (%s)[:1]::text[]) AS t(kind text)', c, list),
	'SELECT pegs_unset_slices(''domains'')' FROM (VALUES
	('t', 'd_text', $$ARRAY['a,"\ b', 'NULL']$$), ('v', 'varchar(5)', $$ARRAY['a ', 'a']$$), ('c', 'd_d_char', $$ARRAY['ab ', '{}']$$), ('e', 'size', $$ARRAY['s', 'm']::d_enum[]$$), ('n', 'd_numeric', $$ARRAY['1.0', '1.5']$$),
	('f4', 'float4', $$ARRAY[0.1, 'Infinity']::float4[]$$), ('f', 'float8', $$ARRAY['0', 'NaN']::float8[]$$), ('u', 'numeric', $$ARRAY['NaN', 1.5]::numeric[]$$), ('d', 'date', $$ARRAY['-infinity', '0044-03-15 BC']::date[]$$),
	('s', 'timestamp(0)', $$ARRAY['2026-02-03 04:05:06.9', 'infinity']$$)) AS v(c, type, list) \gexec
SELECT is(said(format('SELECT pegs_set_slices(''domains'', %L, 900, 0, %s)', c, list)), error, list) FROM (VALUES
	('c', $$ARRAY['a', 'a  ']$$, '22023 slice "a" of column "c" is declared twice'),
	('e', $$ARRAY['s', 's']::d_enum[]$$, '22023 slice "s" of column "e" is declared twice'),
	('n', $$ARRAY['1.001', '1']$$, '22023 slice "1.00" of column "n" is declared twice'),
	('f4', $$ARRAY['0.1', '0.10000000001']$$, '22023 slice "0.1" of column "f4" is declared twice'),
	('f4', $$ARRAY['-NaN', 'nan']::float4[]$$, '22023 slice "NaN" of column "f4" is declared twice'),
	('v', $$ARRAY['longer than five']$$, '22001 value too long for type character varying(5)'),
	('s', $$ARRAY['2026-02-03 04:05:06.6', '2026-02-03 04:05:07.4']$$, '22023 slice "2026-02-03 04:05:07" of column "s" is declared twice')) AS v(c, list, error);
SELECT is(said($$ALTER TABLE domains ALTER COLUMN e TYPE d_enum; SELECT pegs_set_slices('domains', 'e', 900, 0, ARRAY['s'])$$), '42809 slices cannot be of column "e": it is of type d_enum, a domain over an enum', 'a domain over an enum');
-- a long list: the rows of all that are to be fitted are tried, in pieces
CREATE TABLE long (r text, kind text NOT NULL CHECK (kind IN ('a', 'b')));
CREATE TRIGGER keep BEFORE UPDATE ON long FOR EACH ROW EXECUTE FUNCTION pegs_keep_slices('r');
ALTER TABLE long ENABLE ALWAYS TRIGGER keep;
SELECT pegs_set_budget('long', 10000);
SELECT is(said($$SELECT pegs_set_slices('long', 'r', epsilon => 900)$$), '22004 slices must not be null', 'without a list');
SELECT is(said($$DO 'BEGIN PERFORM pegs_set_slices(''long'', ''r'', epsilon => 1, slices => ARRAY[''a'']); RAISE division_by_zero; END'$$), '22012 division_by_zero (no hint)', 'delta has its default in both forms');
SELECT is(said($$SELECT pegs_set_slices('long', 'r', 900, 0, (SELECT array_agg(i) FROM generate_series(1, 65535) AS i))$$), '22023 slices must hold between 1 and 65534 values, not 65535', 'too long a list');
SELECT lives_ok($$SELECT pegs_set_slices('long', 'r', 900, 0, (SELECT array_agg('region ' || i) FROM generate_series(1, 10000) AS i))$$, 'ten thousand values');
INSERT INTO long SELECT 'region ' || i, 'a' FROM generate_series(1, 3) AS i;
RESET ROLE;
ALTER TABLE long DROP CONSTRAINT long_kind_check;
SET ROLE sl_curator;
SELECT pegs_set_levels('long', 'kind', ARRAY['a', 'b']);
INSERT INTO long VALUES ('region 1001', 'c');
SELECT matches(said($$SELECT pegs_fit_slices('long', 'long', most => 1001)$$), 'c', 'a value that is not declared, in the last of them');
SELECT is(pegs_fit_slices('long', 'long', most => 3), 3::bigint, 'costs none');
SELECT results_eq($$SELECT r, count(*)::int FROM pegs_sample_slices('long') AS t(r text) GROUP BY r ORDER BY r$$, $$VALUES ('region 1', 1), ('region 2', 1), ('region 3', 1)$$, 'the first ones');
SELECT is(said($$SELECT * FROM pegs_sample_slices('long', slices => (SELECT array_agg(i::text) FROM generate_series(1, 65535) AS i)) AS t(r text)$$), '22023 slices must name at most 65534 values, not 65535', 'nobody asks for so many');
-- a model does not go on when the column is of another type: nobody could read it any more
CREATE TABLE turned (r text NOT NULL, kind text NOT NULL CHECK (kind IN ('a', 'b')));
CREATE TRIGGER keep BEFORE UPDATE ON turned FOR EACH ROW EXECUTE FUNCTION pegs_keep_slices('r');
ALTER TABLE turned ENABLE ALWAYS TRIGGER keep;
SELECT pegs_set_budget('turned', 10000);
SELECT pegs_set_slices('turned', 'r', 900, 0, ARRAY['1', '2']);
INSERT INTO turned SELECT 1 + i % 3, 'a' FROM generate_series(1, 30) AS i;
SELECT is(pegs_fit_slices('turned', 'turned', ARRAY['kind']), 2::bigint, 'by text');
ALTER TABLE turned DISABLE TRIGGER keep;
ALTER TABLE turned ALTER COLUMN r TYPE int USING r::int;
ALTER TABLE turned ENABLE ALWAYS TRIGGER keep;
SELECT pegs_unset_slices('turned');
SELECT pegs_set_slices('turned', 'r', 900, 0, ARRAY[1, 3]);
SELECT is(said($$SELECT pegs_fit_slices('turned', 'turned', ARRAY['kind'])$$), '55000 model "turned" is of other slices', 'not by integers');
SELECT matches(hint_of($$SELECT pegs_fit_slices('turned', 'turned', ARRAY['kind'])$$), 'turned of other slices', 'another name');
SELECT is(pegs_fit_slices('turned now', 'turned', ARRAY['kind']), 2::bigint, 'which fits');
-- a column that was added with a default is stored otherwise, and stays the same
CREATE TABLE added (id int, kind text NOT NULL CHECK (kind IN ('a', 'b')));
INSERT INTO added SELECT i, 'a' FROM generate_series(1, 30) AS i;
ALTER TABLE added ADD COLUMN study text NOT NULL DEFAULT 'the first one';
CREATE TRIGGER keep BEFORE UPDATE ON added FOR EACH ROW EXECUTE FUNCTION pegs_keep_slices('study');
ALTER TABLE added ENABLE ALWAYS TRIGGER keep;
SELECT is(said($$UPDATE added SET kind = 'b' WHERE id = 2$$), 'nothing was refused', 'rows of before are updated');
SELECT is(said($$UPDATE added SET study = study || '' WHERE id = 3$$), 'nothing was refused', 'to what they are');
SELECT is(said($$UPDATE added SET study = 'The first one' WHERE id = 4$$), '23514 column "study" of table "added" cannot be updated', 'not to anything else');
-- a value makes no line of its own in what is published, nor does a name
CREATE TABLE lines (r text NOT NULL, "kind
rho:         0" text NOT NULL CHECK ("kind
rho:         0" IN ('a', 'b')));
CREATE TRIGGER keep BEFORE UPDATE ON lines FOR EACH ROW EXECUTE FUNCTION pegs_keep_slices('r');
ALTER TABLE lines ENABLE ALWAYS TRIGGER keep;
SELECT pegs_set_budget('lines', 10000);
SELECT pegs_set_slices('lines', 'r', 900, 0, ARRAY[E'1\nepsilon:     0.001']);
SELECT is(pegs_fit_slices('lines', 'lines'), 1::bigint, 'a value of two lines');
SELECT bag_eq($$SELECT count(*)::int, line[1] FROM regexp_matches(pegs_certificate_text('lines'), '^(epsilon|delta|rho|slice):', 'gn') AS line GROUP BY 2$$,
	$$VALUES (1, 'epsilon'), (1, 'delta'), (1, 'slice')$$, 'each is said once');
SELECT matches(pegs_certificate_text('lines'), E'\nslice:       r is ''1\\?epsilon:     0.001''\n', 'as a literal of one line');
-- whoever makes triggers moves rows
SELECT pegs_set_budget('added', 10000);
GRANT TRIGGER ON added TO sl_other WITH GRANT OPTION;
SET ROLE sl_other;
GRANT TRIGGER ON slices.added TO PUBLIC;
SET ROLE sl_curator;
SELECT is(said($$SELECT pegs_set_slices('added', 'study', 900, 0, ARRAY['the first one'])$$), '55000 rows of slices.added could move from slice to slice: others than its owner may make triggers on it', 'a right to make triggers');
SELECT hint_of($$SELECT pegs_set_slices('added', 'study', 900, 0, ARRAY['the first one'])$$) AS revoke \gset
SELECT lives_ok(:'revoke', 'the HINT, pasted');
SELECT lives_ok($$SELECT pegs_set_slices('added', 'study', 900, 0, ARRAY['the first one'])$$, 'taken away');
GRANT TRIGGER ON added TO PUBLIC;
SELECT is(hint_of($$SELECT pegs_fit_slices('added', 'added', ARRAY['kind'])$$), 'REVOKE TRIGGER ON slices.added FROM PUBLIC CASCADE;', 'asked at each fit');
REVOKE TRIGGER ON added FROM PUBLIC;
-- of a part, too; and its owner is one of them
CREATE TABLE added_part () INHERITS (added);
CREATE TRIGGER keep BEFORE UPDATE ON added_part FOR EACH ROW EXECUTE FUNCTION pegs_keep_slices('study');
ALTER TABLE added_part ENABLE ALWAYS TRIGGER keep;
GRANT TRIGGER ON added_part TO sl_other;
SELECT is(hint_of($$SELECT pegs_fit_slices('added', 'added', ARRAY['kind'])$$), 'REVOKE TRIGGER ON slices.added_part FROM sl_other CASCADE;', 'on each part');
REVOKE TRIGGER ON added_part FROM sl_other;
RESET ROLE;
ALTER TABLE added_part OWNER TO sl_other;
SET ROLE sl_curator;
SELECT is(said($$SELECT pegs_fit_slices('added', 'added', ARRAY['kind'])$$), '55000 rows of slices.added_part could move from slice to slice: it has another owner', 'a part of somebody else');
SELECT hint_of($$SELECT pegs_fit_slices('added', 'added', ARRAY['kind'])$$) AS give \gset
RESET ROLE;
SELECT lives_ok(:'give', 'the HINT, pasted by a superuser');
SET ROLE sl_curator;
SELECT is(pegs_fit_slices('added', 'added', ARRAY['kind']), 1::bigint, 'then it is fitted');
-- a collation that takes different texts for the same
RESET ROLE;
SELECT CASE WHEN EXISTS (SELECT FROM pg_collation WHERE collprovider = 'i') THEN $$CREATE COLLATION slices.loosely (provider = icu, locale = 'und-u-ks-level2', deterministic = false)$$
	ELSE $$CREATE COLLATION slices.loosely FROM "C"$$ END \gexec
SET ROLE sl_curator;
CREATE TABLE loosely (t text COLLATE slices.loosely, s text, kind text NOT NULL CHECK (kind IN ('a', 'b')));
CREATE TRIGGER keep BEFORE UPDATE ON loosely FOR EACH ROW EXECUTE FUNCTION pegs_keep_slices('s');
ALTER TABLE loosely ENABLE ALWAYS TRIGGER keep;
SELECT pegs_set_budget('loosely', 10000);
SELECT collisdeterministic AS no_icu FROM pg_collation WHERE oid = 'slices.loosely'::regcollation \gset
\if :no_icu
SELECT pass('no collation but deterministic ones') FROM generate_series(1, 2);
\else
SELECT is(said($$SELECT pegs_set_slices('loosely', 't', 900, 0, ARRAY['a', 'A'])$$), '42809 slices cannot be of column "t": its collation takes different texts for the same', 'a collation');
SELECT pegs_set_slices('loosely', 's', 900, 0, ARRAY['a', 'A']);
SELECT is(said($$ALTER TABLE loosely ALTER COLUMN s TYPE text COLLATE slices.loosely; SELECT pegs_fit_slices('l', 'loosely', ARRAY['kind'])$$), '42809 slices cannot be of column "s": its collation takes different texts for the same', 'asked at each fit');
\endif
SELECT * FROM finish();
