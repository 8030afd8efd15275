/*
 * scores.sql
 *	  Scores: models that say of a row how likely something is.
 */

CREATE FUNCTION pegs_score_fit(model text, source regclass, target name, positive text[], features name[] DEFAULT NULL,
	epsilon double precision DEFAULT NULL, delta double precision DEFAULT 0, method text DEFAULT 'additive', options jsonb DEFAULT '{}')
RETURNS void AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_score_fit(text, regclass, name, text[], name[], double precision, double precision, text, jsonb)
IS 'fit a score: how likely a row is to have one of the positive levels of the target; paid for now, scoring is free for ever';
REVOKE ALL ON FUNCTION pegs_score_fit(text, regclass, name, text[], name[], double precision, double precision, text, jsonb) FROM PUBLIC;

CREATE FUNCTION pegs_score_fit_of(model text, from_model text, target name, positive text[], features name[] DEFAULT NULL)
RETURNS void AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_score_fit_of(text, text, name, text[], name[])
IS 'make a score of a perturbed model: its guarantee is that of the model, and nothing is charged';
REVOKE ALL ON FUNCTION pegs_score_fit_of(text, text, name, text[], name[]) FROM PUBLIC;

CREATE FUNCTION pegs_score(model text, features record)
RETURNS double precision AS 'MODULE_PATHNAME', 'pegs_score_row' LANGUAGE C STABLE PARALLEL SAFE;
COMMENT ON FUNCTION pegs_score(text, record) IS 'the estimated probability that a row is positive; columns by name, others are ignored';
REVOKE ALL ON FUNCTION pegs_score(text, record) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pegs_score(text, record) TO PUBLIC;

CREATE FUNCTION pegs_score(model text, features jsonb)
RETURNS double precision AS 'MODULE_PATHNAME', 'pegs_score_row' LANGUAGE C STABLE PARALLEL SAFE;
COMMENT ON FUNCTION pegs_score(text, jsonb) IS 'the estimated probability that a row, a JSON object of columns and values, is positive; cast a literal: ''{"age": 71}''::jsonb';
REVOKE ALL ON FUNCTION pegs_score(text, jsonb) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pegs_score(text, jsonb) TO PUBLIC;

CREATE FUNCTION pegs_score_card(model text)
RETURNS TABLE (column_name name, level text, points double precision, noise double precision)
AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL UNSAFE ROWS 100;
COMMENT ON FUNCTION pegs_score_card(text) IS 'what each level adds to the log-odds, and the standard deviation of that from noise alone; the intercept first';
REVOKE ALL ON FUNCTION pegs_score_card(text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pegs_score_card(text) TO PUBLIC;

CREATE FUNCTION pegs_score_explain(model text, features record)
RETURNS TABLE (column_name name, level text, points double precision, noise double precision)
AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL UNSAFE ROWS 20;
COMMENT ON FUNCTION pegs_score_explain(text, record) IS 'which lines of the card a row has: what is not there has added nothing';
REVOKE ALL ON FUNCTION pegs_score_explain(text, record) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pegs_score_explain(text, record) TO PUBLIC;

CREATE FUNCTION pegs_score_explain(model text, features jsonb)
RETURNS TABLE (column_name name, level text, points double precision, noise double precision)
AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL UNSAFE ROWS 20;
COMMENT ON FUNCTION pegs_score_explain(text, jsonb) IS 'which lines of the card a JSON object of columns and values has: what is not there has added nothing';
REVOKE ALL ON FUNCTION pegs_score_explain(text, jsonb) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pegs_score_explain(text, jsonb) TO PUBLIC;

CREATE FUNCTION pegs_score_sql(model text, function_name text)
RETURNS text AS 'MODULE_PATHNAME' LANGUAGE C STABLE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_score_sql(text, text) IS 'the statement that makes the score a function of its own, in SQL that needs no pegs';
REVOKE ALL ON FUNCTION pegs_score_sql(text, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pegs_score_sql(text, text) TO PUBLIC;

CREATE FUNCTION pegs_score_published(model text, features record, epsilon double precision)
RETURNS double precision AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_score_published(text, record, double precision) IS 'the score of trees as they were published, with noise: no guarantee, for the curator; a line of the ledger a statement';
REVOKE ALL ON FUNCTION pegs_score_published(text, record, double precision) FROM PUBLIC;

CREATE FUNCTION pegs_score_published(model text, features jsonb, epsilon double precision)
RETURNS double precision AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION pegs_score_published(text, jsonb, double precision) IS 'the score of trees as they were published, of a JSON object of columns and values, with noise: no guarantee, for the curator; a line of the ledger a statement';
REVOKE ALL ON FUNCTION pegs_score_published(text, jsonb, double precision) FROM PUBLIC;

CREATE FUNCTION pegs_score_quality(model text, relation regclass, bins int DEFAULT 10)
RETURNS TABLE (measure text, value double precision, guarantee text)
AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE ROWS 30;
COMMENT ON FUNCTION pegs_score_quality(text, regclass, int)
IS 'how good a score is on a table: exact, not private, for the curator; on the rows that it was made of it flatters';
REVOKE ALL ON FUNCTION pegs_score_quality(text, regclass, int) FROM PUBLIC;
