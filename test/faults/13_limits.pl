# Limits of the server: no room in the lock table, no temporary files, no prepared transactions. Clean errors.
use strict;
use warnings;
use Faults;

my $f = Faults->new('limits', conf => "max_prepared_transactions = 0\nwork_mem = 64kB\n");

# ---- a table of more partitions than there are locks ----

$f->value("CREATE TABLE many (sex char(1) CHECK (sex IN ('M', 'F')), cat boolean NOT NULL, part int) PARTITION BY LIST (part);
	ALTER TABLE many OWNER TO curator");
$f->value(join '; ', map { "CREATE TABLE many_$_ PARTITION OF many FOR VALUES IN ($_); ALTER TABLE many_$_ OWNER TO curator" }
	$_ * 20 .. $_ * 20 + 19) for 0 .. 29;
$f->value("SELECT pegs_set_budget('many', 100000000, 0.1, 'sum')");
# now there are hardly any locks
$f->stop;
$f->configure("max_connections = 12\nmax_locks_per_transaction = 10\nmax_wal_senders = 0\nmax_worker_processes = 0\nautovacuum_max_workers = 1\n");
$f->start or die;
for my $op ('fit_sealed', 'fit_perturbed')
{
	$f->{source} = 'many';
	$f->try($op, expect => qr/^53200$/, sql => sub { $_[0] =~ s/'\{[^}]*\}'/'{sex,cat}'/r });
	$f->close_book('max_locks_per_transaction: a source of 600 partitions', $op, fault => 'max_locks_per_transaction, 600 partitions');
}
$f->{source} = 'discharges';

# ---- the lock table is full, but for a few entries ----

# Somebody holds advisory locks until there is no more room, and gives some back. The operation's own sixteen fast places
# are taken by tables that it does not need, so that each of its locks wants an entry.
$f->value("SET client_min_messages = error; " . join '; ', map { "CREATE TABLE fast_$_ (); GRANT SELECT ON fast_$_ TO PUBLIC" } 1 .. 20);
my $most = 48;
my $step = Faults->times(6, 1);
for my $op ($f->operations)
{
	for my $free (map { $step * $_ } 0 .. $most / $step)
	{
		my $hog = Session->new($f->{socket}, 'postgres') or die;
		$f->try($op, fresh => 1, expect => qr/^53200$/,
			before => sub {
				$_[0]->run('BEGIN; LOCK TABLE ' . join(', ', map { "fast_$_" } 1 .. 20) . ' IN ACCESS SHARE MODE;');
				$hog->run('SELECT pg_advisory_lock(i) FROM generate_series(1, 100000) AS i;');
				$hog->run("SELECT pg_advisory_unlock(objid::bigint) FROM (SELECT objid FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid() ORDER BY objid DESC LIMIT $free) AS l;") },
			sql => sub { "$_[0]\nCOMMIT;" },
			after => sub { $hog->run('SELECT pg_advisory_unlock_all();'); $_[0]->run('ROLLBACK;') unless $_[0]{dead} });
		$hog->close;
	}
	$f->close_book("the lock table is full but for 0 to $most entries", $op, fault => 'the lock table is full (max_locks_per_transaction)');
}

# ---- temp_file_limit ----

for my $op ($f->operations)
{
	my $spills = $op ne 'release';
	$f->{source} = $op =~ /^fit/ ? 'stays' : 'discharges';
	for my $kb (0, 64, 1024)
	{
		$f->value("ALTER ROLE $_ SET temp_file_limit = $kb") for qw(curator analyst);
		$f->try($op, fresh => 1, expect => qr/^53400$/,
			sql => $op eq 'agg' ? sub { $_[0] =~ s/\) AS s FROM discharges/ ORDER BY charge, age) AS s FROM (SELECT * FROM discharges LIMIT 30000) AS d/r } : undef);
	}
	$f->value("ALTER ROLE $_ RESET temp_file_limit") for qw(curator analyst);
	$f->fresh_session($_) for qw(curator analyst);
	$f->close_book('temp_file_limit', $op, fault => 'temp_file_limit', hits => $spills ? 1 : 0, most_hits => $spills ? undef : 0);
}
$f->{source} = 'discharges';

# ---- PREPARE TRANSACTION, where there is none ----

for my $op ($f->operations)
{
	# the release of a grantee would keep its name for ever: pegs itself refuses that one
	$f->try($op, expect => $op eq 'release' ? qr/^0A000$/ : qr/^55000$/, sql => sub { "BEGIN;\n$_[0]\nPREPARE TRANSACTION 'never';" });
	$f->close_book('A-9 max_prepared_transactions = 0: PREPARE TRANSACTION after it', $op, fault => 'PREPARE TRANSACTION, max_prepared_transactions = 0');
}
$f->finish;
