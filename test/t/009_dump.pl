# A dump takes along what is spent, what is released and what is perturbed; not the exact counts of a sealed model. B.4-18
# (the accounts), B.4-43 (no counts).
use strict;
use warnings;
use Test::More;
use PostgreSQL::Test::Utils;
use PegsLedger;

my $pegs = PegsLedger->new('dump', conf => "max_prepared_transactions = 2\n");
my $node = $pegs->node;
my $columns = $PegsLedger::columns;
my $file = $PostgreSQL::Test::Utils::tmp_check . '/dump.sql';

$pegs->value(q{
	SELECT pegs_fit('noisy', 'visit', epsilon => 0.5);
	SELECT pegs_grant('noisy', 'analyst');
	SELECT pegs_release('noisy_rows', 'noisy', 100);
	SELECT pegs_grant('noisy_rows', 'analyst')});
$pegs->analyst("SELECT pegs_release('rows', 'm', 100, 0.1, 100); BEGIN; SELECT count(*) FROM " . $pegs->sample . '; ROLLBACK');

# What must be the same on both sides.
my %same = (
	'budget and spent' => 'SELECT source, epsilon, spent, remaining, delta, delta_spent FROM pegs_budgets',
	'ledger' => 'SELECT * FROM pegs_ledger ORDER BY epsilon_to, at',
	'models' => 'SELECT * FROM pegs_models ORDER BY name',
	'releases' => 'SELECT * FROM pegs_releases ORDER BY name',
	'grants' => "SELECT object, grantee, cap, CASE WHEN cap IS NOT NULL THEN pg_sequence_last_value(cap_spent) END FROM pegs_internal.access ORDER BY id",
	'rows of a sealed release' => "SELECT * FROM pegs_rows('rows') AS t($columns)",
	'rows of a perturbed release' => "SELECT * FROM pegs_rows('noisy_rows') AS t($columns)",
	'rows of a perturbed model' => "SELECT * FROM pegs_sample('noisy', 100) AS t($columns)",
	'description of a perturbed model' => "SELECT pegs_describe('noisy')",
	'description of a sealed model' => "SELECT pegs_describe('m')");
my %before = map { $_ => $pegs->value($same{$_}) } keys %same;
my $spent = $pegs->spent;
my $body = $pegs->value("SELECT substr(encode(body, 'hex'), 1) FROM pegs_internal.body WHERE model = (SELECT id FROM pegs_internal.model WHERE name = 'm')");
my $noisy = $pegs->value("SELECT encode(body, 'hex') FROM pegs_internal.body WHERE model = (SELECT id FROM pegs_internal.model WHERE name = 'noisy')");

is($spent, PegsLedger::units(0.7), 'B.4-18 spent before the dump: a fit, a release, a sample rolled back');

# ---- what is in the dump ----

command_ok([ 'pg_dump', '-d', $node->connstr('postgres'), '-f', $file ], 'B.4-18 pg_dump');
my $dump = slurp_file($file);
cmp_ok(length $body, '>', 100, 'B.4-43 the sealed model has a body');
is(index($dump, $body), -1, 'B.4-43 which is not in the dump');
isnt(index($dump, $noisy), -1, 'B.4-43 that of the perturbed model is');
# The end of the body is the counts: the dump has no part of them either, wherever the line is cut.
is(index($dump, substr $body, -64), -1, 'B.4-43 nor its end, the counts');
my ($copy) = $dump =~ /^(COPY pegs_internal\.body .*?^\\\.$)/ms;
is(scalar(() = ($copy || '') =~ /^\d+\t/mg), 1, 'B.4-43 one body is in the dump');

# ---- the copy ----

sub copy_of
{
	my ($name, @options) = @_;
	my $there = bless { node => $node, db => $name }, 'PegsLedger';

	for my $what (sort keys %same) { is($there->value($same{$what}), $before{$what}, "B.4-18 $name: $what") }
	my ($out, $err) = $there->analyst("\\set VERBOSITY default\nSELECT * FROM " . $there->sample);
	is($out, '', "B.4-18 $name: a sealed model gives no row");
	like($err, qr/has no tables.*HINT:.*pegs_drop/s, "B.4-18 $name: the error says to fit it again");
	is($there->spent, $spent, "B.4-18 $name: and nothing is charged");
	return $there;
}

$node->safe_psql('postgres', 'CREATE DATABASE copy');
my ($rc, $out, $err) = $node->psql('copy', '', extra_params => [ '-f', $file ]);
is($rc, 0, 'B.4-18 restored without an error') or diag($err);
my $copy_there = copy_of('copy');

# Fitted again, the copy spends what is left, and only that.
$copy_there->value("SELECT pegs_drop('m'); SELECT pegs_fit('m', 'visit', parents => '{}'); SELECT pegs_grant('m', 'analyst', epsilon => 1)");
$copy_there->charges('B.4-18 copy, fitted again', 0.1, sub { scalar $copy_there->analyst('SELECT count(*) FROM ' . $copy_there->sample) });
$copy_there->refuses('B.4-18 copy: no more than what is left', '53400', 'SELECT * FROM ' . $copy_there->sample(epsilon => 999.3), 'postgres');
is($pegs->spent, $spent, 'B.4-18 the original is not touched');
# New objects get numbers of their own.
is($copy_there->value("CREATE TABLE t (b boolean NOT NULL); SELECT pegs_set_budget('t', 1); SELECT count(*) FROM pegs_budgets"), "\n2", 'B.4-18 copy: a further budget');

# The custom format, restored in parallel, is the same.
command_ok([ 'pg_dump', '-Fc', '-d', $node->connstr('postgres'), '-f', "$file.c" ], 'B.4-18 pg_dump -Fc');
$node->safe_psql('postgres', 'CREATE DATABASE parallel');
command_ok([ 'pg_restore', '-j', '2', '-d', $node->connstr('parallel'), "$file.c" ], 'B.4-18 pg_restore -j 2');
copy_of('parallel');

$node->stop;
done_testing();
