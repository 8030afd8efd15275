# Each row once, whatever comes while a fit is at work: the parts that were locked and looked at are those that are planned and
# read, where other servers are is asked again when they are connected to, and what is counted query by query is of one moment. The server is its own other server. Issue 17.
#
# A fit waits in the middle, after its source was looked at, for the lock of the lookup table of a column.
use strict;
use warnings;
use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
plan skip_all => 'postgres_fdw is not installed' unless system("test -e " . $node->config_data('--pkglibdir') . '/postgres_fdw.so') == 0;
$node->init;
$node->append_conf('postgresql.conf', "autovacuum = off\nfsync = off\n");
$node->start;
sub sql { return $node->safe_psql('postgres', $_[0]) }

my ($host, $port) = ($node->host, $node->port);
sub server { my ($name, $more) = @_; return "CREATE SERVER $name FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '$host', port '$port', dbname 'near', extensions 'pegs', options '-c client_min_messages=error'$more); CREATE USER MAPPING FOR curator SERVER $name OPTIONS (user 'curator', password_required 'false'); GRANT USAGE ON FOREIGN SERVER $name TO curator;" }
sql("CREATE EXTENSION pegs; CREATE EXTENSION postgres_fdw; CREATE ROLE curator LOGIN; GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA public TO curator; GRANT CREATE ON SCHEMA public TO curator");
# tables of another database of this server
sql('CREATE DATABASE near');
sub near { return $node->safe_psql('near', $_[0]) }
near("CREATE EXTENSION pegs; GRANT CREATE ON SCHEMA public TO curator; SET ROLE curator; CREATE TABLE far (yr int, ward text); INSERT INTO far SELECT 1, 'A' FROM generate_series(1, 500)");
sql(server('shard1', '') . server('shard2', '') . server('dear', ", use_remote_estimate 'true'"));
sql("SET ROLE curator; CREATE TABLE wards (ward text); INSERT INTO wards VALUES ('A'), ('B');");

# a fit that waits; what is done meanwhile; what it says
sub meanwhile
{
	my ($what, $fit, $done, $expected, %o) = @_;
	my ($out, $err) = ('', '');
	my $holder = IPC::Run::start([ 'psql', '-XAtq', '-d', $node->connstr('postgres') ], '<', \my $in, '>', \my $held, '2>', \my $said);

	$in = ($o{lock} // 'BEGIN; LOCK TABLE wards IN ACCESS EXCLUSIVE MODE;') . "\n\\echo held\n";
	$holder->pump until $held =~ /held/;
	my $waiting = IPC::Run::start([ 'psql', '-XAtq', '-v', 'VERBOSITY=verbose', '-d', $node->connstr('postgres'), '-c', 'SET ROLE ' . ($o{role} // 'curator'), '-c', $fit ], '>', \$out, '2>', \$err);
	ok($node->poll_query_until('postgres', "SELECT count(*) = 1 FROM pg_locks WHERE NOT granted"), "$what: it waits");
	sql($done);
	$in = "ROLLBACK; SELECT pg_advisory_unlock_all();\n\\q\n";
	$holder->finish;
	$waiting->finish;
	like($err, $expected, "$what: refused") or diag($out, $err);
	is(sql("SELECT coalesce(sum(spent), 0) FROM pegs_budgets"), 0, "$what: nothing is charged");
	is(sql("SELECT count(*) FROM pegs_internal.model"), 0, "$what: nothing is left");
	return $err;
}
my $again = qr/ERROR:  40001: public\.\w+ has another part than a moment ago.*HINT:  Call it again\./s;
my $facts = sub { my ($table) = @_; return "SELECT pegs_set_levels('$table', 'ward', lookup => 'wards', lookup_column => 'ward'); SELECT pegs_set_budget('$table', 1)" };

# ---- a second foreign table for the same rows is attached ----

# parts that are counted on their own servers, read as a whole (through a view), row by row (persons)
sql("SET ROLE curator; CREATE TABLE dis (yr int, ward text) PARTITION BY LIST (yr); CREATE FOREIGN TABLE dis_1 PARTITION OF dis FOR VALUES IN (1) SERVER shard1 OPTIONS (table_name 'far');
	CREATE TABLE dis_0 PARTITION OF dis FOR VALUES IN (0); CREATE FOREIGN TABLE dis_2 (yr int, ward text) SERVER shard2 OPTIONS (table_name 'far'); CREATE VIEW seen AS SELECT ward FROM dis; " . $facts->('dis'));
for my $kind (['parts on their servers', "SELECT pegs_fit('m', 'dis', '{ward}', epsilon => 1)"], ['a view', "SELECT pegs_fit('m', 'seen', epsilon => 1)"],
	['persons', "BEGIN; SELECT pegs_set_unit('dis', 'yr', 1); SELECT pegs_fit('m', 'dis', '{ward}', epsilon => 1)"])
{
	meanwhile("attached, $kind->[0]", $kind->[1], 'SET ROLE curator; ALTER TABLE dis ATTACH PARTITION dis_2 FOR VALUES IN (2)', $again);
	# called again, it is seen that it has the same rows
	my ($code, undef, $err) = $node->psql('postgres', "SET ROLE curator; $kind->[1]");
	like($err, qr/"dis_1" and "dis_2", parts of "dis", stand for the same rows/, "attached, $kind->[0]: called again, why");
	sql('SET ROLE curator; ALTER TABLE dis DETACH PARTITION dis_2');
}
# ---- a server is moved to where another is: no lock stops that ----

sql('CREATE DATABASE elsewhere');
sql("ALTER SERVER shard2 OPTIONS (SET dbname 'elsewhere')");
$node->safe_psql('elsewhere', 'CREATE EXTENSION pegs; GRANT CREATE ON SCHEMA public TO curator; SET ROLE curator; CREATE TABLE far (yr int, ward text)');
sql('SET ROLE curator; ALTER TABLE dis ATTACH PARTITION dis_2 FOR VALUES IN (2)');
for my $kind (['parts on their servers', "SELECT pegs_fit('m', 'dis', '{ward}', epsilon => 1)"], ['a view', "SELECT pegs_fit('m', 'seen', epsilon => 1)"])
{
	meanwhile("moved, $kind->[0]", $kind->[1], "ALTER SERVER shard2 OPTIONS (SET dbname 'near')",
		qr/ERROR:  55000: "dis_1" and "dis_2", parts of "dis", stand for the same rows.*HINT:  ALTER TABLE public\.dis DETACH PARTITION public\.dis_2;/s);
	sql("ALTER SERVER shard2 OPTIONS (SET dbname 'elsewhere')");
}

# ---- what another server says while the query is planned: its foreign table has come after it was asked which servers there are ----

# the planner calls the function of an index of the first part before it lists the parts of the second
sql(q{SET ROLE curator; CREATE FUNCTION waits(int) RETURNS int IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_advisory_xact_lock_shared(17); RETURN $1; END $$;
	CREATE TABLE slow (yr int, ward text) PARTITION BY LIST (yr); CREATE TABLE slow_1 PARTITION OF slow FOR VALUES IN (1); CREATE INDEX ON slow_1 (yr) WHERE waits(3) = 3;
	CREATE TABLE slow_2 PARTITION OF slow FOR VALUES IN (2) PARTITION BY LIST (yr); INSERT INTO slow VALUES (1, 'A'); SELECT pegs_set_levels('slow', 'ward', '{A,B}'); SELECT pegs_set_budget('slow', 1);
	CREATE FOREIGN TABLE slow_far (yr int, ward text) SERVER dear OPTIONS (table_name 'far')});
near(q{SET ROLE curator; CREATE FUNCTION fails() RETURNS boolean IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'seen %', (SELECT max(yr) + 4710 FROM public.far) USING ERRCODE = '53000'; END $$;
	CREATE VIEW failing AS SELECT * FROM far WHERE fails()});
my $hold = 'SELECT pg_advisory_lock(17);';
meanwhile('while it is planned', "SELECT pegs_fit('m', 'slow', '{ward}', epsilon => 1)", 'SET ROLE curator; ALTER TABLE slow_2 ATTACH PARTITION slow_far FOR VALUES IN (2)', $again, lock => $hold);
sql("SET ROLE curator; ALTER TABLE slow_2 DETACH PARTITION slow_far; ALTER FOREIGN TABLE slow_far OPTIONS (SET table_name 'failing')");
my $said = meanwhile('its words', "SELECT * FROM pegs_equivalence_classes('slow', '{ward}')", 'SET ROLE curator; ALTER TABLE slow_2 ATTACH PARTITION slow_far FOR VALUES IN (2)', qr/ERROR:  53000: reading public\.slow failed/, lock => $hold);
unlike($said, qr/seen|4711|remote/, 'its words: none is shown');

# ---- parts that are counted one query after the other, because of their tables, are of one moment ----

# of 90,000 cells maintenance_work_mem = 1MB holds one table; the planner waits when the rows of the first part have been counted, and then before they are
sql(q{SET ROLE curator; CREATE TABLE torn (yr int, a int NOT NULL, b int NOT NULL) PARTITION BY LIST (yr); CREATE TABLE torn_1 PARTITION OF torn FOR VALUES IN (1); CREATE TABLE torn_2 PARTITION OF torn FOR VALUES IN (2); CREATE INDEX ON torn_2 (yr) WHERE waits(3) = 3;
	CREATE FOREIGN TABLE torn_3 PARTITION OF torn FOR VALUES IN (3) SERVER shard1 OPTIONS (table_name 'there'); INSERT INTO torn SELECT 1, i, i FROM generate_series(1, 300) AS i;
	SELECT pegs_set_bins('torn', c, low => 0, high => 300, bins => 300) FROM unnest(ARRAY['a', 'b']) AS c; SELECT pegs_set_budget('torn', 1)});
near('SET ROLE curator; CREATE TABLE there (yr int, a int, b int)');
{
	my $fit = sub { return "SELECT pegs_fit('$_[0]', 'torn', '{a,b}', parents => '{\"b\": [\"a\"]}')" };

	sql("SET ROLE curator; SET maintenance_work_mem = '1MB'; " . $fit->('before'));
	is(sql("SELECT pegs_describe('before') ->> 'read'"), 'by an aggregate for each of 3 parts, 1 of which can be counted on their own servers', 'of one moment: each by itself');
	for my $move ([1, 2], [2, 1])
	{
		my ($from, $to) = @$move;
		my ($in, $held, $no, $out, $err) = ("$hold\n\\echo held\n", '', '', '', '');
		my $holder = IPC::Run::start([ 'psql', '-XAtq', '-d', $node->connstr('postgres') ], '<', \$in, '>', \$held, '2>', \$no);

		sql('SET ROLE curator; DROP INDEX torn_2_yr_idx; CREATE INDEX ON torn_1 (yr) WHERE waits(3) = 3') if $from == 2;
		$holder->pump until $held =~ /held/;
		my $waiting = IPC::Run::start([ 'psql', '-XAtq', '-d', $node->connstr('postgres'), '-c', 'SET ROLE curator', '-c', "SET maintenance_work_mem = '1MB'", '-c', $fit->("during_$from") ], '>', \$out, '2>', \$err);
		ok($node->poll_query_until('postgres', "SELECT count(*) = 1 FROM pg_locks WHERE NOT granted"), "of one moment, from $from: it waits");
		$in = "SET ROLE curator; DELETE FROM torn_$from; INSERT INTO torn SELECT $to, i, i FROM generate_series(1, 300) AS i; RESET ROLE; SELECT pg_advisory_unlock_all();\n\\q\n";
		$holder->finish;
		$waiting->finish;
		unlike($err, qr/ERROR/, "of one moment, from $from: fitted") or diag($err);
		is(sql("SELECT count(DISTINCT md5(pegs_internal.unmasked(b.body))) FROM pegs_internal.body AS b JOIN pegs_internal.model AS m ON m.id = b.model WHERE m.name IN ('before', 'during_$from')"), 1, "of one moment, from $from: no row twice, and none lost");
		is(sql("SELECT count(*) FROM torn_$to"), 300, "of one moment, from $from: they have moved");
	}
}

$node->stop;
done_testing();
