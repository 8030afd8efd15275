# Samples and releases of a sealed model that take delta (docs/privacy.md, P17): both are charged before a row is seen, once,
# and stay charged, whatever a session does to its transaction; what is refused charges neither; a grant has no delta.
use strict;
use warnings;
use Test::More;
use PegsLedger;

my $pegs = PegsLedger->new('sealed_delta', conf => 'max_prepared_transactions = 2');
my $delta = '1e-9';
my $hundred = "pegs_sample('m', 100, 0.1, delta => $delta) AS t($PegsLedger::columns)";

$pegs->value("SELECT pegs_set_budget('visit', epsilon => 1000, delta => 1e-6)");

sub curator { return scalar $pegs->as('curator', $_[0]) }
my $both = '100000000 1000000000';

# ---- nothing takes it back ----

$pegs->charges_both('a sample', $both, sub { PegsLedger::counted(curator("SELECT count(*) FROM $hundred")) });
$pegs->charges_both('ROLLBACK', $both, sub { PegsLedger::counted(curator("BEGIN; SELECT count(*) FROM $hundred; ROLLBACK;")) });
$pegs->charges_both('ROLLBACK TO', $both, sub { PegsLedger::counted(curator("BEGIN; SAVEPOINT a; SELECT count(*) FROM $hundred; ROLLBACK TO a; COMMIT;")) });
$pegs->charges_both('rows kept in a variable over an exception', $both, sub { PegsLedger::counted(curator(qq{
	CREATE FUNCTION pg_temp.keep() RETURNS int LANGUAGE plpgsql AS \$\$
	DECLARE kept text[];
	BEGIN
		BEGIN
			kept := ARRAY(SELECT ward FROM $hundred);
			RAISE division_by_zero;
		EXCEPTION WHEN division_by_zero THEN NULL;
		END;
		RETURN cardinality(kept);
	END \$\$;
	SELECT pg_temp.keep();})) });
$pegs->charges_both('a cursor of which one row is read', $both, sub {
	scalar(() = curator("BEGIN; DECLARE c CURSOR FOR SELECT * FROM $hundred; FETCH 1 FROM c; CLOSE c; ROLLBACK;") =~ /^[ABCD]\|[tf]$/mg) });
$pegs->charges_both('LIMIT 1', $both, sub { scalar(() = curator("SELECT * FROM $hundred LIMIT 1") =~ /^[ABCD]\|[tf]$/mg) });
$pegs->charges_both('an error after rows were sent', $both, sub {
	scalar(() = curator("COPY (SELECT *, 1 / (99 - row_number() OVER ()) FROM $hundred) TO STDOUT") =~ /^[ABCD]\t[tf]\t\d+$/mg) });
$pegs->charges_both('ROLLBACK PREPARED', $both, sub {
	my $out = curator("BEGIN; SELECT count(*) FROM $hundred; PREPARE TRANSACTION 'x';");
	curator("ROLLBACK PREPARED 'x'");
	PegsLedger::counted($out) });
$pegs->charges_both('a release that is rolled back, read or not', $both, sub {
	PegsLedger::counted(curator("BEGIN; SELECT pegs_release('r', 'm', 100, 0.1, delta => $delta); SELECT count(*) FROM pegs_rows('r') AS t($PegsLedger::columns); ROLLBACK;")) });
$pegs->charges_both('pegs_sample_as', $both, sub { PegsLedger::counted(curator("SELECT count(*) FROM pegs_sample_as(NULL::visit, 'm', 100, 0.1, delta => $delta)")) });
$pegs->charges_both('a statement that was prepared, run twice', '200000000 2000000000', sub {
	PegsLedger::counted(curator("PREPARE p AS SELECT count(*) FROM $hundred; EXECUTE p; EXECUTE p;")) });
$pegs->charges_both('where workers could be had', $both, sub { PegsLedger::counted(curator(q{SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;
	SELECT count(*) FROM visit, } . $hundred)) });
{
	my $many = "pegs_sample('m', 300000, 0.1, delta => $delta) AS t($PegsLedger::columns)";
	my (undef, $moved) = $pegs->moved(sub {
		my $p = $pegs->start_psql('curator', "COPY (SELECT t.* FROM $many, generate_series(1, 1000000)) TO STDOUT;\n");
		ok($pegs->pump_until_out($p, qr/^[ABCD]\t[tf]$/m), 'a cancel: rows were obtained');
		$pegs->value("SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE query LIKE 'COPY%' AND usename = 'curator'");
		$pegs->finish($p) });
	is($moved, $both, 'a cancel: charged both, once');
}
is($pegs->value("SELECT sum(epsilon_to - epsilon_from) || ' ' || sum(delta_to - delta_from) = (SELECT spent || ' ' || delta_spent FROM pegs_budgets) FROM pegs_ledger"), 't',
	'lines and gaps of the ledger add up to what is spent, of both');
is($pegs->value('SELECT bool_and(ok) FROM pegs_verify_ledger()'), 't', 'pegs_verify_ledger finds nothing');

# ---- neither is charged ----

for my $what (
	[ 'EXPLAIN', "SELECT 1 FROM (SELECT 1) AS x WHERE false; EXPLAIN (COSTS OFF) SELECT * FROM $hundred" ],
	[ 'pegs_cost', "SELECT 1 FROM pegs_cost('m', 100, 0.1, delta => $delta)" ],
	[ 'pegs_audit', "SELECT 1 FROM pegs_audit('m', 100, 0.1, n => 3, delta => $delta)" ])
{
	my (undef, $moved) = $pegs->moved(sub { $pegs->as('postgres', $what->[1]) });
	is($moved, '0 0', "$what->[0] charges nothing");
}
$pegs->refuses('more delta than there is', '53400', "SELECT * FROM pegs_sample('m', 100, 0.1, delta => 1e-5) AS t($PegsLedger::columns)", 'curator');
$pegs->refuses('more epsilon than there is', '53400', "SELECT * FROM pegs_sample('m', 100000, 999, delta => $delta) AS t($PegsLedger::columns)", 'curator');
$pegs->refuses('a column that is not there', '42703', "SELECT * FROM pegs_sample('m', 100, 0.1, delta => $delta) AS t(wart text)", 'curator');
$pegs->refuses('delta 1', '22023', "SELECT * FROM pegs_sample('m', 100, 0.1, delta => 1) AS t($PegsLedger::columns)", 'curator');
$pegs->refuses('delta NULL', '22004', "SELECT * FROM pegs_sample('m', 100, 0.1, delta => NULL) AS t($PegsLedger::columns)", 'curator');
$pegs->refuses('a read-only transaction', '25006', "BEGIN READ ONLY; SELECT * FROM $hundred; ROLLBACK", 'curator');
$pegs->refuses('a trace has none', '42883', "SELECT pegs_trace('m', 0.1, delta => $delta)", 'postgres');
# by a grant: neither a sample, nor a release, nor the question what it would buy
for my $call ("* FROM $hundred", "* FROM pegs_sample_as(NULL::visit, 'm', 100, 0.1, delta => $delta)", "pegs_release('mine', 'm', 100, 0.1, delta => $delta)",
	"* FROM pegs_cost('m', 100, 0.1, delta => $delta)")
{
	$pegs->refuses("by a grant: $call", '42501', "SELECT $call", 'analyst');
}
$pegs->charges('by a grant, epsilon alone', 0.1, sub { PegsLedger::counted(scalar $pegs->analyst('SELECT count(*) FROM ' . $pegs->sample(n => 10))) });
$pegs->refuses('to the last unit', '53400', "SELECT * FROM pegs_sample('m', 100, 0.1, delta => (SELECT remaining FROM (SELECT delta - delta_spent + 1e-18 AS remaining FROM pegs_budgets) AS b)) AS t($PegsLedger::columns)", 'curator');

# ---- delta that would buy nothing is not charged; what is large is said ----

my ($out, $err) = $pegs->as('curator', "\\set VERBOSITY default\nSELECT count(*) FROM pegs_sample('m', 1, 0.1, delta => $delta) AS t($PegsLedger::columns)");
like($err, qr/NOTICE:  delta buys nothing here/, 'one row: delta buys nothing');
my ($hint) = $err =~ /HINT: .*?(SELECT .*;)/;
is($pegs->value("SELECT count(*) FROM ($1) AS c"), 1, 'its HINT runs') if ok($hint && $hint =~ /^(.*);$/, 'with a HINT');
$pegs->charges_both('one row', '100000000 0', sub { PegsLedger::counted(curator("SELECT count(*) FROM pegs_sample('m', 1, 0.1, delta => $delta) AS t($PegsLedger::columns)")) });
$pegs->charges_both('one block of many rows', '100000000 0', sub { PegsLedger::counted(curator("SELECT count(*) FROM pegs_sample('m', 1000, 0.1, 1000, delta => $delta) AS t($PegsLedger::columns)")) });

# ---- what it buys: public, and the same whoever asks ----

is($pegs->value("SELECT bool_and(a.alpha < b.alpha AND a.charged = b.charged) FROM generate_series(100, 1000, 100) AS n, pegs_cost('m', n, 1, delta => $delta) AS a, pegs_cost('m', n, 1) AS b"),
	't', 'many rows: less alpha than epsilon alone needs');
is($pegs->value("SELECT bool_and(a.alpha <= b.alpha) FROM unnest('{1,2,5,10,100,1000,100000,100000000}'::bigint[]) AS n, unnest('{1,7,1000}'::bigint[]) AS block,
	unnest('{0.01,1,30}'::float8[]) AS epsilon, pegs_cost('m', n, epsilon, block, delta => $delta) AS a, pegs_cost('m', n, epsilon, block) AS b"), 't', 'never more of it');
is($pegs->value("SELECT round((a.alpha / b.alpha)::numeric, 2) FROM pegs_cost('m', 1000000, 1, delta => $delta) AS a, pegs_cost('m', 10000, 1, delta => $delta) AS b"), '10.01',
	'a hundred times the rows: ten times the alpha');
like($pegs->value("SELECT in_words FROM pegs_cost('m', 1000, 1, delta => $delta)"), qr/^epsilon 1 and delta 0.000000001 for 1000 rows .* bounded in range, .* without it there would be 2000/, 'in words');
like($pegs->value("SELECT in_words FROM pegs_cost('m', 1, 1, delta => $delta)"), qr/^epsilon 1 for 1 rows .* No delta is charged/, 'and where it buys nothing');

# ---- a release says what it was charged, for ever ----

curator("SELECT pegs_release('kept', 'm', 200, 0.5, delta => 1e-8), pegs_release('pure', 'm', 200, 0.5)");
is($pegs->value("SELECT string_agg(name || ' ' || epsilon || ' ' || delta, ', ' ORDER BY name) FROM pegs_releases"), 'kept 0.5 0.00000001, pure 0.5 0', 'pegs_releases');
is($pegs->value("SELECT d ->> 'charged', d ->> 'delta', d ->> 'guarantee', d ->> 'accounting' FROM pegs_certificate('kept') AS d"),
	'0.5|0.00000001|each sample or release is (epsilon, delta)-differentially private at what it is charged|draws of bounded range, added up in zCDP', 'its certificate');
is($pegs->value("SELECT d ->> 'charged', d ->> 'delta', d ->> 'guarantee' FROM pegs_certificate('pure') AS d"),
	'0.5||each sample or release is epsilon-differentially private at the epsilon it is charged', 'and that of one without delta');
like($pegs->value("SELECT pegs_certificate_text('kept')"), qr/^delta: +0.00000001$/m, 'as text');
like($pegs->value("SELECT string_agg(s, ' ') FROM pegs_view_sql('kept', 'v') AS s"), qr/synthetic, epsilon 0\.5, delta 0\.00000001/, 'the comment of a view');
like($pegs->value("SELECT pegs_summary('kept')"), qr/but for outcomes of probability/, 'pegs_summary');
my $rows = $pegs->value("SELECT md5(string_agg(t::text, '|')) FROM pegs_rows('kept') AS t($PegsLedger::columns)");
$pegs->value("SELECT pegs_grant('kept', 'analyst')");
is($pegs->analyst("SELECT md5(string_agg(t::text, '|')) FROM pegs_rows('kept') AS t($PegsLedger::columns)"), $rows, 'and can be granted');
{
	my ($dump) = PostgreSQL::Test::Utils::run_command([ 'pg_dump', '-d', $pegs->node->connstr('postgres') ]);

	like($dump, qr/COPY pegs_internal\.release \([^)]*\bdelta\b[^)]*\)/, 'it is in a dump');
}

# ---- a person of several rows ----

$pegs->value(q{CREATE TABLE stay (person int, ward text NOT NULL CHECK (ward IN ('A', 'B')), male boolean NOT NULL);
	INSERT INTO stay SELECT i % 30, substr('AB', 1 + i % 2, 1), i % 3 = 0 FROM generate_series(1, 90) AS i;
	SELECT pegs_set_budget('stay', 100, 1e-6);
	SELECT pegs_fit('rows of stay', 'stay', ARRAY['ward', 'male'], parents => '{}');
	SELECT pegs_set_unit('stay', 'person', 3); SELECT pegs_fit('three', 'stay', ARRAY['ward', 'male'], parents => '{}');
	SELECT pegs_set_unit('stay', 'person', weighting => 'person'); SELECT pegs_fit('persons', 'stay', ARRAY['ward', 'male'], parents => '{}')});
is($pegs->value("SELECT round((b.alpha / a.alpha)::numeric, 1), round((c.alpha / a.alpha)::numeric, 1) FROM pegs_cost('rows of stay', 100000, 1, delta => $delta) AS a,
	pegs_cost('three', 100000, 1, delta => $delta) AS b, pegs_cost('persons', 100000, 1, delta => $delta) AS c"), '3.0|1.0', 'three rows: three times alpha; persons that weigh the same: as rows');
is($pegs->value("SELECT bool_and(holds AND reason IS NULL AND exact_epsilon > 0 AND exact_epsilon <= epsilon_claimed) FROM unnest('{m,three,persons,rows of stay}'::text[]) AS m,
	unnest('{40,81}'::int[]) AS n, pegs_audit(m, 200, 0.7, n => n, block => 2, delta => 1e-6)"), 't', 'pegs_audit finds nothing');

$pegs->node->stop;
done_testing();
