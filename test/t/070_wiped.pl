# Exact counts are gone from a backend's memory when a call that counted is over, wherever they were counted: looked for in the
# memory itself, in which a table of counts is a row of words that nothing else is. Claim P5 (memory).
use strict;
use warnings;
no warnings 'portable';	# addresses of 64 bits
use Test::More;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;

plan skip_all => 'the memory of a process cannot be read here' unless open my $own, '<:raw', '/proc/self/mem' and -r '/proc/self/maps';

# the 24 levels of a column have so many rows each
my @counts = map { 211 + ($_ * $_ * 37) % 173 } 0 .. 23;
my $levels = join ', ', 0 .. $#counts;
my $node = PostgreSQL::Test::Cluster->new('wiped');
$node->init;
$node->append_conf('postgresql.conf', "max_parallel_workers_per_gather = 0\njit = off\n");
$node->start;
$node->safe_psql('postgres', "
	CREATE EXTENSION pegs;
	CREATE TABLE planted (a int NOT NULL CHECK (a IN ($levels)), b int NOT NULL CHECK (b IN (0, 1)), c int NOT NULL CHECK (c IN (0, 1)));
	INSERT INTO planted SELECT l - 1, (l + i) % 2, i % 2 FROM unnest('{" . join(', ', @counts) . "}'::int[]) WITH ORDINALITY AS u (n, l), generate_series(1, n) AS i;
	SELECT pegs_set_budget('planted', 1000, delta => 1e-6, accounting => 'sum');
	SELECT pegs_fit('one', 'planted', epsilon => 1), pegs_fit('two', 'planted', epsilon => 1)");

# How often eight of these counts stand one behind the other, as words of so many bytes, in what a process may write to.
sub found
{
	my ($pid, $form) = @_;
	my $pattern = pack($form, @counts[0 .. 7]);
	my $n = 0;

	open my $memory, '<:raw', "/proc/$pid/mem" or return undef;
	for my $line (split /\n/, slurp_file("/proc/$pid/maps"))
	{
		next unless $line =~ /^([0-9a-f]+)-([0-9a-f]+) rw.. \S+ \S+ 0 *(?:\[(?:heap|stack)\])?$/;
		my ($from, $to) = (hex $1, hex $2);
		my $bytes = '';

		sysseek $memory, $from, 0 or next;
		while (length $bytes < $to - $from)
		{
			last unless sysread $memory, $bytes, $to - $from - length $bytes, length $bytes;
		}
		$n++ while $bytes =~ /\Q$pattern\E/g;
	}
	return $n;
}

sub left_by
{
	my ($sql) = @_;
	my $session = $node->background_psql('postgres', on_error_die => 1);
	my $pid = $session->query('SELECT pg_backend_pid()');

	$session->query($sql);
	my $n = found($pid, 'Q<*');
	$session->quit;
	return $n;
}

my $there = left_by("SELECT array_agg(set_byte(set_byte('\\x0000000000000000'::bytea, 0, n % 256), 1, n / 256)) FROM unnest('{" . join(', ', @counts) . "}'::int[]) AS n;"
	. " CREATE TEMP TABLE seen AS SELECT string_agg(set_byte(set_byte('\\x0000000000000000'::bytea, 0, n % 256), 1, n / 256), ''::bytea) AS b FROM unnest('{" . join(', ', @counts) . "}'::int[]) AS n");
plan skip_all => 'the memory of a backend cannot be read here' if !defined $there;
ok($there > 0, 'what is not wiped is found');
my %calls = (
	'a fit' => "SELECT pegs_fit('m', 'planted', epsilon => 1)",
	'a fit by its table' => "SELECT pegs_fit('m', 'planted', epsilon => 1, method => 'marginals')",
	'a fit that chooses parents' => "SELECT pegs_fit('m', 'planted', structure_epsilon => 1)",
	'a choice' => "SELECT pegs_best('planted', '{one, two}', 1)");
is(left_by("BEGIN; $calls{$_}; ROLLBACK"), 0, $_) for sort keys %calls;

# A fit that is paid for has no counts any more when it comes to be charged: it waits there as long as somebody holds the store.
my $holder = $node->background_psql('postgres', on_error_die => 1);
my $session = $node->background_psql('postgres', on_error_die => 1);
my $pid = $session->query('SELECT pg_backend_pid()');
$holder->query('BEGIN; LOCK TABLE pegs_internal.body IN SHARE MODE');
$session->query_until(qr/begun/, "\\echo begun\n$calls{'a fit by its table'};\n");
$node->poll_query_until('postgres', "SELECT count(*) = 1 FROM pg_locks WHERE pid = $pid AND relation = 'pegs_internal.body'::regclass AND NOT granted") or die 'it does not wait';
is(found($pid, 'Q<*'), 0, 'a fit that waits for its charge');
$holder->query('ROLLBACK');
$session->query('SELECT 1');
$session->quit;
$holder->quit;
is($node->safe_psql('postgres', "SELECT count(*) FROM pegs_models WHERE name = 'm'"), 1, 'and is then charged and there');
# states of parts go from one node of a plan to another: the executor has copies of the first (nodeAgg.c keeps that tuple), which are not ours to wipe. All rows but one are in the first part.
$node->safe_psql('postgres', "CREATE TABLE cut (LIKE planted INCLUDING CONSTRAINTS, part int) PARTITION BY LIST (part); CREATE TABLE cut1 PARTITION OF cut FOR VALUES IN (1); CREATE TABLE cut2 PARTITION OF cut FOR VALUES IN (2);
	INSERT INTO cut SELECT *, 1 FROM planted; INSERT INTO cut VALUES (20, 0, 0, 2); SELECT pegs_set_budget('cut', 1000, delta => 1e-6)");
cmp_ok(left_by("BEGIN; SET LOCAL enable_partitionwise_aggregate = on; SELECT pegs_fit('of parts', 'cut', '{a,b,c}', epsilon => 1); ROLLBACK"), '<=', 2, 'parts that are added up: no copy of ours');
done_testing();
