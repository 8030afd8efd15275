-- export: perturbed models as files, out of one server and into another.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS pegs;
CREATE SCHEMA regress_export;
SET search_path = regress_export, public;
CREATE ROLE regress_export_owner;
CREATE ROLE regress_export_curator IN ROLE regress_export_owner;
CREATE ROLE regress_export_analyst;
GRANT ALL ON SCHEMA regress_export TO PUBLIC;

CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy', 'it''s "odd"');
CREATE DOMAIN zip AS char(5) CHECK (VALUE IN ('90001', '90002'));
CREATE TABLE t (m mood, z zip NOT NULL, b boolean, i int, n numeric(6,2) NOT NULL, d date NOT NULL, ts timestamptz, f real, code varchar(7) NOT NULL);
ALTER TABLE t OWNER TO regress_export_owner;
INSERT INTO t SELECT (enum_range(NULL::mood))[1 + i % 4], CASE WHEN i % 3 = 0 THEN '90001' ELSE '90002' END, i % 2 = 0, i % 100, (i % 50) / 3.0, '2024-01-01'::date + i % 300, '2024-01-01'::timestamptz + i % 300 * interval '1 day', i % 7, 'code ' || i % 3 FROM generate_series(1, 2000) AS i;
SELECT pegs_set_bins('t', 'i', ARRAY['0', '10', '50', '100']), pegs_set_bins('t', 'n', ARRAY['0', '10', '100']), pegs_set_bins('t', 'd', ARRAY['2024-01-01', '2024-07-01', '2025-01-01']), pegs_set_bins('t', 'ts', ARRAY['2023-12-01', '2024-07-01', '2025-01-01']),
	pegs_set_levels('t', 'f', ARRAY['0', '1', '2', '3', '4', '5', '6']), pegs_set_levels('t', 'code', ARRAY['code 1', 'code 2'], other => 'other'), pegs_set_budget('t', 1000, 1e-6, 'sum');
SELECT pegs_fit('pure', 't', epsilon => 3), pegs_fit('gauss', 't', columns => ARRAY['b', 'm', 'i'], epsilon => 0.5, delta => 1e-9), pegs_fit('sealed', 't', parents => '{}');
SELECT pegs_grant('pure', 'regress_export_analyst'), pegs_grant('sealed', 'regress_export_analyst', epsilon => 1), pegs_release('kept', 'pure', 10);

---- there and back: all that is said is the same, but for the name
SELECT pg_typeof(pegs_export('pure')) AS type, pegs_export('pure') = pegs_export('pure') AS same_file;
CREATE TABLE file AS SELECT name, pegs_export(name) AS bytes FROM unnest(ARRAY['pure', 'gauss']) AS name;
SELECT pegs_import('pure again', bytes) FROM file WHERE name = 'pure';
SELECT pegs_import('gauss again', bytes) FROM file WHERE name = 'gauss';
SELECT pegs_describe('pure again') - ARRAY['name', 'counts', 'read', 'domain', 'public'] = pegs_describe('pure') - ARRAY['name', 'counts', 'read', 'domain', 'public'] AS pure, pegs_describe('gauss again') - ARRAY['name', 'counts', 'read', 'domain', 'public'] = pegs_describe('gauss') - ARRAY['name', 'counts', 'read', 'domain', 'public'] AS gauss, pegs_describe('pure again')->>'name' AS name, pegs_describe('pure again')->>'counts' AS counts;
-- its file does not say whether its levels were learnt
SELECT pegs_describe('pure again') ->> 'domain' AS domain, pegs_describe('pure again') ->> 'public' AS public;
SELECT pegs_row_type('pure again') = pegs_row_type('pure') AS same_columns;
SELECT pegs_export('pure again') = bytes AS same_file FROM file WHERE name = 'pure';
-- the guarantee is the file's word
SELECT name, source, kind, epsilon, delta, unit, counts FROM pegs_models WHERE name IN ('pure', 'pure again', 'gauss again') ORDER BY name;
-- nobody's budget was asked
SELECT source, spent, delta_spent FROM pegs_budgets WHERE source = 't'::regclass;
SELECT count(*) FROM pegs_ledger WHERE object IN ('pure again', 'gauss again');

---- a model like any other: rows, given, releases, grants, views of it
SELECT count(*), bool_and(z IN ('90001', '90002') AND code IN ('code 1', 'code 2', 'other') AND coalesce(i BETWEEN 0 AND 100, true) AND d BETWEEN '2024-01-01' AND '2025-01-01') AS declared FROM pegs_sample_as(NULL::t, 'pure again', 2000);
SELECT count(*), bool_and(m = 'happy' AND b) AS as_given FROM pegs_sample('gauss again', 100, given => '{"m": "happy", "b": true}') AS t(m mood, b boolean);
SELECT count(*) FROM pegs_sample('gauss again', 100, options => '{"draw": "independent"}') AS t(i int);
-- rows have a key of their own, not that of the model that was exported
SELECT (SELECT array_agg(t::text) FROM pegs_sample_as(NULL::t, 'pure again', 500) AS t) = (SELECT array_agg(t::text) FROM pegs_sample_as(NULL::t, 'pure again', 500) AS t) AS same_again,
	(SELECT array_agg(t::text) FROM pegs_sample_as(NULL::t, 'pure again', 500) AS t) = (SELECT array_agg(t::text) FROM pegs_sample_as(NULL::t, 'pure', 500) AS t) AS same_as_the_first;
SELECT pegs_release('kept again', 'pure again', 100);
SELECT count(*) FROM pegs_rows_as(NULL::t, 'kept again');
SELECT model, source, kind, epsilon FROM pegs_releases WHERE name = 'kept again';
SELECT charged FROM pegs_cost('pure again', 100);
SELECT string_agg(s, ' ') LIKE 'CREATE VIEW v AS%COMMENT ON VIEW v IS ''synthetic, epsilon _ as stated by an imported file, see pegs_certificate(%' AS view_sql FROM pegs_view_sql('pure again', 'v') AS s;
SELECT pegs_grant('pure again', 'regress_export_analyst'), pegs_grant('gauss again', 'public'), pegs_grant('kept again', 'regress_export_analyst');
SET ROLE regress_export_analyst;
SELECT count(*) FROM pegs_sample('pure again', 5) AS t(b boolean);
SELECT count(*) FROM pegs_sample('gauss again', 5) AS t(b boolean);
SELECT count(*) FROM pegs_rows('kept again') AS t(b boolean);
SELECT name, source, counts FROM pegs_models ORDER BY name;
SELECT pegs_describe('pure again')->'epsilon' AS epsilon;
SELECT pegs_drop('pure again');
SELECT pegs_grant('pure again', 'public');
RESET ROLE;
-- it is nobody's but the superuser's
SET ROLE regress_export_curator;
SELECT count(*) FROM pegs_sample('pure again', 5) AS t(b boolean);
RESET ROLE;
GRANT EXECUTE ON FUNCTION pegs_drop, pegs_grant, pegs_export, pegs_import TO regress_export_curator, regress_export_analyst;
SET ROLE regress_export_curator;
SELECT pegs_drop('pure again');
SELECT pegs_drop('gauss again');
SELECT pegs_export('gauss again');
SET ROLE regress_export_analyst;
SELECT pegs_drop('pure again');
SELECT pegs_grant('pure again', 'public');
SELECT pegs_export('pure again');
RESET ROLE;
SELECT pegs_revoke('pure again', 'regress_export_analyst');
SET ROLE regress_export_analyst;
SELECT count(*) FROM pegs_sample('pure again', 5) AS t(b boolean);
RESET ROLE;
-- dropped as any other, its releases stay
SELECT pegs_drop('pure again');
SELECT count(*) FROM pegs_rows_as(NULL::t, 'kept again');
SELECT pegs_describe('pure again');
SELECT pegs_import('pure again', bytes) FROM file WHERE name = 'pure';

---- who may export: the curator; to import, a superuser
SET ROLE regress_export_curator;
SELECT length(pegs_export('pure')) > 100 AS exported;
SELECT pegs_import('m', pegs_export('pure'));
SELECT pegs_export('sealed');
SELECT pegs_export('kept');
SELECT pegs_export('nowhere');
SELECT pegs_export('pure again');
SET ROLE regress_export_analyst;
SELECT pegs_export('pure');
SELECT pegs_export('sealed');
SELECT pegs_export('gauss');
SELECT pegs_export('nowhere');
SELECT pegs_import('m', '\x00');
RESET ROLE;
REVOKE EXECUTE ON FUNCTION pegs_export, pegs_import FROM regress_export_curator;
SET ROLE regress_export_curator;
SELECT pegs_export('pure');
SELECT pegs_import('m', '\x00');
RESET ROLE;
SELECT pegs_export(NULL);
SELECT pegs_export('sealed');

---- what is not a file of a perturbed model
SELECT pegs_import(NULL, '\x00');
SELECT pegs_import('', '\x00');
SELECT pegs_import('m', NULL);
SELECT pegs_import('pure', bytes) FROM file WHERE name = 'pure';
SELECT pegs_import('kept', bytes) FROM file WHERE name = 'pure';
SELECT pegs_import('m', '');
SELECT pegs_import('m', '\x00');
SELECT pegs_import('m', decode(repeat('00', 1000), 'hex'));
SELECT pegs_import('m', decode(repeat('ff', 1000), 'hex'));
SELECT pegs_import('m', 'not a model at all');
SELECT pegs_import('m', substr(bytes, 1, length(bytes) - 1)) FROM file WHERE name = 'pure';
SELECT pegs_import('m', substr(bytes, 1, length(bytes) / 2)) FROM file WHERE name = 'pure';
SELECT pegs_import('m', substr(bytes, 1, 8)) FROM file WHERE name = 'pure';
SELECT pegs_import('m', substr(bytes, 2)) FROM file WHERE name = 'pure';
SELECT pegs_import('m', bytes || '\x00') FROM file WHERE name = 'pure';
SELECT pegs_import('m', bytes || bytes) FROM file WHERE name = 'pure';
-- states, of pairs and of conditional tables, and the tables of a sealed model
SELECT pegs_import('m', pegs_agg((SELECT pegs_spec('t', columns => ARRAY['b'])), b)::text::bytea) FROM t;
SELECT pegs_import('m', pegs_agg((SELECT pegs_spec('t', columns => ARRAY['b'], parents => '{}')), b)::text::bytea) FROM t;
SELECT pegs_import('m', b.body) FROM pegs_internal.body AS b JOIN pegs_internal.model AS m ON m.id = b.model WHERE m.name = 'sealed';
CREATE FUNCTION unmasked(bytea) RETURNS bytea LANGUAGE c STRICT AS '$libdir/pegs', 'pegs_unmasked';
SELECT pegs_import('m', unmasked(b.body)) FROM pegs_internal.body AS b JOIN pegs_internal.model AS m ON m.id = b.model WHERE m.name = 'sealed';
-- every length, and every bit of its head, is refused or gives a model that works: never anything else
DO $$
DECLARE
	file bytea := (SELECT bytes FROM regress_export.file WHERE name = 'gauss');
	spoiled bytea;
	taken int := 0;
	n bigint;
BEGIN
	FOR i IN 0 .. length(file) - 1 BY 7 LOOP
		BEGIN
			PERFORM pegs_import('cut', substr(file, 1, i));
			RAISE WARNING 'the first % bytes are taken for a model', i;
		EXCEPTION WHEN invalid_binary_representation OR feature_not_supported THEN
			NULL;
		END;
	END LOOP;
	FOR i IN 0 .. least(8 * length(file), 40000) - 1 BY 3 LOOP
		spoiled := set_bit(file, i, 1 - get_bit(file, i));
		BEGIN
			PERFORM pegs_import('spoiled', spoiled);
			SELECT count(*) INTO n FROM pegs_sample('spoiled', 3) AS s(b boolean);
			ASSERT n = 3;
			PERFORM pegs_describe('spoiled');
			taken := taken + 1;
			PERFORM pegs_drop('spoiled');
		EXCEPTION WHEN assert_failure OR internal_error THEN
			RAISE WARNING 'bit %: % %', i, SQLSTATE, SQLERRM;
		WHEN OTHERS THEN
			NULL;
		END;
	END LOOP;
END $$;
SELECT name FROM pegs_models WHERE name IN ('m', 'cut', 'spoiled');
-- its name is free after a refusal
SELECT pegs_import('m', bytes) FROM file WHERE name = 'gauss';
SELECT pegs_drop('m');

---- another database has no such type, or another one by that name: said clearly, before anything is stored
DROP TABLE t CASCADE;
SELECT count(pegs_drop(name)) > 0 FROM pegs_models;
ALTER TYPE mood RENAME TO feeling;
SELECT pegs_import('m', bytes) FROM file WHERE name = 'gauss';
CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');
SELECT pegs_import('m', bytes) FROM file WHERE name = 'gauss';
DROP TYPE mood;
CREATE DOMAIN mood AS text;
SELECT pegs_import('m', bytes) FROM file WHERE name = 'gauss';
DROP DOMAIN mood;
CREATE TYPE mood AS (a text);
SELECT pegs_import('m', bytes) FROM file WHERE name = 'gauss';
DROP TYPE mood;
SELECT count(*) FROM pegs_models WHERE name = 'm';
-- with the labels that it needs, in any order, it works, and without its table
CREATE TYPE mood AS ENUM ('new', 'happy', 'ok', 'sad', 'it''s "odd"');
SELECT pegs_import('m', bytes) FROM file WHERE name = 'gauss';
SELECT count(*), bool_and(coalesce(m <> 'new', true)) AS declared FROM pegs_sample('m', 100) AS t(m mood, b boolean);
-- a domain of the source is its base type in the file
SELECT pegs_import('n', bytes) FROM file WHERE name = 'pure';
SELECT count(*), bool_and(z IN ('90001', '90002')) AS declared FROM pegs_sample('n', 100) AS t(z char(5), m mood);
SELECT pegs_describe('n')->>'neighbours' AS neighbours, source FROM pegs_models WHERE name = 'n';
-- a transaction that rolls back has imported nothing
BEGIN;
SELECT pegs_import('rolled back', bytes) FROM file WHERE name = 'pure';
ROLLBACK;
SELECT count(*) FROM pegs_models WHERE name = 'rolled back';

SELECT count(pegs_drop(name)) > 0 FROM pegs_releases;
SELECT count(pegs_drop(name)) > 0 FROM pegs_models;
DROP SCHEMA regress_export CASCADE;
DROP OWNED BY regress_export_owner, regress_export_curator, regress_export_analyst;
DROP ROLE regress_export_owner, regress_export_curator, regress_export_analyst;
