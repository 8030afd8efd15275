# long: run by make test-all (test/run long), not by make test
# A database that was dropped and made again under its own number is a copy, and so is a clone of the files that is started as it
# is: the account knows the file that was written when its database was made. What is no copy (a crash right after the database
# was made, a rename, rights, VACUUM FULL, chmod) goes on. Law L2, claim P5; the review of 0.2.0, H1.
use strict;
use warnings;
use Test::More;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use PegsLedger;

my $tmp = $PostgreSQL::Test::Utils::tmp_check;
my $pegs = PegsLedger->new('again', init => [ allows_streaming => 1 ], conf => "restart_after_crash = on\n");
my $node = $pegs->node;
my $made_again = qr/^in other files: the database was copied, moved or made again$/;

# An owner of databases who is no superuser and has no right on the table.
$node->safe_psql('postgres', 'CREATE ROLE dbo LOGIN CREATEDB; CREATE ROLE other_dbo LOGIN CREATEDB');
my $sample = 'SELECT * FROM ' . $pegs->sample . ';';
my $count = 'SELECT count(*) FROM ' . $pegs->sample . ';';

sub at { my ($where, $db) = @_; return bless { node => $where, db => $db }, 'PegsLedger' }

sub by_dbo
{
	my (@sql) = @_;
	for my $sql (@sql)
	{
		my $err = '';
		$node->psql('template1', $sql, extra_params => [ '-U', 'dbo' ], stderr => \$err);
		die "$sql: $err" if $err =~ /ERROR|FATAL/;
	}
	return;
}

# A database of dbo with an account of the curator in it.
sub new_database
{
	my ($name, $more) = @_;
	$node->safe_psql('template1', "CREATE DATABASE $name OWNER dbo " . ($more || ''));
	my $there = at($node, $name);
	$there->value(q{
		CREATE EXTENSION pegs;
		CREATE TABLE visit (ward text NOT NULL CHECK (ward IN ('A', 'B', 'C', 'D')), male boolean NOT NULL);
		ALTER TABLE visit OWNER TO curator;
		INSERT INTO visit SELECT substr('ABCD', 1 + i % 4, 1), i % 3 = 0 FROM generate_series(1, 40) AS i;
		SELECT pegs_set_budget('visit', epsilon => 1000);
		SELECT pegs_fit('m', 'visit', parents => '{}');
		SELECT pegs_grant('m', 'analyst', epsilon => 1000)});
	$there->set_up_free;
	return $there;
}

sub at_home
{
	my ($name, $here) = @_;
	is($here->copied_from, '', "$name: no copy");
	$here->charges($name, 0.1, sub { scalar $here->analyst($count) });
	return;
}

# ---- the attack: three times, each time another way to copy ----

my $d1 = new_database('d1');
my $number = $d1->value("SELECT oid FROM pg_database WHERE datname = 'd1'");
by_dbo('CREATE DATABASE bak TEMPLATE d1');
my $free = $d1->free_rows;
for my $way ('', 'STRATEGY wal_log', 'STRATEGY file_copy')
{
	at_home('before it is dropped' . ($way && ", $way"), $d1) if $way eq '';
	by_dbo('DROP DATABASE d1', "CREATE DATABASE d1 TEMPLATE bak OID = $number $way");
	is($d1->value("SELECT oid FROM pg_database WHERE datname = 'd1'"), $number, "dropped and made again $way: the number is the old one");
	$d1->is_a_copy("dropped and made again $way", $made_again, $free);
	is($d1->value("SELECT state, ok FROM pegs_health() WHERE item = 'budget of public.visit'"), 'copied: it was kept in other files: the database was copied, moved or made again|f',
		"dropped and made again $way: pegs_health");
	$node->restart if $way ne '';
	like($d1->copied_from, $made_again, "dropped and made again $way: also after a restart") if $way ne '';
}
# the owner of the table cannot bring it home by setting the budget again
$d1->as('curator', "SELECT pegs_set_budget('visit', 2000)");
like($d1->copied_from, $made_again, 'made again: pegs_set_budget does not adopt');
$d1->value("SELECT pegs_set_budget('visit', 1000)");
$d1->adopts_by_hint('made again');
# and adopted it is at home there, until it is made again once more
by_dbo('DROP DATABASE bak', 'CREATE DATABASE bak TEMPLATE d1', 'DROP DATABASE d1', "CREATE DATABASE d1 TEMPLATE bak OID = $number");
like($d1->copied_from, $made_again, 'made again from a copy of what was adopted');
$d1->refuses('made again from a copy of what was adopted', '55000', $sample);
# a rename is no way, nor is another owner
by_dbo('DROP DATABASE d1', "CREATE DATABASE d2 TEMPLATE bak OID = $number", 'ALTER DATABASE d2 RENAME TO d1');
like($d1->copied_from, $made_again, 'made again under another name, renamed');

# Who could do that: the owner of this database and its members, if they can create databases.
$d1->value('CREATE ROLE owners; CREATE ROLE member LOGIN CREATEDB; GRANT owners TO member; CREATE ROLE makers CREATEDB; CREATE ROLE by_two LOGIN NOINHERIT; GRANT owners, makers TO by_two;
	CREATE ROLE only_owner; GRANT owners TO only_owner; CREATE ROLE only_maker CREATEDB');
my $could = q{SELECT string_agg(item, ', ' ORDER BY item) FROM pegs_health() WHERE state LIKE '%put an older copy in its place (owner of the database, createdb)%' AND NOT ok};
is($d1->value($could), 'role dbo', 'pegs_health: the owner of the database can create databases');
is($pegs->value($could), '', 'pegs_health: not of a database of another');
$d1->value('ALTER DATABASE d1 OWNER TO owners');
is($d1->value($could), 'role by_two, role member', 'pegs_health: so can members of the owner, by themselves or by another role');
$d1->value('ALTER DATABASE d1 OWNER TO dbo');

# ---- what makes no copy ----

my $d3 = new_database('d3');
at_home('a new database', $d3);
# the file of a database is written again when its making is replayed: setting a budget made sure that it is not
$node->stop('immediate');
$node->start;
at_home('a crash right after the database was made', $d3);
for my $strategy ('wal_log', 'file_copy')
{
	my $young = new_database("young_$strategy", "STRATEGY $strategy");
	$pegs->kill_server;
	at_home("SIGKILL right after the database was made by $strategy", $young);
	$pegs->kill_server;
	at_home("SIGKILL once more, $strategy", $young);
}
$node->safe_psql('template1', 'GRANT CONNECT ON DATABASE d3 TO analyst; ALTER DATABASE d3 CONNECTION LIMIT 100; ALTER DATABASE d3 SET work_mem = 8192; ALTER DATABASE d3 OWNER TO other_dbo');
at_home('rights, limits, settings and owner of the database', $d3);
$node->safe_psql('template1', 'ALTER DATABASE d3 RENAME TO d4');
$d3->{db} = 'd4';
at_home('another name of the database', $d3);
$node->safe_psql('d4', $_) for 'VACUUM FULL pg_database', 'VACUUM FULL', 'VACUUM FREEZE', 'REINDEX DATABASE d4', 'REINDEX SYSTEM d4';
at_home('VACUUM FULL, VACUUM FREEZE, REINDEX of everything', $d3);
$node->stop;
$node->start;
at_home('a restart', $d3);
# rights and owners of files change when a container starts; their contents do not
my $file = $node->data_dir . '/base/' . $d3->value("SELECT oid FROM pg_database WHERE datname = 'd4'") . '/PG_VERSION';
my $changed = (stat $file)[10];
sleep 1;
chmod 0640, $file and chmod 0600, $file or die "$file: $!";
cmp_ok((stat $file)[10], '>', $changed, 'rights of the file: changed');
at_home('rights of the file changed and changed back', $d3);
my $checksums = $d3->value('SHOW data_checksums');
$node->stop;
command_ok([ 'pg_checksums', $checksums eq 'on' ? '--disable' : '--enable', '--no-sync', '-D', $node->data_dir ], 'pg_checksums');
$node->start;
at_home('pg_checksums', $d3);

# ---- a move to another tablespace copies: refused until it is adopted ----

mkdir "$tmp/space" or die "$tmp/space: $!";
$node->safe_psql('template1', "CREATE TABLESPACE space LOCATION '$tmp/space'; ALTER DATABASE d4 SET TABLESPACE space");
like($d3->copied_from, $made_again, 'moved to a tablespace: its files were copied');
$d3->refuses('moved to a tablespace', '55000', $sample);
$d3->adopts_by_hint('moved to a tablespace');
$node->stop('immediate');
$node->start;
is($d3->copied_from, '', 'moved to a tablespace and adopted: at home there, after a crash, too');

$node->safe_psql('template1', 'ALTER DATABASE d4 SET TABLESPACE pg_default');
$node->safe_psql('template1', 'DROP TABLESPACE space');
like($d3->copied_from, $made_again, 'moved back: copied once more');

# ---- clones that are started as they are ----

# At home in the original, which spends on; in the clone nothing can be spent.
sub started_as_it_is
{
	my ($name, $clone) = @_;
	$clone->append_conf('postgresql.conf', "archive_mode = off\n");
	$clone->start;
	my $there = at($clone, 'postgres');
	like($there->copied_from, $made_again, "$name, started as it is: it is a copy");
	$there->refuses("$name, started as it is", '55000', $sample);
	$there->adopts_by_hint("$name, started as it is");
	$clone->stop;
	return;
}

$node->backup('base');
at_home('the original after a backup', $pegs);
my $clone = PostgreSQL::Test::Cluster->new('base_backup');
$clone->init_from_backup($node, 'base');
started_as_it_is('a base backup', $clone);

# cp -a keeps the time of the file, to the nanosecond: what it cannot keep is the number of the file
$node->stop;
for my $way ([ 'cp -a', 'cp', '-a' ], [ 'tar', 'sh', '-c', 'mkdir "$1" && tar --format=posix -C "$0" -cf - . | tar -C "$1" -xpf - && chmod 700 "$1"' ])
{
	my ($name, @command) = @$way;
	my $copy = PostgreSQL::Test::Cluster->new($name =~ tr/ -//dr);
	mkdir $copy->basedir;
	system(@command, $node->data_dir, $copy->data_dir) == 0 or die "$name failed";
	my @mtimes = map { `stat -c %y '$_/base/1/PG_VERSION'` } $node->data_dir, $copy->data_dir;
	is($mtimes[0], $mtimes[1], "$name: the time of the file is kept");
	$copy->append_conf('postgresql.conf', 'port = ' . $copy->port . "\nunix_socket_directories = '" . $copy->host . "'\n");
	started_as_it_is($name, $copy);
}
$node->start;
at_home('the original after it was copied', $pegs);

# ---- a promotion with pegs.after_promotion = allow: the files are others, and the account goes on ----

$node->backup('for_standby');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($node, 'for_standby', has_streaming => 1);
$standby->append_conf('postgresql.conf', "pegs.after_promotion = allow\n");
$standby->start;
# two databases that the standby has from the log only; one of them is made again before the promotion
my $late = new_database('late');
my $stolen = new_database('stolen');
my $altered = new_database('altered');
by_dbo('CREATE DATABASE of_stolen TEMPLATE stolen');
$stolen->charges('before it is made again', 0.1, sub { scalar $stolen->analyst($count) });
$number = $stolen->value("SELECT oid FROM pg_database WHERE datname = 'stolen'");
by_dbo('DROP DATABASE stolen', "CREATE DATABASE stolen TEMPLATE of_stolen OID = $number");
$stolen->refuses('made again before a promotion', '55000', $sample);
$node->safe_psql('template1', 'GRANT CONNECT ON DATABASE altered TO analyst');
# said again, the account knows its database as it is now
my $again = new_database('said_again');
$node->safe_psql('template1', 'GRANT CONNECT ON DATABASE said_again TO analyst');
$again->value("SELECT pegs_set_budget('visit', 1000)");
$node->wait_for_catchup($standby, 'replay', $node->lsn('write'));
is(at($standby, $_)->copied_from, '', "a standby is no copy: $_") for 'postgres', 'late';
$node->stop;
$standby->promote;
$node = $standby;	# dbo goes on here
sub there { return at($standby, $_[0]) }
at_home('allow, promoted', there('postgres'));
at_home('allow, promoted: a database made after the backup', there('late'));
at_home('allow, promoted: a budget set again after the database was altered', there('said_again'));
my $before_promotion = qr/^before a promotion or a recovery \(timeline 1, now 2\); the entry of the database has changed since$/;
like(there('stolen')->copied_from, $before_promotion, 'allow, made again before the promotion');
there('stolen')->refuses('allow, made again before the promotion', '55000', $sample);
like(there('altered')->copied_from, $before_promotion, 'allow, altered after the budget was set: it cannot be told from one that was made again');
there('altered')->adopts_by_hint('allow, altered');
# made again after the promotion, from what was there before the first charge
$number = there('late')->value("SELECT oid FROM pg_database WHERE datname = 'late'");
by_dbo('CREATE DATABASE of_late TEMPLATE late');
at_home('allow, the original beside its copy', there('late'));
by_dbo('DROP DATABASE late', "CREATE DATABASE late TEMPLATE of_late OID = $number");
like(there('late')->copied_from, $before_promotion, 'allow, made again after the promotion');
there('late')->refuses('allow, made again after the promotion', '55000', $sample);
# set again on the new timeline it is at home there, whatever the setting
there('postgres')->value("SELECT pegs_set_budget('visit', 1000)");
$standby->append_conf('postgresql.conf', "pegs.after_promotion = refuse\n");
$standby->restart;
at_home('refuse again, set on the new timeline', there('postgres'));
like(there('said_again')->copied_from, qr/^before a promotion or a recovery \(timeline 1, now 2\)$/, 'refuse again, not set on the new timeline');

$standby->stop;
done_testing();
