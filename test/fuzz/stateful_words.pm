# stateful_words: what random steps are made of: dice, quotes, amounts, the tables and the names of what is made from them.
package stateful_words;

use strict;
use warnings;
use Exporter 'import';

our @EXPORT = (qw(chance pick between some weighted table_of sq qi js names texts is_curator row_list as_text model_columns parents_of js_name known focus any_name name_of),
	qw(@amounts @bad_epsilon @bad_delta @deltas %column %likely %values %account %objects @never %curates));

# ---- randomness: one stream, of the sequence's seed ----

sub chance { my ($p) = @_; return rand() < $p }
sub pick { return $_[int rand @_] }
sub between { my ($low, $high) = @_; return $low + int rand($high - $low + 1) }

sub some
{
	my ($n, @of) = @_;
	my @out;
	push @out, splice(@of, int rand @of, 1) while @of && $n-- > 0;
	return @out;
}

sub weighted
{
	my (@choices) = @_;	# [weight, thing]
	my $sum = 0;
	$sum += $_->[0] for @choices;
	my $at = rand $sum;
	for my $c (@choices) { return $c->[1] if ($at -= $c->[0]) < 0 }
	return $choices[-1][1];
}

sub sq { my ($s) = @_; return 'NULL' unless defined $s; $s =~ s/'/''/g; return "'$s'" }
sub qi { my ($s) = @_; $s =~ s/"/""/g; return "\"$s\"" }
sub js { my ($s) = @_; return 'null' unless defined $s; return $s if $s =~ /^-?\d+(\.\d+)?\z/; $s =~ s/(["\\])/\\$1/g; return "\"$s\"" }
sub names { return @_ ? 'ARRAY[' . join(', ', map { sq($_) } @_) . ']::name[]' : 'NULL' }
sub texts { return 'ARRAY[' . join(', ', map { sq($_) } @_) . ']::text[]' }

# Decimal text and what it is in units of 1e-9.
our @amounts = (['0.1', 100000000], ['0.01', 10000000], ['0.3', 300000000], ['0.123456789', 123456789], ['1', 1000000000],
	['0.0100000001', 10000001], ['0.05', 50000000], ['1e-9', 1], ['0.25', 250000000]);
our @bad_epsilon = ("'NaN'", "'Infinity'", "'-Infinity'", '-1', '0', '1e30', '1e-10', '9223372036.9');
our @bad_delta = ("'NaN'", '-1', '1', '1e-19', '1e30', 'NULL');
our @deltas = (['0', 0], ['0', 0], ['1e-9', 1000000000], ['1e-10', 100000000]);

# ---- the tables ----

our %column = (
	A => { g => 'text', k => 'fz.mood', b => 'boolean', n => 'int', note => 'text', w => 'numeric(6,2)', d => 'date',
		'odd "Nä' => 'text', person => 'int', code => 'text', x1 => 'boolean' },
	V => { g => 'text', n => 'int', code_n => 'int' },
	B => { p => 'text', q => 'int', note => 'text', c => 'character(2)' },
	# what hangs on A: stateful_related.pm
	C => { s => 'text', m => 'int', note => 'text' }, E => { h => 'text' });
# what has a domain without a declaration first, what usually gets one next
our %likely = (A => [qw(g k b g k b n note w d), 'odd "Nä'], V => [qw(g n code_n)], B => [qw(p c p note q)], C => [qw(s m s)], E => ['h']);
our %values = (g => ['M', 'F', 'x"y'], k => ['low', 'mid', 'hïgh "x"', undef], b => ['true', 'false'], n => [5, 15, 29, undef],
	note => ['u', 'v', 'wörd', undef], w => [0.5, 3], d => ['2020-01-05', '2020-06-01'], 'odd "Nä' => ['1', 'ä'], code_n => [1, 2, 3],
	s => ['x', 'z'], m => [2, 7], h => ['p', 'q'], p => [1, 2, 4], q => [2, 12], c => ['x', 'yy'], person => [1], code => ['1'], x1 => ['true']);
our %account = (A => 'A', V => 'A', B => 'B', C => 'C', E => 'E');
our %objects = (
	A => { sealed => ['as1', 'as1', 'as "q"'], perturbed => ['ap1', 'ap1', "ap ü'"], imported => ['ai1'], diverse => ['al1'], sliced => ['aw1'], of_sealed => ['asr1', 'asr2'], of_perturbed => ['apr1', 'apr2'] },
	V => { sealed => ['vs1'], perturbed => ['vp1'], imported => ['ai1'], diverse => ['vl1'], of_sealed => ['vsr1'], of_perturbed => ['vpr1'] },
	B => { sealed => ['bs1'], perturbed => ['bp1'], imported => ['bi1'], diverse => ['bl1'], of_sealed => ['bsr1'], of_perturbed => ['bpr1'] },
	map { my $t = lc; $_ => { sealed => ["${t}s1"], perturbed => ["${t}p1"], imported => ['ai1'], diverse => ["${t}l1"], of_sealed => ["${t}sr1"], of_perturbed => ["${t}pr1"] } } qw(C E));
our @never = ('never "was"', 'as9', 'ünknown', 'AS1', ' as1', 'x' x 70);

# Whose tables a persona may treat as its own.
our %curates = (own_a => ['A', 'A', 'V'], curator_a => ['A', 'A', 'V'], curator_b => ['B'], postgres => ['A', 'B', 'V']);
sub is_curator { my ($persona, $account) = @_; return $persona eq 'postgres' || ($account eq 'B' ? $persona eq 'curator_b' : $persona =~ /_a$/) }
# by the name of an object
sub table_of { my ($name) = @_; return $name =~ /^([bvce])/ ? uc $1 : 'A' }

sub row_list { my ($t, @columns) = @_; return join ', ', map { qi($_) . ' ' . ($column{$t}{$_} || 'text') } @columns }
sub as_text { my (@columns) = @_; return join ', ', map { 't.' . qi($_) . '::text' } @columns }

# Columns for a model: with a domain, as far as is known.
sub model_columns
{
	my ($s, $t) = @_;
	my %seen;
	my $declared = $s->{declared}{$t} ||= {};
	my @can = grep { $declared->{$_} || $t eq 'V' && $s->{declared}{A}{$_} || /^[gkbpcsh]\z/ } @{ $likely{$t} };
	return grep { !$seen{$_}++ } some(between(1, 4), chance(0.95) ? @can : @{ $likely{$t} });
}

sub parents_of
{
	my (@columns) = @_;
	my @out;
	for my $c (@columns)
	{
		next if chance(0.5);
		my @p = some(between(1, 2), grep { $_ ne $c } @columns);
		push @out, js_name($c) . ': [' . join(', ', map { js_name($_) } @p) . ']' if @p;
	}
	return '{' . join(', ', @out) . '}';
}
sub js_name { my ($s) = @_; $s =~ s/(["\\])/\\$1/g; return "\"$s\"" }

# The objects of a table that were made at some time, or may have been.
sub known { my ($s, $t, $kind) = @_; return grep { $s->{objects}{$_} } @{ $objects{$t}{$kind} } }
# What the step before was about is asked for again: that is where transactions meet.
sub focus { my ($s, @names) = @_; return defined $s->{focus} && chance(0.5) && grep({ $_ eq $s->{focus} } @names) ? $s->{focus} : undef }
sub any_name
{
	my ($s, $t) = @_;
	my $focus = focus($s, map { @$_ } values %{ $objects{$t} });
	return $focus if defined $focus;
	my @known = map { known($s, $t, $_) } qw(sealed perturbed imported diverse of_sealed of_perturbed);
	return @known && chance(0.9) ? pick(@known) : chance(0.5) ? pick(map { @$_ } values %{ $objects{$t} }) : pick(@never);
}
sub name_of { my ($s, $t, @kinds) = @_; my $focus = focus($s, map { @{ $objects{$t}{$_} } } @kinds); return $focus if defined $focus; my @known = map { known($s, $t, $_) } @kinds; return @known && chance(0.93) ? pick(@known) : pick(map { @{ $objects{$t}{$_} } } @kinds) }

1;
