# As whom another server is asked: the user mapping of a view's owner is no way round a right that the caller has not. Issue 17.
#
# cur owns a foreign table, bob a view of it; bob may be shown more there. Superusers, own views, local tables and stored rows are as ever.
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
sub sql { return $node->safe_psql('postgres', $_[0]) }
sub as { my ($role, $sql) = @_; my ($out, $err); $node->psql('postgres', "SET ROLE $role; \\set VERBOSITY verbose\n$sql", stdout => \$out, stderr => \$err, on_error_stop => 1); return $err }

my ($host, $port) = ($node->host, $node->port);
sql("CREATE ROLE curator LOGIN; CREATE ROLE cur LOGIN; CREATE ROLE bob LOGIN; GRANT cur TO curator; CREATE DATABASE far");
$node->safe_psql('far', q{CREATE TABLE plain AS SELECT i % 2 = 0 AS ok FROM generate_series(1, 10) AS i; CREATE TABLE secret AS SELECT i % 5 = 0 AS ok FROM generate_series(1, 10) AS i; GRANT SELECT ON plain TO cur; GRANT SELECT ON plain, secret TO bob});
sql("CREATE EXTENSION pegs; CREATE EXTENSION postgres_fdw; GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA public TO curator, cur, bob; GRANT CREATE ON SCHEMA public TO cur, bob;
	CREATE SCHEMA bobs AUTHORIZATION bob; CREATE SERVER far FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '$host', port '$port', dbname 'far', options '-c row_security=off -c client_min_messages=error');
	GRANT USAGE ON FOREIGN SERVER far TO cur, bob; " . join('', map { "CREATE USER MAPPING FOR $_ SERVER far OPTIONS (user '$_', password_required 'false');" } 'cur', 'bob'));
sql("CREATE USER MAPPING FOR postgres SERVER far OPTIONS (user 'postgres')") if sql('SELECT current_user') eq 'postgres';
sql("SET ROLE cur; CREATE FOREIGN TABLE fts (ok boolean) SERVER far OPTIONS (table_name 'plain'); CREATE TABLE parted (ok boolean) PARTITION BY LIST (ok); CREATE FOREIGN TABLE parted_t PARTITION OF parted FOR VALUES IN (true) SERVER far OPTIONS (table_name 'plain');
	CREATE TABLE parted_f PARTITION OF parted FOR VALUES IN (false); CREATE TABLE here AS SELECT true AS ok; CREATE VIEW own AS SELECT ok FROM fts; GRANT SELECT ON fts, parted, here TO bob; SELECT pegs_set_budget(t, 1000) FROM unnest(ARRAY['fts', 'parted', 'here']::regclass[]) AS t");
sql('SET ROLE bob; CREATE VIEW bobs.v AS SELECT ok FROM fts; CREATE VIEW bobs.p AS SELECT ok FROM parted; CREATE VIEW bobs.h AS SELECT ok FROM here; CREATE VIEW bobs.second AS SELECT ok FROM bobs.v; CREATE MATERIALIZED VIEW bobs.stored AS SELECT ok FROM fts');
sql('SET ROLE bob; GRANT USAGE ON SCHEMA bobs TO cur; GRANT SELECT ON bobs.second TO cur');
sql('SET ROLE cur; CREATE VIEW over AS SELECT ok FROM bobs.second');
sub spent { return sql("SELECT string_agg(source || ' ' || spent, ',' ORDER BY source::text) FROM pegs_budgets") . sql('SELECT count(*) FROM pegs_internal.model') }

# what cur may not read there, bob's mapping may
sql("SET ROLE cur; ALTER FOREIGN TABLE fts OPTIONS (SET table_name 'secret'); ALTER FOREIGN TABLE parted_t OPTIONS (SET table_name 'secret')");
my $before = spent();
like(as('cur', 'SELECT count(*) FROM fts'), qr/permission denied/, 'cur may not read it there');
sql('REVOKE SELECT ON bobs.second FROM cur');
my $denied = sub { my ($view, $owner) = @_; return qr/ERROR:  42501: permission denied for view "$view": rows of another server are read through it\nDETAIL:  That server would be asked as role "bob", by its user mapping, for role "cur(ator)?"\.\nHINT:  Make a view of your own, or have its owner say: GRANT SELECT ON bobs\.$view TO cur(ator)?;/ };
for my $role ('cur', 'curator')
{
	for my $view ('v', 'p', 'second')
	{
		for my $call ("pegs_fit('stolen', 'bobs.$view', method => 'marginals', epsilon => 900)", "pegs_fit('stolen', 'bobs.$view', method => 'table')", "count(*) FROM pegs_generalized('bobs.$view', '{ok}')", "pegs_learn_levels('bobs.$view', 'ok', 1, 1e-9)", "count(*) FROM pegs_k_anonymity('bobs.$view', '{ok}')")
		{
			my $err = as($role, 'SELECT ' . $call);
			$call =~ /k_anonymity|generalized|learn/ ? like($err, qr/ERROR/, "$role $call: refused") : like($err, $denied->($view), "$role $call: refused");
		}
	}
	like(as($role, "SELECT pegs_fit('stolen', 'over', method => 'marginals', epsilon => 900)"), qr/ERROR:  42501: permission denied for view "second": rows of another/, "$role: a view of one's own over it: refused");
}
is(spent(), $before, 'nothing is charged, nothing is left');
# below bob's view of a view the views are read as bob: his own; the first of them is asked for
like(as('cur', "BEGIN; RESET ROLE; GRANT SELECT ON bobs.v TO cur; SET ROLE cur; SELECT pegs_fit('m', 'bobs.second', epsilon => 1)"), $denied->('second'), 'SELECT on a view below is not enough');
# without USAGE of its schema a name is no way, its number is
like(as('cur', "BEGIN; RESET ROLE; GRANT SELECT ON bobs.v TO cur; REVOKE USAGE ON SCHEMA bobs FROM cur; SET ROLE cur; SELECT pegs_fit('m', 'bobs.v'::regclass::oid, epsilon => 1)" =~ s/'bobs.v'::regclass/(SELECT c.oid FROM pg_class AS c WHERE c.relname = 'v')/r),
	qr/ERROR:  42501: .*HINT:.*GRANT USAGE ON SCHEMA bobs TO cur; GRANT SELECT ON bobs\.v TO cur;/s, 'nor without USAGE of its schema');

# as in a query: whom bob lets read, who owns it, and who may do anything
my $fits = sub { my ($role, $view, $name, $more) = @_; my $err = as($role, 'BEGIN; ' . ($more // '') . "SELECT pegs_fit('m', '$view', '{ok}', parents => '{}'); ROLLBACK"); unlike($err, qr/ERROR/, $name) or diag($err) };
$fits->('cur', 'bobs.v', 'whom bob has granted SELECT', 'RESET ROLE; GRANT SELECT ON bobs.v TO cur; SET ROLE cur; ');
$fits->('curator', 'bobs.second', 'a member of it', 'RESET ROLE; GRANT SELECT ON bobs.second TO cur; SET ROLE curator; ');
$fits->('cur', 'over', 'a view over it', 'RESET ROLE; GRANT SELECT ON bobs.second TO cur; SET ROLE cur; ');
$fits->('cur', 'bobs.v', 'a member of bob', 'RESET ROLE; GRANT bob TO cur; SET ROLE cur; ');
$fits->(sql('SELECT current_user'), 'bobs.v', 'a superuser');
sql("SET ROLE cur; ALTER FOREIGN TABLE fts OPTIONS (SET table_name 'plain'); ALTER FOREIGN TABLE parted_t OPTIONS (SET table_name 'plain')");
$fits->('cur', 'own', 'a view of one\'s own'); $fits->('curator', 'own', 'a member of it'); $fits->('cur', 'fts', 'the table');
# unchanged: who may read the table may read its view, and what is stored here
$fits->('cur', 'bobs.h', 'a view of a table of this server'); $fits->('cur', 'bobs.stored', 'a materialized view', 'RESET ROLE; GRANT SELECT ON bobs.stored TO cur; SET ROLE cur; ');
SKIP:
{
	skip 'no security_invoker before 15', 2 if sql('SHOW server_version_num') < 150000;
	# it is read as the owner of the rows: bob's mapping opens nothing, and its view is asked for as any
	sql('SET ROLE bob; ALTER VIEW bobs.v SET (security_invoker = true); GRANT SELECT ON bobs.v TO cur');
	$fits->('cur', 'bobs.v', 'security_invoker: as the caller');
	sql("SET ROLE cur; ALTER FOREIGN TABLE fts OPTIONS (SET table_name 'secret')");
	like(as('cur', "SELECT pegs_fit('m', 'bobs.v', '{ok}', parents => '{}')"), qr/ERROR:  42501: reading bobs\.v failed on server "far"/, 'security_invoker: refused there');
}
$node->stop;
done_testing();
