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
#include "budget/bound.h"
#include "budget/budget.h"

#include "access/htup_details.h"
#include "access/sysattr.h"
#include "access/table.h"
#include "catalog/pg_index.h"
#include "nodes/bitmapset.h"
#include "optimizer/optimizer.h"
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
	char	   *null = pegs_let_be_null(source->account, attnum);

	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("table \"%s\" refers to itself", name),
			 errdetail("A unit would hang on another. The column is not modelled, and \"%s\" cannot be NULL.", column),
			 errhint("%s%s", null,
					 pegs_is_bound(source->account) ? psprintf("%sOr name the other tables: tables => %s", pegs_behind(null), pegs_tables_without(source->account)) : "")));
}

/* A public list of values: a single column with a domain, by this name, of a table whose rows are about nobody. */
static bool
is_public(const PegsDomain *all, const PegsForeignKey *key, const char *name, Oid root)
{
	int			i = key->n == 1 && name && !pegs_is_about_persons(key->refers_to, root) ? pegs_domain_find(all, name) : -1;

	return i >= 0 && (all->column[i].origin != NULL || all->column[i].via != NULL);
}

static PegsReferred *
referred_by(const PegsSource *source, const char *name, const PegsForeignKey *key)
{
	PegsReferred *referred = palloc(sizeof(PegsReferred));

	referred->table = key->parent;
	referred->by = psprintf(" that refer to it by %s", pegs_key_columns(source->account, key->n, key->attnum));
	referred->words = psprintf("a row of %s in the rows of %s%s", pegs_relation_words(key->parent), name, referred->by);
	return referred;
}

/* Does a model of these columns say anything of whom the key refers to? */
static bool
has_modelled(const PegsSource *source, const PegsDomain *domain, const PegsForeignKey *key)
{
	for (int i = 0; i < key->n; i++)
	{
		const char *name = pegs_column_of_base(source, key->attnum[i]);

		if (name && pegs_is_modelled(domain, name))
			return true;
	}
	return false;
}

/* Does it name rows that somebody might take for protected? Of a table that no other is bound to, and that is bound to none, persons' alone, in what is modelled. */
static bool
is_beside(const PegsSource *source, const PegsDomain *domain, const PegsForeignKey *key, Oid root, bool related)
{
	bool		persons = pegs_is_about_persons(key->refers_to, root);

	if (!related)
		return persons && has_modelled(source, domain, key);
	return !is_public(domain, key, pegs_column_of_base(source, key->attnum[0]), root)
		&& (key->n > 1 || persons || !pegs_has_levels(source->account, key->attnum[0]));
}

/* Of a table that is fitted alone, by these columns: the same. A column that they have not may have levels. */
List *
pegs_references_beside(const PegsSource *source, const PegsDomain *domain)
{
	const PegsForeignKey *own;
	bool		related;
	Oid			root;
	AttrNumber	unit = InvalidAttrNumber;
	List	   *beside = NIL;
	ListCell   *cell;

	/* of a score of a model: its table may be gone */
	if (get_rel_relkind(source->account) == '\0')
		return NIL;
	own = pegs_own_key(source->account);
	related = own || pegs_children_of(source->account) != NIL;
	root = pegs_payer(source->account);
	(void) pegs_has_unit(source->account, &unit);
	foreach(cell, pegs_foreign_keys(source->account))
	{
		const PegsForeignKey *key = lfirst(cell);

		/* that by which a row is told whose it is, as a bound table's own */
		if ((own && strcmp(key->name, own->name) == 0) || (own == NULL && key->n == 1 && key->attnum[0] == unit))
			continue;
		if (!pegs_is_own_row(source->account, key) && !pegs_is_of_own_rows(source->account, key) && is_beside(source, domain, key, root, related))
			beside = lappend(beside, referred_by(source, get_rel_name(source->account), key));
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

		if ((own && strcmp(key->name, own->name) == 0) || pegs_is_own_row(source->account, key) || pegs_is_of_own_rows(source->account, key))
			continue;
		if (key->parent == source->account && pegs_first_not_null(rel, key) != InvalidAttrNumber)
			refuse_self(source, pegs_first_not_null(rel, key));
		if (is_public(all, key, get_attname(source->account, key->attnum[0], false), root))
			continue;
		member->referred = lappend(member->referred, referred_by(source, member->name, key));
		member->beside[member->nbeside++] = ((PegsReferred *) llast(member->referred))->words;
	}
	table_close(rel, NoLock);
}

/* ---- combinations that are unique in the original ---- */

/* Generated from nothing but what the model has, so that the copy can generate it anew. A key is none: it is made. */
bool
pegs_stays_generated(const PegsMember *member, Relation rel, Form_pg_attribute att)
{
	TupleDesc	desc = RelationGetDescr(rel);
	Bitmapset  *read = NULL;
	int			place = -1;

	if (att->attgenerated == '\0' || att->attisdropped || (att->attgenerated != 'v' && pegs_made_key(member, NameStr(att->attname)) >= 0))
		return false;	/* a key is made; but nothing refers to one that is virtual */
	for (int i = 0; i < desc->constr->num_defval; i++)
		if (desc->constr->defval[i].adnum == att->attnum)
			pull_varattnos(stringToNode(desc->constr->defval[i].adbin), 1, &read);
	while ((place = bms_next_member(read, place)) >= 0)
	{
		AttrNumber	attnum = place + FirstLowInvalidHeapAttributeNumber;
		const char *name = attnum > 0 ? NameStr(TupleDescAttr(desc, attnum - 1)->attname) : NULL;

		if (name == NULL || (pegs_made_key(member, name) < 0 && !pegs_is_modelled(member->spec->domain, name)))
			return false;
	}
	return true;
}

/* A number is each once in its table, a line each once of its parent: with it, all that says which row the parent is. */
bool
pegs_identifies(const PegsRelated *related, int t, const Bitmapset *keys)
{
	const PegsMember *member = &related->member[t];
	Bitmapset  *above = NULL;
	bool		one = member->most == 1;	/* a parent has no second row */
	int			k = -1;

	while ((k = bms_next_member(keys, k)) >= 0)
	{
		if (member->key[k].kind == PEGS_KEY_NUMBER)
			return true;
		one |= member->key[k].kind == PEGS_KEY_LINE;
		if (member->key[k].kind == PEGS_KEY_PARENT)
			above = bms_add_member(above, member->key[k].of);
	}
	return one && above && pegs_identifies(related, member->parent, above);
}

/* May rows agree in all that an index is of? What is neither made nor modelled, nor generated from what is, is NULL, which an index tells apart unless it is said not to, or a plain value where that may not be. */
bool
pegs_may_repeat(const PegsRelated *related, int t, Relation rel, const struct FormData_pg_index *index)
{
	const PegsMember *member = &related->member[t];
	Bitmapset  *keys = NULL;

	for (int i = 0; i < index->indnkeyatts; i++)
	{
		AttrNumber	attnum = index->indkey.values[i];
		Form_pg_attribute att = attnum > 0 ? TupleDescAttr(RelationGetDescr(rel), attnum - 1) : NULL;
		const char *name = att ? NameStr(att->attname) : NULL;
		int			k = name ? pegs_made_key(member, name) : -1;

		if (k >= 0)
			keys = bms_add_member(keys, k);
		/* an expression is as if of modelled columns */
		if (k < 0 && name && !PEGS_NULLS_AGREE(index) && !pegs_is_modelled(member->spec->domain, name) && !pegs_is_not_null(att)
			&& !pegs_stays_generated(member, rel, att))
			return false;
	}
	return !pegs_identifies(related, t, keys) && !pegs_is_distinct(member, rel, index->indexrelid);
}

void
pegs_note_repeats(const PegsRelated *related, int t, const PegsSource *source)
{
	PegsMember *member = &related->member[t];
	Relation	rel = table_open(source->account, AccessShareLock);
	List	   *indexes = RelationGetIndexList(rel);
	ListCell   *cell;

	member->repeat = palloc0(sizeof(char *) * (list_length(indexes) + 1));
	foreach(cell, indexes)
	{
		HeapTuple	tuple = SearchSysCache1(INDEXRELID, ObjectIdGetDatum(lfirst_oid(cell)));
		Form_pg_index index = (Form_pg_index) GETSTRUCT(tuple);

		if (index->indisunique && pegs_may_repeat(related, t, rel, index))
			member->repeat[member->nrepeat++] = psprintf("rows of %s may repeat (%s), which the original has unique", member->name,
															pg_get_indexdef_columns(lfirst_oid(cell), false));
		ReleaseSysCache(tuple);
	}
	table_close(rel, NoLock);
}
