/*
 * domain.c
 *	  The declared domain of every column of a source.
 *
 * It comes from a declaration (declare.c), or from the catalog: enum labels,
 * boolean, CHECK lists (checks.c), domain types. It never comes from the rows.
 * Law L1.
 */
#include "facts/facts.h"
#include "facts/links.h"
#include "budget/bound.h"
#include "codes/codes.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/relscan.h"
#include "access/table.h"
#include "catalog/pg_enum.h"
#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

static void
load_enum(PegsColumn *column)
{
	Relation	enums = table_open(EnumRelationId, AccessShareLock);
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple	tuple;
	int			room = 16;

	column->labels = palloc(sizeof(char *) * room);
	ScanKeyInit(&key, Anum_pg_enum_enumtypid, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(column->type));
	scan = systable_beginscan_ordered(enums, index_open(EnumTypIdSortOrderIndexId, AccessShareLock), NULL, 1, &key);
	while (HeapTupleIsValid(tuple = systable_getnext_ordered(scan, ForwardScanDirection)))
	{
		if (column->nlabels == room)
			column->labels = repalloc(column->labels, sizeof(char *) * (room *= 2));
		column->labels[column->nlabels++] = pstrdup(NameStr(((Form_pg_enum) GETSTRUCT(tuple))->enumlabel));
	}
	{
		Relation	index = scan->irel;

		systable_endscan_ordered(scan);
		index_close(index, AccessShareLock);
	}
	table_close(enums, AccessShareLock);
	column->origin = "enum type";
}

static void
load_list(PegsColumn *column, List *levels, const char *origin)
{
	ListCell   *cell;

	column->labels = palloc(sizeof(char *) * (list_length(levels) + 1));
	foreach(cell, levels)
	{
		char	   *label = pegs_try_canonical(column->type, column->typmod, (char *) lfirst(cell));
		bool		known = false;

		CHECK_FOR_INTERRUPTS();
		if (label == NULL)
		{
			column->problem = psprintf("its %s has a value that is not of type %s", origin,
									   format_type_with_typemod(column->type, column->typmod));
			column->nlabels = 0;
			break;
		}
		for (int i = 0; i < column->nlabels && column->nlabels <= PEGS_MAX_LEVELS; i++)
			known |= strcmp(column->labels[i], label) == 0;
		if (!known)
			column->labels[column->nlabels++] = label;
	}
	column->origin = origin;
}

static bool
check_range_anywhere(Oid relid, AttrNumber attnum, Oid type, const PegsColumn *column, char **low, char **high)
{
	Oid			base;
	AttrNumber	base_attnum;

	return pegs_check_range(relid, attnum, type, column, low, high)
		|| (pegs_source_column(relid, attnum, &base, &base_attnum)
			&& check_range_anywhere(base, base_attnum, get_atttype(base, base_attnum), column, low, high));
}

/* The domain that the catalog states; column->origin stays NULL if it states none. */
static void
load_from_catalog(PegsColumn *column, Oid relid, AttrNumber attnum, Oid declared_type)
{
	List	   *levels;
	char	   *low;
	char	   *high;

	if (get_typtype(column->type) == TYPTYPE_ENUM)
		load_enum(column);
	else if (column->type == BOOLOID)
		load_list(column, list_make2("false", "true"), "boolean type");
	else if ((levels = pegs_check_levels_anywhere(relid, attnum)) != NIL)
		load_list(column, levels, "CHECK constraint");
	else if ((levels = pegs_domain_check_levels(declared_type)) != NIL)
		load_list(column, levels, "domain type");
	else if (column->left_out == NULL && pegs_type_has_bins(column->type)
			 && check_range_anywhere(relid, attnum, declared_type, column, &low, &high))
	{
		pegs_domain_of_range(column, low, high);
		if (pegs_bins_hold(column))
			column->origin = "CHECK range";
		else
			column->nedges = 0;
	}
}

/* Every column of a source, with its domain or the reason why it has none. */
PegsDomain *
pegs_domain_of(const PegsSource *source)
{
	PegsDomain *domain = palloc0(sizeof(PegsDomain));
	Relation	rel = table_open(source->relid, AccessShareLock);
	TupleDesc	desc = RelationGetDescr(rel);
	char	   *unit = pegs_unit_column(source);

	domain->column = palloc0(sizeof(PegsColumn) * (desc->natts + 1));
	for (int i = 0; i < desc->natts; i++)
	{
		Form_pg_attribute att = TupleDescAttr(desc, i);
		PegsColumn *column = &domain->column[domain->ncols];

		if (att->attisdropped)
			continue;
		domain->ncols++;
		column->name = pstrdup(NameStr(att->attname));
		column->typmod = att->atttypmod;
		column->type = getBaseTypeAndTypmod(att->atttypid, &column->typmod);
		column->other = -1;
		column->nullable = pegs_may_be_null(source->relid, att->attnum);
		column->reference = palloc0(sizeof(PegsReference));
		column->left_out = unit && strcmp(column->name, unit) == 0 ? pstrdup("the privacy unit") : pegs_is_no_value(source->relid, att->attnum, column->reference);
		if (column->left_out == NULL && pegs_is_numbered(source->relid, att->attnum) && !pegs_is_value_in_key(source->relid, att->attnum))
			column->left_out = pstrdup("a number in its key");
		if (!OidIsValid(column->reference->relid))
			column->reference = NULL;
		(void) pegs_load_declared(source->relid, att->attnum, column, source);
		pegs_look_at_derived(column, source->relid);
		if (column->declared_out)
			column->left_out = pstrdup(column->nlearnt > 0 ? "left out: nothing was learnt of it" : "left out by declaration");
		else if (column->derived == NULL && column->problem == NULL)
		{
			if (column->origin == NULL && pegs_type_supported(column->type))
				load_from_catalog(column, source->relid, att->attnum, att->atttypid);
			column->derived = pegs_generated_expression(source->relid, att->attnum);
		}
		pegs_group_levels(column);
		if (column->earlier == NULL)	/* else its bins are of another type */
			pegs_describe_problem(column, source, att->atttypid);
	}
	pegs_look_at_functions(domain, source);
	pegs_domain_split(domain, source);
	for (int i = 0; i < domain->ncols; i++)
		domain->column[i].source = source->name;
	table_close(rel, NoLock);
	return domain;
}

/* By the argument that its caller has for columns; to leave it out helps those, too, who have none, as pegs_plan. */
static char *
what_to_do(const PegsColumn *first, bool several, const PegsSource *source, bool named)
{
	const char *by = !several && source->apart && strcmp(first->name, source->apart) == 0 ? "" : source->chosen_by ? source->chosen_by : "columns";
	const char *table = quote_literal_cstr(source->name);
	bool		leaves = !several && first->remedy && strncmp(first->remedy, "SELECT pegs_leave_out(", 22) == 0;	/* says so itself */
	StringInfoData hint;

	initStringInfo(&hint);
	/* whoever names it does not want it left out in silence */
	if (leaves && named)
		return *by ? psprintf("Name the columns to use, without it: %s => ARRAY[...]; or %s", by, pegs_by_what_is_public(table, quote_literal_cstr(first->name)))
			: pegs_by_what_is_public(table, quote_literal_cstr(first->name));
	if (several)
		appendStringInfo(&hint, "SELECT pegs_propose(%s); has a statement for each.", table);
	else if (first->remedy)
		appendStringInfoString(&hint, first->remedy);
	if (hint.len > 0 && (*by || (!named && !leaves)))
		appendStringInfoString(&hint, pegs_behind(hint.data));
	if (*by)
		appendStringInfo(&hint, "%s the columns to use: %s => ARRAY[...]%s", hint.len > 0 ? "Or name" : "Name", by, named || leaves ? "." : "; or leave");
	else if (!named && !leaves)
		appendStringInfoString(&hint, hint.len > 0 ? "Or leave" : "Leave");
	if (!named && several)
		appendStringInfoString(&hint, " some out: pegs_leave_out.");
	else if (!named && !leaves)
		appendStringInfo(&hint, " it out: pegs_leave_out(%s, %s)", table, quote_literal_cstr(first->name));
	if (hint.len == 0)
		appendStringInfo(&hint, "SELECT * FROM pegs_domain(%s);", table);
	return hint.data;
}

static int
code_of(const char *problem)
{
	if (strncmp(problem, PEGS_UNREADABLE, strlen(PEGS_UNREADABLE)) == 0)
		return ERRCODE_INSUFFICIENT_PRIVILEGE;
	return strcmp(problem, PEGS_LOOKUP_OF_PERSONS) == 0 ? ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE : ERRCODE_INVALID_PARAMETER_VALUE;
}

/* Every column that cannot be used, and why, in one error. */
static void
refuse_problems(const PegsDomain *domain, const PegsSource *source, bool named)
{
	const PegsColumn *first = NULL;
	StringInfoData others;

	initStringInfo(&others);
	for (int i = 0; i < domain->ncols; i++)
	{
		const PegsColumn *column = &domain->column[i];

		if (column->problem && first)
			appendStringInfo(&others, "%s \"%s\": %s", others.len > 0 ? ";" : "Nor can", column->name, column->problem);
		else if (column->problem)
			first = column;
	}
	if (first == NULL)
		return;
	ereport(ERROR,
			(errcode(code_of(first->problem)),
			 errmsg("column \"%s\" cannot be used: %s", first->name, first->problem),
			 others.len > 0 ? errdetail("%s.", others.data) : 0,
			 errhint("%s", what_to_do(first, others.len > 0, source, named))));
}

/* That it is left out was learnt, and charged: nothing stood out in it. */
static void
add_charges(PegsDomain *chosen, const PegsColumn *left_out)
{
	int			n = chosen->nlearnt + left_out->nlearnt;

	if (left_out->nlearnt == 0)
		return;
	chosen->learnt = chosen->learnt ? repalloc(chosen->learnt, sizeof(PegsLearntCharge) * n) : palloc(sizeof(PegsLearntCharge) * n);
	memcpy(chosen->learnt + chosen->nlearnt, left_out->learnt, sizeof(PegsLearntCharge) * left_out->nlearnt);
	chosen->nlearnt = n;
}

/* Of every column that is left out, where no person named the columns; names that come from such a choice are no person's. */
void
pegs_add_left_out(PegsDomain *chosen, const PegsDomain *all)
{
	for (int i = 0; i < all->ncols; i++)
		if (all->column[i].left_out && all->column[i].origin == NULL)
			add_charges(chosen, &all->column[i]);
}

/* Of a column that is none of the model's: its rows have it all the same. */
void
pegs_add_charges_of(PegsDomain *chosen, const PegsDomain *all, const char *name)
{
	int			i = pegs_domain_find(all, name);

	if (i >= 0)
		add_charges(chosen, &all->column[i]);
}

/* To a column that is not there: its name back, from the column whose declarations are kept under it; else which there are. */
static char *
way_to(const PegsDomain *all, const PegsSource *source, const char *name)
{
	for (int i = 0; i < all->ncols; i++)
	{
		const char *now = all->column[i].name;
		Oid			where;
		const char *was = all->column[i].part ? NULL : pegs_name_when_declared(source, now, &where);

		if (was && where == source->relid && strcmp(was, name) == 0)
			return psprintf("ALTER TABLE %s RENAME COLUMN %s TO %s; gives it that name again.", source->name, pstrdup(quote_identifier(now)), quote_identifier(name));
	}
	return psprintf("SELECT column_name FROM pegs_domain(%s);", quote_literal_cstr(source->name));
}

/* The columns of a model: those named, else all that have a domain; keys and the privacy unit are left out. */
PegsDomain *
pegs_domain_choose(const PegsDomain *all, const PegsSource *source, List *names)
{
	PegsDomain *chosen = palloc0(sizeof(PegsDomain));
	ListCell   *cell;

	chosen->column = palloc0(sizeof(PegsColumn) * (Max(all->ncols, list_length(names)) + 1));
	foreach(cell, names)
	{
		char	   *name = (char *) lfirst(cell);
		int			i = pegs_domain_find(all, name);

		if (i < 0)
			ereport(ERROR,
					(errcode(ERRCODE_UNDEFINED_COLUMN),
					 errmsg("column \"%s\" of %s does not exist", name, source->name),
					 errhint("%s", way_to(all, source, name))));
		if (pegs_domain_find(chosen, name) >= 0)
			ereport(ERROR,
					(errcode(ERRCODE_DUPLICATE_COLUMN),
					 errmsg("column \"%s\" is named twice", name),
					 errhint("Name every column once.")));
		chosen->column[chosen->ncols++] = all->column[i];
	}
	for (int i = 0; names == NIL && i < all->ncols; i++)
	{
		const PegsColumn *column = &all->column[i];

		if (column->left_out && column->origin == NULL)
		{
			/* of related tables, what every row must refer to is said by second.c */
			if (!column->declared_out && column->nparts == 0 && column->earlier == NULL && !(column->table && column->reference && !column->nullable))
				ereport(NOTICE,
						(errmsg("column \"%s\" is %s and is left out of the model", column->name, column->left_out),
						 column->remedy && strstr(column->remedy, "pegs_set_lookup") ? errhint("If that table is public: %s", column->remedy) : 0));
		}
		else
			chosen->column[chosen->ncols++] = all->column[i];
	}
	if (names == NIL)
		pegs_add_left_out(chosen, all);
	if (chosen->ncols == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s has no column to model", source->name),
				 pegs_is_bound(source->account) || pegs_children_of(source->account) != NIL
				 ? errhint("A column of one value, which stands for its rows, for good: %s", pegs_column_of_one_value(source->account))
				 : errhint("SELECT * FROM pegs_domain(%s);", quote_literal_cstr(source->name))));
	refuse_problems(chosen, source, names != NIL);
	return chosen;
}
