/*
 * budget.sql
 *	  Accounts, and the lines of what was charged to them.
 */

-- the order of the first columns is known to src/budget/account.c
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
	sequence oid,	-- of rho_spent, or else of epsilon_spent: a restored dump has this number, but another sequence
	home text,		-- modification time and number of the database's file PG_VERSION: a database made again, or a clone, has another
	entry bigint,	-- transaction that wrote the database's row of pg_database: the same on a promoted standby
	rho_spent regclass	-- of an account in rho: what is spent, in units of 2^-50; null: epsilon and delta are added up
);
COMMENT ON TABLE pegs_internal.budget IS 'accounts of base tables: totals in units of 1e-9 and 1e-18; what is spent is the last value of two sequences, or of a third';
SELECT pg_catalog.pg_extension_config_dump('pegs_internal.budget', 'WHERE source IN (SELECT oid FROM pg_class)');

-- the order of the first columns is known to src/budget/account.c
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
	unit text,	-- what a charge protects: row, person and the column that tells persons apart, or a row of a table with all that is bound to it, in words (null: no charge, or one of an older version)
	rho_from bigint,	-- of an account in rho, from its first charge on
	rho_to bigint,
	compared bigint[]	-- of a choice: the models and releases that it compared, by id; their names, in object, may be others' later
);
CREATE INDEX ledger_epsilon ON pegs_internal.ledger (source, epsilon_to);
CREATE INDEX ledger_delta ON pegs_internal.ledger (source, delta_to);
CREATE INDEX ledger_rho ON pegs_internal.ledger (source, rho_to) WHERE rho_to IS NOT NULL;
COMMENT ON TABLE pegs_internal.ledger IS 'one line a charge: who, when, what, the interval (from, to] it bought';
SELECT pg_catalog.pg_extension_config_dump('pegs_internal.ledger', 'WHERE source IN (SELECT oid FROM pg_class)');

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

CREATE FUNCTION pegs_set_budget(source regclass, epsilon double precision, delta double precision DEFAULT 0, accounting text DEFAULT NULL)
RETURNS void AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_set_budget(regclass, double precision, double precision, text) IS 'set or raise the privacy budget of the base table of a source; what is spent never comes back. accounting, of a new one: zcdp (with delta, if nothing is said), charges are added up in rho; sum, epsilon and delta are added up';
REVOKE ALL ON FUNCTION pegs_set_budget(regclass, double precision, double precision, text) FROM PUBLIC;

CREATE FUNCTION pegs_adopt(source regclass, remaining double precision, reason text, remaining_delta double precision DEFAULT 0)
RETURNS void AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_adopt(regclass, double precision, text, double precision)
IS 'state what may be spent of a copied budget (a restore, a promotion): never more than it says is left; superuser, logged';
REVOKE ALL ON FUNCTION pegs_adopt(regclass, double precision, text, double precision) FROM PUBLIC;

/* ---- readers behind the views: PUBLIC may execute them, but nobody can name them (no USAGE on the schema) ---- */

CREATE FUNCTION pegs_internal.spent(source regclass, of_delta boolean)
RETURNS bigint AS 'MODULE_PATHNAME', 'pegs_spent' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_internal.spent(regclass, boolean) IS 'what is spent of a budget, in units; null unless the caller is its curator';
REVOKE ALL ON FUNCTION pegs_internal.spent(regclass, boolean) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pegs_internal.spent(regclass, boolean) TO PUBLIC;

CREATE FUNCTION pegs_internal.in_rho(source regclass, OUT total bigint, OUT spent bigint, OUT epsilon bigint, OUT delta bigint)
RETURNS record AS 'MODULE_PATHNAME', 'pegs_in_rho_sql' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_internal.in_rho(regclass) IS 'of an account in rho: its total and what is spent, in units of 2^-50, and as which epsilon at which delta; null unless the caller is its curator';
REVOKE ALL ON FUNCTION pegs_internal.in_rho(regclass) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pegs_internal.in_rho(regclass) TO PUBLIC;

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

CREATE FUNCTION pegs_internal.elsewhere(system_identifier numeric, timeline bigint, database oid, epsilon_spent regclass, sequence oid,
	home text, entry bigint)
RETURNS text AS 'MODULE_PATHNAME', 'pegs_elsewhere_sql' LANGUAGE C STABLE PARALLEL SAFE;
COMMENT ON FUNCTION pegs_internal.elsewhere(numeric, bigint, oid, regclass, oid, text, bigint) IS 'where a budget was kept, in words, if it was not here';
REVOKE ALL ON FUNCTION pegs_internal.elsewhere(numeric, bigint, oid, regclass, oid, text, bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pegs_internal.elsewhere(numeric, bigint, oid, regclass, oid, text, bigint) TO PUBLIC;

/* ---- for upgrade and install scripts ---- */

CREATE FUNCTION pegs_internal.home()
RETURNS text AS 'MODULE_PATHNAME', 'pegs_home' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_internal.home() IS 'modification time and number of the file that was written when this database was made; a checkpoint, if that was just now';
REVOKE ALL ON FUNCTION pegs_internal.home() FROM PUBLIC;

CREATE FUNCTION pegs_internal.strip_rights()
RETURNS void AS 'MODULE_PATHNAME', 'pegs_strip_rights_sql' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_internal.strip_rights() IS 'take back what default privileges gave on the schema pegs_internal and its relations; the install script calls it';
REVOKE ALL ON FUNCTION pegs_internal.strip_rights() FROM PUBLIC;
