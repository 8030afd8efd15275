-- Rows of one hash: 64 of 128 rows of a parent are kept, and which these are is a matter of their keys, not of how the table is stored.
-- Claim P35. The 128 keys are made so that their text has one 64-bit hash (hash_bytes_extended by seed 1): seven pairs of 24 bytes, one
-- after the other, of which either leads to the same state.
SET client_min_messages = warning;
CREATE EXTENSION pegs;
SELECT plan(3);

CREATE TABLE person (id int PRIMARY KEY, sex text NOT NULL CHECK (sex IN ('F', 'M')));
CREATE TABLE stay (k text, unit int, person int NOT NULL REFERENCES person, ward text NOT NULL CHECK (ward IN ('A', 'B')), PRIMARY KEY (k, unit));
CREATE TABLE drug (k text, unit int, level text NOT NULL CHECK (level IN ('first', 'last')), FOREIGN KEY (k, unit) REFERENCES stay);
CREATE TABLE name AS SELECT k, row_number() OVER (ORDER BY k COLLATE "C") AS n FROM (SELECT concat(a, b, c, d, e, f, g) AS k
	FROM unnest('{1IOMmP38tVxw9OqAVKb2Z50,K5qxQLmGC9wRqzNXZgVx3tv}'::text[]) AS a, unnest('{BR5LAeaSVgE8di315wMv05p0,DRR99mNsMKGZlwxrt0m9zhIz}'::text[]) AS b,
	unnest('{GZ1s7CnmLQ3yptE9gvX1LthR,fIQboRYeodVnG6ncT1YtaP2d}'::text[]) AS c, unnest('{moy7FOfYyCNQnbAZO5kAn3B1,wSy0JHvXZz8v2jd5zuLmAwn3}'::text[]) AS d,
	unnest('{2WPfuehB5VuTQyQXdHg19zFt,OVYKrXl629fdBJ2xhylCfhJ1}'::text[]) AS e, unnest('{NkUiU50Zs3ftbMPxzfwna9eT,R0nhaUiPrip2qJrA929S6wId}'::text[]) AS f,
	unnest('{GYaEWDvxO8y7N8BN94pDm6uN,Qiz4WPiIYal8LtJFvcRJOr7p}'::text[]) AS g) AS t;
INSERT INTO person SELECT p, CASE WHEN p % 2 = 0 THEN 'F' ELSE 'M' END FROM generate_series(100001, 100100) AS p;
-- the last key first
INSERT INTO stay SELECT k, id, id, 'A' FROM person, name ORDER BY id, n DESC;
INSERT INTO drug SELECT k, id, CASE WHEN n <= 64 THEN 'first' ELSE 'last' END FROM person, name;
SELECT is((SELECT array_agg(DISTINCT (keys, hashes)) FROM (SELECT count(*) AS keys, count(DISTINCT hashtextextended(ROW(k, unit)::text COLLATE "C", 1)) AS hashes
	FROM stay GROUP BY unit) AS t)::text, '{"(128,1)"}', '128 keys of one hash');
SELECT pegs_set_parent('stay', 'person', children => '{0, 1, 100}', at_most => 150);
SELECT pegs_set_parent('drug', 'stay', children => '{0, 1}', at_most => 1);
SELECT pegs_set_budget('person', 1000);
SELECT lives_ok($$SELECT pegs_fit_schema('m', 'person', epsilon => 1000)$$, 'fitted');
SELECT cmp_ok((SELECT avg((level = 'first')::int) FROM pegs_sample('m', 100, options => '{"table": "drug"}') AS t(level text)), '>', 0.9, 'kept are those whose keys come first');
SELECT * FROM finish();
