# long: run by make test-all (test/run long), not by make test
# A copy of an account in rho is told, and adopted, as one of sums is, by whatever way it was made: 020_copies.pl, with a third
# sequence. Law L2, claims P5, P20.
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename qw(dirname);
use PegsLedger;

$PegsLedger::in_rho = 1;
my $ran = do(dirname(abs_path(__FILE__)) . '/020_copies.pl');
die $@ || $! if !defined $ran;
