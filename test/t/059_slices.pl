# A slice is used up before noise is drawn for it, durably: ROLLBACK, savepoints, exceptions, cancels and crashes lose it and
# never give it back; of twenty sessions at once one fits; a copy fits none, by whatever way it was made. What was fitted goes
# through a dump and is read on a standby. Law L2; claim P21.
use strict;
use warnings;
use Test::More;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use PegsLedger;

my $pegs = PegsLedger->new('slices', conf => "restart_after_crash = on\nmax_prepared_transactions = 2\nmax_connections = 60\nwal_level = replica\nmax_wal_senders = 4\nwal_writer_delay = 10s\nshared_buffers = 16MB\ncheckpoint_timeout = 1d\nbgwriter_lru_maxpages = 0\n",
	init => [ allows_streaming => 1 ]);
my $node = $pegs->node;

$pegs->value("GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA public TO curator; GRANT CREATE ON SCHEMA public TO curator; ALTER ROLE curator SET client_min_messages = warning;
	CREATE TABLE event (at date NOT NULL, kind text NOT NULL CHECK (kind IN ('a', 'b', 'c'))); ALTER TABLE event OWNER TO curator;
	INSERT INTO event SELECT date '2026-01-01' + i % 60, substr('abc', 1 + i % 3, 1) FROM generate_series(1, 6000) AS i;
	CREATE TRIGGER keep BEFORE UPDATE ON event FOR EACH ROW EXECUTE FUNCTION pegs_keep_slices('at'); ALTER TABLE event ENABLE ALWAYS TRIGGER keep;
	SELECT pegs_set_budget('event', 100, 1e-6, 'sum')");
my $set = "SELECT pegs_set_slices('event', 'at', '1 day', '2026-01-01', 1, 1e-9)";
my $fit = "SELECT pegs_fit_slices('days', 'event', most => 1)";

# How many days are used up, as the sequence says; and how many there are to be read.
sub used { return $pegs->value("SELECT coalesce(pg_sequence_last_value(used), 0) / 86400000000 FROM pegs_internal.grid") }
sub there { return $pegs->value("SELECT count(*) FROM pegs_slices WHERE model = 'days'") }
sub state_is { my ($used, $there, $name) = @_; local $Test::Builder::Level = $Test::Builder::Level + 1; return is(used() . ' ' . there(), "$used $there", $name) }
sub error { my ($sql) = @_; my (undef, $err) = $pegs->as('curator', $sql); return ($err =~ /ERROR:  ?(\w{5})/)[0] || 'none' }

# ---- paid for ----

is(error("BEGIN; $set; ROLLBACK"), 'none', 'set, and rolled back');
is($pegs->spent('event'), PegsLedger::units(1), 'is charged');
is($pegs->value('SELECT count(*) FROM pegs_internal.grid'), '0', 'and there are no slices');
is(error("BEGIN; $set; $fit; COMMIT"), '55000', 'set and fitted in one transaction');
is(error($set), 'none', 'set');
is($pegs->spent('event'), PegsLedger::units(3), 'each was charged');
state_is(0, 0, 'none is fitted');

# ---- two at once do not set slices that overlap ----

$pegs->value("CREATE TABLE twice (LIKE event INCLUDING ALL); ALTER TABLE twice OWNER TO curator;
	CREATE TRIGGER keep BEFORE UPDATE ON twice FOR EACH ROW EXECUTE FUNCTION pegs_keep_slices('at'); ALTER TABLE twice ENABLE ALWAYS TRIGGER keep;
	SELECT pegs_set_budget('twice', 100)");
my $first = $pegs->background('curator');
$first->query_safe("BEGIN; SELECT pegs_set_slices('twice', 'at', '7 days', '2026-01-01', 1)");
is(error("SET lock_timeout = '1s'; SELECT pegs_set_slices('twice', 'at', '1 month', '2026-01-05', 1)"), '55P03', 'the second waits for the first');
is($pegs->spent('twice'), PegsLedger::units(1), 'and has paid nothing');
$first->query_safe('COMMIT');
$first->quit;
is(error("SELECT pegs_set_slices('twice', 'at', '1 month', '2026-01-05', 1)"), '22023', 'then it is told that they overlap');
$pegs->value("SELECT pegs_unset_slices('twice'); DROP TABLE twice CASCADE");

# ---- lost, and not given back ----

is(error($fit), 'none', 'the first');
state_is(1, 1, 'is there');
for my $lost ([ 'ROLLBACK', "BEGIN; $fit; ROLLBACK" ], [ 'a savepoint', "BEGIN; SAVEPOINT s; $fit; ROLLBACK TO s; COMMIT" ],
	[ 'an exception', "DO \$\$BEGIN PERFORM pegs_fit_slices('days', 'event', most => 1); RAISE division_by_zero; EXCEPTION WHEN division_by_zero THEN END\$\$" ],
	[ 'a later error', "BEGIN; $fit; SELECT 1 / 0; COMMIT" ], [ 'synchronous_commit = off', "BEGIN; SET LOCAL synchronous_commit = off; $fit; ROLLBACK" ])
{
	my ($name, $sql) = @$lost;
	my $before = used();

	error($sql);
	state_is($before + 1, 1, "$name: lost");
}
my $open = $pegs->background('curator');
$open->query_safe("BEGIN; $fit");
is(used(), 7, 'an open transaction: used up');
is(error($fit), '55P03', 'another session is told at once');
$pegs->kill_backend($pegs->value("SELECT pid FROM pg_stat_activity WHERE usename = 'curator' AND state = 'idle in transaction'"));
eval { $open->quit };
state_is(7, 1, 'a crash gives nothing back');
# WAL that is only in shared memory is lost by a crash of the server. Who else would flush it is stopped, and a plain nextval
# after the fit tells whether anybody has (as in 002_crash.pl): the mark is on disk by itself
$pegs->value("CREATE SEQUENCE witness; GRANT USAGE ON SEQUENCE witness TO curator; SELECT setval('witness', 1); CHECKPOINT");
$open = $pegs->background('curator');
my $writer = $pegs->value("SELECT pid FROM pg_stat_activity WHERE backend_type = 'walwriter'");
my @all = $pegs->processes;
kill 'STOP', $writer or die "kill $writer: $!";
$open->query_safe("BEGIN; SET LOCAL synchronous_commit = off; $fit; SELECT nextval('witness')");
$pegs->kill_server(@all);
eval { $open->quit };
state_is(8, 1, 'nor does one of the server');
is($pegs->value('SELECT last_value FROM witness'), 1, 'by which WAL was lost that the mark has not flushed');
is(error("BEGIN; $fit; PREPARE TRANSACTION 'x'"), 'none', 'prepared');
is(used(), 9, 'used up');
is(error($fit), '55P03', 'nobody waits for it');
$pegs->as('curator', "ROLLBACK PREPARED 'x'");
state_is(9, 1, 'rolled back: lost');
is(error($fit), 'none', 'and the next one');
state_is(10, 2, 'is fitted');

my $used = used();

# ---- twenty at once ----

my @run = map { $pegs->start_psql('curator', "SELECT pegs_fit_slices('days', 'event', most => 1);") } 1 .. 20;
$pegs->finish($_) for @run;
my $fitted = grep { $_->{out} =~ /^1$/m } @run;
my %said;
$said{$_}++ for map { $_->{err} =~ /ERROR:  ?(\w{5})/ ? $1 : () } @run;
ok($fitted >= 1, "of twenty sessions some fit: $fitted");
is($fitted + ($said{'55P03'} || 0) + ($said{'40001'} || 0), 20, 'the others are told so');
state_is($used + $fitted, 2 + $fitted, 'as many are used up as were fitted');
is($pegs->value("SELECT count(*) = count(DISTINCT slice ->> 'from') FROM pegs_internal.model WHERE grid IS NOT NULL"), 't', 'none of them twice');
@run = map { $pegs->start_psql('curator', "SELECT pegs_fit_slices('other$_', 'event', most => 1);") } 1 .. 5;
$pegs->finish($_) for @run;
is((grep { $_->{out} =~ /^1$/m } @run) + 0, 0, 'another name fits none of them');

# ---- hands, and what was set back ----

$used = used();
my $sequence = $pegs->value('SELECT used FROM pegs_internal.grid');
$pegs->value("GRANT UPDATE ON SEQUENCE $sequence TO analyst");
is(error($fit), '55000', 'a right on the sequence');
$pegs->value("REVOKE ALL ON SEQUENCE $sequence FROM analyst; GRANT UPDATE ON pegs_internal.grid TO analyst");
is(error($fit), '55000', 'or on the table');
$pegs->value("REVOKE ALL ON pegs_internal.grid FROM analyst");
$pegs->value("SELECT setval('$sequence', 2 * 86400000000::bigint)");
is(error($fit), '55000', 'set back');
$pegs->value("SELECT setval('$sequence', $used * 86400000000::bigint)");
is(error($fit), 'none', 'put right');

# ---- a standby ----

$pegs->as('curator', "SELECT pegs_grant('days', 'analyst'); SELECT pegs_fit_slices('days', 'event', most => 5)");
$used = used();
my $rows = "SELECT md5(string_agg(t::text, ',' ORDER BY n)) FROM (SELECT row_number() OVER () AS n, t FROM pegs_sample_slices('days') AS t(at date, kind text)) AS t";
my $seen = $pegs->analyst($rows);
$node->backup('b');
my $standby = PostgreSQL::Test::Cluster->new('slices_standby');
$standby->init_from_backup($node, 'b', has_streaming => 1);
$standby->start;
$node->wait_for_catchup($standby);
is($standby->safe_psql('postgres', $rows, extra_params => [ '-U', 'analyst' ]), $seen, 'a standby gives the same rows');
my ($code, undef, $err) = $standby->psql('postgres', $fit, extra_params => [ '-U', 'curator', '-v', 'VERBOSITY=sqlstate' ]);
like($err, qr/25006/, 'and fits none');
$standby->promote;
($code, undef, $err) = $standby->psql('postgres', $fit, extra_params => [ '-U', 'curator', '-v', 'VERBOSITY=sqlstate' ]);
like($err, qr/55000/, 'nor when it is promoted');
$standby->stop('immediate');

# ---- copies ----

my $file = $PostgreSQL::Test::Utils::tmp_check . '/slices';
command_ok([ 'pg_dump', '-d', $node->connstr('postgres'), '-f', $file ], 'pg_dump');
$node->safe_psql('postgres', 'CREATE DATABASE copy');
command_ok([ 'psql', '-X', '-v', 'ON_ERROR_STOP=1', '-d', $node->connstr('copy'), '-f', $file ], 'restored');
$node->safe_psql('postgres', 'CREATE DATABASE twin TEMPLATE copy');
for my $copy ('copy', 'twin')
{
	$pegs->{db} = $copy;
	is(scalar $pegs->analyst($rows), $seen, "$copy: the same rows");
	is(used(), $used, "$copy: as many used up");
	is(error($fit), '55000', "$copy: no slice is fitted");
	$pegs->value("SELECT pegs_adopt('event', 10, 'it is used from now on', 1e-7)");
	is(error($fit), '55000', "$copy: nor when its budget is adopted");
	is(error($set), 'none', "$copy: set anew");
	is($pegs->spent('event'), PegsLedger::units(91), "$copy: for another charge");
	is(error($fit), 'none', "$copy: fitted");
	is(used(), 1, "$copy: from the origin on");
}
$pegs->{db} = 'postgres';
is(error($fit), 'none', 'the original goes on');
is(used(), $used + 1, 'where it was');

# loaded again over what is there
my $data = $pegs->value("SELECT format('SELECT setval(%L, %s)', used, 86400000000) FROM pegs_internal.grid");
$pegs->value($data);
is(error($fit), '55000', 'data of a dump, loaded over it');

done_testing();
