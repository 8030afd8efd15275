# long: run by make test-all (test/run long), not by make test
# Everything that PUBLIC may call is stopped by a timeout, whatever its arguments. Security review of 0.2.0, M4.
#
# Each call has a statement_timeout of 100 ms (a fit: 500 ms), and may use 900 ms of processor time beyond it: a wide bound,
# that is the same on a busy machine (bench/stop says how soon a cancel is obeyed). A call that ends by itself before that
# is as good.
#
# 60 s: it makes models of many levels and texts of hundreds of megabytes.
use strict;
use warnings;
use Test::More;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Time::HiRes qw(usleep);
use PegsCostly;

plan skip_all => 'this system does not tell the processor time of a process' unless defined PegsCostly::cpu_ms($$);

my $node = PostgreSQL::Test::Cluster->new('stop');
$node->init;
# nothing is written but by us, and long statements are not logged
$node->append_conf('postgresql.conf', "autovacuum = off\nfsync = off\nlog_min_error_statement = panic\nlog_min_duration_statement = -1\nlog_statement = none");
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION pegs; CREATE ROLE costly LOGIN; SET client_min_messages = warning;' . PegsCostly::set_up());

# Every function that PUBLIC may call is called; those behind views and of the planner take no arguments of anybody.
my $called = join "\n", map { $_->[1] } PegsCostly::calls();
for my $name (split /\n/, $node->safe_psql('postgres', q{SELECT DISTINCT proname FROM pg_proc JOIN pg_depend AS d ON d.objid = pg_proc.oid AND d.classid = 'pg_proc'::regclass
	AND d.deptype = 'e' AND d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'pegs')
	WHERE pronamespace = 'public'::regnamespace AND has_function_privilege('costly', pg_proc.oid, 'EXECUTE') ORDER BY 1}))
{
	like($called, qr/\b$name\(/, "$name is called");
}

# Each call within its time, in a session of this role.
sub stopped
{
	my ($role, $timeout, @calls) = @_;
	my $session = $node->background_psql('postgres', on_error_stop => 0, extra_params => [ '-U', $role, '-v', 'VERBOSITY=sqlstate' ]);
	my $pid = $session->query('SELECT pg_backend_pid()');
	$session->query("SET statement_timeout = $timeout; SET client_min_messages = warning");
	for my $call (@calls)
	{
		my ($name, $sql) = @$call;
		$session->{stderr} = '';
		my $before = PegsCostly::cpu_ms($pid);
		$session->query($sql);
		my $used = PegsCostly::cpu_ms($pid) - $before;
		my ($state) = $session->{stderr} =~ /ERROR:  (\w{5})/;
		cmp_ok($used, '<', $timeout + 900, sprintf '%s: stopped (%s)', $name, $state || 'it ended') or diag(sprintf '%.0f ms of processor time', $used);
		unlike($state || '', qr/^XX/, "$name: no internal error");
		note(sprintf '%s: %.0f ms', $name, $used);
	}
	$session->quit;
	return;
}
stopped('costly', 100, PegsCostly::calls());

# A fit is a curator's; it takes its memory, and asks, by another door than all the rest (src/models/uncharged.c). The timeout is
# longer, so that it comes in the core: the bins are read first.
stopped(scalar getpwuid($<), 500, PegsCostly::fits());
# What comes after a long reading is met by no timeout on every machine: cancelled when half of the processor time is used that all takes.
for my $call (PegsCostly::late())
{
	my ($name, $sql) = @$call;
	my $session = $node->background_psql('postgres', on_error_stop => 0, extra_params => [ '-v', 'VERBOSITY=sqlstate' ]);
	my $pid = $session->query('SELECT pg_backend_pid()');
	my $before = PegsCostly::cpu_ms($pid);
	$session->query("SET client_min_messages = warning; BEGIN; $sql; ROLLBACK");
	my $whole = PegsCostly::cpu_ms($pid) - $before;
	$before = PegsCostly::cpu_ms($pid);
	$session->query_until(qr/begun/, "\\echo begun\n$sql;\n");
	usleep(5000) until PegsCostly::cpu_ms($pid) - $before > $whole / 2;
	$node->safe_psql('postgres', "SELECT pg_cancel_backend($pid)");
	$session->query('SELECT 1');
	my $used = PegsCostly::cpu_ms($pid) - $before;
	like($session->{stderr}, qr/57014/, "$name: cancelled");
	cmp_ok($used, '<', 0.8 * $whole, "$name: soon") or diag(sprintf '%.0f of %.0f ms of processor time', $used, $whole);
	note(sprintf '%s: %.0f of %.0f ms', $name, $used, $whole);
	$session->quit;
}
is($node->safe_psql('postgres', 'SELECT 1'), '1', 'the server is there');
done_testing();
