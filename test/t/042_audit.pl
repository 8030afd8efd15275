# long: run by make test-all (test/run long), not by make test
# pegs_audit: what it audits besides tables of single rows (024_broken.pl shows that it can say no), what it changes (nothing),
# and the way to it from 0.2.0: the old function by the new library, the grants that it had.
use strict;
use warnings;
use Test::More;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use PegsLedger;

my $node = PostgreSQL::Test::Cluster->new('audit');
$node->init;
$node->append_conf('postgresql.conf', "autovacuum = off\nfsync = off\nclient_min_messages = warning\n");
$node->start;
sub value { my ($sql, $database) = @_; return $node->safe_psql($database || 'postgres', $sql) }

# ---- from 0.2.0 ----

value(q{CREATE ROLE curator LOGIN; CREATE ROLE "Chief Auditor" LOGIN; CREATE ROLE helper LOGIN; CREATE ROLE nobody LOGIN;
	GRANT CREATE ON SCHEMA public TO curator; CREATE EXTENSION pegs VERSION '0.2.0'});
my $old = 'pegs_audit(text, int, double precision)';
value(qq{GRANT EXECUTE ON FUNCTION pegs_set_budget, pegs_fit TO curator; GRANT EXECUTE ON FUNCTION $old TO curator;
	GRANT EXECUTE ON FUNCTION $old TO "Chief Auditor" WITH GRANT OPTION; SET ROLE "Chief Auditor"; GRANT EXECUTE ON FUNCTION $old TO helper});
value(q{SET ROLE curator; CREATE TABLE t (a boolean NOT NULL, b int NOT NULL CHECK (b IN (1, 2, 3)));
	INSERT INTO t SELECT i % 3 = 0, i % 2 + 1 FROM generate_series(1, 200) AS i;
	SELECT pegs_set_budget('t', 100, 1e-6); SELECT pegs_fit('noisy', 't', epsilon => 1, delta => 1e-9);
	SELECT pegs_fit('sealed', 't', parents => '{"b": ["a"]}')});
my $seen = q{holds, runs_made, share BETWEEN 0 AND 1 AND share_neighbour BETWEEN 0 AND 1, event LIKE 'log likelihood ratio %', guarantee};
is(value("SELECT $seen FROM pegs_audit('noisy', 200)"), 't|200|t|t|none', "0.2.0's function, by the new library: a fit");
is(value("SELECT $seen FROM pegs_audit('sealed', 200, 3)"), 't|200|t|t|none', "0.2.0's function: a sample");
is(value("SELECT count(*) FROM pegs_audit('noisy', 100) AS a, json_each(row_to_json(a))"), 9, 'with the columns that it had');

my $rights = q{SELECT string_agg(format('%s%s', a.grantee::regrole, CASE WHEN a.is_grantable THEN '*' END), ' ' ORDER BY a.grantee::regrole::text COLLATE "C")
	FROM pg_proc AS p, aclexplode(p.proacl) AS a WHERE proname = 'pegs_audit' AND a.grantee <> p.proowner};
my $before = value($rights);
is($before, '"Chief Auditor"* curator helper', 'rights on it');
value('ALTER EXTENSION pegs UPDATE');
is(value($rights), $before, 'the same rights on the new one');
is(value("SELECT count(*) FROM pegs_audit('noisy', 100) AS a, json_each(row_to_json(a))"), 13, 'which has more columns');
like(($node->psql('postgres', "SET ROLE nobody; SELECT pegs_audit('noisy', 100)"))[2], qr/permission denied/, 'and others have none');
is(value("SET ROLE curator; SELECT holds FROM pegs_audit('sealed', 200, n => 3)"), 't', 'the curator audits as before');
is(value("SELECT count(*) FROM pg_proc WHERE proname = 'pegs_audit'"), 1, 'the old one is gone');
# a grant that a script of an extension makes counts as the extension's, and is not dumped: these must be
my ($dump) = run_command([ 'pg_dump', '-s', '-d', $node->connstr('postgres') ]);
like($dump, qr/GRANT ALL ON FUNCTION public\.pegs_audit\(.*\) TO $_/, "a dump has the right of $_") for 'curator', '"Chief Auditor"', 'helper';
is(value(qq{DROP OWNED BY helper; DROP ROLE helper; $rights}), '"Chief Auditor"* curator', 'a role that had it can be dropped');

# ---- what it audits ----

value(q{SET ROLE curator;
	SELECT pegs_fit('pure', 't', epsilon => 0.5);
	SELECT pegs_fit('tail', 't', parents => '{}', tail_bits => 1);
	SELECT pegs_fit('chosen', 't');
	CREATE TABLE nobody (LIKE t INCLUDING CONSTRAINTS);
	SELECT pegs_set_budget('nobody', 100, 1e-6); SELECT pegs_fit('nobody', 'nobody', epsilon => 1, delta => 1e-9);
	SELECT pegs_fit('nobody, sealed', 'nobody', parents => '{}');
	CREATE VIEW some_rows AS SELECT b FROM t WHERE a; SELECT pegs_fit('some', 'some_rows', epsilon => 1)});
value(q{SELECT pegs_allow('curator'); SET ROLE curator;
	CREATE TABLE persons (id int, a boolean NOT NULL, b boolean NOT NULL);
	INSERT INTO persons SELECT i % 40, i % 3 = 0, i % 4 > 0 FROM generate_series(1, 200) AS i;
	SELECT pegs_set_budget('persons', 100, 1e-6), pegs_set_unit('persons', 'id', 4), pegs_forbid('persons', '{"a": "true", "b": "false"}');
	SELECT pegs_fit('persons', 'persons', ARRAY['a', 'b'], epsilon => 1, delta => 1e-9);
	SELECT pegs_fit('persons, pure', 'persons', ARRAY['a', 'b'], epsilon => 2);
	SELECT pegs_fit('persons, chosen', 'persons', ARRAY['a', 'b']);
	SELECT pegs_fit('persons, both ways', 'persons', ARRAY['a', 'b'], parents => '{"a": ["b"], "b": ["a"]}');
	CREATE TABLE equals AS TABLE persons; ALTER TABLE equals ALTER a SET NOT NULL, ALTER b SET NOT NULL;
	SELECT pegs_set_budget('equals', 100, 1e-6), pegs_set_unit('equals', 'id', weighting => 'person');
	SELECT pegs_fit('equals', 'equals', ARRAY['a', 'b'], epsilon => 1, delta => 1e-9);
	SELECT pegs_fit('equals, pure', 'equals', ARRAY['a', 'b'], epsilon => 1)});
for my $audit (
	"'noisy'", "'pure'", "'some'", "'nobody'", "'persons'", "'persons, pure'", "'equals'", "'equals, pure'",
	"'tail', epsilon => 2, n => 7, block => 3", "'chosen', n => 4", "'sealed', n => 10, block => 5, given => '{\"a\": true}'",
	"'nobody, sealed', block => 4", "'persons, chosen', epsilon => 0.3, n => 5, block => 2",
	"'persons, chosen', epsilon => 3, given => '{\"b\": true}'",
	# the rarest row of all is forbidden, and nothing that is drawn looks at it: another is attacked
	"'persons, both ways', n => 5")
{
	is(value("SET ROLE curator; SELECT holds, reason IS NULL, exact_epsilon > 0, exact_epsilon <= epsilon_claimed * 1.000000001 FROM pegs_audit($audit, runs => 300)"),
		't|t|t|t', "pegs_audit($audit)");
}
# a large epsilon is where the Gaussian reading is wrong (sigma below 1): it is shown, and holds does not go by it
is(value(q{SELECT pegs_fit('large', 't', columns => ARRAY['a'], epsilon => 30, delta => 1e-7)}), '', 'a fit at epsilon 30');
is(value(q{SELECT holds, gaussian_epsilon > epsilon_claimed, exact_epsilon <= epsilon_claimed FROM pegs_audit('large', 5000)}), 't|t|t',
	'its Gaussian reading is above the claim, and it holds');

# ---- its fits know the groups of levels that theirs knew, as they are declared now; where these are others it says so ----

value(q{CREATE TABLE grouped (c int NOT NULL CHECK (c IN (1, 2, 3, 4)), d boolean NOT NULL);
	INSERT INTO grouped SELECT 1 + i % 4, i % 3 = 0 FROM generate_series(1, 50) AS i;
	SELECT pegs_set_budget('grouped', 10), pegs_set_groups('grouped', 'c', '{"1": "a", "2": "a"}');
	SELECT pegs_fit('grouped', 'grouped', epsilon => 1)});
my $without = qr/NOTICE:  column "c" is audited without groups/;
for my $now ([ '{"1": "a", "2": "a"}', 0 ], [ '{"3": "b", "4": "b"}', 0 ], [ '{"1": "a", "3": "a"}', 1 ], [ undef, 1 ])
{
	my ($groups, $says) = @$now;
	my $words = defined $groups ? "'$groups'" : 'NULL';
	my ($rc, $out, $err) = $node->psql('postgres', "SET client_min_messages = warning; SELECT pegs_set_groups('grouped', 'c', $words); SET client_min_messages = notice; SELECT holds FROM pegs_audit('grouped', 100)");
	like($out, qr/^t$/m, "groups are $words: audited");
	is($err =~ $without ? 1 : 0, $says, 'and told, if it is without them') or diag($err);
}

# ---- one that takes long says so: after 5 seconds, then whenever it has taken twice as long ----

# until it has said so twice, however long that takes here
my $audit = bless({ node => $node, db => 'postgres' }, 'PegsLedger')->start_psql('curator', q{\set VERBOSITY default
	SET client_min_messages = notice; SELECT pegs_audit('sealed', 10000000, n => 10, block => 5);});
my $says = qr/NOTICE:  audit of "sealed": \d+ of 10000000 runs \(after (\d+) s\)\n(?:psql:\S* )?DETAIL:  About \d+ s more\.\n(?:psql:\S* )?HINT:  [^\n]*runs => 100/;
my @said;
while ((@said = $audit->{err} =~ /$says/g) < 2 && $audit->{run}->pumpable) { $audit->{run}->pump }
value("SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE query LIKE '%pegs_audit(%10000000%' AND pid <> pg_backend_pid()");
$audit->{run}->finish;
ok(@said == 2 && $said[0] >= 5 && $said[1] >= 2 * $said[0], "a long audit says how far it is (@said)") or diag($audit->{err});

# ---- what it changes: nothing ----

my $census = q{SELECT md5(string_agg(t::text, '|' ORDER BY t::text)) FROM (SELECT l::text AS t FROM pegs_ledger AS l UNION ALL SELECT b::text FROM pegs_budgets AS b
	UNION ALL SELECT m::text FROM pegs_models AS m UNION ALL SELECT x.md5 FROM (SELECT md5(body) FROM pegs_internal.body) AS x) AS t};
my $was = value($census);
value(q{SELECT pegs_audit('noisy', 100), pegs_audit('sealed', 100, n => 5, block => 2), pegs_audit('chosen', 100), pegs_audit('persons', 100)});
is(value($census), $was, 'nothing is charged, nothing is stored, the tables of a model stay as they are');
# the tables that a session keeps of a sealed model are shared: an audit works on a copy
is(value(q{SELECT pegs_audit('sealed', 100); SELECT neighbours FROM pegs_verify('sealed')} ) =~ s/.*\n//sr,
	value(q{SELECT neighbours FROM pegs_verify('sealed')}), 'and so do those that a session keeps');

$node->stop;
done_testing();
