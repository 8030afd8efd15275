# Four sessions make a table together, each a part of it, out of the select list: the same rows as of one session, no temporary
# file, and a bound of memory that does not depend on how many rows there are. Issue 17, must hold 3; bench/parts has the figures.
#
# Memory is the high-water mark that Linux keeps of each process (VmHWM), its buffers included, which are few here.
use strict;
use warnings;
use Test::More;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;

my $n = 800_000;
my $node = PostgreSQL::Test::Cluster->new('streamed');
$node->init;
$node->append_conf('postgresql.conf', "autovacuum = off\nshared_buffers = 4MB\nwork_mem = 64kB\njit = off\nmax_wal_size = 4GB\n");
$node->start;
$node->safe_psql('postgres', q{
	CREATE EXTENSION pegs;
	CREATE TABLE visit (id bigint PRIMARY KEY, a text NOT NULL CHECK (a IN ('one', 'two', 'three')), b smallint CHECK (b IN (1, 2, 3)), c int NOT NULL);
	INSERT INTO visit SELECT i, (ARRAY['one', 'two', 'three'])[1 + i % 3], nullif(i % 4, 0), i % 100 FROM generate_series(1, 1000) AS i;
	SELECT pegs_set_bins('visit', 'c', low => 0, high => 100, bins => 10);
	SELECT pegs_set_budget('visit', 1000);
	SELECT pegs_fit('noisy', 'visit', epsilon => 1);
	SELECT pegs_fit('sealed', 'visit', '{a,b}', parents => '{}');
	SELECT pegs_release('of noisy', 'noisy', 800000);
	SELECT pegs_release('of sealed', 'sealed', 800000, 1, block => 800000);
	CREATE TABLE made (LIKE visit);
	CREATE TABLE whole AS SELECT * FROM pegs_sample_as(NULL::visit, 'noisy', 800000, options => '{"keys": "number"}')});
# from here on a temporary file is an error
$node->append_conf('postgresql.conf', "temp_file_limit = 0\n");
$node->reload;

my ($out, $err);
$node->psql('postgres', "SELECT count(*) FROM pegs_sample_as(NULL::visit, 'noisy', $n)", stderr => \$err);
like($err, qr/temporary file size exceeds/, 'in FROM they are all there at once');

sub peak
{
	my ($session, $pid) = @_;

	return -r "/proc/$pid/status" && slurp_file("/proc/$pid/status") =~ /^VmHWM:\s+(\d+) kB/m ? $1 : -1;
}

my @sessions = map { $node->background_psql('postgres', on_error_stop => 1) } 1 .. 4;
my @pids = map { $_->query('SELECT pg_backend_pid()') } @sessions;
for my $i (1 .. 4)
{
	# all at once: each is waited for below
	$sessions[ $i - 1 ]->{stdin} .= "INSERT INTO made SELECT (r).* FROM (SELECT pegs_sample_as(NULL::visit, 'noisy', $n, options => '{\"part\": $i, \"parts\": 4, \"keys\": \"number\"}') AS r) AS s;\n";
	$sessions[ $i - 1 ]->{run}->pump_nb;
}
for my $i (0 .. 3)
{
	is($sessions[$i]->query('SELECT 1'), '1', "part $i");
	cmp_ok(peak($sessions[$i], $pids[$i]), '<', 100 * 1024, "part $i: memory");
	$sessions[$i]->quit;
}
is($node->safe_psql('postgres', 'SELECT count(*), min(id), max(id) FROM made'), "$n|1|$n", 'as many rows');
my $sums = "count(*), sum(hashtextextended(r::text, 1)::numeric), sum(hashtextextended(r::text, 2)::numeric)";
is($node->safe_psql('postgres', "SELECT $sums FROM made AS r"), $node->safe_psql('postgres', "SELECT $sums FROM whole AS r"), 'the same rows as of one session');

# releases, of either kind; and a table made of them
for my $kind ('noisy', 'sealed')
{
	my $session = $node->background_psql('postgres', on_error_stop => 1);
	my $pid = $session->query('SELECT pg_backend_pid()');

	is($session->query("CREATE TABLE of_$kind AS SELECT (r).* FROM (SELECT pegs_rows_as(NULL::visit, 'of $kind') AS r) AS s; SELECT count(*) FROM of_$kind"), $n, "a release of $kind");
	cmp_ok(peak($session, $pid), '<', 100 * 1024, "a release of $kind: memory");
	$session->quit;
}
is($node->safe_psql('postgres', 'SELECT temp_files > 0 FROM pg_stat_database WHERE datname = current_database()'), 't', 'what is counted as a temporary file was seen where there were some');
$node->stop;
done_testing();
