/*
 * reading.c
 *	  Rows of a relation, read by somebody's right to them: the one place where
 *	  a query on a relation that a user named is made. reader.c runs it.
 *
 * Resolve once. The relation is locked by its OID, then looked at (kind,
 * owner, rights), then named; the name is looked up once, what was found is
 * compared with what was locked, and that query tree is planned and run as it
 * is. It never goes through the plan cache, which would look the name up again
 * when a schema is renamed. No lock on a table stops ALTER SCHEMA ... RENAME.
 *
 * Rights at the moment of use. Whoever asks needs the right then, not when
 * something was declared or fitted: the privileges of the owner, or SELECT on a
 * table whose row security does not apply to them. The query runs as the owner
 * of the rows and never as the caller: a table runs code of its owner, too (a
 * function in the expression of an index is called while a query is planned),
 * and so does a view (but for what reads as the caller, pegs_reading_as_caller: there nothing else would be his own SELECT). A view is planned as the owner of the table below it,
 * for the same reason: else the table's owner could run code as the view's.
 *
 * Nothing shows what was read: not the counters of the statistics views, not
 * the locks of a serializable transaction, not the text of an error. Law L5, L9.
 */
#include "source/source.h"

#include "access/relation.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_namespace.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/rls.h"
#include "utils/syscache.h"

#define COLUMNS_SHOWN 30

/* ---- rights ---- */

static void
refuse_guest(Relation rel, const char *why)
{
	ereport(ERROR,
			(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
			 errmsg("must be a member of the role that owns \"%s\" to have it read: %s", RelationGetRelationName(rel), why),
			 errhint("Copy the rows that you may read: CREATE TABLE my_copy AS SELECT * FROM %s;", pegs_relation_name(rel))));
}

/* Do a table, its partitions or children, and what it is a part of, belong to one role? Each of them can bring code with it. */
static bool
one_family(Relation rel, const List *parts)
{
	Oid			owner = rel->rd_rel->relowner;
	Oid			parent = RelationGetRelid(rel);
	ListCell   *cell;

	while (OidIsValid(parent = pegs_source_parent(parent)))
		if (pegs_owner_of(parent) != owner)
			return false;
	foreach(cell, parts)
		if (pegs_owner_of(lfirst_oid(cell)) != owner || get_rel_relkind(lfirst_oid(cell)) == RELKIND_FOREIGN_TABLE)
			return false;
	return true;
}

/* SELECT on the table, or on each of the columns. */
static bool
may_select(Oid relid, List *columns)
{
	ListCell   *cell;

	if (pg_class_aclcheck(relid, GetUserId(), ACL_SELECT) == ACLCHECK_OK)
		return true;
	foreach(cell, columns)
		if (pg_attribute_aclcheck(relid, get_attnum(relid, lfirst(cell)), GetUserId(), ACL_SELECT) != ACLCHECK_OK)
			return false;
	return columns != NIL;
}

static void
require_select(Relation rel, List *columns)
{
	if (!pegs_may_use_schema(RelationGetNamespace(rel), GetUserId()))
		aclcheck_error(ACLCHECK_NO_PRIV, OBJECT_SCHEMA, get_namespace_name(RelationGetNamespace(rel)));
	if (!may_select(RelationGetRelid(rel), columns))
		aclcheck_error(ACLCHECK_NO_PRIV, get_relkind_objtype(rel->rd_rel->relkind), RelationGetRelationName(rel));
}

/* The right alone, of those columns that it has: whoever has it not is told nothing else of a relation. */
void
pegs_require_select(Oid relid, List *columns)
{
	Relation	rel = try_relation_open(relid, AccessShareLock);
	List	   *there = NIL;
	ListCell   *cell;

	if (rel == NULL)
		return;					/* said when it is read */
	foreach(cell, columns)
		if (get_attnum(relid, lfirst(cell)) != InvalidAttrNumber)
			there = lappend(there, lfirst(cell));
	if (!has_privs_of_role(GetUserId(), rel->rd_rel->relowner))
		require_select(rel, there);
	relation_close(rel, NoLock);
}

/* What SELECT alone is not enough for; NULL: it is. */
static const char *
no_guest(Relation rel, const List *parts)
{
	/* its functions, its security_invoker and what it says of current_user would be its owner's */
	if (rel->rd_rel->relkind == RELKIND_VIEW)
		return "it is a view";
	/* the owner's user mapping would open the other server */
	if (rel->rd_rel->relkind == RELKIND_FOREIGN_TABLE)
		return "it is a foreign table";
	/* as in a query that names the table: the policies of its partitions do not count */
	if (check_enable_rls(RelationGetRelid(rel), InvalidOid, true) == RLS_ENABLED)
		return "its row security applies to you";
	if (!one_family(rel, parts))
		return "its partitions or parents are of other owners, or foreign tables";
	return NULL;
}

/* May the caller have this relation read, and its parts, now? True if as a guest: with SELECT alone. */
static bool
require_right(Relation rel, const List *parts, List *columns)
{
	const char *why;

	if (has_privs_of_role(GetUserId(), rel->rd_rel->relowner))
		return false;
	require_select(rel, columns);
	why = no_guest(rel, parts);
	if (why)
		refuse_guest(rel, why);
	return true;
}

/* For who shows what is declared, without an error: the right that pegs_reading_relation would ask for. The table is locked, and has these columns. */
char *
pegs_unreadable(Oid relid, const List *parts, List *columns, char **remedy)
{
	Relation	rel = relation_open(relid, NoLock);
	Oid			schema = RelationGetNamespace(rel);
	const char *caller = quote_identifier(GetUserNameFromId(GetUserId(), false));
	const char *why = NULL;
	char	   *words = NULL;

	if (has_privs_of_role(GetUserId(), rel->rd_rel->relowner))
		why = NULL;
	else if (!pegs_may_use_schema(schema, GetUserId()))
	{
		words = psprintf("permission denied for schema %s", get_namespace_name(schema));
		*remedy = psprintf("GRANT USAGE ON SCHEMA %s TO %s;", quote_identifier(get_namespace_name(schema)), caller);
	}
	else if (!may_select(relid, columns))
	{
		words = psprintf("permission denied for table %s", RelationGetRelationName(rel));
		*remedy = psprintf("GRANT SELECT ON %s TO %s;", pegs_relation_name(rel), caller);
	}
	else if ((why = no_guest(rel, parts)) != NULL)
	{
		words = pstrdup(why);
		*remedy = psprintf("CREATE TABLE my_copy AS SELECT * FROM %s; copies the rows that you may read. Declare that table.", pegs_relation_name(rel));
	}
	relation_close(rel, NoLock);
	return words;
}

static PegsReading *
reading(Relation rel, Oid role, List *chain, bool guest)
{
	PegsReading *r = palloc0(sizeof(PegsReading));

	r->relid = RelationGetRelid(rel);
	r->owner = rel->rd_rel->relowner;
	r->role = role;
	r->caller = GetUserId();
	r->name = pegs_relation_name(rel);
	r->chain = chain;
	r->guest = guest;
	return r;
}

List *
pegs_column_names(const PegsDomain *domain)
{
	List	   *names = NIL;

	for (int i = 0; i < domain->ncols; i++)
		names = lappend(names, domain->column[i].name);
	return names;
}

/*
 * A source, whose curator the caller is: source.c has locked all that its query
 * reads. A simple view tells no more than the rows of its table, so nobody who
 * may read those needs a right on the view, but where another server has them.
 */
PegsReading *
pegs_reading_source(const PegsSource *source, const PegsDomain *domain)
{
	Relation	rel = relation_open(source->relid, NoLock);
	Relation	rows = relation_open(source->rows, NoLock);
	bool		guest = require_right(rows, source->parts, source->rows == source->relid ? pegs_column_names(domain) : NIL);
	PegsReading *r = reading(rel, rows->rd_rel->relowner, source->chain, guest);

	if (source->unread)
		elog(ERROR, "whether rows of %s are there once was not asked", source->name);
	pegs_require_views(source);
	r->only = list_concat_unique_oid(list_copy(source->chain), source->parts);
	r->once = source->rows;
	r->asks = source->asks;
	if (rows->rd_rel->relkind == RELKIND_MATVIEW && !RelationIsPopulated(rows))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("materialized view \"%s\" has not been populated", RelationGetRelationName(rows)),
				 errhint("REFRESH MATERIALIZED VIEW %s;", pegs_relation_name(rows))));
	relation_close(rows, NoLock);
	relation_close(rel, NoLock);
	return r;
}

/* May a part be read by itself as it is read through its parent, where only the right to that is asked? */
static bool
is_plain_part(Oid relid, const PegsReading *reading)
{
	Relation	rel = relation_open(relid, NoLock);
	bool		plain = rel->rd_rel->relowner == reading->role && !RELATION_IS_OTHER_TEMP(rel)
		&& check_enable_rls(relid, reading->role, true) != RLS_ENABLED
		&& pegs_may_use_schema(RelationGetNamespace(rel), reading->role)
		&& pg_class_aclcheck(relid, reading->role, ACL_SELECT) == ACLCHECK_OK;

	relation_close(rel, NoLock);
	return plain;
}

/* Each of these parts of the source is read by itself, if the table may be read so at all: false, it may not. */
bool
pegs_reading_these(PegsReading *reading, const PegsSource *source, List *parts)
{
	ListCell   *cell;

	if (source->relid != source->rows || reading->guest)
		return false;
	foreach(cell, source->parts)
		if (!is_plain_part(lfirst_oid(cell), reading))
			return false;
	reading->parts = parts;
	foreach(cell, parts)
	{
		Relation	rel = relation_open(lfirst_oid(cell), NoLock);
		bool		alone = rel->rd_rel->relkind != RELKIND_PARTITIONED_TABLE;

		reading->part_names = lappend(reading->part_names, psprintf("%s%s", alone ? "ONLY " : "", pegs_relation_name(rel)));
		relation_close(rel, NoLock);
	}
	return true;
}

/* A table that has parts on other servers: all its parts. False: they are read through their parent, as any table. */
bool
pegs_reading_parts(PegsReading *reading, const PegsSource *source)
{
	List	   *parts = NIL;
	ListCell   *cell;

	if (list_length(source->parts) == 1 || !pegs_has_foreign(source->parts))
		return false;
	foreach(cell, source->parts)
		if (get_rel_relkind(lfirst_oid(cell)) != RELKIND_PARTITIONED_TABLE)
			parts = lappend_oid(parts, lfirst_oid(cell));
	return pegs_reading_these(reading, source, parts);
}

/*
 * What a plan reads must be what was looked at: a table takes a new part while others have it locked. Where each part is
 * read by itself a new one is none of them: it is asked for.
 */
void
pegs_require_listed(const PegsReading *reading, const List *relations)
{
	if (reading->only == NIL)
		return;
	if (list_difference_oid(relations, reading->only) != NIL
		|| (reading->parts && list_difference_oid(find_all_inheritors(reading->relid, NoLock, NULL), reading->only) != NIL))
		ereport(ERROR,
				(errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
				 errmsg("%s has another part than a moment ago", reading->name),
				 errhint("Call it again.")));
}

/* For a hint: of a relation, which is locked, the names as SQL writes them. */
char *
pegs_columns_it_has(Oid relid)
{
	Relation	rel = relation_open(relid, NoLock);
	TupleDesc	desc = RelationGetDescr(rel);
	StringInfoData list;
	int			n = 0;

	initStringInfo(&list);
	for (int i = 0; i < desc->natts; i++)
	{
		if (TupleDescAttr(desc, i)->attisdropped || ++n > COLUMNS_SHOWN)
			continue;
		appendStringInfo(&list, "%s%s", n > 1 ? ", " : "", quote_identifier(NameStr(TupleDescAttr(desc, i)->attname)));
	}
	if (n > COLUMNS_SHOWN)
		appendStringInfoString(&list, ", ...");
	relation_close(rel, NoLock);
	return list.data;
}

/* Locked; it has rows, and these columns. */
static Relation
open_relation(Oid relid, List *columns)
{
	Relation	rel = try_relation_open(relid, AccessShareLock);
	ListCell   *cell;

	if (rel == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("the relation does not exist"),
				 errhint("Name a table or view: 'schema.table'")));
	switch (rel->rd_rel->relkind)
	{
		case RELKIND_RELATION:
		case RELKIND_PARTITIONED_TABLE:
		case RELKIND_VIEW:
		case RELKIND_MATVIEW:
		case RELKIND_FOREIGN_TABLE:
			break;
		default:
			ereport(ERROR,
					(errcode(ERRCODE_WRONG_OBJECT_TYPE),
					 errmsg("\"%s\" has no rows to read", RelationGetRelationName(rel)),
					 errhint("Name a table or a view: 'schema.table'")));
	}
	foreach(cell, columns)
		if (get_attnum(relid, lfirst(cell)) == InvalidAttrNumber)
			ereport(ERROR,
					(errcode(ERRCODE_UNDEFINED_COLUMN),
					 errmsg("relation \"%s\" has no column \"%s\"", RelationGetRelationName(rel), (char *) lfirst(cell)),
					 errhint("Its columns are: %s.", pegs_columns_it_has(relid))));
	return rel;
}

/* Any other relation with rows: these columns of it. What is below a view of one's own is as in any query. */
PegsReading *
pegs_reading_relation(Oid relid, List *columns)
{
	Relation	rel = open_relation(relid, columns);
	List	   *parts = rel->rd_rel->relkind == RELKIND_VIEW ? NIL : find_all_inheritors(relid, AccessShareLock, NULL);
	PegsReading *r = reading(rel, rel->rd_rel->relowner, NIL, require_right(rel, parts, columns));

	r->only = parts;
	relation_close(rel, NoLock);
	return r;
}

/*
 * A relation that the caller reads with his own rights and nobody else's, as by
 * a SELECT of his own: views, row security and foreign tables are as they are
 * for him. What he may not read the executor refuses.
 */
PegsReading *
pegs_reading_as_caller(Oid relid, List *columns)
{
	Relation	rel = open_relation(relid, columns);
	PegsReading *r;

	if (!pegs_may_use_schema(RelationGetNamespace(rel), GetUserId()))
		aclcheck_error(ACLCHECK_NO_PRIV, OBJECT_SCHEMA, get_namespace_name(RelationGetNamespace(rel)));
	r = reading(rel, GetUserId(), NIL, false);
	r->owner = GetUserId();
	r->as_caller = true;
	relation_close(rel, NoLock);
	return r;
}
