/*
 * template.sql
 *		What every server of test/faults starts with, after demo/discharge.sql
 *		with 100,000 rows and demo/facts.sql.
 *
 * The curator owns the table and fits; the analyst has grants. "sealed" charges
 * for its rows (in the budget and in the analyst's cap), "perturbed" and the
 * release "kept" are free.
 */
\set ON_ERROR_STOP 1
CREATE ROLE curator LOGIN;
CREATE ROLE analyst LOGIN;
ALTER TABLE discharges OWNER TO curator;
ALTER TABLE dispositions OWNER TO curator;
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA public TO curator;
GRANT CREATE ON SCHEMA public TO curator;
SELECT pegs_set_budget('discharges', 100000000, 0.1, 'sum');
SELECT pegs_fit('sealed', 'discharges', parents => '{"los": ["typ"], "charge": ["los"], "mdc": ["sex"], "pay": ["race"]}');
SELECT pegs_fit('perturbed', 'discharges', epsilon => 1, delta => 1e-9);
SELECT pegs_release('kept', 'sealed', 40000, 1, 40000);
SELECT pegs_grant('sealed', 'analyst', epsilon => 50000000);
SELECT pegs_limit('sealed', 'analyst', NULL, NULL);	-- hundreds of releases are kept until an operation's runs are over
SELECT pegs_grant('perturbed', 'public');
SELECT pegs_grant('kept', 'analyst');
CREATE TABLE spec AS SELECT pegs_spec('discharges', parents => '{"los": ["typ"], "charge": ["los"]}') AS spec;
ALTER TABLE spec OWNER TO curator;

-- the same rows with a privacy unit: reading them sorts, and sorts can spill to disk
CREATE TABLE stays (person int, LIKE discharges INCLUDING ALL);
INSERT INTO stays SELECT (row_number() OVER () / 3)::int, * FROM discharges LIMIT 20000;
ALTER TABLE stays OWNER TO curator;
INSERT INTO pegs_internal.fact
	SELECT 'stays', column_name, levels, other, lookup, lookup_column, edges FROM pegs_internal.fact;
SELECT pegs_set_unit('stays', 'person', 2);
SELECT pegs_set_budget('stays', 100000000, 0.1, 'sum');
