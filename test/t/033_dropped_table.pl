# long: run by make test-all (test/run long), not by make test
# A dropped table takes its exact counts with it: sealed models, their grants, declared facts. Its account is closed, what was
# released stays with the role that owned it. A new table under the old number inherits nothing, also where the event trigger
# was off. The review of 0.2.0: M2.
use strict;
use warnings;
use Test::More;
use PostgreSQL::Test::Utils;
use PegsLedger;

my $pegs = PegsLedger->new('dropped_table');
my $node = $pegs->node;
my $columns = $PegsLedger::columns;
my $sample = 'SELECT count(*) FROM ' . $pegs->sample;
my $secrets = 'SELECT (SELECT count(*) FROM pegs_internal.body JOIN pegs_internal.model ON id = model WHERE sealed) || \' \' ||
	((SELECT count(*) FROM pegs_internal.fact) + (SELECT count(*) FROM pegs_internal.hierarchy)) || \' \' || (SELECT count(*) FROM pegs_internal.forbidden) || \' \' || (SELECT count(*) FROM pegs_internal.unit)';

$pegs->value('CREATE ROLE other LOGIN; GRANT CREATE ON SCHEMA public TO curator, other; GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA public TO curator');

sub said
{
	my ($role, $sql) = @_;
	my ($out, $err) = $pegs->as($role, "\\set VERBOSITY default\n$sql");
	return $err =~ s/^psql:[^ ]* //mgr;
}

# A table with everything: facts, a unit, sealed and perturbed models, releases of a grantee.
sub set_up
{
	my ($table, $how) = @_;
	$pegs->value(qq{
		SELECT pegs_set_budget('$table', epsilon => 100);
		SELECT pegs_set_levels('$table', 'ward', ARRAY['A', 'B', 'C', 'D']);
		SELECT pegs_forbid('$table', '{"ward": "A", "male": true}');
		SELECT pegs_fit('$table s', '$table', parents => '{}'); SELECT pegs_grant('$table s', 'analyst', epsilon => 10);
		SELECT pegs_fit('$table p', '$table', epsilon => 1); SELECT pegs_grant('$table p', 'analyst')});
	$pegs->analyst("SELECT pegs_release('$table rs', '$table s', 10, 1, 10); SELECT pegs_release('$table rp', '$table p', 10)");
	return;
}
my $body = '(ward text NOT NULL, male boolean NOT NULL)';
my $rows = "SELECT substr('ABCD', 1 + i % 4, 1), i % 3 = 0 AND i % 4 <> 0 FROM generate_series(1, 40) AS i";

# what must hold when the table is gone
sub is_gone
{
	my ($name, $table) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	is($pegs->value("SELECT count(*) FROM pegs_internal.model WHERE sealed AND name LIKE '$table %'"), '0', "$name: the sealed model is gone");
	is($pegs->value("SELECT count(*) FROM pegs_internal.body WHERE model IN (SELECT id FROM pegs_internal.model WHERE sealed AND source::oid NOT IN (SELECT oid FROM pg_class))"), '0', "$name: with its counts");
	like(said('analyst', "SELECT * FROM pegs_sample('$table s', 5, 1) AS t($columns);"), qr/^ERROR:  there is no model or release/, "$name: no sample");
	is($pegs->analyst("SELECT count(*) FROM pegs_rows('$table rs') AS t($columns)") . $pegs->analyst("SELECT count(*) FROM pegs_rows('$table rp') AS t($columns)")
		. $pegs->analyst("SELECT count(*) FROM pegs_sample('$table p', 10) AS t($columns)"), '101010', "$name: what was released is readable");
	is($pegs->value("SELECT count(*) FROM pegs_health() WHERE item IN ('model $table p', 'release $table rp', 'release $table rs') AND state = 'its table was dropped' AND NOT ok"), '3', "$name: pegs_health lists it");
	is(said('curator', "SELECT pegs_drop('$table rs'); SELECT pegs_revoke('$table p', 'analyst');") =~ s/^(NOTICE|DETAIL|HINT).*\n?//mgr, '', "$name: who owned the table may drop and revoke");
	is(said('analyst', "SELECT pegs_drop('$table rp');"), '', "$name: the maker, too");
	is(said('curator', "SELECT pegs_drop('$table p');"), '', "$name: to the last");
	is($pegs->value("SELECT count(*) FROM pegs_leftovers"), '0', "$name: nothing is left to tell");
	return;
}

# In an open transaction: this error, or this output.
sub in_old
{
	my ($session, $name, $sql, $error, $out) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	$session->query('SAVEPOINT s');
	$session->{stderr} = '';
	my $got = $session->query("$sql;");
	like($session->{stderr}, $error ? qr/ERROR:.*$error/ : qr/^$/, $name);
	is($got, $out // '', "$name: what is shown");
	$session->query('ROLLBACK TO s');
	return;
}

my %ways = (
	'DROP TABLE' => [ "CREATE TABLE t1 $body; INSERT INTO t1 $rows", 'DROP TABLE t1' ],
	'DROP TABLE as a replica' => [ "CREATE TABLE t1 $body; INSERT INTO t1 $rows", 'SET session_replication_role = replica; DROP TABLE t1' ],
	'DROP SCHEMA CASCADE' => [ "CREATE SCHEMA sc; GRANT USAGE ON SCHEMA sc TO PUBLIC; CREATE TABLE sc.t1 $body; INSERT INTO sc.t1 $rows", 'DROP SCHEMA sc CASCADE' ],
	'a partitioned parent' => [ "CREATE TABLE t1 $body PARTITION BY LIST (male); CREATE TABLE t1a PARTITION OF t1 FOR VALUES IN (true); CREATE TABLE t1b PARTITION OF t1 FOR VALUES IN (false); INSERT INTO t1 $rows", 'DROP TABLE t1' ],
	'DROP TYPE CASCADE' => [ "CREATE TYPE row_t AS $body; CREATE TABLE t1 OF row_t; ALTER TABLE t1 ALTER ward SET NOT NULL, ALTER male SET NOT NULL; INSERT INTO t1 $rows", 'DROP TYPE row_t CASCADE' ],
	'DROP FUNCTION CASCADE' => [ "CREATE FUNCTION part(boolean) RETURNS boolean IMMUTABLE LANGUAGE sql AS 'SELECT \$1'; CREATE TABLE t1 $body PARTITION BY LIST (part(male)); CREATE TABLE t1a PARTITION OF t1 DEFAULT; INSERT INTO t1 $rows", 'DROP FUNCTION part(boolean) CASCADE' ],
	'DROP COLLATION CASCADE' => [ "CREATE COLLATION own_c FROM \"C\"; CREATE TABLE t1 $body PARTITION BY LIST (ward COLLATE own_c); CREATE TABLE t1a PARTITION OF t1 DEFAULT; INSERT INTO t1 $rows", 'DROP COLLATION own_c CASCADE' ],
	'DROP OPERATOR CLASS CASCADE' => [ "CREATE OPERATOR CLASS own_ops FOR TYPE boolean USING btree AS OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >, FUNCTION 1 btboolcmp(boolean, boolean); CREATE TABLE t1 $body PARTITION BY LIST (male own_ops); CREATE TABLE t1a PARTITION OF t1 DEFAULT; INSERT INTO t1 $rows", 'DROP OPERATOR FAMILY own_ops USING btree CASCADE' ],
	'DROP OWNED' => [ "CREATE TABLE t1 $body; INSERT INTO t1 $rows", 'DROP OWNED BY doomed CASCADE' ]);
for my $way (sort keys %ways)
{
	my ($make, $drop) = @{ $ways{$way} };
	$make =~ s/ (NOT NULL)//g if $way eq 'DROP TYPE CASCADE' && 0;
	$make =~ s/CREATE TYPE row_t AS \(ward text NOT NULL, male boolean NOT NULL\)/CREATE TYPE row_t AS (ward text, male boolean)/;
	my $table = $way eq 'DROP SCHEMA CASCADE' ? 'sc.t1' : 't1';
	my $owner = 'curator';
	if ($way eq 'DROP OWNED') { $pegs->value('CREATE ROLE doomed; GRANT doomed TO curator; GRANT CREATE ON SCHEMA public TO doomed'); $owner = 'doomed' }
	$pegs->value("$make; ALTER TABLE $table OWNER TO $owner");
	set_up($table);
	# taken back, all is there
	$pegs->value("BEGIN; $drop; ROLLBACK");
	is($pegs->analyst("SELECT count(*) FROM pegs_sample('$table s', 5, 1) AS t($columns)"), '5', "$way: rolled back, the model is there");
	is($pegs->value($secrets) =~ /^\d+ 1 1 0$/ ? 1 : 0, 1, "$way: and its facts");
	$pegs->value("TRUNCATE $table; VACUUM FULL pg_attribute");
	is($pegs->analyst("SELECT count(*) FROM pegs_sample('$table s', 5, 1) AS t($columns)"), '5', "$way: TRUNCATE and VACUUM FULL take nothing");
	my $oid = $pegs->value("SELECT '$table'::regclass::oid");
	$pegs->value($drop);
	is_gone($way, $table);
	is($pegs->value("SELECT count(*) FROM pegs_internal.fact WHERE source = $oid"), '0', "$way: its facts are gone");
}
# before 16 a rule makes an empty table a view
if ($pegs->value('SHOW server_version_num') < 160000)
{
	$pegs->value("CREATE TABLE t1 (a boolean NOT NULL); CREATE TABLE t3 (a boolean NOT NULL); INSERT INTO t1 VALUES (true); SELECT pegs_set_budget('t1', 10); SELECT pegs_fit('t1 s', 't1', parents => '{}')");
	$pegs->value('DELETE FROM t1; VACUUM FULL t1');
	$pegs->value('CREATE RULE "_RETURN" AS ON SELECT TO t1 DO INSTEAD SELECT a FROM t3');
	$pegs->value('DROP VIEW t1; DROP TABLE t3');
	is($pegs->value("SELECT count(*) FROM pegs_internal.model WHERE name = 't1 s'"), '0', 'a table that was made a view: its model goes with the view');
}
# the model of a view stays with its table
$pegs->value("CREATE TABLE t1 (a boolean NOT NULL); CREATE VIEW v1 AS SELECT a FROM t1; SELECT pegs_set_budget('t1', 10); SELECT pegs_fit('v1 s', 'v1', parents => '{}'); DROP VIEW v1");
is($pegs->value("SELECT count(*) FROM pegs_internal.model WHERE name = 'v1 s'"), '1', 'the model of a view stays');
$pegs->value('DROP TABLE t1');
is($pegs->value("SELECT count(*) FROM pegs_internal.model WHERE name = 'v1 s'"), '0', 'and goes with the table');
# a materialized view goes with a column of its table
$pegs->value("CREATE TABLE t1 (a boolean NOT NULL, b boolean NOT NULL); ALTER TABLE t1 OWNER TO curator; INSERT INTO t1 VALUES (true, false); SELECT pegs_set_budget('t1', 10);
	CREATE MATERIALIZED VIEW mv AS SELECT a FROM t1; ALTER MATERIALIZED VIEW mv OWNER TO curator; SELECT pegs_fit('mv s', 'mv', parents => '{}')");
is(said('curator', 'ALTER TABLE t1 DROP COLUMN a CASCADE;'), 'NOTICE:  drop cascades to materialized view mv', 'a materialized view goes with a column');
is($pegs->value("SELECT count(*) FROM pegs_internal.model WHERE name LIKE 'mv %'"), '0', 'with its model');
$pegs->value('DROP TABLE t1');
$pegs->charges('another table: its account goes on', 0.1, sub { scalar $pegs->analyst($sample) });

# no ALTER looks like another table
$pegs->value("ALTER TABLE visit RENAME TO v2; CREATE SCHEMA moved; ALTER TABLE v2 SET SCHEMA moved; ALTER TABLE moved.v2 SET SCHEMA public; ALTER TABLE v2 RENAME TO visit;
	ALTER TABLE visit ADD extra int; ALTER TABLE visit ALTER extra TYPE bigint; ALTER TABLE visit DROP extra; ALTER TABLE visit OWNER TO other; ALTER TABLE visit OWNER TO curator;
	GRANT SELECT (tableoid) ON visit TO other; REVOKE ALL ON visit FROM other; ANALYZE visit; VACUUM FULL visit; CLUSTER pg_attribute USING pg_attribute_relid_attnum_index; VACUUM FREEZE pg_attribute");
$pegs->value("GRANT SELECT (tableoid, cmax, xmax, cmin, xmin, ctid) ON visit TO other WITH GRANT OPTION; REVOKE SELECT (tableoid, cmax, xmax, cmin, xmin, ctid) ON visit FROM other CASCADE;
	GRANT SELECT (tableoid) ON visit TO other; REVOKE SELECT (tableoid) ON visit FROM other; VACUUM FULL pg_depend; VACUUM FREEZE pg_depend; CLUSTER pg_depend USING pg_depend_reference_index");
$pegs->charges('ALTER, VACUUM FULL, rights on system columns: the same table', 0.1, sub { scalar $pegs->analyst($sample) });

# somebody else's drops
is(said('other', "CREATE TABLE mine (a int); CREATE VIEW v AS SELECT * FROM mine; CREATE TEMP TABLE x (a int); DROP TABLE x; DROP TABLE mine CASCADE;"), "NOTICE:  drop cascades to view v", 'a table of somebody else is dropped as ever');
is($pegs->value("SELECT count(*) FROM pegs_internal.origin WHERE dropped IS NOT NULL AND relation = 0"), '0', 'and leaves nothing here');

$node->safe_psql('postgres', 'CREATE TABLE big (a int); CREATE INDEX big_a ON big (a)');
$node->safe_psql('postgres', 'DROP INDEX CONCURRENTLY big_a');
$node->safe_psql('postgres', 'DROP TABLE big');
$node->safe_psql('postgres', 'CREATE TABLE big (a int PRIMARY KEY) PARTITION BY LIST (a); CREATE TABLE big_1 PARTITION OF big FOR VALUES IN (1); CREATE TABLE points (a int REFERENCES big)');
$node->safe_psql('postgres', 'ALTER TABLE big DETACH PARTITION big_1 CONCURRENTLY');
$node->safe_psql('postgres', 'DROP TABLE big, points CASCADE; DROP TABLE big_1');
pass('commands of several transactions go through');

# a lookup table's owner waits for nobody who has declared something with it
$pegs->value("CREATE TABLE lk (c text); INSERT INTO lk VALUES ('a'); CREATE TABLE lk2 (c text); GRANT SELECT ON lk, lk2 TO other; CREATE TABLE ot (c text); CREATE TABLE ot2 (c text);
	ALTER TABLE ot OWNER TO other; ALTER TABLE ot2 OWNER TO other; GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA public TO other");
$pegs->as('other', "SELECT pegs_set_lookup('ot', 'c', 'lk', 'c'); SELECT pegs_set_lookup('ot2', 'c', 'lk2', 'c')");
my $open = $pegs->background('other');
$open->query("BEGIN; SELECT pegs_unset('ot', 'c')");
is(said('postgres', "SET lock_timeout = '60s'; REVOKE ALL ON lk FROM other; DROP TABLE lk, lk2;"), '', 'a lookup table is dropped while somebody changes what he declared with it');
$open->query('ROLLBACK');
$open->quit;
like($pegs->as('other', "SELECT problem FROM pegs_domain('ot')"), qr/lookup table or column is gone/, 'what was left behind says so');
like($pegs->as('other', "SELECT problem FROM pegs_domain('ot2')"), qr/no declared domain/, 'what was not is gone');
$pegs->value('DROP TABLE ot, ot2');

# ---- the number comes round, after the event trigger and with the trigger off ----

for my $trigger ('on', 'off')
{
	$pegs->value("CREATE TABLE t2 $body; INSERT INTO t2 $rows; ALTER TABLE t2 OWNER TO curator; SELECT pegs_set_budget('t2', 1000)");
	set_up('t2');
	$pegs->value("SELECT pegs_set_budget('t2', 1000)");
	$pegs->value("SELECT pegs_fit('t2 big', 't2', parents => '{}'); SELECT pegs_grant('t2 big', 'analyst', epsilon => 900)");
	my $oid = $pegs->value("SELECT 't2'::regclass::oid");
	$pegs->value('ALTER EVENT TRIGGER pegs_table_dropped DISABLE') if $trigger eq 'off';
	$pegs->as('curator', 'DROP TABLE t2');
	$pegs->value('ALTER EVENT TRIGGER pegs_table_dropped ENABLE ALWAYS') if $trigger eq 'off';
	like(said('analyst', "SELECT * FROM pegs_sample('t2 big', 5, 1) AS t($columns);"), $trigger eq 'on' ? qr/there is no model/ : qr/the table was dropped/, "trigger $trigger: no sample of a dropped table");
	# as if the counter had come round: a new table whose number is the one that all of this is kept by
	$pegs->as('other', "CREATE TABLE n_$trigger $body");
	my $new = "n_$trigger";
	$pegs->value("UPDATE pegs_internal.$_->[0] SET $_->[1] = '$new'::regclass WHERE $_->[1] = $oid")
		for [ 'budget', 'source' ], [ 'ledger', 'source' ], [ 'model', 'source' ], [ 'model', 'account' ], [ 'release', 'account' ], [ 'origin', 'relation' ],
			[ 'fact', 'source' ], [ 'forbidden', 'source' ];
	# transactions whose snapshot is older than the new table's first use here
	my %old = map { $_ => $pegs->background($_) } 'other', 'curator', 'postgres';
	$old{$_}->query('BEGIN ISOLATION LEVEL ' . ($_ eq 'other' ? 'REPEATABLE READ' : 'SERIALIZABLE') . '; SELECT 1') for keys %old;
	is($pegs->as('other', 'SELECT count(*) FROM pegs_models') . $pegs->as('other', 'SELECT count(*) FROM pegs_budgets') . $pegs->as('other', 'SELECT count(*) FROM pegs_releases'), '000',
		"trigger $trigger: its owner sees nothing of the old one");
	$pegs->value("GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA public TO other");
	like(said('other', "SELECT * FROM pegs_sample('t2 big', 5000, 900) AS t($columns);"), qr/^ERROR/, "trigger $trigger: draws nothing");
	like(said('analyst', "SELECT * FROM pegs_sample('t2 big', 5, 1) AS t($columns);"), qr/^ERROR/, "trigger $trigger: nor does a grantee");
	like(said('other', "SELECT pegs_drop('t2 p');"), qr/there is no model/, "trigger $trigger: drops nothing");
	is(said('other', "SELECT pegs_set_levels('$new', 'ward', ARRAY['x']);\nSELECT pegs_set_budget('$new', 5);"), '', "trigger $trigger: a budget of its own");
	is($pegs->as('other', "SELECT epsilon, spent FROM pegs_budgets"), '5|0', "trigger $trigger: of which nothing is spent");
	is($pegs->value("SELECT (SELECT string_agg(column_name || ' ' || levels::text, ', ') FROM pegs_internal.fact WHERE source = '$new'::regclass) || ' ' || (SELECT count(*) FROM pegs_internal.forbidden WHERE source = '$new'::regclass)"),
		'ward {x} 0', "trigger $trigger: no fact of the old one is declared for it");
	is($pegs->as('other', 'SELECT count(*) FROM pegs_ledger'), '1', "trigger $trigger: with a ledger of its own");
	in_old($old{$_->[0]}, "trigger $trigger: an old snapshot of $_->[0]: $_->[1]", @$_[1 .. 3]) for
		[ 'other', "SELECT count(*) FROM pegs_sample('t2 big', 5, 1) AS t($columns)", qr/there is no model/ ],
		[ 'other', "SELECT count(*) FROM pegs_sample('t2 p', 5) AS t($columns)", qr/there is no model/ ],
		[ 'other', "SELECT count(*) FROM pegs_rows('t2 rs') AS t($columns)", qr/there is no model/ ],
		[ 'other', 'SELECT (SELECT count(*) FROM pegs_models) + (SELECT count(*) FROM pegs_releases) + (SELECT count(*) FROM pegs_budgets) + (SELECT count(*) FROM pegs_ledger) + (SELECT count(*) FROM pegs_leftovers)', '', '0' ],
		[ 'curator', "SELECT pegs_fit('mine', '$new', parents => '{}')", qr/must be a member of the role that owns/ ],
		[ 'postgres', "SELECT count(*) FROM pegs_sample('t2 big', 5, 1) AS t($columns)", $trigger eq 'on' ? qr/there is no model/ : qr/the table was dropped/ ];
	$_->quit for values %old;
	is(said('other', "SET client_min_messages = warning; SELECT pegs_fit('new $trigger', '$new', parents => '{}');"), '', "trigger $trigger: and a model");
	is($pegs->analyst("SELECT count(*) FROM pegs_rows('t2 rp') AS t($columns)"), '10', "trigger $trigger: what was released of the old one is readable");
	is(said('curator', "SELECT pegs_withdraw('t2 p'); SELECT pegs_drop('t2 p'); SELECT pegs_drop('t2 rs');"), '', "trigger $trigger: and its owner drops it");
	is($pegs->value("SELECT count(*) FROM pegs_internal.model WHERE name LIKE 't2%'") , '0', "trigger $trigger: nothing is left");
	$pegs->value("SELECT pegs_drop('new $trigger'); DROP TABLE $new");
}
is($pegs->value('SELECT bool_and(ok) FROM pegs_verify_ledger()'), 't', 'the ledger is whole');

# ---- the extension goes as ever ----

$pegs->value('BEGIN; DROP EXTENSION pegs CASCADE; DROP TABLE visit; ROLLBACK');
$node->safe_psql('postgres', 'CREATE DATABASE d2; ');
$node->safe_psql('d2', "CREATE EXTENSION pegs; CREATE TABLE a (b boolean); SELECT pegs_set_budget('a', 1); DROP EXTENSION pegs CASCADE; DROP TABLE a; DROP SCHEMA public CASCADE");
$node->safe_psql('postgres', 'DROP DATABASE d2');
$pegs->value('DROP EXTENSION pegs CASCADE; DROP TABLE visit');
pass('DROP EXTENSION, and drops after it');

$node->stop;
done_testing();
