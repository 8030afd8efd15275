# stateful_rho: what a call costs an account in rho, worked out again from claim P20 of docs/privacy.md: to the unit where it is
# a formula, within a hundredth where a conversion from epsilon and delta is looked for. Units of 2^-50.
#
# A price is a list of [least, most]: one of them is right.
package stateful_rho;

use strict;
use warnings;
use Exporter 'import';
use Math::BigInt;

our @EXPORT = qw(price_of);

my %converted;

# e^2/part of an epsilon in units of 1e-9, rounded up; never more than epsilon itself.
sub square
{
	my ($e, $part) = @_;
	my $two50 = Math::BigInt->new(2)->bpow(50);
	my ($square, $plain) = (Math::BigInt->new($e)->bpow(2)->bmul($two50), Math::BigInt->new($e)->bmul($two50));

	$square->badd(Math::BigInt->new(10)->bpow(18)->bmul($part))->bdec->bdiv(Math::BigInt->new(10)->bpow(18)->bmul($part));
	$plain->badd(999999999)->bdiv(1000000000);
	return 0 + ($square < $plain ? $square : $plain)->bstr;
}

# The largest rho that is (epsilon, delta)-DP: delta = min over a of e^((a-1)(a rho - epsilon)) (1 - 1/a)^a / (a - 1).
sub ln_delta
{
	my ($rho, $epsilon) = @_;
	my $at = sub { my $b = exp $_[0]; my $a = $b + 1; return $b * ($a * $rho - $epsilon) - log($b) - $a * log(1 + 1 / $b) };
	my ($low, $high) = (-12, 30);

	for (1 .. 100)
	{
		my ($x, $y) = ($low + ($high - $low) / 3, $high - ($high - $low) / 3);
		if ($at->($x) < $at->($y)) { $high = $y } else { $low = $x }
	}
	return $at->($low);
}

sub convert
{
	my ($e, $d) = @_;

	return $converted{"$e $d"} //= do {
		my ($low, $high) = (1e-25, 1e4);
		for (1 .. 100)
		{
			my $middle = sqrt($low * $high);
			if (ln_delta($middle, $e / 1e9) <= log($d / 1e18)) { $low = $middle } else { $high = $middle }
		}
		$low * 2 ** 50;
	};
}

sub about { my ($rho, $least) = @_; return [int(($least // 0.99) * $rho) - 2, int(1.01 * $rho) + 2] }

# charge: epsilon and delta, and how => [what, ...]. total_delta: of the account. columns: of the model, if that is known.
sub price_of
{
	my ($charge, $total_delta, $columns) = @_;
	my ($e, $d) = @$charge{qw(epsilon delta)};
	my ($how, @of) = @{ $charge->{how} || ['any'] };
	my $most = $total_delta - int($total_delta / 10);

	# not charged at all, as in EXPLAIN
	return [0, 0] if $e == 0;
	if ($how eq 'fit' && $d > 0) { return about(convert($e, $d > $most ? $most : $d)) }
	if ($how eq 'choice') { my $rho = square($e, 8); return [$rho, $rho] }
	if ($how eq 'sealed')
	{
		my ($blocks, $given) = @of;
		return [1, square($e, 8)] unless defined $columns && $columns > $given;
		my $rho = square($e, Math::BigInt->new(8)->bmul($blocks)->bmul($columns - $given));
		# delta that buys a smaller alpha costs what it buys; else it is not used
		return $d > 0 ? ([$rho, $rho], about(convert($e, $d > $most ? $most : $d), 0.9)) : [$rho, $rho];
	}
	if ($how eq 'levels') { return ([square($e, 2), square($e, 2)], about(convert($e, $d - int($d / 10)))) }
	if ($how =~ /^(fit|urn|range)$/) { my $rho = square($e, 2); return [$rho, $rho] }
	return [1, square($e, 2)];
}

1;
