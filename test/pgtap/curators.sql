-- curators: pegs_allow and pegs_disallow, what they reach and what they do not; what PUBLIC got; lookups by a name of their own.
SET client_min_messages = warning;
CREATE SCHEMA pegs;
CREATE EXTENSION pegs SCHEMA pegs;
GRANT USAGE ON SCHEMA pegs TO PUBLIC;
SET search_path = pegs, public;
CREATE ROLE cu_owner;
CREATE ROLE cu_other;
CREATE ROLE "cu odd; ""role""";
CREATE ROLE cu_member IN ROLE cu_owner;
CREATE ROLE cu_gone;
SELECT * FROM no_plan();

CREATE VIEW public.member AS SELECT p.* FROM pg_proc AS p JOIN pg_depend AS d ON (d.classid, d.objid, d.deptype) = ('pg_proc'::regclass, p.oid, 'e')
	JOIN pg_extension AS e ON d.refobjid = e.oid AND e.extname = 'pegs' WHERE p.pronamespace = 'pegs'::regnamespace;
CREATE VIEW public.held AS SELECT a.grantee, m.oid::regprocedure::text AS function FROM public.member AS m, aclexplode(m.proacl) AS a
	WHERE a.privilege_type = 'EXECUTE' AND a.grantee NOT IN (0, m.proowner);
CREATE VIEW public.curators AS SELECT m.oid::regprocedure::text AS function FROM public.member AS m
	WHERE NOT EXISTS (SELECT FROM aclexplode(coalesce(m.proacl, acldefault('f', m.proowner))) AS a WHERE a.grantee = 0)
	AND m.proname NOT IN ('pegs_adopt', 'pegs_adopt_slices', 'pegs_import', 'pegs_allow', 'pegs_disallow') AND m.prorettype <> 'event_trigger'::regtype;

---- all of them, and nothing else
SELECT is_empty('SELECT * FROM held', 'at first nobody has a function');
SELECT lives_ok($$SELECT pegs_allow('cu_owner')$$, 'a role is allowed');
SELECT set_eq($$SELECT function FROM held WHERE grantee = 'cu_owner'::regrole$$, 'SELECT function FROM curators', 'it has every curators'' function, and no other');
SELECT ok((SELECT count(*) > 25 FROM held), 'those are many');
SELECT set_hasnt($$SELECT split_part(function, '(', 1) FROM held$$, $$VALUES ('pegs_adopt'), ('pegs_adopt_slices'), ('pegs_import'), ('pegs_allow'), ('pegs_disallow')$$, 'not what is a superuser''s');
SELECT ok(NOT has_schema_privilege('cu_owner', 'pegs_internal', 'USAGE'), 'nor anything on the secret schema');
SELECT lives_ok($$SELECT pegs_allow('cu_owner')$$, 'allowed twice: nothing happens');
SELECT is((SELECT count(*) FROM pegs_internal.curator), 1::bigint, 'and it is remembered once');
SELECT lives_ok($$SELECT pegs_allow('cu odd; "role"')$$, 'a role of any name');
SELECT set_eq($$SELECT function FROM held WHERE grantee = '"cu odd; ""role"""'::regrole$$, 'SELECT function FROM curators', 'it has them, too');

---- what a curator does, as a plain member
SET ROLE cu_member;
CREATE TEMP TABLE mine (a boolean NOT NULL, b text NOT NULL);
RESET ROLE;
CREATE TABLE public.t (a boolean NOT NULL, b text NOT NULL);
CREATE TABLE public.known (code text PRIMARY KEY);
INSERT INTO public.known VALUES ('x'), ('y');
INSERT INTO public.t SELECT i % 2 = 0, substr('xy', 1 + i % 2, 1) FROM generate_series(1, 100) AS i;
ALTER TABLE public.t OWNER TO cu_owner;
ALTER TABLE public.known OWNER TO cu_owner;
SET ROLE cu_member;
SELECT lives_ok($$SELECT pegs_set_lookup('public.t', 'b', 'public.known', 'code')$$, 'four literals declare a lookup');
SELECT is((SELECT origin FROM pegs_domain('public.t') WHERE column_name = 'b'), 'lookup table', 'as pegs_set_levels does');
SELECT throws_ok($$SELECT pegs_set_lookup('public.t', 'b', NULL, 'code')$$, '22004', NULL, 'no lookup is an error');
SELECT lives_ok($$SELECT pegs_set_budget('public.t', 5)$$, 'it sets a budget');
SELECT lives_ok($$SELECT pegs_fit('cu', 'public.t', epsilon => 1)$$, 'it fits');
SELECT lives_ok($$SELECT pegs_release('cu rows', 'cu', 20)$$, 'it releases');
SELECT ok(pegs_report('cu rows', ARRAY['a'], 'b', '{"ru_map": false}') LIKE '<!DOCTYPE html>%', 'it makes a report, without any right on pegs_internal');
SELECT throws_ok($$SELECT pegs_internal.report_style()$$, '42501', NULL, 'whose parts it cannot name');
SELECT throws_ok($$SELECT * FROM pegs_internal.curator$$, '42501', NULL, 'nor who else is a curator');
SELECT throws_ok($$SELECT pegs_allow('cu_other')$$, '42501', NULL, 'it allows nobody');
RESET ROLE;
SET ROLE cu_other;
SELECT throws_ok($$SELECT pegs_domain('public.t')$$, '42501', NULL, 'who is not allowed has no function');
SELECT is((SELECT estimate FROM pegs_combine(ARRAY[1, 2], ARRAY[1, 1])), 1.5::double precision, 'but pegs_combine is everyone''s');
RESET ROLE;
-- EXECUTE is given by hand, and still it is not for them
GRANT EXECUTE ON FUNCTION pegs_allow(name), pegs_disallow(name) TO cu_other;
SET ROLE cu_other;
SELECT throws_ok($$SELECT pegs_allow('cu_other')$$, '42501', 'only the owner of the extension says who may be a curator', 'EXECUTE is not enough to allow');
SELECT throws_ok($$SELECT pegs_disallow('cu_owner')$$, '42501', 'only the owner of the extension says who may be a curator', 'nor to disallow');
RESET ROLE;
REVOKE EXECUTE ON FUNCTION pegs_allow(name), pegs_disallow(name) FROM cu_other;

---- what is refused
SELECT throws_ok($$SELECT pegs_allow('public')$$, '22023', '"public" cannot be a curator', 'PUBLIC is nobody');
SELECT throws_ok($$SELECT pegs_allow(NULL)$$, '22004', 'role must not be null', 'NULL is nobody');
SELECT throws_ok($$SELECT pegs_allow('cu_nobody')$$, '42704', 'role "cu_nobody" does not exist', 'nobody is nobody');
SELECT throws_ok($$SELECT pegs_disallow('public')$$, '22023', NULL, 'nor is anything taken from PUBLIC');
SELECT throws_ok($$SELECT pegs_disallow(NULL)$$, '22004', NULL, 'nor from NULL');
SELECT throws_ok($$SELECT pegs_disallow('cu_nobody')$$, '42704', NULL, 'nor from nobody');
SELECT is((SELECT count(*) FROM pegs_internal.curator), 2::bigint, 'none of these was remembered');

---- an update: functions that are new go to those who are allowed, and to nobody else
SELECT pegs_allow('cu_gone');
GRANT EXECUTE ON FUNCTION pegs_fit TO cu_other;		-- by hand: not allowed
CREATE FUNCTION pegs.pegs_of_tomorrow() RETURNS int LANGUAGE sql AS 'SELECT 1';
REVOKE ALL ON FUNCTION pegs.pegs_of_tomorrow() FROM PUBLIC;
ALTER EXTENSION pegs ADD FUNCTION pegs.pegs_of_tomorrow();
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA pegs FROM "cu odd; ""role""";		-- all was taken by hand: it does not come back
DROP OWNED BY cu_gone;
DROP ROLE cu_gone;
SELECT lives_ok('SELECT pegs_internal.allow_again()', 'the end of an update script, with a dropped role');
SELECT set_eq($$SELECT grantee::regrole::text FROM held WHERE function = 'pegs_of_tomorrow()'$$, ARRAY['cu_owner'], 'what is new is theirs who are allowed');
SELECT is((SELECT count(*) FROM held WHERE grantee = '"cu odd; ""role"""'::regrole), 0::bigint, 'what was taken by hand stays taken');
SELECT lives_ok($$SELECT pegs_disallow('cu odd; "role"')$$, 'disallowed, though nothing is left');
SELECT set_eq('SELECT role::text FROM pegs_internal.curator', ARRAY['cu_owner'], 'forgotten, and the dropped role, too');

---- what GRANT and REVOKE only warn of is an error: a right that another role has given stays
GRANT EXECUTE ON FUNCTION pegs_domain TO cu_other WITH GRANT OPTION;
SET ROLE cu_other;
GRANT EXECUTE ON FUNCTION pegs_domain TO cu_owner;
RESET ROLE;
SELECT throws_ok($$SELECT pegs_disallow('cu_owner')$$, '42501', 'the rights on some functions of pegs could not be changed', 'a right that another has given cannot be taken back');
SELECT set_eq('SELECT role::text FROM pegs_internal.curator', ARRAY['cu_owner'], 'the role is a curator as before');
SELECT set_eq($$SELECT function FROM held WHERE grantee = 'cu_owner'::regrole AND function !~ 'of_tomorrow'$$, $$SELECT function FROM curators WHERE function !~ 'of_tomorrow'$$, 'with all functions');
REVOKE EXECUTE ON FUNCTION pegs_domain FROM cu_other CASCADE;

---- taken back
SELECT lives_ok($$SELECT pegs_disallow('cu_owner')$$, 'a role is disallowed');
SELECT is_empty($$SELECT * FROM held WHERE grantee = 'cu_owner'::regrole$$, 'it has no function any more');
SELECT is_empty('SELECT * FROM pegs_internal.curator', 'and is forgotten');
SELECT pegs_internal.allow_again();
SELECT is_empty($$SELECT * FROM held WHERE grantee = 'cu_owner'::regrole$$, 'an update gives it nothing');
SET ROLE cu_member;
SELECT throws_ok($$SELECT pegs_domain('public.t')$$, '42501', NULL, 'nor has its member');
SELECT lives_ok($$SELECT * FROM pegs_rows('cu rows') AS t(a boolean, b text)$$, 'what it released stays readable');
RESET ROLE;

-- rolled back, it was never allowed
BEGIN;
SELECT pegs_allow('cu_other');
ROLLBACK;
SELECT is((SELECT count(*) FROM held WHERE grantee = 'cu_other'::regrole AND function !~ '^pegs_fit\('), 0::bigint, 'a rollback allows nobody');

SELECT * FROM finish();
