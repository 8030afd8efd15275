# long: run by make test-all (test/run long), not by make test
# What a scan of confidential rows shows to others. The counters of the statistics views, pg_stat_statements and pg_locks stay
# as they are, whatever a filter finds; an error that may hold a value is replaced in the message, in its context and in the
# server's log, also when a parallel worker raised it; what cannot hold one is shown. Review of 0.2.0: F3, F4, M6.
use strict;
use warnings;
use Test::More;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;

my $node = PostgreSQL::Test::Cluster->new('shows');
my $statements = -e $node->config_data('--pkglibdir') . '/pg_stat_statements.so';
$node->init;
$node->append_conf('postgresql.conf', "autovacuum = off\nlog_statement = none\nlog_error_verbosity = verbose\nlog_min_messages = debug1\nlog_min_error_statement = debug1\nlog_temp_files = 0\ntrack_functions = all\n"
	. ($statements ? "shared_preload_libraries = 'pg_stat_statements'\npg_stat_statements.track = all\n" : ''));
$node->start;
$node->safe_psql('postgres', 'CREATE EXTENSION pg_stat_statements') if $statements;
$node->safe_psql('postgres', q{CREATE EXTENSION pegs; CREATE ROLE curator LOGIN; CREATE ROLE stranger LOGIN; GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA public TO curator; GRANT ALL ON SCHEMA public TO curator});

sub run
{
	my ($role, $sql) = @_;
	my ($out, $err) = ('', '');

	$node->psql('postgres', $sql, stdout => \$out, stderr => \$err, on_error_stop => 0, extra_params => [ '-U', $role, '-v', 'VERBOSITY=verbose' ]);
	return ($out, $err);
}
sub ok_as { my ($role, $sql, $name) = @_; my ($out, $err) = run($role, $sql); is($err =~ /(ERROR:.*|FATAL:.*)/ ? $1 : '', '', $name); return $out }

# ---- F3: counters ----

# The table and its index; a partitioned one; a materialized view of it. 50 of 50,000 rows are what the filter finds.
ok_as('curator', q{
	CREATE TABLE hiv (id serial PRIMARY KEY, age int NOT NULL CHECK (age IN (0, 1, 2)), diag text NOT NULL, person int NOT NULL);
	INSERT INTO hiv (age, diag, person) SELECT i % 3, CASE WHEN i % 1000 = 7 THEN 'hiv' ELSE 'no' END, i / 3 FROM generate_series(1, 50000) AS i;
	CREATE INDEX hiv_diag ON hiv (diag);
	CREATE TABLE parts (age int NOT NULL CHECK (age IN (0, 1, 2)), diag text NOT NULL) PARTITION BY LIST (diag);
	CREATE TABLE parts_hiv PARTITION OF parts FOR VALUES IN ('hiv'); CREATE TABLE parts_no PARTITION OF parts DEFAULT; INSERT INTO parts SELECT age, diag FROM hiv;
	ANALYZE hiv; ANALYZE parts;
	CREATE VIEW hivv AS SELECT age, person FROM hiv WHERE diag = 'hiv';
	CREATE VIEW hivv2 AS SELECT age FROM hivv WHERE age < 2;
	CREATE VIEW partsv AS SELECT age FROM parts WHERE diag = 'hiv';
	-- a function in SQL that is too dear to be inlined: calls are counted where track_functions is all, and it is called for the rows that the filter finds
	CREATE VIEW busy AS SELECT age FROM hiv WHERE diag = 'hiv' AND pg_catalog.overlaps(timestamp '2020-01-01' + make_interval(days => id % 5)
		+ interval '0' + interval '0' + interval '0' + interval '0' + interval '0' + interval '0' + interval '0' + interval '0' + interval '0' + interval '0' + interval '0' + interval '0',
		interval '1 day', timestamp '2019-01-01', timestamp '2021-01-01');
	CREATE MATERIALIZED VIEW kept AS SELECT age FROM hiv WHERE diag = 'hiv';
	CREATE TABLE many AS SELECT id AS number, person FROM hiv;
	CREATE TABLE codes (age int); INSERT INTO codes VALUES (0), (1), (2);
	CREATE VIEW looked AS SELECT age AS a FROM hiv WHERE diag = 'hiv';
	SELECT pegs_set_budget('hiv', epsilon => 1000, delta => 1e-6), pegs_set_budget('many', 10, 1e-6), pegs_set_unit('many', 'person', 2), pegs_set_budget('parts', epsilon => 1000, delta => 1e-6), pegs_set_levels('looked', 'a', lookup => 'codes', lookup_column => 'age');
	SELECT pegs_fit('audited', 'hivv', ARRAY['age'], epsilon => 1); SELECT pegs_set_bins('hiv', 'person', ARRAY['0', '10000', '20000']);
	SELECT pegs_score_fit('scored', 'hivv', 'age', ARRAY['1'], ARRAY['person'], epsilon => 1)}, 'F3 a table, and views that filter it');

my $names = "'hiv', 'hiv_pkey', 'hiv_diag', 'parts', 'parts_hiv', 'parts_no', 'kept', 'codes', 'many'";
my $counters = qq{
	SELECT 'tables', jsonb_agg(to_jsonb(t) - 'n_mod_since_analyze' ORDER BY relname) FROM pg_stat_all_tables AS t WHERE relname IN ($names)
	UNION ALL SELECT 'tables of this transaction', jsonb_agg(to_jsonb(t) ORDER BY relname) FROM pg_stat_xact_all_tables AS t WHERE relname IN ($names)
	UNION ALL SELECT 'indexes', jsonb_agg(to_jsonb(t) ORDER BY indexrelname) FROM pg_stat_all_indexes AS t WHERE relname IN ($names)
	UNION ALL SELECT 'blocks of tables', jsonb_agg(to_jsonb(t) ORDER BY relname) FROM pg_statio_all_tables AS t WHERE relname IN ($names)
	UNION ALL SELECT 'blocks of indexes', jsonb_agg(to_jsonb(t) ORDER BY indexrelname) FROM pg_statio_all_indexes AS t WHERE relname IN ($names)
	UNION ALL SELECT 'functions', jsonb_agg(to_jsonb(f) ORDER BY funcid) FROM (TABLE pg_stat_user_functions UNION ALL TABLE pg_stat_xact_user_functions) AS f WHERE funcname IN ('overlaps', 'quit_at')
	UNION ALL SELECT 'temporary files', jsonb_build_array(temp_files, temp_bytes) FROM pg_stat_database WHERE datname = 'postgres'};
sub flush { $node->safe_psql('postgres', 'SELECT pg_stat_force_next_flush()') if $node->pg_version >= 15; $node->safe_psql('postgres', 'SELECT pg_sleep(' . ($node->pg_version >= 15 ? 0 : 0.7) . ')') }
# a backend hands in its numbers when it ends, which may be a moment after its psql
sub ended { $node->poll_query_until('postgres', "SELECT count(*) = 1 FROM pg_stat_activity WHERE backend_type = 'client backend'") or die 'a backend does not end' }
sub look { ended(); flush(); return (run('stranger', $counters))[0] }
# after the command, in its own session
my $push = $node->pg_version >= 15 ? 'SELECT pg_stat_force_next_flush();' : 'SELECT pg_sleep(0.7);';

my $before = look();
like($before, qr/hiv_diag/, 'F3 a stranger sees the counters');
ok_as('curator', "SELECT count(*) FROM hivv; SELECT count(*) FROM busy; $push", 'F3 an ordinary query');
isnt(look(), $before, 'F3 an ordinary query moves them');
like(look(), qr/"calls": 50, .*"funcname": "overlaps"/, 'F3 calls of functions among them');
for my $set ('', 'SET enable_seqscan = off', 'SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0; SET min_parallel_index_scan_size = 0; SET max_parallel_workers_per_gather = 2')
{
	my $n = 0;
	for my $command (
		"pegs_fit('f', 'hivv', ARRAY['age'], epsilon => 0.01, delta => 1e-9)", "pegs_fit('f', 'hiv', ARRAY['age'], epsilon => 0.01, delta => 1e-9)", "pegs_fit('f', 'hivv2', epsilon => 0.01)",
		"pegs_fit('f', 'partsv', epsilon => 0.01)", "pegs_fit('f', 'kept', epsilon => 0.01)", "pegs_fit('f', 'looked', epsilon => 0.01)", "pegs_fit('f', 'busy', epsilon => 0.01)", "count(*) FROM pegs_utility('hivv', 'busy', 1, ARRAY['age'])", "pegs_fit('f', 'hivv', ARRAY['age'], parents => '{}')",
		"pegs_fit('f', 'hivv', ARRAY['age'], structure_epsilon => 0.01)", "pegs_learn_levels('hivv', 'person', 0.01, 1e-9)", "pegs_learn_range('hivv', 'person', 0.01)", "count(*) FROM pegs_utility('hivv', 'hivv2', 1, ARRAY['age'])", "count(*) FROM pegs_utility_of('audited', 1)",
		"count(*) FROM pegs_marginals_of('audited')", "count(*) FROM pegs_disclosure('hivv', 'kept', ARRAY['age'], columns => ARRAY['age'])", "count(*) FROM pegs_k_anonymity('hivv', ARRAY['age'])",
		"count(*) FROM pegs_regression('hivv', 'kept', 'logistic', 'age=1', ARRAY['age'])", "count(*) FROM pegs_ru_map('hivv', ARRAY[1.0], n => 10, columns => ARRAY['age']::name[])", "holds FROM pegs_audit('audited', 200)",
		"count(*) FROM pegs_domain('looked')", "pegs_spec('looked')",
		"pegs_generalize('hivv', ARRAY['age']) IS NULL", "count(*) FROM pegs_equivalence_classes('hivv', ARRAY['age'])", "count(*) FROM pegs_generalized('hivv', pegs_generalize('hivv', ARRAY['age'])) AS t(age text, person int)",
		"count(*) FROM pegs_reconstruct('hivv', 'person', '[\"age\"]')", "pegs_score_fit('f', 'hivv', 'age', ARRAY['1'], ARRAY['person'], epsilon => 0.01, delta => 1e-9)",
		"count(*) FROM pegs_score_quality('scored', 'hivv')")
	{
		$before = look();
		my ($out, $err) = run('curator', "$set; SELECT $command; $push");
		next if $command =~ /regression/ && $err =~ /ERROR/;
		is($err =~ /(ERROR:.*)/ ? $1 : '', '', "F3 $command");
		is(look(), $before, "F3 $command ($set): no counter moved");
		run('curator', "SELECT pegs_drop('f')") if $command =~ /'f'/;
		$n++;
	}
	cmp_ok($n, '>', 15, "F3 $n commands");
}
# a person's rows: the sort is as long as the table, and may need a file
ok_as('curator', "SELECT pegs_set_unit('hiv', 'person', 2)", 'F3 a unit');
$before = look();
ok_as('curator', "SET work_mem = '64kB'; SELECT pegs_fit('f', 'hiv', ARRAY['age'], epsilon => 0.01); $push SELECT pegs_drop('f')", 'F3 a fit by persons');
is(look(), $before, 'F3 a fit by persons: no counter moved, no temporary file shows');
# without room for that file: what the server says of it is not shown
$node->safe_psql('postgres', 'ALTER ROLE curator SET temp_file_limit = 64');
like((run('curator', "SET work_mem = '64kB'; SELECT pegs_fit('f', 'hiv', ARRAY['age'], epsilon => 0.01)"))[1], qr{ERROR:  53400: the server ran out of a resource while [^\n]*\nDETAIL:  Nothing was charged\.}, 'F3 a fit by persons without room: in our words');
$node->safe_psql('postgres', 'ALTER ROLE curator RESET temp_file_limit');
ok_as('curator', "SET work_mem = '64kB'; SELECT pegs_learn_levels('many', 'number', 0.01, 1e-9); $push", 'F3 levels learnt, by persons');
is(look(), $before, 'F3 levels learnt, by persons: no counter moved, no temporary file shows');
ok_as('curator', "SELECT pegs_set_unit('hiv', NULL)", 'F3 back to rows');
# Rows by a plan lie in files beside the scan, too, what is left out among them. What is given is an answer like any other, and
# its file counts: here nothing is. Then it is refused once all is sorted.
ok_as('curator', q{CREATE TABLE coarse AS SELECT pegs_generalize('hiv', ARRAY['age']) AS plan}, 'F3 a plan');
my $generalized = q{count(*) FROM pegs_generalized('hiv', (SELECT jsonb_set(plan, '{k}', '1000000') FROM coarse)) AS t(age text, diag text)};
for my $case ([ 'rows by a plan', "SELECT $generalized;", qr/^$/ ],
	[ 'rows by a plan, refused at the end', "BEGIN READ ONLY; SELECT $generalized; ROLLBACK;", qr/ERROR:  25006/ ],
	[ 'rows by a plan, refused and caught', "DO \$\$ BEGIN PERFORM set_config('transaction_read_only', 'on', true); PERFORM $generalized; EXCEPTION WHEN OTHERS THEN RAISE NOTICE 'caught %', SQLSTATE; END \$\$;", qr/caught 25006/ ])
{
	my ($name, $sql, $error) = @$case;
	$node->safe_psql('postgres', 'SELECT pg_stat_statements_reset()') if $statements;
	$before = look();
	my $offset = -s $node->logfile;
	my ($out, $err) = run('curator', "SET work_mem = '64kB'; $sql $push SHOW track_counts; SHOW log_temp_files");
	like($err, $error, "F3 $name");
	like($out, qr/on\n0$/, "F3 $name: afterwards the settings are what they were");
	is(look(), $before, "F3 $name: no counter moved, no temporary file shows");
	unlike(substr(slurp_file($node->logfile), $offset), qr/temporary file/, "F3 $name: nor in the log");
	is((run('stranger', q{SELECT temp_blks_read, temp_blks_written FROM pg_stat_statements WHERE temp_blks_read + temp_blks_written > 0}))[0], '', "F3 $name: nor in pg_stat_statements") if $statements;
}

# An error ends the settings and the sort's temporary file is let go by the abort: also then nothing shows. In its own transaction,
# caught by a block (pg_stat_statements counts the block), caught by a savepoint, and cancelled in the midst of the sort.
ok_as('curator', q{
	CREATE TABLE spill (pid int NOT NULL, age int NOT NULL CHECK (age IN (0, 1, 2)), x int NOT NULL, diag text NOT NULL);
	INSERT INTO spill SELECT i / 2, i % 3, CASE WHEN i = 40000 THEN 7 ELSE 1 END, CASE WHEN i % 2 = 0 THEN 'hiv' ELSE 'no' END FROM generate_series(1, 40000) AS i;
	CREATE VIEW spilled AS SELECT pid, age, x FROM spill WHERE diag = 'hiv';
	SELECT pegs_set_budget('spill', epsilon => 1000, delta => 1e-6), pegs_set_unit('spill', 'pid', 2), pegs_set_levels('spilled', 'x', levels => ARRAY['1', '2'])}, 'F3 a unit, and a row whose value is not declared');
ok_as('curator', q{CREATE TABLE slow_flag (a int NOT NULL); SELECT pegs_set_levels('slow_flag', 'a', levels => ARRAY['0', '1', '2']); CREATE FUNCTION quit_at(int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN IF $1 = 20000 THEN PERFORM pg_cancel_backend(pg_backend_pid()); END IF; RETURN $1; END $$;
	CREATE VIEW quitting AS SELECT age AS a FROM (SELECT age, quit_at(row_number() OVER (ORDER BY pid, age, diag)::int) AS n FROM spill OFFSET 0) AS s WHERE n > 0}, 'F3 a view with a sort, which cancels whoever reads half of it');
my $spill = "SET work_mem = '64kB'; SET max_parallel_workers_per_gather = 0;";
my $numbers = q{SELECT calls, rows, shared_blks_hit + shared_blks_read, local_blks_hit, temp_blks_read, temp_blks_written FROM pg_stat_statements WHERE query = '<insufficient privilege>' AND temp_blks_read + temp_blks_written > 0};
my $failing = "pegs_fit('f', 'spilled', ARRAY['age', 'x'], epsilon => 0.01)";
for my $case (
	[ 'a failed fit', "SELECT $failing;", qr/ERROR:  23514/ ],
	[ 'a failed fit in a block', "BEGIN; SELECT $failing; ROLLBACK;", qr/ERROR:  23514/ ],
	[ 'a failed fit, caught', "DO \$\$ BEGIN PERFORM $failing; EXCEPTION WHEN OTHERS THEN RAISE NOTICE 'caught %', SQLSTATE; END \$\$;", qr/caught 23514/ ],
	[ 'a failed fit after a savepoint', "BEGIN; SAVEPOINT s; SELECT $failing; ROLLBACK TO s; COMMIT;", qr/ERROR:  23514/ ],
	[ 'a cancelled scan', "SELECT count(*) FROM pegs_utility('slow_flag', 'quitting', 1);", qr/ERROR:  57014/ ],
	[ 'a cancelled scan, caught', "DO \$\$ BEGIN PERFORM count(*) FROM pegs_utility('slow_flag', 'quitting', 1); EXCEPTION WHEN query_canceled THEN RAISE NOTICE 'caught %', SQLSTATE; END \$\$;", qr/caught 57014/ ])
{
	my ($name, $sql, $error) = @$case;
	$node->safe_psql('postgres', 'SELECT pg_stat_statements_reset()') if $statements;
	$before = look();
	my $offset = -s $node->logfile;
	my (undef, $err) = run('curator', "$spill $sql $push");
	like($err, $error, "F3 $name: the error");
	is(look(), $before, "F3 $name: no counter moved, no temporary file shows");
	unlike(substr(slurp_file($node->logfile), $offset), qr/temporary file/, "F3 $name: nor in the log");
	is((run('stranger', $numbers))[0], '', "F3 $name: nor in pg_stat_statements") if $statements;
	is((run('curator', "$sql SHOW track_counts; SHOW log_temp_files"))[0] =~ s/.*?(?=on\n|off\n)//sr, "on\n0", "F3 $name: afterwards the settings are what they were") if $sql !~ /^BEGIN/;
}
# the same statements would show it: a sort of these rows does need a file
$before = look();
ok_as('curator', "$spill SELECT count(*) FROM (SELECT * FROM spilled ORDER BY age, pid, x OFFSET 1) AS s; $push", 'F3 an ordinary sort');
isnt(look(), $before, 'F3 an ordinary sort shows its file');
# afterwards the server counts again
ok_as('curator', "SELECT pegs_fit('f', 'hivv', ARRAY['age'], epsilon => 0.01); SELECT count(*) FROM hivv; $push SELECT pegs_drop('f')", 'F3 a query after a fit, in one session');
isnt(look(), $before, 'F3 afterwards the server counts again');
# also after a failed one
run('curator', "SELECT pegs_fit('f', 'hivv', ARRAY['age'], epsilon => 100000)");
is((run('curator', "SELECT pegs_set_bins('hiv', 'id', ARRAY['0', '1']); SELECT pegs_fit('f', 'hiv', ARRAY['id'], parents => '{}'); SHOW track_counts; SHOW log_min_messages; SHOW client_min_messages"))[0] =~ s/^\n+//r, "on\ndebug1\nnotice", 'F3 after an error the settings are what they were');

SKIP: {
	skip 'pg_stat_statements is not installed', 2 unless $statements;
	# what a stranger sees of others' statements: numbers without words
	my $numbers = q{SELECT rows, shared_blks_hit + shared_blks_read, local_blks_hit, temp_blks_written, wal_records FROM pg_stat_statements WHERE query = '<insufficient privilege>' ORDER BY 1, 2, 3, 4, 5};
	my (@seen, @blocks);
	for my $diag ('hiv', 'no')
	{
		ok_as('curator', "CREATE OR REPLACE VIEW hivv3 AS SELECT age FROM hiv WHERE diag = '$diag'", 'F3 a view of few rows, or of many');
		ok_as('curator', "SELECT pegs_fit('f', 'hivv3', parents => '{}'); SELECT pegs_drop('f')", 'F3 once, for the caches');
		$node->safe_psql('postgres', 'SELECT pg_stat_statements_reset()');
		ok_as('curator', "SET enable_seqscan = off; SELECT pegs_fit('f', 'hivv3', parents => '{}')", 'F3 a fit');
		push @seen, (run('stranger', $numbers))[0];
		# 50 blocks or log records are no 50 rows
		unlike($seen[-1], qr/^50\||(^|\|)49950(\||$)/m, "F3 diag = $diag: pg_stat_statements shows no number of rows");
		my ($most) = sort { $b <=> $a } map { (split /\|/)[1] } split /\n/, $seen[-1];
		push @blocks, $most;
		ok_as('curator', "SELECT pegs_drop('f')", 'F3 dropped');
	}
	# the catalogs' own; the table has some 370 blocks
	cmp_ok(abs($blocks[0] - $blocks[1]), '<', 100, "F3 pg_stat_statements shows no blocks of the scan: $blocks[0], $blocks[1]");
}

# pg_locks shows what a serializable transaction has read, to everyone; of some tens of rows the server makes one lock by itself, of three it does not
for my $filter ("diag = 'hiv'", "diag = 'no'", 'id <= 3')
{
	ok_as('curator', "CREATE OR REPLACE VIEW hivv3 AS SELECT age FROM hiv WHERE $filter", 'F3 a view of few rows, or of many');
	my $locks = q{SELECT string_agg(DISTINCT locktype || ' ' || relation::regclass, ',') FROM pg_locks WHERE mode = 'SIReadLock' AND relation::regclass::text IN ('hiv', 'hiv_diag', 'hiv_pkey')};
	my $seen = ok_as('curator', "SET enable_seqscan = off; BEGIN ISOLATION LEVEL SERIALIZABLE; SELECT pegs_fit('f', 'hivv3', parents => '{}'); SET ROLE NONE; $locks; ROLLBACK", 'F3 a serializable transaction');
	is($seen =~ s/^\n//r, 'relation hiv,relation hiv_diag,relation hiv_pkey', "F3 $filter: pg_locks shows whole relations");
}

# of a materialized view the server locks no rows, and pages of an index; of a partitioned table its parts are read
ok_as('curator', q{CREATE MATERIALIZED VIEW once AS SELECT age, diag FROM hiv; CREATE INDEX once_diag ON once (diag); CREATE VIEW oncev AS SELECT age FROM once WHERE diag = 'hiv'; CREATE INDEX parts_diag ON parts (diag)}, 'F3 a materialized view with an index');
for my $case ([ 'oncev', 'relation once_diag' ], [ 'partsv', 'relation parts_hiv,relation parts_hiv_diag_idx' ])
{
	my $locks = q{SELECT string_agg(DISTINCT locktype || ' ' || relation::regclass, ',') FROM pg_locks WHERE mode = 'SIReadLock' AND relation::regclass::text ~ '^(once|parts)'};
	my $seen = ok_as('curator', "SET enable_seqscan = off; BEGIN ISOLATION LEVEL SERIALIZABLE; SELECT pegs_fit('f', '$case->[0]', parents => '{}'); $locks; ROLLBACK", "F3 $case->[0]: a serializable transaction");
	is($seen =~ s/^\n//r, $case->[1], "F3 $case->[0]: pg_locks shows whole relations");
}

# ---- F4, M6: errors ----

my $mark = 'JOHNSMITHHIV';
# what a value makes of it, an expression of a view (v), the SQLSTATE
my @errors = (
	[ "'''$mark'", '(v::tsvector)::text', '42601' ], [ "$mark & HIV positive:", '(v::tsquery)::text', '42601' ], [ "\$.\"$mark", '(v::jsonpath)::text', '42601' ],
	[ "($mark", "regexp_replace('x', v, '')", '2201B' ], [ $mark, 'v::int::text', '22P02' ], [ $mark, 'v::numeric::text', '22P02' ], [ $mark, 'v::uuid::text', '22P02' ],
	[ "{\"$mark", 'v::jsonb::text', '22P02' ], [ "{\"$mark", 'v::json::text', '22P02' ], [ "{$mark", '(v::text[])::text', '22P02' ], [ "[$mark", '(v::int4range)::text', '22P02' ], [ $mark, 'v::inet::text', '22P02' ],
	[ $mark, '(v::point)::text', '22P02' ], [ $mark, '(v::macaddr)::text', '22P02' ], [ $mark, 'v::bit(3)::text', '22P02' ], [ "\\x$mark", 'v::bytea::text', '22023' ], [ $mark, "decode(v, 'base64')::text", '22023' ],
	[ $mark, "decode(v, 'hex')::text", '22023' ], [ $mark, "convert_from('x', v)", '22023' ], [ $mark, "encode('x', v)", '22023' ], [ $mark, "normalize('x', v)", undef ], [ $mark, "sha256(v::bytea)::text || (1 / (length(v) - length(v)))", '22012' ],
	[ "<$mark>", 'v::xml::text', '(2200N|0A000)' ], [ $mark, "format(v || '%s%1\$q', 1)", '22023' ], [ "$mark", 'format(\'%\' || v)', '22023' ], [ "1$mark", 'v::money::text', undef ], [ "9999999999999$mark", 'v::oid::text', undef ],
	[ "$mark", "v::pg_lsn::text", '22P02' ], [ "$mark", "v::txid_snapshot::text", '22P02' ], [ "$mark", "jsonb_path_query_first('{\"a\": 1}', v::jsonpath)::text", undef ], [ "$mark", "jsonb_set('[1]', ARRAY[v], '1')::text", '22P02' ],
	[ "$mark", "((('[\"' || v || '\"]')::jsonb) -> 0)::int::text", '22023' ], [ "$mark.$mark.$mark", "parse_ident(v || '.')::text", '22023' ], [ "$mark", "(parse_ident('1' || v))::text", '22023' ], [ $mark, "to_number('1', repeat(v || '9', 90))::text", undef ],
	[ $mark, "repeat(v, 500000000)", '(54000|XX000)' ], [ $mark, "make_date(length(v) * 1000000, 1, 1)::text", '22008' ], [ $mark, "(ARRAY[1,2])[length(v)]::text || array_fill(1, ARRAY[length(v) * 100000000])::text", '(54000|22000)' ],
	[ $mark, "setweight('a:1'::tsvector, 'Z')::text || v", '22023' ], [ $mark, "pg_catalog.regexp_matches_(v)", undef ], [ $mark, "set_byte('a', 5, length(v))::text", '2202E' ], [ $mark, "ts_rank(ARRAY[2,2,2,2]::float4[], 'a:1'::tsvector, 'a'::tsquery)::text || v", '22023' ],
	[ "$mark", "enum_range(NULL)::text || v", undef ]);
my $tested = 0;
my %classes;
for my $shape ('plain', 'over', 'parallel')
{
	for my $case (@errors)
	{
		my ($value, $expression, $state) = @$case;
		next if !defined $state || ($shape ne 'plain' && $expression !~ /tsquery|uuid|regexp_replace|repeat/);
		my $quoted = $value =~ s/'/''/gr;
		my ($out, $err) = run('curator', qq{
			DROP TABLE IF EXISTS note CASCADE;
			CREATE TABLE note (a boolean NOT NULL, v text NOT NULL); INSERT INTO note SELECT true, '$quoted' FROM generate_series(1, 3000);
			SELECT pegs_set_budget('note', 100);
			CREATE VIEW inner_note AS SELECT a, $expression AS x FROM note;
			@{[ $shape eq 'over' ? "CREATE VIEW vnote AS SELECT a, x FROM inner_note WHERE x <> 'y'" : "CREATE VIEW vnote AS SELECT a, x FROM inner_note" ]}});
		if ($err =~ /ERROR/) { note("no such view: $expression: $err"); next }
		my $set = $shape eq 'parallel' ? 'SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0; SET parallel_leader_participation = off;' : '';
		# what the server says by itself: the case is one, if it fails and speaks of the value
		my (undef, $plain) = run('postgres', 'SET log_min_messages = panic; SELECT count(x) FROM vnote WHERE x IS NOT NULL');
		next unless $plain =~ /ERROR:  $state/;
		my $offset = -s $node->logfile;
		($out, $err) = run('curator', "SET client_min_messages = debug5; $set SELECT pegs_set_levels('vnote', 'x', levels => ARRAY['a'], other => 'o'); SELECT pegs_fit('n1', 'vnote', parents => '{}');
			SELECT count(*) FROM pegs_utility('vnote', 'vnote', 1); SELECT count(*) FROM pegs_k_anonymity('vnote', ARRAY['x'])");
		next if $err =~ /cannot be a source/;	# refused, without reading
		my @states = $err =~ /ERROR:  (\w+)/g;
		is(scalar(@states), 3, "F4 $shape: $expression: all fail") or diag($err);
		like($states[0] // '', qr/^$state$/, "F4 $shape: $expression: with the server's SQLSTATE");
		like($err, qr/reading \S+ failed/, "F4 $shape: $expression: in our words");
		my $log = substr(slurp_file($node->logfile), $offset);
		for my $where ([ 'message', $err ], [ 'log', $log ])
		{
			unlike($where->[1], qr/$mark/i, "F4 $shape: $expression: no value in the $where->[0]");
			unlike($where->[1], qr/\b(6000000000|500000000 |1300000000|1200000000)\b/, "F4 $shape: $expression: no size in the $where->[0]");
		}
		like($log, qr/ERROR:  $state: reading/, "F4 $shape: $expression: the log has our words");
		$classes{ substr($states[0] // '', 0, 2) }++;
		$tested++;
	}
}
cmp_ok($tested, '>', 25, "F4 $tested errors were tried");
cmp_ok(scalar(keys %classes), '>', 2, 'F4 of the classes ' . join(' ', sort keys %classes));

# a lookup table's own values, and what a compared view of one's own says
ok_as('curator', q{CREATE TABLE own (t text); SELECT pegs_set_levels('own', 't', ARRAY['x'])}, 'F4 a table');
ok_as('curator', qq{CREATE FUNCTION tell(text) RETURNS text LANGUAGE plpgsql AS \$\$ BEGIN RAISE NOTICE 'seen $mark %', \$1; RAISE WARNING 'seen $mark %', \$1; RAISE LOG 'seen $mark %', \$1;
	RAISE EXCEPTION 'seen $mark %', \$1 USING ERRCODE = current_setting('my.state'), DETAIL = 'seen $mark', HINT = 'seen $mark'; END \$\$; INSERT INTO own VALUES ('x'); CREATE VIEW telling AS SELECT tell(t) AS t FROM own}, 'F4 a view that tells');
for my $state ('P0001', '23505', '42P01', '42601', '42000', '54000', 'XX000', '55000', '55006', '0A000', '08006', '2F005', 'HV000', '42501', '57014', '53100', '40001', '55P03', '54001', '58030')
{
	my $offset = -s $node->logfile;
	my (undef, $err) = run('curator', "SET my.state = '$state'; SELECT count(*) FROM pegs_utility('own', 'telling', 1)");
	my $shown = $state =~ /^(42501|57014|53100|40001|55P03|54001|58030)$/;
	like($err, qr/ERROR:  $state: @{[ $shown ? 'seen' : 'reading' ]}/, "F4 SQLSTATE $state: " . ($shown ? 'shown' : 'hidden'));
	unlike($err, qr/(NOTICE|WARNING).*$mark|DETAIL.*$mark|CONTEXT/, "F4 SQLSTATE $state: no other message, no detail, no context");
	unlike(substr(slurp_file($node->logfile), $offset), $shown ? qr/(NOTICE|WARNING|LOG): .*$mark/ : qr/seen $mark/, "F4 SQLSTATE $state: nor in the log");
}
# a foreign server chooses its words and SQLSTATE itself; its errors are hidden, those that speak of a cancelled query, too
SKIP: {
	skip 'postgres_fdw is not installed', 35 unless -e $node->config_data('--pkglibdir') . '/postgres_fdw.so';
	$node->safe_psql('postgres', 'CREATE DATABASE far');
	$node->safe_psql('far', qq{CREATE FUNCTION tell(text) RETURNS text LANGUAGE plpgsql AS \$\$ BEGIN RAISE EXCEPTION 'seen $mark %', \$1 USING ERRCODE = (SELECT s FROM public.state), DETAIL = 'seen $mark'; END \$\$;
		CREATE TABLE state AS SELECT 'P0001' AS s; CREATE TABLE told AS SELECT true AS a, 'x'::text AS t; CREATE VIEW far AS SELECT a FROM told WHERE tell(t) IS NOT NULL});
	$node->safe_psql('postgres', q{CREATE EXTENSION postgres_fdw; CREATE SERVER far FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '} . $node->host . q{', port '} . $node->port . q{', dbname 'far');
		CREATE USER MAPPING FOR curator SERVER far OPTIONS (user 'postgres', password_required 'false'); CREATE FOREIGN TABLE far (a boolean NOT NULL) SERVER far; ALTER TABLE far OWNER TO curator});
	ok_as('curator', "SELECT pegs_set_budget('far', 10)", 'F4 a foreign table');
	for my $state ('P0001', '42501', '53100', '40001', '22P02', '58030', '57014', '57P01')
	{
		$node->safe_psql('far', "UPDATE state SET s = '$state'");
		my $offset = -s $node->logfile;
		my (undef, $err) = run('curator', "SELECT pegs_fit('far', 'far', parents => '{}')");
		like($err, qr/ERROR:  $state: @{[ $state =~ m{^57} ? 'reading public\.far was cancelled' : '(reading public\.far failed|the server ran out)' ]}/, "F4 foreign, SQLSTATE $state: hidden");
		unlike($err, qr/$mark/, "F4 foreign, SQLSTATE $state: no value");
		# this is one server for both databases: its own line is the far one's
		unlike(join("\n", grep { /\] 026_\S* / } split /\n/, substr(slurp_file($node->logfile), $offset)), qr/$mark/, "F4 foreign, SQLSTATE $state: no value in the near log");
	}
	# it is asked while the query is planned, too; also for a part of a table
	$node->safe_psql('far', 'CREATE FUNCTION tell() RETURNS boolean IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN PERFORM public.tell(t) FROM public.told; RETURN true; END $$; CREATE VIEW planned AS SELECT public.tell() AS a');
	$node->safe_psql('postgres', q{CREATE FOREIGN TABLE planned (a boolean NOT NULL) SERVER far OPTIONS (use_remote_estimate 'true'); CREATE TABLE whole (a boolean NOT NULL) PARTITION BY LIST (a);
		CREATE FOREIGN TABLE part PARTITION OF whole DEFAULT SERVER far OPTIONS (use_remote_estimate 'true', table_name 'planned'); CREATE VIEW over AS SELECT a FROM whole;
		ALTER TABLE planned OWNER TO curator; ALTER TABLE whole OWNER TO curator; ALTER TABLE part OWNER TO curator; ALTER VIEW over OWNER TO curator});
	ok_as('curator', "SELECT pegs_set_budget('planned', 10), pegs_set_budget('whole', 10)", 'F4 foreign tables that are asked while planning');
	$node->safe_psql('far', "UPDATE state SET s = '42501'");
	for my $source ('planned', 'whole', 'over')
	{
		my $offset = -s $node->logfile;
		(undef, my $err) = run('curator', "SELECT pegs_fit('far', '$source', parents => '{}')");
		like($err, qr/ERROR:  42501: reading public\.$source failed/, "F4 foreign, planning $source: hidden");
		unlike($err, qr/$mark/, "F4 foreign, planning $source: no value");
		unlike(join("\n", grep { /\] 026_\S* / } split /\n/, substr(slurp_file($node->logfile), $offset)), qr/$mark/, "F4 foreign, planning $source: no value in the near log");
	}
}

# what people need to know is still said
my (undef, $err) = run('curator', q{INSERT INTO own VALUES ('y'); SELECT pegs_fit('o', 'own', parents => '{}')});
like($err, qr/column "t" holds a value that is not in its declared domain.*HINT:.*pegs_set_levels/s, 'F4 an undeclared value: our own words');
(undef, $err) = run('curator', q{CREATE VIEW slow AS SELECT a FROM hiv, LATERAL (SELECT true AS a) AS x WHERE pg_sleep(0.01) IS NOT NULL; GRANT SELECT ON slow TO curator; CREATE TABLE flag (a boolean NOT NULL); SET statement_timeout = 300; SELECT count(*) FROM pegs_utility('flag', 'slow', 1)});
like($err, qr/ERROR:  57014: canceling statement due to statement timeout/, 'F4 a timeout says that it was one');
(undef, $err) = run('curator', 'CREATE MATERIALIZED VIEW empty AS SELECT age FROM hiv WITH NO DATA; SELECT pegs_fit(\'e\', \'empty\', parents => \'{}\')');
like($err, qr/ERROR:  55000: materialized view "empty" has not been populated.*REFRESH/s, 'F4 a materialized view without rows says so');

$node->stop;
done_testing();
