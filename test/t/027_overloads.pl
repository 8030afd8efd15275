# long: run by make test-all (test/run long), not by make test
# Functions by our names with other arguments, in the schema of the extension, made after it: an overload that fits a call of
# ours better would run with the rights of whoever measures, prints a report or looks at health. None of them runs: C calls C,
# and SQL of ours names every argument with its type. Review of 0.2.0: H2. (t/018 has names taken before CREATE EXTENSION.)
# The schema of the extension renamed, and all of it planted in another's schema of the old name: nothing of that runs. The same
# of pegs_internal: it is known by being a part of the extension.
use strict;
use warnings;
use Test::More;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;

my $node = PostgreSQL::Test::Cluster->new('overloads');
$node->init;
$node->append_conf('postgresql.conf', "autovacuum = off\nlog_statement = none\n");
$node->start;
$node->safe_psql('postgres', q{
	CREATE ROLE thief LOGIN; CREATE ROLE hosp LOGIN; CREATE EXTENSION pegs; GRANT ALL ON SCHEMA public TO thief;
	CREATE SCHEMA h AUTHORIZATION hosp; GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA public TO hosp, thief;
	CREATE SCHEMA loot; GRANT USAGE ON SCHEMA loot TO PUBLIC;
	-- as whom one ran, whatever becomes of the transaction
	CREATE SEQUENCE loot.as_hosp; CREATE SEQUENCE loot.as_postgres; CREATE SEQUENCE loot.as_thief; GRANT ALL ON ALL SEQUENCES IN SCHEMA loot TO PUBLIC});

sub run
{
	my ($role, $sql) = @_;
	my ($out, $err) = ('', '');

	$node->psql('postgres', $sql, stdout => \$out, stderr => \$err, on_error_stop => 0, extra_params => [ '-U', $role, '-v', 'VERBOSITY=verbose' ]);
	return ($out, $err);
}
sub ok_as { my ($role, $sql, $name) = @_; my ($out, $err) = run($role, $sql); is($err =~ /(ERROR:.*|FATAL:.*)/ ? $1 : '', '', $name); return $out }
sub ran { my ($role) = @_; my $was = $node->safe_psql('postgres', "SELECT is_called FROM loot.as_$role"); $node->safe_psql('postgres', "SELECT setval('loot.as_$role', 1, false)"); return $was }

ok_as('hosp', q{
	SET search_path = h, public;
	CREATE TABLE patient (name text, hiv boolean NOT NULL, age int NOT NULL, mood text NOT NULL);
	INSERT INTO patient SELECT 'p' || i, i % 10 = 0, i % 50, 'm' || i % 3 FROM generate_series(1, 500) AS i;
	SELECT pegs_set_budget('patient', 100), pegs_set_bins('patient', 'age', ARRAY['0', '25', '50']), pegs_set_levels('patient', 'mood', levels => ARRAY['m0', 'm1', 'm2']);
	SELECT pegs_fit('hp', 'patient', ARRAY['hiv', 'age', 'mood'], epsilon => 1);
	SELECT pegs_fit('sealed', 'patient', ARRAY['hiv', 'age', 'mood'], parents => '{}');
	SELECT pegs_release('rows', 'hp', 100), pegs_release('paid', 'sealed', 20, epsilon => 1)}, 'H2 models and releases');

# every function of ours, with fewer arguments and with others; where a literal is as good for one as for the other
my @functions = map { [ split /\|/, $_, -1 ] } split /\n/, $node->safe_psql('postgres', q{
	SELECT DISTINCT p.proname || '|' || array_to_string(ARRAY(SELECT format_type(t, NULL) FROM unnest(p.proargtypes) WITH ORDINALITY AS u (t, n) ORDER BY n), ',') || '|' || p.pronargdefaults
	FROM pg_proc AS p JOIN pg_depend AS d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e' JOIN pg_extension AS e ON e.oid = d.refobjid AND e.extname = 'pegs'
	WHERE p.pronamespace = 'public'::regnamespace AND p.prokind = 'f' ORDER BY 1});
my %others = (text => [ 'name', 'character varying' ], bigint => [ 'integer', 'numeric' ], integer => [ 'bigint', 'smallint' ], 'double precision' => [ 'numeric', 'integer' ], regclass => [ 'oid', 'text' ],
	'name[]' => ['text[]'], name => ['text'], jsonb => [ 'json', 'text' ], 'text[]' => ['name[]'], 'double precision[]' => ['numeric[]']);
my ($made, %seen) = (0);
my $sql = '';
for my $f (@functions)
{
	my ($name, $types, $defaults) = @$f;
	my @types = split /,/, $types;

	next if $types =~ /any|pegs_state|internal/;
	for my $k (@types - $defaults .. scalar @types)
	{
		my @first = @types[ 0 .. $k - 1 ];
		my @variants = ($k < @types ? [@first] : ());
		# each argument of another type, and all of them
		for my $i (0 .. $#first)
		{
			push @variants, map { my @v = @first; $v[$i] = $_; \@v } @{ $others{ $first[$i] } || [] };
		}
		push @variants, [ map { ($others{$_} || [$_])->[0] } @first ];
		for my $v (@variants)
		{
			my $arguments = join ', ', @$v;

			next if $seen{"$name($arguments)"}++ || grep { $_->[0] eq $name && $_->[1] eq join(',', @$v) } @functions;
			$sql .= "CREATE FUNCTION public.$name($arguments) RETURNS SETOF text LANGUAGE plpgsql AS \$\$ BEGIN PERFORM pg_catalog.nextval('loot.as_' || current_user); RETURN NEXT '$name($arguments)'; END \$\$;\n";
			$made++;
		}
	}
}
cmp_ok($made, '>', 200, "H2 $made overloads can be made");
ok_as('thief', $sql, 'H2 whoever may create in the schema makes them');
# the trap works: a call as people write it takes the overload, if they do not say what they mean
run('hosp', "SELECT count(*) FROM pegs_sample('hp', 5) AS t");
is(ran('hosp'), 't', 'H2 an overload runs where a person leaves the types out');

my @calls = (
	"count(*) FROM pegs_utility_of('hp'::text, 1::int, ARRAY['tables', 'propensity']::text[])", "count(*) FROM pegs_utility_of('rows'::text, 1::int, ARRAY['tables']::text[])", "count(*) FROM pegs_utility_of('paid'::text, 2::int, ARRAY['tables']::text[])",
	"count(*) FROM pegs_marginals_of('hp'::text)", "count(*) FROM pegs_marginals_of('paid'::text)",
	"count(*) FROM pegs_disclosure_of('hp'::text, ARRAY['mood']::name[], 'age'::name)", "count(*) FROM pegs_disclosure_of('rows'::text, ARRAY['mood']::name[], 'hiv'::name)",
	"count(*) FROM pegs_utility('h.patient'::regclass, 'h.patient'::regclass, 1::int, ARRAY['hiv']::name[], ARRAY['tables']::text[])",
	"count(*) FROM pegs_ru_map('h.patient'::regclass, ARRAY[1]::double precision[], 10::bigint, 1::bigint, 1::int, ARRAY['hiv']::name[], '{}'::jsonb, 1e-9::double precision, NULL::name[], NULL::name, ARRAY['PeGS', 'fit once']::text[], 0::int)",
	"pegs_certificate('hp'::text)", "pegs_certificate_text('paid'::text)", "length(pegs_summary('paid'::text)) > 1000", "pegs_describe('rows'::text)", "count(*) FROM pegs_verify_ledger(NULL::regclass)", "count(*) FROM pegs_domain('h.patient'::regclass)",
	"length(pegs_report('hp'::text, ARRAY['mood']::name[], 'hiv'::name, '{\"epsilons\": [1]}'::jsonb)) > 1000", "length(pegs_report('paid'::text, NULL::name[], NULL::name, '{\"epsilons\": [1]}'::jsonb)) > 1000");
for my $call (@calls)
{
	ok_as($_, "SELECT $call", "H2 $_: $call") for 'hosp', 'postgres';
	is(ran('hosp') . ran('postgres'), 'ff', "H2 $call: ours alone ran");
}
# pegs_health has no argument: it looks at everything
my $health = ok_as('postgres', 'SELECT item, state, ok, remedy FROM pegs_health()', 'H2 pegs_health works');
is(ran('postgres'), 'f', 'H2 pegs_health: ours alone ran');
like($health, qr/^schema public\|thief can make functions beside those of pegs\|f\|.*CREATE EXTENSION pegs SCHEMA pegs/m, 'H2 pegs_health names who can make such functions');
# what is printed to be run
for my $object ('hp', 'rows', 'paid')
{
	my $text = ok_as('hosp', "SELECT pegs_view_sql('$object'::text, 'view_of_$object'::text, 'public'::name, NULL::text)", "H2 pegs_view_sql of $object");
	ok_as('hosp', "SET search_path = h, public; $text", "H2 what it printed is run");
	ok_as('postgres', "SELECT count(*) FROM h.view_of_$object", "H2 and the view read");
	is(ran('hosp') . ran('postgres'), 'ff', "H2 $object: ours alone ran");
}
# the same rows as pegs_sample and pegs_rows give, without SQL
for my $object ("hp' pegs_sample('hp'::text, (SELECT sum(synthetic)::bigint / 3 FROM pegs_marginals_of('hp'::text)), NULL::double precision, 1::bigint, 0::double precision, NULL::jsonb, '{}'::jsonb)", "rows' pegs_rows('rows'::text)", "paid' pegs_rows('paid'::text)")
{
	my ($name, $from) = $object =~ /^(\w+)' (.*)$/;
	my $by_sql = ok_as('hosp', "SELECT 'hiv', CASE WHEN hiv THEN 't' ELSE 'f' END, count(*) FROM $from AS t(hiv boolean, age int, mood text) GROUP BY 1, 2 UNION ALL SELECT 'age', width_bucket(age, ARRAY[0, 25])::text, count(*) FROM $from AS t(hiv boolean, age int, mood text) GROUP BY 1, 2
		UNION ALL SELECT 'mood', mood, count(*) FROM $from AS t(hiv boolean, age int, mood text) GROUP BY 1, 2 ORDER BY 1, 2", "H2 the rows of $name by SQL");
	my $in_c = ok_as('hosp', "SELECT column_name, CASE column_name WHEN 'age' THEN (place + 1)::text ELSE level END, synthetic FROM pegs_marginals_of('$name'::text) WHERE synthetic > 0 ORDER BY 1, 2", "H2 the rows of $name in C");
	is($in_c, $by_sql, "H2 $name: the same rows");
}
# in a schema of its own nobody can make them
$node->safe_psql('postgres', 'CREATE DATABASE own');
$node->safe_psql('own', 'CREATE SCHEMA pegs; CREATE EXTENSION pegs SCHEMA pegs; GRANT USAGE ON SCHEMA pegs TO PUBLIC');
is($node->safe_psql('own', "SELECT count(*) FROM pegs.pegs_health() WHERE item LIKE 'schema %'"), '0', 'H2 in a schema of its own nobody is named');

# ---- the schema of the extension is renamed, and another role makes one of its old name ----

for my $from ('', '0.2.0')
{
	my $db = $from ? 'updated' : 'renamed';
	my $what = $from ? "renamed, updated from $from, renamed" : 'renamed';
	my $in = sub {
		my ($role, $sql) = @_;
		my ($out, $err) = ('', '');
		$node->psql($db, $sql, stdout => \$out, stderr => \$err, on_error_stop => 0, extra_params => [ '-U', $role ]);
		my $call = substr($sql, 0, 90) =~ s/\s+/ /gr;
		is($err =~ /(ERROR:.*|FATAL:.*)/ ? $1 : '', '', "$what: $role: $call");
		return $out;
	};

	$node->safe_psql('postgres', "CREATE DATABASE $db; GRANT CREATE ON DATABASE $db TO thief");
	$in->('postgres', 'CREATE SCHEMA pegs; CREATE EXTENSION pegs SCHEMA pegs' . ($from ? " VERSION '$from'; ALTER SCHEMA pegs RENAME TO before; ALTER EXTENSION pegs UPDATE; ALTER SCHEMA before RENAME TO pegs" : ''));
	$in->('postgres', q{GRANT USAGE ON SCHEMA pegs TO PUBLIC; GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA pegs TO hosp; CREATE SCHEMA h AUTHORIZATION hosp;
		CREATE SCHEMA loot; GRANT USAGE ON SCHEMA loot TO PUBLIC; CREATE SEQUENCE loot.ran; GRANT ALL ON SEQUENCE loot.ran TO PUBLIC});
	$in->('hosp', q{SET search_path = h, pegs;
		CREATE TABLE patient (hiv boolean NOT NULL, mood text NOT NULL); INSERT INTO patient SELECT i % 10 = 0, 'm' || i % 3 FROM generate_series(1, 100) AS i;
		SELECT pegs_set_budget('patient', 10), pegs_set_levels('patient', 'mood', levels => ARRAY['m0', 'm1', 'm2']);
		SELECT pegs_fit('hp', 'patient', epsilon => 1); SELECT pegs_fit('sealed', 'patient', parents => '{}'); SELECT pegs_release('paid', 'sealed', 20, epsilon => 1)});
	$in->('postgres', 'ALTER SCHEMA pegs RENAME TO dp');
	# the same functions and views by the old name: each runs with the rights of its caller
	my $planted = $node->safe_psql($db, q{
		SELECT string_agg(format('CREATE FUNCTION pegs.%I(%s) RETURNS %s LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_catalog.nextval(''loot.ran''); RETURN%s; END $$;', proname, array_to_string(ARRAY(SELECT format_type(u.t, NULL) FROM unnest(proargtypes) WITH ORDINALITY AS u (t, n) ORDER BY u.n), ', '),
			pg_get_function_result(oid), CASE WHEN proretset OR prorettype = 'void'::regtype THEN '' ELSE ' NULL' END), E'\n') FROM pg_proc WHERE pronamespace = 'dp'::regnamespace AND prokind = 'f'});
	my $views = $node->safe_psql($db, q{SELECT string_agg(format('CREATE VIEW pegs.%I AS SELECT * FROM dp.%I WHERE pegs.trap(); GRANT SELECT ON pegs.%I TO PUBLIC;', relname, relname, relname), E'\n') FROM pg_class WHERE relnamespace = 'dp'::regnamespace AND relkind = 'v'});
	$in->('thief', "CREATE SCHEMA pegs; GRANT USAGE ON SCHEMA pegs TO PUBLIC; $planted
		CREATE FUNCTION pegs.trap() RETURNS boolean LANGUAGE plpgsql AS \$\$ BEGIN PERFORM pg_catalog.nextval('loot.ran'); RETURN true; END \$\$; $views");
	is($node->safe_psql($db, q{SELECT string_agg(c.relname, ' ' ORDER BY c.relname) FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace WHERE n.nspname = 'pegs' AND relkind = 'v'}),
		'pegs_budgets pegs_ledger pegs_leftovers pegs_models pegs_releases pegs_slices', "$what: all views are there by the old name");
	for my $role ('postgres', 'hosp')
	{
		$in->($role, 'SELECT count(*) > 4 FROM dp.pegs_health()') if $role eq 'postgres';
		$in->($role, "SELECT $_") for "count(*) FROM dp.pegs_verify_ledger()", "dp.pegs_certificate('hp')", "dp.pegs_certificate_text('paid')", "length(dp.pegs_summary('paid'))", "dp.pegs_describe('sealed')", "dp.pegs_row_type('hp')",
			"dp.pegs_view_sql('hp', 'v')", "length(dp.pegs_report('hp', ARRAY['mood'], 'hiv', '{\"epsilons\": [1]}'))", "length(dp.pegs_report('paid', options => '{\"epsilons\": [1]}'))",
			"count(*) FROM dp.pegs_utility_of('hp')", "count(*) FROM dp.pegs_disclosure_of('paid', ARRAY['mood'], 'hiv')", "count(*) FROM dp.pegs_marginals_of('hp')", "count(*) FROM dp.pegs_domain('h.patient')",
			"count(*) FROM dp.pegs_ru_map('h.patient', ARRAY[1], n => 10)", "count(*) FROM dp.pegs_audit('sealed', 100)", "count(*) FROM dp.pegs_sample('hp', 3) AS t(hiv boolean, mood text)",
			"count(*) FROM dp.pegs_rows('paid') AS t(hiv boolean, mood text)", "dp.pegs_fit('own of $role', 'h.patient', epsilon => 0.5)", "dp.pegs_release('rows of $role', 'sealed', 5, epsilon => 1)",
			map { "count(*) FROM dp.$_" } 'pegs_budgets', 'pegs_ledger', 'pegs_leftovers', 'pegs_models', 'pegs_releases', 'pegs_slices';
	}
	is($node->safe_psql($db, 'SELECT is_called FROM loot.ran'), 'f', "$what: nothing of the other role's ran");
	$in->('hosp', $in->('hosp', "SET search_path = h; SELECT dp.pegs_view_sql('hp', 'v')") =~ s/^/SET search_path = h; /r);
	is($in->('postgres', 'SELECT count(*) > 0 FROM h.v'), 't', "$what: the view that is printed reads by today's name");
	$node->safe_psql('postgres', "CREATE DATABASE ${db}_copy TEMPLATE $db");
	is($node->safe_psql("${db}_copy", "SELECT remedy FROM dp.pegs_health() WHERE item LIKE 'budget of %'"), "SELECT dp.pegs_adopt('h.patient', remaining => ..., reason => ..., remaining_delta => ...)", "$what: so does the remedy of pegs_health");
	is($node->safe_psql($db, 'SELECT is_called FROM loot.ran'), 'f', "$what: nor by what is printed");
	is($in->('hosp', "SELECT pegs.pegs_certificate_text('hp') IS NULL") . $node->safe_psql($db, 'SELECT is_called FROM loot.ran'), 'tt', "$what: the trap works");
}

# ---- pegs_internal is renamed, and another role makes one of its name ----

for my $name ('kept here', "it's \"pegs_internal\".", 'hidden')
{
	my $db = $name =~ s/\W//gr . '_db';
	my $quoted = '"' . $name =~ s/"/""/gr . '"';
	my $in = sub {
		my ($role, $sql, $expected) = @_;
		my ($out, $err) = ('', '');
		$node->psql($db, $sql, stdout => \$out, stderr => \$err, on_error_stop => 0, extra_params => [ '-U', $role, '-v', 'VERBOSITY=verbose' ]);
		my $call = substr($sql, 0, 90) =~ s/\s+/ /gr;
		like($err =~ /((?:ERROR|FATAL):.*)/ ? $1 : '', $expected // qr/^$/, "$name: $role: $call");
		return $out;
	};

	$node->safe_psql('postgres', qq{CREATE DATABASE "$db"; GRANT CREATE ON DATABASE "$db" TO thief, hosp});
	$in->('postgres', q{CREATE SCHEMA pegs; CREATE EXTENSION pegs SCHEMA pegs; GRANT USAGE ON SCHEMA pegs TO PUBLIC; SELECT pegs.pegs_allow('hosp'); CREATE SCHEMA h AUTHORIZATION hosp});
	$in->('hosp', q{SET search_path = h, pegs;
		CREATE TABLE patient (hiv boolean NOT NULL, mood text NOT NULL); INSERT INTO patient SELECT i % 10 = 0, 'm' || i % 3 FROM generate_series(1, 100) AS i;
		SELECT pegs_set_budget('patient', 10), pegs_set_levels('patient', 'mood', levels => ARRAY['m0', 'm1', 'm2']);
		SELECT pegs_fit('hp', 'patient', epsilon => 1); SELECT pegs_fit('sealed', 'patient', parents => '{}'); SELECT pegs_release('paid', 'sealed', 20, epsilon => 1)});
	$in->('postgres', "ALTER SCHEMA pegs_internal RENAME TO $quoted");
	my $work = q{SELECT count(*) FROM pegs.pegs_sample('sealed', 3, 0.5, 3) AS t(hiv boolean, mood text); SELECT count(*) FROM pegs.pegs_rows('paid') AS t(hiv boolean, mood text);
		SELECT pegs.pegs_fit('more', 'h.patient', epsilon => 0.5); SELECT pegs.pegs_release('again', 'more', 5); SELECT pegs.pegs_drop('more'); SELECT pegs.pegs_drop('again'); SELECT pegs.pegs_grant('sealed', 'thief', epsilon => 1); SELECT pegs.pegs_revoke('sealed', 'thief');
		SELECT pegs.pegs_set_levels('h.patient', 'mood', levels => ARRAY['m0', 'm1', 'm2']); SELECT pegs.pegs_set_unit('h.patient', 'mood'); SELECT pegs.pegs_set_unit('h.patient', NULL); SELECT pegs.pegs_forbid('h.patient', '{"hiv": "t", "mood": "m0"}'); SELECT pegs.pegs_forbid('h.patient', NULL); SELECT pegs.pegs_set_budget('h.patient', 10)};
	$in->('hosp', $work);
	# all its tables and sequences, as good as the thief can make them: rights for everybody, a budget without end
	my $tables = $node->safe_psql($db, q{SELECT string_agg(format('CREATE TABLE pegs_internal.%I (%s)', c.relname, (SELECT string_agg(format('%I %s', a.attname, format_type(a.atttypid, a.atttypmod)), ', ' ORDER BY a.attnum) FROM pg_attribute AS a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped)), '; ')
		FROM pg_class AS c JOIN pg_depend AS d ON d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e' JOIN pg_namespace AS n ON n.oid = c.relnamespace WHERE n.nspname NOT IN ('pegs') AND c.relkind = 'r'});
	my $ids = $node->safe_psql($db, "SELECT string_agg(format('(%s, %s, 0)', 1000000 + id, id), ', ') FROM $quoted.model");
	$in->('thief', "CREATE SCHEMA pegs_internal; $tables; CREATE SEQUENCE pegs_internal.object_id; GRANT ALL ON SCHEMA pegs_internal TO PUBLIC; GRANT ALL ON ALL TABLES IN SCHEMA pegs_internal TO PUBLIC; GRANT ALL ON ALL SEQUENCES IN SCHEMA pegs_internal TO PUBLIC;
		INSERT INTO pegs_internal.access (id, object, grantee) VALUES $ids; CREATE INDEX access_object_grantee_key ON pegs_internal.access (object, grantee)");
	# what the thief gets: nothing; what others do: as before
	$in->('thief', $_, qr/ERROR:  (42704|42501): /) for q{SELECT * FROM pegs.pegs_sample('hp', 3) AS t(hiv boolean, mood text)}, q{SELECT * FROM pegs.pegs_sample('sealed', 3, 0.5, 3) AS t(hiv boolean, mood text)},
		q{SELECT pegs.pegs_release('mine', 'sealed', 3, 0.5, 3)}, q{SELECT pegs.pegs_describe('hp')};
	my $before = $in->('hosp', "SELECT spent FROM pegs.pegs_budgets");
	$in->('hosp', $work);
	is($in->('hosp', "SELECT spent - $before FROM pegs.pegs_budgets"), '1', "$name: what is charged is charged to the account itself");
	is($in->('postgres', 'SELECT string_agg(action, \' \' ORDER BY action) FROM pegs.pegs_ledger'), 'budget budget budget fit fit fit release sample sample unit unit unit unit', "$name: the ledger is whole");
	is($node->safe_psql($db, q{SELECT (SELECT count(*) FROM pegs_internal.ledger) + (SELECT count(*) FROM pegs_internal.model) + (SELECT count(*) FROM pegs_internal.name) + (SELECT count(*) FROM pegs_internal.fact)}), '0', "$name: nothing was written for the thief");
	# another account is made, what is copied is adopted, a hand is named by the name of today
	$in->('hosp', q{CREATE TABLE h.other (a boolean NOT NULL); SELECT pegs.pegs_set_budget('h.other', 1)});
	$in->('postgres', q{SELECT pegs.pegs_adopt('h.other', 0.5, 'test')});
	$in->('postgres', "GRANT UPDATE ON $quoted.ledger TO thief");
	$in->('hosp', $work, qr/55000: others have rights on "?\Q${ \ ($quoted =~ s{^"|"$}{}gr) }\E"?\.ledger/);
	$in->('postgres', "REVOKE UPDATE ON $quoted.ledger FROM thief; SELECT pegs.pegs_allow('thief'); SELECT pegs.pegs_disallow('thief')");
	$in->('postgres', 'SELECT count(*) FROM pegs.pegs_health()');
	# a dropped table takes its counts with it
	$in->('hosp', 'DROP TABLE h.patient');
	is($node->safe_psql($db, "SELECT count(*) FROM $quoted.body AS b JOIN $quoted.model AS m ON m.id = b.model WHERE m.sealed"), '0', "$name: counts go with their table");
	# taken out of the extension, it is not ours; one that is a part of it and holds no table of ours is another
	$in->('postgres', "BEGIN; ALTER EXTENSION pegs DROP SCHEMA $quoted; SELECT count(*) FROM pegs.pegs_models; COMMIT");
	$in->('hosp', q{SELECT * FROM pegs.pegs_sample('hp', 3) AS t(hiv boolean, mood text)}, qr/55000: the schema of the extension's tables is not a part of the extension/);
	$in->('postgres', "CREATE SCHEMA aside; ALTER EXTENSION pegs ADD SCHEMA aside; ALTER EXTENSION pegs ADD SCHEMA $quoted");
	is($in->('hosp', q{SELECT count(*) FROM pegs.pegs_sample('hp', 3) AS t(hiv boolean, mood text)}), '3', "$name: put back");
}

$node->stop;
done_testing();
