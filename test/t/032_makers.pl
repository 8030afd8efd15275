# Who makes a release may drop it; a revoke or drop says what remains, and takes it if asked; what a grantee stores counts
# against limits of the grant, also what is not committed yet. What is not committed
# is told, and not waited for. The review of 0.2.0: M7.
use strict;
use warnings;
use Test::More;
use PegsLedger;

my $pegs = PegsLedger->new('makers', conf => "max_prepared_transactions = 2\n");
my $node = $pegs->node;
my $columns = $PegsLedger::columns;

$pegs->set_up_free;
$pegs->value("CREATE ROLE other LOGIN; SELECT pegs_grant('noisy', 'other'); CREATE ROLE team; CREATE ROLE member LOGIN IN ROLE team; SELECT pegs_drop('rows'); SELECT pegs_drop('noisy_rows')");

sub said
{
	my ($role, $sql) = @_;
	my ($out, $err) = $pegs->as($role, "\\set VERBOSITY default\nSET lock_timeout = '60s';\n$sql");
	return $err =~ s/^psql:[^ ]* //mgr;
}

sub stored { return $pegs->value('SELECT count(*) FROM pegs_internal.release') }

# ---- the maker ----

is(said('analyst', "SELECT pegs_release('mine', 'm', 10, 0.1, 10);"), '', 'a grantee makes a release of a sealed model');
is(said('analyst', "SELECT pegs_release('mine too', 'noisy', 10);"), '', 'and of a perturbed one');
like(said('other', "SELECT pegs_drop('mine');"), qr/^ERROR:  there is no model or release "mine", or it is not granted to you/, 'another role cannot drop it, and learns nothing');
is(said('curator', "SELECT pegs_grant('mine', 'other');"), '', 'granted to another');
like(said('other', "SELECT pegs_drop('mine');"), qr/^ERROR:  must be a member of the role that owns table/, 'one to whom it is granted cannot drop it');
like(said('analyst', "SELECT pegs_drop('m');"), qr/^ERROR:  must be a member/, 'nor can a grantee drop a model');
like(said('analyst', "SELECT pegs_withdraw('m');"), qr/^ERROR:  permission denied for function pegs_withdraw/, 'in no way');
like(said('analyst', "SELECT pegs_grant('mine', 'other');"), qr/permission denied for function pegs_grant/, 'the maker grants nothing');
is(said('analyst', "SELECT pegs_drop('mine'); SELECT pegs_drop('mine too');"), '', 'the maker drops both');
is(stored(), '0', 'they are gone');
is($pegs->value('SELECT (SELECT count(*) FROM pegs_internal.maker) + (SELECT count(*) FROM pegs_internal.release_rows)'), '0', 'with their rows');
is($pegs->value("SELECT count(*) FROM pegs_internal.access WHERE object NOT IN (SELECT id FROM pegs_internal.model)"), '0', 'and grants');
said('member', 'SELECT 1');
$pegs->value("SELECT pegs_grant('noisy', 'team')");
is(said('member', "SELECT pegs_release('of the team', 'noisy', 10);"), '', 'by the grant of a role that one is in');
like(said('analyst', "SELECT pegs_drop('of the team');"), qr/there is no model or release/, 'not by others');
is(said('member', "SET ROLE team;\nSELECT pegs_release('by the role', 'noisy', 10);\nRESET ROLE;\nSELECT pegs_drop('by the role');\nSELECT pegs_drop('of the team');"), '', 'what was made as the role, its members drop');

# an open drop of the maker makes no curator wait
my $open = $pegs->background('analyst');
$pegs->analyst("SELECT pegs_release('held', 'm', 10, 0.1, 10)");
$open->query("BEGIN; SELECT pegs_drop('held')");
like(said('curator', "SELECT pegs_drop('held');"), qr/^ERROR:  release "held" is being changed\nDETAIL.*\nHINT/, 'a release that its maker is dropping: an error at once');
like(said('curator', "SELECT pegs_grant('held', 'other');"), qr/is being changed/, 'no grant of it');
like(said('curator', "SELECT pegs_fit('held', 'visit', parents => '{}');"), qr/cannot be taken now/, 'nor its name');
like(said('curator', "SELECT pegs_withdraw('m', 'analyst');"), qr/^NOTICE:  releases of "m" remain: 1\nDETAIL:  "held" \(made by analyst\)\. Other sessions are changing them\./, 'a withdrawal does not wait for it');
$open->query('ROLLBACK');
like(said('analyst', "BEGIN;\nSELECT pegs_drop('held');\nPREPARE TRANSACTION 'held';"), qr/^ERROR:  a transaction in which a grantee made or dropped a release cannot be prepared/, 'nor can the drop be prepared');
$pegs->analyst("SELECT pegs_drop('held')");
$open->quit;

# what a grantee has begun may be committed later: nobody waits, and whoever takes something back is told
my $told = sub { return qr/^NOTICE:  releases of "$_[0]" that are being made in open transactions: $_[1]\nDETAIL:  They are there once those transactions are committed\.\nHINT:  $_[2]/ };
$open = $pegs->background('analyst');
$open->query("BEGIN; SELECT pegs_release('late', 'm', 2, 0.1, 2); SAVEPOINT s; SELECT pegs_release('late too', 'm', 2, 0.1, 2); RELEASE s; SAVEPOINT s; SELECT pegs_release('never', 'm', 2, 0.1, 2); ROLLBACK TO s; SELECT pegs_release('late 3', 'noisy', 5)");
like(said('curator', "SELECT pegs_withdraw('m', 'analyst');"), $told->('m', 2, qr/When they have ended: SELECT pegs_withdraw\('m', 'analyst'\);$/), 'a withdrawal tells of open releases');
like(said('curator', "SELECT pegs_withdraw('m');"), $told->('m', 2, qr/When they have ended: SELECT pegs_withdraw\('m'\);$/), 'of all roles, too');
is(said('curator', "SELECT pegs_withdraw('m', 'other');"), '', 'but not of a role that makes none');
like(said('curator', "SELECT pegs_revoke('m', 'analyst');"), $told->('m', 2, qr/When they have ended: SELECT pegs_withdraw\('m', 'analyst'\);$/), 'so does a revoke');
$open->query('COMMIT');
is($open->{stderr}, '', 'they are committed after it');
is(scalar $pegs->as('curator', "SELECT pegs_withdraw('m', 'analyst')"), '2', 'and withdrawn then');
is(said('curator', "BEGIN;\nSELECT pegs_release('own', 'm', 2, 0.1, 2);\nSELECT pegs_grant('m', 'other', epsilon => 1);\nSELECT pegs_revoke('m', 'other');\nROLLBACK;"), '', 'nobody is told of his own');
$open->query("BEGIN; SELECT pegs_release('late', 'noisy', 5)");
my $own = $pegs->background('curator');
$own->query("BEGIN; SELECT pegs_release('later', 'noisy', 5)");
like(said('curator', "SELECT pegs_withdraw('noisy', 'analyst');"), $told->('noisy', 1, ''), 'what a curator makes is of no grant');
like(said('curator', "BEGIN;\nSELECT pegs_drop('noisy');\nROLLBACK;"), $told->('noisy', 2, qr/SELECT pegs_drop\(release\); drops one of them when its transaction has ended/), 'a drop tells of all');
$_->query('ROLLBACK') for $open, $own;
is(said('curator', "BEGIN;\nSELECT pegs_drop('noisy');\nROLLBACK;"), '', 'rolled back, there is nothing to tell');
$_->quit for $open, $own;
$pegs->as('curator', "SELECT pegs_grant('m', 'analyst', epsilon => 100)");

# what somebody made as a curator belongs to the table, not to him
$pegs->value("CREATE ROLE hospital; CREATE ROLE former LOGIN; GRANT hospital TO former, curator; ALTER TABLE visit OWNER TO hospital; GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA public TO former");
is(said('former', "SELECT pegs_release('published', 'm', 2, 0.1, 2); SELECT pegs_release('published too', 'noisy', 2);"), '', 'a curator makes releases');
$pegs->value('REVOKE hospital FROM former');
like(said('former', "SELECT pegs_drop('$_');"), qr/^ERROR:  must be a member of the role that owns table "visit"/, "'$_': who is a curator no more drops none of them") for 'published', 'published too';
# but he reads on what he has published himself, and nothing else of the table
is(scalar $pegs->as('former', "SELECT count(*) FROM pegs_rows('$_') AS t($columns)"), '2', "'$_': he still reads what he made") for 'published', 'published too';
is(scalar $pegs->as('former', 'SELECT string_agg(name, \' \' ORDER BY name) FROM pegs_releases; SELECT count(*) FROM pegs_models; SELECT count(*) FROM pegs_budgets; SELECT count(*) FROM pegs_ledger'), "published published too\n0\n0\n0",
	'he sees these two, no model, no account');
is($pegs->value("SELECT pegs_release('others', 'm', 2, 0.1, 2)"), '', 'a release of another');
like(said('former', "SELECT * FROM $_;"), qr/^ERROR:  there is no model or release/, "$_: not granted to him") for "pegs_rows('others') AS t($columns)", "pegs_sample('noisy', 1) AS t($columns)", $pegs->sample;
is(said('curator', "SELECT pegs_drop('others');\nSET client_min_messages = warning;\nSELECT pegs_revoke('published', 'former');"), '', 'a curator takes that back');
like(said('former', "SELECT * FROM pegs_rows('published') AS t($columns);"), qr/^ERROR:  there is no model or release/, 'then he reads it no more');
is(said('curator', "SELECT pegs_drop('published'); SELECT pegs_drop('published too');"), '', 'another curator does');
$pegs->value('ALTER TABLE visit OWNER TO curator');

# ---- what remains, and taking it ----

$pegs->analyst("SELECT pegs_release('a ' || i, 'm', 2, 0.1, 2) FROM generate_series(1, 12) AS i");
$pegs->as('curator', "SELECT pegs_release('own', 'm', 2, 0.1, 2)");
$pegs->value("SELECT pegs_grant('m', 'other', epsilon => 1)");
$pegs->as('other', "SELECT pegs_release('others', 'm', 2, 0.1, 2)");
my $said = said('curator', "SELECT pegs_revoke('m', 'analyst');");
like($said, qr/^NOTICE:  releases of "m" remain: 12\nDETAIL:  "a 1" \(made by analyst\), .*"a 10" \(made by analyst\), \.\.\.\. What was released stays readable\.\nHINT:  .*pegs_withdraw\('m', 'analyst'\)/, 'a revoke says what remains');
unlike($said, qr/own|others/, 'of this grantee');
is(stored(), '14', 'and takes nothing');
is(said('curator', "SELECT pegs_withdraw('m', 'analyst');"), '', 'and pegs_withdraw takes them, also after the revoke');
is($pegs->value("SELECT string_agg(name, ' ' ORDER BY name) FROM pegs_internal.release"), 'others own', 'those of this grantee alone');
like(said('curator', "SELECT pegs_drop('m');"), qr/^NOTICE:  releases of "m" remain: 2\nDETAIL:  "own" \(made by curator\), "others" \(made by other\)/, 'a drop says what remains');
is($pegs->as('other', "SELECT count(*) FROM pegs_rows('others') AS t($columns)"), '2', 'it is readable');
$pegs->as('curator', "SELECT pegs_fit('m', 'visit', parents => '{}'); SELECT pegs_release('own 2', 'm', 2, 0.1, 2)");
is(scalar $pegs->as('curator', "SELECT pegs_withdraw('m'); SELECT pegs_drop('m')"), "1\n", 'withdrawn, then dropped');
is($pegs->value("SELECT string_agg(name, ' ' ORDER BY name) FROM pegs_internal.release"), 'others own', 'takes those of this model');
is(said('curator', "SELECT pegs_drop('own'); SELECT pegs_drop('others');"), '', 'the rest, one by one');
is($pegs->value('SELECT count(*) FROM pegs_internal.model WHERE name IS NULL'), '0', 'and nothing nameless is left');
$pegs->as('curator', "SELECT pegs_fit('m', 'visit', parents => '{}'); SELECT pegs_grant('m', 'analyst', epsilon => 100)");
$pegs->analyst("SELECT pegs_release('perturbed', 'noisy', 10)");
is(said('curator', "SELECT pegs_withdraw('noisy'); SELECT pegs_drop('noisy');"), '', 'a perturbed model with its releases');
is($pegs->value('SELECT (SELECT count(*) FROM pegs_internal.release) + (SELECT count(*) FROM pegs_internal.body WHERE model NOT IN (SELECT id FROM pegs_internal.model))'), '0', 'and its body');
$pegs->as('curator', "SELECT pegs_fit('noisy', 'visit', epsilon => 0.5)");

# ---- limits ----

is($pegs->value("SELECT max_rows || ' ' || max_releases FROM pegs_internal.access WHERE grantee = 'analyst'::regrole"), '1000000 100', 'a grant has limits');
like(said('analyst', "SELECT pegs_release('fat', 'm', 1000001, 0.1, 1000001);"),
	qr/^ERROR:  the grant allows no more stored rows\nDETAIL:  Asked for 1000001; 0 of 1000000 are stored\.\nHINT:  .*pegs_drop.*max_rows/, 'a fat release is refused');
$pegs->refuses('a fat release', '53400', "SELECT pegs_release('fat', 'm', 1000001, 0.1, 1000001)");
is(said('curator', "SELECT pegs_limit('m', 'analyst', max_rows => 20, max_releases => 3);"), '', 'smaller limits');
$pegs->as('curator', "SELECT pegs_grant('m', 'analyst', epsilon => 90)");
is($pegs->value("SELECT max_rows || ' ' || max_releases FROM pegs_internal.access WHERE grantee = 'analyst'::regrole"), '20 3', 'a cap that is moved leaves them');
$pegs->analyst("SELECT pegs_release('r1', 'm', 10, 0.1, 10)");
like(said('analyst', "SELECT pegs_release('r2', 'm', 11, 0.1, 11);"), qr/no more stored rows\nDETAIL:  Asked for 11; 10 of 20/, 'rows add up');
like(said('analyst', "BEGIN;\nSELECT pegs_release('r2', 'm', 10, 0.1, 10);\nROLLBACK;\nSELECT pegs_release('r2', 'm', 11, 0.1, 11);"), qr/10 of 20 are stored/, 'what was rolled back is not stored');
# nor do two sessions get more at once than one after the other
my $first = $pegs->background('analyst');
$first->query("BEGIN; SELECT pegs_release('r2', 'm', 10, 0.1, 10)");
like(said('analyst', "SELECT pegs_release('r3', 'm', 1, 0.1, 1);"), qr/20 of 20 are stored/, 'what is not committed counts, and nobody waits');
$first->query('ROLLBACK');
is(said('analyst', "SELECT pegs_release('r2', 'm', 9, 0.1, 9); SELECT pegs_release('r3', 'm', 1, 0.1, 1);"), '', 'rolled back, it counts no more');
like(said('analyst', "SELECT pegs_release('r4', 'm', 1, 0.1, 1);"), qr/^ERROR:  the grant allows no more releases\nDETAIL:  Asked for 1; 3 of 3 are stored/, 'so many releases and no more');
is($pegs->value("SELECT count(*) FROM pegs_internal.name WHERE name IN ('fat', 'r4')"), '0', 'a name that was not used is free');
$pegs->as('curator', "SELECT pegs_revoke('m', 'analyst'); SELECT pegs_grant('m', 'analyst', 90); SELECT pegs_limit('m', 'analyst', 20, 3)");
like(said('analyst', "SELECT pegs_release('r4', 'm', 1, 0.1, 1);"), qr/3 of 3 are stored/, 'a new grant of the model does not forget what is stored');
is(said('analyst', "SELECT pegs_drop('r3'); SELECT pegs_release('r4', 'm', 1, 0.1, 1);"), '', 'what is dropped makes room');
is(said('curator', "SELECT pegs_release('free ' || i, 'm', 30, 0.1, 30) FROM generate_series(1, 5) AS i;"), '', 'curators have no limit');
$pegs->as('curator', "SELECT pegs_limit('m', 'analyst', NULL, NULL)");
is(said('analyst', "SELECT pegs_release('r' || i, 'm', 30, 0.1, 30) FROM generate_series(5, 10) AS i;"), '', 'NULL is no limit');
like(said('curator', "SELECT pegs_limit('m', 'analyst', max_rows => -1);"), qr/^ERROR:  max_rows must not be negative\nHINT/, 'a limit below zero is none');

# of a perturbed model nothing is stored but the release itself; to public means to each
$pegs->as('curator', "SELECT pegs_grant('noisy', 'public'); SELECT pegs_limit('noisy', 'public', 0, 2)");
for my $role ('analyst', 'other')
{
	is(said($role, "SELECT pegs_release('$role 1', 'noisy', 1000000000); SELECT pegs_release('$role 2', 'noisy', 10);"), '', "public, $role: two releases");
	like(said($role, "SELECT pegs_release('$role 3', 'noisy', 10);"), qr/2 of 2 are stored/, "public, $role: and no third");
}
# a dump keeps makers and limits
my ($tmp) = $PostgreSQL::Test::Utils::tmp_check;
PostgreSQL::Test::Utils::command_ok([ 'pg_dump', '-d', $node->connstr('postgres'), '-f', "$tmp/makers.sql" ], 'pg_dump');
$node->safe_psql('postgres', 'CREATE DATABASE restored');
$node->safe_psql('restored', '', extra_params => [ '-f', "$tmp/makers.sql" ]);
my $restored = bless { node => $node, db => 'restored' }, 'PegsLedger';
my (undef, $err) = $restored->as('other', "\\set VERBOSITY default\nSELECT pegs_release('other 3', 'noisy', 10); SELECT pegs_drop('other 1'); SELECT pegs_release('other 3', 'noisy', 10);");
like($err, qr/2 of 2 are stored/, 'restored: the limit holds');
is($restored->value("SELECT string_agg(name, ', ' ORDER BY name) FROM pegs_internal.release WHERE name LIKE 'other%'"), 'other 2, other 3', 'restored: the maker drops, and makes another');

is($pegs->value('SELECT bool_and(ok) FROM pegs_verify_ledger()'), 't', 'the ledger is whole');
$node->stop;
done_testing();
