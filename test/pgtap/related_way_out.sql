-- Related tables: the way out that is printed runs, repairs, and breaks nothing of the source. Small schemas, one for each case.
SET client_min_messages = warning;
CREATE EXTENSION pegs;
SELECT * FROM no_plan();
\ir lib/said.sql
-- of a table: what pegs_schema says of it
CREATE FUNCTION told(root regclass, t regclass) RETURNS text LANGUAGE sql AS $$ SELECT concat_ws(' | ', problem, remedy) FROM pegs_schema(root) WHERE source = t $$;
-- its remedy is run, and what it says then
CREATE FUNCTION after(root regclass, t regclass) RETURNS text LANGUAGE plpgsql AS $$ DECLARE r text; s text; BEGIN SELECT remedy INTO r FROM pegs_schema(root) WHERE source = t;
	/* no transaction in a transaction */
	s := said(regexp_replace(r, '\m(BEGIN|COMMIT); ', '', 'g')); RETURN CASE WHEN s = 'ok' THEN told(root, t) ELSE s END; END $$;
CREATE FUNCTION fitted(root text) RETURNS text LANGUAGE sql AS $$ SELECT said(format('SELECT pegs_fit_schema(%L, %L, epsilon => 0.5, delta => 1e-7)', 'm ' || root, root)) $$;

---- a key is unique in all rows: an index of some of them, or one that is not valid, makes none
CREATE TABLE partial (id int PRIMARY KEY, kind text CHECK (kind IN ('x', 'y')), is_default boolean);
CREATE UNIQUE INDEX ON partial (kind) WHERE kind = 'x';
CREATE UNIQUE INDEX ON partial (is_default) WHERE is_default;
CREATE TABLE partial_c (id int PRIMARY KEY, pid int REFERENCES partial, w boolean NOT NULL);
INSERT INTO partial SELECT i, CASE i WHEN 1 THEN 'x' ELSE 'y' END, i = 1 FROM generate_series(1, 50) AS i;
SELECT pegs_set_parent('partial_c', 'partial', children => '{0, 1}', at_most => 1), pegs_set_budget('partial', 10, 1e-6);
SELECT is((SELECT array_agg(column_name || ': ' || levels::text ORDER BY column_name) FROM pegs_domain('partial') WHERE levels IS NOT NULL), '{"is_default: {f,t,NULL}","kind: {x,y,NULL}"}', 'an index of some rows: both have values');
SELECT is(told('partial', 'partial'), '', 'nor are they made anew');
SELECT is(fitted('partial'), 'ok', 'so they are fitted');

---- as text: foreign keys stay as they are declared
CREATE TABLE bytes (id bytea PRIMARY KEY, v boolean NOT NULL);
CREATE TABLE bytes_c (id int PRIMARY KEY, pid bytea CONSTRAINT fk REFERENCES bytes ON UPDATE RESTRICT ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED, w boolean NOT NULL);
CREATE INDEX ON bytes_c (pid);
INSERT INTO bytes SELECT decode(md5(i::text), 'hex'), true FROM generate_series(1, 50) AS i; INSERT INTO bytes_c SELECT i, decode(md5(i::text), 'hex'), false FROM generate_series(1, 50) AS i;
SELECT pegs_set_parent('bytes_c', 'bytes', children => '{0, 1}', at_most => 1), pegs_set_budget('bytes', 10, 1e-6);
SELECT is(told('bytes', 'bytes'), 'its column "id" is a key, and type bytea takes no running number | BEGIN; ALTER TABLE public.bytes_c DROP CONSTRAINT fk; ALTER TABLE public.bytes ALTER COLUMN id TYPE text USING id::text; '
	'ALTER TABLE public.bytes_c ALTER COLUMN pid TYPE text USING pid::text; ALTER TABLE public.bytes_c ADD CONSTRAINT fk FOREIGN KEY (pid) REFERENCES public.bytes(id) ON UPDATE RESTRICT ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED; COMMIT; '
	'-- for good: whoever reads or writes these columns has texts in place of bytea', 'as text, and that it is for good');
SELECT is(after('bytes', 'bytes'), '', 'it runs, and repairs');
SELECT is((SELECT array[confdeltype::text, confupdtype::text, condeferrable::text, condeferred::text, convalidated::text] FROM pg_constraint WHERE conrelid = 'bytes_c'::regclass AND contype = 'f'), '{c,r,true,true,true}', 'the key is what it was');
SELECT is((SELECT count(*) FROM bytes JOIN bytes_c ON pid = bytes.id), 50::bigint, 'so are its rows');
---- what hangs on the type, or would not follow: a comment that says what
CREATE TYPE way_enum AS ENUM ('a', 'b'); CREATE EXTENSION citext; CREATE DOMAIN way_domain AS bytea CHECK (length(VALUE) = 1);
CREATE FUNCTION not_safe(type text, more text DEFAULT '', parent text DEFAULT NULL) RETURNS SETOF text LANGUAGE plpgsql AS $$ DECLARE r text; BEGIN
	EXECUTE format('CREATE TABLE p (id %s PRIMARY KEY, v boolean NOT NULL); CREATE TABLE c (id int PRIMARY KEY, pid %s REFERENCES p, w boolean NOT NULL)', coalesce(parent, type), type);
	EXECUTE more;
	PERFORM pegs_set_parent('c', 'p', children => '{0, 1}', at_most => 1);
	SELECT remedy INTO r FROM pegs_schema('p') WHERE source = 'p'::regclass;
	RETURN NEXT substring(r FROM '^-- no statement makes a text of it that is safe: (.*?)\. Convert it by hand');
	RETURN NEXT substring(r FROM '^BEGIN; (ALTER)');
	RETURN NEXT r ~ '^--' AND (SELECT count(*) = 1 FROM pegs_schema('p') WHERE remedy = r);
	DROP TABLE c, p CASCADE; END $$;
CREATE FUNCTION why(type text, more text DEFAULT '', parent text DEFAULT NULL) RETURNS text LANGUAGE sql AS $$ SELECT string_agg(s, ' | ') FROM not_safe(type, more, parent) AS s $$;
SELECT is(why('citext'), 'equal values of column "id" of table "p" may be different texts | true', 'citext: rows would refer to nothing');
CREATE TYPE way_cast AS ENUM ('a', 'b'); CREATE FUNCTION way_text(way_cast) RETURNS text LANGUAGE sql IMMUTABLE RETURN 'same'; CREATE CAST (way_cast AS text) WITH FUNCTION way_text(way_cast);
SELECT is(why('way_cast'), 'equal values of column "id" of table "p" may be different texts | true', 'an enum that somebody casts');
CREATE TYPE way_cast_all AS ENUM ('a', 'b'); CREATE FUNCTION way_text(way_cast_all[]) RETURNS text LANGUAGE sql IMMUTABLE RETURN 'same'; CREATE CAST (way_cast_all[] AS text) WITH FUNCTION way_text(way_cast_all[]);
SELECT is(why('way_cast_all[]'), 'equal values of column "id" of table "p" may be different texts | true', 'an array of one that somebody casts');
SELECT is(why('numeric(5,4)', '', 'numeric(3,3)'), 'columns "id" of table "p" and "pid" of table "c" have different types | true', 'digits behind the point: equal numbers are different texts');
SELECT is(why('way_domain'), 'column "id" of table "p" has a domain, and a text would not | true', 'a domain');
SELECT is(why('way_enum', 'ALTER TABLE c ADD CHECK (pid <> ''b'')'), 'constraint c_pid_check on table c depends on column "pid" of table "c" | true', 'an enum in a CHECK');
SELECT is(why('bytea', 'CREATE VIEW way_view AS SELECT id FROM p'), 'rule _RETURN on view way_view depends on column "id" of table "p" | true', 'a view');
SELECT is(why('bytea', 'ALTER TABLE c ADD g int GENERATED ALWAYS AS (length(pid)) STORED'), 'default value for column g of table c depends on column "pid" of table "c" | true', 'a generated column');
SELECT is(why('bytea', 'CREATE INDEX ON c (length(pid))'), 'index c_length_idx depends on column "pid" of table "c" | true', 'an index of an expression');
SELECT is(why('bytea', 'CREATE TABLE other (pid bytea REFERENCES p)'), 'constraint other_pid_fkey on table other depends on column "id" of table "p" | true', 'another table that refers to it');
SELECT is(why('inet', '', 'cidr'), 'columns "id" of table "p" and "pid" of table "c" have different types | true', 'two types');
SELECT is(why('bytea', 'CREATE UNIQUE INDEX ON c (pid); CREATE STATISTICS way_statistics ON pid, w FROM c; ALTER TABLE c ALTER pid SET DEFAULT ''\x01'''), 'ALTER | false', 'what follows by itself is no matter');

---- a partitioned table takes no key that is NOT VALID, before 18
CREATE TABLE parted_p (id int PRIMARY KEY, v boolean NOT NULL);
CREATE TABLE parted (id int PRIMARY KEY, pid int, w boolean NOT NULL) PARTITION BY RANGE (id); CREATE TABLE parted_1 PARTITION OF parted DEFAULT;
CREATE FUNCTION way_hint(statement text) RETURNS text LANGUAGE sql AS $$ SELECT substring(said(statement) FROM '(ALTER TABLE .*?;)') $$;
SELECT is(said(way_hint($$SELECT pegs_set_parent('parted', 'parted_p', '{pid}')$$)), 'ok', 'the HINT of pegs_set_parent runs');
SELECT pegs_set_parent('parted', 'parted_p', children => '{0, 1}', at_most => 1);
ALTER TABLE parted DROP CONSTRAINT parted_pid_fkey;
SELECT is(after('parted_p', 'parted'), '', 'so does the remedy of pegs_schema');

---- a foreign table has no foreign keys; a table that inherits has not those of its ancestor
CREATE EXTENSION file_fdw; CREATE SERVER way_server FOREIGN DATA WRAPPER file_fdw; CREATE FOREIGN TABLE way_far (id int, pid int) SERVER way_server OPTIONS (filename '/dev/null');
SELECT is(said($$SELECT pegs_set_parent('way_far', 'parted_p')$$), '42809 | "way_far" is a foreign table, which has no foreign keys | Whose rows they are is read from the catalog. Related tables are all of this server. | Make a table of its rows here, with that key: CREATE TABLE ... AS SELECT * FROM public.way_far;', 'a foreign table');
SELECT is(said($$SELECT pegs_set_parent('way_far', 'parted_p', '{pid}')$$) LIKE '42809 | "way_far" is a foreign table%', true, 'also by columns');
CREATE TABLE way_parts (id int, pid int) PARTITION BY RANGE (id); CREATE TABLE way_here PARTITION OF way_parts FOR VALUES FROM (0) TO (10);
CREATE FOREIGN TABLE way_there PARTITION OF way_parts FOR VALUES FROM (10) TO (20) SERVER way_server OPTIONS (filename '/dev/null'); CREATE TABLE way_low (pid int);
SELECT is(said($$SELECT pegs_set_parent('way_parts', 'parted_p')$$), '42809 | table "way_parts" has a part that is a foreign table, "way_there", which has no foreign keys | Whose rows they are is read from the catalog. Related tables are all of this server. | Make a table of its rows here, with that key: CREATE TABLE ... AS SELECT * FROM public.way_parts;', 'nor has one with a foreign part');
SELECT is(said(format($$SELECT pegs_set_parent(%L, 'parted_p', '{pid}')$$, t)) LIKE '42809 | table "way_parts" has a part%', true, 'by columns: ' || t) FROM unnest('{way_parts, way_here}'::text[]) AS t;
SELECT is(said(format($$SELECT pegs_set_parent('way_low', %L, %L)$$, t, c)) LIKE '42809 | % to which no foreign key can refer | % | Make a table of its rows here, with a PRIMARY KEY: CREATE TABLE ... AS SELECT * FROM public.' || t || ';', true, concat_ws(', ', 'nor is one referred to', t, c))
FROM unnest('{way_far, way_parts}'::text[]) AS t, unnest(ARRAY['{pid}', NULL]) AS c;
CREATE TABLE way_base (id int PRIMARY KEY, w boolean NOT NULL); CREATE TABLE way_more (more int); CREATE TABLE way_heir (pid int REFERENCES parted_p) INHERITS (way_base); 
SELECT is(said($$SELECT pegs_set_parent('way_heir', 'parted_p')$$), '42809 | table "way_heir" inherits from "way_base" | Its rows are rows of that table, too, and no foreign key of "way_base" says whose they are. | ALTER TABLE public.way_heir NO INHERIT public.way_base;', 'an heir');
SELECT is(said(way_hint($$SELECT pegs_set_parent('way_heir', 'parted_p')$$)), 'ok', 'its HINT runs');
SELECT is(said($$SELECT pegs_set_parent('way_heir', 'parted_p', children => '{0, 1}', at_most => 1)$$), 'ok', 'and repairs');

---- a domain that refuses NULL
CREATE DOMAIN way_boss AS int NOT NULL;
CREATE TABLE way_self (id int PRIMARY KEY, boss way_boss REFERENCES way_self, other way_boss NOT NULL REFERENCES way_self, v boolean NOT NULL);
CREATE TABLE way_self_c (id int PRIMARY KEY, pid int REFERENCES way_self, w boolean NOT NULL);
SELECT pegs_set_parent('way_self_c', 'way_self', children => '{0, 1}', at_most => 1), pegs_set_budget('way_self', 10, 1e-6);
SELECT is(told('way_self', 'way_self'), 'it refers to itself by "boss", which cannot be NULL: no model has it | ALTER TABLE public.way_self ALTER COLUMN boss TYPE integer;  -- for good: the column is no more of domain public.way_boss', 'the domain goes');
SELECT matches(fitted('way_self'), '\| ALTER TABLE public\.way_self ALTER COLUMN boss TYPE integer;  -- for good: the column is no more of domain public\.way_boss$', 'the fit says the same');
SELECT is(after('way_self', 'way_self'), 'it refers to itself: column "boss" is left out', 'it repairs');
ALTER TABLE way_self DROP boss;
SELECT is(after('way_self', 'way_self'), 'it refers to itself: column "other" is left out', 'NOT NULL of its own, too');
SELECT is(fitted('way_self'), 'ok', 'and it is fitted');

---- and its CHECKs stay as those of the column, with NULL let through; what may be somebody else's code is named
CREATE SCHEMA way_types;
CREATE FUNCTION way_types.odd(int) RETURNS boolean IMMUTABLE LANGUAGE sql AS 'SELECT $1 % 2 = 1';
CREATE DOMAIN way_types.number AS int CHECK (VALUE < 1000);
CREATE DOMAIN way_types."Place" AS way_types.number NOT NULL DEFAULT 1 CHECK (VALUE > 0) CONSTRAINT nonzero CHECK (coalesce(VALUE, 0) <> 0) CONSTRAINT given CHECK (VALUE IS NOT NULL);
CREATE TABLE way_kept (id int PRIMARY KEY, boss way_types."Place" REFERENCES way_kept, v boolean NOT NULL);
CREATE TABLE way_kept_c (id int PRIMARY KEY, pid int REFERENCES way_kept, w boolean NOT NULL);
INSERT INTO way_kept SELECT i, i, true FROM generate_series(1, 50) AS i; INSERT INTO way_kept_c SELECT i, i, false FROM generate_series(1, 50) AS i;
SELECT pegs_set_parent('way_kept_c', 'way_kept', children => '{0, 1}', at_most => 1), pegs_set_budget('way_kept', 10, 1e-6);
-- all that takes a value, and NULL; before the remedy and after it
CREATE FUNCTION takes(t regclass, c name, given text[]) RETURNS text LANGUAGE sql AS $$ SELECT string_agg(coalesce(g, 'NULL') || ': ' || said(format('INSERT INTO %s (id, %I, v) VALUES (-1, %L, true); DELETE FROM %s WHERE id = -1', t, c, g, t)), E'\n') FROM unnest(given) AS g $$;
ALTER TABLE way_kept DROP CONSTRAINT way_kept_boss_fkey;
SELECT matches(takes('way_kept', 'boss', '{0,-5,7,5000,NULL}'), '^0: 23514.*\n-5: 23514.*\n7: ok\n5000: 23514.*\nNULL: 23502', 'as it is');
ALTER TABLE way_kept ADD CONSTRAINT way_kept_boss_fkey FOREIGN KEY (boss) REFERENCES way_kept;
SELECT is(told('way_kept', 'way_kept'), 'it refers to itself by "boss", which cannot be NULL: no model has it | ALTER TABLE public.way_kept ALTER COLUMN boss TYPE way_types.number, ADD CHECK (((boss)::integer > 0)),'
	' ADD CHECK (boss IS NULL OR (COALESCE((boss)::integer, 0) <> 0));  -- for good: the column is no more of domain way_types."Place", whose CHECKs stay; its DEFAULT goes', 'one below it that takes NULL stays whole');
SELECT matches(fitted('way_kept'), E'^0A000 \\| table "way_kept" refers to itself \\| .* \\| ALTER TABLE public\\.way_kept .* goes$', 'the fit says the same');
SELECT is(after('way_kept', 'way_kept'), 'it refers to itself: column "boss" is left out', 'it repairs');
ALTER TABLE way_kept DROP CONSTRAINT way_kept_boss_fkey;
SELECT matches(takes('way_kept', 'boss', '{0,-5,7,5000,NULL}'), '^0: 23514.*\n-5: 23514.*\n7: ok\n5000: 23514.*\nNULL: ok$', 'what it refused it refuses, but for NULL');
CREATE DOMAIN way_types.theirs AS varchar(10) COLLATE "C" NOT NULL CHECK (VALUE ~ '^[a-z0-9]*$') CONSTRAINT "a
b" CHECK (way_types.odd(length(VALUE))) CHECK (VALUE <> current_date::text);
CREATE TABLE way_lost (id varchar(10) COLLATE "C" PRIMARY KEY, "Boss" way_types.theirs NOT NULL REFERENCES way_lost, v boolean NOT NULL);
CREATE TABLE way_lost_c (id int PRIMARY KEY, pid varchar(10) COLLATE "C" REFERENCES way_lost, w boolean NOT NULL);
SELECT pegs_set_parent('way_lost_c', 'way_lost', children => '{0, 1}', at_most => 1), pegs_set_budget('way_lost', 10, 1e-6);
SELECT is(told('way_lost', 'way_lost'), 'it refers to itself by "Boss", which cannot be NULL: no model has it | ALTER TABLE public.way_lost ALTER COLUMN "Boss" DROP NOT NULL, ALTER COLUMN "Boss" TYPE character varying(10) COLLATE "C", ADD CHECK ((("Boss")::text ~ ''^[a-z0-9]*$''::text));'
	'  -- for good: the column is no more of domain way_types.theirs, whose other CHECKs stay; CHECK "a b" of way_types.theirs goes: it has a function that is not built in: odd; CHECK "theirs_check1" of way_types.theirs goes: it has a function that is not immutable: date_out', 'those that go, in one line');
SELECT is(after('way_lost', 'way_lost'), 'it refers to itself: column "Boss" is left out', 'it repairs');
SELECT is((SELECT string_agg(pg_get_constraintdef(oid), ' ') FROM pg_constraint WHERE conrelid = 'way_lost'::regclass AND contype = 'c'), 'CHECK ((("Boss")::text ~ ''^[a-z0-9]*$''::text))', 'one stays');
-- of rows that were there before it, not asked
CREATE DOMAIN way_types.later AS int NOT NULL;
CREATE TABLE way_later (id int PRIMARY KEY, boss way_types.later REFERENCES way_later, v boolean NOT NULL);
INSERT INTO way_later SELECT i, i, true FROM generate_series(1, 50) AS i;
ALTER DOMAIN way_types.later ADD CHECK (VALUE > 30) NOT VALID;
CREATE TABLE way_later_c (id int PRIMARY KEY, pid int REFERENCES way_later, w boolean NOT NULL);
SELECT pegs_set_parent('way_later_c', 'way_later', children => '{0, 1}', at_most => 1), pegs_set_budget('way_later', 10, 1e-6);
SELECT is(after('way_later', 'way_later'), 'it refers to itself: column "boss" is left out', 'NOT VALID, as it was');
-- a copy of what the parent has; what stands behind the comment is in a line of its own
CREATE DOMAIN way_types.sex AS text NOT NULL CHECK (VALUE IN ('F', 'M'));
CREATE TABLE way_man (id int PRIMARY KEY, sex text NOT NULL CHECK (sex IN ('F', 'M')), UNIQUE (sex, id));
CREATE TABLE way_stay (id int PRIMARY KEY, pid int NOT NULL REFERENCES way_man, psex way_types.sex, w boolean NOT NULL, CONSTRAINT same_sex FOREIGN KEY (psex, pid) REFERENCES way_man (sex, id));
SELECT pegs_set_parent('way_stay', 'way_man', '{pid}', children => '{0, 1}', at_most => 1), pegs_set_budget('way_man', 10, 1e-6);
SELECT is(told('way_man', 'way_stay'), E'its "psex" is that of its row of "way_man" by foreign key "same_sex", and is modelled by itself: rows may have another one | ALTER TABLE public.way_stay ALTER COLUMN psex TYPE text, ADD CHECK ((psex = ANY (ARRAY[''F''::text, ''M''::text])));'
	'  -- for good: the column is no more of domain way_types.sex, whose CHECKs stay' || E'\nSELECT pegs_leave_out(''public.way_stay'', ''psex'');', 'a copy');
SELECT is(after('way_man', 'way_stay'), '', 'it repairs');
CREATE TABLE way_bound (id int PRIMARY KEY, pid int NOT NULL REFERENCES way_man, boss way_boss REFERENCES way_bound, w boolean NOT NULL);
SELECT pegs_set_parent('way_bound', 'way_man', '{pid}', children => '{0, 1}', at_most => 1);
SELECT alike(fitted('way_man'), E'%no more of domain public.way_boss\nOr name the other tables: tables => %', 'and a HINT goes on');

---- a key that is gone, of types that are different now; a column that is named twice
ALTER TABLE way_self_c DROP CONSTRAINT way_self_c_pid_fkey, ALTER pid TYPE text;
SELECT is(told('way_self', 'way_self_c'), 'its foreign key is gone | -- Give (pid) of public.way_self_c and (id) of public.way_self the same types again, and the first a foreign key to the second.', 'no statement that fails');
ALTER TABLE way_self_c ALTER pid TYPE bigint USING pid::bigint;
SELECT is(after('way_self', 'way_self_c'), '', 'of types that compare, it runs');
SELECT is(said($$SELECT pegs_set_parent('way_self_c', 'way_self', '{pid,pid}')$$), '42701 | column "pid" of table "way_self_c" is named twice | Name the columns of the foreign key, each once.', 'twice');

---- references that a row must have: all at once, each with what settles it; and whose rows they may be
CREATE TABLE way_address (id int PRIMARY KEY, zip text); CREATE TABLE way_store (a int, b int, PRIMARY KEY (a, b));
CREATE TABLE way_person (id int PRIMARY KEY, address int NOT NULL UNIQUE REFERENCES way_address, a int NOT NULL, b int NOT NULL, v boolean NOT NULL, FOREIGN KEY (a, b) REFERENCES way_store);
CREATE TABLE way_visit (id int PRIMARY KEY, pid int REFERENCES way_person, w boolean NOT NULL);
SELECT pegs_set_parent('way_visit', 'way_person', children => '{0, 1}', at_most => 1);
SELECT is(told('way_person', 'way_person'), $$it refers to "way_store" by "b", to "way_address" by "address", which cannot be NULL and have no declared values: every row has one plain value there | ALTER TABLE public.way_person ALTER COLUMN b DROP NOT NULL;  -- it comes out NULL then
-- if rows of "way_person" belong to rows of "way_store": SELECT pegs_set_parent('public.way_person', 'public.way_store', '{a, b}', children => '{0, 1, 2, ...}', at_most => '...');  -- children: where classes of how many rows of "way_person" a row of "way_store" has begin; at_most: the end of the last, none gets more
-- or as it is, with one plain value in all rows: SELECT pegs_leave_out('public.way_person', 'b');
-- if that table is public: SELECT pegs_set_lookup('public.way_person', 'address', 'public.way_address', 'id');
-- or it comes out NULL: ALTER TABLE public.way_person ALTER COLUMN address DROP NOT NULL;
-- if rows of "way_person" belong to rows of "way_address": SELECT pegs_set_parent('public.way_person', 'public.way_address', '{address}');
-- or as it is, with one plain value in all rows: SELECT pegs_leave_out('public.way_person', 'address');$$, 'both');
BEGIN;
SELECT pegs_leave_out('public.way_person', 'b'), pegs_leave_out('public.way_person', 'address');
SELECT is(told('way_person', 'way_person'), '', 'what is left out is settled');
ROLLBACK;
SELECT pegs_set_parent('public.way_person', 'public.way_address', '{address}');
SELECT is((SELECT string_agg(source::text, ', ' ORDER BY depth) FROM pegs_schema('way_visit') WHERE depth >= 0), 'way_address, way_person, way_visit', 'a person below the row that it refers to');

---- a reference to a row below, by what that has from here: the key is made anew all the same, and the reference comes out NULL
CREATE TABLE way_latest (id int PRIMARY KEY, latest int, v boolean NOT NULL);
CREATE TABLE way_event (id int PRIMARY KEY, pid int REFERENCES way_latest, w boolean NOT NULL, UNIQUE (id, pid));
ALTER TABLE way_latest ADD FOREIGN KEY (latest, id) REFERENCES way_event (id, pid);
INSERT INTO way_latest SELECT i, NULL, true FROM generate_series(1, 100) AS i; INSERT INTO way_event SELECT i, i, false FROM generate_series(1, 100) AS i; UPDATE way_latest SET latest = id;
SELECT pegs_set_parent('way_event', 'way_latest', children => '{0, 1}', at_most => 2), pegs_set_budget('way_latest', 100, 1e-6), pegs_leave_out('way_latest', 'latest');
SELECT is(told('way_latest', 'way_latest'), '', 'the latest row: nothing is missing');
SELECT is(fitted('way_latest'), 'ok', 'it is fitted');
SELECT pegs_copy_sql('m way_latest', 'way_latest_copy') \gexec
SELECT ok((SELECT count(*) > 50 AND count(latest) = 0 AND count(DISTINCT id) = count(*) FROM way_latest_copy.way_latest), 'and a copy of it is made');
SELECT ok((SELECT count(*) > 20 AND bool_and(pid IN (SELECT id FROM way_latest_copy.way_latest)) FROM way_latest_copy.way_event), 'with rows below');
SELECT unalike(pegs_certificate('m way_latest') ->> 'not_protected', '%way_event%', 'what it refers to is of the unit, and protected');
CREATE TABLE way_org (org int, id int, latest int, v boolean NOT NULL, PRIMARY KEY (org, id));
CREATE TABLE way_of_org (org int, id int, pid int, w boolean NOT NULL, PRIMARY KEY (org, id), FOREIGN KEY (org, pid) REFERENCES way_org);
ALTER TABLE way_org ADD FOREIGN KEY (org, latest) REFERENCES way_of_org (org, id);
INSERT INTO way_org SELECT 1, i, NULL, true FROM generate_series(1, 100) AS i;
SELECT pegs_set_parent('way_of_org', 'way_org', '{org, pid}', children => '{0, 1}', at_most => 2), pegs_set_budget('way_org', 100, 1e-6), pegs_leave_out('way_org', 'latest');
SELECT is(told('way_org', 'way_org'), 'it refers to "way_of_org", too: that row is not protected in its rows', 'one of the same tenant need not be');
SELECT is(fitted('way_org'), 'ok', 'it is fitted');
SELECT alike(pegs_certificate('m way_org') ->> 'not_protected', '%a row of public.way_of_org in the rows of way_org that refer to it by org, latest', 'and its certificate says so');
-- to a row of another unit it is refused, as it was
CREATE TABLE way_any (id int PRIMARY KEY, latest int, v boolean NOT NULL);
CREATE TABLE way_any_c (id int PRIMARY KEY, pid int REFERENCES way_any, any_id int, w boolean NOT NULL, UNIQUE (id, any_id));
ALTER TABLE way_any ADD FOREIGN KEY (latest, id) REFERENCES way_any_c (id, any_id);
SELECT pegs_set_parent('way_any_c', 'way_any', '{pid}', children => '{0, 1}', at_most => 2), pegs_set_budget('way_any', 100, 1e-6), pegs_leave_out('way_any', 'latest');
SELECT is(told('way_any', 'way_any'), 'its key refers to "way_any_c" by "id": tables that link two private rows are not modelled', 'of another unit');

---- a table of keys alone, with tables below
CREATE TABLE way_keys (id int PRIMARY KEY, v boolean NOT NULL);
CREATE TABLE way_line (pid int REFERENCES way_keys, line int, PRIMARY KEY (pid, line));
CREATE TABLE way_item (id int PRIMARY KEY, pid int, line int, w boolean NOT NULL, FOREIGN KEY (pid, line) REFERENCES way_line);
SELECT pegs_set_parent('way_line', 'way_keys', children => '{0, 1}', at_most => 2), pegs_set_parent('way_item', 'way_line', children => '{0, 1}', at_most => 2), pegs_set_budget('way_keys', 100, 1e-6);
SELECT is(told('way_keys', 'way_line'), $$it has no column to model, but keys and references alone | ALTER TABLE public.way_line ADD COLUMN row_kind text NOT NULL DEFAULT 'row' CHECK (row_kind = 'row');  -- for good: a column of one value, which stands for its rows in models$$, 'keys alone');
SELECT is(fitted('way_keys'), $$22023 | public.way_line has no column to model | A column of one value, which stands for its rows, for good: ALTER TABLE public.way_line ADD COLUMN row_kind text NOT NULL DEFAULT 'row' CHECK (row_kind = 'row');$$, 'the fit says the same');
SELECT is(after('way_keys', 'way_line'), '', 'it repairs');
SELECT is(fitted('way_keys'), 'ok', 'and it is fitted');
SELECT * FROM finish();
