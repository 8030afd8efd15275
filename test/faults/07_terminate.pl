# A backend is told to end (pg_terminate_backend, kill -TERM: an administrator, a shutdown) at random moments.
use strict;
use warnings;
use Faults;
use Time::HiRes qw(usleep);

my $f = Faults->new('terminate');
my $moments = Faults->times(6, 50);

srand(6);
for my $how ('pg_terminate_backend', 'kill -TERM')
{
	for my $op ($f->operations)
	{
		$f->moments($op, $moments, sub {
			my ($ms) = @_;
			return $f->try($op, fresh => 1, expect => qr/^(57P01|lost)$/, fault => sub {
				my ($session) = @_;
				usleep(1000 * $ms);
				if ($how eq 'kill -TERM') { kill 'TERM', $session->{pid} }
				else { $f->value("SELECT pg_terminate_backend($session->{pid})") } }) });
		$f->close_book("$how at $moments random moments", $op, fault => "$how at random moments");
	}
}
$f->finish;
