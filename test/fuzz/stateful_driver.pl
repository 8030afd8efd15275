# stateful_driver: the loop of the stateful fuzzer. Called by the script `stateful`, which has started a server.
use strict;
use warnings;
use Time::HiRes 'time';
use stateful_world;
use stateful_steps;
use stateful_model;
use stateful_sequence;

$| = 1;
my ($seconds, $sequences, $one, $first, $shrink, $only) = (30, undef, undef, undef, 1);
for my $argument (@ARGV)
{
	if ($argument =~ /^(\d+)$/) { $seconds = $1 }
	elsif ($argument =~ /^sequences=(\d+)$/) { $sequences = $1 }
	elsif ($argument =~ /^--seed=(\d+)$/) { $one = $1 }
	elsif ($argument =~ /^seed=(\d+)$/) { $first = $1 }
	elsif ($argument eq 'related') { $only = 1 }
	elsif ($argument eq '--no-shrink') { $shrink = 0 }
	else { die "usage: stateful [SECONDS | sequences=N | --seed=N] [seed=N] [related] [--no-shrink]\n" }
}
$first //= int(time * 1000) % 1000000000;

my $sequences_a_database = 250;
my $log = $ENV{PEGS_FUZZ_LOG};
my (%ok, %failed, %states);
my ($passed, $wrong, $steps, $log_at) = (0, 0, 0, 0);

stateful_world::prepare_server();
my @world = map { stateful_world->new($_) } 0, 1;
my $started = $world[0]{observer}->selectrow_array('SELECT pg_postmaster_start_time()');

sub count_step
{
	my ($step, $out) = @_;
	$steps++;
	if ($out->{state} eq '00000') { $ok{ $step->{kind} }++ }
	else { $failed{ $step->{kind} }++; $states{ $step->{kind} }{ $out->{state} }++ }
}

# What the server wrote since the last look.
sub look_at_log
{
	return unless defined $log;
	open my $in, '<', $log or return;	# an ordinary user's server is its own
	seek $in, $log_at, 0;
	local $/;
	my $text = <$in> // '';
	$log_at += length $text;
	close $in;
	for my $line (split /\n/, $text)
	{
		stateful_model::violation('server', "the log says: $line") if $line =~ /terminated by signal|PANIC|TRAP:|terminating any other active|database system was interrupted/;
		stateful_model::violation('leak', "the log says: $line") if $line =~ /WARNING:.*(leak|still referenced|you don't own|not owned)|AbortSubTransaction while/;
		for my $marker (@stateful_world::marker, @stateful_world::marker_number)
		{
			stateful_model::violation('marker', "the log says: $line") if index($line, $marker) >= 0;
		}
	}
}

sub last_check
{
	my ($sequence) = @_;
	my $now = $world[0]{observer}->selectrow_array('SELECT pg_postmaster_start_time()');
	stateful_model::violation('server', 'it was restarted') if !defined $now || $now ne $started;
	look_at_log();
}

# A sequence from steps that are made as it goes, or from those of an earlier run. Gives the violation, or undef.
sub run_sequence
{
	my ($seed, %o) = @_;
	srand($seed);
	my $twin = rand() < 0.25;
	my $partitioned = rand() < 0.2;
	my $related = rand() < 0.45;
	($partitioned, $related) = (0, 1) if $only;
	$related &&= !$partitioned;
	my @rows = ([0, 5, 40, 40, 40]->[rand 5], [0, 9, 17, 40]->[rand 4]);
	my $length = 5 + int rand 21;
	my @worlds = $twin ? @world : ($world[0]);
	$stateful_steps::serial = 0;

	$_->reset(partitioned => $partitioned, related => $related, rows => \@rows) for @worlds;
	my %has = map { $_ => 1 } @{ $worlds[0]{observer}->selectcol_arrayref("SELECT proname FROM pg_proc WHERE proname LIKE 'pegs%'") };
	my $sequence = stateful_sequence->new(\@worlds, verbose => $o{verbose} || $ENV{PEGS_FUZZ_VERBOSE}, counted => $o{steps} ? undef : \&count_step, last_check => \&last_check, has => \%has, related => $related);
	my @given = $o{steps} ? @{ $o{steps} } : ();
	my @opening = $o{steps} ? () : stateful_steps::opening($sequence);
	my $left = $length + @opening;
	my $next = $o{steps}
		? sub { return shift @given }
		: sub { return undef if $left-- <= 0; my $s = shift @opening; $s = $s->() if ref $s eq 'CODE'; return $s || stateful_steps::next_step($sequence) };

	eval { $sequence->run($next); 1 } and return (undef, $sequence);
	my $error = $@;
	$error = { violation => 'fuzzer', words => $error } unless ref $error;
	# the connections are in any state
	for my $w (@worlds)
	{
		eval { look_at_log() };
		my $tries = 0;
		# a server that fell over needs a moment
		until (eval { $w->renew; 1 }) { die "no way back: $@" if ++$tries > 30; sleep 1 }
	}
	$started = eval { $world[0]{observer}->selectrow_array('SELECT pg_postmaster_start_time()') } // $started;
	return ($error, $sequence);
}

# Leaves out what is not needed for the same kind of violation.
sub shrink
{
	my ($seed, $error, @step) = @_;
	my $tries = 0;

	for (my $size = int(@step / 2) || 1; $size >= 1; $size = $size > 1 ? int($size / 2) : 0)
	{
		for (my $at = 0; $at < @step && $tries < 150; )
		{
			my @without = @step;
			splice @without, $at, $size;
			$tries++;
			my ($again) = run_sequence($seed, steps => \@without);
			if ($again && $again->{violation} eq $error->{violation}) { @step = @without }
			else { $at += $size }
		}
	}
	return @step;
}

sub report
{
	my ($seed, $error, $sequence, $title) = @_;
	print "$title seed=$seed: $error->{violation}: $error->{words}\n";
	print "  at: $sequence->{current}{conn} $sequence->{current}{sql}\n" if $sequence->{current};
	print "  $_\n" for @{ $sequence->{said} };
}

my ($begin, $seed, $done) = (time, $one // $first, 0);
print "first seed $seed\n";
while (1)
{
	last if defined $one ? $done >= 1 : defined $sequences ? $done >= $sequences : time - $begin >= $seconds;
	if ($done && $done % $sequences_a_database == 0) { $_->renew for @world }
	my ($error, $sequence) = run_sequence($seed, verbose => defined $one);
	$done++;
	if ($error)
	{
		$wrong++;
		report($seed, $error, $sequence, 'FAILED');
		if ($shrink && $wrong <= 20 && $error->{violation} ne 'fuzzer')
		{
			my @few = shrink($seed, $error, @{ $sequence->{steps} });
			my ($again, $short) = run_sequence($seed, steps => \@few);
			if ($again) { report($seed, $again, $short, 'SHRUNK') }
			else { print "  (not the same every time)\n" }
		}
		print "  again with: stateful --seed=$seed", $only ? " related" : "", "\n";
		if ($wrong >= 50) { print "too many failures, stopping\n"; last }
	}
	else { $passed++ }
	$seed++;
	printf "%d sequences, %.0f s\n", $done, time - $begin if $done % 1000 == 0;
}
my $time = time - $begin;
$_->disconnect for @world;

printf "%-30s %8s %8s  %s\n", 'step', 'worked', 'failed', 'with';
for my $kind (sort { $a cmp $b } keys %{ { %ok, %failed } })
{
	my $s = $states{$kind} || {};
	printf "%-30s %8d %8d  %s\n", $kind, $ok{$kind} || 0, $failed{$kind} || 0, join ' ', map { "$_:$s->{$_}" } sort { $s->{$b} <=> $s->{$a} || $a cmp $b } keys %$s;
	# a kind of step that never works tests nothing; those that must fail are checked to fail
	if ($done >= 2000 && !$ok{$kind} && ($failed{$kind} || 0) >= 50 && $kind !~ /^(bad|denied|damaged)|\((late|select list)\)/)
	{
		print "FAILED step \"$kind\" never works\n";
		$wrong++;
	}
}
printf "%d sequences, %d steps, %.1f s, %.1f sequences/s\n", $done, $steps, $time, $done / ($time || 1);
print "$passed passed, $wrong failed\n";
exit($wrong || !$passed ? 1 : 0);
