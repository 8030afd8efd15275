-- undeclared => 'drop': a row with a value that is not declared is left out, by that value alone (F5 of the review of 0.2.0); large delta.
SET client_min_messages = warning;
CREATE EXTENSION pegs;
SELECT plan(39);
CREATE TABLE t (who int, code text, n int, d date);
INSERT INTO t SELECT i % 500, (ARRAY['a', 'b', 'x'])[1 + i % 3], i % 50, '2024-01-01'::date + i % 100 FROM generate_series(1, 3000) AS i;
SELECT pegs_set_budget('t', epsilon => 10000, delta => 1e-6);
SELECT pegs_set_levels('t', 'code', ARRAY['a', 'b']), pegs_set_bins('t', 'n', ARRAY['0', '10', '40']), pegs_set_bins('t', 'd', ARRAY['2024-01-01', '2024-03-01', '2025-01-01']);
CREATE FUNCTION unmasked(bytea) RETURNS bytea LANGUAGE c STRICT AS '$libdir/pegs', 'pegs_unmasked';
CREATE FUNCTION state(name text) RETURNS pegs_state LANGUAGE sql AS
$$ SELECT unmasked(b.body)::text::pegs_state FROM pegs_internal.body b JOIN pegs_internal.model m ON m.id = b.model WHERE m.name = $1 $$;
SELECT throws_ok($$ SELECT pegs_fit('m', 't', ARRAY['code', 'd'], parents => '{}') $$, '23514', 'column "code" holds a value that is not in its declared domain', 'an error as before: levels');
SELECT throws_ok($$ SELECT pegs_fit('m', 't', ARRAY['n', 'd'], epsilon => 1) $$, '23514', 'column "n" holds a value that is not in its declared domain', 'an error as before: bins');
SELECT pegs_spec('t', ARRAY['code', 'n', 'd'], parents => '{"code": ["n"]}') AS plain \gset
SELECT unalike(:'plain'::text, '%undeclared%', 'the canonical text is what it was, where nothing is dropped');
SELECT pegs_set_levels('t', 'code', ARRAY['a', 'b'], undeclared => 'drop');
SELECT pegs_set_bins('t', 'n', ARRAY['0', '10', '40'], undeclared => 'drop');
SELECT pegs_spec('t', ARRAY['code', 'n', 'd'], parents => '{"code": ["n"]}') AS spec \gset
SELECT alike(:'spec'::text, '%"undeclared": "drop"%', 'the canonical text says what is dropped');
SELECT results_eq($$ SELECT origin FROM pegs_domain('t') WHERE column_name IN ('code', 'n', 'd') ORDER BY column_name $$,
	$$ VALUES ('declared levels, other rows are left out'), ('declared bins'), ('declared bins, other rows are left out') $$, 'pegs_domain shows it');
SELECT lives_ok($$ SELECT pegs_fit('sealed', 't', ARRAY['code', 'n', 'd'], parents => '{"code": ["n"]}') $$, 'a sealed fit');
SELECT is(state('sealed')::text, (SELECT pegs_agg(:'spec', code, n, d)::text FROM t WHERE code IN ('a', 'b') AND n BETWEEN 0 AND 40), 'counts the other rows');
SELECT is(state('sealed')::text, (SELECT pegs_agg(:'spec', code, n, d)::text FROM t), 'pegs_agg leaves out the same');
SELECT is((SELECT pegs_agg(:'spec', 'x'::text, 1, '2024-01-01'::date)::text FROM generate_series(1, 5000)), (SELECT pegs_agg(:'spec', 'x'::text, 1, '2024-01-01'::date)::text FROM t LIMIT 1), 'every row left out: an empty state');
SELECT lives_ok($$ SELECT pegs_fit_state('from state', 't', (SELECT pegs_agg(pegs_spec, code, n, d) FROM t, pegs_spec('t', ARRAY['code', 'n', 'd']) GROUP BY pegs_spec), ARRAY['code', 'n', 'd'], epsilon => 100) $$, 'a state can be fitted');
SELECT lives_ok($$ SELECT pegs_fit('perturbed', 't', ARRAY['code', 'n', 'd'], epsilon => 100) $$, 'a perturbed fit');
SELECT ok((pegs_describe('perturbed') ->> 'rows')::numeric BETWEEN 0.97 * n AND 1.03 * n, 'stands for the other rows') FROM (SELECT count(*) AS n FROM t WHERE code IN ('a', 'b') AND n BETWEEN 0 AND 40) AS x;
SELECT is(pegs_describe('perturbed') -> 'spec' -> 'columns' -> 0 ->> 'undeclared', 'drop', 'pegs_describe says it');
SELECT is(pegs_describe('perturbed') ->> 'left_out', 'rows with a value that is not declared of code, n', 'pegs_describe says it in words');
SELECT alike(pegs_certificate_text('perturbed'), E'%\nleft out:    rows with a value that is not declared of code, n\n%', 'and the certificate');
SELECT pegs_fit('all rows', 't', ARRAY['d'], epsilon => 100);
SELECT ok(NOT pegs_describe('all rows') ? 'left_out', 'nothing is said where nothing is left out');
SELECT unalike(pegs_certificate_text('all rows'), '%left out:%', 'nor in the certificate');
-- a model and its file keep it
SELECT pegs_import('from a file', pegs_export('perturbed'));
SELECT is(pegs_describe('from a file') -> 'spec', pegs_describe('perturbed') -> 'spec', 'export and import');
-- measures compare what was fitted
SELECT is((SELECT sum(original) FROM pegs_marginals_of('perturbed') WHERE column_name = 'code'), (SELECT count(*) FROM t WHERE code IN ('a', 'b') AND n BETWEEN 0 AND 40)::numeric, 'measures leave the same rows out');
-- with a unit: rows are chosen among those that are not left out
SELECT pegs_set_unit('t', 'who', weighting => 'person');
SELECT pegs_fit('persons', 't', ARRAY['code', 'd'], epsilon => 100);
SELECT ok((pegs_describe('persons') ->> 'rows')::numeric BETWEEN 490 AND 510, 'with a unit: every person has a row that is not left out');
SELECT pegs_set_unit('t', NULL);
-- rows that are left out take no place of the person: odd persons have one row, even ones nine more that are left out
CREATE TABLE places (who int NOT NULL, code text NOT NULL);
INSERT INTO places SELECT p, CASE WHEN p % 2 = 0 THEN 'x' ELSE 'y' END FROM generate_series(1, 2000) AS p;
INSERT INTO places SELECT p, 'unknown' FROM generate_series(2, 2000, 2) AS p, generate_series(1, 9);
SELECT pegs_set_budget('places', epsilon => 10000), pegs_set_levels('places', 'code', ARRAY['x', 'y'], undeclared => 'drop');
CREATE FUNCTION shares(model text) RETURNS text LANGUAGE sql AS
$$ SELECT string_agg(code || ' ' || n, ', ' ORDER BY code) FROM (SELECT code, round(count(*) / 100.0) AS n FROM pegs_sample(model, 2000) AS t(code text) GROUP BY code) AS x $$;
SELECT pegs_set_unit('places', 'who', weighting => 'person'), pegs_fit('equal persons', 'places', ARRAY['code'], epsilon => 100);
SELECT is(shares('equal persons'), 'x 10, y 10', 'person: what is left out takes no place');
SELECT ok((pegs_describe('equal persons') ->> 'rows')::numeric BETWEEN 1990 AND 2010, 'person: every person with a row that counts is one row');
SELECT pegs_set_unit('places', 'who', 1), pegs_fit('one row', 'places', ARRAY['code'], epsilon => 100);
SELECT is(shares('one row'), 'x 10, y 10', 'row: what is left out takes no place');
SELECT ok((pegs_describe('one row') ->> 'rows')::numeric BETWEEN 1990 AND 2010, 'row: every person with a row that counts is one row');
-- exactly: the counts are those of a table that never had such rows; persons of up to 298 rows, many chunks
CREATE TABLE many (who text, code text NOT NULL, n int NOT NULL);
INSERT INTO many SELECT nullif(p % 301, 300), (ARRAY['unknown', 'x', 'y', 'y'])[1 + r % 4], (r * p) % 7
FROM generate_series(1, 600) AS p, generate_series(1, 1 + p % 150) AS r;
CREATE TABLE clean (LIKE many INCLUDING ALL);
INSERT INTO clean SELECT * FROM many WHERE code <> 'unknown' AND n <= 5;
SELECT pegs_set_budget(t, epsilon => 100), pegs_set_levels(t, 'code', ARRAY['x', 'y'], undeclared => 'drop'), pegs_set_bins(t, 'n', ARRAY['0', '2', '5'], undeclared => 'drop')
FROM unnest(ARRAY['many'::regclass, 'clean']) AS t;
CREATE FUNCTION same(name text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
	PERFORM pegs_fit(name || t, t::regclass, ARRAY['code', 'n'], parents => '{"n": ["code"]}') FROM unnest(ARRAY['many', 'clean']) AS t;
	RETURN state(name || 'many')::text = state(name || 'clean')::text;
END $$;
SELECT pegs_set_unit(t, 'who', weighting => 'person') FROM unnest(ARRAY['many'::regclass, 'clean']) AS t;
SELECT ok(same('person '), 'person: the counts of a table that never had such rows');
SELECT pegs_set_unit(t, 'who', 3) FROM unnest(ARRAY['many'::regclass, 'clean']) AS t;
SELECT ok(same('three rows '), 'row: the counts of a table that never had such rows');
SELECT pegs_set_unit(t, 'who', 1000) FROM unnest(ARRAY['many'::regclass, 'clean']) AS t;
SELECT ok(same('all rows '), 'row: and where all rows count');
-- a lookup table, and back to errors
CREATE TABLE codes (code text PRIMARY KEY);
INSERT INTO codes VALUES ('a');
SELECT pegs_set_lookup('t', 'code', 'codes', 'code', undeclared => 'drop');
SELECT pegs_fit('looked up', 't', ARRAY['code', 'd'], parents => '{}');
SELECT is(state('looked up')::text, (SELECT pegs_agg((SELECT pegs_spec('t', ARRAY['code', 'd'], parents => '{}')), code, d)::text FROM t WHERE code = 'a'), 'a lookup table');
SELECT pegs_set_levels('t', 'code', ARRAY['a', 'b']);
SELECT throws_ok($$ SELECT pegs_fit('m', 't', ARRAY['code', 'd'], parents => '{}') $$, '23514', NULL, 'declared again: an error again');
SELECT pegs_set_levels('t', 'code', ARRAY['a', 'b'], 'b');
SELECT lives_ok($$ SELECT pegs_fit('other', 't', ARRAY['code', 'd'], parents => '{}') $$, 'the fourth literal is other');
-- arguments
SELECT throws_ok($$ SELECT pegs_set_levels('t', 'code', ARRAY['a'], undeclared => 'skip') $$, '22023', 'undeclared must be ''error'', ''drop'' or ''nearest''', 'another word');
SELECT throws_ok($$ SELECT pegs_set_bins('t', 'n', ARRAY['0', '1'], undeclared => NULL) $$, '22023', 'undeclared must be ''error'', ''drop'' or ''nearest''', 'NULL');
SELECT throws_ok($$ SELECT pegs_agg('{"pegs": 1, "tables": "pairs", "columns": [{"name": "a", "type": "text", "levels": ["x"], "null": false, "undeclared": "skip"}]}', 'x'::text) $$, '22023', NULL, 'a spec with another word');
SELECT throws_ok($$ SELECT pegs_agg('{"pegs": 1, "tables": "pairs", "columns": [{"name": "a", "type": "text", "levels": ["x"], "null": false, "other": "x", "undeclared": "drop"}]}', 'x'::text) $$, '22023', NULL, 'a spec with other, too');
SELECT is((SELECT count(*) FROM pegs_internal.fact WHERE drop_undeclared AND source = 't'::regclass), 1::bigint, 'what is declared anew begins anew');
-- the statements of the hint run as they are printed, and keep what was declared
CREATE TABLE "It's" (n int NOT NULL, k text NOT NULL);
INSERT INTO "It's" SELECT i % 50, (ARRAY['a', 'b', 'x'])[1 + i % 3] FROM generate_series(1, 300) AS i;
SELECT pegs_set_budget('"It''s"', 10000), pegs_set_bins('"It''s"', 'n', low => '0', high => '40', bins => 4, points => '{7}'), pegs_set_levels('"It''s"', 'k', ARRAY['a', 'b']);
CREATE FUNCTION pasted(col name, command text) RETURNS text LANGUAGE plpgsql AS
$$ DECLARE h text; BEGIN PERFORM pegs_fit('of ' || col, '"It''s"', ARRAY[col], epsilon => 1); RETURN 'no error'; EXCEPTION WHEN check_violation THEN GET STACKED DIAGNOSTICS h = PG_EXCEPTION_HINT; EXECUTE substring(h FROM command); PERFORM pegs_fit('of ' || col, '"It''s"', ARRAY[col], epsilon => 1); RETURN 'mended'; END $$;
SELECT is(pasted('n', 'SELECT pegs_declare.*?;'), 'mended', 'the nearest bin, as the hint has it');
SELECT is(pegs_facts('"It''s"') #>> '{columns,n,undeclared}' || ' ' || (pegs_facts('"It''s"') #>> '{columns,n,points}'), 'nearest ["7"]', 'and all else is declared as it was');
SELECT is(pasted('k', 'or leave such rows out: (SELECT .*? => ''drop''[)];)'), 'mended', 'rows left out, as the hint has it');
SELECT pegs_fit('exact of k', '"It''s"', ARRAY['k'], method => 'table', options => '{"guarantee": "none"}');
CREATE FUNCTION measured() RETURNS text LANGUAGE plpgsql AS
$$ DECLARE h text; c text; BEGIN PERFORM pegs_utility_of('exact of k'); RETURN 'no error'; EXCEPTION WHEN invalid_parameter_value THEN GET STACKED DIAGNOSTICS h = PG_EXCEPTION_HINT; FOREACH c IN ARRAY regexp_split_to_array(substring(h FROM 'CREATE.*'), '; ') LOOP EXECUTE c; END LOOP; RETURN 'measured'; END $$;
SELECT is(measured(), 'measured', 'rows without a guarantee are kept and measured, as the hint has it');
SELECT * FROM finish();
