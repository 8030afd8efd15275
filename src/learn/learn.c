/*
 * learn.c
 *	  Order of learning a domain: rights, arguments, is there enough budget, scan,
 *	  noise in memory, charge, declare.
 *
 * As in a fit: nothing of what was computed is seen before the charge is
 * durable, so what is cancelled before it has cost nothing, and what is rolled
 * back after it has spent. No error shows a value. Of all that is declared only
 * the privacy unit counts: no fact of any column decides which rows are read.
 * Law L2; claims P5, P15, P16, docs/privacy.md.
 */
#include "learn/learn.h"
#include "budget/budget.h"

#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"

static const PegsWork learning_work = {
	.title = "learning of",
	.while_words = "while learning a column",
	.failed = "learning the column failed",
	.remedy = "Declare the column by hand: pegs_set_levels, pegs_set_bins."
};

/* ---- arguments ---- */

static void
refuse_column(const PegsLearning *learning)
{
	const PegsColumn *column = &learning->column;
	bool		logical = column->type == BOOLOID;

	if (logical || get_typtype(column->type) == TYPTYPE_ENUM)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("column \"%s\" has levels already: its type is %s", column->name, logical ? "boolean" : "an enum"),
				 errhint("Nothing needs to be learnt, or charged: SELECT * FROM pegs_domain(%s);", quote_literal_cstr(learning->source->name))));
	if (learning->source->unit_column && strcmp(column->name, learning->source->unit_column) == 0)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("column \"%s\" is the privacy unit: it says whose row it is, and nothing of it is to be learnt", column->name),
				 errhint("Leave it out of models: a fit that names no columns does.")));
}

PegsLearning *
pegs_learning(FunctionCallInfo fcinfo)
{
	PegsLearning *learning = palloc0(sizeof(PegsLearning));

	learning->source = pegs_curated_source(pegs_arg_oid(fcinfo, 0, "source"), "learn from its rows");
	pegs_find_column(learning->source, pegs_arg_column(fcinfo, 1, "column_name", "age"), false, &learning->column);
	pegs_load_unit(learning->source);
	refuse_column(learning);
	learning->epsilon = pegs_arg_epsilon(fcinfo, 2, "epsilon");
	if (learning->epsilon == 0)
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("epsilon must not be null"),
				 errhint("What is learnt from rows is charged: epsilon => 0.1")));
	return learning;
}

/* ---- what is computed ---- */

/*
 * An error here may have words that depend on what was drawn, as it may in a
 * fit; and values are here as text, which a fit never has. So none but those
 * that are thrown while rows are read, which have lost theirs (reader.c), and
 * what people and servers do goes on as it is.
 */
static void
hide(const PegsLearning *learning)
{
	int			category = ERRCODE_TO_CATEGORY(geterrcode());

	if (!learning->reading && category != ERRCODE_OPERATOR_INTERVENTION && category != ERRCODE_INSUFFICIENT_RESOURCES)
	{
		FlushErrorState();
		ereport(ERROR,
				(errcode(ERRCODE_INTERNAL_ERROR),
				 errmsg("%s", learning_work.failed),
				 errdetail("Nothing was charged. The server's message may depend on the rows and is not shown."),
				 errhint("%s", learning_work.remedy)));
	}
	pegs_hide_uncharged(&learning_work);
}

static bool
is_sound(const PegsLearning *learning)
{
	MemoryContext context = CurrentMemoryContext;
	int			notation = NewGUCNestLevel();
	volatile bool sound = false;

	PG_TRY();
	{
		pegs_check_declaration(learning->source, learning->column.name, &learning->declared);
		sound = true;
	}
	PG_CATCH();
	{
		pegs_forgive_data_error(context);
	}
	PG_END_TRY();
	AtEOXact_GUC(false, notation);	/* what was pinned when it failed */
	return sound;
}

/*
 * All that a declaration could be refused for, before the charge. What was
 * drawn decides it, so it is no error, which would be seen for nothing: a bin
 * that holds its point alone gives the point up, and what still cannot be
 * declared was charged and is nothing learnt.
 */
static bool
can_be_declared(PegsLearning *learning)
{
	if (is_sound(learning))
		return true;
	if (learning->declared.npoints == 0)
		return false;
	learning->declared.npoints = 0;
	learning->declared.points = NULL;
	return is_sound(learning);
}

static void
compute(PegsLearning *learning, PegsLearn learn)
{
	uint8_t		key[PEGS_KEY_BYTES];

	learning->env = pegs_uncharged_env(learning->uncharged);
	/* delta, if there is any, is for the threshold alone */
	pegs_fit_accountant(&learning->accountant, learning->epsilon, 0, learning->source->rows_per_unit, learning->source->rows_each);
	pegs_new_key(key);
	learning->rng = pegs_rng_in(pegs_uncharged_context(learning->uncharged), key, 0);
	explicit_bzero(key, sizeof(key));
	PG_TRY();
	{
		learn(learning);
		if (learning->found)
			learning->found = can_be_declared(learning);
	}
	PG_CATCH();
	{
		hide(learning);
	}
	PG_END_TRY();
}

/* ---- charge, and declare ---- */

static void
charge_and_declare(PegsLearning *learning)
{
	const PegsSource *source = learning->source;
	const char *name = learning->column.name;
	PegsBill	bill = {
		.account = source->account,
		.epsilon = learning->epsilon,
		.delta = learning->delta,
		.action = "learn",
		.object = psprintf("%s.%s", source->name, quote_identifier(name)),
		.unit = pegs_charged_unit(source->unit_column != NULL, source->unit_column)
	};
	PegsLearntCharge learnt = {0, bill.epsilon, bill.delta, pstrdup(bill.unit)};
	PegsAs		saved;
	bool		empty;

	/* no noise but for what is charged, and for what a unit can move: fails closed, before anything of it is seen */
	if (learning->accountant.epsilon != bill.epsilon || learning->accountant.rows_per_unit != (uint32_t) source->rows_per_unit
		|| learning->accountant.spent > learning->accountant.total)
		elog(ERROR, "what was learnt was not for what would be charged");
	pegs_begin_as_extension(&saved);
	learnt.id = pegs_next_id();
	pegs_end_as(&saved);
	learning->declared.learnt = &learnt;
	empty = pegs_hold_declaration(source, name);
	pegs_charge(&bill);
	if (learning->found)
		pegs_declare_column(source, name, &learning->declared);
	else if (empty)
		(void) pegs_undeclare_column(source, name);
	else
		pegs_add_learnt(source, name, &learnt);
	pegs_charge_done(&bill);
}

void
pegs_learn(PegsLearning *learning, PegsLearn learn)
{
	MemoryContext old;

	pegs_warn_of_parts(learning->source->account);
	pegs_check_budget(learning->source->account, learning->epsilon, learning->delta);
	learning->uncharged = pegs_uncharged(&learning_work, learning->column.name);
	old = MemoryContextSwitchTo(pegs_uncharged_context(learning->uncharged));
	compute(learning, learn);
	charge_and_declare(learning);
	MemoryContextSwitchTo(old);
}

/* ---- words ---- */

char *
pegs_charged_words(const PegsLearning *learning)
{
	const char *epsilon = pegs_units_text(learning->epsilon, 9);

	if (learning->delta == 0)
		return psprintf("epsilon %s was charged", epsilon);
	return psprintf("epsilon %s and delta %s were charged", epsilon, pegs_units_text(learning->delta, 18));
}

void
pegs_say_nothing_learnt(const PegsLearning *learning, const char *why)
{
	ereport(NOTICE,
			(errmsg("nothing was learnt of column \"%s\": %s", learning->column.name, pegs_charged_words(learning)),
			 errdetail("%s What was declared before is as it was.", why),
			 errhint("More epsilon finds what has fewer rows; or declare the column by hand: pegs_set_levels, pegs_set_bins.")));
}
