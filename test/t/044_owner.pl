# long: run by make test-all (test/run long), not by make test
# The owner of the extension need not be a superuser for ever: what pegs reads as that role, it may read. Everything works, for
# curators, grantees and DBAs, after ALTER ROLE ... NOSUPERUSER. But what is ours must be his: pegs_health says what is not.
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

# ---- what is ours and belongs to somebody else ----

$node->safe_psql('postgres', 'CREATE ROLE "Odd, name"; GRANT EXECUTE ON FUNCTION pegs_health(), pegs_verify_ledger(regclass) TO analyst');
my $owned = q{SELECT item || ': ' || state FROM pegs_health() WHERE state LIKE 'belongs to %' AND NOT ok ORDER BY 1};
# as the remedy says it, but for the words before it
my $remedies = q{SELECT string_agg(substring(remedy FROM 'ALTER .*'), '; ') FROM pegs_health() WHERE state LIKE 'belongs to %'};
my $me = $pegs->value('SELECT extowner::regrole FROM pg_extension WHERE extname = \'pegs\'');
is($pegs->value($owned), '', 'pegs_health: all is the extension\'s');
is($there->value($owned), '', 'pegs_health: also where that is another role');

# a foreign table, whatever it is of: then accounts are asked whether they are for the same rows
$pegs->value('CREATE FOREIGN DATA WRAPPER none; CREATE SERVER nowhere FOREIGN DATA WRAPPER none; CREATE FOREIGN TABLE far (b boolean) SERVER nowhere');
$pegs->value("CREATE TABLE t (b boolean NOT NULL); SELECT pegs_set_budget('t', 10); SELECT pegs_fit('s', 't', parents => '{}'); ALTER SCHEMA pegs_internal OWNER TO \"Odd, name\"");
for my $sql ('DROP TABLE t', "SELECT pegs_drop('s')", "SELECT * FROM pegs_sample('s', 1, 1) AS t(b boolean)")
{
	my (undef, $err) = $pegs->as('postgres', $sql);
	like($err, qr/ERROR:  (42501|55000)/, "another owner of the schema: $sql fails");
}
is(scalar $pegs->as($_, $owned), "schema pegs_internal: belongs to \"Odd, name\", not to $me, the owner of the extension", "pegs_health says it to $_") for 'postgres', 'analyst';
$pegs->value($pegs->value($remedies));
is($pegs->value($owned), '', 'its remedy, pasted: nothing more to say');
is($pegs->value("SELECT count(*) FROM pegs_sample('s', 1, 1) AS t(b boolean)"), '1', 'a sample is drawn');
is(($pegs->as('postgres', 'DROP TABLE t'))[1], '', 'and the table can be dropped');

# all that is ours, each
my %kinds;
for my $give (split /\n/, $pegs->value(q{SELECT format('ALTER %s %s OWNER TO "Odd, name"', i.type, i.identity)
	FROM pg_depend AS d JOIN pg_extension AS e ON e.oid = d.refobjid AND e.extname = 'pegs', pg_identify_object(d.classid, d.objid, 0) AS i
	WHERE d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e' AND i.type NOT IN ('event trigger', 'cast') AND i.identity NOT LIKE '%[]'
		-- row types, which are members in 18, belong to whom their tables belong
		AND NOT EXISTS (SELECT FROM pg_type AS t WHERE d.classid = 'pg_type'::regclass AND t.oid = d.objid AND t.typrelid <> 0)
	UNION ALL SELECT format('ALTER SEQUENCE %s OWNER TO "Odd, name"', c.oid::regclass) FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
	WHERE n.nspname = 'pegs_internal' AND c.relkind = 'S' AND c.relname <> 'object_id'}))
{
	my ($kind) = $give =~ /^ALTER (\w+)/;
	$kinds{lc $kind}++;
	$pegs->value($give);
}
is(join(' ', sort keys %kinds), 'aggregate function schema sequence table type view', 'of every kind');
my $given = 0;
$given += $_ for values %kinds;
# a superuser alone can have an event trigger
$pegs->value('ALTER ROLE "Odd, name" SUPERUSER; ALTER EVENT TRIGGER pegs_table_dropped OWNER TO "Odd, name"; ALTER ROLE "Odd, name" NOSUPERUSER');
is($pegs->value("SELECT count(*) FROM pegs_health() WHERE state LIKE 'belongs to %'"), $given + 1, 'pegs_health names each');
$pegs->value($pegs->value($remedies));
is($pegs->value($owned), '', 'every remedy can be pasted');
$pegs->charges('all given back', 0.1, sub { scalar $pegs->analyst('SELECT count(*) FROM ' . $pegs->sample) });
# REASSIGN OWNED takes the extension along
$there->value('CREATE ROLE heir SUPERUSER; REASSIGN OWNED BY adm TO heir');
is($there->value("SELECT extowner::regrole FROM pg_extension WHERE extname = 'pegs'") . $there->value($owned), 'heir', 'all given to another role at once: nothing to say');

$node->stop;
done_testing();
