# long: run by make test-all (test/run long), not by make test
# Where the rows of one session come from, no other session and no setseed() can say. A thousand sessions are opened within
# seconds, children of one postmaster that had the library in it: no two give the same first row. A-34.
use strict;
use warnings;
use Test::More;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;

my $sessions = 1000;
my $node = PostgreSQL::Test::Cluster->new('randomness');
$node->init;
# loaded before the fork: a generator with a state of its own would be the same in every child
$node->append_conf('postgresql.conf', "autovacuum = off\nshared_preload_libraries = 'pegs'\nmax_connections = 30\n");
$node->start;
# Two codes of 1,000 levels and a number inside a bin: 10^6 rows by codes alone, 10^21 with the number.
$node->safe_psql('postgres', q{
	CREATE EXTENSION pegs;
	CREATE TABLE visit (a int NOT NULL, b int NOT NULL, x float8 NOT NULL);
	SELECT pegs_set_levels('visit', c, levels => ARRAY(SELECT i::text FROM generate_series(1, 1000) AS i)) FROM unnest(ARRAY['a', 'b']::name[]) AS c;
	SELECT pegs_set_bins('visit', 'x', ARRAY['0', '1']);
	SELECT pegs_set_budget('visit', 1000);
	SELECT pegs_fit('sealed', 'visit', parents => '{}');
	SELECT pegs_fit('noisy', 'visit', epsilon => 1);
	CREATE TABLE first (what text, at timestamptz, a int, b int, x float8, PRIMARY KEY (what, x))});

my $as = 'AS t(a int, b int, x float8)';
my %from = (
	'sealed' => "pegs_sample('sealed', 1, epsilon => 0.001) $as",
	'perturbed, fresh' => "pegs_sample('noisy', 1, options => '{\"fresh\": true}') $as");

# ---- two runs after setseed ----

for my $what (sort keys %from)
{
	my $sql = "SELECT setseed(0.25); SELECT random(); SELECT md5(string_agg(t::text, ' ')) FROM " . $from{$what} =~ s/, 1,/, 20,/r;
	my @once = split /\n/, $node->safe_psql('postgres', $sql);
	my @again = split /\n/, $node->safe_psql('postgres', "$sql; $sql");

	is($once[1], $again[1], "A-34 $what: setseed works for random()");
	isnt($once[-1], $again[2], "A-34 $what: and not for rows of another session");
	isnt($again[2], $again[-1], "A-34 $what: nor for rows of the same session");
}
# Rows of a perturbed model are made to be the same at each call: then of any session, whatever its seed.
my $stable = "SELECT md5(string_agg(t::text, ' ')) FROM pegs_sample('noisy', 20) $as";
is($node->safe_psql('postgres', "SELECT setseed(0.25); $stable") =~ s/.*\n//sr, $node->safe_psql('postgres', $stable), 'A-34 the rows that shall be the same are, whatever the seed');
# Nor do our rows move the session's own random().
is($node->safe_psql('postgres', "SELECT setseed(0.5); SELECT count(*) FROM $from{sealed}; SELECT random()") =~ s/.*\n//sr,
	$node->safe_psql('postgres', 'SELECT setseed(0.5); SELECT random()') =~ s/.*\n//sr, 'A-34 random() is not moved by our draws');

# ---- a thousand sessions ----

for my $what (sort keys %from)
{
	my $each = $sessions / 10;

	# each transaction of pgbench -C is a session of its own; ten at a time
	$node->pgbench("-n -C -c 10 -j 1 -t $each", 0, [ qr{processed: $sessions/$sessions} ], [ qr/^/ ],
		"A-34 $what: a thousand sessions", { '015_' . ($what =~ tr/a-z//cdr) => "INSERT INTO first SELECT '$what', clock_timestamp(), a, b, x FROM $from{$what};" });
	is($node->safe_psql('postgres', "SELECT count(DISTINCT x) FROM first WHERE what = '$what'"), $sessions, "A-34 $what: a thousand first rows, all different in the number");
	# Pairs of equal codes happen by chance: half a pair is expected among 1,000 of 1,000,000; twelve and more have a chance of
	# 3 * 10^-12 (three equal codes are three pairs, four are six). Of the perturbed model the first row is nearly always the same codes, by its shares: there the number decides.
	my $pairs = $node->safe_psql('postgres', "SELECT coalesce(sum(n * (n - 1) / 2), 0) FROM (SELECT count(*) AS n FROM first WHERE what = '$what' GROUP BY a, b) AS g");
	cmp_ok($pairs, '<', 12, "A-34 $what: codes repeat no more than by chance") if $what eq 'sealed';
	my $crowded = $node->safe_psql('postgres', "SELECT max(n) FROM (SELECT count(*) AS n FROM first WHERE what = '$what' GROUP BY date_trunc('second', at)) AS g");
	cmp_ok($crowded, '>', 1, "A-34 $what: many of them within one second");
	note("$what: $crowded sessions in a second");
}

# ---- noise: of every fit its own ----

# What is stored of a perturbed model has no key in it: answers alone. Three columns without rows: parents are chosen by chance, of 64 ways or so.
$node->safe_psql('postgres', q{CREATE TABLE nobody (a boolean NOT NULL, b boolean NOT NULL, c boolean NOT NULL); SELECT pegs_set_budget('nobody', 1000)});
$node->safe_psql('postgres', "SELECT pegs_fit('fit ' || i, 'nobody', epsilon => 1), pegs_fit('parents ' || i, 'nobody', structure_epsilon => 1) FROM generate_series(1, 20) AS i");
cmp_ok($node->safe_psql('postgres', "SELECT count(DISTINCT md5(body)) FROM pegs_internal.body JOIN pegs_internal.model ON id = model WHERE name LIKE 'fit %'"), '>', 10, 'A-34 twenty fits of one table: noise of their own');
cmp_ok($node->safe_psql('postgres', "SELECT count(DISTINCT spec) FROM pegs_internal.model WHERE name LIKE 'parents %'"), '>', 1, 'A-34 twenty choices of parents: chance of their own');

# ---- keys ----

$node->safe_psql('postgres', "SELECT pegs_release('r' || i, 'sealed', 1, epsilon => 0.001), pegs_release('p' || i, 'noisy', 1, options => '{\"fresh\": true}') FROM generate_series(1, 200) AS i");
is($node->safe_psql('postgres', 'SELECT count(DISTINCT value_key) FROM pegs_internal.release'), 400, 'A-34 every release has a key of its own for its values');
is($node->safe_psql('postgres', 'SELECT count(DISTINCT key) FROM pegs_internal.release'), 200, 'A-34 and a fresh one of a perturbed model one for its rows');
is($node->safe_psql('postgres', 'SELECT count(*) FROM pegs_internal.release AS r JOIN pegs_internal.model AS m ON m.id = r.model WHERE m.sealed AND r.key IS NOT NULL'), 0,
	'A-34 of a sealed one no key is kept that drew its rows');

$node->stop;
done_testing();
