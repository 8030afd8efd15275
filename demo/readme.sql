-- demo/readme.sql: README.md starts here.
\set page readme
\ir page.sql
\ir ready.sql
