-- measures: who may look at the original. Everything of issue 5 reads confidential rows for the curator alone, but for
-- pegs_trace (which pays), pegs_combine (numbers, no table) and the certificate (public facts).
--
-- Roles as in rights.sql: curator (member of the owner's role, EXECUTE from the DBA, not superuser), member (the same without
-- EXECUTE), analyst (grants, what PUBLIC has), powerful (grants, EXECUTE on everything, SELECT on the source: all but ownership),
-- reader (the same without grants), stranger (what PUBLIC has).
SET client_min_messages = warning;
SET search_path = public;
CREATE SCHEMA pegs;
CREATE EXTENSION pegs SCHEMA pegs;
GRANT USAGE ON SCHEMA pegs TO PUBLIC;
CREATE ROLE ms_owner;
CREATE ROLE ms_curator IN ROLE ms_owner;
CREATE ROLE ms_member IN ROLE ms_owner;
CREATE ROLE ms_analyst;
CREATE ROLE ms_powerful;
CREATE ROLE ms_reader;
CREATE ROLE ms_stranger;
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA pegs TO ms_curator, ms_powerful, ms_reader;
CREATE SCHEMA app AUTHORIZATION ms_owner;
GRANT USAGE ON SCHEMA app TO PUBLIC;
GRANT CREATE ON SCHEMA app TO ms_analyst, ms_powerful;
SET search_path = app, pegs, public;
SET ROLE ms_owner;
CREATE TABLE t (a text NOT NULL CHECK (a IN ('x', 'y')), b boolean NOT NULL);
INSERT INTO t VALUES ('x', true), ('y', false), ('x', true);
CREATE TABLE s (a text, b boolean);
INSERT INTO s VALUES ('x', true), ('y', true);
CREATE TABLE hidden (a text, b boolean);
GRANT SELECT ON t, s TO PUBLIC;	-- to read the source is not to own it
CREATE VIEW v AS SELECT a, b FROM t;
RESET ROLE;
REVOKE SELECT ON hidden FROM PUBLIC;

SELECT * FROM no_plan();

CREATE FUNCTION outcome(role text, statement text, with_message boolean DEFAULT false) RETURNS text LANGUAGE plpgsql
SET search_path = app, pegs, public AS $$
DECLARE
	state text := 'ok';
	message text;
BEGIN
	BEGIN
		EXECUTE format('SET LOCAL ROLE %I', role);
		EXECUTE statement;
		RESET ROLE;
	EXCEPTION WHEN OTHERS THEN
		GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT;
		IF with_message THEN
			state := state || ' ' || message;
		END IF;
	END;
	RETURN state;
END $$;

SELECT is(outcome('ms_curator', $$SELECT pegs_set_budget('t', 1000)$$), 'ok', 'a budget');
SELECT is(outcome('ms_curator', statement), 'ok', 'curator: ' || statement) FROM unnest(ARRAY[
	$$SELECT pegs_fit('sealed', 't', parents => '{"a": ["b"]}')$$,
	$$SELECT pegs_fit('secret sealed', 't', parents => '{}')$$,
	$$SELECT pegs_fit('perturbed', 't', epsilon => 1)$$,
	$$SELECT pegs_fit('secret perturbed', 't', epsilon => 1)$$,
	$$SELECT pegs_fit('open', 't', epsilon => 1)$$,
	$$SELECT pegs_fit('diverse', 't', parents => '{}', options => '{"l_diversity": 1.5}')$$,
	$$SELECT pegs_release('kept', 'sealed', 3, epsilon => 1)$$,
	$$SELECT pegs_release('secret kept', 'sealed', 3, epsilon => 1)$$,
	$$SELECT pegs_grant('sealed', role, 10) FROM unnest(ARRAY['ms_analyst', 'ms_powerful']::name[]) AS role$$,
	$$SELECT pegs_grant(name, role) FROM unnest(ARRAY['ms_analyst', 'ms_powerful']::name[]) AS role, unnest(ARRAY['perturbed', 'kept']) AS name$$,
	$$SELECT pegs_grant('open', 'public')$$]) AS statement;
CREATE TABLE public.file AS SELECT pegs_export('perturbed') AS bytes;
SELECT pegs_import('imported', bytes) FROM public.file;
SELECT lives_ok($$SELECT pegs_grant('imported', 'ms_powerful')$$, 'an imported model is granted');

---- the table: 42501 insufficient privilege, 42704 no such model or not granted
CREATE TABLE public.roles (role text, number int, PRIMARY KEY (number));
INSERT INTO public.roles VALUES ('ms_curator', 1), ('ms_member', 2), ('ms_analyst', 3), ('ms_powerful', 4), ('ms_reader', 5), ('ms_stranger', 6);
CREATE TABLE public.actions (number int GENERATED ALWAYS AS IDENTITY, statement text, outcomes text[]);
INSERT INTO public.actions (statement, outcomes) VALUES
	--                                                                          curator member   analyst  powerful reader  stranger
	($$SELECT * FROM pegs_utility('t', 's')$$,                                       '{ok, 42501, 42501, 42501, 42501, 42501}'),
	($$SELECT * FROM pegs_utility('v', 's')$$,                                       '{ok, 42501, 42501, 42501, 42501, 42501}'),
	($$SELECT * FROM pegs_utility('t', 't')$$,                                       '{ok, 42501, 42501, 42501, 42501, 42501}'),
	($$SELECT * FROM pegs_utility('t', 'hidden')$$,                                  '{ok, 42501, 42501, 42501, 42501, 42501}'),
	($$SELECT * FROM pegs_regression('t', 's', 'logistic', 'b', ARRAY['a'])$$,       '{ok, 42501, 42501, 42501, 42501, 42501}'),
	($$SELECT * FROM pegs_regression('t', 's', 'no such kind', 'b', ARRAY['a'])$$,   '{22023, 42501, 42501, 42501, 42501, 42501}'),
	($$SELECT * FROM pegs_disclosure('t', 's', ARRAY['a'], 'b')$$,                   '{ok, 42501, 42501, 42501, 42501, 42501}'),
	($$SELECT * FROM pegs_disclosure('t', 's')$$,                                    '{ok, 42501, 42501, 42501, 42501, 42501}'),
	($$SELECT * FROM pegs_k_anonymity('t', ARRAY['a'])$$,                            '{ok, 42501, 42501, 42501, 42501, 42501}'),
	($$SELECT * FROM pegs_k_anonymity('v', ARRAY['a'], 'b')$$,                       '{ok, 42501, 42501, 42501, 42501, 42501}'),
	($$SELECT * FROM pegs_ru_map('t', ARRAY[1], n => 10)$$,                          '{ok, 42501, 42501, 42501, 42501, 42501}'),
	($$SELECT * FROM pegs_ru_map('v', ARRAY[1], n => 10)$$,                          '{ok, 42501, 42501, 42501, 42501, 42501}'),
	-- by name: who has no grant does not learn that it exists
	($$SELECT * FROM pegs_utility_of('kept')$$,                                      '{ok, 42501, 42501, 42501, 42704, 42501}'),
	($$SELECT * FROM pegs_utility_of('perturbed')$$,                                 '{ok, 42501, 42501, 42501, 42704, 42501}'),
	($$SELECT * FROM pegs_utility_of('open')$$,                                      '{ok, 42501, 42501, 42501, 42501, 42501}'),
	($$SELECT * FROM pegs_utility_of('secret kept')$$,                               '{ok, 42501, 42501, 42704, 42704, 42501}'),
	($$SELECT * FROM pegs_disclosure_of('kept', ARRAY['a'], 'b')$$,                  '{ok, 42501, 42501, 42501, 42704, 42501}'),
	($$SELECT * FROM pegs_disclosure_of('open')$$,                                   '{ok, 42501, 42501, 42501, 42501, 42501}'),
	($$SELECT * FROM pegs_disclosure_of('secret perturbed')$$,                       '{ok, 42501, 42501, 42704, 42704, 42501}'),
	($$SELECT * FROM pegs_marginals_of('kept')$$,                                    '{ok, 42501, 42501, 42501, 42704, 42501}'),
	($$SELECT * FROM pegs_marginals_of('perturbed')$$,                               '{ok, 42501, 42501, 42501, 42704, 42501}'),
	($$SELECT * FROM pegs_marginals_of('open')$$,                                    '{ok, 42501, 42501, 42501, 42501, 42501}'),
	($$SELECT * FROM pegs_marginals_of('secret kept')$$,                             '{ok, 42501, 42501, 42704, 42704, 42501}'),
	($$SELECT * FROM pegs_verify('sealed')$$,                                        '{ok, 42501, 42501, 42501, 42704, 42501}'),
	($$SELECT * FROM pegs_verify('secret sealed')$$,                                 '{ok, 42501, 42501, 42704, 42704, 42501}'),
	($$SELECT * FROM pegs_audit('sealed', 100)$$,                                    '{ok, 42501, 42501, 42501, 42704, 42501}'),
	($$SELECT * FROM pegs_audit('perturbed', 100)$$,                                 '{ok, 42501, 42501, 42501, 42704, 42501}'),
	($$SELECT * FROM pegs_audit('open', 100)$$,                                      '{ok, 42501, 42501, 42501, 42501, 42501}'),
	($$SELECT * FROM pegs_audit('secret perturbed', 100)$$,                          '{ok, 42501, 42501, 42704, 42704, 42501}'),
	($$SELECT pegs_report('kept')$$,                                                 '{ok, 42501, 42501, 42501, 42704, 42501}'),
	($$SELECT pegs_report('secret kept')$$,                                          '{ok, 42501, 42501, 42704, 42704, 42501}'),
	-- a file's original is not here: nobody but a superuser is asked for more than a grant
	($$SELECT * FROM pegs_utility_of('imported')$$,                                  '{42704, 42501, 42501, 42501, 42704, 42501}'),
	($$SELECT * FROM pegs_marginals_of('imported')$$,                                '{42704, 42501, 42501, 42501, 42704, 42501}'),
	($$SELECT * FROM pegs_audit('imported', 100)$$,                                  '{42704, 42501, 42501, 42501, 42704, 42501}'),
	-- pays like a row, so a grant of the sealed model is enough
	($$SELECT * FROM pegs_trace('sealed', 0.01)$$,                                   '{ok, 42501, 42501, ok, 42704, 42501}'),
	($$SELECT * FROM pegs_trace('sealed', 11)$$,                                     '{ok, 42501, 42501, 53400, 42704, 42501}'),
	($$SELECT * FROM pegs_trace('secret sealed', 0.01)$$,                            '{ok, 42501, 42501, 42704, 42704, 42501}'),
	($$SELECT * FROM pegs_trace('perturbed', 0.01)$$,                                '{22023, 42501, 42501, 22023, 42704, 42501}'),
	($$SELECT * FROM pegs_trace('diverse', 0.01)$$,                                  '{22023, 42501, 42501, 42704, 42704, 42501}'),
	-- numbers of released tables: reads nothing
	($$SELECT * FROM pegs_combine(ARRAY[1, 2], ARRAY[1, 1])$$,                       '{ok, ok, ok, ok, ok, ok}'),
	($$SELECT * FROM pegs_dirichlet_matrix(2, 1, 1, 1)$$,                            '{ok, ok, ok, ok, ok, ok}'),
	($$SELECT * FROM pegs_dirichlet_risk(2, 1, 1, 1)$$,                              '{ok, ok, ok, ok, ok, ok}'),
	($$SELECT * FROM pegs_dirichlet_validity(2, 1, 1, 1)$$,                          '{ok, ok, ok, ok, ok, ok}'),
	($$SELECT pegs_dirichlet_alpha(1, 0, 1)$$,                                       '{ok, ok, ok, ok, ok, ok}'),
	-- to be published: everyone who may use the object
	($$SELECT pegs_certificate('sealed')$$,                                          '{ok, ok, ok, ok, 42704, 42704}'),
	($$SELECT pegs_certificate('perturbed'), pegs_certificate('kept')$$,             '{ok, ok, ok, ok, 42704, 42704}'),
	($$SELECT pegs_certificate('open')$$,                                            '{ok, ok, ok, ok, ok, ok}'),
	($$SELECT pegs_certificate('secret kept')$$,                                     '{ok, ok, 42704, 42704, 42704, 42704}'),
	($$SELECT pegs_certificate('imported')$$,                                        '{42704, 42704, 42704, ok, 42704, 42704}'),
	($$SELECT pegs_certificate('diverse')$$,                                         '{ok, ok, 42704, 42704, 42704, 42704}'),
	($$SELECT pegs_certificate_text('sealed'), pegs_certificate_text('kept')$$,      '{ok, ok, ok, ok, 42704, 42704}'),
	($$SELECT pegs_certificate_text('open')$$,                                       '{ok, ok, ok, ok, ok, ok}'),
	($$SELECT pegs_certificate_text('secret sealed')$$,                              '{ok, ok, 42704, 42704, 42704, 42704}'),
	($$SELECT pegs_summary('sealed'), pegs_summary('kept')$$,                        '{ok, ok, ok, ok, 42704, 42704}'),
	($$SELECT pegs_summary('open')$$,                                                '{ok, ok, ok, ok, ok, ok}'),
	($$SELECT pegs_summary('secret sealed')$$,                                       '{ok, ok, 42704, 42704, 42704, 42704}'),
	-- without a guarantee: the owner and its members
	($$SELECT * FROM pegs_sample('diverse', 3) AS t(a text)$$,                       '{ok, ok, 42704, 42704, 42704, 42704}'),
	($$SELECT * FROM pegs_sample_as(NULL::t, 'diverse', 3)$$,                        '{ok, ok, 42704, 42704, 42704, 42704}'),
	($$SELECT pegs_release('of diverse', 'diverse', 3)$$,                            '{42809, 42809, 42704, 42704, 42704, 42704}'),
	($$SELECT pegs_grant('diverse', 'ms_stranger')$$,                                '{42809, 42501, 42501, 42704, 42704, 42501}');
SELECT format('SELECT is(outcome(%L, %L), %L, %L)', role, statement, outcomes[r.number], role || ': ' || statement)
FROM public.actions AS a, public.roles AS r ORDER BY a.number, r.number \gexec

---- PUBLIC may call the certificate, the summary made of it, pegs_combine and pegs_dirichlet_..., and nothing else of these
SELECT is((SELECT array_agg(proname ORDER BY proname) FROM pg_proc WHERE pronamespace = 'pegs'::regnamespace
	AND proname ~ '^pegs_(trace|utility|regression|disclosure|k_anonymity|combine|dirichlet|ru_map|verify|audit|marginals|certificate|report|summary)' AND proname <> 'pegs_verify_ledger'
	AND has_function_privilege('ms_stranger', oid, 'EXECUTE')), '{pegs_certificate,pegs_certificate_text,pegs_combine,pegs_dirichlet_alpha,pegs_dirichlet_matrix,pegs_dirichlet_risk,pegs_dirichlet_validity,pegs_summary}', 'EXECUTE of PUBLIC');

---- what is there and not granted looks like what is not there
SELECT is(outcome('ms_reader', format(statement, 'secret kept'), true), replace(outcome('ms_reader', format(statement, 'not there'), true), 'not there', 'secret kept'), 'the same words: ' || statement) FROM unnest(ARRAY[
	$$SELECT pegs_utility_of('%s')$$, $$SELECT pegs_disclosure_of('%s')$$, $$SELECT pegs_marginals_of('%s')$$, $$SELECT pegs_verify('%s')$$, $$SELECT pegs_audit('%s')$$, $$SELECT pegs_trace('%s', 1)$$,
	$$SELECT pegs_certificate('%s')$$, $$SELECT pegs_certificate_text('%s')$$, $$SELECT pegs_summary('%s')$$]) AS statement;
-- and a source of somebody else says nothing of its columns
SELECT is(outcome('ms_powerful', $$SELECT pegs_k_anonymity('t', ARRAY['a'])$$, true), outcome('ms_powerful', $$SELECT pegs_k_anonymity('t', ARRAY['no such column'])$$, true), 'no word about columns');

---- a synthetic relation is read with its own owner's rights
SET ROLE ms_analyst;
CREATE TABLE seen (who text, session text);
CREATE FUNCTION spy(text) RETURNS text LANGUAGE plpgsql VOLATILE AS $$ BEGIN INSERT INTO app.seen VALUES (current_user, session_user); RETURN $1; END $$;
CREATE VIEW spying AS SELECT spy(a) AS a, b FROM s;
CREATE FUNCTION becoming(text) RETURNS text LANGUAGE plpgsql VOLATILE AS $$ BEGIN EXECUTE 'RESET ROLE'; RETURN $1; END $$;
CREATE VIEW becoming AS SELECT becoming(a) AS a, b FROM s;
CREATE FUNCTION authorizing(text) RETURNS text LANGUAGE plpgsql VOLATILE AS $$ BEGIN EXECUTE 'SET SESSION AUTHORIZATION DEFAULT'; RETURN $1; END $$;
CREATE VIEW authorizing AS SELECT authorizing(a) AS a, b FROM s;
CREATE FUNCTION making(text) RETURNS text LANGUAGE plpgsql VOLATILE AS $$ BEGIN CREATE TEMP TABLE made (i int); RETURN $1; END $$;
CREATE VIEW making AS SELECT making(a) AS a, b FROM s;
CREATE FUNCTION deferring() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO app.seen VALUES (current_user, 'deferred'); RETURN NULL; END $$;
CREATE TABLE later (i int);
CREATE CONSTRAINT TRIGGER later AFTER INSERT ON later DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION deferring();
CREATE FUNCTION later(text) RETURNS text LANGUAGE plpgsql VOLATILE AS $$ BEGIN INSERT INTO app.later VALUES (1); RETURN $1; END $$;
CREATE VIEW later_view AS SELECT later(a) AS a, b FROM s;
CREATE FUNCTION peeking(text) RETURNS text LANGUAGE plpgsql VOLATILE AS $$ BEGIN RETURN (SELECT a FROM app.hidden LIMIT 1); END $$;
CREATE VIEW peeking AS SELECT peeking(a) AS a, b FROM s;
-- a search_path of one's own in the function's words: a "=" that is not PostgreSQL's
CREATE VIEW plain AS SELECT a, b FROM s;
GRANT SELECT ON spying, becoming, authorizing, making, later_view, peeking, plain TO ms_owner;
RESET ROLE;
SELECT lives_ok(statement, 'a superuser: ' || statement) FROM unnest(ARRAY[
	$$SELECT count(*) FROM pegs_utility('t', 'spying')$$,
	$$SELECT count(*) FROM pegs_regression('t', 'spying', 'logistic', 'b', ARRAY['a'])$$,
	$$SELECT count(*) FROM pegs_disclosure('t', 'spying', ARRAY['a'], 'b')$$]) AS statement;
SELECT is((SELECT array_agg(DISTINCT who) FROM seen), '{ms_analyst}', 'the view''s function ran as the view''s owner');
SELECT ok((SELECT count(*) FROM seen) >= 6, 'and it did run');
SELECT is(outcome('ms_curator', $$SELECT count(*) FROM pegs_utility('t', 'spying')$$), '42501', 'a curator without the rights of its owner does not: a view is read with those');
SELECT is((SELECT array_agg(DISTINCT who) FROM seen), '{ms_analyst}', 'and lends it no right, either');
SELECT is(outcome(role, format($$SELECT count(*) FROM pegs_utility('t', '%s')$$, relation)), '42501', format('%s: %s may not', role, relation))
FROM unnest(ARRAY['postgres', 'ms_curator']) AS role, unnest(ARRAY['becoming', 'authorizing', 'making', 'peeking']) AS relation
WHERE role <> 'postgres' OR EXISTS (SELECT FROM pg_roles WHERE rolname = 'postgres' AND rolsuper);
SELECT throws_ok($$SELECT count(*) FROM pegs_utility('t', 'later_view')$$, '42501', NULL, 'no deferred trigger for the superuser''s commit');
SELECT is((SELECT count(*) FROM seen WHERE session = 'deferred'), 0::bigint, 'none has run');
SELECT hasnt_table('made', 'nothing was made');
-- the view's owner must itself be allowed to read what is below
REVOKE SELECT ON s FROM PUBLIC;
SELECT throws_ok($$SELECT count(*) FROM pegs_utility('t', 'plain')$$, '42501', NULL, 'the right of the view''s owner counts, not the superuser''s');
GRANT SELECT ON s TO PUBLIC;
SELECT lives_ok($$SELECT count(*) FROM pegs_utility('t', 'plain')$$, 'with it, it is read');
-- who is a curator of one table may not read another through us
SET ROLE ms_analyst;
CREATE TABLE own (a text NOT NULL CHECK (a IN ('x', 'y')), b boolean NOT NULL);
INSERT INTO own VALUES ('x', true);
RESET ROLE;
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA pegs TO ms_analyst;
SELECT is(outcome('ms_analyst', $$SELECT count(*) FROM pegs_utility('own', 's')$$), 'ok', 'a curator of one''s own');
SELECT is(outcome('ms_analyst', format($$SELECT count(*) FROM %s$$, call)), '42501', 'cannot read what one may not read: ' || call) FROM unnest(ARRAY[
	$$pegs_utility('own', 'hidden')$$, $$pegs_disclosure('own', 'hidden')$$, $$pegs_regression('own', 'hidden', 'logistic', 'b', ARRAY['a'])$$]) AS call;
-- an original that is a view with code of its owner is refused, as a fit refuses it
SET ROLE ms_analyst;
CREATE VIEW own_view AS SELECT spy(a) AS a, b FROM own;
RESET ROLE;
TRUNCATE seen;
SELECT throws_ok(format('SELECT * FROM %s', call), '0A000', NULL, 'code of an owner is refused: ' || call) FROM unnest(ARRAY[
	$$pegs_utility('own_view', 's')$$, $$pegs_disclosure('own_view', 's')$$, $$pegs_k_anonymity('own_view', ARRAY['b'])$$, $$pegs_ru_map('own_view', ARRAY[1])$$,
	$$pegs_regression('own_view', 's', 'logistic', 'b', ARRAY['a'])$$]) AS call;
SELECT is((SELECT count(*) FROM seen), 0::bigint, 'and did not run');
-- what a machine of 32 bits would take for few
SELECT throws_ok('SELECT pegs_ru_map(''own'', ARRAY[1], n => ' || n || ')', '54000', 'n is too large', n || ' rows') FROM unnest(ARRAY[2147483649, 4294967297, 9223372036854775807]) AS n;

---- a search_path of the attacker
CREATE SCHEMA evil AUTHORIZATION ms_analyst;
SET ROLE ms_analyst;
CREATE FUNCTION evil.caught() RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'evil ran as %', current_user; END $$;
CREATE FUNCTION evil.current_setting(text) RETURNS text LANGUAGE sql AS $$ SELECT evil.caught()::text $$;
CREATE FUNCTION evil.pegs_describe(text) RETURNS jsonb LANGUAGE sql AS $$ SELECT to_jsonb(evil.caught()) $$;
CREATE FUNCTION evil.pegs_certificate(text) RETURNS jsonb LANGUAGE sql AS $$ SELECT to_jsonb(evil.caught()) $$;
CREATE FUNCTION evil.pegs_rows(text) RETURNS SETOF record LANGUAGE sql AS $$ SELECT 'x'::text, evil.caught() $$;
CREATE FUNCTION evil.equal(text, text) RETURNS boolean LANGUAGE sql AS $$ SELECT evil.caught() $$;
CREATE OPERATOR evil.= (LEFTARG = text, RIGHTARG = text, FUNCTION = evil.equal);
RESET ROLE;
CREATE FUNCTION public.under_evil(statement text) RETURNS text LANGUAGE plpgsql SET search_path = evil, pg_temp, app, pegs, public, pg_catalog AS $$
DECLARE
	message pg_catalog.text := 'ok';
BEGIN
	BEGIN
		EXECUTE statement;
	EXCEPTION WHEN OTHERS THEN
		GET STACKED DIAGNOSTICS message = MESSAGE_TEXT;
	END;
	RETURN message;
END $$;
CREATE TEMP TABLE pg_class (oid int);
SELECT is(public.under_evil($$SELECT 'a'::pg_catalog.text = 'b'::pg_catalog.text$$), 'evil ran as ' || current_user, 'the trap works');
SELECT is(public.under_evil(statement), 'ok', 'with an evil search_path: ' || statement) FROM unnest(ARRAY[
	$$SELECT * FROM pegs.pegs_utility('app.t', 'app.s')$$,
	$$SELECT * FROM pegs.pegs_utility('app.v', 'app.plain')$$,
	$$SELECT * FROM pegs.pegs_regression('app.t', 'app.s', 'logistic', 'b', ARRAY['a'])$$,
	$$SELECT * FROM pegs.pegs_disclosure('app.t', 'app.s', ARRAY['a'], 'b')$$,
	$$SELECT * FROM pegs.pegs_k_anonymity('app.t', ARRAY['a'], 'b')$$,
	$$SELECT * FROM pegs.pegs_utility_of('kept')$$,
	$$SELECT * FROM pegs.pegs_disclosure_of('perturbed')$$,
	$$SELECT * FROM pegs.pegs_marginals_of('kept')$$,
	$$SELECT * FROM pegs.pegs_ru_map('app.t', ARRAY[1], n => 5)$$,
	$$SELECT * FROM pegs.pegs_trace('sealed', 0.01)$$,
	$$SELECT * FROM pegs.pegs_verify('sealed')$$,
	$$SELECT * FROM pegs.pegs_audit('perturbed', 100)$$,
	$$SELECT pegs.pegs_certificate('kept'), pegs.pegs_certificate_text('kept')$$,
	$$SELECT pegs.pegs_report('kept')$$]) AS statement;
DROP TABLE pg_temp.pg_class;

---- nobody stays curator
REVOKE ms_owner FROM ms_curator;
SELECT is(outcome('ms_curator', $$SELECT * FROM pegs_utility('t', 's')$$), '42501', 'no longer a member');
SELECT is(outcome('ms_curator', $$SELECT * FROM pegs_audit('sealed', 100)$$), '42704', 'no longer a member');

---- parts of two groups, which pegs_report asks for
CREATE TABLE parts_o AS SELECT i % 3 AS a, i % 4 AS b, i % 5 AS c FROM generate_series(1, 200) AS i;
CREATE TABLE parts_s AS SELECT i % 3 AS a, i % 2 AS b, i / 7 % 5 AS c FROM generate_series(1, 150) AS i;
SELECT pegs_set_levels('parts_o', 'a', '{0,1,2}'), pegs_set_levels('parts_o', 'b', '{0,1,2,3}'), pegs_set_levels('parts_o', 'c', '{0,1,2,3,4}');
SELECT bag_eq($$SELECT * FROM pegs_utility('parts_o', 'parts_s', measures => '{distances}')$$,
	$$SELECT * FROM pegs_utility('parts_o', 'parts_s', measures => '{tables}') WHERE measure !~ '^conditional_'$$, 'distances: what tables has, but for what is given');
SELECT bag_eq($$SELECT * FROM pegs_utility('parts_o', 'parts_s', measures => '{classifier}')$$,
	$$SELECT * FROM pegs_utility('parts_o', 'parts_s', measures => '{propensity}') WHERE cardinality(of) IS DISTINCT FROM 2$$, 'classifier: what propensity has, but for pairs');
SELECT ok(bool_or(measure ~ '^conditional_') AND (SELECT count(*) = 6 FROM pegs_utility('parts_o', 'parts_s', measures => '{propensity}') WHERE cardinality(of) = 2), 'which have those')
FROM pegs_utility('parts_o', 'parts_s', measures => '{tables}');
SELECT set_eq($$SELECT DISTINCT measure, of FROM pegs_internal.report_trials('parts_o', '{1}', 100, 10, 1, NULL, '{}', 1e-9, NULL, NULL, '{fit once}', 0, true)$$,
	$$SELECT DISTINCT measure, of FROM pegs_ru_map('parts_o', '{1}', 100, methods => '{fit once}') WHERE measure !~ '^(conditional_|queries|error)'$$, 'trials of the report, too');

SELECT * FROM finish();

RESET ROLE;
DROP SCHEMA app, evil CASCADE;
DROP OWNED BY ms_owner, ms_curator, ms_member, ms_analyst, ms_powerful, ms_reader, ms_stranger;
DROP ROLE ms_owner, ms_curator, ms_member, ms_analyst, ms_powerful, ms_reader, ms_stranger;
