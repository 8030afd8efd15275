# PegsSession: a psql that stays. To start one for each question takes thirty times as long, and the tests ask some ten thousand.
#
#   PegsSession::answer($connstr, $role, $sql)     what psql prints, of what is only read. undef: ask a psql of its own, that says
#                                                  what is wrong
#   PegsSession::did($connstr, $role, $sql, stop => 1, verbosity => 'sqlstate')
#                                                  anything, as a psql of its own would do it: what it prints, its errors, and
#                                                  whether it came to its end (stop: not, at an error). Of the session nothing
#                                                  stays but what backends keep for themselves.
#
# A session ends when it cannot answer, and all do before somebody else's psql says DATABASE: one may be copied or dropped then.
package PegsSession;

use strict;
use warnings;

use IO::Select;
use IPC::Open3;
use Symbol qw(gensym);
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;

my $end = '-- that was all --';

our $most = 3;	# a server of these tests takes seven of others than superusers
my %sessions;

# One SELECT of tables and views. A function of ours may keep something for the session; a setting may have been changed for new
# ones; numbers are kept, too.
sub reads
{
	my ($sql) = @_;
	return $sql =~ /^\s*SELECT\b/i && $sql !~ /[;\\]|\b(pegs_\w+|nextval|setval|lastval|current_setting)\s*\(|\b(INTO|FOR)\b|\bpg_(stat_(?!activity)|settings)/i;
}

sub session
{
	my ($connstr, $role) = @_;
	my $whose = join ' ', $connstr, $role // ();

	%sessions = () if !$sessions{$whose} && keys %sessions >= $most;
	return ($sessions{$whose} //= PegsSession->new($connstr, $role), $whose);
}

sub answer
{
	my ($connstr, $role, $sql) = @_;

	return if !reads($sql);
	my ($session, $whose) = session($connstr, $role);
	my ($answer, undef, $ended) = $session->said("$sql\n;");
	delete $sessions{$whose} if !$ended;
	return $ended ? $answer : undef;
}

# What it sets, opens and leaves open is gone afterwards.
sub did
{
	my ($connstr, $role, $sql, %o) = @_;
	my ($session, $whose) = session($connstr, $role);

	# the server may have been killed since
	($sessions{$whose} = $session = PegsSession->new($connstr, $role)) if !($session->said('SELECT;'))[2];
	my @said = $session->said('\set VERBOSITY ' . ($o{verbosity} // 'default') . "\n\\set ON_ERROR_STOP " . ($o{stop} // 0) . "\n$sql\n;");
	delete $sessions{$whose} if !$said[2] || !($session->said("\\set ON_ERROR_STOP 0\n\\set SHOW_CONTEXT errors\n\\o\nROLLBACK;\n\\set ON_ERROR_STOP 1\nDISCARD ALL;"))[2];
	return @said;
}

{
	no warnings 'redefine';
	my $psql = \&PostgreSQL::Test::Cluster::psql;
	*PostgreSQL::Test::Cluster::psql = sub { %sessions = () if $_[2] =~ /\bDATABASE\b/; goto &$psql };
}

sub new
{
	my ($class, $connstr, $role) = @_;
	my $self = bless { err => gensym }, $class;

	$self->{pid} = open3($self->{in}, $self->{out}, $self->{err}, 'psql', '-XAtq', '-v', 'ON_ERROR_STOP=1', '-d', $connstr, ($role ? ('-U', $role) : ()), '-f', '-');
	$self->{in}->autoflush(1);
	return $self;
}

# What is printed, what is said to stderr, and whether it came to the end of all that it was told. Who says nothing for long has failed.
sub said
{
	my ($self, $lines) = @_;
	my %said = (out => '', err => '');
	my $waits = IO::Select->new(@$self{qw(out err)});
	my $ended = sub { return $said{$_[0]} =~ /^\Q$end\E\n\z/m };

	local $SIG{PIPE} = 'IGNORE';
	print { $self->{in} } "$lines\n\\echo '$end'\n\\warn '$end'\n" or return ('', '', 0);
	until ($ended->('out') && $ended->('err'))
	{
		$! = 0;
		my @ready = $waits->can_read($PostgreSQL::Test::Utils::timeout_default);
		next if !@ready && $!{EINTR};	# a signal came, no answer yet
		if (!@ready) { kill 'KILL', $self->{pid}; die "psql says nothing, asked: $lines\n" }
		for my $handle (@ready)
		{
			my $which = $handle == $self->{out} ? 'out' : 'err';
			my $got = sysread $handle, $said{$which}, 65536, length $said{$which};
			$waits->remove($handle) if !($got || !defined $got && $!{EINTR});
		}
		last if !$waits->count;
	}
	my $whole = $ended->('out') && $ended->('err') ? 1 : 0;
	s/^\Q$end\E\n\z//m, chomp for @said{qw(out err)};
	return (@said{qw(out err)}, $whole);
}

sub DESTROY
{
	my ($self) = @_;
	local ($?, $!);

	close $self->{$_} for qw(in out err);
	waitpid $self->{pid}, 0;
	return;
}

1;
