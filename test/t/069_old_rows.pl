# Rows of 0.2.0 stay what they were: a model and a release that the library of 0.2.0 made, of more than two batches, are put into a
# database of 0.2.0, read by this library, updated, and read again. What they must be is what 0.2.0 itself gave. Issue 17: batches
# have streams of their own now, and old ones must not.
#
# test/t/data/old_rows.sql was written by pg_dump of a database of 0.2.0 (commit 90ce236, the one before), after
#	CREATE TABLE longago (a boolean NOT NULL, b smallint NOT NULL CHECK (b IN (1, 2, 3)), c smallint CHECK (c IN (0,1,2,3,4)));
#	INSERT INTO longago SELECT i % 3 = 0, 1 + i % 3, nullif(i % 7, 5) % 5 FROM generate_series(1, 5000) i;
#	SELECT pegs_set_budget('longago', 10, 1e-6); SELECT pegs_fit('longago', 'longago', epsilon => 1, delta => 1e-9);
#	SELECT pegs_release('longago release', 'longago', 300000);
use strict;
use warnings;
use File::Basename;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('old');
$node->init;
$node->append_conf('postgresql.conf', "autovacuum = off\nfsync = off\n");
$node->start;
$node->safe_psql('postgres', q{CREATE EXTENSION pegs VERSION '0.2.0';
	CREATE TABLE longago (a boolean NOT NULL, b smallint NOT NULL CHECK (b IN (1, 2, 3)), c smallint CHECK (c IN (0,1,2,3,4)))});
$node->safe_psql('postgres', slurp_file(dirname(__FILE__) . '/data/old_rows.sql'));

sub rows_are
{
	my ($when) = @_;

	is($node->safe_psql('postgres', q{SELECT count(*), md5(string_agg(t::text, ' ')) FROM pegs_rows_as(NULL::longago, 'longago release') AS t}),
		'300000|7d078b2ed7ea27cdc82030228f34f55c', "$when: the release");
	is($node->safe_psql('postgres', q{SELECT count(*), md5(string_agg(t::text, ' ')) FROM (SELECT * FROM pegs_sample_as(NULL::longago, 'longago', 140000) OFFSET 131000) AS t}),
		'9000|ac083b4041c43445d244191c74f2653c', "$when: rows of the model, from one batch into the next");
}
rows_are('the library alone is new');
$node->safe_psql('postgres', 'ALTER EXTENSION pegs UPDATE');
rows_are('updated');
is($node->safe_psql('postgres', q{SELECT count(*), md5(string_agg(t::text, ' ')) FROM (SELECT pegs_rows_as(NULL::longago, 'longago release') AS t) AS s}),
	'300000|7d078b2ed7ea27cdc82030228f34f55c', 'updated: in the select list');
# a part would be of another table than the whole
my (undef, undef, $err) = $node->psql('postgres', q{SELECT count(*) FROM pegs_sample_as(NULL::longago, 'longago', 140000, options => '{"part": 1, "parts": 2}')});
like($err, qr/older version/, 'updated: it has no parts') or diag($err);
done_testing();
