-- backend.sql: what this backend has needed, for a script of this folder: \ir backend.sql. Seconds on the processor by the scheduler's own account, peak memory in MB.
CREATE FUNCTION pg_temp.cpu_s() RETURNS float8 LANGUAGE sql VOLATILE
AS $$ SELECT split_part(pg_read_file('/proc/self/schedstat'), ' ', 1)::float8 / 1e9 $$;
CREATE FUNCTION pg_temp.peak_mb() RETURNS int LANGUAGE sql VOLATILE
AS $$ SELECT (regexp_match(pg_read_file('/proc/self/status'), 'VmHWM:\s*(\d+)'))[1]::int / 1024 $$;
