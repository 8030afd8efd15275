-- report: the curator's page is a page, tells what it must, lets nothing through unescaped, and opens for curators alone.
SET client_min_messages = warning;
SET search_path = public;
CREATE SCHEMA pegs;
CREATE EXTENSION pegs SCHEMA pegs;
GRANT USAGE ON SCHEMA pegs TO PUBLIC;
CREATE ROLE rp_owner;
CREATE ROLE rp_curator IN ROLE rp_owner;
CREATE ROLE rp_analyst;
CREATE ROLE rp_powerful;
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA pegs TO rp_curator, rp_powerful;
CREATE SCHEMA app AUTHORIZATION rp_owner;
GRANT USAGE ON SCHEMA app TO PUBLIC;
GRANT CREATE ON SCHEMA app TO rp_curator;
SET search_path = app, pegs, public;

SELECT * FROM no_plan();

SET ROLE rp_curator;
CREATE TYPE colour AS ENUM ('red', 'green', 'blue');
CREATE TABLE people (sex text CHECK (sex IN ('F', 'M')), colour colour NOT NULL, age int);
ALTER TABLE people OWNER TO rp_owner;
INSERT INTO people SELECT CASE i % 7 WHEN 0 THEN NULL WHEN 1 THEN 'M' WHEN 2 THEN 'M' ELSE 'F' END, (ARRAY['red', 'green', 'blue'])[1 + i % 3]::colour, i % 90
FROM generate_series(1, 600) AS i;
SELECT pegs_set_bins('people', 'age', ARRAY(SELECT (5 * i)::text FROM generate_series(0, 20) AS i));
SELECT pegs_set_budget('people', epsilon => 500, delta => 1e-6);
SELECT pegs_fit('perturbed', 'people', epsilon => 5, delta => 1e-9);
SELECT pegs_release('released', 'perturbed', 300);
SELECT pegs_fit('sealed', 'people', parents => '{"age": ["sex"]}');
SELECT pegs_release('of sealed', 'sealed', 20, epsilon => 1, block => 20);
SELECT pegs_release('of women', 'sealed', 20, epsilon => 1, block => 20, given => '{"sex": "F"}');
SELECT pegs_release('much', 'sealed', 20, epsilon => 100, block => 20);
SELECT pegs_fit('leaving', 'people', ARRAY['sex', 'colour'], epsilon => 1);
SELECT pegs_release('left alone', 'leaving', 50);
SELECT pegs_drop('leaving');

CREATE TABLE single (c int CHECK (c IN (1, 2)));
ALTER TABLE single OWNER TO rp_owner;
INSERT INTO single VALUES (1), (1), (2), (NULL);
SELECT pegs_set_budget('single', epsilon => 10);
-- so much that neither level is lost by chance: then there would be no averages
SELECT pegs_fit('single', 'single', epsilon => 10);
SELECT pegs_release('one column', 'single', 4);

CREATE TABLE nobody (c int CHECK (c IN (1, 2)), d boolean);
ALTER TABLE nobody OWNER TO rp_owner;
SELECT pegs_set_budget('nobody', epsilon => 10);
SELECT pegs_fit('nobody', 'nobody', epsilon => 1);
SELECT pegs_release('of nobody', 'nobody', 5);
SELECT pegs_release('no rows', 'perturbed', 1);

-- names that would break out of an element, an attribute, a pattern, a file
CREATE TABLE "odd <table> & 'co'" ("a<b>&""c'" text, "</title><script>alert(1)</script>" text, U&"\00e4\4e2d\202e %s \\" boolean NOT NULL, "http" boolean);
ALTER TABLE "odd <table> & 'co'" OWNER TO rp_owner;
INSERT INTO "odd <table> & 'co'" VALUES ('<i>', E'\x01\x1b]]>', true, false), ('"', '--' || '>', false, true), (NULL, U&'\0627\202e', false, NULL);
SELECT pegs_set_levels('"odd <table> & ''co''"', 'a<b>&"c''', levels => ARRAY['<i>', '"', '''', '&amp;']);
SELECT pegs_set_levels('"odd <table> & ''co''"', '</title><script>alert(1)</script>', levels => ARRAY[E'\x01\x1b]]>', '--' || '>', U&'\0627\202e', '{"a": 1}']);
SELECT pegs_set_budget('"odd <table> & ''co''"', epsilon => 10);
SELECT pegs_fit('odd " model', '"odd <table> & ''co''"', epsilon => 1);
SELECT pegs_release('odd </h1> release', 'odd " model', 3);

CREATE TABLE page (name text PRIMARY KEY, html text);
INSERT INTO page SELECT n, pegs_report(n, ARRAY['sex', 'colour']::name[], 'age', options => '{"epsilons": [0.5, 5]}')
FROM unnest(ARRAY['released', 'perturbed', 'of sealed', 'of women', 'much', 'no rows']) AS n;
INSERT INTO page SELECT n, pegs_report(n, options => '{"epsilons": [1]}')
FROM unnest(ARRAY['left alone', 'one column', 'single', 'of nobody', 'nobody', 'odd " model', 'odd </h1> release']) AS n;
CREATE TABLE uneven (pay int NOT NULL, cost numeric NOT NULL);
ALTER TABLE uneven OWNER TO rp_owner;
INSERT INTO uneven SELECT CASE WHEN i % 5 = 0 THEN 9900 ELSE 20 + i % 80 END, CASE WHEN i % 10 = 0 THEN 5 ELSE 0 END FROM generate_series(1, 2000) AS i;
SELECT pegs_set_bins('uneven', 'pay', '{0, 50, 100, 10000}'), pegs_set_bins('uneven', 'cost', '{0, 1, 10}'), pegs_set_budget('uneven', 50);
SELECT pegs_fit('uneven', 'uneven', epsilon => 20);
DO $$ BEGIN EXECUTE (SELECT 'CREATE TABLE many (' || string_agg(format('c%s boolean NOT NULL', i), ', ' ORDER BY i) || ')' FROM generate_series(1, 15) AS i); END $$;
ALTER TABLE many OWNER TO rp_owner;
INSERT INTO many SELECT i % 2 = 0, i % 3 = 0, i % 4 = 0, i % 5 = 0, i % 6 = 0, i % 7 = 0, i % 8 = 0, i % 9 = 0, i % 10 = 0, i % 11 = 0, i % 12 = 0, i % 13 = 0, i % 14 = 0, i % 15 = 0, i % 16 = 0 FROM generate_series(1, 300) AS i;
SELECT pegs_set_budget('many', 5);
SELECT pegs_fit('many', 'many', epsilon => 1);
INSERT INTO page SELECT n, pegs_report(n, options => '{"ru_map": false}') FROM unnest(ARRAY['uneven', 'many']) AS n;
SELECT pegs_set_derived('uneven', 'cost', 'pay / 2');
INSERT INTO page VALUES ('computed since', pegs_report('uneven'));
SELECT pegs_set_bins('uneven', 'cost', '{0, 1, 10}');
INSERT INTO page VALUES ('without map', pegs_report('released', options => '{"ru_map": false}'));
RESET ROLE;
CREATE FUNCTION page(wanted text) RETURNS text LANGUAGE sql AS $$ SELECT html FROM page WHERE name = $1 $$;

---- a page
SELECT is((SELECT count(*) FROM page WHERE html LIKE '<!DOCTYPE html>%</html>_'), 17::bigint, 'a page for every kind of model and release');
-- xmlparse believes nothing; a server without libxml cannot ask it
CREATE FUNCTION parsed(html text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	PERFORM xmlparse(document html);
	RETURN 'well-formed';
EXCEPTION WHEN feature_not_supported THEN
	RETURN 'well-formed';
WHEN OTHERS THEN
	RETURN SQLERRM;
END $$;
SELECT is(parsed(html), 'well-formed', format('"%s" is well-formed', name)) FROM page;
SELECT ok(replace(html, 'http', CASE WHEN name LIKE 'odd%' THEN '' ELSE 'http' END) NOT LIKE '%http%', format('"%s" leads nowhere', name)) FROM page;
SELECT ok(html NOT LIKE '%://%', format('"%s" names no address', name)) FROM page;
SELECT ok(html !~ '<(script|link|img|iframe|object|embed|a|base|form)\M|@import|url\(|\son\w+=|\M(src|href)=',
	format('"%s" has nothing that runs or loads', name)) FROM page;
SELECT is(html, convert_from(convert_to(html, 'UTF8'), 'UTF8'), format('"%s" is text', name)) FROM page LIMIT 1;
SELECT ok(html ~ '^[\x01-\x7f]*$', format('"%s" is ASCII where its names are', name)) FROM page WHERE name NOT LIKE 'odd%';
SELECT ok(html LIKE '%class="secret"%Not private.%It is for the curator alone%', format('"%s" says that it is not private', name)) FROM page;
SELECT ok(pegs_internal.report_style() LIKE '%.secret {%color: var(--red)%', 'in red');
SELECT ok(pegs_internal.report_style() LIKE '%prefers-color-scheme: dark%', 'light and dark');

---- what it must tell
SELECT ok(page('released') LIKE '%' || part || '%', 'a release: ' || part) FROM unnest(ARRAY[
	'Report of a perturbed release of app.people', '<bdi>released</bdi>', '<dt>original rows</dt><dd>600</dd>', '<dt>synthetic rows</dt><dd>300</dd>',
	'<dt>epsilon in all</dt><dd>5</dd>', '<dt>guarantee</dt><dd>(epsilon, delta)-differentially private', 'sex (3), colour (3), age (21)',
	'class="heat', 'The worst tables', 'class="map"', 'chosen pairs and triples, epsilon 0.5:', 'column by column, each block pays, epsilon 5:', 'the keys sex, colour and wants age', '(DiSCO)', '(repU)',
	'(pmse_logit_ratio)', '<i>NULL</i>', '9 others', '<i>', 'these rows, epsilon 5:', 'The account today: epsilon ']) AS part;
SELECT ok(page('without map') NOT LIKE '%class="map"%', 'no map where none is wanted');
SELECT ok(page('perturbed') LIKE '%Report of a perturbed model%', 'a model');
SELECT ok(page('of sealed') LIKE '%Report of a sealed release%<dt>epsilon in all</dt><dd>1</dd>%Block PeGS%', 'a release of a sealed model');
SELECT ok(page('of women') LIKE '%drawn given {&quot;sex&quot;: &quot;F&quot;}: they differ by intent%', 'conditional rows differ by intent');
SELECT ok(page('left alone') LIKE '%class="map"%', 'the model is gone, its table is there');
SELECT ok(page('one column') LIKE '%There are no pairs of columns to compare%', 'one column has no pairs');
SELECT ok(page('one column') LIKE '%<dt>original rows</dt><dd>4</dd>%', 'and its rows are counted');
SELECT ok(page('of nobody') LIKE '%<dt>original rows</dt><dd>0</dd>%>look closer before publishing<%', 'an empty table has a page');
-- every share is one that SQL finds, too
SELECT is((regexp_match(page('released'), '<bdi>F</bdi>.*?class="n">([\d.]+)%'))[1], (SELECT round(100 * avg((sex IS NOT DISTINCT FROM 'F')::int), 1)::text FROM people),
	'a bar shows the share of its level');

---- scores
SET search_path = app, pegs, public;
SET ROLE rp_curator;
CREATE TABLE told (x int NOT NULL, y boolean NOT NULL, z text CHECK (z IN ('<b>', 'c')), "w's" text NOT NULL CHECK ("w's" IN ('1', '2', '3')));
ALTER TABLE told OWNER TO rp_owner;
INSERT INTO told SELECT i % 10, (i % 10 > 4) <> (i % 11 = 0), CASE i % 3 WHEN 0 THEN '<b>' WHEN 1 THEN 'c' END, 1 + i % 7 % 3 FROM generate_series(1, 4000) AS i;
SELECT pegs_set_levels('told', 'x', ARRAY(SELECT i::text FROM generate_series(0, 9) AS i)), pegs_set_budget('told', 500);
SELECT pegs_fit('told', 'told', epsilon => 50), pegs_fit('meant', 'told', epsilon => 50, options => '{"target": "z"}'), pegs_fit('meant, of three', 'told', epsilon => 50, options => '{"target": "w''s"}'),
	pegs_fit('nothing of two', 'told', ARRAY['x', 'w''s'], epsilon => 50), pegs_fit('one alone', 'told', ARRAY['y'], epsilon => 50);
-- a level that takes what is not declared, as after pegs_learn, is no third value
CREATE VIEW learnt AS SELECT x, z FROM told;
ALTER VIEW learnt OWNER TO rp_owner;
SELECT pegs_set_levels('learnt', 'z', '{<b>, c}', other => 'else');
SELECT pegs_fit('learnt', 'learnt', ARRAY['x', 'z'], epsilon => 50);
SELECT pegs_release('told''s rows', 'told', 100);
SELECT pegs_score_fit_of('told y', 'told', 'y', ARRAY['true']);
INSERT INTO page SELECT n, pegs_report(n, options => '{"ru_map": false}') FROM unnest(ARRAY['told', 'meant', 'told''s rows']) AS n;
INSERT INTO page VALUES ('no scores', pegs_report('told', options => '{"ru_map": false, "scores": false}'));
RESET ROLE;
CREATE FUNCTION three() RETURNS text LANGUAGE sql AS $$ SELECT string_agg(format('w''s %s 4000 %s', v, (SELECT count(*) FROM told WHERE "w's" = v)), ', ' ORDER BY v) FROM unnest(ARRAY['1', '2', '3']) AS v $$;
SELECT is((SELECT string_agg(concat_ws(' ', column_name, level, rows, positive), ', ') FROM pegs_internal.report_scores(n, t)), are, format('scores of %s, for %s', n, t)) FROM (VALUES
	('told', NULL::name, format('y t 4000 %s, z c 4000 1334', (SELECT count(*) FROM told WHERE y))), ('told', 'z', 'z c 4000 1334'), ('told', 'w''s', three()), ('told', 'x', format('y t 4000 %s, z c 4000 1334', (SELECT count(*) FROM told WHERE y))), ('learnt', NULL, 'z c 4000 1334'),
	('meant', NULL, 'z c 4000 1334'), ('meant', 'y', format('y t 4000 %s, z c 4000 1334', (SELECT count(*) FROM told WHERE y))), ('meant, of three', NULL, three()),
	('told''s rows', NULL, format('y t 4000 %s, z c 4000 1334', (SELECT count(*) FROM told WHERE y))), ('nothing of two', NULL, NULL), ('one alone', NULL, NULL), ('sealed', NULL, NULL), ('left alone', NULL, NULL), ('of sealed', NULL, NULL), ('told y', NULL, NULL)) AS v (n, t, are);
SELECT is((SELECT string_agg(column_name, ',') FROM pegs_internal.report_scores('many', NULL)), 'c1,c2,c3', 'of many, the first three');
-- x alone tells of y, but for one in eleven: as SQL finds it, by all pairs
CREATE TABLE auc AS SELECT sum(a.n * b.n * CASE WHEN a.x > 4 AND b.x <= 4 THEN 1 WHEN (a.x > 4) = (b.x > 4) THEN 0.5 ELSE 0 END) / sum(a.n * b.n) AS is
	FROM (SELECT x, count(*) AS n FROM told WHERE y GROUP BY x) AS a, (SELECT x, count(*) AS n FROM told WHERE NOT y GROUP BY x) AS b;
SELECT ok(abs(of_model - auc.is) < 0.03 AND abs(of_rows - auc.is) < 0.03, 'as good as it can be') FROM pegs_internal.report_scores('told', 'y'), auc;
SELECT ok(abs(of_model - q.value) < 0.03, 'as pegs_score_quality finds it of such a score') FROM pegs_internal.report_scores('told', 'y'), pegs_score_quality('told y', 'told') AS q WHERE measure = 'AUC';
SELECT ok(of_model BETWEEN 0.4 AND 0.6 AND of_rows BETWEEN 0.4 AND 0.6, 'nothing tells of z') FROM pegs_internal.report_scores('told', 'z');
-- where nothing can be learnt, no score has learnt anything: it is asked of rows that it was not fitted to
CREATE TABLE by_chance AS SELECT hashint4(i) % 2 = 0 AS y, abs(hashint4(i + 10000)) % 30 AS a, abs(hashint4(i + 20000)) % 30 AS b, abs(hashint4(i + 30000)) % 30 AS c, abs(hashint4(i + 40000)) % 30 AS d FROM generate_series(1, 600) AS i;
SELECT pegs_set_levels('by_chance', c, ARRAY(SELECT i::text FROM generate_series(0, 29) AS i)) FROM unnest(ARRAY['a', 'b', 'c', 'd']::name[]) AS c;
SELECT pegs_set_budget('by_chance', 10);
SELECT pegs_fit('by chance', 'by_chance', epsilon => 1);
SELECT ok(of_rows BETWEEN 0.35 AND 0.65, 'nothing learnt by heart') FROM pegs_internal.report_scores('by chance', NULL);
SELECT ok(page('told') LIKE '%<section id="scores">%' || part || '%', 'the page: ' || part) FROM unnest(ARRAY['<bdi>y</bdi> is <bdi>t</bdi>', '<bdi>z</bdi> is <bdi>c</bdi></td><td class="n">1,334 of 4,000</td>',
	'SELECT pegs_score_fit_of(&#39;my score&#39;, &#39;told&#39;, target =&gt; &#39;y&#39;, positive =&gt; ARRAY[&#39;t&#39;]);']) AS part;
SELECT ok(page('told''s rows') LIKE '%pegs_score_fit_of(&#39;my score&#39;, &#39;told&#39;,%', 'of a release: of its model');
SELECT is(page(n) LIKE '%<section id="scores">%', n IN ('released', 'perturbed', 'meant', 'many', 'no rows', 'nobody'), format('scores of "%s"', n)) FROM unnest(ARRAY['released', 'perturbed', 'meant', 'many', 'no rows', 'nobody', 'of sealed', 'much', 'left alone', 'one column', 'single', 'no scores', 'uneven']) AS n;
SELECT is(parsed(html), 'well-formed', format('"%s" is well-formed', name)) FROM page WHERE name IN ('told', 'meant', 'told''s rows');
GRANT USAGE ON SCHEMA pegs_internal TO rp_powerful;
SELECT pegs_grant('told', 'rp_powerful');
GRANT SELECT ON told TO rp_powerful;
SET ROLE rp_powerful;
SELECT throws_ok($$SELECT * FROM pegs_internal.report_scores('told', NULL)$$, '42501', NULL, 'even by its name, for curators alone');
RESET ROLE;
REVOKE USAGE ON SCHEMA pegs_internal FROM rp_powerful;

---- numeric columns
-- a mean may lie in the middle between two that are shown, and a sum of floats to either side of it
SELECT ok(substring(page('released') FROM '<section id="numbers">.*?<th scope="row"><bdi>age</bdi></th>(.*?)<td class="(?:fine|off)"') IN (s.low, s.high), 'mean, median, spread and zeros are those that SQL finds')
FROM (SELECT avg(age)::float8 AS a1, percentile_cont(0.5) WITHIN GROUP (ORDER BY age) AS m1, stddev(age)::float8 AS s1, avg((age = 0)::int)::float8 AS z1 FROM people) AS o,
	(SELECT avg(age)::float8 AS a2, percentile_cont(0.5) WITHIN GROUP (ORDER BY age) AS m2, stddev(age)::float8 AS s2, avg((age = 0)::int)::float8 AS z2
		FROM pegs_rows('released') AS t(sex text, colour colour, age int)) AS r,
	LATERAL (SELECT string_agg(format('<td class="n">%s</td>', low), '' ORDER BY n) AS low, string_agg(format('<td class="n">%s</td>', high), '' ORDER BY n) AS high
		FROM unnest(ARRAY[a1, a2, m1, m2, s1, s2]) WITH ORDINALITY AS u (v, n), LATERAL (SELECT pegs_internal.report_number(v * (1 - 1e-12)) AS low, pegs_internal.report_number(v * (1 + 1e-12)) AS high) AS w) AS numbers,
	LATERAL (SELECT string_agg(format('<td class="n">%s</td>', pegs_internal.report_percent(z)), '' ORDER BY n) AS shares FROM unnest(ARRAY[z1, z2]) WITH ORDINALITY AS u (z, n)) AS zeros,
	LATERAL (SELECT numbers.low || shares AS low, numbers.high || shares AS high) AS s;
SELECT ok(page('odd " model') NOT LIKE '%<section id="numbers">%', 'no table where no column has numbers');
SELECT is((SELECT why FROM pegs_internal.report_numbers(jsonb_build_array(c))), why, 'why: ' || why) FROM (VALUES
	('{"name": "a<b", "measures": {"mean_error": 0.05, "mean_original": 10, "zeros_original": 0.2, "zeros_synthetic": 0.195}}'::jsonb, ''),
	('{"name": "a<b", "measures": {"mean_error": 0.19, "mean_original": 10, "sd_original": 4, "mean_difference": 1.9, "mean_inside": 2, "mean_shares": -0.1, "zeros_original": 0, "zeros_synthetic": 0}, "level": "[5, 9]", "last": true}',
		'the mean of <bdi>a&lt;b</bdi> is 19% off: its last bin [5, 9] is wide, and nobody told where in it the values are; say where the tail ends, or give it more bins'),
	('{"name": "x", "measures": {"mean_error": 0.1, "mean_original": -10, "sd_original": 4, "mean_difference": 1, "mean_inside": -2, "mean_shares": 0.1, "zeros_original": 0, "zeros_synthetic": 0}, "level": "[0, 1)", "last": false}',
		'the mean of <bdi>x</bdi> is 10% off: the values lie elsewhere in its bin [0, 1) than they did; give it more bins there'),
	('{"name": "x", "measures": {"mean_error": 0.5, "mean_original": 1, "sd_original": 4, "mean_difference": -2, "mean_inside": 0.1, "mean_shares": -2.1, "zeros_original": 0, "zeros_synthetic": 0}, "level": "[<, 1)", "last": false, "o": 0.002, "s": 0.0424}',
		'the mean of <bdi>x</bdi> is 0.5 standard deviations off: [&lt;, 1) has 4.24% of the rows, and had 0.2%: noise, or rows given by intent; fewer levels or bins there, or a larger epsilon'),
	('{"name": "x", "measures": {"mean_error": 0.5, "mean_original": 6, "sd_original": 4, "mean_difference": 3, "mean_inside": 0.1, "mean_shares": 2.9, "zeros_original": 0, "zeros_synthetic": 0}, "level": "[5, 9]", "last": true, "o": 0.1, "s": 0.5}',
		'the mean of <bdi>x</bdi> is 50% off: [5, 9] has 50% of the rows, and had 10%: noise, or rows given by intent; fewer levels or bins there, or a larger epsilon'),
	('{"name": "x", "measures": {"mean_error": 0.5, "mean_original": 900, "sd_original": 4, "mean_difference": -2, "mean_inside": 0.1, "mean_shares": -2.1}, "level": null}',
		'the mean of <bdi>x</bdi> is 0.5 standard deviations off: values that are not declared'),
	('{"name": "x", "measures": {"mean_error": 0.999, "mean_original": 10, "sd_original": 100, "sd_synthetic": 0.1, "mean_difference": -9.99, "mean_inside": -9.99, "mean_shares": 0, "zeros_original": 0.99, "zeros_synthetic": 0.99}, "level": "[1, 1000]", "last": true}',
		'the mean of <bdi>x</bdi> is 99.9% off: its last bin [1, 1000] is wide, and nobody told where in it the values are; say where the tail ends, or give it more bins'),
	('{"name": "x", "measures": {"mean_error": 0.01, "mean_original": 9, "zeros_original": 0.979, "zeros_synthetic": 0.011}}',
		'97.9% of the values of <bdi>x</bdi> are 0, of the synthetic ones 1.1%: declare 0 as a value of its own (pegs_set_bins, points)'),
	('{"name": "x", "measures": {"mean_error": 0.01, "mean_original": 9, "zeros_original": 0.01, "zeros_synthetic": 0.5}}', '1% of the values of <bdi>x</bdi> are 0, of the synthetic ones 50%')) AS v (c, why);
SELECT is((SELECT array_agg(name ORDER BY place) FROM pegs_internal.report_numbers('[{"name": "b", "measures": {"mean_error": 0.1, "zeros_original": 0, "zeros_synthetic": 0}}, {"name": "none", "measures": {"mean_error": null}},
	{"name": "c", "measures": {"mean_error": 0, "zeros_original": 0.5, "zeros_synthetic": 0.4}}, {"name": "d", "measures": {"mean_error": 0.2}}]')), '{c,d,b,none}', 'the worst first');
SELECT is((SELECT cells FROM pegs_internal.report_numbers('[{"name": "d", "measures": {"mean_original": 0.9, "mean_synthetic": -0.1, "median_original": 1e9, "median_synthetic": null, "sd_original": 1.5, "sd_synthetic": 2}}]')),
	'<td class="n">1970-01-01</td><td class="n">1969-12-31</td><td class="n">1,000,000,000 days</td><td class="n">&#8211;</td><td class="n">1.5 days</td><td class="n">2 days</td><td class="n">&#8211;</td><td class="n">&#8211;</td>', 'dates are dates');
SELECT is((SELECT array_agg((SELECT count(*) FROM regexp_matches(part, '<th scope="row">', 'g')) ORDER BY n) FROM regexp_split_to_table(pegs_internal.report_numeric(jsonb_agg(
		jsonb_build_object('name', 'c' || i, 'measures', jsonb_build_object('mean_error', 0.01 * i)))), '<details><summary>2 more, less off than these</summary>') WITH ORDINALITY AS p (part, n)), '{12,2}', 'twelve, and two that are folded')
FROM generate_series(1, 14) AS i;
-- a wide last bin, zeros that are in a bin: told, and named
SELECT ok(substring(page('uneven') FROM s.where) LIKE '%' || part || '%', s.what || ': ' || part)
FROM (VALUES ('the verdict', '>averages mislead</div><p class="why">Because (.*?)</p>'), ('the table', '<table class="rows numeric">(.*?)</table>')) AS s (what, "where"),
	unnest(ARRAY['its last bin [100, 10000] is wide', '90% of the values of <bdi>cost</bdi> are 0', 'the mean of <bdi>pay</bdi> is ']) AS part;

---- the furthest first, of many the rest is folded
SELECT is((SELECT array_agg(d[1]::numeric ORDER BY n) = array_agg(d[1]::numeric ORDER BY d[1]::numeric DESC, n) AND count(*) = 15
	FROM regexp_matches(page('many'), '<caption><b><bdi>c\d+</bdi></b><span>distance ([\d.e-]+)', 'g') WITH ORDINALITY AS m (d, n)), true, 'columns in order of distance');
SELECT is((SELECT array_agg((SELECT count(*) FROM regexp_matches(part, '<caption><b><bdi>c\d+</bdi>', 'g')) ORDER BY n)
	FROM regexp_split_to_table(substring(page('many') FROM '<section id="marginals">.*<section id="pairs">'), '<details><summary>3 more, closer than these</summary>') WITH ORDINALITY AS p (part, n)), '{12,3}', 'twelve, and three that are folded');

---- an intruder's guesses are read
SELECT ok(pegs_internal.report_guesses(m) LIKE '%' || words || '%', words) FROM (VALUES
	('{"misclassified": 0.272, "misclassified_mode": 0.257, "misclassified_own": 0.24}'::jsonb, 'worse than by naming the commonest answer for everybody; with the original it would be wrong for 24% of the rows, not for 27.2%'),
	('{"misclassified": 0.25, "misclassified_mode": 0.257, "misclassified_own": 0.25}', 'guesses the target no better than by naming the commonest answer for everybody; the original itself would tell no more'),
	('{"misclassified": 0.26, "misclassified_mode": 0.255}', 'no better than by naming the commonest answer for everybody; what the original itself would give away is not measured'),
	('{"misclassified": 0.1, "misclassified_mode": 0.5, "misclassified_own": 0.095}', 'guesses the target better than by naming the commonest answer for everybody; the original itself would tell no more')) AS v (m, words);
SELECT is(pegs_internal.report_guesses('{"misclassified": 0.1}'), '', 'nothing is read where nothing was asked');
SELECT ok(page('released') LIKE '%class="reading">Read: an intruder%', 'on the page');

---- names
SELECT ok(page('odd </h1> release') NOT LIKE '%<script%', 'a column''s name makes no element');
SELECT ok(page('odd </h1> release') NOT LIKE '%</h1> release%', 'nor does a release''s');
SELECT ok(strpos(page('odd </h1> release'), part) > 0, 'it is shown: ' || part) FROM unnest(ARRAY['<bdi>odd &lt;/h1&gt; release</bdi>',
	'<bdi>a&lt;b&gt;&amp;&quot;c&#39;</bdi>', '<bdi>&lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt;</bdi>', '<bdi>&lt;i&gt;</bdi>', '<bdi>??]]&gt;</bdi>',
	'<bdi>--&gt;</bdi>', '&amp;amp;', 'odd &lt;table&gt; &amp; &#39;co&#39;', U&'<bdi>\00e4\4e2d\202e \0025s \\</bdi>']) AS part;
SELECT is((SELECT count(*) FROM regexp_matches(page('odd " model'), '<bdi>(&lt;i|&quot;|&#39;|&amp;amp;|true|false|<i>)', 'g')) > 6, true, 'so are the levels');

---- verdicts
SELECT is_empty(format($$SELECT part FROM regexp_split_to_table(page(%L), 'class="(card overall verdict|card verdict|verdict)[ "]') WITH ORDINALITY AS p (part, place)
	WHERE place > 1 AND part !~ 'class="rule">(Rule: )?\w{3}'$$, name), format('"%s": every verdict has its rule', name)) FROM page;
-- averages: where there are numbers, and rows in both tables
SELECT is((SELECT count(*) FROM regexp_matches(html, 'class="card verdict ', 'g')), CASE WHEN name LIKE 'odd%' OR name IN ('many', 'left alone') OR name LIKE '%nobody' THEN 5 ELSE 6 END::bigint, format('"%s": one verdict a topic', name)) FROM page;
SELECT is((SELECT string_agg(verdict, ', ' ORDER BY place) FROM pegs_internal.report_verdicts(m) WHERE holds), verdicts, 'verdicts of ' || m::text)
FROM (VALUES
	('{"tv1_max": 0.05, "tv2_mean": 0.05, "pmse_logit_ratio": 3, "epsilon": 1, "delta_rows": 0.01, "repU": 5, "DiSCO": 5}'::jsonb,
		'close, hard to tell apart, strong guarantee, few unique rows come back, little is disclosed'),
	('{"tv1_max": 0.051, "tv2_mean": 0.05, "pmse_logit_ratio": 3.1, "epsilon": 1.1, "delta_rows": 0, "repU": 5.1, "DiSCO": 5.1}',
		'usable for counts, can be told apart, reasonable guarantee, some unique rows come back, something is disclosed'),
	('{"tv1_max": 0.1, "tv2_mean": 0.11, "pmse_logit_ratio": 11, "epsilon": 1, "delta_rows": 0.1, "repU": 21, "DiSCO": 21}',
		'usable for single columns only, easy to tell apart, weak guarantee, many unique rows come back, much is disclosed'),
	('{"tv1_max": 0.2, "tv2_mean": 0.01, "epsilon": "Infinity", "delta_rows": 0}',
		'not usable, not measured, no guarantee to speak of, not measured, not measured'),
	('{"tv1_max": 0.05, "mean_error_max": 0.05, "zeros_error_max": 0.01}', 'close, averages hold, not measured, not measured, not measured, not measured'),
	('{"tv1_max": 0.05, "mean_error_max": 0.051, "zeros_error_max": 0}', 'close, averages are rough, not measured, not measured, not measured, not measured'),
	('{"tv1_max": 0.05, "mean_error_max": 0, "zeros_error_max": 0.011}', 'close, averages are rough, not measured, not measured, not measured, not measured'),
	('{"tv1_max": 0.05, "mean_error_max": 0.11, "zeros_error_max": 0}', 'close, averages mislead, not measured, not measured, not measured, not measured'),
	('{"tv1_max": 0.05, "mean_error_max": 0, "zeros_error_max": 0.051}', 'close, averages mislead, not measured, not measured, not measured, not measured'),
	('{"tv1_max": 0.05, "mean_error_max": 0.01, "zeros_error_max": null}', 'close, averages hold, not measured, not measured, not measured, not measured'),
	('{"tv1_max": 0.01, "tv2_mean": null, "epsilon": 20}', 'close, not measured, weak guarantee, not measured, not measured'),
	('{}', 'not measured, not measured, not measured, not measured, not measured')) AS v (m, verdicts);
SELECT ok(pegs_internal.report_opinion(m) LIKE '%<div class="name">%' || overall || '</div>%', overall) FROM (VALUES
	('{"tv1_max": 0.05, "tv2_mean": 0.05, "pmse_logit_ratio": 3, "epsilon": 10, "delta_rows": 0, "repU": 5, "DiSCO": 5}'::jsonb, 'nothing here speaks against publishing'),
	('{"tv1_max": 0.05, "tv2_mean": 0.05, "pmse_logit_ratio": 3, "epsilon": 11, "delta_rows": 0, "repU": 5, "DiSCO": 5}', 'look closer before publishing'),
	('{"tv1_max": 0.05, "tv2_mean": 0.05, "pmse_logit_ratio": 3, "epsilon": 10, "delta_rows": 0, "repU": 5}', 'look closer before publishing'),
	('{"tv1_max": 0.05, "tv2_mean": 0.05, "pmse_logit_ratio": 3, "epsilon": 10, "delta_rows": 0, "repU": 5, "DiSCO": 21}', 'do not publish'),
	('{"tv1_max": 0.05, "tv2_mean": 0.05, "pmse_logit_ratio": 3, "epsilon": "Infinity", "delta_rows": 0, "repU": 5, "DiSCO": 1}', 'do not publish')) AS v (m, overall);
SELECT ok(page('much') LIKE '%no guarantee to speak of%', 'epsilon 100 is no guarantee to speak of');
-- what decided stands in the overall verdict, what it comes from and what to do in its own
SELECT ok(pegs_internal.report_opinion(m) LIKE '%' || part || '%', part) FROM (VALUES
	('{"tv1_max": 0.2, "mean_error_max": 0.2, "epsilon": 100}'::jsonb, '<p class="because">Because: not usable; no guarantee to speak of.</p>'),
	('{"tv1_max": 0.05, "mean_error_max": 0.2, "epsilon": 1, "repU": 0, "DiSCO": 0}', '<p class="because">Because: averages mislead; propensity is not measured.</p>'),
	('{"tv1_max": 0.2, "epsilon": 1, "why": {"utility": "of b"}}', '>not usable</div><p class="why">Because of b.</p>'),
	('{"tv1_max": 0.05, "epsilon": 1, "why": {"utility": "b"}}', '>close</div><p class="why">Most is off here: b.</p>'),
	('{"mean_error_max": 0.2, "why": {"averages": "a is off"}}', '>averages mislead</div><p class="why">Because a is off.</p>'),
	('{"mean_error_max": 0.2}', '<p class="next"><b>Next:</b> Mend the columns')) AS v (m, part);
SELECT ok(pegs_internal.report_opinion('{"tv1_max": 0.05, "tv2_mean": 0.05, "pmse_logit_ratio": 3, "epsilon": 1, "repU": 5, "DiSCO": 5}') !~ 'class="(because|next|why)"', 'where all is well, nothing is to do');
SELECT is_empty($$SELECT verdict FROM pegs_internal.report_rules() WHERE (next IS NULL) <> (grade = 'good' OR verdict = 'reasonable guarantee')$$, 'what is not good says what to do next');
-- a threshold in the text is the threshold of the code
SELECT is(x.holds, true, format('%s: %s', v.verdict, v.rule))
FROM pegs_internal.report_verdicts('{}') AS v JOIN pegs_internal.report_rules() AS r USING (place)
CROSS JOIN LATERAL (SELECT bool_and(v.rule ~ ('at most ' || (e.value #>> '{}') || '(%|;|$)')) AS holds FROM jsonb_each(r.at_most) AS e) AS x
WHERE r.at_most <> '{}';

---- numbers
SELECT is(pegs_internal.report_number(n), t, format('number %s', n)) FROM (VALUES (NULL, '&#8211;'), ('NaN', '&#8211;'), ('Infinity', '&#8734;'), (0, '0'), (1, '1'), (0.1, '0.1'),
	(0.12345, '0.123'), (12.345, '12.3'), (123.45, '123'), (999.4, '999'), (1234, '1,234'), (1234567.8, '1,234,568'), (-1234, '-1,234'), (-123456, '-123,456'), (1e-9, '1e-9'),
	(2.04e-5, '2e-5'), (0.001, '0.001')) AS v (n, t);
SELECT is(pegs_internal.report_at_most(n), t, format('at most %s', n)) FROM (VALUES (NULL, '&#8211;'), (1, '1'), (0.1, '0.1'), (0.1 + 0.2, '0.3'), (0.30301, '0.304'), (12.345, '12.4'), (148.4132, '149'), (999.1, '1,000'), (1234.01, '1,235'),
	(1e-9, '1e-9'), (1.04e-9, '1.1e-9'), (9.91e-9, '1e-8'), (0.00099501, '0.001'), (0.001, '0.001'), (0.0010001, '0.00101')) AS v (n, t);
-- what is promised is rounded up, or not at all: e^0.3034 is 1.3545
SELECT ok(pegs_internal.summary_meaning(c || '{"counts": "read by pegs_fit"}') LIKE words, 'a promise: ' || words) FROM (VALUES
	('{"epsilon": 0.3034, "delta": 0.00000000104}'::jsonb, '%no outcome becomes more than 1.36 times as probable, or as improbable, but for outcomes of probability 1.1e-9 (delta): that is e to the power of epsilon, here 0.3034. %'),
	('{"charged": 0.1, "structure_epsilon": 0.2, "domain_epsilon": 0.0004, "domain": "", "choice_epsilon": 0.000000001}', '%more than 1.36 times as probable%here 0.300400001. %'),
	('{"epsilon": 1, "choice_epsilon": 0.5, "choice": "epsilon 0.5, among 2"}', '%here 1.5. %It was compared with the rows, among others, under a guarantee of its own: epsilon 0.5, among 2. It is in the numbers above.%'),
	('{"epsilon": 1, "fit": 30}', '%<b>It is fit number 30 of its name.</b> The numbers above are of this fit alone.%')) AS v (c, words);
SELECT ok(pegs_internal.summary_meaning('{"epsilon": 1, "counts": "read by pegs_fit"}') !~ 'compared with the rows|of its name', 'nothing of a choice, or of fits before, where there are none');
SELECT ok(pegs_internal.report_papers('{"choice": "epsilon 0.5, among 2", "fit": 30, "fitted": "then"}') LIKE '%<dt>choice</dt><dd>epsilon 0.5, among 2</dd>%<dt>fit</dt><dd>number 30 of this name, at then; each was charged</dd>%', 'papers: choices and fits');
SELECT is(pegs_internal.report_escape(E'a\x01<&>"''\tb'), E'a?&lt;&amp;&gt;&quot;&#39;\tb', 'what is escaped');
SELECT is(pegs_internal.report_escape('') , '', 'nothing stays nothing');

---- rights
CREATE FUNCTION outcome(role text, statement text) RETURNS text LANGUAGE plpgsql SET search_path = app, pegs, public AS $$
DECLARE
	state text := 'ok';
BEGIN
	BEGIN
		EXECUTE format('SET LOCAL ROLE %I', role);
		EXECUTE statement;
		RESET ROLE;
	EXCEPTION WHEN OTHERS THEN
		GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE;
	END;
	RETURN state;
END $$;
SET ROLE rp_curator;
SELECT pegs_grant('released', 'public'), pegs_grant('perturbed', 'public'), pegs_grant('of sealed', 'rp_powerful');
RESET ROLE;
SELECT is(outcome('rp_analyst', format('SELECT pegs_report(%L)', n)), '42501', format('without EXECUTE: no report of "%s"', n)) FROM unnest(ARRAY['released', 'perturbed', 'nobody', 'no such']) AS n;
SELECT is(outcome('rp_powerful', format('SELECT pegs_report(%L)', n)), '42501', format('a grant makes nobody a curator: "%s"', n)) FROM unnest(ARRAY['released', 'perturbed', 'of sealed']) AS n;
SELECT is(outcome('rp_powerful', format('SELECT pegs_report(%L)', n)), '42704', format('of what is not granted nothing is told: "%s"', n)) FROM unnest(ARRAY['nobody', 'no such']) AS n;
SELECT is(outcome('rp_curator', 'SELECT pegs_report(''sealed'')'), '22023', 'a sealed model has no rows to be looked at');
SELECT is(outcome('rp_curator', 'SELECT pegs_report(''released'', options => ''{"ru_map": false}'')'), 'ok', 'a curator needs no superuser');
SET ROLE rp_curator;
CREATE TEMPORARY TABLE before AS SELECT source, spent FROM pegs_budgets;
SELECT length(pegs_report('released')) > 0;
SELECT results_eq('SELECT source, spent FROM pegs_budgets ORDER BY source', 'SELECT source, spent FROM before ORDER BY source', 'nothing is charged');
RESET ROLE;

---- options: whoever takes some, knows them all
SET search_path = app, pegs, public;
SET ROLE rp_curator;
SELECT throws_ok(format('SELECT pegs_report(%L, options => %L)', 'released', options), '22023', message, 'pegs_report: ' || options)
FROM (VALUES ('{"ru_mp": false}', 'unknown option "ru_mp"'), ('{"ru_map": false, "epsilon": [7]}', 'unknown option "epsilon"'),
	('{"averages": true}', 'option "averages" must be an object with "value" and "groups", and perhaps "columns"'), ('{"averages": null}', 'option "averages" must be an object with "value" and "groups", and perhaps "columns"'),
	('{"averages": {}}', 'option "averages" must be an object with "value" and "groups", and perhaps "columns"'), ('{"averages": {"value": "x"}}', 'option "averages" must be an object with "value" and "groups", and perhaps "columns"'),
	('{"averages": {"groups": ["x"]}}', 'option "averages" must be an object with "value" and "groups", and perhaps "columns"'), ('{"averages": {"value": 1, "groups": ["x"]}}', 'option "averages" must be an object with "value" and "groups", and perhaps "columns"'),
	('{"averages": {"value": "x", "groups": "y"}}', 'option "averages" must be an object with "value" and "groups", and perhaps "columns"'), ('{"averages": {"value": "x", "groups": ["y"], "colums": ["z"]}}', 'option "averages" must be an object with "value" and "groups", and perhaps "columns"'),
	('{"averages": {"value": "x", "groups": ["y"], "columns": [1]}}', 'option "averages" must be an object with "value" and "groups", and perhaps "columns"'),
	('{"averages": {"value": "x", "groups": [1]}}', 'groups must be an array of columns, or an array of such arrays, at most 16'), ('{"averages": {"value": "x", "groups": []}}', 'groups must be an array of columns, or an array of such arrays, at most 16'),
	('{"ru_map": "no"}', 'option "ru_map" must be true or false'), ('{"ru_map": null}', 'option "ru_map" must be true or false'), ('{"scores": 1}', 'option "scores" must be true or false'),
	('{"epsilons": 7}', 'option "epsilons" must be a list of numbers'), ('{"epsilons": []}', 'option "epsilons" must be a list of numbers'),
	('{"epsilons": {"a": 1}}', 'option "epsilons" must be a list of numbers'), ('{"epsilons": [1, "2"]}', 'option "epsilons" must be a list of numbers'),
	('{"epsilons": [1, [2]]}', 'option "epsilons" must be a list of numbers'), ('[]', 'options must be a JSON object'), ('7', 'options must be a JSON object')) AS v (options, message);
-- before anything is read: this name is nobody's
SELECT throws_ok($$SELECT pegs_report('nothing', options => '{"ru_mp": false}')$$, '22023', 'unknown option "ru_mp"', 'pegs_report: options come first');
CREATE TABLE takes (function text, statement text);
INSERT INTO takes VALUES ('pegs_report', $$SELECT pegs_report('released', options => '{"what": 1}')$$),
	('pegs_sample', $$SELECT * FROM pegs_sample('perturbed', 1, options => '{"what": 1}') AS t(age int)$$),
	('pegs_sample_as', $$SELECT * FROM pegs_sample_as(NULL::people, 'perturbed', 1, options => '{"what": 1}')$$),
	('pegs_release', $$SELECT pegs_release('x', 'perturbed', 1, options => '{"what": 1}')$$),
	('pegs_cost', $$SELECT * FROM pegs_cost('perturbed', 1, options => '{"what": 1}')$$),
	('pegs_audit', $$SELECT * FROM pegs_audit('perturbed', 100, options => '{"what": 1}')$$),
	('pegs_fit', $$SELECT pegs_fit('x', 'people', epsilon => 1, options => '{"what": 1}')$$),
	('pegs_plan', $$SELECT * FROM pegs_plan('people', 10, options => '{"what": 1}')$$),
	('pegs_fit_slices', $$SELECT pegs_fit_slices('x', 'people', options => '{"what": 1}')$$),
	('pegs_score_fit', $$SELECT pegs_score_fit('x', 'people', 'sex', ARRAY['f'], epsilon => 1, options => '{"what": 1}')$$),
	('pegs_fit_state', $$SELECT pegs_fit_state('x', 'people', NULL, parents => '{}', options => '{"what": 1}')$$);
SELECT throws_ok(statement, '22023', 'unknown option "what"', function || ' takes no option that it does not know') FROM takes;
RESET ROLE;
-- those of pegs_disaggregate are in disaggregate.sql
SELECT set_eq($$SELECT DISTINCT proname::text FROM pg_proc WHERE 'options' = ANY (proargnames) AND pronamespace = 'pegs'::regnamespace AND proname NOT LIKE 'pegs_disaggregate%'$$,
	$$SELECT function FROM app.takes$$, 'and these are all that take options');

---- averages that are to be published: what pegs_reconstruct finds, in words
SET search_path = app, pegs, public;
SET ROLE rp_curator;
CREATE TABLE stays (county int NOT NULL, days int NOT NULL, cost int NOT NULL, flag boolean NOT NULL, "<ward>" int NOT NULL);
ALTER TABLE stays OWNER TO rp_owner;
INSERT INTO stays SELECT i % 20, i * 37 % 101 % 30 + i % 20, 3 * (i * 37 % 101 % 30 + i % 20), i % 2 = 0, CASE WHEN i <= 3 THEN i WHEN i <= 5 THEN 9 ELSE 0 END FROM generate_series(1, 2000) AS i;
SELECT pegs_set_levels('stays', 'county', ARRAY(SELECT i::text FROM generate_series(0, 19) AS i)), pegs_set_bins('stays', 'days', '{0, 25, 50}'), pegs_set_bins('stays', 'cost', '{0, 75, 150}'),
	pegs_set_levels('stays', '<ward>', '{0,1,2,3,9}'), pegs_set_budget('stays', 60);
SELECT pegs_fit('stays', 'stays', epsilon => 50);
CREATE FUNCTION of_averages(averages text, keys name[] DEFAULT NULL) RETURNS text LANGUAGE sql SET search_path = app, pegs, public AS $$
	SELECT pegs_report('stays', keys, options => jsonb_build_object('ru_map', false, 'scores', false, 'averages', averages::jsonb)) $$;
INSERT INTO page VALUES ('no averages', pegs_report('stays', options => '{"ru_map": false, "scores": false}')),
	('counties', of_averages('{"value": "cost", "groups": ["county"]}')), ('counties, days', of_averages('{"value": "cost", "groups": ["county"], "columns": ["days"]}')),
	('counties, flag', of_averages('{"value": "cost", "groups": ["county"], "columns": ["flag"]}')),
	('keys', of_averages('{"value": "cost", "groups": [["county"]]}', ARRAY['days', 'county', 'cost'])), ('wards', of_averages('{"value": "cost", "groups": [["county"], ["<ward>"]]}')),
	('odd value', of_averages('{"value": "<ward>", "groups": ["county"], "columns": ["days"]}'));
DELETE FROM stays WHERE "<ward>" IN (2, 3);
INSERT INTO page VALUES ('one ward', of_averages('{"value": "cost", "groups": [["<ward>"]]}'));
DELETE FROM stays WHERE "<ward>" = 1;
INSERT INTO page VALUES ('two of a ward', of_averages('{"value": "cost", "groups": [["<ward>"]]}'));
DELETE FROM stays;
INSERT INTO page VALUES ('no stays', of_averages('{"value": "cost", "groups": [["<ward>"]]}', ARRAY['days']));
SELECT throws_ok($$SELECT of_averages('{"value": "price", "groups": ["county"]}')$$, '42703', 'app.stays has no column "price"', 'averages of a column that is not there');
RESET ROLE;
SELECT is(parsed(html), 'well-formed', format('"%s" is well-formed', name)) FROM page WHERE html LIKE '%of app.stays%';
SELECT is(html LIKE '%<section id="averages">%', name <> 'no averages', format('"%s": a section where averages are named', name)) FROM page WHERE html LIKE '%of app.stays%';
SELECT is((regexp_match(html, '<div class="card verdict (\w+)"><div class="topic">published averages</div><div class="name"><svg[^>]*><[^>]*></svg>([^<]*)</div>'))::text, verdict, format('"%s": the verdict', name))
FROM page JOIN (VALUES ('no averages', NULL), ('counties', '{good,"averages tell of groups"}'), ('counties, days', '{care,"averages tell of single people"}'), ('counties, flag', '{good,"averages tell of groups"}'),
	('keys', '{care,"averages tell of single people"}'), ('wards', '{bad,"people are alone in a published group"}'), ('one ward', '{bad,"people are alone in a published group"}'),
	('two of a ward', '{care,"averages tell of single people"}'), ('no stays', NULL)) AS v (name, verdict) USING (name);
SELECT ok(page(name) LIKE '%' || part || '%', format('"%s": %s', name, part)) FROM (VALUES
	('counties', '<p class="why">Found: nobody is alone in a published group; the smallest has 100 rows.</p>'), ('counties', '; no columns were named that somebody may know besides.</p>'),
	('counties, days', '; with <bdi>days</bdi> the best method (er) explains 100%: the columns add '), ('counties, flag', 'the columns add nothing.'), ('keys', '; with <bdi>days</bdi> the best method (er) explains 100%'),
	('wards', '<p class="why">Because 3 people are alone in a published group: its average is the value of that row.</p>'), ('wards', '>do not publish</div>'), ('one ward', 'Read: 1 person is alone in a published group: its average is the value of that row.'),
	('two of a ward', 'Read: nobody is alone in a published group, but there are groups of two: who knows one value learns the other.'), ('no stays', 'Read: there are no rows.</p>'),
	('odd value', 'between the values of <bdi>&lt;ward&gt;</bdi>; with <bdi>days</bdi>'), ('counties, days', '<tr><td>mean</td><td class="n">'), ('counties, days', 'has 100 rows; <bdi>days</bdi> adds ')) AS v (name, part);
-- the numbers are those of pegs_reconstruct
SELECT is(pegs_internal.report_averages_of('[[null, "exact", 0], [null, "rows", 9], [null, "smallest_group", 3], ["mean", "r2", 0.25], ["er", "r2", 0.75], ["ludia", "r2", 0.5]]') - 'methods',
	'{"averages_alone": 0, "averages_two": 0, "rows": 9, "smallest": 3, "best": "er", "best_r2": 0.75, "mean_r2": 0.25, "averages_added": 0.5}', 'the best method against the mean');

---- pegs_summary: may be passed on
SET ROLE rp_curator;
-- opposite rows, one domain: what is sealed says the same of both
CREATE TABLE ones (c int NOT NULL CHECK (c IN (1, 2)), d boolean NOT NULL);
CREATE TABLE twos (LIKE ones INCLUDING ALL);
ALTER TABLE ones OWNER TO rp_owner;
ALTER TABLE twos OWNER TO rp_owner;
INSERT INTO ones SELECT 1, true FROM generate_series(1, 12345);
INSERT INTO twos VALUES (2, false);
SELECT pegs_set_budget(t, epsilon => 10) FROM unnest(ARRAY['ones', 'twos']::regclass[]) AS t;
SELECT pegs_fit(t::text, t, parents => '{"d": ["c"]}') FROM unnest(ARRAY['ones', 'twos']::regclass[]) AS t;
SELECT pegs_release(t || ' released', t, 5, epsilon => 1, block => 5) FROM unnest(ARRAY['ones', 'twos']) AS t;
CREATE TABLE summary AS SELECT n AS name, pegs_summary(n) AS html FROM unnest(ARRAY['released', 'perturbed', 'sealed', 'of sealed', 'of women', 'much', 'left alone', 'one column', 'odd </h1> release', 'ones released', 'twos released']) AS n;
SELECT pegs_fit('diverse', 'ones', parents => '{"d": ["c"]}', options => '{"l_diversity": 1.5}');
INSERT INTO summary VALUES ('diverse', pegs_summary('diverse'));
RESET ROLE;
SELECT pegs_import('imported', pegs_export('perturbed'));
INSERT INTO summary VALUES ('imported', pegs_summary('imported'));
SELECT is(parsed(html), 'well-formed', format('summary of "%s" is well-formed', name)) FROM summary;
SELECT ok(html !~ '<(script|link|img|iframe|object|embed|a|base|form)\M|@import|url\(|\son\w+=|\M(src|href)=|://', format('summary of "%s" has nothing that runs or loads', name)) FROM summary;
SELECT ok(html NOT LIKE '%class="secret"%' AND (html LIKE '%<b>May be passed on.</b>%') = (name <> 'diverse'), format('summary of "%s": may it be passed on?', name)) FROM summary;
SELECT is(replace(a.html, 'ones', 'twos'), b.html, 'the same of opposite rows') FROM summary AS a, summary AS b WHERE a.name = 'ones released' AND b.name = 'twos released';
SELECT ok(html LIKE '%' || part || '%', part) FROM summary, unnest(ARRAY['<dt>guarantee</dt><dd>(epsilon, delta)-differentially private', 'no outcome becomes more than 149 times as probable', 'of probability 1e-9 (delta)', 'epsilon, here 5.',
	'sex (3), colour (3), age (21)', '<td><bdi>', 'How much noise', 'pegs_report, which is for its curator alone']) AS part WHERE name = 'released';
SELECT ok(html LIKE '%' || part || '%', format('%s: %s', n, part)) FROM (VALUES ('sealed', 'Nothing was released yet'), ('of sealed', 'no outcome becomes more than 2.72 times as probable, or as improbable: that'),
	('much', 'An epsilon above 10 promises little'), ('diverse', 'There is no guarantee.'), ('odd </h1> release', '<bdi>odd &lt;/h1&gt; release</bdi>')) AS v (n, part), summary WHERE name = n;
SELECT is(html LIKE '%<b>The counts are as stated by an imported file.</b>%', name = 'imported', format('summary of "%s": whose word are the counts?', name)) FROM summary;
SELECT ok(html LIKE '%were others learnt from the rows (lines "learn" of pegs_ledger), and then declared by hand?%', format('summary of "%s": what was learnt is to be added', name)) FROM summary WHERE name <> 'diverse';
-- no noise is named where none is known
SELECT ok(html NOT LIKE '%How much noise%', 'sealed: no table of noise') FROM summary WHERE name = 'of sealed';
-- it is made of the certificate and the description alone, and so are its parts
SELECT set_eq($$WITH RECURSIVE calls (f) AS (SELECT 'pegs_summary(text)'::regprocedure::oid
		UNION SELECT d.refobjid FROM calls JOIN pg_depend AS d ON d.classid = 'pg_proc'::regclass AND d.objid = f AND d.refclassid = 'pg_proc'::regclass WHERE f NOT IN ('pegs_certificate(text)'::regprocedure, 'pegs_describe(text)'::regprocedure))
	SELECT p.proname FROM calls JOIN pg_proc AS p ON p.oid = f WHERE p.proname NOT LIKE 'report\_%' AND p.proname NOT LIKE 'summary\_%'$$,
	ARRAY['pegs_summary', 'pegs_certificate', 'pegs_describe']::name[], 'it calls nothing that reads a row');
SELECT is_empty($$SELECT c.oid::regprocedure FROM pg_proc AS c JOIN pg_depend AS d ON d.classid = 'pg_proc'::regclass AND d.objid = c.oid AND d.refclassid = 'pg_class'::regclass
	WHERE c.oid = 'pegs_summary(text)'::regprocedure OR c.proname ~ '^(report|summary)_' AND c.pronamespace = 'pegs_internal'::regnamespace$$, 'nor does it or a part of it read a relation');
-- whoever may use the rows may read it, and reads what the curator reads
CREATE FUNCTION made(role text, statement text) RETURNS text LANGUAGE plpgsql SET search_path = app, pegs, public AS $$
DECLARE
	answer text;
BEGIN
	EXECUTE format('SET LOCAL ROLE %I', role);
	EXECUTE statement INTO answer;
	RESET ROLE;
	RETURN answer;
END $$;
SELECT is(made('rp_analyst', 'SELECT pegs_summary(''released'')'), made('rp_curator', 'SELECT pegs_summary(''released'')'), 'a reader''s summary is the curator''s');
SELECT is(outcome('rp_analyst', format('SELECT pegs_summary(%L)', n)), '42704', format('no summary of what is not granted: "%s"', n)) FROM unnest(ARRAY['of women', 'no such']) AS n;
SELECT throws_ok('SELECT pegs_summary(NULL)', '22004', NULL, 'summary of NULL');

---- keys and a target that are wrong: told before anything is read
CREATE TABLE divided (a int NOT NULL, b boolean NOT NULL);
INSERT INTO divided SELECT 1 + i % 2, i % 3 = 0 FROM generate_series(1, 200) AS i;
CREATE VIEW tenths AS SELECT 10 / a AS tenth, b FROM divided;
SELECT pegs_set_levels('tenths', 'tenth', '{5, 10}'), pegs_set_budget('divided', 10);
SELECT pegs_fit('tenths', 'tenths', epsilon => 1);
INSERT INTO divided VALUES (0, true);
CREATE FUNCTION said(statement text) RETURNS text LANGUAGE plpgsql AS $$ BEGIN EXECUTE statement; RETURN 'ok'; EXCEPTION WHEN OTHERS THEN RETURN sqlerrm; END $$;
SELECT is(said($$SELECT pegs_report('tenths', keys => '{no}')$$), 'keys: there is no column "no"', 'a key');
SELECT is(said($$SELECT pegs_report('tenths', keys => '{tenth}', target => 'no')$$), 'target: there is no column "no"', 'a target');
SELECT is(said($$SELECT pegs_report('tenths', keys => '{b}', target => 'b')$$), 'the target "b" is one of the keys', 'one that is a key');
SELECT isnt(said($$SELECT pegs_report('tenths', keys => '{b}')$$), 'ok', 'where to read is an error');
SELECT * FROM finish();
