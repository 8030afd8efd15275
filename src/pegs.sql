/*
 * pegs.sql
 *	  The living install script: pegs--VERSION.sql begins with it; views.sql,
 *	  report.sql and rights.sql follow.
 *
 * Every object has its COMMENT, volatility, parallel label and rights there.
 * C functions pin their own search_path where they run SQL (src/pegs.c). What
 * is not granted to PUBLIC can be called by the extension's owner and by
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

-- the order of the first columns is known to src/budget/ledger.c
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

-- the order of the first columns is known to src/budget/ledger.c
CREATE TABLE pegs_internal.ledger (
	id bigint PRIMARY KEY DEFAULT pg_catalog.nextval('pegs_internal.object_id'),
	at timestamptz NOT NULL DEFAULT clock_timestamp(),
	role text NOT NULL,
	source regclass NOT NULL,
	deed text NOT NULL,	-- the action; dumps of 0.2.0 are loaded by this name
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

-- the order of the first columns is known to src/budget/ledger.c
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

CREATE FUNCTION pegs_internal.leftovers()
RETURNS TABLE (item text, state text, remedy text) AS 'MODULE_PATHNAME', 'pegs_leftovers' LANGUAGE C VOLATILE PARALLEL UNSAFE ROWS 10;
COMMENT ON FUNCTION pegs_internal.leftovers() IS 'what is left of dropped tables and roles, for their curators';

-- the names in a view mean ours and PostgreSQL's: not what anybody has put into the extension's schema before
SELECT pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);
CREATE VIEW @extschema@.pegs_leftovers WITH (security_barrier) AS
SELECT item, state, remedy FROM pegs_internal.leftovers();
COMMENT ON VIEW @extschema@.pegs_leftovers IS 'what is left of dropped tables and roles: accounts, models, releases and grants that somebody should drop';
SELECT pg_catalog.set_config('search_path', '@extschema@, pg_temp', true);

CREATE FUNCTION pegs_adopt(source regclass, remaining double precision, reason text, remaining_delta double precision DEFAULT 0)
RETURNS void AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_adopt(regclass, double precision, text, double precision)
IS 'state what may be spent of a copied budget (a restore, a promotion): never more than it says is left; superuser, logged';

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

-- of any command: what takes a table or view with it may be the DROP of a function, an operator class or a collation (CASCADE)
CREATE EVENT TRIGGER pegs_table_dropped ON sql_drop EXECUTE FUNCTION pegs_internal.table_dropped();
ALTER EVENT TRIGGER pegs_table_dropped ENABLE ALWAYS;
COMMENT ON EVENT TRIGGER pegs_table_dropped IS 'a dropped table takes its exact counts and declared facts with it';

-- what of it everyone may call after all is granted in rights.sql
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA pegs_internal FROM PUBLIC;
