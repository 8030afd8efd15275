-- slices_told: what all slices of a model tell of a row is what is said of it, not what its last slice was charged. Laws L6, L10; claim P21.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS pegs;
CREATE SCHEMA slices_told;
SET search_path = slices_told, public;
SET timezone = 'UTC';
SELECT * FROM no_plan();
CREATE FUNCTION made(name text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format('CREATE TABLE %I (at date NOT NULL, kind text NOT NULL CHECK (kind IN (''a'', ''b'')), n int NOT NULL CHECK (n IN (0, 1)))', name);
	EXECUTE format('CREATE TRIGGER zz_keep BEFORE UPDATE ON %I FOR EACH ROW EXECUTE FUNCTION pegs_keep_slices(''at'')', name);
	EXECUTE format('ALTER TABLE %I ENABLE ALWAYS TRIGGER zz_keep', name);
	EXECUTE format('INSERT INTO %I SELECT date ''2026-01-01'' + i %% 59, substr(''ab'', 1 + i %% 2, 1), i %% 2 FROM generate_series(1, 590) AS i', name);
	PERFORM pegs_set_budget(name::regclass, 10000, 1e-6, 'sum');
END
$$;
CREATE FUNCTION said(name text) RETURNS text LANGUAGE sql AS
$$ SELECT concat_ws('; ', c ->> 'epsilon', c ->> 'delta', c ->> 'slices_epsilon', c ->> 'slices_delta', c ->> 'slices') FROM pegs_certificate($1) AS c $$;
CREATE FUNCTION hint_of(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	hint text;
BEGIN
	EXECUTE statement;
	RETURN 'nothing was refused';
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT;
	RETURN hint;
END
$$;
-- what a hint gives to be pasted, one statement behind the other
CREATE FUNCTION paste(hint text, name text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	statement text;
	fitted bigint;
BEGIN
	FOR statement IN SELECT (regexp_matches(hint, 'SELECT [^;]*;', 'g'))[1] LOOP
		EXECUTE statement;
	END LOOP;
	SELECT count(*) INTO fitted FROM pegs_slices WHERE model = name;
	RETURN fitted;
END
$$;

---- one set of slices
SELECT made('event');
SELECT pegs_set_slices('event', 'at', '1 day', '2026-01-01', 10, 2e-9);
SELECT pegs_fit_slices('m', 'event', ARRAY['kind', 'n'], most => 31);
SELECT is(said('m'), '10; 0.000000002; 10; 0.000000002; epsilon 10 and delta 0.000000002 for all slices together: a row is in one of them', 'days alone');
SELECT pegs_release('r', 'm', 5);

---- draws from urns that have no room by the epsilon of one set: refused before a slice of another is used up
SELECT made('roomy');
SELECT pegs_set_slices('roomy', 'at', '1 day', '2026-01-01', 1);
SELECT pegs_set_slices('roomy', 'at', '1 month', '2026-01-01', 0.000000001);
SELECT throws_ok($$SELECT pegs_fit_slices('room', 'roomy', method => 'table', options => '{"noise": "dirichlet", "rows": 1000000}')$$, '22023', 'epsilon is too small for so many rows', 'months have no room');
SELECT is(pegs_fit_slices('room', 'roomy', most => 31, method => 'table', options => '{"noise": "dirichlet", "rows": 1000}'), 31::bigint, 'fewer rows have');
SELECT is(concat_ws(' ', count(*), min(lower), max(upper)), '31 2026-01-01 2026-02-01', 'from the first day on: none was lost') FROM pegs_slices WHERE model = 'room';
SELECT made('narrow');
SELECT pegs_set_slices('narrow', 'at', '1 day', '2026-01-01', 1);
SELECT pegs_fit_slices('room then', 'narrow', most => 1, method => 'table', options => '{"noise": "dirichlet", "rows": 1000000}');
SELECT pegs_unset_slices('narrow');
SELECT pegs_set_slices('narrow', 'at', '1 day', '2026-01-01', 0.000000001);
SELECT throws_ok($$SELECT pegs_fit_slices('room then', 'narrow', most => 1)$$, '22023', 'epsilon is too small for so many rows', 'a model that goes on with less epsilon has none either');
SELECT is(count(*), 1::bigint, 'it has the slice that it had') FROM pegs_slices WHERE model = 'room then';
SELECT pegs_fit_slices('other rows', 'narrow', most => 1, method => 'table', options => '{"noise": "dirichlet", "rows": 1000}');
SELECT is(min(lower), '2026-01-01', 'and the first of the new ones was not used up') FROM pegs_slices WHERE model = 'other rows';

---- what was learnt of the column of the slices: rows that are drawn have it
CREATE TABLE learnt (region text, kind text NOT NULL CHECK (kind IN ('a', 'b')));
INSERT INTO learnt SELECT 'r' || i % 4, 'a' FROM generate_series(1, 4000) AS i;
CREATE TRIGGER zz_keep BEFORE UPDATE ON learnt FOR EACH ROW EXECUTE FUNCTION pegs_keep_slices('region');
ALTER TABLE learnt ENABLE ALWAYS TRIGGER zz_keep;
SELECT pegs_set_budget('learnt', 1000, 1e-6, 'sum');
SELECT pegs_learn_levels('learnt', 'region', 3, 1e-7);
SELECT pegs_set_slices('learnt', 'region', 10, 0, ARRAY['r0', 'r1', 'r2', 'r3']);
CREATE FUNCTION learnt_of(name text) RETURNS text LANGUAGE sql AS $$ SELECT concat_ws(' ', domain_epsilon, domain_delta, slices_epsilon) FROM pegs_models AS m WHERE m.name = $1 $$;
SELECT pegs_fit_slices('l', 'learnt', most => 1);
SELECT is(learnt_of('l'), '3 0.0000001 10', 'no column is named: what was learnt is said');
SELECT pegs_fit_slices('l', 'learnt', most => 1);
SELECT is(learnt_of('l'), '3 0.0000001 10', 'of the next slice, too');
SELECT pegs_drop('l');
SELECT pegs_fit_slices('l', 'learnt', ARRAY['kind'], most => 1);
SELECT is(learnt_of('l'), '3 0.0000001 10', 'and where columns are named');
SELECT pegs_fit_slices('l', 'learnt', most => 1);
SELECT is(learnt_of('l'), '3 0.0000001 10', 'of the next one of those');
SELECT pegs_drop('l');

---- two: a row is in a slice of each
SELECT pegs_set_slices('event', 'at', '1 month', '2026-01-01', 7, 1e-9);
SELECT is(said('m') ~ '^10; 0.000000002; 10;', true, 'of which none is fitted yet');
SELECT pegs_fit_slices('m', 'event', most => 1);
SELECT is(width, '1 mon', 'then a month is') FROM pegs_slices WHERE model = 'm' ORDER BY fit DESC LIMIT 1;
SELECT is(said('m'), '7; 0.000000001; 17; 0.000000003; epsilon 17 and delta 0.000000003 for all slices together: a row may be in one of each of 2 charges; epsilon and delta of the model are those of its last slice', 'both');
SELECT ok((c ->> 'slices_rho')::numeric > (c ->> 'rho')::numeric, 'in zCDP, too') FROM pegs_certificate('m') AS c;
SELECT pegs_fit_slices('m', 'event', most => 2);
SELECT is(said('m') ~ '^10; 0.000000002; 17; 0.000000003; ', true, 'whichever is the last');
SELECT results_eq($$SELECT epsilon, delta, slices_epsilon, slices_delta FROM pegs_models WHERE name = 'm'$$, 'VALUES (10::numeric, 2e-9, 17::numeric, 3e-9)', 'pegs_models');
SELECT ok(text ~ E'\nslices:      epsilon 17 and delta 0.000000003 for all', 'the certificate as text') FROM pegs_certificate_text('m') AS text;
SELECT ok(text ~ E'\nfit:         number 34 of this name, at [^\n]*; slices are charged once, when they are set\n', 'which was not charged for each') FROM pegs_certificate_text('m') AS text;
SELECT ok(bool_or(s LIKE 'COMMENT ON VIEW v IS ''synthetic, epsilon 17, delta 0.000000003 in all slices so far, see %'), 'the comment of a view') FROM pegs_view_sql('m', 'v', kind => 'view') AS s;
SELECT ok(html LIKE '%' || part || '%', 'summary: ' || part) FROM pegs_summary('m') AS html,
	unnest(ARRAY['here 17. ', 'probability 3e-9 (delta)', '<dt>slices</dt><dd>epsilon 17 and delta 0.000000003 for all', 'It is of slices of its table.', 'slices are charged once']) AS part;
SELECT ok(html NOT LIKE '%' || part || '%', 'summary, not: ' || part) FROM pegs_summary('m') AS html, unnest(ARRAY['each was charged', 'of this fit alone']) AS part;

SELECT ok(text ~ E'\nepsilon:     10, of the slice that was fitted last\ndelta:       0.000000002, of that\nrho:  [^\n]*, of that\nslices: ', 'the last one is called so, in the text') FROM pegs_certificate_text('m') AS text;
SELECT ok(html LIKE '%<dt>epsilon</dt><dd>10, of the slice that was fitted last</dd>%<dt>delta</dt><dd>0.000000002, of that</dd>%', 'and in the summary') FROM pegs_summary('m') AS html;
SELECT is(in_words ~ '^Model "m" is of slices: epsilon 17 was spent for all of them together, when they were set; any number of rows is free', true, 'pegs_cost') FROM pegs_cost('m') AS c (a, b, d, e, in_words);

---- a file holds one slice, and says which
SELECT is(hint_of($$SELECT pegs_export('m')$$), $$A file of each: SELECT lower, upper, pegs_export_slice(model, fit) FROM pegs_slices WHERE model = 'm';$$, 'a file of all of them: refused');
SELECT throws_ok($$SELECT pegs_export('m')$$, '42809', 'model "m" is of slices: a file holds one of them', 'with its errcode');
CREATE TABLE file AS SELECT fit, width, lower, epsilon, pegs_export_slice(model, fit) AS bytes FROM pegs_slices WHERE model = 'm';
SELECT is(count(*), count(DISTINCT bytes), 'the HINT: a file of each') FROM file;
SELECT is(count(*), 34::bigint, 'of all of them') FROM file;
SELECT pegs_import('file ' || fit, bytes) FROM file WHERE fit IN (1, 32);
SELECT results_eq($$SELECT m.epsilon FROM pegs_models AS m WHERE name LIKE 'file %' ORDER BY name$$, $$SELECT epsilon FROM file WHERE fit IN (1, 32) ORDER BY fit$$, 'each with the epsilon of its level');
SELECT throws_ok($$SELECT pegs_export_slice('file 1', 1)$$, '42809', 'model "file 1" is not of slices', 'of a model that has none');
SELECT throws_ok($$SELECT pegs_export_slice('m', 99)$$, '42704', 'model "m" has no slice number 99', 'a slice that there is not');
SELECT pegs_drop('file 1'), pegs_drop('file 32');

---- a choice by all rows of the table: no slice is a candidate
SELECT pegs_fit('p', 'event', ARRAY['kind', 'n'], epsilon => 1), pegs_fit('q', 'event', ARRAY['kind', 'n'], epsilon => 1);
SELECT throws_ok(format('SELECT pegs_best(%L, %L, 1)', 'event', names), '42809', format('"%s" is of a slice: the rows of the whole table are not its original', what), 'pegs_best refuses ' || what)
	FROM (VALUES ('{p,m}', 'm'), ('{r,p}', 'r')) AS v (names, what);
SELECT is(spent, 19::numeric, 'and charges nothing') FROM pegs_budgets WHERE source = 'event'::regclass;
SELECT ok(pegs_best('event', '{p,q}', 1) IN ('p', 'q'), 'of the whole table it takes any');
SELECT pegs_drop('p'), pegs_drop('q');

---- a release is of one slice
SELECT is(said('r'), '10; 0.000000002', 'the slice of which it is');
SELECT ok(bool_or(s LIKE 'COMMENT ON VIEW v IS ''synthetic, epsilon 10, delta 0.000000002, see %'), 'its view') FROM pegs_view_sql('r', 'v', kind => 'view') AS s;
SELECT ok(html LIKE '%here 10. %' AND html LIKE '%It is of one slice of its table.%' AND html NOT LIKE '%each was charged%', 'its summary') FROM pegs_summary('r') AS html;

---- given up and set anew under the same name: a row is in old slices and in new ones
SELECT pegs_unset_slices('event');
SELECT is(said('m') ~ '; 17; 0.000000003; ', true, 'given up: what was fitted stays');
SELECT pegs_set_slices('event', 'at', '1 month', '2026-01-01', 7, 1e-9);
SELECT pegs_fit_slices('m', 'event', most => 1);
SELECT is(said('m') ~ '^7; 0.000000001; 24; 0.000000004; .* each of 3 charges', true, 'set anew: all three, also of the same epsilon and delta');
SELECT is((slices_epsilon, slices_delta)::text, '(24,0.000000004)', 'pegs_models, too') FROM pegs_models WHERE name = 'm';
SELECT ok(pegs_certificate('m') ? 'slices_rho', 'in zCDP, if each has a delta');
SELECT pegs_set_slices('event', 'at', '1 day', '2026-01-01', 5);
SELECT pegs_fit_slices('m', 'event', most => 1);
SELECT is(said('m') ~ '^5; 0; 29; 0.000000004; .* each of 4 charges', true, 'and one more');
SELECT is(pegs_certificate('m') -> 'slices_rho', NULL, 'no rho where one of them has no delta');

---- a model of the whole table
SELECT pegs_fit('whole', 'event', ARRAY['kind'], epsilon => 1);
SELECT is(said('whole'), '1; 0', 'nothing of slices');
SELECT results_eq($$SELECT slices_epsilon, slices_delta FROM pegs_models WHERE name = 'whole'$$, 'VALUES (NULL::numeric, NULL::numeric)', 'nor there');
SELECT pegs_refit('whole');
SELECT ok(pegs_certificate_text('whole') ~ 'fit:         number 2 of this name, at [^\n]*; each was charged', 'of a fit that is charged');

---- dropped and made anew: slices of the name before are gone
SELECT pegs_drop('m');
SELECT pegs_fit_slices('m', 'event', ARRAY['kind', 'n'], most => 1);
SELECT is(said('m') ~ '^5; 0; 5; 0; ', true, 'another model of the name');

---- hints: what is fitted stays paid for, so nothing is charged where they lead
ALTER TABLE event DROP CONSTRAINT event_kind_check;
SELECT pegs_set_levels('event', 'kind', ARRAY['a', 'b', 'c']);
SELECT hint_of($$SELECT pegs_fit_slices('m', 'event', most => 2)$$) AS hint \gset
SELECT is(:'hint'::text, $$Put that back; or drop the model with all its slices, and fit those that are left: SELECT pegs_drop('m'); SELECT pegs_fit_slices('m', 'slices_told.event', ARRAY['kind', 'n']);$$, 'other levels');
SELECT ok(paste(:'hint', 'm') > 0, 'pasted, it fits');
SELECT is(spent, 34::numeric, 'for nothing more') FROM pegs_budgets WHERE source = 'event'::regclass;
SELECT made('other');
SELECT pegs_set_slices('other', 'at', '1 day', '2026-01-01', 10);
SELECT pegs_fit_slices('o', 'other', most => 3);
ALTER TABLE other DROP COLUMN n;
SELECT hint_of($$SELECT pegs_fit_slices('o', 'other')$$) AS hint \gset
SELECT is(:'hint'::text, $$Put it back; or drop the model with all its slices, and fit those that are left: SELECT pegs_drop('o'); SELECT pegs_fit_slices('o', 'slices_told.other', ARRAY['kind']);$$, 'a column that is gone');
SELECT ok(paste(:'hint', 'o') > 0, 'pasted, it fits');
SELECT made('typed');
CREATE TYPE letter AS ENUM ('a', 'b');
ALTER TABLE typed DROP CONSTRAINT typed_kind_check, ALTER kind TYPE letter USING kind::letter;
SELECT pegs_set_slices('typed', 'at', '1 day', '2026-01-01', 10);
SELECT pegs_fit_slices('t', 'typed', most => 3);
ALTER TABLE typed ALTER kind TYPE text, ADD CHECK (kind IN ('a', 'b'));
DROP TYPE letter;
SELECT hint_of($$SELECT pegs_fit_slices('t', 'typed')$$) AS hint \gset
SELECT is(:'hint'::text, $$Drop the model with all its slices, and fit those that are left: SELECT pegs_drop('t'); SELECT pegs_fit_slices('t', 'slices_told.typed', ARRAY['kind', 'n']);$$, 'a type that was dropped');
SELECT ok(paste(:'hint', 't') > 0, 'pasted, it fits');
DROP TABLE other;
SELECT made('other');
SELECT pegs_set_slices('other', 'at', '1 day', '2026-01-01', 10);
SELECT hint_of($$SELECT pegs_fit_slices('o', 'other')$$) AS hint \gset
SELECT is(:'hint'::text, $$Choose another name: SELECT pegs_fit_slices('o of another table', 'slices_told.other');$$, 'another table of its name');
SELECT ok(paste(:'hint', 'o of another table') > 0, 'pasted, it fits');
SELECT ok(count(*) > 0, 'slices of the table before are still there') FROM pegs_slices WHERE model = 'o';
SELECT * FROM finish();
