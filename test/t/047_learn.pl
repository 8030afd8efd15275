# What is learnt of a domain is read, computed, charged, declared. Ended before its charge it has cost nothing and declared nothing;
# thrown away after it, it has spent. No error and no line of the log has a value. Law L2; claims P5, P15, P16.
use strict;
use warnings;
use Test::More;
use PegsLedger;

my $pegs = PegsLedger->new('learn', init => [ allows_streaming => 1 ], conf => "log_min_messages = debug1\nlog_statement = none\nlog_min_error_statement = panic\n");
my $node = $pegs->node;
my $shown = "\\set VERBOSITY default\n\\set SHOW_CONTEXT errors\n";

# Of each town 100 rows; a value that one row has. The curator has all functions, and owns the table.
$pegs->value(q{GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA public TO curator; GRANT CREATE ON SCHEMA public TO curator; CREATE ROLE other LOGIN;
	CREATE TABLE trip (town text, km int, who int); ALTER TABLE trip OWNER TO curator;
	INSERT INTO trip SELECT (ARRAY['Bonn', 'Paris', 'Rome'])[1 + i % 3], 10 + i % 80, i / 4 FROM generate_series(1, 300) AS i; INSERT INTO trip VALUES ('QRAREQ', 20, 1000);
	SELECT pegs_set_budget('trip', 1000, 1e-6, 'sum');
	CREATE TABLE long (a text NOT NULL, n int); ALTER TABLE long OWNER TO curator; INSERT INTO long SELECT substr('xy', 1 + i % 2, 1), i FROM generate_series(1, 100000) AS i;
	SELECT pegs_set_budget('long', 1000, 1e-6, 'sum')});
$pegs->as('curator', q{CREATE VIEW slowly AS SELECT left(md5(repeat(a, 20000000)), 1) AS a, length(md5(repeat(a, 20000000))) + n AS n FROM long;
	CREATE VIEW failing AS SELECT town::int AS town, (town || 'x')::int AS km FROM trip WHERE town LIKE 'Q%'});
my %learn = (
	levels => [ "pegs_learn_levels('trip', 'town', 0.5, 1e-9)", '0.5 and delta 0.000000001 were', 'town' ],
	range => [ "pegs_learn_range('trip', 'km', 0.5)", '0.5 was', 'km' ]);

sub fact { my ($column) = @_; return $pegs->value("SELECT coalesce(max(coalesce(levels, edges)::text), 'none') FROM pegs_internal.fact WHERE source = 'trip'::regclass AND column_name = '$column'") }
sub forget { my ($column) = @_; $pegs->value("DELETE FROM pegs_internal.fact WHERE source = 'trip'::regclass AND column_name = '$column'"); return }

# ---- what is said ----
{
	my (undef, $err) = $pegs->as('curator', $shown . 'SELECT ' . $learn{levels}[0]);
	like($err, qr/NOTICE:  3 levels of column "town" were learnt: epsilon 0.5 and delta 0.000000001 were charged$/m, 'levels: what was learnt, and charged');
	like($err, qr/^DETAIL:  A value needed more than about 41 rows \(public: of epsilon, delta and the privacy unit\)\. Other values become "\(other\)"\.$/m, 'levels: the threshold');
	unlike($err, qr/QRAREQ/, 'levels: no value that is rare');
	is(fact('town'), '{Bonn,Paris,Rome}', 'levels: declared');
	(undef, $err) = $pegs->as('curator', $shown . 'SELECT ' . $learn{range}[0]);
	like($err, qr/NOTICE:  column "km" lies between \d+ and \d+: epsilon 0.5 was charged$/m, 'range: what was learnt, and charged');
	like($err, qr/^DETAIL:  It has \d+ bins(?:, and 0 is a level of its own)?\. Values outside, if there are any, count in the first or the last\.$/m, 'range: what becomes of others');
	(undef, $err) = $pegs->as('curator', "${shown}SELECT pegs_learn_levels('trip', 'who', 0.5, 1e-9)");
	like($err, qr/NOTICE:  nothing was learnt of column "who": epsilon 0.5 and delta 0.000000001 were charged$/m, 'nothing: it was charged all the same');
	is(fact('who'), 'none', 'nothing: nothing is declared');
	is($pegs->spent('trip'), PegsLedger::units(1.5), 'three charges');
	is($pegs->value("SELECT string_agg(action || ' ' || object || ' ' || unit, ', ' ORDER BY epsilon_to) FROM pegs_ledger WHERE source = 'trip'::regclass AND epsilon_to > 0"),
		'learn public.trip.town row, learn public.trip.km row, learn public.trip.who row', 'three lines of the ledger');
	# a person is 64 times as many counts, and the words count persons
	$pegs->value("SELECT pegs_set_unit('trip', 'who', weighting => 'person')");
	(undef, $err) = $pegs->as('curator', $shown . 'SELECT ' . $learn{levels}[0]);
	like($err, qr/A value needed more than about \d\d persons/, 'persons: the threshold is in persons');
	$pegs->value("SELECT pegs_set_unit('trip', NULL)");
}

# ---- thrown away: it has spent ----
for my $what (sort keys %learn)
{
	my ($call, undef, $column) = @{ $learn{$what} };

	for my $way (
		[ 'ROLLBACK', "BEGIN; SELECT $call; ROLLBACK;" ],
		[ 'ROLLBACK TO a savepoint', "BEGIN; SAVEPOINT a; SELECT $call; ROLLBACK TO a; COMMIT;" ],
		[ 'an exception', "DO \$\$ BEGIN PERFORM $call; RAISE division_by_zero; EXCEPTION WHEN division_by_zero THEN NULL; END \$\$;" ],
		[ 'an error of the same statement', "SELECT $call, 1 / (random() * 0)::int;" ])
	{
		my ($name, $sql) = @$way;
		forget($column);
		my $before = $pegs->spent('trip');
		my (undef, $err) = $pegs->as('curator', "SET client_min_messages = warning; $sql");
		my $ran = $pegs->spent('trip') - $before;

		# the planner may find the error before anything ran
		next if $name =~ /statement/ && $ran == 0 && $err =~ /22012/;
		is($ran, PegsLedger::units(0.5), "$what, $name: it has spent");
		is(fact($column), 'none', "$what, $name: and what was learnt is gone");
	}
}
cmp_ok($pegs->value("SELECT count(*) FROM pegs_ledger WHERE source = 'trip'::regclass AND at IS NULL"), '>', 0, 'charges without a line show as a gap');
is($pegs->value("SELECT bool_and(ok) FROM pegs_verify_ledger('trip')"), 't', 'the ledger is whole');

# ---- ended while it reads: nothing ----
for my $way ('pg_cancel_backend', 'pg_terminate_backend')
{
	for my $call ("pegs_learn_levels('slowly', 'a', 1, 1e-9)", "pegs_learn_range('slowly', 'n', 1)")
	{
		my $find = "FROM pg_stat_activity WHERE usename = 'curator' AND state = 'active' AND query LIKE '%pegs_learn%'";
		my $p = $pegs->start_psql('curator', "SELECT $call");

		$node->poll_query_until('postgres', "SELECT count(*) = 1 $find") or die 'it was not seen';
		is($pegs->value("SELECT $way(pid) $find"), 't', "$way, $call: found at work");
		$pegs->finish($p);
		like($p->{err}, qr/57014|57P01|server closed the connection/, "$way, $call: ended");
		is($pegs->spent('long') . $pegs->value("SELECT count(*) FROM pegs_internal.fact WHERE source = 'slowly'::regclass"), '00', "$way, $call: nothing charged, nothing declared");
	}
}

# ---- ended just before the charge, and just after it ----

# Held where a fact or the ledger's line is written: all is computed, nothing is charged. Held by a synchronous standby that is not there: all is charged.
sub held
{
	my ($what, $where) = @_;
	my ($call, $charged, $column) = @{ $learn{$what} };
	my $standby = $where eq 'standby';

	forget($column);
	my $before = $pegs->spent('trip');
	my $p = $pegs->cancelled_waiting($where, 'curator', "${shown}SELECT $call");
	if ($standby)
	{
		like($p->{err}, qr/ERROR:  the charge was not confirmed by the synchronous standby$/m, "$what, charged: what is said");
		like($p->{err}, qr/^(?:CONTEXT:  )?epsilon \Q$charged\E charged to table "trip" \(learn "public\.trip\.$column"\)$/m, "$what, charged: what was charged is said");
	}
	else
	{
		like($p->{err}, qr/ERROR:  canceling statement due to user request$/m, "$what, waiting for $where: what is said");
		unlike($p->{err}, qr/charged|NOTICE/, "$what, waiting for $where: no charge is said, nor anything else");
	}
	is($pegs->spent('trip') - $before, $standby ? PegsLedger::units(0.5) : 0, "$what, $where: charged " . ($standby ? 'all' : 'nothing'));
	is(fact($column), 'none', "$what, $where: nothing is declared");
	return;
}
for my $what (sort keys %learn) { held($what, $_) for 'fact', 'ledger', 'standby' }

# Somebody else declares the column, and has not committed: waited for before the charge, for a column with a fact and without.
for my $had (0, 1)
{
	my $holder = $pegs->background('postgres');
	my $find = "FROM pg_stat_activity WHERE usename = 'curator' AND wait_event_type = 'Lock'";

	forget('town');
	$pegs->value("SELECT pegs_set_levels('trip', 'town', ARRAY['old'])") if $had;
	my $before = $pegs->spent('trip');
	$holder->query_safe("BEGIN; SELECT pegs_set_levels('trip', 'town', ARRAY['Oslo'])");
	my $p = $pegs->start_psql('curator', "SET client_min_messages = warning; SELECT $learn{levels}[0]");
	$node->poll_query_until('postgres', "SELECT count(*) = 1 $find") or die 'it does not wait';
	is($pegs->spent('trip'), $before, 'it waits for another declaration, and nothing is charged yet' . ($had ? ', in place of an old one' : ''));
	$holder->query_safe('COMMIT');
	$holder->quit;
	$pegs->finish($p);
	is($p->{err}, '', 'then it goes on');
	is($pegs->spent('trip') - $before . fact('town'), PegsLedger::units(0.5) . '{Bonn,Paris,Rome}', 'and is charged and declared');
}

# From there to the charge, and on, the place is ours: nobody comes between, and it need not be waited for when all is charged.
{
	my $holder = $pegs->background('postgres');

	$pegs->value("SELECT pegs_set_levels('trip', 'town', ARRAY['old'])");
	$holder->query_safe('BEGIN; LOCK TABLE pegs_internal.ledger IN SHARE MODE');
	my $p = $pegs->start_psql('curator', "SET client_min_messages = warning; SELECT $learn{levels}[0]");
	$node->poll_query_until('postgres', "SELECT count(*) = 1 FROM pg_stat_activity WHERE usename = 'curator' AND wait_event_type = 'Lock'") or die 'it does not wait';
	my (undef, $err) = $pegs->as('postgres', "SELECT FROM pegs_internal.fact WHERE source = 'trip'::regclass AND column_name = 'town' FOR UPDATE NOWAIT");
	like($err, qr/55P03/, 'an old declaration is held before the charge');
	$holder->query_safe('ROLLBACK');
	$holder->quit;
	$pegs->finish($p);
	is($p->{err} . fact('town'), '{Bonn,Paris,Rome}', 'and replaced after it');
}

# ---- refused, before anything is read ----
$pegs->value("SELECT pegs_set_budget('trip', 1000, 1e-6)");
for my $what (sort keys %learn)
{
	my $call = $learn{$what}[0];

	$pegs->refuses("$what, read-only", '25006', "BEGIN READ ONLY; SELECT $call", 'curator');
	$pegs->refuses("$what, by who does not own the table", '42501', "SELECT $call", 'analyst');
	$pegs->refuses("$what, a budget of this transaction", '55000', "BEGIN; SELECT pegs_set_budget('trip', 1001, 1e-6) \\g /dev/null\nSELECT $call; ROLLBACK", 'curator');
	$pegs->refuses("$what, more than there is", '53400', "SELECT " . $call =~ s/0\.5/2000/r, 'curator');
}
# what fails when it is read: so nothing was read
$pegs->refuses("$_: asked before anything is read", '53400', "SELECT $_", 'curator') for "pegs_learn_levels('failing', 'town', 2000, 1e-9)", "pegs_learn_levels('failing', 'town', 1, 1e-5)", "pegs_learn_range('failing', 'km', 2000)";
$node->safe_psql('template1', 'CREATE DATABASE copy TEMPLATE postgres');
my $copy = bless { node => $node, db => 'copy' }, 'PegsLedger';
$copy->refuses("$_, in a copy", '55000', "SELECT $learn{$_}[0]", 'curator') for sort keys %learn;

# ---- no value in any error, nor in the log ----
my $log = -s $node->logfile;
for my $call ("pegs_learn_levels('failing', 'town', 1, 1e-9)", "pegs_learn_range('failing', 'km', 1)")
{
	my $before = $pegs->spent('trip');
	my (undef, $err) = $pegs->as('curator', "${shown}SET client_min_messages = debug1; SELECT $call");
	like($err, qr/ERROR:  reading public\.failing failed/, "$call: in our words");
	unlike($err, qr/QRAREQ/, "$call: no value");
	is($pegs->spent('trip'), $before, "$call: nothing charged");
}
$pegs->as('curator', "SET client_min_messages = debug1; SELECT $learn{$_}[0]") for sort keys %learn;
unlike(PostgreSQL::Test::Utils::slurp_file($node->logfile, $log), qr/QRAREQ/, 'nor in the log');

# ---- many values: memory does not grow with them ----
{
	$pegs->as('curator', 'CREATE TABLE many (v text NOT NULL); INSERT INTO many SELECT md5(i::text) FROM generate_series(1, 400000) AS i');
	$pegs->value("SELECT pegs_set_budget('many', 10, 1e-6, 'sum')");
	my $session = $pegs->background('curator');
	my $peak = sub { my ($kb) = PostgreSQL::Test::Utils::slurp_file("/proc/$_[0]/status") =~ /^VmPeak:\s+(\d+)/m; return $kb };
	my $pid = $session->query('SELECT pg_backend_pid()');

	SKIP:
	{
		skip 'no /proc', 2 unless -r "/proc/$pid/status";
		$session->query("SET work_mem = '1MB'; SET max_parallel_workers_per_gather = 0; SELECT pegs_learn_levels('trip', 'town', 0.1, 1e-9)");
		my $small = $peak->($pid);
		$session->query("SELECT pegs_learn_levels('many', 'v', 1, 1e-9)");
		is($pegs->spent('many'), PegsLedger::units(1), '400,000 values: charged');
		# as text and counts they are 20 MB, and more where each is an allocation
		cmp_ok($peak->($pid) - $small, '<', 14_000, 'in less memory than they need themselves');
	}
	$session->quit;
}

$node->stop;
done_testing();
