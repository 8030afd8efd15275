-- A table whose rows lead by foreign keys to those of an account is about persons, and no lookup table: it was taken as public, and nobody paid.
SET client_min_messages = error;
CREATE EXTENSION pegs;
SELECT * FROM no_plan();
\ir lib/said.sql
CREATE FUNCTION refused(tab text, persons text) RETURNS text LANGUAGE sql AS
$$ SELECT format('55000 | rows of table "%s" are about persons: it cannot be a lookup table | By foreign keys they refer to rows of %s, which are private. Taken as public they would be in models exactly, and no account would pay. | Leave the column out. Or declare its levels by what is public, in the place of ''...'': SELECT pegs_set_levels(''public.stay'', ''%s'', ARRAY[''...'']);', tab, persons, tab) $$;

-- each has a cot of its own; a stay is in one
CREATE TABLE pat (id int PRIMARY KEY, sex text NOT NULL CHECK (sex IN ('f', 'm')));
CREATE TABLE cot (id int PRIMARY KEY, pat int UNIQUE NOT NULL REFERENCES pat, kind text NOT NULL, heavy int NOT NULL DEFAULT 1);
CREATE TABLE toy (id int PRIMARY KEY, cot int NOT NULL REFERENCES cot);
CREATE TABLE ward (id int PRIMARY KEY, part_of int REFERENCES ward, floor text NOT NULL);
CREATE TABLE stay (id int PRIMARY KEY, pat int NOT NULL REFERENCES pat, cot int REFERENCES cot, toy int REFERENCES toy, ward int REFERENCES ward, days int NOT NULL CHECK (days IN (1, 2)));
INSERT INTO pat SELECT i, (ARRAY['f', 'm'])[1 + i % 2] FROM generate_series(1, 300) AS i;
INSERT INTO cot SELECT i, i, 'kind ' || i % 3 FROM generate_series(1, 300) AS i;
INSERT INTO toy SELECT i, i FROM generate_series(1, 300) AS i;
INSERT INTO ward VALUES (1, NULL, 'low'), (2, 1, 'low'), (3, 1, 'high');
INSERT INTO stay SELECT i, i, i, i, 1 + i % 3, 1 + i % 2 FROM generate_series(1, 300) AS i;
SELECT pegs_set_parent('stay', 'pat', children => '{0, 1, 2}', at_most => 2), pegs_set_budget('pat', epsilon => 1e5, delta => 1e-3, accounting => 'sum');

---- never proposed
SELECT is((SELECT array_agg(p) FROM pegs_propose('stay') AS p WHERE p LIKE '-- cot%' OR p LIKE '-- toy%' OR p LIKE '-- ward%'), ARRAY[
	$$-- cot refers to table "cot", and is left out: rows of that table are about persons; or declare its levels by what is public, in the place of '...': SELECT pegs_set_levels('public.stay', 'cot', ARRAY['...']);$$,
	$$-- toy refers to table "toy", and is left out: rows of that table are about persons; or declare its levels by what is public, in the place of '...': SELECT pegs_set_levels('public.stay', 'toy', ARRAY['...']);$$,
	$$-- ward refers to table "ward", and is left out; if that table is public: SELECT pegs_set_lookup('public.stay', 'ward', 'public.ward', 'id');  -- or, of many keys, by what it says of them, a column of few values: via => '{floor}'$$],
	'pegs_propose: a table of wards alone, which refers to none but itself');
SELECT is((SELECT array_agg(column_name) FROM pegs_domain('stay') WHERE remedy LIKE '%lookup%'), '{ward}'::name[], 'pegs_domain');
SELECT is(said($$SELECT pegs_fit('no', 'stay', ARRAY['cot', 'days'], epsilon => 1, delta => 1e-9)$$),
	$$22023 | column "cot" cannot be used: it is a reference to table "cot" | Name the columns to use, without it: columns => ARRAY[...]; or declare its levels by what is public, in the place of '...': SELECT pegs_set_levels('public.stay', 'cot', ARRAY['...']);$$, 'a fit');
ALTER TABLE stay ALTER COLUMN cot SET NOT NULL;
SELECT is((SELECT count(*) FROM pegs_schema('pat') WHERE remedy LIKE '%pegs_set_lookup%'), 0::bigint, 'pegs_schema');
ALTER TABLE stay ALTER COLUMN cot DROP NOT NULL;

---- refused where it is declared, in whatever words
SELECT is(said(format('SELECT pegs_set_lookup(''stay'', ''cot'', ''cot'', ''id''%s)', a)), refused('cot', '"pat"') || ' Or let the table be a part of models itself: SELECT pegs_set_parent(''public.cot'', ''public.pat'');', 'pegs_set_lookup' || a)
	FROM unnest(ARRAY['', ', via => ''{kind}''', ', via => ''{kind}'', weight => ''heavy''', ', undeclared => ''drop''']) AS a;
SELECT is(said($$SELECT pegs_set_levels('stay', 'cot', 'cot'::regclass, 'id')$$), refused('cot', '"pat"') || ' Or let the table be a part of models itself: SELECT pegs_set_parent(''public.cot'', ''public.pat'');', 'pegs_set_levels');
SELECT is(split_part(said($$SELECT pegs_declare('stay', '{"columns": {"cot": {"lookup": "cot", "lookup_column": "id"}}}')$$), ' | ', 2), 'rows of table "cot" are about persons: it cannot be a lookup table', 'pegs_declare');
SELECT is(said($$SELECT pegs_set_lookup('stay', 'toy', 'toy', 'id')$$), refused('toy', '"pat"'), 'two steps away');
SELECT pegs_set_levels('stay', 'toy', ARRAY['1', '2', '3']);
SELECT is(said($$SELECT pegs_set_hierarchy('stay', 'toy', '[{"lookup": "toy", "key": "id", "value": "cot"}]')$$),
	'55000 | rows of table "toy" are about persons: it cannot be a lookup table | By foreign keys they refer to rows of "pat", which are private. Taken as public they would be in models exactly, and no account would pay.'
	' | Put the levels into groups of the step itself, by what is public: {"groups": {"one": ["a", "b"]}, "others": "another"}', 'a hierarchy');
SELECT pegs_unset('stay', 'toy');
SELECT lives_ok($$SELECT pegs_set_lookup('stay', 'ward', 'ward', 'id', via => '{floor}')$$, 'a table that refers to itself alone is none of persons');
-- to the source itself, in a circle
CREATE TABLE clerk (id int PRIMARY KEY, desk int);
CREATE TABLE desk (id int PRIMARY KEY, lamp int, of int REFERENCES clerk);
CREATE TABLE lamp (id int PRIMARY KEY, desk int REFERENCES desk);
ALTER TABLE clerk ADD FOREIGN KEY (desk) REFERENCES desk;
ALTER TABLE desk ADD FOREIGN KEY (lamp) REFERENCES lamp;
SELECT alike(said($$SELECT pegs_set_lookup('clerk', 'desk', 'desk', 'id')$$), '55000 | rows of table "desk" are about persons%refer to rows of "clerk"%', 'the source itself, which has no account yet');
SELECT is((SELECT array_agg(p) FROM pegs_propose('clerk') AS p WHERE p LIKE '-- desk%'), ARRAY[$$-- desk refers to table "desk", and is left out: rows of that table are about persons; or declare its levels by what is public, in the place of '...': SELECT pegs_set_levels('public.clerk', 'desk', ARRAY['...']);$$], 'nor is it proposed as its parent');
ALTER TABLE desk DROP COLUMN of;
SELECT lives_ok($$SELECT pegs_set_lookup('clerk', 'desk', 'desk', 'id')$$, 'a circle that leads to nobody');
-- parts: a key of one part alone, to one part of the persons
CREATE TABLE soul (id int, k int NOT NULL, PRIMARY KEY (id, k)) PARTITION BY LIST (k);
CREATE TABLE soul_1 PARTITION OF soul FOR VALUES IN (1);
ALTER TABLE soul_1 ADD UNIQUE (id);
CREATE TABLE room (id int, s int, k int NOT NULL, PRIMARY KEY (id, k)) PARTITION BY LIST (k);
CREATE TABLE room_1 PARTITION OF room FOR VALUES IN (1);
ALTER TABLE stay ADD room int;
SELECT pegs_set_budget('soul', 1);
SELECT lives_ok($$SELECT pegs_set_lookup('stay', 'room', 'room', 'id')$$, 'parts');
ALTER TABLE room_1 ADD FOREIGN KEY (s) REFERENCES soul_1 (id);
SELECT is(said($$SELECT pegs_set_lookup('stay', 'room', 'room', 'id')$$), refused('room', '"soul"'), 'a part that refers to a part');

-- of several wholes: each is asked, and none is an error
CREATE TABLE one_whole (id int);
CREATE TABLE other_whole (n int);
CREATE TABLE third_whole (n int);
CREATE TABLE in_both (PRIMARY KEY (id)) INHERITS (one_whole, third_whole);
CREATE TABLE by_both (id int PRIMARY KEY, b int REFERENCES in_both);
CREATE TABLE from_both (k int REFERENCES by_both, n int CHECK (n IN (1, 2)));
SELECT lives_ok($$SELECT pegs_set_lookup('from_both', 'k', 'by_both', 'id')$$, 'two wholes on the way, and no account');
SELECT pegs_set_budget('other_whole', 1);
ALTER TABLE in_both INHERIT other_whole;
SELECT alike(said($$SELECT pegs_set_lookup('from_both', 'k', 'by_both', 'id')$$), '55000 | rows of table "by_both" are about persons%refer to rows of "other_whole"%', 'the second has one');

---- refused at each use: a foreign key comes later
-- what pegs_schema says of lookup tables when its remedy was run; then all is undone
CREATE FUNCTION pasted(change text) RETURNS text LANGUAGE plpgsql AS $$ DECLARE r text; p text; BEGIN
	EXECUTE change;
	SELECT remedy INTO STRICT r FROM pegs_schema('pat') WHERE source = 'stay'::regclass AND problem ~ 'about persons';
	EXECUTE r;
	SELECT problem INTO STRICT p FROM pegs_schema('pat') WHERE source = 'stay'::regclass;
	p := concat(CASE WHEN p ~ 'about persons' THEN p END, nullif(said($f$SELECT pegs_fit_schema('no', 'pat', epsilon => 1, delta => 1e-9)$f$), 'ok'));
	RAISE EXCEPTION USING ERRCODE = 'P9999', MESSAGE = p; EXCEPTION WHEN SQLSTATE 'P9999' THEN RETURN nullif(SQLERRM, ''); END $$;
SELECT is((SELECT concat_ws(' | ', problem, remedy) FROM pegs_domain('stay') WHERE column_name = 'room'),
	$$rows of its lookup table are about persons: by foreign keys they refer to private rows | SELECT pegs_leave_out('public.stay', 'room');  -- or declare its levels by what is public, in the place of '...': SELECT pegs_set_levels('public.stay', 'room', ARRAY['...']);$$, 'pegs_domain');
SELECT is((SELECT concat_ws(' | ', problem, remedy) FROM pegs_schema('pat') WHERE source = 'stay'::regclass),
	$$column "room" has lookup table "room", whose rows are about persons: what was fitted before has them exactly, and no new model is made | SELECT pegs_leave_out('public.stay', 'room');  -- or declare its levels by what is public, in the place of '...': SELECT pegs_set_levels('public.stay', 'room', ARRAY['...']);$$, 'pegs_schema');
SELECT is(pasted('UPDATE stay SET room = 1; ALTER TABLE stay ALTER room SET NOT NULL'), NULL, 'pasted');
SELECT is(pasted($$ALTER TABLE stay DROP room; ALTER TABLE cot DROP CONSTRAINT cot_pat_fkey; SELECT pegs_set_lookup('stay', 'cot', 'cot', 'id', via => '{kind}'); ALTER TABLE cot ADD FOREIGN KEY (pat) REFERENCES pat$$), NULL, 'of a foreign key, and via');
SELECT is(said($$SELECT pegs_fit_schema('no', 'pat', epsilon => 1, delta => 1e-9)$$),
	$$55000 | column "room" cannot be used: rows of its lookup table are about persons: by foreign keys they refer to private rows | SELECT pegs_leave_out('public.stay', 'room');  -- or declare its levels by what is public, in the place of '...': SELECT pegs_set_levels('public.stay', 'room', ARRAY['...']);$$, 'a fit');
ALTER TABLE stay DROP COLUMN room;
ALTER TABLE cot DROP CONSTRAINT cot_pat_fkey;
SELECT pegs_set_lookup('stay', 'cot', 'cot', 'id', via => '{kind}');
SELECT pegs_fit_schema('m', 'pat', epsilon => 50, delta => 1e-9);
ALTER TABLE cot ADD FOREIGN KEY (pat) REFERENCES pat;
SELECT is(split_part(said($$SELECT pegs_fit_schema('n', 'pat', epsilon => 1, delta => 1e-9)$$), ' | ', 2), 'column "cot" cannot be used: rows of its lookup table are about persons: by foreign keys they refer to private rows', 'via');
SELECT is(split_part(said($$SELECT pegs_refit('m')$$), ' | ', 1), '55000', 'a second fit');
SELECT is((SELECT count(*) FROM pegs_sample_as(NULL::stay, 'm', 10, options => '{"table": "stay"}')) > 0, true, 'what was fitted stays');
-- and an account comes later
CREATE TABLE home (id int PRIMARY KEY, size text NOT NULL);
INSERT INTO home VALUES (1, 'a'), (2, 'b');
CREATE TABLE bed (id int PRIMARY KEY, home int NOT NULL REFERENCES home);
INSERT INTO bed VALUES (1, 1), (2, 2);
CREATE TABLE sleeper (bed int NOT NULL REFERENCES bed, old boolean NOT NULL);
INSERT INTO sleeper SELECT 1 + i % 2, i % 3 = 0 FROM generate_series(1, 100) AS i;
SELECT pegs_set_lookup('sleeper', 'bed', 'bed', 'id'), pegs_set_budget('sleeper', epsilon => 100, delta => 1e-6);
SELECT pegs_fit('s', 'sleeper', epsilon => 1);
SELECT is((SELECT problem FROM pegs_domain('sleeper') WHERE column_name = 'bed'), NULL, 'no account, no persons');
SELECT pegs_set_budget('home', 1);
SELECT is(said($$SELECT pegs_fit('t', 'sleeper', epsilon => 1)$$),
	$$55000 | column "bed" cannot be used: rows of its lookup table are about persons: by foreign keys they refer to private rows | SELECT pegs_leave_out('public.sleeper', 'bed');  -- or declare its levels by what is public, in the place of '...': SELECT pegs_set_levels('public.sleeper', 'bed', ARRAY['...']);
Or name the columns to use: columns => ARRAY[...].$$, 'an account that came later');

---- what pegs_domain prints runs as it is
CREATE FUNCTION domain_pasted(source regclass, name name, call text) RETURNS text LANGUAGE plpgsql AS $$ DECLARE r text; p text; BEGIN
	SELECT remedy INTO STRICT r FROM pegs_domain(source) WHERE column_name = name AND problem IS NOT NULL;
	EXECUTE r;
	p := concat((SELECT levels[1] FROM pegs_domain(source) WHERE column_name = name), nullif(said(call), 'ok'));
	RAISE EXCEPTION USING ERRCODE = 'P9999', MESSAGE = p; EXCEPTION WHEN SQLSTATE 'P9999' THEN RETURN nullif(SQLERRM, ''); END $$;
SELECT is(domain_pasted('sleeper', 'bed', $$SELECT pegs_fit('t', 'sleeper', epsilon => 1)$$), NULL, 'of numbers: pasted');
CREATE TABLE crib (id int PRIMARY KEY, kind text NOT NULL, home int REFERENCES home);
CREATE TABLE soft (kind text PRIMARY KEY, more text NOT NULL);
INSERT INTO crib VALUES (1, 'a', 1), (2, 'b', 2); INSERT INTO soft VALUES ('x', 'p'), ('y', 'q');
CREATE TABLE nap (kind text NOT NULL, toy text NOT NULL, v boolean NOT NULL, "C-- '" int REFERENCES crib);
INSERT INTO nap SELECT 'x', 'x', true, 1 FROM generate_series(1, 50);
CREATE VIEW naps AS SELECT kind AS "Kind", v FROM nap;
SELECT pegs_set_lookup('nap', 'kind', 'soft', 'kind'), pegs_set_lookup('nap', 'toy', 'soft', 'kind', via => '{more}'), pegs_set_budget('nap', 10);
SELECT is(domain_pasted('nap', 'C-- ''', 'SELECT 1'), NULL, 'a reference of which nothing is declared: whose rows they may be');
SELECT is((SELECT problem FROM pegs_domain('nap') WHERE column_name = 'kind'), NULL, 'of texts: public');
SELECT pegs_set_budget('soft', 1);
SELECT is(domain_pasted('nap', 'kind', $$SELECT pegs_fit('u', 'nap', ARRAY['v'], epsilon => 1)$$), NULL, 'private: pasted, no level is called "..."');
SELECT is(domain_pasted('nap', 'toy', 'SELECT 1'), NULL, 'via');
SELECT is(domain_pasted('naps', 'Kind', $$SELECT pegs_fit('u', 'naps', epsilon => 1)$$), NULL, 'of a view');
SELECT is(domain_pasted('stay', 'toy', $$SELECT pegs_fit_schema('u', 'pat', columns => '{"stay": ["days"]}', epsilon => 1, delta => 1e-9)$$), NULL, 'and of a table that is bound');
SELECT is((SELECT string_agg(split_part(p, ': where', 1), E'\n') FROM pegs_propose('nap') AS p WHERE p ~ 'kind|C--'), $$-- kind: its lookup table has a privacy budget: its rows are private; SELECT pegs_leave_out('public.nap', 'kind');  -- or declare its levels by what is public, in the place of '...': SELECT pegs_set_levels('public.nap', 'kind', ARRAY['...']);
-- C-- ' refers to table "crib", and is left out: rows of that table are about persons; or declare its levels by what is public, in the place of '...': SELECT pegs_set_levels('public.nap', 'C-- ''', ARRAY['...']);$$, 'pegs_propose, of a table that has spent: it is bound to no other');
SELECT is(said($$SELECT pegs_fit('u', 'nap', ARRAY['kind', 'v'], epsilon => 1)$$), $$22023 | column "kind" cannot be used: its lookup table has a privacy budget: its rows are private | Name the columns to use, without it: columns => ARRAY[...]; or declare its levels by what is public, in the place of '...': SELECT pegs_set_levels('public.nap', 'kind', ARRAY['...']);$$, 'who names it');
ALTER TABLE sleeper ADD crib int REFERENCES crib;
ALTER TABLE crib DROP CONSTRAINT crib_home_fkey;
SELECT pegs_set_lookup('sleeper', 'crib', 'crib', 'id');
ALTER TABLE crib ADD FOREIGN KEY (home) REFERENCES home;
SELECT is((SELECT string_agg(p, E'\n') FROM pegs_propose('sleeper') AS p WHERE p ~ 'crib'), $$-- crib: rows of its lookup table are about persons: by foreign keys they refer to private rows; SELECT pegs_leave_out('public.sleeper', 'crib');  -- or declare its levels by what is public, in the place of '...': SELECT pegs_set_levels('public.sleeper', 'crib', ARRAY['...']);$$, 'of a foreign key for which it is declared');

-- a prior is public, too
CREATE TABLE figures (old boolean NOT NULL, w int NOT NULL DEFAULT 1);
INSERT INTO figures VALUES (true), (false);
SELECT pegs_set_levels('sleeper', 'bed', '{1, 2}');
SELECT lives_ok($$SELECT pegs_fit('p', 'sleeper', ARRAY['old'], epsilon => 1, method => 'table', options => '{"noise": "dirichlet", "rows": 100, "prior": {"table": "figures", "weight": "w"}}')$$, 'a prior');
ALTER TABLE figures ADD home int REFERENCES home;
SELECT is(said($$SELECT pegs_fit('q', 'sleeper', ARRAY['old'], epsilon => 1, method => 'table', options => '{"noise": "dirichlet", "rows": 100, "prior": {"table": "figures", "weight": "w"}}')$$),
	'22023 | public.figures cannot be a prior: by foreign keys its rows refer to private rows | A prior is public: what is in it is not protected. | Name a table of figures that everybody may know, made without the rows of the source.', 'that is about persons');

---- pegs_health: lookup tables of before, or to which a foreign key or an account came since
CREATE VIEW health AS SELECT item, state, ok, remedy FROM pegs_health() WHERE item LIKE 'lookup table %';
CREATE TABLE trip (id int PRIMARY KEY, road text, town text, v boolean NOT NULL);
CREATE TABLE road (k text PRIMARY KEY, area text NOT NULL, pat int);
CREATE TABLE town (k text PRIMARY KEY);
CREATE VIEW trips AS SELECT road AS "Road", v FROM trip;
INSERT INTO road VALUES ('a', 'x'), ('b', 'y'); INSERT INTO town VALUES ('t');
SELECT pegs_set_lookup('trip', 'road', 'road', 'k'), pegs_set_hierarchy('trip', 'road', '[{"lookup": "road", "key": "k", "value": "area"}]'), pegs_set_lookup('trip', 'town', 'town', 'k'), pegs_set_lookup('trips', 'Road', 'road', 'k', via => '{area}');
SELECT is_empty($$SELECT item FROM health WHERE item LIKE '%trip%'$$, 'of no persons');
ALTER TABLE road ADD FOREIGN KEY (pat) REFERENCES pat;
SELECT pegs_set_budget('town', 1);
SELECT results_eq($$SELECT item, state, ok, remedy FROM health WHERE item LIKE '%trip%' ORDER BY item, remedy$$, $$SELECT item, format('its rows are about persons: they are, or refer to, rows of %s; they were taken as public, and models of before have them exactly', persons), false, remedy FROM (VALUES
	('lookup table public.road of public.trip, column road', '"pat"', 'SELECT pegs_leave_out(''public.trip'', ''road''); -- or declare its levels by what is public: pegs_set_levels; and drop the models that have those rows'),
	('lookup table public.road of public.trip, column road', '"pat"', 'SELECT pegs_set_hierarchy(''public.trip'', ''road'', NULL); -- or declare it by what is public; and drop the models that have those rows'),
	('lookup table public.road of public.trips, column Road', '"pat"', 'SELECT pegs_leave_out(''public.trips'', ''Road''); -- or declare its levels by what is public: pegs_set_levels; and drop the models that have those rows'),
	('lookup table public.town of public.trip, column town', '"town"', 'SELECT pegs_leave_out(''public.trip'', ''town''); -- or declare its levels by what is public: pegs_set_levels; and drop the models that have those rows')) AS v (item, persons, remedy)$$, 'a foreign key, an account; levels, steps, a view');
SELECT is((SELECT array_agg(item) FROM health WHERE item LIKE '%column cot' OR item LIKE '%column bed' OR item LIKE '%column room'), ARRAY['lookup table public.cot of public.stay, column cot'], 'and none that was declared anew, or whose column was dropped');
CREATE ROLE lp_watch; GRANT EXECUTE ON FUNCTION pegs_health(), pegs_verify_ledger(regclass) TO lp_watch; GRANT SELECT ON health TO lp_watch;
SET ROLE lp_watch;
SELECT is_empty('SELECT item FROM pegs_health() WHERE item LIKE ''lookup table %''', 'others are not told');
RESET ROLE;
DO $$ DECLARE statement text; BEGIN FOR statement IN SELECT remedy FROM health WHERE item LIKE '%trip%' LOOP EXECUTE statement; END LOOP; END $$;
SELECT is_empty($$SELECT item FROM health WHERE item LIKE '%trip%'$$, 'the remedies mend it');
DROP OWNED BY lp_watch; DROP ROLE lp_watch; DROP TABLE trip CASCADE; DROP TABLE town, road;

---- certificates name what was taken as public
SELECT is(pegs_certificate('m') ->> 'public', 'columns, declared levels and bins, tables, classes of numbers of rows, the rows of the lookup tables public.cot, public.ward (and their keys)', 'of several tables');
SELECT is(pegs_certificate('s') ->> 'public', 'columns, declared levels and bins, the rows of the lookup table public.bed', 'of one');
SELECT pegs_import('file', pegs_export('m'));
SELECT is(pegs_certificate('file') ->> 'public', 'columns, levels and bins, tables, classes of numbers of rows, the rows of the lookup tables public.cot, public.ward (and their keys)', 'and of a file');

---- levels by hand: whose cot it was is not protected
SELECT pegs_set_levels('stay', 'cot', ARRAY(SELECT i::text FROM generate_series(1, 300) AS i));
SELECT pegs_fit_schema('hand', 'pat', epsilon => 50, delta => 1e-9);
SELECT is(pegs_describe('hand') -> 'not_covered', '["a row of public.cot in the rows of stay that refer to it by cot", "a row of public.toy in the rows of stay that refer to it by toy"]'::jsonb, 'and that is said');

---- rights: what belongs to another role is not named; nothing on the way is opened or locked
CREATE ROLE lp_persons;
CREATE ROLE lp_other;
GRANT CREATE ON SCHEMA public TO lp_other, lp_persons;
ALTER TABLE pat OWNER TO lp_persons;
GRANT REFERENCES, SELECT ON pat, toy TO lp_other;
SELECT pegs_allow('lp_other');
SET ROLE lp_other;
CREATE TABLE visitor (toy int NOT NULL, n int CHECK (n IN (1, 2)));
SELECT alike(said($$SELECT pegs_set_lookup('visitor', 'toy', 'toy', 'id')$$), '55000 | rows of table "toy" are about persons%By foreign keys they refer to rows of a table of another role, which are private.%', 'no name');
RESET ROLE;
CREATE TABLE far (toy int REFERENCES toy);
BEGIN;
SELECT is((SELECT count(*) FROM pegs_propose('far') AS p WHERE p LIKE '-- toy%' AND p NOT LIKE '%lookup%'), 1::bigint, 'the way is gone');
SELECT is((SELECT count(*) FROM pg_locks WHERE relation = 'cot'::regclass AND pid = pg_backend_pid()), 0::bigint, 'a table on the way is not locked');
ROLLBACK;
-- a long way: each table once
CREATE TABLE way_0 (id int PRIMARY KEY, up int REFERENCES pat);
DO $$ BEGIN FOR i IN 1 .. 300 LOOP EXECUTE format('CREATE TABLE way_%s (id int PRIMARY KEY, up int REFERENCES way_%s, again int REFERENCES way_%s)', i, i - 1, i - 1); END LOOP; END $$;
SELECT alike(said($$SELECT pegs_set_lookup('stay', 'toy', 'way_300', 'id')$$), '55000 | rows of table "way_300" are about persons%', '301 steps away, by 2^300 ways');
ALTER TABLE pat OWNER TO CURRENT_USER;
DROP OWNED BY lp_other, lp_persons;
DROP ROLE lp_other, lp_persons;
SELECT * FROM finish();
