# long: run by make test-all (test/run long), not by make test
# pegs_health shows what could lose a charge or show a secret; pegs_verify_ledger finds what was done to a ledger. Both look
# at one's own tables only. Claim P5.
use strict;
use warnings;
use Test::More;
use PostgreSQL::Test::Utils;
use PegsLedger;

my $pegs = PegsLedger->new('health', conf => "wal_level = logical\nmax_wal_senders = 2\n");
my $node = $pegs->node;
my $count = 'SELECT count(*) FROM ' . $pegs->sample . ';';

# ---- the ledger ----

# 0.6 is spent by set_up_free. Then: rolled back, kept, rolled back twice; and the same with delta.
$pegs->set_up_free;
$pegs->value("SELECT pegs_set_budget('visit', 1000, delta => 1e-6)");
$pegs->analyst("BEGIN; $count ROLLBACK; $count BEGIN; $count SAVEPOINT a; $count ROLLBACK");
sub fit { my ($name, $delta) = @_; return "SELECT pegs_fit('$name', 'visit', epsilon => 0.25, delta => $delta);" }
$pegs->as('curator', fit('d1', '1e-7') . 'BEGIN; ' . fit('d2', '2e-7') . 'ROLLBACK; ' . fit('d3', '1e-7'));

# A second account, of a table that is not the curator's.
$pegs->value("CREATE TABLE other (b boolean NOT NULL); SELECT pegs_set_budget('other', 2)");
$pegs->value("SELECT pegs_fit('o', 'other', epsilon => 0.5)");

my $verify = q{SELECT account, part, finding, "from", "to", ok FROM pegs_verify_ledger()};
my @visit = ('visit|epsilon|5 charges|0|1.75|t', 'visit|epsilon|gap: rolled back or still open|0.6|0.7|t',
	'visit|epsilon|gap: rolled back or still open|0.8|1|t', 'visit|epsilon|gap: rolled back or still open|1.25|1.5|t',
	'visit|delta|2 charges|0|0.0000004|t', 'visit|delta|gap: rolled back or still open|0.0000001|0.0000003|t');
my @other = ('other|epsilon|1 charge|0|0.5|t', 'other|delta|0 charges|0|0|t');
# accounts come in the order of their numbers, faults before gaps
sub lines { return join "\n", @_ }

is($pegs->value($verify), lines(@visit, @other), 'pegs_verify_ledger: charges and gaps, exactly');
is($pegs->value("$verify WHERE account = 'other'::regclass"), lines(@other), 'pegs_verify_ledger: the other account');
is($pegs->value(q{SELECT account, part, finding, "from", "to", ok FROM pegs_verify_ledger('other')}), lines(@other), 'pegs_verify_ledger of one table');
is(scalar $pegs->as('curator', $verify), lines(@visit), 'pegs_verify_ledger by the curator: its own table');
is(scalar $pegs->as('curator', q{SELECT * FROM pegs_verify_ledger('other')}), '', "pegs_verify_ledger by the curator: not another's");
is($pegs->value("SELECT sum(epsilon_to - epsilon_from) FROM pegs_ledger WHERE at IS NULL AND source = 'visit'::regclass"), '0.55',
	'pegs_verify_ledger: what the gaps hold is what was rolled back');

# Still open: a gap until it is committed.
my $session = $pegs->background('analyst');
$session->query_safe("BEGIN; $count");
is($pegs->value("$verify WHERE part = 'epsilon' AND \"to\" > 1.75"),
	lines('visit|epsilon|5 charges|0|1.85|t', 'visit|epsilon|gap: rolled back or still open|1.75|1.85|t'), 'pegs_verify_ledger: a charge of an open transaction');
$session->query_safe('COMMIT');
$session->quit;
$visit[0] = 'visit|epsilon|6 charges|0|1.85|t';
is($pegs->value($verify), lines(@visit, @other), 'pegs_verify_ledger: committed, it has its line');

# What a superuser does to the ledger, and what is then said of the account; all of it is undone again.
sub tampered
{
	my ($name, $sql, $part, @expected) = @_;
	my $out = $pegs->as('postgres', "BEGIN; \\o /dev/null\n$sql;\n\\o\n"
		. qq{SELECT finding, "from", "to", ok FROM pegs_verify_ledger() WHERE account = 'visit'::regclass AND part = '$part'; ROLLBACK});

	is(lines(sort split /\n/, $out), lines(sort @expected), "tampered: $name");
	return;
}

my $gap = 'gap: rolled back or still open';
my @gaps = ("$gap|0.6|0.7|t", "$gap|0.8|1|t", "$gap|1.25|1.5|t");
my $line = q{WHERE source = 'visit'::regclass AND epsilon_from = 500000000 AND epsilon_to = 600000000};	# the release
my $delta = q{WHERE source = 'visit'::regclass AND delta_to = 100000000000};
my $insert = q{INSERT INTO pegs_internal.ledger (role, source, deed, epsilon_from, epsilon_to, delta_from, delta_to, epsilon_left) VALUES ('x', 'visit', 'sample', };
my $setval = "SELECT setval((SELECT %s FROM pegs_internal.budget WHERE source = 'visit'::regclass), %s)";

tampered('nothing', 'SELECT 1', 'epsilon', '6 charges|0|1.85|t', @gaps);
tampered('a line deleted is a gap', "DELETE FROM pegs_internal.ledger $line", 'epsilon',
	'5 charges|0|1.85|t', "$gap|0.5|0.7|t", @gaps[1, 2]);
tampered('the first line deleted', q{DELETE FROM pegs_internal.ledger WHERE source = 'visit'::regclass AND epsilon_to = 500000000}, 'epsilon',
	'5 charges|0|1.85|t', "$gap|0|0.5|t", @gaps);
tampered('the last line deleted', q{DELETE FROM pegs_internal.ledger WHERE source = 'visit'::regclass AND epsilon_to = 1850000000}, 'epsilon',
	'5 charges|0|1.85|t', @gaps, "$gap|1.75|1.85|t");
tampered('all lines deleted', 'DELETE FROM pegs_internal.ledger', 'epsilon', '0 charges|0|1.85|t', "$gap|0|1.85|t");
tampered('all lines deleted: delta', 'DELETE FROM pegs_internal.ledger', 'delta', '0 charges|0|0.0000004|t', "$gap|0|0.0000004|t");
tampered('a line begins one unit too early', "UPDATE pegs_internal.ledger SET epsilon_from = epsilon_from - 1 $line", 'epsilon',
	'6 charges|0|1.85|f', 'overlap|0.499999999|0.5|f', @gaps);
tampered('a line begins one unit too late', "UPDATE pegs_internal.ledger SET epsilon_from = epsilon_from + 1 $line", 'epsilon',
	'6 charges|0|1.85|t', "$gap|0.5|0.500000001|t", @gaps);
tampered('a line copied', "INSERT INTO pegs_internal.ledger (role, source, deed, epsilon_from, epsilon_to, delta_from, delta_to, epsilon_left)
	SELECT role, source, deed, epsilon_from, epsilon_to, delta_from, delta_to, epsilon_left FROM pegs_internal.ledger $line", 'epsilon',
	'7 charges|0|1.85|f', 'overlap|0.5|0.6|f', @gaps);
tampered('a line inside another', "$insert 100000000, 200000000, 0, 0, 0)", 'epsilon', '7 charges|0|1.85|f', 'overlap|0.1|0.2|f', @gaps);
tampered('a line over many', "$insert 0, 1850000000, 0, 0, 0)", 'epsilon', '7 charges|0|1.85|f',
	'overlap|0|0.5|f', 'overlap|0.5|0.6|f', 'overlap|0.7|0.8|f', 'overlap|1|1.25|f', 'overlap|1.5|1.75|f', 'overlap|1.75|1.85|f');
tampered('a line in a gap is believed', "$insert 600000000, 700000000, 0, 0, 0)", 'epsilon', '7 charges|0|1.85|t', @gaps[1, 2]);
tampered('a line beyond what is spent', "$insert 1850000000, 1850000001, 0, 0, 0)", 'epsilon', '7 charges|0|1.85|f', 'outside (0, spent]|1.85|1.850000001|f', @gaps);
tampered('a line below zero', "$insert -1, 0, 0, 0, 0)", 'epsilon', '7 charges|0|1.85|f', 'overlap|-0.000000001|0|f', 'outside (0, spent]|-0.000000001|0|f', @gaps);
tampered('a line backwards', "$insert 700000000, 600000000, 0, 0, 0)", 'epsilon', '7 charges|0|1.85|f', 'outside (0, spent]|0.7|0.6|f', @gaps);
tampered('the account set back', sprintf($setval, 'epsilon_spent', 1600000000), 'epsilon', '6 charges|0|1.6|f',
	'outside (0, spent]|1.5|1.75|f', 'outside (0, spent]|1.75|1.85|f', @gaps);
$pegs->value(sprintf($setval, 'epsilon_spent', 1850000000));
tampered('the account set forward is a gap', sprintf($setval, 'epsilon_spent', 1900000000), 'epsilon', '6 charges|0|1.9|t', @gaps, "$gap|1.85|1.9|t");
$pegs->value(sprintf($setval, 'epsilon_spent', 1850000000));
tampered('delta: a line deleted', "DELETE FROM pegs_internal.ledger $delta", 'delta', '1 charge|0|0.0000004|t', "$gap|0|0.0000003|t");
tampered('delta: a line one unit too long', "UPDATE pegs_internal.ledger SET delta_to = 300000000001 $delta", 'delta', '2 charges|0|0.0000004|f',
	'overlap|0.0000003|0.000000300000000001|f');
tampered('delta: a line beyond what is spent', "$insert 0, 0, 400000000000, 400000000001, 0)", 'delta', '3 charges|0|0.0000004|f',
	'outside (0, spent]|0.0000004|0.000000400000000001|f', "$gap|0.0000001|0.0000003|t");
tampered('delta: the account set back', sprintf($setval, 'delta_spent', 350000000000), 'delta', '2 charges|0|0.00000035|f',
	'outside (0, spent]|0.0000003|0.0000004|f', "$gap|0.0000001|0.0000003|t");
$pegs->value(sprintf($setval, 'delta_spent', 400000000000));
is($pegs->value($verify), lines(@visit, @other), 'tampered: all of it was undone');

# ---- the health of the server ----

# What is said of an item: state, ok, and whether there is a remedy; '' if nothing is.
sub health
{
	my ($item, $there) = @_;
	return ($there || $pegs)->value("SELECT state, ok, remedy IS NOT NULL FROM pegs_health() WHERE item = '$item'");
}

sub with_conf
{
	my ($item, $line, $expected) = @_;

	$node->append_conf('postgresql.conf', "$line\n");
	$node->reload;
	my ($name, $value) = $line =~ /^(\S+) = '?(.*?)'?$/;
	$node->poll_query_until('postgres', "SELECT current_setting('$name', true) = '$value'") or die "$line: not read";
	is(health($item), $expected, "pegs_health: $item with $line");
	return;
}

for my $name ('fsync', 'full_page_writes')
{
	with_conf($name, "$name = off", 'off|f|t');
	with_conf($name, "$name = on", 'on|t|f');
}
with_conf('synchronous standbys', "synchronous_standby_names = ''", 'none|f|t');
with_conf('synchronous standbys', "synchronous_standby_names = 'one, two'", 'one, two|t|f');
$node->append_conf('postgresql.conf', "synchronous_standby_names = ''\n");
with_conf('pegs.after_promotion', 'pegs.after_promotion = allow', 'allow|f|t');
with_conf('pegs.after_promotion', 'pegs.after_promotion = refuse', 'refuse|t|f');
my $checksums = $pegs->value('SHOW data_checksums');
is(health('data_checksums'), $checksums eq 'on' ? 'on|t|f' : 'off|f|t', "pegs_health: data_checksums $checksums");
$node->stop;
command_ok([ 'pg_checksums', $checksums eq 'on' ? '--disable' : '--enable', '--no-sync', '-D', $node->data_dir ], 'pg_checksums');
$node->start;
is(health('data_checksums'), $checksums eq 'on' ? 'off|f|t' : 'on|t|f', 'pegs_health: data_checksums the other way');

# Budgets that were kept elsewhere, and ledgers that were changed.
is(health('budget of public.visit'), 'kept here|t|f', 'pegs_health: a budget at home');
$node->safe_psql('template1', 'CREATE DATABASE copy TEMPLATE postgres');
my $copy = bless { node => $node, db => 'copy' }, 'PegsLedger';
is(health('budget of public.visit', $copy), 'copied: it was kept in another database of this cluster|f|t', 'pegs_health: a copied budget');
like($copy->value("SELECT remedy FROM pegs_health() WHERE item = 'budget of public.other'"), qr/^SELECT public\.pegs_adopt\('public\.other', remaining => /, 'pegs_health: its remedy');
$copy->value("SELECT pegs_adopt('visit', 1, 'adopted', 1e-7)");
is(health('budget of public.visit', $copy), 'kept here|t|f', 'pegs_health: adopted');
is(health('ledger of public.visit'), '', 'pegs_health: nothing of a ledger that is whole');
$copy->value("UPDATE pegs_internal.ledger SET epsilon_from = epsilon_from - 1 $line");
like(health('ledger of public.visit', $copy), qr/^epsilon: .*\|f\|t$/m, 'pegs_health: a changed ledger');
like(health('ledger of public.visit', $copy), qr/^epsilon: overlap \(0\.499999999, 0\.5\]\|f\|t$/m, 'pegs_health: where it was changed');
is(health('ledger of public.other', $copy), '', 'pegs_health: not that of the other table');
$node->safe_psql('template1', 'DROP DATABASE copy');

# Publications and slots that take pegs_internal along.
for my $of ('FOR ALL TABLES', 'FOR TABLES IN SCHEMA pegs_internal', 'FOR TABLES IN SCHEMA pegs_internal, public', 'FOR TABLE pegs_internal.body', 'FOR TABLE visit, pegs_internal.ledger')
{
	$pegs->value("CREATE PUBLICATION sent $of");
	like(health('publication sent'), qr/^sends .*pegs_internal\.(body|ledger).*\|f\|t$/, "pegs_health: a publication $of");
	$pegs->value('DROP PUBLICATION sent');
}
for my $of ('', 'FOR TABLE visit', 'FOR TABLES IN SCHEMA public')
{
	$pegs->value("CREATE PUBLICATION sent $of");
	is(health('publication sent'), '', "pegs_health: nothing of a publication $of");
	$pegs->value('DROP PUBLICATION sent');
}
SKIP:
{
	my $err;
	# a plugin of contrib, where it is installed
	skip 'there is no test_decoding', 1 if $node->psql('postgres', "SELECT pg_create_logical_replication_slot('decoder', 'test_decoding')", stderr => \$err);
	like(health('replication slot decoder'), qr/\|f\|t$/, 'pegs_health: a logical replication slot');
	$pegs->value("SELECT pg_drop_replication_slot('decoder')");
}
is(health('replication slot decoder'), '', 'pegs_health: nothing without one');

# Roles that are trusted without saying so.
$pegs->value(q{
	CREATE ROLE boss SUPERUSER; CREATE ROLE bob; GRANT boss TO bob; CREATE ROLE bobs_friend NOINHERIT; GRANT bob TO bobs_friend;
	CREATE ROLE copier REPLICATION; CREATE ROLE maker CREATEROLE;
	CREATE ROLE readers; GRANT pg_read_all_data TO readers; CREATE ROLE reader; GRANT readers TO reader; CREATE ROLE wary NOINHERIT; GRANT reader TO wary;
	CREATE ROLE writer; GRANT pg_write_all_data TO writer; CREATE ROLE files; GRANT pg_read_server_files, pg_write_server_files TO files;
	CREATE ROLE runner; GRANT pg_execute_server_program TO runner; CREATE ROLE watcher; GRANT pg_monitor TO watcher;
	CREATE ROLE direct; GRANT USAGE ON SCHEMA pegs_internal TO direct; GRANT SELECT ON pegs_internal.body TO direct; CREATE ROLE by_direct; GRANT direct TO by_direct;
	CREATE ROLE plain CREATEDB; GRANT pg_signal_backend TO plain});
for my $case (
	[ 'boss', qr/superuser/ ], [ 'bob', qr/superuser.*boss/ ], [ 'bobs_friend', qr/superuser.*boss/ ], [ 'copier', qr/replication/ ],
	[ 'readers', qr/read all tables/ ], [ 'reader', qr/read all tables/ ], [ 'wary', qr/read all tables/ ], [ 'writer', qr/write all tables/ ],
	[ 'files', qr/read files.*write files/ ], [ 'runner', qr/run programs/ ], [ 'watcher', qr/row counts/ ],
	[ 'direct', qr/pegs_internal.*body|body/ ], [ 'by_direct', qr/pegs_internal.*body|body/ ],
	$pegs->value("SELECT current_setting('server_version_num')::int < 160000") eq 't' ? [ 'maker', qr/createrole/ ] : ())
{
	my ($role, $pattern) = @$case;
	like(health("role $role"), qr/^can .*$pattern.*\|f\|t$/, "pegs_health: role $role");
}
is($pegs->value("SELECT count(*) FROM pegs_health() WHERE item = 'role boss'"), 1, 'pegs_health: a line a role');
is(health("role $_"), '', "pegs_health: nothing of role $_") for 'plain', 'curator', 'analyst', 'pg_monitor', 'pg_read_all_data';
is($pegs->value("SELECT count(*) FROM pegs_health() WHERE item LIKE 'role %' AND item = 'role ' || (SELECT rolname FROM pg_roles WHERE oid = 10)"), 0,
	'pegs_health: nothing of the first superuser');
is($pegs->value('SELECT count(*) FROM pegs_health() WHERE item IS NULL OR state IS NULL OR ok IS NULL OR (remedy IS NULL) <> ok'), 0,
	'pegs_health: every line says what, how, and what to do about it');

# ---- who may ask ----

$pegs->value('REVOKE EXECUTE ON FUNCTION pegs_health(), pegs_verify_ledger(regclass) FROM curator; CREATE ROLE asker LOGIN');
for my $role ('analyst', 'curator', 'asker')
{
	for my $function ('pegs_health()', 'pegs_verify_ledger()')
	{
		my (undef, $err) = $pegs->as($role, "SELECT * FROM $function");
		like($err, qr/ERROR:  42501$/m, "$function: $role may not without EXECUTE");
	}
}
$pegs->value('GRANT EXECUTE ON FUNCTION pegs_health(), pegs_verify_ledger(regclass) TO curator, asker');
is(scalar $pegs->as('curator', "SELECT item FROM pegs_health() WHERE item ~ '^(budget|ledger)'"), 'budget of public.visit', 'pegs_health by the curator: its own table');
is(scalar $pegs->as('asker', "SELECT item FROM pegs_health() WHERE item ~ '^(budget|ledger)'"), '', 'pegs_health by another: no table');
is(scalar $pegs->as('asker', 'SELECT * FROM pegs_verify_ledger()'), '', 'pegs_verify_ledger by another: no table');
is(scalar $pegs->as('asker', "SELECT count(*) FROM pegs_health() WHERE item = 'fsync'"), 1, 'pegs_health by another: the server');
# a search_path of the caller's bends nothing
is(scalar $pegs->as('curator', "CREATE TEMP VIEW pg_publication_tables AS SELECT 1; CREATE TEMP VIEW pegs_budgets AS SELECT 1; CREATE TEMP VIEW pegs_ledger AS SELECT 1;
	SET search_path = pg_temp, public; SELECT count(*) FROM public.pegs_health() WHERE item = 'budget of public.visit'; SELECT count(*) FROM public.pegs_verify_ledger()"), "1\n6",
	'pegs_health and pegs_verify_ledger with a bent search_path');
is(scalar $pegs->as('curator', "BEGIN READ ONLY; SELECT count(*) FROM pegs_health() WHERE item = 'budget of public.visit'; SELECT count(*) FROM pegs_verify_ledger('visit'); COMMIT"), "1\n6",
	'pegs_health and pegs_verify_ledger in a read-only transaction');

$node->stop;
done_testing();
