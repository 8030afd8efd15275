# long: run by make test-all (test/run long), not by make test
# A copy of a budget cannot be spent until a superuser adopts it: dump and restore, template, point in time, promotion,
# pg_upgrade. What is no copy (a restart, a crash, a rename) goes on. Law L2, claim P5; A-18.
#
# The original goes on spending after each copy was made: that is what a copy would refund.
use strict;
use warnings;
use Test::More;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use PegsLedger;

my $tmp = $PostgreSQL::Test::Utils::tmp_check;
my $pegs = PegsLedger->new('primary', init => [ allows_streaming => 1, has_archiving => 1 ],
	conf => "restart_after_crash = on\n");
my $primary = $pegs->node;
my $columns = $PegsLedger::columns;

$pegs->set_up_free;
$pegs->analyst('BEGIN; SELECT count(*) FROM ' . $pegs->sample . '; ROLLBACK');
my $free = $pegs->free_rows;
like($free, qr/^(500\|\w{32} ?){3}$/, 'the free rows are there');

# Slices of another table are a copy wherever their account is.
$pegs->value("CREATE TABLE daily (at date NOT NULL, kind text NOT NULL CHECK (kind IN ('a', 'b'))); INSERT INTO daily SELECT date '2026-01-01' + i % 60, 'a' FROM generate_series(1, 600) AS i;
	CREATE TRIGGER keep BEFORE UPDATE ON daily FOR EACH ROW EXECUTE FUNCTION pegs_keep_slices('at'); ALTER TABLE daily ENABLE ALWAYS TRIGGER keep");
$pegs->value("SELECT pegs_set_budget('daily', 10, 1e-6)");
$pegs->value("SELECT pegs_set_slices('daily', 'at', '1 day', '2026-01-01', 1, 1e-9)");
my $slice = "SELECT pegs_fit_slices('days', 'daily', most => 1)";

sub at { my ($node, $db) = @_; return bless { node => $node, db => $db || 'postgres' }, 'PegsLedger' }

# The original spends; what the copy has is less.
sub original_spends
{
	my ($name) = @_;
	$pegs->charges("$name: the original goes on", 0.1, sub { scalar $pegs->analyst('SELECT count(*) FROM ' . $pegs->sample) });
	return;
}

sub is_a_copy
{
	my ($name, $there, $from, $free_rows) = @_;
	my (undef, $err) = $there->as('postgres', "\\set VERBOSITY default\n$slice");

	like($err, qr/ERROR:  the slices of public\.daily are a copy$/m, "$name: no slice is fitted");
	$there->is_a_copy($name, $from, $free_rows);
	return;
}

sub spent_is_of_the_copy
{
	my ($name, $there, $spent) = @_;
	is($there->spent, $spent, "$name: spent is what was copied");
	cmp_ok($there->spent, '<', $pegs->spent, "$name: the original has spent more") if $primary->{_pid};
	return;
}

# ---- no copies ----

sub at_home
{
	my ($name, $here) = @_;
	$here ||= $pegs;
	is($here->copied_from, '', "A-18 $name: no copy");
	$here->charges("A-18 $name", 0.1, sub { scalar $here->analyst('SELECT count(*) FROM ' . $here->sample) });
	is($here->value($slice), '1', "A-18 $name: the next slice is fitted");
	return;
}

at_home('where it was made');
$primary->restart;
at_home('after a restart');
$primary->stop('immediate');
$primary->start;
at_home('after an immediate stop');
$pegs->kill_server;
at_home('after SIGKILL of all processes');
$primary->safe_psql('template1', 'ALTER DATABASE postgres RENAME TO renamed');
at_home('after the database was renamed', at($primary, 'renamed'));
$primary->safe_psql('template1', 'ALTER DATABASE renamed RENAME TO postgres');
$pegs->value('ALTER TABLE visit RENAME TO visits; CREATE SCHEMA elsewhere AUTHORIZATION curator; ALTER TABLE visits SET SCHEMA elsewhere');
is($pegs->copied_from('elsewhere.visits'), '', 'A-18 after the table was renamed and moved: no copy');
$pegs->value('ALTER TABLE elsewhere.visits SET SCHEMA public; ALTER TABLE visits RENAME TO visit; VACUUM FULL visit; REINDEX TABLE visit');
at_home('after the table was rewritten');
$pegs->value('VACUUM FULL pegs_internal.budget; REINDEX TABLE pegs_internal.budget');
at_home('after the budgets were rewritten');

# ---- a template ----

my $spent = $pegs->spent;
$primary->safe_psql('template1', 'CREATE DATABASE template_copy TEMPLATE postgres');
original_spends('A-18 template');
my $there = at($primary, 'template_copy');
spent_is_of_the_copy('A-18 template', $there, $spent);
is_a_copy('A-18 template', $there, qr/^in another database of this cluster$/, $free);

# The original's name does not make it the original.
$primary->safe_psql('template1', 'ALTER DATABASE postgres RENAME TO original; ALTER DATABASE template_copy RENAME TO postgres');
like(at($primary, 'postgres')->copied_from, qr/another database/, 'A-18 template: still a copy under the name of the original');
$primary->safe_psql('template1', 'ALTER DATABASE postgres RENAME TO template_copy; ALTER DATABASE original RENAME TO postgres');
$there->adopts_by_hint('A-18 template');
at_home('the original beside its template copy');

# A copy of an adopted copy is a copy.
$primary->safe_psql('template1', 'CREATE DATABASE second TEMPLATE template_copy');
like(at($primary, 'second')->copied_from, qr/another database/, 'A-18 template of an adopted copy: a copy');
$primary->safe_psql('template1', 'DROP DATABASE second');

# ---- a dump in another database, and in another cluster ----

# A dump has no tables of a sealed model: it is fitted again, for nothing.
sub fit_again
{
	my ($there) = @_;
	$there->value("SELECT pegs_drop('m'); SELECT pegs_fit('m', 'visit', parents => '{}'); SELECT pegs_grant('m', 'analyst', epsilon => 1000)");
	return;
}

$spent = $pegs->spent;
command_ok([ 'pg_dump', '-d', $primary->connstr('postgres'), '-f', "$tmp/dump.sql" ], 'pg_dump');
command_ok([ 'pg_dumpall', '--globals-only', '-d', $primary->connstr('postgres'), '-f', "$tmp/globals.sql" ], 'pg_dumpall');
original_spends('A-18 dump');
$primary->safe_psql('template1', 'CREATE DATABASE dump_copy TEMPLATE template0');
$primary->psql('dump_copy', '', extra_params => [ '-f', "$tmp/dump.sql" ]);
$there = at($primary, 'dump_copy');
spent_is_of_the_copy('A-18 dump, another database', $there, $spent);
fit_again($there);
is_a_copy('A-18 dump, another database', $there, qr/^in another database of this cluster$/, $free);
$there->adopts_by_hint('A-18 dump, another database');

my $other = PostgreSQL::Test::Cluster->new('other');
$other->init;
# does not help in another cluster
$other->append_conf('postgresql.conf', "autovacuum = off\npegs.after_promotion = allow\n");
$other->start;
$other->psql('postgres', '', extra_params => [ '-f', "$tmp/globals.sql" ], on_error_stop => 0);	# the superuser exists
$other->psql('postgres', '', extra_params => [ '-f', "$tmp/dump.sql" ]);
$there = at($other);
spent_is_of_the_copy('A-18 dump, another cluster', $there, $spent);
fit_again($there);
is_a_copy('A-18 dump, another cluster', $there, qr/^in another cluster$/, $free);
# as in the original, this database may have the very same number: the first one of a cluster has
is($there->value("SELECT count(*) FROM pegs_internal.budget WHERE timeline = 1 AND database <> (SELECT oid FROM pg_database WHERE datname = 'postgres')"),
	0, 'A-18 dump, another cluster: number and timeline of the database do not tell it apart');
$there->adopts_by_hint('A-18 dump, another cluster');

# ---- pg_upgrade: the files are copied, the cluster is another ----

SKIP:
{
	my $bindir = $other->config_data('--bindir');

	skip('there is no pg_upgrade', 1) unless -x "$bindir/pg_upgrade";
	$there->value("SELECT pegs_set_budget('visit', 2000" . ($PegsLedger::in_rho ? ', 1e-6)' : ')'));
	$spent = $there->spent;
	my $rows = $there->free_rows;
	$other->stop;
	my $upgraded = PostgreSQL::Test::Cluster->new('upgraded');
	$upgraded->init;
	chdir $tmp or die "$tmp: $!";	# it writes files where it is
	command_ok([ 'pg_upgrade', '-b', $bindir, '-B', $bindir, '-d', $other->data_dir, '-D', $upgraded->data_dir,
		'-s', $upgraded->host, '-p', $other->port, '-P', $upgraded->port ], 'pg_upgrade');
	$upgraded->append_conf('postgresql.conf', "autovacuum = off\n");
	$upgraded->start;
	$there = at($upgraded);
	is($there->spent, $spent, 'A-18 pg_upgrade: spent is what was copied');
	is_a_copy('A-18 pg_upgrade', $there, qr/^in another cluster$/, $rows);
	$there->adopts_by_hint('A-18 pg_upgrade');
	$upgraded->stop;
}

# ---- a backup, recovered to a moment before the last charges: the refund of A.5 ----

$primary->backup('base');
original_spends('A-18 point in time');
$spent = $pegs->spent;
$pegs->value("SELECT pg_create_restore_point('before')");
original_spends('A-18 point in time');
my $segment = $pegs->value('SELECT pg_walfile_name(pg_switch_wal())');
# recovery to a point that is not in the archive yet fails
$primary->poll_query_until('postgres', "SELECT last_archived_wal COLLATE \"C\" >= '$segment' FROM pg_stat_archiver") or die "$segment is not archived";

# Any database of the primary was copied with it: one of them was at home there, the others were not.
sub recovered
{
	my ($name, $target) = @_;
	my $node = PostgreSQL::Test::Cluster->new($name);
	$node->init_from_backup($primary, 'base', has_restoring => 1, standby => 0);
	# its own history must not get into the archive of the original
	$node->append_conf('postgresql.conf', "archive_mode = off\nrecovery_target_action = promote\n$target\n");
	$node->start;
	$node->poll_query_until('postgres', 'SELECT NOT pg_is_in_recovery()') or die "$name: still recovering";
	return $node;
}

my $node = recovered('point_in_time', "recovery_target_name = 'before'");
$there = at($node);
spent_is_of_the_copy('A-18 point in time', $there, $spent);
is_a_copy('A-18 point in time', $there, qr/^before a promotion or a recovery \(timeline 1, now 2\)$/, $free);
$there->adopts_by_hint('A-18 point in time');
$node->restart;
is($there->copied_from, '', 'A-18 point in time: adopted, also after a restart');
like(at($node, 'template_copy')->copied_from, qr/^before a promotion/, 'A-18 point in time: what was adopted in the original is a copy');
$node->stop;

# The same to the end of the archive: as much as the original had spent is no excuse.
$node = recovered('end_of_archive', '');
$there = at($node);
is($there->spent, $pegs->spent, 'A-18 end of the archive: spent is that of the original');
$there->refuses('A-18 end of the archive', '55000', 'SELECT * FROM ' . $there->sample);
$node->stop;

# A backup that is started as it is, without recovery.signal, goes on on its timeline: its files tell (test/t/028_same_number.pl).
$node = PostgreSQL::Test::Cluster->new('as_it_is');
$node->init_from_backup($primary, 'base');
$node->append_conf('postgresql.conf', "archive_mode = off\n");
$node->start;
$there = at($node);
cmp_ok($there->spent, '<', $pegs->spent, 'A-18 a backup started as it is: the original has spent more');
is_a_copy('A-18 a backup started as it is', $there, qr/^in other files: the database was copied, moved or made again$/, $free);
$there->adopts_by_hint('A-18 a backup started as it is');
$node->stop;

# ---- a standby that lags, promoted: the lost tail ----

# the database was renamed above: said again, the account knows its row of pg_database as it is now (after_promotion, below)
$pegs->value("SELECT pegs_set_budget('visit', $PegsLedger::budget" . ($PegsLedger::in_rho ? ', 1e-6)' : ')'));
$pegs->value("SELECT pegs_set_budget('daily', 10, 1e-6)");
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($primary, 'base', has_streaming => 1);
$standby->start;
$primary->wait_for_catchup($standby, 'replay', $primary->lsn('write'));
$spent = $pegs->spent;
$there = at($standby);
is($there->copied_from, '', 'A-18 a standby is no copy');
$standby->stop;
original_spends('A-18 promotion');
my $spent_at_last = $pegs->spent;
$primary->stop('immediate');
$standby->start;
$standby->promote;
is($there->spent, $spent, 'A-18 promotion: spent is what was replayed');
cmp_ok($spent, '<', $spent_at_last, 'A-18 promotion: a charge is lost');
is_a_copy('A-18 promotion', $there, qr/^before a promotion or a recovery \(timeline 1, now 2\)$/, $free);

# ---- pegs.after_promotion: in the configuration file, and nowhere else ----

my $sample = 'SELECT * FROM ' . $there->sample . ';';
my $set = "SET pegs.after_promotion = 'allow';";

# Before the library is loaded the name is anybody's: what is written under it then must not last.
$there->refuses('after_promotion, SET before the library is loaded', '55000', "$set $sample");
$there->refuses('after_promotion, the same by a superuser', '55000', "$set $sample", 'postgres');
$there->refuses('after_promotion, SET LOCAL', '55000', "BEGIN; SET LOCAL pegs.after_promotion = 'allow'; $sample ROLLBACK");
$there->refuses('after_promotion, a function with SET', '55000', "
	CREATE SCHEMA mine; SET search_path = mine, public;
	CREATE FUNCTION taken() RETURNS bigint LANGUAGE plpgsql SET pegs.after_promotion = 'allow'
	AS \$\$ BEGIN RETURN (SELECT count(*) FROM ${\ $there->sample}); END \$\$; SELECT taken()", 'postgres');
{
	local $ENV{PGOPTIONS} = '-c pegs.after_promotion=allow';
	$there->refuses('after_promotion, in the options of the connection', '55000', $sample);
	$there->refuses('after_promotion, the same by a superuser', '55000', $sample, 'postgres');
}
# Afterwards it cannot be set at all.
my $load = 'SELECT count(*) FROM pegs_budgets;';	# reads no row of the analyst's, loads the library
for my $role ('analyst', 'postgres')
{
	for my $words ($set, "SELECT set_config('pegs.after_promotion', 'allow', false);", "ALTER ROLE analyst SET pegs.after_promotion = 'allow';",
		"ALTER DATABASE postgres SET pegs.after_promotion = 'allow';")
	{
		my (undef, $err) = $there->as($role, "$load $words");
		like($err, qr/ERROR:  (55P02|42501)$/m, "after_promotion: $words by $role is refused");
	}
}
# What a superuser wrote down before the library was loaded.
$there->value("ALTER ROLE analyst SET pegs.after_promotion = 'allow'; ALTER DATABASE postgres SET pegs.after_promotion = 'allow'");
$there->refuses('after_promotion, kept with the role and the database', '55000', $sample);
$there->value('ALTER ROLE analyst RESET pegs.after_promotion; ALTER DATABASE postgres RESET pegs.after_promotion');
my (undef, $err) = $there->analyst("ALTER SYSTEM SET pegs.after_promotion = 'allow'");
like($err, qr/ERROR:  42501$/m, 'after_promotion, ALTER SYSTEM by the analyst is refused');

# In the file: the promotion counts for nothing, another database still does.
my $session = $there->background('analyst');
my $count = 'SELECT count(*) FROM ' . $there->sample;
$session->query($count);
$standby->append_conf('postgresql.conf', "pegs.after_promotion = allow\n");
$standby->reload;
$standby->poll_query_until('postgres', "SELECT copied_from IS NULL FROM pegs_budgets WHERE source = 'visit'::regclass") or die 'the file was not read';
at_home('after_promotion = allow', $there);
# it reads the file before its next command, or the one after
$there->charges('after_promotion = allow, in a session that was there before', 0.1, sub { for (1 .. 100) { my $n = $session->query($count); return $n if $n } });
$session->quit;
$standby->safe_psql('template1', 'CREATE DATABASE copy_of_standby TEMPLATE postgres');
my $copy = at($standby, 'copy_of_standby');
like($copy->copied_from, qr/another database/, 'after_promotion = allow: another database is a copy');
$copy->refuses('after_promotion = allow: another database', '55000', $sample);
$standby->append_conf('postgresql.conf', "pegs.after_promotion = refuse\n");
$standby->restart;
$there->refuses('after_promotion = refuse again', '55000', $sample);
$there->adopts_by_hint('A-18 promotion');

$standby->stop;
$other->stop;
done_testing();
