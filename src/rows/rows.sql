/*
 * rows.sql
 *	  Synthetic rows: drawn, kept as a release, priced, or explained one by one.
 */

CREATE FUNCTION pegs_internal.sample_support(internal)
RETURNS internal AS 'MODULE_PATHNAME', 'pegs_sample_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION pegs_internal.sample_support(internal) IS 'tells the planner how many rows were asked for';
REVOKE ALL ON FUNCTION pegs_internal.sample_support(internal) FROM PUBLIC;

CREATE FUNCTION pegs_sample(model text, n bigint DEFAULT NULL, epsilon double precision DEFAULT NULL, block bigint DEFAULT 1,
	delta double precision DEFAULT 0, given jsonb DEFAULT NULL, options jsonb DEFAULT '{}')
RETURNS SETOF record AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE ROWS 1000
SUPPORT pegs_internal.sample_support;
COMMENT ON FUNCTION pegs_sample(text, bigint, double precision, bigint, double precision, jsonb, jsonb)
IS 'n synthetic rows, or as many as a perturbed model stands for; of a sealed model epsilon is the total of the call, shared by blocks of rows';
-- everyone may call it

CREATE FUNCTION pegs_sample_as(row_type anyelement, model text, n bigint DEFAULT NULL, epsilon double precision DEFAULT NULL,
	block bigint DEFAULT 1, delta double precision DEFAULT 0, given jsonb DEFAULT NULL, options jsonb DEFAULT '{}')
RETURNS SETOF anyelement AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE ROWS 1000
SUPPORT pegs_internal.sample_support;
COMMENT ON FUNCTION pegs_sample_as(anyelement, text, bigint, double precision, bigint, double precision, jsonb, jsonb)
IS 'pegs_sample with a table''s row type: pegs_sample_as(NULL::my_table, ...)';
-- everyone may call it

CREATE FUNCTION pegs_cost(model text, n bigint DEFAULT NULL, epsilon double precision DEFAULT NULL, block bigint DEFAULT 1,
	delta double precision DEFAULT 0, options jsonb DEFAULT '{}')
RETURNS TABLE (alpha double precision, blocks bigint, real_rows double precision, charged numeric, in_words text)
AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL UNSAFE ROWS 1;
COMMENT ON FUNCTION pegs_cost(text, bigint, double precision, bigint, double precision, jsonb)
IS 'what a sample would cost and how much noise it would carry, from public facts only';
REVOKE ALL ON FUNCTION pegs_cost(text, bigint, double precision, bigint, double precision, jsonb) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pegs_cost(text, bigint, double precision, bigint, double precision, jsonb) TO PUBLIC;

CREATE FUNCTION pegs_release(release text, model text, n bigint DEFAULT NULL, epsilon double precision DEFAULT NULL,
	block bigint DEFAULT 1, delta double precision DEFAULT 0, given jsonb DEFAULT NULL, options jsonb DEFAULT '{}')
RETURNS void AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_release(text, text, bigint, double precision, bigint, double precision, jsonb, jsonb)
IS 'charge once, keep the rows for ever: read them with pegs_rows';
-- everyone may call it

CREATE FUNCTION pegs_rows(release text)
RETURNS SETOF record AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL RESTRICTED ROWS 1000;
COMMENT ON FUNCTION pegs_rows(text) IS 'the rows of a release: the same for ever, free, in read-only transactions and on standbys';
-- everyone may call it

CREATE FUNCTION pegs_rows_as(row_type anyelement, release text)
RETURNS SETOF anyelement AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL RESTRICTED ROWS 1000;
COMMENT ON FUNCTION pegs_rows_as(anyelement, text) IS 'pegs_rows with a table''s row type';
-- everyone may call it

CREATE FUNCTION pegs_rows(release text, table_name text)
RETURNS SETOF record AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL RESTRICTED ROWS 1000;
COMMENT ON FUNCTION pegs_rows(text, text) IS 'pegs_rows of one table of a release of several, whose keys belong together';
-- everyone may call it

CREATE FUNCTION pegs_rows_as(row_type anyelement, release text, table_name text)
RETURNS SETOF anyelement AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL RESTRICTED ROWS 1000;
COMMENT ON FUNCTION pegs_rows_as(anyelement, text, text) IS 'the same with a table''s row type';
-- everyone may call it

CREATE FUNCTION pegs_trace(model text, epsilon double precision)
RETURNS TABLE (step int, drawn name, line json)
AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE ROWS 20;
COMMENT ON FUNCTION pegs_trace(text, double precision) IS 'one row of a sealed model, feature by feature from its seed; charged like a sample of one row';
REVOKE ALL ON FUNCTION pegs_trace(text, double precision) FROM PUBLIC;
