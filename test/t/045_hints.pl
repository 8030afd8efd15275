# A hint that gives a command gives one that runs: each is provoked, what it prints is pasted by the role that saw it, and what
# failed before works where the hint says that it will. Only what a person must fill in ("...", n, a name) is put in here.
# test/house/hints looks at the names in all hints; this is of those that people meet first.
use strict;
use warnings;
use Test::More;
use PegsLedger;

my $pegs = PegsLedger->new('hints');
my $node = $pegs->node;
$pegs->set_up_free;
$node->safe_psql('postgres', q{
	SELECT pegs_allow('curator'); GRANT CREATE ON SCHEMA public TO curator, analyst; CREATE ROLE other LOGIN; CREATE ROLE guest LOGIN;
	SET ROLE curator;
	CREATE TABLE "It's" (ward text NOT NULL CHECK (ward IN ('A', 'B')), who int NOT NULL, code text NOT NULL, age int NOT NULL, j jsonb); INSERT INTO "It's" SELECT substr('AB', 1 + i % 2, 1), i / 2, 'x' || i % 3, i FROM generate_series(0, 39) AS i;
	CREATE TABLE bare (b boolean NOT NULL); CREATE TABLE empty (t text); CREATE TABLE twin AS SELECT * FROM visit;
	CREATE MATERIALIZED VIEW kept AS SELECT * FROM visit WITH NO DATA;
	CREATE VIEW simple AS SELECT * FROM visit; GRANT SELECT ON simple, twin TO guest; ALTER TABLE twin ENABLE ROW LEVEL SECURITY; CREATE POLICY p ON twin USING (true)});

# Output, and all hints of it, one a line.
sub run
{
	my ($role, $sql) = @_;
	my ($out, $err) = ('', '');

	$node->psql('postgres', $sql, stdout => \$out, stderr => \$err, on_error_stop => 0, extra_params => [ '-U', $role ]);
	return ($out, $err, join("\n", $err =~ /^HINT:  (.*)/mg));
}

# what is said, to whom, after what; what a person puts in; the commands that the hint must have; what works afterwards
my @cases = (
	[ 'no budget', 'curator', "SELECT pegs_fit('b', 'bare', epsilon => 0.5)", {}, 1, "SELECT pegs_fit('b', 'bare', epsilon => 0.5)" ],
	[ 'a budget of NULL', 'curator', q{SELECT pegs_set_budget('"It''s"', NULL)}, {}, 1, q{SELECT pegs_set_levels('"It''s"', 'code', ARRAY['x0', 'x1', 'x2']), pegs_set_budget('"It''s"', 100)} ],
	[ 'less than is spent', 'curator', "SELECT pegs_set_budget('bare', 0.1)", {}, 1, "SELECT pegs_set_budget('bare', 100)" ],
	[ 'a total is forgotten', 'curator', "SELECT pegs_set_budget('empty', 1, 1e-9); SELECT pegs_set_budget('empty', 2)", {}, 1, "SELECT 1 / (delta = 1e-9)::int FROM pegs_budgets WHERE source = 'empty'::regclass" ],
	[ 'slices of a column that can be updated', 'curator', "CREATE TABLE ticks (at date NOT NULL, k text NOT NULL CHECK (k IN ('a', 'b'))); SELECT pegs_set_budget('ticks', 100); SELECT pegs_set_slices('ticks', 'at', '1 day', '2026-01-01', 1)", {}, 2, "SELECT pegs_set_slices('ticks', 'at', '1 day', '2026-01-01', 1)" ],
	[ 'slices that there are', 'curator', "SELECT pegs_set_slices('ticks', 'at', '1 day', '2026-01-01', 1)", {}, 1, "SELECT pegs_set_slices('ticks', 'at', '1 day', '2026-01-01', 1)" ],
	[ 'slices by a list, of a column that can be updated', 'curator', "CREATE TABLE tacks (r text NOT NULL, k text NOT NULL CHECK (k IN ('a', 'b'))); SELECT pegs_set_budget('tacks', 100); SELECT pegs_set_slices('tacks', 'r', slices => ARRAY['x', 'y'], epsilon => 1, delta => 0)", {}, 2, "SELECT pegs_set_slices('tacks', 'r', slices => ARRAY['x', 'y'], epsilon => 1, delta => 0)" ],
	[ 'a list that there is', 'curator', "SELECT pegs_set_slices('tacks', 'r', slices => ARRAY['z'], epsilon => 1, delta => 0)", {}, 1, "SELECT pegs_set_slices('tacks', 'r', slices => ARRAY['z'], epsilon => 1, delta => 0)" ],
	[ 'slices by a label that was renamed', 'curator', "CREATE TYPE tick AS ENUM ('x', 'y'); CREATE TABLE tucks (r tick, k text NOT NULL CHECK (k IN ('a', 'b'))); SELECT pegs_set_budget('tucks', 100); CREATE TRIGGER zz BEFORE UPDATE ON tucks FOR EACH ROW EXECUTE FUNCTION pegs_keep_slices('r');
		ALTER TABLE tucks ENABLE ALWAYS TRIGGER zz; SELECT pegs_set_slices('tucks', 'r', 1, 0, ARRAY['x', 'y']); ALTER TYPE tick RENAME VALUE 'x' TO 'it''s'; SELECT pegs_fit_slices('tucks', 'tucks', most => 1)", {}, 1, "SELECT pegs_fit_slices('tucks', 'tucks', most => 1)" ],
	[ 'by one that is another value now', 'curator', "ALTER TYPE tick RENAME VALUE 'y' TO 'z'; ALTER TYPE tick RENAME VALUE 'x' TO 'y'; SELECT pegs_fit_slices('tucks', 'tucks')", {}, 1 ],
	[ 'and its own by another', 'curator', "SELECT pegs_fit_slices('tucks', 'tucks')", {}, 1, "SELECT pegs_fit_slices('tucks', 'tucks')" ],
	[ 'slices by a domain over an enum', 'curator', "CREATE DOMAIN tack AS tick; CREATE TABLE tecks (r tack, k text NOT NULL CHECK (k IN ('a', 'b'))); SELECT pegs_set_budget('tecks', 100); CREATE TRIGGER zz BEFORE UPDATE ON tecks FOR EACH ROW EXECUTE FUNCTION pegs_keep_slices('r');
		ALTER TABLE tecks ENABLE ALWAYS TRIGGER zz; SELECT pegs_set_slices('tecks', 'r', 1, 0, ARRAY['x', 'y'])", {}, 1, "SELECT pegs_set_slices('tecks', 'r', 1, 0, ARRAY['x', 'y'])" ],
	[ 'slices that are complete', 'curator', "SELECT pegs_fit_slices('ticks', 'ticks', most => 2)", {}, 1 ],
	[ 'slices of another model', 'curator', "SELECT pegs_fit_slices('tocks', 'ticks')", {}, 1 ],
	[ 'slices fitted anew', 'curator', "SELECT pegs_refit('ticks')", {}, 1 ],
	[ 'a model that is of no slices', 'curator', "SELECT pegs_fit_slices('noisy', 'ticks')", {}, 1 ],
	[ 'more delta than the budget has', 'curator', "CREATE TABLE dear (b boolean NOT NULL); SELECT pegs_set_budget('dear', 1, 1e-9); SELECT pegs_fit('dear', 'dear', epsilon => 0.5, delta => 1e-8)", {}, 1, "SELECT pegs_fit('dear', 'dear', epsilon => 0.5, delta => 1e-8)" ],
	[ 'another accounting', 'curator', "SELECT pegs_set_budget('dear', 3, 1e-8, 'sum')", {}, 1, "SELECT 1 / (epsilon = 3)::int FROM pegs_budgets WHERE source = 'dear'::regclass" ],
	[ 'no delta any more', 'curator', "SELECT pegs_set_budget('dear', 4)", {}, 1, "SELECT 1 / (epsilon = 4 AND delta = 1e-8)::int FROM pegs_budgets WHERE source = 'dear'::regclass" ],
	[ 'in rho without delta', 'curator', "CREATE TABLE rho (b boolean NOT NULL); SELECT pegs_set_budget('rho', 1, accounting => 'zcdp')", {}, 1, "SELECT pegs_fit('rho', 'rho', epsilon => 0.5, delta => 1e-10)" ],
	[ 'a fit with delta in a budget of sums without it', 'curator', "CREATE TABLE sums (at date NOT NULL, who int NOT NULL, k text NOT NULL CHECK (k IN ('a', 'b'))); SELECT pegs_set_budget('sums', 10); SELECT pegs_fit('sums', 'sums', ARRAY['k'], epsilon => 1, delta => 1e-9)", {}, 1, "SELECT pegs_fit('sums', 'sums', ARRAY['k'], epsilon => 1, delta => 1e-9)" ],
	[ 'rows with delta in a budget of sums without it', 'curator', "CREATE TABLE sealed (k text NOT NULL CHECK (k IN ('a', 'b'))); SELECT pegs_set_budget('sealed', 10); SET client_min_messages = warning; SELECT pegs_fit('sealed', 'sealed', parents => '{}'); SELECT * FROM pegs_sample('sealed', 100, 1, delta => 1e-9) AS t(k text)", {}, 1, "SELECT * FROM pegs_sample('sealed', 100, 1, delta => 1e-9) AS t(k text)" ],
	[ 'a sealed model is fitted anew', 'curator', "SELECT pegs_refit('sealed')", {}, 1, "SELECT pegs_fit('sealed', 'sealed', parents => '{}')" ],
	[ 'columns that are all zeros, in rho', 'curator', "CREATE TABLE zeros (a int, b int, c int, d int, e int, f int); INSERT INTO zeros SELECT 0, 0, 0, 0, 0, 0 FROM generate_series(1, 100); SELECT pegs_set_budget('zeros', 3, 1e-6); SELECT pegs_learn('zeros', 1, 1e-6)", { '{...}' => '{0, 10}' }, 3, "SELECT 1 / (remaining > 1)::int FROM pegs_budgets WHERE source = 'zeros'::regclass" ],
	[ 'slices of persons', 'curator', "CREATE TRIGGER keep BEFORE UPDATE ON sums FOR EACH ROW EXECUTE FUNCTION pegs_keep_slices('at'); ALTER TABLE sums ENABLE ALWAYS TRIGGER keep; SET client_min_messages = warning; SELECT pegs_set_unit('sums', 'who', 3); SELECT pegs_set_slices('sums', 'at', '1 day', '2026-01-01', 1)", {}, 1, "SELECT pegs_set_slices('sums', 'at', '1 day', '2026-01-01', 1)" ],
	[ 'slices that overlap', 'curator', "SELECT pegs_set_slices('sums', 'at', '1 month', '2026-01-05', 1)", { 'The slices that there are: ' => "SELECT pegs_set_slices('sums', epsilon => 1, ", "width => '1 day'" => "width => '1 month'", "zone => 'UTC'" => "zone => 'UTC')" }, 1 ],
	[ 'no such model', 'curator', "SELECT pegs_describe('nothing')", {}, 2 ],
	[ 'no such model, an analyst', 'analyst', "SELECT pegs_certificate('nothing')", {}, 2 ],
	[ 'a name that is taken', 'curator', "SELECT pegs_fit('b', 'bare', epsilon => 0.1)", {}, 1, "SELECT pegs_fit('b', 'bare', epsilon => 0.1)" ],
	[ 'a name that is taken, a release', 'curator', "SELECT pegs_release('noisy_rows', 'noisy', 10)", {}, 1, "SELECT pegs_release('noisy_rows', 'noisy', 10)" ],
	[ 'sealed, because epsilon is missing', 'curator', "SELECT pegs_fit('s', 'bare', parents => '{}')", {}, 2, "SELECT count(*) FROM pegs_sample('s', 3) AS t(b boolean)" ],
	[ 'sealed, columns named', 'curator', q{SELECT pegs_fit('s''', '"It''s"', ARRAY['ward', 'code'], parents => '{}')}, {}, 2, "SELECT count(*) FROM pegs_sample('s''', 3) AS t(ward text)" ],
	[ 'a column without a domain', 'curator', q{SELECT pegs_fit('x', '"It''s"', ARRAY['age'], epsilon => 0.1)}, { "ARRAY['...', '...']" => "ARRAY['0', '40']" }, 1, q{SELECT pegs_fit('x', '"It''s"', ARRAY['age'], epsilon => 0.1)} ],
	[ 'a text without a domain', 'curator', "SELECT pegs_fit('x2', 'empty', epsilon => 0.1)", { '...' => 'x' }, 1, "SELECT pegs_fit('x2', 'empty', epsilon => 0.1)" ],
	[ 'no such column', 'curator', "SELECT pegs_fit('x3', 'visit', ARRAY['wards'], epsilon => 0.1)", {}, 1 ],
	[ 'no such column, levels', 'curator', "SELECT pegs_set_levels('visit', 'wards', ARRAY['x'])", {}, 1 ],
	[ 'no such column, unset', 'curator', "SELECT pegs_unset('visit', 'ward')", {}, 1 ],
	[ 'no such column, keys', 'curator', "SELECT count(*) FROM pegs_k_anonymity('visit', ARRAY['wards'])", { '...' => "'visit'" }, 1 ],
	[ 'no such column, keys of a plan', 'curator', "SELECT pegs_generalize('visit', ARRAY['wards'])", {}, 1 ],
	[ 'a plan that is none', 'curator', "SELECT * FROM pegs_generalized('visit', '{}') AS t(ward text)", {}, 1 ],
	[ 'a column that rows by a plan lack', 'curator', "SELECT * FROM pegs_generalized('visit', pegs_generalize('visit', ARRAY['ward'], 1)) AS t(wards text)", {}, 1 ],
	[ 'nothing to model', 'curator', "CREATE TABLE only_key (id serial PRIMARY KEY); SELECT pegs_set_budget('only_key', 1); SELECT pegs_fit('x4', 'only_key', epsilon => 0.1)", {}, 1 ],
	[ 'an undeclared value', 'curator', q{SELECT pegs_set_levels('"It''s"', 'code', ARRAY['x0']); SELECT pegs_fit('x5', '"It''s"', ARRAY['code'], epsilon => 0.1)}, { 'ARRAY[...]' => "ARRAY['x0', 'rest']", "'...'" => "'rest'" }, 3, q{SELECT pegs_fit('x5', '"It''s"', ARRAY['code'], epsilon => 0.1)} ],
	[ 'a value outside its bins', 'curator', q{SELECT pegs_set_bins('"It''s"', 'age', ARRAY['0', '9']); SELECT pegs_fit('x6', '"It''s"', ARRAY['age'], epsilon => 0.1)}, { 'ARRAY[...]' => "ARRAY['0', '9', '100']" }, 3, q{SELECT pegs_fit('x6', '"It''s"', ARRAY['age'], epsilon => 0.1)} ],
	[ 'points without braces', 'curator', q{SELECT pegs_set_bins('"It''s"', 'age', ARRAY[0, 9, 100], points => '0')}, { "points => '{...}'" => q{SELECT pegs_set_bins('"It''s"', 'age', ARRAY[0, 9, 100], points => '{0}')} }, 1 ],
	[ 'a combination of what is not declared', 'curator', q{SELECT pegs_forbid('visit', '{"ward": "X"}')}, { '...' => "'visit'" }, 1 ],
	[ 'a model without a guarantee is granted', 'curator', q{CREATE TABLE flatly ("a b" text NOT NULL CHECK ("a b" IN ('x', 'y')), k text NOT NULL CHECK (k IN ('p', 'q'))); SELECT pegs_set_budget('flatly', 10);
		SELECT pegs_fit('pub', 'flatly', method => 'table', options => '{"guarantee": "none"}'); SELECT pegs_grant('pub', 'other')}, {}, 1, "SELECT pegs_grant('pub, with a guarantee', 'other')" ],
	[ 'what is forbidden, in an l-diverse model', 'curator', q{SELECT pegs_forbid('flatly', '{"a b": "x", "k": "p"}'); SELECT pegs_fit('of plain', 'flatly', parents => '{}', options => '{"l_diversity": 1.5}')}, {}, 1,
		q{SELECT pegs_fit('of plain', 'flatly', parents => '{}', options => '{"l_diversity": 1.5}')} ],
	[ 'a model where a release is asked for', 'curator', "SELECT * FROM pegs_rows('pub, with a guarantee') AS t(k text)", {}, 2 ],
	[ 'a sealed one', 'curator', "SET client_min_messages = warning; SELECT pegs_fit('shut', 'flatly', parents => '{}'); SELECT * FROM pegs_rows('shut') AS t(k text)", {}, 2 ],
	[ 'a release where a model is asked for', 'curator', "SELECT pegs_release('five rows', 'pub, with a guarantee', 5); SELECT * FROM pegs_sample('five rows', 5) AS t(k text)", {}, 2 ],
	[ 'a sealed model is granted without a share', 'curator', "SELECT pegs_grant('m', 'other')", {}, 1, "SET ROLE postgres; SET ROLE other; SELECT pegs_cost('m', 3, 0.1)", 'postgres' ],
	[ 'a sealed model is sampled without epsilon', 'analyst', "SELECT * FROM pegs_sample('m', 3) AS t(ward text)", { ', n, epsilon' => ', 3, 0.5' }, 1 ],
	[ 'another column', 'analyst', "SELECT * FROM pegs_sample('noisy', 3) AS t(wards text)", { '(...)' => "('noisy', 3)" }, 1 ],
	[ 'another type', 'curator', "SELECT * FROM pegs_rows('noisy_rows') AS t(ward int)", { '(...)' => "('noisy_rows')" }, 1 ],
	[ 'not in FROM', 'analyst', "SELECT pegs_sample('noisy', 3)", { '(...)' => "('noisy', 3)", '(name type, ...), with' => '(ward text); with' }, 1 ],
	[ 'not in FROM, a row type', 'analyst', "SELECT pegs_sample_as(NULL::visit, 'm', 3, 0.1)", { '(...)' => "(NULL::visit, 'm', 3, 0.1)" }, 1 ],
	[ 'no row type', 'analyst', "SELECT * FROM pegs_sample_as(NULL::int, 'noisy', 3)", { 'my_table, ...' => "visit, 'noisy', 3" }, 1 ],
	[ 'given a level that is not declared', 'analyst', q{SELECT * FROM pegs_sample('noisy', 3, given => '{"ward": "X"}') AS t(male boolean)}, {}, 1 ],
	[ 'given what its type refuses', 'analyst', q{SELECT * FROM pegs_sample('noisy', 3, given => '{"male": "abc"}') AS t(ward text)}, {}, 1 ],
	[ 'a sealed model is sampled without n', 'analyst', "SELECT * FROM pegs_sample('m', epsilon => 0.5) AS t(ward text)", { 'Give a number: n => 1000' => "SELECT * FROM pegs_sample('m', epsilon => 0.5, n => 10) AS t(ward text)" }, 1 ],
	[ 'a view of another kind', 'curator', "SELECT pegs_view_sql('noisy', 'v', kind => 'table')", { "kind => 'materialized view'" => "SELECT pegs_view_sql('noisy', 'v', kind => 'materialized view')" }, 1 ],
	[ 'a view of a sealed model', 'curator', "SELECT pegs_view_sql('m', 'v')", { "'kept'" => "'made'", '1000, epsilon => 1' => '3, 0.5' }, 1, "SELECT pegs_view_sql('made', 'v')" ],
	[ 'a grant with releases is revoked', 'postgres', "SET ROLE analyst; SELECT pegs_release('a1', 'm', 3, 0.1, 3); RESET ROLE; SELECT pegs_revoke('m', 'analyst')", {}, 1, "SELECT 1 / (count(*) = 0)::int FROM pegs_releases WHERE name = 'a1'" ],
	[ 'withdrawn of a release', 'curator', "SELECT pegs_withdraw('noisy_rows', 'analyst')", {}, 1 ],
	[ 'audited with what is of samples', 'curator', "SELECT * FROM pegs_audit('noisy', 200, block => 2)", {}, 1 ],
	[ 'a perturbed model is verified', 'curator', "SELECT pegs_verify('noisy')", {}, 1 ],
	[ 'a unit of no rows', 'curator', q{SELECT pegs_set_unit('"It''s"', 'who', 0)}, {}, 1 ],
	[ 'a unit of many rows', 'curator', q{SELECT pegs_set_unit('"It''s"', 'who', 20)}, {}, 1 ],
	[ 'a unit that is renamed', 'curator', q{ALTER TABLE "It's" RENAME who TO whose; SELECT pegs_fit('x7', '"It''s"', ARRAY['ward'], epsilon => 0.1)}, { qq{ Or SELECT pegs_set_unit('public."It''s"', 'whose', 20);} => '' }, 1, q{SELECT pegs_fit('x7', '"It''s"', ARRAY['ward'], epsilon => 0.1)} ],
	[ 'a unit by its new name', 'curator', q{ALTER TABLE "It's" RENAME who TO whose; SELECT pegs_fit('x7b', '"It''s"', ARRAY['ward'], epsilon => 0.1)}, { q{ALTER TABLE public."It's" RENAME COLUMN whose TO who; gives it that name again, and all is as it was. Or } => '' }, 1,
		q{SELECT pegs_fit('x7b', '"It''s"', ARRAY['ward'], epsilon => 0.1)} ],
	[ 'a view without the unit', 'curator', q{CREATE VIEW its AS SELECT ward FROM "It's"; SELECT pegs_fit('x8', 'its', epsilon => 0.1)}, {}, 1, "SELECT pegs_fit('x8', 'its', epsilon => 0.1)" ],
	[ 'what a unit costs', 'curator', "SELECT * FROM pegs_unit_cost(NULL)", {}, 1 ],
	[ 'levels of a boolean are learnt', 'curator', "SELECT pegs_learn_levels('visit', 'male', 0.1, 1e-9)", {}, 1 ],
	[ 'the range of a text is learnt', 'curator', q{SELECT pegs_set_budget('"It''s"', 100, 1e-6); SELECT pegs_learn_range('"It''s"', 'code', 0.1)}, {}, 1 ],
	[ 'levels are learnt', 'curator', q{SELECT pegs_learn_levels('"It''s"', 'code', 1, 1e-6)}, {}, undef ],
	[ 'a range is learnt', 'curator', q{SELECT pegs_learn_range('"It''s"', 'age', 5)}, {}, 1 ],
	[ 'a materialized view without rows', 'curator', "SELECT pegs_fit('x9', 'kept', epsilon => 0.1)", {}, 1, "SELECT pegs_fit('x9', 'kept', epsilon => 0.1)" ],
	[ 'no right to allow', 'curator', "SELECT pegs_allow('other')", { '...' => 'other' }, 1, undef, 'postgres' ],
	[ 'nobody to allow', 'postgres', "SELECT pegs_allow(NULL)", { '...' => 'other' }, 1 ],
	[ 'nobody to disallow', 'postgres', "SELECT pegs_disallow('public')", { '...' => 'other' }, 1 ],
	[ 'as many releases as a grant may have', 'curator', "SELECT pegs_limit('noisy', 'analyst', max_releases => 1)", {}, undef ],
	[ 'a release more', 'analyst', "SELECT pegs_release('a2', 'noisy', 3); SELECT pegs_release('a3', 'noisy', 3)", { '(release)' => "('a2')", 'or ask a curator: pegs_limit(model, role, ' => "SELECT pegs_limit('noisy', 'analyst', ", '...).' => '2)' }, 2, "SET ROLE analyst; SELECT pegs_release('a3', 'noisy', 3)", 'postgres' ],
	[ 'its table was dropped', 'curator', "CREATE TABLE gone (b boolean NOT NULL); SELECT pegs_set_budget('gone', 1); SELECT pegs_fit('gone', 'gone', epsilon => 1); DROP TABLE gone; SELECT count(*) FROM pegs_utility_of('gone')", {}, 1, "SELECT 1 / count(*) FROM pegs_leftovers WHERE remedy LIKE '%pegs_drop%'" ],
	[ 'a part that has spent', 'curator', "CREATE TABLE whole (b boolean NOT NULL); ALTER TABLE bare INHERIT whole; SELECT pegs_set_budget('whole', 1)", {}, 1 ]);

sub follow
{
	my ($what, $role, $sql, $put, $n, $after, $by, $meanwhile) = @_;
	my (undef, $err, $hint) = run($role, $sql);

	return unless defined $n;
	$meanwhile->() if $meanwhile;

	if (!isnt($hint, '', "$what: there is a hint")) { diag($err); return }
	my $keys = join '|', map { quotemeta } sort { length $b <=> length $a } keys %$put;
	$hint =~ s/($keys)/$put->{$1}/g if %$put;
	my @commands = $hint =~ /\b((?:SELECT|REFRESH|CREATE|ALTER|SET) [^;\n]+)/g;
	is(scalar @commands, $n, "$what: commands") or diag($hint);
	for my $command (@commands)
	{
		is((run($by || $role, $command))[1] =~ /(ERROR:.*)/ ? $1 : '', '', "$what: $command");
	}
	is((run($by || $role, $after))[1] =~ /(ERROR:.*)/ ? $1 : '', '', "$what: then it works") if defined $after;
}
follow(@$_) for @cases;

# what is not declared is found by what the hint says, and nothing else is
$node->safe_psql('postgres', q{SET ROLE curator; CREATE TABLE odd (t text, n numeric NOT NULL, d date, tz timestamptz NOT NULL); INSERT INTO odd VALUES
	('a', 1.50, '2026-01-02', '2026-01-01 12:00+00'), ('b''c', 'NaN', NULL, '2026-01-01 10:00+00'), (NULL, -8, '2031-01-01', 'infinity'), ('a', 9, '2026-01-01', '2026-01-02 12:00+00')});
for my $case (
	[ "pegs_set_levels('odd', 't', ARRAY['a'])", "'b''c'" ], [ "pegs_set_levels('odd', 't', ARRAY['a', 'b''c'], nullable => false)", 'NULL' ],
	[ "pegs_set_levels('odd', 'n', ARRAY['1.5', '9'])", "'-8' 'NaN'" ], [ "pegs_set_bins('odd', 'n', ARRAY[0, 5])", "'9' '-8' 'NaN'" ],
	[ "pegs_set_bins('odd', 'n', ARRAY[0, 9], points => '{-8}')", "'NaN'" ],
	[ "pegs_set_bins('odd', 'd', ARRAY['2026-01-01', '2030-12-31'])", "'2031-01-01'" ], [ "pegs_set_bins('odd', 'd', ARRAY['2026-01-01', '2031-01-01'], nullable => false)", 'NULL' ],
	[ "pegs_set_bins('odd', 'tz', ARRAY['2026-01-01 11:00+00', '2026-01-03 00:00+00'])", 'infinity and ten o\'clock' ])
{
	my ($declared, $wanted) = @$case;
	my ($column) = $declared =~ /'odd', '(\w+)'/;
	my (undef, undef, $hint) = run('curator', "SELECT $declared; SELECT pegs_set_budget('odd', 1); SELECT pegs_fit('of odd', 'odd', ARRAY['$column'], epsilon => 1)");
	my ($query) = $hint =~ /(SELECT DISTINCT [^;]+)/;

	like($query // '', qr/^SELECT DISTINCT $column FROM public\.odd WHERE /, "$declared: the hint has a query") or diag($hint);
	next unless defined $query;
	my $found = $column eq 'tz' ? "SELECT CASE WHEN count(*) = 2 AND min($column) = '2026-01-01 10:00+00' AND max($column) = 'infinity' THEN 'infinity and ten o''clock' END FROM ($query) AS q"
		: "SELECT string_agg(quote_nullable($column), ' ' ORDER BY length($column\::text) IS NOT NULL, length($column\::text), $column\::text) FROM ($query) AS q";
	is((run('curator', $found))[0], $wanted, "$declared: it finds them");
}

# said of what is in an open transaction, and run when that has ended
for my $case ([ 'revoked', "SELECT pegs_revoke('m', 'other')", {} ], [ 'dropped', "SELECT pegs_drop('m')", { '(release)' => "('open')" } ])
{
	my ($what, $sql, $put) = @$case;
	my $maker = $pegs->background('postgres');

	run('curator', "SELECT pegs_withdraw('m'), pegs_grant('m', 'other', epsilon => 1)");
	$maker->query_safe("BEGIN; SET ROLE other; SELECT pegs_release('open', 'm', 3, 0.1, 3)");
	follow("$what while a release is made", 'curator', $sql, $put, 1, "SELECT 1 / (count(*) = 0)::int FROM pegs_releases WHERE name = 'open'", undef, sub { $maker->query_safe('COMMIT') });
	$maker->quit;
}

# said in a transaction that the error has aborted: what the hint says is done in the same session. Words that are no command
# stand for the first step, done again.
my $rolled_back = 'It is rolled back.';
run('curator', "CREATE TABLE fresh (b boolean NOT NULL); CREATE TABLE plain AS SELECT true AS b FROM generate_series(1, 4); SELECT pegs_set_levels('plain', 'b', ARRAY['f', 't']), pegs_set_budget('plain', 1); SELECT pegs_fit('m2', 'visit', parents => '{}')");
for my $case (
	[ 'a new budget', 'curator', "SELECT pegs_set_budget('fresh', 2, 1e-8)", "SELECT pegs_fit('fresh', 'fresh', epsilon => 1, delta => 1e-8)" ],
	[ 'a budget that is raised', 'curator', "SELECT pegs_set_budget('fresh', 3, 1e-7)", "SELECT pegs_fit('fresh2', 'fresh', epsilon => 2, delta => 1e-8)" ],
	[ 'a budget whose sequences are new', 'postgres', "ALTER SEQUENCE pegs_internal.epsilon_1 SET UNLOGGED; ALTER SEQUENCE pegs_internal.epsilon_1 SET LOGGED", "SELECT * FROM pegs_sample('m2', 3, 0.1, 3) AS t(ward text)" ],
	[ 'a grant', 'postgres', "SELECT pegs_grant('m2', 'guest', epsilon => 0.5)", "SET ROLE guest; SELECT * FROM pegs_sample('m2', 3, 0.1, 3) AS t(ward text)", 'grant in a transaction of its own (pegs_grant)' ],
	[ 'a model without a guarantee', 'curator', q{SELECT pegs_fit('diverse', 'plain', parents => '{}', options => '{"l_diversity": 1.5}')}, "SELECT * FROM pegs_sample('diverse', 2) AS t(b boolean)", 'fit the model in a transaction of its own' ])
{
	my ($what, $role, $first, $then, $words) = @$case;
	my (undef, undef, $hint) = run($role, "BEGIN; $first; $then; ROLLBACK");
	my ($end) = $hint =~ /^(\w+);/;
	my ($again) = defined $words ? $hint =~ /\Q$words\E/ && $first : $hint =~ /(SELECT [^;\n]+)/;
	my (undef, $err) = run($role, join('; ', 'BEGIN', $first, $then, $end // '', $again || '', $then) . ';');
	my @errors = $err =~ /^.*ERROR:  (.*)/mg;

	is(scalar @errors, 1, "$what of this transaction: what the hint says repairs it") or diag($hint, "\n", $err);
	like($errors[0] // '', qr/ (?:created or changed|made) in this transaction$/, "$what of this transaction: is refused");
}
for my $case ([ 'a budget', 'curator', "SELECT pegs_set_budget('fresh', 4, 1e-7)" ], [ 'a release', 'analyst', "SELECT pegs_release('prepared', 'noisy', 3)" ])
{
	my ($what, $role, $sql) = @$case;
	my (undef, $err, $hint) = run($role, "BEGIN; $sql; PREPARE TRANSACTION 'p'; BEGIN; $sql; COMMIT;");

	like($err, qr/cannot be prepared\n/, "$what: is not prepared");
	like($hint, qr/^\Q$rolled_back\E .*end (?:it|that) by COMMIT/m, "$what: the hint ends it by COMMIT");
	is(() = $err =~ /ERROR:|WARNING:/g, 1, "$what: and that works") or diag($err);
}

# what a charge makes final is said before it, once; a unit that was renamed; a column that a declaration leaves out
run('curator', q{CREATE TABLE client (id int PRIMARY KEY, v boolean NOT NULL); CREATE TABLE loan (id int PRIMARY KEY, client int NOT NULL REFERENCES client, v boolean NOT NULL);
	CREATE TABLE pay (id int PRIMARY KEY, client int NOT NULL REFERENCES client, loan int NOT NULL REFERENCES loan, v boolean NOT NULL);
	SELECT pegs_set_budget('client', 20, 1e-6), pegs_set_parent('loan', 'client', children => '{0, 1}', at_most => 1), pegs_set_parent('pay', 'loan', children => '{0, 1}', at_most => 1)});
my $final = qr/WARNING:  after this charge "pay" cannot be bound by another key: rows of a model have no "client"/;
unlike((run('curator', q{SELECT pegs_fit('c0', 'client', '{v}', parents => '{}')}))[1], $final, 'a fit that charges nothing makes nothing final');
like((run('curator', q{SELECT pegs_fit('c1', 'client', '{v}', epsilon => 1)}))[1], qr/$final.*HINT:  If it is always the row of "client" [^\n]*SELECT pegs_set_parent\('public.pay', NULL\);/s, 'the first charge says what it does');
unlike((run('curator', q{SELECT pegs_fit('c2', 'client', '{v}', epsilon => 1)}))[1], $final, 'the second does not');
run('curator', q{CREATE TABLE bed (pid int, "order" int, v boolean NOT NULL); SELECT pegs_set_budget('bed', 10, 1e-6), pegs_set_unit('bed', 'pid', 2); SELECT pegs_fit('beds', 'bed', '{v}', epsilon => 1); ALTER TABLE bed RENAME pid TO who; ALTER TABLE bed RENAME "order" TO pid});
like((run('curator', q{BEGIN; SELECT pegs_set_unit('bed', 'who', 2); ROLLBACK}))[2],
	qr/It is the same column, renamed: ROLLBACK; and ALTER TABLE public.bed RENAME COLUMN pid TO "column 2"; ALTER TABLE public.bed RENAME COLUMN who TO pid; keeps one unit/, 'a unit by its new name: what undoes that');
run('curator', q{CREATE TABLE place (id int PRIMARY KEY); CREATE TABLE shop (id int PRIMARY KEY, city int NOT NULL REFERENCES place, street int NOT NULL REFERENCES place, v boolean NOT NULL);
	CREATE TABLE sale (id int PRIMARY KEY, shop int NOT NULL REFERENCES shop, v boolean NOT NULL);
	SELECT pegs_set_budget('shop', 10, 1e-6), pegs_set_parent('sale', 'shop', children => '{0, 1}', at_most => 1), pegs_leave_out('shop', 'city')});
is(join(' ', (run('curator', q{SELECT pegs_fit_schema('shops', 'shop', epsilon => 1, delta => 1e-7)}))[1] =~ /NOTICE:  column "(\w+)" of table "shop" refers to/g), 'street', 'of a column that a declaration leaves out nothing is said');
$node->stop;
done_testing();
