# A new user's first hour: the script that once showed, block by block, what turned people away (0.2.0, on tables of his own), with the
# remedy of each block. One psql session each, as typed; what is refused is refused with its way out, and nothing else fails.
use strict;
use warnings;
use Test::More;
use PostgreSQL::Test::Cluster;

my $node = PostgreSQL::Test::Cluster->new('first_hour');
$node->init;
$node->append_conf('postgresql.conf', 'autovacuum = off');
$node->start;

# What psql prints, and all that it says; it goes on after an error, as a terminal does.
sub typed
{
	my ($sql) = @_;
	my ($out, $err) = ('', '');
	$node->psql('postgres', $sql, stdout => \$out, stderr => \$err, on_error_stop => 0);
	$out =~ s/^\n+|\n+$//g;
	$out =~ s/\n{2,}/\n/g;
	return ($out, $err);
}

# All of it runs, and prints that.
sub shows
{
	my ($name, $sql, $wanted) = @_;
	my ($out, $err) = typed($sql);
	is(join(' ', $err =~ /ERROR:.*/g), '', "$name: no error");
	is($out, $wanted, $name) if defined $wanted;
	return $err;
}

# One statement of it is refused, by us with the way out.
sub refused
{
	my ($name, $sql, $error, $hint) = @_;
	my (undef, $err) = typed($sql);
	is(join(' ', $err =~ /ERROR:  (.*)/g), $error, "$name: refused");
	like($err, $hint, "$name: the way out") if $hint;
	return;
}

# ---- 1: point masses keep their share ----
shows('1: 90 % zeros', q{
	CREATE EXTENSION pegs;
	CREATE TABLE z (x float8 NOT NULL, y numeric NOT NULL);
	INSERT INTO z SELECT v, v FROM (SELECT CASE WHEN i % 10 = 0 THEN i ELSE 0 END AS v FROM generate_series(1, 2000) i) s;
	SELECT pegs_set_bins('z', 'x', '{0,0.01,500,1000,2001}', points => '{0}'), pegs_set_bins('z', 'y', '{0,1,500,1000,2001}', points => '{0}'), pegs_set_budget('z', 20) \g /dev/null
	SELECT pegs_fit('z', 'z', epsilon => 10) \g /dev/null
	SELECT abs(avg((x = 0)::int) - 0.9) < 0.01, abs(avg((y = 0)::int) - 0.9) < 0.01, max(x) > 1000 FROM pegs_sample('z', 2000) AS t (x float8, y numeric)}, 't|t|t');

like(shows('1: a column that is nearly all zeros, learnt', q{
	CREATE TABLE cost (a int, b int, c int NOT NULL);
	INSERT INTO cost SELECT 0, CASE WHEN i % 50 = 0 THEN i * 100 ELSE 0 END, 0 FROM generate_series(1, 2000) i;
	SELECT pegs_set_budget('cost', 1000) \g /dev/null
	SELECT pegs_learn('cost', 300) \g /dev/null
	SELECT column_name, levels[1], levels[cardinality(levels)] FROM pegs_domain('cost') WHERE column_name = 'b' AND '0' = ANY (levels);
	SELECT pegs_learn_range('cost', 'a', 1) FROM generate_series(1, 8) \g /dev/null
	SELECT pegs_learn_range('cost', 'b', 300) \g /dev/null}),	# of noise alone a range is seen now and then: not eight times
	qr/3 of 3 columns were learnt.*nothing but 0 stood out of the noise in: "a", "c"\nDETAIL: .*HINT: .*pegs_learn_range\('public\.cost', 'a', epsilon => 300\).*nothing but 0 stood out of the noise in: "a"\nDETAIL: .*HINT: .*epsilon => 2\).*"b" lies between((?!nothing but 0).)*\z/s,
	'1: which columns have lost their means, and what to do, are said');

# ---- 2: what the catalog knows is taken ----
shows('2: the catalog', q{
	CREATE TABLE place (code text PRIMARY KEY);
	INSERT INTO place VALUES ('A'), ('B');
	CREATE TABLE p (id serial PRIMARY KEY, age int NOT NULL CHECK (age BETWEEN 0 AND 120), score numeric(5,2) CHECK (score >= 0 AND score <= 100),
		code text NOT NULL REFERENCES place, person int NOT NULL, a int NOT NULL CHECK (a IN (0,1)), b int GENERATED ALWAYS AS (a * 2) STORED);
	INSERT INTO p (age, score, code, person, a) SELECT i % 90, i % 100, CASE WHEN i % 3 = 0 THEN 'A' ELSE 'B' END, i % 200, i % 2 FROM generate_series(1, 2000) i;
	SELECT column_name, problem FROM pegs_domain('p') WHERE problem IS NOT NULL}, "id|it is a key\ncode|it is a reference to table \"place\"\nperson|no declared domain");
shows('2: a remedy runs', q{
	SELECT remedy FROM pegs_domain('p') WHERE column_name = 'code' \gexec
	SELECT levels FROM pegs_domain('p') WHERE column_name = 'code'}, '{A,B}');
like(shows('2: a key and the unit are left out, and not in the way', q{
	SELECT pegs_set_unit('p', 'person', 10), pegs_set_budget('p', 5, 1e-6, 'sum') \g /dev/null
	SELECT pegs_fit('m', 'p', epsilon => 1) \g /dev/null
	SELECT pegs_row_type('m')}, 'age integer, score numeric(5,2), code text, a integer, b integer'),
	qr/the noise of every table of a fit is now 10 times that of one row\nHINT: .*pegs_unit_cost.*"id" is a key and is left out.*"person" is the privacy unit and is left out/s,
	'2: and that is said; so is what max_rows costs');
# a foreign key may say whose rows they are; not one whose levels are declared, nor where a unit is
like(shows('2: a key of another table, without a unit', q{
	CREATE TABLE guest (id int PRIMARY KEY);
	CREATE TABLE stay (nights int NOT NULL CHECK (nights IN (1, 2)), guest int NOT NULL REFERENCES guest);
	SELECT pegs_set_budget('stay', 5) \g /dev/null
	SELECT pegs_fit('stay', 'stay', epsilon => 1) \g /dev/null}),
	qr/NOTICE:  rows of public\.stay are protected one by one, not all rows of one "guest"\nHINT: .*pegs_set_unit\('public\.stay', 'guest', weighting => 'person'\)/, '2: whose rows are protected is said');
unlike(shows('2: the same, with a unit', q{SELECT pegs_set_unit('stay', 'guest', weighting => 'person') \g /dev/null
	SELECT pegs_fit('stay 2', 'stay', epsilon => 1) \g /dev/null}), qr/one by one/, '2: nor where persons are');
unlike(shows('2: the same, of a root', q{CREATE TABLE tenant (id int PRIMARY KEY, guest int REFERENCES guest, sort int NOT NULL CHECK (sort IN (1, 2)));
	CREATE TABLE lease (id int PRIMARY KEY, tenant int NOT NULL REFERENCES tenant, sort int NOT NULL CHECK (sort IN (1, 2)));
	SELECT pegs_set_budget('tenant', 5), pegs_set_parent('lease', 'tenant') \g /dev/null
	SELECT pegs_fit('tenant', 'tenant', epsilon => 1) \g /dev/null}), qr/one by one/, '2: nor of a table whose rows are the unit: what it would say is refused');
# a bound table's unit is its root's row, a unit's is declared; by a key to the table itself some row is nobody's
unlike(shows('2: the same, of a bound table and of one with a unit, described', q{
	CREATE TABLE adm (id int PRIMARY KEY, tenant int NOT NULL REFERENCES tenant, prev int REFERENCES lease, sort int NOT NULL CHECK (sort IN (1, 2)));
	SELECT pegs_set_parent('adm', 'tenant', children => '{0, 1, 2}', at_most => 2) \g /dev/null
	SELECT pegs_spec('adm', ARRAY['sort']) \g /dev/null
	SELECT pegs_spec('stay', ARRAY['nights']) \g /dev/null}), qr/one by one/, '2: nor of a bound table, nor by pegs_spec where a unit is');
unlike(shows('2: the same, of a bound table whose key has two columns, described', q{
	CREATE TABLE pair (a int, b int, sort int NOT NULL CHECK (sort IN (1, 2)), PRIMARY KEY (a, b));
	CREATE TABLE item (id int PRIMARY KEY, a int NOT NULL, b int NOT NULL, guest int REFERENCES guest, sort int NOT NULL CHECK (sort IN (1, 2)), FOREIGN KEY (a, b) REFERENCES pair);
	SELECT pegs_set_parent('item', 'pair', children => '{0, 1, 2}', at_most => 2) \g /dev/null
	SELECT pegs_spec('item', ARRAY['sort']) \g /dev/null}), qr/one by one/, '2: nor there');
unlike(shows('2: a key to the table itself', q{
	CREATE TABLE emp (id int PRIMARY KEY, boss int REFERENCES emp, sort int NOT NULL CHECK (sort IN (1, 2)));
	SELECT pegs_set_budget('emp', 5) \g /dev/null
	SELECT pegs_fit('emp', 'emp', epsilon => 1) \g /dev/null}), qr/one by one/, '2: it is not proposed');
my $rows = shows('2: another key behind it, row by row', q{
	CREATE TABLE memo (id int PRIMARY KEY, re int REFERENCES memo, guest int REFERENCES guest, sort int NOT NULL CHECK (sort IN (1, 2)));
	INSERT INTO memo SELECT i, NULL, NULL, 1 FROM generate_series(1, 5) AS i;
	SELECT pegs_agg(pegs_spec('memo', ARRAY['sort']), sort) FROM memo \g /dev/null});
like($rows, qr/one "guest"\nHINT: .*pegs_set_unit\('public\.memo', 'guest'/, '2: the other one is');
is(scalar(() = $rows =~ /one by one/g), 1, '2: and once');
shows('2: a generated column is computed in every row', q{SELECT count(*), count(*) FILTER (WHERE b = a * 2), count(DISTINCT a) FROM pegs_sample('m', 1000) AS t (a int, b int)}, '1000|1000|2');
like(shows('2: another unit after a charge', q{SELECT pegs_set_unit('p', NULL) \g /dev/null
	SELECT mixed_units FROM pegs_budgets WHERE source = 'p'::regclass}), qr/NOTICE:  the privacy unit of public\.p changes after charges were made/, '2: which is said');

# what was declared by hand, in the words of the script, and given back
shows('2: declared by hand', q{SELECT pegs_set_bins('p', 'age', '{0,20,40,60,80,121}'), pegs_set_bins('p', 'score', '{0,50,100}'),
	pegs_set_levels('p', 'code', lookup => 'place', lookup_column => 'code'), pegs_set_levels('p', 'b', levels => '{0,2}')}, '|||');
refused('2: levels with NULL', q{SELECT pegs_set_levels('p', 'b', levels => levels) FROM pegs_domain('p') WHERE column_name = 'b'},
	'levels must not hold a null', qr/HINT:  Leave the null out\. \(NULL is a level by itself/);
shows('2: facts are given back, to the table of another year', q{
	CREATE TABLE p27 (LIKE p INCLUDING ALL);
	SELECT pegs_declare('p27', pegs_facts('p')) \g /dev/null
	SELECT pegs_facts('p27') = pegs_facts('p'), jsonb_object_keys(pegs_facts('p27') -> 'columns') ORDER BY 2}, "t|age\nt|b\nt|code\nt|score");

# levels of its own are for a model that cannot compute it (docs/reference.md, pegs_set_derived)
like(shows('2: a generated column that has levels', q{SELECT pegs_set_levels('p', 'b', levels => '{0,2}') \g /dev/null
	SELECT pegs_declare('p', '{"columns": {"b": [0, 2]}}') \g /dev/null
	SELECT pegs_fit('two', 'p', ARRAY['a', 'b'], epsilon => 0.02) \g /dev/null
	SELECT a, b FROM pegs_sample('two', 1000) AS t (a int, b int) GROUP BY 1, 2 ORDER BY 1;
	SELECT pegs_drop('two') \g /dev/null}, "0|0\n1|2"),
	qr/(.*NOTICE:  column "b" is generated: a model that draws what it is computed from computes it, whatever is declared\nHINT:.*(?:\n|$)){2}/, '2: that it is computed is said');
shows('2: one whose levels are taken back', q{SELECT pegs_unset('p', 'b') \g /dev/null
	SELECT pegs_fit('two', 'p', ARRAY['a', 'b'], epsilon => 0.02) \g /dev/null
	SELECT a, b FROM pegs_sample('two', 1000) AS t (a int, b int) GROUP BY 1, 2 ORDER BY 1}, "0|0\n1|2");

# ---- 3: literals as people type them ----
shows('3: numbers, dates, no n', q{
	SELECT pegs_set_bins('p', 'age', ARRAY[0, 20, 121]), pegs_set_levels('p', 'a', ARRAY[0, 1]), pegs_set_lookup('p', 'code', 'place', 'code') \g /dev/null
	SELECT levels FROM pegs_domain('p') WHERE column_name = 'age';
	SELECT pegs_release('r', 'm') \g /dev/null
	SELECT count(*) BETWEEN 1 AND 100000 FROM pegs_rows_as(NULL::p, 'r');
	SELECT count(*) > 0 FROM pegs_sample_as(NULL::p, 'm')}, "{\"[0, 20)\",\"[20, 121]\"}\nt\nt");

# ---- 4: rows load; parts of a table ----
refused('4: keys that are NULL', q{CREATE TABLE p2 (LIKE p INCLUDING ALL);
	INSERT INTO p2 (id, age, score, code, person, a) SELECT id, age, score, code, 1, a FROM pegs_sample_as(NULL::p, 'm', 3)},
	'null value in column "id" of relation "p2" violates not-null constraint');
shows('4: rows load', q{
	INSERT INTO p2 (id, age, score, code, person, a) SELECT id, age, score, code, person, a FROM pegs_sample_as(NULL::p, 'm', 300, options => '{"keys": "number"}');
	SELECT min(id), max(id), count(*), bool_and(b = a * 2) FROM p2}, '1|300|300|t');
like(shows('4: parts of a table pay from one account, and add up (a table of the new month alone has one of its own: docs/faq.md)', q{
	CREATE TABLE ev (m date NOT NULL, kind text NOT NULL CHECK (kind IN ('a','b'))) PARTITION BY RANGE (m);
	CREATE TABLE ev1 PARTITION OF ev FOR VALUES FROM ('2026-01-01') TO ('2026-02-01');
	CREATE TABLE ev2 PARTITION OF ev FOR VALUES FROM ('2026-02-01') TO ('2026-03-01');
	INSERT INTO ev SELECT '2026-01-01'::date + i % 59, 'a' FROM generate_series(1, 1000) i;
	SELECT pegs_set_budget('ev', 3) \g /dev/null
	SELECT pegs_fit('e1', 'ev1', '{kind}', epsilon => 1), pegs_fit('e2', 'ev2', '{kind}', epsilon => 1) \g /dev/null
	SELECT source, spent FROM pegs_budgets WHERE source = 'ev'::regclass}, 'ev|2'), qr/^((?!WARNING).)*$/s, '4: without a warning');

# ---- 5: what a fit that is cancelled costs ----
shows('5: a table whose fit takes long', q{
	CREATE TABLE big (x text NOT NULL, y text NOT NULL, z int NOT NULL);
	INSERT INTO big SELECT 'v' || i % 60, 'v' || i % 59, i % 90 FROM generate_series(1, 200000) i;
	SELECT pegs_set_levels('big', c, levels => (SELECT array_agg('v' || i) FROM generate_series(0, 3400) i)) FROM (VALUES ('x'::name), ('y'::name)) v(c) \g /dev/null
	SELECT pegs_set_bins('big', 'z', (SELECT array_agg(i) FROM generate_series(0, 90) i)), pegs_set_budget('big', 5, 1e-6, 'sum') \g /dev/null});
# it may end in time, or before the charge, or after it: what it says and what it cost agree
my $spent = 0;
for my $ms (1500, 300, 100, 10)
{
	my ($out, $err) = typed(qq{SET statement_timeout = '${ms}ms'; SELECT pegs_fit('b$ms', 'big', epsilon => 1, delta => 1e-9) \\g /dev/null
		RESET statement_timeout; SELECT coalesce((SELECT spent FROM pegs_budgets WHERE source = 'big'::regclass), 0), (SELECT count(*) FROM pegs_models WHERE name = 'b$ms'),
		(SELECT count(*) FROM pegs_ledger WHERE source = 'big'::regclass AND action = 'fit')});
	my $cancelled = $err =~ /ERROR:  canceling statement due to statement timeout/;
	my $said = $err =~ /charged to table/;
	$spent++ if !$cancelled || $said;
	is($out, "$spent|" . ($cancelled ? 0 : 1) . "|$spent", "5: after $ms ms: " . (!$cancelled ? 'it ended, and is charged' : $said ? 'charged, and says so' : 'cancelled, and not charged'));
}

# ---- 7: rights ----
shows('7: an owner who has no right yet', q{CREATE ROLE fresh_owner; CREATE TABLE ft (a boolean); ALTER TABLE ft OWNER TO fresh_owner});
refused('7: before pegs_allow', q{SET ROLE fresh_owner; SELECT pegs_set_budget('ft', 1)}, 'permission denied for function pegs_set_budget');
shows('7: arithmetic is anybody\'s', q{SET ROLE fresh_owner; SELECT estimate FROM pegs_combine(ARRAY[1.0,2], ARRAY[0.1,0.1])}, '1.5');
shows('7: pegs_allow', q{
	SELECT pegs_allow('fresh_owner') \g /dev/null
	SET ROLE fresh_owner;
	SELECT pegs_set_budget('ft', 1) \g /dev/null
	SELECT pegs_fit('own', 'ft', epsilon => 1) \g /dev/null
	SELECT spent FROM pegs_budgets WHERE source = 'ft'::regclass}, '1');

$node->stop;
done_testing();
