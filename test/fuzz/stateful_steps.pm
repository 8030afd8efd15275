# stateful_steps: what a random step may be, and what it says about itself.
#
# A step is data, so that a sequence can be run again without a part of it:
#
#   kind, conn, sql        what it is counted as, who sends what
#   charge                 { account, epsilon, delta, times }, units: what it costs if it works. Without: nothing, ever. how: [what,
#                          ...], for an account in rho (stateful_rho.pm); spare_delta: delta may be not needed
#   late                   it is built to fail after it was charged
#   rows                   { object, columns, given, n }: it gives rows of that object, to be checked against its spec
#   repeat                 free: the same statement gives the same answer again, and to others
#   needs                  name of the object that the caller must have a right to
#   drops, withdraws       name of the object that is dropped; of the model, and the role, whose releases are
#   probe                  the same statement about a name that never existed: must be the same error
#   must                   'fail'
#   effects                [what, key, value]: how the committed state must look after it
#   tx, role, cursor       what it does to its connection
#   twin                   what two worlds must agree on: full (every word), shape (all but the rows), state, outcome (whether it works), none
package stateful_steps;

use strict;
use warnings;
use stateful_words;
use stateful_curating;
use stateful_related;

# ---- rows ----

sub given_of
{
	my ($columns) = @_;
	return (undef, {}) if chance(0.75);
	my %given;
	$given{$_} = pick(@{ $values{$_} || ['1'] }) for some(chance(0.9) ? 1 : 2, @$columns);
	return ('{' . join(', ', map { js_name($_) . ': ' . js($given{$_}) } sort keys %given) . '}', \%given);
}

# Arguments of pegs_sample after the model, and what they mean.
sub arguments
{
	my ($s, $sealed, $columns, $with_delta) = @_;
	my $n = chance(0.9) ? between(1, 6) : between(20, 60);
	my ($epsilon, $units) = @{ pick(@amounts) };
	my @a = ($n);
	# what has probability zero in a perturbed model is noise: two worlds do not agree
	my ($given, $values) = $s->{twin} && !$sealed ? (undef, {}) : given_of($columns);

	push @a, "epsilon => $epsilon" if $sealed || chance(0.1);
	my $urn = $sealed && chance(0.06);
	my $block = $urn ? 1 : pick(1, 2, $n, $n, $n, $n + 3, '9223372036854775807');
	if ($sealed ? !$urn && chance(0.9) : chance(0.05)) { push @a, "block => $block" }
	else { $block = 1 }
	my ($delta, $delta_units) = $sealed && !$urn && chance($with_delta ? 0.2 : 0.02) ? ('1e-9', 1000000000) : ('0', 0);
	push @a, "delta => $delta" if $delta_units;
	push @a, "given => " . sq($given) if defined $given;
	my $fresh = chance(0.15);
	my @options = ($urn ? '"draw": "urn"' : (), $fresh ? ('"fresh": true') : (), chance(0.1) ? ('"keys": "number"') : (), !$sealed && chance(0.2) ? ('"draw": "' . pick('independent', 'apportioned') . '"') : ());
	push @a, "options => '{" . join(', ', @options) . "}'" if @options;
	return { sql => join(', ', @a), n => $n, given => $values, fresh => $fresh,
		charge => { epsilon => $units, delta => $delta_units, spare_delta => 1, times => 1, how => $urn ? ['urn'] : ['sealed', int(($n + $block - 1) / $block), scalar keys %$values] } };
}

sub sample
{
	my ($s, $persona, $t, $kind) = @_;
	my $sealed = $kind eq 'sealed';
	my $name = name_of($s, $t, $kind eq 'perturbed' ? ('perturbed', 'perturbed', 'imported') : $kind);
	my $made = $s->{objects}{$name} || { columns => [model_columns($s, $t)], table => $t };
	my @columns = @{ $made->{columns} };
	my $a = arguments($s, $sealed, \@columns, is_curator($persona, $account{$t}));
	my @asked = chance(0.8) ? @columns : some(between(1, scalar @columns), @columns);
	my $by_type = chance(0.15);
	my $of = '{' . lc($t) . '}';
	my $call = $by_type ? "pegs_sample_as(NULL::$of, " . sq($name) . ", $a->{sql})" : "pegs_sample(" . sq($name) . ", $a->{sql})";
	my $from = $by_type ? "$call AS t" : "$call AS t(" . row_list($t, @asked) . ")";
	my $shape = weighted([50, 'rows'], [8, 'count'], [4, 'limit 1'], [3, 'limit 0'], [3, 'explain'], [3, 'explain analyze'], [5, 'twice'],
		[4, 'lateral'], [5, 'caught'], [5, 'late'], [3, 'select list'], [3, 'table']);
	my %step = (kind => $by_type ? "sample as $kind" : "sample $kind", needs => $name, twin => 'shape');
	my %charge = (%{ $a->{charge} }, account => $account{$t});
	my $rows = { object => $name, columns => \@asked, given => $a->{given}, n => $a->{n}, sealed => $sealed };

	if ($shape eq 'count') { $step{sql} = "SELECT count(*) FROM $from" }
	elsif ($shape eq 'limit 1') { $step{sql} = 'SELECT ' . as_text(@asked) . " FROM $from LIMIT 1"; $step{rows} = { %$rows, n => 1 } }
	elsif ($shape eq 'limit 0') { $step{sql} = "SELECT * FROM $from LIMIT 0"; $charge{times} = 0 }
	elsif ($shape eq 'explain') { $step{sql} = "EXPLAIN SELECT * FROM $from"; $charge{times} = 0 }
	elsif ($shape eq 'explain analyze') { $step{sql} = "EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF) SELECT * FROM $from" }
	elsif ($shape eq 'twice') { $step{sql} = 'SELECT ' . as_text(@asked) . " FROM $from UNION ALL SELECT " . as_text(@asked) . " FROM $from"; $charge{times} = 2; $step{rows} = { %$rows, n => 2 * $a->{n} } }
	elsif ($shape eq 'lateral') { $step{sql} = 'SELECT ' . as_text(@asked) . " FROM generate_series(1, 2) AS i, LATERAL " . ($from =~ s/, \Q$a->{n}\E(?!\d)/, $a->{n} + 0 * i/r); $charge{times} = 2; $step{rows} = { %$rows, n => 2 * $a->{n} } }
	elsif ($shape eq 'caught')
	{
		# plpgsql raises what the caller does not see: a subtransaction that is rolled back
		$step{sql} = "DO \$\$ DECLARE r bigint; BEGIN BEGIN SELECT count(*) INTO r FROM $from; RAISE EXCEPTION 'caught'; EXCEPTION WHEN raise_exception THEN NULL; END; END \$\$";
	}
	elsif ($shape eq 'late')
	{
		$step{sql} = 'SELECT 1 / (row_number() OVER () - ' . $a->{n} . ") FROM $from";
		$step{late} = 1;
		$step{must} = 'fail';
		$step{twin} = 'shape';
	}
	elsif ($shape eq 'select list' && $by_type && !$sealed && !$a->{fresh}) { $step{sql} = "SELECT count(*) FROM (SELECT $call) AS s" }
	elsif ($shape eq 'select list') { $step{sql} = "SELECT $call"; $step{must} = 'fail'; $charge{times} = 0 }
	elsif ($shape eq 'table') { $step{sql} = "SELECT * INTO TEMP tmp_" . between(1, 1000000) . " FROM $from" }
	else { $step{sql} = 'SELECT ' . as_text(@asked) . " FROM $from"; $step{rows} = $rows }
	if ($shape eq 'explain analyze' || $shape eq 'explain') { $step{twin} = 'state' }
	delete $step{needs} if $shape =~ /^(explain|limit 0)$/;	# nobody has looked yet
	if ($sealed) { $step{charge} = \%charge }
	elsif ($kind eq 'perturbed' && $step{rows} && !$a->{fresh}) { $step{repeat} = 1 }
	$step{kind} .= " ($shape)" if $shape =~ /late$|select list/;
	return \%step;
}

# One row, drawn feature by feature: charged like a sample of one row.
sub trace
{
	my ($s, $t) = @_;
	my $name = name_of($s, $t, 'sealed');
	my ($epsilon, $units) = @{ pick(@amounts) };
	return { kind => 'trace', needs => $name, sql => 'SELECT * FROM pegs_trace(' . sq($name) . ", $epsilon)", charge => { account => $account{$t}, epsilon => $units, delta => 0, times => 1, how => ['sealed', 1, 0] } };
}

sub release
{
	my ($s, $persona, $t) = @_;
	my $sealed = chance(0.6);
	my $model = name_of($s, $t, $sealed ? 'sealed' : ('perturbed', 'imported'));
	my $name = pick(@{ $objects{$t}{ $sealed ? 'of_sealed' : 'of_perturbed' } });
	my $made = $s->{objects}{$model} || { columns => [model_columns($s, $t)] };
	my $a = arguments($s, $sealed, $made->{columns}, is_curator($persona, $account{$t}));
	my %step = (kind => $sealed ? 'release sealed' : 'release perturbed', needs => $model, twin => 'shape',
		sql => "SELECT pegs_release(" . sq($name) . ', ' . sq($model) . ", $a->{sql})",
		effects => [['object', $name, 'release']], makes => [$name, { columns => $made->{columns}, table => $t, given => $a->{given}, n => $a->{n} }]);

	$step{charge} = { %{ $a->{charge} }, account => $account{$t} } if $sealed;
	return \%step;
}

sub rows_of_release
{
	my ($s, $persona, $t) = @_;
	my $name = name_of($s, $t, qw(of_sealed of_sealed of_perturbed));
	my $made = $s->{objects}{$name} || { columns => [model_columns($s, $t)], n => 1, given => {} };
	my @asked = chance(0.8) ? @{ $made->{columns} } : some(between(1, 2), @{ $made->{columns} });
	my $of = '{' . lc($t) . '}';
	my $from = chance(0.2) ? "pegs_rows_as(NULL::$of, " . sq($name) . ') AS t' : 'pegs_rows(' . sq($name) . ') AS t(' . row_list($t, @asked) . ')';

	return { kind => $from =~ /rows_as/ ? 'rows as' : 'rows', needs => $name, repeat => 1, twin => 'shape',
		sql => 'SELECT ' . as_text(@asked) . " FROM $from", rows => { object => $name, columns => \@asked, given => {}, release => 1 } };
}

# Of one's own releases; now and then of another's, which is refused.
sub drop_own
{
	my ($s, $persona, $t) = @_;
	my @own = grep { ($s->{grants}{$_}{maker} || '') eq $persona && $s->{objects}{$_} } map { @{ $objects{$t}{$_} } } qw(of_sealed of_perturbed);
	my $name = @own && chance(0.8) ? pick(@own) : any_name($s, $t);
	return { kind => 'drop own', likes => $name, drops => $name, sql => 'SELECT pegs_drop(' . sq($name) . ')', effects => [['object', $name, undef]] };
}

# ---- what is free to ask ----

sub cost
{
	my ($s, $persona, $t) = @_;
	my $name = name_of($s, $t, qw(sealed sealed perturbed));
	return { kind => 'cost', needs => $name, repeat => 1, twin => 'full',
		sql => 'SELECT * FROM pegs_cost(' . sq($name) . ', ' . pick(1, 10, 1000) . ', epsilon => ' . pick(@amounts)->[0] . ', block => ' . pick(1, 7, 1000) . ')' };
}

sub about
{
	my ($s, $persona, $t, $function) = @_;
	my $name = any_name($s, $t);
	my $made = $s->{objects}{$name} || {};
	# noise differs from world to world, and so do parents that were chosen privately
	my $public = $name =~ /^.(s|r)/ && !$made->{chosen};
	return { kind => $function, needs => $name, repeat => 1, twin => $public || $function eq 'row_type' ? 'full' : 'state', sql => "SELECT pegs_$function(" . sq($name) . ')' };
}

# a table that was dropped is a number, of its world
my $source = q{regexp_replace(source::text, '^\\d+$', 'dropped')};
our %view = (
	models => "SELECT name, $source, kind, epsilon, delta, structure_epsilon, unit, counts FROM pegs_models ORDER BY name",
	releases => "SELECT name, model, $source, n, kind, epsilon, block, given FROM pegs_releases ORDER BY name",
	budgets => "SELECT $source, epsilon, spent, remaining, delta, delta_spent FROM pegs_budgets ORDER BY 1",
	ledger => "SELECT $source, role, action, object, epsilon_from, epsilon_to, delta_from, delta_to, remaining FROM pegs_ledger ORDER BY 1, 5, 6");
sub a_view { my ($view) = @_; return { kind => "view $view", sql => $view{$view}, view => $view, twin => 'full' } }

# The same question about a name that is there and one that never was. An object that is not granted must not be told from nothing.
sub probe
{
	my ($s, $persona) = @_;
	my $t = pick(qw(A A B V));
	my $name = any_name($s, $t);
	my $other = 'never was';
	my $made = $s->{objects}{$name} || { columns => [model_columns($s, $t)] };
	my $list = row_list($t, @{ $made->{columns} });
	my $text = pick(
		"SELECT pegs_describe(%s)", "SELECT pegs_row_type(%s)", "SELECT * FROM pegs_cost(%s, 3, epsilon => 0.1)", "SELECT * FROM pegs_rows(%s) AS t($list)",
		"SELECT * FROM pegs_rows(%s) AS t(nothing int)", "SELECT * FROM pegs_sample(%s, 2, epsilon => 1e-9, block => 2) AS t($list)", "SELECT * FROM pegs_sample(%s, 2) AS t(nothing text)",
		"SELECT * FROM pegs_sample_as(NULL::fz.codes, %s, 2, epsilon => 0.1)", "SELECT * FROM pegs_sample(%s, 2, epsilon => 0.1, given => '{\"zz\": 1}') AS t($list)",
		"SELECT * FROM pegs_sample(%s, 1, epsilon => 0.1, options => '{\"zz\": 1}') AS t($list)", "SELECT pegs_release('mine', %s, 1, epsilon => 0.1, given => '{\"zz\": 1}')",
		"SELECT pegs_drop(%s)", "SELECT pegs_export(%s)", "SELECT pegs_grant(%s, 'stranger')", "SELECT pegs_revoke(%s, 'analyst')", "SELECT pegs_view_sql(%s, 'v')", "SELECT * FROM pegs_trace(%s, 0.1)",
		"EXPLAIN SELECT * FROM pegs_sample(%s, 2, epsilon => 0.1) AS t($list)", "SELECT pegs_sample(%s, 1)", "SELECT * FROM pegs_sample(%s, 1, epsilon => 0.1, delta => 0.1) AS t($list)");
	return { kind => 'probe', needs => $name, sql => sprintf($text, sq($name)), probe => [sprintf($text, sq($other)), $name, $other], twin => 'none',
		# who made a release may drop it
		effects => $text =~ /pegs_drop/ ? [['object', $name, undef]] : undef,
		charge => { account => $account{$t}, epsilon => $text =~ /1e-9/ ? 1 : 0, delta => 0, times => 1, maybe => 1 } };
}

# What nobody but the extension's owner may do.
sub peek
{
	my ($s) = @_;
	return { kind => 'denied peek', must => 'fail', twin => 'full', sql => pick(
		map({ "SELECT * FROM pegs_internal.$_" } qw(body model budget ledger release_rows access name fact)),
		'SELECT last_value FROM pegs_internal.epsilon_1', 'SELECT pegs_internal.spent({A}, false)', "UPDATE pegs_internal.budget SET epsilon = 1",
		"SELECT setval('pegs_internal.epsilon_1', 0)", 'TRUNCATE pegs_internal.ledger', 'DROP SEQUENCE pegs_internal.epsilon_1', 'SELECT pegs_internal.may_use(1, {A})') };
}

sub denied
{
	my ($s, $persona) = @_;
	my $t = pick(qw(A B));
	return { kind => 'denied curating', must => 'fail', twin => 'full', sql => pick(
		"SELECT pegs_set_budget({$t}, 1000)", "SELECT pegs_fit('as1', {$t}, parents => '{}')", "SELECT pegs_fit('as7', {$t}, epsilon => 0.1)", "SELECT pegs_domain({$t})", "SELECT pegs_spec({$t})",
		"SELECT pegs_set_levels({$t}, 'note', ARRAY['u'])", "SELECT pegs_set_bins({$t}, 'n', ARRAY['0', '1'])", "SELECT pegs_forbid({$t}, NULL)", "SELECT pegs_set_unit({$t}, NULL)",
		"SELECT pegs_unset({$t}, 'note')", "SELECT pegs_import('as8', '\\x00')", "SELECT pegs_limit('as1', 'analyst', NULL, NULL)", "SELECT pegs_withdraw('as1')", "SELECT pegs_allow('analyst')", "SELECT pegs_disallow('curator_b')", "SELECT * FROM " . ($t eq 'A' ? '{a}' : '{b}'), 'SELECT * FROM {v}', "SELECT pegs_agg(pegs_spec({$t}, ARRAY['g']::name[]), g) FROM {a}") };
}

# ---- whose turn it is, and what transactions do ----

our $serial = 0;

sub control
{
	my ($s, $conn) = @_;
	my $c = $s->{conn}{$conn};

	if ($c->{tx} eq 'idle')
	{
		return weighted(
			[10, { kind => 'begin', tx => 'begin', sql => 'BEGIN' }],
			[3, { kind => 'begin', tx => 'begin', snapshot => 1, sql => 'BEGIN ISOLATION LEVEL REPEATABLE READ' }],
			[2, { kind => 'begin', tx => 'begin', snapshot => 1, serializable => 1, sql => 'BEGIN ISOLATION LEVEL SERIALIZABLE' }],
			[2, { kind => 'begin', tx => 'begin', sql => 'BEGIN READ ONLY', read_only => 1 }]);
	}
	my @savepoints = map { $_->{name} } @{ $c->{savepoints} };
	my @choices = ([4, { kind => 'rollback', tx => 'rollback', sql => 'ROLLBACK' }], [8, { kind => 'commit', tx => 'commit', sql => 'COMMIT' }]);
	push @choices, [8, { kind => 'rollback to', tx => 'rollback to', savepoint => $_, sql => "ROLLBACK TO $_" }] for @savepoints ? pick(@savepoints) : ();
	if ($c->{tx} eq 'open')
	{
		my $name = pick(qw(s1 s2 s3));
		push @choices, [7, { kind => 'savepoint', tx => 'savepoint', savepoint => $name, sql => "SAVEPOINT $name" }];
		push @choices, [2, { kind => 'release savepoint', tx => 'release', savepoint => $_, sql => "RELEASE $_" }] for @savepoints ? pick(@savepoints) : ();
		push @choices, [2, { kind => 'prepare', tx => 'prepare', gid => $_, sql => "PREPARE TRANSACTION '${_}_{world}'" }] for 'p' . ++$serial;
		push @choices, [2, { kind => 'set timeout', sql => 'SET LOCAL statement_timeout = ' . between(1, 5) }] unless $s->{twin};
	}
	return weighted(@choices);
}

sub cursor
{
	my ($s, $conn, $persona) = @_;
	my $c = $s->{conn}{$conn};
	my @open = sort keys %{ $c->{cursors} };

	if (@open && chance(0.75))
	{
		my $name = pick(@open);
		return { kind => 'close', sql => "CLOSE $name", cursor => ['close', $name] } if chance(0.2);
		my $cursor = $c->{cursors}{$name};
		my %step = (kind => 'fetch', sql => 'FETCH ' . pick('1', '2', 'ALL') . " FROM $name", cursor => ['fetch', $name], twin => 'state', rows => { %{ $cursor->{rows} }, n => undef });
		$step{charge} = { %{ $cursor->{charge} } } if $cursor->{charge} && !$cursor->{fetched};
		return \%step;
	}
	my $t = pick(qw(A A A B V));
	my $step = sample($s, $persona, $t, chance(0.75) ? 'sealed' : 'perturbed');
	return $step unless $step->{rows} && $step->{sql} =~ /^SELECT/ && $step->{sql} !~ /UNION|LATERAL/;
	my $name = pick(qw(c1 c2 c3));
	my $hold = $c->{tx} eq 'idle' || chance(0.25);
	my $how = pick('', '', 'NO SCROLL ', 'SCROLL ');
	my %declare = (kind => $hold ? 'declare with hold' : 'declare', sql => "DECLARE $name ${how}CURSOR " . ($hold ? 'WITH HOLD ' : '') . "FOR $step->{sql}", likes => $step->{needs}, twin => 'state',
		cursor => ['declare', $name, { hold => $hold, charge => $step->{charge}, rows => $step->{rows}, needs => $step->{needs} }]);
	# in no transaction it runs at once
	$declare{charge} = $step->{charge} if $hold && $c->{tx} eq 'idle' && $step->{charge};
	return \%declare;
}

sub role
{
	my ($s, $conn, $persona) = @_;
	return { kind => 'reset role', sql => 'RESET ROLE', role => $stateful_world::login{$conn} } if $persona ne $stateful_world::login{$conn} && chance(0.7);
	my $role = $conn eq 'db' ? pick(qw(analyst stranger curator_a curator_b own_a)) : $conn eq 'ca' ? 'own_a' : $conn eq 'an' ? 'readers' : return { kind => 'denied role', must => 'fail', sql => 'SET ROLE own_a' };
	return { kind => 'set role', sql => "SET ROLE $role", role => $role };
}

sub dba
{
	my ($s, $conn) = @_;
	my @prepared = sort keys %{ $s->{prepared} };
	my @choices = ([$s->{have_bytes} ? 12 : 0.2, sub { { kind => 'import', sql => "SELECT pegs_import('" . pick('ai1', 'ai1', 'bi1') . "', '{bytes last}')", import => 1 } }], [1, sub { { kind => 'setting', sql => 'SET ' . pick('synchronous_commit = off', 'synchronous_commit = on', 'extra_float_digits = 1', "timezone = 'Asia/Tokyo'", 'work_mem = 64') } }]);

	push @choices, [20, sub { my $gid = pick(@prepared); chance(0.5) ? { kind => 'commit prepared', tx => 'commit prepared', gid => $gid, sql => "COMMIT PREPARED '${gid}_{world}'" } : { kind => 'rollback prepared', tx => 'rollback prepared', gid => $gid, sql => "ROLLBACK PREPARED '${gid}_{world}'" } }] if @prepared && $s->{conn}{$conn}{tx} eq 'idle';
	push @choices, [6, sub { { kind => 'damaged import', sql => "SELECT pegs_import('damaged', overlay('{bytes last}'::bytea placing decode(lpad(to_hex(" . between(0, 255) . "), 2, '0'), 'hex') from " . between(1, 900) . '))', damaged => 1 } }] if $s->{have_bytes} && !$s->{twin};
	push @choices, [2, sub { my $t = pick(qw(A B), $s->{related} ? qw(A C) : ()); { kind => 'copied budget', copied => $t, sql => "UPDATE pegs_internal.budget SET database = 1 WHERE source = {$t}" } }] if $s->{has}{pegs_adopt} && $s->{conn}{$conn}{tx} eq 'idle';
	push @choices, [1, sub { my $allow = chance(0.7) ? 1 : 0; { kind => $allow ? 'allow' : 'disallow', sql => 'SELECT pegs_' . ($allow ? 'allow' : 'disallow') . "('curator_b')", effects => [['curator', 'curator_b', $allow]] } }];
	push @choices, [grep({ $_->[0] eq 'budget' } @{ $s->{conn}{$conn}{effects} }) ? 60 : 3, sub { adopt($s) }] if $s->{has}{pegs_adopt};
	return weighted(@choices)->();
}

sub adopt
{
	my ($s) = @_;
	my $t = pick(qw(A B), $s->{related} ? qw(A C) : ());
	my ($remaining, $units) = @{ pick(['0.1', 100000000], ['0', 0], ['0.3', 300000000], ['1', 1000000000], ['100000', 100000000000000]) };
	return { kind => 'adopt', sql => "SELECT pegs_adopt({$t}, $remaining, 'a copy: \"ü\"')", adopted => [$t, $units] };
}

sub analysing
{
	my ($s, $persona) = @_;
	return stateful_related::analysing($s, $persona) if $s->{related} && chance(0.35);
	my $t = weighted([6, 'A'], [1, 'V'], [$s->{with_b} ? 2 : 0.2, 'B']);

	return weighted(
		[16, sub { sample($s, $persona, $t, 'sealed') }],
		[8, sub { sample($s, $persona, $t, 'perturbed') }],
		[6, sub { release($s, $persona, $t) }],
		[8, sub { rows_of_release($s, $persona, $t) }],
		[4, sub { drop_own($s, $persona, $t) }],
		[5, sub { cost($s, $persona, $t) }],
		[6, sub { about($s, $persona, $t, pick(qw(describe describe row_type))) }],
		[5, sub { a_view(pick(qw(models releases budgets ledger))) }],
		[5, sub { probe($s, $persona) }],
		[3, sub { denied($s, $persona) }],
		[3, sub { peek($s) }],
		[6, sub { stateful_curating::bad_rows($s, $persona) }])->();
}

# Is there, as far as is known, what the step asks for, and may its caller have it?
sub is_likely
{
	my ($s, $persona, $step) = @_;
	my $name = $step->{needs} // $step->{likes} // return 1;
	return 0 if $step->{kind} eq 'drop own' && ($s->{grants}{$name}{maker} || '') ne $persona;
	return 0 if $step->{likes_grant} && !$s->{grants}{$name}{ $step->{likes_grant} };
	return 0 unless $s->{objects}{$name};
	return 1 if is_curator($persona, $name =~ /^b/ ? 'B' : 'A') && ($name !~ /^.i/ || $persona eq 'postgres');
	my $grants = $s->{grants}{$name} || {};
	return $grants->{public} || $persona ne 'stranger' && ($grants->{readers} || $persona ne 'readers' && $grants->{analyst}) || ($grants->{maker} || '') eq $persona;
}

# What leaves something behind, if it is committed.
sub making
{
	my ($s, $persona) = @_;
	return stateful_related::curating($s, $persona) if $s->{related} && $persona =~ /_a$|postgres/ && chance(0.4);
	my $t = $curates{$persona} ? pick(@{ $curates{$persona} }) : 'A';
	return drop_own($s, $persona, $t) if !$curates{$persona} && chance(0.25);
	return release($s, $persona, $t) if !$curates{$persona} || chance(0.35);
	return pick(sub { stateful_curating::a_grant($s, $t) }, sub { stateful_curating::set_budget($s, $t) }, sub { stateful_curating::fit($s, $t, pick(qw(sealed perturbed))) }, sub { sample($s, $persona, $t, 'sealed') },
		sub { my $name = any_name($s, $t); { kind => 'drop', likes => $name, sql => 'SELECT pegs_drop(' . sq($name) . ')', effects => [['object', $name, undef]] } })->();
}

# Somebody has an open transaction: another one meets it, about the same object.
sub meet
{
	my ($s) = @_;
	my @open = grep { $s->{conn}{$_}{tx} eq 'open' && @{ $s->{conn}{$_}{touched} || [] } && !$s->{conn}{$_}{pending} } sort keys %{ $s->{conn} };
	return undef unless @open;
	my $first = pick(@open);
	my $name = pick(@{ $s->{conn}{$first}{touched} });
	my $t = table_of($name);
	my @others = grep { $_ ne $first && !$s->{conn}{$_}{pending} && $s->{conn}{$_}{tx} ne 'failed' } $t eq 'B' ? 'cb' : 'ca', 'db', 'db', 'an';
	return undef unless @others;
	my $conn = pick(@others);
	my $persona = $s->{conn}{$conn}{role};
	my $quoted = sq($name);
	my $step;

	$s->{focus} = $name;
	if (!is_curator($persona, $account{$t})) { return undef if $curates{$persona}; $step = analysing($s, $persona) }
	elsif (chance(0.5)) { $step = { kind => 'drop', sql => "SELECT pegs_drop($quoted)", effects => [['object', $name, undef]] } }
	elsif ($name =~ /r\d/) { $step = chance(0.5) ? rows_of_release($s, $persona, $t) : release($s, $persona, $t) }
	else
	{
		my $kind = $name =~ /^.s/ ? 'sealed' : $name =~ /^.l/ ? 'diverse' : 'perturbed';
		$step = pick(sub { stateful_curating::a_grant($s, $t) }, sub { release($s, $persona, $t) }, sub { sample($s, $persona, $t, $kind) },
			sub { { kind => 'revoke', sql => "SELECT pegs_revoke($quoted, 'analyst')", effects => [['grant', "$name\tanalyst", undef]] } },
			sub { stateful_curating::fit($s, $t, $kind) })->();
	}
	return { %$step, conn => $conn };
}

# Somebody has changed a total and not committed yet: others spend meanwhile, so that a COMMIT may have to fail.
sub spend_meanwhile
{
	my ($s) = @_;
	my @setting = grep { my $c = $s->{conn}{$_}; $c->{tx} eq 'open' && !$c->{pending} && grep { $_->[0] eq 'budget' } @{ $c->{effects} } } sort keys %{ $s->{conn} };
	return undef unless @setting;
	my $first = pick(@setting);
	my @others = grep { $_ ne $first && !$s->{conn}{$_}{pending} && $s->{conn}{$_}{tx} ne 'failed' } 'db', 'db', 'an';

	return { conn => $first, kind => 'commit', tx => 'commit', sql => 'COMMIT' } if !@others || chance(0.4);
	my $conn = pick(@others);
	return { %{ sample($s, $s->{conn}{$conn}{role}, $first eq 'cb' ? 'B' : 'A', 'sealed') }, conn => $conn };
}

# The next step of a sequence, for the connections that are free.
sub next_step
{
	my ($s) = @_;
	my @free = grep { !$s->{conn}{ $_->[1] }{pending} } [30, 'ca'], [$s->{with_b} ? 14 : 3, 'cb'], [30, 'an'], [9, 'st'], [18, 'db'];
	return undef unless @free;
	if (chance(0.3) && (my $step = meet($s))) { return $step }
	if (chance(0.3) && (my $step = spend_meanwhile($s))) { return $step }
	# who has begun something goes on with it, mostly
	my $conn = defined $s->{turn} && $s->{conn}{ $s->{turn} }{tx} ne 'idle' && !$s->{conn}{ $s->{turn} }{pending} && chance(0.6) ? $s->{turn} : weighted(@free);
	my $c = $s->{conn}{$conn};
	my $persona = $c->{role};
	my $step;

	$s->{turn} = $conn;
	for my $try (1 .. 12)
	{
		if ($c->{tx} eq 'failed' && chance(0.8)) { $step = control($s, $conn) }
		elsif ($c->{tx} eq 'open' && chance(0.25)) { $step = control($s, $conn) }
		elsif ($c->{tx} eq 'idle' && chance(0.1)) { $step = control($s, $conn) }
		elsif (chance(keys %{ $c->{cursors} } ? 0.4 : $c->{tx} eq 'open' ? 0.12 : 0.04)) { $step = cursor($s, $conn, $persona) }
		elsif (chance($persona ne $stateful_world::login{$conn} ? 0.3 : $conn eq 'db' ? 0.1 : 0.02)) { $step = role($s, $conn, $persona) }
		elsif ($persona eq 'postgres' && chance(0.3)) { $step = dba($s, $conn) }
		elsif ($c->{tx} eq 'open' && chance(0.4) && (my $making = making($s, $persona))) { $step = $making }
		elsif ($curates{$persona}) { $step = chance(0.07) ? stateful_curating::bad_rows($s, $persona) : chance(0.06) ? a_view(pick(qw(models releases budgets ledger))) : stateful_curating::curating($s, $persona) }
		else { $step = analysing($s, $persona) }
		# what fails ends a transaction: most of them should get somewhere
		next if $c->{tx} eq 'open' && ($step->{must} || $step->{kind} =~ /^(probe|bad|denied)/) && chance(0.85);
		last if is_likely($s, $persona, $step) || chance($c->{tx} eq 'open' ? 0.03 : 0.08);
	}
	$step = { %$step, conn => $conn };
	if (!$s->{twin} && !$step->{tx} && !$step->{role} && !$step->{cursor} && !$step->{probe})
	{
		if ($c->{tx} eq 'idle' && $step->{kind} =~ /^fit (perturbed|chosen)/ && chance(0.3)) { $step->{timeout} = between(1, chance(0.5) ? 4 : 12) }
		elsif ($c->{tx} eq 'idle' && chance(0.03)) { $step->{timeout} = between(1, 5) }
		elsif (chance(0.1) && $step->{sql} =~ /^SELECT .*pegs_(sample|release|fit|set_|drop|grant|revoke|rows)/ && !$step->{repeat}) { $step->{async} = 1; delete $step->{keep_bytes} }
	}
	return $step;
}

# Scenes that chance alone makes too seldom.

# A total is lowered, others spend before it is committed: the COMMIT has to fail, if they have spent.
sub lowered_meanwhile
{
	my ($s) = @_;
	return ({ conn => 'ca', kind => 'begin', tx => 'begin', sql => 'BEGIN' },
		{ conn => 'ca', kind => 'set budget', sql => 'SELECT pegs_set_budget({A}, 0.000000001, delta => ' . ($s->{in_rho} ? '1e-6' : 0) . ')', effects => [['budget', 'A', $s->{in_rho} ? '1 1000000000000' : '1 0']] },
		(sub { { conn => 'db', %{ sample($s, 'postgres', 'A', 'sealed') } } }) x 2,
		{ conn => 'ca', kind => 'commit', tx => 'commit', sql => 'COMMIT' });
}

# The curator and a grantee make releases of one model, and those of the grantee are withdrawn.
sub withdrawn_from_one
{
	my ($s) = @_;
	my $model;
	my $of_model = sub { my ($step) = @_; return sub { $model //= (known($s, 'A', 'sealed'))[0]; return defined $model ? $step->() : undef } };
	my $release = sub {
		my ($conn, $name) = @_;
		return { conn => $conn, kind => 'release sealed', needs => $model, twin => 'shape', sql => 'SELECT pegs_release(' . sq($name) . ', ' . sq($model) . ', 2, epsilon => 0.01)',
			effects => [['object', $name, 'release']], makes => [$name, { columns => $s->{objects}{$model}{columns}, table => 'A', given => {}, n => 2 }],
			charge => { account => 'A', epsilon => 10000000, delta => 0, times => 1, how => ['sealed', 2, 0] } };
	};
	my @names = @{ $objects{A}{of_sealed} };
	return (
		$of_model->(sub { { conn => 'ca', kind => 'grant', likes => $model, grants => [$model, 'analyst'], sql => 'SELECT pegs_grant(' . sq($model) . ", 'analyst', epsilon => 5)", effects => [['grant', "$model\tanalyst", 5000000000]] } }),
		$of_model->(sub { $release->('ca', $names[0]) }),
		$of_model->(sub { $release->('an', $names[1]) }),
		$of_model->(sub { { conn => 'ca', kind => 'withdraw', likes => $model, withdraws => [$model, 'analyst'], sql => 'SELECT pegs_withdraw(' . sq($model) . ", 'analyst')", effects => [['withdrawn', $model, 1]], twin => 'shape' } }));
}

# Slices are paid for and fitted; one is fitted in a transaction that is rolled back.
sub slices_lost
{
	my ($s) = @_;
	my $slices = sub { return { conn => 'ca', %{ stateful_curating::slices($s) } } };

	return (($slices) x 3, { conn => 'ca', kind => 'begin', tx => 'begin', sql => 'BEGIN' }, $slices, { conn => 'ca', kind => 'rollback', tx => 'rollback', sql => 'ROLLBACK' }, ($slices) x 2);
}

# What nearly every sequence starts with, so that the rest has something to work on.
sub opening
{
	my ($s) = @_;
	my @steps;
	my @facts = ("pegs_set_levels({A}, 'note', ARRAY['u', 'v', 'wörd'])", "pegs_set_bins({A}, 'n', ARRAY['0', '10', '20', '30'])", "pegs_set_bins({A}, 'w', ARRAY['0', '1.5', '10'])",
		"pegs_set_bins({A}, 'd', ARRAY['2020-01-01', '2020-03-01', '2021-01-01'])", "pegs_set_levels({A}, 'odd \"Nä', ARRAY['1', 'ä', ''])", "pegs_set_levels({V}, 'code_n', ARRAY['1', '2', '3'])");
	my ($epsilon, $units) = @{ weighted([5, ['3', 3000000000]], [2, ['0.5', 500000000]], [1, ['100', 100000000000]]) };
	my ($delta, $delta_units) = @{ pick(['0', 0], ['1e-6', 1000000000000], ['2e-9', 2000000000]) };
	# with delta: in rho, unless it is said
	my $accounting = ($s->{in_rho} = chance(0.45)) ? pick('', ", 'zcdp'") : ", 'sum'";
	($delta, $delta_units) = ('1e-6', 1000000000000) if $s->{in_rho} && !$delta_units;
	my $budget = chance(0.92) ? ["pegs_set_budget({A}, $epsilon, $delta$accounting)"] : [];

	push @steps, { conn => 'ca', kind => 'opening', sql => 'SELECT ' . join(', ', some(pick(3, 5, 6, 6, 6), @facts), @$budget), effects => @$budget ? [['budget', 'A', "$units $delta_units"]] : [] };
	push @steps, sub { { conn => 'ca', kind => 'forbid', sql => 'SELECT pegs_forbid({A}, ' . sq(stateful_curating::combination('A')) . ')' } } for 1 .. (chance(0.3) ? between(1, 3) : 0);
	push @steps, sub { { conn => 'ca', %{ stateful_curating::fit($s, 'A', 'sealed') } } } if chance(0.85);
	push @steps, sub { { conn => 'ca', %{ stateful_curating::fit($s, 'A', 'perturbed') } } } if chance(0.5);
	push @steps, sub { { conn => 'ca', %{ release($s, 'curator_a', 'A') } } } if chance(0.2);
	push @steps, sub { { conn => 'ca', %{ stateful_curating::a_grant($s, 'A') } } } for 1 .. between(0, 3);
	if ($s->{with_b} = chance(0.5))
	{
		push @steps, { conn => 'cb', kind => 'opening', sql => "SELECT pegs_set_levels({B}, 'note', ARRAY['u', 'v', 'wörd']), pegs_set_bins({B}, 'q', ARRAY['0', '5', '20']), pegs_set_budget({B}, $epsilon, $delta$accounting)", effects => [['budget', 'B', "$units $delta_units"]] };
		push @steps, sub { { conn => 'cb', %{ stateful_curating::fit($s, 'B', pick('sealed', 'perturbed')) } } };
		push @steps, sub { { conn => 'cb', %{ stateful_curating::a_grant($s, 'B') } } };
	}
	push @steps, stateful_related::opening($s) if $s->{related};
	push @steps, lowered_meanwhile($s) if chance(0.1);
	push @steps, withdrawn_from_one($s) if chance(0.1);
	push @steps, slices_lost($s) if !$s->{twin} && chance(0.15);
	return @steps;
}

1;
