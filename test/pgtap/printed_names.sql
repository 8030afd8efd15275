-- What is printed for a person to run, of tables, columns, constraints, roles, schemas and servers with a line's end in their
-- names, behind which a statement stands: another role may have given such a name. No statement begins in one: outside of
-- literals, quoted names and comments there is none of it.
SET client_min_messages = warning;
CREATE EXTENSION pegs;
SELECT * FROM no_plan();
CREATE ROLE printed_al;
CREATE ROLE printed_bo;
CREATE FUNCTION odd(name text) RETURNS text IMMUTABLE LANGUAGE sql AS $$ SELECT name || E'\rEVIL;\nEVIL; --' $$;
-- what of a text would be run, or break it
CREATE FUNCTION run_of(printed text) RETURNS text LANGUAGE sql AS $$ SELECT regexp_replace(printed, '''([^'']|'''')*''|"([^"]|"")*"|--[^\r\n]*', '', 'g') $$;
CREATE FUNCTION hint_of(statement text) RETURNS text LANGUAGE plpgsql AS
$$ DECLARE h text; BEGIN EXECUTE statement; RETURN 'ok'; EXCEPTION WHEN OTHERS THEN GET STACKED DIAGNOSTICS h = PG_EXCEPTION_HINT; RETURN h; END $$;
-- each word that begins with a dollar is such a name
CREATE PROCEDURE run(statements text) LANGUAGE plpgsql AS
$$ BEGIN EXECUTE (SELECT string_agg(CASE WHEN i % 2 = 0 THEN quote_ident(odd(w)) ELSE w END, '' ORDER BY i) FROM unnest(string_to_array(regexp_replace(statements, '\$(\w+)', '@\1@', 'g'), '@')) WITH ORDINALITY AS u (w, i)); END $$;
SELECT is(run_of(E'SELECT ''a\nEVIL'', "b\nEVIL"; -- c\rEVIL'), E'SELECT , ; \rEVIL', 'run_of');

CALL run($$CREATE ROLE $ro; CREATE SCHEMA $s; GRANT USAGE ON SCHEMA $s TO PUBLIC;
	CREATE TABLE $s.$p ($id int PRIMARY KEY, $sex text NOT NULL CHECK ($sex IN ('F', 'M')), UNIQUE ($id, $sex));
	CREATE TABLE $s.$book ($id int PRIMARY KEY, $kind text CHECK ($kind IN ('a', 'b')), $few text, $weight float8);
	CREATE TABLE $s.$plain ($id int PRIMARY KEY, $words text, $pid int NOT NULL REFERENCES $s.$p, $book int NOT NULL REFERENCES $s.$book, $w boolean NOT NULL);
	CREATE TABLE $s.$twice ($id int PRIMARY KEY, $plain int NOT NULL REFERENCES $s.$plain, $pid int NOT NULL REFERENCES $s.$p, $w boolean NOT NULL);
	CREATE TABLE $s.$link ($pid int REFERENCES $s.$p, $book int REFERENCES $s.$book, $w boolean NOT NULL, PRIMARY KEY ($pid, $book));
	CREATE TABLE $s.$free ($id int PRIMARY KEY, $pid int NOT NULL REFERENCES $s.$p, $w boolean NOT NULL);
	CREATE TABLE $s.$bytes ($id bytea CONSTRAINT $pk PRIMARY KEY, $pid int CONSTRAINT $fk REFERENCES $s.$p, $w boolean NOT NULL);
	CREATE TABLE $s.$below ($id int PRIMARY KEY, $of bytea CONSTRAINT $fk REFERENCES $s.$bytes, $w boolean NOT NULL);
	CREATE TABLE $s.$two ($a int, $b int, PRIMARY KEY ($a, $b)); CREATE TABLE $s.$pair ($id int PRIMARY KEY, $pid int NOT NULL REFERENCES $s.$p, $a int NOT NULL, $b int NOT NULL, FOREIGN KEY ($a, $b) REFERENCES $s.$two, $w boolean NOT NULL);
	CREATE TABLE $s.$gone2 ($id int PRIMARY KEY, $pid int REFERENCES $s.$p, $sex2 text, CONSTRAINT $fk FOREIGN KEY ($pid, $sex2) REFERENCES $s.$p ($id, $sex), $w boolean NOT NULL);
	CREATE TABLE $s.$gone ($id int PRIMARY KEY, $pid int CONSTRAINT $fk REFERENCES $s.$p, $w boolean NOT NULL);
	CREATE TABLE $s.$alone ($id int PRIMARY KEY, $book int REFERENCES $s.$book, $some_id_ int, $point point, $from date, $until date, $total_ int, $net_ int, $tax_ int, $name text, $far timestamp(6), $t text, $old text CHECK ($old IN ('a')));
	CREATE TABLE $s.$keyed ($id int PRIMARY KEY, $book int REFERENCES $s.$book);
	ALTER TABLE $s.$book OWNER TO printed_bo; GRANT SELECT ON $s.$book TO PUBLIC;
	CREATE TABLE $s.$others ($id int PRIMARY KEY, $pid int REFERENCES $s.$p); ALTER TABLE $s.$others OWNER TO $ro;
	CREATE EXTENSION postgres_fdw; CREATE SERVER $server FOREIGN DATA WRAPPER postgres_fdw; CREATE FOREIGN TABLE $s.$far ($id int, $w boolean) SERVER $server$$);
CREATE FUNCTION t(name text) RETURNS text IMMUTABLE LANGUAGE sql AS $$ SELECT format('%I.%I', odd('s'), odd(name)) $$;
SELECT pegs_set_parent(t(c), t(p), ARRAY[odd(k)]::name[], '{0, 1, 2}', 3)
	FROM (VALUES (1, 'plain', 'p', 'pid'), (2, 'twice', 'plain', 'plain'), (3, 'link', 'p', 'pid'), (4, 'bytes', 'p', 'pid'), (5, 'below', 'bytes', 'of'), (6, 'gone', 'p', 'pid') , (7, 'others', 'p', 'pid'), (8, 'pair', 'p', 'pid')) AS v (i, c, p, k) ORDER BY i;
SELECT pegs_set_parent(t('gone2'), t('p'), ARRAY[odd('pid'), odd('sex2')]::name[], '{0, 1, 2}', 3);
SELECT pegs_set_budget(t('p'), 1, 1e-6), pegs_set_budget(t('alone'), 1, 1e-6), pegs_set_budget(t('keyed'), 1), pegs_set_budget(t('far'), 1);
CALL run($$ALTER TABLE $s.$gone DROP $pid; ALTER TABLE $s.$gone2 DROP $sex2, DROP $pid; INSERT INTO $s.$book VALUES (1, 'a', 'x', 1), (2, 'b', 'y', NULL)$$);
SELECT pegs_set_lookup(t('keyed'), odd('book'), t('book'), odd('id'), via => ARRAY[odd('kind')]::name[], weight => odd('weight'));
CALL run($$UPDATE $s.$book SET $weight = -1$$);
SELECT pegs_set_levels(t('alone'), odd('t'), ARRAY['a']);
CALL run($$ALTER TABLE $s.$alone RENAME $t TO $other$$);

CREATE TABLE printed (what text, words text);
INSERT INTO printed
	SELECT 'pegs_schema, ' || source, remedy FROM pegs_schema(t('p'))
	UNION ALL SELECT 'pegs_domain, ' || oid::regclass || ', ' || column_name, remedy FROM pg_class, pegs_domain(oid) WHERE relnamespace::regnamespace::text = quote_ident(odd('s')) AND relkind IN ('r', 'f')
	UNION ALL SELECT 'pegs_propose, ' || oid::regclass, p FROM pg_class, pegs_propose(oid) AS p WHERE relnamespace::regnamespace::text = quote_ident(odd('s')) AND relkind IN ('r', 'f')
	UNION ALL SELECT 'pegs_propose learns, ' || oid::regclass, p FROM pg_class, pegs_propose(oid, 0.5, 1e-7) AS p WHERE relnamespace::regnamespace::text = quote_ident(odd('s')) AND relkind IN ('r', 'f')
	UNION ALL SELECT 'pegs_health, ' || item, remedy FROM pegs_health()
	UNION ALL SELECT 'hint, ' || statement, hint_of(statement) FROM (SELECT format('SELECT pegs_fit_schema(''m'', %L, tables => %L, epsilon => 0.5)', t('p'), ARRAY[odd('p')] || odd(names)) AS statement
		FROM unnest(ARRAY['plain', 'link', 'bytes', 'gone', 'others', 'free']) AS names
		UNION ALL SELECT format('SELECT pegs_fit_schema(''m'', %L, epsilon => 0.5)', t('p'))
		UNION ALL SELECT format('SELECT pegs_fit(''m'', %L, epsilon => 0.5)', t(names)) FROM unnest(ARRAY['p', 'alone', 'keyed', 'far', 'book', 'others']) AS names
		UNION ALL SELECT format('SELECT pegs_set_parent(%L, %L)', t(a), t(b)) FROM unnest(ARRAY['p', 'alone', 'book', 'plain', 'far']) AS a, unnest(ARRAY['p', 'book', 'plain', 'alone']) AS b) AS s;
DELETE FROM printed WHERE words IS NULL;

SELECT is(string_agg(what || ': ' || words, E'\n'), NULL, 'no statement begins in a name') FROM printed WHERE run_of(words) ~ 'EVIL';
-- and it was asked of these
SELECT cmp_ok(count(*), '>=', 60::bigint, 'many texts') FROM printed WHERE words ~ 'EVIL';
SELECT is((SELECT string_agg(word, ', ') FROM unnest(ARRAY['-- if that table is public: ', '-- or it comes out NULL: ', 'it comes out NULL then', '-- if it is always the row of ', '-- children: where classes',
	'-- lets it go', '-- each key of a level is as likely then', ' refers to table ', '-- if rows of ', '-- if .* is never before', '-- if .* is always the sum of others', ' belong to no row of ',
	'-- by its name', '-- SELECT pegs_set_levels', '-- SELECT pegs_set_bins', '-- or, of many keys', 'ALTER SERVER', 'GRANT|ALTER TABLE .* OWNER']) AS word
	WHERE NOT EXISTS (SELECT FROM printed WHERE words ~ word)), NULL, 'each comment is among them');

---- as it was found: what pegs_schema says is sent by \gexec
DROP SCHEMA IF EXISTS found CASCADE; CREATE SCHEMA found AUTHORIZATION printed_al; GRANT USAGE, CREATE ON SCHEMA found TO printed_bo;
SELECT pegs_allow('printed_al');
SET ROLE printed_al;
SET search_path = found, public;
CREATE TABLE p (id int PRIMARY KEY, sex text CHECK (sex IN ('F', 'M')));
RESET ROLE; SET ROLE printed_bo;
CREATE TABLE book (id int PRIMARY KEY); GRANT SELECT, REFERENCES ON book TO PUBLIC;
RESET ROLE; SET ROLE printed_al;
CREATE TABLE c (id int PRIMARY KEY, pid int REFERENCES p, book int NOT NULL REFERENCES book, w boolean);
SELECT pegs_set_parent('c', 'p', children => '{0, 1, 2}', at_most => 3);
RESET ROLE; SET ROLE printed_bo;
ALTER TABLE book RENAME TO "bk
GRANT ALL ON p, c TO printed_bo; --";
RESET ROLE; SET ROLE printed_al;
SELECT remedy FROM pegs_schema('p') WHERE remedy IS NOT NULL \gexec
RESET ROLE;
SELECT is(has_table_privilege('printed_bo', 'p', 'SELECT'), false, 'nothing of it was run');
SELECT isnt((SELECT remedy FROM pegs_schema('p') WHERE source = 'c'::regclass), NULL, 'and it was said');
SELECT * FROM finish();
