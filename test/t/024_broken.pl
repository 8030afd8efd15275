# long: begins first, as it takes longest; run by make test-all (test/run long), not by make test
# pegs_verify and pegs_audit against builds that are broken on purpose: what proves the mechanism in the server must be able
# to fail. Each broken library is this checkout with one line changed; the library without a change is built the same way,
# and holds.
#
#   alpha, visit                     a sealed sample: half of its noise; Block PeGS without Reset
#   pair4, pair16, pair100           the noise of a fit's pairs: a part of the variance that was paid for
#   pure_pair4                       the same with delta 0: a quarter of the scale
#   choice1000, pure_choice100       choices so much too sharp that they are hardly random
#   drawn_pair, drawn_choice, laplace   priced right, and drawn with less: what a broken sampler does
#   unit                             the noise of one row for a person of three
#   score                            scores that move by more than the sensitivity that they are paid for
#   aimed                            pairs with a target weigh double, where the others should weigh half
#   cover                            a half of what each table cost is given back, where all pairs are measured once
#   triple_cells, triple_score       a table of three columns in which a row is in two cells; scores of such tables eight times as large
#   triple_free, triple_offer        a half of what such a table cost is given back; it is offered only where its first cell has rows
#   grouped                          levels that have groups are merged by their exact counts
#   siblings_rows, siblings_score, siblings_free   rows of one parent: noise of one row for a unit; scores eight times as large;
#                                    a half of what their tables cost is given back
#   rho, spend                       an account that holds, or spends, another amount than it says
#   beside                           the exact number of rows, read beside the looks that are paid for
#   parents                          scores of the private choice of parents
#   clamp                            a fit that gives out an exact count, rounded so that no neighbour shows it
#   modest                           a fit whose model says that it cost less
#   ask_alpha, ask_block             the sampler's settings, where a call is made: a quarter of its noise; blocks of one row
#   ask_n, ask_whole                 a call of many rows that is priced as one of one row, or as a single block
#   ranged_rows, ranged_visits       sealed samples with delta: a person of three rows costs three rows, not nine; one row's noise for many
#   plug_in, urn_alpha               urns to which nothing is put back; alpha for twice the epsilon
#   sums, tau, monotone              sums with noise for a quarter of their bound, and of Kendall's; choices whose candidates only gain by a row, too sharp
#   fit_plug_in, fit_alpha           a fit from urns to which nothing is put back; alpha of one table for those of all columns
#   floor, within                    regressions whose levels have half of their least weight; draws from one of H urns priced as n/H rounded down
#   free_delta                       the noise that delta buys, and no delta charged
#   structure, priced                the accounts of fits: parents priced as if a row moved a score by one; noise for three epsilon
#   structure_unit                   parents priced as if a person of three rows were one row
#   shared                           one draw of noise for all cells of a table: their differences are exact
#   parity                           noise of the right spread whose sign says whether a count is odd: nothing computed sees it, the
#                                    share of runs that can be told apart does
#
# pair..., pure_pair4 and the two of choices priced too low are the review's of 0.2.0: its audit called them all sound.
# Those from ask_alpha on are of later looks: pegs_audit and pegs_verify set up samplers and accounts of their own, and so
# never ran these lines.
# Every library has a database of its own, whose functions are told to live in it: backends do not share libraries.
# It takes a minute or more: each of them is a build.
use strict;
use warnings;
use File::Compare qw(compare);
use Test::More;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;

my $tmp = $PostgreSQL::Test::Utils::tmp_check;
my $pg_config = $ENV{PG_CONFIG} || 'pg_config';
my $tree = "$tmp/tree";

sub slurp { return PostgreSQL::Test::Utils::slurp_file($_[0]) }
sub write_file
{
	my ($file, $text) = @_;
	open my $out, '>', $file or die "$file: $!\n";
	print $out $text;
	close $out;
	return;
}

# ---- the libraries ----

# Objects are there already (test/run has built pegs), or are made once; a broken library makes those anew that have the line, and
# then the sound ones are back, as old as they were: make takes them for what they are. Quickly made code is as good here as fast code.
mkdir $tree;
system_or_bail('cp', '-Rp', 'src', 'Makefile', 'pegs.control', (-d 'build' ? 'build' : ()), $tree);
sub build
{
	my ($name, $file, $from, $to) = @_;
	my ($sound, @times, @objects);

	if ($file)
	{
		$sound = slurp("$tree/$file");
		@times = (stat "$tree/$file")[8, 9];
		@objects = map { s/c$/o/r } $file =~ /c$/ ? "$tree/$file" : users_of($file);
		my $broken = $sound;
		# a line that has moved is no reason to test nothing
		is($broken =~ s/\Q$from\E/$to/, 1, "$name: $file has the line to break");
		write_file("$tree/$file", $broken);
		utime @times, "$tree/$file";
		rename $_, "$_.sound" or die "$_: $!\n" for @objects;
	}
	# linked of what was broken before, or of nothing that is
	unlink "$tree/pegs.so";
	system_or_bail('make', '-s', '-C', $tree, "PG_CONFIG=$pg_config", 'WERROR=1', 'COPT=-O0 -Wno-error', 'pegs.so');
	system_or_bail('cp', "$tree/pegs.so", "$tmp/$name.so");
	return unless $file;
	write_file("$tree/$file", $sound);
	utime @times, "$tree/$file";
	rename "$_.sound", $_ or die "$_: $!\n" for @objects;
	isnt(compare("$tmp/sound.so", "$tmp/$name.so"), 0, "$name: its library is not the sound one");
	return;
}

# The files that include a header, by themselves or by another.
sub users_of
{
	my ($header) = @_;
	my ($included) = $header =~ m{^src/(.*)};
	my @users = grep { slurp($_) =~ /^#include "\Q$included\E"/m } glob("$tree/src/*.[ch] $tree/src/*/*.[ch] $tree/src/*/*/*.[ch]");

	return map { /c$/ ? $_ : users_of(s{^\Q$tree\E/}{}r) } @users;
}

my $price = "	noise = noise_of(accountant, units);\n";
my $sharpness = "num /= accountant->rows_per_unit;\n";
my $choice = 'pegs_exponential_mechanism(accountant->env, rng, score, n, num, den)';
my %broken = (
	alpha => [ 'src/core/pegs/weights.h', "= gibbs->alpha;\n", "= gibbs->alpha / 2;\n" ],
	visit => [ 'src/core/pegs/gibbs.c', "gibbs->visited[gibbs->visited_start[column] + key] = gibbs->stamp;\n", ";\n" ],
	(map { ("pair$_" => [ 'src/core/accountant.c', $price, "	if (purpose == PEGS_FOR_PAIR && !accountant->pure)\n		units *= $_;\n$price" ]) } 4, 16, 100),
	pure_pair4 => [ 'src/core/accountant.c', $price, "	if (purpose == PEGS_FOR_PAIR && accountant->pure)\n		units *= 4;\n$price" ],
	choice1000 => [ 'src/core/accountant.c', $sharpness, "num = num / accountant->rows_per_unit * 1000;\n" ],
	pure_choice100 => [ 'src/core/accountant.c', $sharpness, "num = num / accountant->rows_per_unit * 100;\n" ],
	drawn_pair => [ 'src/core/noise.c', "	g.s = sigma2.num;\n", "	g.s = (sigma2.num + 3) / 4;\n" ],
	drawn_choice => [ 'src/core/accountant.c', $choice, 'pegs_exponential_mechanism(accountant->env, rng, score, n, 1000 * num, den)' ],
	laplace => [ 'src/core/accountant.c', 'pegs_discrete_laplace(rng, noise->units, ', 'pegs_discrete_laplace(rng, noise->units * 2, ' ],
	unit => [ 'src/core/accountant.c', "accountant->rows_per_unit = rows_per_unit;\n", "accountant->rows_per_unit = rows_per_unit > 0;\n" ],
	score => [ 'src/core/graph/pairs.c', 'distance += llabs(', 'distance += 8 * llabs(' ],
	aimed => [ 'src/core/graph/target.c', "			return score;\n", "			return target ? 2 * score : score;\n" ],
	cover => [ 'src/core/graph/cover.c', "		pegs_candidate_measure(f, &block[i], cost);\n", "		f->accountant->spent -= (uint64_t) (i > 0 ? cost * 0x1p49 : 0);\n		pegs_candidate_measure(f, &block[i], cost);\n" ],
	triple_cells => [ 'src/core/graph/triples.c', '(int64_t) cell[i];', '(int64_t) (cell[i] + cell[(i + 1) % n]);' ],
	triple_score => [ 'src/core/graph/triples.c', 'distance += llabs(', 'distance += 8 * llabs(' ],
	triple_free => [ 'src/core/graph/triples.c', "	if (variance < 0)\n", "	f->accountant->spent -= (uint64_t) (cost * 0x1p49);\n	if (variance < 0)\n" ],
	triple_offer => [ 'src/core/graph/triples.c', 'if (pegs_triple_at(f->layout, a, b, d) != 0)', 'if (pegs_triple_at(f->layout, a, b, d) != 0 && f->cells[pegs_triple_at(f->layout, a, b, d)] > 3)' ],
	grouped => [ 'src/core/graph/engine.c', "	for (uint32_t i = 0; i < m; i++)\n		pegs_merge_build(", "	for (uint32_t i = 0; layout->groups && i < m; i++)\n"
			. "		for (uint32_t l = 0; layout->groups[i] && l < layout->levels[i]; l++)\n			model->share[i][l] = (double) cells[layout->offset[i] + l] / model->rows;\n"
			. "	for (uint32_t i = 0; i < m; i++)\n		pegs_merge_build(" ],
	siblings_rows => [ 'src/core/schema/siblings.c', "		variance = pegs_measure(accountant, rng, PEGS_FOR_PAIR, for_pair, exact, noisy, c->cells);\n",
		"		accountant->rows_per_unit = 1;\n		variance = pegs_measure(accountant, rng, PEGS_FOR_PAIR, for_pair, exact, noisy, c->cells);\n		accountant->rows_per_unit = PEGS_PATHS;\n" ],
	siblings_score => [ 'src/core/schema/siblings.c', 'c->score += llabs(', 'c->score += 8 * llabs(' ],
	siblings_free => [ 'src/core/schema/siblings.c', "		pairs[(*n)++] = as_pair(", "		accountant->spent -= (uint64_t) (for_pair * 0x1p49);\n		pairs[(*n)++] = as_pair(" ],
	rho => [ 'src/core/epsilon.c', '? (uint64_t) units : PEGS_MAX_COST;', '? (uint64_t) (units * 1.1) : PEGS_MAX_COST;' ],
	spend => [ 'src/core/accountant.c', "accountant->spent += units;\n", "accountant->spent += units / 2;\n" ],
	beside => [ 'src/core/graph/oneways.c', "	f->model->rows = weight > 0 ?", "	if (weight > 0)\n	{\n		sum = 0;\n		weight = 1;\n"
			. "		for (uint32_t j = 0; j < f->layout->levels[0]; j++)\n			sum += (double) f->cells[f->layout->offset[0] + j];\n	}\n"
			. "	f->model->rows = weight > 0 ?" ],
	parents => [ 'src/core/pegs/parents.c', 'score[n++] = pegs_dependence(', 'score[n++] = 1000 * pegs_dependence(' ],
	clamp => [ 'src/core/graph/oneways.c', "	f->model->rows = weight > 0 ?", "	if (weight > 0)\n	{\n		sum = 0;\n		weight = 1;\n"
			. "		for (uint32_t j = 0; j < f->layout->levels[0]; j++)\n			sum += (double) (f->cells[f->layout->offset[0] + j] / 16 * 16);\n	}\n"
			. "	f->model->rows = weight > 0 ?" ],
	modest => [ 'src/core/graph/engine.c', 'model->accountant.env = NULL;', 'model->accountant.env = NULL; model->accountant.epsilon /= 2;' ],
	ask_alpha => [ 'src/rows/request.c', '.alpha = request->alpha,', '.alpha = request->alpha / 4 + 1,' ],
	ask_block => [ 'src/core/pegs/pegs_method.c', 'd->gibbs.block = ask->block;', 'd->gibbs.block = 1;' ],
	ask_n => [ 'src/rows/request.c', '.n = (uint64_t) request->n,', '.n = 1,' ],
	ask_whole => [ 'src/rows/request.c', '.block = (uint64_t) request->block,', '.block = (uint64_t) request->n,' ],
	ranged_rows => [ 'src/core/epsilon.c', '(pegs_u128) rows * rows', '(pegs_u128) rows' ],
	ranged_visits => [ 'src/core/pegs/pegs_method.c', 'visits = visits_of(ask->n, ask->block, columns);', 'visits = columns;' ],
	plug_in => [ 'src/core/pegs/gibbs.c', '+ code]++;', '+ code] += 0;' ],
	urn_alpha => [ 'src/core/epsilon.c', 'log(order)) <= eps)', 'log(order)) <= 2 * eps)' ],
	floor => [ 'src/core/regression/regression_method.c', 'd->least = alpha << shift;', 'd->least = alpha << shift >> 1;' ],
	within => [ 'src/core/table/table_exact.c', '(ask->n + urns - 1) / urns', 'ask->n / urns' ],
	sums => [ 'src/core/accountant.c', "	pegs_u128	most = (pegs_u128) accountant->rows_per_unit * bound;\n", "	pegs_u128	most = (pegs_u128) accountant->rows_per_unit * bound / 4;\n" ],
	tau => [ 'src/core/copula/kendall.c', "	return 2 * (rows - 1);\n", "	return rows / 2;\n" ],
	monotone => [ 'src/core/accountant.c', 'return choose(accountant, rng, cost, score, n, 2);', 'return choose(accountant, rng, cost, score, n, 4);' ],
	fit_plug_in => [ 'src/core/accountant.c', "		pegs_urn_put_back(&urn, level);\n", ";\n" ],
	fit_alpha => [ 'src/core/accountant.c', 'look->apart ? 1 : look->tables, look->draws', '1, look->draws' ],
	free_delta => [ 'src/core/pegs/pegs_method.c', "	*alpha = ranged;\n", "	*alpha = ranged;\n	*delta = 0;\n" ],
	structure => [ 'src/models/structure.c', 'pegs_accountant_init(accountant, structure_epsilon, 0, PEGS_PARENT_SENSITIVITY * rows_per_unit);', 'pegs_accountant_init(accountant, structure_epsilon, 0, 1);' ],
	structure_unit => [ 'src/models/fit.c', 'pegs_structure_accountant(&fit->accountant, args->structure_epsilon, fit->source->rows_per_unit);', 'pegs_structure_accountant(&fit->accountant, args->structure_epsilon, 1);' ],
	priced => [ 'src/models/structure.c', 'pegs_accountant_init(accountant, epsilon, delta, rows_per_unit);', 'pegs_accountant_init(accountant, 3 * epsilon, delta, rows_per_unit);' ],
	shared => [ 'src/core/accountant.c', "		noisy[i] = (double) pegs_noisy(exact[i], draw_noise(rng, &noise));
", "	{
		static int64_t x;

		if (i == 0)
			x = draw_noise(rng, &noise);
		noisy[i] = (double) (exact[i] + x);
	}
" ],
	parity => [ 'src/core/accountant.c', "		noisy[i] = (double) pegs_noisy(exact[i], draw_noise(rng, &noise));
", "	{
		int64_t		x = draw_noise(rng, &noise);

		noisy[i] = (double) (exact[i] + (i == 0 && (x > 0) == (exact[0] % 2 == 0) ? -x : x));
	}
" ]);
build('sound');
build($_, @{ $broken{$_} }) for sort keys %broken;

# ---- a server with all of them ----

my $node = PostgreSQL::Test::Cluster->new('broken');
$node->init;
$node->append_conf('postgresql.conf', "autovacuum = off\nfsync = off\n");
$node->start;
for my $name ('sound', sort keys %broken)
{
	$node->safe_psql('postgres', "CREATE DATABASE $name");
	$node->safe_psql($name, 'CREATE EXTENSION pegs');
	# in a session of its own: the installed library is loaded in that one
	my $move = sub {
		my $moved = $node->safe_psql($name, "WITH moved AS (UPDATE pg_proc SET probin = '$tmp/$name' WHERE probin = '\$libdir/pegs' RETURNING 1) SELECT count(*) FROM moved");
		cmp_ok($moved, '>', 40, "$name: its functions are those of the build");
	};
	# these refuse to fit: their models are made by the installed library
	$move->() if $name !~ /^(priced|unit|structure|modest)$/;
	# two: both of a row's neighbours; lonely: 30 rows of one level, so that a row of the other shows as much as it can
	$node->safe_psql($name, q{
		CREATE TABLE two (a boolean NOT NULL, b boolean NOT NULL);
		INSERT INTO two VALUES (true, true), (true, true), (false, true), (false, false);
		CREATE TABLE lonely (a boolean NOT NULL);
		INSERT INTO lonely SELECT true FROM generate_series(1, 30);
		SELECT pegs_set_budget('two', 100), pegs_set_budget('lonely', 10000);
		SELECT pegs_fit('two', 'two', parents => '{"a": ["b"], "b": ["a"]}');
		SELECT pegs_fit('lonely', 'lonely', parents => '{}');
		SELECT pegs_fit('noisy', 'lonely', epsilon => 1);
		SELECT pegs_set_budget('lonely', 1000, 1e-6)});
	$node->safe_psql($name, "SELECT pegs_fit('noisy, delta', 'lonely', epsilon => 1, delta => 1e-9)");
	# five: as many rows and columns as the review had, the same in every database
	$node->safe_psql($name, q{
		CREATE TABLE five (a int NOT NULL CHECK (a IN (0, 1, 2, 3)), b int NOT NULL CHECK (b IN (0, 1, 2)),
			c int NOT NULL CHECK (c IN (0, 1, 2, 3, 4, 5)), d int NOT NULL CHECK (d IN (0, 1, 2, 3, 4)),
			e int NOT NULL CHECK (e IN (0, 1, 2, 3, 4, 5, 6, 7)));
		INSERT INTO five SELECT CASE WHEN i % 7 > 1 THEN i % 3 ELSE i / 3 % 3 END, CASE WHEN i % 5 > 1 THEN i % 2 ELSE i / 5 % 2 END,
			CASE WHEN i % 7 > 2 THEN i % 3 ELSE i / 2 % 5 END, CASE WHEN i % 11 > 3 THEN i % 3 ELSE i / 7 % 4 END,
			CASE WHEN i % 13 > 4 THEN i % 3 ELSE i / 11 % 7 END FROM generate_series(1, 2000) AS i;
		SELECT pegs_set_budget('five', 200, 1e-6);
		SELECT pegs_fit('five', 'five', epsilon => 1, delta => 1e-9);
		SELECT pegs_fit('five, covered', 'five', epsilon => 100, delta => 1e-9);
		SELECT pegs_fit('five, aimed', 'five', epsilon => 1, delta => 1e-9, options => '{"target": "e"}');
		SELECT pegs_fit('five, pure', 'five', epsilon => 1);
		SELECT pegs_fit('five, sealed', 'five');
		SELECT pegs_fit('five, regression', 'five', ARRAY['a', 'b'], parents => '{"a": ["b"]}', method => 'regression');
		-- in the order that they have
		SELECT pegs_set_groups('five', 'e', '{"0": "x", "1": "x", "2": "x", "3": "x", "4": "y", "5": "y", "6": "y", "7": "y"}');
		SELECT pegs_fit('five, grouped', 'five', epsilon => 1, delta => 1e-9);
		CREATE TABLE halves (a boolean NOT NULL, b boolean NOT NULL);
		INSERT INTO halves SELECT i > 3, i > 3 FROM generate_series(1, 6) AS i;
		SELECT pegs_set_budget('halves', 100);
		SELECT pegs_fit('halves', 'halves', method => 'table', options => '{"within": ["b"]}');
		CREATE TABLE narrow (a boolean NOT NULL, b boolean NOT NULL, c int NOT NULL CHECK (c IN (0, 1, 2)), d boolean NOT NULL);
		INSERT INTO narrow SELECT i % 2 = 0, i % 3 = 0, i % 5 % 3, (i % 2 = 0) <> (i % 3 = 0) FROM generate_series(1, 2000) AS i;
		SELECT pegs_set_budget('narrow', 200, 1e-6);
		SELECT pegs_fit('narrow', 'narrow', epsilon => 1, delta => 1e-9);
		SELECT pegs_fit('narrow, covered', 'narrow', epsilon => 100, delta => 1e-9);
		SELECT pegs_fit('narrow, pure', 'narrow', epsilon => 1);
		CREATE TABLE persons (id int NOT NULL, a boolean NOT NULL, b boolean NOT NULL);
		INSERT INTO persons SELECT i % 100, i % 3 = 0, i % 4 > 0 FROM generate_series(1, 400) AS i;
		SELECT pegs_set_budget('persons', 10), pegs_set_unit('persons', 'id', 3);
		SELECT pegs_fit('persons', 'persons', ARRAY['a', 'b'], epsilon => 1);
		SELECT pegs_fit('persons, sealed', 'persons', ARRAY['a', 'b'], parents => '{"a": ["b"]}')});
	# two tables, of which the seeds of siblings alone know: both stays of a patient are in one ward
	$node->safe_psql($name, q{
		CREATE TABLE patient (id int PRIMARY KEY, sex text NOT NULL CHECK (sex IN ('F', 'M')));
		CREATE TABLE stay (id int PRIMARY KEY, patient int REFERENCES patient, ward text NOT NULL CHECK (ward IN ('A', 'B', 'C')));
		INSERT INTO patient SELECT i, 'F' FROM generate_series(1, 100) AS i;
		INSERT INTO stay SELECT i, 1 + i % 100, substr('ABC', 1 + i % 3, 1) FROM generate_series(1, 200) AS i;
		UPDATE stay SET ward = substr('ABC', 1 + patient % 3, 1);
		SELECT pegs_set_parent('stay', 'patient', children => '{0, 1, 2, 3}', at_most => 3);
		SELECT pegs_set_budget('patient', 100, 1e-6);
		SELECT pegs_fit_schema('siblings', 'patient', epsilon => 20, delta => 1e-9)}) if $name =~ /^(sound|siblings_.*)$/;
	# other methods, of which their seeds alone know; alike: a row is in the same cell of each column
	$node->safe_psql($name, q{
		CREATE TABLE alike (a boolean NOT NULL, b boolean NOT NULL, c boolean NOT NULL, d boolean NOT NULL);
		INSERT INTO alike SELECT true, true, true, true FROM generate_series(1, 6);
		SELECT pegs_set_budget('alike', 100);
		SELECT pegs_fit('five, normals', 'five', epsilon => 1, method => 'copula');
		SELECT pegs_fit('five, tau', 'five', epsilon => 1, method => 'copula', options => '{"correlation": "kendall"}');
		SELECT pegs_fit('five, law', 'five', epsilon => 1, method => 'pmse');
		SELECT pegs_score_fit('five, score', 'five', 'e', ARRAY['0'], epsilon => 1);
		SELECT pegs_fit('alike, urns', 'alike', epsilon => 1, method => 'marginals', options => '{"noise": "dirichlet", "rows": 20}')}) if $name =~ /^(sound|sums|tau|monotone|fit_.*)$/;
	$move->() if $name =~ /^(priced|unit|structure|modest)$/;
}

sub answer
{
	my ($name, $sql) = @_;
	my $answer = $node->safe_psql($name, $sql);
	note("$name: $sql: $answer");
	return $answer;
}

# ---- pegs_verify ----

my $verify = "SELECT holds, worst <= bound + 1e-9 FROM pegs_verify('two'";
is(answer('sound', "$verify)"), 't|t', 'pegs_verify: the mechanism holds');
is(answer('sound', "$verify, block => 2)"), 't|t', 'and a block of two rows');
is(answer('alpha', "$verify)"), 'f|f', 'half of the noise: pegs_verify says so');
is(answer('alpha', "$verify, block => 2)"), 'f|f', 'and of a block of two rows');
is(answer('visit', "$verify)"), 't|t', 'without Reset one row is as private as before');
is(answer('visit', "$verify, block => 2)"), 'f|f', 'two rows are not: pegs_verify says so');
is(answer('visit', "$verify, epsilon => 0.1, block => 3)"), 'f|f', 'nor are three, at another epsilon');

is(answer('ask_alpha', "SELECT holds FROM pegs_verify('two')"), 'f', 'a quarter of the noise where pegs_sample sets it: pegs_verify says so');
is(answer('ask_block', "SELECT holds FROM pegs_verify('two', block => 2)"), 'f', 'blocks cut short where the sampler is set: pegs_verify says so');

# ---- pegs_sample, from outside: how often does a level come that nobody has? ----

# Of N rows of one level and C levels: alpha / (N + C alpha) of the first row of a block, then one of C (the cell was used).
# Eight standard deviations of 16000 rows, and .001: less than 1e-14. The broken ones are off by fifteen more.
sub share_of_nobody
{
	my ($name, $block) = @_;
	my $epsilon = 640 / $block;
	return answer($name, qq{
		WITH a AS (SELECT alpha FROM pegs_cost('lonely', 16000, $epsilon, $block)),
		real AS (SELECT (1 / (exp($epsilon / (16000.0 / $block)) - 1)) AS alpha),
		due AS (SELECT (real.alpha / (30 + 2 * real.alpha) + ($block - 1) * 0.5) / $block AS p, a.alpha - real.alpha AS off FROM a, real),
		drawn AS (SELECT avg((NOT a)::int::float8) AS p FROM pegs_sample('lonely', 16000, $epsilon, $block) AS (a boolean))
		SELECT abs(off) < 0.001, abs(drawn.p - due.p) < 8 * sqrt(due.p * (1 - due.p) / 16000) + 0.001 FROM due, drawn});
}
is(share_of_nobody('sound', $_), 't|t', "pegs_sample, block $_: a level that nobody has comes as often as alpha says") for 1, 2;
is(share_of_nobody('ask_alpha', 1), 't|f', 'a quarter of alpha: not so');
is(share_of_nobody('ask_block', 2), 't|f', 'blocks cut short: not so');

# ---- pegs_audit ----

# A sound build: each bound that holds goes by is wrong with a chance below 1e-7 (PEGS_AUDIT_MISS in src/measures/measures.h), and takes two such bounds, or
# moments larger than the noise has, to be wrong at once: six deviations and more, below 1e-9.
my $audit = "SELECT holds, coalesce(reason, '') FROM pegs_audit";
for my $model ("'five', 400", "'five, covered', 400", "'five, aimed', 400", "'five, grouped', 400", "'five, pure', 400", "'narrow', 400", "'narrow, covered', 400", "'narrow, pure', 400", "'noisy', 2000", "'five, sealed', 4000", "'five, sealed', 2000, 1, 12, 4", "'lonely', 20000", "'two', 5000, 3, 6, 3",
	"'persons', 1000", "'persons, sealed', 4000", "'persons, sealed', 2000, 2, 7, 3, '{\"b\": true}'",
	"'persons, sealed', 1000, 2, 60, 3, NULL, 1e-9", "'five, sealed', 1000, 1, 40, 1, NULL, 1e-6",
	"'five, regression', 400, 1, 20", "'halves', 4000, 1, 3", "'siblings', 100",
	"'five, normals', 200", "'five, tau', 100", "'five, law', 100", "'five, score', 200", "'alike, urns', 1000",
	"'five, sealed', 500, 1, 200, 1, NULL, 1e-6, '{\"draw\": \"urn\"}'", "'persons, sealed', 1000, 2, 6, options => '{\"draw\": \"urn\", \"sweeps\": 2}'")
{
	is(answer('sound', "$audit($model)"), 't|', "pegs_audit($model): the mechanism holds");
}
# fits that measure all pairs are among them, and fits with tables of three columns
is(answer('sound', "SELECT jsonb_array_length(pegs_describe('five, covered') -> 'pairs')"), '10', 'all pairs are measured');
for my $model ('narrow', 'narrow, covered', 'narrow, pure')
{
	is(answer('sound', "SELECT jsonb_array_length(pegs_describe('$model') -> 'triples') > 0"), 't', "$model: three columns at once");
}
# what it computes is what was paid, to the last digits, where there is one column and no choice
is(answer('sound', "SELECT round(exact_epsilon::numeric, 9) FROM pegs_audit('noisy', 100)"), '1.000000000', 'a fit of one column costs its epsilon');
is(answer('sound', "SELECT exact_epsilon BETWEEN 0.999 AND 1 FROM pegs_audit('five', 100)"), 't', 'and a fit of five columns its own');
# .89 with a deviation of .03: the sample spends .97 of 1, and the bound may pass both
is(answer('sound', "SELECT lower_bound > 0.4 FROM pegs_audit('lonely', 200000)"), 't', 'pegs_audit, sealed: its bound sees something');

my %told = (
	cost => 'a step tells more than was paid for it',
	table => 'a measured table changes by more than its sensitivity',
	score => 'a score changes by more than its sensitivity',
	total => 'the steps of a run together tell more than epsilon and delta allow',
	beside => 'the fit reads counts beside the answers that it pays for',
	reset => 'a cell that was used in a block still weighs by its counts',
	urn => 'an urn does not hold its table and what was drawn from it',
	visit => 'one draw tells more than its share of epsilon',
	noise => 'less noise is drawn than was paid for, or cells share it',
	choice => 'choices are drawn with less chance than was paid for',
	ratio => 'a likelihood ratio is above e^epsilon',
	apart => 'the tables are told apart better than epsilon and delta allow');
# with as many runs as it makes by itself; it stops when it is sure
for my $seen (
	[ 'alpha', "'lonely'", 'visit' ], [ 'alpha', "'five, sealed'", 'visit' ], [ 'visit', "'two', block => 2", 'reset' ],
	[ 'visit', "'five, sealed', n => 12, block => 4", 'reset' ],
	[ 'pair4', "'five'", 'cost' ], [ 'pair16', "'five'", 'cost' ], [ 'pair100', "'five'", 'cost' ], [ 'pure_pair4', "'five, pure'", 'cost' ],
	[ 'choice1000', "'five'", 'cost' ], [ 'pure_choice100', "'five, pure'", 'cost' ],
	[ 'drawn_pair', "'five'", 'noise' ], [ 'drawn_choice', "'five'", 'choice' ], [ 'drawn_choice', "'five, pure'", 'choice' ],
	[ 'laplace', "'noisy'", 'noise' ], [ 'laplace', "'five, pure'", 'noise' ],
	[ 'unit', "'persons'", 'table' ], [ 'score', "'five'", 'score' ], [ 'score', "'five, pure'", 'score' ],
	[ 'pair4', "'five, covered'", 'cost' ], [ 'drawn_pair', "'five, covered'", 'noise' ], [ 'cover', "'five, covered'", 'total' ], [ 'rho', "'five, covered'", 'total' ],
	[ 'cover', "'narrow, covered'", 'total' ], [ 'pair4', "'narrow, covered'", 'cost' ], [ 'drawn_pair', "'narrow, covered'", 'noise' ],
	[ 'triple_cells', "'narrow, covered'", 'table' ], [ 'triple_cells', "'narrow'", 'table' ], [ 'triple_cells', "'narrow, pure'", 'table' ],
	[ 'triple_score', "'narrow'", 'score' ], [ 'triple_score', "'narrow, pure'", 'score' ], [ 'triple_score', "'narrow, covered'", 'score' ],
	[ 'triple_free', "'narrow, covered'", 'total' ], [ 'triple_free', "'narrow'", 'total' ], [ 'triple_offer', "'narrow'", 'beside' ],
	[ 'siblings_rows', "'siblings'", 'table' ], [ 'siblings_score', "'siblings'", 'score' ], [ 'siblings_free', "'siblings'", 'total' ],
	[ 'aimed', "'five, aimed', 400", 'score' ], [ 'pair4', "'five, aimed'", 'cost' ],
	[ 'rho', "'five'", 'total' ], [ 'spend', "'five'", 'cost' ], [ 'spend', "'five, pure'", 'cost' ],
	[ 'beside', "'five'", 'beside' ], [ 'beside', "'five, pure'", 'beside' ], [ 'beside', "'noisy'", 'beside' ],
	[ 'parents', "'five, sealed'", 'score' ],
	[ 'ask_alpha', "'lonely'", 'visit' ], [ 'ask_alpha', "'five, sealed'", 'visit' ],
	[ 'ask_block', "'two', block => 2", 'reset' ], [ 'ask_block', "'five, sealed', n => 12, block => 4", 'reset' ],
	[ 'ask_n', "'five, sealed', n => 12, block => 4", 'visit' ], [ 'ask_whole', "'five, sealed', n => 12, block => 4", 'visit' ],
	[ 'alpha', "'five, sealed', n => 40, delta => 1e-6", 'visit' ], [ 'ask_alpha', "'five, sealed', n => 40, delta => 1e-6", 'visit' ],
	[ 'visit', "'five, sealed', n => 40, block => 2, delta => 1e-6", 'reset' ],
	[ 'ranged_rows', "'persons, sealed', n => 60, delta => 1e-9", 'visit' ], [ 'ranged_visits', "'five, sealed', n => 40, delta => 1e-6", 'visit' ],
	[ 'free_delta', "'five, sealed', n => 40, delta => 1e-6", 'visit' ],
	[ 'plug_in', "'five, sealed', n => 40, delta => 1e-6, options => '{\"draw\": \"urn\"}'", 'urn' ], [ 'plug_in', "'lonely', n => 4, options => '{\"draw\": \"urn\"}'", 'urn' ],
	[ 'urn_alpha', "'five, sealed', n => 40, delta => 1e-6, options => '{\"draw\": \"urn\"}'", 'total' ],
	[ 'ask_alpha', "'five, sealed', n => 40, delta => 1e-6, options => '{\"draw\": \"urn\"}'", 'total' ],
	[ 'floor', "'five, regression', n => 20", 'visit' ], [ 'within', "'halves', n => 3", 'ratio' ],
	[ 'sums', "'five, normals'", 'table' ], [ 'sums', "'five, score'", 'table' ], [ 'tau', "'five, tau', 100", 'table' ], [ 'monotone', "'five, law'", 'cost' ],
	[ 'fit_plug_in', "'alike, urns'", 'urn' ], [ 'fit_alpha', "'alike, urns'", 'cost' ],
	[ 'clamp', "'five'", 'beside' ], [ 'clamp', "'five, pure'", 'beside' ],
	[ 'structure', "'five, sealed'", 'score' ], [ 'priced', "'five'", 'total' ], [ 'priced', "'five, pure'", 'total' ],
	[ 'parity', "'noisy'", 'apart' ], [ 'parity', "'noisy, delta'", 'apart' ],
	[ 'shared', "'five'", 'noise' ], [ 'shared', "'five, pure'", 'noise' ], [ 'shared', "'noisy'", 'noise' ])
{
	my ($name, $model, $reason) = @$seen;
	is(answer($name, "$audit($model)"), "f|$told{$reason}", "$name: pegs_audit($model) says so");
}
# classes that are others are other candidates, or the same with other scores
like(answer('grouped', "$audit('five, grouped')"), qr/^f\|(\Q$told{score}\E|\Q$told{beside}\E)$/, "grouped: pegs_audit('five, grouped') says so");
# noise for another amount than is charged: no such fit is charged, or stored
{
	my ($rc, $out, $err) = $node->psql('priced', "SELECT pegs_fit('dear', 'lonely', epsilon => 1)");
	like($err, qr/the fit was not made for what would be charged/, 'priced: its fits are refused');
	is(answer('priced', "SELECT count(*) FROM pegs_models WHERE name = 'dear'"), '0', 'and nothing is stored');
	($rc, $out, $err) = $node->psql('modest', "SELECT pegs_fit('cheap', 'lonely', epsilon => 1)");
	like($err, qr/the fit was not made for what would be charged/, 'modest: its fits are refused');
	is(answer('modest', "SELECT count(*) FROM pegs_models WHERE name = 'cheap'"), '0', 'and nothing is stored');
}
{
	my ($rc, $out, $err) = $node->psql('unit', "SELECT pegs_fit('dear', 'persons', ARRAY['a', 'b'], epsilon => 1)");
	like($err, qr/the fit was not made for what would be charged/, 'unit: so is the noise of one row for a person of three');
}
for my $seen ([ 'structure', 'five' ], [ 'structure_unit', 'persons' ])
{
	my ($name, $table) = @$seen;
	my ($rc, $out, $err) = $node->psql($name, "SELECT pegs_fit('dear', '$table')");
	like($err, qr/the fit was not made for what would be charged/, "$name: the private choice of parents, too");
	is(answer($name, "SELECT count(*) FROM pegs_models WHERE name = 'dear'"), '0', 'and nothing is stored');
}
# what is broken elsewhere is not blamed on what is not
is(answer('pair4', "$audit('five, sealed', 1000)"), 't|', 'a sealed sample has no pairs');
is(answer('pure_pair4', "$audit('five', 200)"), 't|', 'nor a fit with delta the noise of one without');
is(answer('aimed', "$audit('five', 200)"), 't|', 'nor one without a target its weight');
is(answer('grouped', "$audit('five', 200)"), 't|', 'nor one without groups what is made of them');
is(answer('siblings_rows', "$audit('five', 200)"), 't|', 'nor one of one table its siblings');
is(answer('cover', "$audit('five', 200)"), 't|', 'nor one that chooses pairs what all pairs cost');
is(answer('triple_cells', "$audit('five', 200)"), 't|', 'nor one without tables of three columns what they are');

$node->stop;
done_testing();
