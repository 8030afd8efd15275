/*
 * disaggregate.sql
 *	  Values of single rows guessed from averages of groups, and how well that works.
 */

CREATE FUNCTION pegs_disaggregate(individuals regclass, id name, aggregates jsonb, columns name[] DEFAULT NULL, method text DEFAULT 'er',
	factors name[] DEFAULT NULL, calibrate boolean DEFAULT true, options jsonb DEFAULT '{}')
RETURNS TABLE (id text, estimate double precision)
AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE ROWS 1000;
COMMENT ON FUNCTION pegs_disaggregate(regclass, name, jsonb, name[], text, name[], boolean, jsonb)
IS 'guess a value for each row from averages of groups: no guarantee of the truth, and as private as its inputs; reads with the rights of the caller';
REVOKE ALL ON FUNCTION pegs_disaggregate(regclass, name, jsonb, name[], text, name[], boolean, jsonb) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pegs_disaggregate(regclass, name, jsonb, name[], text, name[], boolean, jsonb) TO PUBLIC;

CREATE FUNCTION pegs_disaggregate_check(individuals regclass, aggregates jsonb, columns name[] DEFAULT NULL, factors name[] DEFAULT NULL,
	options jsonb DEFAULT '{}')
RETURNS TABLE (method text, measure text, value double precision)
AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE ROWS 10;
COMMENT ON FUNCTION pegs_disaggregate_check(regclass, jsonb, name[], name[], jsonb)
IS 'what can be said of a guess beforehand, from the averages alone: how large groups are, how well a group is foretold by the others';
REVOKE ALL ON FUNCTION pegs_disaggregate_check(regclass, jsonb, name[], name[], jsonb) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pegs_disaggregate_check(regclass, jsonb, name[], name[], jsonb) TO PUBLIC;

CREATE FUNCTION pegs_reconstruct(source regclass, value name, groups jsonb, columns name[] DEFAULT NULL,
	methods text[] DEFAULT ARRAY['mean', 'er', 'ludia'])
RETURNS TABLE (method text, measure text, value double precision, guarantee text)
AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE ROWS 20;
COMMENT ON FUNCTION pegs_reconstruct(regclass, name, jsonb, name[], text[])
IS 'what averages that are to be published would give away of single rows: exact, not private, for the curator; nothing is stored or charged';
REVOKE ALL ON FUNCTION pegs_reconstruct(regclass, name, jsonb, name[], text[]) FROM PUBLIC;
