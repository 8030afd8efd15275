# long: run by make test-all (test/run long), not by make test
# pegs_adopt only lowers, is durable where it lowers, and is a superuser's word. Law L2; A-19.
#
# Each part has a copy of one database: what is adopted in one is nothing to the others.
use strict;
use warnings;
use Test::More;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use PegsLedger;

my $pegs = PegsLedger->new('adopt', init => [ allows_streaming => 1 ],
	conf => "max_prepared_transactions = 2\nlog_line_prefix = '%u '\n");
my $node = $pegs->node;
my $sample = 'SELECT * FROM ' . $pegs->sample . ';';
my $count = 'SELECT count(*) FROM ' . $pegs->sample . ';';

$pegs->set_up_free;
# 10 of epsilon, 1e-6 of delta; 1 and 1e-7 are spent, 0.1 of that rolled back
$pegs->value(q{SELECT pegs_set_budget('visit', 10, delta => 1e-6); GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA public TO analyst});
$pegs->as('curator', q{SELECT pegs_fit('with delta', 'visit', epsilon => 0.3, delta => 1e-7); BEGIN; SELECT pegs_fit('y', 'visit', epsilon => 0.1); ROLLBACK});
is($pegs->spent, PegsLedger::units(1), 'spent before the copies');

my $copies = 0;
sub copy_of_it
{
	my $name = 'copy_' . ++$copies;
	$node->safe_psql('template1', "CREATE DATABASE $name TEMPLATE postgres");
	return bless { node => $node, db => $name }, 'PegsLedger';
}

# All that an adoption changes.
sub account
{
	my ($there) = @_;
	return $there->value(q{SELECT remaining, trim_scale(delta - delta_spent), coalesce(copied_from, 'home'), (SELECT count(*) FROM pegs_ledger WHERE at IS NOT NULL)
		FROM pegs_budgets WHERE source = 'visit'::regclass});
}

sub fails
{
	my ($there, $name, $sqlstate, $sql, $role) = @_;
	my $before = account($there);
	my (undef, $err) = $there->as($role || 'postgres', $sql);
	my ($first) = $err =~ /ERROR:  ?(\w{5})/;

	local $Test::Builder::Level = $Test::Builder::Level + 1;
	is(($first || 'no error') . ' ' . account($there), "$sqlstate $before", "A-19 $name: $sqlstate, nothing changed");
	return;
}

my $copy = 'in another database of this cluster';
my $there = copy_of_it();
is(account($there), "9|0.0000009|$copy|5", 'the account of a copy');

# ---- what the refusal of a charge proposes: pasted as it is, it repairs, and gives up neither epsilon nor delta by silence ----

my $pasted = copy_of_it();
my (undef, undef, $refusal) = $node->psql($pasted->{db}, q{SELECT pegs_fit('z', 'visit', epsilon => 0.1, delta => 1e-9)});
my ($command) = $refusal =~ /HINT: .*(SELECT pegs_adopt\(.*\);)/;
is($command, q{SELECT pegs_adopt('public.visit', remaining => 0.5, reason => '...', remaining_delta => 0.000000001);}, 'the hint of a charge in a copy')
	or diag($refusal);
$pasted->value($command // 'SELECT 1');
is(account($pasted), '0.5|0.000000001|home|6', 'what it does');
$pasted->value(q{SELECT pegs_fit('z', 'visit', epsilon => 0.1, delta => 1e-9)});
is(account($pasted), '0.4|0|home|7', 'and the charge that it was for');

# a charge of more than half a unit: as much as that, and a budget that is set there first says what it is
$pasted = copy_of_it();
my (undef, undef, $said) = $node->psql($pasted->{db}, q{SELECT pegs_set_budget('visit', 10, delta => 1e-6)});
like($said, qr/NOTICE: .*the budget is a copy: nothing can be spent here until a superuser has stated what may be \(pegs_adopt\)/, 'a budget that is set in a copy');
(undef, undef, $refusal) = $node->psql($pasted->{db}, q{SELECT pegs_fit('z', 'visit', epsilon => 2, delta => 3e-9)});
like($refusal, qr/all copies together must not spend more than was left when they parted/, 'whose remaining it is');
($command) = $refusal =~ /HINT: .*(SELECT pegs_adopt\(.*\);)/;
is($command, q{SELECT pegs_adopt('public.visit', remaining => 2, reason => '...', remaining_delta => 0.000000003);}, 'the hint of a charge of more');
$pasted->value($command // 'SELECT 1');
$pasted->value(q{SELECT pegs_fit('z', 'visit', epsilon => 2, delta => 3e-9)});
like(account($pasted), qr/^0\|0\|home\|/, 'and that charge');

# in rho what remains of epsilon is a share of rho, and a charge of an epsilon takes more than that share where some is spent, or by pure epsilon
$node->safe_psql('template1', 'CREATE DATABASE in_rho');
$node->safe_psql('in_rho', q{CREATE EXTENSION pegs; CREATE TABLE t (id int PRIMARY KEY, a text CHECK (a IN ('x', 'y'))); INSERT INTO t SELECT i, 'x' FROM generate_series(1, 100) AS i;
	SELECT pegs_set_budget('t', 10, delta => 1e-6, accounting => 'zcdp'); SELECT pegs_fit('spent', 't', epsilon => 6, delta => 1e-7);});
for (['Gaussian noise', 'epsilon => 6, delta => 1e-7'], ['pure epsilon', 'epsilon => 0.9'], ['little', 'epsilon => 0.01, delta => 1e-7'], ['more than there is', 'epsilon => 30, delta => 1e-7'])
{
	my ($name, $arguments) = @$_;
	my $there = 'in_rho_' . ++$copies;
	$node->safe_psql('template1', "CREATE DATABASE $there TEMPLATE in_rho");
	(undef, undef, $refusal) = $node->psql($there, "SELECT pegs_fit('z', 't', $arguments)");
	($command) = $refusal =~ /HINT: .*(SELECT pegs_adopt\(.*\);)/;
	$node->safe_psql($there, $command // 'SELECT 1');
	(undef, undef, my $then) = $node->psql($there, "SELECT pegs_fit('z', 't', $arguments)");
	my ($said) = $then =~ /ERROR: +(.*)/;
	is($said // 'ok', $name =~ /more/ ? 'this costs more than is left of the privacy budget' : 'ok', "in rho, $name: what the hint says is enough") or diag("$refusal\n$then");
	next if $name ne 'Gaussian noise';
	# a unit less is not
	my ($remaining) = $command =~ /remaining => ([0-9.]+)/;
	$node->safe_psql('template1', "CREATE DATABASE ${there}_less TEMPLATE in_rho");
	(my $less = $command) =~ s/remaining => [0-9.]+/sprintf('remaining => %.9f', $remaining - 1e-9)/e;
	$node->safe_psql("${there}_less", $less);
	(undef, undef, $then) = $node->psql("${there}_less", "SELECT pegs_fit('z', 't', $arguments)");
	like($then, qr/costs more than is left/, 'a billionth less is not');
}

# ---- who ----

my $adopt = "SELECT pegs_adopt('visit', 1, 'mine');";
fails($there, 'by the curator, who has EXECUTE', '42501', $adopt, 'curator');
fails($there, 'by a role with EXECUTE', '42501', $adopt, 'analyst');
$there->value('REVOKE EXECUTE ON FUNCTION pegs_adopt FROM analyst; CREATE ROLE boss LOGIN; GRANT postgres TO boss');
fails($there, 'by a role without EXECUTE', '42501', $adopt, 'analyst');
fails($there, 'by a superuser who has become the curator', '42501', "SET ROLE curator; $adopt");
fails($there, 'by a member of a superuser', '42501', $adopt, 'boss');
fails($there, 'in a function of the curator', '42501', "CREATE FUNCTION f() RETURNS void LANGUAGE sql SECURITY DEFINER AS \$\$$adopt\$\$;
	ALTER FUNCTION f() OWNER TO curator; SELECT f()");

# ---- what ----

$there->value('CREATE TABLE bare (b boolean NOT NULL); CREATE VIEW bare_view AS SELECT * FROM bare');
fails($there, $_->[0], $_->[1], "SELECT pegs_adopt($_->[2])") for (
	[ 'more than is left, by one unit', '22023', "'visit', 9.000000001, 'x'" ],
	[ 'more than is left', '22023', "'visit', 10, 'x'" ],
	[ 'far more than is left', '22023', "'visit', 1e30, 'x'" ],
	[ 'infinitely more than is left', '22023', "'visit', 'Infinity', 'x'" ],
	[ 'NaN', '22023', "'visit', 'NaN', 'x'" ],
	[ 'a negative number', '22023', "'visit', -1, 'x'" ],
	[ 'the smallest negative number', '22023', "'visit', -1e-300, 'x'" ],
	[ 'remaining NULL', '22004', "'visit', NULL, 'x'" ],
	[ 'reason NULL', '22004', "'visit', 1, NULL" ],
	[ 'reason empty', '22023', "'visit', 1, ''" ],
	[ 'delta: more than is left, by one unit', '22023', "'visit', 1, 'x', 0.000000900000000001" ],
	[ 'delta: all of the budget', '22023', "'visit', 1, 'x', 1e-6" ],
	[ 'delta: 1', '22023', "'visit', 1, 'x', 1" ],
	[ 'delta: negative', '22023', "'visit', 1, 'x', -1e-9" ],
	[ 'delta: NaN', '22023', "'visit', 1, 'x', 'NaN'" ],
	[ 'delta: NULL', '22004', "'visit', 1, 'x', NULL" ],
	[ 'source NULL', '22004', "NULL, 1, 'x'" ],
	[ 'a table that is not there', '42P01', "'nowhere', 1, 'x'" ],
	[ 'a number that is no table', '42P01', "4294967290::oid, 1, 'x'" ],
	[ 'a table without a budget', '55000', "'bare', 1, 'x'" ],
	[ 'a view of a table without a budget', '55000', "'bare_view', 1, 'x'" ],
	[ 'a system table', '42809', "'pg_class', 1, 'x'" ]);
fails($there, 'in a read-only transaction', '25006', "BEGIN READ ONLY; $adopt ROLLBACK");
fails($there, 'default_transaction_read_only', '25006', "SET default_transaction_read_only = on; $adopt");
fails($there, 'a budget of this transaction', '55000', "BEGIN; SELECT pegs_set_budget('bare', 1); SELECT pegs_adopt('bare', 1, 'x'); ROLLBACK");

# ---- what it does ----

my $log = -s $node->logfile;
my $reason = qq{E'ask "Ana": it''s %s,\\nnew line'};
$there->as('postgres', "SELECT pegs_adopt('visit', 2, $reason, 1e-7)");
is(account($there), '2|0.0000001|home|6', 'A-19 adopted: remaining, delta and place');
is($there->as('curator', q{SELECT role, action, object, epsilon_from, epsilon_to, delta_from, delta_to, remaining, replace(reason, E'\n', '/') FROM pegs_ledger WHERE action = 'adopt'}),
	qq{postgres|adopt||1|8|0.0000001|0.0000009|2|ask "Ana": it's %s,/new line}, 'A-19 adopted: the line of the ledger, which the curator reads');
my $logged = slurp_file($node->logfile, $log);
like($logged, qr/^postgres LOG:  pegs: the privacy budget of table "visit" was adopted: epsilon 2, delta 0\.0000001 may be spent here$/m, 'A-19 adopted: the server log');
like($logged, qr/^postgres DETAIL:  It was kept \Q$copy\E\. Reason given: ask "Ana": it's %s,\n\tnew line$/m, 'A-19 adopted: where it was kept and the reason are in the log');
is($there->as('curator', "SELECT part, finding, \"from\", \"to\", ok FROM pegs_verify_ledger('visit')"),
	"epsilon|4 charges|0|8|t\nepsilon|gap: rolled back or still open|0.9|1|t\ndelta|2 charges|0|0.0000009|t", 'A-19 adopted: the ledger is whole, the charge in it');
$there->refuses('A-19 adopted: more than remains', '53400', 'SELECT * FROM ' . $there->sample(epsilon => 2.000000001));
$there->refuses('A-19 adopted: more delta than remains', '53400', "SELECT pegs_fit('x', 'visit', epsilon => 1, delta => 1.00001e-7)", 'curator');
$there->charges('A-19 adopted', 0.5, sub { scalar $there->analyst('SELECT count(*) FROM ' . $there->sample(epsilon => 0.5)) });
is($there->as('curator', "SELECT pegs_fit('x', 'visit', epsilon => 1, delta => 1e-7)"), '', 'A-19 adopted: what remains of delta');
is(account($there), '0.5|0|home|8', 'A-19 adopted: what remains then');

# Again, at home: to lower once more, never to raise.
fails($there, 'a second time, with more than is left', '22023', "SELECT pegs_adopt('visit', 0.500000001, 'x')");
$there->value("SELECT pegs_adopt('visit', 0.2, 'again')");
is(account($there), '0.2|0|home|9', 'A-19 a second time: lowered');
$there->value("SELECT pegs_adopt('visit', 0.2, 'a third time')");
is(account($there), '0.2|0|home|10', 'A-19 with all that is left: nothing changes but the ledger');
$there->value("SELECT pegs_adopt('visit', 0, 'no more')");
is(account($there), '0|0|home|11', 'A-19 remaining 0 is allowed');
$there->refuses('A-19 remaining 0: the smallest charge', '53400', 'SELECT * FROM ' . $there->sample(epsilon => 1e-9, n => 1));
is($there->value("SELECT string_agg(ok::text, ' ') FROM pegs_verify_ledger('visit')"), 'true true true', 'A-19 after all of these the ledger is whole');
is($there->free_rows, $pegs->free_rows, 'A-19 what is free is still free');

# All that is left of a copy; delta without being asked for is lowered to nothing.
$there = copy_of_it();
$there->value("SELECT pegs_adopt('visit', remaining => 9, reason => 'the original is gone', remaining_delta => 9e-7)");
is(account($there), "9|0.0000009|home|6", 'A-19 all that is left');
$there->value("SELECT pegs_adopt('visit', 9, 'no delta')");
is(account($there), "9|0|home|7", 'A-19 delta is 0 unless given');

# ---- what is left is rounded down ----

$there = copy_of_it();
$there->value("SELECT pegs_adopt('visit', 0.5000000009, 'x', 1.9999e-18)");
is(account($there), '0.5|0.000000000000000001|home|6', 'A-19 rounded down');
$there->value("SELECT pegs_adopt('visit', 1e-300, 'x')");
is(account($there), '0|0|home|7', 'A-19 nearly nothing is nothing');

# ---- the HINT where little is left ----

$pegs->value("SELECT pegs_set_budget('visit', 1.25, delta => 1e-7)");
$there = copy_of_it();
my (undef, $err) = $there->analyst("\\set VERBOSITY default\n$sample");
my ($paste) = $err =~ /^HINT: .*?(SELECT .*pegs_adopt\(.*;)$/m;
(undef, $err) = $there->as('postgres', $paste);
is("$err " . $there->copied_from, ' ', 'A-19 the HINT where little is left, pasted, adopts') or diag($paste);
$pegs->value("SELECT pegs_set_budget('visit', 10, delta => 1e-6)");

# ---- rolled back: it is lowered, but not adopted ----

# SQL that adopts 0.5 and loses the adoption.
sub lost
{
	my ($name, $sql, $do) = @_;
	my $there = copy_of_it();

	$there->as('postgres', $sql);
	$do->($there) if $do;
	is($there->value("SELECT remaining, copied_from, (SELECT count(*) FROM pegs_ledger WHERE action = 'adopt') FROM pegs_budgets"), "0.5|$copy|0",
		"A-19 $name: lowered, not adopted");
	$there->refuses("A-19 $name: nothing can be spent", '55000', $sample);
	is($there->value("SELECT finding, \"from\", \"to\", ok FROM pegs_verify_ledger('visit') WHERE finding LIKE 'gap%' AND part = 'epsilon'"),
		'gap: rolled back or still open|0.9|9.5|t', "A-19 $name: it shows as a gap");
	fails($there, "$name: what it lowered is gone", '22023', "SELECT pegs_adopt('visit', 0.500000001, 'x')");
	$there->value("SELECT pegs_adopt('visit', 0.5, 'now')");
	is($there->value('SELECT remaining, copied_from FROM pegs_budgets'), '0.5|', "A-19 $name: what is left can be adopted");
	return;
}

my $half = "SELECT pegs_adopt('visit', 0.5, 'lost', 9e-7);";
lost('ROLLBACK', "BEGIN; $half ROLLBACK");
lost('ROLLBACK TO a savepoint', "BEGIN; SAVEPOINT a; $half ROLLBACK TO a; COMMIT");
lost('an exception that is caught', "DO 'BEGIN PERFORM pegs_adopt(''visit'', 0.5, ''lost''); RAISE division_by_zero; EXCEPTION WHEN division_by_zero THEN NULL; END'");
lost('ROLLBACK PREPARED', "BEGIN; $half PREPARE TRANSACTION 'a'; ROLLBACK PREPARED 'a'");
lost('SIGKILL of all processes', '', sub {
	my ($there) = @_;
	my $session = $there->background('postgres');
	$session->query_safe("BEGIN; SET LOCAL synchronous_commit = off; $half");
	$there->kill_server;
	eval { $session->quit };
});

# ---- in the transaction that adopts nothing can be spent ----

my $calls = 0;
for my $call ($pegs->charging)
{
	my ($what, $role, $sql) = @$call;
	$there = copy_of_it() if $calls++ == 0;
	my ($out, $err) = $there->as('postgres', "BEGIN; \\o /dev/null\n$half\n\\o\nSET ROLE $role; $sql; ROLLBACK");
	like("$out$err", qr/^[^\n]*ERROR:  55000$/, "A-19 adopt and $what in one transaction: refused, no row");
}
is($there->value('SELECT remaining, copied_from FROM pegs_budgets'), "0.5|$copy", 'A-19 in one transaction: only the lowering is left');
# the adoption itself is not lost by a call that was refused
my ($out) = $there->as('postgres', "BEGIN; $half SAVEPOINT a; $sample ROLLBACK TO a; COMMIT; $count");
is($out, "\n10", 'A-19 adopted, refused, committed: then it can be spent');

# ---- nobody waits for an adoption that is not committed, but another one ----

# One session has adopted `remaining` and not committed; two of the analyst's come, for 0.1 each. Gives what they got.
sub meanwhile
{
	my ($remaining, $end, $before) = @_;
	my $there = copy_of_it();
	my $session = $there->background('postgres');

	$there->value("SELECT pegs_adopt('visit', 5, 'at home', 9e-7)") if $before;
	$session->query_safe("BEGIN; SELECT pegs_adopt('visit', $remaining, 'waited for', 9e-7)");
	my @all = map { $there->start_psql('analyst', "SET lock_timeout = '60s';\n" . $_ . $count) } '', "BEGIN ISOLATION LEVEL REPEATABLE READ;\nSELECT 'seen';\n";
	$there->finish($_) for @all;
	$session->query_safe($end);
	$session->quit;
	my @got = sort map { ($_->{out} =~ /^10$/m ? '10 rows' : 'none') . ($_->{err} =~ /ERROR:  (\w{5})/ ? " $1" : '') } @all;
	return join(', ', @got) . ' ' . $there->value("SELECT remaining, coalesce(copied_from, 'home') FROM pegs_budgets");
}

is(meanwhile(0.1, 'COMMIT'), 'none 55000, none 55000 0.1|home', 'A-19 before the adoption is committed it is a copy: none has anything');
is(meanwhile(0.1, 'ROLLBACK'), "none 55000, none 55000 0.1|$copy", 'A-19 the same if it is rolled back');
is(meanwhile(0.15, 'COMMIT', 'at home'), '10 rows, none 53400 0.05|home', 'A-19 where it was at home the lowering counts at once: one has what it left');
is(meanwhile(0.15, 'ROLLBACK', 'at home'), '10 rows, none 53400 0.05|home', 'A-19 the same if it is rolled back, where it was at home');

# Of two adoptions at once the second sees what the first one left.
$there = copy_of_it();
my $session = $there->background('postgres');
for my $end ('ROLLBACK', 'COMMIT')
{
	$session->query_safe("BEGIN; SELECT pegs_adopt('visit', 0.5, 'first', 9e-7)");
	my $second = $there->start_psql('postgres', "SELECT pegs_adopt('visit', 0.6, 'second');\n");
	$node->poll_query_until('postgres', "SELECT count(*) = 1 FROM pg_stat_activity WHERE query LIKE '%second%' AND wait_event_type = 'Lock'") or die 'nobody waits';
	$session->query_safe($end);
	$there->finish($second);
	like($second->{err}, qr/ERROR:  22023/, "A-19 two at once, the first $end: the second asks for more than is left");
}
$session->quit;
is($there->value("SELECT remaining, copied_from FROM pegs_budgets"), '0.5|', 'A-19 two at once: the first one counts');

# ---- any source of the account ----

$there = copy_of_it();
$there->value(q{CREATE VIEW of_visit AS SELECT ward FROM visit WHERE male});
$there->value(q{SELECT pegs_adopt('of_visit', 1, 'by a view')});
is(account($there), '1|0|home|8', 'A-19 by a view of the table');
$there->value(q{
	CREATE TABLE parted (b boolean NOT NULL) PARTITION BY LIST (b); CREATE TABLE part PARTITION OF parted DEFAULT; SELECT pegs_set_budget('parted', 1)});
$there->value(q{SELECT pegs_adopt('part', 0.25, 'by a part')});
is($there->value("SELECT source, remaining FROM pegs_budgets WHERE epsilon = 1"), 'parted|0.25', 'A-19 by a partition: its parent is lowered');

# ---- a standby ----

$there = copy_of_it();
$node->backup('base');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($node, 'base', has_streaming => 1);
$standby->start;
$node->wait_for_catchup($standby, 'replay', $node->lsn('write'));
my $on_standby = bless { node => $standby, db => $there->{db} }, 'PegsLedger';
fails($on_standby, 'on a standby', '25006', $adopt);
fails($on_standby, 'on a standby, more than is left', '22023', "SELECT pegs_adopt('visit', 'NaN', 'x')");
is($on_standby->value("SELECT count(*) FROM pegs_health() WHERE item = 'budget of public.visit' AND NOT ok; SELECT bool_and(ok) FROM pegs_verify_ledger('visit')"), "1\nt",
	'pegs_health and pegs_verify_ledger on a standby');
$there->value("SELECT pegs_adopt('visit', 3, 'on the primary')");
$node->wait_for_catchup($standby, 'replay', $node->lsn('write'));
is(account($on_standby), account($there), 'A-19 the standby follows an adoption on the primary');

$standby->stop;
$node->stop;
done_testing();
