-- What the README says of installing, updating and removing, in an empty database.
SET client_min_messages = warning;
CREATE EXTENSION pegs;
SELECT extversion FROM pg_extension WHERE extname = 'pegs';
-- prints: VERSION
CREATE TABLE visit (ward text NOT NULL CHECK (ward IN ('A', 'B')), ill boolean NOT NULL);
INSERT INTO visit SELECT CASE WHEN i % 3 = 0 THEN 'A' ELSE 'B' END, i % 2 = 0 FROM generate_series(1, 1000) AS i;
SELECT pegs_set_budget('visit', epsilon => 1, delta => 1e-9) \g /dev/null
SELECT pegs_fit('m', 'visit', epsilon => 1, delta => 1e-9) \g /dev/null
SELECT count(*), count(DISTINCT ward) FROM pegs_sample('m', 100) AS t(ward text, ill boolean);
-- prints: 100|2
DROP EXTENSION pegs CASCADE;
CREATE EXTENSION pegs VERSION '0.1.0';
ALTER EXTENSION pegs UPDATE;
SELECT extversion FROM pg_extension WHERE extname = 'pegs';
-- prints: VERSION
DROP EXTENSION pegs CASCADE;
SELECT count(*) FROM pg_proc WHERE proname LIKE 'pegs%';
-- prints: 0
