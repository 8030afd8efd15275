# Out of memory: the address space of a live backend ends at what it has now plus a little, for a ladder of littles that
# reaches up to what the operation needs. malloc then says no, and PostgreSQL answers with SQLSTATE 53200.
#
# The limit is set on the backend from outside (prlimit), after it has loaded the library, filled its caches and used its
# stack: a stack that cannot grow is a segmentation fault in any PostgreSQL, whatever runs in it.
use strict;
use warnings;
use Faults;

# malloc asks the kernel for every block by itself: what is freed is gone, so that each block can be the one that is refused.
my $f = Faults->new('memory', conf => "max_parallel_workers_per_gather = 0\n",
	env => [ 'MALLOC_MMAP_THRESHOLD_=4096', 'MALLOC_TRIM_THRESHOLD_=0', 'MALLOC_TOP_PAD_=0' ]);
my $steps = Faults->times(20, 200);

sub status
{
	my ($pid, $field) = @_;
	open my $in, '<', "/proc/$pid/status" or return 0;
	my ($kb) = map { /^$field:\s+(\d+)/ ? $1 : () } <$in>;
	return $kb || 0;
}

sub limit
{
	my ($pid, $kb) = @_;
	my $bytes = defined $kb ? $kb * 1024 : 'unlimited';
	Faults::as_server('prlimit', '--pid', $pid, "--as=$bytes:") or die "prlimit failed\n";
	return;
}

# A small run of the same kind of work, and a deep recursion: 1 MB of stack.
sub warm
{
	my ($session) = @_;
	$session->run("SELECT count(*) FROM pegs_sample('perturbed', 10) AS t($Faults::columns);");
	# pegs reads in UTC. A time zone that cannot be loaded for want of memory is "invalid" to PostgreSQL (22023).
	$session->run("SET TimeZone = 'UTC'; RESET TimeZone;");
	$session->run('SET max_stack_depth = 2000; SELECT ' . '(' x 1500 . '1' . ')' x 1500 . ';');
	return;
}

for my $op ($f->operations)
{
	# What it needs: how far the peak lies above the start. Measured on a backend that is as warm.
	my $session = $f->fresh_session($Faults::operation{$op}{role});
	warm($session);
	my $start = status($session->{pid}, 'VmSize');
	$session->run($Faults::operation{$op}{sql}->("x" . ++$f->{number}, $f));
	my $need = status($session->{pid}, 'VmPeak') - $start;

	for my $step (0 .. $steps - 1)
	{
		my $kb = int(1.1 * $need * ($step / ($steps - 1)) ** 2);	# most of the steps are small
		$f->try($op, fresh => 1, expect => qr/^53200$/,
			before => sub { warm($_[0]); limit($_[0]{pid}, status($_[0]{pid}, 'VmSize') + $kb) },
			after => sub { limit($_[0]{pid}) unless $_[0]{dead} });
	}
	$f->close_book(sprintf('out of memory, %d steps up to %.1f MB', $steps, 1.1 * $need / 1024), $op, fault => 'out of memory');
}
$f->finish;
