#!/usr/bin/perl
# bench/trial.pl TABLE FILE [KEY]: SQL that loads a file as a table whose columns have the types of their values.
use strict;
use warnings;
use JSON::PP;
use Encode;

my ($table, $file, $key) = @ARGV;
$key //= '';
binmode STDOUT, ':encoding(UTF-8)';

sub slurp
{
	open my $in, '<:raw', $_[0] or die "$_[0]: $!";
	local $/;
	my $bytes = <$in>;
	$bytes =~ s/^\xEF\xBB\xBF//;
	my $text = eval { decode('UTF-8', my $copy = $bytes, Encode::FB_CROAK) };
	return $text // decode('ISO-8859-1', $bytes);
}

# A list of columns, a list of rows; an empty value is none.
sub read_csv
{
	my ($text) = @_;
	my (@rows, @row);
	while ($text =~ /\G(?:"((?:[^"]|"")*)"|([^,\r\n]*))(,|\r?\n|\z)/g)
	{
		my ($value, $end) = ($1 // $2, $3);
		last if $value eq '' && $end eq '' && !@row;
		$value =~ s/""/"/g;
		push @row, $value eq '' || $value eq 'NA' ? undef : $value;
		if ($end ne ',') { push @rows, [@row]; @row = (); }
		last if $end eq '';
	}
	my $head = shift @rows;
	my $none = 0;
	return [map { $_ // 'column' . ++$none } @$head], \@rows;
}

sub read_json
{
	my ($text) = @_;
	my $list = JSON::PP->new->decode($text);
	my (@columns, %seen);
	for my $object (@$list) { for (sort keys %$object) { push @columns, $_ unless $seen{$_}++ } }
	return \@columns, [map { my $o = $_; [map { my $v = $o->{$_}; !defined $v || $v eq '' ? undef : ref $v ? encode_json($v) : $v } @columns] } @$list];
}

sub type_of
{
	my ($values) = @_;
	my $type = '';
	my $largest = 0;
	my %is = (integer => qr/^[+-]?\d{1,18}\z/, numeric => qr/^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\z/, date => qr/^\d{4}-\d\d-\d\d\z/,
		timestamp => qr/^\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d(\.\d+)?)?\z/, boolean => qr/^(t|f|true|false)\z/i);
	my @candidates = ('integer', 'numeric', 'date', 'timestamp', 'boolean');
	my $any = 0;
	for my $value (grep { defined } @$values)
	{
		$any = 1;
		@candidates = grep { $value =~ $is{$_} } @candidates;
		# a number that begins with 0 is a code
		@candidates = grep { $_ ne 'integer' && $_ ne 'numeric' } @candidates if $value =~ /^0\d/;
		return 'text' unless @candidates;
		$largest = abs $value if $candidates[0] eq 'integer' && abs $value > $largest;
	}
	return 'text' unless $any;
	return $candidates[0] eq 'integer' && $largest >= 2147483648 ? 'bigint' : $candidates[0];
}

my $text = slurp($file);
my ($columns, $rows) = $file =~ /\.json\z/ ? read_json($text) : read_csv($text);
my @definitions;
for my $i (0 .. $#$columns)
{
	my $name = $columns->[$i] =~ s/"/""/gr;
	push @definitions, sprintf '"%s" %s%s', $name, type_of([map { $_->[$i] } @$rows]), $columns->[$i] eq $key ? ' PRIMARY KEY' : '';
}
print "CREATE TABLE $table (" . join(', ', @definitions) . ");\n\\set QUIET on\nCOPY $table FROM STDIN WITH (FORMAT csv);\n";
for my $row (@$rows)
{
	print join(',', map { my $v = $row->[$_]; defined $v ? '"' . ($v =~ s/"/""/gr) . '"' : '' } 0 .. $#$columns) . "\n";
}
print "\\.\nANALYZE $table;\n";
