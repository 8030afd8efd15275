# Bytes that changed on the disk, or by a superuser's hand: bodies of models, rows of releases, missing and foreign ones.
# Reading is a clean error before anything is charged, or it gives the same rows as ever; never other rows, never a crash.
use strict;
use warnings;
use Digest::MD5 'md5_hex';
use Faults;

my $f = Faults->new('corrupt');
my $flips = Faults->times(60, 600);
my $refused = qr/^(22P03|XX001|0A000|55000)$/;	# not a state or model of pegs; data corrupted; of a later version; missing

srand(8);
$f->{rows} = 1000;

sub id { my ($name, $what) = @_; return $f->value("SELECT id FROM pegs_internal." . ($what || 'model') . " WHERE name = '$name'") }

# ---- one byte of a body ----

for my $op ('sample_sealed', 'sample_perturbed', 'release')
{
	my $id = id($op eq 'sample_perturbed' ? 'perturbed' : 'sealed');
	my $length = $f->value("SELECT length(body) FROM pegs_internal.body WHERE model = $id");

	$f->value("CREATE TABLE IF NOT EXISTS kept_body AS TABLE pegs_internal.body");
	for my $flip (1 .. $flips)
	{
		# the first bytes are lengths and shapes: all of them are tried
		my $at = $flip <= 48 ? $flip - 1 : int rand $length;
		my $mask = 1 << int rand 8;
		$f->value("UPDATE pegs_internal.body SET body = set_byte(body, $at, get_byte(body, $at) # $mask) WHERE model = $id");
		$f->try($op, expect => $refused);
		$f->value("UPDATE pegs_internal.body b SET body = k.body FROM kept_body k WHERE k.model = b.model AND b.model = $id");
	}
	$f->close_book("$flips changed bytes of a model", $op, fault => 'a byte of a model\'s body changed', hits => $flips);
}

# ---- a body cut, doubled, empty, missing, or another model's ----

$f->value("SELECT pegs_fit('other_sealed', 'discharges', '{sex,sev,cat}', parents => '{}');
	SELECT pegs_fit('other_perturbed', 'discharges', '{sex,sev,cat}', epsilon => 1, delta => 1e-9);
	CREATE TABLE swapped (LIKE discharges INCLUDING ALL);
	ALTER TABLE swapped OWNER TO curator;
	INSERT INTO pegs_internal.fact SELECT 'swapped', column_name, levels, other, lookup, lookup_column, edges FROM pegs_internal.fact
		WHERE source = 'discharges'::regclass;
	SELECT pegs_set_bins('swapped', 'charge', '{0,1000,1000000}');
	SELECT pegs_fit('fewer_levels', 'swapped', parents => '{\"los\": [\"typ\"], \"charge\": [\"los\"], \"mdc\": [\"sex\"], \"pay\": [\"race\"]}');
	SELECT pegs_set_budget('swapped', 100000000, 0.1, 'sum');
	SELECT pegs_fit('fewer_levels_perturbed', 'swapped', epsilon => 1, delta => 1e-9)");
for my $op ('sample_sealed', 'sample_perturbed', 'release')
{
	my $name = $op eq 'sample_perturbed' ? 'perturbed' : 'sealed';
	my $id = id($name);
	my @changes = (
		'body = substr(body, 1, length(body) / 2)', 'body = substr(body, 1, length(body) - 1)', "body = body || '\\x00'", 'body = body || body',
		"body = ''", "body = '\\x50454753'", map { "body = (SELECT body FROM kept_body WHERE model = $_)" }
			id('other_sealed'), id('other_perturbed'), id('fewer_levels'), id('fewer_levels_perturbed'), id($name eq 'sealed' ? 'perturbed' : 'sealed'));

	$f->value('DROP TABLE kept_body; CREATE TABLE kept_body AS TABLE pegs_internal.body');
	for my $change (@changes, 'missing')
	{
		$f->value($change eq 'missing' ? "DELETE FROM pegs_internal.body WHERE model = $id" : "UPDATE pegs_internal.body SET $change WHERE model = $id");
		$f->try($op, expect => $refused, died => sub { $f->{control}{dead} = 1 });
		$f->value("DELETE FROM pegs_internal.body WHERE model = $id; INSERT INTO pegs_internal.body SELECT * FROM kept_body WHERE model = $id");
	}
	my $all = @changes + 1;
	$f->close_book("$all foreign, cut or missing bodies", $op, fault => 'a model\'s body is cut, missing, or another\'s', hits => $all);
}

# ---- rows of a release ----

# What comes out must be an error, or the rows as they were.
sub rows_of_kept
{
	my ($change, $back) = @_;
	$f->value($change);
	my $answer = $f->session('analyst')->run($Faults::operation{rows}{sql}->());
	$f->value($back);
	return $answer;
}

my $kept = id('kept', 'release');
my $good = md5_hex(rows_of_kept('SELECT 1', 'SELECT 1')->{out});
$f->value('CREATE TABLE kept_rows AS TABLE pegs_internal.release_rows');
my $length = $f->value("SELECT length(codes) FROM pegs_internal.release_rows WHERE release = $kept AND chunk = 0");
my @changes = map {
	my $at = int rand $length;
	"codes = set_byte(codes, $at, get_byte(codes, $at) # " . (1 << int rand 8) . ')' } 1 .. $flips;
push @changes, 'codes = substr(codes, 1, length(codes) / 2)', 'codes = substr(codes, 1, length(codes) - 1)', "codes = codes || '\\x00'",
	'codes = codes || codes', "codes = ''", 'chunk = 1', 'release = release + 100000';
my (%book, @other);

for my $change (@changes)
{
	my $answer = rows_of_kept("UPDATE pegs_internal.release_rows SET $change WHERE release = $kept",
		"TRUNCATE pegs_internal.release_rows; INSERT INTO pegs_internal.release_rows SELECT * FROM kept_rows");
	if ($answer->{error})
	{
		$book{error}++;
		push @other, "$change: error $answer->{error}: $answer->{messages}" if $answer->{error} !~ $refused;
	}
	elsif (md5_hex($answer->{out}) ne $good) { push @other, "$change: other rows, and no error" }
	else { push @other, "$change: the change was not noticed" }
}
my $n = @changes;
Faults::verdict("$n changes of the stored rows of a release: pegs_rows: an error, never other rows", @other, $f->unsound);
Faults::matrix('stored rows of a release changed', 'pegs_rows', $n, 0, $n - @other, 0, 0, 'wrong rows given: ' . scalar @other);
$f->finish;
