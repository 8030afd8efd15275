-- A public table as a prior of urns: which tables may be one, what is read of it, and what it does to rows. Claims P24, P32.
SET client_min_messages = warning;
CREATE EXTENSION pegs;
SELECT plan(100);

CREATE TABLE odd (a text NOT NULL CHECK (a IN ('x', 'y', 'z''"')), b boolean, c int NOT NULL CHECK (c IN (1, 2)));
INSERT INTO odd SELECT 'x', true, 1 FROM generate_series(1, 20);
SELECT pegs_set_budget('odd', 1000, delta => 1e-6, accounting => 'sum');
CREATE FUNCTION spent() RETURNS numeric LANGUAGE sql AS $$ SELECT spent FROM pegs_budgets WHERE source = 'odd'::regclass $$;
CREATE FUNCTION hint_of(call text) RETURNS text LANGUAGE plpgsql AS $$ DECLARE h text; BEGIN EXECUTE call; RETURN NULL; EXCEPTION WHEN OTHERS THEN GET STACKED DIAGNOSTICS h = PG_EXCEPTION_HINT; RETURN h; END $$;
CREATE FUNCTION said(call text) RETURNS text LANGUAGE plpgsql AS $$ DECLARE m text; d text; h text; BEGIN EXECUTE call; RETURN NULL; EXCEPTION WHEN OTHERS THEN GET STACKED DIAGNOSTICS m = MESSAGE_TEXT, d = PG_EXCEPTION_DETAIL, h = PG_EXCEPTION_HINT; RETURN concat_ws(' ', m, d, h); END $$;
CREATE SCHEMA "Public Figures";
CREATE TABLE "Public Figures"."Last Census" (n numeric, c smallint, b boolean, "a" varchar(9), more text);
INSERT INTO "Public Figures"."Last Census" VALUES (1000000, 2, NULL, 'z''"'), (0.00001, 1, true, 'x'), (0, 1, false, 'y'), (2.5, 2, false, 'y'), (1.5, 2, false, 'y');
CREATE TABLE rows_of (a text, b boolean, c int);
INSERT INTO rows_of SELECT 'y', NULL, 2 FROM generate_series(1, 3000);

---- which table: not what is none, the source, a part of it, or what has a budget
CREATE VIEW a_view AS SELECT * FROM rows_of;
CREATE MATERIALIZED VIEW a_copy AS SELECT * FROM odd;
CREATE SEQUENCE a_sequence;
CREATE TABLE a_part () INHERITS (odd);
CREATE TABLE another (LIKE rows_of);
SELECT pegs_set_budget('another', 1);
CREATE TABLE short (a text, b boolean);
CREATE TABLE strange (a text, b boolean, c int, n text);
CREATE FUNCTION fit_of(prior text) RETURNS text LANGUAGE sql RETURN format('SELECT pegs_fit(%L, %L, method => %L, options => %L)', 'no', 'odd', 'table', jsonb_build_object('prior', prior::jsonb));
SELECT throws_ok(fit_of('"a_view"'), '42809', '"a_view" cannot be a prior: it is not a table');
SELECT is(hint_of(fit_of('"a_view"')), 'Copy what is public in it into a table: CREATE TABLE my_prior AS SELECT ...;', 'and what to do');
SELECT throws_ok(fit_of('"a_copy"'), '42809', '"a_copy" cannot be a prior: it is not a table', 'a materialized view of the source');
SELECT throws_ok(fit_of('"a_sequence"'), '42809', '"a_sequence" cannot be a prior: it is not a table');
SELECT throws_ok(fit_of('"odd"'), '22023', 'public.odd cannot be a prior: it is the source, or a part of it');
SELECT is(hint_of(fit_of('"odd"')), 'Name a table of figures that everybody may know, made without the rows of the source.', 'and what to do');
SELECT throws_ok(fit_of('"a_part"'), '22023', 'public.a_part cannot be a prior: it is the source, or a part of it');
SELECT throws_ok(fit_of('"another"'), '22023', 'public.another cannot be a prior: it has a privacy budget: its rows are private');
SELECT throws_ok(fit_of('"nowhere"'), '42P01', 'relation "nowhere" does not exist');
SELECT alike(hint_of(fit_of('"nowhere"')), '"prior" names a table as SQL does%', 'and how it is named');
DROP TABLE a_part;

---- its parts: each is asked what it is asked; a foreign one could read the source
CREATE EXTENSION postgres_fdw;
CREATE SERVER loop FOREIGN DATA WRAPPER postgres_fdw;
CREATE TABLE in_parts (LIKE rows_of) PARTITION BY LIST (a);
CREATE TABLE part_x PARTITION OF in_parts FOR VALUES IN ('x') PARTITION BY LIST (c);
CREATE FOREIGN TABLE part_far PARTITION OF part_x FOR VALUES IN (1) SERVER loop OPTIONS (table_name 'odd');
SELECT throws_ok(fit_of('"in_parts"'), '42809', '"in_parts" cannot be a prior: its part "part_far" is not a table');
SELECT is(hint_of(fit_of('{"table": "in_parts", "weight": "c"}')), 'Copy what is public in it into a table: CREATE TABLE my_prior AS SELECT ...;', 'and what to do, weighed as well');
DROP FOREIGN TABLE part_far;
CREATE TABLE has_heirs (LIKE rows_of);
CREATE FOREIGN TABLE heir_far () INHERITS (has_heirs) SERVER loop OPTIONS (table_name 'odd');
SELECT throws_ok(fit_of('"has_heirs"'), '42809', '"has_heirs" cannot be a prior: its part "heir_far" is not a table');
DROP FOREIGN TABLE heir_far;
CREATE TABLE part_x1 PARTITION OF part_x FOR VALUES IN (1);
CREATE TABLE another_x (LIKE rows_of);
SELECT pegs_set_budget('another_x', 1);
ALTER TABLE part_x ATTACH PARTITION another_x FOR VALUES IN (2);
SELECT throws_ok(fit_of('"in_parts"'), '22023', 'public.in_parts cannot be a prior: it has a privacy budget: its rows are private', 'a part with a budget');
ALTER TABLE part_x DETACH PARTITION another_x;
CREATE TABLE middle (LIKE rows_of) PARTITION BY LIST (b);
CREATE TABLE middle_true PARTITION OF middle FOR VALUES IN (true);
SELECT pegs_set_budget('middle', 1);
ALTER TABLE in_parts ATTACH PARTITION middle FOR VALUES IN ('y');
SELECT throws_ok(fit_of('"middle_true"'), '22023', 'public.middle_true cannot be a prior: it has a privacy budget: its rows are private', 'between it and the topmost');
ALTER TABLE in_parts DETACH PARTITION middle;
CREATE TABLE whose (id int PRIMARY KEY);
CREATE TABLE bound_to (LIKE rows_of, w int REFERENCES whose) PARTITION BY LIST (a);
CREATE TABLE bound_x PARTITION OF bound_to FOR VALUES IN ('x');
SELECT pegs_set_parent('bound_to', 'whose', children => '{0, 1}', at_most => 1);
SELECT throws_ok(fit_of('"bound_x"'), '22023', 'public.bound_x cannot be a prior: it has a privacy budget: its rows are private', 'a part of a table that is bound to another');
SELECT throws_ok(fit_of('"bound_to"'), '22023', 'public.bound_to cannot be a prior: it has a privacy budget: its rows are private');
CREATE TABLE homes (LIKE rows_of, id int, PRIMARY KEY (id, a)) PARTITION BY LIST (a);
CREATE TABLE homes_x PARTITION OF homes FOR VALUES IN ('x');
CREATE TABLE lives (id int, a text, FOREIGN KEY (id, a) REFERENCES homes);
SELECT pegs_set_parent('lives', 'homes', children => '{0, 1}', at_most => 1);
SELECT throws_ok(fit_of('"homes_x"'), '22023', 'public.homes_x cannot be a prior: it has a privacy budget: its rows are private', 'a part of a table to which another is bound');
SELECT throws_ok(fit_of('"homes"'), '22023', 'public.homes cannot be a prior: it has a privacy budget: its rows are private', 'and that table');

---- what is in it: columns of the model, declared levels, weights that are numbers of rows; and never a value
SELECT throws_ok(fit_of('"short"'), '42703', 'relation "short" has no column "c"');
SELECT is(hint_of(fit_of('"short"')), 'Its columns are: a, b.', 'and which there are');
SELECT throws_ok(fit_of('{"table": "rows_of", "weight": "n"}'), '42703', 'relation "rows_of" has no column "n"');
SELECT throws_ok(fit_of('{"table": "strange", "weight": "n"}'), '42804', 'column "n" of a prior is of type text: weights are numbers');
SELECT alike(hint_of(fit_of('{"table": "strange", "weight": "n"}')), 'Name another column in "weight"%', 'and what to do');
CREATE FUNCTION weighed(weight text) RETURNS text LANGUAGE plpgsql AS $$ BEGIN EXECUTE format('CREATE OR REPLACE TEMP VIEW unused AS SELECT 1; DROP TABLE IF EXISTS w; CREATE TABLE w AS SELECT ''x''::text AS a, true AS b, 1 AS c, %s AS n', weight); RETURN fit_of('{"table": "w", "weight": "n"}'); END $$;
SELECT throws_ok(weighed(w), '22023', 'column "n" of public.w has a weight that is not a number from 0 to 1073741824', w)
FROM unnest(ARRAY['-1', '-0.5', 'NULL::int', '''NaN''::numeric', '''Infinity''::float8', '1073741825::bigint']) AS w;
SELECT is(hint_of(weighed('-1')), 'A prior may add to a cell, and never take away: weights are numbers of rows, or parts of one.', 'and what they are');
SELECT unalike(said(weighed('-7654321')), '%7654321%', 'no value');
SELECT weighed('1000000000');
INSERT INTO w SELECT * FROM w;
SELECT throws_ok(fit_of('{"table": "w", "weight": "n"}'), '22023', 'public.w weighs more than 1073741824 rows');
UPDATE w SET n = 1, a = 'a secret';
SELECT throws_ok(fit_of('"w"'), '22023', 'public.w has a value in column "a" that is not declared');
SELECT unalike(said(fit_of('"w"')), '%a secret%', 'no value');
SELECT alike(hint_of(fit_of('"w"')), 'A prior has levels of the model alone%', 'and what to do');
UPDATE w SET a = 'x', c = NULL;
SELECT throws_ok(fit_of('"w"'), '22023', 'public.w has a value in column "c" that is not declared', 'NULL where there is none');
ALTER TABLE w ALTER c TYPE text USING 'not a number';
SELECT ok(said(fit_of('"w"')) IS NOT NULL AND said(fit_of('"w"')) NOT LIKE '%not a number%', 'what no cast takes is not said');

---- how it is asked for
SELECT throws_ok(fit_of(p), '22023', 'option "prior" must be the name of a public table, or an object of "table" and "weight", its column of weights', p)
FROM unnest(ARRAY['3', 'true', 'null', '[]', '{}', '{"table": 3}', '{"table": "rows_of", "weight": 3}', '{"table": "rows_of", "wait": "n"}',
	'{"table": "rows_of", "cells": [0], "weights": [12.5]}', '{"table": "rows_of", "cells": [], "weights": []}', '{"table": "rows_of", "weight": "n", "cells": [0], "weights": [1]}',
	'{"table": "t", "cells": [1], "weights": [-1]}', '{"table": "t", "cells": [18], "weights": [1]}', '{"table": "t", "cells": [2, 1], "weights": [1, 1]}', '{"table": "t", "cells": [1, 2], "weights": [1]}']) AS p;
SELECT throws_ok(format($$SELECT %s$$, c), '22023', 'option "prior" must be the name of a public table, or an object of "table" and "weight", its column of weights', 'what was counted is no caller''s word: ' || c)
FROM unnest(ARRAY[$$pegs_fit('no', 'odd', epsilon => 1, method => 'marginals', options => '{"noise": "dirichlet", "rows": 9, "prior": {"table": "rows_of", "cells": [0], "weights": [9]}}')$$,
	$$pegs_fit_state('no', 'odd', NULL, method => 'table', options => '{"prior": {"table": "rows_of", "cells": [0], "weights": [9]}}')$$]) AS c;
SELECT is(hint_of(fit_of('{"table": "rows_of", "cells": [0], "weights": [9]}')), $$options => '{"prior": "public.census"}'$$, 'and what to do');
SELECT is(hint_of(fit_of('3')), $$options => '{"prior": "public.census"}'$$, 'by its name');
SELECT throws_ok($$SELECT pegs_fit('no', 'odd', epsilon => 1, method => 'table', options => '{"prior": "rows_of"}')$$, '22023', 'method "table" cannot fit this: option "prior" goes with "noise": "dirichlet" alone');
SELECT is(hint_of($$SELECT pegs_fit('no', 'odd', epsilon => 1, method => 'marginals', options => '{"prior": "rows_of"}')$$), 'Add to options: "noise": "dirichlet", "rows": 1000; or leave "prior" out.', 'and what to do');
SELECT throws_ok($$SELECT pegs_fit('no', 'odd', method => 'table', options => '{"prior": "rows_of", "guarantee": "none"}')$$, '22023', 'unknown option "prior"');
SELECT throws_ok($$SELECT pegs_fit('no', 'odd', epsilon => 1, options => '{"prior": "rows_of"}')$$, '22023', 'unknown option "prior"');
CREATE TABLE wide (a int NOT NULL, b int NOT NULL, c int NOT NULL);
SELECT pegs_set_budget('wide', 10), pegs_set_bins('wide', x, 0, 1000, 1000) FROM unnest('{a,b,c}'::name[]) AS x;
SELECT throws_ok($$SELECT pegs_fit('no', 'wide', method => 'table', options => '{"prior": "wide_prior"}')$$, '54000', 'the declared domain is too large to count');
SELECT is(spent(), 0::numeric, 'nothing was charged');

---- rights at the moment of use
CREATE ROLE prior_curator;
GRANT prior_curator TO CURRENT_USER;
CREATE TABLE theirs (a text NOT NULL CHECK (a IN ('x', 'y')));
ALTER TABLE theirs OWNER TO prior_curator;
SELECT pegs_set_budget('theirs', 10);
SELECT pegs_allow('prior_curator');
SET ROLE prior_curator;
SELECT throws_ok($$SELECT pegs_fit('t', 'theirs', method => 'table', options => '{"prior": "rows_of"}')$$, '42501', 'permission denied for table rows_of');
SELECT throws_ok($$SELECT pegs_fit('t', 'theirs', method => 'table', options => '{"prior": "another"}')$$, '42501', 'permission denied for table another', 'nor is it told of a table that it has an account');
SELECT throws_ok($$SELECT pegs_fit('t', 'theirs', method => 'table', options => '{"prior": {"table": "a_view", "weight": "c"}}')$$, '42501', 'permission denied for view a_view', 'nor anything else');
SELECT throws_ok($$SELECT pegs_fit('t', 'theirs', method => 'table', options => '{"prior": {"table": "another", "weight": "none"}}')$$, '42501', 'permission denied for table another', 'also where it has not all of the columns');
RESET ROLE;
GRANT SELECT (a) ON rows_of TO prior_curator;
SET ROLE prior_curator;
SELECT lives_ok($$SELECT pegs_fit('t', 'theirs', method => 'table', options => '{"prior": "rows_of"}')$$, 'of the columns that are read');
RESET ROLE;
REVOKE SELECT (a) ON rows_of FROM prior_curator;
SET ROLE prior_curator;
SELECT throws_ok($$SELECT pegs_fit('t2', 'theirs', method => 'table', options => '{"prior": "rows_of"}')$$, '42501');
SELECT ok((SELECT count(*) > 70 FROM pegs_sample('t', 100, epsilon => 0.5) AS s(a text) WHERE a = 'y'), 'the model has what was counted');
RESET ROLE;

---- sealed: cells weigh what it says, besides; a call costs what it did
SELECT lives_ok($$SELECT pegs_fit('m', 'odd', method => 'table', options => '{"prior": {"table": "\"Public Figures\".\"Last Census\"", "weight": "n"}}')$$);
SELECT is(pegs_describe('m') -> 'options', '{"prior": {"table": "\"Public Figures\".\"Last Census\"", "cells": [7, 17], "weight": "n", "weights": [4, 1000000]}}', 'what it kept: what weighs less than 2^-16 is nothing');
SELECT is((SELECT round(alpha::numeric, 2) FROM pegs_cost('m', 1000, epsilon => 1)), 581.98, 'alpha');
SELECT ok((SELECT count(*) FILTER (WHERE a = 'z''"' AND b IS NULL AND c = 2) > 400 FROM pegs_sample('m', 500, epsilon => 1) AS s(a text, b boolean, c int)), 'nearly all rows are what it says');
SELECT is((SELECT (holds, exact_epsilon < 1) FROM pegs_audit('m', 100, epsilon => 1, n => 20))::text, '(t,t)', 'audited');
SELECT is((SELECT holds FROM pegs_verify('m', 1, 2)), true, 'enumerated');
SELECT lives_ok($$SELECT pegs_fit('mw', 'odd', method => 'table', options => '{"within": ["a"], "prior": "rows_of"}')$$);
SELECT ok((SELECT count(*) FILTER (WHERE a = 'y' AND b IS NULL AND c = 2) > 80 FROM pegs_sample('mw', 300, epsilon => 10) AS s(a text, b boolean, c int)), 'of one urn of three');
SELECT lives_ok($$SELECT pegs_fit('mm', 'odd', ARRAY['c', 'a'], method => 'marginals', options => '{"prior": "rows_of"}')$$);
SELECT is(pegs_describe('mm') #> '{options,prior,cells}', '[1, 3]', 'levels, column after column');
SELECT ok((SELECT count(*) FILTER (WHERE a = 'y' AND c = 2) > 80 FROM pegs_sample('mm', 100, epsilon => 10) AS s(a text, c int)), 'of each column');
SELECT is((SELECT holds FROM pegs_audit('mm', 100, epsilon => 1, n => 20)), true, 'audited');

---- perturbed: paid once; and what is made of it
SELECT lives_ok($$SELECT pegs_fit('d', 'odd', epsilon => 2, method => 'table', options => '{"noise": "dirichlet", "rows": 100, "prior": "rows_of"}')$$);
SELECT ok((SELECT count(*) FILTER (WHERE a = 'y' AND b IS NULL AND c = 2) > 70 FROM pegs_sample('d') AS s(a text, b boolean, c int)), 'drawn with it');
SELECT is((SELECT holds FROM pegs_audit('d', 100)), true, 'audited');
DROP TABLE rows_of CASCADE;
SELECT lives_ok($$SELECT pegs_refit('d', 1)$$, 'fitted anew, of what was counted');
SELECT ok((SELECT count(*) FILTER (WHERE a = 'y') > 55 FROM pegs_sample('d') AS s(a text, b boolean, c int)), 'with the same prior');
SELECT lives_ok($$SELECT pegs_import('d file', pegs_export('d'))$$);
SELECT is(pegs_describe('d file') -> 'options', pegs_describe('d') -> 'options', 'a file has it');
SELECT matches(pegs_certificate_text('d'), 'rows_of', 'a certificate says it');

---- what a hint says to call, by its name: it runs, and means the same prior
CREATE TABLE again (a text NOT NULL CHECK (a IN ('x', 'y')));
SELECT pegs_set_budget('again', 10);
DELETE FROM "Public Figures"."Last Census" WHERE a NOT IN ('x', 'y');
SELECT pegs_fit('g', 'again', epsilon => 1, method => 'table', options => '{"noise": "dirichlet", "rows": 10, "prior": {"table": "\"Public Figures\".\"Last Census\"", "weight": "n"}}');
CREATE TABLE g AS SELECT pegs_describe('g') -> 'options' AS options;
ALTER TABLE again DROP CONSTRAINT again_a_check, ADD CHECK (a IN ('x', 'y', 'z'));
SELECT unalike(hint_of($$SELECT pegs_refit('g')$$), '%"weights"%', 'a model that cannot be fitted anew');
SELECT lives_ok(substring(hint_of($$SELECT pegs_refit('g')$$) FROM 'SELECT pegs_drop.*'), 'what is said runs');
SELECT is(pegs_describe('g') -> 'options', (SELECT options FROM g), 'and counts the same');

---- one in parts, of which each is a table
INSERT INTO in_parts SELECT 'x', true, 1 FROM generate_series(1, 7);
SELECT pegs_fit('parts', 'odd', method => 'table', options => '{"prior": "in_parts"}');
SELECT is(pegs_describe('parts') #> '{options,prior}', '{"table": "public.in_parts", "cells": [2], "weights": [7]}', 'rows of its parts');

---- an empty one is none
CREATE TABLE rows_of (a text, b boolean, c int);
SELECT lives_ok($$SELECT pegs_fit('e', 'odd', method => 'table', options => '{"prior": "rows_of"}')$$);
SELECT is(pegs_describe('e') -> 'options', '{"prior": {"table": "public.rows_of", "cells": [], "weights": []}}', 'nothing is kept');

---- slices: the call of the first night is that of all nights, while the prior says the same
CREATE TABLE nights (a text NOT NULL CHECK (a IN ('x', 'y')), at date NOT NULL);
INSERT INTO nights SELECT 'x', date '2026-01-01' + i FROM generate_series(1, 3) AS i;
CREATE TRIGGER zz_keep_slices BEFORE UPDATE ON nights FOR EACH ROW EXECUTE FUNCTION pegs_keep_slices('at');
ALTER TABLE nights ENABLE ALWAYS TRIGGER zz_keep_slices;
INSERT INTO rows_of SELECT 'y' FROM generate_series(1, 300);
SELECT pegs_set_budget('nights', 10);
SELECT pegs_set_slices('nights', 'at', '1 day', '2026-01-01', epsilon => 1);
CREATE FUNCTION tonight() RETURNS text LANGUAGE sql RETURN $$SELECT pegs_fit_slices('n', 'nights', most => 1, method => 'table', options => '{"noise": "dirichlet", "rows": 10, "prior": "rows_of"}')$$;
SELECT lives_ok(tonight(), 'the first night');
SELECT lives_ok(tonight(), 'and the second');
SELECT throws_ok(format($$SELECT pegs_fit_slices('n', 'nights', most => 1, method => 'table', options => %L)$$, d), '22023', 'option "prior" must be the name of a public table, or an object of "table" and "weight", its column of weights', 'what was counted is no word of tonight''s caller')
FROM (SELECT pegs_describe('n') -> 'options') AS n(d);
INSERT INTO rows_of VALUES ('x');
SELECT is(said(tonight()), 'model "n" has other options All slices have those of the first. Leave options out.', 'not with another prior');

SELECT * FROM finish();
