-- learnt: what it cost to learn levels and bins stands beside the rows. Laws L6, L10; claims P15, P16.
--
-- Each value has a thousand rows and needs about 41, so what is learnt is the same in every run.
SET client_min_messages = warning;
CREATE EXTENSION pegs;
SELECT * FROM no_plan();
CREATE TABLE t (a text NOT NULL, b int NOT NULL, c text NOT NULL, d boolean NOT NULL, who int, rare text);
INSERT INTO t SELECT (ARRAY['x', 'y', 'z'])[1 + i % 3], i % 50, (ARRAY['p', 'q'])[1 + i % 2], i % 2 = 0, i, 'r' || i FROM generate_series(1, 3000) AS i;
SELECT pegs_set_budget('t', 1000000, 1e-3, 'sum');
CREATE FUNCTION mark(name name, source regclass DEFAULT 't') RETURNS text LANGUAGE sql AS
$$ SELECT concat_ws(' ', (SELECT trim_scale(sum(e) * 1e-9) FROM unnest(learnt_epsilon) AS e), (SELECT trim_scale(sum(d) * 1e-18) FROM unnest(learnt_delta) AS d),
	(SELECT string_agg(DISTINCT u, ', ') FROM unnest(learnt_unit) AS u)) FROM pegs_internal.fact WHERE fact.source = $2 AND column_name = $1 AND learnt_charge IS NOT NULL $$;
CREATE FUNCTION said(name text) RETURNS text LANGUAGE sql AS
$$ SELECT concat_ws('; ', c ->> 'domain_epsilon', c ->> 'domain_delta', c ->> 'domain', c ->> 'public') FROM pegs_certificate($1) AS c $$;
CREATE FUNCTION fitted(model text, source regclass, VARIADIC columns name[]) RETURNS text LANGUAGE plpgsql AS
$$ BEGIN PERFORM pegs_fit(model, source, columns, epsilon => 1); RETURN said(model); END $$;

---- the mark of a declaration
SELECT pegs_set_levels('t', 'c', ARRAY['p', 'q']);
SELECT is(mark('c'), NULL, 'declared by a person');
SELECT pegs_learn_levels('t', 'a', 0.5, 1e-9), pegs_learn_range('t', 'b', 0.25);
SELECT is(mark('a'), '0.5 0.000000001 row', 'levels that were learnt');
SELECT is(mark('b'), '0.25 0 row', 'bins that were learnt');
SELECT results_eq($$ SELECT column_name::text COLLATE "C", origin FROM pegs_domain('t') WHERE column_name IN ('a', 'b', 'c') $$,
	$$ VALUES ('a' COLLATE "C", 'learnt levels'), ('b', 'learnt bins, other values count in the nearest'), ('c', 'declared levels') $$, 'pegs_domain says which');

---- the sum over the columns of a model
SELECT is(fitted('none', 't', 'c', 'd'), 'columns, declared levels and bins', 'of a model without a learnt column: as ever');
SELECT is(fitted('levels', 't', 'a', 'c'), '0.5; 0.000000001; epsilon 0.5 and delta 0.000000001, charged besides, for learning levels and bins; columns; levels and bins, declared, or learnt and charged', 'levels, and no word that they were declared');
SELECT is(fitted('bins', 't', 'b'), '0.25; 0; epsilon 0.25, charged besides, for learning levels and bins; columns; levels and bins, declared, or learnt and charged', 'bins');
SELECT alike(fitted('both', 't', 'a', 'b', 'c', 'd'), '0.75; 0.000000001; epsilon 0.75 and delta %', 'both');
SELECT results_eq($$ SELECT name, epsilon, delta, domain_epsilon, domain_delta FROM pegs_models ORDER BY name $$,
	$$ VALUES ('bins', 1::numeric, 0::numeric, 0.25, 0::numeric), ('both', 1, 0, 0.75, 1e-9), ('levels', 1, 0, 0.5, 1e-9), ('none', 1, 0, NULL, NULL) $$, 'pegs_models');
SELECT ok(pegs_certificate_text('both') ~ '\ndomain:      epsilon 0.75 and delta 0.000000001, charged besides, for learning levels and bins\n', 'the certificate as text');
SELECT ok(pegs_certificate_text('none') !~ 'domain:', 'nothing, where nothing was');
SELECT ok((SELECT sum(domain_epsilon * 1e-9::numeric) FROM pegs_internal.model) = 1.5, 'as it is stored');

---- where the rows are: views, pages
SELECT ok(bool_or(s LIKE 'COMMENT ON %VIEW v IS ''synthetic, epsilon 1, and epsilon 0.75 and delta 0.000000001 for learning levels and bins (of the fit when this view was made), see %'), 'the comment of a view') FROM pegs_view_sql('both', 'v') AS s;
SELECT ok(bool_and(s NOT LIKE '%learning%'), 'nor there') FROM pegs_view_sql('none', 'v') AS s;
SELECT ok(html LIKE '%' || part || '%', 'summary: ' || part) FROM pegs_summary('both') AS html, unnest(ARRAY['no outcome becomes more than 5.76 times as probable', 'but for outcomes of probability 1e-9 (delta)', 'here 1.75',
	'<dt>domain</dt><dd>epsilon 0.75 and delta 0.000000001, charged besides, for learning levels and bins</dd>', 'Levels and bins of columns were learnt from the rows', 'It is in the numbers above']) AS part;
SELECT ok(html LIKE '%times as probable, or as improbable: that is%' AND html LIKE '%here 1. %' AND html NOT LIKE '%were learnt from the rows, under%', 'summary of what was declared') FROM pegs_summary('none') AS html;
SELECT ok(html ~ '<dt>epsilon in all</dt><dd>1\.75\M' AND html LIKE '%<dt>domain</dt><dd>epsilon 0.75%', 'the report: epsilon in all, and why') FROM pegs_report('both', options => '{"ru_map": false}') AS html;

---- learnt again, declared by hand
SELECT pegs_learn_levels('t', 'a', 0.125, 1e-9);
SELECT is(mark('a'), '0.625 0.000000002 row', 'learnt again: both');
SELECT alike(said('levels'), '0.5; 0.000000001; %', 'a model says what it cost until it was fitted');
SELECT pegs_learn_levels('t', 'rare', 0.5, 1e-15);
SELECT is_empty($$ SELECT FROM pegs_internal.fact WHERE column_name = 'rare' $$, 'nothing found, nothing declared');
SELECT pegs_set_levels('t', 'rare', ARRAY['r1'], undeclared => 'drop'), pegs_learn_levels('t', 'rare', 0.5, 1e-15);
SELECT is(mark('rare'), '0.5 0.000000000000001 row', 'nothing found: that what a person declared stands is an answer, too');
SELECT is((SELECT origin FROM pegs_domain('t') WHERE column_name = 'rare'), 'declared levels, other rows are left out', 'it is declared, and not learnt');
SELECT pegs_set_levels('t', 'rare', ARRAY['r1', 'r2'], undeclared => 'drop');
SELECT is(mark('rare'), NULL, 'another declaration: nothing of that is left');
CREATE TABLE few AS SELECT * FROM t WHERE a = 'x' LIMIT 60;
SELECT pegs_set_budget('few', 1000, 1e-3, 'sum');
SELECT pegs_learn_levels('few', 'a', 500, 1e-9), pegs_learn_levels('few', 'a', 0.001, 1e-12);
SELECT is(mark('a', 'few'), '500.001 0.000000001001 row', 'nothing found: that it stands is an answer of both');
SELECT pegs_unset('t', 'rare'), pegs_learn('t', 0.5, 1e-15, ARRAY['rare']);
SELECT is(mark('rare'), '0.5 0.000000000000001 row', 'nothing found, and left out therefore: the charge is kept');
SELECT pegs_leave_out('t', 'rare'), pegs_learn('t', 0.5, 1e-15, ARRAY['rare']);
SELECT is(mark('rare'), '1 0.000000000000002 row', 'left out by a person, too, it was looked for; looked for again: both');
SELECT pegs_declare('t', '{"columns": {"rare": {"nullable": false}}}');
SELECT is(mark('rare'), NULL, 'another declaration: a person''s');
SELECT pegs_unset('t', 'rare'), pegs_set_levels('t', 'rare', ARRAY['r1'], undeclared => 'drop');
SELECT pegs_declare('t', pegs_facts('t'));
SELECT is(mark('a') || ', ' || mark('b'), '0.625 0.000000002 row, 0.25 0 row', 'declared as it stands: it was learnt all the same');
SELECT pegs_set_levels('t', 'a', ARRAY['x', 'y', 'z'], undeclared => 'drop', nullable => false);
SELECT is(mark('a'), '0.625 0.000000002 row', 'nor does it matter where other values go');
SELECT pegs_set_levels('t', 'a', ARRAY['x', 'y'], undeclared => 'drop');
SELECT is(mark('a'), NULL, 'another declaration: a person''s');
SELECT is(fitted('by hand', 't', 'a', 'c'), 'columns, declared levels and bins', 'and so says a model');
SELECT pegs_learn_levels('t', 'a', 0.5, 1e-9);
SELECT is(mark('a'), '0.5 0.000000001 row', 'learnt in place of that');
SELECT pegs_unset('t', 'a'), pegs_set_levels('t', 'a', ARRAY['x', 'y', 'z'], 'other');
SELECT is(mark('a'), NULL, 'pegs_unset forgets it');
SELECT pegs_learn_levels('t', 'a', 0.5, 1e-9), pegs_leave_out('t', 'a');
SELECT is(mark('a'), NULL, 'left out: nothing that was learnt is left');
SELECT pegs_learn_levels('t', 'a', 0.5, 1e-9);
-- one charge for two columns
UPDATE pegs_internal.fact SET learnt_charge = '{1}', learnt_epsilon = '{500000000}', learnt_delta = '{1000000000}', learnt_unit = '{row}' WHERE column_name = 'b' AND source = 't'::regclass;
UPDATE pegs_internal.fact AS f SET learnt_charge = '{1}' || f.learnt_charge, learnt_epsilon = '{500000000}' || f.learnt_epsilon, learnt_delta = '{1000000000}' || f.learnt_delta, learnt_unit = '{row}' || f.learnt_unit WHERE column_name = 'a' AND source = 't'::regclass;
SELECT alike(fitted('one charge', 't', 'a', 'b'), '1; 0.000000002; %', 'one charge counts once, for however many columns');
UPDATE pegs_internal.fact AS f SET learnt_charge = learnt_charge[2:], learnt_epsilon = learnt_epsilon[2:], learnt_delta = learnt_delta[2:], learnt_unit = learnt_unit[2:] WHERE column_name = 'a' AND source = 't'::regclass;
UPDATE pegs_internal.fact SET learnt_charge = '{2}', learnt_epsilon = '{250000000}', learnt_delta = '{0}' WHERE column_name = 'b' AND source = 't'::regclass;
-- charges that no budget could bear
CREATE TABLE kept AS SELECT learnt_epsilon AS e, learnt_delta AS d FROM pegs_internal.fact WHERE column_name = 'a' AND source = 't'::regclass;
UPDATE pegs_internal.fact SET learnt_epsilon[1] = 9223372036854775807, learnt_delta[1] = 9223372036854775807 WHERE column_name IN ('a', 'b') AND source = 't'::regclass;
SELECT alike(fitted('too much', 't', 'a', 'b'), '9223372036.854775807; 9.223372036854775807; %', 'no sum is too large');
UPDATE pegs_internal.fact SET learnt_epsilon = CASE column_name WHEN 'a' THEN e ELSE '{250000000}' END, learnt_delta = CASE column_name WHEN 'a' THEN d ELSE '{0}' END FROM kept WHERE column_name IN ('a', 'b') AND source = 't'::regclass;

---- left out, because nothing of it was learnt: so says the charge, and every model without it
CREATE TABLE lost (a boolean NOT NULL, b text NOT NULL, c text NOT NULL);
INSERT INTO lost SELECT i % 2 = 0, 'b' || i, 'c' || i FROM generate_series(1, 100) AS i;
SELECT pegs_set_budget('lost', 100, 1e-3);
SELECT pegs_learn('lost', 0.25, 1e-15);
SELECT is(string_agg(concat_ws(' ', column_name, left_out, mark(column_name, 'lost')), ', ' ORDER BY column_name), 'b t 0.25 0.000000000000001 row, c t 0.25 0.000000000000001 row', 'left out, for a charge')
FROM pegs_internal.fact WHERE source = 'lost'::regclass;
SELECT pegs_fit('without', 'lost', epsilon => 1);
SELECT alike(said('without'), '0.25; 0.000000000000001; epsilon 0.25 and delta 0.000000000000001, charged besides, for learning %', 'which columns a model has was learnt, too: once');
CREATE TABLE mixed AS SELECT (ARRAY['x', 'y'])[1 + i % 2] AS a, 'b' || i AS b FROM generate_series(1, 1000) AS i;
SELECT pegs_set_budget('mixed', 1000, 1e-3);
SELECT pegs_learn('mixed', 500, 1e-15), pegs_fit('mixed', 'mixed', epsilon => 1);
SELECT alike(said('mixed'), '500; 0.000000000000001; %', 'found in one column and in another nothing: one charge');
SELECT is(fitted('named', 'lost', 'a'), 'columns, declared levels and bins', 'not where a person names them');
SELECT pegs_leave_out('lost', 'b'), pegs_leave_out('lost', 'c');
SELECT is(mark('b', 'lost'), '0.25 0.000000000000001 row', 'left out as it stands: it was learnt all the same');
CREATE TABLE public_codes (code text NOT NULL);
SELECT pegs_set_lookup('lost', 'b', 'public_codes', 'code'), pegs_set_derived('lost', 'c', 'a::text');
SELECT is(concat(mark('b', 'lost'), mark('c', 'lost')), '', 'another declaration: a person''s, whatever it is');

---- a name that another column has now
CREATE TABLE renamed (a text NOT NULL, d boolean NOT NULL);
INSERT INTO renamed SELECT (ARRAY['x', 'y'])[1 + i % 2], true FROM generate_series(1, 1000) AS i;
SELECT pegs_set_budget('renamed', 100000, 1e-3);
SELECT pegs_learn('renamed', 500, 1e-9, '{a}');
ALTER TABLE renamed RENAME a TO old;
ALTER TABLE renamed ADD a text;
SELECT pegs_learn('renamed', 0.25, 1e-15, '{a}');
SELECT is((SELECT left_out::text FROM pegs_internal.fact WHERE source = 'renamed'::regclass AND column_name = 'a') || ' ' || mark('a', 'renamed'), 'true 0.25 0.000000000000001 row', 'learnt: what was declared of another column is no declaration of this one');
ALTER TABLE renamed RENAME a TO older;
ALTER TABLE renamed ADD a text;
SELECT pegs_leave_out('renamed', 'a');
SELECT is(mark('a', 'renamed'), NULL, 'declared by a person: the charges of another column are not its own');

---- views: what their table learnt counts, once
CREATE VIEW half AS SELECT a AS first, a AS second, b, c FROM t WHERE d;
SELECT alike(fitted('view', 'half', 'first', 'c'), '0.5; 0.000000001; %', 'of a view, by another name');
SELECT alike(fitted('twice', 'half', 'first', 'second', 'b'), '0.75; 0.000000001; %', 'one declaration counts once');
SELECT pegs_learn_levels('half', 'second', 0.25, 1e-9);
SELECT alike(fitted('two', 'half', 'first', 'second'), '0.75; 0.000000002; %', 'what was learnt of the view itself, too');

CREATE VIEW same AS SELECT a, a AS again FROM t;
SELECT pegs_learn_levels('same', 'a', 0.125, 1e-9);
SELECT alike(fitted('same', 'same', 'a', 'again'), '0.625; 0.000000002; %', 'by the same name, too');

---- sealed models, states, releases that outlive their model
SELECT pegs_fit('sealed', 't', ARRAY['a', 'c'], structure_epsilon => 0.5), pegs_release('of sealed', 'sealed', 5, epsilon => 2, block => 5);
SELECT alike(said(n), '0.5; 0.000000001; %; columns; levels and bins, declared, or learnt and charged, hash', n) FROM unnest(ARRAY['sealed', 'of sealed']) AS n;
SELECT ok(html LIKE '%here 3.%', 'of a sealed release: rows, parents, levels') FROM pegs_summary('of sealed') AS html;
SELECT ok(html LIKE '%Nothing was released yet%' AND html LIKE '%were learnt from the rows, under%', 'of a sealed model: its levels were released') FROM pegs_summary('sealed') AS html;
SELECT ok(bool_or(s LIKE '%epsilon 2 and 0.5 for the choice of parents, and epsilon 0.5 and delta 0.000000001 for learning levels and bins, see%'), 'of its view') FROM pegs_view_sql('of sealed', 'v') AS s;
SELECT pegs_fit_state('state', 't', (SELECT pegs_agg((SELECT pegs_spec('t', ARRAY['a', 'c'])), a, c) FROM t), ARRAY['a', 'c'], epsilon => 1);
SELECT alike(said('state'), '0.5; 0.000000001; %', 'of a state');
SELECT pegs_release('kept', 'both', 5), pegs_drop('both');
SELECT alike(said('kept'), '0.75; 0.000000001; %', 'of a release whose model is gone');

---- files: they have no room for it, and say so
SELECT pegs_import('from a file', pegs_export('levels'));
SELECT is(said('from a file'), 'not known: what it cost to learn levels and bins from rows, or to choose the model among others, is not in the file; columns, levels and bins', 'a file does not say it');
SELECT ok(html LIKE '%<b>What levels and bins cost is not counted here</b>%', 'nor does its summary hide that') FROM pegs_summary('from a file') AS html;

---- another unit
SELECT pegs_set_unit('t', 'who', 1);
SELECT is(fitted('persons', 't', 'a'), '0.5; 0.000000001; epsilon 0.5 and delta 0.000000001, charged besides, for learning levels and bins; some of it protects another unit, so the sum is a guarantee of neither; columns; levels and bins, declared, or learnt and charged', 'learnt for rows, fitted for persons');
SELECT pegs_learn_range('t', 'b', 0.5), pegs_learn_levels('t', 'c', 0.5, 1e-9);
SELECT is(mark('b') || ', ' || mark('c'), '0.75 0 person: who, row, 0.5 0.000000001 person: who', 'learnt for both');
SELECT unalike(fitted('of persons', 't', 'c'), '%another unit%', 'learnt for persons, fitted for persons');
SELECT alike(fitted('of both', 't', 'b'), '%another unit%', 'learnt for both');
SELECT * FROM finish();
