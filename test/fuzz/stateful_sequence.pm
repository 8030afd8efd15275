# stateful_sequence: runs the steps of a sequence in its worlds, knows what state each connection is in, and asks the model
# (stateful_model.pm) after every step.
package stateful_sequence;

use strict;
use warnings;
use stateful_world;
use stateful_words;
use stateful_steps;
use stateful_model;
use JSON::PP;

our @ISA = ('stateful_model');

sub violation { goto &stateful_model::violation }
sub short { goto &stateful_model::short }

sub new
{
	my ($class, $worlds, %o) = @_;
	my %conn = map { $_ => { tx => 'idle', role => $stateful_world::login{$_}, savepoints => [], cursors => {}, effects => [], holds => [] } } keys %stateful_world::login;
	my $self = bless { worlds => $worlds, twin => @$worlds > 1, conn => \%conn, objects => {}, prepared => {}, steps => [], said => [], %o }, $class;

	for my $w (@$worlds)
	{
		$self->{w}[ $w->{number} ] = { account => {}, memo => {}, granted => {}, ever => {}, gone => {} };
		$w->{bytes} = {};
	}
	return $self;
}

# ---- one step ----

sub run_step
{
	my ($self, $step) = @_;
	my $conn = $self->{conn}{ $step->{conn} };
	my @out;

	$self->{current} = $step;
	return if $conn->{pending};	# only when a shrunk sequence has lost what waited for it
	push @{ $self->{steps} }, $step;
	$step->{persona} = $conn->{role};
	$step->{was} = $conn->{tx};
	for my $w (@{ $self->{worlds} })
	{
		my $sql = $w->expand($step->{sql});
		my $seen = $self->{w}[ $w->{number} ];

		$w->{maybe_open}{ $step->{conn} } = 1 if $step->{tx};
		if ($step->{async})
		{
			$conn->{pending} = { step => $step, sth => $w->start($step->{conn}, $sql), world => $w };
			push @{ $self->{pending} }, $conn->{pending};
			$self->owe($w, $step, 0, 1);
			$self->say_step($step, 'started');
			$self->check($w, undef);
			return;
		}
		$w->execute($step->{conn}, "SET statement_timeout = $step->{timeout}") if $step->{timeout};
		$out[ $w->{number} ] = $w->execute($step->{conn}, $sql);
		# which may itself take longer than that
		for (1 .. ($step->{timeout} ? 1000 : 0)) { last if $w->execute($step->{conn}, 'RESET statement_timeout')->{state} ne '57014' }
	}
	$self->say_step($step, $out[0]{state}, $out[0]);
	$self->follow($step, $conn, $_, $out[ $_->{number} ]) for @{ $self->{worlds} };
	$self->settle($step, $conn, $out[0]);
	$self->check($_, $step, $out[ $_->{number} ]) for @{ $self->{worlds} };
	$self->twins($step, @out) if $self->{twin};
	return;
}

sub say_step
{
	my ($self, $step, $state, $out) = @_;
	my $line = sprintf('%-2s %-5s %s', $step->{conn}, $state, $self->{worlds}[0]->expand($step->{sql}));

	$line =~ s/\n\s*/ /g;
	$line = substr($line, 0, 1200) . '...' if length $line > 1200;
	$line .= "\n           -- timeout $step->{timeout} ms" if $step->{timeout};
	$line .= "\n           -- async" if $step->{async};
	$line .= "\n           -- " . short($out->{text}) if $out && $out->{text} ne '';
	push @{ $self->{said} }, $line;
	print "$line\n" if $self->{verbose};
	return;
}

# What a started step gave, once it is there.
sub collect
{
	my ($self, $pending) = @_;
	my ($step, $w) = ($pending->{step}, $pending->{world});
	my $conn = $self->{conn}{ $step->{conn} };
	my $out = $w->finish($step->{conn}, $pending->{sth});

	delete $conn->{pending};
	@{ $self->{pending} } = grep { $_ != $pending } @{ $self->{pending} };
	push @{ $self->{said} }, "$step->{conn} $out->{state}      -- is what it gave: " . short($step->{sql}) . "\n           -- " . short($out->{text});
	print "$self->{said}[-1]\n" if $self->{verbose};
	$self->{current} = { %$step, collected => 1 };
	$self->owe($w, $step, 0, -1);
	$self->follow($step, $conn, $w, $out);
	$self->settle($step, $conn, $out);
	$self->check($w, $step, $out);
	return;
}

# Tells the counters, and the connection's own state.
sub settle
{
	my ($self, $step, $c, $out) = @_;
	my $ok = $out->{state} eq '00000';

	$self->{focus} = ($step->{makes} || [])->[0] // $step->{needs} // $step->{likes} // $self->{focus};
	$self->{counted}->($step, $out) if $self->{counted};
	$self->{objects}{ $step->{makes}[0] } = $step->{makes}[1] if $ok && $step->{makes};
	if ($ok && $step->{makes} && $step->{kind} eq 'fit schema') { my $w = $self->{worlds}[0]; $step->{makes}[1]{names} = { map { $_ => eval { JSON::PP->new->allow_nonref->decode($w->bare_name($_)) } } qw(A C E) } }
	if ($ok && $step->{import} && $self->{exported}) { $step->{sql} =~ /'(.i1)'/; $self->{objects}{$1} = $self->{exported} }
	if ($ok && $step->{keep_bytes} && $step->{exported}) { $self->{exported} = $step->{exported}; $self->{have_bytes} = 1 }
	if (!$ok)
	{
		# a cursor whose FETCH failed stays failed, also after ROLLBACK TO: COMMIT does not run it
		if ($c->{tx} eq 'open' && $step->{kind} eq 'fetch' && (my $cursor = $c->{cursors}{ $step->{cursor}[1] })) { $cursor->{fetched} = 1 }
		$c->{tx} = 'failed' if $c->{tx} eq 'open';
		if (($step->{tx} || '') =~ /^(commit|prepare)$/) { $self->end($c, 0) }
		return;
	}
	$self->{grants}{ $step->{grants}[0] }{ $step->{grants}[1] } = 1 if $step->{grants};
	$self->{grants}{ $step->{makes}[0] }{maker} = $step->{persona} if $step->{makes} && $step->{kind} =~ /^release/;
	while ($step->{sql} =~ /pegs_set_(?:levels|bins|lookup)\(\{(.)\}, '([^']+)'/g) { $self->{declared}{$1}{$2} = 1 }
	while ($step->{sql} =~ /pegs_unset\(\{(.)\}, '([^']+)'/g) { delete $self->{declared}{$1}{$2} }
	$self->{undeclared}{ $step->{sql} =~ /\{b\}/ ? 'B' : 'A' } = $step->{kind} eq 'insert undeclared' if $step->{kind} =~ /^(insert undeclared|delete|truncate)/;
	push @{ $c->{touched} }, grep { defined } $step->{needs}, $step->{likes}, $step->{makes} ? $step->{makes}[0] : () if $c->{tx} eq 'open' && !$step->{must};
	$c->{impatient} = 1 if $step->{kind} eq 'set timeout';
	my $tx = $step->{tx} || '';
	if ($tx eq 'begin') { @$c{qw(tx snapshot serializable read_only began_as)} = ('open', $step->{snapshot}, $step->{serializable}, $step->{read_only}, $c->{role}); $c->{savepoints} = []; $c->{effects} = [] }
	elsif ($tx eq 'savepoint') { push @{ $c->{savepoints} }, { name => $step->{savepoint}, role => $c->{role}, effects => scalar @{ $c->{effects} } } }
	elsif ($tx eq 'release' || $tx eq 'rollback to')
	{
		my @s = @{ $c->{savepoints} };
		pop @s while @s && $s[-1]{name} ne $step->{savepoint};
		if ($tx eq 'release') { pop @s }
		elsif (@s)
		{
			my $depth = @s;
			splice @{ $c->{effects} }, $s[-1]{effects};
			$c->{role} = $s[-1]{role};
			$c->{tx} = 'open';
			for my $name (keys %{ $c->{cursors} }) { delete $c->{cursors}{$name} if $c->{cursors}{$name}{depth} >= $depth && !$c->{cursors}{$name}{safe} }
		}
		$c->{savepoints} = \@s;
		# what was declared above is now of the level below
		for my $cursor (values %{ $c->{cursors} }) { $cursor->{depth} = @s if $cursor->{depth} > @s }
	}
	elsif ($tx eq 'commit') { $self->end($c, $step->{was} eq 'open') }
	elsif ($tx eq 'rollback') { $self->end($c, 0) }
	elsif ($tx eq 'prepare')
	{
		my $worked = $step->{was} eq 'open';
		$self->{prepared}{ $step->{gid} } = { effects => [@{ $c->{effects} }], conn => $step->{conn} } if $worked;
		$c->{effects} = [];
		$self->end($c, $worked, 1);
	}
	elsif ($tx eq 'commit prepared') { $self->{owed_effects} = (delete $self->{prepared}{ $step->{gid} })->{effects} if $self->{prepared}{ $step->{gid} } }
	elsif ($tx eq 'rollback prepared') { delete $self->{prepared}{ $step->{gid} } }
	$c->{role} = $step->{role} if $step->{role};
	if ($step->{cursor})
	{
		my ($what, $name, $cursor) = @{ $step->{cursor} };
		if ($what eq 'declare') { $c->{cursors}{$name} = { %$cursor, depth => scalar @{ $c->{savepoints} }, safe => $c->{tx} eq 'idle', fetched => $c->{tx} eq 'idle' } }
		elsif ($what eq 'fetch') { $c->{cursors}{$name}{fetched} = 1 if $c->{cursors}{$name} }
		else { delete $c->{cursors}{$name} }
	}
	if ($step->{effects})
	{
		# others may have had the last word since a started step was done
		if ($c->{tx} eq 'idle') { $self->{owed_effects} = $step->{effects} unless $step->{async} }
		else { push @{ $c->{effects} }, @{ $step->{effects} } }
	}
	return;
}

# A transaction has ended.
sub end
{
	my ($self, $c, $committed, $prepared) = @_;

	$self->{owed_effects} = [@{ $c->{effects} }] if $committed;
	$c->{role} = $c->{began_as} if !$committed && defined $c->{began_as};
	for my $name (keys %{ $c->{cursors} })
	{
		my $cursor = $c->{cursors}{$name};
		if ($cursor->{safe}) { next }
		if ($committed && $cursor->{hold}) { @$cursor{qw(safe fetched)} = (1, 1) }
		else { delete $c->{cursors}{$name} }
	}
	@$c{qw(tx snapshot serializable read_only)} = ('idle', 0, 0, 0);
	$c->{savepoints} = [];
	$c->{effects} = [];
	$c->{touched} = [];
	$c->{impatient} = 0;
	delete $c->{began_as};
	return;
}

# ---- a whole sequence ----

# A step, with what has to be known before it and done after it.
sub run_step_of
{
	my ($self, $step) = @_;

	$step = { %$step };
	# a cursor WITH HOLD is run by COMMIT
	my $c = $self->{conn}{ $step->{conn} };
	$self->{held_charges} = undef;
	if (($step->{tx} || '') eq 'commit' && $c->{tx} eq 'open')
	{
		my @held = map { { %{ $_->{charge} }, maybe => 0 } } grep { $_->{hold} && !$_->{fetched} && !$_->{safe} && $_->{charge} } values %{ $c->{cursors} };
		# they run one after another: when one fails, those before it are paid for
		if (@held > 1) { $_->{maybe} = 1 for @held }
		$self->{held_charges} = \@held if @held;
	}
	$self->run_step($step);
	$self->{held_charges} = undef;
	unless ($self->is_pending)
	{
		$self->{loose} = {};
		for my $seen (grep { $_ } @{ $self->{w} }) { delete @$_{qw(late_epsilon late_delta)} for values %{ $seen->{account} } }
	}
	if (my @pending = @{ $self->{pending} || [] }) { $self->{wait_for}++ >= 2 and do { $self->collect($_) for @pending; $self->{wait_for} = 0 } }
	return;
}

# Runs the steps that `next` gives until it gives none. Dies with a violation.
sub run
{
	my ($self, $next) = @_;

	while (my $step = $next->($self)) { $self->run_step_of($step) }
	$self->collect($_) for @{ [@{ $self->{pending} || [] }] };
	$self->last_look;
	return;
}

# At the end nobody has a transaction, and everything that is there can be read by a superuser.
sub last_look
{
	my ($self) = @_;

	for my $name (sort keys %{ $self->{conn} })
	{
		next if $self->{conn}{$name}{tx} eq 'idle';
		my $how = $self->{conn}{$name}{tx} eq 'open' ? 'commit' : 'rollback';
		$self->run_step_of({ conn => $name, kind => $how, tx => $how, sql => uc $how });
	}
	for my $gid (sort keys %{ $self->{prepared} }) { $self->run_step({ conn => 'db', kind => 'rollback prepared', tx => 'rollback prepared', gid => $gid, sql => "ROLLBACK PREPARED '${gid}_{world}'" }) }
	$self->run_step({ conn => 'db', kind => 'reset role', sql => 'RESET ROLE', role => 'postgres' }) if $self->{conn}{db}{role} ne 'postgres';
	for my $w (@{ $self->{worlds} })
	{
		my $now = $self->{w}[ $w->{number} ]{last} || next;
		for my $object (values %{ $now->{release} }, grep { !$_->{sealed} && defined $_->{name} } values %{ $now->{model} })
		{
			my $release = $now->{release}{ $object->{id} };
			my $model = $release ? $now->{model}{ $release->{model} } : $object;
			my $spec = stateful_model::spec_of($model->{spec});
			next if $object->{name} =~ /^hh/;
			my @columns = map { $_->{name} } @{ $spec->{columns} };
			my $list = join ', ', map { stateful_words::qi($_->{name}) . " $_->{type}" } @{ $spec->{columns} };
			my $call = $release ? 'pegs_rows(' . stateful_words::sq($object->{name}) . ')' : 'pegs_sample(' . stateful_words::sq($object->{name}) . ', 5)';
			my $step = { conn => 'db', persona => 'postgres', kind => 'last look', was => 'idle', repeat => 1, needs => $object->{name}, sql => 'SELECT ' . stateful_words::as_text(@columns) . " FROM $call AS t($list)",
				rows => { object => $object->{name}, columns => \@columns, given => {}, release => $release ? 1 : 0 } };
			my $out = $w->execute('db', $step->{sql});
			$self->{current} = $step;
			push @{ $self->{said} }, "db $out->{state} $step->{sql}";
			violation('last look', "$out->{state} $out->{text}") if $out->{state} ne '00000' && $object->{name} ne 'damaged';
			next if $out->{state} ne '00000';
			$self->follow($step, $self->{conn}{db}, $w, $out);
			$self->check($w, $step, $out);
			my $described = $w->execute('db', 'SELECT pegs_describe(' . stateful_words::sq($object->{name}) . ')');
			violation('last look', "$described->{state} $described->{text}") if $described->{state} ne '00000';
		}
	}
	for my $w (@{ $self->{has}{pegs_verify_ledger} ? $self->{worlds} : [] })
	{
		my $bad = $w->{observer}->selectall_arrayref('SELECT account::text, part, finding, "from", "to" FROM pegs_verify_ledger() WHERE NOT ok');
		violation('ledger', 'pegs_verify_ledger: ' . ($w->{observer}->errstr // '')) unless $bad;
		violation('ledger', 'pegs_verify_ledger finds ' . join ' ', @{ $bad->[0] }) if @$bad;
	}
	$self->{last_check}->($self) if $self->{last_check};
	return;
}

1;
