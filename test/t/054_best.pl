# A choice among models and releases is read, computed, charged, told. Thrown away after its charge it has spent; ended before it, it has
# cost nothing and nothing of it was seen. No score is shown anywhere. Law L2; claims P5, P19.
use strict;
use warnings;
use Test::More;
use PegsLedger;

my $pegs = PegsLedger->new('best', init => [ allows_streaming => 1 ], conf => "log_min_messages = debug1\nlog_statement = none\nlog_min_error_statement = panic\n");
my $node = $pegs->node;
my $shown = "\\set VERBOSITY default\n\\set SHOW_CONTEXT errors\n";
my $names = "ARRAY['bad', 'good']";
my $call = "pegs_best('trip', $names, 0.5)";

# Two columns that say the same. good knows it; bad is a release of one block, so of next to nothing but uniform rows, and of many.
$pegs->value(q{GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA public TO curator; GRANT CREATE ON SCHEMA public TO curator; CREATE ROLE other LOGIN;
	CREATE TABLE trip (town text NOT NULL CHECK (town IN ('Bonn', 'Paris', 'Rome')), home boolean NOT NULL, who int CHECK (who BETWEEN 1 AND 9)); ALTER TABLE trip OWNER TO curator;
	SELECT pegs_set_budget('trip', epsilon => 1000)});
$pegs->as('curator', q{
	INSERT INTO trip SELECT CASE WHEN i % 3 = 0 THEN 'Bonn' ELSE 'Rome' END, i % 3 = 0, i % 9 + 1 FROM generate_series(1, 2000) AS i;
	SELECT pegs_fit('good', 'trip', ARRAY['town', 'home'], epsilon => 5), pegs_fit('sealed', 'trip', ARRAY['town', 'home'], parents => '{}');
	SELECT pegs_release('few', 'sealed', 50, epsilon => 0.1, block => 50), pegs_release('bad', 'sealed', 5000, epsilon => 0.1, block => 5000), pegs_release('few of good', 'good', 300);
	CREATE TABLE long (a text NOT NULL CHECK (a IN ('x', 'y')), b boolean NOT NULL); INSERT INTO long SELECT substr('xy', 1 + i % 2, 1), i % 2 = 0 FROM generate_series(1, 100000) AS i});
$pegs->value("SELECT pegs_set_budget('long', epsilon => 1000)");
$pegs->as('curator', q{SELECT pegs_fit('l1', 'long', epsilon => 1), pegs_fit('l2', 'long', epsilon => 1);
	CREATE VIEW slowly AS SELECT CASE WHEN md5(repeat(a, 20000000)) > '' THEN a END AS a, b FROM long;
	CREATE VIEW failing AS SELECT CASE WHEN (town || 'QRAREQ')::int > 0 THEN town END AS town, home FROM trip});
$pegs->value("SELECT pegs_set_levels('slowly', 'a', levels => ARRAY['x', 'y'], nullable => false), pegs_set_levels('failing', 'town', levels => ARRAY['Bonn', 'Paris', 'Rome'], nullable => false)");

sub spent { return $pegs->spent('trip') }
sub chosen { my ($list, $rest) = @_; return scalar $pegs->as('curator', "SELECT pegs_best('trip', ARRAY[$list]" . ($rest // ', 0.5') . ')') }

# ---- what it chooses, and what is said ----
{
	my $before = spent();
	is(chosen("'bad', 'good'", ", 0.5, '$_'"), 'good', "the closer one, by $_") for 'pairs', 'tree 1', 'tree 2';
	is(chosen("'few', 'good'"), 'good', 'a model, not a small noisy release');
	is(chosen("'bad', 'few of good'"), 'few of good', 'many rows are not closer for that');
	is(spent() - $before, PegsLedger::units(2.5), 'five choices');
	is($pegs->value("SELECT string_agg(object || ' ' || unit, ', ' ORDER BY epsilon_to) FROM pegs_ledger WHERE source = 'trip'::regclass AND action = 'choice'"),
		'{bad,good} row, {bad,good} row, {bad,good} row, {few,good} row, {bad,"few of good"} row', 'lines of the ledger: all that were compared, not which was chosen');
	my (undef, $err) = $pegs->as('curator', "SET client_min_messages = debug1;\n${shown}SELECT $call");
	is($err =~ s/^.*DEBUG:  rows of public\.trip were counted by an aggregate; parallel workers that took part: \d+\n?//gmr, '', 'nothing is said besides the name, and how rows were counted');
	is($pegs->value("SELECT pegs_describe('bad') ->> 'choice_epsilon'"), '2.5', 'the certificate of one that was not chosen: five choices');
	like($pegs->value("SELECT pegs_certificate_text('few of good')"), qr/^choice:      epsilon 3, charged besides, for comparing it with the rows, among 2 by pegs_best; a choice tells of all of them$/m, 'of a release: its own, and those of its model');
	unlike($pegs->value("SELECT pegs_certificate_text('sealed')"), qr/choice/, 'of what was not compared: nothing');
	like($pegs->value("SELECT s FROM pegs_view_sql('few of good', 'w') AS s WHERE s LIKE 'COMMENT ON VIEW%'"), qr/ and epsilon 3 for choosing it, /, 'of a view: beside what else was spent');
	like($pegs->value("SELECT pegs_summary('few of good')"), qr/e to the power of epsilon, here 8\. .*<p>It was compared with the rows, among others, under a guarantee of its own: epsilon 3, charged besides, .*<dt>choice<\/dt><dd>epsilon 3, charged besides/s, 'a summary adds it up, and says so');
	# the odds are those of the scores: at an epsilon that is next to nothing both come
	my $seen = $pegs->as('curator', "SELECT count(DISTINCT b) FROM generate_series(1, 100) AS i, LATERAL (SELECT pegs_best('trip', $names, 0.000001 + 0 * i)) AS x (b)");
	is($seen, '2', 'at an epsilon of nearly nothing it tells nearly nothing');
}

# What all are weighed as is a released number: of releases of sealed models the largest, 200. By the number of rows, which is a secret, the other one
# would be chosen: thirty of a hundred rows of "wide" are where the table has none, and "half" has nothing of half of the table. Of 200 rows that costs
# "wide" 60 and "half" next to nothing; of 40,000 "half" loses more.
$pegs->as('curator', q{
	CREATE TABLE weighed (k int NOT NULL, x int NOT NULL CHECK (x IN (0, 1, 2)), y boolean NOT NULL);
	INSERT INTO weighed SELECT i / 4, i % 2, i % 4 < 2 FROM generate_series(1, 40000) AS i;
	CREATE VIEW wide AS SELECT CASE WHEN k % 10 < 3 THEN 2 ELSE x END AS x, y FROM weighed;
	CREATE VIEW half AS SELECT x, y FROM weighed WHERE x = 0});
$pegs->value("SELECT pegs_set_budget('weighed', epsilon => 100000)");
$pegs->as('curator', q{SET client_min_messages = warning; SELECT pegs_set_levels('wide', 'x', levels => ARRAY[0, 1, 2], nullable => false);
	SELECT pegs_fit(v, v::regclass, ARRAY['x', 'y'], parents => '{}'), pegs_release('of ' || v, v, 200, epsilon => 5000) FROM unnest(ARRAY['wide', 'half']) AS v});
is(scalar $pegs->as('curator', "SELECT pegs_best('weighed', ARRAY['of wide', 'of half'], 1, '$_')"), 'of half', "weighed by what was released, not by the rows: $_") for 'pairs', 'tree 1', 'tree 2';

# a name that is taken again is another one
$pegs->as('curator', "SELECT pegs_fit('again', 'trip', ARRAY['town', 'home'], epsilon => 1); SELECT pegs_best('trip', ARRAY['again', 'good'], 0.1); SELECT pegs_drop('again'); SELECT pegs_fit('again', 'trip', ARRAY['town', 'home'], epsilon => 1)");
is($pegs->value("SELECT coalesce(pegs_describe('again') ->> 'choice', 'none')"), 'none', 'a name that is used again has no choices of the one before');

# Names go and come, and what lives on keeps its cost: a release whose model is dropped, or fitted anew, or whose model's name is another's.
{
	my $told = sub { my ($name) = @_; return $pegs->value("SELECT coalesce(pegs_describe('$name') ->> 'choice_epsilon', 'none')") };

	$pegs->as('curator', q{SELECT pegs_fit('gone', 'trip', ARRAY['town', 'home'], epsilon => 1); SELECT pegs_release('of gone', 'gone', 50);
		SELECT pegs_best('trip', ARRAY['gone', 'again'], 0.25)});
	is($told->('of gone'), '0.25', 'of a release: what choosing its model cost');
	$pegs->as('curator', q{SELECT pegs_drop('gone')});
	is($told->('of gone'), '0.25', 'and when its model is dropped');
	like($pegs->value("SELECT pegs_certificate_text('of gone')"), qr/^choice:      epsilon 0\.25, .* among 2 by/m, 'as text, too');
	like($pegs->value("SELECT s FROM pegs_view_sql('of gone', 'w') AS s WHERE s LIKE 'COMMENT ON VIEW%'"), qr/ and epsilon 0\.25 for choosing it, /, 'of a view, too');
	like($pegs->value("SELECT pegs_summary('of gone')"), qr/here 1\.25\. .*: epsilon 0\.25, charged besides/s, 'and a summary');
	$pegs->as('curator', q{SELECT pegs_fit('gone', 'trip', ARRAY['town', 'home'], epsilon => 1); SELECT pegs_best('trip', ARRAY['gone', 'again'], 0.5)});
	is($told->('of gone') . ' ' . $told->('gone'), '0.25 0.5', 'another model by that name has its own');
	$pegs->as('curator', q{SELECT pegs_release('of the first', 'gone', 50); SELECT pegs_refit('gone'); SELECT pegs_best('trip', ARRAY['gone', 'again'], 0.125)});
	is($told->('of the first') . ' ' . $told->('gone'), '0.5 0.125', 'a fit has what was charged for comparing its rows, and so has a release of it');
	$pegs->as('curator', q{SELECT pegs_release('name', 'gone', 50), pegs_release('other', 'gone', 50); SELECT pegs_best('trip', ARRAY['name', 'again'], 0.0625); SELECT pegs_drop('name'); SELECT pegs_release('name', 'gone', 60)});
	is($told->('name') . ' ' . $told->('other'), '0.125 0.125', 'nor has a release what another of its name, or of its model, has');
}

# ---- persons ----
{
	$pegs->value("SELECT pegs_set_unit('trip', 'who', weighting => 'person')");
	my $before = spent();
	my ($out, $err) = $pegs->as('curator', "SET client_min_messages = warning; SELECT pegs_best('trip', $names, 3)");
	like($out . $err, qr/^(?:good|bad)$/, 'persons: one is named');
	is(spent() - $before, PegsLedger::units(3), 'persons: charged');
	is($pegs->value("SELECT unit FROM pegs_ledger WHERE source = 'trip'::regclass ORDER BY epsilon_to DESC, at DESC LIMIT 1"), 'person: who', 'persons: it protects them');
	$pegs->value("SELECT pegs_set_unit('trip', NULL)");
}

# ---- thrown away: it has spent ----
for my $way (
	[ 'ROLLBACK', "BEGIN; SELECT $call; ROLLBACK;" ],
	[ 'ROLLBACK TO a savepoint', "BEGIN; SAVEPOINT a; SELECT $call; ROLLBACK TO a; COMMIT;" ],
	[ 'an exception', "DO \$\$ BEGIN PERFORM $call; RAISE division_by_zero; EXCEPTION WHEN division_by_zero THEN NULL; END \$\$;" ],
	[ 'a cursor', "BEGIN; DECLARE c CURSOR FOR SELECT $call; FETCH c; CLOSE c; ROLLBACK;" ],
	[ 'a cursor with hold, not committed', "BEGIN; DECLARE c CURSOR WITH HOLD FOR SELECT $call; FETCH c; ROLLBACK;" ])
{
	my ($name, $sql) = @$way;
	my $before = spent();
	$pegs->as('curator', "SET client_min_messages = warning; $sql");
	is(spent() - $before, PegsLedger::units(0.5), "$name: it has spent");
}
cmp_ok($pegs->value("SELECT count(*) FROM pegs_ledger WHERE source = 'trip'::regclass AND at IS NULL"), '>', 0, 'charges without a line show as a gap');
is($pegs->value("SELECT bool_and(ok) FROM pegs_verify_ledger('trip')"), 't', 'the ledger is whole');

# ---- ended while it reads: nothing ----
for my $way ('pg_cancel_backend', 'pg_terminate_backend')
{
	my $find = "FROM pg_stat_activity WHERE usename = 'curator' AND state = 'active' AND query LIKE '%pegs_best%'";
	my $before = $pegs->spent('long');
	my $p = $pegs->start_psql('curator', "SELECT pegs_best('slowly', ARRAY['l1', 'l2'], 1)");

	$node->poll_query_until('postgres', "SELECT count(*) = 1 $find") or die 'it was not seen';
	is($pegs->value("SELECT $way(pid) $find"), 't', "$way: found at work");
	$pegs->finish($p);
	like($p->{err}, qr/57014|57P01|server closed the connection/, "$way: ended");
	is($pegs->spent('long'), $before, "$way: nothing charged");
}

# ---- ended just before the charge, and just after it ----

# Held where the ledger's line is written: all is computed, nothing is charged. Held by a synchronous standby that is not there: all is charged.
for my $where ('ledger', 'standby')
{
	my $standby = $where eq 'standby';
	my $before = spent();
	my $p = $pegs->cancelled_waiting($where, 'curator', "${shown}SELECT $call");

	unlike($p->{out}, qr/good|bad/, ($standby ? 'charged' : 'not charged') . ': no name is told');
	if ($standby)
	{
		like($p->{err}, qr/ERROR:  the charge was not confirmed by the synchronous standby$/m, 'charged: what is said');
		like($p->{err}, qr/^(?:CONTEXT:  )?epsilon 0\.5 was charged to table "trip" \(choice "\{bad,good\}"\)$/m, 'charged: what was charged is said');
	}
	else
	{
		like($p->{err}, qr/ERROR:  canceling statement due to user request$/m, 'waiting for the ledger: what is said');
		unlike($p->{err}, qr/charged|NOTICE|good|bad/, 'waiting for the ledger: nothing else');
	}
	is(spent() - $before, $standby ? PegsLedger::units(0.5) : 0, $standby ? 'charged: all' : 'not charged: nothing');
}

# ---- refused, before anything is read ----
$pegs->refuses('read-only', '25006', "BEGIN READ ONLY; SELECT $call", 'curator');
$pegs->refuses('by who does not own the table', '42501', "SELECT $call", 'analyst');
$pegs->refuses('a budget of this transaction', '55000', "BEGIN; SELECT pegs_set_budget('trip', 1001) \\g /dev/null\nSELECT $call; ROLLBACK", 'curator');
$pegs->refuses('a release that this transaction has dropped', '42704', "BEGIN; SELECT pegs_drop('bad') \\g /dev/null\nSELECT $call; ROLLBACK", 'curator');
# what fails when it is read: so nothing was read
$pegs->refuses('asked before anything is read', '53400', "SELECT pegs_best('failing', ARRAY['bad', 'good'], 2000)", 'curator');
$node->safe_psql('template1', 'CREATE DATABASE copy TEMPLATE postgres');
my $copy = bless { node => $node, db => 'copy' }, 'PegsLedger';
$copy->refuses('in a copy', '55000', "SELECT $call", 'curator');

# A name is looked up when it is used, and by the right of that moment: who is no curator any more has none.
$pegs->value('GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA public TO other; GRANT curator TO other');
my $other = $pegs->background('other');
like($other->query("SELECT $call"), qr/^good$/, 'a member of the owner may');
$pegs->value('REVOKE curator FROM other');
eval { $other->query("SELECT $call") };
$other->quit;
$pegs->refuses('and no longer when it is none', '42501', "SELECT $call", 'other');

# ---- no value in any error, nor in the log; and no score ----
my $log = -s $node->logfile;
{
	my $before = spent();
	my (undef, $err) = $pegs->as('curator', "${shown}SET client_min_messages = debug1; SELECT pegs_best('failing', ARRAY['bad', 'good'], 1)");
	like($err, qr/ERROR:  reading public\.failing failed/, 'in our words');
	unlike($err, qr/QRAREQ/, 'no value');
	is(spent(), $before, 'nothing charged');
	$pegs->as('curator', "SET client_min_messages = debug1; SELECT $call");
	my $lines = PostgreSQL::Test::Utils::slurp_file($node->logfile, $log);
	unlike($lines, qr/QRAREQ/, 'nor in the log');
	unlike($lines, qr/\bgood\b/, 'nor which was chosen');
}

$node->stop;
done_testing();
