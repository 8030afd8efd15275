# long: begins first, as it takes longest; run by make test-all (test/run long), not by make test
# A nightly refit for 30 simulated days under one budget, as docs/fresh.md has it: each is charged, readers always have rows,
# and when the budget is gone the last fit stays. Where pg_cron is installed it runs the job twice by itself: the first, and
# the one that fails. Then thirty days as slices: one charge for all of them.
use strict;
use warnings;
use Test::More;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use PegsLedger;

my ($share) = run_command([ $ENV{PG_CONFIG} || 'pg_config', '--sharedir' ]);
my $cron = -e "$share/extension/pg_cron.control";
my $pegs = PegsLedger->new('fresh', $cron ? (conf => "shared_preload_libraries = 'pg_cron'\ncron.use_background_workers = on\nmax_worker_processes = 20\ncron.database_name = 'postgres'\n") : ());
my $node = $pegs->node;
my $job = "SELECT pegs_refit('daily')";

$pegs->value("SELECT pegs_allow('curator'); GRANT CREATE ON SCHEMA public TO curator;
	CREATE TABLE event (at int NOT NULL, kind text NOT NULL CHECK (kind IN ('a', 'b', 'c'))); ALTER TABLE event OWNER TO curator;
	SELECT pegs_set_bins('event', 'at', 0, 30, 30); SELECT pegs_set_budget('event', 3, 1e-6, 'sum')");
$pegs->value("CREATE EXTENSION pg_cron; GRANT USAGE ON SCHEMA cron TO curator") if $cron;
sub night { my ($day) = @_; return $pegs->as('curator', "INSERT INTO event SELECT $day, substr('abc', 1 + i % 3, 1) FROM generate_series(1, 2000) AS i") }

night(0);
$pegs->as('curator', "SELECT pegs_fit('daily', 'event', epsilon => 0.1, delta => 1e-9); SELECT pegs_grant('daily', 'analyst');
	CREATE VIEW shown AS SELECT * FROM pegs_sample('daily', 3000) AS t(at int, kind text); GRANT SELECT ON shown TO analyst");
is($pegs->spent('event'), PegsLedger::units(0.1), 'the first fit');

# The job, until it has run once more. Gives its status and message.
sub by_cron
{
	my $job = shift || $job;

	$pegs->as('curator', "SELECT cron.schedule('daily', '* * * * *', \$\$$job\$\$)");
	$node->poll_query_until('postgres', "SELECT count(*) > 0 FROM cron.job_run_details WHERE status IN ('succeeded', 'failed')") or die 'pg_cron does not run';
	$pegs->as('curator', "SELECT cron.unschedule('daily')");
	my $said = $pegs->value("SELECT status || ' ' || username || ' ' || return_message FROM cron.job_run_details ORDER BY runid LIMIT 1");
	$pegs->value('DELETE FROM cron.job_run_details');
	return $said;
}

my $errors = '';
for my $day (1 .. 29)
{
	night($day);
	if ($day == 1 && $cron) { like(by_cron(), qr/^succeeded curator /, 'pg_cron fits it anew, as the curator') }
	else { $errors .= ($pegs->as('curator', $job))[1] }
}
is($errors, '', '29 nights without an error');
is($pegs->value("SELECT fit FROM pegs_models WHERE name = 'daily'"), '30', 'thirty fits');
is($pegs->spent('event'), PegsLedger::units(3), 'which have cost the budget, to the last unit');
is($pegs->value("SELECT count(*) || ' ' || count(DISTINCT epsilon_to) || ' ' || max(epsilon_to) FROM pegs_ledger WHERE source = 'event'::regclass AND action = 'fit'"), '30 30 3', 'a line each');
my ($rows) = $pegs->analyst("SELECT count(*) FILTER (WHERE at >= 20) > 300, count(*) FROM shown");
is($rows, 't|3000', 'the view has the last days');

# ---- the budget is gone ----

my ($seen) = $pegs->analyst("SELECT md5(string_agg(s::text, ',')) FROM shown AS s");
night(30);
my (undef, $said) = $pegs->as('curator', "\\set VERBOSITY default\n$job;");
like($said, qr/ERROR:  the privacy budget is exhausted\nDETAIL:  Asked for epsilon 0\.1; 0 of 3 remain\./, 'the next night is refused');
like(by_cron(), qr/^failed curator .*the privacy budget is exhausted/s, 'so pg_cron says') if $cron;
is($pegs->spent('event'), PegsLedger::units(3), 'nothing is charged');
is(scalar $pegs->analyst("SELECT md5(string_agg(s::text, ',')) FROM shown AS s"), $seen, 'readers have the last fit, the same rows as ever');
is($pegs->value("SELECT count(*) FROM pegs_internal.model WHERE source = 'event'::regclass"), '2', 'of thirty fits the last two are stored');
$pegs->as('curator', "SELECT pegs_set_budget('event', 3.1, 1e-6)");
is(($pegs->as('curator', $job))[1], '', 'a larger total, and the nights go on');
is(scalar $pegs->analyst("SELECT fit FROM pegs_models WHERE name = 'daily'"), '31', 'one');

# ---- slices: each day when its rows are there, all of them for one charge ----

$pegs->value("CREATE TABLE arrival (at date NOT NULL, kind text NOT NULL CHECK (kind IN ('a', 'b', 'c'))); ALTER TABLE arrival OWNER TO curator;
	CREATE TRIGGER keep BEFORE UPDATE ON arrival FOR EACH ROW EXECUTE FUNCTION pegs_keep_slices('at'); ALTER TABLE arrival ENABLE ALWAYS TRIGGER keep;
	SELECT pegs_set_budget('arrival', 3, 1e-6, 'sum'); SET ROLE curator; SELECT pegs_set_slices('arrival', 'at', '1 day', '2026-01-01', 3, 1e-9)");
$job = "SELECT pegs_fit_slices('days', 'arrival', most => 1)";
$errors = '';
for my $day (1 .. 30)
{
	$pegs->as('curator', "INSERT INTO arrival SELECT date '2026-01-01' + $day - 1, substr('abc', 1 + i % 3, 1) FROM generate_series(1, 2000) AS i");
	if ($day == 1 && $cron) { like(by_cron($job), qr/^succeeded curator /, 'pg_cron fits a slice, as the curator') }
	else { $errors .= ($pegs->as('curator', "SET client_min_messages = warning; $job"))[1] }
	$pegs->as('curator', "SELECT pegs_grant('days', 'analyst'); CREATE VIEW shown_days AS SELECT * FROM pegs_sample_slices('days') AS t(at date, kind text); GRANT SELECT ON shown_days TO analyst") if $day == 1;
}
is($errors, '', 'thirty nights without an error');
is($pegs->spent('arrival'), PegsLedger::units(3), 'which have cost one charge');
is($pegs->value("SELECT count(*) || ' ' || count(DISTINCT lower) || ' ' || min(lower) || ' ' || max(upper) FROM pegs_slices WHERE model = 'days'"), '30 30 2026-01-01 2026-01-31', 'a slice each');
($rows) = $pegs->analyst("SELECT count(DISTINCT at), min(n) > 1800, max(n) < 2200 FROM (SELECT at, count(*) AS n FROM shown_days GROUP BY at) AS d");
is($rows, '30|t|t', 'the view has every day, and its rows');

done_testing();
