# Persons whose rows are on other servers: counted there where all rows of each are together, with the same bytes as here, and nothing but states
# comes; a row that is of another part, or a column of another type there, ends the fit. Else their rows come here, and are put together here. Issue 17, claim P10.
use strict;
use warnings;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
plan skip_all => 'postgres_fdw is not installed' unless system("test -e " . $node->config_data('--pkglibdir') . '/postgres_fdw.so') == 0;
$node->init;
$node->append_conf('postgresql.conf', "autovacuum = off\nfsync = off\nlog_statement = 'all'\nmax_parallel_workers_per_gather = 2\n");
$node->start;
my ($host, $port) = ($node->host, $node->port);
$node->safe_psql('postgres', "CREATE DATABASE $_") for 'hub', 's1', 's2';
sub on { my ($database, $sql) = @_; return $node->safe_psql($database, $sql) }
sub try { my ($sql) = @_; my ($out, $err); $node->psql('hub', "\\set VERBOSITY verbose\n$sql", stdout => \$out, stderr => \$err, extra_params => ['-At'], on_error_stop => 1); return $err =~ /ERROR/ ? $err : $out }

my $columns = q{pid int, ward text CHECK (ward IN ('A', 'B', 'C')), age int, ok boolean};
on($_, "CREATE EXTENSION pegs; CREATE TABLE p0 ($columns); CREATE TABLE p1 (LIKE p0); CREATE TABLE p2 (LIKE p0); CREATE TABLE p3 (LIKE p0); CREATE TABLE other_order (ok boolean, age int, ward text, pid int);
	CREATE TABLE as_text (pid text, ward text); CREATE TABLE words (pid text, ward text); CREATE TABLE alone (pid bigint, ward text); INSERT INTO alone VALUES (5, 'A'); CREATE TABLE empty (LIKE p0); CREATE TABLE by_ward (LIKE p0)") for 's1', 's2';
on('hub', q{CREATE EXTENSION pegs; CREATE EXTENSION postgres_fdw;
	CREATE FUNCTION counted(source regclass, k int, w text, columns name[] DEFAULT '{ward,age,ok}') RETURNS text LANGUAGE plpgsql AS $$ DECLARE r text; BEGIN
		PERFORM pegs_set_unit(source, 'pid', k, w); PERFORM pegs_fit('m', source, columns, method => 'marginals');
		SELECT md5(pegs_internal.unmasked(b.body)) || ' ' || (pegs_describe('m') ->> 'read') INTO r FROM pegs_internal.body AS b JOIN pegs_internal.model AS m ON m.id = b.model WHERE m.name = 'm';
		PERFORM pegs_drop('m'); RETURN r; END $$;}
	. join('', map { my $s = $_; map { my ($name, $options) = @$_; "CREATE SERVER $name$s FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '$host', port '$port', dbname 's$s', async_capable 'true', options '-c row_security=off -c client_min_messages=error'$options);
		CREATE USER MAPPING FOR CURRENT_USER SERVER $name$s;" } (['there', ", extensions 'pegs'"], ['pulled', '']) } 1, 2)
	. "CREATE TABLE near ($columns); SELECT setseed(.8); INSERT INTO near SELECT CASE WHEN i % 30 > 0 THEN (random() ^ 2 * 1500)::int END, (ARRAY['A', 'B', 'C', NULL])[1 + floor(random() * 4)::int], (random() * 99)::int, random() < .3
		FROM generate_series(1, 12000) AS i;");
sub declared { my ($table) = @_; return "SELECT pegs_set_bins('$table', 'age', '{0,18,40,65,100}'); SELECT pegs_set_budget('$table', 1e6, 1e-3);" }
on('hub', declared('near'));

# what is compared is without how it was read
my %truth = map { my ($k, $w) = @$_; ("$k $w" => (split / /, on('hub', "SELECT counted('near', $k, '$w')"))[0]) } ([1, 'row'], [3, 'row'], [1, 'person']);
my $log_at;
sub asked { return grep { /pegs_agg|FROM public\./ } (slurp_file($node->logfile, $log_at) =~ /DECLARE c\d+ CURSOR FOR\s*(.*)/g) }
sub same
{
	my ($table, $read, $what) = @_;
	for my $how (sort keys %truth)
	{
		my ($k, $w) = split / /, $how;
		$log_at = -s $node->logfile;
		my ($counts, $words) = split / /, try("SELECT counted('$table', $k, '$w')"), 2;
		is($counts, $truth{$how}, "$what, $how: the same bytes");
		like($words // $counts, $read, "$what, $how: how they were read");
	}
}

# ---- a person's rows are on one server ----

my $parts = sub {
	my ($name, $by, @bounds) = @_;
	my $of = 0;
	return "CREATE TABLE $name (LIKE near INCLUDING ALL) PARTITION BY $by; " . join('', map { my ($server, $table, $bound) = @$_; my $part = $name . '_' . $of++; $server
			? "CREATE FOREIGN TABLE $part PARTITION OF $name $bound SERVER $server OPTIONS (table_name '$table'); " : "CREATE TABLE $part PARTITION OF $name $bound; " } @bounds) . "INSERT INTO $name TABLE near; ANALYZE $name; " . declared($name);
};
my %made = (
	hashed => [3, 4, $parts->('hashed', 'HASH (pid)', map { [('there1', 'there1', 'there2', '')[$_], "p$_", "FOR VALUES WITH (MODULUS 4, REMAINDER $_)"] } 0 .. 3)],
	ranged => [2, 3, $parts->('ranged', 'RANGE (pid)', ['there1', 'p3', 'FOR VALUES FROM (MINVALUE) TO (300)'], ['there2', 'p0', 'FOR VALUES FROM (300) TO (900)'], ['', '', 'DEFAULT'])],
	listed => [2, 3, $parts->('listed', 'LIST (pid)', ['there1', 'p2', 'FOR VALUES IN (0, 1, 2, 3, 5, 8, NULL)'], ['there2', 'p1', 'DEFAULT'], ['', '', 'FOR VALUES IN (4, 6, 7)'])]);
for my $name (sort keys %made)
{
	my ($there, $all, $sql) = @{$made{$name}};

	on('hub', $sql);
	same($name, qr/^person by person, by an aggregate for each of $all parts, $there of which can be counted on their own servers$/, $name);
	my @asked = asked();
	is(scalar @asked, $there, "$name: each is asked once");
	unlike(join("\n", @asked), qr/^(?!SELECT public\.pegs_agg_persons\('\{.*\}'::json, 3, false, 23, .*, pid, ward, age, ok\), \d FROM public\.p\d WHERE \(\(pid IS NOT NULL\)\)\s*$)/m, "$name: for a state, and for nothing else");
}
# the whole table on one server; its columns in another order there
on('hub', "CREATE FOREIGN TABLE one ($columns) SERVER there2 OPTIONS (table_name 'other_order'); INSERT INTO one TABLE near; ANALYZE one; " . declared('one'));
same('one', qr/^person by person, by an aggregate, which can run on its own server$/, 'one server');
# rows of which few are expected come here, and are put together here
on('hub', "CREATE FOREIGN TABLE late ($columns) SERVER there1 OPTIONS (table_name 'empty'); ANALYZE late; INSERT INTO late TABLE near; " . declared('late'));
same('late', qr/^person by person, by an aggregate, which can run on its own server$/, 'it was empty when it was analyzed');
# a fit that is paid for, with the same noise as here
like(try("SELECT pegs_set_unit(t, 'pid', 3) FROM unnest('{hashed,near}'::regclass[]) AS t; SELECT pegs_fit('h', 'hashed', '{ward,ok}', epsilon => 1, delta => 1e-9), pegs_fit('n', 'near', '{ward,ok}', epsilon => 1, delta => 1e-9);
	SELECT 'sigma ' || ((pegs_describe('h') -> 'pairs' -> 0 ->> 'sigma')::numeric / (pegs_describe('n') -> 'pairs' -> 0 ->> 'sigma')::numeric BETWEEN .8 AND 1.25); SELECT pegs_drop(m) FROM unnest('{h,n}'::text[]) AS m"), qr/^sigma true$/m, 'perturbed: the same noise');

# ---- they are not, or nobody knows ----

on('hub', $parts->('by_ward', 'LIST (ward)', ['there1', 'by_ward', "FOR VALUES IN ('A')"], ['', '', 'DEFAULT']) =~ s/INSERT.*//sr . declared('by_ward'));
like(try("SELECT counted('by_ward', 3, 'row')"), qr/row by row: the rows of a person are looked at together, and its table is not partitioned by "pid" alone/, 'by another column: row by row');
on('hub', "CREATE TABLE brought (LIKE near INCLUDING ALL) PARTITION BY HASH (pid); " . join('', map { "CREATE FOREIGN TABLE brought_$_ PARTITION OF brought FOR VALUES WITH (MODULUS 4, REMAINDER $_) SERVER pulled@{[$_ < 2 ? 1 : 2]} OPTIONS (table_name 'p$_'); " } 0 .. 3)
	. declared('brought') =~ s/1e6, 1e-3/1e6/r =~ s/SELECT pegs_set_budget.*//r);
# one account for rows: this one is declared over views
on($_, 'CREATE VIEW v0 AS TABLE p0; CREATE VIEW v1 AS TABLE p1; CREATE VIEW v2 AS TABLE p2; CREATE VIEW v3 AS TABLE p3') for 's1', 's2';
on('hub', join('', map { "ALTER FOREIGN TABLE brought_$_ OPTIONS (SET table_name 'v$_');" } 0 .. 3) . "SELECT pegs_set_budget('brought', 1e6, 1e-3)");
like(try("SELECT counted('brought', 3, 'row')"), qr/row by row: the rows of a person are looked at together, and rows of "brought_0" come here: server "pulled1" is not said to have pegs/, 'a server that is not said to have pegs: row by row');
for my $case (["text COLLATE \"C\", ward text CHECK (ward IN ('A', 'B'))) PARTITION BY RANGE (pid", "FOR VALUES FROM ('a') TO ('m')", qr/column "pid" is a text, which the server of "odd_1" may compare or hash otherwise/, 'a range of texts'],
	["varchar(5), ward text CHECK (ward IN ('A', 'B'))) PARTITION BY LIST (pid", "FOR VALUES IN ('a')", qr/column "pid" of "odd_1" has a length, which its server may not know/, 'a length'],
	["text, ward text CHECK (ward IN ('A', 'B'))) PARTITION BY LIST (pid", "FOR VALUES IN ('a', 'b')", qr/column "pid" is a text, which the server/, 'a list of texts'],
	["bigint, ward text CHECK (ward IN ('A', 'B'))) PARTITION BY LIST (pid", "DEFAULT", qr/^\S+ person by person/, 'the only partition', 'alone'])
{
	my ($how, $bound, $expected, $what, $there) = @$case;

	like(try("BEGIN; CREATE TABLE odd (pid $how); CREATE FOREIGN TABLE odd_1 PARTITION OF odd $bound SERVER there1 OPTIONS (table_name '@{[$there // 'words']}'); SELECT pegs_set_budget('odd', 10); COMMIT; SELECT counted('odd', 1, 'row', '{ward}')") =~ s/^\s+//r, $expected, "$what");
	on('hub', 'DROP TABLE odd');
}
# what another server has says NOT NULL, and is not
on('s1', 'CREATE TABLE somebody (pid int, ward text); INSERT INTO somebody VALUES (NULL, \'A\'), (NULL, \'A\'), (0, \'B\'), (0, \'B\')');
on('hub', "CREATE FOREIGN TABLE somebody (pid int NOT NULL, ward text CHECK (ward IN ('A', 'B'))) SERVER pulled1; CREATE TABLE nobody (pid int, ward text CHECK (ward IN ('A', 'B'))); INSERT INTO nobody VALUES (0, 'B'), (0, 'B');
	SELECT pegs_set_budget(t, 10) FROM unnest('{somebody,nobody}'::regclass[]) AS t");
is((split / /, try("SELECT counted('somebody', 1, 'row', '{ward}')"))[0], (split / /, try("SELECT counted('nobody', 1, 'row', '{ward}')"))[0], "nobody's rows, of a column that says NOT NULL");
on('s1', 'CREATE TABLE text_there (pid text, ward text)');
on('hub', "CREATE FOREIGN TABLE text_person (pid text, ward text CHECK (ward IN ('A', 'B'))) SERVER there1 OPTIONS (table_name 'text_there'); SELECT pegs_set_budget('text_person', 10)");
like(try("SELECT counted('text_person', 1, 'row', '{ward}')"), qr/^\S+ person by person, by an aggregate, which can run on its own server/, 'texts, all on one server');

# ---- another server does not keep to it ----

my $spent = on('hub', "SELECT string_agg(source || ' ' || spent, ',' ORDER BY source::text) FROM pegs_budgets");
sub fails
{
	my ($table, $expected, $what) = @_;
	my $err = try("SELECT pegs_fit('broken', '$table', '{ward}', epsilon => 1)");

	like($err, $expected, $what);
	unlike($err, qr/remote SQL|4711|where it is/, "$what: none of its words");
	is(on('hub', "SELECT string_agg(source || ' ' || spent, ',' ORDER BY source::text) FROM pegs_budgets"), $spent, "$what: nothing is charged");
}
on('s2', 'INSERT INTO p2 SELECT 4711 + i FROM generate_series(1, 3) AS i');
fails('hashed', qr/ERROR:  23514: reading public\.hashed failed on server "there2".*HINT:.*is of another part/s, 'a row of another part, by hash');
on('s2', 'DELETE FROM p2 WHERE pid > 4711; INSERT INTO p0 VALUES (4711)');
fails('ranged', qr/ERROR:  23514: reading public\.ranged failed on server "there2"/, 'by range');
on('s2', 'DELETE FROM p0 WHERE pid = 4711; INSERT INTO p1 VALUES (4)');
fails('listed', qr/ERROR:  23514: reading public\.listed failed on server "there2"/, 'by list');
on('s2', 'DELETE FROM p1 WHERE pid = 4; DROP VIEW v0; ALTER TABLE p0 ALTER pid TYPE bigint');
fails('ranged', qr/ERROR:  42804: reading public\.ranged failed on server "there2".*HINT:.*another type than here/s, 'another type there');
on('s2', 'ALTER TABLE p0 ALTER pid TYPE int; ALTER EXTENSION pegs DROP FUNCTION pegs_agg_persons(json, int, boolean, int, boolean, "any"); DROP AGGREGATE pegs_agg_persons(json, int, boolean, int, boolean, VARIADIC "any")');
fails('ranged', qr/ERROR:  42883: reading public\.ranged failed on server "there2".*HINT:  Is pegs installed there, in the schema and version/s, 'an older version there');

# ---- rows that come here are put together here: by the other server's order of another type they would not be ----

# there 01, 010 and 1 are three texts, and in this order; here 1, 10 and 1
on('s1', q{INSERT INTO as_text SELECT CASE k WHEN 1 THEN '0' WHEN 2 THEN '00' ELSE '' END || i, CASE WHEN i <= 8 THEN 'B' ELSE 'A' END FROM generate_series(1, 3000) AS i, generate_series(1, 3) AS k});
on('hub', q{CREATE FOREIGN TABLE told (pid int, ward text CHECK (ward IN ('A', 'B'))) SERVER pulled1 OPTIONS (table_name 'as_text', use_remote_estimate 'true'); ANALYZE told; CREATE TABLE told_here AS TABLE told;
	SELECT pegs_set_levels('told_here', 'ward', '{A,B}', nullable => true), pegs_set_levels('told', 'ward', '{A,B}', nullable => true), pegs_set_budget('told', 100, 1e-3), pegs_set_budget('told_here', 100, 1e-3)});
is((split / /, try("SELECT counted('told', 1, 'row', '{ward}')"))[0], (split / /, try("SELECT counted('told_here', 1, 'row', '{ward}')"))[0], 'one row of each person, whatever is sorted there');
# what eight persons have is not learnt at epsilon 1, what 24 have is
like(try("SELECT pegs_learn_levels('told', 'ward', epsilon => 1, delta => 1e-6); SELECT 'learnt: ' || string_agg(d::text, ' ') FROM pegs_domain('told') AS d"), qr/learnt: (?!.*\bB\b).*\bA\b/,
	'levels: one row of each person, whatever is sorted there');

# ---- workers ----

on('hub', $parts->('local', 'HASH (pid)', map { ['', '', "FOR VALUES WITH (MODULUS 4, REMAINDER $_)"] } 0 .. 3));
my ($out, $err);
$node->psql('hub', "SELECT pegs_set_unit('local', 'pid', 3); SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0; SET client_min_messages = debug1; SELECT counted('local', 3, 'row')", stdout => \$out, stderr => \$err, extra_params => ['-At']);
like($err, qr/counted person by person, by an aggregate for each of 4 parts; parallel workers that took part: [12]/, 'workers take a part each') or diag($err);
is((split / /, (split /\n/, $out)[-1])[0], $truth{'3 row'}, 'the same bytes');

# nobody else's temporary files show how many rows there were
$log_at = -s $node->logfile;
on('hub', "SET work_mem = '64kB'; SET log_temp_files = 0; SELECT counted('near', 3, 'row'); SELECT counted('local', 3, 'row')");
unlike(slurp_file($node->logfile, $log_at), qr/temporary file/, 'sorted on disk: nothing in the log');
is(on('hub', "SELECT pg_stat_force_next_flush(); SELECT temp_files FROM pg_stat_database WHERE datname = 'hub'") =~ s/^\s+//r, '0', 'nor in the statistics') if $node->safe_psql('postgres', 'SHOW server_version_num') >= 150000;
done_testing();
