# Rentals: the hours of the day survive, nothing comes back before it went, as persons and through a view, too; a dump has the
# declarations and the models, and gives the same rows, whatever the zones of the sessions are. Laws L1, L6.
use strict;
use warnings;
use Test::More;
use PostgreSQL::Test::Utils;
use PegsLedger;

my $pegs = PegsLedger->new('parts');
my $node = $pegs->node;
my $file = $PostgreSQL::Test::Utils::tmp_check . '/parts.sql';

# Rented in two humps of the day, on Saturdays twice as often, brought back up to nine days later, or not at all.
$pegs->value(q{
	CREATE TABLE rental (id serial PRIMARY KEY, customer int NOT NULL, rented timestamptz NOT NULL, returned timestamptz, kind text CHECK (kind IN ('dvd', 'game')));
	SET timezone = 'America/New_York';
	INSERT INTO rental (customer, rented, returned, kind)
	SELECT i % 700, at, CASE WHEN i % 20 > 0 THEN at + (i * 7919 % 12960) * interval '1 minute' END, CASE WHEN extract(hour FROM at) < 14 THEN 'dvd' ELSE 'game' END
	FROM generate_series(1, 16000) AS i CROSS JOIN LATERAL (SELECT (date '2025-01-06' + i % 8 * (i / 8 % 2) + i % 7 + 7 * (i % 51))::timestamptz + (CASE WHEN i % 5 < 2 THEN 9 + i % 3 ELSE 18 + i % 4 END) * interval '1 hour' + i % 60 * interval '1 minute' AS at) AS t;
	SELECT pegs_set_bins('rental', 'rented', '2025-01-06', '2026-01-05', bins => 12, parts => '{week, weekday, hour}', undeclared => 'nearest');
	SELECT pegs_order('rental', 'rented', 'returned', '9 days', bins => 36), pegs_leave_out('rental', 'customer'), pegs_set_budget('rental', 100);
	SELECT pegs_fit('rentals', 'rental', epsilon => 1)});

# How far the shares of two tables are apart, in the zone of the shop, by what is looked at.
sub apart
{
	my ($what, $rows) = @_;
	return $pegs->value(qq{SET timezone = 'America/New_York'; SELECT round(sum(abs(coalesce(a.share, 0) - coalesce(b.share, 0))) / 2, 4) FROM
		(SELECT coalesce(($what)::text, '-') AS x, count(*)::numeric / (SELECT count(*) FROM rental) AS share FROM rental GROUP BY 1) AS a FULL JOIN
		(SELECT coalesce(($what)::text, '-') AS x, count(*)::numeric / (SELECT count(*) FROM $rows) AS share FROM $rows GROUP BY 1) AS b USING (x)});
}

$pegs->value('CREATE TABLE made AS SELECT * FROM pegs_sample_as(NULL::rental, \'rentals\', 16000)');
is($pegs->value('SELECT count(*) FROM made WHERE returned < rented'), '0', 'nothing comes back before it went: 0 of 16,000');
cmp_ok(apart('extract(hour FROM rented)', 'made'), '<', 0.03, 'hours of the day');
cmp_ok(apart('extract(isodow FROM rented)', 'made'), '<', 0.05, 'days of the week');
cmp_ok(apart("date_trunc('month', rented)", 'made'), '<', 0.1, 'months');
cmp_ok(apart('returned IS NULL', 'made'), '<', 0.02, 'what was not brought back');
cmp_ok(apart("extract(day FROM returned - rented)", 'made'), '<', 0.05, 'days that it was away');
cmp_ok($pegs->value(q{SELECT round(avg((kind = CASE WHEN extract(hour FROM rented AT TIME ZONE 'America/New_York') < 14 THEN 'dvd' ELSE 'game' END)::int), 2) FROM made}), '>', 0.9, 'what depends on the hour');
# in bins of days there is no hour left: what this is compared with
$pegs->value(q{CREATE TABLE days (LIKE rental INCLUDING ALL); INSERT INTO days SELECT * FROM rental; SELECT pegs_set_bins('days', 'rented', '2025-01-06', '2026-01-05', bins => 12, undeclared => 'nearest'), pegs_set_budget('days', 10);
	SELECT pegs_fit('days', 'days', ARRAY['rented', 'kind'], epsilon => 1); CREATE TABLE made_of_days AS SELECT * FROM pegs_sample_as(NULL::days, 'days', 16000)});
cmp_ok(apart('extract(hour FROM rented)', 'made_of_days'), '>', 0.5, 'without parts the hours are gone');

# ---- the clock goes forward: no time of that night is out of order, and each comes back as it was drawn ----
is($pegs->value(q{SET timezone = 'Asia/Tokyo'; SELECT count(*) FROM made WHERE extract(isodow FROM rented AT TIME ZONE 'America/New_York') NOT BETWEEN 1 AND 7 OR rented < '2025-01-06 00:00-05' OR rented > '2026-01-12 00:00-05'}),
	'0', 'inside the weeks that were declared');

# ---- persons, and a sealed model ----
$pegs->value(q{CREATE TABLE persons (LIKE rental INCLUDING ALL); INSERT INTO persons SELECT * FROM rental; SELECT pegs_declare('persons', pegs_facts('rental')), pegs_set_budget('persons', 100), pegs_set_unit('persons', 'customer', weighting => 'person');
	SELECT pegs_fit('persons', 'persons', epsilon => 3); SELECT pegs_fit('sealed', 'persons', parents => '{"returned - rented": ["kind"], "kind": ["rented.hour"]}')});
is($pegs->value("SELECT count(*) FILTER (WHERE returned < rented) FROM pegs_sample_as(NULL::persons, 'persons', 2000)"), '0', 'persons');
is($pegs->value("SELECT count(*) FILTER (WHERE returned < rented) FROM pegs_sample_as(NULL::persons, 'sealed', 100, 1)"), '0', 'a sealed model');
like($pegs->value("SELECT pegs_describe('rentals')"), qr/America\/New_York/, 'the zone is a fact of the model');
is($pegs->value("SELECT count(*) FROM pegs_trace('sealed', 1) WHERE column_name = 'rented.hour'"), '1', 'a trace goes by what is drawn') if $pegs->value("SELECT count(*) FROM pg_proc WHERE proname = 'pegs_trace' AND 'column_name' = ANY (proargnames)");

# ---- files, and a dump, into a session of another zone ----
$pegs->value(q{SELECT pegs_release('kept', 'rentals', 50); SELECT pegs_import('imported', pegs_export('rentals'))});
my $list = 'rented timestamptz, returned timestamptz, kind text';
my %same = (
	'declarations' => "SELECT pegs_facts('rental')",
	'domain' => "SELECT column_name, origin, n FROM pegs_domain('rental')",
	'description' => "SELECT pegs_describe('rentals')",
	'rows' => "SELECT * FROM pegs_sample('rentals', 100) AS t($list)",
	'rows of a file' => "SELECT * FROM pegs_sample('imported', 100) AS t($list)",
	'rows of a release' => "SELECT * FROM pegs_rows_as(NULL::rental, 'kept')");
my %before = map { $_ => $pegs->value("SET timezone = 'UTC'; $same{$_}") } keys %same;
like($before{declarations}, qr/"zone": "America\/New_York", "parts": \["week", "weekday", "hour"\]/, 'pegs_facts has parts');
like($before{declarations}, qr/"after": "rented"/, 'and the order');
command_ok([ 'pg_dump', '-d', $node->connstr('postgres'), '-f', $file ], 'pg_dump');
$node->safe_psql('postgres', 'CREATE DATABASE copy');
$node->safe_psql('postgres', "ALTER DATABASE copy SET timezone = 'Asia/Tokyo'");
command_ok([ 'psql', '-XAtq', '-v', 'ON_ERROR_STOP=1', '-d', $node->connstr('copy'), '-f', $file ], 'restored');
my $copy = bless { node => $node, db => 'copy' }, 'PegsLedger';
is($copy->value("SET timezone = 'UTC'; $same{$_}"), $before{$_}, "restored: $_") for sort keys %same;
$copy->value(q{SELECT pegs_adopt('rental', remaining => 5, reason => 'a test'); SELECT pegs_fit('again', 'rental', epsilon => 1)});
is($copy->value("SELECT count(*) FILTER (WHERE returned < rented) FROM pegs_sample_as(NULL::rental, 'again', 2000)"), '0', 'the copy is fitted again');
done_testing();
