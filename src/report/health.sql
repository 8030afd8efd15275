/*
 * health.sql
 *	  pegs_health: what in this server could lose a charge or show a secret.
 *
 * It reads the catalogs, and our views as whoever calls it; slices it asks in C, as a fit of them does (refused.c).
 * Replaced as a whole by an update: see src/server/server.sql.
 */

-- the names in a view or body mean ours and PostgreSQL's, not what anybody has put into the extension's schema before; they
-- are looked up here, once, and not when it is called
SELECT pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);

CREATE OR REPLACE FUNCTION @extschema@.pegs_health()
RETURNS TABLE (item text, state text, ok boolean, remedy text)
LANGUAGE sql STABLE PARALLEL UNSAFE ROWS 20 SET search_path = pg_catalog, pg_temp SET jit = off BEGIN ATOMIC
-- each is read once: what an account shows is worked out anew for every line of it, and what joins with it would have that as often
WITH RECURSIVE account AS MATERIALIZED (SELECT source, spent, delta_spent, uncovered, copied_from FROM @extschema@.pegs_budgets),
-- what is read as the owner of our schema: nothing is said of it while he cannot, but whose it should be
readable (can) AS MATERIALIZED (SELECT NOT EXISTS (SELECT FROM pg_depend AS d JOIN pg_class AS c ON c.oid = d.objid AND c.relkind = 'r' JOIN pg_namespace AS n ON n.oid = c.relnamespace
	JOIN pg_extension AS e ON e.oid = d.refobjid AND e.extname = 'pegs'
	WHERE d.classid = 'pg_class'::regclass AND d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e' AND NOT has_table_privilege(n.nspowner, c.oid, 'SELECT'))),
-- an account's table and all below it; what is above it
part (source, relid) AS (SELECT b.source, b.source::oid FROM account AS b UNION SELECT p.source, i.inhrelid FROM part AS p JOIN pg_inherits AS i ON i.inhparent = p.relid),
whole (source, relid) AS (SELECT b.source, i.inhparent FROM account AS b JOIN pg_inherits AS i ON i.inhrelid = b.source WHERE b.spent > 0 OR b.delta_spent > 0 OR b.uncovered
	UNION SELECT w.source, i.inhparent FROM whole AS w JOIN pg_inherits AS i ON i.inhrelid = w.relid),
-- servers whose foreign tables are, or are parts of, what has an account, or is bound to it; and accounts for the same rows (source/same_rows.c)
asked (accounts) AS (SELECT array_agg(b.source) FROM account AS b WHERE (SELECT can FROM readable)),
far AS MATERIALIZED (SELECT p.source, f.ftserver AS server FROM part AS p JOIN pg_foreign_table AS f ON f.ftrelid = p.relid UNION SELECT s.source, s.server FROM asked, pegs_internal.served_by(asked.accounts) AS s),
alike AS (SELECT s.source, string_agg(s.other::text, ', ' ORDER BY s.other::text) AS others FROM asked, pegs_internal.same_rows(asked.accounts) AS s GROUP BY s.source),
-- foreign tables that have come to stand for rows of this database (budget/elsewhere.c)
back AS MATERIALIZED (SELECT * FROM pegs_internal.led_back() WHERE (SELECT can FROM readable))
SELECT h.item, h.state, h.ok, CASE WHEN NOT h.ok THEN h.remedy END FROM (
	SELECT 'fsync', current_setting('fsync'), current_setting('fsync')::boolean,
		'with fsync off a crash of the machine refunds charges: ALTER SYSTEM SET fsync = on'
	UNION ALL
	SELECT 'full_page_writes', current_setting('full_page_writes'), current_setting('full_page_writes')::boolean,
		'without it a crash can tear a page of an account: ALTER SYSTEM SET full_page_writes = on'
	UNION ALL
	SELECT 'data_checksums', current_setting('data_checksums'), current_setting('data_checksums')::boolean,
		'without them a damaged page of an account is not noticed: pg_checksums --enable'
	UNION ALL
	SELECT 'synchronous standbys', coalesce(nullif(current_setting('synchronous_standby_names'), ''), 'none'),
		current_setting('synchronous_standby_names') <> '',
		'a charge that only this server has is lost with it: a promoted standby that was not synchronous must be adopted with less'
	UNION ALL
	SELECT 'pegs.after_promotion', coalesce(current_setting('pegs.after_promotion', true), 'refuse'),
		coalesce(current_setting('pegs.after_promotion', true), 'refuse') = 'refuse',
		'allow is safe only where every promoted standby was synchronous and no backup is recovered'
	UNION ALL
	SELECT 'budget of ' || b.source, coalesce('copied: it was kept ' || b.copied_from, 'kept here'), b.copied_from IS NULL,
		format('SELECT %s.pegs_adopt(%L, remaining => ..., reason => ..., remaining_delta => ...)', e.extnamespace::regnamespace, b.source)
	FROM account AS b, pg_extension AS e WHERE e.extname = 'pegs'
	UNION ALL
	-- the topmost has an account, or may be bound to a table that has one
	SELECT 'part ' || p.source, format('%s, and is a part of %s', concat_ws('; ', CASE WHEN a.spent > 0 OR a.delta_spent > 0 THEN 'has spent under an account of its own' END,
			CASE WHEN a.uncovered THEN 'has rows that were read without a guarantee' END), p.whole), false,
		concat_ws('; ', CASE WHEN a.spent > 0 OR a.delta_spent > 0 THEN 'its rows cost both: leave as much unspent in the account of the whole' END,
			CASE WHEN a.uncovered THEN 'its own account says so, and that of the whole does not: know that no guarantee covers these rows' END)
	FROM (SELECT w.source, w.relid::regclass FROM whole AS w WHERE NOT EXISTS (SELECT FROM pg_inherits AS i WHERE i.inhrelid = w.relid)
		UNION SELECT w.source, b.source FROM whole AS w JOIN account AS b ON b.source = w.relid) AS p (source, whole) JOIN account AS a ON a.source = p.source
	UNION ALL
	-- whose account pays for rows that other servers have: this one, for what is done here. What it cannot know is what is done there;
	-- what it can is another account here for the same table there
	SELECT 'rows of ' || r.source || ' on other servers', format('%s: this account pays for what is fitted here; an account there pays for what is fitted there, and nobody adds them', r.servers)
			|| coalesce('; nor what is fitted by ' || t.others || ', whose rows are the same', '') || coalesce('; ' || k.told, ''), t.source IS NULL AND k.source IS NULL,
		concat_ws('; ', CASE WHEN t.source IS NOT NULL THEN 'rows that have two accounts cost both: fit one of the tables, and let the other have no budget' END, k.remedy)
	FROM (SELECT f.source, string_agg(s.srvname::text, ', ' ORDER BY s.srvname::text) AS servers FROM far AS f JOIN pg_foreign_server AS s ON s.oid = f.server GROUP BY f.source) AS r
	LEFT JOIN alike AS t ON t.source = r.source
	LEFT JOIN (SELECT b.source, string_agg(format('foreign table %s leads back to this database, to %s: it is no source%s', b.part, b.here, CASE WHEN b.spent THEN ', and what was spent here was not spent in the account of those rows' END), '; ' ORDER BY b.part::text) AS told,
			format('fit %s in its place%s', string_agg(b.here::text, ', ' ORDER BY b.part::text), CASE WHEN bool_or(b.spent) THEN ', and leave as much unspent in its account as was spent here' END) AS remedy
		FROM back AS b WHERE b.account IS NULL GROUP BY b.source) AS k ON k.source = r.source
	UNION ALL
	SELECT 'rows of ' || b.account, CASE WHEN b.source IS NULL THEN 'a foreign table of another owner, which has an account of its own, leads back to them: what was spent there is not in this account'
			ELSE format('foreign table %s leads back to them: what the account of %s has spent is not in this one', b.part, b.source) END, false,
		CASE WHEN b.source IS NULL THEN 'ask a superuser, to whom pegs_health names it, what was spent there, and leave as much unspent in this account' ELSE 'they cost both: leave as much unspent in this account' END
	FROM (SELECT DISTINCT account, source, part FROM back WHERE account IS NOT NULL AND spent IS NOT false) AS b
	UNION ALL
	-- what a policy there hides makes a count smaller, and no error: unless the session there is told that it is one
	SELECT 'row security of server ' || s.srvname, format('a policy there may hide rows of %s from the role that asks: a smaller count, and no error', string_agg(b.source::text, ', ' ORDER BY b.source::text)), false,
		format('ALTER SERVER %I OPTIONS (%s options %L)', s.srvname, CASE WHEN o.options IS NULL THEN 'ADD' ELSE 'SET' END, concat_ws(' ', o.options, '-c row_security=off', CASE WHEN o.options LIKE '%client_min_messages=%' THEN NULL ELSE '-c client_min_messages=error' END))
	FROM far AS b JOIN pg_foreign_server AS s ON s.oid = b.server JOIN pg_foreign_data_wrapper AS w ON w.oid = s.srvfdw
	JOIN pg_proc AS h ON h.oid = w.fdwhandler AND h.probin IS NOT NULL AND h.prosrc = 'postgres_fdw_handler'
	CROSS JOIN LATERAL (SELECT max(substr(t.told, 9)) FROM unnest(s.srvoptions) AS t (told) WHERE t.told LIKE 'options=%') AS o (options)
	-- of several settings the last counts
	WHERE coalesce(substring(o.options FROM '.*row_security=(\S*)'), '') !~ '^(off|false|no|0)$' GROUP BY s.srvname, o.options
	UNION ALL
	SELECT 'citus', 'each node has a ledger of its own: the coordinator''s accounts pay, for whole tables; elsewhere pegs_set_budget and charges of distributed tables and shards are refused', true, NULL
	WHERE to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL
	UNION ALL
	-- asked as a fit of them would ask: what that refuses is said here
	SELECT format('slices of %s', s.source), s.why, false, s.remedy FROM pegs_internal.slices_refused() AS s
	UNION ALL
	SELECT 'ledger of ' || v.account, format('%s: %s (%s, %s]', v.part, v.finding, v."from", v."to"), v.ok,
		'see the ledger: a superuser or a damaged file changed it'
	FROM @extschema@.pegs_verify_ledger(NULL::regclass) AS v WHERE NOT v.ok
	UNION ALL
	SELECT 'schema ' || n.nspname, string_agg(r.rolname::text, ', ' ORDER BY r.rolname) || ' can make functions beside those of pegs', false,
		'one that fits a call better runs with the caller''s rights: REVOKE CREATE ON SCHEMA, or keep pegs in a schema of its own (CREATE EXTENSION pegs SCHEMA pegs)'
	FROM pg_extension AS e JOIN pg_namespace AS n ON n.oid = e.extnamespace JOIN pg_roles AS r ON has_schema_privilege(r.oid, n.oid, 'CREATE')
	WHERE e.extname = 'pegs' AND NOT r.rolsuper AND r.rolname !~ '^pg_' AND NOT pg_has_role(r.oid, e.extowner, 'MEMBER') GROUP BY n.nspname
	UNION ALL
	SELECT i.type || ' ' || i.identity, format('belongs to %s, not to %s, the owner of the extension', o.owner::regrole, e.extowner::regrole), false,
		format('who owns it can change it, and charges and drops may fail: ALTER %s %s OWNER TO %s', upper(i.type), i.identity, e.extowner::regrole)
	FROM pg_extension AS e
	CROSS JOIN LATERAL (
		SELECT 'pg_namespace'::regclass, n.oid, n.nspowner, 0 FROM pg_namespace AS n
		UNION ALL SELECT 'pg_class'::regclass, c.oid, c.relowner, c.relnamespace FROM pg_class AS c WHERE c.relkind IN ('r', 'S', 'v')
		UNION ALL SELECT 'pg_proc'::regclass, p.oid, p.proowner, 0 FROM pg_proc AS p
		UNION ALL SELECT 'pg_type'::regclass, t.oid, t.typowner, 0 FROM pg_type AS t WHERE t.typrelid = 0 AND t.typcategory <> 'A'
		UNION ALL SELECT 'pg_event_trigger'::regclass, t.oid, t.evtowner, 0 FROM pg_event_trigger AS t
	) AS o (class, object, owner, schema)
	CROSS JOIN LATERAL pg_identify_object(o.class, o.object, 0) AS i
	-- accounts are sequences in our schema, and no members of the extension
	WHERE e.extname = 'pegs' AND o.owner <> e.extowner AND EXISTS (SELECT FROM pg_depend AS d
		WHERE d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid AND d.deptype = 'e'
		AND ((d.classid = o.class AND d.objid = o.object) OR (d.classid = 'pg_namespace'::regclass AND d.objid = o.schema)))
	UNION ALL
	SELECT l.item, l.state, false, l.remedy FROM @extschema@.pegs_leftovers AS l
	WHERE (SELECT can FROM readable)
	UNION ALL
	SELECT 'publication ' || p.pubname, format('sends %s: exact counts, keys and ledgers', string_agg(p.schemaname || '.' || p.tablename, ', ' ORDER BY p.tablename)), false,
		'publish single tables or schemas, not pegs_internal'
	FROM pg_publication_tables AS p WHERE p.schemaname = 'pegs_internal' GROUP BY p.pubname
	UNION ALL
	SELECT 'replication slot ' || s.slot_name, format('decodes every table of this database (%s)', s.plugin), false,
		'whoever reads it sees exact counts, keys and ledgers: drop it, or know who reads it'
	FROM pg_replication_slots AS s WHERE s.slot_type = 'logical' AND s.database = current_database()
	UNION ALL
	SELECT 'role ' || r.rolname, 'can ' || string_agg(c.action, ', ' ORDER BY c.action), false,
		'trusted with exact counts and ledgers: take the right away, or know why it has it'
	FROM pg_roles AS r
	CROSS JOIN LATERAL (
		SELECT 'do everything (superuser)' WHERE r.rolsuper
		UNION ALL SELECT 'copy the cluster (replication)' WHERE r.rolreplication AND NOT r.rolsuper
		UNION ALL SELECT format('become a superuser (%s)', s.rolname) FROM pg_roles AS s
			WHERE s.rolsuper AND NOT r.rolsuper AND pg_has_role(r.oid, s.oid, 'MEMBER')
		UNION ALL SELECT format('%s %s', lower(a.privilege_type), c.oid::regclass) FROM pg_class AS c, aclexplode(c.relacl) AS a
			WHERE c.relnamespace = 'pegs_internal'::regnamespace AND NOT r.rolsuper AND a.grantee <> c.relowner
			AND (a.grantee = 0 OR pg_has_role(r.oid, a.grantee, 'MEMBER'))
		UNION ALL SELECT format('%s %s(%s)', lower(a.privilege_type), c.oid::regclass, t.attname) FROM pg_class AS c JOIN pg_attribute AS t ON t.attrelid = c.oid, aclexplode(t.attacl) AS a
			WHERE c.relnamespace = 'pegs_internal'::regnamespace AND NOT r.rolsuper AND a.grantee <> c.relowner
			AND (a.grantee = 0 OR pg_has_role(r.oid, a.grantee, 'MEMBER'))
		UNION ALL SELECT format('own %s', c.oid::regclass) FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
			WHERE n.nspname = 'pegs_internal' AND c.relkind IN ('r', 'S') AND c.relowner <> n.nspowner AND NOT r.rolsuper AND pg_has_role(r.oid, c.relowner, 'MEMBER')
		UNION ALL SELECT 'drop this database and put an older copy in its place (owner of the database, createdb)' FROM pg_database AS d
			WHERE d.datname = current_database() AND NOT r.rolsuper AND pg_has_role(r.oid, d.datdba, 'MEMBER')
			AND EXISTS (SELECT FROM pg_roles AS m WHERE m.rolcreatedb AND pg_has_role(r.oid, m.oid, 'MEMBER'))
		UNION ALL SELECT 'give itself any of these rights (createrole)'
			WHERE r.rolcreaterole AND NOT r.rolsuper AND current_setting('server_version_num')::int < 160000
		UNION ALL SELECT format('%s (%s)', m.action, g.rolname) FROM (VALUES
			('pg_read_all_data', 'read all tables'), ('pg_write_all_data', 'write all tables'),
			('pg_read_server_files', 'read files'), ('pg_write_server_files', 'write files'),
			('pg_execute_server_program', 'run programs'), ('pg_read_all_stats', 'see row counts and others'' queries'),
			('pg_create_subscription', 'copy tables elsewhere')) AS m (name, action)
			JOIN pg_roles AS g ON g.rolname = m.name
			WHERE NOT r.rolsuper AND pg_has_role(r.oid, g.oid, 'MEMBER')
	) AS c (action)
	WHERE r.rolname !~ '^pg_' AND r.oid <> 10
	GROUP BY r.rolname
	UNION ALL
	-- lookup tables of before, or to which a foreign key was added since: each use refuses them (budget/taken.c)
	SELECT format('lookup table %s of %s, column %s', t.lookup, t.source, t.column_name), format('its rows are about persons: they are, or refer to, rows of %s; they were taken as public, and models of before have them exactly', t.persons), false, t.remedy
	FROM pegs_internal.taken() AS t
	WHERE (SELECT can FROM readable)
) AS h (item, state, ok, remedy);
END;
COMMENT ON FUNCTION @extschema@.pegs_health() IS 'what in this server could lose a charge or show a secret; ok is false where a person should look';
REVOKE ALL ON FUNCTION @extschema@.pegs_health() FROM PUBLIC;

SELECT pg_catalog.set_config('search_path', '@extschema@, pg_temp', true);
