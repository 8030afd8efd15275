# How often one statement pays. A call pays when its rows are first asked for, once; every further call in the text, and
# every outer row of a LATERAL, is a call of its own. B.3, A-24, A-25.
use strict;
use warnings;
use Test::More;
use PegsLedger;

my $pegs = PegsLedger->new('calls');
my $cost = 0.001;
my $f = $pegs->sample(n => 10, epsilon => $cost);
# The same with a column of the outer query in it, of changing and of constant value.
my $lateral = $pegs->sample(n => 'g % 3 + 1', epsilon => $cost, block => 10);
my $constant = $pegs->sample(n => 'g * 0 + 10', epsilon => $cost, block => 10);

$pegs->value("GRANT CREATE ON SCHEMA public TO analyst");
$pegs->analyst("CREATE VIEW v AS SELECT * FROM $f");

# number of charges, what, SQL, and what the SQL must print to show that it did what it says (nothing: nothing)
my @calls = (
	[ 1, 'FROM', "SELECT count(*) FROM $f", qr/^10$/ ],
	[ 1, 'pegs_sample_as in FROM', "SELECT count(*) FROM pegs_sample_as(NULL::visit, 'm', 10, $cost, 10)", qr/^10$/ ],
	[ 1, 'FROM, LIMIT 1', "SELECT 'row' FROM $f LIMIT 1", qr/^row$/ ],
	[ 1, 'FROM, WHERE that no row passes', "SELECT count(*) FROM $f WHERE ward = 'Z'", qr/^0$/ ],
	[ 1, 'inner side of a nested loop', "SET enable_hashjoin = off; SET enable_mergejoin = off; SET enable_material = off;
		SELECT count(*) > 0 FROM generate_series(1, 50) AS g, $f WHERE male = (g % 2 = 0) OR g > 1", qr/^t$/ ],
	[ 1, 'scalar subquery', "SELECT count((SELECT count(*) FROM $f)) FROM generate_series(1, 50)", qr/^50$/ ],
	[ 1, 'IN', "SELECT count(*) FROM generate_series(1, 50) AS g WHERE g > 0 AND 10 IN (SELECT count(*) FROM $f)", qr/^50$/ ],
	[ 1, 'EXISTS', "SELECT count(*) FROM generate_series(1, 50) AS g WHERE EXISTS (SELECT FROM $f)", qr/^50$/ ],
	[ 1, 'CTE used twice', "WITH s AS (SELECT * FROM $f) SELECT count(*) FROM s AS a CROSS JOIN s AS b", qr/^100$/ ],
	[ 1, 'CTE NOT MATERIALIZED used twice', "WITH s AS NOT MATERIALIZED (SELECT * FROM $f) SELECT count(*) FROM s AS a CROSS JOIN s AS b", qr/^100$/ ],
	[ 1, 'view', 'SELECT count(*) FROM v', qr/^10$/ ],
	[ 2, 'view used twice', 'SELECT count(*) FROM v AS a CROSS JOIN v AS b', qr/^100$/ ],
	[ 2, 'UNION ALL', "SELECT count(*) FROM (SELECT * FROM $f UNION ALL SELECT * FROM $f) AS u", qr/^20$/ ],
	[ 2, 'ROWS FROM', 'SELECT count(*) FROM ROWS FROM (' . join(', ', map { $pegs->call(n => 10, epsilon => $cost) . " AS ($PegsLedger::columns)" } 1, 2) . ') AS t(a, b, c, d)', qr/^10$/ ],
	[ 50, 'LATERAL', "SELECT count(*) > 50 FROM generate_series(1, 50) AS g, LATERAL $lateral", qr/^t$/ ],
	[ 50, 'LATERAL of constant value', "SELECT count(*) FROM generate_series(1, 50) AS g, LATERAL $constant", qr/^500$/ ],
	[ 50, 'correlated subquery', "SELECT count((SELECT count(*) FROM $lateral)) FROM generate_series(1, 50) AS g", qr/^50$/ ],
	[ 1, 'cursor, scrolled to and fro', "BEGIN; DECLARE c SCROLL CURSOR FOR SELECT 'row' FROM $f; FETCH 2 FROM c; MOVE ABSOLUTE 0 FROM c; FETCH 3 FROM c; CLOSE c; COMMIT", qr/^(row\n?){5}$/ ],
	[ 0, 'cursor that is not fetched', "BEGIN; DECLARE c CURSOR FOR SELECT * FROM $f; CLOSE c; COMMIT" ],
	[ 1, 'cursor WITH HOLD, not fetched: COMMIT runs it', "BEGIN; DECLARE c CURSOR WITH HOLD FOR SELECT 'row' FROM $f; COMMIT; FETCH 1 FROM c; CLOSE c", qr/^row$/ ],
	[ 1, 'FOR loop left after one row', "DO \$\$ DECLARE r record; BEGIN FOR r IN SELECT * FROM $f LOOP RAISE NOTICE 'row'; EXIT; END LOOP; END \$\$; SELECT 'row'", qr/^row$/ ],
	[ 1, 'CREATE TABLE AS', "CREATE TABLE made AS SELECT * FROM $f; SELECT count(*) FROM made", qr/^10$/ ],
	[ 0, 'CREATE TABLE AS WITH NO DATA', "CREATE TABLE empty AS SELECT * FROM $f WITH NO DATA; SELECT count(*) FROM empty", qr/^0$/ ],
	[ 1, 'INSERT', "INSERT INTO empty SELECT * FROM $f; SELECT count(*) FROM empty", qr/^10$/ ],
	[ 1, 'CREATE MATERIALIZED VIEW', "CREATE MATERIALIZED VIEW mv AS SELECT * FROM $f; SELECT count(*) FROM mv; SELECT count(*) FROM mv", qr/^10\n10$/ ],
	[ 1, 'REFRESH', "REFRESH MATERIALIZED VIEW mv; SELECT count(*) FROM mv", qr/^10$/ ],
	[ 1, 'COPY', "COPY (SELECT 'row' FROM $f) TO STDOUT", qr/^(row\n?){10}$/ ],
	[ 0, 'PREPARE', "PREPARE p AS SELECT count(*) FROM $f" ],
	[ 7, 'PREPARE, seven EXECUTEs', "PREPARE p(bigint) AS SELECT count(*) FROM " . $pegs->sample(n => '$1', epsilon => $cost, block => 10) . ';' . 'EXECUTE p(10);' x 7, qr/^(10\n?){7}$/ ],
	[ 0, 'EXPLAIN', "EXPLAIN SELECT * FROM $f", qr/Function Scan/ ],
	[ 0, 'EXPLAIN of a view', 'EXPLAIN (VERBOSE, COSTS) SELECT * FROM v', qr/Function Scan/ ],
	[ 1, 'EXPLAIN ANALYZE', "EXPLAIN (ANALYZE, TIMING OFF, SUMMARY OFF) SELECT * FROM $f", qr/actual rows=10/ ],
	[ 0, 'LIMIT 0', "SELECT * FROM $f LIMIT 0" ],
	[ 0, 'WHERE false', "SELECT * FROM $f WHERE false" ],
	[ 0, 'WHERE false, known at run time only', "SELECT * FROM $f WHERE now() < '2000-01-01'" ],
	[ 0, 'CREATE VIEW', "CREATE VIEW w AS SELECT * FROM $f" ],
	[ 1, 'in a parallel plan', "SET force_parallel_mode = on; SET debug_parallel_query = on; SELECT count(*) FROM $f", qr/^10$/ ],
	[ 1, 'pegs_release, read twice, in a join with itself',
		"\\o /dev/null\nSELECT pegs_release('once', 'm', 10, $cost, 10);\n\\o\n" . "SELECT count(*) FROM pegs_rows('once') AS a(ward text), pegs_rows('once') AS b(ward text);\n" x 2, qr/^100\n100$/ ],
);

for my $call (@calls)
{
	my ($times, $what, $sql, $shows) = @$call;
	my ($spent, $cap) = ($pegs->spent, $pegs->cap_spent);
	my ($out, $err) = $pegs->analyst($sql);
	my $number = $what =~ /EXPLAIN|PREPARE/ ? 'A-25' : 'A-24';

	like($out, $shows || qr/^$/, "$number $what: done") or diag($err);
	is(($pegs->spent - $spent) . ' ' . ($pegs->cap_spent - $cap), join(' ', (PegsLedger::units($times * $cost)) x 2), "$number $what: $times charged");
}

# In the select list a call is refused: it would pay for every outer row, unseen.
my $call = $pegs->call;
my $as = "pegs_sample_as(NULL::visit, 'm', 10, 0.1, 10)";
for my $sql ("SELECT $call", "SELECT $as", "SELECT ($as).*", "SELECT $as FROM generate_series(1, 3)",
	"SELECT count(*) FROM (SELECT $as OFFSET 0) AS s", "SELECT * FROM generate_series(1, 3) AS g, LATERAL (SELECT $as) AS s",
	"SELECT g, $as FROM generate_series(1, 2) AS g ORDER BY 1")
{
	$pegs->refuses("A-24 select list: $sql", '0A000', $sql);
}

# Labels that these counts rest on.
is($pegs->value("SELECT string_agg(DISTINCT provolatile::text || proparallel::text, ' ') FROM pg_proc
	WHERE proname IN ('pegs_sample', 'pegs_sample_as', 'pegs_release', 'pegs_fit', 'pegs_fit_state')"), 'vu',
	'A-23 whatever charges is VOLATILE and PARALLEL UNSAFE');

$pegs->node->stop;
done_testing();
