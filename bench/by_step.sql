-- by_step.sql: one statement of by.sql, in a backend of its own: \set what, \set statement, \ir by_step.sql
\c
SET client_min_messages = warning;
\ir backend.sql
SELECT pg_temp.cpu_s() AS before, pg_temp.peak_mb() AS held \gset
:statement \g /dev/null
SELECT :'what' AS "what", round((pg_temp.cpu_s() - :before)::numeric, 1) AS "CPU s", :held AS "MB before", pg_temp.peak_mb() AS "peak MB";
