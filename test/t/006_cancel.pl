# Cancelled at twenty random moments, and once certainly while rows were being sent: whoever got a row has paid. Law L2;
# A-6. What is asserted does not depend on where a moment falls.
use strict;
use warnings;
use Test::More;
use Time::HiRes qw(usleep);
use PegsLedger;

my $pegs = PegsLedger->new('cancel');
# These rows are drawn before the first is sent; then more than anyone will read.
my $drawn = $pegs->sample(n => 300_000);
my $endless = "COPY (SELECT t.* FROM $drawn, generate_series(1, 1000000)) TO STDOUT;\n";
my $row = qr/^[ABCD]\t[tf]$/m;
my $find = "FROM pg_stat_activity WHERE usename = 'analyst' AND state = 'active' AND query LIKE 'COPY%'";
my $spent = $pegs->spent;
my $calls = 0;
my $paid_for = 0;	# calls that sent a row
my $cancelled = 0;

sub look
{
	my ($p) = @_;

	$pegs->finish($p);
	$calls++;
	$paid_for++ if $p->{out} =~ $row;
	$cancelled++ if $p->{err} =~ /57014/;
	return;
}

srand(20);
for (1 .. 10)
{
	my $ms = 1 + int rand 400;
	look($pegs->start_psql('analyst', "SET statement_timeout = $ms;\n$endless"));
}
for (1 .. 10)
{
	my $p = $pegs->start_psql('analyst', $endless);
	$pegs->node->poll_query_until($pegs->{db}, "SELECT count(*) = 1 $find") or die 'the call was not seen';
	usleep(1000 * int rand 300);
	$pegs->value("SELECT pg_cancel_backend(pid) $find");
	look($p);
}
is($cancelled, 20, 'A-6 twenty calls were cancelled');
my $charged = $pegs->spent - $spent;
cmp_ok($charged, '>=', PegsLedger::units(0.1 * $paid_for), "A-6 charged no less than the $paid_for calls that sent a row");
cmp_ok($charged, '<=', PegsLedger::units(0.1 * $calls), 'A-6 and no more than all calls');
is($charged % PegsLedger::units(0.1), 0, 'A-6 a call is charged whole or not at all');

# Certainly in the middle: after the first row.
for my $way ('pg_cancel_backend', 'pg_terminate_backend')
{
	$pegs->charges("A-6 $way after the first row", 0.1, sub {
		my $p = $pegs->start_psql('analyst', $endless);
		$pegs->pump_until_out($p, $row);
		my $seen = () = $p->{out} =~ /$row/g;
		is($pegs->value("SELECT $way(pid) $find"), 't', "A-6 $way found it at work");
		$pegs->finish($p);
		like($p->{err}, qr/57014|57P01|server closed the connection/, "A-6 $way ended it");
		return $seen });
}

# Certainly before: it waits in the queue for the account, and has nothing yet. No call of ours stays in that queue: a comment on
# the account takes the same lock until its transaction ends.
{
	my $holder = $pegs->background('postgres');
	my $before = $pegs->spent;

	$holder->query_safe('BEGIN; COMMENT ON SEQUENCE pegs_internal.epsilon_1 IS NULL');
	my $p = $pegs->start_psql('analyst', $endless);
	$pegs->node->poll_query_until($pegs->{db}, "SELECT count(*) = 1 $find AND wait_event_type = 'Lock'") or die 'it does not wait';
	$pegs->value("SELECT pg_cancel_backend(pid) $find");
	$pegs->finish($p);
	$holder->query_safe('ROLLBACK');
	$holder->quit;
	is($p->{out} . $p->{err} =~ s/.*(57014).*/$1/sr, '57014', 'A-6 cancelled in the queue: no row');
	is($pegs->spent, $before, 'A-6 cancelled in the queue: nothing charged');
	$pegs->charges('A-6 after that the queue moves on', 0.1, sub { scalar $pegs->analyst('SELECT count(*) FROM ' . $pegs->sample) });
}

$pegs->node->stop;
done_testing();
