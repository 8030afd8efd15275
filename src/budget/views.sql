/*
 * views.sql (budget)
 *	  Budgets and the ledger as their curators see them; the ledger verified.
 * Replaced as a whole by an update: see src/server/server.sql.
 */

-- the names in a view or body mean ours and PostgreSQL's, not what anybody has put into the extension's schema before; they
-- are looked up here, once, and not when it is called
SELECT pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);

CREATE OR REPLACE VIEW @extschema@.pegs_budgets WITH (security_barrier) AS
SELECT source,
	trim_scale(epsilon * 0.000000001) AS epsilon,
	trim_scale(spent * 0.000000001) AS spent,
	trim_scale((epsilon - spent) * 0.000000001) AS remaining,
	trim_scale(delta * 0.000000000000000001) AS delta,
	trim_scale(spent_of_delta * 0.000000000000000001) AS delta_spent,
	pegs_internal.elsewhere(system_identifier, timeline, database, coalesce(rho_spent, epsilon_spent), sequence, home, entry) AS copied_from,
	EXISTS (SELECT FROM pegs_internal.ledger AS l WHERE l.source = b.source AND l.deed IN ('uncovered fit', 'uncovered sample', 'uncovered rows')) AS uncovered,
	-- null, not known: a charge that was rolled back has no line, and one of an older version names no unit
	(SELECT CASE WHEN coalesce(bool_or(l.deed = 'unit' AND (l.epsilon_from > 0 OR l.delta_from > 0)), false)
			-- of related tables the unit is a row of this one, too: with all that refers to it
			OR count(DISTINCT CASE WHEN l.unit LIKE 'a row of %' THEN 'row' ELSE l.unit END) > 1 THEN true
		WHEN b.asked > coalesce(sum(l.epsilon_to - l.epsilon_from) FILTER (WHERE l.unit IS NOT NULL), 0) THEN NULL
		ELSE false END
	FROM pegs_internal.ledger AS l WHERE l.source = b.source) AS mixed_units,
	CASE WHEN rho_spent IS NULL THEN 'sum' ELSE 'zcdp' END AS accounting,
	-- units of 2^-50: 16 digits tell them apart
	trim_scale(round(rho * 0.00000000000000088817841970012523233890533447265625, 16)) AS rho,
	trim_scale(round(spent_of_rho * 0.00000000000000088817841970012523233890533447265625, 16)) AS rho_spent,
	-- of charges like the last one that has a line; null: there is none
	(SELECT greatest(0, least(CASE WHEN b.rho IS NULL THEN (b.epsilon - b.spent) / (l.epsilon_to - l.epsilon_from)
			ELSE (b.rho - b.spent_of_rho) / (l.rho_to - l.rho_from) END, (b.delta_apart - b.spent_of_delta) / nullif(l.delta_to - l.delta_from, 0)))
	FROM pegs_internal.ledger AS l WHERE l.source = b.source AND l.epsilon_to > l.epsilon_from AND l.deed <> 'adopt'
	ORDER BY l.epsilon_to DESC LIMIT 1) AS more_like_last,
	-- so that who looks for a table that is bound finds its account; what was dropped has no name
	(WITH RECURSIVE below AS (SELECT p.source FROM pegs_internal.parent AS p WHERE p.parent = b.source
		UNION SELECT p.source FROM pegs_internal.parent AS p JOIN below AS w ON p.parent = w.source)
	SELECT array_agg(w.source ORDER BY w.source::text) FROM below AS w JOIN pg_class AS c ON c.oid = w.source) AS pays_for
FROM (SELECT a.source, a.epsilon, a.delta, a.system_identifier, a.timeline, a.database, a.epsilon_spent, a.sequence, a.home, a.entry, a.rho_spent,
		a.asked, pegs_internal.spent(a.source, true) AS spent_of_delta, CASE WHEN a.rho_spent IS NULL THEN a.asked ELSE r.epsilon END AS spent,
		r.total AS rho, r.spent AS spent_of_rho, a.delta - coalesce(r.delta, 0) AS delta_apart
	FROM (SELECT *, pegs_internal.spent(source, false) AS asked FROM pegs_internal.budget OFFSET 0) AS a
	CROSS JOIN LATERAL pegs_internal.in_rho(a.source) AS r OFFSET 0) AS b
WHERE spent IS NOT NULL
	-- one of a table that is bound to another cannot be spent
	AND NOT EXISTS (SELECT FROM pegs_internal.parent AS p WHERE p.source = b.source AND p.parent IS NOT NULL);
COMMENT ON VIEW @extschema@.pegs_budgets IS 'privacy budgets of one''s own tables: total, spent, remaining; a copy cannot be spent until it is adopted; uncovered: rows without a guarantee were read; mixed_units: charges protect rows and persons, or persons of two kinds, their sum is a guarantee of none; accounting zcdp: spent is the epsilon, at the delta of the budget, of all rho that is spent; more_like_last: for how many more charges like the last one there is room; pays_for: tables that are bound to it, which have no account of their own';
COMMENT ON COLUMN @extschema@.pegs_budgets.source IS 'the base table whose account it is';
COMMENT ON COLUMN @extschema@.pegs_budgets.epsilon IS 'the total that may be spent';
COMMENT ON COLUMN @extschema@.pegs_budgets.spent IS 'what is spent of epsilon; of an account in rho the epsilon, at delta, of all rho that is spent, rounded up';
COMMENT ON COLUMN @extschema@.pegs_budgets.remaining IS 'what is left of epsilon';
COMMENT ON COLUMN @extschema@.pegs_budgets.delta IS 'the total that may be spent of delta';
COMMENT ON COLUMN @extschema@.pegs_budgets.delta_spent IS 'what is spent of delta; of an account in rho what learning levels has spent of a tenth of it';
COMMENT ON COLUMN @extschema@.pegs_budgets.copied_from IS 'where the account is kept, if this is a copy of it that cannot be spent; null: here';
COMMENT ON COLUMN @extschema@.pegs_budgets.uncovered IS 'rows without a guarantee were read';
COMMENT ON COLUMN @extschema@.pegs_budgets.mixed_units IS 'charges protect rows and persons, or persons of two kinds: or the unit was changed after one: their sum is a guarantee of none; null: not known';
COMMENT ON COLUMN @extschema@.pegs_budgets.accounting IS 'sum or zcdp: what costs are added up in';
COMMENT ON COLUMN @extschema@.pegs_budgets.rho IS 'the total in rho; null: an account of sums';
COMMENT ON COLUMN @extschema@.pegs_budgets.rho_spent IS 'what is spent of rho; null: an account of sums';
COMMENT ON COLUMN @extschema@.pegs_budgets.more_like_last IS 'for how many more charges like the last one of the ledger there is room; null: there is none';
COMMENT ON COLUMN @extschema@.pegs_budgets.pays_for IS 'tables that are bound to it (pegs_set_parent), whose charges are charged here; null: none is';
GRANT SELECT ON @extschema@.pegs_budgets TO PUBLIC;

CREATE OR REPLACE VIEW @extschema@.pegs_ledger WITH (security_barrier) AS
WITH mine AS MATERIALIZED (
	SELECT b.source, b.spent, b.delta_spent, b.in_rho, coalesce(r.spent, 0) AS rho_spent
	FROM (SELECT source, rho_spent IS NOT NULL AS in_rho, pegs_internal.spent(source, false) AS spent,
			pegs_internal.spent(source, true) AS delta_spent FROM pegs_internal.budget OFFSET 0) AS b
	CROSS JOIN LATERAL pegs_internal.in_rho(b.source) AS r
	WHERE b.spent IS NOT NULL
), line AS (
	SELECT l.*, m.in_rho FROM pegs_internal.ledger AS l JOIN mine AS m USING (source)
), edge AS (
	SELECT source, in_rho, epsilon_from, epsilon_to, delta_from, delta_to, coalesce(rho_from, 0) AS rho_from, coalesce(rho_to, 0) AS rho_to FROM line
	WHERE epsilon_to > epsilon_from OR rho_to > rho_from
	UNION ALL SELECT source, in_rho, spent, spent, delta_spent, delta_spent, rho_spent, rho_spent FROM mine
), gap AS (
	SELECT source, in_rho, coalesce(lag(epsilon_to) OVER w, 0) AS epsilon_from, epsilon_from AS epsilon_to,
		coalesce(lag(delta_to) OVER w, 0) AS delta_from, delta_from AS delta_to,
		coalesce(lag(rho_to) OVER w, 0) AS rho_from, rho_from AS rho_to
	FROM edge WINDOW w AS (PARTITION BY source ORDER BY rho_from, rho_to, epsilon_from, epsilon_to)
), entry AS (
	SELECT source, in_rho, at, role, deed, object, epsilon_from, epsilon_to, delta_from, delta_to, epsilon_left, reason, unit,
		coalesce(rho_from, 0) AS rho_from, coalesce(rho_to, 0) AS rho_to FROM line
	UNION ALL
	SELECT source, in_rho, NULL, NULL, 'rolled back or still open', NULL, gap.epsilon_from, gap.epsilon_to, gap.delta_from, gap.delta_to, NULL, NULL, NULL,
		gap.rho_from, gap.rho_to
	FROM gap WHERE gap.epsilon_from < gap.epsilon_to OR gap.rho_from < gap.rho_to
)
SELECT source, at, role, deed AS action, object,
	trim_scale(epsilon_from * 0.000000001) AS epsilon_from,
	trim_scale(epsilon_to * 0.000000001) AS epsilon_to,
	trim_scale(delta_from * 0.000000000000000001) AS delta_from,
	trim_scale(delta_to * 0.000000000000000001) AS delta_to,
	trim_scale(epsilon_left * 0.000000001) AS remaining,
	reason,
	unit,
	CASE WHEN in_rho THEN trim_scale(round(rho_from * 0.00000000000000088817841970012523233890533447265625, 16)) END AS rho_from,
	CASE WHEN in_rho THEN trim_scale(round(rho_to * 0.00000000000000088817841970012523233890533447265625, 16)) END AS rho_to
FROM entry;
COMMENT ON VIEW @extschema@.pegs_ledger IS 'every charge on one''s own tables: the interval (from, to] of the account it bought; a charge whose transaction rolled back has no line and shows as a gap';
COMMENT ON COLUMN @extschema@.pegs_ledger.source IS 'the base table whose account it is';
COMMENT ON COLUMN @extschema@.pegs_ledger.at IS 'when the charge was made; null: a gap';
COMMENT ON COLUMN @extschema@.pegs_ledger.role IS 'who made it; null: a gap';
COMMENT ON COLUMN @extschema@.pegs_ledger.action IS 'what was charged or changed: fit, sample, release, budget, unit and others';
COMMENT ON COLUMN @extschema@.pegs_ledger.object IS 'the model, release, column or slices that it was for';
COMMENT ON COLUMN @extschema@.pegs_ledger.epsilon_from IS 'the account before the charge, which bought what is above this';
COMMENT ON COLUMN @extschema@.pegs_ledger.epsilon_to IS 'the account after it';
COMMENT ON COLUMN @extschema@.pegs_ledger.delta_from IS 'delta of the account before the charge';
COMMENT ON COLUMN @extschema@.pegs_ledger.delta_to IS 'delta of the account after it';
COMMENT ON COLUMN @extschema@.pegs_ledger.remaining IS 'what was left of epsilon after it; null: a gap';
COMMENT ON COLUMN @extschema@.pegs_ledger.reason IS 'of an adoption: what the superuser said';
COMMENT ON COLUMN @extschema@.pegs_ledger.unit IS 'what the charge protects: row; person and the column that tells them apart; of related tables a row of the one that all hang on, with what hangs on it, in words';
COMMENT ON COLUMN @extschema@.pegs_ledger.rho_from IS 'rho of the account before the charge; null: an account of sums';
COMMENT ON COLUMN @extschema@.pegs_ledger.rho_to IS 'rho of the account after it; null: an account of sums';
GRANT SELECT ON @extschema@.pegs_ledger TO PUBLIC;

CREATE OR REPLACE FUNCTION @extschema@.pegs_verify_ledger(source regclass DEFAULT NULL)
RETURNS TABLE (account regclass, part text, finding text, "from" numeric, "to" numeric, ok boolean)
LANGUAGE sql STABLE PARALLEL UNSAFE ROWS 10 SET search_path = pg_catalog, pg_temp BEGIN ATOMIC
WITH budget AS (
	SELECT b.source, v.* FROM @extschema@.pegs_budgets AS b
	-- an account in rho is held to its total in rho; what was asked for is no part of it
	CROSS JOIN LATERAL (VALUES ('epsilon', b.epsilon, b.spent, 'sum'), ('delta', b.delta, b.delta_spent, b.accounting), ('rho', b.rho, b.rho_spent, 'zcdp')) AS v (part, total, spent, accounting)
	WHERE v.accounting = b.accounting AND ($1 IS NULL OR b.source = $1)
), line AS (
	SELECT b.source, b.part, v.low, v.high FROM @extschema@.pegs_ledger AS l
	CROSS JOIN LATERAL (VALUES ('epsilon', l.epsilon_from, l.epsilon_to), ('delta', l.delta_from, l.delta_to), ('rho', l.rho_from, l.rho_to)) AS v (part, low, high)
	JOIN budget AS b ON (b.source, b.part) = (l.source, v.part)
	WHERE l.at IS NOT NULL AND v.low <> v.high AND ($1 IS NULL OR l.source = $1)
), walk AS (
	-- what the lines before this one have covered, and this one; a last line stands for what is spent
	SELECT e.*, coalesce(max(e.high) OVER (PARTITION BY e.source, e.part ORDER BY e.low, e.high
		ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS covered
	FROM (SELECT l.*, false AS is_end FROM line AS l WHERE l.high > l.low
		UNION ALL SELECT b.source, b.part, b.spent, b.spent, true FROM budget AS b) AS e
), finding AS (
	SELECT w.source, w.part, 'overlap' AS finding, w.low, least(w.covered, w.high) AS high, false AS ok
	FROM walk AS w WHERE w.low < w.covered AND NOT w.is_end
	UNION ALL
	SELECT w.source, w.part, 'gap: rolled back or still open', w.covered, w.low, true FROM walk AS w WHERE w.low > w.covered
	UNION ALL
	SELECT l.source, l.part, 'outside (0, spent]', l.low, l.high, false
	FROM line AS l JOIN budget AS b USING (source, part) WHERE l.low < 0 OR l.high > b.spent OR l.low > l.high
	UNION ALL
	SELECT b.source, b.part, 'spent more than the budget', b.total, b.spent, false FROM budget AS b WHERE b.spent > b.total
)
SELECT r.source, r.part, r.finding, r.low, r.high, r.ok FROM (
SELECT 0 AS place, b.source, b.part, (SELECT format('%s charge%s', count(*), CASE WHEN count(*) <> 1 THEN 's' END) FROM line AS l WHERE (l.source, l.part) = (b.source, b.part)),
	0::numeric, b.spent, NOT EXISTS (SELECT FROM finding AS f WHERE (f.source, f.part) = (b.source, b.part) AND NOT f.ok)
FROM budget AS b
UNION ALL SELECT 1, f.* FROM finding AS f
) AS r (place, source, part, finding, low, high, ok)
ORDER BY r.source, r.part DESC, r.place, r.ok, r.low, r.high;
END;
COMMENT ON FUNCTION @extschema@.pegs_verify_ledger(regclass) IS 'check the ledger of one''s own tables: a line an account (are its charges disjoint and inside (0, spent]?), a line a gap or fault';
REVOKE ALL ON FUNCTION @extschema@.pegs_verify_ledger(regclass) FROM PUBLIC;

SELECT pg_catalog.set_config('search_path', '@extschema@, pg_temp', true);
