-- rho: what every call costs an account in rho, to the unit, and that one filter decides. Claim P20.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS pegs;
CREATE SCHEMA rho;
CREATE ROLE rh_curator;
CREATE ROLE rh_analyst;
CREATE ROLE rh_stranger;
GRANT USAGE, CREATE ON SCHEMA rho TO rh_curator;
GRANT USAGE ON SCHEMA rho TO rh_analyst, rh_stranger;
SELECT pegs_allow('rh_curator'), pegs_allow('rh_stranger');
SET search_path = rho, public;
SELECT * FROM no_plan();

-- what is spent, in units: only the superuser of this test can read it
CREATE FUNCTION spent(source regclass, OUT asked bigint, OUT apart bigint, OUT rho bigint) LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
	b record;
BEGIN
	SELECT * INTO STRICT b FROM pegs_internal.budget WHERE budget.source = $1;
	asked := coalesce(pg_sequence_last_value(b.epsilon_spent), 0);
	apart := coalesce(pg_sequence_last_value(b.delta_spent), 0);
	rho := CASE WHEN b.rho_spent IS NOT NULL THEN coalesce(pg_sequence_last_value(b.rho_spent), 0) END;
END $$;
-- a statement, and what it has moved; of one that fails its SQLSTATE, and that nothing was moved
CREATE FUNCTION moved(statement text, source text DEFAULT 't', OUT asked bigint, OUT apart bigint, OUT rho bigint, OUT state text) LANGUAGE plpgsql AS $$
DECLARE
	b record := spent(source::regclass);
	a record;
BEGIN
	BEGIN
		EXECUTE statement;
		state := 'ok';
	EXCEPTION WHEN OTHERS THEN
		state := SQLSTATE;
	END;
	a := spent(source::regclass);
	asked := a.asked - b.asked;
	apart := a.apart - b.apart;
	rho := a.rho - b.rho;
END $$;
-- rounded up to units of 2^-50
CREATE FUNCTION units(rho numeric) RETURNS bigint LANGUAGE sql AS 'SELECT ceil(rho * 1125899906842624)::bigint';
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA rho TO PUBLIC;

SET ROLE rh_curator;
CREATE TABLE t (id int GENERATED ALWAYS AS IDENTITY, who int NOT NULL, a text NOT NULL CHECK (a IN ('x', 'y', 'z')), b boolean NOT NULL, n int NOT NULL, m int NOT NULL);
INSERT INTO t (who, a, b, n, m) SELECT i / 3, (ARRAY['x', 'y', 'z'])[1 + i % 3], i % 2 = 0, i % 50, i % 7 FROM generate_series(1, 600) AS i;
CREATE TABLE plain (a boolean NOT NULL);
CREATE TABLE other (a boolean NOT NULL);
CREATE TABLE exact (a boolean NOT NULL);

---- which kind
SELECT pegs_set_budget('t', 100, delta => 1e-6), pegs_set_budget('plain', 2), pegs_set_budget('other', 2, 1e-8, 'sum'), pegs_set_budget('exact', 1, 1e-8, accounting => 'zcdp');
SELECT is(array_agg(source || ' ' || accounting ORDER BY source::text), '{"exact zcdp","other sum","plain sum","t zcdp"}', 'with delta an account is in rho, if nothing else is said; without it is of sums') FROM pegs_budgets;
SELECT ok(rho > 0 AND rho_spent = 0 AND spent = 0 AND remaining = epsilon, 'its total in rho') FROM pegs_budgets WHERE source = 't'::regclass;
SELECT ok(bool_and(rho IS NULL AND rho_spent IS NULL), 'sums have none') FROM pegs_budgets WHERE accounting = 'sum';
SELECT throws_ok(s, e, m, w) FROM (VALUES
	($$SELECT pegs_set_budget('t', 100, 1e-6, 'rho')$$, '22023', 'accounting must be ''zcdp'' or ''sum'', not "rho"', 'another word'),
	($$SELECT pegs_set_budget('t', 100, 1e-6, '')$$, '22023', 'accounting must not be empty', 'no word'),
	($$SELECT pegs_set_budget('t', 100, 1e-6, 'sum')$$, '55000', 'the budget is kept as ''zcdp'', and stays so', 'another kind'),
	($$SELECT pegs_set_budget('other', 2, 1e-8, 'zcdp')$$, '55000', 'the budget is kept as ''sum'', and stays so', 'another kind'),
	($$SELECT pegs_set_budget('plain', 2, 1e-8, 'zcdp')$$, '55000', 'the budget is kept as ''sum'', and stays so', 'a delta later does not change it'),
	($$SELECT pegs_set_budget('t', 100)$$, '22023', 'the budget is kept in rho (zcdp): it must have a delta', 'no delta any more')) AS v (s, e, m, w);
CREATE TABLE new (a boolean NOT NULL);
SELECT throws_ok($$SELECT pegs_set_budget('new', 1, accounting => 'zcdp')$$, '22023', 'a budget that is kept in rho (zcdp) must have a delta', 'a new one without delta');
SELECT is((SELECT count(*) FROM pegs_budgets WHERE source = 'new'::regclass), 0::bigint, 'and none was made');
SELECT pegs_set_budget('plain', 2, delta => 1e-8);
SELECT is(accounting, 'sum', 'an account of sums stays one when it gets a delta') FROM pegs_budgets WHERE source = 'plain'::regclass;
SELECT lives_ok($$SELECT pegs_set_budget('t', 100, 1e-6, 'zcdp'), pegs_set_budget('t', 100, 1e-6, NULL)$$, 'its own kind may be said again');

---- what each call costs, to the unit
SELECT pegs_set_bins('t', 'n', 0, 50, 5), pegs_set_bins('t', 'm', 0, 7, 7);
SELECT pegs_leave_out('t', 'id'), pegs_leave_out('t', 'who');
SELECT pegs_fit('sealed', 't', ARRAY['a', 'b', 'n', 'm'], parents => '{"b": ["a"]}');
SELECT pegs_fit('sealed table', 't', ARRAY['a', 'b'], method => 'table'), pegs_fit('sealed marginals', 't', ARRAY['a', 'b'], method => 'marginals'),
	pegs_fit('sealed regression', 't', ARRAY['a', 'b'], parents => '{"b": ["a"]}', method => 'regression');
SELECT results_eq(format('SELECT * FROM moved(%L)', s), format($$VALUES (%s::bigint, %s::bigint, units(%s), 'ok')$$, asked, apart, rho), s) FROM (VALUES
	-- pure: e^2/2, or e
	($$SELECT pegs_fit('p', 't', ARRAY['a', 'b'], epsilon => 0.1)$$, 100000000, 0, '0.005'),
	($$SELECT pegs_fit('q', 't', ARRAY['a', 'b'], epsilon => 3)$$, 3000000000, 0, '3'),
	-- parents: e^2/8
	($$SELECT pegs_fit('chosen', 't', ARRAY['a', 'b'], structure_epsilon => 0.2)$$, 200000000, 0, '0.005'),
	-- sealed: e^2/(8 V), V = blocks times free columns
	($$SELECT * FROM pegs_sample('sealed', 10, epsilon => 0.5) AS t(a text)$$, 500000000, 0, '0.25 / (8 * 40)'),
	($$SELECT * FROM pegs_sample('sealed', 10, epsilon => 0.5, block => 10) AS t(a text)$$, 500000000, 0, '0.25 / (8 * 4)'),
	($$SELECT * FROM pegs_sample('sealed', 11, epsilon => 0.5, block => 10) AS t(a text)$$, 500000000, 0, '0.25 / (8 * 8)'),
	($$SELECT * FROM pegs_sample('sealed', 10, epsilon => 0.5, given => '{"a": "x", "n": 3}') AS t(a text)$$, 500000000, 0, '0.25 / (8 * 20)'),
	($$SELECT * FROM pegs_sample('sealed', 1, epsilon => 40) AS t(a text)$$, 40000000000, 0, '40'),
	($$SELECT pegs_release('released', 'sealed', 100, epsilon => 0.5)$$, 500000000, 0, '0.25 / (8 * 400)'),
	-- and with delta that buys nothing, which is not charged
	($$SELECT * FROM pegs_sample('sealed', 1, epsilon => 0.5, delta => 1e-9) AS t(a text)$$, 500000000, 0, '0.25 / (8 * 4)'),
	-- urns: e^2/2
	($$SELECT * FROM pegs_sample('sealed', 10, epsilon => 0.5, options => '{"draw": "urn"}') AS t(a text)$$, 500000000, 0, '0.125'),
	-- other methods: e^2/2, however many rows there are
	($$SELECT * FROM pegs_sample('sealed table', 10, epsilon => 0.5) AS t(a text)$$, 500000000, 0, '0.125'),
	($$SELECT * FROM pegs_sample('sealed marginals', 10, epsilon => 0.5) AS t(a text)$$, 500000000, 0, '0.125'),
	($$SELECT * FROM pegs_sample('sealed regression', 10, epsilon => 0.5) AS t(a text)$$, 500000000, 0, '0.125'),
	($$SELECT * FROM pegs_trace('sealed', 0.5)$$, 500000000, 0, '0.25 / (8 * 4)'),
	-- learnt, pure: e^2/2, or a column e/k
	($$SELECT pegs_learn_range('t', 'm', epsilon => 0.1)$$, 100000000, 0, '0.005'),
	-- what is free
	($$SELECT * FROM pegs_sample('p', 10) AS t(a text)$$, 0, 0, '0'),
	($$SELECT pegs_release('free', 'p', 10)$$, 0, 0, '0')) AS v (s, asked, apart, rho);
SELECT ok(asked = 100000000 AND apart = 0 AND rho BETWEEN units(2 * 0.05 * 0.05 / 2) AND units(2 * 0.05 * 0.05 / 2 * 1.000001), 'two columns, pure noise: two of half of epsilon') FROM moved($$SELECT pegs_learn('t', epsilon => 0.1, columns => ARRAY['n', 'm'])$$);
-- a fit anew costs what a fit does, a choice e^2/8, or e
SELECT is(moved($$SELECT pegs_refit('p')$$)::text, format('(100000000,0,%s,ok)', units(0.005)), 'a fit anew');
SELECT is(moved($$SELECT pegs_best('t', ARRAY['p', 'q'], 0.4)$$)::text, format('(400000000,0,%s,ok)', units(0.02)), 'a choice');
-- sealed with delta: V ln(1 + 1/alpha)^2/8 of its alpha, which pegs_rho(epsilon, delta) has bought
SELECT ok(asked = 1000000000 AND apart = 0 AND abs(rho / (4000 * ln(1 + 1 / alpha) ^ 2 / 8 * 2 ^ 50) - 1) < 1e-9 AND rho / 2 ^ 50 BETWEEN 0.01497 AND 0.014974, format('a thousand rows with delta: rho %s', rho / 2 ^ 50))
FROM pegs_cost('sealed', 1000, 1, delta => 1e-9), moved($$SELECT * FROM pegs_sample('sealed', 1000, epsilon => 1, delta => 1e-9) AS t(a text)$$);
-- with delta: what the accountant of the fit has, which is what a certificate says
SELECT ok(asked = 1000000000 AND apart = 0 AND abs(rho - units(0.014973)) < units(0.000001), 'a fit of (1, 1e-9)') FROM moved($$SELECT pegs_fit('fitted', 't', epsilon => 1, delta => 1e-9)$$);
SELECT is((pegs_certificate('fitted') ->> 'rho')::numeric, ceil((rho_to - rho_from) * 1e12) / 1e12, 'its certificate says the same, rounded up') FROM pegs_ledger WHERE object = 'fitted';
SELECT matches(pegs_certificate_text('fitted'), 'rho:         0\.0149\d+ \(zCDP\)', 'and in words');
SELECT is(pegs_certificate('p') -> 'rho', NULL, 'of pure noise it has none');
SELECT ok(asked = 1000000000 AND apart = 100000000 AND rho BETWEEN units(0.01485) AND units(0.01495), 'levels that are learnt: Gaussian noise for nine tenths of delta, a tenth is apart') FROM moved($$SELECT pegs_learn_levels('t', 'm', epsilon => 1, delta => 1e-9)$$);
SELECT ok(asked = 1000000000 AND apart = 0 AND rho < units(0.015), 'ranges of many columns: no threshold, all of delta is for noise') FROM moved($$SELECT pegs_learn('t', epsilon => 1, delta => 1e-9, columns => ARRAY['n', 'm', 'who'])$$);
-- persons: neither weighting changes what a call costs
CREATE TABLE people AS SELECT * FROM t;
ALTER TABLE people ADD CHECK (a IN ('x', 'y', 'z')), ALTER a SET NOT NULL, ALTER who SET NOT NULL, ALTER b SET NOT NULL;
SELECT pegs_set_budget('people', 100, 1e-6), pegs_set_unit('people', 'who', 3);
SELECT pegs_fit('sealed people', 'people', ARRAY['a', 'b'], parents => '{}');
SELECT is(rho, units(0.25 / (8 * 20)), 'persons of three rows: as rows') FROM moved($$SELECT * FROM pegs_sample('sealed people', 10, epsilon => 0.5) AS t(a text)$$, 'people');
SELECT ok(asked = 1000000000 AND apart = 0 AND abs(rho / (2000 * 9 * ln(1 + 1 / alpha) ^ 2 / 8 * 2 ^ 50) - 1) < 1e-9 AND rho / 2 ^ 50 BETWEEN 0.01497 AND 0.014974, 'with delta, too: nine times as much for an alpha that is so much larger')
FROM pegs_cost('sealed people', 1000, 1, delta => 1e-9), moved($$SELECT * FROM pegs_sample('sealed people', 1000, epsilon => 1, delta => 1e-9) AS t(a text)$$, 'people');
SELECT ok(abs(rho - units(0.014973)) < units(0.000001), 'a fit, too') FROM moved($$SELECT pegs_fit('fitted people', 'people', ARRAY['a', 'b'], epsilon => 1, delta => 1e-9)$$, 'people');

---- urns with delta have nothing that could be added up here; in an account of sums they have
SELECT is(moved('SELECT * FROM ' || call)::text, '(0,0,0,0A000)', call) FROM (VALUES
	($$pegs_sample('sealed', 10, epsilon => 0.5, delta => 1e-9, options => '{"draw": "urn"}') AS t(a text)$$),
	($$pegs_release('urns', 'sealed', 10, epsilon => 0.5, delta => 1e-9, options => '{"draw": "urn"}')$$),
	($$pegs_cost('sealed', 10, epsilon => 0.5, delta => 1e-9, options => '{"draw": "urn"}')$$)) AS v (call);
SELECT pegs_fit('columns', 't', ARRAY['a'], method => 'marginals');
-- the same words wherever it is asked; what can be left out is not the same
CREATE FUNCTION pg_temp.said(call text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	detail text;
	hint text;
BEGIN
	EXECUTE call;
	RETURN 'no error';
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
	RETURN concat_ws(' | ', SQLSTATE, SQLERRM, detail, hint);
END $$;
SELECT is(pg_temp.said(call), '0A000 | urns take no delta where the budget is kept in rho | The budget adds up divergences of all orders; of urns with delta the claim is proved for some orders alone. | '
	|| way || ' Urns take it where the budget was first set with accounting => ''sum''.', call) FROM (VALUES
	($$SELECT * FROM pegs_sample('sealed', 10, epsilon => 0.5, delta => 1e-9, options => '{"draw": "urn", "sweeps": 3}') AS t(a text)$$, 'Leave the option out: without it delta is taken here, too.'),
	($$SELECT pegs_cost('columns', 10, epsilon => 0.5, delta => 1e-9)$$, 'Leave delta out.'),
	($$SELECT pegs_fit('m', 't', ARRAY['a'], epsilon => 1, delta => 1e-9, method => 'marginals', options => '{"noise": "dirichlet", "rows": 1000}')$$,
		'Leave delta out; or leave out "noise" and the options that go with it.')) AS v (call, way);

---- the ledger: lines touch, what was rolled back is a gap
SELECT is(sum(rho_to - rho_from), (SELECT rho_spent FROM pegs_budgets WHERE source = 't'::regclass), 'the lines add up to what is spent') FROM pegs_ledger WHERE source = 't'::regclass;
SELECT is(moved($$DO 'BEGIN PERFORM * FROM pegs_sample(''sealed'', 10, epsilon => 0.5) AS t(a text); RAISE division_by_zero; END'$$)::text, format('(500000000,0,%s,22012)', units(0.25 / (8 * 40))), 'rolled back, and spent');
SELECT is(array_agg(part || ' ' || finding ORDER BY part DESC, finding), '{"rho 23 charges","rho gap: rolled back or still open","delta 1 charge"}', 'pegs_verify_ledger: charges, and the gap') FROM pegs_verify_ledger('t') WHERE ok;
SELECT ok(bool_and(ok), 'and no fault') FROM pegs_verify_ledger();
SELECT ok(epsilon_to - epsilon_from = 0.5 AND rho_to > rho_from AND at IS NULL, 'the gap in the ledger has both') FROM pegs_ledger WHERE action LIKE 'rolled back%' AND source = 't'::regclass;
SELECT ok(bool_and(rho_from IS NULL), 'an account of sums has no rho in its ledger') FROM pegs_ledger WHERE source = 'plain'::regclass;

---- one filter, and no other
SELECT pegs_set_levels('exact', 'a', '{f, t}'), pegs_set_levels('other', 'a', '{f, t}');
-- sums are passed where rho is not: ten fits of (1, 1e-9) in a budget of 3.2
SELECT pegs_set_budget('exact', 3.2, 1e-8);
SELECT is(count(*) FILTER (WHERE m.state = 'ok'), 10::bigint, 'ten fits of (1, 1e-9) are within 3.2')
FROM generate_series(1, 10) AS i, LATERAL moved(format($$SELECT pegs_fit('exact %s', 'exact', epsilon => 1, delta => 1e-9)$$, i), 'exact') AS m;
SELECT ok(spent BETWEEN 3.1 AND 3.2, format('they cost %s', spent)) FROM pegs_budgets WHERE source = 'exact'::regclass;
SELECT is(moved($$SELECT pegs_fit('exact 11', 'exact', epsilon => 1, delta => 1e-9)$$, 'exact')::text, '(0,0,0,53400)', 'an eleventh is not');
-- and where rho is passed sums are not asked: 0.7 of 3 is within the sum
CREATE TABLE first (a boolean NOT NULL);
SELECT pegs_set_budget('first', 3, 1e-8);
SELECT is(moved($$SELECT pegs_fit('pure', 'first', epsilon => 0.7)$$, 'first')::text, '(0,0,0,53400)', 'a pure fit whose square does not fit is refused, though the sum would bear it');
SELECT pegs_set_budget('exact', 4, 1e-8);
SELECT is(moved($$SELECT pegs_fit('pure', 'exact', epsilon => 0.7)$$, 'exact')::text, '(0,0,0,53400)', 'a pure fit whose square does not fit is refused, whatever the sum');
SELECT throws_like($$SELECT pegs_fit('pure', 'exact', epsilon => 0.7)$$, 'this costs more than is left of the privacy budget', 'with words');
-- to the unit
SELECT pegs_set_budget('new', 1, 1e-8);
SELECT pegs_set_levels('new', 'a', '{f, t}');
SELECT is((moved($$SELECT pegs_fit('all', 'new', epsilon => 1, delta => 9e-9)$$, 'new')).state, 'ok', 'all of it at once');
SELECT is(remaining || ' ' || (rho = rho_spent), '0 true', 'nothing is left') FROM pegs_budgets WHERE source = 'new'::regclass;
SELECT pegs_fit('sealed new', 'new', parents => '{}');
SELECT is(moved($$SELECT * FROM pegs_sample('sealed new', 1, epsilon => 1e-9) AS t(a boolean)$$, 'new')::text, '(0,0,0,53400)', 'not a unit');
SELECT throws_ok($$SELECT pegs_set_budget('new', 0.999999999, 1e-8)$$, '22023', 'the budget cannot be less than what is spent', 'nor a unit less of the total');
SELECT throws_ok($$SELECT pegs_set_budget('new', 1, 9.9e-9)$$, '22023', 'the budget cannot be less than what is spent', 'or of delta');
-- sums: as they were
SELECT is(moved(format($$SELECT pegs_fit('other %s', 'other', epsilon => 1, delta => 1e-9)$$, i), 'other')::text, CASE WHEN i < 3 THEN '(1000000000,1000000000,,ok)' ELSE '(0,0,,53400)' END, format('an account of sums, fit %s', i)) FROM generate_series(1, 3) AS i;

---- delta apart: a tenth, 1e-7, of which 1e-10 are spent; of a call a tenth, too
SELECT is(moved($$SELECT pegs_learn_levels('t', 'm', epsilon => 0.1, delta => 9.991e-7)$$)::text, '(0,0,0,53400)', 'more than is left of a tenth');
SELECT throws_like($$SELECT pegs_learn_levels('t', 'm', epsilon => 0.1, delta => 9.991e-7)$$, 'this costs more than is left of the privacy budget', 'with words');
SELECT is(apart, 99900000000::bigint, 'what is left of it') FROM moved($$SELECT pegs_learn_levels('t', 'm', epsilon => 0.1, delta => 9.99e-7)$$);
SELECT is(delta_spent, 1e-7, 'delta_spent is that alone') FROM pegs_budgets WHERE source = 't'::regclass;
SELECT is(moved($$SELECT pegs_learn_levels('t', 'm', epsilon => 0.1, delta => 2e-18)$$)::text, '(0,0,0,53400)', 'and not a unit more');
SELECT is((moved($$SELECT pegs_fit('still', 't', epsilon => 1, delta => 1e-6)$$)).state, 'ok', 'of fits delta is not spent');

---- a call of all epsilon and delta has room in a new account of just that, and nothing is left: to the unit. No call has more delta
CREATE TABLE grid AS SELECT e, d, 'g' || row_number() OVER () AS source FROM unnest('{0.001, 0.03, 0.1, 0.5, 1, 1.7, 3, 10, 77, 1000}'::numeric[]) AS e,
	unnest('{0.000000000000000007, 0.00000000000000001, 0.000000000000000019, 0.000000000001, 0.000000001, 0.00000000123456789, 0.000001, 0.01, 0.5, 0.9999}'::numeric[]) AS d;
DO $$ DECLARE g record; BEGIN FOR g IN SELECT * FROM grid LOOP EXECUTE format('CREATE TABLE %I (a boolean NOT NULL)', g.source); END LOOP; END $$;
SELECT count(pegs_set_budget(source::regclass, e, d)), count(pegs_set_levels(source::regclass, 'a', '{f, t}')) FROM grid;
SELECT is(m.state, 'ok', format('a fit of (%s, %s)', e, d)) FROM grid, LATERAL moved(format('SELECT pegs_fit(%L, %L, epsilon => %s, delta => %s)', source, source, e, d), source) AS m;
SELECT is(array_agg(DISTINCT remaining || ' ' || trim_scale(rho - rho_spent)), '{"0 0"}', 'all of it is spent, to the unit') FROM pegs_budgets WHERE source IN (SELECT grid.source::regclass FROM grid);
SELECT ok(bool_and((pegs_certificate(source) ->> 'delta')::numeric = d - trunc(d / 10, 18)), 'certificates say the delta that was used') FROM grid;
SELECT is(count(*) FILTER (WHERE m.state = '53400'), 10::bigint, 'and no second one') FROM grid, LATERAL moved(format('SELECT pegs_fit(%L, %L, epsilon => 0.001, delta => %s)', source || ' again', source, d), source) AS m WHERE e = 1;
CREATE TABLE all_of_it (a text NOT NULL, n int NOT NULL, m int NOT NULL);
INSERT INTO all_of_it SELECT 'x', i % 50, i % 50 FROM generate_series(1, 1000) AS i;
CREATE VIEW kinds AS SELECT * FROM (VALUES ('levels', $$SELECT pegs_learn_levels('%s', 'a', epsilon => 1, delta => 1e-9)$$), ('ranges', $$SELECT pegs_learn('%s', 1, 1e-9, '{n, m}')$$), ('all', $$SELECT pegs_learn('%s', 1, 1e-9)$$),
	('sealed', $$SELECT * FROM pegs_sample('all sealed', 1000, epsilon => 1, delta => 1e-9) AS t(a text)$$), ('refit', $$SELECT pegs_refit('all fitted', 1, 1e-9)$$)) AS v (kind, call);
DO $$ DECLARE k record; BEGIN FOR k IN SELECT * FROM kinds LOOP EXECUTE format('CREATE TABLE of_%s AS SELECT * FROM all_of_it', k.kind); END LOOP; END $$;
SELECT count(pegs_set_budget(('of_' || kind)::regclass, 1, 1e-9)) FROM kinds WHERE kind <> 'refit';
SELECT pegs_set_budget('of_refit', 2, 1e-8);
SELECT pegs_set_bins('of_' || k, 'n', 0, 50, 5), pegs_set_bins('of_' || k, 'm', 0, 50, 5), pegs_set_levels('of_' || k, 'a', '{x}') FROM unnest('{sealed, refit}'::text[]) AS k;
SELECT pegs_fit('all sealed', 'of_sealed', parents => '{}'), pegs_fit('all fitted', 'of_refit', epsilon => 0.1, delta => 1e-9);
SELECT is(m.state, 'ok', 'all of it by ' || kind) FROM kinds, LATERAL moved(format(call, 'of_' || kind), 'of_' || kind) AS m;
SELECT ok(rho - rho_spent < 1e-6, format('nearly nothing is left: %s', source)) FROM pegs_budgets WHERE source IN (SELECT ('of_' || kind)::regclass FROM kinds WHERE kind <> 'refit');
SELECT is(moved(call, source)::text, '(0,0,0,53400)', 'more delta than there is: ' || call) FROM (VALUES
	('of_refit', $$SELECT pegs_fit('much', 'of_refit', epsilon => 0.01, delta => 1.0000001e-8)$$), ('of_refit', $$SELECT pegs_refit('all fitted', 0.01, 2e-8)$$),
	('of_refit', $$SELECT pegs_learn('of_refit', 0.01, 2e-8, '{n, m}')$$), ('t', $$SELECT * FROM pegs_sample('sealed', 1000, epsilon => 0.1, delta => 2e-6) AS t(a text)$$)) AS v (source, call);
SELECT throws_ok($$SELECT pegs_fit('much', 'of_refit', epsilon => 0.01, delta => 2e-8)$$, '53400', 'delta 0.00000002 is more than the privacy budget has', 'with words');
SELECT ok(bool_and(delta = 9e-10), 'pegs_plan says the delta that would be used') FROM pegs_plan('of_sealed', 100, delta => 1e-9);
SELECT ok(bool_and(in_words LIKE '%has not enough left for such a fit'), 'and that nothing has room that has more') FROM pegs_plan('of_refit', 100, epsilon => 0.001, delta => 2e-8);

---- how many more
SELECT is(more_like_last, NULL, 'pegs_budgets: nothing was charged') FROM pegs_budgets WHERE source = 'first'::regclass;
SELECT is(more_like_last, 5::bigint, 'pegs_budgets: five more of the last fit') FROM pegs_budgets WHERE source = 'exact'::regclass;
SELECT is(more_like_last, 0::bigint, 'of sums: none') FROM pegs_budgets WHERE source = 'other'::regclass;
SELECT pegs_learn_levels('of_refit', 'a', 0.01, 1e-8);
SELECT is(more_like_last, 0::bigint, 'no delta for levels is left') FROM pegs_budgets WHERE source = 'of_refit'::regclass AND remaining > 0.1;
SELECT throws_like($$SELECT pegs_set_budget('of_refit', 1000, 9e-9)$$, 'the budget cannot be less than what is spent', 'a delta of which the tenth is less than what levels took, whatever epsilon');
SELECT matches(in_words, 'the budget has enough left for \d+ such calls\.$', 'pegs_cost says how many more') FROM pegs_cost('sealed', 10, 0.5);
SELECT matches(in_words, '; the budget adds up rho, of which draws from urns take 160 times what as much epsilon takes without them; the budget has ', 'and how much more urns take: half the square, not an eighth over 40 draws') FROM pegs_cost('sealed', 10, 0.5, options => '{"draw": "urn"}');
SELECT is(count(*) FILTER (WHERE in_words ~ 'rho'), 0::bigint, 'nobody else is told') FROM pegs_cost('sealed', 10, 0.5);
SELECT is(in_words ~ 'the budget has enough left for 5 such refits\.$', true, 'as many refits as pegs_budgets') FROM pegs_models, LATERAL pegs_cost(name, 10) WHERE source = 'exact'::regclass ORDER BY created DESC LIMIT 1;
SELECT is(array_agg(substring(in_words FROM '; (the budget .*)$') ORDER BY epsilon), '{"the budget has not enough left for such a fit","the budget has not enough left for such a fit","the budget has not enough left for such a fit"}', 'pegs_plan: none') FROM pegs_plan('new', 100, delta => 1e-9);
SELECT matches(in_words, 'the budget has enough left for 5 such fits$', 'pegs_plan: five') FROM pegs_plan('exact', 100, delta => 1e-9) WHERE epsilon = 1;
SELECT is((SELECT count(*) FROM generate_series(1, 6) AS i, LATERAL moved(format($$SELECT pegs_fit('more %s', 'exact', epsilon => 1, delta => 1e-9)$$, i), 'exact') AS m WHERE m.state = 'ok'), 5::bigint, 'and five there are');
SELECT matches(in_words, 'the budget has enough left for 1 such fit$', 'of sums: one') FROM (SELECT pegs_set_budget('other', 3, 1e-8) OFFSET 0) AS s, LATERAL pegs_plan('other', 100, delta => 1e-9) WHERE epsilon = 1;
CREATE TABLE none (a boolean NOT NULL);
SELECT ok(bool_and(in_words NOT LIKE '%budget%'), 'no budget, no word of it') FROM pegs_plan('none', 100);

---- caps of grants are sums of epsilon
SELECT pegs_grant('sealed', 'rh_analyst', epsilon => 1);
SET ROLE rh_analyst;
SELECT lives_ok($$SELECT * FROM pegs_sample('sealed', 10, epsilon => 0.6) AS t(a text)$$, 'within the cap');
SELECT throws_ok($$SELECT * FROM pegs_sample('sealed', 10, epsilon => 0.6) AS t(a text)$$, '53400', 'this costs more than is left of your share of the privacy budget', 'a cap of 1');
SELECT throws_ok($$SELECT * FROM pegs_sample('sealed', 10, epsilon => 0.1, delta => 1e-9, options => '{"draw": "urn"}') AS t(a text)$$, '42501', 'your share of the privacy budget has no delta', 'who has no delta is not told how the budget is kept');
SELECT ok(in_words NOT LIKE '%budget%', 'who is no curator is not told what is left') FROM pegs_cost('sealed', 10, 0.5);
SELECT is((SELECT count(*) FROM pegs_budgets), 0::bigint, 'nor sees an account');
SET ROLE rh_stranger;
SELECT is((SELECT count(*) FROM pegs_budgets), 0::bigint, 'nor does a curator of other tables');
SELECT throws_ok($$SELECT pegs_set_budget('rho.t', 1, 1e-6, 'zcdp')$$, '42501', NULL, 'who may not set it');
RESET ROLE;
-- a session that keeps the library of 0.2.0 after the update knows no rho: it would charge such an account by a sum, and add no
-- rho. It takes an account for a copy, of which nothing is charged, whose number of a sequence is not that of epsilon's
RESET ROLE;
CREATE TABLE as_before (kind text NOT NULL CHECK (kind IN ('a', 'b')));
SELECT pegs_set_budget('as_before', 1, 1e-6, 'sum');
SELECT is_empty($$SELECT source FROM pegs_internal.budget WHERE (rho_spent IS NULL) <> (sequence = epsilon_spent::oid)$$, 'to a library before 0.3.0 an account in rho is a copy, and one of sums is not');
SELECT is_empty($$SELECT source FROM pegs_budgets WHERE copied_from IS NOT NULL$$, 'to this one none of them is');
SELECT ok(count(*) > 1 AND count(*) > count(rho_spent), 'accounts of both kinds') FROM pegs_internal.budget;

---- a call that has no room is told what has: pasted it is charged, and nothing of three digits more would be
CREATE TABLE room (a boolean NOT NULL);
SELECT pegs_set_budget('room', 3, 1e-6);
CREATE FUNCTION asked(epsilon float8, delta float8) RETURNS text LANGUAGE plpgsql AS
$$ DECLARE h text; BEGIN PERFORM pegs_fit('of room ' || epsilon || ' ' || delta, 'room', epsilon => epsilon, delta => delta); RETURN 'ok'; EXCEPTION WHEN OTHERS THEN GET STACKED DIAGNOSTICS h = PG_EXCEPTION_HINT; RETURN h; END $$;
SELECT is(asked(2.5, 1e-9), 'ok', 'more than half');
CREATE TABLE has AS SELECT d, substring(asked(9, d) FROM '^Ask for less: epsilon => ([0-9.]+) at most[.] Nothing')::numeric AS e FROM unnest(ARRAY[1e-9, 1e-12]) AS d;
SELECT ok(bool_and(e BETWEEN 0.5 AND 9) AND max(e) FILTER (WHERE d = 1e-12) > max(e) FILTER (WHERE d = 1e-9), 'it is told how much has room, at its delta') FROM has;
SELECT isnt(asked((e + 0.01)::float8, d::float8), 'ok', 'a little more has not') FROM has;
SELECT is(asked(e::float8, d::float8), 'ok', 'that has') FROM has WHERE d = 1e-9;
SELECT alike(asked(3, 0), 'A fit with delta costs less here%', 'without delta it is told to take one');
CREATE TABLE less AS SELECT m[1]::float8 AS e, m[2]::float8 AS d FROM regexp_match(asked(3, 0), 'so much has room: epsilon => ([0-9.]+), delta => ([0-9.]+)[.] ') AS m;
SELECT is(asked(e, d), 'ok', 'and to take so much that it has room') FROM less;
SELECT * FROM finish();
