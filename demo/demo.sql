-- demo.sql: from a confidential table to synthetic rows, on a server that is thrown away afterwards (make demo).
\set QUIET on
\pset footer off
\pset null '(null)'
SET client_min_messages = warning;
CREATE EXTENSION pegs;

\echo
\echo 1. A confidential table: 100,000 hospital discharges, made by SQL from a documented Bayesian network.
\ir discharge.sql
SELECT make_discharges(100000) AS rows;
SELECT typ, age, sex, race, patzip, los, pay, charge, mdc FROM discharges LIMIT 3;

\echo 2. Public facts: what may be known of a column without looking at the rows.
\o /dev/null
\ir facts.sql
\o
SELECT column_name, type, origin, cardinality(levels) AS levels FROM pegs_domain('discharges');

\echo 3. A budget. What is spent of it never comes back: not by ROLLBACK, not by kill -9.
SELECT pegs_set_budget('discharges', epsilon => 3, delta => 1e-8) \g /dev/null
SELECT * FROM pegs_budgets;

\echo 4. Fit once: epsilon 1 is spent here, and rows are free for ever.
\timing on
SELECT pegs_fit('discharge', 'discharges', epsilon => 1, delta => 1e-9) \g /dev/null
\echo    ... 100,000 synthetic rows:
CREATE TABLE synthetic AS SELECT * FROM pegs_sample_as(NULL::discharges, 'discharge', 100000);
\timing off
SELECT typ, age, sex, race, patzip, los, pay, charge, mdc FROM synthetic LIMIT 3;

\echo 5. How close? (The true column is for this demonstration; publishing it would cost privacy.)
SELECT o.pay, round(100 * o.share, 2) AS "true %", round(100 * s.share, 2) AS "synthetic %",
	o.charge AS "true median charge", s.charge AS "synthetic median charge"
FROM (SELECT pay, count(*) / 100000.0 AS share, round(percentile_cont(0.5) WITHIN GROUP (ORDER BY charge)) AS charge FROM discharges GROUP BY pay) o
LEFT JOIN (SELECT pay, count(*) / 100000.0 AS share, round(percentile_cont(0.5) WITHIN GROUP (ORDER BY charge)) AS charge FROM synthetic GROUP BY pay) s USING (pay)
ORDER BY o.share DESC;

\echo 6. A sealed model spends nothing when it is fitted; every sample of it pays (for few rows, or conditional draws).
SELECT pegs_fit('papers', 'discharges', parents => '{"charge": ["los"], "los": ["sev"], "mdc": ["age"], "pay": ["age"], "sev": ["mdc"]}') \g /dev/null
SELECT in_words FROM pegs_cost('papers', n => 10, epsilon => 1, block => 10);
SELECT typ, age, sex, pay, charge FROM pegs_sample_as(NULL::discharges, 'papers', 10, epsilon => 1, block => 10, given => '{"sex": "F"}') LIMIT 3;

\echo 7. Rolled back, and yet charged: the gap shows in the ledger.
BEGIN;
SELECT count(*) AS "rows seen" FROM pegs_sample_as(NULL::discharges, 'papers', 10, epsilon => 0.5, block => 10);
ROLLBACK;
SELECT role, action, object, epsilon_from, epsilon_to, remaining FROM pegs_ledger ORDER BY epsilon_to;

\echo 8. Publish: a view that anyone may read, free.
CREATE ROLE analyst;
SELECT pegs_release('discharge_2026', 'discharge', 100000) \g /dev/null
SELECT * FROM pegs_view_sql('discharge_2026', 'discharges_public') LIMIT 4 \g (format=unaligned tuples_only=on)
\echo ... (and a COMMENT for each column)
\o /dev/null
SELECT pegs_view_sql('discharge_2026', 'discharges_public') \gexec
\o
SET ROLE analyst;
SELECT sex, count(*) FROM discharges_public GROUP BY sex ORDER BY sex;
RESET ROLE;

\echo 9. Would you publish it? Exact numbers, for the owner alone; and what may go with the rows.
SELECT measure, round(value::numeric, 4) AS value FROM pegs_utility_of('discharge_2026', measures => ARRAY['tables'])
WHERE measure IN ('tv1_mean', 'tv2_mean', 'tv2_max', 'kendall_tau_mean');
SELECT measure, round(value::numeric, 2) AS value FROM pegs_disclosure_of('discharge_2026', keys => ARRAY['age', 'sex', 'patzip'], target => 'mdc')
WHERE measure IN ('repU', 'DiSCO', 'misclassified', 'misclassified_own');
SELECT pegs_certificate_text('discharge_2026') \g (format=unaligned tuples_only=on)
\echo '(pegs_report(''discharge_2026'') puts all of it on one page of HTML: docs/curator.md)'
\echo
\echo What it cost:
SELECT * FROM pegs_budgets;
