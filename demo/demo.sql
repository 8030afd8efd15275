-- demo.sql: from a confidential table to synthetic rows, on a server that is thrown away afterwards (make demo).
-- What it prints is at most 80 columns wide.
\set QUIET on
\pset footer off
\pset null '(null)'
\pset format wrapped
\pset columns 80
SET client_min_messages = warning;
CREATE EXTENSION pegs;
-- a long text in lines
CREATE FUNCTION pg_temp.fold(line text) RETURNS text LANGUAGE sql
AS $$ SELECT rtrim(regexp_replace(line, '(.{1,78})( +|$)', E'\\1\n', 'g'), E'\n') $$;

\echo
\echo '1. A confidential table: 100,000 hospital discharges, made by SQL from a'
\echo '   documented Bayesian network.'
\ir discharge.sql
SELECT make_discharges(100000) AS rows;
SELECT age, sex, patzip, los, pay, charge, mdc, sev FROM discharges LIMIT 3;

\echo '2. Public facts: what may be known of a column without looking at the rows.'
\o /dev/null
\ir facts.sql
\o
SELECT column_name, type, origin, n AS levels FROM pegs_domain('discharges');

\echo '3. A budget. What is spent never comes back: not by ROLLBACK, not by kill -9.'
SELECT pegs_set_budget('discharges', epsilon => 3, delta => 1e-8) \g /dev/null
SELECT source, epsilon, spent, remaining, delta, delta_spent FROM pegs_budgets;

\echo '4. Fit once: epsilon 1 is spent here, and rows are free for ever.'
\timing on
SELECT pegs_fit('discharge', 'discharges', epsilon => 1, delta => 1e-9) \g /dev/null
\echo '   ... 100,000 synthetic rows:'
CREATE TABLE synthetic AS SELECT * FROM pegs_sample_as(NULL::discharges, 'discharge', 100000);
\timing off
SELECT age, sex, patzip, los, pay, charge, mdc, sev FROM synthetic LIMIT 3;

\echo '5. How close? (The true columns are for this demonstration; publishing them'
\echo '   would cost privacy.)'
SELECT o.pay, round(100 * o.share, 2) AS "true %", round(100 * s.share, 2) AS "synthetic %",
	o.charge AS "true median", s.charge AS "synthetic median"
FROM (SELECT pay, count(*) / 100000.0 AS share, round(percentile_cont(0.5) WITHIN GROUP (ORDER BY charge)) AS charge FROM discharges GROUP BY pay) o
LEFT JOIN (SELECT pay, count(*) / 100000.0 AS share, round(percentile_cont(0.5) WITHIN GROUP (ORDER BY charge)) AS charge FROM synthetic GROUP BY pay) s USING (pay)
ORDER BY o.share DESC;
\echo '   (median: of the charge)'
\echo

\echo '6. A sealed model spends nothing when it is fitted; every sample of it pays'
\echo '   (for few rows, or conditional draws).'
SELECT pegs_fit('papers', 'discharges', parents => '{"charge": ["los"], "los": ["sev"], "mdc": ["age"], "pay": ["age"], "sev": ["mdc"]}') \g /dev/null
SELECT pg_temp.fold(in_words) FROM pegs_cost('papers', n => 10, epsilon => 1, block => 10) \g (format=unaligned tuples_only=on)
SELECT age, sex, pay, charge, mdc FROM pegs_sample_as(NULL::discharges, 'papers', 10, epsilon => 1, block => 10, given => '{"sex": "F"}') LIMIT 3;

\echo '7. Rolled back, and yet charged: the gap shows in the ledger.'
BEGIN;
SELECT count(*) AS "rows seen" FROM pegs_sample_as(NULL::discharges, 'papers', 10, epsilon => 0.5, block => 10);
ROLLBACK;
SELECT action, object, epsilon_from AS "from", epsilon_to AS "to", remaining FROM pegs_ledger ORDER BY epsilon_to;

\echo '8. Publish: a view that anyone may read, free.'
CREATE ROLE analyst;
SELECT pegs_release('discharge_2026', 'discharge', 100000) \g /dev/null
SELECT pg_temp.fold(line) FROM pegs_view_sql('discharge_2026', 'discharges_public') AS line LIMIT 4 \g (format=unaligned tuples_only=on)
\echo '... (and a COMMENT for each column)'
\o /dev/null
SELECT pegs_view_sql('discharge_2026', 'discharges_public') \gexec
\o
SET ROLE analyst;
SELECT sex, count(*) FROM discharges_public GROUP BY sex ORDER BY sex;
RESET ROLE;

\echo '9. Would you publish it? Exact numbers, for the owner alone; and what may go'
\echo '   with the rows.'
SELECT measure, round(value::numeric, 4) AS value FROM pegs_utility_of('discharge_2026', measures => ARRAY['tables'])
WHERE measure IN ('tv1_mean', 'tv2_mean', 'tv2_max', 'kendall_tau_mean');
SELECT measure, round(value::numeric, 2) AS value FROM pegs_disclosure_of('discharge_2026', keys => ARRAY['age', 'sex', 'patzip'], target => 'mdc')
WHERE measure IN ('repU', 'DiSCO', 'misclassified', 'misclassified_own');
SELECT pg_temp.fold(line) FROM regexp_split_to_table(pegs_certificate_text('discharge_2026'), '\n') AS line \g (format=unaligned tuples_only=on)
\echo '(pegs_report(\'discharge_2026\') puts all of it on one page of HTML:'
\echo 'docs/curator.md)'
\echo

\echo '10. Your own table in ten minutes (docs/start.md): nothing declared; a key, a'
\echo '    person, dates, money with many zeros, NULLs, free text.'
\o /dev/null
\ir orders.sql
\o
SELECT order_id, customer, ordered, town, items, amount, paid, note FROM orders LIMIT 3;
\echo 'What is typed. First what may be spent in all, and whose rows they are:'
\set ECHO queries
SELECT pegs_set_budget('orders', epsilon => 3, delta => 1e-6) \g /dev/null
SELECT pegs_set_unit('orders', 'customer', weighting => 'person') \g /dev/null
\set ECHO none
\echo 'What is to be declared? What nobody says is learnt, and charged:'
\echo 'SELECT pegs_propose(\'orders\', epsilon => 1, delta => 1e-7) \\gexec'
SELECT pg_temp.fold('    ' || regexp_replace(line, '; *-- .*', ';')) FROM pegs_propose('orders', epsilon => 1, delta => 1e-7) AS line \g (format=unaligned tuples_only=on)
\o /dev/null
SELECT pegs_propose('orders', epsilon => 1, delta => 1e-7) \gexec
\o
\echo 'The model, and a view that everybody may read:'
\set ECHO queries
SELECT pegs_fit('orders', 'orders', epsilon => 1.5, delta => 1e-9) \g /dev/null
\set ECHO none
\echo 'SELECT pegs_view_sql(\'orders\', \'orders_public\') \\gexec'
\o /dev/null
SELECT pegs_view_sql('orders', 'orders_public') \gexec
\o
\echo
SELECT column_name, coalesce(origin, 'none: ' || problem) AS "where its values are from", n AS levels FROM pegs_domain('orders');
SELECT ordered, town, items, amount, paid FROM orders_public LIMIT 3;
\echo 'Close? True beside synthetic, of a random order of a random customer:'
CREATE TEMP VIEW both_orders AS
SELECT true AS original, 1.0 / count(*) OVER (PARTITION BY customer) AS weight, ordered, town, items, amount, paid FROM orders
UNION ALL SELECT false, 1, * FROM orders_public;
CREATE TEMP VIEW orders_compared AS
SELECT no, what, round(sum(weight * value) FILTER (WHERE original) / sum(weight) FILTER (WHERE original), 1) AS "true",
	round(sum(weight * value) FILTER (WHERE NOT original) / sum(weight) FILTER (WHERE NOT original), 1) AS synthetic
FROM both_orders, LATERAL (VALUES
	(1, 'from Rome, %', 100 * (town IS NOT DISTINCT FROM 'Rome')::int),
	(2, 'from Graz, %', 100 * (town IS NOT DISTINCT FROM 'Graz')::int),
	(3, 'town is NULL, %', 100 * (town IS NULL)::int),
	(4, 'in 2025, %', 100 * (ordered >= '2025-01-01')::int),
	(5, 'paid, %', 100 * paid::int),
	(6, 'items, mean', items),
	(7, 'amount is 0, %', 100 * (amount = 0)::int),
	(8, 'amount, mean', amount),
	(9, 'amount, mean of those from Oslo', CASE WHEN town = 'Oslo' THEN amount END)) AS asked(no, what, value)
WHERE value IS NOT NULL GROUP BY no, what;
SELECT what, "true", synthetic FROM orders_compared ORDER BY no;

\echo '11. A table of 80 columns: 20,000 answers to 80 questions, in eight blocks that'
\echo '    each follow one opinion. Only its CHECKs say what an answer may be.'
\o /dev/null
\ir survey.sql
SELECT pegs_set_budget('survey', epsilon => 2, delta => 1e-6);
\o
\timing on
SELECT pegs_fit('survey', 'survey', epsilon => 1, delta => 1e-9) \g /dev/null
\echo '   ... 20,000 synthetic rows:'
CREATE TABLE answers AS SELECT * FROM pegs_sample_as(NULL::survey, 'survey', 20000);
\timing off
\echo
\echo 'Which of the 3,160 pairs of columns was epsilon spent on? And the answers to'
\echo 'two questions: how much do they still go together?'
CREATE TEMP VIEW survey_pairs AS
SELECT count(*) AS measured, count(*) FILTER (WHERE block[1] = block[2]) AS same_block
FROM (SELECT ARRAY(SELECT (substr(c, 2)::int - 1) / 10 FROM unnest(columns) AS c) AS block FROM pegs_pairs('survey')) AS pair;
CREATE TEMP TABLE survey_compared (rows text, "same block" numeric, "other block" numeric);
SELECT format('INSERT INTO survey_compared SELECT %L, round(((%s) / 72)::numeric, 2), round(((%s) / 80)::numeric, 2) FROM %I', CASE t WHEN 'survey' THEN 'true' ELSE 'synthetic' END,
	string_agg(format('corr(q%s, q%s)', i, i + 1), ' + ') FILTER (WHERE i % 10 > 0), string_agg(format('corr(q%s, q%s)', i, 1 + (i + 9) % 80), ' + '), t)
FROM unnest('{survey,answers}'::text[]) WITH ORDINALITY AS two(t, no), generate_series(1, 80) AS i GROUP BY t, no ORDER BY no \gexec
SELECT (SELECT count(*) FROM pegs_columns('survey')) AS columns, measured AS "pairs measured", same_block AS "of one block" FROM survey_pairs;
SELECT rows, "same block" AS "correlation, same block", "other block" AS "correlation, other block" FROM survey_compared;

\echo '12. Tables that belong together (docs/schemas.md): 10,000 patients, their stays,'
\echo '    the procedures of those. Who is protected is a patient, with all of it.'
\echo '    Whose rows are they, and how many? One budget, one fit, a copy of all:'
\o /dev/null
\ir patients.sql
\o
\set ECHO queries
SELECT pegs_set_parent('stays', 'patients', children => '{0, 1, 2, 3, 4}',
  at_most => 4) \g /dev/null
SELECT pegs_set_parent('procedures', 'stays', children => '{0, 1, 2, 3}',
  at_most => 3) \g /dev/null
SELECT pegs_set_budget('patients', epsilon => 3, delta => 1e-6) \g /dev/null
SELECT pegs_fit_schema('care', 'patients', epsilon => 1.5, delta => 1e-9) \g /dev/null
SELECT pegs_release('care_2026', 'care', 10000) \g /dev/null
\set ECHO none
\echo 'SELECT pegs_copy_sql(\'care_2026\', \'care_copy\') \\gexec'
\o /dev/null
SELECT pegs_copy_sql('care_2026', 'care_copy') \gexec
\o
\echo
\echo 'The copy has its primary and foreign keys, checked by the server:'
SELECT conrelid::regclass AS "table", regexp_replace(pg_get_constraintdef(oid), '^FOREIGN KEY .*REFERENCES', 'its rows belong to') AS "constraint"
FROM pg_constraint WHERE connamespace = 'care_copy'::regnamespace AND contype IN ('p', 'f') ORDER BY conrelid, contype DESC;
\echo 'A join of all three says what it says of the original: procedures of a patient,'
\echo 'and how many of them are a catheter, by age.'
CREATE TEMP VIEW both_care AS
SELECT true AS original, p.age, p.patient, r.what FROM patients AS p LEFT JOIN stays AS s USING (patient) LEFT JOIN procedures AS r USING (stay)
UNION ALL SELECT false, p.age, p.patient, r.what FROM care_copy.patients AS p LEFT JOIN care_copy.stays AS s USING (patient) LEFT JOIN care_copy.procedures AS r USING (stay);
CREATE TEMP VIEW care_compared AS
SELECT age, original, round(count(what)::numeric / count(DISTINCT patient), 2) AS procedures,
	round(100.0 * count(*) FILTER (WHERE what = 'catheter') / count(what)) AS catheters
FROM both_care GROUP BY age, original;
SELECT age, t.procedures AS "procedures: true", s.procedures AS synthetic, t.catheters AS "catheters, %: true", s.catheters AS synthetic
FROM care_compared AS t JOIN care_compared AS s USING (age) WHERE t.original AND NOT s.original ORDER BY age;

\echo 'What it cost:'
SELECT source, epsilon, spent, remaining, delta, delta_spent FROM pegs_budgets;
