-- dirichlet.sql: the tables of Abowd's slides (2008), again, as Markdown. Part of bench/reproduction; needs the extension and no table.
\set QUIET on
\pset format unaligned
\pset tuples_only on
\pset fieldsep ' | '
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS pegs;
CREATE TEMP TABLE cell AS
SELECT d.draw, m.counts[1] AS n1, m.drawn[1] AS m1, m.probability AS p, w.weight
FROM (VALUES ('plug-in'), ('urn')) AS d (draw), LATERAL pegs_dirichlet_matrix(2, 0.5, 5, 5, d.draw) AS m
JOIN pegs_dirichlet_validity(2, 0.5, 5, 5) AS w ON w.counts = m.counts;
CREATE FUNCTION pg_temp.rows_of(of text) RETURNS SETOF text LANGUAGE sql AS $$
SELECT format('| %s,%s | %s |', n1, 5 - n1, string_agg(round(p::numeric, 6)::text, ' | ' ORDER BY m1)) FROM cell WHERE draw = of GROUP BY n1 ORDER BY n1
$$;
CREATE FUNCTION pg_temp.ratios_of(of text) RETURNS SETOF text LANGUAGE sql AS $$
SELECT format('| %s,%s and %s,%s | %s |', a.n1, 5 - a.n1, a.n1 + 1, 4 - a.n1, string_agg(round(abs(ln(a.p / b.p))::numeric, 6)::text, ' | ' ORDER BY a.m1))
FROM cell AS a JOIN cell AS b ON b.draw = a.draw AND b.n1 = a.n1 + 1 AND b.m1 = a.m1 WHERE a.draw = of GROUP BY a.n1 ORDER BY a.n1
$$;
CREATE FUNCTION pg_temp.validity_of(of text) RETURNS SETOF text LANGUAGE sql AS $$
SELECT format('| %s | %s | %s | %s | %s |', coalesce(array_to_string(counts, ','), 'all'), round(expected::numeric, 6), round(bias::numeric, 6), round(variance::numeric, 6), round(mse::numeric, 6))
FROM pegs_dirichlet_validity(2, 0.5, 5, 5, of) ORDER BY counts NULLS LAST
$$;
SELECT E'| table | 0,5 | 1,4 | 2,3 | 3,2 | 4,1 | 5,0 |\n|---|---|---|---|---|---|---|' AS matrix_header,
	E'| table | expected | bias | variance | mse |\n|---|---|---|---|---|' AS validity_header \gset

\qecho '## The multinomial-Dirichlet synthesizer (002)'
\qecho
\qecho 'Two categories, alpha 1/2, five confidential rows and five drawn. The slides define an urn, and print draws from the posterior mean (`plug-in`): to every digit'
\qecho 'the same here. Their mean error is weighed by Binomial(5, 1/2), not by the Dirichlet prior that they name. [`pegs_dirichlet_matrix`](reference.md#pegs_dirichlet_matrix-pegs_dirichlet_risk-pegs_dirichlet_validity)`(2, 0.5, 5, 5, ''plug-in'')`:'
\qecho
\qecho :matrix_header
SELECT pg_temp.rows_of('plug-in');
\qecho
\qecho 'The same by the urn:'
\qecho
\qecho :matrix_header
SELECT pg_temp.rows_of('urn');
\qecho
\qecho 'Ratios of neighbours, their |ln|, `plug-in`; the largest is epsilon:'
\qecho
\qecho :matrix_header
SELECT pg_temp.ratios_of('plug-in');
\qecho
\qecho 'The same by the urn: ln(1 + m/alpha) is the bound (P18), and it is met.'
\qecho
\qecho :matrix_header
SELECT pg_temp.ratios_of('urn');
\qecho
\qecho 'The joint table, all tables by Binomial(5, 1/2), `plug-in`:'
\qecho
\qecho :matrix_header
SELECT format('| %s,%s | %s |', n1, 5 - n1, string_agg(CASE WHEN p * weight < 1e-4 THEN to_char(p * weight, '9.99EEEE') ELSE round((p * weight)::numeric, 6)::text END, ' | ' ORDER BY m1))
FROM cell WHERE draw = 'plug-in' GROUP BY n1 ORDER BY n1;
\qecho
\qecho 'At epsilon 2: `pegs_dirichlet_risk(2, 0.5, 5, 5, epsilon => 2)`. The slides'' delta is `delta_joint`, a property of an average table; those below are guarantees.'
\qecho
\qecho '| measure | plug-in | urn |'
\qecho '|---|---|---|'
SELECT format('| %s | %s | %s |', p.measure, round(p.value::numeric, 6), round(u.value::numeric, 6))
FROM pegs_dirichlet_risk(2, 0.5, 5, 5, 2, 'plug-in') WITH ORDINALITY AS p (measure, value, n) JOIN pegs_dirichlet_risk(2, 0.5, 5, 5, 2) AS u USING (measure) ORDER BY n;
\qecho
\qecho 'The share of the first category, `plug-in`:'
\qecho
\qecho :validity_header
SELECT pg_temp.validity_of('plug-in');
\qecho
\qecho 'By the urn:'
\qecho
\qecho :validity_header
SELECT pg_temp.validity_of('urn');
\qecho
SELECT format('Over the Dirichlet prior, which the slides name: %s by `plug-in`, %s by the urn.',
	(SELECT round(mse::numeric, 6) FROM pegs_dirichlet_validity(2, 0.5, 5, 5, 'plug-in', 'dirichlet') WHERE counts IS NULL),
	(SELECT round(mse::numeric, 6) FROM pegs_dirichlet_validity(2, 0.5, 5, 5, 'urn', 'dirichlet') WHERE counts IS NULL));
\qecho
\qecho 'Risk against utility (the slides'' graph, its data): of alpha, epsilon and the mean error.'
\qecho
\qecho '| alpha | epsilon, plug-in | error | epsilon, urn | error |'
\qecho '|---|---|---|---|---|'
SELECT format('| %s | %s | %s | %s | %s |', alpha,
	(SELECT round(value::numeric, 3) FROM pegs_dirichlet_risk(2, alpha, 5, 5, draw => 'plug-in')), (SELECT round(mse::numeric, 4) FROM pegs_dirichlet_validity(2, alpha, 5, 5, 'plug-in') WHERE counts IS NULL),
	(SELECT round(value::numeric, 3) FROM pegs_dirichlet_risk(2, alpha, 5, 5)), (SELECT round(mse::numeric, 4) FROM pegs_dirichlet_validity(2, alpha, 5, 5) WHERE counts IS NULL))
FROM unnest(ARRAY[0.1, 0.5, 1, 2, 5, 10]) AS alpha ORDER BY alpha;
\qecho
