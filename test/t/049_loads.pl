# Rows load: options => '{"keys": "number"}' gives running numbers to keys, and plain values to other columns that a table wants and
# a model has not. CREATE TABLE copy (LIKE t INCLUDING ALL) takes them, for tables of the shapes that a trial on real data met: a film
# rental (serials, composite and unique keys, tsvector, domains), persons of a company, strikes of birds, a census. Laws L1, L2, L9.
use strict;
use warnings;
use Test::More;
use PegsLedger;

my $pegs = PegsLedger->new('loads');
my $node = $pegs->node;
my $keys = q{options => '{"keys": "number"}'};
my $shown = "\\set VERBOSITY default\n";

$pegs->value(q{GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA public TO curator; GRANT CREATE ON SCHEMA public TO curator, analyst});
sub curator { my ($sql) = @_; my ($out, $err) = $pegs->as('curator', $shown . $sql); return ($out, $err) }

# what a table is made of, what is modelled, how many rows, what the copy must say: 1
my %tables = (
	film => [ q{CREATE DOMAIN year AS integer CHECK (VALUE >= 1901 AND VALUE <= 2155); CREATE TYPE rating AS ENUM ('G', 'PG', 'R');
		CREATE TABLE film (film_id serial PRIMARY KEY, title varchar(255) NOT NULL, description text, made year NOT NULL, shown year NOT NULL DEFAULT 2006, rental_duration smallint NOT NULL DEFAULT 3,
			rate numeric(4,2) NOT NULL DEFAULT 4.99 CHECK (rate IN (0.99, 2.99, 4.99)), rating rating DEFAULT 'G', best rating NOT NULL, stars int NOT NULL CHECK (stars BETWEEN 1 AND 5),
			last_update timestamp NOT NULL DEFAULT now(), features text[], words tsvector NOT NULL);
		CREATE INDEX ON film USING gist (words); CREATE INDEX ON film (title);
		INSERT INTO film (title, made, rate, rating, best, stars, words) SELECT 'film ' || i, 2000, (ARRAY[0.99, 2.99, 4.99])[1 + i % 3], 'PG', 'R', 2, 'a' FROM generate_series(1, 200) AS i},
		'rate,rating', q{count(DISTINCT film_id) = max(film_id) AND min(film_id) = 1 AND bool_and(title = '' AND made = 1901 AND shown = 2006 AND rental_duration = 3 AND best = 'G' AND stars = 1
			AND last_update = 'epoch' AND description IS NULL AND words = '')} ],
	film_category => [ q{CREATE TABLE category (category_id serial PRIMARY KEY, name varchar(25) NOT NULL); INSERT INTO category (name) VALUES ('Action'), ('Drama'), ('Music');
		CREATE TABLE film_category (film_id smallint NOT NULL REFERENCES film, category_id smallint NOT NULL REFERENCES category, last_update timestamp NOT NULL DEFAULT now(), PRIMARY KEY (film_id, category_id));
		INSERT INTO film_category SELECT i, 1 + i % 3 FROM generate_series(1, 200) AS i; SELECT pegs_set_lookup('film_category', 'category_id', 'category', 'category_id')},
		'category_id', 'count(DISTINCT film_id) = max(film_id) AND count(DISTINCT category_id) = 3' ],
	address => [ q{CREATE TABLE address (address_id serial PRIMARY KEY, address varchar(50) NOT NULL, address2 varchar(50), district varchar(20) NOT NULL CHECK (district IN ('QLD', 'Texas')), city_id smallint NOT NULL, phone varchar(20) NOT NULL);
		INSERT INTO address (address, district, city_id, phone) SELECT i || ' Street', (ARRAY['QLD', 'Texas'])[1 + i % 2], i, '' FROM generate_series(1, 200) AS i},
		'district', q{count(DISTINCT address_id) = max(address_id) AND bool_and(address = '' AND address2 IS NULL AND city_id = 0)} ],
	customer => [ q{CREATE TABLE customer (customer_id serial PRIMARY KEY, store_id smallint NOT NULL CHECK (store_id IN (1, 2)), first_name varchar(45) NOT NULL, email varchar(50) UNIQUE, address_id smallint NOT NULL REFERENCES address,
			activebool boolean NOT NULL DEFAULT true, create_date date NOT NULL DEFAULT ('now'::text)::date, last_update timestamp DEFAULT now()); CREATE UNIQUE INDEX ON customer (lower(first_name), store_id);
		INSERT INTO customer (store_id, first_name, email, address_id) SELECT 1 + i % 2, 'c' || i, i || '@x', i FROM generate_series(1, 200) AS i},
		'store_id,activebool', q{count(DISTINCT email) = count(*) AND bool_and(email = customer_id::text AND create_date = 'epoch' AND last_update IS NULL)} ],
	inventory => [ q{CREATE TABLE inventory (inventory_id serial PRIMARY KEY, film_id smallint NOT NULL REFERENCES film, store_id smallint NOT NULL CHECK (store_id IN (1, 2))); INSERT INTO inventory (film_id, store_id) SELECT i, 1 + i % 2 FROM generate_series(1, 200) AS i},
		'store_id', 'count(DISTINCT inventory_id) = max(inventory_id) AND max(film_id) = 0' ],
	rental => [ q{CREATE TABLE rental (rental_id serial PRIMARY KEY, rental_date timestamp NOT NULL CHECK (rental_date BETWEEN '2005-05-01' AND '2005-09-01'), inventory_id int NOT NULL REFERENCES inventory, customer_id smallint NOT NULL REFERENCES customer,
			return_date timestamp, staff_id smallint NOT NULL CHECK (staff_id IN (1, 2)), last_update timestamp NOT NULL DEFAULT now()); CREATE UNIQUE INDEX ON rental (rental_date, inventory_id, customer_id);
		INSERT INTO rental (rental_date, inventory_id, customer_id, staff_id) SELECT '2005-05-01'::timestamp + i * interval '1 hour', i, i, 1 + i % 2 FROM generate_series(1, 200) AS i},
		'rental_date,staff_id', 'bool_and(rental_id = inventory_id AND rental_id = customer_id)' ],
	payment => [ q{CREATE TABLE payment (payment_id serial PRIMARY KEY, customer_id smallint NOT NULL REFERENCES customer, staff_id smallint NOT NULL CHECK (staff_id IN (1, 2)), rental_id int NOT NULL REFERENCES rental, amount numeric(5,2) NOT NULL CHECK (amount BETWEEN 0 AND 12),
			payment_date timestamp NOT NULL); INSERT INTO payment (customer_id, staff_id, rental_id, amount, payment_date) SELECT i, 1 + i % 2, i, i % 12, now() FROM generate_series(1, 200) AS i},
		'staff_id,amount', 'count(DISTINCT payment_id) = max(payment_id)' ],
	hr => [ q{CREATE TABLE hr ("Age" int NOT NULL CHECK ("Age" BETWEEN 18 AND 60), "Attrition" boolean NOT NULL, "EmployeeNumber" int PRIMARY KEY, "Department" text NOT NULL CHECK ("Department" IN ('Sales', 'R&D')), "Over18" text NOT NULL DEFAULT 'Y', "StandardHours" int NOT NULL DEFAULT 80);
		INSERT INTO hr SELECT 18 + i % 42, i % 6 = 0, i * 3, (ARRAY['Sales', 'R&D'])[1 + i % 2] FROM generate_series(1, 200) AS i},
		'"Age","Attrition","Department"', q{min("EmployeeNumber") = 1 AND max("EmployeeNumber") = count(*) AND bool_and("Over18" = 'Y' AND "StandardHours" = 80)} ],
	birdstrikes => [ q{CREATE TABLE birdstrikes (strike uuid PRIMARY KEY DEFAULT gen_random_uuid(), code varchar(6) UNIQUE NOT NULL, "Time of day" text CHECK ("Time of day" IN ('Day', 'Night')), "Cost Total $" numeric(12,2) NOT NULL, "Flight Date" date NOT NULL, seen timestamptz NOT NULL, UNIQUE (seen));
		INSERT INTO birdstrikes (code, "Time of day", "Cost Total $", "Flight Date", seen) SELECT i, (ARRAY['Day', 'Night', NULL])[1 + i % 3], 0, '1990-01-08', '1990-01-08'::timestamptz + i * interval '1 s' FROM generate_series(1, 200) AS i},
		'"Time of day"', q{bool_and(strike = ('00000000-0000-8000-8000-' || lpad(to_hex(code::int), 12, '0'))::uuid AND extract(epoch FROM seen) = code::int)} ],
	adult => [ q{CREATE TABLE adult (age int NOT NULL CHECK (age BETWEEN 0 AND 84), sex int NOT NULL CHECK (sex IN (0, 1)), fnlwgt int NOT NULL); INSERT INTO adult SELECT i % 85, i % 2, i FROM generate_series(1, 200) AS i},
		'age,sex', 'bool_and(fnlwgt = 0)' ],
	odd => [ q{CREATE TABLE odd (a boolean NOT NULL, one numeric(9,2), two bigint, three char(7) NOT NULL, UNIQUE (one, two, a), UNIQUE (three), b bytea NOT NULL, j jsonb NOT NULL, i inet NOT NULL, m int4range NOT NULL, s interval NOT NULL, z bit(3) NOT NULL, t time NOT NULL, l int[] NOT NULL, g point NOT NULL);
		INSERT INTO odd SELECT i % 2 = 0, i, i, i::text, '', '{}', '::1', 'empty', '0', '000', '00:00', '{}', '(0,0)' FROM generate_series(1, 200) AS i},
		'a', q{bool_and(one = two AND one = three::int AND j = '{}' AND z = '000' AND l = '{}' AND isempty(m))} ]);

# ---- the rows of every table load into its copy ----
for my $t (qw(film film_category address customer inventory rental payment hr birdstrikes adult odd))
{
	my ($make, $columns, $must) = @{ $tables{$t} };
	my (undef, $err) = curator("$make; SELECT pegs_set_budget('$t', 1000); SET client_min_messages = error; SELECT pegs_fit('$t', '$t', '{$columns}', epsilon => 50)");
	unlike($err, qr/ERROR/, "$t: made and fitted") or diag($err);
	(undef, $err) = curator("CREATE TABLE copy (LIKE $t INCLUDING ALL); INSERT INTO copy SELECT * FROM pegs_sample_as(NULL::$t, '$t', $keys); ANALYZE copy");
	unlike($err, qr/ERROR/, "$t: the rows load") or diag($err);
	is($pegs->value("SELECT (SELECT count(*) FROM pegs_sample_as(NULL::$t, '$t')) = count(*) AND count(*) > 100 AND $must FROM copy"), 't', "$t: all of them, with what keys and fillers must be");
	(undef, $err) = curator("INSERT INTO copy SELECT * FROM pegs_sample_as(NULL::copy, '$t', 20, $keys)");
	like($err, qr/ERROR:  duplicate key/, "$t: the copy has the keys") unless $t eq 'adult';
	curator('DROP TABLE copy');
}
my (undef, $said) = curator("SELECT count(*) FROM pegs_sample_as(NULL::hr, 'hr', 3, $keys)");
like($said, qr/NOTICE:  columns of table "hr" that are not in the model are filled: "Over18", "StandardHours"\nDETAIL:  They are NOT NULL: every row has the same plain value, which says nothing\.$/m, 'which columns are filled is said');
unlike((curator("SELECT count(*) FROM pegs_sample_as(NULL::hr, 'hr', 3)"))[1], qr/filled/, 'and nothing without the option');
is($pegs->value(q{SELECT count("EmployeeNumber") + count("Over18") FROM pegs_sample_as(NULL::hr, 'hr', 3)}), 0, 'NULL then');

# ---- the number is the place ----
is($pegs->value(qq{SELECT string_agg("EmployeeNumber"::text, ' ') FROM (SELECT * FROM pegs_sample_as(NULL::hr, 'hr', 200000, $keys) LIMIT 3 OFFSET 150000) AS t}), '150001 150002 150003', 'LIMIT, behind a batch');
is($pegs->value(qq{BEGIN; DECLARE c SCROLL CURSOR FOR SELECT "EmployeeNumber" FROM pegs_sample_as(NULL::hr, 'hr', 10, $keys); MOVE 7 IN c; FETCH 1 FROM c; MOVE ABSOLUTE 0 IN c; FETCH 2 FROM c; COMMIT}), "8\n1\n2", 'a cursor, back and forth');
is($pegs->value(qq{SELECT string_agg(n::text, ' ') FROM (SELECT "EmployeeNumber" AS n FROM pegs_sample_as(NULL::hr, 'hr', 2, $keys) UNION ALL SELECT "EmployeeNumber" FROM pegs_sample_as(NULL::hr, 'hr', 3, $keys)) AS t}), '1 2 1 2 3', 'two calls count by themselves');
is($pegs->value(qq{SELECT (SELECT string_agg(t::text, ',') FROM pegs_sample('hr', 50) AS t("Age" int)) = (SELECT string_agg(row("Age")::text, ',') FROM pegs_sample_as(NULL::hr, 'hr', 50, $keys))}), 't', 'the rows are the same');

# ---- a column list ----
is($pegs->value(qq{SELECT string_agg("EmployeeNumber", ',') FROM pegs_sample('hr', 3, $keys) AS t("EmployeeNumber" text, "Age" int)}), '1,2,3', 'a column list: keys by the name of the source');
like((curator(qq{SELECT * FROM pegs_sample('hr', 3, $keys) AS t("Over18" text, "Age" int)}))[1], qr/ERROR:  "hr" has no column "Over18"/, 'and nothing else');
like((curator(qq{SELECT * FROM pegs_sample('hr', 3) AS t("EmployeeNumber" int, "Age" int)}))[1], qr/ERROR:  "hr" has no column "EmployeeNumber"/, 'nor without the option');
curator(q{CREATE VIEW staff AS SELECT "EmployeeNumber" AS nr, "Age" AS age FROM hr WHERE "Age" > 20; SELECT pegs_fit('staff', 'staff', '{age}', epsilon => 1)});
is($pegs->value(qq{SELECT string_agg(nr::text, ',') FROM pegs_sample('staff', 3, $keys) AS t(nr int, age int)}), '1,2,3', 'a view: its name of the key');
is($pegs->value(qq{SELECT string_agg(nr::text, ',') FROM pegs_sample_as(NULL::staff, 'staff', 3, $keys)}), '1,2,3', 'a row type that is no table');

# ---- what cannot be numbered is said before a charge ----
curator(q{CREATE TABLE small (id smallint PRIMARY KEY, code varchar(3) UNIQUE, a boolean NOT NULL); INSERT INTO small SELECT i, i, i % 2 = 0 FROM generate_series(1, 100) AS i; SELECT pegs_set_budget('small', 10); SELECT pegs_fit('small', 'small', '{a}', parents => '{}');
	CREATE DOMAIN upto10 AS int CHECK (VALUE <= 10); CREATE TABLE few (id upto10 PRIMARY KEY, a boolean NOT NULL); CREATE TYPE two AS (x int, y int); CREATE TABLE opaque (a boolean NOT NULL, g two NOT NULL); CREATE TABLE bytes (a boolean NOT NULL, id bytea PRIMARY KEY);
	CREATE TABLE pairs (ward text CHECK (ward IN ('A', 'B')), male boolean NOT NULL, PRIMARY KEY (ward, male)); SELECT pegs_set_budget('pairs', 10); SELECT pegs_fit('pairs', 'pairs', epsilon => 1)});
for my $case (
	[ 'smallint', "pegs_sample_as(NULL::small, 'small', 40000, 1, 40000, $keys)", 'ERROR:  column "id" cannot number 40000 rows' ],
	[ 'varchar(3)', "pegs_sample_as(NULL::small, 'small', 1000, 1, 1000, $keys)", 'ERROR:  column "code" cannot number 1000 rows' ],
	[ 'a column list', "pegs_sample('small', 40000, 1, 40000, $keys) AS t(id smallint, a boolean)", 'ERROR:  column "id" cannot number 40000 rows' ],
	[ 'a domain', "pegs_sample_as(NULL::few, 'small', 11, 1, 11, $keys)", 'ERROR:  column "id" is a key, and its domain type upto10 refuses the running number 11' ],
	[ 'a type of which no value is plain', "pegs_sample_as(NULL::opaque, 'small', 3, 1, 3, $keys)", 'ERROR:  column "g" of table "opaque" is NOT NULL, and no value of type two is a plain one' ],
	[ 'a key that takes no number', "pegs_sample_as(NULL::bytes, 'small', 3, 1, 3, $keys)", 'ERROR:  rows may repeat key "bytes_pkey" of table "bytes"' ],
	[ 'a key that the model has', "pegs_sample_as(NULL::pairs, 'pairs', 3, $keys)", 'ERROR:  rows may repeat key "pairs_pkey" of table "pairs"' ])
{
	my ($what, $call, $error) = @$case;
	my $before = $pegs->spent('small');
	my (undef, $err) = curator("SELECT count(*) FROM $call");
	like($err, qr/\Q$error\E/, "$what: refused");
	like($err, qr/^HINT:/m, "$what: with a hint");
	is($pegs->spent('small'), $before, "$what: nothing is charged");
}
{
	my (undef, $err) = curator("SELECT pegs_release('too many', 'small', 40000, 1, 40000, $keys)");
	like($err, qr/ERROR:  column "id" cannot number 40000 rows/, 'a release that its source could not hold');
	is($pegs->spent('small'), 0, 'it is not charged either');
	(undef, $err) = curator("SELECT count(*) FROM pegs_sample_as(NULL::pairs, 'pairs', 3, $keys)");
	my ($make, $type) = $err =~ /HINT:  .*?: (CREATE TABLE .*?;) its row type is (\S+)\.$/m;
	(undef, $err) = curator("$make INSERT INTO synthetic SELECT * FROM pegs_sample_as($type, 'pairs', 30, $keys)");
	unlike($err, qr/ERROR/, 'the hint for a key that the model has: rows load into such a table');
	is($pegs->value('SELECT count(*) FROM synthetic'), 30, 'all of them');
	(undef, $err) = curator("DROP TABLE synthetic; SELECT count(*) FROM pegs_sample_as(NULL::opaque, 'small', 3, 1, 3, $keys)");
	($make, $type) = $err =~ /HINT:  .*, for rows alone: (CREATE TABLE .*;) its row type is (\S+)\.$/m;
	(undef, $err) = curator("$make INSERT INTO synthetic SELECT * FROM pegs_sample_as($type, 'small', 3, 1, 3, $keys)");
	unlike($err, qr/ERROR/, 'the hint for a type of which no value is plain: rows load');
	is($pegs->spent('small'), PegsLedger::units(1), 'sealed: charged once, for the rows that loaded');
	# a part of a key is left alone if it is too small for the numbers, and another is not
	is($pegs->value("SELECT max(inventory_id) || ' ' || max(customer_id) FROM pegs_sample_as(NULL::rental, 'rental', 40000, $keys)"), '40000 0', 'a part of a key that is too small is filled');
}

# ---- what is generated: PostgreSQL's rules ----
{
	curator(q{CREATE TABLE made (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, a boolean NOT NULL, b text GENERATED ALWAYS AS (a::text) STORED); SELECT pegs_set_budget('made', 10); INSERT INTO made (a) VALUES (true); SELECT pegs_fit('made', 'made', '{a}', epsilon => 1);
		CREATE TABLE made2 (LIKE made INCLUDING ALL)});
	my (undef, $err) = curator("INSERT INTO made2 (id, a) OVERRIDING SYSTEM VALUE SELECT id, a FROM pegs_sample_as(NULL::made, 'made', 30, $keys)");
	unlike($err, qr/ERROR/, 'GENERATED ALWAYS: OVERRIDING SYSTEM VALUE');
	is($pegs->value('SELECT max(id) FROM made2 WHERE b = a::text'), 30, 'and the other columns by name');
}

# ---- a release: the same numbers for ever ----
{
	my $read = q{SELECT md5(string_agg(t::text, ',')) FROM pegs_rows_as(NULL::hr, 'hr rows') AS t};
	my $list = q{SELECT string_agg("EmployeeNumber" || ' ' || "Age", ',') FROM pegs_rows('hr rows') AS t("EmployeeNumber" bigint, "Age" int)};
	my $sealed = q{SELECT string_agg(id || code, ',') FROM pegs_rows('small rows') AS t(id int, code text, a boolean)};

	curator("SELECT pegs_release('hr rows', 'hr', 40, $keys), pegs_release('small rows', 'small', 4, 1, 4, $keys), pegs_release('bare rows', 'hr', 4)");
	my ($rows, $numbers) = ($pegs->value($read), $pegs->value($list));
	is($pegs->value(q{SELECT min("EmployeeNumber") || ' ' || max("EmployeeNumber") FROM pegs_rows_as(NULL::hr, 'hr rows')}), '1 40', 'a release has numbers');
	is($pegs->value($read), $rows, 'the same at each read');
	is($pegs->value($sealed), '11,22,33,44', 'a sealed one, too');
	is($pegs->value(q{SELECT count("EmployeeNumber") FROM pegs_rows_as(NULL::hr, 'bare rows')}), 0, 'not without the option');
	is($pegs->value(q{SELECT pegs_describe('hr rows') ->> 'keys'}), 'number', 'it is described');
	my (undef, $err) = curator("CREATE TABLE copy (LIKE hr INCLUDING ALL); INSERT INTO copy SELECT * FROM pegs_rows_as(NULL::hr, 'hr rows')");
	unlike($err, qr/ERROR/, 'its rows load');

	my $file = $PostgreSQL::Test::Utils::tmp_check . '/loads.sql';
	$node->command_ok([ 'pg_dump', '-f', $file, $node->connstr('postgres') ], 'dumped');
	$node->safe_psql('postgres', 'CREATE DATABASE restored');
	$node->command_ok([ 'psql', '-XAtq', '-v', 'ON_ERROR_STOP=1', '-f', $file, $node->connstr('restored') ], 'restored');
	is($node->safe_psql('restored', $read), $rows, 'the same numbers after a restore');

	$pegs->value('DROP TABLE hr CASCADE');
	is($pegs->value($list), $numbers, 'the same when the source is gone');
}

# ---- who makes a release need not trust the owner of the table: a domain of a key is somebody's code ----
{
	curator(q{CREATE TABLE seen (who name); GRANT INSERT ON seen TO PUBLIC;
		CREATE FUNCTION spy(int) RETURNS boolean LANGUAGE plpgsql AS 'BEGIN INSERT INTO seen VALUES (current_user); RETURN $1 < 6; END';
		CREATE DOMAIN watched AS int CHECK (spy(VALUE)); CREATE TABLE trap (id watched PRIMARY KEY, a boolean NOT NULL); SELECT pegs_set_budget('trap', 10);
		SELECT pegs_fit('trap', 'trap', '{a}', parents => '{}'); SELECT pegs_grant('trap', 'analyst', epsilon => 5)});
	my (undef, $err) = $pegs->as('analyst', "SELECT pegs_release('caught', 'trap', 5, 1, 5, $keys)");
	unlike($err, qr/ERROR/, 'a grantee makes a release') or diag($err);
	is($pegs->value('SELECT count(*) FROM seen'), 0, 'no code of the owner ran for that');
	is($pegs->analyst("SELECT string_agg(id::text, ',') FROM pegs_rows('caught') AS t(id int, a boolean)"), '1,2,3,4,5', 'its rows have numbers, in a type of the reader');
	(undef, $err) = curator("SELECT count(*) FROM pegs_sample('trap', 6, 1, 6, $keys) AS t(id watched, a boolean)");
	like($err, qr/ERROR:  column "id" is a key, and its domain type watched refuses the running number 6/, 'a domain that is asked for is looked at, before the charge');
}

# ---- who asks has no right on the table, and holds nothing of it ----
{
	curator("SELECT pegs_grant('address', 'analyst')");
	my $session = $pegs->background('analyst');
	is($session->query("BEGIN; SELECT max(address_id) FROM pegs_sample_as(NULL::address, 'address', 9, $keys); SELECT max(address_id) FROM pegs_sample('address', 9, $keys) AS t(address_id int, district varchar(20))"), "9\n9", 'an analyst');
	is($pegs->value("SELECT count(*) FROM pg_locks WHERE relation = 'address'::regclass"), 0, 'no lock stays on the table');
	$session->query('COMMIT');
	$session->quit;
}

$node->stop;
done_testing();
