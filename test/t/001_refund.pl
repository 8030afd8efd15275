# Nothing that a session can do to its own transaction or statement takes a charge back: each way of throwing rows away,
# after the rows were seen. Law L2; test/ACCEPTANCE.md.
use strict;
use warnings;
use Test::More;
use PegsLedger;

my $pegs = PegsLedger->new('refund', conf => 'max_prepared_transactions = 2');
my $hundred = $pegs->sample(n => 100);

# Everything that psql printed, but for a count of rows.
sub counted { my ($out) = @_; return $out =~ /^(\d+)$/m ? $1 : 0 }

$pegs->charges('A-1 ROLLBACK', 0.1, sub {
	counted($pegs->analyst("BEGIN; SELECT count(*) FROM $hundred; ROLLBACK;")) });

$pegs->charges('A-2 ROLLBACK TO a savepoint', 0.1, sub {
	counted($pegs->analyst("BEGIN; SAVEPOINT a; SELECT count(*) FROM $hundred; ROLLBACK TO a; COMMIT;")) });

$pegs->value("CREATE FUNCTION keep_rows() RETURNS int LANGUAGE plpgsql AS \$\$
	DECLARE kept text[];
	BEGIN
		BEGIN
			kept := ARRAY(SELECT ward FROM $hundred);
			RAISE division_by_zero;
		EXCEPTION WHEN division_by_zero THEN NULL;
		END;
		RETURN cardinality(kept);
	END \$\$");
$pegs->charges('A-3 rows kept in a variable over an exception', 0.1, sub {
	counted($pegs->analyst('SELECT keep_rows()')) });

$pegs->charges('A-4 cursor of which one row is read', 0.1, sub {
	my $out = $pegs->analyst("BEGIN; DECLARE c CURSOR FOR SELECT * FROM $hundred; FETCH 1 FROM c; CLOSE c; ROLLBACK;");
	my @rows = grep { /^[ABCD]\|[tf]$/ } split /\n/, $out;
	is(scalar @rows, 1, 'A-4 one row was read');
	scalar @rows });

$pegs->charges('A-5 an error after rows were sent', 0.1, sub {
	my ($out, $err) = $pegs->analyst('COPY (SELECT *, 1 / (4999 - row_number() OVER ()) FROM ' . $pegs->sample(n => 5000) . ') TO STDOUT');
	my @rows = grep { /^[ABCD]\t[tf]\t\d+$/ } split /\n/, $out;
	like($err, qr/22012/, 'A-5 the statement failed');
	is(scalar @rows, 4998, 'A-5 the client holds the rows before the error');
	scalar @rows });

$pegs->charges('A-9 ROLLBACK PREPARED', 0.1, sub {
	my ($out, $err) = $pegs->analyst("BEGIN; SELECT count(*) FROM $hundred; PREPARE TRANSACTION 'x';");
	is($pegs->value('SELECT count(*) FROM pg_prepared_xacts'), 1, 'A-9 the transaction was prepared');
	$pegs->analyst("ROLLBACK PREPARED 'x'");
	counted($out) });

# LIMIT, and a client that goes away, are no discount either.
$pegs->charges('A-4 LIMIT 1', 0.1, sub {
	my @rows = split /\n/, scalar $pegs->analyst("SELECT * FROM $hundred LIMIT 1");
	scalar @rows });

# A release that is rolled back keeps its charge and loses its rows, read or not.
my $rows_of_r = "SELECT count(*) FROM pegs_rows('r') AS t($PegsLedger::columns)";
$pegs->charges('A-15 ROLLBACK after pegs_release', 0.1, sub {
	counted($pegs->analyst("BEGIN; SELECT pegs_release('r', 'm', 100, 0.1, 100); $rows_of_r; ROLLBACK;")) });
$pegs->refuses('A-15 its rows afterwards', '42704', $rows_of_r);

# A score that was asked, and then thrown away; one of a model costs nothing.
my $before = $pegs->spent;
is(counted(scalar $pegs->as('postgres', "BEGIN; SELECT pegs_score_fit('s', 'visit', 'male', ARRAY['true'], epsilon => 0.1); SELECT count(*) FROM visit WHERE pegs_score('s', visit) > 0; ROLLBACK;")) > 0, 1,
	'A-1 ROLLBACK after pegs_score_fit: scores were obtained');
is($pegs->spent - $before, PegsLedger::units(0.1), 'A-1 ROLLBACK after pegs_score_fit: charged');
$pegs->refuses('A-1 the score afterwards', '42704', "SELECT pegs_score('s', '{}'::jsonb)", 'postgres');
$pegs->as('postgres', "SELECT pegs_fit('noisy', 'visit', epsilon => 0.1); SELECT pegs_score_fit_of('free', 'noisy', 'male', ARRAY['true']); SELECT pegs_score('free', '{}'::jsonb); SELECT pegs_drop('free');");
is($pegs->spent - $before, PegsLedger::units(0.2), 'A-1 pegs_score_fit_of: nothing but the model that it is made of');

# A charge in a subtransaction below a transaction that commits has its line in the ledger; one rolled back shows as a gap.
my $spent = $PegsLedger::in_rho ? 'sum(rho_to - rho_from) = (SELECT rho_spent' : 'sum(epsilon_to - epsilon_from) = (SELECT spent';
is($pegs->value("SELECT $spent FROM pegs_budgets) FROM pegs_ledger"), 't',
	'the lines and gaps of the ledger add up to what is spent');
is($pegs->value("SELECT count(*) > 0 FROM pegs_ledger WHERE role IS NULL"), 't', 'charges that rolled back show as gaps');

$pegs->node->stop;
done_testing();
