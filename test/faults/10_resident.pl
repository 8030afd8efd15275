# 10,000,000 rows with work_mem at 4 MB: the backend's own memory (RssAnon: what is not shared with others) stays below
# 100 MB all the while. A-47. Looked at from outside, in /proc, some hundred times while it runs.
# In CI the model has three columns; in the long mode all thirteen.
use strict;
use warnings;
use Faults;
use IO::Select;
use Time::HiRes qw(usleep);

my $f = Faults->new('resident', conf => "work_mem = 4MB\nmax_parallel_workers_per_gather = 0\n");
my $n = 10_000_000;
my ($sealed, $perturbed, $columns) = ('sealed', 'perturbed', $Faults::columns);

if (!$Faults::long)
{
	($sealed, $perturbed, $columns) = ('narrow_sealed', 'narrow_perturbed', 'sex character(1), sev smallint, cat text');
	$f->value("SELECT pegs_fit('narrow_sealed', 'discharges', '{sex,sev,cat}', parents => '{\"cat\": [\"sev\"]}')");
	$f->value("SELECT pegs_fit('narrow_perturbed', 'discharges', '{sex,sev,cat}', epsilon => 1, delta => 1e-9)");
}

my @query = (
	[ 'pegs_sample, perturbed, apportioned', "SELECT count(*) FROM pegs_sample('$perturbed', $n) AS t($columns)" ],
	[ 'pegs_sample, perturbed, independent', "SELECT count(*) FROM pegs_sample('$perturbed', $n, options => '{\"draw\": \"independent\"}') AS t($columns)" ],
	[ 'pegs_sample, sealed', "SELECT count(*) FROM pegs_sample('$sealed', $n, 1, $n) AS t($columns)" ],
	[ 'pegs_release, sealed', "SELECT pegs_release('ten_million', '$sealed', $n, 1, $n); SELECT $n" ],
	[ 'pegs_rows', "SELECT count(*) FROM pegs_rows('ten_million') AS t($columns)" ],
);

sub resident
{
	my ($pid) = @_;
	open my $in, '<', "/proc/$pid/status" or return 0;
	my ($kb) = map { /^RssAnon:\s+(\d+)/ ? $1 : () } <$in>;
	return $kb || 0;
}

for (@query)
{
	my ($what, $sql) = @$_;
	my $session = $f->fresh_session('postgres');
	my $ready = IO::Select->new($session->{pipe});
	my ($high, $looks, @wrong) = (0, 0);

	$session->send($sql);
	while (!$ready->can_read(0.02))
	{
		my $kb = resident($session->{pid});
		$high = $kb if $kb > $high;
		$looks++;
	}
	my $answer = $session->answer;
	push @wrong, "gave $answer->{out}$answer->{messages}" if $answer->{out} !~ /^$n$/m || $answer->{error};
	push @wrong, "$high kB" if $high >= 100 * 1024;
	push @wrong, "looked only $looks times" if $looks < 5;
	Faults::verdict(sprintf('A-47 10M rows below 100 MB: %s: at most %.0f MB', $what, $high / 1024), @wrong);
	Faults::matrix('10 million rows: memory of the backend', $what, 1, @wrong ? 0 : 1, 0, 0, 0, sprintf('at most %.0f MB', $high / 1024));
}
$f->value("SELECT pegs_drop('ten_million')");
my @wrong = $f->unsound;
Faults::verdict('A-47 the server afterwards', @wrong) if @wrong;
$f->finish;
