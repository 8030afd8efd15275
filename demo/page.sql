/*
 * demo/page.sql
 *		What a page of docs/ starts from: a database of its own with the demo table.
 *
 *		\set page dba
 *		\ir page.sql
 *		...
 *		\ir ready.sql
 *
 * Read by demo/dba.sql and the other pages' files, each of which is the first
 * line of its page.  Needs psql and a superuser of a server that you can throw
 * away: it makes the roles hospital and analyst, where they are not there, and
 * the database pegs_dba, and connects to it.  A database of that name which this
 * file made before is made anew; one that somebody else made is not touched.
 */
\set page_quiet :QUIET
\set page_stop :ON_ERROR_STOP
\set QUIET on
\set ON_ERROR_STOP on
\set page pegs_ :page
\o /dev/null
\c postgres
SET client_min_messages = warning;
SELECT 'CREATE ROLE ' || role FROM unnest(ARRAY['hospital', 'analyst']) AS role
WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = role) \gexec
SELECT format('DROP DATABASE %I', datname) FROM pg_database
WHERE datname = :'page' AND shobj_description(oid, 'pg_database') = 'made by demo/page.sql, and made anew by it' \gexec
CREATE DATABASE :"page";
COMMENT ON DATABASE :"page" IS 'made by demo/page.sql, and made anew by it';
\c :page
SET client_min_messages = warning;
\ir discharge.sql
SELECT make_discharges(2000);
