# Rows counted where they are: a hub and two shards behind postgres_fdw, partitions, parallel workers. The same bytes as row by row
# in every case, nothing but states on the wire, and a shard that fails is named, costs nothing and leaves nothing. Issue 17.
#
# What rows were counted into is seen in sealed models: exact counts, without the mask. Row by row is forced by a privacy unit of one row each, which changes nothing else.
use strict;
use warnings;
use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(usleep);

my $have_fdw = system("test -e " . PostgreSQL::Test::Cluster->new('asked')->config_data('--pkglibdir') . '/postgres_fdw.so') == 0;
plan skip_all => 'postgres_fdw is not installed' unless $have_fdw;

my %node;
for my $name ('hub', 'shard1', 'shard2')
{
	$node{$name} = PostgreSQL::Test::Cluster->new($name);
	$node{$name}->init;
	$node{$name}->append_conf('postgresql.conf', "autovacuum = off\nfsync = off\nlog_statement = 'all'\nmax_parallel_workers_per_gather = 2\n");
	$node{$name}->start;
}
my $hub = $node{hub};
sub value { my ($sql) = @_; my ($out, $err); $hub->psql('postgres', $sql, stdout => \$out, stderr => \$err, extra_params => ['-At'], on_error_stop => 1); return $err =~ /ERROR/ ? "ERROR $err" : $out }
sub as_curator { my ($sql) = @_; my ($out, $err); $hub->psql('postgres', "SET ROLE curator; \\set VERBOSITY verbose\n$sql", stdout => \$out, stderr => \$err, on_error_stop => 1); return ($out, $err) }

# ---- 1. one server: workers, partitions, inheritance, views, slices; random tables ----

$hub->safe_psql('postgres', q{CREATE EXTENSION pegs; CREATE ROLE curator LOGIN; GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA public TO curator; GRANT CREATE ON SCHEMA public TO curator;
	CREATE TYPE grade AS ENUM ('low', 'mid', 'high'); CREATE DOMAIN small AS smallint CHECK (VALUE IN (1, 2, 3));
	CREATE FUNCTION counted(model text) RETURNS text LANGUAGE sql AS $$SELECT md5(pegs_internal.unmasked(b.body)) FROM pegs_internal.body AS b JOIN pegs_internal.model AS m ON m.id = b.model WHERE m.name = $1$$});
is($hub->safe_psql('postgres', q{SELECT count(*) FROM pg_proc WHERE proname = 'counted' AND pronamespace = 'pegs_internal'::regnamespace}), 1, 'the aggregate is installed');

# columns of every kind of encoder, NULLs, "other", dropped and nearest values, hidden parts
my @columns = (
	"a boolean", "b smallint CHECK (b BETWEEN 0 AND 4)", "c text CHECK (c IN ('x', 'y', 'zz'))", "d grade NOT NULL", "e small", "f numeric(6,2)", "g date", "h double precision",
	"i char(1) CHECK (i IN ('M', 'F'))", "j text");
my $facts = q{SELECT pegs_set_bins('TABLE', 'f', '{0,10,100,1000}'), pegs_set_bins('TABLE', 'g', '{2024-01-01,2024-06-01,2025-01-01}', undeclared => 'nearest'),
	pegs_set_bins('TABLE', 'h', '{0,0.25,0.5,1}', undeclared => 'drop'), pegs_set_levels('TABLE', 'j', '{u,v}', other => 'v'), pegs_set_levels('TABLE', 'b', '{0,1,2,3,4}');};
my $rows = q{SELECT CASE WHEN random() < .9 THEN random() < .4 END, (random() * 4)::smallint, CASE WHEN random() < .8 THEN (ARRAY['x', 'y', 'zz'])[1 + floor(random() * 3)::int] END,
	(ARRAY['low', 'mid', 'high'])[1 + floor(random() * random() * 3)::int]::grade, CASE WHEN random() < .9 THEN 1 + floor(random() * 3)::smallint END, (random() * 999)::numeric(6,2),
	date '2023-06-01' + (random() * 700)::int, random() * 1.2, CASE WHEN random() < .5 THEN 'M' ELSE 'F' END, (ARRAY['u', 'v', 'w', NULL])[1 + floor(random() * 4)::int]};
srand(17);
for my $round (1 .. 4)
{
	my @some = sort { $a <=> $b } (sort { rand() <=> .5 } 0 .. $#columns)[0 .. 3 + $round];
	my $names = join ', ', map { (split / /, $columns[$_])[0] } @some;
	my $n = $round == 4 ? 0 : 3000 * $round;
	# the session itself reads no row where workers do: else it may have read all of so small a table before they have begun
	my $call = "SET parallel_leader_participation = off; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0; SET client_min_messages = debug1;";
	my ($first, $second) = split /, /, $names;
	my $parents = qq({"$second": ["$first"]});

	$hub->safe_psql('postgres', "BEGIN; SET LOCAL ROLE curator; SELECT setseed(0.$round); CREATE TABLE whole$round (" . join(', ', @columns) . ', who int); INSERT INTO whole' . $round . " $rows, s FROM generate_series(1, $n) AS s;"
		. ($facts =~ s/TABLE/whole$round/gr) . "CREATE TABLE each$round AS TABLE whole$round WITH NO DATA; COMMIT");
	# the same rows, each one's own: read one by one
	$hub->safe_psql('postgres', "BEGIN; SET LOCAL ROLE curator; DROP TABLE each$round; CREATE TABLE each$round (" . join(', ', @columns) . ", who int); INSERT INTO each$round TABLE whole$round; " . ($facts =~ s/TABLE/each$round/gr)
		. "SELECT pegs_set_unit('each$round', 'who', 1); CREATE VIEW seen$round AS SELECT * FROM whole$round;
		SELECT pegs_set_budget(t, 1e6, 1e-3) FROM unnest(ARRAY['whole$round', 'each$round']::regclass[]) AS t; COMMIT; ANALYZE whole$round; ANALYZE each$round");
	for my $kind ("parents => '$parents'", "parents => '{}'", "method => 'marginals'", "epsilon => 1")
	{
		my (undef, $by_row) = as_curator("$call SELECT pegs_fit('by_row', 'each$round', '{$names}', $kind)");
		my (undef, $workers) = as_curator("$call SELECT pegs_fit('workers', 'whole$round', '{$names}', $kind)");
		my (undef, $serial) = as_curator("$call SET max_parallel_workers_per_gather = 0; SELECT pegs_fit('serial', 'whole$round', '{$names}', $kind)");
		my (undef, $view) = as_curator("$call SELECT pegs_fit('view', 'seen$round', '{$names}', $kind)");
		like($by_row, qr/were read row by row: the rows of a person/, "$round $kind: row by row, and why") or diag($by_row);
		like($workers, qr/counted by an aggregate; parallel workers that took part: @{[ $n ? '[12]' : '\d' ]}/, "$round $kind: by workers") or diag($workers);
		like($serial, qr/counted by an aggregate; parallel workers that took part: 0/, "$round $kind: by one process");
		my $same = $hub->safe_psql('postgres', "SELECT counted('by_row')");
		for my $other ($kind =~ /epsilon/ ? () : ('workers', 'serial', 'view')) { is($hub->safe_psql('postgres', "SELECT counted('$other')"), $same, "$round $kind: $other, the same bytes") }
		$hub->safe_psql('postgres', "SELECT pegs_drop(n) FROM unnest(ARRAY['by_row', 'workers', 'serial', 'view']) AS n");
	}
	# parts that are added up, for certain: each partition by a partial aggregate of its own, in one process
	$hub->safe_psql('postgres', "BEGIN; SET LOCAL ROLE curator; CREATE TABLE cut$round (" . join(', ', @columns) . ", who int) PARTITION BY HASH (who); " . join('', map { "CREATE TABLE cut${round}_$_ PARTITION OF cut$round FOR VALUES WITH (MODULUS 3, REMAINDER $_);" } 0 .. 2)
		. "INSERT INTO cut$round TABLE whole$round; " . ($facts =~ s/TABLE/cut$round/gr) . "SELECT pegs_set_budget('cut$round', 1e6, 1e-3); COMMIT");
	my (undef, $cut) = as_curator("SET enable_partitionwise_aggregate = on; SET max_parallel_workers_per_gather = 0; SELECT pegs_fit('cut', 'cut$round', '{$names}', method => 'marginals'), pegs_fit('whole', 'whole$round', '{$names}', method => 'marginals')");
	is($hub->safe_psql('postgres', "SELECT counted('cut')"), $hub->safe_psql('postgres', "SELECT counted('whole')"), "$round: three partial aggregates, the same bytes") or diag($cut);
	$hub->safe_psql('postgres', "SELECT pegs_drop('cut'), pegs_drop('whole')");
	# triples by hand: the last eight cells of a state of three booleans; parts that are merged are the whole, workers or not
	my $triples = "(SELECT replace(pegs_spec('whole$round', '{$names}'), '\"tables\": \"pairs\"', '\"tables\": \"triples\"'))";
	is($hub->safe_psql('postgres', "$call SELECT (SELECT pegs_merge(s) FROM (SELECT pegs_agg($triples, $names) AS s FROM whole$round GROUP BY who % 3) AS p)::text IS NOT DISTINCT FROM (SELECT pegs_agg(${triples}::json, $names) FROM whole$round)::text"), 't', "$round: triples merge");
}

# what a fit with triples counts: the last eight cells of a state of three booleans, by SQL
{
	my $spec = '{"pegs": 1, "tables": "triples", "columns": [' . join(', ', map { qq({"name": "$_", "type": "boolean", "levels": ["f", "t"], "null": false}) } 'a', 'b', 'c') . ']}';
	my $bits = 'FROM generate_series(1, 5000) AS i, LATERAL (SELECT i % 2 = 0 AS a, i % 3 = 0 AS b, i % 5 < 2 AS c) AS x';
	my $state = pack 'H*', substr($hub->safe_psql('postgres', "SELECT pegs_agg('$spec', a, b, c)::text $bits"), 2);
	is(join(',', unpack 'Q<8', substr($state, -68, 64)), $hub->safe_psql('postgres', "SELECT string_agg(n::text, ',' ORDER BY a, b, c) FROM (SELECT a, b, c, count(*) AS n $bits GROUP BY 1, 2, 3) AS t"), 'triples in a state, as SQL counts them');
	like(value("SELECT length(pegs_agg('$spec', a, b, c)::text) - length(pegs_agg(replace('$spec', 'triples', 'pairs'), a, b, c)::text) $bits"), qr/^1(28|44|60)$/, 'triples in a state: eight cells more');
}

# labels are found by each process for itself: nobody renames one meanwhile
is($hub->safe_psql('postgres', q{BEGIN; SET LOCAL ROLE curator; CREATE TABLE graded (g grade NOT NULL); INSERT INTO graded SELECT 'low' FROM generate_series(1, 100); SELECT pegs_set_budget('graded', 1); COMMIT;
	BEGIN; SET LOCAL ROLE curator; SELECT pegs_fit('graded', 'graded', parents => '{}'); SELECT mode FROM pg_locks WHERE classid = 'pg_type'::regclass AND objid = 'grade'::regtype AND pid = pg_backend_pid(); ROLLBACK}), "\n\nRowShareLock", 'labels are held until the transaction ends');
# whom a function of the owner's serves does not learn how many rows there are taken to be
$hub->safe_psql('postgres', q{SET ROLE curator; CREATE FUNCTION refit() RETURNS void LANGUAGE sql SECURITY DEFINER AS $$SELECT pegs_fit('graded', 'graded', parents => '{}', method => 'pegs')$$});
for my $set ('client_min_messages = debug1', 'client_min_messages = log; SET debug_print_plan = on')
{
	my ($out, $err);
	$hub->psql('postgres', "CREATE ROLE someone; SET ROLE someone; BEGIN; SET LOCAL $set; SELECT refit(); ROLLBACK; RESET ROLE; DROP ROLE someone", stdout => \$out, stderr => \$err);
	unlike($err, qr/parallel workers|\{AGG|counted by/, "by a function: $set: nothing of the plan") or diag(substr($err, 0, 300));
	unlike($err, qr/ERROR/, "by a function: $set: it is fitted") or diag($err);
}

# ---- 2. a hub and two shards ----

my @of_both = ('yr smallint NOT NULL CHECK (yr IN (1, 2, 3))', 'age int', "sex char(1) CHECK (sex IN ('M', 'F'))", 'los smallint', 'dead boolean');
my $facts_of_both = q{SELECT pegs_set_bins('TABLE', 'age', '{0,18,40,65,100}'), pegs_set_levels('TABLE', 'los', '{0,1,2,3,4,5}', other => '5')};
my $table = 'dis (' . join(', ', @of_both) . ')';
sub rows_of { my ($yr, $n) = @_; return "SELECT ${yr}::smallint, CASE WHEN i % 11 > 0 THEN i * 7 % 100 END, CASE WHEN i % 3 = 0 THEN 'M' ELSE 'F' END, (i % 9)::smallint, CASE WHEN i % 5 > 0 THEN i % 4 = 0 END FROM generate_series(1, $n) AS i" }
for my $yr (1, 2)
{
	$node{"shard$yr"}->safe_psql('postgres', "CREATE EXTENSION pegs; CREATE ROLE reader LOGIN; CREATE TABLE $table; INSERT INTO dis " . rows_of($yr, 4000 + $yr) . '; GRANT SELECT ON dis TO reader; ANALYZE dis');
}
my $server = sub { my ($n, $options) = @_; return "OPTIONS (host '" . $node{"shard$n"}->host . "', port '" . $node{"shard$n"}->port . "', dbname 'postgres', async_capable 'true', options '-c row_security=off -c client_min_messages=error'$options)" };
$hub->safe_psql('postgres', "CREATE EXTENSION postgres_fdw; " . join('; ', map { my $n = $_; (
		"CREATE SERVER shard$n FOREIGN DATA WRAPPER postgres_fdw " . $server->($n, ", extensions 'pegs'"), "CREATE SERVER pulled$n FOREIGN DATA WRAPPER postgres_fdw " . $server->($n, ''),
		map { "CREATE USER MAPPING FOR curator SERVER $_$n OPTIONS (user 'reader', password_required 'false'); GRANT USAGE ON FOREIGN SERVER $_$n TO curator" } 'shard', 'pulled') } 1, 2));
my $tree = sub {
	my ($name, $kind) = @_;
	return ("CREATE TABLE $name (" . join(', ', @of_both) . ') PARTITION BY LIST (yr); ' . join('; ', map { "CREATE FOREIGN TABLE ${name}_$_ PARTITION OF $name FOR VALUES IN ($_) SERVER $kind$_ OPTIONS (table_name 'dis')" } 1, 2)
		. "; CREATE TABLE ${name}_3 PARTITION OF $name FOR VALUES IN (3); INSERT INTO ${name}_3 " . rows_of(3, 700) . '; ' . ($facts_of_both =~ s/TABLE/$name/gr) . "; SELECT pegs_set_budget('$name', 1e6, 1e-3)");
};
$hub->safe_psql('postgres', 'BEGIN; SET LOCAL ROLE curator; ' . $tree->('dis', 'shard') . '; ' . $tree->('far', 'pulled') . "; CREATE TABLE near (" . join(', ', @of_both) . '); INSERT INTO near ' . join(' UNION ALL ', rows_of(1, 4001), rows_of(2, 4002), rows_of(3, 700)) . '; '
	. ($facts_of_both =~ s/TABLE/near/gr) . "; SELECT pegs_set_budget('near', 1e6, 1e-3); CREATE FOREIGN TABLE one (" . join(', ', @of_both) . ") SERVER shard1 OPTIONS (table_name 'dis'); " . ($facts_of_both =~ s/TABLE/one/gr) . "; SELECT pegs_set_budget('one', 1e6, 1e-3);
	CREATE TABLE family (" . join(', ', @of_both) . "); CREATE FOREIGN TABLE family_1 () INHERITS (family) SERVER shard1 OPTIONS (table_name 'dis'); CREATE FOREIGN TABLE family_2 () INHERITS (family) SERVER shard2 OPTIONS (table_name 'dis'); CREATE TABLE family_3 (dead boolean, gone int, los smallint, sex char(1) CONSTRAINT family_sex_check CHECK (sex IN ('M', 'F')), age int, yr smallint NOT NULL CONSTRAINT family_yr_check CHECK (yr IN (1, 2, 3)));
	ALTER TABLE family_3 DROP gone; ALTER TABLE family_3 INHERIT family; INSERT INTO family_3 (yr, age, sex, los, dead) " . rows_of(3, 700) . '; '
	. ($facts_of_both =~ s/TABLE/family/gr) . "; SELECT pegs_set_budget('family', 1e6, 1e-3); COMMIT");

sub private { return $_[0] =~ /epsilon/ }	# noise: never the same bytes
my %log_at;
sub since { my ($name) = @_; my $text = slurp_file($node{$name}->logfile, $log_at{$name}); return $text }
sub from_now { $log_at{$_} = -s $node{$_}->logfile for 'shard1', 'shard2' }
# one account has spent on rows: no other one of their name is charged for them. Of a view there it is not known here
sub named
{
	my ($of) = @_;
	$node{"shard$_"}->safe_psql('postgres', "CREATE OR REPLACE VIEW dis_of_$of AS TABLE dis; GRANT SELECT ON dis_of_$of TO reader") for 1, 2;
	$hub->safe_psql('postgres', "ALTER FOREIGN TABLE ${of}_$_ OPTIONS (SET table_name 'dis_of_$of')") for 1, 2;
}
for my $kind ("parents => '{\"sex\": [\"age\"]}'", "method => 'marginals'", 'epsilon => 1')
{
	if (private($kind)) { named($_) for 'family', 'far' }
	my (undef, $near) = as_curator("SELECT pegs_fit('near', 'near', '{age,sex,los,dead}', $kind)");
	my $same = $hub->safe_psql('postgres', "SELECT counted('near')");
	from_now();
	my (undef, $dis) = as_curator("SET client_min_messages = debug1; SELECT pegs_fit('dis', 'dis', '{age,sex,los,dead}', $kind)");
	like($dis, qr/counted by an aggregate for each of 3 parts, 2 of them on their own servers/, "$kind: where the rows are") or diag($dis);
	private($kind) or is($hub->safe_psql('postgres', "SELECT counted('dis')"), $same, "$kind: two shards and a partition, the same bytes");
	for my $shard ('shard1', 'shard2')
	{
		my @asked = since($shard) =~ /DECLARE c\d+ CURSOR FOR\s*(.*)/g;
		is(scalar @asked, 1, "$kind: $shard is asked once");
		like($asked[0] // '', qr/^SELECT public\.pegs_agg\('\{.*\}'::json, age, sex, los, dead\), \d FROM public\.dis\s*$/, "$kind: $shard is asked for a state, and for nothing else");
	}
	my (undef, $family) = as_curator("SET client_min_messages = debug1; SELECT pegs_fit('family', 'family', '{age,sex,los,dead}', $kind)");
	like($family, qr/counted by an aggregate for each of 4 parts, 2 of them on their own servers/, "$kind: inheritance");
	private($kind) or is($hub->safe_psql('postgres', "SELECT counted('family')"), $same, "$kind: inheritance, a child with its columns in another order, the same bytes");
	from_now();
	my (undef, $far) = as_curator("SET client_min_messages = debug1; SELECT pegs_fit('far', 'far', '{age,sex,los,dead}', $kind)");
	like($far, qr/parts; rows of "far_1" come here: server "pulled1" is not said to have pegs/, "$kind: rows that come here, and why") or diag($far);
	unlike(since('shard1'), qr/pegs_agg/, "$kind: a server that is not said to have pegs is not asked for it");
	private($kind) or is($hub->safe_psql('postgres', "SELECT counted('far')"), $same, "$kind: rows that come here, the same bytes");
	$hub->safe_psql('postgres', "SELECT pegs_drop(n) FROM unnest(ARRAY['near', 'dis', 'family', 'far']) AS n");
}
$hub->safe_psql('postgres', "ALTER FOREIGN TABLE $_ OPTIONS (SET table_name 'dis')") for 'family_1', 'family_2', 'far_1', 'far_2';
$node{"shard$_"}->safe_psql('postgres', 'DROP VIEW dis_of_family, dis_of_far') for 1, 2;
{
	# one foreign table, without a text column: it ships, because the spec has no collation
	from_now();
	my (undef, $one) = as_curator("SET client_min_messages = debug1; SELECT pegs_fit('one', 'one', '{age,los,dead}', method => 'marginals')");
	like($one, qr/counted by an aggregate on its own server/, 'one foreign table');
	like(since('shard1'), qr/CURSOR FOR\s*SELECT public\.pegs_agg\('[^']*'::json, age, los, dead\), 1 FROM/, 'one foreign table: a state is asked for');
	# by hand: json ships without a text column, text does not
	my $spec = $hub->safe_psql('postgres', "SELECT pegs_spec('one', '{age,los,dead}')");
	like(value("EXPLAIN (VERBOSE, COSTS OFF) SELECT pegs_agg('$spec'::json, age, los, dead) FROM one"), qr/Relations: Aggregate on/, 'by hand: a spec as json ships');
	unlike(value("EXPLAIN (VERBOSE, COSTS OFF) SELECT pegs_agg('$spec'::text, age, los, dead) FROM one"), qr/Relations: Aggregate on/, 'by hand: as text it does not, without a text column');
	# an enum is of this server alone
	$hub->safe_psql('postgres', "SET ROLE curator; CREATE FOREIGN TABLE odd (dead grade) SERVER shard1 OPTIONS (table_name 'odd'); SELECT pegs_set_budget('odd', 1e6)");
	$node{shard1}->safe_psql('postgres', "CREATE TABLE odd AS SELECT 'low'::text AS dead FROM generate_series(1, 10); GRANT SELECT ON odd TO reader");
	my (undef, $odd) = as_curator("SET client_min_messages = debug1; SELECT pegs_fit('odd', 'odd', method => 'marginals')");
	like($odd, qr/rows of "odd" come here: column "dead" is of type grade, which server "shard1" is not said to have/, 'a type that the other server does not have');
	unlike($odd, qr/ERROR/, 'a type that the other server does not have: it is fitted');
	# a part whose row security applies is read through its parent, as ever
	$hub->safe_psql('postgres', "SET ROLE curator; ALTER TABLE dis_3 ENABLE ROW LEVEL SECURITY; ALTER TABLE dis_3 FORCE ROW LEVEL SECURITY");
	my (undef, $policy) = as_curator("SET client_min_messages = debug1; SELECT pegs_fit('policy', 'dis', '{age,sex,los,dead}', method => 'marginals')");
	unlike($policy, qr/each of \d parts/, 'a part with row security of its own: not by itself');
	(undef, my $near) = as_curator("SELECT pegs_fit('near', 'near', '{age,sex,los,dead}', method => 'marginals')");
	is($hub->safe_psql('postgres', "SELECT counted('policy')"), $hub->safe_psql('postgres', "SELECT counted('near')"), 'a part with row security of its own: the same bytes');
	# nor one that the owner may not read by itself: through the parent no right to it is asked
	$hub->safe_psql('postgres', "SET ROLE curator; ALTER TABLE dis_3 DISABLE ROW LEVEL SECURITY; ALTER TABLE dis_3 NO FORCE ROW LEVEL SECURITY; SELECT pegs_drop('policy'); REVOKE SELECT ON dis_3 FROM curator");
	for my $right ('SELECT on it', 'USAGE of its schema')
	{
		(undef, my $without) = as_curator("SET client_min_messages = debug1; SELECT pegs_fit('policy', 'dis', '{age,sex,los,dead}', method => 'marginals')");
		like($without, qr/counted by an aggregate; rows of "dis_1" come here: a part of its table may not be read by itself/, "a part without $right: through the parent") or diag($without);
		is($hub->safe_psql('postgres', "SELECT counted('policy')"), $hub->safe_psql('postgres', "SELECT counted('near')"), "a part without $right: the same bytes");
		$hub->safe_psql('postgres', $right =~ /SELECT/ ? "GRANT SELECT ON dis_3 TO curator; SELECT pegs_drop('policy'); CREATE SCHEMA closed; ALTER TABLE dis_3 SET SCHEMA closed" : "ALTER TABLE closed.dis_3 SET SCHEMA public");
	}
	# nor one of another role, which may be read
	$hub->safe_psql('postgres', "SELECT pegs_drop('policy'); CREATE ROLE other; ALTER TABLE dis_3 OWNER TO other; GRANT SELECT ON dis_3 TO curator");
	(undef, my $foreign) = as_curator("SET client_min_messages = debug1; SELECT pegs_fit('policy', 'dis', '{age,sex,los,dead}', method => 'marginals')");
	like($foreign, qr/counted by an aggregate; rows of "dis_1" come here: a part of its table may not be read by itself \(of another owner/, 'a part of another role: through the parent') or diag($foreign);
	$hub->safe_psql('postgres', "ALTER TABLE dis_3 OWNER TO curator");
	$hub->safe_psql('postgres', "SET ROLE curator; ALTER TABLE dis_3 DISABLE ROW LEVEL SECURITY; ALTER TABLE dis_3 NO FORCE ROW LEVEL SECURITY; SELECT pegs_drop(n) FROM unnest(ARRAY['near', 'policy', 'odd', 'one']) AS n");
}

# ---- 2b. each row once, a person whole, and what came here is said ----

{
	# a condition that postgres_fdw does not send, and a table that was empty when it was last analyzed: rows come here, and that is said to who fits;
	# a scale that a column has here and not there: rows are rounded wherever they are counted
	$node{shard1}->safe_psql('postgres', q{CREATE TABLE fine AS SELECT (ARRAY[4.6, 5.6, 6.6])[1 + i % 3]::numeric AS n, timestamp '2024-01-01 00:00:00.7' + (i % 3) * interval '1 s' AS t, i % 3 AS i FROM generate_series(1, 300) AS i; GRANT SELECT ON fine TO reader});
	my $bins = q{SELECT pegs_set_bins('TABLE', 'n', '{0,5,6,7,10}'), pegs_set_bins('TABLE', 't', '{2024-01-01 00:00:00,2024-01-01 00:00:01,2024-01-01 00:00:02,2024-01-01 00:00:03,2024-01-01 00:00:09}'), pegs_set_levels('TABLE', 'i', '{0,1,2}'), pegs_set_budget('TABLE', 10);};
	$hub->safe_psql('postgres', 'SET ROLE curator; CREATE FOREIGN TABLE fine (n numeric(3, 0), t timestamp(0), i int) SERVER shard1; CREATE TABLE coarse AS TABLE fine; CREATE VIEW turned AS SELECT t AS n, n AS t, i FROM fine;'
		. ($bins =~ s/TABLE/fine/gr) . ($bins =~ s/TABLE/coarse/gr));
	from_now();
	like((as_curator("SET client_min_messages = debug1; SELECT pegs_fit('fine', 'fine', parents => '{}')"))[1], qr/by an aggregate on its own server/, 'a scale of its own here: counted there');
	as_curator("SELECT pegs_fit('coarse', 'coarse', parents => '{}')");
	is($hub->safe_psql('postgres', "SELECT counted('coarse')"), $hub->safe_psql('postgres', "SELECT counted('fine')"), 'a scale of its own here: the same bytes');
	like(since('shard1'), qr/pegs_agg\('\{.*\}'::json, "?numeric"?\(/, 'it is asked for what is rounded');
	like((as_curator("SET client_min_messages = debug1; SELECT pegs_set_bins('turned', 't', '{0,5,6,7,10}'), pegs_set_bins('turned', 'n', '{2024-01-01 00:00:00,2024-01-01 00:00:01,2024-01-01 00:00:02,2024-01-01 00:00:03,2024-01-01 00:00:09}'); SELECT pegs_fit('turned', 'turned', '{t,i}', method => 'marginals', epsilon => 5)"))[1], qr/by an aggregate on its own server/, 'by a view that calls them otherwise');
	is($hub->safe_psql('postgres', "SET ROLE curator; SELECT count(*) < 20 FROM pegs_sample_as(NULL::turned, 'turned', 300) WHERE t < 5"), 't', 'its columns are not taken for others of the same name');
	$hub->safe_psql('postgres', "SELECT pegs_drop(n) FROM unnest('{fine,coarse,turned}'::text[]) AS n; DROP VIEW turned; DROP FOREIGN TABLE fine; DROP TABLE coarse");

	# how many rows are expected there is nobody's who may read the model, so of that nothing is kept
	$node{shard1}->safe_psql('postgres', 'CREATE TABLE late (dead boolean); GRANT SELECT ON late TO reader');
	$hub->safe_psql('postgres', q{SET ROLE curator; CREATE VIEW kept AS SELECT dead FROM one WHERE sex COLLATE "C" = 'M'; CREATE FOREIGN TABLE late (dead boolean) SERVER shard1; ANALYZE late; SELECT pegs_set_budget('late', 1e6)});
	for my $pulled ('kept', 'late')
	{
		from_now();
		my (undef, $read) = as_curator("SET client_min_messages = debug1; SELECT pegs_fit('pulled', '$pulled', method => 'marginals')");
		like($read, qr/counted by an aggregate; rows of "@{[ $pulled eq 'kept' ? 'one' : 'late' ]}" come here: PostgreSQL does not plan it on their server/, "$pulled: rows that came here are not said to have stayed there") or diag($read);
		unlike(since('shard1'), qr/pegs_agg/, "$pulled: they came");
		is($hub->safe_psql('postgres', "SELECT pegs_describe('pulled') ->> 'read'"), 'by an aggregate, which can run on its own server', "$pulled: the model keeps what catalogs say alone");
		$hub->safe_psql('postgres', "SELECT pegs_drop('pulled')");
	}

	# conditions of which that server says, when it is asked (use_remote_estimate), that they find none, one or nearly all of its rows: to a grantee the models say the same
	$node{shard1}->safe_psql('postgres', q{CREATE TABLE told AS SELECT CASE WHEN i = 1 THEN 'rare' ELSE 'g' END AS grp, i % 2 = 0 AS dead FROM generate_series(1, 5000) AS i; GRANT SELECT ON told TO reader; ANALYZE told});
	$hub->safe_psql('postgres', q{CREATE ROLE analyst LOGIN; GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA public TO analyst; SET ROLE curator; CREATE FOREIGN TABLE told (grp text, dead boolean) SERVER shard1 OPTIONS (use_remote_estimate 'true'); SELECT pegs_set_budget('told', 100)});
	my (%plan, %told);
	for my $grp ('none', 'rare', 'g')
	{
		(undef, $plan{$grp}) = as_curator("CREATE VIEW told_$grp AS SELECT dead FROM told WHERE grp = '$grp'; SET client_min_messages = debug1; SELECT pegs_fit('told_$grp', 'told_$grp', epsilon => 1); SELECT pegs_grant('told_$grp', 'analyst')");
		$told{$grp} = $hub->safe_psql('postgres', "SET ROLE analyst; SELECT pegs_describe('told_$grp') ->> 'read'");
	}
	like($plan{none}, qr/rows of "told" come here: PostgreSQL does not plan it on their server/, 'an estimate of that server: of no rows they come') or diag($plan{none});
	like($plan{g}, qr/counted by an aggregate on its own server/, 'an estimate of that server: of many rows they do not') or diag($plan{g});
	is_deeply(\%told, { map { $_ => 'by an aggregate, which can run on its own server' } 'none', 'rare', 'g' }, 'an estimate of that server: an analyst reads nothing of it') or diag(explain \%told);
	$hub->safe_psql('postgres', "SELECT pegs_drop('told_' || g) FROM unnest(ARRAY['none', 'rare', 'g']) AS g");

	# a server's moment is its first use in the transaction: said where rows are in several places, and the transaction is an open one
	my $places = qr/NOTICE:  00000: rows of public\.dis are in 3 places, and another server's are as of its first use in this transaction\nDETAIL:  A row that was moved .*\nHINT:  Where rows move: ROLLBACK; and the same call in a transaction of its own\.\n/;
	(undef, my $in_block) = as_curator("BEGIN; SELECT pegs_fit('block', 'dis', '{dead}', method => 'marginals'); ROLLBACK");
	like($in_block, $places, 'a transaction that is open: it is said') or diag($in_block);
	for my $call ("SELECT pegs_fit('block', 'dis', '{dead}', method => 'marginals'); SELECT pegs_drop('block')", "BEGIN; SELECT pegs_fit('block', 'one', '{dead}', method => 'marginals'); ROLLBACK", "BEGIN; SELECT pegs_fit('block', 'near', '{dead}', method => 'marginals'); ROLLBACK")
	{
		my (undef, $err) = as_curator($call);
		unlike($err, qr/places|ERROR/, "not said: $call") or diag($err);
	}

	# two parts that stand for the same rows would count each of them twice
	my $twice = 'CREATE TABLE twice (dead boolean); CREATE FOREIGN TABLE twice_1 () INHERITS (twice) SERVER shard1 OPTIONS (table_name \'late\'); CREATE FOREIGN TABLE late_too () INHERITS (twice) SERVER OTHER OPTIONS (schema_name \'public\', table_name \'late\')';
	for my $other ('shard1', 'pulled1')
	{
		my (undef, $err) = as_curator("BEGIN; " . ($twice =~ s/OTHER/$other/r) . "; SELECT pegs_set_budget('twice', 1)");
		like($err, qr/ERROR:  55000: "twice_1" and "late_too", parts of "twice", stand for the same rows.*HINT:  ALTER FOREIGN TABLE public.late_too NO INHERIT public.twice;/s, "the same rows twice, by $other: refused") or diag($err);
	}
	my (undef, $err) = as_curator("BEGIN; " . ($twice =~ s/OTHER/shard2/r) . "; SELECT pegs_set_budget('twice', 1)");
	unlike($err, qr/ERROR/, 'rows of the same name on another server: not the same');
	# a part that leads back to this database
	for my $back ('back', 'elsewhere')
	{
		my $dbname = $back eq 'back' ? 'current_database()' : q{'template1'};

		for my $into ('ours1', 'ours')
		{
			my $err = (as_curator("BEGIN; RESET ROLE; SELECT format('CREATE SERVER $back FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host %L, port %L, dbname %L)', current_setting('unix_socket_directories'), current_setting('port'), $dbname) \\gexec
				GRANT USAGE ON FOREIGN SERVER $back TO curator; SET ROLE curator; CREATE TABLE ours (a int, k int) PARTITION BY LIST (k); CREATE TABLE ours1 PARTITION OF ours FOR VALUES IN (1); CREATE FOREIGN TABLE ours2 PARTITION OF ours FOR VALUES IN (2) SERVER $back OPTIONS (table_name '$into'); SELECT pegs_set_budget('ours', 1)"))[1];

			$back eq 'back' ? like($err, qr/ERROR:  55000: foreign table "ours2" leads back to this database\nDETAIL:  It stands for public\.$into, .*HINT:  ALTER TABLE public.ours DETACH PARTITION public.ours2;/s, "this server again, by $into: refused")
				: unlike($err, qr/ERROR/, "another database of it, $into: not the same");
		}
	}
	like(value("BEGIN; CREATE EXTENSION file_fdw; CREATE SERVER files FOREIGN DATA WRAPPER file_fdw; CREATE TABLE filed (a int); " . join('', map { "CREATE FOREIGN TABLE filed_$_ () INHERITS (filed) SERVER files OPTIONS (filename '/nowhere', format '$_'); " } 'csv', 'text') . "SELECT pegs_set_budget('filed', 1)"),
		qr/"filed_csv" and "filed_text", parts of "filed", stand for the same rows/, 'the same file twice: refused');

	# a wrapper goes by what it does, not by its name: renamed, and another of the same handler
	for my $wrapper ('ALTER FOREIGN DATA WRAPPER postgres_fdw RENAME TO pg_far; ALTER FOREIGN DATA WRAPPER file_fdw RENAME TO lines', 'CREATE FOREIGN DATA WRAPPER pg_far HANDLER postgres_fdw_handler VALIDATOR postgres_fdw_validator; CREATE FOREIGN DATA WRAPPER lines HANDLER file_fdw_handler VALIDATOR file_fdw_validator')
	{
		my $what = $wrapper =~ /^(ALTER|CREATE)/ ? $1 : '';
		my $made = "BEGIN; CREATE EXTENSION file_fdw; $wrapper; " . join('', map { "CREATE SERVER again$_ FOREIGN DATA WRAPPER pg_far " . $server->($_, ", extensions 'pegs'") . "; CREATE USER MAPPING FOR curator SERVER again$_ OPTIONS (user 'reader', password_required 'false'); GRANT USAGE ON FOREIGN SERVER again$_ TO curator; " } 1, 2)
			. 'CREATE SERVER files FOREIGN DATA WRAPPER lines; SET client_min_messages = debug1; ';
		my $said = sub { my ($out, $err); $hub->psql('postgres', "$made $_[0]", stdout => \$out, stderr => \$err, extra_params => ['-At'], on_error_stop => 1); return $out . $err };

		like($said->('SET ROLE curator; ' . ($twice =~ s/OTHER/again1/r) . "; SELECT pegs_set_budget('twice', 1)"), qr/"twice_1" and "late_too", parts of "twice", stand for the same rows/, "$what WRAPPER: the same rows twice, refused");
		like($said->('CREATE TABLE filed (a int); ' . join('', map { "CREATE FOREIGN TABLE filed_$_ () INHERITS (filed) SERVER files OPTIONS (filename '/nowhere', format '$_'); " } 'csv', 'text') . "SELECT pegs_set_budget('filed', 1)"),
			qr/"filed_csv" and "filed_text", parts of "filed", stand for the same rows/, "$what WRAPPER: the same file twice, refused");
		my $again = "SET ROLE curator; CREATE FOREIGN TABLE again (dead boolean) SERVER again1 OPTIONS (table_name 'late'); SELECT pegs_set_budget('again', 1);";
		like($said->("$again SELECT pegs_fit('again', 'again', method => 'marginals')"), qr/counted by an aggregate on its own server/, "$what WRAPPER: rows are counted on their server");
		like($said->("$again SELECT pegs_set_budget('again', 1); CREATE FOREIGN TABLE spent (dead boolean) SERVER again1 OPTIONS (table_name 'dis'); SELECT pegs_set_budget('spent', 1)"), qr/ERROR:  the account of "dis" has spent on rows of "spent"/, "$what WRAPPER: rows that another account has paid for");
		like($said->("$again RESET ROLE; SELECT state FROM pegs_health() WHERE item = 'rows of public.again on other servers'"), qr/nor what is fitted by public\.late, whose/, "$what WRAPPER: accounts of the same rows, by pegs_health");
		like($said->("$again ALTER SERVER again1 OPTIONS (DROP options); RESET ROLE; SELECT item FROM pegs_health()" =~ s/ALTER SERVER/RESET ROLE; ALTER SERVER/r), qr/row security of server again1/, "$what WRAPPER: pegs_health looks at its servers");
	}

	# of several settings the last counts
	like($hub->safe_psql('postgres', "BEGIN; ALTER SERVER shard1 OPTIONS (SET options '-c row_security=off -c row_security=on'); SELECT string_agg(item, ',') FROM pegs_health() WHERE NOT ok; ROLLBACK"), qr/row security of server shard1/, 'row security is off, and on again, by pegs_health');
	unlike($hub->safe_psql('postgres', "BEGIN; ALTER SERVER shard1 OPTIONS (SET options '-c row_security=on -c row_security=off'); SELECT string_agg(item, ',') FROM pegs_health() WHERE NOT ok; ROLLBACK"), qr/row security of server shard1/, 'on, and off');

	# whose account pays: two for the same rows are said to be two
	is(value("SELECT state, ok, remedy IS NOT NULL FROM pegs_health() WHERE item = 'rows of public.one on other servers'"), 'shard1: this account pays for what is fitted here; an account there pays for what is fitted there, and nobody adds them;'
		. ' nor what is fitted by public.dis, public.family, public.far, whose rows are the same|f|t', 'accounts of the same rows, by pegs_health');
	is(value("SELECT ok, remedy IS NULL FROM pegs_health() WHERE item = 'rows of public.odd on other servers'"), 't|t', 'the account of other rows, by pegs_health');

	# an account for rows that another one here has paid for; not if that has spent nothing, nor for rows of another server
	(undef, $err) = as_curator("SELECT pegs_fit('late', 'late', method => 'marginals', epsilon => 1); CREATE FOREIGN TABLE later (dead boolean) SERVER pulled1 OPTIONS (table_name 'late'); SELECT pegs_set_budget('later', 1)");
	like($err, qr/ERROR:  55000: the account of "late" has spent on rows of "later"\n.*HINT:  Fit the other table: its account pays\. SELECT \* FROM pegs_ledger WHERE source = 'public\.late'::regclass;/s, 'an account of rows that another one has paid for: refused') or diag($err);
	(undef, $err) = as_curator("RESET ROLE; BEGIN; CREATE ROLE passerby; GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA public TO passerby; GRANT CREATE ON SCHEMA public TO passerby; GRANT USAGE ON FOREIGN SERVER pulled1 TO passerby; SET ROLE passerby;
		CREATE FOREIGN TABLE theirs (dead boolean) SERVER pulled1 OPTIONS (schema_name 'public', table_name 'late'); SELECT pegs_set_budget('theirs', 1)");
	like($err, qr/WARNING:  01000: another account of this database is for the rows of "theirs", too\n.*HINT:  Ask a superuser/s, 'whose it is, is not told to others') or diag($err);
	unlike($err, qr/public\.late|of "late"/, 'nor its name');
	(undef, $err) = as_curator('BEGIN; ' . ($twice =~ s/OTHER/shard2/r) . "; SELECT pegs_set_budget('twice', 1)");
	like($err, qr/ERROR:  55000: the account of "late" has spent on rows of "twice"/, 'and of a part: refused') or diag($err);
	(undef, $err) = as_curator("BEGIN; CREATE FOREIGN TABLE other_late (dead boolean) SERVER shard2 OPTIONS (table_name 'late'); SELECT pegs_set_budget('other_late', 1), pegs_set_budget('late', 2e6); ROLLBACK; DROP FOREIGN TABLE later");
	unlike($err, qr/ERROR/, 'of rows of another server, and its own again: not refused') or diag($err);
	$hub->safe_psql('postgres', "SELECT pegs_drop('late')");

	# persons whose rows are on both shards, and here: as many rows of each as of one table
	my %counted;
	$node{$_}->safe_psql('postgres', 'CREATE TABLE kin AS TABLE dis; GRANT SELECT ON kin TO reader; ANALYZE kin') for 'shard1', 'shard2';
	for my $where ('near', 'dis')
	{
		my $rows = $where eq 'near' ? 'CREATE TABLE kin (' . join(', ', @of_both) . '); INSERT INTO kin ' . join(' UNION ALL ', rows_of(1, 4001), rows_of(2, 4002), rows_of(3, 700)) . '; ' . ($facts_of_both =~ s/TABLE/kin/gr) . "; SELECT pegs_set_budget('kin', 1e6)" : $tree->('kin', 'shard') =~ s/table_name 'dis'/table_name 'kin'/gr;
		my (undef, $err) = as_curator("BEGIN; $rows; SELECT pegs_set_unit('kin', 'age', 7); COMMIT; SELECT pegs_fit('kin', 'kin', '{sex,los,dead}', method => 'marginals')");
		$counted{$where} = $hub->safe_psql('postgres', "SELECT counted('kin')");
		$hub->safe_psql('postgres', 'DROP TABLE kin');
	}
	is($counted{dis}, $counted{near}, 'persons with rows on two shards and here: as many of each as in one table');
}

# ---- 3. faults: the shard is named, nothing is charged, nothing is left ----

my $spent = $hub->safe_psql('postgres', "SELECT string_agg(source || ' ' || spent, ',' ORDER BY source::text) FROM pegs_budgets");
sub fails
{
	my ($what, $expected, %o) = @_;
	my (undef, $err) = as_curator(($o{set} // '') . "SELECT pegs_fit('broken', 'dis', '{age,sex,los,dead}', epsilon => 1)");

	like($err, $expected, "$what: the shard is named") or diag($err);
	unlike($err, qr/remote SQL|seen|DETAIL:(?!  (The other|The server|A state|Each part|Nothing was|They stand for the same rows))/, "$what: none of its words");
	is($hub->safe_psql('postgres', "SELECT string_agg(source || ' ' || spent, ',' ORDER BY source::text) FROM pegs_budgets"), $spent, "$what: nothing is charged");
	is($hub->safe_psql('postgres', "SELECT count(*) FROM pegs_internal.model UNION ALL SELECT count(*) FROM pegs_internal.body"), "0\n0", "$what: nothing is left");
	return $err;
}
my $shard = $node{shard2};
sub on_shard { $shard->safe_psql('postgres', $_[0]) }

on_shard("UPDATE dis SET age = 4711 WHERE ctid = '(0,7)'");
unlike(fails('another domain', qr/ERROR:  23514: reading public\.dis failed on server "shard2".*HINT:.*not declared here/s), qr/4711/, 'another domain: no value');
on_shard("UPDATE dis SET age = 47 WHERE age = 4711");

on_shard('ALTER TABLE dis RENAME dead TO alive');
fails('a column that is not there', qr/ERROR:  42703: reading public\.dis failed on server "shard2".*HINT:  Its own words, for the owner of the foreign table: SELECT \* FROM that table alone/s);
on_shard('ALTER TABLE dis RENAME alive TO dead');

on_shard('ALTER TABLE dis ALTER los TYPE int');
fails('another type', qr/ERROR:  42804: reading public\.dis failed on server "shard2".*HINT:.*another type than here/s);
on_shard('ALTER TABLE dis ALTER los TYPE smallint');

on_shard('REVOKE SELECT ON dis FROM reader');
fails('no right', qr/ERROR:  42501: reading public\.dis failed on server "shard2".*HINT:.*SELECT there/s);
on_shard('GRANT SELECT ON dis TO reader; ALTER TABLE dis ENABLE ROW LEVEL SECURITY; CREATE POLICY young ON dis USING (age < 50)');
fails('row security', qr/ERROR:  42501: reading public\.dis failed on server "shard2".*HINT:.*row security/s);
on_shard('DROP POLICY young ON dis; ALTER TABLE dis DISABLE ROW LEVEL SECURITY');

# what this server knows before it asks: not taken for what shard2 has said
$hub->safe_psql('postgres', 'DROP USER MAPPING FOR curator SERVER shard2');
fails('no user mapping', qr/ERROR:  42704: public\.dis is read as role "curator", which has no user mapping for server "shard2".*HINT:  CREATE USER MAPPING FOR curator SERVER shard2 OPTIONS/s);
$hub->safe_psql('postgres', "CREATE USER MAPPING FOR PUBLIC SERVER shard2 OPTIONS (user 'reader')");
fails('no password', qr/ERROR:  2F003: reading public\.dis failed on this server or one of "shard1", "shard2".*HINT:  Has the user mapping a password.*password_required 'false'/s);
$hub->safe_psql('postgres', "DROP USER MAPPING FOR PUBLIC SERVER shard2; CREATE USER MAPPING FOR curator SERVER shard2 OPTIONS (user 'reader', password_required 'false')");

on_shard('DROP EXTENSION pegs CASCADE');
fails('it lacks pegs', qr/ERROR:  42883: reading public\.dis failed on server "shard2".*HINT:  Is pegs installed there/s);
on_shard("CREATE EXTENSION pegs VERSION '0.2.0'");
fails('an older version', qr/ERROR:  42883: reading public\.dis failed on server "shard2".*HINT:  Is pegs installed there, in the schema and version/s);
on_shard('DROP EXTENSION pegs CASCADE; CREATE EXTENSION pegs');

# another that counts otherwise: bytes that are a state, of another spec; and bytes that are none
on_shard(q{ALTER EXTENSION pegs DROP FUNCTION pegs_agg(json, "any"); DROP AGGREGATE pegs_agg(json, VARIADIC "any"); CREATE TABLE answer AS SELECT pegs_agg('{"pegs": 1, "tables": "pairs", "columns": [{"name": "a", "type": "boolean", "levels": ["t", "f"], "null": false}]}', true) AS s;
	GRANT SELECT ON answer TO reader; CREATE FUNCTION step(text, json, VARIADIC "any") RETURNS text AS '$libdir/pegs', 'pegs_state_in' LANGUAGE C;} =~ s/CREATE FUNCTION step.*//sr);
on_shard(q{CREATE FUNCTION step(int, json, int, char, smallint, boolean) RETURNS int IMMUTABLE LANGUAGE sql AS 'SELECT 1'; CREATE FUNCTION final(int) RETURNS pegs_state LANGUAGE sql AS 'SELECT s FROM public.answer';
	CREATE AGGREGATE pegs_agg(json, int, char, smallint, boolean) (SFUNC = step, STYPE = int, FINALFUNC = final)});
fails('a state of another spec', qr/ERROR:  HV000: what was counted of "dis_2" is not what was asked for/);
on_shard(q{CREATE OR REPLACE FUNCTION final(int) RETURNS pegs_state LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'seen %', (SELECT max(age) FROM public.dis); END $$});
fails('an error with a value', qr/ERROR:  P0001: reading public\.dis failed on server "shard2"/);
# one that is no aggregate has an answer for each row: the right spec, and too often
on_shard('DROP AGGREGATE pegs_agg(json, int, char, smallint, boolean); DROP FUNCTION final(int)');
(my $spec_of_dis = $hub->safe_psql('postgres', "SELECT pegs_spec('dis', '{age,sex,los,dead}')")) =~ s/"pairs"/"triples"/;
on_shard("UPDATE answer SET s = (SELECT pegs_agg('$spec_of_dis'::text, age, sex, los, dead) FROM dis); CREATE FUNCTION pegs_agg(json, int, char, smallint, boolean) RETURNS pegs_state IMMUTABLE LANGUAGE sql AS 'SELECT s FROM public.answer'");
fails('a state for each row', qr/ERROR:  HV000: more has come back than was asked for/);
on_shard("DROP FUNCTION pegs_agg(json, int, char, smallint, boolean); CREATE FUNCTION pegs_agg(json, int, char, smallint, boolean) RETURNS SETOF pegs_state IMMUTABLE LANGUAGE sql AS 'SELECT s FROM public.answer WHERE false'");
fails('no state at all', qr/ERROR:  HV000: only 2 of 3 parts were counted/);
on_shard('DROP FUNCTION pegs_agg(json, int, char, smallint, boolean); DROP EXTENSION pegs CASCADE; CREATE EXTENSION pegs');

# slow: cancelled in the middle, by the hub; and it dies in the middle
on_shard(q{ALTER TABLE dis RENAME TO rows; CREATE FUNCTION slow() RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RAISE WARNING 'seen 4711'; PERFORM pg_sleep(60); RETURN true; END $$; CREATE VIEW dis AS SELECT * FROM rows WHERE yr = 2 AND slow(); GRANT SELECT ON dis TO reader});
fails('slow, and cancelled', qr/ERROR:  57014: reading public\.dis was cancelled, here or by (server "shard2"|this server or one of)/, set => "SET statement_timeout = '1s'; ");
unlike(slurp_file($hub->logfile), qr/seen 4711/, "what a row's function says there is not in the log here");
is($shard->poll_query_until('postgres', "SELECT count(*) = 0 FROM pg_stat_activity WHERE query LIKE '%pegs_agg%' AND state = 'active' AND pid <> pg_backend_pid()"), 1, 'slow, and cancelled: the shard has stopped');
{
	my ($out, $err) = ('', '');
	my $fit = IPC::Run::start([ 'psql', '-XAt', '-d', $hub->connstr('postgres'), '-c', 'SET ROLE curator', '-c', "SELECT pegs_fit('broken', 'dis', '{age,sex,los,dead}', epsilon => 1)" ], '>', \$out, '2>', \$err);
	$shard->poll_query_until('postgres', "SELECT count(*) > 0 FROM pg_stat_activity WHERE wait_event = 'PgSleep'");
	$shard->stop('immediate');
	$fit->finish;
	like($err, qr/ERROR:  reading public\.dis (failed on|was cancelled, here or by) (server "shard2"|this server or one of)/, 'it dies in the middle: the shard is named') or diag($err);
	is($hub->safe_psql('postgres', "SELECT string_agg(source || ' ' || spent, ',' ORDER BY source::text) FROM pegs_budgets"), $spent, 'it dies in the middle: nothing is charged');
}
fails('it is down', qr/ERROR:  08001: reading public\.dis failed on server "shard2".*HINT:  Is that server up, and are its options/s);
$shard->start;
on_shard('DROP VIEW dis; ALTER TABLE rows RENAME TO dis');
{
	my (undef, $err) = as_curator("SELECT pegs_fit('mended', 'dis', '{age,sex,los,dead}', epsilon => 1)");
	unlike($err, qr/ERROR/, 'mended: it fits') or diag($err);
}

# ---- 4. what is left there when rows have been read: nothing that a COMMIT could complain of; and what was charged is said ----

my $of_dis = sub { return $hub->safe_psql('postgres', "SELECT spent FROM pegs_budgets WHERE source = 'dis'::regclass") };
# a function of there writes, and a deferred constraint on that would be looked at in the COMMIT, after the charge
on_shard(q{CREATE TABLE audit (ssn text UNIQUE DEFERRABLE INITIALLY DEFERRED); GRANT SELECT ON audit TO reader; CREATE FUNCTION note() RETURNS boolean LANGUAGE sql SECURITY DEFINER AS $$INSERT INTO public.audit VALUES ('patient 4711') RETURNING true$$;
	ALTER TABLE dis RENAME TO rows; CREATE VIEW dis AS SELECT * FROM rows WHERE note(); GRANT SELECT ON dis TO reader});
my $before = $of_dis->();
{
	my (undef, $err) = as_curator("SELECT pegs_fit('noted', 'dis', '{age,sex,los,dead}', epsilon => 1)");
	unlike($err, qr/ERROR|4711|was charged/, 'a function there writes: fitted') or diag($err);
	cmp_ok($of_dis->(), '>', $before, 'a function there writes: charged');
	is($shard->safe_psql('postgres', 'SELECT count(*) FROM audit'), '0', 'a function there writes: that is undone');
	(undef, $err) = as_curator("SELECT pegs_fit('noted_too', 'dis', '{age,sex,los,dead}', parents => '{}')");
	unlike($err, qr/ERROR|4711/, 'a function there writes: nor in a fit that charges nothing') or diag($err);
	(undef, $err) = as_curator('BEGIN; SELECT count(*) FROM dis; COMMIT');
	like($err, qr/4711/, 'a function there writes: whoever reads it by himself is told') or diag($err);
}
$hub->safe_psql('postgres', "SELECT pegs_drop(m) FROM unnest(ARRAY['mended', 'noted', 'noted_too']) AS m");
$spent = $hub->safe_psql('postgres', "SELECT string_agg(source || ' ' || spent, ',' ORDER BY source::text) FROM pegs_budgets");
# rows have been read, and the session there ends before the charge: nobody sees that but by asking once more
on_shard('DROP VIEW dis; ALTER TABLE rows RENAME TO dis; GRANT SELECT ON dis TO reader');
for my $way ("SELECT pegs_fit('broken', 'dis', '{age,sex,los,dead}', epsilon => 1)",
	q{DO $$ BEGIN BEGIN PERFORM pegs_fit('broken', 'dis', '{age,sex,los,dead}', epsilon => 1); EXCEPTION WHEN OTHERS THEN RAISE NOTICE 'caught % %', SQLSTATE, SQLERRM; END; PERFORM pegs_fit('caught', 'near', '{sex}', method => 'marginals'); RAISE NOTICE 'goes on'; END $$})
{
	my ($in, $out, $err, $nothing) = ('', '', '', '');
	# it waits where its model is to be stored, which is before the charge
	my $holder = IPC::Run::start([ 'psql', '-XAtq', '-d', $hub->connstr('postgres') ], '<', \$in, '>', \$out);
	$in = "BEGIN; LOCK TABLE pegs_internal.model IN SHARE MODE;\n\\echo held\n";
	$holder->pump until $out =~ /held/;
	my $fit = IPC::Run::start([ 'psql', '-XAtq', '-v', 'VERBOSITY=verbose', '-d', $hub->connstr('postgres'), '-c', 'SET ROLE curator', '-c', $way ], '<', \$nothing, '>', \$nothing, '2>', \$err);
	my $read = "SELECT count(*) > 0 FROM pg_stat_activity WHERE usename = 'reader' AND state = 'idle in transaction' AND query ~ 'ROLLBACK TO|CLOSE'";
	ok($shard->poll_query_until('postgres', $read) && $hub->poll_query_until('postgres', "SELECT count(*) = 1 FROM pg_stat_activity WHERE query ~ 'broken' AND wait_event_type = 'Lock'"), 'gone before the charge: it waits');
	on_shard("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'reader'");
	$in = "COMMIT;\n\\q\n";
	$_->finish for $holder, $fit;
	like($err, $way =~ /caught/ ? qr/NOTICE:  00000: caught \w+ reading public\.dis (failed on|was cancelled, here or by) (server "shard2"|this server or one of)/ : qr/ERROR:  \w+: reading public\.dis (failed on|was cancelled, here or by) (server "shard2"|this server or one of)/, 'gone before the charge: the server is named') or diag($err);
	# its transaction cannot be committed any more, by postgres_fdw
	like($err, qr/goes on/, 'gone before the charge: caught, and it goes on') if $way =~ /caught/;
	unlike($err, qr/was charged|terminating/, 'gone before the charge: none of its words');
	is($hub->safe_psql('postgres', "SELECT string_agg(source || ' ' || spent, ',' ORDER BY source::text) FROM pegs_budgets"), $spent, 'gone before the charge: nothing is charged');
	is($hub->safe_psql('postgres', 'SELECT count(*) FROM pegs_models'), '0', 'gone before the charge: nothing is left');
}
# it ends after the charge, which is said; a ROLLBACK is not told what its caller knows
my $charged = qr/WARNING:  01000: epsilon 1 was charged to table "dis" \(fit "kept"\)\nDETAIL:  The charge stays/;
for my $end ('COMMIT', 'ROLLBACK')
{
	my ($in, $out, $err) = ('', '', '');
	my $session = IPC::Run::start([ 'psql', '-XAtq', '-v', 'VERBOSITY=verbose', '-d', $hub->connstr('postgres') ], '<', \$in, '>', \$out, '2>', \$err);

	$before = $of_dis->();
	$in = "SET ROLE curator; BEGIN; SELECT pegs_fit('kept', 'dis', '{age,sex,los,dead}', epsilon => 1);\n\\echo fitted\n";
	$session->pump until $out =~ /fitted/;
	on_shard("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'reader'");
	ok($shard->poll_query_until('postgres', "SELECT count(*) = 0 FROM pg_stat_activity WHERE usename = 'reader'"), "gone before $end");
	$in = "$end;\n\\q\n";
	$session->finish;
	like($err, $charged, 'gone before COMMIT: what was charged is said') if $end eq 'COMMIT';
	like($err, qr/ERROR/, 'gone before COMMIT: beside the error') if $end eq 'COMMIT';
	unlike($err, qr/ERROR|epsilon/, 'gone before ROLLBACK: nothing is said of the charge') if $end eq 'ROLLBACK';
	cmp_ok($of_dis->(), '>', $before, "gone before $end: charged");
	is($hub->safe_psql('postgres', "SELECT count(*) FROM pegs_models WHERE name = 'kept'"), '0', "gone before $end: no model");
}
# several charges of one transaction, and one that is prepared: postgres_fdw refuses that
{
	my (undef, $err) = as_curator('BEGIN; ' . join('', map { "SELECT pegs_fit('k$_', 'dis', '{sex}', epsilon => 1);" } 1 .. 12) . "PREPARE TRANSACTION 'p'");
	is(scalar(() = $err =~ /WARNING:  01000: epsilon 1 was charged to table "dis" \(fit "k\d+"\)/g), 10, 'PREPARE: ten charges are said');
	like($err, qr/there are more charges of this transaction/, 'PREPARE: that there are more');
	(undef, $err) = as_curator("BEGIN; SELECT pegs_fit('k', 'dis', '{sex}', epsilon => 1); COMMIT; BEGIN; SELECT 1/0; COMMIT; SELECT pegs_drop('k')");
	unlike($err, qr/was charged/, 'what was committed is not said later') or diag($err);
}
# of many tries that were refused none has a place among them
{
	my (undef, $err) = as_curator("BEGIN; SELECT pegs_fit('k0', 'dis', '{sex}', parents => '{}'); DO \$\$ BEGIN FOR i IN 1 .. 12 LOOP BEGIN PERFORM * FROM pegs_sample('k0', 1, epsilon => 1e7) AS t (sex char(1)); RAISE NOTICE 'drawn'; EXCEPTION WHEN OTHERS THEN RAISE NOTICE 'refused %', SQLERRM; END; END LOOP; END \$\$;
		SELECT pegs_fit('k_refused', 'dis', '{sex}', epsilon => 1); PREPARE TRANSACTION 'p'");
	is(scalar(() = $err =~ /refused this costs more than is left of the privacy budget/g), 12, 'twelve tries are refused') or diag($err);
	like($err, qr/WARNING:  01000: epsilon 1 was charged to table "dis" \(fit "k_refused"\)/, 'behind refused tries: what was charged is said');
	unlike($err, qr/there are more charges/, 'behind refused tries: there are no more');
}
# what an earlier call of the transaction has read is not asked again: it may be gone, and is nothing to this charge
for my $gone ('DROP FOREIGN TABLE one CASCADE', 'REVOKE SELECT ON one FROM curator', 'ROLLBACK TO a; DROP FOREIGN TABLE one CASCADE')
{
	my (undef, $err) = as_curator("BEGIN; SAVEPOINT a; SELECT pegs_fit('read', 'one', '{sex}', parents => '{}'); $gone; SELECT pegs_fit('charged', 'near', '{sex}', epsilon => 1); SELECT 'charged'; ROLLBACK");
	unlike($err, qr/ERROR/, "read before, and gone: $gone") or diag($err);
}
# what is read outlives the subtransaction, files of it too
{
	my ($out, $err) = as_curator(q{SET work_mem = '64kB'; SELECT count(*), count(DISTINCT los), sum(age) FROM pegs_generalize('one', ARRAY['sex'], 2) AS g (plan), LATERAL pegs_generalized('one', g.plan) AS t (sex text, age int, los smallint, dead boolean)});
	is($out, $shard->safe_psql('postgres', '') . $node{shard1}->safe_psql('postgres', 'SELECT count(*), count(DISTINCT los), sum(age) FROM dis'), 'rows by a plan, in files') or diag($err);
}
$node{$_}->stop for 'hub', 'shard1', 'shard2';
done_testing();
