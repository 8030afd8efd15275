/*
 * server.sql
 *	  Here the install script begins: where the state of pegs is.
 *
 * The install script, pegs--VERSION.sql, is made of the SQL of all folders, in
 * the order that the Makefile names (SQL). Every object is told in one place:
 * CREATE, its COMMENT, and who may use it. test/house/sql-objects sees to it.
 *
 *	FOLDER/FOLDER.sql    made once: tables, types, functions in C. A later
 *	                     version changes them in its upgrade script.
 *	FOLDER/views.sql     replaced as a whole: views and functions in SQL, by
 *	report/              CREATE OR REPLACE. They also end the upgrade script,
 *	                     and the GRANT or REVOKE of anything in @extschema@ is
 *	                     left out there: a DBA may have granted and revoked
 *	                     since, and what is replaced keeps its rights. (Parts
 *	                     in pegs_internal keep theirs: nobody can name them.)
 *	                     What is new in a version, its upgrade script makes
 *	                     itself, with its rights.
 *
 * What is not granted to PUBLIC can be called by the extension's owner and by
 * those whom a DBA allows (pegs_allow); rights on tables and models are checked
 * in C on top of that. C functions pin their own search_path where they run SQL
 * (src/server/state.c).
 *
 * What a dump takes of a table stands below it: exact counts stay out of dumps,
 * everything else is kept, budgets with what is spent. What belongs to a table
 * or role that is gone is left out: only its number would be dumped, and
 * elsewhere that is the number of another.
 */

-- complain if the script is sourced in psql rather than by CREATE EXTENSION
\echo Use "CREATE EXTENSION pegs" to load this file. \quit

-- readable by the extension's owner alone: src/end_of_install.sql
-- complain if the script is sourced in psql rather than by CREATE EXTENSION


CREATE SCHEMA pegs_internal;
COMMENT ON SCHEMA pegs_internal IS 'state of pegs: no role but the extension''s owner has rights here';

CREATE SEQUENCE pegs_internal.object_id;
COMMENT ON SEQUENCE pegs_internal.object_id IS 'numbers of models, releases, grants and ledger lines';
SELECT pg_catalog.pg_extension_config_dump('pegs_internal.object_id', '');
