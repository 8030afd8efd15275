# long: run by make test-all (test/run long), not by make test
# A table that has spent under an account of its own and becomes a part of another: its rows cost both. Setting the budget of the
# whole and fitting it warn, once, and pegs_health names it. The review of 0.2.0, L1.
use strict;
use warnings;
use Test::More;
use PegsLedger;

my $pegs = PegsLedger->new('parts');
my $warning = qr{WARNING:  01000\b};

$pegs->value(q{
	GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA public TO curator; GRANT CREATE ON SCHEMA public TO curator; SET ROLE curator;
	CREATE TABLE whole (b boolean NOT NULL) PARTITION BY LIST (b); CREATE TABLE half PARTITION OF whole FOR VALUES IN (true);
	CREATE TABLE spent_part (b boolean NOT NULL); CREATE TABLE bare_part (b boolean NOT NULL);
	CREATE TABLE parent (b boolean NOT NULL); CREATE TABLE child () INHERITS (parent); CREATE TABLE grandchild () INHERITS (child);
	CREATE TABLE other_spent (b boolean NOT NULL);
	SELECT pegs_set_budget(t, 5) FROM unnest(ARRAY['spent_part', 'bare_part', 'other_spent']::regclass[]) AS t});
my ($out, $err) = $pegs->as('curator', q{SELECT pegs_fit('s', 'spent_part', epsilon => 1); SELECT pegs_fit('o', 'other_spent', epsilon => 1)});
is($err, '', 'tables of their own: no warning');
my @calls = ([ 'pegs_set_budget', "SELECT pegs_set_budget('whole', 5)" ], [ 'pegs_set_budget again', "SELECT pegs_set_budget('whole', 6)" ],
	[ 'pegs_fit', "SELECT pegs_fit('w', 'whole', epsilon => 1)" ], [ 'pegs_fit, sealed', "SELECT pegs_fit('ws', 'whole', parents => '{}')" ],
	[ 'pegs_fit of another part', "SELECT pegs_fit('h', 'half', epsilon => 1)" ]);
my $health = q{SELECT string_agg(item || ' ' || state, ', ' ORDER BY item) FROM pegs_health() WHERE item LIKE 'part %' AND NOT ok AND remedy IS NOT NULL};
for my $part ('none', 'bare_part', 'spent_part')
{
	$pegs->value("SET ROLE curator; ALTER TABLE whole ATTACH PARTITION $part FOR VALUES IN (false)") if $part ne 'none';
	for my $call (@calls)
	{
		my ($name, $sql) = @$call;
		(undef, $err) = $pegs->as('curator', "SET client_min_messages = warning; $sql; SELECT pegs_drop(name) FROM pegs_models WHERE name IN ('w', 'ws', 'h')");
		is(scalar(() = $err =~ /$warning/g), $part eq 'spent_part' ? 1 : 0, "$name with $part: " . ($part eq 'spent_part' ? 'one warning' : 'no warning'));
		unlike($err, qr/ERROR/, "$name with $part: no error");
	}
	is(scalar $pegs->as('curator', $health), $part eq 'spent_part' ? 'part public.spent_part has spent under an account of its own, and is a part of public.whole' : '', "pegs_health with $part");
	$pegs->value("SET ROLE curator; ALTER TABLE whole DETACH PARTITION $part") if $part eq 'bare_part';
}
$pegs->value('ALTER TABLE other_spent INHERIT child');
(undef, $err) = $pegs->as('curator', "SET client_min_messages = warning; SELECT pegs_set_budget('parent', 5)");
like($err, $warning, 'inheritance, two levels down: a warning');
like(scalar $pegs->as('curator', $health), qr/part public\.other_spent has spent under an account of its own, and is a part of public\.parent/, 'inheritance, two levels down: pegs_health');
# two of them are one warning, and pegs_health names each
(undef, $err) = $pegs->as('curator', q{CREATE TABLE second_spent (b boolean NOT NULL); SELECT pegs_set_budget('second_spent', 5); SELECT pegs_fit('o2', 'second_spent', epsilon => 1);
	ALTER TABLE second_spent INHERIT child; SET client_min_messages = warning; SELECT pegs_set_budget('parent', 6)});
is(scalar(() = $err =~ /$warning/g), 1, 'two parts that have spent: one warning');
is(scalar(() = $pegs->as('curator', $health) =~ /part public\.(other|second)_spent has spent/g), 2, 'two parts that have spent: pegs_health names both');
# rows of a part that were read without a guarantee before it was one: said where the whole is budgeted and fitted, and by pegs_health
(undef, $err) = $pegs->as('curator', q{CREATE TABLE u_whole (b boolean NOT NULL); CREATE TABLE u_part (b boolean NOT NULL); INSERT INTO u_part SELECT true FROM generate_series(1, 20);
	SELECT pegs_set_budget(t, 5) FROM unnest(ARRAY['u_whole', 'u_part']::regclass[]) AS t; SET client_min_messages = warning;
	SELECT pegs_fit('u', 'u_part', method => 'table', options => '{"guarantee": "none"}'); ALTER TABLE u_part INHERIT u_whole});
is($err, '', 'read without a guarantee, a table of its own: no warning');
for my $call ([ 'pegs_set_budget', "SELECT pegs_set_budget('u_whole', 6)" ], [ 'pegs_fit', "SELECT pegs_fit('uw', 'u_whole', epsilon => 1)" ], [ 'pegs_fit, sealed', "SELECT pegs_fit('uws', 'u_whole', parents => '{}')" ])
{
	(undef, $err) = $pegs->as('curator', "\\set VERBOSITY verbose\nSET client_min_messages = warning; $call->[1]");
	like($err, qr/^\S*\s*WARNING:  01000: rows of table "u_part" were read without a guarantee before it became a part of "u_whole"\n.*HINT:  SELECT \* FROM pegs_ledger WHERE source = 'public\.u_part'::regclass AND action ~ 'uncovered';/s, "$call->[0]: rows of a part were read without a guarantee");
	is(scalar(() = $err =~ /WARNING|ERROR/g), 1, "$call->[0]: rows of a part were read without a guarantee: one warning");
}
like(scalar $pegs->as('curator', $health), qr/part public\.u_part has rows that were read without a guarantee, and is a part of public\.u_whole/, 'rows of a part were read without a guarantee: pegs_health');
is(scalar $pegs->as('analyst', "SELECT has_function_privilege('pegs_health()', 'EXECUTE')"), 'f', 'an analyst may not ask');

# A sealed model that was fitted before its table became a part: what it charged would be nobody's. Whoever asks, and without a
# right on the tables; afterwards, and for models that have no such table, it is as before.
$pegs->value(q{GRANT EXECUTE ON FUNCTION pegs_trace TO analyst; SET ROLE curator;
	CREATE TABLE p_whole (b boolean NOT NULL) PARTITION BY LIST (b); CREATE TABLE p_kin (b boolean NOT NULL);
	CREATE TABLE p_part (b boolean NOT NULL); CREATE TABLE p_child (b boolean NOT NULL); CREATE VIEW p_view AS SELECT b FROM p_part;
	SELECT pegs_set_budget(t, 50) FROM unnest(ARRAY['p_whole', 'p_part', 'p_child', 'p_kin']::regclass[]) AS t;
	SELECT pegs_fit('p_part', 'p_part', parents => '{}'), pegs_fit('p_view', 'p_view', parents => '{}'), pegs_fit('p_child', 'p_child', parents => '{}'), pegs_fit('p_noisy', 'p_part', epsilon => 1);
	SELECT pegs_grant(m, 'analyst', 10) FROM unnest(ARRAY['p_part', 'p_view', 'p_child']) AS m; SELECT pegs_grant('p_noisy', 'analyst')});
my %use = (sample => "SELECT count(*) FROM pegs_sample('MODEL', 5, epsilon => 1) AS t(b boolean)", release => "SELECT pegs_release('r_MODEL', 'MODEL', 5, epsilon => 1)",
	trace => "SELECT count(*) FROM pegs_trace('MODEL', 1)", cost => "SELECT count(*) FROM pegs_cost('MODEL', 5, 1)");
my $spent = "SELECT string_agg(source || ' ' || spent, ',' ORDER BY source::text) FROM pegs_budgets WHERE source::text LIKE 'p\\_%'";
for my $when ('before', 'as parts', 'after')
{
	$pegs->value('SET ROLE curator; ALTER TABLE p_whole ATTACH PARTITION p_part FOR VALUES IN (true); ALTER TABLE p_child INHERIT p_kin') if $when eq 'as parts';
	$pegs->value('SET ROLE curator; ALTER TABLE p_whole DETACH PARTITION p_part; ALTER TABLE p_child NO INHERIT p_kin') if $when eq 'after';
	for my $role ('curator', 'analyst')
	{
		for my $model ('p_part', 'p_view', 'p_child')
		{
			for my $use (sort keys %use)
			{
				my $before = $pegs->value($spent);
				my (undef, $err) = $pegs->as($role, $use{$use} =~ s/MODEL/$model/gr . ($use eq 'release' ? "; SELECT pegs_drop('r_$model')" : ''));
				if ($when eq 'as parts')
				{
					like($err, qr/ERROR:  55000/, "$when, $role: $use of $model is refused");
					is($pegs->value($spent), $before, "$when, $role: $use of $model costs nobody anything");
				}
				else { unlike($err, qr/ERROR/, "$when, $role: $use of $model") }
			}
		}
		(undef, $err) = $pegs->as($role, "SELECT count(*) FROM pegs_sample('p_noisy', 5) AS t(b boolean)");
		unlike($err, qr/ERROR/, "$when, $role: a perturbed model was paid for");
	}
}
# the whole pays for a model that is fitted again
$pegs->value('SET ROLE curator; ALTER TABLE p_whole ATTACH PARTITION p_part FOR VALUES IN (true)');
(undef, $err) = $pegs->as('curator', "SET client_min_messages = error; SELECT pegs_drop('p_part'); SELECT pegs_fit('p_part', 'p_part', parents => '{}'); $use{sample}" =~ s/MODEL/p_part/gr);
is($err, '', 'fitted again: it can be used');
like($pegs->value($spent), qr/p_whole 1(,|$)/, 'fitted again: the whole pays');

$pegs->node->stop;
done_testing();
