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
SELECT pegs_fit('single', 'single', epsilon => 1);
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
INSERT INTO page VALUES ('without map', pegs_report('released', options => '{"ru_map": false}'));
RESET ROLE;
CREATE FUNCTION page(wanted text) RETURNS text LANGUAGE sql AS $$ SELECT html FROM page WHERE name = $1 $$;

---- a page
SELECT is((SELECT count(*) FROM page WHERE html LIKE '<!DOCTYPE html>%</html>_'), 14::bigint, 'a page for every kind of model and release');
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
	'class="heat', 'The worst tables', 'class="map"', 'fit once, epsilon 0.5:', 'PeGS.rs, epsilon 5:', 'the keys sex, colour and wants age', '(DiSCO)', '(repU)',
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
SELECT is((SELECT count(*) FROM regexp_matches(html, 'class="card verdict ', 'g')), 5::bigint, format('"%s": one verdict a topic', name)) FROM page;
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
	('{"tv1_max": 0.01, "tv2_mean": null, "epsilon": 20}', 'close, not measured, weak guarantee, not measured, not measured'),
	('{}', 'not measured, not measured, not measured, not measured, not measured')) AS v (m, verdicts);
SELECT ok(pegs_internal.report_opinion(m) LIKE '%<div class="name">%' || overall || '</div>%', overall) FROM (VALUES
	('{"tv1_max": 0.05, "tv2_mean": 0.05, "pmse_logit_ratio": 3, "epsilon": 10, "delta_rows": 0, "repU": 5, "DiSCO": 5}'::jsonb, 'nothing here speaks against publishing'),
	('{"tv1_max": 0.05, "tv2_mean": 0.05, "pmse_logit_ratio": 3, "epsilon": 11, "delta_rows": 0, "repU": 5, "DiSCO": 5}', 'look closer before publishing'),
	('{"tv1_max": 0.05, "tv2_mean": 0.05, "pmse_logit_ratio": 3, "epsilon": 10, "delta_rows": 0, "repU": 5}', 'look closer before publishing'),
	('{"tv1_max": 0.05, "tv2_mean": 0.05, "pmse_logit_ratio": 3, "epsilon": 10, "delta_rows": 0, "repU": 5, "DiSCO": 21}', 'do not publish'),
	('{"tv1_max": 0.05, "tv2_mean": 0.05, "pmse_logit_ratio": 3, "epsilon": "Infinity", "delta_rows": 0, "repU": 5, "DiSCO": 1}', 'do not publish')) AS v (m, overall);
SELECT ok(page('much') LIKE '%no guarantee to speak of%', 'epsilon 100 is no guarantee to speak of');
-- a threshold in the text is the threshold of the code
SELECT is(x.holds, true, format('%s: %s', v.verdict, v.rule))
FROM pegs_internal.report_verdicts('{}') AS v JOIN pegs_internal.report_rules() AS r USING (place)
CROSS JOIN LATERAL (SELECT bool_and(v.rule ~ ('at most ' || (e.value #>> '{}') || '(%|;|$)')) AS holds FROM jsonb_each(r.at_most) AS e) AS x
WHERE r.at_most <> '{}';

---- numbers
SELECT is(pegs_internal.report_number(n), t, format('number %s', n)) FROM (VALUES (NULL, '&#8211;'), ('NaN', '&#8211;'), ('Infinity', '&#8734;'), (0, '0'), (1, '1'), (0.1, '0.1'),
	(0.12345, '0.123'), (12.345, '12.3'), (123.45, '123'), (999.4, '999'), (1234, '1,234'), (1234567.8, '1,234,568'), (-1234, '-1,234'), (-123456, '-123,456'), (1e-9, '1e-9'),
	(2.04e-5, '2e-5'), (0.001, '0.001')) AS v (n, t);
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

SELECT * FROM finish();
