/*
 * beside.c
 *	  What a model of related tables says beside its unit: rows that its rows
 *	  refer to and that it does not protect, and combinations that may repeat
 *	  though the original has them once.
 *
 * A certificate says both. By the catalog and the declarations alone: law L1;
 * nothing misleads: law L10.
 */
#include "facts/facts.h"
#include "facts/links.h"
#include "budget/budget.h"

#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/pg_index.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/relcache.h"
#include "utils/ruleutils.h"
#include "utils/syscache.h"

/* ---- second references ---- */

static void
refuse_self(const PegsSource *source, AttrNumber attnum)
{
	const char *name = get_rel_name(source->account);
	const char *column = get_attname(source->account, attnum, false);

	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("table \"%s\" refers to itself", name),
			 errdetail("A unit would hang on another. The column is not modelled, and \"%s\" cannot be NULL.", column),
			 errhint("ALTER TABLE %s ALTER COLUMN %s DROP NOT NULL;%s", pegs_relation_words(source->account), quote_identifier(column),
					 pegs_is_bound(source->account) ? psprintf(" Or name the other tables: tables => %s", pegs_tables_without(source->account)) : "")));
}

/* A public list of values: a single column with a domain, of a table whose rows are about nobody. */
static bool
is_public(const PegsDomain *all, const PegsForeignKey *key, Oid child, Oid root)
{
	int			i = key->n == 1 && !pegs_is_about_persons(key->refers_to, root) ? pegs_domain_find(all, get_attname(child, key->attnum[0], false)) : -1;

	return i >= 0 && (all->column[i].origin != NULL || all->column[i].via != NULL);
}

static char *
words_of(const PegsSource *source, const char *name, const PegsForeignKey *key)
{
	return psprintf("a row of %s in the rows of %s that refer to it by %s", pegs_relation_words(key->parent), name, pegs_key_columns(source->account, key->n, key->attnum));
}

/* Of a table that is bound to another and fitted alone, by these columns: the same, of char *. A column that they have not may have levels. */
List *
pegs_references_beside(const PegsSource *source, const PegsDomain *domain)
{
	const PegsForeignKey *own = pegs_own_key(source->account);
	Oid			root = pegs_payer(source->account);
	List	   *beside = NIL;
	ListCell   *cell;

	if (own == NULL)
		return NIL;
	foreach(cell, pegs_foreign_keys(source->account))
	{
		const PegsForeignKey *key = lfirst(cell);

		if (strcmp(key->name, own->name) == 0 || pegs_is_same_row(source->account, key))
			continue;
		if (is_public(domain, key, source->account, root)
			|| (key->n == 1 && !pegs_is_about_persons(key->refers_to, root) && pegs_has_levels(source->account, key->attnum[0])))
			continue;
		beside = lappend(beside, words_of(source, get_rel_name(source->account), key));
	}
	return beside;
}

/* Keys to other rows than that of the parent: whose they are is protected by no model of this unit. all: its domain, with what is not modelled. */
void
pegs_note_references(PegsMember *member, const PegsSource *source, const PegsForeignKey *own, const PegsDomain *all, Oid root)
{
	List	   *keys = pegs_foreign_keys(source->account);
	Relation	rel = table_open(source->account, AccessShareLock);
	ListCell   *cell;

	member->beside = palloc0(sizeof(char *) * (list_length(keys) + 1));
	foreach(cell, keys)
	{
		const PegsForeignKey *key = lfirst(cell);

		if ((own && strcmp(key->name, own->name) == 0) || pegs_is_same_row(source->account, key))
			continue;
		if (key->parent == source->account && pegs_first_not_null(rel, key) != InvalidAttrNumber)
			refuse_self(source, pegs_first_not_null(rel, key));
		if (is_public(all, key, source->account, root))
			continue;
		member->beside[member->nbeside++] = words_of(source, member->name, key);
	}
	table_close(rel, NoLock);
}

/* ---- combinations that are unique in the original ---- */

/* May rows agree in all that an index is of? A made number is each once, a line each once of its parent; what is neither made nor modelled is NULL, which an index tells apart unless it is said not to, or a plain value where that may not be. */
bool
pegs_may_repeat(const PegsMember *member, Relation rel, const struct FormData_pg_index *index)
{
	bool		modelled = false;
	bool		line = false;
	bool		parent = false;

	for (int i = 0; i < index->indnkeyatts; i++)
	{
		AttrNumber	attnum = index->indkey.values[i];
		const char *name = attnum > 0 ? NameStr(TupleDescAttr(RelationGetDescr(rel), attnum - 1)->attname) : NULL;
		int			k = name ? pegs_made_key(member, name) : -1;

		if (k >= 0 && member->key[k].kind == PEGS_KEY_NUMBER)
			return false;
		line |= k >= 0 && member->key[k].kind == PEGS_KEY_LINE;
		parent |= k >= 0 && member->key[k].kind == PEGS_KEY_PARENT;
		/* an expression is as if of modelled columns */
		if (k < 0 && name && !PEGS_NULLS_AGREE(index) && !pegs_is_modelled(member->spec->domain, name) && !pegs_is_not_null(TupleDescAttr(RelationGetDescr(rel), attnum - 1)))
			return false;
		modelled |= k < 0;
	}
	return !(line && parent) && (modelled || line) && !pegs_is_distinct(member, rel, index->indexrelid);
}

void
pegs_note_repeats(PegsMember *member, const PegsSource *source)
{
	Relation	rel = table_open(source->account, AccessShareLock);
	List	   *indexes = RelationGetIndexList(rel);
	ListCell   *cell;

	member->repeat = palloc0(sizeof(char *) * (list_length(indexes) + 1));
	foreach(cell, indexes)
	{
		HeapTuple	tuple = SearchSysCache1(INDEXRELID, ObjectIdGetDatum(lfirst_oid(cell)));
		Form_pg_index index = (Form_pg_index) GETSTRUCT(tuple);

		if (index->indisunique && pegs_may_repeat(member, rel, index))
			member->repeat[member->nrepeat++] = psprintf("rows of %s may repeat (%s), which the original has unique", member->name,
															pg_get_indexdef_columns(lfirst_oid(cell), false));
		ReleaseSysCache(tuple);
	}
	table_close(rel, NoLock);
}
