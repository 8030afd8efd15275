/*
 * publish.c
 *	  The statements that publish rows of a release or perturbed model as a
 *	  view: pegs_view_sql.
 *
 * A person reads them and runs them (\gexec): nothing is run here. Every name
 * is quoted, and every argument is there and cast: an overload that somebody
 * made in the extension's schema fits no better.
 */
#include "models/publish.h"
#include "codes/codes.h"

#include "access/tupdesc.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "funcapi.h"
#include "nodes/makefuncs.h"
#include "parser/scansup.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/tuplestore.h"
#include "utils/varlena.h"

/* A plain view draws all its rows again whenever it is read: seconds, if they are many. */
#define MAX_ROWS_OF_A_VIEW 20000

/* 'schema.view' as it is written in SQL; whatever else it is, one name. */
static RangeVar *
view_named(const char *name)
{
	char	   *copy = pstrdup(name);
	List	   *parts;

	if (strchr(name, '.') != NULL && SplitIdentifierString(copy, '.', &parts) && list_length(parts) == 2)
		return makeRangeVar(linitial(parts), lsecond(parts), -1);
	copy = pstrdup(name);
	truncate_identifier(copy, (int) strlen(copy), false);
	return makeRangeVar(NULL, copy, -1);
}

/* Each part quoted where it must be. */
static char *
view_identifier(const RangeVar *view)
{
	char	   *relation = pstrdup(quote_identifier(view->relname));

	return view->schemaname ? psprintf("%s.%s", quote_identifier(view->schemaname), relation) : relation;
}

char *
pegs_new_identifier(const char *name)
{
	return view_identifier(view_named(name));
}

/*
 * Where CREATE VIEW fails psql runs the statements behind it: what has the name
 * already, be it the confidential table, would be granted to everybody.
 */
static void
require_new(RangeVar *view, const char *name)
{
	Oid			relid = RangeVarGetRelid(view, NoLock, true);
	char		relkind;

	if (!OidIsValid(relid))
		return;
	relkind = get_rel_relkind(relid);
	ereport(ERROR,
			(errcode(ERRCODE_DUPLICATE_TABLE),
			 errmsg("relation \"%s\" already exists", view->relname),
			 errdetail("CREATE VIEW would fail, and the GRANT behind it would be of what is there."),
			 relkind == RELKIND_VIEW && pegs_is_published(relid) ? errhint("DROP VIEW %s; if it is an older one of these; or take another name.", view_identifier(view))
			 : relkind == RELKIND_MATVIEW && pegs_is_published(relid) ? errhint("DROP MATERIALIZED VIEW %s; if it is an older one of these; or take another name.", view_identifier(view))
			 : errhint("Take another name, or another schema: SELECT pegs_view_sql(%s, 'schema.view');", quote_literal_cstr(name))));
}

/* A role as pegs_grant takes it; NULL: PUBLIC. */
static const char *
role_argument(FunctionCallInfo fcinfo, int n)
{
	const char *role;

	if (PG_ARGISNULL(n))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("role must not be null"),
				 errhint("Name a role: role => 'analyst'")));
	role = NameStr(*PG_GETARG_NAME(n));
	if (strcmp(role, "public") == 0)
		return NULL;
	(void) get_role_oid(role, false);
	return role;
}

/* NULL: by the number of rows. */
static bool
kind_argument(FunctionCallInfo fcinfo, int n, bool *materialized)
{
	char	   *kind;

	if (PG_ARGISNULL(n))
		return false;
	kind = pegs_arg_text(fcinfo, n, "kind");
	*materialized = pg_strcasecmp(kind, "materialized view") == 0;
	if (!*materialized && pg_strcasecmp(kind, "view") != 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("kind must be \"view\" or \"materialized view\", not \"%s\"", kind),
				 errhint("kind => 'materialized view'; left out, the number of rows decides.")));
	return true;
}

static void
require_free(const PegsModel *model, const PegsRelease *release, const char *name)
{
	if (!pegs_is_private(model))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("model \"%s\" has no guarantee: no view of it can be published", name),
				 errdetail("There is none: %s.", model->method->no_guarantee),
				 errhint("Publish rows of a sealed or perturbed model.")));
	if (pegs_is_sealed(model) && release == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("model \"%s\" is sealed: every read of a view of it would be charged", name),
				 errhint("Keep rows of it in a release, which is charged once, and make a view of that: SELECT pegs_release('kept', %s, 1000, epsilon => 1);", quote_literal_cstr(name))));
}

/* What will become of the rows, for who runs the statement. */
static const char *
refreshed(bool materialized, const PegsRelease *release)
{
	if (!materialized)
		return "";
	return release ? " /* REFRESH gives the same rows: those of a release never change. The view's owner must have a right to the release. */"
		: " /* REFRESH gives the same rows, until the model is fitted anew, or its name is another's. The view's owner must have a right to the model. */";
}

/*
 * pegs_view_sql(name text, view_name text, role name DEFAULT 'public', kind text DEFAULT NULL) → SETOF text: a statement
 * a row that make a view of free rows ('view' or 'schema.view'), say who may read it, and what it is; of several tables
 * a view of each, in a schema of that name
 *
 * With the SQL of an older version it has two arguments and gives one text: a plain view for PUBLIC.
 */
PG_FUNCTION_INFO_V1(pegs_view_sql);
Datum
pegs_view_sql(PG_FUNCTION_ARGS)
{
	bool		old = PG_NARGS() < 4;
	char	   *name = pegs_arg_text(fcinfo, 0, "name");
	RangeVar   *named = view_named(pegs_arg_text(fcinfo, 1, "view_name"));
	char	   *view = view_identifier(named);
	const char *role = old ? NULL : role_argument(fcinfo, 2);
	const char *schema = pstrdup(quote_identifier(get_namespace_name(get_func_namespace(fcinfo->flinfo->fn_oid))));
	bool		materialized = false;
	bool		is_named = old || kind_argument(fcinfo, 3, &materialized);
	PegsRelease *release;
	PegsModel  *model = pegs_model_or_release(name, &release);
	PegsPublished what = {.model = model, .release = release, .name = name, .functions = schema, .role = role};
	const PegsDomain *domain = release ? model->spec->domain : pegs_sliced_domain(model, model->spec->domain);
	char	   *literal = quote_literal_cstr(name);
	const char *kind;
	char	   *comment;
	char	   *rows;
	char	   *list;
	int			level;
	int64		n;
	PegsStatements statements;

	pegs_require_curator(model->account, "publish a view of it");
	pegs_require_no_score(model);
	require_free(model, release, name);
	n = release ? release->n : pegs_model_rows(model) * (model->slice ? model->fit : 1);
	what.materialized = is_named ? materialized : n > MAX_ROWS_OF_A_VIEW;
	if (model->spec->related)
	{
		pegs_begin_statements(&statements, fcinfo, old);
		pegs_publish_several(&statements, &what, pegs_arg_text(fcinfo, 1, "view_name"));
		return (Datum) 0;
	}
	require_new(named, name);
	level = pegs_pin_search_path();
	list = pegs_column_list(pegs_printed_domain(domain, view));
	AtEOXact_GUC(true, level);
	if (*list == '\0')
		pegs_type_is_gone(domain->column[0].name, NULL);
	pegs_begin_statements(&statements, fcinfo, old);
	kind = what.materialized ? "MATERIALIZED VIEW" : "VIEW";
	comment = pegs_published_comment(&what);
	if (release)
		rows = psprintf("%s.pegs_rows(%s::text)", schema, literal);
	else if (model->slice)
		rows = psprintf("%s.pegs_sample_slices(%s::text, NULL::text, NULL::text, NULL::text[])", schema, literal);
	else
		/* as many as the model stands for, also when it is fitted anew; the SQL of an older version wants a number */
		rows = psprintf("%s.pegs_sample(%s::text, %s::bigint, NULL::double precision, 1::bigint, 0::double precision, NULL::jsonb, '{}'::jsonb)",
						schema, literal, old ? psprintf(INT64_FORMAT, n) : "NULL");
	pegs_put_statement(&statements, psprintf("CREATE %s %s AS SELECT * FROM %s AS t(%s)%s;",
										kind, view, rows, list, refreshed(what.materialized, release)));
	pegs_put_statement(&statements, psprintf("GRANT SELECT ON %s TO %s;", view, role ? quote_identifier(role) : "PUBLIC"));
	/* psql goes on after an error: no view, no grant */
	pegs_put_statement(&statements, psprintf("SELECT %s.pegs_grant(%s::text, %s::name, NULL::double precision) WHERE %s::pg_catalog.regclass IS NOT NULL;",
										schema, literal, quote_literal_cstr(role ? role : "public"), quote_literal_cstr(view)));
	pegs_put_statement(&statements, psprintf("COMMENT ON %s %s IS %s;", kind, view, comment));
	for (int i = 0; i < domain->ncols; i++)
		if (OidIsValid(domain->column[i].type) && domain->column[i].part == NULL) /* else it was dropped: pegs_column_list */
			pegs_put_statement(&statements, psprintf("COMMENT ON COLUMN %s.%s IS %s;",
												view, quote_identifier(domain->column[i].name), comment));
	for (int i = 0; i < domain->nderived; i++)
		pegs_put_statement(&statements, psprintf("COMMENT ON COLUMN %s.%s IS %s;", view, quote_identifier(domain->derived[i].name), comment));
	if (old)
		PG_RETURN_TEXT_P(cstring_to_text(statements.text.data));
	return (Datum) 0;
}
