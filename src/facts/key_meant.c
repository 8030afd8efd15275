/*
 * key_meant.c
 *	  Which foreign key says whose rows they are: the one that is named, or
 *	  the only one to that parent. Else why there is none, and the way out.
 *
 * By the catalog alone: law L1.
 */
#include "facts/facts.h"
#include "budget/bound.h"

#include "access/genam.h"
#include "access/table.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

/* "ALTER TABLE heir NO INHERIT base;", for each that it inherits from. */
static char *
no_inherit(Oid heir)
{
	Relation	inherits = table_open(InheritsRelationId, AccessShareLock);
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple	tuple;
	StringInfoData statements;

	initStringInfo(&statements);
	ScanKeyInit(&key, Anum_pg_inherits_inhrelid, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(heir));
	scan = systable_beginscan(inherits, InheritsRelidSeqnoIndexId, true, NULL, 1, &key);
	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
		appendStringInfo(&statements, "%sALTER TABLE %s NO INHERIT %s;", statements.len > 0 ? " " : "", pegs_relation_words(heir),
						 pegs_relation_words(((Form_pg_inherits) GETSTRUCT(tuple))->inhparent));
	systable_endscan(scan);
	table_close(inherits, AccessShareLock);
	return statements.data;
}

/* Itself, or a partition of it: neither has foreign keys or unique keys, nor can the whole; InvalidOid: there is none. */
static Oid
foreign_part(Oid table)
{
	ListCell   *cell;

	if (get_rel_relkind(table) == RELKIND_FOREIGN_TABLE)
		return table;
	if (get_rel_relkind(table) == RELKIND_PARTITIONED_TABLE)
		foreach(cell, find_all_inheritors(table, NoLock, NULL))
			if (get_rel_relkind(lfirst_oid(cell)) == RELKIND_FOREIGN_TABLE)
				return lfirst_oid(cell);
	return InvalidOid;
}

static void
refuse_foreign(Oid table, const char *has_none, const char *with)
{
	Oid			part = foreign_part(table);

	if (OidIsValid(part))
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 part == table ? errmsg("\"%s\" is a foreign table, %s", get_rel_name(table), has_none)
				 : errmsg("table \"%s\" has a part that is a foreign table, \"%s\", %s", get_rel_name(table), get_rel_name(part), has_none),
				 errdetail("Whose rows they are is read from the catalog. Related tables are all of this server."),
				 errhint("Make a table of its rows here, with %s: CREATE TABLE ... AS SELECT * FROM %s;", with, pegs_relation_words(table))));
}

/* What no foreign key of which would help: a table that has none, a parent that has no key, and a table that inherits, of which another's would be said. */
static void
refuse_without_keys(const PegsSource *source, Oid parent)
{
	refuse_foreign(source->account, "which has no foreign keys", "that key");
	refuse_foreign(parent, "to which no foreign key can refer", "a PRIMARY KEY");
	if (source->relid != source->account && get_rel_relkind(source->relid) == RELKIND_RELATION && !get_rel_relispartition(source->relid))
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("table \"%s\" inherits from \"%s\"", get_rel_name(source->relid), get_rel_name(source->account)),
				 errdetail("Its rows are rows of that table, too, and no foreign key of \"%s\" says whose they are.", get_rel_name(source->account)),
				 errhint("%s", no_inherit(source->relid))));
}

/* A table of that parent's own whose rows it belongs to by a key: what was meant, where the root was named for the table between. */
static const PegsForeignKey *
key_between(Oid child, Oid parent)
{
	ListCell   *cell;

	foreach(cell, pegs_foreign_keys(child))
	{
		const PegsForeignKey *key = lfirst(cell);

		if (key->parent != child && pegs_is_bound(key->parent) && pegs_payer(key->parent) == pegs_payer(parent))
			return key;
	}
	return NULL;
}

/* The statement that binds it by this key, with what was given of the number of rows. */
static char *
bind_by(Oid child, const PegsForeignKey *key, const PegsBinding *binding)
{
	if (key->unique)
		return psprintf("SELECT pegs_set_parent(%s, %s%s);", pegs_relation_literal(child), pegs_relation_literal(key->parent), pegs_which_key(child, key));
	return pegs_classes_statement(child, key, binding->children, binding->nchildren, Max(binding->at_most, 0));
}

/* Columns that are a key to another table, where another key refers to this parent: which of both was meant? NULL: it is another mistake. */
static char *
of_two_keys(Oid child, Oid parent, const PegsBinding *binding)
{
	const PegsForeignKey *to_parent = NULL;
	const PegsForeignKey *by_columns = NULL;
	bool		number;
	ListCell   *cell;

	foreach(cell, pegs_foreign_keys(child))
	{
		const PegsForeignKey *key = lfirst(cell);
		bool		same = key->n == list_length(binding->columns);
		ListCell   *name;

		foreach(name, binding->columns)
			same &= pegs_key_place(key, get_attnum(child, lfirst(name))) >= 0;
		if (key->parent == parent && to_parent == NULL)
			to_parent = key;
		if (key->parent != parent && same)
			by_columns = key;
	}
	if (by_columns == NULL || by_columns->parent == child)
		return NULL;
	number = !by_columns->unique || (to_parent && !to_parent->unique);
	return psprintf("It refers to \"%s\": %s%s%s", get_rel_name(by_columns->parent), bind_by(child, by_columns, binding),
					to_parent == NULL ? "" : psprintf(" Or, by its key to \"%s\": %s", get_rel_name(parent), bind_by(child, to_parent, binding)),
					!number || (binding->nchildren > 0 && binding->at_most > 0) ? "" : " " PEGS_CHILDREN);
}

static void
refuse_no_key(const PegsBinding *binding, Oid child, Oid parent)
{
	List	   *columns = binding->columns;
	char	   *meant = columns ? of_two_keys(child, parent, binding) : NULL;
	const PegsForeignKey *between = columns ? NULL : key_between(child, parent);
	char	   *statement = columns ? pegs_statement_of_key(child, parent, columns)
		: psprintf("ALTER TABLE %s ADD FOREIGN KEY (...) REFERENCES %s%s;", pegs_relation_words(child), pegs_relation_words(parent), pegs_unchecked(child));
	size_t		end = strlen(" NOT VALID;");
	bool		unchecked = strlen(statement) > end && strcmp(statement + strlen(statement) - end, " NOT VALID;") == 0;
	StringInfoData names;
	ListCell   *cell;

	initStringInfo(&names);
	foreach(cell, columns)
		appendStringInfo(&names, "%s%s", names.len > 0 ? ", " : "", quote_identifier((char *) lfirst(cell)));
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("no foreign key of table \"%s\"%s%s%s refers to \"%s\"", get_rel_name(child), columns ? " on (" : "", names.data, columns ? ")" : "",
					get_rel_name(parent)),
			 errdetail("Whose rows they are is read from the catalog."),
			 meant ? errhint("%s", meant) : between
			 ? errhint("It refers to \"%s\", whose rows belong to that account: %s", get_rel_name(between->parent),
					   between->unique ? psprintf("SELECT pegs_set_parent(%s, %s);", pegs_relation_literal(child), pegs_relation_literal(between->parent))
					   : psprintf("%s " PEGS_CHILDREN, pegs_classes_statement(child, between, NULL, 0, 0)))
			 : errhint("%s%s", statement, unchecked ? " is enough: rows that are there are not checked." : "")));
}

/* Which of them is meant, a person says: the first one may be whose rows they are not. */
static void
refuse_several(const PegsBinding *binding, Oid child, Oid parent, List *keys)
{
	StringInfoData all;
	ListCell   *cell;

	initStringInfo(&all);
	foreach(cell, keys)
	{
		const PegsForeignKey *key = lfirst(cell);

		if (key->parent == parent)
			appendStringInfo(&all, "%s%s", all.len > 0 ? " or " : "", pegs_key_literal(child, key->n, key->attnum));
	}
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("several foreign keys of table \"%s\" refer to \"%s\"", get_rel_name(child), get_rel_name(parent)),
			 errdetail("A row belongs to one unit. In a row of these models the others are not protected."),
			 errhint("Say whose row it is, %s: SELECT pegs_set_parent(%s, %s, columns => '{...}'%s);", all.data, pegs_relation_literal(child),
					 pegs_relation_literal(parent), binding->nchildren > 0 || binding->at_most > 0 ? pegs_classes_words(binding->children, binding->nchildren, binding->at_most) : "")));
}

/* The key by which its rows belong to those of this parent; or an error. */
const PegsForeignKey *
pegs_key_meant(const PegsBinding *binding, const PegsSource *source, Oid parent)
{
	Oid			child = source->account;
	List	   *columns = binding->columns;
	List	   *keys = pegs_foreign_keys(child);
	const PegsForeignKey *found = NULL;
	AttrNumber	attnums[INDEX_MAX_KEYS] = {0};
	int			n = 0;
	ListCell   *cell;

	if (columns)
	{
		foreach(cell, columns)
		{
			AttrNumber	attnum = get_attnum(child, (char *) lfirst(cell));

			if (attnum < 1)
				ereport(ERROR,
						(errcode(ERRCODE_UNDEFINED_COLUMN),
						 errmsg("column \"%s\" of table \"%s\" does not exist", pegs_clipped((char *) lfirst(cell)), get_rel_name(child)),
						 errhint("Name the columns of the foreign key.")));
			for (int i = 0; i < n; i++)
				if (attnums[i] == attnum)
					ereport(ERROR,
							(errcode(ERRCODE_DUPLICATE_COLUMN),
							 errmsg("column \"%s\" of table \"%s\" is named twice", (char *) lfirst(cell), get_rel_name(child)),
							 errhint("Name the columns of the foreign key, each once.")));
			if (n < INDEX_MAX_KEYS)
				attnums[n++] = attnum;
		}
		found = pegs_key_with(keys, parent, n, attnums);
		if (found == NULL)
			refuse_without_keys(source, parent);
		if (found == NULL)
			refuse_no_key(binding, child, parent);
		return found;
	}
	foreach(cell, keys)
	{
		const PegsForeignKey *key = lfirst(cell);

		if (key->parent != parent)
			continue;
		if (found)
			refuse_several(binding, child, parent, keys);
		found = key;
	}
	if (found == NULL)
		refuse_without_keys(source, parent);
	if (found == NULL)
		refuse_no_key(binding, child, parent);
	return found;
}
