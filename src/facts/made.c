/*
 * made.c
 *	  Keys of related tables, which are made anew: of which columns, and whether
 *	  as a number of all rows, among the rows of one parent, or as the parent has it.
 *
 * By the catalog and the declarations alone: law L1. What takes no number is an
 * error before anything is charged: law L2.
 */
#include "facts/facts.h"
#include "facts/links.h"
#include "budget/bound.h"
#include "codes/allowed.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/dependency.h"
#include "catalog/indexing.h"
#include "catalog/pg_constraint.h"
#include "catalog/pg_depend.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "nodes/bitmapset.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/relcache.h"

/* ---- which columns ---- */

/* What of a table the tables below it refer to. */
Bitmapset *
pegs_referred_columns(const PegsRelatives *r, int t)
{
	Bitmapset  *columns = NULL;

	for (int c = t + 1; c < r->related->n; c++)
		if (r->related->member[c].parent == t)
			columns = bms_add_members(columns, pegs_referred_by(r->key[c]));
	return columns;
}

/* What its primary key is of, and tables below refer to; and single columns that are keys, of which a reference is none: its number would be another's. */
static Bitmapset *
key_columns(Relation rel, Oid root, const Bitmapset *referred, const PegsForeignKey *key)
{
	Bitmapset  *columns = pegs_without_links(RelationGetRelid(rel), root, bms_union(pegs_primary_columns(rel), referred), referred);

	columns = pegs_without_values(rel, key, columns, referred);
	for (int i = 0; i < RelationGetDescr(rel)->natts; i++)
	{
		Form_pg_attribute att = TupleDescAttr(RelationGetDescr(rel), i);

		if (!att->attisdropped && (pegs_key_place(key, att->attnum) >= 0 || (pegs_is_key(rel, att) && !pegs_is_referring(RelationGetRelid(rel), att->attnum))))
			columns = bms_add_member(columns, att->attnum);
	}
	return columns;
}

/* ---- of which kind ---- */

/* The number of the parent's key that this column of its foreign key has. */
static int
handed_down(const PegsRelatives *r, int t, int place)
{
	int			above = r->related->member[t].parent;
	int			k = pegs_made_key(&r->related->member[above], get_attname(r->source[above]->relid, r->key[t]->referred[place], false));

	if (k < 0)
		elog(ERROR, "a key of a parent is not made");
	return k;
}

/* Is there enough in these columns to say which row the parent is? A part of its key, as that of a tenant, is not. */
static bool
names_parent(const PegsRelatives *r, int t, const Bitmapset *columns)
{
	Bitmapset  *above = NULL;
	int			attnum = -1;

	while ((attnum = bms_next_member(columns, attnum)) >= 0)
	{
		int			i = pegs_key_place(r->key[t], (AttrNumber) attnum);

		if (i >= 0)
			above = bms_add_member(above, handed_down(r, t, i));
	}
	return above && pegs_identifies(r->related, r->related->member[t].parent, above);
}

/* Is a number among the rows of one parent enough: of the primary key, and of each key with this column that tables below refer to? */
static bool
is_line(const PegsRelatives *r, int t, Relation rel, AttrNumber attnum)
{
	bool		line = !pegs_is_key(rel, TupleDescAttr(RelationGetDescr(rel), attnum - 1)) && names_parent(r, t, pegs_primary_columns(rel));

	for (int c = t + 1; line && c < r->related->n; c++)
		if (r->related->member[c].parent == t && bms_is_member(attnum, pegs_referred_by(r->key[c])))
			line = names_parent(r, t, pegs_referred_by(r->key[c]));
	return line;
}

/* What a type lacks for as many rows as one parent may have, in words. */
static const char *
lacking(Form_pg_attribute att, int64 most)
{
	const char *type = format_type_with_typemod(att->atttypid, att->atttypmod);

	return pegs_takes_numbers(att, 1) ? psprintf("type %s numbers fewer rows than the " INT64_FORMAT " that one parent may have", type, most)
		: psprintf("type %s takes no running number", type);
}

static void
require_numbers(const PegsSource *source, Form_pg_attribute att, int64 most)
{
	if (!pegs_takes_numbers(att, most))
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("column \"%s\" of table \"%s\" is a key, and its %s", NameStr(att->attname), get_rel_name(source->account), lacking(att, most)),
				 errdetail("Keys are made anew. Nothing was charged."),
				 errhint("As text: %s", pegs_as_text(source->account, att->attnum))));
}

void
pegs_make_keys(PegsRelatives *r, int t)
{
	PegsMember *member = &r->related->member[t];
	const PegsForeignKey *key = r->key[t];
	Relation	rel = table_open(r->source[t]->relid, AccessShareLock);
	Bitmapset  *columns = key_columns(rel, r->source[0]->account, pegs_referred_columns(r, t), key);
	int			attnum = -1;

	member->key = palloc0(sizeof(PegsMadeKey) * (bms_num_members(columns) + 1));
	while ((attnum = bms_next_member(columns, attnum)) >= 0)
	{
		Form_pg_attribute att = TupleDescAttr(RelationGetDescr(rel), attnum - 1);
		PegsMadeKey *made = &member->key[member->nkeys++];
		int			i = pegs_key_place(key, (AttrNumber) attnum);

		made->column = pstrdup(NameStr(att->attname));
		if (i >= 0)
		{
			made->kind = PEGS_KEY_PARENT;
			made->of = handed_down(r, t, i);
			continue;
		}
		require_numbers(r->source[t], att, Max(member->most, 1));
		made->kind = is_line(r, t, rel, (AttrNumber) attnum) ? PEGS_KEY_LINE : PEGS_KEY_NUMBER;
	}
	table_close(rel, NoLock);
}

/* ---- what is said of values, and not used ---- */

/* Does a foreign key of any table, or a view that is grouped by it, need this key? Then it cannot be dropped. */
static bool
is_needed(Oid index)
{
	Oid			constraint = get_index_constraint(index);
	Relation	depend;
	ScanKeyData key[2];
	SysScanDesc scan;
	bool		needed;

	if (get_index_ref_constraints(index) != NIL)
		return true;
	depend = table_open(DependRelationId, AccessShareLock);
	ScanKeyInit(&key[0], Anum_pg_depend_refclassid, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(ConstraintRelationId));
	ScanKeyInit(&key[1], Anum_pg_depend_refobjid, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(constraint));
	scan = systable_beginscan(depend, DependReferenceIndexId, true, NULL, 2, key);
	needed = false;
	for (HeapTuple tuple; !needed && HeapTupleIsValid(tuple = systable_getnext(scan));)
		needed = ((Form_pg_depend) GETSTRUCT(tuple))->deptype == DEPENDENCY_NORMAL;
	systable_endscan(scan);
	table_close(depend, AccessShareLock);
	return needed;
}

/* A way to have it modelled: a number as the primary key, and this one UNIQUE. Where others refer to it, or it is a key alone, nothing can be done. */
static char *
another_key(Relation rel)
{
	Oid			table = RelationGetRelid(rel);
	const Bitmapset *primary = pegs_primary_columns(rel);
	AttrNumber	attnums[INDEX_MAX_KEYS];
	int			n = 0;
	int			attnum = -1;
	char	   *plain = psprintf("%s_number", pegs_clipped(RelationGetRelationName(rel)));
	char	   *name = pstrdup(quote_identifier(plain));
	char	   *constraint;

	list_free(RelationGetIndexList(rel));	/* which sets rd_pkindex: RelationGetPrimaryKeyIndex has another argument in 18 */
	constraint = get_rel_name(rel->rd_pkindex);
	while ((attnum = bms_next_member(primary, attnum)) >= 0)
		attnums[n++] = (AttrNumber) attnum;
	if (n < 2 || constraint == NULL || get_attnum(table, plain) > 0 || rel->rd_rel->relkind != RELKIND_RELATION || rel->rd_rel->relispartition
		|| bms_overlap(primary, pegs_referred_by_children(table)) || is_needed(rel->rd_pkindex))
		return NULL;
	return psprintf("ALTER TABLE %s ADD COLUMN %s bigserial, DROP CONSTRAINT %s, ADD PRIMARY KEY (%s), ADD UNIQUE (%s);", pegs_relation_words(table),
					name, quote_identifier(constraint), name, pegs_key_columns(table, n, attnums));
}

/* What is said of its values, in words; NULL: nothing, or it is a column of the parent's. */
static const char *
not_used(Oid table, const PegsForeignKey *key, AttrNumber attnum)
{
	PegsValues	values = pegs_key_place(key, attnum) >= 0 ? PEGS_VALUES_NONE : pegs_values_of(table, attnum);

	return values == PEGS_VALUES_NONE ? NULL : values == PEGS_VALUES_CATALOG ? "what the catalog says of its values" : "what is declared for it";
}

static char *
have_it_said_no_more(Oid table, AttrNumber attnum)
{
	return psprintf(pegs_values_of(table, attnum) == PEGS_VALUES_CATALOG ? "SELECT pegs_leave_out(%s, %s);" : "SELECT pegs_unset(%s, %s);", pegs_relation_literal(table),
					quote_literal_cstr(get_attname(table, attnum, false)));
}

/* Before the charge: its values are none of those. */
void
pegs_say_what_is_numbered(const PegsRelatives *r)
{
	for (int t = 0; t < r->related->n; t++)
	{
		const PegsMember *member = &r->related->member[t];
		Relation	rel = table_open(r->source[t]->relid, AccessShareLock);

		for (int k = 0; k < member->nkeys; k++)
		{
			AttrNumber	attnum = get_attnum(RelationGetRelid(rel), member->key[k].column);
			const char *said = not_used(RelationGetRelid(rel), r->key[t], attnum);
			char	   *other = said ? another_key(rel) : NULL;

			if (said)
				ereport(NOTICE,
						(errmsg("column \"%s\" of table \"%s\" is a key: %s is not used, it is a running number", member->key[k].column, member->name, said),
						 other ? errhint("To have it modelled, with another primary key: %s", other)
						 : errhint("To have it said no more: %s", have_it_said_no_more(RelationGetRelid(rel), attnum))));
		}
		table_close(rel, NoLock);
	}
}

/* For pegs_schema: a type that takes no number; values that are not used. */
char *
pegs_made_problem(Oid table, Oid root, char **remedy)
{
	Relation	rel = table_open(table, AccessShareLock);
	const PegsForeignKey *key = pegs_own_key(table);
	Bitmapset  *columns = key_columns(rel, root, pegs_referred_by_children(table), key);
	char	   *problem = NULL;
	int			attnum = -1;
	int			nclasses;
	int			most;

	(void) pegs_read_classes(table, &nclasses, &most);
	most = key && key->unique ? 1 : Max(most, 1);
	while (problem == NULL && (attnum = bms_next_member(columns, attnum)) >= 0)
	{
		Form_pg_attribute att = TupleDescAttr(RelationGetDescr(rel), attnum - 1);
		const char *said = not_used(table, key, (AttrNumber) attnum);

		if (pegs_key_place(key, (AttrNumber) attnum) >= 0)
			continue;
		if (!pegs_takes_numbers(att, most))
		{
			*remedy = pegs_as_text(table, (AttrNumber) attnum);
			problem = psprintf("its column \"%s\" is a key, and %s", NameStr(att->attname), lacking(att, most));
		}
		else if (said)
		{
			char	   *other = another_key(rel);

			*remedy = other ? pegs_comment("with another primary key, which changes the table: %s", other) : have_it_said_no_more(table, (AttrNumber) attnum);
			problem = psprintf("its column \"%s\" is a key: %s is not used, it is a running number", NameStr(att->attname), said);
		}
	}
	table_close(rel, NoLock);
	return problem;
}
