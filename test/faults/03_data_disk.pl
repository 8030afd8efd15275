# The disk is full under the data directory, while the WAL has room on another: a model's body or the rows of a release
# cannot be stored, SQLSTATE 53100; rows that do not fit in memory on their way to the client have no room either. Reading
# goes on.
use strict;
use warnings;
use Faults;

my $disk = Faults::small_disk('data', 192);
if (!$disk)
{
	print "skipped: disk full under the data directory: nobody may mount a file system here\n";
	exit 0;
}
Faults::as_server('mkdir', "$Faults::scratch/data_disk_wal") or die;
my $f = Faults->new('data_disk', data => "$disk/data", wal => "$Faults::scratch/data_disk_wal");
my $steps = Faults->times(6, 40);

for my $op ($f->operations)
{
	my $writes = $op ne 'agg';

	# What earlier runs left in the tables would be room: it goes back to the disk.
	my $tidy = sub {
		Faults::leave_free($disk, undef);
		$f->value('VACUUM pegs_internal.model, pegs_internal.body, pegs_internal.release, pegs_internal.release_rows');
		$f->value('CHECKPOINT');
	};
	for my $step (0 .. $steps - 1)
	{
		my $kb = int(5 * 1024 * ($step / ($steps - 1)) ** 2);	# a release takes 4 MB
		$tidy->() if $op =~ /^fit|^release/;
		Faults::leave_free($disk, $kb);
		$f->try($op, expect => qr/^53100$/, after => sub { Faults::leave_free($disk, undef) });
	}
	$tidy->();
	$f->close_book("disk full under the data, $steps steps", $op, fault => 'disk full under the data directory',
		hits => $writes ? 1 : 0, most_hits => $writes ? undef : 0);
}
$f->finish;
