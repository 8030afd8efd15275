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
	($$SELECT pegs_plan('good', 100)$$, $$SELECT pegs_set_levels('hinted.good', 'z', ARRAY['...']); Or leave it out: pegs_leave_out('hinted.good', 'z')$$),
	($$SELECT pegs_refit('perturbed')$$, $$SELECT pegs_set_levels('hinted.good', 'z', ARRAY['...']);$$)) AS v(statement, hint);
SELECT * FROM finish();
