# long: run by make test-all (test/run long), not by make test
# What is read for somebody is read by the right that they have now, and it is the relation that was locked. Names are swapped
# while a command waits for a lock; row security, revoked rights and views of other people are asked for again at every use;
# code that sits in a table or view runs as its own owner or not at all. Review of 0.2.0: H3, H4, L7.
use strict;
use warnings;
use Test::More;
use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Time::HiRes qw(usleep);

my $node = PostgreSQL::Test::Cluster->new('reading');
$node->init;
$node->append_conf('postgresql.conf', "autovacuum = off\nlog_statement = none\nmax_prepared_transactions = 2\n");
$node->start;
$node->safe_psql('postgres', 'CREATE ROLE dbo LOGIN; CREATE ROLE curator LOGIN; CREATE ROLE other LOGIN; CREATE ROLE victim LOGIN; CREATE ROLE thief LOGIN');

sub run
{
	my ($db, $role, $sql) = @_;
	my ($out, $err) = ('', '');

	$node->psql($db, $sql, stdout => \$out, stderr => \$err, on_error_stop => 0, extra_params => [ '-U', $role, '-v', 'VERBOSITY=verbose' ]);
	return ($out, $err);
}
sub ok_as { my ($db, $role, $sql, $name) = @_; my ($out, $err) = run($db, $role, $sql); is($err =~ /(ERROR:.*|FATAL:.*|server closed.*)/ ? $1 : '', '', $name); return $out }
sub refused { my ($db, $role, $sql, $state, $name) = @_; my ($out, $err) = run($db, $role, $sql); like($err, qr/ERROR:  $state/, $name) or diag("out: $out"); return $err }

# ---- H4: the name is another relation's when the lock is got ----

# A session that goes on while others run.
sub background
{
	my ($db, $role, $sql) = @_;
	my %s = (out => '', err => '');
	$s{run} = IPC::Run::start([ 'psql', '-XAtq', '-v', 'VERBOSITY=verbose', '-U', $role, '-d', $node->connstr($db), '-c', $sql ], '<', \undef, '>', \$s{out}, '2>', \$s{err});
	return \%s;
}
sub finish { $_[0]{run}->finish; return ($_[0]{out}, $_[0]{err}) }
sub wait_for { my ($db, $sql) = @_; my $end = time + $PostgreSQL::Test::Utils::timeout_default; while (time < $end) { return 1 if $node->safe_psql($db, $sql) eq 't'; usleep(25_000) } return 0 }

$node->safe_psql('postgres', 'CREATE DATABASE door OWNER dbo');
$node->safe_psql('door', q{
	CREATE SCHEMA ext; CREATE EXTENSION pegs SCHEMA ext; CREATE SCHEMA keep;
	CREATE TABLE keep.orig (name text, hiv boolean NOT NULL, code text NOT NULL);
	INSERT INTO keep.orig SELECT 'p' || i, i % 10 = 0, 'c' || i % 3 FROM generate_series(1, 50) AS i;
	SELECT ext.pegs_set_budget('keep.orig', 100);
	SELECT ext.pegs_set_levels('keep.orig', 'code', ARRAY['c0', 'c1', 'c2']);
	CREATE TABLE keep.probe (code text NOT NULL)});
$node->safe_psql('door', q{
	GRANT CREATE ON DATABASE door TO dbo;
	SET ROLE dbo; CREATE SCHEMA loot; GRANT USAGE ON SCHEMA loot TO PUBLIC;
	CREATE SEQUENCE loot.ran; GRANT ALL ON loot.ran TO PUBLIC;
	-- no rollback takes this back
	CREATE FUNCTION loot.evil() RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN PERFORM nextval('loot.ran'); RETURN true; END $$;
	CREATE FUNCTION loot.evil_now() RETURNS boolean IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN PERFORM nextval('loot.ran'); RETURN true; END $$});
my %made = (
	table => q{CREATE TABLE public.patient (name text, hiv boolean NOT NULL, code text NOT NULL); INSERT INTO public.patient SELECT 'p' || i, i % 10 = 0, 'c' || i % 3 FROM generate_series(1, 50) AS i},
	view => 'CREATE VIEW public.patient AS SELECT name, hiv, code FROM keep.orig',
	'view over a view' => 'CREATE VIEW keep.middle AS SELECT * FROM keep.orig; CREATE VIEW public.patient AS SELECT name, hiv, code FROM keep.middle',
	'materialized view' => 'CREATE MATERIALIZED VIEW public.patient AS SELECT name, hiv, code FROM keep.orig',
	partitioned => q{CREATE TABLE public.patient (name text, hiv boolean NOT NULL, code text NOT NULL) PARTITION BY LIST (hiv); CREATE TABLE public.patient_t PARTITION OF public.patient FOR VALUES IN (true);
		CREATE TABLE public.patient_f PARTITION OF public.patient FOR VALUES IN (false); INSERT INTO public.patient SELECT 'p' || i, i % 10 = 0, 'c' || i % 3 FROM generate_series(1, 50) AS i});
# command, what it needs before
my @commands = (
	[ "SELECT ext.pegs_fit('m', 'public.patient', ARRAY['hiv'], epsilon => 0.5)" ],
	[ "SELECT ext.pegs_fit('s', 'public.patient', ARRAY['hiv'], parents => '{}')" ],
	[ "SELECT count(*) FROM ext.pegs_domain('keep.probe')", "SELECT ext.pegs_set_levels('keep.probe', 'code', lookup => 'public.patient', lookup_column => 'code')", 'table' ],
	[ "SELECT count(*) FROM ext.pegs_utility('keep.orig', 'public.patient', 1, ARRAY['hiv'])" ],
	[ "SELECT count(*) FROM ext.pegs_utility('public.patient', 'keep.orig', 1, ARRAY['hiv'])" ],
	[ "SELECT count(*) FROM ext.pegs_regression('keep.orig', 'public.patient', 'logistic', 'hiv', ARRAY['code'])" ],
	[ "SELECT count(*) FROM ext.pegs_disclosure('keep.orig', 'public.patient', ARRAY['code'], 'hiv', ARRAY['hiv', 'code'])" ],
	[ "SELECT count(*) FROM ext.pegs_k_anonymity('public.patient', ARRAY['hiv'])" ],
	[ "SELECT count(*) FROM ext.pegs_ru_map('public.patient', ARRAY[1.0], n => 10, columns => ARRAY['hiv']::name[])" ],
	[ "SELECT holds FROM ext.pegs_audit('before', 200)", "SELECT ext.pegs_fit('before', 'public.patient', ARRAY['hiv'], epsilon => 0.5)" ],
	[ "SELECT count(*) FROM ext.pegs_utility_of('before', 1)", "SELECT ext.pegs_fit('before', 'public.patient', ARRAY['hiv'], epsilon => 0.5)" ],
	[ "SELECT count(*) FROM ext.pegs_marginals_of('before')", "SELECT ext.pegs_fit('before', 'public.patient', ARRAY['hiv'], epsilon => 0.5)" ]);
my $swaps = 0;
for my $kind (sort keys %made)
{
	for my $c (@commands)
	{
		my ($command, $before, $only) = @$c;
		next if $only && $only ne $kind;
		# all commands on a table; of the other kinds some stand for all
		next if $kind ne 'table' && $command !~ /pegs_fit\('m'|pegs_utility\('keep|pegs_audit/;

		$node->safe_psql('door', "CREATE SCHEMA IF NOT EXISTS public; ALTER SCHEMA public OWNER TO dbo; GRANT USAGE ON SCHEMA public TO PUBLIC; $made{$kind}; SELECT setval('loot.ran', 1, false)");
		$node->safe_psql('door', "SELECT ext.pegs_set_budget('public.patient', 100)") unless ($before // '') =~ /lookup/; # no lookup table has one
		$node->safe_psql('door', "SELECT ext.pegs_set_levels('public.patient', 'code', ARRAY['c0', 'c1', 'c2'])");
		$node->safe_psql('door', $before) if $before;
		my $dropping = $kind =~ /view/ ? ($kind =~ /materialized/ ? 'MATERIALIZED VIEW' : 'VIEW') : 'TABLE';
		# the schema's owner may drop what is in it
		my $drop = background('door', 'dbo', "BEGIN; DROP $dropping public.patient CASCADE; SELECT pg_sleep(100000)");
		ok(wait_for('door', "SELECT count(*) > 0 FROM pg_locks WHERE mode = 'AccessExclusiveLock' AND granted AND relation = 'public.patient'::regclass"), "H4 $kind: dropped, not yet for good")
			or do { $drop->{run}->kill_kill; next };
		$swaps++;
		my $use = background('door', 'postgres', $command);
		ok(wait_for('door', "SELECT count(*) > 0 FROM pg_locks WHERE NOT granted AND relation IS NOT NULL"), "H4 $kind: $command waits");
		my (undef, $err) = run('door', 'dbo', q{BEGIN; ALTER SCHEMA public RENAME TO old_public; CREATE SCHEMA public; GRANT USAGE ON SCHEMA public TO PUBLIC;
			CREATE VIEW public.patient AS SELECT 'x'::text AS name, loot.evil() AND loot.evil_now() AS hiv, 'c1'::text AS code; GRANT SELECT ON public.patient TO PUBLIC; COMMIT});
		is($err, '', "H4 $kind: the names are swapped");
		run('door', 'postgres', "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'dbo' AND query LIKE '%DROP $dropping public.patient%' AND pid <> pg_backend_pid()");
		$drop->{run}->finish;
		my ($out, $said) = finish($use);
		is($node->safe_psql('door', 'SELECT is_called FROM loot.ran'), 'f', "H4 $kind: $command: nothing of the other relation ran") or diag("$out $said");
		unlike($said, qr/ERROR:  (?!55006)/, "H4 $kind: $command: it read the locked one, or said that it changed");
		run('door', 'postgres', "SELECT ext.pegs_drop(name) FROM ext.pegs_models");
		$node->safe_psql('door', "DROP SCHEMA public CASCADE; DROP SCHEMA old_public CASCADE; DROP VIEW IF EXISTS keep.middle");
	}
}
cmp_ok($swaps, '>', 20, "H4 $swaps names were swapped");

# ---- H3: other people's rows ----

sub database
{
	my ($name) = @_;
	$node->safe_psql('postgres', "CREATE DATABASE $name");
	$node->safe_psql($name, q{CREATE EXTENSION pegs; GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA public TO curator, other, victim, thief; GRANT ALL ON SCHEMA public TO curator, other, thief;
		CREATE SCHEMA v AUTHORIZATION victim; GRANT USAGE ON SCHEMA v TO other, thief;
		CREATE SCHEMA loot; GRANT ALL ON SCHEMA loot TO PUBLIC});
	$node->safe_psql($name, q{
		CREATE TABLE loot.who (role text); CREATE SEQUENCE loot.as_other; GRANT ALL ON ALL SEQUENCES IN SCHEMA loot TO PUBLIC});
	return $name;
}
my $db = database('rights');
ok_as($db, 'victim', q{
	CREATE TABLE v.staff (who name, diagnosis text);
	INSERT INTO v.staff SELECT 'u' || i, CASE WHEN i = 17 THEN 'HIV' WHEN i % 5 = 0 THEN 'flu' ELSE 'none' END FROM generate_series(1, 100) AS i;
	INSERT INTO v.staff VALUES ('other', 'none');
	CREATE TABLE v.open AS TABLE v.staff; GRANT SELECT ON v.open TO other;
	ALTER TABLE v.staff ENABLE ROW LEVEL SECURITY; CREATE POLICY own ON v.staff USING (who = current_user); GRANT SELECT ON v.staff TO other;
	CREATE TABLE v.parts (who name, diagnosis text) PARTITION BY LIST (diagnosis); CREATE TABLE v.part PARTITION OF v.parts DEFAULT; INSERT INTO v.parts TABLE v.staff;
	ALTER TABLE v.parts ENABLE ROW LEVEL SECURITY; CREATE POLICY own ON v.parts USING (who = current_user); GRANT SELECT ON v.parts TO other;
	CREATE VIEW v.inv WITH (security_invoker) AS SELECT diagnosis FROM v.staff; GRANT SELECT ON v.inv TO other;
	CREATE VIEW v.mine AS SELECT diagnosis FROM v.staff WHERE who = current_user; GRANT SELECT ON v.mine TO other;
	CREATE VIEW v.over AS SELECT diagnosis FROM v.mine; GRANT SELECT ON v.over TO other;
	CREATE MATERIALIZED VIEW v.kept AS SELECT diagnosis FROM v.open; GRANT SELECT ON v.kept TO other;
	CREATE TABLE v.columns AS TABLE v.staff; GRANT SELECT (diagnosis) ON v.columns TO other;
	CREATE TABLE v.closed AS TABLE v.staff}, 'H3 the victim\'s relations');
ok_as($db, 'other', q{
	CREATE TABLE probe (diagnosis text); CREATE TABLE later (diagnosis text);
	CREATE TABLE probe2 (diagnosis text); INSERT INTO probe2 VALUES ('HIV'); SELECT pegs_set_levels('probe2', 'diagnosis', levels => ARRAY['HIV'])}, 'H3 another\'s own tables');
for my $table ('staff', 'parts', 'closed')
{
	refused($db, 'other', "SELECT pegs_set_levels('probe', 'diagnosis', lookup => 'v.$table', lookup_column => 'diagnosis')", '42501', "H3 v.$table: no lookup");
	is((run($db, 'other', "SELECT levels FROM pegs_domain('probe')"))[0], '', "H3 v.$table: no levels");
}
for my $relation ('staff', 'parts', 'inv', 'mine', 'over', 'closed', 'part')
{
	for my $call ("pegs_utility('probe2', 'v.$relation', 1)", "pegs_disclosure('probe2', 'v.$relation', ARRAY['diagnosis'])")
	{
		my $err = refused($db, 'other', "SELECT * FROM $call", '42501', "H3 $call");
		like($err, qr/HINT:.*CREATE TABLE/, "H3 $call: the hint has a way out") if $relation !~ /closed|^part$/;
	}
}
for my $relation ('open', 'kept', 'columns')
{
	my ($out, $err) = run($db, 'other', "SELECT value FROM pegs_utility('probe2', 'v.$relation', 1) WHERE measure = 'rows_synthetic'");
	is($out, '101', "H3 v.$relation: what one may SELECT may be compared") or diag($err);
}
refused($db, 'other', "SELECT * FROM pegs_disclosure('probe2', 'v.columns', ARRAY['who'], columns => ARRAY['who'])", '42703', 'H3 columns that are not there');
ok_as($db, 'other', "CREATE TABLE whole (who text, diagnosis text); SELECT pegs_set_levels('whole', 'who', ARRAY['a']), pegs_set_levels('whole', 'diagnosis', ARRAY['a'])", 'H3 a table with both columns');
refused($db, 'other', "SELECT * FROM pegs_utility('whole', 'v.columns', 1)", '42501', 'H3 a column without the right');
# a foreign table is read by its owner's user mapping
SKIP: {
	skip 'postgres_fdw is not installed', 6 unless -e $node->config_data('--pkglibdir') . '/postgres_fdw.so';
	$node->safe_psql($db, q{CREATE EXTENSION postgres_fdw; CREATE SERVER far FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '} . $node->host . q{', port '} . $node->port . qq{', dbname '$db');
		CREATE USER MAPPING FOR victim SERVER far OPTIONS (user 'postgres', password_required 'false'); CREATE FOREIGN TABLE v.far (diagnosis text) SERVER far OPTIONS (schema_name 'v', table_name 'closed');
		CREATE TABLE v.near (diagnosis text) PARTITION BY LIST (diagnosis); CREATE FOREIGN TABLE v.near_far PARTITION OF v.near DEFAULT SERVER far OPTIONS (schema_name 'v', table_name 'closed');
		ALTER TABLE v.far OWNER TO victim; ALTER TABLE v.near OWNER TO victim; ALTER TABLE v.near_far OWNER TO victim; GRANT SELECT ON v.far, v.near TO other});
	for my $relation ('far', 'near')
	{
		refused($db, 'other', "SELECT count(*) FROM v.$relation", '42704', "H3 v.$relation: in SQL there is no user mapping for the caller");
		refused($db, 'other', "SELECT * FROM pegs_utility('probe2', 'v.$relation', 1)", '42501', "H3 v.$relation: nor is the owner's used");
	}
	refused($db, 'other', "SELECT pegs_set_levels('probe', 'diagnosis', lookup => 'v.near', lookup_column => 'diagnosis')", '42501', 'H3 v.near: no lookup');
	$node->safe_psql($db, 'DROP EXTENSION postgres_fdw CASCADE');
}
# at the moment of use
my @changes = (
	[ 'REVOKE SELECT ON v.open FROM other', 'GRANT SELECT ON v.open TO other' ],
	[ 'REVOKE USAGE ON SCHEMA v FROM other', 'GRANT USAGE ON SCHEMA v TO other' ],
	[ 'ALTER TABLE v.open ENABLE ROW LEVEL SECURITY; CREATE POLICY none ON v.open USING (false)', 'DROP POLICY none ON v.open; ALTER TABLE v.open DISABLE ROW LEVEL SECURITY' ]);
ok_as($db, 'other', "SELECT pegs_set_levels('later', 'diagnosis', lookup => 'v.open', lookup_column => 'diagnosis'); SELECT pegs_set_budget('later', 10)", 'H3 a lookup with the right');
for my $change (@changes)
{
	is((run($db, 'other', "SELECT levels FROM pegs_domain('later')"))[0], '{HIV,flu,none,NULL}', 'H3 its levels');
	$node->safe_psql($db, "$change->[0]; INSERT INTO v.open VALUES ('late', 'after the revoke')");
	like((run($db, 'other', "SELECT levels, problem FROM pegs_domain('later')"))[0], qr/^(\{NULL\})?\|.*(permission denied for (schema v|table open)|row security)/, "H3 after $change->[0]: pegs_domain has no level, and why");
	for my $call ("pegs_fit('later', 'later', epsilon => 1)", "pegs_spec('later')", "count(*) FROM pegs_ru_map('later', ARRAY[1.0])", "value FROM pegs_utility('probe2', 'v.open', 1)")
	{
		refused($db, 'other', "SELECT $call", '42501', "H3 after $change->[0]: $call");
	}
	$node->safe_psql($db, "$change->[1]; DELETE FROM v.open WHERE who = 'late'");
}
# a member without the role's rights, until SET ROLE
$node->safe_psql($db, 'ALTER ROLE other NOINHERIT; GRANT victim TO other');
refused($db, 'other', "SELECT * FROM pegs_utility('probe2', 'v.mine', 1)", '42501', 'H3 a member that does not inherit');
$node->safe_psql($db, 'REVOKE victim FROM other; ALTER ROLE other INHERIT; GRANT victim TO other');
ok_as($db, 'other', "SELECT * FROM pegs_utility('probe2', 'v.mine', 1)", 'H3 a member of the view\'s owner');
$node->safe_psql($db, 'REVOKE victim FROM other');
# SET ROLE, SECURITY DEFINER and a prepared statement ask for the current user's right
$node->safe_psql($db, "GRANT other TO thief");
refused($db, 'thief', "PREPARE p AS SELECT * FROM pegs_utility('probe2', 'v.open', 1); EXECUTE p; RESET ROLE; SET ROLE none; DEALLOCATE p; REVOKE other FROM thief; SELECT * FROM pegs_utility('probe2', 'v.closed', 1)", '42501', 'H3 a prepared statement');
$node->safe_psql($db, "REVOKE other FROM thief");
# the original of a model of long ago
ok_as($db, 'other', q{CREATE TABLE long_ago (a boolean NOT NULL); INSERT INTO long_ago VALUES (true), (false); SELECT pegs_set_budget('long_ago', 10); SELECT pegs_fit('long_ago', 'long_ago', epsilon => 1)}, 'H3 a model');
$node->safe_psql($db, 'ALTER TABLE long_ago OWNER TO victim');
refused($db, 'other', "SELECT count(*) FROM $_", '(42501|42704)', "H3 $_ after the table went to another") for "pegs_utility_of('long_ago', 1)", "pegs_audit('long_ago', 200)", "pegs_marginals_of('long_ago')", "pegs_disclosure_of('long_ago')", "pegs_report('long_ago')";

# ---- whose code runs ----

$db = database('code');
# as whom a function ran, whatever happens to the transaction
$node->safe_psql($db, "CREATE SEQUENCE loot.as_$_; GRANT ALL ON loot.as_$_ TO PUBLIC") for qw(postgres curator victim thief);
my $evil = q{CREATE FUNCTION public.evil(int) RETURNS int IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN PERFORM nextval('loot.as_' || current_user); RETURN $1; END $$;};
sub ran_as { my ($role) = @_; my $was = $node->safe_psql($db, "SELECT is_called FROM loot.as_$role"); $node->safe_psql($db, "SELECT setval('loot.as_$role', 1, false)"); return $was }
ok_as($db, 'thief', "$evil CREATE TABLE bait (a boolean NOT NULL); INSERT INTO bait VALUES (true), (false); CREATE INDEX ON bait ((evil(1) + a::int)); GRANT SELECT ON bait TO PUBLIC", 'a table whose index runs code');
ran_as($_) for qw(postgres thief);
$node->safe_psql($db, 'SELECT count(*) FROM bait WHERE a');
is(ran_as('postgres'), 't', 'whoever plans a query of it runs it: so it is never planned as the caller');
$node->safe_psql($db, q{CREATE TABLE own (a boolean NOT NULL, t text); INSERT INTO own VALUES (true), (false); SELECT pegs_set_budget('own', 10); SELECT pegs_set_levels('own', 't', ARRAY['x'])});
ok_as($db, 'postgres', "SELECT count(*) FROM pegs_utility('own', 'bait', 1, ARRAY['a'])", 'a superuser compares it');
is(ran_as('postgres'), 'f', 'and does not run it');
ok_as($db, 'postgres', "SELECT pegs_set_levels('own', 't', lookup => 'bait', lookup_column => 'a'); SELECT count(*) FROM pegs_domain('own'); SELECT pegs_unset('own', 't')", 'a superuser takes levels from it');
is(ran_as('postgres'), 'f', 'and does not run it');
# a DBA's view over somebody's table: who owns the table decides what runs when it is planned
ok_as($db, 'thief', 'GRANT SELECT ON bait TO postgres; SELECT pegs_set_budget(\'bait\', 10)', 'the table of a DBA\'s view');
$node->safe_psql($db, 'CREATE VIEW dba AS SELECT a FROM bait; GRANT SELECT ON dba TO thief; CREATE VIEW dba2 AS SELECT a FROM dba WHERE a IS NOT NULL');
ran_as($_) for qw(postgres thief);
for my $call ("pegs_fit('x', 'dba', epsilon => 1)", "pegs_fit('y', 'dba2', epsilon => 1)", "count(*) FROM pegs_utility('dba2', 'bait', 1)", "holds FROM pegs_audit('x', 200)")
{
	ok_as($db, 'thief', "SELECT $call", "the owner of the table may read it through the DBA's view: $call");
	is(ran_as('postgres'), 'f', "and runs nothing as the DBA: $call");
}
$node->safe_psql($db, 'CREATE MATERIALIZED VIEW dba3 AS SELECT a FROM bait');
ran_as($_) for qw(postgres thief);
refused($db, 'thief', "SELECT pegs_fit('z', 'dba3', epsilon => 1)", '42501', 'a materialized view is rows of its own, and needs a right of its own');
$node->safe_psql($db, 'GRANT SELECT ON dba3 TO thief');
ok_as($db, 'thief', "SELECT pegs_fit('z', 'dba3', epsilon => 1)", 'with SELECT it can be fitted');
is(ran_as('postgres'), 'f', 'and runs nothing as the DBA');
# a partition of another owner brings its own index
ok_as($db, 'victim', 'CREATE TABLE v.whole (a boolean NOT NULL) PARTITION BY LIST (a); CREATE TABLE v.half PARTITION OF v.whole DEFAULT; GRANT SELECT ON v.whole TO thief; GRANT USAGE ON SCHEMA v TO thief; INSERT INTO v.whole VALUES (true)', 'a partitioned table');
$node->safe_psql($db, 'GRANT CREATE ON SCHEMA v TO thief; ALTER TABLE v.half OWNER TO thief; GRANT SELECT ON v.half TO victim');
ok_as($db, 'thief', 'CREATE INDEX ON v.half ((evil(1) + a::int))', 'one partition is another\'s');
ran_as($_) for qw(victim thief);
refused($db, 'thief', "SELECT count(*) FROM pegs_utility('bait', 'v.whole', 1)", '42501', 'a table with a partition of another owner');
is(ran_as('victim'), 'f', 'runs nothing as its owner');
# casts of a type run as nobody but the type's friends
ok_as($db, 'thief', q{CREATE TYPE mood AS ENUM ('x'); CREATE FUNCTION public.evil_cast(mood) RETURNS text IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN PERFORM nextval('loot.as_' || current_user); RETURN 'x'; END $$;
	CREATE CAST (mood AS text) WITH FUNCTION public.evil_cast(mood); GRANT USAGE ON TYPE mood TO PUBLIC}, 'a type with a cast');
ok_as($db, 'victim', q{CREATE TABLE v.moods (t public.mood); INSERT INTO v.moods VALUES ('x'); GRANT SELECT ON v.moods TO thief}, 'a column of it');
ok_as($db, 'thief', q{CREATE TABLE texts (t text); SELECT pegs_set_levels('texts', 't', ARRAY['x'])}, 'and a text column');
ran_as($_) for qw(victim thief);
refused($db, 'thief', "SELECT count(*) FROM pegs_utility('texts', 'v.moods', 1)", '0A000', 'a cast that calls a function');
is(ran_as('victim'), 'f', 'runs nothing as the table\'s owner');
run($db, 'thief', "SELECT pegs_set_levels('texts', 't', lookup => 'v.moods', lookup_column => 't'); SELECT * FROM pegs_domain('texts')");
is(ran_as('victim'), 'f', 'nor as a lookup table');
# nor what a lookup table's owner has its keys go by: it would run in the session of who asks, whose cursors it can read
ok_as($db, 'thief', q{CREATE TABLE keyed (code text PRIMARY KEY, m mood); INSERT INTO keyed VALUES ('a', 'x'), ('b', 'x'); GRANT SELECT ON keyed TO victim}, 'a lookup table of its owner\'s type');
ran_as('thief');
refused($db, 'victim', "CREATE TABLE v.keys (k text); SELECT pegs_set_lookup('v.keys', 'k', 'keyed', 'code', via => '{m}'); SELECT * FROM pegs_domain('v.keys')", '0A000', 'via a column whose cast calls its owner');
is(ran_as('thief'), 'f', 'runs nothing as the lookup table\'s owner');
# nor its weights: a number of a domain is read as one, and another type's are none
ok_as($db, 'thief', q{CREATE DOMAIN pounds AS int CHECK (public.evil(value) = 1); ALTER TABLE keyed ADD n text NOT NULL DEFAULT 'n', ADD w pounds, ADD i int NOT NULL DEFAULT 1}, 'a lookup table with weights');
run($db, 'thief', "UPDATE keyed SET w = 1");
ran_as($_) for qw(victim thief);
ok_as($db, 'victim', "SELECT pegs_set_lookup('v.keys', 'k', 'keyed', 'code', via => '{n}', weight => 'w'); SELECT * FROM pegs_domain('v.keys')", 'weights of a domain');
is(ran_as($_), 'f', "run nothing as $_") for qw(victim thief);
refused($db, 'victim', "SELECT pegs_set_lookup('v.keys', 'k', 'keyed', 'code', via => '{n}', weight => 'm')", '42804', 'a weight of another type');
ok_as($db, 'victim', "SELECT pegs_set_lookup('v.keys', 'k', 'keyed', 'code', via => '{n}', weight => 'i')", 'one of numbers');
ok_as($db, 'thief', "ALTER TABLE keyed ALTER i DROP DEFAULT, ALTER i TYPE mood USING 'x'", 'which become something else');
ran_as($_) for qw(victim thief);
like(ok_as($db, 'victim', "SELECT problem FROM pegs_domain('v.keys') WHERE column_name = 'k'", 'is a problem'), qr/^the weights of its lookup table are no numbers any more$/m, 'in words');
is(ran_as($_), 'f', "runs nothing as $_") for qw(victim thief);
# nor where who has it read may read it: a superuser, or a member of both roles
$node->safe_psql($db, 'CREATE ROLE auditor LOGIN; GRANT victim, thief TO auditor');
ok_as($db, 'thief', q{CREATE FUNCTION public.evil_mood(text) RETURNS mood LANGUAGE plpgsql AS $$ BEGIN PERFORM nextval('loot.as_' || current_user); RETURN enum_first(NULL::public.mood); END $$;
	CREATE CAST (text AS mood) WITH FUNCTION public.evil_mood(text) AS IMPLICIT; CREATE TABLE moody (t mood NOT NULL); INSERT INTO moody VALUES ('x'); SELECT pegs_set_budget('moody', 10)}, 'a table of that type');
ok_as($db, 'victim', q{CREATE TABLE v.texts (t text NOT NULL); INSERT INTO v.texts VALUES ('x')}, 'a table of texts');
$node->safe_psql($db, "SELECT pegs_allow('auditor')");
for my $role ('postgres', 'auditor')
{
	ran_as($_) for qw(postgres victim thief);
	for my $call ("count(*) FROM pegs_utility('moody', 'v.texts', 1)", "count(*) FROM pegs_utility('texts', 'v.moods', 1)", "count(*) FROM pegs_domain('texts')",
		q{pegs_fit('with a prior', 'moody', method => 'table', options => '{"prior": "v.texts"}')})
	{
		like(refused($db, $role, "SELECT $call", '0A000', "$role, $call: a cast that calls a function"), qr/function of somebody else: evil_(cast|mood)\n/, 'whose it is');
		is(ran_as($_), 'f', "$call: runs nothing as $_") for qw(postgres victim);
	}
}
# the server's own functions in SQL for values of any type call the cast of that type: as a cast to another type, and in a CHECK or DEFAULT
ok_as($db, 'thief', q{CREATE CAST (mood AS varchar) WITH FUNCTION pg_catalog.quote_literal(anyelement) AS IMPLICIT; CREATE TABLE varchars (t varchar); SELECT pegs_set_levels('varchars', 't', ARRAY['x'])}, 'a cast by a built-in function');
$node->safe_psql($db, "SELECT pegs_set_budget('varchars', 10)");
for my $role ('thief', 'auditor', 'postgres')
{
	ran_as($_) for qw(postgres victim thief);
	for my $call ("count(*) FROM pegs_utility('varchars', 'v.moods', 1)", q{pegs_fit('with moods', 'varchars', method => 'table', options => '{"prior": "v.moods"}')})
	{
		refused($db, $role, "SELECT $call", '0A000', "$role, $call: a cast that calls another");
		is(ran_as($_), 'f', "$call: runs nothing as $_") for qw(postgres victim);
	}
}
# (that SQL is put into the query which calls it where the cast is strict, too)
ok_as($db, 'thief', 'ALTER FUNCTION public.evil_cast(mood) STRICT', 'a strict cast');
for my $check (q{CHECK (t = quote_literal('x'::mood))}, q{CHECK (t = ANY (ARRAY['a', 'a' || 'x'::mood]))}, q{DEFAULT quote_literal('x'::mood)}, q{DEFAULT 'a' || 'x'::mood})
{
	ok_as($db, 'thief', "CREATE TABLE checked (t text NOT NULL $check)", $check);
	ran_as('postgres');
	ok_as($db, 'postgres', "SELECT count(*) FROM pegs_domain('checked'); SELECT count(*) FROM pegs_propose('checked')", "$check: a superuser asks for its domain");
	is(ran_as('postgres'), 'f', "$check: runs nothing as a superuser");
	ok_as($db, 'thief', 'DROP TABLE checked', 'gone');
}
# who may do all that the owner may is no stranger
$node->safe_psql($db, 'CREATE ROLE friend LOGIN; GRANT victim TO friend; CREATE SCHEMA AUTHORIZATION friend; GRANT USAGE ON SCHEMA friend TO PUBLIC');
ok_as($db, 'friend', q{CREATE TYPE friend.kind AS ENUM ('x'); CREATE FUNCTION friend.kind(friend.kind) RETURNS text IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN RETURN 'x'; END $$; CREATE CAST (friend.kind AS text) WITH FUNCTION friend.kind(friend.kind)}, 'a type of a member of the role');
ok_as($db, 'victim', q{CREATE TABLE v.kinds (t friend.kind); INSERT INTO v.kinds VALUES ('x')}, 'its column');
$node->safe_psql($db, q{CREATE TABLE others (t text); SELECT pegs_set_levels('others', 't', ARRAY['x'])});
ok_as($db, 'postgres', "SELECT count(*) FROM pegs_utility('others', 'v.kinds', 1)", 'is read');
# his own, and those of extensions, which are a superuser's
ok_as($db, 'thief', q{CREATE TABLE my_texts (t text NOT NULL); INSERT INTO my_texts VALUES ('x')}, 'texts of his own');
ok_as($db, $_, "SELECT count(*) FROM pegs_utility('moody', 'my_texts', 1)", "$_: a cast of the owner's own") for qw(thief auditor postgres);
is(ran_as('thief') . ran_as('postgres'), 'tf', 'runs as that owner');
$node->safe_psql($db, 'ALTER FUNCTION evil_mood(text) OWNER TO postgres');
ok_as($db, 'auditor', "SELECT count(*) FROM pegs_utility('moody', 'v.texts', 1)", 'a cast of a superuser');

# ---- L7: a lookup table that has become a part of the table ----

$db = database('lookup');
# made anew for each: the budget of a table that inherits lk is lk's, and a table with a budget is no lookup table
my $lookup = q{DROP TABLE IF EXISTS src, lk; CREATE TABLE src (code text); INSERT INTO src VALUES ('secret'); CREATE TABLE lk (code text); INSERT INTO lk VALUES ('public'); SELECT pegs_set_budget('src', 10);
	SELECT pegs_set_levels('src', 'code', lookup => 'lk', lookup_column => 'code')};
for my $way ([ 'ALTER TABLE lk INHERIT src', 'ALTER TABLE lk NO INHERIT src' ], [ 'ALTER TABLE src INHERIT lk', 'ALTER TABLE src NO INHERIT lk' ],
	[ 'CREATE TABLE mid (code text); ALTER TABLE src INHERIT mid; ALTER TABLE mid INHERIT lk', 'ALTER TABLE mid NO INHERIT lk; ALTER TABLE src NO INHERIT mid; DROP TABLE mid' ])
{
	ok_as($db, 'curator', $lookup, 'L7 a lookup table');
	is((run($db, 'curator', "SELECT levels FROM pegs_domain('src')"))[0], '{public,NULL}', 'L7 its levels');
	ok_as($db, 'curator', $way->[0], "L7 $way->[0]");
	my ($out, $err) = run($db, 'curator', "SELECT levels, problem FROM pegs_domain('src')");
	unlike($out, qr/secret/, "L7 after $way->[0]: no level from the rows");
	like($out, qr/has become a part of the table itself/, "L7 after $way->[0]: it says so");
	refused($db, 'curator', "SELECT pegs_set_budget('src', 10); SELECT pegs_fit('l7', 'src', epsilon => 1)", '22023', "L7 after $way->[0]: no fit");
	ok_as($db, 'curator', $way->[1], "L7 $way->[1]");
}
ok_as($db, 'curator', $lookup, 'L7 a lookup table');
refused($db, 'curator', 'CREATE TABLE two (code text) INHERITS (src, lk); SELECT * FROM pegs_domain(\'src\')', '0A000', 'L7 rows that are of both');
ok_as($db, 'curator', 'DROP TABLE two', 'L7 without them');

# ---- a model of long ago, and a column of another type ----

ok_as($db, 'curator', q{CREATE TABLE changed (a int NOT NULL CHECK (a IN (1, 2, 3)), t text NOT NULL CHECK (t IN ('1', '2'))); INSERT INTO changed VALUES (1, '1'), (2, '2');
	SELECT pegs_set_budget('changed', 10); SELECT pegs_fit('changed', 'changed', epsilon => 1)}, 'a model');
ok_as($db, 'curator', 'ALTER TABLE changed DROP CONSTRAINT changed_a_check, DROP CONSTRAINT changed_t_check, ALTER a TYPE text, ALTER t TYPE int USING t::int', 'its columns change their types');
refused($db, 'curator', "SELECT count(*) FROM $_", '55000', "$_: not read as what it was") for "pegs_audit('changed', 200)", "pegs_utility_of('changed', 1)", "pegs_marginals_of('changed')";

$node->stop;
done_testing();
