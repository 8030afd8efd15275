/*
 * of_others.c
 *	  Whose code statements that are printed would make run: remedies, copies.
 *
 * A person runs what is printed, with his own rights, and who prints may be a
 * superuser: functions in CHECKs and generated columns, the CHECKs of domains
 * and casts of a type run as he does. They may be his own, or a superuser's,
 * who needs no such way. Of anybody else's the answer is a text that names it,
 * and what is printed does without, or is a comment: also where it is harmless
 * now, as its owner may replace it before the statements run; so may who owns
 * what else is named, a type or an operator, or the schema of it
 * (names_of_others.c). Nor may the owner of a table, who is another, have a
 * superuser's functions called as he likes: of those that are IMMUTABLE he may,
 * as query_to_xml and dblink_exec are not. Law L9.
 */
#include "server/server.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/relation.h"
#include "access/table.h"
#include "access/transam.h"
#include "catalog/indexing.h"
#include "catalog/pg_constraint.h"
#include "catalog/pg_operator.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_range.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/regproc.h"
#include "utils/rel.h"
#include "utils/syscache.h"

/* What is asked, and the first answer. */
typedef struct Asked
{
	const char *whose;			/* NULL: of nobody else yet */
	bool		by_others;		/* somebody else has written the expression */
	bool		stored;			/* it is not printed: what its names are of, it is of for good */
} Asked;

static bool note_code(Node *node, void *context);

/* ---- functions ---- */

/* May another of that name fit its arguments better? Not where each has the type that it is declared with: what is printed has casts. */
static bool
is_open(Form_pg_proc form)
{
	bool		open = false;

	for (int i = 0; i < form->pronargs; i++)
		open |= IsPolymorphicType(form->proargtypes.values[i]) || form->proargtypes.values[i] == ANYOID || form->proargtypes.values[i] == RECORDOID;
	return open;
}

/* Notes the first one of others. */
static bool
note_function(Oid funcid, void *context)
{
	Asked	   *asked = context;
	HeapTuple	tuple;
	Form_pg_proc form;

	if (asked->whose != NULL || (funcid < FirstNormalObjectId && !asked->by_others) || !OidIsValid(funcid))
		return asked->whose != NULL;
	tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(funcid));
	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for function %u", funcid);
	form = (Form_pg_proc) GETSTRUCT(tuple);
	if (pegs_is_others(form->proowner))
		asked->whose = psprintf("function %s of role \"%s\"", format_procedure_qualified(funcid), GetUserNameFromId(form->proowner, true));
	else if (asked->by_others && form->provolatile != PROVOLATILE_IMMUTABLE)
		asked->whose = psprintf("a call of function %s, which is not IMMUTABLE, by the table's owner", format_procedure_qualified(funcid));
	else if (funcid >= FirstNormalObjectId && !asked->stored)
		asked->whose = pegs_replaced_by_others(psprintf("function %s", format_procedure_qualified(funcid)), form->proowner, form->pronamespace);
	if (asked->whose == NULL && funcid >= FirstNormalObjectId && !asked->stored && is_open(form) && pegs_added_to_by_others(form->pronamespace))
		asked->whose = psprintf("function %s, beside which %s may put code", format_procedure_qualified(funcid), pegs_added_to_by_others(form->pronamespace));
	ReleaseSysCache(tuple);
	return asked->whose != NULL;
}

/* Its function may be anybody's: the operator is what is printed. */
static void
note_operator(Oid opno, Asked *asked)
{
	HeapTuple	tuple;
	Form_pg_operator form;

	if (asked->whose != NULL || opno < FirstNormalObjectId || asked->stored)
		return;
	tuple = SearchSysCache1(OPEROID, ObjectIdGetDatum(opno));
	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for operator %u", opno);
	form = (Form_pg_operator) GETSTRUCT(tuple);
	asked->whose = pegs_replaced_by_others(psprintf("operator %s", format_operator_qualified(opno)), form->oprowner, form->oprnamespace);
	if (asked->whose == NULL && (IsPolymorphicType(form->oprleft) || IsPolymorphicType(form->oprright)) && pegs_added_to_by_others(form->oprnamespace))
		asked->whose = psprintf("operator %s, beside which %s may put code", format_operator_qualified(opno), pegs_added_to_by_others(form->oprnamespace));
	ReleaseSysCache(tuple);
}

static void
note_operators(Node *node, Asked *asked)
{
	ListCell   *cell;

	if (IsA(node, OpExpr) || IsA(node, DistinctExpr) || IsA(node, NullIfExpr))
		note_operator(((OpExpr *) node)->opno, asked);
	else if (IsA(node, ScalarArrayOpExpr))
		note_operator(((ScalarArrayOpExpr *) node)->opno, asked);
	else if (IsA(node, RowCompareExpr))
		foreach(cell, ((RowCompareExpr *) node)->opnos)
			note_operator(lfirst_oid(cell), asked);
}

/* ---- types ---- */

static const char *
type_words(Oid type, Oid owner)
{
	return psprintf("type %s of role \"%s\"", format_type_extended(type, -1, FORMAT_TYPE_FORCE_QUALIFY), GetUserNameFromId(owner, true));
}

/* The CHECKs of a domain. */
static const char *
code_of_domain(Oid domain)
{
	Relation	constraints = table_open(ConstraintRelationId, AccessShareLock);
	const char *whose = NULL;
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple	tuple;

	ScanKeyInit(&key, Anum_pg_constraint_contypid, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(domain));
	scan = systable_beginscan(constraints, ConstraintTypidIndexId, true, NULL, 1, &key);
	while (whose == NULL && HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		bool		isnull;
		Datum		bin = heap_getattr(tuple, Anum_pg_constraint_conbin, RelationGetDescr(constraints), &isnull);

		if (!isnull)
		{
			Asked		asked = {.stored = true};

			(void) note_code(stringToNode(TextDatumGetCString(bin)), &asked);
			whose = asked.whose;
		}
	}
	systable_endscan(scan);
	table_close(constraints, AccessShareLock);
	return whose;
}

/* The first answer of the attributes of a composite type. */
static const char *
of_attributes(Oid relid, const char *(*asked) (Oid type))
{
	Relation	rel = relation_open(relid, AccessShareLock);
	const char *whose = NULL;

	for (int i = 0; whose == NULL && i < RelationGetDescr(rel)->natts; i++)
		if (!TupleDescAttr(RelationGetDescr(rel), i)->attisdropped)
			whose = asked(TupleDescAttr(RelationGetDescr(rel), i)->atttypid);
	relation_close(rel, AccessShareLock);
	return whose;
}

static const char *
code_of_range(Oid range)
{
	HeapTuple	tuple = SearchSysCache1(RANGETYPE, ObjectIdGetDatum(range));
	Asked		asked = {0};
	FormData_pg_range form;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for range type %u", range);
	form = *(Form_pg_range) GETSTRUCT(tuple);
	ReleaseSysCache(tuple);
	asked.whose = pegs_type_of_others(form.rngsubtype);
	(void) note_function(form.rngcanonical, &asked);
	(void) note_function(form.rngsubdiff, &asked);
	return asked.whose;
}

/* What runs where a value of a type is read, written or checked: functions of a base type are a superuser's choice, of others they are looked at down to these. */
const char *
pegs_type_of_others(Oid type)
{
	HeapTuple	tuple;
	FormData_pg_type form;
	const char *whose;

	check_stack_depth();
	if (type < FirstNormalObjectId)
		return NULL;
	tuple = SearchSysCache1(TYPEOID, ObjectIdGetDatum(type));
	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for type %u", type);
	memcpy(&form, GETSTRUCT(tuple), sizeof form);
	ReleaseSysCache(tuple);
	switch (form.typtype)
	{
		case TYPTYPE_DOMAIN:
			if (pegs_is_others(form.typowner))
				return type_words(type, form.typowner);
			whose = code_of_domain(type);
			return whose ? whose : pegs_type_of_others(form.typbasetype);
		case TYPTYPE_COMPOSITE:
			return of_attributes(form.typrelid, pegs_type_of_others);
		case TYPTYPE_RANGE:
			return code_of_range(type);
		case TYPTYPE_MULTIRANGE:
			return code_of_range(get_multirange_range(type));
		default:
			return OidIsValid(get_element_type(type)) ? pegs_type_of_others(get_element_type(type)) : NULL;
	}
}

/* The first answer of a type or what is in it: its owner; or, of its name, who may put something else in its place. */
static const char *
whose_type(Oid type, const char *(*asked) (Oid type), bool name)
{
	Oid			element = get_element_type(type);
	HeapTuple	tuple;
	FormData_pg_type form;
	const char *whose;

	check_stack_depth();
	if (OidIsValid(element))
		type = element;
	if (type < FirstNormalObjectId)
		return NULL;
	tuple = SearchSysCache1(TYPEOID, ObjectIdGetDatum(type));
	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for type %u", type);
	memcpy(&form, GETSTRUCT(tuple), sizeof form);
	ReleaseSysCache(tuple);
	if (name)
		whose = pegs_replaced_by_others(psprintf("type %s", format_type_extended(type, -1, FORMAT_TYPE_FORCE_QUALIFY)), form.typowner, form.typnamespace);
	else
		whose = pegs_is_others(form.typowner) ? type_words(type, form.typowner) : NULL;
	if (whose)
		return whose;
	switch (form.typtype)
	{
		case TYPTYPE_DOMAIN:
			return asked(form.typbasetype);
		case TYPTYPE_COMPOSITE:
			return of_attributes(form.typrelid, asked);
		case TYPTYPE_RANGE:
			return asked(get_range_subtype(type));
		case TYPTYPE_MULTIRANGE:
			return asked(get_multirange_range(type));
		default:
			return NULL;
	}
}

/* Whose is it, if not the caller's? Who owns a type makes the casts of it. */
const char *
pegs_owned_by_others(Oid type)
{
	return whose_type(type, pegs_owned_by_others, false);
}

/* Whose is its name, if not the caller's? */
static const char *
name_of_others(Oid type)
{
	return whose_type(type, name_of_others, true);
}

/* A statement that names this type: whose code may run by it? */
const char *
pegs_type_named_of_others(Oid type)
{
	const char *whose = pegs_type_of_others(type);

	return whose ? whose : name_of_others(type);
}

/* ---- expressions ---- */

/* Takes it values of any type? Then it may ask that type's casts: to_json, quote_literal. Of an enum's the server has its own. */
static bool
takes_any(Oid funcid, void *context)
{
	HeapTuple	tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(funcid));
	bool		any = false;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for function %u", funcid);
	for (int i = 0; i < ((Form_pg_proc) GETSTRUCT(tuple))->pronargs; i++)
	{
		Oid			type = ((Form_pg_proc) GETSTRUCT(tuple))->proargtypes.values[i];

		any |= (IsPolymorphicType(type) && type != ANYENUMOID) || type == ANYOID || type == RECORDOID;
	}
	ReleaseSysCache(tuple);
	return any;
}

/* Notes what an argument is of. */
static bool
note_owner(Node *node, void *context)
{
	Asked	   *asked = context;

	if (node == NULL || asked->whose != NULL)
		return asked->whose != NULL;
	if (IsA(node, List))
		return expression_tree_walker(node, note_owner, context);
	asked->whose = name_of_others(exprType(node));
	return asked->whose != NULL;
}

/* JSON_ARRAY, JSON_VALUE, ...: they write and read values of any type. */
static bool
is_json(Node *node)
{
#if PG_VERSION_NUM >= 170000
	return IsA(node, JsonConstructorExpr) || IsA(node, JsonExpr);
#elif PG_VERSION_NUM >= 160000
	return IsA(node, JsonConstructorExpr);
#else
	return false;
#endif
}

static const char *
type_asked(Oid type, const Asked *asked)
{
	return asked->stored ? pegs_type_of_others(type) : pegs_type_named_of_others(type);
}

static bool
note_code(Node *node, void *context)
{
	Asked	   *asked = context;

	if (node == NULL || asked->whose != NULL)
		return asked->whose != NULL;
	if (IsA(node, List))
		return expression_tree_walker(node, note_code, context);
	/* of a column of a domain its base type alone: the copy has that */
	if (IsA(node, RelabelType) && IsA(((RelabelType *) node)->arg, Var))
		return (asked->whose = type_asked(((RelabelType *) node)->resulttype, asked)) != NULL;
	if (check_functions_in_node(node, note_function, context))
		return true;
	note_operators(node, asked);
	if (is_json(node) && asked->by_others)
		asked->whose = "a JSON expression of the table's owner";
	if ((IsA(node, RowExpr) || is_json(node) || check_functions_in_node(node, takes_any, NULL)) && expression_tree_walker(node, note_owner, context))
		return true;
	if (IsA(node, Var) || IsA(node, Const) || IsA(node, CoerceToDomain) || IsA(node, CoerceToDomainValue) || IsA(node, CoerceViaIO) || IsA(node, ArrayCoerceExpr)
		|| IsA(node, ConvertRowtypeExpr) || IsA(node, RowExpr) || IsA(node, FuncExpr) || is_json(node))
		asked->whose = asked->whose ? asked->whose : IsA(node, CoerceToDomainValue) ? NULL : type_asked(exprType(node), asked);
	return asked->whose != NULL || expression_tree_walker(node, note_code, context);
}

const char *
pegs_code_of_others(Node *expression, bool by_others)
{
	Asked		asked = {.by_others = by_others};

	(void) note_code(expression, &asked);
	return asked.whose;
}

/* ---- columns ---- */

/* What generates it; NULL: nothing, or nothing of others. */
const char *
pegs_generated_by_others(Relation rel, Form_pg_attribute att)
{
	const TupleConstr *constr = RelationGetDescr(rel)->constr;

	for (int i = 0; att->attgenerated != '\0' && i < constr->num_defval; i++)
		if (constr->defval[i].adnum == att->attnum)
			return pegs_code_of_others(stringToNode(constr->defval[i].adbin), pegs_is_others(rel->rd_rel->relowner));
	return NULL;
}
