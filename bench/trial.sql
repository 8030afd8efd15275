-- bench/trial.sql: what bench/trial compares with. For its curator's eyes: it reads the tables.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS pegs;
CREATE SCHEMA trial;
CREATE TABLE trial.tables (place int GENERATED ALWAYS AS IDENTITY, source text PRIMARY KEY, rows bigint, columns int, modelled int, written int, seconds numeric, good int, hidden int, bad int);
CREATE TABLE trial.columns (source text, name text, "values" bigint, truth numeric, synthetic numeric, percent numeric, noise numeric, zeros numeric, synthetic_zeros numeric, within boolean, hidden boolean DEFAULT false);

-- the last statement of a session: its seconds of a processor
CREATE TABLE trial.used (source text, seconds numeric);
CREATE FUNCTION trial.done(source text) RETURNS void LANGUAGE sql AS
$$ INSERT INTO trial.used SELECT source, round((s[12]::numeric + s[13]::numeric) / 100, 2) FROM regexp_split_to_array(regexp_replace(pg_read_file('/proc/self/stat'), '^.*\) ', ''), ' ') AS s $$;

-- Rows that a column must have in one place to be seen: by chance an empty cell has 4.3 standard deviations of the noise in one of 2,000
-- tables, and those that have 2 more are seen in 49 of 50. By public numbers: columns that are learnt, epsilon and delta of it.
CREATE FUNCTION trial.seen(columns numeric, epsilon numeric, delta numeric) RETURNS numeric LANGUAGE sql AS
$$ SELECT round(6.3 * least(sqrt(columns / 2) / (sqrt(epsilon + l) - sqrt(l)), 1.8 * sqrt(2) * columns / epsilon)) FROM ln(2 / delta) AS l $$;

CREATE FUNCTION trial.failed(wanted text, statements int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format('INSERT INTO trial.tables (source, rows, columns, written, good, hidden, bad) SELECT %L, (SELECT count(*) FROM %I), count(*), %s, 0, 0, count(*) FILTER (WHERE type IN (''integer'', ''bigint'', ''numeric'', ''double precision'')) FROM pegs_domain(%L)',
		wanted, wanted, statements, wanted);
END $$;

CREATE PROCEDURE trial.compare(wanted text, person text, statements int) LANGUAGE plpgsql AS $$
DECLARE
	c record;
	n bigint;
	few boolean;
	r record;
	sd numeric;
	weight text := '1';
	squares numeric;
	low numeric;
	high numeric;
	inside record;
	seen numeric;
BEGIN
	EXECUTE format('SELECT count(*) FROM %I', wanted) INTO n;
	IF person IS NOT NULL THEN
		EXECUTE format('CREATE TEMP TABLE truth AS SELECT *, 1.0 / count(*) OVER (PARTITION BY %I) AS "trial weight" FROM %I', person, wanted);
		EXECUTE format('SELECT oneway_sd FROM pegs_plan(%L, (SELECT count(DISTINCT %I) FROM %I), (SELECT epsilon_to - epsilon_from FROM pegs_ledger WHERE source = %L::regclass AND action = ''fit''), 1e-9) AS p WHERE p.epsilon = (SELECT epsilon_to - epsilon_from FROM pegs_ledger WHERE source = %L::regclass AND action = ''fit'')::float8 LIMIT 1', wanted, person, wanted, wanted, wanted) INTO sd;
	ELSE
		EXECUTE format('CREATE TEMP TABLE truth AS SELECT *, 1.0 AS "trial weight" FROM %I', wanted);
		EXECUTE format('SELECT oneway_sd FROM pegs_plan(%L, %s, (SELECT epsilon_to - epsilon_from FROM pegs_ledger WHERE source = %L::regclass AND action = ''fit''), 1e-9) AS p WHERE p.epsilon = (SELECT epsilon_to - epsilon_from FROM pegs_ledger WHERE source = %L::regclass AND action = ''fit'')::float8 LIMIT 1', wanted, n, wanted, wanted) INTO sd;
	END IF;
	SELECT trial.seen(coalesce(substring(object FROM '\((\d+) columns\)'), '1')::numeric, epsilon_to - epsilon_from, delta_to - delta_from)
		INTO seen FROM pegs_ledger WHERE pegs_ledger.source = wanted::regclass AND action = 'learn' AND person IS NULL LIMIT 1;
	few := coalesce(n < seen, false);
	EXECUTE format('CREATE TEMP TABLE made AS SELECT * FROM %I', 'synthetic_' || wanted);
	FOR c IN SELECT a.attname, d.levels FROM pg_attribute AS a LEFT JOIN pegs_domain(wanted::regclass) AS d ON d.column_name = a.attname
		WHERE a.attrelid = ('synthetic_' || wanted)::regclass AND a.attnum > 0
			AND a.atttypid IN ('int2'::regtype, 'int4'::regtype, 'int8'::regtype, 'numeric'::regtype, 'float4'::regtype, 'float8'::regtype) LOOP
		EXECUTE format('SELECT t.n, t.mean AS truth, t.zeros AS zeros, m.mean AS synthetic, m.zeros AS synthetic_zeros FROM
			(SELECT count(%1$I) AS n, sum(%1$I * "trial weight")::numeric / nullif(sum("trial weight") FILTER (WHERE %1$I IS NOT NULL), 0) AS mean, 100 * sum("trial weight") FILTER (WHERE %1$I = 0)::numeric / sum("trial weight") AS zeros FROM truth) AS t,
			(SELECT avg(%1$I)::numeric AS mean, 100 * avg((%1$I = 0)::int) * count(%1$I) / nullif(count(*), 0) AS zeros FROM made) AS m', c.attname) INTO r;
		-- what noise in the share of each bin does to the mean
		SELECT sqrt(sum(((a + b) / 2 - r.truth) ^ 2)), min(a), max(b) INTO squares, low, high FROM (
			SELECT split_part(trim('[]) ' FROM l), ', ', 1)::numeric AS a, CASE WHEN l ~ '^\[' THEN split_part(trim('[]) ' FROM l), ', ', 2) ELSE l END::numeric AS b
			FROM pegs_levels(wanted::regclass, c.attname) AS l WHERE l IS NOT NULL AND l <> 'NULL') AS q;
		INSERT INTO trial.columns VALUES (wanted, c.attname, r.n, round(r.truth, 3), round(r.synthetic, 3), round(100 * (r.synthetic / nullif(r.truth, 0) - 1), 1), round(sd * squares * n / nullif(r.n, 0), 3), round(coalesce(r.zeros, 0), 2), round(coalesce(r.synthetic_zeros, 0), 2),
			coalesce(abs(r.synthetic - r.truth) <= greatest(0.05 * abs(r.truth), 2 * sd * squares * n / nullif(r.n, 0)), r.truth IS NULL) AND abs(coalesce(r.zeros, 0) - coalesce(r.synthetic_zeros, 0)) <= 1);
		-- rows outside of what was learnt, and of zero, and the truth without them
		EXECUTE format('SELECT count(*) FILTER (WHERE %1$I NOT BETWEEN %2$s AND %3$s) < %4$s AND abs(avg(least(greatest(%1$I, %2$s), %3$s)) - %5$s) <= greatest(0.05 * abs(avg(least(greatest(%1$I, %2$s), %3$s))), %6$s) AS mean,
			count(*) FILTER (WHERE %1$I = 0) < %4$s AS rare FROM truth', c.attname, low, high, coalesce(seen, 0), r.synthetic, 2 * sd * squares * n / nullif(r.n, 0)) INTO inside;
		UPDATE trial.columns AS t SET hidden = inside.mean AND (inside.rare AND abs(zeros - synthetic_zeros) * n / 100 < seen OR abs(zeros - synthetic_zeros) <= greatest(1, 200 * sqrt(2) * sd))
			WHERE t.source = wanted AND t.name = c.attname AND NOT within AND seen IS NOT NULL;
	END LOOP;
	INSERT INTO trial.columns SELECT wanted, d.column_name, NULL, NULL, NULL, NULL, NULL, NULL, NULL, false, few FROM pegs_domain(wanted::regclass) AS d
		WHERE (d.problem = 'no declared domain' OR d.problem = 'it is left out by declaration' AND d.column_name !~ '(^|_)id($|_)') AND d.type IN ('integer', 'bigint', 'numeric', 'double precision', 'smallint', 'real');
	INSERT INTO trial.tables (source, rows, columns, modelled, written, seconds, good, hidden, bad)
		SELECT wanted, n, (SELECT count(*) FROM pegs_domain(wanted::regclass)), (SELECT count(*) FROM pg_attribute WHERE attrelid = ('synthetic_' || wanted)::regclass AND attnum > 0), statements,
		(SELECT sum(seconds) FROM trial.used WHERE source = wanted), count(*) FILTER (WHERE within), count(*) FILTER (WHERE NOT within AND hidden), count(*) FILTER (WHERE NOT within AND NOT hidden) FROM trial.columns WHERE source = wanted;
	DROP TABLE truth, made;
END $$;
