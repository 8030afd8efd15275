/*
 * measures.sql
 *	  Measures: computed from the confidential rows, without noise; and a choice that is charged. For curators.
 */

CREATE FUNCTION pegs_utility(original regclass, synthetic regclass, ways int DEFAULT 2, columns name[] DEFAULT NULL,
	measures text[] DEFAULT ARRAY['tables', 'propensity', 'numbers'])
RETURNS TABLE (measure text, of name[], value double precision, guarantee text)
AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE ROWS 300;
COMMENT ON FUNCTION pegs_utility(regclass, regclass, int, name[], text[])
IS 'how close a synthetic table is to its original: a row a measure and table; not private, for the curator';
REVOKE ALL ON FUNCTION pegs_utility(regclass, regclass, int, name[], text[]) FROM PUBLIC;

CREATE FUNCTION pegs_utility_of(name text, ways int DEFAULT 2, measures text[] DEFAULT ARRAY['tables', 'propensity', 'numbers'])
RETURNS TABLE (measure text, of name[], value double precision, guarantee text)
AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE ROWS 300;
COMMENT ON FUNCTION pegs_utility_of(text, int, text[]) IS 'pegs_utility of a release or perturbed model, with its own columns; not private, for the curator';
REVOKE ALL ON FUNCTION pegs_utility_of(text, int, text[]) FROM PUBLIC;

CREATE FUNCTION pegs_utility_schema_of(name text)
RETURNS TABLE (table_name name, measure text, column_name name, value double precision, resample double precision, farthest text, guarantee text)
AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE ROWS 30;
COMMENT ON FUNCTION pegs_utility_schema_of(text)
IS 'how close related tables are to their original across the keys, of a release or model of them, beside units drawn again; not private, for the curator';
REVOKE ALL ON FUNCTION pegs_utility_schema_of(text) FROM PUBLIC;

CREATE FUNCTION pegs_marginals_of(name text)
RETURNS TABLE (column_name name, place int, level text, original bigint, synthetic bigint)
AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE ROWS 100;
COMMENT ON FUNCTION pegs_marginals_of(text) IS 'how often a level occurs in the original and in the rows of a release or perturbed model; not private, for the curator';
REVOKE ALL ON FUNCTION pegs_marginals_of(text) FROM PUBLIC;

CREATE FUNCTION pegs_regression(original regclass, synthetic regclass, kind text, target text, terms name[],
	factors name[] DEFAULT NULL)
RETURNS TABLE (term text, original double precision, original_error double precision, synthetic double precision,
	synthetic_error double precision, distance double precision, overlap double precision, guarantee text)
AS 'MODULE_PATHNAME', 'pegs_regression_sql' LANGUAGE C VOLATILE PARALLEL UNSAFE ROWS 20;
COMMENT ON FUNCTION pegs_regression(regclass, regclass, text, text, name[], name[])
IS 'the same linear or logistic regression on both tables: coefficients, standard errors, distance, overlap of the 95 % intervals; not private, for the curator';
REVOKE ALL ON FUNCTION pegs_regression(regclass, regclass, text, text, name[], name[]) FROM PUBLIC;

CREATE FUNCTION pegs_disclosure(original regclass, synthetic regclass, keys name[] DEFAULT NULL, target name DEFAULT NULL,
	columns name[] DEFAULT NULL)
RETURNS TABLE (measure text, value double precision, guarantee text)
AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE ROWS 23;
COMMENT ON FUNCTION pegs_disclosure(regclass, regclass, name[], name, name[])
IS 'what an intruder who knows the keys learns from a synthetic table: uniqueness, attribute disclosure, guesses of the target; not private, for the curator';
REVOKE ALL ON FUNCTION pegs_disclosure(regclass, regclass, name[], name, name[]) FROM PUBLIC;

CREATE FUNCTION pegs_disclosure_of(name text, keys name[] DEFAULT NULL, target name DEFAULT NULL)
RETURNS TABLE (measure text, value double precision, guarantee text)
AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE ROWS 23;
COMMENT ON FUNCTION pegs_disclosure_of(text, name[], name) IS 'pegs_disclosure of a release or perturbed model, with its own columns; not private, for the curator';
REVOKE ALL ON FUNCTION pegs_disclosure_of(text, name[], name) FROM PUBLIC;

CREATE FUNCTION pegs_k_anonymity(relation regclass, keys name[], sensitive name DEFAULT NULL)
RETURNS TABLE (measure text, value double precision, guarantee text)
AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE ROWS 11;
COMMENT ON FUNCTION pegs_k_anonymity(regclass, name[], name)
IS 'the smallest class of rows that agree on the keys, how many rows are in small ones; diversity of a sensitive column; not private, for the curator';
REVOKE ALL ON FUNCTION pegs_k_anonymity(regclass, name[], name) FROM PUBLIC;

CREATE FUNCTION pegs_combine(estimates double precision[], variances double precision[],
	OUT estimate double precision, OUT "between" double precision, OUT within double precision,
	OUT variance double precision, OUT warning text)
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION pegs_combine(double precision[], double precision[])
IS 'one estimate from several fully synthetic tables: mean, variance between, mean variance within, T = (1 + 1/K) between - within';
REVOKE ALL ON FUNCTION pegs_combine(double precision[], double precision[]) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pegs_combine(double precision[], double precision[]) TO PUBLIC;

CREATE FUNCTION pegs_ru_map(source regclass, epsilons double precision[], n bigint DEFAULT 1000, block bigint DEFAULT 10,
	replicates int DEFAULT 1, columns name[] DEFAULT NULL, parents jsonb DEFAULT '{}', delta double precision DEFAULT 1e-9,
	keys name[] DEFAULT NULL, target name DEFAULT NULL, methods text[] DEFAULT ARRAY['PeGS', 'PeGS.rs', 'fit once'],
	tail_bits int DEFAULT 0)
RETURNS TABLE (method text, epsilon double precision, replicate int, measure text, of name[], value double precision, guarantee text)
AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE ROWS 1000;
COMMENT ON FUNCTION pegs_ru_map(regclass, double precision[], bigint, bigint, int, name[], jsonb, double precision, name[], name, text[], int)
IS 'risk against utility: what n rows would be worth at each epsilon, by PeGS, PeGS.rs, a fit, or methods by name; nothing is released, charged or stored; not private, for the curator';
REVOKE ALL ON FUNCTION pegs_ru_map(regclass, double precision[], bigint, bigint, int, name[], jsonb, double precision, name[], name, text[], int) FROM PUBLIC;

CREATE FUNCTION pegs_verify(model text, epsilon double precision DEFAULT 1, block bigint DEFAULT 1)
RETURNS TABLE (neighbours bigint, outputs bigint, worst double precision, bound double precision, epsilon_claimed double precision,
	holds boolean, guarantee text)
AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE ROWS 1;
COMMENT ON FUNCTION pegs_verify(text, double precision, bigint)
IS 'enumerate a small sealed model exactly: the largest likelihood ratio (as ln) over all neighbours, seeds and outputs of a block; not private, for the curator';
REVOKE ALL ON FUNCTION pegs_verify(text, double precision, bigint) FROM PUBLIC;

CREATE FUNCTION pegs_audit(model text, runs int DEFAULT 10000, epsilon double precision DEFAULT 1, n bigint DEFAULT NULL,
	block bigint DEFAULT 1, given jsonb DEFAULT NULL, delta double precision DEFAULT 0, options jsonb DEFAULT '{}')
RETURNS TABLE (epsilon_claimed double precision, lower_bound double precision, confidence double precision, runs_made int, event text,
	share double precision, share_neighbour double precision, holds boolean, guarantee text, reason text, exact_epsilon double precision,
	gaussian_epsilon double precision, statistic text)
AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE ROWS 1;
COMMENT ON FUNCTION pegs_audit(text, int, double precision, bigint, bigint, jsonb, double precision, jsonb)
IS 'weigh all answers of samples or fits on a table and on a neighbour: what they cost, exactly, and bounds on epsilon; not private, for the curator';
REVOKE ALL ON FUNCTION pegs_audit(text, int, double precision, bigint, bigint, jsonb, double precision, jsonb) FROM PUBLIC;

CREATE FUNCTION pegs_best(source regclass, names text[], epsilon double precision, cells text DEFAULT 'pairs')
RETURNS text AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_best(regclass, text[], double precision, text)
IS 'the name of that model or release which is closest to the table, by a private choice; charged: a line choice of the ledger';
REVOKE ALL ON FUNCTION pegs_best(regclass, text[], double precision, text) FROM PUBLIC;

CREATE FUNCTION pegs_dirichlet_matrix(k int, alpha double precision, n int, m int, draw text DEFAULT 'urn')
RETURNS TABLE (counts bigint[], drawn bigint[], probability double precision)
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE ROWS 100;
COMMENT ON FUNCTION pegs_dirichlet_matrix(int, double precision, int, int, text)
IS 'the multinomial-Dirichlet synthesizer: how likely m drawn rows have these counts, from each table of n rows in k categories; arithmetic, looks at no table';
REVOKE ALL ON FUNCTION pegs_dirichlet_matrix(int, double precision, int, int, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pegs_dirichlet_matrix(int, double precision, int, int, text) TO PUBLIC;

CREATE FUNCTION pegs_dirichlet_risk(k int, alpha double precision, n int, m int, epsilon double precision DEFAULT NULL, draw text DEFAULT 'urn')
RETURNS TABLE (measure text, value double precision)
AS 'MODULE_PATHNAME', 'pegs_dirichlet_risk_sql' LANGUAGE C IMMUTABLE PARALLEL SAFE ROWS 4;
COMMENT ON FUNCTION pegs_dirichlet_risk(int, double precision, int, int, double precision, text)
IS 'what that synthesizer gives away: its epsilon where one row is replaced, and deltas at a given epsilon; arithmetic, looks at no table';
REVOKE ALL ON FUNCTION pegs_dirichlet_risk(int, double precision, int, int, double precision, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pegs_dirichlet_risk(int, double precision, int, int, double precision, text) TO PUBLIC;

CREATE FUNCTION pegs_dirichlet_validity(k int, alpha double precision, n int, m int, draw text DEFAULT 'urn', weights text DEFAULT 'binomial')
RETURNS TABLE (counts bigint[], weight double precision, expected double precision, bias double precision, variance double precision, mse double precision)
AS 'MODULE_PATHNAME', 'pegs_dirichlet_validity_sql' LANGUAGE C IMMUTABLE PARALLEL SAFE ROWS 10;
COMMENT ON FUNCTION pegs_dirichlet_validity(int, double precision, int, int, text, text)
IS 'how close the share of the first category is to that of the table: for each table of n rows, and of all together (counts NULL); arithmetic, looks at no table';
REVOKE ALL ON FUNCTION pegs_dirichlet_validity(int, double precision, int, int, text, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pegs_dirichlet_validity(int, double precision, int, int, text, text) TO PUBLIC;

CREATE FUNCTION pegs_dirichlet_alpha(epsilon double precision, delta double precision, m bigint, tables int DEFAULT 1)
RETURNS double precision AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION pegs_dirichlet_alpha(double precision, double precision, bigint, int)
IS 'the alpha at which m rows from an urn, or from each of several, are (epsilon, delta)-DP; m NULL, with delta: any number; arithmetic, looks at no table';
REVOKE ALL ON FUNCTION pegs_dirichlet_alpha(double precision, double precision, bigint, int) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pegs_dirichlet_alpha(double precision, double precision, bigint, int) TO PUBLIC;
