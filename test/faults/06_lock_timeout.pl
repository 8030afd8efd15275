# lock_timeout: somebody else holds what the operation needs, for longer than it may wait. SQLSTATE 55P03. A-22.
# The account is held by an open pegs_set_budget, the table by ACCESS EXCLUSIVE, the name by another's open transaction; each of the
# tables in pegs_internal by ACCESS EXCLUSIVE, one after the other, so that the wait comes before, in and after the charge.
use strict;
use warnings;
use Faults;

my $f = Faults->new('lock_timeout');
my $held = Session->new($f->{socket}, 'postgres') or die;
my @tables = split /\n/, $f->value("SELECT 'pegs_internal.' || relname FROM pg_class WHERE relnamespace = 'pegs_internal'::regnamespace
	AND relkind = 'r' ORDER BY relname");

$f->{rows} = 1000;
$f->{release_rows} = 1000;
for my $op ($f->operations)
{
	my @holds = ("SELECT pegs_set_budget('discharges', 100000000, 0.1, 'sum')", 'LOCK TABLE discharges',
		
		# the third run's name
		"INSERT INTO pegs_internal.name VALUES ('x" . ($f->{number} + 3) . "')", map { "LOCK TABLE $_" } @tables);

	for my $hold (@holds)
	{
		# try() looks at the account before and after, when the lock is gone
		$f->try($op, expect => qr/^55P03$/,
			before => sub { $held->run("BEGIN; $hold;"); $_[0]->run("SET lock_timeout = '20ms';") },
			after => sub { $held->run('ROLLBACK;'); $_[0]->run('RESET lock_timeout;') });
	}
	$f->close_book('A-22 lock_timeout, ' . @holds . ' locks held by others', $op, fault => 'lock_timeout');
}
$held->close;
$f->finish;
