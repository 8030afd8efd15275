-- pegs_utility_schema_of: every value beside the same measure in plain SQL; units drawn again; who may; words of the report.
SET client_min_messages = warning;
CREATE EXTENSION pegs;
SELECT * FROM no_plan();
\ir lib/said.sql

-- a root, two child tables of it, one below; names and NULLs of every kind
CREATE SCHEMA "s ""1";
SET search_path = "s ""1", public;
CREATE TABLE "Root, 1" (id int PRIMARY KEY, sex text NOT NULL CHECK (sex IN ('F', 'M')), "a""b" text CHECK ("a""b" IN ('x', 'y"', 'z')));
CREATE TABLE stay (id int PRIMARY KEY, who int NOT NULL REFERENCES "Root, 1", ward text NOT NULL CHECK (ward IN ('A', 'B', 'C')), long boolean);
CREATE TABLE done (stay int NOT NULL REFERENCES stay, line int, what text NOT NULL CHECK (what IN ('p', 'q')), PRIMARY KEY (stay, line));
CREATE TABLE card (who int PRIMARY KEY REFERENCES "Root, 1", kind text NOT NULL CHECK (kind IN ('gold', 'plain')));
INSERT INTO "Root, 1" SELECT i, CASE WHEN i % 3 = 0 THEN 'F' ELSE 'M' END, (ARRAY['x', 'y"', NULL])[1 + i % 3] FROM generate_series(1, 400) AS i;
INSERT INTO stay SELECT 10 * i + k, i, substr('ABC', 1 + (i + k / 3) % 3, 1), CASE WHEN k % 2 = 0 THEN i % 5 = 0 END FROM generate_series(1, 400) AS i, generate_series(1, i % 6) AS k;
INSERT INTO done SELECT id, l, CASE WHEN ward = 'A' THEN 'p' ELSE 'q' END FROM stay, generate_series(1, id % 3) AS l;
INSERT INTO card SELECT id, CASE WHEN sex = 'F' THEN 'gold' ELSE 'plain' END FROM "Root, 1" WHERE id % 4 < 3;
SELECT pegs_set_parent('stay', '"Root, 1"', children => '{0, 1, 2, 4}', at_most => 6), pegs_set_parent('done', 'stay', children => '{0, 1, 2, 3}', at_most => 4), pegs_set_parent('card', '"Root, 1"');
SELECT pegs_set_budget('"Root, 1"', epsilon => 1e5, delta => 1e-3, accounting => 'sum');
SELECT pegs_fit_schema('a "model"', '"Root, 1"', epsilon => 2, delta => 1e-9);
SELECT pegs_release('b; release', 'a "model"', 250);
CREATE TABLE spent AS SELECT spent FROM pegs_budgets;
CREATE TABLE measured AS SELECT * FROM pegs_utility_schema_of('b; release');

---- the same in plain SQL: rows of both sides in one table each, by side
CREATE TABLE both_root AS SELECT 'o' AS side, id, sex, "a""b" AS ab FROM "Root, 1" UNION ALL SELECT 's', id, sex, "a""b" FROM pegs_rows_as(NULL::"Root, 1", 'b; release', 'Root, 1');
CREATE TABLE both_stay AS SELECT 'o' AS side, id, who, ward, long FROM stay UNION ALL SELECT 's', id, who, ward, long FROM pegs_rows_as(NULL::stay, 'b; release', 'stay');
CREATE TABLE both_done AS SELECT 'o' AS side, stay, line, what FROM done UNION ALL SELECT 's', stay, line, what FROM pegs_rows_as(NULL::done, 'b; release', 'done');
CREATE TABLE both_card AS SELECT 'o' AS side, who, kind FROM card UNION ALL SELECT 's', who, kind FROM pegs_rows_as(NULL::card, 'b; release', 'card');
-- half the sum of the differences of shares: of a query of (side, cell as text, weight)
CREATE FUNCTION tv(query text) RETURNS double precision LANGUAGE plpgsql AS $$
DECLARE r double precision;
BEGIN
	EXECUTE format('WITH q (side, cell, weight) AS (%s), c AS (SELECT side, coalesce(cell, ''(NULL)'') AS cell, sum(weight)::double precision AS n FROM q GROUP BY 1, 2), s AS (SELECT side, cell, n / sum(n) OVER (PARTITION BY side) AS share FROM c)
		SELECT sum(abs(coalesce(o.share, 0) - coalesce(m.share, 0))) / 2 FROM (SELECT * FROM s WHERE side = ''o'') AS o FULL JOIN (SELECT * FROM s WHERE side = ''s'') AS m ON m.cell = o.cell', query) INTO r;
	RETURN r;
END $$;
CREATE FUNCTION tvs(VARIADIC queries text[]) RETURNS double precision LANGUAGE sql AS $$ SELECT avg(tv(q)) FROM unnest($1) AS q $$;
CREATE FUNCTION measure(wanted text, of text DEFAULT NULL, col text DEFAULT NULL) RETURNS double precision LANGUAGE sql AS
$$ SELECT value FROM measured WHERE measure = wanted AND table_name IS NOT DISTINCT FROM of::name AND column_name IS NOT DISTINCT FROM col::name $$;
CREATE FUNCTION same(a double precision, b double precision, what text) RETURNS text LANGUAGE sql AS $$ SELECT ok(a BETWEEN 0 AND 1 AND abs(a - b) < 1e-9, format('%s: %s', what, a)) $$;
ANALYZE both_root, both_stay, both_done, both_card;
CREATE TABLE stays AS SELECT s.*, r.sex, r.ab, count(*) OVER w AS n FROM both_stay AS s JOIN both_root AS r ON r.side = s.side AND r.id = s.who WINDOW w AS (PARTITION BY s.side, s.who);
CREATE TABLE dones AS SELECT d.*, s.ward, s.long, count(*) OVER (PARTITION BY d.side, d.stay) AS n FROM both_done AS d JOIN both_stay AS s ON s.side = d.side AND s.id = d.stay;
ANALYZE stays;
CREATE TABLE pairs AS SELECT a.side, a.ward, b.ward AS other, a.long, b.long AS other_long, 1.0 / (a.n * (a.n - 1)) AS weight FROM stays AS a JOIN stays AS b ON b.side = a.side AND b.who = a.who AND b.id <> a.id;
CREATE TABLE beside AS SELECT s.side, s.ward, s.long, c.kind, 1.0 / s.n AS weight FROM stays AS s JOIN both_card AS c ON c.side = s.side AND c.who = s.who;

SELECT same(measure('tv1', 'Root, 1'), tvs('SELECT side, sex, 1 FROM both_root', 'SELECT side, ab, 1 FROM both_root'), 'columns of the root');
SELECT same(measure('tv2', 'stay'), tv('SELECT side, (ward, long)::text, 1 FROM both_stay'), 'two columns of a table');
SELECT same(measure('tv1', 'done'), tv('SELECT side, what, 1 FROM both_done'), 'one that lies deep');
SELECT same(measure('children_tv', 'stay'), tv('SELECT r.side, count(s.id)::text, 1 FROM both_root AS r LEFT JOIN both_stay AS s ON s.side = r.side AND s.who = r.id GROUP BY r.side, r.id'), 'numbers of children');
SELECT same(measure('children_tv', 'done'), tv('SELECT s.side, count(d.line)::text, 1 FROM both_stay AS s LEFT JOIN both_done AS d ON d.side = s.side AND d.stay = s.id GROUP BY s.side, s.id'), 'of children of those');
SELECT same(measure('children_tv', 'card'), tv('SELECT r.side, count(c.who)::text, 1 FROM both_root AS r LEFT JOIN both_card AS c ON c.side = r.side AND c.who = r.id GROUP BY r.side, r.id'), 'of one at most');
SELECT same(measure('count_child_tv2', 'stay'), tvs('SELECT side, (least(n - n / 5 - (n = 3)::int, 4), ward)::text, 1 FROM stays', 'SELECT side, (least(n - n / 5 - (n = 3)::int, 4), long)::text, 1 FROM stays'), 'number in classes x child');
SELECT same(measure('cross_tv2', 'stay'), tvs('SELECT side, (sex, ward)::text, 1 FROM stays', 'SELECT side, (sex, long)::text, 1 FROM stays', 'SELECT side, (ab, ward)::text, 1 FROM stays', 'SELECT side, (ab, long)::text, 1 FROM stays'), 'root x child');
SELECT same(measure('below_tv2', 'done'), tvs('SELECT side, (ward, what)::text, 1 FROM dones', 'SELECT side, (long, what)::text, 1 FROM dones'), 'child x its child');
SELECT same(measure('branch_tv2', 'stay'), tvs('SELECT side, (ward, kind)::text, weight FROM beside', 'SELECT side, (long, kind)::text, weight FROM beside'), 'two child tables of one root');
SELECT is(measure('branch_tv2', 'card'), measure('branch_tv2', 'stay'), 'from the other side, too');
SELECT same(measure('sibling_tv2', 'stay'), tvs('SELECT side, (ward, other)::text, weight FROM pairs', 'SELECT side, (long, other_long)::text, weight FROM pairs'), 'two rows of one parent');
SELECT same(measure('sibling_agreement', 'stay', 'ward'), (SELECT sum(weight * (ward = other)::int) / sum(weight) FROM pairs WHERE side = 's'), 'how often they agree');
SELECT same(measure('sibling_agreement_real', 'stay', 'ward'), (SELECT sum(weight * (ward = other)::int) / sum(weight) FROM pairs WHERE side = 'o'), 'and in the original');
SELECT same(measure('sibling_agreement_real', 'stay', 'long'), (SELECT sum(weight * (long IS NOT DISTINCT FROM other_long)::int) / sum(weight) FROM pairs WHERE side = 'o'), 'NULLs agree');
SELECT same(measure('sibling_agreement_real', 'stay'), (measure('sibling_agreement_real', 'stay', 'ward') + measure('sibling_agreement_real', 'stay', 'long')) / 2, 'mean of the columns');
SELECT same(measure('cross_tv2'), (4 * measure('cross_tv2', 'stay') + 2 * measure('cross_tv2', 'card')) / 6, 'over all: each pair once');
SELECT same(measure('branch_tv2'), measure('branch_tv2', 'stay'), 'of branches, too');
SELECT same(measure('children_tv'), (measure('children_tv', 'stay') + measure('children_tv', 'done') + measure('children_tv', 'card')) / 3, 'and of numbers');
SELECT is((SELECT count(*) FROM measured WHERE measure ~ '^sibling' AND table_name = 'card'), 0::bigint, 'who has one at most has no siblings');
SELECT is((SELECT array_agg(DISTINCT guarantee) FROM measured), ARRAY['none'], 'without a guarantee');
SELECT is((SELECT spent FROM pegs_budgets), (SELECT spent FROM spent), 'and without a charge');

---- units drawn again
-- a share of a third of 300 may be met exactly, once in fifty times
SELECT ok((SELECT bool_and(resample < 0.2) AND sum((resample > 0)::int) >= count(*) - 2 FROM measured WHERE measure ~ 'tv' AND table_name IS NOT NULL), 'another sample is near');
SELECT ok((SELECT bool_or(m.resample <> n.resample) AND bool_and(m.value = n.value) FROM measured AS m JOIN pegs_utility_schema_of('b; release') AS n ON n.measure = m.measure AND n.table_name = m.table_name WHERE m.column_name IS NULL AND n.column_name IS NULL),
	'and another one each time, the rows the same');
SELECT ok((SELECT abs(resample - measure('sibling_agreement_real', 'stay', 'ward')) < 0.1 FROM measured WHERE measure = 'sibling_agreement' AND column_name = 'ward'), 'whole units: their rows stay together');
SELECT is((SELECT count(*) FROM pegs_utility_schema_of('a "model"')), (SELECT count(*) FROM measured), 'of a model as of its release');

---- the page for curators
CREATE TABLE page AS SELECT pegs_report('b; release') AS html;
SELECT throws_ok(format('SELECT pegs_report(%L, %s)', 'b; release', a), '0A000', NULL, 'it takes no ' || a) FROM unnest(ARRAY[$$keys => '{no}'$$, $$target => 'no'$$]) AS a;
SELECT matches((SELECT html FROM page), '^<!DOCTYPE html>.*</html>\n$', 'a page of several tables');
SELECT ok((SELECT html LIKE '%<h3><bdi>Root, 1</bdi></h3>%' AND html LIKE '%<bdi>stay</bdi>: <bdi>ward</bdi>%' AND html LIKE '%<td class="n">' || pegs_internal.report_number(measure('cross_tv2', 'stay')) || '</td>%' FROM page), 'with its tables, columns and numbers');
SELECT ok((SELECT html LIKE '%<title>Report: b; release</title>%' AND html LIKE '%a row of Root, 1 with every row of stay, done and card%' FROM page), 'whose, and what the unit is');
SELECT ok((SELECT count(*) = 5 FROM page, regexp_matches(html, '<div class="card verdict (good|fair|care|bad)">', 'g')), 'a verdict for each topic and the guarantee');
SELECT is((SELECT string_agg(pegs_internal.report_nearness(v, r), ' ') FROM (VALUES (0.05, 0), (0.06, 0.04), (0.061, 0.04), (0.12, 0.04), (0.121, 0.04), (NULL, 0)) AS a (v, r)), 'good good fair fair care none', 'by the rule that it prints');
-- the page of made measures: a table with all of them, each number in its place
CREATE TABLE made_page AS SELECT pegs_internal.report_related('made', pegs_certificate('b; release'), '[["r", "rows_original", null, 100, 101, null], ["r", "rows_synthetic", null, 99, 101, null], ["r", "tv1", null, 0.01, 0.011, "r.a"],
	["t", "rows_original", null, 200, 201, null], ["t", "rows_synthetic", null, 199, 201, null], ["t", "tv1", null, 0.02, 0.021, "t.a"], ["t", "tv2", null, 0.03, 0.031, "t.a, t.b"], ["t", "children_tv", null, 0.04, 0.041, "number of t"],
	["t", "count_child_tv2", null, 0.045, 0.046, "number of t, t.b"], ["t", "cross_tv2", null, 0.4, 0.042, "r.a, t.b"], ["t", "below_tv2", null, 0.047, 0.048, "r.a, t.a"], ["t", "branch_tv2", null, 0.048, 0.049, "t.a, u.b"], ["t", "sibling_tv2", null, 0.09, 0.05, "t.c"],
	["t", "sibling_agreement", null, 0.5, 0.52, null], ["t", "sibling_agreement", "c", 0.31, 0.32, null], ["t", "sibling_agreement_real", null, 0.6, 0.52, null], ["t", "sibling_agreement_real", "c", 0.33, 0.32, null],
	[null, "tv1", null, 0.015, 0.016, "t.a"], [null, "tv2", null, 0.03, 0.031, "t.a, t.b"], [null, "children_tv", null, 0.2, 0.041, "number of t"], [null, "count_child_tv2", null, 0.045, 0.046, "number of t, t.b"],
	[null, "cross_tv2", null, 0.4, 0.042, "r.a, t.b"], [null, "below_tv2", null, 0.047, 0.048, "r.a, t.a"], [null, "branch_tv2", null, 0.048, 0.049, "t.a, u.b"], [null, "sibling_tv2", null, 0.09, 0.07, "t.c"]]') AS html;
CREATE FUNCTION in_page(wanted text) RETURNS boolean LANGUAGE sql AS $$ SELECT position(wanted IN html) > 0 FROM made_page $$;
SELECT ok(in_page(format('(%s, farthest: <bdi>%s</bdi>)</span></td><td class="n">%s</td><td class="n">%s</td></tr>', m.measure, m.far, pegs_internal.report_number(m.v), pegs_internal.report_number(m.r))), m.measure || ': its distance, beside it that of another sample, and the farthest columns')
FROM (VALUES ('tv1', 't.a', 0.02, 0.021), ('tv2', 't.a, t.b', 0.03, 0.031), ('children_tv', 'number of t', 0.04, 0.041), ('count_child_tv2', 'number of t, t.b', 0.045, 0.046), ('cross_tv2', 'r.a, t.b', 0.4, 0.042),
	('below_tv2', 'r.a, t.a', 0.047, 0.048), ('branch_tv2', 't.a, u.b', 0.048, 0.049), ('sibling_tv2', 't.c', 0.09, 0.05)) AS m (measure, far, v, r);
SELECT ok(in_page(format('<td><bdi>t</bdi>: <bdi>c</bdi></td><td class="n">%s</td><td class="n">%s</td><td class="n">%s</td>', pegs_internal.report_percent(0.33), pegs_internal.report_percent(0.31), pegs_internal.report_percent(0.32))), 'agreement: original, synthetic, another sample');
SELECT is((SELECT array_agg(array_to_string(x, ' ')) FROM made_page, regexp_matches(html, '<div class="card verdict (\w+)"><div class="topic">([^<]*)</div>', 'g') AS x WHERE x[2] <> 'guarantee'),
	'{"good rows of each table","care numbers of rows","care joins","good rows that belong together"}', 'of a topic the worst measure decides');
SELECT ok(in_page(format('joined with the root: a column of each: %s, another sample %s, farthest: <bdi>r.a, t.b</bdi>', pegs_internal.report_number(0.4), pegs_internal.report_number(0.042))), 'a verdict names what it was measured by');
SELECT ok(in_page(format('<dt><bdi>t</bdi>: original, synthetic rows</dt><dd>%s, %s</dd>', pegs_internal.report_number(200), pegs_internal.report_number(199))), 'and rows of each side');
SELECT ok((SELECT xmlparse(DOCUMENT replace(html, '<!DOCTYPE html>', '')) IS NOT NULL FROM page), 'that can be parsed');
SELECT is((SELECT spent FROM pegs_budgets), (SELECT spent FROM spent), 'nor is the page charged');

---- what is not declared any more, and small ones
ALTER TABLE stay DROP CONSTRAINT stay_ward_check;
SELECT matches(said($$SELECT pegs_utility_schema_of('b; release')$$), '^22023 \| the original of model "a "model"" cannot be read as it was: column "ward" cannot be used: no declared domain', 'not of what has changed');
ALTER TABLE stay ADD CONSTRAINT stay_ward_check CHECK (ward IN ('A', 'B', 'C'));
UPDATE "Root, 1" SET sex = 'F';
CREATE TABLE kept_stay AS TABLE stay; CREATE TABLE kept_done AS TABLE done;
DELETE FROM done; DELETE FROM stay;
SELECT results_eq($$SELECT measure, value, resample FROM pegs_utility_schema_of('b; release') WHERE table_name = 'done' AND measure ~ 'tv' ORDER BY 1$$,
	$$VALUES ('below_tv2', 1::double precision, 0::double precision), ('children_tv', 1, 0), ('count_child_tv2', 1, 0), ('sibling_tv2', 1, 0), ('tv1', 1, 0)$$, 'nothing is close to no rows, and no rows are to those');
SELECT is((SELECT array_agg(value) FROM pegs_utility_schema_of('b; release') WHERE table_name = 'stay' AND measure = 'sibling_agreement_real'), '{NULL,NULL,NULL}', 'nor does anything agree there');
DELETE FROM card; DELETE FROM "Root, 1";
SELECT is((SELECT count(*) FROM pegs_utility_schema_of('b; release')), (SELECT count(*) FROM measured), 'no rows at all: the same measures');
INSERT INTO "Root, 1" SELECT i, 'F', 'x' FROM generate_series(1, 300) AS i;
INSERT INTO stay SELECT i, i, 'A', true FROM generate_series(1, 300) AS i;
SELECT is((SELECT max(resample) FROM pegs_utility_schema_of('b; release') WHERE measure ~ 'tv'), 0::double precision, 'units that are all alike, drawn again');
DELETE FROM stay;
INSERT INTO stay SELECT i, 7, 'A', true FROM generate_series(1, 200000) AS i;
SELECT ok((SELECT value = 1 FROM pegs_utility_schema_of('b; release') WHERE table_name = 'stay' AND column_name = 'ward' AND measure = 'sibling_agreement_real'), 'a unit of many rows');

---- who may
CREATE ROLE rm_other;
GRANT USAGE ON SCHEMA "s ""1" TO rm_other;
SELECT pegs_grant('b; release', 'rm_other');
SET ROLE rm_other;
SELECT matches(said($$SELECT pegs_utility_schema_of('b; release')$$), '^42501 \| permission denied for function pegs_utility_schema_of', 'not everybody');
RESET ROLE;
GRANT EXECUTE ON FUNCTION pegs_utility_schema_of, said TO rm_other;
SET ROLE rm_other;
SELECT matches(said($$SELECT pegs_utility_schema_of('b; release')$$), '^42501 ', 'not who was granted the rows');
SELECT matches(said($$SELECT pegs_utility_schema_of('a "model"')$$), '^42704 ', 'nor who was not');
RESET ROLE;
SELECT matches(said($$SELECT pegs_utility_schema_of('no')$$), '^42704 ', 'no such name');
SELECT matches(said($$SELECT pegs_utility_schema_of(NULL)$$), '^22004 ', 'no name');
SELECT pegs_fit('one', '"Root, 1"', '{sex}', epsilon => 1);
SELECT is(said($$SELECT pegs_utility_schema_of('one')$$), '42809 | "one" is of one table | SELECT * FROM pegs_utility_of(''one'');', 'of one table');
CREATE FUNCTION stopped() RETURNS text LANGUAGE plpgsql AS $$ BEGIN PERFORM m FROM generate_series(1, 1000) AS i, LATERAL (SELECT i, pegs_utility_schema_of('b; release')) AS m; RETURN 'not stopped'; EXCEPTION WHEN query_canceled THEN RETURN SQLSTATE; END $$;
SET statement_timeout = 20;
SELECT is(stopped(), '57014', 'cancelled');
RESET statement_timeout;
-- a release of roots that are given: its rows, not those of all roots
SELECT pegs_release('women', 'a "model"', 250, given => '{"sex": "F"}');
TRUNCATE measured, both_root;
INSERT INTO measured SELECT * FROM pegs_utility_schema_of('women');
INSERT INTO both_root SELECT 'o' AS side, id, sex, "a""b" AS ab FROM "Root, 1" UNION ALL SELECT 's', id, sex, "a""b" FROM pegs_rows_as(NULL::"Root, 1", 'women', 'Root, 1');
SELECT same(measure('tv1', 'Root, 1'), tvs('SELECT side, sex, 1 FROM both_root', 'SELECT side, ab, 1 FROM both_root'), 'given: columns of the root');

SELECT * FROM finish();
