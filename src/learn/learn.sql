/*
 * learn.sql
 *	  Domains that are learnt from the rows, and charged.
 */

CREATE FUNCTION pegs_learn_levels(source regclass, column_name name, epsilon double precision, delta double precision)
RETURNS void AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_learn_levels(regclass, name, double precision, double precision) IS 'learn the levels of a column from its rows, charged: values whose noisy number of rows is above a threshold are declared';
REVOKE ALL ON FUNCTION pegs_learn_levels(regclass, name, double precision, double precision) FROM PUBLIC;

CREATE FUNCTION pegs_learn_range(source regclass, column_name name, epsilon double precision, bins int DEFAULT 32)
RETURNS void AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_learn_range(regclass, name, double precision, int) IS 'learn where the numbers, dates or times of a column lie, charged: about so many bins are declared, and values outside count in the first or the last';
REVOKE ALL ON FUNCTION pegs_learn_range(regclass, name, double precision, int) FROM PUBLIC;

CREATE FUNCTION pegs_learn(source regclass, epsilon double precision, delta double precision DEFAULT 0, columns name[] DEFAULT NULL, bins int DEFAULT 32)
RETURNS void AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_learn(regclass, double precision, double precision, name[], int) IS 'learn the domain of many columns from their rows, charged once: ranges of numbers, dates and times, levels of others; what nothing is learnt of is left out of models';
REVOKE ALL ON FUNCTION pegs_learn(regclass, double precision, double precision, name[], int) FROM PUBLIC;
