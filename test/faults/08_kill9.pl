# kill -9 of a backend at random moments. PostgreSQL then stops all its processes and recovers: that restart is its own,
# and expected here. (The moments just after the charge, where WAL is lost, are in test/t/002_crash.pl: A-7, A-8.)
use strict;
use warnings;
use Faults;
use Time::HiRes qw(usleep);

my $f = Faults->new('kill9', fell => qr/signal 9|terminating any other|reinitializing|exit code 2/);
my $moments = Faults->times(2, 10);

srand(7);
for my $op ($f->operations)
{
	my $ms = $f->milliseconds($op);

	for (1 .. $moments)
	{
		my $recoveries = () = $f->log_since(0) =~ /reinitializing/g;
		$f->try($op, fresh => 1, expect => qr/^(57P0\d|lost)$/,
			fault => sub { usleep(1000 * rand $ms); kill 'KILL', $_[0]{pid} },
			died => sub {
				for (1 .. 15_000)
				{
					last if (() = $f->log_since(0) =~ /reinitializing/g) > $recoveries;
					usleep(20_000);
				}
				$f->{control}{dead} = 1;	# it goes down with the others
				$f->value('SELECT 1') });
	}
	$f->close_book("kill -9 at $moments random moments", $op, fault => 'kill -9 of the backend: PostgreSQL restarts itself', hits => 0);
}
$f->finish;
