# long: run by make test-all (test/run long), not by make test
# An account in rho keeps all that an account of sums keeps: the same files, asked again of its third sequence; then twenty
# sessions for what five can have, copies, a dump, default privileges, an account that was set back, and prepared
# transactions. Law L2, claims P5, P20.
use strict;
use warnings;
use Cwd qw(abs_path);
use File::Basename qw(dirname);
use Test::More;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use PegsLedger;

$PegsLedger::in_rho = 1;
my $here = dirname(abs_path(__FILE__));

# ---- refunds, crashes, a synchronous standby ----

for my $file ('001_refund.pl', '002_crash.pl', '004_standby.pl')
{
	subtest $file => sub { my $ran = do "$here/$file"; die $@ || $! if !defined $ran };
}

# ---- twenty sessions ----

my $pegs = PegsLedger->new('rho', conf => "max_connections = 50\nmax_prepared_transactions = 2\n");
my $node = $pegs->node;
my $tmp = $PostgreSQL::Test::Utils::tmp_check;
my $one = PegsLedger::rho_units(0.1);
my $call = 'SELECT count(*) FROM ' . $pegs->sample(model => 'r') . ';';

# five calls of 0.1 fit, and not six
$pegs->value("
	CREATE TABLE race (LIKE visit INCLUDING CONSTRAINTS);
	ALTER TABLE race OWNER TO curator;
	INSERT INTO race SELECT * FROM visit;
	SELECT pegs_set_budget('race', epsilon => 0.355, delta => 1e-6);
	SELECT pegs_fit('r', 'race', parents => '{}');
	SELECT pegs_grant('r', 'analyst', epsilon => 100);");
is($pegs->value("SELECT floor(r.total / $one.0) FROM pegs_internal.in_rho('race') AS r"), 5, 'a budget for five');
my $door = $pegs->background('postgres');
sub race
{
	my ($sql) = @_;

	$door->query_safe('SELECT pg_advisory_lock(1)');
	my @all = map { $pegs->start_psql('analyst', "\\o /dev/null\nSELECT pg_advisory_lock_shared(1);\n\\o\n$sql") } 1 .. 20;
	$node->poll_query_until('postgres', "SELECT count(*) = 20 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted") or die 'not all came to the door';
	$door->query_safe('SELECT pg_advisory_unlock(1)');
	$pegs->finish($_) for @all;
	return @all;
}
for my $sql ($call, "BEGIN; $call ROLLBACK;")
{
	my @all = race($sql);
	my $name = $sql =~ /ROLLBACK/ ? 'rolling back' : 'committed';

	is(scalar(grep { $_->{out} =~ /^10$/m && $_->{err} eq '' } @all), 5, "twenty sessions, $name: five got rows");
	is(scalar(grep { $_->{out} eq '' && $_->{err} =~ /53400/ } @all), 15, "twenty sessions, $name: the others were refused");
	is($pegs->rho_spent('race'), 5 * $one, "twenty sessions, $name: spent is five") if $sql eq $call;
	# for the next five
	if ($sql eq $call)
	{
		$pegs->value("SELECT pegs_set_budget('race', epsilon => 0.5, delta => 1e-6)");
		is($pegs->value("SELECT floor((r.total - r.spent) / $one.0) FROM pegs_internal.in_rho('race') AS r"), 5, 'raised: for five more');
	}
}
is($pegs->rho_spent('race'), 10 * $one, 'twenty sessions: ten calls are spent');
is($pegs->value("SELECT string_agg(concat_ws(' ', part, finding, ok), ', ' ORDER BY part DESC, finding) FROM pegs_verify_ledger('race')"),
	'rho 5 charges t, rho gap: rolled back or still open t, delta 0 charges t', 'the ledger verifies; five were rolled back');
$door->quit;

# ---- a total that is lowered while others charge; prepared transactions ----

$pegs->refuses('a total below what is spent', '22023', "SELECT pegs_set_budget('race', epsilon => 0.48, delta => 1e-6)", 'postgres');
{
	my $lower = $pegs->background('postgres');
	$lower->query_safe("BEGIN; SELECT pegs_set_budget('visit', epsilon => 1, delta => 1e-6)");
	my ($rows) = $pegs->analyst('SELECT count(*) FROM ' . $pegs->sample(epsilon => 10));
	is($rows, 10, 'charged while a lower total is not committed');
	$lower->{stderr} = '';
	$lower->query('COMMIT');
	like($lower->{stderr}, qr/cannot be less than what is spent/, 'the lower total is refused at COMMIT');
	$lower->quit;
	is($pegs->value("SELECT epsilon FROM pegs_budgets WHERE source = 'visit'::regclass"), 1000, 'and rolled back');
}
$pegs->refuses('a total is not prepared', '0A000', "BEGIN; SELECT pegs_set_budget('visit', 1000, 1e-6) \\g /dev/null\nPREPARE TRANSACTION 'total';", 'postgres');
$pegs->charges('a charge is, and ROLLBACK PREPARED takes nothing back', 0.1, sub {
	my ($out) = $pegs->analyst('BEGIN; SELECT count(*) FROM ' . $pegs->sample . "; PREPARE TRANSACTION 'p';");
	$pegs->analyst("ROLLBACK PREPARED 'p'");
	$out =~ /^(\d+)$/m ? $1 : 0 });

# ---- others' hands, and an account that was set back ----

my $sequence = $pegs->value("SELECT rho_spent FROM pegs_internal.budget WHERE source = 'visit'::regclass");
$pegs->value("GRANT UPDATE ON SEQUENCE $sequence TO analyst");
$pegs->refuses('a right on the sequence of rho', '55000', 'SELECT * FROM ' . $pegs->sample);
$pegs->value("REVOKE ALL ON SEQUENCE $sequence FROM analyst");
$pegs->charges('taken back', 0.1, sub { scalar $pegs->analyst('SELECT count(*) FROM ' . $pegs->sample) });
my $spent = $pegs->rho_spent;
$pegs->value("SELECT setval('$sequence', " . ($spent - 1) . ')');
$pegs->refuses('one unit of rho set back', '55000', 'SELECT * FROM ' . $pegs->sample);
is($pegs->value("SELECT bool_and(ok) FROM pegs_verify_ledger('visit')"), 'f', 'the ledger says so');
like($pegs->value("SELECT string_agg(state, '; ') FROM pegs_health() WHERE item LIKE 'ledger of %visit' AND NOT ok"), qr/rho: outside/, 'and so does pegs_health');
$pegs->value("SELECT pegs_adopt('visit', (SELECT remaining FROM pegs_budgets WHERE source = 'visit'::regclass), 'set back', remaining_delta => 1e-7)");
is($pegs->rho_spent, $spent, 'adopted: what the ledger knows is spent again');
$pegs->charges('and it can be charged', 0.1, sub { scalar $pegs->analyst('SELECT count(*) FROM ' . $pegs->sample) });

# ---- copies: a template, and a dump ----

$pegs->set_up_free;
my $free = $pegs->free_rows;
$node->safe_psql('template1', 'CREATE DATABASE template_copy TEMPLATE postgres');
my $copy = bless { node => $node, db => 'template_copy' }, 'PegsLedger';
$copy->is_a_copy('template', qr/^in another database of this cluster$/, $free);
$copy->adopts_in_rho('template');

command_ok([ 'pg_dump', '-d', $node->connstr('postgres'), '-f', "$tmp/rho.sql" ], 'pg_dump');
my @account = map { $pegs->value("SELECT $_ FROM pegs_budgets WHERE source = 'visit'::regclass") } 'accounting', 'spent', 'rho', 'rho_spent';
$node->safe_psql('template1', 'CREATE DATABASE dump_copy TEMPLATE template0');
$node->psql('dump_copy', '', extra_params => [ '-f', "$tmp/rho.sql" ]);
$copy = bless { node => $node, db => 'dump_copy' }, 'PegsLedger';
is_deeply([ map { $copy->value("SELECT $_ FROM pegs_budgets WHERE source = 'visit'::regclass") } 'accounting', 'spent', 'rho', 'rho_spent' ], \@account, 'a dump keeps the account as it is');
is($copy->value('SELECT count(*) FROM pegs_ledger WHERE rho_to > rho_from'), $pegs->value('SELECT count(*) FROM pegs_ledger WHERE rho_to > rho_from'), 'and its ledger');
$copy->value("SELECT pegs_drop('m'); SELECT pegs_fit('m', 'visit', parents => '{}'); SELECT pegs_grant('m', 'analyst', epsilon => 1000)");
$copy->is_a_copy('dump', qr/^in another database of this cluster$/, $free);
$copy->adopts_in_rho('dump');

# all that is left, to two copies: together no more than there was
my ($total, $had) = split /\|/, $pegs->value("SELECT total, spent FROM pegs_internal.in_rho('visit')");
my $halves = 0;
for my $half ('floor(remaining * 500000000) / 1000000000', 'remaining - floor(remaining * 500000000) / 1000000000')
{
	my $db = 'half_' . ++$halves;
	$node->safe_psql('template1', "CREATE DATABASE $db TEMPLATE postgres");
	my $there = bless { node => $node, db => $db }, 'PegsLedger';
	$there->value("SELECT pegs_adopt('visit', (SELECT $half FROM pegs_budgets WHERE source = 'visit'::regclass), 'half')");
	$had += $total - $there->rho_spent;
}
cmp_ok($had, '<=', $total, 'two halves are not more than the whole');
cmp_ok($had, '>=', $total - 2, 'nor much less');

$node->stop;
done_testing();
