# Tables bound to the account of another: what is spent meanwhile is not lost, whichever commits first; who may bind; a dump; a root
# that is dropped while the event trigger is off. Laws L2, L3, L9, claim P10.
use strict;
use warnings;
use Test::More;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use PegsLedger;

my $pegs = PegsLedger->new('bound', conf => "max_prepared_transactions = 2\n");
my $node = $pegs->node;

$pegs->value(q{
	CREATE EXTENSION IF NOT EXISTS pegs;
	CREATE TABLE patient (id int PRIMARY KEY, sex text NOT NULL CHECK (sex IN ('F', 'M')));
	INSERT INTO patient SELECT i, CASE WHEN i % 2 = 0 THEN 'F' ELSE 'M' END FROM generate_series(1, 100) AS i;
	SELECT pegs_set_budget('patient', 1000)});

# A child with a budget of its own, unspent; or without.
my $children = 0;
sub child
{
	my ($with_budget) = @_;
	my $name = 'child' . ++$children;

	$pegs->value("CREATE TABLE $name (id int PRIMARY KEY, patient int REFERENCES patient, a text NOT NULL CHECK (a IN ('x', 'y')));
		INSERT INTO $name SELECT i, i % 100 + 1, 'x' FROM generate_series(1, 200) AS i" . ($with_budget ? "; SELECT pegs_set_budget('$name', 10)" : ''));
	return $name;
}
sub spent_on { my ($table) = @_; return $pegs->value("SELECT coalesce(pg_sequence_last_value(epsilon_spent), 0) FROM pegs_internal.budget WHERE source = '$table'::regclass") }
sub bound { my ($child) = @_; return $pegs->value("SELECT count(*) FROM pegs_internal.parent WHERE source = '$child'::regclass AND parent IS NOT NULL") }
sub fit { my ($child, $model) = @_; return ($pegs->as('postgres', "SELECT pegs_fit('$model', '$child', ARRAY['a'], epsilon => 1)"))[1] }
sub run_in { my ($session, $sql) = @_; $session->query($sql); my $said = $session->{stderr}; $session->{stderr} = ''; return $said }

my $one = $pegs->background('postgres');
my $two = $pegs->background('postgres');

# ---- bound, and spent meanwhile ----

my $child = child(1);
run_in($one, "BEGIN; SELECT pegs_set_parent('$child', 'patient');");
is(fit($child, 'meanwhile') =~ /ERROR/, '', 'who charges waits for nobody');
is(spent_on($child), 1e9, 'its own account pays');
like(run_in($one, 'COMMIT;'), qr/has spent on an account of its own/, 'and the binding fails when it would be committed');
is(bound($child), 0, 'it is not bound');

$child = child(0);
run_in($one, "BEGIN; SELECT pegs_set_parent('$child', 'patient');");
$pegs->value("SELECT pegs_set_budget('$child', 10)");
is(fit($child, 'meanwhile 2') =~ /ERROR/, '', 'an account that was made meanwhile');
like(run_in($one, 'COMMIT;'), qr/has spent on an account of its own/, 'the same');

$child = child(1);
is(run_in($one, "BEGIN; SELECT pegs_set_parent('$child', 'patient'); COMMIT;") =~ /ERROR/, '', 'bound');
my $before = spent_on('patient');
is(fit($child, 'through') =~ /ERROR/, '', 'fitted');
is(spent_on('patient') - $before, 1e9, 'the root pays');
is(spent_on($child), 0, 'its own account does not');

# ---- let go, and spent meanwhile ----

$child = child(0);
$pegs->value("SELECT pegs_set_parent('$child', 'patient')");
run_in($one, "BEGIN; SELECT pegs_set_parent('$child', NULL);");
is(fit($child, 'let go') =~ /ERROR/, '', 'who charges waits for nobody');
like(run_in($one, 'COMMIT;'), qr/has spent since/, 'what was spent on the root meanwhile keeps it bound');
is(bound($child), 1, 'it is bound');

# ---- what has been spent before is said at once, not at COMMIT alone ----

$child = child(1);
fit($child, 'spent before');
$pegs->value("SELECT pegs_drop('spent before')");
like(run_in($one, "BEGIN; SELECT pegs_set_parent('$child', 'patient');"), qr/has spent on an account of its own/, 'the statement that binds');
run_in($one, 'ROLLBACK;');
$child = child(0);
$pegs->value("SELECT pegs_set_parent('$child', 'patient')");
fit($child, 'spent since');
like(run_in($one, "BEGIN; SELECT pegs_set_parent('$child', NULL);"), qr/has spent since/, 'the statement that lets go');
run_in($one, 'ROLLBACK;');

# ---- one after the other ----

my ($a, $b) = (child(0), child(0));
$pegs->value("ALTER TABLE $a ADD COLUMN other int REFERENCES $b; ALTER TABLE $b ADD COLUMN other int REFERENCES $a");
run_in($one, "BEGIN; SELECT pegs_set_parent('$a', '$b');");
run_in($two, "BEGIN; SELECT pegs_set_parent('$b', '$a');");
is(run_in($one, 'COMMIT;') =~ /ERROR/, '', 'the first of two');
# it sees both before its end
my $seen = run_in($two, "SAVEPOINT s; SELECT pegs_set_budget('$a', 1);");
like($seen, qr/ERROR:  table "$a" was bound to "$b" meanwhile: they would go round in a circle\n.*\nHINT:  ROLLBACK; and, if it is the other that belongs to "$a": SELECT pegs_set_parent\('public.$a', NULL\);/, 'both are seen: what there is to do');
run_in($two, 'ROLLBACK TO s;');
my $refused = run_in($two, 'COMMIT;');
like($refused, qr/ERROR:  table "$b" is above "$a" already: they would go round in a circle/, 'who close a circle together');
my ($repair) = $refused =~ /HINT:  If it is "$b" that belongs to "$a", let that one go before: (.*)/;
is(bound($a) . bound($b), '10', 'the first of them is bound');
$pegs->value($repair);
$pegs->value("SELECT pegs_set_parent('$b', '$a')");
is(bound($a) . bound($b), '01', 'and what the hint says turns it round');

$child = child(1);
like(run_in($one, "BEGIN; SELECT pegs_set_parent('$child', 'patient'); PREPARE TRANSACTION 'p';"), qr/cannot be prepared/, 'not prepared');
run_in($one, 'ROLLBACK;');
run_in($one, "BEGIN; SAVEPOINT s; SELECT pegs_set_parent('$child', 'patient'); ROLLBACK TO s;");
is(fit($child, 'own') =~ /ERROR/, '', 'rolled back to a savepoint');
is(run_in($one, 'COMMIT;') =~ /ERROR/, '', 'it binds nobody');
is(spent_on($child), 1e9, 'and the table pays itself');
$one->quit;
$two->quit;

# ---- chains ----

# Three tables that refer to each other are bound upwards, let go and fitted at random. Whatever was refused: rows that one account has paid for
# are never paid for by another.
{
	my $seed = int rand 1e6;
	my ($script, $walks, $tables) = ('', 60, 3);

	srand $seed;
	for my $w (1 .. $walks)
	{
		my @t = map { "walk${w}_$_" } 1 .. $tables;
		$script .= "CREATE TABLE $_ (id int PRIMARY KEY, s text NOT NULL CHECK (s IN ('a', 'b'))); INSERT INTO $_ SELECT i, 'a' FROM generate_series(1, 20) AS i; SELECT pegs_set_budget('$_', 1000);\n" for @t;
		for my $t (@t) { $script .= "ALTER TABLE $t ADD COLUMN of_$_ int REFERENCES $_;\n" for grep { $_ ne $t } @t }
		for my $i (1 .. 24)
		{
			my ($below, $above, $what) = (int rand $tables - 1, $tables - 1, rand);
			my ($t, $u) = @t[ $below, rand() < 0.5 ? $below + 1 : $above ];
			$script .= $what < 0.5 ? "SELECT pegs_set_parent('$t', '$u', ARRAY['of_$u'], '{0, 1, 2}', 3);\n" : $what < 0.8 ? "SELECT pegs_set_parent('$t', NULL);\n"
				: "SELECT pegs_fit('$t:$i', '$t', ARRAY['s'], epsilon => 1);\n";
		}
	}
	$pegs->as('postgres', "SET client_min_messages = error;\n$script");
	cmp_ok($pegs->value("SELECT count(*) FROM pegs_internal.parent WHERE source::text ~ '^walk' AND parent IS NULL"), '>', 0, "random walks of seed $seed: some were let go");
	cmp_ok($pegs->value("SELECT count(*) FROM pegs_ledger WHERE object ~ '^walk' AND object !~ ('^' || source::text || ':')"), '>', 0, 'some were paid for by another account');
	is($pegs->value("SELECT string_agg(t, ', ') FROM (SELECT split_part(object, ':', 1) AS t FROM pegs_ledger WHERE object ~ '^walk' GROUP BY 1 HAVING count(DISTINCT source) > 1) AS s"), '',
		"none by two (seed $seed)");
}

# A sealed model pays when it is read. One that was not committed when its table was bound protects somebody else.
{
	$pegs->value("CREATE TABLE owned (id int PRIMARY KEY, patient int REFERENCES patient, owner int NOT NULL, s text NOT NULL CHECK (s IN ('a', 'b')));
		SELECT pegs_set_budget('owned', 10), pegs_set_unit('owned', 'owner', 3)");
	my $one = $pegs->background('postgres');
	run_in($one, "BEGIN; SELECT pegs_fit('of owners', 'owned', ARRAY['s'], parents => '{}');");
	$pegs->value($_) for "SELECT pegs_set_unit('owned', NULL)", "SELECT pegs_set_parent('owned', 'patient', '{patient}', '{0, 1, 2}', 3)";
	is(run_in($one, 'COMMIT;') =~ /ERROR/, '', 'a sealed fit that began before its table was bound');
	$one->quit;
	my $spent = spent_on('patient');
	like(($node->psql($pegs->{db}, "SELECT * FROM pegs_sample('of owners', 2, epsilon => 1) AS t(s text)"))[2],
		qr/what model "of owners" protects is not what the account of table "owned" protects now.*HINT:  SELECT pegs_drop\('of owners'\); and fit it again/s, 'gives no rows for another unit');
	is(spent_on('patient') - $spent, 0, 'nothing was charged');
	$pegs->value("SELECT pegs_drop('of owners')");
	$pegs->value("SELECT pegs_fit('of patients', 'owned', ARRAY['s'], parents => '{}')");
	is($pegs->value("SELECT count(*) FROM pegs_sample('of patients', 2, epsilon => 1) AS t(s text)"), 2, 'fitted since, it does');
	is(spent_on('patient') - $spent, 1e9, 'and the root pays');
}

# One in the middle is not let go while others hang on it: neither at once nor by who commits last; nor is it dropped and forgotten.
{
	my $a = "a text NOT NULL CHECK (a IN ('x', 'y'))";
	my $few = "children => '{0, 1, 2}', at_most => 3";
	$pegs->value("CREATE TABLE highest (id int PRIMARY KEY, $a); CREATE TABLE top (id int PRIMARY KEY, highest int REFERENCES highest, $a);
		CREATE TABLE mid (id int PRIMARY KEY, top int REFERENCES top, $a); CREATE TABLE low (id int PRIMARY KEY, mid int REFERENCES mid, $a)");
	$pegs->value("SELECT pegs_set_budget('$_', 10)") for 'highest', 'top', 'mid', 'low';
	$pegs->value("SELECT pegs_set_parent('mid', 'top', $few), pegs_set_parent('low', 'mid', $few)");
	my $refused = sub { my ($sql) = @_; return ($node->psql($pegs->{db}, $sql))[2] };
	like($refused->("SELECT pegs_set_parent('mid', NULL)"), qr/table "low" is bound to "mid".*HINT:  Let it go first: SELECT pegs_set_parent\('public.low', NULL\);/s, 'nobody lets go of one on which others hang');
	$pegs->value("SELECT pegs_set_parent('low', NULL)");
	my ($one, $two) = ($pegs->background('postgres'), $pegs->background('postgres'));
	run_in($one, "BEGIN; SELECT pegs_set_parent('low', 'mid', $few);");
	run_in($two, "BEGIN; SELECT pegs_set_parent('mid', NULL);");
	is(run_in($two, 'COMMIT;') =~ /ERROR/, '', 'let go, and bound to it meanwhile');
	like(run_in($one, 'COMMIT;'), qr/a table above "low" was let go meanwhile/, 'the second of them fails');
	$pegs->value("SELECT pegs_set_parent('mid', 'top', $few)");
	run_in($one, "BEGIN; SELECT pegs_set_parent('mid', NULL);");
	run_in($two, "BEGIN; SELECT pegs_set_parent('low', 'mid', $few); COMMIT;");
	like(run_in($one, 'COMMIT;'), qr/table "low" is bound to "mid"/, 'and so does it the other way round');
	$pegs->value("SELECT pegs_set_parent('low', NULL)");
	run_in($one, "BEGIN; SELECT pegs_set_parent('mid', NULL);");
	run_in($two, "BEGIN; SELECT pegs_set_parent('top', 'highest', $few); COMMIT;");
	like(run_in($one, 'COMMIT;'), qr/table "top" was bound to another meanwhile/, 'nor is one let go whose account became another');
	$pegs->value($_) for "SELECT pegs_set_parent('mid', NULL)", "SELECT pegs_set_parent('top', NULL)", map { "SELECT pegs_set_parent($_, $few)" } "'mid', 'top'", "'low', 'mid'", "'top', 'highest'";
	$pegs->value("SELECT pegs_fit_schema('of the highest', 'highest', epsilon => 1)");
	$pegs->value("ALTER EVENT TRIGGER pegs_table_dropped DISABLE; DROP TABLE mid CASCADE; ALTER EVENT TRIGGER pegs_table_dropped ENABLE");
	like($refused->("SELECT pegs_set_parent('low', NULL)"), qr/it is not known what has paid for "low"/, 'one whose parent is gone stays, if its root was bound to another');
	$one->quit;
	$two->quit;
}

# ---- in mid fit ----

# What was counted is held against what is bound when it is charged: all tables of it, not the way up from the root alone.
{
	my $a = "a text NOT NULL CHECK (a IN ('x', 'y'))";
	my $few = "children => '{0, 1, 2}', at_most => 3";
	$pegs->value("CREATE TABLE person (id int PRIMARY KEY, $a); CREATE TABLE other (id int PRIMARY KEY, $a); SELECT pegs_set_budget('person', 100000), pegs_set_budget('other', 10);
		CREATE TABLE early (id int PRIMARY KEY, person int REFERENCES person, other int REFERENCES other, $a); CREATE TABLE late (id int PRIMARY KEY, person int REFERENCES person, $a);
		INSERT INTO person SELECT i, 'x' FROM generate_series(1, 200) AS i; INSERT INTO other TABLE person; INSERT INTO early SELECT id, id, id, 'x' FROM person; INSERT INTO late SELECT id, id, 'x' FROM person;
		CREATE TABLE heir (LIKE person INCLUDING CONSTRAINTS); INSERT INTO heir SELECT i, 'y' FROM generate_series(1001, 1500) AS i");
	my $bind = "SELECT pegs_set_parent('early', 'person', '{person}', $few)";
	$pegs->value("$bind; SELECT pegs_set_parent('late', 'person', $few)");
	my $holder = $pegs->background('postgres');
	my $meanwhile = sub
	{
		my ($held, $sql, @changes) = @_;
		run_in($holder, "BEGIN; $held;");
		my $p = $pegs->start_psql('postgres', "\\set VERBOSITY default\nSET client_min_messages = error;\n$sql;");
		$node->poll_query_until($pegs->{db}, "SELECT count(*) = 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query ~ 'pegs_'") or die 'it does not wait';
		$pegs->value($_) for @changes;
		run_in($holder, 'COMMIT;');
		eval { $pegs->finish($p) };
		return $p->{err};
	};
	my $lock = 'LOCK TABLE late';
	my $let_go = "SELECT pegs_set_parent('early', NULL)";
	my $fit = "SELECT pegs_fit_schema('several', 'person', epsilon => 1000)";
	my $refused = qr/table "early" is bound otherwise than when its rows were counted.*Nothing was charged.*HINT:  Try again/s;
	like($meanwhile->($lock, $fit, $let_go), $refused, 'several tables, and one of them let go in mid fit');
	is(spent_on('person'), 0, 'nothing was charged');
	$pegs->value($bind);
	like($meanwhile->($lock, $fit, $let_go, "SELECT pegs_set_parent('early', 'other', '{other}', $few)"), $refused, 'or bound to another');
	is(spent_on('person') . spent_on('other'), '00', 'nothing was charged to either');
	$pegs->value($let_go);
	$pegs->value($bind);
	my $store = 'LOCK TABLE pegs_internal.model IN SHARE MODE';
	my @rebound = ($let_go, "SELECT pegs_set_parent('early', 'other', '{other}', $few)");
	like($meanwhile->($store, "SELECT pegs_fit('alone', 'early', ARRAY['a'], epsilon => 1)", @rebound), $refused, 'the table alone, counted by the rows of its parent');
	is(spent_on('other'), 0, 'nor does another pay for what was counted by those');
	$pegs->value($let_go);
	like(($node->psql($pegs->{db}, "BEGIN; $bind; $fit"))[2], qr/the parent of table "early" was declared in this transaction/, 'nor is one charged for that is bound in this transaction');
	like($meanwhile->($bind, "SELECT pegs_set_parent('early', 'person', '{person}', $few)"), qr/the parent of table "early" was declared meanwhile.*HINT:  Try again/s,
		'two who bind it: the second does not write over what the first has found spent');
	is($meanwhile->($lock, $fit, 'ALTER TABLE heir INHERIT person'), '', 'a table that inherits from the root in mid fit');
	cmp_ok($pegs->value(q{SELECT count(*) FROM pegs_sample('several', 300, options => '{"table": "person"}') AS t(id int, a text) WHERE a = 'y'}), '<', 30, 'its rows are not read');
	$pegs->value('ALTER TABLE heir NO INHERIT person');
	my $spent = spent_on('person');
	$pegs->value("CREATE TABLE extra (id int PRIMARY KEY, person int REFERENCES person, $a); SELECT pegs_set_parent('extra', 'person', $few)");
	like($meanwhile->('LOCK TABLE late', "SELECT pegs_refit('several')", "SELECT pegs_set_parent('extra', NULL)"), qr/^$/, 'one that is not in the model is no matter');
	is(spent_on('person') - $spent, 1000e9, 'it was charged');
	$holder->quit;
}

# ---- who may ----

$child = child(0);
$pegs->value("CREATE ROLE below; CREATE ROLE b_both; GRANT below TO b_both; ALTER ROLE below LOGIN; ALTER ROLE b_both LOGIN; GRANT CREATE ON SCHEMA public TO below, b_both;
	GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA public TO below, b_both; ALTER TABLE $child OWNER TO below; GRANT REFERENCES ON patient TO below");
like(($pegs->as('below', "SELECT pegs_set_parent('$child', 'patient')"))[1], qr/42501/, 'who owns the table alone does not bind it');
$pegs->value('ALTER TABLE patient OWNER TO b_both');
is(($pegs->as('b_both', "SELECT pegs_set_parent('$child', 'patient')"))[1] =~ /ERROR/, '', 'who owns both does');
like(($pegs->as('below', "SELECT pegs_fit('below', '$child', ARRAY['a'], epsilon => 1)"))[1], qr/42501/, 'nor spends the budget of the root');
like(($pegs->as('below', "SELECT pegs_set_parent('$child', NULL)"))[1], qr/42501/, 'nor lets it go');
is(($pegs->as('b_both', "SELECT pegs_fit('both', '$child', ARRAY['a'], epsilon => 1)"))[1] =~ /ERROR/, '', 'who owns both fits it');
$pegs->value('ALTER TABLE patient OWNER TO postgres');
like(($pegs->as('b_both', "SELECT pegs_fit('again', '$child', ARRAY['a'], epsilon => 1)"))[1], qr/42501/, 'and no more when the root is another one\'s');

# ---- a dump ----

# One whose parent was dropped: what it says of that is a number, and another table may have it where the dump is restored.
$pegs->value("CREATE TABLE between (id int PRIMARY KEY, patient int REFERENCES patient); CREATE TABLE least (id int PRIMARY KEY, between int REFERENCES between, a text NOT NULL CHECK (a IN ('x', 'y')))");
$pegs->value("SELECT pegs_set_parent('least', 'between')");
$pegs->value("SELECT pegs_set_parent('between', 'patient')");
$pegs->value("DROP TABLE between CASCADE");
is($pegs->value("SELECT parent::oid || ' ' || root::oid FROM pegs_internal.parent WHERE source = 'least'::regclass"), '0 0', 'a table that is dropped is no number any more');

my $file = "$PostgreSQL::Test::Utils::tmp_check/bound";
my $renamed = child(0);
my $unspent = child(1);
$pegs->value("SELECT pegs_set_parent('$renamed', 'patient'); ALTER TABLE $renamed RENAME patient TO whose");
command_ok([ 'pg_dump', '-Fc', '-d', $node->connstr($pegs->{db}), '-f', $file ], 'pg_dump');
$node->safe_psql('postgres', 'CREATE DATABASE again');
command_ok([ 'pg_restore', '-d', $node->connstr('again'), $file ], 'pg_restore');
is($node->safe_psql('again', "SELECT parent || ' ' || columns::text FROM pegs_schema('patient') WHERE source = '$child'::regclass"), 'patient {patient}', 'bindings go through a dump');
my ($ret, $out, $err) = $node->psql('again', "SELECT pegs_fit('copied', '$child', ARRAY['a'], epsilon => 1)");
like($err, qr/the privacy budget of table "patient" is a copy/, 'a copy of the account of the root is asked for');
$node->safe_psql('again', "CREATE TABLE another (a int); UPDATE pegs_internal.parent SET root = 'another'::regclass WHERE source = 'least'::regclass");
($ret, $out, $err) = $node->psql('again', "SELECT pegs_set_parent('least', NULL)");
like($err, qr/it is not known what has paid for "least" since it was bound/, 'nor does a table that has its number say what was spent');
# nor does a table leave a copied account behind, whose original may have spent since
($ret, $out, $err) = $node->psql('again', "SELECT pegs_set_parent('$renamed', NULL)");
like($err, qr/the privacy budget of table "patient" is a copy/, 'nobody is let go by a copied account');
($ret, $out, $err) = $node->psql('again', "CREATE TABLE estate (id int PRIMARY KEY); INSERT INTO estate SELECT id FROM patient; ALTER TABLE $unspent ADD COLUMN estate int REFERENCES estate; SELECT pegs_set_parent('$unspent', 'estate')");
like($err, qr/the privacy budget of table "$unspent" is a copy/, 'nor is a table bound that has one');
$node->safe_psql('again', "SELECT pegs_adopt('patient', remaining => 5, reason => 'test')");
$node->safe_psql('again', "SELECT pegs_fit('copied', '$child', ARRAY['a'], epsilon => 1)");
is($node->safe_psql('again', 'SELECT remaining FROM pegs_budgets WHERE source = \'patient\'::regclass'), '4', 'and pays, when it was adopted');
($ret, $out, $err) = $node->psql('again', "SELECT pegs_fit('other', '$renamed', ARRAY['a'], epsilon => 1)");
like($err, qr/The column of the foreign key, "patient", is gone/, 'a column that was renamed is not known in a copy');
$node->safe_psql('again', "SELECT pegs_set_parent('$renamed', 'patient')");
is($node->psql('again', "SELECT pegs_fit('other', '$renamed', ARRAY['a'], epsilon => 1)"), 0, 'until it is said again');

# ---- dropped ----

$pegs->value('ALTER EVENT TRIGGER pegs_table_dropped DISABLE; DROP TABLE patient CASCADE');
($ret, $out, $err) = $node->psql($pegs->{db}, "SELECT pegs_fit('gone', '$child', ARRAY['a'], epsilon => 1)");
like($err, qr/That table was dropped/, 'a root that was dropped pays no more, though nobody has told');
($ret, $out, $err) = $node->psql($pegs->{db}, "SELECT pegs_set_parent('$child', NULL)");
like($err, qr/was dropped/, 'and lets nobody go');
$node->stop;
done_testing();
