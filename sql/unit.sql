-- unit: a person with at most so many rows. What counts of a person, what it costs, and where it cannot be had.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS pegs;
CREATE SCHEMA regress_unit;
SET search_path = regress_unit, public;
CREATE ROLE regress_unit_owner;
CREATE ROLE regress_unit_curator IN ROLE regress_unit_owner;
CREATE ROLE regress_unit_analyst;
GRANT ALL ON SCHEMA regress_unit TO PUBLIC;
-- exact counts of a sealed model, which only the superuser of this test can read, as a state
CREATE FUNCTION unmasked(bytea) RETURNS bytea LANGUAGE c STRICT AS '$libdir/pegs', 'pegs_unmasked';
CREATE FUNCTION counts(name text) RETURNS pegs_state LANGUAGE sql AS
$$ SELECT unmasked(b.body)::text::pegs_state FROM pegs_internal.body b JOIN pegs_internal.model m ON m.id = b.model WHERE m.name = $1 $$;
CREATE FUNCTION same(a pegs_state, b pegs_state) RETURNS boolean LANGUAGE sql AS $$ SELECT a::text = b::text $$;

-- person i of 1..20 has i rows, all alike; two rows have no person
CREATE TABLE visit (person int, ward text NOT NULL CHECK (ward IN ('A', 'B', 'C')), male boolean NOT NULL, age int NOT NULL, note json, at point);
ALTER TABLE visit OWNER TO regress_unit_owner;
INSERT INTO visit SELECT i, (ARRAY['A', 'B', 'C'])[1 + i % 3], i % 2 = 0, 5 * (i % 4) FROM generate_series(1, 20) AS i, generate_series(1, i);
INSERT INTO visit VALUES (NULL, 'A', true, 5), (NULL, 'B', true, 5);
SELECT pegs_set_bins('visit', 'age', ARRAY['0', '10', '20']), pegs_set_levels('visit', 'person', ARRAY(SELECT i::text FROM generate_series(1, 20) AS i)), pegs_set_budget('visit', 1000000, 1e-6, 'sum');

---- arguments (those that are refused alone: test/pgtap/arguments.sql)
SELECT count(*) FROM pegs_internal.unit WHERE source = 'visit'::regclass;
ALTER TABLE visit DROP COLUMN note, DROP COLUMN at;

---- at most max_rows rows of each person; those without a person are left out
CREATE FUNCTION first_rows(k int) RETURNS SETOF visit LANGUAGE sql AS
$$ SELECT person, ward, male, age FROM (SELECT *, row_number() OVER (PARTITION BY person) AS n FROM visit WHERE person IS NOT NULL) AS v WHERE n <= k $$;
SELECT pegs_spec('visit', parents => '{"ward": ["male", "age"], "age": ["person"]}') AS spec \gset
CREATE FUNCTION fitted(k int) RETURNS pegs_state LANGUAGE plpgsql AS $$
BEGIN
	PERFORM pegs_set_unit('visit', 'person', k);
	PERFORM pegs_fit('rows ' || k, 'visit', parents => '{"ward": ["male", "age"], "age": ["person"]}');
	RETURN counts('rows ' || k);
END $$;
SELECT k, same(fitted(k), (SELECT pegs_agg(:'spec', person, ward, male, age) FROM first_rows(k))) AS right_counts FROM unnest(ARRAY[1, 2, 3, 7, 19, 20, 21, 1000]) AS k;
-- the default is one
SELECT pegs_set_unit('visit', 'person');
SELECT pegs_fit('default', 'visit', parents => '{"ward": ["male", "age"], "age": ["person"]}');
SELECT same(counts('default'), counts('rows 1')) AS one_row;
-- the person need not be a column of the model
SELECT pegs_set_unit('visit', 'person', 3);
SELECT pegs_fit('without', 'visit', columns => ARRAY['male', 'ward'], parents => '{}');
SELECT same(counts('without'), (SELECT pegs_agg((SELECT pegs_spec('visit', columns => ARRAY['male', 'ward'], parents => '{}')), male, ward) FROM first_rows(3))) AS right_counts;
-- with so much epsilon the noisy counts are near: 57 rows of 20 persons
SELECT pegs_fit('perturbed', 'visit', epsilon => 1000);
SELECT round((pegs_describe('perturbed')->>'rows')::numeric) BETWEEN 55 AND 59 AS rows;
SELECT count(*) FILTER (WHERE n BETWEEN least(person, 3) - 1 AND least(person, 3) + 1) AS near, sum(n) FILTER (WHERE person IS NULL) AS nobody FROM (SELECT person, count(*) AS n FROM pegs_sample('perturbed', 57) AS t(person int) GROUP BY person) AS x;

---- a person's rows are chosen by these rows alone
CREATE TABLE many (id bigint GENERATED ALWAYS AS IDENTITY, name text, a int NOT NULL CHECK (a IN (0, 1, 2, 3, 4, 5, 6, 7)), d date NOT NULL, f float8 NOT NULL, group_of int NOT NULL);
INSERT INTO many (name, a, d, f, group_of) SELECT 'person ' || i % 300, i * 7919 % 8, '2024-01-01'::date + i * 31 % 300, (i * 17 % 100) / 7.0, i % 300 % 3 FROM generate_series(1, 3000) AS i;
SELECT pegs_set_bins('many', 'd', ARRAY['2024-01-01', '2024-04-01', '2024-07-01', '2024-12-31']), pegs_set_bins('many', 'f', ARRAY['0', '5', '10', '20']), pegs_set_budget('many', 1000000);
SELECT pegs_set_unit('many', 'name', 4);
CREATE VIEW first_third AS SELECT name, a, d, f FROM many WHERE group_of = 0;
CREATE VIEW second_third AS SELECT name, a, d, f FROM many WHERE group_of = 1;
CREATE VIEW both_thirds AS SELECT name, a, d, f FROM many WHERE group_of IN (0, 1);
SELECT pegs_fit(v || '', v, columns => ARRAY['a', 'd', 'f'], parents => '{"a": ["d", "f"], "d": ["f"]}') FROM unnest(ARRAY['first_third', 'second_third', 'both_thirds']) AS v;
SELECT same(counts('both_thirds'), pegs_merge(s)) AS other_persons_have_no_say FROM (SELECT counts('first_third') AS s UNION ALL SELECT counts('second_third')) AS x;
-- nor has the order of the rows, the plan, or the session's notation
CREATE TABLE shuffled (LIKE many INCLUDING ALL);
INSERT INTO shuffled (name, a, d, f, group_of) SELECT name, a, d, f, group_of FROM many ORDER BY md5(id::text);
SELECT pegs_set_bins('shuffled', 'd', ARRAY['2024-01-01', '2024-04-01', '2024-07-01', '2024-12-31']), pegs_set_bins('shuffled', 'f', ARRAY['0', '5', '10', '20']), pegs_set_unit('shuffled', 'name', 4);
SELECT pegs_fit('whole', 'many', columns => ARRAY['a', 'd', 'f'], parents => '{"a": ["d", "f"], "d": ["f"]}'), pegs_fit('shuffled', 'shuffled', columns => ARRAY['a', 'd', 'f'], parents => '{"a": ["d", "f"], "d": ["f"]}');
SELECT same(counts('whole'), counts('shuffled')) AS same;
SET datestyle = 'German';
SET extra_float_digits = -10;
SELECT pegs_fit('notation', 'many', columns => ARRAY['a', 'd', 'f'], parents => '{"a": ["d", "f"], "d": ["f"]}');
SELECT same(counts('whole'), counts('notation')) AS same;
RESET datestyle;
RESET extra_float_digits;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET enable_hashagg = off;
SELECT pegs_fit('parallel', 'many', columns => ARRAY['a', 'd', 'f'], parents => '{"a": ["d", "f"], "d": ["f"]}');
SELECT same(counts('whole'), counts('parallel')) AS same;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;
RESET enable_hashagg;
-- they are rows of the table: four of each person's ten, none of them made up
SELECT pegs_set_levels('many', 'name', ARRAY(SELECT 'person ' || i FROM generate_series(0, 299) AS i));
SELECT pegs_fit('named', 'many', columns => ARRAY['name', 'a'], epsilon => 1000);
SELECT count(*) = count(*) FILTER (WHERE n BETWEEN 3 AND 5) AS four_each FROM (SELECT count(*) AS n FROM pegs_sample('named', 1200) AS t(name text) GROUP BY name) AS x;
-- a column by which persons cannot be told apart after all is one person
SELECT pegs_set_unit('many', 'group_of', 4);
SELECT pegs_fit('three persons', 'many', columns => ARRAY['a'], epsilon => 1000);
SELECT (pegs_describe('three persons')->>'rows')::numeric BETWEEN 10 AND 14 AS twelve_rows;
-- NULL where the data may be NULL, NaN, -0: as the type's own equality says
CREATE TABLE odd (who float8, a boolean NOT NULL);
INSERT INTO odd VALUES ('NaN', true), ('NaN', true), (0, true), ('-0', true), (NULL, true), (NULL, true), ('Infinity', true);
SELECT pegs_set_unit('odd', 'who', 1);
SELECT pegs_fit('odd', 'odd', columns => ARRAY['a'], parents => '{}');
SELECT same(counts('odd'), pegs_agg((SELECT pegs_spec('odd', columns => ARRAY['a'], parents => '{}')), true)) AS three_persons FROM generate_series(1, 3);
-- every row without a person: the empty table
CREATE TABLE nobody (who uuid, a boolean NOT NULL);
INSERT INTO nobody SELECT NULL, true FROM generate_series(1, 100);
SELECT pegs_set_unit('nobody', 'who', 5), pegs_set_budget('nobody', 10);
SELECT pegs_fit('nobody', 'nobody', columns => ARRAY['a'], parents => '{}'), pegs_fit('nobody perturbed', 'nobody', columns => ARRAY['a'], epsilon => 1);
TRUNCATE nobody;
SELECT pegs_fit('nobody empty', 'nobody', columns => ARRAY['a'], parents => '{}');
SELECT same(counts('nobody'), counts('nobody empty')) AS same;
SELECT count(*) FROM pegs_sample('nobody perturbed', 10) AS t(a boolean);

---- what it costs: every mechanism runs at epsilon / max_rows
SELECT pegs_set_unit('visit', NULL);
SELECT pegs_fit('one row', 'visit', parents => '{}');
SELECT pegs_set_unit('visit', 'person', 4);
SELECT pegs_fit('four rows', 'visit', parents => '{}');
SELECT pegs_set_unit('visit', 'person', 1);
SELECT pegs_fit('one of a person', 'visit', parents => '{}');
SELECT n, block, a.alpha = b.alpha AS a_quarter, a.alpha > c.alpha AS more_noise, c.alpha = d.alpha AS one_costs_one, a.charged
FROM (VALUES (1, 1), (1, 100), (10, 1), (1000, 7), (100000, 100000)) AS x(n, block), LATERAL pegs_cost('four rows', n, 2, block) AS a, LATERAL pegs_cost('one row', n, 0.5, block) AS b,
	LATERAL pegs_cost('one row', n, 2, block) AS c, LATERAL pegs_cost('one of a person', n, 2, block) AS d;
-- one over expm1(epsilon / (blocks * columns * rows)), rounded up
SELECT alpha >= 1 / (exp(2.0 / (10 * 4 * 4)) - 1) AS not_less, alpha - 1 / (exp(2.0 / (10 * 4 * 4)) - 1) < 2 * 2.0 ^ -16 AS not_much_more FROM pegs_cost('four rows', 10, 2);
-- the charge is what was asked for
SELECT spent FROM pegs_budgets WHERE source = 'visit'::regclass;
SELECT count(*) FROM pegs_sample('four rows', 10, epsilon => 2) AS t(ward text);
SELECT spent FROM pegs_budgets WHERE source = 'visit'::regclass;
-- a person of many rows makes a small epsilon too small
SELECT pegs_set_unit('visit', 'person', 1000);
SELECT pegs_fit('thousand', 'visit', parents => '{}');
SELECT alpha > 0 AS alpha FROM pegs_cost('one row', 100000000, 0.001);
SELECT alpha > 0 AS alpha FROM pegs_cost('thousand', 100000000, 0.001);
SELECT count(*) FROM pegs_sample('four rows', 1000, epsilon => 1, delta => 1e-9) AS t(ward text);
SELECT delta_spent FROM pegs_budgets WHERE source = 'visit'::regclass;
-- the noise of a perturbed model: its standard deviation times max_rows
SELECT pegs_set_unit('visit', 'person', 10), pegs_fit('noisy', 'visit', columns => ARRAY['male', 'ward'], epsilon => 10), pegs_fit('noisy gauss', 'visit', columns => ARRAY['male', 'ward'], epsilon => 10, delta => 1e-9);
SELECT pegs_set_unit('visit', NULL), pegs_fit('quiet', 'visit', columns => ARRAY['male', 'ward'], epsilon => 10), pegs_fit('quiet gauss', 'visit', columns => ARRAY['male', 'ward'], epsilon => 10, delta => 1e-9);
SELECT name, d->'epsilon' AS epsilon, d->'delta' AS delta, (d->'budget')::numeric = (quiet->'budget')::numeric AS same_budget, (d->'spent')::numeric <= (d->'budget')::numeric AS within
FROM (VALUES ('noisy', 'quiet'), ('noisy gauss', 'quiet gauss')) AS x(name, other), LATERAL pegs_describe(name) AS d, LATERAL pegs_describe(other) AS quiet;

---- what is said about it
SELECT name, d->'neighbours' AS neighbours, d->'unit' AS unit FROM unnest(ARRAY['one row', 'four rows', 'noisy', 'quiet']) AS name, LATERAL pegs_describe(name) AS d;
-- a person's only row may give way to another one of theirs: that is not "add or remove one row"
SELECT pegs_describe('one of a person')->'neighbours' AS neighbours, pegs_describe('default')->'neighbours' AS neighbours_too;
SELECT name, kind, unit FROM pegs_models WHERE source = 'visit'::regclass ORDER BY name;
SELECT pegs_release('kept', 'four rows', 5, epsilon => 1);
SELECT pegs_describe('kept')->'neighbours' AS neighbours, pegs_describe('kept')->'unit' AS unit;
-- a model keeps the unit it was fitted with
SELECT pegs_set_unit('visit', 'person', 2);
SELECT a.alpha = b.alpha AS a_quarter FROM pegs_cost('four rows', 10, 2) AS a, pegs_cost('one row', 10, 0.5) AS b;
SELECT unit FROM pegs_models WHERE name = 'four rows';
-- a file takes it along
SELECT pegs_import('from a file', pegs_export('noisy'));
SELECT pegs_describe('from a file')->'neighbours' AS neighbours, pegs_describe('from a file')->'unit' AS unit, (SELECT unit FROM pegs_models WHERE name = 'from a file') AS in_view;

---- choosing parents is charged for a person, too
SELECT spent AS before FROM pegs_budgets WHERE source = 'visit'::regclass \gset
SELECT pegs_fit('chosen', 'visit', structure_epsilon => 0.25);
SELECT spent - :before AS charged, (SELECT unit FROM pegs_models WHERE name = 'chosen') AS unit FROM pegs_budgets WHERE source = 'visit'::regclass;

---- views: the unit's column must be there, by whatever name
CREATE VIEW with_person AS SELECT ward, person, male FROM visit WHERE age < 15;
CREATE VIEW renamed AS SELECT ward AS w, person AS patient, male FROM visit WHERE age < 15;
CREATE VIEW twice AS SELECT ward AS person, person AS patient FROM visit;
CREATE VIEW without_person AS SELECT ward, male FROM visit;
CREATE VIEW computed AS SELECT ward, person + 1 AS person FROM visit;
CREATE MATERIALIZED VIEW stored AS SELECT ward, person, male FROM with_person;
SELECT pegs_set_levels('renamed', 'w', ARRAY['A', 'B', 'C']), pegs_set_levels('twice', 'person', ARRAY['A', 'B', 'C']);
SELECT pegs_fit('with person', 'with_person', columns => ARRAY['ward', 'male'], parents => '{}'), pegs_fit('renamed', 'renamed', columns => ARRAY['male'], parents => '{}'), pegs_fit('stored', 'stored', columns => ARRAY['ward', 'male'], parents => '{}'),
	pegs_fit('twice', 'twice', columns => ARRAY['person'], parents => '{}');
SELECT same(counts('with person'), (SELECT pegs_agg((SELECT pegs_spec('visit', columns => ARRAY['ward', 'male'], parents => '{}')), ward, male) FROM first_rows(2) WHERE age < 15)) AS right_counts,
	same(counts('with person'), counts('stored')) AS stored,
	same(counts('renamed'), (SELECT pegs_agg((SELECT pegs_spec('visit', columns => ARRAY['male'], parents => '{}')), male) FROM first_rows(2) WHERE age < 15)) AS renamed,
	same(counts('twice'), (SELECT pegs_agg((SELECT pegs_spec('twice', columns => ARRAY['person'], parents => '{}')), ward) FROM first_rows(2))) AS twice;
SELECT name, unit FROM pegs_models WHERE name IN ('with person', 'renamed', 'twice') ORDER BY name;
SELECT pegs_fit('m', 'without_person', parents => '{}');
SELECT pegs_fit('m', 'without_person', epsilon => 1);
SELECT pegs_fit('m', 'computed', columns => ARRAY['ward'], parents => '{}');
-- declared through a view, it is the table's
SELECT pegs_set_unit('with_person', 'person', 5);
SELECT max_rows, source FROM pegs_internal.unit WHERE source IN ('visit'::regclass, 'with_person'::regclass);
-- a column that is gone is said to be
ALTER TABLE visit RENAME COLUMN person TO patient;
SELECT pegs_fit('m', 'visit', columns => ARRAY['ward'], parents => '{}');
ALTER TABLE visit RENAME COLUMN patient TO person;
SELECT spent - :before AS charged FROM pegs_budgets WHERE source = 'visit'::regclass;

---- partitions: the unit is the whole table's
CREATE TABLE whole (a boolean NOT NULL, who text, part int NOT NULL) PARTITION BY LIST (part);
CREATE TABLE part_1 PARTITION OF whole FOR VALUES IN (1);
CREATE TABLE part_2 (dropped int, who text, part int NOT NULL, a boolean NOT NULL);
ALTER TABLE part_2 DROP COLUMN dropped;
ALTER TABLE whole ATTACH PARTITION part_2 FOR VALUES IN (2);
INSERT INTO whole SELECT true, 'p' || i % 10, 1 + i / 10 % 2 FROM generate_series(0, 99) AS i;
SELECT pegs_set_unit('part_2', 'who', 3);
SELECT source, column_name, max_rows FROM pegs_internal.unit WHERE source IN ('whole'::regclass, 'part_2'::regclass);
SELECT pegs_fit('whole table', 'whole', columns => ARRAY['a'], parents => '{}'), pegs_fit('part', 'part_2', columns => ARRAY['a'], parents => '{}');
SELECT same(counts('whole table'), pegs_agg((SELECT pegs_spec('whole', columns => ARRAY['a'], parents => '{}')), true)) AS thirty FROM generate_series(1, 30);
SELECT same(counts('part'), counts('whole table')) AS thirty;

---- a state does not say whose rows it counts
SELECT pegs_fit_state('m', 'visit', NULL, parents => '{}');
SELECT pegs_fit_state('m', 'visit', (SELECT pegs_agg((SELECT pegs_spec('visit')), person, ward, male, age) FROM visit), epsilon => 1);
SELECT pegs_fit_state('m', 'with_person', NULL, columns => ARRAY['ward'], parents => '{}');

---- classes of keys are counted in rows: who may mean persons is told
SET client_min_messages = notice;
SELECT pegs_generalize('visit', ARRAY['ward'], 2) AS plan \gset
SELECT count(*) > 0 AS some FROM pegs_generalized('visit', :'plan') AS t(ward text);
SELECT count(*) > 0 AS some FROM pegs_equivalence_classes('visit', ARRAY['ward']);
CREATE TABLE home (id int PRIMARY KEY);
CREATE TABLE guest (home int NOT NULL REFERENCES home, male boolean NOT NULL);
INSERT INTO home SELECT generate_series(1, 10);
INSERT INTO guest SELECT id, id % 2 = 0 FROM home;
SELECT pegs_set_budget('home', epsilon => 1), pegs_set_parent('guest', 'home');
SELECT count(*) > 0 AS some FROM pegs_equivalence_classes('guest', ARRAY['male']);
SET client_min_messages = warning;

---- a NULL column goes back to single rows
SELECT pegs_set_unit('visit', NULL, 7);
SELECT pegs_set_unit('visit', NULL);
SET client_min_messages = notice;
SELECT count(*) > 0 AS some FROM pegs_equivalence_classes('visit', ARRAY['ward']);
SET client_min_messages = warning;
SELECT pegs_fit('back', 'visit', columns => ARRAY['ward'], parents => '{}'), pegs_fit_state('state', 'visit', NULL, parents => '{}'), pegs_fit('of a view without it', 'without_person', parents => '{}');
SELECT same(counts('back'), (SELECT pegs_agg((SELECT pegs_spec('visit', columns => ARRAY['ward'], parents => '{}')), ward) FROM visit)) AS all_rows;
SELECT name, unit FROM pegs_models WHERE name IN ('back', 'state', 'of a view without it') ORDER BY name;

---- rights
GRANT EXECUTE ON FUNCTION pegs_set_unit(regclass, name, int) TO regress_unit_curator, regress_unit_analyst;
GRANT SELECT ON visit TO regress_unit_analyst;
SET ROLE regress_unit_analyst;
SELECT pegs_set_unit('visit', 'person', 2);
SELECT pegs_set_unit('visit', NULL);
SELECT pegs_set_unit('visit', 'no such column', 2);
SELECT * FROM pegs_internal.unit;
SET ROLE regress_unit_curator;
SELECT pegs_set_unit('visit', 'person', 2);
RESET ROLE;
REVOKE EXECUTE ON FUNCTION pegs_set_unit(regclass, name, int) FROM regress_unit_curator;
SET ROLE regress_unit_curator;
SELECT pegs_set_unit('visit', 'person', 1000);
RESET ROLE;
SELECT max_rows FROM pegs_internal.unit WHERE source = 'visit'::regclass;

SELECT count(pegs_drop(name)) > 0 FROM pegs_releases;
SELECT count(pegs_drop(name)) > 0 FROM pegs_models;
DROP SCHEMA regress_unit CASCADE;
DROP OWNED BY regress_unit_owner, regress_unit_curator, regress_unit_analyst;
DROP ROLE regress_unit_owner, regress_unit_curator, regress_unit_analyst;
