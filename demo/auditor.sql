-- demo/auditor.sql: docs/auditor.md starts here. What the owner of the table has done; then you are the owner, hospital.
\set page auditor
\ir page.sql
CREATE EXTENSION pegs;
\ir facts.sql
ALTER TABLE discharges OWNER TO hospital;
ALTER TABLE dispositions OWNER TO hospital;
GRANT CREATE ON SCHEMA public TO hospital;
SELECT pegs_allow('hospital');
SET ROLE hospital;
SELECT pegs_set_budget('discharges', epsilon => 3, delta => 1e-8, accounting => 'sum');
SELECT pegs_fit('discharge', 'discharges', ARRAY['age', 'sex', 'pay', 'sev'], epsilon => 1, delta => 1e-9);
SELECT pegs_fit('sealed', 'discharges', ARRAY['age', 'sex', 'mdc'], structure_epsilon => 0.1);
SELECT pegs_release('ten', 'sealed', 10, epsilon => 0.2, block => 10);
BEGIN;
SELECT count(*) FROM pegs_sample('sealed', 5, epsilon => 0.05, block => 5) AS t(age int);
ROLLBACK;
SELECT count(*) FROM pegs_sample('sealed', 5, epsilon => 0.05, block => 5) AS t(age int);
\ir ready.sql
