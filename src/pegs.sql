/*
 * pegs.sql
 *	  The living install script: pegs--VERSION.sql is a copy of it.
 *
 * Every object has its COMMENT, volatility, parallel label and rights here.
 * C functions pin their own search_path where they run SQL (src/pegs.c). What
 * is not granted to PUBLIC below can be called by the extension's owner and by
 * those whom a DBA allows (pegs_allow); rights on tables and models are checked
 * in C on top of that.
 */

-- complain if the script is sourced in psql rather than by CREATE EXTENSION
\echo Use "CREATE EXTENSION pegs" to load this file. \quit

/* ---- state: readable by the extension's owner alone ---- */

CREATE SCHEMA pegs_internal;
COMMENT ON SCHEMA pegs_internal IS 'state of pegs: no role but the extension''s owner has rights here';

CREATE SEQUENCE pegs_internal.object_id;
COMMENT ON SEQUENCE pegs_internal.object_id IS 'numbers of models, releases, grants and ledger lines';

CREATE TABLE pegs_internal.fact (
	source regclass NOT NULL,
	column_name name NOT NULL,
	levels text[],
	other text,
	lookup regclass,
	lookup_column name,
	edges text[],
	drop_undeclared boolean,
	PRIMARY KEY (source, column_name)
);
COMMENT ON TABLE pegs_internal.fact IS 'declared levels and bins, as canonical text';

CREATE TABLE pegs_internal.forbidden (
	source regclass NOT NULL,
	combination jsonb NOT NULL,
	UNIQUE (source, combination)
);
COMMENT ON TABLE pegs_internal.forbidden IS 'structural zeros of base tables: combinations that no synthetic row has';

CREATE TABLE pegs_internal.unit (
	source regclass PRIMARY KEY,
	column_name name NOT NULL,
	max_rows int NOT NULL,
	rows_each int,
	attnum smallint,	-- of the column when it was declared: a name can be given to another
	relation oid	-- of which attnum is the number: a restored dump has another
);
COMMENT ON TABLE pegs_internal.unit IS 'privacy units: the column of a base table that says whose row it is, and how many rows of a person count; rows_each: persons weigh equally, each counts so many times';

-- the order of the first columns is known to src/ledger.c
CREATE TABLE pegs_internal.budget (
	source regclass PRIMARY KEY,
	epsilon bigint NOT NULL CHECK (epsilon >= 0),
	delta bigint NOT NULL CHECK (delta >= 0),
	epsilon_spent regclass NOT NULL,
	delta_spent regclass NOT NULL,
	id bigint NOT NULL UNIQUE,
	system_identifier numeric NOT NULL,
	timeline bigint NOT NULL,
	database oid NOT NULL,
	sequence oid,	-- of epsilon_spent: a restored dump has this number, but another sequence
	home text,		-- modification time and number of the database's file PG_VERSION: a database made again, or a clone, has another
	entry bigint	-- transaction that wrote the database's row of pg_database: the same on a promoted standby
);
COMMENT ON TABLE pegs_internal.budget IS 'accounts of base tables: totals in units of 1e-9 and 1e-18; what is spent is the last value of two sequences';

-- the order of the first columns is known to src/ledger.c
CREATE TABLE pegs_internal.ledger (
	id bigint PRIMARY KEY DEFAULT pg_catalog.nextval('pegs_internal.object_id'),
	at timestamptz NOT NULL DEFAULT clock_timestamp(),
	role text NOT NULL,
	source regclass NOT NULL,
	deed text NOT NULL,
	object text,
	epsilon_from bigint NOT NULL,
	epsilon_to bigint NOT NULL,
	delta_from bigint NOT NULL,
	delta_to bigint NOT NULL,
	epsilon_left bigint NOT NULL,
	reason text,
	unit text	-- what a charge protects: row, or person and the column that tells persons apart (null: no charge, or one of an older version)
);
CREATE INDEX ledger_epsilon ON pegs_internal.ledger (source, epsilon_to);
CREATE INDEX ledger_delta ON pegs_internal.ledger (source, delta_to);
COMMENT ON TABLE pegs_internal.ledger IS 'one line a charge: who, when, what, the interval (from, to] it bought';

CREATE TABLE pegs_internal.name (
	name text PRIMARY KEY
);
COMMENT ON TABLE pegs_internal.name IS 'names in use: models and releases share one namespace';

CREATE TABLE pegs_internal.model (
	id bigint PRIMARY KEY,
	name text,
	source regclass NOT NULL,
	account regclass NOT NULL,
	sealed boolean NOT NULL,
	spec text NOT NULL,
	epsilon bigint NOT NULL,
	delta bigint NOT NULL,
	counts text NOT NULL,
	key bytea,
	rows_per_unit int NOT NULL,
	unit_column text,
	structure_epsilon bigint NOT NULL,
	created timestamptz NOT NULL DEFAULT clock_timestamp(),
	l_diversity double precision,
	types regtype[],
	rows_each int
);
COMMENT ON TABLE pegs_internal.model IS 'models: public facts and what was charged; name is null when only releases need it';

-- partial, so that the name is no key column: a release that holds its model makes no dropper of the name wait
CREATE UNIQUE INDEX model_name_key ON pegs_internal.model (name) WHERE name IS NOT NULL;

ALTER TABLE pegs_internal.model ALTER COLUMN key SET STATISTICS 0;

CREATE TABLE pegs_internal.body (
	model bigint PRIMARY KEY,
	body bytea NOT NULL
);
COMMENT ON TABLE pegs_internal.body IS 'exact counts of sealed models, released numbers of perturbed ones; one value a model, size by the declared domain';
ALTER TABLE pegs_internal.body ALTER COLUMN body SET STORAGE EXTERNAL;
ALTER TABLE pegs_internal.body ALTER COLUMN body SET STATISTICS 0;

CREATE TABLE pegs_internal.release (
	id bigint PRIMARY KEY,
	name text NOT NULL UNIQUE,
	model bigint NOT NULL,
	account regclass NOT NULL,
	n bigint NOT NULL,
	epsilon bigint NOT NULL,
	block bigint NOT NULL,
	given jsonb,
	key bytea,
	value_key bytea NOT NULL,
	independent boolean NOT NULL,
	created timestamptz NOT NULL DEFAULT clock_timestamp()
);
COMMENT ON TABLE pegs_internal.release IS 'releases: of a perturbed model the key and n, of a sealed one the rows are in release_rows';

ALTER TABLE pegs_internal.release ALTER COLUMN key SET STATISTICS 0;
ALTER TABLE pegs_internal.release ALTER COLUMN value_key SET STATISTICS 0;

CREATE TABLE pegs_internal.release_rows (
	release bigint NOT NULL,
	chunk bigint NOT NULL,
	codes bytea NOT NULL,
	crc bigint,
	PRIMARY KEY (release, chunk)
);
COMMENT ON TABLE pegs_internal.release_rows IS 'released rows as codes of the declared domain, 65,536 a chunk, and their CRC-32C (null: stored by version 0.1.0)';
ALTER TABLE pegs_internal.release_rows ALTER COLUMN codes SET STORAGE EXTERNAL;
ALTER TABLE pegs_internal.release_rows ALTER COLUMN codes SET STATISTICS 0;

-- the order of the first columns is known to src/ledger.c
CREATE TABLE pegs_internal.access (
	id bigint PRIMARY KEY,
	object bigint NOT NULL,
	grantee regrole NOT NULL,
	granted timestamptz NOT NULL DEFAULT clock_timestamp(),
	cap bigint,
	cap_spent regclass,
	max_rows bigint DEFAULT 1000000,
	max_releases bigint DEFAULT 100,
	UNIQUE (object, grantee)
);
COMMENT ON TABLE pegs_internal.access IS 'who may use a model or release; for a sealed model, how much epsilon; how much releases of the grantee may store (null: no limit)';

CREATE TABLE pegs_internal.revoked (
	sequence regclass PRIMARY KEY
);
COMMENT ON TABLE pegs_internal.revoked IS 'sequences of caps that were taken back: dropped when no transaction has them open';

-- the order of the columns is known to src/maker.c
CREATE TABLE pegs_internal.maker (
	release bigint PRIMARY KEY,
	model bigint NOT NULL,
	maker regrole NOT NULL,
	grantee regrole,
	rows bigint NOT NULL
);
CREATE INDEX maker_model ON pegs_internal.maker (model);
COMMENT ON TABLE pegs_internal.maker IS 'who made a release, by the grant of its model to whom (null: a curator), and how many rows it stores';

-- the order of the columns is known to src/origin.c; not in a dump: numbers of transactions mean nothing elsewhere
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

CREATE TABLE pegs_internal.curator (
	role regrole PRIMARY KEY,
	allowed timestamptz NOT NULL DEFAULT clock_timestamp()
);
COMMENT ON TABLE pegs_internal.curator IS 'roles that pegs_allow gave the curators'' functions: those of a later version are theirs, too';

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
SELECT pg_catalog.pg_extension_config_dump('pegs_internal.revoked', 'WHERE sequence IN (SELECT oid FROM pg_class)');
SELECT pg_catalog.pg_extension_config_dump('pegs_internal.maker', 'WHERE release IN (SELECT id FROM pegs_internal.release WHERE (account = 0 OR account IN (SELECT oid FROM pg_class)))
	AND maker IN (SELECT oid FROM pg_roles) AND (grantee IS NULL OR grantee = 0 OR grantee IN (SELECT oid FROM pg_roles))');
SELECT pg_catalog.pg_extension_config_dump('pegs_internal.curator', 'WHERE role IN (SELECT oid FROM pg_roles)');

/* ---- public facts ---- */

CREATE FUNCTION pegs_domain(source regclass)
RETURNS TABLE (column_name name, type text, origin text, levels text[], problem text, remedy text)
AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL UNSAFE ROWS 20;
COMMENT ON FUNCTION pegs_domain(regclass) IS 'the declared domain of every column of a source, where it is declared, and what is missing';

CREATE FUNCTION pegs_set_levels(source regclass, column_name name, levels text[], other text DEFAULT NULL)
RETURNS void AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_set_levels(regclass, name, text[], text) IS 'declare the levels of a column; other is the level that takes undeclared values';

CREATE FUNCTION pegs_set_levels(source regclass, column_name name, levels text[], undeclared name)
RETURNS void AS 'MODULE_PATHNAME', 'pegs_set_levels_undeclared' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_set_levels(regclass, name, text[], name) IS 'declare the levels of a column; undeclared => ''drop'': a row with another value is left out of every fit';

CREATE FUNCTION pegs_set_levels(source regclass, column_name name, lookup regclass, lookup_column name)
RETURNS void AS 'MODULE_PATHNAME', 'pegs_set_lookup' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_set_levels(regclass, name, regclass, name) IS 'declare that the levels of a column are those of a public lookup table';

CREATE FUNCTION pegs_set_lookup(source regclass, column_name name, lookup regclass, lookup_column name)
RETURNS void AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_set_lookup(regclass, name, regclass, name) IS 'declare that the levels of a column are those of a public lookup table; pegs_set_levels with its lookup by another name';

CREATE FUNCTION pegs_set_lookup(source regclass, column_name name, lookup regclass, lookup_column name, undeclared text)
RETURNS void AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_set_lookup(regclass, name, regclass, name, text) IS 'pegs_set_lookup; undeclared => ''drop'': a row with another value is left out of every fit';

CREATE FUNCTION pegs_set_bins(source regclass, column_name name, edges text[])
RETURNS void AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_set_bins(regclass, name, text[]) IS 'declare bins [a, b) of a number, date or timestamp column; the last one is closed';

CREATE FUNCTION pegs_set_bins(source regclass, column_name name, edges text[], undeclared text)
RETURNS void AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_set_bins(regclass, name, text[], text) IS 'pegs_set_bins; undeclared => ''drop'': a row with a value outside is left out of every fit';

CREATE FUNCTION pegs_unset(source regclass, column_name name)
RETURNS void AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_unset(regclass, name) IS 'forget the declared levels or bins of a column';

CREATE FUNCTION pegs_forbid(source regclass, combination jsonb)
RETURNS void AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_forbid(regclass, jsonb) IS 'declare a structural zero of up to three columns: no synthetic row has it; NULL forgets all of them';

CREATE FUNCTION pegs_set_unit(source regclass, column_name name, max_rows int DEFAULT 1)
RETURNS void AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
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

/* ---- budgets ---- */

CREATE FUNCTION pegs_set_budget(source regclass, epsilon double precision, delta double precision DEFAULT 0)
RETURNS void AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_set_budget(regclass, double precision, double precision) IS 'set or raise the privacy budget of the base table of a source; what is spent never comes back';

-- readers behind the views: PUBLIC may execute them, but nobody can name them (no USAGE on the schema)
CREATE FUNCTION pegs_internal.spent(source regclass, of_delta boolean)
RETURNS bigint AS 'MODULE_PATHNAME', 'pegs_spent' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_internal.spent(regclass, boolean) IS 'what is spent of a budget, in units; null unless the caller is its curator';

CREATE FUNCTION pegs_internal.may_use(object bigint, account regclass)
RETURNS boolean AS 'MODULE_PATHNAME', 'pegs_may_use' LANGUAGE C STABLE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_internal.may_use(bigint, regclass) IS 'is the caller a curator of the account, or is the object granted to it';

CREATE FUNCTION pegs_internal.elsewhere(system_identifier numeric, timeline bigint, database oid, epsilon_spent regclass, sequence oid,
	home text, entry bigint)
RETURNS text AS 'MODULE_PATHNAME', 'pegs_elsewhere_sql' LANGUAGE C STABLE PARALLEL SAFE;
COMMENT ON FUNCTION pegs_internal.elsewhere(numeric, bigint, oid, regclass, oid, text, bigint) IS 'where a budget was kept, in words, if it was not here';

CREATE FUNCTION pegs_internal.strip_rights()
RETURNS void AS 'MODULE_PATHNAME', 'pegs_strip_rights_sql' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_internal.strip_rights() IS 'take back what default privileges gave on the schema pegs_internal and its relations; the install script calls it';

CREATE FUNCTION pegs_internal.unmasked(body bytea)
RETURNS bytea AS 'MODULE_PATHNAME', 'pegs_unmasked' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION pegs_internal.unmasked(bytea) IS 'a stored body without its mask: what a checksum and pegs_state read; for the extension''s owner';
REVOKE ALL ON FUNCTION pegs_internal.unmasked(bytea) FROM PUBLIC;

CREATE FUNCTION pegs_internal.home()
RETURNS text AS 'MODULE_PATHNAME', 'pegs_home' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_internal.home() IS 'modification time and number of the file that was written when this database was made; a checkpoint, if that was just now';

-- the names in a view mean ours and PostgreSQL's: not what anybody has put into the extension's schema before
SELECT pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);
CREATE VIEW @extschema@.pegs_budgets WITH (security_barrier) AS
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

CREATE VIEW @extschema@.pegs_ledger WITH (security_barrier) AS
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
SELECT source, at, role, deed, object,
	trim_scale(epsilon_from * 0.000000001) AS epsilon_from,
	trim_scale(epsilon_to * 0.000000001) AS epsilon_to,
	trim_scale(delta_from * 0.000000000000000001) AS delta_from,
	trim_scale(delta_to * 0.000000000000000001) AS delta_to,
	trim_scale(epsilon_left * 0.000000001) AS remaining,
	reason,
	unit
FROM entry;
COMMENT ON VIEW @extschema@.pegs_ledger IS 'every charge on one''s own tables: the interval (from, to] of the account it bought; a charge whose transaction rolled back has no line and shows as a gap';

CREATE FUNCTION pegs_internal.leftovers()
RETURNS TABLE (item text, state text, remedy text) AS 'MODULE_PATHNAME', 'pegs_leftovers' LANGUAGE C VOLATILE PARALLEL UNSAFE ROWS 10;
COMMENT ON FUNCTION pegs_internal.leftovers() IS 'what is left of dropped tables and roles, for their curators';

CREATE VIEW @extschema@.pegs_leftovers WITH (security_barrier) AS
SELECT item, state, remedy FROM pegs_internal.leftovers();
COMMENT ON VIEW @extschema@.pegs_leftovers IS 'what is left of dropped tables and roles: accounts, models, releases and grants that somebody should drop';
SELECT pg_catalog.set_config('search_path', '@extschema@, pg_temp', true);

CREATE FUNCTION pegs_adopt(source regclass, remaining double precision, reason text, remaining_delta double precision DEFAULT 0)
RETURNS void AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_adopt(regclass, double precision, text, double precision)
IS 'state what may be spent of a copied budget (a restore, a promotion): never more than it says is left; superuser, logged';

-- the names in a body mean ours and PostgreSQL's; it is parsed here, once: no name is looked up when it is called
SELECT pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);
CREATE FUNCTION @extschema@.pegs_verify_ledger(source regclass DEFAULT NULL)
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

CREATE FUNCTION @extschema@.pegs_health()
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
		format('SELECT %s.pegs_adopt(%L, remaining => ..., reason => ...)', e.extnamespace::regnamespace, b.source)
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
	SELECT l.item, l.state, false, l.remedy FROM @extschema@.pegs_leftovers AS l
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
) AS h (item, state, ok, remedy);
END;
COMMENT ON FUNCTION @extschema@.pegs_health() IS 'what in this server could lose a charge or show a secret; ok is false where a person should look';
SELECT pg_catalog.set_config('search_path', '@extschema@, pg_temp', true);

/* ---- states ---- */

CREATE TYPE pegs_state;
CREATE FUNCTION pegs_internal.state_in(cstring) RETURNS pegs_state
AS 'MODULE_PATHNAME', 'pegs_state_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION pegs_internal.state_out(pegs_state) RETURNS cstring
AS 'MODULE_PATHNAME', 'pegs_state_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION pegs_internal.state_recv(internal) RETURNS pegs_state
AS 'MODULE_PATHNAME', 'pegs_state_recv' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION pegs_internal.state_send(pegs_state) RETURNS bytea
AS 'MODULE_PATHNAME', 'pegs_state_send' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION pegs_internal.state_in(cstring) IS 'hex text to a state, checked whole';
COMMENT ON FUNCTION pegs_internal.state_out(pegs_state) IS 'a state as hex text';
COMMENT ON FUNCTION pegs_internal.state_recv(internal) IS 'bytes to a state, checked whole';
COMMENT ON FUNCTION pegs_internal.state_send(pegs_state) IS 'a state as bytes';
CREATE TYPE pegs_state (
	INPUT = pegs_internal.state_in, OUTPUT = pegs_internal.state_out,
	RECEIVE = pegs_internal.state_recv, SEND = pegs_internal.state_send,
	INTERNALLENGTH = VARIABLE, ALIGNMENT = int4, STORAGE = external
);
COMMENT ON TYPE pegs_state IS 'contingency tables over a declared domain: exact counts, as secret as the rows';

CREATE FUNCTION pegs_internal.agg_transition(internal, text, VARIADIC "any") RETURNS internal
AS 'MODULE_PATHNAME', 'pegs_agg_transition' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION pegs_internal.agg_final(internal) RETURNS pegs_state
AS 'MODULE_PATHNAME', 'pegs_agg_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION pegs_internal.agg_combine(internal, internal) RETURNS internal
AS 'MODULE_PATHNAME', 'pegs_agg_combine' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION pegs_internal.agg_serialize(internal) RETURNS bytea
AS 'MODULE_PATHNAME', 'pegs_agg_serialize' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION pegs_internal.agg_deserialize(bytea, internal) RETURNS internal
AS 'MODULE_PATHNAME', 'pegs_agg_deserialize' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION pegs_internal.merge_transition(internal, pegs_state) RETURNS internal
AS 'MODULE_PATHNAME', 'pegs_merge_transition' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION pegs_internal.agg_transition(internal, text, "any") IS 'a part of pegs_agg';
COMMENT ON FUNCTION pegs_internal.agg_final(internal) IS 'a part of pegs_agg and pegs_merge';
COMMENT ON FUNCTION pegs_internal.agg_combine(internal, internal) IS 'a part of pegs_agg and pegs_merge';
COMMENT ON FUNCTION pegs_internal.agg_serialize(internal) IS 'a part of pegs_agg and pegs_merge';
COMMENT ON FUNCTION pegs_internal.agg_deserialize(bytea, internal) IS 'a part of pegs_agg and pegs_merge';
COMMENT ON FUNCTION pegs_internal.merge_transition(internal, pegs_state) IS 'a part of pegs_merge';

CREATE AGGREGATE pegs_agg(spec text, VARIADIC "any") (
	SFUNC = pegs_internal.agg_transition, STYPE = internal, SSPACE = 200000,
	FINALFUNC = pegs_internal.agg_final, COMBINEFUNC = pegs_internal.agg_combine,
	SERIALFUNC = pegs_internal.agg_serialize, DESERIALFUNC = pegs_internal.agg_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE pegs_agg(text, "any") IS 'count rows into the tables of a spec (pegs_spec); no rows give NULL, the empty state';

CREATE AGGREGATE pegs_merge(pegs_state) (
	SFUNC = pegs_internal.merge_transition, STYPE = internal, SSPACE = 200000,
	FINALFUNC = pegs_internal.agg_final, COMBINEFUNC = pegs_internal.agg_combine,
	SERIALFUNC = pegs_internal.agg_serialize, DESERIALFUNC = pegs_internal.agg_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE pegs_merge(pegs_state) IS 'add states of one spec: pegs_merge(pegs_agg(a), pegs_agg(b)) = pegs_agg(a and b), byte for byte';

CREATE FUNCTION pegs_spec(source regclass, columns name[] DEFAULT NULL, parents jsonb DEFAULT NULL, tail_bits int DEFAULT 0)
RETURNS text AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL RESTRICTED;
COMMENT ON FUNCTION pegs_spec(regclass, name[], jsonb, int) IS 'what pegs_agg((SELECT pegs_spec(...)), ...) shall count, as canonical text: all pairs, or with parents one conditional table a column';

/* ---- models ---- */

CREATE FUNCTION pegs_fit(model text, source regclass, columns name[] DEFAULT NULL,
	epsilon double precision DEFAULT NULL, delta double precision DEFAULT 0,
	parents jsonb DEFAULT NULL, max_parents int DEFAULT 2, structure_epsilon double precision DEFAULT 0.1,
	tail_bits int DEFAULT 0, options jsonb DEFAULT '{}')
RETURNS void AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_fit(text, regclass, name[], double precision, double precision, jsonb, int, double precision, int, jsonb)
IS 'fit a model: with epsilon a perturbed one, paid for now, rows free for ever; without, a sealed one, every sample pays';

CREATE FUNCTION pegs_fit_state(model text, source regclass, state pegs_state, columns name[] DEFAULT NULL,
	epsilon double precision DEFAULT NULL, delta double precision DEFAULT 0,
	parents jsonb DEFAULT NULL, max_parents int DEFAULT 2, structure_epsilon double precision DEFAULT 0.1,
	tail_bits int DEFAULT 0, options jsonb DEFAULT '{}')
RETURNS void AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_fit_state(text, regclass, pegs_state, name[], double precision, double precision, jsonb, int, double precision, int, jsonb)
IS 'fit a model to a state made by pegs_agg and pegs_merge: the counts are the curator''s word';

CREATE FUNCTION pegs_export(model text)
RETURNS bytea AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_export(text) IS 'a perturbed model as a file: released numbers and public facts only';

CREATE FUNCTION pegs_import(name text, model bytea)
RETURNS void AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_import(text, bytea) IS 'a model from a file; its guarantee is as stated by the file (superuser)';

CREATE FUNCTION pegs_drop(name text)
RETURNS void AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_drop(text) IS 'drop a model or release; releases outlive their model, charges outlive both';

CREATE FUNCTION pegs_grant(name text, role name, epsilon double precision DEFAULT NULL)
RETURNS void AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_grant(text, name, double precision) IS 'let a role use a model or release; of a sealed model, up to epsilon in all';

CREATE FUNCTION pegs_revoke(name text, role name)
RETURNS void AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_revoke(text, name) IS 'take a grant of a model or release back';

CREATE FUNCTION pegs_limit(model text, role name, max_rows bigint DEFAULT 1000000, max_releases bigint DEFAULT 100)
RETURNS void AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_limit(text, name, bigint, bigint)
IS 'how many rows and releases of a model a role to which it is granted may store (null: any number)';

CREATE FUNCTION pegs_withdraw(model text, role name DEFAULT NULL)
RETURNS bigint AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_withdraw(text, name) IS 'drop the releases of a model, all or those made by the grant to a role; gives how many';

CREATE FUNCTION pegs_describe(name text)
RETURNS jsonb AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_describe(text) IS 'what is public about a model or release, its guarantee, and what was measured with noise';

CREATE FUNCTION pegs_row_type(name text)
RETURNS text AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_row_type(text) IS 'the column list of a model or release, for AS t(...)';

CREATE FUNCTION pegs_view_sql(name text, view_name text)
RETURNS text AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_view_sql(text, text) IS 'SQL text that makes a public view of a release or perturbed model';

-- the names in a body mean ours and PostgreSQL's; it is parsed here, once: no name is looked up when it is called
SELECT pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);
CREATE FUNCTION @extschema@.pegs_certificate(name text)
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

CREATE FUNCTION @extschema@.pegs_certificate_text(name text)
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

CREATE VIEW @extschema@.pegs_models WITH (security_barrier) AS
SELECT name, source, CASE WHEN sealed THEN 'sealed' ELSE 'perturbed' END AS kind,
	CASE WHEN NOT sealed THEN trim_scale(epsilon * 0.000000001) END AS epsilon,
	CASE WHEN NOT sealed THEN trim_scale(delta * 0.000000000000000001) END AS delta,
	CASE WHEN structure_epsilon > 0 THEN trim_scale(structure_epsilon * 0.000000001) END AS structure_epsilon,
	CASE WHEN unit_column IS NULL AND rows_per_unit = 1 THEN 'one row'
		WHEN rows_each IS NOT NULL THEN format('%s, all weigh the same', coalesce(unit_column, 'a person'))
		ELSE format('%s, at most %s rows', coalesce(unit_column, 'a person'), rows_per_unit) END AS unit,
	counts, created,
	CASE WHEN l_diversity IS NOT NULL THEN 'none (l-diverse)' WHEN sealed THEN 'each sample pays' ELSE 'differential privacy' END AS guarantee
FROM (SELECT name, source, sealed, epsilon, delta, structure_epsilon, unit_column, rows_per_unit, rows_each, counts, created, l_diversity,
	pegs_internal.may_use(id, account) AS mine FROM pegs_internal.model OFFSET 0) AS m
WHERE mine AND name IS NOT NULL;
COMMENT ON VIEW @extschema@.pegs_models IS 'models of one''s own tables, and those granted to one';
SELECT pg_catalog.set_config('search_path', '@extschema@, pg_temp', true);

/* ---- rows ---- */

CREATE FUNCTION pegs_internal.sample_support(internal)
RETURNS internal AS 'MODULE_PATHNAME', 'pegs_sample_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION pegs_internal.sample_support(internal) IS 'tells the planner how many rows were asked for';

CREATE FUNCTION pegs_sample(model text, n bigint, epsilon double precision DEFAULT NULL, block bigint DEFAULT 1,
	delta double precision DEFAULT 0, given jsonb DEFAULT NULL, options jsonb DEFAULT '{}')
RETURNS SETOF record AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE ROWS 1000
SUPPORT pegs_internal.sample_support;
COMMENT ON FUNCTION pegs_sample(text, bigint, double precision, bigint, double precision, jsonb, jsonb)
IS 'n synthetic rows; of a sealed model epsilon is the total of the call, shared by blocks of rows';

CREATE FUNCTION pegs_sample_as(row_type anyelement, model text, n bigint, epsilon double precision DEFAULT NULL,
	block bigint DEFAULT 1, delta double precision DEFAULT 0, given jsonb DEFAULT NULL, options jsonb DEFAULT '{}')
RETURNS SETOF anyelement AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE ROWS 1000
SUPPORT pegs_internal.sample_support;
COMMENT ON FUNCTION pegs_sample_as(anyelement, text, bigint, double precision, bigint, double precision, jsonb, jsonb)
IS 'pegs_sample with a table''s row type: pegs_sample_as(NULL::my_table, ...)';

CREATE FUNCTION pegs_cost(model text, n bigint, epsilon double precision DEFAULT NULL, block bigint DEFAULT 1,
	delta double precision DEFAULT 0)
RETURNS TABLE (alpha double precision, blocks bigint, real_rows double precision, charged numeric, in_words text)
AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL UNSAFE ROWS 1;
COMMENT ON FUNCTION pegs_cost(text, bigint, double precision, bigint, double precision)
IS 'what a sample would cost and how much noise it would carry, from public facts only';

CREATE FUNCTION pegs_release(release text, model text, n bigint, epsilon double precision DEFAULT NULL,
	block bigint DEFAULT 1, delta double precision DEFAULT 0, given jsonb DEFAULT NULL, options jsonb DEFAULT '{}')
RETURNS void AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_release(text, text, bigint, double precision, bigint, double precision, jsonb, jsonb)
IS 'charge once, keep the rows for ever: read them with pegs_rows';

CREATE FUNCTION pegs_rows(release text)
RETURNS SETOF record AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL UNSAFE ROWS 1000;
COMMENT ON FUNCTION pegs_rows(text) IS 'the rows of a release: the same for ever, free, in read-only transactions and on standbys';

CREATE FUNCTION pegs_rows_as(row_type anyelement, release text)
RETURNS SETOF anyelement AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL UNSAFE ROWS 1000;
COMMENT ON FUNCTION pegs_rows_as(anyelement, text) IS 'pegs_rows with a table''s row type';

-- the names in a view mean ours and PostgreSQL's: not what anybody has put into the extension's schema before
SELECT pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);
CREATE VIEW @extschema@.pegs_releases WITH (security_barrier) AS
SELECT r.name, m.name AS model, r.account AS source, r.n, CASE WHEN m.sealed THEN 'sealed' ELSE 'perturbed' END AS kind,
	CASE WHEN m.sealed THEN trim_scale(r.epsilon * 0.000000001) ELSE trim_scale(m.epsilon * 0.000000001) END AS epsilon,
	r.block, r.given, r.created
FROM (SELECT *, pegs_internal.may_use(id, account) AS mine FROM pegs_internal.release OFFSET 0) AS r
JOIN pegs_internal.model AS m ON m.id = r.model
WHERE mine;
COMMENT ON VIEW @extschema@.pegs_releases IS 'releases of one''s own tables, and those granted to one';
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

CREATE FUNCTION pegs_audit(model text, runs int DEFAULT 10000, epsilon double precision DEFAULT 1, n bigint DEFAULT NULL,
	block bigint DEFAULT 1, given jsonb DEFAULT NULL)
RETURNS TABLE (epsilon_claimed double precision, lower_bound double precision, confidence double precision, runs_made int, event text,
	share double precision, share_neighbour double precision, holds boolean, guarantee text, reason text, exact_epsilon double precision,
	gaussian_epsilon double precision, statistic text)
AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE ROWS 1;
COMMENT ON FUNCTION pegs_audit(text, int, double precision, bigint, bigint, jsonb)
IS 'weigh all answers of samples or fits on a table and on a neighbour: what they cost, exactly, and bounds on epsilon; not private, for the curator';

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

/* ---- who may be a curator ---- */

CREATE FUNCTION pegs_allow(role name)
RETURNS void AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_allow(name) IS 'give a role all curators'' functions, those of later versions too; what it may do with a table is asked at every call';

CREATE FUNCTION pegs_disallow(role name)
RETURNS void AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_disallow(name) IS 'take all curators'' functions from a role';

CREATE FUNCTION pegs_internal.allow_again()
RETURNS void AS 'MODULE_PATHNAME', 'pegs_allow_again' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_internal.allow_again() IS 'after an update: what is new, to those who were allowed before';

CREATE FUNCTION pegs_internal.table_dropped()
RETURNS event_trigger AS 'MODULE_PATHNAME', 'pegs_table_dropped' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_internal.table_dropped() IS 'a dropped table takes its exact counts and declared facts with it';

CREATE EVENT TRIGGER pegs_table_dropped ON sql_drop
	-- what can take a table or view with it; whatever else is dropped does not come by here
	WHEN TAG IN ('DROP TABLE', 'DROP VIEW', 'DROP MATERIALIZED VIEW', 'DROP FOREIGN TABLE', 'DROP SCHEMA', 'DROP OWNED', 'DROP EXTENSION',
		'DROP TYPE', 'DROP DOMAIN', 'DROP SERVER', 'DROP FOREIGN DATA WRAPPER', 'DROP ACCESS METHOD')
	EXECUTE FUNCTION pegs_internal.table_dropped();
ALTER EVENT TRIGGER pegs_table_dropped ENABLE ALWAYS;
COMMENT ON EVENT TRIGGER pegs_table_dropped IS 'a dropped table takes its exact counts and declared facts with it';

/* ---- rights ---- */

REVOKE ALL ON ALL FUNCTIONS IN SCHEMA pegs_internal FROM PUBLIC;
REVOKE ALL ON FUNCTION
	pegs_domain(regclass),
	pegs_set_levels(regclass, name, text[], text),
	pegs_set_levels(regclass, name, text[], name),
	pegs_set_levels(regclass, name, regclass, name),
	pegs_set_lookup(regclass, name, regclass, name),
	pegs_set_lookup(regclass, name, regclass, name, text),
	pegs_allow(name),
	pegs_disallow(name),
	pegs_set_bins(regclass, name, text[]),
	pegs_set_bins(regclass, name, text[], text),
	pegs_unset(regclass, name),
	pegs_forbid(regclass, jsonb),
	pegs_set_unit(regclass, name, int),
	pegs_set_unit(regclass, name, text),
	pegs_set_unit(regclass, name, int, text),
	pegs_unit_cost(double precision, double precision),
	pegs_set_budget(regclass, double precision, double precision),
	pegs_adopt(regclass, double precision, text, double precision),
	pegs_verify_ledger(regclass),
	pegs_health(),
	pegs_spec(regclass, name[], jsonb, int),
	pegs_fit(text, regclass, name[], double precision, double precision, jsonb, int, double precision, int, jsonb),
	pegs_fit_state(text, regclass, pegs_state, name[], double precision, double precision, jsonb, int, double precision, int, jsonb),
	pegs_export(text),
	pegs_import(text, bytea),
	pegs_drop(text),
	pegs_grant(text, name, double precision),
	pegs_limit(text, name, bigint, bigint),
	pegs_revoke(text, name),
	pegs_withdraw(text, name),
	pegs_view_sql(text, text),
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
	pegs_audit(text, int, double precision, bigint, bigint, jsonb),
	pegs_ru_map(regclass, double precision[], bigint, bigint, int, name[], jsonb, double precision, name[], name, text[], int)
FROM PUBLIC;
-- what everyone may call: the reviewed list (DESIGN section 3), the state's I/O, and the readers behind the views
GRANT EXECUTE ON FUNCTION
	pegs_combine(double precision[], double precision[]),
	pegs_drop(text),	-- the maker of a release
	pegs_internal.state_in(cstring), pegs_internal.state_out(pegs_state),
	pegs_internal.state_recv(internal), pegs_internal.state_send(pegs_state),
	pegs_internal.spent(regclass, boolean), pegs_internal.may_use(bigint, regclass), pegs_internal.leftovers(),
	pegs_internal.elsewhere(numeric, bigint, oid, regclass, oid, text, bigint)
TO PUBLIC;
GRANT SELECT ON pegs_budgets, pegs_ledger, pegs_leftovers, pegs_models, pegs_releases TO PUBLIC;

-- default privileges have reached what was made here, too
SELECT pegs_internal.strip_rights();
