# PegsCostly: the most expensive arguments for everything that PUBLIC may call, and what they need.
#
#   PegsCostly::set_up()       SQL of a superuser: models of many levels, rows, states, texts
#   PegsCostly::calls()        [name, SQL], for a role that has nothing but grants of models
#   PegsCostly::fits()         [name, SQL], for a curator: what is spent in the core alone
#   PegsCostly::late()         likewise: what comes after a long reading
#   PegsCostly::cpu_ms($pid)   what a backend has used, in milliseconds; undef where the system does not say
#
# For test/t/038_stop.pl (is each of them stopped by a timeout?) and bench/stop (how soon after a cancel?).
package PegsCostly;

use strict;
use warnings;

sub set_up
{
	return q{
CREATE TABLE deep (x numeric NOT NULL, y timestamptz NOT NULL); CREATE TABLE heavy (} . join(', ', map { "c$_ int NOT NULL" } 1 .. 12) . q{);
INSERT INTO deep SELECT i, '2000-01-01'::timestamptz + i * interval '1 minute' FROM generate_series(1, 100) AS i;
INSERT INTO heavy SELECT } . join(', ', map { "i * $_" } 1 .. 12) . q{ FROM generate_series(1, 1000) AS i;
SELECT pegs_set_bins('deep', 'x', (SELECT array_agg((i * 0.5)::text ORDER BY i) FROM generate_series(0, 20000) AS i));
SELECT pegs_set_bins('deep', 'y', (SELECT array_agg(('2000-01-01'::timestamptz + i * interval '1 hour')::text ORDER BY i) FROM generate_series(0, 1000) AS i));
SELECT pegs_set_bins('heavy', c::name, (SELECT array_agg(i::text ORDER BY i) FROM generate_series(0, 30000) AS i))
FROM unnest(ARRAY[} . join(', ', map { "'c$_'" } 1 .. 12) . q{]) AS c;
SELECT pegs_set_budget('deep', 1000000, 1e-6), pegs_set_budget('heavy', 1000000000);
SELECT pegs_fit('deep', 'deep', ARRAY['x'], epsilon => 1), pegs_fit('heavy', 'heavy', parents => '{}');
SELECT pegs_grant('deep', 'public'), pegs_grant('heavy', 'costly', epsilon => 100000000);
SELECT pegs_release('deep rows', 'deep', 3000000), pegs_release('heavy rows', 'heavy', 2000, 1, 2000);
SELECT pegs_grant('deep rows', 'public'), pegs_grant('heavy rows', 'public');
CREATE DOMAIN many AS numeric CHECK (VALUE >= 0); CREATE TYPE deep_row AS (x many);
CREATE TABLE wide_row (} . join(', ', map { "w$_ int" } 1 .. 1500) . q{, x numeric);
CREATE TABLE given (what text, spec text, state pegs_state);
ALTER TABLE given ALTER COLUMN spec SET STORAGE EXTERNAL;
INSERT INTO given SELECT 'times', '{"pegs":1,"tables":"pairs","columns":[' || (SELECT string_agg(format('{"name":"c%s","type":"timestamp with time zone","null":false,"edges":[%s]}', c, e), ',')
	FROM generate_series(1, 4) AS c) || ']}' FROM (SELECT string_agg('"' || to_char('2000-01-01'::timestamp + i * interval '1 hour', 'YYYY-MM-DD HH24:MI:SS') || '+00"', ',' ORDER BY i) AS e FROM generate_series(1, 65000) AS i) AS x;
INSERT INTO given SELECT 'longer times', '{"pegs":1,"tables":"pairs","columns":[' || (SELECT string_agg(format('{"name":"c%s","type":"timestamp with time zone","null":false,"edges":[%s]}', c, e), ',')
	FROM generate_series(1, 12) AS c) || ']}' FROM (SELECT string_agg('"' || to_char('2000-01-01'::timestamp + i * interval '1 hour', 'YYYY-MM-DD HH24:MI:SS') || '+00"', ',' ORDER BY i) AS e FROM generate_series(1, 65000) AS i) AS x;
INSERT INTO given SELECT 'texts', format('{"pegs":1,"tables":"pairs","columns":[{"name":"a","type":"text","null":false,"levels":[%s]}]}',
	string_agg(format('"a long beginning %s and a long end"', i), ',' ORDER BY i)) FROM generate_series(1, 65000) AS i;
INSERT INTO given SELECT 'numbers', format('{"pegs":1,"tables":"conditional","tail_bits":0,"columns":[%s]}', (SELECT string_agg(format('{"name":"c%s","type":"numeric","null":false,"levels":[%s],"parents":[]}', c, e), ',')
	FROM generate_series(1, 8) AS c)) FROM (SELECT string_agg(format('"%s.%s"', i, repeat('7', 6)), ',' ORDER BY i) AS e FROM generate_series(1, 60000) AS i) AS x;
INSERT INTO given SELECT 'forbidden', format('{"pegs":1,"tables":"pairs","columns":[{"name":"a","type":"int","null":false,"levels":[%s]}],"forbidden":[%s]}',
	string_agg(format('"%s"', i), ',' ORDER BY i), (SELECT string_agg('[["a",1,2,3]]', ',') FROM generate_series(1, 65000))) FROM generate_series(1, 65000) AS i;
INSERT INTO given SELECT 'parents', format('{"pegs":1,"tables":"conditional","tail_bits":0,"columns":[%s]}', (SELECT string_agg(format('{"name":"c%s","type":"int","null":false,"levels":["1"],"parents":[%s]}', c,
	(SELECT string_agg(format('"c%s"', p), ',') FROM generate_series(1, 900) AS p WHERE p <> c)), ',') FROM generate_series(1, 900) AS c));
INSERT INTO given SELECT 'cells', format('{"pegs":1,"tables":"pairs","columns":[%s]}', string_agg(format('{"name":"c%s","type":"int","null":false,"edges":[%s]}', c,
	(SELECT string_agg(format('"%s"', i), ',' ORDER BY i) FROM generate_series(0, 4000) AS i)), ',')) FROM generate_series(1, 3) AS c;
UPDATE given SET state = (SELECT pegs_agg(g.spec, 1, 1, 1) FROM given AS g WHERE g.what = 'cells') WHERE what = 'cells';
GRANT SELECT ON given TO costly;
CREATE TABLE broad (} . join(', ', map { "b$_ int NOT NULL CHECK (b$_ IN (0, 1, 2, 3, 4, 5, 6, 7, 8, 9))" } 1 .. 120) . q{);
INSERT INTO broad SELECT } . join(', ', map { sprintf '(i * %d / 7 + i * i / %d) %% 10', $_ % 13 + 1, $_ % 5 + 1 } 1 .. 120) . q{ FROM generate_series(1, 2000) AS i;
SELECT pegs_set_budget('broad', 1000000, 1e-6);
SELECT pegs_fit('broad', 'broad', epsilon => 1, delta => 1e-9);
SELECT pegs_grant('broad', 'public');
SELECT pegs_score_fit('grove', 'broad', 'b1', ARRAY['1'], epsilon => 1000, method => 'forest', options => '{"trees": 1000, "depth": 9}');
SELECT pegs_grant('grove', 'public');
CREATE TABLE fine (f1 int NOT NULL, f2 int NOT NULL, f3 int NOT NULL, f4 int NOT NULL);
INSERT INTO fine SELECT i % 2000, i * 7 % 2000, i * i % 2000, i * 3 % 2000 FROM generate_series(1, 20000) AS i;
SELECT pegs_set_bins('fine', f::name, (SELECT array_agg(i::text ORDER BY i) FROM generate_series(0, 2000) AS i)) FROM unnest(ARRAY['f1', 'f2', 'f3', 'f4']) AS f;
SELECT pegs_set_budget('fine', 1000000, 1e-6);
CREATE TABLE cells (a int NOT NULL, b int NOT NULL, c int NOT NULL);
INSERT INTO cells SELECT i % 400, i * 7 % 400, i * 3 % 400 FROM generate_series(1, 20000) AS i;
SELECT pegs_set_bins('cells', c::name, low => 0, high => 400, bins => 400) FROM unnest(ARRAY['a', 'b', 'c']) AS c;
SELECT pegs_set_budget('cells', 1000000, 1e-6);
CREATE TABLE fewer AS SELECT * FROM cells;
SELECT pegs_set_bins('fewer', c::name, low => 0, high => 400, bins => 353) FROM unnest(ARRAY['a', 'b', 'c']) AS c;
SELECT pegs_set_budget('fewer', 1000000, 1e-6);
CREATE TABLE census AS SELECT (i % 2000)::int AS f1, (i * 7 % 2000)::int AS f2, (i * i % 2000)::int AS f3, (i * 3 % 2000)::int AS f4 FROM generate_series(1::bigint, 2000000) AS i;
CREATE TABLE masked (body bytea); ALTER TABLE masked ALTER COLUMN body SET STORAGE EXTERNAL;
INSERT INTO masked SELECT convert_to(repeat('PEGM', 125000000), 'SQL_ASCII');
CREATE TABLE fine_plan AS SELECT pegs_generalize('fine', ARRAY['f1', 'f2', 'f3', 'f4'], 2, method => 'local') AS plan;
CREATE TABLE ticks (at timestamptz NOT NULL, k int NOT NULL CHECK (k IN (0, 1)));
INSERT INTO ticks SELECT '2026-01-01Z'::timestamptz + i * interval '1 minute', i % 2 FROM generate_series(0, 17999) AS i;
CREATE TRIGGER zz_keep_slices BEFORE UPDATE ON ticks FOR EACH ROW EXECUTE FUNCTION pegs_keep_slices('at');
ALTER TABLE ticks ENABLE ALWAYS TRIGGER zz_keep_slices;
CREATE TABLE crowd AS SELECT i, i * 31 % 100 AS g, i % 1009 AS x, i % 7 AS z, i % 1300 AS many FROM generate_series(1, 200000) AS i;
CREATE TABLE crowds AS SELECT g, avg(x) AS s FROM crowd GROUP BY g;
GRANT SELECT ON crowd, crowds TO PUBLIC;
CREATE TABLE cohort (y1 boolean NOT NULL, y2 boolean NOT NULL, y3 boolean NOT NULL, a int NOT NULL CHECK (a IN (0, 1, 2, 3, 4, 5, 6)), b int NOT NULL CHECK (b IN (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10)));
INSERT INTO cohort SELECT i % 3 = 0, i * i % 5 > 1, i % 11 > 4, i * i % 7, i % 11 FROM generate_series(1::bigint, 1500000) AS i;
SELECT pegs_set_budget('cohort', 1000, 1e-6);
SELECT pegs_fit('cohort', 'cohort', epsilon => 1, delta => 1e-9);
SELECT pegs_set_budget('ticks', 10);
SELECT pegs_set_slices('ticks', 'at', '1 hour', '2026-01-01', epsilon => 5);
SELECT pegs_fit_slices('ticks', 'ticks', most => 300);
SELECT pegs_grant('ticks', 'public');
CREATE TABLE tocks (r text NOT NULL, k int NOT NULL CHECK (k IN (0, 1)));
CREATE TRIGGER zz_keep_slices BEFORE UPDATE ON tocks FOR EACH ROW EXECUTE FUNCTION pegs_keep_slices('r');
ALTER TABLE tocks ENABLE ALWAYS TRIGGER zz_keep_slices;
SELECT pegs_set_budget('tocks', 100);
SELECT pegs_set_slices('tocks', 'r', 5, 0, (SELECT array_agg('region ' || i) FROM generate_series(1, 65000) AS i));
SELECT pegs_fit_slices('tocks', 'tocks', most => 100);
SELECT pegs_grant('tocks', 'public')};
}

sub calls
{
	my $big = 60_000_000;
	my $agg = sub { my ($what, @arguments) = @_; return 'SELECT pegs_agg(spec, ' . join(', ', @arguments) . ") IS NULL FROM given WHERE what = '$what'" };

	return (
		[ 'pegs_agg, 260,000 edges for one argument', $agg->('times', 1) ],
		[ 'pegs_agg, 780,000 edges for one argument', $agg->('longer times', 1) ],
		[ 'pegs_agg, 260,000 edges', $agg->('times', ('NULL::timestamptz') x 4) ],
		[ 'pegs_agg, 780,000 edges', $agg->('longer times', ('NULL::timestamptz') x 12) ],
		[ 'pegs_agg, 65,000 texts that begin and end alike', $agg->('texts', q{''::text}) ],
		[ 'pegs_agg, 480,000 numerics', $agg->('numbers', ('1.0') x 8) ],
		[ 'pegs_agg, 65,000 forbidden combinations', $agg->('forbidden', '1') ],
		[ 'pegs_agg, 900 columns with 899 parents each', $agg->('parents', '1') ],
		[ 'pegs_agg, 48 million cells', $agg->('cells', 1, 1, 1) ],
		[ 'pegs_agg, 48 million cells, groups', q{SELECT count(s) FROM (SELECT pegs_agg(spec, i, i, i) AS s FROM given, generate_series(1, 8) AS i WHERE what = 'cells' GROUP BY i) AS x} ],
		[ 'pegs_agg_persons, a person of many rows', q{SELECT pegs_agg_persons('{"pegs":1,"tables":"pairs","columns":[{"name":"a","type":"integer","levels":["1","2"],"null":false}]}'::json, 1000, true, 23, true, 7, 1) IS NULL FROM generate_series(1, 20000000)} ],
		[ 'pegs_agg_persons, many persons', q{SELECT pegs_agg_persons('{"pegs":1,"tables":"pairs","columns":[{"name":"a","type":"integer","levels":["1","2"],"null":false}]}'::json, 1000, true, 23, true, i, 1 + i % 2) IS NULL FROM generate_series(1, 20000000) AS i} ],
		[ 'pegs_merge', q{SELECT pegs_merge(state) IS NULL FROM given, generate_series(1, 8) WHERE what = 'cells'} ],
		[ 'pegs_state as text', q{SELECT length(state::text) FROM given WHERE what = 'cells'} ],
		[ 'pegs_state from text', q{SELECT count(t::pegs_state) FROM (SELECT state::text AS t FROM given WHERE what = 'cells' OFFSET 0) AS x} ],
		[ 'pegs_state from digits', "SELECT ('\\x' || repeat('5045475301000100', $big))::pegs_state" ],
		[ 'pegs_state from spaces', "SELECT ('\\x' || repeat(' ', 10 * $big))::pegs_state" ],
		[ 'pegs_state from letters', "SELECT repeat('letters ', $big)::pegs_state" ],
		[ 'pegs_combine', 'SELECT pegs_combine(array_fill(1::float8, ARRAY[2000000]), array_fill(1::float8, ARRAY[2000000]))' ],
		[ 'pegs_dirichlet_matrix', 'SELECT count(*) FROM generate_series(1, 1000), pegs_dirichlet_matrix(2, 1, 1023, 1023)' ],
		[ 'pegs_dirichlet_risk', 'SELECT sum(value) FROM generate_series(1, 1000) AS i, pegs_dirichlet_risk(11, i, 3, 3, 1)' ],
		[ 'pegs_dirichlet_validity', 'SELECT sum(mse) FROM generate_series(1, 1000) AS i, pegs_dirichlet_validity(2, i, 524287, 1)' ],
		[ 'pegs_dirichlet_alpha', 'SELECT sum(pegs_dirichlet_alpha(i, 1e-18, NULL, 2147483647)) FROM generate_series(1, 1000000) AS i' ],
		[ 'pegs_sample, many rows', q{SELECT count(*) FROM pegs_sample('deep', 9000000000000000000) AS t(x numeric)} ],
		# one batch, which is made in the core from its first row to its last
		[ 'pegs_sample, 120 columns', q{SELECT count(*) FROM pegs_sample('broad', 131072) AS t(b1 int)} ],
		[ 'pegs_sample, many independent rows', q{SELECT count(*) FROM pegs_sample('deep', 9000000000000000000, options => '{"draw": "independent"}') AS t(x numeric)} ],
		[ 'pegs_sample, sealed', q{SELECT count(*) FROM pegs_sample('heavy', 1000000, 1000, 1000000) AS t(c1 int)} ],
		[ 'pegs_sample, something given', q{SELECT count(*) FROM pegs_sample('heavy', 1000000, 1000, 1000000, given => '{"c1": 7}') AS t(c2 int)} ],
		[ 'pegs_sample, a long number given', "SELECT count(*) FROM pegs_sample('deep', 1, given => jsonb_build_object('x', repeat('9', $big))) AS t(x numeric)" ],
		[ 'pegs_sample, a long name given', "SELECT count(*) FROM pegs_sample('deep', 1, given => jsonb_build_object(repeat('x', $big), 1)) AS t(x numeric)" ],
		[ 'pegs_sample, a long option', "SELECT count(*) FROM pegs_sample('deep', 1, options => jsonb_build_object(repeat('x', $big), 1)) AS t(x numeric)" ],
		[ 'pegs_sample, a long value of an option', "SELECT count(*) FROM pegs_sample('deep', 1, options => jsonb_build_object('draw', repeat('x', $big))) AS t(x numeric)" ],
		[ 'pegs_sample, a long name', "SELECT count(*) FROM pegs_sample(repeat('deep', $big), 1) AS t(x numeric)" ],
		[ 'pegs_sample_as, 1,501 columns', q{SELECT count(*) FROM pegs_sample_as(NULL::wide_row, 'deep', 9000000000000000000)} ],
		[ 'pegs_sample_as, a domain', q{SELECT count(*) FROM pegs_sample_as(NULL::deep_row, 'deep', 9000000000000000000)} ],
		[ 'pegs_sample_slices', q{SELECT count(*) FROM generate_series(1, 1000000), LATERAL pegs_sample_slices('ticks') AS t(k int)} ],
		[ 'pegs_sample_slices, a long moment', "SELECT count(*) FROM pegs_sample_slices('ticks', since => repeat('9', $big)) AS t(k int)" ],
		[ 'pegs_sample_slices, many values', q{SELECT count(*) FROM generate_series(1, 1000), LATERAL pegs_sample_slices('tocks', slices => (SELECT array_agg('region ' || i) FROM generate_series(1, 65000) AS i)) AS t(k int)} ],
		[ 'pegs_sample_slices, more values than there can be', "SELECT count(*) FROM pegs_sample_slices('tocks', slices => array_fill('region 1'::text, ARRAY[10000000])) AS t(k int)" ],
		[ 'pegs_sample_slices_as', q{SELECT count(*) FROM generate_series(1, 1000000), LATERAL pegs_sample_slices_as(NULL::ticks, 'ticks')} ],
		[ 'pegs_keep_slices', 'SELECT pegs_keep_slices()' ],	# no trigger: an error
		[ 'pegs_release', q{SELECT pegs_release('costly rows', 'heavy', 1000000, 1000, 1000000)} ],
		[ 'pegs_release, a long name', "SELECT pegs_release(repeat('x', 3 * $big), 'deep', 1)" ],
		[ 'pegs_rows', q{SELECT count(*) FROM generate_series(1, 1000000), LATERAL pegs_rows('deep rows') AS t(x numeric)} ],
		[ 'pegs_rows, stored', q{SELECT count(*) FROM generate_series(1, 1000000), LATERAL pegs_rows('heavy rows') AS t(c1 int)} ],
		[ 'pegs_rows_as', q{SELECT count(*) FROM generate_series(1, 1000000), LATERAL pegs_rows_as(NULL::deep_row, 'deep rows')} ],
		[ 'pegs_cost', q{SELECT count(*) FROM generate_series(1, 1000000), LATERAL pegs_cost('heavy', 9000000000000000000, 1000000000)} ],
		(map { [ "$_, many levels", "SELECT max(length($_('heavy')::text))" ] } 'pegs_describe', 'pegs_row_type', 'pegs_certificate', 'pegs_certificate_text', 'pegs_summary'),
		(map { [ "$_, a long name", "SELECT $_(repeat('x', 10 * $big)) IS NULL" ] } 'pegs_describe', 'pegs_row_type', 'pegs_certificate', 'pegs_certificate_text', 'pegs_summary'),
		[ 'pegs_columns, many levels', "SELECT max(length(first_levels::text)) FROM pegs_columns('heavy', first => NULL)" ],
		[ 'pegs_pairs', q{SELECT count(*) FROM generate_series(1, 1000000), LATERAL pegs_pairs('deep')} ],
		# 1,000 trees of a thousand nodes
		[ 'pegs_score', q{SELECT sum(pegs_score('grove', '{"b2": 1, "b3": 2}'::jsonb)) FROM generate_series(1, 10000000)} ],
		[ 'pegs_score, a long value', "SELECT pegs_score('grove', jsonb_build_object('b2', repeat('9', $big)))" ],
		[ 'pegs_score, a long name', "SELECT pegs_score(repeat('x', 10 * $big), '{}'::jsonb)" ],
		[ 'pegs_score_card', q{SELECT count(*) FROM pegs_score_card('grove')} ],
		[ 'pegs_score_explain', q{SELECT count(*) FROM generate_series(1, 1000), pegs_score_explain('grove', '{"b2": 1, "b3": 2}'::jsonb)} ],
		[ 'pegs_score_sql', q{SELECT length(pegs_score_sql('grove', 'grove'))} ],
		[ 'pegs_score_sql, a long name', "SELECT length(pegs_score_sql('grove', repeat('x', 10 * $big)))" ],
		[ 'pegs_disaggregate', q{SELECT count(*) FROM pegs_disaggregate('crowd', 'i', '{"from": "crowds", "on": ["g"], "value": "s"}', ARRAY['x', 'z'], 'cudia', factors => ARRAY['z'], options => '{"classes": 64}')} ],
		[ 'pegs_disaggregate, many terms', q{SELECT count(*) FROM pegs_disaggregate('crowd', 'i', '{"from": "crowds", "on": ["g"], "value": "s"}', ARRAY['z', 'many'], factors => ARRAY['z', 'many'])} ],
		[ 'pegs_disaggregate_check', q{SELECT count(*) FROM pegs_disaggregate_check('crowd', '{"from": "crowds", "on": ["g"], "value": "s"}', ARRAY['many'], factors => ARRAY['many'])} ],
		[ 'pegs_drop, a long name', "SELECT pegs_drop(repeat('x', 10 * $big))" ],
		[ 'pegs_view_sql, long names', "SELECT pegs_view_sql(repeat('x', 10 * $big), repeat('x', $big))" ]);
}

# The rows are few, the cells many: after the bins, nothing but the core could look for a cancel. And a condition of many
# values is planned, where nothing but PostgreSQL could.
sub fits
{
	return ([ 'pegs_fit, 2,000 levels', q{SELECT pegs_fit('fine', 'fine', epsilon => 1000, delta => 1e-9)} ],
		# near 2^26: memory of half a gigabyte each is zeroed, read, wiped and given back
		[ 'pegs_fit, a table of 44 million cells', q{SELECT pegs_fit('never', 'fewer', epsilon => 1, method => 'table')} ],
		[ 'pegs_fit, a table of 64 million cells', q{SELECT pegs_fit('never', 'cells', epsilon => 1, method => 'table', options => '{"noise": "dirichlet", "rows": 100000}')} ],
		[ 'pegs_generalize, 20,736 combinations', q{SELECT pegs_generalize('fine', ARRAY['f1', 'f2', 'f3', 'f4'], suppress => 0.01)} ],
		[ 'pegs_generalize, 16,777,216 combinations', q{SELECT pegs_generalize('broad', (SELECT array_agg('b' || i) FROM generate_series(1, 24) AS i)::name[], 2000, 0.5)} ],
		[ 'pegs_generalize, local', q{SELECT pegs_generalize('fine', ARRAY['f1', 'f2', 'f3', 'f4'], method => 'local')} ],
		[ 'pegs_generalized', q{SELECT count(*) FROM fine_plan, pegs_generalized('fine', plan) AS t(f1 text)} ],
		[ 'pegs_equivalence_classes', q{SELECT count(*) FROM pegs_equivalence_classes('broad', (SELECT array_agg('b' || i) FROM generate_series(1, 120) AS i)::name[])} ],
		[ 'pegs_reconstruct', q{SELECT count(*) FROM pegs_reconstruct('crowd', 'x', '["g"]', ARRAY['z', 'i'], ARRAY['cudia', 'ludia'])} ],
		[ 'pegs_score_fit, 1,000 trees', q{SELECT pegs_score_fit('never', 'cohort', 'y1', ARRAY['true'], epsilon => 1, method => 'forest', options => '{"trees": 1000, "depth": 6}')} ],
		# three targets: a score of the model's rows, and one of each half of a million and a half
		[ 'pegs_internal.report_scores', q{SELECT count(*) FROM pegs_internal.report_scores('cohort', NULL)} ],
		[ 'pegs_fit_slices, 65,000 values', q{SELECT pegs_fit_slices('tocks', 'tocks', most => 65000)} ]);
}

sub late
{
	# the bytes are as many as the largest sealed model has
	return ([ 'pegs_internal.unmasked', q{SELECT length(pegs_internal.unmasked(body)) FROM masked} ],
		[ 'pegs_fit, a prior of 2,000,000 rows', q{SELECT pegs_fit('never', 'fine', method => 'marginals', options => '{"prior": "census"}')} ]);
}

sub cpu_ms
{
	my ($pid) = @_;
	open my $in, '<', "/proc/$pid/schedstat" or return;
	my ($ns) = split ' ', <$in>;
	close $in;
	return $ns / 1e6;
}

1;
