-- demo/patients.sql: related tables for demo/demo.sql: 10,000 invented patients, none to four discharges of each, none to three
-- procedures of each of those. Old patients come more often and stay longer, and who stays long has a catheter.
CREATE TABLE patients (patient int PRIMARY KEY, sex text NOT NULL CHECK (sex IN ('F', 'M')), age text NOT NULL CHECK (age IN ('0-19', '20-64', '65+')));
CREATE TABLE stays (stay int PRIMARY KEY, patient int NOT NULL REFERENCES patients, ward text NOT NULL CHECK (ward IN ('births', 'surgery', 'medicine')),
	days text NOT NULL CHECK (days IN ('1', '2-4', '5+')));
CREATE TABLE procedures (stay int NOT NULL REFERENCES stays, line int, what text NOT NULL CHECK (what IN ('scan', 'suture', 'catheter')), PRIMARY KEY (stay, line));
SELECT setseed(0.25);
INSERT INTO patients SELECT i, CASE WHEN random() < 0.52 THEN 'F' ELSE 'M' END, (ARRAY['0-19', '20-64', '65+'])[1 + floor(3 * random())] FROM generate_series(1, 10000) AS i;
INSERT INTO stays
SELECT row_number() OVER (), patient, CASE WHEN sex = 'F' AND age = '20-64' AND random() < 0.5 THEN 'births' WHEN random() < 0.4 THEN 'surgery' ELSE 'medicine' END,
	CASE WHEN random() < CASE age WHEN '65+' THEN 0.7 ELSE 0.2 END THEN '5+' WHEN random() < 0.5 THEN '2-4' ELSE '1' END
FROM (SELECT *, floor((CASE age WHEN '65+' THEN 5 ELSE 3 END) * random())::int AS stays FROM patients) AS p, generate_series(1, stays);
INSERT INTO procedures
SELECT stay, line, CASE WHEN ward = 'surgery' AND random() < 0.6 THEN 'suture' WHEN random() < CASE days WHEN '5+' THEN 0.8 ELSE 0.1 END THEN 'catheter' ELSE 'scan' END
FROM (SELECT *, floor((CASE ward WHEN 'surgery' THEN 4 ELSE 2 END) * random())::int AS procedures FROM stays) AS s, generate_series(1, procedures) AS line;
