-- Hierarchies of columns: declared, kept, read by the rights of the moment, refused. Laws L1, L9, L10.
SET client_min_messages = warning;
CREATE EXTENSION pegs;
SELECT * FROM no_plan();
CREATE FUNCTION refusal(statement text) RETURNS text LANGUAGE plpgsql AS
$$ BEGIN EXECUTE statement; RETURN 'ok'; EXCEPTION WHEN OTHERS THEN RETURN sqlstate || ' ' || sqlerrm; END $$;
CREATE FUNCTION detail(statement text) RETURNS text LANGUAGE plpgsql AS
$$ DECLARE d text; BEGIN EXECUTE statement; RETURN 'ok'; EXCEPTION WHEN OTHERS THEN GET STACKED DIAGNOSTICS d = PG_EXCEPTION_DETAIL; RETURN d; END $$;
CREATE FUNCTION hint(statement text) RETURNS text LANGUAGE plpgsql AS
$$ DECLARE h text; BEGIN EXECUTE statement; RETURN 'ok'; EXCEPTION WHEN OTHERS THEN GET STACKED DIAGNOSTICS h = PG_EXCEPTION_HINT; RETURN h; END $$;

CREATE TABLE birth (zip text NOT NULL, sex char(1) CHECK (sex IN ('F', 'M')), pay text NOT NULL, age int, weight numeric(6, 2) NOT NULL, born date, came timestamp, "Odd ""name" text NOT NULL);
SELECT pegs_set_levels('birth', 'zip', '{75211, 75001, 76100}'), pegs_set_levels('birth', 'pay', '{MC, 09, HM}'), pegs_set_bins('birth', 'age', '{0, 10, 20, 30, 40, 50}'),
	pegs_set_bins('birth', 'weight', '{0, 1, 2, 3, 4}', points => '{0, 9.99}'), pegs_set_bins('birth', 'born', '{2000-01-01, 2001-01-01, 2002-01-01}'),
	pegs_set_levels('birth', 'Odd "name', '{é, éa, "a b", "q''"}');
CREATE FUNCTION shown(column_name name, source regclass DEFAULT 'birth') RETURNS text LANGUAGE sql AS
$$ SELECT string_agg(coalesce(level, 'NULL') || ': ' || array_to_string(steps, ' | ', 'NULL'), '; ') FROM pegs_hierarchy(source, column_name) $$;

---- what a column has without one
SELECT is(shown('pay'), 'MC: *; 09: *; HM: *', 'levels: themselves, and *');
SELECT is(shown('sex'), 'F: *; M: *; NULL: *', 'NULL is a level');
SELECT is(shown('age'), '[0, 10): [0, 20) | [0, 40) | *; [10, 20): [0, 20) | [0, 40) | *; [20, 30): [20, 40) | [0, 40) | *; [30, 40): [20, 40) | [0, 40) | *;'
	' [40, 50]: [40, 50] | [40, 50] | *; NULL: NULL | NULL | *', 'bins are joined by 2, 4, ... from the left; NULL stays itself');
SELECT is(shown('weight'), '[0.00, 1.00): [0.00, 2.00) | *; [1.00, 2.00): [0.00, 2.00) | *; [2.00, 3.00): [2.00, 4.00] | *; [3.00, 4.00]: [2.00, 4.00] | *; 0.00: [0.00, 2.00) | *; 9.99: 9.99 | *',
	'a point goes into the joined bin that it lies in; one that is in none stays itself');
SELECT is(shown('born'), '[2000-01-01, 2001-01-01): *; [2001-01-01, 2002-01-01]: *; NULL: *', 'dates; two bins joined are all');
SELECT pegs_set_groups('birth', 'pay', '{"MC": "public", "HM": "public"}');
SELECT is(shown('pay'), 'MC: public | *; HM: public | *; 09: 09 | *', 'groups are a step; a level in none stays itself');
SELECT is((SELECT count(*) FROM pegs_internal.hierarchy), 0::bigint, 'nothing of that is declared');

---- the four kinds of step
SELECT pegs_set_hierarchy('birth', 'zip', '[{"keep": 3}, {"keep": 2}]');
SELECT is(shown('zip'), '75211: 752** | 75*** | *; 75001: 750** | 75*** | *; 76100: 761** | 76*** | *', 'keep');
SELECT pegs_set_hierarchy('birth', 'Odd "name', '[{"keep": 1}]');
SELECT is(shown('Odd "name'), 'é: é | *; éa: é* | *; a b: a** | *; q'': q* | *', 'characters, not bytes');
SELECT pegs_set_hierarchy('birth', 'pay', '[{"groups": {"public": ["MC"]}, "others": "elsewhere"}, {"groups": {"any": ["public", "elsewhere"]}}]');
SELECT is(shown('pay'), 'MC: public | any | *; HM: elsewhere | any | *; 09: elsewhere | any | *', 'groups, of levels or of the groups before; others');
SELECT pegs_set_hierarchy('birth', 'age', '[{"edges": [0, 20, 50]}, {"groups": {"all": ["[0, 20)", "[20, 50]", null]}}]');
SELECT is(shown('age'), '[0, 10): [0, 20) | all | *; [10, 20): [0, 20) | all | *; [20, 30): [20, 50] | all | *; [30, 40): [20, 50] | all | *; [40, 50]: [20, 50] | all | *; NULL: NULL | all | *',
	'edges; groups of bins, and NULL in a group');
CREATE TABLE zips (zip text, city text, mayor int);
INSERT INTO zips VALUES ('75211', 'Dallas'), ('75001', 'Addison'), ('76100', 'Fort Worth'), ('99999', 'Nowhere'), (NULL, 'x'), ('76100', 'Fort Worth');
SELECT pegs_set_hierarchy('birth', 'zip', '[{"lookup": "zips", "key": "zip", "value": "city"}, {"keep": 2}]');
SELECT is(shown('zip'), '75211: Dallas | 75*** | *; 75001: Addison | 75*** | *; 76100: Fort Worth | 76*** | *', 'a lookup table');
UPDATE zips SET city = 'Irving' WHERE zip = '75211';
SELECT alike(shown('zip'), '75211: Irving%', 'is read anew');
INSERT INTO zips VALUES ('75211', 'Dallas');
SELECT is(refusal($$SELECT pegs_hierarchy('birth', 'zip')$$), '22023 the lookup table of step 1 of the hierarchy of column "zip" has two values for "75211"', 'two values of a key');
DELETE FROM zips WHERE zip = '75211';
SELECT is(refusal($$SELECT pegs_hierarchy('birth', 'zip')$$), '22023 level "75211" of column "zip" is in no group of step 1 of its hierarchy', 'a level that it lacks');
INSERT INTO zips VALUES ('75211', 'Dallas');
CREATE TABLE years (y int CHECK (y IN (1999, 2000, 2005)));
SELECT pegs_set_hierarchy('years', 'y', '[{"edges": [1990, 2000, 2010]}]');
SELECT is(shown('y', 'years'), '1999: [1990, 2000) | *; 2000: [2000, 2010] | *; 2005: [2000, 2010] | *; NULL: NULL | *', 'edges of levels that are numbers');
SELECT is(refusal($$SELECT pegs_set_hierarchy('years', 'y', '[{"edges": [2000, 2010]}]')$$), '22023 level "1999" of column "y" is outside the edges of step 1 of its hierarchy', 'levels that are numbers, outside the edges');
SELECT pegs_set_hierarchy('years', 'y', '[]');
SELECT is(shown('y', 'years'), '1999: *; 2000: *; 2005: *; NULL: *', 'no steps: themselves, and *');

---- facts, names, drops
SELECT is(pegs_facts('birth') -> 'columns' -> 'zip' -> 'hierarchy', '[{"key": "zip", "value": "city", "lookup": "public.zips"}, {"keep": 2}]', 'pegs_facts prints it');
CREATE TABLE facts AS SELECT pegs_facts('birth') AS f;
CREATE TABLE birth2 (LIKE birth INCLUDING ALL);
SELECT pegs_declare('birth2', (SELECT f FROM facts));
SELECT is(pegs_facts('birth2'), (SELECT f FROM facts), 'pegs_declare takes it');
SELECT is(shown('zip', 'birth2'), shown('zip'), 'and it is the same');
SELECT pegs_declare('birth2', '{"columns": {"zip": {"hierarchy": [{"keep": 1}]}}}');
SELECT is(shown('zip', 'birth2'), '75211: 7**** | *; 75001: 7**** | *; 76100: 7**** | *', 'a hierarchy alone: the levels stay');
SELECT pegs_declare('birth2', '{"columns": {"zip": {"hierarchy": null}}}');
SELECT is(shown('zip', 'birth2'), '75211: *; 75001: *; 76100: *', 'null forgets it');
SELECT pegs_set_hierarchy('birth2', 'zip', '[{"keep": 1}]'), pegs_set_hierarchy('birth2', 'pay', NULL), pegs_set_hierarchy('birth2', 'pay', NULL);
SELECT is(shown('pay', 'birth2'), 'MC: public | *; HM: public | *; 09: 09 | *', 'NULL forgets it, once or twice: groups stay');
ALTER TABLE birth2 RENAME zip TO post;
ALTER TABLE birth2 RENAME pay TO zip;
SELECT is(pegs_facts('birth2') -> 'columns' -> 'post' -> 'hierarchy', '[{"keep": 1}]', 'it follows a new name');
SELECT pegs_set_levels('birth2', 'post', '{a1, b1}'), pegs_set_levels('birth2', 'zip', '{a2}');
SELECT is(shown('post', 'birth2') || ' ' || shown('zip', 'birth2'), 'a1: a* | *; b1: b* | * a2: *', 'and is not that of who has the old one');
SELECT pegs_set_hierarchy('birth2', 'zip', '[{"keep": 2}]');
SELECT is(shown('post', 'birth2'), 'a1: a* | *; b1: b* | *', 'not even when that has its own');
SELECT pegs_unset('birth2', 'zip'), pegs_set_hierarchy('birth2', 'Odd "name', '[{"keep": 2}]');
SELECT is((SELECT array_agg(column_name ORDER BY column_name) FROM pegs_internal.hierarchy WHERE source = 'birth2'::regclass), '{"Odd \"name",age,zip}', 'pegs_unset forgets it with the levels');
CREATE VIEW adults AS SELECT zip AS code, age FROM birth;
SELECT is(shown('code', 'adults'), shown('zip'), 'a view has that of its table');
DROP TABLE birth2;
SELECT is((SELECT count(*) FROM pegs_internal.hierarchy WHERE source::oid NOT IN (SELECT oid FROM pg_class)), 0::bigint, 'and goes with its table');
ALTER TABLE birth ADD COLUMN gone text CHECK (gone IN ('a', 'b'));
SELECT pegs_set_hierarchy('birth', 'gone', '[{"keep": 1}]');
ALTER TABLE birth DROP COLUMN gone;
SELECT ok(NOT pegs_facts('birth') -> 'columns' ? 'gone', 'a column that was dropped has none');

---- what is refused
SELECT is(refusal(format('SELECT pegs_set_hierarchy(%L, %L, %L)', 'birth', c, steps)), error, coalesce(steps, 'NULL')) FROM (VALUES
	('zip', '{"keep": 3}', '22023 steps must be a JSON list'),
	('zip', '3', '22023 steps must be a JSON list'),
	('zip', '[3]', '22023 step 1 of the hierarchy of column "zip" must be an object'),
	('zip', '[{}]', '22023 step 1 of the hierarchy of column "zip" must have one of edges, keep, groups and lookup'),
	('zip', '[{"keep": 3, "groups": {}}]', '22023 step 1 of the hierarchy of column "zip" must have one of edges, keep, groups and lookup'),
	('zip', '[{"drop": 3}]', '22023 step 1 of the hierarchy of column "zip" has a member that is not known, "drop"'),
	('zip', '[{"keep": 3, "others": "x"}]', '22023 step 1 of the hierarchy of column "zip" has a member that is of another kind of step'),
	('zip', '[{"keep": 3}, {"keep": 0}]', '22023 step 2 of the hierarchy of column "zip" must keep a whole number of characters, 1 or more'),
	('zip', '[{"keep": 2.5}]', '22023 step 1 of the hierarchy of column "zip" must keep a whole number of characters, 1 or more'),
	('zip', '[{"keep": 2}, {"keep": 3}]', '22023 step 2 of the hierarchy of column "zip" is not a function of the one before'),
	('zip', '[{"groups": {"a": ["75211"]}}]', '22023 level "75001" of column "zip" is in no group of step 1 of its hierarchy'),
	('zip', '[{"groups": {"a": ["75211", "7"]}}]', '22023 "7" in step 1 of the hierarchy of column "zip" is no level of it, and no group of the step before'),
	('zip', '[{"groups": {"a": [null]}}]', '22023 NULL in step 1 of the hierarchy of column "zip" is no level of it, and no group of the step before'),
	('zip', '[{"groups": {"a": ["75211"], "b": ["75211"]}}]', '22023 "75211" is in two groups of step 1 of the hierarchy of column "zip"'),
	('zip', '[{"groups": ["75211"]}]', '22023 step 1 of the hierarchy of column "zip" must have an object of groups, each a list of levels'),
	('zip', '[{"groups": {"a": "75211"}}]', '22023 step 1 of the hierarchy of column "zip" must have a list of levels for each group'),
	('zip', '[{"groups": {"a": [["75211"]]}}]', '22023 step 1 of the hierarchy of column "zip" must have a list of levels for each group'),
	('zip', '[{"groups": {"a": ["75211"]}, "others": null}]', '22023 step 1 of the hierarchy of column "zip" must have a text for all others'),
	('zip', '[{"edges": ["1", "2"]}]', '42809 edges need an order, and the type of column "zip" has none'),
	('age', '[{"keep": 1}]', '42809 keep is for texts, and column "age" is of another type'),
	('age', '[{"edges": [0]}]', '22023 step 1 of the hierarchy of column "age" must have a list of two edges or more'),
	('age', '[{"edges": [0, 20, 20, 50]}]', '22023 step 1 of the hierarchy of column "age" has edges that do not rise'),
	('age', '[{"edges": [0, 15, 50]}]', '22023 edge "15" of step 1 of the hierarchy of column "age" is no edge of the step before'),
	('age', '[{"edges": [0, 20, 50]}, {"edges": [0, 30, 50]}]', '22023 edge "30" of step 2 of the hierarchy of column "age" is no edge of the step before'),
	('age', '[{"edges": [10, 50]}]', '22023 step 1 of the hierarchy of column "age" must begin with edge "0" and end with "50", as the step before'),
	('age', '[{"edges": [0, null]}]', '22023 step 1 of the hierarchy of column "age" has an edge that is no value'),
	('born', '[{"edges": ["2000-01-01", "infinity"]}]', '22023 step 1 of the hierarchy of column "born" has an edge that is not finite'),
	('zip', '[{"lookup": "zips"}]', '22023 step 1 of the hierarchy of column "zip" must name two columns of its lookup table, key and value'),
	('zip', '[{"lookup": "no", "key": "zip", "value": "city"}]', '42P01 relation "no" does not exist'),
	('zip', '[{"lookup": 1, "key": "zip", "value": "city"}]', '22023 step 1 of a hierarchy must name its lookup table'),
	('zip', '[{"lookup": "zips", "key": "zip", "value": "no"}]', '42703 column "no" of table "zips" does not exist'),
	('zip', '[{"lookup": "adults", "key": "zip", "value": "no"}]', '42809 lookup must be a table'),
	('zip', '[{"lookup": "birth", "key": "zip", "value": "pay"}]', '22023 a table cannot be its own lookup table'),
	('came', '[]', '55000 column "came" of public.birth has no levels, and so no hierarchy'),
	('no', '[]', '42703 column "no" of public.birth does not exist'),
	('zip', (SELECT jsonb_agg('{"keep": 1}'::jsonb) FROM generate_series(1, 16))::text, '22023 a hierarchy has at most 15 steps, not 16')) AS v (c, steps, error);
SELECT is(hint(statement), hint, statement) FROM (
	SELECT format('SELECT pegs_set_hierarchy(''birth'', ''zip'', %L)', format('[{"lookup": "%s", "key": "zip", "value": "city"}]', name)), '"lookup" names a table ' || told || ': {"lookup": "my_schema.\"Zip Codes\"", ...}'
	FROM (VALUES ('no', 'as SQL does, with quotes where SQL needs them'), ('', 'as SQL does, with quotes where SQL needs them'), ('a.b.c.d', 'as SQL does, with quotes where SQL needs them'),
		('no.zips', 'as SQL does, with quotes where SQL needs them'), ('-', 'by its name'), ('4294967295', 'by its name')) AS v (name, told)
	UNION ALL SELECT $$SELECT pegs_declare('birth', '{"parent": {"table": "no", "columns": ["zip"]}}')$$, '"table" names a table as SQL does, with quotes where SQL needs them: {"parent": {"table": "my_schema.\"Last Visits\"", ...}}') AS s (statement, hint);
SELECT is(refusal(format('SELECT pegs_set_hierarchy(''birth'', ''zip'', ''[{"lookup": "%s", "key": "zip", "value": "city"}]'')', name)), format('42P01 relation "%s" does not exist', name), name || ': no relation')
FROM (VALUES ('-'), ('4294967295')) AS v (name);
SELECT is(detail($$SELECT pegs_set_hierarchy('birth', 'zip', '[{"groups": {"x": ["75211", "76100"], "y": ["75001"]}}, {"keep": 2}]')$$),
	'Levels "75211" and "76100" are both "x" before, and then "75***" and "76***".', 'it names the levels that are torn apart');
SELECT alike(shown('zip'), '75211: Dallas | 75***%', 'what is refused changes nothing');
SELECT pegs_set_levels('birth', 'zip', '{75211, 75001, 76100, 12345}');
SELECT is(refusal($$SELECT pegs_hierarchy('birth', 'zip')$$), '22023 level "12345" of column "zip" is in no group of step 1 of its hierarchy', 'levels that were declared since');
ALTER TABLE birth ADD COLUMN went timestamp;
SELECT pegs_set_bins('birth', 'went', '{2024-01-01, 2025-01-01}', parts => '{date, hour}');
SELECT is(refusal($$SELECT pegs_hierarchy('birth', 'went')$$), '55000 column "went" of public.birth has no hierarchy: it is modelled by calendar parts', 'calendar parts');
SELECT pegs_set_budget('zips', 1);
SELECT is(refusal($$SELECT pegs_hierarchy('birth', 'zip')$$), '55000 the hierarchy of column "zip" cannot be used: its lookup table has a privacy budget: its rows are private', 'a lookup table that is private now');
DROP TABLE zips;
SELECT is(shown('zip'), '75211: *; 75001: *; 76100: *; 12345: *', 'a hierarchy goes with its lookup table, as levels do');

---- a lookup table that cannot be read: told where facts are shown, and refused where it is used
\ir lib/said.sql
CREATE ROLE hierarchy_owner; CREATE ROLE hierarchy_other; GRANT CREATE ON SCHEMA public TO hierarchy_owner; GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA public TO hierarchy_owner;
SET ROLE hierarchy_owner;
CREATE TABLE towns (zip text PRIMARY KEY, town text NOT NULL);
INSERT INTO towns VALUES ('75211', 'Dallas'), ('75001', 'Addison');
CREATE TABLE born (zip text NOT NULL CHECK (zip IN ('75211', '75001')), pay text NOT NULL CHECK (pay IN ('MC', '09')));
INSERT INTO born SELECT '75211', 'MC' FROM generate_series(1, 20);
CREATE VIEW born_zips AS SELECT zip AS code FROM born;
SELECT pegs_set_hierarchy('born', 'zip', '[{"groups": {}, "others": "any"}]'), pegs_set_budget('born', 100);
SELECT pegs_set_hierarchy('born', 'zip', '[{"lookup": "towns", "key": "zip", "value": "town"}, {"keep": 1}]');
-- what pegs_domain and pegs_propose say of it, what the rest says, and all of them after the remedy
CREATE FUNCTION of_hierarchy(source regclass DEFAULT 'born', name name DEFAULT 'zip') RETURNS text LANGUAGE plpgsql AS $$ DECLARE r text; said text; p text; now text; BEGIN
	SELECT concat_ws(' | ', d.problem, d.remedy), d.remedy INTO said, r FROM pegs_domain(source) AS d WHERE column_name = name;
	SELECT string_agg(s, '; ') INTO p FROM pegs_propose(source) AS s;
	now := said(format('SELECT * FROM pegs_hierarchy(%L, %L)', source, name));
	EXECUTE r;
	RETURN concat_ws(E'\n', said, p, now, nullif(said(format('SELECT * FROM pegs_hierarchy(%L, %L)', source, name)), 'ok'), (SELECT problem FROM pegs_domain(source) AS d WHERE column_name = name)); END $$;
CREATE FUNCTION unread(why text, remedy text) RETURNS text LANGUAGE sql AS
$$ SELECT format(E'its hierarchy cannot be used: its lookup table cannot be read: %1$s | %2$s\n-- zip: its hierarchy cannot be used: its lookup table cannot be read: %1$s; %2$s\n42501 | the hierarchy of column "zip" cannot be used: its lookup table cannot be read: %1$s | %2$s', why, remedy) $$;
SELECT pegs_generalize('born', '{zip}', k => 5) AS plan \gset
CREATE TEMP TABLE marked AS SELECT * FROM pegs_ledger;
ALTER TABLE towns ENABLE ROW LEVEL SECURITY; ALTER TABLE towns FORCE ROW LEVEL SECURITY;
\set unread '42501 | the hierarchy of column "zip" cannot be used: its lookup table cannot be read: query would be affected by row-level security policy for table "towns" | ALTER TABLE public.towns NO FORCE ROW LEVEL SECURITY;'
SELECT is((SELECT array_agg(concat_ws(' ', column_name, origin, levels, problem IS NULL)) FROM pegs_domain('born')), '{"zip CHECK constraint {75211,75001} f","pay CHECK constraint {MC,09} t"}', 'row security that holds for the owner: one column has a problem, and its levels');
SELECT is(pegs_facts('born') -> 'columns' -> 'zip' -> 'hierarchy', '[{"key": "zip", "value": "town", "lookup": "public.towns"}, {"keep": 1}]', 'facts are shown as they were declared');
SELECT is(said(statement), :'unread', statement) FROM unnest(ARRAY['SELECT pegs_set_hierarchy(''born'', ''zip'', ''[{"lookup": "towns", "key": "zip", "value": "town"}]'')',
	'SELECT pegs_generalize(''born'', ''{zip}'', k => 5)']) AS statement;
SELECT is(said(format('SELECT count(*) FROM pegs_generalized(''born'', %L) AS t(zip text, pay text)', :'plan')), :'unread', 'rows by a plan');
SELECT is(said(format('SELECT pegs_declare(''born'', %L)', pegs_facts('born'))), '22023 | facts of public.born are wrong: nothing was declared | "zip": the hierarchy of column "zip" cannot be used: its lookup table cannot be read: query would be affected by row-level security policy for table "towns". | ALTER TABLE public.towns NO FORCE ROW LEVEL SECURITY;', 'facts that are declared again');
SELECT is_empty('SELECT * FROM pegs_ledger EXCEPT SELECT * FROM marked', 'before anything is charged or marked');
SELECT is(said($$SELECT pegs_fit('born', 'born', epsilon => 1)$$), 'ok', 'a fit has no use for it');
SELECT is(of_hierarchy(), unread('query would be affected by row-level security policy for table "towns"', 'ALTER TABLE public.towns NO FORCE ROW LEVEL SECURITY;'), 'and the remedy, pasted');
REVOKE SELECT ON towns FROM hierarchy_owner;
SELECT is(of_hierarchy(), unread('permission denied for table towns', 'GRANT SELECT ON public.towns TO hierarchy_owner;'), 'its owner has no SELECT');
REVOKE SELECT ON towns FROM hierarchy_owner; GRANT SELECT (zip) ON towns TO hierarchy_owner;
SELECT is(of_hierarchy(), unread('permission denied for table towns', 'GRANT SELECT ON public.towns TO hierarchy_owner;'), 'nor of one of its columns');
RESET ROLE; ALTER TABLE towns OWNER TO hierarchy_other; REVOKE ALL ON towns FROM hierarchy_owner; GRANT SELECT ON towns TO hierarchy_owner; SET ROLE hierarchy_owner;
SELECT is((SELECT concat_ws(' | ', problem, remedy) FROM pegs_domain('born') WHERE column_name = 'zip'), 'its hierarchy cannot be used: its lookup table cannot be read: its row security applies to you | CREATE TABLE my_copy AS SELECT * FROM public.towns; copies the rows that you may read. Declare that table.', 'somebody else''s');
RESET ROLE; ALTER TABLE towns DISABLE ROW LEVEL SECURITY; SET ROLE hierarchy_owner;
SELECT is((SELECT problem FROM pegs_domain('born') WHERE column_name = 'zip'), NULL, 'which may be read');
RESET ROLE; SELECT pegs_set_budget('towns', 1); SET ROLE hierarchy_owner;
SELECT is(of_hierarchy('born_zips', 'code'), $$its hierarchy cannot be used: its lookup table has a privacy budget: its rows are private | SELECT pegs_set_hierarchy('public.born', 'zip', NULL);  -- or declare it anew, by what is public
-- code: its hierarchy cannot be used: its lookup table has a privacy budget: its rows are private; SELECT pegs_set_hierarchy('public.born', 'zip', NULL);  -- or declare it anew, by what is public
55000 | the hierarchy of column "code" cannot be used: its lookup table has a privacy budget: its rows are private | Declare it anew, or forget it: SELECT pegs_set_hierarchy('public.born', 'zip', NULL);$$, 'private now, and of what a view reads: forgotten where it was declared');
RESET ROLE;
SELECT * FROM finish();
