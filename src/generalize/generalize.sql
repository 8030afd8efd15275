/*
 * generalize.sql
 *	  Keys made coarser until nobody stands out. No guarantee: for curators.
 */

CREATE FUNCTION pegs_generalize(source regclass, keys name[], k int DEFAULT 5, suppress double precision DEFAULT 0.05, method text DEFAULT 'global',
	sensitive name DEFAULT NULL, l double precision DEFAULT NULL, t double precision DEFAULT NULL, weights jsonb DEFAULT '{}', fixed jsonb DEFAULT '{}')
RETURNS jsonb AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_generalize(regclass, name[], int, double precision, text, name, double precision, double precision, jsonb, jsonb)
IS 'the plan that makes keys coarser at the least loss, so that rows are alike in classes of k: exact, not private, for the curator';
REVOKE ALL ON FUNCTION pegs_generalize(regclass, name[], int, double precision, text, name, double precision, double precision, jsonb, jsonb) FROM PUBLIC;

CREATE FUNCTION pegs_generalized(source regclass, plan jsonb, columns name[] DEFAULT NULL)
RETURNS SETOF record AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_generalized(regclass, jsonb, name[])
IS 'the rows of a table by a plan of pegs_generalize, measured anew: no guarantee, for the curator; the account is marked as uncovered';
REVOKE ALL ON FUNCTION pegs_generalized(regclass, jsonb, name[]) FROM PUBLIC;

CREATE FUNCTION pegs_generalize_sql(source regclass, plan jsonb, target text)
RETURNS text AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_generalize_sql(regclass, jsonb, text)
IS 'a plan of pegs_generalize, for k alone, as a CREATE TABLE in plain SQL, to be read and run by the owner: no guarantee';
REVOKE ALL ON FUNCTION pegs_generalize_sql(regclass, jsonb, text) FROM PUBLIC;

CREATE FUNCTION pegs_equivalence_classes(relation regclass, keys name[])
RETURNS TABLE (size bigint, classes bigint, rows bigint, guarantee text)
AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE ROWS 100;
COMMENT ON FUNCTION pegs_equivalence_classes(regclass, name[])
IS 'how many classes of rows that agree on the keys have which size: exact, not private, for the curator';
REVOKE ALL ON FUNCTION pegs_equivalence_classes(regclass, name[]) FROM PUBLIC;
