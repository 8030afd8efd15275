/*
 * views.sql (models)
 *	  Models and releases as their curators and those to whom they are granted see
 * them; certificates.
 * Replaced as a whole by an update: see src/server/server.sql.
 */

-- the names in a view or body mean ours and PostgreSQL's, not what anybody has put into the extension's schema before; they
-- are looked up here, once, and not when it is called
SELECT pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);

CREATE OR REPLACE VIEW @extschema@.pegs_models WITH (security_barrier) AS
SELECT name, source, pegs_internal.kind(method, sealed) AS kind,
	CASE WHEN NOT sealed THEN trim_scale(epsilon * 0.000000001) END AS epsilon,
	CASE WHEN NOT sealed THEN trim_scale(delta * 0.000000000000000001) END AS delta,
	CASE WHEN structure_epsilon > 0 THEN trim_scale(structure_epsilon * 0.000000001) END AS structure_epsilon,
	-- rows_each 1: of a file, one row of each person
	CASE WHEN pegs_internal.guarantee(method, sealed, l_diversity) LIKE 'none%' THEN NULL
		WHEN related THEN 'one row with all that refers to it'
		WHEN unit_column IS NULL AND rows_per_unit = 1 AND rows_each IS NULL THEN 'one row'
		WHEN rows_each > 1 THEN format('%s, all weigh the same', coalesce(unit_column, 'a person'))
		ELSE format('%s, at most %s rows', coalesce(unit_column, 'a person'), rows_per_unit) END AS unit,
	counts, created,
	pegs_internal.guarantee(method, sealed, l_diversity) AS guarantee,
	trim_scale(domain_epsilon * 0.000000001) AS domain_epsilon,
	trim_scale(domain_delta * 0.000000000000000001) AS domain_delta,
	fit,
	trim_scale(s.epsilon_sum * 0.000000001) AS slices_epsilon,
	trim_scale(s.delta_sum * 0.000000000000000001) AS slices_delta,
	pegs_internal.called(method, sealed, l_diversity) AS method
FROM (SELECT coalesce(first_fit, id) AS object, grid, name, source, coalesce(fit, 1) AS fit, sealed, epsilon, delta, structure_epsilon, domain_epsilon, domain_delta, unit_column, rows_per_unit, rows_each, counts, created, l_diversity, method,
	-- of several tables: in a text of anybody's the quotes are escaped
	strpos(spec, ', "related": [{"name": ') > 0 AS related,
	pegs_internal.may_use(coalesce(first_fit, id), account) AS mine FROM pegs_internal.model OFFSET 0) AS m
-- of slices: a row is in one of each charge (slice.c)
LEFT JOIN LATERAL (SELECT sum(g.epsilon) AS epsilon_sum, sum(g.delta) AS delta_sum
	FROM (SELECT DISTINCT o.grid, o.epsilon, o.delta FROM pegs_internal.model AS o WHERE m.grid IS NOT NULL AND coalesce(o.first_fit, o.id) = m.object AND o.grid IS NOT NULL) AS g) AS s ON true
WHERE mine AND name IS NOT NULL;
COMMENT ON VIEW @extschema@.pegs_models IS 'models of one''s own tables, and those granted to one';
COMMENT ON COLUMN @extschema@.pegs_models.name IS 'its name';
COMMENT ON COLUMN @extschema@.pegs_models.source IS 'the table or view that it was fitted to';
COMMENT ON COLUMN @extschema@.pegs_models.kind IS 'perturbed: rows are free; sealed: each sample pays; score: it has no rows';
COMMENT ON COLUMN @extschema@.pegs_models.epsilon IS 'what the fit was charged; null: sealed';
COMMENT ON COLUMN @extschema@.pegs_models.delta IS 'what the fit was charged of delta; null: sealed';
COMMENT ON COLUMN @extschema@.pegs_models.structure_epsilon IS 'what the choice of parents was charged; null: nothing';
COMMENT ON COLUMN @extschema@.pegs_models.unit IS 'what is protected: one row, alone or with all that refers to it, or a person; null: nothing';
COMMENT ON COLUMN @extschema@.pegs_models.counts IS 'where its counts came from: read by pegs_fit or pegs_fit_schema, given by the curator, or as stated by an imported file';
COMMENT ON COLUMN @extschema@.pegs_models.created IS 'when this fit was made';
COMMENT ON COLUMN @extschema@.pegs_models.guarantee IS 'differential privacy, each sample pays, or none';
COMMENT ON COLUMN @extschema@.pegs_models.domain_epsilon IS 'charged before the fit for levels and bins that were learnt, to be added; null: none were';
COMMENT ON COLUMN @extschema@.pegs_models.domain_delta IS 'the same of delta';
COMMENT ON COLUMN @extschema@.pegs_models.fit IS 'the how many-th fit of this name it is';
COMMENT ON COLUMN @extschema@.pegs_models.slices_epsilon IS 'what all slices that were fitted tell of a row together; null: a model of the whole table';
COMMENT ON COLUMN @extschema@.pegs_models.slices_delta IS 'the same of delta';
COMMENT ON COLUMN @extschema@.pegs_models.method IS 'what pegs_fit calls the method; null: one that this version does not have';
GRANT SELECT ON @extschema@.pegs_models TO PUBLIC;

CREATE OR REPLACE VIEW @extschema@.pegs_releases WITH (security_barrier) AS
SELECT r.name, coalesce(m.name, (SELECT last.name FROM pegs_internal.model AS last
		WHERE coalesce(last.first_fit, last.id) = coalesce(m.first_fit, m.id) AND last.name IS NOT NULL)) AS model, r.account AS source, r.n, CASE WHEN m.sealed THEN 'sealed' ELSE 'perturbed' END AS kind,
	CASE WHEN m.sealed THEN trim_scale(r.epsilon * 0.000000001) ELSE trim_scale(m.epsilon * 0.000000001) END AS epsilon,
	r.block, r.given, r.created,
	trim_scale(CASE WHEN m.sealed THEN coalesce(r.delta, 0) ELSE m.delta END * 0.000000000000000001) AS delta,
	coalesce(m.fit, 1) AS fit
FROM (SELECT *, pegs_internal.may_use(id, account) AS mine FROM pegs_internal.release OFFSET 0) AS r
JOIN pegs_internal.model AS m ON m.id = r.model
WHERE mine;
COMMENT ON VIEW @extschema@.pegs_releases IS 'releases of one''s own tables, and those granted to one';
COMMENT ON COLUMN @extschema@.pegs_releases.name IS 'its name';
COMMENT ON COLUMN @extschema@.pegs_releases.model IS 'the model that it was made of; null: dropped';
COMMENT ON COLUMN @extschema@.pegs_releases.source IS 'the table whose account it is';
COMMENT ON COLUMN @extschema@.pegs_releases.n IS 'how many rows it has';
COMMENT ON COLUMN @extschema@.pegs_releases.kind IS 'that of its model: perturbed or sealed';
COMMENT ON COLUMN @extschema@.pegs_releases.epsilon IS 'what it was charged (sealed), or what its model was (perturbed)';
COMMENT ON COLUMN @extschema@.pegs_releases.block IS 'how many rows were drawn for one price (sealed)';
COMMENT ON COLUMN @extschema@.pegs_releases.given IS 'what was given: its rows have these values';
COMMENT ON COLUMN @extschema@.pegs_releases.created IS 'when it was made';
COMMENT ON COLUMN @extschema@.pegs_releases.delta IS 'what it was charged of delta (sealed), or what its model was (perturbed)';
COMMENT ON COLUMN @extschema@.pegs_releases.fit IS 'of which fit of the model it is';
GRANT SELECT ON @extschema@.pegs_releases TO PUBLIC;

CREATE OR REPLACE VIEW @extschema@.pegs_slices WITH (security_barrier) AS
SELECT (SELECT last.name FROM pegs_internal.model AS last WHERE coalesce(last.first_fit, last.id) = coalesce(m.first_fit, m.id) AND last.name IS NOT NULL) AS model,
	m.source, (m.slice ->> 'column')::name COLLATE "C" AS column_name, m.slice ->> 'width' AS width, m.slice ->> 'from' AS lower, m.slice ->> 'to' AS upper,
	trim_scale(m.epsilon * 0.000000001) AS epsilon, trim_scale(m.delta * 0.000000000000000001) AS delta, coalesce(m.fit, 1) AS fit, m.created,
	m.slice ->> 'value' AS value
FROM (SELECT *, pegs_internal.may_use(coalesce(first_fit, id), account) AS mine FROM pegs_internal.model WHERE grid IS NOT NULL OFFSET 0) AS m
WHERE mine;
COMMENT ON VIEW @extschema@.pegs_slices IS 'slices that were fitted, of models of one''s own tables and of those granted to one: lower belongs to a slice, upper does not; or those that have one value of a list';
COMMENT ON COLUMN @extschema@.pegs_slices.model IS 'the model that has it; null: dropped, and a release alone needs it';
COMMENT ON COLUMN @extschema@.pegs_slices.source IS 'the table that was cut';
COMMENT ON COLUMN @extschema@.pegs_slices.column_name IS 'the column that it was cut by';
COMMENT ON COLUMN @extschema@.pegs_slices.width IS 'how wide the slices of its level are; null: of a list';
COMMENT ON COLUMN @extschema@.pegs_slices.lower IS 'its first moment; null: of a list';
COMMENT ON COLUMN @extschema@.pegs_slices.upper IS 'the first moment that is not in it; null: of a list';
COMMENT ON COLUMN @extschema@.pegs_slices.epsilon IS 'of its level, which was charged once for all of them';
COMMENT ON COLUMN @extschema@.pegs_slices.delta IS 'of its level, which was charged once for all of them';
COMMENT ON COLUMN @extschema@.pegs_slices.fit IS 'the how many-th fit of the name it is';
COMMENT ON COLUMN @extschema@.pegs_slices.created IS 'when it was fitted';
COMMENT ON COLUMN @extschema@.pegs_slices.value IS 'of a list: the value that its rows have; null: by the clock';
GRANT SELECT ON @extschema@.pegs_slices TO PUBLIC;

CREATE OR REPLACE VIEW @extschema@.pegs_leftovers WITH (security_barrier) AS
SELECT item, state, remedy FROM pegs_internal.leftovers();
COMMENT ON VIEW @extschema@.pegs_leftovers IS 'what is left of dropped tables and roles: accounts, models, releases and grants that somebody should drop';
COMMENT ON COLUMN @extschema@.pegs_leftovers.item IS 'the model, release, grant or account';
COMMENT ON COLUMN @extschema@.pegs_leftovers.state IS 'what it is left of';
COMMENT ON COLUMN @extschema@.pegs_leftovers.remedy IS 'the statement that removes it';
GRANT SELECT ON @extschema@.pegs_leftovers TO PUBLIC;

CREATE OR REPLACE FUNCTION @extschema@.pegs_pairs(name text)
RETURNS TABLE (columns name[], classes int[], noise double precision, in_tree boolean)
LANGUAGE sql STABLE PARALLEL UNSAFE ROWS 20 SET search_path = pg_catalog, pg_temp BEGIN ATOMIC
SELECT ARRAY(SELECT c::name FROM jsonb_array_elements_text(p -> 'columns') WITH ORDINALITY AS e (c, i) ORDER BY i),
	ARRAY(SELECT c::int FROM jsonb_array_elements_text(p -> 'classes') WITH ORDINALITY AS e (c, i) ORDER BY i),
	(p ->> 'sigma')::double precision, (p -> 'in_tree')::boolean
FROM jsonb_array_elements(@extschema@.pegs_describe($1) -> 'pairs') WITH ORDINALITY AS d (p, n)
ORDER BY n;
END;
COMMENT ON FUNCTION @extschema@.pegs_pairs(text) IS 'the pairs of columns that were measured for a perturbed model: on how many classes, with how much noise in a cell';
-- everyone may call it

CREATE OR REPLACE FUNCTION @extschema@.pegs_certificate(name text)
RETURNS jsonb LANGUAGE sql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp BEGIN ATOMIC
SELECT jsonb_build_object('certificate', 'pegs 1') || (d - 'spec' - 'public' - 'pairs' - 'triples' - 'cliques' - 'siblings' - 'record' - 'rows' - 'not_covered')
	|| jsonb_build_object(
		'public', d -> 'public',
		'columns', (SELECT jsonb_agg(jsonb_build_object('column', c -> 'name', 'levels',
			coalesce(jsonb_array_length(c -> 'levels'), jsonb_array_length(c -> 'edges') - 1 + coalesce(jsonb_array_length(c -> 'points'), 0))
				+ CASE WHEN (c -> 'null')::boolean THEN 1 ELSE 0 END) ORDER BY n)
			FROM jsonb_array_elements(d -> 'spec' -> 'columns') WITH ORDINALITY AS e (c, n)),
		'versions', jsonb_build_object('pegs', (SELECT extversion FROM pg_extension WHERE extname = 'pegs'),
			'postgresql', current_setting('server_version')),
		'not_protected', 'superusers, files, backups; what other releases of the same rows tell: add up their epsilons'
			-- of several tables: whose rows those refer to besides
			|| coalesce((SELECT string_agg('; ' || e, '' ORDER BY n) FROM jsonb_array_elements_text(d -> 'not_covered') WITH ORDINALITY AS e (e, n)), ''))
	|| CASE WHEN d -> 'spec' ? 'derived' THEN jsonb_build_object('computed',
		(SELECT jsonb_agg(c -> 'name' ORDER BY n) FROM jsonb_array_elements(d -> 'spec' -> 'derived') WITH ORDINALITY AS e (c, n))) ELSE '{}' END
FROM @extschema@.pegs_describe($1) AS d;
END;
COMMENT ON FUNCTION @extschema@.pegs_certificate(text) IS 'what was guaranteed and charged for a model or release: to be published with it; touches no original';
-- everyone may call it

CREATE OR REPLACE FUNCTION @extschema@.pegs_certificate_text(name text)
RETURNS text LANGUAGE sql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp BEGIN ATOMIC
-- names and values are chosen by people: none of them makes a line of its own
SELECT string_agg(regexp_replace(l.line, E'[\\u0001-\\u001f\\u007f]', '?', 'g'), E'\n' ORDER BY l.n)
FROM @extschema@.pegs_certificate($1) AS c, LATERAL unnest(ARRAY[
	format('%s "%s" (%s)', initcap(c ->> 'object'), c ->> 'name', c ->> 'kind'),
	'mechanism:   ' || (c ->> 'mechanism'),
	'guarantee:   ' || (c ->> 'guarantee'),
	'epsilon:     ' || coalesce(c ->> 'epsilon', c ->> 'charged') || CASE WHEN c ? 'slices' THEN ', of the slice that was fitted last' ELSE '' END,
	'delta:       ' || coalesce(c ->> 'delta', CASE WHEN c ? 'charged' THEN '0' END) || CASE WHEN c ? 'slices' THEN ', of that' ELSE '' END,
	'rho:         ' || (c ->> 'rho') || ' (zCDP)' || CASE WHEN c ? 'slices' THEN ', of that' ELSE '' END,
	'slices:      ' || (c ->> 'slices') || coalesce('; rho ' || (c ->> 'slices_rho'), ''),
	'structure:   epsilon ' || (c ->> 'structure_epsilon') || ' was charged for the choice of parents',
	'domain:      ' || (c ->> 'domain'),
	'choice:      ' || (c ->> 'choice'),
	CASE WHEN c ? 'charged' THEN 'accounting:  ' || (c ->> 'accounting') END,
	'neighbours:  ' || (c ->> 'neighbours'),
	'unit:        ' || (c ->> 'unit'),
	'stands for:  ' || (c ->> 'stands_for'),
	'may repeat:  ' || (SELECT string_agg(e, ', ' ORDER BY n) FROM jsonb_array_elements_text(c -> 'may_repeat') WITH ORDINALITY AS e (e, n)),
	'target:      ' || (SELECT string_agg(e, ', ' ORDER BY n) FROM jsonb_array_elements_text(c -> 'target') WITH ORDINALITY AS e (e, n)),
	'by:          ' || (SELECT string_agg(e, ', ' ORDER BY n) FROM jsonb_array_elements_text(c -> 'by') WITH ORDINALITY AS e (e, n)),
	'left out:    ' || (c ->> 'left_out'),
	'rows:        ' || (c ->> 'n'),
	'given:       ' || (c ->> 'given'),
	'public:      ' || (c ->> 'public'),
	'options:     ' || nullif((c -> 'options') - ARRAY['target', 'by'], '{}')::text, -- those two have lines of their own
	'columns:     ' || (SELECT string_agg(format('%s (%s)', e ->> 'column', e ->> 'levels'), ', ' ORDER BY n)
		FROM jsonb_array_elements(c -> 'columns') WITH ORDINALITY AS e (e, n)),
	'computed:    ' || (SELECT string_agg(e, ', ' ORDER BY n) FROM jsonb_array_elements_text(c -> 'computed') WITH ORDINALITY AS e (e, n)),
	'counts:      ' || (c ->> 'counts'),
	'slice:       ' || (c -> 'slice' ->> 'column')
		|| coalesce(' is ' || quote_literal(c -> 'slice' ->> 'value'), ' from ' || (c -> 'slice' ->> 'from') || ' to before ' || (c -> 'slice' ->> 'to')),
	'fit:         number ' || (c ->> 'fit') || ' of this name, at ' || (c ->> 'fitted')
		|| CASE WHEN c ? 'slice' THEN '; slices are charged once, when they are set' ELSE '; each was charged' END,
	'not covered: ' || (c ->> 'not_protected'),
	format('made with pegs %s on PostgreSQL %s', c -> 'versions' ->> 'pegs', c -> 'versions' ->> 'postgresql')]) WITH ORDINALITY AS l (line, n);
END;
COMMENT ON FUNCTION @extschema@.pegs_certificate_text(text) IS 'pegs_certificate as text';
-- everyone may call it

SELECT pg_catalog.set_config('search_path', '@extschema@, pg_temp', true);
