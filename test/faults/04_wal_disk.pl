# The disk is full under the WAL. This is PostgreSQL's own emergency: a server that cannot write its log stops (PANIC),
# whatever it was doing, and does not start until there is room. What counts is what is found then: whoever saw a row has
# paid for it, and a fit or release is there whole or not at all.
#
# The last segment of the WAL is filled up to a random distance from its end, so that the room ends in the middle of the
# charge, of its line in the ledger, of the rows of a release.
use strict;
use warnings;
use Faults;
use Time::HiRes qw(usleep);

my $disk = Faults::small_disk('wal', 64);
if (!$disk)
{
	print "skipped: disk full under the WAL: nobody may mount a file system here\n";
	exit 0;
}
my $f = Faults->new('wal_disk', wal => $disk, fell => qr/./,
	conf => "min_wal_size = 2MB\nmax_wal_size = 1GB\ncheckpoint_timeout = 1h\nwal_recycle = off\nwal_init_zero = on\n");
my $times = Faults->times(1, 12);
my $segment = 1 << 20;

sub position { return $f->value("SELECT (pg_current_wal_insert_lsn() - '0/0'::pg_lsn) % $segment") }

# So many bytes are left in the segment at hand, and there will be no other.
sub corner
{
	my ($left) = @_;

	$f->value('CHECKPOINT');
	# the first change of a page after a checkpoint writes the whole page: let that be over
	$f->session($_) for qw(curator analyst);
	$f->session('analyst')->run("SELECT count(*) FROM pegs_sample('sealed', 1, 1) AS t($Faults::columns)");
	$f->value("SELECT pg_logical_emit_message(false, 'fill', repeat('x', 1000))");
	# segments that are there already are used up
	while ($f->value("SELECT count(*) FROM pg_ls_waldir() WHERE name ~ '^[0-9A-F]{24}\$' AND name > pg_walfile_name(pg_current_wal_insert_lsn())"))
	{
		$f->value('SELECT pg_switch_wal()');
		$f->value("SELECT pg_logical_emit_message(true, 'fill', 'x')");
	}
	Faults::leave_free($disk, 0);
	for (1 .. 200)
	{
		my $room = $segment - position() - $left;
		last if $room < 200;
		my $fill = $room - 150 > 60_000 ? 60_000 : $room - 150;
		$f->value("SELECT pg_logical_emit_message(false, 'fill', repeat('x', $fill))");
	}
	return;
}

srand(5);
my $panics = 0;
for my $op ($f->operations)
{
	my $writes = $Faults::operation{$op}{epsilon};

	for my $time (1 .. ($writes ? $times : 1))
	{
		# A sample writes about 1 kB, a fit or release hundreds.
		corner($op eq 'sample_sealed' ? 300 + int rand 3000 : 1000 + int rand 500_000);
		for (1 .. ($writes ? 40 : 2))
		{
			my $ended = $f->try($op, expect => qr/^(lost|53100|57P0\d)$/, died => sub {
				# PostgreSQL has stopped, or tries to start again in vain. Now somebody makes room.
				$panics++;
				Faults::leave_free($disk, undef);
				$f->stop;
				$f->start or die "the server does not start with room in pg_wal:\n" . $f->log_since($f->{log_at}) });
			last if $ended->{error};
		}
		Faults::leave_free($disk, undef);
	}
	$f->close_book('disk full under the WAL (PostgreSQL stops)', $op, fault => 'disk full under the WAL: PostgreSQL itself stops (PANIC)',
		hits => $writes ? 1 : 0, most_hits => $writes ? undef : 0);
}
my @panic = $f->log_since(0) =~ /PANIC:  (.*)/g;
Faults::verdict("disk full under the WAL: $panics times the server stopped, each time by PostgreSQL's own PANIC about pg_wal",
	$panics ? () : 'never', map { "PANIC: $_" } grep { !/pg_wal.*No space left/ } @panic);
$f->finish;
