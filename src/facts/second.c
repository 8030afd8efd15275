/*
 * second.c
 *	  References of a related table beside that by which it is bound: which of
 *	  them lead to the same row anyway, and which cannot be made.
 *
 * Keys are made anew as running numbers (rows/member.c), and a number in place
 * of a reference would be some other row: such a column is never numbered. It
 * is NULL, or modelled, or refused before a charge. By the catalog and
 * declarations alone: laws L1, L10.
 */
#include "facts/facts.h"
#include "facts/links.h"
#include "codes/codes.h"
#include "budget/bound.h"
#include "budget/budget.h"

#include "access/table.h"
#include "miscadmin.h"
#include "lib/stringinfo.h"
#include "nodes/bitmapset.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

/* By itself: all that the domain has, and that is not left out. */
static bool
has_values(const PegsDomain *domain, const char *name)
{
	int			c = pegs_domain_find(domain, name);

	return c >= 0 && domain->column[c].origin && !domain->column[c].problem && !domain->column[c].left_out;
}

/* The first column of a reference to the own row that is a copy, and that has values by itself: all that the domain has, or those that a model takes. */
static AttrNumber
copied_column(Oid table, const PegsForeignKey *key, const PegsDomain *domain, bool modelled)
{
	for (int i = 0; pegs_is_own_row(table, key) && i < key->n; i++)
	{
		const char *name = get_attname(table, key->attnum[i], false);

		if (pegs_is_handed_down(table, key->attnum[i], key->parent, key->referred[i]))
			continue;
		if (modelled ? pegs_is_modelled(domain, name) : has_values(domain, name))
			return key->attnum[i];
	}
	return InvalidAttrNumber;
}

/* ---- tables that are left out ---- */

static void
add_tables(StringInfo list, Oid table, Oid but)
{
	ListCell   *cell;

	check_stack_depth();
	if (table == but)
		return;
	appendStringInfo(list, "%s%s", list->len > 0 ? ", " : "ARRAY[", quote_literal_cstr(get_rel_name(table)));
	foreach(cell, pegs_children_of(table))
		add_tables(list, lfirst_oid(cell), but);
}

/* For a hint: all that are bound to its root, but for it and what is bound to it. */
char *
pegs_tables_without(Oid table)
{
	StringInfoData list;

	initStringInfo(&list);
	add_tables(&list, pegs_payer(table), table);
	return psprintf("%s]", list.data);
}

/* ---- references that are left out ---- */

bool
pegs_is_modelled(const PegsDomain *domain, const char *name)
{
	for (int i = 0; i < domain->ncols; i++)
		if (strcmp(domain->column[i].name, name) == 0 || (domain->column[i].part && strcmp(domain->column[i].part->column, name) == 0))
			return true;
	return pegs_derived_find(domain, name) != NULL;
}

/* A column of it that is neither made nor modelled and cannot be NULL, where none of them can; 0: it may be NULL, or has values. */
static AttrNumber
plain_column(Relation rel, const PegsMember *member, const PegsForeignKey *own, const PegsForeignKey *key, const PegsDomain *domain)
{
	AttrNumber	plain = InvalidAttrNumber;

	for (int i = 0; i < key->n; i++)
	{
		Form_pg_attribute att = TupleDescAttr(RelationGetDescr(rel), key->attnum[i] - 1);
		const char *name = NameStr(att->attname);

		if (pegs_key_place(own, key->attnum[i]) >= 0 || (member && pegs_made_key(member, name) >= 0) || (domain && pegs_is_modelled(domain, name)))
			continue;
		if (!pegs_is_not_null(att))
			return InvalidAttrNumber;
		plain = key->attnum[i];
	}
	return plain;
}

void
pegs_require_references(const PegsMember *member, Oid table, const PegsDomain *domain)
{
	const PegsForeignKey *own = pegs_own_key(table);
	Relation	rel = table_open(table, AccessShareLock);
	ListCell   *cell;

	foreach(cell, pegs_foreign_keys(table))
	{
		const PegsForeignKey *key = lfirst(cell);
		AttrNumber	attnum;

		if (pegs_is_same_row(table, key) || !pegs_has_account(key->parent, key->parent))
			continue;
		attnum = plain_column(rel, member, own, key, domain);
		if (attnum != InvalidAttrNumber)
			ereport(ERROR,
					(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					 errmsg("column \"%s\" of table \"%s\" refers to \"%s\", too, and cannot be NULL", get_attname(table, attnum, false), get_rel_name(table),
							get_rel_name(key->parent)),
					 errdetail("It is not modelled: every row would have the same plain value there, which is no row of \"%s\".", get_rel_name(key->parent)),
					 errhint("%s", pegs_repair_of(table, key, attnum, false))));
	}
	table_close(rel, NoLock);
}

/* Without its own values a row is right: those of its parent's row are a join away. */
static char *
without_copy(Oid table, AttrNumber attnum)
{
	Relation	rel = table_open(table, AccessShareLock);
	char	   *name = get_attname(table, attnum, false);
	char	   *null = pegs_is_not_null(TupleDescAttr(RelationGetDescr(rel), attnum - 1)) ? pegs_let_be_null(table, attnum) : "";

	table_close(rel, NoLock);
	return psprintf("%s%sSELECT pegs_leave_out(%s, %s);", null, *null ? pegs_behind(null) : "", pegs_relation_literal(table), quote_literal_cstr(name));
}

/* A column that the original has as its parent's row has it, by a reference, and the model by itself: for the certificate. */
void
pegs_note_copies(PegsMember *member, Oid table)
{
	ListCell   *cell;

	foreach(cell, pegs_foreign_keys(table))
	{
		const PegsForeignKey *key = lfirst(cell);
		AttrNumber	attnum = copied_column(table, key, member->spec->domain, true);

		if (attnum == InvalidAttrNumber)
			continue;
		member->repeat = member->repeat ? repalloc(member->repeat, sizeof(char *) * (member->nrepeat + 1)) : palloc(sizeof(char *));
		member->repeat[member->nrepeat++] = psprintf("rows of %s may have another %s than the row of %s that they belong to, which has the same in the original", member->name,
														get_attname(table, attnum, false), get_rel_name(key->parent));
	}
}

static void
say_what_is_copied(const PegsMember *member, Oid table)
{
	ListCell   *cell;

	foreach(cell, pegs_foreign_keys(table))
	{
		const PegsForeignKey *key = lfirst(cell);
		AttrNumber	attnum = copied_column(table, key, member->spec->domain, true);

		if (attnum != InvalidAttrNumber)
			ereport(NOTICE,
					(errmsg("column \"%s\" of table \"%s\" is that of its row of \"%s\" by foreign key \"%s\", and is modelled by itself: rows may have another one",
							get_attname(table, attnum, false), member->name, get_rel_name(key->parent), key->name),
					 errdetail("A copy has not this foreign key."),
					 errhint("To have it NULL, and from \"%s\" by a join: %s and fit again, which is charged.", get_rel_name(key->parent), without_copy(table, attnum))));
	}
}

/* References to public tables that no model has, and that a row must have; and what is modelled beside the row that has it. */
void
pegs_say_what_is_plain(const PegsRelatives *relatives)
{
	for (int t = 0; t < relatives->related->n; t++)
	{
		const PegsMember *member = &relatives->related->member[t];
		Oid			table = relatives->source[t]->account;
		Relation	rel = table_open(table, AccessShareLock);
		Bitmapset  *told = NULL;
		ListCell   *cell;

		say_what_is_copied(member, table);
		foreach(cell, pegs_foreign_keys(table))
		{
			const PegsForeignKey *key = lfirst(cell);
			AttrNumber	attnum = pegs_is_same_row(table, key) ? InvalidAttrNumber : plain_column(rel, member, relatives->key[t], key, member->spec->domain);
			bool		again = attnum != InvalidAttrNumber && bms_is_member(attnum, told);

			if (attnum != InvalidAttrNumber)
				told = bms_add_member(told, attnum);
			/* who has declared that it is left out knows */
			if (attnum != InvalidAttrNumber && !again && !pegs_declared(table, attnum).out)
				ereport(NOTICE,
						(errmsg("column \"%s\" of table \"%s\" refers to table \"%s\", is not in the model and cannot be NULL", get_attname(table, attnum, false),
								member->name, get_rel_name(key->refers_to)),
						 errdetail("Every row has the same plain value there, which may be no row of that table."),
						 key->n == 1 && pegs_type_supported(getBaseType(get_atttype(table, attnum)))
						 && !pegs_is_about_persons(key->refers_to, relatives->source[0]->account) ? errhint("If that table is public: SELECT pegs_set_lookup(%s, %s, %s, %s); and fit again, which is charged.", pegs_relation_literal(table),
											   quote_literal_cstr(get_attname(table, attnum, false)), pegs_relation_literal(key->refers_to),
											   quote_literal_cstr(get_attname(key->refers_to, key->referred[0], false)))
						 : errhint("%s", pegs_comes_out_null(table, attnum))));
		}
		table_close(rel, NoLock);
	}
}

bool
pegs_is_private_table(Oid table, Oid root)
{
	return pegs_payer(table) == root || pegs_has_account(table, table);
}

/* A table that is private, or whose rows lead by foreign keys to those of one: no lookup table. */
bool
pegs_is_about_persons(Oid table, Oid root)
{
	return pegs_is_private_table(pegs_topmost(table), root) || OidIsValid(pegs_leads_to_persons(table, root));
}

/* ---- for pegs_schema ---- */

AttrNumber
pegs_plain_column(Oid table, const PegsForeignKey *key)
{
	Relation	rel = table_open(table, AccessShareLock);
	AttrNumber	attnum = pegs_is_same_row(table, key) ? InvalidAttrNumber : plain_column(rel, NULL, pegs_own_key(table), key, NULL);

	table_close(rel, NoLock);
	return attnum;
}

/* The column by which rows of a model refer to no row of their own table: in (org, up) of a tenant's tree that is up, as org is made. */
static AttrNumber
left_out(Relation rel, const PegsForeignKey *own, const PegsForeignKey *key)
{
	for (int i = 0; i < key->n; i++)
		if (!pegs_is_not_null(TupleDescAttr(RelationGetDescr(rel), key->attnum[i] - 1)) && pegs_key_place(own, key->attnum[i]) < 0)
			return key->attnum[i];
	return key->attnum[0];
}

/* A column that pegs_require_references refuses; 0: none. Of a reference to a unit's own rows (its latest visit) none that has values. */
static AttrNumber
refused_column(Relation rel, const PegsForeignKey *own, const PegsForeignKey *key, const PegsDomain *domain)
{
	AttrNumber	attnum = pegs_has_account(key->parent, key->parent) ? plain_column(rel, NULL, own, key, NULL) : InvalidAttrNumber;

	if (attnum != InvalidAttrNumber && pegs_is_of_own_rows(RelationGetRelid(rel), key) && has_values(domain, NameStr(TupleDescAttr(RelationGetDescr(rel), attnum - 1)->attname)))
		return InvalidAttrNumber;
	return attnum;
}

/* Where a table refers to others than its parent, so that a model of it says less, or is refused. */
char *
pegs_reference_problem(Oid table, Oid root, const PegsDomain *domain, char **remedy)
{
	Relation	rel = table_open(table, AccessShareLock);
	const PegsForeignKey *own = pegs_own_key(table);
	AttrNumber	attnum;
	char	   *problem = NULL;
	ListCell   *cell;

	foreach(cell, pegs_foreign_keys(table))
	{
		const PegsForeignKey *key = lfirst(cell);

		if (problem || pegs_is_same_row(table, key))
			continue;
		if (key->parent == table && (attnum = pegs_first_not_null(rel, key)) != InvalidAttrNumber)
		{
			problem = psprintf("it refers to itself by \"%s\", which cannot be NULL: no model has it", get_attname(table, attnum, false));
			*remedy = pegs_let_be_null(table, attnum);
		}
		else if (key->parent == table)
			problem = psprintf("it refers to itself: column \"%s\" is left out", get_attname(table, left_out(rel, own, key), false));
		else if ((attnum = copied_column(table, key, domain, false)) != InvalidAttrNumber)
		{
			problem = psprintf("its \"%s\" is that of its row of \"%s\" by foreign key \"%s\", and is modelled by itself: rows may have another one", get_attname(table, attnum, false),
							   get_rel_name(key->parent), key->name);
			*remedy = without_copy(table, attnum);
		}
		else if ((attnum = refused_column(rel, own, key, domain)) != InvalidAttrNumber)
		{
			problem = psprintf("it refers to \"%s\", too, by \"%s\", which cannot be NULL: no model has it", get_rel_name(key->parent), get_attname(table, attnum, false));
			*remedy = pegs_repair_of(table, key, attnum, true);
		}
		else if (pegs_is_private_table(key->parent, root) && !pegs_is_own_row(table, key) && !pegs_is_of_own_rows(table, key))
			problem = psprintf("it refers to \"%s\", too: that row is not protected in its rows", get_rel_name(key->parent));
	}
	table_close(rel, NoLock);
	return problem;
}
