/*
 * views.sql
 *	  Views, and functions in SQL that read them: accounts, models, releases; the state of the server; certificates.
 *
 * A part of the install script, and of the upgrade script from the version before: there they are replaced, and keep the rights that
 * they have. So no right is given or taken here: see rights.sql.
 */

-- the names in a view or body mean ours and PostgreSQL's, not what anybody has put into the extension's schema before; they
-- are looked up here, once, and not when it is called
SELECT pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);

CREATE OR REPLACE VIEW @extschema@.pegs_budgets WITH (security_barrier) AS
SELECT source,
	trim_scale(epsilon * 0.000000001) AS epsilon,
	trim_scale(spent * 0.000000001) AS spent,
	trim_scale((epsilon - spent) * 0.000000001) AS remaining,
	trim_scale(delta * 0.000000000000000001) AS delta,
	trim_scale(spent_of_delta * 0.000000000000000001) AS delta_spent,
	pegs_internal.elsewhere(system_identifier, timeline, database, epsilon_spent, sequence, home, entry) AS copied_from,
	EXISTS (SELECT FROM pegs_internal.ledger AS l WHERE l.source = b.source AND l.deed IN ('uncovered fit', 'uncovered sample')) AS uncovered,
	-- null, not known: a charge that was rolled back has no line, and one of an older version names no unit
	(SELECT CASE WHEN coalesce(bool_or(l.deed = 'unit' AND (l.epsilon_from > 0 OR l.delta_from > 0)), false)
			OR count(DISTINCT l.unit) > 1 THEN true
		WHEN b.spent > coalesce(sum(l.epsilon_to - l.epsilon_from) FILTER (WHERE l.unit IS NOT NULL), 0) THEN NULL
		ELSE false END
	FROM pegs_internal.ledger AS l WHERE l.source = b.source) AS mixed_units
FROM (SELECT source, epsilon, delta, system_identifier, timeline, database, epsilon_spent, sequence, home, entry,
		pegs_internal.spent(source, false) AS spent, pegs_internal.spent(source, true) AS spent_of_delta
	FROM pegs_internal.budget OFFSET 0) AS b
WHERE spent IS NOT NULL;
COMMENT ON VIEW @extschema@.pegs_budgets IS 'privacy budgets of one''s own tables: total, spent, remaining; a copy cannot be spent until it is adopted; uncovered: rows without a guarantee were read; mixed_units: charges protect rows and persons, or persons of two kinds, their sum is a guarantee of none';

CREATE OR REPLACE VIEW @extschema@.pegs_ledger WITH (security_barrier) AS
WITH mine AS MATERIALIZED (
	SELECT source, spent, delta_spent
	FROM (SELECT source, pegs_internal.spent(source, false) AS spent,
			pegs_internal.spent(source, true) AS delta_spent FROM pegs_internal.budget OFFSET 0) AS b
	WHERE spent IS NOT NULL
), line AS (
	SELECT l.* FROM pegs_internal.ledger AS l JOIN mine USING (source)
), edge AS (
	SELECT source, epsilon_from, epsilon_to, delta_from, delta_to FROM line WHERE epsilon_to > epsilon_from
	UNION ALL SELECT source, spent, spent, delta_spent, delta_spent FROM mine
), gap AS (
	SELECT source, coalesce(lag(epsilon_to) OVER w, 0) AS epsilon_from, epsilon_from AS epsilon_to,
		coalesce(lag(delta_to) OVER w, 0) AS delta_from, delta_from AS delta_to
	FROM edge WINDOW w AS (PARTITION BY source ORDER BY epsilon_from, epsilon_to)
), entry AS (
	SELECT source, at, role, deed, object, epsilon_from, epsilon_to, delta_from, delta_to, epsilon_left, reason, unit FROM line
	UNION ALL
	SELECT source, NULL, NULL, 'rolled back or still open', NULL, gap.epsilon_from, gap.epsilon_to, gap.delta_from, gap.delta_to, NULL, NULL, NULL
	FROM gap WHERE gap.epsilon_from < gap.epsilon_to
)
SELECT source, at, role, deed AS action, object,
	trim_scale(epsilon_from * 0.000000001) AS epsilon_from,
	trim_scale(epsilon_to * 0.000000001) AS epsilon_to,
	trim_scale(delta_from * 0.000000000000000001) AS delta_from,
	trim_scale(delta_to * 0.000000000000000001) AS delta_to,
	trim_scale(epsilon_left * 0.000000001) AS remaining,
	reason,
	unit
FROM entry;
COMMENT ON VIEW @extschema@.pegs_ledger IS 'every charge on one''s own tables: the interval (from, to] of the account it bought; a charge whose transaction rolled back has no line and shows as a gap';

CREATE OR REPLACE VIEW @extschema@.pegs_models WITH (security_barrier) AS
SELECT name, source, CASE WHEN sealed THEN 'sealed' ELSE 'perturbed' END AS kind,
	CASE WHEN NOT sealed THEN trim_scale(epsilon * 0.000000001) END AS epsilon,
	CASE WHEN NOT sealed THEN trim_scale(delta * 0.000000000000000001) END AS delta,
	CASE WHEN structure_epsilon > 0 THEN trim_scale(structure_epsilon * 0.000000001) END AS structure_epsilon,
	-- rows_each 1: of a file, one row of each person
	CASE WHEN unit_column IS NULL AND rows_per_unit = 1 AND rows_each IS NULL THEN 'one row'
		WHEN rows_each > 1 THEN format('%s, all weigh the same', coalesce(unit_column, 'a person'))
		ELSE format('%s, at most %s rows', coalesce(unit_column, 'a person'), rows_per_unit) END AS unit,
	counts, created,
	CASE WHEN l_diversity IS NOT NULL THEN 'none (l-diverse)' WHEN sealed THEN 'each sample pays' ELSE 'differential privacy' END AS guarantee
FROM (SELECT name, source, sealed, epsilon, delta, structure_epsilon, unit_column, rows_per_unit, rows_each, counts, created, l_diversity,
	pegs_internal.may_use(id, account) AS mine FROM pegs_internal.model OFFSET 0) AS m
WHERE mine AND name IS NOT NULL;
COMMENT ON VIEW @extschema@.pegs_models IS 'models of one''s own tables, and those granted to one';

CREATE OR REPLACE VIEW @extschema@.pegs_releases WITH (security_barrier) AS
SELECT r.name, m.name AS model, r.account AS source, r.n, CASE WHEN m.sealed THEN 'sealed' ELSE 'perturbed' END AS kind,
	CASE WHEN m.sealed THEN trim_scale(r.epsilon * 0.000000001) ELSE trim_scale(m.epsilon * 0.000000001) END AS epsilon,
	r.block, r.given, r.created
FROM (SELECT *, pegs_internal.may_use(id, account) AS mine FROM pegs_internal.release OFFSET 0) AS r
JOIN pegs_internal.model AS m ON m.id = r.model
WHERE mine;
COMMENT ON VIEW @extschema@.pegs_releases IS 'releases of one''s own tables, and those granted to one';

CREATE OR REPLACE FUNCTION @extschema@.pegs_verify_ledger(source regclass DEFAULT NULL)
RETURNS TABLE (account regclass, part text, finding text, "from" numeric, "to" numeric, ok boolean)
LANGUAGE sql STABLE PARALLEL UNSAFE ROWS 10 SET search_path = pg_catalog, pg_temp BEGIN ATOMIC
WITH budget AS (
	SELECT b.source, v.* FROM @extschema@.pegs_budgets AS b
	CROSS JOIN LATERAL (VALUES ('epsilon', b.epsilon, b.spent), ('delta', b.delta, b.delta_spent)) AS v (part, total, spent)
	WHERE $1 IS NULL OR b.source = $1
), line AS (
	SELECT l.source, v.part, v.low, v.high FROM @extschema@.pegs_ledger AS l
	CROSS JOIN LATERAL (VALUES ('epsilon', l.epsilon_from, l.epsilon_to), ('delta', l.delta_from, l.delta_to)) AS v (part, low, high)
	WHERE l.at IS NOT NULL AND v.low <> v.high AND ($1 IS NULL OR l.source = $1)
), walk AS (
	-- what the lines before this one have covered, and this one; a last line stands for what is spent
	SELECT e.*, coalesce(max(e.high) OVER (PARTITION BY e.source, e.part ORDER BY e.low, e.high
		ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS covered
	FROM (SELECT l.*, false AS is_end FROM line AS l WHERE l.high > l.low
		UNION ALL SELECT b.source, b.part, b.spent, b.spent, true FROM budget AS b) AS e
), finding AS (
	SELECT w.source, w.part, 'overlap' AS finding, w.low, least(w.covered, w.high) AS high, false AS ok
	FROM walk AS w WHERE w.low < w.covered AND NOT w.is_end
	UNION ALL
	SELECT w.source, w.part, 'gap: rolled back or still open', w.covered, w.low, true FROM walk AS w WHERE w.low > w.covered
	UNION ALL
	SELECT l.source, l.part, 'outside (0, spent]', l.low, l.high, false
	FROM line AS l JOIN budget AS b USING (source, part) WHERE l.low < 0 OR l.high > b.spent OR l.low > l.high
	UNION ALL
	SELECT b.source, b.part, 'spent more than the budget', b.total, b.spent, false FROM budget AS b WHERE b.spent > b.total
)
SELECT r.source, r.part, r.finding, r.low, r.high, r.ok FROM (
SELECT 0 AS place, b.source, b.part, format('%s charges', (SELECT count(*) FROM line AS l WHERE (l.source, l.part) = (b.source, b.part))),
	0::numeric, b.spent, NOT EXISTS (SELECT FROM finding AS f WHERE (f.source, f.part) = (b.source, b.part) AND NOT f.ok)
FROM budget AS b
UNION ALL SELECT 1, f.* FROM finding AS f
) AS r (place, source, part, finding, low, high, ok)
ORDER BY r.source, r.part DESC, r.place, r.ok, r.low, r.high;
END;
COMMENT ON FUNCTION @extschema@.pegs_verify_ledger(regclass) IS 'check the ledger of one''s own tables: a line an account (are its charges disjoint and inside (0, spent]?), a line a gap or fault';

CREATE OR REPLACE FUNCTION @extschema@.pegs_health()
RETURNS TABLE (item text, state text, ok boolean, remedy text)
LANGUAGE sql STABLE PARALLEL UNSAFE ROWS 20 SET search_path = pg_catalog, pg_temp BEGIN ATOMIC
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
	FROM @extschema@.pegs_budgets AS b, pg_extension AS e WHERE e.extname = 'pegs'
	UNION ALL
	SELECT 'part ' || p.source, format('has spent under an account of its own, and is a part of %s', b.source), false,
		'its rows cost both: leave as much unspent in the account of the whole'
	FROM @extschema@.pegs_budgets AS b JOIN @extschema@.pegs_budgets AS p ON p.source <> b.source AND (p.spent > 0 OR p.delta_spent > 0)
	WHERE p.source IN (WITH RECURSIVE part (relid) AS (SELECT inhrelid FROM pg_inherits WHERE inhparent = b.source
		UNION SELECT i.inhrelid FROM pg_inherits AS i JOIN part ON i.inhparent = part.relid) SELECT relid FROM part)
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
	-- they are read as the owner of our schema: nothing is said of them while he cannot, but whose it should be
	SELECT l.item, l.state, false, l.remedy FROM @extschema@.pegs_leftovers AS l
	WHERE NOT EXISTS (SELECT FROM pg_depend AS d JOIN pg_class AS c ON c.oid = d.objid AND c.relkind = 'r' JOIN pg_namespace AS n ON n.oid = c.relnamespace
		JOIN pg_extension AS e ON e.oid = d.refobjid AND e.extname = 'pegs'
		WHERE d.classid = 'pg_class'::regclass AND d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e' AND NOT has_table_privilege(n.nspowner, c.oid, 'SELECT'))
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
) AS h (item, state, ok, remedy);
END;
COMMENT ON FUNCTION @extschema@.pegs_health() IS 'what in this server could lose a charge or show a secret; ok is false where a person should look';

CREATE OR REPLACE FUNCTION @extschema@.pegs_certificate(name text)
RETURNS jsonb LANGUAGE sql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp BEGIN ATOMIC
SELECT jsonb_build_object('certificate', 'pegs 1') || (d - 'spec' - 'public' - 'pairs' - 'cliques' - 'record' - 'rows')
	|| jsonb_build_object(
		'public', d -> 'public',
		'columns', (SELECT jsonb_agg(jsonb_build_object('column', c -> 'name', 'levels',
			coalesce(jsonb_array_length(c -> 'levels'), jsonb_array_length(c -> 'edges') - 1)
				+ CASE WHEN (c -> 'null')::boolean THEN 1 ELSE 0 END) ORDER BY n)
			FROM jsonb_array_elements(d -> 'spec' -> 'columns') WITH ORDINALITY AS e (c, n)),
		'versions', jsonb_build_object('pegs', (SELECT extversion FROM pg_extension WHERE extname = 'pegs'),
			'postgresql', current_setting('server_version')),
		'not_protected', 'superusers, files, backups; what other releases of the same rows tell: add up their epsilons')
FROM @extschema@.pegs_describe($1) AS d;
END;
COMMENT ON FUNCTION @extschema@.pegs_certificate(text) IS 'what was guaranteed and charged for a model or release: to be published with it; touches no original';

CREATE OR REPLACE FUNCTION @extschema@.pegs_certificate_text(name text)
RETURNS text LANGUAGE sql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp BEGIN ATOMIC
SELECT concat_ws(E'\n',
	format('%s "%s" (%s)', initcap(c ->> 'object'), c ->> 'name', c ->> 'kind'),
	'mechanism:   ' || (c ->> 'mechanism'),
	'guarantee:   ' || (c ->> 'guarantee'),
	'epsilon:     ' || coalesce(c ->> 'epsilon', c ->> 'charged'),
	'delta:       ' || coalesce(c ->> 'delta', CASE WHEN c ? 'charged' THEN '0' END),
	'structure:   epsilon ' || (c ->> 'structure_epsilon') || ' was charged for the choice of parents',
	'neighbours:  ' || (c ->> 'neighbours'),
	'unit:        ' || (c ->> 'unit'),
	'stands for:  ' || (c ->> 'stands_for'),
	'left out:    ' || (c ->> 'left_out'),
	'rows:        ' || (c ->> 'n'),
	'given:       ' || (c ->> 'given'),
	'public:      ' || (c ->> 'public'),
	'columns:     ' || (SELECT string_agg(format('%s (%s)', e ->> 'column', e ->> 'levels'), ', ' ORDER BY n)
		FROM jsonb_array_elements(c -> 'columns') WITH ORDINALITY AS e (e, n)),
	'counts:      ' || (c ->> 'counts'),
	'not covered: ' || (c ->> 'not_protected'),
	format('made with pegs %s on PostgreSQL %s', c -> 'versions' ->> 'pegs', c -> 'versions' ->> 'postgresql'))
FROM @extschema@.pegs_certificate($1) AS c;
END;
COMMENT ON FUNCTION @extschema@.pegs_certificate_text(text) IS 'pegs_certificate as text';
SELECT pg_catalog.set_config('search_path', '@extschema@, pg_temp', true);
