# No row is fitted in two slices of one charge by what somebody else did before the guard was there; what is paid for can be read; the guard
# refuses no UPDATE of another column. Claim P21, laws L2, L10.
use strict;
use warnings;
use Test::More;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use PegsLedger;

my $pegs = PegsLedger->new('kept');
$pegs->value("GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA public TO curator; GRANT CREATE ON SCHEMA public TO curator; ALTER ROLE curator SET client_min_messages = warning");

sub table_of
{
	my ($name, $columns, $guarded) = @_;
	return "CREATE TABLE $name ($columns, kind text NOT NULL CHECK (kind IN ('a', 'b'))); CREATE TRIGGER keep BEFORE UPDATE ON $name FOR EACH ROW EXECUTE FUNCTION pegs_keep_slices('$guarded');
		ALTER TABLE $name ENABLE ALWAYS TRIGGER keep; SELECT pegs_set_budget('$name', 10000);";
}

sub result { my ($sql) = @_; my ($out, $err) = $pegs->as('curator', $sql); return ($err =~ /ERROR:  ?(\w{5})/)[0] || ($out =~ /([^\n]*)\s*$/)[0] }

# ---- a fit that reads rows as they were before the guard ----

for my $level ('REPEATABLE READ', 'SERIALIZABLE')
{
	my $name = $level =~ /^R/ ? 'moved' : 'moved_too';

	result("CREATE TABLE $name (id int, region text, kind text NOT NULL CHECK (kind IN ('a', 'b'))); INSERT INTO $name SELECT i, 'north', 'a' FROM generate_series(1, 50) AS i");
	my $old = $pegs->background('curator');
	$old->query("BEGIN ISOLATION LEVEL $level; SELECT count(*) FROM $name");
	result("UPDATE $name SET region = 'south' WHERE id <= 20; CREATE TRIGGER keep BEFORE UPDATE ON $name FOR EACH ROW EXECUTE FUNCTION pegs_keep_slices('region');
		ALTER TABLE $name ENABLE ALWAYS TRIGGER keep; SELECT pegs_set_budget('$name', 10000)");
	result("SELECT pegs_set_slices('$name', 'region', 900, 0, ARRAY['north', 'south'])");
	$old->query("SELECT pegs_fit_slices('$name', '$name', ARRAY['kind'], most => 1)");
	$old->query('COMMIT');
	$old->quit;
	result("SELECT pegs_fit_slices('$name', '$name', ARRAY['kind'])");
	is(result("SELECT count(*) FROM pegs_sample_slices('$name') AS t(kind text)"), '50', "$level: each row in one slice");
}

# ---- a guard that goes while one call fits many slices ----

result(table_of('busy', 'id int, region int', 'region') . "INSERT INTO busy SELECT i, 0, 'a' FROM generate_series(1, 50) AS i");
result("SELECT pegs_set_slices('busy', 'region', 900, 0, ARRAY[0, 1])");
my $store = $pegs->node->background_psql('postgres', on_error_stop => 0);
$store->query("BEGIN; LOCK TABLE pegs_internal.model IN SHARE MODE");
my $fitter = $pegs->start_psql('curator', "SELECT pegs_fit_slices('busy', 'busy', ARRAY['kind'])");
$pegs->node->poll_query_until('postgres', "SELECT pg_sequence_last_value(g.used) > 0 FROM pegs_internal.grid AS g JOIN pegs_internal.budget AS b ON b.id = g.budget WHERE b.source = 'busy'::regclass");
result("ALTER TABLE busy DISABLE TRIGGER keep; UPDATE busy SET region = 1 WHERE id <= 20");
$store->query('COMMIT');
$store->quit;
$pegs->finish($fitter);
like($fitter->{err}, qr/55000/, 'a guard that went meanwhile is asked for again');
is(result("SELECT count(*) FROM pegs_slices WHERE source = 'busy'::regclass"), '0', 'nobody sees what was fitted without it');

# ---- a model goes on with a column of its type ----

result(table_of('typed', 'region text', 'region') . "INSERT INTO typed SELECT '1', 'a' FROM generate_series(1, 50)");
result("SELECT pegs_set_slices('typed', 'region', 900, 0, ARRAY['1', '2'])");
is(result("SELECT pegs_fit_slices('typed', 'typed')"), '2', 'slices of texts');
result("SELECT pegs_unset_slices('typed'); ALTER TABLE typed ALTER COLUMN region TYPE int USING region::int");
result("SELECT pegs_set_slices('typed', 'region', 900, 0, ARRAY[1, 3])");
is(result("SELECT pegs_fit_slices('typed', 'typed')"), '55000', 'not with numbers');
is(result("SELECT count(*) >= 50 FROM pegs_sample_slices('typed') AS t(region text, kind text)"), 't', 'whoever read it still does');
is(result("SELECT pegs_fit_slices('typed anew', 'typed')"), '2', 'nothing was used up');

# ---- pegs_health waits for a table, and does not take that for what is wrong with it ----

my $locked = $pegs->background('curator');
$locked->query("BEGIN; LOCK TABLE typed IN ACCESS EXCLUSIVE MODE");
is(result("SET lock_timeout = '100ms'; SELECT count(*) FROM pegs_health() WHERE item = 'slices of public.typed'"), '55P03', 'pegs_health waits no longer than it may');
$locked->query('ROLLBACK');
$locked->quit;

# ---- the guard refuses its column alone ----

result("CREATE TABLE later (id int, kind text NOT NULL CHECK (kind IN ('a', 'b'))); INSERT INTO later SELECT i, 'a' FROM generate_series(1, 10) AS i; ALTER TABLE later ADD COLUMN study text DEFAULT 'first';
	CREATE TRIGGER keep BEFORE UPDATE ON later FOR EACH ROW EXECUTE FUNCTION pegs_keep_slices('study'); ALTER TABLE later ENABLE ALWAYS TRIGGER keep");
is(result("UPDATE later SET kind = 'b' WHERE id = 1; SELECT kind FROM later WHERE id = 1"), 'b', 'a default that is not stored in the row');
is(result("UPDATE later SET study = study || '' WHERE id = 2; SELECT study FROM later WHERE id = 2"), 'first', 'the same value, computed');
is(result("UPDATE later SET study = 'second' WHERE id = 3; SELECT study FROM later WHERE id = 3"), '23514', 'another value');

# ---- structural zeros: those with the column of the slices are not kept, and the fit says so ----

result(table_of('zeros', "n int NOT NULL CHECK (n IN (0, 1)), region text CHECK (region IN ('north', 'south'))", 'region') . "INSERT INTO zeros SELECT i % 2, 'north', 'a' FROM generate_series(1, 20) AS i;
	SELECT pegs_forbid('zeros', '{\"kind\": \"b\", \"n\": 0}'); SELECT pegs_set_slices('zeros', 'region', 0.05, 0, ARRAY['north', 'south', 'east'])");
sub told { my ($sql) = @_; my (undef, $err) = $pegs->as('curator', "\\set VERBOSITY terse\nSET client_min_messages = notice; $sql"); return scalar(() = $err =~ /NOTICE: .*forbidden combinations that name column "region" are not kept/g) }
is(told("SELECT pegs_fit_slices('zeros', 'zeros', most => 1)"), 0, 'a zero of other columns: nothing is said');
is(result("SELECT pegs_forbid('zeros', '{\"kind\": \"b\", \"region\": \"north\"}'); SELECT 1"), '1', 'one with the column of the slices');
is(told("SELECT pegs_fit_slices('zeros', 'zeros')"), 1, 'it is said, once for all slices');
is(result("SELECT count(*) FROM pegs_sample_slices('zeros') AS t(kind text, n int) WHERE kind = 'b' AND n = 0"), '0', 'the other one is kept');
is(result("SELECT count(*) FROM pegs_slices WHERE model = 'zeros'"), '3', 'all are fitted');

# ---- a list beside a clock ----

result(table_of('twofold', 'at date, region text', 'at') . "CREATE TRIGGER b_keep BEFORE UPDATE ON twofold FOR EACH ROW EXECUTE FUNCTION pegs_keep_slices('region'); ALTER TABLE twofold ENABLE ALWAYS TRIGGER b_keep");
is(result("SELECT pegs_set_slices('twofold', 'at', '1 day', '2026-01-01', 1); SELECT 1"), '1', 'days');
result("DROP TRIGGER keep ON twofold; CREATE TRIGGER a_keep BEFORE UPDATE ON twofold FOR EACH ROW EXECUTE FUNCTION pegs_keep_slices('at'); ALTER TABLE twofold ENABLE ALWAYS TRIGGER a_keep");
is(result("SELECT pegs_set_slices('twofold', 'region', 1, 0, ARRAY['north'])"), '42710', 'and no list');
is($pegs->spent('twofold'), PegsLedger::units(1), 'which is not charged');

done_testing();
