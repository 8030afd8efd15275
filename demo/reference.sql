-- demo/reference.sql: docs/reference.md starts here, with a budget.
\set page reference
\ir page.sql
CREATE EXTENSION pegs;
SELECT pegs_set_budget('discharges', epsilon => 10, delta => 1e-6);
\ir ready.sql
