# long: run by make test-all (test/run long), not by make test
# The sequences and tables of an account belong to the extension's owner, and nobody else may change them. Default privileges do
# not reach them; where a right was given by hand, or they were given away, nothing is charged until it is taken back, by the
# command in the HINT. Law L2, claim P5; the review of 0.2.0, M3.
use strict;
use warnings;
use Test::More;
use PegsLedger;

# a session that has charged before must see, too, what right was given since
$PegsLedger::stays = 1;
$PegsSession::most = 4;
my $pegs = PegsLedger->new('hands');
my $node = $pegs->node;
my $sample = 'SELECT * FROM ' . $pegs->sample . ';';
my $count = 'SELECT count(*) FROM ' . $pegs->sample . ';';
$node->safe_psql('postgres', 'CREATE ROLE taker LOGIN; CREATE ROLE "Odd, name" LOGIN');

# Rights that anybody but the owner has on our relations and their columns.
my $others = q{SELECT string_agg(c.oid::regclass || ' ' || a.grantee::regrole || ' ' || a.privilege_type, ', ' ORDER BY c.oid, a.grantee, a.privilege_type) FROM pg_class AS c, aclexplode(c.relacl) AS a
	WHERE c.relnamespace = 'pegs_internal'::regnamespace AND a.grantee <> c.relowner};

# ---- default privileges, of every form ----

my $forms = 0;
for my $default ('ALTER DEFAULT PRIVILEGES %s', 'ALTER DEFAULT PRIVILEGES FOR ROLE postgres %s', 'ALTER DEFAULT PRIVILEGES IN SCHEMA pegs_internal %s')
{
	my $db = 'form_' . ++$forms;
	$node->safe_psql('template1', "CREATE DATABASE $db");
	my $there = bless { node => $node, db => $db }, 'PegsLedger';
	my $late = $default =~ /IN SCHEMA/;
	my $all = join ';', map { sprintf($default, $_) } 'GRANT ALL ON SEQUENCES TO taker WITH GRANT OPTION', 'GRANT SELECT, UPDATE ON SEQUENCES TO PUBLIC, "Odd, name"',
		'GRANT ALL ON TABLES TO taker WITH GRANT OPTION', 'GRANT INSERT, UPDATE ON TABLES TO PUBLIC';
	$there->as('postgres', "$all; ALTER DEFAULT PRIVILEGES GRANT ALL ON SCHEMAS TO taker") unless $late;
	$there->as('postgres', 'CREATE EXTENSION pegs');
	$there->as('postgres', $all) if $late;
	$there->as('postgres', q{
		CREATE TABLE visit (ward text NOT NULL CHECK (ward IN ('A', 'B', 'C', 'D')), male boolean NOT NULL);
		ALTER TABLE visit OWNER TO curator;
		INSERT INTO visit SELECT substr('ABCD', 1 + i % 4, 1), i % 3 = 0 FROM generate_series(1, 40) AS i;
		SELECT pegs_set_budget('visit', epsilon => 1000); SELECT pegs_fit('m', 'visit', parents => '{}'); SELECT pegs_grant('m', 'analyst', epsilon => 1000)});
	is($there->value($others), '', "$default: nobody has a right on our relations");
	is($there->value("SELECT count(*) FROM pg_namespace, aclexplode(nspacl) AS a WHERE nspname = 'pegs_internal' AND a.grantee <> nspowner"), 0, "$default: nor on our schema");
	$there->charges("$default: it can be charged", 0.1, sub { scalar $there->analyst($count) });
	# the review's script
	my ($e, $c) = map { $there->value($_) } 'SELECT epsilon_spent::oid FROM pegs_internal.budget', 'SELECT cap_spent::oid FROM pegs_internal.access';
	$there->charges("$default: set back after a rollback", 0.1, sub { my ($rows) = split /\n/, $there->as('taker', "SELECT setval(${e}::oid::regclass, 0), setval(${c}::oid::regclass, 0)") . $there->analyst("BEGIN; $count ROLLBACK"); $rows });
	my (undef, $err) = $there->as('taker', "SELECT setval(${e}::oid::regclass, 0)");
	like($err, qr/ERROR:  42501/, "$default: it cannot be set back");
}

# ---- an update from a version without these tables ----

$node->safe_psql('template1', 'CREATE DATABASE updated');
my $updated = bless { node => $node, db => 'updated' }, 'PegsLedger';
$updated->as('postgres', q{CREATE EXTENSION pegs VERSION '0.2.0'; GRANT USAGE ON SCHEMA pegs_internal TO taker; GRANT SELECT ON pegs_internal.ledger TO taker;
	ALTER DEFAULT PRIVILEGES GRANT ALL ON TABLES TO taker WITH GRANT OPTION; ALTER DEFAULT PRIVILEGES GRANT INSERT ON TABLES TO PUBLIC, "Odd, name"; ALTER DEFAULT PRIVILEGES GRANT ALL ON SEQUENCES TO taker;
	ALTER EXTENSION pegs UPDATE});
is($updated->value($others), 'pegs_internal.ledger taker SELECT', 'an update: default privileges do not reach what is new, what a DBA has granted stays');

# ---- by hand ----

# Gives a right, looks that nothing can be charged and that the HINT takes it back.
sub given
{
	my ($name, $give, $health) = @_;
	my $before = $pegs->value($others);
	$pegs->value($give);
	for my $call ($pegs->charging)
	{
		my ($what, $role, $sql) = @$call;
		$pegs->refuses("$name: $what", '55000', $sql, $role);
	}
	cmp_ok($pegs->value("SELECT count(*) FROM pegs_health() WHERE item LIKE 'role %' AND NOT ok AND state LIKE '%$health%'"), '>', 0, "$name: pegs_health says it") if $health;
	# each HINT names one relation
	for (1 .. 4)
	{
		my (undef, $err) = $pegs->analyst("\\set VERBOSITY default\n$sample");
		my ($paste) = $err =~ /^HINT: .*?((?:REVOKE|ALTER) .*;)$/m;
		last unless defined $paste;
		(undef, $err) = $pegs->as('analyst', $paste);
		# PostgreSQL only warns where nothing could be taken back
		like($err, qr/ERROR:  42501|WARNING/, "$name: the HINT, pasted by the analyst");
		(undef, $err) = $pegs->as('postgres', $paste);
		is($err, '', "$name: the HINT, pasted by a superuser: $paste");
	}
	is($pegs->value($others), $before, "$name: nobody has a right any more");
	$pegs->charges("$name: taken back", 0.1, sub { scalar $pegs->analyst($count) });
	return;
}

$pegs->value('GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA public TO curator');
$pegs->set_up_free;
my ($epsilon, $delta) = split /\|/, $pegs->value('SELECT epsilon_spent, delta_spent FROM pegs_internal.budget');
my $cap = $pegs->value("SELECT cap_spent FROM pegs_internal.access WHERE cap_spent IS NOT NULL");
given('UPDATE of the epsilon sequence', "GRANT UPDATE ON SEQUENCE $epsilon TO taker", "update $epsilon");
given('USAGE of the epsilon sequence', "GRANT USAGE ON SEQUENCE $epsilon TO taker", "usage $epsilon");
given('SELECT of the delta sequence, PUBLIC', "GRANT SELECT ON SEQUENCE $delta TO PUBLIC", "select $delta");
given('with grant option, passed on', "GRANT ALL ON SEQUENCE $epsilon TO taker WITH GRANT OPTION; GRANT USAGE ON SCHEMA pegs_internal TO taker; SET ROLE taker;
	GRANT ALL ON SEQUENCE $epsilon TO \"Odd, name\"; RESET ROLE; REVOKE USAGE ON SCHEMA pegs_internal FROM taker", "update $epsilon");
given('INSERT into the budgets', 'GRANT INSERT ON pegs_internal.budget TO taker', 'insert pegs_internal.budget');
given('UPDATE of one column of the budgets', 'GRANT UPDATE (epsilon) ON pegs_internal.budget TO "Odd, name"', 'update pegs_internal.budget(epsilon)');
given('UPDATE of the grants', 'GRANT UPDATE (cap) ON pegs_internal.access TO PUBLIC', 'update pegs_internal.access(cap)');
given('DELETE from the ledger', 'GRANT DELETE ON pegs_internal.ledger TO taker', 'delete pegs_internal.ledger');
given('TRIGGER on the ledger', 'GRANT TRIGGER ON pegs_internal.ledger TO taker', 'trigger pegs_internal.ledger');
given('UPDATE of the models', 'GRANT UPDATE (account) ON pegs_internal.model TO taker', 'update pegs_internal.model(account)');
# a table that is marked as gone gets a new account
given('UPDATE of what a table is known by', 'GRANT UPDATE (made) ON pegs_internal.origin TO taker', 'update pegs_internal.origin(made)');
given("INSERT into $_", "GRANT INSERT ON pegs_internal.$_ TO taker", "insert pegs_internal.$_") for qw(revoked unit fact forbidden release release_rows name maker curator parent);
given('UPDATE of the numbers of objects', 'GRANT UPDATE ON SEQUENCE pegs_internal.object_id TO taker', 'update pegs_internal.object_id');
given('another owner of the sequence', "ALTER SEQUENCE $epsilon OWNER TO taker", "own $epsilon");
given('another owner of the budgets', 'ALTER TABLE pegs_internal.budget OWNER TO taker', 'own pegs_internal.budget');
# the cap of a grant: only those are refused who are charged to it
$pegs->value("GRANT UPDATE ON SEQUENCE $cap TO taker");
$pegs->refuses('UPDATE of the cap', '55000', $sample);
is(scalar $pegs->as('curator', $count), 10, 'UPDATE of the cap: the curator is not charged to it');
$pegs->value("REVOKE ALL ON SEQUENCE $cap FROM taker");
# who reads is no danger for an account: an auditor may keep a copy of the ledger
$pegs->value('GRANT USAGE ON SCHEMA pegs_internal TO taker; GRANT SELECT ON pegs_internal.ledger, pegs_internal.budget TO taker');
$pegs->charges('SELECT of the ledger and the budgets', 0.1, sub { scalar $pegs->analyst($count) });
cmp_ok($pegs->value("SELECT count(*) FROM pegs_health() WHERE item = 'role taker' AND state LIKE '%select pegs_internal.ledger%'"), '==', 1, 'SELECT of the ledger: pegs_health says it');

# all of the above is believed because this session waits for its answer, whatever signal comes meanwhile
{
	my $came = 0;
	local $SIG{ALRM} = sub { $came++ };
	alarm 1;
	is($pegs->value('SELECT pg_sleep(2) IS NOT NULL'), 't', 'a signal is no answer');
	is($came, 1, 'a signal came while it waited');
}

$node->stop;
done_testing();
