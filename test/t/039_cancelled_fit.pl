# long: run by make test-all (test/run long), not by make test
# A fit is read, computed, charged, stored. Ended before its charge, in whatever way and at whatever moment, it has cost
# nothing and nobody has seen anything of it; ended after it, the error says what was charged. Law L2, claim P5.
use strict;
use warnings;
use Test::More;
use Time::HiRes qw(time usleep);
use PegsLedger;

my $pegs = PegsLedger->new('cancelled_fit', init => [ allows_streaming => 1 ]);
my $node = $pegs->node;
my $shown = "\\set VERBOSITY default\n\\set SHOW_CONTEXT errors\n";

# Many columns: reading takes no time, computing does. A view whose rows come slowly: the other way round.
my $columns = join ', ', map { "c$_ int NOT NULL CHECK (c$_ IN (" . join(', ', 0 .. 15) . '))' } 1 .. 70;
my $values = join ', ', map { "(i * $_ + i / $_) % 16" } 1 .. 70;
$pegs->value("CREATE TABLE wide ($columns); ALTER TABLE wide OWNER TO curator; INSERT INTO wide SELECT $values FROM generate_series(1, 3000) AS i;
	SELECT pegs_set_budget('wide', epsilon => 1000, delta => 1e-6, accounting => 'sum');
	CREATE TABLE slow (a text NOT NULL, b boolean NOT NULL); ALTER TABLE slow OWNER TO curator;
	INSERT INTO slow SELECT substr('xy', 1 + i % 2, 1), i % 3 = 0 FROM generate_series(1, 160) AS i;
	SELECT pegs_set_budget('slow', epsilon => 1000, delta => 1e-6, accounting => 'sum');
	CREATE VIEW slowly AS SELECT left(md5(repeat(a, 20000000)), 1) AS a, b FROM slow; ALTER VIEW slowly OWNER TO curator;
	CREATE TABLE endless (LIKE slow INCLUDING ALL); ALTER TABLE endless OWNER TO curator; INSERT INTO endless SELECT s.* FROM slow AS s, generate_series(1, 1000);
	SELECT pegs_set_budget('endless', epsilon => 1000, delta => 1e-6, accounting => 'sum');
	CREATE VIEW endlessly AS SELECT left(md5(repeat(a, 20000000)), 1) AS a, b FROM endless; ALTER VIEW endlessly OWNER TO curator;
	CREATE ROLE other LOGIN; GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA public TO curator");
$pegs->value("SELECT pegs_set_levels('$_', 'a', ARRAY['" . join("', '", 0 .. 9, 'a' .. 'f') . "'])") for 'slowly', 'endlessly';
my %fit = (
	'perturbed' => sub { "SELECT pegs_fit('$_[0]', 'wide', epsilon => 1, delta => 1e-9)" },
	'pure' => sub { "SELECT pegs_fit('$_[0]', 'wide', epsilon => 1)" },
	'chosen parents' => sub { "SELECT pegs_fit('$_[0]', 'wide', structure_epsilon => 1)" },
	'a state' => sub { "SELECT pegs_fit_state('$_[0]', 'wide', NULL, epsilon => 1, delta => 1e-9)" });

sub models { return $pegs->value("SELECT coalesce(string_agg(name, ',' ORDER BY name), '') FROM pegs_internal.name WHERE name ~ '^x'") }

# ---- at any moment ----

for my $what (sort keys %fit)
{
	my $start = time;
	my $before = $pegs->spent('wide');
	$pegs->as('curator', $fit{$what}->('whole'));
	my $took = time - $start;

	is($pegs->spent('wide') - $before, PegsLedger::units(1), "$what: a fit that ends is charged");
	$pegs->value("SELECT pegs_drop('whole')");
	my ($stopped, $wrong, $unsaid) = (0, 0, 0);
	# a machine that has become faster since ends them all: then sooner, down to a millisecond
	my @ms = map { int(1 + 1000 * $took * $_ / 7) } 1 .. 6;
	push @ms, map { int($ms[0] / 2 ** $_) || 1 } 1 .. 20;
	my $again = 0;
	while (@ms > 20 || ($stopped == 0 && @ms))
	{
		my $ms = shift @ms;
		my $spent = $pegs->spent('wide');
		my ($out, $err) = $pegs->as('curator', "${shown}SET statement_timeout = $ms;\n" . $fit{$what}->('x') . ";");
		my $charged = $pegs->spent('wide') - $spent;

		if ($err =~ /ERROR:  canceling statement due to statement timeout/)
		{
			$stopped++;
			my $said = $err =~ /^(?:CONTEXT:  )?epsilon 1 (?:and delta 0.000000001 were|was) charged to table "wide"/m ? PegsLedger::units(1) : 0;
			# the statement goes on for some microseconds when the fit has ended: once more, a little sooner and later
			if ($charged != $said && $charged == PegsLedger::units(1))
			{
				if ($again++ < 5) { unshift @ms, $ms > 9 && $again % 2 ? $ms - $again : $ms + $again } else { $unsaid++ }
			}
			$wrong++ if ($charged != $said && $charged != PegsLedger::units(1)) || models() ne '';
			diag("$what, $ms ms: charged $charged, models '" . models() . "': $err") if $charged != $said || models() ne '';
		}
		else
		{
			$wrong++ if $charged != PegsLedger::units(1);
			$pegs->value("SELECT pegs_drop('x')");
		}
	}
	cmp_ok($stopped, '>', 0, "$what: some were stopped");
	is($unsaid, 0, "$what: an error after the charge says it");
	is($wrong, 0, "$what: stopped at any moment, it is charged if and only if the error says so, and leaves no model");
}

# While it reads, for certain.
for my $way ('pg_cancel_backend', 'pg_terminate_backend')
{
	my $find = "FROM pg_stat_activity WHERE usename = 'curator' AND state = 'active' AND query LIKE '%pegs_fit%'";
	my $before = $pegs->spent('endless');
	my $p = $pegs->start_psql('curator', "SELECT pegs_fit('x', 'endlessly', epsilon => 1, delta => 1e-9)");

	$node->poll_query_until('postgres', "SELECT count(*) = 1 $find") or die 'the fit was not seen';
	is($pegs->value("SELECT $way(pid) $find"), 't', "$way: found at work");
	$pegs->finish($p);
	like($p->{err}, qr/57014|57P01|server closed the connection/, "$way: ended");
	is($pegs->spent('endless') . models(), $before, "$way: nothing charged, no model, its name is free");
}

# ---- just before the charge, and just after it ----

# Held where the ledger's line is written, or by a table into which the model goes: all is computed, nothing is charged. Held where
# the release's rows are stored, or by a synchronous standby that is not there: all is charged.
sub held
{
	my ($name, $relation, $role, $sql, $charged, $expected, $end) = @_;
	my $standby = $relation eq 'standby';
	my $holder = $pegs->background('postgres');
	my $find = "FROM pg_stat_activity WHERE usename = '$role' AND " . ($standby ? "wait_event = 'SyncRep'" : "wait_event_type = 'Lock'");
	my $before = $pegs->value('SELECT sum(spent) FROM pegs_budgets');

	$standby ? $node->append_conf('postgresql.conf', "synchronous_standby_names = 'nobody'") : $holder->query_safe("BEGIN; LOCK TABLE pegs_internal.$relation IN SHARE MODE");
	$node->reload if $standby;
	$node->poll_query_until('postgres', "SELECT current_setting('synchronous_standby_names') = 'nobody'") or die 'no standby' if $standby;
	$pegs->value('CHECKPOINT') if $standby;	# the checkpointer tells the others of standbys, after it has read the settings
	my $p = $pegs->start_psql($role, $shown . $sql);
	$node->poll_query_until('postgres', "SELECT count(*) = 1 $find") or die "$name: it does not wait";
	$end eq 'kill' ? $pegs->kill_backend($pegs->value("SELECT pid $find")) : $pegs->value("SELECT $end(pid) $find");
	eval { $pegs->finish($p) };
	$standby ? $node->adjust_conf('postgresql.conf', 'synchronous_standby_names', "''") : eval { $holder->query_safe('ROLLBACK') };
	$node->reload if $standby;
	$node->poll_query_until('postgres', "SELECT current_setting('synchronous_standby_names') = ''") or die 'a standby' if $standby;
	eval { $holder->quit };
	like($p->{err}, $expected, "$name, $end: what is said");
	if ($end ne 'kill')
	{
		$charged && !($standby && $end =~ /terminate/) ? like($p->{err}, qr/^(?:CONTEXT:  )?epsilon \Q$charged\E charged to table "\w+" \(\w+ "\w+"\)$/m, "$name, $end: what was charged is said")
			: unlike($p->{err}, qr/charged to table/, "$name, $end: no charge is said");
	}
	my ($amount) = ($charged || '0') =~ /^(\S+)/;
	is($pegs->value("SELECT (SELECT sum(spent) FROM pegs_budgets) - $before = $amount"), 't', "$name, $end: charged " . ($charged || 'nothing'));
	is(models(), '', "$name, $end: no model");
	return;
}
my $cancelled = qr/ERROR:  canceling statement due to user request$/m;
my $killed = qr/FATAL:  terminating connection due to administrator command$/m;
my $gone = qr/server closed the connection|terminating connection/;
my $unconfirmed = qr/ERROR:  the charge was not confirmed by the synchronous standby$/m;
$pegs->value("SELECT pegs_set_levels('slow', 'a', ARRAY['x', 'y'])");
my %fits = (fit => [ "SELECT pegs_fit('x', 'visit', epsilon => 1)", '1 was' ], 'fit with delta' => [ "SELECT pegs_fit('x', 'slow', epsilon => 1, delta => 1e-9)", '1 and delta 0.000000001 were' ],
	parents => [ "SELECT pegs_fit('x', 'visit')", '0.1 was' ], state => [ "SELECT pegs_fit_state('x', 'visit', NULL, epsilon => 1)", '1 was' ]);
for my $end ('pg_cancel_backend', 'pg_terminate_backend')
{
	my $words = $end =~ /cancel/ ? $cancelled : $killed;

	for my $what (sort keys %fits)
	{
		my ($sql, $charged) = @{ $fits{$what} };

		held("$what, waiting for $_", $_, 'curator', $sql, undef, $words, $end) for 'ledger', 'model', 'body', 'origin';
		held("$what, charged", 'standby', 'curator', $sql, $charged, $end =~ /cancel/ ? $unconfirmed : $gone, $end);
	}
	held('release, before', 'ledger', 'analyst', "SELECT pegs_release('x', 'm', 5, 0.25, 5)", undef, $words, $end);
	held('release', 'release_rows', 'analyst', "SELECT pegs_release('x', 'm', 5, 0.25, 5)", '0.25 was', $words, $end);
}
# A sample draws for long; it is stopped once its charge is there.
{
	my $before = $pegs->spent;
	my $p = $pegs->start_psql('analyst', $shown . 'SELECT count(*) FROM ' . $pegs->sample(n => 50_000_000, epsilon => 0.5));
	for (1 .. 100 * $PostgreSQL::Test::Utils::timeout_default) { last if $pegs->spent > $before; usleep(10_000) }
	$pegs->value("SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE usename = 'analyst' AND state = 'active'");
	$pegs->finish($p);
	like($p->{err}, $cancelled, 'a sample that is cancelled');
	like($p->{err}, qr/^CONTEXT:  epsilon 0.5 was charged to table "visit" \(sample "m"\)$/m, 'a sample that is cancelled: what was charged is said');
	is($pegs->spent - $before, PegsLedger::units(0.5), 'a sample that is cancelled: charged');
}
# Nothing is said of a charge where there was none, or where the statement that was charged has ended.
{
	my (undef, $err) = $pegs->as('analyst', "${shown}BEGIN; SELECT count(*) FROM " . $pegs->sample . '; SELECT 1 / 0; ROLLBACK; SELECT * FROM ' . $pegs->sample(epsilon => 900));
	like($err, qr/division by zero/, 'an error of another statement');
	unlike($err, qr/charged to table/, 'an error of another statement says nothing of a charge');
}
# A crash between the charge and the model: charged, and the model is gone. Before the charge, where the model has its row: not charged.
{
	$node->append_conf('postgresql.conf', 'restart_after_crash = on');
	$node->reload;
	held('crash after the charge', 'standby', 'curator', $fits{fit}[0], '1 was', $gone, 'kill');
	held('crash before the charge', 'ledger', 'curator', $fits{fit}[0], undef, $gone, 'kill');
	is($pegs->value("SELECT count(*) FROM pegs_internal.model AS m WHERE NOT EXISTS (SELECT FROM pegs_internal.body WHERE model = m.id)"), '0', 'no model without its body');
}

# ---- what is seen before the charge ----

# No memory, at every size of it: no number is said that depends on the rows. (The tables of the declared domain are public.)
# From the size at which the work begins it is the work that fails, or nothing: what is written for the charge has its memory, for that
# it lacks some would depend on what was computed. So where the largest that was too small and the smallest that was enough meet, too.
SKIP:
{
	skip 'no prlimit', 12 if system('prlimit --version >/dev/null 2>&1') != 0;
	for my $what ('perturbed', 'chosen parents')
	{
		my ($paid, $talk) = (0, '');
		my %said;				# by size in kB: the error, or nothing
		my $before = $pegs->spent('wide');
		my $log = -s $node->logfile;
		my $made_within = sub
		{
			my ($kb) = @_;
			my $session = $pegs->background('curator');
			$session->query("SELECT count(*) FROM pegs_domain('wide')");	# the library and the catalogs are there
			my $pid = $session->query('SELECT pg_backend_pid()');
			my $status = PostgreSQL::Test::Utils::slurp_file("/proc/$pid/status");
			my ($size) = $status =~ /^VmSize:\s+(\d+)/m;
			system('prlimit', "--pid=$pid", '--as=' . 1024 * ($size + $kb)) == 0 or die 'prlimit';
			my $out = eval { $session->query($fit{$what}->('x')) } // '';
			my $err = $session->{stderr} // '';
			eval { $session->quit };
			my $made = models() ne '';
			$said{$kb} = $err =~ /ERROR:/ ? $err : '';
			$talk .= "$kb kB: $err\n";
			# memory may also end where the model is stored: that fit is charged, and says so
			$paid++ if $made || $err =~ /^(?:CONTEXT:  )?epsilon 1 (?:and delta 0.000000001 were|was) charged to table "wide"/m;
			$pegs->value("SELECT pegs_drop('x')") if $made;
			return $made;
		};
		my ($too_small, $enough) = (0, undef);

		for my $kb (map { 4000 * $_ } 1 .. 25)
		{
			$enough = $kb, last if $made_within->($kb);
			$too_small = $kb;
		}
		ok(defined $enough, "no memory, $what: the largest size is enough");
		$enough //= $too_small + 4000;
		while ($enough - $too_small > 64)
		{
			my $kb = int(($too_small + $enough) / 2);
			$made_within->($kb) ? ($enough = $kb) : ($too_small = $kb);
		}
		$made_within->($too_small + 100 * $_) for -4 .. -1, 1 .. 4;
		my ($begins) = grep { $said{$_} =~ /out of memory while fitting/ } sort { $a <=> $b } keys %said;
		ok(defined $begins, "no memory, $what: some fail while fitting") or diag $talk;
		is(join(' ', grep { $_ >= ($begins // 0) && $said{$_} =~ /./ && $said{$_} !~ /out of memory while fitting|^HINT:  Take fewer columns|charged to table/m } sort { $a <=> $b } keys %said),
			'', "no memory, $what: before the charge it is the work that fails, not what is written") or diag $talk;
		unlike($talk, qr/memory context "pegs fit"/, "no memory, $what: no size of the work is said");
		is($pegs->spent('wide') - $before, $paid * PegsLedger::units(1), "no memory, $what: only a fit that was made, or says so, was charged");
		my $written = PostgreSQL::Test::Utils::slurp_file($node->logfile, $log);
		unlike($written, qr/Failed on request of size \d+ in memory context "pegs fit"/, "no memory, $what: nothing of the work in the log");
	}
}

# A long fit says its steps in their order, and whole seconds. On a fast machine it needs more rows to be long.
{
	my ($p, @said);
	for (1 .. 8)
	{
		$p = $pegs->start_psql('curator', "\\set VERBOSITY terse\nSELECT pegs_fit('long', 'slowly', epsilon => 1)");
		$pegs->finish($p);
		@said = $p->{err} =~ /^.*NOTICE:  (.*)$/mg;
		last if $p->{err} =~ /1-way tables/;
		$pegs->value("SELECT pegs_drop('long'); INSERT INTO slow SELECT * FROM slow");
	}
	my @steps;
	for (@said) { push @steps, $1 if s/^fit of "long": (reading rows|1-way tables|first pairs|more pairs|last estimate) \(after \d+ s\)$/$1/ }
	is("@{[ map { \"$_.\" } @steps ]}", '1-way tables. first pairs. more pairs. last estimate.', 'a long fit says its steps') or diag $p->{err};
	is(scalar(grep { !/^(1-way tables|first pairs|more pairs|last estimate|delta was not given.*)$/ } @said), 0, 'a long fit says nothing else');
	my $err;
	for (1 .. 100)
	{
		my $start = time;
		(undef, $err) = $pegs->as('curator', "\\set VERBOSITY terse\nSELECT pegs_fit('short', 'visit', epsilon => 1)");
		# one that stood still for seconds was not short
		last if time - $start < 5;
		$pegs->value("SELECT pegs_drop('short')");
	}
	is($err, '', 'a short fit says nothing');
}

# So does one that began its longest step in time: it stands still in that, for as long as a fit must last to say anything.
# How many steps that step has follows from noise: one that ended before it was stopped is made again.
{
	my $p;
	$pegs->value("CREATE TABLE normals AS SELECT i % 70 AS a, i * 7 % 69 AS b, i * 11 % 68 AS c FROM generate_series(1, 500) AS i; ALTER TABLE normals OWNER TO curator;
		SELECT pegs_set_budget('normals', epsilon => 10, delta => 1e-6, accounting => 'sum')");
	$pegs->value("SELECT pegs_set_bins('normals', '$_', 0, 70, 70)") for qw(a b c);
	for (1 .. 8)
	{
		my $options = '{"coding": "dummy", "nearest": "higham"}';
		$p = $pegs->start_psql('curator', "SELECT pg_backend_pid();\n\\set VERBOSITY terse\nSELECT pegs_fit('normals $_', 'normals', epsilon => 1, method => 'copula', options => '$options'); SELECT 'ended'");
		$pegs->pump_until_out($p, qr/\d\n/);
		my $pid = PegsLedger::counted($p->{out});
		usleep(200_000);
		my $runs = $p->{run}->pump_nb && $p->{out} !~ /ended/;
		kill STOP => $pid if $runs;
		sleep 5 if $runs;
		kill CONT => $pid if $runs;
		$pegs->finish($p);
		last if $p->{err} =~ /last estimate/;
	}
	like($p->{err}, qr/NOTICE:  fit of "normals \d": last estimate \(after \d+ s\)\n/, 'a step that began in time and goes on is spoken of');
}

$node->stop;
done_testing();
