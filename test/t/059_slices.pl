# long: run by make test-all (test/run long), not by make test
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
sub used { return $pegs->value("SELECT coalesce(pg_sequence_last_value(used), 0) / 86400000000 FROM pegs_internal.grid WHERE slices IS NULL") }
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

# ---- rows as they were before the guard ----

$used = used();
is(error("BEGIN ISOLATION LEVEL $_; $fit; COMMIT"), '25001', "not in a transaction that is $_") for 'REPEATABLE READ', 'SERIALIZABLE';
is(used(), $used, 'nothing is used up');

# ---- hands, and what was set back ----

$used = used();
my $sequence = $pegs->value('SELECT used FROM pegs_internal.grid WHERE slices IS NULL');
$pegs->value("GRANT UPDATE ON SEQUENCE $sequence TO analyst");
is(error($fit), '55000', 'a right on the sequence');
$pegs->value("REVOKE ALL ON SEQUENCE $sequence FROM analyst; GRANT UPDATE ON pegs_internal.grid TO analyst");
is(error($fit), '55000', 'or on the table');
$pegs->value("REVOKE ALL ON pegs_internal.grid FROM analyst");
$pegs->value("SELECT setval('$sequence', 2 * 86400000000::bigint)");
is(error($fit), '55000', 'set back');
$pegs->value("SELECT setval('$sequence', $used * 86400000000::bigint)");
is(error($fit), 'none', 'put right');

# ---- a condition as pegs_slice_range writes it prunes parts (what a fit reads is in no plan that is shown, and no statistics) ----

for my $type ('date', 'timestamp', 'timestamptz')
{
	my $plan = $pegs->value("CREATE TABLE parted (at $type NOT NULL) PARTITION BY RANGE (at); CREATE TABLE parted_1 PARTITION OF parted FOR VALUES FROM ('2026-01-01 00:00Z') TO ('2026-02-01 00:00Z');
		CREATE TABLE parted_2 PARTITION OF parted FOR VALUES FROM ('2026-02-01 00:00Z') TO ('2026-03-01 00:00Z');
		EXPLAIN (COSTS OFF) SELECT FROM parted WHERE at OPERATOR(pg_catalog.>=) pg_catalog.$type '2026-01-01 00:00Z' AND at OPERATOR(pg_catalog.<) pg_catalog.$type '2026-02-01 00:00Z'; DROP TABLE parted");
	like($plan, qr/parted_1/, "$type: a month is read");
	unlike($plan, qr/parted_2/, "$type: and no other part");
}

# ---- by a list: places in it are used up likewise ----

my $listing = sub { my ($table, $type, $values) = @_; return "CREATE TABLE $table (region $type NOT NULL, kind text NOT NULL CHECK (kind IN ('a', 'b', 'c'))) PARTITION BY LIST (region);
	CREATE TABLE ${table}_1 PARTITION OF $table FOR VALUES IN ('r1', 'r2'); CREATE TABLE ${table}_2 PARTITION OF $table DEFAULT; ALTER TABLE $table OWNER TO curator; ALTER TABLE ${table}_1 OWNER TO curator; ALTER TABLE ${table}_2 OWNER TO curator;
	INSERT INTO $table SELECT ('r' || i % 6)::$type, substr('abc', 1 + i % 3, 1) FROM generate_series(1, 600) AS i;
	CREATE TRIGGER keep BEFORE UPDATE ON $table FOR EACH ROW EXECUTE FUNCTION pegs_keep_slices('region'); ALTER TABLE $table ENABLE ALWAYS TRIGGER keep; SELECT pegs_set_budget('$table', 10, 1e-6, 'sum');" };
$pegs->value($listing->('living', 'text') . "SELECT pegs_set_slices('living', 'region', slices => ARRAY['r0', 'r1', 'r2'], epsilon => 1, delta => 1e-9)");
is(error("SELECT pegs_fit_slices('of living', 'living', most => 1)"), 'none', 'the first of three');
$pegs->value("CREATE TYPE place AS ENUM ('r0', 'r1', 'r2', 'r3', 'r4', 'r5'); ALTER TYPE place OWNER TO curator;" . $listing->('listed', 'text') . $listing->('placed', 'place'));
my %by_list = map { $_ => "SELECT pegs_set_slices('$_', 'region', slices => ARRAY['r5', 'r1', 'r2', 'r3', 'r4', 'r0'], epsilon => 1, delta => 1e-9)" } 'listed', 'placed';
my %place = map { $_ => "SELECT pegs_fit_slices('of $_', '$_', most => 1)" } 'listed', 'placed';
my %listed = (listed => "SELECT md5(string_agg(t::text, ',' ORDER BY t::text)) FROM pegs_sample_slices('of listed') AS t(region text, kind text)",
	placed => "SELECT md5(string_agg(t::text, ',' ORDER BY t::text)) FROM pegs_sample_slices('of placed') AS t(region place, kind text)");

# How many places of a list are used up, and how many slices there are to be read.
sub places
{
	my ($table) = @_;

	return $pegs->value("SELECT coalesce(pg_sequence_last_value(g.used), 0) || ' ' || (SELECT count(*) FROM pegs_slices WHERE model = 'of $table')
		FROM pegs_internal.grid AS g JOIN pegs_internal.budget AS b ON b.id = g.budget WHERE b.source = '$table'::regclass");
}

is(error("BEGIN; $by_list{listed}; $place{listed}; COMMIT"), '55000', 'a list: set and fitted in one transaction');
is(error($by_list{$_}), 'none', "$_: set") for 'listed', 'placed';
is(error("BEGIN; $place{listed}; ROLLBACK"), 'none', 'fitted, and rolled back');
is(places('listed'), '1 0', 'lost');
is(error($place{listed}), 'none', 'the next one');
is(places('listed'), '2 1', 'is fitted');
is($pegs->value("SELECT value FROM pegs_slices WHERE model = 'of listed'"), 'r1', 'the second of the list');
for my $table ('listed', 'placed')
{
	unlike($pegs->value("EXPLAIN (COSTS OFF) SELECT kind FROM $table WHERE region OPERATOR(pg_catalog.=) 'r1'"), qr/${table}_2/, "$table: such a condition prunes partitions");
	unlike($pegs->value("EXPLAIN (COSTS OFF) SELECT kind FROM $table WHERE region OPERATOR(pg_catalog.=) ANY ('{r1,r2}')"), qr/${table}_2/, "$table: and such a one");
}
$open = $pegs->background('curator');
@all = $pegs->processes;
$open->query_safe("BEGIN; SET LOCAL synchronous_commit = off; $place{listed}");
$pegs->kill_server(@all);
eval { $open->quit };
is(places('listed'), '3 1', 'a crash gives nothing back');
@run = map { $pegs->start_psql('curator', "$place{listed};") } 1 .. 10;
$pegs->finish($_) for @run;
$fitted = grep { $_->{out} =~ /^1$/m } @run;
ok($fitted >= 1 && $fitted <= 3, "of ten sessions some fit: $fitted");
is(places('listed'), (3 + $fitted) . ' ' . (1 + $fitted), 'as many are used up');

# ---- labels of an enum: nobody renames one while a slice is fitted ----

$open = $pegs->background('curator');
$open->query_safe("BEGIN; $place{placed}");
is(error("SET lock_timeout = '1s'; ALTER TYPE place RENAME VALUE 'r1' TO 'r9'"), '55P03', 'who renames a label waits');
$open->query_safe('COMMIT');
$open->quit;
is(error("ALTER TYPE place RENAME VALUE 'r1' TO 'r9'"), 'none', 'until it is fitted');
is(error($place{placed}), '55000', 'and then nothing is');
is(places('placed'), '1 1', 'nor used up');
is(error("ALTER TYPE place RENAME VALUE 'r9' TO 'r1'; $place{placed}"), 'none', 'under its old name it is');
is(places('placed'), '2 2', 'once');

# ---- a standby ----

$pegs->as('curator', "SELECT pegs_grant('days', 'analyst'); SELECT pegs_fit_slices('days', 'event', most => 5)");
$used = used();
my $rows = "SELECT md5(string_agg(t::text, ',' ORDER BY n)) FROM (SELECT row_number() OVER () AS n, t FROM pegs_sample_slices('days') AS t(at date, kind text)) AS t";
my $seen = $pegs->analyst($rows);
my %seen = map { $_ => $pegs->value($listed{$_}) } 'listed', 'placed';
$node->backup('b');
my $standby = PostgreSQL::Test::Cluster->new('slices_standby');
$standby->init_from_backup($node, 'b', has_streaming => 1);
$standby->start;
$node->wait_for_catchup($standby);
is($standby->safe_psql('postgres', $rows, extra_params => [ '-U', 'analyst' ]), $seen, 'a standby gives the same rows');
my ($code, undef, $err) = $standby->psql('postgres', $fit, extra_params => [ '-U', 'curator', '-v', 'VERBOSITY=sqlstate' ]);
like($err, qr/25006/, 'and fits none');
is($standby->safe_psql('postgres', $listed{$_}), $seen{$_}, "$_: the same rows") for 'listed', 'placed';
$standby->promote;
for my $sql ($fit, $place{listed}, $place{placed})
{
	($code, undef, $err) = $standby->psql('postgres', $sql, extra_params => [ '-U', 'curator', '-v', 'VERBOSITY=sqlstate' ]);
	like($err, qr/55000/, "nor when it is promoted: $sql");
}

# where a promotion is allowed slices are where their account is: fitted, and at home when the budget is said again
sub promoted_error { my (undef, undef, $err) = $standby->psql('postgres', $_[0], extra_params => [ '-U', 'curator', '-v', 'VERBOSITY=sqlstate' ]); return ($err =~ /ERROR:  ?(\w{5})/)[0] || 'none' }
sub after_promotion
{
	my ($value) = @_;
	$standby->append_conf('postgresql.conf', "pegs.after_promotion = $value");
	$standby->reload;
	$standby->poll_query_until('postgres', "SELECT current_setting('pegs.after_promotion') = '$value'") or die 'the setting did not arrive';
	return;
}
after_promotion('allow');
is(promoted_error($fit), 'none', 'but where that is allowed');
after_promotion('refuse');
is(promoted_error($fit), '55000', 'not any more');
after_promotion('allow');
is(promoted_error("SELECT pegs_set_budget('event', 100, 1e-6)"), 'none', 'the budget is said again');
after_promotion('refuse');
is(promoted_error("SELECT pegs_fit('whole', 'event', ARRAY['kind'], epsilon => 1)"), 'none', 'then its account is here');
is(promoted_error($fit), 'none', 'and so are its slices');
$standby->stop('immediate');

# ---- copies ----

# of a restored table the columns behind one that was dropped have other numbers
$pegs->value("CREATE TABLE shifted (gone int, region text, kind text NOT NULL CHECK (kind IN ('a', 'b'))); CREATE TRIGGER keep BEFORE UPDATE ON shifted FOR EACH ROW EXECUTE FUNCTION pegs_keep_slices('region');
	ALTER TABLE shifted ENABLE ALWAYS TRIGGER keep; ALTER TABLE shifted DROP COLUMN gone; ALTER TABLE shifted OWNER TO curator; SELECT pegs_set_budget('shifted', 10)");
is(error("SELECT pegs_set_slices('shifted', 'region', epsilon => 1, slices => ARRAY['r0', 'r1', 'r2']); SELECT 1"), 'none', 'shifted: set');
is(error("SELECT pegs_fit_slices('of shifted', 'shifted', most => 1)"), 'none', 'shifted: the first');
my $file = $PostgreSQL::Test::Utils::tmp_check . '/slices';
command_ok([ 'pg_dump', '-d', $node->connstr('postgres'), '-f', $file ], 'pg_dump');
$node->safe_psql('postgres', 'CREATE DATABASE copy');
command_ok([ 'psql', '-X', '-v', 'ON_ERROR_STOP=1', '-d', $node->connstr('copy'), '-f', $file ], 'restored');
$node->safe_psql('postgres', "CREATE DATABASE $_ TEMPLATE copy") for 'twin', 'alone', 'later';
for my $copy ('copy', 'twin')
{
	$pegs->{db} = $copy;
	is(scalar $pegs->analyst($rows), $seen, "$copy: the same rows");
	is(used(), $used, "$copy: as many used up");
	is(error($fit), '55000', "$copy: no slice is fitted");
	for my $table ('listed', 'placed')
	{
		is($pegs->value($listed{$table}), $seen{$table}, "$copy: the same rows of $table");
		is(error($place{$table}), '55000', "$copy: none of $table is fitted");
	}
	$pegs->value("SELECT pegs_adopt('event', 10, 'it is used from now on', 1e-7)");
	is(error($fit), '55000', "$copy: nor when its budget is adopted");
	is(error("SELECT pegs_set_budget('event', 100, 1e-6); $fit"), '55000', "$copy: nor when that is said again");
	is(error("SELECT pegs_set_slices('event', 'at', '1 month', '2026-01-01', 1)"), '55000', "$copy: none are set beside them");
	is($pegs->spent('event'), PegsLedger::units(90), "$copy: nothing was charged");
	is(error("SELECT pegs_unset_slices('event'); $set"), 'none', "$copy: given up, and set anew");
	is($pegs->spent('event'), PegsLedger::units(91), "$copy: for another charge");
	is(error($fit), 'none', "$copy: fitted");
	is(used(), 1, "$copy: from the origin on");
	$pegs->value("SELECT pegs_adopt('placed', 9, 'it is used from now on', 1e-7)");
	is(error("SELECT pegs_unset_slices('placed'); $by_list{placed}; $place{placed}"), 'none', "$copy: a list, set anew, with the numbers that its enum has here");
	is(places('placed'), '1 3', "$copy: from the first value on");
}

# ---- the one copy that lives on: a superuser says so ----

my $days = "(SELECT (now() AT TIME ZONE 'UTC')::date - date '2026-01-01')";
sub adopt { my ($until) = @_; return "SELECT pegs_adopt_slices('event', $until, 'the original is gone')" }
sub super_error { my ($sql) = @_; my (undef, $err) = $pegs->as('postgres', $sql); return ($err =~ /ERROR:  ?(\w{5})/)[0] || 'none' }
$pegs->{db} = 'alone';
is(super_error(adopt("'-infinity'")), '55000', 'adopted: not before their account');
$pegs->value("SELECT pegs_adopt('event', 10, 'the original is gone', 1e-7); GRANT EXECUTE ON FUNCTION pegs_adopt_slices TO curator");
is(error(adopt("'-infinity'")), '42501', 'not by a curator');
is(super_error(adopt("now() + interval '1 second'")), '22023', 'not as if they could be fitted elsewhere later');
is(super_error(adopt("'infinity'")), '22023', 'nor for ever');
is(super_error("BEGIN READ ONLY; " . adopt("'-infinity'")), '25006', 'not in a read-only transaction');
is(used() . ' ' . error($fit), "$used 55000", 'nothing of it has changed anything');
is(super_error('BEGIN; ' . adopt("'2026-02-10 12:00Z'") . '; ROLLBACK'), 'none', 'rolled back');
is(used() . ' ' . error($fit), '40 55000', 'they are a copy still, and what was given up is');
is(super_error('BEGIN; ' . adopt("'-infinity'") . "; $fit; COMMIT"), '55000', 'adopted and fitted in one transaction');
is(error($fit), '55000', 'a copy still');
is(super_error(adopt("'-infinity'")), 'none', 'adopted');
is(used(), 40, 'no mark falls');
my $lines = $pegs->value("SELECT string_agg(concat_ws(' ', role, object, epsilon_from = epsilon_to, reason), '; ') FROM pegs_ledger WHERE action = 'adopt' AND object IS NOT NULL");
is($lines, 'postgres slices at by 1 day t the original is gone', 'the ledger has a line, which charges nothing');
is($pegs->value("SELECT bool_and(ok) FROM pegs_verify_ledger('event')"), 't', 'and is whole');
is(error($fit), 'none', 'then they are fitted');
is(used(), 41, 'each once: from there on');
is($pegs->spent('event'), PegsLedger::units(90), 'for nothing more');
is(scalar $pegs->value("SELECT max(lower) FROM pegs_slices"), '2026-02-10', 'the first that was not complete at that time');
is(super_error(adopt("'2026-01-05Z'")), 'none', 'adopted again, of an older time');
is(used(), 41, 'nothing falls');
is(error($fit), 'none', 'the next one');
is($pegs->value('SELECT count(*) = count(DISTINCT (grid, slice)) FROM pegs_internal.model WHERE grid IS NOT NULL'), 't', 'none was fitted twice');
# of a list no clock says what was fitted: what is known here, or all
$pegs->value("SELECT pegs_adopt('$_', 8, 'the original is gone', 1e-7)") for 'living', 'placed';
is(super_error("SELECT pegs_adopt_slices('$_', '-infinity', 'the original is gone')"), 'none', "$_: adopted") for 'living', 'placed';
is(error("SELECT pegs_fit_slices('of living', 'living', most => 1)"), 'none', 'living: fitted');
is(places('living'), '2 2', 'living: the next place');
is(error($place{placed}), '55000', 'placed: the values of its enum are others here');
is(super_error("SELECT pegs_adopt_slices('living', '2026-01-05Z', 'the original is gone')"), 'none', 'living: adopted again, of any time');
is(places('living'), '3 2', 'living: all is given up');
is($pegs->value("SELECT pegs_fit_slices('of living', 'living')"), '0', 'living: none is left');
$pegs->value("SELECT pegs_adopt('shifted', 8, 'the original is gone')");
is(super_error("SELECT pegs_adopt_slices('shifted', '-infinity', 'the original is gone')"), 'none', 'shifted: adopted');
is(error("SELECT pegs_fit_slices('of shifted', 'shifted', most => 1)"), 'none', 'shifted: the column has another number here, and is the one of its name');
is(places('shifted'), '2 2', 'shifted: the next place');
$pegs->value("ALTER TABLE shifted RENAME region TO other; ALTER TABLE shifted ADD region text; CREATE OR REPLACE TRIGGER keep BEFORE UPDATE ON shifted FOR EACH ROW EXECUTE FUNCTION pegs_keep_slices('region'); ALTER TABLE shifted ENABLE ALWAYS TRIGGER keep");
is(super_error("SELECT pegs_adopt_slices('shifted', '-infinity', 'the original is gone')"), 'none', 'shifted: adopted where they are kept');
is(error("SELECT pegs_fit_slices('of shifted', 'shifted', most => 1)"), '55000', 'shifted: there its number says which it is');
like(PostgreSQL::Test::Utils::slurp_file($node->logfile), qr/the slices region by 3 values of table "living" were adopted: those from r1 on, in the order of the list, may be fitted here/, 'the log says which');
like(PostgreSQL::Test::Utils::slurp_file($node->logfile), qr/the slices region by 3 values of table "living" were adopted: none of them may be fitted here/, 'and that none is');
$pegs->{db} = 'later';
$pegs->value("SELECT pegs_adopt('event', 10, 'the original is gone', 1e-7)");
(undef, undef, $err) = $node->psql('later', $fit, extra_params => [ '-U', 'curator' ]);
my ($paste) = $err =~ /HINT: .*?(SELECT pegs_adopt_slices\(.*?\);)/;
is($pegs->value("SELECT count(*) FROM pegs_health() WHERE item = 'slices of public.event' AND NOT ok AND strpos(remedy, \$\$$paste\$\$) > 0"), '1', 'pegs_health has the same HINT');
$pegs->value($paste);
is(used(), $pegs->value("SELECT $days"), 'the HINT, pasted: what was complete until now is given up');
is($pegs->value("SELECT count(*) FROM pegs_health() WHERE item = 'slices of public.event'"), '0', 'and pegs_health says nothing more');

$pegs->{db} = 'postgres';
is(error($fit), 'none', 'the original goes on');
is(used(), $used + 1, 'where it was');

# loaded again over what is there
my $data = $pegs->value("SELECT format('SELECT setval(%L, %s)', used, 86400000000) FROM pegs_internal.grid WHERE slices IS NULL");
$pegs->value($data);
is(error($fit), '55000', 'data of a dump, loaded over it');
is(super_error(adopt("'-infinity'")), 'none', 'adopted in its place');
is(used(), $used + 1, 'what models say is used up');
is(error($fit), 'none', 'the next one');

# and the numbers of grids: one is the last of all, whatever the ledger knows
$pegs->value("UPDATE pegs_internal.grid SET id = 10000000 WHERE slices IS NOT NULL AND budget = (SELECT id FROM pegs_internal.budget WHERE source = 'living'::regclass);
	SELECT setval(epsilon_spent, 1) FROM pegs_internal.budget WHERE source = 'event'::regclass; SELECT setval('pegs_internal.object_id', 1); SELECT pegs_adopt('event', 1, 'loaded again', 0)");
is($pegs->value('SELECT last_value >= 10000000 FROM pegs_internal.object_id'), 't', 'no number of a grid comes again');

done_testing();
