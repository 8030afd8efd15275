/*
 * slices.sql
 *	  Slices of a table by its clock, or by a list of values: paid for once,
 *	  each fitted once.
 */

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
