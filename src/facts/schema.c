/*
 * schema.c
 *	  pegs_schema: the tables that are bound to one root, and what is missing.
 *
 * By declarations and the catalog alone (law L1).
 */
#include "facts/facts.h"
#include "budget/bound.h"
#include "budget/budget.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "funcapi.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/tuplestore.h"

/* Of references in its own key, and of others. */
static char *
reference_problem(Oid table, Oid root, char **remedy)
{
	char	   *problem = pegs_link_problem(table, root, remedy);

	return problem ? problem : pegs_reference_problem(table, root, remedy);
}

/* What the number of its rows lacks, and what else a fit would say; each with its remedy. NULL: neither. */
static char *
both_problems(const PegsBound *bound, const PegsForeignKey *key, Oid root, char **remedy)
{
	int			n;
	int			at_most;
	int		   *children = pegs_read_classes(bound->child, &n, &at_most);
	char	   *of_number = NULL;
	char	   *number = pegs_classes_missing(bound->child, key, children, n, at_most, &of_number);
	char	   *reference = reference_problem(bound->child, root, remedy);

	if (number == NULL)
		return reference;
	*remedy = *remedy ? psprintf("%s %s", of_number, *remedy) : of_number;
	return reference ? psprintf("%s; %s", number, reference) : number;
}

/* A table that is bound to it, but not by the catalog any more, or not by enough to be fitted; or NULL. */
static char *
problem_of(const PegsBound *bound, Oid root, char **remedy)
{
	Oid			table = bound->child;
	List	   *keys;
	const PegsForeignKey *key;
	const PegsForeignKey *other;
	AttrNumber	otherwise;
	Oid			owner;

	if (pegs_is_dead(table, &owner))
		return pstrdup("it was dropped");
	for (int i = 0; i < bound->n; i++)
		if (bound->attnum[i] == InvalidAttrNumber)
		{
			*remedy = psprintf("SELECT pegs_set_parent(%s, %s);", pegs_relation_literal(table), pegs_relation_literal(bound->parent));
			return psprintf("the column \"%s\" of its foreign key is gone", bound->column[i]);
		}
	keys = pegs_foreign_keys(table);
	key = pegs_key_with(keys, bound->parent, bound->n, bound->attnum);
	if (key == NULL)
	{
		List	   *names = NIL;

		for (int i = 0; i < bound->n; i++)
			names = lappend(names, get_attname(table, bound->attnum[i], false));
		*remedy = psprintf("ALTER TABLE %s ADD FOREIGN KEY (%s) REFERENCES %s NOT VALID;",
						   pegs_relation_words(table),
						   pegs_key_columns(table, bound->n, bound->attnum),
						   pegs_referred_words(bound->parent, names));
		return pstrdup("its foreign key is gone");
	}
	other = pegs_key_beside(keys, key);
	if (other)
	{
		*remedy = psprintf("ALTER TABLE %s DROP CONSTRAINT %s;", pegs_relation_words(table), quote_identifier(other->name));
		return psprintf("two foreign keys, \"%s\" and \"%s\", have the same columns: by one a row belongs to another row than by the other", key->name, other->name);
	}
	otherwise = pegs_told_apart_otherwise(table, key);
	if (otherwise != InvalidAttrNumber)
	{
		*remedy = pegs_tell_apart_alike(table, key, otherwise);
		return psprintf("its column \"%s\" tells values apart in another way than \"%s\" does", get_attname(table, otherwise, false), get_rel_name(key->parent));
	}
	return both_problems(bound, key, root, remedy);
}

static void
put_table(ReturnSetInfo *result, Oid table, int depth, Oid root)
{
	Datum		values[8] = {0};
	bool		nulls[8] = {false};
	PegsBound	bound;
	char	   *problem = NULL;
	char	   *remedy = NULL;

	values[0] = ObjectIdGetDatum(table);
	values[1] = Int32GetDatum(depth);
	nulls[2] = nulls[3] = nulls[4] = nulls[5] = true;
	if (depth > 0 && pegs_read_bound(table, &bound) && bound.is)
	{
		Datum		names[INDEX_MAX_KEYS];

		for (int i = 0; i < bound.n; i++)
		{
			Name		name = palloc0(NAMEDATALEN);

			namestrcpy(name, bound.attnum[i] > 0 ? get_attname(table, bound.attnum[i], false) : bound.column[i]);
			names[i] = NameGetDatum(name);
		}
		values[2] = ObjectIdGetDatum(bound.parent);
		nulls[2] = false;
		values[3] = PointerGetDatum(construct_array(names, bound.n, NAMEOID, NAMEDATALEN, false, TYPALIGN_CHAR));
		nulls[3] = false;
		pegs_declared_classes(table, &values[4], &nulls[4], &values[5], &nulls[5]);
		problem = problem_of(&bound, root, &remedy);
	}
	else if (depth == 0 && pegs_is_bound(table))
	{
		problem = pstrdup("a table that it was bound to, or one above that, was dropped: what was spent on its rows is not known any more");
		remedy = pstrdup(PEGS_ROOT_IS_GONE);
	}
	else if (depth == 0)
		problem = reference_problem(table, root, &remedy);
	nulls[6] = problem == NULL;
	values[6] = problem ? CStringGetTextDatum(problem) : 0;
	nulls[7] = remedy == NULL;
	values[7] = remedy ? CStringGetTextDatum(remedy) : 0;
	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}

/* Children one below the other, each with what is bound to it. */
static void
put_below(ReturnSetInfo *result, Oid table, int depth, Oid root)
{
	ListCell   *cell;

	check_stack_depth();
	CHECK_FOR_INTERRUPTS();
	put_table(result, table, depth, root);
	if (depth < PEGS_MAX_GENERATIONS)
		foreach(cell, pegs_children_of(table))
			put_below(result, lfirst_oid(cell), depth + 1, root);
}

/*
 * pegs_schema(root regclass) → (source regclass, depth int, parent regclass, columns name[], children int[], at_most int, problem text, remedy text)
 *
 * Of any table of it: the root and all that is bound to it.
 */
PG_FUNCTION_INFO_V1(pegs_schema);
Datum
pegs_schema(PG_FUNCTION_ARGS)
{
	PegsSource *source = pegs_curated_source(pegs_arg_oid(fcinfo, 0, "root"), "see what is bound to it");
	Oid			root = pegs_payer(source->account);
	ReturnSetInfo *result;

	if (!OidIsValid(root))
		root = source->account;
	pegs_require_curator(root, "see what is bound to it");
	result = pegs_materialize(fcinfo, false);
	put_below(result, root, 0, root);
	return (Datum) 0;
}
