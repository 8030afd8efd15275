/*
 * keyed_set.c
 *	  Via which columns of its lookup table a column of keys is modelled, and
 *	  by which its keys are drawn (keyed.c): as it is declared, and proposed.
 *
 * By the catalog alone: law L1.
 */
#include "facts/facts.h"
#include "codes/codes.h"

#include "access/table.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

/* ---- declared ---- */

static void
refuse_names(const PegsDeclaration *declared)
{
	List	   *seen = list_make1(declared->lookup_column);
	ListCell   *cell;

	foreach(cell, declared->via)
	{
		if (pegs_has_name(seen, lfirst(cell)))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("via must name other columns than \"%s\", each once", declared->lookup_column),
					 errdetail("They say of each key what the model has in its place."),
					 errhint("Without via each key is a level of its own.")));
		seen = lappend(seen, lfirst(cell));
	}
}

/* A column of numbers, which says nothing without via. */
static void
check_weight(const PegsSource *source, const PegsColumn *column, const PegsDeclaration *declared)
{
	if (declared->via == NIL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("weight is for keys that are modelled via their lookup table"),
				 errdetail("It says how likely each key is among those of one level; without via each key is a level, which is as likely as the model has it."),
				 errhint("Name columns that say something of its keys: via => '{chapter, chronic}'. Or leave weight out.")));
	if (strcmp(declared->weight, declared->lookup_column) == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("weight must name another column than \"%s\"", declared->lookup_column),
				 errhint("Name a column of numbers: weight => 'patients'")));
	pegs_check_lookup(source, column->name, declared->lookup, declared->weight, "weight");
	if (!pegs_is_number(getBaseType(get_atttype(declared->lookup, get_attnum(declared->lookup, declared->weight)))))
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("column \"%s\" of table \"%s\" is no number, and cannot be a weight", declared->weight, get_rel_name(declared->lookup)),
				 errhint("Name a column of numbers: weight => 'patients'")));
}

void
pegs_declare_keyed(const PegsSource *source, const PegsColumn *column, const PegsDeclaration *declared)
{
	PegsColumn	stub = {.name = column->name};
	const char *unit = pegs_unit_column(source);
	PegsReference reference = {0};
	char	   *what = pegs_is_no_value(source->relid, get_attnum(source->relid, column->name), &reference);
	const char *problem;
	ListCell   *cell;

	refuse_names(declared);
	foreach(cell, declared->via)
		pegs_check_lookup(source, column->name, declared->lookup, lfirst(cell), "via");
	if (declared->weight)
		check_weight(source, column, declared);
	if (!pegs_has_via(column->type))
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("column \"%s\" of type %s cannot be modelled via its lookup table", column->name, format_type_be(column->type)),
				 errdetail("Its keys must be numbers or texts."),
				 errhint("Leave via out: each key is a level of its own then.")));
	if (unit && strcmp(unit, column->name) == 0)
		what = pstrdup("the privacy unit");
	if (what && !OidIsValid(reference.relid))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("column \"%s\" is %s, and cannot be computed from others", column->name, what),
				 errhint("Leave it out: SELECT pegs_leave_out(%s, %s);", quote_literal_cstr(source->name), quote_literal_cstr(column->name))));
	pegs_require_computable(source, column, false);
	problem = pegs_hidden_name_problem(source->relid, pegs_hidden_name(&stub, PEGS_VIA));
	if (problem)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("column \"%s\" cannot be computed from others: %s", column->name, problem),
				 errhint("Use a view that calls its columns otherwise.")));
}

/* ---- proposed ---- */

#define MAX_PROPOSED 3

/* How few levels a column may have, by the catalog alone: 0 it lists them, 1 a text or a number; -1: nearly as many as there are keys, or it is not known how it is told. */
static int
rank_of(Oid lookup, Form_pg_attribute att)
{
	PegsColumn	stub = {.name = NameStr(att->attname), .type = getBaseType(att->atttypid)};
	PegsReference reference = {0};

	if (!pegs_type_supported(stub.type) || pegs_is_no_value(lookup, att->attnum, &reference))
		return -1;
	if (stub.type == BOOLOID || type_is_enum(stub.type) || pegs_check_levels(lookup, att->attnum) != NIL || pegs_domain_check_levels(att->atttypid) != NIL)
		return 0;
	return pegs_is_told_by_name(&stub) || !(pegs_is_text(stub.type) || pegs_is_number(stub.type)) ? -1 : 1;
}

/* "  -- or, ..." one column of a table whose key this may be: by the catalog alone; "": none says something, or its keys cannot be modelled so. */
char *
pegs_keyed_words(Oid lookup, const char *key, Oid type)
{
	StringInfoData names;
	Relation	rel;
	int			n = 0;

	if (!pegs_has_via(type))
		return pstrdup("");
	initStringInfo(&names);
	rel = table_open(lookup, AccessShareLock);
	for (int rank = 0; rank < 2; rank++)
		for (int i = 0; i < RelationGetDescr(rel)->natts && n < MAX_PROPOSED; i++)
		{
			Form_pg_attribute att = TupleDescAttr(RelationGetDescr(rel), i);

			if (!att->attisdropped && strcmp(NameStr(att->attname), key) != 0 && rank_of(lookup, att) == rank)
				appendStringInfo(&names, "%s%s", n++ > 0 ? ", or " : "", pegs_array_literal(list_make1(NameStr(att->attname))));
		}
	table_close(rel, NoLock);
	return n == 0 ? pstrdup("") : psprintf("  %s", pegs_comment("or, of many keys, by what it says of them, a column of few values: via => %s", names.data));
}
