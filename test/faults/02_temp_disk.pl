# The disk is full under temporary files. With work_mem at 64 kB rows that are about to be sent, and sorts, go to a
# temporary tablespace on a small file system with less and less room in it: SQLSTATE 53100. Where nobody may mount one,
# temp_file_limit stands in for it: SQLSTATE 53400.
#
# The fits read a table with a privacy unit, whose rows are sorted by person. pegs_agg gets its rows in an order.
use strict;
use warnings;
use Faults;

my $mb = 32;
my $disk = Faults::small_disk('temp', $mb);
my $f = Faults->new('temp_disk', conf => "work_mem = 64kB\nmax_parallel_workers_per_gather = 0\n");
my $steps = Faults->times(6, 40);
my $fault = $disk ? 'disk full under temporary files' : 'temp_file_limit (no disk could be mounted)';

if ($disk)
{
	$f->value("CREATE TABLESPACE small LOCATION '$disk'; GRANT CREATE ON TABLESPACE small TO PUBLIC");
	$f->value("ALTER DATABASE postgres SET temp_tablespaces = 'small'");
}

# From nothing to everything, most of the steps below 6 MB, where each operation has its limit.
my @free = map { int(1024 * $mb * ($_ / ($steps - 1)) ** 2) } 0 .. $steps - 1;

for my $op ($f->operations)
{
	my $spills = $op ne 'release';	# its rows go straight into a table

	$f->{source} = $op =~ /^fit/ ? 'stays' : 'discharges';
	for my $kb (@free)
	{
		if ($disk) { Faults::leave_free($disk, $kb) }
		else { $f->value("ALTER ROLE $_ SET temp_file_limit = $kb") for qw(curator analyst) }
		$f->try($op, fresh => 1, expect => $disk ? qr/^53100$/ : qr/^53400$/,
			sql => $op eq 'agg' ? sub { $_[0] =~ s/\) AS s FROM discharges/ ORDER BY charge, age) AS s FROM (SELECT * FROM discharges LIMIT 30000) AS d/r } : undef);
	}
	if ($disk) { Faults::leave_free($disk, undef) }
	else { $f->value("ALTER ROLE $_ RESET temp_file_limit") for qw(curator analyst) }
	$f->close_book("$fault, $steps steps", $op, fault => $fault, hits => $spills ? 1 : 0, most_hits => $spills ? undef : 0);
}
$f->finish;
