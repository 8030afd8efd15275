-- demo/start.sql: docs/start.md starts here: a table that has nothing declared.
\set page start
\ir page.sql
DROP TABLE discharges, dispositions CASCADE;
\ir orders.sql
\ir ready.sql
