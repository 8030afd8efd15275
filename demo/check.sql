/*
 * demo/check.sql
 *		Asserts that the demo table is what demo/discharge.sql says it is.
 *
 *		psql -q -v ON_ERROR_STOP=1 -f demo/check.sql
 *
 * Needs demo/discharge.sql, but not the extension: pegs_set_bins and pegs_set_levels
 * are replaced by recorders, so that demo/facts.sql itself is read and checked against
 * the rows.  Everything is rolled back; discharges keeps its rows.
 */
\set ON_ERROR_STOP on

BEGIN;
SET LOCAL client_min_messages = warning;
CREATE SCHEMA pegs_demo_check;
\o /dev/null
SELECT set_config('search_path', 'pegs_demo_check, ' || current_setting('search_path'), true);
\o

/* ---- facts.sql, as the extension would be told it ---- */

CREATE TABLE fact (column_name name PRIMARY KEY, kind text, items text[]);

CREATE FUNCTION pegs_set_bins(source regclass, column_name name, edges text[])
RETURNS void LANGUAGE sql AS
$$ INSERT INTO fact VALUES (column_name, 'bins', edges) $$;

CREATE FUNCTION pegs_set_levels(source regclass, column_name name, levels text[],
								other text DEFAULT NULL)
RETURNS void LANGUAGE sql AS
$$ INSERT INTO fact VALUES (column_name, 'levels', levels) $$;

CREATE FUNCTION pegs_set_levels(source regclass, column_name name, lookup regclass,
								lookup_column name)
RETURNS void LANGUAGE plpgsql AS
$$
DECLARE
	labels text[];
BEGIN
	EXECUTE format('SELECT array_agg(%I::text ORDER BY %1$I) FROM %s',
				   lookup_column, lookup) INTO labels;
	INSERT INTO fact VALUES (column_name, 'levels', labels);
END
$$;

\o /dev/null
\ir facts.sql
\o

/* ---- the same rows, always ---- */

/* of the rows, not of their order; text that no setting or locale changes */
CREATE FUNCTION fingerprint() RETURNS text LANGUAGE sql AS
$$ SELECT md5(string_agg(d::text, E'\n' ORDER BY d::text COLLATE "C")) FROM discharges d $$;

DO $$
DECLARE
	expected CONSTANT text := '10a7b1dc91a199689e42ed47fe45ed84';
	first	text;
	lost	bigint;
BEGIN
	PERFORM make_discharges(1000);
	first := fingerprint();
	IF first IS DISTINCT FROM expected THEN
		RAISE EXCEPTION 'rows 1 to 1000 of seed 1 have md5 %, not %', first, expected;
	END IF;
	CREATE TABLE prefix AS SELECT * FROM discharges;

	PERFORM make_discharges(1000, 2);
	IF fingerprint() = first THEN
		RAISE EXCEPTION 'seeds 1 and 2 give the same rows';
	END IF;

	PERFORM make_discharges(5000, 1);
	SELECT count(*) INTO lost
	FROM (TABLE prefix EXCEPT ALL TABLE discharges) AS x;
	IF lost > 0 THEN
		RAISE EXCEPTION '% of the first 1000 rows are not among the first 5000', lost;
	END IF;

	PERFORM make_discharges(0);
	IF EXISTS (SELECT FROM discharges) THEN
		RAISE EXCEPTION 'make_discharges(0) leaves rows';
	END IF;

	PERFORM make_discharges(100000);
	IF (SELECT count(*) FROM discharges) <> 100000 THEN
		RAISE EXCEPTION 'make_discharges(100000) made another number of rows';
	END IF;
END
$$;

/* ---- every level of every column, and no value outside ---- */

DO $$
DECLARE
	f		record;
	edges	text;
	outside bigint;
	codes	text := '';
BEGIN
	FOR f IN
		SELECT a.attname AS col, t.kind, t.items, format_type(a.atttypid, NULL) AS type
		FROM pg_attribute a LEFT JOIN fact t ON t.column_name = a.attname
		WHERE a.attrelid = 'discharges'::regclass AND a.attnum > 0 AND NOT a.attisdropped
		ORDER BY a.attnum
	LOOP
		IF f.kind = 'bins' THEN
			edges := format('%L::%s[]', f.items, f.type);
			EXECUTE format('SELECT count(*) FROM discharges WHERE %I < (%s)[1] OR %1$I > (%2$s)[%s]',
						   f.col, edges, cardinality(f.items)) INTO outside;
			codes := codes || format(', CASE WHEN %I IS NOT NULL THEN '
									 'least(width_bucket(%1$I, %s), %s)::text END AS %1$I',
									 f.col, edges, cardinality(f.items) - 1);
		ELSE
			EXECUTE format('SELECT count(*) FROM discharges WHERE %I::text <> ALL (%L::text[])',
						   f.col, f.items) INTO outside;
			codes := codes || format(', %I::text', f.col);
		END IF;
		IF outside > 0 THEN
			RAISE EXCEPTION 'column %: % values outside demo/facts.sql', f.col, outside;
		END IF;
	END LOOP;
	EXECUTE 'CREATE TABLE binned AS SELECT ' || substr(codes, 3) || ' FROM discharges';
END
$$;

DO $$
DECLARE
	c		record;
	declared int;
	seen	int;
BEGIN
	IF (SELECT count(*) FROM pg_attribute
		WHERE attrelid = 'discharges'::regclass AND attnum > 0 AND NOT attisdropped) <> 13 THEN
		RAISE EXCEPTION 'discharges has not 13 columns';
	END IF;
	FOR c IN
		SELECT * FROM (VALUES
			('typ', 6, false), ('age', 18, true), ('sex', 3, true), ('ethncty', 4, true),
			('race', 7, false), ('patzip', 16, false), ('los', 16, true), ('disp', 13, false),
			('pay', 9, false), ('charge', 25, false), ('mdc', 25, false), ('sev', 3, false),
			('cat', 2, false)) AS v (col, levels, nullable)
	LOOP
		IF c.nullable = (SELECT attnotnull FROM pg_attribute
						 WHERE attrelid = 'discharges'::regclass AND attname = c.col) THEN
			RAISE EXCEPTION 'column %: nullable should be %', c.col, c.nullable;
		END IF;
		SELECT cardinality(items) - (kind = 'bins')::int + c.nullable::int INTO declared
		FROM fact WHERE column_name = c.col;
		IF declared <> c.levels THEN
			RAISE EXCEPTION 'column %: demo/facts.sql declares % levels, not %',
				c.col, declared, c.levels;
		END IF;
		EXECUTE format('SELECT count(DISTINCT coalesce(%I, ''NULL'')) FROM binned', c.col)
			INTO seen;
		IF seen <> c.levels THEN
			RAISE EXCEPTION 'column %: % levels appear in 100,000 rows, not %',
				c.col, seen, c.levels;
		END IF;
	END LOOP;
END
$$;

/* ---- the four exact laws ---- */

DO $$
BEGIN
	IF EXISTS (SELECT FROM discharges
			   WHERE mdc = 14 AND (sex = 'M' OR age NOT BETWEEN 15 AND 44)
				  OR mdc = 15 AND age IS DISTINCT FROM 0
				  OR mdc = 12 AND sex = 'F'
				  OR mdc = 13 AND sex = 'M') THEN
		RAISE EXCEPTION 'a structural zero of the network has rows';
	END IF;
END
$$;

/* ---- dependence: mutual information in bits, against about half of what it is ---- */

CREATE FUNCTION mutual_information(a name, b name) RETURNS float8 LANGUAGE plpgsql AS
$$
DECLARE
	bits	float8;
BEGIN
	EXECUTE format('
		WITH ab AS (SELECT %I AS a, %I AS b, count(*)::float8 AS n FROM binned GROUP BY 1, 2),
			 m AS (SELECT n, sum(n) OVER (PARTITION BY a) AS na,
						  sum(n) OVER (PARTITION BY b) AS nb, sum(n) OVER () AS t FROM ab)
		SELECT sum(n / t * ln(n * t / (na * nb))) / ln(2::float8) FROM m', a, b) INTO bits;
	RETURN bits;
END
$$;

CREATE TABLE pair (a name, b name, at_least float8, at_most float8, bits float8);
INSERT INTO pair VALUES
	('los', 'charge', 0.55, 9),
	('age', 'mdc', 0.35, 9),
	('age', 'pay', 0.25, 9),
	('typ', 'mdc', 0.2, 9),
	('race', 'ethncty', 0.17, 9),
	('sev', 'los', 0.15, 9),
	('typ', 'los', 0.15, 9),
	('age', 'disp', 0.14, 9),
	('cat', 'charge', 0.11, 9),
	('sev', 'disp', 0.1, 9),
	('age', 'sev', 0.09, 9),
	('mdc', 'sev', 0.09, 9),
	('mdc', 'cat', 0.07, 9),
	('patzip', 'race', 0.055, 9),
	('los', 'disp', 0.065, 9),
	('typ', 'age', 0.045, 9),
	('sex', 'mdc', 0.04, 9),
	('race', 'pay', 0.02, 9),
	('age', 'sex', 0.02, 9),
	/* no path between them: nothing but the estimate's bias */
	('patzip', 'sex', 0, 0.0006),
	('patzip', 'age', 0, 0.003),
	('race', 'age', 0, 0.0015),
	('ethncty', 'cat', 0, 0.0004);
UPDATE pair SET bits = mutual_information(a, b);

DO $$
DECLARE
	p		record;
BEGIN
	FOR p IN SELECT * FROM pair WHERE bits < at_least OR bits > at_most LOOP
		RAISE EXCEPTION 'mutual information of % and %: % bits, not within [%, %]',
			p.a, p.b, round(p.bits::numeric, 4), p.at_least, p.at_most;
	END LOOP;
END
$$;

\if :{?show}
SELECT a, b, round(bits::numeric, 3) AS bits, at_least, at_most FROM pair ORDER BY pair.bits DESC;
\endif

ROLLBACK;
\echo demo/check.sql: ok
