/*
 * pegs--0.1.0--0.2.0.sql
 *	  Copies of a budget cannot be spent until they are adopted; the health of
 *	  a server; the ledger verified. Measures, the report, and the papers' mode
 *	  completed.
 */

-- complain if the script is sourced in psql rather than by ALTER EXTENSION
\echo Use "ALTER EXTENSION pegs UPDATE" to load this file. \quit

ALTER TABLE pegs_internal.ledger ADD COLUMN reason text;
CREATE INDEX ledger_epsilon ON pegs_internal.ledger (source, epsilon_to);
CREATE INDEX ledger_delta ON pegs_internal.ledger (source, delta_to);
ALTER TABLE pegs_internal.budget ADD COLUMN sequence oid;
UPDATE pegs_internal.budget SET sequence = epsilon_spent;
ALTER TABLE pegs_internal.release_rows ADD COLUMN crc bigint;
COMMENT ON TABLE pegs_internal.release_rows IS 'released rows as codes of the declared domain, 65,536 a chunk, and their CRC-32C (null: stored by version 0.1.0)';
ALTER TABLE pegs_internal.model ADD COLUMN l_diversity double precision;

-- exact counts stay out of dumps; everything else is kept, budgets with what is spent. What belongs to a table or role that is
-- gone is left out: only its number would be dumped, and elsewhere that is the number of another
SELECT pg_catalog.pg_extension_config_dump('pegs_internal.object_id', '');
SELECT pg_catalog.pg_extension_config_dump('pegs_internal.fact', 'WHERE source IN (SELECT oid FROM pg_class) AND (lookup IS NULL OR lookup IN (SELECT oid FROM pg_class))');
SELECT pg_catalog.pg_extension_config_dump('pegs_internal.forbidden', 'WHERE source IN (SELECT oid FROM pg_class)');
SELECT pg_catalog.pg_extension_config_dump('pegs_internal.unit', 'WHERE source IN (SELECT oid FROM pg_class)');
SELECT pg_catalog.pg_extension_config_dump('pegs_internal.budget', 'WHERE source IN (SELECT oid FROM pg_class)');
SELECT pg_catalog.pg_extension_config_dump('pegs_internal.ledger', 'WHERE source IN (SELECT oid FROM pg_class)');
SELECT pg_catalog.pg_extension_config_dump('pegs_internal.name', 'WHERE name IN (SELECT name FROM pegs_internal.model WHERE (account = 0 OR account IN (SELECT oid FROM pg_class))
	UNION ALL SELECT name FROM pegs_internal.release WHERE (account = 0 OR account IN (SELECT oid FROM pg_class)))');
SELECT pg_catalog.pg_extension_config_dump('pegs_internal.model', 'WHERE (account = 0 OR account IN (SELECT oid FROM pg_class))');
SELECT pg_catalog.pg_extension_config_dump('pegs_internal.body', 'WHERE model IN (SELECT id FROM pegs_internal.model WHERE NOT sealed AND (account = 0 OR account IN (SELECT oid FROM pg_class)))');
SELECT pg_catalog.pg_extension_config_dump('pegs_internal.release', 'WHERE (account = 0 OR account IN (SELECT oid FROM pg_class))');
SELECT pg_catalog.pg_extension_config_dump('pegs_internal.release_rows', 'WHERE release IN (SELECT id FROM pegs_internal.release WHERE (account = 0 OR account IN (SELECT oid FROM pg_class)))');
SELECT pg_catalog.pg_extension_config_dump('pegs_internal.access', 'WHERE (object IN (SELECT id FROM pegs_internal.model WHERE (account = 0 OR account IN (SELECT oid FROM pg_class)))
	OR object IN (SELECT id FROM pegs_internal.release WHERE (account = 0 OR account IN (SELECT oid FROM pg_class)))) AND (grantee = 0 OR grantee IN (SELECT oid FROM pg_roles))');

CREATE FUNCTION pegs_internal.elsewhere(system_identifier numeric, timeline bigint, database oid, epsilon_spent regclass, sequence oid)
RETURNS text AS 'MODULE_PATHNAME', 'pegs_elsewhere_sql' LANGUAGE C STABLE PARALLEL SAFE;
COMMENT ON FUNCTION pegs_internal.elsewhere(numeric, bigint, oid, regclass, oid) IS 'where a budget was kept, in words, if it was not here';

-- the names in a view mean ours and PostgreSQL's: not what anybody has put into the extension's schema before
SELECT pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);
CREATE OR REPLACE VIEW @extschema@.pegs_budgets WITH (security_barrier) AS
SELECT source,
	trim_scale(epsilon * 0.000000001) AS epsilon,
	trim_scale(spent * 0.000000001) AS spent,
	trim_scale((epsilon - spent) * 0.000000001) AS remaining,
	trim_scale(delta * 0.000000000000000001) AS delta,
	trim_scale(spent_of_delta * 0.000000000000000001) AS delta_spent,
	pegs_internal.elsewhere(system_identifier, timeline, database, epsilon_spent, sequence) AS copied_from,
	EXISTS (SELECT FROM pegs_internal.ledger AS l WHERE l.source = b.source AND l.deed IN ('uncovered fit', 'uncovered sample')) AS uncovered
FROM (SELECT *, pegs_internal.spent(source, false) AS spent,
		pegs_internal.spent(source, true) AS spent_of_delta FROM pegs_internal.budget OFFSET 0) AS b
WHERE spent IS NOT NULL;
COMMENT ON VIEW @extschema@.pegs_budgets IS 'privacy budgets of one''s own tables: total, spent, remaining; a copy cannot be spent until it is adopted; uncovered: rows without a guarantee were read';

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
	SELECT source, at, role, deed, object, epsilon_from, epsilon_to, delta_from, delta_to, epsilon_left, reason FROM line
	UNION ALL
	SELECT source, NULL, NULL, 'rolled back or still open', NULL, gap.epsilon_from, gap.epsilon_to, gap.delta_from, gap.delta_to, NULL, NULL
	FROM gap WHERE gap.epsilon_from < gap.epsilon_to
)
SELECT source, at, role, deed, object,
	trim_scale(epsilon_from * 0.000000001) AS epsilon_from,
	trim_scale(epsilon_to * 0.000000001) AS epsilon_to,
	trim_scale(delta_from * 0.000000000000000001) AS delta_from,
	trim_scale(delta_to * 0.000000000000000001) AS delta_to,
	trim_scale(epsilon_left * 0.000000001) AS remaining,
	reason
FROM entry;
COMMENT ON VIEW @extschema@.pegs_ledger IS 'every charge on one''s own tables: the interval (from, to] of the account it bought; a charge whose transaction rolled back has no line and shows as a gap';
SELECT pg_catalog.set_config('search_path', '@extschema@, pg_temp', true);

CREATE FUNCTION pegs_adopt(source regclass, remaining double precision, reason text, remaining_delta double precision DEFAULT 0)
RETURNS void AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_adopt(regclass, double precision, text, double precision)
IS 'state what may be spent of a copied budget (a restore, a promotion): never more than it says is left; superuser, logged';

CREATE FUNCTION pegs_verify_ledger(source regclass DEFAULT NULL)
RETURNS TABLE (account regclass, part text, finding text, "from" numeric, "to" numeric, ok boolean)
LANGUAGE sql STABLE PARALLEL UNSAFE ROWS 10 SET search_path = pg_catalog, pg_temp AS $$
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
ORDER BY r.source, r.part DESC, r.place, r.ok, r.low, r.high
$$;
COMMENT ON FUNCTION pegs_verify_ledger(regclass) IS 'check the ledger of one''s own tables: a line an account (are its charges disjoint and inside (0, spent]?), a line a gap or fault';

CREATE FUNCTION pegs_health()
RETURNS TABLE (item text, state text, ok boolean, remedy text)
LANGUAGE sql STABLE PARALLEL UNSAFE ROWS 20 SET search_path = pg_catalog, pg_temp AS $$
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
		format('SELECT %s.pegs_adopt(%L, remaining => ..., reason => ...)', '@extschema@', b.source)
	FROM @extschema@.pegs_budgets AS b
	UNION ALL
	SELECT 'ledger of ' || v.account, format('%s: %s (%s, %s]', v.part, v.finding, v."from", v."to"), v.ok,
		'see the ledger: a superuser or a damaged file changed it'
	FROM @extschema@.pegs_verify_ledger() AS v WHERE NOT v.ok
	UNION ALL
	SELECT 'publication ' || p.pubname, format('sends %s: exact counts, keys and ledgers', string_agg(p.schemaname || '.' || p.tablename, ', ' ORDER BY p.tablename)), false,
		'publish single tables or schemas, not pegs_internal'
	FROM pg_publication_tables AS p WHERE p.schemaname = 'pegs_internal' GROUP BY p.pubname
	UNION ALL
	SELECT 'replication slot ' || s.slot_name, format('decodes every table of this database (%s)', s.plugin), false,
		'whoever reads it sees exact counts, keys and ledgers: drop it, or know who reads it'
	FROM pg_replication_slots AS s WHERE s.slot_type = 'logical' AND s.database = current_database()
	UNION ALL
	SELECT 'role ' || r.rolname, 'can ' || string_agg(c.deed, ', ' ORDER BY c.deed), false,
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
		UNION ALL SELECT 'give itself any of these rights (createrole)'
			WHERE r.rolcreaterole AND NOT r.rolsuper AND current_setting('server_version_num')::int < 160000
		UNION ALL SELECT format('%s (%s)', m.deed, g.rolname) FROM (VALUES
			('pg_read_all_data', 'read all tables'), ('pg_write_all_data', 'write all tables'),
			('pg_read_server_files', 'read files'), ('pg_write_server_files', 'write files'),
			('pg_execute_server_program', 'run programs'), ('pg_read_all_stats', 'see row counts and others'' queries'),
			('pg_create_subscription', 'copy tables elsewhere')) AS m (name, deed)
			JOIN pg_roles AS g ON g.rolname = m.name
			WHERE NOT r.rolsuper AND pg_has_role(r.oid, g.oid, 'MEMBER')
	) AS c (deed)
	WHERE r.rolname !~ '^pg_' AND r.oid <> 10
	GROUP BY r.rolname
) AS h (item, state, ok, remedy)
$$;
COMMENT ON FUNCTION pegs_health() IS 'what in this server could lose a charge or show a secret; ok is false where a person should look';

CREATE FUNCTION pegs_certificate(name text)
RETURNS jsonb LANGUAGE sql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
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
FROM @extschema@.pegs_describe($1) AS d
$$;
COMMENT ON FUNCTION pegs_certificate(text) IS 'what was guaranteed and charged for a model or release: to be published with it; touches no original';

CREATE FUNCTION pegs_certificate_text(name text)
RETURNS text LANGUAGE sql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
SELECT concat_ws(E'\n',
	format('%s "%s" (%s)', initcap(c ->> 'object'), c ->> 'name', c ->> 'kind'),
	'mechanism:   ' || (c ->> 'mechanism'),
	'guarantee:   ' || (c ->> 'guarantee'),
	'epsilon:     ' || coalesce(c ->> 'epsilon', c ->> 'charged'),
	'delta:       ' || coalesce(c ->> 'delta', CASE WHEN c ? 'charged' THEN '0' END),
	'structure:   epsilon ' || (c ->> 'structure_epsilon') || ' was charged for the choice of parents',
	'neighbours:  ' || (c ->> 'neighbours'),
	'unit:        ' || (c ->> 'unit'),
	'rows:        ' || (c ->> 'n'),
	'given:       ' || (c ->> 'given'),
	'public:      ' || (c ->> 'public'),
	'columns:     ' || (SELECT string_agg(format('%s (%s)', e ->> 'column', e ->> 'levels'), ', ' ORDER BY n)
		FROM jsonb_array_elements(c -> 'columns') WITH ORDINALITY AS e (e, n)),
	'counts:      ' || (c ->> 'counts'),
	'not covered: ' || (c ->> 'not_protected'),
	format('made with pegs %s on PostgreSQL %s', c -> 'versions' ->> 'pegs', c -> 'versions' ->> 'postgresql'))
FROM @extschema@.pegs_certificate($1) AS c
$$;
COMMENT ON FUNCTION pegs_certificate_text(text) IS 'pegs_certificate as text';

-- the names in a view mean ours and PostgreSQL's: not what anybody has put into the extension's schema before
SELECT pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);
CREATE OR REPLACE VIEW @extschema@.pegs_models WITH (security_barrier) AS
SELECT name, source, CASE WHEN sealed THEN 'sealed' ELSE 'perturbed' END AS kind,
	CASE WHEN NOT sealed THEN trim_scale(epsilon * 0.000000001) END AS epsilon,
	CASE WHEN NOT sealed THEN trim_scale(delta * 0.000000000000000001) END AS delta,
	CASE WHEN structure_epsilon > 0 THEN trim_scale(structure_epsilon * 0.000000001) END AS structure_epsilon,
	CASE WHEN unit_column IS NULL AND rows_per_unit = 1 THEN 'one row'
		ELSE format('%s, at most %s rows', coalesce(unit_column, 'a person'), rows_per_unit) END AS unit,
	counts, created,
	CASE WHEN l_diversity IS NOT NULL THEN 'none (l-diverse)' WHEN sealed THEN 'each sample pays' ELSE 'differential privacy' END AS guarantee
FROM (SELECT *, pegs_internal.may_use(id, account) AS mine FROM pegs_internal.model OFFSET 0) AS m
WHERE mine AND name IS NOT NULL;
COMMENT ON VIEW @extschema@.pegs_models IS 'models of one''s own tables, and those granted to one';
SELECT pg_catalog.set_config('search_path', '@extschema@, pg_temp', true);

/* ---- measures: computed from the confidential rows, without noise; for curators ---- */

CREATE FUNCTION pegs_trace(model text, epsilon double precision)
RETURNS TABLE (step int, drawn name, line json)
AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE ROWS 20;
COMMENT ON FUNCTION pegs_trace(text, double precision) IS 'one row of a sealed model, feature by feature from its seed; charged like a sample of one row';

CREATE FUNCTION pegs_utility(original regclass, synthetic regclass, ways int DEFAULT 2, columns name[] DEFAULT NULL,
	measures text[] DEFAULT ARRAY['tables', 'propensity'])
RETURNS TABLE (measure text, of name[], value double precision, guarantee text)
AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE ROWS 300;
COMMENT ON FUNCTION pegs_utility(regclass, regclass, int, name[], text[])
IS 'how close a synthetic table is to its original: a row a measure and table; not private, for the curator';

CREATE FUNCTION pegs_regression(original regclass, synthetic regclass, kind text, target text, terms name[],
	factors name[] DEFAULT NULL)
RETURNS TABLE (term text, original double precision, original_error double precision, synthetic double precision,
	synthetic_error double precision, distance double precision, overlap double precision, guarantee text)
AS 'MODULE_PATHNAME', 'pegs_regression_sql' LANGUAGE C VOLATILE PARALLEL UNSAFE ROWS 20;
COMMENT ON FUNCTION pegs_regression(regclass, regclass, text, text, name[], name[])
IS 'the same linear or logistic regression on both tables: coefficients, standard errors, distance, overlap of the 95 % intervals; not private, for the curator';

CREATE FUNCTION pegs_disclosure(original regclass, synthetic regclass, keys name[] DEFAULT NULL, target name DEFAULT NULL,
	columns name[] DEFAULT NULL)
RETURNS TABLE (measure text, value double precision, guarantee text)
AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE ROWS 23;
COMMENT ON FUNCTION pegs_disclosure(regclass, regclass, name[], name, name[])
IS 'what an intruder who knows the keys learns from a synthetic table: uniqueness, attribute disclosure, guesses of the target; not private, for the curator';

CREATE FUNCTION pegs_k_anonymity(relation regclass, keys name[], sensitive name DEFAULT NULL)
RETURNS TABLE (measure text, value double precision, guarantee text)
AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE ROWS 11;
COMMENT ON FUNCTION pegs_k_anonymity(regclass, name[], name)
IS 'the smallest class of rows that agree on the keys, how many rows are in small ones; diversity of a sensitive column; not private, for the curator';

CREATE FUNCTION pegs_combine(estimates double precision[], variances double precision[],
	OUT estimate double precision, OUT "between" double precision, OUT within double precision,
	OUT variance double precision, OUT warning text)
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION pegs_combine(double precision[], double precision[])
IS 'one estimate from several fully synthetic tables: mean, variance between, mean variance within, T = (1 + 1/K) between - within';

CREATE FUNCTION pegs_ru_map(source regclass, epsilons double precision[], n bigint DEFAULT 1000, block bigint DEFAULT 10,
	replicates int DEFAULT 1, columns name[] DEFAULT NULL, parents jsonb DEFAULT '{}', delta double precision DEFAULT 1e-9,
	keys name[] DEFAULT NULL, target name DEFAULT NULL, methods text[] DEFAULT ARRAY['PeGS', 'PeGS.rs', 'fit once'],
	tail_bits int DEFAULT 0)
RETURNS TABLE (method text, epsilon double precision, replicate int, measure text, of name[], value double precision, guarantee text)
AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE ROWS 1000;
COMMENT ON FUNCTION pegs_ru_map(regclass, double precision[], bigint, bigint, int, name[], jsonb, double precision, name[], name, text[], int)
IS 'risk against utility: what n rows would be worth at each epsilon, by PeGS, PeGS.rs and a fit; nothing is released, charged or stored; not private, for the curator';

CREATE FUNCTION pegs_verify(model text, epsilon double precision DEFAULT 1, block bigint DEFAULT 1)
RETURNS TABLE (neighbours bigint, outputs bigint, worst double precision, bound double precision, epsilon_claimed double precision,
	holds boolean, guarantee text)
AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE ROWS 1;
COMMENT ON FUNCTION pegs_verify(text, double precision, bigint)
IS 'enumerate a small sealed model exactly: the largest likelihood ratio (as ln) over all neighbours, seeds and outputs of a block; not private, for the curator';

CREATE FUNCTION pegs_audit(model text, runs int DEFAULT 10000, epsilon double precision DEFAULT 1)
RETURNS TABLE (epsilon_claimed double precision, lower_bound double precision, confidence double precision, runs_made int, event text,
	share double precision, share_neighbour double precision, holds boolean, guarantee text)
AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE ROWS 1;
COMMENT ON FUNCTION pegs_audit(text, int, double precision)
IS 'attack a model: samples or fits of its table and of a neighbour, told apart; a lower confidence bound on epsilon; not private, for the curator';

CREATE FUNCTION pegs_disclosure_of(name text, keys name[] DEFAULT NULL, target name DEFAULT NULL)
RETURNS TABLE (measure text, value double precision, guarantee text)
AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE ROWS 23;
COMMENT ON FUNCTION pegs_disclosure_of(text, name[], name) IS 'pegs_disclosure of a release or perturbed model, with its own columns; not private, for the curator';

CREATE FUNCTION pegs_marginals_of(name text)
RETURNS TABLE (column_name name, place int, level text, original bigint, synthetic bigint)
AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE ROWS 100;
COMMENT ON FUNCTION pegs_marginals_of(text) IS 'how often a level occurs in the original and in the rows of a release or perturbed model; not private, for the curator';

CREATE FUNCTION pegs_utility_of(name text, ways int DEFAULT 2, measures text[] DEFAULT ARRAY['tables', 'propensity'])
RETURNS TABLE (measure text, of name[], value double precision, guarantee text)
AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE ROWS 300;
COMMENT ON FUNCTION pegs_utility_of(text, int, text[]) IS 'pegs_utility of a release or perturbed model, with its own columns; not private, for the curator';

REVOKE ALL ON ALL FUNCTIONS IN SCHEMA pegs_internal FROM PUBLIC;
REVOKE ALL ON FUNCTION
	pegs_adopt(regclass, double precision, text, double precision),
	pegs_verify_ledger(regclass),
	pegs_health(),
	pegs_trace(text, double precision),
	pegs_utility(regclass, regclass, int, name[], text[]),
	pegs_regression(regclass, regclass, text, text, name[], name[]),
	pegs_disclosure(regclass, regclass, name[], name, name[]),
	pegs_k_anonymity(regclass, name[], name),
	pegs_combine(double precision[], double precision[]),
	pegs_utility_of(text, int, text[]),
	pegs_disclosure_of(text, name[], name),
	pegs_marginals_of(text),
	pegs_verify(text, double precision, bigint),
	pegs_audit(text, int, double precision),
	pegs_ru_map(regclass, double precision[], bigint, bigint, int, name[], jsonb, double precision, name[], name, text[], int)
FROM PUBLIC;
GRANT EXECUTE ON FUNCTION
	pegs_internal.state_in(cstring), pegs_internal.state_out(pegs_state),
	pegs_internal.state_recv(internal), pegs_internal.state_send(pegs_state),
	pegs_internal.spent(regclass, boolean), pegs_internal.may_use(bigint, regclass),
	pegs_internal.elsewhere(numeric, bigint, oid, regclass, oid)
TO PUBLIC;
