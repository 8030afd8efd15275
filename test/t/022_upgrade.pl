# long: run by make test-all (test/run long), not by make test
# From 0.1.0 and from 0.2.0 to this version: nothing is lost, the new library serves the old SQL until it is updated, and what is
# updated is what is installed anew, object by object.
use strict;
use warnings;
use Test::More;
use PostgreSQL::Test::Utils;
use PegsLedger;

my $new;

# What 0.2.0 brought. The parts of the report are called by it.
sub new_in_020
{
	return (
		[ "SELECT bool_and(ok) FROM pegs_verify_ledger()", 't' ],
		[ "SELECT count(*) > 4 FROM pegs_health()", 't' ],
		[ "SELECT pegs_certificate('kinds') ->> 'certificate'", 'pegs 1' ],
		[ "SELECT pegs_certificate_text('kinds release')", qr/guarantee: / ],
		[ "SELECT count(*) > 3 FROM pegs_utility_of('kinds')", 't' ],
		[ "SELECT count(*) > 3 FROM pegs_disclosure_of('kinds release', ARRAY['kind'], 'n')", 't' ],
		[ "SELECT sum(original) FROM pegs_marginals_of('kinds') WHERE column_name = 'kind'", '60' ],
		[ "CREATE TABLE made AS SELECT * FROM pegs_sample('kinds', 50) AS t(kind text, n int)", '' ],
		[ "SELECT count(*) > 3 FROM pegs_utility('kinds', 'made', columns => ARRAY['kind', 'n'])", 't' ],
		[ "SELECT count(*) FROM pegs_regression('kinds', 'made', 'linear', 'n', ARRAY['kind'])", qr/^[1-9]$/ ],
		[ "SELECT count(*) > 3 FROM pegs_disclosure('kinds', 'made', ARRAY['kind'], 'n', ARRAY['kind', 'n'])", 't' ],
		[ "SELECT count(*) > 3 FROM pegs_k_anonymity('kinds', ARRAY['kind'])", 't' ],
		[ "SELECT estimate FROM pegs_combine(ARRAY[1, 2], ARRAY[1, 1])", '1.5' ],
		[ "SELECT count(*) > 3 FROM pegs_ru_map('kinds', ARRAY[1], n => 10, columns => ARRAY['kind', 'n'])", 't' ],
		[ "SELECT count(*) FROM pegs_trace('chosen', 0.125)", '3' ],
		[ "SELECT holds FROM pegs_verify('m')", 't' ],
		[ "SELECT count(*) FROM pegs_audit('stated', 100)", '1' ],
		[ "SELECT left(pegs_report('kinds release', ARRAY['kind'], 'n', '{\"ru_map\": false}'), 15)", '<!DOCTYPE html>' ],
		[ "CREATE TABLE adopted (b boolean NOT NULL); SELECT pegs_set_budget('adopted', 5)", '' ],
		[ "SELECT pegs_adopt('adopted', remaining => 2, reason => 'a test')", '' ]);
}

sub data_survive
{
	my ($old) = @_;
	my $tmp = "$PostgreSQL::Test::Utils::tmp_check/$old";
	mkdir $tmp;
	my $pegs = PegsLedger->new('upgrade_' . $old =~ tr/.//dr, version => $old);
	my $node = $pegs->node;
	my $columns = $PegsLedger::columns;
	$new = $pegs->value("SELECT default_version FROM pg_available_extensions WHERE name = 'pegs'");

	isnt($new, $old, 'there is a newer version');
	is($pegs->value("SELECT extversion FROM pg_extension WHERE extname = 'pegs'"), $old, "$old is installed");

	# ---- the new library with the old SQL ----

	$pegs->set_up_free;
	# Every function of the old version, and what it prints. In this order: each finds what it needs.
	my @calls = (
		[ "SELECT pegs_set_levels('kinds', 'kind', ARRAY['a', 'b'], other => 'b')", '' ],
		[ "SELECT pegs_set_levels('kinds', 'kind', lookup => 'known', lookup_column => 'kind')", '' ],
		[ "SELECT pegs_set_bins('kinds', 'n', ARRAY['0', '10', '20'])", '' ],
		[ "SELECT pegs_set_bins('kinds', 'who', ARRAY['0', '10'])", '' ],
		[ "SELECT pegs_unset('kinds', 'who')", '' ],
		[ "SELECT pegs_forbid('kinds', '{\"kind\": \"c\"}')", '' ],
		[ "SELECT pegs_set_unit('kinds', 'who', 2)", '' ],
		[ "SELECT pegs_set_budget('kinds', 5, delta => 1e-6)", '' ],
		[ "SELECT column_name, origin, levels FROM pegs_domain('kinds')", qr/^kind\|lookup table\|\{a,b,c\}\nn\|declared bins\|/ ],
		[ "SELECT pegs_fit('kinds', 'kinds', columns => ARRAY['kind', 'n'], epsilon => 1, delta => 1e-7)", '' ],
		[ "SELECT pegs_fit('chosen', 'kinds', columns => ARRAY['kind', 'n'])", '' ],
		[ "SELECT pegs_set_unit('kinds', NULL)", '' ],
		[ "SELECT pegs_spec('kinds', ARRAY['kind', 'n'])", qr/"pairs"/ ],
		[ "SELECT pegs_fit_state('stated', 'kinds', (SELECT pegs_merge(s) FROM (SELECT pegs_agg((SELECT pegs_spec('kinds', ARRAY['kind', 'n'])), kind, n) AS s
			FROM kinds GROUP BY kind) AS s), ARRAY['kind', 'n'], epsilon => 0.5)", '' ],
		[ "SELECT pegs_import('imported', pegs_export('stated'))", '' ],
		[ "SELECT pegs_release('kinds release', 'kinds', 20)", '' ],
		[ "SELECT count(*) FROM pegs_rows('kinds release') AS t(kind text, n int)", '20' ],
		[ "SELECT count(*) FROM pegs_rows_as(NULL::kinds, 'kinds release')", '20' ],
		[ "SELECT count(*) FROM pegs_sample('kinds', 7) AS t(kind text, n int)", '7' ],
		[ "SELECT count(*) FROM pegs_sample_as(NULL::kinds, 'kinds', 7)", '7' ],
		[ "SELECT count(*) FROM pegs_sample('chosen', 5, 0.25, 5) AS t(kind text, n int)", '5' ],
		[ "BEGIN; SELECT count(*) FROM pegs_sample('chosen', 5, 0.25, 5) AS t(kind text, n int); ROLLBACK", '5' ],
		[ "SELECT charged FROM pegs_cost('chosen', 5, 0.25, 5)", '0.25' ],
		[ "SELECT pegs_describe('kinds') ->> 'name'", qr/^(kinds)?$/ ],
		[ "SELECT pegs_row_type('kinds')", qr/kind text/ ],
		[ "SELECT pegs_view_sql('kinds release', 'kinds_view')", qr/CREATE VIEW/ ],
		[ "SELECT pegs_grant('kinds', 'public'); SELECT pegs_grant('chosen', 'analyst', 1); SELECT pegs_grant('stated', 'analyst')", "\n\n" ],
		[ "SELECT pegs_revoke('stated', 'analyst')", '' ],
		[ "SELECT pegs_drop('imported')", '' ],
		[ "SELECT count(*) FROM pegs_budgets", '2' ],
		[ "SELECT count(*) FROM pegs_ledger", '9' ],
		[ "SELECT count(*) FROM pegs_models", '5' ],
		[ "SELECT count(*) FROM pegs_releases", '3' ]);
	push @calls, new_in_020() if $old ne '0.1.0';
	$pegs->value(q{
		CREATE TABLE known (kind text PRIMARY KEY); INSERT INTO known VALUES ('a'), ('b'), ('c');
		CREATE TABLE kinds (kind text NOT NULL, n int NOT NULL, who int NOT NULL);
		INSERT INTO kinds SELECT substr('ab', i % 2 + 1, 1), i % 20, i / 3 FROM generate_series(1, 60) AS i});
	for my $call (@calls)
	{
		my ($sql, $expected) = @$call;
		my ($out, $err) = $pegs->as('postgres', "SET client_min_messages = warning;\n$sql");
		if (ref $expected) { like("$out$err", $expected, "$old: $sql") } else { is("$out$err", $expected, "$old: $sql") }
	}
	my $called = join "\n", map { $_->[0] } @calls;
	for my $name (split /\n/, $pegs->value(q{SELECT DISTINCT proname FROM pg_proc JOIN pg_depend AS d ON d.objid = pg_proc.oid AND d.classid = 'pg_proc'::regclass
		AND d.deptype = 'e' WHERE pronamespace = 'public'::regnamespace AND proname !~ '^pegs_report_' ORDER BY 1}))
	{
		like($called, qr/\b\Q$name\E\(/, "$old: $name was called");
	}
	$pegs->charges("$old: a sample", 0.1, sub { scalar $pegs->analyst('SELECT count(*) FROM ' . $pegs->sample) });
	$pegs->refuses("$old: more than remains", '53400', 'SELECT * FROM ' . $pegs->sample(epsilon => 999.9));
	$pegs->refuses("$old: a budget of this transaction", '55000', "BEGIN; SELECT pegs_set_budget('visit', 1000); SELECT * FROM " . $pegs->sample . '; ROLLBACK', 'postgres');
	# the new way to tell a copy needs nothing of the new SQL; the way out does
	$node->safe_psql('template1', 'CREATE DATABASE copy TEMPLATE postgres');
	my $copy = bless { node => $node, db => 'copy' }, 'PegsLedger';
	for my $call (grep { $_->[0] !~ /^pegs_(refit|score_fit)$/ } $copy->charging)	# which are new
	{
		my ($what, $role, $sql) = @$call;
		$copy->refuses("$old, a copy: $what", '55000', $sql, $role);
	}
	# a DBA's word, on what an update replaces as a whole, too
	$pegs->value('REVOKE ALL ON pegs_releases FROM PUBLIC; GRANT SELECT ON pegs_releases TO analyst');
	$pegs->value('GRANT EXECUTE ON FUNCTION pegs_health() TO PUBLIC; REVOKE ALL ON FUNCTION pegs_certificate(text) FROM PUBLIC; GRANT EXECUTE ON FUNCTION pegs_certificate(text) TO analyst')
		if $old ne '0.1.0';
	command_ok([ 'pg_dump', '-d', $node->connstr('postgres'), '-f', "$tmp/old.sql" ], "$old: pg_dump");

	# ---- updated ----

	# In words that both versions know.
	my %same = (
		'budgets' => 'SELECT source, epsilon, spent, remaining, delta, delta_spent FROM pegs_budgets ORDER BY source::text',
		'ledger' => q{SELECT source, at, role, coalesce(to_jsonb(l) ->> 'action', to_jsonb(l) ->> 'deed'), object, epsilon_from, epsilon_to, delta_from, delta_to, remaining FROM pegs_ledger AS l ORDER BY source::text, epsilon_to, at},
		'models' => 'SELECT name, source, kind, epsilon, delta, structure_epsilon, unit, counts, created FROM pegs_models ORDER BY name',
		'releases' => 'SELECT name, model, source, n, kind, epsilon, block, given, created FROM pegs_releases ORDER BY name',
		'grants' => 'SELECT object, grantee, granted, cap, CASE WHEN cap IS NOT NULL THEN pg_sequence_last_value(cap_spent) END FROM pegs_internal.access ORDER BY id',
		'facts' => "SELECT source, column_name, levels, other, lookup, lookup_column, edges FROM pegs_internal.fact ORDER BY 1, 2; SELECT source, combination FROM pegs_internal.forbidden; SELECT source, column_name, max_rows FROM pegs_internal.unit; SELECT column_name, type, origin, levels, problem, remedy FROM pegs_domain('kinds')",
		'bodies' => 'SELECT model, md5(body) FROM pegs_internal.body ORDER BY 1',
		'descriptions' => 'SELECT name, pegs_describe(name) FROM pegs_models ORDER BY name',
		'rows of a perturbed model' => "SELECT * FROM pegs_sample('kinds', 100) AS t(kind text, n int)",
		'rows of a model from a state' => "SELECT * FROM pegs_sample('stated', 100) AS t(kind text, n int)",
		'rows of a release' => "SELECT * FROM pegs_rows('kinds release') AS t(kind text, n int)",
		'rights' => "SELECT proname, proacl FROM pg_proc WHERE proname IN ('pegs_fit', 'pegs_spec', 'pegs_domain', 'pegs_sample', 'pegs_view_sql') ORDER BY 1",
		# everybody's by default; its rights are carried over, but not by a dump of the old one, which names other arguments
		'rights on pegs_cost' => "SELECT string_agg(a::text, ' ' ORDER BY a::text) FROM pg_proc, unnest(proacl) AS a WHERE proname = 'pegs_cost'",
		'rights on what is replaced' => "SELECT name, array_agg(right_of::text ORDER BY right_of::text) FROM (SELECT relname, unnest(relacl) FROM pg_class WHERE relname IN ('pegs_releases', 'pegs_ledger')
			UNION ALL SELECT proname, unnest(proacl) FROM pg_proc WHERE proname IN ('pegs_health', 'pegs_certificate') AND '$old' <> '0.1.0') AS r (name, right_of) GROUP BY 1 ORDER BY 1");
	like($pegs->value($same{'rights on what is replaced'}), qr/^pegs_releases\|\{analyst=r\/postgres,postgres=arwdDxt\/postgres\}$/m, "$old: rights on what is replaced");
	my %before = map { $_ => $pegs->value($same{$_}) } keys %same;
	my $free = $pegs->free_rows;
	my $export = $pegs->value("SELECT encode(pegs_export('stated'), 'hex')");

	my $granted = q{SELECT count(*) FROM pg_proc AS p, aclexplode(p.proacl) AS a WHERE p.pronamespace = 'public'::regnamespace AND p.proname !~ '^pegs_report_' AND a.grantee = 'curator'::regrole};
	my $was_granted = $pegs->value($granted);

	# ---- what somebody has built on a function that is another one in the new version ----

	$pegs->value(q{CREATE SCHEMA "Of Others"; CREATE VIEW "Of Others"."costs" AS SELECT c.charged FROM pegs_cost('chosen', 5, 0.25, 5) AS c;
		CREATE MATERIALIZED VIEW domains AS SELECT column_name FROM pegs_domain('kinds');
		CREATE FUNCTION facts_of(regclass) RETURNS bigint BEGIN ATOMIC SELECT count(*) FROM pegs_domain($1); END;
		CREATE VIEW unharmed AS SELECT name FROM pegs_models; CREATE VIEW lines AS SELECT * FROM pegs_ledger});
	my ($out, $stopped) = $pegs->as('postgres', "\\set VERBOSITY default\nALTER EXTENSION pegs UPDATE");
	like($stopped, qr/ERROR:  pegs cannot be updated: something is built on functions that get other arguments or another answer$/m, 'built on it: it says so');
	like($stopped, qr/^DETAIL:  (?=.*\bview "Of Others"\.costs uses public\.pegs_cost\()(?=.*\bmaterialized view public\.domains uses public\.pegs_domain\(regclass\))(?=.*\bfunction public\.facts_of\(regclass\) uses public\.pegs_domain\(regclass\)).*\. Nothing was changed\.$/m, 'built on it: what, and on what');
	unlike($stopped, qr/unharmed|lines/, 'built on it: nothing else is named');
	is($pegs->value("SELECT extversion FROM pg_extension WHERE extname = 'pegs'"), $old, 'built on it: nothing was changed');
	my ($paste) = $stopped =~ /^HINT:  .*?(SELECT .*;)$/m;
	my ($kept, $err_of_paste) = $pegs->as('postgres', $paste // 'no hint');
	is($err_of_paste, '', 'built on it: the HINT runs');
	like($kept, qr/charged.*FROM pegs_cost|FROM pegs_cost/s, 'built on it: and prints what was there');

	my $session = $pegs->background('analyst');
	my $count = 'SELECT count(*) FROM ' . $pegs->sample;
	is($session->query($count), '10', 'a session that is there before the update');
	$before{$_} = $pegs->value($same{$_}) for 'budgets', 'ledger', 'grants';
	my (undef, $err) = $pegs->as('curator', 'ALTER EXTENSION pegs UPDATE');
	like($err, qr/ERROR:  42501/, 'the curator cannot update the extension');
	$pegs->value('ALTER EXTENSION pegs UPDATE');
	is($pegs->value("SELECT extversion FROM pg_extension WHERE extname = 'pegs'"), $new, "updated to $new");
	is($pegs->value("SELECT (SELECT count(*) FROM unharmed) > 0, (SELECT count(*) FROM lines) > 0"), 't|t', 'updated: other views stay');
	$pegs->value('DROP VIEW unharmed, lines; DROP SCHEMA "Of Others"');
	is($pegs->value($same{$_}), $before{$_}, "updated: $_ as before") for sort keys %same;
	is($pegs->free_rows, $free, 'updated: what is free gives the same rows');
	# facts are of the columns that had their names when they were updated
	is($pegs->value("SELECT pegs_facts('kinds')"), '{"columns": {"n": {"bins": ["0", "10", "20"]}, "kind": {"lookup": "public.known", "lookup_column": "kind"}}, "forbidden": [{"kind": "c"}]}',
		'updated: facts are printed');
	is($pegs->value("BEGIN; ALTER TABLE kinds RENAME n TO n2; ALTER TABLE kinds RENAME kind TO kind2; ALTER TABLE kinds ADD n int;
		SELECT pegs_facts('kinds'); SELECT column_name, problem FROM pegs_domain('kinds') WHERE column_name LIKE 'n%'; ROLLBACK"),
		qq({"columns": {}, "forbidden": [{"kind2": "c"}]}\nn2|no declared domain\nn|no declared domain), 'updated: and of columns, not of names');
	is($pegs->value("BEGIN; ALTER TABLE kinds ADD came timestamp, ADD went timestamp; SELECT pegs_set_bins('kinds', 'came', '2024-01-01'::timestamp, '2025-01-01', 12, parts => '{date, hour}');
		SELECT pegs_order('kinds', 'came', 'went', '1 day'); SELECT count(*) FROM pegs_domain('kinds') WHERE column_name ~ '[.]| - '; ROLLBACK"), "\n\n3", 'updated: parts and an order');
	is($pegs->value("SELECT encode(pegs_export('stated'), 'hex')"), $export, 'updated: the same file of a model');
	# what a DBA has granted is not taken for the extension's own, which a dump leaves out: also on what the update grants to all
	my ($all_rights) = run_command([ 'pg_dump', '--schema-only', '-d', $node->connstr('postgres') ]);
	cmp_ok($pegs->value($granted), '>=', $was_granted, 'updated: what was granted is granted');
	is(scalar(() = $all_rights =~ /^GRANT ALL ON FUNCTION public\..* TO curator;$/mg), $pegs->value($granted), 'updated: a dump has all of it');
	# who may grant a model may limit the grant, too, and who may fit may learn; so says a dump
	for my $function ('pegs_limit(text,name,bigint,bigint)', 'pegs_withdraw(text,name)', 'pegs_learn_levels(regclass,name,double precision,double precision)', 'pegs_learn_range(regclass,name,double precision,int)')
	{
		is($pegs->value("SELECT has_function_privilege('curator', '$function', 'EXECUTE') || ' ' || has_function_privilege('analyst', '$function', 'EXECUTE')"),
			'true false', "updated: $function: granted to whom the older function was");
		my ($text) = run_command([ 'pg_dump', '--schema-only', '-d', $node->connstr('postgres') ]);
		my ($word) = $function =~ /^(\w+)/;
		like($text, qr/^GRANT ALL ON FUNCTION public\.$word\(.* TO curator;$/m, "updated: $function: so says a dump");
	}
	$pegs->charges('updated: the session that was there before', 0.1, sub { $session->query($count) });
	$session->quit;
	$pegs->charges('updated: a sample', 0.1, sub { scalar $pegs->analyst($count) });
	is($pegs->copied_from, '', 'updated: no copy');
	is($pegs->value('SELECT count(*) FROM pegs_internal.budget WHERE home IS NULL OR entry IS NULL'), 0, 'updated: accounts that were at home are known by their files from now on');
	is($pegs->value('SELECT bool_and(ok) FROM pegs_verify_ledger()'), 't', 'updated: the ledger is whole');
	is($pegs->value("SELECT string_agg(v.finding || ' ' || v.\"from\" || ' ' || v.\"to\", ',') FROM pegs_verify_ledger('kinds') AS v WHERE part = 'epsilon' AND finding LIKE 'gap%'"),
		'gap: rolled back or still open 1.85 2.1', 'updated: the charge that was rolled back before is a gap');
	$pegs->value("CREATE TABLE later (b boolean NOT NULL); SELECT pegs_set_budget('later', 1)");
	is($pegs->value("SELECT pegs_fit('later', 'later', epsilon => 1); SELECT spent, copied_from FROM pegs_budgets WHERE source = 'later'::regclass"), "\n1|", 'updated: a new budget');
	is($pegs->value("SELECT string_agg(accounting, ',') FROM pegs_budgets"), 'sum,sum,sum' . ($old eq '0.1.0' ? '' : ',sum'), 'updated: accounts that were there go on as sums, with delta, too');
	# nor is anything cheaper there than it was, or counted by another filter: what the fit and the rows ask for is added up
	my $kinds = "FROM pegs_budgets WHERE source = 'kinds'::regclass";
	my ($was, $delta_was) = split /\|/, $pegs->value("SELECT spent, delta_spent $kinds");
	$pegs->value("SELECT pegs_fit('mixed', 'kinds', ARRAY['kind', 'n'], epsilon => 0.5, delta => 1e-7); SELECT pegs_drop('mixed')");
	is($pegs->value("SELECT (spent - $was)::float8, (delta_spent - $delta_was)::float8, rho IS NULL $kinds"), '0.5|1e-07|t', 'updated: a fit with delta costs all that it asks for');
	$pegs->value("SELECT count(*) FROM pegs_sample('chosen', 1000, 0.25, delta => 1e-8) AS t(kind text, n int)");
	is($pegs->value("SELECT (spent - $was)::float8, (delta_spent - $delta_was)::float8 $kinds"), '0.75|1.1e-07', 'updated: and so do rows with delta');
	$pegs->refuses('updated: such an account is not turned into one in rho', '55000', "SELECT pegs_set_budget('kinds', 5, 1e-6, 'zcdp')", 'postgres');
	$pegs->value("CREATE TABLE latest (b boolean NOT NULL); SELECT pegs_set_budget('latest', 1, 1e-6)");
	is($pegs->value("SELECT accounting FROM pegs_budgets WHERE source = 'latest'::regclass"), 'zcdp', 'updated: a new one with delta is in rho');
	like($pegs->value("SELECT pegs_fit('of latest', 'latest', epsilon => 1, delta => 1e-9); SELECT spent FROM pegs_budgets WHERE source = 'latest'::regclass"), qr/^\n0\.77/, 'updated: and is charged so');

	# The copy that was made before.
	$copy->value('ALTER EXTENSION pegs UPDATE');
	is($copy->value('SELECT count(*) FROM pegs_internal.budget WHERE home IS NOT NULL OR entry IS NOT NULL'), 0, 'a copy, updated: its accounts are not brought home');
	$copy->is_a_copy('a copy, updated', qr/^in another database of this cluster$/, $free);
	$copy->adopts_by_hint('a copy, updated');

	# ---- a dump of the old version, and one of the updated, restored: both make the new version ----

	command_ok([ 'pg_dump', '-d', $node->connstr('postgres'), '-f', "$tmp/updated.sql" ], 'updated: pg_dump');
	delete $same{bodies};	# those of sealed models stay behind
	for my $which ('old', 'updated', 'old_first')
	{
		my $file = $which =~ s/_first//r;
		my $is_old = $file eq 'old';
		my $said = '';
		$node->safe_psql('template1', "CREATE DATABASE from_$which TEMPLATE template0");
		# the way that loses nothing: its own version is there when the old dump comes
		$node->safe_psql("from_$which", "CREATE EXTENSION pegs VERSION '$old'") if $which eq 'old_first';
		# rights on a function that has other arguments now are not restored, and everything else is
		$node->psql("from_$which", '', on_error_stop => 0, stderr => \$said, extra_params => [ '-f', "$tmp/$file.sql" ]);
		my $rights = $which eq 'old' ? qr/^psql:\S+ ERROR:  function public\.pegs_\w+\(.*\) does not exist$/ : qr/^\z/;
		is(join("\n", grep { !/$rights/ } split /\n/, $said), '', "dump of the $which: restored");
		$node->safe_psql("from_$which", 'ALTER EXTENSION pegs UPDATE') if $which eq 'old_first';
		$node->safe_psql("from_$which", "SELECT pegs_allow('curator')") if $which eq 'old';	# as docs/dba.md says
		my $there = bless { node => $node, db => "from_$which" }, 'PegsLedger';
		is($there->value("SELECT extversion FROM pg_extension WHERE extname = 'pegs'"), $new, "dump of the $which: the extension is $new");
		for my $what (sort keys %same)
		{
			# what was spent, granted or set after the old dump is not in it
			next if $is_old && $what =~ /^(budgets|ledger|grants)$/ || $which eq 'old' && $what eq 'rights on pegs_cost';
			is($there->value($same{$what}), $is_old ? $before{$what} : $pegs->value($same{$what}), "dump of the $which: $what");
		}
		$there->value("SELECT pegs_drop('m'); SELECT pegs_fit('m', 'visit', parents => '{}'); SELECT pegs_grant('m', 'analyst', epsilon => 1000)");
		$there->is_a_copy("dump of the $which", qr/^in another database of this cluster$/, $free);
		$there->adopts_by_hint("dump of the $which");
	}
	return $node;
}

data_survive('0.1.0')->stop;
my $node = data_survive('0.2.0');

# ---- what is updated is what is installed anew ----

# Everything that the catalogs say about the extension, a line each; no number of an object is in it. (pg_attver: some
# servers keep there when a column was made.)
my $listing = q{
WITH member AS (
	SELECT classid, objid, o.type, o.identity FROM pg_depend, pg_identify_object(classid, objid, 0) AS o
	WHERE refclassid = 'pg_extension'::regclass AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'pegs') AND deptype = 'e'
), part AS (
	-- what belongs to a member: indexes, constraints, defaults, rules, row types
	SELECT classid, objid FROM member
	UNION SELECT d.classid, d.objid FROM pg_depend AS d JOIN member AS m ON (d.refclassid, d.refobjid) = (m.classid, m.objid) WHERE d.deptype IN ('i', 'a')
), function AS (
	SELECT m.identity, p.* FROM member AS m JOIN pg_proc AS p ON m.classid = 'pg_proc'::regclass AND p.oid = m.objid
), relation AS (
	SELECT m.identity, c.* FROM member AS m JOIN pg_class AS c ON m.classid = 'pg_class'::regclass AND c.oid = m.objid
), line (what, value) AS (
	SELECT 'extension', to_jsonb(e) - '{oid,extowner,extnamespace,extconfig,extcondition}'::text[] || jsonb_build_object('owner', extowner::regrole, 'schema', extnamespace::regnamespace)
		FROM pg_extension AS e WHERE extname = 'pegs'
	UNION ALL SELECT 'dump ' || c.rel::regclass, to_jsonb(c.condition) FROM pg_extension, unnest(extconfig, extcondition) AS c (rel, condition) WHERE extname = 'pegs'
	UNION ALL SELECT 'member ' || identity, to_jsonb(type) FROM member
	UNION ALL SELECT 'comment on ' || o.identity || ' ' || d.objsubid, to_jsonb(d.description)
		FROM pg_description AS d JOIN part AS p ON (d.classoid, d.objoid) = (p.classid, p.objid), pg_identify_object(p.classid, p.objid, 0) AS o
	UNION ALL SELECT 'first rights of ' || identity || ' ' || objsubid, to_jsonb(ARRAY(SELECT unnest(initprivs)::text ORDER BY 1))
		FROM pg_init_privs JOIN member ON (classoid, objoid) = (classid, objid)
	UNION ALL SELECT 'schema ' || identity, to_jsonb(n) - 'oid' - 'nspowner' || jsonb_build_object('owner', nspowner::regrole)
		FROM member JOIN pg_namespace AS n ON classid = 'pg_namespace'::regclass AND n.oid = objid
	UNION ALL SELECT 'function ' || identity, to_jsonb(pg_get_functiondef(oid)) FROM function WHERE prokind <> 'a'
	UNION ALL SELECT 'function ' || identity, jsonb_build_object('owner', proowner::regrole, 'acl', ARRAY(SELECT unnest(proacl)::text ORDER BY 1), 'volatile', provolatile, 'parallel', proparallel,
		'strict', proisstrict, 'leakproof', proleakproof, 'definer', prosecdef, 'cost', procost, 'rows', prorows, 'support', prosupport::text, 'config', proconfig,
		'arguments', pg_get_function_arguments(oid), 'result', pg_get_function_result(oid), 'kind', prokind, 'source', prosrc, 'binary', probin,
		'acl is null', proacl IS NULL) FROM function
	UNION ALL SELECT 'aggregate ' || identity, to_jsonb(a) - '{aggfnoid,aggtranstype,aggmtranstype,aggsortop}'::text[]
		|| jsonb_build_object('transition type', aggtranstype::regtype, 'moving', aggmtranstype::regtype, 'sort', aggsortop::regoper)
		FROM function JOIN pg_aggregate AS a ON aggfnoid = function.oid
	UNION ALL SELECT 'type ' || identity, to_jsonb(t) - '{oid,typowner,typnamespace,typarray,typrelid,typelem,typbasetype,typcollation,typacl,typsubscript}'::text[]
		|| jsonb_build_object('owner', typowner::regrole, 'element', typelem::regtype, 'array', typarray::regtype, 'base', typbasetype::regtype, 'collation', typcollation::regcollation,
			'acl', ARRAY(SELECT unnest(typacl)::text ORDER BY 1), 'acl is null', typacl IS NULL)
		FROM member JOIN pg_type AS t ON classid = 'pg_type'::regclass AND t.oid = objid
	UNION ALL SELECT 'relation ' || identity, jsonb_build_object('owner', relowner::regrole, 'kind', relkind, 'persistence', relpersistence, 'options', reloptions,
		'acl', ARRAY(SELECT unnest(relacl)::text ORDER BY 1), 'acl is null', relacl IS NULL, 'row security', relrowsecurity, 'forced', relforcerowsecurity,
		'replica identity', relreplident, 'triggers', relhastriggers, 'checks', relchecks, 'tablespace', reltablespace, 'columns', relnatts) FROM relation
	UNION ALL SELECT 'view ' || identity, to_jsonb(pg_get_viewdef(oid)) FROM relation WHERE relkind IN ('v', 'm')
	UNION ALL SELECT 'sequence ' || identity, to_jsonb(s) - 'seqrelid' FROM relation JOIN pg_sequence AS s ON seqrelid = oid
	UNION ALL SELECT 'column ' || identity || '.' || attname, jsonb_build_object('number', attnum, 'type', format_type(atttypid, atttypmod), 'not null', attnotnull,
		'default', pg_get_expr(adbin, adrelid), 'storage', attstorage, 'statistics', coalesce(attstattarget, -1), 'compression', attcompression, 'identity', attidentity,
		'generated', attgenerated, 'collation', attcollation::regcollation, 'acl', attacl,
		'options', ARRAY(SELECT o FROM unnest(attoptions) AS o WHERE o !~ '^pg_attver=' ORDER BY o), 'inherited', attinhcount)
		FROM relation JOIN pg_attribute AS a ON attrelid = relation.oid LEFT JOIN pg_attrdef ON (adrelid, adnum) = (attrelid, attnum) WHERE attnum > 0 AND NOT attisdropped
	UNION ALL SELECT 'constraint ' || identity || ' ' || conname, to_jsonb(pg_get_constraintdef(n.oid) || CASE WHEN convalidated THEN '' ELSE ' not valid' END)
		FROM relation JOIN pg_constraint AS n ON conrelid = relation.oid
	UNION ALL SELECT 'index ' || identity || ' ' || indexrelid::regclass, to_jsonb(i) - '{indexrelid,indrelid,indcollation,indclass,indexprs,indpred}'::text[]
		|| jsonb_build_object('definition', pg_get_indexdef(indexrelid)) FROM relation JOIN pg_index AS i ON indrelid = relation.oid
	UNION ALL SELECT 'trigger ' || identity, to_jsonb(pg_get_triggerdef(t.oid)) FROM relation JOIN pg_trigger AS t ON tgrelid = relation.oid AND NOT tgisinternal
	UNION ALL SELECT 'policy ' || identity || ' ' || polname, to_jsonb(polcmd) FROM relation JOIN pg_policy ON polrelid = relation.oid
	UNION ALL SELECT 'statistics ' || identity || ' ' || stxname, to_jsonb(pg_get_statisticsobjdef(s.oid)) FROM relation JOIN pg_statistic_ext AS s ON stxrelid = relation.oid
	UNION ALL SELECT DISTINCT 'dependency ' || pg_describe_object(d.classid, d.objid, d.objsubid) || ' on ' || pg_describe_object(d.refclassid, d.refobjid, d.refobjsubid), to_jsonb(d.deptype)
		FROM pg_depend AS d JOIN part AS p ON (d.classid, d.objid) = (p.classid, p.objid)
)
SELECT regexp_replace(what || ': ' || value::text, '(pg_toast|RI_ConstraintTrigger_.)_\d+', '\1', 'g') AS line FROM line};

sub listing_of
{
	my ($name, $schema, $sql) = @_;
	$node->safe_psql('template1', "CREATE DATABASE $name TEMPLATE template0");
	$node->safe_psql($name, "CREATE SCHEMA IF NOT EXISTS $schema; $sql");
	my $lines = $node->safe_psql($name, "SET search_path = pg_catalog; $listing");
	# the objects of the extension one by one, as pg_upgrade makes them anew
	my ($dump, $err) = run_command([ 'pg_dump', '--schema-only', '--binary-upgrade', '-d', $node->connstr($name) ]);
	# without the numbers of objects, files and transactions, and what is drawn for each dump
	$dump =~ s/^(SELECT pg_catalog\.binary_upgrade_set_next_|SET relfrozenxid |WHERE oid ).*$//mg;
	$dump =~ s/^(SELECT pg_catalog\.binary_upgrade_create_empty_extension.*)$/$1 =~ s,\d+,N,gr/mge;
	# nor the order in which tables were said to be dumped: an update says it of new ones last ('dump' in the listing has the pairs)
	$dump =~ s/(create_empty_extension\([^{}]*\{[^{}]*\}', '\{")([^{}]*)(?="\}')/$1 . join '","', sort split m{","}, $2, -1/e or die 'which tables are dumped?';
	$dump =~ s/^\\(un)?restrict .*$//mg;
	return ($lines, $dump);
}

# Lines, however often, that are in the first text and not in the second.
sub only_in
{
	my ($first, $second) = @_;
	my %n;

	$n{$_}++ for split /\n/, $second;
	return join "\n", grep { length && --$n{$_} < 0 } sort split /\n/, $first;
}

for my $way ([ '0.1.0', 'public' ], [ '0.2.0', 'public' ], [ '0.2.0', '"Pegs, of old"' ])
{
	my ($from, $schema) = @$way;
	my $n = ($schema eq 'public' ? 'public' : 'schema') . '_' . $from =~ tr/.//dr;
	my @fresh = listing_of("fresh_$n", $schema, "CREATE EXTENSION pegs SCHEMA $schema");
	my @updated = listing_of("updated_$n", $schema, "CREATE EXTENSION pegs SCHEMA $schema VERSION '$from'; ALTER EXTENSION pegs UPDATE");

	for my $i (0, 1)
	{
		my $what = ('the catalogs', "pg_dump of the extension's objects")[$i];

		cmp_ok(length $fresh[$i], '>', 50000, "in $schema, from $from: $what say much");
		is(only_in($fresh[$i], $updated[$i]), '', "in $schema, from $from: $what: nothing is only in the fresh install");
		is(only_in($updated[$i], $fresh[$i]), '', "in $schema, from $from: $what: nothing is only in the updated one");
	}
}

# ---- what a DBA took back stays so, though default privileges reach what an update makes anew ----

$node->safe_psql('postgres', 'CREATE DATABASE defaults TEMPLATE template0');
$node->safe_psql('defaults', q{CREATE ROLE late_bob; ALTER DEFAULT PRIVILEGES GRANT EXECUTE ON FUNCTIONS TO late_bob;
	CREATE EXTENSION pegs VERSION '0.2.0'; DO $$ DECLARE f record; BEGIN FOR f IN SELECT oid::regprocedure AS name FROM pg_proc WHERE proname IN ('pegs_fit', 'pegs_fit_state', 'pegs_spec', 'pegs_audit') LOOP
	EXECUTE format('REVOKE ALL ON FUNCTION %s FROM late_bob', f.name); END LOOP; END $$; ALTER EXTENSION pegs UPDATE});
is($node->safe_psql('defaults', q{SELECT string_agg(proname, ' ') FROM pg_proc WHERE proname IN ('pegs_fit', 'pegs_fit_state', 'pegs_spec', 'pegs_audit') AND has_function_privilege('late_bob', oid, 'EXECUTE')}), '', 'taken back before the update, and after it');
$node->safe_psql('defaults', 'DROP OWNED BY late_bob; DROP ROLE late_bob');

$node->stop;
done_testing();
