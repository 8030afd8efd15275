/*
 * publish_columns.c
 *	  The columns of a copy of a related table: whether they can hold the
 *	  model's rows, which of them are computed from others, and DEFAULTs.
 *
 * What the original is now says whether the statements would run: where they
 * would not, that is said before the first of them is printed. A person runs
 * what is printed. Laws L9, L10.
 */
#include "models/publish.h"
#include "codes/allowed.h"
#include "codes/codes.h"

#include "access/htup_details.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/ruleutils.h"
#include "utils/syscache.h"

/* ---- before the first statement ---- */

/* May its CHECKs be tried here? Who asks for statements has not run any of them yet: none that would run others' code. */
static bool
may_try(Oid type)
{
	return pegs_type_of_others(type) == NULL;
}

/* Takes its domain what the model has, or for a key, which has no column, the numbers up to n? A copy has the domain: what is said of a column list is no way out here. */
static void
try_domain(const PegsPublished *what, Form_pg_attribute att, const PegsColumn *column, int64 n)
{
	MemoryContext context = CurrentMemoryContext;

	PG_TRY();
	{
		if (column)
			pegs_require_allowed(att->atttypid, column);
		else
			(void) pegs_running(att, n);
	}
	PG_CATCH();
	{
		ErrorData  *error;

		MemoryContextSwitchTo(context);
		error = CopyErrorData();
		FlushErrorState();
		if (error->sqlerrcode == ERRCODE_CHECK_VIOLATION || error->sqlerrcode == ERRCODE_NOT_NULL_VIOLATION)
			error->hint = psprintf("Views have its base type, %s: SELECT pegs_view_sql(%s, '...');", format_type_be(getBaseType(att->atttypid)), quote_literal_cstr(what->name));
		ReThrowError(error);
	}
	PG_END_TRY();
}

/* A key that is gone leaves rows that belong to none; its domain, or another type than it had, may take no number. */
static void
require_key(const PegsPublished *what, const PegsMember *member, Relation rel, const PegsMadeKey *key, int64 n)
{
	AttrNumber	attnum = get_attnum(RelationGetRelid(rel), key->column);

	if (attnum <= 0)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_COLUMN),
				 errmsg("table %s has no column \"%s\" any more, which is a key of \"%s\"", member->table, key->column, what->name),
				 errdetail("It was dropped or renamed after the fit. Without it rows of the copies do not belong together."),
				 errhint("Give it its name again, or fit the model to the tables of now. Views have it still: SELECT pegs_view_sql(%s, '...');", quote_literal_cstr(what->name))));
	if (may_try(TupleDescAttr(RelationGetDescr(rel), attnum - 1)->atttypid))
		try_domain(what, TupleDescAttr(RelationGetDescr(rel), attnum - 1), NULL, n);
	else
		pegs_require_running(TupleDescAttr(RelationGetDescr(rel), attnum - 1), n);
}

/* A column that has another type now, or a domain that takes not what the model has. Of what is computed no domain is asked: its rows take none. */
static void
require_column(const PegsPublished *what, const PegsMember *member, Form_pg_attribute att, const PegsColumn *column, bool computed)
{
	int32		typmod = att->atttypmod;
	Oid			type = getBaseTypeAndTypmod(att->atttypid, &typmod);
	bool		domain = get_typtype(att->atttypid) == TYPTYPE_DOMAIN;

	if (type != column->type || (typmod >= 0 && typmod != column->typmod) || (computed && domain))
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("column \"%s\" of table %s is of type %s now, and of \"%s\" it is %s", column->name, member->table,
						format_type_with_typemod(att->atttypid, att->atttypmod), what->name, format_type_with_typemod(column->type, column->typmod)),
				 errdetail("It was altered after the fit."),
				 errhint("Fit the model to the tables of now. Views have the type that it had: SELECT pegs_view_sql(%s, '...');", quote_literal_cstr(what->name))));
	if (domain && may_try(att->atttypid))
		try_domain(what, att, column, 0);
}

/* A column that was made NOT NULL since. Of a domain that may be tried try_domain says so. */
static void
require_null(const PegsPublished *what, const PegsMember *member, Form_pg_attribute att)
{
	bool		tried = get_typtype(att->atttypid) == TYPTYPE_DOMAIN && may_try(att->atttypid);

	if (tried ? !att->attnotnull : !pegs_is_not_null(att))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_NOT_NULL_VIOLATION),
			 errmsg("column \"%s\" of table %s is NOT NULL now, and of \"%s\" it may be NULL", NameStr(att->attname), member->table, what->name),
			 errdetail("It was altered after the fit."),
			 errhint("Fit the model to the tables of now. Views have it as it was: SELECT pegs_view_sql(%s, '...');", quote_literal_cstr(what->name))));
}

/* Of all that the model has of it; a time after another one may be NULL where the table has none. */
static bool
may_be_null(const PegsDomain *domain, const char *name)
{
	for (int i = 0; i < domain->ncols; i++)
	{
		const PegsColumn *column = &domain->column[i];

		if (column->nullable && (column->part ? column->part->kind != PEGS_DIFFERENCE && strcmp(column->part->column, name) == 0 : strcmp(column->name, name) == 0))
			return true;
	}
	return false;
}

/* What the model has of this name and the table has no more. */
static void
require_there(const PegsPublished *what, const PegsMember *member, Relation rel, const char *name)
{
	if (get_attnum(RelationGetRelid(rel), name) > 0)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_COLUMN),
			 errmsg("table %s has no column \"%s\" any more, which \"%s\" has", member->table, name, what->name),
			 errdetail("It was dropped or renamed after the fit. What it is called now the model does not know: a copy would lack its values."),
			 errhint("Give it its name again, or fit the model to the tables of now. Views have it still: SELECT pegs_view_sql(%s, '...');", quote_literal_cstr(what->name))));
}

/* A type of the same name is another one, and has none of its values. */
static void
require_types(const PegsPublished *what, const PegsMember *member)
{
	const PegsDomain *domain = member->spec->domain;

	for (int i = 0; i < domain->ncols; i++)
		if (!OidIsValid(domain->column[i].type))
			ereport(ERROR,
					(errcode(ERRCODE_UNDEFINED_OBJECT),
					 errmsg("the type that column \"%s\" of table %s had is not there any more", domain->column[i].name, member->table),
					 errdetail("It was dropped after the fit."),
					 errhint("Fit the model to the tables of now. Views have the other columns: SELECT pegs_view_sql(%s, '...');", quote_literal_cstr(what->name))));
}

void
pegs_require_copied(const PegsPublished *what, const PegsMember *member, Relation rel)
{
	const PegsDomain *domain = member->spec->domain;
	int64		n = what->release ? what->release->n : pegs_model_rows(what->model);

	/* of the root all numbers are known; of another table there is a first one */
	for (int k = 0; k < member->nkeys; k++)
		require_key(what, member, rel, &member->key[k], member->parent < 0 && member->key[k].kind == PEGS_KEY_NUMBER ? n : 1);
	require_types(what, member);
	for (int i = 0; i < domain->ncols; i++)
		require_there(what, member, rel, domain->column[i].part ? domain->column[i].part->column : domain->column[i].name);
	for (int i = 0; i < domain->nderived; i++)
		require_there(what, member, rel, domain->derived[i].name);
	for (int i = 0; i < RelationGetDescr(rel)->natts; i++)
	{
		Form_pg_attribute att = TupleDescAttr(RelationGetDescr(rel), i);
		int			column = att->attisdropped ? -1 : pegs_domain_find(domain, NameStr(att->attname));
		const PegsDerived *derived = att->attisdropped || column >= 0 ? NULL : pegs_derived_find(domain, NameStr(att->attname));

		if (column >= 0 && domain->column[column].part == NULL)
			require_column(what, member, att, &domain->column[column], false);
		else if (derived)
		{
			PegsColumn	own = {.name = derived->name, .type = derived->type, .typmod = derived->typmod};

			require_column(what, member, att, &own, true);
		}
		if (!att->attisdropped && may_be_null(domain, NameStr(att->attname)))
			require_null(what, member, att);
	}
}

/* ---- what is generated: pegs_stays_generated ---- */

/* Computed when it is read (PostgreSQL 18), so it holds no value, and cannot become a column that does. */
static bool
is_virtual(Form_pg_attribute att)
{
	return att->attgenerated == 'v';
}

static bool
any_generated(Relation rel)
{
	const TupleConstr *constr = RelationGetDescr(rel)->constr;

#if PG_VERSION_NUM >= 180000
	if (constr && constr->has_generated_virtual)
		return true;
#endif
	return constr && constr->has_generated_stored;
}

static bool
stays_generated(const PegsMember *member, Relation rel, Form_pg_attribute att)
{
	return pegs_stays_generated(member, rel, att) && pegs_generated_by_others(rel, att) == NULL;
}

/* Has it a column that others' code would compute or check? LIKE would have it, too, and what the table of another has when the statements run. */
static bool
runs_code_of_others(Relation rel)
{
	if (pegs_is_others(rel->rd_rel->relowner) || pegs_is_in_schema_of_others(rel->rd_rel->relnamespace))
		return true;
	for (int i = 0; i < RelationGetDescr(rel)->natts; i++)
	{
		Form_pg_attribute att = TupleDescAttr(RelationGetDescr(rel), i);

		if (!att->attisdropped && (pegs_type_of_others(att->atttypid) || pegs_generated_by_others(rel, att)))
			return true;
	}
	return false;
}

/* The type in the copy: a domain's base type; what is of others otherwise is a text, which rows of an enum can be (rows/typed.c). */
static char *
type_in_copy(const PegsMember *member, Form_pg_attribute att)
{
	const char *whose = pegs_type_named_of_others(att->atttypid);
	int32		typmod = att->atttypmod;
	Oid			type = att->atttypid;

	if (whose)
	{
		type = getBaseTypeAndTypmod(type, &typmod);
		if (pegs_type_named_of_others(type))
		{
			type = TEXTOID;
			typmod = -1;
		}
		pegs_say_left_out(member, psprintf("the type %s of column \"%s\"", format_type_be(att->atttypid), NameStr(att->attname)), whose,
						  psprintf("The column is of type %s.", format_type_with_typemod(type, typmod)));
	}
	return format_type_extended(type, typmod, FORMAT_TYPE_TYPEMOD_GIVEN | FORMAT_TYPE_FORCE_QUALIFY);
}

static char *
expression_of(Relation rel, Form_pg_attribute att)
{
	const TupleConstr *constr = RelationGetDescr(rel)->constr;

	for (int i = 0; i < constr->num_defval; i++)
		if (constr->defval[i].adnum == att->attnum)
			return TextDatumGetCString(DirectFunctionCall2(pg_get_expr, CStringGetTextDatum(constr->defval[i].adbin), ObjectIdGetDatum(RelationGetRelid(rel))));
	elog(ERROR, "a generated column has no expression");
}

/* A column of a table that is not made by LIKE. */
static char *
column_in_copy(const PegsMember *member, Relation rel, Form_pg_attribute att)
{
	const char *name = NameStr(att->attname);
	const char *whose = pegs_generated_by_others(rel, att);
	bool		generated = stays_generated(member, rel, att);
	bool		filled = generated || att->attgenerated == '\0' || pegs_made_key(member, name) >= 0 || pegs_is_modelled(member->spec->domain, name);
	StringInfoData text;

	initStringInfo(&text);
	appendStringInfo(&text, "%s %s", quote_identifier(name), type_in_copy(member, att));
	if (OidIsValid(att->attcollation) && att->attcollation != DEFAULT_COLLATION_OID)
		appendStringInfo(&text, " COLLATE %s", generate_collation_name(att->attcollation));
	if (generated)
		appendStringInfo(&text, " GENERATED ALWAYS AS (%s) %s", expression_of(rel, att), is_virtual(att) ? "VIRTUAL" : "STORED");
	if (pegs_is_not_null(att) && filled)
		appendStringInfoString(&text, " NOT NULL");
	if (whose)
		pegs_say_left_out(member, psprintf("what generates column \"%s\"", name), whose, filled ? "The column is filled." : "The column is NULL.");
	return text.data;
}

/* Like its original; or column by column, where LIKE would have what is of others. */
void
pegs_put_create(PegsStatements *statements, const char *copy, const PegsMember *member, Relation rel)
{
	StringInfoData list;
	int			level;

	if (!runs_code_of_others(rel))
	{
		pegs_put_statement(statements, psprintf("CREATE TABLE %s (LIKE %s%s);", copy, pegs_relation_words(RelationGetRelid(rel)), any_generated(rel) ? " INCLUDING GENERATED" : ""));
		return;
	}
	level = pegs_pin_search_path();
	initStringInfo(&list);
	for (int i = 0; i < RelationGetDescr(rel)->natts; i++)
		if (!TupleDescAttr(RelationGetDescr(rel), i)->attisdropped)
			appendStringInfo(&list, "%s%s", list.len > 0 ? ", " : "", column_in_copy(member, rel, TupleDescAttr(RelationGetDescr(rel), i)));
	AtEOXact_GUC(true, level);
	pegs_put_statement(statements, psprintf("CREATE TABLE %s (%s);", copy, list.data));
}

/* What cannot be generated is NULL, or, if it is a key, a number: a plain value would be none of those that its expression gives. */
void
pegs_put_generated(PegsStatements *statements, const char *copy, const PegsMember *member, Relation rel)
{
	if (!any_generated(rel) || runs_code_of_others(rel))
		return;					/* pegs_put_create has said it */
	for (int i = 0; i < RelationGetDescr(rel)->natts; i++)
	{
		Form_pg_attribute att = TupleDescAttr(RelationGetDescr(rel), i);
		const char *name = quote_identifier(NameStr(att->attname));

		if (att->attisdropped || att->attgenerated == '\0' || pegs_stays_generated(member, rel, att))
			continue;
		pegs_put_statement(statements, psprintf("ALTER TABLE %s ALTER COLUMN %s %s;", copy, name, is_virtual(att) ? "SET EXPRESSION AS (NULL)" : "DROP EXPRESSION"));
		if (att->attnotnull && (is_virtual(att) || pegs_made_key(member, NameStr(att->attname)) < 0))
			pegs_put_statement(statements, psprintf("ALTER TABLE %s ALTER COLUMN %s DROP NOT NULL;", copy, name));
	}
}

/* Its rows, of this call: all columns, or those that are not generated in the copy. */
void
pegs_put_insert(PegsStatements *statements, const char *copy, const PegsMember *member, Relation rel, const char *call)
{
	StringInfoData into;
	StringInfoData from;
	bool		plain = runs_code_of_others(rel);	/* pegs_put_create */

	if (!any_generated(rel))
	{
		pegs_put_statement(statements, psprintf("INSERT INTO %s SELECT r.* FROM %s AS r;", copy, call));
		return;
	}
	initStringInfo(&into);
	initStringInfo(&from);
	for (int i = 0; i < RelationGetDescr(rel)->natts; i++)
	{
		Form_pg_attribute att = TupleDescAttr(RelationGetDescr(rel), i);
		const char *name = quote_identifier(NameStr(att->attname));

		if (att->attisdropped || (is_virtual(att) && !plain) || stays_generated(member, rel, att))
			continue;
		appendStringInfo(&into, "%s%s", into.len > 0 ? ", " : "", name);
		appendStringInfo(&from, "%sr.%s", from.len > 0 ? ", " : "", name);
	}
	pegs_put_statement(statements, psprintf("INSERT INTO %s (%s) SELECT %s FROM %s AS r;", copy, into.data, from.data, call));
}

/* ---- what is filled ---- */

/* Of columns that no model has and that cannot be NULL: a DEFAULT that says nothing; an error, where there is no such value. */
void
pegs_put_defaults(PegsStatements *statements, const char *copy, const PegsMember *member, Relation rel)
{
	for (int i = 0; i < RelationGetDescr(rel)->natts; i++)
	{
		Form_pg_attribute att = TupleDescAttr(RelationGetDescr(rel), i);
		const char *name = NameStr(att->attname);
		Oid			output;
		bool		varlena;
		Datum		value;

		if (att->attisdropped || att->attgenerated != '\0' || !pegs_is_not_null(att) || pegs_made_key(member, name) >= 0
			|| pegs_is_modelled(member->spec->domain, name))
			continue;
		value = pegs_plain_value(rel, att, may_try(att->atttypid));
		getTypeOutputInfo(att->atttypid, &output, &varlena);
		if (att->atthasdef || pegs_type_named_of_others(att->atttypid))
			pegs_put_statement(statements, psprintf("ALTER TABLE %s ALTER COLUMN %s SET DEFAULT %s;", copy, quote_identifier(name),
													quote_literal_cstr(OidOutputFunctionCall(output, value))));
	}
}
