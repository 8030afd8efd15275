-- rights: who may do what. A table of actions and roles, then the doors that are not functions of ours.
--
-- Roles: curator (member of the owner's role, EXECUTE from the DBA, not superuser), member (the same without EXECUTE),
-- analyst (grants of models, what PUBLIC has), powerful (grants, EXECUTE on everything, SELECT on the source: all but
-- ownership), reader (the same without grants), stranger (what PUBLIC has).
SET client_min_messages = warning;
SET search_path = public;
CREATE SCHEMA pegs;
CREATE EXTENSION pegs SCHEMA pegs;
GRANT USAGE ON SCHEMA pegs TO PUBLIC;
CREATE ROLE rt_owner;
CREATE ROLE rt_curator IN ROLE rt_owner;
CREATE ROLE rt_member IN ROLE rt_owner;
CREATE ROLE rt_analyst;
CREATE ROLE rt_powerful;
CREATE ROLE rt_reader;
CREATE ROLE rt_stranger;
CREATE ROLE rt_group;
CREATE ROLE rt_in_group IN ROLE rt_group;
CREATE ROLE rt_not_inheriting NOINHERIT IN ROLE rt_group;
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA pegs TO rt_curator, rt_powerful, rt_reader;
CREATE SCHEMA app AUTHORIZATION rt_owner;
GRANT USAGE ON SCHEMA app TO PUBLIC;
GRANT CREATE ON SCHEMA app TO rt_powerful, rt_reader;
SET search_path = app, pegs, public;

SET ROLE rt_owner;
CREATE TABLE t (a text NOT NULL CHECK (a IN ('x', 'y')), b int);
INSERT INTO t VALUES ('x', 1), ('y', 2), ('x', NULL);
CREATE TABLE lookup (code text);
INSERT INTO lookup VALUES ('x'), ('y');
GRANT SELECT ON t, lookup TO rt_powerful, rt_reader;
RESET ROLE;
SET ROLE rt_powerful;
CREATE VIEW v AS SELECT a FROM t;
RESET ROLE;

SELECT * FROM no_plan();

-- what a role gets: 'ok', or SQLSTATE and message
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

---- a curator needs no superuser
SELECT is(outcome('rt_curator', statement), 'ok', 'curator: ' || statement) FROM unnest(ARRAY[
	$$SELECT pegs_set_bins('t', 'b', ARRAY['0', '5', '10'])$$,
	$$SELECT pegs_set_budget('t', 100, 1e-6, 'sum')$$]) AS statement;
SELECT is(outcome('rt_curator', statement), 'ok', 'curator: ' || statement) FROM unnest(ARRAY[
	$$SELECT pegs_fit('sealed', 't', parents => '{"a": ["b"]}')$$,
	$$SELECT pegs_fit('secret sealed', 't', parents => '{}')$$,
	$$SELECT pegs_fit('perturbed', 't', epsilon => 1)$$,
	$$SELECT pegs_fit('secret perturbed', 't', epsilon => 1)$$,
	$$SELECT pegs_fit('open', 't', epsilon => 1)$$,
	$$SELECT pegs_release('kept', 'sealed', 3, epsilon => 1)$$,
	$$SELECT pegs_release('secret kept', 'sealed', 3, epsilon => 1)$$,
	$$SELECT pegs_release('open kept', 'perturbed', 3)$$,
	$$SELECT pegs_grant(name, role, 10) FROM unnest(ARRAY['rt_analyst', 'rt_powerful', 'rt_group']::name[]) AS role, unnest(ARRAY['sealed']) AS name$$,
	$$SELECT pegs_grant(name, role) FROM unnest(ARRAY['rt_analyst', 'rt_powerful', 'rt_group']::name[]) AS role, unnest(ARRAY['perturbed', 'kept']) AS name$$,
	$$SELECT pegs_grant(name, 'public') FROM unnest(ARRAY['open', 'open kept']) AS name$$,
	$$SELECT pegs_score_fit(name, 't', 'a', ARRAY['x'], epsilon => 1) FROM unnest(ARRAY['score', 'secret score']) AS name$$,
	$$SELECT pegs_score_fit('published score', 't', 'a', ARRAY['x'], method => 'tree', options => '{"published": true}')$$,
	$$SELECT pegs_grant('score', role) FROM unnest(ARRAY['rt_analyst', 'rt_powerful', 'rt_group']::name[]) AS role$$]) AS statement;

-- a model that came in as a file: its source is no table here, so nobody but a superuser is its curator
CREATE TABLE public.file AS SELECT pegs_export('secret perturbed') AS bytes;
GRANT SELECT ON public.file TO PUBLIC;
SELECT lives_ok($$SELECT pegs_import('imported', bytes), pegs_import('secret imported', bytes) FROM public.file$$, 'a superuser imports');
SELECT lives_ok($$SELECT pegs_grant('imported', 'rt_analyst')$$, 'and grants');

---- the table: 42501 insufficient privilege, 42704 no such model or not granted
CREATE TABLE public.roles (role text, number int, PRIMARY KEY (number));
INSERT INTO public.roles VALUES ('rt_curator', 1), ('rt_member', 2), ('rt_analyst', 3), ('rt_powerful', 4), ('rt_reader', 5), ('rt_stranger', 6);
CREATE TABLE public.actions (number int GENERATED ALWAYS AS IDENTITY, statement text, outcomes text[]);
-- %s is the role: names that are made are its own
INSERT INTO public.actions (statement, outcomes) VALUES
	--                                                                          curator member   analyst  powerful reader  stranger
	-- declaring, budgets, fitting: curators with EXECUTE
	($$SELECT * FROM pegs_domain('t')$$,                                             '{ok, 42501, 42501, 42501, 42501, 42501}'),
	($$SELECT * FROM pegs_domain('v')$$,                                             '{ok, 42501, 42501, 42501, 42501, 42501}'),
	($$SELECT pegs_levels('t', 'a')$$,                                               '{ok, 42501, 42501, 42501, 42501, 42501}'),
	($$SELECT pegs_propose('t')$$,                                                   '{ok, 42501, 42501, 42501, 42501, 42501}'),
	($$SELECT pegs_facts('t')$$,                                                     '{ok, 42501, 42501, 42501, 42501, 42501}'),
	($$SELECT pegs_declare('t', '{"columns": {"a": ["x", "y"]}}')$$,                 '{ok, 42501, 42501, 42501, 42501, 42501}'),
	($$SELECT pegs_leave_out('t', 'b')$$,                                            '{ok, 42501, 42501, 42501, 42501, 42501}'),
	($$SELECT pegs_set_derived('t', 'b', '1'), pegs_leave_out('t', 'b')$$,           '{ok, 42501, 42501, 42501, 42501, 42501}'),
	($$SELECT pegs_set_function('t', 'b', 'a', '{"x": 1, "y": 2}'), pegs_leave_out('t', 'b')$$, '{ok, 42501, 42501, 42501, 42501, 42501}'),
	($$SELECT pegs_set_groups('t', 'a', '{"x": "g"}'), pegs_set_groups('t', 'a', NULL)$$, '{ok, 42501, 42501, 42501, 42501, 42501}'),
	($$SELECT pegs_set_hierarchy('t', 'a', '[]'), pegs_hierarchy('t', 'a'), pegs_set_hierarchy('t', 'a', NULL)$$, '{ok, 42501, 42501, 42501, 42501, 42501}'),
	($$SELECT pegs_hierarchy('t', 'a')$$,                                            '{ok, 42501, 42501, 42501, 42501, 42501}'),
	($$SELECT pegs_generalize('t', ARRAY['a'], 1)$$,                                 '{ok, 42501, 42501, 42501, 42501, 42501}'),
	($$SELECT * FROM pegs_generalized('t', '{}') AS r(a text)$$,                     '{22023, 42501, 42501, 42501, 42501, 42501}'),
	($$SELECT pegs_generalize_sql('t', '{}', 'x')$$,                                '{22023, 42501, 42501, 42501, 42501, 42501}'),
	($$SELECT * FROM pegs_equivalence_classes('t', ARRAY['a'])$$,                    '{ok, 42501, 42501, 42501, 42501, 42501}'),
	($$SELECT pegs_order('t', 'b', 'b', '5')$$,                                      '{22023, 42501, 42501, 42501, 42501, 42501}'),
	($$SELECT * FROM pegs_plan('t', 100)$$,                                          '{ok, 42501, 42501, 42501, 42501, 42501}'),
	($$SELECT pegs_set_levels('t', 'a', ARRAY['x', 'y'])$$,                          '{ok, 42501, 42501, 42501, 42501, 42501}'),
	($$SELECT pegs_set_levels('t', 'a', lookup => 'lookup', lookup_column => 'code')$$, '{ok, 42501, 42501, 42501, 42501, 42501}'),
	($$SELECT pegs_unset('t', 'a')$$,                                                '{ok, 42501, 42501, 42501, 42501, 42501}'),
	($$SELECT pegs_set_bins('t', 'b', ARRAY['0', '5', '10'])$$,                      '{ok, 42501, 42501, 42501, 42501, 42501}'),
	($$SELECT pegs_forbid('t', '{"a": "x", "b": 1}'), pegs_forbid('t', NULL)$$,       '{ok, 42501, 42501, 42501, 42501, 42501}'),
	($$SELECT pegs_forbid('v', '{"a": "x"}'), pegs_forbid('v', NULL)$$,               '{ok, 42501, 42501, 42501, 42501, 42501}'),
	($$SELECT pegs_forbid('t', NULL)$$,                                              '{ok, 42501, 42501, 42501, 42501, 42501}'),
	($$SELECT pegs_set_unit('t', 'b', 2)$$,                                          '{ok, 42501, 42501, 42501, 42501, 42501}'),
	($$SELECT pegs_set_parent('t', 't')$$,                                           '{22023, 42501, 42501, 42501, 42501, 42501}'),
	($$SELECT pegs_set_parent('v', NULL)$$,                                          '{55000, 42501, 42501, 42501, 42501, 42501}'),
	($$SELECT pegs_fit_schema('related of %s', 't', epsilon => 0.1)$$,                '{55000, 42501, 42501, 42501, 42501, 42501}'),
	($$SELECT * FROM pegs_schema('t')$$,                                             '{ok, 42501, 42501, 42501, 42501, 42501}'),
	($$SELECT pegs_set_unit('v', NULL)$$,                                            '{ok, 42501, 42501, 42501, 42501, 42501}'),
	($$SELECT pegs_set_budget('t', 100, delta => 1e-6)$$,                            '{ok, 42501, 42501, 42501, 42501, 42501}'),
	($$SELECT pegs_set_budget('t', 100, 1e-6, 'sum')$$,                              '{ok, 42501, 42501, 42501, 42501, 42501}'),
	($$SELECT pegs_adopt('t', 1, 'a reason')$$,                                      '{42501, 42501, 42501, 42501, 42501, 42501}'),
	($$SELECT pegs_verify_ledger('t')$$,                                             '{ok, 42501, 42501, ok, ok, 42501}'),
	($$SELECT pegs_health()$$,                                                       '{ok, 42501, 42501, ok, ok, 42501}'),
	($$SELECT pegs_set_budget('v', 100, delta => 1e-6)$$,                            '{ok, 42501, 42501, 42501, 42501, 42501}'),
	($$SELECT pegs_spec('t')$$,                                                      '{ok, 42501, 42501, 42501, 42501, 42501}'),
	($$SELECT pegs_fit('fit by %s', 't', epsilon => 0.1)$$,                          '{ok, 42501, 42501, 42501, 42501, 42501}'),
	($$SELECT pegs_fit('chosen by %s', 't', structure_epsilon => 0.01)$$,             '{ok, 42501, 42501, 42501, 42501, 42501}'),
	($$SELECT pegs_fit('fit of v by %s', 'v', parents => '{}')$$,                    '{ok, 42501, 42501, 42501, 42501, 42501}'),
	($$SELECT pegs_fit_state('state by %s', 't', NULL, parents => '{}')$$,           '{ok, 42501, 42501, 42501, 42501, 42501}'),
	($$SELECT pegs_learn_levels('t', 'a', 0.01, 1e-9)$$,                             '{ok, 42501, 42501, 42501, 42501, 42501}'),
	($$SELECT pegs_learn('t', 0.01, 0, ARRAY['a'])$$,                                '{22023, 42501, 42501, 42501, 42501, 42501}'),
	($$SELECT pegs_learn_range('v', 'a', 0.01)$$,                                    '{42809, 42501, 42501, 42501, 42501, 42501}'),
	($$SELECT pegs_learn_range('t', 'b', 0.01)$$,                                    '{ok, 42501, 42501, 42501, 42501, 42501}'),
	($$SELECT pegs_best('t', ARRAY['perturbed', 'open'], 0.01)$$,                    '{ok, 42501, 42501, 42501, 42501, 42501}'),
	-- all must be usable now, and of this table: no name of another is told
	($$SELECT pegs_best('t', ARRAY['perturbed', 'imported'], 0.01)$$,                '{42704, 42501, 42501, 42501, 42501, 42501}'),
	($$SELECT pegs_refit('perturbed', 0.1)$$,                                        '{ok, 42501, 42501, 42501, 42704, 42501}'),
	($$SELECT pegs_refit('secret perturbed', 0.1)$$,                                 '{ok, 42501, 42501, 42704, 42704, 42501}'),
	($$SELECT pegs_set_slices('t', 'b', '1 day', '2026-01-01', 0.01)$$,              '{42809, 42501, 42501, 42501, 42501, 42501}'),
	($$SELECT pegs_set_slices('t', 'a', 0.01, 0, ARRAY['x'])$$,                      '{55000, 42501, 42501, 42501, 42501, 42501}'),
	($$SELECT pegs_fit_slices('slices of %s', 't')$$,                                '{42704, 42501, 42501, 42501, 42501, 42501}'),
	($$SELECT pegs_unset_slices('t')$$,                                              '{42704, 42501, 42501, 42501, 42501, 42501}'),
	($$SELECT pegs_adopt_slices('t', '-infinity', 'a reason')$$,                     '{42501, 42501, 42501, 42501, 42501, 42501}'),
	($$SELECT pegs_export_slice('perturbed', 1)$$,                                         '{42809, 42501, 42501, 42501, 42704, 42501}'),
	($$SELECT pegs_export_slice('secret perturbed', 1)$$,                                  '{42809, 42501, 42501, 42704, 42704, 42501}'),
	-- scores: made by curators; of a model by its curators alone, whoever may draw from it
	($$SELECT pegs_score_fit('score by %s', 't', 'a', ARRAY['x'], epsilon => 0.1)$$,  '{ok, 42501, 42501, 42501, 42501, 42501}'),
	($$SELECT pegs_score_fit_of('score of open by %s', 'open', 'a', ARRAY['x'])$$,   '{ok, 42501, 42501, 42501, 42501, 42501}'),
	($$SELECT pegs_score_fit_of('score of it by %s', 'perturbed', 'a', ARRAY['x'])$$, '{ok, 42501, 42501, 42501, 42704, 42501}'),
	($$SELECT pegs_score_fit_of('score of secret by %s', 'secret perturbed', 'a', ARRAY['x'])$$, '{ok, 42501, 42501, 42704, 42704, 42501}'),
	($$SELECT pegs_score_fit_of('score of file by %s', 'imported', 'a', ARRAY['x'])$$, '{42704, 42501, 42501, 42704, 42704, 42501}'),
	($$SELECT pegs_score('score', '{"b": 1}'::jsonb)$$,                              '{ok, ok, ok, ok, 42704, 42704}'),
	($$SELECT pegs_score('secret score', '{"b": 1}'::jsonb)$$,                       '{ok, ok, 42704, 42704, 42704, 42704}'),
	($$SELECT * FROM pegs_score_card('score'), pegs_score_explain('score', '{"b": 1}'::jsonb), pegs_score_sql('score', 'f')$$, '{ok, ok, ok, ok, 42704, 42704}'),
	($$SELECT * FROM pegs_score_card('secret score')$$,                              '{ok, ok, 42704, 42704, 42704, 42704}'),
	($$SELECT * FROM pegs_score_explain('secret score', '{"b": 1}'::jsonb)$$,        '{ok, ok, 42704, 42704, 42704, 42704}'),
	($$SELECT pegs_score_sql('secret score', 'f')$$,                                 '{ok, ok, 42704, 42704, 42704, 42704}'),
	-- exact, of rows that the caller may read anyhow
	($$SELECT * FROM pegs_score_quality('score', 't')$$,                             '{ok, 42501, 42501, ok, 42704, 42501}'),
	($$SELECT * FROM pegs_score_quality('secret score', 't')$$,                      '{ok, 42501, 42501, 42704, 42704, 42501}'),
	($$SELECT pegs_score_published('published score', '{"b": 1}'::jsonb, 1)$$,       '{ok, 42501, 42501, 42704, 42704, 42501}'),
	($$SELECT pegs_score('published score', '{"b": 1}'::jsonb)$$,                    '{42809, 42809, 42704, 42704, 42704, 42704}'),
	($$SELECT pegs_grant('published score', 'rt_stranger')$$,                        '{42809, 42501, 42501, 42704, 42704, 42501}'),
	($$SELECT pegs_export('published score')$$,                                      '{42809, 42501, 42501, 42704, 42704, 42501}'),
	($$SELECT * FROM pegs_reconstruct('t', 'b', '["a"]')$$,                          '{ok, 42501, 42501, 42501, 42501, 42501}'),
	-- a file holds released numbers: it is the curator's to give away, and only a superuser's to take in
	($$SELECT pegs_export('perturbed')$$,                                            '{ok, 42501, 42501, 42501, 42704, 42501}'),
	($$SELECT pegs_export('secret perturbed')$$,                                     '{ok, 42501, 42501, 42704, 42704, 42501}'),
	($$SELECT pegs_export('open')$$,                                                 '{ok, 42501, 42501, 42501, 42501, 42501}'),
	($$SELECT pegs_export('sealed')$$,                                               '{42809, 42501, 42501, 42501, 42704, 42501}'),
	($$SELECT pegs_export('secret sealed')$$,                                        '{42809, 42501, 42501, 42704, 42704, 42501}'),
	($$SELECT pegs_import('import by %s', (SELECT bytes FROM public.file))$$,        '{42501, 42501, 42501, 42501, 42501, 42501}'),
	($$SELECT pegs_import('import by %s', '\x00')$$,                                 '{42501, 42501, 42501, 42501, 42501, 42501}'),
	($$SELECT pegs_view_sql('perturbed', 'w')$$,                                     '{ok, 42501, 42501, 42501, 42704, 42501}'),
	($$SELECT pegs_view_sql('kept', 'w')$$,                                          '{ok, 42501, 42501, 42501, 42704, 42501}'),
	($$SELECT pegs_copy_sql('kept', 'w')$$,                                          '{42809, 42501, 42501, 42501, 42704, 42501}'),
	($$SELECT * FROM pegs_utility_schema_of('kept')$$,                               '{42809, 42501, 42501, 42501, 42704, 42501}'),
	($$SELECT pegs_grant('sealed', 'rt_stranger', 1), pegs_revoke('sealed', 'rt_stranger')$$, '{ok, 42501, 42501, 42501, 42704, 42501}'),
	($$SELECT pegs_grant('kept', 'rt_stranger'), pegs_revoke('kept', 'rt_stranger')$$, '{ok, 42501, 42501, 42501, 42704, 42501}'),
	($$SELECT pegs_revoke('perturbed', 'rt_analyst'), pegs_grant('perturbed', 'rt_analyst')$$, '{ok, 42501, 42501, 42501, 42704, 42501}'),
	($$SELECT pegs_drop('fit by rt_curator')$$,                                      '{ok, 42704, 42704, 42704, 42704, 42704}'),
	-- rows: curators and those to whom it is granted
	($$SELECT * FROM pegs_sample('sealed', 1, epsilon => 0.01) AS t(a text)$$,       '{ok, ok, ok, ok, 42704, 42704}'),
	($$SELECT * FROM pegs_sample_as(NULL::t, 'sealed', 1, epsilon => 0.01)$$,        '{ok, ok, ok, ok, 42704, 42704}'),
	($$SELECT * FROM pegs_sample('secret sealed', 1, epsilon => 0.01) AS t(a text)$$, '{ok, ok, 42704, 42704, 42704, 42704}'),
	($$SELECT * FROM pegs_sample('perturbed', 1) AS t(a text)$$,                     '{ok, ok, ok, ok, 42704, 42704}'),
	($$SELECT * FROM pegs_sample_as(NULL::t, 'perturbed', 1)$$,                      '{ok, ok, ok, ok, 42704, 42704}'),
	($$SELECT * FROM pegs_sample_slices('perturbed') AS t(a text)$$,                 '{42809, 42809, 42809, 42809, 42704, 42704}'),
	($$SELECT * FROM pegs_sample_slices_as(NULL::t, 'perturbed')$$,                  '{42809, 42809, 42809, 42809, 42704, 42704}'),
	($$SELECT * FROM pegs_sample('secret perturbed', 1) AS t(a text)$$,              '{ok, ok, 42704, 42704, 42704, 42704}'),
	($$SELECT * FROM pegs_sample('open', 1) AS t(a text)$$,                          '{ok, ok, ok, ok, ok, ok}'),
	($$SELECT pegs_release('of sealed by %s', 'sealed', 1, epsilon => 0.01)$$,       '{ok, ok, ok, ok, 42704, 42704}'),
	($$SELECT * FROM pegs_rows('of sealed by %s') AS t(a text)$$,                    '{ok, ok, ok, ok, 42704, 42704}'),
	($$SELECT * FROM pegs_rows('of sealed by rt_analyst') AS t(a text)$$,            '{ok, ok, ok, 42704, 42704, 42704}'),
	($$SELECT pegs_release('of perturbed by %s', 'perturbed', 1)$$,                  '{ok, ok, ok, ok, 42704, 42704}'),
	($$SELECT * FROM pegs_rows('kept') AS t(a text)$$,                               '{ok, ok, ok, ok, 42704, 42704}'),
	($$SELECT * FROM pegs_rows_as(NULL::t, 'kept')$$,                                '{ok, ok, ok, ok, 42704, 42704}'),
	($$SELECT * FROM pegs_rows('secret kept') AS t(a text)$$,                        '{ok, ok, 42704, 42704, 42704, 42704}'),
	($$SELECT * FROM pegs_rows('open kept') AS t(a text)$$,                          '{ok, ok, ok, ok, ok, ok}'),
	($$SELECT * FROM pegs_sample('imported', 1) AS t(a text)$$,                      '{42704, 42704, ok, 42704, 42704, 42704}'),
	($$SELECT * FROM pegs_sample('secret imported', 1) AS t(a text)$$,               '{42704, 42704, 42704, 42704, 42704, 42704}'),
	($$SELECT pegs_release('of imported by %s', 'imported', 1)$$,                    '{42704, 42704, ok, 42704, 42704, 42704}'),
	($$SELECT pegs_export('imported')$$,                                             '{42704, 42501, 42501, 42704, 42704, 42501}'),
	($$SELECT pegs_drop('imported')$$,                                               '{42704, 42704, 42501, 42704, 42704, 42704}'),
	($$SELECT pegs_grant('imported', 'rt_stranger')$$,                               '{42704, 42501, 42501, 42704, 42704, 42501}'),
	-- public facts of what one may use
	($$SELECT pegs_describe('imported')$$,                                           '{42704, 42704, ok, 42704, 42704, 42704}'),
	($$SELECT * FROM pegs_cost('sealed', 10, 1)$$,                                   '{ok, ok, ok, ok, 42704, 42704}'),
	($$SELECT * FROM pegs_cost('secret sealed', 10, 1)$$,                            '{ok, ok, 42704, 42704, 42704, 42704}'),
	($$SELECT pegs_describe('sealed')$$,                                             '{ok, ok, ok, ok, 42704, 42704}'),
	($$SELECT pegs_describe('perturbed')$$,                                          '{ok, ok, ok, ok, 42704, 42704}'),
	($$SELECT pegs_describe('kept')$$,                                               '{ok, ok, ok, ok, 42704, 42704}'),
	($$SELECT pegs_describe('secret kept')$$,                                        '{ok, ok, 42704, 42704, 42704, 42704}'),
	($$SELECT pegs_describe('open')$$,                                               '{ok, ok, ok, ok, ok, ok}'),
	($$SELECT pegs_row_type('sealed')$$,                                             '{ok, ok, ok, ok, 42704, 42704}'),
	($$SELECT pegs_row_type('sealed', 't')$$,                                        '{42P01, 42P01, 42P01, 42P01, 42704, 42704}'),
	($$SELECT pegs_row_type('secret perturbed')$$,                                   '{ok, ok, 42704, 42704, 42704, 42704}'),
	($$SELECT * FROM pegs_columns('sealed')$$,                                       '{ok, ok, ok, ok, 42704, 42704}'),
	($$SELECT * FROM pegs_columns('secret perturbed')$$,                             '{ok, ok, 42704, 42704, 42704, 42704}'),
	($$SELECT * FROM pegs_columns('open kept')$$,                                    '{ok, ok, ok, ok, ok, ok}'),
	($$SELECT * FROM pegs_pairs('perturbed')$$,                                      '{ok, ok, ok, ok, 42704, 42704}'),
	($$SELECT * FROM pegs_pairs('secret kept')$$,                                    '{ok, ok, 42704, 42704, 42704, 42704}'),
	-- states of one's own rows are one's own business
	($$SELECT pegs_agg('{"pegs": 1, "tables": "pairs", "columns": [{"name": "a", "type": "boolean", "levels": ["t", "f"], "null": false}]}', true)$$, '{ok, ok, ok, ok, ok, ok}'),
	($$SELECT pegs_merge(s::text::pegs_state) FROM (SELECT pegs_agg('{"pegs": 1, "tables": "pairs", "columns": [{"name": "a", "type": "boolean", "levels": ["t", "f"], "null": false}]}', true)) AS x(s)$$, '{ok, ok, ok, ok, ok, ok}'),
	-- the views are for everyone, what they show is not
	($$SELECT * FROM pegs_budgets$$,                                                 '{ok, ok, ok, ok, ok, ok}'),
	($$SELECT * FROM pegs_ledger$$,                                                  '{ok, ok, ok, ok, ok, ok}'),
	($$SELECT * FROM pegs_models$$,                                                  '{ok, ok, ok, ok, ok, ok}'),
	($$SELECT * FROM pegs_releases$$,                                                '{ok, ok, ok, ok, ok, ok}'),
	-- the source itself
	($$SELECT * FROM t$$,                                                            '{ok, ok, 42501, ok, ok, 42501}');
-- each in a transaction of its own: a budget that was changed in this one cannot be spent
SELECT format('SELECT is(outcome(%L, %L), %L, %L)', role, format(statement, role), outcomes[r.number], role || ': ' || format(statement, role))
FROM public.actions AS a, public.roles AS r ORDER BY a.number, r.number \gexec

---- what the views show
SELECT is(outcome(role, format($$DO 'BEGIN ASSERT (SELECT count(*) FROM %s) = %s, (SELECT count(*) FROM %s); END'$$, view, n, view), true), 'ok', format('%s sees %s rows of %s', role, n, view))
FROM (VALUES
	('rt_curator', 'pegs_budgets', 1), ('rt_member', 'pegs_budgets', 1), ('rt_analyst', 'pegs_budgets', 0), ('rt_powerful', 'pegs_budgets', 0), ('rt_stranger', 'pegs_budgets', 0),
	('rt_analyst', 'pegs_ledger', 0), ('rt_powerful', 'pegs_ledger', 0), ('rt_reader', 'pegs_ledger', 0), ('rt_stranger', 'pegs_ledger', 0),
	('rt_analyst', 'pegs_models', 5), ('rt_powerful', 'pegs_models', 4), ('rt_reader', 'pegs_models', 1), ('rt_stranger', 'pegs_models', 1),
	('rt_curator', 'pegs_models WHERE source = ''''t''''::regclass', 14),
	('rt_analyst', 'pegs_releases', 5), ('rt_reader', 'pegs_releases', 1), ('rt_stranger', 'pegs_releases', 1)) AS x(role, view, n);
SELECT ok((SELECT count(*) FROM pegs_ledger WHERE role = 'rt_analyst') = 3, 'the ledger names the role that spent');

---- not granted and not there are one error
SELECT is(outcome(role, format(statement, there), true), replace(outcome(role, format(statement, 'nowhere'), true), 'nowhere', there), role || ' cannot tell whether it is there: ' || format(statement, there))
FROM unnest(ARRAY['rt_reader', 'rt_stranger', 'rt_analyst']) AS role,
	unnest(ARRAY['secret sealed', 'secret perturbed', 'secret kept', 'secret score']) AS there,
	unnest(ARRAY[
		$$SELECT * FROM pegs_sample('%s', 1, epsilon => 0.01) AS t(a text)$$,
		$$SELECT * FROM pegs_sample('%s', 1) AS t(nothing text)$$,
		$$SELECT * FROM pegs_sample('%s', 1, given => '{"a": "w"}', options => '{"what": 1}') AS t(a text)$$,
		$$SELECT * FROM pegs_sample_as(NULL::t, '%s', 1, epsilon => 0.01)$$,
		$$SELECT pegs_release('new', '%s', 1, epsilon => 0.01)$$,
		$$SELECT * FROM pegs_rows('%s') AS t(a text)$$,
		$$SELECT * FROM pegs_rows_as(NULL::t, '%s')$$,
		$$SELECT pegs_score('%s', '{"b": 1}'::jsonb)$$,
		$$SELECT pegs_score('%s', '{"what": 1}'::jsonb)$$,
		$$SELECT * FROM pegs_score_explain('%s', '{"b": 1}'::jsonb)$$,
		$$SELECT pegs_score_sql('%s', 'f')$$,
		$$SELECT * FROM pegs_score_card('%s')$$,
		$$SELECT * FROM pegs_cost('%s', 1, 1)$$,
		$$SELECT pegs_describe('%s')$$,
		$$SELECT pegs_row_type('%s')$$,
		$$SELECT * FROM pegs_columns('%s')$$,
		$$SELECT * FROM pegs_pairs('%s')$$,
		$$SELECT pegs_export('%s')$$,
		$$SELECT pegs_view_sql('%s', 'w')$$,
		$$SELECT pegs_drop('%s')$$,
		$$SELECT pegs_grant('%s', 'rt_reader')$$,
		$$SELECT pegs_grant('%s', 'rt_reader', 1)$$,
		$$SELECT pegs_revoke('%s', 'rt_reader')$$]) AS statement;

---- grants: to a group, by inheritance; taken back; capped; never of a sealed model to everyone
SELECT is(outcome('rt_in_group', $$SELECT * FROM pegs_sample('perturbed', 1) AS t(a text)$$), 'ok', 'a member of the grantee may');
SELECT is(outcome('rt_in_group', $$SELECT * FROM pegs_sample('sealed', 1, epsilon => 0.01) AS t(a text)$$), 'ok', 'a member of the grantee may spend the group''s cap');
SELECT is(outcome('rt_not_inheriting', $$SELECT * FROM pegs_sample('perturbed', 1) AS t(a text)$$), '42704', 'one who does not inherit may not');
SELECT is(outcome('rt_analyst', $$SELECT * FROM pegs_sample('sealed', 1, epsilon => 20) AS t(a text)$$), '53400', 'not more than the cap');
SELECT is(outcome('rt_curator', $$SELECT pegs_grant('sealed', 'rt_stranger')$$), '22004', 'a grant of a sealed model needs a cap');
SELECT is(outcome('rt_curator', $$SELECT pegs_grant('sealed', 'public', 1)$$), '22023', 'a sealed model is not for everyone');
SELECT is(outcome('rt_curator', $$SELECT pegs_grant('sealed', 'no_such_role', 1)$$), '42704', 'no such role');
SELECT is(outcome('rt_curator', $$SELECT pegs_grant('sealed', NULL, 1)$$), '22004', 'no role');
SELECT is(outcome('rt_curator', $$SELECT pegs_grant('perturbed', 'rt_stranger', 1)$$), '22023', 'what is free takes no cap');
SELECT is(outcome('rt_curator', $$SELECT pegs_revoke('sealed', 'rt_stranger')$$), '42704', 'what was not granted cannot be revoked');
SELECT is(outcome('rt_curator', $$SELECT pegs_revoke('perturbed', 'rt_group'), pegs_revoke('sealed', 'rt_group')$$), 'ok', 'revoke');
SELECT is(outcome('rt_in_group', $$SELECT * FROM pegs_sample('perturbed', 1) AS t(a text)$$), '42704', 'revoked');
SELECT is(outcome('rt_in_group', $$SELECT * FROM pegs_sample('sealed', 1, epsilon => 0.01) AS t(a text)$$), '42704', 'revoked');
SELECT is(outcome('rt_curator', $$SELECT pegs_drop('open')$$), 'ok', 'drop');
SELECT is(outcome('rt_curator', $$SELECT pegs_fit('open', 't', epsilon => 1)$$), 'ok', 'another model by the same name');
SELECT is(outcome('rt_stranger', $$SELECT * FROM pegs_sample('open', 1) AS t(a text)$$), '42704', 'is not granted to those who had the first');

---- the fit runs as the source's owner, and only built-in code with it
SELECT is(outcome('rt_reader', $$CREATE VIEW v_reader AS SELECT a FROM t$$), 'ok', 'a view of one''s own over someone else''s table');
SELECT is(outcome('rt_reader', $$SELECT pegs_fit('x', 'v_reader', parents => '{}')$$), '42501', 'does not make one a curator of the table');
SELECT is(outcome('rt_reader', $$SELECT pegs_set_levels('v_reader', 'a', ARRAY['x'])$$), '42501', 'nor of its facts');
SELECT is(outcome('rt_reader', $$SELECT pegs_set_budget('v_reader', 1000)$$), '42501', 'nor of its budget');
SELECT is(outcome('rt_reader', $$SELECT pegs_forbid('v_reader', '{"a": "x"}')$$), '42501', 'nor of its structural zeros');
SELECT is(outcome('rt_reader', $$SELECT pegs_forbid('v_reader', NULL)$$), '42501', 'nor to forget them');
SELECT is(outcome('rt_reader', $$SELECT pegs_set_unit('v_reader', NULL)$$), '42501', 'nor of its privacy unit');
SELECT is(outcome('rt_reader', $$SELECT pegs_learn_levels('v_reader', 'a', 1, 1e-9)$$), '42501', 'nor may one learn from it');
REVOKE SELECT ON t FROM rt_reader;
SELECT is(outcome('rt_curator', $$SELECT pegs_fit('x', 'v_reader', parents => '{}')$$), '42501', 'the view''s owner must be allowed to read the table');
SELECT is(outcome('rt_curator', $$SELECT pegs_learn_levels('v_reader', 'a', 1, 1e-9)$$), '42501', 'also where it is learnt');
GRANT SELECT ON t TO rt_reader;
SET ROLE rt_reader;
CREATE FUNCTION spy(text) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RAISE EXCEPTION 'spy ran as %', current_user; END $$;
CREATE DOMAIN spied AS text CHECK (VALUE IN ('x', 'y')) CHECK (spy(VALUE));
CREATE TABLE trap (a spied, b boolean GENERATED ALWAYS AS (true) STORED);
RESET ROLE;
INSERT INTO t VALUES ('x', 3);
ALTER DOMAIN spied DROP CONSTRAINT spied_check1;
INSERT INTO trap VALUES ('x'), ('y');
ALTER DOMAIN spied ADD CHECK (spy(VALUE)) NOT VALID;
SELECT lives_ok($$SELECT pegs_fit('trapped', 'trap', parents => '{}')$$, 'a superuser''s fit runs no code of the table''s owner');
SELECT is((SELECT levels FROM pegs_domain('trap') WHERE column_name = 'a'), '{x,y,NULL}', 'and reads the levels of an owner''s domain type all the same');
SELECT is(outcome('rt_reader', $$CREATE VIEW v_spy AS SELECT a FROM trap WHERE spy(a)$$), 'ok', 'an owner''s view with an owner''s function');
SELECT throws_ok($$SELECT pegs_fit('x', 'v_spy', parents => '{}')$$, '0A000', NULL, 'is refused');
SET ROLE rt_owner;
CREATE TABLE guarded (a text CHECK (a IN ('x', 'y')));
INSERT INTO guarded VALUES ('x'), ('y');
ALTER TABLE guarded ENABLE ROW LEVEL SECURITY;
CREATE POLICY some_rows ON guarded USING (a = 'x');
RESET ROLE;
SELECT is(outcome('rt_curator', $$SELECT pegs_fit('guarded', 'guarded', parents => '{}')$$), 'ok', 'row-level security does not touch the owner');
ALTER TABLE guarded FORCE ROW LEVEL SECURITY;
SELECT is(outcome('rt_curator', $$SELECT pegs_fit('x', 'guarded', parents => '{}')$$), '42501', 'unless it is forced: then the fit is refused, never silently filtered');
SELECT is(outcome('rt_owner', $$SELECT pegs_set_budget('guarded', 10, 1e-6)$$), '42501', 'the owner has no EXECUTE');
SELECT is(outcome('rt_curator', $$SELECT pegs_set_budget('guarded', 10, 1e-6)$$), 'ok', 'a curator has');
SELECT is(outcome('rt_curator', $$SELECT pegs_learn_levels('guarded', 'a', 1, 1e-9)$$), '42501', 'nor is anything learnt then');
-- a model that is there and not granted is to pegs_best as one that is not, to the last word
CREATE FUNCTION public.all_said(role text, candidate text) RETURNS text LANGUAGE plpgsql SET search_path = app, pegs, public AS $$
DECLARE
	state text;
	message text;
	detail text;
	hint text;
	place text;
BEGIN
	EXECUTE format('SET LOCAL ROLE %I', role);
	PERFORM pegs_best('t', ARRAY['perturbed', candidate], 0.1);
	RETURN 'no error';
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT, place = PG_EXCEPTION_CONTEXT;
	RETURN replace(concat_ws(' | ', state, message, detail, hint, place), candidate, 'NAME');
END $$;
SELECT ok((SELECT count(*) = 1 FROM pegs.pegs_models WHERE name = 'imported'), 'it is there');
SELECT is(public.all_said('rt_curator', 'imported'), public.all_said('rt_curator', 'nowhere'), 'not granted is as not there, to pegs_best');
SELECT alike(public.all_said('rt_curator', 'imported'), '42704 | there is no model or release "NAME", or it is not granted to you | %', 'and this is what it says');
SELECT is(outcome('rt_curator', $$SELECT pegs_best('guarded', ARRAY['perturbed', 'open'], 0.1)$$), '22023', 'a choice is among models of its own table');
-- types that are not supported: no output function is called
SET ROLE rt_owner;
CREATE TABLE odd_types (n numeric, j jsonb, a int[], c lookup, r int4range, u uuid);
RESET ROLE;
SELECT is(outcome('rt_curator', format($$SELECT pegs_fit('x', 'odd_types', columns => ARRAY['%s'], parents => '{}')$$, c)), '22023', 'column ' || c || ' of odd_types') FROM unnest(ARRAY['n', 'j', 'a', 'c', 'r', 'u']) AS c;

---- a lookup table is read as its owner, and must be readable by the curator
CREATE TABLE public.hidden (code text);
INSERT INTO public.hidden VALUES ('HIDDEN');
SELECT is(outcome('rt_curator', $$SELECT pegs_set_levels('t', 'a', lookup => 'public.hidden', lookup_column => 'code')$$), '42501', 'not a door to other tables');

---- pegs_internal: nothing to see, whatever the way
SELECT is(outcome(role, format(statement, oid::regclass)), '42501', format('%s: %s', role, format(statement, oid::regclass)))
FROM pg_class, unnest(ARRAY['rt_curator', 'rt_powerful', 'rt_stranger']) AS role,
	unnest(ARRAY['SELECT * FROM %s', 'TABLE %s', 'SELECT count(*) FROM %s', 'SELECT to_jsonb(x) FROM %s AS x', 'SELECT ctid FROM %s', 'SELECT FROM %s FOR UPDATE', 'LOCK TABLE %s IN ACCESS SHARE MODE',
		'DELETE FROM %s', 'ANALYZE %1$s; SELECT * FROM %1$s', 'CREATE TABLE app.copy AS TABLE %s', 'CREATE VIEW app.door AS SELECT * FROM %1$s']) AS statement
WHERE relnamespace = 'pegs_internal'::regnamespace AND relkind IN ('r', 'S')
	AND (relkind = 'r' OR statement !~ 'ANALYZE|DELETE|FOR UPDATE|LOCK');
-- by number, which needs no right on the schema
SELECT is(outcome(role, format(statement, oid)), '42501', format('%s: %s of %s', role, format(statement, '...'), oid::regclass))
FROM pg_class, unnest(ARRAY['rt_curator', 'rt_powerful', 'rt_stranger']) AS role,
	unnest(ARRAY['SELECT currval(%s::regclass)', 'SELECT nextval(%s::regclass)', 'SELECT setval(%s::regclass, 1)', 'SELECT setval(%s::regclass, 0, false)']) AS statement
WHERE relnamespace = 'pegs_internal'::regnamespace AND relkind = 'S';
-- an error, or since PostgreSQL 18 NULL
SELECT ok(outcome(role, format($$DO 'BEGIN ASSERT pg_sequence_last_value(%s) IS NULL; END'$$, oid)) IN ('42501', 'ok'), format('%s: pg_sequence_last_value of %s', role, oid::regclass))
FROM pg_class, unnest(ARRAY['rt_curator', 'rt_powerful', 'rt_stranger']) AS role WHERE relnamespace = 'pegs_internal'::regnamespace AND relkind = 'S';
SELECT is(outcome(role, format('SELECT * FROM %s', reltoastrelid::regclass)), '42501', format('%s: the TOAST table of %s', role, oid::regclass))
FROM pg_class, unnest(ARRAY['rt_curator', 'rt_powerful', 'rt_stranger']) AS role WHERE relnamespace = 'pegs_internal'::regnamespace AND reltoastrelid <> 0;
SELECT is(outcome(role, statement), '42501', format('%s: %s', role, statement))
FROM unnest(ARRAY['rt_curator', 'rt_powerful', 'rt_stranger']) AS role, unnest(ARRAY[
	$$SELECT pegs_internal.spent('t', false)$$,
	$$SELECT pegs_internal.in_rho('t')$$,
	$$SELECT pegs_internal.same_rows('{t}')$$,
	$$SELECT pegs_internal.served_by('{t}')$$,
	$$SELECT pegs_internal.led_back()$$,
	$$SELECT pegs_internal.slices_refused()$$,
	$$SELECT pegs_internal.taken()$$,
	$$SELECT pegs_internal.may_use(1, 't')$$,
	$$SELECT pegs_internal.guarantee('pegs', true, NULL)$$,
	$$SELECT pegs_internal.elsewhere(1, 1, 1, 1, 1, NULL, NULL)$$,
	$$SELECT pegs_internal.state_in('\x00')$$,
	$$CREATE TABLE pegs_internal.mine (a int)$$,
	$$CREATE FUNCTION pegs_internal.mine() RETURNS int LANGUAGE sql AS 'SELECT 1'$$]) AS statement;
-- after a sample in this session
SELECT is(outcome('rt_analyst', $$SELECT * FROM pegs_sample('sealed', 1, epsilon => 0.01) AS t(a text); SELECT lastval()$$) IN ('42501', '55000'), true, 'lastval says nothing');
SELECT is(outcome('rt_analyst', $$DO 'BEGIN ASSERT NOT EXISTS (SELECT FROM pg_sequences WHERE schemaname = ''pegs_internal'' AND last_value IS NOT NULL); END'$$), 'ok', 'pg_sequences says nothing');
ANALYZE;
SELECT is(outcome('rt_analyst', $$DO 'BEGIN ASSERT NOT EXISTS (SELECT FROM pg_stats WHERE schemaname = ''pegs_internal''); END'$$), 'ok', 'pg_stats says nothing');
SELECT is_empty($$SELECT starelid::regclass, attname FROM pg_statistic JOIN pg_attribute ON attrelid = starelid AND attnum = staattnum
	WHERE starelid IN (SELECT oid FROM pg_class WHERE relnamespace = 'pegs_internal'::regnamespace) AND attname IN ('body', 'codes', 'key', 'value_key')$$,
	'no statistics of counts, codes or keys, for anyone');
SELECT is((SELECT count(*) FROM pg_class, aclexplode(relacl) WHERE relnamespace = 'pegs_internal'::regnamespace AND grantee <> relowner), 0::bigint, 'no relation of pegs_internal is granted to anyone');
SELECT is((SELECT count(*) FROM pg_namespace, aclexplode(nspacl) WHERE nspname = 'pegs_internal' AND grantee <> nspowner), 0::bigint, 'nor is the schema');

---- what PUBLIC may execute is this list
CREATE VIEW public.our_functions AS SELECT p.* FROM pg_proc AS p JOIN pg_depend AS d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
	JOIN pg_extension AS e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid AND e.extname = 'pegs';
SELECT set_eq($$SELECT pronamespace::regnamespace || '.' || proname FROM public.our_functions, aclexplode(coalesce(proacl, acldefault('f', proowner))) WHERE grantee = 0$$, ARRAY[
	'pegs.pegs_sample', 'pegs.pegs_sample_as', 'pegs.pegs_sample_slices', 'pegs.pegs_sample_slices_as', 'pegs.pegs_keep_slices', 'pegs.pegs_release', 'pegs.pegs_rows', 'pegs.pegs_rows_as', 'pegs.pegs_cost', 'pegs.pegs_describe', 'pegs.pegs_row_type', 'pegs.pegs_columns', 'pegs.pegs_pairs', 'pegs.pegs_certificate', 'pegs.pegs_certificate_text',
	'pegs.pegs_agg', 'pegs.pegs_agg_persons', 'pegs.pegs_merge', 'pegs.pegs_combine', 'pegs.pegs_dirichlet_matrix', 'pegs.pegs_dirichlet_risk', 'pegs.pegs_dirichlet_validity', 'pegs.pegs_dirichlet_alpha', 'pegs.pegs_score', 'pegs.pegs_score_card', 'pegs.pegs_score_explain', 'pegs.pegs_score_sql', 'pegs.pegs_disaggregate', 'pegs.pegs_disaggregate_check', 'pegs.pegs_drop',
	'pegs_internal.state_in', 'pegs_internal.state_out', 'pegs_internal.state_recv', 'pegs_internal.state_send', 'pegs_internal.counted', 'pegs_internal.counted_persons',
	'pegs_internal.report_escape', 'pegs_internal.report_number', 'pegs_internal.report_at_most', 'pegs_internal.report_measures', 'pegs_internal.report_rules', 'pegs_internal.report_verdicts', 'pegs_internal.report_style', 'pegs_internal.report_mark',
	'pegs_internal.report_opinion', 'pegs_internal.report_papers', 'pegs_internal.report_kinships', 'pegs_internal.report_nearness', 'pegs_internal.report_related', 'pegs_internal.report_marginal', 'pegs_internal.report_pairs', 'pegs_internal.report_map', 'pegs_internal.report_measured', 'pegs_internal.report_options', 'pegs_internal.report_method', 'pegs_internal.report_titles', 'pegs_internal.report_scores', 'pegs_internal.report_reach', 'pegs_internal.report_averages', 'pegs_internal.report_averages_of', 'pegs_internal.report_published', 'pegs_internal.report_alone', 'pegs_internal.report_trials',
	'pegs.pegs_sample', 'pegs.pegs_sample_as', 'pegs.pegs_sample_slices', 'pegs.pegs_sample_slices_as', 'pegs.pegs_keep_slices', 'pegs.pegs_release', 'pegs.pegs_rows', 'pegs.pegs_rows_as', 'pegs.pegs_cost', 'pegs.pegs_describe', 'pegs.pegs_row_type', 'pegs.pegs_certificate', 'pegs.pegs_certificate_text', 'pegs.pegs_summary',
	'pegs.pegs_agg', 'pegs.pegs_agg_persons', 'pegs.pegs_merge', 'pegs.pegs_combine', 'pegs.pegs_drop',
	'pegs_internal.state_in', 'pegs_internal.state_out', 'pegs_internal.state_recv', 'pegs_internal.state_send',
	'pegs_internal.report_escape', 'pegs_internal.report_number', 'pegs_internal.report_at_most', 'pegs_internal.report_measures', 'pegs_internal.report_rules', 'pegs_internal.report_verdicts', 'pegs_internal.report_style', 'pegs_internal.report_mark',
	'pegs_internal.report_opinion', 'pegs_internal.report_papers', 'pegs_internal.report_kinships', 'pegs_internal.report_nearness', 'pegs_internal.report_related', 'pegs_internal.report_marginal', 'pegs_internal.report_pairs', 'pegs_internal.report_map', 'pegs_internal.report_measured',
	'pegs_internal.report_percent', 'pegs_internal.report_numbers', 'pegs_internal.report_numeric', 'pegs_internal.report_guesses', 'pegs_internal.summary_meaning', 'pegs_internal.summary_noise',
	'pegs_internal.spent', 'pegs_internal.may_use', 'pegs_internal.guarantee', 'pegs_internal.called', 'pegs_internal.kind', 'pegs_internal.leftovers', 'pegs_internal.elsewhere', 'pegs_internal.in_rho', 'pegs_internal.same_rows', 'pegs_internal.led_back', 'pegs_internal.served_by', 'pegs_internal.slices_refused', 'pegs_internal.taken'], 'PUBLIC has EXECUTE on the reviewed list and on nothing else');
SELECT set_eq($$SELECT relname::text FROM pg_class JOIN pg_depend AS d ON d.classid = 'pg_class'::regclass AND d.objid = pg_class.oid AND d.deptype = 'e'
		JOIN pg_extension AS e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid AND e.extname = 'pegs', aclexplode(relacl) WHERE grantee = 0$$,
	ARRAY['pegs_budgets', 'pegs_ledger', 'pegs_leftovers', 'pegs_models', 'pegs_releases', 'pegs_slices'], 'PUBLIC may read six views');
SELECT is_empty($$SELECT oid::regprocedure FROM public.our_functions WHERE prosecdef$$, 'no SECURITY DEFINER');
SELECT is_empty($$SELECT oid::regprocedure FROM public.our_functions WHERE prolang <> (SELECT oid FROM pg_language WHERE lanname = 'c') AND prokind = 'f'
	AND array_remove(proconfig, 'jit=off') IS DISTINCT FROM '{"search_path=pg_catalog, pg_temp"}'$$, 'what is not C, with its search_path pinned in it, has it pinned here');
SELECT is_empty($$SELECT oid::regprocedure FROM public.our_functions WHERE proname ~ '^pegs_' AND proisstrict$$, 'a NULL never gives silence');
SELECT is_empty($$SELECT oid::regprocedure FROM public.our_functions WHERE proname IN ('pegs_sample', 'pegs_sample_as', 'pegs_release', 'pegs_fit', 'pegs_score_fit', 'pegs_fit_state', 'pegs_refit', 'pegs_set_slices', 'pegs_fit_slices', 'pegs_fit_schema', 'pegs_learn_levels', 'pegs_learn_range', 'pegs_best', 'pegs_set_budget', 'pegs_trace')
	AND (provolatile <> 'v' OR proparallel <> 'u')$$, 'what charges is VOLATILE and PARALLEL UNSAFE');
SELECT is_empty($$SELECT oid::regprocedure FROM public.our_functions WHERE (proparallel = 's' AND prokind = 'f' AND pronamespace <> 'pegs_internal'::regnamespace AND proname NOT IN ('pegs_combine', 'pegs_score', 'pegs_dirichlet_matrix', 'pegs_dirichlet_risk', 'pegs_dirichlet_validity', 'pegs_dirichlet_alpha', 'pegs_unit_cost'))$$, 'only parts of aggregates and of the type, and arithmetic, are PARALLEL SAFE');
-- what only reads facts (pegs_domain, pegs_spec), or released data: no charge, no line, no row that is private. The session itself calls it, beside workers
-- (pgtap/parallel.sql calls each). All others are UNSAFE: they write, or are SQL over our views, which ask rights row by row.
SELECT set_eq($$SELECT proname || ' ' || pronargs FROM public.our_functions WHERE proparallel = 'r' AND pronamespace = 'pegs'::regnamespace$$, ARRAY['pegs_domain 1', 'pegs_spec 5', 'pegs_describe 1', 'pegs_row_type 1', 'pegs_row_type 2', 'pegs_columns 2',
	'pegs_rows 1', 'pegs_rows 2', 'pegs_rows_as 2', 'pegs_rows_as 3'], 'what reads facts and released data alone is PARALLEL RESTRICTED');
SELECT is_empty($$SELECT oid::regprocedure FROM public.our_functions WHERE proparallel = 'r' AND (provolatile <> 's' OR pronamespace <> 'pegs'::regnamespace)$$, 'and STABLE: it writes nothing');
SELECT is_empty($$SELECT oid::regprocedure FROM public.our_functions WHERE obj_description(oid, 'pg_proc') IS NULL$$, 'every function has a COMMENT');
SELECT is_empty($$SELECT c.oid::regclass FROM pg_class AS c JOIN pg_depend AS d ON d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e'
	JOIN pg_extension AS e ON d.refobjid = e.oid AND e.extname = 'pegs' WHERE obj_description(c.oid, 'pg_class') IS NULL$$, 'every relation has a COMMENT');
SELECT is_empty($$SELECT t.oid::regtype FROM pg_type AS t JOIN pg_depend AS d ON d.classid = 'pg_type'::regclass AND d.objid = t.oid AND d.deptype = 'e'
	JOIN pg_extension AS e ON d.refobjid = e.oid AND e.extname = 'pegs' WHERE typrelid = 0 AND typelem = 0 AND obj_description(t.oid, 'pg_type') IS NULL$$, 'every type has a COMMENT');
SELECT ok(obj_description('pegs_internal'::regnamespace, 'pg_namespace') IS NOT NULL, 'the schema has a COMMENT');
SELECT is_empty($$SELECT oid::regclass FROM pg_class WHERE relnamespace = 'pegs_internal'::regnamespace AND relowner <> (SELECT extowner FROM pg_extension WHERE extname = 'pegs')$$,
	'everything in pegs_internal belongs to the extension''s owner, sequences of budgets and caps too');

---- an analyst's own objects by our names, and a search_path that finds them first
GRANT CREATE ON DATABASE :DBNAME TO rt_analyst;
SET ROLE rt_analyst;
CREATE SCHEMA evil;
CREATE TABLE evil.budget (source oid, epsilon bigint, delta bigint, epsilon_spent oid, delta_spent oid, id bigint);
CREATE TABLE evil.model (id bigint, name text, source oid, account oid, sealed boolean, spec text, epsilon bigint, delta bigint, counts text, key bytea);
CREATE TABLE evil.access (id bigint, object bigint, grantee oid, granted timestamptz, cap bigint, cap_spent oid);
CREATE TEMP TABLE access (LIKE evil.access);
CREATE TEMP TABLE model (LIKE evil.model);
CREATE TEMP TABLE ledger (id bigint);
CREATE TABLE evil.forbidden (source oid, combination jsonb);
CREATE TABLE evil.unit (source oid, column_name pg_catalog.name, max_rows int);
CREATE TEMP TABLE unit (LIKE evil.unit);
CREATE DOMAIN evil.regrole AS int;
CREATE DOMAIN evil.text AS pg_catalog.text CHECK (VALUE IS NULL);
CREATE DOMAIN evil.name AS pg_catalog.text CHECK (VALUE IS NULL);
CREATE DOMAIN evil.bytea AS pg_catalog.text CHECK (VALUE IS NULL);
SELECT format('CREATE FUNCTION evil.%s LANGUAGE plpgsql AS $f$ BEGIN RAISE EXCEPTION ''evil ran as %%'', current_user; END $f$', f) FROM unnest(ARRAY[
	'nextval(pg_catalog.text) RETURNS bigint', 'nextval(regclass) RETURNS bigint', 'setval(regclass, bigint) RETURNS bigint', 'clock_timestamp() RETURNS timestamptz',
	'pg_sequence_last_value(regclass) RETURNS bigint', 'pg_sequence_last_value(oid) RETURNS bigint', 'current_database() RETURNS pg_catalog.name', 'has_privs_of_role(oid, oid) RETURNS boolean',
	'equal_text(pg_catalog.text, pg_catalog.text) RETURNS boolean', 'equal_oid(oid, oid) RETURNS boolean', 'equal_bigint(bigint, bigint) RETURNS boolean', 'minus(bigint, bigint) RETURNS bigint',
	'equal_regclass(regclass, regclass) RETURNS boolean', 'equal_name(pg_catalog.name, pg_catalog.name) RETURNS boolean', 'times(bigint, numeric) RETURNS numeric', 'trim_scale(numeric) RETURNS numeric',
	'hashtextextended(pg_catalog.text, bigint) RETURNS bigint', 'hashtextextended(pg_catalog.text, int) RETURNS bigint', 'less_equal(bigint, int) RETURNS boolean',
	'pegs_sample(pg_catalog.text, bigint, double precision) RETURNS bigint']) AS f \gexec
CREATE OPERATOR evil.= (LEFTARG = pg_catalog.text, RIGHTARG = pg_catalog.text, FUNCTION = evil.equal_text);
CREATE OPERATOR evil.= (LEFTARG = oid, RIGHTARG = oid, FUNCTION = evil.equal_oid);
CREATE OPERATOR evil.= (LEFTARG = bigint, RIGHTARG = bigint, FUNCTION = evil.equal_bigint);
CREATE OPERATOR evil.= (LEFTARG = regclass, RIGHTARG = regclass, FUNCTION = evil.equal_regclass);
CREATE OPERATOR evil.= (LEFTARG = pg_catalog.name, RIGHTARG = pg_catalog.name, FUNCTION = evil.equal_name);
CREATE OPERATOR evil.<= (LEFTARG = bigint, RIGHTARG = int, FUNCTION = evil.less_equal);
CREATE OPERATOR evil.- (LEFTARG = bigint, RIGHTARG = bigint, FUNCTION = evil.minus);
CREATE OPERATOR evil.* (LEFTARG = bigint, RIGHTARG = numeric, FUNCTION = evil.times);
RESET ROLE;
CREATE FUNCTION public.spent() RETURNS numeric LANGUAGE sql SET search_path = pg_catalog, pegs AS $$ SELECT sum(spent) FROM pegs_budgets WHERE source = 'app.t'::regclass $$;
CREATE TEMP TABLE before AS SELECT public.spent() AS spent;
CREATE FUNCTION public.under_evil(role text, statement text) RETURNS text LANGUAGE plpgsql SET search_path = evil, pg_temp, app, pegs, public, pg_catalog AS $$
DECLARE
	message pg_catalog.text := 'ok';
BEGIN
	BEGIN
		EXECUTE pg_catalog.format('SET LOCAL ROLE %I', role);
		EXECUTE statement;
		RESET ROLE;
	EXCEPTION WHEN OTHERS THEN
		GET STACKED DIAGNOSTICS message = MESSAGE_TEXT;
	END;
	RETURN message;
END $$;
SELECT is(public.under_evil(role, statement), 'ok', format('with an evil search_path, %s: %s', role, statement)) FROM unnest(ARRAY['rt_analyst', 'rt_curator', 'postgres']) AS role, unnest(ARRAY[
	$$SELECT pg_catalog.count(*) FROM pegs.pegs_sample('sealed', 1, epsilon => 0.25) AS t(a pg_catalog.text)$$,
	$$SELECT pg_catalog.count(*) FROM pegs.pegs_sample('perturbed', 1) AS t(a pg_catalog.text)$$,
	$$SELECT pg_catalog.count(*) FROM pegs.pegs_rows('kept') AS t(a pg_catalog.text)$$,
	$$SELECT pegs.pegs_release('evil ' OPERATOR(pg_catalog.||) current_user, 'sealed', 1, epsilon => 0.25)$$,
	$$SELECT pegs.pegs_describe('sealed'), pegs.pegs_row_type('perturbed')$$,
	$$SELECT * FROM pegs.pegs_columns('sealed')$$,
	$$SELECT * FROM pegs.pegs_pairs('perturbed')$$,
	$$SELECT * FROM pegs.pegs_cost('sealed', 1, 1)$$,
	$$SELECT * FROM pegs.pegs_budgets$$,
	$$SELECT * FROM pegs.pegs_ledger$$,
	$$SELECT * FROM pegs.pegs_models$$,
	$$SELECT * FROM pegs.pegs_releases$$]) AS statement;
SELECT is(public.spent() - (SELECT spent FROM before), 1.5, 'six charges of 0.25, on the real account');
SELECT format('SELECT is(public.under_evil(%L, %L), ''ok'', %L)', role, statement, format('with an evil search_path, %s: %s', role, statement)) FROM unnest(ARRAY['rt_curator', 'postgres']) AS role, unnest(ARRAY[
	$$SELECT * FROM pegs.pegs_domain('app.t')$$,
	$$SELECT pegs.pegs_declare('app.t', pegs.pegs_facts('app.t'))$$,
	$$SELECT pegs.pegs_propose('app.t')$$,
	$$SELECT pegs.pegs_set_levels('app.t', 'a', ARRAY['x', 'y'])$$,
	$$SELECT pegs.pegs_set_groups('app.t', 'a', '{"x": "g"}')$$,
	$$SELECT pegs.pegs_set_hierarchy('app.t', 'a', '[]')$$,
	$$SELECT * FROM pegs.pegs_hierarchy('app.t', 'a')$$,
	$$SELECT count(*) FROM pegs.pegs_generalized('app.t', pegs.pegs_generalize('app.t', ARRAY['a', 'b'], 1)) AS r(a pg_catalog.text, b pg_catalog.text)$$,
	$$SELECT pegs.pegs_generalize_sql('app.t', pegs.pegs_generalize('app.t', ARRAY['a', 'b'], 1), 'app.t_public')$$,
	$$SELECT * FROM pegs.pegs_equivalence_classes('app.t', ARRAY['a', 'b'])$$,
	$$SELECT * FROM pegs.pegs_plan('app.t', 100)$$,
	$$SELECT pegs.pegs_set_levels('app.t', 'a', ARRAY['x', 'y'])$$,
	$$SELECT pegs.pegs_set_levels('app.t', 'a', lookup => 'app.lookup', lookup_column => 'code')$$,
	$$SELECT pegs.pegs_set_bins('app.t', 'b', ARRAY['0', '5', '10'])$$,
	$$SELECT pegs.pegs_set_function('app.t', 'b', 'a', '{"x": 1, "y": 2}')$$,
	$$SELECT pegs.pegs_set_derived('app.t', 'b', 'pg_catalog.length(a) + 1')$$,
	$$SELECT pegs.pegs_fit('evil', 'app.t', epsilon => 0.1)$$,
	$$SELECT pegs.pegs_refit('evil')$$,
	$$SELECT pegs.pegs_set_bins('app.t', 'b', ARRAY['0', '5', '10'])$$,
	$$SELECT pegs.pegs_grant('evil', 'rt_analyst')$$,
	$$SELECT pegs.pegs_revoke('evil', 'rt_analyst')$$,
	$$SELECT pegs.pegs_drop('evil')$$,
	$$SELECT pegs.pegs_grant('secret sealed', 'rt_stranger', 1)$$,
	$$SELECT pegs.pegs_revoke('secret sealed', 'rt_stranger')$$,
	$$SELECT pegs.pegs_forbid('app.t', '{"a": "x", "b": 1}')$$,
	$$SELECT pegs.pegs_learn_levels('app.t', 'a', 0.1, 1e-9)$$,
	$$SELECT pegs.pegs_learn_range('app.t', 'b', 0.1)$$,
	$$SELECT pegs.pegs_best('app.t', ARRAY['perturbed', 'open'], 0.1)$$,
	$$SELECT pegs.pegs_learn('app.t', 0.1, 1e-9, ARRAY['a', 'b'])$$,
	$$SELECT pegs.pegs_set_unit('app.t', 'b', 2)$$,
	$$SELECT pegs.pegs_learn_levels('app.t', 'a', 0.1, 1e-9)$$,
	$$SELECT pegs.pegs_fit('evil', 'app.t', epsilon => 0.1)$$,
	$$SELECT pg_catalog.length(pegs.pegs_export('evil'))$$,
	$$SELECT pegs.pegs_drop('evil')$$,
	$$SELECT pegs.pegs_fit('evil', 'app.t', structure_epsilon => 0.1)$$,
	$$SELECT pegs.pegs_drop('evil')$$,
	$$SELECT pegs.pegs_set_unit('app.t', NULL)$$,
	$$SELECT pegs.pegs_forbid('app.t', NULL)$$,
	$$SELECT pegs.pegs_unset('app.t', 'a')$$,
	$$SELECT pegs.pegs_set_budget('app.t', 101, delta => 1e-6)$$]) AS statement \gexec

---- no setting of ours, and none by our name
SELECT is(outcome('rt_analyst', $$SET pegs.seed = 42$$), '42602', 'pegs.seed cannot be set');
SELECT is(outcome('rt_analyst', $$SELECT set_config('pegs.anything', '1', false)$$), '42602', 'nor anything else');
-- rows do not depend on the session's random()
SELECT isnt((SELECT array_agg(t::text) FROM (SELECT setseed(0.25)) AS s, pegs_sample('sealed', 60, epsilon => 0.1) AS t(a text, b int)),
	(SELECT array_agg(t::text) FROM (SELECT setseed(0.25)) AS s, pegs_sample('sealed', 60, epsilon => 0.1) AS t(a text, b int)), 'setseed gives no rows twice');

---- the curator may also drop; others could not, above
SELECT is(outcome('rt_powerful', $$SELECT pegs_drop('sealed')$$), '42501', 'a grant does not let one drop');
SELECT is(outcome('rt_powerful', $$SELECT pegs_drop('kept')$$), '42501', 'nor a release');
SELECT is(outcome('rt_curator', $$SELECT pegs_drop('secret perturbed'), pegs_drop('secret kept')$$), 'ok', 'a curator may');
-- who leaves the owner's role is no curator any more
REVOKE rt_owner FROM rt_curator;
SELECT is(outcome('rt_curator', $$SELECT pegs_drop('sealed')$$), '42704', 'no longer a member');
SELECT is(outcome('rt_curator', $$SELECT * FROM pegs_sample('sealed', 1, epsilon => 0.01) AS t(a text)$$), '42704', 'no longer a member');
SELECT is(outcome('rt_curator', $$SELECT * FROM pegs_rows('secret kept') AS t(a text)$$), '42704', 'no longer a member');
-- a grantee that is dropped takes the grant along
SELECT pegs_grant('perturbed', 'rt_group');
DROP OWNED BY rt_group;
DROP ROLE rt_group;
SELECT lives_ok($$SELECT pegs_describe('perturbed')$$, 'a dropped grantee does no harm');
SELECT is(outcome('rt_stranger', $$SELECT * FROM pegs_sample('perturbed', 1) AS t(a text)$$), '42704', 'to anyone');

SELECT * FROM finish();

RESET ROLE;
DROP SCHEMA app, evil CASCADE;
DROP OWNED BY rt_owner, rt_curator, rt_member, rt_analyst, rt_powerful, rt_reader, rt_stranger, rt_in_group, rt_not_inheriting;
DROP ROLE rt_owner, rt_curator, rt_member, rt_analyst, rt_powerful, rt_reader, rt_stranger, rt_in_group, rt_not_inheriting;
