# The key that drew the rows of a sealed release is nowhere on disk, nor does what is kept of a release give them again: with the
# key an answer could be weighed against every table. OpenSSL's RAND_bytes is replaced in the server, so that the test knows the
# keys. Claims P1, P8; a release keeps another key, for the values inside bins.
use strict;
use warnings;
use File::Find;
use Test::More;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;

my $tmp = $PostgreSQL::Test::Utils::tmp_check;
my ($bindir) = run_command([ 'pg_config', '--bindir' ]);
my ($libraries) = run_command([ 'ldd', "$bindir/postgres" ]);
plan skip_all => 'this server has its random numbers from elsewhere' if $libraries !~ /libcrypto/;

# The n-th key that a process asks for is the n-th line of a file, while there are lines.
append_to_file("$tmp/keys.c", <<'C');
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>

int
RAND_bytes(unsigned char *bytes, int n)
{
	static int	asked;
	int			(*real) (unsigned char *, int) = (int (*) (unsigned char *, int)) dlsym(RTLD_NEXT, "RAND_bytes");
	FILE	   *file = n == 32 ? fopen(KEYS, "r") : NULL;
	int			found = 0;

	if (file)
	{
		for (int skip = 0; skip <= asked; skip++)
		{
			found = 0;
			while (found < n && fscanf(file, "%2hhx", &bytes[found]) == 1)
				found++;
		}
		fclose(file);
		asked++;
	}
	return found == n ? 1 : real(bytes, n);
}
C
command_ok([ $ENV{CC} || 'cc', '-shared', '-fPIC', "-DKEYS=\"$tmp/keys\"", '-o', "$tmp/keys.so", "$tmp/keys.c", '-ldl' ], 'the library that knows keys');

my $node = PostgreSQL::Test::Cluster->new('keys');
$node->init;
$node->append_conf('postgresql.conf', "autovacuum = off\nwal_compression = off\n");
{
	local $ENV{LD_PRELOAD} = "$tmp/keys.so";
	$node->start;
}
$node->safe_psql('postgres', q{
	CREATE EXTENSION pegs;
	CREATE TABLE visit (a int NOT NULL, x float8 NOT NULL);
	SELECT pegs_set_levels('visit', 'a', ARRAY(SELECT i::text FROM generate_series(1, 1000) AS i)), pegs_set_bins('visit', 'x', ARRAY['0', '1']);
	SELECT pegs_set_budget('visit', 100, 1e-6);
	SELECT pegs_fit('sealed', 'visit', parents => '{}'), pegs_fit('noisy', 'visit', epsilon => 1)});

# ---- which key is which ----

my %key = map { $_ => unpack('H*', pack('A32', "$_ is a key of this test alone")) } 'A' .. 'F';

# A release, made by these keys in this order, in a session of its own: a's rows, x's rows, the key that is kept.
sub released
{
	my ($model, $options, @keys) = @_;
	my ($name) = join '', lc $model, @keys;

	unlink "$tmp/keys";
	append_to_file("$tmp/keys", join "\n", map { $key{$_} } @keys) if @keys;
	my $epsilon = $model eq 'sealed' ? 'epsilon => 1,' : '';
	my @out = split /\n/, $node->safe_psql('postgres', "SELECT pegs_release('$name', '$model', 20, $epsilon options => '$options');
		SELECT string_agg(a::text, ' '), string_agg(x::text, ' ') FROM pegs_rows('$name') AS t(a int, x float8);
		SELECT encode(value_key, 'hex') || ' ' || coalesce(encode(key, 'hex'), 'none') FROM pegs_internal.release WHERE name = '$name'");
	unlink "$tmp/keys";
	my ($codes, $values) = split /\|/, $out[-2];
	return ($codes, $values, $out[-1]);
}

for my $options ('{}', '{"draw": "urn"}')
{
	$node->safe_psql('postgres', 'SELECT pegs_drop(name) FROM pegs_releases');
	my ($rows, $values, $kept) = released('sealed', $options, 'A', 'B');
	my ($same, $other_values, $other) = released('sealed', $options, 'A', 'C');
	my ($other_rows) = released('sealed', $options, 'D', 'B');

	is($same, $rows, "$options: the first key draws the rows");
	isnt($other_rows, $rows, "$options: and another one others");
	isnt($other_values, $values, "$options: the second key draws values inside bins");
	is("$kept, $other", "$key{B} none, $key{C} none", "$options: which alone is kept");
}
my (undef, undef, $kept) = released('noisy', '{"fresh": true}', 'E', 'F');
is($kept, "$key{F} $key{E}", 'of a perturbed model, which gives nothing away, both are kept');

# ---- and nothing else on disk ----

$node->safe_psql('postgres', 'CHECKPOINT');
$node->stop('immediate');
my %found;
find({ no_chdir => 1, wanted => sub {
	return unless -f && open my $in, '<:raw', $_;
	local $/;
	my $bytes = <$in> // '';
	for my $name (keys %key) { $found{$name} = 1 if index($bytes, pack('H*', $key{$name})) >= 0 || index($bytes, $key{$name}) >= 0 }
} }, $node->data_dir);
is(join(' ', sort keys %found), 'B C E F', 'in tables, WAL and log there are the keys that are kept, and no other');
done_testing();
