-- What pegs_fit_schema refuses before it is charged, pegs_schema says in the same words, with a remedy that is pasted here, and repairs:
-- src/facts/readable.c, schema.c, links.c.
SET client_min_messages = warning;
CREATE EXTENSION pegs;
SELECT * FROM no_plan();
\ir lib/said.sql
CREATE ROLE related_schema_owner; CREATE ROLE related_schema_other; GRANT CREATE ON SCHEMA public TO related_schema_owner; GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA public TO related_schema_owner;
SET ROLE related_schema_owner;
CREATE TABLE person (id int PRIMARY KEY, v boolean NOT NULL);
CREATE TABLE visit (id int PRIMARY KEY, person int REFERENCES person, v boolean NOT NULL, more text);
INSERT INTO person SELECT i, i % 2 = 0 FROM generate_series(1, 100) AS i;
INSERT INTO visit SELECT i, i, i % 3 = 0 FROM generate_series(1, 100) AS i;
SELECT pegs_set_parent('visit', 'person', children => '{0, 1}', at_most => 1), pegs_set_budget('person', 1e4), pegs_leave_out('visit', 'more');
RESET ROLE;
-- after a change: what pegs_schema says, what a fit says, and both after the remedy; then all is undone
CREATE FUNCTION after(change text) RETURNS text LANGUAGE plpgsql AS $$ DECLARE p text; r text; f text; p2 text; f2 text; BEGIN
	EXECUTE change;
	SELECT string_agg(source::regclass || ': ' || problem, '; '), string_agg(remedy, ' ') INTO p, r FROM pegs_schema('person') WHERE problem IS NOT NULL;
	f := said($f$SELECT pegs_fit_schema('m', 'person', epsilon => 1)$f$);
	IF r IS NOT NULL THEN EXECUTE r; END IF;
	SELECT string_agg(problem, '; ') INTO p2 FROM pegs_schema('person');
	f2 := said($f$SELECT pegs_fit_schema('m2', 'person', epsilon => 1)$f$);
	-- what is refused last of all, just before the charge: a binding that could be rolled back
	IF f ~ 'was declared in this transaction' THEN f := 'ok'; END IF;
	IF f2 ~ 'was declared in this transaction' THEN f2 := 'ok'; END IF;
	RAISE EXCEPTION USING ERRCODE = 'P9999', MESSAGE = format(E'%s\n%s\n%s\n%s, %s', coalesce(p, 'no problem'), r, f, coalesce(p2, 'no problem'), f2);
	EXCEPTION WHEN SQLSTATE 'P9999' THEN RETURN SQLERRM; END $$;
SELECT is(after('SELECT'), E'no problem\n\nok\nno problem, ok', 'nothing');

---- rows that cannot be read
SELECT is(after('REVOKE SELECT ON visit FROM related_schema_owner'), E'visit: permission denied for table visit\nGRANT SELECT ON public.visit TO related_schema_owner;\n42501 | permission denied for table visit\nno problem, ok', 'the owner has no SELECT');
SELECT is(after('REVOKE SELECT ON person FROM related_schema_owner'), E'person: permission denied for table person\nGRANT SELECT ON public.person TO related_schema_owner;\n42501 | permission denied for table person\nno problem, ok', 'of the root');
SELECT is(after('REVOKE SELECT ON visit FROM related_schema_owner; GRANT SELECT (person, v) ON visit TO related_schema_owner'), E'no problem\n\nok\nno problem, ok', 'some columns, which are all that is read');
SELECT is(after('ALTER TABLE visit DROP id, ADD line int DEFAULT 1 CHECK (line BETWEEN 1 AND 2), ADD PRIMARY KEY (person, line); REVOKE SELECT ON visit FROM related_schema_owner; GRANT SELECT (person, v) ON visit TO related_schema_owner'), E'no problem\n\nok\nno problem, ok', 'nor a line, which is made, though it has a range');
SELECT is(after('ALTER TABLE visit DROP id, ADD line int DEFAULT 1 CHECK (line IN (1, 2)), ADD PRIMARY KEY (person, line); REVOKE SELECT ON visit FROM related_schema_owner; GRANT SELECT (person, v) ON visit TO related_schema_owner'), E'visit: permission denied for table visit\nGRANT SELECT ON public.visit TO related_schema_owner;\n42501 | permission denied for table visit\nno problem, ok', 'but a value in the key is read');
SELECT is(after(format('REVOKE SELECT ON visit FROM related_schema_owner; GRANT SELECT (%s) ON visit TO related_schema_owner', c)), E'visit: permission denied for table visit\nGRANT SELECT ON public.visit TO related_schema_owner;\n42501 | permission denied for table visit\nno problem, ok', 'without ' || w)
FROM (VALUES ('id, person, more', 'what is modelled'), ('id, v, more', 'its foreign key')) AS v (c, w);
SELECT is(after('REVOKE SELECT ON person FROM related_schema_owner; GRANT SELECT (v) ON person TO related_schema_owner'), E'person: permission denied for table person\nGRANT SELECT ON public.person TO related_schema_owner;\n42501 | permission denied for table person\nno problem, ok', 'without what others refer to');
CREATE SCHEMA hidden;
SELECT is(after('ALTER TABLE visit SET SCHEMA hidden'), E'hidden.visit: permission denied for schema hidden\nGRANT USAGE ON SCHEMA hidden TO related_schema_owner;\n42501 | permission denied for schema hidden\nno problem, ok', 'nor USAGE of the schema');
SELECT is(after('ALTER TABLE visit OWNER TO related_schema_other'), E'visit: tables "person" and "visit" have different owners\nALTER TABLE public.visit OWNER TO related_schema_owner;\n55000 | tables "person" and "visit" have different owners | Rows of both are read by one query, as their owner. | ALTER TABLE public.visit OWNER TO related_schema_owner;\nno problem, ok', 'two owners');
SELECT is(after('ALTER TABLE visit ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY'), E'visit: query would be affected by row-level security policy for table "visit"\nALTER TABLE public.visit NO FORCE ROW LEVEL SECURITY;\n42501 | query would be affected by row-level security policy for table "visit" | To disable the policy for the table''s owner, use ALTER TABLE NO FORCE ROW LEVEL SECURITY.\nno problem, ok', 'row security that is forced');
SELECT is(after('ALTER TABLE visit ENABLE ROW LEVEL SECURITY'), E'no problem\n\nok\nno problem, ok', 'and that is not');

---- a root with a unit; names
SELECT is(after('INSERT INTO pegs_internal.unit (source, column_name, max_rows, rows_each, attnum) VALUES (''person'', ''v'', 3, NULL, 2)'), E'person: it has a privacy unit itself: its rows belong to persons\nSELECT pegs_set_unit(''public.person'', NULL);\n55000 | table "person" has a privacy unit itself: its rows belong to persons | The unit of related tables is a row of the topmost one. | Use the table of persons as root. Or: SELECT pegs_set_unit(''public.person'', NULL);\nno problem, ok', 'a root that has a unit');
CREATE TABLE alone (id int PRIMARY KEY, who int);
SELECT pegs_set_unit('alone', 'who', 3);
SELECT is((SELECT problem || ' ' || remedy FROM pegs_schema('alone')), 'it has a privacy unit itself: its rows belong to persons SELECT pegs_set_unit(''public.alone'', NULL);', 'before anything is bound to it');
SELECT remedy FROM pegs_schema('alone') \gexec
SELECT is((SELECT problem FROM pegs_schema('alone')), NULL, 'pasted');
SELECT is(after('CREATE TABLE hidden.visit (id int PRIMARY KEY, visit int REFERENCES visit, v boolean NOT NULL); ALTER TABLE hidden.visit OWNER TO related_schema_owner; GRANT USAGE ON SCHEMA hidden TO related_schema_owner; SELECT pegs_set_parent(''hidden.visit'', ''visit'', children => ''{0, 1}'', at_most => 1)'),
	E'hidden.visit: two related tables are called "visit"\nALTER TABLE hidden.visit RENAME TO visit_of_hidden;\n42P07 | two related tables are called "visit" | Leave one out, or rename it: ALTER TABLE hidden.visit RENAME TO visit_of_hidden;\nno problem, ok', 'two of one name');
SELECT is(after('CREATE TABLE hidden.person (id int PRIMARY KEY, visit int REFERENCES visit, v boolean NOT NULL); ALTER TABLE hidden.person OWNER TO related_schema_owner; GRANT USAGE ON SCHEMA hidden TO related_schema_owner; SELECT pegs_set_parent(''hidden.person'', ''visit'', children => ''{0, 1}'', at_most => 1)'),
	E'hidden.person: two related tables are called "person"\nALTER TABLE hidden.person RENAME TO person_of_hidden;\n42P07 | two related tables are called "person" | Leave one out, or rename it: ALTER TABLE hidden.person RENAME TO person_of_hidden;\nno problem, ok', 'the root''s');

---- a table that links: more rows than values
CREATE TABLE film (id int PRIMARY KEY, genre text NOT NULL, sold int);
INSERT INTO film SELECT i, chr(97 + i % 2), CASE WHEN i > 3 THEN 0 ELSE i END FROM generate_series(1, 5) AS i;
GRANT SELECT ON film TO related_schema_owner; GRANT REFERENCES ON film TO related_schema_owner;
SET ROLE related_schema_owner;
CREATE TABLE seen (person int REFERENCES person, film int REFERENCES film, v boolean NOT NULL, PRIMARY KEY (person, film));
INSERT INTO seen SELECT i, 1 + i % 5, true FROM generate_series(1, 100) AS i;
SELECT pegs_set_lookup('seen', 'film', 'film', 'id'), pegs_set_parent('seen', 'person', children => '{0, 1, 2, 3, 6}', at_most => 6);
RESET ROLE;
SELECT is(after('SELECT'), E'seen: rows of one parent could agree in its key: a parent may have 6 rows, and "film" has 5 values\nSELECT pegs_set_parent(''public.seen'', ''public.person'', children => ''{0, 1, 2, 3}'', at_most => 5);\n'
	'55000 | rows of one parent could agree in the key of table "seen" | A parent may have 6 rows, and "film" has 5 values. | SELECT pegs_set_parent(''public.seen'', ''public.person'', children => ''{0, 1, 2, 3}'', at_most => 5);\nno problem, ok', 'at_most is more than there are');
SELECT is(after('SELECT pegs_set_parent(''seen'', ''person'', children => ''{0, 1, 2, 3}'', at_most => 5)'), E'no problem\n\nok\nno problem, ok', 'as many');
SELECT is(after('SELECT pegs_set_lookup(''seen'', ''film'', ''film'', ''id'', via => ''{genre}'')'), (SELECT after('SELECT')), 'via: keys are counted, not what is said of them');
SELECT is(after('SELECT pegs_set_lookup(''seen'', ''film'', ''film'', ''id'', via => ''{genre}'', weight => ''sold''), pegs_set_parent(''seen'', ''person'', children => ''{0, 1, 2, 3}'', at_most => 5)'),
	E'seen: rows of one parent could agree in its key: a parent may have 5 rows, and "film" has 3 values\nSELECT pegs_set_parent(''public.seen'', ''public.person'', children => ''{0, 1, 2, 3}'', at_most => 3);\n'
	'55000 | rows of one parent could agree in the key of table "seen" | A parent may have 5 rows, and "film" has 3 values. | SELECT pegs_set_parent(''public.seen'', ''public.person'', children => ''{0, 1, 2, 3}'', at_most => 3);\nno problem, ok', 'of keys of weight 0 there are none');
SELECT is(after('DELETE FROM seen WHERE film > 1; DELETE FROM film WHERE id > 1'), E'seen: rows of one parent could agree in its key: a parent may have 6 rows, and "film" has 1 value\nSELECT pegs_set_parent(''public.seen'', ''public.person'', children => ''{0, 1}'', at_most => 1);\n'
	'55000 | rows of one parent could agree in the key of table "seen" | A parent may have 6 rows, and "film" has 1 value. | SELECT pegs_set_parent(''public.seen'', ''public.person'', children => ''{0, 1}'', at_most => 1);\nno problem, ok', 'one');
SELECT is(after('ALTER TABLE seen ADD UNIQUE (person)'), E'no problem\n\nok\nno problem, ok', 'one row of each parent');
SELECT is(after('SELECT pegs_set_parent(''seen'', ''person'', children => ''{0, 1, 2, 3}'', at_most => 5); REVOKE SELECT ON seen FROM related_schema_owner; GRANT SELECT (person, v) ON seen TO related_schema_owner'), E'seen: permission denied for table seen\nGRANT SELECT ON public.seen TO related_schema_owner;\n42501 | permission denied for table seen\nno problem, ok', 'a reference in its own key is read');
SELECT is(after('SELECT pegs_unset(''seen'', ''film''), pegs_set_bins(''seen'', ''film'', 1, 6, 2)'), E'seen: rows of one parent could agree in its key: levels of "film" are not single values\n-- if that table is public: SELECT pegs_set_lookup(''public.seen'', ''film'', ''public.film'', ''id'');\n'
	'55000 | rows of one parent could agree in the key of table "seen" | Levels of "film" are not single values. | Its levels must be single values: SELECT pegs_set_lookup(''public.seen'', ''film'', ''public.film'', ''id'');\nrows of one parent could agree in its key: levels of "film" are not single values, '
	'55000 | rows of one parent could agree in the key of table "seen" | Levels of "film" are not single values. | Its levels must be single values: SELECT pegs_set_lookup(''public.seen'', ''film'', ''public.film'', ''id'');', 'bins: a comment, since whether that table is public a person knows');
SELECT is(after(format('ALTER TABLE seen DROP CONSTRAINT seen_pkey, ADD %s int; UPDATE seen SET %1$s = person; ALTER TABLE seen ADD PRIMARY KEY (%s)', c, k)), E'no problem\n\nok\nno problem, ok', 'a number in the key: ' || k) FROM (VALUES ('id', 'film, id'), ('line', 'person, film, line')) AS v (c, k);
SELECT is(after('REVOKE SELECT ON film FROM related_schema_owner; SET LOCAL ROLE related_schema_owner'), E'no problem\n\n42501 | column "film" cannot be used: its lookup table cannot be read: permission denied for table film | GRANT SELECT ON public.film TO related_schema_owner; Or leave it out: pegs_leave_out(''public.seen'', ''film'')\nno problem, '
	'42501 | column "film" cannot be used: its lookup table cannot be read: permission denied for table film | GRANT SELECT ON public.film TO related_schema_owner; Or leave it out: pegs_leave_out(''public.seen'', ''film'')', 'a lookup table that cannot be read is said by pegs_domain');
DROP OWNED BY related_schema_owner CASCADE; DROP ROLE related_schema_owner, related_schema_other;
SELECT * FROM finish();
