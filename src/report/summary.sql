/*
 * summary.sql
 *	  pegs_summary: one HTML page about a model or release that may be passed on.
 *
 * For the data-protection officer, who has to decide and may not see
 * pegs_report. It is made of pegs_certificate and pegs_describe alone, which
 * whoever may use the rows may read, and never calls anything that reads the
 * original (test/pgtap/report.sql looks at what it depends on). So it has no
 * verdict on closeness either: one that is made from exact numbers is a look at
 * the data that nobody has charged.
 *
 * A page by itself, as the report's; of its parts. Replaced as a whole by an
 * update: see src/server/server.sql.
 */

-- the names in a body mean ours and PostgreSQL's: not what anybody has put into the extension's schema before
SELECT pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);

CREATE OR REPLACE FUNCTION pegs_internal.summary_meaning(certificate jsonb)
RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp BEGIN ATOMIC
WITH said AS (
	SELECT coalesce(($1 ->> 'slices_epsilon')::numeric, ($1 ->> 'epsilon')::numeric, ($1 ->> 'charged')::numeric) + coalesce(($1 ->> 'structure_epsilon')::numeric, 0)
			+ coalesce(($1 ->> 'domain_epsilon')::numeric, 0) + coalesce(($1 ->> 'choice_epsilon')::numeric, 0) AS epsilon,
		coalesce(($1 ->> 'slices_delta')::numeric, ($1 ->> 'delta')::numeric, 0) + coalesce(($1 ->> 'domain_delta')::numeric, 0) AS delta, pegs_internal.report_escape(coalesce($1 ->> 'unit', 'one row')) AS unit
)
SELECT CASE
	WHEN $1 ->> 'guarantee' = 'none' THEN
		'<p><b>There is no guarantee.</b> Neither this object nor rows of it may be passed on.</p>'
	WHEN s.epsilon IS NULL THEN
		'<p>Nothing was released yet: this model is as secret as the rows, and every sample of it is charged when it is drawn. What is said here is of the model; ask for the summary of a release.</p>'
	ELSE format('<p>The protected unit is %s. Whether its data are in the table or not, no outcome becomes more than %s times as probable, or as improbable%s: that is e to the power of epsilon, here %s. It holds against everybody, whatever they know already, whatever they do with the rows, and for ever.</p>',
			s.unit, pegs_internal.report_at_most(exp(least(s.epsilon, 700))),
			CASE WHEN s.delta > 0 THEN format(', but for outcomes of probability %s (delta)', pegs_internal.report_at_most(s.delta)) ELSE '' END, trim_scale(s.epsilon))
		|| CASE WHEN s.epsilon > 10 THEN '<p>An epsilon above 10 promises little by itself.</p>' ELSE '' END END
	|| CASE WHEN $1 ? 'domain_epsilon' THEN '<p>Levels and bins of columns were learnt from the rows, under a guarantee of their own, and are public with it: '
		|| pegs_internal.report_escape($1 ->> 'domain') || CASE WHEN s.epsilon IS NULL THEN '' ELSE '. It is in the numbers above' END || '.</p>'
		WHEN $1 ? 'domain' THEN '<p><b>What levels and bins cost is not counted here</b>: ' || pegs_internal.report_escape($1 ->> 'domain') || '.</p>' ELSE '' END
	|| CASE WHEN $1 ? 'choice' THEN '<p>It was compared with the rows, among others, under a guarantee of its own: ' || pegs_internal.report_escape($1 ->> 'choice')
		|| CASE WHEN s.epsilon IS NULL THEN '' ELSE '. It is in the numbers above' END || '.</p>' ELSE '' END
	|| CASE WHEN $1 ? 'slices' THEN '<p><b>It is of slices of its table.</b> The numbers above are of all slices that there are, together: ' || pegs_internal.report_escape($1 ->> 'slices') || '.</p>'
		WHEN $1 ? 'slice' THEN '<p><b>It is of one slice of its table.</b> The numbers above are of that slice alone. Other slices are other releases of the same data: what all of them tell together, the summary of their model says.</p>'
		WHEN $1 ? 'fit' THEN format('<p><b>It is fit number %s of its name.</b> The numbers above are of this fit alone. Each fit before was one more release of the same data: for who has read them all, their epsilons and deltas are to be added up.</p>', $1 ->> 'fit') ELSE '' END
	|| '<p>It does not say that nothing can be learnt about a person: what is true of many, the rows tell of everybody. Other releases of the same data add to it: their epsilons are to be added up.</p>'
	|| CASE WHEN $1 ->> 'counts' !~ '^(read by pegs_fit(_schema)?|rows of model .*'')$' THEN '<p><b>The counts are ' || pegs_internal.report_escape($1 ->> 'counts') || '.</b> This server has not read them from the rows: what is guaranteed is as true as whoever says so.</p>' ELSE '' END
FROM said AS s;
END;
COMMENT ON FUNCTION pegs_internal.summary_meaning(jsonb) IS 'a part of pegs_summary: a guarantee in sentences';
REVOKE ALL ON FUNCTION pegs_internal.summary_meaning(jsonb) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pegs_internal.summary_meaning(jsonb) TO PUBLIC;

CREATE OR REPLACE FUNCTION pegs_internal.summary_noise(description jsonb)
RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp BEGIN ATOMIC
-- of a model whose numbers were released with noise: its pairs, and the number of rows, which is noisy itself
SELECT '<p>Every count behind the rows was released with noise, of the standard deviation that is named here. Which pairs were measured, and how well, is itself part of what was released under the guarantee. What is not listed was not measured as a pair: there the rows follow from other pairs.</p>'
	'<div class="card scroll" tabindex="0"><table class="rows"><thead><tr><th scope="col">pair of columns</th><th class="n" scope="col">classes</th><th class="n" scope="col">noise in a count</th><th class="n" scope="col">in a share of all rows</th></tr></thead><tbody>'
	|| string_agg(format('<tr><td><bdi>%s</bdi>, <bdi>%s</bdi></td><td class="n">%s &#215; %s</td><td class="n">%s</td><td class="n">%s</td></tr>',
		pegs_internal.report_escape(p.pair -> 'columns' ->> 0), pegs_internal.report_escape(p.pair -> 'columns' ->> 1), p.pair -> 'classes' ->> 0, p.pair -> 'classes' ->> 1,
		pegs_internal.report_number((p.pair ->> 'sigma')::double precision),
		pegs_internal.report_percent((p.pair ->> 'sigma')::double precision / nullif(($1 ->> 'rows')::double precision, 0))), E'\n' ORDER BY (p.pair ->> 'sigma')::double precision, p.n)
	|| '</tbody></table></div>'
FROM jsonb_array_elements($1 -> 'pairs') WITH ORDINALITY AS p (pair, n);
END;
COMMENT ON FUNCTION pegs_internal.summary_noise(jsonb) IS 'a part of pegs_summary: the noise of the pairs; NULL where none was measured';
REVOKE ALL ON FUNCTION pegs_internal.summary_noise(jsonb) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pegs_internal.summary_noise(jsonb) TO PUBLIC;

CREATE OR REPLACE FUNCTION @extschema@.pegs_summary(name text)
RETURNS text LANGUAGE sql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp BEGIN ATOMIC
SELECT '<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"/><meta name="viewport" content="width=device-width, initial-scale=1"/><meta name="color-scheme" content="light dark"/><meta name="robots" content="noindex"/>
<title>Summary: ' || p.name || '</title><style>' || pegs_internal.report_style() || '</style></head><body>
<header><p class="eyebrow">Summary of a ' || pegs_internal.report_escape(p.c ->> 'kind') || ' ' || pegs_internal.report_escape(p.c ->> 'object')
|| CASE WHEN p.c ->> 'kind' = 'score' THEN '' ELSE ' of synthetic rows' END || '</p><h1><bdi>' || p.name || '</bdi></h1></header>
<main>
<section id="what"><div class="card"><p><b>'
|| CASE WHEN p.c ->> 'guarantee' = 'none' THEN 'About something without a guarantee.' ELSE 'May be passed on.' END
|| '</b> This page has the certificate, the noise, which is part of what was released under the guarantee, and sentences. No exact number of the original is in it, and no verdict on how close the rows are to it: to decide that one looks at the original (pegs_report, which is for its curator alone), and a verdict made from exact numbers is itself a look at the data that nobody has charged.</p></div></section>
<section id="meaning"><h2>What is guaranteed, in words</h2><div class="card">' || pegs_internal.summary_meaning(p.c) || '</div></section>
<section id="certificate"><h2>The certificate</h2><div class="card">' || pegs_internal.report_papers(p.c) || '</div></section>
' || coalesce('<section id="noise"><h2>How much noise</h2>' || pegs_internal.summary_noise(p.d) || '</section>
', '') || '<section id="ask"><h2>What to ask the curator</h2><div class="card"><p>' || CASE WHEN p.c ->> 'kind' = 'score' THEN 'What are the scores for, and what do they decide? How good are they, on whose rows (pegs_score_quality)?' ELSE 'What are the rows for, and is the page of pegs_report good enough for that?' END || ' What else was released of the same data, and what do the epsilons add up to (pegs_ledger, pegs_budgets)? What was learnt of levels and bins, as the certificate says it (domain), is counted above; were others learnt from the rows (lines "learn" of pegs_ledger), and then declared by hand? Then they are part of the rows, too, and what they cost, epsilon and delta, is to be added. Who may use the rows, and until when? Were several releases made and one chosen by its report? That would be a look at the data, too.</p></div></section>
</main>
<footer><p>Made with pegs ' || pegs_internal.report_escape(p.c -> 'versions' ->> 'pegs') || ' on ' || to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI') || ' UTC. Nothing was charged, nothing was stored, and no row was read.</p></footer>
</body></html>
'
FROM (SELECT pegs_internal.report_escape($1) AS name, d.c, d.d FROM (SELECT @extschema@.pegs_certificate($1) AS c, @extschema@.pegs_describe($1) AS d OFFSET 0) AS d) AS p;
END;
COMMENT ON FUNCTION @extschema@.pegs_summary(text)
IS 'one HTML page that may be passed on: guarantee in words, certificate, noise; reads no row and has no exact number of the original';
-- everyone may call it

SELECT pg_catalog.set_config('search_path', '@extschema@, pg_temp', true);
