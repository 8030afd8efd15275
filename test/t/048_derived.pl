# Columns that are computed in the sessions of analysts: their search_path and what they made mean nothing; what can be refused is,
# before the charge, and nothing fails after it; a dump has the declaration and the model, and gives the same rows. Laws L2, L9.
use strict;
use warnings;
use IPC::Run;
use Test::More;
use PostgreSQL::Test::Utils;
use PegsLedger;

my $pegs = PegsLedger->new('derived');
my $node = $pegs->node;
my $file = $PostgreSQL::Test::Utils::tmp_check . '/derived.sql';
my $list = "ward text, male boolean, label text, ratio int, short varchar(1)";

# What the analyst made to be found instead of the server's own.
$pegs->value(q{GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA public TO curator; GRANT CREATE ON DATABASE postgres TO analyst;
	ALTER TABLE visit ADD label text, ADD ratio int, ADD short varchar(1), ADD twice text GENERATED ALWAYS AS (ward || ward) STORED});
$pegs->analyst(q{CREATE SCHEMA evil; CREATE TABLE evil.seen (t text);
	CREATE FUNCTION evil.lower(text) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RETURN 'evil'; END $$;
	CREATE FUNCTION evil.eq(text, text) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT true';
	CREATE OPERATOR evil.= (FUNCTION = evil.eq, LEFTARG = text, RIGHTARG = text);
	CREATE DOMAIN evil.text AS pg_catalog.text CHECK (value = 'evil')});
# ratio divides by zero where ward is A; short is too long where it is B
is($pegs->as('curator', q{SELECT pegs_set_derived('visit', 'label', 'CASE WHEN ward = ''A'' THEN lower(ward) ELSE ward || ''!''::text END'),
	pegs_set_derived('visit', 'ratio', '12 / (ascii(ward) - 65)'), pegs_set_derived('visit', 'short', 'left(ward || ward, ascii(ward) - 65)'::text)}) =~ tr/|//, 2, 'the curator declares');
$pegs->value(q{SELECT pegs_fit('free', 'visit', epsilon => 5); SELECT pegs_grant('free', 'analyst'); SELECT pegs_drop('m'); SELECT pegs_fit('m', 'visit', parents => '{}');
	SELECT pegs_grant('m', 'analyst', epsilon => 500); SELECT pegs_release('kept', 'free', 60); SELECT pegs_grant('kept', 'analyst')});

my $wrong = q{count(*) FILTER (WHERE label IS DISTINCT FROM CASE WHEN ward OPERATOR(pg_catalog.=) 'A' THEN 'a' ELSE ward || '!' END OR (ratio IS NULL) <> (ward OPERATOR(pg_catalog.=) 'A')
	OR short IS DISTINCT FROM CASE ward::pg_catalog.text WHEN 'A' THEN '' WHEN 'B' THEN 'B' END)};
my $evil = 'SET search_path = evil, public, pg_catalog';
my $asked = "AS t(ward pg_catalog.text, male boolean, label pg_catalog.text, ratio int, short varchar(1))";
is($pegs->analyst("$evil; SELECT count(*), count(ratio) > 0, sum((label OPERATOR(pg_catalog.=) 'evil')::int) FROM pegs_sample('free', 200) $asked"), '200|t|0', 'an evil search_path finds nothing');
is($pegs->analyst("SELECT $wrong FROM pegs_sample('free', 400) AS t($list)"), '0', 'every row fits, what cannot be computed is NULL');
is($pegs->analyst("SELECT $wrong FROM pegs_rows('kept') AS t($list)"), '0', 'of a release, too');
$pegs->charges('a sealed model', 1, sub { scalar $pegs->analyst("SELECT count(*) FROM pegs_sample('m', 50, 1, 50) AS t($list)") });
is($pegs->analyst("SELECT $wrong FROM pegs_sample('m', 50, 1, 50) AS t($list)"), '0', 'its rows fit: nothing failed after the charge');

# what is refused of a row is NULL, whichever class its error has: a limit, a function's own, a syntax
$pegs->value('ALTER TABLE visit ADD odd text');
$pegs->as('curator', q{SELECT pegs_set_derived('visit', 'odd', 'CASE ward WHEN ''A'' THEN chr(ascii(ward) - 65) WHEN ''B'' THEN float8_corr(ARRAY[ascii(ward)::float8])::text WHEN ''C'' THEN unistr(E''\\\\'' || ward) ELSE ward END')});
$pegs->value(q{SELECT pegs_fit('odd', 'visit', parents => '{}'); SELECT pegs_grant('odd', 'analyst', epsilon => 500)});
is($pegs->analyst("SELECT count(*), count(*) FILTER (WHERE odd IS DISTINCT FROM CASE WHEN ward = 'D' THEN ward END) FROM pegs_sample('odd', 60, 1, 60) AS t(ward text, odd text)"), '60|0', 'no class of errors is thrown after the charge');
$pegs->value(q{SELECT pegs_drop('odd'); SELECT pegs_unset('visit', 'odd'); ALTER TABLE visit DROP odd});

# ---- declared functions ----
$pegs->value(q{CREATE TABLE stay (drg text, mdc text); INSERT INTO stay SELECT (ARRAY['470', '871'])[1 + i % 2], (ARRAY['08', '18'])[1 + i % 2] FROM generate_series(1, 999) AS i; GRANT SELECT ON stay TO curator; ALTER TABLE stay OWNER TO curator;
	SELECT pegs_set_budget('stay', 100)});
$pegs->as('curator', q{SELECT pegs_set_levels('stay', 'drg', '{470, 871, 872}'), pegs_set_groups('stay', 'drg', '{"470": "bone", "871": "blood", "872": "blood"}'), pegs_set_function('stay', 'mdc', 'drg', '{"470": "08", "871": "18", "872": "18"}'), pegs_fit('stay', 'stay', epsilon => 5), pegs_grant('stay', 'analyst')});
is($pegs->analyst("$evil; SELECT count(*) FILTER (WHERE mdc OPERATOR(pg_catalog.<>) CASE WHEN drg OPERATOR(pg_catalog.=) '470' THEN '08' ELSE '18' END) FROM pegs_sample('stay', 100) AS t(drg pg_catalog.text, mdc pg_catalog.text)"),
	'0', 'a function of another column: an evil search_path finds nothing');
my $from = -s $node->logfile;
$pegs->value(q{INSERT INTO stay VALUES ('470', 'secret-18')});
my $spent = $pegs->value(q{SELECT spent FROM pegs_budgets WHERE source = 'stay'::regclass});
my ($code, undef, $said) = $node->psql('postgres', q{SELECT pegs_fit('odd', 'stay', epsilon => 5)}, on_error_stop => 1);
like($said, qr/column "mdc" is not what is declared: a function of column "drg"/, 'a row that is otherwise ends the fit');
is($pegs->value(q{SELECT spent FROM pegs_budgets WHERE source = 'stay'::regclass}), $spent, 'and nothing is charged');
unlike($said, qr/secret|470|871|08|18/, 'no value in what is said');
unlike(substr(slurp_file($node->logfile), $from) =~ s/INSERT[^\n]*//gr, qr/secret/, 'nor in the log');
$pegs->value(q{DELETE FROM stay WHERE mdc ~ 'secret'});

# ---- before the charge ----
$pegs->refuses('another type', '42804', "SELECT * FROM pegs_sample('m', 5, 1) AS t(label varchar)");
$pegs->refuses('given', '0A000', "SELECT * FROM pegs_sample('m', 5, 1, given => '{\"label\": \"a\"}') AS t(label text)");
$pegs->value('REVOKE EXECUTE ON FUNCTION lower(text) FROM PUBLIC');
$pegs->refuses('who may not run a function that it has', '42501', "SELECT * FROM pegs_sample('m', 5, 1) AS t(label text)");
is($pegs->analyst("SELECT count(*) FROM pegs_sample('m', 5, 1) AS t(ward text)"), '5', 'without that column it is not asked for');
$pegs->value('GRANT EXECUTE ON FUNCTION lower(text) TO PUBLIC');

# ---- a dump ----
# It carries names: what would be of other columns stays behind, what was renamed is missed.
$pegs->value(q{CREATE TABLE ring (a int, b int, c int, d int, e int, f int);
	SELECT pegs_set_derived('ring', 'c', 'a + 1'), pegs_set_derived('ring', 'd', 'e + 1'), pegs_set_derived('ring', 'f', 'd + 1'), pegs_set_bins('ring', 'a', '{0, 10}');
	ALTER TABLE ring RENAME a TO x; ALTER TABLE ring RENAME b TO a; ALTER TABLE ring RENAME x TO b; ALTER TABLE ring RENAME e TO g});
$pegs->value(q{CREATE TABLE gone (a text, b text, c text);
	SELECT pegs_set_levels('gone', 'a', '{x, y}'), pegs_set_function('gone', 'b', 'a', '{"x": "u", "y": "v"}'), pegs_set_derived('gone', 'c', 'lower(a)'); ALTER TABLE gone DROP COLUMN a});
is($pegs->value(q{SELECT pegs_facts('gone')}), '{"columns": {}}', 'what is computed from a dropped column is no fact');
my $ring = q{SELECT column_name, coalesce(origin, problem) FROM pegs_domain('ring') WHERE column_name IN ('a', 'c', 'd', 'f')};
is($pegs->value($ring), "a|no declared domain\nc|computed: (b + 1)\nd|computed: (g + 1)\nf|computed: (d + 1)", 'inputs are columns');
my %same = (
	'declarations' => "SELECT pegs_facts('visit')",
	'domain' => "SELECT column_name, origin FROM pegs_domain('visit')",
	'description' => "SELECT pegs_describe('free')",
	'function' => "SELECT pegs_facts('stay')",
	'nothing of a column that was dropped' => "SELECT pegs_facts('gone')",
	'rows of a function' => "SELECT * FROM pegs_sample('stay', 100) AS t(drg text, mdc text)",
	'rows' => "SELECT * FROM pegs_sample('free', 100) AS t($list)",
	'rows of a release' => "SELECT * FROM pegs_rows_as(NULL::visit, 'kept')");
my %before = map { $_ => $pegs->value($same{$_}) } keys %same;
like($before{declarations}, qr/"derived": "CASE WHEN \(ward = 'A'::text\) THEN lower\(ward\)/, 'pegs_facts has it');
like($before{function}, qr/"values": \{"470": "08", "871": "18", "872": "18"\}/, 'of a function, too');
like($before{function}, qr/"groups": \{"470": "bone"/, 'and groups');
command_ok([ 'pg_dump', '-d', $node->connstr('postgres'), '-f', $file ], 'pg_dump');
$node->safe_psql('postgres', 'CREATE DATABASE copy');
command_ok([ 'psql', '-XAtq', '-v', 'ON_ERROR_STOP=1', '-d', $node->connstr('copy'), '-f', $file ], 'restored');
my $copy = bless { node => $node, db => 'copy' }, 'PegsLedger';
is($copy->value($same{$_}), $before{$_}, "restored: $_") for sort keys %same;
is($copy->value($ring), qq(a|no declared domain\nc|no declared domain\nd|it is computed from column "e", which does not exist\nf|computed: (d + 1)), 'restored: nothing is of other columns');

# ---- the table goes ----
$pegs->value('DROP TABLE visit');
is($pegs->analyst("SELECT $wrong, count(*) FROM pegs_sample('free', 400) AS t($list)"), '0|400', 'a perturbed model goes on without its table');
done_testing();
