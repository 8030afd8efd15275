-- best: what a choice among models and releases compares, and odd arguments. What it charges and keeps to itself: test/t/054_best.pl.
SET client_min_messages = warning;
CREATE EXTENSION IF NOT EXISTS pegs;
CREATE SCHEMA best;
SET search_path = best, public;
SELECT * FROM no_plan();

-- what a call says, without what may be charged by it
CREATE FUNCTION said(call text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	before numeric := (SELECT spent FROM pegs_budgets WHERE source = 'best.t'::regclass);
	hint text;
	said text;
BEGIN
	EXECUTE call INTO said;
	RETURN said;
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_DETAIL;
	RETURN SQLSTATE || ' ' || SQLERRM || CASE WHEN hint = '' THEN '' ELSE ' (' || hint || ')' END
		|| CASE WHEN before IS DISTINCT FROM (SELECT spent FROM pegs_budgets WHERE source = 'best.t'::regclass) THEN ' (charged)' ELSE '' END;
END
$$;

---- hidden columns: the same bins of another zone are other columns
CREATE TABLE t (a boolean NOT NULL, at timestamptz NOT NULL);
INSERT INTO t SELECT i % 2 = 0, timestamptz '2024-01-01 06:00+00' + i * interval '1 hour' FROM generate_series(1, 500) AS i;
SELECT pegs_set_budget('t', 100);
SET timezone = 'Asia/Tokyo';
SELECT pegs_set_bins('t', 'at', '2024-01-01'::timestamptz, '2024-03-01'::timestamptz, 5, parts => '{date, hour}');
SELECT pegs_fit('tokyo', 't', epsilon => 1);
SET timezone = 'America/Lima';
SELECT pegs_set_bins('t', 'at', '2024-01-01'::timestamptz, '2024-03-01'::timestamptz, 5, parts => '{date, hour}');
SELECT pegs_fit('lima', 't', epsilon => 1), pegs_fit('lima, too', 't', epsilon => 1);
SELECT is(array_agg(column_name || ' ' || levels::text ORDER BY column_name), (SELECT array_agg(column_name || ' ' || levels::text ORDER BY column_name) FROM pegs_columns('lima')),
	'the parts are called the same, with as many levels') FROM pegs_columns('tokyo');
SELECT cmp_ok(length(said($$SELECT pegs_best('t', ARRAY['lima', repeat('x', 100000)], 0.1)$$)), '<', 500, 'a name of any length is not repeated as a whole');
SELECT is(said($$SELECT pegs_best('t', '{lima, tokyo}', 0.1)$$), '22023 fewer than two columns have the same levels in best.t and in all that are compared'
	' (Columns with other levels or time zones than those that are declared now: "at.date" ("tokyo"), "at.hour" ("tokyo").)', 'but they are of another zone: not compared');
SELECT matches(said($$SELECT pegs_best('t', '{lima, "lima, too"}', 0.1)$$), '^lima', 'of the same zone they are');

---- a choice that protects another unit than the model
CREATE TABLE p (who int NOT NULL, k int NOT NULL CHECK (k IN (1, 2)), l int NOT NULL CHECK (l IN (1, 2)));
INSERT INTO p SELECT i % 100, 1 + i % 2, 1 + i % 3 / 2 FROM generate_series(1, 600) AS i;
SELECT pegs_set_budget('p', 100), pegs_leave_out('p', 'who');
SELECT pegs_fit('one', 'p', epsilon => 1), pegs_fit('two', 'p', epsilon => 1);
SELECT pegs_best('p', '{one, two}', 0.5);
SELECT matches(pegs_certificate('one') ->> 'choice', '^epsilon 0.5, .* tells of all of them$', 'of one unit epsilons add up');
SELECT pegs_set_unit('p', 'who');
SELECT pegs_best('p', '{one, two}', 0.25);
SELECT matches(pegs_certificate('one') ->> 'choice', '^epsilon 0.75, .* tells of all of them; some of it protects another unit, so the sum is a guarantee of neither$', 'of two they do not');
SELECT matches(pegs_certificate_text('one'), 'guarantee of neither', 'in the text, too');
SELECT pegs_fit('three', 'p', epsilon => 1), pegs_fit('four', 'p', epsilon => 1);
SELECT pegs_best('p', '{three, four}', 0.25);
SELECT unalike(pegs_certificate('three') ->> 'choice', '%neither%', 'and of persons alone they do');
SELECT * FROM finish();
