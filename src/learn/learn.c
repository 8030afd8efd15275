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

#include "core/levels.h"

static const PegsWork learning_work = {
	.title = "learning of",
	.while_words = "while learning a column",
	.failed = "learning the column failed",
	.remedy = "Declare the column by hand: pegs_set_levels, pegs_set_bins."
};

/* ---- arguments ---- */

void
pegs_learning_check(const PegsLearning *learning, const PegsLearnt *learnt)
{
	const PegsSource *source = learning->source;
	const PegsColumn *column = &learnt->column;
	bool		logical = column->type == BOOLOID;
	PegsReference reference = {0};
	char	   *no_value;

	if (logical || get_typtype(column->type) == TYPTYPE_ENUM)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("column \"%s\" has levels already: its type is %s", column->name, logical ? "boolean" : "an enum"),
				 errhint("Nothing needs to be learnt, or charged: SELECT * FROM pegs_domain(%s);", quote_literal_cstr(source->name))));
	if (source->unit_column && strcmp(column->name, source->unit_column) == 0)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("column \"%s\" is the privacy unit: it says whose row it is, and nothing of it is to be learnt", column->name),
				 errhint("Leave it out of models: a fit that names no columns does.")));
	no_value = learnt->levels ? pegs_is_no_value(source->relid, get_attnum(source->relid, column->name), &reference) : NULL;
	if (no_value && strcmp(no_value, "a key") == 0)
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("column \"%s\" is a key: each of its values has one row, and no level is to be learnt", column->name),
				 errhint("Leave it out of models: SELECT pegs_leave_out(%s, %s);", quote_literal_cstr(source->name), quote_literal_cstr(column->name))));
}

PegsLearnt *
pegs_learning_column(PegsLearning *learning, const char *name)
{
	PegsLearnt *learnt;

	learning->learnt = learning->n > 0 ? repalloc(learning->learnt, sizeof(PegsLearnt) * (learning->n + 1)) : palloc(sizeof(PegsLearnt));
	learnt = &learning->learnt[learning->n++];
	memset(learnt, 0, sizeof(*learnt));
	pegs_find_column(learning->source, name, false, &learnt->column);
	return learnt;
}

void
pegs_learning_by(PegsLearning *learning, PegsLearnt *learnt, PegsLearn learn, bool levels)
{
	learnt->learn = learn;
	learnt->levels = levels;
	learning->nlevels += levels;
}

/* Of one column its name is looked at before epsilon is: the order of the signature. */
PegsLearning *
pegs_learning(FunctionCallInfo fcinfo, PegsLearn of_one, bool levels)
{
	PegsLearning *learning = palloc0(sizeof(PegsLearning));

	learning->source = pegs_curated_source(pegs_arg_oid(fcinfo, 0, "source"), "learn from its rows");
	if (of_one)
		pegs_learning_by(learning, pegs_learning_column(learning, pegs_arg_column(fcinfo, 1, "column_name", "age")), of_one, levels);
	pegs_load_unit(learning->source);
	if (of_one)
		pegs_learning_check(learning, &learning->learnt[0]);
	learning->epsilon = pegs_arg_epsilon(fcinfo, of_one ? 2 : 1, "epsilon");
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
	pegs_hide_uncharged(&learning_work, learning->reading);
}

static bool
is_sound(const PegsLearning *learning, const PegsLearnt *learnt)
{
	MemoryContext context = CurrentMemoryContext;
	int			notation = NewGUCNestLevel();
	volatile bool sound = false;

	PG_TRY();
	{
		pegs_check_declaration(learning->source, learnt->column.name, &learnt->declared);
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
can_be_declared(const PegsLearning *learning, PegsLearnt *learnt)
{
	if (is_sound(learning, learnt))
		return true;
	if (learnt->declared.npoints == 0)
		return false;
	/* that of 0 is the first */
	learnt->declared.npoints = learnt->declared.npoints > 1 && strcmp(learnt->declared.points[0], "0") == 0;
	if (learnt->declared.npoints > 0 && is_sound(learning, learnt))
		return true;
	learnt->declared.npoints = 0;
	learnt->declared.points = NULL;
	return is_sound(learning, learnt);
}

/* By public facts: epsilon, delta, the unit, the types of the columns, how the account is kept. */
static void
share_out(PegsLearning *learning)
{
	const PegsSource *source = learning->source;
	pegs_share	share = pegs_share_out(learning->epsilon, learning->delta, source->rows_per_unit, learning->n, learning->nlevels,
										   pegs_is_in_rho(source->account), &learning->accountant);

	learning->accountant.rows_each = source->rows_each;
	for (int i = 0; i < learning->n; i++)
	{
		learning->learnt[i].cost = share.cost;
		learning->learnt[i].delta = learning->learnt[i].levels ? share.delta : 0;
	}
}

static void
compute(PegsLearning *learning)
{
	uint8_t		key[PEGS_KEY_BYTES];

	learning->env = pegs_uncharged_env(learning->uncharged);
	pegs_new_key(key);
	learning->rng = pegs_rng_in(pegs_uncharged_context(learning->uncharged), key, 0);
	explicit_bzero(key, sizeof(key));
	PG_TRY();
	{
		for (int i = 0; i < learning->n; i++)
		{
			PegsLearnt *learnt = &learning->learnt[i];
			uint64_t	before = learning->accountant.spent;

			learnt->learn(learning, learnt);
			learnt->spent = learning->accountant.spent - before;
			learnt->found = learnt->found && can_be_declared(learning, learnt);
		}
	}
	PG_CATCH();
	{
		hide(learning);
	}
	PG_END_TRY();
}

/* ---- charge, and declare ---- */

/* No noise but for what is charged, for every column its part, and for what a unit can move. */
static bool
is_paid_for(const PegsLearning *learning, const PegsBill *bill)
{
	int64		apart = 0;

	for (int i = 0; i < learning->n; i++)
	{
		if (!pegs_is_a_share(&learning->accountant, learning->n, learning->learnt[i].spent))
			return false;
		apart += learning->learnt[i].spent_delta;
	}
	return learning->accountant.epsilon == bill->epsilon && apart <= bill->delta_apart
		&& learning->accountant.delta + apart <= bill->delta && learning->accountant.spent <= learning->accountant.total
		&& learning->accountant.rows_per_unit == (uint32_t) learning->source->rows_per_unit;
}

static char *
what_is_learnt(const PegsLearning *learning)
{
	if (learning->n > 1)
		return psprintf("%s (%d columns)", learning->source->name, learning->n);
	return psprintf("%s.%s", learning->source->name, quote_identifier(learning->learnt[0].column.name));
}

/* By public facts. What is no noise is apart: the chance of a threshold. */
static PegsBill
bill_of(const PegsLearning *learning)
{
	const PegsSource *source = learning->source;

	return (PegsBill) {
		.account = source->account,
		.epsilon = learning->epsilon,
		.delta = learning->delta,
		.rho = pegs_rho_of_shares(&learning->accountant, learning->n),
		.delta_apart = learning->nlevels > 0 ? learning->delta - learning->accountant.delta : 0,
		.action = "learn",
		.object = what_is_learnt(learning),
		.unit = pegs_charged_unit(source->unit_column != NULL, source->unit_column),
		.counted = source->counted
	};
}

static void
charge_and_declare(PegsLearning *learning)
{
	const PegsSource *source = learning->source;
	PegsBill	bill = bill_of(learning);
	bool	   *empty = palloc(sizeof(bool) * learning->n);
	PegsLearntCharge charge = {0, bill.epsilon, bill.delta, pstrdup(bill.unit)};
	PegsLearntCharge nothing = charge;
	PegsAs		saved;

	/* fails closed, before anything of it is seen */
	if (!is_paid_for(learning, &bill))
		elog(ERROR, "what was learnt was not for what would be charged");
	pegs_begin_as_extension(&saved);
	charge.id = pegs_next_id();
	nothing.id = -charge.id;
	pegs_end_as(&saved);
	for (int i = 0; i < learning->n; i++)
		empty[i] = pegs_hold_declaration(source, learning->learnt[i].column.name);
	pegs_charge(&bill);
	for (int i = 0; i < learning->n; i++)
	{
		PegsLearnt *learnt = &learning->learnt[i];

		learnt->declared.learnt = learnt->found ? &charge : NULL;
		if (!learnt->found && empty[i] && learning->leave_out)
			learnt->declared = (PegsDeclaration) {.left_out = true, .learnt = &nothing};
		if (learnt->found || learnt->declared.left_out)
			pegs_declare_column(source, learnt->column.name, &learnt->declared);
		else if (empty[i])
			(void) pegs_undeclare_column(source, learnt->column.name);
		else
			pegs_add_learnt(source, learnt->column.name, &nothing);
	}
	pegs_charge_done(&bill);
}

/* ---- what there is room for: of public facts, for hints ---- */

PegsLearning
pegs_learning_with(const PegsLearning *learning, int64 epsilon)
{
	PegsLearning other = *learning;

	other.epsilon = epsilon;
	other.learnt = palloc(sizeof(PegsLearnt) * learning->n);
	memcpy(other.learnt, learning->learnt, sizeof(PegsLearnt) * learning->n);
	share_out(&other);
	return other;
}

static bool
has_room(const PegsLearning *learning, int64 epsilon, int64 calls)
{
	PegsLearning other = pegs_learning_with(learning, epsilon);
	PegsBill	bill = bill_of(&other);
	int64		left = pegs_calls_left(&bill);

	pfree(other.learnt);
	return left >= calls;
}

int64
pegs_learning_room(const PegsLearning *learning, int64 most, int64 calls)
{
	int64		fits = most / 10000;
	int64		unit = 1;

	if (has_room(learning, most, calls))
		return most;
	if (fits == 0 || !has_room(learning, fits, calls))
		return 0;
	while (most - fits > fits / 1000)
	{
		int64		middle = fits + (most - fits) / 2;

		if (has_room(learning, middle, calls))
			fits = middle;
		else
			most = middle;
	}
	while (fits / unit >= 100)
		unit *= 10;
	return fits / unit * unit;
}

void
pegs_learn_columns(PegsLearning *learning)
{
	MemoryContext old;
	PegsBill	bill;

	pegs_warn_of_parts(learning->source->account);
	pegs_warn_of_the_way_out(learning->source->account);
	/* of levels a part is for their thresholds: the rest is never too much */
	if (learning->nlevels == 0)
		learning->delta = pegs_delta_of_call(learning->source->account, learning->delta);
	share_out(learning);
	bill = bill_of(learning);
	if (pegs_calls_left(&bill) == 0)
		bill.has_room = pegs_learning_room(learning, learning->epsilon, 1);
	pegs_check_budget(&bill);
	learning->uncharged = pegs_uncharged(&learning_work, learning->n > 1 ? learning->source->name : learning->learnt[0].column.name);
	old = MemoryContextSwitchTo(pegs_uncharged_context(learning->uncharged));
	compute(learning);
	MemoryContextSwitchTo(old);
	pegs_uncharged_computed(learning->uncharged);
	charge_and_declare(learning);
}
