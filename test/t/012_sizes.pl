# long: run by make test-all (test/run long), not by make test
# Sizes, buffers and counters tell nothing of the data. Two databases get the same statements; their sources have the same
# shape and the same number of rows. In one all rows are equal, in the other they are spread over all combinations. What
# PostgreSQL shows to every role is then the same in both: sizes of relations, row counters, buffers of EXPLAIN, rows and
# buffers of pg_stat_statements. A-32, B.1 routes 3, 4 and 15.
#
# The number of rows of the source is the same here because PostgreSQL shows it to everybody (pg_class.reltuples): it is
# no secret of ours.
use strict;
use warnings;
use Test::More;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;

my $node = PostgreSQL::Test::Cluster->new('sizes');
# nothing may happen by itself: no autovacuum, no checkpoint; nor may a page be logged whole because it is the first time, nor, as
# checksums have it (the default since 18), a hint in it: the first of two databases would log what the two share
$node->init(extra => $node->pg_version >= 18 ? ['--no-data-checksums'] : []);
$node->append_conf('postgresql.conf', q{
autovacuum = off
checkpoint_timeout = 1h
max_wal_size = 4GB
full_page_writes = off
shared_buffers = 64MB
shared_preload_libraries = 'pg_stat_statements'
pg_stat_statements.track = all
pg_stat_statements.track_utility = off
track_functions = all
stats_fetch_consistency = none
});
$node->start;

my $statements = $node->safe_psql('postgres', "SELECT count(*) FROM pg_available_extensions WHERE name = 'pg_stat_statements'");
my $rows = 12000;
my %content = (
	# 40 x 3 x 2 x 5 = 1,200 combinations, or one. Labels of a column have one length: the sources are equally large.
	alike => "SELECT 'ward 10', 'low', true, 10 FROM generate_series(1, $rows)",
	apart => "SELECT 'ward ' || 10 + h % 40, (ARRAY['low', 'mid', 'top'])[1 + h / 40 % 3], h / 120 % 2 = 0, 10 + h / 240 % 5
		FROM (SELECT ('x' || substr(md5(i::text), 1, 7))::bit(28)::int AS h FROM generate_series(1, $rows) AS i) AS r");
my @roles = qw(analyst stranger);
my %begun;						# bytes of a database without models
my $columns = 'ward text, level text, male boolean, score int';

$node->safe_psql('postgres', 'CREATE EXTENSION pg_stat_statements') if $statements;
$node->safe_psql('postgres', 'CREATE ROLE curator LOGIN; CREATE ROLE analyst LOGIN; CREATE ROLE stranger LOGIN');

sub as { my ($db, $role, $sql) = @_; return $node->safe_psql($db, $sql, extra_params => [ '-U', $role ]) }

sub set_up
{
	my ($db) = @_;

	$node->safe_psql('postgres', "CREATE DATABASE $db TEMPLATE made");
	$node->safe_psql($db, qq{
		CREATE TABLE visit (ward text NOT NULL CHECK (ward IN (@{[ join ', ', map { "'ward $_'" } 10 .. 49 ]})),
			level text NOT NULL CHECK (level IN ('low', 'mid', 'top')), male boolean NOT NULL, score int NOT NULL);
		ALTER TABLE visit OWNER TO curator});
	# by a session of its own: the INSERTs read different parts of the catalog, which a session then knows
	$node->safe_psql($db, "INSERT INTO visit $content{$db}");
	$node->safe_psql($db, q{
		GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA public TO curator;
		SELECT pegs_set_bins('visit', 'score', ARRAY['10', '11', '12', '14', '15']);
		SELECT pegs_set_budget('visit', epsilon => 1000);
		VACUUM ANALYZE visit});
	$begun{$db} = $node->safe_psql($db, 'SELECT pg_database_size(current_database())');
	return;
}

# Model by model: independent columns, parents, and the one-bit hash; then a release of each, kept as codes.
my %sealed = (plain => "parents => '{}'", chain => q{parents => '{"level": ["ward", "score"], "male": ["level", "ward", "score"]}'},
	tailed => q{parents => '{"male": ["score"]}', tail_bits => 1});

sub make_sealed
{
	my ($db) = @_;

	for my $name (sort keys %sealed)
	{
		as($db, 'curator', "SELECT pegs_fit('$name', 'visit', $sealed{$name});
			SELECT pegs_grant('$name', 'analyst', epsilon => 100);
			SELECT pegs_release('kept_$name', '$name', 7000, epsilon => 1, block => 700);
			SELECT pegs_grant('kept_$name', 'analyst')");
	}
	# through a state made by hand, and with one column alone
	as($db, 'curator', "SELECT pegs_fit_state('by_hand', 'visit', (SELECT pegs_merge(s) FROM (SELECT pegs_agg((SELECT pegs_spec('visit',
			ARRAY['ward', 'male'], parents => '{}')), ward, male) AS s FROM visit GROUP BY ward = 'ward 10') AS parts),
		ARRAY['ward', 'male'], parents => '{}');
		SELECT pegs_fit('single', 'visit', ARRAY['ward'], parents => '{}')");
	# trees of exact counts: one has a single node, the other as many as its depth allows
	as($db, 'curator', qq{SELECT pegs_score_fit('trees', 'visit', 'male', ARRAY['true'], method => 'tree', options => '{"published": true, "depth": 4, "alpha": [0, 1]}')});
	as($db, 'curator', "SELECT count(pegs_score_published('trees', v, epsilon => 1)) FROM visit AS v");
	return;
}

# What each role sees of it. A session looks at its own statistics too late: each look is a new one.
my %look = (
	'sizes of all relations of the extension' => q{
		SELECT string_agg(format('%s %s %s %s %s', c.relname, c.relkind, pg_relation_size(c.oid), pg_table_size(c.oid), pg_total_relation_size(c.oid)), E'\n' ORDER BY c.relname)
		FROM pg_class AS c WHERE c.relnamespace = 'pegs_internal'::regnamespace AND c.relkind IN ('r', 'i', 'S')},
	'sizes of their TOAST tables' => q{
		SELECT string_agg(format('%s %s %s', c.relname, pg_relation_size(t.oid), pg_total_relation_size(t.oid)), E'\n' ORDER BY c.relname)
		FROM pg_class AS c JOIN pg_class AS t ON t.oid = c.reltoastrelid WHERE c.relnamespace = 'pegs_internal'::regnamespace},
	'pg_class: pages and tuples' => q{
		SELECT string_agg(format('%s %s %s %s %s', c.relname, c.relpages, c.reltuples, t.relpages, t.reltuples), E'\n' ORDER BY c.relname)
		FROM pg_class AS c LEFT JOIN pg_class AS t ON t.oid = c.reltoastrelid WHERE c.relnamespace = 'pegs_internal'::regnamespace},
	# by how much it grew: the texts of our functions in pg_proc are compressed, and hold OIDs, which are others in another database
	'size of the database' => 'SELECT pg_database_size(current_database()) - BEGUN',
	'pg_stat_all_tables, TOAST included' => q{
		SELECT string_agg(concat_ws(' ', c.relname, s.seq_scan, s.seq_tup_read, s.idx_scan, s.idx_tup_fetch, s.n_tup_ins, s.n_tup_upd, s.n_tup_del, s.n_tup_hot_upd, s.n_live_tup, s.n_dead_tup, s.n_mod_since_analyze,
			'TOAST', t.seq_scan, t.seq_tup_read, t.idx_scan, t.idx_tup_fetch, t.n_tup_ins, t.n_tup_upd, t.n_tup_del, t.n_live_tup, t.n_dead_tup), E'\n' ORDER BY c.relname)
		FROM pg_class AS c JOIN pg_stat_all_tables AS s ON s.relid = c.oid LEFT JOIN pg_stat_all_tables AS t ON t.relid = c.reltoastrelid
		WHERE c.relnamespace = 'pegs_internal'::regnamespace OR c.relname = 'visit'},
	'pg_statio_all_tables' => q{
		SELECT string_agg(concat_ws(' ', c.relname, heap_blks_read + heap_blks_hit, idx_blks_read + idx_blks_hit, toast_blks_read + toast_blks_hit, tidx_blks_read + tidx_blks_hit), E'\n' ORDER BY c.relname)
		FROM pg_class AS c JOIN pg_statio_all_tables AS s ON s.relid = c.oid WHERE c.relnamespace = 'pegs_internal'::regnamespace OR c.relname = 'visit'},
	'pg_stat_all_indexes' => q{
		SELECT string_agg(concat_ws(' ', c.relname, idx_scan, idx_tup_read, idx_tup_fetch), E'\n' ORDER BY c.relname)
		FROM pg_class AS c JOIN pg_stat_all_indexes AS s ON s.indexrelid = c.oid WHERE c.relnamespace = 'pegs_internal'::regnamespace},
	'pg_statio_all_sequences' => q{
		SELECT string_agg(concat_ws(' ', relname, blks_read + blks_hit), E'\n' ORDER BY relname) FROM pg_statio_all_sequences WHERE schemaname = 'pegs_internal'},
	'pg_stat_user_functions' => q{SELECT string_agg(concat_ws(' ', funcname, calls), E'\n' ORDER BY funcname, calls) FROM pg_stat_user_functions});
# The words of a statement are hidden from others, its numbers are not: every one of them but time.
$look{'pg_stat_statements of the database'} = q{
		SELECT string_agg(concat_ws(' ', calls, rows, shared_blks_hit + shared_blks_read, local_blks_hit, temp_blks_read, temp_blks_written, wal_records, wal_bytes), E'\n'
			ORDER BY calls, rows, shared_blks_hit + shared_blks_read, wal_records, wal_bytes)
		FROM pg_stat_statements WHERE dbid = (SELECT oid FROM pg_database WHERE datname = 'OTHER')} if $statements;

sub see
{
	my ($db) = @_;
	my %seen;

	# a backend hands in its numbers when it ends, which may be a moment after its psql
	$node->poll_query_until('postgres', "SELECT count(*) = 1 FROM pg_stat_activity WHERE backend_type = 'client backend'") or die 'a backend does not end';
	for my $what (sort keys %look)
	{
		(my $sql = $look{$what}) =~ s/OTHER/$db/;
		$sql =~ s/BEGUN/$begun{$db}/;
		# the extension pg_stat_statements is in one database; its numbers are of all
		for my $role (@roles) { $seen{"$role: $what"} = as($what =~ /statements/ ? 'postgres' : $db, $role, $sql) }
	}
	return \%seen;
}

sub compare
{
	my ($when, $a, $b) = @_;

	for my $what (sort keys %$a)
	{
		isnt($a->{$what}, '', "A-32 $when, $what: there is something to see");
		is($a->{$what}, $b->{$what}, "A-32 $when, $what: the same in both");
	}
	return;
}

# The same without what a VACUUM of the catalog, which is not ours, has a part in.
sub compare_ours
{
	my ($when, @db) = @_;
	my @seen = map { see($_) } @db;

	for my $seen (@seen) { delete @{$seen}{ grep { /statements|database/ } keys %$seen } }
	compare($when, @seen);
	return;
}

# EXPLAIN of a fresh session; twice, for the first one reads the catalog.
sub buffers_of
{
	my ($db, $role, $from) = @_;
	my $sql = "EXPLAIN (ANALYZE, BUFFERS, COSTS OFF, TIMING OFF, SUMMARY OFF) SELECT * FROM $from";
	my $text = as($db, $role, "SET work_mem = '16MB'; SELECT count(*) FROM $from; $sql");

	# where the pages were found is chance, their number is not
	$text =~ s/(shared|local) hit=(\d+) read=(\d+)/"$1 hit=" . ($2 + $3)/ge;
	$text =~ s/ (dirtied|written)=\d+//g;
	return $text;
}

# ---- sealed models: exact counts ----

# Texts of our functions in pg_proc are compressed, and hold OIDs: made twice they would lie on other pages, of which one more or less is
# read. So the extension is made once, and copied.
$node->safe_psql('postgres', 'CREATE DATABASE made');
$node->safe_psql('made', 'CREATE EXTENSION pegs');
for my $db (sort keys %content) { set_up($db) }
# A sequence logs its next value again after a checkpoint, and pegs_set_budget asks for one where the database was made in the
# same second: both begin behind one.
$node->safe_psql('postgres', 'CHECKPOINT');
$node->safe_psql('postgres', 'SELECT pg_stat_statements_reset()') if $statements;
for my $db (sort keys %content) { make_sealed($db) }
compare('sealed models and their releases', see('alike'), see('apart'));

my %buffers;
for my $db (sort keys %content)
{
	for my $name (sort keys %sealed)
	{
		$buffers{"pegs_sample of $name"}{$db} = buffers_of($db, 'analyst', "pegs_sample('$name', 500, epsilon => 1, block => 50) AS t($columns)");
		$buffers{"pegs_sample of $name, given"}{$db} = buffers_of($db, 'analyst', qq{pegs_sample('$name', 500, epsilon => 1, block => 50, given => '{"ward": "ward 49"}') AS t($columns)});
		$buffers{"pegs_rows of kept_$name"}{$db} = buffers_of($db, 'analyst', "pegs_rows('kept_$name') AS t($columns)");
		$buffers{"pegs_cost of $name"}{$db} = buffers_of($db, 'analyst', "pegs_cost('$name', 100, epsilon => 1)");
	}
}
for my $what (sort keys %buffers)
{
	like($buffers{$what}{alike}, qr/Buffers: shared hit=\d+/, "A-32 EXPLAIN (ANALYZE, BUFFERS), $what: shows buffers");
	is($buffers{$what}{alike}, $buffers{$what}{apart}, "A-32 EXPLAIN (ANALYZE, BUFFERS), $what: the same in both");
}
compare('after samples by the analyst', see('alike'), see('apart'));

# Stored values themselves, which only the extension's owner can measure: as long as their header says, never compressed.
for my $of ('body FROM pegs_internal.body ORDER BY model', 'codes FROM pegs_internal.release_rows ORDER BY release, chunk')
{
	my ($value, $table) = $of =~ /^(\w+) FROM \S+\.(\w+)/;
	my %sizes = map { $_ => $node->safe_psql($_, "SELECT pg_column_size($value), octet_length($value), coalesce(pg_column_compression($value), 'plain') " . $of =~ s/^\w+//r) } keys %content;
	my %hashes = map { $_ => $node->safe_psql($_, "SELECT md5($value) " . $of =~ s/^\w+//r) } keys %content;

	is($sizes{alike}, $sizes{apart}, "A-32 pg_column_size of $table");
	unlike($sizes{alike}, qr/\|(?!plain)\w+$/m, "A-32 nothing in $table is compressed");
	like($sizes{alike}, qr/^\d{4,}\|/m, "A-32 some of $table would be worth it");
	# of different content, or all this would be shown of nothing
	isnt($hashes{alike}, $hashes{apart}, "A-32 contents of $table differ");
}

# Statistics that ANALYZE makes, by a superuser or by autovacuum, have no row for a secret column; and the counters stay equal.
$node->safe_psql($_, 'VACUUM ANALYZE') for sort keys %content;
compare_ours('after VACUUM ANALYZE', 'alike', 'apart');

# ---- a dropped sealed model leaves the same hole ----

as($_, 'curator', "SELECT pegs_drop('chain'); SELECT pegs_drop('kept_plain')") for sort keys %content;
compare_ours('after pegs_drop', 'alike', 'apart');

# ---- the volume of the log, which everybody may read, with pages that are logged whole and compressed ----

# Exact counts are stored as bytes that nothing can compress. The rest of the pages has times, numbers of objects and of
# transactions in it: some bytes more or less. Only sealed models have been here: released numbers may be compressed.
$node->append_conf('postgresql.conf', "full_page_writes = on\nwal_compression = on\n");
$node->reload;
sub position { return $node->safe_psql('postgres', "SELECT pg_current_wal_insert_lsn() - '0/0'", extra_params => [ '-U', 'stranger' ]) }
my %deed = (fit => "SELECT pegs_fit('logged', 'visit', parents => '{}')", drop => "SELECT pegs_drop('logged')",
	'fit with parents' => "SELECT pegs_fit('logged', 'visit', $sealed{chain})", 'drop again' => "SELECT pegs_drop('logged')",
	'trees of exact counts' => qq{SELECT pegs_score_fit('logged', 'visit', 'male', ARRAY['true'], method => 'tree', options => '{"published": true, "depth": 8}')}, 'drop of trees' => "SELECT pegs_drop('logged')");
my $round = 0;
# the first round is for the pages of the catalogs
for my $deed ('fit', 'drop', 'fit', 'drop', 'fit with parents', 'drop again', 'trees of exact counts', 'drop of trees')
{
	my %bytes;

	for my $db (qw(alike apart))
	{
		$node->safe_psql($db, 'CHECKPOINT');
		my $before = position();
		as($db, 'curator', $deed{$deed});
		$bytes{$db} = position() - $before;
	}
	next if ++$round <= 2;
	cmp_ok($bytes{alike}, '>', 1500, "A-32 wal_compression, $deed: pages are logged whole");
	cmp_ok(abs($bytes{alike} - $bytes{apart}), '<', 400, "A-32 wal_compression, $deed: as much in both: $bytes{alike}, $bytes{apart}");
}

$node->append_conf('postgresql.conf', "full_page_writes = off\nwal_compression = off\n");
$node->reload;

# ---- perturbed models: released numbers ----

# Which pairs a fit measures is chosen with noise and is a part of what is released: the body of one fit is longer than that
# of the next, on the same rows too. So the law is another: what can be seen of a perturbed model is a function of the file
# that pegs_export gives. The same file, imported next to opposite data, shows the same.
$content{maker} = $content{apart};
set_up('maker');
as('maker', 'curator', "SELECT pegs_fit('noisy', 'visit', epsilon => 1)");
my $file = as('maker', 'curator', "SELECT encode(pegs_export('noisy'), 'hex')");
$node->safe_psql($_, "SELECT pegs_import('copy', decode('$file', 'hex')); SELECT pegs_grant('copy', 'analyst');
	SELECT pegs_release('kept_copy', 'copy', 7000); SELECT pegs_grant('kept_copy', 'analyst')") for qw(alike apart maker);
for my $from ("pegs_sample('copy', 500) AS t($columns)", "pegs_rows('kept_copy') AS t($columns)",
	"pegs_sample('copy', 500, options => '{\"draw\": \"independent\"}') AS t($columns)",
	"pegs_sample('copy', 500, given => '{\"ward\": \"ward 10\"}') AS t($columns)")
{
	my %seen = map { $_ => buffers_of($_, 'analyst', $from) } qw(alike apart);

	like($seen{alike}, qr/Buffers: shared hit=\d+/, "A-32 perturbed, $from: shows buffers");
	is($seen{alike}, $seen{apart}, "A-32 perturbed, $from: the same in both");
}
compare_ours('perturbed model and its release', 'alike', 'apart');
is($node->safe_psql('maker', 'SELECT count(DISTINCT octet_length(body)) FROM pegs_internal.body'), 1, 'A-32 perturbed: a body is as long as its file says');

# The fit itself, before the noise: what it read of the source is there for all to see, and the same.
my $scan = q{SELECT concat_ws(' ', seq_scan, seq_tup_read, idx_scan) FROM pg_stat_user_tables WHERE relname = 'visit'};
as($_, 'curator', "SELECT pegs_fit('noisy', 'visit', epsilon => 1)") for qw(alike apart);
is(as('alike', 'stranger', $scan), as('apart', 'stranger', $scan), 'A-32 perturbed: what the fit read of the source');

$node->stop;
done_testing();
