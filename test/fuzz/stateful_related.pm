# stateful_related: tables that hang on fz.a by foreign keys: C on A, E on C. What may be done with them, and what must hold of
# who pays (laws L2, L3):
#
#   bound          whose account pays is what is committed: the root's, once. A table that is bound has spent nothing itself; it is
#                  let go only if its root has spent nothing since, and not while others hang on it. Neither while an account
#                  that would say so is a copy, nor where rows were read without a guarantee.
#   twice          rows that one account has paid for are never paid for by another.
#   orphans        rows of one release, or sample, join.
package stateful_related;

use strict;
use warnings;
use stateful_words;

our %above = (C => 'A', E => 'C');
my $classes = "children => '{0, 1, 2, 3}', at_most => 4";
my @schema = ('hh1', 'hh1', 'hh2');
my @releases = ('hhr1', 'hhr2');

# ---- steps ----

sub bind_step
{
	my ($t) = @_;
	my $to = $above{$t};
	return { kind => 'bind', sql => "SELECT pegs_set_parent({$t}, {$to}, " . pick($classes, $classes, "children => '{0, 1, 3}', at_most => 3") . ')', effects => [['bound', $t, $to]] };
}
sub let_go_step { my ($t) = @_; return { kind => 'let go', sql => "SELECT pegs_set_parent({$t}, NULL)", effects => [['bound', $t, undef]] } }

sub fit_schema
{
	my ($s) = @_;
	my $name = pick(@schema);
	my @tables = chance(0.6) ? qw(A C E) : chance(0.8) ? qw(A C) : ('A');
	my %columns = (A => [some(2, model_columns($s, 'A'))], C => [model_columns($s, 'C')], E => ['h']);
	my ($epsilon, $units) = @{ pick(['0.1', 100000000], ['0.5', 500000000], ['0.02', 20000000], ['0.050000001', 50000001]) };
	my ($delta, $delta_units) = @{ pick(@deltas) };
	my $named = chance(0.7) ? ", tables => '{" . join(', ', map { "{na $_}" } @tables) . "}'" : '';
	my $of = join ', ', map { my $t = $_; "{na $t}: [" . join(', ', map { js_name($_) } @{ $columns{$t} }) . ']' } $named ? @tables : qw(A C E);

	return { kind => 'fit schema', twin => 'state', makes => [$name, { related => 1, tables => \@tables, columns => \%columns, table => 'A' }], effects => [['object', $name, 'model']], counts => \@tables,
		sql => "SELECT pegs_fit_schema('$name', {A}$named, columns => '{$of}', epsilon => $epsilon" . ($delta_units ? ", delta => $delta" : '') . (chance(0.3) ? ', siblings => false' : '') . ')',
		charge => { account => 'A', epsilon => $units, delta => $delta_units, times => 1, how => ['fit'] } };
}

sub model_of { my ($s) = @_; my @known = grep { $s->{objects}{$_} } @schema; return @known && chance(0.95) ? pick(@known) : pick(@schema) }
sub release_of { my ($s) = @_; my @known = grep { $s->{objects}{$_} } @releases; return @known && chance(0.95) ? pick(@known) : pick(@releases) }

my %list = (A => 'id int', C => 'id int, a_id int', E => 'id int, c_id int');
my %key = (C => 'a_id', E => 'c_id');

sub rows_schema
{
	my ($s) = @_;
	my $of_release = chance(0.5);
	my $name = $of_release ? release_of($s) : model_of($s);
	my $made = $s->{objects}{$name} || { tables => ['A', 'C'], names => { A => 'a', C => 'c', E => 'e' } };
	my @tables = @{ $made->{tables} };
	my $t = pick(@tables);
	my $n = between(1, 8);
	my $call = sub {
		my ($t) = @_;
		my $table = $made->{names}{$t} // lc $t;
		return $of_release ? 'pegs_rows(' . sq($name) . ', ' . sq($table) . ')' : 'pegs_sample(' . sq($name) . ", $n, options => " . sq('{"table": ' . js_name($table) . '}') . ')';
	};
	my $up = $above{$t};
	# nothing hangs in the air, and no key comes twice
	return { kind => 'join ' . ($of_release ? 'released' : 'sampled'), needs => $name, law => 'orphans', twin => 'state',
		sql => "SELECT (SELECT count(*) FROM @{[ $call->($t) ]} AS c($list{$t}) LEFT JOIN @{[ $call->($up) ]} AS p($list{$up}) ON p.id = c.$key{$t} WHERE p.id IS NULL) = 0 AND (SELECT count(*) = count(DISTINCT id) FROM @{[ $call->($t) ]} AS c($list{$t}))" } if $up && chance(0.7);
	my @columns = @{ ($made->{columns} || {})->{$t} || [] };
	my $list = join ', ', $list{$t}, map { qi($_) . ' ' . $column{$t}{$_} } @columns;
	return { kind => 'rows related', needs => $name, repeat => 1, twin => 'state', sql => 'SELECT ' . as_text('id', @columns) . " FROM @{[ $call->($t) ]} AS t($list)" };
}

sub release_schema
{
	my ($s) = @_;
	my ($model, $name) = (model_of($s), pick(@releases));
	my $made = $s->{objects}{$model} || { related => 1, tables => ['A', 'C'], columns => {} };
	return { kind => 'release related', needs => $model, twin => 'state', sql => "SELECT pegs_release('$name', '$model', " . between(1, 8) . (chance(0.2) ? q{, options => '{"fresh": true}'} : '') . ')',
		effects => [['object', $name, 'release']], makes => [$name, { %$made }] };
}

sub grant_schema
{
	my ($s) = @_;
	my $name = chance(0.7) ? model_of($s) : release_of($s);
	my $role = pick(qw(analyst analyst readers public));
	return { kind => 'grant related', likes => $name, grants => [$name, $role], sql => "SELECT pegs_grant('$name', '$role')", effects => [['grant', "$name\t$role", '']] };
}

sub refit_schema
{
	my ($s) = @_;
	my $name = model_of($s);
	return { kind => 'refit related', likes => $name, twin => 'state', sql => "SELECT pegs_refit('$name', 0.02, 0)", effects => [['object', $name, 'model']], charge => { account => 'A', epsilon => 20000000, delta => 0, times => 1, how => ['fit'] } };
}

sub alter
{
	my ($t) = @_;
	my $of = '{' . lc $t . '}';
	return weighted(
		[4, { kind => 'insert related', twin => 'outcome', sql => "{rows $t " . between(0, 2) . ' ' . between(0, 2) . '}' }],
		[2, { kind => 'insert orphans', sql => $t eq 'C' ? "INSERT INTO {c} (a_id, s) VALUES (NULL, 'x')" : "INSERT INTO {e} (c_id, h) VALUES (NULL, 'p')" }],
		[2, { kind => 'insert undeclared', sql => "INSERT INTO {c} (a_id, s, note) VALUES (NULL, 'x', {marker})" }],
		[2, { kind => 'delete related', sql => "DELETE FROM $of WHERE " . pick('id % 2 = 0', 'true') }],
		[1, { kind => 'truncate related', sql => "TRUNCATE $of CASCADE" }],
		[1, { kind => 'add column', sql => "ALTER TABLE $of ADD COLUMN x1 boolean" }],
		[1, { kind => 'drop key', sql => $t eq 'C' ? 'ALTER TABLE {c} DROP CONSTRAINT c_a_id_fkey' : 'ALTER TABLE {e} DROP CONSTRAINT e_c_id_fkey' }],
		[1, { kind => 'rename key', sql => $t eq 'C' ? 'ALTER TABLE {c} RENAME COLUMN ' . pick('a_id TO of_a', 'of_a TO a_id') : 'ALTER TABLE {e} RENAME COLUMN ' . pick('c_id TO of_c', 'of_c TO c_id') }],
		[1, { kind => 'rename related', sql => "ALTER TABLE $of RENAME TO " . pick(lc $t, lc($t) . '2') }],
		[0.7, { kind => 'drop table', sql => "DROP TABLE $of CASCADE", effects => [['dropped', $t, 1]] }]);
}

# What a curator of A does with what hangs on it.
sub curating
{
	my ($s, $persona) = @_;
	my $t = chance(0.75) ? 'C' : 'E';

	return weighted(
		[12, sub { bind_step($t) }],
		[8, sub { let_go_step($t) }],
		[1, sub { { kind => 'bad bind', must => 'fail', sql => pick('SELECT pegs_set_parent({E}, {A})', 'SELECT pegs_set_parent({A}, {C})', 'SELECT pegs_set_parent({C}, {C})', "SELECT pegs_set_parent({C}, {A}, children => '{0, 2}', at_most => 3)", 'SELECT pegs_set_parent({C}, {B})') } }],
		[14, sub { fit_schema($s) }],
		[5, sub { refit_schema($s) }],
		[12, sub { rows_schema($s) }],
		[6, sub { release_schema($s) }],
		[4, sub { grant_schema($s) }],
		[6, sub { stateful_curating::set_budget($s, $t) }],
		[8, sub { stateful_curating::fit($s, $t, 'perturbed') }],
		[8, sub { stateful_curating::fit($s, $t, 'sealed') }],
		[1, sub { stateful_curating::fit($s, $t, pick('chosen', 'diverse')) }],
		[3, sub { stateful_curating::fit($s, 'A', pick('perturbed', 'sealed')) }],
		[8, sub { stateful_steps::sample($s, $persona, $t, 'sealed') }],
		[2, sub { stateful_steps::sample($s, $persona, $t, pick('perturbed', 'diverse')) }],
		[4, sub { stateful_steps::release($s, $persona, $t) }],
		[2, sub { stateful_steps::rows_of_release($s, $persona, $t) }],
		[3, sub { stateful_curating::a_grant($s, $t) }],
		[2, sub { stateful_curating::refit($s, $t) }],
		[3, sub { my $name = chance(0.5) ? any_name($s, $t) : chance(0.6) ? model_of($s) : release_of($s); { kind => 'drop', likes => $name, sql => 'SELECT pegs_drop(' . sq($name) . ')', effects => [['object', $name, undef]] } }],
		[4, sub { my $of = pick('A', $t); { kind => 'declare facts', sql => "SELECT pegs_declare({$of}, pegs_facts({$of}))" } }],
		[2, sub { { kind => 'schema', repeat => 1, sql => "SELECT depth, columns::text, children::text, at_most, problem FROM pegs_schema({$t})" } }],
		[2, sub { { kind => 'set unit related', sql => "SELECT pegs_set_unit({$t}, " . pick('NULL', $t eq 'C' ? "'a_id', 2" : "'c_id', 2", $t eq 'C' ? "'m', 1" : "'h', 1") . ')' } }],
		[8, sub { alter($t) }],
		# a curator of one of both binds nobody
		[1, sub { { kind => 'denied bind', must => 'fail', sql => $persona eq 'postgres' ? 'SELECT pegs_set_parent({B}, {A})' : 'SELECT pegs_set_parent({C}, {B})' } }])->();
}

sub analysing
{
	my ($s, $persona) = @_;
	return weighted(
		[6, sub { stateful_steps::sample($s, $persona, 'C', 'sealed') }],
		[2, sub { stateful_steps::release($s, $persona, 'C') }],
		[6, sub { rows_schema($s) }],
		[3, sub { release_schema($s) }],
		[2, sub { my $name = chance(0.5) ? model_of($s) : release_of($s);
			my $text = pick('SELECT pegs_describe(%s)', "SELECT pegs_row_type(%s, 'c')", "SELECT * FROM pegs_rows(%s, 'c') AS t(id int)", q{SELECT * FROM pegs_sample(%s, 2, options => '{"table": "c"}') AS t(id int)}, "SELECT pegs_copy_sql(%s, 'x')", "SELECT pegs_view_sql(%s, 'x')");
			{ kind => 'probe', needs => $name, twin => 'none', sql => sprintf($text, sq($name)), probe => [sprintf($text, sq('never was')), $name, 'never was'] } }],
		[2, sub { { kind => 'denied related', must => 'fail', twin => 'full', sql => pick('SELECT pegs_set_parent({C}, {A})', 'SELECT pegs_set_parent({C}, NULL)', "SELECT pegs_fit_schema('hh1', {A}, epsilon => 0.1)", 'SELECT * FROM pegs_schema({C})', 'SELECT pegs_facts({C})') } }])->();
}

# Its binding changes while a table is fitted: the fit stands before its charge, until who changes it commits.
sub changed_meanwhile
{
	my ($s) = @_;
	my ($bound) = $s->{bound_first};
	my $change = $bound ? let_go_step('C') : bind_step('C');
	my $what = chance(0.5) || !$bound ? sub { stateful_curating::fit($s, 'C', 'perturbed') } : sub { fit_schema($s) };

	return ({ conn => 'ca', kind => 'setting', sql => "SET lock_timeout = '5s'" },
		{ conn => 'db', kind => 'begin', tx => 'begin', sql => 'BEGIN' },
		{ conn => 'db', kind => 'hold', sql => 'LOCK TABLE pegs_internal.model IN SHARE MODE' },
		sub { { conn => 'ca', async => 1, %{ $what->() } } },
		{ conn => 'db', %$change },
		{ conn => 'db', kind => 'commit', tx => 'commit', sql => 'COMMIT' },
		{ conn => 'ca', kind => 'setting', sql => "SET lock_timeout = '8ms'" },
		sub { { conn => 'ca', %{ stateful_curating::fit($s, 'C', 'perturbed') } } });
}

# Bound, or let go, and fitted in one transaction, which ends in any way: nothing that could be rolled back pays.
sub bound_and_spent
{
	my ($s) = @_;
	my $fit = sub { { conn => 'ca', %{ stateful_curating::fit($s, 'C', 'perturbed') } } };
	my $end = pick({ kind => 'commit', tx => 'commit', sql => 'COMMIT' }, { kind => 'rollback', tx => 'rollback', sql => 'ROLLBACK' });

	return ({ conn => 'ca', kind => 'begin', tx => 'begin', sql => 'BEGIN' },
		{ conn => 'ca', %{ $s->{bound_first} ? let_go_step('C') : bind_step('C') } }, $fit, { conn => 'ca', %$end }, $fit);
}

# A transaction that binds is not prepared: charges would wait for it, or not know of it.
sub bound_and_prepared
{
	my ($s) = @_;

	return ({ conn => 'ca', kind => 'begin', tx => 'begin', sql => 'BEGIN' }, { conn => 'ca', %{ $s->{bound_first} ? let_go_step('C') : bind_step('C') } },
		{ conn => 'ca', kind => 'prepare', tx => 'prepare', gid => 'pb', sql => "PREPARE TRANSACTION 'pb_{world}'" });
}

# Rows are read without a guarantee, and then the table is to be bound, or let go.
sub uncovered_and_changed
{
	my ($s) = @_;

	return (sub { { conn => 'ca', %{ stateful_curating::fit($s, 'C', 'diverse') } } }, sub { { conn => 'ca', %{ stateful_steps::sample($s, 'curator_a', 'C', 'diverse') } } },
		{ conn => 'ca', kind => 'drop', sql => "SELECT pegs_drop('cl1')", effects => [['object', 'cl1', undef]] },
		{ conn => 'ca', %{ $s->{bound_first} ? let_go_step('C') : bind_step('C') } });
}

sub opening
{
	my ($s) = @_;
	my $budget = sub { my ($t) = @_; return { conn => 'ca', kind => 'set budget', sql => "SELECT pegs_set_budget({$t}, 3, 1e-6, 'sum')", effects => [['budget', $t, '3000000000 1000000000000']] } };
	my @steps = ({ conn => 'ca', kind => 'opening', sql => "SELECT pegs_set_bins({C}, 'm', ARRAY['0', '5', '10'])" });

	push @steps, $budget->('C') if chance(0.5);
	push @steps, $budget->('E') if chance(0.2);
	$s->{bound_first} = chance(0.7);
	my $meanwhile = !$s->{twin} && chance(0.2);
	push @steps, map { { conn => 'ca', %{ bind_step($_) } } } $meanwhile ? ('C') : chance(0.5) ? ('C', 'E') : chance(0.5) ? ('E', 'C') : ('C') if $s->{bound_first};
	push @steps, changed_meanwhile($s) if $meanwhile;
	my $how = $meanwhile ? 1 : rand;
	push @steps, $how < 0.08 ? bound_and_spent($s) : $how < 0.14 ? bound_and_prepared($s) : $how < 0.22 ? uncovered_and_changed($s) : ();
	# a copied account says nothing of what was spent: nobody leaves it
	push @steps, { conn => 'db', kind => 'copied budget', copied => 'A', sql => 'UPDATE pegs_internal.budget SET database = 1 WHERE source = {A}' }, { conn => 'ca', %{ let_go_step('E') } }, { conn => 'ca', %{ let_go_step('C') } } if $s->{bound_first} && chance(0.08);
	push @steps, sub { { conn => 'ca', %{ fit_schema($s) } } } if $s->{bound_first} && chance(0.6);
	push @steps, sub { { conn => 'ca', %{ grant_schema($s) } } } if $s->{bound_first} && chance(0.4);
	push @steps, sub { { conn => 'ca', %{ stateful_curating::fit($s, 'C', pick('sealed', 'sealed', 'perturbed')) } } } if chance(0.5);
	push @steps, sub { { conn => 'ca', %{ stateful_curating::a_grant($s, 'C') } } } if chance(0.4);
	return @steps;
}

# ---- who pays ----

# Accounts that could ever pay for a table.
sub candidates { my ($t) = @_; return $t eq 'E' ? qw(E C A) : $t eq 'C' ? qw(C A) : ($t) }

# By what was committed: the letter of the account; undef: it was dropped.
sub payer
{
	my ($w, $now, $t) = @_;
	my %letter = reverse %{ $w->{oid} };

	while (my $parent = $now->{parent}{ $w->{oid}{$t} // 0 })
	{
		last unless defined $parent->{parent};
		$t = $letter{ $parent->{parent} } // return undef;
		return undef unless $now->{table}{ $w->{oid}{$t} };
	}
	return $t;
}

# Of a step that ran beside others, whoever could pay.
sub payers
{
	my ($w, $before, $step, $t) = @_;
	return ($t) unless $above{$t};
	return candidates($t) if $step && $step->{async};
	my $payer = payer($w, $before, $t);
	return defined $payer ? ($payer) : ();
}

sub amounts { my ($b) = @_; return join ' ', map { $b ? $b->{$_} // 0 : 0 } qw(epsilon_spent delta_spent rho_spent) }
sub is_uncovered { my ($seen, $oid) = @_; return grep { $_->{source} == $oid && $_->{deed} =~ /^uncovered/ } @{ $seen->{ledger} } }

sub check_bound
{
	my ($self, $w, $seen, $before, $now, $step, $out) = @_;
	my $violation = \&stateful_model::violation;
	my $alone = !$self->is_pending && !($step && $step->{async});

	return unless $w->{related};
	for my $t (qw(C E))
	{
		my $oid = $w->{oid}{$t};
		my ($was, $is) = map { my $p = $_->{parent}{$oid}; $p && defined $p->{parent} ? $p->{parent} : undef } $before, $now;
		my ($root_before, $root) = map { payer($w, $_, $t) } $before, $now;

		$seen->{adopted}{$t} = 1 if $step && $step->{adopted} && $step->{adopted}[0] eq $t;
		if (defined $is)
		{
			$violation->('bound', "$t is bound, and has spent itself: " . amounts($now->{budget}{$oid})) if !$seen->{adopted}{$t} && amounts($now->{budget}{$oid}) ne '0 0 0';
			if (!defined $was && $alone)
			{
				$violation->('copied', "$t was bound, and its own account is a copy") if $before->{budget}{$oid} && $before->{budget}{$oid}{copied};
				$violation->('bound', "$t was bound, and has rows that were read without a guarantee") if is_uncovered($before, $oid);
			}
			my $since = $seen->{since}{$t};
			$seen->{since}{$t} = { root => $root, spent => amounts($now->{budget}{ $w->{oid}{$root} }), uncovered => scalar is_uncovered($now, $w->{oid}{$root}) }
				if defined $root && (!defined $was || !$since || $since->{root} ne $root);
		}
		elsif (defined $was && $now->{table}{$oid})
		{
			my $since = $seen->{since}{$t};
			my $account = defined $root_before ? $before->{budget}{ $w->{oid}{$root_before} } : undef;
			if (!defined $root_before) { $violation->('bound', "$t was let go, and what has paid for it was dropped") if $before->{table}{$oid} && $before->{table}{ $w->{oid}{C} } }
			else
			{
				$violation->('bound', "$t was let go, and $root_before has spent since: " . amounts($account) . ", then $since->{spent}") if $since && $since->{root} eq $root_before && $since->{spent} ne amounts($account);
				$violation->('copied', "$t was let go, and the account of $root_before is a copy") if $account && $account->{copied} && $alone;
				$violation->('bound', "$t was let go, and rows were read without a guarantee since") if $since && $since->{root} eq $root_before && is_uncovered($before, $w->{oid}{$root_before}) > $since->{uncovered};
			}
			delete $seen->{since}{$t};
			$violation->('bound', "$t was let go, and E hangs on it") if $t eq 'C' && defined(($now->{parent}{ $w->{oid}{E} } || {})->{parent}) && $now->{table}{ $w->{oid}{E} };
		}
		# whose rows a line is of, its name says
		for my $line (@{ $now->{ledger} }) { $seen->{paid}{$t}{ $line->{source} } = 1 if $line->{to} > $line->{from} && ($line->{object} // '') =~ /^\l$t(s|p|sr|pr)\d\z/ }
		$seen->{paid}{$t}{ $w->{oid}{A} } = 1 if $alone && $step && $step->{counts} && $out->{state} eq '00000' && grep({ $_ eq $t } @{ $step->{counts} }) && ($root_before // '') eq 'A';
		$violation->('twice', "rows of $t were paid for by " . join ' and ', sort keys %{ $seen->{paid}{$t} }) if keys %{ $seen->{paid}{$t} || {} } > 1;
	}
	my $charge = $step ? $step->{charge} : undef;
	$violation->('charge', "$charge->{account} was charged, and who pays was dropped") if $alone && $charge && $above{ $charge->{account} } && $out->{state} eq '00000' && $charge->{times} && !$charge->{maybe} && !defined payer($w, $before, $charge->{account});
	return;
}

1;
