/*
 * own_key.c
 *	  The foreign key by which a table is bound: which columns are handed down by
 *	  it, which are numbered beside it, and which other keys lead to the same row.
 *
 * By the catalog and the binding: law L1.
 */
#include "facts/facts.h"
#include "budget/bound.h"

#include "access/table.h"
#include "nodes/bitmapset.h"
#include "utils/rel.h"

const PegsForeignKey *
pegs_own_key(Oid table)
{
	PegsBound	bound;

	if (!pegs_read_bound(table, &bound) || !bound.is || !OidIsValid(bound.parent))
		return NULL;
	return pegs_key_with(pegs_foreign_keys(table), bound.parent, bound.n, bound.attnum);
}

/* Of a bound table: a part of its key that its parent's does not have, and that refers to nothing (a line of an order). It is numbered anew in models. */
bool
pegs_is_numbered(Oid relid, AttrNumber attnum)
{
	Relation	rel = table_open(relid, AccessShareLock);
	bool		numbered = bms_num_members(pegs_primary_columns(rel)) > 1 && bms_is_member(attnum, pegs_primary_columns(rel));
	const PegsForeignKey *own = numbered && !pegs_is_referring(relid, attnum) ? pegs_own_key(relid) : NULL;

	table_close(rel, NoLock);
	return own && pegs_key_place(own, attnum) < 0;
}

/* Is what a column holds handed down, key by key, from this column of a table above? */
bool
pegs_is_handed_down(Oid table, AttrNumber attnum, Oid above, AttrNumber referred)
{
	for (int g = 0; g <= PEGS_MAX_GENERATIONS; g++)
	{
		const PegsForeignKey *own;
		int			i;

		if (table == above && attnum == referred)
			return true;
		own = pegs_own_key(table);
		i = pegs_key_place(own, attnum);
		if (i < 0 || own->refers_to != own->parent)
			return false;
		table = own->parent;
		attnum = own->referred[i];
	}
	return false;
}

/* A key to a table below that has this column in it: is what it refers to by that handed down from here? It is of its own rows, then, whatever number they get. */
bool
pegs_is_handed_back(Oid table, AttrNumber attnum, const PegsForeignKey *key)
{
	int			i = pegs_key_place(key, attnum);

	return i >= 0 && pegs_is_handed_down(key->parent, pegs_referred_above(key, i), table, attnum);
}

/* Does it say by what it has handed down which row is meant? Then what it refers to is of that row's unit: the latest visit of a person. A tenant alone says no row. */
bool
pegs_is_of_own_rows(Oid table, const PegsForeignKey *key)
{
	Relation	rel = table_open(table, AccessShareLock);
	const Bitmapset *primary = pegs_primary_columns(rel);
	Bitmapset  *back = NULL;

	table_close(rel, NoLock);
	for (int i = 0; i < key->n; i++)
		if (pegs_is_handed_back(table, key->attnum[i], key))
			back = bms_add_member(back, key->attnum[i]);
	return key->parent != table && !bms_is_empty(primary) && bms_is_subset(primary, back);
}

bool
pegs_is_same_row(Oid table, const PegsForeignKey *key)
{
	for (int i = 0; i < key->n; i++)
		if (!pegs_is_handed_down(table, key->attnum[i], key->parent, key->referred[i]))
			return false;
	return key->refers_to == key->parent;
}

/* Do its columns that are handed down say which row above it is? Then the others are copies of what that row has: its sex beside its number. */
bool
pegs_is_own_row(Oid table, const PegsForeignKey *key)
{
	const PegsForeignKey *own = pegs_own_key(table);
	Relation	above = table_open(key->parent, AccessShareLock);
	const Bitmapset *primary = pegs_primary_columns(above);
	Bitmapset  *down = NULL;
	bool		named;

	for (int i = 0; i < key->n; i++)
		if (pegs_is_handed_down(table, key->attnum[i], key->parent, key->referred[i]))
			down = bms_add_member(down, key->referred[i]);
	named = !bms_is_empty(primary) && bms_is_subset(primary, down);
	if (own && own->parent == key->parent && !named)
	{
		named = true;
		for (int i = 0; i < own->n; i++)
			named &= bms_is_member(own->referred[i], down);
	}
	table_close(above, NoLock);
	return key->refers_to == key->parent && named;
}
