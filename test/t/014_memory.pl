# long: run by make test-all (test/run long), not by make test
# Memory has a bound that does not depend on how many rows are asked for: 10 million rows of either kind of model, and of
# their releases, with work_mem = 4 MB, in less than 100 MB of a backend, whatever it shares included. 10,000 states at once
# stay within work_mem, too, and a fit of more cells than memory has within maintenance_work_mem. A-46 (memory), A-47.
#
# Measured is the high-water mark that Linux keeps of each process (VmHWM). Buffers are few here, so that they hide nothing,
# and the JIT is off: its compiler alone takes 50 MB when a query is expected to give 10 million rows, whatever gives them.
use strict;
use warnings;
use Test::More;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;

plan skip_all => 'no /proc/self/status to read the memory of a process from' unless -r '/proc/self/status' && slurp_file('/proc/self/status') =~ /VmHWM/;

my $most = 100 * 1024;	# kB
my $n = 10_000_000;
my $node = PostgreSQL::Test::Cluster->new('memory');
$node->init;
$node->append_conf('postgresql.conf', "autovacuum = off\nshared_buffers = 4MB\nwork_mem = 4MB\nmaintenance_work_mem = 4MB\nhash_mem_multiplier = 1\nmax_parallel_workers_per_gather = 0\njit = off\nmax_wal_size = 4GB\n");
$node->start;
$node->safe_psql('postgres', q{
	CREATE EXTENSION pegs;
	CREATE TABLE visit (a boolean NOT NULL, b smallint NOT NULL CHECK (b IN (1, 2, 3)));
	INSERT INTO visit SELECT i % 3 = 0, 1 + i % 3 FROM generate_series(1, 1000) AS i;
	SELECT pegs_set_budget('visit', 1000);
	SELECT pegs_fit('sealed', 'visit', parents => '{"b": ["a"]}');
	SELECT pegs_fit('noisy', 'visit', epsilon => 1)});

# Runs SQL in a session of its own. Gives its high-water mark in kB, and what it answered.
sub peak
{
	my ($sql) = @_;
	my $session = $node->background_psql('postgres', on_error_die => 1);
	my $pid = $session->query('SELECT pg_backend_pid()');
	my $answer = $session->query($sql);
	my ($peak) = slurp_file("/proc/$pid/status") =~ /^VmHWM:\s+(\d+) kB/m;

	$session->quit;
	return ($peak, $answer);
}

sub bounded
{
	my ($name, $sql, $expected, $bound) = @_;
	my ($peak, $answer) = peak($sql);

	is($answer, $expected, "$name: done");
	cmp_ok($peak, '<', $bound || $most, "$name: less than " . int(($bound || $most) / 1024) . ' MB') or diag("$peak kB");
	note("$name: $peak kB");
	return $peak;
}

my ($idle) = peak('SELECT 1');
note("a backend that does nothing: $idle kB");

# ---- A-47: many rows ----

my $as = 'AS t(a boolean, b smallint)';
my $count = "SELECT count(*) FROM";
bounded('A-47 10M rows of a sealed model', "$count pegs_sample('sealed', $n, epsilon => 10, block => $n) $as", $n);
bounded('A-47 10M rows of a perturbed model', "$count pegs_sample('noisy', $n) $as", $n);
bounded('A-47 10M rows of a perturbed model, independent', "$count pegs_sample('noisy', $n, options => '{\"draw\": \"independent\"}') $as", $n);
bounded('A-47 a release of 10M rows of a sealed model', "SELECT pegs_release('kept', 'sealed', $n, epsilon => 10, block => $n)", '');
bounded('A-47 its rows', "$count pegs_rows('kept') $as", $n);
bounded('A-47 a release of 10M rows of a perturbed model', "SELECT pegs_release('kept noisy', 'noisy', $n)", '');
bounded('A-47 its rows', "$count pegs_rows('kept noisy') $as", $n);

# ---- A-46: many states ----

$node->safe_psql('postgres', q{
	CREATE TABLE spec AS SELECT pegs_spec('visit') AS spec;
	CREATE TABLE many AS SELECT i % 10000 AS g, a, b FROM generate_series(1, 30) AS r, LATERAL (SELECT r * 1000 + row_number() OVER () AS i, a, b FROM visit) AS v;
	CREATE TABLE states AS SELECT g, pegs_agg((SELECT spec FROM spec), a, b) AS s FROM (SELECT * FROM many ORDER BY g) AS m GROUP BY g;
	ANALYZE});
is($node->safe_psql('postgres', 'SELECT count(*) FROM states'), 10000, 'A-46 10,000 groups');
my $one = $node->safe_psql('postgres', 'SELECT md5(pegs_agg((SELECT spec FROM spec), a, b)::text) FROM many');
for my $hash ('on', 'off')
{
	my $set = "SET enable_hashagg = $hash; SET enable_sort = " . ($hash eq 'on' ? 'off' : 'on') . ";";
	my $plan = $node->safe_psql('postgres', "$set EXPLAIN (COSTS OFF) SELECT g, pegs_agg((SELECT spec FROM spec), a, b) FROM many GROUP BY g");

	like($plan, $hash eq 'on' ? qr/HashAggregate/ : qr/GroupAggregate/, "A-46 plan with hash tables $hash");
	bounded("A-46 pegs_agg of 10,000 groups, hash tables $hash", "$set SELECT count(*) FROM (SELECT g, pegs_agg((SELECT spec FROM spec), a, b) AS s FROM many GROUP BY g OFFSET 0) AS x JOIN states USING (g) WHERE x.s::text = states.s::text", 10000);
	bounded("A-46 pegs_merge of 10,000 groups, hash tables $hash", "$set SELECT count(*) FROM (SELECT g, pegs_merge(s) AS s FROM states GROUP BY g OFFSET 0) AS x JOIN states USING (g) WHERE x.s::text = states.s::text", 10000);
}
bounded('A-46 10,000 states into one', 'SELECT md5(pegs_merge(s)::text) FROM states', $one, $idle + 16 * 1024);

# ---- a wide fit: 81 million cells, 648 MB, which are never all there; the rows are kept instead, 800 kB of maintenance_work_mem ----

my $levels = 9000;
$node->safe_psql('postgres', "CREATE TABLE wide (a int NOT NULL, b int NOT NULL);
	INSERT INTO wide SELECT i % $levels, i * 7 % $levels FROM generate_series(1, 200000) AS i;
	SELECT pegs_set_levels('wide', 'a', l), pegs_set_levels('wide', 'b', l) FROM (SELECT array_agg(i::text) AS l FROM generate_series(0, $levels - 1) AS i) AS s;
	SELECT pegs_set_budget('wide', 10, 1e-6)");
bounded('a wide fit', "SELECT 'done' || pegs_fit('wide', 'wide', epsilon => 1, delta => 1e-9)", 'done', $idle + 32 * 1024);
bounded('rows of it', "SELECT count(*) FROM (SELECT pegs_sample_as(NULL::wide, 'wide', 200000)) AS s", 200000, $idle + 32 * 1024);
# just below that all pairs are counted at once, 512 MB: once, and not also as states that travel
$node->safe_psql('postgres', "CREATE TABLE once (a int NOT NULL, b int NOT NULL);
	SELECT pegs_set_levels('once', 'a', l), pegs_set_levels('once', 'b', l) FROM (SELECT array_agg(i::text) AS l FROM generate_series(1, 8000) AS i) AS s;
	SELECT pegs_set_budget('once', 10, 1e-6)");
bounded('a fit of 64 million cells', "SELECT 'done' || pegs_fit('once', 'once', epsilon => 1, delta => 1e-9)", 'done', $idle + 600 * 1024);

# ---- a table with parts on another server: each part is counted by itself, and what was counted of it is not kept until the last ----

SKIP: {
	skip 'postgres_fdw is not installed', 9 unless system("test -e " . $node->config_data('--pkglibdir') . '/postgres_fdw.so') == 0;
	# a million cells, 8 MB: in one process, with nothing of another server, some 60 MB
	my $parts = sub { my ($name) = @_; return "CREATE TABLE $name (p int, a int NOT NULL, b int NOT NULL) PARTITION BY LIST (p);" . join '', map { "CREATE TABLE ${name}_$_ PARTITION OF $name FOR VALUES IN ($_);" } 1 .. 30 };
	my $filled = sub { my ($name) = @_; return "INSERT INTO $name SELECT 1 + i % 30, 1 + i % 1000, 1 + i * 7 % 1000 FROM generate_series(1, 3000) AS i; SELECT pegs_set_levels('$name', c, l) FROM unnest(ARRAY['a', 'b']) AS c, (SELECT array_agg(i::text) AS l FROM generate_series(1, 1000) AS i) AS s; SELECT pegs_set_budget('$name', 100, 1e-6);" };
	my ($host, $port) = ($node->host, $node->port);

	# tables of another database of this server
	$node->safe_psql('postgres', 'CREATE DATABASE beyond');
	$node->safe_psql('beyond', 'CREATE EXTENSION pegs; CREATE TABLE there (p int, a int, b int);' . join('', map { "CREATE TABLE shards_${_}_there (p int, a int, b int);" } 1 .. 30));
	$node->safe_psql('postgres', $parts->('near') . $filled->('near') . "CREATE EXTENSION postgres_fdw; CREATE SERVER shard FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '$host', port '$port', dbname 'beyond', extensions 'pegs');
		CREATE USER MAPPING FOR CURRENT_USER SERVER shard;" . $parts->('far') . "CREATE FOREIGN TABLE far_0 PARTITION OF far FOR VALUES IN (0) SERVER shard OPTIONS (table_name 'there');" . $filled->('far')
		. $parts->('shards') =~ s/CREATE TABLE (shards_\d+)([^;]*)/CREATE FOREIGN TABLE $1$2 SERVER shard OPTIONS (table_name '$1_there')/gr =~ s/;$//r . ';' . $filled->('shards'));
	my $set = "SET maintenance_work_mem = '10MB'; ";
	my ($whole) = peak("$set SELECT pegs_fit('near', 'near', '{a,b}', parents => '{\"b\": [\"a\"]}')");
	bounded('a fit of 30 partitions and one elsewhere', "$set SELECT 'done' || pegs_fit('far', 'far', '{a,b}', parents => '{\"b\": [\"a\"]}')", 'done', $whole + 24 * 1024);
	is($node->safe_psql('postgres', "SELECT pegs_describe('far') ->> 'read'"), 'by an aggregate for each of 31 parts, 1 of which can be counted on their own servers', 'a fit of 30 partitions and one elsewhere: so it was counted');
	bounded('a fit of 30 partitions elsewhere', "$set SELECT 'done' || pegs_fit('shards', 'shards', '{a,b}', parents => '{\"b\": [\"a\"]}')", 'done', $whole + 48 * 1024);
	is($node->safe_psql('postgres', "SELECT pegs_describe('shards') ->> 'read'"), 'by an aggregate for each of 30 parts, 30 of which can be counted on their own servers', 'a fit of 30 partitions elsewhere: so it was counted');
	bounded('a fit of 30 partitions, an aggregate for each where that is set', "$set SET enable_partitionwise_aggregate = on; SELECT 'done' || pegs_fit('wise', 'near', '{a,b}', parents => '{\"b\": [\"a\"]}')", 'done', $whole + 24 * 1024);
	# of one moment, and each once: the same bytes
	is($node->safe_psql('postgres', "SELECT count(DISTINCT md5(pegs_internal.unmasked(b.body))) FROM pegs_internal.body AS b JOIN pegs_internal.model AS m ON m.id = b.model WHERE m.name IN ('near', 'far', 'shards', 'wise')"), 1, 'parts that are counted one after the other: the same bytes');
}

# ---- rows with values of megabytes; a card of a million lines ----

$node->safe_psql('postgres', q{
	CREATE TABLE heavy (k text CHECK (k IN ('x', 'y')), body bytea);
	ALTER TABLE heavy ALTER body SET STORAGE EXTERNAL;
	INSERT INTO heavy SELECT 'x', decode(repeat('00', 1000000), 'hex') FROM generate_series(1, 200)});
bounded('rows of a megabyte, generalised', "SELECT count(*) FROM pegs_generalized('heavy', pegs_generalize('heavy', ARRAY['k'])) AS t(k text, body bytea)", 200, $idle + 32 * 1024);
$node->safe_psql('postgres', q{
	CREATE TABLE leafy AS SELECT i % 64 AS a, i * 7 % 61 AS b, i * 11 % 59 AS c, i % 5 > 2 AS back FROM generate_series(1, 5000) AS i;
	SELECT pegs_set_bins('leafy', c, low => 0, high => 64, bins => 64) FROM unnest(ARRAY['a', 'b', 'c']) AS c;
	SELECT pegs_set_budget('leafy', 1000);
	SELECT pegs_score_fit('leafy', 'leafy', 'back', ARRAY['true'], epsilon => 1000, method => 'forest', options => '{"trees": 1000, "depth": 7}')});
bounded('the card of a forest', "SELECT count(*) > 40000 FROM pegs_score_card('leafy')", 't', $idle + 32 * 1024);

# ---- the measure can fail: a query that keeps its rows in memory is seen ----

my ($seen) = peak("SET work_mem = '1GB'; SELECT count(DISTINCT i) FROM (SELECT i FROM generate_series(1, 3000000) AS i ORDER BY -i OFFSET 0) AS x");
cmp_ok($seen, '>', $most, 'A-47 memory that is used is seen');

$node->stop;
done_testing();
