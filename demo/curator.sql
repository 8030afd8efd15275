-- demo/curator.sql: docs/curator.md starts here, with the facts declared.
\set page curator
\ir page.sql
CREATE EXTENSION pegs;
\ir facts.sql
\ir ready.sql
