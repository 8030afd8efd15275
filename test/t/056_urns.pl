# Sealed samples and releases from urns (docs/privacy.md, P18): what they cost, what is refused, how they are drawn, and that
# nothing takes a charge back; pegs_cost and pegs_audit take the same options.
use strict;
use warnings;
use Test::More;
use PegsLedger;

my $pegs = PegsLedger->new('urns', conf => 'max_prepared_transactions = 2');
my $delta = '1e-9';
my $urn = q{options => '{"draw": "urn"}'};
my $as = "AS t($PegsLedger::columns)";
my $hundred = "pegs_sample('m', 100, 0.1, delta => $delta, $urn) $as";

$pegs->value("SELECT pegs_set_budget('visit', epsilon => 1000, delta => 1e-6)");

sub curator { return scalar $pegs->as('curator', $_[0]) }

# ---- nothing takes it back ----

my $both = '100000000 1000000000';
$pegs->charges_both('a sample', $both, sub { PegsLedger::counted(curator("SELECT count(*) FROM $hundred")) });
$pegs->charges_both('ROLLBACK', $both, sub { PegsLedger::counted(curator("BEGIN; SELECT count(*) FROM $hundred; ROLLBACK;")) });
$pegs->charges_both('ROLLBACK TO', $both, sub { PegsLedger::counted(curator("BEGIN; SAVEPOINT a; SELECT count(*) FROM $hundred; ROLLBACK TO a; COMMIT;")) });
$pegs->charges_both('a cursor of which one row is read', $both, sub {
	scalar(() = curator("BEGIN; DECLARE c CURSOR FOR SELECT * FROM $hundred; FETCH 1 FROM c; CLOSE c; ROLLBACK;") =~ /^[ABCD]\|[tf]$/mg) });
$pegs->charges_both('ROLLBACK PREPARED', $both, sub {
	my $out = curator("BEGIN; SELECT count(*) FROM $hundred; PREPARE TRANSACTION 'x';");
	curator("ROLLBACK PREPARED 'x'");
	PegsLedger::counted($out) });
$pegs->charges_both('a release that is rolled back', $both, sub {
	PegsLedger::counted(curator("BEGIN; SELECT pegs_release('r', 'm', 100, 0.1, delta => $delta, $urn); SELECT count(*) FROM pegs_rows('r') $as; ROLLBACK;")) });
$pegs->charges_both('epsilon alone', '100000000 0', sub { PegsLedger::counted(curator("SELECT count(*) FROM pegs_sample('m', 100, 0.1, $urn) $as")) });
$pegs->charges('by a grant, epsilon alone', 0.1, sub { PegsLedger::counted(scalar $pegs->analyst("SELECT count(*) FROM pegs_sample('m', 10, 0.1, $urn) $as")) });
{
	# one call that takes long: many rows of a thousand sweeps
	my (undef, $moved) = $pegs->moved(sub {
		my $p = $pegs->start_psql('curator', "SELECT count(*) FROM pegs_sample('m', 100000000, 0.1, delta => $delta, options => '{\"draw\": \"urn\", \"sweeps\": 1000}') $as;\n");
		$pegs->node->poll_query_until('postgres', "SELECT count(*) = 1 FROM pg_stat_activity WHERE query LIKE '%100000000, 0.1%' AND usename = 'curator' AND state = 'active'");
		$pegs->value("SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE query LIKE '%100000000, 0.1%' AND usename = 'curator'");
		$pegs->finish($p);
		like($p->{err}, qr/57014/, 'a cancel ends it') });
	like($moved, qr/^(0 0|$both)$/, 'a cancel: charged both, or neither');
}

# ---- what is refused ----

$pegs->value(q{CREATE TABLE stay (person int, ward text NOT NULL CHECK (ward IN ('A', 'B')), male boolean NOT NULL);
	INSERT INTO stay SELECT i % 30, substr('AB', 1 + i % 2, 1), i % 3 = 0 FROM generate_series(1, 90) AS i;
	ALTER TABLE stay OWNER TO curator;
	SELECT pegs_set_budget('stay', 100, 1e-6, 'sum');
	CREATE TABLE zeros (ward text NOT NULL CHECK (ward IN ('A', 'B')), male boolean NOT NULL);
	ALTER TABLE zeros OWNER TO curator;
	SELECT pegs_set_budget('zeros', 100, 1e-6), pegs_forbid('zeros', '{"ward": "A", "male": "true"}');
	SELECT pegs_fit('with zeros', 'zeros', parents => '{}')});
$pegs->value(q{SELECT pegs_set_unit('stay', 'person', 3); SELECT pegs_fit('three', 'stay', ARRAY['ward'], parents => '{}');
	SELECT pegs_set_unit('stay', 'person', 1); SELECT pegs_fit('first', 'stay', ARRAY['ward'], parents => '{}');
	SELECT pegs_fit('diverse', 'stay', ARRAY['ward'], parents => '{}', options => '{"l_diversity": 1.5}')});
for my $bad (
	[ 'blocks', '22023', "pegs_sample('m', 100, 1, 10, $delta, $urn) $as" ],
	[ 'sweeps without urns', '22023', "pegs_sample('m', 100, 1, options => '{\"sweeps\": 2}') $as" ],
	[ 'no sweeps', '22023', "pegs_sample('m', 100, 1, options => '{\"draw\": \"urn\", \"sweeps\": 0}') $as" ],
	[ 'a part of a sweep', '22023', "pegs_sample('m', 100, 1, options => '{\"draw\": \"urn\", \"sweeps\": 1.5}') $as" ],
	[ 'too many sweeps', '22023', "pegs_sample('m', 100, 1, options => '{\"draw\": \"urn\", \"sweeps\": 1001}') $as" ],
	[ 'sweeps in words', '22023', "pegs_sample('m', 100, 1, options => '{\"draw\": \"urn\", \"sweeps\": \"two\"}') $as" ],
	[ 'another word', '22023', "pegs_sample('m', 100, 1, options => '{\"draw\": \"independent\"}') $as" ],
	[ 'more draws than can be counted', '22023', "pegs_sample('m', 9223372036854775807, 1, delta => $delta, $urn) $as" ],
	[ 'forbidden combinations', '0A000', "pegs_sample('with zeros', 10, 1, $urn) AS t(ward text)" ],
	[ 'delta, and a person of three rows', '0A000', "pegs_sample('three', 10, 1, delta => $delta, $urn) AS t(ward text)" ],
	[ 'no guarantee', '22023', "pegs_sample('diverse', 10, $urn) AS t(ward text)" ],
	[ 'a budget without so much delta', '53400', "pegs_sample('m', 10, 1, delta => 1e-5, $urn) $as" ])
{
	$pegs->refuses($bad->[0], $bad->[1], "SELECT * FROM $bad->[2]", 'curator');
}
like(($pegs->as('curator', "\\set VERBOSITY default\nSELECT * FROM pegs_cost('m', 35184372088833, 1, options => '{\"draw\": \"urn\", \"sweeps\": 2}')"))[1],
	qr/^DETAIL:  epsilon 1 over 35184372088833 rows from urns, sweeps of each row: 2: the noise would not fit in 64 bits\.\nHINT:  Ask for fewer rows, fewer sweeps or more epsilon;/m, 'more draws than can be counted: it speaks of urns');
$pegs->refuses('by a grant with delta', '42501', "SELECT * FROM $hundred", 'analyst');
$pegs->refuses('pegs_cost of blocks', '22023', "SELECT * FROM pegs_cost('m', 100, 1, 10, $delta, '{\"draw\": \"urn\"}')", 'curator');
$pegs->refuses("pegs_audit with $_", '22023', "SELECT * FROM pegs_audit('m', 100, options => '$_')", 'postgres') for '{"fresh": true}', '{"keys": "number"}', '{"sweeps": 3}', '{"what": 1}';
is($pegs->value("SELECT count(*) FROM pegs_sample('three', 10, 1, $urn) AS t(ward text)"), 10, 'a person of three rows, epsilon alone');
is($pegs->value("SELECT count(*) FROM pegs_sample('first', 10, 1, delta => $delta, $urn) AS t(ward text)"), 10, 'a person of one row, with delta');

# ---- what it costs ----

is($pegs->value("SELECT count(DISTINCT alpha), round(min(alpha)::numeric, 1), bool_and(blocks IS NULL) FROM unnest('{1000,100000,100000000}'::bigint[]) AS n, pegs_cost('m', n, 1, delta => $delta, $urn)"),
	'1|78.7|t', 'two columns: the same alpha for any number of rows');
is($pegs->value("SELECT bool_and(a.alpha <= b.alpha) FROM unnest('{1,10,1000,100000}'::bigint[]) AS n, unnest('{0.1,1,10}'::float8[]) AS e, pegs_cost('m', n, e, delta => $delta, options => '{\"draw\": \"urn\", \"sweeps\": 1}') AS a,
	pegs_cost('m', n, e, $urn) AS b"), 't', 'delta never makes it more');
is($pegs->value("SELECT round((a.alpha * (exp(0.5) - 1))::numeric, 3), round((b.alpha / a.alpha)::numeric, 3) FROM pegs_cost('m', 700, 1, $urn) AS a, pegs_cost('m', 700, 1, options => '{\"draw\": \"urn\", \"sweeps\": 3}') AS b"),
	'700.000|3.000', 'epsilon alone: draws over exp(epsilon / columns) - 1');
like($pegs->value("SELECT in_words FROM pegs_cost('m', 1000, 1, delta => $delta, $urn)"), qr/^epsilon 1 and delta 0.000000001 for 1000 rows from urns, 10 sweeps a row: /, 'in words');

# ---- what is drawn ----

# 40 rows, ten of each ward: 20,000 draws of one call show a share that was drawn once, from Beta(10 + alpha, 30 + 3 alpha), alpha
# near 3; it is in these limits, and 12 of them are so far apart, but for once in a billion. Draws from the table's share: .003 apart
my $share = q{SELECT avg((ward = 'A')::int) FROM pegs_sample('m', 20000 + 0 * call, 20, delta => 1e-9, options => '{"draw": "urn", "sweeps": 1}') AS t(ward text, male boolean)};
is($pegs->value("SELECT bool_and(share BETWEEN 0.01 AND 0.8), stddev(share) > 0.006 FROM generate_series(1, 12) AS call, LATERAL ($share) AS s (share)"), 't|t',
	'each call draws the shares once, near those of the table');

# ---- a release, and the audit ----

curator("SELECT pegs_release('kept', 'm', 200, 0.5, delta => 1e-8, $urn)");
is($pegs->value("SELECT d ->> 'charged', d ->> 'delta', d ->> 'draw', d ->> 'sweeps', d -> 'block', d ->> 'mechanism', d ->> 'accounting' FROM pegs_certificate('kept') AS d"),
	'0.5|0.00000001|urn|10||PeGS, each draw put back double (urns)|Renyi divergence of the urns, whatever the number of draws', 'its certificate');
is($pegs->value("SELECT count(*) FROM pegs_rows('kept') $as"), 200, 'and its rows');
is($pegs->value("SELECT bool_and(holds AND reason IS NULL AND exact_epsilon > 0 AND exact_epsilon <= epsilon_claimed) FROM unnest('{1,30}'::int[]) AS n,
	unnest('{0,1e-6}'::float8[]) AS delta, pegs_audit('m', 200, 0.7, n => n, delta => delta, options => '{\"draw\": \"urn\", \"sweeps\": 2}')"), 't', 'pegs_audit finds nothing');
is($pegs->value("SELECT bool_and(holds AND reason IS NULL) FROM pegs_audit('three', 200, 0.7, n => 7, $urn)"), 't', 'nor of persons of three rows');

$pegs->node->stop;
done_testing();
