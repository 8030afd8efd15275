-- Generalisation: the births of a thesis to the printed digits; what is refused; who may; what comes out meets the criteria, whatever was asked and whatever changed.
SET client_min_messages = warning;
-- hundreds of small statements: compiling them would take minutes
SET jit = off;
CREATE EXTENSION pegs;
SELECT * FROM no_plan();

CREATE TABLE births (zip text NOT NULL CHECK (zip IN ('752', '750', '761')), sex text NOT NULL CHECK (sex IN ('F', 'M')),
	pay text NOT NULL CHECK (pay IN ('MC', '09', 'HM')), los int, note text);
INSERT INTO births SELECT zip, sex, pay, n, repeat('x', n::int) FROM unnest(ARRAY['752', '752', '752', '752', '750', '750', '750', '761'], ARRAY['F', 'F', 'M', 'M', 'F', 'F', 'M', 'M'],
	ARRAY['MC', 'MC', 'MC', 'MC', '09', '09', 'MC', 'HM']) WITH ORDINALITY AS u(zip, sex, pay, n);
SELECT pegs_set_hierarchy('births', 'zip', '[{"keep": 2}]');
SELECT pegs_set_budget('births', 10);
CREATE ROLE gn_other LOGIN;
CREATE FUNCTION hint_of_list() RETURNS text LANGUAGE plpgsql AS $$ DECLARE hint text; BEGIN PERFORM pegs_generalized('births', plan(3, .25)); EXCEPTION WHEN OTHERS THEN GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT; RETURN hint; END $$;
CREATE FUNCTION lines() RETURNS bigint LANGUAGE sql AS $$ SELECT count(*) FROM pegs_ledger WHERE action = 'uncovered rows' $$;
CREATE FUNCTION plan(k int, suppress double precision) RETURNS jsonb LANGUAGE sql AS $$ SELECT pegs_generalize('births', ARRAY['zip', 'sex', 'pay'], k, suppress) $$;

---- the births
SELECT is((SELECT jsonb_agg(key -> 'step') FROM jsonb_array_elements(p -> 'keys') AS key)::text || ' ' || (p ->> 'suppressed') || ' ' || round((p ->> 'loss')::numeric, 6), wanted,
	format('k = %s, suppress %s', k, suppress))
FROM (VALUES (2, 0, '[2, 0, 1] 0 0.666667'), (2, .25, '[0, 0, 0] 2 0.250000'), (2, 1, '[0, 0, 0] 2 0.250000'),
	(3, 0, '[2, 0, 1] 0 0.666667'), (3, .25, '[1, 0, 1] 1 0.562500'), (3, 1, '[1, 0, 1] 1 0.562500')) AS fixture(k, suppress, wanted), plan(k, suppress) AS p;
SELECT is(p - 'keys' - 'loss', '{"plan": "pegs 1", "method": "global", "k": 3, "suppress": 0.25, "l": null, "t": null, "sensitive": null, "rows": 8, "suppressed": 1, "classes": 2,
	"precision": 0.5, "discernibility": 33, "nodes": 12, "row_type": "zip text, sex text, pay text, los integer, note text", "guarantee": "none"}'::jsonb
	|| jsonb_build_object('entropy_loss', p -> 'entropy_loss', 'searched', p -> 'searched', 'average_class', p -> 'average_class'), 'the plan says what it is')
FROM plan(3, .25) AS p;
SELECT is((p ->> 'average_class')::float8, (7 / 2.0::float8 / 3), 'mean size of a class, of k') FROM plan(3, .25) AS p;
SELECT results_eq($$SELECT zip, sex, pay, count(*) FROM pegs_generalized('births', plan(3, .25)) AS t(zip text, sex text, pay text, los int, note text) GROUP BY 1, 2, 3 ORDER BY 2$$,
	$$VALUES ('75*', 'F', '*', 4::bigint), ('75*', 'M', '*', 3)$$, 'rows at k = 3: the one that is suppressed is left out');
SELECT results_eq($$SELECT los, note FROM pegs_generalized('births', plan(3, .25)) AS t(note text, los int) ORDER BY los$$,
	$$SELECT n, repeat('x', n) FROM generate_series(1, 7) AS n$$, 'other columns have their values, in any order');
SELECT results_eq($$SELECT zip, sex, pay, count(*) FROM pegs_generalized('births', plan(2, .25)) AS t(zip text, sex text, pay text) GROUP BY 1, 2, 3 ORDER BY 1, 2$$,
	$$VALUES ('*', '*', '*', 2::bigint), ('750', 'F', '09', 2), ('752', 'F', 'MC', 2), ('752', 'M', 'MC', 2)$$, 'suppressed rows that are k together are shown');
SELECT results_eq($$SELECT size, classes, rows, guarantee FROM pegs_equivalence_classes('births', ARRAY['zip', 'sex', 'pay'])$$,
	$$VALUES (1::bigint, 2::bigint, 2::bigint, 'none'), (2, 3, 6, 'none')$$, 'Figure 2.3');

---- the ledger
SELECT is((SELECT (uncovered, spent) FROM pegs_budgets WHERE source = 'births'::regclass), (true, 0::numeric), 'the account is marked, nothing is charged');
SELECT is(lines(), 3::bigint, 'a line for each call that gave rows; none for a plan');
SELECT plan(3, .25) AS plan \gset
BEGIN;
SELECT is((SELECT count(*) FROM pegs_generalized('births', :'plan') AS t(zip text)), 7::bigint, 'rows in a transaction');
SELECT is(lines(), 4::bigint, 'and their line');
ROLLBACK;
SELECT is(lines(), 4::bigint, 'ROLLBACK does not take the line away');
BEGIN;
SAVEPOINT a;
SELECT is((SELECT count(*) FROM pegs_generalized('births', :'plan') AS t(zip text)), 7::bigint, 'rows after a savepoint');
ROLLBACK TO a;
SELECT is(lines(), 5::bigint, 'nor does ROLLBACK TO');
COMMIT;
DO $$
BEGIN
	PERFORM * FROM pegs_generalized('births', plan(3, .25)) AS t(zip text);
	RAISE EXCEPTION 'undo';
EXCEPTION WHEN raise_exception THEN
END $$;
SELECT is(lines(), 6::bigint, 'nor does an exception');
BEGIN;
DECLARE c CURSOR FOR SELECT * FROM pegs_generalized('births', plan(3, .25)) AS t(zip text);
FETCH 1 FROM c;
CLOSE c;
ROLLBACK;
SELECT is(lines(), 7::bigint, 'nor a cursor of which one row was read');
SELECT results_eq($$SELECT DISTINCT reason, object, unit FROM pegs_ledger WHERE action = 'uncovered rows'$$, $$VALUES ('k-anonymity: no guarantee', 'public.births', NULL)$$, 'each line says that there is none');
SELECT is((SELECT count(*) FROM pegs_ledger WHERE source = 'births'::regclass), 8::bigint, 'and that of the budget, nothing else');
SET enable_seqscan = off;
SELECT is((SELECT count(*) FROM pegs_internal.ledger WHERE source = 'births'::regclass AND epsilon_to >= 0), 8::bigint, 'its indexes know it');
SELECT is((SELECT count(*) FROM pegs_internal.ledger WHERE source = 'births'::regclass AND delta_to >= 0), 8::bigint);
RESET enable_seqscan;
BEGIN;
CREATE TABLE young (a int NOT NULL CHECK (a IN (1, 2)));
INSERT INTO young VALUES (1), (1);
SELECT pegs_set_budget('young', 1);
SELECT is((SELECT count(*) FROM pegs_generalized('young', pegs_generalize('young', ARRAY['a'], 2)) AS t(a text)), 2::bigint);
SELECT is(lines(), 8::bigint, 'a table that is as young has a line');
ROLLBACK;
SELECT is((SELECT count(*) FROM pegs_internal.ledger WHERE deed = 'uncovered rows'), 7::bigint, 'which goes with it');
BEGIN;
SELECT pegs_set_budget('births', 20);
SELECT is((SELECT count(*) FROM pegs_generalized('births', :'plan') AS t(zip text)), 7::bigint, 'a budget that was raised in this transaction');
ROLLBACK;
SELECT is(lines(), 8::bigint, 'is no way to take the line away');
SELECT is((SELECT epsilon FROM pegs_budgets WHERE source = 'births'::regclass), 10::numeric, 'raised it was not');
BEGIN;
REINDEX INDEX pegs_internal.ledger_epsilon;
SELECT throws_ok(format($$SELECT * FROM pegs_generalized('births', %L) AS t(zip text)$$, :'plan'), '55000', 'the ledger was written anew in this transaction');
ROLLBACK;
-- whoever is stopped before the line is in all indexes leaves none
CREATE FUNCTION stops(text) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN IF current_setting('gn.stop', true) = $1 THEN RAISE EXCEPTION 'stopped'; END IF; RETURN $1; END $$;
CREATE INDEX stops ON pegs_internal.ledger (public.stops(deed));
SET gn.stop = 'uncovered rows';
SELECT throws_ok(format($$SELECT * FROM pegs_generalized('births', %L) AS t(zip text)$$, :'plan'), 'P0001', 'stopped');
RESET gn.stop;
DROP INDEX pegs_internal.stops;
SELECT is((SELECT count(*) FROM pegs_internal.ledger WHERE deed = 'uncovered rows'), 8::bigint, 'stopped while it was written: no line');
CREATE EXTENSION amcheck;
SELECT is_empty($$SELECT * FROM verify_heapam('pegs_internal.ledger')$$, 'a heap as PostgreSQL wants it');
SELECT lives_ok(format('SELECT bt_index_check(%L::regclass, true)', indexrelid::regclass), 'all rows are in ' || indexrelid::regclass) FROM pg_index WHERE indrelid = 'pegs_internal.ledger'::regclass;
VACUUM (FREEZE) pegs_internal.ledger;
SELECT is(lines(), 8::bigint, 'VACUUM leaves them');
SELECT is_empty($$SELECT * FROM verify_heapam('pegs_internal.ledger')$$);
BEGIN READ ONLY;
SELECT throws_ok(format($$SELECT * FROM pegs_generalized('births', %L) AS t(zip text)$$, :'plan'), '25006', 'the ledger cannot be written in a read-only transaction');
ROLLBACK;
CREATE TABLE without (a int NOT NULL CHECK (a IN (1, 2)), n int);
INSERT INTO without SELECT 1 + i % 2, i FROM generate_series(1, 20) AS i;
CREATE FUNCTION in_turn() RETURNS int[] LANGUAGE sql AS $$ SELECT array_agg(n) FROM pegs_generalized('without', pegs_generalize('without', ARRAY['a'])) AS t(n int) $$;
SELECT is(cardinality(in_turn()), 20, 'a table without a budget needs no line');
SELECT isnt(in_turn(), ARRAY(SELECT generate_series(1, 20)), 'not in the order of the table: fails once in 20!');
SELECT isnt(in_turn(), in_turn(), 'nor in the order of another call');

---- what is refused
SELECT throws_ok(statement, code, NULL, statement) FROM (VALUES
	($$SELECT pegs_generalize('births', NULL)$$, '22004'),
	($$SELECT pegs_generalize('births', '{}')$$, '22023'),
	($$SELECT pegs_generalize('births', ARRAY['zip'], k => 0)$$, '22023'),
	($$SELECT pegs_generalize('births', ARRAY['zip'], k => NULL)$$, '22004'),
	($$SELECT pegs_generalize('births', ARRAY['zip'], suppress => 1.1)$$, '22023'),
	($$SELECT pegs_generalize('births', ARRAY['zip'], suppress => 'NaN')$$, '22023'),
	($$SELECT pegs_generalize('births', ARRAY['zip'], suppress => NULL)$$, '22004'),
	($$SELECT pegs_generalize('births', ARRAY['zip'], method => 'best')$$, '22023'),
	($$SELECT pegs_generalize('births', ARRAY['zip'], l => 2)$$, '22023'),
	($$SELECT pegs_generalize('births', ARRAY['zip'], t => .2)$$, '22023'),
	($$SELECT pegs_generalize('births', ARRAY['zip'], sensitive => 'pay', l => .5)$$, '22023'),
	($$SELECT pegs_generalize('births', ARRAY['zip'], sensitive => 'pay', l => 4)$$, '22023'),
	($$SELECT pegs_generalize('births', ARRAY['zip'], sensitive => 'pay', t => 2)$$, '22023'),
	($$SELECT pegs_generalize('births', ARRAY['zip'], sensitive => 'zip')$$, '22023'),
	($$SELECT pegs_generalize('births', ARRAY['zip'], k => 9)$$, '22023'),
	($$SELECT pegs_generalize('births', ARRAY['zip'], k => 9, method => 'local')$$, '22023'),
	($$SELECT pegs_generalize('births', ARRAY['zip'], weights => '{"zip": -1}')$$, '22023'),
	($$SELECT pegs_generalize('births', ARRAY['zip'], weights => '{"zip": 0}')$$, '22023'),
	($$SELECT pegs_generalize('births', ARRAY['zip'], weights => '{"zip": "1"}')$$, '22023'),
	($$SELECT pegs_generalize('births', ARRAY['zip'], weights => '{"sex": 1}')$$, '42703'),
	($$SELECT pegs_generalize('births', ARRAY['zip'], fixed => '{"zip": 3}')$$, '22023'),
	($$SELECT pegs_generalize('births', ARRAY['zip'], fixed => '{"zip": 0.5}')$$, '22023'),
	($$SELECT pegs_generalize('births', ARRAY['zip'], fixed => '{"zip": 1}', method => 'local')$$, '22023'),
	($$SELECT pegs_generalize('births', ARRAY['zap'])$$, '42703'),
	($$SELECT pegs_generalize('births', ARRAY['zip', 'zip'])$$, '42701'),
	($$SELECT * FROM pegs_generalized('births', NULL) AS t(zip text)$$, '22004'),
	($$SELECT * FROM pegs_generalized('births', plan(3, .25)) AS t(zip int)$$, '42804'),
	($$SELECT * FROM pegs_generalized('births', plan(3, .25)) AS t(los text)$$, '42804'),
	($$SELECT * FROM pegs_generalized('births', plan(3, .25)) AS t(zap text)$$, '42703'),
	($$SELECT * FROM pegs_generalized('births', plan(3, .25), ARRAY['note']) AS t(los int)$$, '42703'),
	($$SELECT * FROM pegs_generalized('births', plan(3, .25), ARRAY['nothing']) AS t(zip text)$$, '42703'),
	($$SELECT * FROM pegs_generalized('without', plan(3, .25)) AS t(zip text)$$, '42703'),
	($$SELECT pegs_equivalence_classes('births', NULL)$$, '22004')) AS refused(statement, code);

-- by their own words: another refusal of the same kind would hide them
SELECT throws_ok($$SELECT pegs_generalize('births', ARRAY['zip', 'sex'], sensitive => 'zip', l => 1.5)$$, '22023', 'column "zip" cannot be a key and the sensitive column');
SELECT throws_ok($$SELECT pegs_generalize('births', ARRAY['zip'], sensitive => 'pay', l => 4)$$, '22023', 'l must be at most 3, not 4');
SELECT throws_ok($$SELECT pegs_generalize('births', ARRAY['zip'], sensitive => 'pay')$$, '22023', 'a sensitive column needs l or t: neither is given, so nothing would be asked of it');
CREATE FUNCTION detail_of(statement text) RETURNS text LANGUAGE plpgsql AS $$ DECLARE d text; BEGIN EXECUTE statement; RETURN 'ok'; EXCEPTION WHEN OTHERS THEN GET STACKED DIAGNOSTICS d = PG_EXCEPTION_DETAIL; RETURN d; END $$;
SELECT is(detail_of($$SELECT pegs_generalize('births', ARRAY['zip', 'sex', 'pay'], k => 9, suppress => .5)$$), 'At the coarsest steps a share of 1.0000 of the rows would have to be suppressed, and 0.5 may be.');

---- a plan from anywhere
-- thesis-tools 1.3: too many combinations, with the product and a way out that works
DO $$ BEGIN EXECUTE 'CREATE TABLE steep (' || (SELECT string_agg(format('c%s int NOT NULL', i), ', ' ORDER BY i) FROM generate_series(1, 7) AS i) || ')'; END $$;
SELECT pegs_set_bins('steep', 'c' || i, ARRAY(SELECT e::text FROM generate_series(0, 2048) AS e)) FROM generate_series(1, 7) AS i;
-- bins are joined without comparing values again and again: a column took 1.2 s, beside .01 s for its domain
SELECT throws_ok($$SELECT pegs_generalize('steep', ARRAY['c1', 'c2', 'c3', 'c4', 'c5', 'c6', 'c7'])$$, '54000', 'there are more than 16777216 combinations of steps to search');
SELECT is(detail_of($$SELECT pegs_generalize('steep', ARRAY['c1', 'c2', 'c3', 'c4', 'c5', 'c6', 'c7'])$$), 'The keys have 12 * 12 * 12 * 12 * 12 * 12 * 12.');
SELECT lives_ok(format($$SELECT pegs_generalize('steep', ARRAY['c1', 'c2', 'c3', 'c4', 'c5', 'c6', 'c7'], %s)$$, way), 'the way out: ' || way) FROM unnest(ARRAY[$$fixed => '{"c1": 0}'$$, $$method => 'local'$$]) AS way;
SELECT throws_ok(format($$SELECT * FROM pegs_generalized('births', %L) AS t(zip text)$$, bad), '22023', NULL, left(bad::text, 60))
FROM (SELECT plan(3, .25) AS p) AS good, LATERAL (VALUES ('{}'::jsonb), (p - 'plan'), (p || '{"plan": "pegs 2"}'), (p || '{"method": 3}'), (p || '{"method": null}'), (p - 'keys'), (p || '{"keys": []}'),
	(p || '{"keys": {}}'), (p || '{"keys": [1]}'), (p || '{"keys": [{"column": 1}]}'), (p || '{"keys": [{"column": "zip"}]}'), (p || '{"k": "3"}'), (p || '{"k": 2.5}'), (jsonb_set(p, '{keys,0,step}', '0.5')), (jsonb_set(p, '{keys,0,weight}', '1e300')), (jsonb_set(p, '{keys,0,step}', '1e400')), (p || '{"k": 0}'), (p || '{"k": 1e400}'), (p || '{"k": null}'),
	(p || '{"l": 0}'), (p || '{"l": 2}'), (p || '{"t": -1}'), (p || '{"t": 0.5}'), (p - 'sensitive'), (p || '{"sensitive": [1]}'),
	(jsonb_set(p, '{keys,0,step}', '3')), (jsonb_set(p, '{keys,0,step}', '-1')), (jsonb_set(p, '{keys,0,step}', '"1"')), (jsonb_set(p, '{keys,0,step}', '[]')), (p #- '{keys,0,step}'),
	(p #- '{keys,0,weight}'), (p #- '{keys,0,hierarchy}'), (jsonb_set(p, '{keys,0,column}', to_jsonb(repeat('z', 100))))) AS v(bad);
SELECT throws_ok($$SELECT * FROM pegs_generalized('births', '[1]') AS t(zip text)$$, '22023');
SELECT pegs_set_hierarchy('births', 'zip', '[{"keep": 1}]');
SELECT throws_ok(format($$SELECT * FROM pegs_generalized('births', %L) AS t(zip text)$$, :'plan'), '55000', 'the levels or the hierarchy of column "zip" have changed since the plan was made');
SELECT pegs_set_hierarchy('births', 'zip', '[{"keep": 2}]');
SELECT lives_ok(format($$SELECT * FROM pegs_generalized('births', %L) AS t(zip text)$$, :'plan'), 'the same hierarchy again');
-- rows that came since: a class that fails now is suppressed now
DELETE FROM births WHERE los = 7;
SELECT results_eq(format($$SELECT zip, sex, pay, count(*) FROM pegs_generalized('births', %L) AS t(zip text, sex text, pay text) GROUP BY 1, 2, 3 ORDER BY 2, 1$$, :'plan'),
	$$VALUES ('*', '*', '*', 3::bigint), ('75*', 'F', '*', 4)$$, 'the criteria are measured anew');

---- a plan in plain SQL: what pegs_generalized shows
CREATE TABLE "Odd ""one""" (a int CHECK (a BETWEEN 0 AND 60), "B b" text, c text NOT NULL, key_1 float8, gone int, d date);
ALTER TABLE "Odd ""one""" DROP COLUMN gone;
SELECT pegs_set_bins('"Odd ""one"""', 'a', ARRAY['0', '10', '20', '40', '60']);
SELECT pegs_set_levels('"Odd ""one"""', 'B b', ARRAY['it''s', 'x\y', 'z'], other => 'z');
SELECT pegs_set_levels('"Odd ""one"""', 'c', ARRAY['75211', '75001', '76100', 'ä1']);
SELECT pegs_set_hierarchy('"Odd ""one"""', 'B b', '[{"groups": {"g ''1": ["it''s"], "%": ["x\\y", "z"]}}]');
SELECT pegs_set_hierarchy('"Odd ""one"""', 'c', '[{"keep": 2}, {"groups": {"Dallas": ["75***"]}, "others": "else"}]');
INSERT INTO "Odd ""one""" SELECT nullif(i * 7 % 61, 5), (ARRAY['it''s', 'x\y', 'z', 'other', NULL])[1 + i % 5], (ARRAY['75211', '75001', '76100', 'ä1'])[1 + i * i % 4], i, '2026-01-01'::date + i FROM generate_series(1, 300) AS i;
CREATE FUNCTION differ(steps text, k int) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE p jsonb := pegs_generalize('"Odd ""one"""', ARRAY['a', 'B b', 'c'], k, 1, fixed => steps::jsonb);
BEGIN
	EXECUTE pegs_generalize_sql('"Odd ""one"""', p, 'made');
	RETURN (SELECT count(*) FROM ((TABLE made EXCEPT ALL SELECT * FROM pegs_generalized('"Odd ""one"""', p) AS t(a text, "B b" text, c text, key_1 float8, d date))
		UNION ALL (SELECT * FROM pegs_generalized('"Odd ""one"""', p) AS t(a text, "B b" text, c text, key_1 float8, d date) EXCEPT ALL TABLE made)) AS x);
END $$;
CREATE FUNCTION differs(steps text, k int) RETURNS bigint LANGUAGE plpgsql AS $$ DECLARE n bigint := differ(steps, k); BEGIN DROP TABLE made; RETURN n; END $$;
SELECT is(differs(format('{"a": %s, "B b": %s, "c": %s}', a, b, c), k), 0::bigint, format('plain SQL, steps %s %s %s, k = %s', a, b, c, k))
FROM generate_series(0, 2) AS a, generate_series(0, 2) AS b, generate_series(0, 3) AS c, unnest(ARRAY[1, 6]) AS k WHERE (a + b + c + k) % 3 = 0;
SELECT is(differ('{"a": 0, "B b": 1, "c": 1}', 6), 0::bigint);
SELECT results_eq('SELECT attname::text COLLATE "default", atttypid::regtype::text FROM pg_attribute WHERE attrelid = ''made''::regclass AND attnum > 0', $$VALUES ('a', 'text'), ('B b', 'text'), ('c', 'text'), ('key_1', 'double precision'), ('d', 'date')$$);
-- what is not declared when it runs stays unseen
ALTER TABLE "Odd ""one""" DROP CONSTRAINT "Odd ""one""_a_check";
SELECT pegs_generalize_sql('"Odd ""one"""', pegs_generalize('"Odd ""one"""', ARRAY['a', 'B b', 'c'], 3, 1, fixed => '{"a": 1, "B b": 1, "c": 1}'), 'late') AS late \gset
INSERT INTO "Odd ""one""" SELECT 99, 'z', '75211', i FROM generate_series(1, 9) AS i;
INSERT INTO "Odd ""one""" SELECT 7, 'z', 'secret' || i, i FROM generate_series(1, 9) AS i;
:late
SELECT is((SELECT count(*) FROM late WHERE a = '99' OR c LIKE '%secret%' OR c LIKE 'se%'), 0::bigint, 'a value that is not declared is suppressed');
SELECT cmp_ok((SELECT count(*) FROM late WHERE (a, "B b", c) = ('*', '*', '*')), '>=', 18::bigint, 'with the others');
SELECT ok((SELECT min(n) >= 3 FROM (SELECT count(*) AS n FROM late GROUP BY a, "B b", c) AS x), 'k holds');
SELECT matches(:'late'::text, '^-- k-anonymity: no guarantee[^\n]*\nCREATE TABLE ', 'who reads the statement is told that it guarantees nothing');
SELECT throws_ok($$SELECT pegs_generalize_sql('births', pegs_generalize('births', ARRAY['zip'], 2, method => 'local'), 'x')$$, '0A000');
SELECT throws_ok($$SELECT pegs_generalize_sql('births', pegs_generalize('births', ARRAY['zip'], 2, 1, sensitive => 'pay', l => 1.1), 'x')$$, '0A000');
SELECT throws_ok($$SELECT pegs_generalize_sql('births', '{}', 'x')$$, '22023');
SELECT matches(pegs_generalize_sql('births', pegs_generalize('births', ARRAY['zip'], 2), 'a b.c d'), 'CREATE TABLE "?a b'::text);

---- what is asked in vain, and what to do: the HINT of each names what fails, and repairs it when it is followed
CREATE FUNCTION hint_of(statement text) RETURNS text LANGUAGE plpgsql AS $$ DECLARE hint text = 'nothing'; BEGIN EXECUTE statement; RETURN hint; EXCEPTION WHEN OTHERS THEN GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT; RETURN hint; END $$;
SELECT is(hint_of(format($$SELECT pegs_generalize('births', ARRAY['zip'], %s)$$, said)), hint, said)
FROM (VALUES ('9', $$Ask for less, k => 2, or let more be suppressed, suppress => 1, method => 'global'.$$), ('2', 'nothing'),
	($$5, fixed => '{"zip": 0}'$$, $$Ask for less, k => 2, or let more be suppressed, suppress => 1, method => 'global'; or leave fixed out.$$), ('5', 'nothing'),
	($$2, sensitive => 'sex', l => 4$$, 'l => 2'), ($$2, sensitive => 'sex', l => 2$$, 'Ask for less, l => 1.5: no class is more varied than the whole table.'), ($$2, sensitive => 'sex', l => 1.5$$, 'nothing'),
	($$2, sensitive => 'sex', l => 2, fixed => '{"zip": 0}'$$, 'Ask for less, l => 1.5, or leave fixed out: no class is more varied than the whole table.'),
	($$2, sensitive => 'sex', l => 2, method => 'local'$$, 'Ask for less, l => 1.5: no class is more varied than the whole table.')) AS v(said, hint);

---- what tells people apart is neither in row_type nor in plain SQL; who names it has it
CREATE TABLE people (id serial PRIMARY KEY, person int, sex text NOT NULL CHECK (sex IN ('F', 'M')), "Case no." text, pay int, half int GENERATED ALWAYS AS (pay / 2) STORED);
INSERT INTO people (person, sex, "Case no.", pay) SELECT i, (ARRAY['F', 'M'])[1 + i % 2], 'c' || i, i FROM generate_series(1, 20) AS i;
SELECT pegs_set_unit('people', 'person'), pegs_leave_out('people', 'Case no.');
SELECT pegs_generalize('people', ARRAY['sex'], 5) AS plan \gset
SELECT is(:'plan'::jsonb ->> 'row_type', 'sex text, pay integer, half integer', 'keys, the unit and what is left out by declaration are not in row_type');
SELECT doesnt_match(pegs_generalize_sql('people', :'plan', 'x'), 'r\.(id|person|"Case no\.")', 'nor in plain SQL');
SELECT pegs_generalize_sql('people', :'plan', 'people_public') \gexec
SELECT results_eq('SELECT attname::text COLLATE "default" FROM pg_attribute WHERE attrelid = ''people_public''::regclass AND attnum > 0 ORDER BY attnum', $$VALUES ('sex'), ('pay'), ('half')$$, 'which runs');
SELECT is((SELECT count(DISTINCT "Case no.") FROM pegs_generalized('people', :'plan') AS t(sex text, "Case no." text)), 20::bigint, 'who names it has it');

---- no rows, one row, NULL, a view, a part
CREATE TABLE small (a text CHECK (a IN ('x', 'y')), b int);
SELECT is(pegs_generalize('small', ARRAY['a']) ->> 'rows', '0', 'an empty table has a plan');
SELECT is(pegs_generalize('small', ARRAY['a'], method => 'local') ->> 'classes', '0');
SELECT is_empty($$SELECT * FROM pegs_generalized('small', pegs_generalize('small', ARRAY['a'])) AS t(a text)$$);
SELECT is_empty($$SELECT * FROM pegs_generalized('small', pegs_generalize('small', ARRAY['a'], method => 'local')) AS t(a text)$$);
INSERT INTO small SELECT CASE i % 2 WHEN 0 THEN 'x' END, i FROM generate_series(1, 20) AS i;
CREATE VIEW small_view AS SELECT b AS c, a AS "A b" FROM small WHERE b > 4;
SELECT results_eq($$SELECT "A b", count(*), sum(c) FROM pegs_generalized('small_view', pegs_generalize('small_view', ARRAY['A b'])) AS t("A b" text, c int) GROUP BY 1 ORDER BY 1$$,
	$$VALUES ('x'::text, 8::bigint, 104::bigint), (NULL, 8, 96)$$, 'NULL is a level; a view is a source');
INSERT INTO small VALUES (NULL, 1);
ALTER TABLE small DROP CONSTRAINT small_a_check;
SELECT pegs_set_levels('small', 'a', ARRAY['x']);
INSERT INTO small VALUES ('secret', 1);
SELECT throws_ok($$SELECT pegs_generalize('small', ARRAY['a'])$$, '23514', NULL, 'a value that is not declared');

-- a row that a fact leaves out is in no plan, and not among the rows
CREATE TABLE left_out (a text, b int, s text CHECK (s IN ('c', 'd')));
INSERT INTO left_out SELECT CASE WHEN i % 4 = 0 THEN 'z' ELSE 'x' END, i, CASE WHEN i % 2 = 0 THEN 'c' END FROM generate_series(1, 40) AS i;
SELECT pegs_set_levels('left_out', 'a', ARRAY['x', 'y'], undeclared => 'drop');
SELECT is(pegs_generalize('left_out', ARRAY['a'], 2) ->> 'rows', '30', 'rows that are left out are in no plan');
SELECT is((SELECT array_agg(DISTINCT a || ' ' || (b % 4 > 0)) FROM pegs_generalized('left_out', pegs_generalize('left_out', ARRAY['a'], 2, fixed => format('{"a": %s}', step)::jsonb)) AS t(a text, b int)), ARRAY[wanted || ' true'], 'and not among the rows, step ' || step)
FROM (VALUES (0, 'x'), (1, '*')) AS v(step, wanted);
-- NULL is a level of the sensitive column, and one: of 10 rows with c and 20 with NULL, l is 1.89
SELECT throws_ok($$SELECT pegs_generalize('left_out', ARRAY['a'], 2, 0, sensitive => 's', l => 1.9)$$, '22023');
SELECT lives_ok($$SELECT pegs_generalize('left_out', ARRAY['a'], 2, 0, sensitive => 's', l => 1.88)$$);

SELECT throws_ok($$SELECT pegs_generalized('births', plan(3, .25))$$, '0A000', 'pegs_generalized must be called in FROM');
SELECT matches(hint, 'row_type in the plan') FROM hint_of_list() AS hint;

-- what a hint gives runs, whatever a column is called
CREATE TABLE quoted ("it's ""\x" text NOT NULL CHECK ("it's ""\x" IN ('a', 'b')));
CREATE FUNCTION hint_of(statement text) RETURNS text LANGUAGE plpgsql AS $$ DECLARE hint text; BEGIN EXECUTE statement; EXCEPTION WHEN OTHERS THEN GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT; RETURN hint; END $$;
SELECT lives_ok(format($$SELECT pegs_generalize('quoted', ARRAY['it''s "\x'], %s)$$, hint_of(format($$SELECT pegs_generalize('quoted', ARRAY['it''s "\x'], %s => %L)$$, argument, value))), argument || ' ' || value)
FROM (VALUES ('weights', '{"no": 1}'), ('weights', '{"it''s \"\\x": -1}'), ('weights', '{"it''s \"\\x": 0}'), ('fixed', '{"it''s \"\\x": 9}'), ('fixed', '{"no": 1}')) AS v (argument, value);
-- the session's notation makes no other plan
SELECT pegs_generalize('births', ARRAY['zip', 'sex'], 2, 1, sensitive => 'pay', l => 1.0000000000000002, t => .30000000000000004, weights => '{"zip": 1.0000000000000002}') AS plan \gset
SET extra_float_digits = -15;
SELECT is(pegs_generalize('births', ARRAY['zip', 'sex'], 2, 1, sensitive => 'pay', l => 1.0000000000000002, t => .30000000000000004, weights => '{"zip": 1.0000000000000002}'), :'plan'::jsonb, 'the same to the last digit');
RESET extra_float_digits;

---- rights
SET ROLE gn_other;
SELECT throws_ok($$SELECT pegs_generalize('births', ARRAY['zip'])$$, '42501');
SELECT throws_ok($$SELECT * FROM pegs_generalized('births', '{}') AS t(zip text)$$, '42501');
SELECT throws_ok($$SELECT pegs_equivalence_classes('births', ARRAY['zip'])$$, '42501');
RESET ROLE;
GRANT SELECT ON births TO gn_other;
SELECT pegs_allow('gn_other');
SET ROLE gn_other;
SELECT throws_ok($$SELECT pegs_generalize('births', ARRAY['zip'])$$, '42501', NULL, 'SELECT is not enough');
SELECT throws_ok($$SELECT * FROM pegs_generalized('births', '{}') AS t(zip text)$$, '42501', NULL, 'nor for rows');
RESET ROLE;
-- of a copy that another made of the curator's rows: the columns alone that he may read, be they keys or not
CREATE ROLE gn_maker; CREATE ROLE gn_curator; GRANT CREATE ON SCHEMA public TO gn_maker, gn_curator; SELECT pegs_allow('gn_curator');
SET ROLE gn_curator;
CREATE TABLE lent (zip text NOT NULL CHECK (zip IN ('1', '2')), sex text NOT NULL CHECK (sex IN ('F', 'M')), note text, who int);
INSERT INTO lent SELECT 1 + i % 2, 'F', 'n' || i, i / 2 FROM generate_series(1, 20) AS i;
SELECT pegs_set_budget('lent', 1);
GRANT SELECT ON lent TO gn_maker;
SET ROLE gn_maker;
CREATE MATERIALIZED VIEW lent_kept AS SELECT * FROM lent;
GRANT SELECT (zip) ON lent_kept TO gn_curator;
SET ROLE gn_curator;
CREATE VIEW lent_seen AS SELECT zip, note FROM lent_kept;
SELECT is((SELECT count(*) FROM pegs_generalized('lent_kept', pegs_generalize('lent_kept', ARRAY['zip'])) AS t(zip text)), 20::bigint, 'SELECT on a column: its rows');
SELECT throws_ok($$SELECT * FROM pegs_generalized('lent_kept', pegs_generalize('lent_kept', ARRAY['zip'])) AS t(zip text, note text)$$, '42501', 'permission denied for materialized view lent_kept', 'and not another one');
SELECT is((SELECT uncovered FROM pegs_budgets WHERE source = 'lent'::regclass), true, 'the account is marked');
SELECT throws_ok($$SELECT pegs_generalize('lent_kept', ARRAY['sex'])$$, '42501', NULL, 'nor for a plan');
SELECT pegs_set_unit('lent_kept', 'who', 2);
SELECT throws_ok($$SELECT pegs_fit('of persons', 'lent_kept', ARRAY['zip'], epsilon => .1)$$, '42501', 'permission denied for materialized view lent_kept', 'nor is a column read that says whose row it is');
SELECT pegs_set_unit('lent_kept', NULL, 1);
SELECT throws_ok($$SELECT pegs_generalize('lent_seen', ARRAY['zip'])$$, '42501', NULL, 'nor through a view');
SET ROLE gn_maker;
GRANT SELECT ON lent_kept TO gn_curator;
SET ROLE gn_curator;
SELECT is((SELECT count(DISTINCT note) FROM pegs_generalized('lent_seen', pegs_generalize('lent_seen', ARRAY['zip'])) AS t(zip text, note text)), 20::bigint, 'SELECT on all of it');
RESET ROLE;

---- as many levels as a code has, and one more
CREATE TABLE fine (a text, b boolean);
SELECT throws_ok($$SELECT pegs_set_levels('fine', 'a', (SELECT array_agg('l' || i) FROM generate_series(1, 65535) AS i))$$, '22023', 'levels must hold between 1 and 65534 values, not 65535');
SELECT pegs_set_levels('fine', 'a', (SELECT array_agg('l' || i) FROM generate_series(1, 65534) AS i));
SELECT is(pegs_generalize('fine', ARRAY['a']) #>> '{keys, 0, groups}', '65535', 'with NULL as many as there can be');
SELECT throws_ok($$SELECT * FROM pegs_equivalence_classes('fine', ARRAY['a'])$$, '54000', 'column "a" has too many levels to be measured');

---- random tables, random plans: by what comes out
CREATE TABLE any_table (a text CHECK (a IN ('p', 'q', 'r', 's')), b int, c boolean, d int NOT NULL CHECK (d IN (1, 2, 3)));
SELECT pegs_set_bins('any_table', 'b', ARRAY['0', '10', '20', '30', '40', '50', '60']);
SELECT pegs_set_hierarchy('any_table', 'a', '[{"groups": {"pq": ["p", "q"]}, "others": "rs"}]');
CREATE FUNCTION fill(n int) RETURNS void LANGUAGE sql AS $$
	TRUNCATE any_table;
	INSERT INTO any_table SELECT (ARRAY['p', 'q', 'r', 's', NULL])[1 + floor(random() * random() * 5)], nullif(floor(random() * 60), 7), nullif(random(), .5) < .3, 1 + floor(random() * 3) FROM generate_series(1, n)
$$;
-- rows are added, others go away, values are others
CREATE FUNCTION change() RETURNS void LANGUAGE sql AS $$
	DELETE FROM any_table WHERE random() < (ARRAY[0, .1, .6])[1 + floor(random() * 3)];
	UPDATE any_table SET a = (ARRAY['p', 'q', 'r', 's', NULL])[1 + floor(random() * 5)], b = nullif(floor(random() * 60), 7) WHERE random() < (ARRAY[0, .1, .6])[1 + floor(random() * 3)];
	UPDATE any_table SET d = 1 + floor(random() * 3) WHERE random() < .3;
	INSERT INTO any_table SELECT (ARRAY['p', 'q', 'r', 's', NULL])[1 + floor(random() * 5)], 59, true, 3 FROM generate_series(1, (random() * 20)::int);
$$;
-- the worst class of what is shown, by pegs_k_anonymity's own measure: its rows, l and t
CREATE TABLE came_out (a text, b text, c text, d int NOT NULL CHECK (d IN (1, 2, 3)));
CREATE FUNCTION worst(p jsonb) RETURNS TABLE (k double precision, l double precision, t double precision) LANGUAGE plpgsql AS $$
DECLARE
	key name;
	found text[];
BEGIN
	TRUNCATE came_out;
	INSERT INTO came_out SELECT * FROM pegs_generalized('any_table', p) AS s(a text, b text, c text, d int);
	FOREACH key IN ARRAY '{a, b, c}'::name[] LOOP
		EXECUTE format('SELECT array_agg(DISTINCT %I) FILTER (WHERE %1$I IS NOT NULL) FROM came_out', key) INTO found;
		PERFORM pegs_set_levels('came_out', key, coalesce(found, '{none}'));
	END LOOP;
	RETURN QUERY SELECT CASE WHEN min(value) FILTER (WHERE measure = 'rows') = 0 THEN 1000 ELSE min(value) FILTER (WHERE measure = 'k') END,
		min(value) FILTER (WHERE measure = 'l_entropy'), min(value) FILTER (WHERE measure = 't_closeness') FROM pegs_k_anonymity('came_out', '{a, b, c}', 'd');
END $$;
CREATE FUNCTION holds(n int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	k int := 1 + floor(random() * 5);
	l float8 := CASE WHEN random() < .5 THEN 1 + random() END;
	t float8 := CASE WHEN random() < .6 THEN .1 + random() * .6 END;
	p jsonb;
	w record;
BEGIN
	PERFORM fill(n);
	BEGIN
		p := pegs_generalize('any_table', ARRAY['a', 'b', 'c'], k, (ARRAY[0, .05, .3, 1])[1 + floor(random() * 4)], (ARRAY['global', 'local'])[1 + floor(random() * 2)], 'd', l, t);
	EXCEPTION WHEN invalid_parameter_value THEN
		RETURN NULL;
	END;
	FOR again IN 1..3 LOOP
		SELECT * INTO w FROM worst(p);
		IF w.k < k OR w.l < l - 1e-9 OR w.t > t + 1e-9 THEN
			RETURN format('%s: %s', p, w);
		END IF;
		-- other rows than those that the plan was made for
		PERFORM change();
	END LOOP;
	RETURN NULL;
END $$;
SELECT is_empty($$SELECT broken FROM generate_series(1, 70) AS i, holds(i * 5 % 170) AS broken WHERE broken IS NOT NULL$$, 'k, l and t hold of what is shown, always');
SELECT setseed(.5);
SELECT fill(400);
SELECT is((SELECT count(*) FROM pegs_generalized('any_table', pegs_generalize('any_table', ARRAY['a', 'b', 'c'], 5, method => 'local', sensitive => 'd', l => 2)) AS s(a text)), 400::bigint, 'local suppresses nothing');
SELECT cmp_ok((pegs_generalize('any_table', ARRAY['a', 'b', 'c'], k, method => 'local') ->> 'loss')::float8, '<=', (pegs_generalize('any_table', ARRAY['a', 'b', 'c'], k, 0) ->> 'loss')::float8, 'local loses less, k = ' || k)
FROM unnest(ARRAY[2, 5, 10]) AS k;

---- the statement that is printed calls no operator of whoever may make one in a schema of the search_path; levels are told apart by their bytes
CREATE SCHEMA evil;
CREATE FUNCTION evil.same(varchar, varchar) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'evil'; END $$;
CREATE OPERATOR evil.= (LEFTARG = varchar, RIGHTARG = varchar, FUNCTION = evil.same);
CREATE COLLATION no_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE TABLE cases (v varchar NOT NULL CHECK (v IN ('p', 'q')), w text COLLATE no_case NOT NULL);
SELECT pegs_set_levels('cases', 'w', ARRAY['a', 'A', 'b', 'B']), pegs_set_hierarchy('cases', 'w', '[{"groups": {"small": ["a", "b"], "large": ["A", "B"]}}]');
INSERT INTO cases SELECT 'p', w FROM unnest(ARRAY['a', 'A', 'A', 'b', 'B', 'B']) AS w;
SET search_path = "$user", public, evil;
SELECT throws_ok($$SELECT 1 FROM cases WHERE v = 'p'::varchar$$, 'P0001', 'evil');
SELECT lives_ok(pegs_generalize_sql('cases', pegs_generalize('cases', ARRAY['v', 'w'], 2, fixed => '{"v": 0, "w": 1}'), 'by_bytes'), 'no operator of another schema');
RESET search_path;
SELECT results_eq('SELECT v, w, count(*) FROM by_bytes GROUP BY v, w ORDER BY w', $$VALUES ('p', 'large', 4::bigint), ('p', 'small', 2)$$, 'by their bytes');

---- rows of a table that is bound to another, through whatever view, are noted where they would be charged; of a part that has a budget, not without one of the whole
CREATE TABLE hosts (id int PRIMARY KEY, kind text NOT NULL CHECK (kind IN ('a', 'b')));
CREATE TABLE guests (id int PRIMARY KEY, host int NOT NULL REFERENCES hosts, sex text NOT NULL CHECK (sex IN ('F', 'M')));
INSERT INTO hosts SELECT i, 'a' FROM generate_series(1, 9) AS i;
INSERT INTO guests SELECT i, i, 'F' FROM generate_series(1, 9) AS i;
CREATE VIEW seen AS SELECT sex FROM guests;
SELECT pegs_set_budget('hosts', 10);
SELECT pegs_set_parent('guests', 'hosts', children => '{0, 1}', at_most => 1);
CREATE FUNCTION noted(source regclass) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	RETURN (SELECT count(*) FROM pegs_generalized(source, pegs_generalize(source, ARRAY['sex'], 2)) AS t(sex text)) || ' rows, '
		|| (SELECT count(*) FROM pegs_ledger AS l WHERE l.source = 'hosts'::regclass AND action = 'uncovered rows') || ' lines';
EXCEPTION WHEN OTHERS THEN RETURN SQLSTATE || ' ' || SQLERRM;
END $$;
SELECT is(noted('guests'), '9 rows, 1 lines', 'of a bound table: the account that pays is marked');
SELECT is(noted('seen'), '9 rows, 2 lines', 'and through a view of it');
SELECT ok((SELECT uncovered FROM pegs_budgets WHERE source = 'hosts'::regclass), 'pegs_budgets says so');
CREATE TABLE whole (sex text NOT NULL CHECK (sex IN ('F', 'M'))) PARTITION BY LIST (sex);
CREATE TABLE of_women (sex text NOT NULL CONSTRAINT whole_sex_check CHECK (sex IN ('F', 'M')));
SELECT pegs_set_budget('of_women', 1);
ALTER TABLE whole ATTACH PARTITION of_women FOR VALUES IN ('F');
INSERT INTO whole SELECT 'F' FROM generate_series(1, 9);
CREATE VIEW whole_seen AS SELECT sex FROM whole;
SELECT matches(noted('whole_seen'), '^55000 .*budget', 'a view of a table of which a part has an account: no row that no line tells of');
SELECT * FROM finish();
