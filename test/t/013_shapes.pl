# long: run by make test-all (test/run long), not by make test
# Sources of every shape: right counts or an error of our own, and the server never restarts. Right means: the stored tables
# are byte for byte those of a plain table with the same rows. Then ALTER TABLE after the fit. A-38, A-48.
use strict;
use warnings;
use Test::More;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;

my $node = PostgreSQL::Test::Cluster->new('shapes');
$node->init;
$node->append_conf('postgresql.conf', "autovacuum = off\nrestart_after_crash = off\n");
$node->start;
my $started = $node->safe_psql('postgres', 'SELECT pg_postmaster_start_time()');
my $db = 'postgres';

sub sql { my ($text) = @_; return $node->safe_psql($db, $text) }
sub available { my ($name) = @_; return sql("SELECT count(*) FROM pg_available_extensions WHERE name = '$name'") }

sub error_of
{
	my ($text) = @_;
	my $err = '';

	$node->psql($db, $text, stderr => \$err, extra_params => [ '-v', 'VERBOSITY=verbose' ]);
	return $err =~ /ERROR:  (.*)/ ? $1 : 'no error';
}

# The exact tables of a sealed model without parents, which only the superuser can read.
sub body
{
	my ($source, $columns) = @_;
	my $names = $columns ? "ARRAY['" . join("', '", split ' ', $columns) . "']" : 'NULL';

	return sql("SELECT pegs_fit('shape', '$source', $names, parents => '{}'); SELECT encode(unmasked(body), 'hex') FROM pegs_internal.body JOIN pegs_internal.model ON id = model WHERE name = 'shape'; SELECT pegs_drop('shape')") =~ s/^\s+|\s+$//gr;
}

# The rows that all sources of two columns here give, in a plain table: three x, one y, one without a; a third of them without b.
sub make_plain
{
	sql(q{
		CREATE TABLE plain (a text CHECK (a IN ('x', 'y')), b boolean);
		INSERT INTO plain VALUES ('x', true), ('x', false), ('x', NULL), ('y', true), (NULL, NULL);
		CREATE TABLE fewer (LIKE plain INCLUDING ALL);
		INSERT INTO fewer SELECT * FROM plain WHERE b});
	return;
}

sub same
{
	my ($name, $source, $like, $columns) = @_;

	local $Test::Builder::Level = $Test::Builder::Level + 1;
	is(body($source, $columns), body($like || 'plain', $columns), "A-38 $name: right counts");
	return;
}

sub refused
{
	my ($name, $text, $pattern) = @_;

	$name = "A-38 $name" if $name !~ /^B\.4/;
	local $Test::Builder::Level = $Test::Builder::Level + 1;
	like(error_of($text), $pattern, "$name: a clean error");
	is(error_of('SELECT 1'), 'no error', "$name: the server is there");
	return;
}

# ---- the shapes ----

sub shapes
{
	make_plain();
	isnt(body('plain'), body('fewer'), 'A-38 other rows give other tables: the comparison can fail');

	sql(q{CREATE VIEW v AS SELECT b, a FROM plain; CREATE VIEW vv AS SELECT * FROM v WHERE b;
		CREATE VIEW barrier WITH (security_barrier) AS SELECT a, b FROM plain;
		CREATE MATERIALIZED VIEW mv AS SELECT a, b FROM plain; CREATE MATERIALIZED VIEW unfilled AS SELECT a, b FROM plain WITH NO DATA;
		CREATE VIEW of_mv AS SELECT a, b FROM mv});
	same('view', 'v', 'plain', 'a b');
	same('view of a view with WHERE', 'vv', 'fewer', 'a b');
	same('security-barrier view', 'barrier');
	same('materialised view', 'mv');
	same('view of a materialised view', 'of_mv');
	# its owner may have been shown a part of the table, by a policy that looks at other rows
	sql(q{CREATE TABLE policed (LIKE plain INCLUDING ALL); INSERT INTO policed SELECT * FROM plain;
		ALTER TABLE policed ENABLE ROW LEVEL SECURITY; CREATE POLICY few ON policed USING ((SELECT count(*) FROM plain) > 3);
		DO $$ BEGIN IF to_regrole('shown') IS NULL THEN CREATE ROLE shown; END IF; END $$;
		GRANT SELECT ON policed, plain TO shown; GRANT CREATE ON SCHEMA public TO shown;
		SET ROLE shown; CREATE MATERIALIZED VIEW kept_few AS SELECT a, b FROM policed; CREATE VIEW of_policed AS SELECT a, b FROM policed; RESET ROLE;
		CREATE VIEW of_kept_few AS SELECT a, b FROM kept_few;
		CREATE MATERIALIZED VIEW kept_all AS SELECT a, b FROM policed; CREATE MATERIALIZED VIEW kept_of_few AS SELECT a, b FROM of_policed});
	refused("materialised view by row security, $_", "SELECT pegs_fit('x', '$_', parents => '{}')", qr/^0A000.*row security says which rows it has/) for 'kept_few', 'of_kept_few', 'kept_of_few';
	same('materialised view whose owner is shown all', 'kept_all');
	refused('materialised view without data', "SELECT pegs_fit('x', 'unfilled', parents => '{}')", qr/^55000/);
	refused('join', "CREATE VIEW j AS SELECT x.a FROM plain AS x, plain AS y; SELECT pegs_fit('x', 'j', parents => '{}')", qr/^0A000.*a join/);

	sql(q{
		CREATE TABLE parted (a text CHECK (a IN ('x', 'y')), b boolean) PARTITION BY LIST (a);
		CREATE TABLE parted_x PARTITION OF parted FOR VALUES IN ('x') PARTITION BY LIST (b);
		CREATE TABLE parted_x1 PARTITION OF parted_x FOR VALUES IN (true, NULL);
		CREATE TABLE parted_x2 (junk int, b boolean, a text CHECK (a IN ('x', 'y')));
		ALTER TABLE parted_x2 DROP COLUMN junk;
		ALTER TABLE parted_x2 ADD CONSTRAINT parted_a_check CHECK (a IN ('x', 'y'));
		ALTER TABLE parted_x ATTACH PARTITION parted_x2 DEFAULT;
		CREATE TABLE parted_rest PARTITION OF parted DEFAULT;
		INSERT INTO parted SELECT * FROM plain;
		CREATE TABLE ancestor (a text CHECK (a IN ('x', 'y')), b boolean);
		CREATE TABLE child (more int) INHERITS (ancestor);
		CREATE TABLE grandchild () INHERITS (child);
		INSERT INTO ancestor SELECT * FROM plain WHERE a = 'y';
		INSERT INTO child SELECT a, b, 1 FROM plain WHERE a IS NULL;
		INSERT INTO grandchild SELECT a, b, 2 FROM plain WHERE a = 'x';
		CREATE TABLE without_children (LIKE plain INCLUDING ALL);
		INSERT INTO without_children SELECT * FROM plain WHERE a = 'x'});
	same('partitions of partitions, of another column order', 'parted');
	same('partitioned table in the middle', 'parted_x', 'without_children');
	same('inheritance parent', 'ancestor');
	same('inheritance child that is a parent', 'grandchild', 'without_children', 'a b');
	same('view of an inheritance parent', do { sql('CREATE VIEW of_ancestor AS SELECT a, b FROM ancestor'); 'of_ancestor' });
	refused('view of ONLY the parent is read as what it is',
		"CREATE VIEW only_parent AS SELECT a, b FROM ONLY ancestor; SELECT pegs_fit('only', 'only_parent', parents => '{}'); SELECT 1 / (1 - count(*)) FROM pegs_models WHERE name = 'only'", qr/^22012/);
	sql("SELECT pegs_drop('only')");

	sql(q{CREATE TABLE empty (LIKE plain INCLUDING ALL); CREATE TABLE nothing (); INSERT INTO nothing DEFAULT VALUES;
		CREATE TABLE emptied (LIKE plain INCLUDING ALL); INSERT INTO emptied SELECT * FROM plain; DELETE FROM emptied});
	same('empty table', 'emptied', 'empty');
	is(length body('empty'), length body('plain'), 'A-38 empty table: as large as any other');
	is(sql("SELECT pegs_set_budget('empty', 10)") . sql("SELECT pegs_fit('e', 'empty', epsilon => 1); SELECT count(*) FROM pegs_sample('e', 7) AS t(a text, b boolean)") =~ s/^\s+//r, 7, 'A-38 empty table: gives rows');
	refused('table of no columns', "SELECT pegs_fit('x', 'nothing', parents => '{}')", qr/^22023/);
	refused('none of its columns', "SELECT pegs_fit('x', 'plain', columns => '{}', parents => '{}')", qr/^22023/);

	# 65 and more: through the aggregate and without it
	for my $n (65, 98, 300)
	{
		my @names = map { "c$_" } 1 .. $n;

		sql("CREATE TABLE many$n (" . join(', ', map { "$_ boolean" } @names) . "); INSERT INTO many$n SELECT " . join(', ', map { "i % $_ = 0" } 2 .. $n + 1) . ' FROM generate_series(1, 500) AS i');
		my $body = body("many$n");
		cmp_ok(length $body, '>', 2 * 3 * 8 * $n, "A-38 $n columns");
		next if $n > 98;
		my $list = join ', ', @names;
		my $array = "ARRAY['" . join("', '", @names) . "']";
		is(sql("SELECT encode(pegs_internal.state_send(pegs_agg((SELECT pegs_spec('many$n', $array, parents => '{}')), $list)), 'hex') FROM many$n"), $body, "A-38 $n columns: pegs_agg gives the same");
	}
	# older minor releases of the server do not count an aggregate's arguments: there it is the spec that is no spec
	refused('99 columns through the aggregate', "SELECT pegs_agg('x', " . join(', ', ('true') x 99) . ')', qr/^(54023|22P02)/);

	sql(q{
		CREATE TABLE dropped (gone text, a text CHECK (a IN ('x', 'y')), gone_too numeric, b boolean, gone_last int[]);
		INSERT INTO dropped SELECT 'secret', a, 1.5, b, '{1}' FROM plain WHERE a IS NOT NULL;
		ALTER TABLE dropped DROP COLUMN gone, DROP COLUMN gone_too, DROP COLUMN gone_last;
		INSERT INTO dropped SELECT * FROM plain WHERE a IS NULL;
		CREATE TABLE generated (a0 text, a text GENERATED ALWAYS AS (lower(a0)) STORED CHECK (a IN ('x', 'y')), b boolean);
		INSERT INTO generated (a0, b) SELECT upper(a), b FROM plain;
		CREATE TABLE added (nothing int); INSERT INTO added SELECT 1 FROM plain WHERE a = 'x';
		ALTER TABLE added ADD COLUMN a text DEFAULT 'x' CHECK (a IN ('x', 'y')), ADD COLUMN b boolean DEFAULT true;
		CREATE TABLE defaults (LIKE plain INCLUDING ALL); INSERT INTO defaults SELECT 'x', true FROM added;
		CREATE TABLE updated (LIKE plain INCLUDING ALL) WITH (fillfactor = 50); INSERT INTO updated SELECT 'y', false FROM plain;
		UPDATE updated SET a = p.a, b = p.b FROM (SELECT row_number() OVER () AS i, * FROM plain) AS p,
			(SELECT row_number() OVER () AS i, ctid AS at FROM updated) AS u WHERE u.i = p.i AND u.at = updated.ctid;
		CREATE TYPE pair AS (a text, b boolean);
		CREATE TABLE typed OF pair; ALTER TABLE typed ADD CHECK (a IN ('x', 'y')); INSERT INTO typed SELECT * FROM plain;
		CREATE UNLOGGED TABLE unlogged (LIKE plain INCLUDING ALL); INSERT INTO unlogged SELECT * FROM plain;
		CREATE TABLE ruled (LIKE plain INCLUDING ALL); CREATE RULE nowhere AS ON INSERT TO ruled WHERE NEW.a IS NULL DO INSTEAD NOTHING; INSERT INTO ruled SELECT * FROM plain; DROP RULE nowhere ON ruled; INSERT INTO ruled VALUES (NULL, NULL);
		CREATE TABLE nulls (a text CHECK (a IN ('x', 'y')), b boolean); INSERT INTO nulls SELECT NULL, NULL FROM generate_series(1, 2000)});
	same('dropped columns', 'dropped');
	same('generated column', 'generated', 'plain', 'a b');
	same('columns that were added with a default, to rows that were there', 'added', 'defaults', 'a b');
	same('rows that were updated', 'updated');
	same('table of a type', 'typed');
	same('unlogged table', 'unlogged');
	same('table with rules', 'ruled');
	same('columns that are all NULL', do { sql("CREATE VIEW all_null AS SELECT a, b FROM nulls"); 'all_null' }, 'nulls');
	sql(q{CREATE TABLE virtual (a0 text, a text GENERATED ALWAYS AS (a0) VIRTUAL, b boolean); INSERT INTO virtual (a0, b) SELECT * FROM plain; SELECT pegs_set_levels('virtual', 'a', levels => ARRAY['x', 'y'])}), same('virtual generated column', 'virtual', 'plain', 'a b')
		if $node->pg_version >= 18;

	# 1 MB, out of line: compressed, not compressed, and short ones beside them
	sql(q{
		CREATE TABLE toasted (a text, b text); ALTER TABLE toasted ALTER COLUMN b SET STORAGE EXTERNAL;
		INSERT INTO toasted VALUES (repeat('x', 1048576), repeat('y', 1048576)), ('short', 'short'), (repeat('z', 3000), repeat('z', 3000)), (NULL, 'short');
		CREATE TABLE short (a text, b text); INSERT INTO short VALUES ('long', 'long'), ('short', 'short'), ('long', 'long'), (NULL, 'short');
		SELECT pegs_set_levels(t, c, levels => ARRAY['short', 'long'], other => 'long') FROM unnest(ARRAY['toasted', 'short']::regclass[]) AS t, unnest(ARRAY['a', 'b']::name[]) AS c});
	same('1 MB of text, toasted', 'toasted', 'short');
	refused('1 MB of text that is not declared', "SELECT pegs_set_levels('toasted', 'a', levels => ARRAY['short']); SELECT pegs_fit('x', 'toasted', ARRAY['a'], parents => '{}')", qr/^23514: column "a" holds a value that is not in its declared domain$/);
	is(sql("SELECT pegs_set_levels('toasted', 'a', levels => ARRAY[repeat('x', 1048576), 'short'], other => 'rest'); SELECT pegs_fit('long', 'toasted', ARRAY['a'], parents => '{}'); SELECT pegs_set_budget('toasted', 1000);
		SELECT max(length(a)) <= 1048576 FROM pegs_sample('long', 5, epsilon => 1) AS t(a text)") =~ s/^\s+//r, 't', 'A-38 1 MB of text can be a level');

	# padding counts in varchar and text, not in char
	sql(q{
		CREATE TABLE padded (a char(4) NOT NULL, b text NOT NULL); INSERT INTO padded VALUES ('x', 'x'), ('x   ', 'x '), ('y', 'x');
		CREATE TABLE bare (a char(4) NOT NULL, b text NOT NULL); INSERT INTO bare VALUES ('x', 'x'), ('x', 'x '), ('y', 'x');
		SELECT pegs_set_levels(t, 'a', levels => ARRAY['x', 'y']), pegs_set_levels(t, 'b', levels => ARRAY['x', 'x ']) FROM unnest(ARRAY['padded', 'bare']::regclass[]) AS t});
	same('padding of char', 'padded', 'bare');

	# equal by the collation, different by their bytes: levels are bytes
	if (sql("SELECT count(*) FROM pg_collation WHERE collprovider = 'i'"))
	{
		sql(q{CREATE COLLATION folded (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
			CREATE TABLE folded_rows (a text COLLATE folded, b boolean); INSERT INTO folded_rows VALUES ('x', true), ('X', true), ('X', false);
			CREATE TABLE exact_rows (a text, b boolean); INSERT INTO exact_rows SELECT * FROM folded_rows;
			SELECT pegs_set_levels(t, 'a', levels => ARRAY['x', 'X']) FROM unnest(ARRAY['folded_rows', 'exact_rows']::regclass[]) AS t});
		same('nondeterministic collation', 'folded_rows', 'exact_rows');
		refused('nondeterministic collation: equal is not the same', "SELECT pegs_set_levels('folded_rows', 'a', levels => ARRAY['x']); SELECT pegs_fit('x', 'folded_rows', parents => '{}')", qr/^23514/);
		sql("CREATE TABLE folded_check (a text COLLATE folded CHECK (a IN ('x', 'y')), b boolean)");
		# the CHECK lets 'X' in, and does not name it: it is no list of levels, or the fit meets a value that is none
		refused('nondeterministic collation: a value that a CHECK lets in', "INSERT INTO folded_check VALUES ('X', true); SELECT pegs_fit('x', 'folded_check', parents => '{}')", qr/^(23514|22023)/);
	}
	else { note('this server has no ICU collations') }

	# foreign tables: by file_fdw (a program), and by postgres_fdw from this server
	if (available('file_fdw'))
	{
		sql(q{CREATE EXTENSION file_fdw; CREATE SERVER files FOREIGN DATA WRAPPER file_fdw;
			CREATE FOREIGN TABLE from_file (a text CHECK (a IN ('x', 'y')), b boolean) SERVER files OPTIONS (program 'printf ''x,t\nx,f\nx,\ny,t\n,\n''', format 'csv');
			CREATE FOREIGN TABLE from_nowhere (a text CHECK (a IN ('x', 'y')), b boolean) SERVER files OPTIONS (program 'exit 3', format 'csv')});
		same('foreign table, file_fdw', 'from_file');
		refused('foreign table that cannot be read', "SELECT pegs_fit('x', 'from_nowhere', parents => '{}')", qr/^38000/);
	}
	else { note('file_fdw is not installed') }
	if (available('postgres_fdw'))
	{
		my ($host, $port) = ($node->host, $node->port);

		sql("CREATE EXTENSION postgres_fdw; CREATE SERVER here FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '$host', port '$port', dbname 'beyond_$db');
			CREATE USER MAPPING FOR CURRENT_USER SERVER here; CREATE TABLE plain_x (LIKE plain INCLUDING ALL); INSERT INTO plain_x SELECT * FROM plain WHERE a = 'x'");
		# tables of another database, with the same rows
		sql("CREATE DATABASE beyond_$db");
		$node->safe_psql("beyond_$db", "CREATE EXTENSION postgres_fdw; CREATE SERVER first FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '$host', port '$port', dbname '$db'); CREATE USER MAPPING FOR CURRENT_USER SERVER first;"
			. join('', map { "CREATE FOREIGN TABLE its_$_ (a text, b boolean) SERVER first OPTIONS (table_name '$_'); CREATE TABLE $_ AS SELECT * FROM its_$_;" } 'plain', 'plain_x'));
		sql("CREATE FOREIGN TABLE from_here (a text CHECK (a IN ('x', 'y')), b boolean) SERVER here OPTIONS (table_name 'plain');
			CREATE TABLE mixed (a text CHECK (a IN ('x', 'y')), b boolean) PARTITION BY LIST (a);
			CREATE FOREIGN TABLE mixed_x PARTITION OF mixed FOR VALUES IN ('x') SERVER here OPTIONS (table_name 'plain_x');
			CREATE TABLE mixed_rest PARTITION OF mixed DEFAULT; INSERT INTO mixed SELECT * FROM plain WHERE a IS DISTINCT FROM 'x';
			CREATE VIEW of_foreign AS SELECT a, b FROM from_here");
		same('foreign table, postgres_fdw', 'from_here');
		same('foreign partition', 'mixed');
		same('view of a foreign table', 'of_foreign');
	}
	else { note('postgres_fdw is not installed') }

	# what is no source at all
	sql('CREATE SEQUENCE seq; CREATE INDEX plain_index ON plain (a)');
	refused("'$_->[0]'", "SELECT pegs_fit('x', '$_->[0]', parents => '{}')", $_->[1])
		for [ 'seq', qr/^42809/ ], [ 'plain_index', qr/^42809/ ], [ 'pair', qr/^42809/ ], [ 'pg_class', qr/^42809/ ], [ 'pg_stats', qr/^(42809|0A000)/ ], [ 'pegs_models', qr/^(42809|0A000)/ ],
		[ 'pegs_internal.body', qr/^22023|^0A000|^42809/ ], [ 'no_such', qr/^42P01/ ];
	refused('a relation that is being dropped', 'BEGIN; CREATE TABLE brief (a boolean); DROP TABLE brief; SELECT pegs_fit(\'x\', \'brief\', parents => \'{}\')', qr/^42P01/);
	return;
}

sql(q{CREATE EXTENSION pegs; CREATE FUNCTION unmasked(bytea) RETURNS bytea LANGUAGE c STRICT AS '$libdir/pegs', 'pegs_unmasked'});
shapes();

# The same in a database whose own collation is ICU's, of another encoding order than C.
my $out = '';
if ($node->psql('postgres', "CREATE DATABASE icu TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'und' ENCODING 'UTF8' LOCALE 'C'", stderr => \$out) == 0)
{
	$db = 'icu';
	sql(q{CREATE EXTENSION pegs; CREATE FUNCTION unmasked(bytea) RETURNS bytea LANGUAGE c STRICT AS '$libdir/pegs', 'pegs_unmasked'});
	shapes();
	$db = 'postgres';
}
else { note("no ICU database here: $out") }

# ---- A-48: ALTER TABLE after the fit ----

sql(q{
	CREATE TABLE visit (a text NOT NULL CHECK (a IN ('x', 'y')), b boolean NOT NULL, c smallint NOT NULL CHECK (c IN (1, 2)), d date);
	INSERT INTO visit SELECT CASE WHEN i % 3 = 0 THEN 'x' ELSE 'y' END, i % 2 = 0, 1 + i % 2, '2020-01-01' FROM generate_series(1, 60) AS i;
	SELECT pegs_set_budget('visit', 1000);
	SELECT pegs_fit('noisy', 'visit', ARRAY['a', 'b', 'c'], epsilon => 1);
	SELECT pegs_fit('sealed', 'visit', ARRAY['a', 'b', 'c'], parents => '{"b": ["a"]}');
	SELECT pegs_release('kept', 'sealed', 50, epsilon => 1);
	SELECT pegs_release('kept noisy', 'noisy', 50)});
my $as = 'AS t(a text, b boolean, c smallint)';
my %same = ('noisy' => "SELECT md5(string_agg(t::text, ',')) FROM pegs_sample('noisy', 200) $as", 'kept' => "SELECT md5(string_agg(t::text, ',')) FROM pegs_rows('kept') $as",
	'kept noisy' => "SELECT md5(string_agg(t::text, ',')) FROM pegs_rows('kept noisy') $as", 'row type' => "SELECT pegs_row_type('sealed')",
	'description' => "SELECT md5(pegs_describe('sealed')::text)", 'exact tables' => "SELECT md5(unmasked(body)) FROM pegs_internal.body JOIN pegs_internal.model ON id = model WHERE name = 'sealed'");
my %before = map { $_ => sql($same{$_}) } keys %same;
my $account = sql("SELECT 'visit'::regclass::oid");
my $spent = 2;

for my $alter ('DROP COLUMN b', 'ADD COLUMN e text', 'ALTER COLUMN c TYPE int', 'DROP CONSTRAINT visit_c_check, ALTER COLUMN c TYPE text', 'RENAME COLUMN a TO a2', 'DROP CONSTRAINT visit_a_check', 'ALTER COLUMN a2 DROP NOT NULL',
	'ADD PRIMARY KEY (d)', 'RENAME TO visit2', 'SET SCHEMA elsewhere', 'OWNER TO other', 'DROP COLUMN a2, DROP COLUMN c, DROP COLUMN d, DROP COLUMN e')
{
	my $table = sql("SELECT oid::regclass FROM pg_class WHERE relname IN ('visit', 'visit2')");

	sql('CREATE SCHEMA elsewhere') if $alter =~ /elsewhere/;
	sql('CREATE ROLE other; GRANT USAGE ON SCHEMA elsewhere TO other') if $alter =~ /OWNER/;
	sql("DELETE FROM $table") if $alter =~ /PRIMARY/;
	sql("ALTER TABLE $table $alter");
	for my $what (sort keys %same) { is(sql($same{$what}), $before{$what}, "A-48 after $alter: $what") }
	is(sql("SELECT count(*) || ' ' || count(b) FROM pegs_sample('sealed', 20, epsilon => 1) $as"), '20 20', "A-48 after $alter: the sealed model gives rows");
	$spent++;
	is(sql("SELECT spent FROM pegs_budgets WHERE source = $account"), $spent, "A-48 after $alter: and pays from the same account");
}
refused('A-48 a new fit sees a table of no columns', "SELECT pegs_fit('new', 'elsewhere.visit2', parents => '{}')", qr/^22023/);
sql("ALTER TABLE elsewhere.visit2 ADD COLUMN f boolean NOT NULL, ADD COLUMN a int CHECK (a IN (7, 8)); INSERT INTO elsewhere.visit2 VALUES (true, 7), (false, 8); SELECT pegs_fit('new', 'elsewhere.visit2', parents => '{}')");
is(sql("SELECT pegs_row_type('new')"), 'f boolean, a integer', 'A-48 a new fit sees the new shape');
is(sql("SELECT bool_and(a IN (7, 8) OR a IS NULL) FROM pegs_sample('new', 30, epsilon => 1) AS t(f boolean, a int)"), 't', 'A-48 and gives values of the new columns');
is(sql("SELECT spent FROM pegs_budgets WHERE source = $account"), $spent + 1, 'A-48 from the old account');
refused('A-48 a name that belongs to the old model', "SELECT pegs_fit('sealed', 'elsewhere.visit2', parents => '{}')", qr/^42710/);
sql('DROP TABLE elsewhere.visit2');
# the exact counts go with the table, what was paid for stays
my @sealed = ('description', 'exact tables', 'row type');
is(sql($same{$_}), $before{$_}, "A-48 after DROP TABLE: $_") for 'kept', 'kept noisy', 'noisy';
is_deeply([ sort(@sealed, 'kept', 'kept noisy', 'noisy') ], [ sort keys %same ], 'A-48 after DROP TABLE: all is looked at');
is(sql($same{'exact tables'}), '', 'A-48 after DROP TABLE: the exact tables are gone');
refused("A-48 after DROP TABLE: $_", $same{$_}, qr/^42704/) for 'description', 'row type';

# ---- and all that time ----

is($node->safe_psql('postgres', 'SELECT pg_postmaster_start_time()'), $started, 'A-38 the server was never restarted');
unlike(slurp_file($node->logfile), qr/terminated by signal|PANIC|TRAP|XX000/, 'A-38 no crash and no internal error');
$node->stop;
done_testing();
