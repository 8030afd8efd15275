-- by.sql: the memory of a copula in each cell of "by", where cells and columns are as many as they may be. On-CPU seconds and peak memory of a backend each.
\set QUIET on
\pset footer off
SET client_min_messages = warning;
CREATE EXTENSION pegs;
-- m columns of three levels beside a cell; 200 rows a cell
CREATE PROCEDURE columns(cells int, m int) LANGUAGE plpgsql AS $$
BEGIN
	DROP TABLE IF EXISTS cells;
	EXECUTE (SELECT format('CREATE TABLE cells (cell int NOT NULL, %s)', string_agg(format('c%s smallint NOT NULL CHECK (c%1$s IN (0, 1, 2))', i), ', ')) FROM generate_series(1, m) AS i);
	PERFORM pegs_set_levels('cells', 'cell', (SELECT array_agg(i::text ORDER BY i) FROM generate_series(0, cells - 1) AS i));
	EXECUTE (SELECT format('INSERT INTO cells SELECT r %% %s, %s FROM generate_series(0, %s) AS r', cells, string_agg(format('(hashint8extended(r, %s) & 65535) %% 3', i % 7), ', ' ORDER BY i), 200 * cells - 1) FROM generate_series(1, m) AS i);
	PERFORM pegs_set_budget('cells', 1000, 1e-6);
END $$;
\set fit 'SELECT pegs_fit(''by'', ''cells'', epsilon => 500, delta => 1e-9, method => ''copula'', options => ''{"by": ["cell"]}'')'
\set rows 'SELECT count(*) FROM (SELECT pegs_sample_as(NULL::cells, ''by'', 20000)) AS s'

CALL columns(1024, 124);
\set what '1,024 cells, 124 columns: a fit'
\set statement :fit
\ir by_step.sql
\set what 'rows of it'
\set statement :rows
\ir by_step.sql
SELECT pegs_drop('by') \g /dev/null

CALL columns(16, 1000);
\set what '16 cells, 1,000 columns: a fit'
\set statement :fit
\ir by_step.sql
\set what 'rows of it'
\set statement :rows
\ir by_step.sql
