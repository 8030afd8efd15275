-- dirichlet: the multinomial-Dirichlet synthesizer as numbers. Abowd's tables as SQL gives them, alphas of urns, what is refused; it is
-- everybody's, and looks at nothing.
SET client_min_messages = warning;
CREATE EXTENSION pegs;
SELECT * FROM no_plan();

CREATE FUNCTION pg_temp.said(call text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	detail text;
	hint text;
BEGIN
	EXECUTE call;
	RETURN 'nothing';
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
	RETURN concat_ws(' | ', SQLSTATE, SQLERRM, nullif(detail, ''), nullif(hint, ''));
END $$;

---- the paper's tables
SELECT is((SELECT count(*) FROM pegs_dirichlet_matrix(2, 0.5, 5, 5)), 36::bigint, 'a cell for each table and each release');
SELECT is((SELECT string_agg(round(probability::numeric, 6)::text, ' ' ORDER BY drawn) FROM pegs_dirichlet_matrix(2, 0.5, 5, 5, 'plug-in') WHERE counts = '{0,5}'),
	'0.647228 0.294194 0.053490 0.004863 0.000221 0.000004', 'the first row that the paper prints');
SELECT is((SELECT string_agg(round(probability::numeric, 6)::text, ' ' ORDER BY drawn) FROM pegs_dirichlet_matrix(2, 0.5, 5, 5, 'plug-in') WHERE counts = '{3,2}'),
	'0.012559 0.087911 0.246150 0.344610 0.241227 0.067544', 'the fourth');
SELECT is((SELECT string_agg(round(probability::numeric, 6)::text, ' ' ORDER BY drawn) FROM pegs_dirichlet_matrix(2, 0.5, 5, 5) WHERE counts = '{0,5}'),
	'0.715975 0.188415 0.066499 0.022166 0.005968 0.000977', 'and that of the paper''s definition');
SELECT is((SELECT array_agg(counts::text || drawn::text) FROM (SELECT * FROM pegs_dirichlet_matrix(3, 1, 1, 1) LIMIT 4) AS m), '{"{0,0,1}{0,0,1}","{0,0,1}{0,1,0}","{0,0,1}{1,0,0}","{0,1,0}{0,0,1}"}', 'in the paper''s order');
SELECT ok((SELECT bool_and(abs(s - 1) < 1e-12) FROM (SELECT sum(probability) AS s FROM pegs_dirichlet_matrix(4, 0.1, 3, 5) GROUP BY counts) AS s), 'each row is a distribution');
SELECT is((SELECT string_agg(measure || ' ' || round(value::numeric, 8), ', ') FROM pegs_dirichlet_risk(2, 0.5, 5, 5, 2, 'plug-in')),
	'epsilon 5.49306144, delta_joint 0.00062316, delta_worst 0.10351563, delta_tight 0.06592181', 'what the paper''s tables give away');
SELECT is((SELECT string_agg(measure || ' ' || round(value::numeric, 6), ', ') FROM pegs_dirichlet_risk(2, 0.5, 5, 5, 2) WHERE measure <> 'delta_joint'),
	'epsilon 2.397895, delta_worst 0.010742, delta_tight 0.003526', 'and its definition');
SELECT is((SELECT array_agg(measure || ' ' || round(value::numeric, 6)) FROM pegs_dirichlet_risk(3, 0.5, 3, 4)), '{"epsilon 2.197225"}', 'without an epsilon nothing fails');
SELECT is((SELECT string_agg(round(mse::numeric, 6)::text, ' ') FROM pegs_dirichlet_validity(2, 0.5, 5, 5, 'plug-in')), '0.022222 0.040000 0.048889 0.048889 0.040000 0.022222 0.044444', 'the paper''s errors, and their mean');
SELECT is((SELECT round(mse::numeric, 6) FROM pegs_dirichlet_validity(2, 0.5, 5, 5, 'plug-in', 'dirichlet') WHERE counts IS NULL), 0.033333, 'over the distribution that the paper names');
SELECT is((SELECT string_agg(round(mse::numeric, 6)::text, ' ') FROM pegs_dirichlet_validity(2, 0.5, 5, 5) WHERE counts IS NULL OR counts[1] < 3), '0.030952 0.061429 0.076667 0.069048', 'and of its definition');
SELECT is((SELECT array_agg(concat_ws(' ', counts::text, weight, expected, bias, mse)) FROM pegs_dirichlet_validity(2, 1, 0, 5)), '{"{0,0} 1 0.5","1 0.5"}', 'of no rows there is no share to be near');

---- alphas: what samples from urns draw with
SELECT is((SELECT string_agg(round(pegs_dirichlet_alpha(e, 1e-9, NULL, t)::numeric, 1)::text, ' ' ORDER BY t, e) FROM unnest(ARRAY[0.1, 1, 10]) AS e, unnest(ARRAY[1, 4, 14]) AS t),
	'2920.8 45.8 3.0 11388.1 145.3 3.6 39614.9 479.1 8.1', 'any number of rows, with delta');
SELECT is((SELECT string_agg(round(pegs_dirichlet_alpha(e, 0, 1000, 14)::numeric, 1)::text, ' ' ORDER BY e) FROM unnest(ARRAY[0.1, 1, 10]) AS e), '139500.6 13506.0 959.0', 'and without');
SELECT is(round(pegs_dirichlet_alpha(10, 1e-9, 1000)::numeric, 4), 0.0454, 'the smaller of both');
SELECT cmp_ok((SELECT value FROM pegs_dirichlet_risk(2, pegs_dirichlet_alpha(1, 0, 7), 5, 7)), '<=', 1::float8, 'with it an urn is what was asked for');
SELECT cmp_ok((SELECT value FROM pegs_dirichlet_risk(2, pegs_dirichlet_alpha(1, 0, 7), 5, 7)), '>', 0.9999::float8, 'and not much more');

---- what is refused
SELECT is(pg_temp.said(call), said, call) FROM (VALUES
	('SELECT pegs_dirichlet_matrix(NULL, 1, 1, 1)', '22004 | k must not be null | Give a value: k => 5'),
	('SELECT pegs_dirichlet_matrix(2, NULL, 1, 1)', '22004 | alpha must not be null | Give a value: alpha => 0.5'),
	('SELECT pegs_dirichlet_risk(2, 1, NULL, 1)', '22004 | n must not be null | Give a value: n => 5'),
	('SELECT pegs_dirichlet_validity(2, 1, 1, NULL)', '22004 | m must not be null | Give a value: m => 5'),
	('SELECT pegs_dirichlet_matrix(2, 1, 1, 1, NULL)', '22004 | draw must not be null | Give a value: draw => ...'),
	('SELECT pegs_dirichlet_validity(2, 1, 1, 1, weights => NULL)', '22004 | weights must not be null | Give a value: weights => ...'),
	('SELECT pegs_dirichlet_matrix(1, 1, 1, 1)', '22023 | k must be at least 2, not 1 | Abowd''s example: k => 2, alpha => 0.5, n => 5, m => 5'),
	('SELECT pegs_dirichlet_risk(2, 0, 1, 1)', '22023 | alpha must be above 0 and at most 1e15 | Abowd''s example: alpha => 0.5'),
	('SELECT pegs_dirichlet_risk(2, -1, 1, 1)', '22023 | alpha must be above 0 and at most 1e15 | Abowd''s example: alpha => 0.5'),
	('SELECT pegs_dirichlet_risk(2, ''NaN'', 1, 1)', '22023 | alpha must be above 0 and at most 1e15 | Abowd''s example: alpha => 0.5'),
	('SELECT pegs_dirichlet_risk(2, ''Infinity'', 1, 1)', '22023 | alpha must be above 0 and at most 1e15 | Abowd''s example: alpha => 0.5'),
	('SELECT pegs_dirichlet_validity(2, 1, -1, 1)', '22023 | n must be at least 0, not -1 | Abowd''s example: k => 2, alpha => 0.5, n => 5, m => 5'),
	('SELECT pegs_dirichlet_validity(2, 1, 1, 0)', '22023 | m must be at least 1, not 0 | Abowd''s example: k => 2, alpha => 0.5, n => 5, m => 5'),
	('SELECT pegs_dirichlet_matrix(2, 1, 1, 1, ''pot'')', '22023 | draw must be urn or plug-in, not "pot" | draw => ''urn'''),
	('SELECT pegs_dirichlet_validity(2, 1, 1, 1, weights => ''all'')', '22023 | weights must be binomial or dirichlet, not "all" | weights => ''binomial'''),
	('SELECT pegs_dirichlet_risk(2, 1, 1, 1, 0)', '22023 | epsilon must be at least 1e-9 | Budgets are kept in units of 1e-9. | For example: epsilon => 1'),
	('SELECT pegs_dirichlet_matrix(2, 1, 1023, 1024)', '54000 | the matrix has too many cells | 1024 tables of n rows times 1025 of m: 1049600 cells of 2 categories. At most 1048576 cells, and 2097152 cells times categories. | Take a smaller k, n or m: k => 2, n => 100, m => 100'),
	('SELECT pegs_dirichlet_risk(129, 1, 1, 1)', '54000 | the matrix has too many cells | 129 tables of n rows times 129 of m: 16641 cells of 129 categories. At most 1048576 cells, and 2097152 cells times categories. | Take a smaller k, n or m: k => 2, n => 100, m => 100'),
	('SELECT pegs_dirichlet_alpha(NULL, 0, 1)', '22004 | epsilon must not be null | For example: epsilon => 1'),
	('SELECT pegs_dirichlet_alpha(1, NULL, 1)', '22004 | delta must not be null | Give a value: delta => ...'),
	('SELECT pegs_dirichlet_alpha(1, 0, NULL)', '22004 | m must not be null without delta | The alpha of an urn grows with the rows that are drawn; with delta it need not. | m => 1000, or delta => 1e-9'),
	('SELECT pegs_dirichlet_alpha(1, 0, 0)', '22023 | m must be at least 1, not 0 | Give a positive whole number: m => 1000'),
	('SELECT pegs_dirichlet_alpha(1, 0, 1, 0)', '22023 | tables must be at least 1, not 0 | Abowd''s example: k => 2, alpha => 0.5, n => 5, m => 5'),
	('SELECT pegs_dirichlet_alpha(1e-9, 0, 9000000000000000000)', '22023 | epsilon is too small for so many rows | No alpha of 64 bits is large enough. | Draw fewer rows, or with more epsilon: epsilon => 1, m => 1000'),
	('SELECT pegs_dirichlet_alpha(1e-9, 1e-18, NULL, 2147483647)', '22023 | epsilon is too small for so many tables | No alpha of 64 bits is large enough. | Take more epsilon: epsilon => 1')) AS r (call, said);
SELECT is((SELECT count(*) FROM pegs_dirichlet_matrix(2, 1, 1023, 1023)), 1048576::bigint, 'so many cells are not too many');
SELECT is((SELECT count(*) FROM pegs_dirichlet_matrix(128, 1, 1, 1)), 16384::bigint, 'nor of so many categories');

---- it is arithmetic, and everybody's
CREATE ROLE dirichlet_stranger;
SET ROLE dirichlet_stranger;
SELECT is((SELECT count(*) FROM pegs_dirichlet_matrix(2, 1, 1, 1), pegs_dirichlet_risk(2, 1, 1, 1), pegs_dirichlet_validity(2, 1, 1, 1)), 12::bigint, 'everybody may');
SELECT is(round(pegs_dirichlet_alpha(ln(3::float8), 0, 1)::numeric, 3), 0.500, 'alpha, too');
RESET ROLE;
SELECT * FROM finish();
