/*
 * demo/ready.sql
 *		The last line of each file that begins with demo/page.sql: psql is as it was before.
 */
RESET client_min_messages;
\o
\if :page_quiet
\else
\echo 'You are in database' :page 'now.'
\endif
\set QUIET :page_quiet
\set ON_ERROR_STOP :page_stop
\unset page
\unset page_quiet
\unset page_stop
