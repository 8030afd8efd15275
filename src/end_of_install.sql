/*
 * end_of_install.sql
 *	  The end of the install script. Not of the upgrade script: there a DBA may
 * have granted and revoked since.
 */

-- default privileges have reached what was made here, too
SELECT pegs_internal.strip_rights();
