# Rows that stand for the same rows: what the catalog of this database can tell of foreign tables that lead back to it, also below a
# materialized view, through views, and by what libpq takes where nothing is said; and an account whose rows another one has paid
# for, asked at each charge. The server is its own other server. Issue 17, law L3.
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
my $super = $node->safe_psql('postgres', 'SELECT current_user');
# the database is called as a role: that is where libpq goes where no dbname is given
$node->safe_psql('postgres', 'CREATE ROLE hub LOGIN; CREATE ROLE cur LOGIN; CREATE DATABASE hub');
sub sql { return $node->safe_psql('hub', $_[0]) }
sub as { my ($role, $sql) = @_; my ($out, $err); $node->psql('hub', "SET ROLE $role; \\set VERBOSITY verbose\n$sql", stdout => \$out, stderr => \$err, on_error_stop => 1); return $err }
sub refused { my ($sql, $expected, $name, $role) = @_; my $err = as($role // 'cur', $sql); like($err, $expected, $name); unlike($err, qr/WARNING/, "$name: not told twice"); return $err }
sub passes { my ($sql, $name, $role) = @_; my $err = as($role // 'cur', $sql); unlike($err, qr/ERROR|same rows/, $name) or diag($err); return $err }

my $server = sub { my ($name, $options, $mapping) = @_; return "CREATE SERVER $name FOREIGN DATA WRAPPER postgres_fdw OPTIONS ($options, options '-c row_security=off -c client_min_messages=error'); GRANT USAGE ON FOREIGN SERVER $name TO cur, other;"
	. (defined $mapping ? "CREATE USER MAPPING FOR cur SERVER $name OPTIONS (password_required 'false'$mapping);" : '') };
my $at = "host '$host', port '$port'";
sql("CREATE EXTENSION pegs; CREATE EXTENSION postgres_fdw; CREATE ROLE other; GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA public TO cur, other; GRANT CREATE ON SCHEMA public TO cur, other; GRANT cur TO hub;" . $server->('back', "$at, dbname 'hub'", ", user 'cur'"));
my $table = sub { my ($name) = @_; return "CREATE TABLE $name AS SELECT i % 2 = 0 AS a FROM generate_series(1, 1000) AS i;" };
my $far = sub { my ($name, $there, $server, $more) = @_; return "CREATE FOREIGN TABLE $name (a boolean) " . ($more // '') . ' SERVER ' . ($server // 'back') . " OPTIONS (table_name '$there');" };
my $fit = sub { my ($of, $name) = @_; return "SELECT pegs_fit('" . ($name // 'm') . "', '$of', '{a}', method => 'marginals', epsilon => 1)" };
sub total { return sql('SELECT coalesce(sum(spent), 0) FROM pegs_budgets') }

# ---- 1. what a materialized view has stored of a table with a part that is there twice ----

sql("SET ROLE cur; CREATE TABLE dd (a boolean); CREATE TABLE dd1 () INHERITS (dd); INSERT INTO dd1 SELECT i % 2 = 0 FROM generate_series(1, 1000) AS i; CREATE FOREIGN TABLE dd2 () INHERITS (dd) SERVER back OPTIONS (table_name 'dd1');
	CREATE VIEW ddv AS SELECT a FROM dd; CREATE MATERIALIZED VIEW ddm AS SELECT a FROM dd; CREATE MATERIALIZED VIEW ddmm AS SELECT a FROM ddm; CREATE VIEW ddw AS SELECT a FROM ddmm; CREATE MATERIALIZED VIEW ddone AS SELECT a FROM dd1;
	CREATE TABLE pp (a boolean) PARTITION BY LIST (a); CREATE TABLE pp1 PARTITION OF pp FOR VALUES IN (true); CREATE FOREIGN TABLE pp2 PARTITION OF pp FOR VALUES IN (false) SERVER back OPTIONS (table_name 'pp1'); CREATE MATERIALIZED VIEW ppm AS SELECT a FROM pp WITH NO DATA");
my $twice = qr/ERROR:  55000: "dd1" and "dd2", parts of "dd", stand for the same rows.*HINT:  ALTER FOREIGN TABLE public\.dd2 NO INHERIT public\.dd;/s;
for my $call (map { $_->('ddm') } sub { "SELECT pegs_set_budget('$_[0]', 10)" }, $fit, sub { "SELECT pegs_fit('m', '$_[0]', '{a}', parents => '{}')" }, sub { "SELECT pegs_learn_levels('$_[0]', 'a', 1, 1e-9)" }, sub { "SELECT * FROM pegs_domain('$_[0]')" })
{
	refused($call, qr/$twice REFRESH MATERIALIZED VIEW public\.ddm;\n/, "below a materialized view: $call");
}
refused($fit->('ddw'), qr/$twice REFRESH MATERIALIZED VIEW public\.ddm; REFRESH MATERIALIZED VIEW public\.ddmm;\n/, 'below two of them');
refused($fit->('ddv'), qr/$twice\n/, 'below a view'); refused($fit->('dd'), qr/$twice\n/, 'the table itself');
refused($fit->('ppm'), qr/HINT:  ALTER TABLE public\.pp DETACH PARTITION public\.pp2; REFRESH MATERIALIZED VIEW public\.ppm;/, 'a partition');
# of the part alone each row is there once; and what the hint says, done
sql('SET ROLE cur; ALTER FOREIGN TABLE dd2 NO INHERIT dd; REFRESH MATERIALIZED VIEW ddm; REFRESH MATERIALIZED VIEW ddmm; SELECT pegs_set_budget(\'dd\', 10)');
passes($fit->($_, "of_$_"), "mended, and each row once: $_") for 'ddm', 'ddw', 'ddone';
sql("SET ROLE cur; SELECT pegs_drop(name) FROM pegs_models; DROP TABLE dd, pp CASCADE");

# ---- 2. what leads back here: a database that is not named, views, other foreign tables ----

# no dbname: the database is called as the user; none, and it is called as the system's; of no mapping it is not known
my $me = getpwuid($>);
sql($server->('nameless', $at, ", user 'hub'") . $server->('by_other', $at, ", user 'cur'") . $server->('unmapped', $at) . $server->('of_two', $at, ", user 'cur'") . "CREATE USER MAPPING FOR other SERVER of_two OPTIONS (user 'hub');" . $server->('of_system', $at, '')
	. $server->('lists', "host 'nowhere.invalid,$host', port '1,$port', dbname 'hub'", '') . $server->('loop', "hostaddr '127.0.0.7', host 'nowhere.invalid', port '$port', dbname 'hub'", '')
	. $server->('served', "$at, dbname 'hub', service 'some'") . $server->('served_elsewhere', "dbname 'hub', service 'some'") . $server->('other_port', "host '$host', port '1', dbname 'hub'") . $server->('other_base', "$at, dbname 'postgres'"));
sql("SET ROLE cur; " . $table->('tw1') . 'CREATE TABLE tw (a boolean); ALTER TABLE tw1 INHERIT tw; CREATE VIEW txv AS SELECT a FROM tw1; CREATE VIEW txw AS SELECT v.a FROM txv AS v WHERE v.a IN (SELECT a FROM txv); CREATE MATERIALIZED VIEW txm AS SELECT a FROM txw; CREATE TABLE apart (a boolean);'
	. $far->('chained', 'txw') . $far->('further', 'some', 'other_base') . 'CREATE VIEW over_further AS SELECT a FROM further;' . "CREATE TABLE tops (a boolean) PARTITION BY LIST (a); CREATE TABLE tops1 PARTITION OF tops FOR VALUES IN (true); SELECT pegs_set_budget('tw', 100)");
my $part = sub { my ($there, $server) = @_; return 'BEGIN; ' . $far->('tw2', $there, $server, 'INHERITS (tw)') };
my $alike = qr/ERROR:  55000: "tw1" and "tw2", parts of "tw", stand for the same rows.*HINT:  ALTER FOREIGN TABLE public\.tw2 NO INHERIT public\.tw;/s;
for my $of (['tw1', 'nameless'], ['tw1', 'unmapped'], ['tw1', 'of_two'], ['tw1', 'lists'], ['tw1', 'loop'], ['tw1', 'served'], ['txv', 'back'], ['txw', 'back'], ['txm', 'back'], ['chained', 'back'], ['txv', 'nameless'])
{
	refused($part->(@$of) . " SELECT pegs_set_budget('tw', 100)", $alike, "leads back: @$of, a budget");
	refused($part->(@$of) . ' ' . $fit->('tw'), $alike, "leads back: @$of, a fit");
}
for my $of (['tw1', 'by_other'], ['tw1', 'served_elsewhere'], ['tw1', 'other_port'], ['tw1', 'other_base'], ['apart', 'back'], ['nothing', 'back'], $me eq 'hub' ? () : ['tw1', 'of_system'])
{
	passes($part->(@$of) . " SELECT pegs_set_budget('tw', 100)", "leads elsewhere: @$of");
}
# two names of one table of another server, one of them by a view here
refused($part->('over_further') . $far->('tw3', 'some', 'other_base', 'INHERITS (tw)') . " SELECT pegs_set_budget('tw', 100)", qr/ERROR:  55000: "tw2" and "tw3", parts of "tw", stand for the same rows/, 'by a view here to another server, twice');
is(total(), 0, 'leads back: nothing is charged');

# ---- 3. an account for rows that another one has paid for: at each charge ----

sql('SET ROLE cur; ' . $table->('tz') . $table->('tdummy') . 'CREATE VIEW tz_v AS SELECT a FROM tz;' . $far->('rep', 'tdummy') . $far->('rep_v', 'tdummy') . $far->('rep_s', 'tdummy') . "SELECT pegs_set_budget(t, 1e3, 1e-3) FROM unnest(ARRAY['tz', 'rep', 'rep_v', 'rep_s']::regclass[]) AS t;"
	. "SELECT pegs_fit('sealed', 'rep_s', '{a}', parents => '{}');" . $fit->('tz', 'of_tz'));
sql("SET ROLE cur; ALTER FOREIGN TABLE $_->[0] OPTIONS (SET table_name '$_->[1]')") for ['rep', 'tz'], ['rep_v', 'tz_v'], ['rep_s', 'tz'];
my $before = total();
my $paid = sub { my ($of) = @_; return qr/ERROR:  55000: the account of "tz" has spent on rows of "$of"\n.*HINT:  Fit the other table: its account pays\. SELECT \* FROM pegs_ledger WHERE source = 'public\.tz'::regclass;/s };
for my $of ('rep', 'rep_v')
{
	refused($fit->($of), $paid->($of), "pointed at rows that are paid for: a fit of $of");
	refused("BEGIN; ALTER FOREIGN TABLE $of ADD n int; SELECT pegs_learn_range('$of', 'n', 1)", $paid->($of), "pointed at rows that are paid for: levels of $of are learnt");
}
refused($_, $paid->('rep_s'), "a sealed model of before: $_") for "SELECT * FROM pegs_sample('sealed', 5, 1) AS t(a boolean)", "SELECT pegs_release('r', 'sealed', 5, 1)";
refused("CREATE FOREIGN TABLE later (a boolean) SERVER nameless OPTIONS (table_name 'tz_v'); SELECT pegs_set_budget('later', 1)", $paid->('later'), 'a first budget, by a view and no dbname');
is(total(), $before, 'pointed at rows that are paid for: nothing is charged');
# whose account it is, is told to its curators alone
sql("SET ROLE other; CREATE FOREIGN TABLE others (a boolean) SERVER back OPTIONS (schema_name 'public', table_name 'tdummy'); SELECT pegs_set_budget('others', 1); ALTER FOREIGN TABLE others OPTIONS (SET table_name 'tz')");
my $warned = qr/WARNING:  01000: another account of this database has spent on rows of "others", too\n.*HINT:  Ask a superuser/s;
my $told = as('other', 'BEGIN; ' . $fit->('others'));
like($told, $warned, 'of others: told, since whoever makes a foreign table could lock out who has a budget');
unlike($told, qr/55000|"tz"/, 'of others: no error, and no name');
# who has none yet is not locked out of anything
unlike(refused("CREATE FOREIGN TABLE others2 (a boolean) SERVER back OPTIONS (schema_name 'public', table_name 'tz'); SELECT pegs_set_budget('others2', 1)", qr/ERROR:  55000: another account of this database has spent on rows of "others2"\n.*HINT:  Ask a superuser/s, 'of others, a first budget', 'other'), qr/"tz"/, 'of others: no name');

# who has spent already is not locked out, and whose rows are here are not by others' names: told
my $both = qr/WARNING:  01000: the account of "(\w+)" has spent on rows of "(\w+)", too\nDETAIL:  They stand for the same rows, which cost both.*\nHINT:  Fit one of the two tables/;
sql("SET ROLE cur; ALTER FOREIGN TABLE rep OPTIONS (SET table_name 'tdummy'); " . $fit->('rep', 'of_rep') . "; ALTER FOREIGN TABLE rep OPTIONS (SET table_name 'tz')");
for my $call ($fit->('rep'), $fit->('tz'), "SELECT pegs_set_budget('rep', 2e3, 1e-3)", "SELECT pegs_refit('of_rep')" , "BEGIN; ALTER FOREIGN TABLE rep ADD n int; SELECT pegs_fit('m', 'rep', '{a}', parents => '{}')")
{
	my $err = as('cur', ($call =~ /BEGIN/ ? '' : 'BEGIN; ') . $call);
	like($err, $both, "both have spent: $call"); is(() = $err =~ /WARNING/g, 1, "both have spent, once: $call");
}
# the table that is here and has spent nothing, but a foreign table that had its name
sql('SET ROLE cur; ' . $table->('base') . $far->('first', 'base') . "SELECT pegs_set_budget('first', 10);" . $fit->('first', 'of_first'));
like(as('cur', "BEGIN; SELECT pegs_set_budget('base', 10)"), qr/WARNING:  01000: the account of "first" has spent on rows of "base", too/, 'the table itself: told');
unlike(as('cur', "BEGIN; SELECT pegs_set_budget('base', 10)"), qr/ERROR/, 'the table itself: not locked out');
# a part that comes later: the account of the whole
sql("SET ROLE cur; CREATE TABLE at1 (a boolean) PARTITION BY LIST (a); CREATE TABLE at1_t PARTITION OF at1 FOR VALUES IN (true); SELECT pegs_set_budget('at1', 1e3); CREATE FOREIGN TABLE at1_f PARTITION OF at1 FOR VALUES IN (false) SERVER back OPTIONS (table_name 'tz')");
refused($fit->('at1'), $paid->('at1'), 'a part that came after the budget');
like(as('cur', "SELECT pegs_set_budget('at1', 2e3)"), qr/WARNING:  01000: the account of "tz" has spent on rows of "at1", too/, 'a part that came after the budget, another total: told');

# tables that are bound to one account, and slices, which are fitted when they have been paid for
sql("SET ROLE cur; CREATE TABLE root (id int PRIMARY KEY, a boolean NOT NULL); CREATE TABLE child (root int NOT NULL REFERENCES root, a boolean NOT NULL); INSERT INTO root SELECT i, i % 2 = 0 FROM generate_series(1, 100) AS i; INSERT INTO child SELECT id, a FROM root;
	SELECT pegs_set_parent('child', 'root', children => '{0, 1, 2}', at_most => 3); SELECT pegs_set_budget('root', 1e3, 1e-3, 'sum');" . $far->('of_child', 'child') . $far->('of_days', 'days') . "SELECT pegs_set_budget('of_child', 1e3), pegs_set_budget('of_days', 1e3)");
my $schema = sub { return "SELECT pegs_fit_schema('$_[0]', 'root', epsilon => 1, delta => 1e-9)" };
sql('SET ROLE cur; ' . $schema->('of_root'));
refused($fit->('of_child'), qr/ERROR:  55000: the account of "root" has spent on rows of "of_child"/, 'rows that are bound to an account that has paid');
sql("SET ROLE cur; ALTER FOREIGN TABLE of_child OPTIONS (SET table_name 'tdummy'); " . $fit->('of_child', 'of_child') . "; ALTER FOREIGN TABLE of_child OPTIONS (SET table_name 'child'); SELECT pegs_drop('of_root')");
my $told = as('cur', $schema->('of_root'));
like($told, qr/WARNING:  01000: the account of "of_child" has spent on rows of "root", too/, 'several tables: told'); is(() = $told =~ /WARNING/g, 1, 'several tables: once');
sql("SET ROLE cur; CREATE TABLE days (day text NOT NULL, a boolean NOT NULL); INSERT INTO days SELECT 'mon', true FROM generate_series(1, 9); CREATE TRIGGER zz_keep_slices BEFORE UPDATE ON days FOR EACH ROW EXECUTE FUNCTION pegs_keep_slices('day');
	ALTER TABLE days ENABLE ALWAYS TRIGGER zz_keep_slices; SELECT pegs_set_budget('days', 1e3, 1e-3, 'sum')");
passes("SELECT pegs_set_slices('days', 'day', slices => ARRAY['mon', 'tue'], epsilon => 1)", 'slices: paid for before');
sql('SET ROLE cur; ALTER FOREIGN TABLE of_days OPTIONS (SET table_name \'tdummy\'); ' . $fit->('of_days', 'of_days') . "; ALTER FOREIGN TABLE of_days OPTIONS (SET table_name 'days')");
$told = as('cur', "SELECT pegs_fit_slices('sliced', 'days', '{a}')");
like($told, qr/WARNING:  01000: the account of "of_days" has spent on rows of "days", too/, 'slices: told'); is(() = $told =~ /WARNING/g, 1, 'slices: once');

# the other one is charged while rows are read: asked again behind the lock
sql("CREATE FUNCTION waits() RETURNS boolean LANGUAGE plpgsql AS 'BEGIN PERFORM pg_advisory_xact_lock_shared(17); RETURN true; END'; SET ROLE cur; " . $table->('now') . 'CREATE VIEW now_v AS SELECT a FROM now WHERE waits();' . $far->('of_now', 'now_v') . "SELECT pegs_set_budget('now', 10), pegs_set_budget('of_now', 10)");
{
	my ($in, $held, $out, $err) = ("SELECT pg_advisory_lock(17);\n\\echo held\n", '', '', '');
	my $holder = IPC::Run::start([ 'psql', '-XAtq', '-d', $node->connstr('hub') ], '<', \$in, '>', \$held);
	$holder->pump until $held =~ /held/;
	my $waiting = IPC::Run::start([ 'psql', '-XAtq', '-v', 'VERBOSITY=verbose', '-d', $node->connstr('hub'), '-c', 'SET ROLE cur', '-c', $fit->('of_now', 'of_now') ], '>', \$out, '2>', \$err);
	ok($node->poll_query_until('hub', "SELECT count(*) = 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"), 'meanwhile: it waits');
	sql('SET ROLE cur; ' . $fit->('now', 'now'));
	$in = "SELECT pg_advisory_unlock_all();\n\\q\n";
	$holder->finish;
	$waiting->finish;
	like($err, qr/ERROR:  55000: the account of "now" has spent on rows of "of_now"/, 'meanwhile: refused') or diag($err);
	is(sql("SELECT spent FROM pegs_budgets WHERE source = 'of_now'::regclass"), '0', 'meanwhile: not charged');
}

# ---- 4. pegs_health: both of them, whoever's rows they are ----

is(sql("SELECT ok FROM pegs_health() WHERE item = 'rows of public.tz'"), 'f', 'pegs_health: the table here');
sql("SET ROLE cur; SELECT pegs_set_budget('base', 10)");
is(sql("SELECT state FROM pegs_health() WHERE item = 'rows of public.base'"), 'this account pays for what is fitted by its name; nobody adds what is fitted by public.first, whose rows are the same', 'pegs_health: and by whose name');
like(sql("SELECT ok || ' ' || state FROM pegs_health() WHERE item = 'rows of public.at1 on other servers'"), qr/^false .*nor what is fitted by .*public\.tz, whose rows are the same/, 'pegs_health: a part');
is(sql("SELECT remedy IS NOT NULL AND NOT ok FROM pegs_health() WHERE item = 'rows of public.rep_v on other servers'"), 't', 'pegs_health: by a view');
is(sql("SELECT count(*) FROM pegs_health() WHERE item LIKE 'rows of public.tw%'"), '0', 'pegs_health: of other tables nothing');
$node->stop;
done_testing();
