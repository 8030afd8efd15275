-- dropped: what a model or a table was built on, its types, a collation, a table of levels, a view, a column, is dropped, or is another one; then
-- all that reads it is called. It works, or says what is gone and what to do: no answer is an error of ours (XX000), or one without a HINT. Nothing is charged
-- for an error.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS pegs;
CREATE SCHEMA dropped;
CREATE SCHEMA types;
CREATE ROLE dr_curator;
GRANT USAGE, CREATE ON SCHEMA dropped, types TO dr_curator;
SELECT pegs_allow('dr_curator');
SET search_path = dropped, public;
SELECT * FROM no_plan();
SET ROLE dr_curator;

CREATE TYPE types.mood AS ENUM ('sad', 'ok');
CREATE DOMAIN types.ward AS text NOT NULL CHECK (VALUE IN ('A', 'B'));
CREATE COLLATION types.own (provider = libc, locale = 'C');
CREATE TABLE types.known (code text PRIMARY KEY);
INSERT INTO types.known VALUES ('x'), ('y');
CREATE FUNCTION types.half(int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT $1 / 2';
CREATE TABLE base (m types.mood NOT NULL, w types.ward, c text COLLATE types.own NOT NULL CHECK (c IN ('p', 'q')), k text NOT NULL, b boolean NOT NULL,
	n int NOT NULL CHECK (n IN (1, 2, 3)), twice int GENERATED ALWAYS AS (n * 2) STORED, own int GENERATED ALWAYS AS (types.half(n)) STORED);
INSERT INTO base (m, w, c, k, b, n) SELECT CASE i % 2 WHEN 0 THEN 'sad' ELSE 'ok' END::types.mood, substr('AB', 1 + i % 2, 1), substr('pq', 1 + i % 2, 1), substr('xy', 1 + i % 2, 1), i % 3 = 0, 1 + i % 3
	FROM generate_series(1, 120) AS i;
CREATE VIEW seen AS SELECT m, w, c, k, b, n, n + 1 AS more FROM base;
SELECT pegs_set_lookup('base', 'k', 'types.known', 'code');
SELECT pegs_leave_out('base', 'own');
SELECT pegs_forbid('base', '{"k": "x", "b": true}');
SELECT pegs_set_levels('seen', 'more', '{2,3,4}');
SELECT pegs_set_budget('base', 1000, 1e-6);
SELECT pegs_fit('all', 'base', ARRAY['m', 'w', 'c', 'k', 'b', 'n', 'twice'], epsilon => 1), pegs_fit('other', 'base', ARRAY['m', 'w', 'c', 'k', 'b', 'n', 'twice'], epsilon => 1),
	pegs_fit('sealed', 'base', ARRAY['m', 'w', 'c', 'k', 'b', 'n'], parents => '{"b": ["m"]}'), pegs_fit('of seen', 'seen', epsilon => 1);
SELECT pegs_release('rows', 'all', 20), pegs_release('drawn', 'sealed', 20, 1, 20);
CREATE TEMP TABLE file AS SELECT pegs_export('all') AS bytes;

-- what is called; a model is one of `all`, `sealed`, `of seen`
CREATE TABLE call (statement text);
INSERT INTO call
SELECT format(f, quote_literal(name), quote_literal(source)) FROM (VALUES ('all', 'base'), ('of seen', 'seen')) AS o (name, source), (VALUES ('SELECT pegs_refit(%s)'), ('SELECT * FROM pegs_sample(%s) AS t(b boolean)'),
	('SELECT * FROM pegs_sample_as(NULL::base, %s)'), ('SELECT pegs_release(''new'', %s)'), ('SELECT pegs_export(%s)'), ('SELECT pegs_import(''new'', pegs_export(%s))'), ('SELECT * FROM pegs_pairs(%s)'),
	('SELECT pegs_best(%2$s, ARRAY[%1$s, ''other''], 0.1)'), ('SELECT pegs_best(%2$s, ARRAY[%1$s, ''rows''], 0.1)')) AS c (f)
UNION ALL SELECT format(f, quote_literal(name)) FROM (VALUES ('rows'), ('drawn')) AS o (name), (VALUES ('SELECT * FROM pegs_rows(%s) AS t(b boolean)'), ('SELECT * FROM pegs_rows_as(NULL::base, %s)')) AS c (f)
UNION ALL SELECT format(f, quote_literal(name)) FROM (VALUES ('all'), ('sealed'), ('of seen'), ('rows'), ('drawn')) AS o (name), (VALUES ('SELECT pegs_describe(%s)'), ('SELECT pegs_certificate(%s)'),
	('SELECT pegs_certificate_text(%s)'), ('SELECT * FROM pegs_columns(%s, NULL)'), ('SELECT pegs_row_type(%s)'), ('SELECT pegs_view_sql(%s, ''v'')'), ('SELECT pegs_summary(%s)'), ('SELECT * FROM pegs_utility_of(%s)'),
	('SELECT * FROM pegs_marginals_of(%s)'), ('SELECT * FROM pegs_disclosure_of(%s, ARRAY[''b''], ''n'')'), ('SELECT * FROM pegs_disclosure_of(%s)'), ('SELECT pegs_report(%s, ARRAY[''b''], ''n'', ''{"ru_map": false}'')'),
	('SELECT pegs_drop(%s)')) AS c (f)
UNION ALL VALUES ('SELECT * FROM pegs_sample(''sealed'', 10, 1, 10) AS t(b boolean)'),
	('SELECT * FROM pegs_sample(''sealed'', 10, 1, 10, given => ''{"b": true}'') AS t(b boolean)'),
	('SELECT * FROM pegs_sample(''sealed'', 10, 1, given => ''{"m": "sad"}'') AS t(b boolean)'), ('SELECT * FROM pegs_sample(''sealed'', 10, 1, given => ''{"c": "p"}'') AS t(b boolean)'),
	('SELECT * FROM pegs_sample(''all'', given => ''{"m": "sad"}'') AS t(b boolean)'), ('SELECT * FROM pegs_sample_as(NULL::base, ''sealed'', 10, 1, 10)'), ('SELECT * FROM pegs_cost(''sealed'', 10, 1)'), ('SELECT * FROM pegs_trace(''sealed'', 0.1)'),
	('SELECT * FROM pegs_audit(''sealed'', 100)'), ('SELECT * FROM pegs_audit(''all'', 100)'), ('SELECT pegs_release(''new'', ''sealed'', 10, 0.1, 10)'),
	('SELECT * FROM pegs_domain(''base'')'), ('SELECT * FROM pegs_domain(''seen'')'), ('SELECT pegs_propose(''base'')'), ('SELECT pegs_facts(''base'')'), ('SELECT pegs_declare(''base'', pegs_facts(''base''))'), ('SELECT * FROM pegs_plan(''base'', 100)'),
	('SELECT pegs_spec(''base'', ARRAY[''b'', ''n''])'), ('SELECT pegs_spec(''base'')'), ('SELECT pegs_fit(''new'', ''base'', epsilon => 0.1)'), ('SELECT pegs_fit(''new'', ''seen'', epsilon => 0.1)'), ('SELECT pegs_fit(''new'', ''base'', ARRAY[''b'', ''n''], parents => ''{}'')'),
	('SELECT pegs_learn_levels(''base'', ''k'', 0.1, 1e-9)'), ('SELECT * FROM pegs_k_anonymity(''base'', ARRAY[''b''])'), ('SELECT * FROM pegs_ru_map(''base'', ARRAY[1], 10, columns => ARRAY[''b'', ''n''])'),
	('SELECT pegs_levels(''base'', ''k'')'), ('SELECT pegs_levels(''base'', ''m'')'), ('SELECT pegs_set_unit(''base'', ''n'', 2)'), ('SELECT pegs_set_budget(''base'', 2000, 1e-6)'), ('SELECT pegs_forbid(''base'', ''{"b": true, "n": 3}'')'), ('SELECT pegs_forbid(''base'', NULL)'), ('SELECT pegs_unset(''base'', ''k'')'),
	('SELECT pegs_best(''base'', ARRAY[''drawn'', ''rows''], 0.1)'), ('SELECT * FROM pegs_models'), ('SELECT * FROM pegs_releases'), ('SELECT * FROM pegs_budgets'), ('SELECT * FROM pegs_ledger'), ('SELECT * FROM pegs_leftovers'),
	('SELECT * FROM pegs_verify_ledger()'), ('SELECT pegs_grant(''all'', ''dr_curator'')'), ('SELECT pegs_grant(''sealed'', ''dr_curator'', 1)'), ('SELECT pegs_withdraw(''all'')');
GRANT ALL ON call TO PUBLIC;

-- What each call says after a change; both are undone. Charges of calls that end in an error: none.
CREATE FUNCTION said(change text) RETURNS TABLE (statement text, state text, message text, hint text, charged boolean) LANGUAGE plpgsql AS $$
DECLARE
	c record;
	before numeric;
BEGIN
	FOR c IN SELECT call.statement FROM dropped.call LOOP
		statement := c.statement;
		state := ''; message := ''; hint := '';
		before := (SELECT sum(spent) FROM pegs_budgets);
		BEGIN
			EXECUTE change;
			EXECUTE c.statement;
			RAISE EXCEPTION USING ERRCODE = 'ZZ000', MESSAGE = 'done';
		EXCEPTION WHEN OTHERS THEN
			GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT, hint = PG_EXCEPTION_HINT;
		END;
		charged := before IS DISTINCT FROM (SELECT sum(spent) FROM pegs_budgets);
		RETURN NEXT;
	END LOOP;
END $$;
RESET ROLE;

CREATE TABLE change (n int PRIMARY KEY, change text);
INSERT INTO change VALUES
	(0, ''),
	(1, 'DROP TYPE types.mood CASCADE'),
	(2, 'DROP TYPE types.mood CASCADE; CREATE TYPE types.mood AS ENUM (''sad'', ''ok''); ALTER TABLE base ADD m types.mood NOT NULL DEFAULT ''ok'''),
	(3, 'DROP VIEW seen; ALTER TABLE base ALTER m TYPE text; DROP TYPE types.mood'),
	(4, 'DROP DOMAIN types.ward CASCADE'),
	(5, 'DROP COLLATION types.own CASCADE'),
	(6, 'DROP TABLE types.known'),
	(7, 'DROP FUNCTION types.half(int) CASCADE'),
	(8, 'DROP SCHEMA types CASCADE'),
	(9, 'DROP VIEW seen; DROP TABLE base'),
	(10, 'DROP VIEW seen; ALTER TABLE base DROP COLUMN b'),
	(11, 'ALTER TABLE base RENAME b TO c2'),
	(12, 'DROP VIEW seen; ALTER TABLE base DROP twice, DROP own, ALTER n TYPE bigint');
CREATE TABLE answer AS SELECT change, s.* FROM change, said(change) AS s;

SELECT is_empty($$SELECT change, statement, message FROM answer WHERE state LIKE 'XX%'$$, 'no error is one of ours');
-- what was asked for by name the server says in its own words
SELECT is_empty($$SELECT change, statement, state, message FROM answer WHERE state <> 'ZZ000' AND hint = '' AND message !~ '^(type|relation|schema) "[^"]+" does not exist$'$$, 'each says what to do');
SELECT is_empty($$SELECT change, statement, state, message FROM answer WHERE state <> 'ZZ000' AND charged$$, 'and has charged nothing');
SELECT is_empty($$SELECT statement, state, message FROM answer WHERE change = '' AND state <> 'ZZ000' AND statement !~ '''sealed'''$$, 'without a change all of them work');
SELECT results_eq($$SELECT change, state, message FROM answer WHERE statement = 'SELECT pegs_refit(''all'')' ORDER BY change COLLATE "C"$$, $$VALUES
	('', 'ZZ000', 'done'),
	('ALTER TABLE base RENAME b TO c2', '42703', 'model "all" cannot be fitted anew: dropped.base has no column "b" any more'),
	('DROP COLLATION types.own CASCADE', '42703', 'model "all" cannot be fitted anew: dropped.base has no column "c" any more'),
	('DROP DOMAIN types.ward CASCADE', '42703', 'model "all" cannot be fitted anew: dropped.base has no column "w" any more'),
	('DROP FUNCTION types.half(int) CASCADE', 'ZZ000', 'done'),
	('DROP SCHEMA types CASCADE', '42703', 'model "all" cannot be fitted anew: dropped.base has no column "m", "w", "c" any more'),
	('DROP TABLE types.known', '22023', 'column "k" cannot be used: no declared domain'),
	('DROP TYPE types.mood CASCADE', '42703', 'model "all" cannot be fitted anew: dropped.base has no column "m" any more'),
	('DROP TYPE types.mood CASCADE; CREATE TYPE types.mood AS ENUM (''sad'', ''ok''); ALTER TABLE base ADD m types.mood NOT NULL DEFAULT ''ok''', '42704', 'model "all" cannot be fitted anew: the type that "m" had was dropped'),
	('DROP VIEW seen; ALTER TABLE base ALTER m TYPE text; DROP TYPE types.mood', '42704', 'model "all" cannot be fitted anew: the type that "m" had was dropped'),
	('DROP VIEW seen; ALTER TABLE base DROP COLUMN b', '42703', 'model "all" cannot be fitted anew: dropped.base has no column "b" any more'),
	('DROP VIEW seen; ALTER TABLE base DROP twice, DROP own, ALTER n TYPE bigint', '42703', 'model "all" cannot be fitted anew: dropped.base has no column "twice" any more'),
	('DROP VIEW seen; DROP TABLE base', '42P01', 'the original of "all" was dropped')$$, 'a refit says what is gone');
SELECT results_eq($$SELECT change, message, split_part(hint, ': ', 2) FROM answer WHERE statement = 'SELECT * FROM pegs_utility_of(''rows'')' AND message LIKE '%is not what%' ORDER BY change COLLATE "C"$$, $$VALUES
	('ALTER TABLE base RENAME b TO c2', 'dropped.base is not what model "all" was fitted to: it has no column "b" any more', 'SELECT pegs_fit(''all, as it is now'', ''dropped.base'', ARRAY[''m'', ''w'', ''c'', ''k'', ''n'', ''twice''], epsilon => 1, delta => 0);'),
	('DROP COLLATION types.own CASCADE', 'dropped.base is not what model "all" was fitted to: it has no column "c" any more', 'SELECT pegs_fit(''all, as it is now'', ''dropped.base'', ARRAY[''m'', ''w'', ''k'', ''b'', ''n'', ''twice''], epsilon => 1, delta => 0);'),
	('DROP DOMAIN types.ward CASCADE', 'dropped.base is not what model "all" was fitted to: it has no column "w" any more', 'SELECT pegs_fit(''all, as it is now'', ''dropped.base'', ARRAY[''m'', ''c'', ''k'', ''b'', ''n'', ''twice''], epsilon => 1, delta => 0);'),
	('DROP SCHEMA types CASCADE', 'dropped.base is not what model "all" was fitted to: the type that column "m" had was dropped', 'SELECT pegs_fit(''all, as it is now'', ''dropped.base'', ARRAY[''k'', ''b'', ''n'', ''twice''], epsilon => 1, delta => 0);'),
	('DROP TYPE types.mood CASCADE', 'dropped.base is not what model "all" was fitted to: the type that column "m" had was dropped', 'SELECT pegs_fit(''all, as it is now'', ''dropped.base'', ARRAY[''w'', ''c'', ''k'', ''b'', ''n'', ''twice''], epsilon => 1, delta => 0);'),
	('DROP TYPE types.mood CASCADE; CREATE TYPE types.mood AS ENUM (''sad'', ''ok''); ALTER TABLE base ADD m types.mood NOT NULL DEFAULT ''ok''', 'dropped.base is not what model "all" was fitted to: the type that column "m" had was dropped', 'SELECT pegs_fit(''all, as it is now'', ''dropped.base'', ARRAY[''m'', ''w'', ''c'', ''k'', ''b'', ''n'', ''twice''], epsilon => 1, delta => 0);'),
	('DROP VIEW seen; ALTER TABLE base ALTER m TYPE text; DROP TYPE types.mood', 'dropped.base is not what model "all" was fitted to: the type that column "m" had was dropped', 'SELECT pegs_fit(''all, as it is now'', ''dropped.base'', ARRAY[''m'', ''w'', ''c'', ''k'', ''b'', ''n'', ''twice''], epsilon => 1, delta => 0);'),
	('DROP VIEW seen; ALTER TABLE base DROP COLUMN b', 'dropped.base is not what model "all" was fitted to: it has no column "b" any more', 'SELECT pegs_fit(''all, as it is now'', ''dropped.base'', ARRAY[''m'', ''w'', ''c'', ''k'', ''n'', ''twice''], epsilon => 1, delta => 0);'),
	('DROP VIEW seen; ALTER TABLE base DROP twice, DROP own, ALTER n TYPE bigint', 'dropped.base is not what model "all" was fitted to: column "n" is of type bigint, and no longer of type integer', 'SELECT pegs_fit(''all, as it is now'', ''dropped.base'', ARRAY[''m'', ''w'', ''c'', ''k'', ''b'', ''n''], epsilon => 1, delta => 0);')$$,
	'a comparison says what has become of the table, and how to fit what is there');
SELECT * FROM finish();
