# Rows that stand for the same rows: foreign tables that lead back to this database, by what libpq takes and by every writing of a
# host and a port; two foreign tables for one table of another database; and an account whose rows another one has paid for, asked at
# each charge. The server is its own other server. Issue 17, law L3.
use strict;
use warnings;
use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
plan skip_all => 'postgres_fdw is not installed' unless system("test -e " . $node->config_data('--pkglibdir') . '/postgres_fdw.so') == 0;
$node->init;
$node->append_conf('postgresql.conf', "autovacuum = off\nfsync = off\n");
# the server's own environment is libpq's, too: without it nothing says which database is meant
delete @ENV{'PGDATABASE', 'PGUSER', 'PGSERVICE'};
$node->start;
my ($host, $port) = ($node->host, $node->port);
# the databases are called as roles: that is where libpq goes where no dbname is given
$node->safe_psql('postgres', 'CREATE ROLE hub LOGIN; CREATE ROLE far LOGIN; CREATE ROLE cur LOGIN; CREATE ROLE other LOGIN; CREATE DATABASE hub; CREATE DATABASE far');
sub sql { return $node->safe_psql('hub', $_[0]) }
sub far { return $node->safe_psql('far', $_[0]) }
sub as { my ($role, $sql) = @_; my ($out, $err); $node->psql('hub', "SET ROLE $role; \\set VERBOSITY verbose\n$sql", stdout => \$out, stderr => \$err, on_error_stop => 1); return $err }
sub refused { my ($sql, $expected, $name, $role) = @_; my $err = as($role // 'cur', $sql); like($err, $expected, $name); unlike($err, qr/WARNING/, "$name: not told twice"); return $err }
sub passes { my ($sql, $name, $role) = @_; my $err = as($role // 'cur', $sql); unlike($err, qr/ERROR|same rows|WARNING/, $name) or diag($err); return $err }

my $server = sub { my ($name, $options, $mapping) = @_; return "CREATE SERVER $name FOREIGN DATA WRAPPER postgres_fdw OPTIONS ($options, options '-c row_security=off -c client_min_messages=error'); GRANT USAGE ON FOREIGN SERVER $name TO cur, other;"
	. (defined $mapping ? join('', map { "CREATE USER MAPPING FOR $_ SERVER $name OPTIONS (password_required 'false'$mapping);" } 'cur', 'other') : '') };
my $at = "host '$host', port '$port'";
my $as_cur = ", user 'cur'";
sql("CREATE EXTENSION pegs; CREATE EXTENSION postgres_fdw; CREATE EXTENSION file_fdw; GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA public TO cur, other; GRANT CREATE ON SCHEMA public TO cur, other; GRANT pg_read_server_files TO cur; GRANT USAGE ON FOREIGN DATA WRAPPER file_fdw TO cur;"
	. "CREATE SERVER files FOREIGN DATA WRAPPER file_fdw; GRANT USAGE ON FOREIGN SERVER files TO cur;" . $server->('back', "$at, dbname 'hub'", $as_cur) . $server->('away', "$at, dbname 'far'", $as_cur));
far("CREATE EXTENSION pegs; GRANT CREATE ON SCHEMA public TO cur");
my $table = sub { my ($name) = @_; return "CREATE TABLE $name AS SELECT i % 2 = 0 AS a FROM generate_series(1, 1000) AS i;" };
my $foreign = sub { my ($name, $there, $server, $more) = @_; return "CREATE FOREIGN TABLE $name (a boolean) " . ($more // '') . ' SERVER ' . ($server // 'away') . " OPTIONS (table_name '$there');" };
my $fit = sub { my ($of, $name) = @_; return "SELECT pegs_fit('" . ($name // 'm') . "', '$of', '{a}', method => 'marginals', epsilon => 1)" };
sub total { return sql('SELECT coalesce(sum(spent), 0) FROM pegs_budgets') }

# ---- 1. what leads back here ----

sql('SET ROLE cur; ' . $table->('here') . "CREATE TABLE here_once (person int NOT NULL, a boolean); SELECT pegs_set_unit('here_once', 'person', 2);
	CREATE VIEW many AS SELECT h.a FROM here AS h, generate_series(1, 3) AS i; CREATE VIEW one AS SELECT a FROM here; CREATE MATERIALIZED VIEW stored AS SELECT a FROM many;"
	. $foreign->('f_many', 'many', 'back') . $foreign->('chained', 'f_many', 'back') . $foreign->('f_stored', 'stored', 'back'));
my $back = sub { my ($far, $here) = @_; return qr/ERROR:  55000: foreign table "$far" leads back to this database\nDETAIL:  It stands for public\.$here, by whose name.*\nHINT:  Name that one: source => 'public\.$here'/ };
for my $call (sub { "SELECT pegs_set_budget('$_[0]', 10)" }, $fit, sub { "SELECT pegs_fit('m', '$_[0]', '{a}', parents => '{}')" }, sub { "SELECT pegs_learn_levels('$_[0]', 'a', 1, 1e-9)" }, sub { "SELECT * FROM pegs_domain('$_[0]')" })
{
	refused($call->('f_many'), $back->('f_many', 'many'), 'leads back to a join: ' . $call->('f_many'));
}
refused('BEGIN; ' . $foreign->('f', $_->[0], $_->[1] // 'back') . " SELECT pegs_set_budget('f', 10)", $back->('f', $_->[0]), "leads back to $_->[0]") for ['here'], ['here_once'], ['one'], ['stored'], ['chained'];
# as a part, and below a materialized view, whose rows were stored of both
sql("SET ROLE cur; CREATE TABLE dd (a boolean); CREATE TABLE dd1 () INHERITS (dd); CREATE FOREIGN TABLE dd2 () INHERITS (dd) SERVER back OPTIONS (table_name 'dd1'); CREATE MATERIALIZED VIEW ddm AS SELECT a FROM dd; CREATE MATERIALIZED VIEW ddmm AS SELECT a FROM ddm; CREATE VIEW ddw AS SELECT a FROM ddmm;
	CREATE TABLE pp (a boolean) PARTITION BY LIST (a); CREATE TABLE pp1 PARTITION OF pp FOR VALUES IN (true); CREATE FOREIGN TABLE pp2 PARTITION OF pp FOR VALUES IN (false) SERVER back OPTIONS (table_name 'pp1'); CREATE MATERIALIZED VIEW ppm AS SELECT a FROM pp WITH NO DATA; CREATE MATERIALIZED VIEW fm AS SELECT a FROM f_many");
my $leaves = qr/ERROR:  55000: foreign table "dd2" leads back.*HINT:  ALTER FOREIGN TABLE public\.dd2 NO INHERIT public\.dd;/s;
refused($fit->('dd'), qr/$leaves\n/, 'a part that leads back');
refused($fit->('ddm'), qr/$leaves REFRESH MATERIALIZED VIEW public\.ddm;\n/, 'below a materialized view');
refused($fit->('ddw'), qr/$leaves REFRESH MATERIALIZED VIEW public\.ddm; REFRESH MATERIALIZED VIEW public\.ddmm;\n/, 'below two of them');
refused($fit->('ppm'), qr/HINT:  ALTER TABLE public\.pp DETACH PARTITION public\.pp2; REFRESH MATERIALIZED VIEW public\.ppm;/, 'a partition');
refused($fit->('fm'), $back->('f_many', 'many'), 'a materialized view of what leads back');
sql('SET ROLE cur; ALTER FOREIGN TABLE dd2 NO INHERIT dd; REFRESH MATERIALIZED VIEW ddm; REFRESH MATERIALIZED VIEW ddmm; SELECT pegs_set_budget(\'dd\', 10)');
passes($fit->($_, "of_$_"), "mended: $_") for 'ddm', 'ddw';

# what was declared before it led back can be printed and forgotten, which reads no rows
sql("SET ROLE cur; CREATE FOREIGN TABLE told (person int NOT NULL, a text, b text, d timestamp NOT NULL) SERVER away OPTIONS (table_name 'here'); CREATE VIEW told_v AS SELECT a, b FROM told; SELECT pegs_set_levels('told', 'a', '{x,y}'), pegs_set_levels('told', 'b', '{x,y,z}');"
	. q{SELECT pegs_forbid('told', '{"a": "x", "b": "y"}'), pegs_set_unit('told', 'person', 2), pegs_set_groups('told', 'b', '{"x": "g", "y": "g", "z": "h"}'), pegs_set_hierarchy('told', 'b', '[{"groups": {"p": ["x", "y"], "q": ["z"]}}]');}
	. "CREATE TABLE sliced (d timestamp NOT NULL, a boolean NOT NULL); CREATE TRIGGER zz_keep_slices BEFORE UPDATE ON sliced FOR EACH ROW EXECUTE FUNCTION pegs_keep_slices('d'); ALTER TABLE sliced ENABLE ALWAYS TRIGGER zz_keep_slices; SELECT pegs_set_budget('sliced', 10); SELECT pegs_set_slices('sliced', 'd', interval '1 day', '2026-01-01', 1)");
my $facts = sql("SET ROLE cur; SELECT pegs_facts('told')");
like($facts, qr/"unit".*"forbidden"|"forbidden".*"unit"/, 'facts of before');
sql("SET ROLE cur; CREATE FOREIGN TABLE sliced_f () INHERITS (sliced) SERVER back OPTIONS (table_name 'here')");
sql("ALTER SERVER away OPTIONS (SET dbname 'hub')");
is(sql("SET ROLE cur; SELECT pegs_facts('told')"), $facts, 'leads back since: its facts are printed');
like(sql("SET ROLE cur; SELECT pegs_facts('told_v')"), qr/columns/, 'leads back since: so are those of a view');
refused($_, $back->('told', 'here'), "leads back since: $_") for "SELECT pegs_set_levels('told', 'a', '{x}')", "SELECT pegs_forbid('told', '{\"a\": \"y\", \"b\": \"y\"}')", "SELECT pegs_set_unit('told', 'person', 3)", "SELECT pegs_set_groups('told', 'b', '{\"x\": \"g\"}')", "SELECT pegs_set_hierarchy('told', 'b', '[]')", "SELECT pegs_set_budget('told', 1)", "SELECT pegs_declare('told', '{}')";
passes($_, "leads back since: $_") for "SELECT pegs_set_hierarchy('told', 'b', NULL)", "SELECT pegs_set_groups('told', 'b', NULL)", "SELECT pegs_forbid('told', NULL)", "SELECT pegs_set_unit('told', NULL)", "SELECT pegs_unset('told', 'b')", "SELECT pegs_unset_slices('sliced')";
is(sql("SET ROLE cur; SELECT pegs_facts('told')"), '{"columns": {"a": {"levels": ["x", "y"]}}}', 'leads back since: what was forgotten is gone');
sql("SET ROLE cur; SELECT pegs_unset('told', 'a'); DROP FOREIGN TABLE told CASCADE; DROP TABLE sliced CASCADE; SET ROLE NONE; ALTER SERVER away OPTIONS (SET dbname 'far')");

# by what the options say and what libpq takes: no dbname: the database is called as the user; of no mapping it is not known
my $me = getpwuid($>);
my %own = (ipv4 => "hostaddr '127.0.0.7', port '$port'", mapped => "hostaddr '::ffff:127.0.0.1', port '$port'", short => "host '127.1', port '$port'", number => "host '0x7f000001', port '$port'", long => "host '0:0:0:0:0:0:0:1', port '$port'", any => "host '0.0.0.0', port '$port'", zeros => "host '$host', port '0$port'", spelled => "host 'LocalHost', port ' $port'");
my ($interface) = grep { /^\d+\.\d+\.\d+\.\d+$/ && !/^127\./ } split ' ', `hostname -I 2>/dev/null`;
$own{interface} = "host '$interface', port '$port'" if $interface;
symlink($host, $node->data_dir . '/linked');
$own{linked} = "host '" . $node->data_dir . "/linked', port '$port'";
my $servers = join('', map { $server->("own_$_", "$own{$_}, dbname 'hub'") } keys %own);
sql($servers . $server->('nameless', $at, ", user 'hub'") . $server->('by_other', $at, $as_cur) . $server->('unmapped', $at) . $server->('of_two', $at, $as_cur) . "ALTER USER MAPPING FOR other SERVER of_two OPTIONS (SET user 'hub');" . $server->('of_system', $at, '')
	. $server->('lists', "host 'nowhere.invalid,$host', port '1,$port', dbname 'hub'", '') . $server->('loop', "hostaddr '127.0.0.7', host 'nowhere.invalid', port '$port', dbname 'hub'", '')
	. $server->('address_gaps', "host 'nowhere.invalid,$host', hostaddr '192.0.2.1,', port '$port', dbname 'hub'", '') . $server->('address_none', "host '127.0.0.1,nowhere.invalid', hostaddr ',', port '$port', dbname 'hub'", '') . $server->('address_first', "host '$host,nowhere.invalid', hostaddr '192.0.2.1,', port '$port', dbname 'hub'", '')
	. $server->('served', "$at, dbname 'hub', service 'some'") . $server->('served_elsewhere', "dbname 'hub', service 'some'") . $server->('other_port', "host '$host', port '1', dbname 'hub'") . $server->('crossed', "host '$host,nowhere.invalid', port '1,$port', dbname 'hub'") . $server->('other_socket', "host '/', port '$port', dbname 'hub'") . $server->('other_host', "host '192.0.2.1', port '$port', dbname 'hub'"));
my $budget = sub { my ($there, $server) = @_; return 'BEGIN; ' . $foreign->('f', $there, $server) . " SELECT pegs_set_budget('f', 10)" };
refused($budget->('here', $_), $back->('f', 'here'), "leads back by $_") for 'nameless', 'unmapped', 'lists', 'loop', 'address_gaps', 'address_none', 'served', map { "own_$_" } sort keys %own;
# by the mapping of the owner, and no other's
refused($budget->('here', 'of_two'), $back->('f', 'here'), 'leads back by of_two, of the other owner', 'other');
passes($budget->('here', $_), "leads elsewhere: $_") for 'by_other', 'of_two', 'crossed', 'address_first', 'served_elsewhere', 'other_port', 'other_host', 'other_socket', 'away', $me eq 'hub' ? () : 'of_system';
# nor by the owner's alone: a view asks as its own owner does, a security_invoker as who runs the query, a materialized view as its owner did; a part as its whole
sql('SET ROLE cur; ' . $foreign->('seen', 'here', 'of_two') . 'CREATE VIEW of_cur AS SELECT a FROM seen; GRANT SELECT ON seen, of_cur TO other; SET ROLE other; CREATE VIEW of_other AS SELECT a FROM seen; CREATE VIEW invoker WITH (security_invoker) AS SELECT a FROM seen; GRANT SELECT ON of_other, invoker TO cur;
	CREATE MATERIALIZED VIEW kept AS SELECT a FROM seen WITH NO DATA; CREATE MATERIALIZED VIEW kept_2 AS SELECT a FROM invoker WITH NO DATA; CREATE VIEW above AS SELECT a FROM of_cur; CREATE TABLE wide (a boolean); SET ROLE cur; ' . $foreign->('wide_f', 'here', 'of_two') . 'SET ROLE NONE; ALTER FOREIGN TABLE wide_f INHERIT wide');
passes("BEGIN; SELECT pegs_set_budget('$_', 10)", "asks as cur: $_") for 'seen', 'of_cur', 'invoker', 'above';
like(as('cur', "BEGIN; SELECT pegs_set_budget('above', 10)"), qr/NOTICE:  00000: "above" has no account of its own: this is the budget of "seen" now\nDETAIL:  Its rows are those of that table, and are paid for once\.\n/, 'whose budget it is');
is(as('cur', "BEGIN; SELECT pegs_set_budget('seen', 10)"), '', 'of a table itself nobody needs to say it');
refused("BEGIN; SELECT pegs_set_budget('$_', 10)", $back->('seen', 'here'), "asks as other: $_") for 'of_other', 'kept', 'kept_2';
refused("BEGIN; SELECT pegs_set_budget('wide', 10)", qr/ERROR:  55000: foreign table "wide_f" leads back/, 'asks as other: a part of another owner', 'other');
sql('DROP FOREIGN TABLE seen, wide_f CASCADE; DROP TABLE wide');
passes($budget->('nothing', 'back'), 'no relation of that name is here');
is(total(), 2, 'leads back: nothing is charged');

# ---- 2. two foreign tables for one table of another database ----

far('SET ROLE cur; ' . join('', map { $table->($_) } 'tz', 'tdummy', 'tnew'));
sql($server->('away_2', "host '127.0.0.1', port '0$port', dbname 'far'", $as_cur) . $server->('away_3', "host 'localhost', port '$port'", ", user 'far'") . $server->('away_4', "host 'nowhere.invalid', port '$port', dbname 'far'", $as_cur)
	. $server->('away_5', "host 'NoWhere.Invalid', port '$port', dbname 'far'", $as_cur));
sql("SET ROLE cur; CREATE TABLE tw (a boolean); " . $foreign->('tw1', 'tz', 'away', 'INHERITS (tw)') . $foreign->('tw_4', 'tz', 'away_4'));
my $part = sub { my ($there, $server, $more) = @_; return 'BEGIN; ' . ($more // '') . $foreign->('tw2', $there, $server, 'INHERITS (tw)') . " SELECT pegs_set_budget('tw', 100)" };
refused($part->('tz', $_), qr/ERROR:  55000: "tw1" and "tw2", parts of "tw", stand for the same rows.*HINT:  ALTER FOREIGN TABLE public\.tw2 NO INHERIT public\.tw;/s, "one table there, by $_") for 'away', 'away_2', 'away_3';
refused($part->('tz', 'away_5', 'ALTER FOREIGN TABLE tw1 NO INHERIT tw; ALTER FOREIGN TABLE tw_4 INHERIT tw; '), qr/ERROR:  55000: "tw_4" and "tw2", parts of "tw", stand for the same rows/, 'one table there, by a name in other letters');
sql($server->('far_of_other', $at, $as_cur) . "ALTER USER MAPPING FOR other SERVER far_of_other OPTIONS (SET user 'far'); SET ROLE cur; CREATE TABLE by_role (a boolean); " . $foreign->('by_role_1', 'tz', 'away', 'INHERITS (by_role)') . $foreign->('by_role_2', 'tz', 'far_of_other', 'INHERITS (by_role)')
	. 'GRANT SELECT ON by_role TO other; SET ROLE other; CREATE VIEW by_other AS SELECT a FROM by_role; GRANT SELECT ON by_other TO cur');
passes("BEGIN; SELECT pegs_set_budget('by_role', 1)", 'one table there, as another role asks: not as its owner');
refused("BEGIN; SELECT pegs_set_budget('by_other', 1)", qr/ERROR:  55000: "by_role_1" and "by_role_2", parts of "by_role", stand for the same rows/, 'one table there, as the owner of a view asks');
passes($part->($_->[0], $_->[1]), "another table there: @$_") for ['tdummy', 'away'], ['tz', 'away_4'];
# of a list any host may be the one that answers
sql($server->('list_1', "host '192.0.2.1,$host', port '$port', dbname 'far'", $as_cur) . $server->('list_2', "host '192.0.2.2,192.0.2.1', port '1,$port', dbname 'far'", $as_cur) . $server->('list_3', "host '$host,192.0.2.1', port '1,1', dbname 'far'", $as_cur) . 'SET ROLE cur;' . $foreign->('tw_list', 'tz', 'list_1'));
refused($part->('tz', 'list_1'), qr/ERROR:  55000: "tw1" and "tw2", parts of "tw", stand for the same rows/, 'one table there, by a list');
refused($part->('tz', 'list_2', 'ALTER FOREIGN TABLE tw1 NO INHERIT tw; ALTER FOREIGN TABLE tw_list INHERIT tw; '), qr/ERROR:  55000: "tw_list" and "tw2", parts of "tw", stand for the same rows/, 'one table there, by two lists');
passes($part->('tz', $_), "another table there, by a list: $_") for 'list_2', 'list_3';
my $file = $node->data_dir . '/f.csv';
append_to_file($file, "t\n");
symlink($file, $node->data_dir . '/g.csv');
link($file, $node->data_dir . '/h.csv');
for my $same ('./f.csv', $file, 'base/../f.csv', 'g.csv', 'h.csv')
{
	my $err = as('cur', "BEGIN; CREATE TABLE ff (a boolean); CREATE FOREIGN TABLE ff1 () INHERITS (ff) SERVER files OPTIONS (filename 'f.csv', format 'csv'); CREATE FOREIGN TABLE ff2 () INHERITS (ff) SERVER files OPTIONS (filename '$same', format 'csv'); SELECT pegs_set_budget('ff', 1)");
	like($err, qr/"ff1" and "ff2", parts of "ff", stand for the same rows/, "one file: $same") or diag($err);
}

# ---- 3. an account for rows that another one has paid for: at each charge, whoever calls ----

sql('SET ROLE cur; ' . $foreign->('first', 'tz') . join('', map { $foreign->($_, 'tdummy') } 'rep', 'rep_2', 'rep_s') . "SELECT pegs_set_budget(t, 1e3, 1e-3) FROM unnest(ARRAY['first', 'rep', 'rep_2', 'rep_s']::regclass[]) AS t;"
	. "SELECT pegs_fit('sealed', 'rep_s', '{a}', parents => '{}'); SELECT pegs_grant('sealed', 'other', 9);" . $fit->('first', 'of_first'));
sql("SET ROLE cur; ALTER FOREIGN TABLE $_ OPTIONS (SET table_name 'tz')") for 'rep', 'rep_2', 'rep_s';
sql('SET ROLE cur; ALTER FOREIGN TABLE rep_2 OPTIONS (SET table_name \'tnew\')');
my $before = total();
my $paid = sub { my ($of) = @_; return qr/ERROR:  55000: the account of "first" has spent on rows of "$of"\n.*HINT:  Fit the other table: its account pays\. SELECT \* FROM pegs_ledger WHERE source = 'public\.first'::regclass;/s };
refused($fit->('rep'), $paid->('rep'), 'pointed at rows that are paid for: a fit');
sql('SET ROLE cur;' . $foreign->('listed', 'tz', 'list_1'));
refused("SELECT pegs_set_budget('listed', 9)", $paid->('listed'), 'rows that are paid for, by a list');
sql('DROP FOREIGN TABLE listed, tw_list');
refused("BEGIN; ALTER FOREIGN TABLE rep ADD n int; SELECT pegs_learn_range('rep', 'n', 1)", $paid->('rep'), 'pointed at rows that are paid for: a range is learnt');
my @sealed = ("SELECT * FROM pegs_sample('sealed', 5, 1) AS t(a boolean)", "SELECT pegs_release('r', 'sealed', 5, 1)");
refused($_, $paid->('rep_s'), "a sealed model of before: $_") for @sealed;
# a grantee: refused as the owner is, and no name is told
unlike(refused($_, qr/ERROR:  55000: another account has spent on rows of "rep_s"\n/, "by a grantee: $_", 'other'), qr/first/, 'by a grantee: no name') for @sealed;
refused($foreign->('later', 'tz', 'away_3') . " SELECT pegs_set_budget('later', 1)", $paid->('later'), 'a first budget, by another server');
is(total(), $before, 'pointed at rows that are paid for: nothing is charged');

# of another owner: told, whatever was spent, since whoever may use the server could lock out somebody else
sql("SET ROLE other; " . $foreign->('others', 'tz') . $foreign->('others_2', 'tz') . "SELECT pegs_set_budget('others_2', 10)");
my $warned = sub { my ($of) = @_; return qr/WARNING:  01000: another account of this database is for the rows of "$of", too\n.*HINT:  Ask a superuser/s };
for my $call ("SELECT pegs_set_budget('others', 10)", $fit->('others_2'))
{
	my $told = as('other', "BEGIN; $call");
	like($told, $warned->($call =~ /others_2/ ? 'others_2' : 'others'), "of another owner: told: $call");
	unlike($told, qr/ERROR|"first"/, "of another owner: no error, and no name: $call");
}
sql("SET ROLE other; ALTER FOREIGN TABLE others_2 OPTIONS (SET table_name 'tnew')");
my $told = as('cur', 'BEGIN; ' . $fit->('rep_2'));
like($told, $warned->('rep_2'), 'others have spent: told');
unlike($told, qr/ERROR|"others"/, 'others have spent: not locked out');
sql("SET ROLE other; DROP FOREIGN TABLE others, others_2");

# who has spent already is not locked out: told
my $both = qr/WARNING:  01000: the account of "(\w+)" has spent on rows of "(\w+)", too\nDETAIL:  They stand for the same rows, which cost both.*\nHINT:  Fit one of the two tables/;
sql("SET ROLE cur; ALTER FOREIGN TABLE rep OPTIONS (SET table_name 'tdummy'); " . $fit->('rep', 'of_rep') . "; ALTER FOREIGN TABLE rep OPTIONS (SET table_name 'tz')");
for my $call ($fit->('rep'), $fit->('first'), "SELECT pegs_set_budget('rep', 2e3, 1e-3)", "SELECT pegs_refit('of_rep')" , "BEGIN; ALTER FOREIGN TABLE rep ADD n int; SELECT pegs_fit('m', 'rep', '{a}', parents => '{}')")
{
	my $err = as('cur', ($call =~ /BEGIN/ ? '' : 'BEGIN; ') . $call);
	like($err, $both, "both have spent: $call"); is(() = $err =~ /WARNING/g, 1, "both have spent, once: $call");
}
# rows that were read without a guarantee
sql("SET ROLE cur; SELECT pegs_fit('bare', 'rep_2', '{a}', method => 'table', options => '{\"guarantee\": \"none\"}'); CREATE FOREIGN TABLE new_2 (a boolean) SERVER away_2 OPTIONS (table_name 'tnew')");
refused("SELECT pegs_set_budget('new_2', 1)", qr/ERROR:  55000: the account of "rep_2" has spent on rows of "new_2"/, 'rows that were read without a guarantee');
# which is no way past what another one has paid for: it counts against the other account, and not as a charge of its own
my $rows = sub { my ($of) = @_; return "SELECT count(*) FROM pegs_generalize('$of', ARRAY['a'], 2) AS g (plan), LATERAL pegs_generalized('$of', g.plan) AS t (a text)" };
sql('SET ROLE cur; ' . join('', map { $foreign->($_, 'tdummy') } 'past', 'past_2') . "SELECT pegs_set_budget(t, 10) FROM unnest(ARRAY['past', 'past_2']::regclass[]) AS t; ALTER FOREIGN TABLE past OPTIONS (SET table_name 'tz'); ALTER FOREIGN TABLE past_2 OPTIONS (SET table_name 'tz')");
my $twins = qr/WARNING:  01000: the account of "\w+" has spent on rows of "past(_2)?", too/;
like(as('cur', "SELECT pegs_fit('past', 'past', '{a}', method => 'table', options => '{\"guarantee\": \"none\"}')"), $twins, 'read without a guarantee: told');
like(as('cur', $rows->('past_2')), $twins, 'rows by a plan: told');
refused('BEGIN; ' . $fit->($_), $paid->($_), "read without a guarantee: the other one pays still: $_") for 'past', 'past_2';
is(sql("SELECT string_agg(spent || ' ' || uncovered, ',') FROM pegs_budgets WHERE source IN ('past'::regclass, 'past_2'::regclass)"), '0 true,0 true', 'read without a guarantee: nothing is charged');
# two that were read so, and have paid nothing: both say it, and neither is locked out
far("SET ROLE cur; " . $table->('tbare'));
sql('SET ROLE cur; ' . join('', map { $foreign->($_, 'tbare') } 'bare_1', 'bare_2', 'none', 'none_2') . "SELECT pegs_set_budget(t, 10) FROM unnest(ARRAY['bare_1', 'bare_2']::regclass[]) AS t");
my $marked = "SELECT string_agg(source || ' ' || uncovered, ',' ORDER BY source::text) FROM pegs_budgets WHERE source IN ('bare_1'::regclass, 'bare_2'::regclass)";
# of a table without an account, for the same rows: it is said in the accounts that there are, and a ROLLBACK takes nothing back
sql("SET ROLE other; " . $foreign->('none_o', 'tbare'));
like(as('other', $rows->('none_o')), $warned->('none_o'), 'rows of a twin without an account, of another owner: told');
is(sql($marked), 'bare_1 false,bare_2 false', 'rows of a twin without an account, of another owner: nobody is marked');
sql("SET ROLE cur; BEGIN; " . $rows->('none') . '; ROLLBACK');
is(sql($marked), 'bare_1 true,bare_2 true', 'rows of a twin without an account: all are marked');
is(sql("SELECT string_agg(source || ' ' || object, ',' ORDER BY source::text) FROM pegs_ledger WHERE object ~ 'none'"), 'bare_1 public."none",bare_2 public."none"', 'rows of a twin without an account: by its name');
refused("SELECT pegs_set_budget('none_2', 10)", qr/ERROR:  55000: the account of "bare_[12]" has spent on rows of "none_2"/, 'read without a guarantee, and a third account');
like(as('cur', $fit->('bare_1', 'of_bare')), qr/WARNING:  01000: the account of "bare_2" has spent on rows of "bare_1", too\n(?!.*ERROR)/s, 'both were read without a guarantee: told, and fitted');
refused('BEGIN; ' . $fit->('bare_2'), qr/ERROR:  55000: the account of "bare_1" has spent on rows of "bare_2"/, 'both were read without a guarantee: the one that has paid pays');
sql('SET ROLE cur; DROP FOREIGN TABLE bare_1, bare_2, none, none_2, past, past_2; RESET ROLE; DROP FOREIGN TABLE none_o');
# a part that comes later: the account of the whole
sql("SET ROLE cur; CREATE TABLE at1 (a boolean) PARTITION BY LIST (a); CREATE TABLE at1_t PARTITION OF at1 FOR VALUES IN (true); SELECT pegs_set_budget('at1', 1e3); CREATE FOREIGN TABLE at1_f PARTITION OF at1 FOR VALUES IN (false) SERVER away OPTIONS (table_name 'tz')");
refused($fit->('at1'), qr/ERROR:  55000: the account of "(first|rep)" has spent on rows of "at1"/, 'a part that came after the budget');
like(as('cur', "SELECT pegs_set_budget('at1', 2e3)"), qr/WARNING:  01000: the account of "(first|rep)" has spent on rows of "at1", too/, 'a part that came after the budget, another total: told');

# ---- 4. at once ----

far("CREATE FUNCTION waits() RETURNS boolean LANGUAGE plpgsql AS 'BEGIN PERFORM pg_advisory_xact_lock_shared(17); RETURN true; END'; SET ROLE cur; " . $table->('now') . $table->('race') . 'CREATE VIEW now_v AS SELECT a FROM now WHERE waits()');
# the other one is charged while rows are read: asked again behind the lock
sql('SET ROLE cur; ' . $foreign->('now', 'now_v') . $foreign->('of_now', 'now_v') . "SELECT pegs_set_budget('now', 10), pegs_set_budget('of_now', 10)");
sub session { my ($database, $sql, $err) = @_; return IPC::Run::start([ 'psql', '-XAtq', '-v', 'VERBOSITY=verbose', '-d', $node->connstr($database), map { ('-c', $_) } @$sql ], '>', \my $out, '2>', $err) }
sub holder { my ($database, $sql, $in, $held) = @_; $$in = "$sql;\n\\echo held\n"; $$held = ''; my $h = IPC::Run::start([ 'psql', '-XAtq', '-d', $node->connstr($database) ], '<', $in, '>', $held); $h->pump until $$held =~ /held/; return $h }
{
	my ($in, $held, $err) = ('', '', '');
	my $holder = holder('far', 'SELECT pg_advisory_lock(17)', \$in, \$held);
	my $waiting = session('hub', ['SET ROLE cur', $fit->('of_now', 'of_now')], \$err);
	ok($node->poll_query_until('far', "SELECT count(*) = 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"), 'meanwhile: it waits');
	# not by its view, which waits
	sql("SET ROLE cur; ALTER FOREIGN TABLE now OPTIONS (SET table_name 'now'); " . $fit->('now', 'now') . "; ALTER FOREIGN TABLE now OPTIONS (SET table_name 'now_v')");
	$in = "SELECT pg_advisory_unlock_all();\n\\q\n";
	$holder->finish;
	$waiting->finish;
	like($err, qr/ERROR:  55000: the account of "now" has spent on rows of "of_now"/, 'meanwhile: refused') or diag($err);
	is(sql("SELECT spent FROM pegs_budgets WHERE source = 'of_now'::regclass"), '0', 'meanwhile: not charged');
}
# both charge for the first time: one by one, and the later one sees it. Their lines cannot be written while the ledger is held
sql('SET ROLE cur; ' . $foreign->('race_1', 'race') . $foreign->('race_2', 'race') . "SELECT pegs_set_budget('race_1', 10), pegs_set_budget('race_2', 10)");
{
	my ($in, $held, @err) = ('', '', '', '');
	my $holder = holder('hub', 'BEGIN; LOCK TABLE pegs_internal.ledger IN SHARE MODE', \$in, \$held);
	my @racing = map { session('hub', ['SET ROLE cur', $fit->("race_$_", "race_$_")], \$err[$_ - 1]) } 1, 2;
	ok($node->poll_query_until('hub', "SELECT count(*) = 2 FROM pg_stat_activity WHERE query LIKE '%race\\__%' AND wait_event_type = 'Lock' AND pid <> pg_backend_pid()"), 'a race: both wait');
	$in = "ROLLBACK;\n\\q\n";
	$holder->finish;
	$_->finish for @racing;
	is(() = join('', @err) =~ /ERROR:  55000: the account of "race_[12]" has spent on rows of "race_[12]"/g, 1, 'a race: one of them is refused') or diag("@err");
	is(sql("SELECT sum(spent) FROM pegs_budgets WHERE source IN ('race_1'::regclass, 'race_2'::regclass)"), '1', 'a race: charged once');
}

# pointed at them while the other one is being charged: what is looked at is what is there behind the lock
far('SET ROLE cur; ' . join('', map { $table->($_) } 'tr', 'tr_2', 'kids'));
sql('SET ROLE cur; ' . $foreign->('pair_1', 'tr') . $foreign->('pair_2', 'tr_2') . "SELECT pegs_set_budget('pair_1', 10), pegs_set_budget('pair_2', 10)");
{
	my ($in, $held, @err) = ('', '', '', '');
	my $holder = holder('hub', 'BEGIN; LOCK TABLE pegs_internal.ledger IN SHARE MODE', \$in, \$held);
	my $waits = "SELECT count(*) = %d FROM pg_stat_activity WHERE query LIKE '%%pair\\_%%' AND wait_event_type = 'Lock' AND pid <> pg_backend_pid()";
	my @racing = session('hub', ['SET ROLE cur', $fit->('pair_1', 'pair_1')], \$err[0]);
	ok($node->poll_query_until('hub', sprintf($waits, 1)), 'pointed at them meanwhile: the first one waits');
	sql("SET ROLE cur; ALTER FOREIGN TABLE pair_2 OPTIONS (SET table_name 'tr')");
	push @racing, session('hub', ['SET ROLE cur', $fit->('pair_2', 'pair_2')], \$err[1]);
	ok($node->poll_query_until('hub', sprintf($waits, 2)), 'pointed at them meanwhile: both wait');
	$in = "ROLLBACK;\n\\q\n";
	$holder->finish;
	$_->finish for @racing;
	unlike($err[0], qr/ERROR/, 'pointed at them meanwhile: the first one is charged') or diag($err[0]);
	like($err[1], qr/ERROR:  55000: the account of "pair_1" has spent on rows of "pair_2"/, 'pointed at them meanwhile: the second one is not') or diag($err[1]);
	is(sql("SELECT sum(spent) FROM pegs_budgets WHERE source IN ('pair_1'::regclass, 'pair_2'::regclass)"), '1', 'pointed at them meanwhile: charged once');
}
# where they are was changed in this transaction, which nobody else sees: nothing is charged, a sealed model of before too
sql($server->('away_m', "$at, dbname 'far'", $as_cur) . 'SET ROLE cur; ' . $foreign->('moved', 'tr_2', 'away_m') . "CREATE TABLE moved_w (a boolean); SELECT pegs_set_budget('moved', 10), pegs_set_budget('moved_w', 10), pegs_fit('of_moved', 'moved', '{a}', parents => '{}')");
$before = total();
for my $change ("SET ROLE cur; ALTER FOREIGN TABLE moved OPTIONS (SET table_name 'tr_none')", "ALTER SERVER away_m OPTIONS (SET port '0$port')", "ALTER USER MAPPING FOR cur SERVER away_m OPTIONS (SET user 'far')", "SET ROLE cur; SAVEPOINT s; ALTER FOREIGN TABLE moved OPTIONS (SET table_name 'tr_none'); RELEASE s")
{
	for my $call ($fit->('moved'), "SELECT * FROM pegs_sample('of_moved', 5, 1) AS t(a boolean)")
	{
		refused("RESET ROLE; BEGIN; $change; SET ROLE cur; $call", qr/ERROR:  55000: where rows of "moved" are, or of another account, was changed in this transaction\n.*HINT:  COMMIT; and spend in the next transaction\./s, "changed here: $change: $call");
	}
}
refused("BEGIN; ALTER FOREIGN TABLE moved INHERIT moved_w; " . $fit->('moved_w'), qr/ERROR:  55000: where rows of "moved_w" are, or of another account, was changed in this transaction/, 'changed here: a part that comes');
is(total(), $before, 'changed here: nothing is charged');
passes('BEGIN; ' . $fit->('moved') . '; ROLLBACK', 'changed by nobody');

# ---- 5. a table that is bound to another one, and has a foreign child: foreign keys are not inherited ----

sql('SET ROLE cur; ' . $foreign->('kid_own', 'kids') . "SELECT pegs_set_budget('kid_own', 5); CREATE TABLE root (id int PRIMARY KEY); CREATE TABLE child (a boolean, of int NOT NULL REFERENCES root); SELECT pegs_set_budget('root', 5)");
sql('SET ROLE cur; ' . $fit->('kid_own', 'kid_own') . "; SELECT pegs_set_parent('child', 'root')");
far('SET ROLE cur; ALTER TABLE kids ADD of int NOT NULL DEFAULT 1');
sql("SET ROLE cur; CREATE FOREIGN TABLE child_f () INHERITS (child) SERVER away OPTIONS (table_name 'kids')");
refused($fit->($_), qr/ERROR:  55000: the account of "kid_own" has spent on rows of "root"/, "a foreign child of a bound table: $_") for 'child', 'child_f';
is(sql("SELECT spent FROM pegs_budgets WHERE source = 'root'::regclass"), '0', 'a foreign child of a bound table: nothing is charged');
like(sql("SELECT state FROM pegs_health() WHERE item = 'rows of public.kid_own on other servers'"), qr/nor what is fitted by public\.root, whose rows are the same/, 'a foreign child of a bound table: pegs_health');

# ---- 6. pegs_health: both of them, whoever's rows they are ----

like(sql("SELECT ok || ' ' || state FROM pegs_health() WHERE item = 'rows of public.first on other servers'"), qr/^false .*nor what is fitted by .*\brep\b.*, whose rows are the same/, 'pegs_health: one');
like(sql("SELECT ok || ' ' || state FROM pegs_health() WHERE item = 'rows of public.at1 on other servers'"), qr/^false .*nor what is fitted by .*\bfirst\b/, 'pegs_health: a part');
is(sql("SELECT remedy IS NOT NULL FROM pegs_health() WHERE item = 'rows of public.race_1 on other servers'"), 't', 'pegs_health: a remedy');
is(sql("SELECT ok FROM pegs_health() WHERE item = 'rows of public.rep_s on other servers'"), 'f', 'pegs_health: of a sealed model');
is(sql("SELECT count(*) FROM pegs_health() WHERE item LIKE 'rows of public.tw%'"), '0', 'pegs_health: of other tables nothing');

# foreign tables that have come to lead back here when their account had spent: by a part, by a view here; of two owners, one of them spent nothing
far('SET ROLE cur; ' . join('', map { $table->($_) } 'moving', 'moving_v', 'moving_u', 'piece', 'kid'));
sql($server->('moves', "$at, dbname 'far'", $as_cur) . 'SET ROLE other; ' . $table->('moving') . $table->('moving_u') . "CREATE VIEW moving_v AS SELECT a FROM moving; SELECT pegs_set_budget('moving', 10), pegs_set_budget('moving_u', 10); CREATE TABLE whole (a boolean); CREATE TABLE piece () INHERITS (whole); SELECT pegs_set_budget('whole', 10);"
	. "CREATE TABLE mum (id int PRIMARY KEY); SELECT pegs_set_budget('mum', 10); CREATE TABLE kid (mum int NOT NULL REFERENCES mum, a boolean); SELECT pegs_set_parent('kid', 'mum');"
	. 'SET ROLE cur; ' . $foreign->('f_moving', 'moving', 'moves') . $foreign->('f_unspent', 'moving_u', 'moves') . $foreign->('f_piece', 'piece', 'moves') . $foreign->('f_kid', 'kid', 'moves') . 'CREATE TABLE over (a boolean); ' . $foreign->('over_f', 'moving_v', 'moves', 'INHERITS (over)')
	. "SELECT pegs_set_budget('f_moving', 10), pegs_set_budget('f_unspent', 10), pegs_set_budget('over', 10), pegs_set_budget('f_piece', 10), pegs_set_budget('f_kid', 10);" . $fit->('f_piece', 'of_piece') . ';' . $fit->('f_kid', 'of_kid') . ';' . $fit->('f_moving', 'of_moving') . ';' . $fit->('over', 'of_over'));
my $health = sub { my ($role) = @_; return sql("SET ROLE $role; SELECT item, ok, state, remedy FROM pegs_health() WHERE item ~ '^rows of public\\.(f_)?(moving|unspent|over|whole|mum)' ORDER BY item, state") };
unlike($health->('NONE'), qr/\|f\|/, 'pegs_health: not yet');
sql("ALTER SERVER moves OPTIONS (SET dbname 'hub')");
refused($fit->('f_moving'), $back->('f_moving', 'moving'), 'since an ALTER SERVER it leads back');
my %line;
for my $role ('cur', 'other', 'NONE')
{
	$line{$role} = $health->($role);
}
my $led = qr/^rows of public\.f_moving on other servers\|f\|moves: .*; foreign table public\.f_moving leads back to this database, to public\.moving: it is no source, and what was spent here was not spent in the account of those rows\|fit public\.moving in its place, and leave as much unspent in its account as was spent here$/m;
like($line{$_}, $led, "pegs_health of $_: it leads back and has spent") for 'cur', 'NONE';
like($line{$_}, qr/^rows of public\.over on other servers\|f\|.*foreign table public\.over_f leads back to this database, to public\.moving_v: .*, and what was spent here/m, "pegs_health of $_: so does a part") for 'cur', 'NONE';
like($line{$_}, qr/^rows of public\.f_unspent on other servers\|f\|.*, to public\.moving_u: it is no source\|fit public\.moving_u in its place$/m, "pegs_health of $_: it has spent nothing") for 'cur', 'NONE';
like($line{NONE}, qr/^rows of public\.moving\|f\|foreign table public\.f_moving leads back to them: what the account of public\.f_moving has spent is not in this one\|they cost both/m, 'pegs_health: so says the account of those rows');
like($line{NONE}, qr/^rows of public\.moving\|f\|foreign table public\.over_f leads back to them: what the account of public\.over has spent/m, 'pegs_health: also behind a view');
like($line{NONE}, qr/^rows of public\.$_->[0]\|f\|foreign table public\.$_->[1] leads back to them/m, "pegs_health: so says the account of $_->[0]") for ['whole', 'f_piece'], ['mum', 'f_kid'];
unlike($line{NONE}, qr/^rows of public\.moving_u\|/m, 'pegs_health: nothing spent, nothing lacks');
unlike($line{cur}, qr/^rows of public\.moving\|/m, "pegs_health: not of another's account");
is($line{other}, join("\n", map { "rows of public.$_|f|a foreign table of another owner, which has an account of its own, leads back to them: what was spent there is not in this account|ask a superuser, to whom pegs_health names it, what was spent there, and leave as much unspent in this account" } 'moving', 'moving_u', 'mum', 'whole'),
	"pegs_health: of another owner's no name, and not whether it has spent");
$node->stop;
done_testing();
