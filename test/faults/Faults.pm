# Faults: a server that is about to be hurt, the operations that are tried on it, and the book of what became of them.
#
#   my $f = Faults->new('memory', conf => "...")       a started copy of the template server (test/faults/run makes it)
#   for my $op ($f->operations) { ... }                the operations, by name
#   $f->try($op, fault => sub { ... }, ...)            one run under the fault; what became of it goes into the book
#   $f->close_book('A-6 statement_timeout', $op)     the check: one line "ok" or "FAILED", one line of the matrix
#
# The law, of every run: an error and nothing charged, or a charge and (possibly) rows. Never rows without the whole
# charge. What is spent never falls. Afterwards every model and release that is listed works, the lines of the ledger are
# disjoint and inside what is spent, nothing half-stored is left, and no process of the server has fallen over.
package Faults;

use strict;
use warnings;

use File::Basename;
use Session;
use Time::HiRes qw(time usleep);

our $long = $ENV{PEGS_FAULTS_LONG};
our $scratch = $ENV{PEGS_FAULTS_SCRATCH} or die "run test/faults/run\n";
our $bindir = $ENV{PEGS_FAULTS_BINDIR};
our @as_server = split / /, $ENV{PEGS_FAULTS_AS_SERVER} // '';
our $columns = $ENV{PEGS_FAULTS_COLUMNS};	# of the models in the template
our $rows = 40_000;							# of a sample, and in the release that the template has
our $release_rows = 150_000;				# of a new release: three chunks
our $failed = 0;

# An operation: what it is called, who does it, its SQL (of a name nobody has), what it charges in units, and what it
# gives: 'rows', 'model' or 'release'. charge = 0: free, so there is no "rows without charge".
our %operation = (
	fit_sealed => { name => 'pegs_fit, sealed', role => 'curator', gives => 'model', epsilon => 100_000_000, delta => 0, cap => 0,
		sql => sub { "SELECT pegs_fit('$_[0]', '$_[1]{source}', '{$ENV{PEGS_FAULTS_NAMES}}');" } },
	fit_perturbed => { name => 'pegs_fit, perturbed', role => 'curator', gives => 'model', epsilon => 1_000_000_000, delta => 1_000_000_000, cap => 0,
		sql => sub { "SELECT pegs_fit('$_[0]', '$_[1]{source}', '{$ENV{PEGS_FAULTS_NAMES}}', epsilon => 1, delta => 1e-9);" } },
	sample_sealed => { name => 'pegs_sample, sealed', role => 'analyst', gives => 'rows', epsilon => 1_000_000_000, delta => 0, cap => 1_000_000_000,
		sql => sub { "COPY (SELECT * FROM pegs_sample('sealed', $_[1]{rows}, 1, $_[1]{rows}) AS t($columns)) TO STDOUT;" } },
	sample_perturbed => { name => 'pegs_sample, perturbed', role => 'analyst', gives => 'rows', epsilon => 0, delta => 0, cap => 0,
		sql => sub { "COPY (SELECT * FROM pegs_sample('perturbed', $_[1]{rows}, options => '{\"fresh\": true}') AS t($columns)) TO STDOUT;" } },
	release => { name => 'pegs_release, sealed', role => 'analyst', gives => 'release', epsilon => 1_000_000_000, delta => 0, cap => 1_000_000_000,
		sql => sub { "SELECT pegs_release('$_[0]', 'sealed', $_[1]{release_rows}, 1, $_[1]{release_rows});" } },
	rows => { name => 'pegs_rows', role => 'analyst', gives => 'rows', epsilon => 0, delta => 0, cap => 0,
		sql => sub { "COPY (SELECT * FROM pegs_rows('kept') AS t($columns)) TO STDOUT;" } },
	agg => { name => 'pegs_agg', role => 'curator', gives => 'answer', epsilon => 0, delta => 0, cap => 0,
		sql => sub { "SELECT 1 FROM (SELECT pegs_agg((SELECT spec FROM spec), $ENV{PEGS_FAULTS_NAMES}) AS s FROM discharges) AS a WHERE s IS NOT NULL;" } },
);
our @order = qw(fit_sealed fit_perturbed sample_sealed sample_perturbed release rows agg);

sub operations { return $ENV{PEGS_FAULTS_OPERATIONS} ? split ' ', $ENV{PEGS_FAULTS_OPERATIONS} : @order }

# So many runs: few in CI, all of them in the long mode.
sub times { my ($class, $few, $many) = @_; return $long ? $many : $few }

# ---- the server ----

sub as_server
{
	my (@command) = @_;
	return system(@as_server, @command) == 0;
}

# A started server.
#   conf        lines for postgresql.conf
#   env         [ 'NAME=VALUE', ... ] for the server
#   data, wal   directories to put the data or the WAL into (small disks)
#   copied      1: leave the accounts as copied files have them
#   fell        qr/.../ of what the log may say of fallen processes: those that the fault itself kills
sub new
{
	my ($class, $name, %o) = @_;
	my $data = $o{data} || "$scratch/$name/data";
	my $self = bless {
		name => $name, data => $data, socket => "$scratch/$name", log => "$scratch/$name/log",
		env => $o{env} || [], fell => $o{fell} || qr/(?!)/, log_at => 0, number => 0, book => {},
		source => 'discharges', rows => $rows, release_rows => $release_rows }, $class;

	as_server('mkdir', '-p', $self->{socket}, $data) && as_server('cp', '-a', "$scratch/template/.", $data)
		&& as_server('chmod', '700', $data) or die "no copy of the template\n";
	if ($o{wal})
	{
		as_server('cp', '-a', "$data/pg_wal/.", "$o{wal}/") && as_server('rm', '-rf', "$data/pg_wal")
			&& as_server('ln', '-s', $o{wal}, "$data/pg_wal") or die "wal: $!";
	}
	$self->configure("unix_socket_directories = '$self->{socket}'\n" . ($o{conf} || ''));
	$self->start or die "the server of $name did not start:\n" . $self->log_since(0);
	$self->adopt unless $o{copied};
	return $self;
}

# Copied files are a copy of their accounts, and pegs says so: nothing can be spent before somebody adopts them.
sub adopt
{
	my ($self) = @_;
	my $refused = $self->control->run("SELECT * FROM pegs_trace('sealed', 1);");

	die "the copied account was not noticed: $refused->{error}\n$refused->{messages}" if $refused->{error} ne '55000';
	$self->value("SELECT pegs_adopt(source, 50000000, 'a copy of the template', 0.05) FROM pegs_budgets");
	return;
}

sub configure
{
	my ($self, $lines) = @_;
	open my $pipe, '|-', @as_server, 'sh', '-c', 'cat >>"$0"', "$self->{data}/postgresql.conf" or die "conf: $!";
	print $pipe $lines;
	close $pipe or die "conf: $!";
	return;
}

sub start
{
	my ($self) = @_;
	return as_server('env', @{ $self->{env} }, "$bindir/pg_ctl", 'start', '-w', '-s', '-t', '300', '-D', $self->{data}, '-l', $self->{log});
}

sub stop
{
	my ($self) = @_;
	$self->{$_} && $self->{$_}->close, delete $self->{$_} for 'control', grep { /^as / } keys %$self;
	# quietly: it may have stopped by itself
	return as_server('sh', '-c', '"$0" stop -w -s -m immediate -D "$1" 2>/dev/null', "$bindir/pg_ctl", $self->{data});
}

# Stops the server for good. The script's status says whether a check failed.
sub finish
{
	my ($self) = @_;
	$self->stop;
	as_server('rm', '-rf', $self->{socket});
	return;
}

sub log_since
{
	my ($self, $offset) = @_;
	open my $log, '-|', @as_server, 'cat', $self->{log} or return '';
	local $/;
	my $text = <$log> // '';
	close $log;
	$self->{log_end} = length $text;
	return substr($text, $offset);
}

# A new session. Waits for a server that recovers.
sub connect_as
{
	my ($self, $role) = @_;
	for (1 .. 6000)
	{
		my $session = Session->new($self->{socket}, $role);
		return $session if $session;
		usleep(50_000);
	}
	die "no connection to the server of $self->{name} as $role\n";
}

# The superuser's session, which no fault is aimed at.
sub control
{
	my ($self) = @_;
	$self->{control}->close, delete $self->{control} if $self->{control} && $self->{control}{dead};
	return $self->{control} ||= $self->connect_as('postgres');
}

# A superuser's answer, with newlines between rows; dies if there is an error.
sub value
{
	my ($self, $sql) = @_;
	my $answer = $self->control->run($sql);
	# a server that fell takes this session with it: unsound() will say so
	$answer = $self->control->run($sql) if $self->{control}{dead};
	die "$sql\n$answer->{messages}" if $answer->{error};
	chomp $answer->{out};
	return $answer->{out};
}

# The session of a role: kept for the next run unless it was lost.
sub session
{
	my ($self, $role) = @_;
	my $key = "as $role";
	$self->{$key}->close, delete $self->{$key} if $self->{$key} && $self->{$key}{dead};
	return $self->{$key} ||= $self->connect_as($role);
}

sub fresh_session
{
	my ($self, $role) = @_;
	my $key = "as $role";
	$self->{$key}->close, delete $self->{$key} if $self->{$key};
	return $self->session($role);
}

# ---- small disks ----

# A file system of so many MB, or undef if nobody may mount one here. It belongs to the server's user.
sub small_disk
{
	my ($name, $mb) = @_;
	my $dir = "$scratch/disk_$name";
	my @as_root = split / /, $ENV{PEGS_FAULTS_AS_ROOT};
	my ($uid, $gid) = (getpwnam $ENV{PEGS_FAULTS_SERVER_USER})[2, 3];

	as_server('mkdir', '-p', $dir) or die;
	return $dir if system("@as_root mount -t tmpfs -o size=${mb}m,mode=700,uid=$uid,gid=$gid pegs_faults $dir 2>/dev/null") == 0;
	print "       no small file system can be mounted here\n";
	return undef;
}

# Leaves so many kB free in it, by a ballast file; undef takes the ballast away.
sub leave_free
{
	my ($dir, $kb) = @_;
	as_server('rm', '-f', "$dir/ballast");
	return if !defined $kb;
	my $df = join '', map { /(\d+)\s*$/ ? $1 : '' } qx(@as_server df --output=avail -k $dir);
	my $fill = $df - $kb;
	as_server('fallocate', '-l', "${fill}K", "$dir/ballast") or die 'fallocate' if $fill > 0;
	return;
}

# ---- accounts ----

# What is spent, in units: epsilon, delta, and of the analyst's cap. Straight from the sequences.
sub account
{
	my ($self) = @_;
	return [ split / /, $self->value(qq{
		SELECT concat_ws(' ', coalesce(pg_sequence_last_value(b.epsilon_spent), 0), coalesce(pg_sequence_last_value(b.delta_spent), 0),
			coalesce(pg_sequence_last_value(a.cap_spent), 0))
		FROM pegs_internal.budget AS b, pegs_internal.access AS a JOIN pegs_internal.model AS m ON m.id = a.object
		WHERE b.source = '$self->{source}'::regclass AND m.name = 'sealed' AND a.cap IS NOT NULL}) ];
}

# ---- runs ----

# Waits until the process is gone: a backend whose client is lost may still work.
sub wait_gone
{
	my ($self, $pid) = @_;
	for (1 .. 30_000)
	{
		return if $self->value("SELECT count(*) FROM pg_stat_activity WHERE pid = $pid") eq '0';
		usleep(10_000);
	}
	die "backend $pid does not end\n";
}

# Did the operation give anything? Rows that reached the client; or a model or release that is there now.
sub given
{
	my ($self, $op, $name, $answer) = @_;
	my $gives = $operation{$op}{gives};

	return $answer->{lines} if $gives eq 'rows' || $gives eq 'answer';
	return $self->value("SELECT count(*) FROM pegs_internal.$gives WHERE name = '$name'");
}

sub expected_lines
{
	my ($self, $op) = @_;
	my $gives = $operation{$op}{gives};
	return $gives eq 'rows' ? ($op eq 'rows' ? $rows : $self->{rows}) : 1;
}

# One run.
#   before => sub ($session)       what is done in the session of the role first (limits, BEGIN)
#   fault  => sub ($session)       called while the operation runs, or not at all
#   after  => sub ($session)       the fault is taken away
#   sql    => text                 instead of the operation's own (a wrapped one)
#   partly => 1                   fewer rows than asked for are no error: the client wanted no more
#   died   => sub                 called if the connection is lost: brings the server back
#   expect => qr/SQLSTATE/         errors that are right; 'lost' is a connection that broke
sub try
{
	my ($self, $op, %o) = @_;
	my $o = $operation{$op};
	my $name = "x" . ++$self->{number};
	my $was = $self->account;
	my $session = $o{fresh} ? $self->fresh_session($o->{role}) : $self->session($o->{role});
	my $pid = $session->{pid};
	my ($answer, $error);

	$o{before}->($session) if $o{before};
	$session->send($o{sql} ? $o{sql}->($o->{sql}->($name, $self)) : $o->{sql}->($name, $self));
	$o{fault}->($session) if $o{fault};
	$answer = $session->answer;
	$o{after}->($session) if $o{after};
	$error = $answer->{error};
	if ($session->{dead})
	{
		$error ||= 'lost';
		$o{died} ? $o{died}->() : $self->wait_gone($pid);
	}
	return $self->enter($op, $name, $was, $answer, $error, $o{expect}, $o{partly});
}

# Random moments: so many, within what the operation took. On a machine that has become faster since, all may come too late:
# then sooner and sooner, until one has hit.
#   $try->($ms)   one run that is hurt after so long; gives what try gives
sub moments
{
	my ($self, $op, $times, $try) = @_;
	my $ms = $self->milliseconds($op);
	my $hits = 0;

	for (1 .. $times) { $hits++ if $try->(rand $ms)->{kind} ne 'done' }
	for (my $at = $ms / 4; !$hits && $at > 0.001; $at /= 2) { $hits++ if $try->($at)->{kind} ne 'done' }
	return;
}

# What became of a run goes into the book; what breaks the law is written down in words.
sub enter
{
	my ($self, $op, $name, $was, $answer, $error, $expect, $partly) = @_;
	my $o = $operation{$op};
	my $is = $self->account;
	my @charged = map { $is->[$_] - $was->[$_] } 0 .. 2;
	my @whole = ($o->{epsilon}, $o->{delta}, $o->{cap});
	my $given = $self->given($op, $name, $answer);
	my $book = $self->{book}{$op} ||= { runs => 0, done => 0, free => 0, charged => 0, rows => 0, wrong => [], errors => {} };
	my @wrong;

	$error = '' if !defined $error;
	push @wrong, 'spent fell' if grep { $_ < 0 } @charged;
	for (0 .. 2)
	{
		my $part = ('epsilon', 'delta', 'cap')[$_];
		push @wrong, "$part charged $charged[$_], not 0 or $whole[$_]" if $charged[$_] != 0 && $charged[$_] != $whole[$_];
		push @wrong, "$given $o->{gives}, but $part charged $charged[$_] of $whole[$_]" if $given && $charged[$_] != $whole[$_];
	}
	push @wrong, 'no error, but charged ' . join('/', @charged) . ' of ' . join('/', @whole) if !$error && "@charged" ne "@whole";
	push @wrong, "no error, but $given of " . $self->expected_lines($op) if !$error && !$partly && $given != $self->expected_lines($op);
	push @wrong, "error $error was not expected: $answer->{messages}" if $error && $error !~ ($expect || qr/./);
	$book->{runs}++;
	$book->{errors}{$error}++ if $error;
	my $paid = grep { $_ > 0 } @charged;
	my $kind = !$error && !$partly ? 'done' : $given ? 'rows' : $paid ? 'charged' : 'free';
	$book->{$kind}++;
	push @{ $book->{wrong} }, map { "run $book->{runs} ($name): $_" } @wrong;
	return { error => $error, kind => $kind, given => $given, charged => \@charged, name => $name };
}

# How long the operation takes, in milliseconds: the shortest of three runs.
sub milliseconds
{
	my ($self, $op) = @_;
	my $best = 1e9;

	for (1 .. 3)
	{
		my $session = $self->fresh_session($operation{$op}{role});
		my $began = time;
		my $answer = $session->run($operation{$op}{sql}->("x" . ++$self->{number}, $self));
		die "$op: $answer->{messages}" if $answer->{error};
		my $took = 1000 * (time - $began);
		$best = $took if $took < $best;
	}
	print "       $op takes $best ms\n" if $ENV{PEGS_FAULTS_TIMES};
	return $best < 2 ? 2 : $best;
}

# ---- afterwards ----

# Everything that must hold of a server at rest. Gives what does not, in words.
sub unsound
{
	my ($self) = @_;
	my @wrong;

	my $log = $self->log_since($self->{log_at});
	for (grep { /PANIC|TRAP|was terminated by signal|reinitializing|terminating any other active|stuck spinlock|segfault/ } split /\n/, $log)
	{
		push @wrong, "the server fell over: $_" unless /$self->{fell}/;
	}
	$self->{log_at} = $self->{log_end};
	my $say = sub {
		my ($what, $sql) = @_;
		push @wrong, map { "$what: $_" } split /\n/, $self->value($sql);
	};
	# The law of the ledger, without the extension's own function for it.
	$say->('ledger lines overlap', q{SELECT source || ' ' || epsilon_from || ' before ' || upto FROM (
		SELECT source, epsilon_from, max(epsilon_to) OVER (PARTITION BY source ORDER BY epsilon_from, epsilon_to
			ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS upto FROM pegs_internal.ledger WHERE epsilon_to > epsilon_from) AS l
		WHERE epsilon_from < upto});
	$say->('ledger line outside what is spent', q{SELECT l.id FROM pegs_internal.ledger AS l JOIN pegs_internal.budget AS b USING (source)
		WHERE l.epsilon_from < 0 OR l.epsilon_to > pg_sequence_last_value(b.epsilon_spent) OR l.epsilon_from > l.epsilon_to
			OR l.delta_to > pg_sequence_last_value(b.delta_spent)});
	$say->('half-stored', q{
		SELECT 'body without model ' || model FROM pegs_internal.body WHERE model NOT IN (SELECT id FROM pegs_internal.model)
		UNION ALL SELECT 'model without body ' || name FROM pegs_internal.model WHERE name IS NOT NULL AND id NOT IN (SELECT model FROM pegs_internal.body)
		UNION ALL SELECT 'rows without release ' || release FROM pegs_internal.release_rows WHERE release NOT IN (SELECT id FROM pegs_internal.release)
		UNION ALL SELECT 'release without model ' || name FROM pegs_internal.release WHERE model NOT IN (SELECT id FROM pegs_internal.model)
		UNION ALL SELECT 'grant of nothing ' || id FROM pegs_internal.access WHERE object NOT IN
			(SELECT id FROM pegs_internal.model UNION ALL SELECT id FROM pegs_internal.release)
		UNION ALL (SELECT 'name of nothing ' || name FROM pegs_internal.name EXCEPT ALL
			SELECT 'name of nothing ' || name FROM (SELECT name FROM pegs_internal.model UNION ALL SELECT name FROM pegs_internal.release) AS o)
		UNION ALL (SELECT 'nameless ' || name FROM (SELECT name FROM pegs_internal.model UNION ALL SELECT name FROM pegs_internal.release) AS o
			WHERE name IS NOT NULL EXCEPT ALL SELECT 'nameless ' || name FROM pegs_internal.name)});
	$say->('left over', 'SELECT gid FROM pg_prepared_xacts');
	# Whatever is listed works. What the runs made is dropped after that.
	for (split /\n/, $self->value('SELECT name || \' \' || sealed FROM pegs_internal.model WHERE name IS NOT NULL'))
	{
		my ($name, $sealed) = split / /;
		my $epsilon = $sealed eq 'true' ? ', 1, 7' : '';
		my $type = $self->value("SELECT pegs_row_type('$name')");
		my $got = $self->control->run("SELECT (SELECT count(*) FROM pegs_sample('$name', 7$epsilon) AS t($type)), pegs_describe('$name') IS NOT NULL;");
		push @wrong, "model $name is listed and does not work: $got->{out}$got->{messages}" if $got->{out} ne "7|t\n";
		$self->value("SELECT pegs_drop('$name')") if $name =~ /^x\d/;
	}
	for (split /\n/, $self->value('SELECT name || \' \' || n FROM pegs_internal.release'))
	{
		my ($name, $n) = split / /;
		my $type = $self->value("SELECT pegs_row_type('$name')");
		my $got = $self->control->run("SELECT count(*) FROM pegs_rows('$name') AS t($type);");
		push @wrong, "release $name is listed and does not work: $got->{out}$got->{messages}" if $got->{out} ne "$n\n";
		$self->value("SELECT pegs_drop('$name')") if $name =~ /^x\d/;
	}
	return @wrong;
}

# The check of one operation under one fault. hits: so many runs at least must have been hit, or the fault proves nothing.
sub close_book
{
	my ($self, $fault, $op, %o) = @_;
	my $book = delete $self->{book}{$op} || { runs => 0, done => 0, free => 0, charged => 0, rows => 0, wrong => [ 'no run' ], errors => {} };
	my @wrong = (@{ $book->{wrong} }, $o{unsound} ? @{ $o{unsound} } : $self->unsound);
	my $hits = $book->{runs} - $book->{done};
	my $what = $o{operation} || $operation{$op}{name};

	push @wrong, "only $hits runs were hit by the fault" if $hits < ($o{hits} // 1);
	push @wrong, "$hits runs were hit, at most $o{most_hits} should" if defined $o{most_hits} && $hits > $o{most_hits};
	verdict("$fault: $what: $book->{runs} runs: $book->{done} done; error and: $book->{free} nothing, $book->{charged} charged, $book->{rows} rows", @wrong);
	matrix($o{fault} || $fault, $what, @{$book}{qw(runs done free charged rows)}, join ' ', sort keys %{ $book->{errors} });
	return;
}

# ---- saying it ----

sub verdict
{
	my ($what, @wrong) = @_;
	$failed++ if @wrong;
	print @wrong ? 'FAILED ' : 'ok     ', "$what\n";
	my $more = @wrong - 10;
	splice @wrong, 10 if $more > 0;
	print map { s/\s+$//r =~ s/^/       /mgr . "\n" } @wrong;
	print "       and $more more\n" if $more > 0;
	return !@wrong;
}

# A line of the matrix; test/faults/run makes a table of them.
sub matrix
{
	my (@cell) = @_;
	open my $out, '>>', "$scratch/matrix" or die "matrix: $!";
	print $out join("\t", map { $_ // '' } @cell), "\n";
	close $out;
	return;
}

END { $? = 1 if $failed && !$? }

1;
