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

/* What is declared of the number of rows; as the extension's owner. NULLs: nothing. */
static void
read_classes(Oid child, Datum *children, bool *no_children, Datum *at_most, bool *no_at_most)
{
	PegsArg		arg = {OIDOID, ObjectIdGetDatum(child), false};
	MemoryContext context = CurrentMemoryContext;
	PegsAs		saved;

	*no_children = *no_at_most = true;
	pegs_begin_as_extension(&saved);
	pegs_spi_now("SELECT children, at_most FROM pegs_internal.parent WHERE source = $1", SPI_OK_SELECT, 1, &arg);
	if (SPI_processed == 1)
	{
		MemoryContext old;

		*children = SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, no_children);
		*at_most = SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 2, no_at_most);
		old = MemoryContextSwitchTo(context);
		if (!*no_children)
			*children = PointerGetDatum(DatumGetArrayTypePCopy(*children));
		MemoryContextSwitchTo(old);
	}
	pegs_end_as(&saved);
}

int *
pegs_read_classes(Oid child, int *n, int *at_most)
{
	Datum		children = 0;
	Datum		most = 0;
	bool		no_children;
	bool		no_most;
	Datum	   *values;
	int		   *numbers;

	read_classes(child, &children, &no_children, &most, &no_most);
	*n = 0;
	*at_most = no_most ? 0 : DatumGetInt32(most);
	if (no_children)
		return NULL;
	deconstruct_array(DatumGetArrayTypeP(children), INT4OID, sizeof(int32), true, TYPALIGN_INT, &values, NULL, n);
	numbers = palloc(sizeof(int) * (*n + 1));
	for (int i = 0; i < *n; i++)
		numbers[i] = DatumGetInt32(values[i]);
	return numbers;
}

/* Where a table refers to others that are neither bound with it nor public: whose rows they are is not said of all of it. */
static char *
other_references(Oid table, const PegsForeignKey *own, Oid root)
{
	ListCell   *cell;

	foreach(cell, pegs_foreign_keys(table))
	{
		const PegsForeignKey *key = lfirst(cell);

		if (key->parent == table)
			return psprintf("it refers to itself: column \"%s\" is left out", get_attname(table, key->attnum[0], false));
		if ((own == NULL || strcmp(key->name, own->name) != 0) && pegs_payer(key->parent) == root)
			return psprintf("it refers to \"%s\", too: that row is not protected in its rows", get_rel_name(key->parent));
	}
	return NULL;
}

/* A table that is bound to it, but not by the catalog any more; or NULL. */
static char *
problem_of(const PegsBound *bound, Oid root, char **remedy)
{
	Oid			table = bound->child;
	List	   *keys;
	const PegsForeignKey *key;
	const PegsForeignKey *other;
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
		*remedy = psprintf("ALTER TABLE %s ADD FOREIGN KEY (%s) REFERENCES %s NOT VALID;",
						   pegs_relation_words(table),
						   pegs_key_columns(table, bound->n, bound->attnum),
						   pegs_relation_words(bound->parent));
		return pstrdup("its foreign key is gone");
	}
	other = pegs_key_beside(keys, key);
	if (other)
	{
		*remedy = psprintf("ALTER TABLE %s DROP CONSTRAINT %s;", pegs_relation_words(table), quote_identifier(other->name));
		return psprintf("two foreign keys, \"%s\" and \"%s\", have the same columns: by one a row belongs to another row than by the other", key->name, other->name);
	}
	return other_references(table, key, root);
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
		read_classes(table, &values[4], &nulls[4], &values[5], &nulls[5]);
		problem = problem_of(&bound, root, &remedy);
	}
	else if (depth == 0)
		problem = other_references(table, NULL, root);
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
