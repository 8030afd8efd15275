# The owner of the extension need not be a superuser for ever: what pegs reads as that role, it may read. Everything works, for
# curators, grantees and DBAs, after ALTER ROLE ... NOSUPERUSER.
use strict;
use warnings;
use Test::More;
use PegsLedger;

my $pegs = PegsLedger->new('owner');
my $node = $pegs->node;
$node->safe_psql('postgres', 'CREATE ROLE adm SUPERUSER LOGIN; CREATE ROLE other LOGIN; CREATE DATABASE owned');
my $there = bless { node => $node, db => 'owned' }, 'PegsLedger';
$there->as('adm', 'CREATE EXTENSION pegs; GRANT ALL ON SCHEMA public TO curator; GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA public TO curator');
$there->as('postgres', 'ALTER ROLE adm NOSUPERUSER; CREATE ROLE gone');

for my $call (
	[ 'curator', "CREATE TABLE t (b boolean NOT NULL); INSERT INTO t VALUES (true); SELECT pegs_set_budget('t', 100)" ],
	[ 'curator', "SELECT pegs_set_levels('t', 'b', ARRAY['true', 'false']); SELECT pegs_forbid('t', NULL); SELECT pegs_set_unit('t', NULL)" ],
	[ 'curator', "SET client_min_messages = warning; SELECT pegs_fit('s', 't', parents => '{}'); SELECT pegs_fit('p', 't', epsilon => 1)" ],
	[ 'curator', "SELECT pegs_grant('s', 'gone', epsilon => 1); SELECT pegs_grant('s', 'analyst', epsilon => 10); SELECT pegs_grant('p', 'public')" ],
	[ 'analyst', "SELECT count(*) FROM pegs_sample('s', 5, epsilon => 1) AS t(b boolean); SELECT pegs_release('r', 's', 5, epsilon => 1); SELECT count(*) FROM pegs_rows('r') AS t(b boolean)" ],
	[ 'postgres', 'DROP ROLE gone' ],
	[ 'curator', "SELECT * FROM pegs_leftovers; SELECT * FROM pegs_health(); SELECT * FROM pegs_verify_ledger(); SELECT * FROM pegs_budgets; SELECT * FROM pegs_ledger" ],
	[ 'curator', "SELECT * FROM pegs_models; SELECT * FROM pegs_releases; SELECT pegs_certificate_text('p'); SELECT pegs_describe('r'); SELECT length(pegs_export('p'))" ],
	[ 'curator', "SELECT pegs_limit('s', 'analyst', 10, 10); SELECT pegs_grant('s', 'analyst', epsilon => 20); SELECT pegs_revoke('p', 'public')" ],
	[ 'adm', "SELECT pegs_allow('other'); SELECT pegs_disallow('other')" ],
	[ 'postgres', "SELECT pegs_allow('other'); SELECT pegs_adopt('t', remaining => 1, reason => 'test')" ],
	[ 'analyst', "SELECT pegs_drop('r')" ],
	[ 'curator', "SET client_min_messages = warning; SELECT pegs_withdraw('s'); SELECT pegs_drop('p'); DROP TABLE t; SELECT * FROM pegs_leftovers" ])
{
	my ($role, $sql) = @$call;
	my (undef, $err) = $there->as($role, $sql);
	is($err, '', "$role: $sql");
}
is($there->value('SELECT count(*) FROM pegs_internal.model') . $there->value("SELECT count(*) FROM pegs_leftovers"), '00', 'and nothing is left');

$node->stop;
done_testing();
