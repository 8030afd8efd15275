#!/usr/bin/perl
# bench/coded.pl FILE TARGET NEGATIVE COLUMN,COLUMN,...: a CSV file with a line of names as codes from 0, for bench/scores.
#
# Of each column its values in order are its levels; numbers of more than 20 values are 20 equal parts of their range, days are months.
# The target comes last: 0 where it is NEGATIVE, 1 elsewhere. A name that ends in ":n" is of a column whose levels are in order.
use strict;
use warnings;
use Text::ParseWords;

my ($file, $target, $negative, $columns) = @ARGV;
open my $in, '<', $file or die "$file: $!";
my $head = <$in>;
$head =~ s/[\r\n]+$//;
my @names = quotewords(',', 0, $head);
my %at = map { $names[$_] => $_ } 0 .. $#names;
my @rows;
while (my $line = <$in>)
{
	$line =~ s/[\r\n]+$//;
	$line =~ s/'/\\'/g;
	push @rows, [ map { $_ // '' } quotewords(',', 0, $line) ];
}
my (@said, @codes);
for my $name (split /,/, $columns)
{
	my $c = $at{$name} // die "no column $name";
	my @values = map { $_->[$c] =~ /^\d{4}-(\d\d)-\d\d$/ ? $1 : $_->[$c] } @rows;
	my %seen = map { $_ => 1 } @values;
	my $number = !grep { $_ ne '' && $_ !~ /^-?\d+(\.\d+)?$/ } keys %seen;
	my @levels = $number ? sort { $a <=> $b } grep { $_ ne '' } keys %seen : sort keys %seen;

	push @said, $name . ($number ? ':n' : '');
	if ($number && @levels > 20)
	{
		my ($low, $width) = ($levels[0], ($levels[-1] - $levels[0]) / 20);
		push @codes, [ map { my $bin = $_ eq '' ? 20 : int(($_ - $low) / $width); $bin == 20 && $_ ne '' ? 19 : $bin } @values ];
	}
	else
	{
		push @levels, '' if $number && $seen{''};
		my %code = map { $levels[$_] => $_ } 0 .. $#levels;
		push @codes, [ map { $code{$_} } @values ];
	}
}
push @said, $target;
push @codes, [ map { $_->[ $at{$target} ] eq $negative ? 0 : 1 } @rows ];
print join(',', @said), "\n";
for my $r (0 .. $#rows) { print join(',', map { $_->[$r] } @codes), "\n" }
