/*
 * publish_keys.c
 *	  The unique keys of a copy of related tables, and the references between
 *	  its tables.
 *
 * Keys are made anew, and handed down from parent to child: a reference of
 * columns that are all handed down from the row that it names holds in the
 * copy as it does in the original. Of any other nothing is known, and it is
 * left out. A person runs what is printed. Law L10.
 */
#include "models/publish.h"
#include "facts/links.h"

#include "access/htup_details.h"
#include "access/relation.h"
#include "catalog/pg_index.h"
#include "lib/stringinfo.h"
#include "nodes/bitmapset.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/relcache.h"
#include "utils/syscache.h"

char *
pegs_placed(const char *schema, const PegsMember *member)
{
	char	   *name = pstrdup(quote_identifier(member->name));

	return psprintf("%s.%s", quote_identifier(schema), name);
}

/* ---- unique keys ---- */

/* "(a, b)" of an index of columns alone; NULL: it is of more. */
static char *
index_columns(Relation rel, HeapTuple tuple)
{
	Form_pg_index index = (Form_pg_index) GETSTRUCT(tuple);
	StringInfoData list;

	if (!heap_attisnull(tuple, Anum_pg_index_indpred, NULL))
		return NULL;
	initStringInfo(&list);
	for (int i = 0; i < index->indnkeyatts; i++)
	{
		AttrNumber	attnum = index->indkey.values[i];

		if (attnum <= 0)
			return NULL;
		appendStringInfo(&list, "%s%s", i > 0 ? ", " : "(", quote_identifier(NameStr(TupleDescAttr(RelationGetDescr(rel), attnum - 1)->attname)));
	}
	appendStringInfoChar(&list, ')');
	return list.data;
}

/* Will the copy have this key? Nothing that may repeat, though the original has it once: pegs_may_repeat. */
static bool
is_kept(const PegsRelated *related, int t, Relation rel, HeapTuple tuple)
{
	Form_pg_index index = (Form_pg_index) GETSTRUCT(tuple);

	return index->indisunique && index->indisvalid && !pegs_may_repeat(related, t, rel, index);
}

void
pegs_put_unique(PegsStatements *statements, const char *copy, const PegsRelated *related, int t, Relation rel)
{
	ListCell   *cell;

	foreach(cell, RelationGetIndexList(rel))
	{
		HeapTuple	tuple = SearchSysCache1(INDEXRELID, ObjectIdGetDatum(lfirst_oid(cell)));
		Form_pg_index index = (Form_pg_index) GETSTRUCT(tuple);
		char	   *columns = is_kept(related, t, rel, tuple) ? index_columns(rel, tuple) : NULL;
		const char *kind = index->indisprimary ? "PRIMARY KEY" : PEGS_NULLS_AGREE(index) ? "UNIQUE NULLS NOT DISTINCT" : "UNIQUE";

		if (columns)
			pegs_put_statement(statements, psprintf("ALTER TABLE %s ADD %s %s;", copy, kind, columns));
		ReleaseSysCache(tuple);
	}
}

/* ---- references ---- */

/* The reference by which a row belongs to its parent's. */
static void
put_own(PegsStatements *statements, const PegsRelated *related, const char *schema, const PegsMember *member)
{
	const PegsMember *parent = &related->member[member->parent];
	StringInfoData columns;
	StringInfoData referred;

	initStringInfo(&columns);
	initStringInfo(&referred);
	for (int k = 0; k < member->nkeys; k++)
		if (member->key[k].kind == PEGS_KEY_PARENT)
		{
			appendStringInfo(&columns, "%s%s", columns.len > 0 ? ", " : "", quote_identifier(member->key[k].column));
			appendStringInfo(&referred, "%s%s", referred.len > 0 ? ", " : "", quote_identifier(parent->key[member->key[k].of].column));
		}
	pegs_put_statement(statements, psprintf("ALTER TABLE %s ADD FOREIGN KEY (%s) REFERENCES %s (%s);", pegs_placed(schema, member), columns.data,
											pegs_placed(schema, parent), referred.data));
}

/* Is what this column of a table holds handed down from that of a table above? */
static bool
is_handed_down(const PegsRelated *related, int t, const char *column, int above, const char *referred)
{
	while (t != above)
	{
		const PegsMember *member = &related->member[t];
		int			k = pegs_made_key(member, column);

		if (t == 0 || k < 0 || member->key[k].kind != PEGS_KEY_PARENT)
			return false;
		column = related->member[member->parent].key[member->key[k].of].column;
		t = member->parent;
	}
	return strcmp(column, referred) == 0;
}

/* Does a key of the copy have just these columns? */
static bool
has_key(const PegsRelated *related, int t, Oid relid, int n, const AttrNumber *attnums)
{
	Relation	rel = relation_open(relid, AccessShareLock);
	Bitmapset  *wanted = NULL;
	bool		found = false;
	ListCell   *cell;

	for (int i = 0; i < n; i++)
		wanted = bms_add_member(wanted, attnums[i]);
	foreach(cell, RelationGetIndexList(rel))
	{
		HeapTuple	tuple = SearchSysCache1(INDEXRELID, ObjectIdGetDatum(lfirst_oid(cell)));
		Form_pg_index index = (Form_pg_index) GETSTRUCT(tuple);
		Bitmapset  *columns = NULL;

		if (is_kept(related, t, rel, tuple) && index_columns(rel, tuple))
			for (int i = 0; i < index->indnkeyatts; i++)
				columns = bms_add_member(columns, index->indkey.values[i]);
		found |= bms_equal(columns, wanted);
		ReleaseSysCache(tuple);
	}
	relation_close(rel, AccessShareLock);
	return found;
}

/* A reference beside the own one, to a row that the own one leads to anyway: the table above that it names; -1: it is none. */
static int
same_row_above(const PegsRelated *related, const Oid *originals, int t, const PegsForeignKey *key)
{
	const PegsMember *member = &related->member[t];
	int			own = 0;
	int			above;

	for (int k = 0; k < member->nkeys; k++)
		own += member->key[k].kind == PEGS_KEY_PARENT;
	for (above = 0; above < t && originals[above] != key->refers_to; above++)
		;
	if (above == t || (above == member->parent && key->n == own))
		return -1;
	for (int i = 0; i < key->n; i++)
		if (!is_handed_down(related, t, get_attname(originals[t], key->attnum[i], false), above, get_attname(originals[above], key->referred[i], false)))
			return -1;
	return has_key(related, above, originals[above], key->n, key->referred) ? above : -1;
}

/* Those of one table: the originals are of all of them. */
void
pegs_put_references(PegsStatements *statements, const PegsRelated *related, const char *schema, const Oid *originals, int t)
{
	const PegsMember *member = &related->member[t];
	ListCell   *cell;

	if (t == 0)
		return;
	put_own(statements, related, schema, member);
	foreach(cell, pegs_foreign_keys(originals[t]))
	{
		const PegsForeignKey *key = lfirst(cell);
		int			above = same_row_above(related, originals, t, key);

		if (above >= 0)
			pegs_put_statement(statements, psprintf("ALTER TABLE %s ADD FOREIGN KEY (%s) REFERENCES %s (%s);", pegs_placed(schema, member),
													pegs_key_columns(originals[t], key->n, key->attnum), pegs_placed(schema, &related->member[above]),
													pegs_key_columns(originals[above], key->n, key->referred)));
	}
}
