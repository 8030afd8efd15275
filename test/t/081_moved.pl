# Rows of other servers are charged to the account that the catalog finds, so they must have come from where the catalog says that
# they are, and others must see it, too: a connection of postgres_fdw stays what it is until its transaction ends. Issue 17, law L3.
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
delete @ENV{'PGDATABASE', 'PGUSER', 'PGSERVICE'};
$node->start;
my ($host, $port) = ($node->host, $node->port);
# databases x and y have the same tables; who is called x comes to x where no dbname is said
$node->safe_psql('postgres', 'CREATE ROLE cur LOGIN; CREATE ROLE other LOGIN; CREATE ROLE x LOGIN; CREATE ROLE y LOGIN; CREATE DATABASE hub; CREATE DATABASE x; CREATE DATABASE y');
sub sql { return $node->safe_psql('hub', $_[0]) }
sub as { my ($role, $sql) = @_; my ($out, $err); $node->psql('hub', "SET ROLE $role; \\set VERBOSITY verbose\n$sql", stdout => \$out, stderr => \$err, on_error_stop => 1); return $err }
sub total { return sql('SELECT coalesce(sum(spent), 0) FROM pegs_budgets') }
my $elsewhere = qr/ERROR:  40001: rows of "\w+" may come from where its server was, and not from where it is now\n.*HINT:  Call it again, in a transaction of its own\./s;
my $changed = qr/ERROR:  55000: where rows of "\w+" are, or of another account, was changed in this transaction\n.*HINT:  COMMIT; and spend in the next transaction\./s;
sub refused { my ($sql, $expected, $name) = @_; my $before = total(); my $err = as('cur', $sql); like($err, $expected, $name); is(total(), $before, "$name: nothing is charged") }
sub passes { my ($sql, $name) = @_; my $err = as('cur', $sql); unlike($err, qr/ERROR|WARNING/, $name) or diag($err) }
# what another session does in between; psql runs it
my $files = 0;
sub meanwhile { my ($sql) = @_; my $file = $node->basedir . '/meanwhile' . $files++ . '.sql'; append_to_file($file, "$sql\n"); return "\n\\! psql -Xqb -v ON_ERROR_STOP=1 -h '$host' -p $port -d hub -f '$file'\n" }

my $at = "host '$host', port '$port'";
my $server = sub { my ($name, $options, $user) = @_; return "CREATE SERVER $name FOREIGN DATA WRAPPER postgres_fdw OPTIONS ($options, options '-c row_security=off -c client_min_messages=error'); ALTER SERVER $name OWNER TO cur; CREATE USER MAPPING FOR cur SERVER $name OPTIONS (password_required 'false', user '" . ($user // 'cur') . "');" };
my $foreign = sub { my ($name, $there, $server, $more) = @_; return "CREATE FOREIGN TABLE $name " . (($more // '') =~ /^PARTITION/ ? '' : '(a boolean) ') . ($more // '') . " SERVER $server" . ($there eq '' ? '' : " OPTIONS (table_name '$there')") . ';' };
my $fit = sub { my ($of, $name) = @_; return "SELECT pegs_fit('" . ($name // 'm') . "', '$of', '{a}', method => 'marginals', epsilon => 1);" };
my $budget = sub { return join('', map { "SELECT pegs_set_budget('$_', 1000);" } @_) };
sql('CREATE EXTENSION pegs; CREATE EXTENSION postgres_fdw; GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA public TO cur; GRANT CREATE ON SCHEMA public TO cur; GRANT USAGE ON FOREIGN DATA WRAPPER postgres_fdw TO cur; GRANT CREATE ON DATABASE hub TO cur; ALTER ROLE cur IN DATABASE hub SET client_min_messages = warning;'
	. $server->('s1', "$at, dbname 'y'") . $server->('s2', "$at, dbname 'x'") . $server->('s3', $at, 'y') . $server->('s4', "$at, dbname 'y'"));
for my $database ('x', 'y')
{
	$node->safe_psql($database, "CREATE EXTENSION pegs; CREATE FUNCTION waits() RETURNS boolean LANGUAGE plpgsql AS 'BEGIN PERFORM pg_advisory_xact_lock_shared(17); RETURN true; END';"
		. join('', map { "CREATE TABLE $_ AS SELECT i % 2 = 0 AS a FROM generate_series(1, 100) AS i; GRANT SELECT ON $_ TO cur, x, y;" } 'tz', 'other', 'pz') . "CREATE VIEW slow AS SELECT a FROM tz WHERE waits(); GRANT SELECT ON slow TO cur");
}

# ---- 1. read at x and charged as y: f is at y and g at x ----

sql('SET ROLE cur;' . $foreign->('f', 'tz', 's1') . $foreign->('fu', 'tz', 's3') . $foreign->('g', 'tz', 's2') . $foreign->('slow', 'slow', 's4') . $foreign->('h', 'other', 's2') . $budget->('f', 'fu', 'g', 'slow', 'h') . $fit->('g', 'of_g') . "SELECT pegs_fit('sealed', 'f', '{a}', parents => '{}')");
my $move = "ALTER SERVER s1 OPTIONS (SET dbname 'x');";
my $moved_back = "ALTER SERVER s1 OPTIONS (SET dbname 'y');";
refused("BEGIN; SAVEPOINT s; $move SELECT a FROM f LIMIT 1; ROLLBACK TO s; " . $fit->('f'), $elsewhere, 'a change that was rolled back');
refused("BEGIN; SAVEPOINT s; RESET ROLE; ALTER USER MAPPING FOR cur SERVER s3 OPTIONS (SET user 'x'); SET ROLE cur; SELECT a FROM fu LIMIT 1; ROLLBACK TO s; SET ROLE cur; " . $fit->('fu'), $elsewhere, 'a mapping that was rolled back');
refused("BEGIN; SELECT a FROM f LIMIT 1;" . meanwhile($move) . $fit->('f'), $elsewhere, 'another session changes the server');
sql($moved_back);
refused("BEGIN; SELECT a FROM fu LIMIT 1;" . meanwhile("ALTER USER MAPPING FOR cur SERVER s3 OPTIONS (SET user 'x')") . $fit->('fu'), $elsewhere, 'another session changes the mapping');
sql("ALTER USER MAPPING FOR cur SERVER s3 OPTIONS (SET user 'y')");
refused("BEGIN; SELECT a FROM f LIMIT 1;" . meanwhile($move) . "SELECT pegs_fit('bare', 'f', '{a}', method => 'table', options => '{\"guarantee\": \"none\"}');", $elsewhere, 'another session changes the server: without a guarantee');
sql($moved_back);
is(sql("SELECT uncovered FROM pegs_budgets WHERE source = 'f'::regclass"), 'f', 'nor is it marked');
# in the first call of a session, too, whose library is loaded by it; and where there is no BEGIN
refused("DO \$\$ BEGIN PERFORM a FROM f LIMIT 1; SET LOCAL ROLE NONE; COPY (SELECT 1) TO PROGRAM 'psql -Xq -h \"$host\" -p $port -d hub -c \"ALTER SERVER s1 OPTIONS (SET dbname ''x'')\"'; SET LOCAL ROLE cur; PERFORM pegs_fit('m', 'f', '{a}', method => 'marginals', epsilon => 1); END \$\$", $elsewhere, 'in one command');
sql($moved_back);
passes($fit->('f', 'of_f'), 'in a transaction of its own');

# levels, too: they are taken as public from where the lookup table is
$node->safe_psql('y', 'CREATE TABLE codes AS SELECT i % 2 = 0 AS a FROM generate_series(1, 4) AS i; GRANT SELECT ON codes TO cur, x, y');
$node->safe_psql('x', 'CREATE TABLE codes (a boolean); GRANT SELECT ON codes TO cur, x, y');
sql('SET ROLE cur; CREATE TABLE here AS SELECT i % 2 = 0 AS a FROM generate_series(1, 100) AS i; CREATE TABLE codes (a boolean) PARTITION BY LIST (a);' . $foreign->('codes_1', 'codes', 's1', 'PARTITION OF codes DEFAULT')
	. "SELECT pegs_set_levels('here', 'a', lookup => 'codes', lookup_column => 'a');" . $budget->('here'));
refused("BEGIN; SAVEPOINT s; $move SELECT a FROM codes LIMIT 1; ROLLBACK TO s; " . $fit->('here'), $elsewhere, 'levels: a change that was rolled back');
refused("BEGIN; SELECT a FROM codes LIMIT 1;" . meanwhile($move) . $fit->('here'), $elsewhere, 'levels: another session changes the server');
sql($moved_back);
refused("BEGIN; ALTER FOREIGN TABLE codes_1 OPTIONS (SET table_name 'other'); " . $fit->('here'), qr/ERROR: .*where its lookup table's rows are was changed in this transaction/s, 'levels: changed in this transaction');
passes($fit->('here', 'of_here'), 'levels: in a transaction of its own');
sql("SELECT pegs_drop('of_here'); DROP TABLE here, codes");

# while rows are read
sub holder { my ($sql, $in, $held) = @_; $$in = "$sql;\n\\echo held\n"; $$held = ''; my $h = IPC::Run::start([ 'psql', '-XAtq', '-d', $node->connstr($_[3]) ], '<', $in, '>', $held); $h->pump until $$held =~ /held/; return $h }
sub while_read
{
	my ($call, $sql) = @_;
	my ($in, $held, $err) = ('', '', '');
	my $holder = holder('SELECT pg_advisory_lock(17)', \$in, \$held, 'y');
	my $waiting = IPC::Run::start([ 'psql', '-XAtq', '-v', 'VERBOSITY=verbose', '-d', $node->connstr('hub'), '-c', 'SET ROLE cur', map { ('-c', $_) } @$call ], '>', \my $out, '2>', \$err);
	ok($node->poll_query_until('y', "SELECT count(*) = 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"), 'it waits');
	$node->safe_psql('hub', $sql);
	$in = "SELECT pg_advisory_unlock_all();\n\\q\n";
	$holder->finish;
	$waiting->finish;
	return $err;
}
my $before = total();
like(while_read([ $fit->('slow', 'of_slow') ], "ALTER SERVER s4 OPTIONS (SET dbname 'x')"), $elsewhere, 'the server is changed while rows are read');
sql("ALTER SERVER s4 OPTIONS (SET dbname 'y')");
# by which mapping is not told when it is gone
like(while_read([ $fit->('slow', 'of_slow') ], "CREATE USER MAPPING FOR PUBLIC SERVER s4 OPTIONS (password_required 'false', user 'x'); DROP USER MAPPING FOR cur SERVER s4"), $elsewhere, 'the mapping is dropped while rows are read');
sql("DROP USER MAPPING FOR PUBLIC SERVER s4; CREATE USER MAPPING FOR cur SERVER s4 OPTIONS (password_required 'false', user 'cur')");
is(total(), $before, 'while rows are read: nothing is charged');
# and while the charge waits for another one, whose line cannot be written
{
	my ($in, $held, @err) = ('', '', '', '');
	my $holder = holder('BEGIN; LOCK TABLE pegs_internal.ledger IN SHARE MODE', \$in, \$held, 'hub');
	my $waits = "SELECT count(*) = %d FROM pg_stat_activity WHERE query LIKE '%%queue%%' AND wait_event_type = 'Lock' AND pid <> pg_backend_pid()";
	my @queue;
	for my $of ('h', 'f')
	{
		push @queue, IPC::Run::start([ 'psql', '-XAtq', '-v', 'VERBOSITY=verbose', '-d', $node->connstr('hub'), '-c', 'SET ROLE cur', '-c', $fit->($of, "queue_$of") ], '>', \my $out, '2>', \$err[@queue]);
		ok($node->poll_query_until('hub', sprintf($waits, scalar @queue)), "$of waits");
	}
	sql($move);
	$in = "ROLLBACK;\n\\q\n";
	$holder->finish;
	$_->finish for @queue;
	unlike($err[0], qr/ERROR/, 'the first one is charged') or diag($err[0]);
	like($err[1], $elsewhere, 'the server is changed while its charge waits');
	sql($moved_back);
}

# not where nothing of the kind was done: other servers, and a session whose caches were reset while it read, and between two fits
passes('BEGIN; SELECT a FROM f LIMIT 1;' . meanwhile("ALTER SERVER s2 OPTIONS (SET fetch_size '77')" =~ s/SET/ADD/r) . $fit->('f', 'of_f2') . 'COMMIT', 'another server was changed');
passes(meanwhile("ALTER SERVER s1 OPTIONS (ADD fetch_size '77')") . $fit->('f', 'of_f3'), 'it was changed before');
passes('BEGIN;' . meanwhile("ALTER SERVER s1 OPTIONS (SET fetch_size '78')") . $fit->('f', 'of_f4') . 'COMMIT', 'it was changed before rows were read');
passes('BEGIN; SELECT a FROM f LIMIT 1; SAVEPOINT s; SELECT a FROM f LIMIT 1; ROLLBACK TO s; ' . $fit->('f', 'of_f5') . 'COMMIT', 'a savepoint that changed nothing');
my $reset = "DO \$\$ BEGIN FOR i IN 1 .. 300 LOOP CREATE TABLE flood (a int PRIMARY KEY); COMMIT; DROP TABLE flood; COMMIT; END LOOP; END \$\$";
my $err = while_read([ $fit->('slow', 'of_slow') ], $reset);
unlike($err, qr/ERROR|WARNING/, 'caches were reset while rows were read') or diag($err);
$err = while_read([ 'BEGIN', $fit->('f', 'of_f6'), 'SELECT count(*) FROM slow', $fit->('f', 'of_f7'), 'COMMIT' ], $reset);
unlike($err, qr/ERROR|WARNING/, 'caches were reset between two fits') or diag($err);
# what was not read is not asked for
passes("BEGIN; SELECT a FROM f LIMIT 1;" . meanwhile("ALTER SERVER s1 OPTIONS (SET fetch_size '79')") . "SELECT * FROM pegs_sample('sealed', 5, 1) AS t(a boolean)", 'rows of a sealed model are not read there');

# ---- 2. changed by this transaction: of this account or of the one that would refuse it ----

for my $database ('x', 'y')
{
	$node->safe_psql($database, 'CREATE SCHEMA held; GRANT USAGE ON SCHEMA held TO cur; ' . join('', map { "CREATE TABLE $_ AS SELECT i % 2 = 0 AS a FROM generate_series(1, 100) AS i; GRANT SELECT ON $_ TO cur;" } 'p1', 'p2', 'p3', 'p4', 'p5', 'p6', 'p7', 'p8', 'p9', 'named', 'held.within'));
}
sql('SET ROLE cur; CREATE SCHEMA held;' . join('', map { $foreign->(@$_) } ['first', 'p1', 's4'], ['rep', 'p1', 's1'], ['rep_p', 'p2', 's1'], ['rep_c', 'p3', 's1'], ['named', '', 's4'], ['held.within', '', 's4'], ['alone', 'p5', 's1'], ['sold', 'p4', 's1'])
	. 'CREATE TABLE local (a boolean); CREATE TABLE whole (a boolean) PARTITION BY LIST (a); CREATE TABLE whole_t PARTITION OF whole FOR VALUES IN (true);' . $foreign->('whole_f', 'p2', 's4', 'PARTITION OF whole FOR VALUES IN (false)')
	. 'CREATE TABLE mother (a boolean);' . $foreign->('mother_f', 'p3', 's4', 'INHERITS (mother)') . 'CREATE TABLE part (a boolean) PARTITION BY LIST (a);' . $foreign->('part_f', 'p4', 's4', 'PARTITION OF part FOR VALUES IN (false)')
	. $budget->('first', 'local', 'whole', 'mother', 'named', 'held.within', 'alone', 'part', 'sold') . $fit->('first', 'of_first') . $fit->('whole', 'of_whole') . $fit->('mother', 'of_mother')
	. "SELECT pegs_fit('sealed_part', 'part', '{a}', parents => '{}');" . $fit->('sold', 'of_sold'));
# budgets that were set when there was nothing to refuse
sql('SET ROLE cur;' . join('', map { "ALTER FOREIGN TABLE $_ OPTIONS (SET table_name 'p9');" } 'rep', 'rep_p', 'rep_c') . $budget->('rep', 'rep_p', 'rep_c') . join('', map { "ALTER FOREIGN TABLE $_->[0] OPTIONS (SET table_name '$_->[1]');" } ['rep', 'p1'], ['rep_p', 'p2'], ['rep_c', 'p3']));
my $paid = qr/ERROR:  55000: the account of "\w+" has spent on rows of/;
refused('BEGIN;' . $fit->($_), $paid, "$_: paid for") for 'rep', 'rep_p', 'rep_c';
refused("BEGIN; $_->[1]; SET ROLE cur; " . $fit->($_->[0]), $changed, "$_->[0]: $_->[1]") for ['rep', "ALTER FOREIGN TABLE first OPTIONS (SET table_name 'p8')"], ['rep', 'DROP FOREIGN TABLE first'], ['rep', 'RESET ROLE; ALTER FOREIGN TABLE first OWNER TO other'], ['rep', 'RESET ROLE; ALTER USER MAPPING FOR cur SERVER s4 OPTIONS (ADD password \'p\')'],
	['rep', "ALTER SERVER s4 OPTIONS (SET dbname 'x')"], ['rep_p', 'ALTER TABLE whole DETACH PARTITION whole_f'], ['rep_p', 'RESET ROLE; ALTER TABLE whole OWNER TO other'], ['rep_c', 'ALTER FOREIGN TABLE mother_f NO INHERIT mother'], ['rep_c', 'SAVEPOINT s; ALTER FOREIGN TABLE mother_f NO INHERIT mother; RELEASE s'];
# what is named by nothing but itself
refused("BEGIN; $_->[1]; " . $fit->($_->[0]), $changed, "$_->[0]: $_->[1]") for ['tz_now', 'ALTER FOREIGN TABLE named RENAME TO tz_now'], ['held.named', 'ALTER FOREIGN TABLE named SET SCHEMA held'], ['held_2.within', 'ALTER SCHEMA held RENAME TO held_2'], ['rep', 'ALTER FOREIGN TABLE named RENAME TO tz_now'];
refused('BEGIN; DROP USER MAPPING FOR cur SERVER s1; ' . $fit->('alone'), qr/ERROR/, 'a user mapping is dropped');
sql("CREATE USER MAPPING FOR PUBLIC SERVER s1 OPTIONS (password_required 'false', user 'cur')");
refused('BEGIN; DROP USER MAPPING FOR cur SERVER s1; ' . $fit->('alone'), $changed, 'a user mapping is dropped, and there is one of everybody');
# a sealed model, whose rows were of a part that leaves
refused("BEGIN; $_; SELECT * FROM pegs_sample('sealed_part', 5, 1) AS t(a boolean)", $changed, "a sealed model: $_") for "ALTER FOREIGN TABLE part_f OPTIONS (SET table_name 'p8')", 'ALTER TABLE part DETACH PARTITION part_f', 'DROP FOREIGN TABLE part_f';
# rows that are shown at once, whose line stays for ever
my $rows = sub { my ($of) = @_; return "SELECT count(*) FROM pegs_generalize('$of', ARRAY['a'], 2) AS g (plan), LATERAL pegs_generalized('$of', g.plan) AS t (a text);" };
for my $of ('alone', 'rep_none')
{
	refused('BEGIN; ' . ($of eq 'alone' ? "ALTER FOREIGN TABLE alone OPTIONS (SET table_name 'p6'); " : $foreign->('rep_none', 'p1', 's1')) . $rows->($of), $changed, "rows by a plan of $of");
}
sql('SET ROLE cur; ' . $foreign->('twin', 'p5', 's1'));
refused("BEGIN; ALTER FOREIGN TABLE alone OPTIONS (SET table_name 'p8'); " . $rows->('twin'), $changed, 'rows by a plan of a twin without an account');
is(sql("SELECT count(*) FROM pegs_budgets WHERE uncovered"), '0', 'rows by a plan: nothing is marked');
# not where nothing of the kind was done
passes("BEGIN; $_->[1]; " . $fit->($_->[0]), "$_->[0]: $_->[1]") for ['alone_2', 'ALTER FOREIGN TABLE alone RENAME TO alone_2'], ['alone', "SAVEPOINT s; ALTER FOREIGN TABLE alone OPTIONS (SET table_name 'p6'); ROLLBACK TO s"], ['alone', 'ALTER FOREIGN TABLE alone ALTER a SET NOT NULL'], ['alone', 'ALTER FOREIGN TABLE named ADD n int'],
	['alone', 'CREATE TABLE new_one (a boolean) PARTITION BY LIST (a); CREATE TABLE new_part PARTITION OF new_one DEFAULT'], ['whole', 'CREATE TABLE whole_d PARTITION OF whole DEFAULT'], ['local', "ALTER FOREIGN TABLE alone OPTIONS (SET table_name 'p6')"], ['local', 'CREATE TABLE local_2 (a boolean) INHERITS (local)'];

# ---- 3. which other account is told: of several the curator's own that has spent, whichever was made first ----

sql('GRANT CREATE ON SCHEMA public TO other; GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA public TO other; GRANT USAGE ON FOREIGN SERVER s4 TO other; SET ROLE other;' . $foreign->('others', 'p6', 's4') . $budget->('others') . 'SET ROLE cur;' . $foreign->('own', 'p6', 's4') . $foreign->('own_2', 'p9', 's1') . $budget->('own', 'own_2') . $fit->('own', 'of_own') . $fit->('own_2', 'of_own_2') . "ALTER FOREIGN TABLE own_2 OPTIONS (SET table_name 'p6')");
my $told = as('cur', 'BEGIN; ' . $fit->('own_2'));
like($told, qr/WARNING:  01000: the account of "own" has spent on rows of "own_2", too/, 'its own account is told, behind somebody else\'s');
is(() = $told =~ /WARNING/g, 1, 'once');
like(as('cur', 'BEGIN; DROP FOREIGN TABLE own; ' . $fit->('own_2')), $changed, 'and is not hidden');

# ---- 4. servers that cannot be compared, and other wrappers ----

sql('SET ROLE cur;' . $foreign->('many', 'p7', 's4') . $budget->('many') . "SELECT pegs_fit('sealed_many', 'many', '{a}', parents => '{}')");
my $hosts = join(',', ($host) x 65);
sql("SELECT 1; " . $server->('s65', "host '$hosts', port '$port', dbname 'y'") . $server->('s64', "host '" . join(',', ($host) x 64) . "', port '$port', dbname 'y'"));
my $too_many = qr/ERROR:  55000: server "s\d+" lists too many hosts to know where it is\n.*HINT:  ALTER SERVER s\d+ OPTIONS \(SET host '\.\.\.'\);/s;
refused('BEGIN; ' . $foreign->('many_2', 'p7', 's65') . "SELECT pegs_set_budget('many_2', 1)", $too_many, '65 hosts: a first budget');
sql("ALTER SERVER s4 OPTIONS (SET host '$hosts')");
refused('BEGIN; ' . $_, $too_many, "65 hosts since: $_") for $fit->('many'), "SELECT * FROM pegs_sample('sealed_many', 5, 1) AS t(a boolean)";
sql("ALTER SERVER s4 OPTIONS (SET host '$host')");
sql('SET ROLE cur;' . $fit->('many', 'of_many'));
refused('BEGIN; ' . $foreign->('many_2', 'p7', 's64') . "SELECT pegs_set_budget('many_2', 1)", qr/ERROR:  55000: the account of "many" has spent/, '64 hosts');
sql("CREATE FOREIGN DATA WRAPPER unknown; CREATE SERVER u1 FOREIGN DATA WRAPPER unknown; CREATE SERVER u2 FOREIGN DATA WRAPPER unknown; GRANT USAGE ON FOREIGN SERVER u1, u2 TO cur; SET ROLE cur; CREATE TABLE u (a boolean); CREATE FOREIGN TABLE u_1 () INHERITS (u) SERVER u1 OPTIONS (dbname 'd', table_name 't'); CREATE FOREIGN TABLE u_n () INHERITS (u) SERVER u1 OPTIONS (dbname 'd')");
my $part = sub { return "BEGIN; CREATE FOREIGN TABLE u_2 () INHERITS (u) SERVER $_[0] OPTIONS ($_[1]); SELECT pegs_set_budget('u', 1)" };
refused($part->('u1', "table_name 't', dbname 'd'"), qr/ERROR:  55000: "u_1" and "u_2", parts of "u", stand for the same rows/, 'another wrapper: the same options');
passes($part->(@$_), "another wrapper: @$_") for ['u2', "table_name 't', dbname 'd'"], ['u1', "table_name 't2', dbname 'd'"], ['u1', "dbname 'd'"];

# ---- 5. a lookup table whose rows are private there ----

for my $database ('x', 'y')
{
	$node->safe_psql($database, join('', map { "CREATE TABLE $_ AS SELECT 'v' || i % 3 AS a FROM generate_series(1, 100) AS i; GRANT SELECT ON $_ TO cur;" } 'private', 'public', 'owned'));
}
my $text = sub { my ($name, $there, $more) = @_; return "CREATE FOREIGN TABLE $name " . ($more // '(a text)') . " SERVER s4 OPTIONS (table_name '$there');" };
sql('SET ROLE cur;' . $text->('ft', 'private') . $text->('fo', 'owned') . $budget->('fo') . join('', map { "CREATE TABLE lk_$_ (a text) PARTITION BY LIST (a);" . $text->("lk_${_}_f", $_, "PARTITION OF lk_$_ DEFAULT") } 'private', 'public', 'owned') . 'CREATE TABLE lk_here (a text)');
my $levels = sub { return "SELECT pegs_set_levels('ft', 'a', '$_[0]'::regclass, 'a')" };
my $private = sub { return qr/ERROR:  55000: table "lk_$_[0]" has rows that are private: it cannot be a lookup table\nDETAIL:  On another server they are rows of public\.$_[1]\.\nHINT:  Make a table/ };
refused($levels->('lk_private'), $private->('private', 'ft'), 'a lookup table of the same rows: no account yet');
refused($levels->('lk_owned'), $private->('owned', 'fo'), 'a lookup table of another account');
passes('BEGIN; ' . $levels->($_), "levels of $_") for 'lk_public', 'lk_here';
sql('SET ROLE cur;' . $budget->('ft') . $levels->('lk_public'));
refused($levels->('lk_private'), $private->('private', 'ft'), 'a lookup table of the same rows');
passes('BEGIN; ' . $fit->('ft') . 'ROLLBACK', 'its levels are public');
sql("SET ROLE cur; ALTER FOREIGN TABLE lk_public_f OPTIONS (SET table_name 'private')");
refused($fit->('ft'), qr/ERROR:.*its lookup table stands for rows of a table with a privacy budget/, 'they are no more');

# ---- 6. pegs_health: the account of a table to which one with foreign parts is bound ----

sql($server->('s5', "$at, dbname 'y'") . "ALTER SERVER s5 OPTIONS (DROP options); SET ROLE cur; CREATE TABLE root (id int PRIMARY KEY, a boolean); CREATE TABLE child (a boolean, of int NOT NULL REFERENCES root); CREATE FOREIGN TABLE child_f () INHERITS (child) SERVER s5 OPTIONS (table_name 'p7');" . $budget->('root') . "SELECT pegs_set_parent('child', 'root')");
like(sql("SELECT ok || ' ' || state FROM pegs_health() WHERE item = 'rows of public.root on other servers'") =~ s/^/ /r, qr/^ false s5: .*; nor what is fitted by public\.many, whose rows are the same/, 'pegs_health: of a bound table');
like(sql("SELECT state FROM pegs_health() WHERE item = 'row security of server s5'"), qr/may hide rows of public\.root from/, 'pegs_health: its row security');
# ---- 7. an extension postgres_fdw of before that cannot say which connections are older ----

$node->safe_psql('postgres', 'CREATE DATABASE old');
$node->safe_psql('old', "CREATE EXTENSION pegs; CREATE EXTENSION postgres_fdw VERSION '1.0';" . $server->('s1', "$at, dbname 'y'") =~ s/ALTER SERVER s1 OWNER TO cur;//r =~ s/FOR cur/FOR PUBLIC/r . $foreign->('f', 'p1', 's1') . $budget->('f'));
my (undef, undef, $unknown) = $node->psql('old', $fit->('f'));
like($unknown, qr/ERROR:  extension postgres_fdw does not say where its connections are\n.*HINT:  ALTER EXTENSION postgres_fdw UPDATE;/s, 'postgres_fdw 1.0: refused');
is($node->safe_psql('old', 'ALTER EXTENSION postgres_fdw UPDATE;' . $fit->('f') . 'SELECT spent FROM pegs_budgets') =~ s/.*\n//sr, '1', 'and its HINT repairs');

$node->stop;
done_testing();
