# Views, locks and parallel plans are no way round the account, and our relations are no way to it. A view without one row is
# charged to its table; a lock makes a sample wait or fail, never go unpaid; a parallel plan does not pay twice; whatever
# PostgreSQL has to read a relation with is denied; a setting by our prefix is gone. A-21, A-22, A-23, A-26, A-41.
use strict;
use warnings;
use Test::More;
use PegsLedger;

my $holders = 0;
my $pegs = PegsLedger->new('locks', conf => "max_prepared_transactions = 2\n");
my $node = $pegs->node;

# ---- A-21: the view that leaves one person out ----

$pegs->value(q{
	CREATE TABLE person (id int PRIMARY KEY, ward text NOT NULL CHECK (ward IN ('A', 'B')), male boolean NOT NULL);
	INSERT INTO person SELECT i, CASE WHEN i % 3 = 0 THEN 'A' ELSE 'B' END, i % 2 = 0 FROM generate_series(1, 1000) AS i;
	ALTER TABLE person OWNER TO curator;
	GRANT SELECT ON person TO analyst;
	GRANT CREATE ON SCHEMA public TO analyst, curator;
	GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA public TO curator, analyst});
$pegs->as('curator', 'CREATE VIEW all_but_one AS SELECT ward, male FROM person WHERE id <> 777; CREATE VIEW only_one AS SELECT ward, male FROM all_but_one');
my ($out, $err) = $pegs->as('curator', "SELECT pegs_fit('without', 'all_but_one', epsilon => 1)");
like($err, qr/ERROR:  55000/, 'A-21 a view has no budget but its table\'s: there is none yet');
$pegs->as('curator', "SELECT pegs_set_budget('all_but_one', epsilon => 2)");
is($pegs->value("SELECT source || ' ' || epsilon FROM pegs_budgets WHERE source::text IN ('person', 'all_but_one', 'only_one')"), 'person 2', 'A-21 a budget set by the name of a view is the table\'s');
$pegs->as('curator', "SELECT pegs_fit('with', 'person', ARRAY['ward', 'male'], epsilon => 0.75); SELECT pegs_fit('without', 'all_but_one', epsilon => 0.75)");
is($pegs->spent('person'), PegsLedger::units(1.5), 'A-21 table and view pay from one account');
$pegs->as('curator', "SELECT pegs_fit('sealed', 'only_one', parents => '{}'); SELECT count(*) FROM pegs_sample('sealed', 1, epsilon => 0.25) AS t(ward text)");
is($pegs->spent('person'), PegsLedger::units(1.75), 'A-21 so does a sample of a sealed model of a view of the view');
($out, $err) = $pegs->as('curator', "SELECT pegs_fit('more', 'all_but_one', epsilon => 0.5)");
like($err, qr/ERROR:  53400/, 'A-21 what is left is left for all of them');
is($pegs->value("SELECT string_agg(source::text, ' ') FROM pegs_ledger WHERE source = 'person'::regclass AND action <> 'budget'"), 'person person person', 'A-21 the ledger names the table');
$pegs->as('analyst', 'CREATE VIEW mine AS SELECT ward, male FROM person WHERE id <> 777');
($out, $err) = $pegs->as('analyst', "SELECT pegs_fit('stolen', 'mine', epsilon => 0.1); SELECT pegs_set_budget('mine', 100)");
is($err =~ s/.*?ERROR:  (\w+)/$1 /gr =~ s/\s+/ /gr, '42501 42501 ', 'A-21 an analyst\'s own view of the table makes no curator');

# ---- A-22, A-26: what an analyst can lock or read ----

my @relations = split /\n/, $pegs->value("SELECT oid::regclass FROM pg_class WHERE relnamespace = 'pegs_internal'::regnamespace AND relkind = 'r' ORDER BY 1");
my @sequences = split /\n/, $pegs->value("SELECT oid::regclass FROM pg_class WHERE relnamespace = 'pegs_internal'::regnamespace AND relkind = 'S' ORDER BY 1");
cmp_ok(scalar @relations, '>', 10, 'A-22 there are relations to lock');
cmp_ok(scalar @sequences, '>', 4, 'A-22 and accounts');
# with the right to look into the schema, which nobody has: still nothing
for my $usage ('REVOKE USAGE ON SCHEMA pegs_internal FROM analyst, curator', 'GRANT USAGE ON SCHEMA pegs_internal TO analyst, curator')
{
	$pegs->value($usage);
	for my $role ('analyst', 'curator')
	{
		my @ways = map { my $r = $_; map { "LOCK TABLE $r IN $_ MODE" } 'ACCESS SHARE', 'ROW EXCLUSIVE', 'SHARE UPDATE EXCLUSIVE', 'ACCESS EXCLUSIVE' } @relations, 'pegs_budgets', 'pegs_ledger', 'pegs_models', 'pegs_releases';

		# who may read a view may share it with readers
		@ways = grep { !/pegs_(budgets|ledger|models|releases) IN ACCESS SHARE/ } @ways;
		push @ways, map { my $r = $_; map { "SELECT * FROM $r $_" } 'FOR UPDATE', 'FOR KEY SHARE', '' } @relations, @sequences;
		push @ways, map { my $r = $_; map { "SELECT * FROM $r $_" } 'FOR UPDATE', 'FOR KEY SHARE' } 'pegs_budgets', 'pegs_models';
		push @ways, map { ("SELECT nextval('$_')", "SELECT setval('$_', 1)", "ALTER SEQUENCE $_ RESTART", "DROP SEQUENCE $_", "LOCK TABLE $_ IN ACCESS SHARE MODE") } @sequences;
		push @ways, map { ("DELETE FROM $_", "TRUNCATE $_", "ALTER TABLE $_ DISABLE TRIGGER ALL", "DROP TABLE $_", "CREATE INDEX ON $_ ((1))", "VACUUM FULL $_") } @relations;
		($out, $err) = $pegs->as($role, join '', map { "BEGIN; $_; ROLLBACK;\n" } @ways);
		my %states;
		$states{$1}++ while $err =~ /ERROR:  (\w+)/g;
		# a sequence is no table (42809); VACUUM wants no transaction (25001)
		my $denied = ($states{42501} || 0) + ($states{42809} || 0) + ($states{25001} || 0);
		is($denied, scalar @ways, "A-22 $role, after " . ($usage =~ /^(\w+)/)[0] . ': ' . @ways . ' attempts, all denied') or diag(join ' ', %states);
		is($out, '', "A-22 $role: nothing was shown");
	}
}

# Reading, by every means there is, still with that right on the schema: then the relations themselves must say no. A sample
# and a release come first, so that this session has a currval and a lastval to ask for.
my @toast = split /\n/, $pegs->value("SELECT reltoastrelid::regclass FROM pg_class WHERE relnamespace = 'pegs_internal'::regnamespace AND reltoastrelid <> 0");
my @indexes = split /\n/, $pegs->value("SELECT oid::regclass FROM pg_class WHERE relnamespace = 'pegs_internal'::regnamespace AND relkind = 'i'");
$pegs->value("ANALYZE; GRANT CREATE ON SCHEMA public TO analyst");
for my $role ('analyst', 'curator')
{
	my @ways = map { my $r = $_; ("SELECT * FROM $r", "TABLE $r", "COPY $r TO STDOUT", "COPY (SELECT * FROM $r) TO STDOUT", "SELECT to_jsonb(x) FROM $r AS x", "SELECT row_to_json(x) FROM $r AS x", "SELECT count(*) FROM $r", "SELECT ctid FROM $r",
		"SELECT FROM $r LIMIT 0", "EXPLAIN SELECT * FROM $r", "SELECT table_to_xml('$r', true, false, '')", "SELECT query_to_xml('SELECT * FROM $r', true, false, '')", "CREATE VIEW x AS SELECT * FROM $r; SELECT * FROM x",
		"CREATE TABLE x AS TABLE $r", "CREATE MATERIALIZED VIEW x AS TABLE $r", "DO 'BEGIN PERFORM * FROM $r; END'", "DECLARE c CURSOR FOR SELECT * FROM $r", "DEALLOCATE ALL; PREPARE p AS SELECT * FROM $r; EXECUTE p", "INSERT INTO $r SELECT * FROM $r RETURNING *",
		"UPDATE $r SET ctid = ctid") } @relations;
	push @ways, map { my $t = $_; ("SELECT * FROM $t", "SELECT chunk_data FROM $t", "COPY $t TO STDOUT", "TABLE $t") } @toast;
	push @ways, map { my $q = $_; ("SELECT last_value FROM $q", "COPY $q TO STDOUT", "SELECT currval('$q')", "SELECT setval('$q', 1)") } @sequences;
	push @ways, map { ("SELECT * FROM $_", "COPY $_ TO STDOUT") } @indexes;
	push @ways, 'SELECT lastval()', "SELECT unnest(xpath('/*/*', schema_to_xml('pegs_internal', true, false, '')))", 'SELECT * FROM pg_statistic', 'SELECT stxddependencies FROM pg_statistic_ext_data', "SELECT pg_read_binary_file('base/1/1259')",
		"SELECT pg_read_file(pg_relation_filepath('pegs_internal.body'))", "SELECT lo_import('x')", "COPY pegs_internal.body TO '/dev/null'", "COPY pegs_internal.body TO PROGRAM 'cat'";
	my ($sample, $err) = $pegs->as($role, "SELECT count(*) FROM " . $pegs->sample . "; SELECT pegs_release('of $role', 'm', 10, 0.1, 10);\n" . join '', map { "\\echo NEXT\nBEGIN;\n$_;\nROLLBACK;\n" } @ways);
	my @shown = split /NEXT\n?/, $sample;

	is(join(' ', map { "$ways[$_ - 1]: $shown[$_]" } grep { $shown[$_] ne '' } 1 .. $#shown), '', "A-26 $role: " . @ways . ' ways to read, nothing is shown');
	# XML may not be compiled in (0A000), an index or TOAST table be no relation for that command (42809), a system column not be set (0A000); after an error in a transaction the next statement of the same way fails, too (25P02)
	my @other = grep { !/^(42501|42809|0A000|25P02|55000)$/ } $err =~ /ERROR:  (\w+)/g;
	is("@other", '', "A-26 $role: denied, with no other error");
	cmp_ok(scalar(() = $err =~ /ERROR:  42501/g), '>', 0.8 * @ways, "A-26 $role: denied");
	is($pegs->as($role, "SELECT count(*) FROM pg_stats WHERE schemaname = 'pegs_internal'; SELECT count(last_value) FROM pg_sequences WHERE schemaname = 'pegs_internal'; SELECT count(*) FROM pg_stats_ext WHERE schemaname = 'pegs_internal'"), "0\n0\n0",
		"A-26 $role: no statistics, no last value");
	# an error before PostgreSQL 18, NULL since then
	my ($out) = $pegs->as($role, join '', map { "SELECT pg_sequence_last_value('$_'::regclass);\n" } @sequences);
	is($out =~ s/\s+//gr, '', "A-26 $role: pg_sequence_last_value says nothing");
}
$pegs->value('REVOKE USAGE ON SCHEMA pegs_internal FROM analyst, curator');

# What an analyst may do holds nobody up: an open transaction that has read every view, sampled and shared what can be shared.
my $analyst = $pegs->background('analyst');
$analyst->query('BEGIN ISOLATION LEVEL SERIALIZABLE; SELECT * FROM pegs_budgets, pegs_ledger, pegs_models, pegs_releases; LOCK TABLE pegs_budgets, pegs_models IN ACCESS SHARE MODE; SELECT count(pg_advisory_lock(i)) FROM generate_series(0, 2000) AS i');
is($analyst->query('SELECT count(*) FROM ' . $pegs->sample), 10, 'A-22 an open transaction with many locks gets its rows');
($out, $err) = $pegs->as('curator', "SET lock_timeout = '60s'; SELECT count(*) FROM " . $pegs->sample);
is($out, 10, 'A-22 another pays and gets its rows meanwhile');
$analyst->query('ROLLBACK');
$analyst->quit;

# Who changes the budget holds up nobody: until it is committed the old one counts, and a transaction that would take what was
# spent meanwhile cannot be committed (L9; test/isolation/specs/set-budget.spec).
my $holder = $pegs->background('curator');
for my $hold ("SELECT pegs_set_budget('visit', epsilon => 900)", "SELECT pegs_set_budget('visit', epsilon => 1100)")
{
	$holder->query("BEGIN; $hold");
	$pegs->charges("A-22 while another has called $hold", 0.1, sub { scalar $pegs->analyst("SET lock_timeout = '60s'; SELECT count(*) FROM " . $pegs->sample) });
	$pegs->charges('A-22 a release, too', 0.1, sub { scalar $pegs->analyst("SET lock_timeout = '60s'; \\o /dev/null\nSELECT pegs_release('r' || pg_backend_pid(), 'm', 10, 0.1, 10);\n\\o\nSELECT 1") });
	$pegs->charges('A-22 so does a new account of another', 0.1, sub { $pegs->value("SET lock_timeout = '60s'; CREATE TABLE holder_" . ++$holders . " (b boolean NOT NULL); SELECT pegs_set_budget('holder_$holders', 1)");
		scalar $pegs->analyst('SELECT count(*) FROM ' . $pegs->sample) });
	$holder->query('ROLLBACK');
}
$holder->quit;
my (undef, $prepare) = $pegs->as('curator', "BEGIN; SELECT pegs_set_budget('visit', epsilon => 900); PREPARE TRANSACTION 'held'");
like($prepare, qr/ERROR:  0A000/, 'A-22 a change cannot be prepared: all charges would wait for whoever ends it');
my $superuser = $pegs->background('postgres');
for my $relation ('budget', 'access', 'ledger', 'model', 'body')
{
	$superuser->query("BEGIN; LOCK TABLE pegs_internal.$relation IN ACCESS EXCLUSIVE MODE");
	# what is asked after the charge may fail after it; before it nothing is charged
	my $before = $pegs->value("SELECT last_value FROM pegs_internal.epsilon_1");
	($out, $err) = $pegs->analyst("SET lock_timeout = '200ms'; SELECT * FROM " . $pegs->sample);
	like($err, qr/ERROR:  55P03/, "A-22 with $relation locked by the superuser: an error");
	is($out, '', "A-22 with $relation locked by the superuser: no row");
	is($pegs->value("SELECT last_value FROM pegs_internal.epsilon_1"), $before, "A-22 with $relation locked: nothing is charged") if $relation ne 'ledger';
	$superuser->query('ROLLBACK');
}
$superuser->quit;

# ---- A-23: labels, and parallel plans ----

my $members = q{pg_proc AS p JOIN pg_depend AS d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e' JOIN pg_extension AS e ON e.oid = d.refobjid AND e.extname = 'pegs'};
is($pegs->value("SELECT string_agg(p.oid::regprocedure::text, ' ') FROM $members WHERE proname ~ '^pegs_(sample|release|fit|set_|adopt|trace|grant|revoke|drop|import|forbid|unset)' AND (provolatile <> 'v' OR proparallel <> 'u')"), '',
	'A-23 whatever charges or writes is VOLATILE and PARALLEL UNSAFE');
cmp_ok($pegs->value("SELECT count(*) FROM $members WHERE provolatile = 'v' AND proparallel = 'u'"), '>', 10, 'A-23 these are many');
is($pegs->value("SELECT string_agg(p.oid::regprocedure::text, ' ') FROM $members WHERE provolatile = 'i' AND p.prorettype <> 'internal'::regtype AND pronamespace = 'public'::regnamespace AND prokind = 'f'
	AND proname !~ '^pegs_(combine|dirichlet_|report_|unit_cost\$)'"), '', 'A-23 no function of ours is IMMUTABLE for the planner to call early, but for arithmetic and words made of their arguments');

my $parallel = ($node->pg_version >= 16 ? 'SET debug_parallel_query = on;' : 'SET force_parallel_mode = on;')
	. 'SET min_parallel_table_scan_size = 0; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET max_parallel_workers_per_gather = 2;';
$pegs->value('CREATE TABLE big AS SELECT i FROM generate_series(1, 20000) AS i; ANALYZE big; GRANT SELECT ON big TO analyst; ALTER TABLE big SET (parallel_workers = 2)');
like($pegs->value("$parallel EXPLAIN SELECT count(*) FROM big"), qr/Gather/, 'A-23 there are parallel plans');
my $f = $pegs->sample;
my $reader = "pegs_rows('kept') AS t($PegsLedger::columns)";
$pegs->charges('A-23 a release to read', 0.1, sub { $pegs->analyst("SELECT pegs_release('kept', 'm', 10, 0.1, 10)"); return $pegs->analyst("SELECT count(*) FROM $reader") });
for my $sql ("SELECT count(*) FROM $f", "SELECT count(*) FROM big, $f WHERE i <= 10", "SELECT count(*) FROM big WHERE i <= (SELECT count(*) FROM $f)",
	"WITH s AS MATERIALIZED (SELECT * FROM $f) SELECT count(*) FROM big, s WHERE i <= 10", "SELECT sum(n) FROM (SELECT count(*) AS n FROM big UNION ALL SELECT count(*) FROM $f) AS u",
	"SELECT count(*) FROM big WHERE EXISTS (SELECT FROM $f)", "CREATE TEMP TABLE x AS SELECT * FROM $f; SELECT count(*) FROM x")
{
	$pegs->charges("A-23 in parallel: $sql", 0.1, sub { scalar $pegs->analyst("$parallel $sql") });
}
my ($spent, $cap) = ($pegs->spent, $pegs->cap_spent);
is($pegs->analyst("$parallel SELECT count(*) FROM $reader"), 10, 'A-23 in parallel: rows of a release');
is($pegs->analyst("$parallel SELECT count(*) FROM big, $reader WHERE i <= 10"), 100, 'A-23 in parallel: joined');
is($pegs->spent . ' ' . $pegs->cap_spent, "$spent $cap", 'A-23 in parallel: reading is free');
my $account = $pegs->spent;
$pegs->value("$parallel SELECT pegs_fit('in parallel', 'visit', epsilon => 0.5); SELECT pegs_fit('chosen in parallel', 'visit', structure_epsilon => 0.25)");
is($pegs->spent - $account, PegsLedger::units(0.75), 'A-23 in parallel: fits are charged once');

# ---- A-41: a setting by our prefix, made before the library was there to refuse it ----

for my $role ('analyst', 'postgres')
{
	my ($out, $err) = $pegs->as($role, "SET pegs.seed = 42; SHOW pegs.seed; SELECT 'loaded' FROM pegs_row_type('m'); SHOW pegs.seed; SET pegs.seed = 42");
	is($out, "42\nloaded", "A-41 $role: what was set before is gone when the library is loaded");
	is(join(' ', $err =~ /ERROR:  (\w+)/g), '42704 42602', "A-41 $role: and cannot be set again");
}
is($pegs->value("SELECT pegs_row_type('m'); SHOW pegs.after_promotion") =~ s/.*\n//sr, 'refuse', 'A-41 what is not in the configuration file is the careful value');
$node->append_conf('postgresql.conf', "pegs.seed = 42\n");
$node->reload;
($out, $err) = $pegs->analyst("SELECT 'loaded' FROM pegs_row_type('m'); SHOW pegs.seed");
is($out, 'loaded', 'A-41 not even in the configuration file');

$node->stop;
done_testing();
