/*
 * propose.c
 *	  pegs_propose: a statement for each column that needs a declaration.
 *
 * Made from the catalog, types and names alone, never from rows (law L1). What
 * nobody but a person can say is a comment. With an epsilon the columns of
 * which the catalog says nothing are learnt, and that is charged.
 */
#include "facts/facts.h"
#include "budget/bound.h"
#include "budget/budget.h"
#include "codes/codes.h"
#include "core/epsilon.h"

#include "funcapi.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/tuplestore.h"

/* Must it be learnt from the rows, or said by a person? */
bool
pegs_is_unknown(const PegsColumn *column)
{
	return column->problem && column->origin == NULL && column->left_out == NULL && pegs_type_supported(column->type) && !pegs_is_told_by_name(column)
		&& pegs_beyond_bins(column) == NULL;
}

/* Of a function that learns (source, epsilon, delta). */
void
pegs_refuse_without_delta(const char *function, const PegsSource *source, int64 epsilon)
{
	int64		usual = PEGS_DELTA_UNIT / 1000000;
	int64		there = pegs_delta_there(source->account, usual);

	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("levels cannot be learnt without delta"),
			 errdetail("That a value occurs at all is told of somebody with probability delta at most."),
			 errhint("SELECT %s(%s, epsilon => %s, delta => %s);", function, quote_literal_cstr(source->name), pegs_units_text(epsilon, 9),
					 there > 0 && there < usual ? pegs_units_text(there, 18) : "1e-6")));
}

/* The words behind those; NULL: they do not begin so. */
static const char *
after(const char *words, const char *beginning)
{
	return strncmp(words, beginning, strlen(beginning)) == 0 ? words + strlen(beginning) : NULL;
}

/*
 * NULL: nothing is needed. \gexec runs what is no comment: the schema is named,
 * every argument is there and cast, so an overload that somebody made fits no
 * better.
 */
static char *
proposal(const PegsSource *source, const PegsColumn *column, const char *table, const char *schema)
{
	Oid			where;
	const char *name = quote_literal_cstr(column->name);
	char	   *hierarchy;
	char	   *remedy;

	if (column->problem == NULL && column->origin && (hierarchy = pegs_hierarchy_problem(source, column, &remedy)) != NULL)
		return pegs_comment("%s: %s; %s", column->name, hierarchy, remedy);
	if (column->problem == NULL || column->declared_out || column->derived)
		return NULL;
	if (column->reference && column->remedy && column->origin == NULL)
	{
		bool		lookup = strncmp(column->remedy, "SELECT pegs_set_lookup(", 23) == 0;
		const char *why = after(column->remedy, PEGS_LEAVE_IT_OUT);

		if (why == NULL)
			why = after(column->remedy, psprintf("SELECT pegs_leave_out(%s, %s);  %s", table, name, pegs_comment("%s", "")));
		if (why)
			return pegs_comment("%s refers to table \"%s\", and is left out: %s", column->name, get_rel_name(column->reference->relid), why);
		return pegs_comment("%s refers to table \"%s\", and is left out; if %s: %s%s", column->name, get_rel_name(column->reference->relid),
						lookup ? "that table is public" : "its rows belong to rows of that one", column->remedy,
						lookup ? pegs_keyed_words(column->reference->relid, column->reference->column, column->type) : "");
	}
	if (column->left_out && column->origin == NULL)
		return pegs_comment("%s is %s, and is left out", column->name, column->left_out);
	if (column->origin)
		return pegs_comment("%s: %s; %s", column->name, column->problem, column->remedy);
	if (pegs_name_when_declared(source, column->name, &where))
		return pegs_comment("%s: %s", column->name, column->remedy);
	if (!pegs_type_supported(column->type) || pegs_is_told_by_name(column))
		return psprintf("SELECT %s.pegs_leave_out(%s::regclass, %s::name);  %s", schema, table, name,
						pegs_type_supported(column->type) ? pegs_comment("by its name; or declare its levels or bins") : pegs_comment("%s", column->problem));
	if (pegs_beyond_bins(column))
		return pegs_comment("%s has values with %s: use a view that rounds them", column->name, pegs_beyond_bins(column));
	if (pegs_type_has_bins(column->type))
		return pegs_comment("SELECT pegs_set_bins(%s, %s, low => '...', high => '...', bins => 20);", table, name);
	return pegs_comment("SELECT pegs_set_levels(%s, %s, ARRAY['...', '...'], other => '...');", table, name);
}

/* A key, the unit, or left out: a model has no use for its order. */
static bool
is_nobodys(const PegsColumn *column)
{
	return column->declared_out || (column->left_out && column->derived == NULL && column->origin == NULL);
}

/* By type and order in the table alone: the next column of the same dates or times. A person knows whether it is true, and before `later` is learnt for nothing. */
static char *
order_proposal(const PegsDomain *domain, int i, const char *table, bool learns)
{
	const PegsColumn *earlier = &domain->column[i];

	if ((earlier->type != DATEOID && earlier->type != TIMESTAMPOID && earlier->type != TIMESTAMPTZOID) || earlier->part || is_nobodys(earlier))
		return NULL;
	for (int l = i + 1; l < domain->ncols; l++)
	{
		const PegsColumn *later = &domain->column[l];

		if (later->type == earlier->type && later->typmod == earlier->typmod && later->part == NULL && later->derived == NULL && !is_nobodys(later))
			return pegs_comment("if \"%s\" is never before \"%s\"%s: %s", later->name, earlier->name,
							learns && pegs_is_unknown(later) ? " (say it first: what is learnt of it is of no use then)" : "",
							pegs_order_statement(domain, table, earlier->name, later));
	}
	return NULL;
}

static void
add_row(ReturnSetInfo *result, const char *statement)
{
	Datum		value = statement ? CStringGetTextDatum(statement) : 0;
	bool		isnull = false;

	if (statement)
		tuplestore_putvalues(result->setResult, result->setDesc, &value, &isnull);
}

/*
 * Whose rows they are may be said by a foreign key, where nothing says it yet. A
 * person knows whether it is so; what is declared of one of its columns (a
 * lookup, or that it is left out) says that it is not.
 */
List *
pegs_undecided_keys(Oid table)
{
	List	   *undecided = NIL;
	ListCell   *cell;
	AttrNumber	attnum;

	if (pegs_is_bound(table) || pegs_has_unit(table, &attnum))
		return NIL;
	foreach(cell, pegs_foreign_keys(table))
	{
		PegsForeignKey *key = lfirst(cell);
		bool		declared = key->parent == table;

		for (int i = 0; i < key->n && !declared; i++)
			declared = pegs_declared(table, key->attnum[i]).is;
		if (!declared)
			undecided = lappend(undecided, key);
	}
	return undecided;
}

/* What is charged to it alone keeps it from being bound for ever: a comment, until that is decided. */
static char *
unless_it_belongs(const PegsSource *source, List *undecided, char *statement)
{
	StringInfoData names;
	ListCell   *cell;

	if (undecided == NIL || statement == NULL)
		return statement;
	initStringInfo(&names);
	foreach(cell, undecided)
	{
		const char *name = psprintf("\"%s\"", get_rel_name(((PegsForeignKey *) lfirst(cell))->parent));

		if (strstr(names.data, name) == NULL)
			appendStringInfo(&names, "%s%s", names.len > 0 ? " or " : "", name);
	}
	return pegs_comment("if rows of \"%s\" belong to no row of %s (it can never be bound to a table once it was charged alone): %s", get_rel_name(source->account), names.data,
					statement);
}

/* The first number that a person gave a name with one of these words. */
static const PegsColumn *
number_called(const PegsDomain *domain, const char *const *words, const PegsColumn *but)
{
	for (int i = 0; i < domain->ncols; i++)
	{
		const PegsColumn *column = &domain->column[i];

		for (int w = 0; words[w]; w++)
			if (column != but && pegs_is_number(column->type) && column->part == NULL && !is_nobodys(column) && pegs_has_word(pegs_words_of(column->name), words[w]))
				return column;
	}
	return NULL;
}

/* By names and types alone: a number that is called the sum of others. A person knows whether it is. */
static char *
sum_proposal(const PegsDomain *domain, int i, const char *table)
{
	static const char *const sums[] = {"total", "gross", "sum", NULL};
	static const char *const nets[] = {"net", "subtotal", NULL};
	static const char *const taxes[] = {"tax", "vat", NULL};
	const PegsColumn *column = &domain->column[i];
	const PegsColumn *net = number_called(domain, nets, column);
	const PegsColumn *tax = number_called(domain, taxes, column);
	bool		called = false;

	for (int w = 0; sums[w]; w++)
		called |= pegs_has_word(pegs_words_of(column->name), sums[w]);
	if (!called || !pegs_is_number(column->type) || column->part || column->derived || column->nparts > 0 || column->earlier || is_nobodys(column))
		return NULL;
	return pegs_comment("if \"%s\" is always the sum of others: SELECT pegs_set_derived(%s, %s, %s);", column->name, table,
					quote_literal_cstr(column->name),
					net && tax && net != tax ? quote_literal_cstr(psprintf("%s + %s", quote_identifier(net->name), quote_identifier(tax->name))) : "'... + ...'");
}

/* One statement for all columns of which nothing is known: together they are learnt better than one by one. */
static char *
learning(const PegsDomain *domain, const char *table, const char *schema, int64 epsilon, int64 delta)
{
	StringInfoData names;

	initStringInfo(&names);
	for (int i = 0; i < domain->ncols; i++)
		if (pegs_is_unknown(&domain->column[i]))
			appendStringInfo(&names, "%s%s", names.len > 0 ? ", " : "", quote_literal_cstr(domain->column[i].name));
	if (names.len == 0)
		return NULL;
	return psprintf("SELECT %s.pegs_learn(%s::regclass, epsilon => %s::double precision, delta => %s::double precision, columns => ARRAY[%s]::name[], bins => 32);",
					schema, table, pegs_units_text(epsilon, 9), pegs_units_text(delta, 18), names.data);
}

/* pegs_propose(source regclass, epsilon float8 DEFAULT NULL, delta float8 DEFAULT 0) → setof text: epsilon and delta for all that is learnt */
PG_FUNCTION_INFO_V1(pegs_propose);
Datum
pegs_propose(PG_FUNCTION_ARGS)
{
	PegsSource *source = pegs_curated_source(pegs_arg_oid(fcinfo, 0, "source"), "propose its declarations");
	int64		epsilon = pegs_arg_epsilon(fcinfo, 1, "epsilon");
	int64		delta = pegs_arg_delta(fcinfo, 2, "delta");
	PegsDomain *domain = pegs_domain_of(source);
	char	   *table = quote_literal_cstr(source->name);
	const char *schema = quote_identifier(get_namespace_name(get_func_namespace(fcinfo->flinfo->fn_oid)));
	const char *alone = pegs_why_not_alone(source);
	bool		learns = epsilon > 0 && alone == NULL;
	List	   *undecided = pegs_may_be_bound(source->account) ? pegs_undecided_keys(source->account) : NIL;
	ListCell   *cell;
	ReturnSetInfo *result;

	for (int i = 0; learns && delta == 0 && i < domain->ncols; i++)
		if (pegs_is_unknown(&domain->column[i]) && !pegs_type_has_bins(domain->column[i].type))
			pegs_refuse_without_delta("pegs_propose", source, epsilon);
	result = pegs_materialize(fcinfo, false);
	for (int i = 0; i < domain->ncols; i++)
		if (!learns || !pegs_is_unknown(&domain->column[i]))
			add_row(result, proposal(source, &domain->column[i], table, schema));
	for (int i = 0; i < domain->ncols; i++)
		add_row(result, order_proposal(domain, i, table, learns));
	for (int i = 0; i < domain->ncols; i++)
		add_row(result, sum_proposal(domain, i, table));
	foreach(cell, undecided)
		add_row(result, pegs_parent_proposal(source->account, lfirst(cell)));
	if (learns)
		add_row(result, unless_it_belongs(source, undecided, learning(domain, table, schema, epsilon, delta)));
	for (int i = 0; epsilon > 0 && !learns && i < domain->ncols; i++)
		if (pegs_is_unknown(&domain->column[i]))
		{
			add_row(result, pegs_comment("nothing is learnt of \"%s\" alone, epsilon is not used: %s", get_rel_name(source->account), alone));
			break;
		}
	return (Datum) 0;
}
