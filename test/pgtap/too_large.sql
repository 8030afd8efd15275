-- What is too large to be kept, or to be read again: refused before a charge, in words of ours. Few labels, but long ones.
SET client_min_messages = warning;
CREATE EXTENSION pegs;
SELECT plan(13);
\ir lib/said.sql
CREATE FUNCTION peak() RETURNS bigint LANGUAGE sql AS
$$ SELECT substring(pg_read_file('/proc/self/status', 0, 10000) FROM 'VmHWM:\s*(\d+)')::bigint / 1024 $$;

---- a combination of many values: one encoder for all of them, not one for each

CREATE TABLE coded (code text NOT NULL, n numeric NOT NULL, b boolean NOT NULL);
SELECT pegs_set_levels('coded', 'code', array_agg('c' || i ORDER BY i)), pegs_set_levels('coded', 'n', array_agg(i::text ORDER BY i)) FROM generate_series(1, 30000) AS i;
SELECT pegs_forbid('coded', '{"code": ["c1", "c2"], "b": true}');
CREATE TABLE before AS SELECT peak() AS mb;
SELECT is(said($$SELECT pegs_forbid('coded', jsonb_build_object('code', (SELECT jsonb_agg('c' || i) FROM generate_series(1, 300) AS i), 'n', (SELECT jsonb_agg(i) FROM generate_series(1, 300) AS i)))$$),
	'ok', 'a combination of 600 values');
SELECT cmp_ok(peak() - (SELECT mb FROM before), '<', 100::bigint, 'needs as much memory as one of a few');
SELECT is(said($$SELECT pegs_forbid('coded', jsonb_build_object('b', true, 'code', (SELECT jsonb_agg('c' || i) FROM generate_series(1, 30000) AS i WHERE i % 3 > 0)))$$),
	'54000 | the combination is too large to be kept | Compressed, one may have about 2700 bytes: some hundred values. | Forbid it in parts, each with some of the values: together they forbid the same.', 'more than an index takes');
SELECT is((SELECT count(*) FROM pegs_internal.forbidden), 2::bigint, 'and is not kept');
SELECT cmp_ok(peak() - (SELECT mb FROM before), '<', 100::bigint, '20,000 values neither');

---- a key that is named twice

SELECT is(said($$SELECT FROM pegs_disclosure('coded', 'coded', array_fill('b'::name, ARRAY[200000]), 'code')$$), '42701 | column "b" is named twice | Name every column once.', 'a key that is named twice');
SELECT is(said($$SELECT FROM pegs_k_anonymity('coded', ARRAY['b', 'code', 'b'])$$), '42701 | column "b" is named twice | Name every column once.', 'of pegs_k_anonymity, too');

---- a domain that could not be read again: with parents that could be chosen, of names that are six times as long when they are written

DO $$ BEGIN
	EXECUTE (SELECT 'CREATE TABLE many (' || string_agg(quote_ident(repeat(E'\x01', 60) || i) || ' boolean NOT NULL', ', ') || ')' FROM generate_series(100, 999) AS i);
END $$;
SELECT pegs_set_budget('many', epsilon => 10);
SELECT is(said($$SELECT pegs_fit('wide', 'many', structure_epsilon => 0.1, max_parents => 900)$$), '54000 | the domain of the model is too large | As text, with the parents that could be chosen, it could have 297673278 bytes; at most 250000000 can be read again. | Name fewer columns, or declare fewer or shorter levels.', 'parents that would be chosen');
SELECT is((SELECT spent FROM pegs_budgets WHERE source = 'many'::regclass), 0::numeric, 'nothing was charged');

---- of several tables, whose text has each level twice

CREATE TABLE root (id int PRIMARY KEY, a text NOT NULL);
CREATE TABLE leaf (root int NOT NULL REFERENCES root, b boolean NOT NULL);
INSERT INTO root VALUES (1, 'x');
INSERT INTO leaf VALUES (1, true);
SELECT pegs_set_budget('root', epsilon => 10);
SELECT pegs_set_parent('leaf', 'root', children => '{0, 1}', at_most => 1);
SELECT pegs_set_levels('root', 'a', ARRAY['x', repeat('"', 62600000)]);
SELECT is(said($$SELECT pegs_fit_schema('m', 'root', epsilon => 1)$$), '54000 | the domain of the model is too large | As text it has 250400852 bytes; at most 250000000 can be read again. | Name fewer columns, or declare fewer or shorter levels.', 'several tables');
SELECT is((SELECT spent FROM pegs_budgets WHERE source = 'root'::regclass), 0::numeric, 'nothing was charged');
SELECT is((SELECT count(*) FROM pegs_models), 0::bigint, 'and there is no model');
SELECT pegs_set_levels('root', 'a', ARRAY['x', repeat('"', 1000000)]);
SELECT is(said($$SELECT pegs_fit_schema('m', 'root', epsilon => 1)$$), 'ok', 'a shorter one is fitted');
SELECT * FROM finish();
