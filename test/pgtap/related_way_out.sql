-- Related tables: the way out that is printed runs, repairs, and breaks nothing of the source. Small schemas, one for each case.
SET client_min_messages = warning;
CREATE EXTENSION pegs;
SELECT * FROM no_plan();
\ir lib/said.sql
-- of a table: what pegs_schema says of it
CREATE FUNCTION told(root regclass, t regclass) RETURNS text LANGUAGE sql AS $$ SELECT concat_ws(' | ', problem, remedy) FROM pegs_schema(root) WHERE source = t $$;
-- its remedy is run, and what it says then
CREATE FUNCTION after(root regclass, t regclass) RETURNS text LANGUAGE plpgsql AS $$ DECLARE r text; s text; BEGIN SELECT remedy INTO r FROM pegs_schema(root) WHERE source = t;
	s := said(r); RETURN CASE WHEN s = 'ok' THEN told(root, t) ELSE s END; END $$;
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
