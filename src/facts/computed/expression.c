/*
 * expression.c
 *	  An expression over columns of one row: which are allowed, as canonical
 *	  text, and made ready to be evaluated.
 *
 * It runs in the session of whoever draws rows, who need not trust its author:
 * what is parsed is looked at, not its text. Allowed is a short list of nodes,
 * of types and of immutable functions that the server was made with; all else
 * is refused, here when it is declared and again whenever it is made ready.
 * Its names are looked up in pg_catalog alone. Laws L1, L9.
 */
#include "facts/facts.h"
#include "codes/codes.h"

#include "access/htup_details.h"
#include "access/table.h"
#include "access/transam.h"
#include "catalog/pg_language.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parse_coerce.h"
#include "parser/parse_collate.h"
#include "parser/parse_expr.h"
#include "parser/parse_node.h"
#include "parser/parser.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/ruleutils.h"
#include "utils/syscache.h"

#define MAX_BYTES 16384			/* of an expression */

#define EXAMPLE "CASE WHEN age < 18 THEN ''child'' ELSE ''adult'' END"

/* ---- what is allowed ---- */

bool
pegs_is_expression_type(Oid type)
{
	Oid			element = get_element_type(type);

	switch (OidIsValid(element) ? element : type)
	{
		case TEXTOID:
		case VARCHAROID:
		case BPCHAROID:
		case BOOLOID:
		case INT2OID:
		case INT4OID:
		case INT8OID:
		case NUMERICOID:
		case FLOAT4OID:
		case FLOAT8OID:
		case DATEOID:
		case TIMEOID:
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
		case INTERVALOID:
		case BYTEAOID:
			return true;
	}
	return false;
}

/* A walker: what the expression needs that is not allowed, in *problem. Fails closed: a node that is not in the list is refused. */
static bool
find_problem(Node *node, void *context)
{
	const char **problem = context;

	if (node == NULL)
		return false;
	if (pegs_expression_problem(node, problem))
		return true;
	switch (nodeTag(node))
	{
		case T_List:
		case T_CaseWhen:
			break;
		case T_Var:
			if (((Var *) node)->varattno <= 0)
				*problem = "a whole row";
			break;
		case T_OpExpr:
		case T_DistinctExpr:
		case T_NullIfExpr:
			if (((OpExpr *) node)->opno >= FirstNormalObjectId)
				*problem = "an operator that is not built in";
			break;
		case T_ScalarArrayOpExpr:
			if (((ScalarArrayOpExpr *) node)->opno >= FirstNormalObjectId)
				*problem = "an operator that is not built in";
			break;
		case T_CollateExpr:
			if (((CollateExpr *) node)->collOid >= FirstNormalObjectId)
				*problem = "a collation that is not built in";
			break;
		case T_Const:
		case T_FuncExpr:
		case T_BoolExpr:
		case T_RelabelType:
		case T_CoerceViaIO:
		case T_ArrayCoerceExpr:
		case T_CaseExpr:
		case T_CaseTestExpr:
		case T_ArrayExpr:
		case T_CoalesceExpr:
		case T_MinMaxExpr:
		case T_NullTest:
		case T_BooleanTest:
		case T_SubscriptingRef:
			break;
		default:
			*problem = "a construct that is not in the list";
	}
	if (*problem == NULL && !IsA(node, List) && !IsA(node, CaseWhen) && !pegs_is_expression_type(getBaseType(exprType(node))))
		*problem = psprintf("a value of type %s", format_type_be(exprType(node)));
	if (*problem == NULL)
		*problem = pegs_length_problem(node);
	return *problem != NULL || expression_tree_walker(node, find_problem, context);
}

static const char *
problem_of(Node *expression)
{
	const char *problem = NULL;

	return find_problem(expression, &problem) ? problem : pegs_mutable_problem(expression);
}

static bool
is_in_sql(Oid funcid, void *context)
{
	HeapTuple	tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(funcid));
	bool		found = HeapTupleIsValid(tuple) && ((Form_pg_proc) GETSTRUCT(tuple))->prolang == SQLlanguageId;

	if (HeapTupleIsValid(tuple))
		ReleaseSysCache(tuple);
	return found;
}

/* A walker: a function in SQL that was not put in place of its call. An error in it, forgiven, would leave its executor half done. */
static bool
has_sql(Node *node, void *context)
{
	if (node == NULL)
		return false;
	return check_functions_in_node(node, is_in_sql, NULL) || expression_tree_walker(node, has_sql, context);
}

/* ---- parsing ---- */

static void
refuse(const char *column, const char *why)
{
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("the expression of column \"%s\" cannot be used: it has %s", column, why),
			 errdetail("It runs in the sessions of those who draw rows: allowed are columns of the same row, values, and immutable functions and operators of pg_catalog,"
					   " on text, numbers, booleans, dates, times, intervals, and arrays of them."),
			 errhint("For example: '" EXAMPLE "'")));
}

/* The list of a declared function is an expression, too, and may be long. */
static void
refuse_long_list(Oid relid, const PegsDerived *derived, const char *text)
{
	if (derived->function == NULL || strlen(text) <= MAX_BYTES)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("the mapping of column \"%s\" has %zu bytes, more than %d", derived->name, strlen(text), MAX_BYTES),
			 errdetail("It is computed in each row that is drawn, by an expression that holds the whole list."),
			 errhint("Leave the column out, and take its values from a table of the list in the published view (JOIN): SELECT pegs_leave_out(%s, %s);",
					 pegs_relation_literal(relid), quote_literal_cstr(derived->name))));
}

/* An expression that is read; `hinted`: its error has a hint of its own. */
typedef struct Reading
{
	const char *column;
	const PegsDomain *row;
	bool		hinted;
} Reading;

/* Besides the position, which is in another text: a hint for what the parser says. */
static void
about_expression(void *arg)
{
	const Reading *reading = arg;
	const char *name = reading->row ? pegs_name_in_quotes(reading->row, reading->column) : NULL;

	pegs_no_position(NULL);
	if (!reading->hinted)
		errhint("An expression has columns of the same row, values, and immutable functions and operators of pg_catalog: '" EXAMPLE "'%s%s", name ? "; some names stand in quotes: " : "",
				name ? name : "");
	errcontext("expression of column \"%s\"", reading->column);
}

/* One expression, and nothing else that a SELECT may have. */
Node *
pegs_raw_expression(const char *column, const char *text)
{
	SelectStmt *select;
	ResTarget  *target;

	if (strlen(text) > MAX_BYTES)
		refuse(column, psprintf("more than %d bytes", MAX_BYTES));
	select = (SelectStmt *) linitial_node(RawStmt, raw_parser(text, RAW_PARSE_PLPGSQL_EXPR))->stmt;
	if (!IsA(select, SelectStmt) || list_length(select->targetList) != 1 || select->distinctClause || select->fromClause || select->whereClause
		|| select->groupClause || select->havingClause || select->windowClause || select->sortClause || select->limitOffset
		|| select->limitCount || select->lockingClause || select->withClause || select->op != SETOP_NONE || select->valuesLists)
		refuse(column, "more than one expression");
	target = linitial_node(ResTarget, select->targetList);
	/* a name of two words that should be in quotes looks like that */
	if (target->name)
		ereport(ERROR,
				(errcode(ERRCODE_SYNTAX_ERROR),
				 errmsg("an expression ends before \"%s\"", target->name),
				 errhint("An expression is one value, without a name behind it.")));
	return target->val;
}

static void
pin(const char *name, const char *value)
{
	const char *now = GetConfigOption(name, true, false);

	if (now != NULL && strcmp(now, value) != 0)
		(void) set_config_option(name, value, PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
}

/* Names mean what they mean in pg_catalog, whoever asks. */
static void
pin_names(void)
{
	pin("search_path", "pg_catalog, pg_temp");
	pin("transform_null_equals", "off");
}

/* How values are written, and what functions make of them that are immutable but for such a setting: of float8 to text. */
static void
pin_values(void)
{
	pin("standard_conforming_strings", "on");
	pin("backslash_quote", "safe_encoding");
	pin("array_nulls", "on");
	pin("quote_all_identifiers", "off");
	pin("intervalstyle", "postgres");
	pin("timezone_abbreviations", "Default");
}

/* An expression in canonical text means the same in every session while this holds. Undo: AtEOXact_GUC(false, level). */
int
pegs_pin_expression(void)
{
	int			level = pegs_pin_notation();

	pin_names();
	pin_values();
	return level;
}

/* Columns are those of the row, and have no relation. */
static Node *
column_of_row(ParseState *pstate, ColumnRef *ref)
{
	Reading    *reading = pstate->p_ref_hook_state;
	const PegsDomain *row = reading->row;
	Node	   *field = linitial(ref->fields);
	bool		alone = list_length(ref->fields) == 1 && IsA(field, String);
	int			i = alone ? pegs_domain_find(row, strVal(field)) : -1;

	if (i < 0)
	{
		reading->hinted = true;
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_COLUMN),
				 errmsg("an expression names \"%s\", which is no column of the row", IsA(field, String) ? strVal(field) : "*"),
				 errhint("Name columns of the same row%s: %s", alone ? "" : ", without their table", pegs_names_of_row(row, reading->column))));
	}
	return (Node *) makeVar(1, i + 1, row->column[i].type, row->column[i].typmod, get_typcollation(row->column[i].type), 0);
}

/* Of the type of its column, as an assignment would make it. Its variables are 1 and on: the columns of the row. */
static Node *
parse(const PegsDerived *derived, const PegsDomain *row, const char *text)
{
	Reading		reading = {.column = derived->name, .row = row};
	ErrorContextCallback callback = {.callback = about_expression, .arg = &reading, .previous = error_context_stack};
	ParseState *pstate = make_parsestate(NULL);
	const char *problem;
	Node	   *node;

	error_context_stack = &callback;
	pstate->p_pre_columnref_hook = column_of_row;
	pstate->p_ref_hook_state = &reading;
	node = transformExpr(pstate, pegs_raw_expression(derived->name, text), EXPR_KIND_GENERATED_COLUMN);
	error_context_stack = callback.previous;
	if ((problem = problem_of(node)) != NULL)
		refuse(derived->name, problem);
	node = coerce_to_target_type(pstate, node, exprType(node), derived->type, derived->typmod, COERCION_ASSIGNMENT, COERCE_IMPLICIT_CAST, -1);
	if (node == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("the expression of column \"%s\" is not of type %s", derived->name, format_type_with_typemod(derived->type, derived->typmod)),
				 errhint("Cast it: '(...)::%s'", pegs_type_words(derived->type, derived->typmod))));
	assign_expr_collations(pstate, node);
	free_parsestate(pstate);
	/* the cast to the column's type, too */
	if ((problem = problem_of(node)) != NULL)
		refuse(derived->name, problem);
	return node;
}

/* As it will be run: what is constant is computed, and may be an error. */
static Node *
planned(const PegsDerived *derived, Node *node)
{
	Reading		reading = {.column = derived->name};
	ErrorContextCallback callback = {.callback = about_expression, .arg = &reading, .previous = error_context_stack};

	error_context_stack = &callback;
	node = (Node *) expression_planner((Expr *) node);
	error_context_stack = callback.previous;
	if (has_sql(node, NULL))
		refuse(derived->name, "a function in SQL that cannot be put in place of its call");
	return node;
}

/* Ready for ExecPrepareExpr; variable i of relation 1 is column i of the row. Everything is looked at again. */
Node *
pegs_expression(const PegsDerived *derived, const PegsDomain *row)
{
	int			level = pegs_pin_expression();
	Node	   *node = planned(derived, parse(derived, row, derived->expression));

	AtEOXact_GUC(false, level);
	return pegs_bounded(node, NULL);
}

/* ---- canonical text ---- */

/* The columns of a relation as a row: names and types. */
static PegsDomain *
row_of(Relation rel)
{
	TupleDesc	desc = RelationGetDescr(rel);
	PegsDomain *row = palloc0(sizeof(PegsDomain));

	row->column = palloc0(sizeof(PegsColumn) * (desc->natts + 1));
	/* all of them, so that a column's place is its number */
	for (int i = 0; i < desc->natts; i++)
	{
		Form_pg_attribute att = TupleDescAttr(desc, i);
		PegsColumn *column = &row->column[row->ncols++];

		column->name = att->attisdropped ? pstrdup("") : pstrdup(NameStr(att->attname));
		column->typmod = att->atttypmod;
		column->type = att->attisdropped ? InvalidOid : getBaseTypeAndTypmod(att->atttypid, &column->typmod);
	}
	return row;
}

static char *
print(Node *node, Relation rel)
{
	return deparse_expression(node, deparse_context_for(RelationGetRelationName(rel), RelationGetRelid(rel)), false, false);
}

/*
 * The expression that `text` is for a column of the relation, in our notation:
 * values as the session reads them, names as pg_catalog has them. An error if
 * it cannot be used.
 */
char *
pegs_canonical_expression(Oid relid, const PegsDerived *derived, const char *text)
{
	Relation	rel = table_open(relid, AccessShareLock);
	PegsDomain *row = row_of(rel);
	PegsDerived canonical = *derived;
	int			level = NewGUCNestLevel();
	Node	   *node;

	if (!pegs_is_expression_type(derived->type))
		refuse(derived->name, psprintf("a column of type %s", format_type_be(derived->type)));
	pin_names();
	refuse_long_list(relid, derived, text);
	node = parse(derived, row, text);
	(void) pegs_pin_expression();
	canonical.expression = print(node, rel);
	refuse_long_list(relid, derived, canonical.expression);
	/* read back: what is kept must mean the same, and read back for ever */
	node = parse(&canonical, row, canonical.expression);
	if (strcmp(print(node, rel), canonical.expression) != 0)
		refuse(derived->name, "a part that does not read back as it was printed");
	(void) planned(&canonical, node);
	AtEOXact_GUC(false, level);
	table_close(rel, NoLock);
	return canonical.expression;
}

/* ---- generated columns ---- */

/* A walker: is there a column whose comparisons are not the database's own? */
static bool
has_own_collation(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, Var) && OidIsValid(((Var *) node)->varcollid) && ((Var *) node)->varcollid != get_typcollation(getBaseType(((Var *) node)->vartype)))
		return true;
	return expression_tree_walker(node, has_own_collation, context);
}

/* The same of a generated column; NULL where it may not be used: it has a function of somebody, or a type or collation of its own. */
char *
pegs_generated_expression(Oid relid, AttrNumber attnum)
{
	Relation	rel = table_open(relid, AccessShareLock);
	TupleDesc	desc = RelationGetDescr(rel);
	Form_pg_attribute att = TupleDescAttr(desc, attnum - 1);
	PegsDerived derived = {.name = NameStr(att->attname), .type = att->atttypid, .typmod = att->atttypmod};
	Node	   *node = NULL;

	for (int i = 0; att->attgenerated && desc->constr && i < desc->constr->num_defval; i++)
		if (desc->constr->defval[i].adnum == attnum)
			node = stringToNode(desc->constr->defval[i].adbin);
	if (node && pegs_is_expression_type(derived.type) && problem_of(node) == NULL && !has_own_collation(node, NULL))
	{
		int			level = pegs_pin_expression();

		derived.expression = print(node, rel);
		derived.expression = strlen(derived.expression) <= MAX_BYTES ? pegs_canonical_expression(relid, &derived, derived.expression) : NULL;
		AtEOXact_GUC(false, level);
	}
	table_close(rel, NoLock);
	return derived.expression;
}
