/*
 * publish_checks.c
 *	  What is told of a copy of related tables before its statements run: what
 *	  it is without, CHECKs that no made key passes, and a transaction that they
 *	  would end.
 *
 * A key is a running number in a copy, and its CHECK may ask for letters. Tried
 * by built-in immutable functions alone (facts/constants.c): CHECKs are
 * somebody's code. Nothing is refused here: a person leaves a statement out.
 * Law L10.
 */
#include "models/publish.h"
#include "codes/allowed.h"
#include "facts/facts.h"

#include "access/htup_details.h"
#include "access/xact.h"
#include "catalog/pg_type.h"
#include "lib/stringinfo.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

/* The one column that an expression reads; NULL: it reads others, or none. */
static Form_pg_attribute
only_column(Relation rel, Node *expression)
{
	List	   *vars = pull_var_clause(expression, 0);
	AttrNumber	attnum = InvalidAttrNumber;
	ListCell   *cell;

	foreach(cell, vars)
	{
		const Var  *var = lfirst(cell);

		if (var->varattno < 1 || (attnum != InvalidAttrNumber && var->varattno != attnum))
			return NULL;
		attnum = var->varattno;
	}
	return attnum == InvalidAttrNumber ? NULL : TupleDescAttr(RelationGetDescr(rel), attnum - 1);
}

static Node *
with_value(Node *node, void *value)
{
	if (node == NULL)
		return NULL;
	if (IsA(node, Var))
		return (Node *) copyObject((Const *) value);
	return expression_tree_mutator(node, with_value, value);
}

/* Is it false of this number? Unknown is not. */
static bool
is_false_of(Node *expression, Form_pg_attribute att, int64 place)
{
	int16		length;
	bool		by_value;
	Const	   *value;
	Const	   *result;

	if (get_typtype(att->atttypid) == TYPTYPE_DOMAIN || !pegs_takes_numbers(att, place))
		return false;			/* a domain is somebody's code, and is asked elsewhere */
	get_typlenbyval(att->atttypid, &length, &by_value);
	value = makeConst(att->atttypid, att->atttypmod, att->attcollation, length, pegs_running_value(pegs_running(att, place), place), false, by_value);
	result = pegs_constant_of(with_value(expression, value));
	return result && result->consttype == BOOLOID && !result->constisnull && !DatumGetBool(result->constvalue);
}

/* What its statement begins with: another table may have a constraint of this name. */
char *
pegs_check_of_copy(const char *copy, const char *name)
{
	return psprintf("ALTER TABLE %s ADD CONSTRAINT %s ", copy, quote_identifier(name));
}

void
pegs_note_refusing(const char *copy, const PegsMember *member, Relation rel, PegsRefusing *refusing)
{
	const TupleConstr *constr = RelationGetDescr(rel)->constr;

	for (int i = 0; constr && i < constr->num_check; i++)
	{
		Node	   *expression = stringToNode(constr->check[i].ccbin);
		Form_pg_attribute att = only_column(rel, expression);
		const char *name = constr->check[i].ccname;
		const char *statement = pegs_check_of_copy(copy, name);

		if (att == NULL || pegs_made_key(member, NameStr(att->attname)) < 0 || pegs_code_of_others(expression, pegs_is_others(rel->rd_rel->relowner)) || !is_false_of(expression, att, 1))
			continue;
		if (refusing->names.data == NULL)
		{
			initStringInfo(&refusing->names);
			initStringInfo(&refusing->filter);
		}
		appendStringInfo(&refusing->names, "%s\"%s\" of %s", refusing->names.len > 0 ? ", " : "", name, member->name);
		appendStringInfo(&refusing->filter, "%sstrpos(s, %s) <> 1", refusing->filter.len > 0 ? " AND " : "", quote_literal_cstr(statement));
	}
}

void
pegs_say_before_copy(const PegsPublished *what, const char *schema, const PegsRefusing *refusing)
{
	if (refusing->names.data)
		ereport(NOTICE,
				(errmsg("CHECK constraints refuse the running numbers that keys are in a copy: %s", refusing->names.data),
				 errdetail("With them the copy is undone as a whole."),
				 errhint("Leave their statements out: SELECT s FROM pegs_copy_sql(%s, %s) AS s WHERE %s \\gexec", quote_literal_cstr(what->name),
						 quote_literal_cstr(schema), refusing->filter.data)));
	if (IsTransactionBlock())
		ereport(NOTICE,
				(errmsg("the last of these statements is COMMIT: run here, they end this transaction, with all that was done in it before"),
				 errhint("ROLLBACK or COMMIT before. Or, if it is REPEATABLE READ or nobody fits the model anew meanwhile, leave the first and the last one out: SELECT s FROM pegs_copy_sql(%s, %s) AS s WHERE s NOT IN ('" PEGS_COPY_BEGINS "', 'COMMIT;') \\gexec",
						 quote_literal_cstr(what->name), quote_literal_cstr(schema))));
}
