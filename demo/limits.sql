-- demo/limits.sql: docs/limits.md starts here. limits_reader may read every table.
\set page limits
\ir page.sql
CREATE EXTENSION pegs;
SELECT 'CREATE ROLE limits_reader' WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'limits_reader') \gexec
GRANT pg_read_all_data TO limits_reader;
\ir ready.sql
