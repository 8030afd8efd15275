# Rows by a plan, where a committer would look: a standby, a transaction that is prepared, a synchronous standby that is not
# there, a cancel, a dump, and a table that is another one, or another's, when the lock is had. Laws L2, L6, L7.
use strict;
use warnings;
use Test::More;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use PegsLedger;

my $pegs = PegsLedger->new('primary', init => [ allows_streaming => 1 ], conf => "max_prepared_transactions = 2\n");
my $primary = $pegs->node;

$pegs->value(q{
	CREATE TABLE wing (ward text, wing text);
	INSERT INTO wing VALUES ('A', 'north'), ('B', 'north'), ('C', 'south'), ('D', 'south');
	CREATE TABLE plan (plan jsonb); CREATE ROLE other LOGIN;
	ALTER TABLE wing OWNER TO curator; ALTER TABLE plan OWNER TO curator;
	SELECT pegs_allow('curator'), pegs_allow('other')});
$pegs->as('curator', q{
	SELECT pegs_set_hierarchy('visit', 'ward', '[{"lookup": "wing", "key": "ward", "value": "wing"}]');
	INSERT INTO plan SELECT pegs_generalize('visit', ARRAY['ward', 'male'], 6)});
my $rows = "SELECT count(*) FROM plan, LATERAL pegs_generalized('visit', plan) AS t(ward text, male text)";
my $count = "SELECT count(*) FROM pegs_ledger WHERE action = 'uncovered rows'";
my $lines = sub { return $pegs->value($count) };

is(scalar $pegs->as('curator', $rows), '40', 'rows');
is($lines->(), '1', 'and their line');

# ---- a standby has plans, and no rows; the line of an open transaction is there ----

$primary->backup('base');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($primary, 'base', has_streaming => 1);
$standby->start;
my $there = bless { node => $standby, db => 'postgres' }, 'PegsLedger';
my $catch_up = sub { $primary->wait_for_catchup($standby, 'replay', $primary->lsn('write')) };
my $plan = "SELECT pegs_generalize('visit', ARRAY['ward', 'male'], 6)";

$catch_up->();
is(scalar $there->as('curator', $plan), scalar $pegs->as('curator', 'SELECT plan FROM plan'), 'a plan on a standby');
my ($out, $err) = $there->as('curator', $rows);
is($out, '', 'and no rows by it');
like($err, qr/ERROR:  25006/, 'for there is no line');
{
	my $s = $pegs->background('curator');
	is($s->query("BEGIN; $rows"), '40', 'rows in a transaction that is open');
	$catch_up->();
	is($there->value($count), '2', 'its line is on the standby');
	$s->query('ROLLBACK');
	is($s->query("BEGIN; $rows; PREPARE TRANSACTION 'p'"), '40', 'in one that is prepared');
	is($lines->(), '3', 'a line of it');
	$s->query("ROLLBACK PREPARED 'p'");
	$s->quit;
}
$catch_up->();
is($lines->(), '3', 'rolled back, it is here');
is($there->value($count), '3', 'and there');
is($there->value("SET enable_seqscan = off; SELECT count(*) FROM pegs_internal.ledger WHERE source = 'visit'::regclass AND epsilon_to >= 0"),
	$pegs->value("SET enable_indexscan = off; SET enable_bitmapscan = off; SELECT count(*) FROM pegs_internal.ledger WHERE source = 'visit'::regclass AND epsilon_to >= 0"), 'by the index, too');

# ---- stopped ----

my $p = $pegs->cancelled_waiting('ledger', 'curator', $rows);
is($p->{out}, '', 'cancelled before the line: no rows');
is($lines->(), '3', 'and no line');
$p = $pegs->cancelled_waiting('standby', 'curator', "BEGIN;\n$rows;\nROLLBACK");
unlike($p->{out}, qr/\d/, 'a synchronous standby that is not there: no rows');
is($lines->(), '4', 'the line stays');

# ---- a dump ----

my $dump = $PostgreSQL::Test::Utils::tmp_check . '/generalized.dump';
command_ok([ 'pg_dump', '-Fc', '-d', $primary->connstr('postgres'), '-f', $dump ], 'a dump');
$pegs->value('CREATE DATABASE copy');
command_ok([ 'pg_restore', '-d', $primary->connstr('copy'), $dump ], 'and back');
my $copy = bless { node => $primary, db => 'copy' }, 'PegsLedger';
my $hierarchy = "SELECT string_agg(h::text, ' ' ORDER BY h::text) FROM pegs_hierarchy('visit', 'ward') AS h";

like(scalar $pegs->as('curator', $hierarchy), qr/north/, 'a hierarchy by a lookup table');
is(scalar $copy->as('curator', $hierarchy), scalar $pegs->as('curator', $hierarchy), 'the same in a copy');
is(scalar $copy->as('curator', $plan), scalar $pegs->as('curator', 'SELECT plan FROM plan'), 'and plans by it');
is($copy->value($count), '4', 'the lines are in the copy');
is(scalar $copy->as('curator', $rows), '40', 'rows of the copy');
is($copy->value($count) . $lines->(), '54', 'which has a line of its own');

# ---- between the name and the lock ----

# What a call gives that waited while this was done to the table.
sub meanwhile
{
	my ($sql) = @_;
	my $holder = $pegs->background('postgres');

	$holder->query_safe('BEGIN; LOCK TABLE visit IN ACCESS EXCLUSIVE MODE');
	my $p = $pegs->start_psql('curator', $rows);
	$primary->poll_query_until('postgres', "SELECT count(*) = 1 FROM pg_stat_activity WHERE usename = 'curator' AND wait_event_type = 'Lock'") or die 'it does not wait';
	$holder->query_safe("$sql; COMMIT");
	eval { $pegs->finish($p) };
	$holder->quit;
	return $p->{out} =~ /(\d+)/ ? $1 : $p->{err} =~ /ERROR:  (\w{5})/ ? $1 : 'nothing';
}
is(meanwhile('ALTER TABLE visit OWNER TO other'), '42501', "another's table meanwhile");
is($lines->(), '4', 'no line');
$pegs->value('ALTER TABLE visit OWNER TO curator');
is(meanwhile('ALTER TABLE visit RENAME COLUMN ward TO w; ALTER TABLE visit RENAME COLUMN male TO ward; ALTER TABLE visit RENAME COLUMN w TO male'), '55000', 'columns that changed their names: another hierarchy than that of the plan');
is($lines->(), '4', 'no line');
$pegs->value('ALTER TABLE visit RENAME COLUMN ward TO w; ALTER TABLE visit RENAME COLUMN male TO ward; ALTER TABLE visit RENAME COLUMN w TO male');
is(meanwhile("UPDATE wing SET wing = 'east' WHERE ward = 'A'"), '55000', 'a lookup table that changed: another hierarchy, too');
$pegs->value("UPDATE wing SET wing = 'north' WHERE ward = 'A'");
is(meanwhile('ALTER TABLE visit ENABLE ROW LEVEL SECURITY; ALTER TABLE visit FORCE ROW LEVEL SECURITY'), '42501', 'policies that are forced');
$pegs->value('ALTER TABLE visit DISABLE ROW LEVEL SECURITY; ALTER TABLE visit NO FORCE ROW LEVEL SECURITY');
is(scalar $pegs->as('curator', $rows), '40', 'as it was');
is(meanwhile('ALTER TABLE visit RENAME TO old; CREATE TABLE visit (LIKE old INCLUDING ALL); ALTER TABLE visit OWNER TO curator'), '40', 'another table by its name: the one that was named');
is($pegs->value("SELECT count(*) FROM pegs_ledger WHERE action = 'uncovered rows' AND source = 'old'::regclass"), $lines->(), 'and lines of that one');

# ---- others ----

for my $call ("SELECT * FROM plan, LATERAL pegs_generalized('old', plan) AS t(ward text)", "SELECT pegs_generalize('old', ARRAY['ward'])", "SELECT pegs_set_hierarchy('old', 'ward', NULL)",
	"SELECT * FROM pegs_hierarchy('old', 'ward')", "SELECT * FROM pegs_equivalence_classes('old', ARRAY['ward'])", "SELECT pegs_generalize_sql('old', plan, 'x') FROM plan")
{
	$pegs->value('GRANT SELECT ON old, plan, wing TO other');
	(undef, $err) = $pegs->as('other', $call);
	like($err, qr/ERROR:  42501/, "for another curator, who may read it: $call");
}

done_testing();
