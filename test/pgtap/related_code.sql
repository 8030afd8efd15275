-- Functions of a table's owner: none of them runs as whoever fits a model to it, or prints statements of it.
SET client_min_messages = warning;
CREATE EXTENSION pegs;
SELECT * FROM no_plan();
CREATE ROLE carl; GRANT CREATE ON SCHEMA public TO carl; GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA public TO carl;
SET ROLE carl;
-- as carl each may run; as another it is an error that says so
CREATE FUNCTION ran(what int) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN IF current_user <> 'carl' THEN RAISE 'it ran as %', current_user; END IF; RETURN true; END $$;
CREATE FUNCTION checked(what text) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN IF current_user <> 'carl' THEN RAISE 'it ran as %', current_user; END IF; RETURN true; END $$;
CREATE DOMAIN word AS text CHECK (checked(VALUE));

---- what is folded where the relation cache is asked: the condition of an index, an expression of an index
CREATE TABLE root (id int PRIMARY KEY, v text NOT NULL CHECK (v IN ('a', 'b')));
CREATE TABLE child (id int PRIMARY KEY, r int NOT NULL REFERENCES root, n int NOT NULL CHECK (n IN (1, 2, 3)), z word NOT NULL DEFAULT 'x'::text);
CREATE UNIQUE INDEX ON child (r, n) WHERE ran(1);
CREATE UNIQUE INDEX ON child (r, (n + ran(2)::int));
INSERT INTO root SELECT i, 'a' FROM generate_series(1, 100) AS i;
INSERT INTO child SELECT i, i, 1 FROM generate_series(1, 100) AS i;
SELECT pegs_set_parent('child', 'root', children => '{0, 1, 2}', at_most => 2), pegs_set_budget('root', 1e4);
RESET ROLE;
-- as a session that has not folded them yet
ALTER INDEX child_r_n_idx RENAME TO when_ran; ALTER INDEX child_r_expr_idx RENAME TO with_ran;
SELECT lives_ok($$SELECT * FROM pegs_schema('root')$$, 'pegs_schema runs nothing of the owner''s');
SELECT lives_ok($$SELECT * FROM pegs_propose('child')$$, 'nor does pegs_propose');
SELECT lives_ok($$SELECT * FROM pegs_facts('child')$$, 'nor pegs_facts');
SELECT lives_ok($$SELECT pegs_fit_schema('m', 'root', columns => '{"child": ["n"]}', epsilon => 50)$$, 'nor a fit');
SELECT ok((SELECT c -> 'may_repeat' ->> 0 LIKE 'rows of child may repeat (r, n)%' FROM pegs_certificate('m') AS c), 'an index with a condition may repeat');

---- a column that is left out, NOT NULL and of a domain: its plain value is printed, not tried
SELECT pegs_release('rel', 'm', 100);
SELECT ok((SELECT count(*) > 5 FROM pegs_copy_sql('rel', 'cp')), 'nor do statements that are printed for another role');
SET ROLE carl;
ALTER DOMAIN word ADD CONSTRAINT long CHECK (length(VALUE) > 1) NOT VALID;
SELECT throws_ok($$SELECT count(*) FROM pegs_copy_sql('rel', 'cp')$$, '23514', NULL, 'for the domain''s owner it is tried');
ALTER DOMAIN word DROP CONSTRAINT long;
RESET ROLE;

---- slices: an expression of a partition key
SET ROLE carl;
CREATE TABLE event (at date NOT NULL, kind text NOT NULL CHECK (kind IN ('a', 'b'))) PARTITION BY RANGE (at, (extract(year FROM at)::int + ran(3)::int));
CREATE TABLE event_1 PARTITION OF event DEFAULT;
CREATE TRIGGER keep BEFORE UPDATE ON event FOR EACH ROW EXECUTE FUNCTION pegs_keep_slices('at');
ALTER TABLE event ENABLE ALWAYS TRIGGER keep;
SELECT pegs_set_budget('event', 10000);
RESET ROLE;
ALTER TABLE event RENAME kind TO mood; ALTER TABLE event_1 RENAME TO event_0;
SELECT lives_ok($$SELECT pegs_set_slices('event', 'at', '1 day', '2026-01-01', 900)$$, 'nor do slices');
SELECT lives_ok($$SELECT pegs_fit_slices('e', 'event')$$, 'nor a fit of them');
SELECT * FROM finish();
