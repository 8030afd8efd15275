# long: run by make test-all (test/run long), not by make test
# Bytes that no pegs wrote, into the type pegs_state: 100,000 mutations of real states through its input function, through
# its receive function and on into pegs_merge and pegs_fit_state. Each is refused with an error of ours, or is read as a
# state whose bytes come out as they went in; the server stays up, and memory is bounded by what a state declares. A-45.
#
# The reader itself (src/core/wire.c) is fuzzed under ASan without a server; this is the way of the bytes through PostgreSQL.
use strict;
use warnings;
use Test::More;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;

my $node = PostgreSQL::Test::Cluster->new('states');
$node->init;
$node->append_conf('postgresql.conf', "autovacuum = off\nrestart_after_crash = off\nshared_buffers = 16MB\nlog_min_messages = fatal\nlog_min_error_statement = panic\n");
$node->start;
my $started = $node->safe_psql('postgres', 'SELECT pg_postmaster_start_time()');
my $files = $PostgreSQL::Test::Utils::tmp_check . '/state';

$node->safe_psql('postgres', q{
	CREATE EXTENSION pegs;
	CREATE TABLE visit (a text CHECK (a IN ('x', 'y', 'z')), b boolean, c int NOT NULL CHECK (c IN (1, 2)));
	INSERT INTO visit SELECT (ARRAY['x', 'y', 'z', NULL])[1 + i % 4], i % 3 = 0, 1 + i % 2 FROM generate_series(1, 500) AS i;
	SELECT pegs_set_budget('visit', 100);
	SELECT pegs_fit('sealed', 'visit', parents => '{}'); SELECT pegs_fit('noisy', 'visit', epsilon => 1);
	-- states of each kind, and bytes that are not a state: a model
	CREATE TABLE seed (number int GENERATED ALWAYS AS IDENTITY, bytes bytea);
	INSERT INTO seed (bytes) SELECT pegs_internal.state_send(pegs_agg((SELECT pegs_spec('visit')), a, b, c)) FROM visit;
	INSERT INTO seed (bytes) SELECT pegs_internal.state_send(pegs_agg((SELECT pegs_spec('visit', ARRAY['a', 'b', 'c'], parents => '{"b": ["a"], "c": ["a", "b"]}')), a, b, c)) FROM visit;
	INSERT INTO seed (bytes) SELECT pegs_internal.state_send(pegs_agg((SELECT pegs_spec('visit', ARRAY['a', 'c'], parents => '{}', tail_bits => 1)), a, c)) FROM visit;
	INSERT INTO seed (bytes) SELECT pegs_export('noisy');
	CREATE TABLE received (s pegs_state)});

# ---- mutations, made here ----

# A state ends with a CRC-32C: a mutation that does not mend it is refused before anything else is read.
my @crc = map { my $c = $_; for (1 .. 8) { $c = $c & 1 ? ($c >> 1) ^ 0x82f63b78 : $c >> 1 } $c } 0 .. 255;
sub mended
{
	my ($body) = @_;
	my $crc = 0xffffffff;

	$crc = ($crc >> 8) ^ $crc[($crc ^ $_) & 255] for unpack 'C*', $body;
	return $body . pack 'V', $crc ^ 0xffffffff;
}

my @seeds = map { pack 'H*', $_ } split /\n/, $node->safe_psql('postgres', q{SELECT encode(bytes, 'hex') FROM seed ORDER BY number});
is(mended(substr $_, 0, -4), $_, 'A-45 a CRC is mended as pegs writes it') for @seeds;

my @promises = ("\xff\xff\xff\xff", "\xff\xff\xff\x7f", "\x00\x00\x00\x40", "\x00\x00\x01\x00", "\x40\x06\x00\x00", "\x01\x00\x00\x00", "\x00\x00\x00\x00");

sub mutated
{
	my ($b) = @_;
	my $n = length $b;
	my $way = int rand 9;
	# the header and the layout are the first part of the bytes, and what a reader might believe
	my $i = int rand($way % 2 ? $n : $n < 120 ? $n : 120);
	my $l = 1 + int rand 16;

	return $b . "\0" x 20 if $n < 20;
	if ($way <= 1) { substr($b, $i, 1) = chr int rand 256 }
	elsif ($way <= 3) { substr($b, $i, 1) ^= chr(1 << int rand 8) }
	elsif ($way <= 5) { $i &= ~3; substr($b, $i, 4) = $promises[rand @promises] if $i + 4 <= $n }
	elsif ($way == 6) { $b = substr $b, 0, $i }
	elsif ($way == 7) { substr($b, $i, $l) = '' }
	else { substr($b, $i, 0) = substr $b, int rand $n, $l }
	return $b;
}

# So many into a file; every tenth keeps its broken CRC
sub make_mutants
{
	my ($file, $times) = @_;

	open my $out, '>', $file or die "$file: $!";
	srand 45;
	for my $i (1 .. $times)
	{
		my $b = mutated(substr $seeds[$i % @seeds], 0, -4);
		$b = mutated($b) if $i % 3 == 0;
		print $out '\\\\x', unpack('H*', $i % 10 ? mended($b) : $b . 'abcd'), "\n";
	}
	close $out;
	return;
}

# Gives, too, the high-water mark of the backend that did it, in kB (0 where there is no /proc).
sub attack
{
	my ($sql) = @_;
	my $session = $node->background_psql('postgres', on_error_die => 1);
	my $pid = $session->query('SELECT pg_backend_pid()');
	$session->query("SET client_min_messages = error; $sql");
	my ($peak) = -r "/proc/$pid/status" ? slurp_file("/proc/$pid/status") =~ /^VmHWM:\s+(\d+) kB/m : 0;
	$session->quit;
	return $peak;
}

# a COPY costs more than a cast
my %times = (input => 80_000, receive => 20_000, 'use' => 5_000);
my %peak;
$node->safe_psql('postgres', 'CREATE TABLE outcome (way text, state text, count bigint); CREATE UNLOGGED TABLE mutant (b bytea)');

# One attempt for each mutant; $try says what is tried with r.b, and sets got.
sub attempts
{
	my ($way, $try, $where) = @_;

	return attack("DO \$\$
		DECLARE
			r record; s pegs_state; got text; n int := 0;
			names text[] := '{}'; counts int[] := '{}'; at int;
		BEGIN
			FOR r IN SELECT b FROM mutant LOOP
				n := n + 1;
				$try
				at := array_position(names, got);
				IF at IS NULL THEN names := names || got; counts := counts || 1; ELSE counts[at] := counts[at] + 1; END IF;
			END LOOP;
			INSERT INTO outcome SELECT '$way', * FROM unnest(names, counts);
		END \$\$");
}

# Through the text form, which is hex; what is read must come out unchanged.
make_mutants($files, $times{input});
$node->safe_psql('postgres', "\\copy mutant FROM '$files'");
$peak{input} = attempts('input', q{
	BEGIN
		s := ('\x' || encode(r.b, 'hex'))::pegs_state;
		got := CASE WHEN pegs_internal.state_send(s) = r.b AND s::text = '\x' || encode(r.b, 'hex') THEN 'read' ELSE 'changed' END;
	EXCEPTION WHEN OTHERS THEN got := SQLSTATE;
	END;});

# Through the binary protocol: a bytea and a pegs_state look the same in a binary COPY, so the server itself makes the file.
make_mutants($files, $times{receive});
$node->safe_psql('postgres', "TRUNCATE mutant; \n\\copy mutant FROM '$files'");
$peak{receive} = attempts('receive', qq{
	EXECUTE format('COPY (SELECT %L::bytea) TO %L (FORMAT binary)', r.b, '$files');
	BEGIN
		COPY received FROM '$files' (FORMAT binary);
		got := CASE WHEN (SELECT bool_and(pegs_internal.state_send(x.s) = r.b) FROM received AS x) THEN 'read' ELSE 'changed' END;
		RAISE EXCEPTION USING errcode = 'PEGS0';
	EXCEPTION WHEN SQLSTATE 'PEGS0' THEN NULL;
		WHEN OTHERS THEN got := SQLSTATE;
	END;});

# States with other counts than any table had, and other labels in their text: states like any other, to merge and to fit.
# The last eight bytes before the CRC are a count; two of one table are changed against each other.
# The same ones in every run: how many numbers were drawn before depends on the bytes of a perturbed model.
srand 46;
open my $out, '>', $files or die "$files: $!";
for my $i (1 .. $times{'use'})
{
	my $seed = $seeds[$i % 3];
	my $b = substr $seed, 0, -4;
	my $n = length $b;

	if ($i % 2)
	{
		my $d = int rand 3;
		substr($b, $n - 8, 8) = pack 'Q<', unpack('Q<', substr $b, $n - 8, 8) + $d;
		substr($b, $n - 16, 8) = pack 'Q<', unpack('Q<', substr $b, $n - 16, 8) - $d;
	}
	else
	{
		# somewhere in the text of the spec
		my $from = index $b, '{';
		substr($b, $from + rand(rindex($b, '}') - $from), 1) = chr(32 + rand 95);
	}
	print $out '\\\\x', unpack('H*', mended($b)), "\n";
}
close $out;
my @parts = map { "('\\x" . unpack('H*', $_) . "'::pegs_state)" } @seeds[0 .. 2];
$node->safe_psql('postgres', "TRUNCATE mutant; \n\\copy mutant FROM '$files'\nINSERT INTO received VALUES " . join ', ', @parts);
$peak{'use'} = attempts('use', q{
	BEGIN
		s := ('\x' || encode(r.b, 'hex'))::pegs_state;
		SELECT pegs_merge(x) INTO s FROM (SELECT s AS x UNION ALL SELECT NULL UNION ALL (SELECT received.s FROM received OFFSET n % 3 LIMIT 1) UNION ALL SELECT s) AS v;
		IF n % 10 = 1 THEN
			PERFORM pegs_fit_state('mutant', 'visit', s, parents => '{"b": ["a"], "c": ["a", "b"]}');
			PERFORM count(*) FROM pegs_sample('mutant', 3, epsilon => 1e-6) AS t(a text);
			PERFORM pegs_drop('mutant');
		END IF;
		got := 'used';
	EXCEPTION WHEN OTHERS THEN got := SQLSTATE;
	END;});

for my $way ('input', 'receive', 'use')
{
	my %got = map { split /\|/ } split /\n/, $node->safe_psql('postgres', "SELECT state, count FROM outcome WHERE way = '$way'");
	my $refused = 0;

	note("$way: " . join ', ', map { "$_ $got{$_}" } sort keys %got);
	$refused += $got{$_} for grep { /^\d/ } keys %got;
	cmp_ok($refused, '>', $times{$way} / 3, "A-45 $way: many are refused");
	cmp_ok($got{read} || $got{used} || 0, '>', 0, "A-45 $way: some are states all the same, with other counts");
	is($got{changed} || 0, 0, "A-45 $way: what is read comes out as it went in");
	# 22P03 not a state, 0A000 a later version, 22P02/22023 no hex, 22023 a spec that no one wrote, 42804 of another spec, 54000 counts too large
	is(join(' ', grep { /^\d/ && !/^(22P03|0A000|22023|42804|54000)$/ } sort keys %got), '', "A-45 $way: with errors of ours");
	cmp_ok($peak{$way}, '<', 100 * 1024, "A-45 $way: memory is bounded ($peak{$way} kB)");
}
is($node->safe_psql('postgres', 'SELECT sum(count) FROM outcome WHERE way IN (\'input\', \'receive\')'), 100_000, 'A-45 a hundred thousand mutations');

# Lengths that promise much: nothing is allocated for a promise. Every place of every seed says a large number, with a right CRC.
open $out, '>', $files or die "$files: $!";
for my $seed (@seeds)
{
	for my $promise (@promises[0 .. 4])
	{
		for (my $i = 0; $i < length($seed) - 8 && $i < 1200; $i += 4)
		{
			my $b = substr $seed, 0, -4;

			substr($b, $i, 4) = $promise;
			print $out '\\\\x', unpack('H*', mended($b)), "\n";
		}
	}
}
close $out;
$node->safe_psql('postgres', "TRUNCATE mutant; \n\\copy mutant FROM '$files'");
my $huge = attempts('promise', q{
	BEGIN
		s := ('\x' || encode(r.b, 'hex'))::pegs_state;
		got := 'read';
	EXCEPTION WHEN OTHERS THEN got := SQLSTATE;
	END;});
cmp_ok($huge, '<', 100 * 1024, "A-45 lengths that promise much: memory is bounded ($huge kB)");
is($node->safe_psql('postgres', "SELECT string_agg(state, ' ') FROM outcome WHERE way = 'promise' AND state NOT IN ('22P03', '0A000', '54000', 'read')"), '',
	'A-45 lengths that promise much: refused');

# The hex itself.
for my $text ('', '\\', '\\x', '\\x0', '\\xzz', 'pegs', '\\\\000', '\\x7065677300')
{
	my $err = '';
	$node->psql('postgres', "SELECT '$text'::pegs_state", stderr => \$err, extra_params => [ '-v', 'VERBOSITY=sqlstate' ]);
	like($err, qr/ERROR:  22(P02|P03|023)/, "A-45 '$text' is refused");
}

is($node->safe_psql('postgres', 'SELECT pg_postmaster_start_time()'), $started, 'A-45 the server was never restarted');
unlike(slurp_file($node->logfile), qr/terminated by signal|PANIC|TRAP/, 'A-45 no crash');
$node->stop;
done_testing();
