# Twenty sessions at once want what five can have: a budget, a share of it, or both. All wait at a door, which is opened
# when the last one stands there. Then the same with kill -9 of the whole server in the middle, and with a synchronous
# standby that goes away, comes back, and takes over from a killed primary. Law L2; A-10, A-8, A-17.
use strict;
use warnings;
use Test::More;
use Time::HiRes qw(usleep);
use PostgreSQL::Test::Cluster;
use PegsLedger;

my $sessions = 20;
# WAL that nobody flushes is lost with the server: the WAL writer does not
my $pegs = PegsLedger->new('race', init => [ allows_streaming => 1 ], conf => "max_connections = 50\nshared_buffers = 16MB\nbgwriter_lru_maxpages = 0\ncheckpoint_timeout = 1d\nwal_writer_delay = 10s\nwal_receiver_status_interval = 1s\n");
my $door = $pegs->background('postgres');

# Twenty run the SQL as the roles, in turn. Gives the sessions, at work.
sub begin_race
{
	my ($sql, @roles) = @_;

	$door->query_safe('SELECT pg_advisory_lock(1)');
	my @all = map { $pegs->start_psql($roles[$_ % @roles],
			"SET client_min_messages = warning;\n\\o /dev/null\nSELECT pg_advisory_lock_shared(1);\n\\o\n" . $sql =~ s/NUMBER/$_/gr) } 1 .. $sessions;
	$pegs->node->poll_query_until($pegs->{db},
		"SELECT count(*) = $sessions FROM pg_locks WHERE locktype = 'advisory' AND NOT granted") or die 'not all came to the door';
	return @all;
}
sub open_door { $door->query_safe('SELECT pg_advisory_unlock(1)'); return }

# The sessions, ended.
sub race
{
	my @all = begin_race(@_);

	open_door();
	$pegs->finish($_) for @all;
	return @all;
}

# Those who got their rows.
sub winners { return grep { $_->{out} =~ /^10$/m } @_ }

# Five saw ten rows each and nothing else; fifteen saw nothing but the error.
sub five_win
{
	my ($name, @all) = @_;
	my @won = grep { $_->{out} =~ /^10$/m && $_->{err} eq '' } @all;
	my @lost = grep { $_->{out} eq '' && $_->{err} =~ /^[^\n]*ERROR:  53400\n?$/ } @all;

	is(scalar @won, 5, "$name: five got rows");
	is(scalar @lost, $sessions - 5, "$name: the others got 53400, and no row");
	return;
}

# The table `race` has budget for five calls of 0.1; everyone's share is larger than that.
$pegs->value("
	CREATE TABLE race (LIKE visit INCLUDING CONSTRAINTS);
	ALTER TABLE race OWNER TO curator;
	INSERT INTO race SELECT * FROM visit;
	SELECT pegs_set_budget('race', epsilon => 0.5);
	SELECT pegs_fit('r', 'race', parents => '{}');
	SELECT pegs_grant('r', 'analyst', epsilon => 100);
	CREATE ROLE second LOGIN;
	SELECT pegs_grant('r', 'second', epsilon => 100);");
five_win('A-10 a budget for five', race('SELECT count(*) FROM ' . $pegs->sample(model => 'r') . ';', 'analyst'));
is($pegs->spent('race'), PegsLedger::units(0.5), 'A-10 spent is the total');

# Two roles, in transactions that roll back.
$pegs->value("SELECT pegs_set_budget('race', epsilon => 1)");
five_win('A-10 two roles, rolling back',
	race('BEGIN; SELECT count(*) FROM ' . $pegs->sample(model => 'r') . '; ROLLBACK;', 'analyst', 'second'));
is($pegs->spent('race'), PegsLedger::units(1), 'A-10 two roles: spent is the total');
is($pegs->cap_spent('r', 'analyst') + $pegs->cap_spent('r', 'second'), PegsLedger::units(1), 'A-10 two roles: so are their shares together');

# Releases: five stay, with their rows.
$pegs->value("SELECT pegs_set_budget('race', epsilon => 1.5)");
five_win('A-10 releases', race("\\o /dev/null\nSELECT pegs_release('five_NUMBER', 'r', 10, 0.1, 10);\n\\o\n"
	. "\\if :ERROR\n\\else\nSELECT count(*) FROM pegs_rows('five_NUMBER') AS t($PegsLedger::columns);\n\\endif\n", 'analyst'));
is($pegs->spent('race'), PegsLedger::units(1.5), 'A-10 releases: spent is the total');
is($pegs->value("SELECT count(*) FROM pegs_releases"), 5, 'A-10 releases: five there are');

# Hundreds of charges that meet: two that read the same total would both get rows for one charge.
$pegs->value("SELECT pegs_set_budget('race', epsilon => 2);
	CREATE FUNCTION try(times int) RETURNS int LANGUAGE plpgsql AS \$\$
	DECLARE won int := 0;
	BEGIN
		FOR i IN 1 .. times LOOP
			BEGIN
				PERFORM FROM " . $pegs->sample(model => 'r', n => 1, epsilon => 0.001) . ";
				won := won + CASE WHEN FOUND THEN 1 ELSE 0 END;
			EXCEPTION WHEN configuration_limit_exceeded THEN NULL;
			END;
		END LOOP;
		RETURN won;
	END \$\$");
my $won = 0;
$won += $_->{out} for race('SELECT try(50);', 'analyst', 'second');
is($won, 500, 'A-10 a thousand tries on a budget for five hundred: five hundred got a row');
is($pegs->spent('race'), PegsLedger::units(2), 'A-10 a thousand tries: spent is the total');

# A share for five, of a budget for many.
$pegs->value("SELECT pegs_fit('shared', 'visit', parents => '{}'); SELECT pegs_grant('shared', 'analyst', epsilon => 0.5)");
my $spent = $pegs->spent;
five_win('A-10 a share for five', race('SELECT count(*) FROM ' . $pegs->sample(model => 'shared') . ';', 'analyst'));
is($pegs->cap_spent('shared'), PegsLedger::units(0.5), 'A-10 a share for five: all of it is spent');
is($pegs->spent - $spent, PegsLedger::units(0.5), 'A-10 a share for five: the budget went up by as much, no more');

# Fits of the curator race with each other as well.
$pegs->value("SELECT pegs_set_budget('race', epsilon => 2.5)");
race("\\o /dev/null\nSELECT pegs_fit('fit_NUMBER', 'race', epsilon => 0.1);\n", 'postgres');
is($pegs->value("SELECT count(*) FROM pegs_models WHERE name LIKE 'fit%'"), 5, 'A-10 fits: five models');
is($pegs->spent('race'), PegsLedger::units(2.5), 'A-10 fits: spent is the total');

# Every charge of all these has its line, or is a gap; together they are the account, without overlap.
is($pegs->value("SELECT count(*) FROM (SELECT epsilon_from, lag(epsilon_to, 1, 0::numeric) OVER (ORDER BY epsilon_to) AS before
	FROM pegs_ledger WHERE source = 'race'::regclass AND epsilon_to > epsilon_from) AS l WHERE epsilon_from <> before"), 0,
	'A-10 the intervals of the ledger touch and do not overlap');

# ---- and the whole server is killed in the middle ----

# Budget for five more. They are in transactions that nobody commits: only the charge's own flush can save it.
my $one = PegsLedger::units(0.1);
my $open = 'BEGIN; SELECT count(*) FROM ' . $pegs->sample(model => 'r') . ";\nSELECT pg_sleep(100);";
sub five_more { $pegs->value('SELECT pegs_set_budget(\'race\', (SELECT spent FROM pegs_budgets WHERE source = \'race\'::regclass) + 0.5)'); return $pegs->spent('race') }

# Opens the door and kills all when so many have their rows, or before anyone can have them. Gives the number of those who did.
sub race_to_death
{
	my ($wanted, $kill) = @_;
	my @all = begin_race($open, 'analyst', 'second');
	my @processes = $pegs->processes;

	open_door();
	# who loses may have ended before anybody has rows: there is nothing to pump there. A session dies of its timeout
	while (winners(@all) < $wanted)
	{
		my @running = grep { $_->{run}->pumpable } @all or last;

		$_->{run}->pump_nb for @running;
		usleep(500);
	}
	$kill->(@processes);
	# what is in the pipe counts: it was sent
	for my $p (@all) { $pegs->finish($p) }
	eval { $door->quit };
	return scalar winners(@all);
}

# At a known moment: two have their rows, the others stand at the account. No call of ours stays in that queue: a comment on
# the account takes the same lock until its transaction ends.
{
	my $name = 'A-8 killed when two had rows and the others queued for the account';
	my $before = five_more();
	my $call = 'BEGIN; SELECT count(*) FROM ' . $pegs->sample(model => 'r') . ";\nSELECT pg_sleep(1000);";
	# nor is anything flushed but by a charge
	kill 'STOP', $pegs->value("SELECT pid FROM pg_stat_activity WHERE backend_type = 'walwriter'") or die "kill: $!";
	my @first = map { $pegs->start_psql('analyst', $call) } 1, 2;
	$pegs->pump_until_out($_, qr/^10$/m) for @first;
	my $holder = $pegs->background('postgres');
	$holder->query_safe('BEGIN; COMMENT ON SEQUENCE pegs_internal.' . $pegs->value("SELECT relname FROM pg_class WHERE oid = (SELECT epsilon_spent FROM pegs_internal.budget WHERE source = 'race'::regclass)") . ' IS NULL');
	my @others = begin_race($open, 'analyst', 'second');
	open_door();
	$pegs->node->poll_query_until($pegs->{db}, "SELECT count(*) = $sessions FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%pegs_sample%'") or die 'not all queue';
	$pegs->kill_server($pegs->processes);
	$pegs->finish($_) for @first, @others;
	eval { $_->quit } for $door, $holder;
	is(scalar winners(@others), 0, "$name: nobody else had any");
	is($pegs->spent('race') - $before, 2 * $one, "$name: two are charged");
	$door = $pegs->background('postgres');
	is(scalar winners(race('SELECT count(*) FROM ' . $pegs->sample(model => 'r') . ';', 'analyst', 'second')), 3, "$name: afterwards the rest can be had, once");
	is($pegs->spent('race') - $before, 5 * $one, "$name: then spent is the total");
}

# And wherever it falls. What is asserted does not depend on that.
for my $wanted (0, 1, 2, 3, 5)
{
	my $name = "A-8 killed when $wanted had rows";
	my $before = five_more();
	my $rows = race_to_death($wanted, sub { $pegs->kill_server(@_) });
	my $charged = ($pegs->spent('race') - $before) / $one;

	cmp_ok($rows, '>=', $wanted, "$name: so many, or more: $rows");
	cmp_ok($charged, '>=', $rows, "$name: each of them is charged: $charged");
	cmp_ok($charged, '<=', 5, "$name: and not more than there was");
	is($pegs->value("SELECT bool_and(ok) FROM pegs_verify_ledger('race')"), 't', "$name: the ledger verifies");

	# the rest is for the next twenty, and no more
	$door = $pegs->background('postgres');
	is(scalar winners(race('SELECT count(*) FROM ' . $pegs->sample(model => 'r') . ';', 'analyst', 'second')), 5 - $charged, "$name: afterwards the rest can be had, once");
	is($pegs->spent('race') - $before, 5 * $one, "$name: then spent is the total");
}

# ---- and a synchronous standby has to know ----

my $primary = $pegs->node;
$primary->backup('base');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($primary, 'base', has_streaming => 1);
$standby->start;
my $there = bless { node => $standby, db => 'postgres' }, 'PegsLedger';
$primary->safe_psql('postgres', "ALTER SYSTEM SET synchronous_standby_names = '*'");
$primary->reload;
sub synchronous { $primary->poll_query_until('postgres', "SELECT count(*) = 1 FROM pg_stat_replication WHERE sync_state = 'sync'") or die 'not synchronous'; return }
synchronous();

my $before = five_more();
five_win('A-17 with a synchronous standby', race('SELECT count(*) FROM ' . $pegs->sample(model => 'r') . ';', 'analyst', 'second'));
is($pegs->spent('race') - $before, 5 * $one, 'A-17 with a synchronous standby: spent is the total');
$primary->wait_for_catchup($standby, 'replay', $primary->lsn('flush'));
is($there->spent('race'), $pegs->spent('race'), 'A-17 with a synchronous standby: it knows');

# Without it five wait, all at the same time: nobody holds the account meanwhile, and the fifteen hear at once that nothing is left.
$before = five_more();
# In transaction blocks: a statement by itself ends with a COMMIT, which would wait, too, and hide that the charge does not.
my @all = begin_race('BEGIN; SELECT count(*) FROM ' . $pegs->sample(model => 'r') . '; COMMIT;', 'analyst', 'second');
$standby->stop;
$primary->poll_query_until('postgres', 'SELECT count(*) = 0 FROM pg_stat_replication') or die 'still replicating';
open_door();
$primary->poll_query_until('postgres', "SELECT count(*) = 5 AND count(*) FILTER (WHERE wait_event = 'SyncRep') = 5 FROM pg_stat_activity WHERE usename IN ('analyst', 'second')")
	or die 'five do not wait';
$_->{run}->pump_nb for grep { $_->{run}->pumpable } @all;
is(scalar winners(@all), 0, 'A-17 the standby is away: five wait, without rows');
is($pegs->spent('race') - $before, 5 * $one, 'A-17 the standby is away: they are charged');
$standby->start;
$pegs->finish($_) for @all;
five_win('A-17 the standby is back', @all);
is($pegs->spent('race') - $before, 5 * $one, 'A-17 the standby is back: charged once');

# The primary is killed in the middle, and the standby takes over: it knows of each who got rows.
synchronous();
$before = five_more();
my $rows = race_to_death(2, sub { $pegs->kill_for_good(@_) });
$standby->promote;
my $charged = ($there->spent('race') - $before) / $one;
cmp_ok($rows, '>=', 2, "A-17 promoted: two had rows, or more: $rows");
cmp_ok($charged, '>=', $rows, "A-17 promoted: each of them is charged: $charged");
cmp_ok($charged, '<=', 5, 'A-17 promoted: and not more than there was');
is($there->value("SELECT bool_and(ok) FROM pegs_verify_ledger('race')"), 't', 'A-17 promoted: the ledger verifies');

$standby->stop;
done_testing();
