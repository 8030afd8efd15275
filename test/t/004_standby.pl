# A standby gives the rows of releases and spends nothing; a synchronous standby that is down stops rows, not charges.
# Law L2; A-13, A-17; A-18 (a synchronous standby, promoted).
use strict;
use warnings;
use Test::More;
use PostgreSQL::Test::Cluster;
use PegsLedger;

my $pegs = PegsLedger->new('primary', init => [ allows_streaming => 1 ], conf => 'wal_receiver_status_interval = 1s');
my $primary = $pegs->node;
my $columns = $PegsLedger::columns;

$pegs->value(q{
	SELECT pegs_fit('noisy', 'visit', epsilon => 1);
	SELECT pegs_grant('noisy', 'analyst');
	SELECT pegs_release('noisy_rows', 'noisy', 500);
	SELECT pegs_grant('noisy_rows', 'analyst')});
$pegs->analyst("SELECT pegs_release('rows', 'm', 500, 1, 500)");

$primary->backup('base');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($primary, 'base', has_streaming => 1);
$standby->start;
$primary->wait_for_catchup($standby, 'replay', $primary->lsn('write'));
my $there = bless { node => $standby, db => 'postgres' }, 'PegsLedger';

# ---- a standby reads ----

$there->refuses('A-13 pegs_sample of a sealed model on a standby', '25006', 'SELECT * FROM ' . $pegs->sample);
$there->refuses('A-13 the same by the superuser', '25006', 'SELECT * FROM ' . $pegs->sample, 'postgres');
$there->refuses('A-13 pegs_release on a standby', '25006', "SELECT pegs_release('x', 'm', 10, 0.1, 10)");
$there->refuses('A-13 pegs_fit with epsilon on a standby', '25006', "SELECT pegs_fit('x', 'visit', epsilon => 1)", 'postgres');
$there->refuses('A-13 pegs_set_budget on a standby', '25006', "SELECT pegs_set_budget('visit', 2000)", 'postgres');
for my $from ("pegs_rows('rows')", "pegs_rows('noisy_rows')", "pegs_sample('noisy', 500)")
{
	my $sql = "SELECT count(*), md5(string_agg(t::text, ',' ORDER BY n)) FROM (SELECT row_number() OVER () AS n, t FROM $from AS t($columns)) AS t";
	my $here = $pegs->analyst($sql);

	like($here, qr/^500\|\w{32}$/, "A-13 $from gives 500 rows on the primary");
	is(scalar $there->analyst($sql), $here, "A-13 $from gives the same rows on the standby");
}
is($there->spent, $pegs->spent, 'A-13 the standby shows what is spent');
is($there->copied_from, '', 'A-18 a standby is no copy');

# ---- the synchronous standby goes away ----

$primary->safe_psql('postgres', "ALTER SYSTEM SET synchronous_standby_names = '*'");
$primary->reload;
$primary->poll_query_until('postgres', "SELECT count(*) = 1 FROM pg_stat_replication WHERE sync_state = 'sync'") or die 'not synchronous';
$pegs->charges('A-17 with the standby up', 0.1, sub { scalar $pegs->analyst('SELECT count(*) FROM ' . $pegs->sample) });
$standby->stop;
$primary->poll_query_until('postgres', 'SELECT count(*) = 0 FROM pg_stat_replication') or die 'still replicating';

my $find = "FROM pg_stat_activity WHERE usename = 'analyst' AND wait_event = 'SyncRep'";
my $copy = 'COPY (SELECT * FROM ' . $pegs->sample(n => 100) . ") TO STDOUT;\n";

# A call that waits for the standby; then something is done to it.
sub stuck
{
	my ($name, $sql, $do) = @_;
	my ($spent, $cap) = ($pegs->spent, $pegs->cap_spent);
	my $p = $pegs->start_psql('analyst', $sql);

	$primary->poll_query_until('postgres', "SELECT count(*) = 1 $find") or die "$name: it does not wait";
	is($p->{out}, '', "$name: it waits, and has sent no row");
	$do->();
	$pegs->finish($p);
	is(($pegs->spent - $spent) . ' ' . ($pegs->cap_spent - $cap), PegsLedger::units(0.1) . ' ' . PegsLedger::units(0.1), "$name: charged once");
	return $p;
}

my $cancel = sub { $pegs->value("SELECT pg_cancel_backend(pid) $find") };
for my $how (
	[ 'cancelled, in a transaction with local commit', "BEGIN;\nSET LOCAL synchronous_commit = local;\n$copy", $cancel ],
	[ 'cancelled', $copy, $cancel ],
	[ 'cancelled, synchronous_commit = off', "SET synchronous_commit = off;\n$copy", $cancel ],
	[ 'terminated', $copy, sub { $pegs->value("SELECT pg_terminate_backend(pid) $find") } ])
{
	my ($name, $sql, $do) = @$how;
	my $p = stuck("A-17 $name", $sql, $do);

	is($p->{out}, '', "A-17 $name: no row");
	# a terminated session is cut off without a word
	like($p->{err}, $name eq 'terminated' ? qr/ERROR|FATAL|closed the connection|connection to server was lost/ : qr/ERROR:  57014|ERROR:  57000/, "A-17 $name: an error");
}
# A timeout falls where it falls: before the charge, on a slow machine. Then once more with a longer one.
{
	my $spent = $pegs->spent;
	my ($charged, $p);

	for my $seconds (1, 4, 16, 64)
	{
		$p = $pegs->start_psql('analyst', "SET statement_timeout = '${seconds}s';\n$copy");
		$pegs->finish($p);
		last if $charged = $pegs->spent - $spent;
		like($p->{err}, qr/ERROR:  57014/, "A-17 statement_timeout, $seconds s: before the charge");
	}
	is($charged, PegsLedger::units(0.1), 'A-17 statement_timeout: charged once');
	is($p->{out}, '', 'A-17 statement_timeout: no row');
	like($p->{err}, qr/ERROR:  57014|ERROR:  57000/, 'A-17 statement_timeout: an error');
}
my $p = stuck('A-17 release, cancelled', "SELECT pegs_release('half', 'm', 10, 0.1, 10);\n", $cancel);
like($p->{err}, qr/ERROR:  5/, 'A-17 release, cancelled: an error');
is($pegs->value("SELECT count(*) FROM pegs_releases WHERE name = 'half'"), 0, 'A-17 release, cancelled: there is no release');

# ---- and comes back ----

$p = stuck('A-17 the standby comes back', $copy, sub { $standby->start });
is(scalar(() = $p->{out} =~ /^[ABCD]\t[tf]$/mg), 100, 'A-17 the standby comes back: all rows are sent');
is($p->{err}, '', 'A-17 the standby comes back: no error');
$primary->wait_for_catchup($standby, 'replay', $primary->lsn('write'));
is($there->spent, $pegs->spent, 'A-17 both have the same account');

# ---- and takes over ----

my $spent = $pegs->spent;
$primary->stop('immediate');
$standby->promote;
is($there->spent, $spent, 'after promotion the account is what was confirmed');
# nobody but the administrator knows that it was synchronous
like($there->copied_from, qr/^before a promotion/, 'A-18 promoted, it is a copy');
$there->refuses('A-18 promoted: nothing can be spent', '55000', 'SELECT * FROM ' . $there->sample);
$there->value("SELECT pegs_adopt('visit', (SELECT remaining FROM pegs_budgets), 'it was synchronous')");
is($there->spent, $spent, 'A-18 promoted and adopted: all that was left is left');
$there->charges('A-18 promoted and adopted', 0.1, sub { scalar $there->analyst('SELECT count(*) FROM ' . $there->sample) });
$there->node->stop;
done_testing();
