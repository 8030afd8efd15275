-- demo/dba.sql: docs/dba.md starts here. The extension is installed on the page itself.
\set page dba
\ir page.sql
ALTER TABLE discharges OWNER TO hospital;
ALTER TABLE dispositions OWNER TO hospital;
GRANT CREATE ON SCHEMA public TO hospital;
\ir ready.sql
