# PegsCrash: what was charged stays charged when a backend or the server dies right after it.
#
#   PegsLedger->new('name', conf => $PegsCrash::conf)     a server whose WAL nobody flushes but who must
#   PegsCrash::stays_charged($pegs, @acts)                each of @acts is a hash:
#
#       what     its name                                 do      the statement
#       role     who does it                              seen    a query: counts what came of it; seen_is: what it should count
#       price    its epsilon                              made    the name of the model or release that it makes
#       spent    a function of the hash: what the accounts have spent, one number or more in units
package PegsCrash;

use strict;
use warnings;

use PegsLedger;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(usleep);

# what is not flushed by who writes it stays unflushed
our $conf = "shared_buffers = 16MB\nwal_writer_delay = 10s\ncheckpoint_timeout = 1d\nbgwriter_lru_maxpages = 0\nrestart_after_crash = on\n";

sub kill_backend { my ($pegs, $pid, $writer) = @_; $pegs->kill_backend($pid, $writer); return }

sub stop_server
{
	my ($pegs, undef, $writer) = @_;
	my $node = $pegs->node;
	my $file = $node->data_dir . '/postmaster.pid';
	my ($postmaster) = slurp_file($file) =~ /^(\d+)/;

	kill 'QUIT', $postmaster or die "kill $postmaster: $!";
	# it was stopped: now it ends, without writing
	kill 'QUIT', $writer;
	kill 'CONT', $writer;
	for (1 .. 100 * $PostgreSQL::Test::Utils::timeout_default) { last unless -e $file; usleep(10_000) }
	$node->{_pid} = undef;
	$node->start;
	return;
}

my %crashes = (
	'kill -9 of the backend, not committed' => [ 'BEGIN', \&kill_backend ],
	'immediate stop, committed' => [ 'SET synchronous_commit = off', \&stop_server ]);

# WAL that is not flushed is lost by these: what charges goes last, so that nothing after it flushes for it; what costs nothing
# goes before it, once. A plain nextval after all of it must be lost.
sub stays_charged
{
	my ($pegs, @acts) = @_;
	my $there = sub { return $pegs->value("SELECT count(*) FROM pegs_internal.name WHERE name = '$_[0]{made}'") };

	$pegs->value('CREATE SEQUENCE witness; GRANT USAGE ON SEQUENCE witness TO analyst, curator');
	for my $crash (sort keys %crashes)
	{
		my ($before, $how) = @{ $crashes{$crash} };
		my @with = grep { $_->{price} == 0 } @acts;

		for my $paid (grep { $_->{price} > 0 } @acts)
		{
			my @did = (@with, $paid);
			my %spent = map { $_->{what} => [ $_->{spent}->($_) ] } @did;
			my (@sessions, %seen);

			@with = ();
			$pegs->value("SELECT setval('witness', 1); CHECKPOINT");
			# after a crash it may begin later than sessions do
			$pegs->node->poll_query_until('postgres', "SELECT count(*) = 1 FROM pg_stat_activity WHERE backend_type = 'walwriter'") or die 'there is no walwriter';
			my $writer = $pegs->value("SELECT pid FROM pg_stat_activity WHERE backend_type = 'walwriter'");
			for my $act (@did)
			{
				my $s = $pegs->background($act->{role});
				$s->query('SET client_min_messages = error');
				$s->query($before);
				push @sessions, $s;
			}
			my $pid = $sessions[-1]->query('SELECT pg_backend_pid()');
			kill 'STOP', $writer or die "kill $writer: $!";
			# a session that is gone says nothing: the server does
			eval {
				for my $i (0 .. $#did)
				{
					$sessions[$i]->query($did[$i]{do});
					$seen{ $did[$i]{what} } = $sessions[$i]->query($did[$i]{seen});
				}
				1 } or die "$paid->{what}, $crash: $@" . join "\n", '', grep { defined } (split /\n/, slurp_file($pegs->node->logfile))[-15 .. -1];
			$sessions[-1]->query("SELECT nextval('witness')");
			$how->($pegs, $pid, $writer);
			for my $s (@sessions) { eval { $s->quit } }
			is($pegs->value('SELECT last_value FROM witness'), 1, "$paid->{what}, $crash: WAL not flushed by the charge was lost");
			for my $act (@did)
			{
				my $name = "$act->{what}, $crash";
				my @after = $act->{spent}->($act);

				is($seen{ $act->{what} }, $act->{seen_is}, "$name: it was done");
				is(join(' ', map { $after[$_] - $spent{ $act->{what} }[$_] } 0 .. $#after), join(' ', map { PegsLedger::units($act->{price}) } 0 .. $#after),
					"$name: charged $act->{price}");
				is($there->($act), 0, "$name: it is not there") if $before eq 'BEGIN';
				$pegs->value("SELECT pegs_drop('$act->{made}')") if $there->($act);
			}
		}
	}
	return;
}

1;
