# Who may read all data may dump it: a member of pg_read_all_data, no superuser. The exact counts of sealed models are not in
# such a dump, whatever its format; they are readable by that role (the documentation says that it is trusted), but a dump
# that lies about has none. A-43.
use strict;
use warnings;
use Test::More;
use PostgreSQL::Test::Utils;
use PegsLedger;

my $pegs = PegsLedger->new('reader');
my $node = $pegs->node;
my $tmp = $PostgreSQL::Test::Utils::tmp_check;

# Cells of remarkable size; a release, which is kept in dumps; a perturbed model, too.
$pegs->value(q{
	CREATE ROLE reader LOGIN IN ROLE pg_read_all_data;
	CREATE TABLE stay (ward text NOT NULL CHECK (ward IN ('A', 'B', 'C', 'D')), male boolean NOT NULL);
	ALTER TABLE stay OWNER TO curator;
	INSERT INTO stay SELECT CASE WHEN i <= 23911 THEN 'A' ELSE 'B' END, i % 3 = 0 FROM generate_series(1, 40000) AS i;
	SELECT pegs_set_budget('stay', epsilon => 100);
	SELECT pegs_fit('plain', 'stay', parents => '{}'); SELECT pegs_fit('chain', 'stay', parents => '{"male": ["ward"]}', tail_bits => 1); SELECT pegs_fit('chosen', 'stay');
	SELECT pegs_fit('noisy', 'stay', epsilon => 1);
	SELECT pegs_release('kept', 'chain', 100, epsilon => 1, block => 100)});

$pegs->value("CREATE FUNCTION unmasked(bytea) RETURNS bytea LANGUAGE c STRICT AS '\$libdir/pegs', 'pegs_unmasked'");
# as they are stored, and as they are
my @stored = split /\n/, $pegs->value("SELECT encode(body, 'hex') FROM pegs_internal.body JOIN pegs_internal.model ON id = model WHERE sealed");
my @sealed = split /\n/, $pegs->value("SELECT encode(unmasked(body), 'hex') FROM pegs_internal.body JOIN pegs_internal.model ON id = model WHERE sealed");
my $noisy = $pegs->value("SELECT encode(body, 'hex') FROM pegs_internal.body JOIN pegs_internal.model ON id = model WHERE name = 'noisy'");
# of ward A, of B, of male and of not: as a body holds them
my @counts = map { unpack 'H*', pack 'Q<', $_ } 23911, 16089, 13333, 26667;
is(scalar @sealed, 4, 'A-43 four sealed models');
for my $count (@counts) { cmp_ok(scalar(grep { /$count/ } @sealed), '>=', 1, "A-43 the count $count is in their bodies") }
for my $count (@counts) { is(scalar(grep { /$count/ } @stored), 0, "A-43 the count $count is not in them as they are stored") }

# the source itself is not what this is about: the reader may read it, and its rows would be in the dump
my @options = ('-U', 'reader', '-d', $node->connstr('postgres'), '--exclude-table-data=stay', '--exclude-table-data=visit');
my %dump;
command_ok([ 'pg_dump', @options, '-f', "$tmp/reader.sql" ], 'A-43 pg_dump as a member of pg_read_all_data');
$dump{plain} = slurp_file("$tmp/reader.sql");
command_ok([ 'pg_dump', @options, '--inserts', '-f', "$tmp/inserts.sql" ], 'A-43 pg_dump --inserts');
$dump{inserts} = slurp_file("$tmp/inserts.sql");
command_ok([ 'pg_dump', @options, '--data-only', '-f', "$tmp/data.sql" ], 'A-43 pg_dump --data-only');
$dump{data} = slurp_file("$tmp/data.sql");
command_ok([ 'pg_dump', @options, '-Fc', '-f', "$tmp/reader.custom" ], 'A-43 pg_dump -Fc');
command_ok([ 'pg_restore', '-f', "$tmp/custom.sql", "$tmp/reader.custom" ], 'A-43 and what is in it');
$dump{custom} = slurp_file("$tmp/custom.sql");
command_ok([ 'pg_dump', @options, '-Fd', '-j', '2', '-f', "$tmp/reader.dir" ], 'A-43 pg_dump -Fd -j 2');
command_ok([ 'pg_restore', '-f', "$tmp/dir.sql", "$tmp/reader.dir" ], 'A-43 and what is in it');
$dump{directory} = slurp_file("$tmp/dir.sql");

# Which counts a text has: as bytes, or as numbers of their own. Digits in the middle of a key, of the microseconds of a time
# or of a longer number are chance: some ten thousand random digits are in a dump.
# The number of a file, behind its time in what an account knows of its database, may be any, too.
sub counted { my $text = $_[0] =~ s/\b\d{10}\.\d{9} \d+\b//gr; return join ' ', (grep { index($text, $_) >= 0 } @counts), $text =~ /(?<![\w.])(23911|16089|13333|26667)(?![\w.])/g }
for my $format (sort keys %dump)
{
	my $dump = $dump{$format};

	isnt(index($dump, $noisy), -1, "A-43 $format: the perturbed model is there");
	is(scalar(grep { index($dump, $_) >= 0 } @sealed, @stored), 0, "A-43 $format: no sealed model is");
	# what was released may be any number, once in some hundred runs the very count
	is(counted($dump =~ s/\Q$noisy\E//gr), '', "A-43 $format: nor one of its counts");
}
is(counted("COPY t (body, n) FROM stdin;\n1\t$sealed[1]\nINSERT INTO t VALUES (13333, '[26667]');\n1\t16089\n"), (join ' ', (grep { index($sealed[1], $_) >= 0 } @counts), 13333, 26667, 16089),
	'A-43 a count that is there would be found');

# What the role can read all the same, and what pegs_health says of it: see docs/limits.md.
is($pegs->as('reader', 'SELECT count(*) FROM pegs_internal.body'), 5, 'A-43 the role itself is trusted: it may read the bodies');
like($pegs->value("SELECT string_agg(item || ' ' || state, '; ') FROM pegs_health() WHERE NOT ok"), qr/role reader can read all tables/, 'A-43 pegs_health names it');

# An analyst, who is not: refused at the first lock.
$pegs->node->command_fails_like([ 'pg_dump', '-U', 'analyst', '-d', $node->connstr('postgres'), '-f', "$tmp/analyst.sql" ], qr/permission denied/, 'A-43 pg_dump as an analyst');

$node->stop;
done_testing();
