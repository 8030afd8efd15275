/*
 * key_values.c
 *	  Columns of a primary key that hold values, as the year in (person, year) or
 *	  the arm in (visit, arm, line): which are modelled, and which get numbers.
 *
 * Modelled is what the catalog or a declaration says values of, where others of
 * the key are left that tell its rows apart, or where rows of one parent are told
 * apart by it alone (distinct.c). By the catalog and the declarations: law L1.
 */
#include "facts/facts.h"
#include "facts/links.h"
#include "budget/bound.h"
#include "codes/codes.h"

#include "access/table.h"
#include "catalog/pg_type.h"
#include "nodes/bitmapset.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/relcache.h"

/* What of the table above a key refers to, also by a part of it. */
Bitmapset *
pegs_referred_by(const PegsForeignKey *key)
{
	Bitmapset  *columns = NULL;

	for (int i = 0; key && i < key->n; i++)
		columns = bms_add_member(columns, pegs_referred_above(key, i));
	return columns;
}

/* The columns of a table that the tables bound to it refer to. */
Bitmapset *
pegs_referred_by_children(Oid table)
{
	Bitmapset  *columns = NULL;
	ListCell   *cell;

	foreach(cell, pegs_children_of(table))
		columns = bms_add_members(columns, pegs_referred_by(pegs_own_key(lfirst_oid(cell))));
	return columns;
}

/* An enum, a boolean, a list of a CHECK. */
static bool
catalog_lists(Oid table, AttrNumber attnum)
{
	Oid			declared_type = get_atttype(table, attnum);
	Oid			type = getBaseType(declared_type);

	return get_typtype(type) == TYPTYPE_ENUM || type == BOOLOID
		|| (pegs_type_supported(type) && (pegs_check_levels_anywhere(table, attnum) != NIL || pegs_domain_check_levels(declared_type) != NIL));
}

PegsValues
pegs_values_of(Oid table, AttrNumber attnum)
{
	PegsDeclared declared = pegs_declared(table, attnum);

	if (declared.listed)
		return declared.single ? PEGS_VALUES_SINGLE : PEGS_VALUES_RANGES;
	if (declared.out)
		return PEGS_VALUES_NONE;
	return catalog_lists(table, attnum) ? PEGS_VALUES_CATALOG : PEGS_VALUES_NONE;
}

/* The column by which alone the primary key tells rows of one parent apart, if it has single values; 0: there is none. */
AttrNumber
pegs_value_of_key(Relation rel, const PegsForeignKey *own)
{
	AttrNumber	attnum = own ? pegs_told_apart_in_primary(rel, own) : InvalidAttrNumber;
	PegsValues	values;

	if (attnum == InvalidAttrNumber || pegs_is_key(rel, TupleDescAttr(RelationGetDescr(rel), attnum - 1))
		|| pegs_is_referring(RelationGetRelid(rel), attnum))
		return InvalidAttrNumber;
	values = pegs_values_of(RelationGetRelid(rel), attnum);
	return values == PEGS_VALUES_SINGLE || values == PEGS_VALUES_CATALOG ? attnum : InvalidAttrNumber;
}

/* Of the columns that identify its rows, those that get numbers. */
Bitmapset *
pegs_without_values(Relation rel, const PegsForeignKey *own, Bitmapset *columns, const Bitmapset *referred)
{
	Bitmapset  *primary = pegs_primary_columns(rel);
	Bitmapset  *left = bms_copy(columns);
	bool		others = false;
	int			attnum = -1;
	AttrNumber	value;

	while ((attnum = bms_next_member(columns, attnum)) >= 0)
	{
		if (pegs_key_place(own, (AttrNumber) attnum) >= 0)
			continue;
		if (!bms_is_member(attnum, referred) && !pegs_is_key(rel, TupleDescAttr(RelationGetDescr(rel), attnum - 1))
			&& pegs_values_of(RelationGetRelid(rel), (AttrNumber) attnum) != PEGS_VALUES_NONE)
			left = bms_del_member(left, attnum);
		else
			others |= bms_is_member(attnum, primary);
	}
	if (others)
		return left;
	value = pegs_value_of_key(rel, own);
	return value == InvalidAttrNumber ? columns : bms_del_member(bms_copy(columns), value);
}

/* For pegs_domain: is it modelled, though it is a part of its table's primary key? */
bool
pegs_is_value_in_key(Oid table, AttrNumber attnum)
{
	Relation	rel = table_open(table, AccessShareLock);
	Bitmapset  *primary = pegs_primary_columns(rel);
	bool		is = bms_is_member(attnum, primary) && !bms_is_member(attnum, pegs_without_values(rel, pegs_own_key(table), primary, pegs_referred_by_children(table)));

	table_close(rel, NoLock);
	return is;
}
