# stateful_model: what must hold. After every step, looked at by a superuser in a transaction
# of its own:
#
#   spent          of a budget and of a cap never falls and is never more than its total. A step that worked raised it by
#                  exactly what it asked, in the right account, and in one cap if the caller is no curator; a step that
#                  failed by nothing. Whether it is rolled back later has no say in it.
#   rho            of an account in rho the same of its third sequence, by claim P20 worked out again (stateful_rho.pm); what was
#                  asked for is held against nothing. Accounts of sums have none.
#   slices         a mark never falls; a fit of slices that worked raised it, and charged nothing; no slice is fitted twice.
#   ledger         intervals do not overlap and lie inside (0, spent], of each sequence; none has epsilon and no rho.
#   free           rows of a perturbed model, of a release, costs, descriptions: the same again, from whoever asks.
#   rows           every value is declared, no combination is forbidden, what was given is there; the spec says so, and
#                  the spec has what was declared.
#   rights         only what was granted. What is not granted and what does not exist are one error. Who is no curator drops
#                  what it made, and nothing else; stores no more than its grant allows. Who is not allowed curates nothing.
#   waits          nobody waits for the transaction of a grantee, open or prepared.
#   budget         a total that was lowered fails at COMMIT if more is spent by then; one that was changed is not
#                  prepared, one that is new may be.
#   twins          two worlds, of which only the rows differ, tell a grantee the same.
#   marker         a value that no domain has is in no row, no error, no notice, and not in the server's log.
#   effects        what a committed step said it did is there; what was rolled back is not.
#   server         never restarts, never says that it is surprised (SQLSTATE XX...), leaks nothing.
#
# A violation is an exception: "what: words". Where a step may have been charged or not (it was cancelled), both are right.
package stateful_model;

use strict;
use warnings;
use JSON::PP;
use stateful_world;
use stateful_words;
use stateful_rho;
use stateful_related;

my $json = JSON::PP->new->allow_nonref;
my %parsed;	# spec text => what it says

sub spec_of { my ($text) = @_; %parsed = () if keys %parsed > 500; return $parsed{$text} ||= $json->decode($text) }

sub violation { my ($what, @words) = @_; die { violation => $what, words => join(' ', @words) } }

sub short { my ($s) = @_; $s //= 'NULL'; $s =~ s/\s+/ /g; return length $s > 400 ? substr($s, 0, 400) . '...' : $s }

# ---- what a step costs ----

# A started step may have been charged already: it is owed by nobody and may be there (by = 1), or no more (-1).
sub owe
{
	my ($self, $w, $step, $always, $by) = @_;
	my $charge = $step->{charge} or return;

	for my $a (map { $self->{w}[ $w->{number} ]{account}{$_} ||= {} } stateful_related::candidates($charge->{account}))
	{
		$a->{maybe} += $by * $charge->{epsilon} * $charge->{times};
		$a->{maybe_delta} += $by * $charge->{delta} * $charge->{times};
	}
	return;
}

# The charges that are right for what a step gave: lists of [times] of one charge.
sub right_times
{
	my ($step, $out, $conn) = @_;
	my $charge = $step->{charge};
	my $times = $charge->{times};
	my $state = $out->{state};

	return (0 .. $times) if $charge->{maybe};
	return ($times) if $state eq '00000';
	return ($times) if $step->{late} && $state eq '22012';
	# says itself that it was charged
	return (1 .. $times) if $state eq '57014' && $out->{text} =~ /^CONTEXT:.*\bwas charged to table/m;
	return (0 .. $times) if $state eq '57014' || $state eq '57000' || ($state eq '40001' && $conn->{serializable});
	return (0 .. $times - 1) if $times > 1;	# the first of two was paid for when the second failed
	return (0);
}

# Compares an outcome with the step's own words.
sub follow
{
	my ($self, $step, $conn, $w, $out) = @_;
	my $seen = $self->{w}[ $w->{number} ];
	my $ok = $out->{state} eq '00000';

	violation('server', "the connection is lost: $out->{text}") if $out->{state} =~ /^(08|57P0)/ || $out->{text} =~ /server closed the connection|terminating connection/;
	violation('surprise', "$out->{state} $out->{text}") if $out->{state} =~ /^(XX|\?)/ && $out->{text} !~ /tuple concurrently (updated|deleted)/;
	for my $said ($out->{text}, $out->{notices}, $out->{rows} ? map({ map { $_ // '' } @$_ } @{ $out->{rows} }) : ())
	{
		for my $marker ($stateful_world::marker[ $w->{number} ], $stateful_world::marker_number[ $w->{number} ])
		{
			violation('marker', 'a value of the rows is in: ' . short($said)) if index($said, $marker) >= 0;
		}
		violation('leak', short($said)) if $said =~ /leak|still referenced|does not own/;
	}
	violation('hang', 'it was cancelled after 300 s') if $out->{state} eq '57014' && $out->{text} =~ /statement timeout/ && !$step->{timeout} && !$conn->{impatient};
	violation('accepted', "it had to fail, and worked") if $ok && ($step->{must} || '') eq 'fail';
	$self->check_waits($step, $out) if $out->{state} eq '55P03' && !$step->{async};
	if (($step->{tx} || '') eq 'commit' && $out->{state} eq '22023' && $out->{text} =~ /budget/) { violation('budget', 'COMMIT fails, and no budget was set') unless grep { $_->[0] eq 'budget' } @{ $conn->{effects} } }
	if (($step->{tx} || '') eq 'prepare' && $ok && $step->{was} eq 'open')
	{
		# one that makes the account is: nobody can be charged yet, so nobody waits
		violation('budget', 'a transaction that changed a total was prepared') if grep { $_->[0] eq 'budget' && $seen->{last}{budget}{ $w->{oid}{ $_->[1] } } } @{ $conn->{effects} };
		violation('waits', 'a transaction that has bound a table was prepared') if grep { $_->[0] eq 'bound' } @{ $conn->{effects} };
		violation('waits', 'a transaction in which a grantee made or dropped a release was prepared') if is_grantee($step->{conn}) && grep { $_->[0] eq 'object' } @{ $conn->{effects} };
	}
	violation('orphans', 'rows without a parent, or a key twice') if $ok && ($step->{law} || '') eq 'orphans' && ($out->{rows}[0][0] // '') !~ /^[1t]\z/;
	violation('merge law', "the parts are not the whole: $out->{rows}[0][0]") if $ok && $step->{law} && ($out->{rows}[0][0] // '') ne '1' && ($out->{rows}[0][0] // '') ne 't';
	$w->{bytes}{last} = '\x' . unpack('H*', $out->{rows}[0][0] // '') if $ok && $step->{keep_bytes} && $out->{rows};
	if ($ok && $step->{view} && !$stateful_words::curates{ $step->{persona} })
	{
		violation('rights', "$step->{persona} sees a $step->{view}: " . short(join ',', map { $_ // '' } @{ $out->{rows}[0] })) if $step->{view} =~ /budgets|ledger/ && @{ $out->{rows} };
	}
	return;
}

sub is_grantee { my ($conn) = @_; return $conn eq 'an' || $conn eq 'st' }

# Only grantees have something open, and somebody waited until the lock timeout: for one of them.
sub check_waits
{
	my ($self, $step, $out) = @_;
	my @open = grep { $_ ne $step->{conn} && $self->{conn}{$_}{tx} ne 'idle' } sort keys %{ $self->{conn} };

	push @open, map { $_->{conn} } values %{ $self->{prepared} };
	return if $self->is_pending || !@open || grep({ !is_grantee($_) } @open) || $step->{sql} !~ /\bpegs_/ || $out->{text} !~ /lock timeout/;
	violation('waits', "for a transaction of a grantee (@open): " . short($out->{text}));
}

# ---- after a step ----

sub check
{
	my ($self, $w, $step, $out) = @_;
	my $seen = $self->{w}[ $w->{number} ];
	my $now = $w->observe;

	violation('observer', $now->{error}) if $now->{error};
	my $before = $seen->{last} || { parent => {}, table => {}, ledger => [], budget => {}, access => {}, named => {}, model => {}, release => {}, caps_known => 1 };
	$self->check_accounts($w, $seen, $before, $now, $step, $out);
	stateful_related::check_bound($self, $w, $seen, $before, $now, $step, $out);
	$self->check_caps($w, $seen, $before, $now, $step, $out);
	$self->check_ledger($w, $seen, $now);
	$self->check_slices($seen, $now, $step, $out);
	for my $release (values %{ $now->{release} })
	{
		violation('orphan', "release $release->{name} has lost the facts of its model") unless $now->{model}{ $release->{model} };
		violation('orphan', "release $release->{name} has no maker") unless $now->{made}{ $release->{id} };
	}
	for my $id (keys %{ $now->{made} }) { violation('orphan', "the maker of release $id, which is not there") unless $now->{release}{$id} }
	for my $role (keys %{ $now->{curator} })
	{
		my $c = $now->{curator}{$role};
		violation('rights', "$role is " . ($c->{allowed} ? '' : 'not ') . 'allowed, and may call: ' . join ', ', map { $_ ? 'yes' : 'no' } @{ $c->{may} }) if grep { $_ != $c->{allowed} } @{ $c->{may} };
	}
	for my $model (values %{ $now->{model} }) { $seen->{first}{ $model->{id} } = $model->{first} }
	for my $grant (values %{ $now->{access} }) { $seen->{granted}{ $grant->{object} }{ $grant->{grantee} } = 1 }
	$self->check_effects($w, $seen, $now) if $step && $self->{owed_effects} && !@{ $self->{pending} || [] };
	delete $self->{owed_effects} if $step && $w == $self->{worlds}[-1];
	if ($step && $out)
	{
		$self->check_rights($w, $seen, $before, $now, $step, $out);
		$self->check_makers($w, $before, $now, $step) if $out->{state} eq '00000' && !$step->{async} && !$self->is_pending;
		$self->check_rows($w, $seen, $before, $now, $step, $out) if $out->{state} eq '00000' && $step->{rows} && $out->{rows};
		$self->check_repeat($w, $seen, $before, $now, $step, $out) if $out->{state} eq '00000' && $step->{repeat};
		$self->check_probe($w, $seen, $step, $out) if $step->{probe};
		$self->check_fitted($w, $seen, $now, $step) if $out->{state} eq '00000' && $step->{fitted} && !$step->{async};
	}
	$seen->{last} = $now;
	return;
}

# While others are at it.
sub is_pending { my ($self) = @_; return @{ $self->{pending} || [] } > 0 }

sub check_accounts
{
	my ($self, $w, $seen, $before, $now, $step, $out) = @_;
	my $conn = $step ? $self->{conn}{ $step->{conn} } : undef;
	my @charges;

	push @charges, $step->{charge} if $step && $step->{charge};
	# COMMIT runs a cursor WITH HOLD of which nothing was fetched
	push @charges, @{ $self->{held_charges} || [] };
	for my $which (grep { defined $w->{oid}{$_} } qw(A B C E))
	{
		my $account = $seen->{account}{$which} ||= {};
		my $oid = $w->{oid}{$which};
		my ($was, $is) = ($before->{budget}{$oid}, $now->{budget}{$oid});

		violation('spent', "the budget of $which is gone") if $was && !$is;
		$is ||= { epsilon => 0, delta => 0, epsilon_spent => 0, delta_spent => 0, rho => 0, rho_spent => 0 };
		$was ||= { epsilon => 0, delta => 0, epsilon_spent => 0, delta_spent => 0, rho => 0, rho_spent => 0, in_rho => $is->{in_rho} };
		violation('rho', "the account of $which is of another kind") if !$was->{in_rho} != !$is->{in_rho};
		$self->check_rho($w, $which, $was, $is, $before, $now, $step, $out, @charges);
		for my $unit (qw(epsilon delta))
		{
			# in rho: what was asked for is held against nothing, and delta is what levels took, of a tenth
			my $total = !$is->{in_rho} ? $is->{$unit} : $unit eq 'epsilon' ? undef : int($is->{delta} / 10);
			violation('spent', "$unit of $which fell from $was->{$unit . '_spent'} to $is->{$unit . '_spent'}") if $is->{ $unit . '_spent' } < $was->{ $unit . '_spent' };
			violation('spent', "$unit of $which: " . $is->{ $unit . '_spent' } . " of $total") if defined $total && $is->{ $unit . '_spent' } > $total;
			my $moved = $is->{ $unit . '_spent' } - $was->{ $unit . '_spent' };
			if ($step && $step->{adopted} && $step->{adopted}[0] eq $which && $out->{state} eq '00000')
			{
				$self->{loose}{$which} = 1 if $self->is_pending;
				next if $unit eq 'delta' || $is->{in_rho} || $self->is_pending || grep { $_->[0] eq 'budget' } @{ $conn->{effects} };
				my $left = $is->{epsilon} - $is->{epsilon_spent};
				violation('adopt', "$step->{adopted}[1] should be left, and $left is") if $left != $step->{adopted}[1];
				next;
			}
			# what others were charged at the same time cannot be told from what adopting takes away
			next if $self->{loose}{$which};
			# cancelled after it had lowered what is left, which nothing takes back
			next if $step && $step->{adopted} && $step->{adopted}[0] eq $which && $out->{state} eq '57014';
			violation('copied', "$unit of $which was spent, and is a copy") if $moved > 0 && $was->{copied} && $is->{copied};
			my @right = (0);
			for my $charge (@charges)
			{
				my @payers = stateful_related::payers($w, $before, $step, $charge->{account});
				next unless grep { $_ eq $which } @payers;
				my %next;
				for my $times (right_times({ %{ $step || {} }, charge => @payers > 1 ? { %$charge, maybe => 1 } : $charge }, $out, $conn))
				{
					for my $amount (amounts_of($charge, $unit, $is->{in_rho})) { $next{ $_ + $times * $amount } = 1 for @right }
				}
				@right = sort { $a <=> $b } keys %next;
			}
			my $maybe = $account->{ $unit eq 'epsilon' ? 'maybe' : 'maybe_delta' } || 0;
			# what moved while somebody was pending and may belong to it: all that it can be
			my @late = @{ $account->{"late_$unit"} || [0] };
			if ($self->is_pending || $step && $step->{async})
			{
				my %left;
				for my $late (@late) { for my $right (@right) { my $left = $moved + $late - $right; $left{$left} = 1 if $left >= 0 && $left <= $maybe } }
				violation('charge', "$unit of $which moved by $moved (@late before), right is @right, and up to $maybe of others") unless %left;
				$account->{"late_$unit"} = [sort { $a <=> $b } keys %left];
				next;
			}
			violation('charge', "$unit of $which moved by $moved, right is @right") unless grep { $_ == $moved } @right;
		}
	}
	return;
}

# What a call may move of epsilon or delta; in rho delta is for levels alone, unless their noise is pure all of what they ask for.
sub amounts_of
{
	my ($charge, $unit, $in_rho) = @_;

	return $charge->{$unit} if $unit eq 'epsilon' || !$in_rho && !$charge->{spare_delta};
	return (0, $charge->{delta}) if !$in_rho;
	return ($charge->{how} || [''])->[0] eq 'levels' ? ($charge->{delta}, int($charge->{delta} / 10)) : 0;
}

sub check_rho
{
	my ($self, $w, $which, $was, $is, $before, $now, $step, $out, @charges) = @_;
	my $conn = $step ? $self->{conn}{ $step->{conn} } : undef;
	my ($moved, $asked) = ($is->{rho_spent} - $was->{rho_spent}, $is->{epsilon_spent} - $was->{epsilon_spent});

	violation('rho', "rho of $which fell from $was->{rho_spent} to $is->{rho_spent}") if $moved < 0;
	violation('rho', "rho of $which: $is->{rho_spent} of $is->{rho}") if defined $is->{rho} && $is->{rho_spent} > $is->{rho};
	violation('rho', "spent of $which: $is->{as_epsilon} of $is->{epsilon}") if defined $is->{as_epsilon} && $is->{as_epsilon} > $is->{epsilon};
	return unless $is->{in_rho};
	if ($step && $step->{adopted} && $step->{adopted}[0] eq $which)
	{
		my $left = $was->{rho} - $was->{rho_spent};
		return if $self->is_pending || $out->{state} ne '00000' || grep { $_->[0] eq 'budget' } @{ $conn->{effects} };
		my $share = Math::BigInt->new($left)->bmul($step->{adopted}[1]);
		my $epsilon = $was->{epsilon} - $was->{as_epsilon};
		my $right = $step->{adopted}[1] == 0 ? 0 : $step->{adopted}[1] >= $epsilon ? $left : 0 + $share->bdiv($epsilon)->bstr;
		violation('adopt', "rho $right of $which should be left, and " . ($is->{rho} - $is->{rho_spent}) . ' is') if $is->{rho} - $is->{rho_spent} != $right;
		return;
	}
	violation('rho', "$which was charged epsilon $asked and rho $moved") if ($asked > 0) != ($moved > 0) && !$self->{loose}{$which} && !$self->is_pending;
	violation('copied', "rho of $which was spent, and is a copy") if $moved > 0 && $was->{copied} && $is->{copied} && !$self->{loose}{$which};
	return if $self->{loose}{$which} || $self->is_pending || $step && $step->{async};
	my @right = ([0, 0]);
	for my $charge (@charges)
	{
		next unless grep { $_ eq $which } stateful_related::payers($w, $before, $step, $charge->{account});
		my @each = map { price_of($charge, $_, $self->columns_of($step, $before, $now)) } $was->{delta}, $is->{delta};
		my @next;
		for my $times (right_times({ %{ $step || {} }, charge => $charge }, $out, $conn))
		{
			for my $one (@each) { push @next, map { [$_->[0] + $times * $one->[0], $_->[1] + $times * $one->[1]] } @right }
		}
		@right = @next;
	}
	violation('rho', "rho of $which moved by $moved, right is " . join ', ', map { "$_->[0] to $_->[1]" } @right) unless grep { $_->[0] <= $moved && $moved <= $_->[1] } @right;
	return;
}

# Of the model that the step is about, if nobody changes it; else undef.
sub columns_of
{
	my ($self, $step, $before, $now) = @_;

	return undef unless $step && defined $step->{needs};
	my $id = $self->settled_id($before, $now, $step, $step->{needs});
	my $model = defined $id ? $now->{model}{$id} : undef;
	return $model ? scalar @{ spec_of($model->{spec})->{columns} } : undef;
}

sub check_caps
{
	my ($self, $w, $seen, $before, $now, $step, $out) = @_;
	my $raised = 0;
	my $known = $before->{caps_known} && $now->{caps_known} && !$seen->{caps_lost};

	for my $id (keys %{ $now->{access} })
	{
		my $cap = $now->{access}{$id};
		next unless defined $cap->{cap} && $now->{caps_known};
		my $was = $seen->{cap}{$id} // 0;
		violation('spent', "the cap of $cap->{grantee} fell from $was to $cap->{spent}") if $cap->{spent} < $was;
		# a curator may move a cap below what is spent, also while a sample is drawn: then nothing is left of it
		my ($most) = sort { $b <=> $a } $cap->{cap}, $before->{access}{$id}{cap} // 0;
		violation('spent', "the cap of $cap->{grantee}: $cap->{spent} of $cap->{cap}") if $cap->{spent} > $most && $cap->{spent} > $was;
		$raised += $cap->{spent} - $was;
		$seen->{cap}{$id} = $cap->{spent};
	}
	# what a cap that is gone, or that cannot be read, was raised by is not known
	$known &&= !grep { !$now->{access}{$_} && defined $before->{access}{$_}{cap} } keys %{ $before->{access} };
	$seen->{caps_lost} = !$now->{caps_known} ? 1 : $self->is_pending ? $seen->{caps_lost} : 0;
	return if !$step || !$known || $self->is_pending || $step->{async} || $self->{held_charges};
	my @right = (0);
	if (my $charge = $step->{charge})
	{
		@right = map { $_ * $charge->{epsilon} } right_times($step, $out, $self->{conn}{ $step->{conn} });
		@right = (0) if stateful_words::is_curator($step->{charge_as} || $step->{persona}, $charge->{account});
	}
	violation('cap', "caps moved by $raised, right is @right") unless grep { $_ == $raised } @right;
	return;
}

sub check_slices
{
	my ($self, $seen, $now, $step, $out) = @_;
	my $raised = 0;
	my $lost = $seen->{marks_lost};

	for my $id (keys %{ $now->{grid} })
	{
		my ($was, $is) = ($seen->{mark}{$id} // 0, $now->{grid}{$id}{used});
		violation('slices', "$now->{grid}{$id}{twice} slices of grid $id were fitted twice") if $now->{grid}{$id}{twice};
		next if !$now->{caps_known};
		violation('slices', "the mark of grid $id fell from $was to $is") if $is < $was;
		$raised++ if $is > $was;
		$seen->{mark}{$id} = $is;
	}
	# who raised a mark while none could be read is not known
	$seen->{marks_lost} = !$now->{caps_known} ? 1 : $self->is_pending ? $lost : 0;
	return if $self->is_pending || $lost || !$now->{caps_known} || !$step || $step->{async};
	my $fits = $step->{kind} eq 'fit slices';
	violation('slices', 'a mark was raised') if $raised && (!$fits || $out->{state} !~ /^(00000|57014|57000|40001)$/);
	violation('slices', "$out->{rows}[0][0] slices were fitted, and no mark was raised") if $fits && $out->{state} eq '00000' && $out->{rows}[0][0] > 0 && !$raised;
	return;
}

sub check_ledger
{
	my ($self, $w, $seen, $now) = @_;
	my %of;

	for my $line (@{ $now->{ledger} }) { push @{ $of{ $line->{source} } }, $line }
	for my $source (keys %of)
	{
		my $budget = $now->{budget}{$source};
		violation('ledger', "lines of $source, which has no budget") unless $budget;
		for my $line (@{ $of{$source} })
		{
			violation('ledger', "a line of $source has " . ($line->{in_rho} ? 'rho' : 'no rho')) if $line->{to} > $line->{from} && !$line->{in_rho} != !$budget->{in_rho};
			violation('ledger', "epsilon ($line->{from}, $line->{to}] of $source has no rho") if $budget->{in_rho} && $line->{to} > $line->{from} && $line->{rho_to} <= $line->{rho_from};
		}
		for my $unit (['from', 'to', 'epsilon_spent'], ['delta_from', 'delta_to', 'delta_spent'], ['rho_from', 'rho_to', 'rho_spent'])
		{
			my ($from, $to, $spent) = @$unit;
			my $at = 0;
			for my $line (sort { $a->{$from} <=> $b->{$from} || $a->{$to} <=> $b->{$to} } grep { $_->{$to} > $_->{$from} } @{ $of{$source} })
			{
				violation('ledger', "($line->{$from}, $line->{$to}] begins before $at") if $line->{$from} < $at;
				$at = $line->{$to};
			}
			violation('ledger', "a line ends at $at, spent is $budget->{$spent}") if $at > $budget->{$spent};
		}
	}
	return;
}

# The last word of the committed steps about each thing.
sub check_effects
{
	my ($self, $w, $seen, $now) = @_;
	my %last;

	for my $effect (@{ $self->{owed_effects} })
	{
		my ($what, $key, $value) = @$effect;
		if ($what eq 'object') { delete $last{grant}{$_} for grep { /^\Q$key\E\t/ } keys %{ $last{grant} || {} } }
		# a dropped table takes its models with it, a withdrawal the releases of one
		if ($what eq 'dropped') { delete @last{qw(object grant)} }
		if ($what eq 'withdrawn') { for my $name (grep { ($last{object}{$_} || '') eq 'release' } keys %{ $last{object} || {} }) { delete $last{object}{$name}; delete $last{grant}{$_} for grep { /^\Q$name\E\t/ } keys %{ $last{grant} || {} } } }
		$last{$what}{$key} = $value;
	}
	for my $role (keys %{ $last{curator} || {} })
	{
		violation('effect', "$role should be allowed: $last{curator}{$role}") if ($now->{curator}{$role}{allowed} ? 1 : 0) != $last{curator}{$role};
	}
	for my $which (keys %{ $last{budget} || {} })
	{
		my $b = $now->{budget}{ $w->{oid}{$which} };
		my $is = $b ? "$b->{epsilon} $b->{delta}" : 'none';
		violation('effect', "the budget of $which was set to $last{budget}{$which} and is $is") if $is ne $last{budget}{$which};
	}
	for my $t (keys %{ $last{bound} || {} })
	{
		my $is = ($now->{parent}{ $w->{oid}{$t} } || {})->{parent};
		my $should = defined $last{bound}{$t} ? $w->{oid}{ $last{bound}{$t} } : undef;
		violation('effect', "$t should be bound to " . ($should // 'nothing') . ' and is to ' . ($is // 'nothing')) if ($is // 'nothing') ne ($should // 'nothing') && !$last{dropped};
	}
	for my $name (keys %{ $last{object} || {} })
	{
		my $id = $now->{named}{$name};
		my $is = !defined $id ? 'nothing' : $now->{release}{$id} ? 'release' : 'model';
		my $should = $last{object}{$name} || 'nothing';
		violation('effect', "\"$name\" should be $should and is $is") if $is ne $should;
	}
	for my $key (keys %{ $last{grant} || {} })
	{
		my ($name, $role) = split /\t/, $key;
		my $id = $now->{named}{$name};
		next unless defined $id;
		my ($grant) = grep { $_->{object} == first_fit($now, $id) && $_->{grantee} eq $role } values %{ $now->{access} };
		my $is = !$grant ? 'no grant' : $grant->{cap} // '';
		my $should = $last{grant}{$key} // 'no grant';
		violation('effect', "the grant of \"$name\" to $role should be '$should' and is '$is'") if $is ne $should;
	}
	return;
}

# Is the name, for this step, the object that everyone sees: nobody has changed it and not yet committed?
sub settled_id
{
	my ($self, $before, $now, $step, $name) = @_;

	return undef if $self->{conn}{ $step->{conn} }{snapshot} || $self->is_pending || $step->{async} || keys %{ $self->{prepared} } && 0;
	return undef if grep { $_->[0] =~ /^(dropped|withdrawn)$/ || $_->[0] eq 'object' && $_->[1] eq $name } @{ $self->{conn}{ $step->{conn} }{effects} };
	my ($a, $b) = ($before->{named}{$name}, $now->{named}{$name});
	return undef unless defined $a && defined $b && $a == $b;
	return $a;
}

my %roles_of = (analyst => [qw(analyst readers public)], readers => [qw(readers public)], stranger => [qw(stranger public)]);	# nobody grants to stranger: that is what it made itself

# A grantee got an answer about something: was it granted?
sub check_rights
{
	my ($self, $w, $seen, $before, $now, $step, $out) = @_;
	my $name = $step->{needs};

	return if $out->{state} ne '00000' || $step->{probe} || !$roles_of{ $step->{persona} };
	if ($step->{view} && $step->{view} =~ /models|releases/ && !$self->is_pending && !$self->{conn}{ $step->{conn} }{snapshot} && !@{ $self->{conn}{ $step->{conn} }{effects} })
	{
		for my $row (@{ $out->{rows} })
		{
			my $id = $now->{named}{ $row->[0] } // $before->{named}{ $row->[0] };
			violation('rights', "$step->{persona} sees \"$row->[0]\", which was not granted") unless defined $id && $self->was_granted($seen, $id, $step->{persona});
		}
	}
	return unless defined $name;
	my $id = $self->settled_id($before, $now, $step, $name);
	return unless defined $id;
	violation('rights', "$step->{persona} was answered about \"$name\", which was not granted") unless $self->was_granted($seen, $id, $step->{persona});
	return;
}

# What is whose, of those who are no curators: what they drop, and how much they store.
sub check_makers
{
	my ($self, $w, $before, $now, $step) = @_;
	my $conn = $self->{conn}{ $step->{conn} };
	my $roles = $roles_of{ $step->{persona} };

	# in an open transaction PostgreSQL asks for EXECUTE in the catalog as it last read it: one call may come too late to be refused
	violation('rights', 'curator_b is not allowed, and was answered') if $step->{persona} eq 'curator_b' && $step->{was} eq 'idle' && $now->{curator}{curator_b} && !$now->{curator}{curator_b}{allowed} && !$before->{curator}{curator_b}{allowed}
		&& $step->{sql} =~ /\bpegs_(fit|fit_state|set_\w+|grant|revoke|limit|withdraw|forbid|unset|export|spec|domain)\(/;
	if ($step->{withdraws} && $conn->{tx} eq 'idle' && !$conn->{snapshot} && !$self->others_open)
	{
		my ($model, $role) = @{ $step->{withdraws} };
		my $id = $now->{named}{$model};
		for my $release (defined $id ? grep { first_fit($now, $_->{model}) == first_fit($now, $id) } values %{ $now->{release} } : ())
		{
			violation('effect', "release $release->{name} was withdrawn, and is there") if !defined $role || ($now->{made}{ $release->{id} }{grantee} // '') eq $role;
		}
		# and nothing else goes with them
		for my $release (defined $id ? values %{ $before->{release} } : ())
		{
			next if first_fit($before, $release->{model}) == first_fit($now, $id) && (!defined $role || ($before->{made}{ $release->{id} }{grantee} // '') eq $role);
			violation('effect', "release $release->{name} was not withdrawn, and is gone") unless $now->{release}{ $release->{id} };
		}
	}
	return unless $roles;
	if (defined $step->{drops} && defined(my $id = $before->{named}{ $step->{drops} }))
	{
		return if grep { $_->[0] eq 'object' && $_->[1] eq $step->{drops} && defined $_->[2] } @{ $conn->{effects} };
		my $made = $before->{made}{$id};
		violation('rights', "$step->{persona} dropped \"$step->{drops}\", made by " . ($made ? $made->{maker} : 'nobody')) unless $made && grep { $_ eq $made->{maker} } @$roles;
	}
	if ($step->{kind} =~ /^release (sealed|perturbed)/ && $step->{was} eq 'idle' && !$self->others_open && defined(my $id = $now->{named}{ $step->{makes}[0] }))
	{
		my $made = $now->{made}{$id};
		violation('rights', "$step->{persona} released as a curator") unless defined $made->{grantee};
		my ($grant) = grep { $_->{object} == $made->{model} && $_->{grantee} eq $made->{grantee} } values %{ $before->{access} };
		my @stored = grep { $_->{model} == $made->{model} && ($_->{grantee} // '') eq $made->{grantee} && ($made->{grantee} ne 'public' || $_->{maker} eq $made->{maker}) } values %{ $now->{made} };
		my $rows = 0;
		$rows += $_->{rows} for @stored;
		violation('rights', "released by no grant") unless $grant;
		violation('limit', scalar(@stored) . " releases of $grant->{max_releases}") if $grant->{max_releases} ne '' && @stored > $grant->{max_releases};
		violation('limit', "$rows rows of $grant->{max_rows}") if $made->{rows} && $grant->{max_rows} ne '' && $rows > $grant->{max_rows};
	}
	return;
}

sub others_open { my ($self) = @_; return keys %{ $self->{prepared} } || grep { $_->{tx} ne 'idle' } values %{ $self->{conn} } }

# A model that was fitted anew is granted by its first fit.
sub first_fit { my ($now, $id) = @_; return $now->{model}{$id} ? $now->{model}{$id}{first} : $id }

sub was_granted { my ($self, $seen, $id, $persona) = @_; my $first = $seen->{first}{$id} // $id; return grep { $seen->{granted}{$first}{$_} } @{ $roles_of{$persona} } }

# ---- rows ----

# The spec of an object as the step's connection sees it.
sub find_spec
{
	my ($self, $w, $before, $now, $step, $name) = @_;
	my $id = $self->settled_id($before, $now, $step, $name);

	if (defined $id)
	{
		my $model = $now->{release}{$id} ? $now->{model}{ $now->{release}{$id}{model} } : $now->{model}{$id};
		return ($model ? $model->{spec} : undef, $id);
	}
	my $conn = $self->{conn}{ $step->{conn} };
	return (undef, undef) if $conn->{pending} || $conn->{tx} eq 'failed' || $self->{twin} || $step->{cursor} || $conn->{tx} eq 'idle';
	my $out = $w->execute($step->{conn}, 'SAVEPOINT spec_');
	$out = $w->execute($step->{conn}, 'SELECT pegs_describe(' . stateful_words::sq($name) . ")->'spec'");
	$w->execute($step->{conn}, 'ROLLBACK TO spec_; RELEASE spec_');
	return ($out->{state} eq '00000' ? $out->{rows}[0][0] : undef, undef);
}

# Place of a value among a column's levels; -1 if it has none there.
sub place
{
	my ($column, $value) = @_;
	my ($levels, $edges) = @$column{qw(levels edges)};
	my $n = $edges ? @$edges - 1 : @$levels;

	return $column->{null} ? $n : -1 unless defined $value;
	if ($edges)
	{
		my $below = $column->{type} =~ /date|timestamp/ ? sub { ($_[0] cmp $_[1]) <= 0 } : sub { $_[0] <= $_[1] };
		return -1 unless $below->($edges->[0], $value) && $below->($value, $edges->[-1]);
		for my $i (reverse 0 .. $n - 1) { return $i if $below->($edges->[$i], $value) }
	}
	$value = substr $value, 0, 1 if $column->{type} =~ /bool/;	# true, t: one value, two notations
	for my $i (0 .. $n - 1) { return $i if substr($levels->[$i], 0, $column->{type} =~ /bool/ ? 1 : 9999) eq $value }
	return -1;
}

sub check_rows
{
	my ($self, $w, $seen, $before, $now, $step, $out) = @_;
	my ($name, $asked, $given) = @{ $step->{rows} }{qw(object columns given)};
	my ($text, $id) = $self->find_spec($w, $before, $now, $step, $name);

	violation('rows', scalar(@{ $out->{rows} }) . ' rows instead of ' . $step->{rows}{n}) if defined $step->{rows}{n} && @{ $out->{rows} } != $step->{rows}{n};
	# a cursor WITH HOLD keeps rows of a model that may be gone, and another made under its name
	return if !defined $text || $step->{cursor};
	my $spec = spec_of($text);
	my %column = map { $_->{name} => $_ } @{ $spec->{columns} };
	my %at = map { $asked->[$_] => $_ } 0 .. $#$asked;
	if ($step->{rows}{release} && defined $id)
	{
		my $release = $now->{release}{$id} or return;
		violation('rows', scalar(@{ $out->{rows} }) . " rows of a release of $release->{n}") if @{ $out->{rows} } != $release->{n};
		$given = defined $release->{given} ? spec_of($release->{given}) : {};
	}
	my @forbidden = @{ $spec->{forbidden} || [] };
	for my $row (@{ $out->{rows} })
	{
		my %place;
		for my $name (@$asked)
		{
			my $column = $column{$name};
			if (!$column) { violation('rows', "a value in column $name, which the model does not have") if defined $row->[ $at{$name} ]; next }
			$place{$name} = place($column, $row->[ $at{$name} ]);
			violation('rows', "\"" . ($row->[ $at{$name} ] // 'NULL') . "\" is not in the domain of $name") if $place{$name} < 0;
			if (exists $given->{$name})
			{
				violation('rows', "$name is given and not there: " . ($row->[ $at{$name} ] // 'NULL')) if $place{$name} != place($column, $given->{$name});
			}
		}
		RULE: for my $rule (@forbidden)
		{
			for my $part (@$rule)
			{
				my ($name, @levels) = @$part;
				next RULE unless defined $place{$name} && grep { $_ == $place{$name} } @levels;
			}
			violation('rows', 'a forbidden combination: ' . $json->encode($rule));
		}
	}
	return;
}

# The facts that the spec of a new model must have: every combination that was declared for its columns.
sub check_fitted
{
	my ($self, $w, $seen, $now, $step) = @_;
	my $conn = $self->{conn}{ $step->{conn} };
	my $id = $now->{named}{ $step->{fitted}{name} };

	return if $conn->{tx} ne 'idle' || $self->is_pending || !defined $id || !$now->{model}{$id} || $step->{fitted}{table} !~ /^[AB]/;
	my $spec = spec_of($now->{model}{$id}{spec});
	my %column = map { $_->{name} => 1 } @{ $spec->{columns} };
	my $declared = $w->{observer}->selectcol_arrayref("SELECT combination::text FROM pegs_internal.forbidden WHERE source = $now->{model}{$id}{account}");
	my $count = grep { my $c = spec_of($_); !grep { !$column{$_} } keys %$c } @$declared;
	my $is = @{ $spec->{forbidden} || [] };
	violation('rows', "the model knows $is forbidden combinations of $count") if $is != $count;
	return;
}

# Free answers: the same again, here and for everyone.
sub check_repeat
{
	my ($self, $w, $seen, $before, $now, $step, $out) = @_;
	my $conn = $self->{conn}{ $step->{conn} };
	my $answer = answer($out);
	my $sql = $w->expand($step->{sql});

	unless ($conn->{pending} || $step->{timeout} || $conn->{read_committed_may_differ})
	{
		my $again = $w->execute($step->{conn}, $sql);
		if ($again->{state} eq '00000') { violation('free', 'another answer: ' . short(answer($again)) . ' after ' . short($answer)) if answer($again) ne $answer && !$self->is_pending }
		elsif ($again->{state} ne '57014')
		{
			violation('free', "failed the second time: $again->{text}") unless $self->is_pending;
		}
		$conn->{tx} = 'failed' if $again->{state} ne '00000' && $conn->{tx} eq 'open';
		my $after = $w->observe;
		violation('observer', $after->{error}) if $after->{error};
		$self->check_accounts($w, $seen, $now, $after, undef, undef) unless $self->is_pending;
	}
	# what a call costs tells what is left, and of whose share
	return if !defined $step->{needs} || $sql =~ /\bpegs_cost\(/;
	my $id = $self->settled_id($before, $now, $step, $step->{needs});
	return unless defined $id;
	# a release is the same for ever; a granted description has its name in it
	my $memo = $seen->{memo}{"$id $sql"};
	violation('free', 'another answer than before: ' . short($answer) . ' after ' . short($memo)) if defined $memo && $memo ne $answer;
	$seen->{memo}{"$id $sql"} = $answer;
	return;
}

sub answer { my ($out) = @_; return join "\n", map { join "\t", map { $_ // '\N' } @$_ } @{ $out->{rows} || [] } }

# An object that is not granted is not told from one that never was.
sub check_probe
{
	my ($self, $w, $seen, $step, $out) = @_;
	my $conn = $self->{conn}{ $step->{conn} };
	my ($sql, $name, $other) = @{ $step->{probe} };

	return if $out->{state} eq '00000' || !$roles_of{ $step->{persona} } || $self->is_pending;
	my $id = $seen->{last}{named}{$name};
	return if defined $id && $self->was_granted($seen, $id, $step->{persona});
	return if grep { $_->[0] eq 'object' && $_->[1] eq $name } map { @{ $_->{effects} } } values %{ $self->{conn} }, values %{ $self->{prepared} };
	return if $step->{was} ne 'idle';
	my $never = $w->execute($step->{conn}, $w->expand($sql));
	my ($a, $b) = map { join ' | ', @$_{qw(state text notices)} } $out, $never;
	s/"\Q$name\E"/"X"/g, s/'\Q@{[ $name =~ s,',\'\',gr ]}\E'/'X'/g, s/^LINE.*\n.*\^\n//mg for $a;
	s/"\Q$other\E"/"X"/g, s/'\Q$other\E'/'X'/g, s/^LINE.*\n.*\^\n//mg for $b;
	violation('rights', "a name that is there is told from one that is not: $a; $b") if $a ne $b;
	return;
}

# ---- two worlds ----

sub twins
{
	my ($self, $step, $a, $b) = @_;
	my $how = $step->{twin} || 'state';
	return if $how eq 'none';
	# a statement, quoted with the place of its error, has OIDs in it; where a row of the catalog lies is no secret of the table
	s/^LINE .*\n.*\^\n?//mg, s/(tuple|updated version) \(\d+,\d+\)/$1/ for $a->{text}, $b->{text};
	my @say = map { "$_->{state} " . short($_->{text}) } $a, $b;

	$how = 'state' if $stateful_words::curates{ $step->{persona} } && $how ne 'outcome';
	# a subquery is not looked at where a table has no rows: another error may come first
	return if $how eq 'outcome' && ($a->{state} eq '00000') == ($b->{state} eq '00000');
	violation('twins', "one world says $say[0], the other $say[1]") if $a->{state} ne $b->{state};
	return if $how eq 'state';
	violation('twins', "one world says $say[0], the other $say[1]") if $a->{text} ne $b->{text};
	violation('twins', 'notices: ' . short($a->{notices}) . ' and ' . short($b->{notices})) if $a->{notices} ne $b->{notices};
	my ($m, $n) = map { $_->{rows} ? scalar @{ $_->{rows} } : -1 } $a, $b;
	violation('twins', "one world gives $m rows, the other $n") if $m != $n;
	return if $how eq 'shape';
	my ($x, $y) = (answer($a), answer($b));
	violation('twins', 'answers: ' . short($x) . ' and ' . short($y)) if $x ne $y;
	return;
}

1;
