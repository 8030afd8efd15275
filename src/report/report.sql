/*
 * report.sql
 *	  pegs_report: one HTML page for the curator who must decide about a release.
 *
 * Not private: the page shows counts of the confidential rows. The functions
 * in C that it calls (pegs_marginals_of and its kin) let curators through and
 * nobody else; nothing here reads a table or a model by itself. The parts below
 * it turn numbers into text and read nothing at all.
 *
 * The page stands alone: no script, no font, no picture and no link from
 * elsewhere. It is written as XHTML, so that a test can parse it, in ASCII:
 * what is not ASCII comes from names and levels. Every name and every level
 * goes through report_escape on its way into the page.
 *
 * The bodies are parsed here, once: a caller needs no right on pegs_internal,
 * where the parts are, and no name is looked up when the page is made. PUBLIC
 * may execute the parts, and nobody can name them.
 * Replaced as a whole by an update: see src/server/server.sql.
 */

-- the names in a body mean ours and PostgreSQL's: not what anybody has put into the extension's schema before
SELECT pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);

/* ---- words and rules ---- */

CREATE OR REPLACE FUNCTION pegs_internal.report_escape(words text)
RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp BEGIN ATOMIC
SELECT replace(replace(replace(replace(replace(regexp_replace($1, E'[\\u0001-\\u0008\\u000b\\u000c\\u000e-\\u001f]', '?', 'g'),
	'&', '&amp;'), '<', '&lt;'), '>', '&gt;'), '"', '&quot;'), '''', '&#39;');
END;
COMMENT ON FUNCTION pegs_internal.report_escape(text) IS 'a part of pegs_report: a name or level as text of the page; what XML cannot hold becomes a question mark';
REVOKE ALL ON FUNCTION pegs_internal.report_escape(text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pegs_internal.report_escape(text) TO PUBLIC;

CREATE OR REPLACE FUNCTION pegs_internal.report_number(value double precision)
RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp BEGIN ATOMIC
SELECT CASE
	WHEN $1 IS NULL OR $1 = 'NaN' THEN '&#8211;'
	WHEN abs($1) = 'Infinity' THEN '&#8734;'
	WHEN $1 = 0 THEN '0'
	WHEN abs($1) < 1e-3 THEN trim_scale(round(($1 / power(10::double precision, floor(log(abs($1)))))::numeric, 1)) || 'e' || floor(log(abs($1)))::int
	WHEN abs($1) >= 1000 THEN reverse(regexp_replace(reverse(round($1::numeric)::text), E'(\\d{3})(?=\\d)', E'\\1,', 'g'))
	ELSE trim_scale(round($1::numeric, greatest(0, 2 - floor(log(abs($1)))::int)))::text END;
END;
COMMENT ON FUNCTION pegs_internal.report_number(double precision) IS 'a part of pegs_report: a number with three digits that count';
REVOKE ALL ON FUNCTION pegs_internal.report_number(double precision) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pegs_internal.report_number(double precision) TO PUBLIC;

CREATE OR REPLACE FUNCTION pegs_internal.report_at_most(value numeric)
RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp BEGIN ATOMIC
-- of what is promised: above 0, and as report_number but rounded up, for less than what is true would be a promise that does not hold
SELECT pegs_internal.report_number((ceil($1 * power(10::numeric, p.places)) / power(10::numeric, p.places))::double precision)
FROM (SELECT CASE WHEN $1 < 0.001 THEN 1 - floor(log($1)) ELSE greatest(0, 2 - floor(log($1))) END AS places) AS p;
END;
COMMENT ON FUNCTION pegs_internal.report_at_most(numeric) IS 'a part of pegs_report: a number above 0 with three digits that count, rounded up';
REVOKE ALL ON FUNCTION pegs_internal.report_at_most(numeric) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pegs_internal.report_at_most(numeric) TO PUBLIC;

CREATE OR REPLACE FUNCTION pegs_internal.report_measures()
RETURNS TABLE (measure text, unit text, words text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 30 SET search_path = pg_catalog, pg_temp BEGIN ATOMIC
VALUES
	('tv1_max', '', 'largest distance of a column'),
	('tv2_mean', '', 'mean distance of the pairs'),
	('pmse_logit', '', 'mean squared error of the propensity score (pMSE, logistic, main effects)'),
	('pmse_logit_ratio', '', 'error of a classifier that is to tell the rows apart (pMSE), over what chance alone gives'),
	('pmse_cells', '', 'pMSE of the partition by all columns'),
	('mean_error_max', '', 'largest error of a mean, as a part of it or of the spread'),
	('zeros_error_max', '', 'largest error of a share of zeros'),
	('epsilon', '', 'epsilon'),
	('delta_rows', '', 'delta times the rows of the original'),
	('UiO', '%', 'rows of the original that are alone with their keys'),
	('UiS', '%', 'synthetic rows that are alone with their keys'),
	('repU', '%', 'rows of the original whose keys are unique in both tables'),
	('exact_match', '%', 'synthetic rows that equal a row of the original in all columns'),
	('unique_matched', '%', 'unique rows of the original, in all columns, that the synthetic table has'),
	('iS', '%', 'rows of the original whose keys the synthetic table has'),
	('DiS', '%', 'rows whose keys have one target only in the synthetic table'),
	('DiSCO', '%', 'rows whose keys have one target only in the synthetic table, and it is the right one'),
	('Dorig', '%', 'rows whose keys have one target only in the original'),
	('misclassified', 'share', 'wrong guesses of an intruder with the synthetic table'),
	('misclassified_own', 'share', 'wrong guesses of an intruder with the original'),
	('misclassified_mode', 'share', 'wrong guesses of somebody who knows only the most frequent target'),
	('cap', 'share', 'probability of the right target among synthetic rows with the same keys'),
	('error', '', 'mean error of an intruder with the synthetic table, in the target''s unit'),
	('error_own', '', 'mean error of an intruder with the original, in the target''s unit'),
	('averages_alone', '', 'rows that are alone in a group of the averages'),
	('averages_two', '', 'smallest group of the averages has two rows (1: it has)'),
	('averages_added', '', 'what columns add to the averages, as a part of the differences between rows');
END;
COMMENT ON FUNCTION pegs_internal.report_measures() IS 'a part of pegs_report: the measures it shows, in words';
REVOKE ALL ON FUNCTION pegs_internal.report_measures() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pegs_internal.report_measures() TO PUBLIC;

CREATE OR REPLACE FUNCTION pegs_internal.report_rules()
RETURNS TABLE (place int, topic text, verdict text, grade text, at_most jsonb, next text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 20 SET search_path = pg_catalog, pg_temp BEGIN ATOMIC
-- the only place of the thresholds: verdicts are decided by these rows, and the page prints them. In a topic the first
-- whose measures are all small enough holds; the last one has no condition. `next`: what to do about it
VALUES
	(1, 'utility', 'close', 'good', '{"tv2_mean": 0.05, "tv1_max": 0.05}'::jsonb, NULL),
	(2, 'utility', 'usable for counts', 'fair', '{"tv2_mean": 0.1, "tv1_max": 0.1}',
		'Enough for counts and shares of one column or two. For more: a larger epsilon, fewer columns, or another method (docs/methods.md).'),
	(3, 'utility', 'usable for single columns only', 'care', '{"tv1_max": 0.1}',
		'Say so where the rows are published, or fit again: a larger epsilon, a delta above 0, fewer columns, fewer bins; or by another method (docs/methods.md). Of method graph pegs_plan says before it is charged what each buys.'),
	(4, 'utility', 'not usable', 'bad', '{}',
		'Fit again: a larger epsilon, a delta above 0, fewer columns, fewer bins; or by another method (docs/methods.md). Of method graph pegs_plan says before it is charged what each buys.'),
	(6, 'averages', 'averages hold', 'good', '{"mean_error_max": 0.05, "zeros_error_max": 0.01}', NULL),
	(7, 'averages', 'averages are rough', 'fair', '{"mean_error_max": 0.1, "zeros_error_max": 0.05}',
		'Say so where the rows are published. Below stands for each column what is off, and what mends it.'),
	(8, 'averages', 'averages mislead', 'care', '{}',
		'Mend the columns that are named here: bins, points and steps are public facts and cost nothing to declare. Then fit again, which is charged.'),
	(10, 'propensity', 'hard to tell apart', 'good', '{"pmse_logit_ratio": 3}', NULL),
	(11, 'propensity', 'can be told apart', 'fair', '{"pmse_logit_ratio": 10}',
		'Enough for counts. For a model that readers will fit, compare that model: pegs_regression.'),
	(12, 'propensity', 'easy to tell apart', 'care', '{}',
		'Look at the numeric columns and the worst pairs below: what a classifier sees is most often there. For a model that readers will fit, compare that model: pegs_regression.'),
	(14, 'guarantee', 'strong guarantee', 'good', '{"epsilon": 1, "delta_rows": 0.01}', NULL),
	(15, 'guarantee', 'reasonable guarantee', 'fair', '{"epsilon": 10, "delta_rows": 0.01}', NULL),
	(16, 'guarantee', 'weak guarantee', 'care', '{"epsilon": 20}',
		'Would less do? pegs_plan says what a smaller epsilon is worth; a delta is best far below one over the number of rows.'),
	(17, 'guarantee', 'no guarantee to speak of', 'bad', '{}', 'Treat these rows as you treat the original, or fit with a smaller epsilon.'),
	(19, 'unique rows', 'few unique rows come back', 'good', '{"repU": 5}', NULL),
	(20, 'unique rows', 'some unique rows come back', 'care', '{"repU": 20}',
		'By a guarantee above it may be chance alone. Where that cannot be explained to those concerned, join levels of the keys: wider bins, a level "other".'),
	(21, 'unique rows', 'many unique rows come back', 'bad', '{}', 'Join levels of the keys (wider bins, a level "other") and fit again.'),
	(23, 'attribute disclosure', 'little is disclosed', 'good', '{"DiSCO": 5}', NULL),
	(24, 'attribute disclosure', 'something is disclosed', 'care', '{"DiSCO": 20}',
		'Compare with Dorig below: what the keys tell in the original, they tell in any good copy. If it must not be told, join levels of the target or leave it out.'),
	(25, 'attribute disclosure', 'much is disclosed', 'bad', '{}',
		'Compare with Dorig below: what the keys tell in the original, they tell in any good copy. Join levels of the target, or leave it out.'),
	(27, 'published averages', 'averages tell of groups', 'good', '{"averages_alone": 0, "averages_two": 0, "averages_added": 0.1}', NULL),
	(28, 'published averages', 'averages tell of single people', 'care', '{"averages_alone": 0}',
		'Who knows the columns learns more from these averages than the average of a group. Publish fewer or larger groups, or averages of synthetic rows.'),
	(29, 'published averages', 'people are alone in a published group', 'bad', '{}',
		'Do not publish these averages: join groups until none is of one row, leave small ones out, or publish averages of synthetic rows.');
END;
COMMENT ON FUNCTION pegs_internal.report_rules() IS 'a part of pegs_report: every verdict, and how large its measures may be';
REVOKE ALL ON FUNCTION pegs_internal.report_rules() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pegs_internal.report_rules() TO PUBLIC;

CREATE OR REPLACE FUNCTION pegs_internal.report_verdicts(measures jsonb)
RETURNS TABLE (place int, topic text, verdict text, grade text, rule text, measured text, holds boolean, next text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 20 SET search_path = pg_catalog, pg_temp BEGIN ATOMIC
WITH rule AS (
	SELECT r.*, c.words, c.measured, coalesce(c.small, true) AS small
	FROM pegs_internal.report_rules() AS r
	CROSS JOIN LATERAL (
		SELECT string_agg(format('%s: at most %s%s', m.words, e.value #>> '{}', nullif(m.unit, 'share')), '; ' ORDER BY e.key DESC) AS words,
			string_agg(format('%s%s', pegs_internal.report_number(($1 ->> e.key)::double precision), nullif(m.unit, 'share')), '; ' ORDER BY e.key DESC)
				FILTER (WHERE $1 ->> e.key IS NOT NULL) AS measured,
			-- what cannot be measured, such as pairs of one column, decides nothing
			bool_and(($1 ->> e.key)::double precision <= (e.value #>> '{}')::double precision) AS small
		FROM jsonb_each(r.at_most) AS e JOIN pegs_internal.report_measures() AS m ON m.measure = e.key
	) AS c
), decided AS (
	SELECT r.*, lag(r.words) OVER w AS before, first_value(r.measured) OVER w AS all_measured,
		min(CASE WHEN r.small THEN r.place END) OVER (PARTITION BY r.topic) AS chosen
	FROM rule AS r WINDOW w AS (PARTITION BY r.topic ORDER BY r.place)
)
SELECT d.place, d.topic, d.verdict, d.grade, coalesce(d.words, 'not even this holds: ' || d.before), d.all_measured,
	d.place = d.chosen AND d.all_measured IS NOT NULL, d.next
FROM decided AS d
UNION ALL
-- of a table without numbers nothing is missing, nor where no averages were named
SELECT min(d.place) - 1, d.topic, 'not measured', 'none', CASE d.topic WHEN 'attribute disclosure' THEN 'needs keys and a target'
	ELSE 'needs rows in both tables' END, NULL, true,
	CASE d.topic WHEN 'attribute disclosure' THEN 'Name the columns that somebody may know of a person, and the one that nobody should learn: keys and target of pegs_report.' END
FROM decided AS d WHERE d.topic NOT IN ('averages', 'published averages') GROUP BY d.topic HAVING bool_and(d.all_measured IS NULL);
END;
COMMENT ON FUNCTION pegs_internal.report_verdicts(jsonb) IS 'a part of pegs_report: which verdicts hold for these measures, with the rule of each in words, and what to do next';
REVOKE ALL ON FUNCTION pegs_internal.report_verdicts(jsonb) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pegs_internal.report_verdicts(jsonb) TO PUBLIC;

/* ---- the page's parts ---- */

CREATE OR REPLACE FUNCTION pegs_internal.report_style()
RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp BEGIN ATOMIC
SELECT $css$
:root { --paper: #f6f7f9; --card: #ffffff; --ink: #18202b; --soft: #566273; --line: #dfe3e9; --original: #2563a8; --synthetic: #c2560c;
	--red: #b3201b; --red-paper: #fdeceb; --good: #1b7a45; --fair: #1f6f8b; --care: #8f5a00; --bad: #b3201b; --none: #566273;
	--h0: #edf1ee; --h1: #fbe8c8; --h2: #f8cd92; --h3: #f0a35c; --h4: #d96c3a; --h5: #a8352c; --h6: #611022; color-scheme: light dark; }
@media (prefers-color-scheme: dark) { :root { --paper: #10141a; --card: #181e26; --ink: #e7ebf1; --soft: #9dabbb; --line: #2b343f; --original: #74b0ff;
	--synthetic: #f2a05a; --red: #ff8d85; --red-paper: #3a1a1b; --good: #62cf93; --fair: #6cc4de; --care: #e6b352; --bad: #ff8d85; --none: #9dabbb;
	--h0: #2b3541; --h1: #4a4136; --h2: #6b4f33; --h3: #915f30; --h4: #c27a38; --h5: #eaa25c; --h6: #ffdcae; } }
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; overflow-wrap: anywhere; }
main, header, footer { max-width: 1120px; margin: 0 auto; padding: 0 16px; }
header { padding-top: 28px; }
h1 { margin: 2px 0 0; font-size: 28px; line-height: 1.2; font-weight: 650; letter-spacing: -.01em; }
h2 { margin: 0 0 4px; font-size: 19px; font-weight: 650; }
h3 { margin: 0 0 8px; font-size: 15px; font-weight: 650; }
p { margin: 0 0 12px; max-width: 76ch; }
.soft, .eyebrow, figcaption { color: var(--soft); }
.eyebrow { margin: 0; font-size: 13px; }
.secret { margin: 0; max-width: none; padding: 10px 16px; background: var(--red-paper); color: var(--red); border-bottom: 2px solid var(--red); text-align: center; }
.secret strong { text-transform: uppercase; letter-spacing: .06em; }
section { margin: 40px 0; } #verdicts { margin-top: 14px; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 16px; min-width: 0; }
.grid { display: grid; gap: 14px; grid-template-columns: repeat(auto-fill, minmax(min(330px, 100%), 1fr)); align-items: start; }
.columns { columns: 3 310px; column-gap: 14px; } .columns .card { break-inside: avoid; margin-bottom: 14px; }
.card + p { margin-top: 10px; }
.wide { display: grid; gap: 14px; grid-template-columns: repeat(auto-fit, minmax(min(440px, 100%), 1fr)); align-items: start; }
.verdicts { align-items: stretch; }
.overall { margin: 0 0 14px; border-left: 5px solid currentColor; }
.overall .name { font-size: 24px; line-height: 1.25; }
.overall p, .verdict p { margin: 4px 0 0; color: var(--ink); font-size: 14px; }
.topic { color: var(--soft); font-size: 13px; }
.numeric th:first-child { min-width: 9rem; } .numeric th:last-child, .numeric td:last-child { min-width: 18rem; padding-left: 18px; } .reading { margin: 12px 0 0; }
.name { font-size: 18px; font-weight: 650; }
.mark { display: inline-block; width: 13px; height: 13px; margin-right: 8px; }
.mark * { fill: currentColor; stroke: currentColor; }
.good { color: var(--good); } .fair { color: var(--fair); } .care { color: var(--care); } .bad { color: var(--bad); } .none { color: var(--none); }
.facts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(150px, 45%), 1fr)); gap: 14px; margin: 18px 0 0; }
.facts div { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 12px 16px; }
.facts dt { color: var(--soft); font-size: 13px; }
.facts dd { margin: 0; font-size: 22px; font-weight: 600; font-variant-numeric: tabular-nums; }
dl.paper { display: grid; grid-template-columns: minmax(90px, 9rem) 1fr; gap: 6px 16px; margin: 0; }
dl.paper dt { color: var(--soft); } dl.paper dd { margin: 0; }
table { width: 100%; border-collapse: collapse; font-size: 14px; }
caption { text-align: left; padding-bottom: 8px; } caption b { font-size: 15px; margin-right: 8px; } caption span { color: var(--soft); font-size: 13px; display: inline-block; }
th { font-weight: 400; text-align: left; } thead th { color: var(--soft); font-size: 12px; }
th, td { padding: 3px 0; vertical-align: middle; }
.rows td, .rows th { border-top: 1px solid var(--line); padding: 6px 0; vertical-align: top; }
.rows thead th { border-top: 0; } .rows * + td, .rows * + th { padding-left: 12px; } .scroll .rows { min-width: 36rem; }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; padding-left: 10px; width: 1%; }
.bars { table-layout: fixed; } .bars th.l { width: 40%; padding-right: 8px; font-size: 13px; } .bars th.n, .bars td.n { width: 58px; padding-left: 4px; font-size: 13px; }
.bars th.l { line-height: 1.25; } .bars:not(.worst) th.l bdi { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; overflow: hidden; }
.bars svg { display: block; width: 100%; height: 14px; }
.bars.worst th.l { width: 50%; white-space: normal; line-height: 1.3; } .bars.worst th.n, .bars.worst td.n { width: 72px; }
.o { fill: var(--original); } .s { fill: var(--synthetic); } td.o, th.o, .key .o { color: var(--original); } td.s, th.s, .key .s { color: var(--synthetic); }
.key { display: flex; flex-wrap: wrap; gap: 4px 18px; margin: 0 0 12px; padding: 0; list-style: none; font-size: 13px; color: var(--soft); }
.key svg { width: 14px; height: 12px; margin-right: 6px; vertical-align: -1px; }
.scroll { overflow-x: auto; max-width: 100%; }
.across { grid-column: 1 / -1; }
.heat { display: block; height: auto; } .fit { width: 100%; }
.heat text, .map text { fill: var(--ink); font-size: 12px; unicode-bidi: plaintext; } .map text.q { fill: var(--soft); font-size: 11px; }
.h0 { fill: var(--h0); } .h1 { fill: var(--h1); } .h2 { fill: var(--h2); } .h3 { fill: var(--h3); } .h4 { fill: var(--h4); } .h5 { fill: var(--h5); } .h6 { fill: var(--h6); }
.map { display: block; width: 100%; max-width: 560px; height: auto; } .map .axis { stroke: var(--line); stroke-width: 1; }
.m1 { stroke: var(--synthetic); fill: none; stroke-width: 2.2; } .m2 { stroke: var(--soft); fill: none; stroke-width: 1.6; stroke-dasharray: 6 4; } .m3 { stroke: var(--soft); fill: none; stroke-width: 1.6; stroke-dasharray: 1.5 3.5; stroke-linecap: round; }
.m4 { stroke: var(--ink); fill: none; stroke-width: 1.6; }
.dot { fill: var(--synthetic); } .triangle { fill: var(--ink); } .square { fill: var(--soft); } .diamond { fill: var(--card); stroke: var(--soft); stroke-width: 1.5; } .here { fill: none; stroke: var(--ink); stroke-width: 2; }
details { margin-top: 10px; } summary { cursor: pointer; color: var(--soft); font-size: 14px; } summary:focus-visible { outline: 2px solid var(--original); outline-offset: 2px; }
details table { margin-top: 8px; }
footer { padding-bottom: 40px; color: var(--soft); font-size: 13px; }
code { font: 13px/1.4 ui-monospace, "DejaVu Sans Mono", monospace; }
@media (max-width: 480px) { h1 { font-size: 23px; } .card { padding: 13px; } dl.paper { grid-template-columns: 1fr; gap: 0; } dl.paper dd { margin-bottom: 8px; } .numeric th:last-child, .numeric td:last-child { min-width: 30rem; } }
@media print { body { background: none; } .card { break-inside: avoid; } }
$css$;
END;
COMMENT ON FUNCTION pegs_internal.report_style() IS 'a part of pegs_report: its style sheet, light and dark';
REVOKE ALL ON FUNCTION pegs_internal.report_style() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pegs_internal.report_style() TO PUBLIC;

CREATE OR REPLACE FUNCTION pegs_internal.report_mark(grade text)
RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp BEGIN ATOMIC
-- a shape a grade: colour alone does not tell
SELECT '<svg class="mark" viewBox="0 0 12 12" aria-hidden="true">' || CASE $1
	WHEN 'good' THEN '<circle cx="6" cy="6" r="5"/>'
	WHEN 'fair' THEN '<circle cx="6" cy="6" r="5" style="fill:none"/><path d="M6 1a5 5 0 0 1 0 10z"/>'
	WHEN 'care' THEN '<path d="M6 1 11.3 10.8 .7 10.8z"/>'
	WHEN 'bad' THEN '<rect x="1" y="1" width="10" height="10"/>'
	ELSE '<circle cx="6" cy="6" r="4.5" style="fill:none"/>' END || '</svg>';
END;
COMMENT ON FUNCTION pegs_internal.report_mark(text) IS 'a part of pegs_report: the sign of a grade';
REVOKE ALL ON FUNCTION pegs_internal.report_mark(text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pegs_internal.report_mark(text) TO PUBLIC;

CREATE OR REPLACE FUNCTION pegs_internal.report_opinion(measures jsonb)
RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp BEGIN ATOMIC
-- measures -> 'why': by topic what a verdict comes from, as text of the page
WITH verdict AS MATERIALIZED (
	SELECT v.*, $1 -> 'why' ->> v.topic AS why FROM pegs_internal.report_verdicts($1) AS v
), named AS (
	SELECT string_agg('&#8220;' || r.verdict || '&#8221;', ', ' ORDER BY r.place) FILTER (WHERE r.grade = 'bad') AS bad,
		string_agg('&#8220;' || r.verdict || '&#8221;', ', ' ORDER BY r.place) FILTER (WHERE r.grade = 'care') AS care
	FROM pegs_internal.report_rules() AS r
), overall AS (
	SELECT CASE WHEN bool_or(v.grade = 'bad') THEN 'bad' WHEN bool_or(v.grade IN ('care', 'none')) THEN 'care' ELSE 'good' END AS grade,
		-- those that decided
		coalesce(string_agg(v.verdict, '; ' ORDER BY v.place) FILTER (WHERE v.grade = 'bad'),
			string_agg(CASE v.grade WHEN 'none' THEN v.topic || ' is not measured' ELSE v.verdict END, '; ' ORDER BY v.place) FILTER (WHERE v.grade IN ('care', 'none'))) AS because
	FROM verdict AS v WHERE v.holds
)
SELECT format('<div class="card overall verdict %s"><div class="name">%s%s</div>%s<p class="rule">Rule: %s</p></div>', o.grade,
		pegs_internal.report_mark(o.grade),
		CASE o.grade WHEN 'bad' THEN 'do not publish' WHEN 'care' THEN 'look closer before publishing' ELSE 'nothing here speaks against publishing' END,
		'<p class="because">Because: ' || o.because || '.</p>',
		CASE o.grade WHEN 'bad' THEN 'one of the verdicts below is ' || n.bad
			WHEN 'care' THEN 'no verdict below is bad, and one is &#8220;not measured&#8221; or ' || n.care
			ELSE 'no verdict below is &#8220;not measured&#8221;, ' || n.care || ', ' || n.bad END || '.')
	|| '<div class="grid verdicts">' || (
		SELECT string_agg(format('<div class="card verdict %s"><div class="topic">%s</div><div class="name">%s%s</div>%s<p class="rule">Rule: %s.</p>%s%s</div>',
			v.grade, v.topic, pegs_internal.report_mark(v.grade), v.verdict,
			'<p class="why">' || CASE WHEN v.topic = 'published averages' AND v.grade = 'good' THEN 'Found: ' WHEN v.grade = 'good' THEN 'Most is off here: ' ELSE 'Because ' END || v.why || '.</p>',
			v.rule, '<p class="soft">Measured: ' || v.measured || '.</p>',
			'<p class="next"><b>Next:</b> ' || v.next || '</p>'), E'\n' ORDER BY v.place)
		FROM verdict AS v WHERE v.holds)
	|| '</div><details><summary>All verdicts and their rules</summary><div class="scroll"><table class="rows"><thead><tr><th>topic</th><th>verdict</th><th>rule: the first that holds</th></tr></thead><tbody>' || (
		SELECT string_agg(format('<tr class="verdict"><td>%s</td><td><span class="%s">%s%s</span></td><td class="rule">%s</td></tr>',
			v.topic, v.grade, pegs_internal.report_mark(v.grade), v.verdict, v.rule), '' ORDER BY v.place)
		FROM verdict AS v WHERE v.verdict <> 'not measured')
	|| '</tbody></table></div></details>'
FROM overall AS o, named AS n;
END;
COMMENT ON FUNCTION pegs_internal.report_opinion(jsonb) IS 'a part of pegs_report: the verdicts, each with its rule';
REVOKE ALL ON FUNCTION pegs_internal.report_opinion(jsonb) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pegs_internal.report_opinion(jsonb) TO PUBLIC;

CREATE OR REPLACE FUNCTION pegs_internal.report_papers(certificate jsonb)
RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp BEGIN ATOMIC
SELECT '<dl class="paper">' || string_agg(format('<dt>%s</dt><dd>%s</dd>', l.what, pegs_internal.report_escape(l.words)), E'\n' ORDER BY l.place)
	|| '</dl>'
FROM (VALUES
	(1, 'mechanism', $1 ->> 'mechanism'),
	(2, 'guarantee', $1 ->> 'guarantee'),
	(3, 'epsilon', coalesce($1 ->> 'epsilon', $1 ->> 'charged') || CASE WHEN $1 ? 'slices' THEN ', of the slice that was fitted last' ELSE '' END),
	(4, 'delta', coalesce($1 ->> 'delta', CASE WHEN $1 ? 'charged' THEN '0' END) || CASE WHEN $1 ? 'slices' THEN ', of that' ELSE '' END),
	(5, 'structure', 'epsilon ' || ($1 ->> 'structure_epsilon') || ' was charged besides, for the choice of parents'),
	(6, 'domain', $1 ->> 'domain'),
	(7, 'choice', $1 ->> 'choice'),
	(8, 'fit', 'number ' || ($1 ->> 'fit') || ' of this name, at ' || ($1 ->> 'fitted')
		|| CASE WHEN $1 ? 'slice' THEN '; slices are charged once, when they are set' ELSE '; each was charged' END),
	(9, 'slices', $1 ->> 'slices'),
	(10, 'neighbours', $1 ->> 'neighbours'),
	(11, 'protected unit', nullif(concat_ws('; ', $1 ->> 'unit', 'stands for ' || ($1 ->> 'stands_for'), 'left out: ' || ($1 ->> 'left_out')), '')),
	(12, 'accounting', $1 ->> 'accounting'),
	(13, 'rows at a time', 'blocks of ' || ($1 ->> 'block')),
	(14, 'drawn', $1 ->> 'draw'),
	(15, 'given', $1 ->> 'given'),
	(16, 'public', $1 ->> 'public'),
	(17, 'options', nullif(($1 -> 'options') - 'target', '{}')::text),
	(18, 'columns', (SELECT string_agg(format('%s (%s)', e ->> 'column', e ->> 'levels'), ', ' ORDER BY n)
		FROM jsonb_array_elements($1 -> 'columns') WITH ORDINALITY AS e (e, n))),
	(19, 'computed', (SELECT string_agg(e, ', ' ORDER BY n) FROM jsonb_array_elements_text($1 -> 'computed') WITH ORDINALITY AS e (e, n))),
	(20, 'target', (SELECT string_agg(e, ', ' ORDER BY n) FROM jsonb_array_elements_text($1 -> 'target') WITH ORDINALITY AS e (e, n))),
	(21, 'counts', $1 ->> 'counts'),
	(22, 'account', $1 ->> 'account'),
	(23, 'not covered', $1 ->> 'not_protected'),
	(24, 'versions', format('pegs %s, PostgreSQL %s', $1 -> 'versions' ->> 'pegs', $1 -> 'versions' ->> 'postgresql'))
) AS l (place, what, words)
WHERE l.words IS NOT NULL;
END;
COMMENT ON FUNCTION pegs_internal.report_papers(jsonb) IS 'a part of pegs_report: the certificate as a list';
REVOKE ALL ON FUNCTION pegs_internal.report_papers(jsonb) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pegs_internal.report_papers(jsonb) TO PUBLIC;

CREATE OR REPLACE FUNCTION pegs_internal.report_percent(share double precision)
RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp BEGIN ATOMIC
SELECT pegs_internal.report_number(100 * $1) || CASE WHEN $1 IS NULL THEN '' ELSE '%' END;
END;
COMMENT ON FUNCTION pegs_internal.report_percent(double precision) IS 'a part of pegs_report: a share in percent';
REVOKE ALL ON FUNCTION pegs_internal.report_percent(double precision) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pegs_internal.report_percent(double precision) TO PUBLIC;

CREATE OR REPLACE FUNCTION pegs_internal.report_numbers(columns jsonb)
RETURNS TABLE (place int, name text, is_date boolean, error double precision, fine boolean, cells text, why text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 10 SET search_path = pg_catalog, pg_temp BEGIN ATOMIC
-- columns: [{"name", "measures": those of pegs_utility, "level", "o", "s", "last"}], the level that is most of a difference, its
-- shares, and whether it is the last bin. In order: the worst first. `fine`: it would leave the verdict good
WITH one AS (
	SELECT e.place, e.c ->> 'name' AS name, e.c -> 'measures' AS m, NOT e.c -> 'measures' ? 'zeros_original' AS is_date,
		pegs_internal.report_escape(e.c ->> 'level') AS level, (e.c ->> 'o')::double precision AS o, (e.c ->> 's')::double precision AS s,
		coalesce((e.c ->> 'last')::boolean, false) AS is_last
	FROM jsonb_array_elements($1) WITH ORDINALITY AS e (c, place)
), read AS (
	SELECT o.*, (o.m ->> 'mean_error')::double precision AS error, (o.m ->> 'mean_original')::double precision AS mean,
		-- as mean_error has it; least() passes over NULL
		CASE WHEN o.is_date THEN (o.m ->> 'sd_original')::double precision
			ELSE least((o.m ->> 'sd_original')::double precision, (o.m ->> 'sd_synthetic')::double precision) END AS sd, (o.m ->> 'mean_difference')::double precision AS difference,
		(o.m ->> 'zeros_original')::double precision AS zeros, (o.m ->> 'zeros_synthetic')::double precision AS zeros_synthetic,
		abs((o.m ->> 'mean_inside')::double precision) > abs((o.m ->> 'mean_shares')::double precision) AS inside
	FROM one AS o
), good AS (
	SELECT (r.at_most ->> 'mean_error_max')::double precision AS mean, (r.at_most ->> 'zeros_error_max')::double precision AS zeros
	FROM pegs_internal.report_rules() AS r WHERE r.verdict = 'averages hold'
)
SELECT row_number() OVER (ORDER BY greatest(r.error / g.mean, abs(r.zeros_synthetic - r.zeros) / g.zeros) DESC NULLS LAST, r.place)::int, r.name, r.is_date, r.error,
	coalesce(r.error <= g.mean, true) AND coalesce(abs(r.zeros_synthetic - r.zeros) <= g.zeros, true),
	(SELECT string_agg(format('<td class="n">%s</td>', CASE
			WHEN c.what = 'zeros' THEN pegs_internal.report_percent(c.value)
			-- as far as a timestamp reaches
			WHEN r.is_date AND c.what <> 'sd' AND abs(c.value) < 1e8 THEN to_char(timestamp '1970-01-01' + make_interval(days => floor(c.value)::int), 'YYYY-MM-DD')
			WHEN r.is_date AND c.value IS NOT NULL THEN pegs_internal.report_number(c.value) || ' days'
			ELSE CASE WHEN c.value < 0 THEN '&#8722;' ELSE '' END || pegs_internal.report_number(abs(c.value)) END), '' ORDER BY c.n)
		FROM (SELECT w.n, w.what, (r.m ->> (w.what || '_' || w.whose))::double precision AS value
			FROM (VALUES (1, 'mean', 'original'), (2, 'mean', 'synthetic'), (3, 'median', 'original'), (4, 'median', 'synthetic'),
				(5, 'sd', 'original'), (6, 'sd', 'synthetic'), (7, 'zeros', 'original'), (8, 'zeros', 'synthetic')) AS w (n, what, whose)
			OFFSET 0) AS c),
	concat_ws('; ',
		CASE WHEN abs(r.zeros_synthetic - r.zeros) > g.zeros THEN format('%s of the values of <bdi>%s</bdi> are 0, of the synthetic ones %s%s',
			pegs_internal.report_percent(r.zeros), pegs_internal.report_escape(r.name), pegs_internal.report_percent(r.zeros_synthetic),
			CASE WHEN r.zeros_synthetic < r.zeros THEN ': declare 0 as a value of its own (pegs_set_bins, points)' ELSE '' END) END,
		CASE WHEN r.error > g.mean THEN format('the mean of <bdi>%s</bdi> is %s: %s', pegs_internal.report_escape(r.name),
			CASE WHEN r.is_date OR coalesce(abs(r.mean) < r.sd, false) OR r.mean = 0 THEN pegs_internal.report_number(abs(r.difference) / nullif(r.sd, 0)) || ' standard deviations off'
				ELSE pegs_internal.report_percent(r.error) || ' off' END,
			CASE WHEN r.inside AND r.is_last THEN 'its last bin ' || r.level || ' is wide, and nobody told where in it the values are; say where the tail ends, or give it more bins'
				WHEN r.inside THEN 'the values lie elsewhere in its bin ' || r.level || ' than they did; give it more bins there'
				WHEN r.level IS NULL THEN 'values that are not declared'
				ELSE format('%s has %s of the rows, and had %s: noise, or rows given by intent; fewer levels or bins there, or a larger epsilon',
					r.level, pegs_internal.report_percent(r.s), pegs_internal.report_percent(r.o)) END) END)
FROM read AS r, good AS g;
END;
COMMENT ON FUNCTION pegs_internal.report_numbers(jsonb) IS 'a part of pegs_report: numeric columns, each with its row of the table and why its mean or its zeros are off';
REVOKE ALL ON FUNCTION pegs_internal.report_numbers(jsonb) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pegs_internal.report_numbers(jsonb) TO PUBLIC;

CREATE OR REPLACE FUNCTION pegs_internal.report_numeric(columns jsonb)
RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp BEGIN ATOMIC
-- NULL where there are none. The twelve that are most off; the rest is folded
WITH line AS (
	SELECT n.place, format('<tr><th scope="row"><bdi>%s</bdi></th>%s<td class="%s">%s</td></tr>', pegs_internal.report_escape(n.name), n.cells,
		CASE WHEN n.fine THEN 'fine' ELSE 'off' END, coalesce(nullif(n.why, ''), CASE WHEN n.error IS NULL THEN 'not measured' ELSE 'holds' END)) AS html
	FROM pegs_internal.report_numbers($1) AS n
), part AS (
	SELECT l.place > 12 AS rest, count(*) AS n, '<div class="card scroll" tabindex="0"><table class="rows numeric"><thead><tr><th scope="col">column</th>'
		|| (SELECT string_agg(format('<th class="n o" scope="col">%s</th><th class="n s" scope="col">synth.</th>', w), '' ORDER BY i) FROM unnest(ARRAY['mean', 'median', 'spread (sd)', 'zeros']) WITH ORDINALITY AS u (w, i))
		|| '<th scope="col">what is off</th></tr></thead><tbody>' || string_agg(l.html, E'\n' ORDER BY l.place) || '</tbody></table></div>' AS html
	FROM line AS l GROUP BY l.place > 12
)
SELECT string_agg(CASE WHEN p.rest THEN format('<details><summary>%s more, less off than these</summary>%s</details>', p.n, p.html) ELSE p.html END, '' ORDER BY p.rest)
FROM part AS p;
END;
COMMENT ON FUNCTION pegs_internal.report_numeric(jsonb) IS 'a part of pegs_report: mean, median, spread and zeros of numeric columns as a table';
REVOKE ALL ON FUNCTION pegs_internal.report_numeric(jsonb) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pegs_internal.report_numeric(jsonb) TO PUBLIC;

CREATE OR REPLACE FUNCTION pegs_internal.report_guesses(measures jsonb)
RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp BEGIN ATOMIC
-- a guess is better if it is wrong for a hundredth of the rows less
SELECT CASE WHEN g.synthetic IS NULL OR g.mode IS NULL THEN '' ELSE format('<p class="reading">Read: an intruder who has the synthetic table guesses the target %s; %s.</p>',
	CASE WHEN g.synthetic < g.mode - 0.01 THEN 'better than by naming the commonest answer for everybody'
		WHEN g.synthetic > g.mode + 0.01 THEN 'worse than by naming the commonest answer for everybody'
		ELSE 'no better than by naming the commonest answer for everybody' END,
	CASE WHEN g.own IS NULL THEN 'what the original itself would give away is not measured'
		WHEN g.own < least(g.synthetic, g.mode) - 0.01 THEN format('with the original it would be wrong for %s of the rows, not for %s', pegs_internal.report_percent(g.own), pegs_internal.report_percent(g.synthetic))
		ELSE 'the original itself would tell no more' END) END
FROM (SELECT ($1 ->> 'misclassified')::double precision AS synthetic, ($1 ->> 'misclassified_own')::double precision AS own,
	($1 ->> 'misclassified_mode')::double precision AS mode) AS g;
END;
COMMENT ON FUNCTION pegs_internal.report_guesses(jsonb) IS 'a part of pegs_report: what the wrong guesses of an intruder mean';
REVOKE ALL ON FUNCTION pegs_internal.report_guesses(jsonb) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pegs_internal.report_guesses(jsonb) TO PUBLIC;

CREATE OR REPLACE FUNCTION pegs_internal.report_marginal(column_name text, levels jsonb, distance double precision)
RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp BEGIN ATOMIC
-- levels: [{"level", "of" (null, not declared, others; or a level), "original", "synthetic" (shares)}]
WITH level AS (
	SELECT e.place, e.level ->> 'of' AS kind, e.level ->> 'level' AS name, (e.level ->> 'original')::numeric AS original, (e.level ->> 'synthetic')::numeric AS synthetic
	FROM jsonb_array_elements($2) WITH ORDINALITY AS e (level, place)
), scale AS (
	SELECT greatest(max(l.original), max(l.synthetic), 0.000001) AS top FROM level AS l
)
SELECT format('<div class="card"><table class="bars"><caption><b><bdi>%s</bdi></b><span>distance %s</span></caption>'
	'<thead><tr><th class="l" scope="col">level</th><th></th><th class="n o" scope="col">original</th><th class="n s" scope="col">synth.</th></tr></thead><tbody>',
	pegs_internal.report_escape($1), pegs_internal.report_number($3))
	|| string_agg(format('<tr><th class="l" scope="row" title="%s"><bdi>%s</bdi></th><td><svg viewBox="0 0 100 14" preserveAspectRatio="none" aria-hidden="true">'
		'<rect class="o" y="1" width="%s" height="5.5"/><rect class="s" y="7.5" width="%s" height="5.5"/></svg></td><td class="n">%s</td><td class="n">%s</td></tr>',
		pegs_internal.report_escape(left(l.name, 300)),
		CASE WHEN l.kind IS NULL THEN pegs_internal.report_escape(left(
			-- bins without the zeros that a numeric has behind its point
			CASE WHEN l.name ~ E'^\\[[-0-9.]+, [-0-9.]+[])]$' THEN regexp_replace(l.name, E'\\.0+\\M', '', 'g') ELSE l.name END, 60)) ELSE '<i>' || l.name || '</i>' END,
		round(100 * l.original / s.top, 2), round(100 * l.synthetic / s.top, 2),
		round(100 * l.original, 1) || '%', round(100 * l.synthetic, 1) || '%'), E'\n' ORDER BY l.place)
	|| '</tbody></table></div>'
FROM level AS l, scale AS s;
END;
COMMENT ON FUNCTION pegs_internal.report_marginal(text, jsonb, double precision) IS 'a part of pegs_report: the shares of a column''s levels, original beside synthetic';
REVOKE ALL ON FUNCTION pegs_internal.report_marginal(text, jsonb, double precision) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pegs_internal.report_marginal(text, jsonb, double precision) TO PUBLIC;

CREATE OR REPLACE FUNCTION pegs_internal.report_pairs(columns jsonb, pairs jsonb)
RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp BEGIN ATOMIC
-- a triangle: the names stand on its diagonal, where there is room for them on any screen
WITH place AS (
	SELECT e.name, e.n::int AS n FROM jsonb_array_elements_text($1) WITH ORDINALITY AS e (name, n)
), pair AS (
	SELECT least(a.n, b.n) AS x, greatest(a.n, b.n) AS y, a.name AS a, b.name AS b, (p ->> 2)::double precision AS value
	FROM jsonb_array_elements($2) AS p JOIN place AS a ON a.name = p ->> 0 JOIN place AS b ON b.name = p ->> 1
	WHERE p ->> 2 IS NOT NULL
), breaks AS (
	SELECT ARRAY[0.01, 0.02, 0.05, 0.1, 0.2, 0.5]::double precision[] AS b
), worst AS (
	SELECT p.*, row_number() OVER (ORDER BY p.value DESC, p.y, p.x) AS rank FROM pair AS p
)
SELECT CASE WHEN (SELECT count(*) FROM pair) = 0 THEN '<p>There are no pairs of columns to compare.</p>' ELSE
	'<div class="wide"><div class="card' || CASE WHEN s.n > 24 THEN ' across' ELSE '' END || '"><h3>Distance of every pair</h3><ul class="key">' || (
		SELECT string_agg(format('<li><svg viewBox="0 0 14 12" aria-hidden="true"><rect class="h%s" width="14" height="12" rx="2"/></svg>%s</li>', i,
			CASE WHEN i = 0 THEN 'below ' || b.b[1] WHEN i = 6 THEN b.b[6] || ' and more' ELSE b.b[i] || ' to ' || b.b[i + 1] END), '' ORDER BY i)
		FROM breaks AS b, generate_series(0, 6) AS i)
	|| format('</ul><div class="scroll" tabindex="0"><svg class="heat%s" width="%s" style="max-width:%spx" viewBox="0 0 %s %s" role="img" aria-label="distances of all pairs of columns">',
		CASE WHEN s.n <= 24 THEN ' fit' END, s.width, s.width * CASE WHEN s.n <= 24 THEN 1.3 ELSE 1 END, s.width, s.n * 22)
	|| (SELECT string_agg(format('<rect class="h%s" x="%s" y="%s" width="20" height="20" rx="3"><title>%s, %s: %s</title></rect>',
			width_bucket(p.value, b.b), (p.x - 1) * 22, (p.y - 1) * 22, pegs_internal.report_escape(p.a), pegs_internal.report_escape(p.b),
			pegs_internal.report_number(p.value)), '' ORDER BY p.y, p.x) FROM pair AS p, breaks AS b)
	|| (SELECT string_agg(format('<text x="%s" y="%s">%s</text>', (q.n - 1) * 22 + 3, (q.n - 1) * 22 + 14,
			CASE WHEN length(q.name) <= 21 THEN pegs_internal.report_escape(q.name)
				ELSE pegs_internal.report_escape(left(q.name, 12)) || '&#8230;' || pegs_internal.report_escape(right(q.name, 8)) END), '' ORDER BY q.n) FROM place AS q)
	|| '</svg></div></div>'
	|| '<div class="card"><table class="bars worst"><caption><b>The worst tables</b></caption><thead><tr><th class="l">pair</th><th></th><th class="n">distance</th></tr></thead><tbody>'
	|| (SELECT string_agg(format('<tr><th class="l" scope="row" title="%s, %s"><bdi>%s</bdi>, <bdi>%s</bdi></th><td><svg viewBox="0 0 100 14" preserveAspectRatio="none" aria-hidden="true">'
			'<rect class="s" y="3" width="%s" height="8"/></svg></td><td class="n">%s</td></tr>',
			pegs_internal.report_escape(w.a), pegs_internal.report_escape(w.b), pegs_internal.report_escape(w.a), pegs_internal.report_escape(w.b),
			round((100 * w.value / greatest((SELECT max(p.value) FROM pair AS p), 0.000001))::numeric, 2), pegs_internal.report_number(w.value)),
			E'\n' ORDER BY w.rank) FROM worst AS w WHERE w.rank <= 10)
	|| '</tbody></table></div></div>' END
-- the width of a name is a guess, and a generous one
FROM (SELECT count(*)::int AS n, max(q.n * 22 + 8 * least(length(q.name), 21) - 10) AS width FROM place AS q) AS s;
END;
COMMENT ON FUNCTION pegs_internal.report_pairs(jsonb, jsonb) IS 'a part of pegs_report: the distances of all pairs as a heat map, and the ten worst';
REVOKE ALL ON FUNCTION pegs_internal.report_pairs(jsonb, jsonb) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pegs_internal.report_pairs(jsonb, jsonb) TO PUBLIC;

CREATE OR REPLACE FUNCTION pegs_internal.report_titles()
RETURNS TABLE (name text, method text, title text) AS 'MODULE_PATHNAME', 'pegs_report_titles' LANGUAGE C IMMUTABLE PARALLEL SAFE ROWS 20;
COMMENT ON FUNCTION pegs_internal.report_titles() IS 'a part of pegs_report: all methods, and what the papers call them, in words';
REVOKE ALL ON FUNCTION pegs_internal.report_titles() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pegs_internal.report_titles() TO PUBLIC;

CREATE OR REPLACE FUNCTION pegs_internal.report_map(trials jsonb, here_epsilon double precision, here_distance double precision)
RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp BEGIN ATOMIC
-- trials: [[method, epsilon, distance]]; every map has three methods, and may have one more
WITH trial AS (
	SELECT w.title, (t ->> 1)::double precision AS epsilon, (t ->> 2)::double precision AS distance,
		CASE t ->> 0 WHEN 'fit once' THEN 1 WHEN 'PeGS.rs' THEN 2 WHEN 'PeGS' THEN 3 ELSE 4 END AS kind
	FROM jsonb_array_elements($1) AS t JOIN pegs_internal.report_titles() AS w ON w.name = t ->> 0 WHERE t ->> 2 IS NOT NULL
), own AS (
	SELECT max(w.title) FILTER (WHERE w.name = 'fit once') AS once, max(w.title) FILTER (WHERE w.name = 'PeGS.rs') AS blocks,
		max(w.title) FILTER (WHERE w.name = 'PeGS') AS rows, (SELECT max(pegs_internal.report_escape(t.title)) FROM trial AS t WHERE t.kind = 4) AS words
	FROM pegs_internal.report_titles() AS w
), scale AS (
	SELECT r.low - r.margin AS low, r.high + r.margin AS high, r.top FROM (
		SELECT log(least(min(t.epsilon), $2)) AS low, log(greatest(max(t.epsilon), $2)) AS high, ceil(10 * greatest(max(t.distance), $3, 0.05)) / 10 AS top,
			-- one epsilon stands in the middle
			CASE WHEN least(min(t.epsilon), $2) = greatest(max(t.epsilon), $2) THEN 0.5 ELSE 0 END AS margin
		FROM trial AS t
	) AS r
), point AS (
	SELECT t.*, round((44 + 336 * (log(t.epsilon) - s.low) / (s.high - s.low))::numeric, 1) AS x, round((226 - 206 * t.distance / s.top)::numeric, 1) AS y
	FROM trial AS t, scale AS s
)
SELECT CASE WHEN (SELECT count(*) FROM trial) = 0 THEN NULL ELSE
	'<div class="wide"><div class="card"><ul class="key">'
	'<li><svg viewBox="0 0 14 12" aria-hidden="true"><line class="m1" x1="0" y1="6" x2="14" y2="6"/><circle class="dot" cx="7" cy="6" r="3.5"/></svg>' || o.once || '</li>'
	'<li><svg viewBox="0 0 14 12" aria-hidden="true"><line class="m2" x1="0" y1="6" x2="14" y2="6"/><rect class="square" x="3.7" y="2.7" width="6.6" height="6.6"/></svg>' || o.blocks || '</li>'
	'<li><svg viewBox="0 0 14 12" aria-hidden="true"><line class="m3" x1="0" y1="6" x2="14" y2="6"/><path class="diamond" d="M7 1.6 11.4 6 7 10.4 2.6 6z"/></svg>' || o.rows || '</li>'
	|| coalesce('<li><svg viewBox="0 0 14 12" aria-hidden="true"><line class="m4" x1="0" y1="6" x2="14" y2="6"/><path class="triangle" d="M7 1.6 11 9.2H3z"/></svg>' || o.words || '</li>', '')
	|| CASE WHEN $2 IS NOT NULL THEN '<li><svg viewBox="0 0 14 12" aria-hidden="true"><circle class="here" cx="7" cy="6" r="5"/></svg>these rows</li>' ELSE '' END
	|| '</ul><svg class="map" viewBox="0 0 400 266" role="img" aria-label="epsilon against distance for each method">'
	|| (SELECT string_agg(format('<line class="axis" x1="44" x2="384" y1="%s" y2="%s"/><text class="q" x="38" y="%s" text-anchor="end">%s</text>', y, y, y + 4,
			pegs_internal.report_number(v)), '')
		FROM (SELECT round((226 - 206 * i / 4.0)::numeric, 1) AS y, s.top * i / 4 AS v FROM generate_series(0, 4) AS i) AS g)
	|| (SELECT string_agg(format('<text class="q" x="%s" y="243" text-anchor="middle">%s</text>', p.x, pegs_internal.report_number(p.epsilon)), '')
		FROM (SELECT DISTINCT q.x, q.epsilon FROM point AS q) AS p)
	|| '<text class="q" x="214" y="261" text-anchor="middle">epsilon (risk)</text><text class="q" x="44" y="12">mean distance (0: the original)</text>'
	|| (SELECT string_agg(l.line, '' ORDER BY l.kind DESC) FROM (
			SELECT p.kind, format('<polyline class="m%s" points="%s"/>', p.kind, string_agg(p.x || ',' || p.y, ' ' ORDER BY p.epsilon)) AS line
			FROM point AS p GROUP BY p.kind) AS l)
	|| (SELECT string_agg(CASE p.kind WHEN 1 THEN format('<circle class="dot" cx="%s" cy="%s" r="4">%s</circle>', p.x, p.y, t)
			WHEN 2 THEN format('<rect class="square" x="%s" y="%s" width="7" height="7">%s</rect>', p.x - 3.5, p.y - 3.5, t)
			WHEN 3 THEN format('<path class="diamond" d="M%s %sl4.6 4.6 -4.6 4.6 -4.6 -4.6z">%s</path>', p.x, p.y - 4.6, t)
			ELSE format('<path class="triangle" d="M%s %sl4.3 8h-8.6z">%s</path>', p.x, p.y - 5, t) END, '' ORDER BY p.kind DESC, p.epsilon)
		FROM point AS p, LATERAL format('<title>%s, epsilon %s: %s</title>', pegs_internal.report_escape(p.title), pegs_internal.report_number(p.epsilon), pegs_internal.report_number(p.distance)) AS t)
	|| CASE WHEN $2 > 0 AND $3 IS NOT NULL THEN format('<circle class="here" cx="%s" cy="%s" r="7"><title>these rows, epsilon %s: %s</title></circle>',
			round((44 + 336 * (log($2) - s.low) / (s.high - s.low))::numeric, 1), round((226 - 206 * $3 / s.top)::numeric, 1),
			pegs_internal.report_number($2), pegs_internal.report_number($3)) ELSE '' END
	|| '</svg></div><div class="card"><table class="rows"><caption><b>The same in numbers</b></caption><thead><tr><th>epsilon</th><th class="n">' || o.once || '</th><th class="n">' || o.blocks || '</th><th class="n">' || o.rows || '</th>' || coalesce('<th class="n">' || o.words || '</th>', '') || '</tr></thead><tbody>'
	|| (SELECT string_agg(format('<tr><td>%s</td><td class="n">%s</td><td class="n">%s</td><td class="n">%s</td>%s</tr>', pegs_internal.report_number(e.epsilon),
			pegs_internal.report_number(e.a), pegs_internal.report_number(e.b), pegs_internal.report_number(e.c),
			CASE WHEN o.words IS NOT NULL THEN '<td class="n">' || coalesce(pegs_internal.report_number(e.d), '') || '</td>' ELSE '' END), '' ORDER BY e.epsilon)
		FROM (SELECT t.epsilon, avg(t.distance) FILTER (WHERE t.kind = 4) AS d, avg(t.distance) FILTER (WHERE t.kind = 1) AS a, avg(t.distance) FILTER (WHERE t.kind = 2) AS b, avg(t.distance) FILTER (WHERE t.kind = 3) AS c
			FROM trial AS t GROUP BY t.epsilon) AS e)
	|| '</tbody></table></div></div>' END
FROM scale AS s, own AS o;
END;
COMMENT ON FUNCTION pegs_internal.report_map(jsonb, double precision, double precision) IS 'a part of pegs_report: risk against utility, drawn';
REVOKE ALL ON FUNCTION pegs_internal.report_map(jsonb, double precision, double precision) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pegs_internal.report_map(jsonb, double precision, double precision) TO PUBLIC;

CREATE OR REPLACE FUNCTION pegs_internal.report_measured(measures jsonb, shown text[])
RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp BEGIN ATOMIC
SELECT '<table class="rows"><thead><tr><th>what</th><th class="n">value</th></tr></thead><tbody>'
	|| coalesce(string_agg(format('<tr><td>%s <span class="soft">(%s)</span></td><td class="n">%s</td></tr>', m.words, m.measure,
		CASE m.unit WHEN 'share' THEN pegs_internal.report_number(100 * v.value) || '%' ELSE pegs_internal.report_number(v.value) || m.unit END), E'\n' ORDER BY s.place),
		'<tr><td>nothing can be measured</td><td class="n"></td></tr>')
	|| '</tbody></table>'
FROM unnest($2) WITH ORDINALITY AS s (measure, place)
JOIN pegs_internal.report_measures() AS m ON m.measure = s.measure
CROSS JOIN LATERAL (SELECT ($1 ->> s.measure)::double precision AS value) AS v
WHERE v.value IS NOT NULL;
END;
COMMENT ON FUNCTION pegs_internal.report_measured(jsonb, text[]) IS 'a part of pegs_report: some measures as a table';
REVOKE ALL ON FUNCTION pegs_internal.report_measured(jsonb, text[]) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pegs_internal.report_measured(jsonb, text[]) TO PUBLIC;

/* ---- the page ---- */

CREATE OR REPLACE FUNCTION pegs_internal.report_options(options jsonb)
RETURNS jsonb AS 'MODULE_PATHNAME', 'pegs_report_options' LANGUAGE C VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION pegs_internal.report_options(jsonb) IS 'a part of pegs_report: its options as they are, or an error';
REVOKE ALL ON FUNCTION pegs_internal.report_options(jsonb) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pegs_internal.report_options(jsonb) TO PUBLIC;

CREATE OR REPLACE FUNCTION pegs_internal.report_method(name text)
RETURNS text AS 'MODULE_PATHNAME', 'pegs_report_method' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_internal.report_method(text) IS 'a part of pegs_report: the method of a model or release, where the map has it besides the three that it always has';
REVOKE ALL ON FUNCTION pegs_internal.report_method(text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pegs_internal.report_method(text) TO PUBLIC;

CREATE OR REPLACE FUNCTION pegs_internal.report_trials(source regclass, epsilons double precision[], n bigint, block bigint, replicates int, columns name[],
	parents jsonb, delta double precision, keys name[], target name, methods text[], tail_bits int, distances boolean)
RETURNS TABLE (method text, epsilon double precision, replicate int, measure text, of name[], value double precision, guarantee text)
AS 'MODULE_PATHNAME', 'pegs_ru_map' LANGUAGE C VOLATILE PARALLEL UNSAFE ROWS 1000;
COMMENT ON FUNCTION pegs_internal.report_trials(regclass, double precision[], bigint, bigint, int, name[], jsonb, double precision, name[], name, text[], int, boolean)
IS 'a part of pegs_report: pegs_ru_map, which lets curators through alone; with distances it measures only those';
REVOKE ALL ON FUNCTION pegs_internal.report_trials(regclass, double precision[], bigint, bigint, int, name[], jsonb, double precision, name[], name, text[], int, boolean) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pegs_internal.report_trials(regclass, double precision[], bigint, bigint, int, name[], jsonb, double precision, name[], name, text[], int, boolean) TO PUBLIC;

CREATE OR REPLACE FUNCTION pegs_internal.report_scores(name text, target name)
RETURNS TABLE (model text, column_name name, level text, rows bigint, positive bigint, of_model double precision, of_rows double precision)
AS 'MODULE_PATHNAME', 'pegs_report_scores' LANGUAGE C VOLATILE PARALLEL UNSAFE ROWS 3;
COMMENT ON FUNCTION pegs_internal.report_scores(text, name) IS 'a part of pegs_report: how well a score made of a perturbed model tells rows of the original apart; for curators alone';
REVOKE ALL ON FUNCTION pegs_internal.report_scores(text, name) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pegs_internal.report_scores(text, name) TO PUBLIC;

CREATE OR REPLACE FUNCTION pegs_internal.report_reach(scores jsonb)
RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp BEGIN ATOMIC
-- scores: [[model, column, level, rows, positive, of the model, of the rows]]
SELECT '<div class="card"><table class="rows"><thead><tr><th>the score of</th><th class="n">rows that have it</th><th class="n">made of the model</th><th class="n">of the rows themselves</th></tr></thead><tbody>'
	|| string_agg(format('<tr><td><bdi>%s</bdi> is <bdi>%s</bdi></td><td class="n">%s of %s</td><td class="n">%s</td><td class="n">%s</td></tr>',
		pegs_internal.report_escape(s.e ->> 1), pegs_internal.report_escape(s.e ->> 2),
		pegs_internal.report_number((s.e ->> 4)::double precision), pegs_internal.report_number((s.e ->> 3)::double precision),
		pegs_internal.report_number((s.e ->> 5)::double precision), pegs_internal.report_number((s.e ->> 6)::double precision)), E'\n' ORDER BY s.n)
	|| '</tbody></table></div><p style="margin-top:12px">To have it: <code>'
	|| pegs_internal.report_escape(format('SELECT pegs_score_fit_of(''my score'', %L, target => %L, positive => ARRAY[%L]);', $1 -> 0 ->> 0, $1 -> 0 ->> 1, $1 -> 0 ->> 2))
	|| '</code></p>'
FROM jsonb_array_elements($1) WITH ORDINALITY AS s (e, n);
END;
COMMENT ON FUNCTION pegs_internal.report_reach(jsonb) IS 'a part of pegs_report: what scores made of the model would reach, as a table';
REVOKE ALL ON FUNCTION pegs_internal.report_reach(jsonb) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pegs_internal.report_reach(jsonb) TO PUBLIC;

CREATE OR REPLACE FUNCTION pegs_internal.report_averages(source regclass, value name, groups jsonb, columns name[], methods text[])
RETURNS TABLE (method text, measure text, value double precision, guarantee text)
AS 'MODULE_PATHNAME', 'pegs_reconstruct' LANGUAGE C VOLATILE PARALLEL UNSAFE ROWS 20;
COMMENT ON FUNCTION pegs_internal.report_averages(regclass, name, jsonb, name[], text[]) IS 'a part of pegs_report: pegs_reconstruct, which lets curators through alone';
REVOKE ALL ON FUNCTION pegs_internal.report_averages(regclass, name, jsonb, name[], text[]) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pegs_internal.report_averages(regclass, name, jsonb, name[], text[]) TO PUBLIC;

CREATE OR REPLACE FUNCTION pegs_internal.report_averages_of(averages jsonb)
RETURNS jsonb LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp BEGIN ATOMIC
-- averages: [[method, measure, value]] of pegs_reconstruct. What verdicts are decided by, the best method, and the numbers of each
WITH one AS (
	SELECT e ->> 0 AS method, e ->> 1 AS measure, (e ->> 2)::double precision AS value FROM jsonb_array_elements($1) AS e
), best AS (
	SELECT o.method, o.value FROM one AS o WHERE o.measure = 'r2' AND o.method <> 'mean' ORDER BY o.value DESC NULLS LAST, o.method LIMIT 1
)
SELECT jsonb_strip_nulls(jsonb_build_object(
	'averages_alone', (SELECT o.value FROM one AS o WHERE o.measure = 'exact' AND m.rows > 0), 'averages_two', (SELECT (o.value = 2)::int FROM one AS o WHERE o.measure = 'smallest_group'), 'rows', m.rows,
	'smallest', (SELECT o.value FROM one AS o WHERE o.measure = 'smallest_group'), 'best', (SELECT b.method FROM best AS b), 'best_r2', (SELECT b.value FROM best AS b),
	'mean_r2', m.r2, 'averages_added', (SELECT b.value FROM best AS b) - m.r2,
	'methods', (SELECT jsonb_object_agg(t.method, t.m) FROM (SELECT o.method, jsonb_object_agg(o.measure, o.value) AS m FROM one AS o WHERE o.method IS NOT NULL GROUP BY o.method) AS t)))
FROM (SELECT (SELECT o.value FROM one AS o WHERE o.method = 'mean' AND o.measure = 'r2') AS r2, (SELECT o.value FROM one AS o WHERE o.measure = 'rows') AS rows) AS m;
END;
COMMENT ON FUNCTION pegs_internal.report_averages_of(jsonb) IS 'a part of pegs_report: what pegs_reconstruct found, by name';
REVOKE ALL ON FUNCTION pegs_internal.report_averages_of(jsonb) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pegs_internal.report_averages_of(jsonb) TO PUBLIC;

CREATE OR REPLACE FUNCTION pegs_internal.report_alone(found jsonb)
RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp BEGIN ATOMIC
-- found: as report_averages_of has it
SELECT CASE WHEN f.alone = 1 THEN '1 person is alone in a published group: its average is the value of that row'
	WHEN f.alone > 1 THEN pegs_internal.report_number(f.alone) || ' people are alone in a published group: its average is the value of that row'
	WHEN f.smallest = 2 THEN 'nobody is alone in a published group, but there are groups of two: who knows one value learns the other'
	WHEN f.smallest IS NOT NULL THEN 'nobody is alone in a published group; the smallest has ' || pegs_internal.report_number(f.smallest) || ' rows' END
FROM (SELECT ($1 ->> 'averages_alone')::double precision AS alone, ($1 ->> 'smallest')::double precision AS smallest) AS f;
END;
COMMENT ON FUNCTION pegs_internal.report_alone(jsonb) IS 'a part of pegs_report: how many rows are alone in a group of averages, in words';
REVOKE ALL ON FUNCTION pegs_internal.report_alone(jsonb) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pegs_internal.report_alone(jsonb) TO PUBLIC;

CREATE OR REPLACE FUNCTION pegs_internal.report_published(found jsonb, value text, columns text)
RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp BEGIN ATOMIC
-- found: as report_averages_of has it; NULL where no averages were named
SELECT '<p class="reading">Read: ' || coalesce(pegs_internal.report_alone($1), 'there are no rows') || '.'
	|| coalesce(CASE WHEN f.m ? 'mean_r2' THEN '' END || format(' The averages alone explain %s of the differences between the values of <bdi>%s</bdi>', pegs_internal.report_percent(greatest((f.m ->> 'mean_r2')::double precision, 0)), pegs_internal.report_escape($2))
		|| CASE WHEN $3 IS NULL THEN '; no columns were named that somebody may know besides' ELSE
			format('; with <bdi>%s</bdi> the best method (%s) explains %s: the columns add %s', pegs_internal.report_escape($3), pegs_internal.report_escape(f.m ->> 'best'),
				pegs_internal.report_percent(greatest((f.m ->> 'best_r2')::double precision, 0)),
				CASE WHEN (f.m ->> 'averages_added')::double precision > 0 THEN pegs_internal.report_percent((f.m ->> 'averages_added')::double precision) ELSE 'nothing' END) END || '.', '')
	|| '</p>'
	|| coalesce('<div class="card"><table class="rows"><thead><tr><th>guess by</th><th class="n">mean error</th><th class="n">explained (r2)</th><th class="n">within a tenth</th></tr></thead><tbody>'
		|| (SELECT string_agg(format('<tr><td>%s</td><td class="n">%s</td><td class="n">%s</td><td class="n">%s</td></tr>', pegs_internal.report_escape(e.key),
			pegs_internal.report_number((e.value ->> 'mae')::double precision), pegs_internal.report_number((e.value ->> 'r2')::double precision),
			pegs_internal.report_percent((e.value ->> 'within_10')::double precision)), E'\n' ORDER BY e.key <> 'mean', e.key)
			FROM jsonb_each(f.m -> 'methods') AS e) || '</tbody></table></div>', '')
FROM (SELECT $1 AS m) AS f WHERE f.m ? 'rows';
END;
COMMENT ON FUNCTION pegs_internal.report_published(jsonb, text, text) IS 'a part of pegs_report: what averages that are to be published give away';
REVOKE ALL ON FUNCTION pegs_internal.report_published(jsonb, text, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pegs_internal.report_published(jsonb, text, text) TO PUBLIC;

/* ---- of several tables ---- */

CREATE OR REPLACE FUNCTION pegs_internal.report_kinships()
RETURNS TABLE (place int, topic text, measure text, words text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 10 SET search_path = pg_catalog, pg_temp BEGIN ATOMIC
VALUES
	(1, 'rows of each table', 'tv1', 'shares of single columns'),
	(2, 'rows of each table', 'tv2', 'pairs of columns'),
	(3, 'numbers of rows', 'children_tv', 'how many of its rows belong to one row of its parent'),
	(4, 'numbers of rows', 'count_child_tv2', 'that number beside a column of the rows'),
	(5, 'joins', 'cross_tv2', 'joined with the root: a column of each'),
	(6, 'joins', 'below_tv2', 'joined with its parent: a column of each'),
	(7, 'joins', 'branch_tv2', 'beside another table of the same parent: a column of each'),
	(8, 'rows that belong together', 'sibling_tv2', 'two rows of one parent: the same column of both');
END;
COMMENT ON FUNCTION pegs_internal.report_kinships() IS 'a part of pegs_report: the measures of related tables, in words';
REVOKE ALL ON FUNCTION pegs_internal.report_kinships() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pegs_internal.report_kinships() TO PUBLIC;

CREATE OR REPLACE FUNCTION pegs_internal.report_nearness(value double precision, resample double precision)
RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp BEGIN ATOMIC
-- the only place of these thresholds; report_related prints them
SELECT CASE WHEN $1 IS NULL THEN 'none' WHEN $1 <= greatest(0.05, 1.5 * $2) THEN 'good' WHEN $1 <= greatest(0.1, 3 * $2) THEN 'fair' ELSE 'care' END;
END;
COMMENT ON FUNCTION pegs_internal.report_nearness(double precision, double precision) IS 'a part of pegs_report: the grade of a distance of related tables, beside that of another sample';
REVOKE ALL ON FUNCTION pegs_internal.report_nearness(double precision, double precision) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pegs_internal.report_nearness(double precision, double precision) TO PUBLIC;

CREATE OR REPLACE FUNCTION pegs_internal.report_related(name text, certificate jsonb, measures jsonb)
RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp BEGIN ATOMIC
-- measures: [[table, measure, column, value, resample, farthest], ...], as pegs_utility_schema_of has them
WITH m AS MATERIALIZED (
	SELECT e ->> 0 AS t, e ->> 1 AS measure, e ->> 2 AS c, (e ->> 3)::double precision AS v, (e ->> 4)::double precision AS r, e ->> 5 AS far, n
	FROM jsonb_array_elements($3) WITH ORDINALITY AS a (e, n)
), table_of AS (
	SELECT m.t, min(m.n) AS n, max(m.v) FILTER (WHERE m.measure = 'rows_original') AS original, max(m.v) FILTER (WHERE m.measure = 'rows_synthetic') AS synthetic,
		max(m.r) FILTER (WHERE m.measure = 'rows_original') AS again FROM m WHERE m.t IS NOT NULL GROUP BY m.t
), graded AS (
	SELECT k.*, m.t, m.v, m.r, coalesce(', farthest: <bdi>' || pegs_internal.report_escape(m.far) || '</bdi>', '') AS far, pegs_internal.report_nearness(m.v, m.r) AS grade FROM m JOIN pegs_internal.report_kinships() AS k ON k.measure = m.measure
), topic AS (
	-- over all tables; the worst measure decides
	SELECT g.topic, min(g.place) AS place, CASE WHEN bool_or(g.grade = 'care') THEN 'care' WHEN bool_or(g.grade = 'fair') THEN 'fair' ELSE 'good' END AS grade,
		string_agg(format('%s: %s, another sample %s%s', g.words, pegs_internal.report_number(g.v), pegs_internal.report_number(g.r), CASE WHEN g.grade <> 'good' THEN g.far END), '; ' ORDER BY g.place) AS measured
	FROM graded AS g WHERE g.t IS NULL GROUP BY g.topic
), guarantee AS (
	SELECT v.* FROM pegs_internal.report_verdicts(jsonb_build_object('epsilon', $2 ->> 'epsilon', 'delta_rows',
		coalesce(($2 ->> 'delta')::double precision, 0) * (SELECT t.original FROM table_of AS t ORDER BY t.n LIMIT 1))) AS v WHERE v.topic = 'guarantee' AND v.holds
)
SELECT '<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"/><meta name="viewport" content="width=device-width, initial-scale=1"/><meta name="color-scheme" content="light dark"/><meta name="robots" content="noindex"/>
<title>Report: ' || pegs_internal.report_escape($1) || '</title><style>' || pegs_internal.report_style() || '</style></head><body>
<p class="secret" role="alert"><strong>Not private.</strong> This page is computed from the confidential rows, without noise. It is for the curator alone. Do not pass it on.</p>
<header><p class="eyebrow">Report of a ' || ($2 ->> 'kind') || ' ' || ($2 ->> 'object') || ' of several tables</p><h1><bdi>' || pegs_internal.report_escape($1) || '</bdi></h1>
<dl class="facts">' || (SELECT string_agg(format('<div><dt><bdi>%s</bdi>: original, synthetic rows</dt><dd>%s, %s</dd></div>', pegs_internal.report_escape(t.t),
	pegs_internal.report_number(t.original), pegs_internal.report_number(t.synthetic)), '' ORDER BY t.n) FROM table_of AS t)
|| '<div><dt>epsilon in all</dt><dd>' || coalesce(pegs_internal.report_at_most(($2 ->> 'epsilon')::numeric), '&#8211;') || '</dd></div></dl></header>
<main>
<section id="verdicts" aria-label="Verdicts"><div class="grid verdicts">' || coalesce((SELECT string_agg(format('<div class="card verdict %s"><div class="topic">%s</div><div class="name">%s%s</div><p class="soft">Measured: %s.</p>%s</div>',
		p.grade, p.topic, pegs_internal.report_mark(p.grade), CASE p.grade WHEN 'good' THEN 'close' WHEN 'fair' THEN 'rough' ELSE 'far' END, p.measured,
		CASE p.grade WHEN 'care' THEN '<p class="next"><b>Next:</b> ' || CASE p.topic
			WHEN 'rows that belong together' THEN 'Do not count pairs of rows of one parent in these rows. They get a part of the account only where there is enough of it: a larger epsilon, or fewer tables.'
			WHEN 'numbers of rows' THEN 'Inside a class numbers are even: declare more classes (pegs_set_parent), and a last one that ends where the numbers do. Then fit again, which is charged.'
			ELSE 'Say so where the rows are published, or fit again: a larger epsilon, fewer columns, fewer levels.' END || '</p>' ELSE '' END), E'\n' ORDER BY p.place) FROM topic AS p), '')
|| coalesce((SELECT format('<div class="card verdict %s"><div class="topic">guarantee</div><div class="name">%s%s</div><p class="rule">Rule: %s.</p><p class="soft">Measured: %s.</p>%s</div>', g.grade, pegs_internal.report_mark(g.grade), g.verdict, g.rule, g.measured,
	coalesce('<p class="next"><b>Next:</b> ' || g.next || '</p>', '')) FROM guarantee AS g), '')
|| '</div><p class="soft">Rule: close, a distance is at most 0.05, or one and a half times that of another sample; rough, at most 0.1, or three times; far, more. Of a topic the worst measure decides. What single rows give away is not measured here: compare a table of rows with its original (pegs_disclosure).</p></section>
<section id="certificate"><h2>What was guaranteed, and what it cost</h2><p class="soft">The certificate, without any number of the original: pegs_certificate prints it for publication.</p>
<div class="card">' || pegs_internal.report_papers($2) || '</div></section>
<section id="related"><h2>Table by table</h2><p class="soft">Distance is total variation: half the sum of the differences of shares, 0 where they are equal, 1 where nothing is common; a mean over columns, or pairs of them. Beside it stands what another sample would show: as many units of the original drawn again, each with all its rows, without any privacy. Where both are alike, more epsilon mends little.</p>
<div class="wide">' || (SELECT string_agg(format('<div class="card"><h3><bdi>%s</bdi></h3><table class="rows"><thead><tr><th>what</th><th class="n">distance</th><th class="n">another sample</th></tr></thead><tbody>%s</tbody></table></div>',
		pegs_internal.report_escape(t.t), (SELECT string_agg(format('<tr><td><span class="%s">%s</span>%s <span class="soft">(%s%s)</span></td><td class="n">%s</td><td class="n">%s</td></tr>', g.grade, pegs_internal.report_mark(g.grade), g.words, g.measure, g.far,
			pegs_internal.report_number(g.v), pegs_internal.report_number(g.r)), E'\n' ORDER BY g.place) FROM graded AS g WHERE g.t = t.t)), E'\n' ORDER BY t.n) FROM table_of AS t) || '</div></section>
' || coalesce('<section id="siblings"><h2>Rows that belong together</h2><p class="soft">How often two rows of one parent agree in a column: two admissions of a patient in one ward, two holders of an account who are both its owner. Every parent with two rows or more weighs the same.</p>
<div class="card"><table class="rows"><thead><tr><th>column</th><th class="n o">original</th><th class="n s">synthetic</th><th class="n">another sample</th></tr></thead><tbody>' || (
	SELECT string_agg(format('<tr><td><bdi>%s</bdi>: <bdi>%s</bdi></td><td class="n">%s</td><td class="n">%s</td><td class="n">%s</td></tr>', pegs_internal.report_escape(a.t), pegs_internal.report_escape(a.c),
		coalesce(pegs_internal.report_percent(o.v), '&#8211;'), coalesce(pegs_internal.report_percent(a.v), '&#8211;'), coalesce(pegs_internal.report_percent(a.r), '&#8211;')), E'\n' ORDER BY a.n)
	FROM m AS a JOIN m AS o ON o.t = a.t AND o.c = a.c AND o.measure = 'sibling_agreement_real' WHERE a.measure = 'sibling_agreement') || '</tbody></table></div></section>
', '') || '</main>
<footer><p>Made with pegs ' || pegs_internal.report_escape($2 -> 'versions' ->> 'pegs') || '. Nothing was charged and nothing was stored. To make several releases and keep the one that this page likes best is a look at the data, too.</p></footer>
</body></html>
';
END;
COMMENT ON FUNCTION pegs_internal.report_related(text, jsonb, jsonb) IS 'a part of pegs_report: the page of a model or release of several tables';
REVOKE ALL ON FUNCTION pegs_internal.report_related(text, jsonb, jsonb) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pegs_internal.report_related(text, jsonb, jsonb) TO PUBLIC;

CREATE OR REPLACE FUNCTION @extschema@.pegs_report(name text, keys name[] DEFAULT NULL, target name DEFAULT NULL, options jsonb DEFAULT '{}')
RETURNS text LANGUAGE sql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp BEGIN ATOMIC
-- options are checked first: what is read is called by the name that stands beside them
WITH wanted AS MATERIALIZED (
	SELECT w.name, w.options, @extschema@.pegs_describe(w.name::text) -> 'spec' ? 'related' AS several FROM (SELECT $1 AS name, pegs_internal.report_options($4) AS options OFFSET 0) AS w
), related AS MATERIALIZED (
	-- of several tables: another page, and nothing of this one
	SELECT pegs_internal.report_related(w.name, @extschema@.pegs_certificate(w.name::text), (SELECT jsonb_agg(jsonb_build_array(f.table_name, f.measure, f.column_name, f.value, f.resample, f.farthest) ORDER BY f.n)
		FROM @extschema@.pegs_utility_schema_of(w.name::text) WITH ORDINALITY AS f (table_name, measure, column_name, value, resample, farthest, guarantee, n))) AS page
	-- keys and target are of one table, and pegs_disclosure_of says so
	FROM wanted AS w WHERE w.several AND CASE WHEN num_nonnulls($2, $3) > 0 THEN EXISTS (SELECT FROM @extschema@.pegs_disclosure_of(w.name::text, $2, $3) AS f) ELSE true END
), asked AS MATERIALIZED (
	SELECT w.name, w.options FROM wanted AS w WHERE w.several IS NOT TRUE
), disclosure AS MATERIALIZED (
	-- each of these reads the original once; first this one, which is told keys and a target: what is wrong with them is said before anything is read
	SELECT f.* FROM asked AS a, LATERAL @extschema@.pegs_disclosure_of(a.name::text, $2, $3) AS f
), checked AS MATERIALIZED (
	SELECT a.name FROM asked AS a WHERE (SELECT count(*) FROM disclosure) IS NOT NULL
), marginal AS MATERIALIZED (
	SELECT f.* FROM checked AS a, LATERAL @extschema@.pegs_marginals_of(a.name::text) AS f
), utility AS MATERIALIZED (
	SELECT f.* FROM checked AS a, LATERAL @extschema@.pegs_utility_of(a.name::text, 2::int, ARRAY['distances', 'classifier', 'numbers']::text[]) AS f
), described AS MATERIALIZED (
	SELECT @extschema@.pegs_certificate(a.name::text) AS certificate, @extschema@.pegs_describe(a.name::text) AS description,
		pegs_internal.report_method(a.name::text) AS method FROM asked AS a
), object AS MATERIALIZED (
	-- a release outlives its model; then only the account is left, which is the base table
	SELECT d.certificate AS c, d.description AS d, d.method, coalesce(m.source, r.source) AS source,
		CASE WHEN d.certificate ->> 'guarantee' <> 'none' THEN coalesce((d.certificate ->> 'slices_epsilon')::double precision, (d.certificate ->> 'epsilon')::double precision, (d.certificate ->> 'charged')::double precision)
			+ coalesce((d.certificate ->> 'structure_epsilon')::double precision, 0) + coalesce((d.certificate ->> 'domain_epsilon')::double precision, 0)
			+ coalesce((d.certificate ->> 'choice_epsilon')::double precision, 0) END AS epsilon,
		coalesce((d.certificate ->> 'slices_delta')::double precision, (d.certificate ->> 'delta')::double precision, 0) + coalesce((d.certificate ->> 'domain_delta')::double precision, 0) AS delta
	FROM described AS d
	LEFT JOIN @extschema@.pegs_releases AS r ON r.name = $1
	LEFT JOIN @extschema@.pegs_models AS m ON m.name = coalesce(r.model, CASE WHEN r.name IS NULL THEN $1 END)
), published AS MATERIALIZED (
	-- only where averages are named. Known besides, if nothing else is said: the keys that are neither the value nor a group's
	SELECT pegs_internal.report_averages_of((SELECT jsonb_agg(jsonb_build_array(r.method, r.measure, r.value)) FROM
			pegs_internal.report_averages(w.source::regclass, (w.a ->> 'value')::name, w.a -> 'groups', w.known, CASE WHEN w.known IS NULL THEN ARRAY['mean'] ELSE ARRAY['mean', 'er', 'ludia'] END::text[]) AS r)) AS found,
		w.a ->> 'value' AS value, array_to_string(w.known, ', ') AS known
	FROM (SELECT o.source, a.options -> 'averages' AS a, CASE WHEN a.options -> 'averages' ? 'columns'
			THEN (SELECT array_agg(e::name ORDER BY n) FROM jsonb_array_elements_text(a.options -> 'averages' -> 'columns') WITH ORDINALITY AS e (e, n))
			ELSE (SELECT array_agg(k ORDER BY n) FROM unnest($2) WITH ORDINALITY AS u (k, n) WHERE k <> (a.options -> 'averages' ->> 'value')
				AND NOT EXISTS (SELECT FROM jsonb_path_query(a.options -> 'averages' -> 'groups', '$[*][*]') AS g WHERE g #>> '{}' = k::text)) END AS known
		FROM object AS o, asked AS a WHERE a.options ? 'averages' AND o.source IS NOT NULL OFFSET 0) AS w
), measured AS MATERIALIZED (
	SELECT coalesce((SELECT p.found FROM published AS p), '{}') || coalesce((SELECT jsonb_object_agg(u.measure, u.value) FROM utility AS u WHERE u.of IS NULL), '{}')
			-- nothing is close to no rows, or far from them
			- CASE WHEN EXISTS (SELECT FROM utility AS u WHERE u.measure IN ('rows_original', 'rows_synthetic') AND u.value = 0)
				THEN ARRAY['tv1_max', 'tv2_mean'] ELSE '{}' END
		|| coalesce((SELECT jsonb_object_agg(u.measure, u.value) FROM utility AS u WHERE u.measure = 'pmse_cells' AND cardinality(u.of) = jsonb_array_length(o.c -> 'columns')), '{}')
		|| coalesce((SELECT jsonb_object_agg(d.measure, d.value) FROM disclosure AS d), '{}')
		|| jsonb_build_object('epsilon', coalesce(o.epsilon, 'Infinity')::text, 'delta_rows', o.delta * (SELECT u.value FROM utility AS u WHERE u.measure = 'rows_original')) AS m
	FROM object AS o
), shares AS (
	SELECT l.column_name, l.place, l.level, l.place = max(l.place) OVER c AS is_last, l.original, l.synthetic,
		l.original / greatest(sum(l.original) OVER c, 1) AS o, l.synthetic / greatest(sum(l.synthetic) OVER c, 1) AS s,
		count(*) OVER c AS n
	FROM marginal AS l WINDOW c AS (PARTITION BY l.column_name)
), ranked AS (
	-- the last place is what is not declared: shown if there is any
	SELECT s.*, row_number() OVER (PARTITION BY s.column_name ORDER BY greatest(s.o, s.s) DESC, s.place) AS rank
	FROM shares AS s WHERE NOT (s.is_last AND s.original + s.synthetic = 0)
), shown AS (
	SELECT r.column_name, CASE WHEN r.rank <= 12 OR r.n <= 14 THEN r.place END AS place,
		CASE WHEN r.rank <= 12 OR r.n <= 14 THEN coalesce(r.level, CASE WHEN r.is_last THEN 'not declared' ELSE 'NULL' END) END AS level,
		r.level IS NULL AND (r.rank <= 12 OR r.n <= 14) AS special, r.o, r.s
	FROM ranked AS r
), bars AS (
	SELECT b.column_name, jsonb_agg(jsonb_build_object('level', coalesce(b.level, b.several || ' others'),
		'of', CASE WHEN b.place IS NULL OR b.special THEN 'special' END, 'original', b.o, 'synthetic', b.s) ORDER BY b.place NULLS LAST) AS levels
	FROM (SELECT s.column_name, s.place, s.level, bool_or(s.special) AS special, sum(s.o) AS o, sum(s.s) AS s, count(*) AS several
		FROM shown AS s GROUP BY s.column_name, s.place, s.level) AS b
	GROUP BY b.column_name
), columns AS (
	SELECT e.c ->> 'column' AS name, e.n FROM object AS o, jsonb_array_elements(o.c -> 'columns') WITH ORDINALITY AS e (c, n)
), far AS (
	-- the furthest first
	SELECT c.name, c.n, u.value AS distance, row_number() OVER (ORDER BY u.value DESC NULLS LAST, c.n) AS rank
	FROM columns AS c LEFT JOIN utility AS u ON u.measure = 'tv1' AND u.of = ARRAY[c.name::name]
), numeric AS MATERIALIZED (
	SELECT jsonb_agg(jsonb_build_object('name', c.name, 'measures', n.m, 'level', l.level, 'o', l.o, 's', l.s, 'last', l.level ~ E'^\\[.*\\]$') ORDER BY c.n) AS columns
	FROM columns AS c
	JOIN (SELECT u.of[1] AS name, jsonb_object_agg(u.measure, u.value) AS m FROM utility AS u
		WHERE cardinality(u.of) = 1 AND u.measure ~ '^(mean|median|sd|zeros)_' GROUP BY u.of[1]) AS n ON n.name = c.name::name
	LEFT JOIN shares AS l ON l.column_name = c.name::name AND l.place = (n.m ->> 'mean_worst')::double precision
), why AS MATERIALIZED (
	SELECT jsonb_strip_nulls(jsonb_build_object(
		'utility', concat_ws(' and ', (SELECT format('the distance of <bdi>%s</bdi> is %s', pegs_internal.report_escape(f.name), pegs_internal.report_number(f.distance))
				FROM far AS f WHERE f.rank = 1 AND f.distance IS NOT NULL),
			(SELECT format('that of the pair <bdi>%s</bdi>, <bdi>%s</bdi> is %s', pegs_internal.report_escape(u.of[1]::text), pegs_internal.report_escape(u.of[2]::text), pegs_internal.report_number(u.value))
				FROM utility AS u WHERE u.measure = 'tv2' ORDER BY u.value DESC NULLS LAST, u.of LIMIT 1)),
		'averages', (SELECT nullif(string_agg(w.why, '; ' ORDER BY w.place) FILTER (WHERE w.place <= 2), '') || CASE WHEN count(*) > 2 THEN format('; %s more columns are off, see below', count(*) - 2) ELSE '' END
				FROM pegs_internal.report_numbers((SELECT n.columns FROM numeric AS n)) AS w WHERE NOT w.fine),
		'published averages', (SELECT concat_ws('; ', pegs_internal.report_alone(p.found), CASE WHEN (p.found ->> 'averages_added')::double precision > 0 THEN format('<bdi>%s</bdi> adds %s of the differences', pegs_internal.report_escape(p.known),
					pegs_internal.report_percent((p.found ->> 'averages_added')::double precision)) END)
				FROM published AS p))) AS why
), trial AS MATERIALIZED (
	-- only where it can be made: a base that still has the columns, hidden ones too, and all their values declared
	SELECT t.method, t.epsilon, t.value FROM (
		SELECT o.source, o.method, nullif(o.delta, 0) AS delta, least((x.m ->> 'rows_synthetic')::bigint, 10000) AS n,
			coalesce((o.c ->> 'block')::bigint, least((x.m ->> 'rows_synthetic')::bigint, 10000)) AS block,
			(SELECT array_agg(c.name::name ORDER BY c.n) FROM columns AS c) AS columns,
			-- methods without parents have neither
			coalesce((SELECT jsonb_object_agg(e ->> 'name', e -> 'parents') FROM jsonb_array_elements(o.d -> 'spec' -> 'columns') AS e WHERE e ? 'parents'), '{}') AS parents,
			coalesce((o.d -> 'spec' ->> 'tail_bits')::int, 0) AS tail_bits,
			(SELECT array_agg(e::double precision) FROM jsonb_array_elements_text(coalesce(a.options -> 'epsilons', '[0.1, 0.3, 1, 3, 10]')) AS e) AS epsilons
		FROM object AS o, measured AS x, asked AS a
		WHERE coalesce((a.options ->> 'ru_map')::boolean, true) AND o.source IS NOT NULL AND (x.m ->> 'rows_synthetic')::bigint > 0
			AND (x.m ->> 'rows_original')::bigint > 0
			AND NOT EXISTS (SELECT FROM utility AS u WHERE u.measure = 'not_declared' AND u.value > 0)
			AND NOT EXISTS (SELECT FROM shares AS s WHERE s.is_last AND s.original > 0)
			AND CASE WHEN o.source IS NOT NULL THEN (SELECT array_agg(c.name) FROM columns AS c)
				<@ (SELECT array_agg(d.column_name::text) FROM @extschema@.pegs_domain(o.source::regclass) AS d WHERE (d.problem IS NULL OR d.problem LIKE 'its hierarchy %') AND d.origin NOT LIKE 'computed: %') END
		OFFSET 0
	) AS w
	CROSS JOIN LATERAL pegs_internal.report_trials(w.source::regclass, w.epsilons::double precision[], w.n::bigint, least(w.block, w.n)::bigint, 1::int,
		w.columns::name[], w.parents::jsonb, coalesce(w.delta, 1e-9)::double precision, NULL::name[], NULL::name,
		array_remove(ARRAY['PeGS', 'PeGS.rs', 'fit once', w.method], NULL)::text[], w.tail_bits::int, true) AS t
	WHERE w.epsilons IS NOT NULL AND t.of IS NULL AND t.measure = CASE WHEN cardinality(w.columns) > 1 THEN 'tv2_mean' ELSE 'tv1_mean' END
), reach AS MATERIALIZED (
	-- only where it is wanted: the OFFSET keeps the call behind its condition
	SELECT f.* FROM (SELECT a.name FROM asked AS a WHERE coalesce((a.options ->> 'scores')::boolean, true) OFFSET 0) AS w,
		LATERAL pegs_internal.report_scores(w.name::text, $3) AS f
), part AS (
	SELECT pegs_internal.report_escape($1) AS name, o.*, x.m, w.why, pegs_internal.report_numeric((SELECT n.columns FROM numeric AS n)) AS numbers,
		(SELECT format('epsilon %s of %s spent, %s left', b.spent, b.epsilon, b.remaining) FROM @extschema@.pegs_budgets AS b WHERE b.source = o.source) AS account,
		(SELECT string_agg(format(CASE WHEN m.rest THEN '<details><summary>' || m.several || ' more, closer than these</summary>%s</details>' ELSE '%s' END,
				'<div class="columns">' || m.cards || '</div>'), '' ORDER BY m.rest)
			FROM (SELECT f.rank > 12 AS rest, count(*) AS several, string_agg(pegs_internal.report_marginal(f.name, b.levels, f.distance), E'\n' ORDER BY f.rank) AS cards
				FROM far AS f JOIN bars AS b ON b.column_name = f.name GROUP BY f.rank > 12) AS m) AS marginals,
		pegs_internal.report_pairs((SELECT jsonb_agg(c.name ORDER BY c.n) FROM columns AS c),
			coalesce((SELECT jsonb_agg(jsonb_build_array(u.of[1], u.of[2], u.value)) FROM utility AS u WHERE u.measure = 'tv2'), '[]')) AS pairs,
		pegs_internal.report_map(coalesce((SELECT jsonb_agg(jsonb_build_array(t.method, t.epsilon, t.value)) FROM trial AS t), '[]'), o.epsilon,
			(x.m ->> CASE WHEN jsonb_array_length(o.c -> 'columns') > 1 THEN 'tv2_mean' ELSE 'tv1_mean' END)::double precision) AS map,
		pegs_internal.report_reach((SELECT jsonb_agg(jsonb_build_array(r.model, r.column_name, r.level, r.rows, r.positive, r.of_model, r.of_rows)) FROM reach AS r)) AS scores,
		(SELECT pegs_internal.report_published(p.found, p.value, p.known) FROM published AS p) AS averages
	FROM object AS o, measured AS x, why AS w
)
SELECT '<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"/><meta name="viewport" content="width=device-width, initial-scale=1"/><meta name="color-scheme" content="light dark"/><meta name="robots" content="noindex"/>
<title>Report: ' || p.name || '</title><style>' || pegs_internal.report_style() || '</style></head><body>
<p class="secret" role="alert"><strong>Not private.</strong> This page is computed from the confidential rows, without noise. It is for the curator alone. Do not pass it on.</p>
<header><p class="eyebrow">Report of a ' || (p.c ->> 'kind') || ' ' || (p.c ->> 'object') || ' of ' || pegs_internal.report_escape(coalesce(p.source::text, 'a table that is not here'))
|| '</p><h1><bdi>' || p.name || '</bdi></h1>
<dl class="facts"><div><dt>original rows</dt><dd>' || pegs_internal.report_number((p.m ->> 'rows_original')::double precision)
|| '</dd></div><div><dt>synthetic rows</dt><dd>' || pegs_internal.report_number((p.m ->> 'rows_synthetic')::double precision)
|| '</dd></div><div><dt>columns</dt><dd>' || jsonb_array_length(p.c -> 'columns')
|| '</dd></div><div><dt>epsilon in all</dt><dd>' || pegs_internal.report_at_most(p.epsilon::numeric)
|| '</dd></div></dl></header>
<main>
<section id="verdicts" aria-label="Verdicts">' || pegs_internal.report_opinion(p.m || jsonb_build_object('why', p.why)) || '</section>
<section id="certificate"><h2>What was guaranteed, and what it cost</h2><p class="soft">The certificate, without any number of the original: pegs_certificate prints it for publication.</p>
<div class="card">' || pegs_internal.report_papers(p.c) || '</div>'
|| coalesce('<p class="soft">The account today: ' || p.account || '.</p>', '') || '</section>
' || coalesce('<section id="numbers"><h2>Numeric columns</h2><p class="soft">Of values that are not NULL; the worst first. The shares of bins may be right and a mean wrong: it depends on where the values lie inside their bins.</p>' || p.numbers || '</section>
', '') || '<section id="marginals"><h2>Single columns</h2><p class="soft">The share of every level; the furthest column first. Distance is total variation: half the sum of the differences, 0 where the shares are equal, 1 where nothing is common. Of many levels the twelve largest are shown.'
|| coalesce(' The rows were drawn given ' || pegs_internal.report_escape(p.c ->> 'given') || ': they differ by intent.', '')
|| '</p><ul class="key"><li><svg viewBox="0 0 14 12" aria-hidden="true"><rect class="o" y="2" width="14" height="8"/></svg>original</li><li><svg viewBox="0 0 14 12" aria-hidden="true"><rect class="s" y="2" width="14" height="8"/></svg>synthetic</li></ul>
' || coalesce(p.marginals, '') || '</section>
<section id="pairs"><h2>Pairs of columns</h2><p class="soft">Total variation of the table of two columns. With few rows, chance alone makes a distance in tables of many cells.</p>' || p.pairs
|| coalesce(format('<p style="margin-top:12px">Counting queries: of %s counts over two columns, the best 95%% are wrong by %s rows on average and %s at most; the worst by %s.</p>',
	pegs_internal.report_number((p.m ->> 'queries2')::double precision), pegs_internal.report_number((p.m ->> 'error2_average_95')::double precision),
	pegs_internal.report_number((p.m ->> 'error2_greatest_95')::double precision), pegs_internal.report_number((p.m ->> 'error2_greatest_100')::double precision)), '') || '</section>
' || coalesce('<section id="map"><h2>Risk and utility</h2><p class="soft">What rows of this table would be worth at other epsilons: each point is one trial of at most 10,000 rows, thrown away again. Chosen pairs and triples are what a fit with epsilon measures once (method graph); the other two are the samplers of the papers (pegs_ru_map calls them PeGS and PeGS.rs), which draw column by column and pay for every row or block.' || CASE WHEN p.method IS NOT NULL THEN format(' The fourth is the method that made these rows (%s).', pegs_internal.report_escape(p.method)) ELSE '' END || ' To choose an epsilon by this map is itself a look at the data that nobody charges.</p>' || p.map || '</section>
', '') || coalesce('<section id="scores"><h2>Scores</h2><p class="soft">What a score made of the model would reach, which costs nothing and has the guarantee of the model: how well it tells the rows of the original apart that have a value from those that have another. The number is the area under the ROC curve: 0.5 is a coin, 1 is always right. Beside it stands a score of the same kind of the rows themselves, without privacy, fitted to one half of them and asked of the other. Where the model is far behind, fit the score itself: pegs_score_fit, which is charged.</p>' || p.scores || '</section>
', '') || coalesce('<section id="averages"><h2>Averages to be published</h2><p class="soft">What averages of groups of the confidential rows, which you mean to publish, give away of single rows: every row is guessed by the average of its group (mean), and by methods that use what somebody may know besides (er, ludia). The words are those of pegs_reconstruct. That none comes close is no proof that another would not.</p>' || p.averages || '</section>
', '') || '<section id="disclosure"><h2>Disclosure</h2><p class="soft">What somebody learns who knows '
|| coalesce('the keys ' || pegs_internal.report_escape((SELECT string_agg(k, ', ') FROM unnest($2) AS k)), 'all columns of a person (no keys were named)')
|| coalesce(' and wants ' || pegs_internal.report_escape($3::text), '') || ', with the synthetic table.</p><div class="card">'
|| pegs_internal.report_measured(p.m, ARRAY['UiO', 'UiS', 'repU', 'exact_match', 'unique_matched', 'iS', 'DiS', 'DiSCO', 'Dorig', 'misclassified', 'misclassified_own', 'misclassified_mode', 'cap', 'error', 'error_own'])
|| pegs_internal.report_guesses(p.m) || '</div></section>
<section id="propensity"><h2>Can they be told apart?</h2><p class="soft">A classifier is trained to tell original from synthetic rows. Its mean squared error is 0 where it cannot; over its expected value for rows of one population it is 1.</p><div class="card">'
|| pegs_internal.report_measured(p.m, ARRAY['pmse_logit', 'pmse_logit_ratio', 'pmse_cells'])
|| '</div></section>
</main>
<footer><p>Made with pegs ' || pegs_internal.report_escape(p.c -> 'versions' ->> 'pegs') || ' on ' || to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI') || ' UTC. Nothing was charged and nothing was stored. To make several releases and keep the one that this page likes best is a look at the data, too.</p></footer>
</body></html>
'
FROM part AS p
UNION ALL SELECT r.page FROM related AS r;
END;
COMMENT ON FUNCTION @extschema@.pegs_report(text, name[], name, jsonb)
IS 'one HTML page to decide by: certificate, original against synthetic, disclosure, verdicts with their rules; not private, for the curator';
REVOKE ALL ON FUNCTION @extschema@.pegs_report(text, name[], name, jsonb) FROM PUBLIC;

SELECT pg_catalog.set_config('search_path', '@extschema@, pg_temp', true);
