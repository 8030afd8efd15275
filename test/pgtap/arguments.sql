-- Arguments that are refused: each by its errcode and its message; and what is said besides, each DETAIL and HINT once.
-- What a function does with good ones is in sql/, a file a concept.
SET client_min_messages = warning;
CREATE EXTENSION pegs;
SELECT plan(320);

CREATE SCHEMA arguments;
CREATE TABLE arguments.refused (number int GENERATED ALWAYS AS IDENTITY, statement text NOT NULL, errcode text NOT NULL, message text NOT NULL, detail text, hint text);
-- looks at all that were not looked at yet
CREATE FUNCTION arguments.check_all() RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	r arguments.refused;
BEGIN
	FOR r IN SELECT * FROM arguments.refused WHERE hint IS NULL ORDER BY number LOOP
		RETURN NEXT throws_ok(r.statement, r.errcode, r.message, r.statement);
		BEGIN
			EXECUTE r.statement;
		EXCEPTION WHEN OTHERS THEN
			GET STACKED DIAGNOSTICS r.detail = PG_EXCEPTION_DETAIL, r.hint = PG_EXCEPTION_HINT;
		END;
		UPDATE arguments.refused SET detail = r.detail, hint = coalesce(r.hint, '') WHERE number = r.number;
	END LOOP;
END $$;

---- what is declared
CREATE SCHEMA facts;
SET search_path = facts, public;
CREATE TABLE types (t text);
CREATE TABLE numbers (i int);
INSERT INTO arguments.refused (statement, errcode, message) VALUES
	($$SELECT pegs_set_levels(NULL, 't', ARRAY['a'])$$, '22004', 'source must not be null'),
	($$SELECT pegs_set_levels('types', 't', '{1, "2')$$, '22P02', 'malformed array literal: "{1, "2"'),
	($$SELECT pegs_set_bins('types', 't', '{1, 2} 3')$$, '22P02', 'malformed array literal: "{1, 2} 3"'),
	($$SELECT pegs_set_levels('types', NULL, ARRAY['a'])$$, '22004', 'column_name must not be null'),
	($$SELECT pegs_set_levels('types', 't', levels => NULL)$$, '22004', 'levels must not be null'),
	($$SELECT pegs_set_levels('types', 't', ARRAY[]::text[])$$, '22023', 'levels must hold between 1 and 65534 values, not 0'),
	($$SELECT pegs_set_levels('types', 't', ARRAY['a', NULL])$$, '22004', 'levels must not hold a null'),
	($$SELECT pegs_set_levels('types', 'no_such_column', ARRAY['a'])$$, '42703', 'column "no_such_column" of facts.types does not exist'),
	($$SELECT pegs_set_levels('types', 'ctid', ARRAY['(0,1)'])$$, '42703', 'column "ctid" of facts.types does not exist'),
	($$SELECT pegs_set_levels('types', 'T', ARRAY['a'])$$, '42703', 'column "T" of facts.types does not exist'),
	($$SELECT pegs_set_levels('types', 't', ARRAY(SELECT i::text FROM generate_series(1, 65535) AS i))$$, '22023', 'levels must hold between 1 and 65534 values, not 65535'),
	($$SELECT pegs_set_levels('types', 't', ARRAY['...'])$$, '22023', 'levels must name the values'),
	($$SELECT pegs_set_levels('types', 't', ARRAY['...', '...'], other => '...')$$, '22023', 'levels must name the values'),
	($$SELECT pegs_domain(NULL)$$, '22004', 'source must not be null'),
	($$SELECT pegs_set_derived(NULL, 't', '1')$$, '22004', 'source must not be null'),
	($$SELECT pegs_set_derived('types', NULL, '1')$$, '22004', 'column_name must not be null'),
	($$SELECT pegs_set_derived('types', 't', NULL)$$, '22004', 'expression must not be null'),
	($$SELECT pegs_set_derived('types', 't', 't || ''x''')$$, '22023', 'the expression of column "t" names the column itself'),
	($$SELECT pegs_set_function(NULL, 't', 'u', '{"a": 1}')$$, '22004', 'source must not be null'),
	($$SELECT pegs_set_function('types', NULL, 'u', '{"a": 1}')$$, '22004', 'column_name must not be null'),
	($$SELECT pegs_set_function('types', 't', NULL, '{"a": 1}')$$, '22004', 'of must not be null'),
	($$SELECT pegs_set_function('types', 't', 'u', NULL)$$, '22004', 'mapping must not be null'),
	($$SELECT pegs_set_function('types', 't', 'u', '[1]')$$, '22023', 'mapping must be a JSON object'),
	($$SELECT pegs_set_function('types', 't', 'u', '{"a": 1}')$$, '42703', 'column "u" of facts.types does not exist'),
	($$SELECT pegs_set_function('types', 't', 't', '{"a": 1}')$$, '22023', 'column "t" cannot be a function of itself'),
	($$SELECT pegs_set_groups(NULL, 't', '{"a": "g"}')$$, '22004', 'source must not be null'),
	($$SELECT pegs_set_groups('types', NULL, '{"a": "g"}')$$, '22004', 'column_name must not be null'),
	($$SELECT pegs_set_groups('types', 't', '[1]')$$, '22023', 'groups must be a JSON object'),
	($$SELECT pegs_set_groups('types', 't', '{"a": "g"}')$$, '55000', 'column "t" has no levels to put into groups'),
	($$SELECT pegs_set_groups('numbers', 'i', '{"1": "g"}')$$, '55000', 'column "i" has no levels to put into groups'),
	($$SELECT pegs_set_hierarchy(NULL, 't', '[]')$$, '22004', 'source must not be null'),
	($$SELECT pegs_set_hierarchy('types', NULL, '[]')$$, '22004', 'column_name must not be null'),
	($$SELECT pegs_set_hierarchy('types', 't', '{}')$$, '22023', 'steps must be a JSON list'),
	($$SELECT pegs_set_hierarchy('types', 't', '[]')$$, '55000', 'column "t" of facts.types has no levels, and so no hierarchy'),
	($$SELECT pegs_hierarchy(NULL, 't')$$, '22004', 'source must not be null'),
	($$SELECT pegs_hierarchy('types', NULL)$$, '22004', 'column_name must not be null'),
	($$SELECT pegs_order(NULL, 'a', 'b')$$, '22004', 'source must not be null'),
	($$SELECT pegs_order('types', NULL, 'b')$$, '22004', 'earlier must not be null'),
	($$SELECT pegs_order('types', 'a', NULL)$$, '22004', 'later must not be null'),
	($$SELECT pegs_order('types', 't', 't', '')$$, '22023', 'longest must not be empty'),
	($$SELECT pegs_order('types', 't', 't', '1', 0)$$, '22023', 'bins must be at least 1'),
	($$SELECT pegs_order('types', 't', 't', '1', NULL)$$, '22023', 'bins must be at least 1'),
	($$SELECT pegs_order('types', 'a', 't', '1')$$, '42703', 'column "a" of facts.types does not exist'),
	($$SELECT pegs_order('types', 't', 't', '1')$$, '42804', 'columns "t" of type text and "t" of type text have no order'),
	($$SELECT pegs_generalize(NULL, '{t}')$$, '22004', 'source must not be null'),
	($$SELECT pegs_generalize('types', NULL)$$, '22004', 'keys must not be null'),
	($$SELECT pegs_generalize('types', '{t}', method => NULL)$$, '22004', 'method must not be null'),
	($$SELECT * FROM pegs_generalized(NULL, '{}') AS r(t text)$$, '22004', 'source must not be null'),
	($$SELECT * FROM pegs_generalized('types', NULL) AS r(t text)$$, '22004', 'plan must not be null'),
	($$SELECT pegs_generalize_sql(NULL, '{}', 'x')$$, '22004', 'source must not be null'),
	($$SELECT pegs_generalize_sql('types', NULL, 'x')$$, '22004', 'plan must not be null'),
	($$SELECT pegs_equivalence_classes(NULL, '{t}')$$, '22004', 'relation must not be null'),
	($$SELECT pegs_equivalence_classes('types', NULL)$$, '22004', 'keys must not be null'),
	($$SELECT pegs_plan(NULL, 10)$$, '22004', 'source must not be null'),
	($$SELECT pegs_plan('types', NULL)$$, '22004', 'rows must not be null'),
	($$SELECT pegs_plan('types', 0)$$, '22023', 'rows must be at least 1, not 0'),
	($$SELECT pegs_plan('types', 10, 0)$$, '22023', 'epsilon must be at least 1e-9'),
	($$SELECT pegs_plan('types', 10, 'NaN')$$, '22023', 'epsilon must be a positive finite number'),
	($$SELECT pegs_plan('types', 10, 1, 1)$$, '22023', 'delta must be 0, or at least 1e-18 and below 1'),
	($$SELECT pegs_plan('types', 10, 1, NULL)$$, '22004', 'delta must not be null'),
	($$SELECT pegs_plan('types', 10, options => '[]')$$, '22023', 'options must be a JSON object'),
	($$SELECT pegs_plan('types', 10, options => '{"l_diversity": 2}')$$, '22023', 'unknown option "l_diversity"'),
	($$SELECT pegs_plan('types', 10, options => '{"target": 1}')$$, '22023', 'target must be the name of a column, or a list of such names');
SELECT arguments.check_all();
SELECT is((SELECT levels FROM pegs_domain('types')), NULL, 'nothing was declared');
SELECT lives_ok($$SELECT pegs_set_levels('types', 't', ARRAY['a', '...']), pegs_unset('types', 't')$$, 'three points are a level beside others');

---- forbidden combinations
CREATE SCHEMA forbid;
SET search_path = forbid, public;
CREATE TYPE mdc AS ENUM ('Heart', 'Lung', 'Pregnancy', 'Newborn');
CREATE TABLE t (sex text NOT NULL CHECK (sex IN ('M', 'F')), mdc mdc NOT NULL, age int, ward int CHECK (ward IN (1, 2, 3)), died boolean NOT NULL);
SELECT pegs_set_bins('t', 'age', ARRAY['0', '15', '50', '100']);
INSERT INTO arguments.refused (statement, errcode, message) VALUES
	($$SELECT pegs_forbid(NULL, '{"sex": "M"}')$$, '22004', 'source must not be null'),
	($$SELECT pegs_forbid('t', '[]')$$, '22023', 'combination must be a JSON object'),
	($$SELECT pegs_forbid('t', '"sex"')$$, '22023', 'combination must be a JSON object'),
	($$SELECT pegs_forbid('t', 'null')$$, '22023', 'combination must be a JSON object'),
	($$SELECT pegs_forbid('t', '{}')$$, '22023', 'combination must name a column'),
	($$SELECT pegs_forbid('t', '{"Sex": "M"}')$$, '42703', 'combination names "Sex", which is not a column'),
	($$SELECT pegs_forbid('t', '{"sex": "M", "ctid": "(0,1)"}')$$, '42703', 'combination names "ctid", which is not a column'),
	($$SELECT pegs_forbid('t', '{"sex": "X"}')$$, '22023', 'a value given for column "sex" is not in its declared domain'),
	($$SELECT pegs_forbid('t', '{"sex": "m"}')$$, '22023', 'a value given for column "sex" is not in its declared domain'),
	($$SELECT pegs_forbid('t', '{"sex": null}')$$, '22023', 'a value given for column "sex" is not in its declared domain'),
	($$SELECT pegs_forbid('t', '{"sex": ["M", "X"]}')$$, '22023', 'a value given for column "sex" is not in its declared domain'),
	($$SELECT pegs_forbid('t', '{"mdc": "pregnancy"}')$$, '22P02', 'invalid input value for enum mdc: "pregnancy"'),
	($$SELECT pegs_forbid('t', '{"ward": 4}')$$, '22023', 'a value given for column "ward" is not in its declared domain'),
	($$SELECT pegs_forbid('t', '{"ward": 1.5}')$$, '22P02', 'invalid input syntax for type integer: "1.5"'),
	($$SELECT pegs_forbid('t', '{"age": 101}')$$, '22023', 'a value given for column "age" is not in its declared domain'),
	($$SELECT pegs_forbid('t', '{"age": -1}')$$, '22023', 'a value given for column "age" is not in its declared domain'),
	($$SELECT pegs_forbid('t', '{"age": 14.5}')$$, '22P02', 'invalid input syntax for type integer: "14.5"'),
	($$SELECT pegs_forbid('t', '{"died": "perhaps"}')$$, '22P02', 'invalid input syntax for type boolean: "perhaps"'),
	($$SELECT pegs_forbid('t', '{"sex": {"is": "M"}}')$$, '22023', 'combination must give a value or a list of values for each column'),
	($$SELECT pegs_forbid('t', '{"sex": ["M", ["F"]]}')$$, '22023', 'combination must give a value or a list of values for each column'),
	($$SELECT pegs_forbid('t', '{"sex": [{"is": "M"}]}')$$, '22023', 'combination must give a value or a list of values for each column'),
	($$SELECT pegs_forbid('t', '{"sex": "M", "mdc": "Heart", "ward": 1, "died": true}')$$, '22023', 'a combination can name at most 3 columns');
SELECT arguments.check_all();
SELECT is((SELECT count(*) FROM pegs_internal.forbidden), 0::bigint, 'nothing was forbidden');

---- the privacy unit
CREATE SCHEMA unit;
SET search_path = unit, public;
CREATE TABLE visit (person int, ward text NOT NULL CHECK (ward IN ('A', 'B', 'C')), note json, at point);
INSERT INTO arguments.refused (statement, errcode, message) VALUES
	($$SELECT pegs_set_parent(NULL, 'visit')$$, '22004', 'source must not be null'),
	($$SELECT pegs_set_parent('visit', 'visit', '{}')$$, '22023', 'columns must name at least one column'),
	($$SELECT pegs_set_parent('visit', 'visit', '{NULL}')$$, '22004', 'columns must not hold a null'),
	($$SELECT pegs_set_parent('visit', 'visit')$$, '22023', 'table "visit" refers to itself'),
	($$SELECT pegs_set_parent('visit', NULL)$$, '55000', 'table "visit" has no declared parent'),
	($$SELECT pegs_schema(NULL)$$, '22004', 'root must not be null'),
	($$SELECT pegs_fit_schema(NULL, 'visit')$$, '22004', 'model must not be null'),
	($$SELECT pegs_fit_schema('n', NULL)$$, '22004', 'root must not be null'),
	($$SELECT pegs_fit_schema('n', 'visit')$$, '22004', 'epsilon must be given: a model of several tables is perturbed'),
	($$SELECT pegs_fit_schema('n', 'visit', epsilon => 1)$$, '55000', 'no table is bound to unit.visit'),
	($$SELECT pegs_set_unit(NULL, 'person', 3)$$, '22004', 'source must not be null'),
	($$SELECT pegs_set_unit('visit', 'patient', 3)$$, '42703', 'column "patient" of table "visit" does not exist'),
	($$SELECT pegs_set_unit('visit', 'ctid', 3)$$, '42703', 'column "ctid" of table "visit" does not exist'),
	($$SELECT pegs_set_unit('visit', 'Person', 3)$$, '42703', 'column "Person" of table "visit" does not exist'),
	($$SELECT pegs_set_unit('visit', 'note', 3)$$, '0A000', 'column "note" cannot be sorted and cannot be a privacy unit'),
	($$SELECT pegs_set_unit('visit', 'at', 3)$$, '0A000', 'column "at" cannot be sorted and cannot be a privacy unit'),
	($$SELECT pegs_set_unit('visit', 'person', 0)$$, '22023', 'max_rows must be between 1 and 1000'),
	($$SELECT pegs_set_unit('visit', 'person', -1)$$, '22023', 'max_rows must be between 1 and 1000'),
	($$SELECT pegs_set_unit('visit', 'person', 1001)$$, '22023', 'max_rows must be between 1 and 1000'),
	($$SELECT pegs_set_unit('visit', 'person', NULL)$$, '22023', 'weighting must be ''row'' or ''person''');
SELECT arguments.check_all();
SELECT is((SELECT count(*) FROM pegs_internal.unit), 0::bigint, 'no unit was set');

---- what is learnt
CREATE SCHEMA learn;
SET search_path = learn, public;
CREATE TYPE mood AS ENUM ('sad', 'ok');
CREATE TABLE t (a text, n int, b boolean, m mood, j json, who int, fine numeric(30, 25));
SELECT pegs_set_budget('t', 20, 1e-6, 'sum'), pegs_set_unit('t', 'who');
INSERT INTO arguments.refused (statement, errcode, message) VALUES
	($$SELECT pegs_learn_levels(NULL, 'a', 1, 1e-9)$$, '22004', 'source must not be null'),
	($$SELECT pegs_learn_levels('t', NULL, 1, 1e-9)$$, '22004', 'column_name must not be null'),
	($$SELECT pegs_learn_levels('t', 'z', 1, 1e-9)$$, '42703', 'column "z" of learn.t does not exist'),
	($$SELECT pegs_learn_levels('t', 'ctid', 1, 1e-9)$$, '42703', 'column "ctid" of learn.t does not exist'),
	($$SELECT pegs_learn_levels('t', 'j', 1, 1e-9)$$, '0A000', 'column "j" cannot be used: type json is not supported'),
	($$SELECT pegs_learn_levels('t', 'b', 1, 1e-9)$$, '42809', 'column "b" has levels already: its type is boolean'),
	($$SELECT pegs_learn_levels('t', 'm', 1, 1e-9)$$, '42809', 'column "m" has levels already: its type is an enum'),
	($$SELECT pegs_learn_levels('t', 'who', 1, 1e-9)$$, '42809', 'column "who" is the privacy unit: it says whose row it is, and nothing of it is to be learnt'),
	($$SELECT pegs_learn_levels('t', 'a', NULL, 1e-9)$$, '22004', 'epsilon must not be null'),
	($$SELECT pegs_learn_levels('t', 'a', 0, 1e-9)$$, '22023', 'epsilon must be at least 1e-9'),
	($$SELECT pegs_learn_levels('t', 'a', 'NaN', 1e-9)$$, '22023', 'epsilon must be a positive finite number'),
	($$SELECT pegs_learn_levels('t', 'a', 1, NULL)$$, '22004', 'delta must not be null'),
	($$SELECT pegs_learn_levels('t', 'a', 1, 0)$$, '22023', 'delta must be above 0: it is the chance that a value of one row alone shows'),
	($$SELECT pegs_learn_levels('t', 'a', 1, 1)$$, '22023', 'delta must be 0, or at least 1e-18 and below 1'),
	($$SELECT pegs_learn_levels('t', 'a', 21, 1e-9)$$, '53400', 'this costs more than is left of the privacy budget'),
	($$SELECT pegs_learn_levels('t', 'a', 1, 1e-5)$$, '53400', 'this costs more than is left of the privacy budget'),
	($$SELECT pegs_learn_range(NULL, 'n', 1)$$, '22004', 'source must not be null'),
	($$SELECT pegs_learn_range('t', 'a', 1)$$, '42809', 'column "a" of type text has no range'),
	($$SELECT pegs_learn_range('t', 'b', 1)$$, '42809', 'column "b" has levels already: its type is boolean'),
	($$SELECT pegs_learn_range('t', 'n', NULL)$$, '22004', 'epsilon must not be null'),
	($$SELECT pegs_learn_range('t', 'n', 1, 0)$$, '22023', 'bins must be between 1 and 10000'),
	($$SELECT pegs_learn_range('t', 'n', 1, 10001)$$, '22023', 'bins must be between 1 and 10000'),
	($$SELECT pegs_learn_range('t', 'n', 1, NULL)$$, '22023', 'bins must be between 1 and 10000'),
	($$SELECT pegs_learn_range('t', 'fine', 1)$$, '0A000', 'column "fine" cannot have bins: 25 digits after the point'),
	($$SELECT pegs_learn_range('t', 'n', 21)$$, '53400', 'this costs more than is left of the privacy budget'),
	($$SELECT pegs_learn(NULL, 1)$$, '22004', 'source must not be null'),
	($$SELECT pegs_learn('t', NULL)$$, '22004', 'epsilon must not be null'),
	($$SELECT pegs_learn('t', 1, NULL)$$, '22004', 'delta must not be null'),
	($$SELECT pegs_learn('t', 1, 1e-9, ARRAY['z'])$$, '42703', 'column "z" of learn.t does not exist'),
	($$SELECT pegs_learn('t', 1, 1e-9, ARRAY['fine'])$$, '0A000', 'column "fine" cannot have bins: 25 digits after the point'),
	($$SELECT pegs_learn('t', 1, 1e-9, ARRAY['n'], 0)$$, '22023', 'bins must be between 1 and 10000'),
	($$SELECT pegs_learn('t', 21, 1e-9, ARRAY['n', 'a'])$$, '53400', 'this costs more than is left of the privacy budget');
SELECT arguments.check_all();
SELECT is((SELECT spent FROM pegs_budgets WHERE source = 't'::regclass), 0::numeric, 'nothing was charged for learning');
SELECT is((SELECT count(*) FROM pegs_internal.fact WHERE source = 't'::regclass), 0::bigint, 'and nothing is declared');

---- a fit; it needs no rows to be refused
CREATE SCHEMA fit;
SET search_path = fit, public;
CREATE TABLE t (a text NOT NULL CHECK (a IN ('x', 'y', 'z')), b boolean, c int NOT NULL, d date);
SELECT pegs_set_bins('t', 'c', ARRAY['0', '5', '10']), pegs_set_bins('t', 'd', ARRAY['2024-01-01', '2024-01-11', '2024-01-31']), pegs_set_budget('t', 20);
SELECT pegs_fit('sealed', 't', parents => '{}');
INSERT INTO arguments.refused (statement, errcode, message) VALUES
	($$SELECT pegs_fit(NULL, 't', parents => '{}')$$, '22004', 'model must not be null'),
	($$SELECT pegs_fit('', 't', parents => '{}')$$, '22023', 'model must not be empty'),
	($$SELECT pegs_fit('m', NULL, parents => '{}')$$, '22004', 'source must not be null'),
	($$SELECT pegs_fit('sealed', 't', parents => '{}')$$, '42710', 'model or release "sealed" already exists'),
	($$SELECT pegs_fit('m', 't', structure_epsilon => NULL)$$, '22004', 'structure_epsilon must not be null when the parents are to be chosen'),
	($$SELECT pegs_fit('m', 't', delta => 1e-9, parents => '{}')$$, '22023', 'delta needs epsilon'),
	($$SELECT pegs_fit('m', 't', epsilon => 1, parents => '{}')$$, '22023', 'parents cannot be given with epsilon'),
	($$SELECT pegs_fit('m', 't', epsilon => 1, tail_bits => 1)$$, '22023', 'tail_bits cannot be given with epsilon'),
	($$SELECT pegs_fit('m', 't', epsilon => 1, max_parents => 3)$$, '22023', 'max_parents cannot be given with epsilon'),
	($$SELECT pegs_fit('m', 't', epsilon => 1, structure_epsilon => 0.2)$$, '22023', 'structure_epsilon cannot be given with epsilon'),
	($$SELECT pegs_fit('m', 't', parents => '{}', tail_bits => 2)$$, '22023', 'tail_bits must be 0 or 1'),
	($$SELECT pegs_fit('m', 't', parents => '{}', tail_bits => NULL)$$, '22023', 'tail_bits must be 0 or 1'),
	($$SELECT pegs_fit('m', 't', parents => '{}', max_parents => -1)$$, '22023', 'max_parents must not be negative'),
	($$SELECT pegs_fit('m', 't', parents => '{}', structure_epsilon => 0)$$, '22023', 'structure_epsilon must be at least 1e-9'),
	($$SELECT pegs_fit('m', 't', parents => '[]')$$, '22023', 'parents must be a JSON object'),
	($$SELECT pegs_fit('m', 't', parents => '{"e": ["a"]}')$$, '42703', 'parents are given for "e", which is not a column of the model'),
	($$SELECT pegs_fit('m', 't', parents => '{"a": ["e"]}')$$, '42703', 'parent "e" of "a" is not a column of the model'),
	($$SELECT pegs_fit('m', 't', parents => '{"a": ["a"]}')$$, '22023', 'column "a" cannot be its own parent'),
	($$SELECT pegs_fit('m', 't', parents => '{"a": ["b", "b"]}')$$, '22023', 'parent "b" of "a" is named twice'),
	($$SELECT pegs_fit('m', 't', parents => '{"a": "b"}')$$, '22023', 'the parents of "a" must be a list of columns'),
	($$SELECT pegs_fit('m', 't', parents => '{"a": {"b": 1}}')$$, '22023', 'the parents of "a" must be a list of columns'),
	($$SELECT pegs_fit('m', 't', parents => '{"a": [1]}')$$, '42703', 'parent "1" of "a" is not a column of the model'),
	($$SELECT pegs_fit('m', 't', parents => '{"a": [null]}')$$, '42703', 'parent "null" of "a" is not a column of the model'),
	($$SELECT pegs_fit('m', 't', parents => '{"a": [["b"]]}')$$, '22023', 'a single value was expected in the JSON argument, not an array or an object'),
	($$SELECT pegs_fit('m', 't', columns => ARRAY['a', 'b'], parents => '{"a": ["c"]}')$$, '42703', 'parent "c" of "a" is not a column of the model'),
	($$SELECT pegs_fit('m', 't', columns => ARRAY['a', 'a'], parents => '{}')$$, '42701', 'column "a" is named twice'),
	($$SELECT pegs_fit('m', 't', columns => ARRAY['a', 'e'], parents => '{}')$$, '42703', 'column "e" of fit.t does not exist'),
	($$SELECT pegs_fit('m', 't', columns => ARRAY['a', NULL], parents => '{}')$$, '22004', 'columns must not hold a null'),
	($$SELECT pegs_fit('m', 't', columns => '{}', parents => '{}')$$, '22023', 'columns must name at least one column'),
	($$SELECT pegs_fit('m', 't', parents => '{}', options => '{"seed": 42}')$$, '22023', 'unknown option "seed"'),
	($$SELECT pegs_fit('m', 't', parents => '{}', options => '[]')$$, '22023', 'options must be a JSON object'),
	($$SELECT pegs_fit('m', 't', epsilon => 1, options => '{"target": []}')$$, '22023', 'target must be the name of a column, or a list of such names'),
	($$SELECT pegs_fit('m', 't', epsilon => 1, options => '{"target": ["a", "a"]}')$$, '22023', 'column "a" is named twice in target'),
	($$SELECT pegs_fit('m', 't', parents => '{}', options => '{"target": "a"}')$$, '22023', 'target cannot be given with method "pegs"'),
	($$SELECT pegs_drop('m')$$, '42704', 'there is no model or release "m", or it is not granted to you'),
	($$SELECT pegs_drop(NULL)$$, '22004', 'name must not be null');
SELECT arguments.check_all();
SELECT is((SELECT spent FROM pegs_budgets WHERE source = 't'::regclass), 0::numeric, 'nothing was charged');
SELECT is((SELECT count(*) FROM pegs_models), 1::bigint, 'no model was made');
SELECT count(pegs_drop(name)) FROM pegs_releases;
SELECT count(pegs_drop(name)) FROM pegs_models;

---- parents that are chosen
CREATE SCHEMA structure;
SET search_path = structure, public;
CREATE TABLE t (a int NOT NULL CHECK (a IN (0, 1, 2, 3)), b int NOT NULL CHECK (b IN (0, 1, 2, 3)));
SELECT pegs_set_budget('t', 1000);
SELECT pegs_fit('named', 't', parents => '{}');
INSERT INTO arguments.refused (statement, errcode, message) VALUES
	($$SELECT pegs_fit('n', 't', structure_epsilon => 0)$$, '22023', 'structure_epsilon must be at least 1e-9'),
	($$SELECT pegs_fit('n', 't', structure_epsilon => -1)$$, '22023', 'structure_epsilon must be at least 1e-9'),
	($$SELECT pegs_fit('n', 't', structure_epsilon => 'NaN')$$, '22023', 'structure_epsilon must be a positive finite number'),
	($$SELECT pegs_fit('n', 't', structure_epsilon => 'Infinity')$$, '22023', 'structure_epsilon must be a positive finite number'),
	($$SELECT pegs_fit('n', 't', structure_epsilon => 1e-10)$$, '22023', 'structure_epsilon must be at least 1e-9'),
	($$SELECT pegs_fit('n', 't', structure_epsilon => 1e300)$$, '22023', 'structure_epsilon is too large: 1e+300'),
	($$SELECT pegs_fit('n', 't', max_parents => -1)$$, '22023', 'max_parents must not be negative'),
	($$SELECT pegs_fit('n', 't', max_parents => NULL)$$, '22023', 'max_parents must not be negative'),
	($$SELECT pegs_fit('n', 't', tail_bits => 2)$$, '22023', 'tail_bits must be 0 or 1'),
	($$SELECT pegs_fit('n', 't', delta => 1e-9)$$, '22023', 'delta needs epsilon'),
	($$SELECT pegs_fit('n', 't', options => '{"what": 1}')$$, '22023', 'unknown option "what"'),
	($$SELECT pegs_fit('n', 't', columns => ARRAY['a', 'no such column'])$$, '42703', 'column "no such column" of structure.t does not exist'),
	($$SELECT pegs_fit('named', 't')$$, '42710', 'model or release "named" already exists'),
	($$SELECT pegs_refit(NULL)$$, '22004', 'name must not be null'),
	($$SELECT pegs_refit('named', 0)$$, '22023', 'epsilon must be at least 1e-9'),
	($$SELECT pegs_refit('named', 'NaN')$$, '22023', 'epsilon must be a positive finite number'),
	($$SELECT pegs_refit('named', 1, 1)$$, '22023', 'delta must be 0, or at least 1e-18 and below 1'),
	($$SELECT pegs_refit('no such model')$$, '42704', 'there is no model or release "no such model", or it is not granted to you'),
	($$SELECT pegs_refit('named')$$, '42809', 'model "named" is sealed: it is not fitted anew under its grants'),
	($$SELECT pegs_set_slices(NULL, 'at', '1 day', '2026-01-01', 1)$$, '22004', 'source must not be null'),
	($$SELECT pegs_set_slices('t', NULL, '1 day', '2026-01-01', 1)$$, '22004', 'column_name must not be null'),
	($$SELECT pegs_set_slices('t', 'at', NULL, '2026-01-01', 1)$$, '22004', 'width must not be null'),
	($$SELECT pegs_set_slices('t', 'at', '1 day', NULL, 1)$$, '22004', 'origin must not be null'),
	($$SELECT pegs_set_slices('t', 'at', '1 day', '2026-01-01', epsilon => NULL)$$, '22004', 'epsilon must not be null'),
	($$SELECT pegs_set_slices('t', 'at', '1 day', '2026-01-01', 1e-10)$$, '22023', 'epsilon must be at least 1e-9'),
	($$SELECT pegs_set_slices('t', 'at', '1 day', '2026-01-01', 1, 1)$$, '22023', 'delta must be 0, or at least 1e-18 and below 1'),
	($$SELECT pegs_set_slices('t', 'at', '1 day', '2026-01-01', 1, 1e-9, NULL)$$, '22004', 'zone must not be null'),
	($$SELECT pegs_set_slices(NULL, 'a', 1, 0, ARRAY['x'])$$, '22004', 'source must not be null'),
	($$SELECT pegs_set_slices('t', NULL, 1, 0, ARRAY['x'])$$, '22004', 'column_name must not be null'),
	($$SELECT pegs_set_slices('t', 'a', NULL, 0, ARRAY['x'])$$, '22004', 'epsilon must not be null'),
	($$SELECT pegs_set_slices('t', 'a', 1, NULL, ARRAY['x'])$$, '22004', 'delta must not be null'),
	($$SELECT pegs_set_slices('t', 'a', 1, 0, NULL::text[])$$, '22004', 'slices must not be null'),
	($$SELECT pegs_set_slices('t', 'a', 1, 0, ARRAY['x', NULL])$$, '22004', 'slices must not hold a null'),
	($$SELECT pegs_set_slices('t', 'a', 1, 0, ARRAY[]::text[])$$, '22023', 'slices must hold between 1 and 65534 values, not 0'),
	($$SELECT pegs_unset_slices(NULL)$$, '22004', 'source must not be null'),
	($$SELECT pegs_adopt_slices(NULL, '-infinity', 'x')$$, '22004', 'source must not be null'),
	($$SELECT pegs_adopt_slices('t', NULL, 'x')$$, '22004', 'fitted_until must not be null'),
	($$SELECT pegs_adopt_slices('t', 'infinity', 'x')$$, '22023', 'fitted_until is in the future'),
	($$SELECT pegs_adopt_slices('t', '-infinity', NULL)$$, '22004', 'reason must not be null'),
	($$SELECT pegs_adopt_slices('t', '-infinity', '')$$, '22023', 'reason must not be empty'),
	($$SELECT pegs_adopt_slices('t', '-infinity', 'x')$$, '42704', 'structure.t has no slices'),
	($$SELECT pegs_export_slice('named', 1)$$, '42809', 'model "named" is sealed and cannot be exported: it holds exact counts'),
	($$SELECT pegs_fit_slices(NULL, 't')$$, '22004', 'model must not be null'),
	($$SELECT pegs_fit_slices('n', NULL)$$, '22004', 'source must not be null'),
	($$SELECT pegs_fit_slices('n', 't', most => 0)$$, '22023', 'most must be at least 1, not 0'),
	($$SELECT pegs_fit_slices('n', 't', options => '{"l_diversity": 2}')$$, '22023', 'unknown option "l_diversity"'),
	($$SELECT pegs_fit_slices('n', 't', method => 'no')$$, '22023', 'there is no method "no"'),
	($$SELECT pegs_fit_slices('n', 't', method => 'pegs')$$, '22023', 'slices cannot be fitted with method "pegs"'),
	($$SELECT * FROM pegs_sample_slices(NULL) AS t(a text)$$, '22004', 'model must not be null'),
	($$SELECT pegs_fit_state('n', 't', NULL)$$, '22023', 'the parents of a sealed model made from a state must be declared');
SELECT arguments.check_all();
SELECT is((SELECT spent FROM pegs_budgets WHERE source = 't'::regclass), 0::numeric, 'nothing was charged for a structure');
SELECT is((SELECT count(*) FROM pegs_models), 1::bigint, 'no model with a structure was made');
SELECT count(pegs_drop(name)) FROM pegs_releases;
SELECT count(pegs_drop(name)) FROM pegs_models;

---- releases; models and releases share their names
CREATE SCHEMA release;
SET search_path = release, public;
CREATE TABLE t (a text NOT NULL CHECK (a IN ('x', 'y', 'z')), b boolean);
SELECT pegs_set_budget('t', 100);
SELECT pegs_fit('sealed', 't', parents => '{"a": ["b"]}');
SELECT pegs_release('of sealed', 'sealed', 5, epsilon => 1);
SELECT pegs_fit('within', 't', method => 'table', options => '{"within": ["a"]}');
INSERT INTO arguments.refused (statement, errcode, message) VALUES
	($$SELECT pegs_release(NULL, 'sealed', 5, epsilon => 1)$$, '22004', 'release must not be null'),
	($$SELECT pegs_release('r', NULL, 5, epsilon => 1)$$, '22004', 'model must not be null'),
	($$SELECT pegs_release('r', 'sealed', NULL, epsilon => 1)$$, '22004', 'n must be given: model "sealed" is sealed, and the number of its rows is not public'),
	($$SELECT pegs_release('r', 'sealed', 0, epsilon => 1)$$, '22023', 'n must be at least 1, not 0'),
	($$SELECT pegs_release('r', 'sealed', 5)$$, '22004', 'model "sealed" is sealed: every sample pays'),
	($$SELECT pegs_release('r', 'no such model', 5, epsilon => 1)$$, '42704', 'there is no model or release "no such model", or it is not granted to you'),
	($$SELECT pegs_release('r', 'of sealed', 5, epsilon => 1)$$, '42809', '"of sealed" is a release, and a model is asked for'),
	($$SELECT pegs_release('r', 'sealed', 5, epsilon => 1, given => '{"a": "w"}')$$, '22023', 'the value given for column "a" is not in its declared domain'),
	($$SELECT pegs_release('r', 'sealed', 5, epsilon => 1, options => '{"seed": 42}')$$, '22023', 'unknown option "seed"'),
	($$SELECT pegs_release('r', 'sealed', 5, epsilon => 1, options => '{"keys": true}')$$, '22023', 'option "keys" must be "number"'),
	($$SELECT pegs_release('r', 'sealed', 5, epsilon => 1, options => '{"each": true}')$$, '22023', 'unknown option "each"'),
	($$SELECT pegs_release('r', 'within', 5, epsilon => 1, options => '{"seed": 42}')$$, '22023', 'unknown option "seed"'),
	($$SELECT pegs_release('r', 'within', 5, epsilon => 1, options => '{"each": "a"}')$$, '22023', 'option "each" must be true or false'),
	($$SELECT pegs_release('r', 'within', 0, epsilon => 1, options => '{"each": true}')$$, '22023', 'n must be at least 1, not 0'),
	($$SELECT pegs_release('r', 'within', 3074457345618258603, epsilon => 1, options => '{"each": true}')$$, '22023', 'n is too large: 3074457345618258603 rows of each of 3 combinations'),
	($$SELECT pegs_release('of sealed', 'sealed', 5, epsilon => 1)$$, '42710', 'model or release "of sealed" already exists'),
	($$SELECT pegs_release('sealed', 'sealed', 5, epsilon => 1)$$, '42710', 'model or release "sealed" already exists'),
	($$SELECT pegs_fit('of sealed', 't', parents => '{}')$$, '42710', 'model or release "of sealed" already exists'),
	($$SELECT pegs_columns('of sealed', 0)$$, '22023', 'first must be at least 1, not 0'),
	($$SELECT pegs_columns(NULL)$$, '22004', 'name must not be null'),
	($$SELECT pegs_pairs(NULL)$$, '22004', 'name must not be null'),
	($$SELECT pegs_view_sql('of sealed', 'v', role => NULL)$$, '22004', 'role must not be null'),
	($$SELECT pegs_view_sql('of sealed', 'v', role => 'nobody')$$, '42704', 'role "nobody" does not exist'),
	($$SELECT pegs_view_sql('of sealed', 'v', kind => 'table')$$, '22023', 'kind must be "view" or "materialized view", not "table"'),
	($$SELECT pegs_view_sql('of sealed', 'v', kind => '')$$, '22023', 'kind must not be empty'),
	($$SELECT pegs_utility_schema_of(NULL)$$, '22004', 'name must not be null'),
	($$SELECT pegs_utility_schema_of('of sealed')$$, '42809', '"of sealed" is of one table'),
	($$SELECT pegs_copy_sql(NULL, 'c')$$, '22004', 'name must not be null'),
	($$SELECT pegs_copy_sql('of sealed', NULL)$$, '22004', 'schema_name must not be null'),
	($$SELECT pegs_copy_sql('of sealed', 'c')$$, '42809', '"of sealed" is of one table: only several are copied with their references'),
	($$SELECT pegs_row_type('of sealed', NULL)$$, '22004', 'table_name must not be null'),
	($$SELECT pegs_row_type('of sealed', 't')$$, '42P01', '"of sealed" is of one table, whose name is not asked for'),
	($$SELECT * FROM pegs_rows('of sealed', NULL) AS t(a text)$$, '22004', 'table_name must not be null'),
	($$SELECT * FROM pegs_rows_as(NULL::t, 'of sealed', 't')$$, '42P01', 'release "of sealed" is of one table, whose name is not asked for');
SELECT arguments.check_all();
SELECT is((SELECT spent FROM pegs_budgets WHERE source = 't'::regclass), 1::numeric, 'nothing but the first release was charged');
SELECT is((SELECT count(*) FROM pegs_releases), 1::bigint, 'no release was made');
SELECT count(pegs_drop(name)) FROM pegs_releases;
SELECT count(pegs_drop(name)) FROM pegs_models;

---- two tables side by side
CREATE SCHEMA measures;
SET search_path = measures, public;
CREATE TABLE o (a text NOT NULL CHECK (a IN ('x', 'y')), b text NOT NULL CHECK (b IN ('p', 'q', 'r')));
CREATE TABLE s (b text, a text);
INSERT INTO o VALUES ('x', 'p'), ('y', 'q');
INSERT INTO s VALUES ('p', 'x'), ('q', 'y');
INSERT INTO arguments.refused (statement, errcode, message) VALUES
	($$SELECT pegs_utility(NULL, 's')$$, '22004', 'original must not be null'),
	($$SELECT pegs_utility('o', NULL)$$, '22004', 'synthetic must not be null'),
	($$SELECT pegs_utility('o', 's', NULL)$$, '22023', 'ways must be 1, 2 or 3'),
	($$SELECT pegs_utility('o', 's', 0)$$, '22023', 'ways must be 1, 2 or 3'),
	($$SELECT pegs_utility('o', 's', 4)$$, '22023', 'ways must be 1, 2 or 3'),
	($$SELECT pegs_utility('o', 's', columns => ARRAY['a', 'c'])$$, '42703', 'column "c" of measures.o does not exist'),
	($$SELECT pegs_utility('o', 's', columns => ARRAY['a', 'a'])$$, '42701', 'column "a" is named twice'),
	($$SELECT pegs_utility('o', 's', columns => ARRAY['a', NULL])$$, '22004', 'columns must not hold a null'),
	($$SELECT pegs_utility('o', 's', columns => '{}')$$, '22023', 'columns must name at least one column'),
	($$SELECT pegs_utility('o', 's', measures => ARRAY['chi'])$$, '22023', 'there are no measures called "chi"'),
	($$SELECT pegs_utility('o', 's', measures => NULL)$$, '22004', 'measures must not be null');
SELECT arguments.check_all();

---- the same regression of two tables
SET search_path = measures, public;
CREATE TABLE l (x int CHECK (x IN (0, 1, 2, 3)), y numeric, g text CHECK (g IN ('n', 'y')), hit boolean);
SELECT pegs_set_bins('l', 'y', ARRAY['0', '2', '4', '6']);
CREATE TABLE ls (x int, y float8, g text, hit boolean);
INSERT INTO l VALUES (0, 1, 'n', true), (1, 3, 'y', false), (2, 2, 'n', false), (3, 5, 'y', true);
INSERT INTO ls SELECT * FROM l;
INSERT INTO arguments.refused (statement, errcode, message) VALUES
	($$SELECT pegs_regression(NULL, 'ls', 'linear', 'y', ARRAY['x'])$$, '22004', 'original must not be null'),
	($$SELECT pegs_regression('l', NULL, 'linear', 'y', ARRAY['x'])$$, '22004', 'synthetic must not be null'),
	($$SELECT pegs_regression('l', 'ls', NULL, 'y', ARRAY['x'])$$, '22004', 'kind must not be null'),
	($$SELECT pegs_regression('l', 'ls', 'Linear', 'y', ARRAY['x'])$$, '22023', 'kind must be ''linear'' or ''logistic'''),
	($$SELECT pegs_regression('l', 'ls', 'linear', NULL, ARRAY['x'])$$, '22004', 'target must not be null'),
	($$SELECT pegs_regression('l', 'ls', 'linear', 'y', NULL)$$, '22004', 'terms must not be null'),
	($$SELECT pegs_regression('l', 'ls', 'linear', 'y', ARRAY['z'])$$, '42703', 'column "z" of measures.l does not exist'),
	($$SELECT pegs_regression('l', 'ls', 'linear', 'z', ARRAY['x'])$$, '42703', 'column "z" of measures.l does not exist'),
	($$SELECT pegs_regression('l', 'ls', 'linear', 'y', ARRAY['x', 'x'])$$, '42701', 'column "x" is named twice'),
	($$SELECT pegs_regression('l', 'ls', 'linear', 'y', ARRAY['y'])$$, '42701', 'column "y" is named twice'),
	($$SELECT pegs_regression('l', 'ls', 'linear', 'g', ARRAY['x'])$$, '22023', 'the target "g" is not a number'),
	($$SELECT pegs_regression('l', 'ls', 'logistic', 'g', ARRAY['x'])$$, '22023', 'a logistic regression needs the levels of column "g" that are a success'),
	($$SELECT pegs_regression('l', 'ls', 'logistic', 'g = z', ARRAY['x'])$$, '22023', '"z" is not a declared level of column "g"'),
	($$SELECT pegs_regression('l', 'ls', 'logistic', 'g =', ARRAY['x'])$$, '22023', '"" is not a declared level of column "g"'),
	($$SELECT pegs_regression('l', 'ls', 'logistic', 'g = y |', ARRAY['x'])$$, '22023', '"" is not a declared level of column "g"'),
	($$SELECT pegs_regression('l', 'ls', 'logistic', '', ARRAY['x'])$$, '22023', 'target must not be empty'),
	($$SELECT pegs_regression('l', 'ls', 'linear', 'y', ARRAY['x'], factors => ARRAY['g'])$$, '42703', '"g" is among the factors, but not among the terms'),
	($$SELECT pegs_regression('l', 's', 'linear', 'y', ARRAY['x'])$$, '42703', 'relation "s" has no column "x"');
SELECT arguments.check_all();

---- a choice
CREATE SCHEMA best;
SET search_path = best, public;
CREATE TABLE t (a text NOT NULL CHECK (a IN ('x', 'y')), b boolean NOT NULL, c boolean NOT NULL);
CREATE TABLE u (LIKE t INCLUDING ALL);
SELECT pegs_set_budget('t', 20), pegs_set_budget('u', 20);
SELECT pegs_fit('one', 't', epsilon => 1), pegs_fit('two', 't', epsilon => 1), pegs_fit('small', 't', ARRAY['a'], epsilon => 1), pegs_fit('sealed', 't', parents => '{}'),
	pegs_fit('diverse', 't', parents => '{}', options => '{"l_diversity": 1.5}'), pegs_fit('of u', 'u', epsilon => 1), pegs_import('file', pegs_export('one'));
INSERT INTO arguments.refused (statement, errcode, message) VALUES
	($$SELECT pegs_best(NULL, ARRAY['one', 'two'], 1)$$, '22004', 'source must not be null'),
	($$SELECT pegs_best('t', NULL, 1)$$, '22004', 'names must not be null'),
	($$SELECT pegs_best('t', ARRAY['one', NULL], 1)$$, '22004', 'names must not hold a null'),
	($$SELECT pegs_best('t', '{}', 1)$$, '22023', 'names must be 2 to 1000 models or releases, not 0'),
	($$SELECT pegs_best('t', ARRAY['one'], 1)$$, '22023', 'names must be 2 to 1000 models or releases, not 1'),
	($$SELECT pegs_best('t', ARRAY(SELECT i::text FROM generate_series(1, 1001) AS i), 1)$$, '22023', 'names must be 2 to 1000 models or releases, not 1001'),
	($$SELECT pegs_best('t', ARRAY['one', 'two', 'one'], 1)$$, '22023', '"one" is named twice'),
	($$SELECT pegs_best('t', ARRAY['one', 'gone'], 1)$$, '42704', 'there is no model or release "gone", or it is not granted to you'),
	($$SELECT pegs_best('t', ARRAY['one', ''], 1)$$, '42704', 'there is no model or release "", or it is not granted to you'),
	($$SELECT pegs_best('t', ARRAY['one', 'sealed'], 1)$$, '22023', 'model "sealed" is sealed: its rows are paid for when they are drawn'),
	($$SELECT pegs_best('t', ARRAY['one', 'diverse'], 1)$$, '22023', 'model "diverse" has no guarantee: what is chosen must have one'),
	($$SELECT pegs_best('t', ARRAY['one', 'of u'], 1)$$, '22023', '"of u" is not made of best.t'),
	($$SELECT pegs_best('t', ARRAY['one', 'file'], 1)$$, '22023', 'model "file" came in as a file: of which table it was made is not known here'),
	($$SELECT pegs_best('t', ARRAY['one', 'two'], NULL)$$, '22004', 'epsilon must not be null'),
	($$SELECT pegs_best('t', ARRAY['one', 'two'], 0)$$, '22023', 'epsilon must be at least 1e-9'),
	($$SELECT pegs_best('t', ARRAY['one', 'two'], 'NaN')$$, '22023', 'epsilon must be a positive finite number'),
	($$SELECT pegs_best('t', ARRAY['one', 'two'], 1, NULL)$$, '22004', 'cells must not be null'),
	($$SELECT pegs_best('t', ARRAY['one', 'two'], 1, 'tree 3')$$, '22023', 'cells must be pairs, tree 1 or tree 2, not "tree 3"'),
	($$SELECT pegs_best('t', ARRAY['one', 'small'], 1)$$, '22023', 'fewer than two columns have the same levels in best.t and in all that are compared'),
	($$SELECT pegs_best('t', ARRAY['one', 'two'], 21)$$, '53400', 'this costs more than is left of the privacy budget');
SELECT arguments.check_all();
SELECT is((SELECT spent FROM pegs_budgets WHERE source = 't'::regclass), 3::numeric, 'nothing was charged for choosing');

---- what is said besides: how often, DETAIL, HINT
SET search_path = public;
CREATE TABLE arguments.besides (n bigint, detail text, hint text);
INSERT INTO arguments.besides VALUES
	(1, '', 'Nothing was changed.'),
	(1, 'Unexpected end of input.', 'A list is in braces, its values apart by commas, in double quotes if a comma, a quote, a brace or space is in them: levels => ''{0, "one, two", 10}'''),
	(1, 'Junk after closing right brace.', 'A list is in braces, its values apart by commas, in double quotes if a comma, a quote, a brace or space is in them: edges => ''{0, "one, two", 10}'''),
	(1, '', 'For example: groups => ''{"a": "x", "b": "x"}'''),
	(1, '', 'Levels first: SELECT pegs_set_levels(''facts.types'', ''t'', ARRAY[''...'']);'),
	(1, '', 'Levels first: SELECT pegs_set_levels(''facts.numbers'', ''i'', ARRAY[''...'']);'),
	(1, '', 'Name a column: column_name => ''code'''),
	(1, '', 'For example: mapping => ''{"a": "x", "b": "x"}'''),
	(1, 'It says of each level of column "u" which value column "t" has.', 'mapping => ''{"a": "x", "b": "x", "c": "y"}'', or of a table of codes: mapping => (SELECT jsonb_object_agg(code, category) FROM codes)'),
	(1, '', 'Name the column that it follows from: of => ''code'''),
	(1, '', 'Name a column: of => ''code'''),
	(1, '', 'Fit a perturbed model (pegs_fit with epsilon) and export that.'),
	(2, '', 'Give a value: reason => ...'),
	(1, '', 'When the others fitted slices for the last time, at the latest: fitted_until => now(), or ''-infinity'' if all that they fitted is here.'),
	(1, 'Slices that are fitted elsewhere later cannot be fitted here: they are adopted when no other copy is fitted any more.', 'fitted_until => now()'),
	(1, '', 'For example: origin => ''2026-01-01'''),
	(1, '', 'For example: width => ''1 day'''),
	(1, '', 'Give a positive whole number: most => 1000'),
	(1, '', 'Give a value: zone => ...'),
	(1, '', 'method is one of ''graph'', ''table'', ''copula'', ''pmse'', ''marginals''; left out: ''graph''.'),
	(1, '', 'Name a column: column_name => ''at'''),
	(1, '', 'Name a column: column_name => ''region'''),
	(2, '', 'For example: slices => ARRAY[''north'', ''south'']'),
	(1, 'They are paid for before they are fitted, and need nothing but their rows.', 'method is one of ''graph'', ''table'', ''copula'', ''pmse'', ''marginals''; left out: ''graph''.'),
	(1, '', 'Give a value: longest => ...'),
	(1, '', 'Name a column: earlier => ''admitted'''),
	(1, '', 'Name a column: later => ''discharged'''),
	(2, '', 'bins => 30'),
	(1, 'Both must be dates, timestamps, timestamps with time zone, or numbers of one type.', 'Use a view that casts one of them.'),
	(1, '', ''),
	(1, '', 'In its place put a value that column "ward" of type integer can have.'),
	(1, '', 'In its place put a value that column "mdc" of type mdc can have.'),
	(1, '', 'In its place put a value that column "age" of type integer can have.'),
	(1, '', 'In its place put a value that column "died" of type boolean can have.'),
	(1, 'Asked for epsilon 21; 17 of 20 remain.', 'Ask for less. Nothing that was spent comes back; the owner of the table can raise the total.'),
	(1, 'A choice is paid by the account of the table with which all are compared.', 'SELECT name, source FROM pegs_models; SELECT name, source FROM pegs_releases;'),
	(1, '', 'A choice by how close they are to the rows is charged: epsilon => 0.1'),
	(1, '', 'Name models that were fitted with epsilon, and releases.'),
	(1, '', 'Name every model and release once.'),
	(1, '', 'Give a value: names => ...'),
	(1, '', 'Give a value: cells => ...'),
	(1, '', 'Keep rows of it in a release, which is charged, and name that: SELECT pegs_release(''kept'', ''sealed'', 1000, epsilon => 1);'),
	(1, '', 'Compared is what all of them have: SELECT name, column_name FROM pegs_models, pegs_columns(name) WHERE source = ''best.t''::regclass;'),
	(1, '', 'cells => ''pairs'' compares all tables of two columns.'),
	(1, '', 'Choose where it was fitted.'),
	(1, '', 'A range is of numbers, dates and timestamps. SELECT pegs_learn_levels(''learn.t'', ''a'', epsilon => 0.1, delta => 1e-9);'),
	(4, '', 'About so many bins are made: bins => 32'),
	(3, 'Asked for epsilon 21; 20 of 20 remain.', 'Ask for less. Nothing that was spent comes back; the owner of the table can raise the total.'),
	(1, 'Asked for delta 0.00001; 0.000001 of 0.000001 remain.', 'Ask for less. Nothing that was spent comes back; the owner of the table can raise the total.'),
	(5, 'Budgets are kept in units of 1e-9.', 'For example: epsilon => 1'),
	(2, 'Edges of bins have at most 18 digits.', 'Use a view that rounds it: round(fine, 2)::numeric(18, 2).'),
	(6, '', 'For example: epsilon => 1'),
	(4, '', 'Give a value: delta => ...'),
	(1, '', 'Leave it out of models: a fit that names no columns does.'),
	(3, '', 'Nothing needs to be learnt, or charged: SELECT * FROM pegs_domain(''learn.t'');'),
	(3, '', 'SELECT column_name FROM pegs_domain(''learn.t'');'),
	(1, 'Supported are text, varchar, char, boolean, integers, numeric, float, date, timestamp and enum types.', 'What a view can make of it: SELECT remedy FROM pegs_domain(''learn.t'') WHERE column_name = ''j'';'),
	(4, '', 'Well below one over the number of rows, for example: delta => 1e-9'),
	(1, '', 'Well below one over the number of rows: delta => 1e-9'),
	(3, '', 'What is learnt from rows is charged: epsilon => 0.1'),
	(3, '', '0: the parents alone. 1: and one bit of a hash of all other columns.'),
	(1, '', 'A linear regression has a number for a target; kind => ''logistic'' takes levels.'),
	(1, '', 'Choose another name, or SELECT pegs_drop(''named''); first.'),
	(2, '', 'Choose another name, or SELECT pegs_drop(''of sealed''); first.'),
	(2, '', 'Choose another name, or SELECT pegs_drop(''sealed''); first.'),
	(1, '', 'A column without values says nothing: SELECT pegs_leave_out(''facts.types'', ''t''); leaves it out.'),
	(1, '', 'Declare wide columns by bins (pegs_set_bins), or let one level take the rare ones (other => ''...'').'),
	(4, '', 'For example: ''{"sex": "M", "mdc": ["14"]}'''),
	(1, '', 'For example: ''{"sex": "M"}'''),
	(3, '', 'For example: combination => ''{"a": "x", "b": ["y", "z"]}'''),
	(2, '', 'For example: options => ''{}'''),
	(2, '', 'For example: parents => ''{"b": ["a"]}'''),
	(1, '', 'For example: parents => ''{}'''),
	(3, '', 'For example: structure_epsilon => 1'),
	(1, '', 'Forbid smaller combinations.'),
	(2, '', 'Give a positive whole number: n => 1000'),
	(1, '', 'Give a positive whole number: first => 1000'),
	(2, '', 'Give a value: kind => ...'),
	(1, '', 'Give a positive whole number: rows => 1000'),
	(1, '', 'Give a value: rows => ...'),
	(1, '', 'Give a value: levels => ...'),
	(1, '', 'Give a value: measures => ...'),
	(6, '', 'Give a value: model => ...'),
	(1, '', 'Give a number: n => 1000'),
	(6, '', 'Give a value: name => ...'),
	(1, '', 'SELECT * FROM pegs_utility_of(''of sealed'');'),
	(1, '', 'Give a value: schema_name => ...'),
	(2, '', 'Give a value: table_name => ...'),
	(1, '', 'CREATE TABLE ... AS SELECT * FROM ...; or a view: SELECT pegs_view_sql(''of sealed'', ''...'');'),
	(1, '', 'SELECT * FROM pegs_rows(''of sealed'') AS t(a text, b boolean);'),
	(1, '', 'SELECT pegs_row_type(''of sealed'');'),
	(2, '', 'Give a value: original => ...'),
	(1, '', 'Give a value: release => ...'),
	(25, '', 'Give a value: source => ...'),
	(1, '', 'Give a value: relation => ...'),
	(1, '', 'Give a value: method => ...'),
	(2, '', 'Name the columns that an intruder may know: keys => ARRAY[''...'']'),
	(2, '', 'SELECT pegs_generalize(''facts.types'', keys => ARRAY[''...'']);'),
	(1, '', 'Levels or bins first: SELECT pegs_set_levels(''facts.types'', ''t'', ARRAY[''...'']);'),
	(1, '', 'steps => ''[{"keep": 3}]'', finest first'),
	(2, '', 'Name a column: column_name => ''zip'''),
	(1, '', 'Give a value: expression => ...'),
	(1, '', 'Name the columns that it is computed from.'),
	(2, '', 'Give a value: synthetic => ...'),
	(2, '', 'Give a value: target => ...'),
	(1, '', 'Give the total epsilon of the call: epsilon => 1. SELECT * FROM pegs_cost(''sealed'', 5, epsilon => 1); shows what it buys.'),
	(1, '', 'Known are: fresh, keys, draw, sweeps.'),
	(1, '', 'Known are: fresh, keys, draw, sweeps. It is an option of samples of sealed models of method ''table'' with "within".'),
	(1, '', 'Known are: fresh, keys, each.'),
	(1, '', 'Ask for fewer rows.'),
	(1, '', 'options => ''{"each": true}'''),
	(2, '', 'Method "graph" knows: target.'),
	(2, '', 'Method "pegs" knows: l_diversity.'),
	(2, '', 'Leave columns out, or name some: columns => ARRAY[''age'', ''sex'']'),
	(2, '', 'In the place of ''...'' put the values that column "t" can have, for example: ARRAY[''a'', ''b'', ''c'']'),
	(3, '', 'Leave the null out. (NULL is a level by itself where a column may be null.)'),
	(4, '', 'Name a column: column_name => ''age'''),
	(3, '', 'Name columns: columns => ARRAY[''age'', ''sex'']'),
	(1, '', 'Name columns: terms => ARRAY[''x'', ''y'']'),
	(1, '', 'options => ''{"keys": "number"}'''),
	(1, 'It says which pairs of columns a fit prefers, and this method chooses none.', 'Leave it out; or method => ''graph'', with epsilon.'),
	(2, '', 'options => ''{"target": "income"}'', or ''{"target": ["income", "hours"]}'''),
	(5, '', 'Name every column once.'),
	(1, '', 'Name every parent once.'),
	(1, '', 'Name it in both: terms => ..., factors => ...'),
	(1, '', 'Name other columns.'),
	(3, '', 'Name the column of the base table that says whose row it is.'),
	(1, '', 'Its columns are: b, a.'),
	(5, '', 'SELECT column_name FROM pegs_domain(''facts.types'');'),
	(1, '', 'SELECT column_name FROM pegs_domain(''fit.t'');'),
	(2, '', 'SELECT column_name FROM pegs_domain(''measures.l'');'),
	(1, '', 'SELECT column_name FROM pegs_domain(''measures.o'');'),
	(1, '', 'SELECT column_name FROM pegs_domain(''structure.t'');'),
	(3, '', 'SELECT pegs_levels(''measures.l'', ''g'');'),
	(2, '', 'SELECT column_name FROM pegs_domain(''forbid.t'');'),
	(2, '', 'SELECT levels FROM pegs_domain(''forbid.t'') WHERE column_name = ''age'';'),
	(4, '', 'SELECT levels FROM pegs_domain(''forbid.t'') WHERE column_name = ''sex'';'),
	(1, '', 'SELECT levels FROM pegs_domain(''forbid.t'') WHERE column_name = ''ward'';'),
	(8, '', 'SELECT name FROM pegs_models; SELECT name FROM pegs_releases;'),
	(1, '', 'Its rows: SELECT * FROM pegs_rows(''of sealed'') AS t(a text, b boolean); Its model: SELECT model FROM pegs_releases WHERE name = ''of sealed'';'),
	(1, '', 'SELECT first_levels FROM pegs_columns(''sealed'', first => NULL) WHERE column_name = ''a''; shows the declared levels.'),
	(2, '', 'Use a number, a text or a uuid.'),
	(1, '', 'kind => ''linear'' for a target that is a number, kind => ''logistic'' for one of levels'),
	(1, '', 'kind => ''materialized view''; left out, the number of rows decides.'),
	(1, '', 'Name a role: role => ''analyst'''),
	(3, '', 'max_parents => 2'),
	(1, '', 'measures => ARRAY[''tables'', ''propensity'', ''numbers'']'),
	(5, '', 'parents => ''{"b": ["a"]}'' names columns of the model.'),
	(1, '', 'parents => ''{...}'' as in the pegs_spec of the state, or give epsilon for a perturbed model.'),
	(1, '', 'structure_epsilon => 0.1, or declare them: parents => ''{"b": ["a"]}'', ''{}'' for none.'),
	(1, '', 'target => ''g = level'''),
	(3, '', 'ways => 2 compares all single columns and all pairs.'),
	(2, '', 'Give a value: root => ...'),
	(1, 'A sealed one would charge every sample, and tables of two samples do not belong together.', 'epsilon => 1'),
	(1, '', 'Say whose rows are whose: SELECT pegs_set_parent(''...'', ''unit.visit'', children => ''{0, 1, 2, ...}'', at_most => ''...''); children: where classes of that number begin, each at most half above the one before (..., 8, 12, 18, 27): inside one, numbers are equally likely. at_most: the largest there may be; a parent with more rows gets no more than so many in rows of the model.'),
	(1, '', 'SELECT pegs_set_parent(''unit.visit'', ''...'');'),
	(1, '', 'Name those of the foreign key, or leave columns out if there is one.'),
	(1, 'A unit would hang on another.', 'Name the table that its rows belong to: parent => ''...'''),
	(1, '''row'': at most max_rows rows of a person, max_rows times the noise. ''person'': all persons weigh the same, the noise of one row.', 'weighting => ''person'''),
	(4, 'Budgets are kept in units of 1e-9.', 'For example: structure_epsilon => 1'),
	(3, 'The noise of every table is max_rows times that of one row; the rest of a person''s rows is left out.', 'Start with 1; weighting => ''person'' uses all rows at the noise of one. SELECT * FROM pegs_unit_cost(epsilon => 1, delta => 1e-9);'),
	(1, 'It keeps exact counts, and what was spent of its grants was spent on those. Nothing was charged.', 'SELECT pegs_drop(''named''); and fit it again: that costs nothing, unless parents are chosen, and its grants are given anew.'),
	(4, 'With epsilon the model is perturbed: what it has of structure is chosen inside epsilon.', 'Leave it out; or leave epsilon out for a sealed model.'),
	(2, 'Without epsilon the model is sealed: nothing is spent when it is fitted.', 'epsilon => 1, beside delta; or leave delta out.');
SELECT bag_eq('SELECT count(*), detail, hint FROM arguments.refused GROUP BY detail, hint', 'SELECT n, detail, hint FROM arguments.besides', 'details and hints');
SELECT * FROM finish();
