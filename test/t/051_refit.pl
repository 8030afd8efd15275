# long: run by make test-all (test/run long), not by make test
# A model is fitted anew while others read it. Ended before its charge, in whatever way, that has cost nothing and the fit
# before is read as ever; ended after it, it is charged and the fit before is read, too. Grants of it, and releases of every
# fit, go through a dump. Laws L2, L9.
use strict;
use warnings;
use Test::More;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use PegsLedger;

my $pegs = PegsLedger->new('refit', conf => "restart_after_crash = on\nmax_prepared_transactions = 2\n");
my $node = $pegs->node;
my $columns = $PegsLedger::columns;

$pegs->set_up_free;
# a view whose rows come slowly: some seconds
$pegs->value("CREATE VIEW slowly AS SELECT left(md5(repeat(ward, 20000000)), 1) AS a, male FROM visit; ALTER VIEW slowly OWNER TO curator;
	SELECT pegs_set_levels('slowly', 'a', ARRAY['" . join("', '", 0 .. 9, 'a' .. 'f') . "']);
	SELECT pegs_fit('slow', 'slowly', epsilon => 0.5);
	SELECT pegs_grant('slow', 'analyst')");

# All that readers see: rows of both models, which fits they are.
sub seen
{
	return $pegs->free_rows . ' ' . $pegs->analyst("SELECT md5(string_agg(t::text, ',')) FROM pegs_sample('slow', 200) AS t(a text, male boolean);
		SELECT string_agg(name || fit, ' ' ORDER BY name) FROM pegs_models");
}

my $before = seen();
my $spent = $pegs->spent;
my $shown = "\\set VERBOSITY default\n";

# ---- ended before its charge ----

my ($out, $err) = $pegs->as('curator', "${shown}SET statement_timeout = 300;\nSELECT pegs_refit('slow');");
like($err, qr/ERROR:  canceling statement due to statement timeout/, 'cancelled while it reads');
is($pegs->spent, $spent, 'which has cost nothing');
is(seen(), $before, 'and the fit before is read as ever');
for my $end ('pg_terminate_backend', 'SIGKILL')
{
	my $p = $pegs->start_psql('curator', "SELECT 'ready';\nSELECT pegs_refit('slow');");
	$pegs->pump_until_out($p, qr/ready/);
	ok($node->poll_query_until('postgres', "SELECT count(*) = 1 FROM pg_stat_activity WHERE usename = 'curator' AND query ~ 'pegs_refit'"), "$end: it runs");
	my $pid = $pegs->value("SELECT pid FROM pg_stat_activity WHERE usename = 'curator' AND query ~ 'pegs_refit'");
	if ($end eq 'SIGKILL') { $pegs->kill_backend($pid) }
	else { $pegs->value("SELECT pg_terminate_backend($pid, 60000)") }
	$p->{run}->kill_kill;
	is($pegs->spent, $spent, "$end: it has cost nothing");
	is(seen(), $before, "$end: the fit before");
}
($out, $err) = $pegs->as('curator', "${shown}SELECT pegs_refit('noisy', 1000);");
like($err, qr/ERROR:  this costs more than is left of the privacy budget/, 'without enough budget');
is($pegs->spent . seen(), $spent . $before, 'nothing is charged, and the fit before is there');

# ---- ended after it ----

my $open = $pegs->background('curator');
$open->query_safe("BEGIN; SELECT pegs_refit('noisy')");
is($pegs->spent - $spent, PegsLedger::units(0.5), 'an open transaction: charged');
is(seen(), $before, 'while the others read the fit before');
$pegs->kill_backend($pegs->value("SELECT pid FROM pg_stat_activity WHERE usename = 'curator' AND state = 'idle in transaction'"));
eval { $open->quit };
is($pegs->spent - $spent, PegsLedger::units(0.5), 'a crash gives nothing back');
is(seen(), $before, 'and the fit before is there');
(undef, $err) = $pegs->as('curator', "BEGIN; SELECT pegs_refit('noisy'); PREPARE TRANSACTION 'x';");
is($err, '', 'a curator may prepare it');
is(seen(), $before, 'nobody waits for it');
$pegs->as('curator', "COMMIT PREPARED 'x'");
my $after = seen();
isnt($after, $before, 'committed: other rows');
like($after, qr/noisy2/, 'of the second fit');
is((split ' ', $after)[4], (split ' ', $before)[4], 'a release is of the fit that it was drawn from');
is($pegs->spent - $spent, PegsLedger::units(1), 'each was charged');

# ---- a crash of the whole server, behind the commit ----

$pegs->kill_server;
is(seen(), $after, 'after recovery: what was committed');

# ---- a dump ----

is(scalar $pegs->analyst("SELECT pegs_release('of the second', 'noisy', 50)"), '', 'a release of the second fit');
$pegs->as('curator', "SELECT pegs_refit('noisy'), pegs_refit('noisy');
	SELECT pegs_fit('plain', 'visit', epsilon => 0.1); SELECT pegs_grant('plain', 'analyst'); SELECT pegs_refit('plain'); SELECT pegs_refit('plain')");
$pegs->as('curator', "SELECT pegs_best('visit', ARRAY['noisy', 'plain', 'noisy_rows'], 0.25)");
my %same = (
	'models' => 'SELECT * FROM pegs_models ORDER BY name',
	'releases, each of its fit' => 'SELECT * FROM pegs_releases ORDER BY name',
	'rows of the model' => "SELECT * FROM pegs_sample('noisy', 100) AS t($columns)",
	'rows of a release of the first' => "SELECT * FROM pegs_rows('noisy_rows') AS t($columns)",
	'rows of one of the second' => "SELECT * FROM pegs_rows('of the second') AS t($columns)",
	'rows of a model whose first fit is gone' => "SELECT * FROM pegs_sample('plain', 100) AS t($columns)",
	'its certificate' => "SELECT pegs_certificate('noisy')",
	'that of a release of the first' => "SELECT pegs_certificate('noisy_rows')");
my $file = $PostgreSQL::Test::Utils::tmp_check . '/refit';
my %there = map { $_ => scalar $pegs->analyst($same{$_}) } keys %same;
command_ok([ 'pg_dump', '-d', $node->connstr('postgres'), '-f', $file ], 'pg_dump');
$node->safe_psql('postgres', 'CREATE DATABASE copy');
command_ok([ 'psql', '-X', '-v', 'ON_ERROR_STOP=1', '-d', $node->connstr('copy'), '-f', $file ], 'restored');
$pegs->{db} = 'copy';
isnt($there{$_}, "", "$_: something") for sort keys %there;
like($there{$_}, qr/"choice_epsilon": 0\.25/, "$_: with what it cost to choose it") for 'its certificate', 'that of a release of the first';
is(scalar $pegs->analyst($same{$_}), $there{$_}, "$_: the same, by the grant of the first fit") for sort keys %same;
$pegs->refuses('in a copy', '55000', "SELECT pegs_refit('noisy')", 'curator');
$pegs->value("SELECT pegs_adopt('visit', 10, 'the copy is used from now on')");
(undef, $err) = $pegs->as('curator', "SELECT pegs_refit('noisy')");
is($err, '', 'adopted: fitted anew');
is(scalar $pegs->analyst("SELECT fit FROM pegs_models WHERE name = 'noisy'"), '5', 'it goes on counting');
is(scalar $pegs->analyst($same{'rows of one of the second'}), $there{'rows of one of the second'}, 'and the release keeps its rows');

done_testing();
