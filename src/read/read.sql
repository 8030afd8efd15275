/*
 * read.sql
 *	  Rows counted: the type of a state, and the aggregates that make and add states.
 */

CREATE TYPE pegs_state;

CREATE FUNCTION pegs_internal.state_in(cstring) RETURNS pegs_state
AS 'MODULE_PATHNAME', 'pegs_state_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION pegs_internal.state_in(cstring) IS 'hex text to a state, checked whole';
REVOKE ALL ON FUNCTION pegs_internal.state_in(cstring) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pegs_internal.state_in(cstring) TO PUBLIC;

CREATE FUNCTION pegs_internal.state_out(pegs_state) RETURNS cstring
AS 'MODULE_PATHNAME', 'pegs_state_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION pegs_internal.state_out(pegs_state) IS 'a state as hex text';
REVOKE ALL ON FUNCTION pegs_internal.state_out(pegs_state) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pegs_internal.state_out(pegs_state) TO PUBLIC;

CREATE FUNCTION pegs_internal.state_recv(internal) RETURNS pegs_state
AS 'MODULE_PATHNAME', 'pegs_state_recv' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION pegs_internal.state_recv(internal) IS 'bytes to a state, checked whole';
REVOKE ALL ON FUNCTION pegs_internal.state_recv(internal) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pegs_internal.state_recv(internal) TO PUBLIC;

CREATE FUNCTION pegs_internal.state_send(pegs_state) RETURNS bytea
AS 'MODULE_PATHNAME', 'pegs_state_send' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION pegs_internal.state_send(pegs_state) IS 'a state as bytes';
REVOKE ALL ON FUNCTION pegs_internal.state_send(pegs_state) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pegs_internal.state_send(pegs_state) TO PUBLIC;

CREATE TYPE pegs_state (
	INPUT = pegs_internal.state_in, OUTPUT = pegs_internal.state_out,
	RECEIVE = pegs_internal.state_recv, SEND = pegs_internal.state_send,
	INTERNALLENGTH = VARIABLE, ALIGNMENT = int4, STORAGE = external
);
COMMENT ON TYPE pegs_state IS 'contingency tables over a declared domain: exact counts, as secret as the rows';

CREATE FUNCTION pegs_internal.agg_transition(internal, text, VARIADIC "any") RETURNS internal
AS 'MODULE_PATHNAME', 'pegs_agg_transition' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION pegs_internal.agg_transition(internal, text, "any") IS 'a part of pegs_agg';
REVOKE ALL ON FUNCTION pegs_internal.agg_transition(internal, text, "any") FROM PUBLIC;

CREATE FUNCTION pegs_internal.agg_transition(internal, json, VARIADIC "any") RETURNS internal
AS 'MODULE_PATHNAME', 'pegs_agg_transition' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION pegs_internal.agg_transition(internal, json, "any") IS 'a part of pegs_agg';
REVOKE ALL ON FUNCTION pegs_internal.agg_transition(internal, json, "any") FROM PUBLIC;

CREATE FUNCTION pegs_internal.counted_transition(internal, bytea, VARIADIC "any") RETURNS internal
AS 'MODULE_PATHNAME', 'pegs_counted_transition' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION pegs_internal.counted_transition(internal, bytea, "any") IS 'a part of pegs_internal.counted';
REVOKE ALL ON FUNCTION pegs_internal.counted_transition(internal, bytea, "any") FROM PUBLIC;

CREATE FUNCTION pegs_internal.persons_transition(internal, json, int, boolean, int, boolean, VARIADIC "any") RETURNS internal
AS 'MODULE_PATHNAME', 'pegs_persons_transition' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION pegs_internal.persons_transition(internal, json, int, boolean, int, boolean, "any") IS 'a part of pegs_agg_persons';
REVOKE ALL ON FUNCTION pegs_internal.persons_transition(internal, json, int, boolean, int, boolean, "any") FROM PUBLIC;

CREATE FUNCTION pegs_internal.persons_transition(internal, bytea, int, boolean, int, boolean, VARIADIC "any") RETURNS internal
AS 'MODULE_PATHNAME', 'pegs_persons_transition' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION pegs_internal.persons_transition(internal, bytea, int, boolean, int, boolean, "any") IS 'a part of pegs_internal.counted_persons';
REVOKE ALL ON FUNCTION pegs_internal.persons_transition(internal, bytea, int, boolean, int, boolean, "any") FROM PUBLIC;

CREATE FUNCTION pegs_internal.persons_final(internal) RETURNS pegs_state
AS 'MODULE_PATHNAME', 'pegs_persons_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION pegs_internal.persons_final(internal) IS 'a part of pegs_agg_persons';
REVOKE ALL ON FUNCTION pegs_internal.persons_final(internal) FROM PUBLIC;

CREATE FUNCTION pegs_internal.agg_final(internal) RETURNS pegs_state
AS 'MODULE_PATHNAME', 'pegs_agg_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION pegs_internal.agg_final(internal) IS 'a part of pegs_agg and pegs_merge';
REVOKE ALL ON FUNCTION pegs_internal.agg_final(internal) FROM PUBLIC;

CREATE FUNCTION pegs_internal.agg_combine(internal, internal) RETURNS internal
AS 'MODULE_PATHNAME', 'pegs_agg_combine' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION pegs_internal.agg_combine(internal, internal) IS 'a part of pegs_agg and pegs_merge';
REVOKE ALL ON FUNCTION pegs_internal.agg_combine(internal, internal) FROM PUBLIC;

CREATE FUNCTION pegs_internal.agg_serialize(internal) RETURNS bytea
AS 'MODULE_PATHNAME', 'pegs_agg_serialize' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION pegs_internal.agg_serialize(internal) IS 'a part of pegs_agg and pegs_merge';
REVOKE ALL ON FUNCTION pegs_internal.agg_serialize(internal) FROM PUBLIC;

CREATE FUNCTION pegs_internal.agg_deserialize(bytea, internal) RETURNS internal
AS 'MODULE_PATHNAME', 'pegs_agg_deserialize' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION pegs_internal.agg_deserialize(bytea, internal) IS 'a part of pegs_agg and pegs_merge';
REVOKE ALL ON FUNCTION pegs_internal.agg_deserialize(bytea, internal) FROM PUBLIC;

CREATE FUNCTION pegs_internal.merge_transition(internal, pegs_state) RETURNS internal
AS 'MODULE_PATHNAME', 'pegs_merge_transition' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION pegs_internal.merge_transition(internal, pegs_state) IS 'a part of pegs_merge';
REVOKE ALL ON FUNCTION pegs_internal.merge_transition(internal, pegs_state) FROM PUBLIC;

CREATE AGGREGATE pegs_agg(spec text, VARIADIC "any") (
	SFUNC = pegs_internal.agg_transition, STYPE = internal, SSPACE = 200000,
	FINALFUNC = pegs_internal.agg_final, COMBINEFUNC = pegs_internal.agg_combine,
	SERIALFUNC = pegs_internal.agg_serialize, DESERIALFUNC = pegs_internal.agg_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE pegs_agg(text, "any") IS 'count rows into the tables of a spec (pegs_spec); no rows give NULL, the empty state';
-- everyone may call it

CREATE AGGREGATE pegs_agg(spec json, VARIADIC "any") (
	SFUNC = pegs_internal.agg_transition, STYPE = internal, SSPACE = 200000,
	FINALFUNC = pegs_internal.agg_final, COMBINEFUNC = pegs_internal.agg_combine,
	SERIALFUNC = pegs_internal.agg_serialize, DESERIALFUNC = pegs_internal.agg_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE pegs_agg(json, "any") IS 'count rows into the tables of a spec (pegs_spec) as json, which has no collation: postgres_fdw sends it on without a text column, too';
-- everyone may call it

CREATE AGGREGATE pegs_internal.counted(what bytea, VARIADIC "any") (
	SFUNC = pegs_internal.counted_transition, STYPE = internal, SSPACE = 200000,
	FINALFUNC = pegs_internal.agg_final, COMBINEFUNC = pegs_internal.agg_combine,
	SERIALFUNC = pegs_internal.agg_serialize, DESERIALFUNC = pegs_internal.agg_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE pegs_internal.counted(bytea, "any") IS 'what pegs_fit makes of its own query, as the owner of the rows: everyone may call it, and nobody else can name it';
REVOKE ALL ON FUNCTION pegs_internal.counted(bytea, "any") FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pegs_internal.counted(bytea, "any") TO PUBLIC;

CREATE AGGREGATE pegs_agg_persons(spec json, rows int, alike boolean, type int, here boolean, VARIADIC "any") (
	SFUNC = pegs_internal.persons_transition, STYPE = internal, SSPACE = 200000, FINALFUNC = pegs_internal.persons_final,
	FINALFUNC_MODIFY = READ_WRITE, PARALLEL = SAFE
);
COMMENT ON AGGREGATE pegs_agg_persons(json, int, boolean, int, boolean, "any") IS 'count rows person by person, as pegs_fit asks it of another server: of each person at most `rows` rows, or, alike, each person `rows` times; the person comes before the columns';
-- everyone may call it

CREATE AGGREGATE pegs_internal.counted_persons(what bytea, rows int, alike boolean, type int, here boolean, VARIADIC "any") (
	SFUNC = pegs_internal.persons_transition, STYPE = internal, SSPACE = 200000, FINALFUNC = pegs_internal.persons_final,
	FINALFUNC_MODIFY = READ_WRITE, PARALLEL = SAFE
);
COMMENT ON AGGREGATE pegs_internal.counted_persons(bytea, int, boolean, int, boolean, "any") IS 'what pegs_fit makes of its own query where persons are counted by parts, as the owner of the rows: everyone may call it, and nobody else can name it';
REVOKE ALL ON FUNCTION pegs_internal.counted_persons(bytea, int, boolean, int, boolean, "any") FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pegs_internal.counted_persons(bytea, int, boolean, int, boolean, "any") TO PUBLIC;

CREATE AGGREGATE pegs_merge(pegs_state) (
	SFUNC = pegs_internal.merge_transition, STYPE = internal, SSPACE = 200000,
	FINALFUNC = pegs_internal.agg_final, COMBINEFUNC = pegs_internal.agg_combine,
	SERIALFUNC = pegs_internal.agg_serialize, DESERIALFUNC = pegs_internal.agg_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE pegs_merge(pegs_state) IS 'add states of one spec: pegs_merge(pegs_agg(a), pegs_agg(b)) = pegs_agg(a and b), byte for byte';
-- everyone may call it

CREATE FUNCTION pegs_internal.unmasked(body bytea)
RETURNS bytea AS 'MODULE_PATHNAME', 'pegs_unmasked' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION pegs_internal.unmasked(bytea) IS 'a stored body without its mask: what a checksum and pegs_state read; for the extension''s owner';
REVOKE ALL ON FUNCTION pegs_internal.unmasked(bytea) FROM PUBLIC;
