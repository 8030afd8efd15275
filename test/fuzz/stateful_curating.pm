# stateful_curating: steps of those who own a table: facts, budgets, fits, grants, rows put in, columns taken away; and
# what they ask for that must be refused. See stateful_steps.pm for what a step says about itself.
package stateful_curating;

use strict;
use warnings;
use stateful_words;

# ---- curating ----

sub set_budget
{
	my ($s, $t) = @_;
	my ($epsilon, $units) = @{ pick(['1', 1000000000], ['3', 3000000000], ['0.5', 500000000], ['1000', 1000000000000], ['0.2', 200000000], ['2.000000001', 2000000001]) };
	my ($delta, $delta_units) = @{ pick(['0', 0], ['1e-6', 1000000000000], ['1e-8', 10000000000], ['2e-9', 2000000000]) };
	my $accounting = $s->{in_rho} ? pick('', '', ", 'zcdp'", ", 'sum'") : pick(", 'sum'", ", 'sum'", ", 'sum'", '');
	($delta, $delta_units) = ('1e-6', 1000000000000) if $s->{in_rho} && !$delta_units && chance(0.8);
	return { kind => 'set budget', sql => "SELECT pegs_set_budget({$t}, $epsilon, $delta$accounting)", effects => [['budget', $account{$t}, "$units $delta_units"]] };
}

sub fact
{
	my ($s, $t) = @_;
	return pick(
		"SELECT pegs_set_levels({V}, 'code_n', ARRAY['1', '2', '3'])", "SELECT pegs_set_bins({V}, 'code_n', ARRAY['0', '2', '4'])", "SELECT pegs_set_bins({V}, 'n', ARRAY['-5', '0', '30'])") if $t eq 'V';
	return pick(
		"SELECT pegs_set_levels({B}, 'note', ARRAY['u', 'v'], undeclared => 'drop')", "SELECT pegs_set_bins({B}, 'q', ARRAY['0', '5'], undeclared => 'drop')", "SELECT pegs_set_lookup({B}, 'note', 'fz.codes', 'code', undeclared => 'drop')",
		"SELECT pegs_set_levels({B}, 'note', ARRAY['u', 'v', 'wörd'], other => 'u')", "SELECT pegs_set_levels({B}, 'note', lookup => 'fz.codes', lookup_column => 'code')",
		"SELECT pegs_set_bins({B}, 'q', ARRAY['0', '5', '20'])", "SELECT pegs_set_levels({B}, 'p', ARRAY['4', '3', '2', '1'])") if $t eq 'B';
	return pick(
		"SELECT pegs_set_levels({A}, 'note', ARRAY['u', 'v', 'wörd'], undeclared => 'drop')", "SELECT pegs_set_levels({A}, 'note', ARRAY['u'], undeclared => 'drop')", "SELECT pegs_set_bins({A}, 'n', ARRAY['0', '10', '20', '30'], undeclared => 'drop')",
		"SELECT pegs_set_lookup({A}, 'note', 'fz.codes', 'code', undeclared => 'drop')", "SELECT pegs_set_levels({A}, 'code', ARRAY['1', '3'], undeclared => 'drop')",
		"SELECT pegs_set_levels({A}, 'note', ARRAY['u', 'v', 'wörd'])", "SELECT pegs_set_levels({A}, 'note', ARRAY['u', 'v'], other => 'rest')",
		"SELECT pegs_set_levels({A}, 'note', lookup => 'fz.codes', lookup_column => 'code')", "SELECT pegs_set_bins({A}, 'n', ARRAY['0', '10', '20', '30'])",
		"SELECT pegs_set_levels({A}, 'n', ARRAY['0', '7', '15'], other => '-1')", "SELECT pegs_set_bins({A}, 'w', ARRAY['0', '1.5', '10'])", "SELECT pegs_set_bins({A}, 'd', ARRAY['2020-01-01', '2020-03-01', '2021-01-01'])",
		"SELECT pegs_set_levels({A}, 'odd \"Nä', ARRAY['1', 'ä', ''])", "SELECT pegs_set_levels({A}, 'b', ARRAY['true', 'false'])", "SELECT pegs_set_levels({A}, 'g', ARRAY['F', 'M', 'x\"y', 'new'])",
		"SELECT pegs_set_levels({A}, 'k', ARRAY['low', 'mid', 'hïgh \"x\"'])");
}

# Not with a twin: what is learnt is of the rows, and charged.
sub learn
{
	my ($t) = @_;
	my ($epsilon, $units) = @{ pick(['0.05', 50000000], ['0.5', 500000000], ['3', 3000000000]) };
	my %charge = (account => $account{$t}, epsilon => $units, delta => 0, times => 1, how => ['range']);

	return { kind => 'learn range', charge => \%charge, sql => "SELECT pegs_learn_range({$t}, '" . ($t eq 'B' ? 'q' : $t eq 'V' ? 'n' : pick('n', 'w', 'd')) . "', $epsilon, " . between(1, 40) . ')' } if chance(0.5);
	@charge{qw(delta how)} = (1000000000, ['levels']);
	return { kind => 'learn levels', charge => \%charge, sql => "SELECT pegs_learn_levels({$t}, '" . ($t eq 'B' ? pick('note', 'p') : $t eq 'V' ? 'code_n' : pick('note', 'n', 'code', 'person')) . "', $epsilon, 1e-9)" };
}

sub combination
{
	my ($t) = @_;
	my @c = some(chance(0.85) ? between(1, 2) : 3, do { my %s; grep { !$s{$_}++ } @{ $likely{$t} } });
	return '{' . join(', ', map { my $c = $_; js_name($c) . ': ' . (chance(0.6) ? js(pick(@{ $values{$c} })) : '[' . join(', ', map { js($_) } some(between(0, 2), @{ $values{$c} })) . ']') } @c) . '}';
}

sub fit
{
	my ($s, $t, $kind) = @_;
	my @columns = model_columns($s, $t);
	my $name = pick(@{ $objects{$t}{ $kind eq 'perturbed' ? 'perturbed' : 'sealed' } });
	$name = pick(@{ $objects{$t}{diverse} }) if $kind eq 'diverse';
	my %step = (kind => "fit $kind", twin => 'state', makes => [$name, { columns => \@columns, table => $t, chosen => $kind eq 'chosen' }], effects => [['object', $name, 'model']],
		fitted => { table => $t, columns => \@columns, name => $name, kind => $kind });
	my $head = "SELECT pegs_fit(" . sq($name) . ", {$t}, " . names(@columns);

	if ($kind eq 'diverse') { $step{sql} = "$head, parents => " . sq(parents_of(@columns)) . ", options => '{\"l_diversity\": " . pick('1.5', '1.01', '1.999') . "}')" }
	elsif ($kind eq 'sealed') { $step{sql} = "$head, parents => " . sq(parents_of(@columns)) . (chance(0.2) ? ', tail_bits => 1' : '') . ')' }
	elsif ($kind eq 'chosen')
	{
		my ($epsilon, $units) = @{ pick(['0.01', 10000000], ['0.02', 20000000]) };
		$step{sql} = "$head, structure_epsilon => $epsilon" . (chance(0.2) ? ', tail_bits => 1' : '') . (chance(0.2) ? ', max_parents => ' . pick(0, 1, 9) : '') . ')';
		$step{charge} = { account => $account{$t}, epsilon => $units, delta => 0, times => 1, how => ['choice'] };
	}
	else
	{
		my ($epsilon, $units) = @{ pick(['0.1', 100000000], ['0.5', 500000000], ['0.02', 20000000], ['1e-9', 1], ['0.050000001', 50000001]) };
		my ($delta, $delta_units) = @{ pick(@deltas) };
		$step{sql} = "$head, epsilon => $epsilon" . ($delta_units ? ", delta => $delta" : '') . ')';
		$step{charge} = { account => $account{$t}, epsilon => $units, delta => $delta_units, times => 1, how => ['fit'] };
	}
	return \%step;
}

# Anew, for another charge: the name and its grants stay. What is sealed is refused.
sub refit
{
	my ($s, $t) = @_;
	my $name = name_of($s, $t, chance(0.85) ? 'perturbed' : pick(qw(sealed imported)));
	my ($epsilon, $units) = @{ pick(['0.1', 100000000], ['0.02', 20000000], ['0.050000001', 50000001]) };
	my ($delta, $delta_units) = @{ pick(@deltas) };

	return { kind => 'refit', likes => $name, twin => 'state', sql => 'SELECT pegs_refit(' . sq($name) . ", $epsilon, $delta)", effects => [['object', $name, 'model']],
		charge => { account => $account{$t}, epsilon => $units, delta => $delta_units, times => 1, how => ['fit'] } };
}

# Slices of A by its date, which a trigger keeps: set for a charge, fitted for nothing, each once. Not with a twin: in which
# slice a value is that nobody declared is of the rows.
sub slices
{
	my ($s) = @_;
	my ($name) = @{ $objects{A}{sliced} };
	my ($epsilon, $units) = @{ pick(['0.1', 100000000], ['0.5', 500000000], ['0.02', 20000000]) };
	my ($delta, $delta_units) = @{ pick(@deltas) };

	return { kind => 'unset slices', sql => 'SELECT pegs_unset_slices({A})' } if chance(0.05);
	if (!$s->{sliced} || chance(0.1))
	{
		$s->{sliced} = [grep { $_ ne 'd' } model_columns($s, 'A')];
		return { kind => 'set slices', sql => "SELECT pegs_set_slices({A}, 'd', '" . pick('1 month', '1 month', '2 months', '1 year', '7 days') . "', '2020-01-01', $epsilon" . ($delta_units ? ", $delta" : '') . ')',
			charge => { account => 'A', epsilon => $units, delta => $delta_units, times => 1, how => ['fit'] } };
	}
	return { kind => 'sample slices', needs => $name, repeat => 1, sql => "SELECT * FROM pegs_sample_slices('$name') AS t(" . row_list('A', @{ $s->{sliced} }) . ')' } if $s->{objects}{$name} && @{ $s->{sliced} } && chance(0.3);
	return { kind => 'fit slices', sql => "SELECT pegs_fit_slices('$name', {A}, " . names(@{ $s->{sliced} }) . ', most => ' . between(1, 3) . ')', makes => [$name, { columns => $s->{sliced}, table => 'A' }] };
}

# A state of the table in parts, merged.
sub merged
{
	my ($t, $spec, $columns) = @_;
	my $list = join ', ', map { qi($_) } @$columns;
	my $from = $t eq 'A' ? '{a}' : '{b}';
	return "SELECT pegs_merge(part) FROM (SELECT pegs_agg(($spec), $list) AS part FROM (SELECT *, floor(random() * " . between(1, 4) . ") AS shard_ FROM $from) AS x GROUP BY shard_) AS parts";
}

sub fit_state
{
	my ($s, $t) = @_;
	$t = 'A' if $t eq 'V';
	my @columns = model_columns($s, $t);
	my $perturbed = chance(0.5);
	my $name = pick(@{ $objects{$t}{ $perturbed ? 'perturbed' : 'sealed' } });
	my $parents = $perturbed ? undef : parents_of(@columns);
	my $spec = "SELECT pegs_spec({$t}, " . names(@columns) . ($perturbed ? '' : ', ' . sq($parents)) . ')';
	my $state = chance(0.1) ? 'NULL' : '(' . merged($t, $spec, \@columns) . ')';
	my %step = (kind => 'fit state', twin => 'outcome', makes => [$name, { columns => \@columns, table => $t }], effects => [['object', $name, 'model']]);

	$step{sql} = "SELECT pegs_fit_state(" . sq($name) . ", {$t}, $state, " . names(@columns) . ($perturbed ? ', epsilon => 0.1' : ', parents => ' . sq($parents)) . ')';
	$step{charge} = { account => $account{$t}, epsilon => 100000000, delta => 0, times => 1, how => ['fit'] } if $perturbed;
	return \%step;
}

# Law: merge(agg(a), agg(b), ...) = agg(all), whatever the parts; and merging merged parts.
sub merge_law
{
	my ($s, $t) = @_;
	$t = 'A' if $t eq 'V';
	my @columns = model_columns($s, $t);
	my $list = join ', ', map { qi($_) } @columns;
	my $from = $t eq 'A' ? '{a}' : '{b}';
	my $spec = "SELECT pegs_spec({$t}, " . names(@columns) . (chance(0.5) ? '' : ', ' . sq(parents_of(@columns)) . (chance(0.3) ? ', 1' : '')) . ')';
	my $again = "SELECT pegs_merge(m) FROM (SELECT pegs_merge(part) AS m FROM (SELECT pegs_agg(($spec), $list) AS part, floor(random() * 2) AS up_ FROM (SELECT *, floor(random() * 5) AS shard_ FROM $from) AS x GROUP BY shard_) AS parts GROUP BY up_) AS ups";

	return { kind => 'merge law', twin => 'outcome', law => 1,
		# the spec by itself first: a table without rows would not look at it
		sql => "SELECT length(($spec)) > 0 AND (SELECT pegs_agg(($spec), $list)::text FROM $from) IS NOT DISTINCT FROM (" . merged($t, $spec, \@columns) . ")::text AND (SELECT pegs_agg(($spec), $list)::text FROM $from) IS NOT DISTINCT FROM ($again)::text" };
}

sub a_grant
{
	my ($s, $t) = @_;
	my $name = name_of($s, $t, qw(sealed sealed perturbed of_sealed of_perturbed));
	my $sealed = $name =~ /^.s(?!r)/;
	my $role = pick(qw(analyst analyst analyst readers), $sealed ? () : qw(public public));
	my ($epsilon, $units) = @{ pick(@amounts, ['0.5', 500000000], ['5', 5000000000]) };
	my %step = (kind => 'grant', likes => $name, grants => [$name, $role], sql => 'SELECT pegs_grant(' . sq($name) . ", '$role'" . ($sealed ? ", epsilon => $epsilon" : '') . ')');

	$step{effects} = [['grant', "$name\t$role", $sealed ? $units : '']];
	return \%step;
}

sub curating
{
	my ($s, $persona) = @_;
	return stateful_related::curating($s, $persona) if $s->{related} && $persona ne 'curator_b' && chance(0.6);
	my $t = pick(@{ $curates{$persona} });
	my $of = { A => '{a}', B => '{b}', V => '{v}' }->{$t};
	my $table = $t eq 'B' ? 'B' : 'A';
	my $name_of_table = $t eq 'B' ? '{b}' : '{a}';
	# now and then at another's table
	if (chance(0.04)) { my $other = $t eq 'B' ? 'A' : 'B'; my $step = chance(0.5) ? fit($s, $other, pick(qw(sealed perturbed))) : set_budget($s, $other); if (!is_curator($persona, $other)) { delete $step->{makes}; return { %$step, kind => 'denied other table', must => 'fail' } } }

	return weighted(
		[7, sub { set_budget($s, $t) }],
		[8, sub { my $sql = fact($s, $t); { kind => $sql =~ /drop/ ? 'set undeclared drop' : $sql =~ /lookup/ ? 'set lookup' : $sql =~ /bins/ ? 'set bins' : 'set levels', sql => $sql } }],
		[$s->{twin} ? 0 : 3, sub { learn($t) }],
		[2, sub { { kind => 'unset', sql => "SELECT pegs_unset({$t}, " . sq(pick(keys %{ $column{$t} })) . ')' } }],
		[4, sub { chance(0.35) ? { kind => 'forbid nothing', sql => "SELECT pegs_forbid({$t}, NULL)" } : { kind => 'forbid', sql => "SELECT pegs_forbid({$t}, " . sq(combination($t)) . ')' } }],
		[3, sub { chance(0.5) ? { kind => 'set no unit', sql => "SELECT pegs_set_unit({$t}, NULL)" } : chance(0.5) ? { kind => 'set unit person', sql => "SELECT pegs_set_unit({$t}, '" . ($t eq 'B' ? 'q' : 'person') . "', weighting => 'person')" } : { kind => 'set unit', sql => "SELECT pegs_set_unit({$t}, '" . ($t eq 'B' ? 'q' : pick('person', 'person', 'n')) . "', " . between(1, 3) . ')' } }],
		[9, sub { fit($s, $t, 'sealed') }],
		[2, sub { fit($s, $t, 'chosen') }],
		[$s->{undeclared}{$table} ? 20 : 6, sub { fit($s, $t, 'perturbed') }],
		[!$s->{twin} && $s->{has}{pegs_set_slices} && $table eq 'A' ? ($s->{sliced} ? 8 : 2) : 0, sub { slices($s) }],
		[1, sub { fit($s, $t, 'diverse') }],
		[$s->{has}{pegs_refit} ? 4 : 0, sub { refit($s, $t) }],
		[$s->{objects}{ $objects{$t}{diverse}[0] } ? 25 : 0.1, sub { stateful_steps::sample($s, $persona, $t, 'diverse') }],
		[0.5, sub { my $name = sq($objects{$t}{diverse}[0]); { kind => 'bad diverse', must => 'fail', sql => pick("SELECT pegs_grant($name, 'analyst', 1)", "SELECT pegs_grant($name, 'analyst')", "SELECT pegs_release('bad', $name, 1, epsilon => 0.1)", "SELECT pegs_export($name)", "SELECT * FROM pegs_trace($name, 0.1)") } }],
		[$s->{has}{pegs_trace} ? 2 : 0, sub { stateful_steps::trace($s, $t) }],
		[4, sub { fit_state($s, $t) }],
		[4, sub { merge_law($s, $t) }],
		[9, sub { stateful_steps::sample($s, $persona, $t, 'sealed') }],
		[6, sub { stateful_steps::sample($s, $persona, $t, 'perturbed') }],
		[5, sub { stateful_steps::release($s, $persona, $t) }],
		[5, sub { stateful_steps::rows_of_release($s, $persona, $t) }],
		[2, sub { stateful_steps::cost($s, $persona, $t) }],
		[3, sub { stateful_steps::about($s, $persona, $t, pick(qw(describe row_type))) }],
		[1, sub { my $name = pick(name_of($s, $t, 'perturbed'), any_name($s, $t)); { kind => 'view_sql', likes => $name, repeat => 1, sql => 'SELECT pegs_view_sql(' . sq($name) . ", 'fz view')" } }],
		[5, sub { my $name = name_of($s, $t, 'perturbed'); { kind => 'export', likes => $name, repeat => 1, keep_bytes => 1, sql => 'SELECT pegs_export(' . sq($name) . ')', exported => $s->{objects}{$name} } }],
		[8, sub { a_grant($s, $t) }],
		[2, sub { my $name = name_of($s, $t, qw(sealed sealed perturbed)); my $role = pick(qw(analyst analyst readers public)); { kind => 'limit', likes => $name, likes_grant => $role, sql => 'SELECT pegs_limit(' . sq($name) . ", '$role', " . pick(0, 5, 30, 'NULL') . ', ' . pick(0, 1, 2, 'NULL') . ')' } }],
		# where there is something to take
		[grep({ $_->{maker} } values %{ $s->{grants} }) ? 8 : 2, sub { my $name = name_of($s, $t, qw(sealed sealed perturbed)); my $role = chance(0.4) ? undef : pick(qw(analyst readers public)); { kind => 'withdraw', likes => $name, withdraws => [$name, $role], sql => 'SELECT pegs_withdraw(' . sq($name) . (defined $role ? ", '$role'" : '') . ')', effects => [['withdrawn', $name, 1]], twin => 'shape' } }],
		[2, sub { my $name = any_name($s, $t); my $role = pick(qw(analyst readers public)); { kind => 'revoke', likes => $name, likes_grant => $role, sql => 'SELECT pegs_revoke(' . sq($name) . ", '$role')", effects => [['grant', "$name\t$role", undef]] } }],
		[5, sub { my $name = any_name($s, $t); { kind => 'drop', likes => $name, sql => 'SELECT pegs_drop(' . sq($name) . ')', effects => [['object', $name, undef]] } }],
		[1, sub { { kind => 'domain', sql => "SELECT * FROM pegs_domain({$t})" } }],
		[1, sub { { kind => 'spec', repeat => 1, sql => "SELECT pegs_spec({$t}, " . names(model_columns($s, $t)) . ')' } }],
		[4, sub { { kind => 'insert', twin => 'outcome', sql => "{rows $table " . between(0, 40) . ' ' . between(0, 40) . '}' } }],
		[2, sub { { kind => 'insert undeclared', sql => $table eq 'B' ? "INSERT INTO {b} (p, note) VALUES ('1', {marker})" : pick("INSERT INTO {a} (g, b, note) VALUES ('M', true, {marker})", "INSERT INTO {a} (g, b, n) VALUES ('F', false, {number})", "INSERT INTO {a} (g, b, code) VALUES ('F', false, {marker})") } }],
		[3, sub { { kind => 'delete', sql => $table eq 'B' ? "DELETE FROM {b} WHERE note LIKE 'Z%'" : pick("DELETE FROM {a} WHERE note LIKE 'Z%' OR n > 1000 OR code LIKE 'Z%'", "DELETE FROM {a} WHERE note LIKE 'Z%' OR n > 1000 OR code LIKE 'Z%'", "DELETE FROM {a} WHERE g = 'M'") } }],
		[1, sub { { kind => 'update', sql => $table eq 'B' ? "UPDATE {b} SET q = 3 WHERE p = '2'" : "UPDATE {a} SET n = 3 WHERE g = 'F'" } }],
		[1, sub { { kind => 'truncate', sql => "TRUNCATE $name_of_table" } }],
		[1, sub { { kind => 'rename table', sql => $table eq 'A' ? "ALTER TABLE {a} RENAME TO " . pick('a', 'a2', '"Ä b"', '"a""b"') : 'ALTER TABLE {b} RENAME TO ' . pick('b', 'b2') } }],
		[1, sub { { kind => 'add column', sql => "ALTER TABLE {a} ADD COLUMN x1 boolean" } }],
		[1, sub { { kind => 'drop column', sql => 'ALTER TABLE {a} DROP COLUMN ' . pick('x1', 'x1', 'd', 'w') } }],
		[1, sub { { kind => 'change type', sql => $table eq 'B' ? "ALTER TABLE {b} ALTER COLUMN note TYPE " . pick('varchar(4)', 'varchar(9)') . ' USING NULL' : 'ALTER TABLE {a} ALTER COLUMN ' . pick('w', 'd', 'note') . ' TYPE ' . pick('text', 'varchar(1)', 'int', 'float8', 'numeric(8,3)', 'date', 'timestamp', 'boolean', 'fz.mood', 'uuid') . ' USING NULL' } }],
		[0.2, sub { { kind => 'drop table', sql => "DROP TABLE $name_of_table CASCADE", effects => [['dropped', $table, 1]] } }],
		[1, sub { { kind => 'rename column', sql => 'ALTER TABLE {a} RENAME COLUMN ' . pick('w TO w2', 'w2 TO w', 'note TO note2', 'note2 TO note') } }],
		[6, sub { bad_curating($s, $t) }])->();
}

# ---- bad arguments: an error, and nothing charged ----

sub bad_curating
{
	my ($s, $t) = @_;
	my $column = pick(keys %{ $column{$t} });
	my $g = $likely{$t}[0];
	my ($sealed, $perturbed) = ($objects{$t}{sealed}[0], $objects{$t}{perturbed}[0]);
	my $fit = "SELECT pegs_fit(" . pick(sq($sealed), sq($perturbed)) . ", {$t}, ARRAY['$g']::name[], ";
	my $sql = pick(
		map({ "SELECT pegs_set_budget({$t}, $_)" } @bad_epsilon, 'NULL'), map({ "SELECT pegs_set_budget({$t}, 1, $_)" } @bad_delta), 'SELECT pegs_set_budget(NULL, 1)', 'SELECT pegs_set_budget(0, 1)', "SELECT pegs_set_budget('pg_class', 1)",
		map({ "${fit}epsilon => $_)" } @bad_epsilon, '1001'), map({ "${fit}epsilon => 0.1, delta => $_)" } @bad_delta), "${fit}epsilon => 0.1, parents => '{}')", "${fit}epsilon => 0.1, tail_bits => 1)", "${fit}epsilon => 0.1, max_parents => 3)",
		"${fit}parents => '[]')", "${fit}parents => '{\"zz\": []}')", "${fit}parents => '{\"$g\": [\"$g\"]}')", "${fit}parents => '{\"$g\": [1]}')", "${fit}parents => '{}', tail_bits => 2)", "${fit}parents => '{}', max_parents => -1)",
		"${fit}structure_epsilon => NULL)", "${fit}parents => '{}', delta => 0.1)", "${fit}parents => '{}', options => '{\"zz\": 1}')", "${fit}epsilon => 0.1, options => '{\"zz\": 1}')", "${fit}parents => '{}', structure_epsilon => -1)",
		"SELECT pegs_fit(NULL, {$t}, epsilon => 0.1)", "SELECT pegs_fit('', {$t}, epsilon => 0.1)", "SELECT pegs_fit('bad', NULL, epsilon => 0.1)", "SELECT pegs_fit('bad', {$t}, ARRAY[]::name[], epsilon => 0.1)",
		"SELECT pegs_fit('bad', {$t}, ARRAY['$g', '$g']::name[], epsilon => 0.1)", "SELECT pegs_fit('bad', {$t}, ARRAY['$g', NULL]::name[], epsilon => 0.1)", "SELECT pegs_fit('bad', {$t}, ARRAY['zz']::name[], epsilon => 0.1)", "SELECT pegs_fit('bad', 'pg_class', epsilon => 0.1)",
		"SELECT pegs_fit_state('bad', {$t}, '\\x00', ARRAY['$g']::name[], epsilon => 0.1)", "SELECT pegs_fit_state('bad', {$t}, NULL, ARRAY['$g']::name[])",
		"SELECT pegs_set_levels({$t}, '$g', ARRAY[]::text[])", "SELECT pegs_set_levels({$t}, '$g', ARRAY['M', 'M'])", "SELECT pegs_set_levels({$t}, '$g', NULL::text[])", "SELECT pegs_set_levels({$t}, '$g', ARRAY['M', NULL])", "SELECT pegs_set_levels({$t}, 'zz', ARRAY['M'])",
		"SELECT pegs_set_levels({$t}, NULL, ARRAY['M'])", "SELECT pegs_set_levels({$t}, '$g', lookup => {$t}, lookup_column => '$g')", "SELECT pegs_set_levels({$t}, '$g', lookup => 'fz.codes', lookup_column => 'zz')", "SELECT pegs_set_levels({$t}, '$g', lookup => NULL, lookup_column => 'code')",
		map({ "SELECT pegs_set_bins({$t}, '" . ($t eq 'B' ? 'q' : 'n') . "', $_)" } "'{}'", "'{1}'", "'{2,1}'", "'{1,1}'", "'{NaN,1}'", "'{x,1}'", 'NULL', "'{1e30,1e31}'", "ARRAY['1', NULL]"), "SELECT pegs_set_bins({$t}, '$g', ARRAY['0', '1'])", "SELECT pegs_unset({$t}, 'zz')", "SELECT pegs_unset({$t}, NULL)",
		map({ "SELECT pegs_forbid({$t}, '$_')" } '{}', '[]', '"x"', '{"zz": 1}', "{\"$g\": {\"x\": 1}}", "{\"$g\": [[1]]}", "{\"$g\": \"not declared\"}", '{"": 1}'),
		map({ "SELECT pegs_set_unit({$t}, '$g', $_)" } '0', '-1', '1001', 'NULL'), "SELECT pegs_set_unit({$t}, 'zz')", "SELECT pegs_set_unit({$t}, 'ctid')",
		"SELECT pegs_grant('$sealed', 'analyst')", "SELECT pegs_grant('$sealed', 'public', 1)", "SELECT pegs_grant('$perturbed', 'analyst', 1)", "SELECT pegs_grant('$perturbed', NULL)", "SELECT pegs_grant('$perturbed', 'no such role')", "SELECT pegs_grant(NULL, 'analyst')", "SELECT pegs_grant('', 'analyst', 1)",
		map({ "SELECT pegs_grant('$sealed', 'analyst', $_)" } @bad_epsilon), "SELECT pegs_revoke('$sealed', NULL)", "SELECT pegs_revoke('$sealed', 'no such role')", 'SELECT pegs_drop(NULL)', "SELECT pegs_drop('')", "SELECT pegs_export('$sealed')", 'SELECT pegs_export(NULL)',
		"SELECT pegs_spec({$t}, ARRAY['zz']::name[])", "SELECT pegs_spec({$t}, NULL, '{}', 7)", "SELECT pegs_agg('x', 1)", "SELECT pegs_agg(NULL, 1)", "SELECT pegs_agg(pegs_spec({$t}, ARRAY['$g']::name[]), 1)", "SELECT '\\x0123'::pegs_state", "SELECT 'x'::pegs_state", "SELECT pegs_view_sql('$sealed', 'v')", "SELECT pegs_view_sql(NULL, 'v')",
		"SELECT pegs_set_levels({$t}, '$g', ARRAY['M', 'F', 'x\"y'], undeclared => 'x')", "SELECT pegs_set_unit({$t}, '$g', weighting => 'x')", "SELECT pegs_limit('$sealed', 'analyst', -1)", "SELECT pegs_limit('$sealed', 'no such role')", "SELECT pegs_limit(NULL, 'analyst')", 'SELECT pegs_withdraw(NULL)', "SELECT pegs_allow('public')",
		"SELECT pegs_fit(repeat('x', 64), {$t}, epsilon => 0.1)", "SELECT pegs_fit(E'a\\nb', {$t}, epsilon => 0.1)",
		"SELECT pegs_domain(NULL)", "SELECT pegs_import('bad', '\\x')", "SELECT pegs_import('bad', NULL)");
	return { kind => 'bad curating', must => 'fail', sql => $sql };
}

sub bad_rows
{
	my ($s, $persona) = @_;
	my $t = pick(qw(A A V B));
	my $sealed = chance(0.7);
	my $name = name_of($s, $t, $sealed ? 'sealed' : 'perturbed');
	my $made = $s->{objects}{$name} || { columns => [$likely{$t}[0]] };
	my @columns = @{ $made->{columns} };
	my $list = row_list($t, @columns);
	my $q = sq($name);
	my @calls = (
		map({ ["$q, $_, epsilon => 0.1", $list] } $sealed ? 'NULL' : (), '0', '-1', '9223372036854775808', "'x'", '1e30'),
		map({ ["$q, 2, epsilon => $_", $list] } @bad_epsilon), map({ ["$q, 2, epsilon => 0.1, block => $_", $list] } 'NULL', '0', '-1'), map({ ["$q, 2, epsilon => 0.1, delta => $_", $list] } @bad_delta),
		map({ ["$q, 2, epsilon => 0.1, given => '$_'", $list] } '[]', '"x"', '{"zz": 1}', '{"' . ($columns[0] =~ s/(["\\])/\\$1/gr) . '": [1]}', '{"' . ($columns[0] =~ s/(["\\])/\\$1/gr) . '": "not declared"}'),
		map({ ["$q, 2, epsilon => 0.1, options => '$_'", $list] } '[]', '{"zz": 1}', '{"fresh": 1}', '{"draw": "x"}', '{"draw": null}', '{"keys": true}'), ['NULL, 2, epsilon => 0.1', $list], ["'', 2, epsilon => 0.1", $list],
		map({ ["$q, 2, epsilon => 0.1", $_] } 'zz int', "$list, zz text", row_list($t, $columns[0]) =~ s/ \S+$/ money/r, row_list($t, $columns[0], $columns[0])), $sealed ? ["$q, 2, block => 2", $list] : ());
	my ($call, $as) = @{ pick(@calls) };
	my $bad_columns = $as ne $list;
	my $sql = !$bad_columns && chance(0.3) ? "SELECT pegs_release('bad', $call)" : !$bad_columns && $call !~ /given|options/ && chance(0.2) ? "SELECT * FROM pegs_cost($call)" : "SELECT * FROM pegs_sample($call) AS t($as)";

	# what a cost does not look at is no error there
	return { kind => 'bad rows', must => 'fail', twin => 'shape', sql => $sql, needs => $name, soft => $sql =~ /pegs_cost/ && !$sealed };
}

1;
