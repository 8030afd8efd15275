-- demo/faults.sql: docs/faults.md starts here, with a budget and a sealed model.
\set page faults
\ir page.sql
CREATE EXTENSION pegs;
SELECT pegs_set_budget('discharges', epsilon => 3);
SELECT pegs_fit('sealed', 'discharges', ARRAY['sex', 'sev', 'cat'], parents => '{"cat": ["sev"]}');
\ir ready.sql
