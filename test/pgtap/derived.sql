-- Columns that are computed from others: declared so, or generated. They are not modelled, and always fit the others; their
-- expression runs in other people's sessions, and can call nothing of anybody. Laws L1, L2, L9.
SET client_min_messages = warning;
CREATE EXTENSION pegs;
SELECT * FROM no_plan();
CREATE FUNCTION refusal(statement text) RETURNS text LANGUAGE plpgsql AS
$$ BEGIN EXECUTE statement; RETURN 'ok'; EXCEPTION WHEN OTHERS THEN RETURN sqlstate || ' ' || sqlerrm; END $$;

CREATE TYPE mood AS ENUM ('good', 'bad');
CREATE DOMAIN short AS text CHECK (length(value) < 9);
CREATE FUNCTION own(int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT $1';
CREATE TABLE t (id int PRIMARY KEY, agegr text, age int NOT NULL CHECK (age BETWEEN 0 AND 99), "Sex" text CHECK ("Sex" IN ('F', 'M')), h int, w int, bmi numeric(5, 2), at timestamp, on_day date,
	m mood, code varchar(5), d short, twice int GENERATED ALWAYS AS (age * 2) STORED, minor boolean GENERATED ALWAYS AS (age < 18) STORED, owned int GENERATED ALWAYS AS (own(age)) STORED);
INSERT INTO t SELECT i, CASE WHEN i % 100 < 18 THEN 'child' ELSE 'adult' END, i % 100, (ARRAY['F', 'M', NULL])[1 + i % 3], i % 3, 60, 60 / nullif(i % 3, 0), '2024-01-01'::timestamp + i * interval '1 hour' FROM generate_series(0, 1999) AS i;
CREATE FUNCTION derived(column_name name) RETURNS text LANGUAGE sql AS
$$ SELECT f.derived FROM pegs_internal.fact AS f WHERE source = 't'::regclass AND f.column_name = $1 $$;
SELECT pegs_set_levels('t', 'h', '{0, 1, 2}'), pegs_set_levels('t', 'w', '{60, 70}', nullable => false), pegs_set_bins('t', 'at', low => '2024-01-01', high => '2024-04-01', bins => 13),
	pegs_leave_out('t', 'code'), pegs_leave_out('t', 'd'), pegs_set_budget('t', 1000, 1e-3);

---- what is kept
SELECT pegs_set_derived('t', 'agegr', 'case when AGE<18 then ''child'' else ''adult'' end /* by law */');
SELECT is(derived('agegr'), 'CASE WHEN (age < 18) THEN ''child''::text ELSE ''adult''::text END', 'canonical text');
SELECT pegs_set_derived('t', 'bmi', 'w / h'), pegs_set_derived('t', 'on_day', 'at');
SELECT is(derived('on_day'), '(at)::date', 'with the cast to its type, where that has to be said') WHERE derived('on_day') <> 'at';
SET datestyle = 'German'; SET intervalstyle = iso_8601; SET quote_all_identifiers = on; SET transform_null_equals = on;
SELECT pegs_set_derived('t', 'code', 'CASE WHEN at < ''2.3.2024'' THEN ''early'' WHEN "Sex" = NULL THEN ''odd'' END');
RESET datestyle; RESET intervalstyle; RESET quote_all_identifiers; RESET transform_null_equals;
SELECT alike(derived('code'), '%''2024-03-02 00:00:00''::timestamp%("Sex" = NULL::text)%', 'values as the session reads them, in our notation; what they mean does not depend on it');
SELECT pegs_leave_out('t', 'code');
SELECT results_eq($$SELECT column_name, origin, problem, n FROM pegs_domain('t') WHERE column_name IN ('bmi', 'twice', 'minor', 'owned')$$,
	$$VALUES ('bmi'::name, 'computed: (w / h)', NULL, NULL::int), ('twice', 'computed: (age * 2)', NULL, NULL), ('minor', 'computed: (age < 18)', NULL, 3), ('owned', NULL, 'it is generated from other columns', NULL)$$, 'pegs_domain shows it');
SELECT is_empty($$SELECT p FROM pegs_propose('t') AS p WHERE p ~ 'agegr|bmi|twice|minor'$$, 'nothing is proposed for it');
SELECT is(pegs_facts('t') -> 'columns' -> 'bmi', '{"derived": "(w / h)"}', 'pegs_facts prints it');
SELECT pegs_unset('t', 'bmi');
SELECT is(derived('bmi'), NULL, 'pegs_unset forgets it');
SELECT pegs_declare('t', '{"columns": {"bmi": {"derived": "w / h"}}}');
SELECT is(derived('bmi'), '(w / h)', 'pegs_declare takes it');
SELECT is(refusal($$SELECT pegs_declare('t', '{"columns": {"bmi": {"derived": "w", "leave_out": true}}}')$$), '22023 facts of public.t are wrong: nothing was declared', 'one way alone');

---- what is refused: nothing of anybody runs
CREATE SCHEMA evil;
CREATE FUNCTION evil.lower(text) RETURNS text LANGUAGE sql IMMUTABLE AS 'SELECT ''evil''';
CREATE FUNCTION evil.less(int, int) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT true';
CREATE OPERATOR evil.< (FUNCTION = evil.less, LEFTARG = int, RIGHTARG = int);
CREATE OPERATOR evil.-|- (FUNCTION = pg_catalog.int4mi, LEFTARG = int, RIGHTARG = int);
CREATE OPERATOR evil.=== (FUNCTION = pg_catalog.int4eq, LEFTARG = int, RIGHTARG = int);
CREATE COLLATION evil.sorted (provider = libc, locale = 'C');
SELECT is(refusal(format('SELECT pegs_set_derived(%L, %L, %L)', 't', c, e)), expected, e) FROM (VALUES
	('agegr', 'evil.lower("Sex")', '0A000 the expression of column "agegr" cannot be used: it has a function that is not built in: lower'),
	('agegr', 'CASE WHEN age OPERATOR(evil.<) 18 THEN ''x'' END', '0A000 the expression of column "agegr" cannot be used: it has a function that is not built in: less'),
	('bmi', 'age OPERATOR(evil.-|-) 1', '0A000 the expression of column "bmi" cannot be used: it has an operator that is not built in'),
	('bmi', 'CASE WHEN age OPERATOR(evil.===) ANY (ARRAY[1, 2]) THEN 1 END', '0A000 the expression of column "bmi" cannot be used: it has an operator that is not built in'),
	('agegr', 'lower("Sex" COLLATE evil.sorted)', '0A000 the expression of column "agegr" cannot be used: it has a collation that is not built in'),
	('bmi', 'CASE WHEN age < 18 THEN 1 ELSE 1 / 0 END', '22012 division by zero'),
	('agegr', format('CASE WHEN overlaps(at%s, w * ''1 day''::interval, at, at) THEN ''y'' END', repeat(' + ''0 s''::interval', 20)), '0A000 the expression of column "agegr" cannot be used: it has a function in SQL that cannot be put in place of its call'),
	('agegr', 'CASE WHEN overlaps(at, w * ''1 day''::interval, at, at) THEN lpad("Sex", 3) || log(w::numeric)::text END', 'ok'),
	('twice', 'own(age)', '42883 function own(integer) does not exist'),
	('bmi', 'random()', '0A000 the expression of column "bmi" cannot be used: it has a function that is not immutable: random'),
	('on_day', 'CURRENT_DATE', '0A000 the expression of column "on_day" cannot be used: it has a construct that is not in the list'),
	('agegr', 'at::text', '0A000 the expression of column "agegr" cannot be used: it has a function that is not immutable: timestamp_out'),
	('bmi', '(SELECT 1)', '0A000 cannot use subquery in column generation expression'),
	('bmi', 'max(age)', '42803 aggregate functions are not allowed in column generation expressions'),
	('bmi', 'row_number() OVER ()', '42P20 window functions are not allowed in column generation expressions'),
	('bmi', 'generate_series(1, age)', '0A000 set-returning functions are not allowed in column generation expressions'),
	('bmi', '1 FROM t', '0A000 the expression of column "bmi" cannot be used: it has more than one expression'),
	('bmi', 'age, w', '0A000 the expression of column "bmi" cannot be used: it has more than one expression'),
	('bmi', 'age ORDER BY 1', '0A000 the expression of column "bmi" cannot be used: it has more than one expression'),
	('bmi', '1); DROP TABLE t; SELECT (1', '42601 syntax error at or near ")"'),
	('bmi', '$1', '42P02 there is no parameter $1'),
	('bmi', 't.age', '42703 an expression names "t", which is no column of the row'),
	('bmi', 'ctid', '42703 an expression names "ctid", which is no column of the row'),
	('agegr', '''pg_class''::regclass::text', '0A000 the expression of column "agegr" cannot be used: it has a value of type regclass'),
	('agegr', 'CASE m WHEN ''good'' THEN ''x'' END', '0A000 the expression of column "agegr" cannot be used: it has a value of type public.mood'),
	('agegr', '''x''::public.short', '0A000 the expression of column "agegr" cannot be used: it has a cast to a domain'),
	('agegr', 'ROW(age)::text', '0A000 the expression of column "agegr" cannot be used: it has a construct that is not in the list'),
	('agegr', 'age', 'ok'),
	('on_day', 'age', '42804 the expression of column "on_day" is not of type date'),
	('age', 'age + 1', '22023 the expression of column "age" names the column itself'),
	('m', '''good''', '0A000 the expression of column "m" cannot be used: it has a column of type mood'),
	('d', '''x''', '0A000 column "d" of a domain type cannot be derived'),
	('no', '1', '42703 column "no" of public.t does not exist'),
	('bmi', '', '22023 expression must not be empty'),
	('agegr', 'repeat("Sex", age)', '0A000 the expression of column "agegr" cannot be used: it has a length that is not said by a small constant, in repeat'),
	('agegr', 'repeat("Sex", 101)', '0A000 the expression of column "agegr" cannot be used: it has a length that is not said by a small constant, in repeat'),
	('agegr', 'lpad("Sex", age)', '0A000 the expression of column "agegr" cannot be used: it has a length that is not said by a small constant, in lpad'),
	('agegr', 'rpad("Sex", 1001, ''x'')', '0A000 the expression of column "agegr" cannot be used: it has a length that is not said by a small constant, in rpad'),
	('agegr', '"Sex"::char(1001)', '0A000 the expression of column "agegr" cannot be used: it has a length that is not said by a small constant, in bpchar'),
	('agegr', 'replace("Sex", ''F'', "Sex")', '0A000 the expression of column "agegr" cannot be used: it has a length that is not said by a small constant, in replace'),
	('agegr', 'regexp_replace("Sex", ''F'', "Sex", ''g'')', '0A000 the expression of column "agegr" cannot be used: it has a length that is not said by a small constant, in regexp_replace'),
	('agegr', format('replace("Sex", ''F'', %L)', repeat('x', 101)), '0A000 the expression of column "agegr" cannot be used: it has a length that is not said by a small constant, in replace'),
	('agegr', '(ARRAY["Sex"] || ARRAY["Sex"])[1]', '0A000 the expression of column "agegr" cannot be used: it has an array that is made of another'),
	('age', 'array_length(array_fill(1, ARRAY[w]), 1)', '0A000 the expression of column "age" cannot be used: it has an array that is made of another'),
	('agegr', 'lpad(rpad("Sex", 1000, NULL), 1000) || repeat("Sex", 100) || ("Sex"::char(1000)) || replace("Sex", ''F'', repeat(''x'', 3)::text)', '0A000 the expression of column "agegr" cannot be used: it has a length that is not said by a small constant, in replace'),
	('agegr', 'lpad(rpad("Sex", 1000, NULL), 1000) || repeat("Sex", 100) || ("Sex"::char(1000)) || replace("Sex", ''F'', ''xxx'')', 'ok')) AS v (c, e, expected);
-- by pegs_declare, too, which takes any length of text; a generated column is not computed then
SELECT alike(refusal(format('SELECT pegs_declare(%L, %L)', 't', jsonb_build_object('columns', jsonb_build_object('age', jsonb_build_object('derived', '1' || repeat('+1', n)))))), words, n || ' plus signs')
FROM (VALUES (500, 'ok'), (10000, '%nothing was declared')) AS v (n, words);
SELECT pegs_unset('t', 'age');
CREATE TABLE long (a int CHECK (a IN (1, 2)), b text GENERATED ALWAYS AS (repeat('x', a)) STORED);
SELECT results_eq($$SELECT origin, problem FROM pegs_domain('long') WHERE column_name = 'b'$$, $$VALUES (NULL::text, 'it is generated from other columns')$$, 'generated by what may become long');
SET search_path = evil, public, pg_catalog;
SELECT pegs_set_derived('t', 'agegr', 'CASE WHEN age < 18 THEN lower(''child'') ELSE ''adult'' END');
RESET search_path;
SELECT is(derived('agegr'), 'CASE WHEN (age < 18) THEN lower(''child''::text) ELSE ''adult''::text END', 'names are those of pg_catalog, whatever the search_path');

---- what is printed reads back, and says the same: declared, and generated
CREATE TABLE many (id int, age int CHECK (age BETWEEN 0 AND 9), "Sex" text CHECK ("Sex" IN ('F', 'M')), at timestamp, w int, h int, label text, n numeric(5, 2), dd short);
CREATE FUNCTION twice(c name, e text) RETURNS text LANGUAGE plpgsql AS
$$ DECLARE again text; result text; BEGIN
	PERFORM pegs_set_derived('many', c, e);
	EXECUTE format('ALTER TABLE many ADD g %s GENERATED ALWAYS AS (%s) STORED', (SELECT format_type(atttypid, atttypmod) FROM pg_attribute WHERE attrelid = 'many'::regclass AND attname = c), e);
	SELECT string_agg(DISTINCT origin, ' <> ') INTO result FROM pegs_domain('many') WHERE column_name IN ('g', c);
	PERFORM pegs_set_derived('many', c, substr(result, 11));
	SELECT origin INTO again FROM pegs_domain('many') WHERE column_name = c;
	ALTER TABLE many DROP g;
	RETURN CASE WHEN again = result THEN 'ok' ELSE result || ' <> ' || again END;
END $$;
SELECT is(twice(c, e), 'ok', e) FROM (VALUES
	('label', $$COALESCE("Sex", '?') || ' ' || left(lpad(age::text, 3, '0'), 2)$$),
	('n', 'greatest(-1, least(w, 2.5::numeric(3, 1)), -h, -9223372036854775808)'),
	('n', 'CASE WHEN age > 1 THEN 1 ELSE 2.5 END - 1e2::float8'),
	('at', $$'2024-01-01'::date + w * '1 day'::interval + '1 day 02:00'::interval * h$$),
	('n', 'extract(hour FROM at) + date_part(''dow'', at)'),
	('label', $$(ARRAY['a', 'b'])[1 + age % 2]$$),
	('label', $$CASE age % 3 WHEN 0 THEN 'x' WHEN -1 THEN NULL ELSE 'y' END$$),
	('n', 'nullif(w, h) + (age IS DISTINCT FROM 3)::int + (age > 1 IS NOT TRUE)::int'),
	('label', $$regexp_replace("Sex", '(.)', E'\\1\\\\''"') || dd$$),
	('label', $$substring("Sex" COLLATE "C" FROM '[A-Z]') || ($t$x$t$)::char(3)$$),
	('n', $$CASE WHEN "Sex" = ANY ('{F,M}') OR age BETWEEN SYMMETRIC 3 AND 1 AND NOT "Sex" IN ('F', 'M') OR "Sex" LIKE 'F%' OR "Sex" IS NULL THEN width_bucket(age, ARRAY[1, 2]) END$$)) AS v (c, e);

---- a session's settings say nothing about what an expression means: when it is kept, read again, or computed
CREATE TABLE s (a int NOT NULL CHECK (a IN (1, 2)), fraction text, name text, zone timestamp, slash text, quote text, parts text, g text GENERATED ALWAYS AS ('a\b' || (a / 3::float8)::text) STORED);
INSERT INTO s (a) SELECT 1 + i % 2 FROM generate_series(1, 100) AS i;
CREATE FUNCTION own_settings(evil boolean) RETURNS SETOF text LANGUAGE sql AS
$$ SELECT set_config(name, CASE WHEN evil THEN value ELSE reset_val END, false) FROM (VALUES ('extra_float_digits', '-3'), ('intervalstyle', 'iso_8601'), ('quote_all_identifiers', 'on'),
	('timezone_abbreviations', 'Australia'), ('escape_string_warning', 'off'), ('standard_conforming_strings', 'off'), ('array_nulls', 'off'), ('backslash_quote', 'off'), ('DateStyle', 'German'),
	('TimeZone', 'Asia/Tokyo'), ('transform_null_equals', 'on')) AS v (name, value) JOIN pg_settings USING (name) $$;
CREATE TABLE texts (c name, e text);
INSERT INTO texts VALUES ('fraction', '(a / 3::float8)::text'), ('name', $$quote_ident('x' || a::text)$$),
	('zone', $$timezone('UTC', timezone('EST', '2024-01-01'::timestamp + a * '1 hour'::interval))$$), ('slash', $$regexp_replace('b' || a::text || 'd', E'\\d', E'\\\\')$$), ('quote', $$a::text || E'\\''\\\\'$$),
	('parts', $$CASE WHEN a = NULL THEN 'null' ELSE coalesce(('{1,NULL}'::text[])[2], '1') END$$);
SELECT * FROM own_settings(false) \g /dev/null
SELECT pegs_set_budget('s', 100);
SELECT pegs_set_derived('s', c, e) FROM texts;
CREATE TEMP TABLE facts AS SELECT pegs_facts('s') AS facts, (SELECT array_agg((column_name, origin, problem)::text) FROM pegs_domain('s')) AS domain;
SELECT * FROM own_settings(true) \g /dev/null
SELECT is(pegs_facts('s'), facts, 'what is kept is the same') FROM facts;
SELECT is((SELECT array_agg((column_name, origin, problem)::text) FROM pegs_domain('s')), domain, 'and what is generated') FROM facts;
SELECT pegs_set_derived('s', c, e) FROM texts WHERE c <> 'parts';
SELECT is(pegs_facts('s'), facts, 'declared there: the same') FROM facts;
SELECT pegs_fit('settings', 's', epsilon => 10), pegs_release('settings rows', 'settings', 20);
SELECT * FROM own_settings(false) \g /dev/null
CREATE TEMP TABLE usual AS SELECT t::text AS row, name || ' ' || fraction AS part FROM pegs_rows_as(NULL::s, 'settings rows') AS t;
CREATE TEMP TABLE free AS SELECT t::text AS row FROM pegs_sample_as(NULL::s, 'settings', 20) AS t;
SELECT is((SELECT string_agg(DISTINCT part, ', ' ORDER BY part) FROM usual), 'x1 0.3333333333333333, x2 0.6666666666666666', 'by our settings, not by those of who declared it');
SELECT * FROM own_settings(true) \g /dev/null
CREATE TEMP TABLE evil_rows AS SELECT * FROM pegs_rows_as(NULL::s, 'settings rows');
CREATE TEMP TABLE evil_free AS SELECT * FROM pegs_sample_as(NULL::s, 'settings', 20);
SELECT is(current_setting('extra_float_digits') || current_setting('standard_conforming_strings'), '-3off', 'the session has its own again');
SELECT * FROM own_settings(false) \g /dev/null
SELECT results_eq('SELECT t::text FROM evil_rows AS t', 'SELECT row FROM usual', 'a release is the same in every session');
SELECT results_eq('SELECT t::text FROM evil_free AS t', 'SELECT row FROM free', 'so is a sample');
SELECT is((SELECT count(*) FROM evil_rows WHERE slash IS DISTINCT FROM 'b\d' OR quote IS DISTINCT FROM a || '\''\\' OR g IS DISTINCT FROM 'a\b' || (a / 3::float8)::text OR parts IS DISTINCT FROM '1'), 0::bigint, 'backslashes and NULLs as they were meant');

---- every type that an expression may have, a column may be computed in
CREATE TABLE kinds (a int NOT NULL CHECK (a IN (1, 2)), span interval GENERATED ALWAYS AS (a * '1 day'::interval) STORED, short interval second(0), clock time, bytes bytea, words text[], f real, numbers int[]);
INSERT INTO kinds (a) SELECT 1 + i % 2 FROM generate_series(1, 100) AS i;
SELECT pegs_set_budget('kinds', 100);
SELECT pegs_set_derived('kinds', 'short', 'a * ''1.6 s''::interval'), pegs_set_derived('kinds', 'clock', '''00:00''::time + a * ''1 h''::interval'), pegs_set_derived('kinds', 'bytes', 'sha256(decode(''00'', ''hex''))'),
	pegs_set_derived('kinds', 'words', 'ARRAY[''a'', chr(64 + a)]'), pegs_set_derived('kinds', 'f', 'a / 2.0'), pegs_set_derived('kinds', 'numbers', 'ARRAY[a, 7]'), pegs_fit('kinds', 'kinds', epsilon => 10);
SELECT is(string_agg(DISTINCT k::text, ' '), (SELECT string_agg((a, a * '1 day'::interval, (a * '1.6 s'::interval)::interval second(0), '00:00'::time + a * '1 h'::interval, sha256('\x00'), ARRAY['a', chr(64 + a)], a / 2.0::real, ARRAY[a, 7])::text, ' ') FROM generate_series(1, 2) AS a), 'computed in each')
FROM pegs_sample_as(NULL::kinds, 'kinds', 100) AS k;
SELECT pegs_import('kinds of a file', pegs_export('kinds'));
SELECT is(pegs_row_type('kinds of a file'), 'a integer, span interval, short interval second(0), clock time without time zone, bytes bytea, words text[], f real, numbers integer[]', 'a file has them');

---- rows
SELECT pegs_leave_out('t', 'm'), pegs_fit('m', 't', epsilon => 10, delta => 1e-9);
SELECT is(pegs_row_type('m'), 'agegr text, age integer, "Sex" text, h integer, w integer, bmi numeric(5,2), at timestamp without time zone, on_day date, twice integer, minor boolean', 'in the order of the table');
SELECT set_eq($$SELECT column_name, domain, levels FROM pegs_columns('m') WHERE domain LIKE 'computed%' AND column_name <> 'agegr'$$,
	$$VALUES ('bmi'::name, 'computed: (w / h)', NULL::int), ('on_day', 'computed: ' || derived('on_day'), NULL), ('twice', 'computed: (age * 2)', NULL), ('minor', 'computed: (age < 18)', NULL)$$, 'pegs_columns shows what is computed');
SELECT is(jsonb_array_length(pegs_describe('m') -> 'spec' -> 'columns'), 5, 'and the model has none of it');
SELECT alike(pegs_describe('m') ->> 'public', '%expressions of computed columns%', 'its expressions are public');
CREATE FUNCTION wrong(rows text) RETURNS bigint LANGUAGE plpgsql AS
$$ DECLARE n bigint; BEGIN EXECUTE format($f$SELECT count(*) FROM %s AS r WHERE r.agegr IS DISTINCT FROM CASE WHEN r.age < 18 THEN 'child' ELSE 'adult' END
	OR r.bmi IS DISTINCT FROM CASE WHEN r.h > 0 THEN r.w / r.h END OR r.on_day IS DISTINCT FROM r.at::date OR r.twice IS DISTINCT FROM r.age * 2 OR r.minor IS DISTINCT FROM r.age < 18$f$, rows) INTO n; RETURN n; END $$;
SELECT is(wrong($$pegs_sample_as(NULL::t, 'm', 2000)$$), 0::bigint, 'every row fits; what cannot be computed is NULL, and NULLs go through as in SQL');
SELECT ok((SELECT count(*) > 0 FROM pegs_sample('m', 2000) AS r(h int, w int, bmi numeric(5, 2)) WHERE h = 0 AND bmi IS NULL), 'a division by zero is NULL');
SELECT results_eq($$SELECT agegr, bmi, on_day FROM pegs_sample('m', 500) AS r(agegr text, bmi numeric(5, 2), on_day date)$$,
	$$SELECT agegr, bmi, on_day FROM pegs_sample_as(NULL::t, 'm', 500)$$, 'the same values whichever columns are asked for');
SELECT pegs_release('r', 'm', 300);
SELECT is(wrong($$pegs_rows_as(NULL::t, 'r')$$), 0::bigint, 'of a release, too');
SELECT pegs_fit('sealed', 't', parents => '{"h": ["w"]}');
SELECT is(wrong($$pegs_sample_as(NULL::t, 'sealed', 200, 1)$$), 0::bigint, 'of a sealed model, too: nothing fails after the charge');
SELECT pegs_release('s', 'sealed', 50, 1);
SELECT is(wrong($$pegs_rows_as(NULL::t, 's')$$), 0::bigint, 'and of its releases');
SELECT pegs_fit('chosen', 't', columns => '{age,agegr,h}', structure_epsilon => 0.5);
SELECT is(pegs_row_type('chosen'), 'age integer, agegr text, h integer', 'a sealed model whose parents are chosen; columns in the order of their names');
SELECT ok(pegs_view_sql('m', 'v') IS NOT NULL, 'a view of it has a statement') LIMIT 1;

---- nothing that is too long comes out, or is on its way: that value is NULL, and nothing fails after a charge
CREATE TABLE tall (s text NOT NULL CHECK (s IN ('a', 'b')), n int NOT NULL CHECK (n BETWEEN 0 AND 9), d text);
INSERT INTO tall (s, n) SELECT (ARRAY['a', 'b'])[1 + i % 2], i % 10 FROM generate_series(1, 400) AS i;
SELECT pegs_set_budget('tall', 1000);
CREATE FUNCTION drawn(expression text) RETURNS text LANGUAGE plpgsql AS
$$ DECLARE result text; BEGIN
	PERFORM pegs_set_derived('tall', 'd', expression), pegs_fit('tall', 'tall', epsilon => 1);
	SELECT string_agg(DISTINCT concat_ws(' ', coalesce(left(r.d, 3), 'NULL'), length(r.d)), ', ') INTO result FROM pegs_sample_as(NULL::tall, 'tall', 200) AS r WHERE r.s = 'a';
	PERFORM pegs_drop('tall');
	RETURN result;
END $$;
SELECT is(drawn(e), result, left(e, 60)) FROM (VALUES
	('repeat(s, 100)', 'aaa 100'), ('repeat(repeat(s, 100), 10)', 'aaa 1000'), ('repeat(repeat(s, 100), 11)', 'NULL'), ('left(repeat(repeat(s, 100), 11), 3)', 'NULL'),
	('lpad(s, 1000)', '    1000'), ('lpad(s, 1000) || s', 'NULL'), ('repeat(s, 100)::varchar || ''x''', 'aaa 101'), ('(repeat(repeat(s, 100), 10)::char(1000))::text', 'aaa 1000'),
	(repeat('replace(', 3) || 's' || repeat(', ''a'', ''aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'')', 3), 'NULL'),
	(repeat('quote_literal(', 12) || 's' || repeat(')', 12), 'NULL'), ('CASE WHEN n >= 0 THEN coalesce(nullif(upper(s), ''A''), lower(s)) END', 'a 1'),
	('chr(n - n)', 'NULL'), ('chr(n - n + 97)', 'a 1')) AS v (e, result);

---- asking
SELECT is(refusal(s), expected, s) FROM (VALUES
	($$SELECT * FROM pegs_sample('m', 1, given => '{"agegr": "child"}') AS r(age int)$$, '0A000 given names "agegr", which is computed from other columns'),
	($$SELECT * FROM pegs_sample('m', 1) AS r(agegr varchar)$$, '42804 column "agegr" of "m" is of type text, not character varying'),
	($$SELECT * FROM pegs_sample('m', 1) AS r(agegr short)$$, '42804 column "agegr" of "m" is computed, and cannot be of the domain type short'),
	($$SELECT pegs_fit('x', 't', columns => '{agegr,h}', epsilon => 1)$$, '22023 column "agegr" is computed from column "age", which the model does not draw'),
	($$SELECT pegs_fit('x', 't', columns => '{agegr}', epsilon => 1)$$, '22023 column "agegr" is computed from column "age", which the model does not draw'),
	($$SELECT pegs_forbid('t', '{"agegr": "child"}')$$, '22023 column "agegr" cannot be used: it is computed from other columns')) AS v (s, expected);
CREATE TABLE unsaid (a int, b int);
CREATE TABLE said ("Order Date" date, age int NOT NULL CHECK (age IN (1, 2)), gone int, total int, rest int, half int);
ALTER TABLE said DROP gone;
CREATE FUNCTION hinted(statement text) RETURNS text LANGUAGE plpgsql AS
$$ DECLARE h text; BEGIN EXECUTE statement; RETURN 'ok'; EXCEPTION WHEN OTHERS THEN GET STACKED DIAGNOSTICS h = PG_EXCEPTION_HINT; RETURN h; END $$;
SELECT is(hinted(format('SELECT pegs_set_derived(''said'', ''total'', %L)', e)), h, e) FROM (VALUES
	('ago', 'Name columns of the same row: "Order Date", age, rest, half'), ('"Age"', 'Name columns of the same row: "Order Date", age, rest, half'),
	('said.age', 'Name columns of the same row, without their table: "Order Date", age, rest, half')) AS v (e, h);
SELECT alike(hinted($$SELECT pegs_set_derived('said', 'total', 'Order Date')$$), '%; some names stand in quotes: "Order Date"', 'a name that has a blank is told with its quotes');
SELECT unalike(hinted($$SELECT pegs_set_derived('unsaid', 'b', 'a +')$$), '%quotes%', 'where there is one');
SELECT is(refusal($$SELECT pegs_set_derived('said', 'total', 'Age Total')$$), '42601 an expression ends before "total"', 'two words are no name, nor a value with one');
SELECT alike(hinted($$SELECT pegs_set_derived('said', 'total', 'age total')$$), '%; some names stand in quotes: "Order Date"', 'and are told of quotes');
-- of each other, or of one that is computed: no model can have it, and pegs_domain says so before a fit is paid
SELECT pegs_set_budget('said', 10), pegs_leave_out('said', 'Order Date'), pegs_set_derived('said', 'half', 'age / 2'), pegs_set_derived('said', 'rest', 'total - age'), pegs_set_derived('said', 'total', 'half + 1');
SELECT results_eq($$SELECT column_name, problem, remedy FROM pegs_domain('said') WHERE column_name IN ('total', 'rest', 'half')$$,
	$$VALUES ('total'::name, 'it is computed from column "half", which is computed itself', $r$SELECT pegs_set_derived('public.said', 'total', '...'); with what column "half" is computed from in the place of that.$r$),
		('rest', 'it is computed from column "total", which is computed itself', $r$SELECT pegs_set_derived('public.said', 'rest', '...'); with what column "total" is computed from in the place of that.$r$), ('half', NULL, NULL)$$, 'a chain');
SELECT is(refusal($$SELECT pegs_fit('x', 'said', ARRAY['age', 'half', 'total'], epsilon => 1)$$), '22023 column "total" is computed from column "half", which is computed itself', 'that is named, too');
SELECT is(hinted($$SELECT pegs_fit('x', 'said', ARRAY['age', 'half', 'total'], epsilon => 1)$$), $r$SELECT pegs_set_derived('public.said', 'total', '...'); with what column "half" is computed from in the place of that.$r$, 'which to name again is no help');
SELECT pegs_set_derived('said', 'total', 'rest + age');
SELECT results_eq($$SELECT column_name, problem, remedy FROM pegs_domain('said') WHERE column_name IN ('total', 'rest')$$,
	$$VALUES ('total'::name, 'it is computed from column "rest", which is computed itself', $r$SELECT pegs_unset('public.said', 'total'); and declare what values it has: "rest" is computed from it.$r$),
		('rest', 'it is computed from column "total", which is computed itself', $r$SELECT pegs_unset('public.said', 'rest'); and declare what values it has: "total" is computed from it.$r$)$$, 'a circle');
CREATE VIEW said_so AS SELECT age, half, total AS "a sum", rest FROM said;
SELECT results_eq($$SELECT column_name, remedy FROM pegs_domain('said_so') WHERE column_name = 'a sum'$$,
	$$VALUES ('a sum'::name, $r$SELECT pegs_unset('public.said', 'total'); and declare what values it has: "rest" is computed from it.$r$)$$, 'a circle of a view: where it is declared, and as it is called there');
DROP VIEW said_so;
SELECT pegs_unset('said', 'rest'), pegs_set_levels('said', 'rest', '{0, 1}');
SELECT is_empty($$SELECT 1 FROM pegs_domain('said') WHERE problem ~ 'computed'$$, 'and is none any more');
DROP TABLE said;
SELECT is((SELECT count(*) FROM pegs_sample('m', 100, given => '{"age": 5}') AS r(agegr text) WHERE agegr = 'child'), 100::bigint, 'given what it is computed from');

---- forbidden combinations
CREATE TABLE z (a int NOT NULL CHECK (a IN (1, 2)), b int CHECK (b IN (1, 2)), odd boolean GENERATED ALWAYS AS (a = 1) STORED, big boolean);
INSERT INTO z (a, b, big) SELECT 1 + i % 2, 1 + i % 2, i % 2 = 1 FROM generate_series(1, 100) AS i;
SELECT pegs_set_budget('z', 10), pegs_forbid('z', '{"b": 2, "odd": true}'), pegs_forbid('z', '{"a": 1, "big": true}');
SELECT is(refusal($$SELECT pegs_set_derived('z', 'big', 'a > 1')$$), '55000 column "big" is in a forbidden combination, and cannot be derived', 'what is forbidden is modelled');
SELECT pegs_fit('z', 'z', epsilon => 1);
SELECT is(jsonb_array_length(pegs_describe('z') -> 'spec' -> 'columns'), 4, 'also a generated column that is in one');
SELECT is((SELECT count(*) FROM pegs_sample_as(NULL::z, 'z', 500) WHERE b = 2 AND odd), 0::bigint, 'and it is kept out');

-- a type that was altered since: the same as when it is declared
CREATE TABLE later (code text NOT NULL CHECK (code IN ('a', 'b')), d text, f text);
SELECT pegs_set_budget('later', 10), pegs_set_derived('later', 'd', 'upper(code)'), pegs_set_function('later', 'f', 'code', '{"a": "A", "b": "B"}');
SELECT pegs_fit('earlier', 'later', epsilon => 1);
ALTER TABLE later ALTER d TYPE short, ALTER f TYPE short;
SELECT results_eq($$SELECT problem, remedy FROM pegs_domain('later') WHERE column_name IN ('d', 'f')$$,
	$$VALUES ('it is computed, and of the domain type short', $r$SELECT pegs_unset('public.later', 'd'); and declare it again.$r$), ('it is computed, and of the domain type short', $r$SELECT pegs_unset('public.later', 'f'); and declare it again.$r$)$$, 'of a domain now');
CREATE DOMAIN recent AS timestamp CHECK (value > '2000-01-01');
ALTER TABLE later ADD at timestamp;
SELECT pegs_set_bins('later', 'at', '{1999-01-01, 2001-01-01}', parts => '{date}');
ALTER TABLE later ALTER at TYPE recent;
SELECT is((SELECT problem FROM pegs_domain('later') WHERE column_name = 'at'), 'it is computed, and of the domain type recent', 'so is what is modelled by parts');
SELECT alike(refusal($$SELECT pegs_fit('later', 'later', epsilon => 1)$$), '22023 column "d" cannot be used: it is computed, and of the domain type short', 'no fit');
CREATE FUNCTION hint_of(statement text) RETURNS text LANGUAGE plpgsql AS
$$ DECLARE h text; BEGIN EXECUTE statement; RETURN 'ok'; EXCEPTION WHEN OTHERS THEN GET STACKED DIAGNOSTICS h = PG_EXCEPTION_HINT; RETURN h; END $$;
SELECT is(hint_of($$SELECT * FROM pegs_sample_as(NULL::later, 'earlier', 3)$$), 'By a list of columns: SELECT * FROM pegs_sample(...) AS t(code text, d text, f text)', 'of rows from before, the hint names the function that takes a list');

-- ways around it: of a view, and then of its table; levels of a generated column that were forgotten. A fit keeps what is forbidden, or is none
CREATE VIEW zv AS SELECT a, b, odd, big AS large FROM z;
SELECT pegs_forbid('z', NULL), pegs_set_levels('z', 'big', '{t,f}'), pegs_set_derived('zv', 'large', 'a > 1'), pegs_forbid('z', '{"b": 2, "big": true}');
SELECT is(refusal($$SELECT pegs_fit('zv', 'zv', epsilon => 1)$$), '55000 column "large" is in a forbidden combination, and is computed from others', 'by a view');
SELECT is(refusal($$SELECT pegs_fit('zv', 'zv', '{a,large}', epsilon => 1)$$), 'ok', 'of columns that a model has not, nothing is forbidden');
SELECT is(refusal($$SELECT pegs_set_levels('zv', 'large', '{t,f}'); SELECT pegs_fit('zv drawn', 'zv', epsilon => 1)$$), 'ok', 'levels, as it says');
SELECT is_empty($$SELECT 1 FROM pegs_sample('zv drawn', 500) AS r(b int, large boolean) WHERE b = 2 AND large$$, 'and it is kept out');
SELECT pegs_forbid('z', NULL), pegs_unset('z', 'big'), pegs_leave_out('z', 'big'), pegs_forbid('z', '{"b": 2, "odd": true}');
DROP VIEW zv;
CREATE TABLE z2 (a int NOT NULL CHECK (a IN (1, 2)), b int CHECK (b IN (1, 2)), more int GENERATED ALWAYS AS (a + 1) STORED);
SELECT pegs_set_budget('z2', 10), pegs_set_levels('z2', 'more', '{2,3}'), pegs_forbid('z2', '{"b": 2, "more": 2}'), pegs_unset('z2', 'more');
SELECT is(refusal($$SELECT pegs_fit('z2', 'z2', epsilon => 1)$$), '55000 column "more" is in a forbidden combination, and is computed from others', 'a generated column');
SELECT is((SELECT spent FROM pegs_budgets WHERE source = 'z2'::regclass), 0::numeric, 'and nothing is charged');

---- generated, and declared: computed all the same where that can be
CREATE TABLE g (a int NOT NULL CHECK (a IN (1, 2, 3)), c int CHECK (c IN (1, 2)), twice int NOT NULL GENERATED ALWAYS AS (a * 2) STORED);
INSERT INTO g (a, c) SELECT 1 + i % 3, 1 + i % 2 FROM generate_series(1, 300) AS i;
SELECT pegs_set_budget('g', 100), pegs_set_levels('g', 'twice', '{2,4}', other => '0');
SELECT results_eq($$SELECT origin, levels, problem, remedy FROM pegs_domain('g') WHERE column_name = 'twice'$$,
	$$VALUES ('computed: (a * 2)', '{2,4,0}'::text[], 'it is computed: its declared levels are used only where that cannot be', 'SELECT pegs_unset(''public.g'', ''twice'');')$$, 'pegs_domain says so');
SELECT pegs_fit('g', 'g', epsilon => 10);
SELECT is((SELECT count(*) FROM pegs_sample_as(NULL::g, 'g', 300) WHERE twice <> a * 2), 0::bigint, 'levels that are declared: every row fits');
SELECT pegs_fit('g alone', 'g', columns => '{c,twice}', epsilon => 10);
SELECT ok(bool_and(twice IN (2, 4, 0)) AND bool_or(twice = 0), 'a model without what it is computed from draws it, by its levels') FROM pegs_sample('g alone', 300) AS r(twice int);
SELECT pegs_set_bins('g', 'twice', '{1,3,5,7}');
SELECT is((SELECT origin FROM pegs_domain('g') WHERE column_name = 'twice'), 'computed: (a * 2)', 'bins, too');
SELECT pegs_forbid('g', '{"c": 1, "twice": 2}'), pegs_fit('g zero', 'g', epsilon => 10);
SELECT is(jsonb_array_length(pegs_describe('g zero') -> 'spec' -> 'columns'), 3, 'in a forbidden combination: drawn');
SELECT pegs_forbid('g', NULL), pegs_set_derived('g', 'twice', 'a + a');
SELECT results_eq($$SELECT origin, problem FROM pegs_domain('g') WHERE column_name = 'twice'$$, $$VALUES ('computed: (a + a)', NULL::text)$$, 'an expression of its own comes first');

---- a model keeps what it needs
CREATE TEMP TABLE before AS SELECT agegr, age, bmi, twice FROM pegs_sample_as(NULL::t, 'm', 100);
CREATE TEMP TABLE file AS SELECT pegs_export('m') AS bytes;
SELECT pegs_import('imported', bytes) FROM file;
SELECT is(pegs_row_type('imported'), pegs_row_type('m'), 'a file has it');
SELECT is(wrong($$pegs_sample_as(NULL::t, 'imported', 500)$$), 0::bigint, 'and gives rows that fit');
-- a file whose expression somebody has altered, and mended its CRC-32C
CREATE FUNCTION altered(old text, new text) RETURNS bytea LANGUAGE plpgsql AS $$
DECLARE b bytea; crc bigint := 4294967295;
BEGIN
	SELECT overlay(f.bytes PLACING convert_to(rpad(new, length(old)), 'UTF8') FROM position(convert_to(old, 'UTF8') IN f.bytes)) INTO b FROM file AS f;
	FOR i IN 0 .. length(b) - 5 LOOP
		crc := crc # get_byte(b, i);
		FOR bit IN 1 .. 8 LOOP crc := CASE crc & 1 WHEN 1 THEN (crc >> 1) # 2197175160 ELSE crc >> 1 END; END LOOP;
	END LOOP;
	crc := crc # 4294967295;
	FOR i IN 0 .. 3 LOOP b := set_byte(b, length(b) - 4 + i, (crc >> 8 * i & 255)::int); END LOOP;
	RETURN b;
END $$;
SELECT is(altered('(age * 2)', '(age * 2)'), bytes, 'a CRC is mended as pegs writes it') FROM file;
CREATE FUNCTION refusal_of_file(statement text) RETURNS text LANGUAGE plpgsql AS
$$ DECLARE m text; d text; BEGIN EXECUTE statement; RETURN 'ok'; EXCEPTION WHEN OTHERS THEN GET STACKED DIAGNOSTICS m = MESSAGE_TEXT, d = PG_EXCEPTION_DETAIL; RETURN concat_ws(' ', SQLSTATE, replace(m, 'this is not an exported model, or its facts cannot be read here', ':'), CASE SQLSTATE WHEN '22P03' THEN d END); END $$;
SELECT is(refusal_of_file(format('SELECT pegs_import(%L, altered(%L, %L))', 'altered ' || new, old, new)), expected, 'imported: ' || new) FROM (VALUES
	('(age * 2)', '(age + 2)', 'ok'),
	('(age * 2)', 'random()', '0A000 the expression of column "twice" cannot be used: it has a function that is not immutable: random'),
	('(age * 2)', 'own(age)', '22P03 : function own(integer) does not exist.'),
	('(age * 2)', '(at * 2)', '22P03 : operator does not exist: timestamp without time zone * integer.'),
	('(age * 2)', '(1, age)', '0A000 the expression of column "twice" cannot be used: it has a construct that is not in the list'),
	('(age * 2)', '(ago * 2)', '22P03 : an expression names "ago", which is no column of the row.'),
	('(age * 2)', 'age; (1)', '22P03 : syntax error at or near ";".'),
	(derived('agegr'), 'evil.lower(''x'')', '0A000 the expression of column "agegr" cannot be used: it has a function that is not built in: lower'),
	(derived('agegr'), 'repeat(''x'', age)', '0A000 the expression of column "agegr" cannot be used: it has a length that is not said by a small constant, in repeat'),
	(derived('agegr'), '(SELECT lomsg FROM x)', '0A000 cannot use subquery in column generation expression')) AS v (old, new, expected);
SELECT pegs_unset('t', 'agegr'), pegs_unset('t', 'bmi');
ALTER TABLE t RENAME age TO years;
SELECT results_eq('TABLE before', $$SELECT agegr, age, bmi, twice FROM pegs_sample('m', 100) AS r(agegr text, age int, bmi numeric(5, 2), twice int)$$, 'nothing that becomes of the declaration or the table changes a model');
SELECT is(pegs_spec('t', '{years,twice}') ~ '"derived": \[\{"name": "twice", "type": "integer", "place": 1, "expression": "\(years \* 2\)"\}\]', true, 'a generated column follows a new name');
SELECT pegs_set_derived('t', 'bmi', 'w / h');
ALTER TABLE t RENAME w TO weight;
SELECT is(origin, 'computed: (weight / h)', 'so does a declared one') FROM pegs_domain('t') WHERE column_name = 'bmi';
ALTER TABLE t RENAME weight TO w;

---- inputs are columns: three renames in a circle; what is dropped; what was known by names alone
CREATE TABLE ring (a int NOT NULL CHECK (a IN (1, 2)), "B ""q" int NOT NULL CHECK ("B ""q" IN (3, 4)), c int, d int, "select" int NOT NULL CHECK ("select" IN (5, 6)));
INSERT INTO ring SELECT 1 + i % 2, 3 + i % 2, 0, 0, 5 + i % 2 FROM generate_series(1, 300) AS i;
SELECT pegs_set_budget('ring', 1000), pegs_set_derived('ring', 'c', 'CASE WHEN "B ""q" = 3 THEN a ELSE -"B ""q" * a END'), pegs_set_derived('ring', 'd', '"select" + a');
SELECT pegs_fit('then', 'ring', epsilon => 10);
ALTER TABLE ring RENAME a TO x;
ALTER TABLE ring RENAME "B ""q" TO a;
ALTER TABLE ring RENAME x TO "B ""q";
ALTER TABLE ring RENAME "select" TO e;
SELECT results_eq($$SELECT column_name, origin FROM pegs_domain('ring') WHERE column_name IN ('c', 'd')$$, $$VALUES ('c'::name, 'computed: CASE WHEN (a = 3) THEN "B ""q" ELSE ((- a) * "B ""q") END'), ('d', 'computed: (e + "B ""q")')$$, 'of the same columns, as they are called now');
SELECT pegs_fit('now', 'ring', epsilon => 10);
SELECT is(count(*) FILTER (WHERE c = CASE WHEN a = 3 THEN "B ""q" ELSE -a * "B ""q" END AND a IN (3, 4) AND d = e + "B ""q"), 100::bigint, 'so a fit computes') FROM pegs_sample_as(NULL::ring, 'now', 100);
SELECT is(count(*) FILTER (WHERE c = CASE WHEN "B ""q" = 3 THEN a ELSE -"B ""q" * a END AND a IN (1, 2) AND d = "select" + a), 100::bigint, 'a model has the names of then')
FROM pegs_sample('then', 100) AS s(a int, "B ""q" int, c int, d int, "select" int);
SELECT matches(refusal($$SELECT pegs_refit('then', 1)$$), 'cannot be fitted anew', 'and is not fitted anew');
SELECT is(pegs_facts('ring')::text, '{"columns": {"c": {"derived": "CASE WHEN (a = 3) THEN \"B \"\"q\" ELSE ((- a) * \"B \"\"q\") END"}, "d": {"derived": "(e + \"B \"\"q\")"}}}', 'pegs_facts has them, too');
CREATE TABLE ring2 (LIKE ring INCLUDING CONSTRAINTS);
SELECT pegs_declare('ring2', pegs_facts('ring')), pegs_declare('ring', pegs_facts('ring'));
SELECT is(pegs_facts('ring2'), pegs_facts('ring'), 'and pegs_declare takes them');
SELECT results_eq($$SELECT column_name, inputs, input_names FROM pegs_internal.fact WHERE source = 'ring'::regclass ORDER BY 1$$, $$VALUES ('c'::name, '{2,1}'::smallint[], '{a,"B \"q"}'::text[]), ('d', '{5,1}', '{e,"B \"q"}')$$, 'what is kept');
CREATE VIEW ringed AS SELECT e AS a, a AS e, c, d, "B ""q" AS "E" FROM ring;
CREATE VIEW ringed2 AS SELECT "E" AS a, a AS "E", d FROM ringed;
SELECT results_eq($$SELECT 'ringed', column_name, origin FROM pegs_domain('ringed') WHERE column_name IN ('c', 'd') UNION ALL SELECT 'ringed2', column_name, origin FROM pegs_domain('ringed2') WHERE column_name = 'd'$$,
	$$VALUES ('ringed', 'c'::name, 'computed: CASE WHEN (e = 3) THEN "E" ELSE ((- e) * "E") END'), ('ringed', 'd', 'computed: (a + "E")'), ('ringed2', 'd', 'computed: ("E" + a)')$$, 'a view has them by its names, and a view of it');
UPDATE pegs_internal.fact SET relation = 1 WHERE source = 'ring'::regclass AND column_name = 'd';
DROP VIEW ringed CASCADE;
ALTER TABLE ring DROP COLUMN a;
SELECT results_eq($$SELECT column_name, problem, remedy FROM pegs_domain('ring') WHERE column_name = 'c'$$, $$VALUES ('c'::name, 'it is computed from column "a", which was dropped', 'SELECT pegs_unset(''public.ring'', ''c''); and declare it again.')$$, 'one that was dropped');
ALTER TABLE ring ADD COLUMN a int NOT NULL DEFAULT 3 CHECK (a IN (3, 4)), DROP COLUMN e, ADD COLUMN e int NOT NULL DEFAULT 5 CHECK (e IN (5, 6));
SELECT results_eq($$SELECT column_name, problem, origin FROM pegs_domain('ring') WHERE column_name IN ('c', 'd')$$, $$VALUES ('c'::name, 'it is computed from column "a", which was dropped', NULL), ('d', NULL, 'computed: (e + "B ""q")')$$, 'and made again; a restored dump knows names alone');
SELECT is(pegs_facts('ring') -> 'columns' -> 'c', NULL, 'pegs_facts leaves it out');
SELECT pegs_forbid('ring2', '{"e": 5, "a": 3}');
ALTER TABLE ring2 RENAME e TO f;
SELECT matches(refusal($$SELECT pegs_set_derived('ring2', 'f', 'a + 2')$$), '^55000 column "f" is in a forbidden combination', 'a forbidden combination is of columns, too');
SELECT pegs_drop('then'), pegs_drop('now');

---- what is kept is looked at again
UPDATE pegs_internal.fact AS f SET derived = 'evil.lower("Sex")', left_out = NULL WHERE source = 't'::regclass AND column_name = 'code';
SELECT is(refusal($$SELECT pegs_fit('x', 't', columns => '{"Sex",code}', epsilon => 1)$$), '0A000 the expression of column "code" cannot be used: it has a function that is not built in: lower', 'by a fit');
UPDATE pegs_internal.fact AS f SET derived = NULL, left_out = true WHERE source = 't'::regclass AND column_name = 'code';

---- views: the same columns, whatever they are called
CREATE VIEW same AS SELECT w, h, bmi FROM t;
CREATE VIEW crossed AS SELECT w AS h, h AS w, bmi FROM t;
CREATE VIEW without AS SELECT h, bmi FROM t;
SELECT is((SELECT origin FROM pegs_domain('same') WHERE column_name = 'bmi'), 'computed: (w / h)', 'a view with the same columns has the declaration of its table');
SELECT is((SELECT origin FROM pegs_domain('crossed') WHERE column_name = 'bmi'), 'computed: (h / w)', 'one that gives their names to others has it by its own');
SELECT is((SELECT problem FROM pegs_domain('without') WHERE column_name = 'bmi'), 'it is computed from column "w" of "t", which is not here', 'not one that has not all of them');
SELECT pegs_set_derived('crossed', 'bmi', 'h / w + 1');
SELECT is((SELECT origin FROM pegs_domain('crossed') WHERE column_name = 'bmi'), 'computed: ((h / w) + 1)', 'declared of the view itself');

---- states; a spec that anybody gives
SELECT pegs_fit_state('by hand', 't', (SELECT pegs_agg((SELECT pegs_spec('t', '{years,h}')), years, h) FROM t), columns => '{years,h}', epsilon => 1);
SELECT is(pegs_row_type('by hand'), 'years integer, h integer', 'columns that are named, and no other');
SELECT is(refusal(format('SELECT pegs_agg(%L, years) FROM t', replace(pegs_spec('t', '{years,twice}'), a, b))), expected, b) FROM (VALUES
	('"place": 1', '"place": 9', '22023 spec is not valid: "place" must be a number of columns, and must not fall'),
	('"name": "twice"', '"name": "years"', '22023 spec is not valid: a name is too long, or a column is named twice'),
	('"derived": [', '"derived": [7, ', '22023 spec is not valid: a derived column must be an object'),
	('"type": "integer", "place"', '"type": "public.mood", "place"', '22023 spec is not valid: a derived column has a type that not every server has'),
	('(years * 2)', 'evil.less(1, 2)', 'ok')) AS v (a, b, expected);
SELECT * FROM finish();
