-- Files of models: each that a fit has made comes back; none that no fit could make, whose certificate would contradict itself.
SET client_min_messages = error;	-- scores of next to no epsilon say nothing
CREATE EXTENSION pegs;
SELECT * FROM no_plan();

---- bytes of the record (core/record.h)
\ir lib/crafted.sql
CREATE FUNCTION with_number(b bytea, at int, v numeric, bytes int) RETURNS bytea LANGUAGE sql AS $$ SELECT summed(int_at(b, record_at(b) + at, v, bytes)) $$;
CREATE FUNCTION number_of(b bytea, at int, bytes int) RETURNS numeric LANGUAGE sql AS $$ SELECT sum(get_byte(b, record_at(b) + at + i) * 256::numeric ^ i) FROM generate_series(0, bytes - 1) AS i $$;
CREATE FUNCTION with_words(b bytea, these text, others text) RETURNS bytea LANGUAGE plpgsql AS $$
BEGIN
	IF position(these IN spec_of(b)) = 0 THEN RAISE 'not there: % in %', these, spec_of(b); END IF;
	RETURN with_spec(b, replace(spec_of(b), these, others));
END $$;

-- what comes of a file: 'ok', and then what is said of it must be JSON; or why not
CREATE FUNCTION imported(b bytea) RETURNS text LANGUAGE plpgsql AS $$
DECLARE m text; d text;
BEGIN
	BEGIN
		PERFORM pegs_import('a file', b);
		PERFORM pegs_describe('a file'), pegs_certificate('a file'), pegs_certificate_text('a file');
		RAISE SQLSTATE 'OK000';
	EXCEPTION WHEN SQLSTATE 'OK000' THEN RETURN 'ok';
	WHEN OTHERS THEN
		GET STACKED DIAGNOSTICS m = MESSAGE_TEXT, d = PG_EXCEPTION_DETAIL;
		RETURN concat_ws(' | ', SQLSTATE, m, nullif(d, ''));
	END;
END $$;
CREATE FUNCTION no_file(why text) RETURNS text LANGUAGE sql AS $$ SELECT '22P03 | this is not an exported model: ' || why $$;

---- files of fits: every method, of every kind of account
CREATE TABLE t AS SELECT i AS id, i % 500 AS who, (ARRAY['x', 'y', 'z', 'w'])[1 + i % 4] AS a, (ARRAY['p', 'q', 'r', 's'])[1 + i / 3 % 4] AS b, i % 7 < 3 AS c, i * 7 % 100 AS n, nullif(i % 9, 4) AS k FROM generate_series(1, 2000) AS i;
CREATE TABLE r AS TABLE t;
CREATE TABLE rows3 AS TABLE t;
CREATE TABLE persons AS TABLE t;
CREATE TABLE person1 AS TABLE t;
SELECT pegs_set_levels(s, 'a', '{x, y, z, w}'), pegs_set_levels(s, 'b', '{p, q, r, s}'), pegs_set_levels(s, 'c', '{false, true}'), pegs_set_bins(s, 'n', '{0, 10, 30, 60, 100}'), pegs_set_bins(s, 'k', low => 0, high => 8, bins => 4)
FROM unnest('{t, r, rows3, persons, person1}'::regclass[]) AS s;
SELECT pegs_set_unit('rows3', 'who', 3), pegs_set_unit('persons', 'who', weighting => 'person'), pegs_set_unit('person1', 'who', 1);
SELECT pegs_set_budget(s, 100000, delta => 1e-3, accounting => CASE s::text WHEN 'r' THEN 'zcdp' ELSE 'sum' END) FROM unnest('{t, r, rows3, persons, person1}'::regclass[]) AS s;
CREATE TABLE form (name text, urns boolean, how text);
INSERT INTO form VALUES ('graph', false, ''), ('aimed', false, $$, options => '{"target": "c"}'$$), ('marginals', false, $$, method => 'marginals'$$), ('table', false, $$, method => 'table'$$),
	('copula', false, $$, method => 'copula'$$), ('dummy', false, $$, method => 'copula', options => '{"coding": "dummy"}'$$), ('by', false, $$, method => 'copula', options => '{"by": ["a", "c"]}'$$),
	('kendall', false, $$, method => 'copula', options => '{"correlation": "kendall", "rows": 500}'$$), ('kendall of all', false, $$, method => 'copula', options => '{"correlation": "kendall"}'$$),
	('pmse', false, $$, method => 'pmse', options => '{"rounds": 3, "candidates": 4}'$$), ('pmse of rows', false, $$, method => 'pmse', options => '{"rounds": 2, "candidates": 4, "rows": 2000}'$$),
	('urns', true, $$, method => 'marginals', options => '{"noise": "dirichlet", "rows": 1000}'$$), ('urn', true, $$, method => 'table', options => '{"noise": "dirichlet", "rows": 1000}'$$),
	('within', true, $$, method => 'table', options => '{"noise": "dirichlet", "rows": 100, "within": ["a", "c"]}'$$);
CREATE TABLE made (fit text);
CREATE FUNCTION made(fit text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN	-- one of noise in one table takes no delta, one of urns no rows of persons: told.sql has all of that
	EXECUTE fit;
	INSERT INTO made VALUES (fit);
	RETURN true;
EXCEPTION WHEN invalid_parameter_value OR feature_not_supported THEN RETURN false;
END $$;
CREATE FUNCTION came_back(source text, columns text, epsilon numeric, delta numeric) RETURNS text LANGUAGE plpgsql AS $$
DECLARE f form; said text; all_said text := '';
BEGIN
	FOR f IN SELECT * FROM form LOOP
		CONTINUE WHEN NOT made(format('SELECT pegs_fit(%L, %L, %L, epsilon => %s, delta => %s%s)', 'm', source, columns, epsilon, delta, f.how));
		said := imported(pegs_export('m'));
		all_said := all_said || CASE said WHEN 'ok' THEN '' ELSE format('%s of %s: %s; ', f.name, source, said) END;
		PERFORM pegs_drop('m');
	END LOOP;
	RETURN all_said;
END $$;
SELECT is(came_back(source, '{a, b, c, n, k}', epsilon, delta), '', format('%s at epsilon %s, delta %s', source, epsilon, delta))
FROM unnest('{t, r, rows3, persons, person1}'::text[]) AS source, (VALUES (1, 0), (0.000001, 0), (1, 1e-9), (5000, 1e-12)) AS v (epsilon, delta);
SELECT is(came_back('t', '{c, a}', 0.5, 0), '', 'of two columns');
-- forbidden combinations: combinations of "within" without a cell have no urn
SELECT pegs_forbid('t', '{"a": "x", "c": "true"}');
SELECT is(came_back('t', '{a, c, b}', 1, 0), '', 'with forbidden combinations');
SELECT pegs_forbid('t', NULL);
-- scores, and scores of models
CREATE FUNCTION scores_came_back(source text, epsilon numeric, delta numeric) RETURNS text LANGUAGE plpgsql AS $$
DECLARE how text; said text; all_said text := '';
BEGIN
	FOREACH how IN ARRAY ARRAY['', $a$, method => 'tree'$a$, $a$, method => 'tree', options => '{"depth": 2, "classes": "declared", "alpha": [0.5, 2]}'$a$, $a$, method => 'forest', options => '{"trees": 5, "depth": 3}'$a$, $a$, method => 'forest', options => '{"classes": "declared", "trees": 3}'$a$] LOOP
		CONTINUE WHEN NOT made(format('SELECT pegs_score_fit(%L, %L, ''a'', ''{y, z}'', epsilon => %s, delta => %s, features => ''{b, c, n, k}''%s)', 'm', source, epsilon, delta, how));
		said := imported(pegs_export('m'));
		all_said := all_said || CASE said WHEN 'ok' THEN '' ELSE format('%s of %s: %s; ', how, source, said) END;
		PERFORM pegs_drop('m');
	END LOOP;
	RETURN all_said;
END $$;
SELECT is(scores_came_back(source, epsilon, delta), '', format('scores of %s at epsilon %s, delta %s', source, epsilon, delta))
FROM unnest('{t, r, rows3, persons, person1}'::text[]) AS source, (VALUES (1, 0), (0.000001, 0), (1, 1e-9)) AS v (epsilon, delta);
SELECT pegs_fit('g', 't', '{a, b, c, n, k}', epsilon => 1, delta => 1e-9), pegs_fit('u', 't', '{a, b, c}', epsilon => 1, delta => 1e-9, method => 'marginals', options => '{"noise": "dirichlet", "rows": 1000}'), pegs_fit('p', 'persons', '{a, b, c}', epsilon => 1);
SELECT is((SELECT imported(pegs_export('of ' || m)) FROM pegs_score_fit_of('of ' || m, m, 'a', '{x, y}')), 'ok', 'a score of ' || m) FROM unnest('{g, u, p}'::text[]) AS m;
SELECT cmp_ok((SELECT count(DISTINCT fit) FROM made), '>=', 290::bigint, 'so many different fits');
-- a fit anew, counts of an aggregate, a choice among models, learnt levels, a slice
SELECT pegs_refit('g');
SELECT is(imported(pegs_export('g')), 'ok', 'a fit anew');
SELECT pegs_fit_state('stated', 't', (SELECT pegs_agg((SELECT pegs_spec('t', '{a, c}', method => 'table')), a, c) FROM t), '{a, c}', epsilon => 1, method => 'table');
SELECT is(imported(pegs_export('stated')), 'ok', 'counts of an aggregate');
CREATE TABLE learnt AS TABLE t;
SELECT pegs_set_budget('learnt', 100, delta => 1e-3, accounting => 'sum');
SELECT pegs_learn_levels('learnt', 'a', epsilon => 1, delta => 1e-6);
SELECT pegs_fit('learnt', 'learnt', '{a}', epsilon => 1);
SELECT is(imported(pegs_export('learnt')), 'ok', 'learnt levels');

---- an account that does not agree with itself
CREATE TABLE file AS SELECT name, pegs_export(name) AS b FROM (SELECT 'g' AS name UNION ALL SELECT 'u' UNION ALL SELECT 'of g') AS n;
DO $$
DECLARE f form;
BEGIN
	FOR f IN SELECT * FROM form LOOP
		EXECUTE format('SELECT pegs_fit(%L, ''t'', ''{a, b, c, n}'', epsilon => 3%s)', f.name, f.how);
		INSERT INTO file VALUES (f.name, pegs_export(f.name));
	END LOOP;
END $$;
SELECT pegs_score_fit('tree', 't', 'a', '{y, z}', epsilon => 3, features => '{b, c, n}', method => 'tree', options => '{"depth": 3}'), pegs_score_fit('forest', 't', 'a', '{y, z}', epsilon => 3, features => '{b, c, n}', method => 'forest', options => '{"trees": 5, "classes": "declared"}'),
	pegs_score_fit('additive', 't', 'a', '{y, z}', epsilon => 3, features => '{b, c, n}');
INSERT INTO file SELECT name, pegs_export(name) FROM unnest('{tree, forest, additive}'::text[]) AS name;
SELECT is(with_words(b, '"pegs"', '"pegs"'), b, name || ': a file with its own words is itself') FROM file;
SELECT is(imported(with_number(b, 32, 1, 8)), no_file('its account does not agree with itself'), name || ': another epsilon') FROM file;
SELECT is(imported(with_number(with_number(b, 16, 0, 8), 24, 0, 8)), no_file('its account does not agree with itself'), name || ': costs, and nothing is spent') FROM file WHERE name <> 'of g';
SELECT is(imported(with_number(b, 24, number_of(b, 24, 8) - 1, 8)), no_file('its account does not agree with itself'), name || ': less is spent than things cost') FROM file WHERE name <> 'of g';
SELECT is(imported(with_number(b, 16, number_of(b, 16, 8) + CASE WHEN number_of(b, 8, 4) = 1 THEN 1 ELSE 2 ^ 32::numeric END, 8)), no_file('its account does not agree with itself'), name || ': more than epsilon buys') FROM file;
SELECT is(imported(with_number(b, 64, number_of(b, 64, 8) + 1, 8)), no_file('its account does not agree with itself'), name || ': a thing cost more') FROM file;
SELECT is(imported(with_number(b, 64, 2 ^ 64::numeric - 1, 8)), no_file('its account does not agree with itself'), name || ': a thing cost all there is') FROM file;
SELECT is(imported(with_number(with_number(b, 24, number_of(b, 24, 8) - number_of(b, 64, 8), 8), 64, 0, 8)), no_file('its account does not agree with itself'), name || ': something was looked at, and cost nothing')
FROM file WHERE number_of(b, 60, 4) > 0;
SELECT is(imported(with_number(with_number(b, 80, 0, 8), 24, number_of(b, 24, 8) - number_of(b, 80, 8), 8)), no_file('its account does not agree with itself'), name || ': the second thing likewise') FROM file WHERE number_of(b, 76, 4) > 0;
SELECT is(imported(with_number(b, 60, 0, 4)), no_file('its account does not agree with itself'), name || ': something cost, and was not looked at') FROM file WHERE number_of(b, 60, 4) > 0;
SELECT is(imported(with_number(b, 48, v, 4)), no_file('its account does not agree with itself'), format('%s: %s rows of a person', name, v)) FROM file, unnest('{2147483648, 1001, 4294967295}'::numeric[]) AS v WHERE name <> 'g';

SELECT is(imported(with_number(with_number(with_number(b, 24, 5, 8), 60, 1, 4), 64, 5, 8)), no_file('its account does not agree with itself'), 'a score of a model has spent nothing itself') FROM file WHERE name = 'of g';

---- options that are not of the tables
CREATE FUNCTION with_options(b bytea, options text) RETURNS bytea LANGUAGE sql AS $$
	SELECT with_spec(b, regexp_replace(regexp_replace(spec_of(b), ', "options": .*}}$', '}'), '}$', CASE WHEN options = '' THEN '}' ELSE ', "options": ' || options || '}' END)) $$;
SELECT is(imported(with_options(b, options)), no_file(CASE why WHEN 't' THEN 'no fit with its options makes its tables' WHEN 'o' THEN 'no fit takes its options' ELSE why END), format('%s with %s', name, coalesce(nullif(options, ''), 'none')))
FROM file JOIN (VALUES
	('marginals', '{"rows": 1000, "noise": "dirichlet"}', 't'), ('table', '{"rows": 1000, "noise": "dirichlet"}', 't'), ('table', '{"rows": 1000}', 'o'), ('marginals', '{"rows": 1000}', 'o'), ('table', '{"within": ["a"]}', 'o'),
	('urns', '', 't'), ('urn', '', 't'), ('within', '', 't'), ('urns', '{"rows": 999, "noise": "dirichlet"}', 't'), ('urn', '{"rows": 999, "noise": "dirichlet"}', 't'),
	('urn', '{"rows": 250, "noise": "dirichlet", "within": ["a"]}', 't'), ('within', '{"rows": 800, "noise": "dirichlet"}', 't'), ('within', '{"rows": 100, "noise": "dirichlet", "within": ["a"]}', 't'),
	('within', '{"rows": 200, "noise": "dirichlet", "within": ["a"]}', 't'), ('within', '{"rows": 100, "noise": "dirichlet", "within": ["b", "c"]}', 't'),
	('kendall', '', 't'), ('kendall', '{"rows": 7, "correlation": "kendall"}', 't'), ('kendall', '{"correlation": "kendall"}', 't'), ('kendall', '{"rows": 500}', 'o'), ('copula', '{"correlation": "kendall"}', 't'),
	('copula', '{"rows": 500, "correlation": "kendall"}', 't'), ('by', '', 't'), ('by', '{"by": ["a"]}', 't'), ('by', '{"by": ["a", "b"]}', 't'), ('by', '{"by": ["a", "b", "c"]}', 't'), ('copula', '{"by": ["a"]}', 't'),
	('dummy', '', 't'), ('copula', '{"coding": "dummy"}', 't'), ('dummy', '{"by": ["a"], "coding": "dummy"}', 'o'), ('kendall', '{"coding": "dummy"}', 't'),
	('pmse', '{"rounds": 9, "candidates": 4}', 't'), ('pmse', '', 't'), ('pmse', '{"rows": 2000, "rounds": 3, "candidates": 4}', 't'), ('pmse of rows', '{"rounds": 2, "candidates": 4}', 't'), ('pmse of rows', '{"rows": 1999, "rounds": 2, "candidates": 4}', 't'),
	('tree', '', 'o'), ('tree', '{"depth": 3, "positive": {"a": ["y"]}}', 't'), ('tree', '{"depth": 3, "positive": {"a": ["x", "y", "z"]}}', 't'), ('tree', '{"depth": 3, "positive": {"b": ["q", "r"]}}', 't'), ('tree', '{"depth": 1, "positive": {"a": ["y", "z"]}}', 't'),
	('tree', '{"alpha": [1, 2], "depth": 3, "positive": {"a": ["y", "z"]}}', 't'), ('tree', '{"depth": 3, "classes": "declared", "positive": {"a": ["y", "z"]}}', 't'),
	('forest', '{"trees": 6, "classes": "declared", "positive": {"a": ["y", "z"]}}', 't'), ('forest', '{"trees": 5, "positive": {"a": ["y", "z"]}}', 't'), ('forest', '{"depth": 1, "trees": 5, "classes": "declared", "positive": {"a": ["y", "z"]}}', 't'),
	('additive', '{"positive": {"a": ["y"]}}', 't'), ('additive', '{"positive": {"b": ["q", "r"]}}', 't'), ('of g', '{"positive": {"a": ["z", "w"]}}', 't'), ('of g', '{"positive": {"a": ["x"], "b": ["p"]}}', 'o')) AS v (name, options, why) USING (name);
-- what was looked at is not of the options, though all is added up well: a part of what the first thing cost is put down to another
CREATE FUNCTION put_down(b bytea, at int) RETURNS bytea LANGUAGE sql AS $$ SELECT with_number(with_number(with_number(b, 64, number_of(b, 64, 8) - 5, 8), at + 4, 1, 4), at + 8, 5, 8) $$;
SELECT is(imported(put_down(b, at)), no_file('no fit with its options makes its tables'), format('%s: spent on what lies at %s', name, at)) FROM file JOIN (VALUES ('copula', 72), ('copula', 104), ('kendall', 72), ('by', 72), ('dummy', 88), ('dummy', 104)) AS v (name, at) USING (name);
SELECT is(imported(with_number(with_number(with_number(b, 80, number_of(b, 80, 8) - 5, 8), 60, 1, 4), 64, 5, 8)), no_file('no fit with its options makes its tables'), 'draws pay all') FROM file WHERE name = 'urns';
SELECT is(imported(with_number(b, at, 2, 4)), no_file('no fit with its options makes its tables'), name || ': so many urns') FROM file JOIN (VALUES ('urns', 76), ('urn', 92), ('within', 92)) AS v (name, at) USING (name);
SELECT is(imported(with_words(b, '"sloped", "options"', '"sloped", "target": ["c"], "options"')), no_file('it has a target, and its method has none'), name || ' with a target') FROM file WHERE name IN ('dummy', 'pmse');
SELECT is(imported(with_words(b, '"tail_bits": 0', '"tail_bits": 1')), no_file('its columns have parents, and its method has none'), name || ' with a tail') FROM file WHERE name IN ('marginals', 'tree');
SELECT is(imported(with_spec(b, regexp_replace(spec_of(b), '"parents": \[\]', '"parents": ["c"]'))), no_file('its columns have parents, and its method has none'), name || ' with a parent') FROM file WHERE name IN ('urns', 'additive');

---- facts that no table has
SELECT is(imported(with_words(b, these, others)), said, format('%s becomes %s', these, others)) FROM file, (VALUES
	('"name": "n"', '"name": ""', no_file('a column has no name')), ('"type": "integer", "edges": ["0"', '"type": "double precision", "edges": ["-Infinity"', no_file('a bin has no end')), ('"60", "100"], "null": true', '"60", "NaN"], "null": true', '22P03 | this is not an exported model, or its facts cannot be read here | invalid input syntax for type integer: "NaN".'),
	('"type": "pg_catalog.text", "levels": ["x", "y", "z", "w"]', '"type": "integer", "levels": ["1", "01", "2", "3"]', no_file('two levels of a column are one value')),
	('"type": "pg_catalog.text", "levels": ["x", "y", "z", "w"]', '"type": "integer", "levels": ["1", "x", "2", "3"]', '22P03 | this is not an exported model, or its facts cannot be read here | invalid input syntax for type integer: "x".'),
	('"columns"', '"forbidden": [[["c", 0, 1, 2]]], "columns"', no_file('nearly every row is forbidden'))) AS v (these, others, said) WHERE name = 'aimed';
---- what a certificate says beside the facts: lookup tables, and whom the rows refer to
CREATE TABLE house (id int PRIMARY KEY, v boolean NOT NULL DEFAULT true);
CREATE TABLE codes (k text PRIMARY KEY, chapter text NOT NULL);
CREATE TABLE "Other codes" (k text PRIMARY KEY);
INSERT INTO house SELECT generate_series(1, 100); INSERT INTO codes VALUES ('a1', 'a'), ('a2', 'a'), ('b1', 'b'); INSERT INTO "Other codes" VALUES ('x'), ('y');
CREATE TABLE guest (house int REFERENCES house, host int REFERENCES house, code text REFERENCES codes, more text NOT NULL REFERENCES "Other codes", v boolean NOT NULL);
INSERT INTO guest SELECT id, 1 + id % 9, CASE WHEN id % 3 = 0 THEN 'a1' ELSE 'b1' END, 'x', id % 2 = 0 FROM house;
SELECT pegs_set_parent('guest', 'house', '{house}', children => '{0, 1}', at_most => 2), pegs_set_budget('house', 1e5), pegs_set_lookup('guest', 'code', 'codes', 'k', via => '{chapter}'), pegs_set_lookup('guest', 'more', '"Other codes"', 'k');
SELECT pegs_fit('alone', 'guest', ARRAY['code', 'more', 'v'], epsilon => 50);
SELECT pegs_fit_schema('both', 'house', epsilon => 50);
SELECT pegs_import('alone again', pegs_export('alone')), pegs_import('both again', pegs_export('both'));
CREATE FUNCTION words(model text) RETURNS text LANGUAGE sql AS $$ SELECT replace(c ->> 'public', 'declared levels', 'levels') || ' | ' || (c ->> 'not_protected') FROM pegs_certificate(model) AS c $$;
SELECT matches(words('alone'), 'the rows of the lookup tables public\.codes, public\."Other codes" \(and their keys\).* a row of public\.house in the rows of guest that refer to it by host$', 'what there is to say');
SELECT is(words(n || ' again'), words(n), n || ': of a file it is the same') FROM unnest('{alone, both}'::text[]) AS n;
SELECT is(pegs_export(n || ' again'), pegs_export(n), n || ': and goes on with the next') FROM unnest('{alone, both}'::text[]) AS n;
SELECT is(pegs_describe('alone again') -> 'not_covered', pegs_describe('alone') -> 'not_covered', 'pegs_describe, too');
SELECT is((SELECT count(code) = count(*) AND count(*) = 50 FROM pegs_sample_as(NULL::guest, 'alone again', 50)), true, 'and rows are drawn of it');
-- of an older version
SELECT pegs_import('old', with_spec(b, regexp_replace(spec_of(b), ', "lookups": .*}$', '}'))) FROM pegs_export('alone') AS b;
SELECT is(words('old'), 'columns, levels and bins, lookup tables and their keys, expressions of computed columns | superusers, files, backups; what other releases of the same rows tell: add up their epsilons', 'an old file does not say it');
SELECT is(pegs_export('old'), with_spec(b, regexp_replace(spec_of(b), ', "lookups": .*}$', '}')), 'and goes on as it came') FROM pegs_export('alone') AS b;
SELECT is(imported(with_words(b, these, others)), coalesce('22P03 | this is not an exported model, or its facts cannot be read here | ' || said, no_file('its tables are none of its facts')), format('%s becomes %s', these, others)) FROM pegs_export('alone') AS b, (VALUES
	('"lookups": ["public.codes", ', '"lookups": ["public.codes", "public.codes", ', 'spec is not valid: "lookups" says nothing, or twice the same.'), ('"lookups": ["public.codes", ', '"lookups": ["", ', 'spec is not valid: "lookups" says nothing, or twice the same.'),
	('"lookups": ["public.codes", ', '"lookups": [1, ', 'spec is not valid: "lookups" must hold texts.'), ('"beside": [', '"beside": ["", ', 'spec is not valid: "beside" says nothing, or twice the same.'),
	('"lookups": ["public.codes", ', '"lookups": ["a.b.c", ', 'the name of a table has more than two parts.'), ('"lookups": ["public.codes", ', '"lookups": ["public.codes; of all", ', 'invalid name syntax.'),
	('"lookups": ["public.codes", ', '"lookups":  ["public.codes", ', NULL), ('"lookups"', '"tables_": 1, "lookups"', NULL)) AS v (these, others, said);
SELECT is(imported(with_spec(b, left(spec_of(b), -1) || ', "beside": ["a row"]}')), '22P03 | this is not an exported model, or its facts cannot be read here | spec is not valid: "beside" is of one table, and it is of several.', 'of several tables their facts say it') FROM pegs_export('both') AS b;
-- a table here that has the name of one there is not what the file took
\setenv PGDATABASE :DBNAME
SELECT pegs_drop('alone'), pegs_drop('both');
\set told `psql -XqAt -c "ALTER TABLE codes ADD house int REFERENCES house" -c "SELECT pegs_set_budget('codes', 1)" 2>&1 | grep -c "again"`
SELECT is(:'told'::text, '0', 'whoever makes that one private is not told of files');
SELECT * FROM finish();
