# long: run by make test-all (test/run long), not by make test
# What is written down. The table holds values that nobody declared and cells of remarkable size; the server writes as much
# as it can be made to write. Neither a value nor a count comes into the server log, to a client at any message level, into
# pg_stat_statements. A-30, A-31.
use strict;
use warnings;
use Test::More;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;

my $node = PostgreSQL::Test::Cluster->new('logs');
$node->init;
$node->append_conf('postgresql.conf', "autovacuum = off\nlog_statement = none\nlog_min_messages = fatal\nlog_min_error_statement = panic\n");
$node->start;

# ---- the table, made while the server writes nothing ----

# 23911 rows of ward A, 31013 of B, 7 of C (no number of an object, a line of code or a page is like these); then one row for each column with a value that is in no domain.
my %marker = (
	ward => 'QMARKQ-TEXT', code => 'QMARKZ', pay => '73571113.17', born => '1913-07-31', seen => '1917-11-07 05:43:21',
	score => '73572229', weight => '7357.1319', person => 'QPERSONQ');
$node->safe_psql('postgres', qq{
	CREATE EXTENSION pegs;
	CREATE ROLE curator LOGIN; CREATE ROLE analyst LOGIN; CREATE ROLE stranger LOGIN;
	GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA public TO curator;
	GRANT CREATE ON SCHEMA public TO curator;
	CREATE TABLE visit (ward text, code char(6), pay numeric(12, 2), born date, seen timestamp, score int, weight float8, person text NOT NULL);
	ALTER TABLE visit OWNER TO curator;
	INSERT INTO visit SELECT CASE WHEN i <= 23911 THEN 'A' WHEN i <= 54924 THEN 'B' ELSE 'C' END, 'x', 10, '2000-01-01', '2000-01-01', 5, 0.5, '$marker{person}' || i % 17093
		FROM generate_series(1, 54931) AS i;
	@{[ map { "INSERT INTO visit SELECT (jsonb_populate_record(v, '{\"$_\": \"$marker{$_}\"}')).* FROM (SELECT v FROM visit AS v WHERE ward = 'C' LIMIT 1) AS x;" }
		grep { $_ ne 'person' } sort keys %marker ]}
});
my @columns = grep { $_ ne 'person' } sort keys %marker;
my $n = $node->safe_psql('postgres', 'SELECT count(*) FROM visit');

# ---- now it writes everything ----

my $offset = -s $node->logfile;
my $plugins = join ', ', grep { -e "@{[ $node->config_data('--pkglibdir') ]}/$_.so" } qw(pg_stat_statements auto_explain);
my $statements = $plugins =~ /pg_stat_statements/;
my $everything = q{
log_min_messages = debug5
log_min_error_statement = debug5
log_error_verbosity = verbose
log_statement = all
log_min_duration_statement = 0
log_parameter_max_length = -1
log_parameter_max_length_on_error = -1
log_temp_files = 0
log_lock_waits = on
log_checkpoints = on
debug_print_parse = on
debug_print_rewritten = on
debug_print_plan = on
debug_pretty_print = off
};
$node->append_conf('postgresql.conf', $everything);
$node->append_conf('postgresql.conf', "shared_preload_libraries = '$plugins'\n") if $plugins;
$node->append_conf('postgresql.conf', q{
auto_explain.log_min_duration = 0
auto_explain.log_analyze = on
auto_explain.log_buffers = on
auto_explain.log_wal = on
auto_explain.log_verbose = on
auto_explain.log_settings = on
auto_explain.log_triggers = on
auto_explain.log_nested_statements = on
auto_explain.log_level = log
}) if $plugins =~ /auto_explain/;
$node->append_conf('postgresql.conf', "pg_stat_statements.track = all\n") if $statements;
$node->restart;
$node->safe_psql('postgres', 'CREATE EXTENSION pg_stat_statements') if $statements;

my $client = '';
my $asked = 0;

# Runs as a role with every message that a client can ask for; keeps all that came.
sub run
{
	my ($role, $sql) = @_;
	my ($out, $err) = ('', '');

	$node->psql('postgres', "SET client_min_messages = debug5;\n\\set VERBOSITY verbose\n\\set SHOW_CONTEXT always\n$sql", stdout => \$out, stderr => \$err,
		on_error_stop => 0, extra_params => [ '-U', $role ]);
	$client .= "$out\n$err\n";
	$asked++;
	return wantarray ? ($out, $err) : $err;
}

# What must not be there, as text and in the ways in which a server prints bytes: hex, and numbers in a printed plan.
sub ways
{
	my ($bytes) = @_;
	return (unpack('H*', $bytes), '[^0-9]' . join(' ', unpack 'c*', $bytes));
}
my @values = map { $_, ways($_) } values %marker;
# eight bytes of a count, little-endian, as a body holds it
my @counts = map { $_, ways(pack 'Q<', $_) } 23911, 31013;

# Which of them are in the text. Numbers count only as whole numbers. By index: there are megabytes, and no time for regexes.
sub occurring
{
	my ($text, @needles) = @_;
	my @found;

	# a printed plan breaks its lines anywhere
	$text =~ tr/ \t\r\n/ /s;
	for my $needle (@needles)
	{
		my $whole = $needle =~ s/^\[\^0-9\]// || $needle =~ /^\d+$/;

		for (my $at = index $text, $needle; $at >= 0; $at = index $text, $needle, $at + 1)
		{
			my $around = substr($text, $at ? $at - 1 : 0, 1) . ' ' . substr($text, $at + length $needle, 1);

			# digits of a longer number, or of a key in hex
			next if $whole && $around =~ /\w/;
			push @found, "$needle: ..." . substr($text, $at > 80 ? $at - 80 : 0, 200) . '...';
			last;
		}
	}
	return @found;
}

# The errors among the messages: there are too many to print them all.
sub errors { return join "\n", $_[0] =~ /(ERROR:  .*)/g }

sub absent
{
	my ($name, $text, @needles) = @_;

	local $Test::Builder::Level = $Test::Builder::Level + 1;
	is(join("\n", occurring($text, @needles)), '', $name);
	return;
}

# ---- A-31: fits that meet the values, refused and accepted ----

my $open = join ', ', map { "'$_'" } @columns;
my %domain = (
	ward => "pegs_set_levels('visit', 'ward', levels => ARRAY['A', 'B', 'C'])", code => "pegs_set_levels('visit', 'code', levels => ARRAY['x'])",
	pay => "pegs_set_bins('visit', 'pay', ARRAY['0', '100'])", born => "pegs_set_bins('visit', 'born', ARRAY['1999-01-01', '2001-01-01'])",
	seen => "pegs_set_bins('visit', 'seen', ARRAY['1999-01-01', '2001-01-01'])", score => "pegs_set_bins('visit', 'score', ARRAY['0', '10'])",
	weight => "pegs_set_bins('visit', 'weight', ARRAY['0', '1'])");
my %wide = (
	ward => "pegs_set_levels('visit', 'ward', levels => ARRAY['A', 'B', 'C'], other => 'Z')", code => "pegs_set_levels('visit', 'code', levels => ARRAY['x'], other => 'z')",
	pay => "pegs_set_levels('visit', 'pay', levels => ARRAY['10'], other => '0')", born => "pegs_set_bins('visit', 'born', ARRAY['1900-01-01', '2001-01-01'])",
	seen => "pegs_set_bins('visit', 'seen', ARRAY['1900-01-01', '2001-01-01'])", score => "pegs_set_levels('visit', 'score', levels => ARRAY['5'], other => '0')",
	weight => "pegs_set_bins('visit', 'weight', ARRAY['0', '10000'])");

run('curator', "SELECT pegs_set_budget('visit', epsilon => 1000, delta => 1e-3)");
for my $column (@columns)
{
	like(errors(scalar run('curator', "SELECT $domain{$column}; SELECT pegs_fit('refused', 'visit', ARRAY['$column'], parents => '{}')")),
		qr/ERROR:  23514: column "$column" holds a value that is not in its declared domain/, "A-31 undeclared value of $column: refused");
	like(errors(scalar run('curator', "SELECT pegs_fit('refused', 'visit', ARRAY['$column'], epsilon => 1)")), qr/ERROR:  23514/, "A-31 $column, perturbed: refused");
	like(errors(scalar run('curator', "SELECT length(pegs_agg((SELECT pegs_spec('visit', ARRAY['$column'])), $column)::text) FROM visit")), qr/ERROR:  23514/, "A-31 $column, pegs_agg: refused");
}
# a failing cast: the server's own message would name the value
run('curator', 'CREATE VIEW cast_text AS SELECT ward::int AS ward FROM visit WHERE ward > \'D\'; CREATE VIEW cast_small AS SELECT score::smallint AS score FROM visit');
like(errors(scalar run('curator', "SELECT pegs_set_levels('cast_text', 'ward', levels => ARRAY['1']); SELECT pegs_fit('refused', 'cast_text', parents => '{}')")),
	qr/ERROR:  22P02: reading .*cast_text failed/, 'A-31 a cast in a view: refused in our own words');
like(errors(scalar run('curator', "SELECT pegs_set_levels('cast_small', 'score', levels => ARRAY['5']); SELECT pegs_fit('refused', 'cast_small', parents => '{}')")),
	qr/ERROR:  22003: reading .*cast_small failed/, 'A-31 a value out of the range of a view\'s cast: refused in our own words');

for my $column (@columns) { run('curator', "SELECT $wide{$column}") }
unlike(errors(scalar run('curator', qq{
		SELECT pegs_fit('sealed', 'visit', ARRAY[$open], parents => '{"code": ["ward"], "score": ["ward", "pay"]}', tail_bits => 1);
		SELECT pegs_fit('chosen', 'visit', ARRAY[$open]);
		SELECT pegs_fit('noisy', 'visit', ARRAY[$open], epsilon => 1, delta => 1e-9);
		SELECT pegs_fit_state('by hand', 'visit', (SELECT pegs_merge(part) FROM (SELECT pegs_agg((SELECT pegs_spec('visit', ARRAY['ward', 'score'], parents => '{}')), ward, score) AS part
			FROM visit GROUP BY born) AS parts), ARRAY['ward', 'score'], parents => '{}');
		SELECT pegs_set_unit('visit', 'person', max_rows => 2);
		SELECT pegs_fit('persons', 'visit', ARRAY[$open], parents => '{}');
		SELECT pegs_fit('noisy persons', 'visit', ARRAY['ward', 'pay'], epsilon => 1);
		SELECT pegs_set_unit('visit', NULL);
		SELECT pegs_forbid('visit', '{"ward": "A", "code": "z"}');
		SELECT pegs_fit('forbidden', 'visit', ARRAY[$open], parents => '{}');
		SELECT pegs_forbid('visit', NULL)})), qr/ERROR/, 'A-31 the same values, declared: fits of every kind');
is($node->safe_psql('postgres', 'SELECT count(*) FROM pegs_models'), 7, 'A-31 there are seven models');
# what is learnt of the same columns, by views: their facts stay. A value of one row is a level with a chance below 1e-12
run('curator', 'CREATE VIEW learnt AS SELECT * FROM visit');
for my $column (@columns, 'person')
{
	unlike(errors(scalar run('curator', "SELECT pegs_learn_levels('learnt', '$column', 1, 1e-12)")), qr/ERROR/, "A-31 levels of $column are learnt");
	unlike(errors(scalar run('curator', "SELECT pegs_learn_range('learnt', '$column', 1)")), qr/ERROR/, "A-31 and its range") unless $column =~ /ward|code|person/;
}
like(errors(scalar run('curator', "SELECT pegs_learn_levels('cast_text', 'ward', 1, 1e-12)")), qr/ERROR:  22P02: reading .*cast_text failed/, 'A-31 a cast in a view, learnt: in our own words');

# ---- A-30: every function, with good and bad arguments, by those who may and those who may not ----

my $rows = "AS t(ward text, score int)";
run('curator', "SELECT pegs_grant(m, 'analyst', 100) FROM unnest(ARRAY['sealed', 'chosen', 'by hand', 'persons', 'forbidden']) AS m; SELECT pegs_grant(m, 'analyst') FROM unnest(ARRAY['noisy']) AS m");
my @calls = (
	(map { my $m = $_;
		"SELECT ward, score FROM pegs_sample('$m', 3, epsilon => 0.1, block => 3) $rows",
		"SELECT ward FROM pegs_sample('$m', 3, epsilon => 0.1, given => '{\"ward\": \"A\"}') $rows",
		"SELECT ward FROM pegs_sample('$m', 3, epsilon => 0.1, given => '{\"ward\": \"Z\", \"code\": \"z\"}') $rows",
		"SELECT ward FROM pegs_sample('$m', 3, epsilon => 0.1, given => '{\"ward\": \"none\"}') $rows",
		"SELECT ward FROM pegs_sample('$m', 3, epsilon => 0.1, given => '{\"wrong\": 1}') $rows",
		"SELECT ward FROM pegs_sample('$m', 3, epsilon => 0.1, options => '{\"fresh\": true}') $rows",
		"SELECT ward FROM pegs_sample('$m', 3, epsilon => 0.1, options => '{\"what\": true}') $rows",
		"SELECT ward FROM pegs_sample('$m', 0, epsilon => 0.1) $rows", "SELECT ward FROM pegs_sample('$m', 3, epsilon => 1e6) $rows",
		"SELECT ward FROM pegs_sample('$m', 3, epsilon => 'NaN') $rows", "SELECT ward FROM pegs_sample('$m', NULL, epsilon => 0.1) $rows",
		# of a perturbed model that many rows would be given
		$m =~ /noisy/ ? () : "SELECT ward FROM pegs_sample('$m', 9000000000000000000, epsilon => 1e-9, block => 2) $rows",
		"SELECT ward FROM pegs_sample('$m', 3, epsilon => 0.1) AS t(ward int)", "SELECT ward FROM pegs_sample('$m', 3, epsilon => 0.1) AS t(no text)",
		"SELECT pegs_sample('$m', 3, epsilon => 0.1)", "SELECT ward FROM pegs_sample_as(NULL::pg_class, '$m', 3, epsilon => 0.1) AS t",
		"SELECT ward, score FROM pegs_sample_as(NULL::visit, '$m', 3, epsilon => 0.1, block => 3)",
		"SELECT * FROM pegs_cost('$m', 10, epsilon => 1)", "SELECT * FROM pegs_cost('$m', 10, epsilon => -1)",
		"SELECT pegs_describe('$m'), pegs_row_type('$m')", "SELECT * FROM pegs_columns('$m', NULL), pegs_pairs('$m')",
		"SELECT pegs_release('of $m by ' || current_user, '$m', 50, epsilon => 0.1, block => 50)", "SELECT pegs_release('of $m by ' || current_user, '$m', 50, epsilon => 0.1)",
		"SELECT ward, score FROM pegs_rows('of $m by ' || current_user) $rows", "SELECT ward FROM pegs_rows_as(NULL::visit, 'of $m by ' || current_user)",
		"SELECT pegs_describe('of $m by ' || current_user)", "SELECT pegs_export('$m') IS NULL", "SELECT pegs_view_sql('$m', 'v')",
		"SELECT pegs_grant('$m', 'stranger', -1)", "SELECT pegs_grant('$m', 'nobody', 1)", "SELECT pegs_revoke('$m', 'stranger')", "SELECT pegs_import('x', '\\x70656773')",
		"EXPLAIN (ANALYZE, VERBOSE, BUFFERS, WAL, SETTINGS) SELECT ward FROM pegs_sample('$m', 3, epsilon => 0.1) $rows" }
	'sealed', 'chosen', 'by hand', 'persons', 'forbidden', 'noisy', 'noisy persons', 'nowhere'),
	"SELECT * FROM pegs_domain('visit')", "SELECT * FROM pegs_domain('pg_class')", "SELECT pegs_spec('visit')", "SELECT pegs_spec('visit', ARRAY['none'])",
	"SELECT pegs_set_levels('visit', 'none', levels => ARRAY['a'])", "SELECT pegs_set_bins('visit', 'score', ARRAY['1', '0'])", "SELECT pegs_unset('visit', 'person')",
	"SELECT pegs_set_budget('visit', epsilon => -1)", "SELECT pegs_set_budget('visit', epsilon => 1e-9)", "SELECT pegs_forbid('visit', '{\"ward\": \"none\"}')", "SELECT pegs_set_unit('visit', 'none', 2)",
	"SELECT pegs_fit('sealed', 'visit')", "SELECT pegs_fit('x', 'visit', ARRAY['none'])", "SELECT pegs_fit('x', 'visit', epsilon => 1, parents => '{}')", "SELECT pegs_fit('x', 'visit', ARRAY[$open], epsilon => 1e6)",
	"SELECT pegs_fit_state('x', 'visit', '\\x00', parents => '{}')", "SELECT pegs_merge('\\x70656773'::pegs_state)", "SELECT pegs_agg('no spec', 1)",
	'SELECT * FROM pegs_budgets', 'SELECT * FROM pegs_ledger', 'SELECT * FROM pegs_models', 'SELECT * FROM pegs_releases',
	'SELECT * FROM pegs_internal.body', 'SELECT pegs_internal.spent(0, true)', "SELECT pegs_drop('nowhere')");
# whatever else the extension has: called without an argument, or with NULLs, it says what it says
my $others = $node->safe_psql('postgres', q{SELECT format('SELECT %s(%s)', proname, array_to_string(array_fill('NULL'::text, ARRAY[pronargs::int]), ', '))
	FROM pg_proc WHERE proname ~ '^pegs_' AND pronamespace = 'public'::regnamespace AND prokind = 'f' AND proretset = false ORDER BY 1});
push @calls, split /\n/, $others;
for my $role ('analyst', 'curator', 'stranger') { run($role, join ";\n", @calls, '') }
is($node->safe_psql('postgres', "SELECT count(*) >= 6 FROM pegs_releases WHERE name LIKE 'of % by analyst'"), 't', 'A-30 the good calls did what they should');
cmp_ok(scalar(() = $client =~ /ERROR:  /g), '>', 300, 'A-30 and the bad ones failed');
like($client, qr/LOG:.*(?:plan|parse tree)/, 'A-30 a client saw the plans of statements inside');
like($client, qr/DEBUG:/, 'A-30 and debug messages');

# Measures are of the confidential rows, and for the curator, who may see them: their results are not kept here. What is said
# beside the results, and what is logged, is.
my @measures = ("pegs_utility('visit', 'made')", "pegs_utility('visit', 'made', 3, ARRAY['ward', 'code', 'pay'], ARRAY['tables'])", "pegs_utility('visit', 'visit', measures => ARRAY['nothing'])",
	"pegs_regression('visit', 'made', 'linear', 'score', ARRAY['pay', 'weight'])", "pegs_regression('visit', 'made', 'logistic', 'score', ARRAY['pay'])", "pegs_regression('visit', 'made', 'linear', 'ward', ARRAY['pay'])",
	"pegs_disclosure('visit', 'made', ARRAY['ward', 'code'], 'score')", "pegs_disclosure('visit', 'made', ARRAY['person'], 'ward')", "pegs_k_anonymity('visit', ARRAY['ward', 'code'], 'score')", "pegs_k_anonymity('visit', ARRAY['person'])",
	# what is guessed, made coarser or scored; some of it refused, for what the rows are
	"pegs_disaggregate('visit', 'person', '{\"from\": \"all_but_b\", \"on\": [\"ward\"], \"value\": \"average\"}', ARRAY['score'])",
	"pegs_disaggregate('numbered', 'n', '{\"from\": \"all_but_b\", \"on\": [\"ward\"], \"value\": \"average\"}', ARRAY['score'])",
	"pegs_disaggregate('numbered', 'n', '{\"from\": \"all_but_b\", \"on\": [\"ward\"], \"value\": \"average\"}', ARRAY['score', 'person'], factors => ARRAY['person'], options => '{\"missing\": \"skip\"}')",
	"pegs_disaggregate('numbered', 'n', '[{\"from\": \"all_but_b\", \"on\": [\"ward\"], \"value\": \"average\"}, {\"from\": \"all_codes\", \"on\": [\"code\"], \"value\": \"average\"}]', ARRAY['score'], options => '{\"missing\": \"skip\"}')",
	"pegs_disaggregate_check('visit', '{\"from\": \"all_but_b\", \"on\": [\"ward\"], \"value\": \"average\"}', ARRAY['score'])",
	"pegs_reconstruct('visit', 'score', '[\"ward\"]', ARRAY['pay'])", "pegs_reconstruct('visit', 'score', '[\"ward\"]', ARRAY['person'])", "pegs_reconstruct('visit', 'score', '[\"ward\"]', ARRAY['pay'], ARRAY['cudia'])",
	"pegs_generalize('visit', ARRAY['ward', 'code'], k => 31014, suppress => 0)", "pegs_generalize('visit', ARRAY['ward', 'code'], k => 2, method => 'local', sensitive => 'score', l => 2)", "pegs_generalize('visit', ARRAY['person'])",
	"pegs_generalized('visit', pegs_generalize('visit', ARRAY['ward', 'code'], k => 2)) AS t(ward text, code text)", "pegs_equivalence_classes('visit', ARRAY['ward'])", "pegs_equivalence_classes('visit', ARRAY['person'])",
	"pegs_score_fit('severe', 'visit', 'score', ARRAY['5'], features => ARRAY['ward', 'code'], epsilon => 1)", "pegs_score_fit('undeclared', 'strict', 'ward', ARRAY['A'], features => ARRAY['code'], epsilon => 1)",
	"pegs_score_quality('severe', 'visit')", "pegs_score_card('severe')", "(SELECT avg(pegs_score('severe', v)) FROM visit AS v) AS x",
	"pegs_ru_map('visit', ARRAY[1.0], 50, 10, 1, ARRAY['ward', 'code'])", "pegs_trace('sealed', 0.5)", "pegs_trace('sealed', -1)");
my %there = map { $_ => 1 } split /\n/, $node->safe_psql('postgres', "SELECT DISTINCT proname FROM pg_proc WHERE proname ~ '^pegs_'");
@measures = grep { /^(\w+)/ && $there{$1} } @measures;
run('curator', "CREATE TABLE all_but_b (ward, average) AS VALUES ('A', 1.5), ('C', 2.5); CREATE TABLE all_codes (code, average) AS VALUES ('x'::char(6), 99); CREATE VIEW numbered AS SELECT row_number() OVER () AS n, visit.* FROM visit WHERE ward <= 'D';
	CREATE VIEW strict AS SELECT ward, code FROM visit; SELECT pegs_set_levels('strict', 'ward', levels => ARRAY['A', 'C']);
	CREATE TABLE made AS SELECT * FROM pegs_sample_as(NULL::visit, 'noisy', 200);\n" . join "\n", map { "\\o /dev/null\nSELECT * FROM $_;" } @measures);
run('curator', "SELECT pegs_fit('diverse', 'visit', ARRAY['ward', 'code'], parents => '{}', options => '{\"l_diversity\": 1.5}'); SELECT count(*) FROM pegs_sample('diverse', 5) AS t(ward text)");
cmp_ok(scalar @measures, '>', 0, 'A-31 measures were taken, too');

absent('A-31 no undeclared value came to a client', $client, @values);
absent('A-30 no count came to a client', $client, @counts);

# ---- the log and the statistics of statements ----

$node->safe_psql('postgres', 'VACUUM ANALYZE');
my $log = slurp_file($node->logfile, $offset);
# some hundred numbers of processes, and sizes of log records, may be any number
$log =~ s/ \[\d+\] | pid=\d+ | \(PID \d+\) |(?<=fpi=)\d+ bytes=\d+|(?<=records=)\d+ bytes=\d+/ /g;
like($log, qr/individuals are in groups without an average/, 'A-31 the log shows what was refused of guesses');
like($log, qr/no generalisation meets the criteria/, 'A-31 and of generalisations');
unlike($log, qr/a share of \d|misses its average by \d/, 'A-31 and not by how much: the client is told that alone');
like($log, qr/rows=$n/, 'A-31 the log shows how many rows a fit read: the number that everybody knows') if $plugins =~ /auto_explain/;
like($log, qr/pegs_internal\.(?:model|release)/, 'A-31 the log shows our own statements') if $plugins =~ /auto_explain/;
like($log, qr/LOG:  (?:00000: )?plan:/, 'A-31 the log shows plans');
absent('A-31 no undeclared value is in the server log', $log, @values);
absent('A-31 no count is in the server log', $log, @counts);

if ($statements)
{
	my $queries = $node->safe_psql('postgres', "SELECT string_agg(query, E'\\n') FROM pg_stat_statements");
	like($queries, qr/pegs_fit/, 'A-31 pg_stat_statements has our statements');
	absent('A-31 no undeclared value is in pg_stat_statements', $queries, @values);
	absent('A-31 no count is in pg_stat_statements', $queries, @counts);
	my $counted = $node->safe_psql('postgres', "SELECT string_agg(rows::text, ' ') FROM pg_stat_statements WHERE query ~ 'pegs_internal'");
	absent('A-31 nor among its rows', $counted, @counts);
}
else { note('pg_stat_statements is not installed') }

# ---- this test can fail: the same looks find a value and a count where they are ----

my ($found) = run('curator', "SELECT ward FROM visit WHERE ward > 'D' LIMIT 1; SELECT count(*) FROM visit WHERE ward = 'A'");
isnt(join(' ', occurring($found, @values)), '', 'A-31 a value that is shown would be found');
isnt(join(' ', occurring($found, @counts)), '', 'A-30 a count that is shown would be found');
$node->safe_psql('postgres', "CREATE FUNCTION unmasked(bytea) RETURNS bytea LANGUAGE c STRICT AS '\$libdir/pegs', 'pegs_unmasked'");
$found = $node->safe_psql('postgres', "SELECT encode(unmasked(body), 'hex') FROM pegs_internal.body");
isnt(join(' ', occurring($found, @counts)), '', 'A-30 a count in a body that is shown would be found');

$node->stop;
done_testing();
