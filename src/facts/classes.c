/*
 * classes.c
 *	  The classes of how many rows of a table hang on one row of its parent, as
 *	  they are declared.
 *
 * Public facts, never read off the rows: law L1.
 */
#include "facts/facts.h"
#include "budget/bound.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "lib/stringinfo.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

/* What is declared of the number of rows; as the extension's owner. NULLs: nothing. */
void
pegs_declared_classes(Oid child, Datum *children, bool *no_children, Datum *at_most, bool *no_at_most)
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

	pegs_declared_classes(child, &children, &no_children, &most, &no_most);
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

/* ---- as arguments of pegs_set_parent ---- */

/* ", children => '{0, 1, 2}', at_most => 9", as arguments; what is not known is three dots, which no statement takes. */
char *
pegs_classes_words(const int *children, int n, int at_most)
{
	StringInfoData words;

	initStringInfo(&words);
	appendStringInfoString(&words, ", children => '{");
	for (int i = 0; i < n; i++)
		appendStringInfo(&words, "%s%d", i > 0 ? ", " : "", children[i]);
	appendStringInfo(&words, n > 0 ? "}', at_most => " : "0, 1, 2, ...}', at_most => ");
	appendStringInfo(&words, at_most > 0 ? "%d" : "'...'", at_most);
	return words.data;
}

/* As a further argument: by which key, where there are several to that parent. */
char *
pegs_which_key(Oid child, const PegsForeignKey *key)
{
	ListCell   *cell;
	int			keys = 0;

	foreach(cell, pegs_foreign_keys(child))
		keys += ((PegsForeignKey *) lfirst(cell))->parent == key->parent;
	return keys > 1 ? psprintf(", %s", pegs_key_literal(child, key->n, key->attnum)) : pstrdup("");
}

/* The statement that declares the number of rows, for a person to fill in; n 0: all of it. */
char *
pegs_classes_statement(Oid child, const PegsForeignKey *key, const int *children, int n, int at_most)
{
	return psprintf("SELECT pegs_set_parent(%s, %s%s%s);", pegs_relation_literal(child), pegs_relation_literal(key->parent), pegs_which_key(child, key),
					pegs_classes_words(children, n, at_most));
}

/* ", children => ..." as they are declared */
char *
pegs_classes_argument(Oid table)
{
	int			n;
	int			most;
	int		   *children = pegs_read_classes(table, &n, &most);
	StringInfoData text;

	initStringInfo(&text);
	for (int i = 0; i < n; i++)
		appendStringInfo(&text, "%s%d", i == 0 ? ", children => '{" : ", ", children[i]);
	if (n > 0)
		appendStringInfoString(&text, "}'");
	if (most > 0)
		appendStringInfo(&text, ", at_most => %d", most);
	return text.data;
}

/* The number of rows, in classes, is not in the catalog: a person fills it in. */
char *
pegs_parent_proposal(Oid child, const PegsForeignKey *key)
{
	const char *name = get_rel_name(child);
	const char *parent = get_rel_name(key->parent);

	if (pegs_is_curator(child) && !pegs_may_be_bound(child))
		return pegs_comment("rows of \"%s\" stay by themselves: it has spent on an account of its own, and is bound to no other", name);
	return pegs_comment("if rows of \"%s\" belong to rows of \"%s\": SELECT pegs_set_parent(%s, %s, %s%s);%s", name, parent,
					pegs_relation_literal(child), pegs_relation_literal(key->parent),
					pegs_key_literal(child, key->n, key->attnum),
					key->unique ? "" : pegs_classes_words(NULL, 0, 0),
					key->unique ? "" : psprintf("  %s", pegs_comment("children: where classes of how many rows of \"%s\" a row of \"%s\" has begin; at_most: the end of the last, none gets more", name, parent)));
}
