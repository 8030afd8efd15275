/*
 * other.c
 *	  A value that is not declared: another level takes it, or the nearest bin, or
 *	  its row is left out, or it is an error.
 *
 * By the value alone (Claim P10), and never with the value in a message. Law L5.
 */
#include "codes/codes.h"

#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/numeric.h"

/* Below the first edge? Of a value outside all bins. */
static bool
is_below(const PegsOutside *outside, Datum value)
{
	int64		key = 0;
	int64		first = 0;

	if (outside->column->type == NUMERICOID)
		return DatumGetInt32(DirectFunctionCall2(numeric_cmp, value, outside->first)) < 0;
	(void) pegs_key_of(outside->column->type, value, &key);
	(void) pegs_key_of(outside->column->type, outside->first, &first);
	return key < first;
}

/* NaN and NULL lie nowhere. */
static bool
is_nowhere(Oid type, Datum value, bool isnull)
{
	int64		key;

	return isnull || (type == NUMERICOID ? numeric_is_nan(DatumGetNumeric(value)) : !pegs_key_of(type, value, &key));
}

static const char *
named_source(const PegsColumn *column)
{
	return column->table ? column->table : column->source;
}

/* In a hint: the table, or words for it where nobody handed it on: a spec knows no table. */
static const char *
source_argument(const PegsColumn *column)
{
	return named_source(column) ? quote_literal_cstr(named_source(column)) : "'your_table'";
}

#define MAX_POINTS 16			/* that a hint names */

/*
 * A query that finds such values, for who may read the table. Of declared facts
 * alone: it says nothing of which value was met. "" of what is no column of the
 * table, or would be long.
 */
static const char *
query_of_others(const PegsColumn *column)
{
	const char *name = quote_identifier(column->name);
	StringInfoData query;

	if (column->part || column->npoints > MAX_POINTS || pegs_owned_by_others(column->type))
		return "";				/* who owns a type may have casts of it run as whoever asks (law L9) */
	initStringInfo(&query);
	appendStringInfo(&query, " Which they are: SELECT DISTINCT %s FROM %s WHERE ", name, named_source(column) ? named_source(column) : "your_table");
	if (column->nedges > 0)
		appendStringInfo(&query, "(%s < %s OR %s > %s)", name, quote_literal_cstr(column->edges[0]),
						 name, quote_literal_cstr(column->edges[column->nedges - 1]));
	else
		appendStringInfo(&query, "%s NOT IN (SELECT level::%s FROM pegs_levels(%s, %s) AS level WHERE level IS NOT NULL)",
						 name, pegs_type_words(column->type, column->typmod), source_argument(column), quote_literal_cstr(column->name));
	for (int i = 0; i < column->npoints; i++)
		appendStringInfo(&query, " AND %s <> %s", name, quote_literal_cstr(column->points[i]));
	appendStringInfo(&query, column->nullable ? ";" : " OR %s IS NULL;", name);
	return query.data;
}

/* A statement that declares the bins again, with all that is declared of them, and where other values count. */
static const char *
nearest_command(const PegsColumn *column, const char *name)
{
	const char *source = source_argument(column);
	const char *quoted = quote_literal_cstr(name);

	return psprintf("SELECT pegs_declare(%s, jsonb_build_object('columns', jsonb_build_object(%s, pegs_facts(%s) -> 'columns' -> %s || '{\"undeclared\": \"nearest\"}')));",
					source, quoted, source, quoted);
}

/* A statement that declares the same levels again, and leaves rows of others out. */
static const char *
drop_command(const PegsColumn *column, const char *name)
{
	const char *source = source_argument(column);
	const char *quoted = quote_literal_cstr(name);

	return psprintf("SELECT pegs_set_levels(%s, %s, ARRAY(SELECT level FROM pegs_levels(%s, %s) AS level WHERE level IS NOT NULL)%s, undeclared => 'drop');",
					source, quoted, source, quoted, column->nullable ? "" : ", nullable => false");
}

#define REFUSED (-2)

/* A code, PEGS_LEFT_OUT or REFUSED. */
static int
place_of_other(const PegsOutside *outside, Datum value, bool isnull)
{
	const PegsColumn *column = outside->column;

	if (column->nearest && !is_nowhere(column->type, value, isnull))
		return is_below(outside, value) ? outside->below : outside->above;
	if (column->drop || column->nearest)
		return PEGS_LEFT_OUT;
	return column->other < 0 ? REFUSED : column->other;
}

int
pegs_encode_or_none(const PegsEncoder *encoder, Datum value, bool isnull)
{
	int			code = pegs_encode_strict(encoder, value, isnull);

	return code >= 0 ? code : place_of_other(pegs_encoder_outside(encoder), value, isnull);
}

int
pegs_encode_other(const PegsEncoder *encoder, Datum value, bool isnull)
{
	const PegsOutside *outside = pegs_encoder_outside(encoder);
	const PegsColumn *column = outside->column;
	const char *name = column->part ? column->part->column : column->name;	/* of the table */
	int			code = place_of_other(outside, value, isnull);

	if (code == REFUSED)
		ereport(ERROR,
				(errcode(ERRCODE_CHECK_VIOLATION),
				 errmsg("column \"%s\"%s%s holds a value that is not in its declared domain", name, column->table ? " of " : "", column->table ? column->table : ""),
				 errhidestmt(true),
				 column->part && column->part->via
				 ? errhint("Its lookup table must have every key. Or leave such rows out: undeclared => 'drop' of pegs_set_lookup.")
				 : column->nedges > 0
				 ? errhint("Declare bins that reach every value: SELECT pegs_set_bins(%s, %s, ARRAY[...]); or count such values in the first or last bin: %s Or leave their rows out: the same with \"drop\".%s",
						   source_argument(column), quote_literal_cstr(name), nearest_command(column, name), query_of_others(column))
				 : errhint("Declare every level, or one that takes the others: SELECT pegs_set_levels(%s, %s, ARRAY[...], other => '...'); or leave such rows out: %s%s",
						   source_argument(column), quote_literal_cstr(name), drop_command(column, name), query_of_others(column))));
	return code;
}
