-- demo/engine.sql: docs/engine.md starts here, with 20,000 rows and a budget.
\set page engine
\ir page.sql
SELECT make_discharges(20000);
CREATE EXTENSION pegs;
\ir facts.sql
SELECT pegs_set_budget('discharges', epsilon => 10, delta => 1e-8);
\ir ready.sql
