/*
 * source.sql
 *	  What the table of an account is known by.
 */

-- the order of the columns is known to src/source/origin.c
CREATE TABLE pegs_internal.origin (
	relation regclass NOT NULL,
	made xid NOT NULL,
	owner regrole NOT NULL,
	system_identifier text NOT NULL,
	database oid NOT NULL,
	dropped timestamptz
);
CREATE INDEX origin_relation ON pegs_internal.origin (relation);
COMMENT ON TABLE pegs_internal.origin IS 'what the table of an account is known by: the transaction that made it; and whose it is, or was when it was dropped';
-- not in a dump: numbers of transactions mean nothing elsewhere
