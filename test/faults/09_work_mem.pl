# No memory to speak of: work_mem and maintenance_work_mem at 64 kB and 1 MB, the least there is. It is no fault, and
# nothing may differ: the same rows as with 1 GB, and counts that are the same to the byte.
use strict;
use warnings;
use Digest::MD5 'md5_hex';
use Faults;

my $f = Faults->new('work_mem', conf => "max_parallel_workers_per_gather = 0\n");
my %setting = (little => "SET work_mem = '64kB'; SET maintenance_work_mem = '1MB'; SET temp_buffers = '800kB'",
	plenty => "SET work_mem = '1GB'; SET maintenance_work_mem = '1GB'; SET temp_buffers = '8MB'");
my $n = Faults->times(200_000, 1_000_000);
my $t = "AS t($Faults::columns)";
# with these options the rows are the same every time
my %query = (
	'pegs_sample, perturbed' => "COPY (SELECT * FROM pegs_sample('perturbed', $n) $t) TO STDOUT;",
	'pegs_sample, perturbed, independent' => "COPY (SELECT * FROM pegs_sample('perturbed', $n, options => '{\"draw\": \"independent\"}') $t) TO STDOUT;",
	'pegs_rows, sealed' => "COPY (SELECT * FROM pegs_rows('big') $t) TO STDOUT;",
	'pegs_rows, perturbed' => "COPY (SELECT * FROM pegs_rows('big_perturbed') $t) TO STDOUT;",
	'pegs_agg' => "SELECT pegs_agg((SELECT spec FROM spec), $ENV{PEGS_FAULTS_NAMES} ORDER BY charge, age, mdc) FROM discharges;",
	'pegs_fit, sealed, rows of a person sorted' => "SELECT pegs_fit('NAME', 'stays', '{$ENV{PEGS_FAULTS_NAMES}}', parents => '{}');
		SELECT unmasked(body) FROM pegs_internal.body WHERE model = (SELECT id FROM pegs_internal.model WHERE name = 'NAME');",
);

$f->value("CREATE FUNCTION unmasked(bytea) RETURNS bytea LANGUAGE c STRICT AS '\$libdir/pegs', 'pegs_unmasked'");
$f->value("SELECT pegs_release('big', 'sealed', $n, 1, $n); SELECT pegs_release('big_perturbed', 'perturbed', $n)");
for my $what (sort keys %query)
{
	my (%hash, %lines, @wrong);

	for my $much ('little', 'plenty')
	{
		my $session = $f->fresh_session('postgres');
		$session->run($setting{$much});
		my $answer = $session->run($query{$what} =~ s/NAME/$much/gr);
		push @wrong, $answer->{messages} if $answer->{error};
		$hash{$much} = md5_hex($answer->{out});
		$lines{$much} = $answer->{lines};
	}
	push @wrong, "other rows: $hash{little}, $hash{plenty}" if $hash{little} ne $hash{plenty};
	push @wrong, "$lines{little} rows of $n" if $what =~ /sample|rows,/ && $lines{little} != $n;
	push @wrong, 'no answer' if !$lines{little};
	push @wrong, $f->unsound;
	Faults::verdict("work_mem 64 kB: $what: $lines{little} lines, the same as with 1 GB", @wrong);
	Faults::matrix('work_mem = 64kB', $what, 2, @wrong ? 0 : 2, 0, 0, 0, '');
}
$f->finish;
