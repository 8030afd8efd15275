-- What the targets inside a server work on. :library is the fuzzed library.
SET client_min_messages = warning;
CREATE TYPE fuzz_mood AS ENUM ('sad', 'ok', 'null', 'happy');
CREATE DOMAIN fuzz_short AS varchar(2);

-- not built in: what it says must not be believed
CREATE FUNCTION fuzz_mine(text) RETURNS text IMMUTABLE LANGUAGE sql AS 'SELECT $1';
CREATE FUNCTION fuzz_equal(text, text) RETURNS boolean IMMUTABLE LANGUAGE sql AS 'SELECT true';
CREATE OPERATOR public.= (LEFTARG = text, RIGHTARG = text, FUNCTION = fuzz_equal);

-- equal texts need not be the same text
DO $$ BEGIN
	CREATE COLLATION fuzz_ci (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
EXCEPTION WHEN feature_not_supported THEN
	CREATE COLLATION fuzz_ci FROM "C";
END $$;

-- the last column is the other one, of which a CHECK may speak as well
CREATE TABLE fuzz_check (t text, v varchar(3), b char(3), i int, s smallint, l bigint, n numeric, m numeric(4,1), f float8, r real,
	d date, ts timestamp, t0 timestamp(0), tz timestamptz, e fuzz_mood, y fuzz_short, c text COLLATE fuzz_ci,
	other text);

CREATE TABLE fuzz_facts (t text, v varchar(8), v2 varchar(2), b char(3), o boolean, i int, s smallint, l bigint, n numeric,
	m numeric(4,2), w numeric(18,9), k numeric(3,-2), f float8, r real, d date, ts timestamp, t0 timestamp(0), t3 timestamp(3), tz timestamptz,
	z0 timestamptz(0), e fuzz_mood, y fuzz_short);

CREATE FUNCTION pegs_fuzz(target text, log text, arguments text[]) RETURNS void STRICT LANGUAGE c AS :'library';
