-- demo/schemas.sql: docs/schemas.md starts here: patients, their admissions and diagnoses, with nothing but their constraints.
\set page schemas
\ir page.sql
DROP TABLE discharges, dispositions CASCADE;
CREATE TABLE patient (id int PRIMARY KEY, sex text NOT NULL CHECK (sex IN ('F', 'M')));
CREATE TABLE admission (id int PRIMARY KEY, patient int NOT NULL REFERENCES patient, ward text NOT NULL CHECK (ward IN ('A', 'B', 'C')), surgery boolean NOT NULL);
INSERT INTO patient SELECT i, CASE WHEN i % 3 = 0 THEN 'M' ELSE 'F' END FROM generate_series(1, 6000) AS i;
INSERT INTO admission SELECT 10 * i + r, i, (ARRAY['A', 'B', 'C'])[1 + (i + r) % 3], r % 2 = 0 FROM generate_series(1, 6000) AS i, generate_series(1, i % 5) AS r;
CREATE TABLE diagnosis (admission int NOT NULL REFERENCES admission, line int, chapter text NOT NULL CHECK (chapter IN ('blood', 'bone', 'heart')), PRIMARY KEY (admission, line));
INSERT INTO diagnosis SELECT id, l, CASE ward WHEN 'A' THEN 'heart' WHEN 'B' THEN 'bone' ELSE 'blood' END FROM admission, generate_series(1, 1 + id % 2) AS l;
\ir ready.sql
