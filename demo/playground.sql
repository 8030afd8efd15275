-- demo/playground.sql: what there is to play with in the server of make playground.
\o /dev/null
SET client_min_messages = warning;
CREATE ROLE hospital;
CREATE ROLE analyst;
CREATE EXTENSION pegs;
\ir discharge.sql
SELECT make_discharges(10000);
\ir facts.sql
ALTER TABLE discharges OWNER TO hospital;
ALTER TABLE dispositions OWNER TO hospital;
GRANT CREATE ON SCHEMA public TO hospital;
SELECT pegs_set_budget('discharges', epsilon => 3, delta => 1e-8);
SELECT pegs_fit('discharge', 'discharges', epsilon => 1, delta => 1e-9);
SELECT pegs_release('discharges_2026', 'discharge', 10000);
SELECT pegs_grant('discharge', 'public');
SELECT pegs_grant('discharges_2026', 'public');
CREATE VIEW discharges_public AS SELECT * FROM pegs_rows_as(NULL::discharges, 'discharges_2026');
GRANT SELECT ON discharges_public TO PUBLIC;
