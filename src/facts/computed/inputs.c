/*
 * inputs.c
 *	  What a declared column is computed from: columns by their numbers, whatever they are called now.
 *
 * A declaration keeps the names that stand in it and the numbers of these
 * columns. One that was renamed since is still the one that was meant, and what
 * has its name now is not; one that was dropped is a problem. A restored dump
 * has other numbers, and is known by names alone. Law L1.
 */
#include "facts/facts.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "nodes/nodeFuncs.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"

/* ---- names in the text of an expression ---- */

bool
pegs_has_name(List *names, const char *name)
{
	ListCell   *cell;

	foreach(cell, names)
		if (strcmp(lfirst(cell), name) == 0)
			return true;
	return false;
}

typedef struct Place
{
	int			at;				/* byte of the text */
	char	   *name;
} Place;

static bool
collect_places(Node *node, void *context)
{
	List	  **places = context;
	Place	   *place;

	if (node == NULL)
		return false;
	if (!IsA(node, ColumnRef) || list_length(((ColumnRef *) node)->fields) != 1 || !IsA(linitial(((ColumnRef *) node)->fields), String))
		return raw_expression_tree_walker(node, collect_places, context);
	place = palloc(sizeof(Place));
	*place = (Place) {((ColumnRef *) node)->location, strVal(linitial(((ColumnRef *) node)->fields))};
	*places = lappend(*places, place);
	return false;
}

/* Names of the columns that it reads, each once. */
List *
pegs_expression_columns(const char *column, const char *text)
{
	List	   *places = NIL;
	List	   *names = NIL;
	int			level = pegs_pin_expression();
	ListCell   *cell;

	(void) collect_places(pegs_raw_expression(column, text), &places);
	foreach(cell, places)
		if (!pegs_has_name(names, ((Place *) lfirst(cell))->name))
			names = lappend(names, ((Place *) lfirst(cell))->name);
	AtEOXact_GUC(false, level);
	return names;
}

static int
by_place(const ListCell *a, const ListCell *b)
{
	return ((Place *) lfirst(a))->at - ((Place *) lfirst(b))->at;
}

/* Of a name, as canonical text has it. */
static int
bytes_of_name(const char *text)
{
	int			n = 1;

	if (*text != '"')
		return (int) strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$");
	while (text[n] != '"' || text[n + 1] == '"')
		n += text[n] == '"' ? 2 : 1;
	return n + 1;
}

/* The same expression of columns that are called otherwise. */
static char *
with_names(const char *column, const char *text, char *const *names, char *const *now, int n)
{
	List	   *places = NIL;
	int			level = pegs_pin_expression();
	StringInfoData out;
	int			from = 0;
	ListCell   *cell;

	initStringInfo(&out);
	(void) collect_places(pegs_raw_expression(column, text), &places);
	list_sort(places, by_place);
	foreach(cell, places)
	{
		const Place *place = lfirst(cell);

		for (int i = 0; i < n; i++)
			if (strcmp(names[i], place->name) == 0)
			{
				appendBinaryStringInfo(&out, text + from, place->at - from);
				appendStringInfoString(&out, quote_identifier(now[i]));
				from = place->at + bytes_of_name(text + place->at);
				break;
			}
	}
	appendStringInfoString(&out, text + from);
	AtEOXact_GUC(false, level);
	return out.data;
}

/* ---- of a declaration ---- */

static void
rename_inputs(PegsColumn *column, char *const *names, char *const *now, int n)
{
	bool		same = true;

	for (int i = 0; i < n; i++)
		same &= strcmp(names[i], now[i]) == 0;
	if (same)
		return;
	if (column->derived)
		column->derived = with_names(column->name, column->derived, names, now, n);
	else
		column->earlier = now[0];
}

static void
cannot(PegsColumn *column, char *problem)
{
	if (column->earlier)
	{
		column->nedges = 0;		/* of the difference */
		column->origin = NULL;
	}
	column->derived = column->earlier = NULL;
	column->problem = problem;
}

static List *
names_of(const PegsColumn *column)
{
	return column->derived ? pegs_expression_columns(column->name, column->derived) : column->earlier ? list_make1(column->earlier) : NIL;
}

/* Two arguments of a statement that keeps it: numbers and names. */
void
pegs_inputs_arguments(const PegsSource *source, const PegsColumn *column, PegsArg *args)
{
	List	   *names = names_of(column);
	Datum	   *numbers = palloc(sizeof(Datum) * (list_length(names) + 1));
	Datum	   *texts = palloc(sizeof(Datum) * (list_length(names) + 1));
	int			n = 0;
	ListCell   *cell;

	foreach(cell, names)
	{
		numbers[n] = Int16GetDatum(get_attnum(source->relid, lfirst(cell)));
		texts[n++] = CStringGetTextDatum(lfirst(cell));
	}
	args[0] = (PegsArg) {INT2ARRAYOID, PointerGetDatum(construct_array(numbers, n, INT2OID, sizeof(int16), true, TYPALIGN_SHORT)), names == NIL};
	args[1] = (PegsArg) {TEXTARRAYOID, PointerGetDatum(construct_array(texts, n, TEXTOID, -1, false, TYPALIGN_INT)), names == NIL};
}

/* Of a row with PEGS_INPUTS from column `first` on. */
PegsInputs
pegs_inputs_in(HeapTuple row, TupleDesc desc, int first)
{
	PegsInputs	inputs = {0};
	bool		unknown[2];
	Datum		array[2] = {SPI_getbinval(row, desc, first, &unknown[0]), SPI_getbinval(row, desc, first + 1, &unknown[1])};
	Datum	   *numbers;
	Datum	   *names;
	bool	   *nulls;
	int			n;

	if (unknown[0] || unknown[1])
		return inputs;
	deconstruct_array(DatumGetArrayTypeP(array[0]), INT2OID, sizeof(int16), true, TYPALIGN_SHORT, &numbers, &nulls, &inputs.n);
	deconstruct_array(DatumGetArrayTypeP(array[1]), TEXTOID, -1, false, TYPALIGN_INT, &names, &nulls, &n);
	if (n != inputs.n)
		elog(ERROR, "a declaration does not say what it is computed from");
	inputs.numbers = palloc(sizeof(AttrNumber) * (n + 1));
	inputs.names = palloc(sizeof(char *) * (n + 1));
	for (int i = 0; i < n; i++)
	{
		inputs.numbers[i] = DatumGetInt16(numbers[i]);
		inputs.names[i] = TextDatumGetCString(names[i]);
	}
	return inputs;
}

/* A declaration of a column of `relid`, by the names that its inputs have now. */
void
pegs_inputs_now(PegsColumn *column, Oid relid, const PegsInputs *inputs)
{
	char	  **now = palloc(sizeof(char *) * (inputs->n + 1));

	for (int i = 0; i < inputs->n; i++)
	{
		now[i] = pegs_name_of_column(relid, inputs->numbers[i]);
		if (now[i] == NULL)
		{
			cannot(column, psprintf("it is computed from column \"%s\", which was dropped", inputs->names[i]));
			return;
		}
	}
	rename_inputs(column, inputs->names, now, inputs->n);
}

/* ---- of a view ---- */

static bool
is_read_by(Oid relid, AttrNumber attnum, Oid base, AttrNumber base_attnum)
{
	Oid			below;
	AttrNumber	number;

	return attnum > 0 && pegs_source_column(relid, attnum, &below, &number) && below == base && number == base_attnum;
}

/* What the view calls a column of what it reads; NULL: it has none of it. */
static char *
name_in_view(Oid relid, Oid base, AttrNumber base_attnum)
{
	char	   *name = get_attname(base, base_attnum, false);

	if (is_read_by(relid, get_attnum(relid, name), base, base_attnum))
		return name;
	for (AttrNumber at = 1; (name = get_attname(relid, at, true)) != NULL; at++)
		if (is_read_by(relid, at, base, base_attnum))
			return name;
	return NULL;
}

/* A declaration on what a view reads, by the names that the view has. */
void
pegs_inputs_in_view(PegsColumn *column, Oid relid, Oid base)
{
	List	   *list = names_of(column);
	char	  **names = palloc(sizeof(char *) * (list_length(list) + 1));
	char	  **here = palloc(sizeof(char *) * (list_length(list) + 1));
	int			n = 0;
	ListCell   *cell;

	foreach(cell, list)
	{
		AttrNumber	attnum = get_attnum(base, lfirst(cell));

		names[n] = lfirst(cell);
		here[n] = attnum > 0 ? name_in_view(relid, base, attnum) : NULL;
		if (here[n++] == NULL)
		{
			cannot(column, psprintf("it is computed from column \"%s\" of \"%s\", " PEGS_WHICH_IS_NOT_HERE, (char *) lfirst(cell), get_rel_name(base)));
			return;
		}
	}
	rename_inputs(column, names, here, n);
}

/* ---- for pegs_facts ---- */

/* A restored declaration has names alone, of which one may be of a column that was dropped before the dump. */
static bool
are_columns_of(List *names, Oid relid)
{
	ListCell   *cell;

	foreach(cell, names)
		if (get_attnum(relid, lfirst(cell)) == InvalidAttrNumber)
			return false;
	return true;
}

/* Four arguments of its statement: columns that can be computed, their expressions, the earlier columns, and those that expressions begin with, or ''. */
void
pegs_computed_arguments(const PegsSource *source, PegsArg *args)
{
	PegsAs		saved;
	MemoryContext context = CurrentMemoryContext;
	MemoryContext old;
	PegsArg		arg = {REGCLASSOID, ObjectIdGetDatum(source->relid), false};
	PegsColumn *columns;
	PegsInputs *inputs;
	Datum	   *items[4];
	int			all;
	int			n = 0;

	pegs_begin_as_extension(&saved);
	pegs_spi_now("SELECT column_name, derived, earlier, " PEGS_INPUTS " FROM pegs_internal.fact"
				 " WHERE source = $1 AND (derived IS NOT NULL OR earlier IS NOT NULL) ORDER BY column_name", SPI_OK_SELECT, 1, &arg);
	all = (int) SPI_processed;
	old = MemoryContextSwitchTo(context);
	columns = palloc0(sizeof(PegsColumn) * (all + 1));
	inputs = palloc(sizeof(PegsInputs) * (all + 1));
	for (int i = 0; i < all; i++)
	{
		HeapTuple	row = SPI_tuptable->vals[i];
		TupleDesc	desc = SPI_tuptable->tupdesc;

		columns[i].name = SPI_getvalue(row, desc, 1);
		columns[i].derived = SPI_getvalue(row, desc, 2);
		columns[i].earlier = SPI_getvalue(row, desc, 3);
		inputs[i] = pegs_inputs_in(row, desc, 4);
	}
	MemoryContextSwitchTo(old);
	pegs_end_as(&saved);
	for (int i = 0; i < 4; i++)
		items[i] = palloc(sizeof(Datum) * (all + 1));
	for (int i = 0; i < all; i++)
	{
		List	   *names;

		pegs_inputs_now(&columns[i], source->relid, &inputs[i]);
		if (columns[i].derived == NULL && columns[i].earlier == NULL)
			continue;
		names = names_of(&columns[i]);
		if (!are_columns_of(names, source->relid))
			continue;
		items[0][n] = CStringGetTextDatum(columns[i].name);
		items[1][n] = CStringGetTextDatum(columns[i].derived ? columns[i].derived : "");
		items[2][n] = CStringGetTextDatum(columns[i].earlier ? columns[i].earlier : "");
		items[3][n++] = CStringGetTextDatum(names != NIL ? linitial(names) : "");
	}
	for (int i = 0; i < 4; i++)
		args[i] = (PegsArg) {TEXTARRAYOID, PointerGetDatum(construct_array(items[i], n, TEXTOID, -1, false, TYPALIGN_INT)), false};
}
