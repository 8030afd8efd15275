# A model of several tables: nothing gives its charge back, a fit that ends before its charge costs nothing and leaves nothing, and
# its tables belong together in a dump, on a standby and after an update. Laws L2, L9; claims P5, P35, P36.
use strict;
use warnings;
use Test::More;
use Time::HiRes qw(time);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use PegsLedger;

my $pegs = PegsLedger->new('related', init => [ allows_streaming => 1 ], conf => "max_prepared_transactions = 2\nrestart_after_crash = on\n");
my $node = $pegs->node;

# Patients, their visits to wards, what was done there; declared in the database that is asked.
my $declared = q{
	SELECT pegs_set_parent('stay', 'patient', children => '{0, 1, 2, 3, 5}', at_most => 8);
	SELECT pegs_set_parent('done', 'stay', children => '{0, 1, 2, 3}', at_most => 4);
	SELECT pegs_set_lookup('stay', 'cause', 'cause', 'code', via => '{chapter}', weight => 'known');
	SELECT pegs_set_budget('patient', epsilon => 1000, delta => 1e-6, accounting => 'sum')};
my $made = q{
	CREATE TABLE cause (code text PRIMARY KEY, chapter text NOT NULL, known real NOT NULL);
	INSERT INTO cause SELECT 'c' || i, 'chapter ' || i % 3, sqrt(i) FROM generate_series(1, 30) AS i;
	CREATE TABLE patient (id int PRIMARY KEY, sex text NOT NULL CHECK (sex IN ('F', 'M')));
	CREATE TABLE stay (id int PRIMARY KEY, patient int NOT NULL REFERENCES patient, ward text NOT NULL CHECK (ward IN ('A', 'B', 'C')), cause text REFERENCES cause);
	CREATE TABLE done (stay int NOT NULL REFERENCES stay, line int, what text NOT NULL CHECK (what IN ('x', 'y')), PRIMARY KEY (stay, line));
	INSERT INTO patient SELECT i, CASE WHEN i % 2 = 0 THEN 'F' ELSE 'M' END FROM generate_series(1, 200) AS i;
	INSERT INTO stay SELECT i, 1 + i % 150, substr('ABC', 1 + i % 3, 1), 'c' || 1 + i % 30 FROM generate_series(1, 400) AS i;
	INSERT INTO done SELECT 1 + i % 400, i, 'x' FROM generate_series(1, 500) AS i};
$pegs->value($made);
$pegs->value("ALTER TABLE $_ OWNER TO curator") for 'patient', 'stay', 'done', 'cause';
$pegs->value("GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA public TO curator; $declared");
$pegs->value('CREATE SEQUENCE witness; GRANT USAGE ON SEQUENCE witness TO curator');

my $calm = "SET client_min_messages = warning;\n";
sub curators { my ($sql) = @_; return $pegs->as('curator', $calm . $sql) }
sub fit { my ($name, $epsilon) = @_; return "SELECT pegs_fit_schema('$name', 'patient', epsilon => " . ($epsilon || 0.1) . ')' }
sub spent { return $pegs->spent('patient') }
sub models { return $pegs->value("SELECT coalesce(string_agg(name, ',' ORDER BY name), '') FROM pegs_internal.name WHERE name ~ '^x'") }
sub prices { return PegsLedger::units($_[0]) }

# ---- nothing gives it back ----

my $there = "SELECT count(*) FROM pegs_sample('x', 100, options => '{\"table\": \"stay\"}') AS t(id int)";
my %ways = (
	'ROLLBACK' => [ 'BEGIN; ' . fit('x') . "; $there; ROLLBACK", qr/^\d+$/m ],
	'ROLLBACK TO a savepoint' => [ 'BEGIN; SAVEPOINT s; ' . fit('x') . "; $there; ROLLBACK TO s; COMMIT", qr/^\d+$/m ],
	'an exception block' => [ "DO \$\$ BEGIN PERFORM pegs_fit_schema('x', 'patient', epsilon => 0.1); RAISE division_by_zero; EXCEPTION WHEN division_by_zero THEN NULL; END \$\$; SELECT 1", qr/^1$/m ],
	'an error later in the statement' => [ "SELECT 1 / length(pegs_fit_schema('x', 'patient', epsilon => 0.1)::text)", qr/^$/ ],
	'PREPARE TRANSACTION' => [ 'BEGIN; ' . fit('x') . "; $there; PREPARE TRANSACTION 'p'; ROLLBACK PREPARED 'p'", qr/^\d+$/m ],
	'a backend that is killed' => [ 'BEGIN; ' . fit('x') . "; $there;", undef ]);
for my $way (sort keys %ways)
{
	my ($sql, $seen) = @{ $ways{$way} };
	my $before = spent();

	if ($seen)
	{
		my ($out, $err) = curators($sql);
		like($out, $seen, "$way: was fitted");
	}
	else
	{
		my $p = $pegs->start_psql('curator', "$calm$sql SELECT 'pid ' || pg_backend_pid(); SELECT pg_sleep(600);");

		$pegs->pump_until_out($p, qr/pid (\d+)/) or die "$way: it did not fit";
		my ($pid) = $p->{out} =~ /pid (\d+)/;
		$pegs->kill_backend($pid);
		eval { $pegs->finish($p) };
	}
	is(spent() - $before, prices(0.1), "$way: charged once");
	is(models(), '', "$way: the model is gone");
}

# ---- ended before its charge, and after it ----

for my $end ([ 'ledger', 0 ], [ 'standby', 1 ])
{
	my ($where, $charged) = @$end;
	my $before = spent();
	my $p = $pegs->cancelled_waiting($where, 'curator', $calm . fit('x'));

	like($p->{err}, qr/57014|57000/, "$where: cancelled");
	is(spent() - $before, $charged * prices(0.1), "$where: " . ($charged ? 'charged, as it says' : 'nothing is charged'));
	is(models(), '', "$where: no model");
}
my $begin = time;
curators(fit('whole', 1));
my $took = time - $begin;
my $wrong = 0;
for my $ms (map { int(1 + 1000 * $took * $_ / 5) } 1 .. 4)
{
	my $before = spent();
	my (undef, $err) = $pegs->as('curator', "\\set VERBOSITY default\n${calm}SET statement_timeout = $ms;\n" . fit('x') . ';');
	my $charged = spent() - $before;
	my $stopped = $err =~ /statement timeout/;

	next if !$stopped && $charged == prices(0.1) && $pegs->value("SELECT pegs_drop('x')") eq '';
	# the statement goes on for some microseconds when the fit has ended
	next if $stopped && models() eq '' && ($charged == 0 || $charged == prices(0.1));
	$wrong++;
	diag("$ms ms: charged $charged, models '" . models() . "': $err");
}
is($wrong, 0, 'stopped at any moment: whole or not at all');

# ---- the same tables in a dump and on a standby ----

sub rows
{
	my ($from) = @_;
	my $db = $_[1] || 'postgres';

	return join ' ', map { my $table = $_; $from->safe_psql($db, "SELECT count(*) || ' ' || md5(string_agg(t::text, ',')) FROM pegs_sample_as(NULL::$table, 'kept', 300, options => '{\"table\": \"$table\"}') AS t")
		. join '', map { my $release = $_; $from->safe_psql($db, "SELECT ' ' || md5(string_agg(t::text, ',')) FROM pegs_rows_as(NULL::$table, '$release', '$table') AS t") } 'released', 'women', 'of a file' } 'patient', 'stay', 'done';
}
curators(fit('kept', 5) . "; SELECT pegs_release('released', 'kept', 300), pegs_release('women', 'kept', 100, given => '{\"sex\": \"F\"}')");
$pegs->value("SELECT pegs_import('a file', pegs_export('kept'))");
$pegs->value("SELECT pegs_release('of a file', 'a file', 50)");
my $rows = rows($node);
like($rows, qr/^300( \w{32}){4} [1-9]\d*( \w{32}){4} [1-9]\d*( \w{32}){4}$/, 'rows of all tables');
is(rows($node), $rows, 'are the same when they are asked for again');

$node->backup('base');
my $standby = PostgreSQL::Test::Cluster->new('related_standby');
$standby->init_from_backup($node, 'base', has_streaming => 1);
$standby->start;
$node->wait_for_catchup($standby, 'replay', $node->lsn('write'));
is(rows($standby), $rows, 'on a standby');
my (undef, undef, $refused) = $standby->psql('postgres', fit('there'), extra_params => [ '-v', 'VERBOSITY=sqlstate' ]);
like($refused, qr/25006/, 'which fits nothing');

# ---- and the standby is promoted: the rows are what they were, and the account is a copy until it is adopted ----

$standby->promote;
is(rows($standby), $rows, 'promoted: the same rows of all tables');
is($standby->safe_psql('postgres', q{SELECT count(*) FROM pegs_rows_as(NULL::stay, 'released', 'stay') AS s LEFT JOIN pegs_rows_as(NULL::patient, 'released', 'patient') AS p ON p.id = s.patient WHERE p.id IS NULL}), '0',
	'promoted: no orphans');
my $account = "SELECT spent FROM pegs_budgets WHERE source = 'patient'::regclass";
my $spent = $standby->safe_psql('postgres', $account);
for my $statement (fit('there'), "SELECT pegs_fit('there', 'stay', '{ward}', epsilon => 0.1)", "SELECT pegs_refit('kept')", "SELECT pegs_learn_levels('stay', 'ward', 0.1, 1e-9)")
{
	(undef, undef, $refused) = $standby->psql('postgres', $statement);
	like($refused, qr/the privacy budget of table "patient" is a copy/, "promoted: $statement, and the account of the root is a copy");
}
(undef, undef, $refused) = $standby->psql('postgres', "SELECT pegs_set_parent('done', NULL)");
like($refused, qr/ERROR/, 'promoted: no table is let go from it');
is($standby->safe_psql('postgres', $account), $spent, 'promoted: nothing was charged');
$standby->safe_psql('postgres', "SELECT pegs_adopt('patient', (SELECT remaining FROM pegs_budgets WHERE source = 'patient'::regclass), 'it was synchronous')");
is($standby->psql('postgres', fit('there')), 0, 'promoted and adopted: tables are fitted');
$standby->safe_psql('postgres', "SELECT pegs_fit('alone', 'stay', '{ward}', epsilon => 0.1)");
is($standby->safe_psql('postgres', "SELECT spent - $spent = 0.2 FROM pegs_budgets WHERE source = 'patient'::regclass"), 't', 'promoted and adopted: each fit is charged to the root, also that of a table below it');
is(rows($standby), $rows, 'promoted and adopted: models of before have their rows');
$standby->stop;

# ---- what is told, and what ends a transaction ----

sub told { my ($sql) = @_; my (undef, undef, $err) = $node->psql('postgres', $sql, extra_params => [ '-U', 'curator' ]); return $err }
$pegs->value('CREATE TABLE payer (id int PRIMARY KEY); CREATE TABLE bill (stay int REFERENCES stay, payer int NOT NULL REFERENCES payer, v boolean NOT NULL); ALTER TABLE bill OWNER TO curator');
like(told("BEGIN; SELECT pegs_set_parent('bill', 'stay', children => '{0, 1}', at_most => 1); PREPARE TRANSACTION 'bound'"), qr/a transaction that has declared the parent of a table cannot be prepared/,
	'a parent is not declared in a transaction that is prepared');
curators("SELECT pegs_set_parent('bill', 'stay', children => '{0, 1}', at_most => 1)");
like(told(fit('with bills')), qr/NOTICE: .*column "payer" of table "bill" refers to table "payer", is not in the model and cannot be NULL.*Every row has the same plain value there, which may be no row of that table.*SELECT pegs_set_lookup\('public.bill', 'payer', 'public.payer', 'id'\)/s,
	'a reference to a table that is neither private nor declared public');

# ---- a delta that was forgotten: the number to paste, where it helps ----

my %budget = (few => "delta => 1e-8, accounting => 'sum'", many => "delta => 1e-8, accounting => 'sum'", less => "delta => 1e-11, accounting => 'sum'", rho => 'delta => 1e-8', less_rho => 'delta => 1e-11', none => "accounting => 'sum'");
for my $root (keys %budget) {
	my $columns = join ', ', map { "c$_ int NOT NULL CHECK (c$_ BETWEEN 1 AND 5)" } 1 .. ($root eq 'few' ? 1 : 12);
	$pegs->value("CREATE TABLE $root (id int PRIMARY KEY, $columns); CREATE TABLE of_$root (id int PRIMARY KEY, $root int NOT NULL REFERENCES $root, v boolean NOT NULL);
		ALTER TABLE $root OWNER TO curator; ALTER TABLE of_$root OWNER TO curator");
	curators("SELECT pegs_set_parent('of_$root', '$root', children => '{0, 1}', at_most => 1); SELECT pegs_set_budget('$root', epsilon => 10, $budget{$root})");
}
# what is said of delta, and what is said when its number is pasted
sub of_delta {
	my ($root, $epsilon) = @_;
	my $told = told("SELECT pegs_fit_schema('$root', '$root', epsilon => $epsilon)");
	my ($hint) = $told =~ /delta was not given.*?HINT:  (.*)$/s;
	return $told =~ /ERROR/ ? $told : 'nothing' if !defined $hint;
	my ($number) = $hint =~ /delta => ([0-9.e-]*[0-9])/;
	my $pasted = told("SELECT pegs_fit_schema('$root pasted', '$root', epsilon => $epsilon, delta => $number)");
	return $hint . ($pasted =~ /ERROR/ ? " $pasted" : '');
}
is(of_delta('many', 1), 'A tiny delta makes the noise of this fit smaller: delta => 1e-9.', 'a delta that was forgotten');
is(of_delta('less', 1), 'A tiny delta makes the noise of this fit smaller: delta => 0.00000000001.', 'where there is less than that');
is(of_delta('few', 1), 'nothing', 'nor is it told where noise would be larger');
is(of_delta('none', 1), 'nothing', 'nor where there is none');
is(of_delta('rho', 0.1), 'In this account a fit with a tiny delta costs less: delta => 1e-9.', 'in rho it is the cost');
is(of_delta('less_rho', 0.1), 'In this account a fit with a tiny delta costs less: delta => 0.00000000001.', 'also of less');
like(told("SELECT pegs_fit_schema('given', 'few', epsilon => 1, delta => 1e-9)"), qr/with delta 0.000000001 the noise of this fit is larger than without, and delta is charged.*HINT:  Leave delta out\./s, 'one that is given for nothing');
$pegs->value("DROP TABLE $_ CASCADE") for map { ("of_$_", $_) } keys %budget;

# ---- a copy: what is said before its statements run ----

$pegs->value(q{CREATE TABLE holder (id int PRIMARY KEY CHECK (id > 0), sex text NOT NULL CHECK (sex IN ('F', 'M')));
	CREATE TABLE pass (pass_id text PRIMARY KEY CONSTRAINT begins CHECK (pass_id ~ '^C'), holder int NOT NULL REFERENCES holder, kind text NOT NULL CHECK (kind IN ('x', 'y')));
	INSERT INTO holder SELECT i, 'F' FROM generate_series(1, 50) AS i; INSERT INTO pass SELECT 'C' || i, i, 'x' FROM generate_series(1, 50) AS i;
	SELECT pegs_set_parent('pass', 'holder', children => '{0, 1}', at_most => 1); SELECT pegs_set_budget('holder', 10)});
$pegs->value(q{SELECT pegs_fit_schema('passes', 'holder', epsilon => 5); SELECT pegs_release('passed', 'passes', 20)});
my (undef, undef, $words) = $node->psql('postgres', q{SELECT pegs_copy_sql('passed', 'copied')});
like($words, qr/NOTICE: .*CHECK constraints refuse the running numbers that keys are in a copy: "begins" of pass\n/, 'a CHECK that no made key passes, and not one that they pass');
unlike($words, qr/COMMIT/, 'outside a transaction nothing is said of its end');
my ($filtered) = $words =~ /HINT: .*(SELECT s FROM pegs_copy_sql.*\\gexec)/;
$node->safe_psql('postgres', $filtered // 'SELECT 1');
is($pegs->value('SELECT count(*) FROM copied.holder'), 20, 'the hint, pasted: the copy is made');
(undef, undef, $words) = $node->psql('postgres', q{BEGIN; SELECT pegs_copy_sql('passed', 'again'); ROLLBACK});
like($words, qr/NOTICE: .*the last of these statements is COMMIT: run here, they end this transaction/, 'in a transaction: its end');

$pegs->value('DROP TABLE bill, payer');

# rows of others that rows refer to; what is made first has the later name, and a dump makes it later: children, unique keys
$pegs->value(q{
	CREATE TABLE nurse (id int PRIMARY KEY); INSERT INTO nurse VALUES (1);
	CREATE TABLE lodger (id int PRIMARY KEY, sex text NOT NULL CHECK (sex IN ('F', 'M')), nurse int REFERENCES nurse);
	CREATE TABLE z_meal (id int PRIMARY KEY, lodger int NOT NULL REFERENCES lodger, kind text NOT NULL CHECK (kind IN ('x', 'y')), nurse int REFERENCES nurse, n int NOT NULL, m boolean NOT NULL,
		CONSTRAINT z UNIQUE (n, kind), CONSTRAINT b UNIQUE (n, m), CONSTRAINT y UNIQUE (lodger, kind), CONSTRAINT c UNIQUE (lodger, n));
	CREATE TABLE a_walk (id int PRIMARY KEY, lodger int NOT NULL REFERENCES lodger, kind text NOT NULL CHECK (kind IN ('x', 'y')));
	INSERT INTO lodger SELECT i, 'F', 1 FROM generate_series(1, 20) AS i; INSERT INTO z_meal SELECT id, id, 'x', 1, id, true FROM lodger; INSERT INTO a_walk SELECT id, id, 'y' FROM lodger;
	SELECT pegs_set_parent(t, 'lodger', children => '{0, 1, 2}', at_most => 2) FROM unnest('{z_meal, a_walk}'::regclass[]) AS t;
	SELECT pegs_set_levels('z_meal', 'n', ARRAY(SELECT i::text FROM generate_series(1, 30) AS i)), pegs_set_budget('nurse', epsilon => 1), pegs_set_budget('lodger', epsilon => 100, delta => 1e-6);
	SELECT pegs_fit_schema('lodgers', 'lodger', epsilon => 1), pegs_fit('meals', 'z_meal', epsilon => 1)});
is($pegs->value("SELECT pegs_describe('lodgers') ->> 'not_covered' || (pegs_describe('meals') ->> 'not_covered')"), '["a row of public.nurse in the rows of lodger that refer to it by nurse", "a row of public.nurse in the rows of z_meal that refer to it by nurse"]'
	. '["a row of public.nurse in the rows of z_meal that refer to it by nurse"]', 'rows that are not protected');
is($pegs->value(q{SELECT jsonb_array_length(m -> 'may_repeat'), m -> 'distinct' FROM pegs_internal.model, jsonb_array_elements(spec::jsonb -> 'related') AS m WHERE name = 'lodgers' AND m ->> 'name' = 'z_meal'}), '2|["kind", "n"]', 'keys that may repeat, and that are kept');

my $file = $PostgreSQL::Test::Utils::tmp_check . '/related.dump';
command_ok([ 'pg_dump', '-d', $node->connstr('postgres'), '-f', $file ], 'pg_dump');
$node->safe_psql('postgres', 'CREATE DATABASE copy');
command_ok([ 'psql', '-XAtq', '-v', 'ON_ERROR_STOP=1', '-d', $node->connstr('copy'), '-f', $file, '-o', "$file.out" ], 'restored');
is(rows($node, 'copy'), $rows, 'after a dump');
is($node->safe_psql('copy', "SELECT pegs_facts('stay') || jsonb_build_object('levels', ARRAY(SELECT pegs_levels('stay', 'cause.via')))"), '{"levels": ["{\"chapter 0\"}", "{\"chapter 1\"}", "{\"chapter 2\"}", null], '
	. '"parent": {"table": "public.patient", "at_most": 8, "columns": ["patient"], "children": [0, 1, 2, 3, 5]}, "columns": {"cause": {"via": ["chapter"], "lookup": "public.cause", "weight": "known", "lookup_column": "code"}}}', 'with what was declared');
(undef, undef, $refused) = $node->psql('copy', fit('there'));
like($refused, qr/the privacy budget of table "patient" is a copy/, 'whose budget is a copy');
is($node->safe_psql('copy', "SELECT pegs_certificate('kept') ->> 'unit'"), $pegs->value("SELECT pegs_certificate('kept') ->> 'unit'"), 'and whose unit is the same');
# what is not protected has another number there: by its name; what is fitted there, by its number there
$node->safe_psql('copy', "SELECT pegs_adopt('lodger', remaining => 50, reason => 'test'); ALTER TABLE nurse RENAME TO carer");
for my $model ('lodgers', 'meals')
{
	(undef, undef, $refused) = $node->psql('copy', "SELECT pegs_refit('$model')");
	like($refused, qr/is not protected.*a row of public.nurse in the rows of z_meal that refer to it by nurse/, "$model: in a copy it is not known by another name");
}
is($node->psql('copy', "ALTER TABLE carer RENAME TO nurse; SELECT pegs_refit('lodgers'), pegs_refit('meals')"), 0, 'but by its own');
is($node->psql('copy', "ALTER TABLE nurse RENAME TO carer; SELECT pegs_refit('lodgers'), pegs_refit('meals')"), 0, 'and fitted there, by any');

# ---- an update ----

$node->safe_psql('postgres', 'CREATE DATABASE old');
$node->safe_psql('old', "CREATE EXTENSION pegs VERSION '0.2.0'; GRANT EXECUTE ON FUNCTION pegs_fit TO curator; $made");
$node->safe_psql('old', "ALTER TABLE $_ OWNER TO curator") for 'patient', 'stay', 'done', 'cause';
$node->safe_psql('old', "ALTER EXTENSION pegs UPDATE; $declared");
is($node->psql('old', fit('x', 5), extra_params => [ '-U', 'curator' ]), 0, 'who could call pegs_fit before an update fits several tables after it');
like($node->safe_psql('old', "SELECT count(*) FROM pegs_sample_as(NULL::stay, 'x', 300, options => '{\"table\": \"stay\"}')"), qr/^[1-9]\d*$/, 'and there are rows');
$node->stop;
done_testing();
