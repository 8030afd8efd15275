# Clients that stop half-way: idle in a transaction for too long (the server ends the session), dead in the middle of the
# rows (kill -9 of the client), a cursor closed half read. Each is over, and what was charged stays charged. A-4.
use strict;
use warnings;
use Faults;

my $f = Faults->new('clients');
my $times = Faults->times(2, 20);

# BEGIN, the whole operation, and then nothing. The rows have been seen; the model or release goes with its transaction.
for my $op ($f->operations)
{
	for (1 .. $times)
	{
		# the next word to the server comes too late
		$f->try($op, fresh => 1, expect => qr/^(25P03|lost)$/,
			sql => sub { "BEGIN; SET idle_in_transaction_session_timeout = '30ms'; $_[0]\n\\! sleep 0.2\nSELECT 1;" });
	}
	$f->close_book("idle_in_transaction_session_timeout", $op, fault => 'idle_in_transaction_session_timeout after the operation');
}

# The client is killed after its first kilobytes; nobody reads on.
$f->{rows} = 200_000;
for my $op ('sample_sealed', 'sample_perturbed', 'rows')
{
	for (1 .. $times)
	{
		$f->try($op, fresh => 1, expect => qr/^lost$/, fault => sub {
			my ($session) = @_;
			sysread $session->{pipe}, $session->{seen}, 1 << 12;
			kill 'KILL', $session->{psql} });
	}
	$f->close_book('client killed in the middle of the rows', $op, fault => 'the client dies in the middle of the rows');
}

# A cursor, half read and closed, in a transaction that is rolled back.
$f->{rows} = $Faults::rows;
for my $op ('sample_sealed', 'sample_perturbed', 'rows')
{
	for my $end ('CLOSE c; COMMIT', 'CLOSE c; ROLLBACK', 'ROLLBACK')
	{
		$f->try($op, partly => 1, sql => sub { $_[0] =~ s/^COPY \((.*)\) TO STDOUT;/BEGIN; DECLARE c CURSOR FOR $1; FETCH 500 FROM c; $end;/r });
	}
	$f->close_book('A-4 cursor closed half read', $op, fault => 'a cursor is closed half read', hits => 3);
}
$f->finish;
