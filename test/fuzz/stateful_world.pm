# stateful_world: a database with two owners' tables, and a connection for each role.
#
# A sequence is run in one world, or in two at once: worlds that differ in the rows of the tables and in nothing else, so
# that what a grantee is told can be compared word by word. Nothing here knows what pegs should answer.
package stateful_world;

use strict;
use warnings;
use DBI;
use DBD::Pg qw(:async);
use Encode;

# connection => the role it logs in as
our %login = (ca => 'curator_a', cb => 'curator_b', an => 'analyst', st => 'stranger', db => 'postgres');
our @curators = qw(ca cb);
our $template = 'fuzz_template';

# Two worlds insert different values that no domain has. No statement's text has them in one piece: when one of them is
# seen anywhere, it came from the rows.
our @marker = ('Zqmark71' . '53', 'Zqmark94' . '26');
our @marker_sql = ("'Zqmark71' || '53'", "'Zqmark94' || '26'");
our @marker_number = (71535351, 94265351);
our @marker_number_sql = ('71535 * 1000 + 351', '94265 * 1000 + 351');

sub connect_to
{
	my ($database, $role) = @_;
	my $dbh = DBI->connect("dbi:Pg:dbname=$database;host=$ENV{PGHOST};port=$ENV{PGPORT}", $role, '',
		{ AutoCommit => 1, RaiseError => 0, PrintError => 0, PrintWarn => 1, pg_enable_utf8 => 0 })
		or die "cannot connect to $database as $role: $DBI::errstr\n";
	# DBD::Pg hands notices to warn
	$dbh->do("SET client_min_messages = notice");
	return $dbh;
}

# Roles and the template: once for a server.
sub prepare_server
{
	my $dbh = connect_to('postgres', 'postgres');

	local $dbh->{RaiseError} = 1;
	$dbh->do($_) for map { "CREATE ROLE $_ LOGIN" } qw(own_a curator_a curator_b readers analyst stranger);
	$dbh->do('GRANT own_a TO curator_a');
	$dbh->do('GRANT readers TO analyst');
	$dbh->do("CREATE DATABASE $template");
	my $in = connect_to($template, 'postgres');
	$in->{RaiseError} = 1;
	$in->do('CREATE EXTENSION pegs');
	$in->do("SELECT pegs_allow('own_a'), pegs_allow('curator_b')");	# curator_a is a member of own_a
	$in->do('CREATE SCHEMA fz; GRANT USAGE, CREATE ON SCHEMA fz TO own_a, curator_b; GRANT USAGE ON SCHEMA fz TO PUBLIC');
	$in->do("CREATE TYPE fz.mood AS ENUM ('low', 'mid', 'hïgh \"x\"')");
	$in->do("CREATE TABLE fz.codes (code text); ALTER TABLE fz.codes OWNER TO own_a; GRANT SELECT ON fz.codes TO curator_b");
	$in->do("INSERT INTO fz.codes VALUES ('u'), ('v'), ('wörd')");
	$in->disconnect;
	$dbh->disconnect;
	return;
}

sub new
{
	my ($class, $number) = @_;
	my $self = bless { number => $number, database => "world_$number", dbh => {} }, $class;

	$self->renew;
	return $self;
}

# A new database: what sequences leave behind does not grow for ever.
sub renew
{
	my ($self) = @_;

	$self->disconnect;
	my $dbh = connect_to('postgres', 'postgres');
	local $dbh->{RaiseError} = 1;
	$dbh->do("SET client_min_messages = warning");
	# what is prepared would hold the database
	if ($dbh->selectrow_array("SELECT count(*) FROM pg_prepared_xacts WHERE database = '$self->{database}'"))
	{
		my $in = connect_to($self->{database}, 'postgres');
		$in->do('ROLLBACK PREPARED ' . $in->quote($_)) for @{ $in->selectcol_arrayref('SELECT gid FROM pg_prepared_xacts WHERE database = current_database()') };
		$in->disconnect;
	}
	$dbh->do("DROP DATABASE IF EXISTS $self->{database} WITH (FORCE)");
	$dbh->do("CREATE DATABASE $self->{database} TEMPLATE $template STRATEGY file_copy");
	$dbh->disconnect;
	$self->{observer} = connect_to($self->{database}, 'postgres');
	$self->{observer}->do("SET lock_timeout = '2ms'; SET client_min_messages = warning");
	$self->{database_oid} = $self->{observer}->selectrow_array('SELECT oid FROM pg_database WHERE datname = current_database()');
	$self->connect_role($_) for sort keys %login;
	$self->{altered} = 1;
	$self->{observe} = {};
	return;
}

sub connect_role
{
	my ($self, $name) = @_;

	# nobody waits long for a lock, and what takes half a minute hangs; RESET goes back to these
	local $ENV{PGOPTIONS} = '-c lock_timeout=8ms -c statement_timeout=300s';
	$self->{dbh}{$name} = connect_to($self->{database}, $login{$name});
	$self->{pid}{$name} = $self->{dbh}{$name}{pg_pid};
	return;
}

sub disconnect
{
	my ($self) = @_;

	for my $dbh ($self->{observer}, values %{ $self->{dbh} })
	{
		next unless $dbh;
		$dbh->disconnect;
	}
	$self->{dbh} = {};
	delete $self->{observer};
	return;
}

# Everything of the sequence before is gone; new tables. What is in them depends on the world.
sub reset
{
	my ($self, %o) = @_;
	my $observer = $self->{observer};

	for my $name (sort keys %{ $self->{dbh} })
	{
		my $dbh = $self->{dbh}{$name};
		next unless $self->{used}{$name};
		local $SIG{__WARN__} = sub { };
		$dbh->do('ROLLBACK', { pg_direct => 1 }) if $self->{maybe_open}{$name};
		$dbh->do("RESET ALL; RESET SESSION AUTHORIZATION; CLOSE ALL; DISCARD TEMP; SET client_min_messages = notice", { pg_direct => 1 });
	}
	$self->{used} = {};
	$self->{maybe_open} = {};
	local $observer->{RaiseError} = 1;
	for my $gid (@{ $observer->selectcol_arrayref("SELECT gid FROM pg_prepared_xacts WHERE database = current_database()") })
	{
		$observer->do("ROLLBACK PREPARED " . $observer->quote($gid));
	}
	local $SIG{__WARN__} = sub { };
	my $w = $self->{number};
	my $wipe = join ' ', map { "DELETE FROM pegs_internal.$_;" } qw(release_rows release maker body model fact forbidden unit parent grid budget ledger name access revoked origin);
	my $related = $self->{related} = $o{related} ? 1 : 0;
	my @letters = $related ? qw(A B V C E) : qw(A B V);
	$self->{name} = { map { $_ => 'fz.' . lc } @letters };
	my $rows = join ' ', map { $self->insert_sql($_->[0], $_->[1], $o{rows}[$w]) . ';' } ['fz.a', 'A'], ['fz.b', 'B'], $related ? (['fz.c', 'C'], ['fz.e', 'E']) : ();
	my $shape = ($o{partitioned} ? 1 : 0) . $related;
	my $fresh = !$self->{altered} && ($self->{shape} // '') eq $shape;
	my $tables = $fresh ? 'DELETE FROM fz.a; DELETE FROM fz.b;' : $self->tables_sql($o{partitioned}, $related);

	$observer->do(qq{
		SET lock_timeout = 0;
		DO \$\$ DECLARE o text; BEGIN
			SELECT string_agg(oid::regclass::text, ', ') INTO o FROM pg_class WHERE relnamespace = 'pegs_internal'::regnamespace AND relkind = 'S' AND relname ~ '^(epsilon|delta|rho|cap|grid)_';
			IF o IS NOT NULL THEN EXECUTE 'DROP SEQUENCE ' || o; END IF;
		END \$\$;
		$wipe
		@{[ $self->{disallowed} ? "SELECT pegs_allow('curator_b');" : '' ]}
		$tables
		$rows
		SET lock_timeout = '2ms'}, { pg_direct => 1 });
	$self->{altered} = 0;
	$self->{disallowed} = 0;
	$self->{shape} = $shape;
	return if $fresh;
	my $oids = $observer->selectrow_arrayref(q{SELECT 'fz.a'::regclass::oid, 'fz.b'::regclass::oid, 'fz.v'::regclass::oid, to_regclass('fz.c')::oid, to_regclass('fz.e')::oid});
	$self->{oid} = { map { $letters[$_] => $oids->[$_] } 0 .. $#letters };
	return;
}

# New tables, whatever became of the old ones.
sub tables_sql
{
	my ($self, $partitioned, $related) = @_;
	my $by = $partitioned ? 'PARTITION BY LIST (b)' : '';
	my $parts = $partitioned ? q{CREATE TABLE fz.a_f PARTITION OF fz.a FOR VALUES IN (false); CREATE TABLE fz.a_t PARTITION OF fz.a FOR VALUES IN (true);
		ALTER TABLE fz.a_f OWNER TO own_a; ALTER TABLE fz.a_t OWNER TO own_a;} : '';

	my $key = $related ? ', id int GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY' : '';
	my $children = $related ? q{CREATE TABLE fz.c (id int GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, a_id int REFERENCES fz.a ON DELETE CASCADE, s text NOT NULL CHECK (s IN ('x', 'y', 'z')), m int, note text);
		CREATE TABLE fz.e (id int GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY, c_id int REFERENCES fz.c ON DELETE CASCADE, h text NOT NULL CHECK (h IN ('p', 'q')));
		ALTER TABLE fz.c OWNER TO own_a; ALTER TABLE fz.e OWNER TO own_a;} : '';

	return qq{
		DO \$\$ DECLARE o text; BEGIN
			SELECT string_agg(oid::regclass::text, ', ') INTO o FROM pg_class WHERE relnamespace = 'fz'::regnamespace AND relkind IN ('r', 'p') AND relname <> 'codes' AND NOT relispartition;
			IF o IS NOT NULL THEN EXECUTE 'DROP TABLE ' || o || ' CASCADE'; END IF;
		END \$\$;
		CREATE TABLE fz.a (g text NOT NULL CHECK (g IN ('M', 'F', 'x"y')), k fz.mood, b boolean NOT NULL, n int, note text, w numeric(6,2), d date,
			"odd ""Nä" text, person int, code text NOT NULL DEFAULT '1'$key) $by;
		ALTER TABLE fz.a OWNER TO own_a;
		$parts
		$children
		CREATE TRIGGER zz_keep BEFORE UPDATE ON fz.a FOR EACH ROW EXECUTE FUNCTION pegs_keep_slices('d');
		ALTER TABLE fz.a ENABLE ALWAYS TRIGGER zz_keep;
		CREATE VIEW fz.v AS SELECT g, n, code::int AS code_n FROM fz.a;
		ALTER VIEW fz.v OWNER TO own_a;
		CREATE TABLE fz.b (p text NOT NULL CHECK (p IN ('1', '2', '3', '4')), q int, note text, c char(2) CHECK (c IN ('x', 'yy')));
		ALTER TABLE fz.b OWNER TO curator_b;};
}

# Rows inside the domain; the worlds' are as different as can be, and of the same types.
sub insert_sql
{
	my ($self, $table, $which, $n) = @_;
	my $w = $self->{number};

	# n: rows of each row above
	if ($which eq 'C')
	{
		return $w == 0
			? "INSERT INTO $table (a_id, s, m) SELECT a.id, (ARRAY['x', 'y', 'z'])[1 + i % 3], i % 10 FROM $self->{name}{A} AS a, generate_series(1, least(a.id % 4, $n)) AS i"
			: "INSERT INTO $table (a_id, s, m) SELECT a.id, 'y', 3 FROM $self->{name}{A} AS a, generate_series(1, least(1, $n)) AS i";
	}
	if ($which eq 'E') { return "INSERT INTO $table (c_id, h) SELECT c.id, " . ($w == 0 ? "(ARRAY['p', 'q'])[1 + c.id % 2]" : "'q'") . " FROM $self->{name}{C} AS c, generate_series(1, least(c.id % 3, $n)) AS i" }
	if ($which eq 'A')
	{
		return $w == 0
			? "INSERT INTO $table SELECT (ARRAY['M', 'F', 'x\"y'])[1 + i % 3], (enum_range(NULL::fz.mood))[1 + i % 4], i % 2 = 0, i % 30, (ARRAY['u', 'v'])[1 + i % 3], i % 10, date '2020-01-01' + i % 300, (ARRAY['1', 'ä'])[1 + i % 2], i / 3, (1 + i % 3)::text FROM generate_series(1, $n) AS i"
			: "INSERT INTO $table SELECT 'F', 'low'::fz.mood, true, 7, 'v'::text, 1, date '2020-02-02', '1'::text, 5, '2'::text FROM generate_series(1, $n) AS i";
	}
	return $w == 0
		? "INSERT INTO $table SELECT (1 + i % 4)::text, i % 20, (ARRAY['u', 'v', 'wörd'])[1 + i % 3], (ARRAY['x', 'yy'])[1 + i % 3] FROM generate_series(1, $n) AS i"
		: "INSERT INTO $table SELECT '3'::text, 2, 'u'::text, 'yy'::text FROM generate_series(1, $n) AS i";
}

# {A}, {B}, {V}: the relation by its OID. {a}, {b}, {v}: by the name that it has for everyone. {rows A 5}: an INSERT.
# {marker}, {number}: what no domain has. {N from 5 3}: of two numbers the world's. {bytes NAME}: what was exported.
sub expand
{
	my ($self, $sql) = @_;
	my $w = $self->{number};

	$sql =~ s/\{([ABCEV])\}/$self->{oid}{$1}::regclass/g;
	$sql =~ s/\{na ([ACE])\}/$self->bare_name($1)/ge;
	$sql =~ s/\{([abcev])\}/$self->{name}{uc $1}/g;
	$sql =~ s/\{rows ([ABCE]) (\d+) (\d+)\}/$self->insert_sql($self->{name}{$1}, $1, $w ? $3 : $2)/ge;
	$sql =~ s/\{marker\}/$marker_sql[$w]/g;
	$sql =~ s/\{number\}/$marker_number_sql[$w]/g;
	$sql =~ s/\{bytes (\w+)\}/$self->{bytes}{$1} || ''/ge;
	$sql =~ s/\{world\}/$w/g;
	return $sql;
}

# As a table is called, in an array of names or in JSON, inside quotes.
sub bare_name { my ($self, $t) = @_; my $name = $self->{name}{$t} =~ s/^fz\.//r; $name =~ s/""/"/g if $name =~ s/^"(.*)"\z/$1/; $name =~ s/(["\\])/\\$1/g; return "\"$name\"" }

# What a statement gave: state (00000 if it worked), text of the error, notices, rows (undef if it gives none).
sub outcome
{
	my ($self, $sth, $dbh, $notices) = @_;
	my %out = (state => '00000', text => '', rows => undef);

	if ($sth && !$sth->err && ($sth->{NUM_OF_FIELDS} || 0) > 0)
	{
		$out{rows} = $sth->fetchall_arrayref;
	}
	my $h = $sth && $sth->err ? $sth : $dbh;
	if ($h->err)
	{
		$out{state} = $h->state || '?????';
		$out{text} = $h->errstr // '';
	}
	$out{notices} = join '', @$notices;
	return \%out;
}

sub execute
{
	my ($self, $name, $sql) = @_;
	my $dbh = $self->{dbh}{$name};
	my @notices;
	local $SIG{__WARN__} = sub { push @notices, $_[0] };

	$self->{used}{$name} = 1;
	$self->{altered} = 1 if $sql =~ /^(ALTER|TRUNCATE|DROP)/;
	$self->{disallowed} = 1 if $sql =~ /pegs_disallow/;
	my $sth = $dbh->prepare($sql, { pg_direct => 1 });
	$sth->execute if $sth;
	return $self->outcome($sth, $dbh, \@notices);
}

# Starts a statement; finish() waits for it.
sub start
{
	my ($self, $name, $sql) = @_;
	my $dbh = $self->{dbh}{$name};
	local $SIG{__WARN__} = sub { };

	$self->{used}{$name} = 1;
	my $sth = $dbh->prepare($sql, { pg_direct => 1, pg_async => PG_ASYNC });
	$sth->execute;
	return $sth;
}

sub finish
{
	my ($self, $name, $sth) = @_;
	my $dbh = $self->{dbh}{$name};
	my @notices;
	local $SIG{__WARN__} = sub { push @notices, $_[0] };

	$sth->pg_result;
	return $self->outcome($sth, $dbh, \@notices);
}

# Is it a copy; is it in rho; of one in rho, in units of 2^-50: what is spent, its total (undef: its table is gone), and what is
# spent as an epsilon.
sub account_of
{
	my ($copied, $in_rho, $spent, $total, $as_epsilon) = split /,/, $_[0];
	return (copied => $copied eq 't', in_rho => $in_rho eq 't', rho_spent => $spent, rho => $total, as_epsilon => $as_epsilon);
}

# In an account of sums a line has no rho.
sub line_of { my ($deed, $from, $to, $object) = split /,/, $_[0], 4; return (deed => $deed, object => $object, rho_from => $from || 0, rho_to => $to || 0, in_rho => $to ne '') }

# All that a superuser sees of pegs, in a statement of its own. If somebody is dropping a sequence of a cap or of slices, it cannot be
# read: -1 then, of all of both kinds.
sub observe
{
	my ($self) = @_;
	my $observer = $self->{observer};
	my %seen = (parent => {}, table => {}, grid => {}, budget => {}, ledger => [], model => {}, release => {}, access => {}, made => {}, curator => {}, caps_known => 1);
	my @read = (q{CASE WHEN cap IS NOT NULL THEN coalesce(pg_sequence_last_value(cap_spent), 0) END}, 'coalesce(pg_sequence_last_value(used), 0)');
	my @unread = ('-1', '-1');
	my $rows;

	# what went between our snapshot and our look is looked for again
	for my $look (\@read, \@read, \@read, \@unread)
	{
		my ($caps, $used) = @$look;
		next if !$seen{caps_known} && $caps ne '-1';
		$self->{observe}{$caps} ||= $observer->prepare(qq{
			SELECT 'b', b.source::oid::text, b.epsilon::text, b.delta::text, coalesce(pg_sequence_last_value(b.epsilon_spent), 0)::text,
				coalesce(pg_sequence_last_value(b.delta_spent), 0)::text, concat_ws(',', b.database <> $self->{database_oid}, b.rho_spent IS NOT NULL, coalesce(pg_sequence_last_value(b.rho_spent), 0), r.total, r.epsilon)
				FROM pegs_internal.budget AS b, pegs_internal.in_rho(b.source) AS r
			UNION ALL SELECT 'l', source::oid::text, epsilon_from::text, epsilon_to::text, delta_from::text, delta_to::text, concat(deed, ',', rho_from, ',', rho_to, ',', object) FROM pegs_internal.ledger
			UNION ALL SELECT 'm', id::text, name, concat_ws(',', sealed, coalesce(first_fit, id)), account::oid::text, counts, spec FROM pegs_internal.model
			UNION ALL SELECT 'r', id::text, name, model::text, account::oid::text, n::text, given::text FROM pegs_internal.release
			UNION ALL SELECT 'a', id::text, object::text, grantee::regrole::text, cap::text, ($caps)::text, concat(max_rows, ',', max_releases) FROM pegs_internal.access
			UNION ALL SELECT 'g', id::text, ($used)::text, (SELECT count(*) - count(DISTINCT slice ->> 'from') FROM pegs_internal.model AS m WHERE m.grid = g.id)::text, NULL, NULL, NULL FROM pegs_internal.grid AS g
			UNION ALL SELECT 'p', source::oid::text, parent::oid::text, NULL, NULL, NULL, NULL FROM pegs_internal.parent
			UNION ALL SELECT 'k', release::text, model::text, maker::text, grantee::text, rows::text, NULL FROM pegs_internal.maker
			UNION ALL SELECT 'c', rolname, (c.role IS NOT NULL)::text, has_function_privilege(r.oid, 'pegs_set_budget(regclass, double precision, double precision, text)', 'EXECUTE')::text,
				has_function_privilege(r.oid, 'pegs_withdraw(text, name)', 'EXECUTE')::text, NULL, NULL
				FROM pg_roles AS r LEFT JOIN pegs_internal.curator AS c ON c.role = r.oid WHERE rolname IN ('own_a', 'curator_b', 'analyst', 'readers', 'stranger')
			UNION ALL SELECT 't', oid::text, format('%I.%I', relnamespace::regnamespace, relname), NULL, NULL, NULL, NULL FROM pg_class WHERE relnamespace = 'fz'::regnamespace AND relkind <> 'i'},
			{ pg_prepare_now => 1 });
		$rows = $self->{observe}{$caps}->execute ? $self->{observe}{$caps}->fetchall_arrayref : undef;
		last if $rows;
		next if ($observer->errstr // '') =~ /could not open relation|cache lookup failed/;
		return { error => $observer->errstr } if ($observer->state || '') ne '55P03';
		$seen{caps_known} = 0;
	}
	return { error => $observer->errstr } unless $rows;
	for my $r (@$rows)
	{
		my ($kind, @f) = @$r;
		if ($kind eq 'b') { $seen{budget}{$f[0]} = { epsilon => $f[1], delta => $f[2], epsilon_spent => $f[3], delta_spent => $f[4], account_of($f[5]) } }
		elsif ($kind eq 'l') { push @{ $seen{ledger} }, { source => $f[0], from => $f[1], to => $f[2], delta_from => $f[3], delta_to => $f[4], line_of($f[5]) } }
		elsif ($kind eq 'm') { my ($sealed, $first) = split /,/, $f[2]; $seen{model}{$f[0]} = { id => $f[0], name => $f[1], sealed => $sealed eq 't', first => $first, account => $f[3], counts => $f[4], spec => $f[5] } }
		elsif ($kind eq 'r') { $seen{release}{$f[0]} = { id => $f[0], name => $f[1], model => $f[2], account => $f[3], n => $f[4], given => $f[5] } }
		elsif ($kind eq 'a') { $seen{access}{$f[0]} = { id => $f[0], object => $f[1], grantee => $f[2] eq '-' ? 'public' : $f[2], cap => $f[3], spent => $f[4], max_rows => (split /,/, $f[5], -1)[0], max_releases => (split /,/, $f[5], -1)[1] } }
		elsif ($kind eq 'g') { $seen{grid}{$f[0]} = { used => $f[1], twice => $f[2] } }
		elsif ($kind eq 'p') { $seen{parent}{$f[0]} = { parent => $f[1] } }
		elsif ($kind eq 'k') { $seen{made}{$f[0]} = { model => $f[1], maker => $f[2], grantee => !defined $f[3] ? undef : $f[3] eq '-' ? 'public' : $f[3], rows => $f[4] } }
		elsif ($kind eq 'c') { $seen{curator}{$f[0]} = { allowed => $f[1] eq 'true', may => [map { $_ eq 'true' } @f[2, 3]] } }
		elsif ($kind eq 't') { $seen{table}{$f[0]} = 1; for my $k (keys %{ $self->{oid} }) { $self->{name}{$k} = $f[1] if $self->{oid}{$k} == $f[0] } }
	}
	$seen{named} = {};
	for my $o (values %{ $seen{model} }, values %{ $seen{release} }) { $seen{named}{ $o->{name} } = $o->{id} if defined $o->{name} }
	return \%seen;
}

1;
