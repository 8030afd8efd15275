# Rows that stand for the same rows: what the catalog of this database can tell of foreign tables that lead back to it, also below a
# materialized view, through views, and by what libpq takes where nothing is said; and an account whose rows another one has paid
# for, asked at each charge. The server is its own other server. Issue 17, law L3.
use strict;
use warnings;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
plan skip_all => 'postgres_fdw is not installed' unless system("test -e " . $node->config_data('--pkglibdir') . '/postgres_fdw.so') == 0;
$node->init;
$node->append_conf('postgresql.conf', "autovacuum = off\nfsync = off\n");
$node->start;
my ($host, $port) = ($node->host, $node->port);
my $super = $node->safe_psql('postgres', 'SELECT current_user');
# the database is called as a role: that is where libpq goes where no dbname is given
$node->safe_psql('postgres', 'CREATE ROLE hub LOGIN; CREATE ROLE cur LOGIN; CREATE DATABASE hub');
sub sql { return $node->safe_psql('hub', $_[0]) }
sub as { my ($role, $sql) = @_; my ($out, $err); $node->psql('hub', "SET ROLE $role; \\set VERBOSITY verbose\n$sql", stdout => \$out, stderr => \$err, on_error_stop => 1); return $err }
sub refused { my ($sql, $expected, $name, $role) = @_; my $err = as($role // 'cur', $sql); like($err, $expected, $name); return $err }
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

$node->stop;
done_testing();
