# statement_timeout at random moments, spread over the time that the operation takes here and now. A-6.
use strict;
use warnings;
use Faults;

my $f = Faults->new('timeout');
my $moments = Faults->times(25, 200);

srand(4);
for my $op ($f->operations)
{
	$f->moments($op, $moments, sub {
		my $at = 1 + int $_[0];
		return $f->try($op, expect => qr/^57014$/,
			before => sub { $_[0]->run("SET statement_timeout = $at") },
			after => sub { $_[0]->run('RESET statement_timeout') }) });
	$f->close_book("A-6 statement_timeout at $moments random moments", $op, fault => 'statement_timeout at random moments');
}
$f->finish;
