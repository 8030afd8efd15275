-- catalog: what every SQL object of the extension must have, asked of the catalog itself.
--
-- A comment; names for its arguments; volatility, parallel label and PUBLIC's rights as in the table below, which somebody
-- has read line by line; a place in a dump. A new function needs a line here: think of each word of it.
--
--   volatile    whatever charges, writes or draws anew        stable   whatever reads tables and only reads
--   immutable   whatever depends on its arguments alone       unsafe   whatever writes, or reads what its own session wrote
--   strict      only where PostgreSQL demands it or NULL can have no meaning: a NULL model must be an error, not no rows
--   public      the reviewed list of the reference: samples and releases, what describes them, the state's I/O and the
--               aggregates, and the readers behind the views. On nothing else.
SET client_min_messages = warning;
CREATE SCHEMA pegs;
CREATE EXTENSION pegs SCHEMA pegs;
SET search_path = pegs, public;

CREATE TEMPORARY TABLE reviewed (function text PRIMARY KEY, label text NOT NULL, rights text NOT NULL);
INSERT INTO reviewed VALUES
	('pegs_adopt(regclass,double precision,text,double precision)', 'volatile unsafe', ''),
	('pegs_adopt_slices(regclass,timestamp with time zone,text)', 'volatile unsafe', ''),
	('pegs_allow(name)', 'volatile unsafe', ''),
	('pegs_agg(json,"any")', 'immutable safe', 'public'),
	('pegs_agg(text,"any")', 'immutable safe', 'public'),
	('pegs_audit(text,integer,double precision,bigint,bigint,jsonb,double precision,jsonb)', 'volatile unsafe', ''),
	('pegs_certificate(text)', 'stable unsafe', 'public'),
	('pegs_certificate_text(text)', 'stable unsafe', 'public'),
	('pegs_columns(text,bigint)', 'stable restricted', 'public'),
	('pegs_summary(text)', 'stable unsafe', 'public'),
	('pegs_combine(double precision[],double precision[])', 'immutable safe', 'public'),
	('pegs_score(text,jsonb)', 'stable safe', 'public'),
	('pegs_score(text,record)', 'stable safe', 'public'),
	('pegs_score_card(text)', 'stable unsafe', 'public'),
	('pegs_score_explain(text,jsonb)', 'stable unsafe', 'public'),
	('pegs_score_explain(text,record)', 'stable unsafe', 'public'),
	('pegs_score_fit(text,regclass,name,text[],name[],double precision,double precision,text,jsonb)', 'volatile unsafe', ''),
	('pegs_score_fit_of(text,text,name,text[],name[])', 'volatile unsafe', ''),
	('pegs_score_published(text,jsonb,double precision)', 'volatile unsafe', ''),
	('pegs_score_published(text,record,double precision)', 'volatile unsafe', ''),
	('pegs_score_quality(text,regclass,integer)', 'volatile unsafe', ''),
	('pegs_score_sql(text,text)', 'stable unsafe', 'public'),
	('pegs_disaggregate(regclass,name,jsonb,name[],text,name[],boolean,jsonb)', 'volatile unsafe', 'public'),
	('pegs_disaggregate_check(regclass,jsonb,name[],name[],jsonb)', 'volatile unsafe', 'public'),
	('pegs_reconstruct(regclass,name,jsonb,name[],text[])', 'volatile unsafe', ''),
	('pegs_internal.kind(text,boolean)', 'immutable safe', 'public'),
	('pegs_dirichlet_matrix(integer,double precision,integer,integer,text)', 'immutable safe', 'public'),
	('pegs_dirichlet_risk(integer,double precision,integer,integer,double precision,text)', 'immutable safe', 'public'),
	('pegs_dirichlet_validity(integer,double precision,integer,integer,text,text)', 'immutable safe', 'public'),
	('pegs_dirichlet_alpha(double precision,double precision,bigint,integer)', 'immutable safe', 'public'),
	('pegs_cost(text,bigint,double precision,bigint,double precision,jsonb)', 'stable unsafe', 'public'),
	('pegs_describe(text)', 'stable restricted', 'public'),
	('pegs_disallow(name)', 'volatile unsafe', ''),
	('pegs_best(regclass,text[],double precision,text)', 'volatile unsafe', ''),
	('pegs_disclosure(regclass,regclass,name[],name,name[])', 'volatile unsafe', ''),
	('pegs_disclosure_of(text,name[],name)', 'volatile unsafe', ''),
	('pegs_domain(regclass)', 'stable restricted', ''),
	('pegs_generalize(regclass,name[],integer,double precision,text,name,double precision,double precision,jsonb,jsonb)', 'volatile unsafe', ''),
	('pegs_generalized(regclass,jsonb,name[])', 'volatile unsafe', ''),
	('pegs_generalize_sql(regclass,jsonb,text)', 'volatile unsafe', ''),
	('pegs_equivalence_classes(regclass,name[])', 'volatile unsafe', ''),
	('pegs_levels(regclass,name)', 'stable unsafe', ''),
	('pegs_propose(regclass,double precision,double precision)', 'stable unsafe', ''),
	('pegs_facts(regclass)', 'stable unsafe', ''),
	('pegs_declare(regclass,jsonb)', 'volatile unsafe', ''),
	('pegs_leave_out(regclass,name)', 'volatile unsafe', ''),
	('pegs_set_derived(regclass,name,text)', 'volatile unsafe', ''),
	('pegs_set_function(regclass,name,name,jsonb,text)', 'volatile unsafe', ''),
	('pegs_set_groups(regclass,name,jsonb)', 'volatile unsafe', ''),
	('pegs_set_hierarchy(regclass,name,jsonb)', 'volatile unsafe', ''),
	('pegs_hierarchy(regclass,name)', 'stable unsafe', ''),
	('pegs_drop(text)', 'volatile unsafe', 'public'),
	('pegs_plan(regclass,bigint,double precision,double precision,jsonb,text)', 'volatile unsafe', ''),
	('pegs_export(text)', 'stable unsafe', ''),
	('pegs_export_slice(text,integer)', 'stable unsafe', ''),
	('pegs_fit(text,regclass,name[],double precision,double precision,jsonb,integer,double precision,integer,jsonb,text)', 'volatile unsafe', ''),
	('pegs_fit_state(text,regclass,pegs_state,name[],double precision,double precision,jsonb,integer,double precision,integer,jsonb,text)', 'volatile unsafe', ''),
	('pegs_forbid(regclass,jsonb)', 'volatile unsafe', ''),
	('pegs_refit(text,double precision,double precision)', 'volatile unsafe', ''),
	('pegs_set_slices(regclass,name,interval,timestamp without time zone,double precision,double precision,text)', 'volatile unsafe', ''),
	('pegs_set_slices(regclass,name,double precision,double precision,anyarray)', 'volatile unsafe', ''),
	('pegs_unset_slices(regclass)', 'volatile unsafe', ''),
	('pegs_keep_slices()', 'volatile unsafe', 'public'),
	('pegs_fit_slices(text,regclass,name[],bigint,text,jsonb)', 'volatile unsafe', ''),
	('pegs_sample_slices(text,text,text,text[])', 'volatile unsafe', 'public'),
	('pegs_sample_slices_as(anyelement,text,text,text,text[])', 'volatile unsafe', 'public'),
	('pegs_grant(text,name,double precision)', 'volatile unsafe', ''),
	('pegs_health()', 'stable unsafe', ''),
	('pegs_import(text,bytea)', 'volatile unsafe', ''),
	('pegs_k_anonymity(regclass,name[],name)', 'volatile unsafe', ''),
	('pegs_learn(regclass,double precision,double precision,name[],integer)', 'volatile unsafe', ''),
	('pegs_learn_levels(regclass,name,double precision,double precision)', 'volatile unsafe', ''),
	('pegs_learn_range(regclass,name,double precision,integer)', 'volatile unsafe', ''),
	('pegs_limit(text,name,bigint,bigint)', 'volatile unsafe', ''),
	('pegs_marginals_of(text)', 'volatile unsafe', ''),
	('pegs_merge(pegs_state)', 'immutable safe', 'public'),
	('pegs_pairs(text)', 'stable unsafe', 'public'),
	('pegs_regression(regclass,regclass,text,text,name[],name[])', 'volatile unsafe', ''),
	('pegs_release(text,text,bigint,double precision,bigint,double precision,jsonb,jsonb)', 'volatile unsafe', 'public'),
	('pegs_report(text,name[],name,jsonb)', 'volatile unsafe', ''),
	('pegs_revoke(text,name)', 'volatile unsafe', ''),
	('pegs_row_type(text)', 'stable restricted', 'public'),
	('pegs_row_type(text,text)', 'stable restricted', 'public'),
	('pegs_rows(text)', 'stable restricted', 'public'),
	('pegs_rows_as(anyelement,text)', 'stable restricted', 'public'),
	('pegs_rows(text,text)', 'stable restricted', 'public'),
	('pegs_rows_as(anyelement,text,text)', 'stable restricted', 'public'),
	('pegs_ru_map(regclass,double precision[],bigint,bigint,integer,name[],jsonb,double precision,name[],name,text[],integer)', 'volatile unsafe', ''),
	('pegs_sample(text,bigint,double precision,bigint,double precision,jsonb,jsonb)', 'volatile unsafe', 'public'),
	('pegs_sample_as(anyelement,text,bigint,double precision,bigint,double precision,jsonb,jsonb)', 'volatile unsafe', 'public'),
	('pegs_order(regclass,name,name,text,integer)', 'volatile unsafe', ''),
	('pegs_set_bins(regclass,name,text[])', 'volatile unsafe', ''),
	('pegs_set_bins(regclass,name,text,text,text,text,boolean,text)', 'volatile unsafe', ''),
	('pegs_set_bins(regclass,name,anyarray,text,text,text,boolean,text)', 'volatile unsafe', ''),
	('pegs_set_bins(regclass,name,anycompatible,anycompatible,integer,text,text,text,boolean,text)', 'volatile unsafe', ''),
	('pegs_set_levels(regclass,name,text,text,text,boolean)', 'volatile unsafe', ''),
	('pegs_set_levels(regclass,name,anyarray,text,text,boolean)', 'volatile unsafe', ''),
	('pegs_set_lookup(regclass,name,regclass,name,text,boolean,name[],name)', 'volatile unsafe', ''),
	('pegs_set_unit(regclass,name,text)', 'volatile unsafe', ''),
	('pegs_set_unit(regclass,name,integer,text)', 'volatile unsafe', ''),
	('pegs_set_parent(regclass,regclass,name[],integer[],integer)', 'volatile unsafe', ''),
	('pegs_schema(regclass)', 'stable unsafe', ''),
	('pegs_fit_schema(text,regclass,name[],jsonb,double precision,double precision,boolean)', 'volatile unsafe', ''),
	('pegs_unit_cost(double precision,double precision)', 'immutable safe', ''),
	('pegs_set_budget(regclass,double precision,double precision,text)', 'volatile unsafe', ''),
	('pegs_set_levels(regclass,name,regclass,name)', 'volatile unsafe', ''),
	('pegs_set_levels(regclass,name,text[],text)', 'volatile unsafe', ''),
	('pegs_set_unit(regclass,name,integer)', 'volatile unsafe', ''),
	('pegs_spec(regclass,name[],jsonb,integer,text)', 'stable restricted', ''),
	('pegs_trace(text,double precision)', 'volatile unsafe', ''),
	('pegs_unset(regclass,name)', 'volatile unsafe', ''),
	('pegs_utility(regclass,regclass,integer,name[],text[])', 'volatile unsafe', ''),
	('pegs_utility_of(text,integer,text[])', 'volatile unsafe', ''),
	('pegs_utility_schema_of(text)', 'volatile unsafe', ''),
	('pegs_verify(text,double precision,bigint)', 'volatile unsafe', ''),
	('pegs_verify_ledger(regclass)', 'stable unsafe', ''),
	('pegs_view_sql(text,text,name,text)', 'stable unsafe', ''),
	('pegs_copy_sql(text,text)', 'stable unsafe', ''),
	('pegs_internal.table_dropped()', 'volatile unsafe', ''),
	('pegs_withdraw(text,name)', 'volatile unsafe', ''),
	('pegs_internal.agg_combine(internal,internal)', 'immutable safe', ''),
	('pegs_internal.agg_deserialize(bytea,internal)', 'immutable safe strict', ''),
	('pegs_internal.agg_final(internal)', 'immutable safe', ''),
	('pegs_internal.agg_serialize(internal)', 'immutable safe strict', ''),
	('pegs_internal.agg_transition(internal,json,"any")', 'immutable safe', ''),
	('pegs_internal.agg_transition(internal,text,"any")', 'immutable safe', ''),
	('pegs_internal.counted(bytea,"any")', 'immutable safe', 'public'),
	('pegs_internal.counted_transition(internal,bytea,"any")', 'immutable safe', ''),
	('pegs_agg_persons(json,integer,boolean,integer,boolean,"any")', 'immutable safe', 'public'),
	('pegs_internal.counted_persons(bytea,integer,boolean,integer,boolean,"any")', 'immutable safe', 'public'),
	('pegs_internal.persons_transition(internal,bytea,integer,boolean,integer,boolean,"any")', 'immutable safe', ''),
	('pegs_internal.persons_transition(internal,json,integer,boolean,integer,boolean,"any")', 'immutable safe', ''),
	('pegs_internal.persons_final(internal)', 'immutable safe', ''),
	('pegs_internal.elsewhere(numeric,bigint,oid,regclass,oid,text,bigint)', 'stable safe', 'public'),
	('pegs_internal.home()', 'volatile unsafe', ''),
	('pegs_internal.allow_again()', 'volatile unsafe', ''),
	('pegs_internal.report_escape(text)', 'immutable safe', 'public'),
	('pegs_internal.report_kinships()', 'immutable safe', 'public'),
	('pegs_internal.report_nearness(double precision,double precision)', 'immutable safe', 'public'),
	('pegs_internal.report_related(text,jsonb,jsonb)', 'immutable safe', 'public'),
	('pegs_internal.report_map(jsonb,double precision,double precision)', 'immutable safe', 'public'),
	('pegs_internal.report_marginal(text,jsonb,double precision)', 'immutable safe', 'public'),
	('pegs_internal.report_mark(text)', 'immutable safe', 'public'),
	('pegs_internal.report_measured(jsonb,text[])', 'immutable safe', 'public'),
	('pegs_internal.report_measures()', 'immutable safe', 'public'),
	('pegs_internal.report_number(double precision)', 'immutable safe', 'public'),
	('pegs_internal.report_at_most(numeric)', 'immutable safe', 'public'),
	('pegs_internal.report_opinion(jsonb)', 'immutable safe', 'public'),
	('pegs_internal.report_options(jsonb)', 'volatile safe', 'public'),
	('pegs_internal.report_pairs(jsonb,jsonb)', 'immutable safe', 'public'),
	('pegs_internal.report_papers(jsonb)', 'immutable safe', 'public'),
	('pegs_internal.report_rules()', 'immutable safe', 'public'),
	('pegs_internal.report_style()', 'immutable safe', 'public'),
	('pegs_internal.report_method(text)', 'volatile unsafe', 'public'),
	('pegs_internal.report_titles()', 'immutable safe', 'public'),
	('pegs_internal.report_scores(text,name)', 'volatile unsafe', 'public'),
	('pegs_internal.report_reach(jsonb)', 'immutable safe', 'public'),
	('pegs_internal.report_averages_of(jsonb)', 'immutable safe', 'public'),
	('pegs_internal.report_averages(regclass,name,jsonb,name[],text[])', 'volatile unsafe', 'public'),
	('pegs_internal.report_published(jsonb,text,text)', 'immutable safe', 'public'),
	('pegs_internal.report_alone(jsonb)', 'immutable safe', 'public'),
	('pegs_internal.report_trials(regclass,double precision[],bigint,bigint,integer,name[],jsonb,double precision,name[],name,text[],integer,boolean)', 'volatile unsafe', 'public'),
	('pegs_internal.report_verdicts(jsonb)', 'immutable safe', 'public'),
	('pegs_internal.report_guesses(jsonb)', 'immutable safe', 'public'),
	('pegs_internal.report_numbers(jsonb)', 'immutable safe', 'public'),
	('pegs_internal.report_numeric(jsonb)', 'immutable safe', 'public'),
	('pegs_internal.report_percent(double precision)', 'immutable safe', 'public'),
	('pegs_internal.summary_meaning(jsonb)', 'immutable safe', 'public'),
	('pegs_internal.summary_noise(jsonb)', 'immutable safe', 'public'),
	('pegs_internal.called(text,boolean,double precision)', 'immutable safe', 'public'),
	('pegs_internal.guarantee(text,boolean,double precision)', 'immutable safe', 'public'),
	('pegs_internal.leftovers()', 'volatile unsafe', 'public'),
	('pegs_internal.may_use(bigint,regclass)', 'stable unsafe', 'public'),
	('pegs_internal.merge_transition(internal,pegs_state)', 'immutable safe', ''),
	('pegs_internal.sample_support(internal)', 'immutable safe strict', ''),
	('pegs_internal.spent(regclass,boolean)', 'volatile unsafe', 'public'),
	('pegs_internal.in_rho(regclass)', 'volatile unsafe', 'public'),
	('pegs_internal.same_rows(regclass[])', 'volatile unsafe', 'public'),
	('pegs_internal.served_by(regclass[])', 'volatile unsafe', 'public'),
	('pegs_internal.led_back()', 'volatile unsafe', 'public'),
	('pegs_internal.slices_refused()', 'volatile unsafe', 'public'),
	('pegs_internal.taken()', 'volatile unsafe', 'public'),
	('pegs_internal.state_in(cstring)', 'immutable safe strict', 'public'),
	('pegs_internal.state_out(pegs_state)', 'immutable safe strict', 'public'),
	('pegs_internal.state_recv(internal)', 'immutable safe strict', 'public'),
	('pegs_internal.state_send(pegs_state)', 'immutable safe strict', 'public'),
	('pegs_internal.strip_rights()', 'volatile unsafe', ''),
	('pegs_internal.unmasked(bytea)', 'immutable safe strict', '');

SELECT * FROM no_plan();

-- what belongs to the extension; without the row and array types that come along with others (members since 17)
CREATE TEMPORARY VIEW member AS
SELECT classid, objid, pg_describe_object(classid, objid, 0) AS object
FROM pg_depend
WHERE deptype = 'e' AND refclassid = 'pg_extension'::regclass
	AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'pegs')
	AND NOT (classid = 'pg_type'::regclass AND objid IN (SELECT oid FROM pg_type WHERE typrelid <> 0 OR typcategory = 'A'));

CREATE TEMPORARY VIEW function AS
SELECT p.*, p.oid::regprocedure::text AS function,
	concat_ws(' ', CASE provolatile WHEN 'v' THEN 'volatile' WHEN 's' THEN 'stable' WHEN 'i' THEN 'immutable' END,
		CASE proparallel WHEN 'u' THEN 'unsafe' WHEN 'r' THEN 'restricted' WHEN 's' THEN 'safe' END,
		CASE WHEN proisstrict THEN 'strict' END, CASE WHEN proleakproof THEN 'leakproof' END) AS label,
	CASE WHEN EXISTS (SELECT FROM aclexplode(coalesce(proacl, acldefault('f', proowner))) WHERE grantee = 0)
		THEN 'public' ELSE '' END AS rights
FROM pg_proc AS p JOIN member ON classid = 'pg_proc'::regclass AND objid = p.oid;

CREATE TEMPORARY VIEW relation AS
SELECT c.*, c.oid::regclass::text AS relation
FROM pg_class AS c JOIN member ON classid = 'pg_class'::regclass AND objid = c.oid;

SELECT cmp_ok((SELECT count(*) FROM function), '>', 40::bigint, 'the extension has functions');
SELECT cmp_ok((SELECT count(*) FROM relation WHERE relkind = 'r'), '>', 5::bigint, 'and tables');
SELECT cmp_ok((SELECT count(*) FROM relation WHERE relkind = 'v'), '>', 3::bigint, 'and views');

---- words
SELECT is_empty($$
	SELECT object FROM member WHERE coalesce(obj_description(objid, classid::regclass::name), '') !~ '\w{2}.*\w{2}'
	$$, 'every object has a comment');
SELECT is_empty($$
	SELECT relation, attname FROM relation AS r JOIN pg_attribute ON attrelid = r.oid
	WHERE relkind = 'v' AND attnum > 0 AND coalesce(col_description(r.oid, attnum), '') !~ '\w{2}.*\w{2}'
	$$, 'every column of a view has a comment');
-- \df shows the names, and a caller uses them
SELECT is_empty($$
	SELECT function FROM function
	WHERE prokind = 'f' AND pronamespace = 'pegs'::regnamespace AND pronargs > 0
		AND (proargnames IS NULL OR '' = ANY (proargnames[1:pronargs]))
	$$, 'every argument of a public function has a name');
SELECT is_empty($$
	SELECT object FROM member
	WHERE object !~ '^(function|type|view|event trigger) pegs_[a-z_]+' AND object !~ '^(function|table|sequence|view) pegs_internal\.'
		AND object <> 'schema pegs_internal'
	$$, 'a name begins with pegs_ or lives in pegs_internal');

---- labels and rights
SELECT is_empty($$
	SELECT *, 'in the catalog' AS is FROM (SELECT function, label, rights FROM function EXCEPT SELECT * FROM reviewed) AS a
	UNION ALL
	SELECT *, 'reviewed' FROM (SELECT * FROM reviewed EXCEPT SELECT function, label, rights FROM function) AS b
	$$, 'volatility, parallel label, strictness and PUBLIC''s rights of each function are the reviewed ones');
SELECT is_empty($$
	SELECT function FROM function WHERE prosecdef
	$$, 'no function runs with its owner''s rights');
SELECT is_empty($$
	SELECT function, lanname FROM function JOIN pg_language AS l ON l.oid = prolang WHERE lanname NOT IN ('c', 'sql', 'internal')
	$$, 'functions are C or SQL');
-- of the caller's search_path nothing is read: C functions pin their own where they run SQL
SELECT is_empty($$
	SELECT function, proconfig FROM function
	WHERE prolang = (SELECT oid FROM pg_language WHERE lanname = 'sql')
		AND prosqlbody IS NULL AND NOT 'search_path=pg_catalog, pg_temp' = ANY (coalesce(proconfig, '{}'))
	$$, 'an SQL function has a body that was read at its creation, or a search_path of its own');
SELECT is_empty($$
	SELECT function FROM function
	WHERE proretset AND (prorows = 0 OR prorows IS NULL)
	$$, 'the planner is told a number of rows');

SELECT is_empty($$
	SELECT relation, grantee, privilege_type FROM relation, aclexplode(relacl)
	WHERE grantee <> relowner AND NOT (grantee = 0 AND privilege_type = 'SELECT' AND relkind = 'v' AND relnamespace = 'pegs'::regnamespace)
	$$, 'nobody has a right on a relation, but PUBLIC to read the public views');
SELECT is_empty($$
	SELECT relation, attname FROM relation AS r JOIN pg_attribute ON attrelid = r.oid WHERE attacl IS NOT NULL
	$$, 'nor on a column');
SELECT is((SELECT nspacl FROM pg_namespace WHERE nspname = 'pegs_internal'), NULL, 'nor on the schema pegs_internal');
SELECT is_empty($$
	SELECT relation FROM relation
	WHERE relkind = 'v' AND relnamespace = 'pegs'::regnamespace AND NOT 'security_barrier=true' = ANY (coalesce(reloptions, '{}'))
	$$, 'a cheap function in a WHERE does not run before a view''s own condition');

---- storage
-- A table that is not marked comes back empty from a dump: a full refund. What the marks leave out is tested in test/t.
-- pegs_internal.origin is numbers of transactions: they mean nothing elsewhere.
SELECT is_empty($$
	SELECT relation FROM relation
	WHERE relkind IN ('r', 'S') AND relation <> 'pegs_internal.origin' AND NOT oid = ANY (SELECT unnest(extconfig) FROM pg_extension WHERE extname = 'pegs')
	$$, 'every table and sequence is in a dump');
SELECT is_empty($$
	SELECT relation, relpersistence FROM relation WHERE relkind IN ('r', 'S') AND relpersistence <> 'p'
	$$, 'and survives a crash');
-- ANALYZE would copy counts and keys into pg_statistic; a compressed value tells by its size what is in it
SELECT is_empty($$
	SELECT relation, attname FROM relation AS r JOIN pg_attribute ON attrelid = r.oid
	WHERE relkind = 'r' AND atttypid = 'bytea'::regtype AND attstattarget IS DISTINCT FROM 0
	$$, 'no statistics of bytes');
SELECT is_empty($$
	SELECT relation, attname FROM relation AS r JOIN pg_attribute ON attrelid = r.oid
	WHERE relkind = 'r' AND attname IN ('body', 'codes') AND attstorage <> 'e'
	$$, 'counts and rows are stored uncompressed');
-- \df+ has functions of one name by their arguments, in no order of ours
SELECT is_empty($$
	SELECT objid::regprocedure FROM pg_depend AS d JOIN pg_extension AS e ON e.oid = d.refobjid AND e.extname = 'pegs'
	WHERE d.classid = 'pg_proc'::regclass AND d.deptype = 'e' AND obj_description(objid, 'pg_proc') ~ '^the same of '
	$$, 'no comment leans on that of another function');

SELECT * FROM finish();
