# Scores of every method are what they were: of a hot standby, of a dump, of a file in another database; for who was granted
# them and nobody else. No table is too small for one. One without a guarantee leaves by none of these doors. Laws L2, L6, L7.
use strict;
use warnings;
use Test::More;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use PegsLedger;

my $pegs = PegsLedger->new('primary', init => [ allows_streaming => 1 ]);
my $primary = $pegs->node;
my $dump = $PostgreSQL::Test::Utils::tmp_check . '/scores.dump';

$pegs->value(q{
	CREATE TABLE stay (ward text CHECK (ward IN ('A', 'B', 'C', 'D')), age int NOT NULL, seen timestamp NOT NULL, back boolean);
	ALTER TABLE stay OWNER TO curator;
	CREATE TABLE nobody (LIKE stay INCLUDING ALL);
	CREATE TABLE one (LIKE stay INCLUDING ALL);
	INSERT INTO stay SELECT CASE WHEN i % 7 > 0 THEN substr('ABCD', 1 + i % 4, 1) END, i % 90, '2026-01-01'::timestamp + i * interval '7 minutes', CASE WHEN i % 11 > 0 THEN i % 90 + i % 4 * 15 > 60 END FROM generate_series(1, 3000) AS i;
	INSERT INTO one VALUES ('A', 5, '2026-01-01', true);
	GRANT SELECT ON stay TO analyst;
	SELECT pegs_allow('curator')});
$pegs->value("SELECT pegs_set_bins('$_', 'age', ARRAY['0', '15', '50', '90']), pegs_set_bins('$_', 'seen', ARRAY['2026-01-01', '2026-01-08', '2026-01-16']), pegs_set_budget('$_', 1000, 1e-6, accounting => 'sum')") for 'stay', 'nobody', 'one';

# as it is called, and what it costs
my %fit = (
	additive => [ ', epsilon => 2, delta => 1e-9', 2 ],
	pure => [ ', epsilon => 3', 3 ],
	tree => [ q{, epsilon => 2, delta => 1e-9, method => 'tree', options => '{"depth": 3, "alpha": [0.5, 1]}'}, 2 ],
	forest => [ q{, epsilon => 2, method => 'forest', options => '{"trees": 7, "depth": 3}'}, 2 ],
	declared => [ q{, epsilon => 2, method => 'forest', options => '{"trees": 3, "classes": "declared"}'}, 2 ],
	published => [ q{, method => 'tree', options => '{"published": true}'}, 0 ]);
my @paid = grep { $_ ne 'published' } sort keys %fit;
my $fit = sub { my ($name, $method, $table) = @_; return "pegs_score_fit('$name', '$table', 'back', ARRAY['true']$fit{$method}[0])" };

# ---- each is charged as it says, also where it is thrown away; no table is too small ----

for my $method (sort keys %fit)
{
	my $charged = sub {
		my ($sql, $what) = @_;
		my $before = $pegs->spent('stay');

		$pegs->as('curator', $sql);
		is($pegs->spent('stay') - $before, PegsLedger::units($fit{$method}[1]), "$method: charged, $what");
	};
	$charged->('SELECT ' . $fit->($method, $method, 'stay'), 'and kept');
	$charged->('BEGIN; SELECT ' . $fit->('x', $method, 'stay') . '; ROLLBACK', 'after ROLLBACK');
	$charged->('BEGIN; SAVEPOINT s; SELECT ' . $fit->('x', $method, 'stay') . '; ROLLBACK TO s; COMMIT', 'after a savepoint');
	$charged->('DO $$ BEGIN PERFORM ' . $fit->('x', $method, 'stay') . '; RAISE division_by_zero; EXCEPTION WHEN division_by_zero THEN NULL; END $$', 'in an exception block');
	$pegs->refuses("$method: which is gone", '42704', "SELECT pegs_describe('x')", 'curator');
	for my $table ('nobody', 'one')
	{
		$pegs->value('SELECT ' . $fit->("$method of $table", $method, $table));
		is($pegs->value($method eq 'published' ? "SELECT count(pegs_score_published('$method of $table', s, 1)) FROM stay AS s"
			: "SELECT count(*) FROM stay AS s WHERE pegs_score('$method of $table', s) BETWEEN 0 AND 1"), '3000', "$method: of $table");
	}
}
$pegs->value($_) for q{SELECT pegs_fit('rows', 'stay', epsilon => 2, delta => 1e-9)}, q{SELECT pegs_score_fit_of('of rows', 'rows', 'back', ARRAY['true'])},
	q{SELECT pegs_score_fit_of('of rows of nobody', 'rows of nobody', 'back', ARRAY['true']) FROM pegs_fit('rows of nobody', 'nobody', epsilon => 1)},
	q{SELECT pegs_import('in a file', pegs_export('forest'))};
push @paid, 'of rows';
$pegs->value("SELECT pegs_grant('$_', 'analyst')") for @paid;

# ---- the same everywhere ----

my $scores = sub { return "SELECT md5(string_agg(pegs_score('$_[0]', s)::text, ' ' ORDER BY seen)) || ' ' || (SELECT md5(string_agg(c::text, ' ')) FROM pegs_score_card('$_[0]') AS c) || ' ' || md5(pegs_score_sql('$_[0]', 'f')) FROM stay AS s" };
my %here = map { $_ => $pegs->value($scores->($_)) } @paid;

isnt($here{$_}, '', "$_ has scores") for @paid;
is($pegs->value($scores->('in a file')), $here{forest}, 'a file says the same');

$primary->backup('base');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($primary, 'base', has_streaming => 1);
$standby->start;
$primary->wait_for_catchup($standby, 'replay', $primary->lsn('write'));
my $there = bless { node => $standby, db => 'postgres' }, 'PegsLedger';

command_ok([ 'pg_dump', '-Fc', '-d', $primary->connstr('postgres'), '-f', $dump ], 'a dump');
my $bytes = $pegs->value("SELECT encode(body, 'hex') FROM pegs_internal.body WHERE model = (SELECT id FROM pegs_internal.model WHERE name = 'published')");
my $text = $PostgreSQL::Test::Utils::tmp_check . '/scores.sql';
command_ok([ 'pg_restore', '-f', $text, $dump ], 'as text');
cmp_ok(length $bytes, '>', 100, 'one without a guarantee has a body');
is(index(slurp_file($text), substr($bytes, -100)), -1, 'which is not in it');
$pegs->value('CREATE DATABASE copy');
command_ok([ 'pg_restore', '-d', $primary->connstr('copy'), $dump ], 'and back');
my $copy = bless { node => $primary, db => 'copy' }, 'PegsLedger';

for my $place ([ $there, 'a standby' ], [ $copy, 'a copy' ])
{
	for my $name (@paid)
	{
		is(scalar $place->[0]->analyst($scores->($name)), $here{$name}, "$name: the same on $place->[1], for who was granted it");
		is($place->[0]->value("SELECT pegs_certificate('$name') - 'versions'"), $pegs->value("SELECT pegs_certificate('$name') - 'versions'"), "$name: its certificate, too");
	}
	for my $name ('in a file', 'additive of one', 'published')
	{
		my (undef, $err) = $place->[0]->analyst("SELECT pegs_score('$name', '{}'::jsonb)");

		like($err, qr/42704/, "'$name' on $place->[1] is nobody's who was not granted it");
	}
}
my (undef, $err) = $there->as('curator', "SELECT pegs_score_published('published', '{}'::jsonb, 1)");
like($err, qr/25006/, 'without a guarantee: a standby has no line of the ledger for it');
(undef, $err) = $copy->as('curator', "SELECT pegs_score_published('published', '{}'::jsonb, 1)");
like($err, qr/ERROR/, 'and a copy has no counts');
is($copy->spent('stay'), $pegs->spent('stay'), 'what was spent');

# ---- a file in another database, with nothing of the table ----

$pegs->value('CREATE DATABASE other');
my $other = bless { node => $primary, db => 'other' }, 'PegsLedger';
$other->value('CREATE EXTENSION pegs');
for my $name (@paid)
{
	my $bytes = $pegs->value("SELECT encode(pegs_export('$name'), 'hex')");
	my $asked = "SELECT string_agg(pegs_score('$name', o)::text, ' ') FROM (VALUES ('A', 7, timestamp '2026-01-02'), (NULL, 77, '2026-01-12'), ('?', -5, NULL)) AS o (ward, age, seen)";

	$other->value("SELECT pegs_import('$name', decode('$bytes', 'hex'))");
	is($other->value($asked), $pegs->value($asked), "$name: the same in another database");
	# a byte of it changed: an error, of whatever kind, and the server is alive
	my $flip = 2 * int(length($bytes) / 4);
	substr($bytes, $flip, 2) = sprintf '%02x', hex(substr $bytes, $flip, 2) ^ 0x40;
	(undef, $err) = $other->as('postgres', "SELECT pegs_import('broken', decode('$bytes', 'hex'))");
	like($err, qr/XX001|22P03|22023|XX002|42704|55000/, "$name: a file with a byte changed");
}
(undef, $err) = $pegs->as('curator', "SELECT pegs_export('published')");
like($err, qr/42809/, 'one without a guarantee is in no file');

done_testing();
