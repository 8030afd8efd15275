-- demo/analyst.sql: docs/analyst.md starts here. What the owner of the table has done already; then you are analyst.
\set page analyst
\ir page.sql
CREATE EXTENSION pegs;
\ir facts.sql
SELECT pegs_set_budget('discharges', epsilon => 10, delta => 1e-8);

-- a perturbed model, and a view of its rows that everyone may read
SELECT pegs_fit('discharge', 'discharges', epsilon => 5, delta => 1e-9);
SELECT pegs_grant('discharge', 'public');
CREATE VIEW discharges_public AS SELECT * FROM pegs_sample_as(NULL::discharges, 'discharge', 2000);
GRANT SELECT ON discharges_public TO PUBLIC;

-- a sealed model, up to epsilon 0.5
SELECT pegs_fit('sealed', 'discharges', ARRAY['age', 'sex', 'mdc'], parents => '{"mdc": ["age", "sex"]}');
SELECT pegs_grant('sealed', 'analyst', epsilon => 0.5);

-- five fits, and independent rows of each
SELECT pegs_fit('part ' || i, 'discharges', ARRAY['sex', 'sev'], epsilon => 0.5, delta => 1e-9) FROM generate_series(1, 5) AS i;
SELECT pegs_release('part_' || i, 'part ' || i, 2000, options => '{"draw": "independent"}') FROM generate_series(1, 5) AS i;
SELECT pegs_grant('part_' || i, 'public') FROM generate_series(1, 5) AS i;
\ir ready.sql
SET ROLE analyst;
