# PegsSession: a psql that stays, for what is only read. To start one for each question takes thirty times as long, and the tests
# ask some ten thousand.
#
#   PegsSession::answer($connstr, $role, $sql)     what psql prints. undef: ask a psql of its own, that says what is wrong
#
# A session ends when it cannot answer, and all do before somebody else's psql says DATABASE: one may be copied or dropped then.
package PegsSession;

use strict;
use warnings;

use IO::Select;
use IPC::Open2;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;

my $end = '-- that was all --';

my %sessions;

# One SELECT of tables and views. A function of ours may keep something for the session; a setting may have been changed for new
# ones; numbers are kept, too.
sub reads
{
	my ($sql) = @_;
	return $sql =~ /^\s*SELECT\b/i && $sql !~ /[;\\]|\b(pegs_\w+|nextval|setval|lastval|current_setting)\s*\(|\b(INTO|FOR)\b|\bpg_(stat_(?!activity)|settings)/i;
}

sub answer
{
	my ($connstr, $role, $sql) = @_;
	my $whose = join ' ', $connstr, $role // ();

	return if !reads($sql);
	$sessions{$whose} //= PegsSession->new($connstr, $role);
	my $answer = $sessions{$whose}->ask($sql);
	delete $sessions{$whose} if !defined $answer;
	return $answer;
}

{
	no warnings 'redefine';
	my $psql = \&PostgreSQL::Test::Cluster::psql;
	*PostgreSQL::Test::Cluster::psql = sub { %sessions = () if $_[2] =~ /\bDATABASE\b/; goto &$psql };
}

sub new
{
	my ($class, $connstr, $role) = @_;
	my $self = bless {}, $class;

	# what it says to stderr is said again by who asks then
	$self->{pid} = open2($self->{out}, $self->{in}, 'sh', '-c', 'exec psql -XAtq -v ON_ERROR_STOP=1 "$@" -f - 2>/dev/null', 'psql', '-d', $connstr, $role ? ('-U', $role) : ());
	$self->{in}->autoflush(1);
	return $self;
}

sub ask
{
	my ($self, $sql) = @_;
	my $answer = '';
	my $waits = IO::Select->new($self->{out});

	local $SIG{PIPE} = 'IGNORE';
	print { $self->{in} } "$sql\n;\n\\echo '$end'\n" or return;
	while ($answer !~ s/\n?^\Q$end\E\n\z//m)
	{
		return if !$waits->can_read($PostgreSQL::Test::Utils::timeout_default);
		sysread($self->{out}, $answer, 65536, length $answer) or return;
	}
	return $answer;
}

sub DESTROY
{
	my ($self) = @_;
	local ($?, $!);

	close $self->{in};
	close $self->{out};
	waitpid $self->{pid}, 0;
	return;
}

1;
