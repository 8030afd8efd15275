/*
 * publish_several.c
 *	  The statements that publish rows of related tables: a view of each, for
 *	  pegs_view_sql; or a copy of each with its keys (publish_keys.c, publish_columns.c),
 *	  which the server checks: pegs_copy_sql.
 *
 * A person reads them and runs them (\gexec): nothing is run here. Every name
 * is quoted, and every argument is cast. What the original tables are is
 * looked at now, and no lock stays. Laws L9, L10.
 */
#include "models/publish.h"
#include "budget/bound.h"
#include "budget/budget.h"
#include "codes/codes.h"
#include "source/source.h"

#include "access/htup_details.h"
#include "access/relation.h"
#include "access/sysattr.h"
#include "access/table.h"
#include "catalog/catalog.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "catalog/pg_constraint.h"
#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "optimizer/optimizer.h"
#include "parser/scansup.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/guc.h"
#include "utils/json.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/relcache.h"
#include "utils/syscache.h"
#include "utils/varlena.h"

/* ---- where they go ---- */

static char *
schema_named(const char *name)
{
	char	   *copy = pstrdup(name);

	truncate_identifier(copy, (int) strlen(copy), false);
	return copy;
}

/* A schema of the server, of the extension's tables or of a session is no place for rows. */
static void
refuse_system(const char *schema)
{
	if (!IsReservedName(schema) && strcmp(schema, "information_schema") != 0 && strcmp(schema, "pegs_internal") != 0)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_RESERVED_NAME),
			 errmsg("schema \"%s\" is the system's own", schema),
			 errhint("Name another schema: it is made, if there is none.")));
}

/* DROP of what such statements made before; NULL: something there is not of them. Nothing by CASCADE, nothing beside it. */
static char *
drop_of_older(const PegsRelated *related, const char *schema, Oid namespace)
{
	static const char kinds[] = {RELKIND_MATVIEW, RELKIND_VIEW, RELKIND_RELATION};
	static const char *const words[] = {"MATERIALIZED VIEW", "VIEW", "TABLE"};
	StringInfoData drops;
	int			known = 0;
	int			there = 0;

	initStringInfo(&drops);
	for (int k = 0; k < (int) lengthof(kinds); k++)
	{
		bool		any = false;

		for (int t = 0; t < related->n; t++)
		{
			const PegsMember *member = &related->member[t];
			Oid			relid = get_relname_relid(member->name, namespace);

			there += k == 0 && OidIsValid(relid);
			if (!OidIsValid(relid) || get_rel_relkind(relid) != kinds[k] || !pegs_is_published(relid))
				continue;
			known++;
			appendStringInfo(&drops, "%s%s", any ? ", " : psprintf("%sDROP %s ", drops.len > 0 ? " " : "", words[k]), pegs_placed(schema, member));
			any = true;
		}
		if (any)
			appendStringInfoChar(&drops, ';');
	}
	return known == there ? drops.data : NULL;
}

/* Where CREATE fails psql runs the statements behind it, with what is there. */
static void
require_new(const PegsRelated *related, const char *schema, Oid namespace)
{
	for (int t = 0; t < related->n; t++)
		if (OidIsValid(get_relname_relid(related->member[t].name, namespace)))
		{
			char	   *drops = drop_of_older(related, schema, namespace);

			ereport(ERROR,
					(errcode(ERRCODE_DUPLICATE_TABLE),
					 errmsg("relation \"%s\" already exists in schema \"%s\"", related->member[t].name, schema),
					 errdetail("CREATE would fail, and the statements behind it would be of what is there."),
					 drops ? errhint("Name another schema. Or, if these are older ones of the same: %s", drops)
					 : errhint("Name another schema: it is made, if there is none. What is there was not made by such statements.")));
		}
}

/* The schema: made, if there is none; a new one is open to who may read. */
static void
put_schema(PegsStatements *statements, const PegsPublished *what, const char *schema, bool open)
{
	Oid			namespace;
	const char *quoted = quote_identifier(schema);

	refuse_system(schema);
	namespace = get_namespace_oid(schema, true);
	if (OidIsValid(namespace))
	{
		require_new(what->model->spec->related, schema, namespace);
		return;
	}
	pegs_put_statement(statements, psprintf("CREATE SCHEMA %s;", quoted));
	if (open)
		pegs_put_statement(statements, psprintf("GRANT USAGE ON SCHEMA %s TO %s;", quoted, what->role ? quote_identifier(what->role) : "PUBLIC"));
}

/* '{"table": "..."}' */
static char *
table_option(const PegsMember *member)
{
	StringInfoData text;

	initStringInfo(&text);
	appendStringInfoString(&text, "{\"table\": ");
	escape_json(&text, member->name);
	appendStringInfoChar(&text, '}');
	return quote_literal_cstr(text.data);
}

/* The call that gives the rows of one table; of a named row type, or NULL. */
static char *
call_of(const PegsPublished *what, const PegsMember *member, const char *row_type)
{
	const char *typed = row_type ? psprintf("NULL::%s, ", row_type) : "";
	const char *as = row_type ? "_as" : "";

	if (what->release)
		return psprintf("%s.pegs_rows%s(%s%s::text, %s::text)", what->functions, as, typed, quote_literal_cstr(what->name), quote_literal_cstr(member->name));
	return psprintf("%s.pegs_sample%s(%s%s::text, NULL::bigint, NULL::double precision, 1::bigint, 0::double precision, NULL::jsonb, %s::jsonb)",
					what->functions, as, typed, quote_literal_cstr(what->name), table_option(member));
}

/* ---- the original, if it is there ---- */

/* By the name that it had when it was fitted; no lock stays. NULL: it is gone. A reader may not look into its schema, and learns no more than what his rows are. */
static Relation
original_of(const PegsMember *member, Oid *relid)
{
	RangeVar   *name = makeRangeVarFromNameList(textToQualifiedNameList(cstring_to_text(member->table)));
	Oid			namespace = name->schemaname ? get_namespace_oid(name->schemaname, true) : InvalidOid;

	*relid = OidIsValid(namespace) ? get_relname_relid(name->relname, namespace) : InvalidOid;
	return OidIsValid(*relid) ? try_relation_open(*relid, AccessShareLock) : NULL;
}

/* ---- views ---- */

/* A key has the type of its original's column, and where that is gone, one for any number. */
static void
put_key(StringInfo list, const PegsMadeKey *key, Oid relid, bool printed)
{
	AttrNumber	attnum = OidIsValid(relid) ? get_attnum(relid, key->column) : InvalidAttrNumber;
	Oid			type = INT8OID;
	int32		typmod = -1;
	Oid			collation;

	if (attnum > 0)
	{
		get_atttypetypmodcoll(relid, attnum, &type, &typmod, &collation);
		type = getBaseTypeAndTypmod(type, &typmod);
	}
	if (printed && pegs_type_named_of_others(type))
	{
		type = TEXTOID;
		typmod = -1;
	}
	appendStringInfo(list, "%s%s %s", list->len > 0 ? ", " : "", quote_identifier(key->column), pegs_type_words(type, typmod));
}

/* The list for AS t(...): keys first; for a statement that is printed, or for who asks now. */
static char *
member_list(const PegsMember *member, bool printed)
{
	int			level = printed ? pegs_pin_search_path() : 0;
	char	   *modelled = pegs_column_list(printed ? pegs_printed_domain(member->spec->domain, member->name) : member->spec->domain);
	Oid			relid;
	Relation	rel = original_of(member, &relid);
	StringInfoData list;

	initStringInfo(&list);
	for (int k = 0; k < member->nkeys; k++)
		put_key(&list, &member->key[k], rel ? relid : InvalidOid, printed);
	if (rel)
		relation_close(rel, AccessShareLock);
	appendStringInfo(&list, "%s%s", list.len > 0 && *modelled ? ", " : "", modelled);
	if (printed)
		AtEOXact_GUC(true, level);
	return list.data;
}

/* pegs_row_type of one of them; table: NULL if none was named. */
char *
pegs_table_row_type(const PegsModel *model, const char *name, const char *table)
{
	const PegsRelated *related = model->spec->related;
	int			t = table ? pegs_related_find(related, table) : -1;

	if (table == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("\"%s\" is of several tables: %s", name, pegs_related_names(related)),
				 errdetail("Rows are of one of them."),
				 errhint("SELECT pegs_row_type(%s, %s);", quote_literal_cstr(name), quote_literal_cstr(related->member[0].name))));
	if (t < 0)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("\"%s\" has no table \"%s\"", name, pegs_clipped(table)),
				 errhint("Its tables are: %s.", pegs_related_names(related))));
	return member_list(&related->member[t], false);
}

void
pegs_publish_several(PegsStatements *statements, const PegsPublished *what, const char *name)
{
	const PegsRelated *related = what->model->spec->related;
	const char *schema = schema_named(name);
	const char *kind = what->materialized ? "MATERIALIZED VIEW" : "VIEW";
	char	   *comment = pegs_published_comment(what);
	const char *role = what->role ? pstrdup(quote_identifier(what->role)) : "PUBLIC";

	put_schema(statements, what, schema, true);
	for (int t = 0; t < related->n; t++)
	{
		const PegsMember *member = &related->member[t];
		char	   *view = pegs_placed(schema, member);

		pegs_put_statement(statements, psprintf("CREATE %s %s AS SELECT * FROM %s AS t(%s);", kind, view, call_of(what, member, NULL), member_list(member, true)));
		pegs_put_statement(statements, psprintf("GRANT SELECT ON %s TO %s;", view, role));
		pegs_put_statement(statements, psprintf("COMMENT ON %s %s IS %s;", kind, view, comment));
	}
	/* psql goes on after an error: no view, no grant */
	pegs_put_statement(statements, psprintf("SELECT %s.pegs_grant(%s::text, %s::name, NULL::double precision) WHERE %s::pg_catalog.regclass IS NOT NULL;",
											what->functions, quote_literal_cstr(what->name), quote_literal_cstr(what->role ? what->role : "public"),
											quote_literal_cstr(pegs_placed(schema, &related->member[related->n - 1]))));
}

/* ---- copies ---- */

/* For pg_dump: " -t 'public.a' -t 'public.b'", of all that are not here. */
static char *
missing_tables(const PegsRelated *related)
{
	StringInfoData list;

	initStringInfo(&list);
	for (int t = 0; t < related->n; t++)
	{
		Oid			relid;
		Relation	rel = original_of(&related->member[t], &relid);

		if (rel)
			relation_close(rel, AccessShareLock);
		else
			appendStringInfo(&list, " -t %s", quote_literal_cstr(related->member[t].table));
	}
	return list.data;
}

/* ALTER TABLE that gives a table the name and schema that it had, as the model has them: the name alone, or with the schema before it. */
static char *
moved_back(const PegsMember *member, Oid moved)
{
	const RangeVar *was = makeRangeVarFromNameList(textToQualifiedNameList(cstring_to_text(member->table)));
	char	   *words = pegs_relation_words(moved);

	if (strcmp(get_rel_name(moved), was->relname) != 0)
		return psprintf("ALTER TABLE %s RENAME TO %s;", words, quote_identifier(was->relname));
	return psprintf("ALTER TABLE %s SET SCHEMA %s;", words, was->schemaname ? quote_identifier(was->schemaname) : "...");
}

/*
 * Of which the rows are, not what has its name now: constraints are copied, and run as whoever copies. So it belongs to who calls,
 * and to the account of the model, if that was fitted here.
 */
static Relation
require_original(const PegsPublished *what, int t)
{
	const PegsMember *member = &what->model->spec->related->member[t];
	Oid			relid;
	Relation	rel = original_of(member, &relid);
	Oid			moved = rel == NULL && OidIsValid(what->model->account) ? pegs_member_now(what->model, t) : InvalidOid;
	const PegsSource *source = rel ? pegs_curated_source(relid, "copy its constraints") : NULL;

	if (source && OidIsValid(what->model->account) && pegs_payer(source->account) != what->model->account)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("table %s is not the one of which \"%s\" has rows", member->table, what->name),
				 errdetail("It has that name, and other constraints, and is not bound to the account that paid."),
				 errhint("Give the original its name again, or bind it to its parent: pegs_set_parent. Views need no table: SELECT pegs_view_sql(%s, '...');",
						 quote_literal_cstr(what->name))));
	if (rel == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("there is no table %s, of which \"%s\" has rows", member->table, what->name),
				 errdetail("A copy has its columns and constraints."),
				 OidIsValid(moved) ? errhint("It is %s now: %s Or views, which need no table: SELECT pegs_view_sql(%s, '...');", pegs_relation_words(moved), moved_back(member, moved),
											 quote_literal_cstr(what->name))
				 : OidIsValid(what->model->account) ? errhint("It was dropped or renamed here: give it its name again. Or views, which need no table: SELECT pegs_view_sql(%s, '...');",
															 quote_literal_cstr(what->name))
				 : errhint("Make the tables as they were where the model was fitted, without rows: pg_dump --schema-only%s. Or views, which need no table: SELECT pegs_view_sql(%s, '...');",
						   missing_tables(what->model->spec->related), quote_literal_cstr(what->name))));
	return rel;
}

/* Of several columns: each of them may have what it allows, and all together not. */
static bool
is_of_several(const ConstrCheck *check)
{
	Bitmapset  *columns = NULL;

	pull_varattnos(stringToNode(check->ccbin), 1, &columns);
	return bms_num_members(columns) > 1 || bms_is_member(-FirstLowInvalidHeapAttributeNumber, columns);	/* the row as a whole */
}

/*
 * With the schema of each function: whoever runs the statements has a search_path of his own. First those of one column, which
 * rows must keep; and behind the rows those of several, which rows may break: nothing is lost by one that does.
 */
static void
put_checks(PegsStatements *statements, const char *copy, const PegsMember *member, Relation rel, bool several)
{
	const TupleConstr *constr = RelationGetDescr(rel)->constr;
	int			level = pegs_pin_search_path();

	for (int i = 0; constr && i < constr->num_check; i++)
	{
		const char *name = constr->check[i].ccname;
		const char *whose = pegs_code_of_others(stringToNode(constr->check[i].ccbin), pegs_is_others(rel->rd_rel->relowner));
		Oid			oid = get_relation_constraint_oid(RelationGetRelid(rel), name, false);
		char	   *definition = TextDatumGetCString(OidFunctionCall1(F_PG_GET_CONSTRAINTDEF_OID, ObjectIdGetDatum(oid)));

		if (is_of_several(&constr->check[i]) != several)
			continue;
		if (whose)
		{
			pegs_say_left_out(member, psprintf("CHECK constraint \"%s\"", name), whose, "Rows may break it.");
			continue;
		}
		if (several)
			ereport(NOTICE,
					(errmsg("rows of the copy may break CHECK constraint \"%s\" of table \"%s\": it is of several columns", name, member->name),
					 errhint("It is printed NOT VALID, behind the rows. Of the copy: ALTER TABLE %s VALIDATE CONSTRAINT %s; says whether they keep it.", copy, quote_identifier(name))));
		pegs_put_statement(statements, psprintf("%s%s%s;", pegs_check_of_copy(copy, name), definition,
												several && constr->check[i].ccvalid ? " NOT VALID" : ""));
	}
	AtEOXact_GUC(true, level);
}

/* Its original is at hand, as *relid. */
static void
put_table(PegsStatements *statements, const PegsPublished *what, const char *schema, const PegsRelated *related, int t, Oid *relid, PegsRefusing *refusing)
{
	const PegsMember *member = &related->member[t];
	Relation	rel = require_original(what, t);
	char	   *copy = pegs_placed(schema, member);

	pegs_require_copied(what, member, rel);
	pegs_put_create(statements, copy, member, rel);
	pegs_put_statement(statements, psprintf("COMMENT ON TABLE %s IS %s;", copy, pegs_published_comment(what)));
	pegs_put_generated(statements, copy, member, rel);
	/* what fills a column that is NOT NULL and not modelled is read off these */
	put_checks(statements, copy, member, rel, false);
	pegs_put_defaults(statements, copy, member, rel);
	pegs_put_insert(statements, copy, member, rel, call_of(what, member, copy));
	put_checks(statements, copy, member, rel, true);
	pegs_put_unique(statements, copy, related, t, rel);
	pegs_put_sequences(statements, copy, member, rel);
	pegs_note_refusing(copy, member, rel, refusing);
	*relid = RelationGetRelid(rel);
	relation_close(rel, AccessShareLock);
}

/*
 * pegs_copy_sql(name text, schema_name text) → SETOF text: a statement a row that copy free rows of related tables into
 * tables of a schema, with their primary and unique keys, CHECK constraints and the references between them
 *
 * One transaction: psql runs the statements behind one that is refused, and a copy without a constraint looks like one that has it.
 * Of one snapshot: a model that is fitted anew meanwhile would give one table rows of the old fit, and the next of the new one.
 */
PG_FUNCTION_INFO_V1(pegs_copy_sql);
Datum
pegs_copy_sql(PG_FUNCTION_ARGS)
{
	char	   *name = pegs_arg_text(fcinfo, 0, "name");
	const char *schema = schema_named(pegs_arg_text(fcinfo, 1, "schema_name"));
	PegsRelease *release;
	PegsModel  *model = pegs_model_or_release(name, &release);
	const PegsRelated *related = model->spec->related;
	PegsPublished what = {.model = model, .release = release, .name = name, .copied = true,
		.functions = pstrdup(quote_identifier(get_namespace_name(get_func_namespace(fcinfo->flinfo->fn_oid))))};
	PegsStatements statements;
	Oid		   *originals;
	PegsRefusing refusing = {0};
	int			level;

	pegs_require_curator(model->account, "copy its rows");
	if (related == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("\"%s\" is of one table: only several are copied with their references", name),
				 errhint("CREATE TABLE ... AS SELECT * FROM ...; or a view: SELECT pegs_view_sql(%s, '...');", quote_literal_cstr(name))));
	pegs_begin_statements(&statements, fcinfo, false);
	pegs_put_statement(&statements, pstrdup(PEGS_COPY_BEGINS));
	pegs_put_statement(&statements, pstrdup("SET LOCAL standard_conforming_strings = on;"));
	/* what is built in is printed without its schema */
	pegs_put_statement(&statements, pstrdup("SET LOCAL search_path = pg_catalog, pg_temp;"));
	put_schema(&statements, &what, schema, false);
	originals = palloc0(related->n * sizeof(Oid));
	/* as pg_dump: a date or an interval that is printed is the same wherever it is read */
	level = pegs_pin_notation();
	(void) set_config_option("standard_conforming_strings", "on", PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
	(void) set_config_option("intervalstyle", "postgres", PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
	for (int t = 0; t < related->n; t++)
		put_table(&statements, &what, schema, related, t, &originals[t], &refusing);
	AtEOXact_GUC(true, level);
	for (int t = 0; t < related->n; t++)
		pegs_put_references(&statements, name, related, schema, originals, t);
	pegs_put_statement(&statements, pstrdup("COMMIT;"));
	pegs_say_before_copy(&what, schema, &refusing);
	return (Datum) 0;
}
