/*
 * let_be_null.c
 *	  The statement after which a column may be NULL, which a remedy prints.
 *
 * A domain that refuses NULL goes for good: the column becomes of the type below
 * it that takes NULL. Its CHECKs stay as those of the column, with NULL let
 * through. Whoever pastes the statement runs them, and the domain may be
 * somebody else's: so those of built-in immutable functions alone, and a comment
 * names the others. By the catalog alone: laws L1, L9.
 */
#include "facts/facts.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_constraint.h"
#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/ruleutils.h"
#include "utils/syscache.h"

typedef struct Freed
{
	Oid			table;
	FormData_pg_attribute att;
	Oid			type;			/* which it is of then */
	int32		typmod;
	StringInfoData kept;		/* ", ADD CHECK ..." */
	StringInfoData lost;		/* "; CHECK "a" of d goes: why" */
	int			nkept;
	int			nlost;
} Freed;

/* ---- what is below a domain ---- */

static Form_pg_type
domain_of(Oid type, HeapTuple *tuple)
{
	*tuple = SearchSysCache1(TYPEOID, ObjectIdGetDatum(type));
	if (!HeapTupleIsValid(*tuple))
		elog(ERROR, "cache lookup failed for type %u", type);
	return (Form_pg_type) GETSTRUCT(*tuple);
}

/* What it is of without the outermost domain. */
static Oid
below(Oid type)
{
	HeapTuple	tuple;
	Oid			base = domain_of(type, &tuple)->typbasetype;

	ReleaseSysCache(tuple);
	return base;
}

static bool
refuses_null(Oid type)
{
	FormData_pg_attribute att = {.atttypid = type};

	return pegs_is_not_null(&att);
}

/* ---- its CHECKs ---- */

/* VALUE is that. */
static Node *
with_value(Node *node, void *value)
{
	if (node == NULL)
		return NULL;
	if (IsA(node, CoerceToDomainValue))
		return copyObject((Node *) value);
	return expression_tree_mutator(node, with_value, value);
}

/* Is it known that NULL passes, as it stands? Asked of built-in functions alone. */
static bool
lets_null_pass(Node *check, const Freed *freed)
{
	Const	   *answer = pegs_constant_of(with_value(check, makeNullConst(freed->type, freed->typmod, freed->att.attcollation)));

	return answer && answer->consttype == BOOLOID && (answer->constisnull || DatumGetBool(answer->constvalue));
}

static void
add_check(Freed *freed, Form_pg_constraint form, Node *check, const char *domain)
{
	Var		   *column = makeVar(1, freed->att.attnum, freed->type, freed->typmod, freed->att.attcollation, 0);
	const char *problem = NULL;
	char	   *words;

	if (IsA(check, NullTest) && ((NullTest *) check)->nulltesttype == IS_NOT_NULL && IsA(((NullTest *) check)->arg, CoerceToDomainValue))
		return;					/* that is what is to go */
	(void) pegs_expression_problem(check, &problem);
	if (problem == NULL)
		problem = pegs_mutable_problem(check);
	if (problem == NULL)
		problem = pegs_code_of_others(check, false);
	if (problem)
	{
		appendStringInfo(&freed->lost, "; CHECK \"%s\" of %s goes: it has %s", NameStr(form->conname), domain, problem);
		freed->nlost++;
		return;
	}
	words = deparse_expression(with_value(check, column), deparse_context_for(get_rel_name(freed->table), freed->table), false, false);
	if (!lets_null_pass(check, freed))
		words = psprintf("%s IS NULL OR %s", quote_identifier(NameStr(freed->att.attname)), words);
	appendStringInfo(&freed->kept, ", ADD CHECK (%s)%s", words, form->convalidated ? "" : " NOT VALID");
	freed->nkept++;
}

static void
add_checks(Freed *freed, Oid domain)
{
	Relation	constraints = table_open(ConstraintRelationId, AccessShareLock);
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple	tuple;

	ScanKeyInit(&key, Anum_pg_constraint_contypid, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(domain));
	scan = systable_beginscan(constraints, ConstraintTypidIndexId, true, NULL, 1, &key);
	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		Form_pg_constraint form = (Form_pg_constraint) GETSTRUCT(tuple);
		bool		isnull;
		Datum		bin = heap_getattr(tuple, Anum_pg_constraint_conbin, RelationGetDescr(constraints), &isnull);

		if (form->contype == CONSTRAINT_CHECK && !isnull)
			add_check(freed, form, stringToNode(TextDatumGetCString(bin)), format_type_be(domain));
	}
	systable_endscan(scan);
	table_close(constraints, AccessShareLock);
}

/* ---- the statement ---- */

static char *
type_words(const Freed *freed)
{
	return psprintf("%s%s", pegs_type_words(freed->type, freed->typmod), pegs_collate_words(freed->att.attcollation, freed->type));
}

/* A domain of another role has CHECKs that would run for each row, as whoever pastes; a type of his may be a domain by then. */
static bool
is_of_others(Oid type)
{
	return get_typtype(type) == TYPTYPE_DOMAIN && pegs_type_named_of_others(type) != NULL;
}

/* Of a column whose domain refuses NULL. */
static char *
without_domain(Freed *freed, const char *column)
{
	Oid			domain = freed->att.atttypid;
	int			level = pegs_pin_search_path();	/* whoever runs it has one of his own */
	const char *whose;
	char	   *statement;

	initStringInfo(&freed->kept);
	initStringInfo(&freed->lost);
	freed->type = domain;
	while (refuses_null(freed->type) || is_of_others(freed->type))
		freed->type = below(freed->type);
	freed->typmod = freed->att.atttypmod;
	if (get_typtype(freed->type) != TYPTYPE_DOMAIN)
		(void) getBaseTypeAndTypmod(domain, &freed->typmod);
	for (Oid type = domain; type != freed->type; type = below(type))
		add_checks(freed, type);
	if (!freed->att.atthasdef && get_typdefault(domain) && get_typdefault(freed->type) == NULL)
		appendStringInfo(&freed->lost, "; its DEFAULT goes");
	statement = psprintf("ALTER TABLE %s %sALTER COLUMN %s TYPE %s%s;  %s", pegs_relation_words(freed->table),
						 freed->att.attnotnull ? psprintf("ALTER COLUMN %s DROP NOT NULL, ", column) : "", column, type_words(freed), freed->kept.data,
						 pegs_comment("for good: the column is no more of domain %s%s%s", pegs_type_words(domain, -1), freed->nkept == 0 ? "" : freed->nlost == 0 ? ", whose CHECKs stay" : ", whose other CHECKs stay",
									  freed->lost.data));
	whose = pegs_type_named_of_others(freed->type);
	if (whose)
		statement = pegs_comment("it may run code of %s, as whoever runs it: %s", whose, statement);
	AtEOXact_GUC(true, level);
	return statement;
}

/* The statement after which it may be NULL; of a domain that refuses that a comment ends it (pegs_behind). */
char *
pegs_let_be_null(Oid table, AttrNumber attnum)
{
	const char *column = pstrdup(quote_identifier(get_attname(table, attnum, false)));
	HeapTuple	tuple = SearchSysCache2(ATTNUM, ObjectIdGetDatum(table), Int16GetDatum(attnum));
	Freed		freed = {.table = table};

	memcpy(&freed.att, GETSTRUCT(tuple), ATTRIBUTE_FIXED_PART_SIZE);
	ReleaseSysCache(tuple);
	if (refuses_null(freed.att.atttypid))
		return without_domain(&freed, column);
	return psprintf("ALTER TABLE %s ALTER COLUMN %s DROP NOT NULL;", pegs_relation_words(table), column);
}
