# long: run by make test-all (test/run long), not by make test
# A dump takes along what is spent, what is released and what is perturbed; not the exact counts of a sealed model, and
# nothing of a table or role that is gone. A-18 (the accounts), A-43 (no counts).
#
# That nothing can be spent in a copy is tested here for each way to restore, for each way to spend in 020_copies.pl.
use strict;
use warnings;
use IPC::Run;
use Test::More;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use PegsLedger;

my $pegs = PegsLedger->new('dump', conf => "max_prepared_transactions = 2\n");
my $node = $pegs->node;
my $columns = $PegsLedger::columns;
my $file = $PostgreSQL::Test::Utils::tmp_check . '/dump';

# as if one column had been learnt
$pegs->value(q{
	SELECT pegs_set_levels('visit', 'ward', '{A, B, C, D}'); UPDATE pegs_internal.fact SET learnt_charge = '{1, 2}', learnt_epsilon = '{5, 6}', learnt_delta = '{7, 8}', learnt_unit = '{row, row}' WHERE column_name = 'ward';
	SELECT pegs_fit('noisy', 'visit', epsilon => 0.5);
	SELECT pegs_grant('noisy', 'analyst');
	SELECT pegs_release('noisy_rows', 'noisy', 100);
	SELECT pegs_grant('noisy_rows', 'analyst');
	GRANT EXECUTE ON FUNCTION pegs_domain(regclass), pegs_health() TO curator});
$pegs->analyst("SELECT pegs_release('rows', 'm', 100, 0.1, 100); BEGIN; SELECT count(*) FROM " . $pegs->sample . '; ROLLBACK');

# What must be the same on both sides.
my %same = (
	'budget and spent' => 'SELECT source, epsilon, spent, remaining, delta, delta_spent FROM pegs_budgets',
	'ledger' => 'SELECT * FROM pegs_ledger ORDER BY epsilon_to, at',
	'verified ledger' => 'SELECT * FROM pegs_verify_ledger()',
	'models' => 'SELECT * FROM pegs_models ORDER BY name',
	'facts, and what they cost' => 'SELECT * FROM pegs_internal.fact ORDER BY source, column_name',
	'releases' => 'SELECT * FROM pegs_releases ORDER BY name',
	'grants' => "SELECT object, grantee, cap, CASE WHEN cap IS NOT NULL THEN pg_sequence_last_value(cap_spent) END FROM pegs_internal.access ORDER BY id",
	'rights' => "SELECT proname, proacl FROM pg_proc WHERE proname IN ('pegs_domain', 'pegs_health', 'pegs_fit') ORDER BY proname",
	'rows of a sealed release' => "SELECT * FROM pegs_rows('rows') AS t($columns)",
	'rows of a perturbed release' => "SELECT * FROM pegs_rows('noisy_rows') AS t($columns)",
	'rows of a perturbed model' => "SELECT * FROM pegs_sample('noisy', 100) AS t($columns)",
	'description of a perturbed model' => "SELECT pegs_describe('noisy')",
	'description of a sealed model' => "SELECT pegs_describe('m')");
my %before = map { $_ => $pegs->value($same{$_}) } keys %same;
my $spent = $pegs->spent;
$pegs->value("CREATE FUNCTION unmasked(bytea) RETURNS bytea LANGUAGE c STRICT AS '\$libdir/pegs', 'pegs_unmasked'");
my $plain = $pegs->value("SELECT encode(unmasked(body), 'hex') FROM pegs_internal.body WHERE model = (SELECT id FROM pegs_internal.model WHERE name = 'm')");
$pegs->value('DROP FUNCTION unmasked(bytea)');
my $body = $pegs->value("SELECT substr(encode(body, 'hex'), 1) FROM pegs_internal.body WHERE model = (SELECT id FROM pegs_internal.model WHERE name = 'm')");
my $noisy = $pegs->value("SELECT encode(body, 'hex') FROM pegs_internal.body WHERE model = (SELECT id FROM pegs_internal.model WHERE name = 'noisy')");

is($spent, PegsLedger::units(0.7), 'A-18 spent before the dump: a fit, a release, a sample rolled back');

# ---- what is in the dump ----

command_ok([ 'pg_dump', '-d', $node->connstr('postgres'), '-f', $file ], 'A-18 pg_dump');
my $dump = slurp_file($file);
cmp_ok(length $body, '>', 100, 'A-43 the sealed model has a body');
is(index($dump, $body), -1, 'A-43 which is not in the dump');
isnt(index($dump, $noisy), -1, 'A-43 that of the perturbed model is');
# The end of the body is the counts: the dump has no part of them either, wherever the line is cut.
is(index($dump, substr $body, -64), -1, 'A-43 nor its end, the counts');
is(index($dump, substr $plain, -64), -1, 'A-43 nor the counts as they are');
my ($copy) = $dump =~ /^(COPY pegs_internal\.body .*?^\\\.$)/ms;
is(scalar(() = ($copy || '') =~ /^\d+\t/mg), 1, 'A-43 one body is in the dump');

# ---- the copy ----

# What is there, and that the sealed model must be fitted again. Then nothing can be spent until a superuser adopts 1.
sub copy_of
{
	my ($name, $from) = @_;
	my $there = bless { node => $node, db => $name }, 'PegsLedger';

	for my $what (sort keys %same) { is($there->value($same{$what}), $before{$what}, "A-18 $name: $what") }
	my ($out, $err) = $there->analyst("\\set VERBOSITY default\nSELECT * FROM " . $there->sample);
	is($out, '', "A-18 $name: a sealed model gives no row");
	like($err, qr/has no tables.*HINT:.*SELECT pegs_drop\('m'\);/s, "A-18 $name: the error says to fit it again");
	is($there->spent, $spent, "A-18 $name: and nothing is charged");
	like($there->copied_from, $from, "A-18 $name: it is a copy");

	$there->value("SELECT pegs_drop('m'); SELECT pegs_fit('m', 'visit', parents => '{}'); SELECT pegs_grant('m', 'analyst', epsilon => 1)");
	$there->refuses("A-18 $name: fitted again", '55000', 'SELECT * FROM ' . $there->sample);
	$there->value("SELECT pegs_adopt('visit', 1, 'test of $name')");
	is($there->copied_from, '', "A-18 $name: adopted");
	$there->charges("A-18 $name: adopted", 0.1, sub { scalar $there->analyst('SELECT count(*) FROM ' . $there->sample) });
	$there->refuses("A-18 $name: no more than what is left", '53400', 'SELECT * FROM ' . $there->sample(epsilon => 0.900000001), 'postgres');
	is($pegs->spent, $spent, "A-18 $name: the original is not touched") unless $name eq 'postgres';
	return $there;
}

sub restored
{
	my ($name, @command) = @_;
	my ($out, $err) = ('', '');

	ok(IPC::Run::run(\@command, '>', \$out, '2>', \$err), $name) or diag($err);
	unlike($err, qr/error/i, "$name: without an error");
	return;
}

# As a script, by psql.
$node->safe_psql('postgres', 'CREATE DATABASE copy');
restored('A-18 psql', 'psql', '-XAtq', '-v', 'ON_ERROR_STOP=1', '-d', $node->connstr('copy'), '-f', $file);
my $there = copy_of('copy', qr/another database/);
# New objects get numbers of their own.
is($there->value("CREATE TABLE t (b boolean NOT NULL); SELECT pegs_set_budget('t', 1); SELECT count(*) FROM pegs_budgets"), "\n2", 'A-18 copy: a further budget');

# The custom format, restored in parallel; the same again over that copy, which was adopted and has spent since.
command_ok([ 'pg_dump', '-Fc', '-d', $node->connstr('postgres'), '-f', "$file.c" ], 'A-18 pg_dump -Fc');
$node->safe_psql('postgres', 'CREATE DATABASE parallel');
restored('A-18 pg_restore -j 2', 'pg_restore', '-j', '2', '-d', $node->connstr('parallel'), "$file.c");
copy_of('parallel', qr/another database/);
# what was made since the dump is not in it, and would keep the extension from being dropped
$node->safe_psql('parallel', 'DROP EXTENSION pegs CASCADE');
restored('A-18 pg_restore --clean over an adopted copy', 'pg_restore', '--clean', '--if-exists', '-d', $node->connstr('parallel'), "$file.c");
copy_of('parallel', qr/another database/);

# In parallel the tables of an extension come in any order: the one that pg_dump would not choose must do, too.
my ($toc) = run_command([ 'pg_restore', '-l', "$file.c" ]);
my @toc = split /\n/, $toc;
my @data = grep { $toc[$_] =~ / TABLE DATA pegs_internal / } 0 .. $#toc;
cmp_ok(scalar @data, '>', 8, 'A-18 there are tables with data in the dump');
@toc[@data] = reverse @toc[@data];
append_to_file("$file.list", join "\n", @toc, '');
$node->safe_psql('postgres', 'CREATE DATABASE backwards');
restored('A-18 pg_restore -L, tables backwards', 'pg_restore', '-L', "$file.list", '-d', $node->connstr('backwards'), "$file.c");
copy_of('backwards', qr/another database/);

# A directory, restored a section at a time.
command_ok([ 'pg_dump', '-Fd', '-j', '2', '-d', $node->connstr('postgres'), '-f', "$file.d" ], 'A-18 pg_dump -Fd -j 2');
$node->safe_psql('postgres', 'CREATE DATABASE sections');
restored("A-18 pg_restore --section=$_", 'pg_restore', "--section=$_", '-d', $node->connstr('sections'), "$file.d") for 'pre-data', 'data', 'post-data';
copy_of('sections', qr/another database/);

# Loaded into a database that has it all already: nothing is created or copied, but every sequence is set back.
$node->safe_psql('postgres', 'CREATE DATABASE twice');
restored('A-18 psql', 'psql', '-XAtq', '-v', 'ON_ERROR_STOP=1', '-d', $node->connstr('twice'), '-f', $file);
$there = copy_of('twice', qr/another database/);
$there->value("SELECT pegs_fit('more', 'visit', epsilon => 0.3); SELECT pegs_adopt('visit', 0.55, 'a delta that is not there')");
$there->value('SELECT count(*) FROM ' . $there->sample(epsilon => 0.05));
is($there->value('SELECT remaining FROM pegs_budgets'), '0.5', 'A-18 loaded twice: 0.5 remains');
$there->as('postgres', "\\set QUIET on\n\\i $file");
is($there->spent, $spent, 'A-18 loaded twice: the account is set back');
for my $call (grep { $_->[1] ne 'curator' } $there->charging)
{
	my ($what, $role, $sql) = @$call;
	# the numbers of releases were set back, too: one that is taken stops it before the account does
	$there->refuses("A-18 loaded twice: $what", $what eq 'pegs_release' ? '23505' : '55000', $sql, $role);
}
is($there->value("SELECT string_agg(DISTINCT finding, ', ') FROM pegs_verify_ledger() WHERE NOT ok AND finding !~ ' charges?\$'"), 'outside (0, spent]',
	'A-18 loaded twice: pegs_verify_ledger sees it');
$there->refuses('A-18 loaded twice: adopted with more than was left', '22023', "SELECT pegs_adopt('visit', 0.500000001, 'x')", 'postgres');
$there->value("SELECT pegs_adopt('visit', 0.5, 'loaded twice')");
is($there->value('SELECT remaining FROM pegs_budgets'), '0.5', 'A-18 loaded twice: adopted, what was left is left');
$there->charges('A-18 loaded twice: adopted', 0.5, sub { scalar $there->analyst('SELECT count(*) FROM ' . $there->sample(epsilon => 0.5)) });
$there->refuses('A-18 loaded twice: no more', '53400', 'SELECT * FROM ' . $there->sample(epsilon => 1e-9, n => 1));

# The same with --clean where something was made since the dump: its sequence keeps the extension from being dropped, the
# tables are made anew. The account of the old table is left behind; what is left gives nothing and breaks nothing.
$node->safe_psql('postgres', 'CREATE DATABASE half');
restored('A-18 psql', 'psql', '-XAtq', '-v', 'ON_ERROR_STOP=1', '-d', $node->connstr('half'), '-f', $file);
$there = copy_of('half', qr/another database/);
$there->value("CREATE TABLE since (b boolean NOT NULL); SELECT pegs_set_budget('since', 1)");
my ($out, $err) = ('', '');
ok(!IPC::Run::run([ 'pg_restore', '--clean', '--if-exists', '-d', $node->connstr('half'), "$file.c" ], '>', \$out, '2>', \$err), 'A-18 half restored: errors');
like($err, qr/cannot drop extension pegs/, 'A-18 half restored: the extension stays');
for my $call ($there->charging)
{
	my ($what, $role, $sql) = @$call;
	($out, $err) = $there->as($role, $sql);
	like("$out$err", qr/^[^\n]*ERROR:  \w{5}$/, "A-18 half restored: $what: an error and no row");
}
for my $view ('pegs_budgets', 'pegs_ledger', 'pegs_models', 'pegs_releases', 'pegs_verify_ledger()', 'pegs_health()')
{
	(undef, $err) = $there->as('postgres', "SELECT * FROM $view");
	is($err, '', "A-18 half restored: $view can be read");
}

# Over the original itself: cluster, database and timeline are the same, and what was spent since the dump is forgotten.
$pegs->value('SELECT count(*) FROM ' . $pegs->sample(epsilon => 5));
restored('A-18 pg_restore --clean over the original', 'pg_restore', '--clean', '--if-exists', '-d', $node->connstr('postgres'), "$file.c");
copy_of('postgres', qr/^in this database before a dump was restored into it$/);

# ---- any name, any schema ----

$node->safe_psql('postgres', q{CREATE ROLE "an ""odd"" röle"; CREATE DATABASE odd});
my $odd = bless { node => $node, db => 'odd' }, 'PegsLedger';
my $path = q{SET search_path = "Of the extension, á"; };
my $name = q{"Sales, 'old'"."a ""table"" .x; --"};
my $literal = q{'"Sales, ''old''"."a ""table"" .x; --"'};
$odd->value(qq{
	CREATE SCHEMA "Of the extension, á"; CREATE EXTENSION pegs SCHEMA "Of the extension, á";
	CREATE SCHEMA "Sales, 'old'";
	CREATE TABLE "Sales, 'old'"."levels, of" ("a ""level""" text PRIMARY KEY);
	INSERT INTO "Sales, 'old'"."levels, of" VALUES ('x'), ('it''s'), (E'tab\\t');
	CREATE TABLE $name ("a ""level""" text NOT NULL, "n, m" int NOT NULL, "Who?" text, "yes" boolean) PARTITION BY LIST ("yes");
	CREATE TABLE "Sales, 'old'".one PARTITION OF $name DEFAULT;
	INSERT INTO $name SELECT 'x', i, i, true FROM generate_series(1, 40) AS i;
	CREATE MATERIALIZED VIEW "Sales, 'old'"."a view" AS SELECT "a ""level""", "yes" FROM $name;
	$path
	SELECT pegs_set_levels($literal, 'a "level"', lookup => '"Sales, ''old''"."levels, of"', lookup_column => 'a "level"');
	SELECT pegs_set_bins($literal, 'n, m', '{0, 10, 100}', points => '{10, 20}', step => '5', undeclared => 'drop', nullable => false); SELECT pegs_leave_out($literal, 'Who?');
	SELECT pegs_set_unit($literal, 'Who?', 2);
	SELECT pegs_forbid($literal, '{"a \\"level\\"": "it''s", "yes": false}');
	SELECT pegs_set_hierarchy($literal, 'a "level"', '[{"lookup": "\\"Sales, ''old''\\".\\"levels, of\\"", "key": "a \\"level\\"", "value": "a \\"level\\""}]');
	SELECT pegs_set_budget($literal, 10, delta => 1e-6);
	SELECT pegs_fit('a ''model''', $literal, epsilon => 1, delta => 1e-7, columns => ARRAY['a "level"', 'n, m', 'yes']);
	SELECT pegs_set_unit($literal, NULL);
	SELECT pegs_fit('of the view', '"Sales, ''old''"."a view"', parents => '{}');
	SELECT pegs_set_unit($literal, 'Who?', 2);
	SELECT pegs_release('a ''release''', 'a ''model''', 50);
	SELECT pegs_grant('a ''release''', 'an "odd" röle'); SELECT pegs_grant('of the view', 'an "odd" röle', 0.5);
	SELECT pegs_grant('a ''model''', 'public')});
$odd->value($path . q{SELECT * FROM pegs_sample('of the view', 5, 0.25, 5) AS t("a ""level""" text, "yes" boolean)});
my $odd_columns = q{"a ""level""" text, "n, m" int, "yes" boolean};
my @odd = map { $path . $_ } 'SELECT source, epsilon, spent, remaining, delta, delta_spent FROM pegs_budgets',
	'SELECT * FROM pegs_ledger ORDER BY epsilon_to, at', 'SELECT * FROM pegs_models ORDER BY name', 'SELECT * FROM pegs_releases',
	"SELECT * FROM pegs_rows('a ''release''') AS t($odd_columns)", "SELECT * FROM pegs_sample('a ''model''', 9) AS t($odd_columns)",
	"SELECT * FROM pegs_domain($literal)", "SELECT pegs_facts($literal)", "SELECT * FROM pegs_hierarchy($literal, 'a \"level\"')", 'SELECT source, combination FROM pegs_internal.forbidden', 'SELECT source, column_name, max_rows, rows_each, attnum FROM pegs_internal.unit',
	'SELECT object, grantee, cap, CASE WHEN cap IS NOT NULL THEN pg_sequence_last_value(cap_spent) END FROM pegs_internal.access ORDER BY id';
my @was = map { $odd->value($_) } @odd;
is($was[0], "$name|10|0.999196014|9.000803986|0.000001|0", 'odd names: the budget');

command_ok([ 'pg_dump', '-Fc', '-d', $node->connstr('odd'), '-f', "$file.odd" ], 'odd names: pg_dump');
$node->safe_psql('postgres', 'CREATE DATABASE odd_copy');
restored('odd names: pg_restore', 'pg_restore', '-d', $node->connstr('odd_copy'), "$file.odd");
my $odd_copy = bless { node => $node, db => 'odd_copy' }, 'PegsLedger';
is($odd_copy->value($odd[$_]), $was[$_], "odd names: $odd[$_]") for 0 .. $#odd;
(undef, $err) = $odd_copy->as('postgres', "\\set VERBOSITY default\n$path SELECT pegs_fit('again', $literal, columns => ARRAY['yes'], epsilon => 1)");
my ($paste) = $err =~ /^HINT: .*?(SELECT .*pegs_adopt\(.*;)$/m;
$odd_copy->value($path . ($paste || '')) if ok($paste, 'odd names: the HINT') or diag($err);
# in rho: as much as the fit takes of it, which a fit without delta takes more of than its epsilon
like($odd_copy->value($path . 'SELECT remaining FROM pegs_budgets'), qr/^[2-6](?:[.]\d+)?$/, 'odd names: the HINT, pasted, adopts');
(undef, $err) = $odd_copy->as('postgres', "SET client_min_messages = warning; $path SELECT pegs_fit('again', $literal, columns => ARRAY['yes'], epsilon => 1)");
is($err, '', 'odd names: and the fit that was refused is done');

# ---- what is gone ----

# A dropped table or role is dumped as a number, and elsewhere a number is that of another table or role.
$node->safe_psql('postgres', 'CREATE ROLE gone; CREATE DATABASE dropped');
my $dropped = bless { node => $node, db => 'dropped' }, 'PegsLedger';
my @numbers = $dropped->value(q{
	CREATE EXTENSION pegs;
	CREATE TABLE words (word text PRIMARY KEY); INSERT INTO words VALUES ('a'), ('b');
	CREATE TABLE gone (b boolean NOT NULL, w text, who int NOT NULL);
	CREATE TABLE here (b boolean NOT NULL, w text NOT NULL CHECK (w IN ('a', 'b')));
	SELECT pegs_set_budget('gone', 1); SELECT pegs_set_budget('here', 1);
	SELECT pegs_set_levels('gone', 'w', ARRAY['x']); SELECT pegs_forbid('gone', '{"b": true}');
	SELECT pegs_set_levels('here', 'w', lookup => 'words', lookup_column => 'word');
	SELECT pegs_fit('gone', 'gone', columns => ARRAY['b'], epsilon => 0.1); SELECT pegs_release('gone rows', 'gone', 3);
	SELECT pegs_fit('gone sealed', 'gone', columns => ARRAY['b'], parents => '{}');
	SELECT pegs_release('gone sealed rows', 'gone sealed', 3, 0.1, 3); SELECT pegs_set_unit('gone', 'who');
	SELECT pegs_fit('here', 'here', epsilon => 0.1); SELECT pegs_release('here rows', 'here', 3);
	SELECT pegs_grant('gone', 'public'); SELECT pegs_grant('gone sealed', 'analyst', 0.1); SELECT pegs_grant('here', 'gone');
	SELECT pegs_grant('here', 'analyst'); SELECT pegs_grant('here rows', 'gone');
	SELECT 'gone'::regclass::oid; SELECT 'words'::regclass::oid; SELECT 'gone'::regrole::oid;
	DROP TABLE gone, words; DROP ROLE gone}) =~ /^(\d+)$/mg;
is(scalar @numbers, 3, 'dropped: three numbers');
is($dropped->value("SELECT count(*) FROM pegs_budgets; SELECT count(*) FROM pegs_internal.budget; SELECT * FROM pegs_rows('gone rows') AS t(b boolean)"), "1\n2\nf\nf\nf",
	'dropped: the account of a dropped table is closed; what it has spent, and its releases, are kept where they are');
command_ok([ 'pg_dump', '-d', $node->connstr('dropped'), '-f', "$file.dropped" ], 'dropped: pg_dump');
$dump = slurp_file("$file.dropped");
my $number = join '|', @numbers;
unlike($dump, qr/^([^\t\n]*\t)*($number)(\t|$)/m, 'dropped: no number of table or role is in the dump');
unlike($dump, qr/^([^\t\n]*\t)*gone/m, 'dropped: nor are the names of its models and releases');
$node->safe_psql('postgres', 'CREATE DATABASE dropped_copy');
restored('dropped: psql', 'psql', '-XAtq', '-v', 'ON_ERROR_STOP=1', '-d', $node->connstr('dropped_copy'), '-f', "$file.dropped");
$there = bless { node => $node, db => 'dropped_copy' }, 'PegsLedger';
# Every column of pegs_internal that names a table or role, also one that is still to come.
my $dangling = $there->value(q{
	SELECT string_agg(format('SELECT %L, %I::oid FROM %s WHERE %I <> 0 AND %I NOT IN (SELECT oid FROM %s)', attrelid::regclass || '.' || attname, attname,
		attrelid::regclass, attname, attname, CASE atttypid WHEN 'regrole'::regtype THEN 'pg_authid' ELSE 'pg_class' END), ' UNION ALL ')
	FROM pg_attribute JOIN pg_class AS c ON c.oid = attrelid WHERE relkind = 'r' AND relnamespace = 'pegs_internal'::regnamespace AND attnum > 0
	AND NOT attisdropped AND atttypid IN ('regclass'::regtype, 'regrole'::regtype)});
isnt($dropped->value($dangling), '', 'dropped: numbers without an owner in the original');
is($there->value($dangling), '', 'dropped: none in the copy');
is($there->value("SELECT source FROM pegs_budgets; SELECT name FROM pegs_models; SELECT name FROM pegs_releases; SELECT name FROM pegs_internal.name ORDER BY name;
	SELECT object || ' ' || grantee FROM pegs_internal.access ORDER BY id"),
	$dropped->value("SELECT 'here'; SELECT 'here'; SELECT 'here rows'; SELECT name FROM pegs_internal.name WHERE name LIKE 'here%' ORDER BY name;
	SELECT object || ' ' || grantee FROM pegs_internal.access WHERE object IN (SELECT id FROM pegs_internal.model WHERE name = 'here'
		UNION ALL SELECT id FROM pegs_internal.release WHERE name = 'here rows') AND grantee IN (SELECT oid FROM pg_authid) ORDER BY id"),
	'dropped: all of the other table is in the copy');
$there->value("CREATE TABLE gone (b boolean NOT NULL); SELECT pegs_set_budget('gone', 1)");
$there->value("SELECT pegs_fit('gone', 'gone', epsilon => 0.1)");
is($there->value("SELECT spent FROM pegs_budgets WHERE source = 'gone'::regclass"), '0.1', 'dropped: a new table of that name has a new budget');

# ---- a cluster without the roles ----

my $bare = PostgreSQL::Test::Cluster->new('bare');
$bare->init;
$bare->start;
$bare->psql('postgres', '', extra_params => [ '-f', $file ], stderr => \$err, on_error_stop => 0);
like($err, qr/role "analyst" does not exist/, 'A-18 without the roles: the restore complains');
$there = bless { node => $bare, db => 'postgres' }, 'PegsLedger';
is($there->value('SELECT (spent * 1000000000)::bigint, copied_from FROM pegs_budgets'), "$spent|in another cluster",
	'A-18 without the roles: the budget is there, and a copy');

$bare->stop;
$node->stop;
done_testing();
