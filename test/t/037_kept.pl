# A session keeps the models that it has read: faster, and never wrong. Whatever changes a model is seen at the next use, rights
# are asked at each use, and what it keeps is bounded. Security review of 0.2.0, P2.
use strict;
use warnings;
use Test::More;
use PostgreSQL::Test::Utils;
use PegsLedger;

# glibc overwrites what is given back to it: whoever reads on in a model that has gone does not find it as it was.
$ENV{MALLOC_PERTURB_} = 165;
my $pegs = PegsLedger->new('kept', conf => "max_prepared_transactions = 2\n");
my $node = $pegs->node;
$pegs->set_up_free;
# At a small epsilon two fits of forty rows may both have lost all levels but the same one: their rows are then the same, too.
# At 20 no level goes (10 rows against noise below 1), and two hundred rows in an order of chance are never the same.
$pegs->value(q{SELECT pegs_set_budget('visit', 1000000); SELECT pegs_drop('noisy'); SELECT pegs_drop('noisy_rows');
	SELECT pegs_fit('noisy', 'visit', epsilon => 20); SELECT pegs_grant('noisy', 'analyst'); SELECT pegs_release('noisy_rows', 'noisy', 500)});
my $rows = sub { my ($model) = @_; return "SELECT md5(string_agg(t::text, ',' ORDER BY n)) FROM (SELECT row_number() OVER () AS n, t FROM pegs_sample('$model', 200) AS t($PegsLedger::columns)) AS t" };
my $kept = q{SELECT count(*) FROM pg_backend_memory_contexts WHERE name = 'pegs model'};

# The session under test is warm: it has read the model. Another one is new each time: what it sees is right.
my $session = $pegs->background('postgres');
sub warm { my ($sql) = @_; $session->{stderr} = ''; my $out = $session->query($sql); my ($state) = $session->{stderr} =~ /ERROR:  ?(\w+)/; return $out . ($state ? "ERROR $state" : '') }
$session->query('\\set VERBOSITY sqlstate');
sub new_session { my ($sql) = @_; my ($out, $err) = $pegs->as('postgres', $sql); return $out . ($err =~ /ERROR:  (\w+)/ ? "ERROR $1" : '') }
sub as_new
{
	my ($name, $sql, $other) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	my $expected = new_session($sql);
	is(warm($sql), $expected, $name);
	isnt($expected, $other, "$name: it is something else than before") if defined $other;
	return $expected;
}

is(warm($kept), '0', 'nothing is kept before it is used');
my $first = as_new('a model', $rows->('noisy'));
is(warm($kept), '1', 'it is kept');
as_new('again', $rows->('noisy'));
is(warm($kept), '1', 'once');

# ---- changed ----

$pegs->value(q{SELECT pegs_drop('noisy')});
as_new('dropped', $rows->('noisy'), $first);
$pegs->value(q{SELECT pegs_fit('noisy', 'visit', epsilon => 20)});
my $second = as_new('fitted again under its name', $rows->('noisy'), $first);
as_new('a release of the one before', 'SELECT count(*) FROM pegs_rows(\'noisy_rows\') AS t(ward text)');
# dropped and fitted again by this session; rolled back; in a savepoint
warm(q{BEGIN; SELECT pegs_drop('noisy')});
like(warm($rows->('noisy')), qr/^ERROR/, 'dropped in this transaction');
warm('ROLLBACK');
is(warm($rows->('noisy')), $second, 'the drop was rolled back');
warm(q{BEGIN; SELECT pegs_drop('noisy'); SELECT pegs_fit('noisy', 'visit', epsilon => 20)});
my $third = warm($rows->('noisy'));
isnt($third, $second, 'fitted again in this transaction');
warm('ROLLBACK');
is(warm($rows->('noisy')), $second, 'that was rolled back');
warm(q{BEGIN; SAVEPOINT a; SELECT pegs_drop('noisy'); SELECT pegs_fit('noisy', 'visit', epsilon => 20)});
warm($rows->('noisy'));
warm('ROLLBACK TO a');
is(warm($rows->('noisy')), $second, 'to a savepoint');
warm('COMMIT');
is(warm($rows->('noisy')), $second, 'and committed');

# a transaction with its own snapshot sees the model of its snapshot, before and after
warm('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1');
is(warm($rows->('noisy')), $second, 'repeatable read');
$pegs->value(q{SELECT pegs_drop('noisy'); SELECT pegs_fit('noisy', 'visit', epsilon => 20)});
is(warm($rows->('noisy')), $second, 'repeatable read: still its own');
warm('COMMIT');
my $fourth = as_new('and then the new one', $rows->('noisy'), $second);

# by hand: a body that was changed is still seen to be (XX001), one that is gone, too
$pegs->value(q{CREATE TABLE safe AS SELECT * FROM pegs_internal.body; UPDATE pegs_internal.body SET body = (SELECT body FROM pegs_internal.body JOIN pegs_internal.model ON id = model WHERE name = 'm')
	WHERE model = (SELECT id FROM pegs_internal.model WHERE name = 'noisy')});
is(as_new('the body of another model', $rows->('noisy')), 'ERROR XX001', 'is corrupt');
$pegs->value(q{UPDATE pegs_internal.body AS b SET body = set_byte(s.body, 200, get_byte(s.body, 200) # 1) FROM safe AS s WHERE b.model = s.model AND b.model = (SELECT id FROM pegs_internal.model WHERE name = 'noisy')});
like(as_new('a flipped bit', $rows->('noisy')), qr/^ERROR/, 'is an error');
$pegs->value('UPDATE pegs_internal.body AS b SET body = s.body FROM safe AS s WHERE b.model = s.model');
as_new('put back', $rows->('noisy'));
$pegs->value(q{DELETE FROM pegs_internal.body WHERE model = (SELECT id FROM pegs_internal.model WHERE name = 'noisy')});
like(as_new('without a body', $rows->('noisy')), qr/^ERROR/, 'is an error');
$pegs->value(q{INSERT INTO pegs_internal.body SELECT * FROM safe WHERE model = (SELECT id FROM pegs_internal.model WHERE name = 'noisy')});
is(as_new('with it again', $rows->('noisy')), $fourth, 'as it was');
# one place, one transaction, two bodies
my $put = q{TRUNCATE pegs_internal.body; INSERT INTO pegs_internal.body SELECT model, body FROM safe WHERE model = (SELECT id FROM pegs_internal.model WHERE name = 'noisy')};
warm("BEGIN; $put");
is(warm($rows->('noisy')), $fourth, 'put there by hand in this transaction');
warm("$put AND false; INSERT INTO pegs_internal.body SELECT (SELECT id FROM pegs_internal.model WHERE name = 'noisy'), '\\x00'");
like(warm($rows->('noisy')), qr/^ERROR/, 'and another in its place: it is seen');
warm('ROLLBACK');
is(as_new('rolled back', $rows->('noisy')), $fourth, 'as it was');
$pegs->value('VACUUM FULL pegs_internal.model; VACUUM FULL pegs_internal.body; REINDEX SCHEMA pegs_internal');
is(as_new('rewritten', $rows->('noisy')), $fourth, 'as it was');
$pegs->value(q{UPDATE pegs_internal.model SET name = 'other' WHERE name = 'noisy'});
like(as_new('renamed by hand', $rows->('noisy')), qr/^ERROR/, 'is not there');
is(as_new('under the other name', $rows->('other')), $fourth, 'as it was');
$pegs->value(q{UPDATE pegs_internal.model SET name = 'noisy' WHERE name = 'other'});

# ---- rights, at each use ----

my $analyst = $pegs->background('analyst');
sub analyst { my ($sql) = @_; $analyst->{stderr} = ''; my $out = $analyst->query($sql); return $out . ($analyst->{stderr} =~ /ERROR/ ? 'ERROR' : '') }
is(analyst($rows->('noisy')), 'ERROR', 'not granted');
$pegs->value(q{SELECT pegs_grant('noisy', 'analyst')});
is(analyst($rows->('noisy')), $fourth, 'granted');
$pegs->value(q{SELECT pegs_revoke('noisy', 'analyst')});
is(analyst($rows->('noisy')), 'ERROR', 'revoked');
is(analyst(q{SELECT pegs_row_type('noisy')}), 'ERROR', 'revoked: pegs_row_type');
is(analyst(q{SELECT pegs_describe('noisy')}), 'ERROR', 'revoked: pegs_describe');
$pegs->value(q{CREATE ROLE team; GRANT team TO analyst; SELECT pegs_grant('noisy', 'team')});
is(analyst($rows->('noisy')), $fourth, 'granted to a role');
$pegs->value('REVOKE team FROM analyst');
is(analyst($rows->('noisy')), 'ERROR', 'membership revoked');
is(warm('SET ROLE analyst; ' . $rows->('noisy')), 'ERROR 42704', 'kept by the superuser, asked by SET ROLE');
warm('RESET ROLE');
is(warm($rows->('noisy')), $fourth, 'and as the superuser again');

# ---- sealed models: their facts alone ----

my $tables = q{SELECT count(*) FROM pg_backend_memory_contexts WHERE name = 'pegs tables'};
my $before = warm($tables);
cmp_ok($before, '>=', 1, 'tables of perturbed models are kept');
is(warm('SELECT count(*) FROM ' . $pegs->sample), '10', 'a sealed model');
is(warm($tables), $before, 'its tables are not kept');
$pegs->charges('a sealed model that is kept', 0.1, sub { analyst('SELECT count(*) FROM ' . $pegs->sample) }) for 1 .. 2;
$pegs->value(q{UPDATE pegs_internal.body SET body = '\x00' WHERE model = (SELECT id FROM pegs_internal.model WHERE name = 'm')});
like(as_new('its body changed', 'SELECT count(*) FROM ' . $pegs->sample), qr/^ERROR/, 'is an error');
$pegs->value('UPDATE pegs_internal.body AS b SET body = s.body FROM safe AS s WHERE b.model = s.model');

# ---- something given, options, other columns ----

# a ward that the noise has left possible
my $ward = $pegs->value(q{SELECT ward FROM pegs_sample('noisy', 1) AS t(ward text)});
my $given = qq{SELECT count(*), bool_and(ward = '$ward') FROM pegs_sample('noisy', 50, given => '{"ward": "$ward"}') AS t(ward text)};
is(warm($given), '50|t', 'something given');
is(warm($rows->('noisy')), $fourth, 'does not change what is kept');
as_new('independent', q{SELECT string_agg(t::text, ',') FROM pegs_sample('noisy', 20, options => '{"draw": "independent"}') AS t(male boolean)});
as_new('one column', q{SELECT string_agg(t::text, ',') FROM pegs_sample('noisy', 20) AS t(male boolean)});
as_new('a row type', q{SELECT string_agg(t::text, ',') FROM pegs_sample_as(NULL::visit, 'noisy', 20) AS t});
as_new('the same model twice', q{SELECT count(*) FROM pegs_sample('noisy', 20) AS a(male boolean), pegs_sample('noisy', 30) AS b(ward text)});

# ---- errors in the middle, and models that go while they are used ----

# A domain whose check fails: the error comes while the columns are prepared. Then one whose check samples the model itself,
# drops and changes it.
$pegs->value(q{CREATE DOMAIN never AS text CHECK (VALUE <> 'A'); CREATE TYPE never_row AS (ward never)});
for (1 .. 3)
{
	like(warm(q{SELECT count(*) FROM pegs_sample_as(NULL::never_row, 'noisy', 5)}), qr/^ERROR 23514/, 'an error in the middle');
	is(warm($rows->('noisy')), $fourth, 'leaves it whole');
}
$pegs->value(qq{CREATE FUNCTION nested(t text) RETURNS boolean LANGUAGE plpgsql AS \$\$ BEGIN
	PERFORM * FROM pegs_sample('noisy', 5) AS t($PegsLedger::columns); PERFORM pegs_drop('noisy'); PERFORM pegs_fit('noisy', 'visit', epsilon => 20);
	PERFORM * FROM pegs_sample('noisy', 5) AS t($PegsLedger::columns); RETURN true; END \$\$;
	CREATE DOMAIN nest AS text CHECK (nested(VALUE)); CREATE TYPE nest_row AS (ward nest)});
is(warm(q{BEGIN; SELECT count(*) FROM pegs_sample_as(NULL::nest_row, 'noisy', 100); ROLLBACK}), '100', 'used, dropped and fitted again while it is used');
is(warm($rows->('noisy')), $fourth, 'rolled back: as it was');
is(warm(q{SELECT count(*) FROM pegs_sample_as(NULL::nest_row, 'noisy', 100)}), '100', 'the same, committed');
my $fifth = as_new('then the last one counts', $rows->('noisy'), $fourth);
# a cursor is filled when it is opened
warm("BEGIN; DECLARE c CURSOR FOR SELECT * FROM pegs_sample('noisy', 100000) AS t(ward text); FETCH 1 FROM c");
$pegs->value(q{SELECT pegs_drop('noisy'); SELECT pegs_fit('noisy', 'visit', epsilon => 20)});
is(scalar(grep { /^[A-D]$/ } split /\n/, warm('FETCH 99999 FROM c')), 99999, 'a cursor of a model that is dropped meanwhile');
warm('COMMIT');
as_new('and the new one', $rows->('noisy'), $fifth);
warm(q{SET statement_timeout = '20ms'; SELECT count(*) FROM pegs_sample('noisy', 100000000) AS t(ward text)});
warm('SET statement_timeout = 0');
as_new('after a cancel', $rows->('noisy'));

# ---- bounded ----

$pegs->value(q{SELECT pegs_import('copy ' || i, pegs_export('noisy')) FROM generate_series(1, 40) AS i});
for my $i (1 .. 40, reverse 1 .. 40) { warm($rows->("copy $i")) }
is(warm($kept), '16', 'sixteen are kept');
as_new('one that was kept', $rows->('copy 1'));
as_new('one that was not', $rows->('copy 40'));
is(warm(q{SELECT count(*) FROM (SELECT pegs_row_type('copy ' || i) FROM generate_series(1, 40) AS i) AS x}), '40', 'forty in one statement');
is(warm($kept), '16', 'sixteen are kept');
# thrown out while it is used: by a check that reads more models than are kept
$pegs->value(q{CREATE FUNCTION others(t text) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN
	FOR i IN 1 .. 40 LOOP PERFORM * FROM pegs_sample('copy ' || i, 5) AS t(ward text); END LOOP; RETURN true; END $$;
	CREATE DOMAIN busy AS text CHECK (others(VALUE)); CREATE TYPE busy_row AS (ward busy, male boolean)});
for my $i (1, 20, 40)
{
	my $plain = new_session("SELECT md5(string_agg(t::text, ',')) FROM pegs_sample('copy $i', 5000) AS t($PegsLedger::columns)");
	is(warm("SELECT md5(string_agg(t::text, ',')) FROM pegs_sample_as(NULL::busy_row, 'copy $i', 5000) AS t"), $plain, "copy $i: thrown out while it is used");
}
is(warm($kept), '16', 'sixteen are kept');
# The same of models that are unlike each other, and too large for the small blocks that the server itself keeps for the next
# one: a model that is given back too early is overwritten, or another's.
$pegs->value(qq{
	CREATE TABLE wards_$_ (ward text NOT NULL, male boolean NOT NULL);
	INSERT INTO wards_$_ SELECT 'w$_ ' || i % (700 + 10 * $_), i % (2 + $_) = 0 FROM generate_series(1, 5000) AS i;
	SELECT pegs_set_levels('wards_$_', 'ward', (SELECT array_agg('w$_ ' || i) FROM generate_series(0, 699 + 10 * $_) AS i)), pegs_set_budget('wards_$_', 1000);
	SELECT pegs_fit('wards $_', 'wards_$_', epsilon => 10)}) for 1 .. 5;
$pegs->value(q{
	SELECT pegs_import('unlike ' || i, pegs_export('wards ' || 1 + i % 5)) FROM generate_series(1, 40) AS i;
	CREATE FUNCTION unlike(t boolean) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN
	FOR i IN 1 .. 40 LOOP PERFORM * FROM pegs_sample('unlike ' || i, 5) AS t(ward text, male boolean); END LOOP; RETURN true; END $$;
	CREATE FUNCTION gone(t boolean) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN
	PERFORM pegs_drop('wards 1'); PERFORM pegs_fit('wards 1', 'wards_2', epsilon => 10); RETURN unlike(t); END $$;
	CREATE DOMAIN unlike AS boolean CHECK (unlike(VALUE)); CREATE TYPE before_row AS (male unlike, ward text); CREATE TYPE after_row AS (ward text, male unlike);
	CREATE DOMAIN gone AS boolean CHECK (gone(VALUE)); CREATE TYPE gone_before_row AS (male gone, ward text); CREATE TYPE gone_after_row AS (ward text, male gone)});
for my $unlike ([ 'unlike 1', '' ], [ 'unlike 20', '' ], [ 'unlike 40', '' ], [ 'wards 1', 'gone_' ])
{
	my ($model, $how) = @$unlike;
	my $what = q{SELECT md5(string_agg(ward || male, ',')) FROM };
	my $plain = new_session("$what pegs_sample('$model', 5000) AS t(ward text, male boolean)");
	for my $type ('before_row', 'after_row')
	{
		# what is kept of it when the call begins: nothing, its tables, all of it
		for my $warm ('SELECT 1', "SELECT count(pegs_describe('$model'))", "SELECT count(*) FROM pegs_sample('$model', 1) AS t(ward text, male boolean)")
		{
			warm(q{SELECT count(pegs_row_type('copy ' || i)) FROM generate_series(1, 16) AS i});
			warm($warm);
			# the tables that nobody has read yet have gone with the model
			is(warm("BEGIN; $what pegs_sample_as(NULL::$how$type, '$model', 5000) AS t"), $how && $warm eq 'SELECT 1' ? 'ERROR 55000' : $plain,
				"$model: given back while it is used, by $how$type after $warm");
			warm('ROLLBACK');
		}
	}
}
is(warm($kept), '16', 'sixteen are kept');
# models of some megabytes: fewer
$pegs->value(q{CREATE TABLE big (a int NOT NULL); INSERT INTO big SELECT i FROM generate_series(1, 100) AS i;
	SELECT pegs_set_bins('big', 'a', (SELECT array_agg(i::text ORDER BY i) FROM generate_series(0, 30000) AS i)); SELECT pegs_set_budget('big', 10); SELECT pegs_fit('big', 'big', epsilon => 1);
	SELECT pegs_import('big ' || i, pegs_export('big')) FROM generate_series(1, 30) AS i});
warm("SELECT count(*) FROM pegs_sample('big $_', 2) AS t(a int)") for 1 .. 30;
cmp_ok(warm(q{SELECT sum(total_bytes) FROM pg_backend_memory_contexts WHERE name LIKE 'pegs%'}), '<', 70_000_000, 'at most 64 MB are kept');
cmp_ok(warm($kept), '<=', 16, 'of at most sixteen');

# ---- the extension comes and goes ----

warm(q{SELECT count(*) FROM pegs_sample('copy 1', 2) AS t(ward text)});
$node->safe_psql('template1', 'CREATE DATABASE again');
my $again = bless { node => $node, db => 'again' }, 'PegsLedger';
$session->quit;
$analyst->quit;
$session = $again->background('postgres');
my $make = q{CREATE EXTENSION pegs; CREATE TABLE visit (male boolean NOT NULL); INSERT INTO visit SELECT true FROM generate_series(1, 1000); SELECT pegs_set_budget('visit', 100)};
my $undo = 'DROP EXTENSION pegs CASCADE; DROP TABLE visit';
my $is = q{SELECT bool_and(male), bool_or(male) FROM pegs_sample('m', 100) AS t(male boolean)};
warm('SET client_min_messages = error');
warm($make); warm(q{SELECT pegs_fit('m', 'visit', epsilon => 50)});
my $true = warm($is);
warm($undo); warm($make =~ s/SELECT true/SELECT false/r); warm(q{SELECT pegs_fit('m', 'visit', epsilon => 50)});
# all rows are one level, and at epsilon 50 the noise adds one of the other with a chance of e^-50
isnt(warm($is), $true, 'the extension was dropped and made again: the first model under the first number is another');
is(warm($is), $again->value($is), 'as a new session says');
$session->quit;

done_testing();
