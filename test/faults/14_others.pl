# Others are in the way: they hold a name, a grant, a budget, a table, in transactions that stay open. Nobody waits for a
# grantee; what cannot be had is an error at once, and it costs nothing. And what files are that were copied while the
# server was down: a copy of the accounts, which nobody can spend.
use strict;
use warnings;
use Faults;

# ---- copied files, before anybody has adopted them ----

my $f = Faults->new('others', copied => 1, conf => "max_prepared_transactions = 5\n");
$f->{rows} = 1000;
$f->{release_rows} = 1000;
for my $op ($f->operations)
{
	my $costs = $Faults::operation{$op}{epsilon};

	$f->try($op, expect => qr/^55000$/);
	$f->close_book('copied files, not adopted', $op, fault => 'the files are a copy, and not adopted', unsound => [],
		hits => $costs ? 1 : 0, most_hits => $costs ? undef : 0);
}
$f->adopt;

# ---- a name, in an open transaction of a grantee ----

my $other = Session->new($f->{socket}, 'analyst') or die;
for my $op (grep { $Faults::operation{$_}{gives} =~ /model|release/ } $f->operations)
{
	my $name = 'x' . ($f->{number} + 1);

	$other->run("BEGIN; SELECT pegs_release('$name', 'perturbed', 10);");
	# no lock_timeout: who waits is cancelled (57014) after a long time
	$f->try($op, expect => qr/^55P03$/, before => sub { $_[0]->run("SET statement_timeout = '60s';") }, after => sub { $other->run('ROLLBACK;') });
	$f->close_book('the name is being taken by another', $op, fault => 'another session is taking the name');
}

# ---- whatever a grantee has open, curators go on ----

sub said
{
	my ($session, $sql) = @_;
	my $answer = $session->run($sql);
	return $answer->{error} || 'done';
}

# One line of the matrix for what is no operation of Faults.pm: each of @$runs ended as it should.
sub book
{
	my ($fault, $what, $should, @runs) = @_;
	my @other = grep { $_ ne $should } @runs;
	my $n = @runs;

	Faults::verdict("$fault: $what: $n runs, $should", map({ "$_ instead of $should" } @other), $f->unsound);
	Faults::matrix($fault, $what, $n, $should eq 'done' ? ($n - @other, 0) : (0, $n - @other), 0, 0, $should eq 'done' ? '' : $should);
	return;
}

my $curator = $f->session('curator');
my $columns = $Faults::columns;
my $count = 0;
$curator->run("SET statement_timeout = '60s';");
my %deed = (
	pegs_grant => sub { "SELECT pegs_grant('$_[0]', 'analyst', epsilon => 50);" },
	pegs_limit => sub { "SELECT pegs_limit('$_[0]', 'analyst', max_rows => 10000);" },
	pegs_revoke => sub { "SELECT pegs_revoke('$_[0]', 'analyst');" },
	pegs_withdraw => sub { "SELECT pegs_withdraw('$_[0]', 'analyst');" },
	pegs_drop => sub { "SELECT pegs_drop('$_[0]');" },
	pegs_set_budget => sub { "SELECT pegs_set_budget('discharges', 100000000, 0.1, 'sum');" });
for my $deed (qw(pegs_grant pegs_limit pegs_revoke pegs_withdraw pegs_drop pegs_set_budget))
{
	my @runs;

	for my $prepared (0, 1)
	{
		my $model = 'm' . ++$count;
		$f->value("SELECT pegs_fit('$model', 'discharges', '{sex,sev,cat}', parents => '{}'); SELECT pegs_grant('$model', 'analyst', epsilon => 60)");
		# a sample is drawn and paid for; a release is being made, but not by who means to prepare
		my @open = map { said($other, $_) } 'BEGIN;', "SELECT count(*) FROM pegs_sample('$model', 10, 1, 10) AS t(sex char(1));",
			$prepared ? "PREPARE TRANSACTION 'kept open';" : "SELECT pegs_release('x_$model', '$model', 10, 1, 10);";
		die "$deed: @open" if grep { $_ ne 'done' } @open;
		push @runs, said($curator, $deed{$deed}->($model));
		$other->run($prepared ? "ROLLBACK PREPARED 'kept open';" : 'ROLLBACK;');
		$curator->run("SELECT pegs_drop('$model');") if $deed ne 'pegs_drop';
	}
	book('a grantee has a transaction open, or prepared', $deed, 'done', @runs);
}

# A grant that was taken back is gone for transactions that were open, too, whatever they have seen.
my @runs;
for my $level ('READ COMMITTED', 'REPEATABLE READ')
{
	my $was = $f->account;
	my $sample = "SELECT count(*) FROM pegs_sample('m', 10, 1, 10) AS t(sex char(1));";
	$f->value("SELECT pegs_fit('m', 'discharges', '{sex,sev,cat}', parents => '{}'); SELECT pegs_grant('m', 'analyst', epsilon => 60)");
	$other->run("BEGIN ISOLATION LEVEL $level;");
	push @runs, said($other, $sample) eq 'done' && said($curator, "SELECT pegs_revoke('m', 'analyst');") eq 'done' ? said($other, $sample) : 'not so far';
	push @runs, 'another charge' if $f->account->[0] - $was->[0] != 1_000_000_000;
	$other->run('ROLLBACK;');
	$f->value("SELECT pegs_drop('m')");
}
book('the grant was revoked while a transaction was open', 'pegs_sample, sealed', '42704', @runs);

# ---- a total that is changed ----

my $spent = "(SELECT spent FROM pegs_budgets WHERE source = 'discharges'::regclass)::float8";
my $sealed = "SELECT count(*) FROM pegs_sample('sealed', 10, 1, 10) AS t(sex char(1));";
@runs = ();
my @charges;
for my $left (0.5, 1.5)
{
	# others spend meanwhile, by the total that is committed
	$curator->run("BEGIN; SELECT pegs_set_budget('discharges', epsilon => $spent + $left, delta => 0.1);");
	push @charges, map { said($other, $sealed) } 1 .. 2;
	push @runs, said($curator, 'COMMIT;');
}
book('more is spent meanwhile than the new total', 'COMMIT after pegs_set_budget', '22023', @runs);
book('a budget is being lowered', 'pegs_sample, sealed', 'done', @charges);
@runs = map { $curator->run("BEGIN; SELECT pegs_set_budget('discharges', epsilon => $_, delta => 0.1);"); said($curator, "PREPARE TRANSACTION 'total';") } 100000000, 100000001;
book('a total was changed', 'PREPARE TRANSACTION', '0A000', @runs);
$other->run("BEGIN; SELECT pegs_release('x_prepared', 'perturbed', 10);");
book('a grantee made a release', 'PREPARE TRANSACTION', '0A000', said($other, "PREPARE TRANSACTION 'name';"));

# ---- the table is dropped ----

$f->value("CREATE TABLE gone (LIKE discharges INCLUDING ALL); INSERT INTO gone SELECT * FROM discharges LIMIT 1000; ALTER TABLE gone OWNER TO curator;
	SELECT pegs_set_budget('gone', 100); SELECT pegs_fit('gone_sealed', 'gone', '{sex,sev,cat}', parents => '{}');
	SELECT pegs_fit('gone_perturbed', 'gone', '{sex,sev,cat}', epsilon => 1);
	SELECT pegs_release('gone_release', 'gone_sealed', 10, 1, 10);
	SELECT pegs_grant('gone_sealed', 'analyst', epsilon => 50); SELECT pegs_grant('gone_perturbed', 'analyst'); SELECT pegs_grant('gone_release', 'analyst')");
my $of = 'AS t(sex char(1));';
my @read = ("SELECT count(*) FROM pegs_sample('gone_perturbed', 10) $of", "SELECT count(*) FROM pegs_rows('gone_release') $of");
my $paid = "SELECT count(*) FROM pegs_sample('gone_sealed', 10, 1, 10) $of";
die 'before the drop' if grep { said($other, $_) ne 'done' } @read, $paid;
die 'the drop' if said($curator, 'DROP TABLE gone;') ne 'done';
book('the table was dropped', 'pegs_sample, sealed', '42704', said($other, $paid));
book('the table was dropped', 'pegs_sample, perturbed, and pegs_rows', 'done', map { said($other, $_) } @read);
$other->close;
$f->finish;
