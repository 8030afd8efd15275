/*
 * check.c
 *	  Fuzz target: levels that a CHECK constraint states (src/facts/checks.c).
 *
 * An input's choices are made into an expression over a real table's column,
 * or a domain's VALUE, which the server's own parser reads and analyses. When
 * pegs finds levels in it, the executor tries the constraint on many values:
 * it must refuse each that is not among the levels, and, without AND, allow
 * each level. The rest of the input's bytes may also be the text itself; then
 * nothing is executed.
 */
#include "server.h"

#include "../../src/facts/checks.c"

#include "access/relation.h"
#include "catalog/namespace.h"
#include "executor/executor.h"
#include "parser/parse_clause.h"
#include "parser/parse_coerce.h"
#include "parser/parse_collate.h"
#include "parser/parse_expr.h"
#include "parser/parse_relation.h"
#include "parser/parser.h"

#define MAX_LEVELS 40

static Relation table;			/* fuzz_check: made by test/fuzz/run */
static TupleTableSlot *slot;

typedef struct sample
{
	Datum		value;
	char	   *canonical;
} sample;

static struct
{
	Oid			type;
	int32		typmod;
	int			n;
	sample	   *sample;
}			pool[64];			/* by column: values of its type */

static const char *const texts[] = {
	"a", "b", "ab", "abc", "abcd", "A", "B", "", " ", "a ", " a", "a'b", "a,b", "{a}", "NULL", "null", "\\", "\"", "t", "f", "true",
	"false", "sad", "ok", "0", "1", "2", "-1", "01", "1.0", "1.5", "1.6", "1.55", "2.0", "0.1", "0.10", "0.10000000000000000001",
	"0.5", "1e10", "10000000000", "70000", "9007199254740992", "9007199254740993", "9223372036854775807", "NaN", "Infinity", "-0",
	"2024-01-01", "2024-01-02", "2024-02-29", "2024-01-01 00:00:00", "2024-01-01 10:00:00", "2024-01-01 10:00:00.5", "infinity",
	"2024-03-31 02:30:00", "2024-03-31 03:30:00", "01/02/2024", "\xc3\xa9"
};

static const char *const casts[] = {
	"text", "varchar", "varchar(1)", "varchar(2)", "char(3)", "char(1)", "name", "int", "smallint", "bigint", "numeric", "numeric(3,1)",
	"float8", "real", "date", "timestamp", "timestamp(0)", "timestamptz", "boolean", "fuzz_mood", "fuzz_short", "\"char\"", "oid", "time"
};

/* ---- the expression ---- */

typedef struct expression
{
	input	   *in;
	StringInfoData out;
	const char *column;
	bool		has_and;
	bool		has_null;
} expression;

static void
start(void)
{
	table = relation_open(RelnameGetRelid("fuzz_check"), AccessShareLock);
	slot = MakeSingleTupleTableSlot(RelationGetDescr(table), &TTSOpsVirtual);
	for (int c = 0; c < RelationGetDescr(table)->natts; c++)
	{
		Form_pg_attribute att = TupleDescAttr(RelationGetDescr(table), c);

		pool[c].typmod = att->atttypmod;
		pool[c].type = getBaseTypeAndTypmod(att->atttypid, &pool[c].typmod);
		pool[c].sample = palloc(sizeof(sample) * lengthof(texts));
		for (size_t i = 0; i < lengthof(texts); i++)
		{
			char	   *canonical = pegs_try_canonical(pool[c].type, pool[c].typmod, texts[i]);
			Oid			function;
			Oid			param;

			if (canonical == NULL)
				continue;
			getTypeInputInfo(pool[c].type, &function, &param);
			pool[c].sample[pool[c].n].canonical = canonical;
			pool[c].sample[pool[c].n++].value = OidInputFunctionCall(function, canonical, param, pool[c].typmod);
		}
	}
}

static void
put(expression *e, const char *text)
{
	appendStringInfoString(&e->out, text);
}

static void
put_cast(expression *e)
{
	uint8_t		byte = take_byte(e->in);

	if (byte % 4 == 0)
		appendStringInfo(&e->out, "::%s", casts[byte / 4 % lengthof(casts)]);
	if (byte % 32 == 8)
		put_cast(e);
}

static void
put_constant(expression *e)
{
	uint8_t		byte = take_byte(e->in);
	const char *text = texts[take_byte(e->in) % lengthof(texts)];

	if (byte % 8 < 5)
		put(e, quote_literal_cstr(text));
	else if (byte % 8 == 5 || byte % 8 == 6)
		put(e, strspn(text, "0123456789.") == strlen(text) && *text ? text : "1");
	else
	{
		static const char *const odd[] = {"NULL", "true", "false", "-1", "(1 + 1)", "lower('A')", "fuzz_mine('a')", "now()", "other", "'a' || 'b'"};
		uint8_t		which = take_byte(e->in) % lengthof(odd);

		put(e, odd[which]);
		e->has_null |= which == 0;
	}
	put_cast(e);
}

static void
put_column(expression *e)
{
	static const char *const forms[] = {
		"%s", "%s", "%s", "%s", "%s", "(%s)", "%s::text", "%s::varchar", "other", "lower(%s::text)", "coalesce(%s, NULL)", "%s || ''", "- %s",
		"fuzz_mine(%s::text)", "%s COLLATE \"C\"", "nullif(%s, %s)"
	};
	uint8_t		byte = take_byte(e->in);
	const char *form = forms[byte % lengthof(forms)];

	appendStringInfo(&e->out, form, e->column, e->column);
	if (byte / 16 % 4 == 1)
		put_cast(e);
}

static void
put_list(expression *e)
{
	uint32_t	n = 1 + take_byte(e->in) % 4;

	for (uint32_t i = 0; i < n; i++)
	{
		put(e, i > 0 ? ", " : "");
		put_constant(e);
	}
}

static void
put_array(expression *e)
{
	uint8_t		byte = take_byte(e->in);

	if (byte % 4 == 0)
	{
		static const char *const literals[] = {"'{a,b}'", "'{a}'", "'{}'", "'{a,NULL}'", "'{1,2}'", "'{1.5,2}'", "'{2024-01-01}'", "'{{a,b},{c,d}}'"};

		e->has_null |= byte / 4 % 8 == 3;
		put(e, literals[byte / 4 % 8]);
	}
	else
	{
		put(e, "ARRAY[");
		put_list(e);
		put(e, "]");
	}
	byte = take_byte(e->in);
	if (byte % 4 == 0)
		appendStringInfo(&e->out, "::%s[]", casts[byte / 4 % lengthof(casts)]);
}

static void
put_expression(expression *e, int depth)
{
	uint8_t		byte = take_byte(e->in);

	if (depth > 5 || e->out.len > 1500)
		byte = 0;
	switch (byte % 32)
	{
		case 0:
		case 1:
		case 2:
			put_column(e);
			put(e, " = ");
			put_constant(e);
			break;
		case 3:
			put_constant(e);
			put(e, " = ");
			put_column(e);
			break;
		case 4:
		case 5:
		case 6:
		case 7:
			put_column(e);
			put(e, " IN (");
			put_list(e);
			put(e, ")");
			break;
		case 8:
		case 9:
		case 10:
			put_column(e);
			put(e, " = ANY (");
			put_array(e);
			put(e, ")");
			break;
		case 11:
		case 12:
		case 13:
		case 14:
			put(e, "(");
			put_expression(e, depth + 1);
			put(e, " OR ");
			put_expression(e, depth + 1);
			put(e, ")");
			break;
		case 15:
		case 16:
		case 17:
			e->has_and = true;
			put(e, "(");
			put_expression(e, depth + 1);
			put(e, " AND ");
			put_expression(e, depth + 1);
			put(e, ")");
			break;
		case 18:
		case 19:
			put(e, "NOT (");
			put_expression(e, depth + 1);
			put(e, ")");
			break;
		case 20:
			put_column(e);
			put(e, " IS NULL");
			break;
		case 21:
			put_column(e);
			put(e, " IS NOT NULL");
			break;
		case 22:
			put(e, "(");
			put_expression(e, depth + 1);
			put(e, byte / 32 % 2 ? ") IS NOT FALSE" : ") IS TRUE");
			break;
		case 23:
			{
				static const char *const operators[] = {"<>", "<", ">=", "~~", "OPERATOR(public.=)", "OPERATOR(pg_catalog.=)", "IS DISTINCT FROM", "IS NOT DISTINCT FROM"};

				put_column(e);
				appendStringInfo(&e->out, " %s ", operators[byte / 32 % lengthof(operators)]);
				put_constant(e);
				break;
			}
		case 24:
			put_column(e);
			put(e, " NOT IN (");
			put_list(e);
			put(e, ")");
			break;
		case 25:
			put_column(e);
			put(e, byte / 32 % 2 ? " = ALL (" : " <> ANY (");
			put_array(e);
			put(e, ")");
			break;
		case 26:
			appendStringInfo(&e->out, "CASE WHEN other = 'a' THEN ");
			put_expression(e, depth + 1);
			put(e, " ELSE ");
			put_expression(e, depth + 1);
			put(e, " END");
			break;
		case 27:
			put(e, byte / 32 % 2 ? "true" : "NULL::boolean");
			e->has_null = true;
			break;
		case 28:
			appendStringInfo(&e->out, "(%s, other) = (", e->column);
			put_constant(e);
			put(e, ", 'a')");
			e->has_and = true;
			break;
		case 29:
			put(e, "other = 'a'");
			break;
		case 30:
			put_column(e);
			put(e, " BETWEEN ");
			put_constant(e);
			put(e, " AND ");
			put_constant(e);
			e->has_and = true;
			break;
		default:
			put_constant(e);
			put(e, " = ");
			put_constant(e);
	}
}

/* VALUE of a domain over the column's type, as typecmds.c has it. */
static Node *
domain_value(ParseState *pstate, ColumnRef *reference)
{
	if (list_length(reference->fields) == 1 && strcmp(strVal(linitial(reference->fields)), "value") == 0)
	{
		CoerceToDomainValue *value = copyObject((CoerceToDomainValue *) pstate->p_ref_hook_state);

		value->location = reference->location;
		return (Node *) value;
	}
	return NULL;
}

/* As cookConstraint and domainAddConstraint do. */
static Node *
analyse(const char *text, int column, bool of_domain)
{
	List	   *statements = raw_parser(psprintf("SELECT (%s\n)", text), RAW_PARSE_DEFAULT);
	ParseState *pstate = make_parsestate(NULL);
	SelectStmt *select;
	Node	   *node;

	if (list_length(statements) != 1)
		return NULL;
	select = (SelectStmt *) ((RawStmt *) linitial(statements))->stmt;
	if (!IsA(select, SelectStmt) || list_length(select->targetList) != 1 || select->fromClause != NIL)
		return NULL;
	if (of_domain)
	{
		CoerceToDomainValue *value = makeNode(CoerceToDomainValue);

		value->typeId = pool[column].type;
		value->typeMod = pool[column].typmod;
		value->collation = get_typcollation(value->typeId);
		pstate->p_ref_hook_state = value;
		pstate->p_pre_columnref_hook = domain_value;
	}
	else
		addNSItemToQuery(pstate, addRangeTableEntryForRelation(pstate, table, AccessShareLock, NULL, false, true), true, true, true);
	node = transformExpr(pstate, ((ResTarget *) linitial(select->targetList))->val,
						 of_domain ? EXPR_KIND_DOMAIN_CHECK : EXPR_KIND_CHECK_CONSTRAINT);
	node = coerce_to_boolean(pstate, node, "CHECK");
	assign_expr_collations(pstate, node);
	return stringToNode(nodeToString(node));
}

/* ---- its meaning ---- */

typedef struct trial
{
	ExprState  *state;
	ExprContext *context;
	int			column;
	bool		of_domain;
	bool		other_is_null;
} trial;

static Datum
evaluate(trial *t, Datum value, bool *isnull)
{
	int			natts = RelationGetDescr(table)->natts;

	ExecClearTuple(slot);
	for (int i = 0; i < natts; i++)
		slot->tts_isnull[i] = true;
	if (!t->other_is_null)
	{
		slot->tts_values[natts - 1] = CStringGetTextDatum("a");
		slot->tts_isnull[natts - 1] = false;
	}
	slot->tts_values[t->column] = value;
	slot->tts_isnull[t->column] = false;
	ExecStoreVirtualTuple(slot);
	t->context->ecxt_scantuple = slot;
	t->context->domainValue_datum = value;
	t->context->domainValue_isNull = false;
	return ExecEvalExpr(t->state, t->context, isnull);
}

static bool
among(char **labels, int n, const char *text)
{
	for (int i = 0; i < n; i++)
		if (strcmp(labels[i], text) == 0)
			return true;
	return false;
}

static void
try_value(trial *t, char **labels, int n, Datum value, const char *canonical, bool has_null, bool has_and)
{
	bool		isnull;
	bool		result = DatumGetBool(evaluate(t, value, &isnull));

	if (among(labels, n, canonical))
	{
		if (!has_and && !has_null && (isnull || !result))
			fuzz_finding("level '%s' is refused by the constraint", canonical);
	}
	else if (isnull ? !has_null : result)
		fuzz_finding("'%s' is no level, but allowed by the constraint", canonical);
}

static void
check_meaning(Node *node, List *levels, expression *e, int column, bool of_domain, bool other_is_null)
{
	EState	   *estate = CreateExecutorState();
	trial		t = {.column = column, .of_domain = of_domain, .other_is_null = other_is_null};
	char	   *labels[MAX_LEVELS];
	int			n = 0;
	ListCell   *cell;

	if (list_length(levels) > MAX_LEVELS)
		return;
	/* load_list of domain.c: one that is not of the type, and the column has no domain */
	foreach(cell, levels)
	{
		labels[n] = pegs_try_canonical(pool[column].type, pool[column].typmod, (char *) lfirst(cell));
		if (labels[n++] == NULL)
			return;
	}
	fuzz_reached();
	t.context = GetPerTupleExprContext(estate);
	t.state = ExecPrepareExpr((Expr *) node, estate);
	for (int i = 0; i < pool[column].n; i++)
		try_value(&t, labels, n, pool[column].sample[i].value, pool[column].sample[i].canonical, e->has_null, e->has_and);
	for (int i = 0; i < n; i++)
	{
		Oid			function;
		Oid			param;

		getTypeInputInfo(pool[column].type, &function, &param);
		try_value(&t, labels, n, OidInputFunctionCall(function, labels[i], param, pool[column].typmod), labels[i],
				  e->has_null, e->has_and);
	}
	FreeExecutorState(estate);
}

static expression at_hand;

static void
describe(void)
{
	fprintf(stderr, "column %s, CHECK (%s)\n", at_hand.column, at_hand.out.data);
}

static void
one(input *in)
{
	uint8_t		how = take_byte(in);
	int			column = take_byte(in) % (RelationGetDescr(table)->natts - 1);
	expression	e = {.in = in, .column = how % 4 == 1 ? "value" : NameStr(TupleDescAttr(RelationGetDescr(table), column)->attname)};
	bool		of_domain = how % 4 == 1;
	bool		raw = how % 16 == 3;
	List	   *levels = NIL;
	Node	   *node;

	initStringInfo(&e.out);
	if (raw)
		appendStringInfoString(&e.out, fuzz_text(in));
	else
		put_expression(&e, 0);
	at_hand = e;
	node = analyse(e.out.data, column, of_domain);
	if (node == NULL || !add_levels(node, of_domain ? 0 : column + 1, &levels) || levels == NIL || raw)
		return;
	check_meaning(node, levels, &e, column, of_domain, how & 0x80);
}

const target check_target = {"check", start, one, describe};
