-- secrecy: acceptance tests of test/ACCEPTANCE.md, by their numbers, as far as one session can ask them.
--
-- 27 and 28 what the catalog gives away, 29 squatted names at run time, 37 who may fit, 39 whose code runs, 40 types, 41
-- settings, 42 one error, 46 the aggregates misused. The whole table of roles and actions is rights.sql; what the catalog
-- must say of each object is catalog.sql; other numbers are in test/t (test/ACCEPTANCE.md has them all).
SET client_min_messages = warning;
SET search_path = public;
CREATE SCHEMA pegs;
CREATE EXTENSION pegs SCHEMA pegs;
GRANT USAGE ON SCHEMA pegs TO PUBLIC;
CREATE ROLE sc_owner;
CREATE ROLE sc_curator IN ROLE sc_owner;
CREATE ROLE sc_analyst;
CREATE ROLE sc_reader;
CREATE ROLE sc_stranger;
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA pegs TO sc_curator, sc_analyst, sc_reader;
CREATE SCHEMA app AUTHORIZATION sc_owner;
GRANT ALL ON SCHEMA app TO sc_owner;
GRANT USAGE ON SCHEMA app TO PUBLIC;
CREATE SCHEMA lab AUTHORIZATION sc_analyst;
SET search_path = app, pegs, public;
SET ROLE sc_owner;
CREATE TABLE t (a text NOT NULL CHECK (a IN ('x', 'y')), b boolean);
INSERT INTO t SELECT CASE WHEN i % 3 = 0 THEN 'x' ELSE 'y' END, i % 2 = 0 FROM generate_series(1, 60) AS i;
GRANT SELECT ON t TO sc_reader;
RESET ROLE;
SELECT pegs_set_budget('t', 1000);
SELECT pegs_fit('sealed', 't', parents => '{"b": ["a"]}'), pegs_fit('perturbed', 't', epsilon => 1), pegs_fit('secret', 't', parents => '{}'), pegs_fit('secret perturbed', 't', epsilon => 1);
SELECT pegs_release('kept', 'sealed', 50, epsilon => 1), pegs_release('secret kept', 'sealed', 5, epsilon => 1);
SELECT pegs_grant('sealed', 'sc_analyst', 100), pegs_grant('perturbed', 'sc_analyst'), pegs_grant('kept', 'sc_analyst');

SELECT * FROM no_plan();

-- what a role gets: 'ok' and the rows' number, or every field of the error
CREATE FUNCTION public.outcome(role text, statement text, path text DEFAULT 'app, pegs, public') RETURNS text LANGUAGE plpgsql SET search_path = pg_catalog AS $$
DECLARE
	state text; message text; detail text; hint text; context text; n bigint;
BEGIN
	BEGIN
		PERFORM set_config('search_path', path, true);
		EXECUTE format('SET LOCAL ROLE %I', role);
		EXECUTE statement;
		GET DIAGNOSTICS n = ROW_COUNT;
		RESET ROLE;
		RETURN 'ok ' || n;
	EXCEPTION WHEN OTHERS THEN
		GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
		RETURN concat_ws(' / ', state, message, detail, hint);
	END;
END $$;
CREATE FUNCTION public.state(role text, statement text) RETURNS text LANGUAGE sql SET search_path = pg_catalog AS $$ SELECT split_part(public.outcome($1, $2), ' ', 1) $$;

---- A-27: PUBLIC has this and nothing else
CREATE VIEW public.ours AS SELECT d.classid, d.objid FROM pg_depend AS d JOIN pg_extension AS e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid AND e.extname = 'pegs' AND d.deptype = 'e';
SELECT set_eq($$SELECT proname::text FROM pg_proc JOIN public.ours ON classid = 'pg_proc'::regclass AND objid = oid, aclexplode(coalesce(proacl, acldefault('f', proowner)))
		WHERE grantee = 0 AND pronamespace = 'pegs'::regnamespace$$,
	ARRAY['pegs_sample', 'pegs_sample_as', 'pegs_sample_slices', 'pegs_sample_slices_as', 'pegs_keep_slices', 'pegs_release', 'pegs_rows', 'pegs_rows_as', 'pegs_cost', 'pegs_describe', 'pegs_row_type', 'pegs_columns', 'pegs_pairs', 'pegs_certificate', 'pegs_certificate_text', 'pegs_summary', 'pegs_agg', 'pegs_agg_persons', 'pegs_merge', 'pegs_combine', 'pegs_dirichlet_matrix', 'pegs_dirichlet_risk', 'pegs_dirichlet_validity', 'pegs_dirichlet_alpha', 'pegs_score', 'pegs_score_card', 'pegs_score_explain', 'pegs_score_sql', 'pegs_disaggregate', 'pegs_disaggregate_check', 'pegs_drop'],
	'A-27 functions that PUBLIC may execute: rows of what is granted, words about it, the aggregates');
SELECT set_eq($$SELECT proname::text FROM pg_proc JOIN public.ours ON classid = 'pg_proc'::regclass AND objid = oid, aclexplode(coalesce(proacl, acldefault('f', proowner)))
		WHERE grantee = 0 AND pronamespace = 'pegs_internal'::regnamespace$$,
	ARRAY['state_in', 'state_out', 'state_recv', 'state_send', 'counted', 'counted_persons', 'spent', 'may_use', 'guarantee', 'called', 'kind', 'leftovers', 'elsewhere', 'in_rho', 'same_rows', 'led_back', 'served_by', 'slices_refused', 'taken',
		'report_escape', 'report_number', 'report_at_most', 'report_measures', 'report_rules', 'report_verdicts', 'report_style', 'report_mark', 'report_opinion', 'report_papers', 'report_kinships', 'report_nearness', 'report_related', 'report_marginal', 'report_pairs', 'report_map', 'report_measured', 'report_options', 'report_method', 'report_titles', 'report_scores', 'report_reach', 'report_averages', 'report_averages_of', 'report_published', 'report_alone', 'report_trials',
		'report_percent', 'report_numbers', 'report_numeric', 'report_guesses', 'summary_meaning', 'summary_noise'],
	'A-27 functions of our state that PUBLIC may execute: the readers behind the views, the type''s I/O, the words of the report');
SELECT set_eq($$SELECT typname::text FROM pg_type JOIN public.ours ON classid = 'pg_type'::regclass AND objid = oid, aclexplode(coalesce(typacl, acldefault('T', typowner)))
		WHERE grantee = 0 AND typrelid = 0 AND typelem = 0$$, ARRAY['pegs_state'], 'A-27 the type that PUBLIC may use');
SELECT set_eq($$SELECT relname::text FROM pg_class JOIN public.ours ON classid = 'pg_class'::regclass AND objid = oid, aclexplode(coalesce(relacl, acldefault('r', relowner)))
		WHERE grantee = 0$$, ARRAY['pegs_budgets', 'pegs_ledger', 'pegs_leftovers', 'pegs_models', 'pegs_releases', 'pegs_slices'], 'A-27 the relations that PUBLIC may read');
SELECT is_empty($$SELECT relname, grantee FROM pg_class, aclexplode(coalesce(relacl, acldefault((CASE relkind WHEN 'S' THEN 's' ELSE 'r' END)::"char", relowner))) WHERE relnamespace = 'pegs_internal'::regnamespace AND grantee <> relowner$$,
	'A-27 relations and sequences of our state, those made at run time too: the owner''s alone');
SELECT is_empty($$SELECT grantee FROM pg_namespace, aclexplode(nspacl) WHERE nspname = 'pegs_internal' AND grantee <> nspowner$$, 'A-27 nor is the schema anyone else''s');
SELECT is_empty($$SELECT * FROM pg_attribute, aclexplode(attacl) WHERE attrelid IN (SELECT objid FROM public.ours WHERE classid = 'pg_class'::regclass)$$, 'A-27 no column is granted');
SELECT is_empty($$SELECT lanname FROM pg_language WHERE lanname IN (SELECT l.lanname FROM pg_language AS l JOIN public.ours ON classid = 'pg_language'::regclass AND objid = l.oid)$$, 'A-27 we bring no language');

---- A-28: SECURITY DEFINER
SELECT is_empty($$SELECT oid::regprocedure FROM pg_proc JOIN public.ours ON classid = 'pg_proc'::regclass AND objid = oid WHERE prosecdef$$, 'A-28 the reviewed list of SECURITY DEFINER functions is empty');
SELECT is_empty($$SELECT p.oid::regprocedure FROM pg_proc AS p JOIN public.ours ON classid = 'pg_proc'::regclass AND objid = p.oid JOIN pg_language AS l ON l.oid = prolang
		WHERE lanname NOT IN ('c', 'internal') AND NOT coalesce(proconfig @> ARRAY['search_path=pg_catalog, pg_temp'], false)$$, 'A-28 what is not C has a search_path that ends in pg_temp');
SELECT is_empty($$SELECT c.oid::regclass FROM pg_class AS c JOIN public.ours ON classid = 'pg_class'::regclass AND objid = c.oid WHERE relkind = 'v' AND NOT coalesce(reloptions @> ARRAY['security_barrier=true'], false)$$,
	'A-28 views, which read with their owner''s rights, are security barriers');
SELECT is_empty($$SELECT oid::regprocedure FROM pg_proc JOIN public.ours ON classid = 'pg_proc'::regclass AND objid = oid WHERE proleakproof$$, 'A-28 nothing claims to be leakproof');

---- A-29: an analyst's objects by our names come first; the rows are the same and the real account pays
GRANT CREATE, TEMP ON DATABASE :DBNAME TO sc_analyst;
SET ROLE sc_analyst;
CREATE SCHEMA evil;
SELECT format('CREATE FUNCTION evil.%I(%s) RETURNS %s LANGUAGE plpgsql AS $f$ BEGIN RAISE EXCEPTION ''evil %s ran as %%'', current_user; END $f$', proname,
	(SELECT string_agg(format_type(a, NULL), ', ' ORDER BY n) FROM unnest(proargtypes::oid[]) WITH ORDINALITY AS x(a, n)), CASE WHEN prorettype = 'anyelement'::regtype THEN 'anyelement' ELSE 'text' END, proname)
FROM pg_proc WHERE pronamespace IN ('pegs'::regnamespace, 'pegs_internal'::regnamespace) AND prokind = 'f' AND NOT ('internal'::regtype = ANY (proargtypes::oid[])) AND NOT ('cstring'::regtype = ANY (proargtypes::oid[])) \gexec
SELECT format('CREATE TEMP TABLE %I (source oid, id bigint, name text, model bigint, body bytea, account oid, sealed boolean, object bigint, grantee oid, cap bigint, epsilon bigint, delta bigint, codes bytea, release bigint, chunk bigint)', relname)
FROM pg_class WHERE relnamespace IN ('pegs'::regnamespace, 'pegs_internal'::regnamespace) AND relkind IN ('r', 'v') \gexec
SELECT format('CREATE TABLE evil.%I (LIKE pg_temp.%I)', relname, relname) FROM pg_class WHERE relnamespace IN ('pegs'::regnamespace, 'pegs_internal'::regnamespace) AND relkind IN ('r', 'v') \gexec
SELECT format('CREATE SEQUENCE evil.%I', relname) FROM pg_class WHERE relnamespace = 'pegs_internal'::regnamespace AND relkind = 'S' \gexec
SELECT format('CREATE DOMAIN evil.%s AS pg_catalog.%1$s CHECK (VALUE IS NULL)', t) FROM unnest(ARRAY['text', 'bytea', 'int8', 'int4', 'bool', 'regclass', 'jsonb', 'timestamptz', 'float8', 'oid', 'numeric']) AS t \gexec
CREATE FUNCTION evil.evil(pg_catalog.text, pg_catalog.text) RETURNS pg_catalog.bool LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'evil operator ran as %', current_user; END $$;
CREATE FUNCTION evil.evil(pg_catalog.int8, pg_catalog.int8) RETURNS pg_catalog.bool LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'evil operator ran as %', current_user; END $$;
CREATE OPERATOR evil.= (LEFTARG = pg_catalog.text, RIGHTARG = pg_catalog.text, FUNCTION = evil.evil);
CREATE OPERATOR evil.= (LEFTARG = pg_catalog.int8, RIGHTARG = pg_catalog.int8, FUNCTION = evil.evil);
CREATE OPERATOR evil.<= (LEFTARG = pg_catalog.int8, RIGHTARG = pg_catalog.int8, FUNCTION = evil.evil);
RESET ROLE;
CREATE FUNCTION public.spent() RETURNS numeric LANGUAGE sql SET search_path = pg_catalog AS $$ SELECT spent FROM pegs.pegs_budgets WHERE source = 'app.t'::regclass $$;
-- rows that are the same at every call: then under this path, too
CREATE FUNCTION public.rows_of(path text, statement text) RETURNS text LANGUAGE plpgsql SET search_path = pg_catalog AS $$
DECLARE
	result text;
BEGIN
	PERFORM set_config('search_path', path, true);
	EXECUTE statement INTO result;
	RETURN result;
EXCEPTION WHEN OTHERS THEN
	RETURN SQLERRM;
END $$;
CREATE TEMP TABLE before AS SELECT public.spent() AS spent;
GRANT SELECT ON before TO PUBLIC;
SELECT format('SET ROLE %I; SELECT public.is(public.rows_of(%L, %L), public.rows_of(%L, %L), %L); RESET ROLE', role, 'evil, pg_temp, pegs, pg_catalog', s, 'pg_catalog', s, format('A-29 %s: the same under an evil path: %s', role, s))
FROM unnest(ARRAY['sc_analyst', 'sc_curator', 'postgres']) AS role, unnest(ARRAY[
	$$SELECT pg_catalog.md5(pg_catalog.string_agg(t::pg_catalog.text, ',')) FROM pegs.pegs_sample('perturbed', 300) AS t(a pg_catalog.text, b pg_catalog.bool)$$,
	$$SELECT pg_catalog.md5(pg_catalog.string_agg(t::pg_catalog.text, ',')) FROM pegs.pegs_rows('kept') AS t(a pg_catalog.text, b pg_catalog.bool)$$,
	$$SELECT pg_catalog.md5(pegs.pegs_describe('sealed')::pg_catalog.text)$$,
	$$SELECT pg_catalog.string_agg(c::pg_catalog.text, ',') FROM pegs.pegs_cost('sealed', 5, 1) AS c$$,
	$$SELECT pg_catalog.string_agg(b.name, ',') FROM pegs.pegs_models AS b$$]) AS s \gexec
SELECT is(public.outcome(role, $$SELECT * FROM pegs.pegs_sample('sealed', 3, epsilon => 0.25, block => 3) AS t(a pg_catalog.text, b pg_catalog.bool)$$, 'evil, pg_temp, pegs, pg_catalog'), 'ok 3', 'A-29 a sealed sample under an evil path: ' || role)
FROM unnest(ARRAY['sc_analyst', 'sc_curator', 'postgres']) AS role;
SELECT is(public.spent() - (SELECT spent FROM before), 0.75, 'A-29 three charges of 0.25, on the real account');
SELECT is_empty($$SELECT * FROM evil.ledger$$, 'A-29 and no line in the false ledger');
-- it would have worked: the names are found first where nobody takes care
SELECT matches(public.outcome('sc_analyst', $$SELECT pegs_row_type('perturbed')$$, 'evil, pg_temp, pegs, pg_catalog'), 'evil pegs_row_type ran as sc_analyst', 'A-29 a call that is not qualified finds the evil one');
SELECT matches(public.outcome('sc_analyst', $$SELECT 'x'::pg_catalog.text = 'x'::pg_catalog.text$$, 'evil, pg_temp, pegs, pg_catalog'), 'evil operator ran', 'A-29 so does an operator');
SELECT format('DROP TABLE pg_temp.%I', relname) FROM pg_class WHERE relnamespace IN ('pegs'::regnamespace, 'pegs_internal'::regnamespace) AND relkind IN ('r', 'v') \gexec

---- A-37: who may fit
CREATE TABLE app.guarded (a text NOT NULL CHECK (a IN ('x', 'y')));
ALTER TABLE app.guarded OWNER TO sc_owner;
INSERT INTO app.guarded VALUES ('x'), ('y');
SELECT is(public.state(role, statement), '42501', format('A-37 %s: %s', role, statement)) FROM unnest(ARRAY['sc_analyst', 'sc_reader']) AS role, unnest(ARRAY[
	$$SELECT pegs_fit('mine', 't', parents => '{}')$$, $$SELECT pegs_fit('mine', 't', epsilon => 1)$$, $$SELECT pegs_fit('mine', 't')$$,
	$$SELECT pegs_fit_state('mine', 't', NULL, parents => '{}')$$, $$SELECT pegs_set_budget('t', 1e6)$$, $$SELECT pegs_spec('t')$$, $$SELECT * FROM pegs_domain('t')$$]) AS statement;
SELECT is(public.state(role, $$SELECT pegs_refit('perturbed')$$), expected, format('A-37 %s: fitted anew', role)) FROM (VALUES ('sc_analyst', '42501'), ('sc_reader', '42704'), ('sc_stranger', '42501')) AS v(role, expected);
SELECT is(public.state(role, statement), '42501', format('A-37 %s: %s', role, statement)) FROM unnest(ARRAY['sc_analyst', 'sc_reader', 'sc_stranger']) AS role, unnest(ARRAY[
	$$SELECT pegs_set_slices('t', 'a', '1 day', '2026-01-01', 1)$$, $$SELECT pegs_set_slices('t', 'a', 1, 0, ARRAY['x'])$$, $$SELECT pegs_fit_slices('mine', 't')$$, $$SELECT pegs_unset_slices('t')$$,
	$$SELECT pegs_adopt_slices('t', '-infinity', 'mine')$$]) AS statement;
SELECT is(public.state('sc_stranger', $$SELECT pegs_fit('mine', 't', parents => '{}')$$), '42501', 'A-37 without EXECUTE');
SELECT is(public.state('sc_reader', $$SELECT count(*) FROM t$$), 'ok', 'A-37 the reader may read it all the same');
GRANT CREATE ON SCHEMA app TO sc_reader;
SELECT is(public.state('sc_reader', $$CREATE VIEW app.v_reader AS SELECT a FROM app.t; CREATE MATERIALIZED VIEW app.mv_reader AS SELECT a FROM app.t$$), 'ok', 'A-37 and have views of it');
SELECT is(public.state('sc_reader', format($$SELECT pegs_fit('mine', %L, parents => '{}')$$, v)), '42501', 'A-37 a fit of its own ' || v) FROM unnest(ARRAY['app.v_reader', 'app.mv_reader']) AS v;
-- an analyst that is the owner's member for one moment, and not any more
GRANT sc_owner TO sc_analyst;
SELECT is(public.state('sc_analyst', $$SELECT pegs_fit('was mine', 't', parents => '{}')$$), 'ok', 'A-37 a member of the owner''s role may');
REVOKE sc_owner FROM sc_analyst;
SELECT is(public.state('sc_analyst', $$SELECT * FROM pegs_sample('was mine', 1, epsilon => 0.1) AS t(a text)$$), '42704', 'A-37 and no longer when it is none');
-- row-level security: never a fit of some rows in silence
ALTER TABLE app.guarded ENABLE ROW LEVEL SECURITY;
CREATE POLICY some_rows ON app.guarded USING (a = 'x');
GRANT SELECT ON app.guarded TO sc_reader;
SELECT is(public.outcome('sc_reader', $$SELECT * FROM app.guarded$$), 'ok 1', 'A-37 row-level security holds for a reader');
SELECT is(public.state('sc_reader', $$SELECT pegs_fit('mine', 'app.guarded', parents => '{}')$$), '42501', 'A-37 who may not fit');
SELECT is(public.state('sc_curator', $$SELECT pegs_fit('guarded', 'app.guarded', parents => '{}')$$), 'ok', 'A-37 it does not hold for the owner: the fit sees all rows');
SELECT is(public.state('postgres', format($$SET LOCAL row_security = %s; SELECT pegs_fit('guarded by %1$s', 'app.guarded', parents => '{}')$$, s)), 'ok', 'A-37 whatever row_security says: ' || s) FROM unnest(ARRAY['on', 'off']) AS s;
SELECT is((SELECT count(DISTINCT pegs_internal.unmasked(body)) FROM pegs_internal.body JOIN pegs_internal.model ON id = model WHERE name ~ '^guarded'), 1::bigint, 'A-37 all of them counted the same rows');
ALTER TABLE app.guarded FORCE ROW LEVEL SECURITY;
SELECT is(public.state(role, $$SELECT pegs_fit('forced', 'app.guarded', parents => '{}')$$), '42501', 'A-37 forced on the owner, too: refused, never filtered: ' || role) FROM unnest(ARRAY['sc_curator', 'sc_owner', 'postgres']) AS role;

---- A-39: whatever an owner has put into a table, it does not run as the superuser who fits it
CREATE TABLE public.ran (what text, who name, is_super boolean);
GRANT ALL ON public.ran TO PUBLIC;
SET ROLE sc_analyst;
SET search_path = lab, public, pegs;
-- it says IMMUTABLE, and has another one write
CREATE FUNCTION lab.note(what text) RETURNS void LANGUAGE plpgsql AS $$ BEGIN INSERT INTO public.ran SELECT what, current_user, rolsuper FROM pg_roles WHERE rolname = current_user; END $$;
CREATE FUNCTION lab.spy(what text, value anyelement) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN PERFORM lab.note(what); RETURN true; END $$;
CREATE TYPE lab.mood AS ENUM ('sad', 'ok');
CREATE FUNCTION lab.mood_text(lab.mood) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN PERFORM lab.spy('cast of an enum', 1); RETURN 'sad'; END $$;
CREATE CAST (lab.mood AS text) WITH FUNCTION lab.mood_text(lab.mood) AS IMPLICIT;
CREATE FUNCTION lab.mood_equal(lab.mood, lab.mood) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN PERFORM lab.spy('operator of an enum', 1); RETURN true; END $$;
CREATE OPERATOR lab.= (LEFTARG = lab.mood, RIGHTARG = lab.mood, FUNCTION = lab.mood_equal);
CREATE DOMAIN lab.checked AS text CHECK (VALUE IN ('x', 'y')) CHECK (lab.spy('domain', VALUE));
CREATE TABLE lab.trap (a text CHECK (a IN ('x', 'y')), m lab.mood, d lab.checked, id int DEFAULT (lab.spy('default', 1)::int), person text);
INSERT INTO lab.trap VALUES ('x', 'sad', 'x', 1, 'p'), ('y', 'ok', NULL, 2, 'q');
ALTER TABLE lab.trap ADD CHECK (lab.spy('check', a)), ADD CHECK (a = ANY (ARRAY['x', 'y', CASE WHEN lab.spy('check list', 1) THEN 'z' END])), ADD COLUMN g boolean GENERATED ALWAYS AS (lab.spy('generated', a)) STORED;
CREATE INDEX ON lab.trap ((lab.spy('index', a)));
CREATE INDEX ON lab.trap (a) WHERE lab.spy('partial index', 1);
CREATE STATISTICS lab.stats ON (lab.spy('statistics', a)), id FROM lab.trap;
CREATE POLICY trap ON lab.trap USING (lab.spy('policy', a));
ALTER TABLE lab.trap ENABLE ROW LEVEL SECURITY;
CREATE VIEW lab.plain AS SELECT a, m, d FROM lab.trap WHERE id < 10;
CREATE VIEW lab.with_function AS SELECT a FROM lab.trap WHERE lab.spy('view', a);
CREATE VIEW lab.with_column AS SELECT a, lab.spy('column of a view', a) AS b FROM lab.trap;
CREATE VIEW lab.with_cast AS SELECT m::text AS a FROM lab.trap;
CREATE VIEW lab.with_operator AS SELECT a FROM lab.trap WHERE m OPERATOR(lab.=) 'sad';
CREATE VIEW lab.with_domain AS SELECT a::lab.checked AS a FROM lab.trap;
CREATE VIEW lab.hidden AS SELECT a FROM lab.with_function;
CREATE TABLE lab.parted (a text CHECK (a IN ('x', 'y'))) PARTITION BY LIST ((CASE WHEN lab.spy('partition key', a) THEN a END));
CREATE TABLE lab.part PARTITION OF lab.parted FOR VALUES IN ('x', 'y');
INSERT INTO lab.parted VALUES ('x');
CREATE RULE r AS ON UPDATE TO lab.trap DO ALSO SELECT lab.spy('rule', 1);
CREATE FUNCTION lab.trigger() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM lab.spy('trigger', 1); RETURN NULL; END $$;
CREATE TRIGGER tr BEFORE INSERT OR UPDATE OR DELETE ON lab.trap FOR EACH STATEMENT EXECUTE FUNCTION lab.trigger();
-- two functions that session state would let loose later
CREATE FUNCTION lab.temp() RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN SET SESSION AUTHORIZATION DEFAULT; PERFORM lab.spy('escape', 1); RETURN true; EXCEPTION WHEN OTHERS THEN PERFORM lab.spy('no escape', 1); RETURN true; END $$;
CREATE INDEX ON lab.trap (id) WHERE lab.temp();
RESET ROLE;
SET search_path = app, pegs, public;
TRUNCATE public.ran;
SET constraint_exclusion = on;
SELECT is(public.state('postgres', statement), expected, 'A-39 ' || statement) FROM (VALUES
	($$SELECT pegs_set_budget('lab.trap', 100)$$, 'ok'),
	($$SELECT count(*) FROM pegs_domain('lab.trap')$$, 'ok'),
	($$SELECT count(*) FROM pegs_domain('lab.plain')$$, 'ok'),
	($$SELECT pegs_set_levels('lab.trap', 'id', levels => ARRAY['1', '2'])$$, 'ok'),
	($$SELECT pegs_set_levels('lab.trap', 'person', lookup => 'lab.trap', lookup_column => 'd')$$, '22023'),
	($$SELECT pegs_set_levels('lab.trap', 'person', lookup => 'lab.with_function', lookup_column => 'a')$$, '42809'),
	($$SELECT pegs_set_levels('lab.trap', 'd', lookup => 'lab.part', lookup_column => 'a'), pegs_unset('lab.trap', 'd')$$, 'ok'),
	($$SELECT pegs_fit('trap', 'lab.trap', ARRAY['a', 'm', 'd', 'id', 'g'], parents => '{"m": ["d"]}')$$, 'ok'),
	($$SELECT pegs_fit('trap of a view', 'lab.plain', parents => '{}')$$, 'ok'),
	($$SELECT pegs_fit('trap of parts', 'lab.parted', parents => '{}')$$, 'ok'),
	($$SELECT pegs_fit('x', 'lab.with_function', parents => '{}')$$, '0A000'),
	($$SELECT pegs_fit('x', 'lab.with_column', parents => '{}')$$, '0A000'),
	($$SELECT pegs_fit('x', 'lab.with_cast', parents => '{}')$$, '0A000'),
	($$SELECT pegs_fit('x', 'lab.with_operator', parents => '{}')$$, '0A000'),
	($$SELECT pegs_fit('x', 'lab.with_domain', parents => '{}')$$, '0A000'),
	($$SELECT pegs_fit('x', 'lab.hidden', parents => '{}')$$, '0A000'),
	($$SELECT count(*) FROM pegs_domain('lab.with_function')$$, '0A000'),
	($$SELECT pegs_set_unit('lab.trap', 'person', 1)$$, 'ok'),
	($$SELECT pegs_fit('trap of persons', 'lab.trap', ARRAY['a', 'm', 'd'], parents => '{}')$$, 'ok'),
	($$SELECT pegs_set_unit('lab.trap', NULL)$$, 'ok'),
	($$SELECT pegs_forbid('lab.trap', '{"a": "x", "m": "ok"}')$$, 'ok'),
	($$SELECT count(*) FROM pegs_sample('trap', 5, epsilon => 0.1) AS t(a text, m lab.mood)$$, '55000')) AS v(statement, expected);
SELECT is(public.state('postgres', $$SELECT count(*) FROM pegs_sample('trap', 5, epsilon => 0.1, given => '{"m": "ok"}') AS t(a text, m lab.mood)$$), 'ok', 'A-39 rows of it, drawn by the superuser');
SELECT pegs_set_budget('lab.trap', 100, 1e-6);
SELECT is(public.state('postgres', statement), expected, 'A-39 ' || statement) FROM (VALUES
	($$SELECT pegs_learn_levels('lab.trap', 'd', 0.1, 1e-9)$$, 'ok'),
	($$SELECT pegs_learn_range('lab.trap', 'id', 0.1)$$, 'ok'),
	($$SELECT pegs_learn_levels('lab.plain', 'a', 0.1, 1e-9)$$, 'ok'),
	($$SELECT pegs_learn('lab.trap', 0.1, 1e-9, ARRAY['d', 'id'])$$, 'ok'),
	($$SELECT pegs_learn_levels('lab.with_function', 'a', 0.1, 1e-9)$$, '0A000'),
	($$SELECT pegs_fit('trap of noise', 'lab.trap', ARRAY['a', 'm'], epsilon => 0.1), pegs_fit('trap of noise 2', 'lab.trap', ARRAY['a', 'm'], epsilon => 0.1)$$, 'ok'),
	($$SELECT pegs_best('lab.trap', ARRAY['trap of noise', 'trap of noise 2'], 0.1)$$, 'ok'),
	($$SELECT pegs_best('lab.with_function', ARRAY['trap of noise', 'trap of noise 2'], 0.1)$$, '0A000'),
	($$SELECT pegs_set_derived('lab.trap', 'person', 'CASE WHEN a < ''y'' THEN 1 END'), pegs_unset('lab.trap', 'person')$$, 'ok'),
	($$SELECT pegs_set_derived('lab.trap', 'person', 'CASE WHEN lab.spy(''expression'', a) THEN 1 END')$$, '0A000'),
	($$SELECT pegs_set_derived('lab.trap', 'person', 'CASE WHEN m OPERATOR(lab.=) ''sad'' THEN 1 END')$$, '0A000'),
	($$SELECT pegs_set_derived('lab.trap', 'person', 'length(d::lab.checked)')$$, '0A000'),
	($$SELECT pegs_set_function('lab.trap', 'person', 'a', '{"x": 1}'), pegs_unset('lab.trap', 'person')$$, 'ok'),
	($$SELECT pegs_set_function('lab.trap', 'person', 'm', '{"sad": 1}')$$, '0A000'),
	($$SELECT pegs_learn_levels('lab.trap', 'm', 0.1, 1e-9)$$, '42809')) AS v(statement, expected);
SELECT is_empty($$SELECT DISTINCT what, who FROM public.ran WHERE is_super$$, 'A-39 nothing of the owner''s ran as the superuser');
SELECT is_empty($$SELECT DISTINCT what, who FROM public.ran WHERE who <> 'sc_analyst'$$, 'A-39 nor as anyone else but itself');
SELECT is_empty($$SELECT DISTINCT what FROM public.ran WHERE what = 'escape'$$, 'A-39 nor did any of it get out of its restrictions');
SELECT is(current_user || ' ' || session_user || ' ' || current_setting('search_path'), 'postgres postgres app, pegs, public', 'A-39 the session is as it was');
-- it is not that nothing is recorded: a careless SELECT of the superuser is caught
SELECT count(*) FROM lab.with_function \g /dev/null
SELECT isnt_empty($$SELECT FROM public.ran WHERE what = 'view' AND is_super$$, 'A-39 a plain SELECT would have run it as the superuser');

---- A-40: types. numeric, real, dates and timestamps have bins or levels since the design was made: they are taken when declared, refused when not
CREATE TYPE app.poison;
CREATE FUNCTION app.poison_in(cstring) RETURNS app.poison AS 'textin' LANGUAGE internal IMMUTABLE STRICT;
-- any call of it is an error
CREATE FUNCTION app.poison_out(app.poison) RETURNS cstring AS 'shell_out' LANGUAGE internal IMMUTABLE STRICT;
CREATE TYPE app.poison (INPUT = app.poison_in, OUTPUT = app.poison_out, LIKE = text);
CREATE TYPE app.pair AS (a text, b int);
CREATE DOMAIN app.list AS text[];
CREATE DOMAIN app.pairs AS app.pair;
CREATE TABLE app.types (number numeric, whole bigint, real float4, day date, moment timestamptz, j json, jb jsonb, x xml, p app.pair, ps app.pairs, l app.list, arr int[], r int4range, mr int4multirange, u uuid, by bytea, i interval, ti time, tt timetz, ip inet, mac macaddr,
	b3 bit(3), vb varbit, o oid, rc regclass, ts tsvector, pt point, m money, ch "char", n name, poison app.poison, poisons app.poison[]);
ALTER TABLE app.types OWNER TO sc_owner;
INSERT INTO app.types (number, poison, poisons) VALUES (1, 'secret', '{secret}');
SELECT matches(public.outcome('sc_curator', $$SELECT poison::text FROM app.types$$), '^(0A000|42)', 'A-40 the output function of that type fails when it is called');
SELECT is(public.state('sc_curator', format($$SELECT pegs_fit('x', 'app.types', ARRAY[%L], parents => '{}')$$, attname)), '22023', format('A-40 a column of %s, undeclared: refused', format_type(atttypid, atttypmod)))
FROM pg_attribute WHERE attrelid = 'app.types'::regclass AND attnum > 0;
SELECT is(public.state('sc_curator', format($$SELECT pegs_set_levels('app.types', %L, levels => ARRAY['1'])$$, attname)), '0A000', format('A-40 levels of %s: refused', format_type(atttypid, atttypmod)))
FROM pg_attribute WHERE attrelid = 'app.types'::regclass AND attnum > 0 AND attname NOT IN ('number', 'whole', 'real', 'day', 'moment');
SELECT matches(public.state('sc_curator', format($$SELECT pegs_set_bins('app.types', %L, ARRAY['1', '2'])$$, attname)), '^(42809|0A000)$', format('A-40 bins of %s: refused', format_type(atttypid, atttypmod)))
FROM pg_attribute WHERE attrelid = 'app.types'::regclass AND attnum > 0 AND attname NOT IN ('number', 'whole', 'real', 'day', 'moment');
SELECT is((SELECT count(*) FROM pegs_domain('app.types') WHERE problem IS NULL), 0::bigint, 'A-40 pegs_domain says of each what is wrong');
SELECT is(public.state('sc_curator', $$SELECT pegs_agg('{"pegs": 1, "tables": "pairs", "columns": [{"name": "a", "type": "text", "levels": ["t", "f"], "null": true}]}', poison) FROM app.types$$), '42804', 'A-40 pegs_agg takes none of them either');
SELECT is(public.state('sc_curator', format($$SELECT pegs_agg('{"pegs": 1, "tables": "pairs", "columns": [{"name": "a", "type": %s, "levels": ["t", "f"], "null": true}]}', poison) FROM app.types$$, to_json(t))), '22023', 'A-40 nor a spec that claims to: ' || t)
FROM unnest(ARRAY['app.poison', 'jsonb', 'int[]', 'app.pair', 'app.list', 'cstring', 'internal', 'record', 'anyelement']) AS t;

---- A-41: settings
-- since version 0.2.0 there is one, for the configuration file alone
SELECT set_eq($$SELECT name || ' ' || context FROM pg_settings WHERE name LIKE 'pegs.%'$$, ARRAY['pegs.after_promotion sighup'], 'A-41 one setting, in the configuration file only');
SELECT is(public.state(role, statement), state, format('A-41 %s: %s', role, statement)) FROM unnest(ARRAY['sc_analyst', 'sc_curator', 'postgres']) AS role, (VALUES
	($$SET pegs.seed = 42$$, '42602'), ($$SET pegs.key = 'x'$$, '42602'), ($$SET LOCAL pegs.anything = 1$$, '42602'), ($$SELECT set_config('pegs.anything', '1', false)$$, '42602'),
	($$SET pegs.after_promotion = allow$$, '55P02'), ($$SELECT set_config('pegs.after_promotion', 'allow', true)$$, '55P02')) AS v(statement, state);
SELECT matches(public.state('sc_analyst', statement), '^(42602|42501|42704|55P02)$', 'A-41 ' || statement) FROM unnest(ARRAY[$$ALTER ROLE sc_analyst SET pegs.seed = 42$$, $$ALTER ROLE sc_analyst SET pegs.after_promotion = allow$$,
	$$CREATE FUNCTION lab.f() RETURNS int LANGUAGE sql SET pegs.seed = 42 AS 'SELECT 1'$$]) AS statement;
SELECT is_empty($$SELECT oid::regprocedure, n FROM pg_proc JOIN public.ours ON classid = 'pg_proc'::regclass AND objid = oid, unnest(proargnames) AS n WHERE n ~* '(^|_)(seed|key)$'$$, 'A-41 no function has an argument for a key or a seed');
SELECT is(public.state('sc_analyst', format($$SELECT * FROM pegs_sample('perturbed', 1, options => '{"%s": 1}') AS t(a text)$$, o)), '22023', 'A-41 no option either: ' || o) FROM unnest(ARRAY['seed', 'key', 'random', 'stream']) AS o;
-- what was set before the library was loaded needs a session of its own: test/t/017_locks.pl

---- A-42: "not granted" and "not there" are one error, in every field of it
SELECT is(public.outcome(role, format(statement, there)), replace(public.outcome(role, format(statement, 'nowhere')), 'nowhere', there), format('A-42 %s cannot tell: %s', role, format(statement, there)))
FROM unnest(ARRAY['sc_analyst', 'sc_reader', 'sc_stranger']) AS role, unnest(ARRAY['secret', 'secret perturbed', 'secret kept']) AS there, unnest(ARRAY[
	$$SELECT * FROM pegs_sample('%s', 1, epsilon => 0.1) AS t(a text)$$, $$SELECT * FROM pegs_sample('%s', 1) AS t(a text)$$, $$SELECT * FROM pegs_sample('%s', 1, epsilon => 0.1) AS t(wrong text)$$,
	$$SELECT * FROM pegs_sample('%s', 1, epsilon => 1e300) AS t(a text)$$, $$SELECT * FROM pegs_sample('%s', 1, given => '{"a": "z"}') AS t(a text)$$, $$SELECT * FROM pegs_sample('%s', 1, options => '{"l": 1}') AS t(a text)$$,
	$$SELECT pegs_sample('%s', 1)$$, $$SELECT * FROM pegs_sample_as(NULL::t, '%s', 1, epsilon => 0.1)$$, $$SELECT * FROM pegs_sample_as(1, '%s', 1, epsilon => 0.1)$$,
	$$SELECT pegs_release('r', '%s', 1, epsilon => 0.1)$$, $$SELECT pegs_release('kept', '%s', 1, epsilon => 0.1)$$, $$SELECT * FROM pegs_rows('%s') AS t(a text)$$, $$SELECT * FROM pegs_rows('%s') AS t(wrong text)$$, $$SELECT * FROM pegs_rows_as(NULL::t, '%s')$$,
	$$SELECT * FROM pegs_cost('%s', 1, 1)$$, $$SELECT * FROM pegs_cost('%s', 1)$$, $$SELECT pegs_describe('%s')$$, $$SELECT pegs_row_type('%s')$$, $$SELECT pegs_row_type('%s', 't')$$, $$SELECT * FROM pegs_columns('%s')$$, $$SELECT * FROM pegs_pairs('%s')$$, $$SELECT pegs_view_sql('%s', 'v')$$, $$SELECT pegs_export('%s')$$,
	$$SELECT pegs_grant('%s', 'sc_reader')$$, $$SELECT pegs_revoke('%s', 'sc_reader')$$, $$SELECT pegs_drop('%s')$$, $$SELECT name FROM pegs_models WHERE name = '%s'$$, $$SELECT name FROM pegs_releases WHERE name = '%s'$$]) AS statement;
SELECT is(public.state('sc_analyst', $$SELECT * FROM pegs_sample('secret', 1, epsilon => 0.1) AS t(a text)$$), '42704', 'A-42 the error is 42704');
SELECT isnt(public.outcome('sc_curator', $$SELECT pegs_describe('secret')$$), replace(public.outcome('sc_curator', $$SELECT pegs_describe('nowhere')$$), 'nowhere', 'secret'), 'A-42 a curator can tell');

---- A-46: the aggregates, misused. (10,000 groups and their memory: test/t/014_memory.pl)
CREATE TABLE public.spec AS SELECT pegs_spec('t') AS s, pegs_spec('t', ARRAY['a']) AS of_a;
CREATE FUNCTION public.counted(statement text) RETURNS text LANGUAGE plpgsql SET search_path = app, pegs, public AS $$ DECLARE r text; BEGIN EXECUTE statement INTO r; RETURN r; END $$;
-- (older minor releases of the server say 0A000 where newer ones find no such function)
SELECT ok(public.state('postgres', statement) = ANY (string_to_array(state, ' or ')), 'A-46 ' || state || ': ' || statement) FROM (VALUES
	-- by itself no part of them can be called: PostgreSQL has no value of type internal, not even NULL
	($$SELECT pegs_internal.agg_transition(NULL, (SELECT s FROM spec), 'x'::text, true)$$, '42883 or 0A000'),
	($$SELECT pegs_internal.agg_final(NULL)$$, '42883 or 0A000'),
	($$SELECT pegs_internal.agg_combine(NULL, NULL)$$, '42883 or 0A000'),
	($$SELECT pegs_internal.merge_transition(NULL, NULL)$$, '42883 or 0A000'),
	($$SELECT pegs_internal.agg_serialize(NULL)$$, '42883 or 0A000'),
	($$SELECT pegs_internal.agg_deserialize('\x00', NULL)$$, '42883 or 0A000'),
	($$SELECT pegs_agg((SELECT s FROM spec), VARIADIC ARRAY[a, a]) FROM t$$, '42804'),
	($$SELECT pegs_agg((SELECT of_a FROM spec), VARIADIC ARRAY[a]) FROM t$$, '42804'),
	($$SELECT pegs_agg((SELECT s FROM spec), a) FROM t$$, '42804'),
	($$SELECT pegs_agg((SELECT s FROM spec), b, a) FROM t$$, '42804'),
	($$SELECT pegs_agg((SELECT s FROM spec), a, NULL) FROM t$$, '42804'),
	($$SELECT pegs_agg((SELECT s FROM spec), a, b, b) FROM t$$, '42804'),
	($$SELECT pegs_agg((SELECT s FROM spec), t) FROM t$$, '42804'),
	($$SELECT pegs_agg(NULL, a, b) FROM t$$, '22004'),
	($$SELECT pegs_agg('', a, b) FROM t$$, '22P02'),
	($$SELECT pegs_agg('{}', a, b) FROM t$$, '22023'),
	($$SELECT pegs_agg((SELECT s FROM spec)) FROM t$$, '42883'),
	($$SELECT pegs_agg((SELECT s FROM spec), a, b) WITHIN GROUP (ORDER BY a) FROM t$$, '42809'),
	($$SELECT pegs_merge(DISTINCT s) FROM (SELECT pegs_agg((SELECT s FROM spec), a, b) AS s FROM t) AS x$$, '42883'),
	($$SELECT pegs_merge(s ORDER BY s) FROM (SELECT pegs_agg((SELECT s FROM spec), a, b) AS s FROM t) AS x$$, '42883'),
	($$SELECT pegs_merge(s) FROM (SELECT pegs_agg((SELECT s FROM spec), a, b) FROM t UNION ALL SELECT pegs_agg((SELECT of_a FROM spec), a) FROM t) AS x(s)$$, '42804'),
	($$SELECT pegs_merge(NULL::pegs_state) OVER (ORDER BY a) FROM t$$, 'ok'),
	($$SELECT pegs_agg((SELECT s FROM spec), a, b) FROM t GROUP BY GROUPING SETS ((a), (b), ())$$, 'ok')) AS v(statement, state);
SELECT is(public.counted(one), public.counted(other), 'A-46 the same: ' || other) FROM (VALUES
	-- the first is plain, the second is not
	($$SELECT pegs_agg((SELECT s FROM spec), a, b)::text FROM t$$, $$SELECT pegs_agg((SELECT s FROM spec), a, b ORDER BY b DESC, a)::text FROM t$$),
	($$SELECT pegs_agg((SELECT s FROM spec), a, b)::text FROM (SELECT DISTINCT a, b FROM t) AS d$$, $$SELECT pegs_agg(DISTINCT (SELECT s FROM spec), a, b)::text FROM t$$),
	($$SELECT pegs_agg((SELECT s FROM spec), a, b)::text FROM t WHERE b$$, $$SELECT pegs_agg((SELECT s FROM spec), a, b) FILTER (WHERE b)::text FROM t$$),
	($$SELECT NULL::text$$, $$SELECT pegs_agg((SELECT s FROM spec), a, b) FILTER (WHERE a = 'no')::text FROM t$$),
	($$SELECT NULL::text$$, $$SELECT pegs_merge(NULL)::text FROM t$$),
	($$SELECT pegs_agg((SELECT s FROM spec), a, b)::text FROM t$$, $$SELECT pegs_merge(s)::text FROM (SELECT pegs_agg((SELECT s FROM spec), a, b) FROM t UNION ALL SELECT NULL) AS x(s)$$),
	($$SELECT pegs_agg((SELECT s FROM spec), a, b)::text FROM t$$, $$SELECT (pegs_agg((SELECT s FROM spec), a, b) OVER ())::text FROM t LIMIT 1$$),
	($$SELECT pegs_agg((SELECT s FROM spec), a, b)::text FROM t$$, $$SELECT max(s) FROM (SELECT row_number() OVER w AS n, (pegs_agg((SELECT s FROM spec), a, b) OVER w)::text AS s FROM (SELECT *, row_number() OVER () AS i FROM t) AS t WINDOW w AS (ORDER BY i)) AS x WHERE n = 60$$),
	-- a frame that moves: the last row's holds the last three rows
	($$SELECT pegs_agg((SELECT s FROM spec), a, b)::text FROM (SELECT a, b FROM (SELECT *, row_number() OVER () AS i FROM t) AS t WHERE i >= 58) AS x$$,
		$$SELECT s FROM (SELECT i, (pegs_agg((SELECT s FROM spec), a, b) OVER (ORDER BY i ROWS BETWEEN 2 PRECEDING AND CURRENT ROW))::text AS s FROM (SELECT *, row_number() OVER () AS i FROM t) AS t) AS x WHERE i = 60$$),
	-- one that grows: states given in between are not changed by the rows that come after
	($$SELECT string_agg(s, ' ' ORDER BY i) FROM (SELECT i, (SELECT pegs_agg((SELECT s FROM spec), a, b)::text FROM (SELECT *, row_number() OVER () AS k FROM t) AS u WHERE k <= i) AS s FROM generate_series(1, 60) AS i) AS x$$,
		$$SELECT string_agg(s::text, ' ' ORDER BY i) FROM (SELECT i, pegs_agg((SELECT s FROM spec), a, b) OVER (ORDER BY i) AS s FROM (SELECT *, row_number() OVER () AS i FROM t) AS t) AS x$$),
	($$SELECT pegs_agg((SELECT s FROM spec), a, b)::text FROM (TABLE t UNION ALL TABLE t) AS x$$,
		$$SELECT s FROM (SELECT n, (pegs_merge(s) OVER (ORDER BY n ROWS BETWEEN 1 PRECEDING AND CURRENT ROW))::text AS s FROM (SELECT n, pegs_agg((SELECT s FROM spec), a, b) AS s FROM t, generate_series(1, 3) AS n GROUP BY n) AS x) AS y WHERE n = 3$$),
	($$SELECT pegs_agg((SELECT s FROM spec), a, b)::text || pegs_agg((SELECT s FROM spec), a, b)::text FROM t$$, $$SELECT s::text || s::text FROM (SELECT pegs_agg((SELECT s FROM spec), a, b) AS s FROM t) AS x$$),
	($$SELECT pegs_agg((SELECT s FROM spec), a, b)::text FROM t WHERE a = 'x'$$, $$SELECT s::text FROM (SELECT a, pegs_agg((SELECT s FROM spec), a, b) AS s FROM t GROUP BY ROLLUP (a)) AS x WHERE a = 'x'$$)) AS v(one, other);

---- an error while a model is stored: what the server says may name its size
RESET ROLE;
CREATE TABLE app.stored (a int NOT NULL CHECK (a BETWEEN 1 AND 90), b int NOT NULL CHECK (b BETWEEN 1 AND 90));
INSERT INTO app.stored SELECT 1 + i % 90, 1 + (i * 7 + i / 90) % 90 FROM generate_series(1, 9000) AS i;
SELECT pegs.pegs_set_budget('app.stored', 10000);
ALTER TABLE pegs_internal.body ALTER COLUMN body SET STORAGE PLAIN;
SELECT throws_ok($$SELECT pegs.pegs_fit('stored', 'app.stored', epsilon => 1000)$$, '54000', 'model "stored" could not be stored', 'perturbed: not that the row is too big, nor its size');
SELECT throws_ok($$SELECT pegs.pegs_fit('stored', 'app.stored', parents => '{"b": ["a"]}')$$, '54000', 'model "stored" could not be stored', 'sealed: likewise');
ALTER TABLE pegs_internal.body ALTER COLUMN body SET STORAGE EXTERNAL;

SELECT * FROM finish();

RESET ROLE;
DROP SCHEMA app, evil, lab CASCADE;
DROP OWNED BY sc_owner, sc_curator, sc_analyst, sc_reader, sc_stranger;
DROP ROLE sc_owner, sc_curator, sc_analyst, sc_reader, sc_stranger;
