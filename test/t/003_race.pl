# Twenty sessions at once want what five can have: a budget, a share of it, or both. All wait at a door, which is opened
# when the last one stands there. Law L2; B.4-10.
use strict;
use warnings;
use Test::More;
use PegsLedger;

my $sessions = 20;
my $pegs = PegsLedger->new('race');
my $door = $pegs->background('postgres');

# Twenty run the SQL as the roles, in turn. Gives the sessions, ended.
sub race
{
	my ($sql, @roles) = @_;

	$door->query_safe('SELECT pg_advisory_lock(1)');
	my @all = map { $pegs->start_psql($roles[$_ % @roles],
			"SET client_min_messages = warning;\n\\o /dev/null\nSELECT pg_advisory_lock_shared(1);\n\\o\n" . $sql =~ s/NUMBER/$_/gr) } 1 .. $sessions;
	$pegs->node->poll_query_until($pegs->{db},
		"SELECT count(*) = $sessions FROM pg_locks WHERE locktype = 'advisory' AND NOT granted") or die 'not all came to the door';
	$door->query_safe('SELECT pg_advisory_unlock(1)');
	$pegs->finish($_) for @all;
	return @all;
}

# Five saw ten rows each and nothing else; fifteen saw nothing but the error.
sub five_win
{
	my ($name, @all) = @_;
	my @won = grep { $_->{out} =~ /^10$/m && $_->{err} eq '' } @all;
	my @lost = grep { $_->{out} eq '' && $_->{err} =~ /^[^\n]*ERROR:  53400\n?$/ } @all;

	is(scalar @won, 5, "$name: five got rows");
	is(scalar @lost, $sessions - 5, "$name: the others got 53400, and no row");
	return;
}

# The table `race` has budget for five calls of 0.1; everyone's share is larger than that.
$pegs->value("
	CREATE TABLE race (LIKE visit INCLUDING CONSTRAINTS);
	ALTER TABLE race OWNER TO curator;
	INSERT INTO race SELECT * FROM visit;
	SELECT pegs_set_budget('race', epsilon => 0.5);
	SELECT pegs_fit('r', 'race', parents => '{}');
	SELECT pegs_grant('r', 'analyst', epsilon => 100);
	CREATE ROLE second LOGIN;
	SELECT pegs_grant('r', 'second', epsilon => 100);");
five_win('B.4-10 a budget for five', race('SELECT count(*) FROM ' . $pegs->sample(model => 'r') . ';', 'analyst'));
is($pegs->spent('race'), PegsLedger::units(0.5), 'B.4-10 spent is the total');

# Two roles, in transactions that roll back.
$pegs->value("SELECT pegs_set_budget('race', epsilon => 1)");
five_win('B.4-10 two roles, rolling back',
	race('BEGIN; SELECT count(*) FROM ' . $pegs->sample(model => 'r') . '; ROLLBACK;', 'analyst', 'second'));
is($pegs->spent('race'), PegsLedger::units(1), 'B.4-10 two roles: spent is the total');
is($pegs->cap_spent('r', 'analyst') + $pegs->cap_spent('r', 'second'), PegsLedger::units(1), 'B.4-10 two roles: so are their shares together');

# Releases: five stay, with their rows.
$pegs->value("SELECT pegs_set_budget('race', epsilon => 1.5)");
five_win('B.4-10 releases', race("\\o /dev/null\nSELECT pegs_release('five_NUMBER', 'r', 10, 0.1, 10);\n\\o\n"
	. "\\if :ERROR\n\\else\nSELECT count(*) FROM pegs_rows('five_NUMBER') AS t($PegsLedger::columns);\n\\endif\n", 'analyst'));
is($pegs->spent('race'), PegsLedger::units(1.5), 'B.4-10 releases: spent is the total');
is($pegs->value("SELECT count(*) FROM pegs_releases"), 5, 'B.4-10 releases: five there are');

# Hundreds of charges that meet: two that read the same total would both get rows for one charge.
$pegs->value("SELECT pegs_set_budget('race', epsilon => 2);
	CREATE FUNCTION try(times int) RETURNS int LANGUAGE plpgsql AS \$\$
	DECLARE won int := 0;
	BEGIN
		FOR i IN 1 .. times LOOP
			BEGIN
				PERFORM FROM " . $pegs->sample(model => 'r', n => 1, epsilon => 0.001) . ";
				won := won + CASE WHEN FOUND THEN 1 ELSE 0 END;
			EXCEPTION WHEN configuration_limit_exceeded THEN NULL;
			END;
		END LOOP;
		RETURN won;
	END \$\$");
my $won = 0;
$won += $_->{out} for race('SELECT try(50);', 'analyst', 'second');
is($won, 500, 'B.4-10 a thousand tries on a budget for five hundred: five hundred got a row');
is($pegs->spent('race'), PegsLedger::units(2), 'B.4-10 a thousand tries: spent is the total');

# A share for five, of a budget for many.
$pegs->value("SELECT pegs_fit('shared', 'visit', parents => '{}'); SELECT pegs_grant('shared', 'analyst', epsilon => 0.5)");
my $spent = $pegs->spent;
five_win('B.4-10 a share for five', race('SELECT count(*) FROM ' . $pegs->sample(model => 'shared') . ';', 'analyst'));
is($pegs->cap_spent('shared'), PegsLedger::units(0.5), 'B.4-10 a share for five: all of it is spent');
is($pegs->spent - $spent, PegsLedger::units(0.5), 'B.4-10 a share for five: the budget went up by as much, no more');

# Fits of the curator race with each other as well.
$pegs->value("SELECT pegs_set_budget('race', epsilon => 2.5)");
race("\\o /dev/null\nSELECT pegs_fit('fit_NUMBER', 'race', epsilon => 0.1);\n", 'postgres');
is($pegs->value("SELECT count(*) FROM pegs_models WHERE name LIKE 'fit%'"), 5, 'B.4-10 fits: five models');
is($pegs->spent('race'), PegsLedger::units(2.5), 'B.4-10 fits: spent is the total');

# Every charge of all these has its line, or is a gap; together they are the account, without overlap.
is($pegs->value("SELECT count(*) FROM (SELECT epsilon_from, lag(epsilon_to, 1, 0::numeric) OVER (ORDER BY epsilon_to) AS before
	FROM pegs_ledger WHERE source = 'race'::regclass AND epsilon_to > epsilon_from) AS l WHERE epsilon_from <> before"), 0,
	'B.4-10 the intervals of the ledger touch and do not overlap');

$door->quit;
$pegs->node->stop;
done_testing();
