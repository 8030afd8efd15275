# A release is paid once and read for ever: in read-only transactions, by others, after its model is gone. Whoever has no
# commit yet has lost its rows but not the charge. A-13 (read-only), A-14, A-15, A-20.
use strict;
use warnings;
use Test::More;
use PegsLedger;

my $pegs = PegsLedger->new('release');
my $columns = $PegsLedger::columns;

# One line that says what the rows of a release are, in their order.
sub read_sql { my ($name) = @_; return "SELECT count(*) || ' ' || md5(string_agg(t::text, ',' ORDER BY n)) FROM (SELECT row_number() OVER () AS n, t FROM pegs_rows('$name') AS t($columns)) AS t" }

sub release_sql { my ($name) = @_; return "\\o /dev/null\nSELECT pegs_release('$name', 'm', 200, 0.1, 200);\n\\o\n" }

# ---- A-14 ----

my $first;
$pegs->charges('A-14 release, read in its own transaction', 0.1, sub {
	$first = $pegs->analyst("BEGIN;\n" . release_sql('r') . read_sql('r') . ';COMMIT;');
	$first =~ /^(\d+) / ? $1 : 0 });
my $spent = $pegs->spent;
is(scalar $pegs->analyst(read_sql('r')), $first, 'A-14 read again: the same rows');
is(scalar $pegs->analyst(read_sql('r') . ';' . read_sql('r')), "$first\n$first", 'A-14 and again');
is(scalar $pegs->as('curator', read_sql('r')), $first, 'A-14 the curator reads the same');
is($pegs->spent, $spent, 'A-14 reading is free');

# Nobody else sees it before the commit.
my $s = $pegs->background('analyst');
$s->query('BEGIN');
$s->query("SELECT pegs_release('open', 'm', 200, 0.1, 200)");
my $seen = $s->query(read_sql('open'));
like($seen, qr/^200 /, 'A-14 its own session reads it');
$pegs->refuses('A-14 another session does not', '42704', read_sql('open'));
$pegs->refuses('A-14 nor the superuser', '42704', read_sql('open'), 'postgres');
$s->query('COMMIT');
is(scalar $pegs->analyst(read_sql('open')), $seen, 'A-14 after the commit it does, and sees the same rows');
$s->quit;

# Made, read and thrown away in a subtransaction.
$pegs->charges('A-15 release in a subtransaction that is rolled back', 0.1, sub {
	my $out = $pegs->analyst("BEGIN; SAVEPOINT a;\n" . release_sql('sub') . read_sql('sub') . '; ROLLBACK TO a; COMMIT;');
	$out =~ /^(\d+) / ? $1 : 0 });
$pegs->refuses('A-15 it is gone', '42704', read_sql('sub'));
$pegs->charges('A-15 the name is free again, for another charge', 0.1, sub {
	my $out = $pegs->analyst(release_sql('sub') . read_sql('sub'));
	$out =~ /^(\d+) / ? $1 : 0 });
$pegs->refuses('A-15 a name that is taken', '42710', release_sql('sub'));

# ---- A-13, on a primary ----

my $sample = 'SELECT * FROM ' . $pegs->sample;
for my $read_only ('BEGIN READ ONLY;', 'SET default_transaction_read_only = on;', 'BEGIN; SET TRANSACTION READ ONLY;')
{
	$pegs->refuses("A-13 pegs_sample after $read_only", '25006', "$read_only $sample");
	$pegs->refuses("A-13 pegs_release after $read_only", '25006', "$read_only " . release_sql('ro'));
	is(scalar $pegs->analyst("$read_only " . read_sql('r')), $first, "A-13 pegs_rows after $read_only");
}
$spent = $pegs->spent;
$pegs->value("SELECT pegs_fit('noisy', 'visit', epsilon => 0.5); SELECT pegs_grant('noisy', 'analyst')");
is($pegs->spent - $spent, PegsLedger::units(0.5), 'A-13 a perturbed model pays when it is fitted');
is(scalar $pegs->analyst("BEGIN READ ONLY; SELECT count(*) FROM pegs_sample('noisy', 50) AS t($columns)"), 50,
	'A-13 its rows are free, read-only too');
is($pegs->spent - $spent, PegsLedger::units(0.5), 'A-13 and nothing more is charged');

# ---- A-20: the account belongs to the table ----

$spent = $pegs->spent;
my $out = $pegs->as('postgres', "
	\\o /dev/null
	SELECT pegs_drop('m');
	ALTER TABLE visit RENAME TO stay;
	CREATE SCHEMA elsewhere; GRANT USAGE ON SCHEMA elsewhere TO curator;
	ALTER TABLE stay SET SCHEMA elsewhere;
	SELECT pegs_fit('m', 'elsewhere.stay', parents => '{}');
	CREATE VIEW elsewhere.men AS SELECT * FROM elsewhere.stay WHERE male;
	SELECT pegs_fit('of_view', 'elsewhere.men', parents => '{}');
	\\o
	SELECT count(*) FROM " . $pegs->sample . '; SELECT count(*) FROM ' . $pegs->sample(model => 'of_view') . ';');
is($out, "10\n10", 'A-20 rows of a model fitted again, of a table renamed and moved, and of a view of it');
is($pegs->spent('elsewhere.stay') - $spent, PegsLedger::units(0.2), 'A-20 what is spent goes on');
is(scalar $pegs->analyst(read_sql('r')), $first, 'A-20 a release outlives its model');
is($pegs->value('SELECT count(*) FROM pegs_budgets'), 1, 'A-20 there is still one account');

$pegs->node->stop;
done_testing();
