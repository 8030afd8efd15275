/*
 * end_of_both.sql
 *	  The end of the upgrade script; in the install script only that of the next
 * file follows. It looks at all that was made, so nothing may be made after it.
 */

-- roles that were allowed before an update have what is new
SELECT pegs_internal.allow_again();

-- Who else has a right has it by the word of a DBA. Where an extension's script changes the rights on an object, pg_dump takes
-- all that there are for the extension's own and leaves them out: its own are the owner's and everybody's, and no others. Since
-- 17 there is also a line for each role
UPDATE pg_catalog.pg_init_privs AS i SET initprivs = ARRAY(SELECT item FROM pg_catalog.unnest(i.initprivs) AS item,
	pg_catalog.aclexplode(ARRAY[item]) AS a WHERE a.grantee IN (0, a.grantor))
FROM pg_catalog.pg_depend AS d JOIN pg_catalog.pg_extension AS e ON d.refclassid = 'pg_catalog.pg_extension'::pg_catalog.regclass AND d.refobjid = e.oid
WHERE e.extname = 'pegs' AND d.deptype = 'e' AND d.classid = i.classoid AND d.objid = i.objoid
	AND EXISTS (SELECT FROM pg_catalog.aclexplode(i.initprivs) AS a WHERE a.grantee NOT IN (0, a.grantor));
DELETE FROM pg_catalog.pg_shdepend AS s USING pg_catalog.pg_depend AS d, pg_catalog.pg_extension AS e
WHERE s.deptype = 'i' AND s.dbid = (SELECT oid FROM pg_catalog.pg_database WHERE datname = pg_catalog.current_database())
	AND d.refclassid = 'pg_catalog.pg_extension'::pg_catalog.regclass AND d.refobjid = e.oid AND e.extname = 'pegs' AND d.deptype = 'e'
	AND d.classid = s.classid AND d.objid = s.objid;
