/*
 * facts.sql
 *	  What is declared about tables, all of it public: levels and bins, structural
 * zeros, privacy units.
 */

CREATE TABLE pegs_internal.fact (
	source regclass NOT NULL,
	column_name name NOT NULL,
	levels text[],
	other text,
	lookup regclass,
	lookup_column name,
	edges text[],
	drop_undeclared boolean,
	points text[],
	step text,
	not_null boolean,	-- declared so; null: as the catalog has it
	left_out boolean,	-- of models that do not name it
	derived text,	-- the expression that computes it, canonical
	nearest boolean,	-- of bins: a value outside counts in the first or the last
	learnt_charge bigint[],	-- numbers of the charges for which it was learnt, negative where nothing was found; null: declared by a person
	learnt_epsilon bigint[],
	learnt_delta bigint[],
	learnt_unit text[],	-- as in the ledger
	parts text[],	-- calendar parts by which a time is modelled; edges are the first moments of days or weeks
	zone text,	-- of these, of a timestamptz
	earlier name,	-- it is never before this column; edges are of their difference
	attnum smallint,	-- of the column when it was declared: a name can be given to another
	relation oid,	-- of which attnum is the number: a restored dump has another
	inputs smallint[],	-- of the columns that it is computed from, in the order of ...
	input_names text[],	-- ... their names in derived, or of earlier; a dump carries names alone, and leaves out what would be of another column
	function jsonb,	-- it is one of another column, and derived says so: "values" of that column's levels, "null_value"
	groups jsonb,	-- "values": of levels, the group that each is of
	via text[],	-- columns of the lookup table by which its keys are modelled
	weight name,	-- its column that says how likely each key of those is drawn
	PRIMARY KEY (source, column_name)
);
COMMENT ON TABLE pegs_internal.fact IS 'declared levels and bins, as canonical text';
SELECT pg_catalog.pg_extension_config_dump('pegs_internal.fact', 'WHERE source IN (SELECT oid FROM pg_class) AND (lookup IS NULL OR lookup IN (SELECT oid FROM pg_class))'
	' AND NOT EXISTS (SELECT FROM pg_attribute AS a WHERE a.attrelid = source AND a.attrelid = fact.relation AND a.attnum > 0 AND NOT a.attisdropped'
	' AND ((a.attname = column_name AND a.attnum <> fact.attnum) OR a.attnum <> inputs[array_position(input_names, a.attname::text)]))');

CREATE TABLE pegs_internal.forbidden (
	source regclass NOT NULL,
	combination jsonb NOT NULL,
	attnums smallint[],	-- of its columns, in the order of its keys, when it was declared
	relation oid,	-- of which they are the numbers: a restored dump has another
	UNIQUE (source, combination)
);
COMMENT ON TABLE pegs_internal.forbidden IS 'structural zeros of base tables: combinations that no synthetic row has';
SELECT pg_catalog.pg_extension_config_dump('pegs_internal.forbidden', 'WHERE source IN (SELECT oid FROM pg_class)');

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

CREATE TABLE pegs_internal.unit (
	source regclass PRIMARY KEY,
	column_name name NOT NULL,
	max_rows int NOT NULL,
	rows_each int,
	attnum smallint,	-- of the column when it was declared: a name can be given to another
	relation oid	-- of which attnum is the number: a restored dump has another
);
COMMENT ON TABLE pegs_internal.unit IS 'privacy units: the column of a base table that says whose row it is, and how many rows of a person count; rows_each: persons weigh equally, each counts so many times';
SELECT pg_catalog.pg_extension_config_dump('pegs_internal.unit', 'WHERE source IN (SELECT oid FROM pg_class)');

CREATE FUNCTION pegs_domain(source regclass)
RETURNS TABLE (column_name name, type text, origin text, levels text[], problem text, remedy text, n int)
AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL RESTRICTED ROWS 20;
COMMENT ON FUNCTION pegs_domain(regclass) IS 'the declared domain of every column of a source, where it is declared, its first levels, and what is missing';
REVOKE ALL ON FUNCTION pegs_domain(regclass) FROM PUBLIC;

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

CREATE FUNCTION pegs_set_levels(source regclass, column_name name, levels text[], other text DEFAULT NULL)
RETURNS void AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_set_levels(regclass, name, text[], text) IS 'declare the levels of a column; other is the level that takes undeclared values';
REVOKE ALL ON FUNCTION pegs_set_levels(regclass, name, text[], text) FROM PUBLIC;

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

CREATE FUNCTION pegs_set_levels(source regclass, column_name name, lookup regclass, lookup_column name)
RETURNS void AS 'MODULE_PATHNAME', 'pegs_set_lookup' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_set_levels(regclass, name, regclass, name) IS 'declare that the levels of a column are those of a public lookup table';
REVOKE ALL ON FUNCTION pegs_set_levels(regclass, name, regclass, name) FROM PUBLIC;

CREATE FUNCTION pegs_set_lookup(source regclass, column_name name, lookup regclass, lookup_column name,
	undeclared text DEFAULT 'error', nullable boolean DEFAULT NULL, via name[] DEFAULT NULL, weight name DEFAULT NULL)
RETURNS void AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_set_lookup(regclass, name, regclass, name, text, boolean, name[], name) IS 'declare that the levels of a column are those of a public lookup table; undeclared => ''drop'': a row with another value is left out of every fit; via: it is modelled by these columns of that table, and a row gets one of the keys that have what it has there; weight: by this public column of it, not each as likely';
REVOKE ALL ON FUNCTION pegs_set_lookup(regclass, name, regclass, name, text, boolean, name[], name) FROM PUBLIC;

CREATE FUNCTION pegs_set_bins(source regclass, column_name name, edges text[])
RETURNS void AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_set_bins(regclass, name, text[]) IS 'declare bins [a, b) of a number, date or timestamp column; the last one is closed';
REVOKE ALL ON FUNCTION pegs_set_bins(regclass, name, text[]) FROM PUBLIC;

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

CREATE FUNCTION pegs_unset(source regclass, column_name name)
RETURNS void AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_unset(regclass, name) IS 'forget the declared levels or bins of a column';
REVOKE ALL ON FUNCTION pegs_unset(regclass, name) FROM PUBLIC;

CREATE FUNCTION pegs_forbid(source regclass, combination jsonb)
RETURNS void AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_forbid(regclass, jsonb) IS 'declare a structural zero of up to three columns: no synthetic row has it; NULL forgets all of them';
REVOKE ALL ON FUNCTION pegs_forbid(regclass, jsonb) FROM PUBLIC;

CREATE FUNCTION pegs_set_unit(source regclass, column_name name, max_rows int DEFAULT 1)
RETURNS void AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_set_unit(regclass, name, int) IS 'protect a person instead of a row: at most max_rows rows of each are read; a NULL column goes back to rows';
REVOKE ALL ON FUNCTION pegs_set_unit(regclass, name, int) FROM PUBLIC;

CREATE FUNCTION pegs_set_unit(source regclass, column_name name, weighting text)
RETURNS void AS 'MODULE_PATHNAME', 'pegs_set_unit_weighting' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_set_unit(regclass, name, text) IS 'protect a person instead of a row; ''person'': all persons weigh the same, whatever the number of rows; ''row'': one row of each is read';
REVOKE ALL ON FUNCTION pegs_set_unit(regclass, name, text) FROM PUBLIC;

CREATE FUNCTION pegs_set_unit(source regclass, column_name name, max_rows int, weighting text)
RETURNS void AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_set_unit(regclass, name, int, text) IS 'pegs_set_unit with both: max_rows has no effect where persons weigh the same';
REVOKE ALL ON FUNCTION pegs_set_unit(regclass, name, int, text) FROM PUBLIC;

CREATE FUNCTION pegs_unit_cost(epsilon double precision, delta double precision DEFAULT 0)
RETURNS TABLE (weighting text, max_rows int, noise double precision, in_words text)
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE ROWS 9;
COMMENT ON FUNCTION pegs_unit_cost(double precision, double precision) IS 'what max_rows of pegs_set_unit costs: the standard deviation of the noise in a table on which all of epsilon is spent; reads no table';
REVOKE ALL ON FUNCTION pegs_unit_cost(double precision, double precision) FROM PUBLIC;

CREATE FUNCTION pegs_set_parent(source regclass, parent regclass, columns name[] DEFAULT NULL, children int[] DEFAULT NULL, at_most int DEFAULT NULL)
RETURNS void AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_set_parent(regclass, regclass, name[], int[], int) IS 'declare by its foreign key that rows of a table belong to rows of another: the unit is a row of the topmost one with all that refers to it, and its account pays; a NULL parent lets the table go, if nothing was spent';
REVOKE ALL ON FUNCTION pegs_set_parent(regclass, regclass, name[], int[], int) FROM PUBLIC;

CREATE FUNCTION pegs_schema(root regclass)
RETURNS TABLE (source regclass, depth int, parent regclass, columns name[], children int[], at_most int, problem text, remedy text)
AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL UNSAFE ROWS 10;
COMMENT ON FUNCTION pegs_schema(regclass) IS 'the tables that are bound to one root by pegs_set_parent, one below the other, and what is missing';
REVOKE ALL ON FUNCTION pegs_schema(regclass) FROM PUBLIC;
