# A hot standby draws rows: of a perturbed model the very rows of the primary, in every way of drawing; it writes nothing.
# Of a sealed model it draws none. Law L2, A-13; releases and what happens when a standby goes away are in 004.
use strict;
use warnings;
use Test::More;
use PostgreSQL::Test::Cluster;
use PegsLedger;

my $pegs = PegsLedger->new('primary', init => [ allows_streaming => 1 ]);
my $primary = $pegs->node;
my $columns = 'ward text, male boolean, age int';

# more columns than PegsLedger's table, with rules, bins, a privacy unit, and a model out of a file
$pegs->value(q{
	CREATE TABLE stay (ward text NOT NULL CHECK (ward IN ('A', 'B', 'C', 'D')), male boolean, age int NOT NULL, person int);
	ALTER TABLE stay OWNER TO curator;
	INSERT INTO stay SELECT substr('ABCD', 1 + i % 4, 1), CASE WHEN i % 5 > 0 THEN i % 3 = 0 END, i % 90, i % 700 FROM generate_series(1, 3000) AS i;
	SELECT pegs_set_bins('stay', 'age', ARRAY['0', '15', '50', '90']);
	SELECT pegs_forbid('stay', '{"ward": "B", "male": true}');
	SELECT pegs_set_unit('stay', 'person', 2);
	SELECT pegs_set_budget('stay', 100, 1e-6)});
$pegs->value(qq{SELECT $_}) for (
	q{pegs_fit('pure', 'stay', columns => ARRAY['ward', 'male', 'age'], epsilon => 5)},
	q{pegs_fit('gauss', 'stay', columns => ARRAY['ward', 'male', 'age'], epsilon => 2, delta => 1e-9)},
	q{pegs_fit('sealed', 'stay', columns => ARRAY['ward', 'male', 'age'], structure_epsilon => 1)},
	q{pegs_import('imported', pegs_export('pure'))},
	q{pegs_release('kept', 'pure', 400, given => '{"ward": "B"}')},
	q{pegs_grant(name, 'analyst') FROM unnest(ARRAY['pure', 'gauss', 'imported', 'kept']) AS name},
	q{pegs_grant('sealed', 'analyst', epsilon => 10)});

$primary->backup('base');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($primary, 'base', has_streaming => 1);
$standby->start;
$primary->wait_for_catchup($standby, 'replay', $primary->lsn('write'));
my $there = bless { node => $standby, db => 'postgres' }, 'PegsLedger';
my $spent = $pegs->spent('stay');
is($standby->safe_psql('postgres', 'SELECT pg_is_in_recovery()'), 't', 'the standby is one');

# ---- the same rows in the same order ----

for my $model ('pure', 'gauss', 'imported')
{
	for my $how ('1', '1000', '140000', q{1000, given => '{"ward": "C"}'}, q{1000, given => '{"ward": "B", "age": 20}'}, q{1000, options => '{"draw": "independent"}'})
	{
		my $sql = "SELECT count(*), count(*) FILTER (WHERE ward = 'B' AND male), md5(string_agg(t::text, ',' ORDER BY n))
			FROM (SELECT *, row_number() OVER () AS n FROM pegs_sample('$model', $how) AS s($columns)) AS t";
		my ($here, $error) = $pegs->analyst($sql);
		my ($wanted) = $how =~ /^(\d+)/;

		like($here, qr/^$wanted\|0\|\w{32}$/, "$model, $how: rows on the primary, none forbidden");
		is($error, '', "$model, $how: no error");
		is(scalar $there->analyst($sql), $here, "$model, $how: the same rows on the standby");
	}
	# rows that are drawn anew are other rows, there as here
	my $fresh = "SELECT md5(string_agg(t::text, ',')) FROM pegs_sample('$model', 1000, options => '{\"fresh\": true}') AS t($columns)";
	like(scalar $there->analyst($fresh), qr/^\w{32}$/, "$model: fresh rows on the standby");
	isnt(scalar $there->analyst($fresh), scalar $there->analyst($fresh), "$model: fresh rows are other rows");
}
my $as = q{SELECT count(*), md5(string_agg(t::text, ',')) FROM pegs_sample_as(NULL::stay, 'pure', 500) AS t};
is(scalar $there->as('curator', $as), scalar $pegs->as('curator', $as), 'pegs_sample_as: the same rows');
my $rows = "SELECT count(*), md5(string_agg(t::text, ',')) FROM pegs_rows('kept') AS t($columns)";
like(scalar $there->analyst($rows), qr/^400\|/, 'pegs_rows of a perturbed release');
is(scalar $there->analyst($rows), scalar $pegs->analyst($rows), 'pegs_rows: the same rows');

# ---- what is said is the same ----

for my $sql (
	(map { "SELECT pegs_describe('$_')" } 'pure', 'gauss', 'imported', 'kept', 'sealed'),
	(map { "SELECT pegs_row_type('$_')" } 'pure', 'sealed'),
	q{SELECT * FROM pegs_cost('sealed', 100, 1, 10)},
	q{SELECT * FROM pegs_cost('pure', 100)},
	q{SELECT name, kind, epsilon, delta, structure_epsilon, unit, counts FROM pegs_models ORDER BY name},
	q{SELECT name, model, n, kind, epsilon, given FROM pegs_releases ORDER BY name})
{
	my ($here, $error) = $pegs->analyst($sql);

	isnt($here, '', "$sql: says something");
	is($error, '', "$sql: no error");
	is(scalar $there->analyst($sql), $here, "$sql: the same on the standby");
}
for my $sql (
	q{SELECT md5(pegs_export('pure')::text)},
	q{SELECT pegs_spec('stay', columns => ARRAY['ward', 'male', 'age'])},
	q{SELECT * FROM pegs_domain('stay')},
	q{SELECT pegs_view_sql('pure', 'v')},
	q{SELECT source, epsilon, spent, remaining FROM pegs_budgets ORDER BY source},
	q{SELECT action, object, epsilon_from, epsilon_to FROM pegs_ledger ORDER BY source, epsilon_from, epsilon_to, at})
{
	my ($here, $error) = $pegs->as('postgres', $sql);

	isnt($here, '', "$sql: says something");
	is($error, '', "$sql: no error");
	is(scalar $there->as('postgres', $sql), $here, "$sql: the same on the standby");
}

# ---- what would write is refused, and nothing was written ----

sub refused
{
	my ($name, $sql, $role) = @_;
	my ($out, $err) = $there->as($role || 'postgres', $sql);

	is($out, '', "$name: no row");
	like($err, qr/ERROR:  25006/, "$name: read-only");
}

refused('a sealed sample', "SELECT * FROM pegs_sample('sealed', 1, epsilon => 0.1) AS t(ward text)", 'analyst');
refused('a sealed sample, given', "SELECT * FROM pegs_sample('sealed', 1, epsilon => 0.1, given => '{\"ward\": \"A\"}') AS t(ward text)", 'analyst');
refused('a sealed sample by the curator', "SELECT * FROM pegs_sample('sealed', 1, epsilon => 0.1) AS t(ward text)", 'curator');
refused('a sealed sample as a row type', "SELECT * FROM pegs_sample_as(NULL::stay, 'sealed', 1, epsilon => 0.1)", 'curator');
refused('a release of a sealed model', "SELECT pegs_release('x', 'sealed', 10, 0.1)", 'analyst');
refused('a release of a perturbed model', "SELECT pegs_release('x', 'pure', 10)", 'analyst');
refused('a fit that chooses parents', "SELECT pegs_fit('x', 'stay', columns => ARRAY['ward', 'male'])");
refused('a fit with parents', "SELECT pegs_fit('x', 'stay', columns => ARRAY['ward', 'male'], parents => '{}')");
refused('pegs_forbid', "SELECT pegs_forbid('stay', '{\"ward\": \"A\"}')");
refused('pegs_forbid of nothing', "SELECT pegs_forbid('stay', NULL)");
refused('pegs_set_unit', "SELECT pegs_set_unit('stay', NULL)");
refused('pegs_learn_levels', "SELECT pegs_learn_levels('stay', 'ward', 0.1, 1e-9)");
refused('pegs_import', "SELECT pegs_import('x', pegs_export('pure'))");
refused('pegs_drop', "SELECT pegs_drop('pure')");

is($pegs->spent('stay'), $spent, 'nothing was charged');
is($there->spent('stay'), $spent, 'and the standby shows it');
is($pegs->value("SELECT count(*) FROM pegs_ledger WHERE action IN ('sample', 'release')"), '0', 'no ledger line of a sample');
# nor does the primary write for what the standby can do, too
for my $sql ("SELECT count(*) FROM pegs_sample('pure', 1000) AS t(ward text)", "SELECT count(*) FROM pegs_rows('kept') AS t(ward text)", "SELECT pegs_describe('pure') IS NOT NULL")
{
	like($pegs->value("BEGIN; $sql; SELECT 'none: ' || (txid_current_if_assigned() IS NULL); COMMIT"), qr/^none: true$/m, "no transaction id on the primary: $sql");
}
is($there->as('analyst', "SELECT count(*) FROM pegs_sample('pure', 7) AS t(ward text)"), '7', 'the standby goes on');
# the curator goes on on the primary; the standby follows
$pegs->value("SELECT pegs_drop('gauss')");
$primary->wait_for_catchup($standby, 'replay', $primary->lsn('write'));
like(($there->analyst("SELECT * FROM pegs_sample('gauss', 1) AS t(ward text)"))[1], qr/ERROR:  42704/, 'a model that is dropped is gone there, too');

$standby->stop;
$primary->stop;
done_testing();
