# kill -9 of a backend, and of the postmaster with all its children, just after rows were seen. WAL that is only in shared
# memory is lost by that: the window is held open by stopping who else would flush it, and each round looks whether it was
# open, by a plain nextval after the rows, which must have been lost. Law L2; A-7, A-8.
use strict;
use warnings;
use Test::More;
use PostgreSQL::Test::Utils;
use PegsCrash;
use PegsLedger;

my $pegs = PegsLedger->new('crash', conf => $PegsCrash::conf);
my $rows = 'SELECT count(*) FROM ' . $pegs->sample(n => 100);
my $offset = -s $pegs->node->logfile;

$pegs->value('CREATE SEQUENCE witness; GRANT USAGE ON SEQUENCE witness TO analyst');

# One crash after one charge. Gives whether WAL was lost by it.
sub crash
{
	my ($name, $before, $how) = @_;

	$pegs->value('SELECT setval(\'witness\', 1); CHECKPOINT');
	$pegs->charges($name, 0.1, sub {
		my $s = $pegs->background('analyst');
		my $pid = $s->query('SELECT pg_backend_pid()');
		my $writer = $pegs->value("SELECT pid FROM pg_stat_activity WHERE backend_type = 'walwriter'");
		$s->query($before);
		# it would wake up within wal_writer_delay, which a slow machine may take; it dies with the others
		kill 'STOP', $writer or die "kill $writer: $!";
		my $seen = $s->query($rows);
		$s->query("SELECT nextval('witness')");
		$how eq 'backend' ? $pegs->kill_backend($pid, $writer) : $pegs->kill_server;
		eval { $s->quit };	# psql may have gone with the server
		return $seen });
	return $pegs->value('SELECT last_value FROM witness') == 1;
}

for my $how ('backend', 'postmaster and children')
{
	my $number = $how eq 'backend' ? 'A-7' : 'A-8';

	for my $before ('BEGIN', 'SET synchronous_commit = off', 'BEGIN; SET LOCAL synchronous_commit = off')
	{
		ok(crash("$number kill -9 $how after $before", $before, $how), "$number $how, $before: WAL not flushed by the charge was lost");
	}
}

# The charge of a release survives; the release, not committed, does not.
$pegs->charges('A-8 kill -9 after a release was read, not committed', 0.1, sub {
	my $s = $pegs->background('analyst');
	$s->query("BEGIN; SELECT pegs_release('r', 'm', 100, 0.1, 100)");
	my $seen = $s->query("SELECT count(*) FROM pegs_rows('r') AS t($PegsLedger::columns)");
	$pegs->kill_server;
	$s->quit;
	return $seen });
$pegs->refuses('A-8 its rows afterwards', '42704', "SELECT * FROM pegs_rows('r') AS t($PegsLedger::columns)");

# Rows without a guarantee cost nothing: it is their line that survives.
$pegs->value("CREATE TABLE plan AS SELECT pegs_generalize('visit', ARRAY['ward'], 1) AS plan");
my $lines = sub { return $pegs->value("SELECT count(*) FROM pegs_ledger WHERE action = 'uncovered rows'") };
my $before = $lines->();
{
	my $s = $pegs->background('postgres');
	$s->query('BEGIN');
	cmp_ok($s->query('SELECT count(*) FROM plan, pegs_generalized(\'visit\', plan) AS t(ward text)'), '>', 0, 'rows without a guarantee were read, not committed');
	$pegs->kill_server;
	$s->quit;
}
is($lines->(), $before + 1, 'kill -9 after rows without a guarantee: their line is there');

# A fit that crashes before its commit has spent, and there is no model.
my $spent = $pegs->spent;
my $s = $pegs->background('postgres');
$s->query("BEGIN; SELECT pegs_fit('noisy', 'visit', epsilon => 1)");
is($s->query("SELECT count(*) FROM pegs_sample('noisy', 100) AS t($PegsLedger::columns)"), 100, 'A-8 rows of a model not committed');
$pegs->kill_server;
$s->quit;
is($pegs->spent - $spent, PegsLedger::units(1), 'A-8 kill -9 after a fit: charged');
is($pegs->value("SELECT count(*) FROM pegs_models WHERE name = 'noisy'"), 0, 'A-8 and its model is gone');

# What a search for a plan says of the rows is for the curator who asked, not for the log.
{
	my (undef, undef, $told) = $pegs->node->psql('postgres', "SELECT pegs_generalize('visit', ARRAY['ward'], 1000000000)");
	my $log = slurp_file($pegs->node->logfile, $offset);

	like($told, qr/a share of 1\.0000 of the rows/, 'no plan: the curator is told what share of the rows is in the way');
	like($log, qr/no generalisation meets the criteria/, 'the log has the error');
	unlike($log, qr/a share of/, 'and not the share');
}

unlike(slurp_file($pegs->node->logfile, $offset), qr/PANIC|signal 11|signal 6/, 'no crash but those we made');
$pegs->node->stop;
done_testing();
