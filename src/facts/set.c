/*
 * set.c
 *	  Declaring one column from SQL: pegs_set_levels, pegs_set_lookup, pegs_set_bins, pegs_set_derived, pegs_set_function, pegs_leave_out, pegs_unset.
 */
#include "facts/facts.h"

#include "utils/builtins.h"

/* Source and column, the first two arguments. */
static PegsSource *
source_and_column(FunctionCallInfo fcinfo, char **column)
{
	PegsSource *source = pegs_curated_source(pegs_arg_oid(fcinfo, 0, "source"), "declare its public facts");

	*column = pstrdup(pegs_arg_column(fcinfo, 1, "column_name", "age"));
	return source;
}

/* Arguments that older forms of a function lack. */
static char *
text_argument(FunctionCallInfo fcinfo, int n)
{
	return PG_NARGS() <= n || PG_ARGISNULL(n) ? NULL : text_to_cstring(PG_GETARG_TEXT_PP(n));
}

/* 'error': a value that is not declared ends the fit; 'drop': its row is left out; 'nearest': it counts in the nearest bin. */
void
pegs_read_undeclared(PegsDeclaration *declared, const char *undeclared)
{
	if (undeclared == NULL || (strcmp(undeclared, "error") != 0 && strcmp(undeclared, "drop") != 0 && strcmp(undeclared, "nearest") != 0))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("undeclared must be 'error', 'drop' or 'nearest'"),
				 errdetail("'error': a fit ends where it finds a value that is not declared. 'drop': it leaves the row out. 'nearest': of bins, the value counts in the first or the last."),
				 errhint("undeclared => 'drop'")));
	declared->drop = strcmp(undeclared, "drop") == 0;
	declared->nearest = strcmp(undeclared, "nearest") == 0;
}

static void
read_undeclared(FunctionCallInfo fcinfo, int n, PegsDeclaration *declared)
{
	if (PG_NARGS() > n)
		pegs_read_undeclared(declared, text_argument(fcinfo, n));
}

/* nullable => false; true or NULL: as the catalog has it */
static bool
not_null(FunctionCallInfo fcinfo, int n)
{
	return PG_NARGS() > n && !PG_ARGISNULL(n) && !PG_GETARG_BOOL(n);
}

/* The last arguments of levels and of a lookup table: undeclared, nullable. */
static void
declare_as_levels(FunctionCallInfo fcinfo, const PegsSource *source, const char *column, PegsDeclaration *declared)
{
	read_undeclared(fcinfo, 4, declared);
	declared->not_null = not_null(fcinfo, 5);
	pegs_declare_column(source, column, declared);
	pegs_say_generated(source, column);
}

/*
 * pegs_set_levels(source regclass, column_name name, levels text[] | text | anyarray, other text DEFAULT NULL
 *				   [, undeclared text DEFAULT 'error', nullable boolean DEFAULT NULL])
 */
PG_FUNCTION_INFO_V1(pegs_set_levels);
Datum
pegs_set_levels(PG_FUNCTION_ARGS)
{
	char	   *column;
	PegsSource *source = source_and_column(fcinfo, &column);
	PegsDeclaration declared = {0};

	declared.levels = pegs_arg_literals(fcinfo, 2, "levels", &declared.nlevels);
	declared.other = text_argument(fcinfo, 3);
	declare_as_levels(fcinfo, source, column, &declared);
	PG_RETURN_VOID();
}

/*
 * pegs_set_lookup(source regclass, column_name name, lookup regclass, lookup_column name
 *				   [, undeclared text DEFAULT 'error', nullable boolean DEFAULT NULL, via name[] DEFAULT NULL, weight name DEFAULT NULL])
 */
PG_FUNCTION_INFO_V1(pegs_set_lookup);
Datum
pegs_set_lookup(PG_FUNCTION_ARGS)
{
	char	   *column;
	PegsSource *source = source_and_column(fcinfo, &column);
	PegsDeclaration declared = {.lookup = pegs_arg_oid(fcinfo, 2, "lookup")};

	declared.lookup_column = pegs_arg_column(fcinfo, 3, "lookup_column", "code");
	declared.via = PG_NARGS() > 6 ? pegs_arg_names(fcinfo, 6, "via") : NIL;
	declared.weight = PG_NARGS() > 7 && !PG_ARGISNULL(7) ? pegs_arg_column(fcinfo, 7, "weight", "patients") : NULL;
	declare_as_levels(fcinfo, source, column, &declared);
	PG_RETURN_VOID();
}

/* The last arguments of both forms: undeclared, points, step, nullable, parts. */
static void
declare_bins(FunctionCallInfo fcinfo, const PegsSource *source, const char *column, PegsDeclaration *declared, int first)
{
	read_undeclared(fcinfo, first, declared);
	if (PG_NARGS() > first + 1 && !PG_ARGISNULL(first + 1))
		declared->points = pegs_arg_literals(fcinfo, first + 1, "points", &declared->npoints);
	declared->step = text_argument(fcinfo, first + 2);
	declared->not_null = not_null(fcinfo, first + 3);
	if (PG_NARGS() > first + 4 && !PG_ARGISNULL(first + 4))
		declared->parts = pegs_arg_literals(fcinfo, first + 4, "parts", &declared->nparts);
	pegs_declare_column(source, column, declared);
	pegs_say_generated(source, column);
}

/*
 * pegs_set_bins(source regclass, column_name name, edges text[] | text | anyarray
 *				 [, undeclared text DEFAULT 'error', points text DEFAULT NULL, step text DEFAULT NULL, nullable boolean DEFAULT NULL,
 *				  parts text DEFAULT NULL])
 */
PG_FUNCTION_INFO_V1(pegs_set_bins);
Datum
pegs_set_bins(PG_FUNCTION_ARGS)
{
	char	   *column;
	PegsSource *source = source_and_column(fcinfo, &column);
	PegsDeclaration declared = {0};

	declared.edges = pegs_arg_literals(fcinfo, 2, "edges", &declared.nedges);
	declare_bins(fcinfo, source, column, &declared, 3);
	PG_RETURN_VOID();
}

/* pegs_set_bins(source regclass, column_name name, low anycompatible, high anycompatible, bins int, ...) */
PG_FUNCTION_INFO_V1(pegs_set_bins_between);
Datum
pegs_set_bins_between(PG_FUNCTION_ARGS)
{
	char	   *column;
	PegsSource *source = source_and_column(fcinfo, &column);
	PegsDeclaration declared = {0};

	declared.low = pegs_arg_literal(fcinfo, 2, "low");
	declared.high = pegs_arg_literal(fcinfo, 3, "high");
	if (PG_ARGISNULL(4))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("bins must not be null"),
				 errhint("bins => 20")));
	declared.bins = PG_GETARG_INT32(4);
	declare_bins(fcinfo, source, column, &declared, 5);
	PG_RETURN_VOID();
}

/* pegs_set_derived(source regclass, column_name name, expression text): not modelled, computed in each row that is drawn */
PG_FUNCTION_INFO_V1(pegs_set_derived);
Datum
pegs_set_derived(PG_FUNCTION_ARGS)
{
	char	   *column;
	PegsSource *source = source_and_column(fcinfo, &column);

	pegs_declare_column(source, column, &(PegsDeclaration) {.derived = pegs_arg_text(fcinfo, 2, "expression")});
	PG_RETURN_VOID();
}

/*
 * pegs_set_function(source regclass, column_name name, of name, mapping jsonb, null_value text DEFAULT NULL): one level of `of`, one value;
 * not modelled, but computed in each row that is drawn
 */
PG_FUNCTION_INFO_V1(pegs_set_function);
Datum
pegs_set_function(PG_FUNCTION_ARGS)
{
	char	   *column;
	PegsSource *source = source_and_column(fcinfo, &column);
	PegsDeclaration declared = {.of = pegs_arg_column(fcinfo, 2, "of", "code")};
	Jsonb	   *mapping = pegs_arg_object(fcinfo, 3, "mapping");

	if (mapping == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("mapping must not be null"),
				 errdetail("It says of each level of column \"%s\" which value column \"%s\" has.", declared.of, column),
				 errhint("mapping => '{\"a\": \"x\", \"b\": \"x\", \"c\": \"y\"}', or of a table of codes: mapping => (SELECT jsonb_object_agg(code, category) FROM codes)")));
	declared.values = &mapping->root;
	declared.null_value = text_argument(fcinfo, 4);
	pegs_declare_column(source, column, &declared);
	PG_RETURN_VOID();
}

/* pegs_leave_out(source regclass, column_name name): of models that do not name it */
PG_FUNCTION_INFO_V1(pegs_leave_out);
Datum
pegs_leave_out(PG_FUNCTION_ARGS)
{
	char	   *column;
	PegsSource *source = source_and_column(fcinfo, &column);

	pegs_declare_column(source, column, &(PegsDeclaration) {.left_out = true});
	PG_RETURN_VOID();
}

/* pegs_unset(source regclass, column_name name) */
PG_FUNCTION_INFO_V1(pegs_unset);
Datum
pegs_unset(PG_FUNCTION_ARGS)
{
	PegsSource *source = pegs_curated_unread(pegs_arg_oid(fcinfo, 0, "source"), "unset its public facts");
	const char *column = pegs_arg_column(fcinfo, 1, "column_name", "age");

	bool		forgotten = pegs_forget_hierarchy(source, column);

	if (!pegs_undeclare_column(source, column) && !forgotten)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("nothing is declared for column \"%s\" of %s", column, source->name),
				 errhint("SELECT column_name, origin FROM pegs_domain(%s);", quote_literal_cstr(source->name))));
	PG_RETURN_VOID();
}
