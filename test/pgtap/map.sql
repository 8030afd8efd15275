-- pegs_ru_map and the table of methods: every method that there is can be tried, and none has a line here.
SET client_min_messages = warning;
CREATE EXTENSION pegs;

-- every column has an order, two levels or more, and rows in all of them
CREATE TABLE visit (who int NOT NULL, age int NOT NULL, days int NOT NULL CHECK (days IN (1, 2, 3, 4)), again boolean NOT NULL);
INSERT INTO visit SELECT i, (i * 7) % 80, 1 + (i * 7) % 80 / 20, i % 5 = 0 FROM generate_series(1, 1000) AS i;
SELECT pegs_set_bins('visit', 'age', '{0, 20, 40, 60, 80}'), pegs_set_budget('visit', 10, delta => 1e-6, accounting => 'sum');
CREATE FUNCTION census() RETURNS text LANGUAGE sql AS $$ SELECT concat_ws(' ', (SELECT count(*) FROM pegs_internal.ledger), (SELECT count(*) FROM pegs_internal.model),
	(SELECT spent FROM pegs_budgets), (SELECT count(*) FROM pg_class)) $$;

-- the names that the server has
CREATE TABLE method (name text, guarantee text);
INSERT INTO method SELECT t.name, pegs_internal.guarantee(t.name, false, NULL) FROM pegs_internal.report_titles() AS t WHERE t.name = t.method;
-- the only one whose fit needs an option
DELETE FROM method WHERE name = 'pegs l-diverse';
SELECT plan(29 + 6 * (SELECT count(*)::int FROM method));
SELECT cmp_ok((SELECT count(*) FROM method WHERE guarantee LIKE '%'), '>=', 3::bigint, 'three methods or more, and what they guarantee');

---- every one
CREATE TABLE map (asked text, method text, epsilon float8, replicate int, measure text, of name[], value float8, guarantee text);
CREATE TABLE before AS SELECT census() AS was;
INSERT INTO map SELECT m.name, f.* FROM method AS m, LATERAL pegs_ru_map('visit', '{1, 10}', 200, columns => '{age, days, again}', replicates => 2, methods => ARRAY[m.name]) AS f;
SELECT is(census(), was, 'nothing is charged, and nothing stored') FROM before;
SELECT is((SELECT array_agg(DISTINCT f.epsilon ORDER BY f.epsilon) FROM map AS f WHERE f.asked = m.name),
	CASE WHEN guarantee = 'none' THEN ARRAY[NULL::float8] ELSE '{1, 10}' END, format('%s: at each epsilon, or without one', name)) FROM method AS m ORDER BY name;
SELECT is((SELECT array_agg(DISTINCT f.method) FROM map AS f WHERE f.asked = m.name), ARRAY[name], format('%s: by its name', name)) FROM method AS m ORDER BY name;
SELECT is((SELECT array_agg(DISTINCT f.value) FROM map AS f WHERE f.asked = m.name AND f.measure = 'rows_synthetic'), '{200}', format('%s: so many rows', name)) FROM method AS m ORDER BY name;
SELECT is((SELECT count(*) FROM map AS f WHERE f.asked = m.name AND f.measure = 'tv2_mean' AND f.value BETWEEN 0 AND 1), CASE WHEN guarantee = 'none' THEN 2 ELSE 4 END::bigint,
	format('%s: a trial for each epsilon and replicate', name)) FROM method AS m ORDER BY name;

-- each trial has noise, or draws, of its own, and none has a guarantee
SELECT cmp_ok((SELECT count(DISTINCT f.value) FROM pegs_ru_map('visit', '{1}', 100, columns => '{age, days, again}', replicates => 20, methods => ARRAY[m.name]) AS f WHERE f.measure = 'tv2_mean'), '>', 1::bigint,
	format('%s: at fresh randomness', name)) FROM method AS m ORDER BY name;
SELECT is((SELECT array_agg(DISTINCT f.guarantee) FROM map AS f), '{none}', 'no guarantee, whatever was tried');

---- the same, where persons are protected
SELECT pegs_set_unit('visit', 'who');
SELECT is((SELECT count(DISTINCT f.value) FROM pegs_ru_map('visit', '{1}', 20, columns => '{age, days, again}', methods => ARRAY[m.name]) AS f WHERE f.measure = 'rows_synthetic'), 1::bigint,
	format('%s: of persons', name)) FROM method AS m ORDER BY name;
SELECT pegs_set_unit('visit', NULL);

---- they are what they are called
CREATE FUNCTION off(method text, epsilon float8, block bigint, delta float8, replicates int) RETURNS float8 LANGUAGE sql AS $$
SELECT avg(f.value) FROM pegs_ru_map('visit', ARRAY[$2], 1000, block => $3, columns => '{age, days, again}', parents => '{"days": ["age"]}', delta => $4, methods => ARRAY[$1], replicates => $5) AS f
WHERE f.measure = 'tv2_mean' $$;
SELECT cmp_ok(off('table', 1000, 1, 0, 1), '<', 0.02::float8, 'table, almost without noise: all of it is kept');
SELECT cmp_ok(off('graph', 1000, 1, 0, 1), '<', 0.05::float8, 'graph: likewise');
SELECT cmp_ok(off('pegs', 1, 1, 0, 1), '>', 0.15::float8, 'pegs: a row pays for itself');
-- one table has less noise without delta; many draws have less with it
SELECT cmp_ok(off('table', 0.5, 1, 1e-9, 10), '<', 0.05::float8, 'table takes no delta where it would cost');
SELECT cmp_ok(off('pegs', 10, 1, 1e-9, 3), '<', 0.6 * off('PeGS', 10, 1, 1e-9, 3), 'pegs takes it where it helps; PeGS is pure, as in the paper');
SELECT cmp_ok(off('PeGS.rs', 100, 1000, 0, 1), '>', 2 * off('PeGS', 100, 1000, 0, 1), 'PeGS.rs has blocks, which use cells up; PeGS has none');

---- several in one call; what is refused
SELECT is((SELECT array_agg(DISTINCT f.method COLLATE "C" ORDER BY f.method COLLATE "C") FROM pegs_ru_map('visit', '{1}', 10, columns => '{days, again}', methods => '{PeGS, table, fit once, graph, table}') AS f),
	'{PeGS,fit once,graph,table}', 'old names and new ones');
SELECT cmp_ok(max(value) FILTER (WHERE method <> 'PeGS'), '<', 0.05::float8, 'each by its own counts')
FROM pegs_ru_map('visit', '{1000}', 1000, columns => '{age, days, again}', methods => '{PeGS, table, fit once, graph}') WHERE measure = 'tv2_mean';
SELECT is((SELECT count(*) FROM pegs_ru_map('visit', '{1001}', 10, columns => '{days, again}', methods => '{table}')), 0::bigint, 'no fit takes so much');
-- one that has no rows so cheap does not end the map (what is said: sql/methods.sql)
SELECT is((SELECT array_agg(DISTINCT concat_ws(' ', f.method, f.epsilon) ORDER BY concat_ws(' ', f.method, f.epsilon)) FROM pegs_ru_map('visit', '{1e-9, 1}', 100000, columns => '{days, again}', methods => '{PeGS, graph, table}') AS f),
	'{PeGS 1,graph 1,table 1,table 1e-09}', 'a method that has no rows at an epsilon leaves all others their own');
SELECT throws_ok($$SELECT pegs_ru_map('visit', '{1}', methods => '{tables}')$$, '22023', 'there is no method "tables"', 'no such method');
SELECT throws_ok($$SELECT pegs_ru_map('visit', '{1}', columns => '{days}', methods => '{pegs l-diverse}')$$, '22023', 'the map cannot try method "pegs l-diverse": a fit of it needs an option', 'one that needs an option');
CREATE TABLE wide (a int, b int, c int);
SELECT pegs_set_bins('wide', c, (SELECT array_agg(i::text) FROM generate_series(0, 500) AS i)) FROM unnest('{a, b, c}'::name[]) AS c;
SELECT throws_ok($$SELECT pegs_ru_map('wide', '{1}', 10, methods => '{table}')$$, '54000', 'the declared domain is too large to count', 'too many cells for it');
SELECT lives_ok($$SELECT pegs_ru_map('wide', '{1}', 10, methods => '{graph}')$$, 'and not for others');
CREATE FUNCTION hint_of(call text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	hint text;
BEGIN
	EXECUTE call;
	RETURN 'no error';
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT;
	RETURN hint;
END $$;
INSERT INTO wide VALUES (-7, -7, -7);
SELECT is(hint_of($$SELECT pegs_ru_map('wide', '{1}', 10, methods => '{graph, table}')$$), $$columns => ARRAY['a', 'b'], or methods without 'table'; or declare fewer levels or wider bins.$$, 'which is said in words of the map, before a row is read');
DELETE FROM wide;
SELECT lives_ok($$SELECT pegs_ru_map('wide', '{1}', 10, columns => ARRAY['a', 'b'], methods => '{table}')$$, 'and helps');
SELECT is(hint_of($$SELECT pegs_ru_map('wide', '{1}', 10, methods => '{graph, pmse}')$$), $$columns => ARRAY['a', 'b'], or methods without 'pmse'.$$, 'likewise of what else a method cannot fit');
SELECT lives_ok($$SELECT pegs_ru_map('wide', '{1}', 10, columns => ARRAY['a', 'b'], methods => '{pmse}')$$, 'and helps');
SELECT is((SELECT string_agg(name, ', ') FROM method WHERE strpos(hint_of($$SELECT pegs_ru_map('visit', '{1}', methods => '{tables}')$$), quote_literal(name)) = 0), NULL, 'the hint has every name that can be tried');

---- the report has a line for the method that made the rows, in words
SELECT pegs_fit('of table', 'visit', '{days, again}', epsilon => 1, method => 'table'), pegs_fit('of graph', 'visit', '{days, again}', epsilon => 1), pegs_release('of its rows', 'of table', 50);
CREATE TABLE page AS SELECT n, pegs_report(n, options => '{"epsilons": [1, 2]}') AS html FROM unnest(ARRAY['of table', 'of graph', 'of its rows']) AS n;
SELECT is((SELECT count(*) FROM regexp_matches(html, '<title>full table, epsilon [12]: ', 'g')), 2::bigint, format('%s: a point for each epsilon', n)) FROM page WHERE n <> 'of graph';
SELECT ok(html LIKE '%The fourth is the method that made these rows (table).%class="m4"%</svg>full table</li>%<th class="n">full table</th>%', 'in the key and the numbers') FROM page WHERE n = 'of its rows';
SELECT ok(html LIKE '%class="m3"%' AND html NOT LIKE '%class="m4"%' AND html NOT LIKE '%The fourth%', 'graph has its line already') FROM page WHERE n = 'of graph';
SELECT alike(html, '%</svg>chosen pairs and triples</li>%</svg>column by column, each block pays</li>%</svg>column by column, each row pays</li>%', 'the other three in words, too') FROM page WHERE n = 'of graph';
-- rows of a sealed model are a page, too, whatever the method: one that has no parents has none on its map
CREATE FUNCTION has_map(method text, paid_at_fit boolean) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
	PERFORM pegs_fit(format('mapped %s', method), 'visit', '{days, again}', epsilon => CASE WHEN paid_at_fit THEN 0.01 END, method => method, parents => CASE WHEN method = 'pegs' THEN '{}'::jsonb END);
	PERFORM pegs_release(format('rows of mapped %s', method), format('mapped %s', method), 20, epsilon => CASE WHEN paid_at_fit THEN NULL ELSE 0.01 END);
	RETURN pegs_report(format('rows of mapped %s', method), options => '{"epsilons": [1]}') LIKE '%<section id="map">%';
END $$;
SELECT is((SELECT array_agg(name || CASE WHEN has_map(name, guarantee = 'differential privacy') THEN '' ELSE ': no map' END) FROM method WHERE guarantee NOT LIKE 'none%' ORDER BY 1),
	(SELECT array_agg(name) FROM method WHERE guarantee NOT LIKE 'none%' ORDER BY 1), 'the report of a release has its map, by whatever method');
SELECT is_empty($$SELECT title FROM pegs_internal.report_titles() GROUP BY title HAVING count(*) > 1 AND title <> 'chosen pairs and triples'$$, 'every form has a title of its own, but for graph, which is "fit once"');
SELECT * FROM finish();
