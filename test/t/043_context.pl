# long: run by make test-all (test/run long), not by make test
# An error's CONTEXT, and where in the text it is: nothing of the statements by which pegs reads and writes its own tables.
# They tell a user nothing. Every function waits for every table of pegs_internal, and is ended there in three ways.
use strict;
use warnings;
use Test::More;
use PegsLedger;

# a thousand calls that wait and end: each is read and planned anew, whoever has been there before
$PegsLedger::stays = 1;
my $pegs = PegsLedger->new('context', conf => "log_min_messages = notice\n");
my $node = $pegs->node;
$pegs->set_up_free;
$pegs->value("SELECT pegs_allow('curator'); CREATE ROLE other LOGIN; CREATE TABLE look (w text); INSERT INTO look VALUES ('A'), ('B'), ('C'), ('D');
	CREATE TABLE fresh (b boolean NOT NULL); ALTER TABLE fresh OWNER TO curator; ALTER TABLE look OWNER TO curator; CREATE TABLE spare (b boolean NOT NULL); SELECT pegs_set_budget('spare', 1)");
my @calls = (
	"pegs_set_budget('visit', 900)", "pegs_set_budget('fresh', 1)", "pegs_set_levels('visit', 'ward', ARRAY['A', 'B', 'C', 'D'])", "pegs_set_levels('visit', 'ward', lookup => 'look', lookup_column => 'w')",
	"pegs_unset('visit', 'ward')", "pegs_forbid('visit', '{\"ward\": \"A\", \"male\": \"t\"}')", "pegs_forbid('visit', NULL)", "pegs_set_unit('visit', 'ward')", "pegs_set_unit('visit', NULL)",
	"pegs_domain('visit')", "pegs_plan('visit', 100)", "pegs_spec('visit')", "pegs_fit('x', 'visit', epsilon => 1)", "pegs_fit('x', 'visit')", "pegs_fit('x', 'visit', parents => '{}')", "pegs_refit('noisy')", "pegs_fit_state('x', 'visit', NULL, epsilon => 1)",
	"pegs_release('x', 'm', 5, 0.25, 5)", "pegs_release('x', 'noisy', 5)", "count(*) FROM " . $pegs->sample, "count(*) FROM pegs_sample('noisy', 3) AS t(ward text, male boolean)",
	"count(*) FROM pegs_rows('rows') AS t(ward text, male boolean)", "pegs_cost('m', 10, 1)", "pegs_describe('m')", "pegs_row_type('rows')", "pegs_columns('rows')", "pegs_pairs('noisy')", "pegs_view_sql('rows', 'v')", "pegs_certificate('rows')",
	"pegs_grant('m', 'other', epsilon => 1)", "pegs_limit('m', 'analyst')", "pegs_withdraw('m', 'analyst')", "pegs_revoke('m', 'analyst')", "pegs_drop('noisy')", "pegs_drop('rows')",
	"pegs_export('noisy')", "pegs_verify('m')", "pegs_audit('m', 10)", "pegs_verify_ledger()", "pegs_utility_of('rows')",
	"pegs_learn_levels('visit', 'ward', 0.1, 1e-9)");
my @superusers = ("pegs_allow('other')", "pegs_disallow('curator')", "pegs_adopt('spare', 0, 'test')", "pegs_health()", "pegs_import('x', pegs_export('noisy'))", "1; DROP TABLE visit");
my @tables = split /\n/, $pegs->value("SELECT relname FROM pg_class WHERE relnamespace = 'pegs_internal'::regnamespace AND relkind = 'r' ORDER BY 1");
my %ended;

cmp_ok(@tables, '>', 10, 'there are tables to wait for');
for my $table (@tables)
{
	my $holder = $pegs->background('postgres');
	my $at = -s $node->logfile;
	my $err = '';

	$holder->query_safe("BEGIN; LOCK TABLE pegs_internal.$table IN ACCESS EXCLUSIVE MODE");
	for my $c ((map { [ 'curator', $_ ] } @calls), map { [ 'postgres', $_ ] } @superusers)
	{
		my ($role, $call) = @$c;
		my (undef, $said) = $pegs->as($role, "\\set VERBOSITY verbose\n\\set SHOW_CONTEXT always\nBEGIN; SET lock_timeout = '1ms'; SELECT $call; ROLLBACK;");

		next if $said !~ /ERROR:  55P03/;
		$ended{$call}++;
		$err .= "$call: $said" if $said =~ /SQL statement|^QUERY:|^LINE \d/m;
	}
	$holder->query_safe('ROLLBACK');
	$holder->quit;
	is($err, '', "waiting for $table: nothing is said of our statement");
	my $log = PostgreSQL::Test::Utils::slurp_file($node->logfile, $at);
	unlike($log, qr/SQL statement|QUERY:/, "waiting for $table: nor is in the log");
}
is(join("\n", grep { !$ended{$_} && !/pegs_(spec|verify_ledger|cost|row_type)/ } @calls, @superusers), '', 'all of them waited somewhere');

# cancelled and terminated there
for my $end ('pg_cancel_backend', 'pg_terminate_backend')
{
	my $holder = $pegs->background('postgres');
	my $find = "FROM pg_stat_activity WHERE usename = 'curator' AND wait_event_type = 'Lock'";

	$holder->query_safe('BEGIN; LOCK TABLE pegs_internal.ledger IN SHARE MODE');
	my $p = $pegs->start_psql('curator', "\\set VERBOSITY verbose\n\\set SHOW_CONTEXT always\nSELECT pegs_fit('x', 'visit', epsilon => 1);");
	$node->poll_query_until('postgres', "SELECT count(*) = 1 $find") or die 'it does not wait';
	$pegs->value("SELECT $end(pid) $find");
	$pegs->finish($p);
	$holder->query_safe('ROLLBACK');
	$holder->quit;
	like($p->{err}, qr/57014|57P01/, "$end: ended");
	unlike($p->{err}, qr/SQL statement|^QUERY:|^LINE \d/m, "$end: nothing is said of our statement");
}

# Functions of ours that are written in SQL are named in a CONTEXT of the server's; it tells nothing but their names, which are
# public, and cannot be left out: whoever calls us from PL/pgSQL wants the lines above it.
my $names = join '|', split /\n/, $pegs->value("SELECT DISTINCT p.proname FROM pg_proc AS p JOIN pg_depend AS d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e' WHERE p.prosqlbody IS NOT NULL");
my $shown = 0;
for my $call ("pegs_certificate('nothing')", "pegs_certificate_text('nothing')", "pegs_report('nothing')", "pegs_report('noisy', ARRAY['nothing'], 'ward')", "count(*) FROM pegs_verify_ledger('visit')", 'count(*) FROM pegs_health()',
	"pegs_certificate('rows')", "pegs_certificate_text('rows')", "pegs_report('rows')")
{
	my $holder = $pegs->background('postgres');
	my $at = -s $node->logfile;

	$holder->query_safe('BEGIN; LOCK TABLE pegs_internal.model, pegs_internal.ledger IN ACCESS EXCLUSIVE MODE') if $call !~ /nothing/;
	my (undef, $said) = $pegs->as('postgres', "\\set VERBOSITY verbose\n\\set SHOW_CONTEXT always\nSET lock_timeout = '1ms'; SELECT $call;");
	$holder->query_safe('ROLLBACK') if $call !~ /nothing/;
	$holder->quit;
	like($said, qr/ERROR:  (42704|42703|55P03)/, "$call: an error");
	my @lines = map { split /\n/ } $said =~ /^CONTEXT:  (.*?)(?=^LOCATION:)/gms;
	is(join("\n", grep { !/^SQL function "(?:$names)" (?:statement \d+|during startup)$/ } @lines), '', "$call: the context has names alone");
	$shown += @lines;
	unlike(PostgreSQL::Test::Utils::slurp_file($node->logfile, $at), qr/CONTEXT: (?! SQL function "(?:$names)" (?:statement \d+|during startup)$)/m, "$call: so has the log");
}
cmp_ok($shown, '>', 8, 'there were some');

$node->stop;
done_testing();
