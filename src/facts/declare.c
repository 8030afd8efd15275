/*
 * declare.c
 *	  A declaration of a column's domain: checked, and kept.
 *
 * Levels, a lookup table, or bins. What is declared is checked through the
 * column's own type and kept as canonical text in pegs_internal.fact. Law L1.
 */
#include "facts/facts.h"
#include "codes/codes.h"
#include "budget/budget.h"

#include "access/htup_details.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

/* ---- levels ---- */

/* A remedy or a hint that was pasted as it is. */
static bool
are_dots(const PegsDeclaration *declared)
{
	for (int i = 0; i < declared->nlevels; i++)
		if (strcmp(declared->levels[i], "...") != 0)
			return false;
	return true;
}

static void
declare_levels(const PegsSource *source, PegsColumn *column, const PegsDeclaration *declared)
{
	column->nlabels = declared->nlevels;
	if (column->nlabels < 1 || column->nlabels >= PEGS_MAX_LEVELS)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("levels must hold between 1 and %d values, not %d", PEGS_MAX_LEVELS - 1, column->nlabels),
				 column->nlabels < 1 ? errhint("A column without values says nothing: SELECT pegs_leave_out(%s, %s); leaves it out.", quote_literal_cstr(source->name), quote_literal_cstr(column->name))
				 : errhint("Declare wide columns by bins (pegs_set_bins), or let one level take the rare ones (other => '...').")));
	if (are_dots(declared))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("levels must name the values"),
				 errhint("In the place of '...' put the values that column \"%s\" can have, for example: ARRAY['a', 'b', 'c']", column->name)));
	column->labels = palloc(sizeof(char *) * column->nlabels);
	for (int i = 0; i < column->nlabels; i++)
	{
		CHECK_FOR_INTERRUPTS();
		column->labels[i] = pegs_canonical_told(column, declared->levels[i], "levels");
		if (pegs_type_has_bins(column->type) && strcmp(column->labels[i], "NaN") == 0)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("level \"NaN\" of column \"%s\" is not a number", column->name),
					 errhint("Let another level take it: other => '...'.")));
	}
	pegs_refuse_twice(column, column->labels, column->nlabels, "level");
	(void) pegs_decoder(column);	/* a value that does not read back is an error now: timestamp(0) rounds the last one out of its range */
}

static char *
declare_other(const PegsColumn *column, const PegsDeclaration *declared)
{
	char	   *other;

	if (declared->other == NULL)
		return NULL;
	if (declared->drop)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("other and undeclared => 'drop' exclude each other"),
				 errdetail("A value that is not declared becomes the other level, or its row is left out."),
				 errhint("Leave one of the two out.")));
	other = pegs_canonical_told(column, declared->other, "other");
	(void) pegs_from_canonical(column->type, column->typmod, other);
	return other;
}

/* ---- keeping ---- */

static PegsArg
texts_argument(char **texts, int n)
{
	Datum	   *items = palloc(sizeof(Datum) * (n + 1));

	for (int i = 0; i < n; i++)
		items[i] = CStringGetTextDatum(texts[i]);
	return (PegsArg) {TEXTARRAYOID, PointerGetDatum(construct_array(items, n, TEXTOID, -1, false, 'i')), n == 0};
}

static PegsArg
texts_in_list(const List *texts)
{
	char	  **items = palloc(sizeof(char *) * (list_length(texts) + 1));
	int			n = 0;
	ListCell   *cell;

	foreach(cell, texts)
		items[n++] = lfirst(cell);
	return texts_argument(items, n);
}

static PegsArg
text_argument(const char *text)
{
	return (PegsArg) {TEXTOID, text ? CStringGetTextDatum(text) : 0, text == NULL};
}

/*
 * What is learnt again has cost both; what a person declares cost nothing,
 * unless it is what stands there, learnt, or days of it: no declaration makes that cheaper.
 */
#define MOVE(column) column " = CASE WHEN excluded.learnt_charge IS NOT NULL THEN f." column " || excluded." column \
	" WHEN (f.levels, f.edges, f.lookup, f.left_out, f.derived) IS NOT DISTINCT FROM" \
	" (excluded.levels, excluded.edges, excluded.lookup, excluded.left_out, excluded.derived) OR excluded.parts IS NOT NULL THEN f." column " END"
#define MOVE_LEARNT MOVE("learnt_charge") ", " MOVE("learnt_epsilon") ", " MOVE("learnt_delta") ", " MOVE("learnt_unit")

/* The last arguments of a statement about a charge; NULL: there is none. */
static void
charge_arguments(const PegsLearntCharge *charge, PegsArg *args)
{
	int64		number[3] = {charge ? charge->id : 0, charge ? charge->epsilon : 0, charge ? charge->delta : 0};

	for (int i = 0; i < 3; i++)
	{
		Datum		value = Int64GetDatum(number[i]);

		args[i] = (PegsArg) {INT8ARRAYOID, PointerGetDatum(construct_array(&value, 1, INT8OID, sizeof(int64), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE)), charge == NULL};
	}
	args[3] = texts_argument(charge ? (char **) &charge->unit : NULL, charge != NULL);
}

#define OLD_FACT "source, column_name, levels, other, lookup, lookup_column, edges"
#define OLD_MOVE "levels = excluded.levels, other = excluded.other, lookup = excluded.lookup, lookup_column = excluded.lookup_column, edges = excluded.edges"

static void
store_fact(const PegsSource *source, const PegsColumn *column, const char *other, const PegsDeclaration *declared)
{
	PegsAs		saved;
	NameData	name;
	NameData	lookup_column;
	NameData	earlier;
	NameData	weight;
	PegsArg		args[28] = {
		{REGCLASSOID, ObjectIdGetDatum(source->relid), false},
		{NAMEOID, 0, false},
		texts_argument(column->labels, column->nlabels),
		text_argument(other),
		{REGCLASSOID, ObjectIdGetDatum(declared->lookup), !OidIsValid(declared->lookup)},
		{NAMEOID, 0, declared->lookup_column == NULL},
		texts_argument(column->edges, column->nedges),
		{BOOLOID, BoolGetDatum(declared->drop), false},
		texts_argument(column->points, column->npoints),
		text_argument(column->step),
		{BOOLOID, BoolGetDatum(true), !declared->not_null},
		{BOOLOID, BoolGetDatum(true), !declared->left_out},
		text_argument(column->derived),
		{BOOLOID, BoolGetDatum(true), !declared->nearest}
	};

	namestrcpy(&name, column->name);
	args[1].value = NameGetDatum(&name);
	namestrcpy(&lookup_column, declared->lookup_column ? declared->lookup_column : "");
	args[5].value = NameGetDatum(&lookup_column);
	charge_arguments(declared->learnt, &args[14]);
	/* of which column it is now, whatever becomes of its name */
	args[18] = (PegsArg) {INT2OID, Int16GetDatum(get_attnum(source->relid, column->name)), false};
	args[19] = texts_argument(column->parts, column->nparts);
	args[20] = text_argument(column->zone);
	namestrcpy(&earlier, column->earlier ? column->earlier : "");
	args[21] = (PegsArg) {NAMEOID, NameGetDatum(&earlier), column->earlier == NULL};
	pegs_inputs_arguments(source, column, &args[22]);
	args[24] = (PegsArg) {JSONBOID, column->function ? JsonbPGetDatum(pegs_function_kept(column->function)) : 0, column->function == NULL};
	args[25] = (PegsArg) {JSONBOID, column->grouped ? JsonbPGetDatum(pegs_function_kept(column->grouped)) : 0, column->grouped == NULL};
	args[26] = texts_in_list(declared->via);
	namestrcpy(&weight, declared->weight ? declared->weight : "");
	args[27] = (PegsArg) {NAMEOID, NameGetDatum(&weight), declared->weight == NULL};
	if (column->npoints > 0 || column->step || declared->not_null || declared->drop || declared->nearest || declared->left_out || column->derived || declared->learnt
		|| declared->parts || declared->earlier || declared->groups || declared->via)
		pegs_require_kept("fact", "points");
	pegs_begin_as_extension(&saved);
	pegs_spi_now(pegs_keeps("fact", "points")
				 ? "INSERT INTO pegs_internal.fact AS f (" OLD_FACT ", drop_undeclared, points, step, not_null, left_out, derived, nearest,"
				 " learnt_charge, learnt_epsilon, learnt_delta, learnt_unit, attnum, relation, parts, zone, earlier, inputs, input_names, function, groups, via, weight)"
				 " VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $1::pg_catalog.oid, $20, $21, $22, $23, $24, $25, $26, $27, $28)"
				 " ON CONFLICT (source, column_name) DO UPDATE SET " OLD_MOVE ", drop_undeclared = excluded.drop_undeclared,"
				 " points = excluded.points, step = excluded.step, not_null = excluded.not_null, left_out = excluded.left_out,"
				 " derived = excluded.derived, nearest = excluded.nearest, attnum = excluded.attnum, relation = excluded.relation,"
				 " parts = excluded.parts, zone = excluded.zone, earlier = excluded.earlier,"
				 " inputs = excluded.inputs, input_names = excluded.input_names, function = excluded.function, groups = excluded.groups, via = excluded.via, weight = excluded.weight, " MOVE_LEARNT
				 : "INSERT INTO pegs_internal.fact (" OLD_FACT ") VALUES ($1, $2, $3, $4, $5, $6, $7)"
				 " ON CONFLICT (source, column_name) DO UPDATE SET " OLD_MOVE, SPI_OK_INSERT, 28, args);
	pegs_end_as(&saved);
}

/* Of a function: where the other column is NULL, by the catalog and by what is declared of it, the column would be. */
static void
require_null_value(const PegsSource *source, const PegsColumn *column, const PegsDeclaration *declared)
{
	AttrNumber	attnum = get_attnum(source->relid, declared->of);
	PegsColumn	of;

	if (declared->null_value || pegs_may_be_null(source->relid, get_attnum(source->relid, column->name)))
		return;
	pegs_find_column(source, declared->of, false, &of);
	of.nullable = pegs_may_be_null(source->relid, attnum);
	(void) pegs_load_declared(source->relid, attnum, &of, source);
	if (of.nullable)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("column \"%s\" is NOT NULL, and its mapping says nothing of NULL, which column \"%s\" may be", column->name, of.name),
				 errhint("Say which value it has there: null_value => '...'. Or declare levels of column \"%s\" with nullable => false, if it is never NULL.", of.name)));
}

/* What it is a function of already, if it is. */
static PegsFunction *
function_before(const PegsSource *source, const PegsColumn *column)
{
	PegsColumn	before = {.name = column->name, .type = column->type, .typmod = column->typmod, .other = -1};

	if (!pegs_load_declared(source->relid, get_attnum(source->relid, column->name), &before, source) || before.function == NULL || before.derived == NULL)
		return NULL;
	before.function->of = linitial(pegs_expression_columns(column->name, before.derived));
	return before.function;
}

/* Through the column's type, into *column; gives the level that takes others. */
static char *
checked(const PegsSource *source, const char *name, const PegsDeclaration *declared, PegsColumn *column)
{
	pegs_find_column(source, name, declared->left_out || declared->derived, column);
	if (declared->derived)
		column->derived = pegs_checked_expression(source, column, declared->derived, false);
	if (declared->of)
	{
		column->function = function_before(source, column);
		pegs_declare_function(source, column, declared);
		require_null_value(source, column, declared);
	}
	else if (declared->earlier)
		pegs_declare_order(source, column, declared);
	else if (declared->levels)
		declare_levels(source, column, declared);
	else if (declared->edges || declared->low)
		pegs_declare_bins(column, declared);
	else if (OidIsValid(declared->lookup))
	{
		pegs_check_lookup(source, column->name, declared->lookup, declared->lookup_column, "lookup_column");
		pegs_refuse_another_key(source, column->name, declared);
	}
	if (declared->via || declared->weight)
		pegs_declare_keyed(source, column, declared);
	if (declared->groups)
	{
		column->grouped = pegs_read_groups(column, declared->groups);
		if (column->nlabels > 0 || column->nedges > 0)
			pegs_require_levels(source, column, column->grouped);
	}
	if (declared->parts)
		pegs_declare_parts(source, column, declared);
	if (declared->nearest && column->nedges == 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("undeclared => 'nearest' is for bins"),
				 errhint("Of levels, one may take the others: other => '...'. Or leave such rows out: undeclared => 'drop'.")));
	return declare_other(column, declared);
}

void
pegs_check_declaration(const PegsSource *source, const char *name, const PegsDeclaration *declared)
{
	PegsColumn	column;

	(void) checked(source, name, declared, &column);
}

/* The declaration of one column: in place of what was declared for it. */
void
pegs_declare_column(const PegsSource *source, const char *name, const PegsDeclaration *declared)
{
	PegsColumn	column;
	char	   *other = checked(source, name, declared, &column);

	pegs_forget_other_column(source, name);
	store_fact(source, &column, other, declared);
}

/* Law L10. A person declares what a generated column can be; where it can be computed it is. */
void
pegs_say_generated(const PegsSource *source, const char *name)
{
	if (pegs_generated_expression(source->relid, get_attnum(source->relid, name)))
		ereport(NOTICE,
				(errmsg("column \"%s\" is generated: a model that draws what it is computed from computes it, whatever is declared", name),
				 errhint("SELECT * FROM pegs_domain(%s);", quote_literal_cstr(source->name))));
}

/*
 * Before a charge: whoever else declares this column is waited for here, and
 * not when it is charged. True if nothing was declared; an empty row holds the
 * place then, until a declaration takes it or pegs_undeclare_column ends it.
 */
bool
pegs_hold_declaration(const PegsSource *source, const char *name)
{
	PegsAs		saved;
	NameData	column;
	PegsArg		args[2] = {{REGCLASSOID, ObjectIdGetDatum(source->relid), false}, {NAMEOID, 0, false}};
	bool		made;

	namestrcpy(&column, name);
	args[1].value = NameGetDatum(&column);
	pegs_forget_other_column(source, name);
	pegs_begin_as_extension(&saved);
	pegs_spi_now("INSERT INTO pegs_internal.fact (source, column_name) VALUES ($1, $2) ON CONFLICT (source, column_name) DO NOTHING",
				 SPI_OK_INSERT, 2, args);
	made = SPI_processed > 0;
	if (!made)
		pegs_spi_now("SELECT FROM pegs_internal.fact WHERE source = $1 AND column_name = $2 FOR UPDATE", SPI_OK_SELECT, 2, args);
	pegs_end_as(&saved);
	return made;
}

/* Forgets it; false: there was none. */
bool
pegs_undeclare_column(const PegsSource *source, const char *column)
{
	PegsAs		saved;
	NameData	name;
	PegsArg		args[2] = {{REGCLASSOID, ObjectIdGetDatum(source->relid), false}, {NAMEOID, 0, false}};
	bool		gone;

	namestrcpy(&name, column);
	args[1].value = NameGetDatum(&name);
	pegs_begin_as_extension(&saved);
	pegs_spi_now("DELETE FROM pegs_internal.fact WHERE source = $1 AND column_name = $2", SPI_OK_DELETE, 2, args);
	gone = SPI_processed > 0;
	pegs_end_as(&saved);
	return gone;
}

/* Charged, and nothing was found: what stands is as it was, and that it stands is an answer of the charge, whoever declared it. */
void
pegs_add_learnt(const PegsSource *source, const char *name, const PegsLearntCharge *charge)
{
	PegsAs		saved;
	NameData	column;
	PegsArg		args[6] = {{REGCLASSOID, ObjectIdGetDatum(source->relid), false}, {NAMEOID, 0, false}};

	namestrcpy(&column, name);
	args[1].value = NameGetDatum(&column);
	charge_arguments(charge, &args[2]);
	pegs_begin_as_extension(&saved);
	pegs_spi_now("UPDATE pegs_internal.fact SET learnt_charge = learnt_charge || $3, learnt_epsilon = learnt_epsilon || $4,"
				 " learnt_delta = learnt_delta || $5, learnt_unit = learnt_unit || $6"
				 " WHERE source = $1 AND column_name = $2", SPI_OK_UPDATE, 6, args);
	pegs_end_as(&saved);
}
