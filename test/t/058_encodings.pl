# Models, releases, files and states in databases of other encodings: a dump of a LATIN1 database loaded into one of UTF-8 gives the
# same rows; bytes go either way; what has no letter there, or comes from an encoding that nobody knows, is refused. Laws L2, L6.
use strict;
use warnings;
use Test::More;
use PostgreSQL::Test::Utils;
use PegsLedger;

my $pegs = PegsLedger->new('encodings');
my $node = $pegs->node;
my $file = $PostgreSQL::Test::Utils::tmp_check . '/encodings.sql';

sub in_db { my ($db, $sql) = @_; return $node->safe_psql($db, $sql) }

# What a database says to a statement that fails: SQLSTATE and words.
sub refused
{
	my ($db, $sql) = @_;
	my $err = '';
	$node->psql($db, $sql, stderr => \$err, extra_params => [ '-v', 'VERBOSITY=verbose' ]);
	return $err;
}

$node->safe_psql('postgres', "CREATE DATABASE $_->[0] TEMPLATE template0 ENCODING '$_->[1]' LC_COLLATE 'C' LC_CTYPE 'C'")
	for [ 'latin', 'LATIN1' ], [ 'wide', 'UTF8' ], [ 'fresh', 'UTF8' ], [ 'raw', 'SQL_ASCII' ];

# Names and levels outside of ASCII, with more bytes in one encoding than in the other. psql speaks UTF-8 here.
my $table = q{SET client_encoding = 'UTF8'; CREATE EXTENSION pegs;
	CREATE TABLE "caf\xc3\xa9" ("gr\xc3\xb6\xc3\x9fe" text NOT NULL CHECK ("gr\xc3\xb6\xc3\x9fe" IN ('\xc3\xa9t\xc3\xa9', 'hiver', '\xc2\xbd')), n int NOT NULL CHECK (n IN (1, 2)), bold text GENERATED ALWAYS AS (upper("gr\xc3\xb6\xc3\x9fe")) STORED);
	INSERT INTO "caf\xc3\xa9" SELECT (ARRAY['\xc3\xa9t\xc3\xa9', 'hiver', '\xc2\xbd'])[1 + i % 3], 1 + i % 2 FROM generate_series(1, 600) AS i;
	SELECT pegs_set_budget('"caf\xc3\xa9"', 100);};
$table =~ s/\\x([0-9a-f]{2})/chr(hex($1))/ge;
my $name = "gr\xc3\xb6\xc3\x9fe";
my $source = "\"caf\xc3\xa9\"";
my $rows = "SET client_encoding = 'UTF8'; SELECT * FROM pegs_sample('m\xc3\xa9', 50) AS t (\"$name\" text, n int)";
my $release = "SET client_encoding = 'UTF8'; SELECT * FROM pegs_rows('r\xc3\xa9') AS t (\"$name\" text, n int)";
my $state = "SET client_encoding = 'UTF8'; SELECT md5(pegs_agg((SELECT pegs_spec('$source', ARRAY['$name', 'n'])), \"$name\", n)::text) FROM $source";

in_db('latin', $table . "SELECT pegs_fit('m\xc3\xa9', '$source', ARRAY['$name', 'n'], epsilon => 5), pegs_fit('sealed', '$source', ARRAY['$name', 'n'], parents => '{}'); SELECT pegs_release('r\xc3\xa9', 'm\xc3\xa9', 40, given => '{\"$name\": \"\xc3\xa9t\xc3\xa9\"}'), pegs_release('paid', 'sealed', 30, 1)");
my %before = map { $_->[0] => in_db('latin', $_->[1]) } [ 'rows', $rows ], [ 'release', $release ], [ 'state', $state ], [ 'stored', "SET client_encoding = 'UTF8'; SELECT * FROM pegs_rows('paid') AS t (\"$name\" text, n int)" ];
like($before{rows}, qr/\xc3\xa9t\xc3\xa9\|/, 'rows of LATIN1');

# ---- a dump ----
command_ok([ 'pg_dump', '-d', $node->connstr('latin'), '-f', $file ], 'pg_dump of a LATIN1 database');
command_ok([ 'psql', '-XAtq', '-v', 'ON_ERROR_STOP=1', '-d', $node->connstr('wide'), '-f', $file ], 'restored into one of UTF-8');
is(in_db('wide', $rows), $before{rows}, 'a perturbed model gives the same rows');
is(in_db('wide', $release), $before{release}, 'so does a release of it');
is(in_db('wide', "SET client_encoding = 'UTF8'; SELECT * FROM pegs_rows('paid') AS t (\"$name\" text, n int)"), $before{stored}, 'and a stored one');
is(in_db('wide', $state), $before{state}, 'a state is the same, byte for byte');

# ---- a file, and back ----
my $bytes = in_db('latin', "SET client_encoding = 'UTF8'; SELECT pegs_export('m\xc3\xa9')");
in_db('fresh', $table);
in_db('fresh', "SELECT pegs_import('from_latin', '$bytes')");
is(in_db('fresh', $rows =~ s/m\xc3\xa9/from_latin/r) =~ tr/\n//, 49, 'a file of LATIN1 is read in UTF-8');
like(in_db('fresh', "SET client_encoding = 'UTF8'; SELECT pegs_row_type('from_latin')"), qr/\Q$name\E/, 'with its names');
in_db('latin', "SET client_encoding = 'UTF8'; SELECT pegs_import('again', '" . in_db('fresh', "SELECT pegs_export('from_latin')") . "')");
like(in_db('latin', "SET client_encoding = 'UTF8'; SELECT pegs_row_type('again')"), qr/\Q$name\E/, 'and back');
is(in_db('latin', "SELECT pegs_export('again') = '$bytes'"), 't', 'as it was');
in_db('fresh', "SET client_encoding = 'UTF8'; CREATE TABLE e (a text NOT NULL CHECK (a IN ('\xe2\x82\xac', 'x')), b boolean NOT NULL); SELECT pegs_set_budget('e', 10); SELECT pegs_fit('euro', 'e', epsilon => 1)");
like(refused('latin', "SELECT pegs_import('euro', '" . in_db('fresh', "SELECT pegs_export('euro')") . "')"), qr/ERROR:  22P05/, 'a letter that LATIN1 has not: refused');
is(in_db('latin', "SELECT count(*) FROM pegs_models WHERE name = 'euro'"), '0', 'and nothing is kept');

# ---- states ----
my $hex = in_db('latin', "SET client_encoding = 'UTF8'; SELECT pegs_agg((SELECT pegs_spec('$source', ARRAY['$name', 'n'])), \"$name\", n) FROM $source");
in_db('fresh', "SET client_encoding = 'UTF8'; SELECT pegs_fit_state('of_states', '$source', (SELECT pegs_merge(s) FROM (VALUES ('$hex'::pegs_state), ((SELECT pegs_agg((SELECT pegs_spec('$source', ARRAY['$name', 'n'])), \"$name\", n) FROM $source))) AS v (s)), ARRAY['$name', 'n'], epsilon => 50)");
like(in_db('fresh', "SELECT count(*) BETWEEN 1150 AND 1250 FROM pegs_sample('of_states') AS t (n int)"), qr/^t$/, 'states of both are merged');
in_db('latin', "SET client_encoding = 'UTF8'; SELECT pegs_fit_state('merged', '$source', (SELECT pegs_merge(s) FROM (VALUES ('$hex'::pegs_state), ('$hex'::pegs_state)) AS v (s)), ARRAY['$name', 'n'], epsilon => 50)");
like(in_db('latin', "SELECT count(*) BETWEEN 1150 AND 1250 FROM pegs_sample('merged') AS t (n int)"), qr/^t$/, 'in LATIN1, too');

# ---- a database without an encoding hands on what clients send: as files of older versions, where nobody wrote UTF-8 ----
in_db('raw', "CREATE EXTENSION pegs; CREATE TABLE e (a text NOT NULL CHECK (a IN (E'\\xe9', 'x')), b boolean NOT NULL); SELECT pegs_set_budget('e', 10); SELECT pegs_fit('old', 'e', epsilon => 1)");
is(in_db('raw', "SELECT count(*) FROM pegs_sample('old', 20) AS t (a text, b boolean)"), '20', 'SQL_ASCII: a byte is a byte');
my $old = in_db('raw', "SELECT pegs_export('old')");
like(refused('wide', "SELECT pegs_import('old', '$old')"), qr/ERROR:  22P03: the names and levels in these bytes are not UTF-8.*HINT/s, 'not UTF-8: refused where that is spoken');
in_db('latin', "SELECT pegs_import('old', '$old')");
like(in_db('latin', "SET client_encoding = 'UTF8'; SELECT pegs_describe('old') #>> '{spec,columns,0,levels}'"), qr/\["\xc3\xa9", "x"\]|\["x", "\xc3\xa9"\]/, 'in LATIN1 they are those of its own older versions');
is(in_db('latin', "SELECT count(*) FROM pegs_sample('old', 20) AS t (a text, b boolean)"), '20', 'and drawn');
in_db('wide', "SELECT pegs_import('old', '" . in_db('latin', "SELECT pegs_export('old')") . "')");
like(in_db('wide', "SET client_encoding = 'UTF8'; SELECT pegs_describe('old') #>> '{spec,columns,0,levels}'"), qr/\xc3\xa9/, 'exported again they are UTF-8');
done_testing();
