# What t/046_every_method.pl asks of every method that has rows, asked of those that have scores: audits, cancels, refunds,
# small tables, dumps, crashes. Scores are what they were: of a hot standby, of a dump, of a file in another database; for who was granted them and nobody else. One without a guarantee leaves by none of these doors. Laws L2, L6, L7.
use strict;
use warnings;
use Test::More;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use PegsCrash;
use PegsLedger;

my $pegs = PegsLedger->new('primary', init => [ allows_streaming => 1 ], conf => "max_prepared_transactions = 2\n$PegsCrash::conf");
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
# every method of scores that the server has is among them
{
	my (undef, $hint) = $pegs->as('curator', "\\set VERBOSITY default\nSELECT pegs_score_fit('x', 'stay', 'back', ARRAY['true'], epsilon => 1, method => 'nothing')");
	my @names = ($hint =~ /method is one of (.*)\./)[0] =~ /'([^']*)'/g;
	my %asked = map { (/method => '([^']*)'/ ? $1 : 'additive') => 1 } map { $_->[0] } values %fit;

	cmp_ok(scalar @names, '>=', 3, 'the server says which there are');
	is(join(', ', grep { !$asked{$_} } @names), '', 'and each of them is asked here');
}
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
	$charged->('SELECT 1 / length((' . $fit->('x', $method, 'stay') . ')::text)', 'and an error in its statement');
	$charged->('BEGIN; SELECT ' . $fit->('x', $method, 'stay') . q{; PREPARE TRANSACTION 'x'; ROLLBACK PREPARED 'x'}, 'after ROLLBACK PREPARED');
	$pegs->refuses("$method: which is gone", '42704', "SELECT pegs_describe('x')", 'curator');
	for my $table ('nobody', 'one')
	{
		$pegs->value('SELECT ' . $fit->("$method of $table", $method, $table));
		is($pegs->value($method eq 'published' ? "SELECT count(pegs_score_published('$method of $table', s, 1)) FROM stay AS s"
			: "SELECT count(*) FROM stay AS s WHERE pegs_score('$method of $table', s) BETWEEN 0 AND 1"), '3000', "$method: of $table");
	}
}
my $adds_up = q{SELECT sum(epsilon_to - epsilon_from) = (SELECT spent FROM pegs_budgets WHERE source = 'stay'::regclass) FROM pegs_ledger WHERE source = 'stay'::regclass};
is($pegs->value($adds_up), 't', 'the ledger adds up');

PegsCrash::stays_charged($pegs, map {
	{ what => "score fit, $_", role => 'curator', price => $fit{$_}[1], made => 'x', do => 'SELECT ' . $fit->('x', $_, 'stay'),
		seen => "SELECT count(*) FROM pegs_models WHERE name = 'x'", seen_is => 1, spent => sub { return $pegs->spent('stay') } } } @paid);
is($pegs->value($adds_up), 't', 'the ledger adds up after crashes');

# ---- no audit measures more than was charged ----

for my $method (@paid)
{
	for my $model ($method, "$method of nobody")
	{
		my $units = PegsLedger::units($fit{$method}[1]);

		is($pegs->value("SELECT holds, reason IS NULL, round(epsilon_claimed * 1000000000), exact_epsilon > 0, exact_epsilon * 1000000000 <= $units * 1.000000001, lower_bound * 1000000000 <= $units
			FROM pegs_audit('$model', 100)"), "t|t|$units|t|t|t", "audit of $model: no more than was charged");
	}
}

# ---- cancelled: before the charge nothing, after it all; nothing of it is left ----

$pegs->value(q{CREATE TABLE long (LIKE stay INCLUDING ALL); ALTER TABLE long OWNER TO curator;
	INSERT INTO long SELECT s.* FROM stay AS s, generate_series(1, 30);
	SELECT pegs_set_bins('long', 'age', ARRAY['0', '15', '50', '90']), pegs_set_bins('long', 'seen', ARRAY['2026-01-01', '2026-01-08', '2026-01-16']), pegs_set_budget('long', 1000, 1e-6, accounting => 'sum')});
my $there = sub { return $pegs->value("SELECT count(*) FROM pegs_internal.name WHERE name = 'x'") };
my $lines_of = sub { return $pegs->value("SELECT count(*) FROM pegs_ledger WHERE source = '$_[0]'::regclass") };

for my $method (sort keys %fit)
{
	my $price = PegsLedger::units($fit{$method}[1]);
	my ($spent, $lines) = ($pegs->spent('stay'), $lines_of->('stay'));
	my $p = $pegs->cancelled_waiting('model', 'curator', 'SELECT ' . $fit->('x', $method, 'stay') . ";\nSELECT 'goes on'");

	like($p->{err}, qr/ERROR:  57014/, "$method, cancelled before the charge: 57014");
	is($pegs->spent('stay') . ' ' . $lines_of->('stay') . ' ' . $there->(), "$spent $lines 0", "$method, cancelled before the charge: nothing");
	# one that costs nothing gives nothing either before it is committed: it waits for nobody
	if ($price > 0)
	{
		$p = $pegs->cancelled_waiting('standby', 'curator', "BEGIN;\nSELECT " . $fit->('x', $method, 'stay') . ";\nROLLBACK");
		is(($pegs->spent('stay') - $spent) . ' ' . $there->(), "$price 0", "$method, cancelled while its charge waits for a standby: charged, no model");
	}

	my ($wrong, $stopped) = ('', 0);
	for my $ms (1, 4, 16, 64)
	{
		my $before = $pegs->spent('long');
		my ($out, $err) = $pegs->as('curator', "\\set VERBOSITY default\nSET statement_timeout = $ms;\nSELECT " . $fit->('x', $method, 'long'));
		my $charged = $pegs->spent('long') - $before;
		my $stop = $err =~ /canceling statement due to statement timeout/;

		$stopped += $stop ? 1 : 0;
		$wrong .= "$ms ms: charged $charged, $err" unless $stop ? !$there->() && ($charged == $price || ($charged == 0 && $err !~ / charged to table/)) : $there->() && $charged == $price && $err !~ /ERROR/;
		$pegs->value("SELECT pegs_drop('x')") if $there->();
	}
	cmp_ok($stopped, '>', 0, "$method: some were stopped");
	is($wrong, '', "$method: at any moment, stopped and whole or nothing; or done and paid");
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
like($err, qr/55000/, 'and a copy has no counts, and says so');
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
