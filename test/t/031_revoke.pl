# What a grantee holds open delays no curator, and what is taken back is gone at once. Open and prepared transactions against
# pegs_revoke, pegs_drop, pegs_grant and pegs_fit; grants to roles that were dropped. Each curator's call has a lock_timeout:
# whoever waits, fails. The review of 0.2.0: M1, L3, L4, L6.
use strict;
use warnings;
use Test::More;
use PegsLedger;

my $pegs = PegsLedger->new('revoke', conf => "max_prepared_transactions = 5\n");
my $node = $pegs->node;
my $one = 'SELECT count(*) FROM ' . $pegs->sample(n => 1, epsilon => 0.1);
my $denied = qr/there is no model or release/;

$pegs->set_up_free;
$pegs->value('CREATE ROLE other LOGIN');

# What the curator's statements say when they may wait for nobody.
sub at_once
{
	my ($name, $sql, $role) = @_;
	my ($out, $err) = $pegs->as($role || 'curator', "SET client_min_messages = warning; SET lock_timeout = '60s'; $sql");
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	is($err, '', "$name: at once, no error");
	return $out;
}

# An error with its words: message, detail and hint.
sub error_of
{
	my ($role, $sql) = @_;
	my (undef, $err) = $pegs->as($role, "\\set VERBOSITY default\nSET lock_timeout = '60s';\n$sql");
	return $err;
}

sub grant_again { $pegs->value("SELECT pegs_grant('m', 'analyst', epsilon => 1); SELECT pegs_grant('noisy', 'analyst')") }

# ---- an open transaction, of each isolation level ----

for my $level ('READ COMMITTED', 'REPEATABLE READ', 'SERIALIZABLE')
{
	my $open = $pegs->background('analyst');
	$open->query("BEGIN ISOLATION LEVEL $level");
	is($open->query($one), '1', "$level: a sample in an open transaction");
	is($open->query("SELECT count(*) FROM pegs_sample('noisy', 2) AS t(ward text)"), '2', "$level: and rows of a perturbed model");
	at_once("$level: the cap is moved", "SELECT pegs_grant('m', 'analyst', epsilon => 2)");
	at_once("$level: the sealed model is taken back", "SELECT pegs_revoke('m', 'analyst')");
	at_once("$level: the perturbed model is taken back", "SELECT pegs_revoke('noisy', 'analyst')");
	$open->query($one);
	like($open->{stderr}, $denied, "$level: its next sample is refused");
	$open->query('ROLLBACK');
	$open->{stderr} = '';
	$open->query("BEGIN ISOLATION LEVEL $level");
	grant_again();
	is($open->query("SELECT count(*) FROM pegs_sample('noisy', 2) AS t(ward text)"), '2', "$level: granted again");
	at_once("$level: and taken back again", "SELECT pegs_revoke('noisy', 'analyst')");
	$open->query("SELECT count(*) FROM pegs_sample('noisy', 2) AS t(ward text)");
	like($open->{stderr}, $denied, "$level: the perturbed model, too");
	$open->query('ROLLBACK');
	grant_again();
	$open->quit;
}

# ---- a prepared transaction: it may stay for ever ----

$pegs->as('analyst', "BEGIN; $one; PREPARE TRANSACTION 'gift'");
is($pegs->value('SELECT count(*) FROM pg_prepared_xacts'), '1', 'prepared: a sample');
at_once('prepared: the cap is moved', "SELECT pegs_grant('m', 'analyst', epsilon => 3)");
at_once('prepared: pegs_revoke', "SELECT pegs_revoke('m', 'analyst')");
$pegs->refuses('prepared: after the revoke', '42704', 'SELECT * FROM ' . $pegs->sample);
# what cannot go yet is left, goes later, and is in nobody's way
my $left = "SELECT count(*) FROM pg_class WHERE relnamespace = 'pegs_internal'::regnamespace AND relname ~ '^cap_'
	AND oid NOT IN (SELECT cap_spent FROM pegs_internal.access WHERE cap_spent IS NOT NULL)";
cmp_ok($pegs->value($left), '>', 0, 'prepared: the sequence of the cap stays');
at_once('prepared: granted anew, from zero', "SELECT pegs_grant('m', 'analyst', epsilon => 1)");
is($pegs->cap_spent, '0', 'prepared: a new grant begins at zero');
$pegs->charges('prepared: the new grant', 0.1, sub { scalar $pegs->analyst('SELECT count(*) FROM ' . $pegs->sample) });
at_once('prepared: pegs_drop of the sealed model', "SELECT pegs_drop('m')");
$pegs->as('analyst', "ROLLBACK PREPARED 'gift'");
at_once('a model again', "SELECT pegs_fit('m', 'visit', parents => '{}'); SELECT pegs_grant('m', 'analyst', epsilon => 1)");
at_once('the next grant', "SELECT pegs_grant('m', 'other', epsilon => 1); SELECT pegs_revoke('m', 'other')");
at_once('and the next', "SELECT pegs_grant('m', 'other', epsilon => 1)");
is($pegs->value($left), '0', 'sequences of caps that nobody holds are gone');

# several in one transaction: until it is committed the grant is there, and nobody waits for its sequence
for my $second ("SELECT pegs_revoke('m', 'analyst')", "SELECT pegs_grant('m', 'other', epsilon => 0.5)", "SELECT pegs_grant('noisy', 'other')", "SAVEPOINT s; SELECT pegs_revoke('noisy', 'analyst')",
	"SELECT pegs_drop('noisy')", "SELECT pegs_drop('m')")
{
	$pegs->as('curator', "BEGIN; SAVEPOINT s; SELECT pegs_revoke('m', 'other'); RELEASE s; $second; PREPARE TRANSACTION 'two'");
	is($pegs->value('SELECT count(*) FROM pg_prepared_xacts'), '1', "a revoke, then $second: prepared");
	is(at_once("a revoke, then $second: the views of the grantee", 'SELECT count(*) FROM pegs_models', 'other'), '1', 'and the model is there');
	at_once("a revoke, then $second: his sample", 'SELECT count(*) FROM ' . $pegs->sample(epsilon => 0.01), 'other');
	at_once("a revoke, then $second: a fit", "SELECT pegs_fit('between', 'visit', parents => '{}'); SELECT pegs_drop('between')");
	$pegs->as('curator', "ROLLBACK PREPARED 'two'");
}
at_once('revoked and granted in one transaction', "BEGIN; SELECT pegs_revoke('m', 'other'); SELECT pegs_grant('m', 'other', epsilon => 1); SELECT pegs_revoke('m', 'other'); SELECT pegs_grant('m', 'other', epsilon => 1); COMMIT");
is($pegs->value("SELECT count(*) || ' ' || sum(s.spent) FROM (SELECT coalesce(pg_sequence_last_value(cap_spent), 0) AS spent FROM pegs_internal.access WHERE grantee = 'other'::regrole AND cap IS NOT NULL) AS s"), '1 0', 'it begins at zero');
at_once('the next call', "SELECT pegs_grant('noisy', 'other'); SELECT pegs_revoke('noisy', 'other')");
is($pegs->value($left), '0', 'and sequences are gone with the next call');

# a release would hold its name: nobody but a curator may prepare that
for my $release ("pegs_release('monthly', 'm', 10, 0.1, 10)", "pegs_release('monthly', 'noisy', 10)")
{
	my $err = error_of('analyst', "BEGIN;\nSELECT $release;\nPREPARE TRANSACTION 'name';");
	like($err, qr/cannot be prepared.*HINT/s, "prepared: $release by a grantee is refused");
	is($pegs->value('SELECT count(*) FROM pg_prepared_xacts'), '0', "prepared: $release: nothing stays");
}
$pegs->as('curator', "BEGIN; SELECT pegs_release('prepared', 'noisy', 10); PREPARE TRANSACTION 'own'; COMMIT PREPARED 'own'; SELECT pegs_drop('prepared')");
is($pegs->value("SELECT count(*) FROM pg_prepared_xacts"), '0', 'prepared: a curator may');

# ---- an open release: neither its name nor its model ----

my $open = $pegs->background('analyst');
for my $model ('noisy', 'm')
{
	my $grants = $model eq 'm' ? ', epsilon => 1' : '';
	my $release = "SELECT pegs_release('monthly', '$model', 10" . ($model eq 'm' ? ', 0.1, 10' : '') . ')';

	$open->query("BEGIN; $release");
	for my $taker ("pegs_fit('monthly', 'visit', epsilon => 0.1)", "pegs_fit('monthly', 'visit', parents => '{}')",
		"pegs_fit_state('monthly', 'visit', NULL, parents => '{}')", "pegs_release('monthly', 'noisy', 5)")
	{
		my $err = error_of('curator', "SELECT $taker;");
		like($err, qr/ERROR:  name "monthly" cannot be taken now\nDETAIL:  Another session is making or dropping an object of that name\.\nHINT/,
			"open release of $model: $taker: an error at once");
	}
	my $err = error_of('postgres', "SELECT pegs_import('monthly', pegs_export('noisy'));");
	like($err, qr/cannot be taken now/, "open release of $model: pegs_import: an error at once");
	at_once("open release of $model: another name", "SELECT pegs_fit('monthly2', 'visit', parents => '{}'); SELECT pegs_drop('monthly2')");
	at_once("open release of $model: a grant of the model", "SELECT pegs_grant('$model', 'other'$grants)");
	at_once("open release of $model: pegs_drop of the model", "SELECT pegs_drop('$model')");
	$open->query('COMMIT');
	# it keeps what it needs, for as long as it is there
	is($pegs->analyst("SELECT count(*) FROM pegs_rows('monthly') AS t(ward text)"), '10', "open release of $model: committed later, it has its rows");
	at_once("open release of $model: the name is free again", $model eq 'm' ? "SELECT pegs_fit('m', 'visit', parents => '{}')"
		: "SELECT pegs_fit('noisy', 'visit', epsilon => 0.5)");
	is($pegs->analyst("SELECT count(*) FROM pegs_rows('monthly') AS t(ward text)"), '10', "open release of $model: and later");
	at_once("open release of $model: dropped", "SELECT pegs_drop('monthly')");
	is($pegs->value("SELECT count(*) FROM pegs_internal.model WHERE name IS NULL AND id NOT IN (SELECT model FROM pegs_internal.release)"), '0',
		"open release of $model: and its model goes with it");
	grant_again();
	# rolled back: the name is free; dropped meanwhile: nothing stays
	$open->query("BEGIN; $release");
	at_once("open release of $model: pegs_drop again", "SELECT pegs_drop('$model')");
	$open->query('ROLLBACK');
	at_once("open release of $model: rolled back, the name is free", "SELECT pegs_fit('monthly', 'visit', parents => '{}'); SELECT pegs_drop('monthly')");
	is($pegs->value('SELECT count(*) FROM pegs_internal.body WHERE model NOT IN (SELECT id FROM pegs_internal.model WHERE name IS NOT NULL)
		AND model NOT IN (SELECT model FROM pegs_internal.release)'), '0', "open release of $model: no body without an owner");
	at_once("open release of $model: fitted again", $model eq 'm' ? "SELECT pegs_fit('m', 'visit', parents => '{}')" : "SELECT pegs_fit('noisy', 'visit', epsilon => 0.5)");
	grant_again();
}
$open->quit;

# ---- a cap below what is spent ----

at_once('a new share', "SELECT pegs_revoke('m', 'analyst'); SELECT pegs_grant('m', 'analyst', epsilon => 1)");
$pegs->charges('half of a share', 0.5, sub { scalar $pegs->analyst('SELECT count(*) FROM ' . $pegs->sample(epsilon => 0.5)) });
at_once('the cap is lowered below what is spent', "SELECT pegs_grant('m', 'analyst', epsilon => 0.1)");
$pegs->refuses('a cap below what is spent', '53400', 'SELECT * FROM ' . $pegs->sample(epsilon => 0.1));
like(error_of('analyst', 'SELECT * FROM ' . $pegs->sample(epsilon => 0.1)), qr/your share of the privacy budget is exhausted/, 'and it says so');
is($pegs->analyst("SELECT count(*) FROM pegs_models WHERE name = 'm'"), '1', 'the model is still there to see');
at_once('raised again', "SELECT pegs_grant('m', 'analyst', epsilon => 1)");

# ---- L3: two grants at once, long names ----

$open = $pegs->background('curator');
$open->query("BEGIN; SELECT pegs_grant('m', 'other', epsilon => 0.5)");
my $second = $pegs->start_psql('curator', "\\set VERBOSITY default\nBEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1; SELECT pegs_grant('m', 'other', epsilon => 0.7); COMMIT;");
my $third = $pegs->start_psql('curator', "\\set VERBOSITY default\nSELECT pegs_grant('m', 'other', epsilon => 0.7);");
$node->poll_query_until('postgres', "SELECT count(*) = 2 FROM pg_stat_activity WHERE wait_event_type = 'Lock'") or die 'nobody waits';
$open->query('COMMIT');
$pegs->finish($second);
$pegs->finish($third);
is($third->{err}, '', 'L3: two grants at once: the second moves the cap');
is($second->{err}, '', 'L3: whatever its snapshot');
is($pegs->value("SELECT cap FROM pegs_internal.access JOIN pegs_internal.model ON object = model.id WHERE name = 'm' AND grantee = 'other'::regrole"), PegsLedger::units(0.7), 'L3: and its cap stands');
$open->quit;

my %bad = ('64 bytes' => 'x' x 64, '300 kB' => 'x' x 300_000, 'empty' => '', 'a newline' => "a\nguarantee: none", 'a tab' => "a\tb", 'an escape' => "\x1b[2J",
	'delete' => "a\x7f", 'a control character of UTF-8' => "a\xc2\x85b", 'a line separator' => "a\xe2\x80\xa8b", 'a change of direction' => "a\xe2\x80\xaeb", 'the Arabic letter mark' => "a\xd8\x9cb", 'more than 63 bytes of UTF-8' => "\xc3\xa4" x 32);
for my $what (sort keys %bad)
{
	for my $taker ("pegs_fit('$bad{$what}', 'visit', parents => '{}')", "pegs_release('$bad{$what}', 'noisy', 5)")
	{
		my ($word) = $taker =~ /^(\w+)/;
		my $err = error_of('curator', "SELECT $taker;");
		like($err, qr/ERROR:  (a name|name|model|release).*HINT/s, "L3: $word: $what: a clean error");
		unlike($err, qr/btree|index row|x{100}/, "L3: $word: $what: nothing of the catalogs");
	}
}
$pegs->value('CREATE DATABASE ascii TEMPLATE template0 ENCODING SQL_ASCII LC_COLLATE "C" LC_CTYPE "C"');
$node->safe_psql('ascii', 'CREATE EXTENSION pegs; CREATE TABLE visit (b boolean NOT NULL)');
for my $what ('a newline', 'a control character of UTF-8', 'a change of direction')
{
	like(($node->psql('ascii', "SELECT pegs_fit('$bad{$what}', 'visit', parents => '{}')"))[2], qr/ERROR:  a name must not hold control characters/,
		"L3: SQL_ASCII: $what: a clean error");
}
at_once('L3: 63 bytes are a name', "SELECT pegs_release('" . 'x' x 63 . "', 'noisy', 5); SELECT pegs_drop('" . 'x' x 63 . "')");
at_once('L3: so are 21 letters of three bytes', "SELECT pegs_release('" . "\xe2\x82\xac" x 21 . "', 'noisy', 5); SELECT pegs_drop('" . "\xe2\x82\xac" x 21 . "')");

# ---- L4: what a name tells ----

$pegs->value("CREATE TABLE secret_table (b boolean NOT NULL); SELECT pegs_set_budget('secret_table', 1); SELECT pegs_fit('hidden', 'secret_table', parents => '{}')");
my $err = error_of('analyst', "SELECT pegs_release('hidden', 'noisy', 5);");
like($err, qr/^psql:.*ERROR:  name "hidden" cannot be taken\nHINT:  Choose another name\.$/s, 'L4: a name of somebody else: it cannot be taken, no more');
$err = error_of('analyst', "SELECT pegs_release('noisy', 'noisy', 5);");
like($err, qr/model or release "noisy" already exists/, 'L4: a name that one can see anyway');

# ---- L6: grants to roles that were dropped ----

$pegs->value("CREATE ROLE gone; SELECT pegs_grant('m', 'gone', epsilon => 0.1); SELECT pegs_grant('noisy', 'gone')");
my $oid = $pegs->value("SELECT 'gone'::regrole::oid");
$pegs->value("DROP ROLE gone; CREATE ROLE \"007\"");
like($pegs->value("SELECT string_agg(item || ': ' || state || ': ' || remedy, E'\\n') FROM pegs_health() WHERE NOT ok"),
	qr/grant of m: .*dropped.*: SELECT pegs_revoke\('m', '$oid'\)/, 'L6: pegs_health lists it');
at_once('L6: a grant to a dropped role is taken back by its number', "SELECT pegs_revoke('m', '$oid')");
$err = error_of('curator', "SELECT pegs_revoke('m', '$oid');");
like($err, qr/ERROR.*HINT/s, 'L6: once');
like(error_of('curator', "SELECT pegs_revoke('m', 'nobody');"), qr/role "nobody" does not exist/, 'L6: a role that never was');
like(error_of('curator', "SELECT pegs_revoke('m', '007');"), qr/is not granted to role "007"/, 'L6: a role whose name is a number is that role');
at_once('L6: a grant of the same object sweeps', "SELECT pegs_grant('noisy', 'other')");
is($pegs->value("SELECT count(*) FROM pegs_internal.access WHERE grantee <> 0 AND grantee NOT IN (SELECT oid FROM pg_roles)"), '0', 'L6: nothing is left of a dropped role');

is($pegs->value('SELECT bool_and(ok) FROM pegs_verify_ledger()'), 't', 'the ledger is whole');
$node->stop;
done_testing();
