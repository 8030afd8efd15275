# Words of an error while rows are read are shown where they are ours, whichever process says them: a parallel worker, the one that
# adds up, the hub. And nobody else's are, also of a worker whose error comes while our own code is at work. Issue 17, law L5.
#
# More than 2^46 rows are nowhere to be had: a double of the transition function of our aggregates counts some rows more.
use strict;
use warnings;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Cwd qw(abs_path);

plan skip_all => 'no compiler' if system('cc --version >/dev/null 2>&1') != 0;
my $node = PostgreSQL::Test::Cluster->new('words');
my $double = "$PostgreSQL::Test::Utils::tmp_check/more_rows";
append_to_file("$double.c", <<'C');
#include "read/read.h"
#include "utils/guc.h"
PG_MODULE_MAGIC;
static Datum
and_more(FunctionCallInfo fcinfo, const char *name)
{
	PGFunction	ours = load_external_function("$libdir/pegs", name, true, NULL);
	bool		first = PG_ARGISNULL(0);
	PegsCounter *counter = (PegsCounter *) DatumGetPointer(ours(fcinfo));

	if (first)
	{
		uint64		more = strtoull(GetConfigOption("more.rows", false, false), NULL, 10);

		counter->rows += more;
		counter->cells[0] += more;
	}
	return PointerGetDatum(counter);
}
PG_FUNCTION_INFO_V1(counted);
Datum counted(PG_FUNCTION_ARGS) { return and_more(fcinfo, "pegs_counted_transition"); }
PG_FUNCTION_INFO_V1(agg);
Datum agg(PG_FUNCTION_ARGS) { return and_more(fcinfo, "pegs_agg_transition"); }
C
my $src = abs_path((abs_path($0) =~ s{[^/]+$}{}r) . '../../src');
my $includes = $node->config_data('--includedir-server');
is(system("cc -shared -fPIC -I '$src' -I '$includes' -o '$double.so' '$double.c' 2>'$double.err'"), 0, 'the double compiles') or diag(slurp_file("$double.err"));

$node->init;
$node->append_conf('postgresql.conf', "autovacuum = off\nfsync = off\nmax_parallel_workers_per_gather = 2\nparallel_setup_cost = 0\nparallel_tuple_cost = 0\nmin_parallel_table_scan_size = 0\nmore.rows = 0\n");
$node->start;
# and another database, whose rows are read by a foreign table
$node->safe_psql('postgres', $_) for 'CREATE ROLE curator LOGIN', 'CREATE DATABASE beside';
$node->safe_psql($_, "CREATE EXTENSION pegs; GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA public TO curator; GRANT CREATE ON SCHEMA public TO curator;
	CREATE SCHEMA doubles; GRANT USAGE ON SCHEMA doubles TO PUBLIC;
	CREATE FUNCTION doubles.counted(internal, bytea, VARIADIC \"any\") RETURNS internal AS '$double', 'counted' LANGUAGE C IMMUTABLE PARALLEL SAFE;
	CREATE FUNCTION doubles.agg(internal, json, VARIADIC \"any\") RETURNS internal AS '$double', 'agg' LANGUAGE C IMMUTABLE PARALLEL SAFE;
	UPDATE pg_aggregate SET aggtransfn = 'doubles.counted(internal,bytea,\"any\")'::regprocedure WHERE aggfnoid = 'pegs_internal.counted(bytea,\"any\")'::regprocedure;
	UPDATE pg_aggregate SET aggtransfn = 'doubles.agg(internal,json,\"any\")'::regprocedure WHERE aggfnoid = 'public.pegs_agg(json,\"any\")'::regprocedure;") for 'postgres', 'beside';
sub as_curator { my ($sql) = @_; my ($out, $err); $node->psql('postgres', "SET ROLE curator; \\set VERBOSITY verbose\n$sql", stdout => \$out, stderr => \$err, on_error_stop => 1); return $out . $err }
sub more { $node->safe_psql('postgres', "ALTER SYSTEM SET more.rows = '$_[0]'"); $node->reload; $node->poll_query_until('postgres', "SELECT current_setting('more.rows') = '$_[0]'") }

# ---- 1. ours ----

my $many = 'CREATE TABLE many (a int NOT NULL CHECK (a IN (1, 2)), part int) WITH (parallel_workers = 2); INSERT INTO many SELECT 1 + i % 2, 1 FROM generate_series(1, 40000) AS i';
$node->safe_psql('beside', "SET ROLE curator; $many");
as_curator("$many; SELECT pegs_set_budget('many', 10, 1e-6);
	CREATE TABLE cut (LIKE many INCLUDING CONSTRAINTS) PARTITION BY LIST (part); CREATE TABLE cut1 PARTITION OF cut FOR VALUES IN (1); CREATE TABLE cut2 PARTITION OF cut FOR VALUES IN (2);
	INSERT INTO cut SELECT 1 + i % 2, 1 + i % 2 FROM generate_series(1, 2000) AS i; SELECT pegs_set_budget('cut', 10, 1e-6)");
my $too_many = qr/ERROR:  54000: more than 2\^46 rows cannot be counted\nHINT:  Fit a part of the table\.\n/;
sub says
{
	my ($what, $more, $set, $table) = @_;
	more($more);
	my $said = as_curator("$set; SELECT pegs_fit('m', '$table', '{a}', method => 'marginals')");

	like($said, $too_many, $what);
	unlike($said, qr/own words/, "$what: its mark is not shown");
}
says('a worker', 2**46 - 2000, 'SET parallel_leader_participation = off', 'many');
says('one process, in the middle', 2**46 - 2000, 'SET max_parallel_workers_per_gather = 0', 'many');
says('one process, at the end', 2**46 - 900, 'SET max_parallel_workers_per_gather = 0', 'cut1') if as_curator("SELECT pegs_set_budget('cut', 10, 1e-6)");
says('who adds up what two workers have counted', 2**46 - 39999, 'SET parallel_leader_participation = off', 'many');
says('who adds up two partitions', 2**46 - 1500, 'SET max_parallel_workers_per_gather = 0; SET enable_partitionwise_aggregate = on', 'cut');

SKIP: {
	skip 'postgres_fdw is not installed', 6 if system('test -e ' . $node->config_data('--pkglibdir') . '/postgres_fdw.so') != 0;
	$node->safe_psql('postgres', "CREATE EXTENSION postgres_fdw; CREATE SERVER far FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '" . $node->host . "', port '" . $node->port . "', dbname 'beside', extensions 'pegs', options '-c row_security=off -c client_min_messages=error -c more.rows=0');
		CREATE USER MAPPING FOR curator SERVER far OPTIONS (user 'curator', password_required 'false'); GRANT USAGE ON FOREIGN SERVER far TO curator");
	as_curator("CREATE TABLE hub (LIKE many INCLUDING CONSTRAINTS) PARTITION BY LIST (part); CREATE TABLE hub1 PARTITION OF hub FOR VALUES IN (1) WITH (parallel_workers = 2); INSERT INTO hub SELECT 1 + i % 2, 1 FROM generate_series(1, 40000) AS i;
		CREATE FOREIGN TABLE hub2 PARTITION OF hub FOR VALUES IN (2) SERVER far OPTIONS (table_name 'many'); SELECT pegs_set_budget('hub', 10, 1e-6)");
	says('this server, where another has a part', 2**46 - 2000, 'SET max_parallel_workers_per_gather = 0', 'hub');
	says('the hub, that adds up the states of two servers', 2**46 - 70000, 'SET max_parallel_workers_per_gather = 0', 'hub');
	# what another server says is its word, whatever it marks
	more(0);
	$node->safe_psql('postgres', "ALTER SERVER far OPTIONS (SET options '-c row_security=off -c client_min_messages=error -c more.rows=" . (2**46 - 2000) . "')");
	like(as_curator("SELECT pegs_fit('m', 'hub', '{a}', method => 'marginals')"), qr/ERROR:  54000: reading public\.hub failed on server "far"/, 'another server: not in its words');
}

# ---- 2. nobody else's: a worker fails while the receiver of the session counts ----

more(0);
my @columns = map { "c$_" } 1 .. 110;	# row by row, and a chunk of rows takes long to count
as_curator("CREATE TABLE wide (id int, " . join(', ', map { "$_ boolean" } @columns) . ") WITH (parallel_workers = 2);
	INSERT INTO wide SELECT i, " . join(', ', map { "CASE WHEN i % 500 = $_ THEN true END" } 1 .. 110) . " FROM generate_series(1, 12000) AS i; SELECT pegs_set_budget('wide', 10, 1e-6)");
my %said;
# its error comes in the middle of a count in one of ten or twenty
for my $i (1 .. 50)
{
	# words of the server's own, with a SQLSTATE that our receiver has, too
	my $said = as_curator("CREATE VIEW seen AS SELECT coalesce(repeat('x', CASE WHEN id = @{[4000 + $i * 77]} THEN 2000000000 END) = 'x', c1) AS c1, " . join(', ', @columns[1 .. 109]) . " FROM wide;
		SET parallel_leader_participation = off; SELECT pegs_fit('m', 'seen', method => 'marginals'); DROP VIEW seen");

	$said{$said =~ /requested length/ ? 'shown' : $said =~ /ERROR:  54000: reading public\.seen failed/ ? 'hidden' : $said}++;
	as_curator('DROP VIEW seen');
}
is_deeply(\%said, { hidden => 50 }, 'what a worker says while rows are counted is not shown') or diag(explain \%said);
done_testing();
