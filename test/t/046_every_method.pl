# long: begins first, as it takes longest; run by make test-all (test/run long), not by make test
# What every method must do at the level of SQL, asked of each that the server has: a method that is added is asked all of it
# without a line here. States, audits, cancels, refunds, dumps, small tables. Laws L2, L6, L7.
#
# PegsMethods.pm finds out which methods there are, how each is called, and what it is paid for.
use strict;
use warnings;
use Test::More;
use Time::HiRes qw(time);
use PostgreSQL::Test::Utils;
use PegsCrash;
use PegsLedger;
use PegsMethods;

# four thousand times somebody does something: nothing here is of a session's first statement
$PegsLedger::stays = 1;
$PegsSession::most = 4;
my $pegs = PegsLedger->new('every_method', conf => "max_prepared_transactions = 2\njit = off\n$PegsCrash::conf");
my $node = $pegs->node;
$pegs->value("SELECT pegs_allow('curator')");
my @methods = PegsMethods->all($pegs);
my $calm = "\\set VERBOSITY default\nSET client_min_messages = warning;\n";
my $columns = $PegsLedger::columns;
my $rows = q{SELECT substr('ABCD', 1 + i % 4, 1), i % 3 = 0 FROM generate_series(1, 40) AS i};

for my $what ('fit', 'sample') { cmp_ok(scalar(grep { $_->{pays} eq $what } @methods), '>', 0, "some method is paid by the $what") }
my %shown = (fit => qr/^differential privacy$/, sample => qr/^each sample pays$/, nothing => qr/^none/);
like($_->{shown}, $shown{ $_->{pays} }, "$_->{name}: pegs_models says what pegs_describe says") for @methods;

# A table of the curator's with a budget; columns as in visit, if no others are given.
sub table
{
	my ($name, $query, $like) = @_;

	$pegs->value("CREATE TABLE $name " . ($like || '(LIKE visit INCLUDING ALL)') . "; ALTER TABLE $name OWNER TO curator;
		INSERT INTO $name $query; SELECT pegs_set_budget('$name', epsilon => 1000, delta => 1e-6, accounting => 'sum')");
	return $name;
}

# For the analyst to read, if it has a guarantee.
sub grant
{
	my ($m, $model) = @_;

	$pegs->value("SELECT pegs_grant('$model', 'analyst'" . ($m->{pays} eq 'sample' ? ', epsilon => 1000' : '') . ')') if $m->{pays} ne 'nothing';
	return;
}

sub curators { my ($sql) = @_; return $pegs->as('curator', $calm . $sql) }
sub there { my ($name) = @_; return $pegs->value("SELECT count(*) FROM pegs_internal.name WHERE name = '$name'") }
sub units { my ($epsilon) = @_; return PegsLedger::units($epsilon) }

# Lines and gaps of an account's ledger add up to what is spent.
sub adds_up
{
	my ($name, $table) = @_;

	is($pegs->value("SELECT coalesce(sum(epsilon_to - epsilon_from), 0) = (SELECT spent FROM pegs_budgets WHERE source = '$table'::regclass) FROM pegs_ledger
		WHERE source = '$table'::regclass"), 't', "$name: the ledger adds up to what is spent");
	return;
}

# ---- states: counted in parallel or not, the same bytes; and a model ----

{
	# each part is counted by itself, so that there is something to combine, however soon a worker comes
	my $parts = join '; ', map { "CREATE TABLE counted$_ PARTITION OF counted FOR VALUES IN ('$_') WITH (parallel_workers = 3)" } 'x' .. 'z';
	my $table = table('counted', q{SELECT (ARRAY['x', 'y', 'z'])[1 + i % 3], i % 7 < 3, nullif(i % 5, 4) FROM generate_series(1, 100000) AS i},
		qq{(a text NOT NULL CHECK (a IN ('x', 'y', 'z')), b boolean NOT NULL, c int CHECK (c IN (0, 1, 2, 3))) PARTITION BY LIST (a); $parts});
	my @parents = (parents => q{'{"b": ["a"], "c": ["a", "b"]}'});
	my $parallel = 'SET max_parallel_workers_per_gather = 3; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0; SET enable_partitionwise_aggregate = on;';

	$pegs->value("ANALYZE counted;
		CREATE FUNCTION unmasked(bytea) RETURNS bytea LANGUAGE c STRICT AS '\$libdir/pegs', 'pegs_unmasked'");
	for my $m (@methods)
	{
		my ($id, $name) = @$m{qw(id name)};
		my ($fitted, $counted) = ("$id fitted", "$id counted");
		my (undef, $err) = curators('SELECT ' . $m->fit($fitted, $table, @parents));
		is($err, '', "$name: a fit of 100,000 rows");
		# pegs_describe itself is not for workers
		my $agg = 'SELECT pegs_agg(' . PegsMethods::quoted($pegs->value("SELECT pegs_describe('$fitted') ->> 'spec'")) . ', a, b, c) AS state FROM counted';

		like($pegs->value("$parallel EXPLAIN (ANALYZE, COSTS OFF) $agg"), qr/Finalize Aggregate.*Workers Launched: [1-9].*(Partial Aggregate.*){3}/s, "$name: workers count, part by part");
		$pegs->value("$parallel CREATE TABLE ${id}_parallel AS $agg; SET max_parallel_workers_per_gather = 0; CREATE TABLE ${id}_serial AS $agg");
		is($pegs->value("SELECT p.state::text = s.state::text, length(p.state::text) > 100 FROM ${id}_parallel AS p, ${id}_serial AS s"), 't|t', "$name: they count the same bytes");

		$pegs->value("GRANT SELECT ON ${id}_parallel TO curator");
		(undef, $err) = curators('SELECT ' . $m->fit_state($counted, $table, "(SELECT state FROM ${id}_parallel)", @parents));
		if ($err =~ /ERROR:  method .* reads the rows more than once here: a state has none.*HINT:/s)
		{
			is(there($counted), 0, "$name: a state is not enough, and no model is made");
			next;
		}
		is($err, '', "$name: a fit of the state");
		my $public = "SELECT (SELECT string_agg(key, ',' ORDER BY key) FROM jsonb_object_keys(d - 'read') AS key), d - ARRAY(SELECT key FROM jsonb_object_keys(d) AS key
			WHERE key NOT IN ('object', 'kind', 'mechanism', 'guarantee', 'neighbours', 'unit', 'public', 'spec', 'epsilon', 'delta', 'accounting', 'budget')) FROM pegs_describe('%s') AS d";
		is($pegs->value(sprintf $public, $counted), $pegs->value(sprintf $public, $fitted), "$name: it is described as that of the table is");
		is($pegs->value("SELECT string_agg(counts, ', ' ORDER BY name) FROM pegs_models WHERE name IN ('$fitted', '$counted')"),
			'given by the curator, read by pegs_fit', "$name: but for whose counts they are");
		is($pegs->value("SELECT count(*) FROM pegs_sample('$counted', 20" . $m->paid(20) . ') AS t(a text, b boolean, c int)'), 20, "$name: and gives rows");
		next if $m->{pays} eq 'fit';
		my $body = "SELECT unmasked(body) FROM pegs_internal.body WHERE model = (SELECT id FROM pegs_internal.model WHERE name = '%s')";
		is($pegs->value(sprintf $body, $counted), $pegs->value(sprintf $body, $fitted), "$name: without noise, it is the same model");
	}
	adds_up('states', $table);
}

# ---- what an audit measures is never more than what was charged ----

# An empty table is where a sample's cost is all that it may be.
for my $table (table('audited', $rows), table('audited_empty', "$rows LIMIT 0"))
{
	for my $m (@methods)
	{
		for my $delta ($m->{delta} ? (0, 1e-9) : 0)
		{
			my $what = "audit of $m->{name}, table $table, delta $delta";
			my ($model, $said) = ("$m->{id} $table $delta", '');
			my $charged = -$pegs->spent($table);
			my $of_delta = "SELECT delta_spent FROM pegs_budgets WHERE source = '$table'::regclass";
			my $delta_before = $pegs->value($of_delta);

			curators('SELECT ' . $m->fit($model, $table, $delta ? (delta => $delta) : ()));
			curators('SELECT count(*) FROM ' . $m->sample($model, 1) . " AS t($columns)") if $m->{pays} eq 'sample';
			$charged += $pegs->spent($table);
			if ($m->{pays} eq 'nothing')
			{
				my (undef, $err) = curators("SELECT * FROM pegs_audit('$model', 100)");
				like($err, qr/ERROR:  model "\Q$model\E" has no guarantee.*HINT:/s, "$what: refused");
				is($charged, 0, "$what: nothing was charged");
				is(scalar(curators("SELECT pegs_describe('$model') ->> 'guarantee'")), 'none', "$what: it says that it has no guarantee");
				next;
			}
			like(scalar(curators("SELECT pegs_describe('$model') ->> 'guarantee'")), qr/private/, "$what: it says a guarantee");
			cmp_ok($charged, '>', 0, "$what: it was paid");
			is($pegs->value("SELECT ($of_delta) - $delta_before = $delta"), 't', "$what: with its delta");
			my $argument = $m->{pays} eq 'sample' ? ", epsilon => $PegsMethods::sample_epsilon" : '';
			my ($audit, $err) = curators("SELECT holds, reason IS NULL, round(epsilon_claimed * 1000000000), exact_epsilon > 0, exact_epsilon * 1000000000 <= $charged * 1.000000001,
				lower_bound * 1000000000 <= $charged FROM pegs_audit('$model', 200$argument)");
			is($audit . $err, "t|t|$charged|t|t|t", "$what: no more than was charged");
		}
	}
}

# ---- cancelled ----

# Read so slowly that no fit comes to an end; and columns enough that computing takes a while.
{
	my $endless = table('endless', q{SELECT substr('xy', 1 + i % 2, 1), i % 3 = 0 FROM generate_series(1, 100000) AS i}, '(a text NOT NULL, b boolean NOT NULL)');
	$pegs->value(q{CREATE VIEW endlessly AS SELECT left(md5(repeat(a, 20000000)), 1) AS a, b FROM endless; ALTER VIEW endlessly OWNER TO curator;
		SELECT pegs_set_levels('endlessly', 'a', ARRAY['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f'])});
	my $wide = table('wide', 'SELECT ' . join(', ', map { "(i * $_ + i / $_) % 16" } 1 .. 60) . ' FROM generate_series(1, 3000) AS i',
		'(' . join(', ', map { "c$_ int NOT NULL CHECK (c$_ IN (" . join(', ', 0 .. 15) . '))' } 1 .. 60) . ')');
	my $read = table('sampled', $rows);
	my $goes_on = ";\nSELECT 'goes on'";

	# A fit that was cancelled: what is said, nothing is charged, its name is free, the session goes on.
	my $nothing_of = sub {
		my ($what, $table, $spent, $out, $err) = @_;
		is(join(' ', $err =~ /ERROR:  (\w+)/g), '57014', "$what: 57014");
		like($out, qr/^goes on$/, "$what: the session goes on");
		is($pegs->spent($table) . ' ' . there('x'), "$spent 0", "$what: nothing charged, no model");
	};

	for my $m (@methods)
	{
		my $name = $m->{name};
		my $fit = 'SELECT ' . $m->fit('x', 'endlessly');
		my $busy = "FROM pg_stat_activity WHERE usename = 'curator' AND state = 'active' AND query LIKE '%pegs_fit%'";
		my $spent = $pegs->spent('endless');

		for my $ms ($m->{form} ? (3, 30) : (1, 3, 10, 30, 100))
		{
			my ($out, $err) = $pegs->as('curator', "SET client_min_messages = error; BEGIN; SET LOCAL statement_timeout = $ms;\n$fit; ROLLBACK$goes_on");
			$nothing_of->("fit of $name, $ms ms", 'endless', $spent, $out, $err);
		}
		my $p = $pegs->start_psql('curator', "SET client_min_messages = error;\n$fit$goes_on;");
		$node->poll_query_until('postgres', "SELECT count(*) = 1 $busy") or die 'the fit was not seen';
		$pegs->value("SELECT pg_cancel_backend(pid) $busy");
		$pegs->finish($p);
		$nothing_of->("fit of $name, reading", 'endless', $spent, $p->{out}, $p->{err});

		# all is computed, nothing is charged: it waits for where its model goes
		my $holder = $pegs->background('postgres');
		$spent = $pegs->spent;
		$holder->query_safe('BEGIN; LOCK TABLE pegs_internal.model IN SHARE MODE');
		$p = $pegs->start_psql('curator', "SET client_min_messages = error;\nSELECT " . $m->fit('x', 'visit') . "$goes_on;");
		$node->poll_query_until('postgres', "SELECT count(*) = 1 $busy AND wait_event_type = 'Lock'") or die 'it does not wait';
		$pegs->value("SELECT pg_cancel_backend(pid) $busy");
		$pegs->finish($p);
		$holder->query_safe('ROLLBACK');
		$holder->quit;
		$nothing_of->("fit of $name, before the charge", 'visit', $spent, $p->{out}, $p->{err});

		# Wherever it is in computing: ended with nothing, or done and paid; after the charge, charged whole.
		my @few;
		my $start = time;
		my (undef, $refused) = $m->{narrow} ? ('', '') : curators('SELECT ' . $m->fit('whole', 'wide'));
		if ($m->{narrow} || $refused =~ /too large to count|at most \d columns/)
		{
			# a table of all columns: a million cells, then
			@few = (columns => q{'{c1,c2,c3,c4,c5}'});
			$start = time;
			(undef, $refused) = curators('SELECT ' . $m->fit('whole', 'wide', @few));
		}
		is($refused, '', "fit of $name: a whole one");
		my $took = time - $start;
		my $whole = units($m->price('fit'));
		my ($stops, @wrong, @unsaid) = (0);
		# one that has become faster since comes to its end: then sooner
		my @ms = map { int(1 + 1000 * $took * $_ / 6) } 5, 4, 3, 2, 1;
		push @ms, int($ms[-1] / 2 ** $_) || 1 for 1 .. 20;
		while (@ms > ($m->{form} ? 22 : 20) || ($stops == 0 && @ms))
		{
			my $ms = shift @ms;
			$spent = $pegs->spent('wide');
			my (undef, $err) = curators("SET statement_timeout = $ms;\n\\set SHOW_CONTEXT errors\nSELECT " . $m->fit('x', 'wide', @few));
			my $charged = $pegs->spent('wide') - $spent;
			my $model = there('x');
			my $stopped = $err =~ /canceling statement due to statement timeout/;
			$stops += $stopped ? 1 : 0;
			my $said = $err =~ / charged to table "wide"/;
			push @wrong, "$ms ms: charged $charged, models $model, $err"
				unless $stopped ? $model == 0 && ($charged == $whole || ($charged == 0 && !$said)) : $model == 1 && $charged == $whole && $err eq '';
			# the statement goes on for some microseconds when the fit has ended; twice is no chance
			push @unsaid, "$ms ms" if $stopped && $charged > 0 && !$said;
			$pegs->value("SELECT pegs_drop('x')") if $model;
		}
		cmp_ok($stops, '>', 0, "fit of $name, computing: some were ended");
		is("@wrong", '', "fit of $name, computing: ended and not charged, or charged");
		cmp_ok(scalar @unsaid, '<=', 1, "fit of $name, computing: what was charged is said") or diag("@unsaid");
		my (undef, $err) = curators('SELECT ' . $m->fit('x', 'visit') . "; SELECT pegs_drop('x'); SELECT pegs_drop('whole')");
		is($err, '', "fit of $name: after all that the name is free");
	}
	adds_up('cancelled fits', $_) for 'endless', 'wide', 'visit';

	# Samples: so many rows that drawing them does not end; then few, and more are sent than anyone will read.
	for my $m (@methods)
	{
		my ($name, $reader) = @$m{qw(name reader)};
		my $price = units($m->price('sample'));
		my $endlessly = 'COPY (SELECT t.* FROM ' . $m->sample('x', 1000) . " AS t($columns), generate_series(1, 1000000)) TO STDOUT;\n";
		my $busy = "FROM pg_stat_activity WHERE usename = '$reader' AND state = 'active' AND query LIKE 'COPY%'";
		my $row = qr/^[ABCD]\t[tf]$/m;	# of text that COPY sends

		curators('SELECT ' . $m->fit('x', $read));
		grant($m, 'x');
		for my $ms (1, 30, 200, 600)
		{
			my $spent = $pegs->spent($read);
			my ($out, $err) = $pegs->as($reader, "\\set VERBOSITY verbose\nSET client_min_messages = error; BEGIN; SET LOCAL statement_timeout = $ms;
				SELECT count(*) FROM " . $m->sample('x', 50_000_000) . " AS t($columns); ROLLBACK; SELECT 'goes on'");
			my $charged = $pegs->spent($read) - $spent;
			like($err, qr/ERROR:  57014: /, "sample of $name, $ms ms: 57014");
			is($out, 'goes on', "sample of $name, $ms ms: no row, the session goes on");
			is($charged, $err =~ /^(CONTEXT:  )?epsilon \S+ was charged to table "$read"/m ? $price : 0, "sample of $name, $ms ms: charged if and only if the error says so, and whole");
		}
		my $spent = $pegs->spent($read);
		my $p = $pegs->start_psql($reader, "SET client_min_messages = error;\n${endlessly}SELECT 'goes on';");
		$pegs->pump_until_out($p, $row);
		is($pegs->value("SELECT pg_cancel_backend(pid) $busy"), 't', "sample of $name, after the first row: found at work");
		$pegs->finish($p);
		like($p->{err}, qr/ERROR:  57014\n$/, "sample of $name, after the first row: 57014");
		like($p->{out}, qr/goes on\n$/, "sample of $name, after the first row: the session goes on");
		is($pegs->spent($read) - $spent, $price, "sample of $name, after the first row: charged exactly");
		adds_up("sample of $name", $read);
		$pegs->value("SELECT pegs_drop('x')");
	}
}

# ---- nothing gives a charge back ----

# Each method does three things, each on a table of its own: fits; samples; releases, if it has a guarantee. `do` is the
# statement, `seen` counts what came of it, `fails` is the same with an error at its end.
my @acts;
for my $m (@methods)
{
	for my $verb ('fit', 'sample', 'release')
	{
		my $table = table("$m->{id}_$verb", $rows);
		my $model = "$m->{id} $verb";
		my %act = (what => "$verb of $m->{name}", method => $m, verb => $verb, table => $table, model => $model, price => $m->price($verb),
			role => $verb eq 'fit' ? 'curator' : $m->{reader}, made => "$model made");

		if ($verb ne 'fit')
		{
			curators('SELECT ' . $m->fit($model, $table));
			grant($m, $model);
		}
		if ($verb eq 'sample')
		{
			my $sample = $m->sample($model, 100) . " AS t($columns)";
			@act{qw(do seen fails)} = ('SELECT 1', "SELECT count(*) FROM $sample", "COPY (SELECT *, 1 / (100 - row_number() OVER ()) FROM $sample) TO STDOUT");
		}
		else
		{
			my $call = $verb eq 'fit' ? $m->fit($act{made}, $table) : $m->release($act{made}, $model, 100);
			my $seen = $verb eq 'fit' ? "pegs_models WHERE name = '$act{made}'" : "pegs_rows('$act{made}') AS t($columns)";
			@act{qw(do seen fails)} = ("SELECT $call", "SELECT count(*) FROM $seen", "SELECT 1 / length(($call)::text)");
		}
		if ($verb eq 'release' && $m->{pays} eq 'nothing')
		{
			my ($spent, $err) = ($pegs->spent($table), (curators($act{do}))[1]);
			like($err, qr/ERROR:  .*HINT:/s, "$act{what}: refused");
			is($pegs->spent($table) . ' ' . there($act{made}), "$spent 0", "$act{what}: nothing charged, no release");
			next;
		}
		push @acts, \%act;
	}
}
is(scalar @acts, 3 * @methods - grep({ $_->{pays} eq 'nothing' } @methods), 'all there is to be done');

# What the account and, of what others pay, the grant have spent.
sub spent
{
	my ($act) = @_;
	my $granted = $act->{role} eq 'analyst' && $act->{method}{pays} eq 'sample';

	return ($pegs->spent($act->{table}), $granted ? $pegs->cap_spent($act->{model}) : ());
}

# Exactly the price is gone.
sub stays_spent
{
	my ($name, $act, @before) = @_;
	my @after = spent($act);

	local $Test::Builder::Level = $Test::Builder::Level + 1;
	is(join(' ', map { $after[$_] - $before[$_] } 0 .. $#after), join(' ', map { units($act->{price}) } 0 .. $#after), "$name: charged $act->{price}");
	return;
}

# $$ would be the number of this process
my $dollars = '$' . '$';
$pegs->value("CREATE FUNCTION caught(do_it text, seen text) RETURNS bigint LANGUAGE plpgsql AS $dollars
	DECLARE n bigint;
	BEGIN
		BEGIN
			EXECUTE do_it;
			EXECUTE seen INTO n;
			RAISE division_by_zero;
		EXCEPTION WHEN division_by_zero THEN NULL;
		END;
		RETURN n;
	END $dollars");
my %ways = (
	'ROLLBACK' => sub { "BEGIN; $_[0]{do}; $_[0]{seen}; ROLLBACK;" },
	'ROLLBACK TO a savepoint' => sub { "BEGIN; SAVEPOINT a; $_[0]{do}; $_[0]{seen}; ROLLBACK TO a; COMMIT;" },
	'an error after it' => sub { "BEGIN; $_[0]{do}; $_[0]{seen}; SELECT 1 / 0; COMMIT;" },
	'an error in its statement' => sub { $_[0]{fails} },
	'an exception that is caught' => sub { 'SELECT caught(' . PegsMethods::quoted($_[0]{do}) . ', ' . PegsMethods::quoted($_[0]{seen}) . ')' },
	'ROLLBACK PREPARED' => sub { "BEGIN; $_[0]{do}; $_[0]{seen}; PREPARE TRANSACTION 'x'; ROLLBACK PREPARED 'x';" });

for my $act (@acts)
{
	# committed: a line of the ledger says so; another where there is no guarantee
	{
		my $name = "$act->{what}, committed";
		my @before = spent($act);
		my $object = $act->{verb} eq 'sample' ? $act->{model} : $act->{made};
		my $line = ($act->{method}{pays} eq 'nothing' ? 'uncovered ' : '') . "$act->{verb} " . ($act->{price} * 1);
		my ($out) = $pegs->as($act->{role}, "SET client_min_messages = error;\n$act->{do}; $act->{seen}");

		like($out, $act->{verb} eq 'fit' ? qr/^1$/m : qr/^100$/m, "$name: it was done");
		stays_spent($name, $act, @before);
		is($pegs->value("SELECT string_agg(action || ' ' || (epsilon_to - epsilon_from)::float8, ', ') FROM pegs_ledger WHERE source = '$act->{table}'::regclass AND object = '$object' AND action ~ '$act->{verb}\$'"),
			$act->{price} > 0 || $act->{method}{pays} eq 'nothing' ? $line : '', "$name: what the ledger says");
		$pegs->value("SELECT pegs_drop('$act->{made}')") if there($act->{made});
	}
	for my $way ($act->{method}{form} ? ('ROLLBACK PREPARED', 'an error in its statement') : sort keys %ways)
	{
		my $name = "$act->{what}, $way";
		my @before = spent($act);
		my ($out, $err) = $pegs->as($act->{role}, "SET client_min_messages = error;\n" . $ways{$way}->($act));

		if ($way eq 'an error in its statement') { like($err, qr/ERROR:  22012$/, "$name: it came to that error") }
		else { like($out, $act->{verb} eq 'fit' ? qr/^1$/m : qr/^100$/m, "$name: it was done") }
		stays_spent($name, $act, @before);
		is(there($act->{made}), 0, "$name: it is not there");
	}
}
is($pegs->value('SELECT count(*) FROM pg_prepared_xacts'), 0, 'nothing stayed prepared');

PegsCrash::stays_charged($pegs, map { { %$_, seen_is => $_->{verb} eq 'fit' ? 1 : 100, spent => \&spent } } @acts);
adds_up($_->{what}, $_->{table}) for @acts;

# ---- a dump takes along what is paid for, and nothing else ----

{
	my $file = $PostgreSQL::Test::Utils::tmp_check . '/dump';
	my %before;
	my @questions = (
		[ 'description', sub { "SELECT pegs_describe('$_[0]{id} dumped')" } ],
		[ 'rows of a release', sub { "SELECT md5(string_agg(t::text, ',')) FROM pegs_rows('$_[0]{id} released') AS t($columns)" } ],
		[ 'rows', sub { "SELECT md5(string_agg(t::text, ',')) FROM pegs_sample('$_[0]{id} dumped', 500) AS t($columns)" } ]);

	for my $m (@methods)
	{
		curators('SELECT ' . $m->fit("$m->{id} dumped", 'visit'));
		curators('SELECT ' . $m->release("$m->{id} released", "$m->{id} dumped", 100)) if $m->{pays} ne 'nothing';
		$before{"$m->{id} $_->[0]"} = curators($_->[1]->($m)) for @questions;
	}
	my $spent = $pegs->spent;
	$pegs->value('DROP FUNCTION unmasked(bytea)');
	command_ok([ 'pg_dump', '-d', $node->connstr('postgres'), '-f', $file ], 'pg_dump');
	$node->safe_psql('postgres', 'CREATE DATABASE copy');
	command_ok([ 'psql', '-XAtq', '-v', 'ON_ERROR_STOP=1', '-d', $node->connstr('copy'), '-f', $file, '-o', "$file.out" ], 'restored');

	my $copy = bless { node => $node, db => 'copy' }, 'PegsLedger';
	for my $m (@methods)
	{
		my $name = "restored, $m->{name}";
		my ($description, $release, $read) = map { $_->[1]->($m) } @questions;
		my ($out, $err);

		is($copy->as('curator', $calm . $description), $before{"$m->{id} description"}, "$name: the same description");
		if ($m->{pays} ne 'nothing')
		{
			like($before{"$m->{id} rows of a release"}, qr/^\w{32}$/m, "$name: there was a release");
			is($copy->as('curator', $calm . $release), $before{"$m->{id} rows of a release"}, "$name: the same rows of it");
		}
		if ($m->{pays} eq 'fit')
		{
			like($before{"$m->{id} rows"}, qr/^\w{32}$/m, "$name: there were rows");
			is($copy->as('curator', $calm . $read), $before{"$m->{id} rows"}, "$name: the same rows");
			next;
		}
		($out, $err) = $copy->as('curator', $calm . 'SELECT * FROM ' . $m->sample("$m->{id} dumped", 10) . " AS t($columns)");
		is($out, '', "$name: no row");
		like($err, qr/ERROR:  model "$m->{id} dumped" has no tables.*HINT:  Drop it and fit it again: SELECT pegs_drop\('$m->{id} dumped'\);/s, "$name: its counts are not there");
		($out, $err) = $copy->as('curator', "${calm}SELECT pegs_drop('$m->{id} dumped'); SELECT " . $m->fit("$m->{id} dumped", 'visit'));
		is($err, '', "$name: fitted again, as the HINT says");
	}
	is($copy->spent, $spent, 'restored: what was spent is spent, and no more');
}

# ---- small tables ----

# Whatever a table is like: it works, or says in words of ours what to do. Nothing is charged that was not made.
{
	my $two = "(a text NOT NULL CHECK (a IN ('x', 'y')), b boolean NOT NULL)";
	my %shapes = (
		'no row' => [ $two, q{SELECT 'x', true LIMIT 0}, 'a text, b boolean' ],
		'one row' => [ $two, q{SELECT 'x', true}, 'a text, b boolean' ],
		'one column' => [ "(a text NOT NULL CHECK (a IN ('x', 'y')))", q{SELECT 'x' FROM generate_series(1, 9)}, 'a text' ],
		'one column, no row' => [ "(a text NOT NULL CHECK (a IN ('x', 'y')))", q{SELECT 'x' LIMIT 0}, 'a text' ],
		'one level' => [ "(a text NOT NULL CHECK (a IN ('x')), b boolean NOT NULL)", q{SELECT 'x', i % 2 = 0 FROM generate_series(1, 9) AS i}, 'a text, b boolean' ],
		'one column of one level, no row' => [ "(a text NOT NULL CHECK (a IN ('x')))", q{SELECT 'x' LIMIT 0}, 'a text' ]);
	my $number = 0;

	for my $shape (sort keys %shapes)
	{
		my ($like, $query, $its_columns) = @{ $shapes{$shape} };
		my $table = table('small' . $number++, $query, $like);
		my $said = sub { my ($sql) = @_; my ($out, $err) = $pegs->as('curator', "\\set VERBOSITY verbose\nSET client_min_messages = error;\n$sql"); return ($out, $err) };
		# no error but of ours: not internal, and it says what to do
		my $in_words = sub {
			my ($err) = @_;
			my @errors = grep { /(ERROR|FATAL|PANIC):/ } split /^(?=(?:\S+ )?(?:ERROR|FATAL|PANIC):)/m, $err;
			return $err eq '' || (@errors && !grep { !/ERROR:  (?!XX|58|57)\w{5}: .*^HINT:  \S/ms } @errors);
		};

		for my $m (@methods)
		{
			my $name = "$shape, $m->{name}";
			my $model = "$m->{id} $table";
			my $spent = $pegs->spent($table);
			my ($out, $err) = $said->('SELECT ' . $m->fit($model, $table));
			ok($in_words->($err), "$name: fit") or diag($err);
			is(($pegs->spent($table) - $spent) . ' ' . there($model), $err ? '0 0' : units($m->price('fit')) . ' 1', "$name: charged what was made");
			next if $err;

			for my $function ('describe', 'certificate', 'certificate_text')
			{
				($out, $err) = $said->("SELECT length(pegs_$function('$model')::text) > 50");
				is("$out$err", 't', "$name: pegs_$function");
			}
			$spent = $pegs->spent($table);
			($out, $err) = $said->('SELECT count(*) FROM ' . $m->sample($model, 10) . " AS t($its_columns)");
			ok($in_words->($err), "$name: sample") or diag($err);
			is("$out " . ($pegs->spent($table) - $spent), $err ? ' 0' : "10 " . units($m->price('sample')), "$name: ten rows, charged; or neither");
			($out, $err) = $said->('SELECT ' . $m->release("$model released", $model, 10));
			ok($in_words->($err), "$name: release") or diag($err);
			is(join('', $said->("SELECT count(*) FROM pegs_rows('$model released') AS t($its_columns)")), 10, "$name: and its rows") if !$err;
			like($err, qr/has no guarantee|have no guarantee/, "$name: no release") if $m->{pays} eq 'nothing';
			($out, $err) = $said->("SELECT pegs_drop('$model')");
			is($err . there($model), '0', "$name: pegs_drop");
		}
	}
}

unlike(slurp_file($node->logfile), qr/PANIC|TRAP:|signal 11|signal 6/, 'no crash but those we made');
$node->stop;
done_testing();
