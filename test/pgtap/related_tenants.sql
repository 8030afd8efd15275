-- Keys of related tables that have a tenant in each of them, of types that take no number, and of columns that something was declared for.
SET client_min_messages = warning;
CREATE EXTENSION pegs;
SELECT * FROM no_plan();
\ir lib/said.sql
CREATE FUNCTION spent(t regclass) RETURNS numeric LANGUAGE sql AS $$ SELECT spent FROM pegs_budgets WHERE source = t $$;

---- a tenant is in every key: a part of the parent's key does not say which row the parent is
CREATE TABLE org (org int PRIMARY KEY, v text NOT NULL CHECK (v IN ('a', 'b')));
CREATE TABLE member (org int REFERENCES org, id int, v text NOT NULL CHECK (v IN ('a', 'b')), PRIMARY KEY (org, id));
CREATE TABLE task (org int, id int, mid int NOT NULL, v text NOT NULL CHECK (v IN ('a', 'b')), PRIMARY KEY (org, id), FOREIGN KEY (org, mid) REFERENCES member);
CREATE TABLE note (org int, task int, line int, v text NOT NULL CHECK (v IN ('a', 'b')), PRIMARY KEY (org, task, line), FOREIGN KEY (org, task) REFERENCES task);
CREATE TABLE memo (org int NOT NULL, mid int, line int, v text NOT NULL CHECK (v IN ('a', 'b')), PRIMARY KEY (mid, line), FOREIGN KEY (org, mid) REFERENCES member);
CREATE TABLE badge (org int NOT NULL, mid int NOT NULL, v text NOT NULL CHECK (v IN ('a', 'b')), UNIQUE (mid), FOREIGN KEY (org, mid) REFERENCES member);
CREATE TABLE pair (org int REFERENCES org, line int, x int NOT NULL, v text NOT NULL CHECK (v IN ('a', 'b')), PRIMARY KEY (org, line), UNIQUE (x, line));
CREATE TABLE half (x int, line int, v text NOT NULL CHECK (v IN ('a', 'b')), FOREIGN KEY (x, line) REFERENCES pair (x, line));
INSERT INTO org SELECT i, 'a' FROM generate_series(1, 50) AS i;
INSERT INTO member SELECT i, j, 'a' FROM generate_series(1, 50) AS i, generate_series(1, 3) AS j;
INSERT INTO task SELECT i, j * 10 + k, j, 'b' FROM generate_series(1, 50) AS i, generate_series(1, 3) AS j, generate_series(1, 3) AS k;
INSERT INTO note SELECT org, id, 1, 'a' FROM task; INSERT INTO memo SELECT 1, j, 1, 'a' FROM generate_series(1, 3) AS j; INSERT INTO badge SELECT 1, j, 'a' FROM generate_series(1, 3) AS j;
INSERT INTO pair SELECT i, j, i, 'a' FROM generate_series(1, 50) AS i, generate_series(1, 3) AS j; INSERT INTO half SELECT x, line, v FROM pair;
SELECT pegs_set_parent('member', 'org', children => '{0, 1, 2, 3}', at_most => 4), pegs_set_parent('task', 'member', children => '{0, 1, 2, 3}', at_most => 4),
	pegs_set_parent('note', 'task', children => '{0, 1}', at_most => 2), pegs_set_parent('memo', 'member', children => '{0, 1}', at_most => 2), pegs_set_parent('badge', 'member', children => '{0, 1}', at_most => 1),
	pegs_set_parent('pair', 'org', children => '{0, 1, 2, 3}', at_most => 4), pegs_set_parent('half', 'pair', children => '{0, 1}', at_most => 2);
SELECT pegs_set_budget('org', 1e5);
SELECT is_empty($$SELECT problem FROM pegs_schema('org') WHERE problem IS NOT NULL$$, 'tenants are no problem');
SELECT pegs_fit_schema('tenants', 'org', epsilon => 200);
SELECT is((SELECT count(*) || ' ' || count(DISTINCT (org, id)) FROM pegs_sample_as(NULL::task, 'tenants', 50, options => '{"table": "task"}')), (SELECT count(*) || ' ' || count(*) FROM pegs_sample_as(NULL::task, 'tenants', 50, options => '{"table": "task"}')), 'a key is each once');
SELECT is((SELECT count(*) || ' ' || count(DISTINCT (mid, line)) FROM pegs_sample_as(NULL::memo, 'tenants', 50, options => '{"table": "memo"}')), (SELECT count(*) || ' ' || count(*) FROM pegs_sample_as(NULL::memo, 'tenants', 50, options => '{"table": "memo"}')), 'also by another part of the parent''s');
SELECT ok((SELECT count(*) > 200 FROM pegs_sample_as(NULL::task, 'tenants', 50, options => '{"table": "task"}')), 'and there are enough');
SELECT is((SELECT count(*) FROM pegs_sample_as(NULL::member, 'tenants', 50, options => '{"table": "member"}') WHERE id > 4), 0::bigint, 'of one parent they are lines still');
SELECT is((SELECT c -> 'may_repeat' FROM pegs_certificate('tenants') AS c), '["rows of badge may repeat (mid), which the original has unique"]'::jsonb, 'of what may repeat it is said');
SELECT pegs_copy_sql('tenants', 'copied') \gexec
SELECT is((SELECT array_agg(c.relname::text ORDER BY c.relname) FROM pg_constraint AS k JOIN pg_class AS c ON c.oid = k.conrelid WHERE k.connamespace = 'copied'::regnamespace AND k.contype = 'p'), '{member,memo,note,org,pair,task}'::text[], 'copies have the keys');
SELECT is((SELECT count(*) FROM pg_constraint WHERE connamespace = 'copied'::regnamespace AND contype = 'f'), 7::bigint, 'and the references, also by another key');

---- a reference to itself inside of a tenant: NULL, and harmless
CREATE TABLE tree (org int, id int, up int, v text NOT NULL CHECK (v IN ('a', 'b')), PRIMARY KEY (org, id), FOREIGN KEY (org, up) REFERENCES tree);
CREATE TABLE leaf (org int, tree int, v text NOT NULL CHECK (v IN ('a', 'b')), FOREIGN KEY (org, tree) REFERENCES tree);
INSERT INTO tree SELECT i % 5, i, NULL, 'a' FROM generate_series(1, 100) AS i; INSERT INTO leaf SELECT org, id, 'b' FROM tree;
SELECT pegs_set_parent('leaf', 'tree', '{org, tree}', children => '{0, 1, 2}', at_most => 3), pegs_set_budget('tree', 1e5);
SELECT is(said($$SELECT pegs_set_parent('tree', 'tree')$$), '22023 | table "tree" refers to itself | A unit would hang on another. | Leave the column out of models: SELECT pegs_leave_out(''public.tree'', ''up'');', 'not the tenant is left out');
SELECT results_eq($$SELECT source::text, problem FROM pegs_schema('tree') WHERE problem IS NOT NULL$$, $$VALUES ('tree', 'it refers to itself: column "up" is left out')$$, 'a tree in a tenant links no private rows');
SELECT pegs_fit_schema('trees', 'tree', columns => '{"tree": ["v"]}', epsilon => 50);
SELECT pegs_copy_sql('trees', 'planted') \gexec
SELECT ok((SELECT count(*) > 50 AND count(up) = 0 FROM planted.tree JOIN planted.leaf ON (leaf.org, leaf.tree) = (tree.org, tree.id)), 'its rows have no other above them');
SELECT ok(pegs_certificate('trees') ->> 'not_protected' LIKE '%; a row of public.tree in the rows of tree that refer to it by org, up', 'and the certificate says that those are not protected');
UPDATE tree SET up = id; ALTER TABLE tree ALTER COLUMN up SET NOT NULL;
SELECT ok(said($$SELECT pegs_fit_schema('trees 2', 'tree', columns => '{"tree": ["v"]}', epsilon => 50)$$) LIKE '0A000 | table "tree" refers to itself | A unit would hang on another. The column is not modelled, and "org" cannot be NULL.%', 'where it cannot be NULL it is refused');

---- types that take no number: before the charge, and pegs_schema says so
CREATE TYPE mood AS ENUM ('up', 'down');
CREATE FUNCTION tables_of(type text, value text) RETURNS void LANGUAGE plpgsql AS $$ BEGIN
	EXECUTE format('CREATE TABLE p (id %s PRIMARY KEY, v text NOT NULL CHECK (v IN (''a'', ''b'')));
		CREATE TABLE c (p %1$s NOT NULL REFERENCES p, n int, v text NOT NULL CHECK (v IN (''a'', ''b'')), PRIMARY KEY (p, n)); CREATE TABLE d (p %1$s, n int, v text NOT NULL CHECK (v IN (''a'', ''b'')), FOREIGN KEY (p, n) REFERENCES c);
		INSERT INTO p VALUES (%2$L, ''a''); INSERT INTO c VALUES (%2$L, 1, ''a'')', type, value);
	PERFORM pegs_set_parent('c', 'p', children => '{0, 1}', at_most => 2), pegs_set_parent('d', 'c', children => '{0, 1}', at_most => 2), pegs_set_budget('p', 1e5); END $$;
-- what is refused, what pegs_schema says, the hint being its remedy; pasted, a fit comes to the charge, which this transaction cannot have
CREATE FUNCTION of_type(type text, value text) RETURNS SETOF text LANGUAGE plpgsql AS $$ DECLARE r text; remedies text; BEGIN
	PERFORM tables_of(type, value);
	RETURN QUERY SELECT source || ': ' || problem FROM pegs_schema('p') WHERE problem IS NOT NULL;
	r := said($q$SELECT pegs_fit_schema('of_type', 'p', epsilon => 1)$q$);
	RETURN NEXT split_part(r, ' | ', 1) || ' ' || split_part(r, ' | ', 2);
	SELECT remedy INTO remedies FROM pegs_schema('p') WHERE problem IS NOT NULL;
	RETURN NEXT r LIKE '% | As text: ' || replace(remedies, '\', '\\');
	EXECUTE regexp_replace(remedies, '\m(BEGIN|COMMIT); ', '', 'g');
	RETURN QUERY SELECT source || ': ' || problem FROM pegs_schema('p') WHERE problem IS NOT NULL;
	RETURN NEXT left(said($q$SELECT pegs_fit_schema('of_type', 'p', epsilon => 1)$q$), 72);
	DROP TABLE d, c, p; END $$;
SELECT results_eq(format('SELECT of_type(%L, %L)', type, value), ARRAY[format('p: its column "id" is a key, and type %s takes no running number', coalesce(name, type)), format('42804 column "id" of table "p" is a key, and its type %s takes no running number', coalesce(name, type)),
	'true', '55000 | the budget was created or changed in this transaction | A charge'], type)
	FROM (VALUES ('mood', 'up', NULL), ('boolean', 't', NULL), ('oid', '1', NULL), ('integer[]', '{1}', NULL), ('int4range', '[1,2)', NULL), ('inet', '1.1.1.1', NULL),
		('"char"', 'a', NULL), ('time', '1:00', 'time without time zone'), ('money', '1', NULL), ('numeric(3, 3)', '.1', 'numeric(3,3)')) AS v (type, value, name);
-- of which equal values are several texts: a comment, and nothing was run
SELECT is((SELECT array_agg(o ORDER BY i) FROM of_type(type, value) WITH ORDINALITY AS u (o, i)), ARRAY[format('p: its column "id" is a key, and type %s takes no running number', type), format('42804 column "id" of table "p" is a key, and its type %s takes no running number', type),
	'true', format('p: its column "id" is a key, and type %s takes no running number', type), left(format('42804 | column "id" of table "p" is a key, and its type %s takes no running number', type), 72)], type)
	FROM (VALUES ('jsonb', '1'), ('interval', '1 day')) AS v (type, value);
SELECT tables_of('bytea', '\x01');
SELECT is(said($$SELECT pegs_fit_schema('bytes', 'p', epsilon => 50)$$), '42804 | column "id" of table "p" is a key, and its type bytea takes no running number | Keys are made anew. Nothing was charged. | As text: BEGIN; ALTER TABLE public.c DROP CONSTRAINT c_p_fkey; ALTER TABLE public.d DROP CONSTRAINT d_p_n_fkey; '
	'ALTER TABLE public.p ALTER COLUMN id TYPE text USING id::text; ALTER TABLE public.c ALTER COLUMN p TYPE text USING p::text; ALTER TABLE public.d ALTER COLUMN p TYPE text USING p::text; '
	'ALTER TABLE public.c ADD CONSTRAINT c_p_fkey FOREIGN KEY (p) REFERENCES public.p(id); ALTER TABLE public.d ADD CONSTRAINT d_p_n_fkey FOREIGN KEY (p, n) REFERENCES public.c(p, n); COMMIT; -- for good: whoever reads or writes these columns has texts in place of bytea', 'bytea, and the keys of the tables below');
SELECT is(spent('p'), 0::numeric, 'nothing was charged');
SELECT remedy FROM pegs_schema('p') WHERE problem IS NOT NULL \gset
:remedy
SELECT pegs_fit_schema('bytes', 'p', epsilon => 50);
SELECT pegs_copy_sql('bytes', 'of_texts') \gexec
SELECT is((SELECT count(*) FROM pg_constraint WHERE connamespace = 'of_texts'::regnamespace AND contype IN ('p', 'f')), 4::bigint, 'as texts a copy has them');

---- a column of the primary key that something was declared for
CREATE TABLE k (id int PRIMARY KEY, v text NOT NULL CHECK (v IN ('a', 'b')));
CREATE TABLE c2 (id int, k int NOT NULL REFERENCES k, day date, v text NOT NULL CHECK (v IN ('a', 'b')), PRIMARY KEY (id, day)) PARTITION BY RANGE (day);
CREATE TABLE c2_1 PARTITION OF c2 DEFAULT;
CREATE TABLE c3 (k int NOT NULL REFERENCES k, day date, v text NOT NULL CHECK (v IN ('a', 'b')), PRIMARY KEY (k, day));
CREATE TABLE c4 (k int NOT NULL REFERENCES k, line int, day date, v text NOT NULL CHECK (v IN ('a', 'b')), PRIMARY KEY (k, line, day));
INSERT INTO k SELECT i, 'a' FROM generate_series(1, 100) AS i;
INSERT INTO c2 SELECT i, i, '2024-06-01', 'a' FROM generate_series(1, 100) AS i; INSERT INTO c3 SELECT i, '2024-06-01', 'a' FROM generate_series(1, 100) AS i; INSERT INTO c4 SELECT i, 1, '2024-06-01', 'a' FROM generate_series(1, 100) AS i;
SELECT pegs_set_bins(c, 'day', '{2024-01-01, 2024-07-01, 2025-01-01}'), pegs_set_parent(c, 'k', children => '{0, 1, 2}', at_most => 3) FROM unnest('{c2,c3,c4}'::regclass[]) AS c;
SELECT pegs_set_budget('k', 1e5);
SELECT results_eq($$SELECT source::text, problem, remedy FROM pegs_schema('k') WHERE problem IS NOT NULL$$, $$VALUES ('c3', 'its column "day" is a key: what is declared for it is not used, it is a running number',
	'-- with another primary key, which changes the table: ALTER TABLE public.c3 ADD COLUMN c3_number bigserial, DROP CONSTRAINT c3_pkey, ADD PRIMARY KEY (c3_number), ADD UNIQUE (k, day);')$$, 'where nothing else tells rows apart, it is said');
\setenv PGDATABASE :DBNAME
\set told `psql -XqAt -c "SET client_min_messages = notice" -c "SELECT pegs_fit_schema('declared', 'k', epsilon => 200)" 2>&1 | sed -n 's/^NOTICE: *//p; s/^HINT: *//p'`
SELECT is(:'told'::text, 'column "day" of table "c3" is a key: what is declared for it is not used, it is a running number
To have it modelled, with another primary key: ALTER TABLE public.c3 ADD COLUMN c3_number bigserial, DROP CONSTRAINT c3_pkey, ADD PRIMARY KEY (c3_number), ADD UNIQUE (k, day);', 'and by a NOTICE of the fit');
SELECT ok((SELECT count(*) > 50 AND min(day) >= '2024-01-01' AND max(day) <= '2025-01-01' AND count(DISTINCT id) = count(*) FROM pegs_sample_as(NULL::c2, 'declared', 100, options => '{"table": "c2"}')), 'it is modelled, and another column numbers the rows');
SELECT ok((SELECT count(*) > 50 AND min(day) >= '2024-01-01' AND max(day) <= '2025-01-01' AND max(line) <= 3 FROM pegs_sample_as(NULL::c4, 'declared', 100, options => '{"table": "c4"}')), 'or those of a parent');
SELECT is((SELECT c -> 'may_repeat' FROM pegs_certificate('declared') AS c), NULL, 'no key repeats');
SELECT pegs_copy_sql('declared', 'kept') \gexec
SELECT is((SELECT array_agg(d ORDER BY d COLLATE "C") FROM (SELECT pg_get_constraintdef(oid) AS d FROM pg_constraint WHERE connamespace = 'kept'::regnamespace AND contype = 'p') AS t), '{"PRIMARY KEY (id)","PRIMARY KEY (id, day)","PRIMARY KEY (k, day)","PRIMARY KEY (k, line, day)"}'::text[], 'and copies have it');
SELECT substring(remedy FROM 'ALTER.*') AS remedy FROM pegs_schema('k') WHERE problem IS NOT NULL \gset
:remedy
SELECT is_empty($$SELECT problem FROM pegs_schema('k') WHERE problem IS NOT NULL$$, 'pasted');
SELECT throws_ok($$INSERT INTO c3 SELECT k, day, v FROM c3 LIMIT 1$$, '23505', NULL, 'and the table refuses what it refused');
SELECT pegs_fit_schema('repaired', 'k', epsilon => 200);
SELECT ok((SELECT count(*) > 50 AND min(day) >= '2024-01-01' AND count(DISTINCT c3_number) = count(*) FROM pegs_sample_as(NULL::c3, 'repaired', 100, options => '{"table": "c3"}')), 'it is modelled then');

---- a type that numbers some rows of a parent, and not as many as it may have
CREATE TABLE few (id int PRIMARY KEY, sex text NOT NULL CHECK (sex IN ('F', 'M')));
CREATE TABLE many (pid int REFERENCES few, line varchar(1), w boolean NOT NULL, PRIMARY KEY (pid, line));
SELECT pegs_set_parent('many', 'few', children => '{0, 1, 2}', at_most => 20), pegs_set_budget('few', 100);
SELECT is((SELECT problem FROM pegs_schema('few') WHERE problem IS NOT NULL), 'its column "line" is a key, and type character varying(1) numbers fewer rows than the 20 that one parent may have', 'pegs_schema says it');
SELECT is(said($$SELECT pegs_fit_schema('numbered', 'few', epsilon => 1)$$), '42804 | column "line" of table "many" is a key, and its type character varying(1) numbers fewer rows than the 20 that one parent may have'
	' | Keys are made anew. Nothing was charged. | As text: ALTER TABLE public.many ALTER COLUMN line TYPE text USING line::text; -- for good: whoever reads or writes these columns has texts in place of character varying', 'a fit is refused');
SELECT is((SELECT spent FROM pegs_budgets WHERE source = 'few'::regclass), 0::numeric, 'before it is charged');
SELECT pegs_set_parent('many', NULL); SELECT pegs_set_parent('many', 'few', children => '{0, 1, 2}', at_most => 9);
SELECT is_empty($$SELECT problem FROM pegs_schema('few') WHERE problem IS NOT NULL$$, 'nine it numbers');
SELECT is(said($$SELECT pegs_fit_schema('numbered', 'few', epsilon => 1)$$), 'ok', 'and is fitted');
SELECT is(said($$SELECT * FROM pegs_sample_as(NULL::many, 'numbered', 2000, options => '{"table": "many"}')$$), 'ok', 'and read');

---- a second key to the same row, with a column that is a copy of its
CREATE TABLE person (id int PRIMARY KEY, sex text NOT NULL CHECK (sex IN ('F', 'M')), UNIQUE (sex, id));
CREATE TABLE stay (id int PRIMARY KEY, pid int NOT NULL REFERENCES person, psex text NOT NULL, w boolean NOT NULL, CONSTRAINT same_sex FOREIGN KEY (psex, pid) REFERENCES person (sex, id));
INSERT INTO person SELECT i, CASE i % 2 WHEN 0 THEN 'F' ELSE 'M' END FROM generate_series(1, 200) AS i; INSERT INTO stay SELECT id, id, sex, true FROM person;
SELECT pegs_set_parent('stay', 'person', '{pid}', children => '{0, 1}', at_most => 1), pegs_set_budget('person', 100);
SELECT is((SELECT problem FROM pegs_schema('person') WHERE problem IS NOT NULL), 'it refers to "person", too, by "psex", which cannot be NULL: no model has it', 'a copy of what the parent has, without values');
SELECT pegs_set_levels('stay', 'psex', '{F, M}');
SELECT is((SELECT problem || ' | ' || remedy FROM pegs_schema('person') WHERE problem IS NOT NULL), 'its "psex" is that of its row of "person" by foreign key "same_sex", and is modelled by itself: rows may have another one'
	' | ALTER TABLE public.stay ALTER COLUMN psex DROP NOT NULL; SELECT pegs_leave_out(''public.stay'', ''psex'');', 'with values it is modelled by itself, and pegs_schema says it');
\set told `psql -XqAt -c "SET client_min_messages = notice" -c "SELECT pegs_fit_schema('stays', 'person', epsilon => 1)" 2>&1 | sed -n 's/^NOTICE: *//p' | grep psex`
SELECT is(:'told'::text, 'column "psex" of table "stay" is that of its row of "person" by foreign key "same_sex", and is modelled by itself: rows may have another one', 'so does a NOTICE of the fit');
SELECT is(c -> 'may_repeat', '["rows of stay may have another psex than the row of person that they belong to, which has the same in the original"]', 'and the certificate') FROM pegs_certificate('stays') AS c;
SELECT is(c -> 'not_covered', NULL, 'where it is the row of the unit, which is protected') FROM pegs_certificate('stays') AS c;
SELECT remedy FROM pegs_schema('person') WHERE problem IS NOT NULL \gexec
SELECT is_empty($$SELECT problem FROM pegs_schema('person') WHERE problem IS NOT NULL$$, 'left out it is no problem');
SELECT pegs_fit_schema('without', 'person', epsilon => 1);
SELECT is(c ->> 'may_repeat', NULL, 'nor does the certificate say it') FROM pegs_certificate('without') AS c;
SELECT * FROM finish();
