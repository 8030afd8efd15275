# long: run by make test-all (test/run long), not by make test
# What can be asked for, to the last unit, and what cannot; and that an account must be there, committed, before it is
# spent. A-11, A-12 (n is bigint, NULL is an error), A-16.
use strict;
use warnings;
use Test::More;
use PegsLedger;

my $pegs = PegsLedger->new('amounts');

# Rows of one call; then what is spent, in units.
sub asked { my (%a) = @_; return scalar $pegs->analyst('SELECT count(*) FROM ' . $pegs->sample(model => 'o', %a)) }

# ---- to the last unit ----

$pegs->value("
	CREATE TABLE other (LIKE visit INCLUDING CONSTRAINTS);
	ALTER TABLE other OWNER TO curator;
	INSERT INTO other SELECT * FROM visit;
	SELECT pegs_set_budget('other', epsilon => 0.5);
	SELECT pegs_fit('o', 'other', parents => '{}');
	SELECT pegs_grant('o', 'analyst', epsilon => 100)");
is(asked(epsilon => 0.3), 10, 'A-11 0.3 of 0.5');
my ($out, $err) = $pegs->analyst('SELECT * FROM ' . $pegs->sample(model => 'o', epsilon => '0.200000001'));
is($out, '', 'A-11 one unit too much: no row');
like($err, qr/ERROR:  53400/, 'A-11 one unit too much: exhausted');
is($pegs->spent('other'), 300000000, 'A-11 one unit too much: nothing charged');
is(asked(epsilon => 0.2), 10, 'A-11 what is left, exactly');
is($pegs->spent('other'), 500000000, 'A-11 all is spent');
($out, $err) = $pegs->analyst('SELECT * FROM ' . $pegs->sample(model => 'o', epsilon => '1e-9', n => 1));
is($out . $err =~ s/.*ERROR:  (\w+).*/$1/sr, '53400', 'A-11 not one unit more');

# 0.1 + 0.2 is 0.3 here; and what is not a whole unit is rounded up.
$pegs->value("SELECT pegs_set_budget('other', epsilon => 0.8)");
asked(epsilon => $_) for 0.1, 0.2;
is($pegs->spent('other'), 800000000, 'A-11 0.1 and 0.2 are 0.3, exactly');
$pegs->value("SELECT pegs_set_budget('other', epsilon => 1000)");
is(asked(epsilon => '0.1000000001'), 10, 'A-12 a part of a unit');
is($pegs->spent('other'), 900000001, 'A-12 is charged as a whole unit');

# The share of a grant, in the same way.
$pegs->value("SELECT pegs_revoke('o', 'analyst'); SELECT pegs_grant('o', 'analyst', epsilon => 0.1)");
($out, $err) = $pegs->analyst('SELECT * FROM ' . $pegs->sample(model => 'o', epsilon => '0.100000001'));
is($out . $err =~ s/.*ERROR:  (\w+).*/$1/sr, '53400', 'A-11 one unit more than the share');
is(asked(epsilon => '0.1'), 10, 'A-11 the share, exactly');
$pegs->value("SELECT pegs_grant('o', 'analyst', epsilon => 0.2)");
($out, $err) = $pegs->analyst('SELECT * FROM ' . $pegs->sample(model => 'o', epsilon => '0.100000001'));
is($out . $err =~ s/.*ERROR:  (\w+).*/$1/sr, '53400', 'A-11 a larger share: what was spent of it stays spent');
is(asked(epsilon => '0.1'), 10, 'A-11 a larger share: the difference can be had');

# ---- what is no amount ----

my %bad = (
	epsilon => { '0' => '22023', '-1' => '22023', "'NaN'" => '22023', "'Infinity'" => '22023', "'-Infinity'" => '22023',
		'1e-10' => '22023', '9.99e-10' => '22023', '1e30' => '22023', '9223372036.9' => '22023', 'NULL' => '22004' },
	n => { '0' => '22023', '-1' => '22023', 'NULL' => '22004', '9223372036854775807' => '22023', '9223372036854775808' => '42883' },
	block => { '0' => '22023', '-1' => '22023', 'NULL' => '22004' });
for my $argument (sort keys %bad)
{
	for my $value (sort keys %{ $bad{$argument} })
	{
		my %a = ($argument => $value, $argument eq 'n' ? (block => 1) : ());
		my $call = $pegs->sample(%a);

		$pegs->refuses("A-12 $argument => $value", $bad{$argument}{$value}, "SELECT * FROM $call");
		$pegs->refuses("A-12 release, $argument => $value", $bad{$argument}{$value},
			"SELECT pegs_release('x', " . $pegs->call(%a) =~ s/^pegs_sample\(//r);
	}
}
$pegs->refuses('A-12 more blocks than a weight can bear', '22023', 'SELECT * FROM ' . $pegs->sample(n => '9223372036854775807', block => 2));
$pegs->refuses('A-12 so little epsilon that the noise passes 64 bits', '22023', 'SELECT * FROM ' . $pegs->sample(n => 1000000, block => 1, epsilon => '1e-9'));
$pegs->refuses('A-12 no such model', '42704', 'SELECT * FROM ' . $pegs->sample(model => 'nobody'));
$pegs->refuses('A-12 a column that the model has not', '42703', 'SELECT * FROM ' . $pegs->call . ' AS t(wart text)');
$pegs->refuses('A-12 a column of another type', '42804', 'SELECT * FROM ' . $pegs->call . ' AS t(ward int)');
$pegs->refuses('A-12 all columns given', '22023',
	"SELECT * FROM pegs_sample('m', 10, 0.1, 10, given => '{\"ward\": \"A\", \"male\": true}') AS t($PegsLedger::columns)");
$pegs->refuses('A-12 a value that is not in the domain', '22023',
	"SELECT * FROM pegs_sample('m', 10, 0.1, 10, given => '{\"ward\": \"Z\"}') AS t($PegsLedger::columns)");

# The smallest amount, a thousand times.
$pegs->charges('A-12 1,000 calls of 1e-9', 0.000001, sub {
	scalar $pegs->analyst('SELECT count(*) FROM generate_series(1, 1000) AS g, LATERAL '
		. $pegs->sample(n => 'g * 0 + 1', epsilon => '1e-9', block => 1)) });

# ---- an account must be there first ----

$pegs->value("
	CREATE TABLE bare (LIKE visit INCLUDING CONSTRAINTS);
	ALTER TABLE bare OWNER TO curator;
	SELECT pegs_fit('b', 'bare', parents => '{}')");
my $call = $pegs->sample(model => 'b');
my $rows = "SELECT * FROM $call";
my $set = "\\o /dev/null\nSELECT pegs_set_budget('bare', 0.1);\n\\o\n";
$pegs->refuses('A-16 no budget', '55000', $rows, 'postgres');
$pegs->refuses('A-16 budget set in this transaction', '55000', "BEGIN;\n$set$rows; COMMIT;", 'postgres');
$pegs->refuses('A-16 in a subtransaction of it', '55000', "BEGIN;\nSAVEPOINT a;\n${set}RELEASE a;\n$rows; COMMIT;", 'postgres');
$pegs->refuses('A-16 in a subtransaction after it', '55000', "BEGIN;\n${set}SAVEPOINT a;\n$rows; ROLLBACK TO a; COMMIT;", 'postgres');
is(scalar $pegs->as('postgres', "SELECT count(*) FROM $call"), 10, 'A-16 the next transaction may');
is($pegs->spent('bare'), 100000000, 'A-16 and pays');
$set =~ s/0\.1/0.3/;
$pegs->refuses('A-16 budget raised in this transaction', '55000', "BEGIN;\n$set$rows; ROLLBACK;", 'postgres');
$pegs->refuses('A-16 and rolled back', '53400', $rows, 'postgres');
my ($none, $less) = $pegs->as('postgres', "SELECT pegs_set_budget('bare', 0.09)");
like($less, qr/22023/, 'A-16 a budget cannot be less than what is spent');
$pegs->value('GRANT curator TO analyst');
$pegs->refuses('A-16 a curator cannot reach the sequence: setval', '42501', "SELECT setval('pegs_internal.epsilon_1', 0)");
$pegs->refuses('A-16 nor restart it', '42501', 'ALTER SEQUENCE pegs_internal.epsilon_1 RESTART');
$pegs->value('REVOKE curator FROM analyst');

# A grant made in this transaction would take its count with it.
$pegs->value("SELECT pegs_set_budget('bare', 1); CREATE ROLE second LOGIN");
$pegs->refuses('A-16 grant made in this transaction', '55000',
	"BEGIN;\n\\o /dev/null\nSELECT pegs_grant('b', 'second', 1);\n\\o\nSET ROLE second; $rows; ROLLBACK;", 'postgres');
# Even the superuser cannot lend himself a sequence that is rolled back.
$pegs->refuses('A-16 sequence restarted in this transaction', '55000',
	'BEGIN; ALTER SEQUENCE pegs_internal.epsilon_1 RESTART WITH 0; SELECT * FROM ' . $pegs->sample . '; ROLLBACK;', 'postgres');

$pegs->node->stop;
done_testing();
