/*
 * units_query.c
 *	  The query that reads rows of related tables unit by unit: a leg of a UNION
 *	  ALL for each table, joined up to the root, in the order of the root's key.
 *
 * Within a unit the rows of a table come in the order of what the tables below
 * it refer to, so that who is met first is no matter of how a table is stored:
 * claim P35.
 *
 * Every name is that of a table that is locked, and all are read by the right of
 * one owner. Law L9.
 */
#include "read/read.h"

#include "catalog/pg_class.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "nodes/bitmapset.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

/* ---- the query ---- */

/*
 * All that rows which hang on this table refer to it by, not the columns of one
 * key alone: that may be NULL where another is not. Of rows that agree in all
 * of it at most one is referred to.
 */
static void
put_columns(StringInfo query, const PegsRelatives *r, int t)
{
	Bitmapset  *columns = pegs_referred_columns(r, t);
	int			attnum = -1;

	for (int n = 0; (attnum = bms_next_member(columns, attnum)) >= 0; n++)
		appendStringInfo(query, "%sa%d.%s", n > 0 ? ", " : "", t, quote_identifier(get_attname(r->source[t]->relid, (AttrNumber) attnum, false)));
}

/* What a row of a table is told apart by; NULL: nothing refers to it. */
static void
put_row(StringInfo query, const PegsRelatives *r, int t)
{
	if (bms_is_empty(pegs_referred_columns(r, t)))
	{
		appendStringInfoString(query, "NULL::pg_catalog.text COLLATE pg_catalog.\"C\"");
		return;
	}
	appendStringInfoString(query, "ROW(");
	put_columns(query, r, t);
	appendStringInfoString(query, ")::pg_catalog.text COLLATE pg_catalog.\"C\"");
}

/* A table that became another's parent since it was asked for (facts/related.c) is read as what it was: its own rows. */
static bool
is_alone(const PegsRelatives *r, int t)
{
	return get_rel_relkind(r->source[t]->relid) == RELKIND_RELATION;
}

static void
put_join(StringInfo query, const PegsRelatives *r, const PegsReading *reading, int t, int up)
{
	const PegsForeignKey *key = r->key[t];

	appendStringInfo(query, " JOIN %s%s AS a%d ON ", is_alone(r, up) ? "ONLY " : "", reading->name, up);
	for (int i = 0; i < key->n; i++)
		appendStringInfo(query, "%sa%d.%s = a%d.%s", i > 0 ? " AND " : "", t, quote_identifier(get_attname(r->source[t]->relid, key->attnum[i], false)),
						 up, quote_identifier(get_attname(r->source[up]->relid, key->referred[i], false)));
}

/* FROM the table, those above it, and all others with no row, for the types of their columns. */
static List *
put_from(StringInfo query, const PegsRelatives *r, PegsReading *const *reading, int t)
{
	List	   *named = list_make1_oid(r->source[t]->relid);
	bool	   *above = palloc0(sizeof(bool) * r->related->n);

	appendStringInfo(query, " FROM %s%s AS a%d", is_alone(r, t) ? "ONLY " : "", reading[t]->name, t);
	above[t] = true;
	for (int up = r->related->member[t].parent, below = t; up >= 0; below = up, up = r->related->member[up].parent)
	{
		put_join(query, r, reading[up], below, up);
		named = lappend_oid(named, r->source[up]->relid);
		above[up] = true;
	}
	for (int o = 0; o < r->related->n; o++)
		if (!above[o])
		{
			appendStringInfo(query, " LEFT JOIN %s%s AS a%d ON false", is_alone(r, o) ? "ONLY " : "", reading[o]->name, o);
			named = lappend_oid(named, r->source[o]->relid);
		}
	return named;
}

/* What the root's row is told apart by, which table, the row's own, its parent's, and all columns of all tables. */
static List *
put_leg(StringInfo query, const PegsRelatives *r, PegsReading *const *reading, const PegsDomain *const *read, int t)
{
	int			up = r->related->member[t].parent;

	appendStringInfo(query, "%sSELECT ", t > 0 ? " UNION ALL " : "");
	put_columns(query, r, 0);
	appendStringInfo(query, "%s%d, ", r->related->n > 1 ? ", " : "", t);
	put_row(query, r, t);
	appendStringInfoString(query, ", ");
	if (up > 0)
		put_row(query, r, up);
	else
		appendStringInfoString(query, "NULL::pg_catalog.text");
	for (int o = 0; o < r->related->n; o++)
		for (int i = 0; i < read[o]->ncols; i++)
			appendStringInfo(query, ", a%d.%s", o, quote_identifier(read[o]->column[i].name));
	return put_from(query, r, reading, t);
}

/* ---- by what right ---- */

/* All tables by the right of one owner: a query has one. */
static PegsReading *
reading_of_all(const PegsRelatives *r, const PegsDomain *const *read, PegsReading **reading)
{
	PegsReading *all;

	for (int t = 0; t < r->related->n; t++)
	{
		reading[t] = pegs_reading_source(r->source[t], read[t]);
		if (reading[t]->role != reading[0]->role)
			ereport(ERROR,
					(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
					 errmsg("tables \"%s\" and \"%s\" have different owners", r->related->member[0].name, r->related->member[t].name),
					 errdetail("Rows of both are read by one query, as their owner."),
					 errhint("ALTER TABLE %s OWNER TO %s;", reading[t]->name, quote_identifier(GetUserNameFromId(reading[0]->role, false)))));
	}
	all = palloc(sizeof(PegsReading));
	*all = *reading[0];
	all->chain = all->only = NIL;
	for (int t = 0; t < r->related->n; t++)
	{
		all->chain = list_concat_unique_oid(all->chain, reading[t]->chain);
		all->only = list_concat_unique_oid(all->only, reading[t]->only);
		all->guest |= reading[t]->guest;
	}
	return all;
}

/* read: of each table the columns that are wanted. keys: how many the root's row is told apart by. */
PegsReading *
pegs_units_query(const PegsRelatives *r, const PegsDomain *const *read, int keys, StringInfo query)
{
	PegsReading **reading = palloc0(sizeof(PegsReading *) * r->related->n);
	PegsReading *all = reading_of_all(r, read, reading);

	initStringInfo(query);
	for (int t = 0; t < r->related->n; t++)
		all->named = list_concat(all->named, put_leg(query, r, reading, read, t));
	if (r->related->n > 1)
	{
		appendStringInfoString(query, " ORDER BY ");
		for (int i = 1; i <= keys + 2; i++)
			appendStringInfo(query, "%s%d", i > 1 ? ", " : "", i);
	}
	return all;
}
