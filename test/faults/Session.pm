# Session: one psql that is kept open and spoken to through pipes.
#
#   my $s = Session->new($socket, 'analyst')    undef if there is no connection; $s->{pid} is its backend
#   $s->send($sql); $s->answer                  { out, lines, error, messages }; or both in one: $s->run($sql)
#
# error is the SQLSTATE of the first error, '' if there is none, 'lost' if the connection broke without one; then the
# session is dead ($s->{dead}) and good for nothing but close(). Rows that came before an error are in out: whoever counts
# what a client has got must count these. Whoever reads from $s->{pipe} himself puts what he read into $s->{seen}.
package Session;

use strict;
use warnings;

use IPC::Open3;

my $number = 0;

sub new
{
	my ($class, $socket, $role, $database) = @_;
	my $errors = "$ENV{PEGS_FAULTS_SCRATCH}/messages." . $$ . '.' . ++$number;
	my $self = bless { errors => $errors, read => 0, dead => 0, buffer => '' }, $class;

	open my $messages, '>', $errors or die "$errors: $!";
	local $SIG{PIPE} = 'IGNORE';
	$self->{psql} = open3($self->{in}, $self->{pipe}, '>&' . fileno($messages), "$ENV{PEGS_FAULTS_BINDIR}/psql", '-XAtq',
		'-h', $socket, '-U', $role, '-d', $database || 'postgres', '-v', 'VERBOSITY=sqlstate', '-v', 'ON_ERROR_STOP=0', '-f', '-');
	close $messages;
	my $answer = $self->run('SELECT pg_backend_pid();');
	if ($answer->{error})
	{
		$self->close;
		return undef;
	}
	($self->{pid}) = $answer->{out} =~ /(\d+)/;
	return $self;
}

sub send
{
	my ($self, $sql) = @_;
	local $SIG{PIPE} = 'IGNORE';
	my $in = $self->{in};
	syswrite $in, $sql =~ s/([^;\s])\s*$/$1;/r . "\n\\echo '\@\@ end'\n";
	return;
}

# Reads to the mark. The mark is a line of its own, even after half a row.
sub answer
{
	my ($self) = @_;
	my $out = delete $self->{seen} // '';

	for (;;)
	{
		last if substr($out, -7) eq "\@\@ end\n" && $out =~ s/(\n|^)\@\@ end\n\z/$1/;
		my $n = sysread $self->{pipe}, $out, 1 << 16, length $out;
		if (!$n) { $self->{dead} = 1; last; }
	}
	my $messages = $self->messages;
	# psql may have found the server again, and go on: what was asked meanwhile has no answer
	$self->{dead} = 1 if $messages =~ /^(?:psql:\S* )?(?:The connection to the server was lost|server closed the connection)/m;
	my ($error) = $messages =~ /^(?:psql:\S* )?(?:ERROR|FATAL|PANIC):\s+(\w{5})\b/m;
	$error ||= 'lost' if $self->{dead};
	return { out => $out, lines => scalar($out =~ tr/\n//), error => $error || '', messages => $messages };
}

sub run
{
	my ($self, $sql) = @_;
	$self->send($sql);
	return $self->answer;
}

sub messages
{
	my ($self) = @_;
	my $text = '';
	open my $in, '<', $self->{errors} or return '';
	seek $in, $self->{read}, 0;
	local $/;
	$text = <$in> // '';
	$self->{read} += length $text;
	return $text;
}

sub close
{
	my ($self) = @_;
	close $self->{in} if $self->{in};
	close $self->{pipe} if $self->{pipe};
	waitpid $self->{psql}, 0 if $self->{psql};
	unlink $self->{errors};
	delete @{$self}{qw(in pipe psql)};
	$self->{dead} = 1;
	return;
}

1;
