# A dump by somebody who is no superuser, as docs/dba.md says: the owner of the database cannot make one, and what the page
# tells him to do keeps the ledger and leaves exact counts out. What it warns of is true: without pegs_internal, all that was
# spent is forgotten. (security.md M8 of the review of 0.2.0)
use strict;
use warnings;
use Test::More;
use PostgreSQL::Test::Utils;
use PegsLedger;

my $pegs = PegsLedger->new('owner_dump');
my $node = $pegs->node;
my $tmp = $PostgreSQL::Test::Utils::tmp_check;

$pegs->set_up_free;
# Exact counts are one value a model, and pg_dump writes it as hex.
$pegs->value(q{
	CREATE ROLE owner_of_all LOGIN;
	ALTER DATABASE postgres OWNER TO owner_of_all;
	ALTER TABLE visit OWNER TO owner_of_all;
	GRANT owner_of_all TO curator;
	SELECT pegs_allow('owner_of_all');
	SELECT pegs_fit('sealed', 'visit', parents => '{"male": ["ward"]}');
	SELECT count(*) FROM pegs_sample('m', 5, 0.5, 5) AS t(ward text, male boolean)});
my $body = $pegs->value("SELECT encode(body, 'hex') FROM pegs_internal.body WHERE model = (SELECT id FROM pegs_internal.model WHERE name = 'sealed')");
my $perturbed = $pegs->value("SELECT encode(body, 'hex') FROM pegs_internal.body WHERE model = (SELECT id FROM pegs_internal.model WHERE name = 'noisy')");
my $free = $pegs->free_rows;
my @state = (
	'SELECT source, epsilon, spent, remaining, delta, delta_spent FROM pegs_budgets',
	'SELECT source, at, role, action, object, epsilon_from, epsilon_to, remaining FROM pegs_ledger ORDER BY epsilon_to, at',
	'SELECT object, grantee, cap, CASE WHEN cap IS NOT NULL THEN pg_sequence_last_value(cap_spent) END FROM pegs_internal.access ORDER BY id',
	'SELECT role FROM pegs_internal.curator',
	"SELECT p.oid::regprocedure, a.grantee::regrole FROM pg_proc AS p, aclexplode(p.proacl) AS a WHERE p.proname = 'pegs_fit' ORDER BY 1, 2::text");
my @before = map { $pegs->value($_) } @state;

sub dump_by
{
	my ($role, $file, @more) = @_;
	my ($out, $err) = run_command([ 'pg_dump', '-U', $role, '-d', $node->connstr('postgres'), '-f', "$tmp/$file", @more ]);
	return $err;
}

# the words of the server, or since 18 of pg_dump, which reads all sequences at once and gets NULL for what may not be read
my $denied = qr/permission denied for schema pegs_internal|failed to get data for sequence "\w+"; user may lack SELECT privilege/;
like(dump_by('owner_of_all', 'no.sql'), $denied, 'M8 the owner of the database cannot dump it');

# What must not be done: it works, and everything that was spent is forgotten.
is(dump_by('owner_of_all', 'without.sql', '-N', 'pegs_internal'), '', 'M8 without pegs_internal the owner can');
$node->safe_psql('template1', 'CREATE DATABASE without TEMPLATE template0');
$node->safe_psql('without', '', extra_params => [ '-f', "$tmp/without.sql" ]);
is($node->safe_psql('without', 'SELECT count(*) FROM pegs_ledger'), 0, 'M8 without pegs_internal the ledger is gone');
is($node->safe_psql('without', 'SELECT count(*) FROM pegs_budgets'), 0, 'M8 without pegs_internal the budgets are gone');

# What the page says: a role for the backup alone.
$pegs->value('CREATE ROLE backup LOGIN; GRANT pg_read_all_data TO backup');
is(dump_by('backup', 'backup.sql'), '', 'M8 a role with pg_read_all_data can dump it');
my $dump = slurp_file("$tmp/backup.sql");
unlike($dump, qr/\Q$body\E/, 'M8 exact counts are not in its dump');
like($dump, qr/\Q$perturbed\E/, 'M8 released numbers are');
$pegs->charges('M8 charges go on beside that role', 0.1, sub { scalar $pegs->analyst('SELECT count(*) FROM ' . $pegs->sample) });
is($pegs->value("SELECT count(*) FROM pegs_health() WHERE item = 'role backup' AND state ~ 'read all tables'"), 1, 'M8 pegs_health names the role');
like(dump_by('owner_of_all', 'still no.sql'), $denied, 'M8 the owner of the database still cannot');

$node->safe_psql('template1', 'CREATE DATABASE restored TEMPLATE template0');
$node->safe_psql('restored', '', extra_params => [ '-f', "$tmp/backup.sql" ]);
my $there = bless { node => $node, db => 'restored' }, 'PegsLedger';
is($there->value($state[$_]), $before[$_], "M8 restored: $state[$_]") for 0 .. $#state;
is($there->value('SELECT bool_and(ok) FROM pegs_verify_ledger()'), 't', 'M8 restored: the ledger is whole');
is($there->free_rows, $free, 'M8 restored: what is free gives the same rows');
$there->refuses('M8 restored: nothing is spent before it is adopted', '55000', "SELECT pegs_fit('x', 'visit', epsilon => 0.1)", 'curator');
my (undef, $err) = $there->as('postgres', "\\set VERBOSITY default\nSELECT * FROM pegs_sample('sealed', 1, 0.1) AS t(ward text, male boolean)");
like($err, qr/is a copy|has no tables/, 'M8 restored: a sealed model has no counts');
# allowed roles are remembered in the copy, too
$there->value(q{CREATE FUNCTION public.pegs_of_tomorrow() RETURNS int LANGUAGE sql AS 'SELECT 1'; REVOKE ALL ON FUNCTION public.pegs_of_tomorrow() FROM PUBLIC;
	ALTER EXTENSION pegs ADD FUNCTION public.pegs_of_tomorrow(); SELECT pegs_internal.allow_again()});
is($there->value("SELECT has_function_privilege('owner_of_all', 'public.pegs_of_tomorrow()', 'EXECUTE')"), 't', 'M8 restored: who was allowed is allowed what comes later');

$node->stop;
done_testing();
