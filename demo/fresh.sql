-- demo/fresh.sql: docs/fresh.md starts here. What the owner of the table has done; then you are the owner, hospital.
\set page fresh
\ir page.sql
CREATE EXTENSION pegs;
\ir facts.sql
ALTER TABLE discharges OWNER TO hospital;
ALTER TABLE dispositions OWNER TO hospital;
SELECT pegs_allow('hospital');
CREATE SCHEMA published AUTHORIZATION hospital;
GRANT USAGE ON SCHEMA published TO PUBLIC;
\ir ready.sql
SET ROLE hospital;
