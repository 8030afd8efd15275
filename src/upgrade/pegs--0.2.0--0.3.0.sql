/*
 * pegs--0.2.0--0.3.0.sql
 *	  What a review of 0.2.0 found: rights, copies, units, the audit.
 */

-- complain if the script is sourced in psql rather than by ALTER EXTENSION
\echo Use "ALTER EXTENSION pegs UPDATE" to load this file. \quit

-- what is dropped here to be made anew, with other arguments or another answer: first, so that nothing has changed yet where
-- somebody's view or function stands in the way. The rights on it are kept for later (below)
SELECT pg_catalog.set_config('pegs_update.audit', coalesce(proacl::text, ''), true) FROM pg_catalog.pg_proc
	WHERE oid = '@extschema@.pegs_audit(text, int, double precision)'::pg_catalog.regprocedure;
SELECT pg_catalog.set_config('pegs_update.fit', coalesce(proacl::text, ''), true) FROM pg_catalog.pg_proc
	WHERE oid = '@extschema@.pegs_fit(text, regclass, name[], double precision, double precision, jsonb, int, double precision, int, jsonb)'::pg_catalog.regprocedure;
SELECT pg_catalog.set_config('pegs_update.fit_state', coalesce(proacl::text, ''), true) FROM pg_catalog.pg_proc
	WHERE oid = '@extschema@.pegs_fit_state(text, regclass, @extschema@.pegs_state, name[], double precision, double precision, jsonb, int, double precision, int, jsonb)'::pg_catalog.regprocedure;
SELECT pg_catalog.set_config('pegs_update.spec', coalesce(proacl::text, ''), true) FROM pg_catalog.pg_proc
	WHERE oid = '@extschema@.pegs_spec(regclass, name[], jsonb, int)'::pg_catalog.regprocedure;
SELECT pg_catalog.set_config('pegs_update.domain', coalesce(proacl::text, ''), true) FROM pg_catalog.pg_proc WHERE oid = '@extschema@.pegs_domain(regclass)'::pg_catalog.regprocedure;
SELECT pg_catalog.set_config('pegs_update.view_sql', coalesce(proacl::text, ''), true) FROM pg_catalog.pg_proc
	WHERE oid = '@extschema@.pegs_view_sql(text, text)'::pg_catalog.regprocedure;
-- everybody could call this one, unless a DBA took that back
SELECT pg_catalog.set_config('pegs_update.cost', coalesce(proacl, pg_catalog.acldefault('f', proowner))::text, true) FROM pg_catalog.pg_proc
	WHERE oid = '@extschema@.pegs_cost(text, bigint, double precision, bigint, double precision)'::pg_catalog.regprocedure;
SELECT pg_catalog.set_config('pegs_update.set_budget', coalesce(proacl::text, ''), true) FROM pg_catalog.pg_proc
	WHERE oid = '@extschema@.pegs_set_budget(regclass, double precision, double precision)'::pg_catalog.regprocedure;
-- names in what is printed are whole
SELECT pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);
DO $$
DECLARE
	dropped CONSTANT regprocedure[] := ARRAY[
		'@extschema@.pegs_domain(regclass)',
		'@extschema@.pegs_view_sql(text, text)',
		'@extschema@.pegs_set_budget(regclass, double precision, double precision)',
		'@extschema@.pegs_cost(text, bigint, double precision, bigint, double precision)',
		'@extschema@.pegs_audit(text, int, double precision)',
		'@extschema@.pegs_fit(text, regclass, name[], double precision, double precision, jsonb, int, double precision, int, jsonb)',
		'@extschema@.pegs_fit_state(text, regclass, @extschema@.pegs_state, name[], double precision, double precision, jsonb, int, double precision, int, jsonb)',
		'@extschema@.pegs_spec(regclass, name[], jsonb, int)',
		-- the parts of the report; pegs_report itself is replaced and keeps its grants
		'@extschema@.pegs_report_escape(text)',
		'@extschema@.pegs_report_number(double precision)',
		'@extschema@.pegs_report_measures()',
		'@extschema@.pegs_report_rules()',
		'@extschema@.pegs_report_verdicts(jsonb)',
		'@extschema@.pegs_report_style()',
		'@extschema@.pegs_report_mark(text)',
		'@extschema@.pegs_report_opinion(jsonb)',
		'@extschema@.pegs_report_papers(jsonb)',
		'@extschema@.pegs_report_marginal(text, jsonb, double precision)',
		'@extschema@.pegs_report_pairs(jsonb, jsonb)',
		'@extschema@.pegs_report_map(jsonb, double precision, double precision)',
		'@extschema@.pegs_report_measured(jsonb, text[])']::regprocedure[];
	built record;
BEGIN
	SELECT string_agg(pg_describe_object(u.classid, u.objid, u.objsubid) || ' uses ' || u.functions, '; ') AS uses,
		string_agg(CASE WHEN c.relkind IN ('v', 'm') THEN format('SELECT pg_get_viewdef(%L); DROP %s %s;', c.oid::regclass,
				CASE c.relkind WHEN 'v' THEN 'VIEW' ELSE 'MATERIALIZED VIEW' END, c.oid::regclass)
			WHEN p.oid IS NOT NULL THEN format('SELECT pg_get_functiondef(%L::regprocedure); DROP ROUTINE %s;', p.oid::regprocedure, p.oid::regprocedure) END, ' ') AS statements
	INTO built
	FROM (SELECT o.classid, o.objid, o.objsubid, string_agg(o.function, ', ') AS functions
		-- a view depends by its rule
		FROM (SELECT DISTINCT CASE WHEN r.oid IS NULL THEN d.classid ELSE 'pg_class'::regclass END AS classid, coalesce(r.ev_class, d.objid) AS objid,
				CASE WHEN r.oid IS NULL THEN d.objsubid ELSE 0 END AS objsubid, d.refobjid::regprocedure::text AS function
			FROM pg_depend AS d LEFT JOIN pg_rewrite AS r ON d.classid = 'pg_rewrite'::regclass AND r.oid = d.objid
			WHERE d.refclassid = 'pg_proc'::regclass AND d.refobjid = ANY (dropped::oid[]) AND d.deptype = 'n') AS o
		WHERE NOT EXISTS (SELECT FROM pg_depend AS e WHERE e.classid = o.classid AND e.objid = o.objid AND e.deptype = 'e'
			AND e.refclassid = 'pg_extension'::regclass AND e.refobjid = (SELECT x.oid FROM pg_extension AS x WHERE x.extname = 'pegs'))
		GROUP BY 1, 2, 3) AS u
	LEFT JOIN pg_class AS c ON u.classid = 'pg_class'::regclass AND c.oid = u.objid
	LEFT JOIN pg_proc AS p ON u.classid = 'pg_proc'::regclass AND p.oid = u.objid;
	IF built.uses IS NOT NULL THEN
		RAISE EXCEPTION 'pegs cannot be updated: something is built on functions that get other arguments or another answer' USING
			ERRCODE = 'dependent_objects_still_exist',
			DETAIL = built.uses || '. Nothing was changed.',
			HINT = concat_ws(' ', 'Keep its definition and its grants, drop it, and make it again when pegs is updated.', built.statements);
	END IF;
	EXECUTE 'DROP FUNCTION ' || (SELECT string_agg(f::text, ', ') FROM unnest(dropped) AS f);
END $$;
SELECT pg_catalog.set_config('search_path', '@extschema@, pg_temp', true);

-- a plain word; its grants stay, and what is built on it
ALTER VIEW @extschema@.pegs_ledger RENAME COLUMN deed TO action;

-- the types of a model's columns: until now they were known by their names alone. One that was renamed before this update is
-- not found, and its column cannot be read (NULL)
ALTER TABLE pegs_internal.model ADD COLUMN types regtype[];
UPDATE pegs_internal.model SET types = ARRAY(SELECT pg_catalog.to_regtype(c.value ->> 'type')
	FROM pg_catalog.jsonb_array_elements(spec::jsonb -> 'columns') WITH ORDINALITY AS c (value, n) ORDER BY n);

-- functions with more arguments: whoever could call one, can, and may pass it on if he could. What a script of an extension
-- grants counts as the extension's own and is not dumped; these are not, not even PUBLIC's: that is taken back
CREATE FUNCTION pegs_domain(source regclass)
RETURNS TABLE (column_name name, type text, origin text, levels text[], problem text, remedy text, n int)
AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL RESTRICTED ROWS 20;
COMMENT ON FUNCTION pegs_domain(regclass) IS 'the declared domain of every column of a source, where it is declared, its first levels, and what is missing';
REVOKE ALL ON FUNCTION pegs_domain(regclass) FROM PUBLIC;
CREATE FUNCTION pegs_set_budget(source regclass, epsilon double precision, delta double precision DEFAULT 0, accounting text DEFAULT NULL)
RETURNS void AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_set_budget(regclass, double precision, double precision, text) IS 'set or raise the privacy budget of the base table of a source; what is spent never comes back. accounting, of a new one: zcdp (with delta, if nothing is said), charges are added up in rho; sum, epsilon and delta are added up';
REVOKE ALL ON FUNCTION pegs_set_budget(regclass, double precision, double precision, text) FROM PUBLIC;
CREATE FUNCTION pegs_cost(model text, n bigint DEFAULT NULL, epsilon double precision DEFAULT NULL, block bigint DEFAULT 1,
	delta double precision DEFAULT 0, options jsonb DEFAULT '{}')
RETURNS TABLE (alpha double precision, blocks bigint, real_rows double precision, charged numeric, in_words text)
AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL UNSAFE ROWS 1;
COMMENT ON FUNCTION pegs_cost(text, bigint, double precision, bigint, double precision, jsonb)
IS 'what a sample would cost and how much noise it would carry, from public facts only';
REVOKE ALL ON FUNCTION pegs_cost(text, bigint, double precision, bigint, double precision, jsonb) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pegs_cost(text, bigint, double precision, bigint, double precision, jsonb) TO PUBLIC;
CREATE FUNCTION pegs_audit(model text, runs int DEFAULT 10000, epsilon double precision DEFAULT 1, n bigint DEFAULT NULL,
	block bigint DEFAULT 1, given jsonb DEFAULT NULL, delta double precision DEFAULT 0, options jsonb DEFAULT '{}')
RETURNS TABLE (epsilon_claimed double precision, lower_bound double precision, confidence double precision, runs_made int, event text,
	share double precision, share_neighbour double precision, holds boolean, guarantee text, reason text, exact_epsilon double precision,
	gaussian_epsilon double precision, statistic text)
AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE ROWS 1;
COMMENT ON FUNCTION pegs_audit(text, int, double precision, bigint, bigint, jsonb, double precision, jsonb)
IS 'weigh all answers of samples or fits on a table and on a neighbour: what they cost, exactly, and bounds on epsilon; not private, for the curator';

REVOKE ALL ON FUNCTION pegs_audit(text, int, double precision, bigint, bigint, jsonb, double precision, jsonb) FROM PUBLIC;
CREATE FUNCTION pegs_fit(model text, source regclass, columns name[] DEFAULT NULL,
	epsilon double precision DEFAULT NULL, delta double precision DEFAULT 0,
	parents jsonb DEFAULT NULL, max_parents int DEFAULT 2, structure_epsilon double precision DEFAULT 0.1,
	tail_bits int DEFAULT 0, options jsonb DEFAULT '{}', method text DEFAULT NULL)
RETURNS void AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_fit(text, regclass, name[], double precision, double precision, jsonb, int, double precision, int, jsonb, text)
IS 'fit a model: with epsilon a perturbed one, paid for now, rows free for ever; without, a sealed one, every sample pays';
REVOKE ALL ON FUNCTION pegs_fit(text, regclass, name[], double precision, double precision, jsonb, int, double precision, int, jsonb, text) FROM PUBLIC;
CREATE FUNCTION pegs_fit_state(model text, source regclass, state pegs_state, columns name[] DEFAULT NULL,
	epsilon double precision DEFAULT NULL, delta double precision DEFAULT 0,
	parents jsonb DEFAULT NULL, max_parents int DEFAULT 2, structure_epsilon double precision DEFAULT 0.1,
	tail_bits int DEFAULT 0, options jsonb DEFAULT '{}', method text DEFAULT NULL)
RETURNS void AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_fit_state(text, regclass, pegs_state, name[], double precision, double precision, jsonb, int, double precision, int, jsonb, text)
IS 'fit a model to a state made by pegs_agg and pegs_merge: the counts are the curator''s word';
REVOKE ALL ON FUNCTION pegs_fit_state(text, regclass, pegs_state, name[], double precision, double precision, jsonb, int, double precision, int, jsonb, text) FROM PUBLIC;
CREATE FUNCTION pegs_spec(source regclass, columns name[] DEFAULT NULL, parents jsonb DEFAULT NULL, tail_bits int DEFAULT 0,
	method text DEFAULT NULL)
RETURNS text AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL RESTRICTED;
COMMENT ON FUNCTION pegs_spec(regclass, name[], jsonb, int, text) IS 'what pegs_agg((SELECT pegs_spec(...)), ...) shall count, as canonical text: all pairs, with parents one conditional table a column, or what a method counts';
REVOKE ALL ON FUNCTION pegs_spec(regclass, name[], jsonb, int, text) FROM PUBLIC;
CREATE FUNCTION pegs_view_sql(name text, view_name text, role name DEFAULT 'public', kind text DEFAULT NULL)
RETURNS SETOF text AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL UNSAFE ROWS 20;
COMMENT ON FUNCTION pegs_view_sql(text, text, name, text) IS 'the statements that make a view of a release or perturbed model, for a role or everybody; \gexec runs them';
REVOKE ALL ON FUNCTION pegs_view_sql(text, text, name, text) FROM PUBLIC;
DO $$
DECLARE
	made record;
	may record;
BEGIN
	FOR made IN SELECT f.setting, f.oid, i.initprivs AS own FROM (VALUES
			('pegs_update.domain', '@extschema@.pegs_domain(regclass)'::pg_catalog.regprocedure),
			('pegs_update.set_budget', '@extschema@.pegs_set_budget(regclass, double precision, double precision, text)'::pg_catalog.regprocedure),
			('pegs_update.cost', '@extschema@.pegs_cost(text, bigint, double precision, bigint, double precision, jsonb)'::pg_catalog.regprocedure),
			('pegs_update.audit', '@extschema@.pegs_audit(text, int, double precision, bigint, bigint, jsonb, double precision, jsonb)'::pg_catalog.regprocedure),
			('pegs_update.view_sql', '@extschema@.pegs_view_sql(text, text, name, text)'::pg_catalog.regprocedure),
			('pegs_update.fit', '@extschema@.pegs_fit(text, regclass, name[], double precision, double precision, jsonb, int, double precision, int, jsonb, text)'::pg_catalog.regprocedure),
			('pegs_update.fit_state', '@extschema@.pegs_fit_state(text, regclass, @extschema@.pegs_state, name[], double precision, double precision, jsonb, int, double precision, int, jsonb, text)'::pg_catalog.regprocedure),
			('pegs_update.spec', '@extschema@.pegs_spec(regclass, name[], jsonb, int, text)'::pg_catalog.regprocedure)
		) AS f (setting, oid) LEFT JOIN pg_catalog.pg_init_privs AS i ON i.objoid = f.oid AND i.classoid = 'pg_catalog.pg_proc'::pg_catalog.regclass
	LOOP
		-- default privileges reach what is made anew: what a DBA took back stays so
		FOR may IN SELECT DISTINCT a.grantee FROM pg_catalog.pg_proc AS p, pg_catalog.aclexplode(p.proacl) AS a WHERE p.oid = made.oid AND a.grantee <> p.proowner
		LOOP
			EXECUTE format('REVOKE ALL ON FUNCTION %s FROM %s CASCADE', made.oid, CASE WHEN may.grantee = 0 THEN 'PUBLIC' ELSE may.grantee::pg_catalog.regrole::text END);
		END LOOP;
		FOR may IN SELECT a.grantee, a.is_grantable FROM pg_catalog.aclexplode(nullif(current_setting(made.setting), '')::aclitem[]) AS a
			JOIN pg_catalog.pg_proc AS p ON p.oid = made.oid WHERE a.grantee <> p.proowner
		LOOP
			EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO %s%s', made.oid,
				CASE WHEN may.grantee = 0 THEN 'PUBLIC' ELSE may.grantee::pg_catalog.regrole::text END,
				CASE WHEN may.is_grantable AND may.grantee <> 0 THEN ' WITH GRANT OPTION' ELSE '' END);
		END LOOP;
		UPDATE pg_catalog.pg_init_privs SET initprivs = made.own WHERE objoid = made.oid AND classoid = 'pg_catalog.pg_proc'::pg_catalog.regclass;
	END LOOP;
END $$;

-- where an account is kept: also the files of its database. Accounts that are at home now are known by them from now on
ALTER TABLE pegs_internal.budget ADD COLUMN home text;
ALTER TABLE pegs_internal.budget ADD COLUMN entry bigint;
CREATE FUNCTION pegs_internal.home()
RETURNS text AS 'MODULE_PATHNAME', 'pegs_home' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_internal.home() IS 'modification time and number of the file that was written when this database was made; a checkpoint, if that was just now';
REVOKE ALL ON FUNCTION pegs_internal.home() FROM PUBLIC;
UPDATE pegs_internal.budget AS b SET home = pegs_internal.home(), entry = d.xmin::text::bigint
FROM pg_catalog.pg_database AS d
WHERE d.datname = current_database()
	AND pegs_internal.elsewhere(b.system_identifier, b.timeline, b.database, b.epsilon_spent, b.sequence) IS NULL;

CREATE FUNCTION pegs_internal.elsewhere(system_identifier numeric, timeline bigint, database oid, epsilon_spent regclass, sequence oid,
	home text, entry bigint)
RETURNS text AS 'MODULE_PATHNAME', 'pegs_elsewhere_sql' LANGUAGE C STABLE PARALLEL SAFE;
COMMENT ON FUNCTION pegs_internal.elsewhere(numeric, bigint, oid, regclass, oid, text, bigint) IS 'where a budget was kept, in words, if it was not here';
REVOKE ALL ON FUNCTION pegs_internal.elsewhere(numeric, bigint, oid, regclass, oid, text, bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pegs_internal.elsewhere(numeric, bigint, oid, regclass, oid, text, bigint) TO PUBLIC;

-- the function that the view has called goes; the view itself is made anew below (budget/views.sql), and keeps its grants
CREATE OR REPLACE VIEW @extschema@.pegs_budgets WITH (security_barrier) AS
SELECT source, 0.0 AS epsilon, 0.0 AS spent, 0.0 AS remaining, 0.0 AS delta, 0.0 AS delta_spent, '' AS copied_from, false AS uncovered FROM pegs_internal.budget;
DROP FUNCTION pegs_internal.elsewhere(numeric, bigint, oid, regclass, oid);

/* ---- names, grants, makers of releases ---- */

-- partial, so that the name is no key column: a release that holds its model makes no dropper of the name wait
ALTER TABLE pegs_internal.model DROP CONSTRAINT model_name_key;
CREATE UNIQUE INDEX model_name_key ON pegs_internal.model (name) WHERE name IS NOT NULL;

ALTER TABLE pegs_internal.access ADD COLUMN max_rows bigint, ADD COLUMN max_releases bigint;
ALTER TABLE pegs_internal.access ALTER COLUMN max_rows SET DEFAULT 1000000, ALTER COLUMN max_releases SET DEFAULT 100;
UPDATE pegs_internal.access SET max_rows = DEFAULT, max_releases = DEFAULT;
COMMENT ON TABLE pegs_internal.access IS 'who may use a model or release; for a sealed model, how much epsilon; how much releases of the grantee may store (null: no limit)';

CREATE TABLE pegs_internal.revoked (
	sequence regclass PRIMARY KEY
);
COMMENT ON TABLE pegs_internal.revoked IS 'sequences of caps that were taken back: dropped when no transaction has them open';

-- the order of the columns is known to src/models/maker.c
CREATE TABLE pegs_internal.maker (
	release bigint PRIMARY KEY,
	model bigint NOT NULL,
	maker regrole NOT NULL,
	grantee regrole,
	rows bigint NOT NULL
);
CREATE INDEX maker_model ON pegs_internal.maker (model);
COMMENT ON TABLE pegs_internal.maker IS 'who made a release, by the grant of its model to whom (null: a curator), and how many rows it stores';

SELECT pg_catalog.pg_extension_config_dump('pegs_internal.revoked', 'WHERE sequence IN (SELECT oid FROM pg_class)');
SELECT pg_catalog.pg_extension_config_dump('pegs_internal.maker', 'WHERE release IN (SELECT id FROM pegs_internal.release WHERE (account = 0 OR account IN (SELECT oid FROM pg_class)))
	AND maker IN (SELECT oid FROM pg_roles) AND (grantee IS NULL OR grantee = 0 OR grantee IN (SELECT oid FROM pg_roles))');


-- 0.2.0 dropped them at once; a library that is newer than the SQL leaves them
INSERT INTO pegs_internal.revoked (sequence)
SELECT c.oid FROM pg_catalog.pg_class AS c WHERE c.relnamespace = 'pegs_internal'::pg_catalog.regnamespace AND c.relkind = 'S'
	AND c.relname ~ '^cap_[0-9]+$' AND NOT EXISTS (SELECT FROM pegs_internal.access AS a WHERE a.cap_spent = c.oid);

/* ---- dropped tables ---- */

-- the order of the columns is known to src/source/origin.c; not in a dump: numbers of transactions mean nothing elsewhere
CREATE TABLE pegs_internal.origin (
	relation regclass NOT NULL,
	made xid NOT NULL,
	owner regrole NOT NULL,
	system_identifier text NOT NULL,
	database oid NOT NULL,
	dropped timestamptz
);
CREATE INDEX origin_relation ON pegs_internal.origin (relation);
COMMENT ON TABLE pegs_internal.origin IS 'what the table of an account is known by: the transaction that made it; and whose it is, or was when it was dropped';
-- accounts of tables that are there are known by them from now on; the others are dead
INSERT INTO pegs_internal.origin (relation, made, owner, system_identifier, database, dropped)
SELECT a.account, coalesce((SELECT t.xmin FROM pg_catalog.pg_depend AS t WHERE t.classid = 'pg_catalog.pg_type'::pg_catalog.regclass AND t.objid = c.reltype
	AND t.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass AND t.refobjid = c.oid AND t.deptype = 'i'), '0'::pg_catalog.xid),
	coalesce(c.relowner, e.extowner), (SELECT s.system_identifier::pg_catalog.text FROM pg_catalog.pg_control_system() AS s), d.oid,
	CASE WHEN c.oid IS NULL THEN pg_catalog.clock_timestamp() END
FROM (SELECT source AS account FROM pegs_internal.budget UNION SELECT account FROM pegs_internal.model UNION SELECT account FROM pegs_internal.release) AS a
	LEFT JOIN pg_catalog.pg_class AS c ON c.oid = a.account
	JOIN pg_catalog.pg_extension AS e ON e.extname = 'pegs' JOIN pg_catalog.pg_database AS d ON d.datname = pg_catalog.current_database()
WHERE a.account <> 0;
-- exact counts of tables that were dropped before
CREATE TEMPORARY TABLE pegs_buried ON COMMIT DROP AS
SELECT m.id, m.name FROM pegs_internal.model AS m WHERE m.sealed AND m.account <> 0 AND m.account::pg_catalog.oid NOT IN (SELECT c.oid FROM pg_catalog.pg_class AS c);
DELETE FROM pegs_internal.access AS a USING pg_temp.pegs_buried AS b WHERE a.object = b.id;
DELETE FROM pegs_internal.name AS n USING pg_temp.pegs_buried AS b WHERE n.name = b.name;
DELETE FROM pegs_internal.body AS t USING pg_temp.pegs_buried AS b WHERE t.model = b.id;
UPDATE pegs_internal.model AS m SET name = NULL FROM pg_temp.pegs_buried AS b WHERE m.id = b.id;
DELETE FROM pegs_internal.model AS m USING pg_temp.pegs_buried AS b WHERE m.id = b.id AND NOT EXISTS (SELECT FROM pegs_internal.release AS r WHERE r.model = m.id);
DROP TABLE pg_temp.pegs_buried;

CREATE FUNCTION pegs_internal.table_dropped()
RETURNS event_trigger AS 'MODULE_PATHNAME', 'pegs_table_dropped' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_internal.table_dropped() IS 'a dropped table takes its exact counts and declared facts with it';

-- of any command: what takes a table or view with it may be the DROP of a function, an operator class or a collation (CASCADE)
CREATE EVENT TRIGGER pegs_table_dropped ON sql_drop EXECUTE FUNCTION pegs_internal.table_dropped();
ALTER EVENT TRIGGER pegs_table_dropped ENABLE ALWAYS;
COMMENT ON EVENT TRIGGER pegs_table_dropped IS 'a dropped table takes its exact counts and declared facts with it';

REVOKE ALL ON FUNCTION pegs_internal.table_dropped() FROM PUBLIC;

CREATE FUNCTION pegs_limit(model text, role name, max_rows bigint DEFAULT 1000000, max_releases bigint DEFAULT 100)
RETURNS void AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_limit(text, name, bigint, bigint)
IS 'how many rows and releases of a model a role to which it is granted may store (null: any number)';

CREATE FUNCTION pegs_withdraw(model text, role name DEFAULT NULL)
RETURNS bigint AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_withdraw(text, name) IS 'drop the releases of a model, all or those made by the grant to a role; gives how many';

REVOKE ALL ON FUNCTION pegs_limit(text, name, bigint, bigint), pegs_withdraw(text, name) FROM PUBLIC;

-- whoever may grant a model may also limit the grant and withdraw what was released by it
DO $$
DECLARE
	f pg_catalog.regprocedure;
	g record;
BEGIN
	FOREACH f IN ARRAY ARRAY['pegs_limit(text,name,bigint,bigint)', 'pegs_withdraw(text,name)']::pg_catalog.regprocedure[]
	LOOP
		FOR g IN SELECT a.grantee, a.is_grantable FROM pg_catalog.pg_proc AS p, pg_catalog.aclexplode(p.proacl) AS a
			WHERE p.oid = 'pegs_grant(text,name,double precision)'::pg_catalog.regprocedure AND a.grantee NOT IN (0, p.proowner)
		LOOP
			EXECUTE pg_catalog.format('GRANT EXECUTE ON FUNCTION %s TO %s%s', f, g.grantee::pg_catalog.regrole,
				CASE WHEN g.is_grantable THEN ' WITH GRANT OPTION' END);
		END LOOP;
	END LOOP;
END
$$;

-- the maker of a release may drop it
GRANT EXECUTE ON FUNCTION pegs_drop(text) TO PUBLIC;

/* ---- what is left of dropped tables and roles ---- */

-- the names in a view mean ours and PostgreSQL's: not what anybody has put into the extension's schema before
SELECT pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);
CREATE FUNCTION pegs_internal.leftovers()
RETURNS TABLE (item text, state text, remedy text) AS 'MODULE_PATHNAME', 'pegs_leftovers' LANGUAGE C VOLATILE PARALLEL UNSAFE ROWS 10;
COMMENT ON FUNCTION pegs_internal.leftovers() IS 'what is left of dropped tables and roles, for their curators';

CREATE VIEW @extschema@.pegs_leftovers WITH (security_barrier) AS
SELECT item, state, remedy FROM pegs_internal.leftovers();
COMMENT ON VIEW @extschema@.pegs_leftovers IS 'what is left of dropped tables and roles: accounts, models, releases and grants that somebody should drop';
SELECT pg_catalog.set_config('search_path', '@extschema@, pg_temp', true);
REVOKE ALL ON FUNCTION pegs_internal.leftovers() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pegs_internal.leftovers() TO PUBLIC;
GRANT SELECT ON pegs_leftovers TO PUBLIC;

-- one word for all curators' functions, kept across updates
CREATE TABLE pegs_internal.curator (
	role regrole PRIMARY KEY,
	allowed timestamptz NOT NULL DEFAULT clock_timestamp()
);
COMMENT ON TABLE pegs_internal.curator IS 'roles that pegs_allow gave the curators'' functions: those of a later version are theirs, too';
SELECT pg_catalog.pg_extension_config_dump('pegs_internal.curator', 'WHERE role IN (SELECT oid FROM pg_roles)');

CREATE FUNCTION pegs_allow(role name)
RETURNS void AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_allow(name) IS 'give a role all curators'' functions, those of later versions too; what it may do with a table is asked at every call';

CREATE FUNCTION pegs_disallow(role name)
RETURNS void AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_disallow(name) IS 'take all curators'' functions from a role';

CREATE FUNCTION pegs_internal.allow_again()
RETURNS void AS 'MODULE_PATHNAME', 'pegs_allow_again' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_internal.allow_again() IS 'after an update: what is new, to those who were allowed before';

REVOKE ALL ON FUNCTION pegs_internal.allow_again(), pegs_allow(name), pegs_disallow(name) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pegs_combine(double precision[], double precision[]) TO PUBLIC;

/* ---- the privacy unit: the right rows of a person, persons that weigh equally, accounts that mix units ---- */

ALTER TABLE pegs_internal.unit ADD COLUMN rows_each int, ADD COLUMN attnum smallint, ADD COLUMN relation oid;
UPDATE pegs_internal.unit AS u SET attnum = a.attnum, relation = a.attrelid
FROM pg_catalog.pg_attribute AS a WHERE a.attrelid = u.source AND a.attname = u.column_name AND NOT a.attisdropped;
COMMENT ON TABLE pegs_internal.unit IS 'privacy units: the column of a base table that says whose row it is, and how many rows of a person count; rows_each: persons weigh equally, each counts so many times';
ALTER TABLE pegs_internal.ledger ADD COLUMN unit text;

/* ---- accounts in rho: those that exist go on adding up epsilon and delta ---- */

ALTER TABLE pegs_internal.budget ADD COLUMN rho_spent regclass;
COMMENT ON TABLE pegs_internal.budget IS 'accounts of base tables: totals in units of 1e-9 and 1e-18; what is spent is the last value of two sequences, or of a third';
ALTER TABLE pegs_internal.ledger ADD COLUMN rho_from bigint, ADD COLUMN rho_to bigint, ADD COLUMN compared bigint[];
CREATE INDEX ledger_rho ON pegs_internal.ledger (source, rho_to) WHERE rho_to IS NOT NULL;

CREATE FUNCTION pegs_internal.in_rho(source regclass, OUT total bigint, OUT spent bigint, OUT epsilon bigint, OUT delta bigint)
RETURNS record AS 'MODULE_PATHNAME', 'pegs_in_rho_sql' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_internal.in_rho(regclass) IS 'of an account in rho: its total and what is spent, in units of 2^-50, and as which epsilon at which delta; null unless the caller is its curator';
REVOKE ALL ON FUNCTION pegs_internal.in_rho(regclass) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pegs_internal.in_rho(regclass) TO PUBLIC;

ALTER TABLE pegs_internal.model ADD COLUMN rows_each int, ADD COLUMN method text, ADD COLUMN domain_epsilon bigint,
	ADD COLUMN domain_delta bigint, ADD COLUMN domain_other_unit boolean;
ALTER TABLE pegs_internal.release ADD COLUMN keys name[], ADD COLUMN delta bigint, ADD COLUMN sweeps int;
CREATE FUNCTION pegs_internal.guarantee(method text, sealed boolean, l_diversity double precision)
RETURNS text AS 'MODULE_PATHNAME', 'pegs_guarantee' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION pegs_internal.guarantee(text, boolean, double precision) IS 'of a model of that method: by how it is paid for';
REVOKE ALL ON FUNCTION pegs_internal.guarantee(text, boolean, double precision) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pegs_internal.guarantee(text, boolean, double precision) TO PUBLIC;

CREATE FUNCTION pegs_internal.called(method text, sealed boolean, l_diversity double precision)
RETURNS text AS 'MODULE_PATHNAME', 'pegs_called' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION pegs_internal.called(text, boolean, double precision) IS 'of a model of that method: what pegs_fit calls it';
REVOKE ALL ON FUNCTION pegs_internal.called(text, boolean, double precision) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pegs_internal.called(text, boolean, double precision) TO PUBLIC;

CREATE FUNCTION pegs_internal.kind(method text, sealed boolean)
RETURNS text AS 'MODULE_PATHNAME', 'pegs_kind' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION pegs_internal.kind(text, boolean) IS 'of a model of that method: sealed, perturbed or score';
REVOKE ALL ON FUNCTION pegs_internal.kind(text, boolean) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pegs_internal.kind(text, boolean) TO PUBLIC;

COMMENT ON FUNCTION pegs_set_unit(regclass, name, int) IS 'protect a person instead of a row: at most max_rows rows of each are read; a NULL column goes back to rows';

CREATE FUNCTION pegs_set_unit(source regclass, column_name name, weighting text)
RETURNS void AS 'MODULE_PATHNAME', 'pegs_set_unit_weighting' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_set_unit(regclass, name, text) IS 'protect a person instead of a row; ''person'': all persons weigh the same, whatever the number of rows; ''row'': one row of each is read';

CREATE FUNCTION pegs_set_unit(source regclass, column_name name, max_rows int, weighting text)
RETURNS void AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_set_unit(regclass, name, int, text) IS 'pegs_set_unit with both: max_rows has no effect where persons weigh the same';

CREATE FUNCTION pegs_unit_cost(epsilon double precision, delta double precision DEFAULT 0)
RETURNS TABLE (weighting text, max_rows int, noise double precision, in_words text)
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE ROWS 9;
COMMENT ON FUNCTION pegs_unit_cost(double precision, double precision) IS 'what max_rows of pegs_set_unit costs: the standard deviation of the noise in a table on which all of epsilon is spent; reads no table';

REVOKE ALL ON FUNCTION pegs_set_unit(regclass, name, text), pegs_set_unit(regclass, name, int, text), pegs_unit_cost(double precision, double precision) FROM PUBLIC;

/* ---- undeclared => 'drop': rows with a value that is not declared are left out ---- */

ALTER TABLE pegs_internal.fact ADD COLUMN drop_undeclared boolean, ADD COLUMN points text[], ADD COLUMN step text, ADD COLUMN not_null boolean, ADD COLUMN left_out boolean, ADD COLUMN derived text, ADD COLUMN nearest boolean,
	ADD COLUMN learnt_charge bigint[], ADD COLUMN learnt_epsilon bigint[], ADD COLUMN learnt_delta bigint[], ADD COLUMN learnt_unit text[],
	ADD COLUMN parts text[], ADD COLUMN zone text, ADD COLUMN earlier name;

-- facts are of columns, not of names; those of names that no column has are known by them alone
ALTER TABLE pegs_internal.fact ADD COLUMN attnum smallint, ADD COLUMN relation oid, ADD COLUMN inputs smallint[], ADD COLUMN input_names text[], ADD COLUMN function jsonb, ADD COLUMN groups jsonb, ADD COLUMN via text[], ADD COLUMN weight name;
SELECT pg_catalog.pg_extension_config_dump('pegs_internal.fact', 'WHERE source IN (SELECT oid FROM pg_class) AND (lookup IS NULL OR lookup IN (SELECT oid FROM pg_class))'
	' AND NOT EXISTS (SELECT FROM pg_attribute AS a WHERE a.attrelid = source AND a.attrelid = fact.relation AND a.attnum > 0 AND NOT a.attisdropped'
	' AND ((a.attname = column_name AND a.attnum <> fact.attnum) OR a.attnum <> inputs[array_position(input_names, a.attname::text)]))');
UPDATE pegs_internal.fact AS f SET attnum = a.attnum, relation = a.attrelid
FROM pg_catalog.pg_attribute AS a WHERE a.attrelid = f.source AND a.attname = f.column_name AND a.attnum > 0 AND NOT a.attisdropped;
ALTER TABLE pegs_internal.forbidden ADD COLUMN attnums smallint[], ADD COLUMN relation oid;
UPDATE pegs_internal.forbidden AS f SET attnums = k.attnums, relation = f.source
FROM (SELECT z.source, z.combination, pg_catalog.array_agg(a.attnum ORDER BY n.n) AS attnums
	FROM pegs_internal.forbidden AS z CROSS JOIN pg_catalog.jsonb_object_keys(z.combination) WITH ORDINALITY AS n (name, n)
		LEFT JOIN pg_catalog.pg_attribute AS a ON a.attrelid = z.source AND a.attname = n.name::pg_catalog.name AND a.attnum > 0 AND NOT a.attisdropped
	GROUP BY z.source, z.combination HAVING pg_catalog.count(*) = pg_catalog.count(a.attnum)) AS k
WHERE k.source = f.source AND k.combination = f.combination;

CREATE FUNCTION pegs_set_levels(source regclass, column_name name, levels text, other text DEFAULT NULL,
	undeclared text DEFAULT 'error', nullable boolean DEFAULT NULL)
RETURNS void AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_set_levels(regclass, name, text, text, text, boolean) IS 'declare the levels of a column, a list as ''{a, b}''; undeclared => ''drop'': a row with another value is left out of every fit; nullable => false: none is NULL';
REVOKE ALL ON FUNCTION pegs_set_levels(regclass, name, text, text, text, boolean) FROM PUBLIC;

CREATE FUNCTION pegs_set_levels(source regclass, column_name name, levels anyarray, other text DEFAULT NULL,
	undeclared text DEFAULT 'error', nullable boolean DEFAULT NULL)
RETURNS void AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_set_levels(regclass, name, anyarray, text, text, boolean) IS 'declare the levels of a column, an array of any type';
REVOKE ALL ON FUNCTION pegs_set_levels(regclass, name, anyarray, text, text, boolean) FROM PUBLIC;

CREATE FUNCTION pegs_set_lookup(source regclass, column_name name, lookup regclass, lookup_column name,
	undeclared text DEFAULT 'error', nullable boolean DEFAULT NULL, via name[] DEFAULT NULL, weight name DEFAULT NULL)
RETURNS void AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_set_lookup(regclass, name, regclass, name, text, boolean, name[], name) IS 'declare that the levels of a column are those of a public lookup table; undeclared => ''drop'': a row with another value is left out of every fit; via: it is modelled by these columns of that table, and a row gets one of the keys that have what it has there; weight: by this public column of it, not each as likely';
REVOKE ALL ON FUNCTION pegs_set_lookup(regclass, name, regclass, name, text, boolean, name[], name) FROM PUBLIC;

CREATE FUNCTION pegs_set_bins(source regclass, column_name name, edges text, undeclared text DEFAULT 'error',
	points text DEFAULT NULL, step text DEFAULT NULL, nullable boolean DEFAULT NULL, parts text DEFAULT NULL)
RETURNS void AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_set_bins(regclass, name, text, text, text, text, boolean, text) IS 'declare bins [a, b), a list of edges as ''{0, 10, 20}''; points: values that are levels of their own; step: values are multiples of it; parts: a timestamp is modelled by its day and hour';
REVOKE ALL ON FUNCTION pegs_set_bins(regclass, name, text, text, text, text, boolean, text) FROM PUBLIC;

CREATE FUNCTION pegs_set_bins(source regclass, column_name name, edges anyarray, undeclared text DEFAULT 'error',
	points text DEFAULT NULL, step text DEFAULT NULL, nullable boolean DEFAULT NULL, parts text DEFAULT NULL)
RETURNS void AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_set_bins(regclass, name, anyarray, text, text, text, boolean, text) IS 'declare bins [a, b), an array of edges of any type';
REVOKE ALL ON FUNCTION pegs_set_bins(regclass, name, anyarray, text, text, text, boolean, text) FROM PUBLIC;

CREATE FUNCTION pegs_set_bins(source regclass, column_name name, low anycompatible, high anycompatible, bins int, undeclared text DEFAULT 'error',
	points text DEFAULT NULL, step text DEFAULT NULL, nullable boolean DEFAULT NULL, parts text DEFAULT NULL)
RETURNS void AS 'MODULE_PATHNAME', 'pegs_set_bins_between' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_set_bins(regclass, name, anycompatible, anycompatible, int, text, text, text, boolean, text) IS 'declare so many bins of equal width between two values; the last one is closed';
REVOKE ALL ON FUNCTION pegs_set_bins(regclass, name, anycompatible, anycompatible, int, text, text, text, boolean, text) FROM PUBLIC;

CREATE FUNCTION pegs_order(source regclass, earlier name, later name, longest text DEFAULT NULL, bins int DEFAULT 30)
RETURNS void AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_order(regclass, name, name, text, int) IS 'declare that a column is never before another: it is modelled by how much it is after that, and computed in each row that is drawn';
REVOKE ALL ON FUNCTION pegs_order(regclass, name, name, text, int) FROM PUBLIC;

CREATE FUNCTION pegs_levels(source regclass, column_name name)
RETURNS SETOF text AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL UNSAFE ROWS 20;
COMMENT ON FUNCTION pegs_levels(regclass, name) IS 'all levels of a column, in order; a bin as [a, b)';
REVOKE ALL ON FUNCTION pegs_levels(regclass, name) FROM PUBLIC;

CREATE FUNCTION pegs_propose(source regclass, epsilon double precision DEFAULT NULL, delta double precision DEFAULT 0)
RETURNS SETOF text AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL UNSAFE ROWS 20;
COMMENT ON FUNCTION pegs_propose(regclass, double precision, double precision) IS 'a statement for each column that needs a declaration, made from catalog, types and names alone; \gexec runs them';
REVOKE ALL ON FUNCTION pegs_propose(regclass, double precision, double precision) FROM PUBLIC;

CREATE FUNCTION pegs_facts(source regclass)
RETURNS jsonb AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_facts(regclass) IS 'what is declared about a table, for git and for another table: pegs_declare takes it';
REVOKE ALL ON FUNCTION pegs_facts(regclass) FROM PUBLIC;

CREATE FUNCTION pegs_declare(source regclass, facts jsonb)
RETURNS void AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_declare(regclass, jsonb) IS 'declare columns, forbidden combinations and the privacy unit of a table in one go, or nothing';
REVOKE ALL ON FUNCTION pegs_declare(regclass, jsonb) FROM PUBLIC;

CREATE FUNCTION pegs_set_derived(source regclass, column_name name, expression text)
RETURNS void AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_set_derived(regclass, name, text) IS 'declare that a column is computed from others of its row: it is not modelled, but computed in each row that is drawn';
REVOKE ALL ON FUNCTION pegs_set_derived(regclass, name, text) FROM PUBLIC;

CREATE FUNCTION pegs_set_function(source regclass, column_name name, of name, mapping jsonb, null_value text DEFAULT NULL)
RETURNS void AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_set_function(regclass, name, name, jsonb, text) IS 'declare that a column follows from another, level by level: it is not modelled, but computed in each row that is drawn, and a row that is otherwise ends a fit';
REVOKE ALL ON FUNCTION pegs_set_function(regclass, name, name, jsonb, text) FROM PUBLIC;

CREATE FUNCTION pegs_set_groups(source regclass, column_name name, groups jsonb)
RETURNS void AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_set_groups(regclass, name, jsonb) IS 'declare which levels of a column belong together: where noise is too much for single levels, those of a group are put together first; NULL forgets it';
REVOKE ALL ON FUNCTION pegs_set_groups(regclass, name, jsonb) FROM PUBLIC;

CREATE TABLE pegs_internal.hierarchy (
	source regclass NOT NULL,
	column_name name NOT NULL,
	steps jsonb NOT NULL,	-- finest first; a lookup table is its place in ...
	lookups regclass[] NOT NULL,
	attnum smallint,	-- of the column when it was declared: it follows a new name
	relation oid,	-- of which attnum is the number: a restored dump has another
	UNIQUE (source, attnum, relation)
);
COMMENT ON TABLE pegs_internal.hierarchy IS 'hierarchies of columns: what their levels become, step by step, when they are generalised';
SELECT pg_catalog.pg_extension_config_dump('pegs_internal.hierarchy', 'WHERE source IN (SELECT oid FROM pg_class)'
	' AND NOT EXISTS (SELECT FROM unnest(lookups) AS l (table_oid) WHERE l.table_oid NOT IN (SELECT oid FROM pg_class))'
	' AND NOT EXISTS (SELECT FROM pg_attribute AS a WHERE a.attrelid = source AND a.attrelid = hierarchy.relation AND a.attnum <> hierarchy.attnum'
	' AND a.attname = column_name AND NOT a.attisdropped)');

CREATE FUNCTION pegs_set_hierarchy(source regclass, column_name name, steps jsonb)
RETURNS void AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_set_hierarchy(regclass, name, jsonb) IS 'declare what the levels of a column become when they are generalised, step by step, finest first; NULL forgets it';
REVOKE ALL ON FUNCTION pegs_set_hierarchy(regclass, name, jsonb) FROM PUBLIC;

CREATE FUNCTION pegs_hierarchy(source regclass, column_name name)
RETURNS TABLE (level text, steps text[])
AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL UNSAFE ROWS 20;
COMMENT ON FUNCTION pegs_hierarchy(regclass, name) IS 'the hierarchy of a column: of each level, what it becomes at step 1, 2, ...; declared, or of its groups or bins';
REVOKE ALL ON FUNCTION pegs_hierarchy(regclass, name) FROM PUBLIC;

CREATE FUNCTION pegs_leave_out(source regclass, column_name name)
RETURNS void AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_leave_out(regclass, name) IS 'leave a column out of models that name no columns; pegs_unset takes it back';
REVOKE ALL ON FUNCTION pegs_leave_out(regclass, name) FROM PUBLIC;

/* ---- n has a default: CREATE OR REPLACE keeps rights and what is built on it ---- */

CREATE OR REPLACE FUNCTION pegs_sample(model text, n bigint DEFAULT NULL, epsilon double precision DEFAULT NULL, block bigint DEFAULT 1,
	delta double precision DEFAULT 0, given jsonb DEFAULT NULL, options jsonb DEFAULT '{}')
RETURNS SETOF record AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE ROWS 1000
SUPPORT pegs_internal.sample_support;

CREATE OR REPLACE FUNCTION pegs_sample_as(row_type anyelement, model text, n bigint DEFAULT NULL, epsilon double precision DEFAULT NULL,
	block bigint DEFAULT 1, delta double precision DEFAULT 0, given jsonb DEFAULT NULL, options jsonb DEFAULT '{}')
RETURNS SETOF anyelement AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE ROWS 1000
SUPPORT pegs_internal.sample_support;


CREATE OR REPLACE FUNCTION pegs_release(release text, model text, n bigint DEFAULT NULL, epsilon double precision DEFAULT NULL,
	block bigint DEFAULT 1, delta double precision DEFAULT 0, given jsonb DEFAULT NULL, options jsonb DEFAULT '{}')
RETURNS void AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_sample(text, bigint, double precision, bigint, double precision, jsonb, jsonb)
IS 'n synthetic rows, or as many as a perturbed model stands for; of a sealed model epsilon is the total of the call, shared by blocks of rows';

/* ---- for analysts ---- */

-- made here, so that what somebody made by that name before stops the update; its body and COMMENT come below (models/views.sql)
CREATE FUNCTION pegs_pairs(name text)
RETURNS TABLE (columns name[], classes int[], noise double precision, in_tree boolean)
LANGUAGE sql AS 'SELECT NULL::pg_catalog.name[], NULL::pg_catalog.int4[], NULL::pg_catalog.float8, NULL::pg_catalog.bool';

CREATE FUNCTION pegs_columns(name text, first bigint DEFAULT 5)
RETURNS TABLE (column_name name, type text, domain text, levels int, nullable boolean, first_levels text[], other text)
AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL RESTRICTED ROWS 20;
COMMENT ON FUNCTION pegs_columns(text, bigint) IS 'the columns of a model or release: types, how many levels or bins, the first of them; first => NULL shows all';
-- everyone may call it
/* ---- domains that are learnt, and charged ---- */

CREATE FUNCTION pegs_learn_levels(source regclass, column_name name, epsilon double precision, delta double precision)
RETURNS void AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_learn_levels(regclass, name, double precision, double precision) IS 'learn the levels of a column from its rows, charged: values whose noisy number of rows is above a threshold are declared';
REVOKE ALL ON FUNCTION pegs_learn_levels(regclass, name, double precision, double precision) FROM PUBLIC;

CREATE FUNCTION pegs_learn_range(source regclass, column_name name, epsilon double precision, bins int DEFAULT 32)
RETURNS void AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_learn_range(regclass, name, double precision, int) IS 'learn where the numbers, dates or times of a column lie, charged: about so many bins are declared, and values outside count in the first or the last';
REVOKE ALL ON FUNCTION pegs_learn_range(regclass, name, double precision, int) FROM PUBLIC;

CREATE FUNCTION pegs_learn(source regclass, epsilon double precision, delta double precision DEFAULT 0, columns name[] DEFAULT NULL, bins int DEFAULT 32)
RETURNS void AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_learn(regclass, double precision, double precision, name[], int) IS 'learn the domain of many columns from their rows, charged once: ranges of numbers, dates and times, levels of others; what nothing is learnt of is left out of models';
REVOKE ALL ON FUNCTION pegs_learn(regclass, double precision, double precision, name[], int) FROM PUBLIC;

CREATE FUNCTION pegs_plan(source regclass, rows bigint, epsilon double precision DEFAULT NULL, delta double precision DEFAULT 0, options jsonb DEFAULT '{}', method text DEFAULT NULL)
RETURNS TABLE (epsilon double precision, delta double precision, oneway_sd double precision, pair_sd double precision,
	share_points double precision, difference_points double precision, bins text[], in_words text)
AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE ROWS 4;
COMMENT ON FUNCTION pegs_plan(regclass, bigint, double precision, double precision, jsonb, text)
IS 'what a fit of so many rows would be good for, for several epsilons: noise of shares, differences that can be seen, bins; from public facts alone, reads no row, charges nothing';
REVOKE ALL ON FUNCTION pegs_plan(regclass, bigint, double precision, double precision, jsonb, text) FROM PUBLIC;

COMMENT ON FUNCTION pegs_ru_map(regclass, double precision[], bigint, bigint, int, name[], jsonb, double precision, name[], name, text[], int)
IS 'risk against utility: what n rows would be worth at each epsilon, by PeGS, PeGS.rs, a fit, or methods by name; nothing is released, charged or stored; not private, for the curator';

CREATE FUNCTION pegs_best(source regclass, names text[], epsilon double precision, cells text DEFAULT 'pairs')
RETURNS text AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_best(regclass, text[], double precision, text)
IS 'the name of that model or release which is closest to the table, by a private choice; charged: a line choice of the ledger';
REVOKE ALL ON FUNCTION pegs_best(regclass, text[], double precision, text) FROM PUBLIC;

-- scores
CREATE FUNCTION pegs_generalize(source regclass, keys name[], k int DEFAULT 5, suppress double precision DEFAULT 0.05, method text DEFAULT 'global',
	sensitive name DEFAULT NULL, l double precision DEFAULT NULL, t double precision DEFAULT NULL, weights jsonb DEFAULT '{}', fixed jsonb DEFAULT '{}')
RETURNS jsonb AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_generalize(regclass, name[], int, double precision, text, name, double precision, double precision, jsonb, jsonb)
IS 'the plan that makes keys coarser at the least loss, so that rows are alike in classes of k: exact, not private, for the curator';
REVOKE ALL ON FUNCTION pegs_generalize(regclass, name[], int, double precision, text, name, double precision, double precision, jsonb, jsonb) FROM PUBLIC;

CREATE FUNCTION pegs_generalized(source regclass, plan jsonb, columns name[] DEFAULT NULL)
RETURNS SETOF record AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_generalized(regclass, jsonb, name[])
IS 'the rows of a table by a plan of pegs_generalize, measured anew: no guarantee, for the curator; the account is marked as uncovered';
REVOKE ALL ON FUNCTION pegs_generalized(regclass, jsonb, name[]) FROM PUBLIC;

CREATE FUNCTION pegs_generalize_sql(source regclass, plan jsonb, target text)
RETURNS text AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_generalize_sql(regclass, jsonb, text)
IS 'a plan of pegs_generalize, for k alone, as a CREATE TABLE in plain SQL, to be read and run by the owner: no guarantee';
REVOKE ALL ON FUNCTION pegs_generalize_sql(regclass, jsonb, text) FROM PUBLIC;

CREATE FUNCTION pegs_equivalence_classes(relation regclass, keys name[])
RETURNS TABLE (size bigint, classes bigint, rows bigint, guarantee text)
AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE ROWS 100;
COMMENT ON FUNCTION pegs_equivalence_classes(regclass, name[])
IS 'how many classes of rows that agree on the keys have which size: exact, not private, for the curator';
REVOKE ALL ON FUNCTION pegs_equivalence_classes(regclass, name[]) FROM PUBLIC;

CREATE FUNCTION pegs_score_fit(model text, source regclass, target name, positive text[], features name[] DEFAULT NULL,
	epsilon double precision DEFAULT NULL, delta double precision DEFAULT 0, method text DEFAULT 'additive', options jsonb DEFAULT '{}')
RETURNS void AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_score_fit(text, regclass, name, text[], name[], double precision, double precision, text, jsonb)
IS 'fit a score: how likely a row is to have one of the positive levels of the target; paid for now, scoring is free for ever';
REVOKE ALL ON FUNCTION pegs_score_fit(text, regclass, name, text[], name[], double precision, double precision, text, jsonb) FROM PUBLIC;

CREATE FUNCTION pegs_score_fit_of(model text, from_model text, target name, positive text[], features name[] DEFAULT NULL)
RETURNS void AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_score_fit_of(text, text, name, text[], name[])
IS 'make a score of a perturbed model: its guarantee is that of the model, and nothing is charged';
REVOKE ALL ON FUNCTION pegs_score_fit_of(text, text, name, text[], name[]) FROM PUBLIC;

CREATE FUNCTION pegs_score(model text, features record)
RETURNS double precision AS 'MODULE_PATHNAME', 'pegs_score_row' LANGUAGE C STABLE PARALLEL SAFE;
COMMENT ON FUNCTION pegs_score(text, record) IS 'the estimated probability that a row is positive; columns by name, others are ignored';
REVOKE ALL ON FUNCTION pegs_score(text, record) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pegs_score(text, record) TO PUBLIC;

CREATE FUNCTION pegs_score(model text, features jsonb)
RETURNS double precision AS 'MODULE_PATHNAME', 'pegs_score_row' LANGUAGE C STABLE PARALLEL SAFE;
COMMENT ON FUNCTION pegs_score(text, jsonb) IS 'the estimated probability that a row, a JSON object of columns and values, is positive; cast a literal: ''{"age": 71}''::jsonb';
REVOKE ALL ON FUNCTION pegs_score(text, jsonb) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pegs_score(text, jsonb) TO PUBLIC;

CREATE FUNCTION pegs_score_card(model text)
RETURNS TABLE (column_name name, level text, points double precision, noise double precision)
AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL UNSAFE ROWS 100;
COMMENT ON FUNCTION pegs_score_card(text) IS 'what each level adds to the log-odds, and the standard deviation of that from noise alone; the intercept first';
REVOKE ALL ON FUNCTION pegs_score_card(text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pegs_score_card(text) TO PUBLIC;

CREATE FUNCTION pegs_score_explain(model text, features record)
RETURNS TABLE (column_name name, level text, points double precision, noise double precision)
AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL UNSAFE ROWS 20;
COMMENT ON FUNCTION pegs_score_explain(text, record) IS 'which lines of the card a row has: what is not there has added nothing';
REVOKE ALL ON FUNCTION pegs_score_explain(text, record) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pegs_score_explain(text, record) TO PUBLIC;

CREATE FUNCTION pegs_score_explain(model text, features jsonb)
RETURNS TABLE (column_name name, level text, points double precision, noise double precision)
AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL UNSAFE ROWS 20;
COMMENT ON FUNCTION pegs_score_explain(text, jsonb) IS 'which lines of the card a JSON object of columns and values has: what is not there has added nothing';
REVOKE ALL ON FUNCTION pegs_score_explain(text, jsonb) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pegs_score_explain(text, jsonb) TO PUBLIC;

CREATE FUNCTION pegs_score_sql(model text, function_name text)
RETURNS text AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_score_sql(text, text) IS 'the statement that makes the score a function of its own, in SQL that needs no pegs';
REVOKE ALL ON FUNCTION pegs_score_sql(text, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pegs_score_sql(text, text) TO PUBLIC;

CREATE FUNCTION pegs_score_published(model text, features record, epsilon double precision)
RETURNS double precision AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_score_published(text, record, double precision) IS 'the score of trees as they were published, with noise: no guarantee, for the curator; a line of the ledger a statement';
REVOKE ALL ON FUNCTION pegs_score_published(text, record, double precision) FROM PUBLIC;

CREATE FUNCTION pegs_score_published(model text, features jsonb, epsilon double precision)
RETURNS double precision AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_score_published(text, jsonb, double precision) IS 'the score of trees as they were published, of a JSON object of columns and values, with noise: no guarantee, for the curator; a line of the ledger a statement';
REVOKE ALL ON FUNCTION pegs_score_published(text, jsonb, double precision) FROM PUBLIC;

CREATE FUNCTION pegs_score_quality(model text, relation regclass, bins int DEFAULT 10)
RETURNS TABLE (measure text, value double precision, guarantee text)
AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE ROWS 30;
COMMENT ON FUNCTION pegs_score_quality(text, regclass, int)
IS 'how good a score is on a table: exact, not private, for the curator; on the rows that it was made of it flatters';
REVOKE ALL ON FUNCTION pegs_score_quality(text, regclass, int) FROM PUBLIC;

CREATE FUNCTION pegs_disaggregate(individuals regclass, id name, aggregates jsonb, columns name[] DEFAULT NULL, method text DEFAULT 'er',
	factors name[] DEFAULT NULL, calibrate boolean DEFAULT true, options jsonb DEFAULT '{}')
RETURNS TABLE (id text, estimate double precision)
AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE ROWS 1000;
COMMENT ON FUNCTION pegs_disaggregate(regclass, name, jsonb, name[], text, name[], boolean, jsonb)
IS 'guess a value for each row from averages of groups: no guarantee of the truth, and as private as its inputs; reads with the rights of the caller';
REVOKE ALL ON FUNCTION pegs_disaggregate(regclass, name, jsonb, name[], text, name[], boolean, jsonb) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pegs_disaggregate(regclass, name, jsonb, name[], text, name[], boolean, jsonb) TO PUBLIC;

CREATE FUNCTION pegs_disaggregate_check(individuals regclass, aggregates jsonb, columns name[] DEFAULT NULL, factors name[] DEFAULT NULL,
	options jsonb DEFAULT '{}')
RETURNS TABLE (method text, measure text, value double precision)
AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE ROWS 10;
COMMENT ON FUNCTION pegs_disaggregate_check(regclass, jsonb, name[], name[], jsonb)
IS 'what can be said of a guess beforehand, from the averages alone: how large groups are, how well a group is foretold by the others';
REVOKE ALL ON FUNCTION pegs_disaggregate_check(regclass, jsonb, name[], name[], jsonb) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pegs_disaggregate_check(regclass, jsonb, name[], name[], jsonb) TO PUBLIC;

CREATE FUNCTION pegs_reconstruct(source regclass, value name, groups jsonb, columns name[] DEFAULT NULL,
	methods text[] DEFAULT ARRAY['mean', 'er', 'ludia'])
RETURNS TABLE (method text, measure text, value double precision, guarantee text)
AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE ROWS 20;
COMMENT ON FUNCTION pegs_reconstruct(regclass, name, jsonb, name[], text[])
IS 'what averages that are to be published would give away of single rows: exact, not private, for the curator; nothing is stored or charged';
REVOKE ALL ON FUNCTION pegs_reconstruct(regclass, name, jsonb, name[], text[]) FROM PUBLIC;

CREATE FUNCTION pegs_dirichlet_matrix(k int, alpha double precision, n int, m int, draw text DEFAULT 'urn')
RETURNS TABLE (counts bigint[], drawn bigint[], probability double precision)
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE ROWS 100;
COMMENT ON FUNCTION pegs_dirichlet_matrix(int, double precision, int, int, text)
IS 'the multinomial-Dirichlet synthesizer: how likely m drawn rows have these counts, from each table of n rows in k categories; arithmetic, looks at no table';
REVOKE ALL ON FUNCTION pegs_dirichlet_matrix(int, double precision, int, int, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pegs_dirichlet_matrix(int, double precision, int, int, text) TO PUBLIC;

CREATE FUNCTION pegs_dirichlet_risk(k int, alpha double precision, n int, m int, epsilon double precision DEFAULT NULL, draw text DEFAULT 'urn')
RETURNS TABLE (measure text, value double precision)
AS 'MODULE_PATHNAME', 'pegs_dirichlet_risk_sql' LANGUAGE C IMMUTABLE PARALLEL SAFE ROWS 4;
COMMENT ON FUNCTION pegs_dirichlet_risk(int, double precision, int, int, double precision, text)
IS 'what that synthesizer gives away: its epsilon where one row is replaced, and deltas at a given epsilon; arithmetic, looks at no table';
REVOKE ALL ON FUNCTION pegs_dirichlet_risk(int, double precision, int, int, double precision, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pegs_dirichlet_risk(int, double precision, int, int, double precision, text) TO PUBLIC;

CREATE FUNCTION pegs_dirichlet_validity(k int, alpha double precision, n int, m int, draw text DEFAULT 'urn', weights text DEFAULT 'binomial')
RETURNS TABLE (counts bigint[], weight double precision, expected double precision, bias double precision, variance double precision, mse double precision)
AS 'MODULE_PATHNAME', 'pegs_dirichlet_validity_sql' LANGUAGE C IMMUTABLE PARALLEL SAFE ROWS 10;
COMMENT ON FUNCTION pegs_dirichlet_validity(int, double precision, int, int, text, text)
IS 'how close the share of the first category is to that of the table: for each table of n rows, and of all together (counts NULL); arithmetic, looks at no table';
REVOKE ALL ON FUNCTION pegs_dirichlet_validity(int, double precision, int, int, text, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pegs_dirichlet_validity(int, double precision, int, int, text, text) TO PUBLIC;

CREATE FUNCTION pegs_dirichlet_alpha(epsilon double precision, delta double precision, m bigint, tables int DEFAULT 1)
RETURNS double precision AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION pegs_dirichlet_alpha(double precision, double precision, bigint, int)
IS 'the alpha at which m rows from an urn, or from each of several, are (epsilon, delta)-DP; m NULL, with delta: any number; arithmetic, looks at no table';
REVOKE ALL ON FUNCTION pegs_dirichlet_alpha(double precision, double precision, bigint, int) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pegs_dirichlet_alpha(double precision, double precision, bigint, int) TO PUBLIC;

/* ---- models that are fitted anew ---- */

ALTER TABLE pegs_internal.model ADD COLUMN first_fit bigint, ADD COLUMN fit int;
COMMENT ON TABLE pegs_internal.model IS 'models: public facts and what was charged, a row for each fit; name is null when only releases need it';
SELECT pg_catalog.pg_extension_config_dump('pegs_internal.access', 'WHERE (object IN (SELECT coalesce(first_fit, id) FROM pegs_internal.model WHERE (account = 0 OR account IN (SELECT oid FROM pg_class)))
	OR object IN (SELECT id FROM pegs_internal.release WHERE (account = 0 OR account IN (SELECT oid FROM pg_class)))) AND (grantee = 0 OR grantee IN (SELECT oid FROM pg_roles))');

CREATE FUNCTION pegs_refit(name text, epsilon double precision DEFAULT NULL, delta double precision DEFAULT NULL)
RETURNS void AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_refit(text, double precision, double precision)
IS 'fit a perturbed model anew from its source, for the same epsilon and delta if none are given: charged like a fit; grants and views stay, releases keep their rows';
REVOKE ALL ON FUNCTION pegs_refit(text, double precision, double precision) FROM PUBLIC;

/* ---- slices ---- */

ALTER TABLE pegs_internal.model ADD COLUMN grid bigint, ADD COLUMN used bigint, ADD COLUMN slice jsonb, ADD COLUMN slice_type regtype,
	ADD COLUMN slice_typmod int, ADD COLUMN read text, ADD COLUMN made_of bigint, ADD COLUMN choice_told bigint, ADD COLUMN lookups text[], ADD COLUMN beside text[],
	ADD COLUMN beside_of oid[];
CREATE INDEX model_object ON pegs_internal.model ((coalesce(first_fit, id)));
CREATE INDEX model_grid ON pegs_internal.model (grid) WHERE grid IS NOT NULL;

CREATE TABLE pegs_internal.grid (
	id bigint PRIMARY KEY,
	budget bigint NOT NULL,		-- id of the account that paid
	column_name name NOT NULL,
	attnum smallint NOT NULL,
	type regtype NOT NULL,
	typmod int NOT NULL,
	width interval NOT NULL,
	origin timestamp NOT NULL,	-- in the zone
	zone text NOT NULL,
	base bigint NOT NULL,		-- the origin's moment when it was set, in microseconds: what is used up counts from there
	epsilon bigint NOT NULL,
	delta bigint NOT NULL,
	used regclass NOT NULL,		-- sequence: up to which moment, or place in the list
	sequence oid NOT NULL,		-- its number: a restored dump has this one, but another sequence
	system_identifier numeric NOT NULL,
	timeline bigint NOT NULL,
	database oid NOT NULL,
	home text,
	entry bigint,
	slices text[]				-- the values of a list, those of an enum behind their numbers: what is used up are so many of them; null: by the clock
);
CREATE UNIQUE INDEX grid_width ON pegs_internal.grid (budget, width);
COMMENT ON TABLE pegs_internal.grid IS 'slices that were paid for: edges by column, width and origin, or a list of values; what is used up is the last value of a sequence';
SELECT pg_catalog.pg_extension_config_dump('pegs_internal.grid', 'WHERE budget IN (SELECT id FROM pegs_internal.budget WHERE source IN (SELECT oid FROM pg_class))');

CREATE FUNCTION pegs_export_slice(model text, fit int)
RETURNS bytea AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_export_slice(text, int) IS 'one slice of a model of slices as a file, by its number in pegs_slices: released numbers and public facts only';
REVOKE ALL ON FUNCTION pegs_export_slice(text, int) FROM PUBLIC;

CREATE FUNCTION pegs_keep_slices()
RETURNS trigger AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_keep_slices() IS 'for a trigger BEFORE UPDATE, FOR EACH ROW, that fires always: the column that it names, which tells slices apart, keeps its value';
-- everyone may call it

CREATE FUNCTION pegs_set_slices(source regclass, column_name name, width interval, origin timestamp, epsilon double precision,
	delta double precision DEFAULT 0, zone text DEFAULT 'UTC')
RETURNS void AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_set_slices(regclass, name, interval, timestamp, double precision, double precision, text)
IS 'pay once for all slices of a table by a time that is never updated: each is fitted once with this epsilon and delta';
REVOKE ALL ON FUNCTION pegs_set_slices(regclass, name, interval, timestamp, double precision, double precision, text) FROM PUBLIC;

-- slices behind the others, so that no call could mean both forms: it must be given, and its default is there because that of delta is
CREATE FUNCTION pegs_set_slices(source regclass, column_name name, epsilon double precision, delta double precision DEFAULT 0,
	slices anyarray DEFAULT NULL::text[])
RETURNS void AS 'MODULE_PATHNAME', 'pegs_set_listed_slices' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_set_slices(regclass, name, double precision, double precision, anyarray)
IS 'pay once for slices of a table by the values of a column that is never updated: each is fitted once with this epsilon and delta';
REVOKE ALL ON FUNCTION pegs_set_slices(regclass, name, double precision, double precision, anyarray) FROM PUBLIC;

CREATE FUNCTION pegs_unset_slices(source regclass)
RETURNS void AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_unset_slices(regclass) IS 'give up what was paid for slices of a table that are not fitted yet; what was fitted stays';
REVOKE ALL ON FUNCTION pegs_unset_slices(regclass) FROM PUBLIC;

CREATE FUNCTION pegs_adopt_slices(source regclass, fitted_until timestamptz, reason text)
RETURNS void AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_adopt_slices(regclass, timestamptz, text)
IS 'state that copied slices (a restore, a promotion) are fitted here alone from now on, and until when they could be elsewhere; superuser, logged';
REVOKE ALL ON FUNCTION pegs_adopt_slices(regclass, timestamptz, text) FROM PUBLIC;

CREATE FUNCTION pegs_internal.slices_refused(OUT source regclass, OUT why text, OUT remedy text)
RETURNS SETOF record AS 'MODULE_PATHNAME', 'pegs_slices_refused' LANGUAGE C VOLATILE PARALLEL UNSAFE ROWS 1;
COMMENT ON FUNCTION pegs_internal.slices_refused() IS 'the tables of a curator whose slices pegs_fit_slices would refuse to fit, and what it would say';
REVOKE ALL ON FUNCTION pegs_internal.slices_refused() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pegs_internal.slices_refused() TO PUBLIC;

CREATE FUNCTION pegs_internal.same_rows(accounts regclass[], OUT source regclass, OUT other regclass)
RETURNS SETOF record AS 'MODULE_PATHNAME', 'pegs_same_rows_sql' LANGUAGE C VOLATILE PARALLEL UNSAFE ROWS 1;
COMMENT ON FUNCTION pegs_internal.same_rows(regclass[]) IS 'pairs of these accounts, of a curator, whose tables stand for the same rows, as far as this database tells';
REVOKE ALL ON FUNCTION pegs_internal.same_rows(regclass[]) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pegs_internal.same_rows(regclass[]) TO PUBLIC;
CREATE FUNCTION pegs_internal.served_by(accounts regclass[], OUT source regclass, OUT server oid)
RETURNS SETOF record AS 'MODULE_PATHNAME', 'pegs_served_by_sql' LANGUAGE C VOLATILE PARALLEL UNSAFE ROWS 1;
COMMENT ON FUNCTION pegs_internal.served_by(regclass[]) IS 'servers of the foreign tables whose rows these accounts, of a curator, pay for: parts, and those of bound tables';
REVOKE ALL ON FUNCTION pegs_internal.served_by(regclass[]) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pegs_internal.served_by(regclass[]) TO PUBLIC;
CREATE FUNCTION pegs_internal.led_back(OUT account regclass, OUT source regclass, OUT part regclass, OUT here regclass, OUT spent boolean)
RETURNS SETOF record AS 'MODULE_PATHNAME', 'pegs_led_back_sql' LANGUAGE C VOLATILE PARALLEL UNSAFE ROWS 1;
COMMENT ON FUNCTION pegs_internal.led_back() IS 'foreign tables of accounts that lead back to this database now, and the accounts of the rows that they stand for, as a curator of either may see them';
REVOKE ALL ON FUNCTION pegs_internal.led_back() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pegs_internal.led_back() TO PUBLIC;

CREATE FUNCTION pegs_internal.taken(OUT source regclass, OUT column_name name, OUT lookup regclass, OUT persons text, OUT remedy text)
RETURNS SETOF record AS 'MODULE_PATHNAME', 'pegs_taken_sql' LANGUAGE C VOLATILE PARALLEL UNSAFE ROWS 1;
COMMENT ON FUNCTION pegs_internal.taken() IS 'declared lookup tables of a curator whose rows are about persons: a foreign key or an account came later';
REVOKE ALL ON FUNCTION pegs_internal.taken() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pegs_internal.taken() TO PUBLIC;

CREATE FUNCTION pegs_fit_slices(model text, source regclass, columns name[] DEFAULT NULL, most bigint DEFAULT 100, method text DEFAULT NULL, options jsonb DEFAULT '{}')
RETURNS bigint AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_fit_slices(text, regclass, name[], bigint, text, jsonb)
IS 'fit the slices of a table that are complete and not fitted yet: paid for already, each once, and lost if this is rolled back; gives how many';
REVOKE ALL ON FUNCTION pegs_fit_slices(text, regclass, name[], bigint, text, jsonb) FROM PUBLIC;

CREATE FUNCTION pegs_sample_slices(model text, since text DEFAULT NULL, until text DEFAULT NULL, slices text[] DEFAULT NULL)
RETURNS SETOF record AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE ROWS 1000;
COMMENT ON FUNCTION pegs_sample_slices(text, text, text, text[])
IS 'rows of all slices of a model, or of those between two moments, or of those by name: of each moment the widest slice that there is';
-- everyone may call it

CREATE FUNCTION pegs_sample_slices_as(row_type anyelement, model text, since text DEFAULT NULL, until text DEFAULT NULL, slices text[] DEFAULT NULL)
RETURNS SETOF anyelement AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE ROWS 1000;
COMMENT ON FUNCTION pegs_sample_slices_as(anyelement, text, text, text, text[]) IS 'pegs_sample_slices with a table''s row type: pegs_sample_slices_as(NULL::my_table, ...)';
-- everyone may call it

-- made here, so that what somebody made by that name before stops the update; its body comes below (models/views.sql)
CREATE VIEW pegs_slices AS SELECT NULL::text AS model, NULL::regclass AS source, NULL::name AS column_name, NULL::text AS width, NULL::text AS lower, NULL::text AS upper,
	NULL::numeric AS epsilon, NULL::numeric AS delta, NULL::int AS fit, NULL::timestamptz AS created, NULL::text AS value;
GRANT SELECT ON pegs_slices TO PUBLIC;

/* ---- functions that have a new form: who might call the old one may call the new one ---- */

-- the old forms stay: a dump of an older version grants them
DO $$
DECLARE
	r record;
BEGIN
	FOR r IN SELECT f.new::regprocedure AS new, a.grantee::regrole AS grantee, a.is_grantable
		FROM (VALUES
			('pegs_set_levels(regclass, name, text[], text)', 'pegs_set_levels(regclass, name, text, text, text, boolean)'),
			('pegs_set_levels(regclass, name, text[], text)', 'pegs_set_levels(regclass, name, anyarray, text, text, boolean)'),
			('pegs_set_levels(regclass, name, regclass, name)', 'pegs_set_lookup(regclass, name, regclass, name, text, boolean, name[], name)'),
			('pegs_domain(regclass)', 'pegs_levels(regclass, name)'),
			('pegs_domain(regclass)', 'pegs_propose(regclass, double precision, double precision)'),
			('pegs_domain(regclass)', 'pegs_facts(regclass)'),
			('pegs_set_levels(regclass, name, text[], text)', 'pegs_declare(regclass, jsonb)'),
			('pegs_unset(regclass, name)', 'pegs_leave_out(regclass, name)'),
			('pegs_set_levels(regclass, name, text[], text)', 'pegs_set_derived(regclass, name, text)'),
			('pegs_set_levels(regclass, name, text[], text)', 'pegs_set_function(regclass, name, name, jsonb, text)'),
			('pegs_set_levels(regclass, name, text[], text)', 'pegs_set_groups(regclass, name, jsonb)'),
			('pegs_set_levels(regclass, name, text[], text)', 'pegs_set_hierarchy(regclass, name, jsonb)'),
			('pegs_set_levels(regclass, name, text[], text)', 'pegs_hierarchy(regclass, name)'),
			('pegs_set_bins(regclass, name, text[])', 'pegs_set_bins(regclass, name, text, text, text, text, boolean, text)'),
			('pegs_set_bins(regclass, name, text[])', 'pegs_set_bins(regclass, name, anyarray, text, text, text, boolean, text)'),
			('pegs_set_bins(regclass, name, text[])', 'pegs_set_bins(regclass, name, anycompatible, anycompatible, int, text, text, text, boolean, text)'),
			('pegs_set_bins(regclass, name, text[])', 'pegs_order(regclass, name, name, text, int)'),
			('pegs_set_unit(regclass, name, int)', 'pegs_set_unit(regclass, name, text)'),
			('pegs_set_unit(regclass, name, int)', 'pegs_set_unit(regclass, name, int, text)'),
			('pegs_set_unit(regclass, name, int)', 'pegs_unit_cost(double precision, double precision)'),
			-- it spends, as a fit does
			('pegs_fit(text, regclass, name[], double precision, double precision, jsonb, int, double precision, int, jsonb, text)', 'pegs_learn_levels(regclass, name, double precision, double precision)'),
			('pegs_fit(text, regclass, name[], double precision, double precision, jsonb, int, double precision, int, jsonb, text)', 'pegs_learn_range(regclass, name, double precision, int)'),
			('pegs_fit(text, regclass, name[], double precision, double precision, jsonb, int, double precision, int, jsonb, text)', 'pegs_learn(regclass, double precision, double precision, name[], int)'),
			('pegs_fit(text, regclass, name[], double precision, double precision, jsonb, int, double precision, int, jsonb, text)', 'pegs_best(regclass, text[], double precision, text)'),
			('pegs_fit(text, regclass, name[], double precision, double precision, jsonb, int, double precision, int, jsonb, text)', 'pegs_refit(text, double precision, double precision)'),
			('pegs_fit(text, regclass, name[], double precision, double precision, jsonb, int, double precision, int, jsonb, text)', 'pegs_score_fit(text, regclass, name, text[], name[], double precision, double precision, text, jsonb)'),
			('pegs_fit(text, regclass, name[], double precision, double precision, jsonb, int, double precision, int, jsonb, text)', 'pegs_score_fit_of(text, text, name, text[], name[])'),
			('pegs_fit(text, regclass, name[], double precision, double precision, jsonb, int, double precision, int, jsonb, text)', 'pegs_score_published(text, record, double precision)'),
			('pegs_fit(text, regclass, name[], double precision, double precision, jsonb, int, double precision, int, jsonb, text)', 'pegs_score_published(text, jsonb, double precision)'),
			('pegs_fit(text, regclass, name[], double precision, double precision, jsonb, int, double precision, int, jsonb, text)', 'pegs_score_quality(text, regclass, int)'),
			('pegs_fit(text, regclass, name[], double precision, double precision, jsonb, int, double precision, int, jsonb, text)', 'pegs_reconstruct(regclass, name, jsonb, name[], text[])'),
			('pegs_fit(text, regclass, name[], double precision, double precision, jsonb, int, double precision, int, jsonb, text)', 'pegs_set_slices(regclass, name, interval, timestamp, double precision, double precision, text)'),
			('pegs_fit(text, regclass, name[], double precision, double precision, jsonb, int, double precision, int, jsonb, text)', 'pegs_set_slices(regclass, name, double precision, double precision, anyarray)'),
			('pegs_fit(text, regclass, name[], double precision, double precision, jsonb, int, double precision, int, jsonb, text)', 'pegs_unset_slices(regclass)'),
			('pegs_fit(text, regclass, name[], double precision, double precision, jsonb, int, double precision, int, jsonb, text)', 'pegs_fit_slices(text, regclass, name[], bigint, text, jsonb)'),
			('pegs_k_anonymity(regclass, name[], name)', 'pegs_generalize(regclass, name[], int, double precision, text, name, double precision, double precision, jsonb, jsonb)'),
			('pegs_k_anonymity(regclass, name[], name)', 'pegs_generalized(regclass, jsonb, name[])'),
			('pegs_k_anonymity(regclass, name[], name)', 'pegs_generalize_sql(regclass, jsonb, text)'),
			('pegs_k_anonymity(regclass, name[], name)', 'pegs_equivalence_classes(regclass, name[])'),
			('pegs_export(text)', 'pegs_export_slice(text, int)'),
			('pegs_domain(regclass)', 'pegs_plan(regclass, bigint, double precision, double precision, jsonb, text)')) AS f (old, new)
		JOIN pg_proc AS p ON p.oid = f.old::regprocedure, aclexplode(p.proacl) AS a
		WHERE a.grantee NOT IN (0, p.proowner)
	LOOP
		EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO %s%s', r.new, r.grantee, CASE WHEN r.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END);
	END LOOP;
END
$$;

/* ---- tables whose rows are parts of the rows of another ---- */

-- the order of the first columns is known to src/budget/bound.c
CREATE TABLE pegs_internal.parent (
	source regclass PRIMARY KEY,
	parent regclass,	-- null: it was bound, and is no more; 0: its parent was dropped
	attnums smallint[] NOT NULL,	-- of the foreign key's columns, when it was declared
	relation oid NOT NULL,	-- of which they are the numbers: a restored dump has another
	columns name[] NOT NULL,
	root regclass NOT NULL,	-- whose account paid when it was bound,
	epsilon_then bigint NOT NULL,	-- and what was spent of that: while it is no more nothing was spent on either
	delta_then bigint NOT NULL,
	rho_then bigint NOT NULL,
	children int[],	-- classes of the number of rows of one parent row: where each begins
	at_most int
);
COMMENT ON TABLE pegs_internal.parent IS 'tables whose rows are parts of the rows of another: their account is that of the topmost one';
SELECT pg_catalog.pg_extension_config_dump('pegs_internal.parent', 'WHERE source IN (SELECT oid FROM pg_class)');

CREATE FUNCTION pegs_set_parent(source regclass, parent regclass, columns name[] DEFAULT NULL, children int[] DEFAULT NULL, at_most int DEFAULT NULL)
RETURNS void AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_set_parent(regclass, regclass, name[], int[], int) IS 'declare by its foreign key that rows of a table belong to rows of another: the unit is a row of the topmost one with all that refers to it, and its account pays; a NULL parent lets the table go, if nothing was spent';
REVOKE ALL ON FUNCTION pegs_set_parent(regclass, regclass, name[], int[], int) FROM PUBLIC;

CREATE FUNCTION pegs_schema(root regclass)
RETURNS TABLE (source regclass, depth int, parent regclass, columns name[], children int[], at_most int, problem text, remedy text)
AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL UNSAFE ROWS 10;
COMMENT ON FUNCTION pegs_schema(regclass) IS 'the tables that are bound to one root by pegs_set_parent, one below the other, and what is missing';
REVOKE ALL ON FUNCTION pegs_schema(regclass) FROM PUBLIC;

CREATE FUNCTION pegs_fit_schema(model text, root regclass, tables name[] DEFAULT NULL, columns jsonb DEFAULT NULL,
	epsilon double precision DEFAULT NULL, delta double precision DEFAULT 0, siblings boolean DEFAULT true)
RETURNS void AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_fit_schema(text, regclass, name[], jsonb, double precision, double precision, boolean)
IS 'fit one perturbed model to a table and those that are bound to it: a unit is a row of it with every row that refers to it; one charge of its account';
REVOKE ALL ON FUNCTION pegs_fit_schema(text, regclass, name[], jsonb, double precision, double precision, boolean) FROM PUBLIC;

-- what only reads facts, or released data, may stand in a query beside parallel workers: the session itself calls it
ALTER FUNCTION pegs_describe(text) PARALLEL RESTRICTED;
ALTER FUNCTION pegs_row_type(text) PARALLEL RESTRICTED;
ALTER FUNCTION pegs_rows(text) PARALLEL RESTRICTED;
ALTER FUNCTION pegs_rows_as(anyelement, text) PARALLEL RESTRICTED;

CREATE FUNCTION pegs_rows(release text, table_name text)
RETURNS SETOF record AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL RESTRICTED ROWS 1000;
COMMENT ON FUNCTION pegs_rows(text, text) IS 'pegs_rows of one table of a release of several, whose keys belong together';
-- everyone may call it

CREATE FUNCTION pegs_rows_as(row_type anyelement, release text, table_name text)
RETURNS SETOF anyelement AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL RESTRICTED ROWS 1000;
COMMENT ON FUNCTION pegs_rows_as(anyelement, text, text) IS 'the same with a table''s row type';
-- everyone may call it

CREATE FUNCTION pegs_row_type(name text, table_name text)
RETURNS text AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL RESTRICTED;
COMMENT ON FUNCTION pegs_row_type(text, text) IS 'the column list of one table of a model or release of several, keys first, for AS t(...)';
-- everyone may call it

CREATE FUNCTION pegs_copy_sql(name text, schema_name text)
RETURNS SETOF text AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL UNSAFE ROWS 20;
COMMENT ON FUNCTION pegs_copy_sql(text, text) IS 'the statements that copy rows of related tables into tables of a schema, with keys, CHECK constraints and the references between them; \gexec runs them';
REVOKE ALL ON FUNCTION pegs_copy_sql(text, text) FROM PUBLIC;

CREATE FUNCTION pegs_utility_schema_of(name text)
RETURNS TABLE (table_name name, measure text, column_name name, value double precision, resample double precision, farthest text, guarantee text)
AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE ROWS 30;
COMMENT ON FUNCTION pegs_utility_schema_of(text)
IS 'how close related tables are to their original across the keys, of a release or model of them, beside units drawn again; not private, for the curator';
REVOKE ALL ON FUNCTION pegs_utility_schema_of(text) FROM PUBLIC;

DO $$
DECLARE
	r record;
BEGIN
	FOR r IN SELECT f.new, a.grantee::regrole AS grantee, a.is_grantable
		FROM (VALUES ('pegs_set_unit(regclass, name, int)', 'pegs_set_parent(regclass, regclass, name[], int[], int)'),
			('pegs_fit(text, regclass, name[], double precision, double precision, jsonb, int, double precision, int, jsonb, text)', 'pegs_fit_schema(text, regclass, name[], jsonb, double precision, double precision, boolean)'),
			('pegs_view_sql(text, text, name, text)', 'pegs_copy_sql(text, text)'),
			('pegs_utility_of(text, int, text[])', 'pegs_utility_schema_of(text)'),
			('pegs_domain(regclass)', 'pegs_schema(regclass)')) AS f (old, new)
		JOIN pg_proc AS p ON p.oid = f.old::regprocedure, aclexplode(p.proacl) AS a
		WHERE a.grantee NOT IN (0, p.proowner)
	LOOP
		EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO %s%s', r.new, r.grantee, CASE WHEN r.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END);
	END LOOP;
END
$$;

CREATE FUNCTION pegs_internal.strip_rights()
RETURNS void AS 'MODULE_PATHNAME', 'pegs_strip_rights_sql' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_internal.strip_rights() IS 'take back what default privileges gave on the schema pegs_internal and its relations; the install script calls it';
REVOKE ALL ON FUNCTION pegs_internal.strip_rights() FROM PUBLIC;

CREATE FUNCTION pegs_internal.unmasked(body bytea)
RETURNS bytea AS 'MODULE_PATHNAME', 'pegs_unmasked' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION pegs_internal.unmasked(bytea) IS 'a stored body without its mask: what a checksum and pegs_state read; for the extension''s owner';
REVOKE ALL ON FUNCTION pegs_internal.unmasked(bytea) FROM PUBLIC;

-- default privileges have reached the tables that are new, too. What is older keeps what a DBA has granted since
DO $$
DECLARE
	r record;
BEGIN
	FOR r IN SELECT c.oid::regclass AS relation, a.grantee FROM pg_catalog.pg_class AS c, pg_catalog.aclexplode(c.relacl) AS a
		WHERE c.oid IN ('pegs_internal.origin'::regclass, 'pegs_internal.revoked'::regclass, 'pegs_internal.maker'::regclass, 'pegs_internal.curator'::regclass, 'pegs_internal.grid'::regclass, 'pegs_internal.hierarchy'::regclass, 'pegs_internal.parent'::regclass)
		AND a.grantee <> c.relowner GROUP BY 1, 2
	LOOP
		EXECUTE format('REVOKE ALL ON TABLE %s FROM %s CASCADE', r.relation,
			CASE WHEN r.grantee = 0 THEN 'PUBLIC' ELSE r.grantee::regrole::text END);
	END LOOP;
END
$$;

-- rows counted where they are
CREATE FUNCTION pegs_internal.agg_transition(internal, json, VARIADIC "any") RETURNS internal
AS 'MODULE_PATHNAME', 'pegs_agg_transition' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION pegs_internal.agg_transition(internal, json, "any") IS 'a part of pegs_agg';
REVOKE ALL ON FUNCTION pegs_internal.agg_transition(internal, json, "any") FROM PUBLIC;

CREATE FUNCTION pegs_internal.counted_transition(internal, bytea, VARIADIC "any") RETURNS internal
AS 'MODULE_PATHNAME', 'pegs_counted_transition' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION pegs_internal.counted_transition(internal, bytea, "any") IS 'a part of pegs_internal.counted';
REVOKE ALL ON FUNCTION pegs_internal.counted_transition(internal, bytea, "any") FROM PUBLIC;

CREATE AGGREGATE pegs_agg(spec json, VARIADIC "any") (
	SFUNC = pegs_internal.agg_transition, STYPE = internal, SSPACE = 200000,
	FINALFUNC = pegs_internal.agg_final, COMBINEFUNC = pegs_internal.agg_combine,
	SERIALFUNC = pegs_internal.agg_serialize, DESERIALFUNC = pegs_internal.agg_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE pegs_agg(json, "any") IS 'count rows into the tables of a spec (pegs_spec) as json, which has no collation: postgres_fdw sends it on without a text column, too';
-- everyone may call it

CREATE AGGREGATE pegs_internal.counted(what bytea, VARIADIC "any") (
	SFUNC = pegs_internal.counted_transition, STYPE = internal, SSPACE = 200000,
	FINALFUNC = pegs_internal.agg_final, COMBINEFUNC = pegs_internal.agg_combine,
	SERIALFUNC = pegs_internal.agg_serialize, DESERIALFUNC = pegs_internal.agg_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE pegs_internal.counted(bytea, "any") IS 'what pegs_fit makes of its own query, as the owner of the rows: everyone may call it, and nobody else can name it';
REVOKE ALL ON FUNCTION pegs_internal.counted(bytea, "any") FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pegs_internal.counted(bytea, "any") TO PUBLIC;

CREATE FUNCTION pegs_internal.persons_transition(internal, json, int, boolean, int, boolean, VARIADIC "any") RETURNS internal
AS 'MODULE_PATHNAME', 'pegs_persons_transition' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION pegs_internal.persons_transition(internal, json, int, boolean, int, boolean, "any") IS 'a part of pegs_agg_persons';
REVOKE ALL ON FUNCTION pegs_internal.persons_transition(internal, json, int, boolean, int, boolean, "any") FROM PUBLIC;

CREATE FUNCTION pegs_internal.persons_transition(internal, bytea, int, boolean, int, boolean, VARIADIC "any") RETURNS internal
AS 'MODULE_PATHNAME', 'pegs_persons_transition' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION pegs_internal.persons_transition(internal, bytea, int, boolean, int, boolean, "any") IS 'a part of pegs_internal.counted_persons';
REVOKE ALL ON FUNCTION pegs_internal.persons_transition(internal, bytea, int, boolean, int, boolean, "any") FROM PUBLIC;

CREATE FUNCTION pegs_internal.persons_final(internal) RETURNS pegs_state
AS 'MODULE_PATHNAME', 'pegs_persons_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION pegs_internal.persons_final(internal) IS 'a part of pegs_agg_persons';
REVOKE ALL ON FUNCTION pegs_internal.persons_final(internal) FROM PUBLIC;

CREATE AGGREGATE pegs_agg_persons(spec json, rows int, alike boolean, type int, here boolean, VARIADIC "any") (
	SFUNC = pegs_internal.persons_transition, STYPE = internal, SSPACE = 200000, FINALFUNC = pegs_internal.persons_final,
	FINALFUNC_MODIFY = READ_WRITE, PARALLEL = SAFE
);
COMMENT ON AGGREGATE pegs_agg_persons(json, int, boolean, int, boolean, "any") IS 'count rows person by person, as pegs_fit asks it of another server: of each person at most `rows` rows, or, alike, each person `rows` times; the person comes before the columns';
-- everyone may call it

CREATE AGGREGATE pegs_internal.counted_persons(what bytea, rows int, alike boolean, type int, here boolean, VARIADIC "any") (
	SFUNC = pegs_internal.persons_transition, STYPE = internal, SSPACE = 200000, FINALFUNC = pegs_internal.persons_final,
	FINALFUNC_MODIFY = READ_WRITE, PARALLEL = SAFE
);
COMMENT ON AGGREGATE pegs_internal.counted_persons(bytea, int, boolean, int, boolean, "any") IS 'what pegs_fit makes of its own query where persons are counted by parts, as the owner of the rows: everyone may call it, and nobody else can name it';
REVOKE ALL ON FUNCTION pegs_internal.counted_persons(bytea, int, boolean, int, boolean, "any") FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pegs_internal.counted_persons(bytea, int, boolean, int, boolean, "any") TO PUBLIC;

-- a new group of measures; grants stay
CREATE OR REPLACE FUNCTION pegs_utility(original regclass, synthetic regclass, ways int DEFAULT 2, columns name[] DEFAULT NULL,
	measures text[] DEFAULT ARRAY['tables', 'propensity', 'numbers'])
RETURNS TABLE (measure text, of name[], value double precision, guarantee text)
AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE ROWS 300;

CREATE OR REPLACE FUNCTION pegs_utility_of(name text, ways int DEFAULT 2, measures text[] DEFAULT ARRAY['tables', 'propensity', 'numbers'])
RETURNS TABLE (measure text, of name[], value double precision, guarantee text)
AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE ROWS 300;
