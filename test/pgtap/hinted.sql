-- Each argument that a HINT names is one of the function that was called, or of the one that the HINT calls: what several functions
-- refuse in one place, each of them says with its own arguments.
SET client_min_messages = warning;
CREATE EXTENSION pegs;
CREATE SCHEMA hinted;
SET search_path = hinted, public;
SELECT * FROM no_plan();
CREATE TABLE good (a text NOT NULL CHECK (a IN ('x', 'y')), b int NOT NULL CHECK (b BETWEEN 0 AND 9), z text, c text GENERATED ALWAYS AS (a || 'c') STORED);
CREATE TABLE synthetic (a text, b int);
CREATE TABLE keyed (id int PRIMARY KEY, a text NOT NULL CHECK (a IN ('x', 'y')));
SELECT pegs_set_budget('good', 1000, 1e-3), pegs_set_budget('keyed', 1000);
SELECT pegs_set_levels('good', 'z', ARRAY['z']);
SELECT pegs_fit('perturbed', 'good', epsilon => 10), pegs_fit('sealed', 'good', parents => '{}');
SELECT pegs_release('release', 'perturbed', 10);
SELECT pegs_unset('good', 'z');
-- arguments that no function has; NULL: nothing was refused. 'pegs_f(a => 1, b => 2)' are those of pegs_f, others of the function that was called
CREATE FUNCTION not_there(statement text, OUT called text, OUT hint text, OUT arguments text[]) LANGUAGE plpgsql AS $$
DECLARE
	part text[];
	other text;
BEGIN
	called := substring(statement FROM '(pegs_\w+)\s*\(');
	EXECUTE statement;
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT;
	arguments := '{}';
	FOR part IN SELECT regexp_matches(hint, '(pegs_\w+)\([^()]*|(\w+) => ', 'g') LOOP
		other := coalesce(part[1], other);
		-- of its own call, to the parenthesis that closes it
		IF part[1] IS NOT NULL THEN
			arguments := arguments || ARRAY(SELECT m[1] FROM regexp_matches(substring(hint FROM position(part[1] || '(' IN hint)), '^[^)]*?\m(\w+) => ', 'g') AS m
				WHERE NOT EXISTS (SELECT FROM pg_proc WHERE proname = part[1] AND m[1] = ANY (proargnames)));
		ELSIF NOT EXISTS (SELECT FROM pg_proc WHERE proname = called AND part[2] = ANY (proargnames)) THEN
			arguments := arguments || part[2];
		END IF;
	END LOOP;
END
$$;
SELECT is(n.arguments, '{}', format('%s: %s', statement, n.hint)) FROM unnest(ARRAY[
	$$SELECT pegs_plan('good', 100)$$, $$SELECT pegs_refit('perturbed')$$, $$SELECT pegs_fit('q', 'good', epsilon => 1)$$, $$SELECT pegs_fit('q', 'good', ARRAY['z'], epsilon => 1)$$,
	$$SELECT pegs_fit('q', 'keyed', ARRAY['id'], epsilon => 1)$$, $$SELECT pegs_fit('q', 'good', ARRAY['c'], epsilon => 1)$$, $$SELECT pegs_fit_state('q', 'good', NULL::pegs_state, epsilon => 1)$$, $$SELECT pegs_spec('good')$$,
	$$SELECT pegs_k_anonymity('good', ARRAY['a', 'z'])$$, $$SELECT pegs_k_anonymity('good', ARRAY['a'], 'z')$$, $$SELECT pegs_k_anonymity('good', ARRAY['a', 'no'])$$, $$SELECT pegs_k_anonymity('good', NULL)$$,
	$$SELECT pegs_disclosure('good', 'synthetic')$$, $$SELECT pegs_disclosure('good', 'synthetic', ARRAY['a'], 'z')$$, $$SELECT pegs_disclosure_of('perturbed', ARRAY['no'], 'b')$$, $$SELECT pegs_disclosure_of('perturbed', '{}')$$,
	$$SELECT pegs_utility('good', 'synthetic')$$, $$SELECT pegs_utility('good', 'synthetic', 2, ARRAY['z'])$$, $$SELECT pegs_utility('good', 'synthetic', 7)$$, $$SELECT pegs_utility_of('perturbed', 7)$$, $$SELECT pegs_utility_of('perturbed', 2, '{no}')$$,
	$$SELECT pegs_regression('good', 'synthetic', 'linear', 'b', ARRAY['a', 'z'])$$, $$SELECT pegs_regression('good', 'synthetic', 'linear', 'z', ARRAY['a'])$$, $$SELECT pegs_regression('good', 'synthetic', 'linear', 'b', NULL)$$,
	$$SELECT pegs_ru_map('good', ARRAY[1.0])$$, $$SELECT pegs_report('perturbed', ARRAY['no'], 'b')$$, $$SELECT pegs_forbid('good', '{"z": "1"}')$$, $$SELECT pegs_forbid('good', '{"z": "1", "a": "x"}')$$,
	$$SELECT pegs_learn('good', 1)$$, $$SELECT pegs_learn('good', 1, columns => '{no}')$$, $$SELECT pegs_learn_levels('good', 'z', 1, 0)$$, $$SELECT pegs_learn_range('good', 'z', 1)$$, $$SELECT pegs_order('good', 'a', 'b')$$,
	$$SELECT * FROM pegs_sample('sealed') AS t(a text)$$, $$SELECT * FROM pegs_sample('sealed', 10) AS t(a text)$$, $$SELECT * FROM pegs_sample('perturbed', 10, 1) AS t(no text)$$, $$SELECT pegs_cost('sealed')$$, $$SELECT pegs_release('q', 'sealed', 10)$$,
	$$SELECT pegs_export('sealed')$$, $$SELECT pegs_view_sql('sealed', 'v')$$, $$SELECT pegs_best('good', ARRAY['perturbed', 'release'], NULL)$$, $$SELECT pegs_unit_cost(NULL)$$, $$SELECT pegs_set_unit('good', 'no')$$,
	$$SELECT pegs_fit_slices('q', 'good')$$, $$SELECT pegs_set_slices('good', 'b', epsilon => 1)$$, $$SELECT pegs_set_bins('good', 'b', ARRAY[1])$$, $$SELECT pegs_set_levels('good', 'a', ARRAY['x', 'x'])$$, $$SELECT pegs_adopt('good', 1, NULL)$$]) AS statement, not_there(statement) AS n;
-- what it says where there are columns to choose, under another name, and where there are none
SELECT is((not_there(statement)).hint, hint, statement) FROM (VALUES
	($$SELECT pegs_k_anonymity('good', ARRAY['a', 'z'])$$, $$SELECT pegs_set_levels('hinted.good', 'z', ARRAY['...']); Or name the columns to use: keys => ARRAY[...].$$),
	($$SELECT pegs_regression('good', 'synthetic', 'linear', 'b', ARRAY['a', 'z'])$$, $$SELECT pegs_set_levels('hinted.good', 'z', ARRAY['...']); Or name the columns to use: terms => ARRAY[...].$$),
	($$SELECT pegs_disclosure_of('perturbed', ARRAY['no'], 'b')$$, $$Columns that are compared: ARRAY['a', 'b', 'z']$$),
	($$SELECT pegs_disclosure_of('perturbed', ARRAY['a'], 'c')$$, $$Name those that it is computed from, of ARRAY['a', 'b', 'z']$$),
	($$SELECT pegs_regression('good', 'synthetic', 'logistic', 'a = no', ARRAY['b'])$$, $$SELECT pegs_levels('hinted.good', 'a');$$),
	($$SELECT pegs_plan('good', 100)$$, $$SELECT pegs_set_levels('hinted.good', 'z', ARRAY['...']); Or leave it out: pegs_leave_out('hinted.good', 'z')$$),
	($$SELECT pegs_refit('perturbed')$$, $$SELECT pegs_set_levels('hinted.good', 'z', ARRAY['...']);$$)) AS v(statement, hint);
-- an option of rows that is given to a fit: it is told where it belongs, whichever rows know it
SELECT pegs_fit('within', 'good', ARRAY['a', 'b'], method => 'table', options => '{"within": ["a"]}');
CREATE TABLE of_rows AS SELECT DISTINCT name FROM unnest(ARRAY[$$'perturbed', 10$$, $$'within', 10, 0.1$$, $$'sealed', 10, 0.1$$]) AS asked,
	regexp_split_to_table(substring((not_there(format($$SELECT * FROM pegs_sample(%s, options => '{"no": 1}') AS t(a text, b int)$$, asked))).hint FROM '^Known are: (.*)[.]$'), ', ') AS name;
SELECT is((SELECT string_agg(name, ' ' ORDER BY name) FROM of_rows), 'draw each fresh keys part parts sweeps', 'options of rows');
SELECT matches((not_there(format($$SELECT pegs_fit('q', 'good', ARRAY['a', 'b'], epsilon => 1, options => '{"%s": 1}')$$, name))).hint, ' It is an option of pegs_sample[.,]', name) FROM of_rows ORDER BY name;
-- scores, keys made coarser, values from averages: the argument that was wrong is the one that is told of, and what it may be is listed
CREATE TABLE synthetic_averages AS SELECT a, 1.5 AS average FROM synthetic;
CREATE TABLE "By A" (a text, "Mean" float8);
SELECT pegs_score_fit('score', 'good', 'a', '{x}', features => '{b}', epsilon => 10);
CREATE FUNCTION aggregates("from" text, "on" text, value text) RETURNS text LANGUAGE sql AS $$ SELECT quote_literal(jsonb_build_object('from', "from", 'on', jsonb_build_array("on"), 'value', value)) $$;
CREATE TEMP TABLE said AS SELECT v.statement, (not_there(v.statement)).*, v.message, v.expected FROM (VALUES
	($$SELECT pegs_score_fit('q', 'good', 'no', '{x}', epsilon => 1)$$, 'target "no" is not a column of hinted.good', $$SELECT column_name FROM pegs_domain('hinted.good');$$),
	($$SELECT pegs_score_fit('q', 'good', 'z', '{x}', features => '{b}', epsilon => 1)$$, 'column "z" cannot be used: no declared domain', $$SELECT pegs_set_levels('hinted.good', 'z', ARRAY['...']);$$),
	($$SELECT pegs_score_fit('q', 'good', 'a', '{x}', features => '{z}', epsilon => 1)$$, 'column "z" cannot be used: no declared domain', $$SELECT pegs_set_levels('hinted.good', 'z', ARRAY['...']); Or name the columns to use: features => ARRAY[...].$$),
	($$SELECT pegs_score_fit('q', 'good', 'a', '{no}', features => '{b}', epsilon => 1)$$, 'a level that "positive" names for column "a" is not in its declared domain', $$Levels of column "a" are named 'x', 'y'.$$),
	($$SELECT pegs_score_fit('q', 'good', 'b', '{no}', features => '{a}', epsilon => 1)$$, 'invalid input syntax for type integer: "no"', NULL),
	($$SELECT pegs_score_fit('q', 'good', 'a', '{x}', features => '{b}', epsilon => 1, options => '{"trees": 3}')$$, 'unknown option "trees"', 'Method "additive" knows none: leave it out.'),
	($$SELECT pegs_score_fit('q', 'good', 'a', '{x}', features => '{b}', epsilon => 1, method => 'forest', options => '{"tree": 3}')$$, 'unknown option "tree"', 'Method "forest" knows: depth, classes, trees.'),
	($$SELECT pegs_score_fit('q', 'good', 'a', '{x}', features => '{b}', method => 'tree', options => '{"publishd": true}')$$, 'unknown option "publishd"', 'Method "tree" knows: depth, classes, alpha, published.'),
	($$SELECT pegs_score_fit('q', 'good', 'a', '{x}', features => '{b}', method => 'tree', options => '{"published": true, "trees": 3}')$$, 'unknown option "trees"', 'Method "tree published" knows: alpha, depth, cuts, least.'),
	($$SELECT pegs_score_fit_of('q', 'perturbed', 'no', '{x}')$$, 'column "no" is not in model "perturbed"', NULL),
	($$SELECT pegs_score_fit_of('q', 'score', 'no', '{x}')$$, 'model "score" is a score: it has no rows', NULL),
	($$SELECT pegs_score('score', r) FROM (SELECT 'x'::text AS b) AS r$$, 'column "b" is of type text, and score "score" was made of integer', $$Cast it: b::integer; or give a JSON object: SELECT pegs_score('score', to_jsonb(t)) FROM my_table AS t;$$),
	($$SELECT * FROM pegs_score_quality('score', 'synthetic_averages')$$, 'relation "synthetic_averages" has no column "b"', 'Its columns are: a, average.'),
	($$SELECT * FROM pegs_utility('good', 'synthetic_averages', 1, '{a, b}')$$, 'relation "synthetic_averages" has no column "b"', 'Of a model of fewer columns, leave the others out: columns => ARRAY[''a'']'),
	($$SELECT * FROM pegs_disclosure('good', 'synthetic_averages', '{a}', columns => '{b, a}')$$, 'relation "synthetic_averages" has no column "b"', 'Of a model of fewer columns, leave the others out: columns => ARRAY[''a'']'),
	($$SELECT * FROM pegs_utility('good', 'synthetic_averages', 1, '{b}')$$, 'relation "synthetic_averages" has no column "b"', 'Its columns are: a, average.'),
	($$SELECT pegs_set_levels('good', 'z', '{}')$$, 'levels must hold between 1 and 65534 values, not 0', $$A column without values says nothing: SELECT pegs_leave_out('hinted.good', 'z'); leaves it out.$$),
	($$SELECT pegs_generalize('good', '{a}', sensitive => 'b')$$, 'a sensitive column needs l or t: neither is given, so nothing would be asked of it', 'l => 2, or t => 0.3; or leave sensitive out.'),
	($$SELECT pegs_generalize('good', '{a}', sensitive => 'z', l => 2)$$, 'column "z" cannot be used: no declared domain', $$SELECT pegs_set_levels('hinted.good', 'z', ARRAY['...']);$$),
	($$SELECT pegs_generalize('good', '{z}')$$, 'column "z" cannot be used: no declared domain', $$SELECT pegs_set_levels('hinted.good', 'z', ARRAY['...']); Or name the columns to use: keys => ARRAY[...].$$),
	($$SELECT * FROM pegs_generalized('keyed', pegs_generalize('good', '{b}')) AS t(b text)$$, 'column "b" of hinted.keyed does not exist', NULL),
	($$SELECT * FROM pegs_generalized('good', jsonb_set(pegs_generalize('good', '{a}'), '{keys,0,column}', '"z"')) AS t(z text)$$, 'column "z" cannot be used: no declared domain', $$SELECT pegs_set_levels('hinted.good', 'z', ARRAY['...']);$$),
	($$SELECT * FROM pegs_generalized('good', pegs_generalize('good', '{a}')) AS t(a int)$$, 'column "a" is of type text here, not integer', 'Every key is a text, every other column as it is in the table: AS t(a text, ...). The member row_type of the plan has all of them.'),
	($$SELECT * FROM pegs_disaggregate_check('synthetic', $$ || aggregates('synthetic_averages', 'a', 'avg') || ')', 'relation "synthetic_averages" has no column "avg"', 'Its columns are: a, average.'),
	($$SELECT * FROM pegs_disaggregate_check('synthetic', $$ || aggregates('synthetic_averages', 'average', 'average') || ')', 'relation "synthetic" has no column "average"', 'The columns of "on" are in both relations. Its columns are: a, b.'),
	($$SELECT * FROM pegs_disaggregate_check('synthetic', $$ || aggregates('synthetic_averages', 'a', 'a') || ')', 'column "a" of relation "synthetic_averages" is of type text, not a number', 'Name a column of numbers, or a view that makes a number of it.'),
	($$SELECT * FROM pegs_disaggregate_check('synthetic', $$ || aggregates('synthetic_averages', 'a', 'average') || $$, '{a}')$$, 'column "a" of relation "synthetic" is of type text, not a number', $$Name a number; a column of levels may be a factor: factors => ARRAY['a']$$),
	($$SELECT * FROM pegs_disaggregate_check('synthetic', $$ || aggregates('By A', 'a', 'Mean') || ')', 'invalid name syntax', '"from" names a relation as SQL does, with quotes where SQL needs them: {"from": "my_schema.\"Cost by County\"", ...}'),
	($$SELECT * FROM pegs_disaggregate_check('synthetic', $$ || aggregates('no', 'a', 'Mean') || ')', 'relation "no" does not exist', '"from" names a relation as SQL does, with quotes where SQL needs them: {"from": "my_schema.\"Cost by County\"", ...}'),
	($$SELECT * FROM pegs_disaggregate('synthetic', 'b', $$ || aggregates('synthetic_averages', 'a', 'average') || $$, method => 'no')$$, 'method must be mean, er, ludia or cudia, not "no"', $$method => 'er'$$),
	($$SELECT * FROM pegs_reconstruct('good', 'b', '["no"]')$$, 'hinted.good has no column "no"', 'Its columns are: a, b, z, c.'),
	($$SELECT * FROM pegs_reconstruct('good', 'a', '["z"]')$$, 'column "a" of relation "good" is of type text, not a number', 'Name a column of numbers, or a view that makes a number of it.'),
	($$SELECT * FROM pegs_reconstruct('good', 'b', '["a"]', methods => '{no}')$$, 'method must be mean, er, ludia or cudia, not "no"', $$methods => ARRAY['mean', 'er']$$)) AS v(statement, message, expected);
SELECT is(arguments, '{}', format('%s: %s', statement, hint)) FROM said;
SELECT is(hint, expected, statement) FROM said WHERE expected IS NOT NULL;
SELECT throws_ok(statement, NULL, message, statement) FROM said;
SELECT lives_ok($$SELECT * FROM pegs_disaggregate_check('synthetic', $$ || aggregates('hinted."By A"', 'a', 'Mean') || ')', 'as that hint says it');
-- of an object, whose values are texts: of which column
DO $$ DECLARE said text; BEGIN PERFORM pegs_score('score', '{"b": "old"}'::jsonb); EXCEPTION WHEN OTHERS THEN GET STACKED DIAGNOSTICS said = PG_EXCEPTION_CONTEXT; PERFORM set_config('hinted.said', split_part(said, chr(10), 1), false); END $$;
SELECT is(current_setting('hinted.said'), '"old" for column "b", in features', 'a value that its type refuses');
SELECT is((not_there($$SELECT pegs_score('score', '{"b": "old"}'::jsonb)$$)).hint, 'In its place put a value that column "b" of type integer can have.', 'and what to do');
SELECT is((not_there($$SELECT pegs_score_explain('score', '{"b": 3.5}'::jsonb)$$)).hint, 'In its place put a value that column "b" of type integer can have.', 'also of a number');
CREATE TABLE broad (k int);
DO $$ BEGIN FOR i IN 1 .. 31 LOOP EXECUTE format('ALTER TABLE broad ADD COLUMN c%s int', i); END LOOP; END $$;
ALTER TABLE broad DROP COLUMN c1;
SELECT is((not_there($$SELECT * FROM pegs_disaggregate('broad', 'no', $$ || aggregates('synthetic_averages', 'a', 'average') || ')')).hint,
	'Its columns are: k, ' || (SELECT string_agg('c' || i, ', ' ORDER BY i) FROM generate_series(2, 30) AS i) || ', ....', 'thirty names, without those that are gone');
-- a release where a model is asked for, and a model for a release: whoever may use it is told where its rows are; to others it is no name
CREATE ROLE hinted_nobody;
GRANT USAGE ON SCHEMA hinted TO hinted_nobody;
SELECT pegs_grant('release', 'hinted_nobody');
CREATE TABLE kinds AS SELECT statement, told, hint FROM (VALUES
	($$SELECT * FROM pegs_sample('release', 5) AS t(a text)$$, '"release" is a release, and a model is asked for', format($$Its rows: SELECT * FROM pegs_rows('release') AS t(%s); Its model: $$, pegs_row_type('release'))),
	($$SELECT pegs_cost('release', 5)$$, '"release" is a release, and a model is asked for', $$SELECT model FROM pegs_releases WHERE name = 'release';$$),
	($$SELECT pegs_release('other', 'release', 5)$$, '"release" is a release, and a model is asked for', $$SELECT model FROM pegs_releases WHERE name = 'release';$$),
	($$SELECT * FROM pegs_rows('perturbed') AS t(a text)$$, '"perturbed" is a model, and a release is asked for', format($$Its rows: SELECT * FROM pegs_sample('perturbed') AS t(%s); Releases of it: $$, pegs_row_type('perturbed'))),
	($$SELECT * FROM pegs_rows_as(NULL::hinted.synthetic, 'perturbed')$$, '"perturbed" is a model, and a release is asked for', $$SELECT name FROM pegs_releases WHERE model = 'perturbed';$$)) AS v(statement, told, hint);
CREATE FUNCTION said_of(statement text) RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE hint text;
BEGIN
	EXECUTE statement;
	RETURN '{ok}';
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT;
	RETURN ARRAY[SQLERRM, hint];
END $$;
SELECT is((said_of(statement))[1] || CASE WHEN strpos((said_of(statement))[2], hint) > 0 THEN '' ELSE ': ' || (said_of(statement))[2] END, told, statement) FROM kinds;
SELECT lives_ok(substring((said_of(statement))[2] FROM 'SELECT \* FROM .*?;'), 'pasted: ' || statement) FROM kinds;
GRANT SELECT ON kinds TO hinted_nobody;
SET ROLE hinted_nobody;
SELECT is((said_of(statement))[1], CASE WHEN told ~ 'is a release' THEN told ELSE 'there is no model or release "perturbed", or it is not granted to you' END, 'as nobody: ' || statement) FROM kinds;
RESET ROLE;
---- of several things that are wrong a fit says the first, in the order that docs/reference.md tells: each line mends what the one before was told
CREATE FUNCTION first_of(statement text) RETURNS text LANGUAGE plpgsql AS $$ BEGIN EXECUTE statement; RETURN 'ok'; EXCEPTION WHEN OTHERS THEN RETURN sqlstate || ' ' || sqlerrm; END $$;
CREATE TABLE wrong (a text NOT NULL CHECK (a IN ('x', 'y')), b int NOT NULL, z text);
INSERT INTO wrong VALUES ('x', 5, NULL);
SELECT pegs_set_levels('wrong', 'b', '{1, 2}');
SELECT is(first_of(format('SELECT pegs_fit(%L, %L, %L, epsilon => %L, delta => %L, max_parents => %L, options => %L, method => %L)', model, source, columns, epsilon, delta, parents, options, method)), told, told) FROM (VALUES
	('', 'pg_class', '{}', 0, 2, -1, '[]', 'no', '22023 model must not be empty'),
	('perturbed', 'pg_class', '{}', 0, 2, -1, '[]', 'no', '42809 "pg_class" cannot be a source: it is a system table'),
	('perturbed', 'wrong', '{}', 0, 2, -1, '[]', 'no', '22023 columns must name at least one column'),
	('perturbed', 'wrong', '{no, z}', 0, 2, -1, '[]', 'no', '22023 epsilon must be at least 1e-9'),
	('perturbed', 'wrong', '{no, z}', 1, 2, -1, '[]', 'no', '22023 delta must be 0, or at least 1e-18 and below 1'),
	('perturbed', 'wrong', '{no, z}', 1, 0, -1, '[]', 'no', '22023 options must be a JSON object'),
	('perturbed', 'wrong', '{no, z}', 1, 0, -1, '{"no": 1}', 'no', '22023 max_parents must not be negative'),
	('perturbed', 'wrong', '{no, z}', 1, 0, 7, '{"no": 1}', 'no', '22023 there is no method "no"'),
	('perturbed', 'wrong', '{no, z}', 1, 0, 7, '{"no": 1}', 'graph', '22023 unknown option "no"'),
	('perturbed', 'wrong', '{no, z}', 1, 0, 7, '{"target": "no"}', 'graph', '22023 max_parents cannot be given with epsilon'),
	('perturbed', 'wrong', '{no, z}', 1, 0, 2, '{"target": "no"}', 'graph', '42703 column "no" of hinted.wrong does not exist'),
	('perturbed', 'wrong', '{a, z}', 1, 0, 2, '{"target": "no"}', 'graph', '22023 column "z" cannot be used: no declared domain'),
	('perturbed', 'wrong', '{a, b}', 1, 0, 2, '{"target": "no"}', 'graph', '42703 target "no" is not a column of the model'),
	('perturbed', 'wrong', '{a, b}', 1, 0, 2, '{"rows": 5}', 'table', '22023 method "table" cannot fit this: option "rows" goes with "noise": "dirichlet" alone'),
	('perturbed', 'wrong', '{a, b}', 1, 0, 2, '{"target": "a"}', 'graph', '42710 model or release "perturbed" already exists'),
	('of wrong', 'wrong', '{a, b}', 1, 0, 2, '{"target": "a"}', 'graph', '55000 table "wrong" has no privacy budget')) AS w (model, source, columns, epsilon, delta, parents, options, method, told);
SELECT pegs_set_budget('wrong', 0.5);
SELECT is(first_of($$SELECT pegs_fit('of wrong', 'wrong', '{a, b}', epsilon => 1)$$), '53400 this costs more than is left of the privacy budget', 'a budget without room');
SELECT is(first_of($$SELECT pegs_fit('of wrong', 'wrong', '{a, b}', epsilon => 0.5)$$), '23514 column "b" holds a value that is not in its declared domain', 'and rows last');
SELECT is(spent, 0::numeric, 'before any charge') FROM pegs_budgets WHERE source = 'wrong'::regclass;
SELECT * FROM finish();
