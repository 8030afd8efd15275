# PegsLedger: a server with one budget, one sealed model and one analyst, and words to say what was charged.
#
#   my $pegs = PegsLedger->new('name', conf => "...", init => [...])   a started server, set up (version => '0.1.0': with that one)
#   $pegs->sample(n => 10, epsilon => 0.1, block => 10)                text for FROM, of model m
#   $pegs->charges('A-1 ...', 0.1, sub { ...; return $rows })        rows were seen, and exactly this was charged
#
# Accounts are compared in their own integer units of 1e-9. A charge is looked for in both places where it must be: the
# table's budget, and the cap of the grant to the analyst. "Nothing is refunded" is only worth something if there was a row:
# charges() fails when the code it runs saw none.
package PegsLedger;

use strict;
use warnings;

use IPC::Run;
use Math::BigInt;
use PegsSession;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(usleep);

our $budget = 1000;
our $in_rho;	# true: the account is kept in rho; what was asked for is compared, and what that costs in rho besides
our $stays;		# true: as() and value() do all by a psql that stays for each role, where it means nothing who has been there before
our $columns = 'ward text, male boolean';

sub new
{
	my ($class, $name, %o) = @_;
	my $node = PostgreSQL::Test::Cluster->new($name);

	$node->init(@{ $o{init} || [] });
	$node->append_conf('postgresql.conf', "autovacuum = off\n" . ($o{conf} || ''));
	$node->start;
	my $self = bless { node => $node, db => 'postgres', version => $o{version} }, $class;
	$self->set_up;
	return $self;
}

sub node { return $_[0]{node} }

# 40 rows, eight cells. The superuser made the extension; the table is curator's; analyst has nothing but a grant on m.
# The superuser is called postgres, too, where the server runs as another user.
sub set_up
{
	my ($self) = @_;
	my $version = $self->{version} ? "VERSION '$self->{version}'" : '';
	my $delta = $in_rho ? ", delta => 1e-6, accounting => 'zcdp'" : '';

	$self->{node}->safe_psql($self->{db}, qq{
		DO \$\$ BEGIN IF to_regrole('postgres') IS NULL THEN CREATE ROLE postgres SUPERUSER LOGIN; END IF; END \$\$;
		CREATE EXTENSION pegs $version;
		CREATE ROLE curator LOGIN;
		CREATE ROLE analyst LOGIN;
		CREATE TABLE visit (ward text NOT NULL CHECK (ward IN ('A', 'B', 'C', 'D')), male boolean NOT NULL);
		ALTER TABLE visit OWNER TO curator;
		INSERT INTO visit SELECT substr('ABCD', 1 + i % 4, 1), i % 3 = 0 FROM generate_series(1, 40) AS i;
		SELECT pegs_set_budget('visit', epsilon => $budget$delta);
		SELECT pegs_fit('m', 'visit', parents => '{}');
		SELECT pegs_grant('m', 'analyst', epsilon => $budget);
	});
	return;
}

# What costs nothing any more, for the analyst: a perturbed model, a release of it, a release of m. The curator may call
# everything that it can be given.
sub set_up_free
{
	my ($self) = @_;

	$self->{node}->safe_psql($self->{db}, q{
		SELECT pegs_fit('noisy', 'visit', epsilon => 0.5);
		SELECT pegs_grant('noisy', 'analyst');
		SELECT pegs_release('noisy_rows', 'noisy', 500);
		SELECT pegs_grant('noisy_rows', 'analyst');
		SELECT pegs_release('rows', 'm', 500, 0.1, 500);
		SELECT pegs_grant('rows', 'analyst');
		GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA public TO curator});
	return;
}

# ---- asking ----

# The call as a FROM item. Arguments are put into the text as they are, so that bad ones can be asked for.
sub call
{
	my ($self, %a) = @_;
	%a = (model => 'm', n => 10, epsilon => 0.1, %a);
	$a{block} = $a{n} unless exists $a{block};
	return "pegs_sample('$a{model}', $a{n}, $a{epsilon}, $a{block})";
}

sub sample
{
	my ($self, %a) = @_;
	return $self->call(%a) . " AS t($columns)";
}

# Runs SQL as a role, statement by statement, and goes on after an error. Gives what it printed, and its errors as SQLSTATEs.
sub as
{
	my ($self, $role, $sql) = @_;
	my ($out, $err) = ('', '');

	if (stays($sql)) { ($out, $err) = PegsSession::did($self->{node}->connstr($self->{db}), $role, $sql, verbosity => 'sqlstate') }
	else
	{
		$self->{node}->psql($self->{db}, $sql, stdout => \$out, stderr => \$err, on_error_stop => 0,
			extra_params => [ '-U', $role, '-v', 'VERBOSITY=sqlstate' ]);
	}
	return wantarray ? ($out, $err) : $out;
}

# A database is copied, made or dropped by nobody's session but one's own.
sub stays { return $stays && $_[0] !~ /\bDATABASE\b/ }

sub analyst { my ($self, $sql) = @_; return $self->as('analyst', $sql) }

# The one number that the superuser reads, or another.
sub value
{
	my ($self, $sql, $role) = @_;
	my $connstr = $self->{node}->connstr($self->{db});
	my $answer = PegsSession::answer($connstr, $role, $sql);

	return $answer if defined $answer;
	return $self->{node}->safe_psql($self->{db}, $sql, extra_params => [ $role ? ('-U', $role) : () ]) if !stays($sql);
	my ($out, $err, $ended) = PegsSession::did($connstr, $role, $sql, stop => 1);
	die "error running SQL: '$err'\nwith sql '$sql'" if !$ended;
	return $out;
}

# A psql that runs beside us: start it, look at $p->{out} and $p->{err} while it runs, then finish($p).
sub start_psql
{
	my ($self, $role, $sql, %o) = @_;
	my $p = { out => '', err => '' };
	$sql .= "\n\\q\n";	# a server started meanwhile may hold our end of its input open
	my @command = ('psql', '-XAtq', '-U', $role, '-d', $self->{node}->connstr($self->{db}), '-v', 'VERBOSITY=sqlstate',
		@{ $o{params} || [] }, '-f', '-');

	$p->{run} = IPC::Run::start(\@command, '<', \$sql, '>', \$p->{out}, '2>', \$p->{err},
		IPC::Run::timeout($PostgreSQL::Test::Utils::timeout_default));
	$p->{run}->pump while length $sql;
	return $p;
}

# Reads on until the text is there, or the psql has ended.
sub pump_until_out
{
	my ($self, $p, $pattern) = @_;

	while ($p->{out} !~ $pattern && $p->{run}->pumpable) { $p->{run}->pump }
	return $p->{out} =~ $pattern;
}

sub finish
{
	my ($self, $p) = @_;
	$p->{run}->finish;
	return;
}

# The number that it printed alone on a line; 0: none.
sub counted { return $_[0] =~ /^(\d+)$/m ? $1 : 0 }

sub background { my ($self, $role) = @_; return $self->{node}->background_psql($self->{db}, on_error_stop => 0, extra_params => [ '-U', $role ]) }

# ---- accounts, in units of 1e-9 ----

sub units { my ($epsilon) = @_; return sprintf('%.0f', $epsilon * 1e9) }

# As the curator sees it; of an account in rho the sum of what was asked for.
sub spent
{
	my ($self, $table) = @_;
	$table ||= 'visit';
	return $self->value("SELECT coalesce(pg_sequence_last_value(epsilon_spent), 0) FROM pegs_internal.budget WHERE source = '$table'::regclass") if $in_rho;
	return $self->value("SELECT (spent * 1000000000)::bigint FROM pegs_budgets WHERE source = '$table'::regclass", 'curator');
}

# In units of 2^-50; 0 of an account of sums.
sub rho_spent
{
	my ($self, $table) = @_;
	$table ||= 'visit';
	return 0 if !$in_rho;
	return $self->value("SELECT coalesce(pg_sequence_last_value(rho_spent), 0) FROM pegs_internal.budget WHERE source = '$table'::regclass");
}

# What a call of one block costs, of both columns: epsilon^2/(8 * 2), rounded up.
sub rho_units
{
	my ($epsilon) = @_;
	my $square = Math::BigInt->new(units($epsilon))->bpow(2)->bmul(Math::BigInt->new(2)->bpow(46));

	return $square->badd(Math::BigInt->new(10)->bpow(18))->bdec->bdiv(Math::BigInt->new(10)->bpow(18))->bstr;
}

sub cap_spent
{
	my ($self, $model, $role) = @_;
	$model ||= 'm';
	$role ||= 'analyst';
	return $self->value("SELECT coalesce(pg_sequence_last_value(cap_spent), 0) FROM pegs_internal.access
		WHERE object = (SELECT id FROM pegs_internal.model WHERE name = '$model') AND grantee = '$role'::regrole");
}

# The code, run by the analyst, gives the number of rows it saw: some. The account and the grant went up by exactly epsilon.
sub charges
{
	my ($self, $name, $epsilon, $code) = @_;
	my ($spent, $cap, $rho) = ($self->spent, $self->cap_spent, $self->rho_spent);
	my $rows = $code->();

	local $Test::Builder::Level = $Test::Builder::Level + 1;
	cmp_ok($rows || 0, '>', 0, "$name: rows were obtained");
	is(($self->spent - $spent) . ' ' . ($self->cap_spent - $cap), units($epsilon) . ' ' . units($epsilon),
		"$name: charged $epsilon, in the budget and in the grant");
	is($self->rho_spent - $rho, rho_units($epsilon), "$name: and what that costs in rho") if $in_rho;
	return;
}

# Epsilon in units of 1e-9 and delta in units of 1e-18.
sub spent_both
{
	my ($self) = @_;
	return $self->value("SELECT (spent * 1000000000)::bigint || ' ' || (delta_spent * 1000000000000000000)::bigint FROM pegs_budgets WHERE source = 'visit'::regclass");
}

# What the code gives, and by how much it moved both.
sub moved
{
	my ($self, $code) = @_;
	my @before = split ' ', $self->spent_both;
	my $rows = $code->() || 0;
	my @after = split ' ', $self->spent_both;

	return ($rows, join ' ', map { $after[$_] - $before[$_] } 0, 1);
}

# The same as charges, of both, in units: '100000000 0'; by whoever the code asks as.
sub charges_both
{
	my ($self, $name, $amounts, $code) = @_;
	my ($rows, $moved) = $self->moved($code);

	local $Test::Builder::Level = $Test::Builder::Level + 1;
	cmp_ok($rows, '>', 0, "$name: rows were obtained");
	is($moved, $amounts, "$name: charged $amounts, once");
	return;
}

# The SQL gives no row and this error first, and nothing was charged: no epsilon, no delta, nothing of the grant.
sub refuses
{
	my ($self, $name, $sqlstate, $sql, $role) = @_;
	my ($cap, $rho) = ($self->cap_spent, $self->rho_spent);
	my ($out, $err);
	my (undef, $moved) = $self->moved(sub { ($out, $err) = $self->as($role || 'analyst', $sql) });

	local $Test::Builder::Level = $Test::Builder::Level + 1;
	my ($first) = $err =~ /ERROR:  ?(\w{5})/;
	is(($first || 'no error') . ", rows '$out', charged $moved " . ($self->cap_spent - $cap) . ' ' . ($self->rho_spent - $rho),
		"$sqlstate, rows '', charged 0 0 0 0", "$name: $sqlstate, no row, nothing charged");
	return;
}

# Runs SQL as a role until it waits: for a table of ours that is locked ('ledger': all is computed and nothing charged), or for a
# synchronous standby that is not there ('standby': all is charged). Cancels it there, and gives its psql.
sub cancelled_waiting
{
	my ($self, $where, $role, $sql) = @_;
	my ($node, $standby) = ($self->{node}, $where eq 'standby');
	my $holder = $self->background('postgres');
	my $find = "FROM pg_stat_activity WHERE usename = '$role' AND " . ($standby ? "wait_event = 'SyncRep'" : "wait_event_type = 'Lock'");
	my $wait_for = sub {
		$node->safe_psql($self->{db}, "ALTER SYSTEM SET synchronous_standby_names = '$_[0]'");
		$node->reload;
		$node->poll_query_until($self->{db}, "SELECT current_setting('synchronous_standby_names') = '$_[0]'") or die 'it was not set';
	};

	if ($standby)
	{
		$wait_for->('nobody');
		$self->value('CHECKPOINT');	# the checkpointer tells the others of standbys
	}
	else { $holder->query_safe("BEGIN; LOCK TABLE pegs_internal.$where IN SHARE MODE") }
	my $p = $self->start_psql($role, $sql);
	$node->poll_query_until($self->{db}, "SELECT count(*) = 1 $find") or die "it does not wait for $where";
	$self->value("SELECT pg_cancel_backend(pid) $find");
	eval { $self->finish($p) };
	if ($standby) { $wait_for->('') }
	else { $holder->query_safe('ROLLBACK') }
	$holder->quit;
	return $p;
}

# ---- copies of a budget ----

# Where the budget was kept, as its curator reads it; '' if it was here.
sub copied_from
{
	my ($self, $table) = @_;
	$table ||= 'visit';
	return $self->value("SELECT copied_from FROM pegs_budgets WHERE source = '$table'::regclass", 'curator');
}

# What set_up_free made, as the analyst reads it: equal if every row is.
sub free_rows
{
	my ($self) = @_;
	return join ' ', map { scalar $self->analyst("SELECT count(*), md5(string_agg(t::text, ',' ORDER BY n))
		FROM (SELECT row_number() OVER () AS n, t FROM $_ AS t($columns)) AS t") }
		"pegs_sample('noisy', 500)", "pegs_rows('noisy_rows')", "pegs_rows('rows')";
}

# Every call that charges, and who makes it.
sub charging
{
	my ($self) = @_;
	my $sample = 'SELECT * FROM ' . $self->sample;
	return (
		[ 'pegs_sample', 'analyst', $sample ],
		[ 'pegs_sample by the curator', 'curator', $sample ],
		[ 'pegs_sample by a superuser', 'postgres', $sample ],
		[ 'pegs_sample_as', 'analyst', "SELECT * FROM pegs_sample_as(NULL::visit, 'm', 10, 0.1, 10)" ],
		[ 'pegs_release', 'analyst', "SELECT pegs_release('x', 'm', 10, 0.1, 10)" ],
		[ 'pegs_fit with epsilon', 'curator', "SELECT pegs_fit('x', 'visit', epsilon => 0.1)" ],
		[ 'pegs_fit that chooses parents', 'curator', "SELECT pegs_fit('x', 'visit')" ],
		[ 'pegs_score_fit', 'curator', "SELECT pegs_score_fit('x', 'visit', 'male', ARRAY['true'], epsilon => 0.1)" ],
		[ 'pegs_refit', 'curator', "SELECT pegs_refit('noisy')" ],
		[ 'pegs_fit_state with epsilon', 'curator', "SELECT pegs_fit_state('x', 'visit',
			(SELECT pegs_agg((SELECT pegs_spec('visit')), ward, male) FROM visit), epsilon => 0.1)" ]);
}

# A copy of this budget (set_up_free was called in the original): it says so, nothing is charged or given, what is free
# stays free. m must have its tables.
sub is_a_copy
{
	my ($self, $name, $from, $free) = @_;

	local $Test::Builder::Level = $Test::Builder::Level + 1;
	like($self->copied_from, $from, "$name: it says where it was kept");
	for my $call ($self->charging)
	{
		my ($what, $role, $sql) = @$call;
		$self->refuses("$name: $what", '55000', $sql, $role);
	}
	is($self->free_rows, $free, "$name: what is free gives the same rows");
	my ($out) = $self->as('curator', "SELECT pegs_release('free', 'noisy', 10); SELECT count(*) FROM pegs_rows('free') AS t($columns); SELECT pegs_drop('free')");
	is($out, "\n10\n", "$name: a release of a perturbed model can still be made");
	return;
}

# The same of an account in rho: what remains of rho is the share that 0.5 is of epsilon, rounded down. Gives it.
sub adopts_in_rho
{
	my ($self, $name) = @_;
	my (undef, $err) = $self->analyst("\\set VERBOSITY default\nSELECT * FROM " . $self->sample);
	my ($paste) = $err =~ /^HINT: .*?(SELECT .*pegs_adopt\(.*\);)$/m;
	my ($total, $had) = split /\|/, $self->value("SELECT total, spent FROM pegs_internal.in_rho('visit')");
	my $left = $self->value("SELECT (remaining * 1000000000)::bigint FROM pegs_budgets WHERE source = 'visit'::regclass");

	ok(defined $paste, "$name: the HINT is a call of pegs_adopt") or diag($err);
	$self->refuses("$name: the HINT pasted by the curator", '42501', $paste, 'curator');
	(undef, $err) = $self->as('postgres', $paste);
	is($err, '', "$name: pasted by a superuser");
	is($self->copied_from, '', "$name: adopted, it is no copy");
	is($total - $self->rho_spent, Math::BigInt->new($total - $had)->bmul(500000000)->bdiv($left)->bstr, "$name: so much rho remains, to the unit");
	my $remains = $total - $self->rho_spent;
	$self->charges("$name: adopted", 0.1, sub { scalar $self->analyst('SELECT count(*) FROM ' . $self->sample) });
	$self->refuses("$name: more than remains", '53400', 'SELECT * FROM ' . $self->sample(epsilon => 50));
	is($self->value("SELECT bool_and(ok) FROM pegs_verify_ledger('visit')"), 't', "$name: its ledger verifies");
	return $remains;
}

# The HINT of a refused call, pasted: not by the curator, by a superuser. Then 0.5 can be spent, and no more.
sub adopts_by_hint
{
	my ($self, $name) = @_;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	return $self->adopts_in_rho($name) if $in_rho;
	my (undef, $err) = $self->analyst("\\set VERBOSITY default\nSELECT * FROM " . $self->sample);
	my ($paste) = $err =~ /^HINT: .*?(SELECT .*pegs_adopt\(.*;)$/m;
	my $total = $self->value("SELECT epsilon FROM pegs_internal.budget WHERE source = 'visit'::regclass");

	ok(defined $paste, "$name: the HINT is a call of pegs_adopt") or diag($err);
	$self->refuses("$name: the HINT pasted by the curator", '42501', $paste, 'curator');
	(undef, $err) = $self->as('postgres', $paste);
	is($err, '', "$name: the HINT pasted by a superuser");
	is($self->copied_from, '', "$name: adopted, it is no copy");
	is($total - $self->spent, units(0.5), "$name: adopted, 0.5 remains");
	$self->charges("$name: adopted", 0.4, sub { scalar $self->analyst('SELECT count(*) FROM ' . $self->sample(epsilon => 0.4)) });
	$self->refuses("$name: more than remains", '53400', 'SELECT * FROM ' . $self->sample(epsilon => 0.100000001));
	$self->charges("$name: what remains", 0.1, sub { scalar $self->analyst('SELECT count(*) FROM ' . $self->sample(epsilon => 0.1)) });
	$self->refuses("$name: nothing remains", '53400', 'SELECT * FROM ' . $self->sample(epsilon => 1e-9, n => 1));
	return;
}

# ---- crashing ----

# SIGKILL to one backend, or more; returns when the server has thrown everything away and recovered (needs restart_after_crash).
sub kill_backend
{
	my ($self, @pids) = @_;
	my $node = $self->{node};
	my $offset = -s $node->logfile;

	kill('KILL', @pids) == @pids or die "kill @pids: $!";
	$node->wait_for_log(qr/all server processes terminated; reinitializing/, $offset);
	$node->poll_query_until($self->{db}, 'SELECT NOT pg_is_in_recovery()') or die 'no recovery';
	return;
}

# The postmaster and all its children, the session that asks apart.
sub processes
{
	my ($self) = @_;
	my @children = split /\n/, $self->{node}->safe_psql($self->{db}, 'SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid()');
	my $postmaster = slurp_file($self->{node}->data_dir . '/postmaster.pid');

	return ($postmaster =~ s/\n.*//sr, @children);
}

# SIGKILL to all of them at once, and no start. Who cannot wait for the question asks before.
sub kill_for_good
{
	my ($self, @processes) = @_;

	@processes = $self->processes unless @processes;
	kill 'KILL', @processes;
	$self->{node}{_pid} = undef;
	# a killed process keeps its number until its parent has looked
	for my $pid (@processes)
	{
		for (1 .. 3000) { last unless kill 0, $pid; usleep(10_000) }
	}
	return;
}

# The same; then a start, with recovery.
sub kill_server
{
	my ($self, @processes) = @_;
	my $node = $self->{node};

	$self->kill_for_good(@processes);
	# what was forked since we looked holds the shared memory until it sees that the postmaster is gone
	for (1 .. 10 * $PostgreSQL::Test::Utils::timeout_default)
	{
		return if $node->start(fail_ok => 1);
		$node->{_pid} = undef;
		usleep(100_000);
	}
	die 'the server did not start again';
}

1;
