/*
 * distinct.c
 *	  A column by which a key tells rows of one parent apart, as (person, film)
 *	  of a table of ratings: no two rows of a person have the same film.
 *
 * Where it is modelled by single values, or by what a public lookup table says
 * of its keys, rows are drawn so (core/schema/distinct.h), and a copy has the
 * key. By the catalog and the declarations alone: laws L1, L10.
 */
#include "facts/facts.h"
#include "facts/links.h"
#include "codes/codes.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/transam.h"
#include "catalog/pg_index.h"
#include "catalog/pg_type.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/relcache.h"

/* Are two values of a type the same just where their texts are? Where its collation is deterministic. */
bool
pegs_is_told_apart(Oid type)
{
	static const Oid plain[] = {BOOLOID, INT2OID, INT4OID, INT8OID, TEXTOID, VARCHAROID, DATEOID};
	bool		found = type_is_enum(type);

	for (size_t k = 0; k < lengthof(plain); k++)
		found |= plain[k] == type;
	return found;
}

/* So does the index compare its column, and one that a copy has of it. */
static bool
compares_texts(Relation index, int i, Form_pg_attribute att)
{
	return pegs_is_told_apart(getBaseType(att->atttypid)) && index->rd_opfamily[i] < FirstNormalObjectId && index->rd_indcollation[i] == att->attcollation
		&& (!OidIsValid(att->attcollation) || get_collation_isdeterministic(att->attcollation));
}

/* The column by which a unique index of all that a row has of its parent, and of one column more, tells rows of one parent apart; 0: it is another. */
static AttrNumber
told_apart_by(const PegsMember *member, Relation rel, Oid indexid)
{
	Relation	index = index_open(indexid, AccessShareLock);
	Form_pg_index form = index->rd_index;
	int			parents = 0;
	AttrNumber	by = InvalidAttrNumber;
	/* by its row of the catalog: as the relation cache has it, it is folded, so the table's owner's functions would run */
	bool		is = form->indisunique && form->indisvalid && heap_attisnull(index->rd_indextuple, Anum_pg_index_indpred, NULL);

	is &= !PEGS_NULLS_AGREE(form);
	for (int k = 0; k < member->nkeys; k++)
		parents += member->key[k].kind == PEGS_KEY_PARENT;
	is &= form->indnkeyatts == parents + 1;
	for (int i = 0; is && i < form->indnkeyatts; i++)
	{
		AttrNumber	attnum = form->indkey.values[i];
		Form_pg_attribute att = attnum > 0 ? TupleDescAttr(RelationGetDescr(rel), attnum - 1) : NULL;
		int			k = att ? pegs_made_key(member, NameStr(att->attname)) : -1;

		for (int before = 0; before < i; before++)
			is &= form->indkey.values[before] != attnum;
		if (k >= 0 && member->key[k].kind == PEGS_KEY_PARENT)
			parents--;
		else if (att && k < 0 && by == InvalidAttrNumber && compares_texts(index, i, att))
			by = attnum;
		else
			is = false;
	}
	index_close(index, AccessShareLock);
	return is && parents == 0 ? by : InvalidAttrNumber;
}

/* The same of the primary key, before its columns are chosen. */
AttrNumber
pegs_told_apart_in_primary(Relation rel, const PegsForeignKey *own)
{
	PegsMember	member = {.key = palloc0(sizeof(PegsMadeKey) * (own->n + 1))};
	AttrNumber	by = InvalidAttrNumber;
	ListCell   *cell;

	while (member.nkeys < own->n)
	{
		member.key[member.nkeys].column = get_attname(RelationGetRelid(rel), own->attnum[member.nkeys], false);
		member.key[member.nkeys++].kind = PEGS_KEY_PARENT;
	}
	foreach(cell, RelationGetIndexList(rel))
	{
		Relation	index = index_open(lfirst_oid(cell), AccessShareLock);

		if (index->rd_index->indisprimary)
			by = told_apart_by(&member, rel, lfirst_oid(cell));
		index_close(index, AccessShareLock);
	}
	return by;
}

static bool
is_named(const PegsMember *member, const char *column)
{
	for (int d = 0; d < member->ndistinct; d++)
		if (strcmp(member->distinct[d], column) == 0)
			return true;
	return false;
}

/* Do rows of the model keep this unique index, since they are drawn so? */
bool
pegs_is_distinct(const PegsMember *member, Relation rel, Oid index)
{
	AttrNumber	attnum = member->ndistinct > 0 ? told_apart_by(member, rel, index) : InvalidAttrNumber;

	return attnum != InvalidAttrNumber && is_named(member, get_attname(RelationGetRelid(rel), attnum, false));
}

/* Which columns these are, before rows are: its spec is there. */
void
pegs_note_distinct(PegsMember *member, const PegsSource *source)
{
	const PegsDomain *domain = member->spec->domain;
	Relation	rel = table_open(source->account, AccessShareLock);
	List	   *indexes = RelationGetIndexList(rel);
	ListCell   *cell;

	member->distinct = palloc0(sizeof(char *) * (list_length(indexes) + 1));
	foreach(cell, indexes)
	{
		AttrNumber	attnum = member->parent < 0 ? InvalidAttrNumber : told_apart_by(member, rel, lfirst_oid(cell));
		char	   *name = attnum == InvalidAttrNumber ? NULL : get_attname(source->account, attnum, false);
		int			i = name ? pegs_modelled_by(domain, name) : -1;
		uint32_t   *room = i >= 0 ? pegs_room_of(&domain->column[i]) : NULL;

		if (room && !is_named(member, name) && pegs_sum_of_room(&domain->column[i], room) >= member->most)
			member->distinct[member->ndistinct++] = name;
	}
	table_close(rel, NoLock);
}
