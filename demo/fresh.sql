-- demo/fresh.sql: docs/fresh.md starts here. What the owner of the table has done; then you are the owner, hospital.
\set page fresh
\ir page.sql
CREATE EXTENSION pegs;
\ir facts.sql
ALTER TABLE discharges OWNER TO hospital;
ALTER TABLE dispositions OWNER TO hospital;
SELECT pegs_allow('hospital');
SET timezone = 'UTC';
CREATE TABLE calls (at timestamptz NOT NULL, about text NOT NULL CHECK (about IN ('bill', 'fault', 'other')));
INSERT INTO calls SELECT timestamptz '2026-01-01 00:00Z' + i * interval '3 minutes', (ARRAY['bill', 'fault', 'other'])[1 + i % 3] FROM generate_series(0, 21000) AS i;
ALTER TABLE calls OWNER TO hospital;
CREATE TABLE visits (region text NOT NULL, reason text NOT NULL CHECK (reason IN ('check', 'illness', 'other'))) PARTITION BY LIST (region);
CREATE TABLE visits_north PARTITION OF visits FOR VALUES IN ('north');
CREATE TABLE visits_south PARTITION OF visits FOR VALUES IN ('south');
INSERT INTO visits SELECT (ARRAY['north', 'south'])[1 + i % 2], (ARRAY['check', 'illness', 'other'])[1 + i % 3] FROM generate_series(1, 4000) AS i;
ALTER TABLE visits OWNER TO hospital;
ALTER TABLE visits_north OWNER TO hospital;
ALTER TABLE visits_south OWNER TO hospital;
CREATE SCHEMA published AUTHORIZATION hospital;
GRANT USAGE ON SCHEMA published TO PUBLIC;
\ir ready.sql
SET ROLE hospital;
