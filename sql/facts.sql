-- facts: the declared domain, read from the catalog or declared, never from the rows.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS pegs;
CREATE SCHEMA regress_facts;
SET search_path = regress_facts, public;
SET datestyle = 'ISO, YMD';
SET timezone = 'UTC';

---- every supported type: what may be declared for it, and how it is written
CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy', 'it''s "odd"');
CREATE TABLE types (t text, vc varchar(5), v varchar, c char(3), c1 char, bo boolean, i2 smallint, i4 integer, i8 bigint,
	n numeric, n2 numeric(6,2), f4 real, f8 double precision, d date, ts timestamp, ts0 timestamp(0), tz timestamptz, e mood NOT NULL);
SELECT column_name, type, origin, levels, problem, remedy FROM pegs_domain('types');
\pset format unaligned
\t on
SELECT pegs_set_levels('types', 't', ARRAY['', ' ', 'a', 'ä', '"', '\', 'NULL', '{}', E'a\nb']);
SELECT pegs_set_levels('types', 'vc', ARRAY['a', 'a ', 'abcde']);
SELECT pegs_set_levels('types', 'v', ARRAY['x']);
SELECT pegs_set_levels('types', 'c', ARRAY['a', 'b  ', 'abc']);
SELECT pegs_set_levels('types', 'c1', ARRAY['M', 'F']);
SELECT pegs_set_levels('types', 'bo', ARRAY['yes']);
SELECT pegs_set_levels('types', 'i2', ARRAY['-32768', ' 7 ', '+1']);
SELECT pegs_set_levels('types', 'i4', ARRAY['-2147483648', '2147483647']);
SELECT pegs_set_levels('types', 'i8', ARRAY['-9223372036854775808', '9223372036854775807']);
SELECT pegs_set_levels('types', 'n', ARRAY['1', '0.1', '-1e3']);
SELECT pegs_set_levels('types', 'n2', ARRAY['1', '0.125', '9999.99']);
SELECT pegs_set_levels('types', 'f4', ARRAY['0.1', '1e10']);
SELECT pegs_set_levels('types', 'f8', ARRAY['0.1', '-0', 'Infinity']);
SELECT pegs_set_levels('types', 'd', ARRAY['2024-02-29', '1999-01-08 BC', 'infinity']);
SELECT pegs_set_levels('types', 'ts', ARRAY['2024-02-29 12:00', '2024-02-29 12:00:00.000001']);
SELECT pegs_set_levels('types', 'ts0', ARRAY['2024-02-29 12:00']);
SELECT pegs_set_levels('types', 'tz', ARRAY['2024-02-29 12:00+02', '2024-02-29 12:00 America/New_York']);
SELECT pegs_set_levels('types', 'e', ARRAY['happy', 'sad']);
SELECT column_name, levels FROM pegs_domain('types');
-- the same, whatever the session's notation
SET datestyle = 'SQL, DMY';
SET timezone = 'Asia/Tokyo';
SET extra_float_digits = -3;
SELECT column_name, levels FROM pegs_domain('types') WHERE column_name IN ('f4', 'f8', 'd', 'ts', 'ts0', 'tz');
SELECT pegs_set_levels('types', 'd', ARRAY['29/02/2024']);
SELECT levels FROM pegs_domain('types') WHERE column_name = 'd';
RESET extra_float_digits;
SET datestyle = 'ISO, YMD';
SET timezone = 'UTC';
-- values that the type does not take
SELECT pegs_set_levels('types', 'i2', ARRAY['70000']);
SELECT pegs_set_levels('types', 'i4', ARRAY['seven']);
SELECT pegs_set_levels('types', 'vc', ARRAY['abcdef']);
SELECT pegs_set_levels('types', 'd', ARRAY['2023-02-29']);
SELECT pegs_set_levels('types', 'e', ARRAY['angry']);
SELECT pegs_set_levels('types', 'n2', ARRAY['10000']);
SELECT pegs_set_levels('types', 'vc', ARRAY['a'], other => 'abcdef');
-- a level is a value: written twice in two ways it is declared twice
SELECT pegs_set_levels('types', 't', ARRAY['a', 'b', 'a']);
SELECT pegs_set_levels('types', 'c', ARRAY['a', 'a ']);
SELECT pegs_set_levels('types', 'i4', ARRAY['1', '01']);
SELECT pegs_set_levels('types', 'n', ARRAY['1', '1.0']);
SELECT pegs_set_levels('types', 'n2', ARRAY['1.001', '1.002']);
SELECT pegs_set_levels('types', 'f8', ARRAY['0', '-0']);
SELECT pegs_set_levels('types', 'bo', ARRAY['true', 'yes']);
SELECT pegs_set_levels('types', 'tz', ARRAY['2024-01-01 12:00+00', '2024-01-01 13:00+01']);
-- not a number is not a level
SELECT pegs_set_levels('types', 'f8', ARRAY['1', 'NaN']);
SELECT pegs_set_levels('types', 'n', ARRAY['1', 'NaN']);
\t off
\pset format aligned

---- other: a level that takes what is not declared
SELECT pegs_set_levels('types', 't', ARRAY['a', 'b'], other => 'rest');
SELECT levels FROM pegs_domain('types') WHERE column_name = 't';
SELECT pegs_set_levels('types', 't', ARRAY['a', 'b'], other => 'a');
SELECT levels FROM pegs_domain('types') WHERE column_name = 't';
SELECT pegs_set_levels('types', 'i4', ARRAY['1', '2'], other => '-1');
SELECT levels FROM pegs_domain('types') WHERE column_name = 'i4';

---- a lookup table
CREATE TABLE codes (code smallint PRIMARY KEY, name text, twice text, mood mood, secret json);
INSERT INTO codes VALUES (3, 'c', 'x'), (1, 'a', 'x'), (2, 'B', NULL);
SELECT pegs_set_levels('types', 'i4', lookup => 'codes', lookup_column => 'code');
SELECT pegs_set_levels('types', 't', lookup => 'codes', lookup_column => 'name');
SELECT pegs_set_levels('types', 'v', lookup => 'codes', lookup_column => 'twice');
SELECT column_name, origin, levels FROM pegs_domain('types') WHERE column_name IN ('i4', 't', 'v');
-- as it is when it is asked
INSERT INTO codes VALUES (10, 'ä', 'y');
SELECT column_name, levels FROM pegs_domain('types') WHERE column_name IN ('i4', 't', 'v');
SELECT pegs_set_levels('types', 'i4', lookup => 'codes', lookup_column => 'no_such_column');
SELECT pegs_set_levels('types', 'i4', lookup => 'codes', lookup_column => 'secret');
SELECT pegs_set_levels('types', 'i4', lookup => 'codes', lookup_column => NULL);
SELECT pegs_set_levels('types', 'i4', lookup => NULL, lookup_column => 'code');
SELECT pegs_set_levels('types', 'i4', lookup => 'types', lookup_column => 'i4');
CREATE VIEW codes_view AS SELECT i4 FROM types;
SELECT pegs_set_levels('types', 'i4', lookup => 'codes_view', lookup_column => 'i4');
SELECT pegs_set_levels('types', 'no_such_column', lookup => 'codes', lookup_column => 'code');
-- values that the column does not take are a problem of the column
SELECT pegs_set_levels('types', 'i2', lookup => 'codes', lookup_column => 'name');
SELECT column_name, problem IS NOT NULL AS problem, remedy IS NOT NULL AS remedy FROM pegs_domain('types') WHERE column_name = 'i2';
DROP TABLE codes;
SELECT column_name, origin, levels, problem, remedy FROM pegs_domain('types') WHERE column_name IN ('i4', 't');
-- four plain literals: levels and the one that takes the others
SELECT pegs_set_levels('types', 't', '{a,b}', 'a');

---- bins
SELECT pegs_set_bins('types', 'i2', ARRAY['-5', '0', '5']);
SELECT pegs_set_bins('types', 'i4', ARRAY['0', '5', '10', '2147483647']);
SELECT pegs_set_bins('types', 'i8', ARRAY['-9223372036854775808', '9223372036854775807']);
SELECT pegs_set_bins('types', 'n', ARRAY['-1.5', '0', '0.125', '1000000']);
SELECT pegs_set_bins('types', 'n2', ARRAY['0', '0.01', '9999.99']);
SELECT pegs_set_bins('types', 'f4', ARRAY['-1', '0', '3.5']);
SELECT pegs_set_bins('types', 'f8', ARRAY['-1e300', '0', '1e300']);
SELECT pegs_set_bins('types', 'd', ARRAY['1900-01-01', '2000-01-01', '2100-01-01']);
SELECT pegs_set_bins('types', 'ts', ARRAY['2000-01-01', '2000-01-01 12:00']);
SELECT pegs_set_bins('types', 'ts0', ARRAY['2000-01-01', '2000-01-01 12:00:01']);
SELECT pegs_set_bins('types', 'tz', ARRAY['2000-01-01 00:00+00', '2000-07-01 00:00 Europe/Paris']);
SELECT column_name, origin, levels FROM pegs_domain('types') WHERE origin = 'declared bins';
-- not rising, not finite, too few, of the wrong type
SELECT pegs_set_bins('types', 'i4', ARRAY['0', '5', '5']);
SELECT pegs_set_bins('types', 'i4', ARRAY['10', '9']);
SELECT pegs_set_bins('types', 'f8', ARRAY['0', '-0']);
SELECT pegs_set_bins('types', 'n2', ARRAY['0', '0.001']);
SELECT pegs_set_bins('types', 'f8', ARRAY['0', 'Infinity']);
SELECT pegs_set_bins('types', 'f8', ARRAY['-inf', '0']);
SELECT pegs_set_bins('types', 'f8', ARRAY['0', 'NaN']);
SELECT pegs_set_bins('types', 'n', ARRAY['0', 'NaN']);
SELECT pegs_set_bins('types', 'n', ARRAY['0', 'Infinity']);
SELECT pegs_set_bins('types', 'd', ARRAY['2000-01-01', 'infinity']);
SELECT pegs_set_bins('types', 'ts', ARRAY['-infinity', '2000-01-01']);
SELECT pegs_set_bins('types', 'i4', ARRAY['0']);
SELECT pegs_set_bins('types', 'i4', ARRAY[]::text[]);
SELECT pegs_set_bins('types', 'i4', NULL);
SELECT pegs_set_bins('types', 'i4', ARRAY['0', NULL]);
SELECT pegs_set_bins('types', 'i4', ARRAY['0', 'ten']);
SELECT pegs_set_bins('types', 'i2', ARRAY['0', '40000']);
SELECT pegs_set_bins('types', 't', ARRAY['a', 'b']);
SELECT pegs_set_bins('types', 'bo', ARRAY['false', 'true']);
SELECT pegs_set_bins('types', 'e', ARRAY['sad', 'ok']);
SELECT pegs_set_bins('types', 'n', ARRAY['0', '12345678901234567890']);
SELECT pegs_set_bins('types', 'n', ARRAY['0', '0.00000000000000000001']);
SELECT pegs_set_bins('types', 'i4', ARRAY(SELECT i::text FROM generate_series(1, 65536) AS i));
-- the last declaration counts
SELECT pegs_set_levels('types', 'i4', ARRAY['1', '2']);
SELECT column_name, origin, levels FROM pegs_domain('types') WHERE column_name = 'i4';

---- unset
SELECT pegs_unset('types', 'i4');
SELECT column_name, origin, levels, problem, remedy FROM pegs_domain('types') WHERE column_name = 'i4';
SELECT pegs_unset('types', 'i4');
SELECT pegs_unset('types', 'no_such_column');
SELECT pegs_unset('types', NULL);
-- an enum declared by hand falls back to its labels
SELECT levels FROM pegs_domain('types') WHERE column_name = 'e';
SELECT pegs_unset('types', 'e');
SELECT origin, levels FROM pegs_domain('types') WHERE column_name = 'e';

---- CHECK constraints that are understood
CREATE DOMAIN yes_no AS text CHECK (VALUE IN ('yes', 'no'));
CREATE DOMAIN yes AS yes_no CHECK (VALUE <> 'no');
CREATE DOMAIN sure AS yes_no NOT NULL;
CREATE DOMAIN grade AS smallint CHECK (VALUE = ANY (ARRAY[1, 2, 3]));
CREATE DOMAIN named AS varchar(8) CONSTRAINT b CHECK (VALUE = 'b') CONSTRAINT a CHECK (VALUE IN ('a', 'b'));
CREATE TABLE checks (
	text_in text CHECK (text_in IN ('a', 'b')),
	varchar_in varchar(9) CHECK (varchar_in IN ('a', 'b')),
	char_in char(4) CHECK (char_in IN ('a', 'b')),
	one_of_one text CHECK (one_of_one IN ('a')),
	equal text CHECK (equal = 'a'),
	turned text CHECK ('a' = turned),
	any_array text CHECK (any_array = ANY (ARRAY['a', 'b'])),
	any_cast text CHECK (any_cast = ANY (ARRAY['a', 'b']::text[])),
	any_literal text CHECK (any_literal = ANY ('{a,b}')),
	any_varchar varchar CHECK (any_varchar = ANY (ARRAY['a'::varchar, 'b'::varchar])),
	any_varchar_text varchar(3) CHECK (any_varchar_text::text = ANY (ARRAY['a'::varchar, 'b'::varchar]::text[])),
	or_chain text CHECK (or_chain = 'a' OR or_chain = 'b' OR or_chain IN ('c', 'd') OR 'e' = or_chain),
	int_in int CHECK (int_in IN (1, 2)),
	smallint_in smallint CHECK (smallint_in IN (1, 2)),
	smallint_or smallint CHECK (smallint_or = 1 OR smallint_or = 2::int8),
	bigint_in bigint CHECK (bigint_in IN (1, 9223372036854775807)),
	numeric_in numeric(4,1) CHECK (numeric_in IN (1, 2.5)),
	float_in float8 CHECK (float_in IN (0.1, 2)),
	real_in real CHECK (real_in = ANY (ARRAY[0.5::real, 2])),
	date_in date CHECK (date_in IN ('2024-01-01', '2024-02-29'::date)),
	enum_in mood CHECK (enum_in IN ('sad', 'ok')),
	negative int CHECK (negative IN (-1, 0)),
	is_null text CHECK (is_null IS NULL OR is_null IN ('a', 'b')),
	null_in_list text CHECK (null_in_list IN ('a', NULL)),
	and_other text CHECK (and_other IN ('a', 'b') AND length(and_other) < 5),
	other_and text CHECK (length(other_and) < 5 AND other_and IN ('a', 'b')),
	two_checks text CHECK (two_checks <> 'c') CHECK (two_checks IN ('a', 'b')),
	in_domain yes_no,
	in_domain_over_domain yes,
	in_not_null_domain sure,
	in_smallint_domain grade,
	in_named_domain named,
	domain_and_check yes_no CHECK (domain_and_check IN ('yes')),
	same text CHECK (same IN ('a', 'a', 'b')),
	not_null text NOT NULL CHECK (not_null IN ('a', 'b')),
	quoted text CHECK (quoted IN ('it''s', '"', 'a,b', '{}', '')),
	of_two text, of_three text,
	CHECK (of_two IN ('a', 'b') AND of_three IN ('c', 'd')));
SELECT column_name, type, origin, levels, problem FROM pegs_domain('checks') ORDER BY column_name;

---- conditions that state no levels
CREATE FUNCTION mine(text) RETURNS text LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RAISE NOTICE ''ran''; RETURN $1; END';
CREATE FUNCTION like_it(text, text) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT true';
CREATE OPERATOR = (LEFTARG = text, RIGHTARG = text, FUNCTION = like_it);
CREATE DOMAIN positive AS int CHECK (VALUE > 0);
CREATE TABLE no_checks (
	range int CHECK (range BETWEEN 1 AND 3),
	less int CHECK (less < 5),
	not_equal text CHECK (not_equal <> 'a'),
	not_in text CHECK (not_in NOT IN ('a', 'b')),
	all_array text CHECK (all_array = ALL (ARRAY['a', 'b'])),
	like_any text CHECK (like_any ~~ ANY (ARRAY['a%', 'b'])),
	function text CHECK (lower(function) IN ('a', 'b')),
	own_function text CHECK (mine(own_function) IN ('a', 'b')),
	own_function_right text CHECK (own_function_right = mine('a')),
	own_operator text CHECK (own_operator OPERATOR(regress_facts.=) 'a'),
	prefix text CHECK (left(prefix, 1) IN ('a', 'b')),
	short_cast text CHECK (short_cast::varchar(1) IN ('a', 'b')),
	rounding numeric CHECK (rounding::int IN (1, 2)),
	day timestamp CHECK (day::date IN ('2024-01-01')),
	arithmetic int CHECK (arithmetic + 1 IN (1, 2)),
	or_open text CHECK (or_open IN ('a', 'b') OR length(or_open) > 5),
	or_other_column text CHECK (or_other_column IN ('a', 'b') OR less > 2),
	not_it text CHECK (NOT (not_it IN ('a', 'b'))),
	case_it text CHECK (CASE WHEN length(case_it) = 1 THEN case_it IN ('a', 'b') ELSE true END),
	coalesced text CHECK (coalesce(coalesced, 'z') IN ('a', 'z')),
	is_true boolean CHECK (is_true IS TRUE),
	length_only text CHECK (length(length_only) IN (1, 2)),
	of_column text CHECK (of_column = like_any),
	in_columns text CHECK (in_columns IN (like_any, of_column)),
	only_null text CHECK (only_null IS NULL),
	not_null text CHECK (not_null IS NOT NULL),
	time_of_day text CHECK (time_of_day = ANY (string_to_array('a,b', ','))),
	in_range_domain positive);
SELECT column_name, origin, levels, problem FROM pegs_domain('no_checks') ORDER BY column_name;
-- constants that the column cannot hold are no reason for pegs_domain to fail
CREATE TABLE misfit (
	smallint_in smallint CHECK (smallint_in IN (1, 70000)),
	int_in int CHECK (int_in IN (1, 2.5)),
	varchar_in varchar(2) CHECK (varchar_in IN ('a', 'abc')),
	good boolean NOT NULL);
SELECT column_name, levels, problem IS NULL AS usable FROM pegs_domain('misfit');

---- types that are not supported
CREATE TYPE composite AS (a int, b int);
CREATE DOMAIN wrapped AS jsonb;
CREATE TABLE unsupported (j json, jb jsonb, a int[], u uuid, i interval, c composite, r int4range, b bytea, t time, tt timetz, x xml, w wrapped, ip inet, bits bit(3), m money, p point, o oid, n name, ts tsvector, mr int4multirange, ch "char");
\pset format unaligned
SELECT column_name, type, origin, problem, remedy FROM pegs_domain('unsupported');
\pset format aligned
SELECT pegs_set_levels('unsupported', 'j', ARRAY['{}']);
SELECT pegs_set_levels('unsupported', 'a', ARRAY['{}']);
SELECT pegs_set_bins('unsupported', 'i', ARRAY['1 day', '2 days']);
SELECT pegs_fit('x', 'unsupported', columns => ARRAY['c'], parents => '{}');

---- keys are left out unless they are declared and named
CREATE TABLE keyed (id serial PRIMARY KEY, ident int GENERATED ALWAYS AS IDENTITY, code text UNIQUE, u uuid, a boolean NOT NULL, pair_a int, pair_b int, UNIQUE (pair_a, pair_b));
SET client_min_messages = notice;
SELECT pegs_fit('keyed', 'keyed', columns => ARRAY['id', 'a'], parents => '{}');
SELECT pegs_fit('keyed', 'keyed', parents => '{}');
SELECT pegs_set_levels('keyed', 'pair_a', ARRAY['1']), pegs_set_levels('keyed', 'pair_b', ARRAY['1']);
SELECT pegs_fit('keyed', 'keyed', parents => '{}');
SELECT pegs_row_type('keyed');
SET client_min_messages = warning;

---- no value of the data in any of this
CREATE TABLE marked (a text, b int, c numeric);
INSERT INTO marked VALUES ('MARKER-4711', 4711, 47.11);
SELECT pegs_set_levels('marked', 'a', ARRAY['x']);
SELECT pegs_set_bins('marked', 'b', ARRAY['0', '10']);
SELECT pegs_set_bins('marked', 'c', ARRAY['0', '10']);
ANALYZE marked;
SELECT bool_or(d::text ~ '4711|47.11') AS leaks FROM pegs_domain('marked') AS d;

---- facts of another's table; facts of a table that is gone
CREATE TABLE passing (a text);
SELECT pegs_set_levels('passing', 'a', ARRAY['x']);
ALTER TABLE passing RENAME TO renamed;
SELECT levels FROM pegs_domain('renamed');
ALTER TABLE renamed RENAME COLUMN a TO b;
SELECT origin, problem FROM pegs_domain('renamed');
DROP TABLE renamed;

---- NULL everywhere
CREATE TABLE nulls (a text CHECK (a IN ('x', 'y')), b int);
INSERT INTO nulls SELECT NULL, NULL FROM generate_series(1, 3);
SELECT pegs_set_bins('nulls', 'b', ARRAY['0', '10']);
SELECT pegs_fit('nulls', 'nulls', parents => '{"b": ["a"]}');
SELECT pegs_set_budget('nulls', 1000);
-- with so much epsilon the row is NULL, NULL up to one chance in 50,000
SELECT a IS NULL AND b IS NULL AS all_null FROM pegs_sample('nulls', 1, epsilon => 500) AS t(a text, b int);
-- a NULL in a column that is NOT NULL in the declaration cannot be: the catalog says so
CREATE TABLE not_null (a text NOT NULL CHECK (a IN ('x', 'y')));
SELECT levels FROM pegs_domain('not_null');
CREATE DOMAIN filled AS text NOT NULL CHECK (VALUE IN ('x', 'y'));
CREATE TABLE not_null_domain (a filled);
SELECT levels FROM pegs_domain('not_null_domain');

---- 500 levels, long labels that differ in the middle only, labels that look like others
CREATE TABLE wide (x int NOT NULL, long text NOT NULL);
INSERT INTO wide SELECT i, 'the same beginning' || i % 3 || 'the same end' FROM generate_series(1, 500) AS i;
SELECT pegs_set_levels('wide', 'x', ARRAY(SELECT i::text FROM generate_series(1, 500) AS i));
SELECT pegs_set_levels('wide', 'long', ARRAY['the same beginning0the same end', 'the same beginning1the same end', 'the same beginning2the same end', '', 'the', ' ']);
SELECT n FROM pegs_domain('wide');
SELECT pegs_fit('wide', 'wide', parents => '{"x": ["long"]}');
SELECT pegs_set_budget('wide', 1000);
SELECT count(*), bool_and(x BETWEEN 1 AND 500) FROM pegs_sample('wide', 100, epsilon => 100) AS t(x int);
SELECT sum((x % 3 = substr(long, 19, 1)::int)::int) >= 15 AS together FROM pegs_sample('wide', 20, epsilon => 500, given => '{"long": "the same beginning1the same end"}') AS t(x int, long text);

---- padding of char(n)
CREATE TABLE padded (c char(5) NOT NULL CHECK (c IN ('ab', 'b')), v varchar(4) NOT NULL);
INSERT INTO padded VALUES ('ab', 'x '), ('ab   ', 'x'), ('b', 'x');
SELECT pegs_set_levels('padded', 'v', ARRAY['x', 'x ']);
SELECT column_name, type, levels FROM pegs_domain('padded');
SELECT pegs_fit('padded', 'padded', parents => '{}');
SELECT pegs_set_budget('padded', 100);
SELECT bool_and(octet_length(c) = 5 AND c IN ('ab', 'b')) AS char5, bool_and(octet_length(v) <= 2) FROM pegs_sample('padded', 20, epsilon => 10) AS t(c char(5), v varchar(4));
SELECT pegs_set_levels('padded', 'c', ARRAY['ab', 'ab   ']);
SELECT count(*) FROM pegs_sample('padded', 1, epsilon => 1, given => '{"c": "ab "}') AS t(c char(5));

---- a nondeterministic collation: levels are bytes
DO $$ BEGIN
	IF EXISTS (SELECT FROM pg_collation WHERE collprovider = 'i') THEN
		CREATE COLLATION folded (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
	ELSE
		CREATE COLLATION folded FROM "C";
	END IF;
END $$;
CREATE TABLE collated (a text COLLATE folded NOT NULL);
INSERT INTO collated VALUES ('a'), ('A');
SELECT pegs_set_levels('collated', 'a', ARRAY['a']);
SELECT pegs_fit('x', 'collated', parents => '{}');
SELECT pegs_set_levels('collated', 'a', ARRAY['a', 'A']);
SELECT pegs_fit('collated', 'collated', parents => '{}');

SELECT count(pegs_drop(name)) > 0 FROM pegs_models;
DROP SCHEMA regress_facts CASCADE;

-- the remedies for types that are not supported are views that work
CREATE TABLE remedies (m money, i interval, t time, a int[], r int4range);
SELECT column_name, remedy FROM pegs_domain('remedies');
CREATE VIEW remedied AS SELECT (m / '1'::money)::numeric AS m, extract(epoch from i)::int AS i, extract(hour from t)::int AS t,
	cardinality(a) AS a, lower(r) AS r FROM remedies;
SELECT column_name, type, problem FROM pegs_domain('remedied');
-- a view for another schema, and one whose name has a dot
CREATE SCHEMA shown;
SELECT pegs_set_budget('remedies', 1);
SELECT pegs_set_bins('remedied', 'i', '{0,60,3600}');
SET client_min_messages = warning;
SELECT pegs_fit('remedied', 'remedied', ARRAY['i'], epsilon => 1);
RESET client_min_messages;
SELECT split_part(s, ' SELECT', 1) AS statement FROM unnest(ARRAY['shown.v', 'Shown', 'shown."V 1"', 'a.b.c', 'shown.']) AS v, pegs_view_sql('remedied', v) AS s WHERE s ~ 'VIEW|COLUMN';
SELECT pegs_drop('remedied');
DROP SCHEMA shown;
DROP VIEW remedied;
DROP TABLE remedies;
-- a function of a column that is computed itself is modelled: that is said, of a chain and of a circle
CREATE TABLE chained (a int NOT NULL CHECK (a IN (1, 2)), b int NOT NULL, c int NOT NULL);
SELECT pegs_set_budget('chained', 10);
SELECT pegs_set_function('chained', 'b', 'a', '{"1": 1, "2": 2}'), pegs_set_function('chained', 'c', 'b', '{"1": 1, "2": 2}');
SET client_min_messages = notice;
SELECT pegs_fit('chain', 'chained', epsilon => 1);
SELECT pegs_fit('without b', 'chained', ARRAY['a', 'c'], epsilon => 1);
-- so is one that is in a forbidden combination, where the model has what it follows from
SELECT pegs_forbid('chained', '{"b": 1, "a": 2}');
SELECT pegs_fit('forbidden', 'chained', ARRAY['a', 'b'], epsilon => 1);
SELECT pegs_fit('forbidden chain', 'chained', ARRAY['b', 'c'], epsilon => 1);
SELECT pegs_forbid('chained', NULL);
SELECT pegs_set_function('chained', 'a', 'b', '{"1": 1, "2": 2}');
SELECT pegs_fit('circle', 'chained', ARRAY['a', 'b'], epsilon => 1);
RESET client_min_messages;
SELECT pegs_drop(m) FROM unnest('{chain,without b,forbidden,forbidden chain,circle}'::text[]) AS m;
DROP TABLE chained;
-- null of a column that is not there: what else is said holds, and it is told
CREATE TABLE typo (a text, b text);
SELECT pegs_set_levels('typo', 'b', '{x}');
SET client_min_messages = notice;
SELECT pegs_declare('typo', '{"columns": {"B": null, "a": null}}');
RESET client_min_messages;
SELECT column_name, origin FROM pegs_domain('typo');
DROP TABLE typo;
-- a table becomes private whose rows models have as public: what it was taken for is named, of one's own tables
CREATE TABLE ward (id int PRIMARY KEY, kind text NOT NULL);
CREATE TABLE bed (id int PRIMARY KEY, ward int NOT NULL REFERENCES ward);
CREATE TABLE night (bed int NOT NULL REFERENCES bed, ward int REFERENCES ward, long boolean NOT NULL);
INSERT INTO ward VALUES (1, 'a'), (2, 'b');
INSERT INTO bed VALUES (1, 1), (2, 2);
INSERT INTO night SELECT 1 + i % 2, 1 + i % 2, i % 3 = 0 FROM generate_series(1, 100) AS i;
SELECT pegs_set_budget('night', epsilon => 10);
SELECT pegs_set_lookup('night', 'bed', 'bed', 'id'), pegs_set_lookup('night', 'ward', 'ward', 'id', via => '{kind}');
SELECT pegs_set_hierarchy('night', 'bed', '[{"lookup": "bed", "key": "id", "value": "ward"}]');
SELECT pegs_fit('nights', 'night', epsilon => 1), pegs_fit('of beds', 'night', ARRAY['bed', 'long'], epsilon => 1), pegs_fit('of none', 'night', ARRAY['long'], epsilon => 1);
SELECT name, pegs_certificate(name) ->> 'public' AS public FROM pegs_models WHERE source = 'night'::regclass ORDER BY name;
SELECT pegs_set_budget('ward', 1);
SELECT pegs_fit('no more', 'night', epsilon => 1);
-- by a binding, too: once, and not where nothing becomes private
CREATE TABLE house (id int PRIMARY KEY);
ALTER TABLE bed ADD house int REFERENCES house;
ALTER TABLE bed DROP ward;
SELECT pegs_set_budget('house', 1);
CREATE TABLE guest (house int REFERENCES house);
SELECT pegs_set_parent('guest', 'house', children => '{0, 1}', at_most => 1);
SELECT pegs_set_parent('bed', 'house', children => '{0, 1}', at_most => 1);
SELECT pegs_set_budget('house', 2);
-- nor is it proposed where a row must have one
CREATE TABLE villa (id int PRIMARY KEY, big boolean NOT NULL);
SELECT pegs_set_budget('villa', 1);
CREATE TABLE yard (id int PRIMARY KEY, villa int NOT NULL UNIQUE REFERENCES villa);
CREATE TABLE shelf (id int PRIMARY KEY);
CREATE TABLE party (villa int NOT NULL REFERENCES villa, yard int NOT NULL REFERENCES yard, shelf int NOT NULL REFERENCES shelf, loud boolean NOT NULL);
SELECT pegs_set_parent('party', 'villa', children => '{0, 1}', at_most => 1);
SET client_min_messages = notice;
SELECT pegs_fit_schema('parties', 'villa', tables => '{party}', epsilon => 1);
RESET client_min_messages;
SELECT pegs_drop('parties');
DROP TABLE party, yard, shelf, villa;
-- of others it is said that there are such
CREATE ROLE regress_warden;
ALTER TABLE house OWNER TO regress_warden;
ALTER TABLE bed OWNER TO regress_warden;
ALTER TABLE guest OWNER TO regress_warden;
SELECT pegs_set_parent('bed', NULL);
SELECT pegs_allow('regress_warden');
SET ROLE regress_warden;
SELECT pegs_set_parent('bed', 'house', children => '{0, 1}', at_most => 1);
RESET ROLE;
SELECT pegs_drop(m) FROM unnest('{nights,of beds,of none}'::text[]) AS m;
DROP TABLE guest, night, bed, house, ward;
SELECT pegs_disallow('regress_warden');
DROP ROLE regress_warden;
