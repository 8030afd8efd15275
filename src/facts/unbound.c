/*
 * unbound.c
 *	  What a model of related tables would lack, for pegs_schema: tables that
 *	  refer to related ones and are bound to none, and references to public
 *	  tables that nobody has declared and that a row must have.
 *
 * Whether their rows belong to those of a person, a person knows: the remedy is
 * a comment. By declarations and the catalog alone (law L1).
 */
#include "facts/facts.h"
#include "budget/bound.h"
#include "budget/budget.h"
#include "codes/codes.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/pg_constraint.h"
#include "catalog/pg_inherits.h"
#include "funcapi.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "nodes/bitmapset.h"
#include "storage/lmgr.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/tuplestore.h"

/* ---- references to public tables that nobody has declared ---- */

/* By a declaration, also one that leaves it out, or by the catalog. */
static bool
has_values(Oid table, AttrNumber attnum)
{
	const PegsDomain *domain;
	int			i;

	if (pegs_declared(table, attnum).is)
		return true;
	domain = pegs_domain_of(pegs_source(table));
	i = pegs_domain_find(domain, get_attname(table, attnum, false));
	return i >= 0 && domain->column[i].origin != NULL;
}

/*
 * What to do with a reference to a table without an account, that is not modelled and that a row must have. Its rows may be
 * public; or they are persons' own, and those that refer to them belong to them: a person knows.
 */
static char *
plain_remedy(Oid table, Oid root, const PegsForeignKey *key, AttrNumber attnum)
{
	const char *name = quote_literal_cstr(get_attname(table, attnum, false));
	const char *null = pegs_let_be_null(table, attnum);
	bool		lookup = key->n == 1 && pegs_type_supported(getBaseType(get_atttype(table, attnum))) && !pegs_is_about_persons(key->refers_to, root);
	StringInfoData remedy;
	ListCell   *cell;

	initStringInfo(&remedy);
	if (lookup)
		appendStringInfo(&remedy, "%s\n%s", pegs_comment("if that table is public: SELECT pegs_set_lookup(%s, %s, %s, %s);", pegs_relation_literal(table), name,
														 pegs_relation_literal(key->refers_to), quote_literal_cstr(get_attname(key->refers_to, key->referred[0], false))),
						 pegs_comment("or it comes out NULL: %s", null));
	else
		appendStringInfo(&remedy, "%s  %s", null, pegs_comment("it comes out NULL then"));
	foreach(cell, pegs_may_be_bound(table) ? pegs_undecided_keys(table) : NIL)
		if (strcmp(((PegsForeignKey *) lfirst(cell))->name, key->name) == 0 && !pegs_leads_to(key->refers_to, table))
			appendStringInfo(&remedy, "\n%s", pegs_parent_proposal(table, key));
	appendStringInfo(&remedy, "\n%s", pegs_comment("or as it is, with one plain value in all rows: SELECT pegs_leave_out(%s, %s);", pegs_relation_literal(table), name));
	return remedy.data;
}

/* All such references; NULL: there is none. */
char *
pegs_plain_reference_problem(Oid table, Oid root, char **remedy)
{
	Bitmapset  *told = NULL;
	StringInfoData problem;
	StringInfoData all;
	ListCell   *cell;

	initStringInfo(&problem);
	initStringInfo(&all);
	foreach(cell, pegs_foreign_keys(table))
	{
		const PegsForeignKey *key = lfirst(cell);
		AttrNumber	attnum = pegs_plain_column(table, key);

		if (attnum == InvalidAttrNumber || has_values(table, attnum) || bms_is_member(attnum, told))
			continue;
		told = bms_add_member(told, attnum);
		appendStringInfo(&problem, "%sto \"%s\" by \"%s\"", problem.len > 0 ? ", " : "", get_rel_name(key->refers_to), get_attname(table, attnum, false));
		appendStringInfo(&all, "%s%s", all.len > 0 ? "\n" : "", plain_remedy(table, root, key, attnum));
	}
	if (problem.len == 0)
		return NULL;
	*remedy = all.data;
	return psprintf("it refers %s, which cannot be NULL and %s no declared values: every row has one plain value there", problem.data, bms_num_members(told) > 1 ? "have" : "has");
}

/* ---- columns that a model could have ---- */

/* Keys and references are all that it has; NULL: it has more. */
char *
pegs_no_column_problem(Oid table, char **remedy)
{
	const PegsDomain *domain = pegs_domain_of(pegs_source(table));

	for (int i = 0; i < domain->ncols; i++)
		if (domain->column[i].left_out == NULL || domain->column[i].origin)
			return NULL;
	*remedy = psprintf("%s  %s", pegs_column_of_one_value(table), pegs_comment("for good: a column of one value, which stands for its rows in models"));
	return pstrdup("it has no column to model, but keys and references alone");
}

/* ---- tables that are not bound ---- */

/* The root and all that is bound to it. */
static void
add_bound(List **tables, Oid table)
{
	ListCell   *cell;

	check_stack_depth();
	*tables = list_append_unique_oid(*tables, table);
	foreach(cell, pegs_children_of(table))
		add_bound(tables, lfirst_oid(cell));
}

/* Tables with a foreign key to one of these, in the order in which they were made. */
static List *
referring_to(const List *tables)
{
	Relation	constraints = table_open(ConstraintRelationId, AccessShareLock);
	SysScanDesc scan = systable_beginscan(constraints, InvalidOid, false, NULL, 0, NULL);
	List	   *referring = NIL;
	List	   *parts = NIL;
	ListCell   *cell;
	HeapTuple	tuple;

	foreach(cell, tables)
		parts = list_concat_unique_oid(parts, find_all_inheritors(lfirst_oid(cell), NoLock, NULL));

	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		Form_pg_constraint form = (Form_pg_constraint) GETSTRUCT(tuple);

		CHECK_FOR_INTERRUPTS();
		if (form->contype == CONSTRAINT_FOREIGN && list_member_oid(parts, form->confrelid))
			referring = list_append_unique_oid(referring, form->conrelid);
	}
	systable_endscan(scan);
	table_close(constraints, AccessShareLock);
	list_sort(referring, list_oid_cmp);
	return referring;
}

/* Whose rows a table may have, by keys of which nothing is decided: "a" and "b", and a comment for each. False: there is none. */
static bool
may_belong(Oid table, const List *tables, StringInfo names, StringInfo remedy)
{
	ListCell   *cell;

	foreach(cell, pegs_undecided_keys(table))
	{
		const PegsForeignKey *key = lfirst(cell);
		char	   *name = psprintf("\"%s\"", get_rel_name(key->parent));
		char	   *proposal;

		if (!list_member_oid(tables, key->parent))
			continue;
		if (strstr(names->data, name) == NULL)
			appendStringInfo(names, "%s%s", names->len > 0 ? " and " : "", name);
		proposal = pegs_parent_proposal(table, key);
		if (strstr(remedy->data, proposal) == NULL)
			appendStringInfo(remedy, "%s%s", remedy->len > 0 ? "\n" : "", proposal);
	}
	return names->len > 0;
}

void
pegs_put_unbound(ReturnSetInfo *result, Oid root)
{
	List	   *tables = NIL;
	ListCell   *cell;

	add_bound(&tables, root);
	foreach(cell, referring_to(tables))
	{
		Oid			table = lfirst_oid(cell);
		Datum		values[8] = {0};
		bool		nulls[8] = {false, true, true, true, true, true, false, false};
		StringInfoData names;
		StringInfoData remedy;

		initStringInfo(&names);
		initStringInfo(&remedy);
		if (pegs_topmost(table) != table || list_member_oid(tables, table) || !may_belong(table, tables, &names, &remedy))
			continue;
		values[0] = ObjectIdGetDatum(table);
		values[6] = CStringGetTextDatum(psprintf("it refers to %s, and is not bound: no model has its rows", names.data));
		values[7] = CStringGetTextDatum(remedy.data);
		tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
	}
}

/* ---- before a charge ---- */

/* Of one table; its keys are not waited for. */
static void
warn_of_its_keys(Oid table)
{
	ListCell   *cell;

	if (!pegs_is_curator(table) || !pegs_may_let_go(table) || !ConditionalLockRelationOid(table, AccessShareLock))
		return;
	foreach(cell, pegs_own_key(table) ? pegs_foreign_keys(table) : NIL)
	{
		const PegsForeignKey *key = lfirst(cell);
		AttrNumber	attnum = pegs_has_account(key->parent, key->parent) ? pegs_plain_column(table, key) : InvalidAttrNumber;

		if (attnum != InvalidAttrNumber && pegs_may_be_kept(table, key))
			ereport(WARNING,
					(errmsg("after this charge \"%s\" cannot be bound by another key: rows of a model have no \"%s\", which refers to \"%s\" and cannot be NULL", get_rel_name(table),
							get_attname(table, attnum, false), get_rel_name(key->parent)),
					 errdetail("What an account has spent protects the rows as they are bound: they are not let go any more."),
					 errhint("%s", pegs_repair_of(table, key, attnum, false))));
	}
}

static void
warn_below(Oid table)
{
	ListCell   *cell;

	check_stack_depth();
	foreach(cell, pegs_children_of(table))
	{
		warn_of_its_keys(lfirst_oid(cell));
		warn_below(lfirst_oid(cell));
	}
}

/* Before a charge: of what it makes final, and what pegs_schema would have mended. Law L10. */
void
pegs_warn_of_the_way_out(Oid account)
{
	Oid			root = pegs_payer(account);

	if (!OidIsValid(root))
		root = account;
	if (pegs_is_curator(root))
		warn_below(root);
}
