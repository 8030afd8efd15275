# long: run by make test-all (test/run long), not by make test
# Names that were taken before the extension came. An analyst who may create objects in the extension's schema makes some by
# our names, and overloads of what our script calls: CREATE EXTENSION and ALTER EXTENSION UPDATE fail, or make their own
# objects and never use the analyst's. Nothing of the analyst's runs as the superuser. A-44, B.1 routes 8 and 9.
use strict;
use warnings;
use Test::More;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;

my $node = PostgreSQL::Test::Cluster->new('squat');
$node->init;
$node->append_conf('postgresql.conf', "autovacuum = off\nlog_statement = none\n");
$node->start;
$node->safe_psql('postgres', 'CREATE ROLE analyst LOGIN; CREATE ROLE curator LOGIN');

sub run
{
	my ($db, $role, $sql) = @_;
	my ($out, $err) = ('', '');

	$node->psql($db, $sql, stdout => \$out, stderr => \$err, on_error_stop => 0, extra_params => [ '-U', $role, '-v', 'VERBOSITY=verbose' ]);
	return ($out, $err);
}

# A database as many are: the schema public is open to all.
sub database
{
	my ($name) = @_;
	$node->safe_psql('postgres', "CREATE DATABASE $name");
	$node->safe_psql($name, "GRANT ALL ON SCHEMA public TO PUBLIC; GRANT CREATE ON DATABASE $name TO analyst");
	return $name;
}

# ---- what the extension makes, for each version that there is ----

my $newest = $node->safe_psql('postgres', "SELECT default_version FROM pg_available_extensions WHERE name = 'pegs'");
my @old = split /\n/, $node->safe_psql('postgres', "SELECT source FROM pg_extension_update_paths('pegs') WHERE target = '$newest' AND path IS NOT NULL ORDER BY 1");
my $members = q{
	SELECT format('%s|%s|%s', CASE WHEN p.prokind = 'a' THEN 'aggregate' ELSE 'function' END, p.proname, pg_get_function_identity_arguments(p.oid))
	FROM pg_proc AS p JOIN pg_depend AS d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e' JOIN pg_extension AS e ON e.oid = d.refobjid AND e.extname = 'pegs'
	WHERE p.pronamespace = 'public'::regnamespace
	UNION ALL SELECT format('relation|%s|', c.relname)
	FROM pg_class AS c JOIN pg_depend AS d ON d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e' JOIN pg_extension AS e ON e.oid = d.refobjid AND e.extname = 'pegs'
	WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'v', 'S')
	UNION ALL SELECT format('type|%s|', t.typname)
	FROM pg_type AS t JOIN pg_depend AS d ON d.classid = 'pg_type'::regclass AND d.objid = t.oid AND d.deptype = 'e' JOIN pg_extension AS e ON e.oid = d.refobjid AND e.extname = 'pegs'
	WHERE t.typnamespace = 'public'::regnamespace AND t.typrelid = 0 AND t.typelem = 0
	ORDER BY 1};
my %made;
for my $version ($newest, @old)
{
	my $db = database('made_' . ($version =~ tr/0-9//cdr));
	$node->safe_psql($db, "CREATE EXTENSION pegs VERSION '$version'");
	$made{$version} = [ split /\n/, $node->safe_psql($db, $members) ];
}
cmp_ok(scalar @{ $made{$newest} }, '>', 30, 'A-44 there are names to take');

# Statements by which an analyst takes a name, and gives it back.
sub squat
{
	my ($kind, $name, $arguments) = split /\|/, $_[0], -1;

	# without the argument types that do not exist yet or that only C may use
	return if $arguments =~ /pegs_state|internal/;
	$arguments = join ', ', map { s/^VARIADIC "any"$//r } split /, /, $arguments;
	return ([ "CREATE TABLE public.$name (a int)", "DROP TABLE public.$name" ], [ "CREATE VIEW public.$name AS SELECT 1 AS a", "DROP VIEW public.$name" ]) if $kind eq 'relation';
	return ([ "CREATE DOMAIN public.$name AS bytea", "DROP DOMAIN public.$name" ], [ "CREATE TYPE public.$name AS (a bytea)", "DROP TYPE public.$name" ], [ "CREATE TABLE public.$name (a int)", "DROP TABLE public.$name" ]) if $kind eq 'type';
	return if $kind eq 'aggregate';
	# OUT arguments are no part of the name
	my $in = join ', ', grep { !/^OUT / } split /, /, $arguments;
	# SQL functions take no record
	my $body = $in =~ /\brecord\b/ ? "plpgsql AS 'BEGIN RETURN ''evil''::text; END'" : "sql AS 'SELECT ''evil''::text'";
	return ([ "CREATE FUNCTION public.$name($in) RETURNS text LANGUAGE $body", "DROP FUNCTION public.$name($in)" ]);
}

# Each name is taken by the analyst, the extension is made or updated by the superuser, and the name is given back: all in one session of
# psql, which changes hands. Gives of each way the errors of taking it, those of making, and what the query says then.
sub attempts
{
	my ($db, $make, $query, @ways) = @_;
	my ($script, %said) = ('');

	for my $i (0 .. $#ways)
	{
		my ($take, $give) = @{ $ways[$i] };
		$script .= "\\warn <$i take>\nSET SESSION AUTHORIZATION analyst;\n$take;\n\\set untaken :ERROR\nRESET SESSION AUTHORIZATION;\n"
			. "\\if :untaken\n\\else\n\\warn <$i make>\n$make;\n\\warn <$i give>\n\\echo <$i says>\n$query;\nSET SESSION AUTHORIZATION analyst;\n$give;\nRESET SESSION AUTHORIZATION;\n\\endif\n";
	}
	my ($out, $err) = run($db, 'postgres', $script);
	for my $text ($out, $err)
	{
		my (undef, @parts) = split /^<(\d+ \w+)>$/m, "$text\n";
		s/^\s+|\s+$//g for @parts;
		%said = (%said, @parts);
	}
	return map { { take => $ways[$_][0], untaken => $said{"$_ take"}, making => $said{"$_ make"}, says => $said{"$_ says"} } } 0 .. $#ways;
}

# ---- the same names: an error ----

my $db = database('fresh');
my $taken = 0;
for my $way (attempts($db, 'CREATE EXTENSION pegs', q{SELECT (SELECT count(*) FROM pg_extension WHERE extname = 'pegs'), (SELECT count(*) FROM pg_namespace WHERE nspname = 'pegs_internal')},
	map { squat($_) } @{ $made{$newest} }))
{
	next if $way->{untaken} =~ /polymorphic|cannot determine/;
	is($way->{untaken}, '', "A-44 the analyst can: $way->{take}");
	like($way->{making}, qr/ERROR:  (42723|42P07|42710|42809|55000)/, "A-44 CREATE EXTENSION after $way->{take}: an error");
	is($way->{says}, '0|0', 'A-44 and nothing is left of it');
	$taken++;
}
cmp_ok($taken, '>', 25, "A-44 $taken names were taken");

# The schema of our state: whoever owns it could read the counts.
for my $schema ('CREATE SCHEMA pegs_internal', 'CREATE SCHEMA pegs_internal; CREATE TABLE pegs_internal.body (model bigint, body bytea); CREATE TABLE pegs_internal.budget (a int)')
{
	my ($out, $err) = run($db, 'analyst', $schema);
	is($err, '', 'A-44 the analyst owns a schema pegs_internal');
	for my $create ('CREATE EXTENSION pegs', 'CREATE EXTENSION pegs SCHEMA pegs_internal', 'CREATE EXTENSION IF NOT EXISTS pegs CASCADE')
	{
		($out, $err) = run($db, 'postgres', $create);
		like($err, qr/ERROR:  42P06/, "A-44 $create: an error, not adoption");
	}
	run($db, 'analyst', 'DROP SCHEMA pegs_internal CASCADE');
}
my ($out, $err) = run($db, 'postgres', 'CREATE EXTENSION pegs SCHEMA pegs_internal');
like($err, qr/ERROR:/, 'A-44 the schema of our state is not for our functions');
($out, $err) = run($db, 'postgres', 'CREATE EXTENSION pegs');
is($err, '', 'A-44 with all names free it can be made');

# ---- the same names before an update ----

SKIP: {
	skip 'there is no older version', 1 unless @old;
	for my $version (@old)
	{
		my $db = database('update_' . ($version =~ tr/0-9//cdr));
		my %before = map { $_ => 1 } @{ $made{$version} };

		$node->safe_psql($db, "CREATE EXTENSION pegs VERSION '$version'");
		for my $way (attempts($db, 'ALTER EXTENSION pegs UPDATE', q{SELECT extversion FROM pg_extension WHERE extname = 'pegs'}, map { squat($_) } grep { !$before{$_} } @{ $made{$newest} }))
		{
			is($way->{untaken}, '', "A-44 with $version installed the analyst can: $way->{take}");
			like($way->{making}, qr/ERROR:  (42723|42P07|42710|42809|55000)/, "A-44 ALTER EXTENSION UPDATE after $way->{take}: an error");
			is($way->{says}, $version, 'A-44 and it is still the old version');
		}
		my ($out, $err) = run($db, 'postgres', 'ALTER EXTENSION pegs UPDATE');
		is($err, '', "A-44 with all names free $version can be updated");
	}
}

# ---- overloads: what our script calls must be what PostgreSQL made ----

# Better matches than pg_catalog's own, which is searched first but only wins a tie. Each says who runs it.
my $overloads = q{
	CREATE TABLE public.ran (what text, who text); GRANT ALL ON public.ran TO PUBLIC;
	CREATE FUNCTION public.note(text) RETURNS void LANGUAGE sql AS $$ INSERT INTO public.ran VALUES ($1, current_user) $$;
} . join '', map { my ($name, $arguments, $result, $value) = @$_;
	"CREATE FUNCTION public.$name($arguments) RETURNS $result LANGUAGE plpgsql AS \$\$ BEGIN PERFORM public.note('$name'); RETURN $value; END \$\$;\n" }
	[ 'pg_extension_config_dump', 'text, text', 'void', '' ], [ 'nextval', 'text', 'bigint', 'pg_catalog.nextval($1::regclass)' ], [ 'set_config', 'text, text, text', 'text', '$2' ],
	[ 'format', 'text, text, integer', 'text', 'NULL' ], [ 'format', 'text, bigint', 'text', 'NULL' ], [ 'format', 'text, text, text, numeric, numeric', 'text', 'NULL' ],
	[ 'trim_scale', 'bigint', 'numeric', '7' ], [ 'current_setting', 'name', 'text', 'NULL' ],
	[ 'times', 'bigint, numeric', 'numeric', '7' ], [ 'same_class', 'regclass, regclass', 'boolean', 'true' ], [ 'same_role', 'regrole, regrole', 'boolean', 'true' ],
	[ 'same_class_oid', 'regclass, oid', 'boolean', 'true' ], [ 'less', 'bigint, numeric', 'boolean', 'true' ], [ 'minus', 'bigint, numeric', 'numeric', '7' ], [ 'join_text', 'text, regclass', 'text', '$1' ],
	[ 'same_name', 'name, unknown', 'boolean', 'true' ];
$overloads =~ s/CREATE FUNCTION public\.same_name.*?\$\$;\n//s;	# of unknown: no function can be
$overloads .= join '', map { my ($operator, $left, $right, $function) = @$_; "CREATE OPERATOR public.$operator (LEFTARG = $left, RIGHTARG = $right, FUNCTION = public.$function);\n" }
	[ '*', 'bigint', 'numeric', 'times' ], [ '=', 'regclass', 'regclass', 'same_class' ], [ '=', 'regrole', 'regrole', 'same_role' ], [ '=', 'regclass', 'oid', 'same_class_oid' ],
	[ '<', 'bigint', 'numeric', 'less' ], [ '-', 'bigint', 'numeric', 'minus' ], [ '||', 'text', 'regclass', 'join_text' ];
my $use = q{
	CREATE TABLE visit (a boolean NOT NULL); ALTER TABLE visit OWNER TO curator; INSERT INTO visit VALUES (true), (false);
	SELECT pegs_set_budget('visit', 10); SELECT pegs_fit('noisy', 'visit', epsilon => 1); SELECT pegs_fit('sealed', 'visit', parents => '{}');
	SELECT pegs_grant('sealed', 'analyst', epsilon => 1); SELECT count(*) FROM pegs_sample('sealed', 1, epsilon => 0.5) AS t(a boolean); SELECT pegs_release('kept', 'sealed', 1, epsilon => 0.5);
	SELECT count(*) FROM pegs_budgets; SELECT count(*) FROM pegs_ledger; SELECT count(*) FROM pegs_models; SELECT count(*) FROM pegs_releases; SELECT pegs_describe('sealed')};
my $theirs = q{SELECT string_agg(DISTINCT pg_describe_object(d.classid, d.objid, d.objsubid) || ' uses ' || pg_describe_object(d.refclassid, d.refobjid, 0), '; ')
	FROM pg_depend AS d LEFT JOIN pg_proc AS p ON d.refclassid = 'pg_proc'::regclass AND p.oid = d.refobjid LEFT JOIN pg_operator AS o ON d.refclassid = 'pg_operator'::regclass AND o.oid = d.refobjid
	WHERE coalesce(p.proowner, o.oprowner) = 'analyst'::regrole
	AND NOT EXISTS (SELECT FROM pg_operator AS own WHERE d.classid = 'pg_operator'::regclass AND own.oid = d.objid AND own.oprowner = 'analyst'::regrole)};
for my $version ($newest, @old)
{
	my $db = database('overloaded_' . ($version =~ tr/0-9//cdr));
	my $name = $version eq $newest ? 'CREATE EXTENSION' : "ALTER EXTENSION UPDATE from $version";

	$node->safe_psql($db, "CREATE EXTENSION pegs VERSION '$version'") if $version ne $newest;
	my ($out, $err) = run($db, 'analyst', $overloads);
	is($err, '', "A-44 overloads before $name");
	is($node->safe_psql($db, "SET search_path = public, pg_catalog; SELECT 2::bigint * 3::numeric; SELECT string_agg(who, ' ') FROM public.ran"), "7\npostgres", "A-44 overloads before $name: they would win");
	$node->safe_psql($db, 'TRUNCATE public.ran');
	($out, $err) = run($db, 'postgres', $version eq $newest ? 'CREATE EXTENSION pegs' : 'ALTER EXTENSION pegs UPDATE');
	is($err, '', "A-44 overloads before $name: it is made");
	is($node->safe_psql($db, "SELECT coalesce(string_agg(DISTINCT what || ' as ' || who, ', '), '') FROM public.ran"), '', "A-44 overloads before $name: none of them ran");
	is($node->safe_psql($db, $theirs), '', "A-44 overloads before $name: nothing of ours uses them");
	# used as a careless superuser does: the analyst's functions are first in the path, behind pg_catalog
	$node->safe_psql($db, $use);
	is($node->safe_psql($db, 'SELECT epsilon, spent, remaining FROM pegs_budgets'), '10|2|8', "A-44 overloads before $name: the account shows what it is");
	$node->safe_psql($db, 'SELECT count(*) FROM pegs_health(); SELECT count(*) FROM pegs_verify_ledger()');
	is($node->safe_psql($db, "SELECT coalesce(string_agg(DISTINCT what || ' as ' || who, ', '), '') FROM public.ran"), '', "A-44 overloads before $name: none ran when it was used");
}

$node->stop;
done_testing();
