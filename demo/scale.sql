-- demo/scale.sql: docs/scale.md starts here. A database that is the hub; the page makes two more, which are the shards.
\set page scale
\ir page.sql
CREATE EXTENSION pegs;
CREATE EXTENSION postgres_fdw;
\ir ready.sql
