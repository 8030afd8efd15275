/*
 * models.sql
 *	  Models and releases: what is kept of them, who may use them, who may make them.
 */

/* ---- models and releases ---- */

CREATE TABLE pegs_internal.name (
	name text PRIMARY KEY
);
COMMENT ON TABLE pegs_internal.name IS 'names in use: models and releases share one namespace';
SELECT pg_catalog.pg_extension_config_dump('pegs_internal.name', 'WHERE name IN (SELECT name FROM pegs_internal.model WHERE (account = 0 OR account IN (SELECT oid FROM pg_class))
	UNION ALL SELECT name FROM pegs_internal.release WHERE (account = 0 OR account IN (SELECT oid FROM pg_class)))');

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
	rows_each int,
	method text,				-- null: of a version that had only two, and sealed and l_diversity said which
	domain_epsilon bigint,		-- charged before, for what was learnt of its domain; null: nothing was (of a file: not known)
	domain_delta bigint,
	domain_other_unit boolean,	-- some of that protects another unit
	first_fit bigint,			-- the id of its first fit, by which it is granted; null: it is the first
	fit int,					-- the how many-th; null: the first
	grid bigint,				-- of a slice: what it was paid for by; null: of the whole source
	used bigint,				-- that grid's mark, with this slice
	slice jsonb,				-- which it is: column, type, and width, from, to, or value
	slice_type regtype,			-- of that column
	slice_typmod int,
	read text,					-- how its rows were counted, where they were read: public facts alone
	made_of bigint,				-- of a score of a model: the id of that fit
	choice_told bigint,			-- and what had been charged for choosing that by then, which is in domain_epsilon
	lookups text[],				-- lookup tables whose rows it took as public, qualified; null: none, or not known (of an old file)
	beside text[],				-- of one table: rows that its rows refer to, too, and that it does not protect, in words
	beside_of oid[]				-- account's number, then whose rows those are: a table may be renamed; a restored dump has other numbers, the first among them. Of several tables those in its spec
);
-- partial, so that the name is no key column: a release that holds its model makes no dropper of the name wait
CREATE UNIQUE INDEX model_name_key ON pegs_internal.model (name) WHERE name IS NOT NULL;
-- a model of slices has thousands of rows
CREATE INDEX model_object ON pegs_internal.model ((coalesce(first_fit, id)));
CREATE INDEX model_grid ON pegs_internal.model (grid) WHERE grid IS NOT NULL;
COMMENT ON TABLE pegs_internal.model IS 'models: public facts and what was charged, a row for each fit; name is null when only releases need it';
ALTER TABLE pegs_internal.model ALTER COLUMN key SET STATISTICS 0;
SELECT pg_catalog.pg_extension_config_dump('pegs_internal.model', 'WHERE (account = 0 OR account IN (SELECT oid FROM pg_class))');

CREATE TABLE pegs_internal.body (
	model bigint PRIMARY KEY,
	body bytea NOT NULL
);
COMMENT ON TABLE pegs_internal.body IS 'exact counts of sealed models, released numbers of perturbed ones; one value a model, size by the declared domain';
ALTER TABLE pegs_internal.body ALTER COLUMN body SET STORAGE EXTERNAL;
ALTER TABLE pegs_internal.body ALTER COLUMN body SET STATISTICS 0;
SELECT pg_catalog.pg_extension_config_dump('pegs_internal.body', 'WHERE model IN (SELECT id FROM pegs_internal.model WHERE NOT sealed AND (account = 0 OR account IN (SELECT oid FROM pg_class)))');

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
	created timestamptz NOT NULL DEFAULT clock_timestamp(),
	keys name[],
	delta bigint,				-- of a sealed model: charged with epsilon; null: none
	sweeps int					-- of a sealed model, drawn from urns: of each row; null: in blocks
);
COMMENT ON TABLE pegs_internal.release IS 'releases: of a perturbed model the key and n, of a sealed one the rows are in release_rows';
ALTER TABLE pegs_internal.release ALTER COLUMN key SET STATISTICS 0;
ALTER TABLE pegs_internal.release ALTER COLUMN value_key SET STATISTICS 0;
SELECT pg_catalog.pg_extension_config_dump('pegs_internal.release', 'WHERE (account = 0 OR account IN (SELECT oid FROM pg_class))');

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
SELECT pg_catalog.pg_extension_config_dump('pegs_internal.release_rows', 'WHERE release IN (SELECT id FROM pegs_internal.release WHERE (account = 0 OR account IN (SELECT oid FROM pg_class)))');

CREATE FUNCTION pegs_spec(source regclass, columns name[] DEFAULT NULL, parents jsonb DEFAULT NULL, tail_bits int DEFAULT 0,
	method text DEFAULT NULL)
RETURNS text AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL RESTRICTED;
COMMENT ON FUNCTION pegs_spec(regclass, name[], jsonb, int, text) IS 'what pegs_agg((SELECT pegs_spec(...)), ...) shall count, as canonical text: all pairs, with parents one conditional table a column, or what a method counts';
REVOKE ALL ON FUNCTION pegs_spec(regclass, name[], jsonb, int, text) FROM PUBLIC;

CREATE FUNCTION pegs_plan(source regclass, rows bigint, epsilon double precision DEFAULT NULL, delta double precision DEFAULT 0, options jsonb DEFAULT '{}', method text DEFAULT NULL)
RETURNS TABLE (epsilon double precision, delta double precision, oneway_sd double precision, pair_sd double precision,
	share_points double precision, difference_points double precision, bins text[], in_words text)
AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE ROWS 4;
COMMENT ON FUNCTION pegs_plan(regclass, bigint, double precision, double precision, jsonb, text)
IS 'what a fit of so many rows would be good for, for several epsilons: noise of shares, differences that can be seen, bins; from public facts alone, reads no row, charges nothing';
REVOKE ALL ON FUNCTION pegs_plan(regclass, bigint, double precision, double precision, jsonb, text) FROM PUBLIC;

CREATE FUNCTION pegs_fit(model text, source regclass, columns name[] DEFAULT NULL,
	epsilon double precision DEFAULT NULL, delta double precision DEFAULT 0,
	parents jsonb DEFAULT NULL, max_parents int DEFAULT 2, structure_epsilon double precision DEFAULT 0.1,
	tail_bits int DEFAULT 0, options jsonb DEFAULT '{}', method text DEFAULT NULL)
RETURNS void AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_fit(text, regclass, name[], double precision, double precision, jsonb, int, double precision, int, jsonb, text)
IS 'fit a model: with epsilon a perturbed one, paid for now, rows free for ever; without, a sealed one, every sample pays';
REVOKE ALL ON FUNCTION pegs_fit(text, regclass, name[], double precision, double precision, jsonb, int, double precision, int, jsonb, text) FROM PUBLIC;

CREATE FUNCTION pegs_fit_schema(model text, root regclass, tables name[] DEFAULT NULL, columns jsonb DEFAULT NULL,
	epsilon double precision DEFAULT NULL, delta double precision DEFAULT 0, siblings boolean DEFAULT true)
RETURNS void AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_fit_schema(text, regclass, name[], jsonb, double precision, double precision, boolean)
IS 'fit one perturbed model to a table and those that are bound to it: a unit is a row of it with every row that refers to it; one charge of its account';
REVOKE ALL ON FUNCTION pegs_fit_schema(text, regclass, name[], jsonb, double precision, double precision, boolean) FROM PUBLIC;

CREATE FUNCTION pegs_refit(name text, epsilon double precision DEFAULT NULL, delta double precision DEFAULT NULL)
RETURNS void AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_refit(text, double precision, double precision)
IS 'fit a perturbed model anew from its source, for the same epsilon and delta if none are given: charged like a fit; grants and views stay, releases keep their rows';
REVOKE ALL ON FUNCTION pegs_refit(text, double precision, double precision) FROM PUBLIC;

CREATE FUNCTION pegs_fit_state(model text, source regclass, state pegs_state, columns name[] DEFAULT NULL,
	epsilon double precision DEFAULT NULL, delta double precision DEFAULT 0,
	parents jsonb DEFAULT NULL, max_parents int DEFAULT 2, structure_epsilon double precision DEFAULT 0.1,
	tail_bits int DEFAULT 0, options jsonb DEFAULT '{}', method text DEFAULT NULL)
RETURNS void AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_fit_state(text, regclass, pegs_state, name[], double precision, double precision, jsonb, int, double precision, int, jsonb, text)
IS 'fit a model to a state made by pegs_agg and pegs_merge: the counts are the curator''s word';
REVOKE ALL ON FUNCTION pegs_fit_state(text, regclass, pegs_state, name[], double precision, double precision, jsonb, int, double precision, int, jsonb, text) FROM PUBLIC;

CREATE FUNCTION pegs_export(model text)
RETURNS bytea AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_export(text) IS 'a perturbed model as a file: released numbers and public facts only';
REVOKE ALL ON FUNCTION pegs_export(text) FROM PUBLIC;

CREATE FUNCTION pegs_export_slice(model text, fit int)
RETURNS bytea AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_export_slice(text, int) IS 'one slice of a model of slices as a file, by its number in pegs_slices: released numbers and public facts only';
REVOKE ALL ON FUNCTION pegs_export_slice(text, int) FROM PUBLIC;

CREATE FUNCTION pegs_import(name text, model bytea)
RETURNS void AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_import(text, bytea) IS 'a model from a file; its guarantee is as stated by the file (superuser)';
REVOKE ALL ON FUNCTION pegs_import(text, bytea) FROM PUBLIC;

CREATE FUNCTION pegs_drop(name text)
RETURNS void AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_drop(text) IS 'drop a model or release; releases outlive their model, charges outlive both';
REVOKE ALL ON FUNCTION pegs_drop(text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pegs_drop(text) TO PUBLIC;	-- the maker of a release

CREATE FUNCTION pegs_describe(name text)
RETURNS jsonb AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL RESTRICTED;
COMMENT ON FUNCTION pegs_describe(text) IS 'what is public about a model or release, its guarantee, and what was measured with noise';
-- everyone may call it

CREATE FUNCTION pegs_row_type(name text)
RETURNS text AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL RESTRICTED;
COMMENT ON FUNCTION pegs_row_type(text) IS 'the column list of a model or release, for AS t(...)';
-- everyone may call it

CREATE FUNCTION pegs_row_type(name text, table_name text)
RETURNS text AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL RESTRICTED;
COMMENT ON FUNCTION pegs_row_type(text, text) IS 'the column list of one table of a model or release of several, keys first, for AS t(...)';
-- everyone may call it

CREATE FUNCTION pegs_columns(name text, first bigint DEFAULT 5)
RETURNS TABLE (column_name name, type text, domain text, levels int, nullable boolean, first_levels text[], other text)
AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL RESTRICTED ROWS 20;
COMMENT ON FUNCTION pegs_columns(text, bigint) IS 'the columns of a model or release: types, how many levels or bins, the first of them; first => NULL shows all';
-- everyone may call it

CREATE FUNCTION pegs_view_sql(name text, view_name text, role name DEFAULT 'public', kind text DEFAULT NULL)
RETURNS SETOF text AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL UNSAFE ROWS 20;
COMMENT ON FUNCTION pegs_view_sql(text, text, name, text) IS 'the statements that make a view of a release or perturbed model, for a role or everybody; \gexec runs them';
REVOKE ALL ON FUNCTION pegs_view_sql(text, text, name, text) FROM PUBLIC;

CREATE FUNCTION pegs_copy_sql(name text, schema_name text)
RETURNS SETOF text AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL UNSAFE ROWS 20;
COMMENT ON FUNCTION pegs_copy_sql(text, text) IS 'the statements that copy rows of related tables into tables of a schema, with keys, CHECK constraints and the references between them; \gexec runs them';
REVOKE ALL ON FUNCTION pegs_copy_sql(text, text) FROM PUBLIC;

/* ---- who may use them ---- */

-- the order of the first columns is known to src/budget/account.c
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
SELECT pg_catalog.pg_extension_config_dump('pegs_internal.access', 'WHERE (object IN (SELECT coalesce(first_fit, id) FROM pegs_internal.model WHERE (account = 0 OR account IN (SELECT oid FROM pg_class)))
	OR object IN (SELECT id FROM pegs_internal.release WHERE (account = 0 OR account IN (SELECT oid FROM pg_class)))) AND (grantee = 0 OR grantee IN (SELECT oid FROM pg_roles))');

CREATE TABLE pegs_internal.revoked (
	sequence regclass PRIMARY KEY
);
COMMENT ON TABLE pegs_internal.revoked IS 'sequences of caps that were taken back: dropped when no transaction has them open';
SELECT pg_catalog.pg_extension_config_dump('pegs_internal.revoked', 'WHERE sequence IN (SELECT oid FROM pg_class)');

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
SELECT pg_catalog.pg_extension_config_dump('pegs_internal.maker', 'WHERE release IN (SELECT id FROM pegs_internal.release WHERE (account = 0 OR account IN (SELECT oid FROM pg_class)))
	AND maker IN (SELECT oid FROM pg_roles) AND (grantee IS NULL OR grantee = 0 OR grantee IN (SELECT oid FROM pg_roles))');

CREATE FUNCTION pegs_grant(name text, role name, epsilon double precision DEFAULT NULL)
RETURNS void AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_grant(text, name, double precision) IS 'let a role use a model or release; of a sealed model, up to epsilon in all';
REVOKE ALL ON FUNCTION pegs_grant(text, name, double precision) FROM PUBLIC;

CREATE FUNCTION pegs_revoke(name text, role name)
RETURNS void AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_revoke(text, name) IS 'take a grant of a model or release back';
REVOKE ALL ON FUNCTION pegs_revoke(text, name) FROM PUBLIC;

CREATE FUNCTION pegs_limit(model text, role name, max_rows bigint DEFAULT 1000000, max_releases bigint DEFAULT 100)
RETURNS void AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_limit(text, name, bigint, bigint)
IS 'how many rows and releases of a model a role to which it is granted may store (null: any number)';
REVOKE ALL ON FUNCTION pegs_limit(text, name, bigint, bigint) FROM PUBLIC;

CREATE FUNCTION pegs_withdraw(model text, role name DEFAULT NULL)
RETURNS bigint AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_withdraw(text, name) IS 'drop the releases of a model, all or those made by the grant to a role; gives how many';
REVOKE ALL ON FUNCTION pegs_withdraw(text, name) FROM PUBLIC;

-- behind the views: PUBLIC may execute it, but nobody can name it (no USAGE on the schema)
CREATE FUNCTION pegs_internal.may_use(object bigint, account regclass)
RETURNS boolean AS 'MODULE_PATHNAME', 'pegs_may_use' LANGUAGE C STABLE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_internal.may_use(bigint, regclass) IS 'is the caller a curator of the account, or is the object granted to it';
REVOKE ALL ON FUNCTION pegs_internal.may_use(bigint, regclass) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pegs_internal.may_use(bigint, regclass) TO PUBLIC;

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

/* ---- who may be a curator ---- */

CREATE TABLE pegs_internal.curator (
	role regrole PRIMARY KEY,
	allowed timestamptz NOT NULL DEFAULT clock_timestamp()
);
COMMENT ON TABLE pegs_internal.curator IS 'roles that pegs_allow gave the curators'' functions: those of a later version are theirs, too';
SELECT pg_catalog.pg_extension_config_dump('pegs_internal.curator', 'WHERE role IN (SELECT oid FROM pg_roles)');

CREATE FUNCTION pegs_allow(role name)
RETURNS void AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_allow(name) IS 'give a role all curators'' functions, those of later versions too; what it may do with a table is asked at every call';
REVOKE ALL ON FUNCTION pegs_allow(name) FROM PUBLIC;

CREATE FUNCTION pegs_disallow(role name)
RETURNS void AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_disallow(name) IS 'take all curators'' functions from a role';
REVOKE ALL ON FUNCTION pegs_disallow(name) FROM PUBLIC;

CREATE FUNCTION pegs_internal.allow_again()
RETURNS void AS 'MODULE_PATHNAME', 'pegs_allow_again' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_internal.allow_again() IS 'after an update: what is new, to those who were allowed before';
REVOKE ALL ON FUNCTION pegs_internal.allow_again() FROM PUBLIC;

/* ---- dropped tables, and what is left of them ---- */

CREATE FUNCTION pegs_internal.table_dropped()
RETURNS event_trigger AS 'MODULE_PATHNAME', 'pegs_table_dropped' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_internal.table_dropped() IS 'a dropped table takes its exact counts and declared facts with it';
REVOKE ALL ON FUNCTION pegs_internal.table_dropped() FROM PUBLIC;

-- of any command: what takes a table or view with it may be the DROP of a function, an operator class or a collation (CASCADE)
CREATE EVENT TRIGGER pegs_table_dropped ON sql_drop EXECUTE FUNCTION pegs_internal.table_dropped();
ALTER EVENT TRIGGER pegs_table_dropped ENABLE ALWAYS;
COMMENT ON EVENT TRIGGER pegs_table_dropped IS 'a dropped table takes its exact counts and declared facts with it';

CREATE FUNCTION pegs_internal.leftovers()
RETURNS TABLE (item text, state text, remedy text) AS 'MODULE_PATHNAME', 'pegs_leftovers' LANGUAGE C VOLATILE PARALLEL UNSAFE ROWS 10;
COMMENT ON FUNCTION pegs_internal.leftovers() IS 'what is left of dropped tables and roles, for their curators';
REVOKE ALL ON FUNCTION pegs_internal.leftovers() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pegs_internal.leftovers() TO PUBLIC;
