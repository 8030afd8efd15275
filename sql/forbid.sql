-- forbid: structural zeros. What may be declared, who may, and that no row of any kind is ever one.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS pegs;
CREATE SCHEMA regress_forbid;
SET search_path = regress_forbid, public;
CREATE ROLE regress_forbid_owner;
CREATE ROLE regress_forbid_curator IN ROLE regress_forbid_owner;
CREATE ROLE regress_forbid_analyst;
GRANT ALL ON SCHEMA regress_forbid TO PUBLIC;

CREATE TYPE mdc AS ENUM ('Heart', 'Lung', 'Pregnancy', 'Newborn');
CREATE TABLE t (sex text NOT NULL CHECK (sex IN ('M', 'F')), mdc mdc NOT NULL, age int, ward int CHECK (ward IN (1, 2, 3)), died boolean NOT NULL);
ALTER TABLE t OWNER TO regress_forbid_owner;
SELECT pegs_set_bins('t', 'age', ARRAY['0', '15', '50', '100']);
SELECT pegs_set_budget('t', 100000, delta => 1e-6);
-- rows of the table have such combinations: that changes nothing
INSERT INTO t SELECT (ARRAY['M', 'F'])[1 + i % 2], (enum_range(NULL::mdc))[1 + i / 2 % 4], CASE WHEN i % 7 > 0 THEN i * 13 % 100 END, CASE WHEN i / 8 % 4 > 0 THEN i / 8 % 4 END, i % 5 = 0 FROM generate_series(1, 20000) AS i;

---- arguments (those that are refused alone: test/pgtap/arguments.sql)
-- a value is the type's: padded, written otherwise, or the level that takes the rest
CREATE TABLE written (c char(3), n numeric(4,1), code text);
SELECT pegs_set_levels('written', 'c', ARRAY['a', 'abc']), pegs_set_levels('written', 'n', ARRAY['1', '2.5']), pegs_set_levels('written', 'code', ARRAY['x'], other => 'rest');
SELECT pegs_forbid('written', '{"c": "a", "n": [1, "2.50"], "code": "rest"}');
SELECT pegs_spec('written')::jsonb->'forbidden' AS forbidden;
SELECT pegs_forbid('written', '{"code": "y"}');
SELECT pegs_forbid('written', NULL);
-- a column without a declared domain
CREATE TABLE bare (a text, b boolean);
SELECT pegs_forbid('bare', '{"a": "x"}');
SELECT pegs_forbid('bare', '{"b": true, "a": "x"}');
SELECT count(*) FROM pegs_internal.forbidden WHERE source IN ('t'::regclass, 'bare'::regclass);
SELECT pegs_spec('t') LIKE '%forbidden%' AS has_zeros;

---- one, two, three columns; a value, a list, NULL, the bin of a value
-- the spec has the places of the levels, NULL last
SELECT pegs_forbid('t', '{"mdc": "Newborn"}');
SELECT pegs_spec('t')::jsonb->'forbidden' AS forbidden;
SELECT pegs_forbid('t', '{"sex": "M", "mdc": ["Pregnancy", "Newborn"]}');
SELECT pegs_forbid('t', '{"age": [0, 60, 75, "50", null], "mdc": "Pregnancy"}');
SELECT pegs_forbid('t', '{"ward": [1, "2", null], "sex": "F", "died": true}');
SELECT pegs_spec('t')::jsonb->'forbidden' AS forbidden;
-- twice is once; a combination that another one holds does no harm
SELECT pegs_forbid('t', '{"mdc": ["Pregnancy", "Newborn"], "sex": "M"}'), pegs_forbid('t', '{"mdc": "Newborn", "sex": "M"}');
SELECT jsonb_array_length(pegs_spec('t')::jsonb->'forbidden') AS zeros;
-- the last value of a bin, the first of the next, and the closed end
SELECT pegs_forbid('t', NULL);
SELECT pegs_forbid('t', '{"age": 14}');
SELECT pegs_spec('t')::jsonb->'forbidden' AS forbidden;
SELECT pegs_forbid('t', NULL), pegs_forbid('t', '{"age": 15}');
SELECT pegs_spec('t')::jsonb->'forbidden' AS forbidden;
SELECT pegs_forbid('t', NULL), pegs_forbid('t', '{"age": 100}');
SELECT pegs_spec('t')::jsonb->'forbidden' AS forbidden;
-- NULL forgets all of them
SELECT pegs_forbid('t', NULL);
SELECT pegs_spec('t')::jsonb->'forbidden' AS forbidden;
SELECT count(*) FROM pegs_internal.forbidden WHERE source = 't'::regclass;

---- every row honours all of them, exactly
SELECT pegs_forbid('t', '{"mdc": "Newborn"}'), pegs_forbid('t', '{"sex": "M", "mdc": ["Pregnancy"]}'), pegs_forbid('t', '{"age": [0, 60, null], "mdc": "Pregnancy"}'), pegs_forbid('t', '{"ward": [1, null], "sex": "F", "died": true}');
CREATE FUNCTION breaks(sex text, mdc mdc, age int, ward int, died boolean) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
	SELECT mdc = 'Newborn' OR sex = 'M' AND mdc = 'Pregnancy' OR (age < 15 OR age >= 50 OR age IS NULL) AND mdc = 'Pregnancy' OR (ward = 1 OR ward IS NULL) AND sex = 'F' AND died $$;
SELECT count(*) > 100 AS rows_of_the_table_break_them FROM t WHERE breaks(sex, mdc, age, ward, died);
SELECT pegs_fit('plain', 't', parents => '{}');
SELECT pegs_fit('parents', 't', parents => '{"mdc": ["sex", "age"], "died": ["sex", "ward"], "age": ["mdc"], "sex": ["mdc"]}');
SELECT pegs_fit('tail', 't', parents => '{"mdc": ["sex"], "died": ["mdc", "ward"]}', tail_bits => 1);
SELECT pegs_fit('chosen', 't', structure_epsilon => 10);
SELECT pegs_fit('perturbed', 't', epsilon => 10);
SELECT pegs_fit('noise', 't', epsilon => 1);
SELECT pegs_fit('gauss', 't', epsilon => 5, delta => 1e-9);
-- so many rows of each kind, and how many of them are a zero
CREATE VIEW drawn AS
SELECT 'plain' AS model, 'sealed, rows one by one' AS how, sex, mdc, age, ward, died FROM pegs_sample_as(NULL::t, 'plain', 500, epsilon => 500)
UNION ALL SELECT 'parents', 'sealed, rows one by one', * FROM pegs_sample_as(NULL::t, 'parents', 500, epsilon => 500)
UNION ALL SELECT 'tail', 'sealed, rows one by one', * FROM pegs_sample_as(NULL::t, 'tail', 500, epsilon => 500)
UNION ALL SELECT 'chosen', 'sealed, rows one by one', * FROM pegs_sample_as(NULL::t, 'chosen', 500, epsilon => 500)
UNION ALL SELECT 'plain', 'sealed, blocks', * FROM pegs_sample_as(NULL::t, 'plain', 5000, epsilon => 10, block => 1000)
UNION ALL SELECT 'parents', 'sealed, blocks', * FROM pegs_sample_as(NULL::t, 'parents', 5000, epsilon => 10, block => 5000)
UNION ALL SELECT 'tail', 'sealed, blocks', * FROM pegs_sample_as(NULL::t, 'tail', 5000, epsilon => 10, block => 77)
UNION ALL SELECT 'chosen', 'sealed, blocks', * FROM pegs_sample_as(NULL::t, 'chosen', 5000, epsilon => 10, block => 1000)
UNION ALL SELECT m, 'sealed, given', t.* FROM unnest(ARRAY['plain', 'parents', 'tail', 'chosen']) AS m, LATERAL pegs_sample_as(NULL::t, m, 500, epsilon => 10, block => 100, given => '{"sex": "F", "died": true}') AS t
UNION ALL SELECT m, 'sealed, given most', t.* FROM unnest(ARRAY['plain', 'parents', 'tail', 'chosen']) AS m, LATERAL pegs_sample_as(NULL::t, m, 500, epsilon => 10, block => 100, given => '{"mdc": "Pregnancy", "died": true, "age": 20}') AS t
UNION ALL SELECT m, 'perturbed', t.* FROM unnest(ARRAY['perturbed', 'noise', 'gauss']) AS m, LATERAL pegs_sample_as(NULL::t, m, 5000) AS t
UNION ALL SELECT m, 'perturbed, one row', t.* FROM unnest(ARRAY['perturbed', 'noise', 'gauss']) AS m, generate_series(1, 20), LATERAL pegs_sample_as(NULL::t, m, 1, options => '{"fresh": true}') AS t
UNION ALL SELECT m, 'perturbed, independent', t.* FROM unnest(ARRAY['perturbed', 'noise', 'gauss']) AS m, LATERAL pegs_sample_as(NULL::t, m, 5000, options => '{"draw": "independent"}') AS t
UNION ALL SELECT m, 'perturbed, given', t.* FROM unnest(ARRAY['perturbed', 'noise', 'gauss']) AS m, LATERAL pegs_sample_as(NULL::t, m, 1000, given => '{"sex": "F", "died": true}') AS t
UNION ALL SELECT m, 'perturbed, given most', t.* FROM unnest(ARRAY['perturbed', 'noise', 'gauss']) AS m, LATERAL pegs_sample_as(NULL::t, m, 500, given => '{"mdc": "Pregnancy", "died": true, "age": 20}') AS t;
SELECT how, model, count(*), count(*) FILTER (WHERE breaks(sex, mdc, age, ward, died)) AS breaking FROM drawn GROUP BY how, model ORDER BY how, model;
-- what is not forbidden is there; what each zero leaves is there too
SELECT count(DISTINCT (sex, mdc)) AS sex_mdc, count(DISTINCT mdc) AS mdc FROM pegs_sample_as(NULL::t, 'perturbed', 20000);
SELECT count(DISTINCT (sex, mdc)) AS sex_mdc, count(DISTINCT (sex, died, ward)) AS sex_died_ward, count(DISTINCT mdc) AS mdc FROM pegs_sample_as(NULL::t, 'plain', 20000, epsilon => 10, block => 20000);
-- only what is asked for comes out, the zeros look at all of it
SELECT count(*) FILTER (WHERE mdc = 'Newborn') AS breaking, count(*) FROM pegs_sample('perturbed', 5000) AS t(mdc mdc);
-- more than one batch
SELECT count(*), count(*) FILTER (WHERE breaks(sex, mdc, age, ward, died)) AS breaking FROM pegs_sample_as(NULL::t, 'noise', 140000);

---- releases
SELECT pegs_release('kept sealed', 'parents', 2000, epsilon => 10, block => 500), pegs_release('kept sealed, given', 'parents', 200, epsilon => 10, given => '{"mdc": "Pregnancy"}'),
	pegs_release('kept', 'perturbed', 2000), pegs_release('kept, given', 'perturbed', 200, given => '{"mdc": "Pregnancy"}'), pegs_release('kept, independent', 'perturbed', 200, options => '{"draw": "independent"}');
SELECT r, count(*), count(*) FILTER (WHERE breaks(sex, mdc, age, ward, died)) AS breaking
FROM unnest(ARRAY['kept', 'kept sealed', 'kept sealed, given', 'kept, given', 'kept, independent']) AS r, LATERAL pegs_rows_as(NULL::t, r) GROUP BY r ORDER BY r;

---- a model keeps the zeros that it was fitted with
SELECT md5(string_agg(t::text, ',' ORDER BY n)) AS rows_before FROM pegs_sample_as(NULL::t, 'perturbed', 1000) WITH ORDINALITY AS t(sex, mdc, age, ward, died, n) \gset
SELECT pegs_export('perturbed') AS file \gset
SELECT pegs_forbid('t', NULL);
SELECT md5(string_agg(t::text, ',' ORDER BY n)) = :'rows_before' AS same_rows FROM pegs_sample_as(NULL::t, 'perturbed', 1000) WITH ORDINALITY AS t(sex, mdc, age, ward, died, n);
SELECT count(*), count(*) FILTER (WHERE breaks(sex, mdc, age, ward, died)) AS breaking FROM pegs_sample_as(NULL::t, 'plain', 1000, epsilon => 1, block => 1000);
SELECT count(*), count(*) FILTER (WHERE breaks(sex, mdc, age, ward, died)) AS breaking FROM pegs_rows_as(NULL::t, 'kept');
SELECT jsonb_array_length(pegs_describe('perturbed')->'spec'->'forbidden') AS zeros, jsonb_array_length(pegs_describe('plain')->'spec'->'forbidden') AS zeros_of_sealed, jsonb_array_length(pegs_describe('kept')->'spec'->'forbidden') AS zeros_of_release;
-- a file takes them along
SELECT pegs_import('imported', :'file');
SELECT count(*), count(*) FILTER (WHERE breaks(sex, mdc, age, ward, died)) AS breaking FROM pegs_sample_as(NULL::t, 'imported', 5000);
SELECT count(*), count(*) FILTER (WHERE breaks(sex, mdc, age, ward, died)) AS breaking FROM pegs_sample_as(NULL::t, 'imported', 5000, options => '{"draw": "independent"}');
SELECT count(*), count(*) FILTER (WHERE breaks(sex, mdc, age, ward, died)) AS breaking FROM pegs_sample_as(NULL::t, 'imported', 500, given => '{"mdc": "Pregnancy"}');
-- a fit now has none
SELECT pegs_fit('free', 't', epsilon => 10);
-- a certificate says that they were public, of every kind of model and release that has some, and of no other
SELECT name, pegs_certificate(name) ->> 'public' AS public, pegs_certificate_text(name) LIKE '%public:      %, forbidden combinations%' AS in_text
FROM unnest(ARRAY['perturbed', 'kept', 'plain', 'kept sealed', 'chosen', 'imported', 'free']) AS name;
SELECT count(*) FILTER (WHERE mdc = 'Newborn') > 0 AS newborns, count(*) FILTER (WHERE mdc = 'Pregnancy' AND sex = 'M') > 0 AS pregnant_men FROM pegs_sample_as(NULL::t, 'free', 5000);

---- a model without all columns of a zero ignores the zero
SELECT pegs_forbid('t', '{"sex": "M", "mdc": "Pregnancy"}'), pegs_forbid('t', '{"died": true}');
SELECT pegs_spec('t', columns => ARRAY['mdc', 'ward'])::jsonb ? 'forbidden' AS has_zeros;
SELECT pegs_spec('t', columns => ARRAY['mdc', 'died'])::jsonb->'forbidden' AS forbidden;
-- by the places of the columns' own levels, whatever the order of the columns
SELECT pegs_spec('t', columns => ARRAY['mdc', 'ward', 'sex'])::jsonb->'forbidden' AS forbidden;
SELECT pegs_fit('two columns', 't', columns => ARRAY['mdc', 'died'], epsilon => 10);
SELECT count(DISTINCT mdc) AS mdc, bool_or(died) AS died FROM pegs_sample('two columns', 1000) AS t(mdc mdc, died boolean);
SELECT pegs_fit('other order', 't', columns => ARRAY['died', 'mdc', 'sex'], parents => '{"sex": ["mdc"]}');
SELECT count(*) FILTER (WHERE sex = 'M' AND mdc = 'Pregnancy' OR died) AS breaking FROM pegs_sample('other order', 1000, epsilon => 1, block => 100) AS t(sex text, mdc mdc, died boolean);

---- they belong to the base table: declared through a view or a partition, honoured through all of them
CREATE VIEW adults AS SELECT sex, mdc, died FROM t WHERE age >= 15;
SELECT pegs_fit('of the view', 'adults', parents => '{}');
SELECT count(*) FILTER (WHERE sex = 'M' AND mdc = 'Pregnancy' OR died) AS breaking FROM pegs_sample('of the view', 1000, epsilon => 1, block => 1000) AS t(sex text, mdc mdc, died boolean);
SELECT pegs_forbid('adults', '{"mdc": "Lung"}');
SELECT pegs_spec('t')::jsonb->'forbidden' AS forbidden;
SELECT pegs_forbid('adults', '{"ward": 1}');
SELECT pegs_forbid('adults', NULL);
SELECT pegs_spec('t')::jsonb ? 'forbidden' AS has_zeros;
-- a view that calls a column by another name: it is the same column
CREATE VIEW renaming AS SELECT sex AS gender, mdc, died FROM t;
SELECT pegs_set_levels('renaming', 'gender', ARRAY['M', 'F']);
SELECT pegs_forbid('renaming', '{"gender": "M", "mdc": "Pregnancy"}');
SELECT pegs_spec('renaming')::jsonb->'forbidden' AS forbidden, pegs_spec('t')::jsonb->'forbidden' AS of_the_table;
SELECT pegs_forbid('t', NULL), pegs_forbid('t', '{"sex": "M", "mdc": "Pregnancy"}');
SELECT pegs_spec('renaming')::jsonb->'forbidden' AS forbidden, pegs_spec('t')::jsonb->'forbidden' AS of_the_table;
SELECT pegs_forbid('t', NULL);
CREATE TABLE whole (a boolean NOT NULL, b boolean NOT NULL) PARTITION BY LIST (a);
CREATE TABLE part PARTITION OF whole FOR VALUES IN (true, false);
SELECT pegs_forbid('part', '{"a": true, "b": false}');
SELECT pegs_spec('whole')::jsonb->'forbidden' AS forbidden, pegs_spec('part')::jsonb->'forbidden' AS of_the_partition;

---- part of the spec: states of other zeros are other states
SELECT pegs_spec('t') AS without, pegs_spec('t', parents => '{"mdc": ["sex"]}') AS conditional_without \gset
SELECT pegs_forbid('t', '{"sex": "M", "mdc": "Pregnancy"}');
SELECT pegs_spec('t') AS with, pegs_spec('t', parents => '{"mdc": ["sex"]}') AS conditional_with \gset
SELECT pegs_merge(s) IS NOT NULL AS merged FROM (SELECT pegs_agg(:'with', sex, mdc, age, ward, died) AS s FROM t GROUP BY died) AS x;
SELECT pegs_merge(s) FROM (SELECT pegs_agg(:'with', sex, mdc, age, ward, died) AS s FROM t UNION ALL SELECT pegs_agg(:'without', sex, mdc, age, ward, died) FROM t) AS x;
SELECT pegs_fit_state('state', 't', (SELECT pegs_agg(:'without', sex, mdc, age, ward, died) FROM t), epsilon => 1);
SELECT pegs_fit_state('state', 't', (SELECT pegs_agg(:'conditional_without', sex, mdc, age, ward, died) FROM t), parents => '{"mdc": ["sex"]}');
SELECT pegs_fit_state('state', 't', (SELECT pegs_agg(:'with', sex, mdc, age, ward, died) FROM t), epsilon => 1);
SELECT pegs_fit_state('sealed state', 't', (SELECT pegs_agg(:'conditional_with', sex, mdc, age, ward, died) FROM t), parents => '{"mdc": ["sex"]}');
SELECT count(*), count(*) FILTER (WHERE sex = 'M' AND mdc = 'Pregnancy') AS breaking FROM pegs_sample_as(NULL::t, 'state', 1000);
SELECT count(*), count(*) FILTER (WHERE sex = 'M' AND mdc = 'Pregnancy') AS breaking FROM pegs_sample_as(NULL::t, 'sealed state', 1000, epsilon => 1, block => 100);
-- the reader believes nothing
SELECT pegs_agg(replace(:'with', '["sex", 0]', '["sex", 2]'), sex, mdc, age, ward, died) FROM t;
SELECT pegs_agg(replace(:'with', '["sex", 0]', '["sex", -1]'), sex, mdc, age, ward, died) FROM t;
SELECT pegs_agg(replace(:'with', '["sex", 0]', '["sex", "M"]'), sex, mdc, age, ward, died) FROM t;
SELECT pegs_agg(replace(:'with', '["sex", 0]', '["s", 0]'), sex, mdc, age, ward, died) FROM t;
SELECT pegs_agg(replace(:'with', '["sex", 0]', '[]'), sex, mdc, age, ward, died) FROM t;
SELECT pegs_agg(replace(:'with', '["sex", 0]', '["sex", 0], ["age", 0], ["ward", 0]'), sex, mdc, age, ward, died) FROM t;
SELECT pegs_agg(replace(:'with', '["sex", 0]', '7'), sex, mdc, age, ward, died) FROM t;

---- everything forbidden: an error, and nothing is charged
CREATE TABLE small (a boolean NOT NULL, b boolean NOT NULL);
INSERT INTO small SELECT i % 2 = 0, i % 3 = 0 FROM generate_series(1, 1200) AS i;
SELECT pegs_set_budget('small', 100);
SELECT pegs_forbid('small', '{"a": true, "b": true}'), pegs_forbid('small', '{"a": false}');
SELECT pegs_fit('small', 'small', parents => '{"a": ["b"]}'), pegs_fit('small perturbed', 'small', epsilon => 50);
-- one row is left
SELECT count(*), count(*) FILTER (WHERE NOT a OR b) AS breaking FROM pegs_sample('small', 10, epsilon => 1) AS t(a boolean, b boolean);
SELECT count(*), count(*) FILTER (WHERE NOT a OR b) AS breaking FROM pegs_sample('small perturbed', 10) AS t(a boolean, b boolean);
-- none is left under what is given
SELECT count(*) FROM pegs_sample('small', 10, epsilon => 1, given => '{"b": true}') AS t(a boolean, b boolean);
SELECT count(*) FROM pegs_sample('small', 10, epsilon => 1, given => '{"a": false}') AS t(a boolean, b boolean);
SELECT pegs_release('small kept', 'small', 10, epsilon => 1, given => '{"b": true}');
SELECT count(*) FROM pegs_sample('small perturbed', 10, given => '{"b": true}') AS t(a boolean, b boolean);
SELECT count(*) FROM pegs_releases WHERE name = 'small kept';
SELECT spent FROM pegs_budgets WHERE source = 'small'::regclass;
-- none is left at all: whatever would be charged is refused
SELECT pegs_forbid('small', '{"a": [true, false]}');
SELECT pegs_fit('nothing perturbed', 'small', epsilon => 1);
SELECT pegs_fit('nothing chosen', 'small');
SELECT pegs_fit_state('nothing state', 'small', NULL, epsilon => 1);
SELECT name FROM pegs_models WHERE name LIKE 'nothing%';
SELECT spent FROM pegs_budgets WHERE source = 'small'::regclass;
-- an empty table is a table: noise may leave no weight on what is allowed, there are rows all the same
CREATE TABLE empty (a boolean NOT NULL, b boolean NOT NULL, c boolean);
SELECT pegs_set_budget('empty', 100);
SELECT pegs_forbid('empty', '{"a": true, "b": true}'), pegs_forbid('empty', '{"a": false}'), pegs_forbid('empty', '{"b": false, "c": [true, null]}');
SELECT count(pegs_fit('empty ' || i, 'empty', epsilon => 1)) FROM generate_series(1, 30) AS i;
SELECT count(*), count(*) FILTER (WHERE NOT a OR b OR c IS NOT false) AS breaking FROM generate_series(1, 30) AS i, LATERAL pegs_sample_as(NULL::empty, 'empty ' || i, 10);

---- rights
GRANT EXECUTE ON FUNCTION pegs_forbid, pegs_spec TO regress_forbid_curator, regress_forbid_analyst;
SET ROLE regress_forbid_analyst;
SELECT pegs_forbid('t', '{"sex": "M"}');
SELECT pegs_forbid('t', NULL);
SELECT * FROM pegs_internal.forbidden;
SET ROLE regress_forbid_curator;
SELECT pegs_forbid('t', '{"sex": "F", "mdc": "Lung"}');
SELECT pegs_spec('t')::jsonb->'forbidden' AS forbidden;
SELECT pegs_forbid('t', NULL);
SELECT pegs_spec('t')::jsonb ? 'forbidden' AS has_zeros;
RESET ROLE;
REVOKE EXECUTE ON FUNCTION pegs_forbid FROM regress_forbid_curator;
SET ROLE regress_forbid_curator;
SELECT pegs_forbid('t', '{"sex": "F"}');
RESET ROLE;

SELECT count(pegs_drop(name)) > 0 FROM pegs_releases;
SELECT count(pegs_drop(name)) > 0 FROM pegs_models;
DROP SCHEMA regress_forbid CASCADE;
DROP OWNED BY regress_forbid_owner, regress_forbid_curator, regress_forbid_analyst;
DROP ROLE regress_forbid_owner, regress_forbid_curator, regress_forbid_analyst;
