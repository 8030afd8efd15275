# long: run by make test-all (test/run long), not by make test
# The types of a model's columns are known by more than their names: renames of types, schemas and labels' types break no model
# and no release, and who reads rows needs no right on the schema of the table. Security review of 0.2.0, M5.
use strict;
use warnings;
use Test::More;
use PostgreSQL::Test::Utils;
use PegsLedger;

my $pegs = PegsLedger->new('types', version => '0.2.0');
my $node = $pegs->node;
my $tmp = $PostgreSQL::Test::Utils::tmp_check;

# A secret schema: an enum, a domain over it, a domain over a plain type.
sub set_up
{
	my ($name) = @_;
	return $pegs->value(qq{
		CREATE SCHEMA $name AUTHORIZATION curator; SET ROLE curator;
		CREATE TYPE $name.sex_t AS ENUM ('F', 'M'); CREATE TYPE $name.spare_t AS ENUM ('x', 'y');
		CREATE DOMAIN $name.sex_d AS $name.sex_t; CREATE DOMAIN $name.count_d AS int CHECK (VALUE < 100);
		CREATE TABLE $name.patient (sex $name.sex_t NOT NULL, born $name.sex_d NOT NULL, spare $name.spare_t, visits $name.count_d NOT NULL, smoker boolean NOT NULL);
		INSERT INTO $name.patient SELECT CASE WHEN i % 3 = 0 THEN 'M' ELSE 'F' END::$name.sex_t, CASE WHEN i % 3 = 0 THEN 'M' ELSE 'F' END::$name.sex_t, 'x', i % 10, i % 2 = 0
		FROM generate_series(1, 1000) AS i;
		RESET ROLE;
		SELECT pegs_set_bins('$name.patient', 'visits', ARRAY['0', '5', '10']);
		SELECT pegs_set_budget('$name.patient', 100);
		SELECT pegs_fit('$name sealed', '$name.patient', parents => '{}'); SELECT pegs_fit('$name', '$name.patient', epsilon => 5);
		SELECT pegs_release('$name rows', '$name sealed', 50, epsilon => 1, block => 50); SELECT pegs_release('$name noisy rows', '$name', 50);
		SELECT pegs_grant('$name sealed', 'analyst', epsilon => 50); SELECT pegs_grant('$name', 'analyst');
		SELECT pegs_grant('$name rows', 'analyst'); SELECT pegs_grant('$name noisy rows', 'analyst')});
}
set_up('old');	# by 0.2.0, read after the update
$pegs->value('ALTER EXTENSION pegs UPDATE; GRANT EXECUTE ON FUNCTION pegs_view_sql(text, text, name, text) TO curator');
set_up('clinic');
is($pegs->as('postgres', 'SELECT bool_and(array_length(types, 1) >= 2 AND array_position(types, NULL) IS NULL) FROM pegs_internal.model'), 't', 'every model has the types of its columns');

# Every way to read a model or release, as one row of text each: the column list in %s.
sub calls
{
	my ($name) = @_;
	return (
		[ 'a perturbed model', "SELECT count(*) FROM pegs_sample('$name', 20) AS t(%s)", '20' ],
		[ 'a sealed model', "SELECT count(*) FROM pegs_sample('$name sealed', 20, 0.1, 20) AS t(%s)", '20' ],
		[ 'a stored release', "SELECT count(*) FROM pegs_rows('$name rows') AS t(%s)", '50' ],
		[ 'a release of a perturbed model', "SELECT count(*) FROM pegs_rows('$name noisy rows') AS t(%s)", '50' ],
		[ 'a perturbed model, given', "SELECT count(*) FROM pegs_sample('$name', 20, given => '{\"smoker\": true}') AS t(%s)", '20' ],
		[ 'a given enum', "SELECT count(*) FROM pegs_sample('$name', 20, given => '{\"sex\": \"F\"}') AS t(%s)", '20' ]);
}

sub reads
{
	my ($when, $name, $columns, $role, $but) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	for my $call (calls($name))
	{
		my ($what, $sql, $expected) = @$call;
		next if $but && $what =~ $but;
		my ($out, $err) = $pegs->as($role || 'analyst', sprintf $sql, $columns);
		is("$out$err", $expected, "$when: $what, $columns");
	}
	return;
}

# What is public is readable without USAGE on the schema; and what is printed has today's names.
sub printed
{
	my ($when, $name, $types) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	for my $object ($name, "$name sealed", "$name rows", "$name noisy rows")
	{
		my ($out, $err) = $pegs->analyst("SELECT pegs_row_type('$object'); SELECT pegs_describe('$object') ->> 'name'; SELECT pegs_certificate('$object') ->> 'name'");
		is("$out$err", "$types\n$object\n$object", "$when: pegs_row_type, pegs_describe and pegs_certificate of \"$object\"");
	}
	my ($out, $err) = $pegs->as('analyst', "\\set VERBOSITY default\nSELECT * FROM pegs_sample('$name', 1) AS t(nothing int)");
	like($err, qr/^HINT:.*AS t\(\Q$types\E\)/m, "$when: the HINT");
	($out, $err) = $pegs->as('curator', "SELECT pegs_view_sql('$name', 'v')");
	like("$out$err", qr/\Q$types\E/, "$when: pegs_view_sql");
	like($pegs->value("SELECT pegs_view_sql('$name', 'v')"), qr/AS t\(sex text, born text, spare text, visits integer, smoker boolean\)/, "$when: pegs_view_sql for who does not own the types");
	return;
}
sub list { my ($schema, $sex, $spare) = @_; return "sex $schema.$sex, born $schema.$sex" . ($spare ? ", spare $schema.$spare" : '') . ', visits integer, smoker boolean' }

my @plain = ('smoker boolean', 'visits int, smoker boolean');
for my $name ('clinic', 'old')
{
	reads("$name, no USAGE", $name, $_) for @plain;
	printed("$name, no USAGE", $name, list($name, 'sex_t', 'spare_t'));
	reads("$name, by its owner", $name, "sex $name.sex_t, born $name.sex_d, smoker boolean", 'curator');

	# In a session that has read them before, and in a new one.
	my $session = $pegs->background('analyst');
	my %seen = map { $_->[0] => $session->query(sprintf $_->[1], 'smoker boolean') } calls($name);
	$pegs->value("ALTER TYPE $name.sex_t RENAME TO gender_t; ALTER DOMAIN $name.sex_d RENAME TO gender_d; ALTER DOMAIN $name.count_d RENAME TO many_d");
	is($session->query(sprintf $_->[1], 'smoker boolean'), $_->[2], "$name, type renamed, the same session: $_->[0]") for calls($name);
	reads("$name, type renamed", $name, $_) for @plain;
	reads("$name, type renamed", $name, "sex $name.gender_t, born $name.gender_d, visits $name.many_d", 'curator');
	printed("$name, type renamed", $name, list($name, 'gender_t', 'spare_t'));

	$pegs->value("ALTER SCHEMA $name RENAME TO ${name}_moved");
	is($session->query("SELECT pegs_row_type('$name')"), list("${name}_moved", 'gender_t', 'spare_t'), "$name, schema renamed, the same session: today's names");
	reads("$name, schema renamed", $name, $_) for @plain;
	reads("$name, schema renamed", $name, "sex ${name}_moved.gender_t, smoker boolean", 'curator');
	printed("$name, schema renamed", $name, list("${name}_moved", 'gender_t', 'spare_t'));

	$pegs->value("CREATE SCHEMA ${name}_types; ALTER TYPE ${name}_moved.gender_t SET SCHEMA ${name}_types");
	reads("$name, type in another schema", $name, $_) for @plain;
	like($pegs->value("SELECT pegs_row_type('$name rows')"), qr/^sex ${name}_types\.gender_t, born ${name}_types\.gender_t, spare ${name}_moved\.spare_t/, "$name: pegs_row_type after SET SCHEMA");

	# A type with the old name is not the type of the model.
	$pegs->value("CREATE SCHEMA $name; CREATE TYPE $name.sex_t AS ENUM ('F', 'M')");
	my (undef, $err) = $pegs->as('postgres', "SELECT * FROM pegs_rows('$name rows') AS t(sex $name.sex_t)");
	like($err, qr/42804/, "$name: another type under the old name is another type");

	# A level more in the type is none in the model; a label renamed is a limit (docs/limits.md), in this session too.
	$pegs->value("ALTER TYPE ${name}_types.gender_t ADD VALUE 'X'");
	reads("$name, a label more", $name, "sex ${name}_types.gender_t", 'postgres');
	$pegs->value("GRANT USAGE ON SCHEMA ${name}_types TO analyst");
	is($session->query("SELECT count(*) FROM pegs_rows('$name rows') AS t(sex ${name}_types.gender_t)"), '50', "$name: the analyst reads the enum, too");
	$pegs->value("ALTER TYPE ${name}_types.gender_t RENAME VALUE 'F' TO 'W'");
	reads("$name, a label renamed", $name, 'smoker boolean', undef, qr/given enum/);
	$session->{stderr} = '';
	is($session->query("SELECT count(*) FROM pegs_rows('$name rows') AS t(sex ${name}_types.gender_t)"), '', "$name, a label renamed, the same session: no row");
	like($session->{stderr}, qr/invalid input value for enum/, "$name, a label renamed, the same session: an error");
	$pegs->refuses("$name, a label renamed", '22P02', "SELECT * FROM pegs_rows('$name rows') AS t(sex ${name}_types.gender_t)", 'postgres');
	$pegs->value("ALTER TYPE ${name}_types.gender_t RENAME VALUE 'W' TO 'F'");
	is($session->query("SELECT count(*) FROM pegs_rows('$name rows') AS t(sex ${name}_types.gender_t)"), '50', "$name, the label has its name again, the same session");
	reads("$name, the label has its name again", $name, "sex ${name}_types.gender_t", 'postgres');

	# Dropped: an error that names the column, for who asks for it; the rest can be read.
	$pegs->value("DROP TYPE ${name}_moved.spare_t CASCADE");
	is($session->query("SELECT count(*) FROM pegs_sample('$name', 3) AS t(smoker boolean)"), '3', "$name, a type dropped, the same session");
	is($session->query("SELECT pegs_row_type('$name')"), list("${name}_types", 'gender_t'), "$name, a type dropped, the same session: pegs_row_type");
	reads("$name, a type dropped", $name, $_) for @plain;
	for my $object ("pegs_rows('$name rows')", "pegs_sample('$name', 1)")
	{
		my ($out, $got) = $pegs->as('postgres', "\\set VERBOSITY default\nSELECT * FROM $object AS t(spare text)");
		like("$out$got", qr/^[^\n]*ERROR:  the type of column "spare" is not there any more\nDETAIL: .*\nHINT: .* sex ${name}_types\.gender_t, born ${name}_types\.gender_t, visits integer, smoker boolean\.$/,
			"$name, a type dropped: $object names the column and lists the others");
	}
	$pegs->refuses("$name, a type dropped: it cannot be given", '42704', "SELECT * FROM pegs_sample('$name', 1, given => '{\"spare\": \"x\"}') AS t(smoker boolean)");
	is($pegs->value("SELECT pegs_row_type('$name')"), list("${name}_types", 'gender_t') =~ s/born \S+,/born ${name}_types.gender_t,/r, "$name, a type dropped: what is printed can be run");
	$session->quit;
}

# A dump keeps the types by name.
command_ok([ 'pg_dump', '-d', $node->connstr('postgres'), '-f', "$tmp/dump.sql" ], 'pg_dump');
$node->safe_psql('template1', 'CREATE DATABASE there TEMPLATE template0');
$node->safe_psql('there', '', extra_params => [ '-f', "$tmp/dump.sql" ]);
my $there = bless { node => $node, db => 'there' }, 'PegsLedger';
for my $name ('clinic', 'old')
{
	is($there->value("SELECT pegs_row_type('$name')"), $pegs->value("SELECT pegs_row_type('$name')"), "restored: $name");
	is($there->as('analyst', "SELECT count(*) FROM pegs_rows('$name rows') AS t(smoker boolean)"), '50', "restored: the rows of $name");
	$there->value("ALTER TYPE ${name}_types.gender_t RENAME TO s");
	is($there->value("SELECT count(*) FROM pegs_rows('$name rows') AS t(sex ${name}_types.s)"), '50', "restored and renamed: the rows of $name");
}

# A caller's own text is read with the caller's rights, as ever.
$pegs->value("CREATE SCHEMA secret; CREATE TYPE secret.e AS ENUM ('a')");
$pegs->refuses('a spec that names a type of another schema', '42501',
	q{SELECT pegs_agg('{"pegs": 1, "tables": "pairs", "columns": [{"name": "a", "type": "secret.e", "levels": ["a"], "null": false}]}', NULL::text)});

done_testing();
